"""The common properties of a study and the system that it models: read from the study, and
shown in the report.
"""

import copy
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.report.html import TEMPLATES, render
from seatrial.report.paper import document
from seatrial.report.parts import Part
from seatrial.report.tree import Element
from seatrial.study.study import load_study, parse_study
from tests.builders.html_tree import tree_of
from tests.builders.places import STUDIES
from tests.builders.results import phase, result_of
from tests.builders.strategies import MINIMAL, study, text_of

SHARES: dict[str, Any] = {
    "system": "GPFS <1.3>",
    "solutions": ["NFS (this study)", "what is there"],
    "points": [
        {"point": "clients without disks", "system": "yes", "solutions": ["yes", "as at the site"]},
        {"point": "metadata", "system": "all nodes", "solutions": ["one server", "as at the site"]},
    ],
    "note": "By the documents of both.",
}
WITH = {**MINIMAL, "comparable_to": SHARES}


def rows_of(table: Element) -> list[list[str]]:
    """The text of its cells, with its head."""
    return [[cell.text.strip() for cell in row.elements] for row in table.all("tr")]


def test_the_report_has_it_as_one_table(tmp_path: Path) -> None:
    """In the comparison, numbered, with a caption, a note, and heads of rows and columns; the paper
    has it, too.
    """
    page = render(result_of(tmp_path / "run", WITH, phase()), [])
    (chapter,) = [
        item for item in tree_of(page).all("section") if item.attributes.get("id") == "published"
    ]
    (table,) = chapter.all("table")
    assert rows_of(table) == [
        ["point", "GPFS <1.3>", "NFS (this study)", "what is there"],
        ["clients without disks", "yes", "yes", "as at the site"],
        ["metadata", "all nodes", "one server", "as at the site"],
    ]
    assert (
        "Shared properties of GPFS <1.3> and the systems that model it."
        in table.first("caption").text
    )
    assert table.first("caption").text.startswith("Table ")
    assert [item.attributes["scope"] for item in table.all("th")] == ["col"] * 4 + ["row"] * 2
    assert any(item.text == SHARES["note"] for item in chapter.all("p"))
    assert chapter.first("h2").text.endswith(" Comparison")
    assert "#published" in page
    paper = document(tree_of(page), (TEMPLATES / "report.css").read_text(), Part.TECHNICAL)
    assert "Shared properties of GPFS <1.3>" in paper
    assert "one server" in paper


def test_a_study_without_it_has_no_such_table(tmp_path: Path) -> None:
    """And no separate chapter."""
    page = render(result_of(tmp_path / "run", MINIMAL, phase()), [])
    assert "Shared properties of" not in page
    assert 'id="published"' not in page


def test_with_a_document_it_follows_the_claims(tmp_path: Path) -> None:
    """The chapter is then one on published results."""
    result = result_of(tmp_path / "run", WITH, phase(), published="id: paper\ntitle: A paper\n")
    page = render(result, [])
    assert page.index("Comparison with the published results</h2>") < page.index(
        "Shared properties of"
    )


def line_of(text: str, words: str) -> int:
    """The number of the first line with these words."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if words in line)


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (
            ("points", 1, "solutions"),
            ["one"],
            r"points\[1\]\.solutions: 1 answers for 2 solutions; write one for each",
        ),
        (
            ("points", 0, "solutions"),
            ["a", "b", "c"],
            r"points\[0\]\.solutions: 3 answers for 2 solutions",
        ),
        (
            ("points", 1, "solutions", 0),
            "",
            r"points\[1\]\.solutions\[0\]: '' is not a valid answer",
        ),
        (
            ("points", 1, "solutions", 0),
            " ",
            r"points\[1\]\.solutions\[0\]: ' ' is not a valid answer",
        ),
        (
            ("points", 1, "system"),
            "two\nlines",
            r"points\[1\]\.system: 'two\\nlines' is not a valid answer",
        ),
        (
            ("points", 1, "system"),
            "x" * 256,
            r"points\[1\]\.system: .* 256 characters of at most 255",
        ),
        (("points", 1, "system"), True, r"points\[1\]\.system: "),
        (("points", 1, "point"), "x" * 64, r"points\[1\]\.point: .* 64 characters of at most 63"),
        (
            ("points", 1, "point"),
            "clients without disks",
            r"points\[1\]\.point: 'clients without disks' is given twice",
        ),
        (("points",), [], r"comparable_to\.points: "),
        (("solutions",), [], r"comparable_to\.solutions: "),
        (("solutions",), list("abcde"), r"comparable_to\.solutions: "),
        (
            ("solutions", 1),
            "NFS (this study)",
            r"solutions\[1\]: 'NFS \(this study\)' is named twice",
        ),
        (("notes",), "x", r"comparable_to\.notes: unknown key 'notes'; did you mean 'note'"),
    ],
)
def test_mistakes_are_reported_with_their_place(
    place: tuple[Any, ...], value: Any, words: str
) -> None:
    """File, line and column, and the correction."""
    data: Any = copy.deepcopy(WITH)
    target = data["comparable_to"]
    for key in place[:-1]:
        target = target[key]
    target[place[-1]] = value
    with pytest.raises(InputError, match=rf"^study\.yaml:\d+:\d+: (?:comparable_to\.)?{words}"):
        study(data)


def test_a_wrong_count_is_reported_at_the_answers() -> None:
    """Not at the head of the table."""
    data = copy.deepcopy(WITH)
    data["comparable_to"]["points"][1]["solutions"] = ["only one"]
    text = text_of(data)
    with pytest.raises(InputError) as caught:
        parse_study(text, Path("study.yaml"))
    assert int(str(caught.value).split(":")[1]) in range(
        line_of(text, "only one") - 1, line_of(text, "only one") + 1
    )


@pytest.mark.parametrize(
    ("name", "columns", "points"), [("gpfs-nsd", 3, 12), ("gpfs-nsd-block", 1, 6)]
)
def test_the_studies_in_the_role_of_gpfs_have_it(name: str, columns: int, points: int) -> None:
    """All three solutions in the one, block servers alone in the other; no point is in both."""
    reported = load_study(STUDIES / name).comparable_to
    assert reported is not None
    assert len(reported.solutions) == columns
    assert len(reported.points) >= points


def test_no_point_of_the_studies_is_printed_twice() -> None:
    """The points on block servers in the table of gpfs-nsd are not in that of gpfs-nsd-block."""
    found = [load_study(STUDIES / name).comparable_to for name in ("gpfs-nsd", "gpfs-nsd-block")]
    points = [item.point for reported in found if reported for item in reported.points]
    assert len(set(points)) == len(points)


def test_variants_of_a_study_keep_it() -> None:
    """It is read once, and is the same in every one of them."""
    whole = study(WITH)
    assert (
        whole.with_values({"solution.export.threads": 8}).comparable_to
        is whole.comparable_to
        is not None
    )
