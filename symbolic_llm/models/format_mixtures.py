"""Mixtures of formats that llama.cpp names: which matrix of which block is stored in which format

Q4_K_M and its kin are no formats but rules. Most matrices are in one, and what suffers most is in another with more
bits: the output matrix, and of some blocks the values and the way back of the MLP. Rows that are no multiple of a
block's length are stored in a format of shorter blocks; vectors and routers in four bytes. The rules are those of
llama-quantize without an importance matrix.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from ..catalogue.named import (
    embedding_parameters,
    expert_parameters,
    gated_mlp_parameters,
    grouped_attention_parameters,
    plain_mlp_parameters,
)
from ..errors import UnknownName, known_name, listed, option
from ..formula import Formula
from .model import Model
from .operations import MATRICES
from .part import Part
from .products import Matrix
from .stored_formats import Stored

_BYTES = {  # of a weight
    "q3_k": Fraction(110, 256),
    "q4_0": Fraction(18, 32),
    "q4_k": Fraction(144, 256),
    "q5_0": Fraction(22, 32),
    "q5_1": Fraction(24, 32),
    "q5_k": Fraction(176, 256),
    "q6_k": Fraction(210, 256),
    "q8_0": Fraction(34, 32),
    "fp16": Fraction(2),
    "fp32": Fraction(4),
}
_LONG, _SHORT = 256, 32  # numbers in a block of each kind
_SHORTER = {"q3_k": "q4_0", "q4_k": "q5_0", "q5_k": "q5_1", "q6_k": "q8_0"}

Choice = Callable[[int, int], str]  # from the number of a block and how many there are to a format


def _more(block: int, blocks: int) -> bool:
    """Whether a block is among those that get more bits: the first eighth, the last, and every third between."""
    return block < blocks // 8 or block >= 7 * blocks // 8 or (block - blocks // 8) % 3 == 2


def _always(name: str) -> Choice:
    return lambda block, blocks: name


def _where_more(name: str, other: str) -> Choice:
    return lambda block, blocks: other if _more(block, blocks) else name


def _first(name: str, other: str, share: int) -> Choice:
    return lambda block, blocks: other if block < blocks // share else name


def _few(name: str, other: str, number: int) -> Choice:
    return lambda block, blocks: other if block < number else name


@dataclass(frozen=True)
class Mixture:
    """A mixture: the rule that gives each matrix its format.

    Attributes:
        most: format of all matrices that the other attributes do not cover.
        value: format of the matrices of values.
        down: format of the matrices that lead back from an MLP or an expert.
        output: format of the matrices that lead back from attention.
        with_eight: format of the same matrices where there are eight experts.
    """

    most: str
    value: Choice
    down: Choice
    output: str
    with_eight: str


MIXTURES: Mapping[str, Mixture] = {
    "q3_k_s": Mixture("q3_k", _always("q3_k"), _always("q3_k"), "q3_k", "q5_k"),
    "q3_k_m": Mixture("q3_k", _few("q4_k", "q5_k", 2), _first("q4_k", "q5_k", 16), "q4_k", "q5_k"),
    "q3_k_l": Mixture("q3_k", _always("q5_k"), _always("q5_k"), "q5_k", "q3_k"),
    "q4_k_s": Mixture("q4_k", _few("q4_k", "q5_k", 4), _first("q4_k", "q5_k", 8), "q4_k", "q5_k"),
    "q4_k_m": Mixture("q4_k", _where_more("q4_k", "q6_k"), _where_more("q4_k", "q6_k"), "q4_k", "q5_k"),
    "q5_k_s": Mixture("q5_k", _always("q5_k"), _always("q5_k"), "q5_k", "q5_k"),
    "q5_k_m": Mixture("q5_k", _where_more("q5_k", "q6_k"), _where_more("q5_k", "q6_k"), "q5_k", "q5_k"),
}
# Families whose files have a matrix each for queries, keys and values, and for gate and up
_FAMILIES = frozenset({"llama", "mistral", "mixtral", "qwen2", "qwen3", "qwen3_moe", "gemma", "gemma2", "gemma3_text"})
_FAMILIES |= {"olmo2", "granite", "smollm3", "cohere"}
_KNOWN: frozenset[Formula] = frozenset(
    {grouped_attention_parameters, gated_mlp_parameters, plain_mlp_parameters, expert_parameters, embedding_parameters}
)
_WHOLE = frozenset({"activations", "norms", "biases", "router", "sinks"})  # kept in four bytes


def is_mixture(name: object) -> bool:
    """Whether a name is that of a mixture."""
    return isinstance(name, str) and name.strip().lower() in MIXTURES


@lru_cache(maxsize=2**8)
def mixed(model: Model, name: str) -> Stored:
    """Number formats in which a file of a mixture stores a model.

    `UnknownName` where it is not known which of the model's matrices are in which format.
    """
    name = known_name("mixture of number formats", name.strip().lower(), MIXTURES)
    n_moe, blocks = model.letters.get("n_moe", 0), model.letters["n_blocks"]
    unknown = [part for part in model.parts if part.kind not in _WHOLE and part.formula not in _KNOWN]
    if model.family not in _FAMILIES or unknown or n_moe not in (0, blocks):
        raise UnknownName(
            f"{name} is a mixture of number formats, and it is unknown which tensors "
            f"of {model.name} have which format; "
            f"give the file itself as {option('model', '=')} or, to a formula, its bytes per weight as n_bytes=."
        )
    weights, nbytes, used = Counter[str](), defaultdict[str, Fraction](Fraction), dict[str, None]()
    for part in model.parts:
        each = part.each * part.stored
        weights[part.place] += each
        if part.kind in _WHOLE:
            nbytes[part.place] += _BYTES["fp32"] * each
            continue
        for matrix in MATRICES[part.formula]:
            size = Fraction(matrix.rows(part.letters) * matrix.columns(part.letters)) * part.stored
            for format_, share in _shares(model, part, matrix, MIXTURES[name], blocks).items():
                used |= {format_: None}
                nbytes[part.place] += size * share * _BYTES[format_]
    how = f"{name}: {listed(sorted(used, key=lambda one: _BYTES[one]))}, vectors in fp32"
    return Stored.by_place(how, model.parts, {place: nbytes[place] / weights[place] for place in weights})


def _shares(model: Model, part: Part, matrix: Matrix, mixture: Mixture, blocks: int) -> dict[str, Fraction]:
    """Formats of a matrix over all blocks, each with its share of the blocks."""
    width = int(matrix.columns(part.letters))
    name, eight = matrix.name.rpartition(".")[2], model.letters.get("n_experts") == 8
    if part.formula is embedding_parameters:
        tied = part.kind == "output" or part.multiplied
        return {("q8_0" if width % _LONG else "q6_k") if tied else _fitting(mixture.most, width): Fraction(1)}
    choice = _always(mixture.most)
    if name == "value":
        # of 80 blocks with grouped heads: the matrix is a small part, and a few bits more cost little
        large = (
            blocks == 80 and model.family in ("llama", "qwen2") and part.letters["n_kv_heads"] < part.letters["n_heads"]
        )
        choice = _always("q8_0") if eight else _bumped(mixture.value) if large else mixture.value
    elif name == "key" and eight:
        choice = _always("q8_0")
    elif name == "output":
        choice = _always(mixture.with_eight if eight else mixture.output)
    elif name == "down":
        choice = mixture.down
    found = Counter(_fitting(choice(block, blocks), width) for block in range(blocks))
    return {format_: Fraction(number, blocks) for format_, number in found.items()}


def _bumped(choice: Choice) -> Choice:
    return lambda block, blocks: "q5_k" if choice(block, blocks) in ("q3_k", "q4_k") else choice(block, blocks)


def _fitting(name: str, width: int) -> str:
    """Name of the format, or of one with shorter blocks where rows are no multiple of a block; fp16 if none fits."""
    if name == "q8_0" or width % _LONG == 0:
        return name if width % _SHORT == 0 else "fp16"
    return _SHORTER[name] if width % _SHORT == 0 else "fp16"
