"""Steps of one dense model on two machines: measured, and as both laws have them, by batch"""

from __future__ import annotations

from ...measurements.machines import title_of
from ...measurements.steps import PARTS, WHOLE, all_steps
from . import INK, ONE, TWO, Axes, Table, across

MODEL, CONTEXT = "Qwen2.5-Coder-7B", 8192
TITLE = (
    f"Steps of {MODEL} in llama.cpp with {CONTEXT:,} tokens each, and what both laws make of them from steps of one "
    "sequence and steps with the shortest context."
)
SIZE = (4.6, 3.1)
AXES = {"ncols": 2, "sharey": True}


def data() -> Table:  # noqa: D103
    rows = []
    for (device,), some in all_steps().of(framework="llama_cpp", model=MODEL, N=CONTEXT).groups("device"):
        columns = (some["B"].astype(int), *(some[name] * 1000 for name in ("time", PARTS, WHOLE)))
        rows += [(title_of(device), *row) for row in zip(*(one.tolist() for one in columns), strict=True)]
    return Table(("Machine", "batch", "measured, ms", f"{PARTS}, ms", f"{WHOLE}, ms"), rows)


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    machines = dict.fromkeys(table.column(0))
    for one, machine in zip(axes, machines, strict=True):
        B, time, parts, whole = zip(*(row[1:] for row in table.rows if row[0] == machine), strict=True)
        drawn = [
            one.plot(B, parts, color=ONE)[0],
            one.plot(B, whole, color=TWO, linestyle=(0, (4, 2)))[0],
            one.plot(B, time, "o", color=INK, markersize=4.5)[0],
        ]
        one.set(title=machine, ylim=(0, 145))
        across(one, "batch", (0, 34), (0, 8, 16, 32))
    axes[0].set_ylabel("milliseconds for a step")
    axes[0].figure.legend(drawn, ["part by part", "as a whole", "measured"], loc="outside upper center", ncols=3)


def alt(table: Table) -> str:  # noqa: D103
    largest = [row for row in table.rows if row[1] == max(table.column(1))]
    said = "; ".join(
        f"on the {name} {time:.0f} ms measured, {parts:.0f} part by part, {whole:.0f} as a whole"
        for name, _, time, parts, whole in largest
    )
    return (
        f"Two lines and measured dots over the batch, for each of two machines. At {largest[0][1]} sequences: {said}."
    )
