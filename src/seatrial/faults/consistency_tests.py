"""The consistency tests of a fault: concurrent operations of all clients, and the check of their
histories.
"""

import base64
import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from seatrial.analysis.histories import Circumstances, Final, Findings, History, Inode
from seatrial.basics.errors import RunError
from seatrial.faults.left_behind import LeftBehind
from seatrial.load.agent import Assignment
from seatrial.load.clock_offsets import ClockOffset
from seatrial.load.clock_offsets import error_s as clocks_error_s
from seatrial.load.folder import folder_of
from seatrial.load.job import PROTOCOL, job_line
from seatrial.result.fault_parts import ConsistencyResult
from seatrial.service.session import Session
from seatrial.service.workplace import remove_directory, shell
from seatrial.solutions.base import RenamesAgain, cluster_nodes_of
from seatrial.study.consistency_kinds import load_kind
from seatrial.study.faults import Stream
from seatrial.study.workload import FAULT_OUTAGE_THRESHOLD_S
from seatrial.transport import on_every

SUBFOLDER = "histories"
COLLECT_TIMEOUT_S = 120.0
STREAMS_AT_ONCE = 4
"""streams that are prepared, compared or removed at the same time; most of the time is waiting"""


@dataclass(frozen=True)
class PreparedTest:
    """One consistency test, prepared for one fault."""

    name: str
    phase: str
    arrivals_per_s: float
    clients: tuple[str, ...]
    directory: str
    log: str
    """path of the history on every client"""


@dataclass(frozen=True, kw_only=True)
class ConsistencyTestJob:
    """The job of one client, as `Job` in crates/consistency-test/src/job.rs reads it."""

    protocol: int = PROTOCOL
    run_id: str
    client: str
    client_index: int
    clients: int
    consistency_test: str
    directory: str
    log: str
    log_sync: bool
    outage_threshold_s: float = FAULT_OUTAGE_THRESHOLD_S
    arrivals_per_s: float
    rename_again: tuple[str, ...]
    """errors by which the file system asks for the same rename again"""

    def line(self) -> str:
        """The job as one line of JSON."""
        return job_line(self)


