"""Counts on a Ray cluster, or with two processes on this machine."""

import argparse

import n_queens
import ray


@ray.remote
def count(plan: n_queens.Plan, shard: int) -> n_queens.Part:
    return plan.count(shard)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("n", type=int, nargs="?", default=14)
    parser.add_argument("shards", type=int, nargs="?", default=40)
    parser.add_argument("address", nargs="?", help="address of the head node")
    given = parser.parse_args()
    plan = n_queens.Plan(given.n, shards=given.shards)
    ray.init(given.address, num_cpus=None if given.address else 2)
    print(plan.merge(ray.get([count.remote(plan, shard) for shard in range(plan.shards)])))
