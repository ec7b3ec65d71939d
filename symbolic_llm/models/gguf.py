"""Models of GGUF files, from their headers: the metadata is read as a config.json, and the tensors give the bytes

What the two say has to agree: as many weights in the tensors as the family counts for these shapes.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING

from ..errors import InvalidModel, listed, shown, within_memory
from ..files import opened, path_of
from .config import Fields
from .gguf_families import config_of
from .gguf_header import Header, read_header
from .stored_formats import Stored

if TYPE_CHECKING:
    from .model import Model

_SPLIT = re.compile(r"(?P<stem>.*)-(?P<number>\d{5})-of-(?P<of>\d{5})\.gguf", re.IGNORECASE | re.DOTALL)
_MOST_PARTS = 2**10
_LONGEST_PATH = 240
_BESIDE = re.compile(r"rope_(freqs|factors)|\.attn_rot_embd|\.nextn\.")  # divisors of rotations, and drafting blocks
_BALANCING = ".exp_probs_b"  # biases of routers, which some families count among their weights
_PLACES = (  # the part of a model that a matrix is of, by the name of its tensor
    (r"token_embd", "embedding"),
    (r"output", "output"),
    (r"blk\.\d+\.attn_(q|k|v|qkv|output|gate|q_a|q_b|kv_a_mqa|kv_b|k_b|v_b)", "attention"),
    (r"blk\.\d+\.ffn_(gate|up|down)", "mlp"),
    (r"blk\.\d+\.ffn_(gate|up|down|gate_up)_exps", "routed experts"),
    (r"blk\.\d+\.ffn_(gate|up|down)_shexp", "experts"),
    (r"blk\.\d+\.ffn_gate_inp(_shexp)?", "router"),
    (r"blk\.\d+\.(ssm_(in|out|ba|alpha|beta)|shortconv\.(in|out)_proj)", "states"),
    (r"blk\.\d+\.indexer\.(attn_k|attn_q_b|proj)", "index"),
)
_OF_STATES = re.compile(r"(blk\.\d+\.)attn_(qkv|gate)\.weight")  # in a block without attention


def parts_of(name: str) -> list[str]:
    """The names of all parts of a file that was split, or its own name."""
    found = _SPLIT.fullmatch(name)
    if found is None or not 1 <= int(found["of"]) <= _MOST_PARTS:
        return [name]
    ending = name[-len(".gguf") :]
    return [f"{found['stem']}-{number:05}-of-{found['of']}{ending}" for number in range(1, int(found["of"]) + 1)]


def from_gguf(made: type[Model], path: str | os.PathLike[str]) -> Model:
    """The model of a GGUF file, or of one that was split, by the path of any of its parts.

    Args:
        made: the class `Model`, which itself reads files.
        path: of the file.

    Raises:
        InvalidModel: it cannot be read, is damaged, is of an architecture that is not known here, or its tensors are
            others than its metadata describes.
    """
    path = path_of(path, InvalidModel)
    headers = []
    with within_memory(f"reading {shown(path, _LONGEST_PATH)}"):
        for part in parts_of(path):
            with opened(part, InvalidModel) as file:
                header = read_header(file.read, shown(part, _LONGEST_PATH))
                there = os.fstat(file.fileno()).st_size
            if there < header.size:
                raise header.wrong(f"its tensors end after {header.size:,} bytes, but the file after {there:,}")
            headers.append(header)
        return model_of(made, headers, path, path)


def model_of(made: type[Model], headers: list[Header], name: str, title: str) -> Model:
    """The model that the headers of a file's parts describe; the first has the metadata."""
    from .families import build

    first = headers[0]
    tensors = {key: tensor for header in headers for key, tensor in header.tensors.items()}
    if len(tensors) != sum(len(header.tensors) for header in headers):
        raise first.wrong("two of its parts have the same tensor")
    whole = replace(first, tensors=tensors)
    config, n_blocks = config_of(whole)
    model = made(name, title, **build(Fields(config, first.where)))
    of_model = {key: tensor for key, tensor in tensors.items() if _belongs(key, n_blocks)}
    weights = sum(prod(shape) for shape, _, _ in of_model.values())
    balancing = sum(prod(shape) for key, (shape, _, _) in of_model.items() if _BALANCING in key)
    if weights - balancing == model.parameters and balancing:
        weights -= balancing
        of_model = {key: tensor for key, tensor in of_model.items() if _BALANCING not in key}
    # those of an activation stand among the metadata
    weights += sum(part.each * part.stored for part in model.parts if part.kind == "activations")
    if weights != model.parameters:
        raise first.wrong(
            f"its tensors hold {weights:,} weights, but a model of family {model.family} in the shapes that it states "
            f"has {model.parameters:,}"
        )
    formats = Counter[str]()
    for _, format, n_bytes in of_model.values():
        formats[format.lower()] += n_bytes
    held = Fraction(sum(formats.values()))
    names = listed([format for format, _ in sorted(formats.items(), key=lambda one: -one[1])])
    return replace(model, stored=Stored(names, held, widths=_widths(model, of_model)))


def _belongs(name: str, n_blocks: int) -> bool:
    """Whether a tensor is one of the model's weights."""
    block = re.match(r"blk\.(\d{1,6})\.", name)
    return not _BESIDE.search(name) and (block is None or int(block[1]) < n_blocks)


def _widths(model: Model, tensors: dict[str, tuple[tuple[int, ...], str, int]]) -> tuple[tuple[str, Fraction], ...]:
    """The mean bytes of a weight by place, where the tensors of each place are all that is multiplied there."""
    weights, nbytes = Counter[str](), Counter[str]()
    for name, (shape, _, n_bytes) in tensors.items():
        mixed = _OF_STATES.fullmatch(name)
        place = "states" if mixed and f"{mixed[1]}ssm_out.weight" in tensors else _place(name)
        weights[place] += prod(shape)
        nbytes[place] += n_bytes
    multiplied = Counter[str]()
    for part in model.parts:
        multiplied[part.place] += part.each * part.stored * bool(part.multiplied)
    if any(number != weights[place] for place, number in multiplied.items() if number):
        return ()
    return tuple((place, Fraction(nbytes[place], weights[place])) for place in weights if place)


def _place(name: str) -> str:
    """The part of a model that a tensor is of; "" of what is no matrix."""
    stem = name.removesuffix(".weight")
    return next((place for pattern, place in _PLACES if stem != name and re.fullmatch(pattern, stem)), "")
