"""Plans as fixtures: every script byte for byte, each part once, so that the difference of a change
is readable.

`preamble.sh` has the common beginning of all scripts, `steps.sh` each step that several plans
share. A fixture names those and has the rest; a node that is like another has only its difference.
"""

import copy
import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from seatrial.basics.node_sets import fold
from seatrial.check import prepare
from seatrial.plan import library
from seatrial.plan.plan import Plan, library_of, render_step
from seatrial.solutions.kinds import mount
from seatrial.solutions.look import FUNCTIONS, deployment, removal
from seatrial.solutions.parts import (
    backups,
    ceph_nfs,
    fencing,
    iscsi_initiator,
    iscsi_target,
    volumes,
)
from seatrial.study.study import Study, parse_study
from tests.builders.places import ROOT, STUDIES
from tests.builders.strategies import MINIMAL, text_of, written_in

FOLDER = ROOT / "tests" / "plans"
PLANS = {f"{path.parent.name}/{path.stem}": path for path in sorted(FOLDER.glob("*/*.yaml"))}
PREAMBLE = FOLDER / "preamble.sh"
STEPS = FOLDER / "steps.sh"
ELIDED = {
    "(look.sh)": FUNCTIONS,
    "(volumes.sh)": volumes.FUNCTIONS,
    "(backups.sh)": backups.FUNCTIONS,
    "(ceph_nfs.sh)": ceph_nfs.FUNCTIONS,
    "(iscsi_initiator.sh)": iscsi_initiator.FUNCTIONS,
    "(pacemaker_secrets.sh)": fencing.FUNCTIONS,
    "(iscsi_targets.sh)": iscsi_target.SCRIPT_TEXT,
    "(existing_storage.sh)": mount.FUNCTIONS,
}
"""what a plan takes from files as it is"""
_ENTRY = "##### "
_MAIN = re.compile(
    r'\nmain\(\) \{\n(?:    step \d+\n)+    rm -f "\$log"\n    settle\n    echo done >&3\n\}\nmain'
    r" </dev/null\n\Z"
)


@cache
def data_of(name: str) -> tuple[dict[str, Any], Path]:
    """A fixture's study and its place: `study` changes the small study, or the shipped one that
    `base` names.

    It is cached like everything here: copy it before you change it.
    """
    case = written_in(PLANS[name])
    shipped = STUDIES / case["base"] / "study.yaml" if "base" in case else Path("study.yaml")
    return merged(written_in(shipped) if "base" in case else MINIMAL, case["study"]), shipped


@cache
def study_of(name: str) -> Study:
    """The same, read."""
    data, shipped = data_of(name)
    return parse_study(text_of(data), shipped)


@cache
def both_plans(name: str) -> tuple[Plan, Plan]:
    """What deploys and removes it, where nothing may be erased."""
    site, solution = prepare(study_of(name))
    # The folder on existing storage has the name of the user who runs Seatrial.
    with patch("seatrial.solutions.kinds.mount.login_name", return_value="alice"):
        return deployment(solution, site, {}), removal(solution, {})


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """`changes` laid over `base`, mapping by mapping; null removes a key."""
    result = copy.deepcopy(base)
    for key, value in changes.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = value
    return result


def shared_steps() -> dict[str, str]:
    """Each step of `steps.sh`, numbered 0, and its name there."""
    entries = re.split(rf"(?m)^{_ENTRY}(.*)\n", STEPS.read_text())[1:]
    return dict(zip(entries[1::2], entries[::2], strict=True))


def shared_by(plans: Iterable[Plan]) -> str:
    """The contents of `steps.sh`: steps that several of `plans` share; a number distinguishes
    equal titles.
    """
    plans_of = Counter(text for plan in plans for text in dict.fromkeys(_steps(plan)))
    titles = Counter[str]()
    parts = []
    for text in (text for text, times in plans_of.items() if times > 1):
        title = text.split("\n", 1)[0].removeprefix("# 0. ")
        titles[title] += 1
        parts.append(f"{_ENTRY}{title}{f' ({titles[title]})' if titles[title] > 1 else ''}\n{text}")
    return "".join(parts)


def elided(plan: Plan) -> str:
    """Every script of a plan, each once, without the parts of other files."""
    shared = shared_steps()
    kept: dict[tuple[int, str], list[str]] = {}
    for number, stage, node, script in plan.scripts():
        shown = script.replace(PREAMBLE.read_text(), "# (the preamble)\n")
        assert shown != script
        for index, step in enumerate(stage.steps[node], start=1):
            name = shared.get(_without_functions(render_step(0, step)))
            if name is not None:
                shown = shown.replace(render_step(index, step), f"# {index}. (steps.sh) {name}\n")
            else:
                whole = render_step(index, step)
                shown = shown.replace(whole, _without_functions(whole))
        called = library_of(stage, stage.steps[node])
        if called:
            names = " ".join(library.names_for(called))
            shown = shown.replace(called, f"# (sh/: {names})\n")
        for name, text in ELIDED.items():
            shown = shown.replace(text, f"# {name}\n")
        kept.setdefault(
            (number, _MAIN.sub(f"# ({len(stage.steps[node])} steps)\n", shown)), []
        ).append(node)
    return "".join(_by_difference(kept))


def _steps(plan: Plan) -> Iterator[str]:
    for stage in plan.stages:
        for steps in stage.steps.values():
            yield from (_without_functions(render_step(0, step)) for step in steps)


def _without_functions(text: str) -> str:
    """The text of a step without the functions of `sh/` that a file of it has."""
    for name, function in library.functions().items():
        text = text.replace(f"{function}\n", f"# (sh/: {name})\n")
    return text


def _by_difference(scripts: dict[tuple[int, str], list[str]]) -> Iterator[str]:
    """For a node that is like the first of its stage, the difference."""
    first = dict[int, tuple[str, list[str]]]()
    for (number, text), nodes in scripts.items():
        lines = text.splitlines()
        name, like = first.get(number, ("", []))
        yield f"##### stage {number}, {fold(nodes)} #####\n"
        # Lines that are no longer there are those of the other node, at the places that are given.
        difference = [
            line for line in difflib.unified_diff(like, lines, n=0, lineterm="") if line[0] != "-"
        ][1:]
        if like and len(difference) < len(lines) / 2:
            yield "\n".join([f"as on {name}, but for:", *difference]) + "\n"
        else:
            yield text
            first.setdefault(number, (fold(nodes), lines))
