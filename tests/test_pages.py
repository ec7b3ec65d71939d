"""Pages as they are written: numbers with their units, embeds, terms, and a folder that is left as it was found"""

from __future__ import annotations

import re
from fractions import Fraction
from io import BytesIO
from itertools import product
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont

from symbolic_llm import catalogue, evaluate, glossary, notation
from symbolic_llm.audit import causes
from symbolic_llm.claims import Kind
from symbolic_llm.errors import CatalogueError, InvalidValue, SymbolicLLMError, UnknownName, WrongUnit
from symbolic_llm.expressions.printing import tex
from symbolic_llm.models.families import FAMILIES, REFUSED
from symbolic_llm.pages import build, chapter_list, figures, law_sheet, lists
from symbolic_llm.pages.embeds import Embeds, Known
from symbolic_llm.pages.examples import EXAMPLE, EXAMPLES
from symbolic_llm.pages.font import stix_subset
from symbolic_llm.pages.pen import HtmlPen, Pen, pieces
from symbolic_llm.quantity import Quantity, evaluated, of_example, of_preset, quantity
from symbolic_llm.renamed import DIVIDED
from symbolic_llm.units import BYTE, FLOP, SECOND, TOKEN

ROOT = Path(__file__).parent.parent
WRITTEN = [ROOT / "docs" / "index.md", *sorted((ROOT / "docs").glob("book/*.md"))]
WRITTEN += sorted((ROOT / "docs").glob("reality/*.md"))


def page(tmp_path: Path, text: str) -> str:
    """A written page, as it comes out."""
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    return build.Pages(tmp_path, [])._page("page.md", HtmlPen(""))


# Numbers


def test_values_are_those_of_evaluate() -> None:
    """With the unit of the quantity, and as many figures as are asked for."""
    found = evaluated("batch_crossover", **EXAMPLE)
    assert float(found) == evaluate("batch_crossover", **EXAMPLE)  # type: ignore[arg-type]
    assert (str(found), found.shown(5), found.bare(2)) == ("161 sequences", "161.24 sequences", "160")
    assert "n_bytes" in found.source


def test_letters_of_presets_have_their_units() -> None:
    """GB and TFLOP as numbers of bytes and operations."""
    assert of_preset("W", hardware="m2") == Quantity(
        Fraction(10) ** 11, BYTE / SECOND, of_preset("W", hardware="m2").source
    )
    assert of_preset("F", hardware="a100-80gb-pcie", dtype="fp16").shown() == "312 TFLOP/s"
    with pytest.raises(UnknownName, match="choose the number format of the arithmetic with dtype="):
        of_preset("F", hardware="a100-80gb-pcie")


def test_a_published_day_is_counted_in_nodes(tmp_path: Path) -> None:
    """The letters of the worked example, and its nodes that prefill and that decode together."""
    day = of_example("devices_apart")
    example = catalogue()["devices_apart"].example
    assert {name: one.shown(3, example[name].split()[1]) for name, one in day.items()} == dict(example)
    nodes = evaluated("devices_apart", **day)
    parts = day["R_in"] / day["R_prefill"] + day["R_out"] / day["R"]
    assert abs(nodes.value / parts.value - 1) < Fraction(1, 10**12)
    printed = page(tmp_path, '{{ (judged("deepseek-2025", "cost").value / (8 * 24 * 2)).bare(5) }}').strip()
    assert abs(float(nodes) / float(printed) - 1) < 0.05 / 14.8  # as far as the rates are rounded
    with pytest.raises(UnknownName, match="has presets besides letters: dtype, hardware and model"):
        of_example("latency_with_cache")


