"""The writers, each on every stored result and read by a parser of another project."""

import csv
import io
import json
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree as Tree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from junitparser import JUnitXml
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from pyarrow import parquet

from seatrial.basics.errors import InputError
from seatrial.judge.waivers import PASS_WITH_WAIVERS
from seatrial.summary.results import ResultSummary
from seatrial.summary.summarise import to_json
from seatrial.writers.base import format_names, writer
from seatrial.writers.formats.markdown import escaped as markdown_escaped
from seatrial.writers.formats.openmetrics import escaped, label_text
from seatrial.writers.rows import COLUMNS, rows
from tests.builders.stored import NAMES, summary_named

Named = Callable[[str], ResultSummary]
every_result = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Named:
    """The summary of a stored result."""
    folder = tmp_path_factory.mktemp("stored")
    return lambda name: summary_named(name, folder)


def text(profile: str, summary: ResultSummary) -> str:
    """The document of a text format."""
    return cast(str, writer(profile).write(summary))


def with_verdicts(summary: ResultSummary, *verdicts: Any) -> ResultSummary:
    """The same with the first criteria of these verdicts."""
    changed = [
        replace(item, verdict=verdict, evidence=f"because <{verdict}> & \x00 more")
        for item, verdict in zip(summary.criteria, verdicts, strict=False)
    ]
    return replace(summary, criteria=tuple(changed))


def test_the_formats_are_the_files() -> None:
    """Each has its interface, and an unknown one is the user's mistake."""
    assert "csv" in format_names()
    for name in format_names():
        assert writer(name).TITLE
    with pytest.raises(InputError, match="'xml' is none of csv, grafana, json"):
        writer("xml")


@every_result
def test_json_is_the_object(named: Named, name: str) -> None:
    """The whole of it."""
    assert json.loads(text("json", named(name))) == to_json(named(name))


# ---- csv and parquet


@every_result
def test_csv_has_one_row_per_point_and_quantity(named: Named, name: str) -> None:
    """With every figure of the object, and no other."""
    summary = named(name)
    found = list(csv.DictReader(io.StringIO(text("csv", summary))))
    keys = ("kind", "experiment", "variant", "point", "phase", "fault", "quantity")
    places = [tuple(row[key] for key in keys) for row in found]
    assert len(set(places)) == len(places)
    rates = {
        (row["experiment"], row["point"], row["phase"]): float(row["value"])
        for row in found
        if row["quantity"] == "rate"
    }
    means = [item.rate_bytes_per_s for item in summary.points]
    assert list(rates.values()) == [mean.mean for mean in means if mean is not None]
    assert all(row["value"] for row in found)


def test_an_unknown_cell_is_empty(named: Named) -> None:
    """No zero, no `None`, no `nan`."""
    content = text("csv", named("nss-ha-quick"))
    cells = [cell for row in csv.reader(io.StringIO(content)) for cell in row]
    assert "" in cells
    assert not {"None", "nan", "inf"} & set(cells)


@every_result
def test_parquet_has_the_rows_with_types(named: Named, name: str) -> None:
    """As pyarrow reads it; an unknown value is null."""
    summary = named(name)
    table = parquet.read_table(io.BytesIO(cast(bytes, writer("parquet").write(summary))))
    assert tuple(table.column_names) == COLUMNS
    assert table.column("value").to_pylist() == [row.value for row in rows(summary)]
    assert table.column("low").to_pylist() == [row.low for row in rows(summary)]
    assert str(table.schema.field("value").type) == "double"
    assert str(table.schema.field("clients").type) == "int64"


