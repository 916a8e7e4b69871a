"""Reports everything that a deploy would refuse and use, before anything is changed.

The refusals are those of stage 0 (`solutions.look`), all of them on all nodes; the rest are facts.
Nothing is written on any node except a shell's temporary files.
"""

import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from seatrial.advice.bonds import BondFound, bond_found, bond_warnings
from seatrial.advice.foreign import number
from seatrial.basics.errors import RunError
from seatrial.basics.node_sets import fold
from seatrial.basics.units import written_size
from seatrial.faults.consent import site_faults
from seatrial.faults.room import NO_USE, written
from seatrial.faults.site_commands import reach
from seatrial.labs.node_state import NotAvailable
from seatrial.load import site_servers
from seatrial.matrix.matrix import RunMatrix
from seatrial.matrix.resolve import resolve_profiles
from seatrial.plan.library import functions_for
from seatrial.plan.plan import Plan, Step
from seatrial.plan.resources import Refusal
from seatrial.service.session import Session
from seatrial.service.workplace import free_bytes
from seatrial.solutions.base import NeedsMemory, Solution, Wipe, client_groups_of
from seatrial.solutions.look import FUNCTIONS, deployment, packages_noted
from seatrial.solutions.parts.backups import FUNCTIONS as KEPT
from seatrial.solutions.shared_storage import KeepsCaches
from seatrial.study.profiles import Profile
from seatrial.transport import Completed, on_every

FACTS = (Path(__file__).parent / "preflight.sh").read_text(encoding="ascii")
TIMEOUT_S = 300.0
CLOCK_SAMPLES = 3
UNITS = {
    "cluster": ("corosync", "pacemaker", "dlm"),
    "targets": ("tgt",),
    "sessions": ("iscsid",),
    "maps": ("multipathd",),
    "exports": ("nfs-server",),
}
"""claimed resource of a plan -> units that it restarts or stops"""


@dataclass(frozen=True)
class Link:
    """The path to another node."""

    network: str
    device: str
    mbit_per_s: int | None
    """None where the card does not report it"""
    mtu: int
    """of the node's own card"""
    peer: str
    whole: bool | None
    """whether a packet of that size reaches the peer unfragmented; None where it answers no ping"""


@dataclass(frozen=True)
class Disk:
    """A device that the plan uses; `in use`: only other users use it."""

    device: str
    model: str
    serial: str
    size_bytes: int
    found: str
    """its user and its content; empty where nothing was found"""
    erased: bool
    """named with --wipe"""

    @property
    def facts(self) -> str:
        """Its identity, size and content."""
        name = " ".join(text for text in (self.model, self.serial) if text)
        facts = (self.device, name, written_size(self.size_bytes), self.found or "empty")
        return ", ".join(fact for fact in facts if fact)


@dataclass(frozen=True)
class Node:
    """The facts of one node."""

    node: str
    refuses: tuple[str, ...]
    system: str
    login: str
    """the user with sudo; empty where root has a login"""
    versions: dict[str, str]
    installs: tuple[str, ...]
    clock_ahead_s: float
    """offset from this machine's clock"""
    clock_error_s: float
    links: tuple[Link, ...]
    disks: tuple[Disk, ...]
    interrupts: tuple[str, ...]
    """running units that the plan restarts or stops"""
    memory_bytes: int | None = None
    """memory of the node, from its kernel; None where unknown"""
    memory_needed_bytes: int | None = None
    """memory that its daemons are configured to use; None where the solution sets none"""
    memory_needed_for: str = ""
    bonds: tuple[BondFound, ...] = ()

    @property
    def memory_words(self) -> str:
        """Its memory, and the memory that its daemons need; empty where nothing is known."""
        memory = written_size(self.memory_bytes) if self.memory_bytes else ""
        if self.memory_needed_bytes is None:
            return memory
        return (
            f"{memory or 'unknown'}; needed {written_size(self.memory_needed_bytes)}:"
            f" {self.memory_needed_for}"
        )


