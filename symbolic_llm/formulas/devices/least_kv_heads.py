"""No device can have fewer key/value heads

If every device has room for so many heads, all heads find room exactly if so many are at least the quotient rounded up.
"""

from symbolic_llm.algebra import ceiling
from symbolic_llm.claims import Equivalence, Kind
from symbolic_llm.formula import Formula
from symbolic_llm.notation import n_kv_heads, n_room, n_tensor
from symbolic_llm.steps import CLAIM, divide, premise, rewrite
from symbolic_llm.unevaluated import Ge

ROOM = Ge(n_room * n_tensor, n_kv_heads)

FORMULA = Formula(
    __name__,
    claim=Equivalence(ROOM, Ge(n_room, ceiling(n_kv_heads / n_tensor))),
    kind=Kind.THEOREM,
    steps=(
        premise(ROOM, "all devices together have room for all heads"),
        divide(n_tensor, Ge(n_room, n_kv_heads / n_tensor), "by the devices"),
        rewrite(CLAIM, "heads are whole"),
    ),
    measured_by="devices.heads_fit",
    example={"model": "llama-2-70b", "n_tensor": 16, "n_room": 1},
)
