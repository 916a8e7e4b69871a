"""The catalogue: its inputs, its comparisons, and its trends."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.advice.compare import comparison_of
from seatrial.analysis.compared import MeanRatio, mean_ratio
from seatrial.analysis.statistics import Sample
from seatrial.catalogue.charts import BOTTOM, TOP, chart_of
from seatrial.catalogue.comparisons import ALL_PAIRS_RUNS_MAX, Value, comparisons_of, data_of
from seatrial.catalogue.figures import point_figures, sample_of
from seatrial.catalogue.runs import rows_of
from seatrial.catalogue.sources import FILE_BYTES_MAX, Inputs, Problem, read_inputs
from seatrial.catalogue.trends import Kind, StudyTrends, Trend, trends_of
from seatrial.result.result import Result, read_result
from seatrial.result.sealed import LINES, seal
from seatrial.summary.point_results import mean_result
from seatrial.summary.results import FILE
from seatrial.summary.summarise import save_results, summary_of
from tests.builders.catalogues import (
    LOST,
    STEADY,
    Data,
    fault_data,
    inputs,
    repeats,
    summary,
    write,
)
from tests.builders.results import result_of
from tests.builders.strategies import MINIMAL

# ---- the inputs


def test_it_reads_folders_of_results_result_folders_and_files(tmp_path: Path) -> None:
    """In the order of time, whatever the order of the operands is."""
    write(tmp_path / "many", summary(2), summary(0))
    write(tmp_path, summary(1))
    loose = tmp_path / "exported.json"
    loose.write_text(json.dumps(summary(3)))
    found = read_inputs([loose, tmp_path / "many", tmp_path / "small-1"])
    assert [run.summary.run.result for run in found.runs] == [f"small-{n}" for n in range(4)]
    assert found.left_out == ()


def test_a_file_in_a_folder_of_results_is_an_input(tmp_path: Path) -> None:
    """As `export --format json --out` writes it; other files are not looked at."""
    write(tmp_path, summary(0))
    (tmp_path / "other.json").write_text(json.dumps(summary(1)))
    (tmp_path / "accepted").write_text("small-0\n")
    found = read_inputs([tmp_path])
    assert (len(found.runs), found.left_out) == (2, ())


def test_the_same_run_is_listed_once(tmp_path: Path) -> None:
    """An input that is named twice is no news; a copy of a run is."""
    folder = write(tmp_path / "a", summary(0))
    copy = tmp_path / "copy.json"
    copy.write_text(json.dumps(summary(0, run__result="another-name")))
    found = read_inputs([folder, folder / "small-0", copy])
    assert len(found.runs) == 1
    assert [(item.path, item.problem) for item in found.left_out] == [(copy, Problem.DUPLICATE)]


@pytest.mark.parametrize(
    ("given_as", "problem", "words"),
    [
        ("{", Problem.NOT_JSON, "it is not JSON, or it was cut off"),
        ("[" * 100_000, Problem.NOT_JSON, "it is not JSON, or it was cut off"),
        ("[]", Problem.UNKNOWN_SCHEMA, "it has no key schema, expected results/1"),
        ("{}", Problem.UNKNOWN_SCHEMA, "it has no key schema, expected results/1"),
        ({"schema": "results/2"}, Problem.UNKNOWN_SCHEMA, "schema 'results/2' is not known"),
        ({"schema": ["x" * 99]}, Problem.UNKNOWN_SCHEMA, "schema \"['xxx"),
        ('{"schema": "results/1"}', Problem.DAMAGED, "study: Input should be a dictionary"),
        ({"points": {}}, Problem.DAMAGED, "points: Input should be a valid tuple"),
        ({"points": [1]}, Problem.DAMAGED, "points.0: "),
        ({"run__profile": None}, Problem.DAMAGED, "run.profile: Input should be a valid string"),
        ({"headline__exit_code": 1e999}, Problem.DAMAGED, "headline.exit_code: "),
        ({"run__started_unix_s": 1e300}, Problem.DAMAGED, "run.started_unix_s: 1e+300 is no"),
        ({"run__started_unix_s": -1.0}, Problem.DAMAGED, "run.started_unix_s: -1 is no date"),
        ({"run__seal": "golden"}, Problem.DAMAGED, "run.seal: 'golden' is not known"),
        ({"run__duration_s": 10**400}, Problem.DAMAGED, ""),
    ],
)
def test_a_file_that_is_no_summary_is_left_out_with_its_reason(
    tmp_path: Path, given_as: str | Data, problem: Problem, words: str
) -> None:
    """The other inputs are read."""
    folder = write(tmp_path, summary(1))
    (folder / "wrong").mkdir()
    text = given_as if isinstance(given_as, str) else json.dumps(summary(0, **given_as))
    (folder / "wrong" / FILE).write_text(text)
    found = read_inputs([folder])
    assert [run.summary.run.result for run in found.runs] == ["small-1"]
    (left_out,) = found.left_out
    assert (left_out.problem, left_out.words[: len(words)]) == (problem, words)


def test_a_newer_summary_may_have_more_keys(tmp_path: Path) -> None:
    """They are ignored."""
    found = inputs(tmp_path, summary(0, run__colour="green"))
    assert len(found.runs) == 1


def test_an_older_summary_may_lack_a_key_that_may_be_null(tmp_path: Path) -> None:
    """It is None; a key that is never null is a mistake."""
    older = summary(0)
    cut = summary(1)
    del older["run"]["duration_s"]
    del cut["run"]["profile"]
    found = inputs(tmp_path, older, cut)
    assert [run.summary.run.duration_s for run in found.runs] == [None]
    (left_out,) = found.left_out
    assert left_out.words == "run.profile: Input should be a valid string"


def test_a_result_without_a_summary_names_the_remedy(tmp_path: Path) -> None:
    """Also next to others; an empty folder has no result, and a path may not exist."""
    result_of(tmp_path / "results" / "old", MINIMAL)
    (tmp_path / "empty").mkdir()
    found = read_inputs([tmp_path / "results", tmp_path / "empty", tmp_path / "nowhere"])
    problems = [item.problem for item in found.left_out]
    assert problems == [Problem.NO_SUMMARY, Problem.NO_RESULT, Problem.MISSING]
    assert "`seatrial judge RESULT`" in found.left_out[0].words


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    """A sparse file takes no space here."""
    path = tmp_path / "large.json"
    with path.open("w") as file:
        file.truncate(FILE_BYTES_MAX + 1)
    (left_out,) = read_inputs([path]).left_out
    assert left_out.problem is Problem.UNREADABLE


def sealed(folder: Path) -> Result:
    """A result with its summary, as a run leaves it."""
    result_of(folder, MINIMAL, *repeats(STEADY))
    seal(folder)
    result = read_result(folder)
    save_results(summary_of(result), folder)
    return result


def test_the_seal_is_that_of_the_folder_as_it_is_now(tmp_path: Path) -> None:
    """An edit after the summary was written is seen."""
    folder = sealed(tmp_path / "run").folder
    (run,) = read_inputs([folder]).runs
    assert (run.is_edited, run.seal.words) == (False, "")
    (folder / "study.yaml").write_text("changed: yes\n")
    (run,) = read_inputs([folder]).runs
    assert run.is_edited
    assert "study.yaml changed after the run ended" in run.seal.words


def test_a_summary_of_other_lines_is_outdated(tmp_path: Path) -> None:
    """As of a run that was resumed; the seal is of the new lines."""
    folder = sealed(tmp_path / "run").folder
    with (folder / LINES).open("a") as file:
        file.write(json.dumps({"type": "note"}) + "\n")
    seal(folder)
    (left_out,) = read_inputs([folder]).left_out
    assert left_out.problem is Problem.OUTDATED


def test_a_stated_edit_counts(tmp_path: Path) -> None:
    """A summary without its folder has no other sign."""
    found = inputs(tmp_path, summary(0, run__seal="broken"), summary(1))
    assert [run.is_edited for run in found.runs] == [True, False]


def test_a_run_without_a_date_is_last(tmp_path: Path) -> None:
    """And has none in the table."""
    found = inputs(tmp_path, summary(0, run__started_unix_s=None), summary(1))
    assert [row.date for row in rows_of(found.runs, tmp_path / "x.html")] == [
        "2026-09-22 14:13 UTC",
        "",
    ]


# ---- comparisons


@pytest.mark.parametrize("looks", [1, 2, 7])
def test_the_ratios_are_those_of_compare(tmp_path: Path, looks: int) -> None:
    """To the last digits, for two real results; the number of looks is recovered."""
    line = ("repeats", {"experiment": "one", "point": {"clients": 1}, "repeats": 3, "looks": looks})
    slow = repeats(STEADY)
    fast = repeats({1: (12.0, 12.5, 11.7), 2: (20.3, 20.9, 18.8)})
    results = [
        result_of(tmp_path / "a", MINIMAL, *slow, lines=[line]),
        result_of(tmp_path / "b", MINIMAL, *fast),
    ]
    for result in results:
        save_results(summary_of(result), result.folder)
    found = comparisons_of(read_inputs([tmp_path]).runs)
    expected = comparison_of(results[0], results[1]).rows
    assert len(expected) == 2
    for number, row in enumerate(expected):
        ratio = found.ratios[0, 1][number]
        assert row.low is not None
        assert ratio.finding == row.finding
        assert (ratio.ratio, ratio.low, ratio.high) == pytest.approx((row.ratio, row.low, row.high))


@given(
    st.lists(st.floats(1.0, 1e9), min_size=2, max_size=8, unique=True),
    st.integers(1, 20),
)
def test_the_interval_reveals_the_looks(values: list[float], looks: int) -> None:
    """For every sample with a spread."""
    mean = mean_result(values, looks)
    assert mean is not None
    assert sample_of(mean).values == tuple(values)
    recovered = mean_result(values, sample_of(mean).looks)
    assert recovered is not None
    assert recovered.high == pytest.approx(mean.high)


def test_a_point_without_a_valid_repeat_is_shown_and_not_compared(tmp_path: Path) -> None:
    """With the reason; a point that one run lacks has no value there, and no zero."""
    limited = summary(1, {1: (9.0, 9.1)})
    limited["points"][0]["flags"] = ["lab-limited", "no-valid-repeat"]
    found = inputs(tmp_path, summary(0), limited)
    comparisons = comparisons_of(found.runs)
    assert comparisons.ratios == {}
    assert comparisons.values[1] == {
        0: Value("9.05", "8.436 to 9.708", "limited by the lab's CPUs")
    }
    data = data_of(rows_of(found.runs, tmp_path / "x.html"), found.runs, comparisons)
    assert set(data["runs"][0]["points"]) == {"0", "1"}


def test_one_repeat_has_a_ratio_and_no_interval(tmp_path: Path) -> None:
    """As `compare` has it."""
    found = comparisons_of(inputs(tmp_path, summary(0, {1: (10.0,)}), summary(1, {1: (5.0,)})).runs)
    assert found.ratios == {(0, 1): {0: MeanRatio(0.5, None, None, "not decided")}}


def test_an_edited_result_is_not_compared(tmp_path: Path) -> None:
    """Its values are shown."""
    edited = summary(1, run__seal="broken")
    found = comparisons_of(inputs(tmp_path, summary(0), edited, summary(2)).runs)
    assert set(found.ratios) == {(0, 2)}
    assert found.values[1]
    assert not found.is_partial


def test_many_runs_get_the_ratios_of_the_newest(tmp_path: Path) -> None:
    """Between runs of one study alone, and the page can state this."""
    runs = [summary(number, {1: (10.0,)}) for number in range(ALL_PAIRS_RUNS_MAX + 1)]
    other = summary(99, {1: (10.0,)}, study__id="other")
    found = comparisons_of(inputs(tmp_path, *runs, other).runs)
    newest = ALL_PAIRS_RUNS_MAX
    assert found.is_partial
    assert (0, newest) not in found.ratios
    assert (1, newest) in found.ratios
    assert (newest, newest + 1) not in found.ratios


def test_a_criterion_and_a_fault_have_their_verdicts(tmp_path: Path) -> None:
    """An outage that does not end has no length."""
    lost = fault_data(40.0, streams=(LOST,), name="lost")
    first = summary(0, faults=[fault_data(42.1), lost, fault_data(0.0, name="none")])
    found = inputs(tmp_path, first, summary(1))
    rows = rows_of(found.runs, tmp_path / "x.html")
    data = data_of(rows, found.runs, comparisons_of(found.runs))
    faults = data["runs"][0]["faults"]
    assert faults["it"] == ["pass", "42.1 s"]
    assert faults["lost"][1] == "not recovered"
    assert faults["none"][1] == "below the threshold"
    assert data["runs"][0]["criteria"] == {"intact": ["pass", ""]}


@pytest.mark.parametrize(
    ("criteria", "verdict"),
    [
        ({"pass": 4}, "pass"),
        ({"pass": 4, "pass with waivers": 1}, "pass with waivers"),
        ({"pass": 4, "unknown": 1}, "unknown"),
        ({"pass": 4, "unknown": 1, "fail": 1}, "fail"),
        ({}, "none"),
    ],
)
def test_the_verdict_of_a_run_is_that_of_its_criteria(
    tmp_path: Path, criteria: dict[str, int], verdict: str
) -> None:
    """As its exit code, also where the run does not answer the question of its study."""
    run = summary(0, headline__criteria=criteria, headline__verdict="unknown")
    (row,) = rows_of(inputs(tmp_path, run).runs, tmp_path / "x.html")
    assert row.verdict == verdict


def test_the_function_of_compare_decides() -> None:
    """A ratio beyond every float is infinite, and no error."""
    assert mean_ratio(Sample((1.0, 1.1)), Sample((2.0, 2.2))).finding == "higher"
    assert mean_ratio(Sample((2.0, 2.2)), Sample((1.0, 1.1))).finding == "lower"
    extreme = mean_ratio(Sample((1e-300, 1.0)), Sample((1e300, 1.0)))
    assert (extreme.high, extreme.finding) == (float("inf"), "not decided")


# ---- trends


def trends(found: Inputs) -> StudyTrends:
    """The trends of the only study."""
    (study,) = trends_of(rows_of(found.runs, Path("x.html")), found.runs)
    return study


def named(study: StudyTrends, title: str, kind: Kind | None = None) -> Trend:
    """The trend with a title."""
    (found,) = [
        item for item in study.trends if item.title == title and (kind is None or item.kind is kind)
    ]
    return found


def test_a_trend_has_values_intervals_and_gaps(tmp_path: Path) -> None:
    """A run that lacks the point has no value there."""
    runs = [summary(0), summary(1, {2: STEADY[2]}), summary(2, {1: (12.0, 12.2)})]
    (series,) = named(trends(inputs(tmp_path, *runs)), "one clients=1 read").series
    found = [item.measurement for item in series.observations]
    assert [item.value for item in found] == [pytest.approx(10.0), None, pytest.approx(12.1)]
    assert found[1].note == "not measured"
    assert found[0].low is not None
    assert found[0].low < 10.0


def test_profiles_environments_and_scales_are_kept_apart(tmp_path: Path) -> None:
    """Each has its series."""
    changes: list[Data] = [
        {},
        {"run__profile": "full"},
        {"site__environment": "hosts"},
        {"site__scale": 1.0},
    ]
    runs = [summary(number, **more) for number, more in enumerate([*changes, *changes])]
    trend = named(trends(inputs(tmp_path, *runs)), "one clients=1 read")
    assert [len(series.values) for series in trend.series] == [2, 2, 2, 2]
    assert len({series.name for series in trend.series}) == 4


def test_no_value_is_never_a_zero(tmp_path: Path) -> None:
    """An outage below the threshold, one without an end, and a run without criteria."""
    lost = fault_data(40.0, streams=(LOST,))
    runs = [
        summary(0, faults=[fault_data(42.0)]),
        summary(1, faults=[fault_data(0.0)]),
        summary(2, faults=[lost]),
        summary(3, faults=[fault_data(43.0)], headline__criteria={}),
    ]
    study = trends(inputs(tmp_path, *runs))
    (series,) = named(study, "Longest outage of it").series
    found = [item.measurement for item in series.observations]
    assert [item.value for item in found] == [42.0, None, None, 43.0]
    assert [item.note for item in found] == ["", "below the threshold", "not recovered", ""]
    assert [item.is_lost for item in found] == [False, False, True, False]
    (line,) = chart_of(named(study, "Longest outage of it")).lines
    assert (len(line.marks), len(line.lost), line.paths) == (2, 1, ())
    (failed,) = named(study, "Criteria that failed").series
    assert [item.measurement.value for item in failed.observations] == [0.0, 0.0, 0.0, None]


def test_a_fault_that_never_recovers_has_a_trend(tmp_path: Path) -> None:
    """It is the worst outcome, and has no value in any run."""
    lost = fault_data(40.0, streams=(LOST,))
    runs = [summary(number, faults=[lost]) for number in range(2)]
    trend = named(trends(inputs(tmp_path, *runs)), "Longest outage of it")
    assert trend.digest == "quick, emulated 1/40: not recovered in 2 runs"
    (line,) = chart_of(trend).lines
    assert (len(line.marks), len(line.lost)) == (0, 2)


def test_a_change_of_level_is_found_as_by_history(tmp_path: Path) -> None:
    """With the run since which it holds."""
    levels = [10.0, 10.1, 9.9, 10.0, 12.0, 12.1, 11.9, 12.0]
    runs = [summary(number, {1: (level,)}) for number, level in enumerate(levels)]
    (series,) = named(trends(inputs(tmp_path, *runs)), "one clients=1 read").series
    assert [text.partition(" since ")[2] for text in series.changes] == ["small-4"]


def test_edited_results_and_runs_without_a_date_are_in_no_trend(tmp_path: Path) -> None:
    """They are in the table."""
    runs = [
        summary(0),
        summary(1),
        summary(2, run__seal="removed"),
        summary(3, run__started_unix_s=None),
    ]
    found = inputs(tmp_path, *runs)
    (series,) = named(trends(found), "one clients=1 read").series
    assert [item.result for item in series.observations] == ["small-0", "small-1"]
    assert len(rows_of(found.runs, Path("x.html"))) == 4


def test_a_single_run_has_no_trend(tmp_path: Path) -> None:
    """A trend needs two values."""
    found = inputs(tmp_path, summary(0))
    assert trends_of(rows_of(found.runs, Path("x.html")), found.runs) == ()


def test_a_latency_has_a_trend_without_an_interval(tmp_path: Path) -> None:
    """The summary has none for it."""
    runs = [summary(0), summary(1)]
    for data in runs:
        data["points"][0]["latency"] = {"p50_ms": 1.0, "p99_ms": 9, "max_ms": 10, "operations": 500}
    (series,) = named(trends(inputs(tmp_path, *runs)), "one clients=1 read", Kind.LATENCIES).series
    assert series.values == (9.0, 9.0)
    assert series.observations[0].measurement.low is None


def test_a_chart_has_every_value_inside(tmp_path: Path) -> None:
    """The line is drawn, and each mark has its words; a wide whisker does not shrink the rest."""
    wide = summary(1, {1: (5.0, 50.0)})
    found = inputs(tmp_path, summary(0), wide, summary(2))
    chart = chart_of(named(trends(found), "one clients=1 read"))
    (line,) = chart.lines
    assert len(line.paths) == 1
    assert all(TOP <= mark.y <= BOTTOM for mark in line.marks)
    assert "small-0: 10 MB/s (9.754 to 10.25)" in line.marks[0].words
    assert chart.heights[0].text == "0"
    assert float(chart.heights[-1].text) <= 100


def test_the_figures_of_a_study_have_one_unit(tmp_path: Path) -> None:
    """Metadata operations count, data move."""
    found = inputs(tmp_path, summary(0))
    figures = point_figures(found.runs[0].summary)
    assert {item.unit for item in figures} == {"MB/s"}


def test_a_copied_folder_gives_the_same(tmp_path: Path) -> None:
    """Nothing depends on the place."""
    write(tmp_path / "a", summary(0), summary(1))
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    first, second = (read_inputs([tmp_path / name]).runs for name in ("a", "b"))
    assert [run.digest for run in first] == [run.digest for run in second]
    assert rows_of(first, tmp_path / "x") == rows_of(second, tmp_path / "x")
