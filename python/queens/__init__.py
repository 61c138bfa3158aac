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

Every error about the problem or the machine is a `QueensError`: `InvalidArgument` (a `ValueError` too), `NotEnoughMemory` (a
`MemoryError`), `Timeout` (a `TimeoutError`), `Cancelled`, or `Contradiction`, for a total that contradicts a published value.
"""

from __future__ import annotations

import html as _html
import json
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial
from importlib.metadata import version
from itertools import islice
from math import fsum
from operator import index
from os import PathLike
from pathlib import Path
from random import getrandbits
from statistics import median
from time import perf_counter
from typing import (
    TYPE_CHECKING, Any, Callable, Literal, NamedTuple, Optional, SupportsIndex, TypedDict, TypeVar, Union,
    cast,
)  # fmt: skip
from zlib import crc32

from . import _queens  # type: ignore[attr-defined]

if TYPE_CHECKING:
    import numpy
    from typing_extensions import Unpack

# What is called, and so what `help(queens)` shows. Errors and what is given back inherit pages of Python's own.
__all__ = [
    "Board", "Counter", "Plan", "Solution", "check", "classes", "count", "draw", "estimate", "known", "solutions", "solve",
    "table",
]  # fmt: skip

# Names that annotations and `except` need.
_types = [
    "Cancelled", "Choices", "Classes", "Contradiction", "Drawing", "Engine", "Estimate", "InvalidArgument", "Kernel", "Known",
    "NotEnoughMemory", "Page", "Part", "Progress", "Propagation", "QueensError", "Result", "Row", "Searched", "Solutions",
    "Square", "Step", "Strategy", "Symmetry", "SymmetryClass", "Timeout", "Tree", "Value", "Variable",
]  # fmt: skip


def __dir__() -> list[str]:
    return [*__all__, *_types, "__version__"]


__version__ = version("queens")

# A sheet has so many boards, each of so many rows.
_MOST_SHOWN, _LARGEST_SHOWN = 1000, 200
# Solutions at a time on their way into an array.
_CHUNK = 4096


_T = TypeVar("_T")

Engine = Literal["bitboard", "join"]
Kernel = Literal["reference", "scalar", "portable", "neon", "avx2", "avx512"]
Symmetry = Literal["none", "mirror", "eightfold", "translation"]
Strategy = Literal["naive", "backtrack", "first-fail", "first-unbound"]
Variable = Literal["first", "smallest", "smallest-lowest-min", "largest", "lowest-min", "highest-max", "random"]
Value = Literal["min", "middle", "median", "max", "split", "random"]
Propagation = Literal["none", "value", "bounds", "domain"]


class QueensError(Exception):
    """Any error of this package that says something about the problem or the machine."""


class InvalidArgument(QueensError, ValueError):
    """A value that cannot be used; the message names it and what is accepted."""


class NotEnoughMemory(QueensError, MemoryError):
    """The machine, or `memory=`, has less than the count needs."""


class Contradiction(QueensError):
    """A total that contradicts a published value, a symmetry or a second count: none is given."""


class Cancelled(QueensError):
    """`Counter.cancel` ended the count."""


class Timeout(QueensError, TimeoutError):
    """The count took longer than its `timeout`."""


def _natural(name: str, value: SupportsIndex, accepted: str = "0 to 1000000", most: int = (1 << 32) - 1) -> int:
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r} is not a whole number") from None
    if 0 <= number <= most:
        return number
    raise InvalidArgument(f"{name}: {number} is out of range (accepted: {accepted})")


def _maybe(name: str, value: Any) -> Optional[int]:
    return None if value is None else _natural(name, value, "whole numbers below 2^64", (1 << 64) - 1)


def _counted(n: SupportsIndex) -> int:
    return _natural("n", n, "0 to 32", 32)


def _time(name: str, value: Optional[float]) -> Optional[float]:
    try:
        if value is None or 0 < fsum([value]) <= 1e9:
            return value
    except TypeError:
        raise TypeError(f"{name}: {value!r} is not a number") from None
    except OverflowError:
        pass
    raise InvalidArgument(f"{name}: {value} is out of range (accepted: seconds above 0, up to 1e9)")


def _rows(rows: Iterable[SupportsIndex]) -> list[int]:
    return [_natural("row", row) for row in rows]


_Square = Union[str, tuple[SupportsIndex, SupportsIndex]]


def _square(square: _Square) -> str:
    return square if isinstance(square, str) else ",".join(str(index(part)) for part in square)


@dataclass(frozen=True, init=False, repr=False)
class Board:
    """A board of N by N squares with preplaced queens, blocked squares, or diagonals that wrap around.

    A plain number stands for an empty board everywhere. A square is a name as in "c5", or column and row from the top left,
    both from 0, as in (2, 3) or "2,3".

    >>> count(Board(8, queens=["a8"]))
    4
    >>> count(Board(7, torus=True))
    28
    """

    n: int
    special: Optional[str]
    """In words; None for an empty board. Blocked squares that a queen attacks anyway are not in it."""
    _given: tuple[int, tuple[str, ...], tuple[str, ...], bool] = field(compare=False)

    def __init__(
        self, n: SupportsIndex, *, queens: Iterable[_Square] = (), blocked: Iterable[_Square] = (), torus: bool = False
    ) -> None:
        given = (_natural("n", n), tuple(map(_square, queens)), tuple(map(_square, blocked)), torus)
        vars(self).update(n=given[0], special=_queens.special(given), _given=given)

    def __repr__(self) -> str:
        return f"<N = {self.n}, {self.special}>" if self.special else f"<N = {self.n}>"

    @staticmethod
    def _of(board: _Board) -> Board:
        return board if isinstance(board, Board) else Board(board)


_Board = Union[SupportsIndex, Board]


@dataclass(frozen=True, repr=False)
class _Text:
    text: str

    def save(self, path: Union[str, PathLike[str]]) -> None:
        """Writes it to a file."""
        Path(path).write_text(self.text, encoding="utf-8")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, {len(self.text):,} characters>"


class Drawing(_Text):
    """A drawing, which a notebook shows; its text is SVG."""

    def _repr_svg_(self) -> str:
        # Drawings of several cells may come to stand in one page, where names must not meet.
        name = f"{crc32(self.text.encode()):08x}"
        return re.sub(r'(id="|href="#|url\(#)(\w+)', rf"\1\2-{name}", self.text)


class Page(_Text):
    """A self-contained HTML page for any browser; a notebook shows it in a frame."""

    def _repr_html_(self) -> str:
        frame = 'width="100%" height="640" style="border: 0"'
        return f'<iframe srcdoc="{_html.escape(self.text)}" {frame}></iframe>'


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
        return list(map(_solution, _queens.images(self)))

    def canonical(self) -> Solution:
        """The first of its images in lexicographic order, which stands for its class."""
        return min(self.images())

    @property
    def symmetry(self) -> str:
        """What leaves it as it is: `none`, `half turn`, `quarter turn` or `all`."""
        return str(_queens.symmetry(self))

    def __repr__(self) -> str:
        return f"Solution({tuple(self)})"

    def __str__(self) -> str:
        lines = (" ".join("Q" if queen == row else "_" for queen in self) for row in range(len(self)))
        return "\n".join(lines)

    def _repr_svg_(self) -> Optional[str]:
        return draw([self])._repr_svg_() if len(self) <= _LARGEST_SHOWN else None


def _solution(rows: Iterable[int]) -> Solution:
    return tuple.__new__(Solution, rows)


class Solutions:
    """The solutions of a board, found as they are asked for: made by `solutions`."""

    def __init__(self, board: _Board, fundamental: bool) -> None:
        on = Board._of(board)
        self._n, self._rest = on.n, _queens.Solutions(on._given, fundamental)

    def __iter__(self) -> Iterator[Solution]:
        return self

    def __next__(self) -> Solution:
        return _solution(next(self._rest))

    def __len__(self) -> int:
        """How many are left, where their number is published; a `TypeError` elsewhere."""
        return len(self._rest)

    def to_numpy(self, limit: Optional[SupportsIndex] = None) -> numpy.ndarray[Any, numpy.dtype[numpy.int16]]:
        """The solutions that are left, or so many of them, as an array of 16-bit integers with a line for each. After an error
        they are all still left.

        >>> solutions(8).to_numpy().shape
        (92, 8)
        """
        import numpy

        before, most = self._rest.copy(), _maybe("limit", limit)
        found, rows = 0, bytearray()
        try:
            while chunk := list(islice(self._rest, _CHUNK if most is None else min(most - found, _CHUNK))):
                found += len(chunk)
                rows += b"".join(chunk)
            return numpy.ndarray((found, self._n), numpy.uint8, rows).astype(numpy.int16)
        except BaseException as error:
            self._rest = before
            if isinstance(error, MemoryError):
                raise NotEnoughMemory("not enough memory for all (a limit can be given)") from None
            raise


def solutions(board: _Board, *, fundamental: bool = False) -> Solutions:
    """All solutions in lexicographic order, none held in memory; only the first one of each class if `fundamental`.

    An iterator. `len()` of it says how many are left, where their number is published; `to_numpy()` gives them as an array.

    >>> next(solutions(8))
    Solution((0, 4, 7, 5, 2, 6, 1, 3))
    >>> len(solutions(8)), len(list(solutions(8, fundamental=True)))
    (92, 12)
    """
    return Solutions(board, fundamental)


def check(rows: Union[str, Iterable[SupportsIndex]], *, torus: bool = False) -> bool:
    """Whether these rows are a solution; `Solution(rows)` says why not. A text has rows or squares, as `queens check` reads them.

    >>> check([0, 4, 7, 5, 2, 6, 1, 3]), check([0, 0]), check("a2,b4,c1,d3")
    (True, False, True)
    """
    if isinstance(rows, str):
        return bool(_queens.check_line(rows, torus))
    try:
        _queens.check(_rows(rows), torus)
    except InvalidArgument:
        return False
    return True


def draw(solutions: Iterable[Sequence[int]], *, board: Optional[_Board] = None, title: str = "") -> Drawing:
    """Solutions on one sheet, up to 1,000 of them; what is special about a `board` is shown too.

    `save` writes the sheet to a file.

    >>> draw(solutions(6), title="All four").text[:4]
    '<svg'
    """
    every = [Solution(rows) for rows in islice(solutions, _MOST_SHOWN + 1)]
    if len(every) > _MOST_SHOWN:
        raise InvalidArgument(f"solutions: too many for one drawing (accepted: up to {_MOST_SHOWN})")
    on = Board._of(board if board is not None else len(every[0]) if every else 0)
    if on.n > _LARGEST_SHOWN:
        raise InvalidArgument(f"N = {on.n} is too large to draw (accepted: 0 to {_LARGEST_SHOWN})")
    return Drawing(_queens.draw(every, on._given, title))


class Progress(NamedTuple):
    """The progress of a count."""

    fraction: float
    """The fraction of the work that is done, from 0 to 1, estimated."""
    left: Optional[float]
    """Seconds left, estimated; None until there is enough to tell."""
    found: int
    """Solutions found."""
    elapsed: float
    """Seconds since it began."""


@dataclass(frozen=True, repr=False)
class Result:
    """The result of a count, as `Counter.run` explains."""

    _record: dict[str, Any]
    n: int
    total: int
    check: str
    check_detail: str
    seconds: float
    engine: str
    kernel: str
    threads: int

    @property
    def machine(self) -> dict[str, Any]:
        """What it was counted with: version, compiler, CPU, operating system."""
        names = list(self._record)
        return {name: self._record[name] for name in names[names.index("version") :]}

    def to_dict(self) -> dict[str, Any]:
        """Everything, under the names that the program's JSON has."""
        return dict(self._record)

    def __repr__(self) -> str:
        how = f"{self.check}, {self.seconds:.3g} s, engine {self.engine}, kernel {self.kernel}"
        return f"<Result N = {self.n}: {self.total:,}, {how}>"


