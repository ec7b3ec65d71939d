"""What a pass does: decoding steps, prefills, single products"""

from __future__ import annotations

from fnmatch import fnmatchcase
from fractions import Fraction
from functools import lru_cache

import numpy as np

from .. import ops, witness
from ..config import Config
from ..formats import FORMATS
from ..ledger import Ledger, family
from ..model import Decoder
from .registry import Answer, Parts, probe


@lru_cache(maxsize=512)
def drawn(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    n_bytes: Fraction = Fraction(2),
    n_bytes_kv: Fraction = Fraction(2),
) -> Decoder:
    """A schematic decoder, the same as before if it was the same."""
    return Decoder(
        Config(n_blocks, n_heads, d_head, n_vocab, FORMATS[Fraction(n_bytes)], FORMATS[Fraction(n_bytes_kv)])
    )


@lru_cache(maxsize=4096)
def step(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    context: int,
    n_bytes: Fraction = Fraction(2),
    n_bytes_kv: Fraction = Fraction(2),
) -> Ledger:
    """The ledger of one decoding step that brings the context to `context` tokens, all blocks together.

    What the cache holds of the tokens before does not matter for the count.
    """
    decoder = drawn(n_blocks, n_heads, d_head, n_vocab, n_bytes, n_bytes_kv)
    decoder.ledger.clear()
    decoder.start(batch, context)
    decoder.context = context - 1
    decoder.decode(np.zeros(batch, int))
    return decoder.ledger.folded()


@lru_cache(maxsize=4096)
def prompt(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    context: int,
    n_bytes: Fraction = Fraction(2),
    n_bytes_kv: Fraction = Fraction(2),
) -> Ledger:
    """The ledger of a prefill, all blocks together."""
    decoder = drawn(n_blocks, n_heads, d_head, n_vocab, n_bytes, n_bytes_kv)
    decoder.ledger.clear()
    decoder.prefill(np.zeros((batch, context), int))
    return decoder.ledger.folded()


MATRICES = (
    "blocks.*.attention.query",
    "blocks.*.attention.key",
    "blocks.*.attention.value",
    "blocks.*.attention.output",
    "blocks.*.mlp.up",
    "blocks.*.mlp.down",
    "output",
)
PRODUCTS = ("blocks.*.attention.scores", "blocks.*.attention.mix")
CACHE = ("blocks.*.attention.cache",)


def sum_over(ledger: Ledger, what: str, paths: tuple[str, ...]) -> int:
    """Total of "flops", "loaded" or "stored" over several families of paths."""
    return sum(ledger.total(what, path) for path in paths)


@lru_cache(maxsize=2**14)
def _is_among(path: str, paths: tuple[str, ...]) -> bool:
    return any(fnmatchcase(path, wanted) for wanted in paths)


def by_part(ledger: Ledger, what: str = "flops", paths: tuple[str, ...] = ("*",), op: str = "*") -> Parts:
    """The same path by path, all blocks and all experts together."""
    parts = Parts()
    for (path, name), tally in ledger.entries.items():
        if (count := getattr(tally, what)) and _is_among(path, paths) and fnmatchcase(name, op):
            part = f"{what} {family(path)}"
            parts[part] = parts.get(part, 0) + count
    return parts


def _family(name: str, question: str, what: str, *paths: str, quantity: str = "") -> None:
    """Enter a probe that reads one family of paths off the ledger of a step with a batch of one."""

    def ask(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, context: int) -> Answer:
        return by_part(step(n_blocks, n_heads, d_head, n_vocab, 1, context), what, paths)

    ask.__doc__ = question
    probe(name, quantity)(ask)


_family("decode.matrix_flops", "How many operations do the matrices take, for one token?", "flops", *MATRICES)
_family(
    "decode.attention_flops", "How many operations do scores and weighted sums take, for one token?", "flops", *PRODUCTS
)
_family(
    "decode.softmax_flops",
    "How many operations do scaling and softmax take, for one token?",
    "flops",
    "blocks.*.attention.softmax",
)
_family("decode.norm_flops", "How many operations do the norms take, for one token?", "flops", "*norm*")
_family(
    "decode.activation_flops", "How many operations do the activations take, for one token?", "flops", "*.activation"
)
_family(
    "decode.residual_flops",
    "How many operations do the residual additions take, for one token?",
    "flops",
    "*.residual_?",
)
_family("decode.flops_per_token", "How many operations does decoding one token take?", "flops", "*", quantity="C_token")


@probe("decode.flops_of_one_score")
def _(d_head: int) -> Answer:
    """How many operations does the score of one head take for one token of context?"""
    return step(1, 1, d_head, 1, 1, 1).total("flops", "*.scores")


@probe("decode.attention_flops_per_context_token", "a")
def _(n_blocks: int, n_heads: int, d_head: int) -> Answer:
    """How many operations more do scores and weighted sums take when the context is one token longer?"""
    longer, shorter = (by_part(step(n_blocks, n_heads, d_head, 1, 1, n), "flops", PRODUCTS) for n in (3, 2))
    return longer - shorter


@probe("decode.flops", "C_decode")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, context: int) -> Answer:
    """How many operations does a decoding step take?"""
    return by_part(step(n_blocks, n_heads, d_head, n_vocab, batch, context))


@probe("prefill.flops", "C_prefill")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, context: int) -> Answer:
    """How many operations does a prefill take?"""
    return by_part(prompt(n_blocks, n_heads, d_head, n_vocab, batch, context))


