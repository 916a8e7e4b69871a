"""docs/result-format.md: it has a section for each type of line, and a row for each field that a
run writes.
"""

import re
from dataclasses import fields
from typing import Any

import pytest

from seatrial.load.saturation_search import SearchOutcome
from seatrial.result.faults import FaultResult
from seatrial.result.phases import PhaseResult
from seatrial.result.sealed import SEALED
from tests.builders.places import ROOT

PAGE = (ROOT / "docs" / "result-format.md").read_text()
FROM_AGENTS = {"wall-clock-set"}
"""written with the type of an event of an agent"""


def section(title: str) -> str:
    """The text from a heading to the next one."""
    _, _, rest = PAGE.partition(f"\n{title}\n")
    return re.split(r"^#+ ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def written_types() -> set[str]:
    """The types of the lines that the program writes."""
    sources = [path.read_text() for path in (ROOT / "src" / "seatrial").rglob("*.py")]
    patterns = (r'\.line\(\s*"([a-z-]{2,})"', r'^LINE = "([a-z-]{2,})"$')
    found = {
        name
        for text in sources
        for pattern in patterns
        for name in re.findall(pattern, text, re.MULTILINE)
    }
    return found | FROM_AGENTS


def described_types() -> set[str]:
    """The types that have a section."""
    _, _, lines = PAGE.partition("\n## Lines\n")
    lines = re.split(r"^## ", lines, maxsplit=1, flags=re.MULTILINE)[0]
    return set(re.findall(r"^### (.+)$", lines, re.MULTILINE))


def test_each_type_of_line_has_a_section() -> None:
    """A type that no run writes has none."""
    assert described_types() == written_types()


@pytest.mark.parametrize(
    ("title", "kind"),
    [
        ("### phase", PhaseResult),
        ("### fault", FaultResult),
        ("### saturation-search", SearchOutcome),
    ],
)
def test_each_field_is_described(title: str, kind: Any) -> None:
    """As `name` in the section of its line."""
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", section(title)))))
    assert sorted({item.name for item in fields(kind)} - words) == []


def test_the_page_names_the_sealed_files() -> None:
    """A reader verifies these files with sha256sum(1)."""
    assert [name for name in SEALED if f"`{name}`" not in section("## The seal")] == []
    assert "sha256sum -c result.sha256" in section("## The seal")
