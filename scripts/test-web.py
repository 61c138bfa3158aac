"""Tests the web page in a browser. Run by scripts/test with the program, the folder of the page, and one for screenshots."""

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

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait

PROGRAM, SITE, PICTURES = sys.argv[1], sys.argv[2], Path(sys.argv[3])
SWITCHES = (
    "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking "
    "disable-component-update disable-sync window-size=1400,1000"
)
KNOWN = {
    int(line.split(",")[0]): line.split(",")[1]
    for line in (Path(__file__).parent.parent / "data/known-values.csv").read_text().splitlines()[1:]
}
# On a slow machine, the tests wait.
PATIENCE = 600
STRATEGIES = [
    [strategy, "", "", ""] for strategy in ("naive", "backtrack", "first-unbound", "first-fail")
] + [
    ["first-unbound", "smallest-lowest-min", "max", "bounds"],
    ["first-fail", "", "median", "bounds"],
    ["first-unbound", "smallest-lowest-max", "middle", "bounds"],
    ["backtrack", "first", "middle", "none"],
]
CHOICES = {
    "backtrack": ["first", "min", "none"],
    "first-unbound": ["first", "min", "value"],
    "first-fail": ["smallest", "middle", "value"],
}


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm"}

    def log_message(self, *_):
        pass


