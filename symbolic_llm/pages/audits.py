"""Pages of the audit: sources with their claims, all of them counted, mistakes that come again, sources that differ"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby

from jinja2 import TemplateError

from ..api import formula_of
from ..audit import Claims, Judgement, Verdict, causes, disagreements, source, sources
from ..audit.attribution import audited, misprint
from ..audit.attribution import judged as _judged
from ..audit.disagreement import Disagreement
from ..audit.language import asked_in, equation_of, name_of, stated_in
from ..audit.printed import Word, read_printed
from ..audit.verdict import RIGHT
from ..catalogue import catalogue
from ..errors import CatalogueError, SymbolicLLMError, listed, unknown_name
from ..formula import Formula
from ..presets import source as preset_source
from ..quantity import Quantity
from .formula_page import address
from .kept_pieces import formulas, made, tables
from .pen import Pen, Row

FOLDER = "audit"


def page_of(source: str) -> str:
    """The address of a source's page."""
    return f"{FOLDER}/{source}"


_GROUPS = {  # few and short, so that a phone shows them all
    "come out": (*RIGHT, Verdict.ASSUMED),
    "refuted": (Verdict.REFUTED, Verdict.CONTRADICTS_ITSELF),
    "unclear": (Verdict.NOT_REPRODUCIBLE,),
    "measured": (Verdict.OBSERVATION,),
}


def overview(pen: Pen) -> str:
    """Table of how many claims came out, and how many did not: of all sources, and of each."""
    found = [(claims, _judged(claims)) for claims in sources()]
    rows = [(pen.emphasis("all sources"), *_counts([one for _, some in found for one in some]))]
    for claims, some in found:
        title = pen.link(page_of(claims.source.key), pen.words(claims.source.title))
        rows.append((f"{title} {pen.quiet(pen.words(_by(claims)))}", *_counts(some)))
    sources_with = {name: sum(bool(_number(some, name)) for _, some in found) for name in _GROUPS}
    chosen = _filter(pen, "Sources with figures of each kind", len(found), sources_with)
    every = [one for _, some in found for one in some]
    asking = sum(bool(one.claim.equation) or _asks_a_formula(one) for one in every)
    said = (
        f"{asking} of the {len(every)} claims are equations or ask a formula of this site. The other "
        f"{len(every) - asking} are inputs, figures of data sheets and plain arithmetic with such."
    )
    return pen.paragraph(said) + chosen + pen.table(("Source", "claims", *_GROUPS), rows, "audit counts")


def _asks_a_formula(one: Judgement) -> bool:
    return bool(one.claim.value) and any(name_of(asked) in catalogue() for asked in asked_in(one.claim.value))


def _counts(some: Sequence[Judgement]) -> tuple[str, ...]:
    return str(len(some)), *(str(_number(some, name) or "") for name in _GROUPS)


def _number(some: Sequence[Judgement], group: str) -> int:
    return sum(one.verdict in _GROUPS[group] for one in some)


def _filter(pen: Pen, legend: str, every: int, numbers: Mapping[str, int]) -> str:
    """Buttons to choose which claims or sources are shown; "" where there is nothing to choose.

    Style sheets do the rest, so that they need no JavaScript.
    """
    groups = {name: number for name, number in numbers.items() if number}
    if len(groups) < 2:
        return ""
    choices = "".join(
        f'<label><input type="radio" name="shown" value="{_word(name)}"{" checked" if name == "all" else ""}>'
        f" {name} {number}</label>"
        for name, number in {"all": every, **groups}.items()
    )
    return pen.only_site(f'<fieldset class="filter"><legend>{legend}</legend>{choices}</fieldset>\n\n')


def _word(group: str) -> str:
    return group.replace(" ", "-")


def judgements(key: str) -> tuple[Judgement, ...]:
    """Judgements on the claims of a source; `UnknownName` for one that does not exist."""
    return _judged(source(key))


def judgement(key: str, claim: str) -> Judgement:
    """Judgement on one claim; `UnknownName` for a claim that does not exist."""
    claims = source(key)
    return judgements(key)[claims.claims.index(claims[claim])]


def printed_of(pen: Pen, key: str, claim: str) -> str:
    """A figure or an equation as a source prints it, with a link to its judgement; errors as in `judgement`."""
    one = judgement(key, claim)
    return pen.link(f"{page_of(key)}#{claim}", both(pen, one)[0], one.claim.equation)


def computed_of(pen: Pen, key: str, claim: str) -> str:
    """Figure or equation that comes out in place of a printed one, to be read beside it; errors as in `judgement`."""
    one = judgement(key, claim)
    return pen.value(one.beside(one.value), one.value.source) if one.value is not None else both(pen, one)[1]


