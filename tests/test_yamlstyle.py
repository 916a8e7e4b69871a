"""The style of studies (`seatrial format`): the kept parts, and the form of written text."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.errors import InputError
from seatrial.basics.yamlfile import load_yaml, parse_yaml
from seatrial.basics.yamlstyle import COLUMNS, styled
from seatrial.study.study import load_study
from tests.builders.commands import in_process
from tests.builders.places import DATA, STUDIES

PATH = Path("study.yaml")
SHIPPED = sorted(STUDIES.glob("*/study.yaml"))
WRITTEN = sorted(
    [*DATA.glob("studies/*.yaml"), *DATA.glob("*/study.yaml"), *DATA.glob("whole/*/study.yaml")]
)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_shipped_studies_have_the_style(path: Path) -> None:
    """And no line of them is longer than the style allows."""
    text = path.read_text()
    assert styled(text, path) == text
    assert max(map(len, text.splitlines())) <= COLUMNS


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_written_studies_keep_their_data_and_comments(path: Path) -> None:
    """Studies in many styles: the second pass changes nothing."""
    text = path.read_text()
    once = styled(text, path)
    assert parse_yaml(once, path).data == parse_yaml(text, path).data
    assert styled(once, path) == once


CASES = [
    ("{a: {b: x, c: [1, 2]}}", "a:\n  b: x\n  c: [1, 2]\n"),
    ("a: {b: 1, c: 2.5}", "a: {b: 1, c: 2.5}\n"),
    ("a: {b: 1, c: x}", "a:\n  b: 1\n  c: x\n"),
    ("a: [{b: x}, {c: 1}]", "a:\n  - b: x\n  - {c: 1}\n"),
    ("a: [[x], []]\nb: {}\n", "a: [[x], []]\nb: {}\n"),
    ("a: 'c[1-4]'\nb: c[5-8]\n\"c[9]\": x", 'a: "c[1-4]"\nb: "c[5-8]"\n"c[9]": x\n'),
    ("a: 'plain'\nb: \"3\"\nc: 'on'\nd: ''", 'a: plain\nb: "3"\nc: "on"\nd: ""\n'),
    ("a: 'x, y'\nb: ['x, y', z]", 'a: x, y\nb: ["x, y", z]\n'),
    ("a: why?\nb: ['why?', z]", 'a: why?\nb: ["why?", z]\n'),
    ("a: 'it: is'\nb: 'x #y'\nc: '#y'", 'a: "it: is"\nb: "x #y"\nc: "#y"\n'),
    ("a: ~\nb:\nc: 0x1F\nd: 1e3\n", "a: null\nb: null\nc: 0x1F\nd: 1e3\n"),
    ("a: &x {b: y}\nc: *x\nd: [*x, &z 1, *z]", "a: &x\n  b: y\nc: *x\nd: [*x, &z 1, *z]\n"),
    ("a: &x [1]\nb: &y text\nc: [&q {d: e}]", "a: &x [1]\nb: &y text\nc:\n  - &q\n    d: e\n"),
    ('a: "one\\ntwo"\nb: |\n  x\n\n  y\n', "a: |-\n  one\n  two\nb: |\n  x\n\n  y\n"),
    ('a: "tab\\there"\nb: " x"\nc: "\\u2028"', 'a: "tab\\there"\nb: " x"\nc: "\\u2028"\n'),
    ("- a\n- b: c\n  d: e\n", "- a\n- b: c\n  d: e\n"),
    ("a:\n- b\n- c: d\n", "a:\n  - b\n  - c: d\n"),
    ("---\na: b\n...\n", "a: b\n"),
]


@pytest.mark.parametrize(("text", "result"), CASES, ids=[text for text, _ in CASES])
def test_values_get_one_form(text: str, result: str) -> None:
    """A block for each mapping, a line for a list that fits, quotes where they are needed."""
    assert styled(text, PATH) == result
    assert styled(result, PATH) == result


COMMENTS = [
    ("# head\n\n\n\na: b  # end\n# tail\n", "# head\n\na: b  # end\n# tail\n"),
    ("a:  # of a\n  b: c\n", "a:  # of a\n  b: c\n"),
    ("a: {b: c}  # of a\n", "a:  # of a\n  b: c\n"),
    ("- {a: b, c: d}  # of it\n", "# of it\n- a: b\n  c: d\n"),
    ("a: [1, 2]      # of a\n", "a: [1, 2]  # of a\n"),
    ("a: [1,  # one\n  2]\n", "a:\n  - 1  # one\n  - 2\n"),
    ("a: {b: 1,  # one\n  # two\n  c: 2}\n", "a:\n  b: 1  # one\n  # two\n  c: 2\n"),
    (
        "a:\n    # of b\n    b: c\n    # end of a\nd: e\n",
        "a:\n  # of b\n  b: c\n  # end of a\nd: e\n",
    ),
    ("a:\n  b: c\n# of d\nd: e\n", "a:\n  b: c\n# of d\nd: e\n"),
    ("a:\n  - b\n  # end of a\n", "a:\n  - b\n  # end of a\n"),
    ("a:\n\n  b: c\n\n  # of d\n  d: e\n\nf: g\n", "a:\n  b: c\n\n  # of d\n  d: e\n\nf: g\n"),
    ("-\n  # of a\n  a: b\n  c: d\n", "# of a\n- a: b\n  c: d\n"),
    ("{}  # empty\n", "# empty\n{}\n"),
    ("a: 'x # y'  # z\n", 'a: "x # y"  # z\n'),
    ("a: |  # of a\n  x\nb: c\n", "# of a\na: |\n  x\nb: c\n"),
]


@pytest.mark.parametrize(("text", "result"), COMMENTS, ids=[text for text, _ in COMMENTS])
def test_comments_stay_where_they_belong(text: str, result: str) -> None:
    """With the entry below or next to them, or at the end of a collection."""
    assert styled(text, PATH) == result
    assert styled(result, PATH) == result


def test_long_texts_are_folded_and_long_comments_broken() -> None:
    """At words, and a text keeps its spaces; text without spaces stays as it is."""
    words = " ".join(["word"] * 40)
    link = "x" * 120
    text = (
        f"# {words}\n# {words}\n\n# {link}\na: {words}\nb: {words}  twice {words}\nc: {link}\n#"
        f" {{d: {words}}}\n"
    )
    result = styled(text, PATH)
    data = parse_yaml(result, PATH).data
    assert data == {"a": words, "b": f"{words}  twice {words}", "c": link}
    assert [line for line in result.splitlines() if len(line) > COLUMNS] == [
        f"# {link}",
        f"c: {link}",
        f"# {{d: {words}}}",
    ]
    assert styled(result, PATH) == result


def test_yaml_that_is_commented_out_is_not_joined_with_prose() -> None:
    """Its lines stay as they are, so that the mark can be removed."""
    prose = " ".join(["word"] * 30)
    code = ["# faults:", "#   panic:", "#     kind: panic", f"# title: {prose}"]
    result = styled("\n".join([f"# {prose}", *code, "a: b", ""]), PATH)
    lines = result.splitlines()
    assert lines[-5:] == [*code, "a: b"]
    assert max(map(len, lines[:-5])) <= COLUMNS


LETTERS = st.text(st.sampled_from("ab1 .,:-#[]{}'\"\\&*!|>%@`~/=?\n\tä\u00a0"), max_size=12)
SCALARS: Any = st.one_of(
    LETTERS, st.integers(-100, 100), st.booleans(), st.none(), st.just("word " * 30)
)
VALUES: Any = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(LETTERS, inner, max_size=4)
    ),
    max_leaves=20,
)


@given(st.dictionaries(LETTERS, VALUES, min_size=1, max_size=4), st.booleans(), st.booleans())
def test_any_data_are_kept(data: dict[str, Any], flow: bool, shared: bool) -> None:
    """Written in block or flow style, with and without anchors."""
    whole = {"first": data, "second": data if shared else None}
    text = yaml.safe_dump(whole, default_flow_style=flow, allow_unicode=True, sort_keys=False)
    once = styled(text, PATH)
    assert parse_yaml(once, PATH).data == parse_yaml(text, PATH).data
    assert styled(once, PATH) == once


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.parent.name)
def test_a_shipped_study_in_flow_style_comes_back(path: Path) -> None:
    """Everything in brackets on long lines, without comments: the study is the same."""
    data = load_yaml(path).data
    flow = yaml.safe_dump(
        data, default_flow_style=True, allow_unicode=True, sort_keys=False, width=10**6
    )
    assert parse_yaml(styled(flow, path), path).data == data


def test_the_command_writes_or_checks(tmp_path: Path) -> None:
    """It prints its changes, and a second time nothing."""
    file = tmp_path / "study.yaml"
    shutil.copy(STUDIES / "nss-ha-async" / "study.yaml", file)
    before = load_study(tmp_path)
    assert (in_process("format", "--check", str(tmp_path)).returncode, file.stat().st_size) == (
        0,
        file.stat().st_size,
    )
    written = file.read_text().replace("kind: emulated\n  scale", "kind:   emulated\n  scale")
    file.write_text(written)
    checked = in_process("format", "--check", str(tmp_path))
    assert (checked.returncode, checked.stdout, file.read_text()) == (1, f"{file}\n", written)
    done = in_process("format", str(tmp_path))
    assert (done.returncode, done.stdout) == (0, f"{file}\n")
    assert load_study(tmp_path) == before
    again = in_process("format", str(tmp_path))
    assert (again.returncode, again.stdout) == (0, "")


def test_text_that_only_one_parser_accepts_is_refused_with_its_place() -> None:
    """PyYAML's own parser ends a text in brackets at `?`, and libyaml does not."""
    with pytest.raises(InputError, match=r"study\.yaml:1:6: not YAML: ") as caught:
        styled("a: [1?]\n", PATH)
    assert caught.value.hint == "quote the text there"


def test_other_text_is_refused(tmp_path: Path) -> None:
    """With its place, and unchanged."""
    file = tmp_path / "study.yaml"
    file.write_text("a: [1\n")
    done = in_process("format", str(tmp_path))
    assert (done.returncode, file.read_text()) == (2, "a: [1\n")
    assert f"{file}:2:1: not YAML" in done.stderr
