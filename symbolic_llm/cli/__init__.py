"""The command line: symbolic-llm

Exit codes: 0 for an answer, 1 for one that says no (a formula that is neither proved nor a definition, a figure that is
wrong, a count that differs, no device that meets its targets), 2 for a question that cannot be answered (one sentence
on stderr).
"""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from .. import __version__, interrupts
from ..algebra import NotStored, do_without_sympy
from ..cache import answers, folder
from ..errors import InvalidValue, SymbolicLLMError, listed, shown, within_memory
from ..presets.presets import NAMES
from . import terminal
from .parsing import Examples, Once, Output, Parser, PrintCompletion

PREFIXES = "32k is 32,000 and 32Ki is 32,768"
_MODEL = "a preset, a config.json or its directory, a GGUF file, or a repository of the Hugging Face Hub"
_MEANT = {
    "model": f"model: {_MODEL}",
    "hardware": "machine: a preset (symbolic-llm presets lists them) or a .toml file of your own",
    "dtype": "number format of the arithmetic, as in fp16",
    "weights": "number format of the stored weights, as in q8_0 (default: as --dtype)",
    "cache": "number format of the KV cache, as in fp8 (default: as --dtype)",
}
_OF_RESULTS = {  # in the place of what a file says, or where it says nothing
    "model": _MODEL,
    "hardware": "a preset or a .toml file of your own",
    "dtype": "number format of the arithmetic",
    "weights": "number format of the stored weights (default: as the file says, else as --dtype)",
    "cache": "number format of the KV cache (default: as the file says, else as --dtype)",
}
# Of each command; a test runs them
EXAMPLES = {
    "list": ("list", "list quantization"),
    "find": ("find time to first token", "find GQA cache --json"),
    "presets": ("presets models", "presets hardware --json"),
    "show": ("show memory_time", "show bandwidth"),
    "model": ("model llama-3-8b --hardware h100-sxm", "model llama-3-8b --hardware h100-sxm --devices 2 --batch 64"),
    "plan": (
        "plan llama-3-8b --prompt 1000 --output 200 --tpot '50 ms'",
        "plan llama-3-8b --prompt 1000 --output 200 --rate 20/s --price h100-sxm=2.50,l40s=0.90",
    ),
    "count": ("count path/to/model", "count model.gguf --prompt-tokens 16 --new-tokens 8"),
    "machine": ("machine --out my.toml", "machine --quick --threads 1"),
    "measure": (
        "measure --synthetic 1B --hardware my.toml",
        "measure model.gguf --batch 1,2,4 --context 1k --plot steps.svg --out steps.json",
    ),
    "pages": ("pages site-pages", "pages site-pages --docs docs"),
    "site": ("site", "site --port 8080"),
    "audit": ("audit my-article.md", "audit llama-bench.json --hardware rtx-4090"),
    "mcp": ("mcp",),
    "check": ("check batch_crossover", "check batch_crossover --hardware a10 --dtype fp16"),
    "solve": ("solve batch_crossover", "solve latency_with_cache B --model llama-3-8b --hardware a10 --dtype fp16"),
    "evaluate": (
        "evaluate ridge_point --hardware a10 --dtype fp16",
        "evaluate kv_bytes_total --model llama-3-8b --cache fp16 N=32k B=8",
    ),
    "sweep": (
        "sweep latency --model llama-3-8b --hardware a10 --dtype fp16 B=1,2,4",
        "sweep throughput --model llama-3-8b --hardware a10,h100-sxm --dtype fp16 B=1,64 --csv out.csv",
    ),
    "plot": (
        "plot roofline roofline.svg --hardware a10,h100-sxm --dtype fp16",
        "plot step --terminal --model llama-3-8b --hardware h100-sxm --dtype fp16 N=4096",
    ),
    "explain": (
        "explain latency --model llama-3-8b --hardware a10 --dtype fp16 B=1",
        "explain critical_context --model llama-3-8b --hardware a10 --dtype fp16",
    ),
}