@probe("decode.product_flops", "C_decode")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, context: int) -> Answer:
    """How many operations do the matrix products of a decoding step take?"""
    return by_part(step(n_blocks, n_heads, d_head, n_vocab, batch, context), op="matmul")


@probe("prefill.product_flops", "C_prefill")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, context: int) -> Answer:
    """How many operations do the matrix products of a prefill take?"""
    return by_part(prompt(n_blocks, n_heads, d_head, n_vocab, batch, context), op="matmul")


@probe("prefill.causal_product_flops", "C_prefill")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, context: int) -> Answer:
    """How many operations do the matrix products take if the prompt is decoded token by token?"""
    decoder = drawn(n_blocks, n_heads, d_head, n_vocab)
    decoder.ledger.clear()
    decoder.start(batch, context)
    for _ in range(context):
        decoder.decode(np.zeros(batch, int))
    return by_part(decoder.ledger, op="matmul")


@probe("prefill.last_logits_product_flops", "C_prefill")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, context: int) -> Answer:
    """How many do they take if the output matrix meets one token of each sequence, as in a decoding step?"""
    whole = by_part(prompt(n_blocks, n_heads, d_head, n_vocab, batch, context), op="matmul")
    last = by_part(step(n_blocks, n_heads, d_head, n_vocab, batch, 1), op="matmul", paths=("output",))
    return Parts(whole | last)


@probe("decode.weights_read", "P")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int) -> Answer:
    """How many weights does a decoding step read to multiply them?"""
    return sum_over(step(n_blocks, n_heads, d_head, n_vocab, 1, 1), "loaded", MATRICES) // 2


@probe("decode.weights_read_for_a_batch", "P_read")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int) -> Answer:
    """How many weights does a decoding step of a batch read to multiply them?"""
    return sum_over(step(n_blocks, n_heads, d_head, n_vocab, batch, 1), "loaded", MATRICES) // 2


@probe("prefill.weights_read", "P_prompt")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, context: int) -> Answer:
    """How many weights does a prefill read to multiply them?"""
    return sum_over(prompt(n_blocks, n_heads, d_head, n_vocab, batch, context), "loaded", MATRICES) // 2


@probe("prefill.weight_bytes_read")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, context: int, n_bytes: Fraction) -> Answer:
    """How many bytes of weights does a prefill read to multiply them?"""
    return by_part(prompt(n_blocks, n_heads, d_head, n_vocab, batch, context, n_bytes), "loaded", MATRICES)


@probe("prefill.cache_bytes_read")
def _(n_blocks: int, n_heads: int, d_head: int, batch: int, context: int, n_bytes_kv: Fraction) -> Answer:
    """How many bytes of keys and values does a prefill load?"""
    return prompt(n_blocks, n_heads, d_head, 1, batch, context, Fraction(2), n_bytes_kv).total("loaded", *CACHE)


@probe("prefill.attention_flops_per_pair", "a_prompt")
def _(n_blocks: int, n_heads: int, d_head: int) -> Answer:
    """How many operations do scores and weighted sums of a prompt of one token take?"""
    return by_part(prompt(n_blocks, n_heads, d_head, 1, 1, 1), "flops", PRODUCTS)


@probe("decode.weight_bytes_read")
def _(n_blocks: int, n_heads: int, d_head: int, n_vocab: int, batch: int, n_bytes: Fraction) -> Answer:
    """How many bytes of weights does a decoding step read to multiply them?"""
    return by_part(step(n_blocks, n_heads, d_head, n_vocab, batch, 1, n_bytes), "loaded", MATRICES)


@probe("decode.embedding_bytes")
def _(n_heads: int, d_head: int, n_vocab: int, batch: int, n_bytes: Fraction) -> Answer:
    """How many bytes of embedding does a decoding step load?"""
    return step(1, n_heads, d_head, n_vocab, batch, 1, n_bytes).total("loaded", "embedding")


@probe("decode.cache_bytes_stored")
def _(n_blocks: int, n_heads: int, d_head: int, batch: int, n_bytes_kv: Fraction) -> Answer:
    """How many bytes of keys and values does a decoding step store?"""
    return step(n_blocks, n_heads, d_head, 1, batch, 1, Fraction(2), n_bytes_kv).total("stored", *CACHE)


@probe("decode.bytes_moved", "D_step")
def _(
    n_blocks: int,
    n_heads: int,
    d_head: int,
    n_vocab: int,
    batch: int,
    context: int,
    n_bytes: Fraction,
    n_bytes_kv: Fraction,
) -> Answer:
    """How many bytes cross the memory bus in a decoding step, both ways?"""
    ledger = step(n_blocks, n_heads, d_head, n_vocab, batch, context, n_bytes, n_bytes_kv)
    return by_part(ledger, "loaded") + by_part(ledger, "stored")


@probe("ops.dot")
def _(n: int) -> Answer:
    """How many operations does a product of a row and a column do, counted one by one?"""
    return witness.counted(ops.product_of_scalars, (1, n), (n, 1))


@probe("ops.matrix_vector", "C_vector")
def _(m: int, n: int) -> Answer:
    """How many operations does a matrix–vector product do, counted one by one?"""
    return witness.counted(ops.product_of_scalars, (m, n), (n, 1))


@probe("ops.matrix_matrix", "C_matrix")
def _(m: int, n: int, k: int) -> Answer:
    """How many operations does a matrix–matrix product do, counted one by one?"""
    return witness.counted(ops.product_of_scalars, (m, n), (n, k))
