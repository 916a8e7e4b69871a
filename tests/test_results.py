"""The result summary: one object with every figure, its JSON, and its schema."""

import json
import math
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from seatrial.cli import app
from seatrial.judge.judge import judge
from seatrial.predict.recorded import steps_of
from seatrial.report.faults import table
from seatrial.report.html import render
from seatrial.result.result import Result
from seatrial.result.validity import sorted_repeats
from seatrial.summary.fault_results import OutageState, fault_outcome
from seatrial.summary.point_results import Flag, mean_result, point_results
from seatrial.summary.points import measured
from seatrial.summary.results import FILE, ResultSummary
from seatrial.summary.summarise import (
    from_json,
    json_document,
    results_schema,
    save_results,
    summarise,
    summary_of,
    to_json,
)
from tests.builders.fault_results import COMPARED, fault
from tests.builders.places import ROOT
from tests.builders.results import client, phase, result_of
from tests.builders.stored import NAMES, stored, summary_named
from tests.builders.strategies import MINIMAL
from tests.builders.tools import script

SCHEMA = ROOT / "docs" / "results.schema.json"
Named = Callable[[str], ResultSummary]


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Named:
    """The summary of a stored result."""
    folder = tmp_path_factory.mktemp("stored")
    return lambda name: summary_named(name, folder)


def points_of(folder: Path, *phases: Any) -> Any:
    """The points of a result with these phases."""
    result: Result = result_of(folder, MINIMAL, *phases)
    return point_results(result, measured(result.phases))


# ---- the schema


def test_the_published_schema_is_that_of_the_code() -> None:
    """After a change: `.venv/bin/python scripts/results_schema.py`."""
    assert script("results_schema").main(["--check"]) == 0


