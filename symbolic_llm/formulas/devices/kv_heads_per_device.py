"""Key/value heads on a device

Heads are dealt out whole, so the device with the most has the quotient rounded up, (n + t − 1)/t rounded down. Where
there are more devices than heads, each has one: several devices keep the same keys and values, each for query heads of
its own. least_kv_heads says that no other way to deal them out does with fewer.
"""

from symbolic_llm.algebra import floor
from symbolic_llm.architecture import Trait
from symbolic_llm.formula import Formula
from symbolic_llm.notation import n_kv_device, n_kv_heads, n_tensor
from symbolic_llm.steps import premise
from symbolic_llm.unevaluated import Eq

ROUNDED_UP = floor((n_kv_heads + n_tensor - 1) / n_tensor)

FORMULA = Formula(
    __name__,
    claim=Eq(n_kv_device, ROUNDED_UP),
    models=(Trait.GROUPED, Trait.UNEQUAL, Trait.NARROW),
    steps=(premise(ROUNDED_UP, "as even as whole heads can be dealt out, and one at least"),),
    measured_by="devices.key_value_heads",
    example={"model": "llama-2-70b", "n_tensor": 16},
)