def test_numbers_calculate_with_their_units() -> None:
    """Numbers calculate with their units; units that do not fit together are refused."""
    one, other = Quantity(Fraction(6), BYTE), Quantity(Fraction(2), SECOND)
    assert one / other == Quantity(Fraction(3), BYTE / SECOND)
    assert 2 * one - one == one
    assert 12 / one == Quantity(Fraction(2), (BYTE) ** -1)
    assert one // 4 == Quantity(Fraction(1), BYTE)
    assert one > 5
    assert one < quantity(7)
    for wrong in (lambda: one + other, lambda: one.shown(3, "ms")):
        with pytest.raises(WrongUnit):
            wrong()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Quantity(Fraction(1, 20), SECOND), "50 ms"),
        (Quantity(Fraction(27), TOKEN / SECOND), "27 tokens/s"),
        (Quantity(Fraction(13476831232), BYTE), "13.5 GB"),
        (Quantity(Fraction(312 * 10**12), FLOP / SECOND), "312 TFLOP/s"),
    ],
)
def test_units_read_as_a_person_writes_them(value: Quantity, shown: str) -> None:
    """Prefixes, plurals."""
    assert value.shown() == shown


# Embeds


def test_letters_are_mathematics(tmp_path: Path) -> None:
    """By their names, and expressions of them; in the twin as LaTeX."""
    assert "<mfrac>" in page(tmp_path, "takes {{ P * n_bytes / W }} seconds")
    assert page(tmp_path, "of $n$ and `$x$`").count("<math") == 1
    twin = build.Pages(tmp_path, [])._page("page.md", Pen(""))
    assert twin == "of $n$ and `$x$`\n"


def test_no_line_ends_between_a_number_and_its_unit(tmp_path: Path) -> None:
    """The site has a space there that holds both together; code and the twin keep theirs, and words are no units."""
    text = "{{ 3 }} ms of 7.5 GB/s, 5 % in 2 steps, `plan --tpot '200 ms'`\n"
    shown = page(tmp_path, text + "{{ pen.code('40 ms') }} {{ pen.listing('7 % 2') }}")
    assert "3\xa0ms of 7.5\xa0GB/s, 5\xa0% in 2 steps, `plan --tpot '200 ms'`" in shown
    assert "40 ms" in shown
    assert 'title="7 ms">7\xa0ms<' in page(tmp_path, "{{ pen.value('7 ms', '7 ms') }}")
    assert "7 % 2" in shown
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    assert build.Pages(tmp_path, [])._page("page.md", Pen("")).startswith("3 ms of 7.5 GB/s, 5 % in 2 steps")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("{{ n_haeds }}", "page.md, line 2: 'n_haeds' is undefined"),
        ("{{ value('latncy') }}", "page.md, line 2: there is no formula"),
        ("{{ value('latency', B=1) }}", "page.md, line 2"),
        ("{{ figure('none') }}", "page.md, line 2: there is no figure"),
        ("{{ term('zyzzyva') }}", "page.md, line 2: there is no term"),
        (
            "{{ printed_of('nobody-1999', 'one') }}",
            "page.md, line 2: there is no audited source 'nobody-1999'; symbolic-llm",
        ),
        ("{{ printed_of('timbers-2023', 'none') }}", "page.md, line 2: timbers-2023: there is no claim"),
        ("{{ computed_of('timbers-2023', 'none') }}", "page.md, line 2: timbers-2023: there is no claim"),
        (
            "{{ judged('nobody-1999', 'one') }}",
            "page.md, line 2: there is no audited source 'nobody-1999'; symbolic-llm",
        ),
        ("{{ claims_that('come in') }}", "page.md, line 2: there is no column 'come in'; did you mean come out?"),
        ("{{ claims_that(cause='stray-tow') }}", "page.md, line 2: there is no cause"),
        ("{% if %}", "page.md, line 2"),
        ("{{ value(1, 2, 3) }}", "page.md, line 2"),
    ],
)
def test_a_wrong_embed_stops_the_build_and_is_named(tmp_path: Path, wrong: str, said: str) -> None:
    """With its page and line."""
    with pytest.raises(CatalogueError, match=re.escape(said)) as raised:
        page(tmp_path, f"# Title\n{wrong}\n")
    assert re.search(r"[^.?][.?]$", str(raised.value))  # one stop at its end


