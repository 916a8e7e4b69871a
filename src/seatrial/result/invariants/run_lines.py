"""The lines of a run as a whole: each is between its beginning and its end, and the end agrees with
them.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seatrial.result.faults import FaultResult
from seatrial.result.invariants.contradiction import Code, Contradiction, Subject
from seatrial.result.invariants.fault_lines import of_counts

SLACK_S = 5.0
"""times of other machines, put on the common clock"""
IMPORTED = "imported"
Line = dict[str, Any]


def of_run(
    lines: Sequence[Line], faults: Sequence[FaultResult], failed_experiments: Mapping[str, str]
) -> Iterator[Contradiction]:
    """The contradictions of the run."""
    end = next((line for line in reversed(lines) if line["type"] == "end"), {})
    if end.get("complete"):
        if end.get("reason"):
            yield Contradiction(
                Code.END_WITH_REASON, Subject.RUN, "end", f"complete, and not: {end['reason']}"
            )
        failed = [
            *failed_experiments,
            *(fault.name for fault in faults if fault.failed is not None),
        ]
        if failed:
            yield Contradiction(
                Code.END_WITH_FAILURES, Subject.RUN, "end", f"complete, and {failed[0]} failed"
            )
    run = next((line for line in lines if line["type"] == "run"), {})
    if run.get("profile") != IMPORTED:
        yield from _order(lines)
        yield from _within(lines, run)
    yield from _comparisons(lines, faults)
    yield from _restarts(lines, faults)


def _order(lines: Sequence[Line]) -> Iterator[Contradiction]:
    """Each line was written after the one before; a resumed run may have another clock."""
    last_s = 0.0
    for number, line in enumerate(lines, start=1):
        at_s = line.get("unix_s")
        if not isinstance(at_s, int | float):
            continue
        if line["type"] != "resumed" and at_s < last_s - SLACK_S:
            detail = f"{line['type']} was written {last_s - at_s:.1f} s before the line above it"
            yield Contradiction(Code.TIMES_OUT_OF_ORDER, Subject.RUN, f"line {number}", detail)
            return
        last_s = at_s


def _within(lines: Sequence[Line], run: Line) -> Iterator[Contradiction]:
    """The times of a line are between the beginning of the run and the time at which the line was
    written.
    """
    starts = [run, *(line for line in lines if line["type"] == "resumed")]
    times = [line["unix_s"] for line in starts if isinstance(line.get("unix_s"), int | float)]
    if not times:
        return
    began_s = min(times)  # a resumed run may have another clock
    for line in lines:
        if line["type"] not in ("phase", "fault"):
            continue
        subject = Subject.PHASE if line["type"] == "phase" else Subject.FAULT
        name = str(line.get("experiment") or line.get("name"))
        for key, at_s in _times(line):
            written_s = line.get("unix_s")
            if at_s < began_s - SLACK_S:
                detail = f"{key} is {began_s - at_s:.0f} s before the run began"
            elif isinstance(written_s, int | float) and at_s > written_s + SLACK_S:
                detail = f"{key} is {at_s - written_s:.0f} s after its line was written"
            else:
                continue
            yield Contradiction(Code.OUTSIDE_THE_RUN, subject, name, detail)
            break


def _times(line: Line) -> Iterator[tuple[str, float]]:
    """Every time that a line contains."""
    for key, value in line.items():
        if key.endswith("_unix_s") and isinstance(value, int | float):
            yield key, value
    for key in ("actions", "moments", "power"):
        for item in line.get(key) or ():
            for name in ("unix_s", "started_unix_s"):
                if isinstance(item.get(name), int | float):
                    yield f"{name} of {key}", item[name]


def _restarts(lines: Sequence[Line], faults: Sequence[FaultResult]) -> Iterator[Contradiction]:
    """The kernel of a node in a lab changes only after its power was off, which the lab's power log
    shows. The manifest states whether the lab has a power log.
    """
    manifest = next((line for line in lines if line["type"] == "manifest"), {})
    if not manifest.get("logs_power"):
        return
    for fault in faults:
        logged = {item["node"] for item in fault.power}
        silent = [node for node in fault.restarted if node not in logged]
        if silent:
            detail = f"{silent[0]} restarted, and the lab's power log does not have it"
            yield Contradiction(Code.RESTARTED_WITHOUT_POWER, Subject.FAULT, fault.name, detail)


def _comparisons(lines: Sequence[Line], faults: Sequence[FaultResult]) -> Iterator[Contradiction]:
    """A comparison has a separate line, and an entry in its fault: both agree."""
    newest: dict[tuple[str, str], Line] = {}
    for line in lines:
        if line["type"] == "comparison":
            stream = str(line.get("point", {}).get("stream", ""))
            newest[str(line["experiment"]), stream] = line
            for code, detail in of_counts(f"{line['experiment']} {stream}".strip(), line):
                yield Contradiction(code, Subject.COMPARISON, "comparison", detail)
    for fault in faults:
        for stream, stated in fault.compared.items():
            own_line = newest.get((fault.name, stream))
            if own_line is None:
                detail = (
                    f"{stream}: its fault lists it as compared, and the result has no comparison"
                )
                yield Contradiction(Code.COMPARISON_GONE, Subject.COMPARISON, fault.name, detail)
            keys = ("blocks", "must", "may", "lost", "wrong", "names_checked")
            differing = [
                key for key in keys if own_line is not None and own_line.get(key) != stated.get(key)
            ]
            if own_line is not None and differing:
                detail = (
                    f"{stream}: {differing[0]} is {own_line.get(differing[0])} in the line of the "
                    "comparison"
                )
                detail += f", and {stated.get(differing[0])} in that of the fault"
                yield Contradiction(Code.COMPARISONS_DIFFER, Subject.COMPARISON, fault.name, detail)
        for name, stream in newest:
            if name == fault.name and fault.not_compared is None and stream not in fault.compared:
                detail = f"{stream}: it was compared, and its fault lists no comparison"
                yield Contradiction(Code.COMPARISON_GONE, Subject.COMPARISON, fault.name, detail)
