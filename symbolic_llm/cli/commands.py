"""The commands, what each takes and which function answers it: a table in the words of their help"""

from __future__ import annotations

import argparse
import re
from typing import NamedTuple

from .parsing import Examples, Once, Parser

PREFIXES = "32k is 32,000 and 32Ki is 32,768"
_MODEL = "a preset, a config.json or its directory, a GGUF file, or a repository of the Hugging Face Hub"
_LETTERS = f"values of letters, as in N=4096, N=32k or F='312 TFLOP/s' ({PREFIXES})"
_OVERLAP = "give the bound of a perfect program, in which all of a pass overlaps (default: matrices, then attention)"
_OF_MACHINE = """
--hardware NAME: machine: a preset (symbolic-llm presets lists them) or a .toml file of your own
--dtype NAME: number format of the arithmetic, as in fp16
--weights NAME: number format of the stored weights, as in q8_0 (default: as --dtype)
--cache NAME: number format of the KV cache, as in fp8 (default: as --dtype)
"""
_PRESETS = f"""
--model NAME: model: {_MODEL}
{_OF_MACHINE}"""
_DOCS = "--docs DIR: folder of the project's written pages (default: docs)"


class Command(NamedTuple):
    """A command.

    Attributes:
        run: the module and the function that answer it.
        help: what it does.
        takes: its arguments and options, each as its help shows it: name, what is typed for it, and what that means. A
            longer one goes on in the next line, set in.
        examples: of its use; a test runs them.
    """

    run: str
    help: str
    takes: str
    examples: tuple[str, ...]

    def enter(self, made: argparse.ArgumentParser) -> None:
        """Add arguments and options to a parser."""
        for line in re.sub(r"\n +", " ", self.takes).split("\n"):
            if line:
                found = _TAKEN.fullmatch(line)
                assert found, f"{line} is no argument or option with its meaning"
                _add(made, *found.groups())


_TAKEN = re.compile(r"(\S+?)(?: ([^:]+))?: (.*)")  # what is typed for a switch is nothing
_MANY = {"[": "?", "[...": "*", "...": "+"}  # how many values an argument takes, by the signs around its name


def _add(made: argparse.ArgumentParser, name: str, typed: str | None, help: str) -> None:
    if typed is None:
        made.add_argument(name, action="store_true", help=help)
    elif name.startswith("--"):
        metavar, _, required = typed.partition(" ")
        made.add_argument(name, action=Once, metavar=metavar, required=required == "(required)", help=help)
    else:
        metavar = typed.strip("[. ]")
        signs = "[" * typed.startswith("[") + "..." * ("..." in typed)
        none: list[str] | None = [] if signs == "[..." else None
        made.add_argument(name, nargs=_MANY.get(signs), metavar=metavar, default=none, help=help)


