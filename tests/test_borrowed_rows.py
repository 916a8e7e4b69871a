"""Rows of the published fault table that another study answers (`fault_rows_from`)."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.judge.borrowed import lines_to_borrow
from seatrial.judge.judge import judge
from seatrial.result.evidence import Evidence, Sign
from seatrial.result.faults import FaultResult, StreamInterval, StreamResult
from seatrial.result.outages import Outage
from seatrial.result.result import SCHEMA, Result, read_result
from seatrial.result.writer import Writer
from seatrial.study.study import parse_study
from tests.builders.fault_results import COMPARED
from tests.builders.strategies import MINIMAL, text_of

PUBLISHED = """\
schema: published/1
id: paper
title: A paper
faults:
  - {id: X1, failure: panic, expected: moves, failover: true, recovery: {min: 30, max: 60, unit: s}}
  - {id: X3, failure: link, expected: moves, failover: true, recovery: {min: 30, max: 60, unit: s}}
"""
LOAD = {
    "phases": ["write"],
    "transfer_size": "4KiB",
    "file_size": "64MiB",
    "arrivals_per_s": 4,
}
EXPECT = {"fails_over": True, "outage": "60s"}


def study_data(identity: str, faults: dict[str, str], **more: Any) -> dict[str, Any]:
    """A study with panics that repeat rows of the paper."""
    written = {
        name: {"kind": "panic", "node": "nas", "published": row, "expect": EXPECT}
        for name, row in faults.items()
    }
    load = {"small": {"workload": LOAD}}
    return {
        **MINIMAL,
        "id": identity,
        "published": "paper",
        "experiments": {},
        "faults": written,
        "background_load": load,
        **more,
    }


def hit(name: str, row: str, outage_s: float) -> FaultResult:
    """A fault with a failover, and one stream that waited for this time."""
    outage = Outage(None, 100.0, 100.0 + outage_s, open=False)
    waited = StreamResult(
        client="c1",
        stream="small",
        phase="write",
        lost_power=False,
        outages=(outage,),
        first_completion_unix_s=100.0 + outage_s,
        seconds=tuple(StreamInterval(95.0 + second, 1.0, 4096, 1) for second in range(1, 6)),
        operations=9,
    )
    action: Any = {"what": "a panic", "part": "inject", "error": None}
    return FaultResult(
        name=name,
        kind="panic",
        word="panic",
        title="a server's kernel panics",
        published=row,
        expect={"fails_over": True, "outage": 60.0},
        duration_s=20.0,
        started_unix_s=95.0,
        injected_unix_s=100.0,
        repaired_unix_s=120.0,
        recovered_unix_s=200.0,
        ended_unix_s=205.0,
        roles_before={"s": "a"},
        roles_after={"s": "b"},
        moved=True,
        healthy=True,
        streams=(waited,),
        compared={"small": COMPARED},
        actions=({**action, "started_unix_s": 100.0, "ended_unix_s": 100.1},),
        evidence=(Evidence("a panic", 100.0, (Sign.PROCESS_GONE,), (Sign.PROCESS_GONE,)),),
        restarted=("a",),
    )


def kept(folder: Path, data: dict[str, Any], *faults: FaultResult) -> Result:
    """The result of a run with these faults, which copies those of other results next to it."""
    study = parse_study(text_of(data), Path("study.yaml"))
    writer = Writer(folder / f"{study.id}-1")
    about = {"schema": SCHEMA, "study": study.id, "profile": "full", "seatrial": "0"}
    writer.line("run", unix_s=90.0, **about)
    writer.keep("study.yaml", study.source.text)
    writer.keep("published.yaml", PUBLISHED)
    for line in lines_to_borrow(study, writer.folder.parent):
        writer.line("borrowed", **line)
    for fault in faults:
        writer.line("fault", **asdict(fault))
        where = {"fault": fault.name, "experiment": fault.name, "point": {"stream": "small"}}
        writer.line("comparison", **where, repeat=1, **COMPARED, extents=[], names=[])
    writer.line("end", complete=True)
    writer.close()
    return read_result(folder / f"{study.id}-1")


def rows(result: Result) -> dict[str, tuple[str, str]]:
    """The verdict and the evidence of each row."""
    found = [item for item in judge(result) if item.claim in ("X1", "X3")]
    return {item.claim: (item.verdict, item.evidence) for item in found}


OWN = study_data("own", {"link": "X3"}, fault_rows_from="other")


def test_the_other_study_answers_the_rows_that_it_repeats(tmp_path: Path) -> None:
    """Its outage agrees. A row that it lacks is answered by the study itself."""
    kept(tmp_path, study_data("other", {"slow": "X1"}), hit("slow", "X1", 40.0))
    found = rows(kept(tmp_path, OWN, hit("link", "X3", 8.0)))
    verdict, evidence = found["X1"]
    assert verdict == "agrees", evidence
    assert evidence.startswith("other of 1970-01-01: slow: ")
    assert "40.0 s" in evidence
    verdict, evidence = found["X3"]
    assert (verdict, "shorter" in evidence) == ("better", True), evidence


def test_without_its_result_the_own_faults_answer(tmp_path: Path) -> None:
    """As before."""
    data = study_data("own", {"it": "X1"}, fault_rows_from="other")
    assert rows(kept(tmp_path, data, hit("it", "X1", 9.0)))["X1"][0] == "better"


def test_a_study_cannot_name_itself() -> None:
    """Its own faults always count."""
    with pytest.raises(InputError, match="fault_rows_from: names this study"):
        parse_study(text_of({**OWN, "id": "other"}), Path("study.yaml"))
