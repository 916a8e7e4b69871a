"""The text of a study: YAML 1.2, quotes, and other files."""

import random
import re
from pathlib import Path

import pytest
import yaml

from seatrial.basics import yamlfile
from seatrial.basics.errors import InputError
from seatrial.basics.yamlfile import parse_yaml
from seatrial.study.study import load_study, parse_study
from tests.builders.strategies import MINIMAL, text_of


def test_yaml_is_1_2() -> None:
    """`on`, `yes` and `010` have their apparent values (YAML 1.2.2, section 10.3.2)."""
    data = parse_yaml("on: yes\noff: 010\ntrue: 0x10\nf: 1e3\n", Path("f")).data
    assert data == {"on": "yes", "off": 10, True: 16, "f": 1000.0}


ALIKE = r"""
title: "Does it?"
nodes: {"c[1-4]": {link: 10Gbit/s, disks: &d {count: 6, rate: 1e3}}, nas: {disks: *d, memory: 1}}
text: |
  a line: of it

  and # another
folded: >-
  'one'
  "two"
list:
  - [a, -1, 0x1f, .5, "é\u20ac\n", 'it''s']
  - {a: !!str 1, b: no}   # a remark
  - plain text over
    two lines
"""
"""the YAML that studies use"""
PUT_INTO = (
    *(
        "\t",
        "\r",
        "\ufeff",
        "\x85",
        "\u2028",
        "\0",
        "%",
        "%YAML 1.2\n",
        ":",
        ": ",
        "-",
        "- ",
        "#",
        " #",
        "'",
        '"',
        "\n",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        ",",
        "&a ",
        "*d",
        "!x ",
        "|",
        ">-\n",
        "@",
        "`",
        " ",
        "\n  ",
        "é",
        "\U0001f600",
        "\\",
        "---\n",
    ),
)


@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML was built without libyaml")
def test_libyaml_reads_the_same_as_pyyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same values at the same places, also with random insertions; each refusal has the
    same words.
    """

    def read(text: str) -> object:
        try:
            found = parse_yaml(text, Path("f"))
        except InputError as error:
            return str(error)
        # For a missing value, each has its own place.
        places = {} if "None" in repr(found.data) else found.positions
        return found.data, places

    chance = random.Random(1)
    places = [(chance.randrange(len(ALIKE)), chance.choice(PUT_INTO)) for _ in range(150)]
    texts = [ALIKE, *(f"{ALIKE[:at]}{word}{ALIKE[at:]}" for at, word in places)]
    by_libyaml = [read(text) for text in texts]
    monkeypatch.setattr(yamlfile, "_LIBYAML", None)
    for text, reported in zip(texts, by_libyaml, strict=True):
        assert read(text) == reported, text
    assert (
        50 < sum(isinstance(reported, tuple) and bool(reported[1]) for reported in by_libyaml) < 140
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\na: 2\n", r"f:2:1: a: the key is written twice"),
        ("a: [1\n", r"f:2:1: not YAML"),
        ("", r"f:1:1: the file is empty"),
        ("? [1, 2]\n: x\n", r"a key must be plain text"),
    ],
)
def test_other_text_is_no_yaml(text: str, message: str) -> None:
    """The place is reported there too."""
    with pytest.raises(InputError, match=message):
        parse_yaml(text, Path("f"))


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("{node}:x", "quote the text: '{node}:x'"),
        ("*star", "quote the text: '*star'"),
        ("@at  # a remark", "quote the text: '@at'"),
        ("%pct", "quote the text: '%pct'"),
        ("`tick`", "quote the text: '`tick`'"),
        ("Reads: how fast?", "quote the text: 'Reads: how fast?'"),
        ("[1] x", "quote the text: '[1] x'"),
        ("'it's'", "a quote inside a text: 'it''s'"),
        ("{x: {node}-bmc}", "quote the text: '{node}-bmc'"),
        ("{id: x, title: a: b}", "quote the text: 'a: b'"),
        ("{x: @y}", "quote the text: '@y'"),
        ("[1, 2", "close the bracket; a text that begins with one is written in quotes"),
    ],
)
def test_a_text_that_needs_quotes_is_reported_with_them(value: str, hint: str) -> None:
    """In its correct form; and that form has the intended value."""
    with pytest.raises(InputError, match="not YAML") as reported:
        parse_yaml(f"a: 1\ntitle: {value}\n", Path("f"))
    assert reported.value.hint == hint
    if hint.startswith("quote the text"):
        meant = parse_yaml(f"title: {hint.partition(': ')[2]}\n", Path("f")).data["title"]
        assert meant in value


def test_other_mistakes_do_not_mention_quotes() -> None:
    """A wrong indent has no text that would need quotes; a tab has a separate message."""
    with pytest.raises(InputError, match="not YAML") as reported:
        parse_yaml("a: b\n c: d\n", Path("f"))
    assert reported.value.hint is None
    with pytest.raises(InputError, match="not YAML") as reported:
        parse_yaml("a:\n\tb: c\n", Path("f"))
    assert reported.value.hint == "indent with blanks: YAML takes no tabs"
    with pytest.raises(InputError, match=r"a text that begins with ! is written in quotes"):
        parse_yaml("a: !x y\n", Path("f"))


@pytest.mark.parametrize(("value", "meant"), [("{node}", "'{node}'"), ("12", "'12'")])
def test_a_text_that_is_yaml_of_another_kind_is_reported_too(value: str, meant: str) -> None:
    """Braces are a mapping, digits a number."""
    text = text_of(MINIMAL).replace("schema:", f"title: {value}\nschema:", 1)
    with pytest.raises(InputError, match=re.escape(f"quote the text: {meant}")):
        parse_study(text, Path("f"))


def test_a_missing_study() -> None:
    """The path is in the message."""
    with pytest.raises(InputError, match="nowhere.yaml: no such file"):
        load_study(Path("nowhere.yaml"))
