"""The streams of a fault: their directories, operation logs, and the comparison afterwards."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seatrial.basics.errors import RunError
from seatrial.faults.consistency_tests import STREAMS_AT_ONCE, ConsistencyTests
from seatrial.faults.copies import Copies
from seatrial.faults.left_behind import LeftBehind
from seatrial.faults.room import stored_bytes
from seatrial.load.agent import Assignment, run_phase
from seatrial.load.clock_offsets import ClockOffset
from seatrial.load.folder import folder_of
from seatrial.load.gather import client_result
from seatrial.load.jobs import JobContext, block_bytes, jobs, passes_of, preparation
from seatrial.load.operation_logs import OperationLogs, owner_of
from seatrial.service.session import Session
from seatrial.service.workplace import make_directory, remove_directory, require_room, shell
from seatrial.solutions.base import DropsCaches, directories_of, grace_s
from seatrial.solutions.shared_storage import work_folder
from seatrial.study.faults import Stream
from seatrial.study.workload import FAULT_OUTAGE_THRESHOLD_S, Workload, writes_data
from seatrial.transport import on_every

DIRECTORY_TIMEOUT_S = 60.0


@dataclass
class PreparedStream:
    """One stream, prepared for one fault."""

    name: str
    phase: str
    workload: Workload
    clients: tuple[str, ...]
    context: JobContext
    logs: OperationLogs


class Streams:
    """All streams of one fault, each in a separate directory."""

    def __init__(
        self,
        session: Session,
        agent: str,
        run_id: str,
        next_generation: Callable[[int], int],
        losing_memory: frozenset[str],
        *,
        errors: Sequence[str] = (),
    ) -> None:
        """`losing_memory`: the clients that will lose their memory; their logs are synced to disk
        at every sync.

        `errors`: errors that streams may get and continue after.
        """
        self._session = session
        self._agent = agent
        self._run_id = run_id
        self._next_generation = next_generation
        self._losing_memory = losing_memory
        self._tolerated_errors = tuple(errors)
        self.prepared: list[PreparedStream] = []
        self.consistency_tests = ConsistencyTests(session, agent, run_id, losing_memory)
        self.copies = Copies(session, agent, run_id, losing_memory)

    @property
    def clients(self) -> tuple[str, ...]:
        """Every client that has a stream."""
        by_stream = [item.clients for item in self.prepared] + [
            item.clients for item in self.consistency_tests.prepared
        ]
        return tuple(dict.fromkeys(client for clients in by_stream for client in clients))

    @property
    def phases(self) -> dict[str, str]:
        """The phase of each stream."""
        loads = {item.name: item.phase for item in self.prepared}
        return {**loads, **{item.name: item.phase for item in self.consistency_tests.prepared}}

    def make_directories(self, fault: str, load: Mapping[str, Stream], longest_s: float) -> None:
        """Create the directories; `prepare` writes the initial files.

        Raises RunError where the storage has no room for the data of `longest_s`.
        """
        generations = {
            name: self._next_generation(passes_of(stream.workload)) for name, stream in load.items()
        }
        clients_all = self._session.solution.clients
        runs_on = {name: stream.runs_on(clients_all) for name, stream in load.items()}
        self._require_room(fault, load, longest_s)

        load_folder = folder_of(self._agent)
        solution = self._session.solution

        def directory_of(name: str) -> str:
            base = self._directory(load[name].mount)
            folder = f"{fault}-{self._run_id[:8]}-{generations[name]}-{name}"
            directory = f"{work_folder(solution, base)}/{folder}"
            node = runs_on[name][0]
            transport = self._session.transport
            make_directory(transport, node, base, directory, DIRECTORY_TIMEOUT_S)
            return directory

        directories = on_every(load, directory_of, STREAMS_AT_ONCE)
        for name, stream in load.items():
            clients = runs_on[name]
            generation = generations[name]
            directory = directories[name]
            if stream.copy_of is not None:
                self.copies.generate_source(name, stream, clients, directory, generation)
                continue
            if stream.workload is None:
                self.consistency_tests.make_directories(
                    name, stream, clients, directory, generation
                )
                continue
            safe = self._losing_memory & set(clients)
            threshold_s = stream.workload.outage_threshold or FAULT_OUTAGE_THRESHOLD_S
            workload = stream.workload.replaced(outage_threshold=threshold_s)
            workload = workload.replaced(log_sync=True) if safe else workload
            keeping_first = sorted(clients, key=lambda item: item in self._losing_memory)
            logs = OperationLogs(f"{self._run_id}-{generation}", keeping_first, load_folder)
            context = JobContext(
                self._run_id, directory, generation, None, local_directory=load_folder
            )
            self.prepared.append(
                PreparedStream(name, stream.phase, workload, clients, context, logs)
            )

    def _require_room(self, fault: str, load: Mapping[str, Stream], longest_s: float) -> None:
        """Check the free space: each mount by a client of its first stream, for all
        streams on it.
        """
        clients = self._session.solution.clients
        for mount, needed_bytes in stored_bytes(load, clients, longest_s).items():
            here = {name: stream for name, stream in load.items() if stream.mount == mount}
            first, *_ = here.values()
            what = f"{fault} ({', '.join(here)})"
            transport = self._session.transport
            node = first.runs_on(clients)[0]
            require_room(transport, node, self._directory(mount), needed_bytes, what)

    def _directory(self, mount: str | None) -> str:
        directories = directories_of(self._session.solution)
        return directories[mount] if mount is not None else next(iter(directories.values()))

    def prepare(self, clocks: Mapping[str, ClockOffset]) -> None:
        """Write the files that streams need; raises RunError when a client could not."""
        prepared = [item for item in self.prepared if item.workload.prepare]
        for item in prepared:
            context = replace(
                self._logged(item), block_bytes=block_bytes(item.workload.transfer_size)
            )
            writing = jobs(preparation(item.workload), "write", item.clients, context)
            prepared_files = run_phase(
                self._session.transport,
                self._agent,
                writing,
                clocks,
                grace_s=grace_s(self._session.solution),
            )
            results = map(client_result, prepared_files.agents)
            lost = [f"{result.client}: {result.lost}" for result in results if result.lost]
            if lost:
                raise RunError(f"stream {item.name} could not be prepared: {'; '.join(lost)}")
            if writes_data(item.phase):
                generation = self._next_generation(passes_of(item.workload))
                item.context = replace(
                    item.context, generation=generation, before=item.context.generation
                )
        if prepared:
            self._forget_caches()

    def _forget_caches(self) -> None:
        solution = self._session.solution
        if isinstance(solution, DropsCaches):
            self._session.deploy(solution.drop_caches(self.clients))
        else:
            self._session.deploy(solution.empty_caches(self.clients))

    def assignments(self) -> list[Assignment]:
        """A job for each client of each stream, with an operation log."""
        loads = []
        for item in self.prepared:
            logged = self._logged(item)
            for client, job in jobs(item.workload, item.phase, item.clients, logged).items():
                tolerant = replace(job, go_on_after=self._tolerated_errors)
                loads.append(Assignment(client, tolerant, item.name))
        return [*loads, *self.consistency_tests.assignments()]

    def _logged(self, item: PreparedStream) -> JobContext:
        path = item.logs.begin(self._session.transport, item.context.generation, item.phase)
        return replace(item.context, log=path)

    def compare(
        self, before: Mapping[str, ClockOffset], after: Mapping[str, ClockOffset]
    ) -> dict[str, dict[str, Any]]:
        """By stream, the lost and wrong items of its tree, from the storage itself.

        Raises RunError when the comparison is impossible. An unfinished log of a client that lost
        its memory is expected.
        """
        if self._tolerated_errors:
            self._consume_errors()
        self._forget_caches()
        by_name = {item.name: item for item in self.prepared}
        return on_every(
            by_name, lambda name: self._compared(by_name[name], before, after), STREAMS_AT_ONCE
        )

    def _compared(
        self,
        item: PreparedStream,
        before: Mapping[str, ClockOffset],
        after: Mapping[str, ClockOffset],
    ) -> dict[str, Any]:
        directory = item.context.directory
        able = [node for node in self.clients if node not in self._losing_memory]
        transport = self._session.transport
        result = item.logs.compare(transport, self._agent, directory, before, after, clients=able)
        # Logs that were copied to the first client have the name of their original client.
        first, *others = item.logs.nodes
        labels = {client: client for client in others}
        owners = {text: owner_of(text, labels, first) for text in result["unfinished"]}
        result["unfinished"] = [
            text for text, owner in owners.items() if owner not in self._losing_memory
        ]
        return result

    def _consume_errors(self) -> None:
        """Consume the already judged write-back errors of the fault on every client.

        Linux keeps one for the next program that syncs the file system (errseq_t): it would be
        attributed to the next fault.
        """
        paths = " ".join(
            shlex.quote(path) for path in directories_of(self._session.solution).values()
        )
        command = f"for path in {paths}; do sync -f $path 2>/dev/null; done; true"
        on_every(
            self.clients,
            lambda node: shell(self._session.transport, node, command, DIRECTORY_TIMEOUT_S),
        )

    def clean(self, nodes: Sequence[str]) -> list[LeftBehind]:
        """Remove the files of the streams on the first usable node; returns what remains."""
        by_name = {item.name: item for item in self.prepared}
        not_removed = on_every(
            by_name, lambda name: self._removed(by_name[name], nodes), STREAMS_AT_ONCE
        )
        self.prepared.clear()
        return [
            *(item for items in not_removed.values() for item in items),
            *self.consistency_tests.clean(nodes, DIRECTORY_TIMEOUT_S),
            *self.copies.clean(nodes, DIRECTORY_TIMEOUT_S),
        ]

    def _removed(self, item: PreparedStream, nodes: Sequence[str]) -> list[LeftBehind]:
        node = next((name for name in item.clients if name in nodes), item.clients[0])
        try:
            remove_directory(
                self._session.transport, node, item.context.directory, DIRECTORY_TIMEOUT_S
            )
            item.logs.forget(self._session.transport)
        except RunError as error:
            return [LeftBehind(node, item.context.directory, str(error))]
        return []
