"""Solutions, and the iterator over all of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Optional, SupportsIndex, Union

from . import _native
from .boards import Board, BoardLike, draw


class Solution(tuple[int, ...]):
    """A solution of the empty board: a tuple of rows. Notebooks display it as a board.

    >>> Solution([1, 3, 0, 2])
    Solution((1, 3, 0, 2))
    >>> Solution([0, 1, 2, 3])
    Traceback (most recent call last):
    ValueError: a4 and b3 attack each other along a diagonal
    """

    __slots__ = ()

    def __new__(cls, rows: Iterable[SupportsIndex]) -> Solution:
        return cls._of(_native.solution(rows))

    @classmethod
    def _of(cls, rows: Iterable[int]) -> Solution:
        return tuple.__new__(cls, rows)

    def images(self) -> list[Solution]:
        """Returns the eight symmetric images: the four clockwise rotations, then those of the mirror image."""
        return list(map(self._of, _native.images(self)))

    def canonical(self) -> Solution:
        """Returns the lexicographically first image, which represents the symmetry class."""
        return min(self.images())

    @property
    def symmetry(self) -> str:
        """The symmetry of the solution: `none`, `half turn`, `quarter turn` or `all`."""
        return _native.symmetry(self)

    def __repr__(self) -> str:
        return f"Solution({tuple(self)})"

    def __str__(self) -> str:
        """Returns the board, or the rows if N exceeds 64."""
        if len(self) > 64:
            return ",".join(map(str, self))
        return "\n".join(" ".join("Q" if queen == row else "_" for queen in self) for row in range(len(self)))

    def _repr_svg_(self) -> Optional[str]:
        return draw([self])._repr_svg_() if len(self) <= _native.LARGEST_DRAWN else None


def solutions(board: BoardLike, *, fundamental: bool = False) -> _native.Solutions:
    """Returns an iterator over all solutions in lexicographic order, or the first of each class if `fundamental`.

    Solutions are not kept in memory. If the total is published, `len()` returns the number of remaining solutions.

    >>> next(solutions(8))
    Solution((0, 4, 7, 5, 2, 6, 1, 3))
    >>> len(solutions(8)), len(list(solutions(8, fundamental=True)))
    (92, 12)
    """
    return _native.Solutions(Board.of(board, _native.LARGEST_ENUMERATED)._given, fundamental)


def check(rows: Union[str, Iterable[SupportsIndex]]) -> bool:
    """Whether the rows are a solution. The error of `Solution(rows)` gives the reason if they are not.

    A string may contain a board in any of the formats that `queens check` reads, also with rows numbered from 1. A
    string that cannot be read in exactly one way is a `ValueError`, and so are rows in a list that would be a solution
    if they were not numbered from 1.

    >>> check([0, 4, 7, 5, 2, 6, 1, 3]), check([0, 0]), check("1,3,0,2")
    (True, False, True)
    """
    return _native.check(rows)
