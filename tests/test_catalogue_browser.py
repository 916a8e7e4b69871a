"""The page of the catalogue in a browser."""

import html
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.builders.browser import BROWSER, LOOK
from tests.builders.catalogues import (
    HOSTILE,
    PATHS,
    PEAK,
    STEADY,
    Data,
    fault_data,
    page_of,
    put,
    summary,
    whole,
)


@pytest.fixture
def page(tmp_path: Path) -> str:
    """Two studies, one with two runs and one of another profile."""
    return page_of(
        tmp_path,
        whole(0),
        whole(1, run__profile="full"),
        whole(2),
        whole(3, study__id="other", headline__criteria={"pass": 1, "fail": 1}),
    )


ACT = """
const report = {};
const shown = () => [...document.querySelectorAll('#table tbody tr')].filter(row => !row.hidden)
  .map(row => row.dataset.number).join(' ');
const set = (selector, value) => {
  const item = document.querySelector(selector);
  item.value = value;
  item.dispatchEvent(new Event('input', {bubbles: true}));
};
const head = key => document.querySelector(`#table th[data-key=${key}]`);
const pick = number => document.querySelector(`.choice input[value="${number}"]`).click();
const tables = () => [...document.querySelectorAll('[data-comparison] table')].map(table =>
  [table.caption.textContent, ...[...table.rows].map(row =>
    [...row.cells].map(cell => [...cell.childNodes].map(it => it.textContent).join('|')))]);
const clear = () => document.querySelector('[data-reset]').click();
"""


def in_browser(page: str, folder: Path, actions: str) -> dict[str, Any]:
    """The object `report` after these actions, in a headless browser.

    The page's policy would refuse the second script, so that the copy has none.
    """
    changed = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    end = (
        "document.body.replaceChildren(Object.assign(document.createElement('pre'), "
        "{id: 'found', textContent: JSON.stringify(report)}));"
    )
    script = f"<script>{ACT}{actions}\n{end}</script></body>"
    path = folder / "acted.html"
    path.write_text(changed.replace("</body>", script), encoding="utf-8")
    found = re.search(r'<pre id="found">(.*?)</pre>', dumped(path, folder), re.DOTALL)
    assert found, "the script of the page failed"
    report: dict[str, Any] = json.loads(html.unescape(found[1]))
    return report


