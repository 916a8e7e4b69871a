"""One package adds a rule of an audit, others another program's results and an export format: each
without an edit of Seatrial.
"""

import subprocess
from pathlib import Path

import pytest

from seatrial.advice.audit_base import every_finding, facts_of, probe
from seatrial.advice.importing import import_files
from seatrial.basics.errors import InputError
from seatrial.writers.base import format_names, writer
from tests.builders.packages import Packages, names_it
from tests.builders.stored import summary_named

RULE = '''
"""Rules for the tide."""
from seatrial.advice.audit_base import Finding

PROBE = "echo 'high water'; echo 'two\\\\lines'; cat; exit 3"


def findings(facts):
    for node in facts:
        for line in node.lines.get("tide", ()):
            yield Finding(node.node, "unsafe", line, "a dyke", "the room is wet")
'''
PROGRAM = '''
"""Results of the program seiche."""
from seatrial.advice.foreign import Foreign, Reading


def recognises(text):
    return text.startswith("seiche")


def version(text):
    return "7"


def read(text):
    return Reading((Foreign("write", "seiche", bytes_per_s=5e6),))
'''
FORMAT = '''
"""`limerick`: one line for each criterion."""
TITLE = "one line for each criterion"


def write(summary):
    return "".join(f"{item.id}\\n" for item in summary.criteria)
'''


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Packages:
    """For packages of third parties."""
    return Packages(tmp_path / "packages", monkeypatch)


def test_a_package_adds_a_rule_with_the_facts_that_it_needs(packages: Packages) -> None:
    """Its script cannot end the audit, and no other fact changes."""
    before = probe()
    packages.install("seatrial.audits", "tide", RULE)
    assert probe().startswith(before.removesuffix("exit 0\n"))
    done = subprocess.run(
        ["sh", "-s"], input=probe(), capture_output=True, text=True, check=True, timeout=60
    )
    plain = subprocess.run(
        ["sh", "-s"], input=before, capture_output=True, text=True, check=True, timeout=60
    )
    facts = facts_of("nas", done.stdout)
    assert facts.lines == {"tide": ("high water", "two\\lines")}
    assert facts.gaps == facts_of("nas", plain.stdout).gaps
    found = [item.what for item in every_finding([facts])]
    assert found[:2] == ["high water", "two\\lines"]
    assert names_it("tide") == []


def test_a_package_adds_results_of_a_program(packages: Packages, tmp_path: Path) -> None:
    """`import` recognises them."""
    output = tmp_path / "output"
    output.write_text("seiche 7\n")
    with pytest.raises(InputError):
        import_files([output], tmp_path / "first")
    packages.install("seatrial.imports", "seiche", PROGRAM)
    assert import_files([output], tmp_path / "second").program == "seiche"
    assert names_it("seiche") == []


def test_a_package_adds_an_export_format(packages: Packages, tmp_path: Path) -> None:
    """It is named with the others, and reads the result summary only."""
    with pytest.raises(InputError, match="'limerick' is none of csv"):
        writer("limerick")
    packages.install("seatrial.writers", "limerick", FORMAT)
    assert "limerick" in format_names()
    summary = summary_named("nss-ha-quick", tmp_path / "stored")
    assert writer("limerick").write(summary) == "".join(f"{it.id}\n" for it in summary.criteria)
    with pytest.raises(InputError, match="limerick"):
        writer("sonnet")
    assert names_it("limerick") == []
