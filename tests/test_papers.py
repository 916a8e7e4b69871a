"""`docs/papers.md`: no part of a paper is left out, and every place that it names exists."""

import re
from pathlib import Path

import pytest
import yaml

from seatrial.study.study import load_study

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "papers.md").read_text()
PAPERS = sorted(path.stem for path in (ROOT / "published").glob("*.yaml"))


def section(paper: str) -> str:
    """The page's part of one paper."""
    return PAGE.split(f"\n## {paper}\n")[1].split("\n## ")[0]


@pytest.mark.parametrize("paper", PAPERS)
def test_the_page_has_all_of_a_paper(paper: str) -> None:
    """Tables, figures, prose that was measured, faults; in the paper's order, and nothing else."""
    facts = yaml.safe_load((ROOT / "published" / f"{paper}.yaml").read_text())
    wanted = [item["id"] for kind in ("experiments", "faults") for item in facts.get(kind) or []]
    assert sorted(re.findall(r"^\| ([A-Z]\d+[a-z]?) ", section(paper), re.MULTILINE)) == sorted(wanted)


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_of_a_paper_has_an_answer(paper: str) -> None:
    """By a measurement, or with the reason for its absence."""
    facts = yaml.safe_load((ROOT / "published" / f"{paper}.yaml").read_text())
    assert set(load_study(ROOT / "studies" / paper).published_claims) == {item["id"] for item in facts["claims"]}


@pytest.mark.parametrize(("study", "name"), sorted(set(re.findall(r"`([\w-]+): ([\w-]+)`", PAGE))))
def test_names_of_the_page_are_in_the_study(study: str, name: str) -> None:
    """An experiment or a fault."""
    found = load_study(ROOT / "studies" / study)
    assert name in {*found.experiments, *found.faults}
