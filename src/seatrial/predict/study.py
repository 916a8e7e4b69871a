"""A study's points as layers, from the study, its site and its solution, without a lab.

Missing values are assumed, and each layer's source states it. A calibration (`seatrial calibrate`)
replaces assumptions.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from seatrial.cases import Case, ExperimentCases, Variant
from seatrial.plan.data_path import IP_AND_TCP_HEADER_BYTES, DataPath, Resource, ResourceRole
from seatrial.predict.costs import LAB, UNKNOWN, Costs, server_processor, with_costs
from seatrial.predict.devices import NEARLINE_3TB, ROUND_TRIP
from seatrial.predict.layers import Demand, Forecast, Layer, forecast
from seatrial.predict.raid import SMALL_WRITE
from seatrial.solutions.base import Storage, services_of
from seatrial.study.points import Point, points
from seatrial.study.workload import COPY_PHASES, Workload, moves_data, reads_data

READ_AHEAD_BYTES = 128 * 1024
"""the kernel's default, which is also close to the size of its write-back"""
WINDOW = 16
"""requests in flight for a buffered stream: read-ahead and write-back together; assumed"""
LAB_ROUND_TRIP_S = 500e-6
LAB_TURN_S = 10e-3
"""wait of a request on a lab's server for other work that never sleeps, measured: until a tick (100
Hz)
"""
NAME_BYTES = 256.0
"""bytes of a metadata request, with its headers; assumed"""
JOURNAL_BLOCK_BYTES = 4096.0
COMMIT_S = 0.01
"""a journal's commit onto rotating disks: one seek; assumed"""
DIRTY_SHARE = 0.2
"""of a server's memory that an async export may hold unwritten: vm.dirty_ratio"""
ROUND_TRIPS = {"create": 2, "stat": 1, "utime": 1, "remove": 1}
OF_A_FILE = {"read": 2, "write": 3}
"""round trips in which no byte of a file moves (RFC 8881): OPEN and CLOSE, and COMMIT of written
data; NFSv3 has as many (RFC 1813): LOOKUP, GETATTR or CREATE, and COMMIT
"""


@dataclass(frozen=True)
class Expectation:
    """The forecast of one phase of one point."""

    experiment: str
    point: str
    clients: int
    phase: str
    unit_bytes: float
    """1 for a rate; for operations, the bytes of one"""
    layers: tuple[Layer, ...]
    demand: Demand
    forecast: Forecast
    scale: float
    """ratio of rates here to those of the modelled system"""

    @property
    def operations(self) -> bool:
        """Whether its figure is operations, not bytes, per second."""
        return not moves_data(self.phase)

    @property
    def estimate(self) -> float:
        """In its own unit: bytes or operations per second."""
        return self.forecast.estimate_bytes_per_s / self.unit_bytes

    @property
    def known(self) -> bool:
        """Whether the study sets a rate of any layer; otherwise the estimate rests on assumptions
        alone.
        """
        rated = (layer for layer in self.layers if layer.source != LAB.source)
        return any(layer.rate_bytes_per_s != float("inf") for layer in rated)

    @property
    def bound(self) -> float:
        """In its own unit; infinite where no rate is known."""
        return self.forecast.bound_bytes_per_s / self.unit_bytes


def expectations(
    experiments: Iterable[ExperimentCases],
    *,
    clients: Sequence[int] = (),
    costs: Costs | None = None,
) -> Iterator[Expectation]:
    """Every phase of every case; with `clients`, of each case at these client counts instead.

    Additional clients are copies of the study's.
    """
    for planned in experiments:
        for case in _cases(planned, clients):
            for phase in case.point.workload.phases:
                if is_predictable(phase):
                    yield expectation(case, phase, costs)


def is_predictable(phase: str) -> bool:
    """Whether a phase of this name has an expectation."""
    return phase in ROUND_TRIPS or moves_data(phase)


def _cases(planned: ExperimentCases, clients: Sequence[int]) -> Iterator[Case]:
    """Every case; with `clients`, each case at these client counts instead."""
    for case in _without_client_counts(planned) if clients else planned.cases:
        yield from _with_client_counts(case, clients)


def _without_client_counts(planned: ExperimentCases) -> Iterator[Case]:
    """The cases without the sweep over client counts: each with all clients of the study."""
    experiment = planned.experiment
    rest = {key: values for key, values in experiment.sweep.items() if key != "clients"}
    for point in points(experiment.replaced(sweep=rest), planned.clients_max):
        same = (case for case in planned.cases if case.variant.changes == point.changes)
        yield replace(next(same), point=point)


