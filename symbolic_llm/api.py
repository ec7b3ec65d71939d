"""The five questions: solve, evaluate, explain, check, compile

Each takes a formula or its name. Letters are keywords, presets too. What answers a question is imported when it is
first asked, and SymPy with it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

from .catalogue import catalogue
from .errors import UnknownName, option
from .formula import Formula
from .search import meant

if TYPE_CHECKING:
    from .answers.explanation import Explanation
    from .answers.solution import Solution
    from .answers.stack_forecast import Forecast
    from .checks.report import Report
    from .presets import HardwareSource, ModelSource


def formula_of(formula: Formula | str, model: ModelSource | None = None) -> Formula:
    """The formula itself, or the one of that name; `UnknownName` with the nearest if there is none.

    A phrase of the glossary will do, for the formula that it means first: "TTFT", say, or "KV cache size".

    With a model the name of a letter will do too, for the formula by which the model computes it: "P_total" is the sum
    over its parts, "N_critical" whichever of several formulas is for models like it. A prompt that skips what no token
    attends to has a formula of its own where blocks have windows, states or an index.
    """
    if isinstance(formula, Formula):
        return formula
    if isinstance(formula, str):
        if model is not None and (found := _of_model(formula, model)) is not None:
            return found
        if _is_letter(formula):
            models = f"a model ({option('model', '=')}), which computes it, or " if model is None else ""
            raise UnknownName(
                f"{formula} is a letter, not a formula; give {models}one of the formulas that "
                f"symbolic-llm show {formula} lists."
            )
        try:
            return catalogue()[formula]
        except UnknownName:
            if (found := meant(formula)) is not None:
                return found
            raise
    raise UnknownName(f"a formula must be a Formula or its name, not {type(formula).__name__}.")


def _is_letter(name: str) -> bool:
    from .notation import named

    try:
        return name not in catalogue() and bool(named(name))
    except KeyError:
        return False


def _of_model(name: str, model: ModelSource) -> Formula | None:
    """The formula that a model has for a letter; None of most in the catalogue.

    Without what is masked, a prompt's token meets what the model's blocks let it meet.
    """
    from . import presets
    from .models.formula_table import OF_PROMPTS
    from .notation import named

    causal = OF_PROMPTS[0]
    if name == causal.name:
        return presets.model(model).formula_for(causal.quantity)
    if name in catalogue():
        return None
    try:
        return presets.model(model).formula_for(named(name))
    except KeyError:
        return None


def solve(
    formula: Formula | str,
    /,
    unknown: object = None,
    *,
    model: ModelSource | None = None,
    hardware: HardwareSource | None = None,
    dtype: str | None = None,
    weights: str | None = None,
    cache: str | None = None,
    **letters: object,
) -> Solution:
    """Solve a formula for one of its letters.

    Examples:
        >>> from symbolic_llm import solve, batch_crossover
        >>> solve(batch_crossover).expr
        F*n_bytes/(2*W)
        >>> solve(batch_crossover, hardware="a100-80gb-pcie", dtype="fp16").value
        161.24031007751938
        >>> solve(batch_crossover, "W", B=1, F="312 TFLOP/s", n_bytes=2).value
        312000000000000

    Args:
        formula: a formula or its name.
        unknown: the letter to solve for, by name; by default the quantity of the claim or, if that is given, the
            one letter without a value.
        model: a model preset, a GGUF file or a config.json (its path or its fields), for shapes.
        hardware: a hardware preset, or a machine of one's own (a .toml file, its fields, a `Device`), for memory `M`,
            bandwidth `W` and, with `dtype`, peak arithmetic `F`.
        dtype: the number format of the arithmetic.
        weights: the storage format of the weights; by default as `dtype`.
        cache: the storage format of the KV cache; by default as `dtype`.
        **letters: values by letter name, as numbers or as text with a unit ("312 TFLOP/s"). They go before presets;
            one that changes nothing is refused.

    Returns:
        A solution with `.expr`, `.conditions`, `.value`, `.unit` and `.note`.

    Raises:
        SymbolicLLMError: with one sentence that says what was wrong. A letter without a value is no error before
            `.value` is asked for.
    """
    from .answers.solving import solve_formula
    from .presets import Presets

    presets = Presets(model, hardware, dtype, weights, cache)
    return solve_formula(formula_of(formula, model), unknown, letters, presets)


@overload
def evaluate(
    formula: Formula | str,
    /,
    *,
    model: ModelSource | None = None,
    hardware: HardwareSource | None = None,
    dtype: str | None = None,
    weights: str | None = None,
    cache: str | None = None,
    stack: None = None,
    **letters: object,
) -> int | float | bool: ...


@overload
def evaluate(
    formula: Formula | str,
    /,
    *,
    model: ModelSource | None = None,
    hardware: HardwareSource | None = None,
    dtype: str | None = None,
    weights: str | None = None,
    cache: str | None = None,
    stack: str,
    **letters: object,
) -> Forecast: ...


def evaluate(
    formula: Formula | str,
    /,
    *,
    model: ModelSource | None = None,
    hardware: HardwareSource | None = None,
    dtype: str | None = None,
    weights: str | None = None,
    cache: str | None = None,
    stack: str | None = None,
    **letters: object,
) -> int | float | bool | Forecast:
    """The value of a formula, in its unit; with a stack, the interval that its measured batches support.

    Examples:
        >>> from symbolic_llm import evaluate
        >>> evaluate("kv_bytes_per_token", model="llama-2-7b", cache="fp16")
        524288
        >>> step = evaluate("separate_latency", model="llama-3-8b", hardware="h100-sxm", dtype="bf16", B=8, N=2048,
        ...                 stack="vllm")
        >>> step.rows, bool(step.least < step.most)
        (59, True)

    Args and errors are those of `solve`. Letters of formulas that this one uses may be given instead of its own.
    The result is an int where it is whole, else a float; for a theorem it is whether its
    conclusion holds, or the number of the case that does.

    A stack is a program, such as "vllm". Published measurements of it say what it reaches of W and F, and the fixed
    time of a step. These letters enter the laws that they were fitted to, `separate_latency` and
    `separate_prefill_time`, of 16-bit models without experts on one device. The result is a `Forecast`, never a bare
    number: `.least` and `.most`, between which eight in ten measured batches lie, `.rows`, and `.letters`, each with
    its range.
    """
    from .presets import Presets

    presets = Presets(model, hardware, dtype, weights, cache)
    if stack is not None:
        from .answers.stack_forecast import forecast

        return forecast(formula_of(formula, model), letters, presets, stack)
    from .answers.evaluating import evaluate_formula

    return evaluate_formula(formula_of(formula, model), letters, presets)


def explain(
    formula: Formula | str,
    /,
    *,
    model: ModelSource | None = None,
    hardware: HardwareSource | None = None,
    dtype: str | None = None,
    weights: str | None = None,
    cache: str | None = None,
    **letters: object,
) -> Explanation:
    """Explain the value of a formula: the claim, the numbers put in, the result.

    Args and errors are those of `evaluate`.
    """
    from .answers.explanation import explain_formula
    from .presets import Presets

    presets = Presets(model, hardware, dtype, weights, cache)
    return explain_formula(formula_of(formula, model), letters, presets)


def check(
    formula: Formula | str,
    /,
    *,
    model: ModelSource | None = None,
    hardware: HardwareSource | None = None,
    dtype: str | None = None,
    weights: str | None = None,
    cache: str | None = None,
    **letters: object,
) -> Report:
    """Prove a formula: steps, dimensions, theorem, engine, identity certificate, mutants.

    Examples:
        >>> from symbolic_llm import check
        >>> check("batch_crossover", hardware="a10", dtype="fp16")["values"].summary
        'its conditions hold, and B_star is 208.33 sequences'

    With letters or presets there is one more finding, "values": whether the formula applies to them, that is whether
    every condition holds for them and the claim has a value (a theorem: is true). Args and errors are those of
    `evaluate`.

    Returns:
        A report with `.verdict` (PROVED, REFUTED, UNDECIDED, or DEFINED for a definition and what rests on one),
        `.standing` (what that rests on: certified, compared, follows, law or definition) and the finding of each check.
    """
    from .answers.applicability import with_values
    from .checks.report import check_formula
    from .presets import Presets

    presets = Presets(model, hardware, dtype, weights, cache)
    return with_values(check_formula(formula_of(formula, model)), letters, presets)


def compile(
    formula: Formula | str,
    /,
    *,
    unfold: bool = False,
    outside: Literal["ignore", "nan"] = "ignore",
    model: ModelSource | None = None,
    hardware: HardwareSource | None = None,
    dtype: str | None = None,
    weights: str | None = None,
    cache: str | None = None,
    **letters: object,
) -> Callable[..., Any]:
    """A fast function of a formula's letters, for numbers, NumPy arrays and lists, that checks nothing.

    Examples:
        >>> from symbolic_llm import compile
        >>> crossover = compile("batch_crossover")
        >>> crossover(n_bytes=2, F=312e12, W=1935e9)
        161.24031007751938
        >>> latency = compile("latency", model="llama-7b", hardware="a10", dtype="fp16")  # of what is left: B
        >>> latency(B=1)
        0.022023591253333332
        >>> fit = compile("sequences_that_fit", outside="nan", M="24 GB", P_total=13e9, N=4096, m_token=524288)
        >>> fit([0.5, 2])  # bytes of a weight: at two, the weights alone do not fit
        array([ 8., nan])

    Plain whole numbers stay exact; arrays and lists are computed as float64, so that none overflows. Large arrays are
    computed in tiles, so nothing of their size is held beside the result, and `out=` takes an array of float64 for it,
    as NumPy's own functions do. Arrays of 2²⁰ elements on are shared among the cores, four at most, or fewer if
    `OMP_NUM_THREADS` says so; a thread beside the main one shares with none. Where llvmlite is installed
    (`pip install 'symbolic-llm[fast]'`), work that is large enough to repay it is done in one loop of machine code, to
    the same bits. Letters and presets given here are checked and become constants of the function. Like any function
    made at run time it cannot be pickled; the formula can.

    Args:
        formula: a formula or its name, any but a theorem.
        unfold: put in the formulas it uses for letters without a value, so that the arguments are the most basic ones.
            `P` is then the count of the schematic decoder, one to two and a half percent off a real LLaMA.
        outside: "ignore" computes the right-hand side where a condition of the formula fails too; what comes out there
            is no answer and may be negative. "nan" returns NaN there, and makes the letters of the conditions arguments
            as well. The function's docstring lists the conditions. Whether an argument is in the range of its letter,
            as a batch of 0 is not, is looked at by `sweep` and `evaluate` alone.
        model: as for `solve`, and so are the other presets and the letters.
        hardware: see `model`.
        dtype: see `model`.
        weights: see `model`.
        cache: see `model`.
        **letters: see `model`.
    """
    from .answers.arrays.compilation import compile_formula
    from .presets import Presets

    presets = Presets(model, hardware, dtype, weights, cache)
    return compile_formula(formula_of(formula, model), letters, presets, unfold=unfold, outside=outside)
