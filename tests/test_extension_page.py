"""docs/writing-a-solution.md: its modules load and work, and its tables list every member and
protocol.
"""

import re
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from seatrial.faults.base import Shell
from seatrial.launchers.base import LaunchRequest
from seatrial.plan.plan import Step
from seatrial.solutions import base, shared_storage
from seatrial.solutions.base import Solution, SolutionKind
from tests.builders.fault_studies import scene
from tests.builders.places import ROOT
from tests.builders.results import client, phase, result_of
from tests.builders.stored import NAMES, summary_named
from tests.builders.strategies import changed

PAGE = ROOT / "docs" / "writing-a-solution.md"
SECTION = re.compile(r"^## (?P<title>.+)\n(?P<text>(?:(?!^## ).*\n)*)", re.MULTILINE)
MODULE = re.compile(r'^```python\n(?P<text>"""(?:.*\n)+?)```', re.MULTILINE)


def section(title: str) -> str:
    """The text of a section of the page."""
    sections = {found["title"]: found["text"] for found in SECTION.finditer(PAGE.read_text())}
    return sections[title]


def module_in(title: str) -> Any:
    """The module that a section shows, loaded."""
    found = MODULE.search(section(title))
    assert found is not None, title
    module = ModuleType(title)
    exec(compile(found["text"], f"{PAGE.name}: {title}", "exec"), module.__dict__)
    return module


def first_cells(text: str, header: str) -> list[str]:
    """The names in the first column of the table with this header."""
    _, _, rest = text.partition(f"| {header} |")
    table = rest.partition("\n\n")[0].splitlines()[2:]
    cells = [row.split("|")[1] for row in table]
    return [name for cell in cells for name in re.findall(r"`(\w+)", cell)]


def members() -> set[str]:
    """The members that every solution must have."""
    methods = {name for name in vars(Solution) if not name.startswith("_")}
    return methods | set(Solution.__annotations__)


def optional_protocols() -> set[str]:
    """The protocols that a solution can offer in addition to `Solution`."""
    found = set()
    for module in (base, shared_storage):
        classes = [item for item in vars(module).values() if isinstance(item, type)]
        own = [item for item in classes if item.__module__ == module.__name__]
        found |= {item.__name__ for item in own if getattr(item, "_is_protocol", False)}
    return found - {Solution.__name__, SolutionKind.__name__}


def test_the_fault_injects_and_repairs() -> None:
    """The example is a whole kind of fault."""
    module = module_in("A fault")
    found = module.actions(module.Options.model_validate({"bond": "bond1"}), scene())
    assert found.inject == (Shell("nas", "ip link set bond1 down"),)
    assert found.repair == (Shell("nas", "ip link set bond1 up"),)
    assert (module.TITLE, module.WORD, module.DURATION_S) == (
        "a bond of a node is down",
        "bond",
        20.0,
    )


@pytest.mark.parametrize(("late_s", "verdict"), [(0.05, "pass"), (0.2, "fail")])
def test_the_check_judges_the_latest_start(tmp_path: Path, late_s: float, verdict: str) -> None:
    """The example is a whole check."""
    module = module_in("A check")
    clients = (client(), client(client="c2", start_late_s=late_s))
    result = result_of(tmp_path / "r", changed("criteria", []), phase(clients=clients))
    answer = module.check(result, module.Options(experiment="one", phase="read"))
    assert answer.verdict == verdict
    assert f"began {late_s:.3f} s after" in answer.evidence


def test_the_launcher_makes_a_command_line() -> None:
    """The example starts one task on each node."""
    module = module_in("A launcher")
    started: list[tuple[Any, ...]] = []
    module.GroupTransport = lambda *arguments: started.append(arguments)
    module.transport(LaunchRequest(("n1", "n2"), "/agent", ("--queue=test",), start_timeout_s=3.0))
    command = ["flux", "run", "-N2", "-n2", "--queue=test", "/agent", "group"]
    assert started == [("flux", command, ("n1", "n2"), 3.0)]


def test_the_writer_writes_every_criterion(tmp_path: Path) -> None:
    """The example writes one line for each."""
    module = module_in("An export format")
    summary = summary_named(NAMES[0], tmp_path)
    lines = module.write(summary).splitlines()
    assert lines == [f"{item.verdict}\t{item.id}" for item in summary.criteria]
    assert lines


@pytest.mark.parametrize(
    ("title", "header", "expected"),
    [
        ("The module", "member | meaning", members()),
        ("The module", "protocol | ability", optional_protocols()),
        ("Plans", "field of `Step` | meaning", {item.name for item in fields(Step)}),
    ],
    ids=["members", "protocols", "step"],
)
def test_the_tables_are_complete(title: str, header: str, expected: set[str]) -> None:
    """A new member, protocol or field needs a row."""
    names = first_cells(section(title), header)
    assert len(names) == len(set(names))
    assert set(names) == set(expected)
