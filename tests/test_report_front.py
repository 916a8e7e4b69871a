"""The first page: facts that identify the run, and the figure that the question is about."""

import json
import re
from pathlib import Path
from typing import Any

from seatrial.report.content import PROBLEMS_MAX
from seatrial.report.faults import OPEN_MAX, open_names
from seatrial.report.html import render
from seatrial.report.main_figure import LABEL, ROWS_MAX, main_figure
from seatrial.report.tree import Element
from seatrial.result.outages import Outage
from seatrial.result.result import Result, read_result
from seatrial.result.sealed import LINES
from seatrial.summary.conclusions import conclusions
from seatrial.summary.outage_parts import divided_outages
from seatrial.summary.sources import sources_of
from tests.builders.fault_results import fault, result, stream
from tests.builders.html_tree import tree_of
from tests.builders.reports import JUDGEMENTS, SAMPLE, copied, sample_lines

OPEN = stream(outages=(Outage(None, 100.0, 165.0, open=True),))


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
    (box,) = [
        item for item in page.all("div") if "problem" in item.classes and "is damaged" in item.text
    ]
    assert len(list(box.all("li"))) == PROBLEMS_MAX + 1
    assert "further problems: see results.json" in box.text


# ---- the main figure


def figure_of(page: Element) -> Element:
    """The figure of the first page."""
    return page.first("main").first("section").first("figure")


def test_a_sweep_is_the_figure_of_a_question_about_rates() -> None:
    """A copy of the figure of its chapter, with other ids, which names that figure."""
    page = page_of(read_result(SAMPLE))
    caption = figure_of(page).first("figcaption").text
    assert caption.startswith(f"{LABEL}.")
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
    figure = figure_of(page_of(kept))
    assert "Longest outage of each fault" in figure.first("figcaption").text
    names = [row.elements[0].text for row in figure.first("tbody").all("tr")]
    assert names == ["endless", "long", "short"]
    svg = "".join(text for text in figure.first("svg").children if isinstance(text, str))
    assert svg.count('class="open"') == 1


def test_of_many_faults_the_worst_are_drawn_and_the_others_counted(tmp_path: Path) -> None:
    """The first page stays one page."""
    faults = [fault(float(number), name=f"f{number}") for number in range(1, ROWS_MAX + 4)]
    kept = result(tmp_path, *faults, question="Does it survive?")
    sources = sources_of(kept)
    outages = divided_outages(kept.faults, sources.study)
    picture = main_figure(conclusions(sources, []), [], outages)
    assert picture is not None
    assert picture.data is not None
    names = [row[0] for row in picture.data.rows]
    assert names == [f"f{number}" for number in range(ROWS_MAX + 3, 3, -1)]
    assert "3 faults with shorter outages" in picture.caption


def test_failed_faults_and_the_longest_outages_have_open_figures() -> None:
    """Of many faults; the others are folded."""
    passing = [fault(float(number), name=f"f{number}") for number in range(1, OPEN_MAX + 5)]
    failed = fault(0.5, name="failed", moved=False)
    names = open_names([*passing, failed, fault(name="bmc", skipped="no BMC")])
    assert len(names) == OPEN_MAX
    assert "failed" in names
    assert f"f{OPEN_MAX + 4}" in names
    assert {"f1", "bmc"}.isdisjoint(names)


def test_the_first_open_names_are_the_failed_and_the_longest() -> None:
    """On paper only these have the outages of each stream in the technical report."""
    passing = [fault(float(number), name=f"f{number}") for number in range(1, OPEN_MAX)]
    failed = fault(0.5, name="failed", moved=False)
    assert open_names([*passing, failed])[:2] == ("failed", f"f{OPEN_MAX - 1}")
