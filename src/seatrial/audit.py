"""An audit of a running system, which changes nothing: what differs from the study and from best practice.

The first is the plan in its checking mode; the second are the rules of `seatrial.audits`. What a setting is likely to
cost is what the newest record of the study measured; else what was published of it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial.advice import Advice
from seatrial.audits.base import LEVELS, PROBE, Finding, every_finding, facts_of
from seatrial.deploy import StepResult
from seatrial.errors import RunError
from seatrial.published import published_rows
from seatrial.session import Session
from seatrial.transport import on_every

PUBLISHED_LINES = {"async": (2, 1), "rsize": (3, 1), "udp": (5, 1), "noac": (6, 1), "jumbo": (7, 1)}
"""option -> (its line, the line without it) in Table 3 of network-storage-clusters"""


@dataclass(frozen=True)
class Audit:
    """What was found."""

    differs: tuple[StepResult, ...]
    """steps of the plan that a deploy would make"""
    steps: int
    findings: tuple[Finding, ...]
    costs: Mapping[str, str]
    """option of a finding -> what it is likely to cost"""

    @property
    def clean(self) -> bool:
        """Nothing was found."""
        return not self.differs and not self.findings


def audit(session: Session, measured: Sequence[Advice], published: Mapping[str, Any]) -> Audit:
    """Look at every node of a system; RunError when one cannot be asked."""
    outcome = session.deploy(session.solution.plan({}), mode="check")
    nodes = tuple(dict.fromkeys((*session.solution.servers, *session.solution.clients)))
    found = tuple(every_finding([facts_of(node, text) for node, text in on_every(nodes, _asker(session)).items()]))
    costs = {item.option: cost(item.option, measured, published) for item in found if item.option}
    differs = tuple(item for item in outcome.results if item.result == "pending")
    return Audit(differs, len(outcome.results), found, {key: text for key, text in costs.items() if text})


def _asker(session: Session) -> Any:
    solution, site = session.solution, session.site

    def ask(node: str) -> str:
        peers = solution.clients if node in solution.servers else solution.servers
        peer = site.nodes[peers[0]].address
        done = session.transport.run(node, f"sh -s {peer}", stdin=PROBE.encode(), timeout_s=60)
        if done.exit_code:
            raise RunError(f"{node} could not be asked: {done.stderr.strip() or done.exit_code}")
        return done.stdout

    return ask


def cost(option: str, measured: Sequence[Advice], published: Mapping[str, Any]) -> str:
    """What an option is likely to cost, in a sentence; empty where nothing is known."""
    for advice in measured:
        if option in _words_of(advice) and advice.effects:
            told = ", ".join(f"{item.phase} {item.after / item.before - 1:+.0%}" for item in advice.effects)
            return f"measured ({advice.experiment}, {advice.name} against the first row): {told}"
    lines = published_rows(published, "T3") if published.get("id") == "network-storage-clusters" else {}
    if option in PUBLISHED_LINES and all(line in lines for line in PUBLISHED_LINES[option]):
        with_it, without = (lines[line] for line in PUBLISHED_LINES[option])
        told = ", ".join(f"{key} {with_it[key] / without[key] - 1:+.0%}" for key in ("write", "read"))
        words = "sync against it" if option == "async" else "with it"
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
    lines = [f"{len(found.differs)} of {found.steps} settings of the study are not as it says"]
    lines += [f"  {item.node}: {item.step}" for item in found.differs]
    lines.append(f"{len(found.findings)} against best practice")
    for item in found.findings:
        lines.append(f"  {item.level}: {item.node}: {item.what}; better: {item.better}")
        lines.append(f"      {item.why}")
        if item.option in found.costs:
            lines.append(f"      cost: {found.costs[item.option]}")
    if found.findings:
        lines += [f"{level}: {words}" for level, words in LEVELS.items()]
    return "\n".join(lines)
