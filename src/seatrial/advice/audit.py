"""An audit of a running system, which changes nothing: what differs from the study and from best practice.

The first is the plan in its checking mode; the second are the rules of `seatrial.audits`. What a setting is likely to
cost is what the newest record of the study measured; else what was published of it.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from seatrial.advice.advice import Advice
from seatrial.advice.audit_base import (
    LEVELS,
    PROBE,
    PROBE_TIMEOUT_S,
    Facts,
    Finding,
    NotLookedAt,
    every_finding,
    every_gap,
    facts_of,
)
from seatrial.basics.errors import FAILED, PASSED, UNDECIDED, RunError
from seatrial.basics.units import counted
from seatrial.judge.published import published_rows
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
"""option -> (in words, its line, the line without it) in Table 3 of network-storage-clusters"""


@dataclass(frozen=True)
class Difference(StepResult):
    """A step of the plan that a deploy would make."""

    found: tuple[str, ...] = ()
    """lines of what is there instead"""
    why: str = ""
    option: str = ""
    """by which its cost is found; empty where it has none of its own"""


@dataclass(frozen=True)
class Audit:
    """What was found."""

    differs: tuple[Difference, ...]
    steps: int
    findings: tuple[Finding, ...]
    costs: Mapping[str, str]
    """option of a finding or a difference -> what it is likely to cost"""
    not_looked_at: tuple[NotLookedAt, ...] = ()
    deployed: bool = True
    """some node bears the study's mark; where none does, all of its settings are missing, and none is told"""

    @property
    def clean(self) -> bool:
        """Nothing was found, in all that could be looked at."""
        return self.deployed and not self.differs and not self.findings

    @property
    def exit_code(self) -> int:
        """0: all is well; 1: something was found; 3: nothing was found, and not all could be looked at."""
        if not self.clean:
            return FAILED
        return UNDECIDED if self.not_looked_at else PASSED


def audit(session: Session, measured: Sequence[Advice], published: Mapping[str, Any]) -> Audit:
    """Look at every node of a system. A node that cannot be asked is listed, and the others are looked at."""
    solution, plan = session.solution, session.solution.plan({})
    nodes = tuple(dict.fromkeys((*solution.servers, *solution.clients)))
    asked = on_every(nodes, lambda node: _ask(session, node))
    facts = list(asked.values())
    deployed = _is_deployed(session, [node for node, item in asked.items() if not item.unreachable])
    reachable = _without(plan, [node for node, item in asked.items() if item.unreachable])
    compared, gaps = _compare(session, reachable) if deployed else ((), ())
    differs = _differences(session, plan, [item for item in compared if item.result == "pending"])
    # That a study is about sshfs is its own choice, and nothing that somebody has to mend.
    found = tuple(item for item in every_finding(facts) if item.option != session.study.solution.kind)
    options = (*(item.option for item in found), *(item.option for item in differs))
    costs = {option: cost(option, measured, published) for option in options if option}
    told_costs = {key: text for key, text in costs.items() if text}
    not_looked_at = (*every_gap(facts), *gaps)
    return Audit(differs, len(compared), found, told_costs, not_looked_at, deployed)


def _ask(session: Session, node: str) -> Facts:
    """What a node says of itself; one that cannot be asked says nothing, and why."""
    solution = session.solution
    peers = solution.clients if node in solution.servers else solution.servers
    peer = session.site.nodes[next((name for name in peers if name != node), node)].address
    command = shlex.join(("sh", "-s", peer))
    try:
        done = session.transport.run(node, command, stdin=PROBE.encode(), timeout_s=PROBE_TIMEOUT_S)
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
        steps = {node: found for node, found in stage.steps.items() if node not in nodes}
        stages.append(replace(stage, steps=steps))
    return replace(plan, stages=tuple(stages))


def _compare(session: Session, plan: Plan) -> tuple[tuple[StepResult, ...], tuple[NotLookedAt, ...]]:
    """The plan in its checking mode; where it cannot be carried to its end, what was not compared."""
    try:
        return session.deploy(plan, mode="check").results, ()
    except RunError as error:
        return (), (NotLookedAt("all nodes", f"the study's settings: {error}"),)