@cache
def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = Parser(
        prog="symbolic-llm",
        description="Closed-form formulas for the cost of LLM inference, derived step by step and checked.",
        epilog="symbolic-llm COMMAND --help explains one command.",
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"symbolic-llm {__version__}", help="show the version")
    top.add_argument("--json", action="store_true", help="print the answer as JSON")
    shells = "print the script with which bash, zsh or tcsh completes command lines"
    top.add_argument("--print-completion", action=PrintCompletion, metavar="SHELL", help=shells)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)

    def command(name: str, run: str, help: str) -> argparse.ArgumentParser:
        examples = "\n".join(("examples:", *(f"  symbolic-llm {line}" for line in EXAMPLES[name])))
        made: argparse.ArgumentParser = commands.add_parser(
            name, help=help, description=help, epilog=examples, formatter_class=Examples, allow_abbrev=False
        )
        # suppressed, so that the command's own default does not overwrite a --json that stood before it
        made.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print the answer as JSON")
        made.set_defaults(run=run)
        return made

    listing = command("list", "formulas.list_all", "List the formulas by chapter: all, or those that match some words.")
    listing.add_argument("words", nargs="*", default=[], metavar="WORD", help="words to look for (default: none)")
    finding = command("find", "formulas.find_words", "Find formulas by the words that people use, best match first.")
    finding.add_argument("words", nargs="+", metavar="WORD", help="words to look for, as in: time to first token")
    kinds = command("presets", "data.list_presets", "List the presets: models, hardware and number formats.")
    kinds.add_argument("name", nargs="?", metavar="KIND", help="models, hardware or formats (default: all)")
    one = command(
        "show", "formulas.show", "Show a formula with its derivation, or a letter and the formulas that use it."
    )
    one.add_argument(
        "name", metavar="NAME", help="the name of a formula, or a letter by any of its names, as in B or batch"
    )
    _model_options(
        command(
            "model",
            "models.size",
            "Size a model: its weights, KV cache, operations and, on a machine, times and what fits.",
        )
    )
    _plan_options(
        command("plan", "planning.plan", "Find the devices on which a model meets latency targets, best first.")
    )
    _count_options(
        command(
            "count",
            "models.count",
            "Run a model file and compare the formulas with the operations and bytes that it takes.",
        )
    )
    _machine_options(
        command(
            "machine",
            "this_machine.machine",
            "Measure this machine in under a minute: bandwidth by size, and arithmetic by number format.",
        )
    )
    _measure_options(
        command(
            "measure",
            "this_machine.measure",
            "Forecast the decoding steps of a model on this machine, then decode and show both.",
        )
    )
    pages = command("pages", "site.pages", "Check all formulas and write the pages of the site as Markdown.")
    pages.add_argument("out", metavar="OUT", help="the folder to write into")
    site = command("site", "site.serve", "Build the site and serve it on this machine until Ctrl-C.")
    site.add_argument("--port", action=Once, metavar="PORT", help="port to serve on (default: 8000)")
    for made in (pages, site):
        made.add_argument(
            "--docs", action=Once, metavar="DIR", help="folder of the project's written pages (default: docs)"
        )
    _audit_options(
        command(
            "audit",
            "audit.audit",
            "Recompute published figures: which are right, and what went wrong in the others; or compare results of "
            "a benchmark with what model and machine allow.",
        )
    )
    command(
        "mcp",
        "mcp.serve",
        "Serve the commands as tools of the Model Context Protocol (MCP) over standard input and output.",
    )
    letters = f"values of letters, as in N=4096, N=32k or F='312 TFLOP/s' ({PREFIXES})"
    for name, run, help, arguments, meaning in (
        (
            "check",
            "check_command.check",
            "Check formulas: steps, dimensions, theorems, engine, certificate, mutants.",
            "NAME",
            f"formulas to check (default: all); with {letters}, also whether they apply to these values",
        ),
        (
            "solve",
            "questions.solve_one",
            "Solve a formula for one of its letters.",
            "LETTER",
            f"{letters}; a letter without a value is the one to solve for",
        ),
        (
            "evaluate",
            "questions.evaluate_one",
            "Evaluate a formula: print its value with its unit.",
            "LETTER",
            letters,
        ),
        (
            "sweep",
            "sweeping.sweep_one",
            "Evaluate a formula over a grid of values and write the results as CSV.",
            "LETTER",
            f"{letters}; several values make an axis, as in B=1,2,4 or --hardware a10,h100-sxm",
        ),
        (
            "plot",
            "plotting.plot_one",
            "Draw a roofline, the time of a decoding step, or throughput against latency.",
            "LETTER",
            f"{letters}, of N, B, M, W and F; several values as in B=1,2,4 or --hardware a10,h100-sxm",
        ),
        (
            "explain",
            "questions.explain_one",
            "Explain the value of a formula: its inputs and their sources, the formula with numbers, the result.",
            "LETTER",
            letters,
        ),
    ):
        made = command(name, run, help)
        if name == "check":
            made.add_argument(
                "--export",
                action=Once,
                metavar="DIR",
                help="write all proofs into DIR, with verify.py, which verifies them",
            )
            made.add_argument("--fresh", action="store_true", help="ignore stored results and check everything again")
            made.add_argument(
                "--watch", action="store_true", help="check again whenever a source file changes, until Ctrl-C"
            )
        elif name == "plot":
            made.add_argument("kind", metavar="KIND", help="roofline, step or frontier (throughput against latency)")
            picture = "file to write: .pdf, .png or .svg; none is needed with --terminal"
            made.add_argument("file", nargs="?", metavar="FILE", help=picture)
            made.add_argument("--terminal", action="store_true", help="print the picture as text")
        else:
            made.add_argument("name", metavar="NAME", help="name of a formula")
        made.add_argument("arguments", nargs="*", default=[], metavar=arguments, help=meaning)
        if name == "sweep":
            made.add_argument(
                "--csv", action=Once, metavar="FILE", help="write the CSV into FILE instead of printing it"
            )
            made.add_argument("--reasons", action="store_true", help="add a column that says why a row has no value")
        for preset in NAMES:
            made.add_argument(f"--{preset}", action=Once, metavar="NAME", help=_MEANT[preset])
        if name == "evaluate":
            stack = "a program, as in vllm: the interval in which its measured batches say that a step or prefill is"
            made.add_argument("--stack", action=Once, metavar="NAME", help=stack)
    return top


