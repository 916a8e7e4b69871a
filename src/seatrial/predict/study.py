"""A study's points as layers, from the study, its site and its solution, without a lab.

Missing values are assumed, and each layer's source states it. A calibration (`seatrial calibrate`)
replaces assumptions.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seatrial.plan.data_path import IP_AND_TCP_HEADER_BYTES, DataPath, Resource
from seatrial.predict.costs import LAB, UNKNOWN, Costs, server_processor, with_costs
from seatrial.predict.devices import NEARLINE_3TB, ROUND_TRIP
from seatrial.predict.layers import Demand, Forecast, Layer, forecast
from seatrial.predict.raid import SMALL_WRITE
from seatrial.service.variants import Variant, vary
from seatrial.solutions.base import services_of
from seatrial.solutions.shared_storage import KeepsCaches
from seatrial.study.points import Point, points
from seatrial.study.profiles import Profile
from seatrial.study.study import Study
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
IN_ORDER = ("sequential", "rewrite", "append")
NAME_BYTES = 256.0
"""bytes of a metadata request, with its headers; assumed"""
JOURNAL_BLOCK_BYTES = 4096.0
COMMIT_S = 0.01
"""a journal's commit onto rotating disks: one seek; assumed"""
OF_CLIENTS = {"client links", "node links"}
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
    study: Study, profile: Profile = "full", *, clients: Sequence[int] = (), costs: Costs | None = None
) -> Iterator[Expectation]:
    """Every phase of every point of a profile; with `clients`, of each point at these client counts
    instead.

    Additional clients are copies of the study's. Raises InputError as `sweep`.
    """
    for name, experiment in study.experiments_in(profile).items():
        known = len(vary(study).solution.clients)
        if clients:
            rest = {key: values for key, values in experiment.sweep.items() if key != "clients"}
            experiment = experiment.replaced(sweep=rest)  # noqa: PLW2901 - the same without its own numbers
        for point in points(experiment, known):
            for count in [point.clients] if point.workload.local else clients or [point.clients]:
                for phase in point.workload.phases:
                    if phase in ROUND_TRIPS or moves_data(phase):
                        yield expectation(study, name, replace(point, clients=count), phase, costs)


def expectation(study: Study, experiment: str, point: Point, phase: str, costs: Costs | None = None) -> Expectation:
    """The expectation of a phase of a point."""
    variant = vary(study, {**point.solution, **point.site})
    demand, unit = _demand(variant, point, phase)
    layers = with_costs(_layers(_Asked(variant, point, phase, demand)), costs, direction(phase))
    forecasted = forecast(layers, demand)
    scale = variant.site.scale
    return Expectation(experiment, point.name, point.clients, phase, unit, layers, demand, forecasted, scale)


def unset_values(study: Study) -> dict[str, str]:
    """Missing keys of a study that would set the rate of a part, each with an example."""
    missing = {}
    for nodes, node in study.nodes.items():
        if node.link is None and not node.links:
            missing[f"nodes.{nodes}.link"] = "10Gbit/s, the rate of its link to the storage, if any"
        if node.disks is not None and node.disks.rate is None:
            missing[f"nodes.{nodes}.disks.rate"] = "250MB/s, the rate of one of its disks"
    if isinstance(vary(study).solution, KeepsCaches) and "rated" not in study.solution.options():
        missing["solution.rated"] = "{read: 3GB/s, write: 2GB/s}, the storage's nominal rate"
    return missing


def direction(phase: str) -> str:
    """The direction of a phase's bytes."""
    return "read" if reads_data(phase) else "write"


def _demand(variant: Variant, point: Point, phase: str) -> tuple[Demand, float]:
    load = point.workload
    if not moves_data(phase):
        return Demand(point.clients, NAME_BYTES, load.tasks), NAME_BYTES
    writes = not reads_data(phase)
    # The cache sorts write-back, whatever the order of the calls was.
    buffered = not (load.direct or load.o_sync) and (load.pattern in IN_ORDER or (writes and load.fsync != "transfer"))
    request = float(max(load.transfer_size, READ_AHEAD_BYTES)) if buffered else float(load.transfer_size)
    window = WINDOW if buffered else load.queue_depth
    sizes, counts = _files(load, phase)
    path = _path(variant, point)
    fetched, ahead = (1.0, 1.0) if writes else _fetched(path, point)
    demand = Demand(point.clients, request, load.tasks, window, sizes, files=counts)
    demand = replace(demand, fetched_share=fetched, ahead_share=ahead, fullest=1.0 if load.time_based else path.fullest)
    return _with_ends(demand, variant, point, phase), 1.0