def those(standing: str = "", cause: str = "", factor: float = 0) -> list[tuple[str, Judgement]]:
    """Claims with their sources' keys: of a column of the overview, of a cause, or off by a factor or its inverse.

    A factor may be missed by a twentieth, as printed figures are rounded.
    """
    if standing and standing not in _GROUPS:
        raise unknown_name("column", standing, _GROUPS)
    if cause and cause not in causes():
        raise unknown_name("cause", cause, causes())
    return [
        (claims.source.key, one)
        for claims in sources()
        for one in _judged(claims)
        if (not standing or one.verdict in _GROUPS[standing])
        and cause in ("", one.claim.cause)
        and (not factor or _is_off_by(factor, one))
    ]


def _is_off_by(factor: float, one: Judgement) -> bool:
    found = 0.0 if one.factor is None else float(one.factor)
    return any(abs(found / wanted - 1) < _TWENTIETH for wanted in (factor, 1 / factor))


def verdicts(pen: Pen) -> str:
    """Table of the verdicts with their meanings."""
    return pen.table(("", ""), ((badge(pen, one), pen.words(one.meaning)) for one in Verdict), "standings")


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
    return pen.paragraph(_commonest(pen)) + made


def _commonest(pen: Pen) -> str:
    """Sentences on how much the commonest mistakes explain, and on the names that say less than the others."""
    explained = Counter(one.claim.cause for _, one in those() if one.verdict is Verdict.REFUTED and one.claim.cause)
    most = [number for _, number in explained.most_common(_COMMONEST)]
    names = {kind: [name for name in explained if causes()[name].kind == kind] for kind in ("rounding", "single")}
    number = {kind: sum(explained[name] for name in some) for kind, some in names.items()}
    titles = {
        kind: listed(pen.link(f"{FOLDER}/factors#{name}", pen.words(f"“{causes()[name].title}”")) for name in some)
        for kind, some in names.items()
    }
    return (
        f"{explained.total()} figures and equations are refuted, by {len(explained)} mistakes with a name. "
        f"The {len(most)} commonest explain {sum(most)} of them. Not all names say as much: {titles['rounding']}, "
        f"which explain {number['rounding']}, change digits and no formula. {titles['single']} are no rule, since any "
        f"figure could be explained so; they explain {number['single']}."
    )


def agreements(pen: Pen) -> str:
    """The figures that come out to the last of many digits, by a formula that knew nothing of them."""
    found = [(key, one) for key, one in those() if _is_exact(one) and not _is_among_rounded(key, one)]
    stated = [one for _, one in found if stated_in(one.claim.value)]
    read = sum(one.binary is not None for _, one in found)
    number = pen.paragraph(
        f"{len(found)} figures of {len({key for key, _ in found})} sources. {len(stated)} of them are computed from a "
        f"rate or a rounded number of weights that the source itself states, the others from shapes, number formats "
        f"and data sheets alone. GB or MB is read as GiB or MiB in {read} of these figures. Each row opens to its "
        f"expression."
    )
    return number + pen.table(_HEAD, (_row(pen, key, one, opens=True) for key, one in found), "audit")


def _is_exact(one: Judgement) -> bool:
    """Whether a figure comes out to the last of many digits, with no input that was chosen here."""
    if one.verdict not in (Verdict.REPRODUCED, Verdict.UNSTATED) or not one.claim.printed or one.claim.unstated:
        return False
    printed = read_printed(one.claim.printed)
    plain = printed.word is Word.EXACTLY and printed.upper is None and printed.digits >= _MANY
    return plain and _asks_a_formula(one)


def _is_among_rounded(key: str, one: Judgement) -> bool:
    """Whether figures of its column come from rounded ones, so that it would agree by chance."""
    beside = (other for other in judgements(key) if _column(other) == _column(one))
    return any(other.verdict is Verdict.REFUTED and other.claim.cause == _ROUNDED for other in beside)


def _column(one: Judgement) -> tuple[str, str]:
    """Place of a figure, and what it says but for its numbers: alike for the figures of one column of a table."""
    return one.claim.place, _NUMBER.sub("", one.claim.says)


_ROUNDED = "rounded-inputs"
_NUMBER = re.compile(r"\d[\d,.]*\b")
_TWENTIETH = 0.05
_MANY = 4  # digits that come out by no chance
_COMMONEST = 5
_FEW = 4  # figures of one place, or of one mistake, that are listed one by one
_HEAD = ("What is claimed", "Printed", "Computed", "Verdict")


