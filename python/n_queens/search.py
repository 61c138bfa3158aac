"""Searches for solutions, with their statistics, trees and traces."""

from __future__ import annotations

import json
from reprlib import Repr
from time import perf_counter
from typing import Any, Optional, SupportsIndex, Union

from . import _native
from .boards import Board, BoardLike, Page, draw
from .solutions import Solution

_SHORT = Repr()
_SHORT.maxlist, _SHORT.maxtuple = 3, 12


class Searched(list[Solution]):
    """The solutions that `solve` found, with the method and statistics.

    how      settings of the search, or the method if there was no search
    stats    number of branches taken, failures (dead ends) and squares tested for an attack, and the seconds taken
    stopped  limit that ended the search, `branches` or `time`; None if no limit was reached
    tree     search tree as a page to fold, unfold and step through, with the board at each node, if requested
    trace    steps of the search, if requested, as dictionaries:
             step, depth, back_to          number of the step, its depth, and the step that the search returned to
             node                          choice, failure or solution; the square, reason or solution is in choice,
                                           failure or rows
             branch                        the square, its column and row, and whether a queen was placed there
             queens, new_queens            queens on the board, and those that this step placed
             removed                       squares that this step ruled out, with the cause
             free_rows                     rows that remain possible in each column
             branches, failures, solutions totals so far
    """

    def __init__(self, board: Board, seconds: float, found: Any) -> None:
        super().__init__(map(Solution._of, found.solutions))
        self._board, self._title = board, str(found.title)
        self.how: str = found.how
        self.stats: dict[str, float] = dict(zip(("branches", "failures", "tests"), found.figures), seconds=seconds)
        self.stopped: Optional[str] = found.stopped
        self.tree = Page(found.tree) if found.tree else None
        self.trace: list[dict[str, Any]] = json.loads(found.trace)

    def __repr__(self) -> str:
        return f"<{self._title}: {_SHORT.repr([tuple(solution) for solution in self[:4]])}>"

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def _repr_svg_(self) -> Optional[str]:
        is_shown = 0 < len(self) <= 100 and self._board.n <= _native.LARGEST_DRAWN
        return draw(self, board=self._board, title=self._title)._repr_svg_() if is_shown else None


def solve(
    board: BoardLike,
    *,
    limit: Optional[SupportsIndex] = 1,
    random: bool = False,
    strategy: Optional[str] = None,
    seed: Optional[SupportsIndex] = None,
    max_branches: Optional[SupportsIndex] = None,
    timeout: Optional[float] = None,
    tree: bool = False,
    trace: Union[bool, SupportsIndex] = False,
) -> Searched:
    """Finds up to `limit` solutions of a board, or all of them if `limit` is None.

    They are in lexicographic order up to N = 20, or 14 on boards with constraints. On larger boards, one solution is
    constructed, for N up to a million, and others come from a random search with restarts, for N up to 5,000. The list
    is empty if there is no solution, as for N = 3, or if a limit ended the search first.

    random        find random solutions, which are all equally likely up to N = 12; `seed` makes them reproducible
    strategy      naive, backtrack, first-fail, first-unbound, or a column, row and propagation: "smallest,middle,bounds";
                  trees and traces use first-unbound by default
                  column: first, smallest, smallest-lowest-min or smallest-lowest-max
                  row: min, middle, median or max; propagation: none, value or bounds
    max_branches  end the search after this many branches, or after `timeout` seconds
    tree          record the search tree, for N up to 64
    trace         record the first 1,000 steps, or the given number of steps

    >>> search = solve(1000, strategy="first-fail")
    >>> len(search[0]), search.stats["failures"]
    (1000, 2)
    """
    on, started = Board.of(board), perf_counter()
    steps = 1000 if trace is True else int(trace)
    options = dict(strategy=strategy, max_branches=max_branches, timeout=timeout, tree=tree, steps=steps)
    found = _native.solve(on._given, name=str(on), limit=limit, random=random, seed=seed, **options)
    return Searched(on, perf_counter() - started, found)
