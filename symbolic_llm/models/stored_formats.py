"""Number formats in which a file stores the weights of its model, as its config states them

A `quantization_config` names a method, its bits and the modules that it leaves out. Where that settles the format of
every part, the bytes are a sum over the parts; where it does not, the words are kept, so that an answer in another
format can say that it is not the file's. Scales are counted, and zero points; what a method keeps once for a row, a
matrix or a tensor is not (GPTQ's group numbers, NVFP4's float for a tensor), nor are blocks of scales that reach beyond
a matrix.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..errors import shown
from ..units import BYTE, humanize
from .config import Fields
from .part import Part

_MATRICES = frozenset({"attention", "mlp", "experts"})  # of the blocks, linear layers all
_OTHERS = frozenset({"activations", "embedding", "output", "norms", "biases", "router", "positions", "sinks"})
_FLOATS = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32"}
# Modules that no method quantises in the parts above, and those of what sees or hears, which is counted nowhere.
_LEFT_OUT = re.compile(
    r"(^|.*[._*])(lm_head|head|embed_tokens|gate|router|e_score_correction_bias|\w*norm)[*$]*(\.\*)?$"
    r"|.*(vision|visual|audio|mm_projector|multi_modal_projector)"
)
_LONGEST = 2**16  # entries of a list of modules


@dataclass(frozen=True)
class Stored:
    """The number formats of a file.

    Attributes:
        how: in words, such as "mxfp4 in its experts, bf16 elsewhere".
        n_bytes: bytes of all weights; None where the config does not settle them.
        of_token: bytes of the weights that one token is multiplied with; None where not known part by part.
        widths: places of parts with the bytes of a weight, in the mean over all of the place; none where they are not
            known.
    """

    how: str
    n_bytes: Fraction | None = None
    of_token: Fraction | None = None
    widths: tuple[tuple[str, Fraction], ...] = ()

    @classmethod
    def by_place(cls, how: str, parts: Sequence[Part], widths: Mapping[str, Fraction]) -> Stored:
        """The formats of parts, by the bytes of a weight in each place."""
        n_bytes, of_token = (
            sum((part.each * getattr(part, copies) * widths[part.place] for part in parts), Fraction(0))
            for copies in ("stored", "multiplied")
        )
        return cls(how, n_bytes, of_token, tuple(widths.items()))

    def __str__(self) -> str:
        return self.how if self.n_bytes is None else f"{self.how}: {humanize(self.n_bytes, BYTE)} in all"


def stored(fields: Fields, text: Fields, parts: Sequence[Part]) -> Stored | None:
    """Number formats that a config states for its file; None where it states none.

    Args:
        fields: the config.
        text: the fields of its text part; the same where it has no other.
        parts: the parts of the model.
    """
    found = fields.free("quantization_config") or text.free("quantization_config")
    if not found:
        return None
    if not isinstance(found, Mapping):
        return Stored("a format this package does not know")
    method = found.get("quant_method")
    named = (
        shown(method, 40) if isinstance(method, str) and method.isprintable() else "a format this package does not know"
    )
    in_it, each, name = _mxfp4(found) if method == "mxfp4" else _linear(found, method)
    kinds = {part.kind for part in parts}
    if each is None or not kinds <= _MATRICES | _OTHERS or not kinds & in_it:
        return Stored(f"its config names {named}, which does not say how each part is stored")
    rest = next((said for of in (text, fields) for key in ("dtype", "torch_dtype") if (said := of.free(key))), "")
    others = _FLOATS.get(rest, "bf16") if isinstance(rest, str) else "bf16"
    width = Fraction(4 if others == "fp32" else 2)
    where = "its experts" if in_it == {"experts"} else "the matrices of its blocks"
    widths = {part.place: each if part.kind in in_it else width for part in parts}
    return Stored.by_place(f"{name} in {where}, {others} elsewhere", parts, widths)


_Kinds = tuple[frozenset[str], Fraction | None, str]  # kinds of parts, bytes of a weight there, the format's name
_UNKNOWN: _Kinds = (frozenset(), None, "")


def _mxfp4(found: Mapping[Any, Any]) -> _Kinds:
    """Kinds of parts, bytes of a weight and name of OpenAI's MXFP4.

    It has four bits for a weight and a scale of eight bits for 32 of them, in the experts of gpt-oss alone.
    """
    return frozenset({"experts"}), Fraction(4 + Fraction(8, 32)) / 8, "mxfp4"


def _linear(found: Mapping[Any, Any], method: object) -> _Kinds:
    """Kinds of parts, bytes of a weight and name of a method for all linear layers of the blocks; or `_UNKNOWN`."""
    each = _METHODS[method](found) if isinstance(method, str) and method in _METHODS else None
    if each is None or not _leaves_out_the_usual(found):
        return _UNKNOWN
    return _MATRICES, each, str(method)


def _leaves_out_the_usual(found: Mapping[Any, Any]) -> bool:
    """Whether the modules that are left out are none of the blocks' matrices."""
    for key in ("modules_to_not_convert", "ignore", "ignored_layers", "modules_to_not_quantize"):
        names = found.get(key) or []
        if not isinstance(names, list) or len(names) > _LONGEST:
            return False
        if not all(isinstance(name, str) and len(name) < 200 and _LEFT_OUT.match(name.lower()) for name in names):
            return False
    return not any(found.get(key) for key in ("dynamic", "layers", "quantized_layers", "llm_int8_skip_modules"))


