"""Counts on a Dask cluster, or with processes on this machine."""

import argparse

import n_queens
from dask.distributed import Client


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n", type=int, nargs="?", default=14)
    parser.add_argument("shards", type=int, nargs="?", default=40)
    parser.add_argument("address", nargs="?", help="address of the scheduler")
    given = parser.parse_args()
    counter, numbers = n_queens.Counter(given.n, threads=1), range(1, given.shards + 1)
    with Client(given.address) as client:
        print(n_queens.merge(client.map(counter.shard, numbers, [given.shards] * given.shards)))