def _path(variant: Variant, point: Point) -> DataPath:
    """The path between the point's clients, as far as the study has them, and the storage."""
    known = min(point.clients, len(variant.solution.clients))
    return variant.solution.data_path(known, local=point.workload.local)


def _fetched(path: DataPath, point: Point) -> tuple[float, float]:
    """(awaited, read-ahead) bytes that clients fetch for each byte read of one shared file.

    A client's part is followed by another's, except the last. A separate file ends where its part
    does.
    """
    load, beside = point.workload, path.read_ahead
    part = load.file_size * load.tasks
    if beside is None or not part or load.direct or "random" in load.hints or load.layout != "n-1-segmented":
        return 1.0, 1.0
    if load.pattern in IN_ORDER:
        # A client that waits for one miss alone has its part by then.
        # Its read-ahead comes after the awaited data of all clients.
        several = part > max(beside.piece_bytes, load.transfer_size)
        return 1.0, 1 + several * beside.ahead_bytes / part * (1 - 1 / point.clients)
    return max(part, min(beside.piece_bytes, part * point.clients)) / part, 1.0


def _files(load: Workload, phase: str) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Sizes of a task's files, and their number: discarded copies of the mix are included in its
    rate.
    """
    if phase in COPY_PHASES:
        return tuple(float(item.file_size) for item in load.sizes), tuple(
            item.files + load.discard for item in load.sizes
        )
    return ((float(load.file_size),), (1,)) if load.file_size else ((), ())


def _with_ends(demand: Demand, variant: Variant, point: Point, phase: str) -> Demand:
    """The demand with the time to open and close a file, and its commit, which an async export
    answers at once.
    """
    load = point.workload
    if load.time_based:
        return demand
    trips = 0 if load.local else OF_A_FILE[direction(phase)]
    commits = not reads_data(phase) and load.fsync != "none" and (load.local or not _is_async(variant))
    ends_s = trips * _round_trip_s(variant, point) + (_commit_s(variant) if commits else 0.0)
    return replace(demand, per_file_s=ends_s, commits=commits and load.fsync == "file")


@dataclass(frozen=True)
class _Asked:
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
        scattered = ("random", "random-with-replacement", "strided")
        return self.demand.request_bytes < READ_AHEAD_BYTES and self.point.workload.pattern in scattered


def _layers(asked: _Asked) -> tuple[Layer, ...]:
    variant, point, phase = asked.variant, asked.point, asked.phase
    known = min(point.clients, len(variant.solution.clients))
    operation = direction(phase)
    layers = [_layer(item, known, operation, asked) for item in _path(variant, point).resources]
    if not point.workload.local:
        layers = [*_server_processor(variant, point, operation), *layers, _round_trips(variant, point, phase)]
    if phase in ROUND_TRIPS and phase != "stat":
        note = "assumed: one journal, one commit for all waiting requests"
        layers.append(Layer("metadata commits", note, per_request_s=_commit_s(variant) / max(known, 1), hard=False))
    return tuple(layer for layer in layers if not _in_memory(layer, variant, point, phase))


def _round_trip_s(variant: Variant, point: Point) -> float:
    if variant.site.kind != "emulated":
        return ROUND_TRIP.value
    return LAB_ROUND_TRIP_S + (LAB_TURN_S if point.workload.server_load == 1 else 0.0)


def _round_trips(variant: Variant, point: Point, phase: str) -> Layer:
    source = "assumed for kernels that share one machine" if variant.site.kind == "emulated" else ROUND_TRIP.source
    each_s = _round_trip_s(variant, point)
    return Layer("round trips", source, per_request_s=ROUND_TRIPS.get(phase, 1) * each_s, delay=True)


def _server_processor(variant: Variant, point: Point, operation: str) -> list[Layer]:
    """A processor of each active server; empty where no node of the study serves.

    Competing work leaves a fair scheduler's share: its idle time, and at least half of it. The wait
    of a request for its turn is part of the round trips.
    """
    solution, site = variant.solution, variant.site
    if not solution.servers:
        return []
    share = variant.study.node(solution.servers[0]).processor or 1.0
    share *= max(1 - (point.workload.server_load or 0.0), 0.5)
    network = variant.study.solution.options().get("network") or site.data_network
    packet_bytes = float(site.mtus[network] - IP_AND_TCP_HEADER_BYTES)
    units = len(services_of(solution)) or len(solution.servers)
    return [server_processor(LAB if site.kind == "emulated" else UNKNOWN, operation, packet_bytes, share, units)]


def _layer(item: Resource, clients: int, operation: str, asked: _Asked) -> Layer:
    rate = item.rate_bytes_per_s(operation)
    if item.name in OF_CLIENTS:
        source = f"the study's link rates{asked.scaled}"
        return Layer(item.name, source, rate / clients, of_client=True, burst_bytes=item.burst_bytes)
    if item.name != "disks":
        layer = Layer(item.name, f"the study{asked.scaled}", rate, hard=item.hard, held_bytes=item.held_bytes)
        return replace(layer, piece_bytes=item.piece_bytes, places=item.places, burst_bytes=item.burst_bytes)
    if asked.phase in ROUND_TRIPS:
        return Layer(item.name, "metadata operations are answered from memory", hard=False)
    return replace(_disks(rate, operation, asked), held_bytes=item.held_bytes)


def _disks(rate_bytes_per_s: float, operation: str, asked: _Asked) -> Layer:
    """The disks together; a lab's have a cost of bytes alone, others seek for small requests.

    A small write onto parity has two steps: old data and parity are read, then the new ones are
    written. The accesses of one step run in parallel.
    """
    variant = asked.variant
    penalty = _small_write(variant.study, asked.demand) if asked.small and operation == "write" else 1.0
    steps = _steps(penalty)
    seek_s = NEARLINE_3TB.access_s if asked.small and variant.site.kind != "emulated" else 0.0
    source = f"the study's disk rate{asked.scaled}"
    source += f", RAID small write x {penalty:g}" if penalty > 1 else ""
    source += f", {seek_s * 1000:.1f} ms an access assumed" if seek_s else ""
    # A small request is on one disk, and has its rate.
    disks = _disk_count(variant, rate_bytes_per_s)
    units = max(round(disks * steps / penalty), 1)
    each_s = seek_s * steps
    return Layer("disks", source, rate_bytes_per_s / disks / steps, each_s, units=units, hard=False)


def _steps(penalty: float) -> int:
    """Number of sequential accesses of a small write: two with parity, else one."""
    return 2 if penalty > 2 else 1


def _disk_count(variant: Variant, rate_bytes_per_s: float) -> int:
    """Number of disks that provide that rate together, and seek in parallel."""
    nodes = [variant.site.nodes[name] for name in variant.solution.storage_nodes]
    rates = [node.device_rate_bytes_per_s for node in nodes if node.device_rate_bytes_per_s]
    return max(round(rate_bytes_per_s / max(rates)), 1) if rates else 1


def _commit_s(variant: Variant) -> float:
    """Time of a journal's commit in s: one seek of rotating disks; in a lab, the bytes of two
    blocks alone.
    """
    nodes = [variant.site.nodes[name] for name in variant.solution.storage_nodes]
    rates = [node.device_rate_bytes_per_s for node in nodes if node.device_rate_bytes_per_s]
    if variant.site.kind != "emulated" or not rates:
        return COMMIT_S
    raid = raid_of(variant.study)
    penalty = SMALL_WRITE.get(int(raid.get("level", 0)), 1) if raid else 1
    return 2 * _steps(penalty) * JOURNAL_BLOCK_BYTES / max(rates)


def raid_of(study: Study) -> Mapping[str, Any] | None:
    """The `raid` key of the solution's options at any depth; None where there is none."""
    waiting: list[Any] = [study.solution.options()]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            if isinstance(item.get("raid"), Mapping):
                return dict(item["raid"])
            waiting.extend(item.values())
    return None


def _small_write(study: Study, demand: Demand) -> float:
    """Cost factor of a write smaller than a chunk on a parity set; a longer one counts as a full
    stripe.
    """
    raid = raid_of(study)
    if raid is None or demand.request_bytes >= READ_AHEAD_BYTES:
        return 1.0
    return float(SMALL_WRITE.get(int(raid.get("level", 0)), 1))


def _is_async(variant: Variant) -> bool:
    """Whether the server answers a commit before the disks do."""
    export = variant.study.solution.options().get("export")
    return isinstance(export, Mapping) and export.get("mode") == "async"


def _in_memory(layer: Layer, variant: Variant, point: Point, phase: str) -> bool:
    """Whether an async export answers before the disks do: the written data fit the server's limit
    of dirty data.
    """
    remote = layer.name in ("disks", "storage paths") and not point.workload.local
    if not remote or not _is_async(variant) or reads_data(phase):
        return False
    servers = variant.solution.servers
    memory = sum(variant.site.nodes[name].memory_bytes for name in servers[:1])
    return point.workload.phase_bytes(phase) * point.workload.tasks * point.clients < DIRTY_SHARE * memory
