"""An outage that did not end has no length: every output states that the client did not recover."""

from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from seatrial.advice.history import Unrecovered, history_table, unrecovered_faults
from seatrial.faults.figures import stream_result
from seatrial.faults.summary import outcome_text
from seatrial.judge.checks.recovery import judge as judge_recovery
from seatrial.judge.effects import judge_course
from seatrial.judge.outages import judge_outage
from seatrial.judge.published_faults import judge_row
from seatrial.load.agent_lines import NS, AgentLines
from seatrial.report.fault_tables import predicted
from seatrial.report.faults import happened, outage_cell, table
from seatrial.result.faults import FaultResult, StreamResult
from seatrial.result.outages import Outage
from seatrial.result.result import SCHEMA, read_result
from seatrial.result.writer import Writer
from seatrial.summary.summarise import summary_of
from seatrial.summary.survival import survival
from tests.builders.fault_results import fault, stream

ERROR = {"operation": "fsync", "errno": 5, "name": "EIO", "count": 1}
ENDED_BY_ERROR = stream(
    19.5,
    outages=(Outage(0, 100.0, 119.5, open=True),),
    first_completion_unix_s=None,
    errors=(ERROR,),
    over_unix_s=119.5,
)
LOST = fault(0.0, name="link", recovered_unix_s=None, ended_unix_s=220.0, streams=(ENDED_BY_ERROR,))
VARIANT = {"id": "X1", "failover": True, "recovery": {"min": 1, "max": 300, "unit": "s"}}


def _report(item: FaultResult) -> str:
    return " ".join(str(table([item], [], [])).split())


OUTPUTS: dict[str, Callable[[FaultResult], str]] = {
    "terminal": outcome_text,
    "outage": lambda item: judge_outage(item, 300.0).evidence,
    "faults": lambda item: judge_course(item).evidence,
    "recovery": lambda item: judge_recovery(item).evidence,
    "published": lambda item: judge_row(VARIANT, [item]).evidence,
    "course": happened,
    "cell": outage_cell,
    "report": _report,
    "predicted": lambda item: str(predicted([item])),
    "survival": lambda item: getattr(survival([item], 1), "words", ""),
}


@pytest.mark.parametrize("output", OUTPUTS)
def test_no_output_gives_it_a_length(output: str) -> None:
    """The time until the error is not the length of the outage."""
    words = OUTPUTS[output](LOST)
    assert "not recover" in words
    assert "19.5" not in words
    assert "threshold" not in words.replace("below the threshold are not", "")


def test_the_verdicts_are_no_pass() -> None:
    """For any limit: an outage without an end is longer."""
    verdicts = [
        judge_outage(LOST, 300.0).verdict,
        judge_course(LOST).verdict,
        judge_recovery(LOST).verdict,
    ]
    assert verdicts == ["fail", "fail", "unknown"]
    assert judge_row(VARIANT, [LOST]).verdict == "worse"


def test_a_client_without_power_does_not_have_to_recover() -> None:
    """Nothing is asked of it."""
    item = replace(LOST, streams=(replace(ENDED_BY_ERROR, lost_power=True), stream(3.0)))
    assert item.unrecovered is None
    assert "longest outage 3.0 s" in outcome_text(item)


def test_one_without_an_end_comes_before_a_longer_one() -> None:
    """Its length is not known, and another client's outage has one."""
    item = replace(LOST, streams=(stream(90.0, client="c2"), ENDED_BY_ERROR))
    assert item.longest == ENDED_BY_ERROR
    assert outcome_text(item).startswith("not recovered within 120.0 s (c1 small)")


def stored_result(folder: Path, *faults: FaultResult) -> Path:
    """The folder of a result with these faults."""
    writer = Writer(folder)
    writer.line("run", schema=SCHEMA, study="it", profile="quick", seatrial="0", unix_s=1.0)
    for item in faults:
        writer.line("fault", **asdict(item))
    writer.line("end", complete=True)
    writer.close()
    return folder


def test_export_and_histories(tmp_path: Path) -> None:
    """An export has no length of it, and a history names the run."""
    result = read_result(stored_result(tmp_path / "r1", LOST, fault(3.0, name="other")))
    faults = summary_of(result).faults
    found = [(item.name, item.longest_outage_s, item.is_recovered) for item in faults]
    assert found == [("link", None, False), ("other", 3.0, True)]
    lost = unrecovered_faults(tmp_path, "it")
    assert lost == [Unrecovered("quick", "r1", "link")]
    assert "fault link: not recovered in r1" in history_table([], lost)


SECOND_NS = int(NS)


def _received(answers: dict[int, int], **done: Any) -> AgentLines:
    seconds = [
        {
            **{"event": "second", "boottime_ns": at * SECOND_NS, "interval_ns": SECOND_NS},
            **{"bytes": 0, "operations": count},
        }
        for at, count in answers.items()
    ]
    ends = [{"event": "done", "bytes": 0, "operations": 9, **done}] if done else []
    return AgentLines("c1", 0.0, lines=[*seconds, *ends], stream="small")


def _result(received: AgentLines) -> StreamResult:
    return stream_result(received, "write", 100.0, 220.0, lost_power=False)


def test_an_error_at_once_is_an_outage_without_an_end() -> None:
    """No gap was longer than the threshold, but there was no answer either."""
    received = _received(
        {99: 5, 100: 5}, stopped_by="error", end_boottime_ns=101 * SECOND_NS, errors=[ERROR]
    )
    item = _result(received)
    assert (item.recovered, item.is_unrecovered, item.first_completion_unix_s) == (
        False,
        True,
        None,
    )


def test_a_lost_agent_without_an_answer() -> None:
    """It reported no stall: it did nothing all the same."""
    item = _result(_received({99: 5, 100: 5, 101: 0, 102: 0}))
    assert (item.recovered, item.is_unrecovered) == (False, True)


def test_a_stream_that_continued_has_recovered() -> None:
    """Until it was stopped, or its work was complete."""
    ended = {"stopped_by": "cancelled", "end_boottime_ns": 220 * SECOND_NS}
    assert _result(_received({99: 5, 219: 5}, **ended)).recovered is True
    assert _result(_received({99: 5, 219: 5})).recovered is None
