"""Tests the web page, and the pages that the program writes, in a browser. Run by scripts/test with the program, the folder of the
page and a folder for screenshots. Further arguments select tests by name."""

import functools
import http.server
import itertools
import json
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from xml.etree import ElementTree

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PROGRAM, SITE, PICTURES = sys.argv[1], sys.argv[2], Path(sys.argv[3])
SWITCHES = "headless no-sandbox disable-gpu no-first-run disable-background-networking disable-sync window-size=1400,1000"
ROOT = Path(__file__).parent.parent
KNOWN = {int(line.split(",")[0]): line.split(",")[1] for line in (ROOT / "data/known-values.csv").read_text().splitlines()[1:]}
# On a slow machine, the tests wait.
PATIENCE = 600
# Settings of the page, and what the program calls them.
STRATEGIES = {
    "strategy=naive": "naive",
    "strategy=backtrack": "backtrack",
    "strategy=first-unbound": "first-unbound",
    "strategy=first-fail": "first-fail",
    "strategy=first-unbound&variable=smallest-lowest-min&value=max&propagation=bounds": "smallest-lowest-min,max,bounds",
    "strategy=first-fail&value=median&propagation=bounds": "smallest,median,bounds",
    "strategy=first-unbound&variable=smallest-lowest-max&value=middle&propagation=bounds": "smallest-lowest-max,middle,bounds",
    "strategy=backtrack&value=middle": "first,middle,none",
}


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the page with a wrong type of the module, and without `missing`."""

    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "text/plain"}
    missing = "/nothing"

    def do_GET(self):
        self.send_error(404) if self.path.endswith(self.missing) else super().do_GET()

    def log_message(self, *_):
        pass


def queens(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def statistics(n, strategy, *limit):
    """Returns branches, failures, solutions and tested squares of the program's search."""
    said = queens("solve", n, *limit, "--strategy", strategy, "--stats", "--format", "list").stderr
    numbers = {name: int(number.replace(",", "")) for name, number in re.findall(r"(\w+): +([\d,]+)", said)}
    return [numbers["branches"], numbers["failures"], numbers["found"], numbers.get("tested", 0)]


class Page:
    def __init__(self, url, view="", dark=False, size=None):
        self.url = url
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.folder = Path(self.profile.name)
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.add_experimental_option("prefs", {"download.default_directory": str(self.folder)})
        for switch in [*SWITCHES.split(), f"user-data-dir={self.folder}", f"blink-settings=preferredColorScheme={0 if dark else 1}"]:
            options.add_argument(f"--{switch}")
        self.browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.browser.set_script_timeout(PATIENCE)
        self.js = self.browser.execute_script
        if size:
            self.resize(*size)
        self.open(view)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if not any(error):
            names = self.js("return performance.getEntriesByType('resource').map((one) => one.name)")
            assert all(name.startswith((self.url, "data:")) for name in names), names
            said = self.browser.get_log("browser")
            assert not said, said
        self.browser.quit()
        self.profile.cleanup()

    def resize(self, width, height):
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def open(self, view):
        self.browser.get("about:blank")
        self.browser.get(self.url + view)
        self.wait("location.protocol === 'file:' || document.body?.dataset.ready")

    def reopen(self):
        """Opens the address that the page has saved."""
        self.js("saveAddress()")
        self.open(self.js("return location.hash"))

    def settle(self, expression):
        """Waits for a promise, and returns its value, or its error as a string."""
        script = f"const done = arguments[0]; ({expression}).then(done, (error) => done('Error: ' + error.message))"
        return self.browser.execute_async_script(script)

    def until(self, condition):
        WebDriverWait(self.browser, PATIENCE, 0.05).until(lambda _: condition())

    def wait(self, condition):
        self.until(lambda: self.js(f"return {condition}"))

    def wait_text(self, selector, text):
        self.wait(f"document.querySelector('{selector}').textContent.includes('{text}')")

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.find(selector).text

    def click(self, selector):
        self.find(selector).click()

    def press(self, keys):
        self.browser.switch_to.active_element.send_keys(keys)

    def fill(self, selector, text):
        self.find(selector).clear()
        self.find(selector).send_keys(f"{text}{Keys.TAB}")

    def saved(self, name):
        self.until((self.folder / name).exists)
        return (self.folder / name).read_text()

    def picture(self, name):
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.browser.save_screenshot(str(PICTURES / f"{name}.png"))


