"""Runs the examples for process pools and clusters, with local clusters."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import n_queens

EXAMPLES = Path(__file__).parents[2] / "examples"
# Makes the first worker that receives shard 20 kill itself.
KILL = """
import n_queens, os, signal
def shard(self, number, of, shard=n_queens.Counter.shard):
    if number == 20:
        try:
            os.close(os.open({marker!r}, os.O_CREAT | os.O_EXCL))
            os.kill(os.getpid(), signal.SIGKILL)
        except FileExistsError:
            pass
    return shard(self, number, of)
n_queens.Counter.shard = shard
"""


def run(example: str, *arguments: str) -> str:
    command = [sys.executable, str(EXAMPLES / example), *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def result(n: int) -> str:
    return f"<Result N = {n}: {n_queens.known[n].solutions:,}, verified, "


def test_a_process_pool_counts() -> None:
    assert run("count_pool.py", "13", "30").startswith(result(13))


def ends_at_sigint(process: str) -> bool:
    """Whether SIGINT ends a process, because no handler catches it."""
    status = Path(f"/proc/{process}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return not int(caught.split()[1], 16) >> (signal.SIGINT - 1) & 1


@pytest.mark.skipif(
    sys.platform != "linux" or multiprocessing.get_start_method() != "fork",
    reason="the test looks for the workers in /proc",
)
def test_ctrl_c_ends_a_process_pool() -> None:
    command = [sys.executable, str(EXAMPLES / "count_pool.py"), "26", "40"]
    with subprocess.Popen(command, stderr=-1, text=True, start_new_session=True) as pool:
        children = Path(f"/proc/{pool.pid}/task/{pool.pid}/children")
        # All workers have begun: a pool starts one for each core, and the first shards take hours.
        workers = min(40, os.cpu_count() or 1)
        while len(found := children.read_text().split()) < workers or not all(map(ends_at_sigint, found)):
            time.sleep(0.01)
        os.killpg(pool.pid, signal.SIGINT)
        try:
            _, errors = pool.communicate(timeout=60)
        finally:
            if pool.poll() is None:
                os.killpg(pool.pid, signal.SIGKILL)
    assert "KeyboardInterrupt" in errors


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_dask_counts_though_a_worker_is_killed(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    marker = tmp_path / "killed"
    preload = KILL.format(marker=str(marker))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, preload=[preload], dashboard_address=None
    ) as cluster:
        before = {worker.pid for worker in cluster.workers.values()}
        output = run("count_dask.py", "14", "40", cluster.scheduler_address)
        after = {worker.pid for worker in cluster.workers.values()}
    assert output.startswith(result(14))
    assert marker.exists() and len(before) == 2 and before != after


def test_ray_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: it has no wheel for this Python or system")
    monkeypatch.setitem(os.environ, "RAY_USAGE_STATS_ENABLED", "0")
    assert result(13) in run("count_ray.py", "13", "30")


@pytest.mark.parametrize("name", ["pool", "dask", "ray"])
def test_examples_are_short_and_in_the_readme(name: str) -> None:
    lines = (EXAMPLES / f"count_{name}.py").read_text(encoding="utf-8").splitlines()
    readme = (EXAMPLES.parent / "python/README.md").read_text(encoding="utf-8")
    assert len(lines) < 25
    assert f"count_{name}.py" in readme and all(f"`{line.strip()}`" in readme for line in lines[-2:])
