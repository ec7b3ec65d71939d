"""Weights of four models by the parts they sit in, as shares of all that are stored"""

from __future__ import annotations

from ...quantity import evaluated, of_preset
from ..examples import EXAMPLES
from . import INK, ONE, PAPER, QUIET, THREE, TWO, Axes, Table

TITLE = (
    "Where the weights of four models sit. The striped part is stored and not multiplied; "
    "the grey one is positions, biases and norms."
)
_MODELS = {"GPT-2": "gpt2", **{one.title: one.model for one in EXAMPLES}, "Llama-2-70B": "llama-2-70b"}
_PARTS = ("attention", "MLP", "output", "embedding", "other")


def data() -> Table:  # noqa: D103
    rows = []
    for title, name in _MODELS.items():
        is_tied = name == "gpt2"  # its output matrix is its embedding
        mlp = "plain_mlp_parameters" if is_tied else "gated_mlp_parameters"
        blocks = int(of_preset("n_blocks", model=name))
        attention = int(evaluated("grouped_attention_parameters", model=name)) * blocks
        widened = int(evaluated(mlp, model=name)) * blocks
        matrix = int(evaluated("embedding_parameters", model=name))
        stored = int(of_preset("P_total", model=name))
        shown = (attention, widened, matrix, 0 if is_tied else matrix)
        rows.append((title, *shown, stored - sum(shown), stored))
    return Table(("Model", *(f"{part}, weights" for part in _PARTS), "stored, weights"), rows)


def draw(axes: Axes, table: Table) -> None:  # noqa: D103
    styles = ((ONE, ""), (TWO, ""), (THREE, ""), (PAPER, "////"), (QUIET, ""))
    for place, (_, *parts, stored) in enumerate(table.rows):
        left = 0.0
        for part, word, (colour, hatch) in zip(parts, _PARTS, styles, strict=True):
            share = part / stored
            axes.barh(place, share, 0.62, left, color=colour, hatch=hatch, edgecolor=THREE if hatch else colour)
            if share > 0.1 and not hatch:
                says = f"{word} {share:.0%}" if share > 0.2 else f"{share:.0%}"
                axes.text(left + share / 2, place, says, ha="center", va="center", color=PAPER)
            left += share
        axes.text(0, place - 0.34, f"{table.rows[place][0]}, {stored / 1e9:.3g} billion", va="bottom", color=INK)
    for (colour, hatch), word in zip(styles, ("attention", "MLP", *_PARTS[2:]), strict=True):
        axes.barh([-9, -9], 1, color=colour, hatch=hatch, edgecolor=THREE if hatch else colour, label=word)
    axes.set(ylim=(len(table.rows) - 0.6, -0.75), xlim=(0, 1), yticks=(), xticks=(0, 0.5, 1))
    axes.set_xticklabels(("0", "half of all weights", "all"))
    axes.spines["left"].set_visible(False)
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, -0.32), ncols=3)


def alt(table: Table) -> str:  # noqa: D103
    said = [
        f"{title}: attention {attention / stored:.0%}, MLP {mlp / stored:.0%}, output matrix {output / stored:.1%}, "
        f"embedding besides {embedding / stored:.1%} of {stored / 1e9:.3g} billion"
        for title, attention, mlp, output, embedding, _, stored in table.rows
    ]
    return "Stacked bars. " + "; ".join(said) + "."
