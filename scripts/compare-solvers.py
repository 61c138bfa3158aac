"""Compares OR-Tools with queens. Run it through scripts/compare-solvers, which installs its requirements.

First, searches are compared. For N = 4 to 10, the original constraint solver must report the same numbers of failures, branches and
solutions as `queens solve`. This is tested for the first solution and for all, with all-different and with pairwise not-equal
constraints, and for each choice of variable and value that both programs have (slow ones up to N = 8). The table also lists the
conflicts and branches of CP-SAT.

Then the time for all solutions of each board is measured, with one worker. Each round has one run per solver, so that a disturbance
affects all solvers. The reported time is the lesser of wall time and CPU time, so that other processes hardly matter. The model is
the usual one. It has an integer variable for the row of each column's queen, and three all-different constraints: on the rows, on
row plus column, and on row minus column.
"""

import argparse
import csv
import itertools
import json
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
import ortools
from ortools.constraint_solver import pywrapcp
from ortools.sat.python import cp_model

#: Time in seconds. A solver stops after the first board that took longer.
LONGEST_BOARD = 10.0
#: Total time in seconds after which a solver does not repeat a board.
LONGEST_RUNS = 60.0


class Tally(cp_model.CpSolverSolutionCallback):
    """Counts solutions."""

    def __init__(self):
        super().__init__()
        self.count = 0

    def on_solution_callback(self):
        self.count += 1


def cp_sat_search(n):
    """Returns the numbers of conflicts, branches and solutions."""
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
    if status != cp_model.OPTIMAL:  # means "all solutions found" if the model has no objective
        sys.exit(f"CP-SAT ended with {solver.status_name(status)} at N = {n}")
    return solver.num_conflicts, solver.num_branches, tally.count


#: Names that the original solver has for the options of `queens solve`.
VARIABLES = {
    "first": pywrapcp.Solver.CHOOSE_FIRST_UNBOUND,
    "smallest": pywrapcp.Solver.CHOOSE_MIN_SIZE,
    "smallest-lowest-min": pywrapcp.Solver.CHOOSE_MIN_SIZE_LOWEST_MIN,
    "smallest-lowest-max": pywrapcp.Solver.CHOOSE_MIN_SIZE_LOWEST_MAX,
}
VALUES = {
    "min": pywrapcp.Solver.ASSIGN_MIN_VALUE,
    "middle": pywrapcp.Solver.ASSIGN_CENTER_VALUE,
    "max": pywrapcp.Solver.ASSIGN_MAX_VALUE,
}
#: Largest board on which all choices are compared. Some take minutes on larger boards.
LARGEST_FOR_ALL = 8


