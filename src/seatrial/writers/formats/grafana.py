"""`grafana`: annotations of the faults: when each was injected and repaired, and the outages.

Each item has the keys of Grafana's API for annotations (POST /api/annotations): times in ms since
1970, text and tags. An outage without an end has no `timeEnd`.
"""

from collections.abc import Iterator
from typing import Any

from seatrial.basics.finite import json_text
from seatrial.summary.fault_results import FaultOutcome, StreamOutage
from seatrial.summary.results import ResultSummary

TITLE = "annotations of injections, repairs and outages, for Grafana"


def write(summary: ResultSummary) -> str:
    """A JSON list, in the order of time."""
    items = [item for fault in summary.faults for item in _annotations(fault)]
    for item in items:
        item["tags"] += ["seatrial", f"study:{summary.study.id}", f"result:{summary.run.result}"]
    return json_text(sorted(items, key=lambda item: int(item["time"]))) + "\n"


def _annotations(fault: FaultOutcome) -> Iterator[dict[str, Any]]:
    tags = [f"fault:{fault.name}", f"verdict:{fault.verdict}"]
    if fault.injected_unix_s is not None:
        text = f"{fault.name}: {fault.title}"
        times_s = (fault.injected_unix_s, fault.repaired_unix_s)
        yield _annotation("injection", text, times_s, tags)
    if fault.repaired_unix_s is not None:
        recovered = "" if fault.is_recovered else ", and no recovery"
        text = f"{fault.name}: repaired{recovered}"
        times_s = (fault.repaired_unix_s, fault.recovered_unix_s)
        yield _annotation("repair", text, times_s, tags)
    for client, outage in _longest_by_client(fault).items():
        length = "not recovered" if outage.duration_s is None else f"{outage.duration_s:.1f} s"
        text = f"{fault.name}: outage of {client} {outage.stream}, {length}"
        times_s = (outage.start_unix_s, outage.end_unix_s)
        yield _annotation("outage", text, times_s, [*tags, f"client:{client}"])


def _longest_by_client(fault: FaultOutcome) -> dict[str, StreamOutage]:
    """The longest outage of each client; one without an end is longer than all others."""
    longest: dict[str, StreamOutage] = {}
    for outage in fault.outages:
        longest_so_far = longest.get(outage.client)
        if longest_so_far is None or _length_s(outage) > _length_s(longest_so_far):
            longest[outage.client] = outage
    return longest


def _length_s(outage: StreamOutage) -> float:
    return float("inf") if outage.duration_s is None else outage.duration_s


def _annotation(
    kind: str, text: str, times_s: tuple[float, float | None], tags: list[str]
) -> dict[str, Any]:
    start_s, end_s = times_s
    item: dict[str, Any] = {"time": round(start_s * 1000), "text": text, "tags": [kind, *tags]}
    if end_s is not None:
        item["timeEnd"] = round(end_s * 1000)
    return item
