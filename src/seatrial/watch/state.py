"""The state of a run: lines of `result.jsonl` and `live.jsonl` in, a snapshot out.

The state reads no file and no clock. Its memory is bounded by the manifest and by the number of
clients: of each client it keeps the last seconds. A line that cannot be read is counted, and has no
other effect. The lines of each file come in their order; the order between the files is free,
because a line that is older than the current load changes nothing of it.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from seatrial.result import live
from seatrial.result.faults import FaultResult, StreamResult
from seatrial.result.live import LiveFault, LiveLoad, LiveSecond
from seatrial.result.manifest import LINE as MANIFEST
from seatrial.result.manifest import Manifest, NoManifestError
from seatrial.result.phases import PhaseResult
from seatrial.study.points import phase_text
from seatrial.watch.course import Faults, Progress
from seatrial.watch.snapshot import (
    ClientState,
    ClientView,
    LoadView,
    RunStatus,
    Snapshot,
)
from seatrial.watch.window import ClientWindow, finished_client, in_order

UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError)
"""errors of a line with other content than a run writes"""


@dataclass(frozen=True)
class _End:
    """The last line of a run."""

    is_complete: bool
    is_interrupted: bool
    reason: str | None


@dataclass
class _Load:
    """The current load: live with windows, or ended with the figures of its result."""

    load: LiveLoad
    windows: tuple[ClientWindow, ...] = ()
    ended: tuple[ClientView, ...] | None = None
    size_bytes_total: int = 0
    operations_total: int = 0
    rate_bytes_per_s: float = 0.0
    operations_per_s: float = 0.0
    """both of the result of an ended load"""
    began_unix_s: float = 0.0


class RunState:
    """Everything that is known of a run so far."""

    def __init__(self) -> None:
        self._study = self._title = self._profile = ""
        self._began_unix_s: float | None = None
        self._newest_unix_s = 0.0
        self._end: _End | None = None
        self._message = ""
        self._expected: tuple[float, float] | None = None
        """unix time of the line, remaining time in s"""
        self._progress = Progress()
        self._faults = Faults()
        self._load: _Load | None = None
        self._load_unix_s = 0.0
        """of the newest line that began or ended a load"""
        self._unreadable = 0
        self._readers: Mapping[str, Callable[[dict[str, Any], float], None]] = {
            "run": self._run,
            MANIFEST: self._manifest,
            "resumed": self._resumed,
            "variant-skipped": self._variant_skipped,
            "saturation-search": self._search,
            "phase": self._phase,
            "fault": self._fault,
            "end": self._ended,
            live.LOAD: self._live_load,
            live.SECOND: self._live_second,
            live.LOAD_ENDED: self._live_load_ended,
            live.FAULT: self._live_fault,
            live.MESSAGE: self._live_message,
            live.EXPECTED: self._live_expected,
        }

    def feed(self, text: str) -> None:
        """Take one line of either file; a line that cannot be read is counted."""
        try:
            line = json.loads(text)
            line_unix_s = float(line["unix_s"])
            read = self._readers.get(line["type"])
            if read is not None:
                read(line, line_unix_s)
            self._newest_unix_s = max(self._newest_unix_s, line_unix_s)
        except (*UNREADABLE, RecursionError, NoManifestError):
            self._unreadable += 1

    def note_unreadable(self, lines: int) -> None:
        """Count lines that were too long to be read."""
        self._unreadable += lines

    def snapshot(
        self, now_unix_s: float, *, result: str, is_written: bool, verdict: str | None = None
    ) -> Snapshot:
        """The state at a time. `is_written`: a process writes to the result now."""
        status = self._status(is_written)
        is_running = status is RunStatus.RUNNING
        until_s = now_unix_s if is_running else self._newest_unix_s
        began_s = until_s if self._began_unix_s is None else self._began_unix_s
        clients = self._clients()
        return Snapshot(
            result=result,
            study=self._study,
            title=self._title,
            profile=self._profile,
            status=status,
            began_unix_s=self._began_unix_s,
            elapsed_s=max(until_s - began_s, 0.0),
            remaining_s=self._remaining_s(now_unix_s) if is_running else None,
            message=self._message,
            phases=self._progress.phases,
            searches=self._progress.searches,
            faults_done=self._progress.faults,
            load=self._load_view(clients, now_unix_s, is_running=is_running),
            clients=in_order(clients),
            faults=self._faults.views,
            unreadable_lines=self._unreadable,
            reason=self._end.reason if self._end and not is_running else None,
            verdict=verdict,
            silent=tuple(item.name for item in clients if item.state is ClientState.SILENT),
        )

    def _status(self, is_written: bool) -> RunStatus:
        if is_written:
            return RunStatus.RUNNING
        if self._end is None:
            return RunStatus.KILLED
        if self._end.is_complete:
            return RunStatus.COMPLETED
        return RunStatus.INTERRUPTED if self._end.is_interrupted else RunStatus.NOT_COMPLETED

    def _remaining_s(self, now_unix_s: float) -> float | None:
        if self._expected is None:
            return None
        at_s, remaining_s = self._expected
        return max(remaining_s - max(now_unix_s - at_s, 0.0), 0.0)

    # ---- the load

    def _clients(self) -> tuple[ClientView, ...]:
        if self._load is None:
            return ()
        if self._load.ended is not None:
            return self._load.ended
        return tuple(window.view() for window in self._load.windows)

    def _load_view(
        self, clients: tuple[ClientView, ...], now_unix_s: float, *, is_running: bool
    ) -> LoadView | None:
        if self._load is None:
            return None
        current = self._load
        load = self._load.load
        is_live = is_running and current.ended is None
        rate_bytes_per_s = current.rate_bytes_per_s
        operations_per_s = current.operations_per_s
        if current.ended is None:
            rate_bytes_per_s = sum(item.rate_bytes_per_s for item in clients)
            operations_per_s = sum(item.operations_per_s for item in clients)
        return LoadView(
            title=load.title,
            experiment=load.experiment,
            point=load.point,
            repeat=load.repeat,
            phase=load.phase,
            fault=load.fault,
            is_running=is_live,
            share=_share(current, now_unix_s) if is_live else None,
            rate_bytes_per_s=rate_bytes_per_s,
            operations_per_s=operations_per_s,
        )

    def _begin_load(self, load: _Load, line_unix_s: float) -> None:
        """Replace the current load, unless the line is older than it."""
        if line_unix_s >= self._load_unix_s:
            self._load = load
            self._load_unix_s = line_unix_s

    def _live_load(self, line: dict[str, Any], line_unix_s: float) -> None:
        load = LiveLoad.from_json(line)
        windows = tuple(ClientWindow(agent) for agent in load.agents)
        self._begin_load(_Load(load, windows, began_unix_s=line_unix_s), line_unix_s)

    def _live_second(self, line: dict[str, Any], line_unix_s: float) -> None:
        load = self._load
        if load is None or line_unix_s < self._load_unix_s or load.ended is not None:
            return
        second = LiveSecond.from_json(line)
        pairs = list(zip(load.windows, second.agents, strict=True))
        for number, (window, figures) in enumerate(pairs):
            window.add(figures, second.histograms.get(number, ()), second.lost.get(number))
            self._faults.silence(load.load.fault, figures.silent_s)
        load.size_bytes_total = second.size_bytes_total
        load.operations_total = second.operations_total

    def _live_load_ended(self, _line: dict[str, Any], line_unix_s: float) -> None:
        if self._load is not None and line_unix_s >= self._load_unix_s:
            clients = self._clients()
            self._load.ended = clients
            self._load.rate_bytes_per_s = sum(item.rate_bytes_per_s for item in clients)
            self._load.operations_per_s = sum(item.operations_per_s for item in clients)
            self._load_unix_s = line_unix_s

    def _phase(self, line: dict[str, Any], line_unix_s: float) -> None:
        result = PhaseResult.from_json(line)
        title = phase_text(result.experiment, result.point, "repeat", result.repeat, result.phase)
        self._progress.phase_done(result.experiment, result.point, result.repeat, result.phase)
        load = LiveLoad(
            title=title,
            agents=(),
            experiment=result.experiment,
            point=result.point,
            repeat=result.repeat,
            phase=result.phase,
        )
        ended = tuple(finished_client(item, result.phase) for item in result.clients)
        self._begin_load(
            _Load(
                load,
                ended=ended,
                rate_bytes_per_s=float(result.natural_bytes_per_s),
                operations_per_s=float(result.operations_per_s),
            ),
            line_unix_s,
        )

    # ---- faults

    def _live_fault(self, line: dict[str, Any], line_unix_s: float) -> None:
        self._faults.begin(LiveFault.from_json(line), line_unix_s)

    def _fault(self, line: dict[str, Any], line_unix_s: float) -> None:
        result = FaultResult.from_json(line)
        clients = tuple(_finished_stream(item) for item in result.streams)
        self._faults.end(result, line_unix_s)
        self._progress.faults_done.add(result.name)
        if clients:
            load = LiveLoad(title=f"fault {result.name}", agents=(), fault=result.name)
            ended = _Load(
                load,
                ended=clients,
                rate_bytes_per_s=sum(item.rate_bytes_per_s for item in clients),
                operations_per_s=sum(item.operations_per_s for item in clients),
            )
            self._begin_load(ended, line_unix_s)

    # ---- the run

    def _run(self, line: dict[str, Any], line_unix_s: float) -> None:
        self._study = str(line["study"])
        self._title = str(line.get("title") or "")
        self._profile = str(line.get("profile") or "")
        self._began_unix_s = line_unix_s

    def _manifest(self, line: dict[str, Any], _line_unix_s: float) -> None:
        self._progress.manifest = Manifest.from_json(line)

    def _resumed(self, _line: dict[str, Any], _line_unix_s: float) -> None:
        self._end = None

    def _variant_skipped(self, line: dict[str, Any], _line_unix_s: float) -> None:
        self._progress.variants_skipped.add((str(line["experiment"]), str(line["variant"])))

    def _search(self, line: dict[str, Any], _line_unix_s: float) -> None:
        self._progress.search_done(str(line["experiment"]), line["point"])

    def _ended(self, line: dict[str, Any], _line_unix_s: float) -> None:
        reason = line.get("reason")
        self._end = _End(
            is_complete=bool(line.get("complete")),
            is_interrupted=bool(line.get("interrupted")),
            reason=None if reason is None else str(reason),
        )

    def _live_message(self, line: dict[str, Any], _line_unix_s: float) -> None:
        self._message = str(line["text"])

    def _live_expected(self, line: dict[str, Any], line_unix_s: float) -> None:
        self._expected = line_unix_s, float(line["remaining_s"])


def _share(current: _Load, now_unix_s: float) -> float | None:
    """The completed share of a load, 0 to 1; None where its end depends on neither bytes,
    operations nor time.
    """
    load = current.load
    if load.time_limit_s:
        share = (now_unix_s - current.began_unix_s) / load.time_limit_s
    elif load.total_operations:
        share = current.operations_total / load.total_operations
    elif load.total_bytes:
        share = current.size_bytes_total / load.total_bytes
    else:
        return None
    return min(max(share, 0.0), 1.0)


def _finished_stream(item: StreamResult) -> ClientView:
    """A workload stream after its fault; rates are means over all of its seconds."""
    measured_s = sum(interval.length_s for interval in item.seconds)
    moved_bytes = sum(interval.size_bytes for interval in item.seconds)
    return ClientView(
        client=item.client,
        stream=item.stream,
        state=ClientState.LOST if item.lost else ClientState.DONE,
        silent_s=0.0,
        rate_bytes_per_s=moved_bytes / measured_s if measured_s else 0.0,
        operations_per_s=item.operations / measured_s if measured_s else 0.0,
        operations=item.operations,
        errors=len(item.errors),
        latency_p50_ms=None,
        latency_p99_ms=None,
        latency_max_ms=None,
        lost=item.lost,
    )
