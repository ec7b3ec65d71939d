"""Operations of one decoding step of a Qwen 3, exactly

A LLaMA's, and a norm for every query and key head.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.decoders.llama_decode_flops import FORMULA as llama_decode_flops
from symbolic_llm.formulas.decoders.llama_decode_flops import PER_TOKEN as LLAMA
from symbolic_llm.formulas.shared import one_token, rms_each, rms_once
from symbolic_llm.notation import B, C_step, d_head, n_blocks, n_heads, n_kv_heads
from symbolic_llm.steps import CLAIM, add, cite
from symbolic_llm.unevaluated import Eq

NORMS = n_blocks * (n_heads + n_kv_heads) * (rms_each * d_head + rms_once)

FORMULA = Formula(
    __name__,
    models=(Trait.DENSE, Trait.FULL, Trait.GROUPED),
    claim=Eq(C_step, B * one_token * (LLAMA + NORMS)),
    uses=(llama_decode_flops,),
    steps=(
        cite(llama_decode_flops, "the same matrices, attention, rotation, gates and norms"),
        add(B * one_token * NORMS, CLAIM, "and a norm over each query and key head"),
    ),
    measured_by="qwen3/decode.flops",
    sources=("qwen-2025",),
    example={"model": "qwen3-8b", "N": 4096, "B": 1},
)