def _model_options(made: argparse.ArgumentParser) -> None:
    made.add_argument("model", metavar="MODEL", help=_MODEL)
    made.add_argument(
        "arguments",
        nargs="*",
        default=[],
        metavar="LETTER",
        help="figures of the machine: M, W, F, W_link or T_link, as in W='1 TB/s'",
    )
    for preset in NAMES[1:]:
        made.add_argument(f"--{preset}", action=Once, metavar="NAME", help=_MEANT[preset])
    context = f"tokens in each sequence (default: 4096); {PREFIXES}"
    made.add_argument("--context", action=Once, metavar="N", help=context)
    made.add_argument("--batch", action=Once, metavar="B", help="sequences in the batch (default: 1); 1k is 1,000")
    made.add_argument(
        "--tpot",
        action=Once,
        metavar="TIME",
        help="target time per output token, as in '50 ms'; shows the largest batch that meets it",
    )
    made.add_argument(
        "--new-tokens",
        action=Once,
        metavar="M",
        help="with --prompt: tokens of a request to decode after the first one",
    )
    made.add_argument(
        "--cached",
        action=Once,
        metavar="N",
        help="with --prompt and --new-tokens: first tokens of the prompt that are cached, as a shared prefix",
    )
    made.add_argument("--devices", action=Once, metavar="D", help="number of these devices that share the model")
    made.add_argument(
        "--tensor", action=Once, metavar="T", help="tensor parallel: devices that share every layer (default: all)"
    )
    made.add_argument(
        "--pipeline", action=Once, metavar="P", help="pipeline parallel: stages that share the blocks (default: 1)"
    )
    made.add_argument("--per-op", action="store_true", help="list the operations of a decoding step, one by one")
    made.add_argument("--overlap", action="store_true", help=_OVERLAP)
    made.add_argument(
        "--prompt",
        action=Once,
        metavar="N",
        help="tokens in a request's prompt; with --per-op: list the operations of its prefill instead",
    )
    made.add_argument(
        "--prefill",
        action=Once,
        metavar="WAY",
        help="how to count prefill operations: served (default: no masked scores, logits of the last position), "
        "causal, last-logits or full",
    )
    made.add_argument(
        "--page",
        action=Once,
        metavar="N",
        help="tokens of a page; shows the memory that a KV cache in whole pages reserves",
    )
    made.add_argument(
        "--storage",
        action=Once,
        metavar="RATE",
        help="bandwidth of disk or network, as in '7 GB/s'; shows how long the weights take to load",
    )
    made.add_argument(
        "--transfer",
        action=Once,
        metavar="RATE",
        help="bandwidth of a link, as in '50 GB/s'; shows the time to send a prompt's KV cache to another device",
    )
    for option, metavar, help in (
        ("--stack", "NAME", "a program, as in vllm; shows a forecast of its step time from measured batches"),
        (
            "--host-bandwidth",
            "RATE",
            "bandwidth of a second memory, as in '60 GB/s'; shows how many layers move there, and how fast it decodes",
        ),
        ("--host-flops", "RATE", "with --host-bandwidth: peak arithmetic of the host, as in '1 TFLOP/s'"),
        ("--host-memory", "SIZE", "with --host-bandwidth: size of the second memory, as in '128 GB'"),
        ("--host-link", "RATE", "with --host-bandwidth: bandwidth of the link, as in '25 GB/s', to stream layers over"),
    ):
        made.add_argument(option, action=Once, metavar=metavar, help=help)


