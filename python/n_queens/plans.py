"""Counts that are split into shards, for several processes or machines."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional, SupportsIndex

from .boards import Board, BoardLike
from .counting import Choices, Counter, Engine, Result, Symmetry

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Part(bytes):
    """The result of a shard: the bytes of its ledger file, with a checksum in each line."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The file name in a folder of shards."""
        header = json.loads(self.split(b"\n", 1)[0])
        return f"shard-{header['shard']:06}.ledger"

    def __repr__(self) -> str:
        return f"<Part, {len(self):,} bytes>"


@dataclass(frozen=True, init=False, repr=False)
class Plan:
    """A count split into shards, for a process pool, Dask, Ray or MPI. Plans and parts can be pickled.

    `engine` and `symmetry` are the same as for `Counter`. A part is the `bytes` of a ledger.
    `Path(folder, part.name).write_bytes(part)` adds it to a folder created by `queens shards plan`. The ledgers in such
    a folder, read as bytes, are parts too.

    >>> plan = Plan(12, shards=5)
    >>> parts = [plan.count(shard) for shard in range(plan.shards)]
    >>> plan.merge(parts).solutions, plan.missing(parts[1:4])
    (14200, [0, 4])
    """

    board: Board
    shards: int
    engine: Engine
    symmetry: Optional[Symmetry]
    subproblems: int
    identity: str

    def __init__(
        self, board: BoardLike, *, shards: SupportsIndex, engine: Optional[Engine] = None, symmetry: Optional[Symmetry] = None
    ) -> None:
        counter = Counter(board, engine=engine, symmetry=symmetry, threads=1)
        values = (counter._board, *counter._counter.plan_in(shards))
        vars(self).update(zip(("board", "shards", "engine", "symmetry", "subproblems", "identity"), values))

    def __repr__(self) -> str:
        return f"<Plan of {self.identity}, {self.subproblems:,} subproblems in {self.shards:,} shards>"

    def _on(self, **choices: Unpack[Choices]) -> Counter:
        """Returns a counter with this plan. Fails if this version of n_queens would split the board differently."""
        plan: Choices = {"threads": 1, "engine": self.engine, "symmetry": self.symmetry}
        plan.update(choices)
        counter = Counter(self.board, **plan)
        if (cut := counter._counter.plan_in(self.shards)[-1]) != self.identity:
            raise ValueError(f"the plan is {cut} here, not {self.identity}: use the version of n_queens that created it")
        return counter

    def count(self, shard: SupportsIndex, **choices: Unpack[Choices]) -> Part:
        """Counts a shard, from 0 to `shards` - 1. The options are those of `Counter`, but `threads` is 1 by default."""
        counter = self._on(**choices)
        return Part(counter._watch(counter._counter.shard, shard, self.shards))

    def merge(self, parts: Iterable[Any]) -> Result:
        """Merges all parts, or futures of parts, and checks the total. `seconds` is the sum over all parts.

        Raises a `ValueError` that names missing, repeated and damaged parts, and parts of another plan.
        """
        return Result(*self._on()._counter.merge(self.shards, _parts(parts)))

    def missing(self, parts: Iterable[Any]) -> list[int]:
        """Returns the shards that have no intact part. Raises a `ValueError` if a part belongs to another plan."""
        return list(self._on()._counter.missing(self.shards, _parts(parts)))


def _parts(parts: Iterable[Any]) -> list[bytes]:
    return [part.result() if hasattr(part, "result") else part for part in parts]
