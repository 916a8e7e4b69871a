"""fio's JSON (`--output-format=json`), also of `--client`; jobs that ran together under one name are one result."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from seatrial.advice.foreign import Foreign, json_of, size_bytes


def recognises(text: str) -> bool:
    """It has fio's version."""
    return '"fio version"' in text and "fio version" in json_of(text)


def version(text: str) -> str:
    """As fio tells it: `fio-3.33`."""
    return str(json_of(text)["fio version"]).removeprefix("fio-")


def results(text: str) -> Iterator[Foreign]:
    """Each group of jobs that ran together, and each direction of it."""
    found = json_of(text)
    common = found.get("global options", {})
    jobs = [job for job in found.get("client_stats") or found.get("jobs", []) if job.get("jobname") != "All clients"]
    groups: dict[tuple[Any, str], list[Mapping[str, Any]]] = {}
    for job in jobs:
        groups.setdefault((job.get("groupid"), job["jobname"]), []).append(job)
    for (_, name), members in groups.items():
        options = {**common, **members[0].get("job options", {})}
        yield from _directions(name, options, members)


def _directions(name: str, options: Mapping[str, str], members: Sequence[Mapping[str, Any]]) -> Iterator[Foreign]:
    how = options.get("rw", options.get("readwrite", "read")).partition(":")[0]
    parts = [direction for direction in ("read", "write") if any(job[direction]["io_bytes"] for job in members)]
    if not parts:
        return
    # Two directions of one job share its time: what they did together is one figure.
    mixed = len(parts) > 1 and how in ("rw", "readwrite", "randrw")
    hosts = {job["hostname"] for job in members if "hostname" in job}
    # With group_reporting, one entry stands for all jobs of its name.
    tasks = int(options.get("numjobs", "1")) * max(len(hosts), 1)
    for phase in ["mixed"] if mixed else parts:
        own = [job[direction] for job in members for direction in (parts if mixed else [phase])]
        yield Foreign(
            phase=phase,
            test=name,
            bytes_per_s=float(sum(item["bw_bytes"] for item in own)),
            operations_per_s=sum(item["iops"] for item in own),
            pattern="random" if how.startswith("rand") else "sequential",
            record_bytes=size_bytes(options.get("bs", options.get("blocksize", "4k"))),
            clients=max(len(hosts), 1),
            tasks=tasks,
            latency_ms=_latency(own[0]) if len(own) == 1 else {},
        )


def _latency(direction: Mapping[str, Any]) -> dict[str, float]:
    """Percentiles cannot be added up: told only where one entry stands for all."""
    clat = direction.get("clat_ns", {})
    said = clat.get("percentile", {})
    found = {"p50": said.get("50.000000"), "p99": said.get("99.000000"), "max": clat.get("max")}
    return {key: value / 1e6 for key, value in found.items() if value is not None}
