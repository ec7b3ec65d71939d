"""Claims as people write them: the language of their values, files, articles, and what is refused"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symbolic_llm import audit
from symbolic_llm.audit import Claim, Verdict
from symbolic_llm.audit.language import asked_in, equation_of, value_of
from symbolic_llm.audit.markdown import read_markdown
from symbolic_llm.cli import main
from symbolic_llm.errors import InvalidValue, SymbolicLLMError
from symbolic_llm.quantity import Quantity
from symbolic_llm.units import BYTE, SECOND

# The language


def test_the_language_calculates_exactly() -> None:
    """Numbers as they are written, quantities with their units."""
    assert value_of("0.1 + 0.2").value == Fraction(3, 10)
    assert value_of('"24 GB" - 13.5e9 * "1 byte"') == Quantity(Fraction(10_500_000_000), BYTE)
    assert value_of("2 ** -3").value == Fraction(1, 8)
    assert value_of("floor(7 / 2) + ceiling(7 / 2)").value == 7
    assert value_of('given("W", hardware="m2")').unit == BYTE / SECOND
    assert (
        value_of('solved("latency", "B", T_step="500 ms", model="llama-2-7b", hardware="m2", dtype="fp16")').value > 0
    )


def test_what_an_expression_asks_is_told_with_its_numbers() -> None:
    """Formulas, also those asked within others, presets, and each once."""
    asked = asked_in(
        'throughput(hardware="m2", dtype="fp16", P=7e9, B=1) / throughput(hardware="m2", dtype="fp16", P=7e9, B=1) * 2'
        ' * given("W", hardware="m2") * memory_time(P="7 weight", n_bytes="2 byte", W=given("W", hardware="m2"))'
    )
    assert [one.source.partition(":")[0] for one in asked] == ["throughput", "W", "memory_time"]
    assert "T_memory = 7·2/1e11" in asked[2].source
    assert asked_in('"14 GB" / 2') == []


REFUSED = [
    "__import__('os').system('true')",
    "open('x')",
    "(lambda: 1)()",
    "[1, 2]",
    "latency.__class__",
    "1 if 2 else 3",
    "x := 1",
    "f'{1}'",
    "True",
    "9 ** 9 ** 9",
    "1e999999999",
    "1 / 0",
    "1 / (2 - 2)",
    "2 ** 0.5",
    "'3 apples'",
    "batch_crossover(1)",
    "batch_crossover(**{})",
    "no_such_formula(B=1)",
    "given('nothing', hardware='m2')",
    "batch_crossover(F='312 TFLOP/s', W='1 GB')",
    "1 + '2 GB'",
    "-" * 1900 + "1",
    "(" * 900 + "1" + ")" * 900,
    "",
    "1 2",
    "\x00",
    "~1",
    "1 @ 2",
    "((((9**64)**64)**64)**64)**64",
    "1 / (99**64)**64",
    "magnitude((99**64)**64)",
]


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_of_the_language_is_refused(text: str) -> None:
    """In one sentence, and nothing of it is run."""
    with pytest.raises(SymbolicLLMError):
        value_of(text)


@given(st.text(alphabet=st.sampled_from("0123456789.+-*/()e,='\" abBFW_"), max_size=60))
def test_any_text_gives_a_value_or_a_sentence(text: str) -> None:
    """Never a traceback."""
    with suppress(SymbolicLLMError):
        assert isinstance(value_of(text).value, Fraction)
    with suppress(SymbolicLLMError):
        equation_of(text)


@pytest.mark.parametrize(
    ("equation", "where", "said"),
    [
        ("T_memory = (B + N + P + W + F + d_model + n_blocks + m)**64", "", "thousands of terms"),
        ("T_memory = ((B + N)**64 + 1)**64", "", "thousands of terms"),
        (f"T_memory = {'(N + 1/' * 90}B{')' * 90}", "", "thousands of terms"),
        ("T_memory = P_read*B**9", "B = (N + P)**9", "thousands of terms"),
        ("T_memory = ((((9**64)**64)**64)**64)**64*P_read", "", "thousands of digits"),
        ("T_memory = 1/0", "", "divides by zero"),
        ("T_memory = P/(B - B)", "", "divides by zero"),
        ("T_memory = 1/(P - 1)", "P = 1", "divides by zero"),
    ],
    ids=range(8),
)
def test_an_equation_that_would_never_be_finished_is_refused(equation: str, where: str, said: str) -> None:
    """Before SymPy multiplies it out; and no infinity is compared with a formula."""
    claim = Claim("one", "here", "it", equation=equation, formula="memory_time", where=where)
    with pytest.raises(InvalidValue, match=said):
        audit.check(claim)


def test_magnitudes_and_what_an_equation_presupposes() -> None:
    """Whole powers of ten, on either side of one; and a convention is put in before both are compared."""
    assert [value_of(f"magnitude({x})").value for x in ("161", "100", "99", "0.02", "1 / 1000")] == [2, 2, 1, -2, -3]
    with pytest.raises(SymbolicLLMError):
        value_of("magnitude(0 - 1)")
    said = Claim(
        "one", "there", "it", equation="m_layer = n_bytes_kv*2*d_model", formula="kv_bytes_per_token_and_layer"
    )
    assert audit.check(said).verdict is Verdict.REFUTED
    assert audit.check(replace(said, where="d_model = n_kv_heads*d_head")).verdict is Verdict.REPRODUCED


# Files


GOOD = """
title = "An article"

