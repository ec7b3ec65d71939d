"""When data-parallel attention reads less

A device reads less of weights and caches together exactly beyond the batch of data_parallel_crossover. Where every key
and value is on one device only, it reads more for any batch.
"""

from symbolic_llm.architecture import STATELESS
from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.formulas.devices.data_parallel_cache_bytes import FORMULA as data_parallel_cache_bytes
from symbolic_llm.formulas.devices.data_parallel_crossover import COPIES, MORE, kept_twice
from symbolic_llm.formulas.devices.data_parallel_crossover import FORMULA as data_parallel_crossover
from symbolic_llm.notation import B, M_seq, m_device, m_token
from symbolic_llm.steps import divide, premise, subtract
from symbolic_llm.unevaluated import Lt

OWN, ALL = data_parallel_cache_bytes.rhs, B * M_seq * m_device / m_token
LESS = Lt(MORE + OWN, ALL)
BEYOND = Lt(data_parallel_crossover.rhs, B)

FORMULA = Formula(
    __name__,
    __doc__,
    claim=Equivalence(LESS, BEYOND),
    kind=Kind.THEOREM,
    where=(kept_twice,),
    models=STATELESS,
    uses=(data_parallel_cache_bytes, data_parallel_crossover),
    steps=(
        premise(LESS, "the weights of all heads and its own caches are less than its part of all caches"),
        subtract(OWN, Lt(MORE, ALL - OWN), "what is left is what is kept more than once"),
        divide(COPIES, BEYOND, "by what that is of each sequence"),
    ),
    measured_by="dealt.reads_less",
    sources=("deepseek-v3-2024",),
    example={"model": "deepseek-v3", "dtype": "fp8", "N": 4096, "B": 256, "n_tensor": 8},
)
