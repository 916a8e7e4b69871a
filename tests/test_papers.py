"""The pages of the papers: no item of a paper is left out, and every named place exists."""

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.study.paper import SECTIONS, Paper, Place, Row, identity_of, load_paper
from seatrial.study.study import load_study
from tests.builders.places import ROOT
from tests.builders.tools import script
from tests.builders.yaml_texts import loaded

paper_pages = script("paper_pages")
paper_text = script("paper_text")
PAPERS = sorted(path.stem for path in (ROOT / "published").glob("*.yaml"))


def facts_of(paper: str) -> Any:
    """The published result."""
    return loaded((ROOT / "published" / f"{paper}.yaml").read_text())


def listed(facts: Any, section: str) -> list[Any]:
    """The items of one list of a published result."""
    system = facts["system"]
    if section == "hardware":
        layers = dict.fromkeys(part["layer"] for part in system["components"])
        others = {"clients": facts["clients"], "links": system["topology"]}
        others["layout"] = system["storage_layout"]
        return [{"id": name} for name in (*layers, *(key for key in others if others[key]))]
    return (system if section == "limits" else facts).get(section) or []


def rows_of(paper: str, heading: str) -> list[str]:
    """The first cells of the table below a heading of a page."""
    page = (ROOT / "docs" / "papers" / f"{paper}.md").read_text()
    if f"\n## {heading}\n" not in page:
        return []
    text = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| ([^|]+?) \|", text, re.MULTILINE)[1:]


@pytest.mark.parametrize("section", SECTIONS)
@pytest.mark.parametrize("paper", PAPERS)
def test_a_page_has_every_item_of_its_paper(paper: str, section: str) -> None:
    """In the order of the published facts, and nothing else."""
    names = [identity_of(section, item) for item in listed(facts_of(paper), section)]
    assert rows_of(paper, paper_pages.TITLES[section]) == names


@pytest.mark.parametrize("paper", PAPERS)
def test_every_claim_of_a_paper_has_an_answer(paper: str) -> None:
    """By a measurement, or with the reason for its absence; and it is on the page."""
    claims = [item["id"] for item in facts_of(paper)["claims"]]
    assert set(load_study(ROOT / "studies" / paper).published_claims) == set(claims)
    assert rows_of(paper, "Claims") == claims


@pytest.mark.parametrize("paper", PAPERS)
def test_a_page_has_every_erratum_of_its_paper(paper: str) -> None:
    """A reader must not rely on a number that the paper contradicts."""
    names = [item["id"] for item in facts_of(paper)["errata"]]
    assert [name.split()[0] for name in rows_of(paper, "Errata")] == names


@pytest.mark.parametrize("paper", PAPERS)
def test_the_verdicts_are_those_of_the_newest_report(paper: str) -> None:
    """The report of the gallery has one for each claim, and the page repeats it, unless the study's
    answer is newer.
    """
    found = paper_pages.covered(paper)
    newer = set(found.paper.answered_after_report)
    assert {item["id"] for item in found.items("claims")} <= set(found.verdicts) | newer
    page = (ROOT / "docs" / "papers" / f"{paper}.md").read_text()
    for item in found.items("claims"):
        name = item["id"]
        line = re.search(rf"^\| {name} \|.*$", page.split("\n## Claims\n")[1], re.MULTILINE)
        assert line
        word = "–" if name in newer else found.verdicts[name].word
        assert f" | {word} | " in line[0]


@pytest.mark.parametrize("paper", PAPERS)
def test_what_a_page_names_is_in_the_study(paper: str) -> None:
    """Experiments, variants, faults, options, steps of the plan, commands, chapters."""
    assert paper_pages.problems(paper_pages.covered(paper)) == []


