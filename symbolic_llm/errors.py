"""Errors that this package raises when a question cannot be answered

Every error a user can cause is a `SymbolicLLMError` whose text is one sentence that names what was wrong and
what is accepted. The command line prints that sentence and exits with code 2.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


def shown(value: object, most: int = 60) -> str:
    """Text of what a user gave, for a sentence: the middle left out if it is long, what does not print escaped."""
    try:
        text = str(value)
    except ValueError:  # Python prints no integer of more than 4300 digits
        text = "a number of thousands of digits"
    if len(text) > most:
        text = f"{text[: most * 2 // 3]}...{text[-(most // 3) :]}"
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode("ascii") for sign in text)


_WRITTEN: ContextVar[Callable[[str], str] | None] = ContextVar("written", default=None)


def option(name: str, sign: str = "", value: str = "") -> str:
    """An option in the words of whoever asks: `--dtype fp16` on a command line, `dtype`, a sign and fp16 in Python.

    Every sentence on an option has its name from here, so that none speaks Python to people who typed a command.
    """
    written = _WRITTEN.get()
    return f"{name}{sign}{value}" if written is None else f"{written(name)} {value}".rstrip()


@contextmanager
def options_written(how: Callable[[str], str]) -> Iterator[None]:
    """Let sentences that are made inside write options as `how` does."""
    before = _WRITTEN.set(how)
    try:
        yield
    finally:
        _WRITTEN.reset(before)


class SymbolicLLMError(Exception):
    """Base of all errors of this package: one sentence, meant to be read by the person who asked."""

    def __init__(self, sentence: str) -> None:
        super().__init__(shown(sentence, 2000))  # whatever a sentence repeats, it stays one line of bearable length


class UnknownName(SymbolicLLMError, LookupError):
    """A formula, letter or preset that does not exist; the sentence suggests the nearest that does."""


class InvalidValue(SymbolicLLMError, ValueError):
    """A value outside a letter's domain: zero, negative, not finite, not whole, or not a number at all."""


class WrongUnit(SymbolicLLMError, ValueError):
    """A quantity whose unit does not fit the letter it was given for."""


class ConditionViolated(SymbolicLLMError, ValueError):
    """The given values break a condition under which the formula holds."""


class Underdetermined(SymbolicLLMError):
    """Too few letters have a value for the question to have one answer."""


class Overdetermined(SymbolicLLMError):
    """A value too many: for the letter that is asked for, for the last open one, or where it changes nothing."""


class NotSolvable(SymbolicLLMError):
    """Not solvable for that letter: the formula is a theorem, the letter is not in it, or no closed form exists."""


class NoClosedForm(NotSolvable):
    """Not solvable in closed form, since the letter stands in a power.

    With a value for every other letter its value is found by search; without, it is not found at all.
    """


class NoSolution(SymbolicLLMError):
    """No admissible value of the unknown satisfies the formula; the sentence says why."""


class SeveralSolutions(SymbolicLLMError):
    """More than one value of the unknown satisfies the formula; the sentence lists them."""


class MissingDependency(SymbolicLLMError):
    """An optional package is needed for this and is not installed; the sentence says how to install it."""


class NotEnoughMemory(SymbolicLLMError, MemoryError):
    """An answer that takes more memory than there is, or than this process may have."""


class InvalidModel(SymbolicLLMError, ValueError):
    """A config.json that cannot be read as a model: not a file, not JSON, a field missing, absurd or unknown."""


class InvalidHardware(SymbolicLLMError, ValueError):
    """A machine of one's own that cannot be read: no file, no TOML, a field missing, unknown or absurd."""


class CatalogueError(SymbolicLLMError):
    """A formula file is broken: no FORMULA in it, a name used twice, or formulas that use each other in a circle."""


_OUT_OF_MEMORY = (
    *("failed to map segment from shared object", "can't start new thread"),
    *("error return without exception set", "without setting an exception"),  # Python had none left for the error
)


