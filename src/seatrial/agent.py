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
from seatrial.heard import Heard
from seatrial.transport import Stream, Transport, following, on_every, put

READY_TIMEOUT_S = 60.0
SILENCE_S = 8.0
"""an agent that has said nothing for so long is declared lost; it should speak every second"""
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

    stream: Stream
    heard: Heard
    raw: list[str] = field(default_factory=list)
    heard_s: float = field(default_factory=time.monotonic)

    @property
    def over(self) -> bool:
        """Nothing more is to come."""
        return self.heard.done is not None or self.heard.lost is not None


Progress = Callable[[int, int], None]
"""called about once a second with the bytes and operations so far of all clients"""


@dataclass(frozen=True)
class Watch:
    """Who is told what while a phase runs."""

    started: Callable[[], None] = lambda: None
    """at the common start"""
    ended: Callable[[], None] = lambda: None
    """when the last agent has said its result"""
    progress: Progress = lambda _bytes, _operations: None
    stalled: Callable[[str], None] = lambda _: None
    """a sentence for each storage that stopped answering, while it lasts"""
    keep: Callable[[str, str], None] = lambda _client, _text: None
    """every line that an agent said, at the end"""


def run_phase(
    transport: Transport,
    agent: str,
    jobs: Mapping[str, Mapping[str, Any]],
    clocks: Mapping[str, ClockOffset],
    watch: Watch | None = None,
) -> tuple[float, list[Heard]]:
    """Run one phase on all clients: (unix time of the common start, what each client's agent said).

    RunError when an agent refuses its job or is not ready in time. An agent that dies or falls silent later does
    not end the others: what was heard of it says so, and the phase is partial.
    """
    watch = watch or Watch()
    streams = [transport.stream(client, f"{agent} run") for client in jobs]
    with following(streams):
        followers = [_Follower(stream, Heard(stream.node, clocks[stream.node].ahead_s)) for stream in streams]
        inbox: queue.Queue[tuple[_Follower, str | None]] = queue.Queue()
        for follower in followers:
            threading.Thread(target=_listen, args=(follower, inbox), daemon=True).start()
            follower.stream.send(json.dumps(jobs[follower.heard.client]))
        _wait_ready(followers, inbox)
        start_s = time.time() + START_DELAY_S
        for follower in followers:
            start_ns = int((start_s + follower.heard.ahead_s) * 1e9)
            follower.stream.send(json.dumps({"start_unix_ns": start_ns}))
        time.sleep(max(0.0, start_s - time.time()))
        watch.started()
        for follower in followers:  # who was ready first has had nothing to say since
            follower.heard_s = time.monotonic()
        _follow(followers, inbox, watch)
        watch.ended()
        for follower in followers:
            watch.keep(follower.heard.client, "\n".join(follower.raw) + "\n")
    return start_s, [follower.heard for follower in followers]


def _listen(follower: _Follower, inbox: "queue.Queue[tuple[_Follower, str | None]]") -> None:
    for line in follower.stream.lines():
        inbox.put((follower, line))
    inbox.put((follower, None))


def _take(follower: _Follower, line: str | None) -> None:
    """Note a line, or the end of the agent's output."""
    follower.heard_s = time.monotonic()
    heard = follower.heard
    if line is None:
        if not follower.over:
            exit_code, stderr = follower.stream.finish(timeout_s=5)
            said = stderr.strip().splitlines()[-1:] or ["no message"]
            heard.lost = f"the agent ended without a result (exit {exit_code}: {said[0]})"
        return
    follower.raw.append(line)
    try:
        event = json.loads(line)
    except ValueError:
        heard.lost = f"the agent said something that is no JSON: {line[:80]!r}"
        return
    heard.lines.append(event)
    if event.get("event") == "done":
        heard.done = event


def _wait_ready(followers: list[_Follower], inbox: "queue.Queue[tuple[_Follower, str | None]]") -> None:
    waiting = {follower.heard.client for follower in followers}
    limit = time.monotonic() + READY_TIMEOUT_S
    while waiting:
        try:
            follower, line = inbox.get(timeout=max(0.0, limit - time.monotonic()))
        except queue.Empty:
            raise RunError(f"agents not ready after {READY_TIMEOUT_S:.0f} s: {', '.join(sorted(waiting))}") from None
        _take(follower, line)
        heard = follower.heard
        if heard.lost:
            raise RunError(f"{heard.client}: {heard.lost}")
        if heard.lines and heard.lines[-1].get("event") == "ready":
            waiting.discard(heard.client)


def _follow(followers: list[_Follower], inbox: "queue.Queue[tuple[_Follower, str | None]]", watch: Watch) -> None:
    stalled: dict[str, float] = {}
    while not all(follower.over for follower in followers):
        with contextlib.suppress(queue.Empty):
            follower, line = inbox.get(timeout=1.0)
            _take(follower, line)
            _tell_stall(follower, stalled, watch)
        now_s = time.monotonic()
        for follower in followers:
            if not follower.over and now_s - follower.heard_s > SILENCE_S:
                follower.heard.lost = f"the agent has been silent for {SILENCE_S:.0f} s"
                follower.stream.stop()
        done = [_done(follower.heard) for follower in followers]
        watch.progress(sum(size for size, _ in done), sum(operations for _, operations in done))


STALL_REPEATED_S = 5.0
"""how often a stall that lasts is said again"""


def _tell_stall(follower: _Follower, told_s: dict[str, float], watch: Watch) -> None:
    """Say that a client's storage does not answer: at once, and again every few seconds while it lasts."""
    heard = follower.heard
    if not heard.lines or heard.lines[-1].get("event") != "stall":
        return
    now_s = time.monotonic()
    if now_s - told_s.get(heard.client, -STALL_REPEATED_S) < STALL_REPEATED_S:
        return
    told_s[heard.client] = now_s
    tasks = heard.lines[-1]["tasks"]
    longest_s = max(task["stalled_ns"] for task in tasks) / 1e9
    files = ", ".join(sorted({str(task["file"]) for task in tasks})[:3])
    watch.stalled(f"{heard.client}: no answer for {longest_s:.1f} s to {len(tasks)} task(s): {files}")


def _done(heard: Heard) -> tuple[int, int]:
    """(bytes, operations) so far."""
    if heard.done is not None:
        return int(heard.done["bytes"]), int(heard.done["operations"])
    lines = heard.of("second")
    return sum(int(line["bytes"]) for line in lines), sum(int(line["operations"]) for line in lines)