_OVERLAP = "give the bound of a perfect program, in which all of a pass overlaps (default: matrices, then attention)"


def _plan_options(made: argparse.ArgumentParser) -> None:
    made.add_argument("model", metavar="MODEL", help=_MODEL)
    for option, metavar, help in (
        ("--prompt", "N", f"tokens in a prompt; {PREFIXES}"),
        ("--output", "M", "tokens in an answer"),
        ("--tpot", "TIME", "target: most time per output token, as in '50 ms'"),
        ("--ttft", "TIME", "target: most time to first token, as in '500 ms'"),
        ("--devices", "D", "most devices that may share the model (default: 8)"),
        ("--cached", "N", "first tokens of each prompt that are cached, such as shared instructions"),
        ("--rate", "RATE", "requests that arrive, as in 20/s; shows how many servers keep up with them"),
        (
            "--serving",
            "WAY",
            "how prompts are served: in-turn with decoding steps (default), mixed with them, or apart",
        ),
        ("--price", "PRICE", "price of one device, as in '2.50 $/h', or by device: h100-sxm=2.50,l40s=0.90"),
        ("--power", "POWER", "power of one device while it works, as in '700 W', or by device: h100-sxm=700"),
    ):
        made.add_argument(option, action=Once, metavar=metavar, required=option in ("--prompt", "--output"), help=help)
    made.add_argument("--overlap", action="store_true", help=_OVERLAP)
    for preset in NAMES[1:]:
        made.add_argument(f"--{preset}", action=Once, metavar="NAME", help=_MEANT[preset])


def _audit_options(made: argparse.ArgumentParser) -> None:
    own = (
        "your own claims (.toml), article (.md), or results of llama-bench, vLLM, SGLang or GuideLLM (.json, .jsonl, "
        ".csv) to check instead of the published claims"
    )
    made.add_argument("files", nargs="*", default=[], metavar="FILE", help=own)
    made.add_argument("--source", action=Once, metavar="NAME", help="show only one source")
    made.add_argument("--verdict", action=Once, metavar="VERDICT", help="show only one verdict, as in 'refuted'")
    for preset in NAMES:
        made.add_argument(f"--{preset}", action=Once, metavar="NAME", help=f"of results: {_OF_RESULTS[preset]}")
    for option, metavar, help in (
        ("--devices", "D", "number of these devices that shared the work"),
        ("--prompt", "N", "tokens of each prompt, where the file leaves it out"),
        ("--output", "M", "tokens of each answer, where the file leaves it out"),
        ("--batch", "B", "sequences in a batch, where the file leaves it out"),
    ):
        made.add_argument(option, action=Once, metavar=metavar, help=f"of results: {help}")


