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
from selenium.common.exceptions import StaleElementReferenceException
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
STRATEGIES = ["naive", "backtrack", "first-unbound", "first-fail", "smallest-lowest-min,max,bounds", "smallest,median,bounds",
              "smallest-lowest-max,middle,bounds", "first,middle,none"]


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
    def __init__(self, url, view="", dark=False, size=None, forced=False):
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
        if forced:
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "forced-colors", "value": "active"}]})
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
        # The page may replace the element between the two requests.
        try:
            return self.find(selector).text
        except StaleElementReferenceException:
            return self.text(selector)

    def click(self, selector):
        self.find(selector).click()

    def press(self, keys):
        self.browser.switch_to.active_element.send_keys(keys)

    def fill(self, selector, text):
        self.find(selector).clear()
        self.find(selector).send_keys(f"{text}{Keys.TAB}")

    def saved(self, name):
        self.until(lambda: (self.folder / name).exists() and (self.folder / name).stat().st_size)
        return (self.folder / name).read_text()

    def is_enabled(self, selector):
        return self.find(selector).get_attribute("aria-disabled") != "true"

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
FILLED = "rows[14] && !counting.running"


def counts(page):
    page.wait(FILLED)
    for n, workers in itertools.product(range(1, 18), (1, 2, 5)):
        count = page.settle(f"counting.pool.count(taskOf({n}), {workers})")
        assert (count["total"], count["label"]) == (KNOWN[n], "verified"), count
    for engine, kernel in ("bitboard", "reference"), ("bitboard", "scalar"), ("bitboard", "wasm"), ("join", "wasm"):
        assert page.settle(f"counting.pool.count(taskOf(12, {{ engine: '{engine}', kernel: '{kernel}' }}), 2)")["total"] == KNOWN[12]
    for plan, message in ("40", "40"), ("8, { engine: 'bitboard', kernel: 'avx2' }", "avx2"):
        error = page.settle(f"counting.pool.count(taskOf({plan}), 1)")
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

    # A failing worker gives an error and no total, and the next count works.
    error = page.settle("""counting.pool.resize(2).then(([worker]) => {
        worker.postMessage = (message) => Worker.prototype.postMessage.call(worker, { ...message, indices: Uint32Array.of(4e9) });
        return counting.pool.count(taskOf(15), 2); })""")
    assert isinstance(error, str) and "failed" in error, error
    assert page.settle("counting.pool.count(taskOf(13), 2)")["total"] == KNOWN[13]
    page.browser.get_log("browser")  # the panic of a worker


