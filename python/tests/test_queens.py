"""Tests the module against published values, a plain recursion and Python conventions. Doctests cover its examples."""

from __future__ import annotations

import copy
import itertools
import pickle
import pydoc
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib.metadata import files, metadata
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

import numpy
import n_queens
import pytest


def plain(n: int, rows: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """Yields all solutions with the recursion that tutorials use."""
    if len(rows) == n:
        yield rows
    for row in range(n):
        if all(row != r and abs(row - r) != len(rows) - c for c, r in enumerate(rows)):
            yield from plain(n, (*rows, row))


@pytest.mark.parametrize("n", range(9))
def test_solutions_are_those_of_the_plain_recursion(n: int) -> None:
    expected = list(plain(n))
    assert list(n_queens.solutions(n)) == expected
    assert n_queens.count(n) == len(expected) == n_queens.known[n].solutions == len(n_queens.solutions(n))
    assert list(n_queens.solve(n, limit=None)) == expected and list(n_queens.solve(n, limit=2)) == expected[:2]
    firsts = list(n_queens.solutions(n, fundamental=True))
    assert [s for s in n_queens.solutions(n) if s.canonical() == s] == firsts
    assert n_queens.known[n].fundamental == len(firsts) == len(n_queens.solutions(n, fundamental=True))


def test_counts_are_exact() -> None:
    result = n_queens.Counter(13, threads=2, engine="join").run()
    assert (result.solutions, type(result.solutions), result.check) == (73712, int, "verified")
    assert (result.engine, result.threads, result.n) == ("join", 2, 13) and result.machine["cpu"]
    assert n_queens.known[27].solutions == 234907967154122528 > 2**53


def test_the_empty_board_has_a_solution() -> None:
    (empty,) = n_queens.solutions(0)
    assert empty == n_queens.Solution(()) == pickle.loads(pickle.dumps(empty)) and n_queens.check([])


def test_memory_may_have_a_unit() -> None:
    assert n_queens.count(8, memory="64MiB") == 92


def test_a_solution_is_a_tuple_with_images() -> None:
    solution = next(n_queens.solutions(8))
    rows = (0, 4, 7, 5, 2, 6, 1, 3)
    assert [solution] == [rows] and hash(solution) == hash(rows)
    assert pickle.loads(pickle.dumps(solution)) == copy.copy(solution) == solution
    assert type(pickle.loads(pickle.dumps(solution))) is n_queens.Solution
    images = solution.images()
    assert len(set(images)) == 8 and solution in images and solution.canonical() == min(images)
    assert solution.symmetry == "none" and [len(set(s.images())) for s in n_queens.solutions(6)] == [4] * 4


@pytest.mark.parametrize("text", ["0,4,7,5,2,6,1,3", "[0, 4, 7, 5, 2, 6, 1, 3]", "15863724", "0 1 0 0\n0 0 0 1\n1 0 0 0\n0 0 1 0"])
def test_a_board_may_be_a_string(text: str) -> None:
    assert n_queens.check(text)


def test_boards_may_have_constraints() -> None:
    corner = n_queens.Board(8, queens=["a8"], blocked=["b4"])
    expected = [rows for rows in plain(8) if rows[0] == 0 and rows[1] != 4]
    assert n_queens.count(corner) == len(expected)
    assert list(n_queens.solutions(corner)) == expected
    assert "preplaced" in n_queens.draw(expected, board=corner).text
    assert not n_queens.check(range(7))
    assert n_queens.count(n_queens.Board(8, queens=[(0, 0)])) == n_queens.count(n_queens.Board(8, queens=["a8"]))
    assert n_queens.count(n_queens.Board(5, blocked=[(numpy.int64(2), 1)])) == n_queens.count(n_queens.Board(5, blocked=["c4"]))


def test_searches_have_figures_trees_and_traces() -> None:
    search = n_queens.solve(8, strategy="first-fail", tree=True)
    assert search[0] in set(plain(8)) and search.stats["branches"] > 0 and search.stopped is None
    assert search.tree is not None
    shown = search.tree._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "<script" not in shown
    assert not n_queens.solve(3) and n_queens.solve(3, limit=None).stats["failures"] > 0
    assert n_queens.check(n_queens.solve(1_000_000)[0])
    assert n_queens.solve(40, strategy="backtrack", max_branches=10).stopped == "branches"
    steps = n_queens.solve(8, strategy="first-fail", trace=True).trace
    assert sum(step["node"] == "failure" for step in steps) == search.stats["failures"]
    assert len(n_queens.solve(8, strategy="backtrack", trace=5).trace) == 5


def test_random_solutions_are_solutions_and_the_seed_reproduces_them() -> None:
    for n in (6, 50):
        one, again = (n_queens.solve(n, random=True, limit=3, seed=7) for _ in range(2))
        assert len(one) == 3 and list(one) == list(again) and all(map(n_queens.check, one))
    assert not n_queens.solve(3, random=True)


def test_several_solutions_of_large_boards_are_found() -> None:
    blocked = n_queens.Board(97, blocked=["a1"])
    for board in (50, 200, blocked):
        found = n_queens.solve(board, limit=5)
        assert len({tuple(rows) for rows in found}) == 5 and all(map(n_queens.check, found))
        assert found.stopped is None and "restarts" in found.how
    assert all(rows[0] != 96 for rows in n_queens.solve(blocked, limit=5))


def test_values_show_what_they_hold() -> None:
    corner = n_queens.Board(8, queens=["a8"])
    some = n_queens.solutions(corner)
    first = next(some)
    assert repr(corner) == "Board(8, queens=['a8'])" and eval(f"n_queens.{corner!r}") == corner
    assert repr(n_queens.solve(1)).endswith("solutions 1: [(0,)]>")
    assert repr(n_queens.solve(30)).startswith("<N = 30, by construction: solutions 1: [(")
    assert repr(n_queens.solutions(8)) == "<solutions of the 8 x 8 board: 92 left>"
    assert repr(some) == "<solutions of the 8 x 8 board with queens on a8: 1 returned>" and first[0] == 0
    assert repr(n_queens.Counter(8, engine="join", kernel="portable", threads=2)) == (
        "<Counter of the 8 x 8 board, engine join, kernel portable, 2 threads>"
    )
    assert str(n_queens.Solution([1, 3, 0, 2])) == "_ _ Q _\nQ _ _ _\n_ _ _ Q\n_ Q _ _"
    # A drawing of a large board would have 10^10 squares.
    large = n_queens.solve(100_000)
    assert str(large) == ",".join(map(str, large[0])) and len(repr(large)) < 200
    assert large._repr_svg_() is None and first._repr_svg_() is not None


def test_help_fits_a_few_screens() -> None:
    assert len(pydoc.render_doc(n_queens).splitlines()) < 420


def test_threads_share_an_iterator() -> None:
    solutions, taken = n_queens.solutions(9), list[n_queens.Solution]()
    threads = [threading.Thread(target=lambda: taken.extend(solutions)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == list(n_queens.solutions(9))


def test_shards_add_up_to_the_total() -> None:
    join = n_queens.Counter(11, engine="join")
    mirror = n_queens.Counter(9, symmetry="mirror", threads=1)
    for counter in (n_queens.Counter(10), join, mirror, n_queens.Counter(n_queens.Board(9, queens=["a9"]))):
        copied = pickle.loads(pickle.dumps(counter))
        assert repr(copied) == repr(counter)
        parts = [copied.shard(number, 7) for number in range(7, 0, -1)]
        result = n_queens.merge(iter(parts))
        assert (result.solutions, result.check) == counter.run()[1:3]
        assert n_queens.missing(parts) == [] and n_queens.missing(parts[1:-1]) == [1, 7]


@pytest.mark.skipif(not shutil.which("queens"), reason="the program is not in PATH")
def test_parts_and_checkpoints_have_the_same_format(tmp_path: Path) -> None:
    def program(*arguments: str) -> str:
        return subprocess.run(["queens", *arguments], capture_output=True, text=True, check=True).stdout

    program("11", "--shard", "1/3", "--checkpoint", str(tmp_path / "1"))
    (tmp_path / "2").write_bytes(n_queens.Counter(11).shard(2, 3))
    for _ in range(2):
        three = n_queens.Counter(11).shard(3, 3, file=tmp_path / "3")
    assert three.splitlines()[0] == (tmp_path / "3").read_bytes().splitlines()[0]
    assert program("merge", str(tmp_path), "--quiet") == "2680\n"
    assert n_queens.merge([tmp_path, three]).solutions == 2680


def test_shards_report_progress_and_their_time_limit(tmp_path: Path) -> None:
    told: list[n_queens.Progress] = []
    n_queens.Counter(12, progress=told.append).shard(1, 2)
    assert told[-1].fraction == 1.0
    with pytest.raises(TimeoutError):
        n_queens.Counter(28, timeout=0.1).shard(1, 3, file=tmp_path / "28")
    assert (tmp_path / "28").exists()


def test_boards_and_results_are_values() -> None:
    board = n_queens.Board(8, queens=["a8"])
    assert board == n_queens.Board(8, queens=["0,0"]) != n_queens.Board(8)
    assert hash(board) == hash(n_queens.Board(8, queens=["0,0"]))
    search = n_queens.solve(board, strategy="first-fail", tree=True)
    result = n_queens.Counter(board).run()
    for value in (board, search, search.tree, result, n_queens.known[8]):
        assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value
    for frozen, name in ((board, "n"), (result, "solutions"), (search.tree, "text")):
        with pytest.raises(AttributeError):
            setattr(frozen, name, 5)


def test_parts_are_added_once_and_intact() -> None:
    ten, parts = n_queens.Counter(10), [n_queens.Counter(10).shard(number, 4) for number in range(1, 5)]
    assert n_queens.merge([*parts, parts[2], ten.shard(3, 5)]).solutions == 724
    others: dict[str, list[object]] = {
        "9 subproblems are missing .3/4.": [parts[0], parts[1], parts[3]],
        "is for the 11 x 11 board, not the 10 x 10 board": [*parts[:3], n_queens.Counter(11).shard(4, 4)],
        "is for engine join": [*parts[:3], n_queens.Counter(10, engine="join").shard(4, 4)],
        "'part 1' is not a checkpoint": [b"Dear diary", *parts],
        "'nowhere' cannot be used": ["nowhere"],
        "there are no results": [],
    }
    for why, wrong in others.items():
        with pytest.raises(ValueError, match=why):
            n_queens.merge(wrong)
    for position in range(0, len(parts[1]), 7):
        flipped = bytes(byte ^ (at == position) for at, byte in enumerate(parts[1]))
        try:
            total = n_queens.merge([parts[0], flipped, *parts[2:]])
        except ValueError as error:
            assert "'part 2' " in str(error) or "are missing (2/4)" in str(error)
        else:  # a time was damaged
            assert total.solutions == 724
    with pytest.raises(ValueError, match="several numbers of shards"):
        n_queens.missing([parts[0], ten.shard(3, 5)])


def test_the_metadata_are_those_of_the_module() -> None:
    about = metadata("n-queens")
    assert about["Name"] == "n-queens" and about["Version"] == n_queens.__version__
    readme = about["Description"] if "Description" in about else about.get_payload()  # type: ignore[attr-defined]
    assert readme.startswith("# queens")
    assert set(about.get_all("License-File", ())) == {"LICENSE-APACHE", "LICENSE-MIT"}
    names = {Path(file).name for file in files("n-queens") or ()}
    assert {"LICENSE-APACHE", "LICENSE-MIT", "py.typed"} <= names
    urls = dict(url.split(", ", 1) for url in about.get_all("Project-URL", ()))
    assert {"Homepage", "Documentation", "Changelog", "Issues"} <= urls.keys()


@pytest.mark.parametrize("kind", ["engine", "kernel", "symmetry"])
def test_types_list_the_accepted_names(kind: str) -> None:
    call: Any = n_queens.Counter
    with pytest.raises(ValueError) as caught:
        call(8, **{kind: "?"})
    accepted = str(caught.value).split("(accepted: ")[1].rstrip(")").split(", ")
    assert accepted == list(get_args(getattr(n_queens, kind.capitalize())))


def test_the_names_of_the_module_are_public() -> None:
    assert all(hasattr(n_queens, name) for name in n_queens.__all__)
    # The type checker must reject these too: an unused `type: ignore` comment is an error.
    with pytest.raises(ValueError):
        n_queens.Counter(8, engine="gpu")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unexpected keyword argument 'thread'"):
        n_queens.count(8, thread=2)  # type: ignore[call-arg]


def test_tables_are_for_pandas() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(n_queens.table(range(1, 9)))
    assert frame["solutions"].tolist() == [1, 0, 0, 2, 10, 4, 40, 92]
    known = pandas.DataFrame(n_queens.known)
    assert list(known["n"]) == list(range(28)) and int(known["solutions"][27]) == 234907967154122528


def test_estimates_agree_with_published_values() -> None:
    seconds = 0.2
    # More and more time, until there are enough samples for an interval.
    while (about := n_queens.estimate(15, seconds=seconds, seed=1))["seconds_low"] is None:
        seconds *= 2
    assert about.keys() == n_queens.Estimate.__annotations__.keys() and about["seed"] == 1
    assert 2279184 / 2 < about["solutions"] < 2279184 * 2
    assert about["seconds_low"] <= about["seconds"] <= (about["seconds_high"] or 0)


def test_numbers_of_numpy_are_numbers() -> None:
    assert n_queens.count(numpy.int64(8)) == 92
    assert n_queens.check(numpy.array([1, 3, 0, 2]))


def test_progress_is_reported_and_its_errors_end_the_count() -> None:
    told: list[n_queens.Progress] = []
    n_queens.Counter(14, progress=told.append).run()
    assert told[-1].fraction == 1.0 and told == sorted(told, key=lambda news: news.fraction)

    def refuse(news: n_queens.Progress) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        n_queens.Counter(23, progress=refuse).run()


def test_counts_can_time_out() -> None:
    with pytest.raises(TimeoutError, match="timeout: 0.1 s"):
        n_queens.count(24, timeout=0.1)
    assert n_queens.count(8, timeout=3600) == 92


def test_progress_may_be_a_bar(capfd: pytest.CaptureFixture[str]) -> None:
    assert n_queens.count(12, progress=True) == 14200
    assert "100%" in capfd.readouterr().err


def test_the_lock_is_released_and_another_thread_can_cancel() -> None:
    running, errors = set[int](), list[Exception]()
    counter = n_queens.Counter(24, progress=lambda news: running.add(threading.get_ident()))

    def run() -> None:
        try:
            counter.run()
        except n_queens.Cancelled as error:
            errors.append(error)

    # All runs that are in progress are cancelled, and no run that starts later.
    for runs in (1, 2):
        running.clear()
        threads = [threading.Thread(target=run) for _ in range(runs)]
        for thread in threads:
            thread.start()
        while len(running) < runs:
            time.sleep(0.01)
        counter.cancel()
        for thread in threads:
            thread.join()
    assert len(errors) == 3


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send SIGINT to another process")
@pytest.mark.parametrize(
    "work",
    [
        "n_queens.count(24, progress=lambda news: ready())",
        "ready(); next(n_queens.solutions(60))",
        "ready(); n_queens.solve(60, strategy='backtrack')",
        "ready(); n_queens.solve(5000, strategy='first,min,bounds')",
        "ready(); n_queens.estimate(24, seconds=3600)",
    ],
)
def test_interrupts_end_long_work(work: str) -> None:
    script = f"import n_queens\ndef ready(): print('ready', flush=True)\n{work}"
    with subprocess.Popen([sys.executable, "-c", script], stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert "KeyboardInterrupt" in errors


@pytest.mark.parametrize(
    ("refused", "kind", "named"),
    [
        (lambda: n_queens.count(-1), ValueError, r"n: -1 .*accepted: 0 to 32\)"),
        (lambda: n_queens.count(n_queens.Board(33)), ValueError, "N = 33 .*accepted: 0 to 32"),
        (lambda: n_queens.table([25, 33]), ValueError, r"n: 33 .*accepted: 0 to 32\)"),
        (lambda: n_queens.table(4), TypeError, r"sizes: 4 .*accepted: such as range\(1, 16\)"),  # type: ignore[arg-type]
        (lambda: n_queens.known[28], IndexError, "known: .*N = 28 .*accepted: 0 to 27"),
        (lambda: n_queens.check({1, 3, 0, 2}), TypeError, "rows: .* is not a list .*accepted: the row in each column"),
        (lambda: n_queens.Solution({1: 2}), TypeError, "rows: .* is not a list"),
        (lambda: n_queens.check([1, 5, 8, 6, 3, 7, 2, 4]), ValueError, "rows: numbered from 1 .*from 0"),
        (lambda: n_queens.check("0,1,2,4"), ValueError, "a list with 0 and 4 .*accepted: 0 to 3, or 1 to 4"),
        (lambda: n_queens.Solution([1, 5, 8, 6, 3, 7, 2, 4]), ValueError, "rows: numbered from 1 .*from 0"),
        (lambda: n_queens.Board(8, queens="c5"), TypeError, r"queens: 'c5' .*accepted: squares, such as \['c5'\]"),
        (lambda: n_queens.Board(8, blocked=[5]), TypeError, "blocked: 5 .*accepted: such as 'c5'"),  # type: ignore[list-item]
        (lambda: n_queens.check("0,4,x"), ValueError, "line 1: '0,4,x': 'x' is not a square or a row "),
        (lambda: n_queens.Counter(8, engine="jion"), ValueError, "engine: 'jion' .*accepted: bitboard"),  # type: ignore[arg-type]
        (lambda: n_queens.count(8, threads=0), ValueError, "threads: 0 .*accepted: 1 to 4096"),
        (lambda: n_queens.count(8, threads=-1), ValueError, "threads: -1 .*accepted: 1 to 4096"),
        (lambda: n_queens.count(8, memory="64"), ValueError, "memory: \"64\" .*accepted: a number of bytes, or .*512MiB"),
        (lambda: n_queens.draw([[0]]).save("s.png"), ValueError, r"path: 's.png' .*accepted: .*\.svg"),
        (lambda: n_queens.count(22, engine="join", memory=1), MemoryError, "not enough memory: .* allowed"),
        (lambda: n_queens.Board(8, queens=["z9"]), ValueError, "z9 .*accepted: a1 to h8"),
        (lambda: n_queens.Solution([0, 2, 1]), ValueError, "b1 and c2 attack each other"),
        (lambda: n_queens.Solution([0, -1]), ValueError, "row: -1"),
        (lambda: n_queens.solutions(129), ValueError, r"n: 129 .*accepted: 0 to 128\)"),
        (lambda: n_queens.solve(8, strategy="luck"), ValueError, "strategy: 'luck' .*first-fail"),
        (lambda: n_queens.solve(8, strategy="first,x,value"), ValueError, "strategy: 'x' .*median"),
        (lambda: n_queens.solve(8, timeout=0), ValueError, "timeout: 0 "),
        (lambda: n_queens.count(5, timeout=[5.0]), TypeError, "timeout: .* is not a number"),  # type: ignore[arg-type]
        (lambda: n_queens.count(5, timeout="5"), TypeError, "timeout: '5' is not a number"),  # type: ignore[arg-type]
        (lambda: n_queens.solve(8, seed=3), ValueError, "seed: 3 .*random=True"),
        (lambda: n_queens.Counter(8, progress="yes"), ValueError, "progress: 'yes' "),  # type: ignore[arg-type]
        (lambda: n_queens.count(8, timeout=-1), ValueError, "timeout: -1 "),
        (lambda: n_queens.solve(8, random=True, tree=True), ValueError, "random: "),
        (lambda: n_queens.Board(8, queens=["\ud800"]), ValueError, r"'\\ud800' is not Unicode"),
        (lambda: n_queens.Counter(8, engine="\ud800"), ValueError, r"'\\ud800' is not Unicode"),  # type: ignore[arg-type]
        (lambda: n_queens.solve(8, strategy="\ud800"), ValueError, r"'\\ud800' is not Unicode"),
        (lambda: n_queens.draw([[0]], title="\ud800"), ValueError, r"'\\ud800' is not Unicode"),
        (lambda: n_queens.estimate(8, seconds=1e9 + 1), ValueError, "seconds: 1000000001.0 "),
        (lambda: n_queens.draw([[-1]]), ValueError, "row: -1 "),
        (lambda: n_queens.Counter(8).shard(4, 3), ValueError, "number: 4 .*accepted: 1 to 3"),
        (lambda: n_queens.Counter(8).shard(0, 3), ValueError, "number: 0 .*accepted: 1 to 3"),
        (lambda: n_queens.draw(itertools.repeat([0])), ValueError, "solutions: too many .*up to 1000"),
        (lambda: n_queens.draw([[0, 0]]), ValueError, "attack each other"),
        (lambda: n_queens.draw(n_queens.solutions(4), board=5), ValueError, "is not a solution of this 5 x 5 board"),
    ],
)
def test_errors_name_the_invalid_value(refused: Callable[[], object], kind: type[Exception], named: str) -> None:
    with pytest.raises(kind, match=named):
        refused()


def test_titles_of_drawings_are_valid_xml() -> None:
    ElementTree.fromstring(n_queens.draw(n_queens.solutions(6), title="\x07 & <\x00").text)