@dataclass(frozen=True)
class Room:
    """The storage use of a profile at a time."""

    profile: Profile
    needed_bytes: int
    where: str
    """the point or fault with the highest use"""
    least_bytes: int
    """of the point or fault with the lowest use"""


@dataclass(frozen=True)
class Preflight:
    """The facts of all nodes."""

    study: str
    nodes: tuple[Node, ...]
    directory: str
    free_bytes: int | None
    """on the storage; None where it is unknown, as for storage that is not deployed yet"""
    rooms: tuple[Room, ...]
    warnings: tuple[str, ...] = ()
    """the plan's warnings on unsafe values, and nodes with too little memory"""
    not_available: tuple[NotAvailable, ...] = ()
    """what needs root, on nodes that are used without it"""

    @property
    def clean(self) -> bool:
        """Whether nothing refuses, and some profile has room for something."""
        hopeless = [self.is_full(room) for room in self.rooms]
        return not any(node.refuses for node in self.nodes) and not (hopeless and all(hopeless))

    def is_full(self, room: Room) -> bool:
        """Whether the storage has no room for any part of this profile."""
        return self.free_bytes is not None and room.least_bytes > self.free_bytes


def preflight(session: Session, wipe: Wipe) -> Preflight:
    """Inspect every node; raises RunError when one cannot be reached."""
    plan = deployment(session.solution, session.site, wipe)
    nodes = tuple(dict.fromkeys(name for stage in plan.stages for name in stage.steps))

    def inspect(node: str) -> Node:
        done = _run_script(session, node, script(session, plan, node))
        facts = _node(node, done, _clock(session, node), plan, wipe.get(node, frozenset()))
        return _with_needed_memory(facts, session.solution)

    inspected = tuple(on_every(nodes, inspect).values())
    profiles = resolve_profiles(session.study)
    rooms = tuple(_rooms(profiles))
    unreached = _unreached_hosts(session, profiles)
    bonds = [
        text
        for node in inspected
        for text in bond_warnings(node.node, session.site.nodes[node.node].bonds, node.bonds)
    ]
    warnings = (*plan.warnings, *_memory_warnings(inspected), *bonds, *unreached)
    return Preflight(
        plan.study_id,
        inspected,
        session.solution.directory,
        _free_bytes(session),
        rooms,
        warnings,
        site_servers.of_session(session),
    )


def _with_needed_memory(node: Node, solution: Solution) -> Node:
    needed = solution.memory_needed(node.node) if isinstance(solution, NeedsMemory) else None
    if needed is None:
        return node
    return replace(node, memory_needed_bytes=needed.size_bytes, memory_needed_for=needed.purpose)


def _unreached_hosts(session: Session, profiles: Mapping[Profile, RunMatrix]) -> Iterator[str]:
    """The faults with commands of the site on a host that cannot be reached."""
    faults = {item.name: item for matrix in profiles.values() for item in matrix.planned_faults}
    for fault in site_faults(session.study, faults.values()):
        for host in fault.hosts:
            try:
                reach(session.lab, host)
            except RunError as error:
                yield f"the fault {fault.name} cannot be injected: {error}"


def tell_named(session: Session, wipe: Wipe, say: Callable[[str], None]) -> None:
    """Report type and content of each device named by --wipe: erasing destroys this information.

    Raises RunError when a node cannot be reached: nothing is erased without a report.
    """

    def ask(node: str) -> list[Disk]:
        calls = [_device_call(device) for device in sorted(wipe[node])]
        output = _run_script(session, node, _script_of(node, calls)).stdout.splitlines()
        lines = (line.removeprefix("device ") for line in output if line.startswith("device "))
        return [_disk(line, wipe[node]) for line in lines]

    for node, disks in on_every(sorted(wipe), ask).items():
        for disk in disks:
            facts = disk.facts if disk.size_bytes else f"{disk.device}, which does not exist"
            say(f"--wipe names {node}:{facts}")