@contextmanager
def within_memory(what: str) -> Iterator[None]:
    """Raise `NotEnoughMemory` where memory runs out: it says that `what` takes more than there is."""
    try:
        yield
    except NotEnoughMemory:
        raise
    except (MemoryError, OSError, ImportError, RuntimeError, SystemError) as error:
        if not _of_memory(error):
            raise
        raise NotEnoughMemory(f"{what} needs more memory than is available.") from None


def _of_memory(error: Exception) -> bool:
    """Whether memory ran out; the system says so by a number, or in words where a module or a thread does not begin."""
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    return isinstance(error, MemoryError) or any(words in str(error) for words in _OUT_OF_MEMORY)


def listed(names: Iterable[str]) -> str:
    """Names as a sentence has them: "P, n_bytes and W"."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def ended(said: object) -> str:
    """Text as a sentence: with one stop at its end, also where there is one already."""
    text = str(said)
    return text if text.endswith((".", "?")) else f"{text}."


_SHOWN_BY = dict.fromkeys(("model", "hardware", "number format", "source"), "presets") | {"audited source": "audit"}


def unknown_name(
    kind: str, name: str, known: Iterable[str], context: str = "", otherwise: str = "", *, families: bool = False
) -> UnknownName:
    """The error for a `name` that is not among the `known` ones: with the nearest of them or, if none is near, all.

    What stands in `otherwise` is said instead of listing them. Where the names have `families`, which the word that
    they begin with tells, only names of its own family are near: no phi is a pythia.
    """
    import difflib  # only mistakes need it

    # cut, since comparing texts takes time with the product of their lengths
    wanted, spelled = name[:60].lower(), {right.lower(): right for right in sorted(known)}
    if families:
        wanted = wanted.replace("_", "-")
        family = _family(wanted, spelled)
        related = {lower for lower in spelled if _word(lower) == family}
        near = [lower for lower in spelled if f"-{wanted}-" in f"-{lower}-" or (lower in related and wanted in lower)]
        near.sort(key=lambda lower: lower not in related)
    else:
        related = set(spelled)
        near = [lower for lower in spelled if len(wanted) > 1 and wanted in lower]
    near += difflib.get_close_matches(wanted, sorted(related), cutoff=0.5)
    close = [wanted] if wanted in spelled else list(dict.fromkeys(near))[:3]
    if close:
        hint = f"did you mean {' or '.join(spelled[lower] for lower in close)}?"
    elif otherwise:
        hint = f"{otherwise}."
    elif len(spelled) <= 20:
        hint = f"choose from {', '.join(spelled.values())}." if spelled else "none is known."
    else:
        hint = f"symbolic-llm {_SHOWN_BY.get(kind, 'list')} lists them."
    return UnknownName(f"{context}there is no {kind} '{shown(name)}'; {hint}")


def known_name(kind: str, name: object, known: Collection[str], context: str = "") -> str:
    """The name, which is one of the known ones; the error of `unknown_name` for any other, and for what is no text."""
    if not isinstance(name, str) or name not in known:
        raise unknown_name(kind, name if isinstance(name, str) else shown(name), known, context)
    return name


@contextmanager
def installed(what: str, extra: str) -> Iterator[None]:
    """Say how to install the optional package that `what` needs, where its import fails."""
    try:
        yield
    except ModuleNotFoundError as error:
        how = f"install it with pip install 'symbolic-llm[{extra}]'"
        raise MissingDependency(f"{what} needs {error.name}; {how}.") from error


def _word(name: str) -> str:
    """The letters that a name begins with: "qwen" of "qwen2.5-7b"."""
    return name[: next((place for place, sign in enumerate(name) if not sign.isalpha()), len(name))]


def _family(name: str, known: Iterable[str]) -> str:
    """The word of a name, or the known one of which it is a misspelling: one letter more, less or other."""
    import difflib

    word, words = _word(name), {_word(one) for one in known}
    alike = [one for one in words if one[:1] == word[:1] and abs(len(one) - len(word)) <= 1]
    return word if word in words else next(iter(difflib.get_close_matches(word, sorted(alike), 1, cutoff=0.8)), word)
