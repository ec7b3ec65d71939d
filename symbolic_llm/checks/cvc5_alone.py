"""Answer one SMT-LIB question with cvc5: run as a program, the question on standard input

A process of its own, because cvc5 does not always keep to a limit of time, and a process can be ended. The limit is of
the processor's time where the system has one: on a busy machine a proof is found later, and still found.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from math import ceil

import cvc5


def limit(milliseconds: int) -> None:
    """Have the system end this process after so much processor time; without such a limit its starter has to end it."""
    with suppress(ImportError):  # Windows has no such limit
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (ceil(milliseconds / 1000),) * 2)


def answer(question: str) -> str:
    """Answer of cvc5 to a question: sat, unsat or unknown."""
    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, question, "question")
    symbols, said = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        said += str(command.invoke(solver, symbols))
    return said.strip().partition(" ")[0]


if __name__ == "__main__":
    limit(int(sys.argv[1]))
    print(answer(sys.stdin.read()))
