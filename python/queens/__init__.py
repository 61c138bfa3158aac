"""Exact N-queens: counts with every core and vector unit of the CPU, and the solutions themselves.

>>> import queens
>>> queens.count(10)
724
>>> print(next(queens.solutions(4)))
_ _ Q _
Q _ _ _
_ _ _ Q
_ Q _ _

A solution is a tuple: the row of the queen in each column from left to right, rows counted from 0 at the top.
"""

from __future__ import annotations

import html as _html
import json
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from types import MappingProxyType
from operator import index
from time import perf_counter
from typing import TYPE_CHECKING, Any, Callable, NamedTuple, Optional, SupportsIndex, Union
from zlib import crc32

from . import _queens  # type: ignore[attr-defined]
from ._errors import Cancelled, Contradiction, InvalidArgument, MachineError, NotEnoughMemory, QueensError

if TYPE_CHECKING:
    import numpy

__all__ = [
    "Board", "Cancelled", "Contradiction", "Counter", "Drawing", "InvalidArgument", "Known", "MachineError",
    "NotEnoughMemory", "Page", "Progress", "QueensError", "Result", "Searched", "Solution", "Solutions", "Tree", "check",
    "classes", "count", "draw", "estimate", "known", "solutions", "solve", "table",
]  # fmt: skip

__version__ = version("queens")

for _error in (Cancelled, Contradiction, InvalidArgument, MachineError, NotEnoughMemory, QueensError):
    _error.__module__ = __name__

_LARGEST_SHOWN = 200


def _natural(name: str, value: SupportsIndex, accepted: str = "0 to 1000000", most: int = (1 << 32) - 1) -> int:
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r} is not a whole number") from None
    if 0 <= number <= most:
        return number
    raise InvalidArgument(f"{name}: {number} is out of range (accepted: {accepted})")


def _maybe(name: str, value: Optional[SupportsIndex], accepted: str = "whole numbers below 2^64") -> Optional[int]:
    return None if value is None else _natural(name, value, accepted, (1 << 64) - 1)


def _rows(rows: Iterable[SupportsIndex]) -> list[int]:
    return [_natural("row", row) for row in rows]


@dataclass(frozen=True, init=False, repr=False)
class Board:
    """A board of N by N squares with preplaced queens, blocked squares, or diagonals that wrap around.

    A plain number stands for an empty board everywhere. A square is a name as in "c5", or column and row from the top left,
    both from 0, as in "2,3".

    >>> count(Board(8, queens=["a8"]))
    4
    >>> count(Board(7, torus=True))
    28
    """

    n: int
    _board: _queens.Board

    def __init__(
        self, n: SupportsIndex, *, queens: Iterable[str] = (), blocked: Iterable[str] = (), torus: bool = False
    ) -> None:
        number = _natural("n", n)
        self.__dict__.update(n=number, _board=_queens.Board(number, list(queens), list(blocked), torus))

    def __repr__(self) -> str:
        special = self._board.constraints()
        return f"<N = {self.n}, {special}>" if special else f"<N = {self.n}>"

    @staticmethod
    def _of(board: _Board) -> Board:
        return board if isinstance(board, Board) else Board(board)


_Board = Union[SupportsIndex, Board]


class _Shown(str):
    __slots__ = ()

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, {len(self):,} characters>"


class Drawing(_Shown):
    """A drawing: a string of SVG that a notebook shows."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        # Drawings of several cells may come to stand in one page, where names must not meet.
        name = f"{crc32(self.encode()):08x}"
        return re.sub(r'(id="|href="#|url\(#)(\w+)', rf"\1\2-{name}", self)


class Page(_Shown):
    """A page of HTML, whole in itself: a string that a notebook shows in a frame; written to a file, it is for any browser."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        frame = 'width="100%" height="640" style="border: 0"'
        return f'<iframe srcdoc="{_html.escape(str(self))}" {frame}></iframe>'


