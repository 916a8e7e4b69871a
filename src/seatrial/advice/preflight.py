"""Reports everything that a deploy would refuse and use, before anything is changed.

The refusals are those of stage 0 (`solutions.look`), all of them on all nodes; the rest are facts.
Nothing is written on any node except a shell's temporary files.
"""

import shlex
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from seatrial.basics.errors import RunError
from seatrial.basics.node_sets import fold
from seatrial.basics.units import counted, written_size
from seatrial.check import prepare
from seatrial.faults.base import planned_fault
from seatrial.faults.consent import site_faults
from seatrial.faults.room import written
from seatrial.faults.site_commands import reach
from seatrial.labs.node_state import NotAvailable
from seatrial.load import site_servers
from seatrial.plan.plan import Plan, Step
from seatrial.service.session import Session
from seatrial.service.workplace import free_bytes
from seatrial.solutions.base import NeedsMemory, Wipe, client_groups_of
from seatrial.solutions.look import FUNCTIONS, OWN, TITLE, deployment, packages_noted
from seatrial.solutions.parts.backups import FUNCTIONS as KEPT
from seatrial.solutions.shared_storage import KeepsCaches
from seatrial.study.profiles import Profile
from seatrial.study.study import Study
from seatrial.transport import HERE, Completed, on_every

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

    def ask(node: str) -> Node:
        done = _run_script(session, node, script(session, plan, node))
        found = _node(node, done, _clock(session, node), plan, wipe.get(node, frozenset()))
        needed = session.solution.memory_needed(node) if isinstance(session.solution, NeedsMemory) else None
        return replace(found, memory_needed_bytes=needed[0], memory_needed_for=needed[1]) if needed else found

    told = tuple(on_every(nodes, ask).values())
    rooms = tuple(_rooms(session.study))
    warnings = (*plan.warnings, *_memory_warnings(told), *_unreached_hosts(session))
    return Preflight(
        plan.study_id,
        told,
        session.solution.directory,
        _free_bytes(session),
        rooms,
        warnings,
        site_servers.of_session(session),
    )


def _unreached_hosts(session: Session) -> Iterator[str]:
    """The faults with commands of the site on a host that cannot be reached."""
    for fault in site_faults(session.study, session.study.faults):
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
        calls = [_of_device(device) for device in sorted(wipe[node])]
        output = _run_script(session, node, _asking(node, calls)).stdout.splitlines()
        lines = (line.removeprefix("device ") for line in output if line.startswith("device "))
        return [_disk(line, wipe[node]) for line in lines]

    for node, disks in on_every(sorted(wipe), ask).items():
        for disk in disks:
            facts = _disk_facts(disk) if disk.size_bytes else f"{disk.device}, which does not exist"
            say(f"--wipe names {node}:{facts}")


def tell_packages(session: Session, say: Callable[[str], None]) -> None:
    """Report the installed packages of earlier deploys; other users may need them by now."""
    nodes = dict.fromkeys((*session.solution.storage_nodes, *session.solution.clients))
    noted = shlex.quote(packages_noted(session.study.id))
    script = f"{KEPT}noted_packages {noted}\n".encode()  # piped: sudo logs every letter of a command

    def ask(node: str) -> str:
        return " ".join(sorted(session.transport.run(node, "sh", stdin=script, timeout_s=TIMEOUT_S).stdout.split()))

    by_packages: dict[str, list[str]] = {}
    for node, names in on_every(nodes, ask).items():
        by_packages.setdefault(names, []).append(node)
    for names, having in by_packages.items():
        if names:
            removal = "`undeploy --packages` removes them, unless other software needs them"
            say(f"stays on {fold(having)}: {names}; {removal}")


def _rooms(study: Study) -> Iterator[Room]:
    """The storage use of every profile that writes anything."""
    for profile in study.profiles:
        of_profile = study.in_profile(profile)
        _, solution = prepare(of_profile)
        broken = [planned_fault(of_profile, name, fault) for name, fault in of_profile.faults_in(profile).items()]
        sizes = written(solution, of_profile.experiments_in(profile), of_profile.background_load_in(profile), broken)
        most_bytes, where = max(sizes, default=(0, ""))
        if most_bytes:
            yield Room(profile, most_bytes, where, min(sizes)[0])


