"""docs/study-format.md is made from the schema and the hand-written text, and complete."""

import copy
from typing import Any

import pytest

from seatrial.faults.base import fault_kinds
from seatrial.judge.base import checker_names
from seatrial.labs.base import lab_kinds
from seatrial.solutions.base import solution_kinds
from seatrial.start.json_schema import study_schema, without_description
from tests.builders.tools import script

page = script("study_format")
SCHEMA = study_schema()
TEXT = page.TEXTS.read_text()
WORDS_MAX = 20


def test_the_page_matches_the_schema() -> None:
    """After a change: `.venv/bin/python scripts/study_format.py`."""
    assert page.PAGE.read_text() == page.written(SCHEMA, TEXT)
    assert page.main(["--check"]) == 0


def test_every_kind_has_a_section() -> None:
    """Environments, solutions, faults and checks; and every group of keys of a study."""
    lines = page.PAGE.read_text().splitlines()
    sorts = {
        "environment": lab_kinds(),
        "solution": solution_kinds(),
        "faults": fault_kinds(),
        "criteria": checker_names(),
    }
    for group, kinds in sorts.items():
        assert f"## {group}" in lines
        assert [kind for kind in kinds if f"### {group}: {kind}" not in lines] == []


def descriptions() -> dict[str, str]:
    """The description of every key of the schema, by `PART.key`."""
    return {
        f"{name}.{key}": about.get("description", "")
        for name, part in SCHEMA["$defs"].items()
        for key, about in part.get("properties", {}).items()
    }


def test_every_key_is_described_in_a_few_words() -> None:
    """A new solution, fault, check or environment brings its own text; details are notes below the
    table.
    """
    assert list(without_description(SCHEMA)) == []
    found = descriptions()
    assert {key: text for key, text in found.items() if len(text.split()) > WORDS_MAX} == {}
    assert [
        key
        for key, text in found.items()
        if not text.startswith(("`", "corosync:")) and text[0].islower()
    ] == []


def test_the_schema_accepts_every_valid_study() -> None:
    """One check instead of a list, and a version that YAML reads as a number: an editor marks
    neither.
    """
    detected_by = SCHEMA["$defs"]["Expected"]["properties"]["detected_by"]
    assert [item["type"] for item in detected_by["anyOf"]] == ["string", "array"]
    versions = {
        name: part["properties"]["version"]["enum"]
        for name, part in SCHEMA["$defs"].items()
        if "version" in part.get("properties", {})
    }
    assert {3, 4.2} <= set(versions["Mount"])
    assert 2.1 in versions["Mount of smb"]


def with_fault(name: str) -> dict[str, Any]:
    """The schema with one more kind of fault."""
    schema = copy.deepcopy(SCHEMA)
    part = copy.deepcopy(schema["$defs"]["Fault switch"])
    part["properties"]["kind"]["const"] = name
    part["properties"]["depth"] = {
        "type": "integer",
        "minimum": 1,
        "default": 3,
        "description": "How deep | wide.",
    }
    part["description"] = "A flood."
    schema["$defs"][f"Fault {name}"] = part
    schema["properties"]["faults"]["additionalProperties"]["oneOf"].append(
        {"$ref": f"#/$defs/Fault {name}"}
    )
    return schema


def test_a_new_kind_needs_no_edit() -> None:
    """Its text and its keys are added to its group, and the kind to the table of contents."""
    made = page.written(with_fault("flood"), TEXT)
    begin = made.index("### faults: flood\n\nA flood.\n\n| key |")
    assert made.index("\n## faults\n") < begin < made.index("\n## criteria\n")
    assert "| `depth` | number, from 1 | `3` | How deep &#124; wide. |" in made[begin:]
    assert "[flood](#faults-flood)" in made
    assert made.count("### faults: ") == len(fault_kinds()) + 1


def test_a_new_key_with_keys_has_a_section() -> None:
    """At the end of the parts of the schema, before the hand-written end."""
    schema = copy.deepcopy(SCHEMA)
    schema["$defs"]["Site"] = {
        "description": "A place.",
        "properties": {"city": {"type": "string"}},
    }
    schema["properties"]["site"] = {"$ref": "#/$defs/Site", "description": "Where."}
    made = page.written(schema, TEXT)
    assert "| `site` | [mapping](#site) | – | Where. |" in made
    assert (
        made.index("\n## size_tables\n")
        < made.index("\n## site\n\nA place.\n")
        < made.index("\n## Errors\n")
    )