def test_a_printed_figure_is_that_of_its_claim(tmp_path: Path) -> None:
    """With a link to what became of it."""
    shown = page(tmp_path, "{{ printed_of('timbers-2023', 'a100-7b') }}\n")
    assert "#a100-7b" in shown
    assert ">277 tokens/s<" in shown


def test_what_comes_out_stands_beside_it(tmp_path: Path) -> None:
    """A page shows what a claim comes to, a figure or an equation, and by how much the printed one is off."""
    shown = page(
        tmp_path, "{{ computed_of('timbers-2023', 'a100-7b') }} {{ judged('timbers-2023', 'a100-7b').factor.bare(2) }}"
    )
    assert ">553 tokens/s<" in shown
    assert shown.strip().endswith("0.5")
    assert page(tmp_path, "{{ printed_of('timbers-2023', 'latency-memory') }}").count("<mn>2</mn>") == 1
    assert page(tmp_path, "{{ computed_of('timbers-2023', 'latency-memory') }}").count("<mn>2</mn>") == 0


def test_no_embed_has_the_name_of_a_letter() -> None:
    """Each can be asked for."""
    assert {"value", "formula", "figure", "P", "W"} <= Embeds(Known({}), HtmlPen("")).names().keys()


# The book


# what is part of a name is not typed: A100 80 GB, Llama-2-7B, Q4_0, fp16
NAMED = re.compile(r"[AH]\d00 \d+ GB\b|(?:Gemma|Llama|Nemotron|RTX) \d+|[A-Za-z_][\w.\-]*\d[\w.\-]*|\d+[A-Za-z][\w\-]*")
NOT_PROSE = re.compile(r"```.*?```|`[^`\n]*`|\{\{.*?\}\}|\{%.*?%\}|<#.*?#>|\]\([^)]*\)|<[^>]*>", re.DOTALL)


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_no_number_is_typed_in_a_chapter(path: Path) -> None:
    """Every figure is an embed."""
    assert typed(path.read_text(encoding="utf-8")) == []


def typed(text: str) -> list[str]:
    """The lines of prose with figures in them."""
    prose = NAMED.sub("", NOT_PROSE.sub("", text))
    return [line for line in prose.splitlines() if re.search(r"\d", re.sub(r"^\s*\d+\. ", "", line))]


def test_no_number_is_typed_in_a_story() -> None:
    """Nor in what a mistake is called and what it is, but for the names of models."""
    for cause in causes().values():
        assert typed(f"{cause.title}\n{cause.mistake}\n{cause.story}") == []


def test_a_typed_number_is_noticed() -> None:
    """The twin; names, code and embeds are none."""
    assert typed("It takes 7 ms.\nOn an A100 80 GB with `x = 7`, {{ value('latency', B=7) }}, Llama-2-7B in fp16.") == [
        "It takes 7 ms."
    ]


CHAPTERS = sorted((ROOT / "docs").glob("book/*.md"))
CASE = re.compile(r"^## A case: .+\?\n(.*?){% call case\((.+)\) %}\n(.*?){% endcall %}\n\n## The answer\n", re.M | re.S)


def faults_of_the_case(text: str) -> list[str]:
    """Faults of the case of a chapter: its place, and its computed steps, of which the last is a decision."""
    cases = CASE.findall(text)
    if len(cases) != 1 or text.count("call case(") != 1:
        return ["one case, before the answer, under a heading that asks"]
    _, question, steps = cases[0]
    said = "".join(re.findall(r'"([^"]*)"', question))
    numbered, computed = re.findall(r"^\d+\. ", steps, re.M), re.findall(r"{{[^}]*\b[a-z]\w+[^}]*}}", steps)
    wrong = {
        "a number is typed in its question": typed(said.replace("{:,}", "")),
        "fewer than four steps": len(numbered) < 4,
        "fewer than six computed numbers": len(computed) < 6,
        "no decision": "\n**Decision:** " not in steps,
    }
    return [fault for fault, found in wrong.items() if found]


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_every_chapter_has_its_case(path: Path) -> None:
    """A case has steps with computed numbers, and ends in a decision."""
    assert faults_of_the_case(path.read_text(encoding="utf-8")) == []