def _free_bytes(session: Session) -> int | None:
    """The free bytes on the first client; None where it is not deployed, or where clients have
    several trees.
    """
    solution, client = session.solution, session.solution.clients[0]
    if len(client_groups_of(solution, solution.clients)) > 1:
        return None
    if not isinstance(solution, KeepsCaches):  # of storage that is built, the node's own disk would answer without it
        there = session.transport.run(client, shlex.join(("mountpoint", "-q", solution.directory)), timeout_s=60)
        if there.exit_code:
            return None
    return free_bytes(session.transport, client, solution.directory)


def script(session: Session, plan: Plan, node: str) -> str:
    """The queries of one node: its part of stage 0, and the facts."""
    site, solution = session.site, session.solution
    looks = [step for stage in plan.stages[:1] if stage.title in {TITLE, OWN} for step in stage.steps.get(node, ())]
    steps = [step for stage in plan.stages for step in stage.steps.get(node, ())]
    used = {device for step in steps for device in step.destroys}
    calls = ["fact_system"]
    others = solution.clients if node in solution.servers or not solution.servers else solution.servers
    peer = next((name for name in others if name != node), None)
    for network, _address in site.nodes[node].networks.items() if peer else ():
        if network in site.nodes[str(peer)].networks:
            calls.append(shlex.join(("fact_link", network, site.nodes[str(peer)].networks[network], str(peer))))
    packages = dict.fromkeys(pair for step in steps for pair in step.packages)
    calls += [shlex.join(("fact_package", *pair)) for pair in packages]
    calls += [_of_device(device) for device in site.nodes[node].devices if device in used]
    units = dict.fromkeys(unit for step in steps for what, _whose in step.takes for unit in UNITS.get(what, ()))
    calls += [shlex.join(("fact_unit", unit)) for unit in units]
    return _asking(node, [*(_asked(step).rstrip("\n") for step in looks), *calls])


def _asking(node: str, calls: Iterable[str]) -> str:
    """The script of these calls."""
    asked = "".join(f"{call}\n" for call in calls)
    return f"node={shlex.quote(node)}\n{FUNCTIONS}{FACTS}\nmain() {{\n{asked}echo end\n}}\nmain </dev/null\n"


def _run_script(session: Session, node: str, text: str) -> Completed:
    """A node's output of such a script; raises RunError where it does not complete."""
    done = session.transport.run(node, "sh -s", stdin=text.encode(), timeout_s=TIMEOUT_S)
    if not done.stdout.rstrip().endswith("\nend"):
        raise RunError(f"{node} could not be reached: {done.stderr.strip() or done.exit_code}")
    return done


def _of_device(device: str) -> str:
    return shlex.join(("fact_device", device))


def _asked(step: Step) -> str:
    """A step of stage 0: its refusal, or its title where it prints none."""
    title = shlex.quote(f"refused: {step.title}")
    return (
        f"(\n{step.check}\n) >/dev/null 2>&1 || {{\nsaid=$( (\n{step.apply}\n) 2>&1)\n"
        f'[ -n "$said" ] || said={title}\necho "$said" | sed "s/^/refuses /"\n}}\n'
    )


def _clock(session: Session, node: str) -> tuple[float, float]:
    """(offset of the node's clock in s, half of the best round trip)."""
    found = []
    for _ in range(CLOCK_SAMPLES):
        before_s = time.time()
        done = session.transport.run(node, "date +%s.%N", timeout_s=60)
        after_s = time.time()
        found.append(((after_s - before_s) / 2, float(done.stdout.strip() or 0) - (before_s + after_s) / 2))
    error_s, ahead_s = min(found)
    return ahead_s, error_s


def _node(
    node: str,
    done: Completed,
    clock: tuple[float, float],
    plan: Plan,
    named: frozenset[str],
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
        clock_ahead_s=round(clock[0], 3),
        clock_error_s=round(clock[1], 3),
        links=tuple(_link(line) for line in lines.get("link", ())),
        disks=tuple(_disk(line, named) for line in lines.get("device", ())),
        interrupts=tuple(lines.get("runs", ())),
        memory_bytes=next((int(line) * 1024 for line in lines.get("memory", ()) if line.isdigit()), None),
    )


def _memory_warnings(nodes: Iterable[Node]) -> Iterator[str]:
    """Nodes with daemons that are configured to use more memory than exists, grouped by kind."""
    alike: dict[str, list[str]] = {}
    for node in nodes:
        if node.memory_bytes and node.memory_needed_bytes and node.memory_needed_bytes > node.memory_bytes:
            alike.setdefault(_memory_words(node), []).append(node.node)
    for words, names in alike.items():
        yield f"{fold(names)}: memory {words}. Linux ends a daemon where none is left: give them less, or add some."


