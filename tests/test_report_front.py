"""The first page: facts that identify the run, and the figure that the question is about."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from seatrial.report.bars import NARROW, WIDE, Bar, bars
from seatrial.report.faults import OPEN_MAX, open_names
from seatrial.report.html import MAIN_FIGURE, PROBLEMS_MAX, render
from seatrial.report.tree import Element, tree_of
from seatrial.result.result import LINES, Result, read_result
from tests.test_fault_checkers import fault, result, stream
from tests.test_report import JUDGEMENTS, SAMPLE, copied, sample_lines

OPEN = stream(outages=({"task": None, "start_unix_s": 100.0, "end_unix_s": 165.0, "open": True},))


def page_of(kept: Result) -> Element:
    """The page as a tree."""
    return tree_of(render(kept, JUDGEMENTS))


def facts(page: Element) -> dict[str, str]:
    """The facts of the first page."""
    (listed,) = [item for item in page.all("dl") if "facts" in item.classes]
    return {item.first("dt").text: item.first("dd").text for item in listed.elements}


def changed(folder: Path, kind: str, **fields: Any) -> Result:
    """The sample with further fields in the first line of a type."""
    lines = sample_lines()
    line = next(line for line in lines if line["type"] == kind)
    line.update(fields)
    return copied(folder, lines)


def test_the_facts_identify_the_run() -> None:
    """Site, coverage, versions of the controller and of the nodes, checksum."""
    found = facts(page_of(read_result(SAMPLE)))
    assert found["Site"] == "emulated lab at a scale of 1/40: 1 server, 8 clients"
    assert "Seatrial 0.1.0" in found["Versions"]
    assert "kernel 6.1.176" in found["Versions"]
    assert "controller: kernel 6.1.0-28-amd64" in found["Versions"]
    assert found["Run by"] == "not recorded"
    assert re.fullmatch(r"[0-9a-f]{64}", found["SHA-256 of the result"])


def test_the_coverage_is_next_to_the_criteria() -> None:
    """The share of the study that the run measured."""
    page = page_of(read_result(SAMPLE))
    (counts,) = [item for item in page.all("div") if "counts" in item.classes]
    assert re.search(r"Coverage:\s+\d+ of \d+ experiments", counts.text)


def test_the_run_has_its_stored_id_and_its_operator(tmp_path: Path) -> None:
    """A copy with another name is the same run; an older result has the name of its folder."""
    assert facts(page_of(copied(tmp_path / "copy")))["Run"] == "copy"
    kept = changed(tmp_path / "renamed", "run", run_id="md1200-nfs-20260701T101500Z")
    assert facts(page_of(kept))["Run"] == "md1200-nfs-20260701T101500Z"
    kept = changed(tmp_path / "by", "machine", host="login1", user="alice")
    assert facts(page_of(kept))["Run by"] == "alice on login1"


def test_an_empty_result_has_facts_too(tmp_path: Path) -> None:
    """What is missing is not recorded."""
    folder = tmp_path / "r"
    folder.mkdir()
    (folder / LINES).write_text(json.dumps({**sample_lines()[0], "seatrial": None}) + "\n")
    found = facts(page_of(read_result(folder)))
    assert {found[name] for name in ("Site", "Versions", "Run by", "Storage")} == {"not recorded"}


def test_many_problems_are_counted(tmp_path: Path) -> None:
    """The first page stays one page."""
    lines = sample_lines()
    damaged = [{"type": "phase", "experiment": "fig9"} for _ in range(3 * PROBLEMS_MAX)]
    page = page_of(copied(tmp_path / "r", [*lines[:-1], *damaged, lines[-1]]))
    (box,) = [item for item in page.all("div") if "problem" in item.classes and "is damaged" in item.text]
    assert len(list(box.all("li"))) == PROBLEMS_MAX + 1
    assert "further problems: see results.json" in box.text


# ---- the main figure


def main_figure(page: Element) -> Element:
    """The figure of the first page."""
    return page.first("main").first("section").first("figure")


def test_a_sweep_is_the_figure_of_a_question_about_rates() -> None:
    """A copy of the figure of its chapter, with other ids, which names that figure."""
    page = page_of(read_result(SAMPLE))
    caption = main_figure(page).first("figcaption").text
    assert caption.startswith(f"{MAIN_FIGURE}.")
    referred = re.search(r"Figure \d+ has the explanation", caption)
    assert referred
    ids = re.findall(r' id="([^"]+)"', render(read_result(SAMPLE), JUDGEMENTS))
    assert len(ids) == len(set(ids))
    assert any(item.startswith("main-figure-") for item in ids)


def test_faults_are_the_figure_of_a_question_of_yes_or_no(tmp_path: Path) -> None:
    """The longest outage first; an outage without an end is marked, a control has no bar."""
    faults = (
        fault(10.0, name="short"),
        fault(name="endless", streams=(OPEN,)),
        fault(50.0, name="long"),
        fault(name="bmc", skipped="no BMC"),
    )
    kept = result(tmp_path, *faults, question="Does it survive?")
    figure = main_figure(page_of(kept))
    assert "Longest outage of each fault" in figure.first("figcaption").text
    rows = [[cell.text for cell in row.elements] for row in figure.first("tbody").all("tr")]
    assert rows == [
        ["endless", "not recovered", "60.0"],
        ["long", "50.0 s", "60.0"],
        ["short", "10.0 s", "60.0"],
    ]
    drawn = "".join(text for text in figure.first("svg").children if isinstance(text, str))
    assert drawn.count('class="open"') == 1
    assert drawn.count('class="limit"') == 3


def test_failed_faults_and_the_longest_outages_have_open_figures() -> None:
    """Of many faults; the others are folded."""
    passing = [fault(float(number), name=f"f{number}") for number in range(1, OPEN_MAX + 5)]
    failed = fault(0.5, name="failed", moved=False)
    names = open_names([*passing, failed, fault(name="bmc", skipped="no BMC")])
    assert len(names) == OPEN_MAX
    assert "failed" in names
    assert f"f{OPEN_MAX + 4}" in names
    assert {"f1", "bmc"}.isdisjoint(names)


# ---- bars


def places(svg: str, css: str) -> list[tuple[float, float]]:
    """(left, width) of the rectangles of a class."""
    found = re.findall(rf'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)"[^>]*class="{css}"', svg)
    return [(float(left), float(width)) for left, width in found]


@pytest.mark.parametrize(("narrow", "width"), [(False, WIDE), (True, NARROW)])
def test_bars_begin_at_zero_and_are_to_scale(narrow: bool, width: float) -> None:
    """Twice the value is twice the length; the axis has ticks from 0 and its unit."""
    items = [Bar("a", 10.0, "10 s", limit=40.0), Bar("b", 20.0, "20 s")]
    svg = bars(items, "outage (s)", "two bars", narrow=narrow)
    (left_a, width_a), (left_b, width_b) = places(svg, "bar")
    assert left_a == left_b
    assert width_b == pytest.approx(2 * width_a, abs=0.2)
    assert f'viewBox="0 0 {width:.0f} ' in svg
    assert ">0</text>" in svg
    assert ">outage (s)</text>" in svg
    limit = re.search(r'<path d="M([\d.]+) [^"]*" class="limit"/>', svg)
    assert limit
    assert float(limit[1]) - left_a == pytest.approx(4 * width_a, abs=0.2)


def test_bars_are_text_that_is_escaped() -> None:
    """Names and values come from results of other people."""
    svg = bars([Bar("<b>&", 1.0, "<i>")], "<u>", '"><script>')
    assert not {"<b>", "<i>", "<u>", "<script>"} & set(re.findall(r"<\w+>", svg))
    assert "&lt;b&gt;&amp;" in svg


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1.0])
def test_values_that_no_axis_has_are_not_drawn(value: float) -> None:
    """A damaged result may have any number; the other bars are drawn as usual."""
    items = [Bar("a", value, "?", limit=value, low=value, high=value), Bar("b", 2.0, "2 s")]
    svg = bars(items, "s", "x")
    assert len(places(svg, "bar")) == 1
    assert not {"nan", "inf"} & set(re.findall(r"nan|inf", svg))


def test_the_same_bars_have_the_same_bytes() -> None:
    """An empty list of bars is still a drawing with an axis."""
    items = [Bar("a", None, "not recovered", is_open=True)]
    assert bars(items, "s", "x") == bars(items, "s", "x")
    assert ">0</text>" in bars([], "s", "x")
