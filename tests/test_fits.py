"""Rows that do not fit say so, in every form of a report; what is of one device is told from what is of several"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest
from by_hand_rows import DEVICES, Load, bytes_of
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from kinds import of_each_kind
from strategies import loads

from symbolic_llm import Operations, Sizing, presets
from symbolic_llm.answers import remarks
from symbolic_llm.answers.explanation import Explanation, explain_formula
from symbolic_llm.answers.resolution import reach
from symbolic_llm.answers.solving import solve_formula
from symbolic_llm.catalogue import catalogue
from symbolic_llm.cli import main, mcp
from symbolic_llm.errors import InvalidValue, SymbolicLLMError
from symbolic_llm.notation import B, F, N, W
from symbolic_llm.reports import device_splits, operations, serving_rows, sizing
from symbolic_llm.reports.device_splits import Split
from symbolic_llm.reports.rows import Row
from symbolic_llm.units import BYTE, humanize

MODELS = of_each_kind()
DRAWN = settings(derandomize=True, database=None, deadline=None, phases=[Phase.generate])
HELD = {"held", "device_held", "request_held"}
SPLITS = [(2, 1, 1), (8, 1, 1), (1, 2, 1), (4, 2, 2), (1, 1, 5), (8, 1, 3), (1, 1, 1), (16, 1, 1)]


def possible(model: str) -> list[Split]:
    """The ways in which devices can share a model."""
    found = []
    for tensor, pipeline, data in SPLITS:
        try:
            found.append(device_splits.split(presets.model(model), tensor * pipeline * data, tensor, pipeline))
        except InvalidValue:
            continue
    return [split for split in found if split is not None]


def reported(model: str, load: Load, how: Split | None = None, **more: Any) -> Sizing:
    """The report on a load."""
    split: dict[str, Any] = {}
    if how is not None:
        devices = how.tensor * how.pipeline * how.data
        split = {"devices": devices, "tensor": how.tensor, "pipeline": how.pipeline}
    formats = {"dtype": load.dtype, "weights": load.weights, "cache": load.cache, "prefill": load.prefill}
    return Sizing(model, load.hardware, context=load.context, batch=load.batch, **formats, **split, **more)


Said = dict[str, str]  # what each form says, one entry a row, by its key


def forms(report: Sizing) -> Iterator[tuple[str, Said]]:
    """Each row as text, HTML and JSON say it, by its key."""
    lines = [line for line in repr(report).splitlines() if line]
    starts = {section: lines.index(section) for section in dict.fromkeys(row.section for row in report.rows)}
    place = {section: at + 1 for section, at in starts.items()}
    text: Said = {}
    for row in report.rows:
        text[row.key] = lines[place[row.section]]
        place[row.section] += 1
    yield "text", text
    cells = [line for line in report._repr_html_().split("<tr>") if "<strong>" not in line][-len(report.rows) :]
    yield "HTML", {row.key: line for row, line in zip(report.rows, cells, strict=True)}
    yield "JSON", {row["key"]: row["note"] for row in json.loads(json.dumps(report.data()))["rows"]}


def unsaid(report: Sizing, memory: Fraction | None) -> set[str]:
    """Rows that exceed the memory and do not say so, or say so and do not exceed it; those beside them too."""
    found = set()
    stages, every = report.split.pipeline if report.split is not None else 1, [*forms(report)]
    for row in report.rows:
        if row.key not in HELD:
            continue
        room = None if memory is None else memory * (stages if row.key == "device_held" else 1)
        exceeds = room is not None and row.value is not None and row.value > room
        both = (row.shown(), humanize(room, BYTE)) if exceeds and room is not None else ()
        for form, said in every:
            does_not = f"does not fit into {both[1]}" if both else "does not fit into"
            if (does_not in said[row.key]) != exceeds or (form != "JSON" and both and both[0] not in said[row.key]):
                found.add(f"{row.key} in {form}")
            for beside in depending(row, report.rows):
                if ("hypothetical, since" in said[beside.key]) != exceeds:
                    found.add(f"{beside.key} in {form}")
    return found


DEPENDS = {
    "held": {"decode_time", "decode_time_by_parts", "throughput", "prefill_time", "prefill_time_by_parts"},
    "device_held": {
        "devices_time",
        "devices_time_by_parts",
        "pipeline_time",
        "devices_throughput",
        "devices_prefill_time",
        "devices_prefill_time_by_parts",
    },
    "request_held": {"time_to_first_token", "time_per_output_token", "request_time"},
}


def depending(held: Row, rows: list[Row]) -> list[Row]:
    """Rows with a value that nobody sees if so many bytes do not fit."""
    return [row for row in rows if row.key in DEPENDS[held.key] and row.value is not None]


def unlabelled(report: Sizing) -> set[str]:
    """Rows that do not say whether they are of several devices, of one or of the model; those in a wrong place too."""
    found, title = set(), str(report.split)
    order = [title, "of the model", "One device alone"]
    kinds = [next((kind for kind in order if kind in row.section), "") for row in report.rows]
    found |= {row.key for row, kind in zip(report.rows, kinds, strict=True) if not kind}
    found |= {"order"} if [kind for kind in kinds if kind] != sorted(filter(None, kinds), key=order.index) else set()
    data = json.loads(json.dumps(report.data()))
    of_one = {row.key for row, kind in zip(report.rows, kinds, strict=True) if kind == order[2]}
    found |= of_one & data.keys()
    found |= of_one ^ data.get("one_device_alone", {}).keys()
    found |= {
        row["key"] for row, kind in zip(data["rows"], kinds, strict=True) if not kind or kind not in row["section"]
    }
    shown = report._repr_html_()
    found |= {f"{row.section} in HTML" for row in report.rows if f"<strong>{row.section}</strong>" not in shown}
    return found


@pytest.mark.parametrize("model", MODELS)
@settings(DRAWN, max_examples=2)
@given(data=st.data())
def test_what_does_not_fit_says_so(model: str, data: st.DataObject) -> None:
    """In text, HTML and JSON, with both numbers; on several devices, and on one."""
    load = data.draw(loads(data.draw(st.sampled_from([*DEVICES]))))
    how = data.draw(st.sampled_from([None, *possible(model)]))
    report = reported(model, load, how)
    assert unsaid(report, load.printed("memory")) == set()
    if how is not None:
        assert unlabelled(report) == set()


FULL = ("llama-2-70b", Load("a100-80gb-sxm", 4096, 1600))


@pytest.mark.parametrize("how", [None, Split(8, 1, 1), Split(4, 2, 2)], ids=str)
@pytest.mark.parametrize("module", [sizing, device_splits])
def test_a_report_that_keeps_it_quiet_is_found(how: Split | None, module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: the comparison is left out, for one device or for several."""
    memory = FULL[1].printed("memory")
    assert unsaid(reported(*FULL, how), memory) == set()
    monkeypatch.setattr(module, "unfit", lambda *_: "")
    quiet = unsaid(reported(*FULL, how), memory)
    of_one = module is sizing
    assert ("held in text" in quiet) == of_one
    assert ("device_held in HTML" in quiet) == (how is not None and not of_one)


