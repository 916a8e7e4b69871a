"""A study's points as layers: from what the study, its site and its solution say, without a lab.

What nobody says is assumed, and each layer's source says so. A calibration (`seatrial calibrate`) replaces assumptions.
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
from seatrial.solutions.base import KeepsCaches, services_of
from seatrial.study.forms import Form
from seatrial.study.points import Point, points
from seatrial.study.study import Study
from seatrial.study.workload import COPY_PHASES, Workload, moves_data, reads_data

READ_AHEAD_BYTES = 128 * 1024
"""the kernel's default, and about what is written behind at once"""
WINDOW = 16
"""requests under way for a buffered stream: read-ahead and write-back together; assumed"""
LAB_ROUND_TRIP_S = 500e-6
LAB_TURN_S = 10e-3
"""so long a request waits on a lab's server for other work that never sleeps, measured: until a tick (100 Hz)"""
IN_ORDER = ("sequential", "rewrite", "append")
NAME_BYTES = 256.0
"""of a request that deals with a name, with its headers; assumed"""
JOURNAL_BLOCK_BYTES = 4096.0
COMMIT_S = 0.01
"""a journal's commit onto rotating disks: an access; assumed"""
OF_CLIENTS = {"client links", "node links"}
DIRTY_SHARE = 0.2
"""of a server's memory that an async export may hold unwritten: vm.dirty_ratio"""
ROUND_TRIPS = {"create": 2, "stat": 1, "utime": 1, "remove": 1}
OF_A_FILE = {"read": 2, "write": 3}
"""round trips in which no byte of a file moves (RFC 8881): OPEN and CLOSE, and COMMIT of what was written; NFSv3 has as
many (RFC 1813): LOOKUP, GETATTR or CREATE, and COMMIT"""


@dataclass(frozen=True)
class Expectation:
    """What one phase of one point should give."""

    experiment: str
    point: str
    clients: int
    phase: str
    unit_bytes: float
    """1 of a rate; of operations, the bytes of one"""
    layers: tuple[Layer, ...]
    demand: Demand
    forecast: Forecast
    scale: float
    """by which rates here stand to those of the modelled system"""

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
        """Whether the study says a rate of any layer; where it says none, the estimate is made of assumptions alone."""
        said = (layer for layer in self.layers if layer.source != LAB.source)
        return any(layer.rate_bytes_per_s != float("inf") for layer in said)

    @property
    def bound(self) -> float:
        """In its own unit; infinite where no rate is known."""
        return self.forecast.bound_bytes_per_s / self.unit_bytes


def expectations(
    study: Study, form: Form = "full", *, clients: Sequence[int] = (), costs: Costs | None = None
) -> Iterator[Expectation]:
    """Every phase of every point of a form; with `clients`, of each point at these numbers instead of its own.

    More clients than the study has are as many more of the same. InputError as `vary`.
    """
    for name, experiment in study.experiments_in(form).items():
        known = len(vary(study).solution.clients)
        if clients:
            rest = {key: values for key, values in experiment.vary.items() if key != "clients"}
            experiment = experiment.replaced(vary=rest)  # noqa: PLW2901 - the same without its own numbers
        for point in points(experiment, known):
            for count in [point.clients] if point.workload.local else clients or [point.clients]:
                for phase in point.workload.phases:
                    if phase in ROUND_TRIPS or moves_data(phase):
                        yield expectation(study, name, replace(point, clients=count), phase, costs)


def expectation(study: Study, experiment: str, point: Point, phase: str, costs: Costs | None = None) -> Expectation:
    """What a phase of a point should give."""
    variant = vary(study, {**point.solution, **point.site})
    demand, unit = _demand(variant, point, phase)
    layers = with_costs(_layers(_Asked(variant, point, phase, demand)), costs, direction(phase))
    found = forecast(layers, demand)
    scale = variant.site.scale
    return Expectation(experiment, point.name, point.clients, phase, unit, layers, demand, found, scale)


def unsaid(study: Study) -> dict[str, str]:
    """Keys of a study that would tell what a part carries, and are not there, each with an example."""
    found = {}
    for nodes, node in study.nodes.items():
        if node.link is None and not node.links:
            found[f"nodes.{nodes}.link"] = "10Gbit/s, what its link to the storage carries, where there is one"
        if node.disks is not None and node.disks.rate is None:
            found[f"nodes.{nodes}.disks.rate"] = "250MB/s, what one of its disks carries"
    if isinstance(vary(study).solution, KeepsCaches) and "rated" not in study.solution.options():
        found["solution.rated"] = "{read: 3GB/s, write: 2GB/s}, what the storage carries, as its maker says"
    return found


def direction(phase: str) -> str:
    """Which way a phase's bytes go."""
    return "read" if reads_data(phase) else "write"


