"""Compares OR-Tools with queens; scripts/compare-solvers prepares what this needs and runs it.

First the search: for N = 4 to 10 the original constraint solver must report the same failures, branches and solutions as `queens
solve`, for the first solution and for all, with all-different constraints and with pairwise not-equal ones, for each choice of
variable and value that both have (those that take long up to N = 8); CP-SAT's conflicts and branches stand beside them. Then the times.

Each solver finds all solutions of each board with one worker. Runs are interleaved: every solver once on each board, and
again, so that whatever slows the machine down for a while slows all of them down. The model is the usual one: an integer
variable for the row of each column's queen, and three all-different constraints, on the rows, on row plus column and on
row minus column.
"""

import argparse
import csv
import itertools
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import ortools
from ortools.constraint_solver import pywrapcp
from ortools.sat.python import cp_model

#: A solver whose run took longer than this is not run again on that board, in seconds.
PATIENCE = 30.0
#: What a saved file calls itself.
SCHEMA = "queens-solvers"


class Tally(cp_model.CpSolverSolutionCallback):
    """Counts solutions."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def on_solution_callback(self):
        self.count += 1


def cp_sat_search(n):
    """Conflicts, branches, solutions."""
    model = cp_model.CpModel()
    rows = [model.new_int_var(0, n - 1, f"row{column}") for column in range(n)]
    model.add_all_different(rows)
    model.add_all_different(row + column for column, row in enumerate(rows))
    model.add_all_different(row - column for column, row in enumerate(rows))
    solver = cp_model.CpSolver()
    solver.parameters.enumerate_all_solutions = True
    solver.parameters.num_workers = 1
    tally = Tally()
    status = solver.solve(model, tally)
    if status != cp_model.OPTIMAL:  # "all found", for a model without an objective
        sys.exit(f"CP-SAT ended with {solver.status_name(status)} at N = {n}")
    return solver.num_conflicts, solver.num_branches, tally.count


#: The original solver's names of our choices.
VARIABLES = {
    "first": pywrapcp.Solver.CHOOSE_FIRST_UNBOUND,
    "smallest": pywrapcp.Solver.CHOOSE_MIN_SIZE,
    "smallest-lowest-min": pywrapcp.Solver.CHOOSE_MIN_SIZE_LOWEST_MIN,
    "largest": pywrapcp.Solver.CHOOSE_MAX_SIZE,
    "lowest-min": pywrapcp.Solver.CHOOSE_LOWEST_MIN,
    "highest-max": pywrapcp.Solver.CHOOSE_HIGHEST_MAX,
}
VALUES = {
    "min": pywrapcp.Solver.ASSIGN_MIN_VALUE,
    "middle": pywrapcp.Solver.ASSIGN_CENTER_VALUE,
    "max": pywrapcp.Solver.ASSIGN_MAX_VALUE,
    "split": pywrapcp.Solver.SPLIT_LOWER_HALF,
}
#: The largest board on which all of them are compared. Some take minutes on larger ones.
LARGEST_FOR_ALL = 8


def original_cp_search(n, variable="first", value="min", propagation="bounds", most=None):
    """Failures, branches, solutions. All-different constraints are propagated as by `bounds`, pairwise ones as by `value`."""
    solver = pywrapcp.Solver("queens")
    rows = [solver.IntVar(0, n - 1, f"row{column}") for column in range(n)]
    rising = [row + column for column, row in enumerate(rows)]
    falling = [row - column for column, row in enumerate(rows)]
    for lines in rows, rising, falling:
        if propagation == "value":
            for one, other in itertools.combinations(lines, 2):
                solver.Add(one != other)
        else:
            solver.Add(solver.AllDifferent(lines))
    solver.NewSearch(solver.Phase(rows, VARIABLES[variable], VALUES[value]))
    count = 0
    while count != most and solver.NextSolution():
        count += 1
    found = solver.Failures(), solver.Branches(), count
    solver.EndSearch()
    return found


def queens_search(queens, n, variable, value, propagation, most=None):
    """Failures, branches, solutions."""
    options = ["--variable", variable, "--value", value, "--propagation", propagation]
    options += ["--all"] if most is None else ["--limit", str(most)]
    command = [queens, "solve", str(n), *options, "--stats", "--format", "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed: {done.stderr.strip()}")
    figures = re.findall(r"^(failures|branches|solutions found): *([0-9,]+)$", done.stderr, re.M)
    figures = {name: int(number.replace(",", "")) for name, number in figures}
    return figures["failures"], figures["branches"], figures["solutions found"]


def compare_searches(queens, sizes):
    """Prints what the searches of all solutions took, and ends with an error if like ones differ."""
    differing, compared = [], 0
    heads = ["N", "first, min, bounds", "first, min, value", "first, middle, bounds", "CP-SAT"]
    print("The searches: failures, branches, solutions; of CP-SAT conflicts, branches, solutions:\n")
    print("| " + " | ".join(heads) + " |")
    print("|" + " ---: |" * len(heads))
    for n in sizes:
        found = {}
        for search in itertools.product(VARIABLES, VALUES, ["bounds", "value"], [None, 1]):
            if n > LARGEST_FOR_ALL and (search[0] not in ("first", "smallest") or search[1] == "split"):
                continue
            compared += 1
            found[search] = original_cp_search(n, *search)
            if found[search] != queens_search(queens, n, *search):
                differing.append(f"N = {n}, {search}")
        shown = [("first", "min", "bounds"), ("first", "min", "value"), ("first", "middle", "bounds")]
        cells = [(n,), *(found[(*search, None)] for search in shown), cp_sat_search(n)]
        cells = (" / ".join(f"{figure:,}" for figure in cell) for cell in cells)
        print("| " + " | ".join(cells) + " |", flush=True)
    if differing:
        sys.exit(f"the searches differ: {'; '.join(differing)}")
    print(f"\nAll {compared} searches of `queens solve` and of the original solver agree.\n")


def in_process(search):
    """Times a solver of this process, from the first line of the model to the last solution."""

    def timed(n):
        started = time.perf_counter()
        count = search(n)[-1]
        return time.perf_counter() - started, count

    return timed


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed: {done.stderr.strip()}")
    return done.stdout


def queens_count(queens):
    def timed(n):
        record = json.loads(run([queens, "count", str(n), "--threads", "1", "--format", "json"]))
        return record["seconds"], int(record["solutions"])

    return timed


def queens_solve(queens, options):
    """The search as the program times it, printing included: each solution is a line."""

    def timed(n):
        command = [queens, "solve", str(n), "--all", *options, "--format", "list", "--stats"]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        number, unit = re.search(r"^wall time: *([0-9.]+) (µs|ms|s)$", done.stderr, re.M).groups()
        seconds = float(number) * {"µs": 1e-6, "ms": 1e-3, "s": 1}[unit]
        return seconds, len(done.stdout.splitlines())

    return timed


#: Searches of `queens solve` that are timed.
SEARCHES = {
    **{name: ["--strategy", name] for name in ["naive", "backtrack", "first-fail", "first-unbound"]},
    **{name: ["--variable", "first", "--value", "min", "--propagation", name] for name in ["bounds", "domain"]},
}


def solvers(queens, version):
    """Name, description and timer of each; the last one is what the others are compared with."""
    from_model = "all solutions, one worker; from making the model to the last solution"
    yield (f"OR-Tools CP-SAT {ortools.__version__}", from_model, in_process(cp_sat_search))
    how = from_model + "; first unbound variable, least value"
    yield (f"OR-Tools original CP {ortools.__version__}", how, in_process(original_cp_search))
    for name, options in SEARCHES.items():
        how = f"{' '.join(options)}; every solution printed as a list; from the first choice to the last line, one thread"
        yield (f"queens solve, {name}", how, queens_solve(queens, options))
    yield (f"queens count {version}", "counting alone, one thread", queens_count(queens))


def published(folder):
    with open(folder / "known-values.csv", encoding="utf-8") as file:
        return {int(row["n"]): int(row["solutions"]) for row in csv.DictReader(file)}


def guide(folder):
    with open(folder / "ortools-published.csv", encoding="utf-8") as file:
        return {int(row["n"]): int(row["milliseconds"]) for row in csv.DictReader(file)}


def measure(timers, sizes, runs, known):
    """The times of each solver on each board, a round at a time."""
    times = {(name, n): [] for name, _, _ in timers for n in sizes}
    for round_ in range(runs):
        for n in sizes:
            for name, _, timer in timers:
                before = times[name, n]
                if before and before[-1] > PATIENCE:
                    continue
                print(f"run {round_ + 1} of {runs}: N = {n}, {name}", file=sys.stderr)
                seconds, count = timer(n)
                if count != known[n]:
                    sys.exit(f"{name} found {count} solutions at N = {n}; {known[n]} are published")
                before.append(float(f"{seconds:.5e}"))
    return times


def print_table(timers, sizes, times, known, milliseconds):
    names = [name for name, _, _ in timers]
    last = names[-1]
    print(f"Medians in milliseconds, and their ratio to {last}:\n")
    heads = ["N", "Solutions", *names, "OR-Tools guide"]
    print("| " + " | ".join(heads) + " |")
    print("|" + " ---: |" * len(heads))
    for n in sizes:
        least = statistics.median(times[last, n])
        cells = [str(n), f"{known[n]:,}"]
        for name in names:
            median = statistics.median(times[name, n])
            ratio = "" if name == last else f" ({median / least:,.1f})"
            cells.append(f"{1e3 * median:,.3f}{ratio}")
        cells.append(f"{milliseconds[n]:,}")
        print("| " + " | ".join(cells) + " |")
    print("\nThe guide names neither its solver nor its machine.")


def is_free(out):
    """Whether nothing has that name but a file of this script."""
    if out.is_symlink() or (out.exists() and not out.is_file()):
        return False
    try:
        return not out.exists() or json.loads(out.read_text(encoding="utf-8"))["schema"] == SCHEMA
    except (ValueError, KeyError, TypeError):
        return False


def arguments():
    def whole(least, most):
        def parse(text):
            if not text.isdecimal() or not least <= int(text) <= most:
                raise argparse.ArgumentTypeError(f"'{text}' (accepted: {least} to {most})")
            return int(text)

        return parse

    parser = argparse.ArgumentParser(prog="scripts/compare-solvers")
    parser.error = lambda message: sys.exit(f"scripts/compare-solvers: {message}")
    parser.add_argument("--queens", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--max-n", type=whole(4, 15), default=12)
    parser.add_argument("--runs", type=whole(1, 99), default=5)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    if options.out and not is_free(options.out):
        parser.error(f"--out '{options.out}' is not a file that this script wrote (accepted: one, or a new file)")
    return options


def main():
    options = arguments()
    # The same path as `queens bench --save` takes for the machine and the program.
    with tempfile.TemporaryDirectory() as scratch:
        run([options.queens, "bench", "--quick", "--n", "4", "--engine", "bitboard", "--save", f"{scratch}/"])
        (saved,) = Path(scratch).iterdir()
        name, environment = saved.name, json.loads(saved.read_text(encoding="utf-8"))["environment"]

    compare_searches(options.queens, range(4, min(options.max_n, 10) + 1))
    known, milliseconds = published(Path("data")), guide(Path("data"))
    timers = list(solvers(options.queens, environment["version"]))
    sizes = range(4, options.max_n + 1)
    times = measure(timers, sizes, options.runs, known)
    print_table(timers, sizes, times, known, milliseconds)

    saved = {
        "schema": SCHEMA,
        "schema_version": 2,
        "environment": environment,
        "solvers": [{"name": name, "how": how} for name, how, _ in timers],
        "rows": [
            {
                "solver": name,
                "n": n,
                "solutions": str(known[n]),
                "runs": times[name, n],
                "seconds": statistics.median(times[name, n]),
            }
            for name, _, _ in timers
            for n in sizes
        ],
    }
    # Named after machine and day, so that only this machine's file of the same day is replaced.
    out = options.out or Path("results") / f"solvers-{name}"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(saved, indent=2) + "\n", encoding="utf-8")
    if options.out:
        page = out.with_suffix("")
        run([options.queens, "report", out, "--out", page])
    else:
        page = Path("results")
        run([options.queens, "report", page, "--out", page])
    print(f"\nrecorded {out}; the page with the chart is {page}/README.md")


if __name__ == "__main__":
    main()