def _fp8(found: Mapping[Any, Any]) -> Fraction | None:
    """Bytes of an FP8 weight: one, and its part of a four-byte scale for a block; None where not settled."""
    if found.get("quant_algo") not in (None, "FP8"):
        return None
    block = found.get("weight_block_size")
    if block is None:
        return Fraction(1)
    if not isinstance(block, list) or len(block) != 2 or not all(_whole(side, 2**20) for side in block):
        return None
    return 1 + Fraction(4, block[0] * block[1])


def _grouped(found: Mapping[Any, Any], zero_point: object) -> Fraction | None:
    """Bytes of a weight of a few bits, with a two-byte scale and perhaps a zero point for a group; None if unknown."""
    bits, group = found.get("bits", found.get("w_bit")), found.get("group_size", found.get("q_group_size"))
    if not _whole(bits, 8) or not isinstance(zero_point, bool):
        return None
    return _bytes(bits, group, 16, zero=zero_point)


def _compressed(found: Mapping[Any, Any]) -> Fraction | None:
    """Bytes of a weight by compressed-tensors, with one group of all linear layers; None where not settled."""
    groups = found.get("config_groups")
    one = next(iter(groups.values())) if isinstance(groups, dict) and len(groups) == 1 else None
    if not isinstance(one, dict) or one.get("targets") != ["Linear"]:
        return None
    weights = one.get("weights")
    if not isinstance(weights, dict) or not _whole(weights.get("num_bits"), 8):
        return None
    bits, strategy, kept = weights["num_bits"], weights.get("strategy"), one.get("format") or found.get("format")
    if strategy in ("channel", "tensor") and bits == 8:
        return Fraction(1)
    scale = {"pack-quantized": 16, "nvfp4-pack-quantized": 8, "mxfp4-pack-quantized": 8}.get(str(kept))
    if scale is None or strategy not in ("group", "tensor_group"):
        return None
    return _bytes(bits, weights.get("group_size"), scale, zero=weights.get("symmetric") is False)


def _bytes(bits: int, group: object, scale: int, *, zero: bool) -> Fraction | None:
    if group == -1:
        return Fraction(bits, 8)
    if not isinstance(group, int) or not _whole(group, 2**20):
        return None
    return (bits + Fraction(scale + bits * zero, group)) / 8


_METHODS = {
    "fp8": _fp8,
    "awq": lambda found: _grouped(found, found.get("zero_point", True)),
    "gptq": lambda found: _grouped(found, True),  # it stores zero points where all are alike too
    "compressed-tensors": _compressed,
}


def _whole(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= most