def _with_client_counts(case: Case, clients: Sequence[int]) -> list[Case]:
    """The case with each of these client counts; unchanged without counts, and on a server."""
    if case.point.workload.local or not clients:
        return [case]
    return [replace(case, point=replace(case.point, clients=count)) for count in clients]


def expectation(case: Case, phase: str, costs: Costs | None = None) -> Expectation:
    """The expectation of a phase of a case."""
    variant = case.variant
    point = case.point
    demand = _data_demand(variant, point, phase) if moves_data(phase) else _name_demand(point)
    layers = _layers(_PhaseDemand(variant, point, phase, demand))
    layers = with_costs(layers, costs, direction(phase))
    return Expectation(
        experiment=case.name,
        point=point.name,
        clients=point.clients,
        phase=phase,
        unit_bytes=1.0 if moves_data(phase) else NAME_BYTES,
        layers=layers,
        demand=demand,
        forecast=forecast(layers, demand),
        scale=variant.site.scale,
    )


def unset_values(base: Variant) -> dict[str, str]:
    """Missing keys of a study that would set the rate of a part, each with an example."""
    study = base.study
    missing = {}
    for nodes, node in study.nodes.items():
        if node.link is None and not node.links:
            missing[f"nodes.{nodes}.link"] = "10Gbit/s, the rate of its link to the storage, if any"
        if node.disks is not None and node.disks.rate is None:
            missing[f"nodes.{nodes}.disks.rate"] = "250MB/s, the rate of one of its disks"
    unset = base.solution.storage.unset_rates
    return missing | {f"solution.{key}": example for key, example in unset.items()}


def direction(phase: str) -> str:
    """The direction of a phase's bytes."""
    return "read" if reads_data(phase) else "write"


def _name_demand(point: Point) -> Demand:
    """The demand of a phase of metadata operations."""
    return Demand(point.clients, NAME_BYTES, point.workload.tasks)


def _data_demand(variant: Variant, point: Point, phase: str) -> Demand:
    """The demand of a phase that moves data."""
    load = point.workload
    path = _path(variant, point)
    fetched = _fetched(path, point) if reads_data(phase) else EXACT_FETCH
    request_bytes = load.transfer_size
    window = load.queue_depth
    if _is_buffered(load, phase):
        request_bytes = max(request_bytes, READ_AHEAD_BYTES)
        window = WINDOW
    demand = Demand(
        clients=point.clients,
        request_bytes=float(request_bytes),
        tasks=load.tasks,
        window=window,
        files_bytes=_file_sizes(load, phase),
        files=_file_counts(load, phase),
        fetched_share=fetched.awaited_share,
        ahead_share=fetched.ahead_share,
        fullest=1.0 if load.time_based else path.fullest,
    )
    return _with_ends(demand, variant, point, phase)


def _is_buffered(load: Workload, phase: str) -> bool:
    """Whether the page cache makes the requests: read-ahead, or write-back."""
    if load.direct or load.o_sync:
        return False
    # The cache sorts write-back, whatever the order of the calls was.
    sorts_writes = not reads_data(phase) and load.fsync != "transfer"
    return load.pattern_traits.is_in_order or sorts_writes


def _path(variant: Variant, point: Point) -> DataPath:
    """The path between the point's clients, as far as the study has them, and the storage."""
    known_clients = min(point.clients, len(variant.solution.clients))
    return variant.solution.data_path(known_clients, local=point.workload.local)


@dataclass(frozen=True)
class _Fetched:
    """Bytes that clients fetch for each byte that they read."""

    awaited_share: float = 1.0
    """fetched before the read returns"""
    ahead_share: float = 1.0
    """with the read-ahead that no client uses"""


EXACT_FETCH = _Fetched()


def _fetched(path: DataPath, point: Point) -> _Fetched:
    """The fetched bytes of one shared file.

    A client's part is followed by another's, except the last. A separate file ends where its part
    does.
    """
    load = point.workload
    read_ahead = path.read_ahead
    part_bytes = load.file_size * load.tasks
    if read_ahead is None or not part_bytes or load.layout != "n-1-segmented":
        return EXACT_FETCH
    if load.direct or "random" in load.hints:
        return EXACT_FETCH
    if not load.pattern_traits.is_in_order:
        piece_bytes = min(read_ahead.piece_bytes, part_bytes * point.clients)
        return _Fetched(awaited_share=max(part_bytes, piece_bytes) / part_bytes)
    if part_bytes <= max(read_ahead.piece_bytes, load.transfer_size):
        # A client that waits for one miss alone has its part by then.
        return EXACT_FETCH
    # Its read-ahead comes after the awaited data of all clients.
    followed_share = 1 - 1 / point.clients
    return _Fetched(ahead_share=1 + read_ahead.ahead_bytes / part_bytes * followed_share)


