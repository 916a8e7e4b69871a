"""docs/node-changes.md is generated from the plans: changes of each solution, and their removal."""

import os
import re
from collections.abc import Iterable

from seatrial.basics.node_sets import fold
from seatrial.plan.plan import Plan, Step
from seatrial.plan.resources import Refusal
from seatrial.solutions.base import solution_kinds
from tests.builders.places import ROOT
from tests.builders.plan_fixtures import PLANS, both_plans
from tests.builders.steps import commands_of
from tests.builders.strategies import written_in

PAGE = ROOT / "docs" / "node-changes.md"
CASES = {
    str(case["page"]): name for name, path in PLANS.items() if "page" in (case := written_in(path))
}
"""heading, which begins with a kind of solution -> the plan fixture with this heading as `page`"""
HEAD = """\
# What Seatrial changes on a node

This page lists every change that Seatrial makes on a node. It is generated from the plans
(`tests/test_safety_page.py`), and a test compares it. Each section shows one study. Other options
change more or less: `seatrial plan STUDY --scripts` prints the plan of your study, and with \
`--undeploy` its
removal. `seatrial preflight STUDY` shows the refusals of a deploy in advance.

- **Preflight check.** Every deploy starts with a read-only check of all nodes.
- **Mark.** A deploy then marks each node in `/var/lib/seatrial/made/ID`, which only root can read.
  On a node without the mark, a removal does nothing except for devices named with `--wipe`.
- **Restored files.** "Restored" means that the file has its earlier content, or is deleted if it
  did not exist. A file that was edited since stays unchanged.
- **Packages.** Packages that a deploy installed stay and are listed. `undeploy --packages` removes
  them.
- **Units.** Units that were enabled or active before have that state again.
- **Data.** Data stay on the disks unless `--wipe` names the disks. The UUIDs of created volumes are
  stored next to the mark.
- **Load files.** The files of the load are in `/var/lib/seatrial/load` and stay. `mount` without \
root
  uses [a private folder of the user](mount.md#files-that-stay).
"""
WRITTEN = re.compile(r"\bmv (\S+)\.new (\S+)")
UNITS = re.compile(
    r"systemctl (?:-q |--no-reload |--now )*(enable|disable|add-wants \S+) (?:--now )?([^\n;|&]+)"
)


def steps_of(plan: Plan) -> Iterable[tuple[str, Step]]:
    """(node, step), in order."""
    return (
        (node, step)
        for stage in plan.stages
        for node, steps in stage.steps.items()
        for step in steps
    )


def grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Step -> its nodes, in the order of the plan."""
    found: dict[str, list[str]] = {}
    for node, what in pairs:
        found.setdefault(what, []).append(node)
    return {what: fold(list(dict.fromkeys(nodes))) for what, nodes in found.items()}


def given_back(path: str, undone: Plan) -> str:
    """The step of the removal that restores it."""
    for _node, step in steps_of(undone):
        if step.title == f"restore {path}":
            return "restored"
        if step.title == f"remove {path}" or re.search(
            rf"\brm (-\S+ )*[^\n]*{re.escape(path)}(?!\S)", commands_of(step)
        ):
            return "removed"
        if f"mv {path}.new {path}" in commands_of(step):
            return "its lines are removed"
    folder = path.rsplit("/", 1)[0]
    if folder and any(
        re.search(rf"\brm -r\S* [^\n]*{re.escape(folder)}", step.apply)
        for _, step in steps_of(undone)
    ):
        return "removed"
    return "removed with the user's home" if path.startswith("/home/") else "stays"


def part(heading: str) -> str:
    """The page's part about one kind."""
    plan, undone = both_plans(CASES[heading])
    deployed = [(node, step) for node, step in steps_of(plan) if not refuses(step)]
    files = grouped(
        (node, match[1].strip("'\""))
        for node, step in deployed
        for match in WRITTEN.finditer(commands_of(step))
    )
    units = grouped(
        (
            node,
            f"{match[1].split()[0].replace('add-wants', 'enable')} {name.removesuffix('.service')}",
        )
        for node, step in deployed
        for match in UNITS.finditer(commands_of(step))
        for name in match[2].split()
        if "$" not in name
        and not name.startswith("-")
        and not (match[1] == "disable" and name.startswith("seatrial-"))
    )
    takes = [(node, what, whose) for node, step in steps_of(plan) for what, whose in step.takes]
    over = grouped((node, f"{what} `{whose}`") for node, what, whose in takes if what != "secret")
    secrets = grouped((node, f"`{whose}`") for node, what, whose in takes if what == "secret")
    lines = [f"## {heading}\n", f"{plan.title[0].upper()}{plan.title[1:]}.\n"]
    lines += listed("Reserved; a deploy is refused if another owner uses one", over)
    lines += listed("Required secrets, in files that only root can read", secrets)
    if files:
        lines += ["| file | on | a removal |", "|---|---|---|"]
        lines += [
            f"| `{path}` | {nodes} | {given_back(path, undone)} |" for path, nodes in files.items()
        ]
        lines.append("")
    lines += listed("At boot", units)
    lines += listed(
        "Steps of a deploy, in order",
        grouped((node, sentence(step.title)) for node, step in deployed),
    )
    taken = [(node, step) for node, step in steps_of(undone) if not refuses(step)]
    lines += listed(
        "Steps of a removal, in order",
        grouped((node, sentence(step.title)) for node, step in taken),
    )
    return "\n".join(lines)


def refuses(step: Step) -> bool:
    """Whether the step changes nothing."""
    return isinstance(step.change, Refusal) or step.apply.rstrip().endswith("exit 1")


def sentence(title: str) -> str:
    """A step title with a capital first letter."""
    return title[:1].upper() + title[1:]


def listed(title: str, found: dict[str, str]) -> list[str]:
    """A list with its title; nothing where there is nothing."""
    return (
        [f"{title}:\n", *(f"- {what} ({nodes})" for what, nodes in found.items()), ""]
        if found
        else []
    )


def test_the_page_matches_the_plans() -> None:
    """After a wanted change: SEATRIAL_WRITE_PLANS=1 pytest tests/test_safety_page.py, then read the
    difference.
    """
    assert {heading.partition(" ")[0] for heading in CASES} == set(solution_kinds())
    page = "\n".join([HEAD, *(part(heading) for heading in sorted(CASES))]).rstrip() + "\n"
    if os.environ.get("SEATRIAL_WRITE_PLANS"):
        PAGE.write_text(page)
    assert PAGE.read_text() == page
