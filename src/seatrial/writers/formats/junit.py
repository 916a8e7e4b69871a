"""`junit`: acceptance criteria and faults as test cases, for the test report of a CI system.

A pass is a passed case, and names its waivers in its output. A failure has the evidence as its
message. An unknown criterion and a skipped fault are skipped cases with the reason: no evidence is
never a pass, so a CI system must use the exit code of `seatrial judge` as well.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.etree import ElementTree as Tree

from seatrial.judge.answer import PASSING, Verdict
from seatrial.summary.fault_results import FaultOutcome
from seatrial.summary.results import Criterion, ResultSummary, WaivedFinding

TITLE = "criteria and faults as test cases, for CI"
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""characters that XML 1.0 (section 2.2) does not have"""


@dataclass(frozen=True)
class Case:
    """One test case."""

    name: str
    verdict: Verdict
    message: str
    kind: str
    """the reason code of an open verdict"""
    output: str


def write(summary: ResultSummary) -> str:
    """A document with the suites `run`, `criteria` and `faults`."""
    root = Tree.Element("testsuites", {"name": _clean(summary.study.id)})
    is_complete = summary.run.is_complete
    run = Case(
        name="complete",
        verdict="pass" if is_complete else "unknown",
        message=summary.run.outcome,
        kind="not-completed",
        output=f"seal: {summary.run.seal}",
    )
    _add_suite(root, summary, "run", [run])
    _add_suite(root, summary, "criteria", [_of_criterion(item) for item in summary.criteria])
    _add_suite(root, summary, "faults", [_of_fault(item) for item in summary.faults])
    Tree.indent(root)
    return Tree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _of_criterion(item: Criterion) -> Case:
    waived = "".join(f"\n{_waiver(waiver)}" for waiver in item.waivers)
    output = f"{item.statement}\n{item.evidence}{waived}"
    return Case(item.id, item.verdict, item.evidence, item.reason or "", output)


def _waiver(item: WaivedFinding) -> str:
    return f"waived: {item.number} x {item.kind} by {item.where} ({item.reason}): {item.example}"


def _of_fault(item: FaultOutcome) -> Case:
    outage = f"longest outage: {item.outage_state}"
    if item.longest_outage_s is not None:
        outage = f"longest outage: {item.longest_outage_s:.3f} s"
    output = f"{item.title}\n{item.evidence}\n{outage}"
    return Case(item.name, item.verdict, item.evidence, item.reason or "", output)


def _add_suite(
    root: Tree.Element, summary: ResultSummary, name: str, cases: Sequence[Case]
) -> None:
    failed = sum(case.verdict == "fail" for case in cases)
    passed = sum(case.verdict in PASSING for case in cases)
    attributes = {
        "name": name,
        "tests": str(len(cases)),
        "failures": str(failed),
        "errors": "0",
        "skipped": str(len(cases) - failed - passed),
    }
    started_s = summary.run.started_unix_s
    if started_s is not None:
        attributes["timestamp"] = f"{datetime.fromtimestamp(started_s, UTC):%Y-%m-%dT%H:%M:%S}"
    suite = Tree.SubElement(root, "testsuite", attributes)
    for case in cases:
        _add_case(suite, f"{summary.study.id}.{name}", case)


def _add_case(suite: Tree.Element, class_name: str, case: Case) -> None:
    names = {"classname": _clean(class_name), "name": _clean(case.name)}
    element = Tree.SubElement(suite, "testcase", names)
    message = _clean(case.message)
    if case.verdict == "fail":
        failure = Tree.SubElement(element, "failure", {"message": message, "type": "fail"})
        failure.text = message
    elif case.verdict not in PASSING:
        reason = f"{case.kind}: {message}" if case.kind else message
        Tree.SubElement(element, "skipped", {"message": reason})
    Tree.SubElement(element, "system-out").text = _clean(case.output)


def _clean(text: str) -> str:
    return _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", text)