def attack(one, other):
    columns, rows = abs(one[0] - other[0]), abs(one[1] - other[1])
    return columns == 0 or rows == 0 or columns == rows


def is_solution(board, n):
    return len(board) == n and not any(attack(*pair) for pair in itertools.combinations(board, 2))


def images(squares, n):
    """Yields the images of a set of squares, counted from 0, under the eight symmetries."""
    for _ in range(4):
        squares = frozenset((n - 1 - row, column) for column, row in squares)
        yield squares
        yield frozenset((row, column) for column, row in squares)


# Whether the table has filled itself.
FILLED = "rows[14] && !running"


def counts(page):
    page.wait(FILLED)
    for n, workers in itertools.product(range(1, 18), (1, 2, 5)):
        count = page.settle(f"pool.count(taskOf({n}), {workers})")
        assert (count["total"], count["label"]) == (KNOWN[n], "verified"), count
    for engine, kernel in ("bitboard", "reference"), ("bitboard", "scalar"), ("bitboard", "wasm"), ("join", "wasm"):
        assert page.settle(f"pool.count(taskOf(12, '{engine}', '{kernel}'), 2)")["total"] == KNOWN[12]
    for plan, message in ("40", "40"), ("8, 'bitboard', 'avx2'", "avx2"):
        error = page.settle(f"pool.count(taskOf({plan}), 1)")
        assert isinstance(error, str) and message in error, error

    # A total that lacks a result, or has a wrong one, is refused.
    refused = """const [count, solver] = [new wasm_bindgen.Count(taskOf(8), 1), new wasm_bindgen.Solver(taskOf(8))];
        const indices = count.next(1), counts = solver.count(indices);
        const rest = () => { for (let more; (more = count.next(1)).length; ) count.enter(more, solver.count(more)); count.finish(); };
        try { %s; return "accepted"; } catch (error) { return error.message; }"""
    for act, message in [
        ("count.finish()", "no result"),
        ("count.enter(indices, counts.subarray(1))", "wrong number"),
        ("count.enter(indices, counts); counts[0] += 2n; count.enter(indices, counts)", "has two counts"),
        ("counts[0] += 2n; count.enter(indices, counts); rest()", "A000170"),
    ]:
        assert message in page.js(refused % act), page.js(refused % act)

    # Failing workers give an error and no total, and the next count works.
    lost = "pool.resize(2).then(([worker]) => { worker.terminate(); return pool.count(taskOf(17), 2); })"
    throws = """pool.resize(2).then(([worker]) => {
        worker.postMessage = (message) => Worker.prototype.postMessage.call(worker, { ...message, indices: Uint32Array.of(4e9) });
        return pool.count(taskOf(15), 2); })"""
    page.js("patience = 1")
    for failing, message in (lost, "not answered"), (throws, "failed"):
        error = page.settle(failing)
        assert isinstance(error, str) and message in error, error
        page.js("patience = 60")
        assert page.settle("pool.count(taskOf(13), 2)")["total"] == KNOWN[13]
    page.browser.get_log("browser")  # the panic of a worker