def test_the_pages_are_up_to_date() -> None:
    """`scripts/paper_pages.py` writes them."""
    texts = paper_pages.pages()
    stale = [path.name for path, text in texts.items() if path.read_text() != text]
    assert not stale, f"run scripts/paper_pages.py: {stale}"
    there = set((ROOT / "docs" / "papers").iterdir()) | {ROOT / "docs" / "papers.md"}
    assert there == set(texts)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (Place(study="md1200"), "there is no study md1200"),
        (Place(experiment="fig77"), "md1200-nfs has no experiment fig77"),
        (
            Place(study="gpfs-nsd", experiment="large", variant="token-ring"),
            "large of gpfs-nsd has no variant token-ring",
        ),
        (Place(study="nss-ha", fault="earthquake"), "nss-ha has no fault earthquake"),
        (Place(option="solution.exports"), "md1200-nfs does not set solution.exports"),
        (Place(step="create a RAID 6"), "no step of the plan of md1200-nfs has 'create a RAID 6'"),
        (Place(verb="frobnicate"), "there is no command frobnicate"),
        (Place(chapter="Prices"), "the report has no chapter Prices"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_place_that_does_not_exist_is_found(place: Place, words: str) -> None:
    """A place of each kind."""
    assert paper_pages.problem(place, "md1200-nfs") == words


@pytest.mark.parametrize(
    ("section", "old", "new", "words"),
    [
        (
            "settings",
            "  nfsd:",
            "  nfsds:",
            ("settings: nfsd has no row", "the paper has no nfsds"),
        ),
        ("deployment", "  step-8:", "  step-9:", ("deployment: step-8 has no row",)),
        ("advice", "  A1:", "  A100:", ("advice: A1 has no row",)),
    ],
)
def test_a_missing_row_and_a_surplus_row_are_errors(
    tmp_path: Path, section: str, old: str, new: str, words: tuple[str, ...]
) -> None:
    """A paper or a file of rows that changes cannot lose an item in silence."""
    text = (ROOT / "studies" / "md1200-nfs" / "paper.yaml").read_text()
    before, after = text.split(f"\n{section}:\n")
    changed = tmp_path / "paper.yaml"
    changed.write_text(f"{before}\n{section}:\n{after.replace(old, new, 1)}")
    with pytest.raises(InputError) as caught:
        load_paper(changed, facts_of("md1200-nfs"))
    assert all(word in str(caught.value) for word in words)


def test_a_status_other_than_done_needs_a_reason() -> None:
    """And a place is one thing only."""
    with pytest.raises(ValueError, match="needs a reason"):
        Row(status="not in a lab")
    with pytest.raises(ValueError, match="give one of"):
        Place(experiment="fig7", fault="panic")
    with pytest.raises(ValueError, match="a variant needs its experiment"):
        Place(study="gpfs-nsd", variant="gbe")


def with_claims(paper: Paper, **claims: Row) -> Paper:
    """The rows with other rows of claims."""
    return paper.model_copy(update={"claims": claims})


def test_a_row_of_a_claim_that_the_study_answers_is_an_error() -> None:
    """Else the page would still say that the claim is undecided after the study has learnt it."""
    found = paper_pages.covered("gpfs-nsd")
    row = Row(status="not done", reason="the study has 8 clients")
    changed = replace(found, paper=with_claims(found.paper, C1=row))
    wrong = paper_pages.problems(changed)
    assert any("claims C1: the study answers it" in line for line in wrong)
    assert any("claims C5: the study has no answer; a row is missing" in line for line in wrong)


@pytest.mark.parametrize(
    ("evidence", "name", "rests"),
    [
        ("F7 and F9", "F9", True),
        ("F10-F13", "F12", True),
        ("F10-F13", "F14", False),
        ("T2, T4, T5", "T1", False),
        ("faults X4", "X4", True),
        ("none measured", "F1", False),
    ],
)
def test_claims_are_shown_at_their_evidence(evidence: str, name: str, rests: bool) -> None:
    """Single figures, lists and ranges."""
    assert paper_pages._rests_on(evidence, name) is rests


@pytest.mark.parametrize("paper", PAPERS)
def test_a_page_has_every_line_of_the_printed_tables(paper: str) -> None:
    """Each with the variant that reproduces it, or with the row of its table."""
    tables = [item for item in facts_of(paper)["experiments"] if item["kind"] == "table"]
    names = [
        f"{item['id']} line {number}"
        for item in tables
        for number in range(1, len(item["rows"]) + 1)
    ]
    assert rows_of(paper, "Lines of the tables") == names


@pytest.mark.parametrize(
    ("paper", "line", "words"),
    [
        ("gpfs-nsd", "T3 line 6", "variant `bonded` of `large`, 28 clients (full, paper)"),
        ("gpfs-nsd", "T9 line 1", "variant `2-servers` of `servers` (skipped)"),
        ("network-storage-clusters", "T3 line 5", "transport protocol is not supported"),
        ("network-storage-clusters", "T2 line 6", "variant `sync,jumbo` of `nas-nfs` |"),
    ],
)
def test_a_line_of_a_table_names_its_variant(paper: str, line: str, words: str) -> None:
    """By the number of clients, or by the line; with the reason of a skipped one."""
    page = (ROOT / "docs" / "papers" / f"{paper}.md").read_text()
    found = re.search(rf"^\| {line} \|.*$", page, re.MULTILINE)
    assert found
    assert words in found[0]


@pytest.mark.parametrize("paper", PAPERS)
def test_the_tables_of_a_page_are_whole(paper: str) -> None:
    """Each row has as many cells as the head of its table: no printed text adds a column."""
    lines = (ROOT / "docs" / "papers" / f"{paper}.md").read_text().splitlines()
    cells = [len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0 for line in lines]
    torn = [
        line
        for line, before, now in zip(lines[1:], cells, cells[1:], strict=False)
        if before and now and before != now
    ]
    assert torn == []


@pytest.mark.parametrize(
    ("quantity", "words"),
    [
        (128, "128"),
        ({"value": 9000, "unit": "B"}, "9000 B"),
        ({"approx": 600, "unit": "MB/s"}, "about 600 MB/s"),
        ({"min": 8, "max": 512}, "8 to 512"),
        ({"max": {"min": 5, "max": 6}, "unit": "drawer"}, "at most 5 to 6 drawer"),
        ({"gt": {"value": 4, "unit": "MB/s"}}, "more than 4 MB/s"),
        ([{"max_file": {"value": 16, "unit": "TB"}}], "max_file 16 TB"),
    ],
)
def test_a_quantity_is_in_words(quantity: Any, words: str) -> None:
    """Each form of published/README.md."""
    assert paper_text.amount(quantity) == words


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("n*X - k_n <c> a|b", r"n\*X - k\_n &lt;c&gt; a&#124;b"),
        ("run `-t <clients> | tee a_b`", "run `-t <clients> \\| tee a_b`"),
        ("two\nlines", "two lines"),
    ],
)
def test_printed_text_is_no_markup(text: str, escaped: str) -> None:
    """Outside of code; a bar ends a cell in code too."""
    assert paper_text.cell(text) == escaped


def test_a_verdict_older_than_the_answer_is_not_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason in the old report would contradict the study. A report that decides the claim
    makes the entry an error.
    """
    found = paper_pages.covered("gfs-equallogic")
    newer = replace(
        found,
        paper=found.paper.model_copy(update={"answered_after_report": ("C1",)}),
        verdicts={name: item for name, item in found.verdicts.items() if name != "C1"},
    )
    (line,) = [text for text in paper_pages.claims(newer) if text.startswith("| C1 |")]
    assert line.endswith(f"| – | {paper_pages.NEWER} |")
    paper_rows = sys.modules["paper_rows"]
    monkeypatch.setattr(paper_rows, "verdicts", lambda _: {"C16": paper_rows.Verdict("agrees", "")})
    with pytest.raises(InputError, match="the report judges C16; remove it"):
        paper_rows.covered("gfs-equallogic")
