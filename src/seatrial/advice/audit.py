"""An audit of a running system, which changes nothing: what differs from the study and from best practice.

The first is the plan in its checking mode; the second are the rules of `seatrial.audits`. What a setting is likely to
cost is what the newest record of the study measured; else what was published of it.
"""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.advice.advice import Advice
from seatrial.advice.audit_base import LEVELS, PROBE, PROBE_TIMEOUT_S, Finding, every_finding, facts_of
from seatrial.basics.errors import RunError
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
    deployed: bool = True
    """some node bears the study's mark; where none does, all of its settings are missing, and none is told"""

    @property
    def clean(self) -> bool:
        """Nothing was found."""
        return self.deployed and not self.differs and not self.findings


def audit(session: Session, measured: Sequence[Advice], published: Mapping[str, Any]) -> Audit:
    """Look at every node of a system; RunError when one cannot be asked."""
    solution, plan = session.solution, session.solution.plan({})

    def ask(node: str) -> str:
        peers = solution.clients if node in solution.servers else solution.servers
        peer = session.site.nodes[next((name for name in peers if name != node), node)].address
        done = session.transport.run(node, f"sh -s {peer}", stdin=PROBE.encode(), timeout_s=PROBE_TIMEOUT_S)
        if done.exit_code:
            raise RunError(f"{node} could not be asked: {done.stderr.strip() or done.exit_code}")
        return done.stdout

    deployed = is_deployed(session)
    results = session.deploy(plan, mode="check").results if deployed else ()
    differs = _differences(session, plan, [item for item in results if item.result == "pending"])
    nodes = tuple(dict.fromkeys((*solution.servers, *solution.clients)))
    facts = [facts_of(node, text) for node, text in on_every(nodes, ask).items()]
    # That a study is about sshfs is its own choice, and nothing that somebody has to mend.
    found = tuple(item for item in every_finding(facts) if item.option != session.study.solution.kind)
    options = (*(item.option for item in found), *(item.option for item in differs))
    costs = {option: cost(option, measured, published) for option in options if option}
    return Audit(differs, len(results), found, {key: text for key, text in costs.items() if text}, deployed)


def is_deployed(session: Session) -> bool:
    """Whether any node bears the mark of the study."""
    solution, transport = session.solution, session.transport
    nodes = nodes_of(solution)

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
    if found.findings:
        lines += [f"{level}: {words}" for level, words in LEVELS.items()]
    return "\n".join(lines)
