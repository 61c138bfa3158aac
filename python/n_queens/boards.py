"""Boards, and drawings of them for notebooks."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import ClassVar, Optional, SupportsIndex, Union
from zlib import crc32

from . import _native

SquareLike = Union[str, tuple[SupportsIndex, SupportsIndex]]


@dataclass(frozen=True, init=False, repr=False)
class Board:
    """An N by N board, optionally with preplaced queens and blocked squares.

    A number is accepted wherever a board is, and stands for an empty board. A square is a name such as "c5", or the
    zero-based column and row from the top left, such as (2, 3) or "2,3".

    >>> from n_queens import count
    >>> count(Board(8, queens=["a8"]))
    4
    """

    n: int
    constraints: Optional[str]
    """Description of the constraints; None if there are none. Blocked squares that a queen attacks are omitted."""
    _given: tuple[int, list[str], list[str]] = field(compare=False)

    def __init__(
        self, n: SupportsIndex, *, queens: Iterable[SquareLike] = (), blocked: Iterable[SquareLike] = ()
    ) -> None:
        given, constraints = _native.board(n, queens, blocked)
        vars(self).update(n=given[0], constraints=constraints, _given=given)

    @staticmethod
    def of(board: BoardLike, largest: int = _native.LARGEST) -> Board:
        """Returns a board as it is, or the empty board of a size up to `largest`."""
        return board if isinstance(board, Board) else Board(_native.size(board, largest))

    def __str__(self) -> str:
        return f"N = {self.n}, {self.constraints}" if self.constraints else f"N = {self.n}"

    def __repr__(self) -> str:
        named = zip(("queens", "blocked"), self._given[1:])
        return f"Board({self.n}{''.join(f', {name}={squares}' for name, squares in named if squares)})"


BoardLike = Union[SupportsIndex, Board]


@dataclass(frozen=True, repr=False)
class _Text:
    text: str
    _ending: ClassVar[str]

    def save(self, path: Union[str, PathLike[str]]) -> None:
        """Writes the text to a file, whose name ends in .svg for a drawing and in .html for a page."""
        if Path(path).suffix.lower() != self._ending:
            raise ValueError(f"path: {str(path)!r} is another format (accepted: a name that ends in {self._ending})")
        Path(path).write_text(self.text, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, {len(self.text):,} characters>"


class Drawing(_Text):
    """An SVG drawing. Notebooks display it."""

    _ending = ".svg"

    def _repr_svg_(self) -> str:
        # The drawings of several cells may be on one page, where ids must be unique.
        return re.sub(r'(id="|href="#|url\(#)(\w+)', rf"\1\2-{crc32(self.text.encode()):08x}", self.text)


class Page(_Text):
    """A self-contained HTML page. Notebooks display it in a frame."""

    _ending = ".html"

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.text)}" width="100%" height="640" style="border: 0"></iframe>'


def draw(solutions: Iterable[Sequence[int]], *, board: Optional[BoardLike] = None, title: str = "") -> Drawing:
    """Draws up to 1,000 solutions on one sheet, with the preplaced queens and blocked squares of `board`."""
    return Drawing(_native.draw(solutions, None if board is None else Board.of(board)._given, title))
