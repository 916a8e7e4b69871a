"""docs/node-changes.md is made from the plans: what each solution changes on a node, and how it is given back."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

from seatrial.basics.node_sets import fold
from seatrial.plan.plan import Plan, Step
from seatrial.solutions.base import solution_kinds
from tests.plan_fixtures import both_plans

PAGE = Path(__file__).parent.parent / "docs" / "node-changes.md"
CASES = {
    "nfs": "nfs/hosts",
    "smb": "smb/hosts-credentials",
    "sshfs": "sshfs/hosts",
    "nfs-ha": "nfs-ha/hosts",
    "gfs2-iscsi": "gfs2-iscsi/hosts",
    "gfs2-iscsi with block_servers": "gfs2-iscsi/block-servers",
    "cephfs": "cephfs/hosts-erasure-secure",
    "script": "script/glusterfs",
    "mount": "mount/plain",
}
"""heading: a kind of solution, and what it is used with -> the plan fixture that the part is made from"""
HEAD = """\
# What Seatrial changes on a node

This page is made from the plans themselves (`tests/test_safety_page.py`); a test compares it. Each part is one study:
other options change less or more, and `seatrial plan STUDY --scripts`, with `--undeploy`, prints all of it for yours.
`seatrial preflight STUDY` shows beforehand what a deploy would refuse.

Every deploy begins with a look at all nodes that changes nothing, and marks each in `/var/lib/seatrial/made/ID`, which
is root's alone. A removal does nothing on a node without the mark but what `--wipe` names. "Given back": the file is as
it was before, or gone where there was none; one that somebody has edited since stays as it is. Packages that a deploy
has installed stay, and are told, unless `undeploy --packages` takes them away; units that were enabled or active before
are so again. Data stay on their disks unless `--wipe` names these; what was made there is known by its UUID, and noted
beside the mark. The load's own files lie in `/var/lib/seatrial/load`, and stay.
"""
WRITTEN = re.compile(r"\bmv (\S+)\.new (\S+)")
UNITS = re.compile(r"systemctl (?:-q |--no-reload |--now )*(enable|disable|add-wants \S+) (?:--now )?([^\n;|&]+)")


def steps_of(plan: Plan) -> Iterable[tuple[str, Step]]:
    """(node, step), in order."""
    return ((node, step) for stage in plan.stages for node, steps in stage.steps.items() for step in steps)


def grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What -> the nodes on which, in the order of the plan."""
    found: dict[str, list[str]] = {}
    for node, what in pairs:
        found.setdefault(what, []).append(node)
    return {what: fold(list(dict.fromkeys(nodes))) for what, nodes in found.items()}


def given_back(path: str, undone: Plan) -> str:
    """By which step of the removal."""
    for _node, step in steps_of(undone):
        if step.title == f"give back {path}":
            return "given back"
        if step.title == f"remove {path}" or re.search(rf"\brm (-\S+ )*[^\n]*{re.escape(path)}(?!\S)", step.apply):
            return "removed"
        if f"mv {path}.new {path}" in step.apply:
            return "its lines are removed"
    folder = path.rsplit("/", 1)[0]
    if folder and any(re.search(rf"\brm -r\S* [^\n]*{re.escape(folder)}", step.apply) for _, step in steps_of(undone)):
        return "removed"
    return "removed with the user's home" if path.startswith("/home/") else "stays"


def part(heading: str) -> str:
    """The page's part about one kind."""
    plan, undone = both_plans(CASES[heading])
    deployed = [(node, step) for node, step in steps_of(plan) if not step.apply.rstrip().endswith("exit 1")]
    files = grouped((node, match[1].strip("'\"")) for node, step in deployed for match in WRITTEN.finditer(step.apply))
    units = grouped(
        (node, f"{match[1].split()[0].replace('add-wants', 'enable')} {name.removesuffix('.service')}")
        for node, step in deployed
        for match in UNITS.finditer(step.apply)
        for name in match[2].split()
        if "$" not in name and not name.startswith("-") and not (match[1] == "disable" and name.startswith("seatrial-"))
    )
    takes = [(node, what, whose) for node, step in steps_of(plan) for what, whose in step.takes]
    over = grouped((node, f"{what} `{whose}`") for node, what, whose in takes if what != "secret")
    secrets = grouped((node, f"`{whose}`") for node, what, whose in takes if what == "secret")
    lines = [f"## {heading}\n", f"{plan.title[0].upper()}{plan.title[1:]}.\n"]
    lines += listed("Taken over, unless somebody else has any there", over)
    lines += listed("Secrets that have to be there, in files of root's alone", secrets)
    if files:
        lines += ["| file | on | a removal |", "|---|---|---|"]
        lines += [f"| `{path}` | {nodes} | {given_back(path, undone)} |" for path, nodes in files.items()]
        lines.append("")
    lines += listed("At boot", units)
    lines += listed("All that a deploy does, in order", grouped((node, step.title) for node, step in deployed))
    taken = [(node, step) for node, step in steps_of(undone) if not step.apply.rstrip().endswith("exit 1")]
    lines += listed("All that a removal does, in order", grouped((node, step.title) for node, step in taken))
    return "\n".join(lines)


def listed(title: str, found: dict[str, str]) -> list[str]:
    """A list with its title; nothing where there is nothing."""
    return [f"{title}:\n", *(f"- {what} ({nodes})" for what, nodes in found.items()), ""] if found else []


def test_the_page_is_what_the_plans_do() -> None:
    """After a wanted change: SEATRIAL_WRITE_PLANS=1 pytest tests/test_safety_page.py, then read the difference."""
    assert {heading.partition(" ")[0] for heading in CASES} == set(solution_kinds())
    page = "\n".join([HEAD, *(part(heading) for heading in CASES)]).rstrip() + "\n"
    if os.environ.get("SEATRIAL_WRITE_PLANS"):
        PAGE.write_text(page)
    assert PAGE.read_text() == page