class ConsistencyTests:
    """All consistency tests of one fault, each in a separate directory."""

    def __init__(
        self, session: Session, agent: str, run_id: str, losing_memory: frozenset[str]
    ) -> None:
        """`losing_memory`: the clients that will lose their memory; each of their events is
        synced to disk.
        """
        self._session = session
        self._agent = agent
        self._run_id = run_id
        self._losing_memory = losing_memory
        self.prepared: list[PreparedTest] = []

    def make_directories(
        self, name: str, stream: Stream, clients: Sequence[str], directory: str, generation: int
    ) -> None:
        """Create the folders of the histories; the directory must exist."""
        transport = self._session.transport
        folder = f"{folder_of(self._agent)}/{SUBFOLDER}"
        on_every(
            clients, lambda node: shell(transport, node, f"mkdir -p {folder}", COLLECT_TIMEOUT_S)
        )
        log = f"{folder}/{self._run_id}-{generation}.jsonl"
        rate = stream.arrivals_per_s or 1.0
        self.prepared.append(PreparedTest(name, stream.phase, rate, tuple(clients), directory, log))

    def assignments(self) -> list[Assignment]:
        """A job for each client of each consistency test."""
        return [
            Assignment(client, self._job(item, index, client), item.name, "consistency-test")
            for item in self.prepared
            for index, client in enumerate(item.clients)
        ]

    def _job(self, item: PreparedTest, index: int, client: str) -> ConsistencyTestJob:
        solution = self._session.solution
        again = solution.rename_again if isinstance(solution, RenamesAgain) else ()
        return ConsistencyTestJob(
            run_id=self._run_id,
            client=client,
            client_index=index,
            clients=len(item.clients),
            consistency_test=item.phase,
            directory=item.directory,
            log=item.log,
            log_sync=client in self._losing_memory,
            arrivals_per_s=item.arrivals_per_s,
            rename_again=again,
        )

    def judge(
        self,
        before: Mapping[str, ClockOffset],
        after: Mapping[str, ClockOffset],
        disturbed: tuple[float, float] | None,
        settled_s: float | None,
        keep: Callable[[str, str], None],
    ) -> dict[str, ConsistencyResult]:
        """The findings by consistency test, from the clients' histories and the storage itself.

        The caches must be empty. `keep(name, text)` receives the histories of a test with
        violations as evidence.
        """
        by_name = {item.name: item for item in self.prepared}

        def collected(name: str) -> tuple[Circumstances, list[History]]:
            item = by_name[name]
            keeps_itself = self._losing_memory & frozenset(cluster_nodes_of(self._session.solution))
            circumstances = Circumstances(
                self._run_id.zfill(16),
                self._final(item),
                disturbed,
                settled_s,
                self._losing_memory,
                keeps_itself,
            )
            return circumstances, [
                self._history(item, index, before, after) for index in range(len(item.clients))
            ]

        results: dict[str, ConsistencyResult] = {}
        for name, (circumstances, parts) in on_every(by_name, collected, STREAMS_AT_ONCE).items():
            findings = load_kind(by_name[name].phase).judge(parts, circumstances)
            results[name] = _result(by_name[name], findings)
            for part in parts if findings.violations or findings.unasked else ():
                keep(
                    f"{name}-{part.client}",
                    "".join(f"{json.dumps(event)}\n" for event in part.events),
                )
        return results

    def not_judged(self, reason: str) -> dict[str, ConsistencyResult]:
        """The findings where nothing could be checked."""
        findings = Findings(unknowns=[reason])
        return {item.name: _result(item, findings) for item in self.prepared}

    def _history(
        self,
        item: PreparedTest,
        index: int,
        before: Mapping[str, ClockOffset],
        after: Mapping[str, ClockOffset],
    ) -> History:
        client = item.clients[index]
        first = before[client]
        error_s = clocks_error_s({client: first}, {client: after.get(client, first)})
        done = self._session.transport.run(
            client, f"base64 -w0 {item.log}", timeout_s=COLLECT_TIMEOUT_S
        )
        text = "" if done.exit_code else base64.b64decode(done.stdout).decode(errors="replace")
        return History(client, index, events_of(text), first.ahead_s, error_s)

    def _final(self, item: PreparedTest) -> Final | None:
        """The content of the storage, as seen by the first client."""
        patterns = load_kind(item.phase).FILES
        if patterns is None:
            return None
        node = next(
            (client for client in item.clients if client not in self._losing_memory),
            item.clients[0],
        )
        command = f"cd {shlex.quote(item.directory)} && {final_command(patterns)}"
        done = self._session.transport.run(node, command, timeout_s=COLLECT_TIMEOUT_S)
        if done.exit_code:
            raise RunError(f"{node}: {item.directory} could not be read: {done.stderr.strip()}")
        return final_of(done.stdout)

    def clean(self, nodes: Sequence[str], timeout_s: float) -> list[LeftBehind]:
        """Remove the files of the tests on the first usable node; returns what remains."""
        by_name = {item.name: item for item in self.prepared}

        def removed(name: str) -> list[LeftBehind]:
            item = by_name[name]
            node = next((client for client in item.clients if client in nodes), item.clients[0])
            try:
                remove_directory(self._session.transport, node, item.directory, timeout_s)
                self._forget(item)
            except RunError as error:
                return [LeftBehind(node, item.directory, str(error))]
            return []

        not_removed = on_every(by_name, removed, STREAMS_AT_ONCE)
        self.prepared.clear()
        return [item for items in not_removed.values() for item in items]

    def _forget(self, item: PreparedTest) -> None:
        on_every(item.clients, lambda name: self._session.transport.run(name, f"rm -f {item.log}"))


def final_command(patterns: Sequence[str]) -> str:
    """A shell command for the directory: each name with size and link count, then the contents of
    some files.
    """
    listed = "find . -mindepth 1 -maxdepth 1 -printf '%f %s %n\\n' && echo /"
    if not patterns:
        return listed
    contents = (
        f'for name in {" ".join(patterns)}; do [ -f "$name" ] && echo "$name $(base64 -w0'
        ' "$name")"; done'
    )
    return f"{listed} && {{ {contents}; true; }}"


def final_of(answer: str) -> Final:
    """Parse the output of `final_command`."""
    listed, _, coded = answer.partition("/\n")
    inodes = {}
    for line in listed.splitlines():
        name, size_bytes, links = line.split()
        inodes[name] = Inode(int(size_bytes), int(links))
    files = {}
    for line in coded.splitlines():
        name, _, content = line.partition(" ")
        files[name] = base64.b64decode(content)
    return Final(frozenset(inodes), files, inodes)


def events_of(text: str) -> list[dict[str, Any]]:
    """The events of a history; a truncated line and all lines after it are left out."""
    events = []
    for line in text.splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            break
        if not isinstance(event, dict):
            break
        events.append(event)
    return events


def _result(item: PreparedTest, findings: Findings) -> ConsistencyResult:
    """The entry in the line of the fault."""
    entry = {"consistency_test": item.phase, **findings.to_json()}
    return cast(ConsistencyResult, entry)