def table(page):
    # The table fills itself, and goes on when asked. Its result for the N of the field is shown.
    page.wait(FILLED)
    assert len(page.browser.find_elements(By.CSS_SELECTOR, "#table tr")) == 14
    assert "365,596 solutions for N = 14" in page.text("#countTotal")
    # A count enters the table, and the table leaves its result.
    page.fill("#countN", 16)
    page.click("#countStart")
    page.wait("rows[16] && !counting.running")
    assert len(page.browser.find_elements(By.CSS_SELECTOR, "#table tr")) == 15
    page.click("#tableStart")
    page.wait("rows[18] && !counting.running")
    assert "14,772,512 solutions for N = 16" in page.text("#countTotal") and "engine join" in page.text("#countStatus")
    cells = page.js("return [...document.querySelectorAll('#table tr')].map((row) => row.children[1].textContent)")
    assert [cell.replace(",", "") for cell in cells] == [KNOWN[n] for n in range(1, 19)]
    page.click("#tableCsv")
    lines = page.saved("table.csv").splitlines()[1:]
    assert [line.split(",")[:2] for line in lines] == [[str(n), KNOWN[n]] for n in range(1, 19)]
    # The times of the guide are those of the file, and the page says what they are.
    lines = (ROOT / "data/ortools-published.csv").read_text().splitlines()[1:]
    guide = [(int(n), int(ms)) for n, _, ms in (line.split(",") for line in lines) if ms != "0"]
    assert [tuple(row) for row in page.js("return Object.keys(rows).map((n) => [Number(n), wasm_bindgen.guide(n)]).filter(([, ms]) => ms)")] == guide
    assert "which is more work than counting" in page.text("#view-count")

    # A count shows its total, and nothing moves meanwhile.
    page.fill("#countN", 16)
    page.js("window.shifts = []; new PerformanceObserver((list) => shifts.push(...list.getEntries().map((one) => one.value)))"
            ".observe({ type: 'layout-shift', buffered: false })")
    page.click("#countStart")
    page.wait_text("#countTotal", "14,772,512")
    page.wait_text("#countStatus", "engine join")
    assert "verified" in page.text("#countTotal")
    # A change of N while counting, and cancelling, never leave an old total.
    for act in "start", "cancel":
        page.fill("#countN", 19)
        page.click("#countStart")
        page.wait_text("#countStart", "Cancel")
        page.wait_text("#countStatus", "solutions/s")
        page.fill("#countN", 12)
        page.find("#countN").send_keys(Keys.ENTER) if act == "start" else page.click("#countStart")
        page.wait_text(*(("#countTotal", "solutions for N = 12") if act == "start" else ("#countStatus", "Cancelled.")))
    assert not page.text("#countTotal") and page.text("#countStart") == "Count"
    assert not page.js("return shifts"), page.js("return shifts")
    page.open("#count&n=15&workers=2&colour=red")
    page.wait_text("#countTotal", "2,279,184 solutions")
    assert "colour=red" in page.text("#notice")
    page.fill("#countN", 23)
    page.click("#countStart")
    assert "from 1 to 22" in page.text("#notice") and not page.text("#countStatus")


