"""The checks `throughput`, `iops` and `metadata-rate` on results with known rates."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from seatrial.judge.answer import Answer, Reason
from seatrial.judge.base import checker
from seatrial.judge.checks import iops, metadata_rate, throughput
from seatrial.result.phases import PhaseResult
from seatrial.result.result import Result
from tests.builders.places import DATA
from tests.builders.results import client, phase, result_of
from tests.builders.strategies import changed

NOISE = (0.997, 1.0, 1.003)
"""95 % interval of the mean: within 0.75 %; as the best of two, within 1.1 %"""
TABLE = {
    "experiments": [
        {
            "id": "T2",
            "columns": ["clients", "write", "ops"],
            "metrics": [{"name": "write", "unit": "MB/s"}, {"name": "ops", "unit": "operations/s"}],
            "rows": [[1, 100.0, 2000.0], [2, None, 4000.0]],
        }
    ],
    "criteria": [],
}


def repeats(rate: float, noise: tuple[float, ...] = NOISE, **changes: Any) -> list[PhaseResult]:
    """The repeats of one point; the bound is 12.5 MB/s."""
    return [
        phase(rate * factor, repeat=number, **changes)
        for number, factor in enumerate(noise, start=1)
    ]


def judged(
    tmp_path: Path, check: Any, options: dict[str, Any], *phases: PhaseResult, scale: float = 0.025
) -> Answer:
    """The answer of a check on a result of these phases, without other objections."""
    result = recorded(tmp_path, *phases, scale=scale)
    answer: Answer = check.check(result, check.Options(experiment="one", **options))
    return answer


def recorded(tmp_path: Path, *phases: PhaseResult, scale: float = 0.025) -> Result:
    """A result with a published table."""
    text = yaml.safe_dump(TABLE)
    found = result_of(tmp_path / "r", changed("criteria", []), *phases, published=text)
    lines = [
        {**line, "site": {"scale": scale}} if line["type"] == "system" else line
        for line in found.lines
    ]
    return Result(found.folder, tuple(lines))


ONE = {"clients": 1}
TWO = {"clients": 2}


@pytest.mark.parametrize(
    ("options", "verdict", "words"),
    [
        ({"at_least": "390 MB/s"}, "pass", "at the scale of the lab 9.75 MB/s"),
        ({"at_least": "410 MB/s"}, "fail", "required: at least 410 MB/s"),
        ({"at_least": "401 MB/s"}, "unknown", "repeats would decide"),
        ({"at_most": "410 MB/s"}, "pass", "clients=1, the best of 2 points"),
        ({"at_most": "390 MB/s"}, "fail", "at most 390 MB/s"),
        ({"at_least": "380 MB/s", "at_most": "420 MB/s"}, "pass", "at least 380 MB/s, "),
        ({"at_least": "380 MB/s", "at_most": "401 MB/s"}, "unknown", "repeats would decide"),
        ({"at_least": "3.1 Gbit/s"}, "pass", "10 MB/s"),
        ({"at_least": "190 MB/s", "at": TWO}, "pass", "clients=2: 5 MB/s"),
        ({"at_least": "210 MB/s", "at": TWO}, "fail", "clients=2"),
        ({"at_least": {"share": 0.75, "of": "bound"}}, "pass", "9.38 MB/s (0.75 of the bound)"),
        ({"at_least": {"share": 0.85, "of": "bound"}}, "fail", "0.85 of the bound"),
        ({"at_least": {"share": 0.78, "of": "prediction"}}, "pass", "of the prediction"),
        ({"at_least": {"share": 1, "of": "prediction"}}, "fail", "of the prediction"),
    ],
)
def test_throughput(tmp_path: Path, options: dict[str, Any], verdict: str, words: str) -> None:
    """The best point, or the named one, against every kind of limit."""
    phases = [*repeats(10e6, point=ONE), *repeats(5e6, point=TWO)]
    found = judged(tmp_path, throughput, {"phase": "read", **options}, *phases)
    assert found.verdict == verdict, found
    assert words in found.evidence


def test_the_highest_bound_of_the_points_counts(tmp_path: Path) -> None:
    """A client that fills its link is no system that fills the server's link."""
    half = {"at_least": {"share": 0.5, "of": "bound"}}
    alone = repeats(10e6, point=ONE, bound_bytes_per_s=12e6)
    both = repeats(11e6, point=TWO, bound_bytes_per_s=24e6)
    assert judged(tmp_path / "a", throughput, half, *alone).verdict == "pass"
    assert judged(tmp_path / "b", throughput, half, *alone, *both).verdict == "fail"
    assert judged(tmp_path / "c", throughput, {**half, "at": ONE}, *alone, *both).verdict == "pass"