def _record(text: str) -> dict[str, Any]:
    """A record of the library, whose JSON has large numbers as strings."""
    counts = {"solutions", "fundamental", "half_turn", "quarter_turn", "classes", "published"}

    def exact(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return {key: int(value) if key in counts and isinstance(value, str) else value for key, value in pairs}

    record: dict[str, Any] = json.loads(text, object_pairs_hook=exact)
    for group in ("checks", "environment"):
        record.update(record.pop(group, {}))
    return record


class Choices(TypedDict, total=False):
    """How to count, as `Counter` explains."""

    engine: Optional[Engine]
    kernel: Optional[Kernel]
    symmetry: Optional[Symmetry]
    threads: Optional[SupportsIndex]
    memory: Optional[SupportsIndex]
    stats: bool
    double_check: Optional[float]
    timeout: Optional[float]
    progress: Union[bool, Callable[[Progress], object]]


class Counter:
    """A count with its settings, those left out being chosen to fit the board and this machine:

    engine        bitboard or join
    kernel        reference, scalar, portable, neon, avx2 or avx512
    symmetry      of engine bitboard: none, mirror, eightfold or, on a torus, translation
    threads       1 to 4096
    memory        the most to take, in bytes
    stats         whether to collect statistics of engine join
    double_check  the percentage of the work to do twice
    timeout       seconds after which the count ends with an error, `Timeout`
    progress      True for a bar, which needs tqdm, or a function that is called with a `Progress` about fifty times a second

    >>> result = Counter(12, threads=2, engine="join").run()
    >>> result.total, result.check, result.engine
    (14200, 'verified', 'join')
    """

    def __init__(self, board: _Board, **choices: Unpack[Choices]) -> None:
        for name in choices.keys() - Choices.__annotations__.keys():
            meant = get_close_matches(name, Choices.__annotations__, 1)
            hint = f": did you mean {meant[0]!r}?" if meant else f" (accepted: {', '.join(Choices.__annotations__)})"
            raise TypeError(f"unexpected argument {name!r}{hint}")
        _counted(board.n if isinstance(board, Board) else board)
        self._board = Board._of(board)
        self._progress = choices.pop("progress", False)
        if not (isinstance(self._progress, bool) or callable(self._progress)):
            raise InvalidArgument(f"progress: {self._progress!r} is unknown (accepted: True, False, a function)")
        numbers = {name: _maybe(name, choices.get(name)) for name in ("threads", "memory")}
        _time("timeout", choices.get("timeout"))
        self._counter = _queens.Counter(self._board._given, **{**choices, **numbers})

    def run(self) -> Result:
        """Counts, with the interpreter's lock released. Ctrl-C ends it within a second.

        A `Result` has `n`, `total`, `check` (`verified` against a published value, `consistent` or `unverified`), `check_detail`,
        `seconds`, `engine`, `kernel`, `threads`, `machine` and, for everything, `to_dict()`.
        """
        return _result(self._record(self._counter.run))

    def cancel(self) -> None:
        """Ends its runs in other threads, where they raise `Cancelled`."""
        self._counter.cancel()

    def _record(self, work: Callable[[Any], str]) -> dict[str, Any]:
        """The record of some work."""
        return _record(self._watch(work))

    def _watch(self, work: Callable[[Any], _T]) -> _T:
        """The result of some work, which reports its progress to a function."""
        tell = self._progress
        if callable(tell):
            return work(lambda *news: tell(Progress(*news)))
        if not tell:
            return work(None)
        try:
            from tqdm.auto import tqdm
        except ImportError:
            warnings.warn("no progress is shown: tqdm is not installed (pip install tqdm)", stacklevel=4)
            return work(None)
        form = "{desc}: {percentage:5.1f} %|{bar}| {elapsed}{postfix}"
        with tqdm(total=1.0, desc=f"N = {self._board.n}", bar_format=form) as bar:

            def show(fraction: float, left: Optional[float], found: int, elapsed: float) -> None:
                if left is not None:
                    rate = f", {tqdm.format_sizeof(found / max(elapsed, 1e-9))} solutions/s" if found else ""
                    bar.set_postfix_str(f"{tqdm.format_interval(left)} left{rate}", refresh=False)
                bar.update(max(fraction - bar.n, 0.0))

            return work(show)


def _result(record: dict[str, Any]) -> Result:
    names = ("n", "solutions", "check", "check_detail", "seconds", "engine", "kernel", "threads")
    return Result(record, *(record[name] for name in names))


def count(board: _Board, **choices: Unpack[Choices]) -> int:
    """The number of solutions, exactly.

    >>> count(16)
    14772512
    """
    return Counter(board, **choices).run().total


class Row(TypedDict):
    """A line of `table`."""

    n: int
    solutions: int
    fundamental: Optional[int]
    check: str
    seconds: float
    least_seconds: float
    runs: int
    engine: Engine
    kernel: Kernel
    threads: int


def table(sizes: Iterable[SupportsIndex], **choices: Unpack[Choices]) -> list[Row]:
    """A count of each size, a dictionary each, without what is the same for all: made for `pandas.DataFrame`.

    Short counts are repeated, 25 times or for 0.2 seconds, as the program's `table` does: `seconds` is the median.

    >>> [row["solutions"] for row in table(range(4, 9))]
    [2, 10, 4, 40, 92]
    """
    # All are refused that cannot be counted before the first one is.
    return [_row(counter) for counter in [Counter(n, **choices) for n in sizes]]


def _row(counter: Counter) -> Row:
    record, times = dict[str, Any](), list[float]()
    while len(times) < 25 and sum(times) < 0.2:
        record = counter.run().to_dict()
        times.append(record["seconds"])
        counter._progress = False  # one bar is enough
    record.update(seconds=median(times), least_seconds=min(times), runs=len(times))
    return cast(Row, {name: record[name] for name in Row.__annotations__})


class SymmetryClass(TypedDict):
    """The solutions with one kind of symmetry."""

    symmetry: str
    solutions: int
    classes: int
    orbit_size: int


class Classes(TypedDict):
    """The solutions by symmetry; the machine's fields are those of `Result.machine`."""

    n: int
    solutions: int
    check: str
    check_detail: str
    fundamental: int
    half_turn: int
    quarter_turn: int
    symmetric_seconds: float
    classes: list[SymmetryClass]


def classes(n: SupportsIndex, **choices: Unpack[Choices]) -> Classes:
    """The solutions by symmetry, and how many are fundamental. Q(N) is counted; `known` has the published values.

    >>> classes(8)["fundamental"]
    12
    >>> [(row["symmetry"], row["classes"]) for row in classes(8)["classes"]]
    [('none', 11), ('half turn', 1), ('quarter turn', 0)]
    """
    counter = Counter(_counted(n), **choices)
    return cast(Classes, counter._record(counter._counter.classes))


class Estimate(TypedDict):
    """Main fields of an estimate; docs/FORMATS.md has the others."""

    n: int
    solutions: float
    solutions_low: Optional[float]
    solutions_high: Optional[float]
    published: Optional[int]
    seconds: float
    seconds_low: Optional[float]
    seconds_high: Optional[float]
    core_hours: float
    memory_bytes: int
    shards: int
    shard_seconds: float
    subproblems: int
    counted: bool
    seed: int


def estimate(
    board: _Board, *, seconds: float = 10.0, seed: Optional[SupportsIndex] = None, **choices: Unpack[Choices]
) -> Estimate:
    """About how many solutions there are and how long the count would take here, from a random sample.

    Intervals are 95 % confidence intervals.

    >>> about = estimate(14, seconds=0.1)
    >>> about["published"], about["seconds_low"] <= about["seconds"] <= about["seconds_high"]
    (365596, True)
    """
    counter, begin = Counter(board, **choices), _maybe("seed", seed)
    begin = getrandbits(64) if begin is None else begin
    return cast(Estimate, counter._record(partial(counter._counter.estimate, _time("seconds", seconds), begin)))


class Part(bytes):
    """A counted shard: the bytes of its ledger file, with a checksum in each line."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """Name of the file in a folder of shards."""
        begin, _, _ = self.split(b"\n", 1)[0].rpartition(b" ")
        return f"shard-{json.loads(begin)['begin']['shard']:06}.ledger"

    def __repr__(self) -> str:
        return f"<Part {self.name}, {len(self):,} bytes>"


@dataclass(frozen=True, init=False, repr=False)
class Plan:
    """A count split into shards, for a process pool, Dask, Ray or MPI. Plans and parts can be pickled.

    Engine and symmetry are those of `Counter`. A part is the `bytes` of a ledger. `Path(folder, part.name).write_bytes(part)`
    puts it in a folder of `queens shards plan`, and the ledgers of such a folder, read as bytes, are parts.

    >>> plan = Plan(12, shards=5)
    >>> parts = [plan.count(shard) for shard in range(plan.shards)]
    >>> plan.merge(parts).total, plan.missing(parts[1:4])
    (14200, [0, 4])
    """

    board: Board
    shards: int
    engine: Engine
    symmetry: Optional[Symmetry]
    subproblems: int
    fingerprint: str

    def __init__(
        self, board: _Board, *, shards: SupportsIndex, engine: Optional[Engine] = None, symmetry: Optional[Symmetry] = None
    ) -> None:
        counter = Counter(board, engine=engine, symmetry=symmetry, threads=1)
        cut = counter._counter.plan_in(_natural("shards", shards, "1 to the number of subproblems"))
        values = (counter._board, index(shards), *cut)
        vars(self).update(zip(("board", "shards", "engine", "symmetry", "subproblems", "fingerprint"), values))

    def __repr__(self) -> str:
        return f"<Plan {self.fingerprint}, {self.subproblems:,} subproblems in {self.shards:,} shards>"

    def _on(self, **choices: Unpack[Choices]) -> Counter:
        """Returns a counter with this plan. Raises an error if this version of queens would split the board otherwise."""
        choices["engine"], choices["symmetry"] = self.engine, self.symmetry
        counter = Counter(self.board, **choices)
        cut = counter._counter.plan_in(self.shards)[-1]
        if cut != self.fingerprint:
            raise InvalidArgument(f"plan {self.fingerprint} is {cut} here: use the version of queens that made it")
        return counter

    def count(
        self,
        shard: SupportsIndex,
        *,
        threads: Optional[SupportsIndex] = 1,
        kernel: Optional[Kernel] = None,
        memory: Optional[SupportsIndex] = None,
        double_check: Optional[float] = None,
        timeout: Optional[float] = None,
        progress: Union[bool, Callable[[Progress], object]] = False,
    ) -> Part:
        """Counts a shard, 0 to `shards` - 1, with the options of `Counter`."""
        number = _natural("shard", shard, f"0 to {self.shards - 1}", self.shards - 1)
        counter = self._on(
            threads=threads, kernel=kernel, memory=memory, double_check=double_check, timeout=timeout, progress=progress
        )
        return Part(counter._watch(partial(counter._counter.shard, number, self.shards)))

    def merge(self, parts: Iterable[Any]) -> Result:
        """Merges all parts, or futures of them, and checks the total. `seconds` is the sum over all parts.

        Raises a `ValueError` that names missing, repeated and damaged parts, and those of another plan.
        """
        record = _record(self._on(threads=1)._counter.merge(self.shards, _parts(parts)))
        threads = round(record["thread_seconds"] / record["seconds"]) if record["seconds"] else 1
        # The fields from `version` on are those of `machine`.
        first = dict.fromkeys(("check", "check_detail"))
        return _result({**first, "kernel": ", ".join(record["kernels"]), "threads": threads, **record})

    def missing(self, parts: Iterable[Any]) -> list[int]:
        """Returns the shards that have no intact part. Raises a `ValueError` if a part belongs to another plan."""
        return list(self._on(threads=1)._counter.missing(self.shards, _parts(parts)))

    def estimate(self, *, seconds: float = 10.0, seed: Optional[SupportsIndex] = None) -> Estimate:
        """Estimates the count on one thread, as `queens.estimate` does; `shard_seconds` is the time of one of `shards`."""
        about = estimate(self.board, seconds=seconds, seed=seed, threads=1, engine=self.engine, symmetry=self.symmetry)
        return {**about, "shards": self.shards, "shard_seconds": about["core_hours"] * 3600 / self.shards}


def _parts(parts: Iterable[Any]) -> list[bytes]:
    return [part.result() if hasattr(part, "result") else part for part in parts]


class Known(NamedTuple):
    """What is published of one board size (OEIS A000170, A002562, A032522, A033148)."""

    n: int
    solutions: int
    source: str
    """Where the number of solutions is published."""
    fundamental: int
    """Solutions up to the eight symmetries of the square."""
    half_turn: int
    """Solutions unchanged by a half turn."""
    quarter_turn: int
    """Solutions unchanged by a quarter turn."""
    nodes: Optional[int]
    """Placements that the plain backtracker visits."""
    reference_milliseconds: Optional[int]
    """What the OR-Tools guide publishes for finding all solutions, N = 1 to 15."""


known: tuple[Known, ...] = tuple(
    Known(**row, source=source, reference_milliseconds=milliseconds)
    for row, source, milliseconds in json.loads(_queens.published())
)
"""What is published, for N from 0 on: `known[8].solutions`, or a table as `pandas.DataFrame(known)`.

>>> known[27].solutions
234907967154122528
"""


@dataclass(frozen=True, repr=False)
class Tree(Drawing):
    """A search tree. A notebook shows it as a drawing, with failed subtrees folded; `html` is to be explored."""

    _page: Optional[str]

    def html(self) -> Page:
        """A page to fold, unfold and step through, with the board at each node, for N up to 64."""
        if self._page is None:
            raise InvalidArgument("N is too large to explore a tree (accepted: 0 to 64, or a drawing)")
        return Page(self._page)


class Square(TypedDict):
    """A square in a trace."""

    square: str
    column: int
    row: int


class Step(TypedDict, total=False):
    """A step of a search. Those of `queens solve --trace --format json`; `choice`, `failure` or `rows` depends on `node`."""

    step: int
    depth: int
    back_to: Optional[int]
    branch: Optional[dict[str, Any]]
    queens: list[Square]
    new_queens: list[Square]
    removed: list[dict[str, Any]]
    free_rows: list[list[int]]
    branches: int
    failures: int
    solutions: int
    node: Literal["choice", "failure", "solution"]
    choice: Optional[Square]
    failure: str
    rows: list[int]


class Searched(list[Solution]):
    """The solutions that `solve` found, and what it took."""

    how: str
    """The settings, or the construction."""
    stats: dict[str, float]
    """Branches taken, failures (dead ends), squares tested for an attack, and seconds."""
    stopped: Optional[str]
    """The limit that ended it, `branches` or `time`; None if it has all that was asked for."""
    tree: Optional[Tree]
    """The search tree, if it was asked for."""
    trace: list[Step]
    """The steps, if they were asked for."""

    def __init__(self, board: Board, seconds: float, found: tuple[Any, ...]) -> None:
        rows, self.how, self.stopped, figures, self._title, tree, trace = found
        super().__init__(map(_solution, rows))
        self._board = board
        self.stats = dict(zip(("branches", "failures", "tests"), figures), seconds=seconds)
        self.tree = Tree(*tree) if tree else None
        self.trace = list(map(json.loads, trace.splitlines()))

    def __repr__(self) -> str:
        return f"<{self._title}>"

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def _repr_svg_(self) -> Optional[str]:
        is_shown = 0 < len(self) <= 100 and self._board.n <= _LARGEST_SHOWN
        return draw(self, board=self._board, title=self._title)._repr_svg_() if is_shown else None


def solve(
    board: _Board,
    *,
    limit: Optional[SupportsIndex] = 1,
    random: bool = False,
    strategy: Optional[Strategy] = None,
    variable: Optional[Variable] = None,
    value: Optional[Value] = None,
    propagation: Optional[Propagation] = None,
    seed: Optional[SupportsIndex] = None,
    max_branches: Optional[SupportsIndex] = None,
    timeout: Optional[float] = None,
    tree: bool = False,
    trace: Union[bool, SupportsIndex] = False,
) -> Searched:
    """Finds one solution, or up to `limit`, or all if that is None: a list with `stats`, `how`, `stopped`, `tree` and `trace`.

    It is empty if there is no solution, as for N = 3, where the program exits with code 1; and if `stopped` names the limit,
    `branches` or `time`, that ended the search before it found one.

    One solution of an empty board is constructed, for N up to a million, where nothing is chosen. Several solutions of large
    boards then come from the construction and a random search with restarts, N up to 5,000. `random` finds random ones,
    up to N = 12 all equally likely; `seed` makes them reproducible.

    `strategy` is naive, backtrack, first-fail or first-unbound: a preset of `variable` (first, smallest, smallest-lowest-min,
    largest, lowest-min, highest-max, random), `value` (min, middle, median, max, split, random) and `propagation` (none, value,
    bounds, domain), each of which overrides its part. `max_branches` and `timeout`, in seconds, end the search early. `tree`
    records the search tree; `trace` the first 1,000 steps, or so many, each a dictionary with the fields of `queens solve --trace
    --format json`.

    >>> search = solve(1000, variable="smallest", value="middle")
    >>> len(search[0]), search.stats["failures"]
    (1000, 2)
    >>> solve(8, limit=None, strategy="first-unbound", propagation="bounds").stats["failures"]
    304
    >>> [step["node"] for step in solve(4, strategy="backtrack", trace=True).trace].count("failure")
    4
    """
    on, started = Board._of(board), perf_counter()
    name, most, begin = repr(on)[1:-1], _maybe("limit", limit), _maybe("seed", seed)
    limits = (_maybe("max_branches", max_branches), _time("timeout", timeout))
    choices, shown = (strategy, variable, value, propagation), (tree, 1000 if trace is True else _maybe("trace", trace))
    is_free = not any(shown) and choices + limits == (None,) * 6
    if random:
        if not is_free or most is None:
            raise InvalidArgument("random: True goes with a limit and a seed alone")
        begin = getrandbits(64) if begin is None else begin
        rows, how = _queens.random(on._given, begin, most), f"at random, seed {begin}"
    elif is_free and most == 1 and begin is None and on.special in (None, "torus"):
        rows, how = _queens.constructed(on.n, bool(on.special)), "by construction"
    else:
        found = _queens.solve(on._given, name, most, *choices, begin, *limits, *shown)
        return Searched(on, perf_counter() - started, found)
    title = f"{name}, {how}: solutions {len(rows)}"
    return Searched(on, perf_counter() - started, (rows, how, None, (0, 0, 0), title, None, ""))