def test_a_form_that_leaves_notes_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin: JSON without notes."""
    real = sizing.as_data

    def without_notes(rows: list[Row]) -> Any:
        figures, entries = real(rows)
        return figures, [entry | {"note": ""} for entry in entries]

    monkeypatch.setattr(sizing, "as_data", without_notes)
    quiet = unsaid(reported(*FULL, Split(8, 1, 1)), FULL[1].printed("memory"))
    assert {one.rpartition(" ")[2] for one in quiet} == {"JSON"}


@pytest.mark.parametrize(
    ("name", "instead"),
    [
        ("_whole", property(lambda self: "")),
        ("_machine", lambda self: [self.row("NVIDIA A100 80GB SXM", "held", "held", "footprint", self.at)]),
    ],
)
def test_a_row_that_does_not_say_what_it_is_about_is_found(
    name: str, instead: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin: sections called as they are without devices."""
    monkeypatch.setattr(Sizing, name, instead)
    assert unlabelled(reported(*FULL, Split(8, 1, 1)))


@pytest.mark.parametrize("model", MODELS)
def test_one_device_that_shares_with_nobody_is_one_device(model: str) -> None:
    """The formulas for several devices say of one device what those for one say."""
    report = Sizing(model, "h200-sxm", context=3000, batch=5, devices=1)
    rows = {row.key: row.value for row in report.rows}
    alike = [("device_held", "held"), ("devices_time", "decode_time"), ("devices_throughput", "throughput")]
    alike += [("devices_batch", "largest_batch"), ("devices_prefill_time", "prefill_time")]
    alike += [
        (f"devices_{what}_by_parts", f"{one}_by_parts")
        for what, one in (("time", "decode_time"), ("prefill_time", "prefill_time"))
    ]
    for several, one in alike:
        assert rows[several] is None or rows[several] == rows[one], several


