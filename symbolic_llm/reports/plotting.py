"""Pictures of what formulas say: a roofline, the time of a step, throughput against latency

Whatever is drawn comes from a sweep of a formula or from a row of `Operations`; nothing is computed here but the sum
of two times. Matplotlib draws, and is imported when a picture is asked for.
"""

from __future__ import annotations

from typing import Any

from ..errors import known_name
from .charts import KINDS
from .drawing import STYLE, library


def plot(
    kind: str,
    /,
    *,
    model: Any = None,
    hardware: Any = None,
    dtype: Any = "fp16",
    weights: Any = None,
    cache: Any = None,
    **letters: Any,
) -> Any:
    """A picture of a model on a machine.

    Examples:
        >>> from symbolic_llm import plot
        >>> plot("step", model="llama-2-7b", hardware="a100-80gb-sxm", N=4096).axes[0].get_xlabel()
        'batch (sequences)'

    `"roofline"`: the arithmetic that a machine can reach against operations for each byte (`attainable_flops`), and on
    it each operation of a decoding step, those of equal intensity as one point. Without a model it is the roof alone.

    `"step"`: the time of a decoding step against the batch: its reading, its arithmetic, the whole step, which is the
    longer of the two (`latency_with_cache`), the step part by part (`separate_latency`), and both times added, which it
    never reaches; and where memory is full.

    `"frontier"`: tokens a second against the time of a step, from a batch of one to the last that fits beside the
    weights (`throughput_with_cache`, `latency_with_cache`, `sequences_that_fit`).

    Args:
        kind: one of these.
        model: as for `evaluate`.
        hardware: as for `evaluate`. A list gives a roof or a curve for each; for a frontier other presets and `N` may
            be lists as well.
        dtype: the number format of the arithmetic.
        weights: how the weights are stored; as the model's file says, else as `dtype`, if left out.
        cache: how the KV cache is stored; as `dtype` if left out.
        **letters: `N`, the context (4096 tokens by default); `B`, the batch: one for a roofline (1 by default), several
            for the others (by default some way beyond what fits, up to 1,024); `M`, `W` and `F` of a machine, which go
            before those of a preset.

    Returns:
        A `matplotlib.figure.Figure`, to be changed, shown or saved.

    Raises:
        SymbolicLLMError: with one sentence: there is no such kind, matplotlib is missing, nothing has an answer; or
            what `sweep` says.
    """
    made = KINDS[known_name("kind of plot", kind, KINDS)]
    presets = {"model": model, "hardware": hardware, "dtype": dtype, "weights": weights, "cache": cache}
    chart = made(presets, letters)
    matplotlib, figures = library()
    with matplotlib.rc_context(STYLE):
        figure = figures(figsize=(7, 5), layout="constrained")
        chart.draw(figure)
    return figure