def table(page):
    # The table fills itself, and goes on when asked. Its result for the N of the field is shown.
    page.wait(FILLED)
    assert len(page.browser.find_elements(By.CSS_SELECTOR, "#table tr")) == 14
    assert "365,596 solutions for N = 14" in page.text("#count-total")
    page.click("#table-start")
    page.wait("rows[18] && !running")
    cells = page.js("return [...document.querySelectorAll('#table tr')].map((row) => row.children[1].textContent)")
    assert [cell.replace(",", "") for cell in cells] == [KNOWN[n] for n in range(1, 19)]

    # A count shows its total, and nothing moves meanwhile.
    page.fill("#count-n", 16)
    page.js("window.shifts = []; new PerformanceObserver((list) => shifts.push(...list.getEntries().map((one) => one.value)))"
            ".observe({ type: 'layout-shift', buffered: false })")
    page.click("#count-start")
    page.wait_text("#count-total", "14,772,512")
    page.wait_text("#count-status", "engine join")
    assert "verified" in page.text("#count-total")
    # A change of N while counting, and cancelling, never leave an old total.
    for act in "start", "cancel":
        page.fill("#count-n", 19)
        page.click("#count-start")
        page.wait_text("#count-start", "Cancel")
        page.wait_text("#count-status", "solutions/s")
        page.fill("#count-n", 12)
        page.find("#count-n").send_keys(Keys.ENTER) if act == "start" else page.click("#count-start")
        page.wait_text(*(("#count-total", "solutions for N = 12") if act == "start" else ("#count-status", "Cancelled.")))
    assert not page.text("#count-total") and page.text("#count-start") == "Count"
    assert not page.js("return shifts"), page.js("return shifts")
    page.open("#count&n=15&workers=2")
    page.wait_text("#count-total", "2,279,184 solutions")
    page.fill("#count-n", 23)
    page.click("#count-start")
    assert "from 1 to 22" in page.text("#notice") and not page.text("#count-status")


def benchmark(page):
    # The board of the program's score, and its saved results.
    program = json.loads(queens("bench", "--threads", 2, "--runs", 1, "--format", "json").stdout)["measurements"]
    (n,) = {one["n"] for one in program if (one["purpose"], one["engine"]) == ("score", "join")}
    assert page.js("return wasm_bindgen.scored()") == f"{n} join wasm"
    page.wait(FILLED)
    total = KNOWN[n]
    page.js(f"byId('workers').value = 2; pool.count = async (task, size) => ({{ total: '{total}', seconds: 0.2 / size }})")
    page.click("#bench-start")
    page.wait("!byId('bench').hidden")
    rates = page.js("return [...byId('comparison').rows].map((row) => row.textContent)")
    assert len(rates) == 2 + 2 * len(list((ROOT / "results").glob("*.json"))) and "this browser" in rates[0], rates
    assert float(page.text("#score").split(" G")[0]) == float(f"{int(total) / 1e8:.3g}".rstrip("0")), page.text("#score")


def count(*arguments):
    return queens("count", *arguments, "--quiet").stdout.strip()


