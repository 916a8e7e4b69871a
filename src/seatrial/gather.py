"""From what the agents said to what the record keeps: figures of each client, and of all of them together.

All times leave here on the common clock, that of the machine that runs Seatrial: an agent's own clock is corrected
by its measured offset.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from seatrial.analysis.histogram import Histogram, merge
from seatrial.heard import NS, Heard
from seatrial.record import ClientResult, Second


def client_result(heard: Heard) -> ClientResult:
    """What the record keeps of one agent; of a lost one, what it said before."""
    done, seconds = heard.done or {}, heard.of("second")
    verification = done.get("verification", {})
    extents = list(verification.get("extents", []))
    if verification.get("extents_omitted"):
        extents.append({"class": "more", "omitted": verification["extents_omitted"]})
    return ClientResult(
        client=heard.client,
        size_bytes=int(done.get("bytes", sum(line["bytes"] for line in seconds))),
        operations=int(done.get("operations", sum(line["operations"] for line in seconds))),
        elapsed_s=done.get("elapsed_ns", 0) / NS,
        tasks=tuple((task["bytes"], task["elapsed_ns"] / NS, task["operations"]) for task in done.get("tasks", [])),
        start_late_s=done.get("start_late_ns", 0) / NS,
        latency_ms={name: _summary(figures) for name, figures in done.get("latency", {}).items()},
        seconds=tuple((heard.common_s(line["unix_ns"]), line["bytes"], line["operations"]) for line in seconds),
        blocks_checked=int(verification.get("blocks_checked", 0)),
        damage=tuple(extents),
        errors=tuple(done.get("errors", [])),
        cpu_s=sum(done.get("cpu", {}).values()),
        lost=heard.lost or _stopped_early(done),
        engine=done.get("engine"),
        null_operations_per_s=done.get("null_operations_per_s"),
        telemetry=tuple(
            {"unix_s": heard.common_s(line["unix_ns"]), **line["telemetry"]} for line in seconds if "telemetry" in line
        ),
        outages=tuple(outages([heard])),
        copies=tuple(done.get("copy", ())),
        log_error=done.get("log_error"),
    )


_LATENCY_KEYS = ("min", "mean", "p50", "p90", "p99", "p999", "max")


def _summary(figures: dict[str, Any]) -> dict[str, float]:
    return {"count": figures["count"], **{key: figures[f"{key}_ns"] / 1e6 for key in _LATENCY_KEYS}}


def _stopped_early(done: dict[str, Any]) -> str | None:
    """What ended an agent's tasks before their end, in words; None when nothing did, or the time that was set."""
    if done.get("complete", True) or done.get("stopped_by") == "time":
        return None
    errors = done.get("errors", [])
    if errors:
        return f"stopped early: {errors[0]['operation']} of {errors[0]['file']}: {errors[0]['text']}"
    return f"stopped early: {done.get('stopped_by') or 'it does not say why'}"


def latency(everyone: Iterable[Heard]) -> tuple[dict[str, dict[str, float]], dict[str, str]]:
    """(figures in milliseconds, histogram) of all clients together, by kind of operation; merged without loss."""
    coded: dict[str, list[str]] = {}
    for heard in everyone:
        for name, figures in (heard.done or {}).get("latency", {}).items():
            coded.setdefault(name, []).append(figures["histogram"])
    merged = {name: merge(Histogram.decode(text) for text in texts) for name, texts in coded.items()}
    return (
        {name: item.figures() for name, item in merged.items() if item},
        {name: item.encode() for name, item in merged.items() if item},
    )


def seconds(everyone: Iterable[Heard]) -> tuple[Second, ...]:
    """Every second since the common start: what all clients completed in it, and how long each operation took."""
    lines: dict[int, list[dict[str, Any]]] = {}
    for heard in everyone:
        for line in (heard.done or {}).get("seconds", ()):
            lines.setdefault(int(line["second"]), []).append(line)
    found = []
    for number, parts in sorted(lines.items()):
        merged = merge(Histogram.decode(part["histogram"]) for part in parts)
        found.append(
            Second(
                second=number,
                size_bytes=sum(part["bytes"] for part in parts),
                operations=sum(part["operations"] for part in parts),
                latency_ms=merged.figures() if merged else {},
            )
        )
    return tuple(found)