def test_parquet_without_pyarrow_names_the_extra(
    named: Named, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the format that needs nothing."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match="needs pyarrow") as caught:
        writer("parquet").write(named("report"))
    assert "seatrial[parquet]" in str(caught.value.hint)


# ---- junit


@every_result
def test_junit_is_read_by_another_parser(named: Named, name: str) -> None:
    """Every criterion and every fault is a case; counts are those of the cases."""
    summary = named(name)
    xml = JUnitXml.fromstring(text("junit", summary).encode())
    suites = {suite.name: suite for suite in xml}
    assert list(suites) == ["run", "criteria", "faults"]
    assert [case.name for case in suites["criteria"]] == [item.id for item in summary.criteria]
    assert [case.name for case in suites["faults"]] == [item.name for item in summary.faults]
    for suite in suites.values():
        cases = list(suite)
        assert suite.tests == len(cases)
        assert suite.failures == sum(case.is_failure for case in cases)
        assert suite.skipped == sum(case.is_skipped for case in cases)


def test_junit_has_each_verdict_in_its_form(named: Named) -> None:
    """An unknown criterion is skipped with its message, and a waiver is named in a passed case."""
    summary = named("whole-nss-ha-quick")
    verdicts = ("pass", "fail", "unknown")
    root = Tree.fromstring(text("junit", with_verdicts(summary, *verdicts)))
    cases = root.findall("testsuite[@name='criteria']/testcase")
    assert [[item.tag for item in case] for case in cases] == [
        ["system-out"],
        ["failure", "system-out"],
        ["skipped", "system-out"],
    ]
    message = cases[1].find("failure")
    assert message is not None
    assert message.get("message") == "because <fail> & \N{REPLACEMENT CHARACTER} more"
    waived = next(item for item in summary.criteria if item.verdict == PASS_WITH_WAIVERS)
    case = Tree.fromstring(text("junit", summary)).find(f".//testcase[@name='{waived.id}']")
    assert case is not None
    assert [item.tag for item in case] == ["system-out"]
    assert "waived: " in (case.findtext("system-out") or "")


def test_an_incomplete_run_is_a_skipped_case(named: Named) -> None:
    """It is no pass."""
    summary = named("report")
    cut = replace(
        summary, run=replace(summary.run, is_complete=False, outcome="not complete: power")
    )
    xml = JUnitXml.fromstring(text("junit", cut).encode())
    (case,) = next(suite for suite in xml if suite.name == "run")
    assert case.is_skipped


# ---- openmetrics


def parsed(document: str) -> list[Metric]:
    """The metrics of a document."""
    parse: Any = text_string_to_metric_families
    return list(parse(document))


def families(summary: ResultSummary) -> dict[str, Metric]:
    """The metrics, as the parser of the Prometheus project reads them."""
    document = text("openmetrics", summary)
    return {family.name: family for family in parsed(document)}


@every_result
def test_openmetrics_is_read_by_another_parser(named: Named, name: str) -> None:
    """It checks names, units, histograms and state sets; no rate of the object is missing."""
    summary = named(name)
    found = families(summary)
    rates = [item.rate_bytes_per_s for item in summary.points]
    known = [mean.mean for mean in rates if mean is not None]
    assert [sample.value for sample in found["seatrial_rate_bytes_per_second"].samples] == known
    assert found["seatrial_rate_bytes_per_second"].unit == "bytes_per_second"
    verdicts = [
        (sample.labels["criterion"], sample.labels["seatrial_criterion_verdict"])
        for sample in found["seatrial_criterion_verdict"].samples
        if sample.value == 1
    ]
    assert verdicts == [(item.id, item.verdict) for item in summary.criteria]
    for family in found.values():
        assert all(math.isfinite(sample.value) for sample in family.samples)


def test_openmetrics_has_histograms_of_latency(named: Named) -> None:
    """One for each kind of operation, with the count of its operations."""
    summary = named("whole-md1200-nfs-quick")
    samples = families(summary)["seatrial_latency_seconds"].samples
    counts = [int(item.value) for item in samples if item.name.endswith("_count")]
    assert counts == [item.operations for point in summary.points for item in point.histograms]
    assert [item for item in samples if item.labels.get("le") == "+Inf"]


def test_a_missing_value_has_no_sample(named: Named) -> None:
    """A fault without an outage above the threshold has no length."""
    summary = named("nss-ha-quick")
    found = families(summary)["seatrial_fault_longest_outage_seconds"].samples
    known = [item.name for item in summary.faults if item.longest_outage_s is not None]
    assert [sample.labels["fault"] for sample in found] == known
    assert len(known) < len(summary.faults)


@given(st.text(alphabet='\\"\n{},=né') | st.text())
def test_no_text_leaves_its_label(value: str) -> None:
    """Any text of a study is read back as it was."""
    line = f"a{{{label_text({'b': value})}}} 1.0"
    if "\r" not in value and "\x00" not in value:
        (family,) = parsed(f"# TYPE a gauge\n{line}\n# EOF\n")
        assert family.samples[0].labels == {"b": value}
    assert "\n" not in escaped(value)


# ---- markdown and grafana


@every_result
def test_markdown_has_a_table_of_criteria_and_of_faults(named: Named, name: str) -> None:
    """Each row has as many cells as its header."""
    summary = named(name)
    lines = text("markdown", summary).split("\n")
    assert lines[0].startswith("## ")
    for item in summary.criteria:
        assert any(line.startswith(f"| {markdown_escaped(item.id)}: ") for line in lines)
    width = 0
    for line in lines:
        cells = line.replace("\\|", "").count("|")
        if line.startswith("|"):
            width = width or cells
            assert cells == width, line
        else:
            width = 0
    assert text("markdown", summary).count("\n### Faults\n") == bool(summary.faults)


def test_markdown_escapes_text_of_a_study(named: Named) -> None:
    """No markup of a study reaches the page."""
    summary = named("report")
    title = "<img src=x> | [a](b) `c`\n# d"
    head = text("markdown", replace(summary, study=replace(summary.study, title=title)))
    assert head.split("\n")[0] == r"## &lt;img src=x&gt; \| \[a\](b) \`c\` \# d"


def test_grafana_has_injections_repairs_and_outages(named: Named) -> None:
    """Times in ms, in order, within the run; an outage without an end has no end."""
    summary = named("nss-ha-quick")
    items = json.loads(text("grafana", summary))
    assert [item["time"] for item in items] == sorted(item["time"] for item in items)
    kinds = [item["tags"][0] for item in items]
    assert kinds.count("injection") == kinds.count("repair") == len(summary.faults)
    assert "outage" in kinds
    started_s = summary.run.started_unix_s
    duration_s = summary.run.duration_s
    assert started_s is not None
    assert duration_s is not None
    for item in items:
        assert started_s * 1000 <= item["time"] <= item.get("timeEnd", item["time"])
        assert item.get("timeEnd", item["time"]) <= (started_s + duration_s) * 1000
    fault = summary.faults[0]
    lost = replace(fault.outages[0], end_unix_s=None, duration_s=None)
    open_fault = replace(fault, outages=(*fault.outages, lost))
    items = json.loads(text("grafana", replace(summary, faults=(open_fault,))))
    texts = [item["text"] for item in items if "timeEnd" not in item]
    assert texts == [f"{fault.name}: outage of {lost.client} {lost.stream}, not recovered"]


# ---- a plug-in of another package


def test_a_format_of_another_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: Named
) -> None:
    """One module and its entry point."""
    (tmp_path / "shout.py").write_text(
        'TITLE = "loud"\ndef write(summary): return summary.study.id.upper()\n'
    )
    about = tmp_path / "shout-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: shout\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[seatrial.writers]\nshout = shout\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert "shout" in format_names()
    assert text("shout", named("nss-ha-quick")) == "NSS-HA"