def tell_packages(session: Session, say: Callable[[str], None]) -> None:
    """Report the installed packages of earlier deploys; other users may need them by now."""
    nodes = dict.fromkeys((*session.solution.storage_nodes, *session.solution.clients))
    record = shlex.quote(packages_noted(session.study.id))
    # The script is piped, because sudo logs the whole text of a command.
    script = f"{KEPT}noted_packages {record}\n".encode()

    def ask(node: str) -> str:
        return " ".join(
            sorted(
                session.transport.run(node, "sh", stdin=script, timeout_s=TIMEOUT_S).stdout.split()
            )
        )

    by_packages: dict[str, list[str]] = {}
    for node, names in on_every(nodes, ask).items():
        by_packages.setdefault(names, []).append(node)
    for names, having in by_packages.items():
        if names:
            removal = "`undeploy --packages` removes them, unless other software needs them"
            say(f"stays on {fold(having)}: {names}; {removal}")


def _rooms(profiles: Mapping[Profile, RunMatrix]) -> Iterator[Room]:
    """The storage use of every profile that writes anything."""
    for profile, matrix in profiles.items():
        uses = written(
            matrix.solution,
            matrix.planned_experiments,
            matrix.background_load,
            [item.planned for item in matrix.planned_faults],
        )
        most = max(uses, default=NO_USE)
        if most.size_bytes:
            yield Room(profile, most.size_bytes, most.name, min(uses).size_bytes)


def _free_bytes(session: Session) -> int | None:
    """The free bytes on the first client; None where it is not deployed, or where clients have
    several trees.
    """
    solution = session.solution
    client = session.solution.clients[0]
    if len(client_groups_of(solution, solution.clients)) > 1:
        return None
    # Without the mount of deployed storage, the node's own disk would answer.
    if not isinstance(solution, KeepsCaches):
        mounted = session.transport.run(
            client, shlex.join(("mountpoint", "-q", solution.directory)), timeout_s=60
        )
        if mounted.exit_code:
            return None
    return free_bytes(session.transport, client, solution.directory)


def script(session: Session, plan: Plan, node: str) -> str:
    """The queries of one node: its part of stage 0, and the facts."""
    steps = [step for stage in plan.stages for step in stage.steps.get(node, ())]
    packages = dict.fromkeys(package for step in steps for package in step.packages)
    used = {device for step in steps for device in step.guard.destroys}
    devices = [device for device in session.site.nodes[node].devices if device in used]
    resources = [resource for step in steps for resource, _name in step.takes]
    units = dict.fromkeys(unit for resource in resources for unit in UNITS.get(resource, ()))
    return _script_of(
        node,
        [
            *(_refusal_call(step).rstrip("\n") for step in _preflight_checks(plan, node)),
            "fact_system",
            *_link_calls(session, node),
            *(shlex.join(("fact_package", *package)) for package in packages),
            *(_device_call(device) for device in devices),
            *(shlex.join(("fact_unit", unit)) for unit in units),
        ],
    )


def _preflight_checks(plan: Plan, node: str) -> tuple[Step, ...]:
    """The steps of stage 0; none where the plan has no such stage."""
    first = next(iter(plan.stages), None)
    if first is None or not first.is_preflight:
        return ()
    return tuple(first.steps.get(node, ()))


def _link_calls(session: Session, node: str) -> Iterator[str]:
    """The queries of the paths to a peer: a client for a server, and a server for a client."""
    site = session.site
    solution = session.solution
    is_server = node in solution.servers or not solution.servers
    others = solution.clients if is_server else solution.servers
    peer = next((name for name in others if name != node), None)
    if peer is None:
        return
    addresses = site.nodes[peer].networks
    for network in site.nodes[node].networks:
        if network in addresses:
            yield shlex.join(("fact_link", network, addresses[network], peer))


def _script_of(node: str, calls: Iterable[str]) -> str:
    """The script of these calls."""
    queries = "".join(f"{call}\n" for call in calls)
    library = functions_for(f"{FUNCTIONS}{FACTS}{queries}")
    return (
        f"node={shlex.quote(node)}\n{library}{FUNCTIONS}{FACTS}\n"
        f"main() {{\n{queries}echo end\n}}\n"
        "main </dev/null\n"
    )


