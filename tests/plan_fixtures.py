"""Plans as fixtures: every script byte for byte, but each thing once, so that a change's difference can be read.

`preamble.sh` has what all scripts begin with, `steps.sh` each step that stands in more than one plan. A fixture names
those and has the rest; of a node that does what another does it has the difference only.
"""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from seatrial.basics.schema import fold
from seatrial.plan.plan import Plan, render_step
from seatrial.solutions.look import FUNCTIONS
from seatrial.solutions.parts import ceph_nfs, fencing, iscsi_initiator, iscsi_target, kept

FOLDER = Path(__file__).parent / "plans"
PREAMBLE = FOLDER / "preamble.sh"
STEPS = FOLDER / "steps.sh"
ELIDED = {
    "(look.sh)": FUNCTIONS,
    "(kept.sh)": kept.FUNCTIONS,
    "(ceph_nfs.sh)": ceph_nfs.FUNCTIONS,
    "(iscsi_initiator.sh)": iscsi_initiator.FUNCTIONS,
    "(pacemaker_secrets.sh)": fencing.FUNCTIONS,
    "(iscsi_targets.sh)": iscsi_target.SCRIPT_TEXT,
}
"""what a plan takes from files as it is"""
_ENTRY = "##### "
_MAIN = re.compile(
    r'\nmain\(\) \{\n(?:    step \d+\n)+    rm -f "\$log"\n    settle\n    echo done >&3\n\}\nmain </dev/null\n\Z'
)


def shared_steps() -> dict[str, str]:
    """Each step of `steps.sh`, numbered 0, and its name there."""
    entries = re.split(rf"(?m)^{_ENTRY}(.*)\n", STEPS.read_text())[1:]
    return dict(zip(entries[1::2], entries[::2], strict=True))


def shared_by(plans: Iterable[Plan]) -> str:
    """What `steps.sh` is to hold: steps that stand in more than one of `plans`; a number tells those of one title."""
    plans_of = Counter(text for plan in plans for text in dict.fromkeys(_steps(plan)))
    titles = Counter[str]()
    parts = []
    for text in (text for text, times in plans_of.items() if times > 1):
        title = text.split("\n", 1)[0].removeprefix("# 0. ")
        titles[title] += 1
        parts.append(f"{_ENTRY}{title}{f' ({titles[title]})' if titles[title] > 1 else ''}\n{text}")
    return "".join(parts)


def elided(plan: Plan) -> str:
    """Every script of a plan, each once, without what stands elsewhere."""
    shared = shared_steps()
    kept: dict[tuple[int, str], list[str]] = {}
    for number, stage, node, script in plan.scripts():
        shown = script.replace(PREAMBLE.read_text(), "# (the preamble)\n")
        assert shown != script
        for index, step in enumerate(stage.steps[node], start=1):
            name = shared.get(render_step(0, step))
            if name is not None:
                shown = shown.replace(render_step(index, step), f"# {index}. (steps.sh) {name}\n")
        for name, text in ELIDED.items():
            shown = shown.replace(text, f"# {name}\n")
        kept.setdefault((number, _MAIN.sub(f"# ({len(stage.steps[node])} steps)\n", shown)), []).append(node)
    return "".join(_by_difference(kept))


def _steps(plan: Plan) -> Iterator[str]:
    for stage in plan.stages:
        for steps in stage.steps.values():
            yield from (render_step(0, step) for step in steps)


def _by_difference(scripts: dict[tuple[int, str], list[str]]) -> Iterator[str]:
    """Of a node that is like the first of its stage, what is different."""
    first = dict[int, tuple[str, list[str]]]()
    for (number, text), nodes in scripts.items():
        lines, (name, like) = text.splitlines(), first.get(number, ("", []))
        yield f"##### stage {number}, {fold(nodes)} #####\n"
        # Lines that are no longer there are those of the other node, at the places that are given.
        difference = [line for line in difflib.unified_diff(like, lines, n=0, lineterm="") if line[0] != "-"][1:]
        if like and len(difference) < len(lines) / 2:
            yield "\n".join([f"as on {name}, but for:", *difference]) + "\n"
        else:
            yield text
            first.setdefault(number, (fold(nodes), lines))
