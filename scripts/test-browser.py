"""Tests the HTML pages in a browser. Run by scripts/test with the program and a folder for screenshots."""

import itertools
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PROGRAM, PICTURES = sys.argv[1], Path(sys.argv[2])
SWITCHES = (
    "headless no-sandbox disable-gpu disable-quic no-first-run disable-background-networking "
    "disable-component-update disable-sync window-size=1400,1000"
)
# Searches for all solutions with weak and with strong propagation, and for the first solution without propagation.
TREES = ["tree 4 --all --strategy first-unbound", "tree 6 --all --strategy first,min,bounds", "tree 8 --strategy backtrack"]


def attack(one, other):
    columns, rows = abs(one[0] - other[0]), abs(one[1] - other[1])
    return columns == 0 or rows == 0 or columns == rows


def images(rows):
    """Yields the images of a board under the eight symmetries."""
    squares = set(enumerate(rows))
    last = len(rows) - 1
    for _ in range(4):
        squares = {(last - row, column) for column, row in squares}
        for reflected in (squares, {(row, column) for column, row in squares}):
            yield tuple(row for _, row in sorted(reflected))


class Page:
    def __init__(self, folder, arguments, name, dark=False):
        self.arguments = arguments
        self.name, self.file = name, Path(folder) / f"{name}.html"
        command = [*arguments.split(), "--output", self.file]
        done = subprocess.run([PROGRAM, *command], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        for switch in [*SWITCHES.split(), f"user-data-dir={tempfile.mkdtemp(dir=folder)}"]:
            options.add_argument(f"--{switch}")
        if dark:
            options.add_argument("--blink-settings=preferredColorScheme=0")
        self.browser = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.browser.set_script_timeout(3600)
        self.browser.get(self.file.as_uri())

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if not any(error):
            assert not self.js("return performance.getEntriesByType('resource')"), "nothing is fetched"
            said = self.browser.get_log("browser")
            assert not said, said
        self.browser.quit()

    def js(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def find(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.find(selector)[0].text

    def click(self, selector):
        self.find(selector)[0].click()

    def press(self, key):
        self.browser.switch_to.active_element.send_keys(key)

    def picture(self, what):
        PICTURES.mkdir(parents=True, exist_ok=True)
        self.browser.save_screenshot(str(PICTURES / f"{self.name}-{what}.png"))

    def wait_for(self, condition):
        """Waits until a function returns a true value, however slow the machine is."""
        WebDriverWait(self.browser, float("inf")).until(lambda _: condition())

    def follow_address(self, part):
        """Waits until the address of the page contains a string, and then reloads the page."""
        self.wait_for(lambda: part in self.browser.current_url)
        address = self.browser.current_url
        self.browser.get("about:blank")
        self.browser.get(address)

    def boards(self):
        """Yields a dictionary for each board, from shapes to sets of squares given as (column, row)."""
        script = """return [...document.querySelectorAll('.board')].map((board) =>
            [...board.querySelectorAll('use')].map((use) => ['href', 'x', 'y'].map((name) => use.getAttribute(name))))"""
        for drawn in self.js(script):
            shapes = {}
            for href, x, y in drawn:
                shapes.setdefault(href[1:], set()).add((int(x) // 10, int(y) // 10))
            yield shapes


def solutions(page):
    """Checks that every solution appears exactly once on the pages of boards, and with its class."""
    met = []
    while True:
        for board in page.boards():
            queens = sorted(board["queen"])
            assert len(queens) == 8 and not any(attack(*pair) for pair in itertools.combinations(queens, 2))
            met.append(tuple(row for _, row in queens))
        if not page.find("#next")[0].is_enabled():
            break
        page.click("#next")
    assert len(met) == len(set(met)) == 92
    page.js("document.activeElement.blur()")
    page.press(Keys.ARROW_LEFT)
    page.follow_address("page=7")
    assert page.find("#page")[0].get_attribute("value") == "7"
    page.click("figure")
    numbers = [int(number) for number in page.text("#status").split(": ")[1].split(", ")]
    assert {met[number - 1] for number in numbers} == set(images(met[6 * 12]))
    assert 73 in numbers and page.find("figure.chosen.image")
    assert len(page.find("#class option")) == 1 + 12
    page.picture("class")
    page.click("#class option:nth-child(3)")
    assert len(page.find("figure")) == 8


FILLS = {"c": "rgb(79, 131, 204)", "f": "rgb(209, 73, 91)", "x": "rgb(209, 73, 91)", "s": "rgb(58, 157, 93)", "k": "rgb(58, 157, 93)"}


def fits(page):
    """Checks that the whole tree is inside its window, and that each node has the right colour and a minimum size."""
    shapes = page.js("""return [...document.querySelectorAll('.node')].map((node) => {
        const { left, top, right, bottom } = node.children[0].getBoundingClientRect();
        return [[...node.classList], getComputedStyle(node.children[0]).fill, left, top, right, bottom]; })""")
    stage = page.js("const { left, top, right, bottom } = byId('stage').getBoundingClientRect(); return [left, top, right, bottom]")
    for classes, fill, left, top, right, bottom in shapes:
        assert "d" in classes or fill == FILLS[classes[1]], (classes, fill)
        assert right - left >= 6 and bottom - top >= 6, (classes, left, top, right, bottom)
        assert stage[0] <= left and stage[1] <= top and right <= stage[2] and bottom <= stage[3], (classes, stage)
    assert sum(classes[1] == "s" for classes, *_ in shapes) > 0
    return not overflows(page)


def overflows(page):
    """Returns whether anything is wider than the window, or the tree is wider than its pane."""
    return page.js("const { scrollWidth, clientWidth } = document.documentElement, stage = document.getElementById('stage');"
                   "return scrollWidth > clientWidth || (stage && parseInt(byId('extent').style.width) > stage.clientWidth)")


def is_read(page):
    """Returns whether the selected node is well inside the tree's window and labels are at least 11 pixels high."""
    return page.js("""const [stage, node] = [byId('stage'), document.querySelector('.node.chosen')].map((e) => e.getBoundingClientRect());
        const texts = [...document.querySelectorAll('#tree text')];
        const size = (text) => parseFloat(getComputedStyle(text).fontSize) * text.getCTM().a;
        return texts.length > 0 && texts.every((text) => size(text) >= 10.99) &&
            node.left > stage.left + 20 && node.right < stage.right - 20 && node.top > stage.top && node.bottom < stage.bottom""")


def moves(page):
    """Checks the wheel, dragging, the keys, and the texts of nodes under the pointer."""
    page.js("document.activeElement.blur(); setZoom(-1); update()")
    zoom = lambda: page.js("return zoom()")
    place = lambda: page.js("const { left, top } = byId(`node-${chosen}`).getBoundingClientRect(); return [left, top]")
    for act in [lambda: page.press("+"), lambda: page.press("="), lambda: page.js(
            "byId('stage').dispatchEvent(new WheelEvent('wheel', { deltaY: -300, clientX: 400, clientY: 500, cancelable: true, bubbles: true }))")]:
        before = zoom()
        act()
        assert zoom() > before
    before = zoom()
    page.press("-")
    assert zoom() < before
    page.js("setZoom(1.6); choose(chosen)")
    if not page.js("return isWhole()"):
        (left, top), stage = place(), page.find("#stage")[0]
        drag = webdriver.ActionChains(page.browser).move_to_element_with_offset(stage, 30, 60).click_and_hold()
        drag.move_by_offset(-40, -30).release().perform()
        assert place() != [left, top]
    page.click("#fit")
    webdriver.ActionChains(page.browser).move_to_element(page.find(".node.chosen > :first-child")[0]).perform()
    assert page.text("#hover") == page.find(".node.chosen")[0].accessible_name != "", page.text("#hover")
    page.press("?")
    listed = page.text("#keys")
    assert all(name in listed for name in page.js("return Object.keys(SHORTCUTS)") if name not in "?=")
    page.click("#keys button")


def folding(page):
    """Checks that the tree fills its window when one node after another is folded, and is readable when unfolded again."""
    filled = lambda: page.js("const [tree, stage] = [extent, byId('stage')]; return Math.max(tree.width / stage.clientWidth, tree.height / stage.clientHeight)")
    page.js("document.querySelector('.node.chosen').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
    assert page.find("#node-0[aria-expanded=true]"), "the root stays open"
    for i in page.js("return [children[0][0], children[0][1]]"):
        for _ in (1, 2):
            page.js("document.getElementById(arguments[0]).dispatchEvent(new MouseEvent('click', { bubbles: true }))", f"node-{i}")
        # Three nodes do not fill the window at the largest zoom.
        assert page.find(f"#node-{i}[aria-expanded=false]") and (filled() > 0.9 or page.js("return zoom()") > 3), filled()
    page.picture("folded")
    page.js("toggle(children[0][1])")
    assert is_read(page)


def tree(page):
    n = int(re.match(r"N = (\d+)", page.text("h1")).group(1))
    branches, failures, found = (int(number.replace(",", "")) for number in re.findall(r" ([\d,]+)(?:,|$)", page.text("h1"))[-3:])
    page.picture("begin")
    assert fits(page)

    # A small tree starts unfolded. The first click on a folded subtree selects it, and the second unfolds it. Keys do the same.
    assert not page.find("[role=treeitem][aria-expanded=false]")
    page.click("#failures")
    assert fits(page)
    items = len(page.find("[role=treeitem]"))
    fold = page.find("[role=treeitem][aria-expanded=false]")[0].get_attribute("id")
    page.click(f"#{fold}")
    page.click(f"#{fold}")
    assert page.find(f"#{fold}[aria-expanded=true][aria-selected=true]")
    assert len(page.find("[role=treeitem]")) > items
    item = page.find(f"#{fold}")[0]
    assert item.aria_role == "treeitem" and re.match(r"(not )?[a-h][1-8], choice$", item.accessible_name)
    page.picture("unfolded")
    tree = page.find("#tree")[0]
    tree.send_keys(Keys.ARROW_LEFT)
    assert page.find(f"#{fold}[aria-expanded=false]") and len(page.find("[role=treeitem]")) == items
    tree.send_keys(Keys.ARROW_RIGHT)
    assert page.find(f"#{fold}[aria-expanded=true]")
    assert page.find("#tree")[0].get_attribute("aria-activedescendant") == fold
    page.js("unfoldBelow(choose(0, false))")

    # Step through the whole search and check the board at each step.
    tree.send_keys(Keys.HOME)
    kinds = {"choice": 0, "failure": 0, "solution": 0}
    for step in range(branches + 1):
        if step:
            page.press(".")
        name, rows = page.js(
            "return [byId('name').textContent, [...document.querySelectorAll('#domains td')].map((cell) => cell.textContent)]"
        )
        kind = re.search(r": (choice|failure|solution)", name).group(1)
        kinds[kind] += 1
        (board,) = page.boards()
        queens = board.get("queen", set()) | board.get("forced", set())
        crossed = board.get("gone", set()) | board.get("new", set())
        free = {(column, n - int(rank)) for column, ranks in enumerate(rows) for rank in re.findall(r"\d+", ranks)}
        # A solved board has no crosses from earlier nodes.
        assert len(rows) == n and not free & crossed
        assert "gone" not in board if kind == "solution" else len(free) + len(crossed) == n * n
        assert queens <= free
        if kind != "failure":
            # Free squares are not attacked. Without propagation, this holds only for the squares of the queens.
            left = queens if "backtrack" in page.arguments else free
            assert not any(attack(*pair) for pair in itertools.product(queens, left) if pair[0] != pair[1])
        refused = re.match(r"not ([a-z])(\d+):", name)
        assert not refused or (ord(refused.group(1)) - ord("a"), n - int(refused.group(2))) in crossed
        if kind == "solution":
            assert len(queens) == n
    assert (kinds["failure"], kinds["solution"]) == (failures, found), kinds
    assert kinds["choice"] + failures + found == branches + 1
    page.press(",")
    page.follow_address(f"node={branches - 1}")
    tree = page.find("#tree")[0]
    assert f"node-{branches - 1}" == tree.get_attribute("aria-activedescendant")

    # Play until a further node. On a slow machine, this may be the last one, where playing ends by itself.
    tree.send_keys(Keys.HOME)
    page.click("#play")
    page.wait_for(lambda: page.js("const moved = chosen > 0; if (moved && playing !== null) byId('play').click(); return moved"))
    assert page.find("#play[aria-pressed=false]")

    # Step from solution to solution.
    tree.send_keys(Keys.HOME)
    for _ in range(found):
        page.click("#solution")
        assert page.text("#name").endswith(": solution") and is_read(page)
    page.picture("solution")
    page.click("#solution")
    assert "No solution" in page.text("#status")
    assert len(page.browser.print_page()) > 1000

    # Save the whole tree, which is well-formed and has every node and its name.
    svg = page.js("return drawing()")
    drawn = ElementTree.fromstring(svg)
    titles = [title.text for title in drawn.iter("{http://www.w3.org/2000/svg}title")]
    nodes = page.js("return visible.filter((i) => !isDense(i)).length")
    assert len(titles) == nodes + 1 or page.js("return !isReadable()"), (len(titles), nodes)
    assert "class=" not in svg and "var(" not in svg
    (PICTURES / f"{page.name}.svg").write_text(svg)

    # Find each node that places a queen on the square, and then the first one again.
    with_queen = {}
    for i, (_, branch, _, placed, *_) in enumerate(page.js("return data.nodes")):
        for number in [*placed, *([branch] if branch is not None and branch >= 0 else [])]:
            with_queen.setdefault(number, []).append(i)
    square, expected = max(with_queen.items(), key=lambda item: len(item[1]))
    tree.send_keys(Keys.HOME)
    page.click("#square")
    page.press(f"{chr(ord('a') + square // n)}{n - square % n}")
    for i in [*expected, expected[0]]:
        page.press(Keys.ENTER)
        assert tree.get_attribute("aria-activedescendant") == f"node-{i}" and is_read(page)
    page.press("z" + Keys.ENTER)
    assert "No node" in page.text("#status")

    moves(page)

    # Everything must fit in windows of any size, and the tree must be visible without scrolling.
    page.js("unfoldBelow(choose(0, false))")
    page.click("#fit")
    assert fits(page)
    page.picture("fitted")
    for width, height in [(1280, 900), (960, 640), (800, 900), (400, 800)]:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width == 400}
        page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        page.browser.get(page.file.as_uri())
        assert fits(page)
        stage, board = page.js("return ['stage', 'board'].map((id) => byId(id).getBoundingClientRect())")
        assert stage["bottom"] <= height and (board["left"] >= stage["right"] or board["top"] >= stage["bottom"])
        # Only on a phone may the page scroll. A notebook shows it in a frame of 960 x 640 pixels.
        assert width == 400 or page.js("return document.documentElement.scrollHeight <= innerHeight")
        page.picture(str(width))


def main():
    with tempfile.TemporaryDirectory() as folder:
        with Page(folder, "solve 8 --all", "solutions") as page:
            solutions(page)
        with Page(folder, "solve 7", "alone") as page:
            assert page.find(".board rect")[0].rect["width"] >= 480
            page.picture("light")
        with Page(folder, "solve 40", "board-40") as page:
            for width in (1280, 800, 400):
                metrics = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width == 400}
                page.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
                assert not overflows(page), width
        with Page(folder, "tree 4 --all --strategy backtrack", "tree-small") as page:
            # A small tree is enlarged, and starts unfolded.
            assert fits(page) and is_read(page) and len(page.find("[role=treeitem]")) == 33
            assert page.js("return extent.width > 0.6 * byId('stage').clientWidth || extent.height > 0.9 * byId('stage').clientHeight")
        for arguments in TREES:
            print(arguments, flush=True)
            with Page(folder, arguments, f"tree-{arguments.split()[1]}") as page:
                tree(page)
        with Page(folder, "tree 10 --all --strategy first-unbound", "large") as page:
            assert fits(page) and page.find(".node.d") and page.js("return folded.some(Boolean)")
            page.picture("begin")
            folding(page)
            # Unfold everything, which gives the largest drawing, and print the times in milliseconds.
            times = page.js(
                "return [unfoldBelow, nextSolution, () => toggle(1), () => toggle(1)].map((act) => {"
                "const begin = performance.now(); act(); document.body.offsetHeight; return performance.now() - begin; })"
            )
            page.click("#fit")
            assert fits(page)
            page.picture("unfolded")
            print("a large tree, milliseconds per click: " + ", ".join(f"{time:.0f}" for time in times))
        for arguments, name in [("solve 8 --all", "solutions"), (TREES[1], "tree-6"), (TREES[2], "tree-8")]:
            with Page(folder, arguments, name, dark=True) as page:
                page.js("document.querySelector('figure, #solution').click()")
                page.picture("dark")
    print(f"ok; screenshots are in {PICTURES}")


main()
