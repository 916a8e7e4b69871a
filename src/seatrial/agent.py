"""The load agents: push the binary, start one per client, let them start together, follow them, collect.

An agent listens on no port: its job goes in and its lines come out through ssh. It says `ready` when its files
are open; when all are, every agent is told one instant, corrected by its own clock's offset. The offsets are
measured before and after, and the larger error is recorded with the phase.
"""

import contextlib
import hashlib
import json
import queue
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seatrial.errors import InputError, RunError
from seatrial.record import ClientResult
from seatrial.transport import Stream, Transport, following, on_every, put

READY_TIMEOUT_S = 60.0
SILENCE_S = 10.0
"""an agent that says nothing for so long while others do is declared lost"""
START_DELAY_S = 0.3
"""between the last `ready` and the common start: the start line must reach every client in this time"""
CLOCK_SAMPLES = 6


def find_binary() -> Path:
    """The static agent that set-up put beside the interpreter; InputError when it was not built."""
    path = Path(sys.prefix) / "bin" / "seatrial-agent"
    if not path.exists():
        raise InputError(f"{path} is missing: the agent was not built", "make setup")
    return path


def push(transport: Transport, nodes: Sequence[str]) -> str:
    """Put the agent on every node, named by its content's hash; nodes that have it are left alone."""
    data = find_binary().read_bytes()
    path = f"/var/tmp/seatrial/agent-{hashlib.sha256(data).hexdigest()[:16]}"

    def on_node(node: str) -> None:
        if transport.run(node, f"[ -x {path} ]").exit_code:
            put(transport, node, data, path)

    on_every(nodes, on_node)
    return path


@dataclass(frozen=True)
class ClockOffset:
    """How far a node's clock is ahead of ours, and by how much that may be wrong (half the best round trip)."""

    ahead_s: float
    error_s: float


def measure_clocks(transport: Transport, nodes: Sequence[str], agent: str) -> dict[str, ClockOffset]:
    """Every node's offset, as NTP measures it (RFC 5905, section 8), from the sample with the shortest round trip."""

    def of_node(node: str) -> ClockOffset:
        with following([transport.stream(node, f"{agent} clock")]) as streams:
            return min((_clock_sample(node, streams[0]) for _ in range(CLOCK_SAMPLES)), key=lambda item: item.error_s)

    return on_every(nodes, of_node)


def _clock_sample(node: str, stream: Stream) -> ClockOffset:
    before_s = time.time()
    stream.send("")
    line = stream.read_line()
    after_s = time.time()
    if line is None:
        raise RunError(f"{node}: the agent's clock does not answer")
    there_s = json.loads(line)["unix_ns"] / 1e9
    return ClockOffset(there_s - (before_s + after_s) / 2, (after_s - before_s) / 2)


@dataclass
class _Follower:
    """One agent as seen while it runs."""

    client: str
    stream: Stream
    clock: ClockOffset
    lines: list[dict[str, Any]] = field(default_factory=list)
    raw: list[str] = field(default_factory=list)
    done: dict[str, Any] | None = None
    lost: str | None = None
    heard_s: float = field(default_factory=time.monotonic)


Progress = Callable[[int], None]
"""called about once a second with the bytes moved so far by all clients"""


def run_phase(
    transport: Transport,
    agent: str,
    jobs: Mapping[str, Mapping[str, Any]],
    clocks: Mapping[str, ClockOffset],
    *,
    started: Callable[[], None] = lambda: None,
    progress: Progress = lambda _: None,
    keep: Callable[[str, str], None] = lambda _client, _text: None,
) -> tuple[float, list[ClientResult]]:
    """Run one phase on all clients: (unix time of the common start, one result per client).

    RunError when an agent refuses its job or is not ready in time. An agent that dies or falls silent later does
    not end the others: its result names what happened, and the phase is partial.
    """
    streams = [transport.stream(client, f"{agent} run") for client in jobs]
    with following(streams):
        followers = [_Follower(stream.node, stream, clocks[stream.node]) for stream in streams]
        inbox: queue.Queue[tuple[_Follower, str | None]] = queue.Queue()
        for follower in followers:
            threading.Thread(target=_listen, args=(follower, inbox), daemon=True).start()
            follower.stream.send(json.dumps(jobs[follower.client]))
        _wait_ready(followers, inbox)
        start_s = time.time() + START_DELAY_S
        for follower in followers:
            start_ns = int((start_s + follower.clock.ahead_s) * 1e9)
            follower.stream.send(json.dumps({"start_unix_ns": start_ns}))
        started()
        _follow(followers, inbox, progress)
        for follower in followers:
            keep(follower.client, "\n".join(follower.raw) + "\n")
    return start_s, [_result(follower) for follower in followers]


