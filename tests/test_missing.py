"""What a record lacks of its manifest, where the manifest alone does not say how often something has to be there."""

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
from seatrial.record.baselines import Baseline
from seatrial.record.faults import FaultResult
from seatrial.record.manifest import (
    RUN_KEY,
    BaselinePlan,
    ExperimentPlan,
    FaultPlan,
    Manifest,
    OutageLimit,
    PointPlan,
    manifest_in,
    plain,
    sum_of,
)
from seatrial.record.planned import EXPECTED
from seatrial.record.record import LINES, Record, read_record
from seatrial.study.study import Study
from tests.records import client, phase, record_of
from tests.strategies import MINIMAL, changed
from tests.test_gfs2 import taken

POINT = PointPlan("clients=1", {"clients": 1}, ("read",), ("c1",))
NONE = Manifest("quick", (), (), (), (), keeps_agent_lines=False)
Line = dict[str, Any]


def words(experiment: ExperimentPlan, *lines: Line) -> list[str]:
    """What of one experiment is wrong with these lines."""
    record = Record(Path("nowhere"), ({"type": "run"}, *lines))
    manifest = replace(NONE, experiments=(experiment,))
    return [flaw.words for flaw in phase_flaws(record, parts_of(record), manifest)]


def measured(repeat: int = 1, **changes: Any) -> Line:
    """The line of one phase."""
    return {"type": "phase", **asdict(phase(repeat=repeat, **changes))}


def more(repeats: int) -> Line:
    """The line that says why a point got no more repeats."""
    return {"type": "repeats", "experiment": "one", "point": {"clients": 1}, "repeats": repeats}


RESUMED: Line = {"type": "resumed"}
UNTIL = ExperimentPlan("one", 2, (POINT,), has_more_repeats=True)


def test_further_repeats_are_as_many_as_their_line_says() -> None:
    """Without the line nobody knows; of one that was gone on with, each part tells its own."""
    assert words(UNTIL, measured(1), measured(2), measured(3), more(3)) == []
    assert words(UNTIL, measured(1), measured(2), more(3)) == ["one clients=1 repeat 3 read is missing"]
    assert words(UNTIL, measured(1), measured(2), measured(3), more(2)) == [
        "one clients=1 repeat 3 read was not planned"
    ]
    assert words(UNTIL, measured(1), measured(2)) == ["the number of repeats of one clients=1 is missing"]
    assert "the number of repeats of one clients=1 is there twice" in words(
        UNTIL, measured(1), measured(2), more(2), more(2)
    )
    assert words(UNTIL, measured(1), RESUMED, measured(2), measured(3), more(2)) == []
    assert words(UNTIL, measured(1), RESUMED, measured(3), more(1)) == ["one clients=1 repeat 2 read is missing"]


def tried(*rates: float) -> Line:
    """The line of a search."""
    tries = [{"rate_per_s": rate, "latency_ms": 1.0, "met": True} for rate in rates]
    return {"type": "load-line", "experiment": "one", "point": {"clients": 1}, "tries": tries}


def at(rate: float, repeat: int = 1) -> Line:
    """One try."""
    return measured(repeat, point={"clients": 1, "arrivals_per_s": rate})


SEARCH = ExperimentPlan("one", 1, (POINT,), searches=True)


def test_a_search_has_a_phase_for_each_of_its_tries() -> None:
    """A rate that is tried again is a further repeat; one that was begun again leaves what it had tried before."""
    assert words(SEARCH, at(10.0), at(20.0), at(10.0, 2), tried(10.0, 20.0, 10.0)) == []
    gone = ["one clients=1,arrivals_per_s=20.0 repeat 1 read is missing"]
    assert words(SEARCH, at(10.0), tried(10.0, 20.0)) == gone
    assert "the load line of one clients=1 is missing" in words(SEARCH, at(10.0))
    extra = ["one clients=1,arrivals_per_s=30.0 repeat 1 read was not planned"]
    assert words(SEARCH, at(10.0), at(30.0), tried(10.0)) == extra
    assert words(SEARCH, at(30.0), RESUMED, at(10.0), tried(10.0)) == []


def test_a_row_may_be_skipped_where_the_study_says_so() -> None:
    """Any other has to be there, whatever a line says."""
    rows = tuple(
        PointPlan(f"row={name}", {"row": name}, ("read",), None, may_be_skipped=name == "rdma")
        for name in ("tcp", "rdma")
    )
    experiment = ExperimentPlan("one", 1, rows)
    skipped = [{"type": "row-skipped", "experiment": "one", "row": name, "reason": "no"} for name in ("tcp", "rdma")]
    tcp, rdma = (measured(point={"row": name}) for name in ("tcp", "rdma"))
    assert words(experiment, tcp, rdma) == []
    assert words(experiment, tcp, skipped[1]) == []
    assert words(experiment, tcp) == ["one row=rdma repeat 1 read is missing"]
    assert words(experiment, rdma, skipped[0]) == ["one row=tcp repeat 1 read is missing"]


def test_each_client_of_a_point_has_its_part() -> None:
    """None is missing, twice, or somebody else."""
    plan = ExperimentPlan("one", 1, (replace(POINT, clients=("c1", "c2")),))
    both = (client(client="c1"), client(client="c2"))
    where = "one clients=1 repeat 1 read"
    assert words(plan, measured(clients=both)) == []
    assert words(plan, measured(clients=both[:1])) == [f"{where}: client c2 is missing"]
    assert words(plan, measured(clients=(*both, both[0]))) == [f"{where}: client c1 is there twice"]
    assert words(plan, measured(clients=(*both, client(client="c9")))) == [f"{where}: client c9 was not planned"]


