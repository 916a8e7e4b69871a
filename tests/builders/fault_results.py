"""Results of faults that a test writes by hand."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from seatrial.result.evidence import Evidence, Sign
from seatrial.result.faults import FaultResult, StreamInterval, StreamResult
from seatrial.result.outages import Outage
from seatrial.result.result import SCHEMA, Result, read_result
from seatrial.result.writer import Writer
from tests.builders.fault_studies import broken
from tests.builders.manifests import fit
from tests.builders.strategies import text_of

PUBLISHED = """
schema: published/1
id: paper
title: A paper
claims:
  - {id: C1, statement: failover takes 30 to 60 s, form: {type: range, min: 30, max: 60, unit: s}}
  - {id: C2, statement: nothing is lost, form: {type: property, expect: true}}
  - {id: C3, statement: it is faster, form: {type: order, order: [a, b]}}
faults:
  - {id: X1, failure: server, expected: passive takes over, failover: true,
     recovery: {min: 30, max: 60, unit: s}}
  - {id: X4, failure: switch, expected: no service change, failover: false, recovery: null}
  - {id: X5, failure: fence device, expected: fenced, failover: if another fails,
     recovery: {min: 30, max: 60, unit: s}}
  - {id: X6, failure: one path, expected: no pause, failover: false,
     recovery: {value: 0, unit: s}, tested: false}
  - {id: X7, failure: all paths, expected: passive takes over, failover: true,
     recovery: {min: 3, max: 8, unit: min}}
"""


def stream(longest_s: float = 0.0, **changes: Any) -> StreamResult:
    """One stream that was silent once, from the injection at 100 s on."""
    outage = Outage(None, 100.0, 100.0 + longest_s, open=False)
    seconds = tuple((95.0 + second, 1.0, 4096, 1) for second in range(1, 6))
    fields: dict[str, Any] = {
        "client": "c1",
        "stream": "small",
        "phase": "write",
        "lost_power": False,
    }
    more = {"outages": (outage,) if longest_s else (), "first_completion_unix_s": 100.0 + longest_s}
    given = {**fields, **more, "seconds": seconds, "operations": 9, **changes}
    given["seconds"] = tuple(StreamInterval(*interval) for interval in given["seconds"])
    return StreamResult(**given)


COMPARED: Any = {
    "blocks": 9,
    "must": 9,
    "may": 0,
    "lost": 0,
    "wrong": 0,
    "names_checked": 0,
    "names_wrong": 0,
    "unfinished": [],
}


def action(part: str, from_s: float, until_s: float, **changes: Any) -> dict[str, Any]:
    """An action that was carried out."""
    fields = {
        "what": f"{part} it",
        "part": part,
        "started_unix_s": from_s,
        "ended_unix_s": until_s,
        "error": None,
    }
    return {**fields, **changes}


ACTIONS = (action("inject", 100.0, 100.1), action("repair", 119.9, 120.0))
SHOWN = (Evidence("inject it", 100.0, (Sign.PROCESS_GONE,), (Sign.PROCESS_GONE,)),)


def fault(longest_s: float = 40.0, **changes: Any) -> FaultResult:
    """A fault with the expected failover of the service."""
    fields: dict[str, Any] = {
        "name": "it",
        "kind": "panic",
        "word": "panic",
        "title": "a server's kernel panics",
        "published": "X1",
        "expect": {"fails_over": True, "outage": 60.0},
        "duration_s": 20.0,
        "started_unix_s": 95.0,
        "injected_unix_s": 100.0,
        "repaired_unix_s": 120.0,
        "recovered_unix_s": 160.0,
        "ended_unix_s": 165.0,
        "roles_before": {"s": "a"},
        "roles_after": {"s": "b"},
        "moved": True,
        "healthy": True,
        "streams": (stream(longest_s),),
        "compared": {"small": COMPARED},
        "actions": ACTIONS,
        "evidence": SHOWN if "actions" not in changes else None,
        "restarted": ("a",),
    }
    if changes.get("skipped"):
        fields |= dict.fromkeys([key for key in fields if key.endswith("_unix_s")])
        fields |= {"streams": (), "compared": {}, "roles_after": {}, "moved": None, "healthy": None}
    return FaultResult(**{**fields, **changes})


CRITERIA = [
    {"id": "in-time", "check": "outage"},
    {"id": "course", "check": "faults"},
    {"id": "intact", "check": "integrity"},
]


def planned_as(item: FaultResult) -> dict[str, Any]:
    """The plan of a study for such a fault."""
    expect = {key: value for key, value in item.expect.items() if value and key != "outage_parts"}
    expect |= {
        key: f"{expect[key]:g}s" for key in ("outage", "target", "min_stall") if key in expect
    }
    return {"kind": item.kind, "published": item.published, "expect": expect}


def result(folder: Path, *faults: FaultResult, **more: Any) -> Result:
    """A record of these faults, and a manifest that asks for no more."""
    writer = Writer(folder / "r")
    writer.line("run", unix_s=0.0, schema=SCHEMA, study="small", profile="full", seatrial="0")
    planned = {item.name: planned_as(item) for item in faults} or {
        "it": {"kind": "panic", "published": "X1"}
    }
    data = broken(planned, published="paper", criteria=CRITERIA, **more)
    writer.keep("study.yaml", text_of(data))
    writer.keep("published.yaml", PUBLISHED)
    for item in faults:
        writer.line("fault", **asdict(item))
        for name in item.compared:
            where = {"experiment": item.name, "point": {"stream": name}, "repeat": 1}
            writer.line("comparison", **where, **COMPARED, extents=[], names=[])
    writer.line("end", complete=True)
    fit(folder / "r")
    writer.close()
    return read_result(folder / "r")


def waiting(**changes: Any) -> FaultResult:
    """A crash at 100 s; no server may take over before 130 s, when the fence devices are
    repaired.
    """
    actions = [
        {"what": what, "part": part, "started_unix_s": at_s, "ended_unix_s": at_s, "error": None}
        for what, part, at_s in (
            ("panic", "inject", 100.0),
            ("bmc: ok", "repair", 130.0),
            ("restart", "repair", 150.0),
        )
    ]
    more = {
        "expect": {"fails_over": True, "outage": None, "blocks": True},
        "actions": tuple(actions),
    }
    return fault(**{**more, "streams": (stream(45.0),), **changes})


def started(at_s: float) -> dict[str, Any]:
    """A part of the service begins on the other server."""
    return {
        "unix_s": at_s,
        "node": "b",
        "what": "starting",
        "text": "",
        "subject": "s-nfs",
        "good": True,
    }


def wrote(until_s: float) -> dict[str, Any]:
    """Between two looks of the array."""
    return {"volume": "s", "start_unix_s": until_s - 1.0, "end_unix_s": until_s, "bytes": 4096}


DAMAGE = ({"class": "zero", "file": "f", "offset": 0, "length": 4096},)
MOMENTS: Any = tuple(
    {"unix_s": unix_s, "node": "b", "what": what, "text": "as it says"}
    for unix_s, what in [
        (102.0, "detected"),
        (106.0, "fenced"),
        (109.0, "started"),
        (130.0, "grace-ended"),
    ]
)
STAYED: dict[str, Any] = {
    "moved": False,
    "roles_after": {"s": "a"},
    "expect": {"fails_over": False, "outage": 2.0},
}