@pytest.mark.parametrize("name", NAMES)
def test_every_stored_result_fits_the_schema(named: Named, name: str) -> None:
    """As an independent validator reads both."""
    schema = json.loads(SCHEMA.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    document = json.loads(json_document(named(name)))
    jsonschema.Draft202012Validator(schema).validate(document)
    document["points"][0]["repeats"]["valid"] = "all"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(schema).validate(document)


def test_every_key_of_the_schema_is_required_and_described_or_plain() -> None:
    """A reader can rely on each key."""
    for name, part in results_schema()["$defs"].items():
        if part["type"] == "object":
            assert part["required"] == list(part["properties"]), name


@pytest.mark.parametrize("name", NAMES)
def test_json_and_back(named: Named, name: str) -> None:
    """Nothing is lost."""
    document = json.loads(json_document(named(name)))
    assert to_json(from_json(document)) == document


# ---- the object


@pytest.mark.parametrize("name", NAMES)
def test_no_value_is_not_a_number(named: Named, name: str) -> None:
    """Missing values are None."""

    def check(value: Any) -> None:
        if is_dataclass(value) and not isinstance(value, type):
            for item in fields(value):
                check(getattr(value, item.name))
        elif isinstance(value, tuple):
            for item in value:
                check(item)
        elif isinstance(value, float):
            assert math.isfinite(value)

    check(named(name))


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_the_summary(named: Named, tmp_path: Path, name: str) -> None:
    """The verdicts and the answer of the summary are those of the page."""
    result = stored(name, tmp_path)
    judgements = judge(result)
    page = render(result, judgements)
    summary = named(name)
    assert [item.verdict for item in summary.criteria] == [
        item.verdict for item in judgements if item.kind == "acceptance"
    ]
    for figure in summary.headline.key_figures:
        assert figure.value in page
    for item in summary.faults:
        assert item.name in page


def test_the_summary_is_derived_and_can_be_made_again(tmp_path: Path) -> None:
    """It is outside of the seal, and writing it does not break the seal."""
    result = stored("whole-nss-ha-quick", tmp_path)
    path = save_results(summary_of(result), result.folder)
    first = path.read_bytes()
    again = stored("whole-nss-ha-quick", tmp_path / "other")
    assert save_results(summary_of(again), again.folder).read_bytes() == first
    assert not result.seal.is_broken
    assert summary_of(result).run.seal == "intact"


def test_the_judge_writes_it_again(tmp_path: Path) -> None:
    """From the result alone, with the verdicts of that judgement."""
    result = stored("whole-nss-ha-quick", tmp_path)
    done = CliRunner().invoke(app, ["judge", str(result.folder)])
    assert done.exit_code == 0, done.output
    found = json.loads((result.folder / FILE).read_text())
    assert found == to_json(summary_of(result, steps_of(result)))
    verdicts = json.loads((result.folder / "verdicts.json").read_text())
    criteria = [item for item in verdicts if item["kind"] == "acceptance"]
    assert [item["verdict"] for item in found["criteria"]] == [item["verdict"] for item in criteria]


def test_coverage_counts_the_faults_of_the_study(named: Named) -> None:
    """Not those of the profile only."""
    coverage = named("nss-ha-quick").coverage
    assert (coverage.faults_injected, coverage.faults_of_study) == (4, 56)
    assert coverage.words == "4 of 56 faults; 1 of 3 experiments"
    assert coverage.experiments_left_out == ("random", "names")


def test_a_waiver_has_its_criterion(named: Named) -> None:
    """With its place in the study and its reason."""
    summary = named("whole-nss-ha-quick")
    assert summary.waivers
    for waiver in summary.waivers:
        assert waiver.criterion in {item.id for item in summary.criteria}
        assert waiver.where.startswith("study.yaml:")
        assert len(waiver.reason) > 10


# ---- points


def test_only_valid_repeats_make_a_mean(tmp_path: Path) -> None:
    """A partial and a limited repeat are counted and not used."""
    (point,) = points_of(
        tmp_path / "r",
        phase(10e6),
        phase(12e6, repeat=2),
        phase(90e6, repeat=3, lab_limited=True),
        phase(50e6, repeat=4, partial=True),
    )
    assert (point.repeats.total, point.repeats.complete, point.repeats.valid) == (4, 3, 2)
    assert point.rate_bytes_per_s.values == (10e6, 12e6)
    assert point.rate_bytes_per_s.low < 11e6 < point.rate_bytes_per_s.high
    assert set(point.flags) >= {Flag.PARTIAL, Flag.LAB_LIMITED}
    assert Flag.NO_VALID_REPEAT not in point.flags


def test_without_a_valid_repeat_the_complete_ones_count_and_are_marked(tmp_path: Path) -> None:
    """No published claim may use them."""
    (point,) = points_of(
        tmp_path / "r", phase(10e6, lab_limited=True), phase(1e6, repeat=2, partial=True)
    )
    assert point.rate_bytes_per_s.values == (10e6,)
    assert (point.rate_bytes_per_s.low, point.rate_bytes_per_s.deviation) == (None, None)
    assert Flag.NO_VALID_REPEAT in point.flags


def test_a_point_without_a_complete_repeat_has_no_figure(tmp_path: Path) -> None:
    """None, and never 0."""
    (point,) = points_of(tmp_path / "r", phase(10e6, partial=True))
    assert (point.rate_bytes_per_s, point.operations_per_s, point.latency) == (None, None, None)
    assert Flag.NOT_MEASURED in point.flags


def test_a_rate_of_metadata_operations_is_none(tmp_path: Path) -> None:
    """They move no data."""
    (point,) = points_of(tmp_path / "r", phase(0.0, phase="create", operations_per_s=50.0))
    assert point.rate_bytes_per_s is None
    assert point.operations_per_s.mean == 50.0


@pytest.mark.parametrize(("operations", "p99_ms"), [(99, None), (100, 9.0)])
def test_a_p99_needs_a_hundred_operations(
    tmp_path: Path, operations: int, p99_ms: float | None
) -> None:
    """Below that it is the maximum."""
    figures = {"read": {"count": operations, "p50": 1.0, "p99": 9.0, "max": 10.0}}
    one = client(size_bytes=10**6, tasks=((10**6, 1.0, 10),), latency_ms=figures)
    (point,) = points_of(tmp_path / "r", phase(1e6, clients=(one,), latency_ms=figures))
    assert (point.latency.p99_ms, point.latency.operations) == (p99_ms, operations)


@pytest.mark.parametrize("values", [[], [0.0, 1.0], [math.inf, 1.0]])
def test_no_mean_of_missing_values(values: list[float]) -> None:
    """A value of 0 is one that is missing."""
    assert mean_result(values) is None


def test_buckets_are_cumulative_and_end_with_all(named: Named) -> None:
    """As OpenMetrics needs them."""
    found = [item for point in named("nss-ha-quick").points for item in point.histograms]
    assert found
    for item in found:
        counts = [bucket.operations for bucket in item.buckets]
        assert counts == sorted(counts)
        assert counts[-1] == item.operations


def test_the_rule_of_valid_repeats_is_the_reports(tmp_path: Path) -> None:
    """One function decides for both."""
    result = result_of(
        tmp_path / "r", MINIMAL, phase(1e6), phase(2e6, repeat=2, out_of_caches="server")
    )
    (item,) = measured(result.phases)
    assert sorted_repeats(item.repeats, item.quantity).valid == item.usable
    assert len(item.usable) == 1


# ---- faults


def test_a_fault_has_one_verdict_and_no_zero() -> None:
    """Without an outage above the threshold the length is None."""
    none = fault_outcome(fault(0.0))
    assert (none.outage_state, none.longest_outage_s) == (OutageState.NONE, None)
    found = fault_outcome(fault(61.0))
    assert (found.verdict, found.outage_state, found.longest_outage_s) == (
        "fail",
        OutageState.MEASURED,
        61.0,
    )


def test_a_skipped_fault_has_no_outcome() -> None:
    """Only its reason."""
    found = fault_outcome(fault(skipped="no BMC"))
    assert (found.verdict, found.outage_state) == ("skipped", OutageState.NOT_INJECTED)
    assert (found.is_recovered, found.has_failed_over, found.longest_outage_s) == (None, None, None)


def test_lost_data_fail_a_fault() -> None:
    """Also where its course was as expected."""
    item = fault(compared={"small": {**COMPARED, "lost": 2}})
    found = fault_outcome(item)
    (row,) = table([item], [], []).rows
    assert "✗ fail" in row, "the report has the same verdict"
    assert (found.verdict, found.blocks_lost_or_wrong) == ("fail", 2)


def test_an_imported_result_has_no_verdict(tmp_path: Path) -> None:
    """It has no study; it has its figures."""
    result = result_of(tmp_path / "r", MINIMAL, phase(1e6))
    (result.folder / "study.yaml").unlink()
    summary = summary_of(result)
    assert summary.criteria == ()
    assert [item.rate_bytes_per_s is not None for item in summary.points] == [True]
    assert summarise(result, []).problems
