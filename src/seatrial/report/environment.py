"""The environment of a run: the machine, the lab, the nodes, their clocks, and the deploy times."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from seatrial.basics.units import counted
from seatrial.plan.traits import is_emulated_in
from seatrial.report.tables import Column, Table, folded, pairs, size
from seatrial.result.result import Result
from seatrial.summary.notation import figures, milliseconds, node_set

RESULTS = ("ok", "changed", "pending", "failed")


def tables(result: Result) -> list[Table]:
    """The tables of the machine, the lab and the nodes; without rows for missing facts."""
    system = result.first("system")
    lab = system.get("environment")
    made = lab if isinstance(lab, dict) and is_emulated_in(system.get("site") or lab) else None
    facts = result.first("nodes").get("facts")
    return [
        pairs("The machine that ran Seatrial.", ("item", "value"), _machine(result)),
        pairs("The lab.", ("item", "value"), _lab(made) if made else []),
        pairs("Properties reported by the nodes.", ("node set", "system"), _nodes(facts)),
        pairs("Mounts, as negotiated.", ("node set", "mount"), _lists(facts, "mounts")),
        pairs("Network cards.", ("node set", "card"), _lists(facts, "links")),
    ]


def _machine(result: Result) -> list[tuple[str, str]]:
    rows = []
    phases = result.phases
    for key, value in result.first("machine").items():
        if key not in ("type", "unix_s"):
            name = key.removesuffix("_bytes").replace("_", " ")
            rows.append((name, size(value) if key.endswith("_bytes") else str(value)))
    busy = [phase.cpus_busy_share for phase in phases if phase.cpus_busy_share is not None]
    if busy:
        rows.append(("CPUs busy in phases", f"{min(busy):.0%} to {max(busy):.0%}"))
    for line in result.of("wall-clock-set"):
        whose = f"{line['node']}’s" if line["node"] else "this machine’s"
        way = f"{'ahead' if line['set_by_s'] > 0 else 'back'} by {figures(abs(line['set_by_s']))} s"
        rows.append(("a wall clock was set", f"{whose}, {way}; no time here depends on it"))
    if phases:
        rows.append(
            ("clock error, worst phase", f"{milliseconds(max(p.clock_error_s for p in phases))} ms")
        )
        late = [client.start_late_s for phase in phases for client in phase.clients]
        if late:
            rows.append(
                ("start after the agreed time, worst client", f"{milliseconds(max(late))} ms")
            )
    return rows


def _lab(lab: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The facts of a lab. Hosts have only the properties that they report."""
    rows = [(str(key), _without_folder(value)) for key, value in lab.items() if key != "nodes"]
    reported = lab.get("nodes")
    nodes = (
        {name: node for name, node in reported.items() if isinstance(node, dict)}
        if isinstance(reported, dict)
        else {}
    )
    starts = {
        name: started_node["ssh_after_s"]
        for name, started_node in nodes.items()
        if isinstance(started_node.get("ssh_after_s"), int | float)
    }
    if starts:
        slowest = max(starts, key=lambda name: starts[name])
        text = (
            f"{counted(len(starts), 'node')} in {figures(min(starts.values()))} to"
            f" {figures(starts[slowest])} s"
        )
        rows.append(("nodes answer ssh after", f"{text} (slowest: {slowest})"))
    for name, node in nodes.items():
        if node.get("failure"):
            rows.append((f"{name} failed", str(node["failure"])))
    return rows


def _without_folder(value: Any) -> str:
    """A file of the lab without the machine's folders; an image keeps its cache key."""
    text = str(value)
    if not text.startswith("/"):
        return text
    path = PurePosixPath(text)
    return f"{path.parent.name}/{path.name}" if path.parent.name.startswith("image-") else path.name


OF_OTHER_TABLES = frozenset({"mounts", "links"})
"""facts of a node that are lists"""


def _nodes(facts: Any) -> list[tuple[str, str]]:
    """A row for each set of nodes with equal software."""
    if not isinstance(facts, dict):
        return []
    shown = {}
    for name, value in facts.items():
        if isinstance(value, dict):
            own_facts = {key: fact for key, fact in value.items() if key not in OF_OTHER_TABLES}
            shown[name] = ", ".join(f"{key} {fact}" for key, fact in own_facts.items())
        else:
            shown[name] = str(value)
    return list(folded(shown))


def _lists(facts: Any, key: str) -> list[tuple[str, str]]:
    """A row for each set of nodes with equal items of a fact that is a list."""
    if not isinstance(facts, dict):
        return []
    texts_by_node = {
        name: str(value[key])
        for name, value in facts.items()
        if isinstance(value, dict) and key in value
    }
    return list(folded(texts_by_node))


def deploy_table(result: Result) -> Table:
    """Number of steps by result, for each deploy."""
    rows = []
    for line in result.of("deploy"):
        counts = Counter(str(item.get("result")) for item in line.get("results", ()))
        rows.append((str(line.get("title", "")), *(str(counts[name]) for name in RESULTS)))
    columns = (Column("deploy"), *(Column(name, "steps", number=True) for name in RESULTS))
    return Table("Deploy steps on all nodes, by result.", columns, tuple(rows), css="pairs")


@dataclass(frozen=True)
class StepRow:
    """One step on all of its nodes."""

    stage: str
    nodes: str
    step: str
    results: str
    """first deploy, then second: `changed, ok`"""


def steps(result: Result) -> list[StepRow]:
    """Every step with its nodes and its result in each deploy."""
    done: dict[tuple[str, str], dict[str, list[str]]] = {}
    for line in result.of("deploy"):
        for item in line.get("results", ()):
            key = (str(item.get("stage_title", "")), str(item.get("step", "")))
            done.setdefault(key, {}).setdefault(str(item.get("node", "")), []).append(
                str(item.get("result", ""))
            )
    rows = []
    for (stage, step), nodes in done.items():
        groups: dict[str, list[str]] = {}
        for node, outcome in nodes.items():
            groups.setdefault(", ".join(outcome), []).append(node)
        rows += [
            StepRow(stage, node_set(names), step, outcome) for outcome, names in groups.items()
        ]
    return rows