def _count_options(made: argparse.ArgumentParser) -> None:
    made.add_argument("path", metavar="PATH", help="a directory with config.json and safetensors files, or a GGUF file")
    made.add_argument("--prompt-tokens", action=Once, metavar="N", help="tokens in the prompt (default: 8)")
    made.add_argument("--new-tokens", action=Once, metavar="M", help="tokens to decode after it (default: 4)")


def _machine_options(made: argparse.ArgumentParser) -> None:
    made.add_argument("--quick", action="store_true", help="measure for some seconds only")
    made.add_argument("--threads", action=Once, metavar="N", help="threads that work (default: as many as cores)")
    made.add_argument(
        "--out", action=Once, metavar="FILE", help="hardware file to write (.toml), for use with --hardware"
    )


def _measure_options(made: argparse.ArgumentParser) -> None:
    weights = "a GGUF file, or a directory with config.json and safetensors files"
    made.add_argument("path", nargs="?", metavar="MODEL", help=weights)
    made.add_argument("--quick", action="store_true", help="measure for some seconds only")
    for option, metavar, help in (
        ("--synthetic", "SIZE", "instead of a file: a decoder of about this many parameters, as in 1B or 120M"),
        ("--format", "NAME", "number format of its weights: fp32, fp16, bf16, q8_0 or q4_0 (default: q8_0)"),
        ("--batch", "B", "sequences: a range, doubling each time, or a list as in 1,2,3 (default: 1..64)"),
        ("--context", "N", f"tokens in each sequence (default: 128); {PREFIXES}"),
        ("--hardware", "FILE", "a file of `machine --out`, or a preset (default: measure this machine first)"),
        ("--threads", "N", "threads that work (default: as the file says, else as many as cores)"),
        ("--out", "FILE", "file to write the forecast and the measurements to (.json)"),
        ("--compare", "FILE", "an --out file of another run or machine, to compare with"),
        ("--plot", "FILE", "picture to write: .pdf, .png or .svg"),
    ):
        made.add_argument(option, action=Once, metavar=metavar, help=help)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    try:
        if arguments is None:
            interrupts.running()
        return _written(arguments)
    except KeyboardInterrupt:
        interrupts.done()
        terminal.complain("interrupted.")
        return interrupts.CODE


def _written(arguments: list[str] | None) -> int:
    """The exit code, once everything is written or cannot be."""
    terminal.prepare()
    try:
        return _program(sys.argv[1:]) if arguments is None else _answer(arguments)
    except BrokenPipeError:  # the reader has seen enough
        terminal.give_up_writing()
        return 0
    except OSError as error:
        terminal.give_up_writing()
        terminal.complain(f"the answer could not be written: {error.strerror or error}.")
        return 2


def _program(arguments: list[str]) -> int:
    """Exit code of an answer in a process of its own: without SymPy or, if that fails, all over again with it."""
    try:
        return _answer(arguments, alone=True, without_sympy=True)
    except NotStored:
        for name in [name for name in sys.modules if name.partition(".")[0] == "symbolic_llm"]:
            del sys.modules[name]  # they hold stored expressions; what is imported now takes SymPy's
        code: int = import_module(__name__)._answer(arguments, alone=True)
        return code
    finally:
        gc.freeze()  # nothing is collected at the end
        interrupts.done()


_BRIEF = ("list", "find", "show", "presets", "solve", "evaluate", "explain", "model", "check")


