"""The missing parts of a result's faults compared with its manifest, the duplicates and the
weakened lines.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from seatrial.judge.flaws import Evidence, Flaw, Missing, Place, Twice, Unplanned, Weakened
from seatrial.judge.missing_phases import is_kept
from seatrial.judge.parts import Part, line_key, newest
from seatrial.result.faults import FaultResult
from seatrial.result.file_names import kept_name, safe_name
from seatrial.result.manifest import FaultPlan, Manifest, StreamPlan, plain
from seatrial.result.planned import EXPECTED
from seatrial.result.result import Result
from seatrial.study.timers import HANDSHAKES, PROCESSES
from seatrial.study.workload import moves_data

LIMIT_ERROR = 1e-6
"""share by which two sums of the same times may differ"""


def fault_flaws(result: Result, parts: Sequence[Part], manifest: Manifest) -> Iterator[Flaw]:
    """The flaws of every planned fault, and of those that were not planned."""
    injected: dict[str, list[FaultResult]] = {}
    for fault in result.faults:
        injected.setdefault(fault.name, []).append(fault)
    for plan in manifest.faults:
        where = f"fault {plan.name}"
        place = Place(fault=plan.name)
        faults = injected.get(plan.name, [])
        if not faults:
            yield Missing(Evidence.FAULTS, where, place=place)
            continue
        if len(faults) > 1:
            yield Twice(Evidence.FAULTS, where, place=place)
        yield from _Fault(plan, faults[-1], result, parts, manifest).flaws()
    for name in injected:
        if all(name != plan.name for plan in manifest.faults):
            yield Unplanned(Evidence.FAULTS, f"fault {name}", place=Place(fault=name))
    yield from _copies(result.faults)


def _copies(faults: Sequence[FaultResult]) -> Iterator[Flaw]:
    """No two faults are injected at once: of two that were, one is a copy of the other under
    another name.
    """
    injected: dict[float, FaultResult] = {}
    for fault in faults:
        if fault.injected_unix_s is None or fault.skipped is not None:
            continue
        first = injected.setdefault(fault.injected_unix_s, fault)
        if first is not fault and first.name != fault.name:
            for item in (first, fault):
                yield Twice(
                    Evidence.FAULTS,
                    f"fault {first.name}",
                    f"as {fault.name}",
                    Place(fault=item.name),
                )


class _Fault:
    """One fault and its plan."""

    def __init__(
        self,
        plan: FaultPlan,
        fault: FaultResult,
        result: Result,
        parts: Sequence[Part],
        manifest: Manifest,
    ) -> None:
        self._plan = plan
        self._fault = fault
        self._result = result
        self._parts = parts
        self._manifest = manifest
        self._place = Place(fault=plan.name)

    def flaws(self) -> Iterator[Flaw]:
        """A fault that was skipped or could not be completed needs no evidence: it is no pass."""
        yield from self._weakened()
        if self._fault.skipped is not None or self._fault.failed is not None:
            return
        yield from self._stream_flaws()
        yield from self._comparison_flaws()
        yield from self._without_entry(
            Evidence.CONSISTENCY, "consistency test", "consistency", self._fault.consistency
        )
        yield from self._without_entry(Evidence.COPIES, "copy by dd", "copy", self._fault.copies)
        yield from self._role_flaws()
        yield from self._witness_flaws()

    def _where(self, what: str) -> str:
        return f"fault {self._plan.name}: {what}"

    def _missing(self, kind: Evidence, what: str) -> Flaw:
        return Missing(kind, self._where(what), place=self._place)

    def _twice(self, kind: Evidence, what: str) -> Flaw:
        return Twice(kind, self._where(what), place=self._place)

    def _streams(self, *kinds: str) -> list[StreamPlan]:
        return [item for item in self._plan.streams if item.kind in kinds]

    # ---- the expectations of the study

    def _weakened(self) -> Iterator[Flaw]:
        """Keys that older results do not have count only where the run wrote a manifest."""
        stored = self._fault.expect
        for key in EXPECTED:
            is_older = self._manifest.is_derived and key not in stored
            if not is_older and plain(stored.get(key)) != self._plan.expect.get(key):
                yield Weakened(
                    Evidence.FAULTS,
                    self._where(f"its expectation {key}"),
                    place=self._place,
                )
        if not self._manifest.is_derived and not self._limit_holds():
            yield Weakened(Evidence.FAULTS, self._where("the allowed outage"), place=self._place)
        for key, value in (("kind", self._fault.kind), ("published", self._fault.published)):
            if value != getattr(self._plan, key):
                yield Weakened(Evidence.FAULTS, self._where(f"its {key}"), place=self._place)

    def _limit_holds(self) -> bool:
        """Whether the outage that is allowed is the study's, with work at its cost during this
        fault.
        """
        limit = self._plan.outage
        allowed_s = self._fault.expect.get("outage")
        if limit is None or allowed_s is None:
            return limit is None and allowed_s is None
        cost_ms = self._fault.work_ms
        work_ms = limit.process_starts * cost_ms.get(
            PROCESSES, 0.0
        ) + limit.handshakes * cost_ms.get(HANDSHAKES, 0.0)
        return bool(allowed_s <= (limit.timers_s + work_ms / 1000.0) * (1 + LIMIT_ERROR))

    # ---- streams, and the findings on their data

    def _stream_flaws(self) -> Iterator[Flaw]:
        planned = self._streams("load", "consistency")
        counts = Counter((item.client, item.stream) for item in self._fault.streams)
        phases = {item.stream: item.phase for item in self._fault.streams}
        for stream in planned:
            if stream.name not in phases:
                yield self._missing(Evidence.STREAMS, f"stream {stream.name}")
                continue
            if phases[stream.name] != stream.phase:
                yield Weakened(
                    Evidence.STREAMS,
                    self._where(f"the phase of stream {stream.name}"),
                    place=self._place,
                )
            yield from self._absent_clients(stream, counts)
        yield from self._unplanned_streams(
            {stream.name: stream.clients for stream in planned}, counts
        )

    def _absent_clients(
        self, stream: StreamPlan, counts: Counter[tuple[str, str]]
    ) -> Iterator[Flaw]:
        """The clients of a stream that are missing, or that lack the lines of their agents."""
        for client in stream.clients or ():
            if (client, stream.name) not in counts:
                yield self._missing(Evidence.STREAMS, f"stream {stream.name} of {client}")
            elif not self._has_agent_lines(client, stream):
                yield self._missing(
                    Evidence.AGENT_LINES, f"the agent output of {client} for {stream.name}"
                )

    def _unplanned_streams(
        self, planned: Mapping[str, Sequence[str] | None], counts: Counter[tuple[str, str]]
    ) -> Iterator[Flaw]:
        """Streams that are duplicates, or that the manifest does not have; `planned`: stream -> its
        clients.
        """
        for (client, name), number in counts.items():
            clients = planned.get(name)
            if number > 1:
                yield self._twice(Evidence.STREAMS, f"stream {name} of {client}")
            if name not in planned:
                yield Unplanned(Evidence.STREAMS, self._where(f"stream {name}"), place=self._place)
            elif clients is not None and client not in clients:
                yield Unplanned(
                    Evidence.STREAMS, self._where(f"stream {name} of {client}"), place=self._place
                )

    def _has_agent_lines(self, client: str, stream: StreamPlan) -> bool:
        """Whether the lines of a stream's agent exist, where the result keeps them."""
        title = safe_name(f"fault {self._plan.name}-{client}_{stream.name}")
        return not self._manifest.keeps_agent_lines or is_kept(
            self._result, kept_name(f"agent/{title}.jsonl")
        )

    def _comparison_flaws(self) -> Iterator[Flaw]:
        """Where nothing could be compared, the fault states it, and is no pass."""
        if self._fault.not_compared is not None:
            return
        lines = newest(self._parts, "comparison", "experiment", "point", "repeat")
        yield from self._without_entry(
            Evidence.COMPARISONS, "comparison of stream", "load", self._fault.compared
        )
        for stream in self._streams("load"):
            key = line_key(self._plan.name, {"stream": stream.name}, 1)
            of_stream = lines.get(key, [])
            if not of_stream:
                yield self._missing(
                    Evidence.COMPARISONS, f"line of the comparison of stream {stream.name}"
                )
            elif len(of_stream) > 1:
                yield self._twice(
                    Evidence.COMPARISONS, f"line of the comparison of stream {stream.name}"
                )

    def _without_entry(
        self, kind: Evidence, what: str, stream_kind: str, by_stream: object
    ) -> Iterator[Flaw]:
        """Whether each stream of a kind has an entry under its name."""
        names = set(by_stream) if isinstance(by_stream, dict) else set()
        for stream in self._streams(stream_kind):
            if stream.name not in names:
                yield self._missing(kind, f"{what} {stream.name}")

    # ---- the servers that served, and the evidence of it

    def _role_flaws(self) -> Iterator[Flaw]:
        after = self._fault.roles_after if self._fault.recovered_unix_s is not None else None
        for service in self._plan.services or ():
            name = f"service {service}" if service else "the service"
            if service not in self._fault.roles_before:
                yield self._missing(Evidence.ROLES, f"the server of {name} before it")
            if after is not None and service not in after:
                yield self._missing(Evidence.ROLES, f"the server of {name} after it")

    def _witness_flaws(self) -> Iterator[Flaw]:
        fault = self._fault
        members = self._manifest.members
        if members and (fault.moved or set(members) & set(fault.restarted)) and not fault.moments:
            yield self._missing(Evidence.EVENTS, "the event log of the nodes")
        if self._manifest.logs_power:
            logged = {str(item["node"]) for item in fault.power}
            for node in fault.restarted:
                if node not in logged:
                    yield self._missing(
                        Evidence.POWER, f"the power log of {node}, which was restarted"
                    )
        if self._manifest.watches_writers and fault.writers_watched is not None:
            yield from self._writer_flaws()

    def _writer_flaws(self) -> Iterator[Flaw]:
        """A service that failed over while clients wrote has a server that wrote before, and one
        that wrote after.
        """
        fault = self._fault
        wrote = any(
            moves_data(item.phase) and item.phase != "read" and item.operations
            for item in fault.judged
        )
        if not (fault.moved and wrote):
            return
        for service, before in fault.roles_before.items():
            after = fault.roles_after.get(service, before)
            for server in dict.fromkeys((before, after)) if after != before else ():
                if server not in fault.writers:
                    yield self._missing(Evidence.WRITERS, f"the write log of {server}")