COMMANDS = {
    "list": Command(
        "formulas.list_all",
        "List the formulas by chapter: all, or those that match some words.",
        "words [WORD ...]: words to look for (default: none)",
        ("list", "list quantization"),
    ),
    "find": Command(
        "formulas.find_words",
        "Find formulas by the words that people use, best match first.",
        "words WORD ...: words to look for, as in: time to first token",
        ("find time to first token", "find GQA cache --json"),
    ),
    "presets": Command(
        "data.list_presets",
        "List the presets: models, hardware and number formats.",
        "name [KIND]: models, hardware or formats (default: all)",
        ("presets models", "presets hardware --json"),
    ),
    "show": Command(
        "formulas.show",
        "Show a formula with its derivation, or a letter and the formulas that use it.",
        "name NAME: the name of a formula, or a letter by any of its names, as in B or batch",
        ("show memory_time", "show bandwidth"),
    ),
    "model": Command(
        "models.size",
        "Size a model: its weights, KV cache, operations and, on a machine, times and what fits.",
        f"""
model MODEL: {_MODEL}
arguments [LETTER ...]: figures of the machine: M, W, F, W_link or T_link, as in W='1 TB/s'
{_OF_MACHINE}
--context N: tokens in each sequence (default: 4096); {PREFIXES}
--batch B: sequences in the batch (default: 1); 1k is 1,000
--tpot TIME: target time per output token, as in '50 ms'; shows the largest batch that meets it
--new-tokens M: with --prompt: tokens of a request to decode after the first one
--cached N: with --prompt and --new-tokens: first tokens of the prompt that are cached, as a shared prefix
--devices D: number of these devices that share the model
--tensor T: tensor parallel: devices that share every layer (default: all)
--pipeline P: pipeline parallel: stages that share the blocks (default: 1)
--per-op: list the operations of a decoding step, one by one
--overlap: {_OVERLAP}
--prompt N: tokens in a request's prompt; with --per-op: list the operations of its prefill instead
--prefill WAY: how to count prefill operations: served (default: no masked scores, logits of the last position),
    causal, last-logits or full
--page N: tokens of a page; shows the memory that a KV cache in whole pages reserves
--storage RATE: bandwidth of disk or network, as in '7 GB/s'; shows how long the weights take to load
--transfer RATE: bandwidth of a link, as in '50 GB/s'; shows the time to send a prompt's KV cache to another device
--stack NAME: a program, as in vllm; shows a forecast of its step time from measured batches
--host-bandwidth RATE: bandwidth of a second memory, as in '60 GB/s'; shows how many layers move there, and how fast it
    decodes
--host-flops RATE: with --host-bandwidth: peak arithmetic of the host, as in '1 TFLOP/s'
--host-memory SIZE: with --host-bandwidth: size of the second memory, as in '128 GB'
--host-link RATE: with --host-bandwidth: bandwidth of the link, as in '25 GB/s', to stream layers over
""",
        ("model llama-3-8b --hardware h100-sxm", "model llama-3-8b --hardware h100-sxm --devices 2 --batch 64"),
    ),
    "plan": Command(
        "planning.plan",
        "Find the devices on which a model meets latency targets, best first.",
        f"""
model MODEL: {_MODEL}
--prompt N (required): tokens in a prompt; {PREFIXES}
--output M (required): tokens in an answer
--tpot TIME: target: most time per output token, as in '50 ms'
--ttft TIME: target: most time to first token, as in '500 ms'
--devices D: most devices that may share the model (default: 8)
--cached N: first tokens of each prompt that are cached, such as shared instructions
--rate RATE: requests that arrive, as in 20/s; shows how many servers keep up with them
--serving WAY: how prompts are served: in-turn with decoding steps (default), mixed with them, or apart
--price PRICE: price of one device, as in '2.50 $/h', or by device: h100-sxm=2.50,l40s=0.90
--power POWER: power of one device while it works, as in '700 W', or by device: h100-sxm=700
--overlap: {_OVERLAP}
{_OF_MACHINE}""",
        (
            "plan llama-3-8b --prompt 1000 --output 200 --tpot '50 ms'",
            "plan llama-3-8b --prompt 1000 --output 200 --rate 20/s --price h100-sxm=2.50,l40s=0.90",
        ),
    ),
    "count": Command(
        "models.count",
        "Run a model file and compare the formulas with the operations and bytes that it takes.",
        """
path PATH: a directory with config.json and safetensors files, or a GGUF file
--prompt-tokens N: tokens in the prompt (default: 8)
--new-tokens M: tokens to decode after it (default: 4)
""",
        ("count path/to/model", "count model.gguf --prompt-tokens 16 --new-tokens 8"),
    ),
    "machine": Command(
        "this_machine.machine",
        "Measure this machine in under a minute: bandwidth by size, and arithmetic by number format.",
        """
--quick: measure for some seconds only
--threads N: threads that work (default: as many as cores)
--out FILE: hardware file to write (.toml), for use with --hardware
""",
        ("machine --out my.toml", "machine --quick --threads 1"),
    ),
    "measure": Command(
        "this_machine.measure",
        "Forecast the decoding steps of a model on this machine, then decode and show both.",
        f"""
path [MODEL]: a GGUF file, or a directory with config.json and safetensors files
--quick: measure for some seconds only
--synthetic SIZE: instead of a file: a decoder of about this many parameters, as in 1B or 120M
--format NAME: number format of its weights: fp32, fp16, bf16, q8_0 or q4_0 (default: q8_0)
--batch B: sequences: a range, doubling each time, or a list as in 1,2,3 (default: 1..64)
--context N: tokens in each sequence (default: 128); {PREFIXES}
--hardware FILE: a file of `machine --out`, or a preset (default: measure this machine first)
--threads N: threads that work (default: as the file says, else as many as cores)
--out FILE: file to write the forecast and the measurements to (.json)
--compare FILE: an --out file of another run or machine, to compare with
--plot FILE: picture to write: .pdf, .png or .svg
""",
        (
            "measure --synthetic 1B --hardware my.toml",
            "measure model.gguf --batch 1,2,4 --context 1k --plot steps.svg --out steps.json",
        ),
    ),
    "pages": Command(
        "site.pages",
        "Check all formulas and write the pages of the site as Markdown.",
        f"out OUT: the folder to write into\n{_DOCS}",
        ("pages site-pages", "pages site-pages --docs docs"),
    ),
    "site": Command(
        "site.serve",
        "Build the site and serve it on this machine until Ctrl-C.",
        f"--port PORT: port to serve on (default: 8000)\n{_DOCS}",
        ("site", "site --port 8080"),
    ),
    "audit": Command(
        "audit.audit",
        "Recompute published figures: which are right, and what went wrong in the others; or compare results of "
        "a benchmark with what model and machine allow.",
        f"""
files [FILE ...]: your own claims (.toml), article (.md), or results of llama-bench, vLLM, SGLang or GuideLLM (.json,
    .jsonl, .csv) to check instead of the published claims
--source NAME: show only one source
--verdict VERDICT: show only one verdict, as in 'refuted'
--model NAME: of results: {_MODEL}
--hardware NAME: of results: a preset or a .toml file of your own
--dtype NAME: of results: number format of the arithmetic
--weights NAME: of results: number format of the stored weights (default: as the file says, else as --dtype)
--cache NAME: of results: number format of the KV cache (default: as the file says, else as --dtype)
--devices D: of results: number of these devices that shared the work
--prompt N: of results: tokens of each prompt, where the file leaves it out
--output M: of results: tokens of each answer, where the file leaves it out
--batch B: of results: sequences in a batch, where the file leaves it out
""",
        ("audit my-article.md", "audit llama-bench.json --hardware rtx-4090"),
    ),
    "mcp": Command(
        "mcp.serve",
        "Serve the commands as tools of the Model Context Protocol (MCP) over standard input and output.",
        "",
        ("mcp",),
    ),
    "check": Command(
        "check_command.check",
        "Check formulas: steps, dimensions, theorems, engine, certificate, mutants.",
        f"""
--export DIR: write all proofs into DIR, with verify.py, which verifies them
--fresh: ignore stored results and check everything again
--watch: check again whenever a source file changes, until Ctrl-C
arguments [NAME ...]: formulas to check (default: all); with {_LETTERS}, also whether they apply to these values
{_PRESETS}""",
        ("check batch_crossover", "check batch_crossover --hardware a10 --dtype fp16"),
    ),
    "solve": Command(
        "questions.solve_one",
        "Solve a formula for one of its letters.",
        f"""
name NAME: name of a formula
arguments [LETTER ...]: {_LETTERS}; a letter without a value is the one to solve for
{_PRESETS}""",
        ("solve batch_crossover", "solve latency_with_cache B --model llama-3-8b --hardware a10 --dtype fp16"),
    ),
    "evaluate": Command(
        "questions.evaluate_one",
        "Evaluate a formula: print its value with its unit.",
        f"""
name NAME: name of a formula
arguments [LETTER ...]: {_LETTERS}
{_PRESETS}
--stack NAME: a program, as in vllm: the interval in which its measured batches say that a step or prefill is
""",
        (
            "evaluate ridge_point --hardware a10 --dtype fp16",
            "evaluate kv_bytes_total --model llama-3-8b --cache fp16 N=32k B=8",
        ),
    ),
    "sweep": Command(
        "sweeping.sweep_one",
        "Evaluate a formula over a grid of values and write the results as CSV.",
        f"""
name NAME: name of a formula
arguments [LETTER ...]: {_LETTERS}; several values make an axis, as in B=1,2,4 or --hardware a10,h100-sxm
--csv FILE: write the CSV into FILE instead of printing it
--reasons: add a column that says why a row has no value
{_PRESETS}""",
        (
            "sweep latency --model llama-3-8b --hardware a10 --dtype fp16 B=1,2,4",
            "sweep throughput --model llama-3-8b --hardware a10,h100-sxm --dtype fp16 B=1,64 --csv out.csv",
        ),
    ),
    "plot": Command(
        "plotting.plot_one",
        "Draw a roofline, the time of a decoding step, or throughput against latency.",
        f"""
kind KIND: roofline, step or frontier (throughput against latency)
file [FILE]: file to write: .pdf, .png or .svg; none is needed with --terminal
--terminal: print the picture as text
arguments [LETTER ...]: {_LETTERS}, of N, B, M, W and F; several values as in B=1,2,4 or --hardware a10,h100-sxm
{_PRESETS}""",
        (
            "plot roofline roofline.svg --hardware a10,h100-sxm --dtype fp16",
            "plot step --terminal --model llama-3-8b --hardware h100-sxm --dtype fp16 N=4096",
        ),
    ),
    "explain": Command(
        "questions.explain_one",
        "Explain the value of a formula: its inputs and their sources, the formula with numbers, the result.",
        f"""
name NAME: name of a formula
arguments [LETTER ...]: {_LETTERS}
{_PRESETS}""",
        (
            "explain latency --model llama-3-8b --hardware a10 --dtype fp16 B=1",
            "explain critical_context --model llama-3-8b --hardware a10 --dtype fp16",
        ),
    ),
}
EXAMPLES = {name: command.examples for name, command in COMMANDS.items()}


def add_commands(top: argparse.ArgumentParser) -> None:
    """Give a parser the commands, each with its arguments, options and examples."""
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    for name, command in COMMANDS.items():
        examples = "\n".join(("examples:", *(f"  symbolic-llm {line}" for line in command.examples)))
        made: argparse.ArgumentParser = commands.add_parser(
            name,
            help=command.help,
            description=command.help,
            epilog=examples,
            formatter_class=Examples,
            allow_abbrev=False,
        )
        # suppressed, so that the command's own default does not overwrite a --json that stood before it
        made.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print the answer as JSON")
        made.set_defaults(run=command.run)
        command.enter(made)