class Solution(tuple[int, ...]):
    """A solution of the empty board: a tuple of rows that a notebook shows as a board.

    >>> Solution([1, 3, 0, 2])
    Solution((1, 3, 0, 2))
    >>> Solution([0, 1, 2, 3])
    Traceback (most recent call last):
    queens.InvalidArgument: a4 and b3 attack each other along a diagonal
    """

    __slots__ = ()

    def __new__(cls, rows: Iterable[SupportsIndex]) -> Solution:
        every = _rows(rows)
        _queens.check(every, False)
        return tuple.__new__(cls, every)

    def images(self) -> list[Solution]:
        """The images under the eight symmetries of the square: three quarter turns clockwise, then the same of its mirror image.

        >>> [len(set(solution.images())) for solution in solutions(6)]
        [4, 4, 4, 4]
        """
        return [_solution(rows) for rows in _queens.images(list(self))]

    def canonical(self) -> Solution:
        """The first of its images in lexicographic order, which stands for its class."""
        return min(self.images())

    @property
    def symmetry(self) -> str:
        """What leaves it as it is: `none`, `half turn`, `quarter turn` or `all`."""
        return str(_queens.symmetry(list(self)))

    def __repr__(self) -> str:
        return f"Solution({tuple(self)})"

    def __str__(self) -> str:
        return str(_queens.text(list(self))).rstrip("\n")

    def _repr_svg_(self) -> Optional[str]:
        return draw([self])._repr_svg_() if len(self) <= _LARGEST_SHOWN else None


def _solution(rows: tuple[int, ...]) -> Solution:
    return tuple.__new__(Solution, rows)


class Solutions(Iterator[Solution]):
    """The solutions of a board, found as they are asked for: made by `solutions`."""

    def __init__(self, board: _Board, fundamental: bool) -> None:
        self._n = Board._of(board).n
        self._rest = _queens.Enumeration(Board._of(board)._board, fundamental)

    def __next__(self) -> Solution:
        return tuple.__new__(Solution, next(self._rest))

    def to_numpy(self, limit: Optional[SupportsIndex] = None) -> numpy.ndarray[Any, numpy.dtype[numpy.int16]]:
        """The solutions that are left, or so many of them, as an array of 16-bit integers with a line for each. After an error
        they are all still left.

        >>> solutions(8).to_numpy().shape
        (92, 8)
        """
        import numpy

        most = _maybe("limit", limit)
        found, rows = self._rest.rest((1 << 64) - 1 if most is None else most)
        return numpy.ndarray((found, self._n), numpy.int16, rows)


def solutions(board: _Board, *, fundamental: bool = False) -> Solutions:
    """All solutions in lexicographic order, none held in memory; only the first one of each class if `fundamental`.

    >>> next(solutions(8))
    Solution((0, 4, 7, 5, 2, 6, 1, 3))
    >>> sum(1 for _ in solutions(8)), sum(1 for _ in solutions(8, fundamental=True))
    (92, 12)
    """
    return Solutions(board, fundamental)


def check(rows: Iterable[SupportsIndex], *, torus: bool = False) -> bool:
    """Whether these rows are a solution; `Solution(rows)` says why not.

    >>> check([0, 4, 7, 5, 2, 6, 1, 3]), check([0, 0])
    (True, False)
    """
    try:
        _queens.check(_rows(rows), torus)
    except InvalidArgument:
        return False
    return True


def draw(solutions: Iterable[Sequence[int]], *, board: Optional[_Board] = None, title: str = "") -> Drawing:
    """Solutions on one sheet, up to 1,000 of them; what is special about a `board` is shown too.

    >>> draw(solutions(6), title="All four")[:4]
    '<svg'
    """
    return Drawing(_queens.draw(solutions, None if board is None else Board._of(board)._board, title))


class Progress(NamedTuple):
    """How far a count is."""

    fraction: float
    """The part of the work that is done, from 0 to 1, estimated."""
    left: Optional[float]
    """Seconds that it will take yet, estimated; None until there is enough to tell."""
    found: int
    """Solutions found."""
    elapsed: float
    """Seconds since it began."""


