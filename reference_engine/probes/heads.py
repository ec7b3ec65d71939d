"""Attention of one head"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from .. import one_head
from ..formats import FORMATS
from ..ledger import Ledger
from ..memory import Machine
from .registry import Answer, Ratio, enter, probe


@lru_cache(maxsize=4096)
def _head(
    rows: int,
    context: int,
    d_head: int,
    n_bytes_act: Fraction = Fraction(4),
    *,
    scaled: bool = False,
    stable: bool = False,
    tile: int = 0,
) -> Ledger:
    """The ledger of one head's attention, `rows` queries against `context` keys; in tiles if `tile` is given."""
    machine, format, random = Machine(), FORMATS[Fraction(n_bytes_act)], np.random.default_rng(0)
    shapes = ((rows, d_head), (context, d_head), (context, d_head), (rows, d_head))
    Q, K, V, O = (machine.allocate(random.standard_normal(shape), format) for shape in shapes)
    if tile:
        one_head.tiled(machine, Q, K, V, O, rows=tile, columns=tile)
    else:
        one_head.textbook(machine, Q, K, V, O, scaled=scaled, stable=stable)
    return machine.ledger


def _moved(ledger: Ledger) -> int:
    return ledger.total("loaded") + ledger.total("stored")


def _line(name: str, question: str, what: str, line: str, *, one_query: bool = False, scaled: bool = False) -> None:
    """Enter a probe for one line of the textbook algorithm."""

    def flops(context: int, d_head: int) -> Answer:
        return _head(1 if one_query else context, context, d_head, scaled=scaled).total("flops", line)

    def traffic(context: int, d_head: int, n_bytes_act: Fraction) -> Answer:
        return _head(1 if one_query else context, context, d_head, n_bytes_act, scaled=scaled).total(what, line)

    ask = flops if what == "flops" else traffic
    ask.__doc__ = question
    probe(name)(ask)


for _number in (1, 2, 3):
    for _what, _words in (
        ("loaded", "bytes does line {} load"),
        ("stored", "bytes does line {} store"),
        ("flops", "operations does line {} do"),
    ):
        _asked = _words.format(_number)
        _line(f"attention.textbook.line_{_number}.{_what}", f"How many {_asked}?", _what, f"line_{_number}")
        _line(
            f"attention.query.line_{_number}.{_what}",
            f"How many {_asked} for one query?",
            _what,
            f"line_{_number}",
            one_query=True,
        )
_line("attention.scaled.scaling.loaded", "How many bytes does the scaling load?", "loaded", "scaling", scaled=True)
_line("attention.scaled.scaling.stored", "How many bytes does the scaling store?", "stored", "scaling", scaled=True)
_line("attention.scaled.scaling.flops", "How many operations does the scaling do?", "flops", "scaling", scaled=True)


@probe("attention.textbook.bytes", "D_textbook")
def _(context: int, d_head: int, n_bytes_act: Fraction) -> Answer:
    """How many bytes does textbook attention move?"""
    return _moved(_head(context, context, d_head, n_bytes_act))


@probe("attention.textbook.flops", "C_textbook")
def _(context: int, d_head: int) -> Answer:
    """How many operations does textbook attention do?"""
    return _head(context, context, d_head).total("flops")


@probe("attention.textbook.intensity", "I_textbook")
def _(context: int, d_head: int, n_bytes_act: Fraction) -> Answer:
    """How many operations does textbook attention do, for how many bytes?"""
    ledger = _head(context, context, d_head, n_bytes_act)
    return Ratio(ledger.total("flops"), _moved(ledger))


@probe("attention.query.bytes", "D_query")
def _(context: int, d_head: int, n_bytes_act: Fraction) -> Answer:
    """How many bytes does textbook attention move for one query?"""
    return _moved(_head(1, context, d_head, n_bytes_act))


@probe("attention.query.flops", "C_query")
def _(context: int, d_head: int) -> Answer:
    """How many operations does textbook attention do for one query?"""
    return _head(1, context, d_head).total("flops")


@probe("attention.query.intensity", "I_query")
def _(context: int, d_head: int, n_bytes_act: Fraction) -> Answer:
    """How many operations does textbook attention do for one query, for how many bytes?"""
    ledger = _head(1, context, d_head, n_bytes_act)
    return Ratio(ledger.total("flops"), _moved(ledger))


for _op, _name in (
    ("maximum", "maximum"),
    ("subtract", "subtract"),
    ("exp", "exponential"),
    ("sum", "sum"),
    ("divide", "divide"),
    ("*", "flops"),
):

    def _softmax(context: int, op: str = _op) -> Answer:
        return _head(context, context, 1, stable=True).total("flops", "line_2", op)

    _wording = "operations does the stable softmax do" if _op == "*" else f"operations does its {_name!r} do"
    _quantity = "C_softmax" if _op == "*" else ""
    enter(f"attention.softmax.{_name}", f"How many {_wording}?", _softmax, ("context",), _quantity)


@probe("attention.stable.flops", "C_stable")
def _(context: int, d_head: int) -> Answer:
    """How many operations does attention do with the stable softmax?"""
    return _head(context, context, d_head, stable=True).total("flops")


@probe("attention.scaled.bytes", "D_scaled")
def _(context: int, d_head: int, n_bytes_act: Fraction) -> Answer:
    """How many bytes does textbook attention move when the scaling is a pass of its own?"""
    return _moved(_head(context, context, d_head, n_bytes_act, scaled=True))


@probe("attention.scaled.flops", "C_scaled")
def _(context: int, d_head: int) -> Answer:
    """How many operations does textbook attention do with the scaling?"""
    return _head(context, context, d_head, scaled=True).total("flops")


@probe("attention.tiled.queries_loaded")
def _(tiles: int, tile: int, d_head: int, n_bytes_act: Fraction) -> Answer:
    """How many bytes of queries does tiled attention load?"""
    return _head(tiles * tile, tiles * tile, d_head, n_bytes_act, tile=tile).total("loaded", "queries")


@probe("attention.tiled.keys_and_values_loaded")
def _(context: int, tile: int, d_head: int, n_bytes_act: Fraction) -> Answer:
    """How many bytes of keys and values does tiled attention load?"""
    ledger = _head(context, context, d_head, n_bytes_act, tile=tile)
    return ledger.total("loaded", "keys") + ledger.total("loaded", "values")


@probe("attention.tiled.outputs_stored")
def _(tiles: int, tile: int, d_head: int, n_bytes_act: Fraction) -> Answer:
    """How many bytes of outputs does tiled attention store?"""
    return _head(tiles * tile, tiles * tile, d_head, n_bytes_act, tile=tile).total("stored", "outputs")


@probe("attention.tiled.bytes", "D_tiled")
def _(tiles: int, tile: int, d_head: int, n_bytes_act: Fraction) -> Answer:
    """How many bytes does tiled attention move?"""
    return _moved(_head(tiles * tile, tiles * tile, d_head, n_bytes_act, tile=tile))


@probe("attention.tiling_saves")
def _(tiles: int, tile: int, d_head: int, n_bytes_act: Fraction) -> Answer:
    """Does tiled attention move fewer bytes than textbook attention?"""
    rows = tiles * tile
    return _moved(_head(rows, rows, d_head, n_bytes_act, tile=tile)) < _moved(_head(rows, rows, d_head, n_bytes_act))