def outages(everyone: Iterable[Heard]) -> list[dict[str, Any]]:
    """Times in which a client, or one of its tasks, completed nothing for longer than the threshold."""
    found = []
    for heard in everyone:
        done = heard.done or {}
        whole = [(line, None) for line in done.get("client_outages", ())]
        for line, task in [*whole, *((line, line.get("task")) for line in done.get("outages", ()))]:
            start_s, end_s = heard.common_s(line["start_unix_ns"]), heard.common_s(line["end_unix_ns"])
            outage = {"client": heard.client, "task": task, "start_unix_s": start_s, "end_unix_s": end_s}
            found.append({**outage, "open": bool(line.get("open"))})
    return sorted(found, key=lambda item: (item["start_unix_s"], item["client"], str(item["task"])))


def steady(everyone: Sequence[Heard]) -> dict[str, Any] | None:
    """The steady state of all clients together: the sum of their rates inside their windows; None when not asked.

    Each client's window begins its warm-up after the common start, so that the windows overlap but for their ends.
    Without a whole window on every client there is no steady state.
    """
    parts = [(heard.done or {}).get("steady") for heard in everyone]
    if not parts or not all(parts):
        return None
    known = [part for part in parts if part]
    if any(part["rate_bytes_per_s"] is None for part in known):  # a task ended before the warm-up did
        return None
    return {
        "rate_bytes_per_s": sum(part["rate_bytes_per_s"] for part in known),
        "operations_per_s": sum(part["operations_per_s"] for part in known),
        "from_unix_s": min(heard.common_s((heard.done or {})["steady"]["from_unix_ns"]) for heard in everyone),
        "to_unix_s": max(heard.common_s((heard.done or {})["steady"]["to_unix_ns"]) for heard in everyone),
        "latency_ms": _merged_figures([part.get("latency", {}) for part in known]),
    }


def _merged_figures(parts: Sequence[dict[str, Any]]) -> dict[str, dict[str, float]]:
    names = dict.fromkeys(name for part in parts for name in part)
    merged = {
        name: merge(Histogram.decode(part[name]["histogram"]) for part in parts if name in part) for name in names
    }
    return {name: item.figures() for name, item in merged.items() if item}


def stonewalled(clients: Sequence[ClientResult], started_s: float) -> tuple[float, float] | None:
    """(bytes, operations) per second of all tasks up to the end of the first client that finished; None for none.

    What the others had done by then is read from their seconds, evenly within the one that the end falls into.
    """
    ends_s = [item.elapsed_s + item.start_late_s for item in clients if item.elapsed_s > 0]
    if not ends_s or any(item.lost for item in clients):
        return None
    wall_s = min(ends_s)
    size_bytes = operations = 0.0
    for item in clients:
        if item.elapsed_s + item.start_late_s <= wall_s or not item.seconds:
            size_bytes, operations = size_bytes + item.size_bytes, operations + item.operations
            continue
        done = _until(item, started_s, wall_s)
        size_bytes, operations = size_bytes + done[0], operations + done[1]
    return size_bytes / wall_s, operations / wall_s


def _until(item: ClientResult, started_s: float, wall_s: float) -> tuple[float, float]:
    size_bytes = operations = before_s = 0.0
    for unix_s, in_bytes, in_operations in item.seconds:
        end_s = unix_s - started_s
        share = 1.0 if end_s <= wall_s else max(0.0, (wall_s - before_s) / max(end_s - before_s, 1e-9))
        size_bytes, operations = size_bytes + in_bytes * share, operations + in_operations * share
        if end_s >= wall_s:
            break
        before_s = end_s
    return size_bytes, operations
