"""Counts with one process per core of this machine."""

import argparse
from concurrent.futures import ProcessPoolExecutor

import n_queens


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n", type=int, nargs="?", default=14)
    parser.add_argument("shards", type=int, nargs="?", default=40)
    given = parser.parse_args()
    plan = n_queens.Plan(given.n, shards=given.shards)
    with ProcessPoolExecutor() as pool:
        print(plan.merge(pool.map(plan.count, range(plan.shards))))
