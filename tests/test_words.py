"""The linter of language: each rule finds its pattern, code is not searched, and the baseline only
shrinks.
"""

import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.builders.places import ROOT
from tests.builders.tools import script

words = script("words")
RULES = words.load_rules()
LONG = "The run " + "reads and writes one block " * 6 + "and ends."


def found_in(name: str, text: str) -> list[str]:
    """The names of the rules that a file of this name and text breaks."""
    return [item.rule for item in words.findings_of(name, text, RULES)]


@pytest.mark.parametrize("rule", RULES.rules, ids=lambda rule: rule.name)
def test_each_rule_finds_its_example(rule: Any) -> None:
    """Its own pattern, and no other one."""
    assert found_in("docs/page.md", f"{rule.example}\n") == [rule.name]


@pytest.mark.parametrize("rule", RULES.rules, ids=lambda rule: rule.name)
def test_each_rule_proposes_a_replacement_that_no_rule_refuses(rule: Any) -> None:
    """In words: the reason is a clause, and the replacement is not banned itself."""
    assert len(rule.reason) > 10
    assert found_in("docs/page.md", rule.use) == []


PAGE = """# Storage that was told

The run was told twice. `nobody` is a key, and so is
`whose value
is there`.

- An item that stands here
  and goes on there.

| key | meaning |
|---|---|
| `told` | what is written |

```yaml
question: what is told by nobody
```

    seatrial run studies/told   # behind, beside

<!-- nobody reads this -->
The [page](whose.md) ends.
"""


def test_a_page_is_searched_without_its_code() -> None:
    """Headings, paragraphs over lines, items and cells are searched; code, comments and targets of
    links are not.
    """
    lines = [(item.line, item.rule) for item in words.findings_of("docs/page.md", PAGE, RULES)]
    assert lines == [(1, "told"), (3, "told"), (7, "stands"), (8, "goes-on"), (12, "what-clause")]


MODULE = '''"""What is here."""

LIMIT_S = 3
"""nobody waits longer"""


def act() -> None:
    """Act, as `told` says not."""
    note = f"{LIMIT_S} was told by {LIMIT_S}"  # whose note: it goes on
    raise ValueError("the file lies in the folder", "told", "say told && exit 1",
                     r"\\bwhose \\w+ told", note)
'''


def test_docstrings_comments_and_messages_are_searched() -> None:
    """In the product all three; in tests and scripts no messages. Single words, shell and
    patterns are no messages.
    """
    in_source = sorted(found_in("src/seatrial/act.py", MODULE))
    assert in_source == ["goes-on", "lies", "nobody", "told", "told", "whose"]
    assert sorted(found_in("tests/test_act.py", MODULE)) == ["goes-on", "nobody", "told", "whose"]


@pytest.mark.parametrize("interpreter", ["#!/bin/sh", "#!/usr/bin/python3"])
def test_a_program_without_a_suffix_is_searched(interpreter: str) -> None:
    """Its first line names the language; another file without a suffix is not read."""
    text = f"{interpreter}\n# The server is told nothing.\n"
    assert found_in("src/agents/program", text) == ["told"]
    with pytest.raises(KeyError):
        found_in("src/agents/program", "The server is told nothing.\n")


def test_templates_and_rust_are_searched() -> None:
    """The text of HTML, the comments of YAML, and doc comments of Rust, without code and logic."""
    html = (
        "{% set told = 1 %}<p class='told'>It was told {{ told }}</p><style>.behind told {}</style>"
    )
    assert found_in("src/page.html.j2", html) == ["told"]
    assert found_in("src/study.yaml.j2", "title: told by nobody\nkey: 1  # it stands here\n") == [
        "stands"
    ]
    rust = (
        "/// It lies here.\n/// ```\n/// told();\n/// ```\nfn told() {} // nobody\n//! Whose"
        " `told`.\n"
    )
    assert found_in("crates/a/src/lib.rs", rust) == ["lies", "whose"]


def test_long_sentences_of_pages_are_found() -> None:
    """31 words are too many on a page, code counts as one word; elsewhere length is free."""
    sentence = " ".join(["word"] * 30)
    assert found_in("docs/page.md", f"A b.\n\n{sentence}. `{sentence}` ends.\n") == []
    assert found_in("docs/page.md", f"{sentence}\nword. More.\n") == ["long sentence"]
    assert found_in("docs/page.md", LONG) == ["long sentence"]
    assert found_in("src/seatrial/act.py", f'"""{LONG}"""\n') == []


def test_an_exemption_needs_a_reason_and_a_use(tmp_path: Path) -> None:
    """With both it covers its line of its file alone."""
    path = tmp_path / "words.toml"
    allow = (
        '[[allow]]\nfile = "docs/*.md"\nrule = "told"\ntext = "people are told"\nreason = "%s"\n'
    )
    path.write_text(words.RULES.read_text() + allow % "short")
    with pytest.raises(words.WordsError, match="needs a reason"):
        words.load_rules(path)
    path.write_text(words.RULES.read_text() + allow % "a person is meant here")
    rules = words.load_rules(path)
    text = "Here people are told.\n\nValues are told.\n"
    assert [item.line for item in words.findings_of("docs/page.md", text, rules)] == [3]
    assert len(words.findings_of("README.md", text, rules)) == 2
    idle = words.unused(rules, words.all_findings("docs/page.md", text, rules))
    assert not any("people are told" in line for line in idle)
    idle = words.unused(rules, words.all_findings("README.md", text, rules))
    assert any("people are told" in line for line in idle)


def test_the_baseline_only_shrinks() -> None:
    """A number that would grow is refused; a file that was moved takes its number along."""
    assert words.renew({"a": 3, "b": 1}, {"a": 2, "b": 0, "c": 0}) == {"a": 2}
    assert words.renew({"old": 3}, {"new": 3}) == {"new": 3}
    for counts in ({"a": 4}, {"a": 3, "b": 1}):
        with pytest.raises(words.WordsError, match="more findings"):
            words.renew({"a": 3}, counts)
    text = words.written_baseline("why", {"b c.md": 2, "a": 1, "none": 0})
    assert words.read_baseline(text) == ("why", {"a": 1, "b c.md": 2})


def test_more_findings_than_the_baseline_are_reported() -> None:
    """With every finding of that file; fewer are accepted."""
    found = {"docs/a.md": words.findings_of("docs/a.md", "It is told.\n", RULES)}
    assert words.check(found, {"docs/a.md": 1}) == []
    first, last = words.check(found, {})
    assert first.startswith("docs/a.md:1: told: 'told': ")
    assert last == "docs/a.md: 1 findings, and 0 are allowed"


def git(*arguments: str) -> str:
    """The output of git."""
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout


def test_the_baseline_of_the_repository_has_not_grown() -> None:
    """Since the last versions that were committed, as long as the list was not begun again."""
    name = str(words.BASELINE.relative_to(ROOT))
    commits = git("log", "-5", "--first-parent", "--format=%H", "--", name).split()
    versions = [
        words.BASELINE.read_text(),
        *(git("show", f"{commit}:{name}") for commit in commits),
    ]
    read = [words.read_baseline(text) for text in versions]
    for (reason, after), (reason_before, before) in pairwise(read):
        gone = [path for path in before if not (ROOT / path).is_file()]
        assert reason != reason_before or words.grown(before, after, gone) == []


def test_the_repository_keeps_to_its_baseline() -> None:
    """The command of `make lint`."""
    found, idle = words.counted(RULES)
    _, limits = words.read_baseline(words.BASELINE.read_text())
    assert words.check(found, limits) + idle == []