def _run_script(session: Session, node: str, text: str) -> Completed:
    """A node's output of such a script; raises RunError where it does not complete."""
    done = session.transport.run(node, "sh -s", stdin=text.encode(), timeout_s=TIMEOUT_S)
    if not done.stdout.rstrip().endswith("\nend"):
        raise RunError(f"{node} could not be reached: {done.stderr.strip() or done.exit_code}")
    return done


def _device_call(device: str) -> str:
    return shlex.join(("fact_device", device))


def _refusal_call(step: Step) -> str:
    """A step of stage 0: its refusal, or its title where it prints none."""
    title = shlex.quote(f"refused: {step.title}")
    check = step.alone(step.check or "")
    refusal = check if isinstance(step.change, Refusal) else step.alone(step.apply)
    return (
        f"(\n{check}\n) >/dev/null 2>&1 || {{\nsaid=$( (\n{refusal}\n) 2>&1)\n"
        f'[ -n "$said" ] || said={title}\necho "$said" | sed "s/^/refuses /"\n}}\n'
    )


@dataclass(frozen=True, order=True)
class _ClockReading:
    error_s: float
    """half of the round trip"""
    ahead_s: float
    """offset of the node's clock"""


def _clock(session: Session, node: str) -> _ClockReading:
    """The reading with the shortest round trip."""
    readings = []
    for _ in range(CLOCK_SAMPLES):
        before_s = time.time()
        done = session.transport.run(node, "date +%s.%N", timeout_s=60)
        after_s = time.time()
        node_s = number(done.stdout.strip()) if done.exit_code == 0 else None
        if node_s is None:
            answer = (done.stdout + done.stderr).strip()[:200] or f"exit {done.exit_code}"
            raise RunError(f"{node}: `date +%s.%N` prints no time: {answer}")
        error_s = (after_s - before_s) / 2
        readings.append(_ClockReading(error_s, ahead_s=node_s - (before_s + error_s)))
    return min(readings)


def _node(
    node: str,
    done: Completed,
    clock: _ClockReading,
    plan: Plan,
    erasable: frozenset[str],
) -> Node:
    lines: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        about, _, rest = line.partition(" ")
        lines.setdefault(about, []).append(plan.masked(rest))
    versions = (line.partition(" ") for line in lines.get("version", ()))
    return Node(
        node=node,
        refuses=tuple(lines.get("refuses", ())),
        system=next(iter(lines.get("system", ())), ""),
        login=next(iter(lines.get("login", ())), ""),
        versions={name: version for name, _, version in versions},
        installs=tuple(sorted(set(lines.get("install", ())))),
        clock_ahead_s=round(clock.ahead_s, 3),
        clock_error_s=round(clock.error_s, 3),
        links=tuple(_link(line) for line in lines.get("link", ())),
        bonds=tuple(bond_found(line) for line in lines.get("bond", ())),
        disks=tuple(_disk(line, erasable) for line in lines.get("device", ())),
        interrupts=tuple(lines.get("runs", ())),
        memory_bytes=next(
            (int(line) * 1024 for line in lines.get("memory", ()) if line.isdigit()), None
        ),
    )


def _memory_warnings(nodes: Iterable[Node]) -> Iterator[str]:
    """Nodes with daemons that are configured to use more memory than exists, grouped by kind."""
    alike: dict[str, list[str]] = {}
    for node in nodes:
        if (
            node.memory_bytes
            and node.memory_needed_bytes
            and node.memory_needed_bytes > node.memory_bytes
        ):
            alike.setdefault(node.memory_words, []).append(node.node)
    for words, names in alike.items():
        yield (
            f"{fold(names)}: memory {words}. Linux ends a daemon where none is left: give them"
            " less, or add some."
        )


def _link(line: str) -> Link:
    network, device, speed, mtu, through, peer = line.split(" ")
    whole = {"yes": True, "no": False}.get(through)
    return Link(network, device, int(speed) if speed.isdigit() else None, int(mtu), peer, whole)


def _disk(line: str, erasable: frozenset[str]) -> Disk:
    device, model, serial, size, found = line.split("\t")
    return Disk(
        device, model.strip(), serial.strip(), int(size), found.strip("; "), device in erasable
    )