def queens(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


class Page:
    def __init__(self, url, view, dark=False, width=None, height=900):
        self.url = url
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.profile = tempfile.TemporaryDirectory()
        for switch in [*SWITCHES.split(), f"user-data-dir={self.profile.name}"]:
            options.add_argument(f"--{switch}")
        if dark:
            options.add_argument("--blink-settings=preferredColorScheme=0")
        options.add_experimental_option("prefs", {"download.default_directory": self.profile.name})
        self.browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.browser.set_script_timeout(PATIENCE)
        if width:
            metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": True}
            self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        self.open(view)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if not any(error):
            names = self.js("return performance.getEntriesByType('resource').map((one) => one.name)")
            assert all(name.startswith(self.url) or name.startswith("data:") for name in names), names
            said = self.browser.get_log("browser")
            assert not said, said
        self.browser.quit()
        self.profile.cleanup()

    def open(self, view):
        self.browser.get("about:blank")
        self.browser.get(self.url + view)
        self.wait("document.body.dataset.ready")

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def settle(self, expression):
        """Waits for a promise, and returns its value, or its error as a string."""
        script = f"const done = arguments[0]; ({expression}).then(done, (error) => done('Error: ' + error.message))"
        return self.browser.execute_async_script(script)

    def wait(self, condition):
        WebDriverWait(self.browser, PATIENCE, 0.05).until(lambda _: self.js(f"return {condition}"))

    def find(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.find(selector).text

    def click(self, selector):
        self.find(selector).click()

    def fill(self, selector, text):
        self.find(selector).clear()
        self.find(selector).send_keys(str(text))

    def picture(self, name):
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.browser.save_screenshot(str(PICTURES / f"web-{name}.png"))


def attack(one, other):
    columns, rows = abs(one[0] - other[0]), abs(one[1] - other[1])
    return columns == 0 or rows == 0 or columns == rows


def solution_shown(page):
    squares = re.search(r"queens on (.*)", page.find("#found svg").get_attribute("aria-label")).group(1).split()
    queens = [(ord(name[0]) - ord("a"), int(name[1:])) for name in squares]
    assert not any(attack(*pair) for pair in itertools.combinations(queens, 2)), queens
    return frozenset(queens)


def images(queens, n):
    for _ in range(4):
        queens = frozenset((n - row, column + 1) for column, row in queens)
        yield queens
        yield frozenset((row - 1, column + 1) for column, row in queens)


def counts(page):
    for n, workers in itertools.product(range(1, 18), (1, 2, 5)):
        count = page.settle(f"pool.count({n}, '', '', {workers})")
        assert (count["total"], count["label"]) == (KNOWN[n], "verified"), count

    # The page shows a total, and nothing moves meanwhile.
    page.open("#count&n=16&workers=2")
    page.js("window.shifts = []; new PerformanceObserver((list) => shifts.push(...list.getEntries().map((one) => one.value)))"
            ".observe({ type: 'layout-shift', buffered: false })")
    page.click("#count-start")
    page.wait("byId('count-total').textContent.includes('14,772,512')")
    assert "verified" in page.text("#count-total") and "engine join" in page.text("#count-status")
    assert not page.js("return shifts"), page.js("return shifts")
    page.picture("count")

    # A change of N while counting, and cancelling, never leave an old total.
    page.fill("#count-n", 19)
    page.click("#count-start")
    page.wait("byId('count-status').textContent.includes('solutions/s')")
    page.fill("#count-n", 12)
    page.click("#count-start")
    page.wait("byId('count-total').textContent.includes('Q(12) = 14,200')")
    page.fill("#count-n", 19)
    page.click("#count-start")
    page.wait("byId('count-status').textContent.includes('solutions/s')")
    page.click("#count-cancel")
    page.wait("byId('count-status').textContent === 'Cancelled.'")
    assert not page.text("#count-total").strip()

    # Failing workers give an error and no total, and the next count works.
    lost = "pool.resize(2).then(([worker]) => { worker.terminate(); return pool.count(17, '', '', 2); })"
    wrong = "pool.resize(2).then(([worker]) => {{ worker.postMessage = ({}) => {}; return pool.count(15, '', '', 2); }})"
    throws = wrong.format("message", "Worker.prototype.postMessage.call(worker, { ...message, indices: Uint32Array.of(4e9) })")
    again = wrong.format("message", "{ for (const _ of [1, 2]) Worker.prototype.postMessage.call(worker, message); }")
    page.js("patience = 1")
    for failing, message in [(lost, "not answered"), (throws, "failed"), (again, "already has a result")]:
        error = page.settle(failing)
        assert isinstance(error, str) and message in error, error
        page.js("patience = 60")
        assert page.settle("pool.count(13, '', '', 2)")["total"] == KNOWN[13]
    page.browser.get_log("browser")  # the panic of a worker

    page.click("#table-start")
    page.wait("rows[18] && !byId('table-start').disabled")
    cells = page.js("return [...document.querySelectorAll('#table tr')].map((row) => row.children[1].textContent)")
    assert [cell.replace(",", "") for cell in cells] == [KNOWN[n] for n in range(1, 19)]
    page.picture("table")
    page.click("#table-csv")
    page.click("#table-markdown")
    folder = Path(page.profile.name)
    WebDriverWait(page.browser, PATIENCE).until(lambda _: (folder / "queens.md").exists() and (folder / "queens.csv").exists())
    assert [line.split(",")[1] for line in (folder / "queens.csv").read_text().split()[1:]] == [KNOWN[n] for n in range(1, 19)]


def benchmark(page):
    # The same workloads as in the program, except for the kernels.
    scores = queens("bench", "--threads", 2, "--runs", 1, "--format", "json", "--save", Path(page.profile.name) / "native.json").stdout
    program = json.loads(scores)
    workload, *lines = page.js("return wasm_bindgen.workloads(2)")
    assert int(workload) == program["workload"]
    ours = {(purpose, engine, int(n), int(threads)) for purpose, engine, _, n, _, threads in map(str.split, lines)}
    assert ours == {(one["purpose"], one["engine"], one["n"], one["threads"]) for one in program["measurements"]}

    # The program compares with the saved benchmark, as far as both have the same kernels.
    page.open("#count")
    page.js("pool.count = async (n, engine, kernel, size) => ({ seconds: n / 100 / size })")
    page.click("#bench-start")
    page.wait("!byId('bench-save').disabled")
    page.picture("bench")
    page.click("#bench-save")
    file = Path(page.profile.name) / "queens-webassembly.json"
    WebDriverWait(page.browser, PATIENCE).until(lambda _: file.exists())
    compared = queens("bench", "--compare", file, Path(page.profile.name) / "native.json").stdout
    assert "bitboard scalar" in compared, compared


def solve(page):
    completions = queens("count", 8, "--queen", "a1", "--block", "b5", "--quiet").stdout.strip()
    page.open("#solve&n=8")
    page.wait("byId('completions').textContent.startsWith('92 solutions')")
    page.click("#cell-7")
    Select(page.find("#tool")).select_by_value("blocked")
    page.click(f"#cell-{8 + 3}")
    page.wait(f"byId('completions').textContent.startsWith('{completions} completions')")
    assert page.js("return attacked.size") == 7 * 3 and page.find("#cell-7").accessible_name == "a1, queen"
    page.wait("location.hash.includes('queens=a1') && location.hash.includes('blocked=b5')")
    page.open(page.js("return location.hash"))
    page.wait(f"byId('completions').textContent.startsWith('{completions} completions')")
    page.click("#hint")
    page.wait("byId('solve-status').textContent.startsWith('Hint')")
    assert page.find(".hinted").accessible_name.endswith("hint")
    page.picture("solve")

    # The keyboard places a queen that attacks another one.
    page.find("#cell-7").send_keys(Keys.ARROW_RIGHT)
    page.browser.switch_to.active_element.send_keys(Keys.SPACE)
    assert page.js("return [...conflicts].sort()") == [15, 7] and "attack" in page.text("#completions")
    page.click("#check")
    page.wait("byId('solve-status').textContent.includes('a1, b1')")
    page.browser.switch_to.active_element.send_keys(Keys.TAB)
    page.find("#cell-15").send_keys("b")
    assert page.js("return blocked.has(15) && !queens.has(15)")

    # All solutions, each once, and the fundamental ones.
    page.click("#clear")
    page.wait("byId('completions').textContent.startsWith('92 solutions')")
    for button, count in [("#solution-first", 92), ("#solution-fundamental", 12)]:
        met = []
        page.click(button)
        while True:
            # The text may be left from the list before, whose solutions have another kind.
            page.wait(
                f"shownSolution?.fundamental === {str(count == 12).lower()} && (shownSolution.index === {len(met)}"
                f" || shownSolution.index === {len(met) - 1} && byId('solve-status').textContent.includes('no more'))"
            )
            if "no more" in page.text("#solve-status"):
                break
            met.append(solution_shown(page))
            page.click("#solution-next")
        assert len(met) == len(set(met)) == count
    assert len({min(map(sorted, images(board, 8))).__repr__() for board in met}) == 12
    page.fill("#solve-n", f"7{Keys.TAB}")
    page.wait(f"byId('completions').textContent.startsWith('{queens('count', 7, '--quiet').stdout.strip()} ')")
    page.open("#solve&n=30")
    page.click("#hint")
    page.wait("byId('solve-status').textContent.startsWith('Hint')")


def strategy_of(settings):
    """Returns the value of --strategy for the settings of the page."""
    strategy, *chosen = settings
    return ",".join(map(lambda one, preset: one or preset, chosen, CHOICES[strategy])) if any(chosen) else strategy


def explore(page):
    # Every choice of the program is in the page.
    for name, strategy in ("variable", "?,min,value"), ("value", "first,?,value"), ("propagation", "first,min,?"):
        done = subprocess.run([PROGRAM, "solve", "--strategy", strategy], capture_output=True, text=True, check=False)
        values = re.search(r"accepted: (.*?)\)", done.stderr).group(1)
        options = [option.get_attribute("value") for option in Select(page.find(f"#{name}")).options]
        assert options[1:] == values.split(", "), (name, options, values)

    # Complete trees have the statistics of the program.
    for n, settings in itertools.product((4, 6, 7, 8, 9), STRATEGIES):
        said = queens("solve", n, "--all", "--strategy", strategy_of(settings), "--stats").stderr
        expected = {name: int(number.replace(",", "")) for name, number in re.findall(r"(\w+): +([\d,]+)", said)}
        names = dict(zip(("strategy", "variable", "value", "propagation"), settings))
        page.open("#explore&n=" + str(n) + "".join(f"&{name}={value}" for name, value in names.items() if value))
        page.click("#unfold")
        page.wait("byId('explore-stop').disabled && byId('about').textContent.includes('(complete)')")
        numbers = page.js("return ['nodes', 'failures', 'solutions', 'tests'].map((what) => below(what, 0))")
        wanted = [expected["branches"] + 1, expected["failures"], expected["found"], expected.get("tested", 0)]
        assert numbers == wanted, (n, settings, numbers, wanted)

    # A small tree is unfolded at once. A node is opened with a click, and the address leads back to it.
    page.open("#explore&n=4&strategy=first-unbound")
    assert "(complete)" in page.text("#about") and page.js("return nodes.length") == 11
    page.picture("explore-small")
    page.open("#explore&n=8&strategy=backtrack")
    assert page.js("return nodes.length") == 3 and "so far" in page.text("#about")
    page.click("#node-1 > circle")
    page.click("#node-1 > circle")
    assert page.js("return nodes.length") == 5 and page.find("#node-1[aria-expanded=true]")
    page.find("#tree").send_keys(Keys.ARROW_DOWN)
    page.wait("location.hash.includes('node=00')")
    page.open(page.js("return location.hash"))
    assert page.js("return pathName(chosen)") == "00"

    # Steps show propagation with reasons, as in the program's trace.
    page.open("#explore&n=6&strategy=first-fail&propagation=bounds")
    trace = queens("trace", 6, "--all", "--strategy", "smallest,middle,bounds", "--format", "json").stdout
    steps = [json.loads(line) for line in trace.splitlines() if '"step"' in line]
    for number, step in enumerate(steps):
        if number:
            page.find("body").send_keys(".")
        placed, removed = page.js("return source.state(chosen)")
        assert sorted(square for _, *squares in removed for square in squares) == sorted(
            6 * one["column"] + one["row"] for one in step["removed"])
        kind = page.js("return kindOf(chosen)")
        assert kind == {"choice": "c", "failure": "f", "solution": "s"}[step["node"]] or (kind, step["node"]) == ("o", "choice")

    # Next solution and next failure search on, and step through all of them.
    page.open("#explore&n=8&strategy=backtrack")
    for _ in range(92):
        before = page.js("return pathName(chosen)")
        page.find("body").send_keys("n")
        page.wait(f"pathName(chosen) !== '{before}' && kindOf(chosen) === 's'")
    page.picture("explore")
    page.find("body").send_keys("n")
    page.wait("byId('status').textContent.includes('No solutions')")
    page.find("#tree").send_keys(Keys.HOME)
    page.click("#failure")
    page.wait("'fx'.includes(kindOf(chosen))")

    # A tree that the program's page would cut. The wheel zooms, dragging moves, and ? lists the keys.
    page.open("#explore&n=11&strategy=first-unbound")
    page.click("#unfold")
    page.wait("byId('about').textContent.includes('(complete)') && byId('explore-stop').disabled")
    assert "59,894 branches" in page.text("#about")
    page.click("#fit")
    page.picture("explore-large")
    before = page.js("return zoom()")
    page.js("byId('stage').dispatchEvent(new WheelEvent('wheel', { deltaY: -300, clientX: 400, clientY: 500, cancelable: true, bubbles: true }))")
    assert page.js("return zoom()") > before
    left = page.js("return byId('stage').scrollLeft")
    stage = page.find("#stage")
    webdriver.ActionChains(page.browser).move_to_element(stage).click_and_hold().move_by_offset(-90, 0).release().perform()
    assert page.js("return byId('stage').scrollLeft") > left
    page.find("body").send_keys("?")
    assert page.find("#keys").is_displayed()
    page.picture("keys")
    page.click("#keys button")
    assert not page.find("#keys").is_displayed()

    # A large tree is opened as a whole. Times are printed, since they depend on the machine.
    page.open("#explore&n=12&strategy=backtrack")
    page.click("#unfold")
    page.wait("byId('about').textContent.includes('(complete)') && byId('explore-stop').disabled")
    assert "1,712,376 branches, 841,989 failures, 14,200 solutions" in page.text("#about")
    times = page.js(
        "return [fit, () => toggle(1), () => toggle(1), nextSolution, () => step(1), () => zoomAt(300, 300, 2)].map((act) => {"
        "const begin = performance.now(); act(); document.body.offsetHeight; return performance.now() - begin; })")
    print("a tree of", page.js("return nodes.length"), "nodes, milliseconds per action:", *(f"{time:.0f}" for time in times))

    # N = 30 opens at once.
    page.open("#explore&n=30&strategy=first-fail&propagation=bounds")
    page.find("body").send_keys("n")
    page.wait("kindOf(chosen) === 's'")
    Select(page.find("#strategy")).select_by_visible_text("naive")
    page.wait("byId('status').textContent.includes('does not propagate')")


def looks(page, name):
    for view in ("count&n=8", "solve&n=8&queens=a1+c2", "explore&n=6&strategy=first-unbound"):
        page.open(f"#{view}")
        if view.startswith("count"):
            page.click("#count-start")
            page.wait("byId('count-total').textContent.includes('92')")
        elif view.startswith("solve"):
            height = page.js("return byId('completions').offsetHeight")
            page.wait("byId('completions').textContent.includes('unverified')")
            assert page.js("return byId('completions').offsetHeight") == height, (name, height)
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
        page.picture(f"{view.split('&')[0]}-{name}")


def two_tabs(page):
    page.browser.switch_to.new_window("tab")
    tabs = page.browser.window_handles
    for tab in tabs:
        page.browser.switch_to.window(tab)
        page.open("#count&n=17&workers=2")
        page.click("#count-start")
    for tab in tabs:
        page.browser.switch_to.window(tab)
        page.wait("byId('count-total').textContent.includes('95,815,104')")


def main():
    handler = functools.partial(Handler, directory=SITE)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/"
    tests = {test.__name__: (test, view, {}) for test, view in [
        (counts, "#count"), (benchmark, "#count"), (solve, "#solve"), (explore, "#explore"), (two_tabs, "#count")]}
    for name, options in [("light", {}), ("dark", {"dark": True}), ("phone", {"width": 400, "height": 800}),
                          ("phone-dark", {"width": 360, "height": 740, "dark": True})]:
        tests[name] = (functools.partial(looks, name=name), "#count", options)
    for name in sys.argv[4:] or tests:
        test, view, options = tests[name]
        print(name, flush=True)
        with Page(url, view, **options) as page:
            test(page)
    print(f"ok; screenshots are in {PICTURES}")


main()
