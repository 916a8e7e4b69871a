"""An audit of a running system, which changes nothing: differences from the study and from best
practice.

The differences come from the plan in its checking mode, the findings from the rules of
`seatrial.advice.audits`. The likely cost of a setting is that in the newest result of the study, or
else in published measurements.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from seatrial.advice.advice import Advice
from seatrial.advice.audit_base import (
    LEVELS,
    PROBE_TIMEOUT_S,
    Facts,
    Finding,
    NotLookedAt,
    every_finding,
    every_gap,
    facts_of,
    probe,
)
from seatrial.basics.errors import FAILED, PASSED, UNDECIDED, RunError
from seatrial.basics.units import counted
from seatrial.judge.published import published_rows
from seatrial.plan.library import functions_for
from seatrial.plan.plan import Plan
from seatrial.service.deploy import StepResult
from seatrial.service.session import Session
from seatrial.solutions.base import nodes_of
from seatrial.solutions.look import mark_of
from seatrial.transport import on_every

PUBLISHED_LINES = {
    "async": ("sync against it", 2, 1),
    "rsize": ("with rsize and wsize of 8 KiB", 3, 1),
    "udp": ("with UDP", 5, 1),
    "noac": ("with noac", 6, 1),
    "jumbo": ("with jumbo frames", 7, 1),
}
"""option -> (as text, its line, the line without it) in Table 3 of network-storage-clusters"""


@dataclass(frozen=True)
class Difference(StepResult):
    """A step of the plan that a deploy would execute."""

    found: tuple[str, ...] = ()
    """the lines of the current state"""
    why: str = ""
    option: str = ""
    """key of its cost; empty where it has none"""


@dataclass(frozen=True)
class Audit:
    """The result of an audit."""

    differs: tuple[Difference, ...]
    steps: int
    findings: tuple[Finding, ...]
    costs: Mapping[str, str]
    """option of a finding or a difference -> its likely cost"""
    not_looked_at: tuple[NotLookedAt, ...] = ()
    deployed: bool = True
    """whether a node has the study's mark; without one every setting is missing, and
    none is listed
    """

    @property
    def clean(self) -> bool:
        """Whether everything was inspected and nothing was found."""
        return self.deployed and not self.differs and not self.findings

    @property
    def exit_code(self) -> int:
        """0: healthy; 1: something was found; 3: nothing was found, but not everything could be
        inspected.
        """
        if not self.clean:
            return FAILED
        return UNDECIDED if self.not_looked_at else PASSED

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self) | {"differs": [item.to_json() for item in self.differs]}


def audit(session: Session, measured: Sequence[Advice], published: Mapping[str, Any]) -> Audit:
    """Inspect every node of a system. A node that cannot be reached is listed, and the others are
    inspected.
    """
    solution = session.solution
    plan = session.solution.plan({})
    nodes = tuple(dict.fromkeys((*solution.servers, *solution.clients)))
    facts_by_node = on_every(nodes, lambda node: _ask(session, node))
    facts = list(facts_by_node.values())
    deployed = _is_deployed(
        session, [node for node, item in facts_by_node.items() if not item.unreachable]
    )
    reachable = _without(plan, [node for node, item in facts_by_node.items() if item.unreachable])
    compared, gaps = _compare(session, reachable) if deployed else ((), ())
    differs = _differences(session, plan, [item for item in compared if item.result == "pending"])
    # The use of sshfs is the study's own choice, and no finding.
    findings = tuple(
        item for item in every_finding(facts) if item.option != session.study.solution.kind
    )
    options = (*(item.option for item in findings), *(item.option for item in differs))
    costs = {option: cost(option, measured, published) for option in options if option}
    known_costs = {key: text for key, text in costs.items() if text}
    not_looked_at = (*every_gap(facts), *gaps)
    return Audit(differs, len(compared), findings, known_costs, not_looked_at, deployed)


def _ask(session: Session, node: str) -> Facts:
    """The facts that a node reports; one that cannot be reached has a gap with the reason."""
    solution = session.solution
    peers = solution.clients if node in solution.servers else solution.servers
    peer = session.site.nodes[next((name for name in peers if name != node), node)].address
    command = shlex.join(("sh", "-s", peer))
    try:
        script = probe().encode()
        done = session.transport.run(node, command, stdin=script, timeout_s=PROBE_TIMEOUT_S)
    except RunError as error:
        return Facts(node, gaps=(f"this node: {error}",), unreachable=True)
    facts = facts_of(node, done.stdout)
    if done.exit_code:
        reason = done.stderr.strip() or f"exit code {done.exit_code}"
        facts = replace(facts, gaps=(*facts.gaps, f"this node: the probe ended early: {reason}"))
    return facts


def _without(plan: Plan, nodes: Sequence[str]) -> Plan:
    """The plan for all other nodes."""
    stages = []
    for stage in plan.stages:
        steps = {node: own_steps for node, own_steps in stage.steps.items() if node not in nodes}
        stages.append(replace(stage, steps=steps))
    return replace(plan, stages=tuple(stages))


def _compare(
    session: Session, plan: Plan
) -> tuple[tuple[StepResult, ...], tuple[NotLookedAt, ...]]:
    """The plan in its checking mode; where it cannot complete, the parts that were not compared."""
    try:
        return session.deploy(plan, mode="check").results, ()
    except RunError as error:
        return (), (NotLookedAt("all nodes", f"the study's settings: {error}"),)


def is_deployed(session: Session) -> bool:
    """Whether any node has the mark of the study; raises RunError when one cannot be reached."""
    return _is_deployed(session, nodes_of(session.solution))


def _is_deployed(session: Session, nodes: Sequence[str]) -> bool:
    solution = session.solution
    transport = session.transport

    def marked(node: str) -> bool:
        command = shlex.join(("test", "-e", mark_of(solution, node)))
        return transport.run(node, command, timeout_s=60).exit_code == 0

    return any(on_every(nodes, marked).values())


def _differences(
    session: Session, plan: Plan, pending: Sequence[StepResult]
) -> tuple[Difference, ...]:
    """The differences with the current state, as shown by each step."""
    numbered_steps = [
        (number, item, plan.stages[item.stage - 1].steps[item.node][item.index - 1])
        for number, item in enumerate(pending)
    ]

    def show(node: str) -> list[str]:
        # The number before each line identifies its step.
        queries = "".join(
            f"(\n{step.alone(step.shell.shows)}\n) </dev/null 2>&1 | sed 's/^/{number} /'\n"
            for number, item, step in numbered_steps
            if item.node == node and step.shell.shows
        )
        script = f"{functions_for(queries)}{queries}"
        return session.transport.run(
            node, "sh -s", stdin=script.encode(), timeout_s=60
        ).stdout.splitlines()

    shown = on_every(dict.fromkeys(item.node for item in pending), show)
    return tuple(
        Difference(
            **vars(item),
            found=tuple(
                plan.masked(line.partition(" ")[2])
                for line in shown[item.node]
                if line.split(" ")[0] == str(number)
            ),
            why=step.reason or "",
            option=step.option,
        )
        for number, item, step in numbered_steps
    )


def cost(option: str, measured: Sequence[Advice], published: Mapping[str, Any]) -> str:
    """The likely cost of an option as a sentence; empty where it is unknown."""
    for advice in measured:
        if option in _words_of(advice) and advice.effects:
            changes = ", ".join(
                f"{item.phase} {item.after / item.before - 1:+.0%}" for item in advice.effects
            )
            compared = f"{advice.experiment}, {advice.name} compared with the first variant"
            return f"measured ({compared}): {changes}"
    lines = (
        published_rows(published, "T3") if published.get("id") == "network-storage-clusters" else {}
    )
    words, *numbers = PUBLISHED_LINES.get(option, ("", 0, 0))
    if all(line in lines for line in numbers):
        with_it, without = (lines[line] for line in numbers)
        changes = ", ".join(
            f"{key} {with_it[key] / without[key] - 1:+.0%}" for key in ("write", "read")
        )
        return f"published (network-storage-clusters, Table 3): {words} {changes}"
    return ""


def _words_of(advice: Advice) -> set[str]:
    """The single words of a variant's name and settings: `noac`, `rsize`; empty for several
    changes.
    """
    if len(advice.changes) != 1:
        return set()
    value = next(iter(advice.changes.values()))
    values = value if isinstance(value, list | tuple) else (value,)
    return {str(item).partition("=")[0] for item in values} - {"hard"}


def audit_text(result: Audit) -> str:
    """The audit as text."""
    are = "is" if result.steps == 1 else "are"
    settings = counted(result.steps, "setting")
    lines = [f"{len(result.differs)} of {settings} of the study {are} different"]
    if not result.deployed:
        way_out = "run seatrial deploy STUDY"
        lines = [f"not deployed: no node has the study's mark, nothing is inspected; {way_out}"]
    for differs in result.differs:
        lines.append(f"  {differs.node}: {differs.step}")
        lines += [f"      {line}" for line in differs.found]
        lines += [f"      {line}" for line in differs.why.splitlines()]
        if differs.option in result.costs:
            lines.append(f"      cost: {result.costs[differs.option]}")
    lines.append(f"{len(result.findings)} against best practice")
    for item in result.findings:
        lines.append(f"  {item.level}: {item.node}: {item.what}; better: {item.better}")
        lines.append(f"      {item.why}")
        if item.option in result.costs:
            lines.append(f"      cost: {result.costs[item.option]}")
    if result.not_looked_at:
        lines.append(f"{counted(len(result.not_looked_at), 'item')} not inspected")
        lines += [f"  {item.node}: {item.reason}" for item in result.not_looked_at]
    if result.findings:
        lines += [f"{level}: {words}" for level, words in LEVELS.items()]
    return "\n".join(lines)