def _answer(arguments: list[str], *, alone: bool = False, without_sympy: bool = False) -> int:
    try:
        with within_memory("this answer"):
            options, rest = parser().parse_known_args(arguments)
            _place(rest, options)
            if alone and options.command in _BRIEF:  # it ends soon, and a search for cycles goes through all there is
                gc.disable()
            code, shown, data = answered(options, without_sympy=without_sympy)
            if taken := _taken(options, data):
                terminal.complain(taken)
            terminal.write_json(data) if options.json else terminal.write(shown)
            if alone:  # a process that began with these sources: another may have loaded its modules long before
                _keep(options, shown, data)
            return code
    except SymbolicLLMError as error:
        # looked for by hand: what is wrong may be the options, and then nothing has been parsed
        if "--json" in arguments:
            terminal.write_json({"error": type(error).__name__, "message": str(error)})
        terminal.complain(str(error))
        return 2


def _taken(options: argparse.Namespace, data: Any) -> str:
    """Remark on which formula a phrase such as "TTFT" was taken for; "" where a formula was named."""
    name, formula = getattr(options, "name", None), data.get("formula") if isinstance(data, Mapping) else None
    if not isinstance(name, str) or not isinstance(formula, str) or formula in name:
        return ""
    from ..glossary import term_of

    if (term := term_of(name)) is None or formula not in term.formulas:
        return ""
    others = [other for other in term.formulas if other != formula]
    also = f"; {listed(others)} may be meant, too" if others else ""
    return f"{shown(name)} is taken as {formula}{also}."


_WITH_NUMBERS = ("solve", "evaluate", "explain", "model")
_FROM_FORMULAS = (*_WITH_NUMBERS, "find", "list")  # answered from what is stored of formulas, where that does


def answered(options: argparse.Namespace, *, without_sympy: bool = False) -> Output:
    """The answer that is stored for these sources, or else the one that the formulas give."""
    asked = question(options)
    if asked is not None and (answer := answers.stored(*asked)) is not None:
        text, data = answer
        return 0, text, data
    from_formulas = asked is None and without_sympy and options.command in _FROM_FORMULAS
    if from_formulas and answers.stored("formulas") is not None:
        do_without_sympy()
    return computed(options)


_LONGEST = 200  # characters of a question


def question(options: argparse.Namespace) -> answers.Question | None:
    """Words of a question whose answer depends on nothing but the sources; None for any other."""
    named = [options.name] if getattr(options, "name", None) is not None else []
    asked = [options.command, *named, *getattr(options, "words", ()), *getattr(options, "arguments", ())]
    least, most = {"list": (1, 1), "presets": (1, 2), "show": (2, 2), "solve": (2, 3)}.get(options.command, (0, 0))
    given = any(getattr(options, preset, None) is not None for preset in NAMES)
    closed = least <= len(asked) <= most and not given and not any("=" in word for word in asked)
    return tuple(asked) if closed and sum(map(len, asked)) <= _LONGEST else None


def computed(options: argparse.Namespace) -> Output:
    """The answer that the formulas give; what gives it is imported now."""
    module, _, function = options.run.partition(".")
    answered: Output = getattr(import_module(f".{module}", __name__), function)(options)
    return answered


def _keep(options: argparse.Namespace, text: str, data: Any) -> None:
    """Store an answer that took SymPy or, where it has numbers, what it takes to give the next one without."""
    if "sympy" not in sys.modules or folder() is None:
        return
    kept: dict[tuple[str, ...], Any] = {}
    if (asked := question(options)) is not None:
        kept[asked] = (text, data)
    if options.command in _FROM_FORMULAS:
        from .stored_data import needed

        solved = (data["formula"], data["unknown"]) if options.command == "solve" else None
        kept |= needed(solved, getattr(options, "model", None))
    answers.keep(kept)


def _place(rest: list[str], options: argparse.Namespace) -> None:
    """Add letters that stand after options, which argparse leaves over, to the arguments; refuse anything else."""
    for argument in rest:
        if argument.startswith("-") or not hasattr(options, "arguments"):
            of = f"symbolic-llm {options.command}"
            said = f"'{shown(argument)}' is not an option or argument of {of}"
            raise InvalidValue(f"{said} (see {of} --help).")
        options.arguments = [*options.arguments, argument]