def _file_sizes(load: Workload, phase: str) -> tuple[float, ...]:
    """The sizes in bytes of the files of a task."""
    if phase in COPY_PHASES:
        return tuple(float(item.file_size) for item in load.sizes)
    return (float(load.file_size),) if load.file_size else ()


def _file_counts(load: Workload, phase: str) -> tuple[int, ...]:
    """The number of files of each size; the rate of a mix includes discarded copies."""
    if phase in COPY_PHASES:
        return tuple(item.files + load.discard for item in load.sizes)
    return (1,) if load.file_size else ()


def _with_ends(demand: Demand, variant: Variant, point: Point, phase: str) -> Demand:
    """The demand with the time to open and close a file, and its commit, which a server that
    acknowledges early answers at once.
    """
    load = point.workload
    if load.time_based:
        return demand
    trips = 0 if load.local else OF_A_FILE[direction(phase)]
    commits = (
        not reads_data(phase)
        and load.fsync != "none"
        and (load.local or not variant.solution.storage.acknowledges_early)
    )
    ends_s = trips * _round_trip_s(variant, point) + (_commit_s(variant) if commits else 0.0)
    return replace(demand, per_file_s=ends_s, commits=commits and load.fsync == "file")


@dataclass(frozen=True)
class _PhaseDemand:
    """A phase of a point, in the study with the point's values."""

    variant: Variant
    point: Point
    phase: str
    demand: Demand

    @property
    def scaled(self) -> str:
        return f", scaled by {self.variant.site.scale:g}" if self.variant.site.scale != 1 else ""

    @property
    def small(self) -> bool:
        """Whether requests find no neighbour on a disk."""
        is_scattered = self.point.workload.pattern_traits.is_scattered
        return is_scattered and self.demand.request_bytes < READ_AHEAD_BYTES


def _layers(planned: _PhaseDemand) -> tuple[Layer, ...]:
    variant = planned.variant
    point = planned.point
    phase = planned.phase
    known_clients = min(point.clients, len(variant.solution.clients))
    operation = direction(phase)
    layers = [
        _layer(item, known_clients, operation, planned) for item in _path(variant, point).resources
    ]
    if not point.workload.local:
        layers = [
            *_server_processor(variant, point, operation),
            *layers,
            _round_trips(variant, point, phase),
        ]
    if phase in ROUND_TRIPS and phase != "stat":
        note = "assumed: one journal, one commit for all waiting requests"
        layers.append(
            Layer(
                "metadata commits",
                note,
                per_request_s=_commit_s(variant) / max(known_clients, 1),
                hard=False,
                role=ResourceRole.METADATA_COMMITS,
            )
        )
    return tuple(layer for layer in layers if not _in_memory(layer, variant, point, phase))


def _round_trip_s(variant: Variant, point: Point) -> float:
    if not variant.site.traits.is_emulated:
        return ROUND_TRIP.value
    return LAB_ROUND_TRIP_S + (LAB_TURN_S if point.workload.server_load == 1 else 0.0)


def _round_trips(variant: Variant, point: Point, phase: str) -> Layer:
    source = (
        "assumed for kernels that share one machine"
        if variant.site.traits.is_emulated
        else ROUND_TRIP.source
    )
    each_s = _round_trip_s(variant, point)
    return Layer(
        "round trips",
        source,
        per_request_s=ROUND_TRIPS.get(phase, 1) * each_s,
        delay=True,
        role=ResourceRole.ROUND_TRIPS,
    )


def _server_processor(variant: Variant, point: Point, operation: str) -> list[Layer]:
    """A processor of each active server; empty where no node of the study serves.

    Competing work leaves a fair scheduler's share: its idle time, and at least half of it. The wait
    of a request for its turn is part of the round trips.
    """
    solution = variant.solution
    site = variant.site
    if not solution.servers:
        return []
    share = variant.study.node(solution.servers[0]).processor or 1.0
    share *= max(1 - (point.workload.server_load or 0.0), 0.5)
    network = solution.storage.network or site.data_network
    packet_bytes = float(site.mtus[network] - IP_AND_TCP_HEADER_BYTES)
    units = len(services_of(solution)) or len(solution.servers)
    return [
        server_processor(
            LAB if site.traits.is_emulated else UNKNOWN, operation, packet_bytes, share, units
        )
    ]


