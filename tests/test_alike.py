"""No two formula files are equal up to the names of their letters, but for those with a reason

What two files say alike is one idea that was written twice. A few are so short that they say no more than which letters
they have, and some count two things in the same way on purpose: these are named here, with what each has that the
other has not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from typing import Any

from sympy import Add, Max, Min, Mul

from symbolic_llm.catalogue import catalogue
from symbolic_llm.formula import Formula
from symbolic_llm.notation import LETTERS

# Shapes of one operation, or of a vector or matrix of some width, each by a formula that has it: there is nothing in
# them that could be said once
BARE = {
    "weights_read": "the plain case of a sum that others have otherwise",
    "kv_bytes_total": "so many of something",
    "ridge_point": "one by another",
    "embedding_parameters": "a matrix",
    "plain_mlp_parameters": "two matrices",
    "attention_gate_parameters": "so many matrices",
    "full_query_parameters": "matrices of two widths",
}
# Two of a shape, and why both are there
TWICE = {
    ("kv_bytes_per_token", "local_kv_bytes_per_token"): "of all blocks, and of those with a window",
    ("footprint", "footprint_per_device"): "of the whole, and of a device",
    ("context_bytes_per_device", "handover_time", "loading_time"): (
        "by a ratio of bytes, and by bandwidths: caches over a link, weights from a storage"
    ),
    ("decode_product_flops", "query_key_value_biases"): "operations, and biases: twice one of two by chance",
    ("batch_crossover_with_cache", "expert_batch_crossover"): "what all batches read, and what large ones do",
    ("expert_parameters", "gated_mlp_parameters"): "laws of experts have both letters",
    ("expert_prefill_weights_read", "expert_weights_read"): "requests have both, of a step and of a prompt",
    ("attention_flops_per_picked_token", "latent_attention_flops_per_context_token"): "of all that is kept, or picked",
    ("fewer_bytes_context", "fewer_flops_context"): "where an index saves bytes, and where operations",
}


def shape(formula: Formula) -> str:
    """A digest of a claim and its conditions, equal whatever the letters are called.

    Letters are told apart by where they stand: a few rounds suffice, each of which looks one step farther around.
    """
    claims = [formula.claim] if hasattr(formula.claim, "atoms") else list(formula.statement.relations)
    claims += [condition.relation for condition in formula.where]
    letters = {s for claim in claims for s in claim.free_symbols if s in LETTERS}
    called = dict.fromkeys(letters, "")
    for _ in range(3):
        called = {letter: _said(claims, {**called, letter: f"this {called[letter]}"}) for letter in letters}
    return _said(claims, called)


def _said(claims: Iterable[Any], called: dict[Any, str]) -> str:
    return sha256(repr([_written(claim, called) for claim in claims]).encode()).hexdigest()


def _written(expression: Any, called: dict[Any, str]) -> Any:
    """An expression as nested tuples; terms and factors in an order that does not depend on names."""
    if expression in called:
        return called[expression]
    if not expression.args:
        return str(expression)
    parts = [_written(part, called) for part in expression.args]
    in_any_order = isinstance(expression, Add | Mul | Max | Min)
    return (type(expression).__name__, *(sorted(parts, key=repr) if in_any_order else parts))


def alike(formulas: Iterable[Formula]) -> set[tuple[str, ...]]:
    """Formulas of one shape, by their names, but for bare shapes."""
    by: defaultdict[str, list[str]] = defaultdict(list)
    for formula in formulas:
        by[shape(formula)].append(formula.name)
    bare = {shape(catalogue()[name]) for name in BARE}
    return {tuple(sorted(names)) for said, names in by.items() if len(names) > 1 and said not in bare}


def test_no_two_formulas_are_alike_without_a_reason() -> None:
    """And every reason is for two that are."""
    assert alike(catalogue()) == set(TWICE)


def test_a_bare_shape_stands_more_than_once() -> None:
    """Else it needs no excuse."""
    shapes = [shape(formula) for formula in catalogue()]
    assert all(shapes.count(shape(catalogue()[name])) > 1 for name in BARE)


def test_a_copy_with_other_letters_is_noticed() -> None:
    """The twin: a formula once more, each letter by another name."""
    formula = catalogue()["latency_with_cache"]
    letters = dict(zip(formula.letters, reversed(list(LETTERS)), strict=False))
    copy = replace(formula, claim=formula.claim.xreplace(letters))
    assert shape(copy) == shape(formula)
    assert alike([*catalogue(), copy]) == {*TWICE, ("latency_with_cache", "latency_with_cache")}


def test_formulas_stay_few() -> None:
    """A new kind of block or of law makes one of those that are there say more, or takes the place of one."""
    assert len(catalogue().names) <= 250
