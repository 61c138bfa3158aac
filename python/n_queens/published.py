"""Published values."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

from . import _native


class Known(NamedTuple):
    """Published values for one board size (OEIS A000170, A002562, A032522, A033148).

    fundamental             number of solutions up to the eight symmetries of the square
    half_turn               number of solutions that a half turn leaves unchanged
    quarter_turn            number of solutions that a quarter turn leaves unchanged
    nodes                   number of placements that a plain backtracking search visits
    reference_milliseconds  time that the OR-Tools guide gives for finding all solutions, for N = 1 to 15
    """

    n: int
    solutions: int
    fundamental: int
    half_turn: int
    quarter_turn: int
    nodes: Optional[int]
    reference_milliseconds: Optional[int]


class _Published(tuple[Known, ...]):
    def __getitem__(self, n: Any) -> Any:
        if isinstance(n, slice) or n in range(len(self)):
            return super().__getitem__(n)
        raise IndexError(f"known: no values for N = {n} (accepted: 0 to {len(self) - 1})")


known: tuple[Known, ...] = _Published(Known(*row) for row in _native.published())
"""Published values, indexed by N, as in `known[8].solutions`. `pandas.DataFrame(known)` is a table of them.

>>> known[27].solutions
234907967154122528
"""
