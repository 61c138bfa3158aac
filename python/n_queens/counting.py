"""Counts, shards, tables of counts and estimates."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from datetime import datetime, timezone
from functools import partial
from importlib.metadata import version
from statistics import median
from typing import TYPE_CHECKING, Any, Callable, Literal, NamedTuple, Optional, SupportsIndex, TypedDict, Union, cast

from . import _native
from .boards import Board, BoardLike

if TYPE_CHECKING:
    from typing_extensions import Unpack

Engine = Literal["bitboard", "join"]
Kernel = Literal["reference", "scalar", "portable", "neon", "wasm", "avx2", "avx512"]
Symmetry = Literal["none", "mirror", "eightfold"]
PathLike = Union[str, "os.PathLike[str]"]


class Progress(NamedTuple):
    """Fraction of a count that is done, seconds left (None at first), solutions found, and seconds since the start."""

    fraction: float
    left: Optional[float]
    found: int
    elapsed: float


class Result(NamedTuple):
    """The result of a count, or of merged shards, which do not record the kernel and threads.

    check    `verified` (equals a published value) or `unverified`
    machine  version of the module, date, CPU, and number of cores
    """

    n: int
    solutions: int
    check: str
    check_detail: str
    seconds: float
    engine: Engine
    kernel: Optional[Kernel]
    threads: Optional[int]
    machine: dict[str, Union[str, int]]

    def __repr__(self) -> str:
        how = f"{self.check}, {self.seconds:.3g} s, engine {self.engine}"
        return f"<Result N = {self.n}: {self.solutions:,}, {how}>"


def _result(*fields: Any) -> Result:
    """Adds the machine to the fields of a result."""
    cpu = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as info:
            names = (line.split(":", 1)[1].strip() for line in info if line.startswith("model name"))
            cpu = next(names, cpu)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    date = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    machine = {"version": version("n-queens"), "date": date, "cpu": cpu, "cores": cores}
    return Result(*(*fields, machine))


class Choices(TypedDict, total=False):
    engine: Optional[Engine]
    kernel: Optional[Kernel]
    symmetry: Optional[Symmetry]
    threads: Optional[SupportsIndex]
    memory: Union[SupportsIndex, str, None]
    timeout: Optional[float]
    progress: Union[bool, Callable[[Progress], object]]


class Counter:
    """A count and its options, which can be pickled. Options that are omitted are chosen to fit the board and this machine.

    engine        bitboard or join
    kernel        reference, scalar, portable, neon, wasm, avx2 or avx512
    symmetry      for the bitboard engine: none, mirror or eightfold
    threads       number of threads, 1 to 4096
    memory        maximum memory use in bytes, or with a unit, such as "512MiB"
    timeout       seconds after which the count fails with `TimeoutError`
    progress      True for a bar (needs tqdm), or a function to call with a `Progress` about fifty times a second

    >>> result = Counter(12, threads=2, engine="join").run()
    >>> result.solutions, result.check, result.engine
    (14200, 'verified', 'join')
    """

    def __init__(self, board: BoardLike, **choices: Unpack[Choices]) -> None:
        self._progress = choices.pop("progress", False)
        if not (isinstance(self._progress, bool) or callable(self._progress)):
            raise ValueError(f"progress: {self._progress!r} is invalid (accepted: True, False or a function)")
        self._board, self._choices = Board.of(board, _native.LARGEST_COUNTED), choices
        self._counter = _native.Counter(self._board._given, **choices)

    def __reduce__(self) -> tuple[Any, tuple[Board]]:
        choices: Choices = {**self._choices, "progress": self._progress}
        return partial(Counter, **choices), (self._board,)

    def __repr__(self) -> str:
        return repr(self._counter)

    def run(self) -> Result:
        """Runs the count with the GIL released. Ctrl-C interrupts it within a second."""
        return _result(*self._watch(self._counter.run))

    def shard(self, number: SupportsIndex, of: SupportsIndex, file: Optional[PathLike] = None) -> bytes:
        """Counts shard `number` of `of`, from 1, and returns its results, which `merge` adds up.

        With a file, saves them there regularly, and resumes the count if the file exists.

        >>> parts = [Counter(12).shard(number, 3) for number in (1, 2, 3)]
        >>> merge(parts).solutions, missing(parts[:1])
        (14200, [2, 3])
        """
        return cast(bytes, self._watch(self._counter.shard, number, of, file))

    def cancel(self) -> None:
        """Cancels runs in other threads, which then raise `Cancelled`."""
        self._counter.cancel()

    def _watch(self, work: Callable[..., Any], *arguments: object) -> Any:
        progress = self._progress
        if callable(progress):
            return work(lambda *values: progress(Progress(*values)), *arguments)
        if not progress:
            return work(None, *arguments)
        from tqdm.auto import tqdm

        with tqdm(total=1.0, desc=str(self._board), bar_format="{l_bar}{bar}| {elapsed}, {remaining} left") as bar:
            return work(lambda fraction, *_: bar.update(max(fraction - bar.n, 0.0)), *arguments)


def count(board: BoardLike, **choices: Unpack[Choices]) -> int:
    """Returns the exact number of solutions. `Counter` describes the options."""
    return Counter(board, **choices).run().solutions


def table(sizes: Iterable[SupportsIndex], **choices: Unpack[Choices]) -> list[Result]:
    """Counts each size and returns a list of results, which suits `pandas.DataFrame`.

    Like the program's `table`, it repeats short counts up to 25 times or for 0.2 seconds. `seconds` is the median.

    >>> [result.solutions for result in table(range(4, 9))]
    [2, 10, 4, 40, 92]
    """
    if not hasattr(sizes, "__iter__"):
        raise TypeError(f"sizes: {sizes!r} is not a list of sizes (accepted: such as range(1, 16) or [8, 10])")
    # Rejects invalid sizes before the first count runs.
    return [_repeated(counter) for counter in [Counter(n, **choices) for n in sizes]]


def _repeated(counter: Counter) -> Result:
    results = [counter.run()]
    while len(results) < 25 and sum(result.seconds for result in results) < 0.2:
        results.append(counter.run())
    return results[0]._replace(seconds=round(median(result.seconds for result in results), 9))


def merge(parts: Iterable[Any]) -> Result:
    """Adds up shards and checks the total: bytes, paths of files or folders, or futures of these.

    The shards may be of different numbers of shards, and whole checkpoints. A subproblem that is in several parts counts
    once. `seconds` is the sum over all parts. Raises a `ValueError` if anything is missing or belongs to another count.
    """
    return _result(*_native.merge(_parts(parts)))


def missing(parts: Iterable[Any]) -> list[int]:
    """Returns the numbers of the shards that are not complete in `parts`, which are as for `merge`."""
    return list(_native.missing(_parts(parts)))


def _parts(parts: Iterable[Any]) -> list[Union[bytes, str]]:
    results = (part.result() if hasattr(part, "result") else part for part in parts)
    return [part if isinstance(part, bytes) else os.fspath(part) for part in results]


class Estimate(TypedDict):
    """Estimated total and cost of a count, with 95 % confidence intervals (None if the sample is too small for them), and
    the number of shards that take an hour each on one thread."""

    solutions: float
    solutions_low: Optional[float]
    solutions_high: Optional[float]
    seconds: float
    seconds_low: Optional[float]
    seconds_high: Optional[float]
    core_hours: float
    memory_bytes: int
    shards: int
    samples: int
    seed: int


def estimate(
    board: BoardLike, *, seconds: float = 10.0, seed: Optional[SupportsIndex] = None, **choices: Unpack[Choices]
) -> Estimate:
    """Estimates the total, and the time of the count on this machine, from a random sample."""
    counter = Counter(board, **choices)
    return cast(Estimate, counter._watch(counter._counter.estimate, seconds, seed))