def _link(line: str) -> Link:
    network, device, speed, mtu, through, peer = line.split(" ")
    whole = {"yes": True, "no": False}.get(through)
    return Link(network, device, int(speed) if speed.isdigit() else None, int(mtu), peer, whole)


def _disk(line: str, named: frozenset[str]) -> Disk:
    device, model, serial, size, found = line.split("\t")
    return Disk(device, model.strip(), serial.strip(), int(size), found.strip("; "), device in named)


def preflight_text(found: Preflight) -> str:
    """The preflight as text: a section for each node, refusals first."""
    lines = []
    for node in found.nodes:
        lines.append(f"{node.node}: {'refuses' if node.refuses else 'nothing refuses'}")
        lines += _rows(node)
    refusing = [node.node for node in found.nodes if node.refuses]
    lines += [*_room_words(found), *(f"warning: {text}" for text in found.warnings)]
    for item in found.not_available:
        condition = "" if item.code == site_servers.NOT_OBSERVED else " without root"
        lines.append(f"not available{condition}: {item.what}: {item.effect}")
    refuse = "refuses" if 1 in {len(refusing), len(found.nodes)} else "refuse"
    lines.append(f"{len(refusing)} of {counted(len(found.nodes), 'node')} {refuse}; nothing was changed")
    return "\n".join(lines)


def _room_words(found: Preflight) -> Iterator[str]:
    """The storage use of the profiles, compared with the free space; then the parts that do not
    fit.
    """
    if not found.rooms:
        return
    free = "is not known yet" if found.free_bytes is None else f"is {written_size(found.free_bytes)}"
    needed = ", ".join(f"{room.profile} {written_size(room.needed_bytes)}" for room in found.rooms)
    yield f"free space in {found.directory} {free}; peak use of a run: {needed}"
    for room in found.rooms:
        if found.is_full(room):
            way_out = "make `file_size` smaller, or free some space"
            yield f"no room for any part of the {room.profile} profile: {way_out}"
        elif found.free_bytes is not None and room.needed_bytes > found.free_bytes:
            yield f"no room for {room.where} of the {room.profile} profile: such a point is not begun"


def _rows(node: Node) -> list[str]:
    clock = f"{node.clock_ahead_s * 1000:+z.0f} ms against this machine's, ± {node.clock_error_s * 1000:.0f} ms"
    rows: list[tuple[str, Sequence[str]]] = [
        ("refuses", [line.removeprefix("refused: ") for line in node.refuses]),
        ("system", [node.system]),
        ("login", [f"{node.login}, root by sudo"] if node.login else []),
        ("memory", [_memory_words(node)]),
        ("clock", [] if node.node == HERE else [clock]),
        ("link", [_link_words(link) for link in node.links]),
        ("versions", [", ".join(f"{name} {version}" for name, version in node.versions.items())]),
        ("installs", [", ".join(node.installs)]),
        ("disk", [f"{_disk_facts(it)}, {'ERASED' if it.erased else 'wanted by the study'}" for it in node.disks]),
        ("interrupts", [", ".join(node.interrupts)]),
    ]
    return [
        f"    {title if not index else '':10s}  {text}"
        for title, texts in rows
        for index, text in enumerate(text for text in texts if text)
    ]


def _memory_words(node: Node) -> str:
    there = written_size(node.memory_bytes) if node.memory_bytes else ""
    if node.memory_needed_bytes is None:
        return there
    return f"{there or 'unknown'}; needed {written_size(node.memory_needed_bytes)}: {node.memory_needed_for}"


def _link_words(link: Link) -> str:
    speed = "speed unknown" if link.mbit_per_s is None else f"{link.mbit_per_s} Mbit/s"
    reach = {
        True: f"end to end to {link.peer}",
        False: f"a packet of this size does not reach {link.peer} in one piece",
        None: f"{link.peer} answers no ping",
    }
    return f"{link.network}: {link.device}, {speed}, MTU {link.mtu}, {reach[link.whole]}"


def _disk_facts(disk: Disk) -> str:
    """Its identity, size and content."""
    who = " ".join(text for text in (disk.model, disk.serial) if text)
    return ", ".join([disk.device, *([who] if who else []), written_size(disk.size_bytes), disk.found or "empty"])
