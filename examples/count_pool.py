"""Counts with one process per core of this machine."""

import argparse
from concurrent.futures import ProcessPoolExecutor
from signal import SIG_DFL, SIGINT, signal

import n_queens


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n", type=int, nargs="?", default=14)
    parser.add_argument("shards", type=int, nargs="?", default=40)
    given = parser.parse_args()
    counter, numbers = n_queens.Counter(given.n, threads=1), range(1, given.shards + 1)
    # Ctrl-C ends the workers, which would otherwise count the shards that are already queued.
    with ProcessPoolExecutor(initializer=signal, initargs=(SIGINT, SIG_DFL)) as pool:
        print(n_queens.merge(pool.map(counter.shard, numbers, [given.shards] * given.shards)))
