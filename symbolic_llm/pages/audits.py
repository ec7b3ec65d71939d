"""The pages of the audit: every source with its claims, all of them counted, and the mistakes that come again"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from itertools import groupby

from jinja2 import TemplateError

from ..api import find
from ..audit import Claims, Judgement, Verdict, causes, check, sources
from ..audit.language import equation_of, formulas_in
from ..errors import CatalogueError, SymbolicLLMError, listed, unknown_name
from ..render.made import formulas, made, tables
from .about import address
from .pen import Pen

FOLDER = "audit"
_MEANING = {
    Verdict.REPRODUCED: "the figure comes out, to the digits that are printed",
    Verdict.UNSTATED: "it comes out with inputs that the source does not state, and that are named here",
    Verdict.CUT_OFF: "its digits come out, but the rest was left out and not rounded",
    Verdict.REFUTED: "another figure comes out, and what went wrong gives the printed one",
    Verdict.NOT_REPRODUCIBLE: "another figure comes out, and no mistake is known that gives the printed one",
    Verdict.CONTRADICTS_ITSELF: "of two figures that the source prints for one quantity, this does not come out",
    Verdict.OBSERVATION: "it was measured or taken from a data sheet; another value stands beside it, unjudged",
}


@cache
def judged(source: str) -> tuple[Judgement, ...]:
    """What became of every claim of a source."""
    (claims,) = (one for one in sources() if one.source.key == source)
    return tuple(check(claim, claims) for claim in claims.claims)


def page_of(source: str) -> str:
    """The address of a source's page."""
    return f"{FOLDER}/{source}"


_COLUMNS = {  # few and short, so that a phone shows them all
    "come out": (Verdict.REPRODUCED, Verdict.UNSTATED, Verdict.CUT_OFF),
    "refuted": (Verdict.REFUTED, Verdict.CONTRADICTS_ITSELF),
    "unclear": (Verdict.NOT_REPRODUCIBLE,),
    "measured": (Verdict.OBSERVATION,),
}


def overview(pen: Pen) -> str:
    """How many claims came out, and how many did not: of all sources, and of each."""
    found = [(claims, judged(claims.source.key)) for claims in sources()]
    rows = [(pen.emphasis("all sources"), *_counts([one for _, some in found for one in some]))]
    for claims, some in found:
        title = pen.link(page_of(claims.source.key), pen.words(claims.source.title))
        rows.append((f"{title} {pen.quiet(pen.words(_by(claims)))}", *_counts(some)))
    return pen.table(("Source", "claims", *_COLUMNS), rows, "audit counts")


def _counts(some: Sequence[Judgement]) -> tuple[str, ...]:
    number = Counter(one.verdict for one in some)
    return str(len(some)), *(str(sum(number[one] for one in verdicts) or "") for verdicts in _COLUMNS.values())


def judgement(source: str, claim: str) -> Judgement:
    """What became of one claim; `UnknownName` for a claim that is none."""
    keys = {one.source.key: one for one in sources()}
    if source not in keys:
        raise unknown_name("source", source, keys)
    keys[source][claim]  # or its error
    return next(one for one in judged(source) if one.claim.id == claim)


def printed_of(pen: Pen, source: str, claim: str) -> str:
    """A figure or an equation as a source prints it, with a link to what became of it; errors as `judgement`."""
    return pen.link(f"{page_of(source)}#{claim}", _both(pen, judgement(source, claim))[0])


def computed_of(pen: Pen, source: str, claim: str) -> str:
    """What comes out in its place, to be read beside it; errors as `judgement`."""
    one = judgement(source, claim)
    return pen.value(one.beside(one.value), one.value.source) if one.value is not None else _both(pen, one)[1]


def those(standing: str = "", cause: str = "", factor: float = 0) -> list[tuple[str, Judgement]]:
    """Claims with their sources' keys: of a column of the overview, of a cause, or off by a factor or its inverse.

    A factor may be missed by a twentieth, as printed figures are rounded.
    """
    if standing and standing not in _COLUMNS:
        raise unknown_name("column", standing, _COLUMNS)
    if cause and cause not in causes():
        raise unknown_name("cause", cause, causes())
    return [
        (claims.source.key, one)
        for claims in sources()
        for one in judged(claims.source.key)
        if (not standing or one.verdict in _COLUMNS[standing])
        and cause in ("", one.claim.cause)
        and (not factor or _is_off_by(factor, one))
    ]


def _is_off_by(factor: float, one: Judgement) -> bool:
    found = 0.0 if one.factor is None else float(one.factor)
    return any(abs(found / wanted - 1) < _TWENTIETH for wanted in (factor, 1 / factor))


def verdicts(pen: Pen) -> str:
    """What each verdict means."""
    return pen.table(("", ""), ((_badge(pen, one), pen.words(_MEANING[one])) for one in Verdict), "standings")


def factors(pen: Pen, told: Callable[[str], str]) -> str:
    """Each mistake that has a name, with its story, as `told` writes it, and the claims that it explains."""
    made = ""
    for name, cause in causes().items():
        found = those(cause=name)
        if not found:
            continue
        try:
            story = told(cause.story)
        except (TemplateError, SymbolicLLMError, TypeError) as error:
            raise CatalogueError(f"the story of {name}: {error}") from error
        made += pen.section(pen.words(cause.title), name) + f"{pen.emphasis(pen.words(cause.mistake))}\n\n{story}\n\n"
        table = pen.table(_HEAD, (_row(pen, key, one) for key, one in found), "audit")
        number, origins = len(found), len({key for key, _ in found})
        summary = f"{number} figures and equations in {origins} source{'s' if origins > 1 else ''}"
        made += table if number <= _FEW else pen.fold(summary, table)
    return made