def test_text_of_a_missing_part_is_refused() -> None:
    """A kind or key that is renamed takes its text along, or the generator names it."""
    schema = copy.deepcopy(SCHEMA)
    schema["properties"]["habitat"] = schema["properties"].pop("environment")
    with pytest.raises(page.FormatError, match="no part 'environment'"):
        page.written(
            schema, TEXT.replace("## environment\n", "## environment\n\n<!-- keys -->\n", 1)
        )
    with pytest.raises(page.FormatError, match="no part 'environment: hosts'"):
        page.written(schema, TEXT)
    renamed = TEXT.replace("## environment", "## habitat")
    assert "### habitat: emulated\n" in page.written(schema, renamed)


@pytest.mark.parametrize(
    ("about", "kind", "default"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 9, "default": 4}, "number, 1 to 9", "`4`"),
        (
            {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            "number, above 0, below 1",
            "–",
        ),
        (
            {"anyOf": [{"type": "string", "format": "size"}, {"type": "null"}], "default": 4096},
            "size",
            "`4KiB`",
        ),
        ({"type": "string", "format": "time", "default": "10.0s"}, "time", "`10s`"),
        ({"type": "boolean", "default": False}, "`true`, `false`", "`false`"),
        ({"enum": ["a", "b"], "default": "b"}, "`a`, `b`", "`b`"),
        (
            {"type": "array", "items": {"type": "string"}, "default": ["x", "y"]},
            "list of text",
            "`[x, y]`",
        ),
        (
            {"anyOf": [{"const": False, "type": "boolean"}, {"type": "object"}]},
            "`false` or mapping",
            "–",
        ),
        ({"enum": ["3", "4.0", 3, 4.0]}, "`3`, `4.0`", "–"),
        (
            {"anyOf": [{"enum": ["a"]}, {"type": "array", "items": {"enum": ["a"]}}]},
            "one or a list of `a`",
            "–",
        ),
        ({}, "any value", "–"),
    ],
)
def test_types_and_defaults_are_written_as_in_a_study(
    about: dict[str, Any], kind: str, default: str
) -> None:
    """With their limits and units."""
    made = page.written(
        {"properties": {"key": {**about, "description": "Text."}}, "$defs": {}},
        "# Page\n\n## Top level\n",
    )
    assert f"| `key` | {kind} | {default} | Text. |" in made


def test_a_part_of_a_list_or_a_mapping_has_rows_in_the_table() -> None:
    """`[]` and `NAME` are levels; a large part, and one that is used twice, has a section."""
    keys = {f"k{number}": {"type": "string"} for number in range(page.FLAT_MAX + 1)}
    schema = {
        "properties": {"top": {"$ref": "#/$defs/Top"}},
        "$defs": {
            "Top": {
                "description": "T.",
                "required": ["small"],
                "properties": {
                    "small": {"type": "array", "items": {"$ref": "#/$defs/Small"}},
                    "named": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Named"}},
                    "large": {"$ref": "#/$defs/Large"},
                    "one": {"$ref": "#/$defs/Twice"},
                    "two": {"$ref": "#/$defs/Twice"},
                },
            },
            "Small": {"properties": {"a": {"type": "string"}}, "required": ["a"]},
            "Named": {"properties": {"b": {"type": "string"}}},
            "Large": {"properties": keys},
            "Twice": {"properties": {"c": {"type": "string"}}},
        },
    }
    made = page.written(schema, "# Page\n\n## Top level\n")
    for line in (
        "| `small` | list of mapping | required |",
        "| `small[].a` | text | required |",
        "| `named.NAME.b` |",
    ):
        assert line in made
    assert "| `large` | [mapping](#toplarge) |" in made
    assert "### top.large\n" in made
    assert "| `two` | [mapping](#topone) |" in made
    assert made.count("| `c` |") == 1


def test_a_key_with_an_enumeration_shows_its_values() -> None:
    """The schema refers to an enumeration by name, also where a value may be null."""
    word = {"$ref": "#/$defs/Word"}
    schema = {
        "properties": {"top": {"$ref": "#/$defs/Top"}},
        "$defs": {
            "Top": {
                "description": "T.",
                "properties": {
                    "plain": {**word, "default": "one"},
                    "optional": {"anyOf": [word, {"type": "null"}], "default": None},
                },
            },
            "Word": {"enum": ["one", "two"], "type": "string", "description": "A word."},
        },
    }
    made = page.written(schema, "# Page\n\n## Top level\n")
    assert "| `plain` | `one`, `two` | `one` |" in made
    assert "| `optional` | `one`, `two` | – |" in made