def _demand(variant: Variant, point: Point, phase: str) -> tuple[Demand, float]:
    load = point.workload
    if not moves_data(phase):
        return Demand(point.clients, NAME_BYTES, load.tasks), NAME_BYTES
    writes = not reads_data(phase)
    # What is written back is put in order by the cache, whatever the order of the calls was.
    buffered = not (load.direct or load.o_sync) and (load.pattern in IN_ORDER or (writes and load.fsync != "record"))
    request = float(max(load.record, READ_AHEAD_BYTES)) if buffered else float(load.record)
    window = WINDOW if buffered else load.queue_depth
    sizes, counts = _files(load, phase)
    path = _path(variant, point)
    fetched, ahead = (1.0, 1.0) if writes else _fetched(path, point)
    found = Demand(point.clients, request, load.tasks, window, sizes, files=counts)
    found = replace(found, fetched_share=fetched, ahead_share=ahead, fullest=1.0 if load.time_based else path.fullest)
    return _with_ends(found, variant, point, phase), 1.0


def _path(variant: Variant, point: Point) -> DataPath:
    """What lies between the point's clients, as far as the study has them, and the storage."""
    known = min(point.clients, len(variant.solution.clients))
    return variant.solution.data_path(known, local=point.workload.local)


def _fetched(path: DataPath, point: Point) -> tuple[float, float]:
    """What clients fetch and wait for, and in advance, for each byte that they read of one file of them all.

    A client's part of it has another's behind it, but for the last. A file of its own ends where its part does.
    """
    load, beside = point.workload, path.read_ahead
    part = load.file * load.tasks
    if beside is None or not part or load.direct or "random" in load.hints or load.layout != "n-1-segmented":
        return 1.0, 1.0
    if load.pattern in IN_ORDER:
        # Who waits for one miss alone has its part by then, and what it fetches in advance comes behind everybody's.
        several = part > max(beside.piece_bytes, load.record)
        return 1.0, 1 + several * beside.ahead_bytes / part * (1 - 1 / point.clients)
    return max(part, min(beside.piece_bytes, part * point.clients)) / part, 1.0


def _files(load: Workload, phase: str) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Sizes of a task's files, and how many of each: what a copy discards of its mix is in its rate all the same."""
    if phase in COPY_PHASES:
        return tuple(float(item.file) for item in load.sizes), tuple(item.files + load.discard for item in load.sizes)
    return ((float(load.file),), (1,)) if load.file else ((), ())


def _with_ends(demand: Demand, variant: Variant, point: Point, phase: str) -> Demand:
    """With what opening a file and closing it take, and its commit, which an async export answers at once."""
    load = point.workload
    if load.time_based:
        return demand
    trips = 0 if load.local else OF_A_FILE[direction(phase)]
    commits = not reads_data(phase) and load.fsync != "none" and (load.local or not _is_async(variant))
    ends_s = trips * _round_trip_s(variant, point) + (_commit_s(variant) if commits else 0.0)
    return replace(demand, per_file_s=ends_s, commits=commits and load.fsync == "file")


@dataclass(frozen=True)
class _Asked:
    """A phase of a point, in the study as it is there."""

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
    found = [_layer(item, known, operation, asked) for item in _path(variant, point).resources]
    if not point.workload.local:
        found = [*_server_processor(variant, point, operation), *found, _round_trips(variant, point, phase)]
    if phase in ROUND_TRIPS and phase != "stat":
        note = "assumed: one journal, one commit for all who wait for it"
        found.append(Layer("metadata commits", note, per_request_s=_commit_s(variant) / max(known, 1), hard=False))
    return tuple(layer for layer in found if not _in_memory(layer, variant, point, phase))


def _round_trip_s(variant: Variant, point: Point) -> float:
    if variant.site.kind != "uml":
        return ROUND_TRIP.value
    return LAB_ROUND_TRIP_S + (LAB_TURN_S if point.workload.server_load == 1 else 0.0)


def _round_trips(variant: Variant, point: Point, phase: str) -> Layer:
    source = "assumed for kernels that share one machine" if variant.site.kind == "uml" else ROUND_TRIP.source
    each_s = _round_trip_s(variant, point)
    return Layer("round trips", source, per_request_s=ROUND_TRIPS.get(phase, 1) * each_s, delay=True)


def _server_processor(variant: Variant, point: Point, operation: str) -> list[Layer]:
    """A processor of each server that serves; none where no node of the study serves.

    Other work that keeps it busy leaves a fair scheduler's share: what it has no use for, and half of it at least. How
    long a request waits for its turn is with the round trips.
    """
    solution, site = variant.solution, variant.site
    if not solution.servers:
        return []
    share = variant.study.node(solution.servers[0]).processor or 1.0
    share *= max(1 - (point.workload.server_load or 0.0), 0.5)
    network = variant.study.solution.options().get("network") or site.data_network
    packet_bytes = float(site.mtus[network] - IP_AND_TCP_HEADER_BYTES)
    units = len(services_of(solution)) or len(solution.servers)
    return [server_processor(LAB if site.kind == "uml" else UNKNOWN, operation, packet_bytes, share, units)]