def written() -> Iterator[tuple[str, Callable[[Pen], str]]]:
    """The page of every source, by its path: what makes it with a pen."""
    for claims in sources():
        yield f"{page_of(claims.source.key)}.md", partial(_kept, claims)


def _kept(claims: Claims, pen: Pen) -> str:
    """The page of a source, made only if a claim or a formula is another than before."""
    return made(partial(_page, pen, claims), claims.source.key, type(pen).__name__, formulas(), tables())


def _page(pen: Pen, claims: Claims) -> str:
    origin, by = claims.source, pen.words(f"{_by(claims)}.")
    said = [f"{by} {pen.cite(origin.url, pen.words(origin.url))}" if origin.url else by]
    every = _judged(claims)
    said += [pen.words(text) for text in (origin.right, tally(every), origin.later, _seen(origin.seen)) if text]
    parts = [f"# {origin.title}", *map(pen.paragraph, said), *_mistakes(pen, claims)]
    parts.append(_filter(pen, "Show", len(every), {name: _number(every, name) for name in _GROUPS}))
    for place, group in groupby(every, key=lambda one: one.claim.place):
        some = list(group)
        title = place if "_" in place.split()[0] else place[0].upper() + place[1:]  # names of functions stay
        kind = " ".join(["audit", "rows", *(_word(name) for name in _GROUPS if _number(some, name))])
        rows = (_row(pen, origin.key, one, full=True) for one in some)
        parts.append(pen.section(pen.words(title)) + pen.table(_HEAD, rows, kind))
    return "\n\n".join(parts) + "\n"


def _seen(how: str) -> str:
    """Sentence on how the figures of a source were seen; "" if its file does not say."""
    return f"How its figures were seen: {how}." if how and not how.endswith(".") else how


def tally(every: Sequence[Judgement]) -> str:
    """Sentence on how many claims of a source came out and how many did not; "" if none is judged."""
    numbers = {name: _number(every, name) for name in _GROUPS}
    measured = numbers.pop("measured")
    if not (judged := sum(numbers.values())):
        return ""
    besides = f"; {measured} more {'was' if measured == 1 else 'were'} measured" if measured else ""
    assumed = sum(one.verdict is Verdict.ASSUMED for one in every)
    said = {name: _ending(name, number, assumed) for name, number in numbers.items() if number}
    if len(said) == 1:
        return f"{_WHOLE.get(judged, f'All {judged} claims that were checked')} {''.join(said.values())}{besides}."
    parts = listed(f"{numbers[name]} {ending}" for name, ending in said.items())
    return f"Of {judged} claims that were checked {parts}{besides}."


_WHOLE = {1: "The one claim that was checked", 2: "Both claims that were checked"}


def _ending(group: str, number: int, assumed: int) -> str:
    """End of a sentence on a number of claims, by their group; of those that come out, how many under an assumption."""
    if group == "come out":
        under = f" ({assumed} under another assumption)" if assumed else ""
        return f"come{'s' if number == 1 else ''} out{under}"
    return f"{'is' if number == 1 else 'are'} {group}"


def _mistakes(pen: Pen, claims: Claims) -> Iterator[str]:
    """Parts of a page on the mistakes of a source, the most frequent first, with what its figures should read."""
    wrong: dict[str, list[Judgement]] = {}
    for one in _judged(claims):
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
    """Rows of a table with the figures of one place and what they should read; of more than a few, the first."""
    few = some if len(some) <= _FEW else some[:1]
    more = f" And {len(some) - len(few)} more in {some[0].claim.place}." if len(some) > len(few) else ""
    for one in few:
        printed, right = both(pen, one)
        said = pen.link(f"{page_of(claims.source.key)}#{one.claim.id}", pen.words(claims.apart(one.claim)))
        yield said + pen.words(more), printed, pen.emphasis(right)


def both(pen: Pen, one: Judgement) -> tuple[str, str]:
    """The figure or equation that is printed, and the one that comes out."""
    claim = one.claim
    if claim.equation:
        return pen.math(equation_of(claim.equation)), pen.math(formula_of(claim.formula).claim)
    return pen.words(claim.printed), pen.words(one.beside(one.value) if one.value is not None else "")


def origins(pen: Pen, formula: Formula) -> list[tuple[str, str]]:
    """Words and links for the sources of a formula: those that print it, and those that print another in its place."""
    printed, otherwise = list[str](), list[str]()
    for key in formula.sources:
        cited = preset_source(key)
        said = f"{pen.words(cited.author)}, {pen.cite(cited.url, pen.words(cited.title))} ({cited.year})"
        claims, wrong = audited(key), misprint(formula, key)
        if claims is None or not wrong:
            printed.append(said)
        else:
            where = pen.link(f"{page_of(claims.source.key)}#{wrong}", "reads otherwise")
            otherwise.append(f"{said}, where it {where}")
    return [(word, "; ".join(found)) for word, found in (("Printed in", printed), ("Goes back to", otherwise)) if found]


