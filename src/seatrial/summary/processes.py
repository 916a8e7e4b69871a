"""The share of an outage that is the cost of starting processes, which is far higher in a lab.

The report shows it, so that the lab's cost is not attributed to the solution.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from seatrial.result.faults import HERE, FaultResult
from seatrial.summary.notation import seconds


def share_of_outage(fault: FaultResult) -> dict[str, Any] | None:
    """Time of the longest outage that the server with most process starts spent on them.

    Keys: server, started, start_ms, outage_s, share; here_ms, the time of one start on the machine
    that runs the lab; handshake_ms, the time of a new ssh connection. The last two are None where
    they were not measured. An estimate: not all starts are on the critical path, and each takes
    longer under load. None where there was no outage or no count.
    """
    longest = fault.longest.longest if fault.longest else None
    if longest is None or longest.open or not fault.processes_started:
        return None
    start_s = longest.start_unix_s
    end_s = longest.end_unix_s
    counts = {
        node: _between(lines, start_s, end_s) for node, lines in fault.processes_started.items()
    }
    server = max(counts, key=lambda node: counts[node])
    cost_ms = fault.process_start_ms.get(server)
    if cost_ms is None or not counts[server]:
        return None
    return {
        "server": server,
        "started": round(counts[server]),
        "start_ms": cost_ms,
        "outage_s": end_s - start_s,
        "share": min(counts[server] * cost_ms / 1000.0 / max(end_s - start_s, 1e-9), 1.0),
        "here_ms": fault.process_start_ms.get(HERE),
        "handshake_ms": fault.handshake_ms.get(server),
    }


def _between(lines: Sequence[Sequence[float]], start_s: float, end_s: float) -> float:
    """Processes of the seconds inside, with the first and the last second weighted by their
    overlap.
    """
    return sum(
        count * (min(unix_s, end_s) - max(unix_s - 1.0, start_s))
        for unix_s, count in lines
        if unix_s > start_s and unix_s - 1.0 < end_s
    )


def words(share: Mapping[str, Any]) -> str:
    """The share as a sentence."""
    text = (
        f"In the longest outage, of {seconds(share['outage_s'])}, {share['server']} started "
        f"{share['started']} processes and threads; at {share['start_ms']:.0f} ms each, as "
        "measured there under the load, that is about "
        f"{100 * share['share']:.0f} % of it"
    )
    here_ms = share.get("here_ms")
    handshake_ms = share.get("handshake_ms")
    text += f" (outside the lab a process takes {here_ms:.1f} ms here)" if here_ms else ""
    return (
        f"{text}; a new ssh connection took {handshake_ms:.0f} ms." if handshake_ms else f"{text}."
    )
