"""Counts on a Ray cluster, or with two processes on this machine."""

import argparse

import n_queens
import ray


@ray.remote
def count(counter: n_queens.Counter, number: int, of: int) -> bytes:
    return counter.shard(number, of)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n", type=int, nargs="?", default=14)
    parser.add_argument("shards", type=int, nargs="?", default=40)
    parser.add_argument("address", nargs="?", help="address of the head node")
    given = parser.parse_args()
    counter, numbers = n_queens.Counter(given.n, threads=1), range(1, given.shards + 1)
    ray.init(given.address, num_cpus=None if given.address else 2)
    print(n_queens.merge(ray.get([count.remote(counter, number, given.shards) for number in numbers])))
