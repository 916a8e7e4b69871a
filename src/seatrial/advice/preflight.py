"""Everything that a deploy would refuse, and what it would use, told before anything is changed.

The refusals are those of stage 0 (`solutions.look`), all of them on all nodes; the rest are facts. Nothing is written
on any node but what a shell needs to read a script.
"""

import shlex
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from seatrial.basics.errors import RunError
from seatrial.basics.units import format_size
from seatrial.plan.plan import Plan, Step
from seatrial.service.session import Session
from seatrial.solutions.base import Wipe
from seatrial.solutions.look import FUNCTIONS, OWN, TITLE, deployment
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
"""what a plan takes over -> units that it starts anew or stops"""


@dataclass(frozen=True)
class Link:
    """The way to another node."""

    network: str
    device: str
    mbit_per_s: int | None
    """None where the card does not say it"""
    mtu: int


@dataclass(frozen=True)
class Disk:
    """A device that the plan would use."""

    device: str
    model: str
    serial: str
    size_bytes: int
    found: str
    """what uses it and what is on it; empty where nothing was found"""
    erased: bool
    """named with --wipe"""


@dataclass(frozen=True)
class Node:
    """What one node said."""

    node: str
    refuses: tuple[str, ...]
    system: str
    login: str
    """of whom sudo has made root; empty where root has a login"""
    versions: dict[str, str]
    installs: tuple[str, ...]
    clock_ahead_s: float
    """of this machine's clock"""
    clock_error_s: float
    links: tuple[Link, ...]
    disks: tuple[Disk, ...]
    interrupts: tuple[str, ...]
    """units that run now, and that the plan starts anew or stops"""


@dataclass(frozen=True)
class Preflight:
    """What all nodes said."""

    study: str
    nodes: tuple[Node, ...]

    @property
    def clean(self) -> bool:
        """Nothing refuses."""
        return not any(node.refuses for node in self.nodes)


def preflight(session: Session, wipe: Wipe) -> Preflight:
    """Ask every node; RunError when one cannot be asked."""
    plan = deployment(session.solution, session.site, wipe)
    nodes = tuple(dict.fromkeys(name for stage in plan.stages for name in stage.steps))

    def ask(node: str) -> Node:
        said = session.transport.run(node, "sh -s", stdin=script(session, plan, node).encode(), timeout_s=TIMEOUT_S)
        if not said.stdout.rstrip().endswith("\nend"):
            raise RunError(f"{node} could not be asked: {said.stderr.strip() or said.exit_code}")
        ahead_s, error_s = _clock(session, node)
        return _node(node, said, (ahead_s, error_s), plan, wipe.get(node, frozenset()))

    return Preflight(plan.study_id, tuple(on_every(nodes, ask).values()))


def script(session: Session, plan: Plan, node: str) -> str:
    """What one node is asked: its part of stage 0, and the facts."""
    site, solution = session.site, session.solution
    looks = [step for stage in plan.stages[:1] if stage.title in {TITLE, OWN} for step in stage.steps.get(node, ())]
    steps = [step for stage in plan.stages for step in stage.steps.get(node, ())]
    used = {device for step in steps for device in step.destroys}
    calls = ["fact_system"]
    others = solution.clients if node in solution.servers or not solution.servers else solution.servers
    peer = next((name for name in others if name != node), None)
    for network, _address in site.nodes[node].networks.items() if peer else ():
        if network in site.nodes[str(peer)].networks:
            calls.append(shlex.join(("fact_link", network, site.nodes[str(peer)].networks[network])))
    packages = dict.fromkeys(pair for step in steps for pair in step.packages)
    calls += [shlex.join(("fact_package", *pair)) for pair in packages]
    calls += [shlex.join(("fact_device", device)) for device in site.nodes[node].devices if device in used]
    calls += [shlex.join(("fact_unit", unit)) for unit in _units(steps)]
    return "".join(
        (
            f"node={shlex.quote(node)}\n{FUNCTIONS}{FACTS}\nmain() {{\n",
            *(_asked(step) for step in looks),
            *(f"{call}\n" for call in calls),
            "echo end\n}\nmain </dev/null\n",
        )
    )