def original_cp_search(n, variable="first", value="min", propagation="bounds", most=None):
    """Returns the numbers of failures, branches and solutions. `bounds` uses all-different constraints, `value` pairwise ones."""
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
    """Returns the numbers of failures, branches and solutions."""
    options = ["--strategy", f"{variable},{value},{propagation}"]
    options += ["--all"] if most is None else ["--limit", str(most)]
    command = [queens, "solve", str(n), *options, "--stats", "--format", "list"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed: {done.stderr.strip()}")
    figures = re.findall(r"^(failures|branches|solutions found): *([0-9,]+)$", done.stderr, re.M)
    figures = {name: int(number.replace(",", "")) for name, number in figures}
    return figures["failures"], figures["branches"], figures["solutions found"]


def compare_searches(queens, sizes):
    """Prints the failures and branches of the searches. Exits with an error if those of the two programs differ."""
    differing, compared = [], 0
    heads = ["N", "first, min, bounds", "first, min, value", "first, middle, bounds", "CP-SAT"]
    print("Searches: failures / branches / solutions (for CP-SAT, conflicts / branches / solutions):\n")
    print("| " + " | ".join(heads) + " |")
    print("|" + " ---: |" * len(heads))
    for n in sizes:
        found = {}
        for search in itertools.product(VARIABLES, VALUES, ["bounds", "value"], [None, 1]):
            if n > LARGEST_FOR_ALL and search[0] not in ("first", "smallest"):
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
    """Returns a timer for a solver that runs in this process. It includes building the model."""

    def timed(n):
        started, cpu = time.perf_counter(), time.process_time()
        count = search(n)[-1]
        return min(time.perf_counter() - started, time.process_time() - cpu), count

    return timed


def children_cpu():
    """Returns the total CPU time of all finished child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))} failed: {done.stderr.strip()}")
    return done.stdout


def queens_count(queens):
    def timed(n):
        cpu = children_cpu()
        record = json.loads(run([queens, "count", str(n), "--threads", "1", "--format", "json"]))
        return min(record["seconds"], children_cpu() - cpu), int(record["solutions"])

    return timed


def queens_solve(queens, options):
    """Returns a timer for a search of the program, which prints one line per solution."""

    def timed(n):
        cpu = children_cpu()
        command = [queens, "solve", str(n), "--all", *options, "--format", "list", "--stats"]
        with tempfile.TemporaryFile("w+") as stats:
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stats) as process:
                count = sum(chunk.count(b"\n") for chunk in iter(lambda: process.stdout.read(1 << 20), b""))
            stats.seek(0)
            text = stats.read()
        if process.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))} failed: {text.strip()}")
        wall = re.search(r"^wall time: *(.+)$", text, re.M).group(1)
        units = {"µs": 1e-6, "ms": 1e-3, "s": 1, "min": 60, "h": 3600}
        seconds = sum(float(number) * units[unit] for number, unit in re.findall(r"([0-9.]+) (\S+)", wall))
        return min(seconds, children_cpu() - cpu), count

    return timed


#: Searches of `queens solve` that are timed.
SEARCHES = {
    **{name: ["--strategy", name] for name in ["naive", "backtrack", "first-fail", "first-unbound"]},
    "bounds": ["--strategy", "first,min,bounds"],
}


def solvers(queens, version):
    """Yields the name, description and timer of each solver. The last one is the baseline."""
    from_model = "all solutions, one worker; from building the model to the last solution"
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
    """Times each solver on each board, in rounds. Yields the times of all runs so far after each round."""
    times = {}
    for round_ in range(runs):
        for n, (name, _, timer) in itertools.product(sizes, timers):
            smaller = times.get((name, n - 1), [0.0])
            before = times.setdefault((name, n), [])
            if not smaller or smaller[0] > LONGEST_BOARD or sum(before) > LONGEST_RUNS:
                continue
            print(f"run {round_ + 1} of {runs}: N = {n}, {name}", file=sys.stderr)
            seconds, count = timer(n)
            if count != known[n]:
                sys.exit(f"{name} found {count} solutions at N = {n}; {known[n]} are published")
            before.append(float(f"{seconds:.5e}"))
        yield {of: runs for of, runs in times.items() if runs}


#: AMD microarchitectures: family, first model, last model and name, as in Linux (arch/x86/kernel/cpu/amd.c).
AMD = [
    (23, 0x00, 0x2F, "Zen or Zen+"),
    (23, 0x30, 0x4F, "Zen 2"),
    (23, 0x60, 0x7F, "Zen 2"),
    (25, 0x00, 0x0F, "Zen 3"),
    (25, 0x10, 0x1F, "Zen 4"),
    (25, 0x20, 0x5F, "Zen 3"),
    (25, 0x60, 0xAF, "Zen 4"),
    (26, 0x00, 0x2F, "Zen 5"),
    (26, 0x40, 0x4F, "Zen 5"),
    (26, 0x60, 0x7F, "Zen 5"),
]


def microarchitecture(cpu, flags):
    """Returns the microarchitecture of a CPU, or None if unknown. Intel CPUs are identified by their instructions, because a
    hypervisor may report a false model."""
    found = re.search(r"family (\d+) model (\d+)", cpu)
    family, model = map(int, found.groups()) if found else (0, 0)
    if "AMD" in cpu:
        return next((name for of, first, last, name in AMD if of == family and first <= model <= last), None)
    # These are Intel's first server CPUs with AMX, which desktop CPUs lack.
    return "Sapphire Rapids or later" if "Intel" in cpu and "amx_tile" in flags else None


def processor(environment):
    """Returns the name of the CPU without trademark signs, followed by its microarchitecture if known."""
    cpu = f"{environment['cpu']}, {environment.get('cpu_id', '')}"
    name = re.sub(r"\((R|TM)\)|\b(CPU|Processor)\b|@.*|, .*", "", cpu)
    name = " ".join(name.split())
    about = microarchitecture(cpu, environment.get("flags", ""))
    return f"{name} ({about})" if about else name


def duration(seconds):
    """Formats a time for the axis, whose ticks are powers of ten."""
    for unit, size in ("s", 1), ("ms", 1e-3), ("µs", 1e-6):
        if seconds > 0.9 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:.0e} s"


def thousands(count):
    """Formats a count with at most five characters."""
    for unit, size in ("G", 1e9), ("M", 1e6), ("k", 1e5):
        if count >= size:
            return f"{count / (size if unit != 'k' else 1e3):.3g} {unit}"
    return f"{count:,}"


#: Positions of a label relative to the end of its line, best first. Each has an offset in points and an alignment.
PLACES = [
    ((9, 0), "left", "center"),
    ((-9, 0), "right", "center"),
    ((0, 11), "right", "bottom"),
    ((9, -11), "left", "center"),
    ((9, 11), "left", "center"),
]


def draw(saved, known, milliseconds, out):
    """Draws time against board size for this program, and for OR-Tools as measured and as published."""
    shown = [solver["name"] for solver in saved["solvers"] if not solver["name"].startswith("queens solve")]
    lines = {name: [(row["n"], min(row["runs"])) for row in saved["rows"] if row["solver"] == name] for name in shown}
    lines["OR-Tools guide, as published"] = [(n, ms / 1e3) for n, ms in milliseconds.items() if n >= 4 and ms]
    # These settings make the file reproducible and independent of installed fonts.
    plt.rcParams.update({"svg.hashsalt": "queens", "svg.fonttype": "path", "font.size": 10.5})
    figure, axes = plt.subplots(figsize=(10, 6), facecolor="#fcfcfa")
    axes.set(facecolor="#fcfcfa", yscale="log", xlabel="board size N, and its number of solutions")
    axes.set_ylabel("time for all solutions (log scale)")
    axes.set_title(f"All solutions of N queens, one thread each: {processor(saved['environment'])}", pad=14)
    last = max(n for line in lines.values() for n, _ in line)
    axes.set_xticks(range(4, last + 1), [f"{n}\n{thousands(known[n]) if n % 2 == 0 else ''}" for n in range(4, last + 1)])
    axes.yaxis.set_major_formatter(lambda seconds, _: duration(seconds))
    axes.grid(color="#d8dadd", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    colours = itertools.cycle(["#005ea2", "#d55e00", "#008c69", "#aa3c82", "#966e00"])
    drawn = []
    for (name, line), marker in zip(lines.items(), "o^sDvP"):
        dashes = "--" if "published" in name else "-"
        drawn.append((name, axes.plot(*zip(*line), dashes, marker=marker, markersize=5, color=next(colours))[0]))
    axes.set_xlim(3.5, last + 0.4)
    low, high = axes.get_ylim()
    axes.set_ylim(low, 2 * high)
    figure.tight_layout()
    figure.canvas.draw()

    # Points along all lines and along the left axis, which labels should not cover.
    taken = [axes.transAxes.transform((0, i / 200)) for i in range(201)]
    for _, line in drawn:
        points = axes.transData.transform(line.get_xydata())
        for one, other in itertools.pairwise(points):
            taken += [one + (other - one) * i / 50 for i in range(51)]
    for name, line in drawn:
        texts = []
        for offset, across, down in PLACES:
            text = axes.annotate(
                name, line.get_xydata()[-1], offset, textcoords="offset points", ha=across, va=down, color=line.get_color()
            )
            box = text.get_window_extent().padded(2)
            covered = sum(box.contains(*point) for point in taken)
            outside = not figure.bbox.contains(box.x1, box.y1) or not figure.bbox.contains(box.x0, box.y0)
            texts.append((covered + 1000 * outside, len(texts), box, text))
        best = min(texts, key=lambda one: one[:2])
        for one in texts:
            if one is not best:
                one[3].remove()
        box = best[2]
        taken += [(box.x0 + box.width * i / 50, box.y0 + box.height * j / 4) for i in range(51) for j in range(5)]
    figure.savefig(out, metadata={"Date": None})


def table(saved, known, milliseconds):
    """Yields a Markdown table of each solver's fastest run on each board and its ratio to that of the last solver."""
    names = [solver["name"] for solver in saved["solvers"]]
    least = {(row["solver"], row["n"]): min(row["runs"]) for row in saved["rows"]}
    heads = ["N", "Solutions", *names, "OR-Tools guide"]
    yield "| " + " | ".join(heads) + " |"
    yield "|" + " ---: |" * len(heads)
    for n in sorted({n for _, n in least}):
        cells = [str(n), f"{known[n]:,}"]
        for name in names:
            seconds, base = least.get((name, n)), least[names[-1], n]
            ratio = "" if name == names[-1] else f" ({seconds / base:,.1f})" if seconds else ""
            cells.append(f"{1e3 * seconds:,.3f}{ratio}" if seconds else "")
        cells.append(f"{milliseconds[n]:,}" if n in milliseconds else "")
        yield "| " + " | ".join(cells) + " |"


def page(saved, lines, chart):
    """Yields a Markdown page with the chart, a description of each solver's times, and the table."""
    about = f"{processor(saved['environment'])}, {saved['environment']['date'][:10]}"
    yield f"# Times of constraint solvers: {about}\n"
    yield f"This page was generated by `scripts/compare-solvers`.\n\n![Time for all solutions against board size]({chart})\n"
    yield from (f"- {solver['name']}: {solver['how']}" for solver in saved["solvers"])
    yield "- OR-Tools guide: as published; the guide names neither its solver nor its machine\n"
    yield "Time of the fastest run in milliseconds (the lesser of wall and CPU time), with its ratio to the last solver in brackets:\n"
    yield from lines


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
    parser.add_argument("--max-n", type=whole(4, 20), default=20)
    parser.add_argument("--runs", type=whole(1, 99), default=5)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--from", type=Path, dest="source")
    return parser.parse_args()


def environment_of(queens):
    """Returns the environment that `queens bench` records, with the CPU's flags, and a file name from the CPU and the day."""
    bench = [queens, "bench", "--n", "5", "--runs", "1", "--format", "json"]
    environment = json.loads(run(bench))["environment"]
    cpus = Path("/proc/cpuinfo")
    flags = re.search(r"^flags\s*: (.*)$", cpus.read_text(), re.M) if cpus.exists() else None
    environment["flags"] = flags.group(1) if flags else ""
    name = re.sub("[^a-z0-9]+", "-", f"{processor(environment)} {environment['date'][:10]}".lower()).strip("-")
    return f"{name}.json", environment


def record(options, known):
    """Compares the searches, measures the times, and saves them after each round. Returns the path of the file."""
    name, environment = environment_of(options.queens)
    compare_searches(options.queens, range(4, min(options.max_n, 10) + 1))
    timers = list(solvers(options.queens, environment["version"]))
    # The name contains the machine and the day, so only a file of the same machine and day is replaced.
    out = options.out or Path("results/solvers") / name
    out.parent.mkdir(parents=True, exist_ok=True)
    for times in measure(timers, range(4, options.max_n + 1), options.runs, known):
        saved = {
            "schema": "queens-solvers",
            "schema_version": 2,
            "environment": environment,
            "solvers": [{"name": name, "how": how} for name, how, _ in timers],
            "rows": [
                {"solver": name, "n": n, "solutions": str(known[n]), "runs": runs, "seconds": statistics.median(runs)}
                for (name, n), runs in times.items()
            ],
        }
        out.write_text(json.dumps(saved, indent=2) + "\n", encoding="utf-8")
    return out


def main():
    options = arguments()
    known, milliseconds = published(Path("data")), guide(Path("data"))
    file = options.source or record(options, known)
    saved = json.loads(file.read_text(encoding="utf-8"))
    lines = list(table(saved, known, milliseconds))
    print("\n".join(lines))
    chart = file.with_suffix(".svg")
    draw(saved, known, milliseconds, chart)
    text = "\n".join(page(saved, lines, chart.name)) + "\n"
    file.with_suffix(".md").write_text(text, encoding="utf-8")
    print(f"\nrecorded {file}, with a chart and a page beside it")


if __name__ == "__main__":
    main()
