"""Tests the module against published values, a plain recursion and Python conventions. Doctests cover its examples."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import pydoc
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import files, metadata
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree

import numpy
import pytest
import queens


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
    assert list(queens.solutions(n)) == expected
    assert queens.count(n) == len(expected) == queens.known[n].solutions == len(queens.solutions(n))
    assert list(queens.solve(n, limit=None)) == expected
    firsts = list(queens.solutions(n, fundamental=True))
    assert [s for s in queens.solutions(n) if s.canonical() == s] == firsts
    assert queens.classes(n)["fundamental"] == len(firsts) == len(queens.solutions(n, fundamental=True))
    array = queens.solutions(n).to_numpy()
    assert array.shape == (len(expected), n) and array.tolist() == [list(rows) for rows in expected]


def test_counts_are_exact() -> None:
    result = queens.Counter(13, threads=2, engine="join").run()
    assert (result.total, type(result.total), result.check) == (73712, int, "verified")
    assert (result.engine, result.threads, result.n) == ("join", 2, 13)
    record = result.to_dict()
    assert record["solutions"] == 73712 and record["cpu"] == result.machine["cpu"]
    assert queens.known[27].solutions == 234907967154122528 > 2**53


def test_a_solution_is_a_tuple_with_images() -> None:
    solution = next(queens.solutions(8))
    rows = (0, 4, 7, 5, 2, 6, 1, 3)
    assert [solution] == [rows] and hash(solution) == hash(rows)
    assert pickle.loads(pickle.dumps(solution)) == copy.copy(solution) == solution
    assert type(pickle.loads(pickle.dumps(solution))) is queens.Solution
    images = solution.images()
    assert len(set(images)) == 8 and solution in images and solution.canonical() == min(images)
    assert str(queens.Solution([1, 3, 0, 2])).splitlines()[0] == "_ _ Q _"
    drawing = solution._repr_svg_()
    assert drawing is not None and drawing.count('href="#queen-') == 8
    assert queens.solve(201)[0]._repr_svg_() is None


def test_boards_may_have_constraints() -> None:
    corner = queens.Board(8, queens=["a8"], blocked=["b4"])
    expected = [rows for rows in plain(8) if rows[0] == 0 and rows[1] != 4]
    assert queens.count(corner) == len(expected)
    assert list(queens.solutions(corner)) == expected
    assert "preplaced" in str(queens.draw(expected, board=corner))
    assert not queens.check(range(7))
    assert queens.count(queens.Board(8, queens=[(0, 0)])) == queens.count(queens.Board(8, queens=["a8"]))
    assert queens.count(queens.Board(5, blocked=[(numpy.int64(2), 1)])) == queens.count(queens.Board(5, blocked=["c4"]))


@pytest.mark.parametrize("text", ["a8,b4,c1,d3,e6,f2,g7,h5", "0,4,7,5,2,6,1,3", "[0, 4, 7, 5, 2, 6, 1, 3]"])
def test_a_board_may_be_a_string(text: str) -> None:
    assert queens.check(text)


def test_other_types_are_type_errors() -> None:
    for time in (numpy.array([1, 2]), "5", [5.0]):
        with pytest.raises(TypeError, match="timeout: .* is not a number"):
            queens.count(5, timeout=time)  # type: ignore[arg-type]


def test_searches_have_figures_trees_and_traces() -> None:
    search = queens.solve(8, strategy="first-fail", tree=True)
    assert search[0] in set(plain(8)) and search.stats["branches"] > 0 and search.stopped is None
    assert search.tree is not None
    shown = search.tree._repr_html_()
    assert shown.startswith("<iframe srcdoc=") and "<script" not in shown
    assert not queens.solve(3) and queens.solve(3, limit=None).stats["failures"] > 0
    assert queens.check(queens.solve(1_000_000)[0])
    assert queens.solve(40, strategy="backtrack", max_branches=10).stopped == "branches"
    steps = queens.solve(8, strategy="first-fail", trace=True).trace
    assert sum(step["node"] == "failure" for step in steps) == search.stats["failures"]
    assert len(queens.solve(8, strategy="backtrack", trace=5).trace) == 5


def test_several_solutions_of_large_boards_are_found_quickly() -> None:
    blocked = queens.Board(97, blocked=["a1"])
    for board in (30, 50, 200, blocked):
        found = queens.solve(board, limit=5)
        assert len({tuple(rows) for rows in found}) == 5 and all(map(queens.check, found))
        assert found.stopped is None and "restarts" in found.how
    assert all(rows[0] != 96 for rows in queens.solve(blocked, limit=5))
    assert queens.solve(50, limit=2, max_branches=1).stopped == "branches"


def test_random_solutions_are_solutions_and_the_seed_reproduces_them() -> None:
    for n in (6, 50):
        one, again = (queens.solve(n, random=True, limit=3, seed=7) for _ in range(2))
        assert len(one) == 3 and list(one) == list(again) and all(map(queens.check, one))
    assert not queens.solve(3, random=True)


def test_the_program_is_in_the_module() -> None:
    def program(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, "-m", "queens", *arguments], capture_output=True, text=True)

    assert program("8", "--quiet").stdout == "92\n"
    steps = program("trace", "6", "--strategy", "first-fail", "--format", "json").stdout.splitlines()
    assert list(map(json.loads, steps)) == queens.solve(6, strategy="first-fail", trace=True).trace
    assert program("solve", "3").returncode == 1


def test_help_fits_a_few_screens() -> None:
    assert len(pydoc.render_doc(queens).splitlines()) < 420


def test_tables_are_for_pandas() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pandas.DataFrame(queens.table(range(1, 9)))
    assert frame["solutions"].tolist() == [1, 0, 0, 2, 10, 4, 40, 92]
    known = pandas.DataFrame(queens.known)
    assert list(known["n"]) == list(range(28)) and set(known["source"]) == {"OEIS A000170"}
    assert int(known["solutions"][27]) == 234907967154122528
    # An invalid size is rejected before the first count starts, which would take days.
    with pytest.raises(ValueError, match="n: 33 "):
        queens.table([25, 33])
    assert len(pandas.DataFrame(queens.classes(8)["classes"])) == 3


def test_arrays_continue_from_the_iterator() -> None:
    solutions = queens.solutions(6)
    first, rest = next(solutions), solutions.to_numpy(2)
    assert rest.dtype == numpy.int16 and len(solutions) == 1
    assert [first, *map(tuple, rest), *solutions] == list(plain(6))
    with pytest.raises(TypeError, match="count"):
        len(queens.solutions(queens.Board(6, queens=["a5"])))


@pytest.mark.skipif(sys.platform != "linux", reason="needs the memory limits of Linux")
def test_arrays_that_exceed_the_memory_fail_and_nothing_is_lost() -> None:
    script = """
