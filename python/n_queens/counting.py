"""Counts, tables of counts, symmetry classes and estimates."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from typing import TYPE_CHECKING, Any, Callable, Literal, NamedTuple, Optional, SupportsIndex, TypedDict, Union, cast

from . import _native
from .boards import Board, BoardLike

if TYPE_CHECKING:
    from typing_extensions import Unpack

Engine = Literal["bitboard", "join"]
Kernel = Literal["reference", "scalar", "portable", "neon", "wasm", "avx2", "avx512"]
Symmetry = Literal["none", "mirror", "eightfold"]


class Progress(NamedTuple):
    """Fraction of a count that is done, seconds left (None at first), solutions found, and seconds since the start."""

    fraction: float
    left: Optional[float]
    found: int
    elapsed: float


class Result(NamedTuple):
    """The result of a count, or of a merged `Plan`, whose parts do not record the kernel and threads.

    check    `verified` (equals a published value), `consistent` or `unverified`
    machine  version and compiler of the module, date, CPU, and number of cores
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


class Choices(TypedDict, total=False):
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
        self._board = Board.of(board)
        self._counter = _native.Counter(self._board._given, **choices)

    def __repr__(self) -> str:
        return repr(self._counter)

    def run(self) -> Result:
        """Runs the count with the GIL released. Ctrl-C interrupts it within a second."""
        return Result(*self._watch(self._counter.run))

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
    return results[0]._replace(seconds=median(result.seconds for result in results))


def classes(n: SupportsIndex, **choices: Unpack[Choices]) -> dict[str, int]:
    """Counts all solutions, those up to symmetry, and those that a half turn or a quarter turn leaves unchanged.

    >>> classes(8)
    {'solutions': 92, 'fundamental': 12, 'half_turn': 4, 'quarter_turn': 0}
    """
    counter = Counter(Board(n), **choices)
    return dict(counter._watch(counter._counter.classes))


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
