"""Counts and finds the solutions of the N-queens problem, with every core and vector unit of the CPU.

>>> import queens
>>> queens.count(10)
724
>>> print(next(queens.solutions(4)))
_ _ Q _
Q _ _ _
_ _ _ Q
_ Q _ _

A solution is a tuple with the row of the queen in each column, from left to right. Row 0 is at the top.

Errors about the problem or the machine are subclasses of `QueensError`: `InvalidArgument` (also a `ValueError`),
`NotEnoughMemory` (also a `MemoryError`), `Timeout` (also a `TimeoutError`), `Cancelled` and `Contradiction`.
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

# Public functions and classes. `help(queens)` shows only these, because errors and result types inherit long documentation.
__all__ = [
    "Board", "Counter", "Plan", "Solution", "check", "classes", "count", "draw", "estimate", "known", "solutions", "solve",
    "table",
]  # fmt: skip

# Other public names, for annotations and `except` clauses.
_types = [
    "Cancelled", "Choices", "Classes", "Contradiction", "Drawing", "Engine", "Estimate", "InvalidArgument", "Kernel", "Known",
    "NotEnoughMemory", "Page", "Part", "Progress", "QueensError", "Result", "Row", "Searched", "Solutions", "Square", "Step",
    "Symmetry", "SymmetryClass", "Timeout",
]  # fmt: skip


def __dir__() -> list[str]:
    return [*__all__, *_types, "__version__"]


__version__ = version("n-queens")

# Maximum number of boards in a drawing, and their maximum size.
_MOST_SHOWN, _LARGEST_SHOWN = 1000, 200
# Number of solutions that are copied into an array at a time.
_CHUNK = 4096


_T = TypeVar("_T")

Engine = Literal["bitboard", "join"]
Kernel = Literal["reference", "scalar", "portable", "neon", "wasm", "avx2", "avx512"]
Symmetry = Literal["none", "mirror", "eightfold"]


class QueensError(Exception):
    """Base class of all errors that concern the problem or the machine."""


class InvalidArgument(QueensError, ValueError):
    """Raised if a value is invalid. The message contains the value and what is accepted."""


class NotEnoughMemory(QueensError, MemoryError):
    """Raised if more memory is needed than the machine has, or than `memory=` allows."""


class Contradiction(QueensError):
    """Raised instead of returning a total that contradicts a published value, a symmetry or a second count."""


class Cancelled(QueensError):
    """Raised if `Counter.cancel` ended the count."""


class Timeout(QueensError, TimeoutError):
    """Raised if the count took longer than its `timeout`."""


def _natural(name: str, value: SupportsIndex, accepted: str = "0 to 1000000", most: int = (1 << 32) - 1) -> int:
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name}: {value!r} is not an integer") from None
    if 0 <= number <= most:
        return number
    raise InvalidArgument(f"{name}: {number} is out of range (accepted: {accepted})")


def _maybe(name: str, value: Any) -> Optional[int]:
    return None if value is None else _natural(name, value, "integers from 0 to 2^64 - 1", (1 << 64) - 1)


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
    raise InvalidArgument(f"{name}: {value} is out of range (accepted: above 0 and up to 1e9 seconds)")


def _rows(rows: Iterable[SupportsIndex]) -> list[int]:
    return [_natural("row", row) for row in rows]


_Square = Union[str, tuple[SupportsIndex, SupportsIndex]]


def _square(square: _Square) -> str:
    return square if isinstance(square, str) else ",".join(str(index(part)) for part in square)


@dataclass(frozen=True, init=False, repr=False)
class Board:
    """An N by N board, optionally with preplaced queens and blocked squares.

    A number is accepted wherever a board is, and stands for an empty board. A square is a name such as "c5", or the
    zero-based column and row from the top left, such as (2, 3) or "2,3".

    >>> count(Board(8, queens=["a8"]))
    4
    """

    n: int
    special: Optional[str]
    """Description of the constraints; None if there are none. Blocked squares that a queen attacks are omitted."""
    _given: tuple[int, tuple[str, ...], tuple[str, ...]] = field(compare=False)

    def __init__(self, n: SupportsIndex, *, queens: Iterable[_Square] = (), blocked: Iterable[_Square] = ()) -> None:
        given = (_natural("n", n), tuple(map(_square, queens)), tuple(map(_square, blocked)))
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
        """Writes the text to a file."""
        Path(path).write_text(self.text, encoding="utf-8")

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<{type(self).__name__}, {len(self.text):,} characters>"


class Drawing(_Text):
    """An SVG drawing. Notebooks display it."""

    def _repr_svg_(self) -> str:
        # The drawings of several cells may be on one page, where ids must be unique.
        name = f"{crc32(self.text.encode()):08x}"
        return re.sub(r'(id="|href="#|url\(#)(\w+)', rf"\1\2-{name}", self.text)


class Page(_Text):
    """A self-contained HTML page. Notebooks display it in a frame."""

    def _repr_html_(self) -> str:
        frame = 'width="100%" height="640" style="border: 0"'
        return f'<iframe srcdoc="{_html.escape(self.text)}" {frame}></iframe>'


class Solution(tuple[int, ...]):
    """A solution of the empty board: a tuple of rows. Notebooks display it as a board.

    >>> Solution([1, 3, 0, 2])
    Solution((1, 3, 0, 2))
    >>> Solution([0, 1, 2, 3])
    Traceback (most recent call last):
    queens.InvalidArgument: a4 and b3 attack each other along a diagonal
    """

    __slots__ = ()

    def __new__(cls, rows: Iterable[SupportsIndex]) -> Solution:
        every = _rows(rows)
        _queens.check(every)
        return tuple.__new__(cls, every)

    def images(self) -> list[Solution]:
        """Returns the eight symmetric images: the four clockwise rotations, then those of the mirror image.

        >>> [len(set(solution.images())) for solution in solutions(6)]
        [4, 4, 4, 4]
        """
        return list(map(_solution, _queens.images(self)))

    def canonical(self) -> Solution:
        """Returns the lexicographically first image, which represents the symmetry class."""
        return min(self.images())

    @property
    def symmetry(self) -> str:
        """The symmetry of the solution: `none`, `half turn`, `quarter turn` or `all`."""
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
    """An iterator over the solutions of a board, returned by `solutions`."""

    def __init__(self, board: _Board, fundamental: bool) -> None:
        on = Board._of(board)
        self._n, self._rest = on.n, _queens.Solutions(on._given, fundamental)

    def __iter__(self) -> Iterator[Solution]:
        return self

    def __next__(self) -> Solution:
        return _solution(next(self._rest))

    def __len__(self) -> int:
        """Returns the number of remaining solutions. Raises a `TypeError` if the total is not published."""
        return len(self._rest)

    def to_numpy(self, limit: Optional[SupportsIndex] = None) -> numpy.ndarray[Any, numpy.dtype[numpy.int16]]:
        """Returns the remaining solutions, or at most `limit` of them, as rows of an array of 16-bit integers. An error
        leaves the iterator unchanged.

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
                raise NotEnoughMemory("not enough memory for all solutions (set a limit)") from None
            raise