@pytest.mark.parametrize("place", range(len(MODELS)))
def test_tokens_a_second_are_the_batch_over_the_step(place: int) -> None:
    """Of all devices together or of a group, by stages or not: the rows beside it say as much."""
    model, ways = MODELS[place], possible(MODELS[place])
    how = ways[place % len(ways)]
    rows = {row.key: row for row in reported(model, Load("h100-sxm", 2000, 25), how).rows}
    step = rows["pipeline_time" if how.pipeline > 1 else "devices_time"] if "devices_throughput" in rows else None
    if step is not None and step.value is not None:
        each = -(-25 // how.data)
        assert rows["devices_throughput"].value == each / step.value
        assert rows["devices_throughput"].copies == (how.data if 25 % how.data == 0 else 1)


def test_the_command_and_the_tool_say_it(capsys: pytest.CaptureFixture[str]) -> None:
    """DeepSeek-V3 on eight H200s, all weights in a byte: text and data of both."""
    line = ["model", "deepseek-v3", "--devices", "8", "--hardware", "h200-sxm", "--dtype", "fp8", "--weights", "fp8"]
    line += ["--context", "32k", "--batch", "64"]
    asked = {
        "model": "deepseek-v3",
        "devices": 8,
        "hardware": "h200-sxm",
        "dtype": "fp8",
        "weights": "fp8",
        "context": "32k",
        "batch": 64,
    }
    result = mcp._result("model", asked)
    (content,) = result.content
    assert main(line) == 0
    text = capsys.readouterr().out
    assert content.text == text.removesuffix("\n")
    held = next(line for line in text.splitlines() if "memory needed per device" in line)
    assert "157.5 GB" in held
    assert held.endswith("does not fit into 141 GB")
    assert text.index("8 devices:") < text.index("Weights of the model") < text.index("One device alone, NVIDIA H200")
    rate = next(line for line in text.splitlines() if "tokens per second, all devices together" in line)
    assert rate.endswith("2,023 token/s  batch ÷ decoding step, hypothetical, since 141 GB is too small")
    assert main([*line, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert result.structured_content == data
    assert data["one_device_alone"]["held"] > data["device_held"] > 141e9
    notes = {row["key"]: row["note"] for row in data["rows"]}
    assert notes["device_held"] == "does not fit into 141 GB"
    assert notes["held"] == "does not fit into 141 GB"


# A request, and a pass by operations


@pytest.mark.parametrize("model", MODELS)
@settings(DRAWN, max_examples=1)
@given(data=st.data())
def test_a_request_and_a_pass_that_do_not_fit_say_so(model: str, data: st.DataObject) -> None:
    """At its end a request holds its answer too; operations one by one are of a batch that has to fit."""
    load = data.draw(loads(data.draw(st.sampled_from([*DEVICES]))))
    memory = load.printed("memory")
    assert unsaid(reported(model, load, prompt=load.context, new=200), memory) == set()
    assert untold(model, load, memory) == set()


def untold(model: str, load: Load, memory: Fraction | None) -> set[str]:
    """The forms in which operations exceed the memory and do not say so, or the other way round."""
    formats = {"dtype": load.dtype, "weights": load.weights, "cache": load.cache}
    try:
        report = Operations(model, load.hardware, context=load.context, batch=load.batch, **formats)
    except SymbolicLLMError:  # a pass that no formula times, or formats that the device does not know
        return set()
    held = next(total for total in report.totals if total.key == "held")
    exceeds = memory is not None and held.value is not None and held.value > memory
    said = f"does not fit into {humanize(memory, BYTE)}" if exceeds and memory is not None else "does not fit into"
    shown = {"text": repr(report), "HTML": report._repr_html_(), "JSON": json.dumps(report.data())}
    return {form for form, text in shown.items() if (said in text) != exceeds}


@pytest.mark.parametrize(
    ("module", "found"),
    [
        (serving_rows, lambda: unsaid(reported(*FULL, prompt=4000, new=100), FULL[1].printed("memory"))),
        (operations, lambda: untold(*FULL, FULL[1].printed("memory"))),
    ],
    ids=["request", "operations"],
)
def test_where_these_keep_it_quiet_it_is_found(
    module: Any, found: Callable[[], set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twins."""
    assert found() == set()
    monkeypatch.setattr(module, "unfit", lambda *_: "")
    assert found()


# A formula that is asked by its name

CATALOGUE = catalogue()
RUN = [f.name for f in CATALOGUE if f.quantity is not None and {W, F} & {*reach(f)} and B in reach(f)]
FORMATS = ("dtype", "weights", "cache")


def asked(name: str, load: Load) -> Explanation | None:
    """A formula's example on another machine, with another batch at another context; None where it has no answer."""
    formula = CATALOGUE[name]
    letters = {k: v for k, v in formula.example.items() if k not in {"B", "N", *presets.NAMES}}
    letters |= {s.name: n for s, n in ((B, load.batch), (N, load.context)) if s in reach(formula)}
    formats = {what: getattr(load, what) for what in FORMATS}
    named = presets.Presets(formula.example.get("model"), load.hardware, **formats)
    try:
        found = explain_formula(formula, letters, named)
        assert found.exact is not None
    except SymbolicLLMError:
        return None
    return found


def held_by_rows(found: Explanation, load: Load) -> Fraction | None:
    """Bytes held by a sizing of the same load; None where the formula does not know the batch."""
    numbers = {symbol.name: int(value) for symbol, value in found.given.numbers().items()}
    if "B" not in numbers or found.given.presets.model is None:
        return None
    how = {"tensor": numbers["n_tensor"], "devices": numbers["n_tensor"]} if "n_tensor" in numbers else {}
    formats = {what: getattr(load, what) for what in FORMATS}
    context = numbers["N"] + numbers.get("n_new", 0) if "N" in numbers else 1
    report = Sizing(found.given.presets.model, load.hardware, context=context, batch=numbers["B"], **formats, **how)
    rows = {row.key: row for row in report.rows}
    if "N" not in numbers:
        return rows["parameters"].value * bytes_of(load.weights or load.dtype)
    return rows["device_held" if how else "held"].value


def silent(name: str, load: Load) -> bool:
    """Whether a formula keeps quiet about a batch that does not fit, or says so of one that fits."""
    if (found := asked(name, load)) is None:
        return False
    held, memory = held_by_rows(found, load), load.printed("memory")
    exceeds = held is not None and memory is not None and held > memory
    said = [note for note in found.notes if note.startswith("hypothetical, since ")]
    if not exceeds or held is None or memory is None:
        return said != []
    (note,) = said or ("",)
    return humanize(memory, BYTE) not in note or not note.endswith(humanize(held, BYTE)) or note not in repr(found)


@pytest.mark.parametrize("name", RUN)
@settings(DRAWN, max_examples=3)
@given(data=st.data())
def test_an_answer_for_a_batch_that_does_not_fit_says_so(name: str, data: st.DataObject) -> None:
    """Every time, rate, price and utilization of a batch on a machine; what a sizing holds is the witness."""
    load = data.draw(loads(data.draw(st.sampled_from([*DEVICES]))))
    assert not silent(name, load)


FITS, DOES_NOT = Load("h200-sxm", 1000, 1, weights="int4"), Load("a10", 30000, 1000, weights="int4")


def test_each_of_them_is_asked() -> None:
    """Of few there is no answer where that much is asked; where one is silent it is found: the twin."""
    memory = DOES_NOT.printed("memory") or Fraction(0)
    answered = {name: found for name in RUN if (found := asked(name, DOES_NOT))}
    assert len(RUN) - len(answered) <= 4, RUN
    spoken = {name for name, found in answered.items() if (held_by_rows(found, DOES_NOT) or 0) > memory}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(remarks, "unfit_batch", lambda _: "")
        assert {name for name in RUN if silent(name, DOES_NOT)} == spoken


@pytest.mark.parametrize("letter", [W, F])
def test_a_solution_says_so_too(letter: Any) -> None:
    """The batch that a throughput takes does not fit; neither does one that is given while a machine is asked for."""
    named = presets.Presets("llama-2-7b", "a10", "fp16")
    found = solve_formula(CATALOGUE["throughput_with_cache"], B, {"N": 2048, "R": 400}, named)
    assert (
        found.note == "B must be a whole number: the nearest are 31 below and 32 above; hypothetical, since 24 GB "
        "is too small: weights and cache need 46.76 GB"
    )
    of_machine = {"N": 2048, "B": 31, "R": 350}
    assert solve_formula(CATALOGUE["throughput_with_cache"], letter, of_machine, named).note.startswith(
        "hypothetical, since"
    )


def test_a_context_that_a_model_was_not_made_for_is_said() -> None:
    """Right after whether it fits, in every form; of a request by all its tokens; and where operations are listed."""
    said = "4,096 tokens exceed the context limit of GPT-2, 1,024 tokens"
    found = Sizing("gpt2", "h100-sxm")
    assert found.answer[1] == f"{said}."
    assert repr(found).splitlines()[2] == f"  {said}."
    assert (found.data()["beyond"], found.data()["answer"][1]) == (said, f"{said}.")
    assert said in found._repr_html_()
    assert Sizing("gpt2").answer == (f"{said}.",)
    request = Sizing("gpt2", "h100-sxm", context=100, prompt=1000, new=25)
    assert request.answer[1].startswith("1,025 tokens exceed")
    assert all("exceed" not in one for one in Sizing("gpt2", "h100-sxm", context=100, prompt=1000, new=24).answer)
    listed = Operations("gpt2", "h100-sxm")
    assert said in repr(listed)
    assert said in listed._repr_html_()
    assert "exceed" not in repr(Operations("gpt2", "h100-sxm", context=1024))


@pytest.mark.parametrize("given", [{"N": 1025}, {"N": 1000, "n_new": 25}])
def test_a_formula_says_that_its_context_is_one_too(given: dict[str, int]) -> None:
    """A solution and an explanation; tokens that are decoded count."""
    said = "1,025 tokens exceed the context limit of GPT-2, 1,024 tokens"
    formula = CATALOGUE["decode_time_with_cache" if "n_new" in given else "kv_bytes_total"]
    named = presets.Presets("gpt2", "h100-sxm", "fp16")
    assert said in explain_formula(formula, {"B": 1, **given}, named).notes
    assert said in solve_formula(formula, formula.quantity, {"B": 1, **given}, named).note
    fits = {letter: value - 1 if letter == list(given)[-1] else value for letter, value in given.items()}
    assert not any("exceed" in note for note in explain_formula(formula, {"B": 1, **fits}, named).notes)