_TWENTIETH = 0.05
_FEW = 4  # figures of one place, or of one mistake, that are listed one by one
_HEAD = ("What is claimed", "Printed", "Computed", "Verdict")


def written(pen: Pen) -> Iterator[tuple[str, str]]:
    """The page of every source, by its path, made only if a claim or a formula is another than before."""
    for claims in sources():
        page = partial(_page, pen, claims)
        yield (
            f"{page_of(claims.source.key)}.md",
            made(page, claims.source.key, type(pen).__name__, formulas(), tables()),
        )


def _page(pen: Pen, claims: Claims) -> str:
    source, by = claims.source, pen.words(f"{_by(claims)}.")
    said = [f"{by} {pen.cite(source.url, pen.words(source.url))}" if source.url else by]
    said += [pen.words(text) for text in (source.right, source.later, source.seen) if text]
    parts = [f"# {source.title}", *map(pen.paragraph, said), *_mistakes(pen, claims)]
    for place, some in groupby(judged(source.key), key=lambda one: one.claim.place):
        rows = (_row(pen, source.key, one, full=True) for one in some)
        parts.append(pen.section(pen.words(place[0].upper() + place[1:])) + pen.table(_HEAD, rows, "audit"))
    return "\n\n".join(parts) + "\n"


def _mistakes(pen: Pen, claims: Claims) -> Iterator[str]:
    """What went wrong in a source, what explains most of it first, with what its figures should read."""
    wrong: dict[str, list[Judgement]] = {}
    for one in judged(claims.source.key):
        if one.verdict is Verdict.REFUTED:
            wrong.setdefault(one.claim.cause, []).append(one)
    if wrong:
        yield pen.section("What went wrong")
    for name, some in sorted(wrong.items(), key=lambda pair: -len(pair[1])):
        places = (list(group) for _, group in groupby(some, key=lambda one: one.claim.place))
        rows = [row for group in places for row in _corrected(pen, claims, group)]
        yield pen.paragraph(_cause(pen, name))
        yield pen.table(("What is claimed", "Printed", "Should read"), rows, "audit")


def _corrected(pen: Pen, claims: Claims, some: list[Judgement]) -> Iterator[tuple[str, str, str]]:
    """What the figures of one place should read; of a table, the first."""
    few = some if len(some) <= _FEW else some[:1]
    more = f" And {len(some) - len(few)} more in {some[0].claim.place}." if len(some) > len(few) else ""
    for one in few:
        printed, right = _both(pen, one)
        said = pen.link(f"{page_of(claims.source.key)}#{one.claim.id}", pen.words(one.claim.says))
        yield said + pen.words(more), printed, pen.emphasis(right)


def _both(pen: Pen, one: Judgement) -> tuple[str, str]:
    """What is printed, and what comes out."""
    claim = one.claim
    if claim.equation:
        return pen.math(equation_of(claim.equation)), pen.math(find(claim.formula).claim)
    return pen.words(claim.printed), pen.words(one.beside(one.value) if one.value is not None else "")


def _cause(pen: Pen, name: str) -> str:
    return pen.link(f"{FOLDER}/factors#{name}", pen.words(causes()[name].mistake))


TABLES = {"counts": overview, "verdicts": verdicts}


def _title(key: str) -> str:
    return next(one.source.title for one in sources() if one.source.key == key)


def _by(claims: Claims) -> str:
    return ", ".join(str(one) for one in (claims.source.author, claims.source.year) if one)


def _badge(pen: Pen, verdict: Verdict) -> str:
    return pen.badge(verdict.value, _MEANING[verdict])


def _row(pen: Pen, key: str, one: Judgement, *, full: bool = False) -> tuple[str, str, str, str]:
    claim, said = one.claim, pen.words(one.claim.says)
    if full:
        noted = f" {pen.quiet(pen.words(claim.note))}" if claim.note else ""
        said = f"{pen.anchored(claim.id, said)}{noted}{_why(pen, one)}"
    else:
        source = pen.link(f"{page_of(key)}#{claim.id}", pen.words(_title(key)))
        said = f"{said} {pen.quiet(source)}"
    printed, right = _both(pen, one)
    return said, printed, "the same" if one.ratio == 1 else right, _badge(pen, one.verdict)


def _why(pen: Pen, one: Judgement) -> str:
    claim, lines = one.claim, []
    if claim.value:
        names = [pen.link(address(find(name)), pen.code(name)) for name in formulas_in(claim.value)]
        lines.append(f"{pen.code(claim.value)}{': ' if names else ''}{listed(names) if names else ''}")
    if one.value is not None and one.value.source:
        lines.extend(map(pen.words, one.value.source.partition(": ")[2].split("; ")))
    if claim.formula:
        lines.append(pen.link(address(find(claim.formula)), pen.code(claim.formula)))
    if claim.equation and one.ratio != 1:
        lines.append(pen.words(one.sentence))
    if claim.unstated:
        lines.append(pen.words(f"With {claim.unstated}."))
    if claim.contradicts:
        lines.append(pen.words(f"Beside {claim.contradicts}."))
    if claim.cause:
        lines.append(_cause(pen, claim.cause))
    if one.cause is not None:
        lines.append(f"{pen.code(claim.because)} = {pen.words(one.beside(one.cause))}")
    return pen.fold("how", pen.items(lines)) if lines else ""