def _layer(item: Resource, clients: int, operation: str, planned: _PhaseDemand) -> Layer:
    """The layer of a resource, by its role."""
    rate = item.rate_bytes_per_s(operation)
    match item.role:
        case ResourceRole.CLIENT_LINKS:
            layer = Layer(
                item.name,
                f"the study's link rates{planned.scaled}",
                rate / clients,
                of_client=True,
                hard=item.hard,
                burst_bytes=item.burst_bytes,
            )
        case ResourceRole.DISKS if planned.phase in ROUND_TRIPS:
            note = "metadata operations are answered from memory"
            layer = Layer(item.name, note, hard=False)
        case ResourceRole.DISKS:
            disks = _disks(item.name, rate, operation, planned)
            layer = replace(disks, held_bytes=item.held_bytes)
        case _:
            layer = Layer(
                item.name,
                f"the study{planned.scaled}",
                rate,
                hard=item.hard,
                held_bytes=item.held_bytes,
                piece_bytes=item.piece_bytes,
                places=item.places,
                burst_bytes=item.burst_bytes,
            )
    return replace(layer, role=item.role)


def _disks(name: str, rate_bytes_per_s: float, operation: str, planned: _PhaseDemand) -> Layer:
    """The disks together; a lab's have a cost of bytes alone, others seek for small requests.

    A small write onto parity has two steps: old data and parity are read, then the new ones are
    written. The accesses of one step run in parallel.
    """
    variant = planned.variant
    storage = variant.solution.storage
    penalty = _small_write(storage) if planned.small and operation == "write" else 1
    steps = _steps(penalty)
    source = f"the study's disk rate{planned.scaled}"
    source += f", RAID small write x {penalty}" if penalty > 1 else ""
    seek_s = 0.0
    if planned.small and not variant.site.traits.is_emulated:
        assumed_s = NEARLINE_3TB.access_s
        declared_s = storage.disk_access_s
        seek_s = assumed_s if declared_s is None else declared_s
        source += f", {seek_s * 1000:.1f} ms an access"
        source += " assumed" if declared_s is None else ""
    # A small request is on one disk, and has its rate.
    disks = _disk_count(variant, rate_bytes_per_s)
    units = max(round(disks * steps / penalty), 1)
    each_s = seek_s * steps
    return Layer(name, source, rate_bytes_per_s / disks / steps, each_s, units=units, hard=False)


def _steps(penalty: int) -> int:
    """Number of sequential accesses of a small write: two with parity, else one."""
    return 2 if penalty > 2 else 1


def _disk_count(variant: Variant, rate_bytes_per_s: float) -> int:
    """Number of disks that provide that rate together, and seek in parallel."""
    nodes = [variant.site.nodes[name] for name in variant.solution.storage_nodes]
    rates = [node.device_rate_bytes_per_s for node in nodes if node.device_rate_bytes_per_s]
    return max(round(rate_bytes_per_s / max(rates)), 1) if rates else 1


def _commit_s(variant: Variant) -> float:
    """Time of a journal's commit in s: one seek of rotating disks, or an access as declared; in a
    lab, the bytes of two blocks alone.
    """
    nodes = [variant.site.nodes[name] for name in variant.solution.storage_nodes]
    rates = [node.device_rate_bytes_per_s for node in nodes if node.device_rate_bytes_per_s]
    storage = variant.solution.storage
    if not variant.site.traits.is_emulated or not rates:
        return COMMIT_S if storage.disk_access_s is None else storage.disk_access_s
    return 2 * _steps(_small_write(storage)) * JOURNAL_BLOCK_BYTES / max(rates)


def _small_write(storage: Storage) -> int:
    """Disk operations of a write smaller than a chunk; more than 1 with RAID."""
    return SMALL_WRITE[storage.raid.level] if storage.raid else 1


def _in_memory(layer: Layer, variant: Variant, point: Point, phase: str) -> bool:
    """Whether a server that acknowledges early never waits for this layer: the written data fit its
    limit of dirty data.
    """
    below_server = layer.role in (ResourceRole.DISKS, ResourceRole.STORAGE_PATHS)
    if not below_server or point.workload.local or reads_data(phase):
        return False
    solution = variant.solution
    if not solution.storage.acknowledges_early:
        return False
    memory = sum(variant.site.nodes[name].memory_bytes for name in solution.servers[:1])
    return (
        point.workload.phase_bytes(phase) * point.workload.tasks * point.clients
        < DIRTY_SHARE * memory
    )