@pytest.mark.parametrize(
    ("share", "line", "column", "verdict"),
    [
        (0.9, 1, "write", "pass"),
        (1.1, 1, "write", "fail"),
        (1.0, 1, "write", "unknown"),
        (0.9, 2, "write", "unknown"),
        (0.9, 3, "write", "unknown"),
        (0.9, 1, "ops", "unknown"),
    ],
)
def test_a_share_of_a_published_figure(
    tmp_path: Path, share: float, line: int, column: str, verdict: str
) -> None:
    """100 MB/s are 2.5 MB/s at the scale of the lab; without a figure nothing is decided."""
    limit = {"share": share, "of": "published", "figure": "T2", "column": column, "line": line}
    found = judged(tmp_path, throughput, {"at_least": limit}, *repeats(2.5e6))
    assert found.verdict == verdict, found


def test_a_limit_is_of_the_modelled_system(tmp_path: Path) -> None:
    """On real hosts nothing is scaled, and operations never are."""
    hosts = judged(tmp_path, throughput, {"at_least": "9.5 MB/s"}, *repeats(10e6), scale=1.0)
    assert (hosts.verdict, "scale" in hosts.evidence) == ("pass", False)
    operations = judged(tmp_path / "b", iops, {"at_least": 9}, *repeats(10e6))
    assert (operations.verdict, "scale" in operations.evidence) == ("pass", False)


@pytest.mark.parametrize(
    ("share", "verdict"), [(1.8, "pass"), (2.2, "fail"), (2.0, "unknown"), (0.5, "pass")]
)
def test_a_share_of_another_variant(tmp_path: Path, share: float, verdict: str) -> None:
    """At the common point where both are best; the error of both counts."""
    phases = [
        *repeats(10e6, point={"variant": "a", **ONE}),
        *repeats(5e6, point={"variant": "b", **ONE}),
        *repeats(2e6, point={"variant": "a", **TWO}),
        *repeats(1e9, (1.0,), point={"variant": "b", **TWO}),
    ]
    limit = {"share": share, "of": "variant", "variant": "b"}
    options = {"phase": "read", "at": {"variant": "a"}, "at_least": limit}
    found = judged(tmp_path, throughput, options, *phases)
    assert found.verdict == verdict, found
    assert "variant a clients=1: 10 MB/s" in found.evidence
    assert "2 of the reference, 95 % interval 1.99 to 2.01" in found.evidence


def test_a_variant_without_repeats_decides_nothing(tmp_path: Path) -> None:
    """Its error is not known."""
    phases = [*repeats(10e6, point={"variant": "a"}), *repeats(5e6, (1.0,), point={"variant": "b"})]
    limit = {"share": 0.1, "of": "variant", "variant": "b"}
    found = judged(tmp_path, throughput, {"at": {"variant": "a"}, "at_least": limit}, *phases)
    assert (found.verdict, found.reason) == ("unknown", Reason.NOT_DISTINGUISHABLE)
    assert "no common point with two usable repeats of a and of b" in found.evidence


LOW = {"at_least": "100 MB/s"}
"""2.5 MB/s at the scale of the lab"""


@pytest.mark.parametrize(
    ("phases", "options", "verdict", "reason"),
    [
        ([], LOW, "unknown", Reason.NOTHING_CHECKED),
        (repeats(10e6, (1.0,)), LOW, "unknown", Reason.NOT_DISTINGUISHABLE),
        (repeats(10e6, phase="create"), LOW, "unknown", Reason.NOTHING_CHECKED),
        (repeats(10e6), {**LOW, "at": TWO}, "unknown", Reason.NOTHING_CHECKED),
        (repeats(10e6, partial=True), LOW, "unknown", Reason.NOTHING_CHECKED),
        (repeats(10e6, out_of_caches="c1's"), LOW, "unknown", Reason.NOTHING_CHECKED),
        (repeats(10e6, lab_limited=True), LOW, "pass", None),
        (repeats(1e6, lab_limited=True), LOW, "unknown", Reason.BUSY_MACHINE),
        (repeats(1e6, cpus_short_share=0.5), LOW, "unknown", Reason.BUSY_MACHINE),
        (repeats(1e6), LOW, "fail", None),
        (repeats(9e6, lab_limited=True), {"at_most": "100 MB/s"}, "fail", None),
        (repeats(1e6, lab_limited=True), {"at_most": "100 MB/s"}, "unknown", Reason.BUSY_MACHINE),
        (
            repeats(10e6, bound_bytes_per_s=None),
            {"at_least": {"share": 0.5, "of": "bound"}},
            "unknown",
            Reason.NOTHING_CHECKED,
        ),
    ],
)
def test_inconclusive_cases(
    tmp_path: Path,
    phases: list[PhaseResult],
    options: dict[str, Any],
    verdict: str,
    reason: Reason | None,
) -> None:
    """Missing phases, single repeats, caches, and a busy machine."""
    found = judged(tmp_path, throughput, options, *phases)
    assert (found.verdict, found.reason) == (verdict, reason), found


