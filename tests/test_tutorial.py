"""docs/tutorial.md and docs/first-study.md: their texts are those of the program."""

import re
from pathlib import Path

import pytest

from seatrial.basics.errors import InputError
from seatrial.check import prepare
from seatrial.start.new import study_text
from seatrial.study.study import parse_study
from tests.builders.places import ROOT

DOCS = ROOT / "docs"
YAML = re.compile(r"^```yaml\n((?:.*\n)+?)```", re.MULTILINE)
ERROR = re.compile(r"^    error: (?P<place>\S+): (?P<message>.+)$", re.MULTILINE)


def test_the_fault_of_the_tutorial_is_in_the_new_study() -> None:
    """A reader removes `# ` from these lines of `seatrial new nfs first`."""
    (fault,) = YAML.findall((DOCS / "tutorial.md").read_text())
    commented = "".join(f"# {line}\n" for line in fault.splitlines())
    text = study_text("nfs", "first")
    assert commented in text
    study = parse_study(text.replace(commented, fault), Path("study.yaml"))
    prepare(study)
    assert list(study.faults) == ["nfsd-dead"]


def test_the_mistake_of_the_first_study_has_its_message() -> None:
    """RAID 5 with two disks, with line and column."""
    page = (DOCS / "first-study.md").read_text()
    (text,) = YAML.findall(page)
    shown = ERROR.search(page)
    assert shown is not None
    path, line, column = shown["place"].split(":")
    study = parse_study(text.replace("count: 3", "count: 2"), Path(path))
    with pytest.raises(InputError) as error:
        prepare(study)
    assert f"{path}:{line}:{column}: {shown['message']}" in str(error.value)
