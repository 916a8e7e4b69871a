"""Streams, clients and variants with known figures."""

from collections import Counter
from pathlib import Path
from typing import Any

from seatrial.analysis.histogram import Histogram
from seatrial.result.faults import StreamResult
from seatrial.result.outages import Outage
from seatrial.result.phases import PhaseResult
from seatrial.summary.sources import Sources
from tests.builders.fault_results import stream
from tests.builders.results import client, phase, result_of
from tests.builders.strategies import changed, study


def open_stream(**changes: Any) -> StreamResult:
    """A stream that never got an answer after the injection at 100 s."""
    outage = Outage(None, 100.0, 150.0, open=True)
    never = {"recovered": False, "first_completion_unix_s": None}
    return stream(50.0, outages=(outage,), **{**never, **changes})


def going(client_name: str, rates: list[int], **changes: Any) -> StreamResult:
    """A stream with these bytes per second from 95 s on; the injection is at 100 s."""
    seconds = tuple((96.0 + number, 1.0, rate, rate // 10) for number, rate in enumerate(rates))
    return stream(client=client_name, seconds=seconds, **changes)


def coded(*latencies_ns: int) -> str:
    """A histogram; below 2048 ns each value has its own bucket."""
    return Histogram(Counter(latencies_ns)).encode()


def timed(*latencies_ns: int, **changes: Any) -> PhaseResult:
    """A phase of reads with these latencies."""
    return phase(histograms={"read": coded(*latencies_ns)}, **changes)


def clients(*rates: int) -> tuple[Any, ...]:
    """Clients with these rates in bytes/s."""
    numbered = enumerate(rates, start=1)
    return tuple(client(client=f"c{number}", size_bytes=rate) for number, rate in numbered)


def variants(folder: Path, *phases: PhaseResult) -> Sources:
    """A result of an experiment with three variants."""
    experiment = {
        "workload": {"transfer_size": "4KiB", "file_size": "1MiB"},
        "variants": {
            "z": {},
            "a": {"overrides": {"solution.export.threads": 16}},
            "m": {"skip": "none here"},
        },
    }
    data = changed("experiments.one", experiment)
    return Sources(result_of(folder, data, *phases), study(data), {}, None)


def repeats_of_variants() -> list[PhaseResult]:
    """One repeat of `a`, and then two of `z`."""
    of_z = [phase(r * 1e6, point={"variant": "z"}, repeat=r) for r in (1, 2)]
    return [phase(4e6, point={"variant": "a"}), *of_z]
