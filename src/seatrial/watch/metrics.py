"""A snapshot as OpenMetrics 1.0 text, for a time series database."""

from collections.abc import Iterator
from dataclasses import dataclass

from seatrial.basics.finite import is_finite
from seatrial.watch.snapshot import ClientState, ClientView, RunStatus, Snapshot

CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"


@dataclass(frozen=True)
class Sample:
    """One value of a metric, and its labels."""

    value: float
    labels: dict[str, str]


@dataclass(frozen=True)
class Metric:
    """One family of samples."""

    name: str
    kind: str
    help: str
    samples: tuple[Sample, ...]


def as_openmetrics(snapshot: Snapshot) -> str:
    """All metrics; a value that is not known is left out."""
    lines: list[str] = []
    for metric in (*_of_run(snapshot), *_of_clients(snapshot)):
        lines.append(f"# TYPE {metric.name} {metric.kind}")
        lines.append(f"# HELP {metric.name} {metric.help}")
        lines += [_line(metric.name, item) for item in metric.samples if is_finite(item.value)]
    return "\n".join([*lines, "# EOF"]) + "\n"


def _of_run(snapshot: Snapshot) -> Iterator[Metric]:
    study = {"study": snapshot.study}
    steps = {
        "phases": snapshot.phases,
        "searches": snapshot.searches,
        "faults": snapshot.faults_done,
    }
    done = tuple(Sample(item.done, {**study, "kind": kind}) for kind, item in steps.items())
    planned = tuple(Sample(item.planned, {**study, "kind": kind}) for kind, item in steps.items())
    status = tuple(
        Sample(float(snapshot.status is item), {**study, "seatrial_watch_status": item.value})
        for item in RunStatus
    )
    yield Metric("seatrial_watch_status", "stateset", "Whether the run is in progress", status)
    yield Metric("seatrial_watch_steps_done", "gauge", "Steps that are done", done)
    yield Metric("seatrial_watch_steps_planned", "gauge", "Steps of the manifest", planned)
    elapsed = (Sample(snapshot.elapsed_s, study),)
    yield Metric("seatrial_watch_elapsed_seconds", "gauge", "Time since the run began", elapsed)
    if snapshot.remaining_s is not None:
        remaining = (Sample(snapshot.remaining_s, study),)
        yield Metric("seatrial_watch_remaining_seconds", "gauge", "Expected time left", remaining)
    outages = tuple(
        Sample(fault.outage_s, {**study, "fault": fault.name, "state": fault.state.value})
        for fault in snapshot.faults
        if fault.outage_s is not None
    )
    yield Metric(
        "seatrial_watch_outage_seconds", "gauge", "Longest outage of a fault so far", outages
    )


def _of_clients(snapshot: Snapshot) -> Iterator[Metric]:
    clients = snapshot.clients

    def labels(client: ClientView) -> dict[str, str]:
        return {"study": snapshot.study, "client": client.client, "stream": client.stream}

    def gauge(name: str, text: str, values: list[float]) -> Metric:
        pairs = zip(clients, values, strict=True)
        samples = tuple(Sample(value, labels(client)) for client, value in pairs)
        return Metric(f"seatrial_watch_client_{name}", "gauge", text, samples)

    rates = [item.rate_bytes_per_s for item in clients]
    yield gauge("bytes_per_second", "Rate of the last seconds", rates)
    operations = [item.operations_per_s for item in clients]
    yield gauge("operations_per_second", "Operations of the last seconds", operations)
    silences = [item.silent_s for item in clients]
    yield gauge("silent_seconds", "Time without a completed operation", silences)
    lost = [float(item.state is ClientState.LOST) for item in clients]
    yield gauge("lost", "1: the agent is lost", lost)
    totals = tuple(Sample(item.operations, labels(item)) for item in clients)
    yield Metric(
        "seatrial_watch_client_operations", "gauge", "Operations since the load began", totals
    )
    quantiles = tuple(
        Sample(latency_ms / 1e3, {**labels(item), "quantile": quantile})
        for item in clients
        for quantile, latency_ms in _quantiles(item)
    )
    name = "seatrial_watch_client_latency_seconds"
    yield Metric(name, "gauge", "Latency of the last seconds", quantiles)


def _quantiles(client: ClientView) -> list[tuple[str, float]]:
    """The known latencies in ms."""
    latencies = (
        ("0.5", client.latency_p50_ms),
        ("0.99", client.latency_p99_ms),
        ("1", client.latency_max_ms),
    )
    return [(quantile, latency_ms) for quantile, latency_ms in latencies if latency_ms is not None]


def _line(name: str, sample: Sample) -> str:
    labels = ",".join(f'{key}="{_escaped(value)}"' for key, value in sample.labels.items())
    return f"{name}{{{labels}}} {sample.value!r}"


def _escaped(text: str) -> str:
    """OpenMetrics 1.0, section 3.1: backslash, quote and line feed."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
