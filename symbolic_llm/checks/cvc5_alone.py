"""Answer one SMT-LIB question with cvc5: run as a program, the question on standard input

A process of its own, because cvc5 does not always keep to a limit of time, and a process can be ended.
"""

from __future__ import annotations

import sys

import cvc5


def answer(question: str, milliseconds: int) -> str:
    """What cvc5 says: sat, unsat or unknown."""
    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(milliseconds))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, question, "question")
    symbols, said = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        said += str(command.invoke(solver, symbols))
    return said.strip().partition(" ")[0]


if __name__ == "__main__":
    print(answer(sys.stdin.read(), int(sys.argv[1])))
