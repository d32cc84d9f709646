"""The page: whole, escaped, alone; and in a real browser as wide as a telephone."""

import json
import re
import shutil
import subprocess
from html import unescape
from html.parser import HTMLParser

import pytest

from reporting.made_reports import SCENARIO, judged, report
from tidings.logs import open_folder
from tidings.reporting.page import WORST, page
from tidings.reporting.pictures import overlay_of
from tidings.scenario import expand, load_scenario
from tidings.simulation import simulate

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--virtual-time-budget=2000",
)
PROBE = """<script>addEventListener('load', () => {
  const words = [...document.querySelectorAll('svg text')].filter(one => one.textContent).map(one => one.getBoundingClientRect().height);
  const seen = {
    inner: innerWidth, wide: document.documentElement.scrollWidth, svg: document.querySelectorAll('svg').length,
    fetched: performance.getEntriesByType('resource').length, letters: Math.min(...words),
    headings: [...document.querySelectorAll('h2')].map(one => one.innerText),
    cards: document.querySelectorAll('.card').length,
  };
  document.body.innerHTML = '<pre id="seen"></pre>';
  document.getElementById('seen').textContent = JSON.stringify(seen);
});</script>"""


class Tags(HTMLParser):
    """Every tag with its attributes, and which are left open."""

    VOID = ("meta", "link")

    def __init__(self, text):
        super().__init__()
        self.open, self.seen = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """Two folders, one of them ordered, with a map and names that need care."""
    place = tmp_path_factory.mktemp("page")
    (place / "s.toml").write_text(SCENARIO, "utf-8")
    simulate(expand(load_scenario(place / "s.toml")), out=place / "logs")
    overlay = overlay_of(open_folder(place / "logs"))
    off = judged("a <folder> & more", overlay=overlay, broken=["2 <events> lost"], notes=["a <note>"])
    return page("Audit <of> two", [off, judged("on", report(), guarantee="fifo")])


def test_the_page_is_whole(text):
    """Every tag is closed; nothing is left of a name but text."""
    tags = Tags(text)
    assert tags.open == []
    assert {"script", "folder", "events", "c", "s0", "of", "note"}.isdisjoint(name for name, _ in tags.seen)
    assert "a <folder> & more" in unescape(text)


def test_the_page_needs_nothing_else(text):
    """No address in it leads anywhere, and the browser is told to fetch nothing."""
    tags = Tags(text).seen
    addresses = [value for _, given in tags for name, value in given.items() if name in ("src", "href", "data")]
    assert addresses == ["data:,"]
    assert set(re.findall(r"https?://[^'\" ]+", text)) == {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in text
    assert "url(" not in text


def test_the_page_says_what_was_found(text):
    """Verdicts, counts, the worst, and where the prediction comes from."""
    words = unescape(re.sub(r"<[^>]+>", " ", text))
    assert "broken: 2 <events> lost" in words
    assert "every promise of the scenario held" in words
    assert "predicted by a table" in words
    assert "7 → 0" in words
    assert words.index("s1") < words.rindex("<s0>")


def test_the_worst_come_first():
    """As many as fit, ascending."""
    from reporting.made_reports import entry
    from tidings.checking import AuditReport
    from tidings.reporting.judged import Judged

    subscribers = {f"s{one:02}": entry(400, 4 * one) for one in range(50, 0, -1)}
    text = page("t", [Judged(name="x", report=AuditReport(subscribers=subscribers))])
    rows = re.findall(r"<tr><td>(s\d\d)</td>", text)
    assert rows == [f"s{one:02}" for one in range(1, WORST + 1)]


@pytest.mark.skipif(BROWSER is None, reason="no chromium here; make servers installs it")
@pytest.mark.parametrize("width", [390, 1200])
def test_a_browser_shows_it(text, tmp_path, width):
    """Nothing is fetched, nothing is wider than the screen, letters can be read, all parts are there."""
    file = tmp_path / "page.html"
    # The copy alone may run what looks at it; the page itself forbids every script.
    opened = text.replace("default-src 'none';", "default-src 'none'; script-src 'unsafe-inline';")
    file.write_text(opened.replace("</body>", f"{PROBE}</body>"), "utf-8")
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    words = [BROWSER, *FLAGS, profile, f"--window-size={width},900", "--dump-dom", file.as_uri()]
    ended = subprocess.run(words, check=True, capture_output=True, text=True, timeout=120)
    seen = json.loads(unescape(re.search(r'<pre id="seen">(.*?)</pre>', ended.stdout, re.DOTALL).group(1)))
    assert seen["fetched"] == 0
    assert seen["inner"] <= max(width, 500)
    assert seen["wide"] <= seen["inner"]
    assert seen["letters"] >= 9
    assert seen["cards"] == 5
    assert seen["svg"] == text.count("<svg") >= 6
    assert seen["headings"][:4] == ["Promises", "In pictures", "The overlay", "Order"]