def test_two_phases_that_began_at_once_are_one() -> None:
    """A copy of a good repeat in place of a bad one."""
    plan = ExperimentPlan("one", 2, (POINT,))
    first, second = measured(1, started_unix_s=5.0), measured(2, started_unix_s=9.0)
    assert words(plan, first, second) == []
    copied = {"one clients=1 repeat 1 read: as one clients=1 repeat 2 read is there twice"}
    assert set(words(plan, first, {**second, "started_unix_s": 5.0})) == copied


def test_a_tree_is_compared_once_for_each_repeat() -> None:
    """What was compared again after going on counts once."""
    plan = ExperimentPlan("one", 2, (replace(POINT, compares_tree=True),))
    compared = [
        {"type": "comparison", "experiment": "one", "point": {"clients": 1}, "repeat": number} for number in (1, 2)
    ]
    phases = (measured(1), measured(2))
    assert words(plan, *phases, *compared) == []
    assert words(plan, *phases, compared[0]) == ["the comparison of one clients=1 repeat 2 is missing"]
    twice = ["the comparison of one clients=1 repeat 1 is there twice"]
    assert words(plan, *phases, *compared, compared[0]) == twice
    assert words(plan, *phases, *compared, RESUMED, compared[0]) == []


# ---- copies for others


@pytest.mark.parametrize("broken", [False, True])
def test_a_copy_for_others_has_a_manifest_of_its_own(tmp_path: Path, broken: bool) -> None:
    """Its sums are those of the copy; where those of the record did not hold, neither do the copy's."""
    record = record_of(tmp_path / "r", changed("claims", []), phase(clients=(client(client="c1"),)))
    if broken:
        (tmp_path / "r" / "study.yaml").write_text((tmp_path / "r" / "study.yaml").read_text() + "# weaker\n")
    redact(record, tmp_path / "copy")
    copied = read_record(tmp_path / "copy")
    assert manifest_in(copied) is not None
    found = [flaw.words for flaw in completeness(study_of(copied), copied).flaws]
    assert found == (["the stored study.yaml is not what the run was begun with"] if broken else [])


def test_a_copy_of_a_record_that_was_cut_off_has_one_too(tmp_path: Path) -> None:
    """What nobody can read stays where it is."""
    record_of(tmp_path / "r", MINIMAL, phase())
    with (tmp_path / "r" / LINES).open("a") as file:
        file.write('{"type": "pha')
    redact(read_record(tmp_path / "r"), tmp_path / "copy")
    copied = read_record(tmp_path / "copy")
    assert copied.cut_off
    assert manifest_in(copied) is not None


# ---- baselines


def baselines(*found: Baseline, plans: tuple[BaselinePlan, ...]) -> list[str]:
    """What of the baselines is wrong."""
    line = {"type": "baselines", "found": [asdict(item) for item in found]}
    fields = replace(NONE, baselines=plans).to_json()
    lines = ({"type": "run", "form": "quick", RUN_KEY: sum_of(fields)}, {"type": "manifest", **plain(fields)}, line)
    complete = completeness(cast(Study, None), Record(Path("nowhere"), (*lines, {"type": "end"})))
    return [flaw.words for flaw in complete.flaws if flaw.kind == Evidence.BASELINES]


def test_every_probe_has_its_figures() -> None:
    """Each by its name, or so many as there are paths; what could not be measured is there, and is no pass."""
    link = BaselinePlan("links", "links of data", "c1", ("c1 to nas", "nas to c1"))
    there, back = (Baseline("links", "links of data", name, 1e6) for name in link.names)
    assert baselines(there, back, plans=(link,)) == []
    assert baselines(there, plans=(link,)) == ["links of data: nas to c1 is missing"]
    assert baselines(there, back, back, plans=(link,)) == ["links of data: nas to c1 is there twice"]
    failed = Baseline("links", "links of data", "c1 and nas", None, error="no answer")
    assert baselines(failed, plans=(link,)) == []
    paths = BaselinePlan("paths", "storage paths", "srv1", count=2)
    one, two = (Baseline("paths", "storage paths", f"srv1 to 10.0.{number}.1", 1e6) for number in (1, 2))
    assert baselines(one, two, plans=(paths,)) == []
    assert baselines(one, plans=(paths,)) == ["storage paths: 1 of 2 of srv1 is missing"]


# ---- who saw a fault


def test_a_cluster_that_lost_a_member_has_noted_it() -> None:
    """Neither the power log nor what the others noted may be gone: a journal was taken over, or nobody knows."""
    lost = replace(taken(), restarted=("c6",), name="crash")
    plan = FaultPlan(
        name="crash",
        kind=lost.kind,
        published=lost.published,
        expect={key: lost.expect.get(key) for key in EXPECTED},
        outage=OutageLimit("", lost.expect["outage"]) if lost.expect.get("outage") is not None else None,
        services=None,
        streams=(),
    )
    manifest = replace(NONE, faults=(plan,), members=("c1", "c6"), logs_power=True)

    def flawed(fault: FaultResult) -> set[Evidence]:
        record = Record(Path("nowhere"), ({"type": "run"}, {"type": "fault", **asdict(fault)}))
        return {flaw.kind for flaw in fault_flaws(record, parts_of(record), manifest)}

    others = {Evidence.STREAMS}
    assert flawed(lost) - others == set()
    assert flawed(replace(lost, moments=())) - others == {Evidence.EVENTS}
    assert flawed(replace(lost, moments=(), power=())) - others == {Evidence.EVENTS, Evidence.POWER}
    assert recovery.judge(lost)[0] == "pass"
    assert {Evidence.EVENTS, Evidence.POWER} <= recovery.RESTS_ON