def test_a_case_without_steps_or_numbers_is_noticed() -> None:
    """The twin: each fault by itself; a chapter without a case, and one whose case follows the answer."""
    step = "1. It takes {{ value('latency', B=2) }}, or {{ fast }}.\n"
    steps, decided = step * 4, "\n**Decision:** this one.\n"
    frame = '## A case: this one?\n\n{{% call case("{}") %}}\n{}{{% endcall %}}\n\n## The answer\n'
    assert faults_of_the_case(frame.format("Who?", steps + decided)) == []
    for question, inside, fault in (
        ("7 of them?", steps + decided, ["a number is typed in its question"]),
        ("Who?", step * 3 + decided, ["fewer than four steps"]),
        ("Who?", step + "1. So.\n" * 3 + decided, ["fewer than six computed numbers"]),
        ("Who?", steps, ["no decision"]),
    ):
        assert faults_of_the_case(frame.format(question, inside)) == fault
    late = "## The answer\n" + frame.format("Who?", steps + decided).replace("## The answer\n", "")
    assert (
        faults_of_the_case("") == faults_of_the_case(late) == ["one case, before the answer, under a heading that asks"]
    )


def test_an_old_address_of_a_chapter_points_on() -> None:
    """To the chapters that say now what it said; the twin is a book without them, which has no such page."""
    now = {one.path for one in chapter_list.chapters(ROOT / "docs")}
    for old, parts in DIVIDED.items():
        assert not (ROOT / "docs" / old).exists()
        assert set(parts) <= now
        assert f"  {old}\n" in (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert build._led_on("book/a.md", [("book/b.md", "B"), ("book/c.md", "C")]) == (
        "# This chapter has moved\n\nWhat it said is in [B](b.md) and [C](c.md) now.\n"
    )


def test_the_table_of_contents_has_every_chapter() -> None:
    """Each file of the book once, numbered in the order of the site, with a question and a few minutes."""
    listed = chapter_list.chapters(ROOT / "docs")
    assert {one.path for one in listed} == {f"book/{path.name}" for path in (ROOT / "docs" / "book").glob("*.md")}
    assert [one.number for one in listed] == list(range(1, len(listed) + 1))
    for one in listed:
        assert one.question.endswith("?"), one.path
        assert "{" not in one.question
        assert 3 <= one.minutes <= 12, one.path  # what takes longer is two chapters


def test_each_chapter_says_what_it_needs() -> None:
    """The first needs none; each other builds on some before it, of which none builds on another."""
    book = chapter_list.chapters(ROOT / "docs")
    below: dict[int, set[int]] = {}
    for one in book:
        deeper = {far for number in one.needs for far in below[number]}  # they come before it, or this finds none
        assert not deeper & set(one.needs), one.path
        assert bool(one.needs) == (one.number > 1), one.path
        below[one.number] = deeper | set(one.needs)
    assert book[7].needs == (6,), "Does it hold? is held against the laws of Batching"


def test_a_chapter_needs_what_it_links_to_or_computes_by(tmp_path: Path) -> None:
    """The twin: a link, a number by a formula that another drew first, and neither; what comes later is not needed."""
    texts = {
        "a": 'Is it? {{ formula("latency") }} [b](b.md)',
        "b": 'Is it? {{ value("latency") }} {{ formula("throughput") }} {{ formula("latency") }}',
        "c": 'Is it? {{ value("footprint") }}',
        "d": "Is it? [so](b.md#there) [and](a.md) [see](../formulas/latency.md)",
        "e": "Is it? [so](../formulas/throughput.md) [c](c.md)",
    }
    (tmp_path / "docs" / "book").mkdir(parents=True)
    (tmp_path / "mkdocs.yml").write_text("nav:\n  - Book:\n" + "".join(f"      - book/{name}.md\n" for name in texts))
    for name, text in texts.items():
        (tmp_path / "docs" / "book" / f"{name}.md").write_text(f"# {name.upper()}\n\n{text}\n")
    book = chapter_list.chapters(tmp_path / "docs")
    assert [one.needs for one in book] == [(), (1,), (), (2,), (2, 3)]
    said = [chapter_list.headed(book, one.path, f"# {one.title}\n\nIs it?", Pen("../")) for one in book]
    assert said[0] == "# 1 A\n\n\n\n\n\n- Needs no other chapter\n\n\n\n\n\nIs it?"
    assert "- Needs chapters [2](../book/b.md) and [3](../book/c.md)\n" in said[4]
    assert chapter_list.headed(book, "a.md", "# A", Pen("")) == "# A"


def test_a_longer_chapter_takes_longer(tmp_path: Path) -> None:
    """The twin: words and figures take time, answers and code none; a chapter that is not listed is missing."""
    words = "word " * 360
    assert [
        chapter_list.minutes(text) for text in (words, words + "more " * 180, words + '{{ figure("a") }} ' * 2)
    ] == [2, 3, 4]
    folded = '{% call exercise("Why?") %}\n' + words + "{% endcall %}\n```python\n" + words + "```\n"
    folded += '{% call unfolding("A solution") %}\n' + words + "{% endcall %}\n"
    assert chapter_list.minutes(words + folded) == 2
    (tmp_path / "docs" / "book").mkdir(parents=True)
    for name in "ab":
        (tmp_path / "docs" / "book" / f"{name}.md").write_text("# A\n\nIs {{ P }} so? Is\nit?\n\nIt is.\n")
    (tmp_path / "mkdocs.yml").write_text("nav:\n  - Book:\n      - index.md\n      - book/b.md\n")
    (only,) = chapter_list.chapters(tmp_path / "docs")
    assert (only.number, only.path, only.title, only.question) == (1, "book/b.md", "A", "Is it?")


LAWS = {formula.name for formula in catalogue() if formula.kind is Kind.LAW}


def laws_of(text: str) -> set[str]:
    """Laws whose names a page has, wherever it is not prose."""
    return LAWS & set(re.findall(r"\w+", " ".join(NOT_PROSE.findall(text))))


def test_every_law_of_the_book_is_on_the_sheet() -> None:
    """With its formula, its first line and its condition; and counts and bounds that the book draws stand there too."""
    book = "".join(path.read_text(encoding="utf-8") for path in WRITTEN if path.parent.name != "reality")
    names = law_sheet.on_sheet(ROOT / "docs")
    sheet = law_sheet.sheet(HtmlPen(""), names)
    assert len(laws_of(book)) > 50
    assert laws_of(book) <= set(re.findall(r'href="formulas/(\w+)\.html', sheet)) == set(names)
    assert {"kv_bytes_per_token", "sequences_that_fit", "step_bounds_below", "flops_per_token"} <= set(names)
    for formula in map(catalogue().__getitem__, names):
        assert formula.title in sheet
    assert sheet.count('"note">where ') == sum(bool(catalogue()[name].where) for name in names)
    assert {chapter.name for chapter in catalogue().chapters()} == law_sheet.GROUP_OF.keys()


def test_a_law_that_no_page_names_is_not_on_the_sheet(tmp_path: Path) -> None:
    """The twin: another book has another sheet; a law counts wherever it is named, a count only where it is drawn."""
    (tmp_path / "book").mkdir()
    for named, laws in (("{{ value('latency') }}", {"latency"}), ("the latency", set()), ("`latency`", {"latency"})):
        assert laws_of(named) == laws
    text = '{{ formula("footprint") }} {{ value("memory_left") }} [](../formulas/latency.md) {{ value("throughput") }}'
    (tmp_path / "book" / "one.md").write_text(text)
    assert set(law_sheet.on_sheet(tmp_path)) == {"footprint", "latency", "throughput"}
    assert law_sheet.sheet(Pen(""), ["latency"]).count("formulas/") == 1


def test_every_figure_stands_in_a_chapter() -> None:
    """Or on the page for contributors; and says in words what it shows, with numbers under it."""
    text = "".join(path.read_text(encoding="utf-8") for path in (*WRITTEN, ROOT / "docs" / "contributing.md"))
    for name, example in product(figures.names(), EXAMPLES):
        assert f'figure("{name}")' in text, name
        found = figures.figure(name, example)
        assert len(found.alt) > 40
        assert found.caption.strip().endswith(".")
        assert len(found.rows) >= 2
        assert all(len(row) == len(found.head) for row in found.rows)
        assert "#0" not in found.svg
        named = sorted(re.findall(r'\bid="([^"]*)"', found.svg))
        assert named == sorted(set(re.findall(r'(?:href="#|url\(#)([^")]+)', found.svg))), "each name is used"


def test_every_term_is_explained_somewhere() -> None:
    """Its page exists; no word stands for two terms."""
    pages = {str(path.relative_to(ROOT / "docs").with_suffix("")) for path in (ROOT / "docs").rglob("*.md")}
    pages |= {f"formulas/{name}" for name in catalogue().names}
    words = [word.lower() for term in glossary.terms().values() for word in (term.name, *term.also)]
    assert len(words) == len(set(words))
    for term in glossary.terms().values():
        assert term.see.partition("#")[0] in pages, term.name
        assert glossary.entry(term.name) is term
        assert term.meaning.endswith(".")


def unexplained(text: str, term: glossary.Term) -> bool:
    """Whether a page neither names a term, by any of its names, nor shows a formula of it or computes by one."""
    names = (term.name, *term.also)
    return not any(spelled(name) in spelled(text) for name in names) and not set(term.formulas) & chapter_list.cited(
        text
    )


def spelled(text: str) -> str:
    return " ".join(text.lower().replace("-", " ").split())


def test_whoever_reads_on_finds_the_word_of_the_glossary() -> None:
    """The page that a term sends to has it; a formula's page is about it."""
    for term in glossary.terms().values():
        if not term.see.startswith("formulas/"):
            text = (ROOT / "docs" / f"{term.see}.md").read_text(encoding="utf-8")
            assert not unexplained(text, term), (term.name, term.see)


def test_a_page_without_the_word_is_noticed() -> None:
    """The twin: cost in a chapter about operations; a name of it, and a formula of it, is enough."""
    term = glossary.entry("cost per token")
    assert unexplained("What a token does, in operations.", term)
    assert not unexplained("The cost of a\ntoken.", term)
    assert not unexplained('{{ value("cost_per_token") }}', term)


def test_every_letter_is_in_one_group_and_on_the_page() -> None:
    """In the order in which it was declared; and the package hands on each of them."""
    letters = [letter.name for letter in notation.LETTERS.values()]
    grouped = [known.name for group in notation.GROUPS for known in notation.LETTERS.values() if known.group == group]
    assert grouped == letters
    assert "" not in notation.GROUPS
    assert all(getattr(notation, letter.name) == symbol for symbol, letter in notation.LETTERS.items())
    assert lists.notation(HtmlPen("")).count("<tr>") == len(letters)


def test_no_two_letters_of_a_formula_print_alike() -> None:
    """In mathematics and in plain text."""
    for formula in map(catalogue().__getitem__, catalogue().names):
        known = [notation.LETTERS[symbol] for symbol in formula.statement.symbols if symbol in notation.LETTERS]
        assert len({letter.latex for letter in known}) == len(known), formula.name
        assert len({letter.shown or letter.name for letter in known}) == len(known), formula.name


# The folder


class Written(build.Pages):
    """Two files and nothing checked."""

    content = b"one"

    def files(self):  # type: ignore[no-untyped-def]
        """Them."""
        yield "index.md", self.content
        if self.content == b"one":
            yield "book/more.md", b"more"


def test_every_kind_of_model_is_on_the_page_with_what_becomes_of_it() -> None:
    """The page lists each kind of model as read, as read in its text part, or as refused, with the reason."""
    read, refused = lists.families(Pen("../")).split("| Refused |")
    assert set(re.findall(r"`(\w+)`", read)) == FAMILIES.keys()
    assert set(re.findall(r"^\| `(\w+)` \| .+ \|$", refused, re.MULTILINE)) == REFUSED.keys()


def test_what_is_written_the_same_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page written the same is left alone, one no longer written is removed, and files of others are not touched."""
    monkeypatch.setattr(build, "Pages", Written)
    monkeypatch.setattr(build, "checked", list)
    out = tmp_path / "out"
    assert build.write(tmp_path, out) == 3  # these and the font
    before = (out / "index.md").stat().st_mtime_ns
    (out / "mine.txt").write_text("mine")
    assert build.write(tmp_path, out) == 3
    assert (out / "index.md").stat().st_mtime_ns == before
    monkeypatch.setattr(Written, "content", b"two")
    assert build.write(tmp_path, out) == 2
    assert (out / "index.md").read_bytes() == b"two"
    assert not (out / "book" / "more.md").exists()
    assert (out / "mine.txt").exists()


def test_a_folder_of_something_else_is_not_written_into(tmp_path: Path) -> None:
    """A folder that holds something else is refused in one sentence, and nothing in it is lost.

    A list of what was written does not reach out of the folder either.
    """
    (tmp_path / "mine.txt").write_text("mine")
    for docs, out in ((tmp_path, tmp_path), (tmp_path, tmp_path / "mine.txt"), (tmp_path / "none", tmp_path / "out")):
        with pytest.raises(InvalidValue):
            build.write(docs, out)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / ".written").write_text("../mine.txt\n/etc/passwd\nindex.md\n")
    assert build._before(tmp_path / "out") == {"index.md"}


def test_a_fault_stops_the_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """The formula is named with what is wrong."""
    from symbolic_llm.checks.report import Report
    from symbolic_llm.checks.verdict import Finding, Verdict

    formula = catalogue()["weight_bytes"]
    report = Report(formula, (Finding("steps", Verdict.REFUTED, "step 2: no"),))
    monkeypatch.setattr(build, "check_formulas", lambda formulas: [report])
    with pytest.raises(SymbolicLLMError, match="weight_bytes: REFUTED: steps: step 2: no"):
        build.checked()


# Tables


def test_the_head_of_a_column_of_numbers_is_above_them() -> None:
    """A column with anything else has its head above the words; empty cells are neither."""
    head, rows = ("prompt", "device", "ratio", "rest"), [("1,024", "H100", "1.88", ""), ("8", "2 × H200", "", "")]
    made = HtmlPen("").table(head, rows, "held")
    assert '<th class="n">prompt</th><th>device</th><th class="n">ratio</th><th>rest</th>' in made


# Wide formulas


def test_lines_break_between_terms() -> None:
    """Not within brackets, fractions or cases; nothing is lost."""
    wide = r"P = n \left(4 a + 2 b\right) + \frac{x + y}{z} - \max\left(a, b - c\right) + d_{i + 1}"
    parts = pieces(wide)
    assert [part.removeprefix("{} ")[0] for part in parts] == ["P", "=", "+", "-", "+"]
    assert "".join(part.removeprefix("{} ") for part in parts) == wide
    assert pieces("-x") == ["-x"]
    for formula in catalogue():
        latex = tex(formula.claim)
        assert "".join(part.removeprefix("{} ") for part in pieces(latex)) == latex
        assert "<math" in HtmlPen("").math(formula.claim, display=True)


def test_signs_have_room_in_a_fraction() -> None:
    """A sum is not set closer than a product, in a line or on a line of its own; an exponent's signs have no room."""
    fraction = r"x = \frac{2\,P + a\,N}{W - 1}"
    assert HtmlPen("").latex(fraction) in HtmlPen("").latex(fraction, display=True).replace(' display="block"', "")
    assert 'lspace="0"' not in HtmlPen("").latex(fraction)
    assert 'lspace="0"' in HtmlPen("").latex(r"x^{a + b}")


def test_the_font_draws_roots() -> None:
    """No text of a page has the sign that <msqrt> draws; a character that nothing shows is left out."""
    drawn = TTFont(BytesIO(stix_subset(frozenset()))).getBestCmap()
    assert ord("√") in drawn
    assert ord("∮") not in drawn