def _cause(pen: Pen, name: str) -> str:
    return pen.link(f"{FOLDER}/factors#{name}", pen.words(causes()[name].mistake))


TABLES = {"counts": overview, "verdicts": verdicts, "agreements": agreements}


def table(pen: Pen, what: str) -> str:
    """The "counts" by source and verdict, what the "verdicts" mean, or the "agreements" to many digits."""
    return TABLES[what](pen)


def _by(claims: Claims) -> str:
    return ", ".join(str(one) for one in (claims.source.author, claims.source.year) if one)


def badge(pen: Pen, verdict: Verdict) -> str:
    """A verdict with its meaning, in the class of its column."""
    (group,) = (name for name, verdicts in _GROUPS.items() if verdict in verdicts)
    return pen.quiet(pen.badge(verdict.value, verdict.meaning), _word(group))


def _row(pen: Pen, key: str, one: Judgement, *, full: bool = False, opens: bool = False) -> tuple[str, str, str, str]:
    claim, said = one.claim, pen.words(one.claim.says)
    if full:
        noted = f" {pen.quiet(pen.words(claim.note))}" if claim.note else ""
        said = f"{pen.anchored(claim.id, said)}{noted}"
    else:
        claims = source(key)
        origin = pen.link(f"{page_of(key)}#{claim.id}", pen.words(claims.source.title))
        said = f"{pen.words(claims.apart(claim))} {pen.quiet(origin)}"
    if (full or opens) and (lines := how(pen, one)):
        said += pen.fold("how", pen.items(lines))
    printed, right = both(pen, one)
    return said, printed, "the same" if one.ratio == 1 else right, badge(pen, one.verdict)


def _put_in(pen: Pen, asked: Quantity) -> Iterator[str]:
    """Lines of a formula with the numbers put in, or of what presets give a letter."""
    name, how = name_of(asked), asked.source.partition(": ")[2]
    more = asked.source.partition(": ")[0].removeprefix(name)
    if name not in catalogue():
        yield f"{pen.code(name)}: {pen.words(f'{asked}, {how}')}"
        return
    first, *steps = how.split("; ") if how else [str(asked)]
    yield f"{pen.link(address(formula_of(name)), pen.code(name))}{pen.words(f'{more}: {first}')}"
    yield from map(pen.words, steps)


def how(pen: Pen, one: Judgement) -> list[str]:
    """Lines on the check of a claim: expression, numbers put in, what is unstated, what went wrong."""
    claim, lines = one.claim, list[str]()
    if claim.value:
        lines.append(pen.code(claim.value))
        lines.extend(line for asked in asked_in(claim.value) for line in _put_in(pen, asked))
    if claim.formula:
        lines.append(pen.link(address(formula_of(claim.formula)), pen.code(claim.formula)))
    if claim.equation and one.ratio != 1:
        lines.append(pen.words(one.sentence))
    if one.differs is not None:
        lines.append(pen.words(f"Both sides differ {one.differs}."))
    if one.unstated:
        lines.append(pen.words(f"With {one.unstated}."))
    if claim.contradicts:
        lines.append(pen.words(f"Beside {claim.contradicts}."))
    if claim.cause:
        lines.append(_cause(pen, claim.cause))
    if one.cause is not None:
        lines.append(f"{pen.code(claim.because)} = {pen.words(one.beside(one.cause))}")
    return lines


def side_by_side(pen: Pen) -> str:
    """Every question on which sources differ, with the inputs, the value and the verdict of each."""
    return "".join(_question(pen, one) for one in disagreements())


def _question(pen: Pen, one: Disagreement) -> str:
    head = ("Who says so, and with what", "Printed", "Computed", "Verdict")
    rows = (_side(pen, key, claim.id, said) for key, claim, said in one.sides)
    return pen.section(pen.words(one.title)) + pen.paragraph(pen.words(one.why)) + pen.table(head, rows, "audit")


def _side(pen: Pen, key: str, claim: str, said: str) -> Row:
    judged = judgement(key, claim)
    title = pen.link(f"{page_of(key)}#{claim}", pen.words(source(key).source.title))
    printed, computed = both(pen, judged)
    return f"{title}: {pen.words(said)}{pen.items(how(pen, judged))}", printed, computed, badge(pen, judged.verdict)