[[claim]]
id = "one"
place = "the first line"
says = "Something"
printed = "20"
value = "40 / 2"
"""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("printed", "prinetd"), "line 4: there is no field 'prinetd'"),
        (('"20"', "20"), "line 4: printed must be text, not 20."),
        (('"20"', '"20"\nobserved = "yes"'), "line 4: observed must be true or false, not 'yes'."),
        (('title = "An article"', ""), "title is missing"),
        (('place = "the first line"', ""), "line 4: place is missing"),
        (('value = "40 / 2"', ""), "line 4: value is missing; it says what"),
        (("[[claim]]", "[[claims]]"), "has no claims"),
        (('"40 / 2"', '"40 / 2'), "is not TOML"),
        (('"40 / 2"', "9" * 9999), "is not TOML: it is nested too deeply or has a number of thousands of digits"),
        (('"40 / 2"', "[" * 9999), "is not TOML: it is nested too deeply"),
        (("value", ".".join("v" * 9999)), "has a line of more than 500 dots"),
        (
            ('value = "40 / 2"', 'value = "40 / 2"\ncause = "stray-two"'),
            "line 4: cause and because belong together: the name of a mistake",
        ),
        (
            ('value = "40 / 2"', 'value = "40 / 2"\ncause = "bad luck"\nbecause = "1"'),
            "there is no cause 'bad luck'; the page",
        ),
        (('value = "40 / 2"', 'value = "40 / 2"\nequation = "P = 1"'), "either a printed figure or an equation"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_its_line(change: tuple[str, str], said: str) -> None:
    """So that an author finds it."""
    with pytest.raises(InvalidValue) as raised:
        audit.read_claims(GOOD.replace(*change), "mine.toml")
    assert said in str(raised.value)
    assert "mine.toml" in str(raised.value)


@given(st.text(max_size=200), st.integers(0, len(GOOD)))
def test_a_damaged_file_gives_a_sentence(more: str, at: int) -> None:
    """Whatever is put into it, and wherever."""
    with suppress(SymbolicLLMError):
        for claim in audit.read_claims(GOOD[:at] + more + GOOD[at:], "mine.toml").claims:
            assert audit.check(claim).sentence


PARTS = st.lists(
    st.sampled_from([*"0123456789 .%+-*/()=;", "**", " to ", "about ", " GB", "e9", "B", "W", "P_read", '"']),
    max_size=25,
).map("".join)


@given(
    st.fixed_dictionaries(
        {},
        optional=dict.fromkeys(("printed", "value", "because", "where", "contradicts"), PARTS)
        | {"equation": PARTS.map("T_memory = {}".format)},
    )
)
def test_whatever_stands_in_the_fields_gives_a_verdict_or_a_sentence(given_: dict[str, str]) -> None:
    """Figures, expressions and equations put together of what they consist of; every error has its line."""
    fields = {"id": "one", "place": "here", "says": "it", "formula": "memory_time", **given_}
    fields |= {"cause": "slip"} if "because" in given_ else {}
    text = 'title = "An article"\n\n[[claim]]\n' + "".join(f"{n} = {json.dumps(v)}\n" for n, v in fields.items())
    try:
        claims = audit.read_claims(text, "mine.toml")
        said = f"mine.toml, line 3: {audit.check(claims.claims[0], claims).sentence}"
    except SymbolicLLMError as error:
        said = str(error)
    assert re.match("mine.toml, line 3[:,] .", said)


def test_an_article_is_audited_where_it_is_written() -> None:
    """The figure before the comment, with its word and its unit."""
    text = (
        "It reaches **about 550 tokens/s** <!-- claim: throughput(B=1) --> and 3.5 GB <!-- claim: 7e9 / 2 --> of it."
        "\n\n1,024 <!-- claim: 2**10 -->"
    )
    claims = read_markdown(text, "article.md").claims
    assert [claim.printed for claim in claims] == ["about 550 tokens/s", "3.5 GB", "1,024"]
    assert [claim.line for claim in claims] == [1, 1, 3]
    beside = "x\n\n5 <!-- claim:\n 2 + 3 --> <!-- claim: 5 -->, about 6\n**7** of them <!-- Claim : 7 -->"
    assert [(one.printed, one.value, one.line) for one in read_markdown(beside, "article.md").claims] == [
        ("5", "2 + 3", 3),
        ("5", "5", 4),
        ("7", "7", 5),
    ]
    with pytest.raises(InvalidValue, match="line 2: the claim must follow a figure"):
        read_markdown("5\nno figure <!-- claim: 1 -->", "article.md")
    with pytest.raises(InvalidValue, match="has no claims"):
        read_markdown("nothing", "article.md")


@pytest.mark.parametrize(
    "marker", ["<!-- claim: 5", "<!-- claim: 5 ->", "<!-- claim 5 -->", "<!-- claims 5 -->", "<!-- claim: -->"]
)
def test_a_malformed_marker_is_no_comment(marker: str) -> None:
    """A malformed marker of a claim is an error: if it were passed over, its figure would count as audited."""
    with pytest.raises(InvalidValue, match=r"article.md, line 3: a claim must be written as <!-- claim: … -->"):
        read_markdown(f"6 <!-- claim: 6 -->\n\n5 {marker}, 6 <!-- claim: 6 -->", "article.md")


def test_what_has_no_name_is_not_called() -> None:
    """The sentence says what is."""
    for text in ("(3)(4)", "(lambda: 1)()", "'latency'(B=1)"):
        with pytest.raises(InvalidValue, match="only a formula can be called, by its name, as in ridge_point"):
            value_of(text)


def test_a_claim_that_stands_alone_says_what_it_refers_to() -> None:
    """After the nearest one before it that refers to none."""
    said = ["The cache.", "Its bytes.", "The weights.", "The same in int8.", "These and the cache.", "Both together."]
    claims = audit.claim.Claims(audit.claim.Source("x", "X"), tuple(Claim(one, "there", one) for one in said))
    assert [claims.apart(one) for one in claims.claims] == [
        "The cache.",
        "The cache. Its bytes.",
        "The weights.",
        "The weights. The same in int8.",
        "The weights. These and the cache.",
        "Both together.",
    ]


def test_files_of_thousands_of_claims(tmp_path: Path) -> None:
    """The largest that is read is gone through once, and a larger one is refused: else this test would take minutes."""
    path, table = tmp_path / "many.toml", '[[claim]]\nid="{}"\nplace="p"\nsays="s"\nprinted="1"\nvalue="1"\n'
    path.write_text('title="Many"\n' + "".join(map(table.format, range(50_000))))
    with pytest.raises(InvalidValue, match=r"many.toml is too large"):
        audit.read_file(path)
    path.write_text('title="Many"\n' + "".join(map(table.format, [*range(17_000), 16_999])))
    with pytest.raises(InvalidValue, match=r"many.toml, line 101996: two claims are called 16999"):
        audit.read_file(path)
    assert len(read_markdown("5 <!-- claim: 5 --> " * 10_000, "many.md").claims) == 10_000
    with pytest.raises(InvalidValue, match="must be written"):
        read_markdown("5" + " <!-- claim: 5" * 70_000, "many.md")


def test_the_command_line_fails_on_a_wrong_figure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """1 where a claim does not come out, 0 where all do, 2 with a sentence where a file cannot be read."""
    good, wrong = tmp_path / "good.toml", tmp_path / "wrong.toml"
    good.write_text(GOOD)
    wrong.write_text(GOOD.replace('"20"', '"21"'))
    assert main(["audit", str(good)]) == 0
    assert "1 claim: 1 reproduced" in capsys.readouterr().out
    assert main(["audit", str(good), str(wrong)]) == 1
    assert "not reproducible" in capsys.readouterr().out
    assert main(["audit", str(good), str(wrong), "--verdict", "reproduced"]) == 1  # what is not shown is wrong too
    assert "1 claim: 1 reproduced" in capsys.readouterr().out
    assert main(["audit", str(good), "--source", "other"]) == 2
    assert "there is no audited source 'other'; choose from good." in capsys.readouterr().err
    assert main(["audit", str(good), "--verdict", "refuted"]) == 0
    assert capsys.readouterr().out == "0 claims\n"
    good.write_text(f"\ufeff{GOOD}", encoding="utf-8")  # as some editors write it
    assert main(["audit", str(good)]) == 0
    assert "1 claim: 1 reproduced" in capsys.readouterr().out
    assert main(["audit", str(tmp_path / "none.toml")]) == 2
    assert "none.toml cannot be read: no such file" in capsys.readouterr().err
    assert main(["audit", ""]) == 2
    assert "'' cannot be read: no such file" in capsys.readouterr().err
    wrong.write_text(GOOD.replace('"20"', '"10.0 GB"').replace('"40 / 2"', "'\"10 GiB\"'"))
    assert main(["audit", str(wrong)]) == 1
    assert "10 GiB, with GB read as GiB" in capsys.readouterr().out
    assert main(["audit", "--verdict", "wrong"]) == 2
    assert "there is no verdict 'wrong'" in capsys.readouterr().err