def solve(page):
    page.open("#solve&n=8")
    assert "92 solutions" in page.text("#verdict") and "verified" in page.text("#verdict")

    # A click places a queen, the second one blocks, the third one frees.
    for cell in 7, 11, 11:
        page.click(f"#cell-{cell}")
    completions = f"{count(8, '--queen', 'a1', '--block', 'b5')} solutions left"
    assert completions in page.text("#verdict") and "unverified" not in page.text("#view-solve")
    assert len(page.browser.find_elements(By.CSS_SELECTOR, ".cell.attacked")) == 7 * 3 and page.find("#cell-7").accessible_name == "a1, queen"
    page.reopen()
    assert "queens=a1&blocked=b5" in page.js("return location.hash") and completions in page.text("#verdict")
    page.js("byId('cell-6').focus()")
    assert "a2 is attacked by a1 (same column)" in page.text("#solve-status")
    page.js("byId('cell-59').focus()")
    share = count(8, "--queen", "a1", "--queen", "h5", "--block", "b5")
    assert {"0": "free, but", "1": "one solution has"}.get(share, f"{share} solutions have") in page.text("#solve-status")
    page.click("#hint")
    page.wait_text("#solve-status", "Hint")
    assert page.find(".hinted").accessible_name.endswith("hint")

    # The keyboard places a queen that attacks another one.
    page.find("#cell-7").send_keys(Keys.ARROW_RIGHT)
    page.press(Keys.SPACE)
    assert len(page.browser.find_elements(By.CSS_SELECTOR, ".conflict")) == 2 and "b1 is attacked by a1 (same row)" in page.text("#verdict")
    page.press("b")
    assert page.js("return blocked.has(15) && !queens.has(15)")

    # A board says why it has no solution, whenever that is so.
    for board, reason in [
        ("n=8&queens=a1&blocked=h2+h3+h4+h5+h6+h7", "every square of column h is attacked or blocked."),
        ("n=4&blocked=a1+b1+c1+d1", "every square of row 1 is attacked or blocked."),
        ("n=6&queens=a6+c2", "queens must go to b4, then d5, and then column f has no free square."),
        ("n=4&queens=b3", "two columns have to share a row."),
        ("n=4&queens=a4", "every way to go on fails: a search meets 2 dead ends."),
    ]:
        page.open(f"#solve&{board}")
        assert "0 solutions left" in page.text("#verdict") and reason in page.text("#verdict"), page.text("#verdict")
    page.open("#solve&n=4&queens=a4")
    page.find("#cell-7").click()
    assert "queens must go to c3, and then column d has no free square." in page.text("#verdict")
    wrong = page.js("""const wrong = [];
        for (const size of [4, 5, 6, 7]) {
            useBoard({ n: size });
            for (const one of allSquares()) for (const other of allSquares()) {
                const task = taskOf(size, "", "", `${nameOf(one)} ${nameOf(other)}`);
                if (!lineOf(one, other) && (wasm_bindgen.count_small(task, 0)[0] === "0") !== (wasm_bindgen.dead_end(task) !== undefined)) wrong.push(task);
            }
        }
        return wrong;""")
    assert not wrong, wrong

    # All solutions, each once, and the fundamental ones. There is no next one after the last.
    page.open("#solve&n=8")
    for button, name, many in ("#solution-all", "Solution", 92), ("#solution-fundamental", "Fundamental solution", 12):
        met = []
        for number in range(1, many + 1):
            page.click(button if number == 1 else "#solution-next")
            page.wait_text("#verdict", f"{name} {number} of {many}")
            met.append(frozenset((square // 8, square % 8) for square in page.js("return shown.squares")))
        assert len(set(met)) == many and all(is_solution(board, 8) for board in met) and not page.find("#solution-next").is_enabled()
        # The address leads back to the solution.
        page.reopen()
        page.wait_text("#verdict", f"{name} {many} of {many}")
        assert {(square // 8, square % 8) for square in page.js("return shown.squares")} == met[-1]
        page.click("#solution-close")
        assert "92 solutions" in page.text("#verdict")
    assert len({min(sorted(image) for image in images(board, 8)).__repr__() for board in met}) == 12

    # The last queen solves the puzzle at once.
    page.open("#solve&n=6&queens=a5+b3+c1+d6+e4")
    page.click("#cell-34")
    assert "Solved!" in page.text("#verdict")
    # A larger board is counted when asked, which can be cancelled; its limits are said.
    page.open("#solve&n=19&queens=a1")
    page.click("#complete")
    page.wait_text("#solve-status", "solutions/s")
    page.click("#complete")
    page.wait_text("#solve-status", "Cancelled.")
    page.click("#cell-40")
    assert not page.text("#solve-status")
    page.fill("#solve-n", 33)
    assert "from 1 to 32" in page.text("#notice")
    page.open("#solve&n=30")
    page.click("#hint")
    page.wait_text("#solve-status", "Hint")

    # Nonsense in the address is named, and the rest is used.
    page.open("#solve&n=7&queens=z9+a1&colour=red&solution=0")
    assert all(word in page.text("#notice") for word in ("queens=z9", "colour=red", "solution=0"))
    assert page.js("return [n, ...queens]") == [7, 6]
    page.open("#explore&n=99&strategy=nonsense&node=2")
    assert all(word in page.text("#notice") for word in ("n=99 (accepted: 1 to 30)", "strategy=nonsense", "node=2"))


def figures(page):
    # Whole trees have the program's statistics, and so has each solution on the way.
    said = lambda part: [int(number) for number in re.findall("[0-9]+", page.text(f"#about span:nth-child({part})").replace(",", ""))]
    for n, (settings, strategy) in itertools.product((4, 7, 8), STRATEGIES.items()):
        page.open(f"#explore&n={n}&{settings}")
        page.click("#unfold")
        page.wait_text("#about", "Whole tree")
        expected = statistics(n, strategy, "--all")
        assert [*said(2), 0][:4] == expected and page.js("return nodes.length") == expected[0] + 1, (n, settings, said(2), expected)
    for n, (settings, strategy) in itertools.product((8, 10), STRATEGIES.items()):
        page.open(f"#explore&n={n}&{settings}")
        for limit in (1, 2, 3):
            page.press("n")
            page.wait(f"!isSearching && upTo('solutions', chosen) === {limit}")
            assert said(1) == statistics(n, strategy, "--limit", limit)[:3], (n, settings, limit)
    page.open("#explore&n=8&strategy=first-fail")
    page.press("n")
    page.wait_text("#about", "Up to here: 7 branches, 2 failures, 1 solution.")

    # A tree that does not have room on the page.
    page.open("#explore&n=12&strategy=backtrack")
    page.click("#unfold")
    page.wait_text("#about", "1,712,376 branches, 841,989 failures, 14,200 solutions")
    assert "more are left out" in page.text("#about") and page.js("return nodes.length") == 20000


def is_in_view(page):
    """Checks that the tree fits or the selected node is in view, and that texts have a readable size and are not cut."""
    wrong = page.js("""const box = (element) => element.getBoundingClientRect();
        const [tree, stage] = [byId("tree"), box(byId("stage"))];
        const texts = [...tree.querySelectorAll("text")];
        const isInside = ({ left, top, right, bottom }) => left >= stage.left - 1 && top >= stage.top && right <= stage.right + 1 && bottom <= stage.bottom;
        const size = (text) => parseFloat(getComputedStyle(text).fontSize) * text.getCTM().a;
        const isWhole = extent.width <= byId("stage").clientWidth && extent.height <= byId("stage").clientHeight;
        if (!isInside(box(tree.querySelector(".chosen > g")))) return "the selected node is outside";
        if (texts.some((text) => size(text) < 12 || size(text) > 18)) return "the size of a text";
        if (texts.some((text) => !isInside(box(text)))) return "a text is cut";
        return !isWhole && texts.length < 3 ? "few texts" : "";""")
    assert not wrong, wrong


def explore(page):
    # Each option of a menu has its sentence.
    assert page.js("return [...document.querySelectorAll('#exploring option')].every(({ value, title }) => !value || title.endsWith('.'))")

    # Steps show propagation with reasons, as in the program's trace.
    page.open("#explore&n=6&strategy=first-fail&propagation=bounds")
    trace = queens("trace", 6, "--all", "--strategy", "smallest,middle,bounds").stdout
    boards = []
    for number, step in enumerate(trace.split("\nStep ")[1:]):
        if number:
            page.press(".")
        lines = step.split("\n\n")[0].splitlines()
        boards.append("".join(lines[1:7]).replace(" ", ""))
        # A square of a queen's column that no queen attacks is marked, but is not removed.
        back = re.search(r"back to step (\d+)", step)
        before = boards[int(back[1]) - 1 if back else number - 1] if number else "." * 36
        pairs = enumerate(zip(before, boards[-1]))
        squares = sorted(i % 6 * 6 + i // 6 for i, (old, new) in pairs if old == "." and new in "-/\\ox")
        removed = page.js("return nodes[chosen][4]")
        assert sorted(square for _, *squares in removed for square in squares) == squares
        assert page.js("return kindOf(chosen)") == lines[-1][0]
        is_in_view(page)
    page.open("#explore&n=4&strategy=first-unbound")
    page.press(".")
    assert "Queen a4 attacks" in page.text("#steps") and "Next choice" in page.text("#steps")
    page.press("x")
    assert "a failure" in page.text("#steps") and "has no free square" in page.text("#steps")

    # Whatever is done to a tree, it fits or the selected node is in view.
    for view in "n=8&strategy=first-fail", "n=8&strategy=backtrack", "n=11&strategy=first-unbound", "n=30&strategy=first-fail&propagation=bounds":
        page.open(f"#explore&{view}")
        for act in ["f", "n", "n", "x", ".", ",", Keys.HOME, Keys.ENTER, "" if "30" in view else "*", Keys.HOME, "n", Keys.ARROW_LEFT, Keys.ENTER, "+", "f"]:
            page.find("#tree").send_keys(act)
            page.wait("!isSearching")
            is_in_view(page) if act != "+" else None
        for size in (1280, 900), (800, 700), (390, 844), (1280, 900):
            page.resize(*size)
            page.settle("new Promise((done) => setTimeout(done, 100))")
            is_in_view(page)
    page.picture("explore")

    # A node is folded with a click, and the address leads back to one that is found later. The tree is saved as well-formed SVG.
    page.open("#explore&n=6&strategy=backtrack")
    for expanded in ("true", "false"):
        page.click("#node-1 > g")
        assert page.find(f"#node-1[aria-expanded={expanded}]")
    assert "Folded: " in page.text("#steps")
    page.press("s")
    drawn = ElementTree.fromstring(page.saved("tree.svg"))
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}title"))) == 1 + page.js("return visible.length")
    page.open("#explore&n=9&strategy=backtrack")
    for _ in range(4):
        page.press("n")
    path = page.js("saveAddress(); return pathName(chosen)")
    page.open(page.js("return location.hash"))
    assert page.js("return [pathName(chosen), upTo('solutions', chosen)]") == [path, 4]
    assert all(f"<kbd>{name}</kbd>" in page.find("#more").get_attribute("innerHTML") for name in page.js("return Object.keys(SHORTCUTS)"))
    # A search without an end is stopped, and leaves what it has met.
    page.open("#explore&n=30&strategy=naive")
    page.click("#solution")
    page.wait_text("#status", "Searching")
    page.click("#halt")
    page.wait_text("#status", "Stopped after")
    assert not page.js("return isSearching || below('solutions', 0)")
    # A jump that a new tree ends says nothing about that tree.
    page.click("#solution")
    page.wait_text("#status", "Searching")
    page.js("byId('strategy').value = 'first-fail'; startTree()")
    page.settle("new Promise((done) => setTimeout(done, 200))")
    assert not page.text("#status")
    page.js("byId('strategy').value = 'naive'; byId('propagation').value = 'value'; startTree()")
    assert "does not propagate" in page.text("#notice")


def boards(page):
    """Returns a dictionary for each board, from shapes to sets of squares given as (column, row)."""
    drawn = page.js("""return [...document.querySelectorAll(".board")].map((board) => {
        const shapes = { queen: [], forced: [], gone: [], new: [], next: [] };
        for (const use of board.querySelectorAll("use")) shapes[use.href.baseVal.slice(1)].push([use.x.baseVal.value / 10, use.y.baseVal.value / 10]);
        return shapes; })""")
    return [{shape: {tuple(square) for square in squares} for shape, squares in board.items()} for board in drawn]


def written(folder, command):
    """Returns the address of a page that the program writes."""
    file = Path(folder) / f"{command.split(' --')[0]}.html"
    queens(*command.split(), "--output", file)
    return file.as_uri()


def solutions(page):
    met = [frozenset(board["queen"]) for board in boards(page)]
    while page.find("#next").is_enabled():
        page.click("#next")
        met += [frozenset(board["queen"]) for board in boards(page)]
    assert len(met) == len(set(met)) == 92 and all(is_solution(board, 8) for board in met)
    page.click("figure")
    numbers = [int(number) for number in page.text("#status").split(": ")[1].split(", ")]
    assert {met[number - 1] for number in numbers} == set(images(met[84], 8))


def tree(page, n):
    found = [int(number.replace(",", "")) for number in re.findall(r" ([\d,]+)(?:,|$)", page.text("h1"))[-3:]]
    assert page.js("return [upTo('nodes', nodes.length - 1) - 1, below('failures', 0), below('solutions', 0)]") == found, found
    page.picture(f"tree-{n}")
    # Step through the whole search and check the board at each step.
    for number in range(found[0] + 1):
        page.press("." if number else "f")
        is_in_view(page)
        (board,) = boards(page)
        placed, crossed = board["queen"] | board["forced"], board["gone"] | board["new"]
        assert not placed & crossed
        kind = page.js("return kindOf(chosen)")
        if kind == "s":
            assert is_solution(placed, n)
        elif kind == "c" and n < 8:  # with propagation, free squares are not attacked
            free = set(itertools.product(range(n), range(n))) - placed - crossed
            assert not any(attack(*pair) for pair in itertools.product(placed, free))


def looks(page, name):
    for view in ("count", "solve&n=8&queens=a1+c2&blocked=h8", "explore&n=6&strategy=first-unbound"):
        page.open(f"#{view}")
        page.wait(FILLED) if view == "count" else None
        wide = page.js("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        assert wide[0] <= wide[1], (name, view, wide)
        # Text in drawings is scaled.
        small = page.js("""const size = (element) => parseFloat(getComputedStyle(element).fontSize) * (element.getScreenCTM?.()?.a ?? 1);
            const shown = [...document.querySelectorAll('body *')].filter((element) => element.checkVisibility() &&
                [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()));
            return shown.filter((element) => size(element) < 11.99).map((element) => `${element.tagName} ${element.textContent} ${size(element)}`)""")
        assert not small, (name, view, small)
        unnamed = page.js("""return [...document.querySelectorAll('button, input, select, svg[role]')].filter((e) => e.checkVisibility())
            .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length || e.title)).map((e) => e.outerHTML)""")
        assert not unnamed, (name, view, unnamed)
        if view.startswith("explore") and name.startswith("phone"):
            assert page.js("return byId('stage').offsetHeight / innerHeight") > 0.66
        page.picture(f"{view.split('&')[0]}-{name}")


def offline(page, server):
    # After the first visit, nothing comes from the server.
    page.settle("navigator.serviceWorker.ready")
    server.shutdown()
    server.server_close()
    for view in "#count&n=8", "#solve&n=8", "#explore&n=6":
        page.open(view)
    page.open("#count")
    page.wait(FILLED)
    count = page.settle("pool.count(taskOf(14), 2)")
    assert isinstance(count, dict) and count["total"] == KNOWN[14], count
    page.click("#bench-start")
    page.wait_text("#bench-status", "run")
    page.browser.get_log("browser")


def broken(page):
    # A worker whose script is missing is named.
    page.wait_text("#table-status", "a worker cannot start")
    page.browser.get_log("browser")


def serve(**attributes):
    handler = functools.partial(type("Serving", (Handler,), attributes), directory=SITE)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_port}/"


def main():
    _, url = serve()
    second, second_url = serve()
    with tempfile.TemporaryDirectory() as folder:
        tests = {test.__name__: (test, url, {}) for test in (counts, table, benchmark, solve, figures, explore)}
        for name, options in [("light", {}), ("dark", {"dark": True}), ("phone", {"size": (390, 844)}),
                              ("phone-dark", {"size": (360, 740), "dark": True})]:
            tests[name] = (functools.partial(looks, name=name), url, options)
        tests["offline"] = (functools.partial(offline, server=second), second_url, {})
        tests["broken"] = (broken, serve(missing="worker.js")[1], {})
        tests["solutions"] = (solutions, written(folder, "solve 8 --all"), {})
        for n, arguments in (4, "--all --strategy first-unbound"), (6, "--all --strategy first,min,bounds"), (8, "--strategy backtrack"):
            tests[f"tree-{n}"] = (functools.partial(tree, n=n), written(folder, f"tree {n} {arguments}"), {"dark": n == 8})
        for name in sys.argv[4:] or tests:
            test, url, options = tests[name]
            print(name, flush=True)
            with Page(url, **options) as page:
                test(page)
    print(f"ok; screenshots are in {PICTURES}")


main()