@dataclass(frozen=True, repr=False)
class Result:
    """What a count came to: made by `Counter.run`."""

    _record: dict[str, Any]
    n: int
    total: int
    check: str
    """How the total was checked, in one word: `verified` against a published value, `consistent`, `unverified`."""
    check_detail: str
    seconds: float
    engine: str
    kernel: str
    threads: int

    @property
    def machine(self) -> dict[str, Any]:
        """What it was counted with: version, compiler, CPU, operating system."""
        names = (
            "version compiler date cpu cpu_id cores hardware_threads usable_threads usable_reason caches instruction_sets "
            "hypervisor os platform"
        ).split()
        return {name: self._record[name] for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Everything, under the names that the program's JSON has."""
        return dict(self._record)

    def __repr__(self) -> str:
        how = f"{self.check}, {self.seconds:.3g} s, engine {self.engine}, kernel {self.kernel}"
        return f"<Result N = {self.n}: {self.total:,}, {how}>"


def _record(text: str) -> dict[str, Any]:
    """A record of the library, whose JSON has large numbers as strings."""
    counts = {"solutions", "fundamental", "half_turn", "quarter_turn", "classes", "nodes", "published"}

    def exact(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return {key: int(value) if key in counts and isinstance(value, str) else value for key, value in pairs}

    record: dict[str, Any] = json.loads(text, object_pairs_hook=exact)
    return record


class Counter:
    """A count to be made; what is not chosen is chosen for the board and this machine.

    `engine` is bitboard, join or torus; `kernel` reference, scalar, portable, avx2 or avx512; `symmetry`, of engine bitboard,
    none, mirror or eightfold. `memory` is the most to take, in bytes; `double_check` the percentage of the work to do twice;
    `stats` has engine join count what it does. `progress` is True for a bar, which needs tqdm, or a function that is called with
    a `Progress` some fifty times a second.

    >>> result = Counter(12, threads=2, engine="join").run()
    >>> result.total, result.check, result.engine
    (14200, 'verified', 'join')
    """

    def __init__(
        self,
        board: _Board,
        *,
        engine: Optional[str] = None,
        kernel: Optional[str] = None,
        symmetry: Optional[str] = None,
        threads: Optional[SupportsIndex] = None,
        memory: Optional[SupportsIndex] = None,
        stats: bool = False,
        double_check: Optional[float] = None,
        progress: Union[bool, Callable[[Progress], object]] = False,
    ) -> None:
        self._board = Board._of(board)
        if not (isinstance(progress, bool) or callable(progress)):
            raise InvalidArgument(f"progress: {progress!r} is unknown (accepted: True, False, a function)")
        numbers = (_maybe("threads", threads, "1 to 4096"), _maybe("memory", memory))
        choices = (engine, kernel, symmetry, *numbers, stats, double_check)
        self._counter = _queens.Counter(self._board._board, *choices)
        self._progress = progress

    def run(self) -> Result:
        """Counts, with the interpreter's lock released. Ctrl-C ends it within a second. One run at a time."""
        record = _record(self._count().record())
        names = ("n", "solutions", "check", "check_detail", "seconds", "engine", "kernel", "threads")
        return Result(record, *(record[name] for name in names))

    def cancel(self) -> None:
        """Ends a run from another thread, where it raises `Cancelled`."""
        self._counter.cancel()

    def _count(self) -> _queens.Count:
        if callable(self._progress):
            tell = self._progress
            return self._counter.run(lambda *news: tell(Progress(*news)))
        if not self._progress:
            return self._counter.run(None)
        try:
            from tqdm.auto import tqdm
        except ImportError:
            warnings.warn("no progress is shown: tqdm is not installed (pip install tqdm)", stacklevel=3)
            return self._counter.run(None)
        form = "{desc}: {percentage:5.1f} %|{bar}| {elapsed}{postfix}"
        with tqdm(total=1.0, desc=f"N = {self._board.n}", bar_format=form) as bar:

            def show(fraction: float, left: Optional[float], found: int, elapsed: float) -> None:
                if left is not None:
                    rate = tqdm.format_sizeof(found / max(elapsed, 1e-9))
                    bar.set_postfix_str(f"{tqdm.format_interval(left)} left, {rate} solutions/s", refresh=False)
                bar.update(max(fraction - bar.n, 0.0))

            return self._counter.run(show)


def count(board: _Board, **choices: Any) -> int:
    """The number of solutions, exactly. Choices are those of `Counter`.

    >>> count(16)
    14772512
    """
    return int(Counter(board, **choices)._count().total)


def table(sizes: Iterable[SupportsIndex], **choices: Any) -> list[dict[str, Any]]:
    """A count of each size, a dictionary each, without what is the same for all: made for `pandas.DataFrame`.

    >>> [row["solutions"] for row in table(range(4, 9))]
    [2, 10, 4, 40, 92]
    """
    names = "n solutions fundamental check seconds solutions_per_second engine kernel threads".split()
    # Names and sizes are looked at before the first is counted.
    counters = [Counter(n, **choices) for n in sizes]
    records = (counter.run().to_dict() for counter in counters)
    return [{name: record[name] for name in names} for record in records]


def classes(n: SupportsIndex, **choices: Any) -> dict[str, Any]:
    """How many solutions are really different: Q(N), counted, by symmetry. What is published is in `known`.

    >>> classes(8)["fundamental"]
    12
    >>> [(row["symmetry"], row["classes"]) for row in classes(8)["classes"]]
    [('none', 11), ('half turn', 1), ('quarter turn', 0)]
    """
    return _record(_queens.classes(Counter(_natural("n", n), **choices)._count()))


def estimate(
    board: _Board, *, seconds: float = 10.0, seed: Optional[SupportsIndex] = None, **choices: Any
) -> dict[str, Any]:
    """About how many solutions there are and how long the count would take here, from a random sample.

    Intervals hold the true value 95 times in 100.

    >>> about = estimate(14, seconds=0.1)
    >>> about["published"], about["seconds_low"] <= about["seconds"] <= about["seconds_high"]
    (365596, True)
    """
    if choices.pop("progress", False):
        raise InvalidArgument("progress: an estimate shows none (accepted: False)")
    return _record(Counter(board, **choices)._counter.estimate(seconds, _maybe("seed", seed)))


class Known(NamedTuple):
    """What is published of one board size (OEIS A000170, A002562, A032522, A033148)."""

    n: int
    solutions: int
    fundamental: int
    """Solutions up to the eight symmetries of the square."""
    half_turn: int
    """Solutions unchanged by a half turn."""
    quarter_turn: int
    """Solutions unchanged by a quarter turn."""
    nodes: Optional[int]
    """Placements that the plain backtracker visits."""


known: Mapping[int, Known] = MappingProxyType({row.n: row for row in map(Known._make, _queens.published())})
"""What is published, by N.

>>> known[27].solutions
234907967154122528
"""


class Tree:
    """A search tree. A notebook shows it as a drawing, with failed subtrees folded; `html` is to be explored."""

    def __init__(self, tree: _queens.Tree, title: str) -> None:
        self._tree = tree
        self._title = title

    def svg(self) -> Drawing:
        """The drawing."""
        return Drawing(self._tree.svg(self._title))

    def html(self) -> Page:
        """A page to fold, unfold and step through, with the board at each node, for N up to 64."""
        return Page(self._tree.html(self._title))

    def _repr_svg_(self) -> str:
        return self.svg()._repr_svg_()


class Searched(list[Solution]):
    """The solutions that `solve` found, and what it took: empty if there is none."""

    how: str
    """The settings, or the construction."""
    stats: dict[str, float]
    """Branches taken, failures (dead ends), squares tested for an attack, and seconds."""
    stopped: Optional[str]
    """The limit that ended it, `branches` or `time`; None if it has all that was asked for."""
    tree: Optional[Tree]
    """The search tree, if it was asked for."""

    def __init__(self, board: Board, found: _queens._Found, seconds: float) -> None:
        rows, self.how, figures, self.stopped, tree = found
        super().__init__(map(_solution, rows))
        self._board = board
        self.stats = dict(zip(("branches", "failures", "tests"), figures), seconds=seconds)
        self.tree = Tree(tree, repr(self)[1:-1]) if tree else None

    def __repr__(self) -> str:
        stopped = f", stopped by the limit of {self.stopped}" if self.stopped else ""
        figures = f"branches {self.stats['branches']}, failures {self.stats['failures']}, solutions {len(self)}"
        return f"<{repr(self._board)[1:-1]}, {self.how}{stopped}: {figures}>"

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def _repr_svg_(self) -> Optional[str]:
        is_shown = 0 < len(self) <= 100 and self._board.n <= _LARGEST_SHOWN
        return draw(self, board=self._board, title=repr(self)[1:-1])._repr_svg_() if is_shown else None


def solve(
    board: _Board,
    *,
    limit: Optional[SupportsIndex] = 1,
    strategy: Optional[str] = None,
    variable: Optional[str] = None,
    value: Optional[str] = None,
    propagation: Optional[str] = None,
    seed: Optional[SupportsIndex] = None,
    max_branches: Optional[SupportsIndex] = None,
    timeout: Optional[float] = None,
    tree: bool = False,
) -> Searched:
    """Finds one solution, or up to `limit`, or all if that is None.

    `strategy` is naive, backtrack, first-fail or first-unbound: a preset of `variable` (first, smallest, random), `value` (min,
    middle, max, random) and `propagation` (none, value, bounds, domain), each of which overrides its part. `seed` is for random
    choices; `max_branches` and `timeout`, in seconds, end the search early; `tree` records it. One solution of an empty board is
    constructed, for N up to a million, where nothing is chosen.

    >>> search = solve(1000, variable="smallest", value="middle")
    >>> len(search[0]), search.stats["failures"]
    (1000, 0)
    >>> solve(8, limit=None, strategy="first-unbound", propagation="bounds").stats["failures"]
    304
    """
    on, started = Board._of(board), perf_counter()
    seeds = (_maybe("seed", seed), _maybe("max_branches", max_branches))
    choices = (strategy, variable, value, propagation, *seeds, timeout, tree)
    found = _queens.solve(on._board, _maybe("limit", limit), *choices)
    return Searched(on, found, perf_counter() - started)