def _asked(step: Step) -> str:
    """A step of stage 0: what it refuses, or its title where it does not say it."""
    title = shlex.quote(f"refused: {step.title}")
    return (
        f"(\n{step.check}\n) >/dev/null 2>&1 || {{\nsaid=$( (\n{step.apply}\n) 2>&1)\n"
        f'[ -n "$said" ] || said={title}\necho "$said" | sed "s/^/refuses /"\n}}\n'
    )


def _units(steps: Iterable[Step]) -> list[str]:
    return list(dict.fromkeys(unit for step in steps for what, _whose in step.takes for unit in UNITS.get(what, ())))


def _clock(session: Session, node: str) -> tuple[float, float]:
    """(seconds that the node's clock is ahead of ours, half of the best round trip)."""
    found = []
    for _ in range(CLOCK_SAMPLES):
        before_s = time.time()
        done = session.transport.run(node, "date +%s.%N", timeout_s=60)
        after_s = time.time()
        found.append(((after_s - before_s) / 2, float(done.stdout.strip() or 0) - (before_s + after_s) / 2))
    error_s, ahead_s = min(found)
    return ahead_s, error_s


def _node(node: str, said: Completed, clock: tuple[float, float], plan: Plan, named: frozenset[str]) -> Node:
    lines: dict[str, list[str]] = {}
    for line in said.stdout.splitlines():
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
    )


def _link(line: str) -> Link:
    network, device, speed, mtu = line.split(" ")
    return Link(network, device, int(speed) if speed.isdigit() else None, int(mtu))


def _disk(line: str, named: frozenset[str]) -> Disk:
    device, model, serial, size, found = line.split("\t")
    return Disk(device, model.strip(), serial.strip(), int(size), found.strip("; "), device in named)


def preflight_text(found: Preflight) -> str:
    """For people: a part for each node, what refuses first."""
    lines = []
    for node in found.nodes:
        lines.append(f"{node.node}: {'refuses' if node.refuses else 'nothing refuses'}")
        lines += _rows(node)
    refusing = [node.node for node in found.nodes if node.refuses]
    lines.append(f"{len(refusing)} of {len(found.nodes)} nodes refuse; nothing was changed")
    return "\n".join(lines)


def _rows(node: Node) -> list[str]:
    rows: list[tuple[str, Sequence[str]]] = [
        ("refuses", [line.removeprefix("refused: ") for line in node.refuses]),
        ("system", [node.system]),
        ("login", [f"{node.login}, root by sudo"] if node.login else []),
        (
            "clock",
            [f"{node.clock_ahead_s * 1000:+.0f} ms against this machine's, ± {node.clock_error_s * 1000:.0f} ms"],
        ),
        ("link", [_link_words(link) for link in node.links]),
        ("versions", [", ".join(f"{name} {version}" for name, version in node.versions.items())]),
        ("installs", [", ".join(node.installs)]),
        ("disk", [_disk_words(disk) for disk in node.disks]),
        ("interrupts", [", ".join(node.interrupts)]),
    ]
    return [
        f"    {title if not index else '':10s}  {text}"
        for title, texts in rows
        for index, text in enumerate(text for text in texts if text)
    ]


def _link_words(link: Link) -> str:
    speed = "speed unknown" if link.mbit_per_s is None else f"{link.mbit_per_s} Mbit/s"
    return f"{link.network}: {link.device}, {speed}, MTU {link.mtu}"


def _disk_words(disk: Disk) -> str:
    who = " ".join(text for text in (disk.model, disk.serial) if text)
    use = "ERASED" if disk.erased else "used"
    words = [disk.device, *([who] if who else []), format_size(disk.size_bytes), disk.found or "empty", use]
    return ", ".join(words)
