"""All-reduces of a pass

Where devices share every layer, each ends attention with a summand of every token's vector, and the MLP with another.
Both are added up before the next layer begins.
"""

from symbolic_llm.formula import Formula
from symbolic_llm.notation import n_blocks, n_reduces
from symbolic_llm.numeral import count
from symbolic_llm.steps import CLAIM, multiply, premise
from symbolic_llm.unevaluated import Eq

in_a_block = count(2, "all-reduces in a block: after attention and after the MLP")

FORMULA = Formula(
    __name__,
    claim=Eq(n_reduces, n_blocks * in_a_block),
    steps=(
        premise(
            in_a_block,
            "one after attention, and one after the MLP",
            measured_by="devices.all_reduces(n_blocks=1)",
        ),
        multiply(n_blocks, CLAIM, "in every block"),
    ),
    measured_by="devices.all_reduces",
    sources=("shoeybi-2019",),
    example={"model": "llama-2-70b"},
)
