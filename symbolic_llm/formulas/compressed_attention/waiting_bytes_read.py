"""Bytes that compressors read of what waits

A run that its last token fills is read once, all of its tokens but that one; where runs overlap, the run before it too.
In the steps between nothing is read, so this is the mean over the steps of a run. It leaves out the first run, which
has none before it.
"""

from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.compressed_attention.waiting_bytes import FORMULA as waiting_bytes
from symbolic_llm.formulas.compressed_attention.waiting_bytes import ONE, two_runs
from symbolic_llm.formulas.shared import one_token, two_series
from symbolic_llm.notation import D_waiting, d_head, d_index, n_csa, n_hca, r_csa, r_hca
from symbolic_llm.steps import CLAIM, add, premise
from symbolic_llm.unevaluated import Eq

LONG = n_hca * d_head * ONE * one_token * (r_hca - one_token) / r_hca
SHORT = n_csa * two_series * (d_head + d_index) * ONE * one_token * (two_runs * r_csa - one_token) / r_csa

FORMULA = Formula(
    __name__,
    claim=Eq(D_waiting, LONG + SHORT),
    models=(Trait.SHARED, Trait.COMPRESSED),
    uses=(waiting_bytes,),
    steps=(
        premise(LONG, "of long runs", measured_by="runs.waiting_bytes_read(n_csa=0)"),
        add(SHORT, CLAIM, "of short ones that overlap, for attention and for its index"),
    ),
    measured_by="runs.waiting_bytes_read",
    sources=("transformers-deepseek-v4",),
    example={"model": "deepseek-v4-flash", "cache": "fp16"},
)