def benchmark(page):
    # The board of the program's score.
    program = json.loads(queens("bench", "--threads", 2, "--runs", 1, "--format", "json").stdout)["measurements"]
    (n,) = {one["n"] for one in program if (one["purpose"], one["engine"]) == ("score", "join")}
    assert page.js("return wasm_bindgen.scored()") == f"{n} join wasm"
    page.wait(FILLED)
    total = KNOWN[n]
    page.js(f"ui.workers.value = 2; counting.pool.count = async (task, size) => ({{ total: '{total}', seconds: 0.2 / size }})")
    page.click("#benchStart")
    page.wait_text("#score", "2 workers")
    assert float(page.text("#score").split(" G")[0]) == float(f"{int(total) / 2e8:.3g}".rstrip("0")), page.text("#score")


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
    page.js("ui['cell-6'].focus()")
    assert "a2 is attacked by a1 (same column)" in page.text("#solveStatus")
    page.js("ui['cell-59'].focus()")
    share = count(8, "--queen", "a1", "--queen", "h5", "--block", "b5")
    assert {"0": "free, but", "1": "one solution has"}.get(share, f"{share} solutions have") in page.text("#solveStatus")
    page.click("#hint")
    page.wait_text("#solveStatus", "Hint")
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
            for (let one = 0; one < size ** 2; one++) for (let other = 0; other < size ** 2; other++) {
                const task = taskOf(size, { queens: [one, other] });
                if (wasm_bindgen.attacked(task).includes(one)) continue;
                if ((wasm_bindgen.count_small(task, 0)[0] === "0") !== wasm_bindgen.verdict(task)[2].startsWith("With these queens, ")) wrong.push(task);
            }
        }
        return wrong;""")
    assert not wrong, wrong

    # All solutions, each once, and the fundamental ones. There is no next one after the last.
    page.open("#solve&n=8")
    for button, name, many in ("#solutionAll", "Solution", 92), ("#solutionFundamental", "Fundamental solution", 12):
        met = []
        for number in range(1, many + 1):
            page.click(button if number == 1 else "#solutionNext")
            page.wait_text("#verdict", f"{name} {number} of {many}")
            met.append(frozenset((square // 8, square % 8) for square in page.js("return shown.squares")))
        assert len(set(met)) == many and all(is_solution(board, 8) for board in met) and not page.is_enabled("#solutionNext")
        # The address leads back to the solution.
        page.reopen()
        page.wait_text("#verdict", f"{name} {many} of {many}")
        assert {(square // 8, square % 8) for square in page.js("return shown.squares")} == met[-1]
        page.click("#solutionClose")
        assert "92 solutions" in page.text("#verdict")
    assert len({min(sorted(image) for image in images(board, 8)).__repr__() for board in met}) == 12

    # The last queen solves the puzzle at once.
    page.open("#solve&n=6&queens=a5+b3+c1+d6+e4")
    page.click("#cell-34")
    assert "Solved!" in page.text("#verdict")
    # A larger board is counted when asked, which can be cancelled; its limits are said.
    page.open("#solve&n=19&queens=a1")
    page.click("#complete")
    page.wait_text("#solveStatus", "solutions/s")
    page.click("#complete")
    page.wait_text("#solveStatus", "Cancelled.")
    page.click("#cell-40")
    assert not page.text("#solveStatus")
    page.fill("#solveN", 33)
    assert "from 1 to 32" in page.text("#notice")
    page.open("#solve&n=30")
    page.click("#hint")
    page.wait_text("#solveStatus", "Hint")

    # Nonsense in the address is named, and the rest is used.
    page.open("#solve&n=7&queens=z9+a1&colour=red&solution=0")
    assert all(word in page.text("#notice") for word in ("queens=z9", "colour=red", "solution=0"))
    assert page.js("return [squares.n, ...queens]") == [7, 6]
    page.open("#explore&n=99&strategy=nonsense&node=2")
    page.wait_text("#notice", "node=2")
    assert all(word in page.text("#notice") for word in ("n=99 (accepted: 1 to 30)", "strategy=nonsense", "node=2"))


def figures(page):
    # Whole trees have the program's statistics, and so has each solution on the way.
    said = lambda part: [int(number) for number in re.findall("[0-9]+", page.text(f"#about span:nth-child({part})").replace(",", ""))]
    for n, strategy in itertools.product((4, 7, 8), STRATEGIES):
        page.open(f"#explore&n={n}&strategy={strategy}")
        page.click("#all")
        page.wait_text("#about", "Whole tree")
        expected = statistics(n, strategy, "--all")
        assert [*said(1), 0][:4] == expected and page.js("return tree.state.nodes.length") == expected[0] + 1, (n, strategy, said(1), expected)
    for n, strategy in itertools.product((8, 10), STRATEGIES):
        page.open(f"#explore&n={n}&strategy={strategy}")
        for limit in (1, 2, 3):
            page.press("n")
            page.wait(f"!tree.state.source.isSearching && tree.upTo('solutions', tree.state.chosen) === {limit}")
            expected = statistics(n, strategy, "--limit", limit)[:3]
            page.until(lambda: said(2) == expected)
    page.open("#explore&n=8&strategy=first-fail")
    page.press("n")
    page.wait_text("#about", "Up to here: 7 branches, 2 failures, 1 solution.")

    # A tree that does not have room on the page.
    page.open("#explore&n=12&strategy=backtrack")
    page.click("#all")
    page.wait_text("#about", "1,712,376 branches, 841,989 failures, 14,200 solutions")
    assert "more are left out" in page.text("#about") and page.js("return tree.state.nodes.length") == 20000


def is_in_view(page):
    """Checks that the tree fits or the selected node is in view, and that texts have a readable size and are not cut."""
    # The browser tells the page in the next frame that it has scrolled.
    page.settle("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    wrong = page.js("""const box = (element) => element.getBoundingClientRect();
        const [svg, stage] = [ui.tree, box(ui.stage)];
        const texts = [...svg.querySelectorAll("text")];
        const isInside = ({ left, top, right, bottom }) => left >= stage.left - 1 && top >= stage.top && right <= stage.right + 1 && bottom <= stage.bottom;
        const size = (text) => parseFloat(getComputedStyle(text).fontSize) * text.getCTM().a;
        const isWhole = tree.extent.width <= ui.stage.clientWidth && tree.extent.height <= ui.stage.clientHeight;
        if (!isInside(box(svg.querySelector(".chosen > g")))) return "the selected node is outside";
        if (texts.some((text) => size(text) < 12 || size(text) > 18)) return "the size of a text";
        if (texts.some((text) => !isInside(box(text)))) return "a text is cut";
        return !isWhole && texts.length < 3 ? "few texts" : "";""")
    assert not wrong, wrong


def explore(page):
    # Each option of a menu has its sentence.
    assert page.js("return [...document.querySelectorAll('#exploring option')].every(({ value, title }) => !value || title)")

    # Steps show propagation with reasons, as in the program's trace.
    page.open("#explore&n=6&strategy=smallest,middle,bounds")
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
        removed = page.js("return tree.state.nodes[tree.state.chosen][4]")
        assert sorted(square for _, *squares in removed for square in squares) == squares
        assert page.js("return tree.kindOf(tree.state.chosen)") == lines[-1][0]
        is_in_view(page)
    page.open("#explore&n=4&strategy=first-unbound")
    page.press(".")
    assert "Queen a4 attacks" in page.text("#steps") and "Next choice" in page.text("#steps")
    page.press("x")
    assert "a failure" in page.text("#steps") and "has no free square" in page.text("#steps")

    # Whatever is done to a tree, it fits or the selected node is in view.
    for view in "n=8&strategy=first-fail", "n=8&strategy=backtrack", "n=11&strategy=first-unbound", "n=30&strategy=smallest,middle,bounds":
        page.open(f"#explore&{view}")
        for act in ["f", "n", "n", "x", ".", ",", Keys.HOME, Keys.ENTER, "" if "30" in view else "*", Keys.HOME, "n", Keys.ARROW_LEFT, Keys.ENTER, "+", "f"]:
            page.find("#tree").send_keys(act)
            page.wait("!tree.state.source.isSearching")
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
    assert len(list(drawn.iter("{http://www.w3.org/2000/svg}title"))) == 1 + page.js("return tree.state.visible.length")
    page.open("#explore&n=9&strategy=backtrack")
    for _ in range(4):
        page.press("n")
    path = page.js("saveAddress(); return tree.state.path")
    page.open(page.js("return location.hash"))
    page.wait(f"tree.state.path === '{path}'")
    assert page.js("return tree.upTo('solutions', tree.state.chosen)") == 4
    assert page.js("return [...document.querySelectorAll('[aria-keyshortcuts]')].every((one) => one.title.endsWith(`(${one.ariaKeyShortcuts})`))")
    # A search without an end is stopped, and leaves what it has met.
    page.open("#explore&n=30&strategy=naive")
    page.click("#solution")
    page.wait_text("#about", "Searching")
    page.click("#all")
    page.wait_text("#status", "Stopped")
    assert not page.js("return tree.state.source.isSearching || tree.below('solutions', 0)")
    # A jump that a new tree ends says nothing about that tree.
    page.click("#solution")
    page.wait_text("#about", "Searching")
    page.js("ui.strategy.value = 'first-fail'; startTrees()")
    page.settle("new Promise((done) => setTimeout(done, 200))")
    assert not page.text("#status")


def together(page):
    """Tests that two searches on one board are stepped together, each with its own figures."""
    page.open("#explore&n=8&queens=a1&strategy=backtrack&against=first-fail")
    for _ in range(3):
        page.press(".")
    assert page.js("return trees.map(({ state }) => state.chosen)") == [3, 3]
    assert all((0, 7) in board["preplaced"] | board["queen"] for board in boards(page)[-2:])
    page.press("n")
    for part, strategy in ("", "backtrack"), ("2", "first-fail"):
        branches, failures, *_ = statistics(8, strategy, "--queen", "a1")
        page.wait_text(f"#about{part}", f"Up to here: {branches} branches, {failures} failures, 1 solution.")
        assert page.text(f"#about{part}").startswith(f"{strategy}. ")
    for size in (390, 844), (1280, 900):
        page.resize(*size)
        page.settle("new Promise((done) => setTimeout(done, 100))")
        is_in_view(page)
        page.picture(f"together-{size[0]}")
    # The address leads back to both nodes.
    paths = page.js("return trees.map(({ state }) => state.path)")
    page.reopen()
    page.until(lambda: page.js("return trees.map(({ state }) => state.path)") == paths)
    # Playing ends when neither search goes on. Folding is for the tree that was used last.
    page.open("#explore&n=4&strategy=first-unbound&against=backtrack")
    page.js("ui.speed.value = '150'")
    page.click("#play")
    page.wait("trees.every(({ state }) => state.chosen === state.nodes.length - 1)")
    page.wait("!timer")
    page.click("#node2-1 > g")
    assert page.js("return trees.map(({ state }) => state.chosen === 1)") == [False, True]
    page.click("#fold")
    assert page.js("return trees.map(({ state }) => state.visible.length < state.nodes.length)") == [False, True]
    page.js("ui.against.value = ''; startTrees()")
    assert not page.find("#stage2").is_displayed()


def keeps(page):
    """Tests that nothing is lost between the views, and that nothing stays that belongs to something else."""

    def view(name):
        page.click(f"nav a[href='#{name}']")
        # The browser handles a change of the address later.
        page.wait(f"!ui['view-{name}'].hidden")

    # A count goes on while the visitor plays.
    page.wait(FILLED)
    page.fill("#countN", 20)
    page.click("#countStart")
    page.wait_text("#countStatus", "solutions/s")
    view("solve")
    page.click("#cell-7")
    view("count")
    before = page.text("#countStatus")
    assert page.text("#countStart") == "Cancel" and "solutions/s" in before
    page.until(lambda: page.text("#countStatus") != before)
    page.click("#countStart")
    assert page.text("#countStatus") == "Cancelled." and page.text("#countStart") == "Count"
    # Long work says at once that it has begun, and then how long it has taken.
    page.open("#solve&n=20&queens=a1")
    page.click("#complete")
    page.wait_text("#solveStatus", "s so far")
    page.click("#cell-47")
    assert not page.text("#solveStatus").startswith("first") and page.text("#complete") == "Count"
    # The board and the tree are as they were, and each view has its title.
    page.open("#solve&n=5&queens=a5+b3")
    titles = [page.js("return document.title")]
    for name, is_kept in ("explore", "tree.state.chosen === 3"), ("solve", "queens.size === 2"), ("count", "true"), ("explore", "tree.state.chosen === 3"):
        view(name)
        titles.append(page.js("return document.title"))
        if len(titles) == 2:
            for _ in range(3):
                page.click("#on")
        assert page.js(f"return {is_kept}"), (name, is_kept)
    assert len({title for title in titles if "N queens" in title}) == 3, titles
    # A new tree is not pale, and a link to a late node leaves the other views free.
    assert page.js("return document.querySelectorAll('.node[opacity]').length")
    page.fill("#exploreN", 7)
    assert not page.js("return document.querySelectorAll('.node[opacity]').length") and page.js("return tree.state.source.title").startswith("Search tree, N = 7")
    page.open("#explore&n=24&strategy=backtrack&node=11")
    page.wait_text("#about", "Searching")
    view("solve")
    assert page.find("#view-solve").is_displayed() and "solve" in page.js("saveAddress(); return location.hash")

    # What the menus offer makes a tree, and what is refused in the address is named.
    offered = page.js("return [...ui.strategy.options].map((option) => option.value)")
    assert len(offered) == len(set(offered)) == 4 + 4 + 2 * 16 and set(STRATEGIES) <= set(offered)
    assert page.js("return [...ui.strategy.options].every(({ value }) => new wasm_bindgen.Explorer(taskOf(4, { strategy: value })) && wasm_bindgen.meaning(value))")
    page.open("#explore&n=4&strategy=smallest,min,none&against=first-fail")
    assert "strategy=smallest,min,none" in page.text("#notice") and page.js("return trees.length") == 2
    page.click("#on")

    # Undo and the Back button lead back, given queens stay, and the position can be explored.
    page.open("#solve&n=6&given=a5")
    place = lambda: page.js("return new URLSearchParams(squares.entries({ given, queens, blocked })).toString()")
    page.click("#cell-1")
    assert "a5 is given" in page.text("#solveStatus")
    for cell in 9, 12:
        page.click(f"#cell-{cell}")
    assert place() == "n=6&given=a5&queens=b3+c6"
    for act, queens in ("back", "b3"), ("forward", "b3 c6"), ("undo", "b3"), ("undo", ""), ("back", "b3"), ("undo", ""):
        page.click("#undo") if act == "undo" else page.js(f"history.{act}()")
        page.wait(f"squares.namesOf(queens) === '{queens}'")
    assert not page.is_enabled("#undo")
    page.click("#cell-9")
    page.click("#clear")
    assert place() == "n=6&given=a5"
    page.click("#fix")
    assert place() == "n=6&queens=a5"
    page.click("#cell-34")
    page.click("#fix")
    page.find("#cell-0").send_keys(Keys.CONTROL, "z")
    page.wait("!given.size")
    assert place() == "n=6&queens=a5+f2"
    page.click("#toExplore")
    page.wait("!ui.explorer.closest('[hidden]')")
    root = boards(page)[-1]
    assert page.js("return tree.state.nodes.length") - 1 == statistics(6, "first-unbound", "--all", "--queen", "a5", "--queen", "f2")[0] and len(root["queen"]) == 0
    page.click("#empty")
    assert page.js("return tree.state.nodes.length") - 1 == statistics(6, "first-unbound", "--all")[0]
    page.open("#explore&n=6&queens=a1+b2")
    assert "they attack each other" in page.text("#notice")

    # A solution by its number, the arrow keys, and files.
    page.open("#solve&n=8")
    page.click("#solutionAll")
    page.wait_text("#verdict", "Solution 1 of 92")
    page.fill("#solutionK", 90)
    page.wait_text("#verdict", "Solution 90 of 92")
    page.js("ui.solutionNext.focus()")
    for _ in range(3):
        page.press(Keys.ARROW_RIGHT)
        page.wait("!solving.running")
    page.press(Keys.ARROW_LEFT)
    page.wait_text("#verdict", "Solution 91 of 92")
    page.click("#savePosition")
    drawn = ElementTree.fromstring(page.saved("board.svg"))
    href = lambda use: (use.get("href"), use.get("x"), use.get("y"))
    uses = [use for use in drawn.findall("{http://www.w3.org/2000/svg}use")]
    assert {(shape, int(x), int(y)) for shape, x, y in map(href, uses)} == {("#forced", square // 8 * 10, square % 8 * 10) for square in page.js("return shown.squares")}
    for shape in {use.get("href")[1:] for use in drawn.iter("{http://www.w3.org/2000/svg}use")}:
        assert drawn.find(f".//*[@id='{shape}']") is not None, shape
    page.js("history.back()")
    page.wait("!shown")
    assert "92 solutions" in page.text("#verdict")
    # A count of a larger board is kept when its solutions are closed.
    page.open("#solve&n=14")
    page.click("#complete")
    page.wait_text("#verdict", "365,596")
    page.click("#solutionAll")
    page.wait_text("#verdict", "Solution 1 of 365,596")
    page.click("#solutionClose")
    assert "365,596" in page.text("#verdict")

    # What hides or disables a button leaves the focus somewhere.
    lost = lambda: page.js("return document.activeElement === document.body")
    for button in "solutionAll", "solutionPrevious", "solutionClose", "solutionFundamental", "solutionClose", "undo", "clear":
        page.js(f"ui.{button}.focus()")
        page.press(Keys.ENTER)
        page.wait("!solving.running")
        assert not lost(), button
    page.open("#explore&n=8&strategy=backtrack")
    for button in "all", "save":
        page.js("ui.more.open = true")
        page.js(f"ui.{button}.focus()")
        page.press(Keys.ENTER)
        page.wait("!tree.state.source.isSearching")
        assert not lost(), button
    assert "Whole tree" in page.text("#about") and not page.is_enabled("#all")
    # Steps are announced, and the speed of playing can be chosen.
    assert {page.find(f"#{name}").get_attribute("aria-live") for name in ("name", "steps")} == {"polite"}
    page.js("ui.speed.value = '150'")
    page.click("#play")
    page.wait("tree.state.chosen > 4")
    page.click("#play")


def boards(page):
    """Returns a dictionary for each board, from shapes to sets of squares given as (column, row)."""
    drawn = page.js("""return [...document.querySelectorAll(".board")].map((board) => {
        const shapes = { queen: [], preplaced: [], blocked: [], forced: [], gone: [], new: [], next: [] };
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
    while page.is_enabled("#next"):
        page.click("#next")
        met += [frozenset(board["queen"]) for board in boards(page)]
    assert len(met) == len(set(met)) == 92 and all(is_solution(board, 8) for board in met)
    page.click("figure")
    numbers = [int(number) for number in page.text("#status").split(": ")[1].split(", ")]
    assert {met[number - 1] for number in numbers} == set(images(met[84], 8))


def tree(page, n):
    found = [int(number.replace(",", "")) for number in re.findall(r" ([\d,]+)(?:[,.]|$)", page.text("#about"))[:3]]
    assert page.js("return [tree.upTo('nodes', tree.state.nodes.length - 1) - 1, tree.below('failures', 0), tree.below('solutions', 0)]") == found, found
    page.picture(f"tree-{n}")
    # Step through the whole search and check the board at each step.
    for number in range(found[0] + 1):
        page.press("." if number else "f")
        is_in_view(page)
        (board,) = boards(page)
        placed, crossed = board["queen"] | board["forced"], board["gone"] | board["new"]
        assert not placed & crossed
        kind = page.js("return tree.kindOf(tree.state.chosen)")
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
        # On a phone, the tree and the board are in view together, and buttons are large enough for fingers. Nothing covers the tree.
        if view.startswith("explore"):
            bottom = page.js("return Object.fromEntries(['stage', 'state', 'board'].map((id) => [id, ui[id].getBoundingClientRect().bottom]))")
            footer = page.js("return document.querySelector('footer').getBoundingClientRect().top")
            assert max(bottom["stage"], bottom["state"]) <= footer and (bottom["board"] <= page.js("return innerHeight") or name != "phone"), (bottom, footer)
        if name.startswith("phone"):
            small = page.js("""return [...document.querySelectorAll("button:not(.cell), summary")].filter((one) => one.checkVisibility())
                .filter((one) => one.closest("#settings") === null && Math.min(one.offsetWidth, one.offsetHeight) < 38).map((one) => one.outerHTML)""")
            assert not small, (name, view, small)
        # Colours of squares mean something, also where the visitor has chosen other colours.
        if view.startswith("solve"):
            assert page.js("return new Set([...document.querySelectorAll('.cell')].map((one) => getComputedStyle(one).backgroundColor)).size") == 3
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
    count = page.settle("counting.pool.count(taskOf(14), 2)")
    assert isinstance(count, dict) and count["total"] == KNOWN[14], count
    page.click("#benchStart")
    page.wait_text("#benchStatus", "run")
    page.browser.get_log("browser")


def broken(page):
    # A worker whose script is missing is named.
    page.wait_text("#tableStatus", "a worker cannot start")
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
        tests = {test.__name__: (test, url, {}) for test in (counts, table, benchmark, solve, figures, explore, together, keeps)}
        for name, options in [("light", {}), ("dark", {"dark": True}), ("phone", {"size": (390, 844)}),
                              ("phone-dark", {"size": (360, 740), "dark": True}), ("low", {"size": (1280, 600)}),
                              ("wide", {"size": (844, 390)}), ("forced", {"forced": True})]:
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
