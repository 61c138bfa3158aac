"""Compares OR-Tools with queens; scripts/compare-solvers prepares what this needs and runs it.

It compares searches first. For N = 4 to 10 the original constraint solver must report the same failures, branches and solutions as
`queens solve`: for the first solution and for all, with all-different and with pairwise not-equal constraints, for each choice of
variable and value that both have (slow ones up to N = 8). The table also lists CP-SAT's conflicts and branches.

Then it times all solutions of each board with one worker. Rounds of one run per solver are interleaved, so that a disturbance
affects all solvers. A time is the lesser of wall time and CPU time, so that other processes hardly matter. The model is the
usual one: an integer variable for the row of each column's queen, and three all-different constraints, on the rows, on row plus
column and on row minus column.
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

#: A solver stops after a board that took longer than this, in seconds.
LONGEST_BOARD = 10.0
#: A solver repeats a board until its runs took this long in total, in seconds.
LONGEST_RUNS = 60.0


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


#: The original solver's names of our options.
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
#: The largest board on which all choices are compared. Some take minutes on larger ones.
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
    """Prints the failures and branches of all searches. Exits with an error if corresponding ones differ."""
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
        started, cpu = time.perf_counter(), time.process_time()
        count = search(n)[-1]
        return min(time.perf_counter() - started, time.process_time() - cpu), count

    return timed


def children_cpu():
    """CPU time of all finished processes that this one started. With one thread it bounds the time of a search."""
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
    """Times a search of the program, including printing one line per solution."""

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


#: Timed searches of `queens solve`.
SEARCHES = {
    **{name: ["--strategy", name] for name in ["naive", "backtrack", "first-fail", "first-unbound"]},
    **{name: ["--variable", "first", "--value", "min", "--propagation", name] for name in ["bounds", "domain"]},
}


def solvers(queens, version):
    """Name, description and timer of each solver. The last one is the baseline."""
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
    """Times each solver on each board in interleaved rounds; yields the times of all runs after each round."""
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


#: AMD's generations by family, first and last model, from Linux (arch/x86/kernel/cpu/amd.c).
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


def microarchitecture(cpu_id, flags):
    """The CPU's microarchitecture, or None if uncertain. A hypervisor may fake Intel's model, but not instructions."""
    found = re.search(r"(\S+) family (\d+) model (\d+)", cpu_id)
    vendor, family, model = found.groups() if found else ("", 0, 0)
    if vendor == "AuthenticAMD":
        family, model = int(family), int(model)
        return next((name for of, first, last, name in AMD if of == family and first <= model <= last), None)
    # Intel's first server CPUs with AMX. Desktop CPUs have none.
    return "Sapphire Rapids or later" if vendor == "GenuineIntel" and "amx_tile" in flags else None


def processor(environment):
    """The CPU's name without marks, and its microarchitecture."""
    name = re.sub(r"\((R|TM)\)|\b(CPU|Processor)\b|@.*", "", environment["cpu"])
    name = " ".join(name.split())
    about = microarchitecture(environment["cpu_id"], environment.get("flags", ""))
    return f"{name} ({about})" if about else name


def duration(seconds):
    """A power of ten of seconds."""
    for unit, size in ("s", 1), ("ms", 1e-3), ("µs", 1e-6):
        if seconds > 0.9 * size:
            return f"{seconds / size:,.0f} {unit}"
    return f"{seconds:.0e} s"


def thousands(count):
    """A count in at most five characters."""
    for unit, size in ("G", 1e9), ("M", 1e6), ("k", 1e5):
        if count >= size:
            return f"{count / (size if unit != 'k' else 1e3):.3g} {unit}"
    return f"{count:,}"


#: Positions of a label beside the end of its line, best first: distance in points, and alignment.
PLACES = [
    ((9, 0), "left", "center"),
    ((-9, 0), "right", "center"),
    ((0, 11), "right", "bottom"),
    ((9, -11), "left", "center"),
    ((9, 11), "left", "center"),
]


def draw(saved, known, milliseconds, out):
    """Draws time against board size: OR-Tools as published and as measured, and this program."""
    shown = [solver["name"] for solver in saved["solvers"] if not solver["name"].startswith("queens solve")]
    lines = {name: [(row["n"], min(row["runs"])) for row in saved["rows"] if row["solver"] == name] for name in shown}
    lines["OR-Tools guide, as published"] = [(n, ms / 1e3) for n, ms in milliseconds.items() if n >= 4 and ms]
    # Makes the file reproducible and independent of installed fonts.
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

    # Points along all lines and the left axis. Labels must not cover them.
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
    """Markdown: the fastest run of each solver on each board, and its ratio to the last solver."""
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
    """Markdown: the chart, what each time covers, and the table."""
    about = f"{processor(saved['environment'])}, {saved['environment']['date'][:10]}"
    yield f"# Times of constraint solvers: {about}\n"
    yield f"This page was made by `scripts/compare-solvers`.\n\n![Time for all solutions against board size]({chart})\n"
    yield from (f"- {solver['name']}: {solver['how']}" for solver in saved["solvers"])
    yield "- OR-Tools guide: as published; it names neither its solver nor its machine\n"
    yield "Fastest run in milliseconds, by the lesser of wall and CPU time, and in brackets its ratio to the last solver:\n"
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
    """Machine and program as `queens bench --save` records them, with the CPU's flags, and the name of the file."""
    with tempfile.TemporaryDirectory() as scratch:
        run([queens, "bench", "--quick", "--n", "4", "--engine", "bitboard", "--save", f"{scratch}/"])
        (saved,) = Path(scratch).iterdir()
        environment = json.loads(saved.read_text(encoding="utf-8"))["environment"]
    cpus = Path("/proc/cpuinfo")
    flags = re.search(r"^flags\s*: (.*)$", cpus.read_text(), re.M) if cpus.exists() else None
    return saved.name, {**environment, "flags": flags.group(1) if flags else ""}


def record(options, known):
    """Compares the searches, measures, and saves the times after each round. Returns the file."""
    name, environment = environment_of(options.queens)
    compare_searches(options.queens, range(4, min(options.max_n, 10) + 1))
    timers = list(solvers(options.queens, environment["version"]))
    # The name contains machine and day, so only this machine's file of the same day is replaced.
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
