"""Whether a source prints a formula as it is, or otherwise, by the verdicts on its claims"""

from __future__ import annotations

from functools import cache

from ..formula import Formula
from ..presets import source as preset_source
from .claim import Claims, causes, sources
from .language import asked_in, name_of
from .verdict import RIGHT, Judgement, Verdict, check_all

judged = cache(check_all)  # every source is asked for again and again


@cache
def audited(key: str) -> Claims | None:
    """The claims of a source that formulas name, which has the same address; None if it is not audited."""
    url = preset_source(key).url
    return next((claims for claims in sources() if claims.source.url == url), None)


@cache
def misprint(formula: Formula, key: str) -> str:
    """The claim in which a source prints another formula in the place of this one; "" if there is none.

    An equation decides before figures, and a figure before what the source makes of a formula that this one contains.
    A figure that lost digits, or for which another was put in, says nothing of its formula.
    """
    claims = audited(key)
    if claims is None:
        return ""
    every = judged(claims)
    equations = [one for one in every if one.claim.formula == formula.name]
    figures = [one for one in every if formula.name in _asked(one) and one.verdict is not Verdict.OBSERVATION]
    for some in (equations, figures):
        wrong = [one.claim.id for one in some if _is_of_its_formula(one)]
        if some:
            return wrong[0] if wrong and not any(one.verdict in RIGHT for one in some) else ""
    within = (misprint(used, key) for used in formula.uses if _contains(formula, used))
    return next(filter(None, within), "")


def _asked(one: Judgement) -> set[str]:
    """Names of the formulas that the value of a figure asks."""
    return set(map(name_of, asked_in(one.claim.value))) if one.claim.value else set()


def _is_of_its_formula(one: Judgement) -> bool:
    """Whether a claim is refuted by a mistake in its equation, or by one that any figure by its formula would have."""
    known = causes().get(one.claim.cause)
    return one.verdict is Verdict.REFUTED and (bool(one.claim.equation) or (known is not None and known.kind == "rule"))


def _contains(formula: Formula, used: Formula) -> bool:
    """Whether the right-hand side of a formula has that of another in it, as a maximum has its terms."""
    right, part = (getattr(one, "rhs", None) for one in (formula, used))
    return right is not None and part is not None and bool(right.has(part))