def dumped(path: Path, folder: Path, width: int = 1280) -> str:
    """The document after its scripts ran."""
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-proxy-server"]
    command += [f"--user-data-dir={folder / 'profile'}", f"--window-size={width},1000"]
    command += ["--virtual-time-budget=5000", "--dump-dom", path.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    return done.stdout


needs_browser = pytest.mark.skipif(not BROWSER, reason="no Chromium on this machine")


@needs_browser
def test_filters_hide_rows_and_trends(page: str, tmp_path: Path) -> None:
    """By study, verdict, profile, date and text; the number of rows is announced."""
    actions = """
    report.all = shown();
    set('[data-filter=study]', '=small'); report.study = shown();
    report.trends = [...document.querySelectorAll('.study')].map(item => item.hidden);
    set('[data-filter=profile]', '=full'); report.both = shown();
    report.series = [...document.querySelectorAll('.trend svg > g')]
      .filter(item => !item.hasAttribute('hidden')).map(item => item.dataset.profile);
    clear(); set('[data-filter=verdict]', '=fail'); report.verdict = shown();
    clear(); set('[data-from]', '2026-09-22'); set('[data-to]', '2026-09-23');
    report.dates = shown();
    clear(); set('[data-text]', 'OTHER 1/40'); report.text = shown();
    report.status = document.querySelector('[data-shown]').textContent;
    """
    found = in_browser(page, tmp_path, actions)
    assert set(found.pop("series")) == {"full"}
    assert found == {
        "all": "0 1 2 3",
        "study": "0 1 2",
        "trends": [False],
        "both": "1",
        "verdict": "3",
        "dates": "1 2",
        "text": "3",
        "status": "1 of 4 runs shown",
    }


@needs_browser
def test_columns_sort_in_both_directions(tmp_path: Path) -> None:
    """By button, so that a keyboard can; a row without a value is last in both."""
    slow = whole(0, peaks=[{**PEAK, "value": 1e6}])
    page = page_of(tmp_path, slow, whole(1, peaks=[]), whole(2))
    actions = """
    const press = key => head(key).querySelector('button').click();
    press('peak'); report.up = shown(); report.state = head('peak').ariaSort;
    press('peak'); report.down = shown();
    report.sorted = document.querySelectorAll('#table th[aria-sort]').length;
    press('date'); report.dates = shown();
    """
    found = in_browser(page, tmp_path, actions)
    assert found == {
        "up": "0 2 1",
        "state": "ascending",
        "down": "2 0 1",
        "sorted": 1,
        "dates": "0 1 2",
    }


@needs_browser
def test_selected_runs_are_compared_with_the_oldest(tmp_path: Path) -> None:
    """Ratios with intervals, verdicts by criterion, outages by fault, and facts that differ."""
    fast = summary(1, {1: (20.0, 20.2, 19.8), 4: (40.0, 40.4)}, faults=[fault_data(61.0)])
    page = page_of(tmp_path, summary(0, STEADY, faults=[fault_data(42.0)]), fast, whole(2))
    actions = """
    report.before = tables().length;
    pick(1); report.one = tables().length;
    pick(0); report.tables = tables();
    report.hint = document.querySelector('[data-hint]').textContent;
    """
    found = in_browser(page, tmp_path, actions)
    assert (found["before"], found["one"]) == (0, 0)
    assert found["hint"] == "2 runs; reference: small-0"
    facts, points, criteria, faults = found["tables"]
    assert ["date ≠", "2026-09-21 14:13 UTC", "2026-09-22 14:13 UTC"] in facts
    assert ["profile", "quick", "quick"] in facts
    assert points[1] == ["", "small-0", "small-1"]
    assert points[2] == [
        "one clients=1 read, MB/s",
        "10|9.754 to 10.25",
        "20|19.51 to 20.5|× 2.000 (1.955 to 2.046)|higher",
    ]
    assert points[3] == ["one clients=2 read, MB/s", "20|19.51 to 20.5", "–"]
    assert points[4][1] == "–"
    assert criteria[2] == ["intact", "pass", "unknown|evidence-missing"]
    assert faults[2] == ["it", "pass|42.0 s", "fail|61.0 s"]


@needs_browser
def test_a_hostile_text_runs_nothing(tmp_path: Path) -> None:
    """With the policy and without it, also in a comparison."""
    runs = [put(whole(number), path, HOSTILE) for number, path in enumerate(PATHS[:2])]
    for number, data in enumerate(runs):
        for path in PATHS[4:]:
            put(data, path, f"{HOSTILE}{number}" if path[-1] == "outcome" else HOSTILE)
    page = page_of(tmp_path / "in", *runs)
    actions = """
    pick(0); pick(1);
    report.images = document.querySelectorAll('img').length;
    report.title = document.title;
    report.tables = tables().length;
    """
    found = in_browser(page, tmp_path, actions)
    assert found == {"images": 0, "title": "Catalogue of 2 runs", "tables": 4}


@needs_browser
def test_the_policy_allows_the_pages_own_script(page: str, tmp_path: Path) -> None:
    """And its style: the page with its policy is no longer plain, and refuses another script."""
    path = tmp_path / "page.html"
    other = "<script>document.title = 'hit'</script></body>"
    path.write_text(page.replace("</body>", other), encoding="utf-8")
    document = dumped(path, tmp_path)
    assert re.search(r"<html[^>]*class=\"\"", document)
    assert "4 of 4 runs shown" in document
    assert "<title>Catalogue of 4 runs</title>" in document


@needs_browser
@pytest.mark.parametrize("state", ["script", "plain"])
def test_nothing_overflows_at_any_width(tmp_path: Path, state: str) -> None:
    """At 390 px and at 1280 px, with and without the script, also with a long name."""
    long = whole(1, study__title="a title " * 20, run__result="x" * 200)
    page = page_of(tmp_path / "in", whole(0), long, whole(2))
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    if state == "plain":
        page = page[: page.rindex("<script>")] + "</body></html>"
    else:
        pick = "document.querySelectorAll('.choice input').forEach(box => box.click());"
        page = page.replace("</body>", f"<script>{pick}</script></body>")
    widths = (390, 1280)
    frames = "".join(
        f'<iframe style="width:{width}px;height:900px;border:0"'
        f' srcdoc="{html.escape(page)}"></iframe>'
        for width in widths
    )
    path = tmp_path / "frames.html"
    head = '<!doctype html><meta charset="utf-8"><body>'
    path.write_text(f"{head}{frames}<script>{LOOK}</script>", encoding="utf-8")
    found = re.search(r'<pre id="found">(.*?)</pre>', dumped(path, tmp_path, 1400), re.DOTALL)
    assert found
    looked = json.loads(html.unescape(found[1]))
    assert len(looked) == len(widths)
    for width, seen in zip(widths, looked, strict=True):
        assert seen.pop("texts"), width
        empty: Data = {"outside": [], "cut": [], "clipped": [], "small": [], "twice": []}
        assert seen == {"wide": 0, **empty}, width