def is_deployed(session: Session) -> bool:
    """Whether any node bears the mark of the study; RunError when one cannot be asked."""
    return _is_deployed(session, nodes_of(session.solution))


def _is_deployed(session: Session, nodes: Sequence[str]) -> bool:
    solution, transport = session.solution, session.transport

    def marked(node: str) -> bool:
        asked = shlex.join(("test", "-e", mark_of(solution, node)))
        return transport.run(node, asked, timeout_s=60).exit_code == 0

    return any(on_every(nodes, marked).values())


def _differences(session: Session, plan: Plan, pending: Sequence[StepResult]) -> tuple[Difference, ...]:
    """With what is there instead, as each step shows it."""
    wanted = [
        (number, item, next(it for it in plan.stages[item.stage - 1].steps[item.node] if it.title == item.step))
        for number, item in enumerate(pending)
    ]

    def show(node: str) -> list[str]:
        # A number before every line says which step it belongs to.
        script = "".join(
            f"( {step.shows}\n) </dev/null 2>&1 | sed 's/^/{number} /'\n"
            for number, item, step in wanted
            if item.node == node and step.shows
        )
        return session.transport.run(node, "sh -s", stdin=script.encode(), timeout_s=60).stdout.splitlines()

    shown = on_every(dict.fromkeys(item.node for item in pending), show)
    return tuple(
        Difference(
            **vars(item),
            found=tuple(
                plan.masked(line.partition(" ")[2]) for line in shown[item.node] if line.split(" ")[0] == str(number)
            ),
            why=step.reason or "",
            option=step.option,
        )
        for number, item, step in wanted
    )


def cost(option: str, measured: Sequence[Advice], published: Mapping[str, Any]) -> str:
    """What an option is likely to cost, in a sentence; empty where nothing is known."""
    for advice in measured:
        if option in _words_of(advice) and advice.effects:
            told = ", ".join(f"{item.phase} {item.after / item.before - 1:+.0%}" for item in advice.effects)
            return f"measured ({advice.experiment}, {advice.name} against the first row): {told}"
    lines = published_rows(published, "T3") if published.get("id") == "network-storage-clusters" else {}
    words, *numbers = PUBLISHED_LINES.get(option, ("", 0, 0))
    if all(line in lines for line in numbers):
        with_it, without = (lines[line] for line in numbers)
        told = ", ".join(f"{key} {with_it[key] / without[key] - 1:+.0%}" for key in ("write", "read"))
        return f"published (network-storage-clusters, Table 3): {words} {told}"
    return ""


def _words_of(advice: Advice) -> set[str]:
    """The single words of a row's name and settings: `noac`, `rsize`; of a row with several changes none."""
    if len(advice.changes) != 1:
        return set()
    value = next(iter(advice.changes.values()))
    values = value if isinstance(value, list | tuple) else (value,)
    return {str(item).partition("=")[0] for item in values} - {"hard"}


def audit_text(found: Audit) -> str:
    """For people."""
    are = "is" if found.steps == 1 else "are"
    lines = [f"{len(found.differs)} of {counted(found.steps, 'setting')} of the study {are} not as it says"]
    if not found.deployed:
        lines = [
            "not deployed: no node bears the study's mark, and its settings are not looked at (seatrial deploy STUDY)"
        ]
    for differs in found.differs:
        lines.append(f"  {differs.node}: {differs.step}")
        lines += [f"      {line}" for line in differs.found]
        lines += [f"      {line}" for line in differs.why.splitlines()]
        if differs.option in found.costs:
            lines.append(f"      cost: {found.costs[differs.option]}")
    lines.append(f"{len(found.findings)} against best practice")
    for item in found.findings:
        lines.append(f"  {item.level}: {item.node}: {item.what}; better: {item.better}")
        lines.append(f"      {item.why}")
        if item.option in found.costs:
            lines.append(f"      cost: {found.costs[item.option]}")
    if found.not_looked_at:
        lines.append(f"{counted(len(found.not_looked_at), 'thing')} not looked at")
        lines += [f"  {item.node}: {item.reason}" for item in found.not_looked_at]
    if found.findings:
        lines += [f"{level}: {words}" for level, words in LEVELS.items()]
    return "\n".join(lines)
