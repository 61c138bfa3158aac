"""Compares the module with the program and with a plain recursion, in interleaved runs.

python python/benches/module.py [PROGRAM] [ROUNDS]

PROGRAM is the release build of `queens`, by default target/release/queens. Times are wall times. For the program, this is the
time that it reports for its count, without process startup. CPU times include this process and its children.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import queens


def plain(n: int) -> Iterator[list[int]]:
    """Finds all solutions column by column, with a loop over the earlier queens."""
    rows: list[int] = []

    def place(column: int) -> Iterator[list[int]]:
        if column == n:
            yield rows[:]
            return
        for row in range(n):
            if all(row != r and abs(row - r) != column - c for c, r in enumerate(rows)):
                rows.append(row)
                yield from place(column + 1)
                rows.pop()

    return place(0)


def cpu() -> float:
    """Returns the user CPU seconds so far, including children that have exited."""
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(resource.getrusage(who).ru_utime for who in whose)


def wall(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def main() -> None:
    program = sys.argv[1] if len(sys.argv) > 1 else "target/release/queens"
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15

    def by_program() -> float:
        done = subprocess.run([program, "count", "18", "--format", "json"], check=True, capture_output=True)
        return float(json.loads(done.stdout)["seconds"])

    ways: dict[str, Callable[[], float]] = {
        "queens count 18": by_program,
        "queens.count(18)": lambda: wall(lambda: queens.count(18)),
        "plain recursion, N = 10": lambda: wall(lambda: sum(1 for _ in plain(10))),
        "queens.solutions(10)": lambda: wall(lambda: sum(1 for _ in queens.solutions(10))),
        "queens.solutions(12).to_numpy()": lambda: wall(lambda: queens.solutions(12).to_numpy()),
    }
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            before = cpu()
            seconds = way()
            times[name].append((seconds, cpu() - before))
    print(f"{rounds} interleaved rounds; wall time in milliseconds: median, minimum; user CPU time: median, minimum")
    for name, measured in times.items():
        figures = [f(1e3 * s for s in column) for column in zip(*measured) for f in (statistics.median, min)]
        print(f"{name:32}" + "".join(f"{figure:10.2f}" for figure in figures))


if __name__ == "__main__":
    main()