def _listen(follower: _Follower, inbox: "queue.Queue[tuple[_Follower, str | None]]") -> None:
    for line in follower.stream.lines():
        inbox.put((follower, line))
    inbox.put((follower, None))


def _take(follower: _Follower, line: str | None) -> None:
    """Note a line, or the end of the agent's output."""
    follower.heard_s = time.monotonic()
    if line is None:
        if follower.done is None and follower.lost is None:
            exit_code, stderr = follower.stream.finish(timeout_s=5)
            said = stderr.strip().splitlines()[-1:] or ["no message"]
            follower.lost = f"the agent ended without a result (exit {exit_code}: {said[0]})"
        return
    follower.raw.append(line)
    try:
        event = json.loads(line)
    except ValueError:
        follower.lost = f"the agent said something that is no JSON: {line[:80]!r}"
        return
    follower.lines.append(event)
    if event.get("event") == "done":
        follower.done = event


def _wait_ready(followers: list[_Follower], inbox: "queue.Queue[tuple[_Follower, str | None]]") -> None:
    waiting = {follower.client for follower in followers}
    limit = time.monotonic() + READY_TIMEOUT_S
    while waiting:
        try:
            follower, line = inbox.get(timeout=max(0.0, limit - time.monotonic()))
        except queue.Empty:
            raise RunError(f"agents not ready after {READY_TIMEOUT_S:.0f} s: {', '.join(sorted(waiting))}") from None
        _take(follower, line)
        if follower.lost:
            raise RunError(f"{follower.client}: {follower.lost}")
        if follower.lines and follower.lines[-1].get("event") == "ready":
            waiting.discard(follower.client)


def _follow(followers: list[_Follower], inbox: "queue.Queue[tuple[_Follower, str | None]]", progress: Progress) -> None:
    while any(follower.done is None and follower.lost is None for follower in followers):
        with contextlib.suppress(queue.Empty):
            _take(*inbox.get(timeout=1.0))
        now_s = time.monotonic()
        for follower in followers:
            if follower.done is None and follower.lost is None and now_s - follower.heard_s > SILENCE_S:
                follower.lost = f"the agent has been silent for {SILENCE_S:.0f} s"
                follower.stream.stop()
        progress(sum(_moved(follower) for follower in followers))


def _moved(follower: _Follower) -> int:
    if follower.done is not None:
        return int(follower.done["bytes"])
    return sum(int(line["bytes"]) for line in follower.lines if line.get("event") == "second")


_LATENCY_KEYS = ("min", "mean", "p50", "p90", "p99", "p999", "max")


def _why(done: dict[str, Any]) -> str:
    """What ended an agent's tasks before their end, in words."""
    errors = done.get("errors", [])
    if errors:
        return f"{errors[0]['operation']} of {errors[0]['file']}: {errors[0]['text']}"
    return str(done.get("stopped_by") or "it does not say why")


def _result(follower: _Follower) -> ClientResult:
    """What the record keeps of an agent's lines; of a lost agent, what it said before."""
    done = follower.done or {}
    seconds = [line for line in follower.lines if line.get("event") == "second"]
    verification = done.get("verification", {})
    extents = list(verification.get("extents", []))
    if verification.get("extents_omitted"):
        extents.append({"class": "more", "omitted": verification["extents_omitted"]})
    lost = follower.lost
    if done and not done.get("complete", True) and lost is None:
        lost = f"stopped early: {_why(done)}"
    latency = {
        operation: {"count": figures["count"], **{key: figures[f"{key}_ns"] / 1e6 for key in _LATENCY_KEYS}}
        for operation, figures in done.get("latency", {}).items()
    }
    return ClientResult(
        client=follower.client,
        size_bytes=int(done.get("bytes", sum(line["bytes"] for line in seconds))),
        operations=int(done.get("operations", sum(line["operations"] for line in seconds))),
        elapsed_s=done.get("elapsed_ns", 0) / 1e9,
        tasks=tuple((task["bytes"], task["elapsed_ns"] / 1e9) for task in done.get("tasks", [])),
        start_late_s=done.get("start_late_ns", 0) / 1e9,
        latency_ms=latency,
        seconds=tuple((line["unix_ns"] / 1e9 - follower.clock.ahead_s, line["bytes"]) for line in seconds),
        blocks_checked=int(verification.get("blocks_checked", 0)),
        damage=tuple(extents),
        errors=tuple(done.get("errors", [])),
        cpu_s=sum(done.get("cpu", {}).values()),
        lost=lost,
    )