def _layer(item: Resource, clients: int, operation: str, asked: _Asked) -> Layer:
    rate = item.rate_bytes_per_s(operation)
    if item.name in OF_CLIENTS:
        source = f"the study's link rates{asked.scaled}"
        return Layer(item.name, source, rate / clients, of_client=True, burst_bytes=item.burst_bytes)
    if item.name != "disks":
        found = Layer(item.name, f"the study{asked.scaled}", rate, hard=item.hard, held_bytes=item.held_bytes)
        return replace(found, piece_bytes=item.piece_bytes, places=item.places, burst_bytes=item.burst_bytes)
    if asked.phase in ROUND_TRIPS:
        return Layer(item.name, "names are answered from memory", hard=False)
    return replace(_disks(rate, operation, asked), held_bytes=item.held_bytes)


def _disks(rate_bytes_per_s: float, operation: str, asked: _Asked) -> Layer:
    """The disks together; a lab's take time for bytes alone, others move their heads for small requests.

    A small write onto parity is several accesses, of which those of one step go on at once: old data and parity are
    read, then the new ones are written.
    """
    variant = asked.variant
    penalty = _small_write(variant.study, asked.demand) if asked.small and operation == "write" else 1.0
    steps = _steps(penalty)
    seek_s = NEARLINE_3TB.access_s if asked.small and variant.site.kind != "uml" else 0.0
    source = f"the study's disk rate{asked.scaled}"
    source += f", RAID small write x {penalty:g}" if penalty > 1 else ""
    source += f", {seek_s * 1000:.1f} ms an access assumed" if seek_s else ""
    disks = _disk_count(variant, rate_bytes_per_s)  # a small request is on one of them, and takes its rate
    units = max(round(disks * steps / penalty), 1)
    each_s = seek_s * steps
    return Layer("disks", source, rate_bytes_per_s / disks / steps, each_s, units=units, hard=False)


def _steps(penalty: float) -> int:
    """How many accesses of a small write come one after the other: two where there is parity, else one."""
    return 2 if penalty > 2 else 1


def _disk_count(variant: Variant, rate_bytes_per_s: float) -> int:
    """How many disks carry that rate together, and move their heads at once."""
    nodes = [variant.site.nodes[name] for name in variant.solution.storage_nodes]
    rates = [node.device_rate_bytes_per_s for node in nodes if node.device_rate_bytes_per_s]
    return max(round(rate_bytes_per_s / max(rates)), 1) if rates else 1


def _commit_s(variant: Variant) -> float:
    """What a journal's commit takes: an access of rotating disks; of a lab's, the bytes of two blocks alone."""
    nodes = [variant.site.nodes[name] for name in variant.solution.storage_nodes]
    rates = [node.device_rate_bytes_per_s for node in nodes if node.device_rate_bytes_per_s]
    if variant.site.kind != "uml" or not rates:
        return COMMIT_S
    raid = raid_of(variant.study)
    penalty = SMALL_WRITE.get(int(raid.get("level", 0)), 1) if raid else 1
    return 2 * _steps(penalty) * JOURNAL_BLOCK_BYTES / max(rates)


def raid_of(study: Study) -> Mapping[str, Any] | None:
    """The `raid` key of the solution's options, wherever it stands; None where there is none."""
    waiting: list[Any] = [study.solution.options()]
    while waiting:
        item = waiting.pop()
        if isinstance(item, Mapping):
            if isinstance(item.get("raid"), Mapping):
                return dict(item["raid"])
            waiting.extend(item.values())
    return None


def _small_write(study: Study, demand: Demand) -> float:
    """What a write that is smaller than a chunk costs of a parity set; a longer one counts as a full stripe."""
    raid = raid_of(study)
    if raid is None or demand.request_bytes >= READ_AHEAD_BYTES:
        return 1.0
    return float(SMALL_WRITE.get(int(raid.get("level", 0)), 1))


def _is_async(variant: Variant) -> bool:
    """Whether the server answers a commit before the disks do."""
    export = variant.study.solution.options().get("export")
    return isinstance(export, Mapping) and export.get("mode") == "async"


def _in_memory(layer: Layer, variant: Variant, point: Point, phase: str) -> bool:
    """Whether an async export answers before the disks do: what is written fits what the server may hold unwritten."""
    remote = layer.name in ("disks", "storage paths") and not point.workload.local
    if not remote or not _is_async(variant) or reads_data(phase):
        return False
    servers = variant.solution.servers
    memory = sum(variant.site.nodes[name].memory_bytes for name in servers[:1])
    return point.workload.phase_bytes(phase) * point.workload.tasks * point.clients < DIRTY_SHARE * memory
