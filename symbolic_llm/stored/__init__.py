"""Store of the catalogue, from which questions are answered without SymPy

Answers in letters are stored as they were printed (`answers.py`), formulas and solutions as expressions into which
numbers are put (`formulas.py`, `expressions.py`). What answers a question is the same code either way: in a process of
the command line its imports of SymPy and of formulas are answered from here (`standing_in.py`), and where that does not
do, the process starts over with SymPy.
"""


class NotStored(BaseException):
    """Something that only SymPy knows; no `Exception`, so that nobody on the way takes it for an answer."""
