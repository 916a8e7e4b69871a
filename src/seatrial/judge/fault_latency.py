"""The latencies of an open-loop workload stream during a fault, from the lines of its agents.

They are those of the seconds that overlap the time from the injection to the recovery, in all
clients that kept their power. Without a recovery the time reaches to the end of the fault.
"""

import json
from collections.abc import Iterator
from typing import Any

from seatrial.analysis.histogram import Histogram, merge
from seatrial.judge.percentiles import Latencies, kinds_of
from seatrial.result.faults import FaultResult, StreamResult
from seatrial.result.file_names import kept_name, safe_name
from seatrial.result.result import Result


def latencies_during(result: Result, fault: FaultResult, stream: str) -> Latencies | None:
    """The latencies of the operations of a stream that completed during a fault; None where the
    result has none.
    """
    began_s = fault.started_unix_s
    injected_s = fault.injected_unix_s
    until_s = fault.recovered_unix_s or fault.ended_unix_s
    if began_s is None or injected_s is None or until_s is None:
        return None
    overlapping = (
        (item.phase, line)
        for item in fault.judged
        if item.stream == stream
        for line in _seconds_of(result, fault, item)
        if injected_s - 1 < began_s + line["second"] < until_s
    )
    merged = merge(
        Histogram.decode(line["histograms"][kind])
        for phase, line in overlapping
        for kind in kinds_of(phase)
        if kind in line["histograms"]
    )
    return None if merged is None else Latencies(merged)


def _seconds_of(result: Result, fault: FaultResult, item: StreamResult) -> Iterator[dict[str, Any]]:
    """The agent's lines with the histograms of one second each; a line that is cut off is none."""
    title = safe_name(f"fault {fault.name}-{item.client}_{item.stream}")
    path = result.folder / kept_name(f"agent/{title}.jsonl")
    if not path.is_file():
        return
    for text in path.read_text().splitlines():
        try:
            line = json.loads(text)
        except ValueError:
            continue
        if isinstance(line, dict) and line.get("event") == "latencies":
            yield line
