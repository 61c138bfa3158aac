"""Counts and finds the solutions of the N-queens problem, with every core and vector unit of the CPU.

>>> import n_queens
>>> n_queens.count(10)
724
>>> print(next(n_queens.solutions(4)))
_ _ Q _
Q _ _ _
_ _ _ Q
_ Q _ _

A solution is a tuple with the row of the queen in each column, from left to right. Row 0 is at the top.

Invalid values are a `ValueError` or a `TypeError`, and a lack of memory is a `MemoryError`. A total that contradicts a
published value or a second count is never returned: it raises `Contradiction`.
"""

from importlib.metadata import version

from ._native import Cancelled as Cancelled, Contradiction as Contradiction, Solutions as Solutions
from .boards import Board as Board, Drawing as Drawing, Page as Page, draw as draw
from .counting import (
    Choices as Choices, Counter as Counter, Engine as Engine, Estimate as Estimate, Kernel as Kernel,
    Progress as Progress, Result as Result, Symmetry as Symmetry, count as count, estimate as estimate, merge as merge, missing as missing,
    table as table,
)  # fmt: skip
from .published import Known as Known, known as known
from .search import Searched as Searched, solve as solve
from .solutions import Solution as Solution, check as check, solutions as solutions

__all__ = [
    "Board", "Counter", "Solution", "check", "count", "draw", "estimate", "known", "merge", "missing", "solutions", "solve",
    "table",
]  # fmt: skip
__version__ = version("n-queens")
