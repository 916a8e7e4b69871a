"""The missing parts of a result, where the manifest alone does not have the number of lines."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, cast

import pytest

from seatrial.advice.redact import redact
from seatrial.judge.checks import recovery
from seatrial.judge.flaws import Evidence
from seatrial.judge.judge import study_of
from seatrial.judge.missing import completeness
from seatrial.judge.missing_faults import fault_flaws
from seatrial.judge.missing_phases import phase_flaws
from seatrial.judge.parts import parts_of
from seatrial.result.baselines import Baseline
from seatrial.result.fault_parts import Expectations
from seatrial.result.faults import FaultResult
from seatrial.result.manifest import (
    RUN_KEY,
    BaselinePlan,
    ExperimentPlan,
    FaultPlan,
    Manifest,
    OutageLimit,
    PointPlan,
    StreamPlan,
    manifest_in,
    plain,
    sum_of,
)
from seatrial.result.planned import EXPECTED
from seatrial.result.result import Result, read_result
from seatrial.result.sealed import LINES, SUMS
from seatrial.study.study import Study
from tests.builders.fault_results import fault, stream
from tests.builders.moments import taken
from tests.builders.results import client, phase, result_of
from tests.builders.strategies import MINIMAL, changed

POINT = PointPlan("clients=1", {"clients": 1}, ("read",), ("c1",))
NONE = Manifest("quick", (), (), (), (), keeps_agent_lines=False)
Line = dict[str, Any]


def words(experiment: ExperimentPlan, *lines: Line) -> list[str]:
    """The flaws of these lines of one experiment."""
    result = Result(Path("nowhere"), ({"type": "run"}, *lines))
    manifest = replace(NONE, experiments=(experiment,))
    return [flaw.words for flaw in phase_flaws(result, parts_of(result), manifest)]


def measured(repeat: int = 1, **changes: Any) -> Line:
    """The line of one phase."""
    return {"type": "phase", **asdict(phase(repeat=repeat, **changes))}


def more(repeats: int) -> Line:
    """The line with the reason for no more repeats of a point."""
    return {"type": "repeats", "experiment": "one", "point": {"clients": 1}, "repeats": repeats}


RESUMED: Line = {"type": "resumed"}
UNTIL = ExperimentPlan("one", 2, (POINT,), has_more_repeats=True)


def test_further_repeats_match_their_line() -> None:
    """Without the line the number is unknown; each part of a resumed run has its own."""
    assert words(UNTIL, measured(1), measured(2), measured(3), more(3)) == []
    assert words(UNTIL, measured(1), measured(2), more(3)) == [
        "one clients=1 repeat 3 read is missing"
    ]
    assert words(UNTIL, measured(1), measured(2), measured(3), more(2)) == [
        "one clients=1 repeat 3 read was not planned"
    ]
    assert words(UNTIL, measured(1), measured(2)) == [
        "the number of repeats of one clients=1 is missing"
    ]
    assert "the number of repeats of one clients=1 is present twice" in words(
        UNTIL, measured(1), measured(2), more(2), more(2)
    )
    assert words(UNTIL, measured(1), RESUMED, measured(2), measured(3), more(2)) == []
    assert words(UNTIL, measured(1), RESUMED, measured(3), more(1)) == [
        "one clients=1 repeat 2 read is missing"
    ]


def tried(*rates: float) -> Line:
    """The line of a search."""
    tries = [{"rate_per_s": rate, "latency_ms": 1.0, "met": True} for rate in rates]
    return {
        "type": "saturation-search",
        "experiment": "one",
        "point": {"clients": 1},
        "tries": tries,
    }


def at(rate: float, repeat: int = 1) -> Line:
    """One try."""
    return measured(repeat, point={"clients": 1, "arrivals_per_s": rate})


SEARCH = ExperimentPlan("one", 1, (POINT,), searches=True)


def test_a_search_has_a_phase_for_each_of_its_tries() -> None:
    """A rate that is tried again is a further repeat; a repeated search leaves its earlier
    tries.
    """
    assert words(SEARCH, at(10.0), at(20.0), at(10.0, 2), tried(10.0, 20.0, 10.0)) == []
    gone = ["one clients=1,arrivals_per_s=20.0 repeat 1 read is missing"]
    assert words(SEARCH, at(10.0), tried(10.0, 20.0)) == gone
    assert "the saturation rate of one clients=1 is missing" in words(SEARCH, at(10.0))
    extra = ["one clients=1,arrivals_per_s=30.0 repeat 1 read was not planned"]
    assert words(SEARCH, at(10.0), at(30.0), tried(10.0)) == extra
    assert words(SEARCH, at(30.0), RESUMED, at(10.0), tried(10.0)) == []


def test_a_row_may_be_skipped_where_the_study_allows_it() -> None:
    """Any other row must exist, whatever a line states."""
    rows = tuple(
        PointPlan(
            f"variant={name}", {"variant": name}, ("read",), None, may_be_skipped=name == "rdma"
        )
        for name in ("tcp", "rdma")
    )
    experiment = ExperimentPlan("one", 1, rows)
    skipped = [
        {"type": "variant-skipped", "experiment": "one", "variant": name, "reason": "no"}
        for name in ("tcp", "rdma")
    ]
    tcp, rdma = (measured(point={"variant": name}) for name in ("tcp", "rdma"))
    assert words(experiment, tcp, rdma) == []
    assert words(experiment, tcp, skipped[1]) == []
    assert words(experiment, tcp) == ["one variant=rdma repeat 1 read is missing"]
    assert words(experiment, rdma, skipped[0]) == ["one variant=tcp repeat 1 read is missing"]


def test_each_client_of_a_point_has_its_part() -> None:
    """No client is missing, present twice, or unknown."""
    plan = ExperimentPlan("one", 1, (replace(POINT, clients=("c1", "c2")),))
    both = (client(client="c1"), client(client="c2"))
    where = "one clients=1 repeat 1 read"
    assert words(plan, measured(clients=both)) == []
    assert words(plan, measured(clients=both[:1])) == [f"{where}: client c2 is missing"]
    assert words(plan, measured(clients=(*both, both[0]))) == [
        f"{where}: client c1 is present twice"
    ]
    assert words(plan, measured(clients=(*both, client(client="c9")))) == [
        f"{where}: client c9 was not planned"
    ]


def test_two_phases_that_began_at_once_are_one() -> None:
    """A copy of a good repeat in place of a bad one."""
    plan = ExperimentPlan("one", 2, (POINT,))
    first = measured(1, started_unix_s=5.0)
    second = measured(2, started_unix_s=9.0)
    assert words(plan, first, second) == []
    copied = {"one clients=1 repeat 1 read: as one clients=1 repeat 2 read is present twice"}
    assert set(words(plan, first, {**second, "started_unix_s": 5.0})) == copied


def test_a_tree_is_compared_once_for_each_repeat() -> None:
    """A repeated comparison after a resume counts once."""
    plan = ExperimentPlan("one", 2, (replace(POINT, compares_tree=True),))
    compared = [
        {"type": "comparison", "experiment": "one", "point": {"clients": 1}, "repeat": number}
        for number in (1, 2)
    ]
    phases = (measured(1), measured(2))
    assert words(plan, *phases, *compared) == []
    assert words(plan, *phases, compared[0]) == [
        "the comparison of one clients=1 repeat 2 is missing"
    ]
    twice = ["the comparison of one clients=1 repeat 1 is present twice"]
    assert words(plan, *phases, *compared, compared[0]) == twice
    assert words(plan, *phases, *compared, RESUMED, compared[0]) == []


# ---- copies for others


@pytest.mark.parametrize("broken", [False, True])
def test_a_published_copy_has_a_separate_manifest(tmp_path: Path, broken: bool) -> None:
    """Its checksums are those of the copy; where those of the result did not hold, neither do
    the copy's.
    """
    result = result_of(
        tmp_path / "r", changed("criteria", []), phase(clients=(client(client="c1"),))
    )
    if broken:
        (tmp_path / "r" / "study.yaml").write_text(
            (tmp_path / "r" / "study.yaml").read_text() + "# weaker\n"
        )
    redact(result, tmp_path / "copy")
    copied = read_result(tmp_path / "copy")
    assert manifest_in(copied) is not None
    found = [flaw.words for flaw in completeness(study_of(copied), copied).flaws]
    assert found == (
        ["the stored study.yaml differs from the manifest of the run"] if broken else []
    )


def test_a_copy_of_a_result_that_was_cut_off_has_one_too(tmp_path: Path) -> None:
    """An unreadable manifest stays unchanged."""
    result_of(tmp_path / "r", MINIMAL, phase())
    path = tmp_path / "r" / LINES
    *lines, _end = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines) + '{"type": "pha')
    (tmp_path / "r" / SUMS).unlink()
    redact(read_result(tmp_path / "r"), tmp_path / "copy")
    copied = read_result(tmp_path / "copy")
    assert copied.cut_off
    assert manifest_in(copied) is not None


# ---- baselines


def baselines(*found: Baseline, plans: tuple[BaselinePlan, ...]) -> list[str]:
    """The flaws of the baselines."""
    line = {"type": "baselines", "found": [asdict(item) for item in found]}
    fields = replace(NONE, baselines=plans).to_json()
    lines = (
        {"type": "run", "profile": "quick", RUN_KEY: sum_of(fields)},
        {"type": "manifest", **plain(fields)},
        line,
    )
    complete = completeness(cast(Study, None), Result(Path("nowhere"), (*lines, {"type": "end"})))
    return [flaw.words for flaw in complete.flaws if flaw.kind == Evidence.BASELINES]


def test_every_probe_has_its_figures() -> None:
    """Each by its name, or by the number of paths; one that could not be measured exists, and
    is no pass.
    """
    link = BaselinePlan("links", "links of data", "c1", ("c1 to nas", "nas to c1"))
    there, back = (Baseline("links", "links of data", name, 1e6) for name in link.names)
    assert baselines(there, back, plans=(link,)) == []
    assert baselines(there, plans=(link,)) == ["links of data: nas to c1 is missing"]
    assert baselines(there, back, back, plans=(link,)) == [
        "links of data: nas to c1 is present twice"
    ]
    failed = Baseline("links", "links of data", "c1 and nas", None, error="no answer")
    assert baselines(failed, plans=(link,)) == []
    paths = BaselinePlan("paths", "storage paths", "srv1", count=2)
    one, two = (
        Baseline("paths", "storage paths", f"srv1 to 10.0.{number}.1", 1e6) for number in (1, 2)
    )
    assert baselines(one, two, plans=(paths,)) == []
    assert baselines(one, plans=(paths,)) == ["storage paths: 1 of 2 of srv1 is missing"]


# ---- faults


STREAMS = (
    StreamPlan("small", "load", "write", ("c1",)),
    StreamPlan("locks", "consistency", "locks", ("c1",)),
)
AS_PLANNED = fault(
    streams=(stream(), stream(stream="locks", phase="locks")),
    consistency={"locks": {}},
    writers={"a": [], "b": []},
    writers_watched=(90.0, 170.0),
    expect={"fails_over": True, "outage": 60.0, "errors": (), "detected_by": ()},
)
PLAN = FaultPlan(
    name="it",
    kind="panic",
    published="X1",
    expect={
        "fails_over": True,
        "target": None,
        "min_stall": None,
        "errors": [],
        "blocks": None,
        "detected_by": [],
    },
    outage=OutageLimit("60s", 60.0),
    services=("s",),
    streams=STREAMS,
)
LOGGED = replace(NONE, faults=(PLAN,), watches_writers=True)
COMPARISON = {"type": "comparison", "experiment": "it", "point": {"stream": "small"}, "repeat": 1}


def flawed(
    *faults: FaultResult, manifest: Manifest = LOGGED, folder: Path = Path("nowhere")
) -> list[str]:
    """The flaws of the faults."""
    lines = tuple({"type": "fault", **plain(asdict(item))} for item in faults)
    result = Result(folder, ({"type": "run"}, *lines, COMPARISON))
    return [flaw.words for flaw in fault_flaws(result, parts_of(result), manifest)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, []),
        ({"kind": "switchover"}, ["fault it: its kind differs from the manifest of the run"]),
        ({"published": None}, ["fault it: its published differs from the manifest of the run"]),
        ({"streams": AS_PLANNED.streams[1:]}, ["fault it: stream small is missing"]),
        (
            {"streams": (stream(phase="read"), AS_PLANNED.streams[1])},
            ["fault it: the phase of stream small differs from the manifest of the run"],
        ),
        (
            {"streams": (*AS_PLANNED.streams, stream(client="c2"))},
            ["fault it: stream small of c2 was not planned"],
        ),
        (
            {"streams": (*AS_PLANNED.streams, stream(stream="x"))},
            ["fault it: stream x was not planned"],
        ),
        ({"consistency": {}}, ["fault it: consistency test locks is missing"]),
        ({"compared": {}}, ["fault it: comparison of stream small is missing"]),
        ({"compared": {}, "not_compared": "no answer"}, []),
        ({"writers": {"b": []}}, ["fault it: the write log of a is missing"]),
        ({"writers": {"b": []}, "moved": False}, []),
        ({"roles_before": {}}, ["fault it: the server of service s before it is missing"]),
        ({"roles_after": {}}, ["fault it: the server of service s after it is missing"]),
        ({"streams": (), "compared": {}, "failed": "no ssh"}, []),
        ({"streams": (), "compared": {}, "skipped": "no BMC"}, []),
    ],
    ids=lambda item: "-".join(item) if isinstance(item, dict) else "",
)
def test_a_fault_matches_its_plan(changes: dict[str, Any], words: list[str]) -> None:
    """A fault that was skipped or not completed needs no evidence: it is no pass."""
    assert flawed(replace(AS_PLANNED, **changes)) == words


def test_a_limit_grows_by_the_work_that_it_names_alone() -> None:
    """By their cost during this fault, and no further."""
    limit = OutageLimit("30s + 1000 processes", 30.0, process_starts=1000)
    manifest = replace(LOGGED, faults=(replace(PLAN, outage=limit),))
    for cost_ms, words in (
        (30.0, []),
        (29.0, ["fault it: the allowed outage differs from the manifest of the run"]),
    ):
        assert (
            flawed(replace(AS_PLANNED, process_start_ms={"a": cost_ms}), manifest=manifest) == words
        )


def test_a_fault_that_was_not_planned_is_named() -> None:
    """A good one next to a bad one, under another name."""
    other = replace(AS_PLANNED, name="other", injected_unix_s=500.0)
    assert flawed(AS_PLANNED, other) == ["fault other was not planned"]
    assert flawed() == ["fault it is missing"]


def test_agent_output_of_a_fault_is_evidence(tmp_path: Path) -> None:
    """For each of its streams."""
    manifest = replace(LOGGED, keeps_agent_lines=True)
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "fault_it-c1_locks.jsonl").write_text("{}\n")
    gone = ["fault it: the agent output of c1 for small is missing"]
    assert flawed(AS_PLANNED, manifest=manifest, folder=tmp_path) == gone


# ---- the run


def test_the_profile_and_the_line_of_the_system_are_evidence(tmp_path: Path) -> None:
    """Of another profile the same study asks for other things; without its scale no figure is a
    share of anything.
    """
    result = result_of(tmp_path / "r", MINIMAL, phase(clients=(client(client="c1"),)))

    def found(lines: tuple[Line, ...]) -> list[str]:
        altered = Result(result.folder, lines)
        return [flaw.words for flaw in completeness(study_of(altered), altered).flaws]

    assert found(result.lines) == []
    other = ({**result.lines[0], "profile": "trial"}, *result.lines[1:])
    assert found(other) == ["the profile of the study differs from the manifest of the run"]
    system = next(line for line in result.lines if line["type"] == "system")
    assert found(tuple(line for line in result.lines if line is not system)) == [
        "the line `system` is missing"
    ]
    assert found((*result.lines[:-1], system, result.lines[-1])) == [
        "the line `system` is present twice"
    ]
    borrowed = {"type": "borrowed", "study": "other", "lines": []}
    twice = (*result.lines[:-1], borrowed, borrowed, result.lines[-1])
    assert found(twice) == ["the result of other is present twice"]


# ---- who saw a fault


def test_a_cluster_that_lost_a_member_has_logged_it() -> None:
    """Neither the power log nor the other nodes' logs may be missing: a journal was replayed,
    or it is unknown.
    """
    lost = replace(taken(), restarted=("c6",), name="crash")
    limit_s = lost.expect.get("outage")
    plan = FaultPlan(
        name="crash",
        kind=lost.kind,
        published=lost.published,
        expect=cast(Expectations, {key: lost.expect.get(key) for key in EXPECTED}),
        outage=OutageLimit("", limit_s) if limit_s is not None else None,
        services=None,
        streams=(),
    )
    manifest = replace(NONE, faults=(plan,), members=("c1", "c6"), logs_power=True)

    def kinds(hit: FaultResult) -> set[Evidence]:
        result = Result(Path("nowhere"), ({"type": "run"}, {"type": "fault", **asdict(hit)}))
        return {flaw.kind for flaw in fault_flaws(result, parts_of(result), manifest)}

    others = {Evidence.STREAMS}
    assert kinds(lost) - others == set()
    assert kinds(replace(lost, moments=())) - others == {Evidence.EVENTS}
    assert kinds(replace(lost, moments=(), power=())) - others == {Evidence.EVENTS, Evidence.POWER}
    assert recovery.judge(lost).verdict == "pass"
    assert {Evidence.EVENTS, Evidence.POWER} <= recovery.RESTS_ON