import numpy, queens, resource
solutions = queens.solutions(16)
taken = 4096 * int(open("/proc/self/statm").read().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (taken + (64 << 20),) * 2)
try:
    solutions.to_numpy()
except queens.NotEnoughMemory:
    assert next(solutions) == next(queens.solutions(16))
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "refused\n"


def test_threads_share_an_iterator() -> None:
    solutions, taken = queens.solutions(9), list[queens.Solution]()
    threads = [threading.Thread(target=lambda: taken.extend(solutions)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == list(queens.solutions(9))


def test_boards_and_results_are_values() -> None:
    board = queens.Board(8, queens=["a8"])
    assert board == queens.Board(8, queens=["0,0"]) != queens.Board(8)
    assert hash(board) == hash(queens.Board(8, queens=["0,0"]))
    search = queens.solve(board, strategy="first-fail", tree=True)
    result = queens.Counter(board).run()
    for value in (board, search, search.tree, result, queens.known[8]):
        assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value
    for frozen, name in ((board, "n"), (result, "total"), (search.tree, "text")):
        with pytest.raises(AttributeError):
            setattr(frozen, name, 5)


def test_parts_of_a_plan_add_up_to_its_total() -> None:
    corner = queens.Board(9, queens=["a9"])
    join = queens.Plan(11, shards=7, engine="join")
    mirror = queens.Plan(9, shards=7, symmetry="mirror")
    for plan in (queens.Plan(10, shards=7), join, mirror, queens.Plan(corner, shards=7)):
        copied = pickle.loads(pickle.dumps(plan))
        assert copied == plan and len(pickle.dumps(plan)) < 1000
        parts = [copied.count(shard) for shard in reversed(range(7))]
        assert all(pickle.loads(pickle.dumps(part)) == part and len(part) < 4000 for part in parts)
        result = plan.merge(iter(parts))
        assert (result.total, result.engine) == (queens.count(plan.board), plan.engine)
        assert plan.missing(parts) == [] and plan.missing(parts[1:-1]) == [0, 6]
    assert (join.engine, join.symmetry, mirror.engine, mirror.symmetry) == ("join", None, "bitboard", "mirror")


def test_parts_are_added_once_and_intact() -> None:
    plan = queens.Plan(10, shards=4)
    parts: list[bytes] = [plan.count(shard) for shard in range(4)]
    others = {
        "1 of 4 shards are not done: 2": [parts[0], parts[1], parts[3]],
        "'part 4' repeats shard 2": [*parts, parts[2]],
        "is for the 11 x 11 board, not the 10 x 10 board": [*parts[:3], queens.Plan(11, shards=4).count(3)],
        "is for engine join": [*parts[:3], queens.Plan(10, shards=4, engine="join").count(3)],
        "is for shard 3 of 5, not shard 3 of 4": [*parts[:3], queens.Plan(10, shards=5).count(3)],
        "'part 0' is not a ledger": [b"Dear diary", *parts],
        "'part 0' is damaged: 9 of its 9 counts are intact": [parts[0][:-1], *parts[1:]],
    }
    for why, wrong in others.items():
        with pytest.raises(ValueError, match=why):
            plan.merge(wrong)
    for position in range(0, len(parts[1]), 7):
        flipped = bytes(byte ^ (at == position) for at, byte in enumerate(parts[1]))
        with pytest.raises(queens.InvalidArgument, match="'part 1' "):
            plan.merge([parts[0], flipped, *parts[2:]])
    assert plan.missing([parts[0][:-9], *parts[1:], parts[1]]) == [0]
    with pytest.raises(ValueError, match="is for the 11 x 11 board"):
        plan.missing([queens.Plan(11, shards=4).count(3)])


def test_parts_and_folders_of_shards_have_the_same_format(tmp_path: Path) -> None:
    def program(*arguments: str) -> str:
        command = [sys.executable, "-m", "queens", "shards", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    plan, folder = queens.Plan(11, shards=3), str(tmp_path)
    program("plan", folder, "11", "--shards", "3")
    program("run", folder, "1")
    for shard in (0, 2):
        part = plan.count(shard)
        (tmp_path / part.name).write_bytes(part)
    assert program("merge", folder, "--quiet") == "2680\n"
    assert plan.merge(path.read_bytes() for path in tmp_path.glob("*.ledger")).total == 2680


def test_plans_have_timeouts_progress_and_estimates() -> None:
    told: list[queens.Progress] = []
    queens.Plan(12, shards=2).count(1, progress=told.append)
    assert told[-1].fraction == 1.0
    plan = queens.Plan(24, shards=3)
    with pytest.raises(queens.Timeout):
        plan.count(0, timeout=0.1)
    about = sampled(queens.Plan(15, shards=10).estimate)
    assert about["shards"] == 10 and about["shard_seconds"] == pytest.approx(about["core_hours"] * 360)
    other = copy.copy(plan)
    vars(other)["identity"] = "another plan"
    with pytest.raises(ValueError, match="the 24 x 24 board.* here, not another plan: use the version of queens"):
        other.count(0)


def test_the_metadata_are_those_of_the_module() -> None:
    about = metadata("n-queens")
    assert about["Name"] == "n-queens" and about["Version"] == queens.__version__
    readme = about["Description"] if "Description" in about else about.get_payload()  # type: ignore[attr-defined]
    assert readme.startswith("# queens for Python\n")
    assert set(about.get_all("License-File", ())) == {"LICENSE-APACHE", "LICENSE-MIT"}
    names = {Path(file).name for file in files("n-queens") or ()}
    assert {"LICENSE-APACHE", "LICENSE-MIT", "py.typed"} <= names
    urls = dict(url.split(", ", 1) for url in about.get_all("Project-URL", ()))
    assert {"Homepage", "Documentation", "Changelog", "Issues"} <= urls.keys()


def test_the_program_is_installed() -> None:
    script = Path(sys.executable).with_name("queens")
    for command in ([script], [sys.executable, "-m", "queens"]):
        run = subprocess.run([*command, "8", "--quiet"], capture_output=True, text=True)
        assert (run.returncode, run.stdout) == (0, "92\n")
        run = subprocess.run([*command, "check", "0,1"], capture_output=True, text=True)
        assert run.returncode == 1


def test_the_names_of_the_module_are_public() -> None:
    names = dir(queens)
    own = {name for name, value in vars(queens).items() if getattr(value, "__module__", "") == "queens" and name[0] != "_"}
    assert own <= set(names) and {"known", "Engine", "__version__"} <= set(names)
    assert not {"json", "re", "dataclass", "Path", "Any", "annotations"} & set(names)
    assert all(hasattr(queens, name) for name in names)


@pytest.mark.parametrize("kind", ["engine", "kernel", "symmetry"])
def test_types_list_the_accepted_names(kind: str) -> None:
    call: Any = queens.Counter
    with pytest.raises(ValueError) as caught:
        call(8, **{kind: "?"})
    accepted = str(caught.value).split("(accepted: ")[1].rstrip(")").split(", ")
    assert accepted == list(get_args(getattr(queens, kind.capitalize())))


def test_types_are_checked() -> None:
    row, classes, step = queens.table([6])[0], queens.classes(6), queens.solve(6, strategy="backtrack", trace=1).trace[0]
    records = ((row, queens.Row), (classes, queens.Classes), (classes["classes"][0], queens.SymmetryClass))
    for record, kind in (*records, (queens.estimate(6), queens.Estimate)):
        assert set(kind.__annotations__) <= record.keys()
    assert step.keys() <= set(queens.Step.__annotations__) and step["queens"] == []
    # The type checker must reject these too: an unused `type: ignore` comment is an error.
    with pytest.raises(ValueError):
        queens.Counter(8, engine="gpu")  # type: ignore[arg-type]
    with pytest.raises(KeyError):
        row["solution"]  # type: ignore[typeddict-item]
    for wrong in ({"thread": 2}, {"enigne": "join"}):
        with pytest.raises(TypeError, match="'thread': did you mean 'threads'|'enigne': did you mean 'engine'"):
            getattr(queens, "Counter")(8, **wrong)


def test_numbers_of_numpy_are_numbers() -> None:
    assert queens.count(numpy.int64(8)) == 92
    assert queens.check(numpy.array([1, 3, 0, 2]))


def sampled(estimate: Callable[..., queens.Estimate]) -> queens.Estimate:
    """Estimates with more and more time until there are enough samples for an interval, however slow the machine is."""
    seconds = 0.2
    while True:
        try:
            about = estimate(seconds=seconds, seed=1)
        except queens.InvalidArgument as error:
            assert "sample" in str(error)
        else:
            if about["seconds_low"] is not None:
                return about
        seconds *= 2


def test_estimates_agree_with_published_values() -> None:
    about = sampled(partial(queens.estimate, 15))
    assert about["published"] == queens.known[15].solutions and about["seed"] == 1
    assert about["published"] / 2 < about["solutions"] < about["published"] * 2


def test_progress_is_reported_and_its_errors_end_the_count() -> None:
    told: list[queens.Progress] = []
    queens.Counter(14, progress=told.append).run()
    assert told[-1].fraction == 1.0 and told == sorted(told, key=lambda news: news.fraction)

    def refuse(news: queens.Progress) -> None:
        raise LookupError

    with pytest.raises(LookupError):
        queens.Counter(23, progress=refuse).run()


def test_counts_can_time_out() -> None:
    with pytest.raises(queens.Timeout, match="timeout: 0.1 s") as caught:
        queens.count(24, timeout=0.1)
    assert isinstance(caught.value, TimeoutError) and queens.count(8, timeout=3600) == 92


def test_bars_need_tqdm(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert queens.count(12, progress=True) == 14200
    assert "100.0 %" in capfd.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.warns(UserWarning, match="pip install tqdm"):
        assert queens.count(8, progress=True) == 92


def test_the_lock_is_released_and_another_thread_can_cancel() -> None:
    running, errors = set[int](), list[Exception]()
    counter = queens.Counter(24, progress=lambda news: running.add(threading.get_ident()))

    def run() -> None:
        try:
            counter.run()
        except queens.Cancelled as error:
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
        "queens.count(24, progress=lambda news: ready())",
        "ready(); next(queens.solutions(60))",
        "import numpy; ready(); queens.solutions(20).to_numpy()",
        "ready(); queens.solve(60, strategy='backtrack')",
        "ready(); queens.solve(5000, strategy='first,min,bounds')",
        "ready(); queens.estimate(24, seconds=3600)",
    ],
)
def test_interrupts_end_long_work(work: str) -> None:
    script = f"import queens\ndef ready(): print('ready', flush=True)\n{work}"
    with subprocess.Popen([sys.executable, "-c", script], stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout and process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert "KeyboardInterrupt" in errors


@pytest.mark.parametrize(
    ("refused", "kind", "named"),
    [
        (lambda: queens.count(-1), ValueError, "n: -1 .*accepted: 0 to 32"),
        (lambda: queens.count(33), ValueError, "n: 33 .*accepted: 0 to 32"),
        (lambda: queens.count(queens.Board(33)), ValueError, "n: 33 .*accepted: 0 to 32"),
        (lambda: queens.classes(-1), ValueError, "n: -1 .*accepted: 0 to 32"),
        (lambda: queens.check("0,4,x"), ValueError, "'x' is not a row "),
        (lambda: queens.Counter(8, engine="jion"), ValueError, "engine: 'jion' .*accepted: bitboard"),  # type: ignore[arg-type]
        (lambda: queens.count(8, threads=0), ValueError, "threads: 0 .*accepted: 1 to 4096"),
        (lambda: queens.count(22, engine="join", memory=1), MemoryError, "not enough memory: .* allowed"),
        (lambda: queens.Board(8, queens=["z9"]), ValueError, "z9 .*accepted: a1 to h8"),
        (lambda: queens.Solution([0, 2, 1]), ValueError, "b1 and c2 attack each other"),
        (lambda: queens.Solution([0, -1]), ValueError, "row: -1"),
        (lambda: queens.solutions(129), ValueError, "129 x 129 .*accepted: N = 0 to 128"),
        (lambda: queens.solve(8, strategy="luck"), ValueError, "strategy: 'luck' .*first-fail"),
        (lambda: queens.solve(8, strategy="first,x,value"), ValueError, "strategy: 'x' .*median"),
        (lambda: queens.solve(8, timeout=0), ValueError, "timeout: 0 "),
        (lambda: queens.solve(8, seed=3), ValueError, "seed: 3 .*random=True"),
        (lambda: queens.Counter(8, progress="yes"), ValueError, "progress: 'yes' "),  # type: ignore[arg-type]
        (lambda: queens.count(8, timeout=-1), ValueError, "timeout: -1 "),
        (lambda: queens.solve(8, random=True, tree=True), ValueError, "random: "),
        (lambda: queens.Board(8, queens=["\ud800"]), ValueError, r"'\\ud800' is not Unicode"),
        (lambda: queens.Counter(8, engine="\ud800"), ValueError, r"'\\ud800' is not Unicode"),  # type: ignore[arg-type]
        (lambda: queens.solve(8, strategy="\ud800"), ValueError, r"'\\ud800' is not Unicode"),
        (lambda: queens.draw([[0]], title="\ud800"), ValueError, r"'\\ud800' is not Unicode"),
        (lambda: queens.estimate(8, seconds=1e9 + 1), ValueError, "seconds: 1000000001.0 "),
        (lambda: queens.draw([[-1]]), ValueError, "row: -1 "),
        (lambda: queens.Plan(8, shards=22), ValueError, "into 22 shards .*accepted: 1 to 21"),
        (lambda: queens.Plan(8, shards=0), ValueError, "0 shards .*accepted: 1 to 21"),
        (lambda: queens.Plan(8, shards=3).count(3), ValueError, "shard: 3 .*accepted: 0 to 2"),
        (lambda: queens.draw(itertools.repeat([0])), ValueError, "solutions: too many .*up to 1000"),
        (lambda: queens.draw([[0, 0]]), ValueError, "attack each other"),
        (lambda: queens.draw(queens.solutions(4), board=5), ValueError, "is not a solution of this 5 x 5 board"),
    ],
)
def test_errors_name_the_invalid_value(
    refused: Callable[[], object], kind: type[Exception], named: str
) -> None:
    with pytest.raises(kind, match=named) as caught:
        refused()
    assert isinstance(caught.value, queens.QueensError)


def test_foreign_bytes_have_a_representation() -> None:
    for foreign in (b"x", b"", b"{} 0", b"\xff"):
        assert repr(queens.Part(foreign)) == f"<Part, {len(foreign)} bytes>"


def test_titles_of_drawings_are_valid_xml() -> None:
    ElementTree.fromstring(queens.draw(queens.solutions(6), title="\x07 & <\x00").text)