def test_two_phases_are_not_mixed(tmp_path: Path) -> None:
    """A criterion without a phase is for an experiment with a single one."""
    phases = [*repeats(10e6), *repeats(1e6, phase="write")]
    found = judged(tmp_path, throughput, LOW, *phases)
    assert (found.verdict, "read, write" in found.evidence) == ("unknown", True)
    assert judged(tmp_path / "b", throughput, {**LOW, "phase": "read"}, *phases).verdict == "pass"
    assert judged(tmp_path / "c", throughput, {**LOW, "phase": "write"}, *phases).verdict == "fail"


def test_left_out_phases_are_named(tmp_path: Path) -> None:
    """With the reason."""
    phases = [*repeats(10e6), phase(1e6, repeat=4, partial=True)]
    found = judged(tmp_path, throughput, LOW, *phases)
    assert found.verdict == "pass"
    assert found.evidence.endswith("(left out: 1 of 4 phases, partial)")


@pytest.mark.parametrize(
    ("limit", "verdict"),
    [
        (1900, "pass"),
        (2100, "fail"),
        (2000, "unknown"),
        ({"share": 0.7, "of": "bound"}, "pass"),
        ({"share": 0.9, "of": "bound"}, "fail"),
        ({"share": 0.9, "of": "published", "figure": "T2", "column": "ops", "line": 1}, "pass"),
        (
            {"share": 0.9, "of": "published", "figure": "T2", "column": "write", "line": 1},
            "unknown",
        ),
    ],
)
def test_iops(tmp_path: Path, limit: Any, verdict: str) -> None:
    """2000 reads of 5000 B per second; the bound is 2500 of them."""
    one = client(size_bytes=10_000_000, operations=2000)
    phases = [
        phase(10e6, operations_per_s=2000 * factor, clients=(one,), repeat=number)
        for number, factor in enumerate(NOISE, start=1)
    ]
    assert judged(tmp_path, iops, {"at_least": limit}, *phases).verdict == verdict


@pytest.mark.parametrize(
    ("options", "verdict"),
    [
        ({"phase": "create", "at_least": 480}, "pass"),
        ({"phase": "create", "at_least": 520}, "fail"),
        ({"phase": "stat", "at_least": 4800}, "pass"),
        ({"phase": "stat", "at_most": 4000}, "fail"),
        ({"at_least": 480}, "unknown"),
        ({"phase": "read", "at_least": 1}, "unknown"),
    ],
)
def test_metadata_rate(tmp_path: Path, options: dict[str, Any], verdict: str) -> None:
    """500 creates and 5000 stats per second."""
    phases = [
        phase(0.0, phase=name, operations_per_s=rate * factor, repeat=number)
        for name, rate in (("create", 500.0), ("stat", 5000.0))
        for number, factor in enumerate(NOISE, start=1)
    ]
    assert judged(tmp_path, metadata_rate, options, *phases).verdict == verdict


# ---- a stored result

STORED = DATA / "whole" / "md1200-nfs-quick"


@pytest.fixture(scope="module")
def stored() -> Result:
    """A result of the quick profile of md1200-nfs: 24.4 MB/s of writes in the lab."""
    text = gzip.decompress((STORED / "result.jsonl.gz").read_bytes()).decode()
    return Result(STORED, tuple(json.loads(line) for line in text.splitlines()))


@pytest.mark.parametrize(
    ("name", "options", "verdict"),
    [
        ("throughput", {"at_least": {"share": 0.5, "of": "bound"}}, "pass"),
        ("throughput", {"at_least": {"share": 1.1, "of": "bound"}}, "fail"),
        ("throughput", {"at_least": "900 MB/s"}, "pass"),
        ("throughput", {"at_least": "10 GB/s"}, "fail"),
        ("iops", {"at_least": 2500}, "pass"),
        ("iops", {"at_least": 10000}, "fail"),
        ("latency", {"percentile": 99, "below": "100ms"}, "pass"),
        ("latency", {"percentile": 99, "below": "10us"}, "fail"),
        ("latency", {"percentile": 99.9, "below": "100ms"}, "unknown"),
        ("scaling", {"at_least": 0.9}, "pass"),
        ("scaling", {"at_least": 1.1}, "fail"),
        ("variation", {"between": "clients", "below": 0.1}, "pass"),
        ("variation", {"between": "clients", "below": 0.001}, "unknown"),
        ("variation", {"between": "seconds", "below": 0.1}, "unknown"),
    ],
)
def test_a_stored_result(stored: Result, name: str, options: dict[str, Any], verdict: str) -> None:
    """A limit that the measured system cannot meet fails, with two repeats."""
    module = checker(name)
    asked = {"experiment": "fig7", "phase": "write", **options}
    found = module.check(stored, module.Options.model_validate(asked))
    assert found.verdict == verdict, found