def solutions(board: _Board, *, fundamental: bool = False) -> Solutions:
    """Returns an iterator over all solutions in lexicographic order, or the first of each class if `fundamental`.

    Solutions are not kept in memory. If the total is published, `len()` returns the number of remaining solutions.
    `to_numpy()` returns them as an array.

    >>> next(solutions(8))
    Solution((0, 4, 7, 5, 2, 6, 1, 3))
    >>> len(solutions(8)), len(list(solutions(8, fundamental=True)))
    (92, 12)
    """
    return Solutions(board, fundamental)


def check(rows: Union[str, Iterable[SupportsIndex]]) -> bool:
    """Whether the rows are a solution. The error of `Solution(rows)` gives the reason if they are not.

    A string may contain rows or squares, in the formats that `queens check` reads.

    >>> check([0, 4, 7, 5, 2, 6, 1, 3]), check([0, 0]), check("a2,b4,c1,d3")
    (True, False, True)
    """
    if isinstance(rows, str):
        return bool(_queens.check_line(rows))
    try:
        _queens.check(_rows(rows))
    except InvalidArgument:
        return False
    return True


def draw(solutions: Iterable[Sequence[int]], *, board: Optional[_Board] = None, title: str = "") -> Drawing:
    """Draws up to 1,000 solutions on one sheet, with the preplaced queens and blocked squares of `board`.

    Use `save` on the result to write the sheet to a file.

    >>> draw(solutions(6), title="All four").text[:4]
    '<svg'
    """
    every = [Solution(rows) for rows in islice(solutions, _MOST_SHOWN + 1)]
    if len(every) > _MOST_SHOWN:
        raise InvalidArgument(f"solutions: too many for one drawing (accepted: up to {_MOST_SHOWN})")
    on = Board._of(board if board is not None else len(every[0]) if every else 0)
    if on.n > _LARGEST_SHOWN:
        raise InvalidArgument(f"a {on.n} x {on.n} board is too large to draw (accepted: N = 0 to {_LARGEST_SHOWN})")
    return Drawing(_queens.draw(every, on._given, title))


class Progress(NamedTuple):
    """The progress of a count."""

    fraction: float
    """Estimated fraction of the work that is done, from 0 to 1."""
    left: Optional[float]
    """Estimated seconds left; None until an estimate is possible."""
    found: int
    """Number of solutions found."""
    elapsed: float
    """Seconds since the count started, without pauses of the process."""


@dataclass(frozen=True, repr=False)
class Result:
    """The result of a count. `Counter.run` describes its fields."""

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
        """The environment of the count: version, compiler, CPU, operating system and so on."""
        names = list(self._record)
        return {name: self._record[name] for name in names[names.index("version") :]}

    def to_dict(self) -> dict[str, Any]:
        """Returns all fields, with the names that they have in the program's JSON."""
        return dict(self._record)

    def __repr__(self) -> str:
        how = f"{self.check}, {self.seconds:.3g} s, engine {self.engine}, kernel {self.kernel}"
        return f"<Result N = {self.n}: {self.total:,}, {how}>"


def _record(text: str) -> dict[str, Any]:
    """Parses a JSON record of the library, in which large numbers are strings."""
    counts = {"solutions", "fundamental", "half_turn", "quarter_turn", "classes", "published"}

    def exact(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        return {key: int(value) if key in counts and isinstance(value, str) else value for key, value in pairs}

    record: dict[str, Any] = json.loads(text, object_pairs_hook=exact)
    for group in ("checks", "environment"):
        record.update(record.pop(group, {}))
    return record


class Choices(TypedDict, total=False):
    """Options of a count. `Counter` describes them."""

    engine: Optional[Engine]
    kernel: Optional[Kernel]
    symmetry: Optional[Symmetry]
    threads: Optional[SupportsIndex]
    memory: Optional[SupportsIndex]
    timeout: Optional[float]
    progress: Union[bool, Callable[[Progress], object]]


class Counter:
    """A count and its options. Options that are omitted are chosen to fit the board and this machine.

    engine        bitboard or join
    kernel        reference, scalar, portable, neon, avx2 or avx512
    symmetry      for the bitboard engine: none, mirror or eightfold
    threads       number of threads, 1 to 4096
    memory        maximum memory use in bytes
    timeout       seconds after which the count fails with `Timeout`
    progress      True for a bar (needs tqdm), or a function to call with a `Progress` about fifty times a second

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
            raise InvalidArgument(f"progress: {self._progress!r} is invalid (accepted: True, False or a function)")
        numbers = {name: _maybe(name, choices.get(name)) for name in ("threads", "memory")}
        _time("timeout", choices.get("timeout"))
        self._counter = _queens.Counter(self._board._given, **{**choices, **numbers})

    def run(self) -> Result:
        """Runs the count with the GIL released. Ctrl-C interrupts it within a second.

        The `Result` has the fields `n`, `total`, `check` (`verified` against a published value, `consistent` or
        `unverified`), `check_detail`, `seconds`, `engine`, `kernel`, `threads` and `machine`. `to_dict()` returns
        all fields.
        """
        return _result(self._record(self._counter.run))

    def cancel(self) -> None:
        """Cancels runs in other threads, which then raise `Cancelled`."""
        self._counter.cancel()

    def _record(self, work: Callable[[Any], str]) -> dict[str, Any]:
        """Calls `work` and parses the record that it returns."""
        return _record(self._watch(work))

    def _watch(self, work: Callable[[Any], _T]) -> _T:
        """Calls `work` with a function that reports progress, and returns its result."""
        progress = self._progress
        if callable(progress):
            return work(lambda *values: progress(Progress(*values)))
        if not progress:
            return work(None)
        try:
            from tqdm.auto import tqdm
        except ImportError:
            warnings.warn("no progress bar: tqdm is not installed (pip install tqdm)", stacklevel=4)
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
    """Returns the exact number of solutions.

    >>> count(16)
    14772512
    """
    return Counter(board, **choices).run().total


class Row(TypedDict):
    """A row of `table`."""

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
    """Counts each size and returns a list of dictionaries, which suits `pandas.DataFrame`.

    Like the program's `table`, it repeats short counts up to 25 times or for 0.2 seconds. `seconds` is the median.

    >>> [row["solutions"] for row in table(range(4, 9))]
    [2, 10, 4, 40, 92]
    """
    # Rejects invalid sizes before the first count runs.
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
    """The number of solutions with one kind of symmetry."""

    symmetry: str
    solutions: int
    classes: int
    orbit_size: int


class Classes(TypedDict):
    """The numbers of solutions by symmetry. The dictionary also has the fields of `Result.machine`."""

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
    """Counts all solutions, fundamental solutions and solutions by symmetry. `known` has the published values.

    >>> classes(8)["fundamental"]
    12
    >>> [(row["symmetry"], row["classes"]) for row in classes(8)["classes"]]
    [('none', 11), ('half turn', 1), ('quarter turn', 0)]
    """
    counter = Counter(_counted(n), **choices)
    return cast(Classes, counter._record(counter._counter.classes))


class Estimate(TypedDict):
    """The main fields of an estimate. docs/FORMATS.md describes the others."""

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
    samples: int
    seed: int


def estimate(
    board: _Board, *, seconds: float = 10.0, seed: Optional[SupportsIndex] = None, **choices: Unpack[Choices]
) -> Estimate:
    """Estimates the number of solutions, and the time to count them on this machine, from a random sample.

    The intervals are 95 % confidence intervals.

    >>> about = estimate(12)
    >>> about["published"], about["seconds_low"] <= about["seconds"] <= about["seconds_high"]
    (14200, True)
    """
    counter, begin = Counter(board, **choices), _maybe("seed", seed)
    begin = getrandbits(64) if begin is None else begin
    return cast(Estimate, counter._record(partial(counter._counter.estimate, _time("seconds", seconds), begin)))


class Part(bytes):
    """The result of a shard: the bytes of its ledger file, with a checksum in each line."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The file name in a folder of shards."""
        header = json.loads(self.split(b"\n", 1)[0])
        return f"shard-{header['shard']:06}.ledger"

    def __repr__(self) -> str:
        try:
            return f"<Part {self.name}, {len(self):,} bytes>"
        except (ValueError, KeyError, TypeError):  # not a ledger
            return f"<Part, {len(self):,} bytes>"


@dataclass(frozen=True, init=False, repr=False)
class Plan:
    """A count split into shards, for a process pool, Dask, Ray or MPI. Plans and parts can be pickled.

    `engine` and `symmetry` are the same as for `Counter`. A part is the `bytes` of a ledger.
    `Path(folder, part.name).write_bytes(part)` adds it to a folder created by `queens shards plan`. The ledgers in such
    a folder, read as bytes, are parts too.

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
    identity: str

    def __init__(
        self, board: _Board, *, shards: SupportsIndex, engine: Optional[Engine] = None, symmetry: Optional[Symmetry] = None
    ) -> None:
        counter = Counter(board, engine=engine, symmetry=symmetry, threads=1)
        cut = counter._counter.plan_in(_natural("shards", shards, "1 to the number of subproblems"))
        values = (counter._board, index(shards), *cut)
        vars(self).update(zip(("board", "shards", "engine", "symmetry", "subproblems", "identity"), values))

    def __repr__(self) -> str:
        return f"<Plan of {self.identity}, {self.subproblems:,} subproblems in {self.shards:,} shards>"

    def _on(self, **choices: Unpack[Choices]) -> Counter:
        """Returns a counter with this plan. Fails if this version of queens would split the board differently."""
        choices["engine"], choices["symmetry"] = self.engine, self.symmetry
        counter = Counter(self.board, **choices)
        cut = counter._counter.plan_in(self.shards)[-1]
        if cut != self.identity:
            raise InvalidArgument(f"the plan is {cut} here, not {self.identity}: use the version of queens that created it")
        return counter

    def count(
        self,
        shard: SupportsIndex,
        *,
        threads: Optional[SupportsIndex] = 1,
        kernel: Optional[Kernel] = None,
        memory: Optional[SupportsIndex] = None,
        timeout: Optional[float] = None,
        progress: Union[bool, Callable[[Progress], object]] = False,
    ) -> Part:
        """Counts a shard, from 0 to `shards` - 1. The options are described in `Counter`."""
        number = _natural("shard", shard, f"0 to {self.shards - 1}", self.shards - 1)
        counter = self._on(threads=threads, kernel=kernel, memory=memory, timeout=timeout, progress=progress)
        return Part(counter._watch(partial(counter._counter.shard, number, self.shards)))

    def merge(self, parts: Iterable[Any]) -> Result:
        """Merges all parts, or futures of parts, and checks the total. `seconds` is the sum over all parts.

        `kernel` is empty and `threads` is 0, because parts do not record them.
        Raises a `ValueError` that names missing, repeated and damaged parts, and parts of another plan.
        """
        record = _record(self._on(threads=1)._counter.merge(self.shards, _parts(parts)))
        # Added before `version`, because all fields from `version` on belong to `machine`.
        first = dict.fromkeys(("check", "check_detail"))
        return _result({**first, "kernel": "", "threads": 0, **record})

    def missing(self, parts: Iterable[Any]) -> list[int]:
        """Returns the shards that have no intact part. Raises a `ValueError` if a part belongs to another plan."""
        return list(self._on(threads=1)._counter.missing(self.shards, _parts(parts)))

    def estimate(self, *, seconds: float = 10.0, seed: Optional[SupportsIndex] = None) -> Estimate:
        """Estimates the count on one thread, like `queens.estimate`. `shard_seconds` is the average time of a shard."""
        about = estimate(self.board, seconds=seconds, seed=seed, threads=1, engine=self.engine, symmetry=self.symmetry)
        return {**about, "shards": self.shards, "shard_seconds": about["core_hours"] * 3600 / self.shards}


def _parts(parts: Iterable[Any]) -> list[bytes]:
    return [part.result() if hasattr(part, "result") else part for part in parts]


class Known(NamedTuple):
    """Published values for one board size (OEIS A000170, A002562, A032522, A033148)."""

    n: int
    solutions: int
    source: str
    """Source of the number of solutions."""
    fundamental: int
    """Number of solutions up to the eight symmetries of the square."""
    half_turn: int
    """Number of solutions that a half turn leaves unchanged."""
    quarter_turn: int
    """Number of solutions that a quarter turn leaves unchanged."""
    nodes: Optional[int]
    """Number of placements that a plain backtracking search visits."""
    reference_milliseconds: Optional[int]
    """Time that the OR-Tools guide gives for finding all solutions, for N = 1 to 15."""


known: tuple[Known, ...] = tuple(
    Known(**row, source=source, reference_milliseconds=milliseconds)
    for row, source, milliseconds in json.loads(_queens.published())
)
"""Published values, indexed by N, as in `known[8].solutions`. `pandas.DataFrame(known)` is a table of them.

>>> known[27].solutions
234907967154122528
"""


class Square(TypedDict):
    """A square in a trace."""

    square: str
    column: int
    row: int


class Step(TypedDict, total=False):
    """A step of a search, as in `queens trace --format json`. `node` decides between `choice`, `failure` and `rows`."""

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
    """The solutions that `solve` found, with the method and statistics."""

    how: str
    """Settings of the search, or the method if there was no search."""
    stats: dict[str, float]
    """Number of branches taken, failures (dead ends) and squares tested for an attack, and the seconds taken."""
    stopped: Optional[str]
    """The limit that ended the search, `branches`, `time` or `restarts`; None if no limit was reached."""
    tree: Optional[Page]
    """The search tree as a page to fold, unfold and step through, with the board at each node, if requested."""
    trace: list[Step]
    """The steps of the search, if requested."""

    def __init__(self, board: Board, seconds: float, found: Any) -> None:
        super().__init__(map(_solution, found.solutions))
        self._board, self._title, self.how, self.stopped = board, found.title, found.how, found.stopped
        self.stats = dict(zip(("branches", "failures", "tests"), found.figures), seconds=seconds)
        self.tree = Page(found.tree) if found.tree else None
        self.trace = list(map(json.loads, found.trace.splitlines()))

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
    strategy: Optional[str] = None,
    seed: Optional[SupportsIndex] = None,
    max_branches: Optional[SupportsIndex] = None,
    timeout: Optional[float] = None,
    tree: bool = False,
    trace: Union[bool, SupportsIndex] = False,
) -> Searched:
    """Finds up to `limit` solutions of a board, or all of them if `limit` is None.

    The result is a list with `stats`, `how`, `stopped`, `tree` and `trace`. The list is empty if there is no solution,
    as for N = 3, where the program exits with code 1. It is also empty if a limit ended the search before it found a
    solution. `stopped` then names the limit: `branches`, `time`, or `restarts` if a random search gave up.

    Without search options, one solution of an empty board is constructed, for N up to a million. Several solutions of
    large boards come from the construction and a random search with restarts, for N up to 5,000. `random` finds random
    solutions, which are all equally likely up to N = 12. `seed` makes them reproducible.

    `strategy` is naive, backtrack, first-fail or first-unbound, or a column, a row and a propagation such as
    "smallest,middle,bounds". The column to branch on next is first, smallest, smallest-lowest-min or
    smallest-lowest-max, its row to try first is min, middle, median or max, and the propagation is none, value or
    bounds. `max_branches` and `timeout`, in seconds, end the search early. `tree` records the search tree, for N up to
    64. `trace` records the first 1,000 steps, or the given number of steps, as dictionaries with the fields of
    `queens trace --format json`.

    >>> search = solve(1000, strategy="first-fail")
    >>> len(search[0]), search.stats["failures"]
    (1000, 2)
    >>> solve(8, limit=None, strategy="first,min,bounds").stats["failures"]
    304
    >>> [step["node"] for step in solve(4, strategy="backtrack", trace=True).trace].count("failure")
    4
    """
    on, started = Board._of(board), perf_counter()
    name, most, begin = repr(on)[1:-1], _maybe("limit", limit), _maybe("seed", seed)
    options: dict[str, object] = dict(strategy=strategy)
    options.update(max_branches=_maybe("max_branches", max_branches), timeout=_time("timeout", timeout))
    steps = 1000 if trace is True else _maybe("trace", trace)
    if random:
        if most is None or tree or steps or any(choice is not None for choice in options.values()):
            raise InvalidArgument("random: cannot be combined with other options (accepted: seed, and a limit other than None)")
        begin = getrandbits(64) if begin is None else begin
    elif begin is not None:
        raise InvalidArgument(f"seed: {begin} is of no use (accepted with random=True)")
    options.update(seed=begin, tree=tree, trace=steps)
    found = _queens.solve(on._given, name, most, random, options)
    return Searched(on, perf_counter() - started, found)
