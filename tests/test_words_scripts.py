"""The linter of language reads the comments of scripts, and the texts of studies."""

import pytest

from tests.builders.tools import script

words = script("words")
RULES = words.load_rules()


def lines_of(name: str, text: str) -> list[int]:
    """The lines with findings."""
    return [finding.line for finding in words.findings_of(name, text, RULES)]


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("src/a.sh", "echo anew\n# The daemon starts anew.\n", 2),
        ("src/a.py", 'X = """#!/bin/sh\nexit 1\n# The daemon starts anew.\n"""\n', 3),
        ("src/a.py", 'X = f"""exit 1\nsleep {Y}\n# The daemon starts anew.\n"""\n', 3),
        ("studies/a/study.yaml", "a: 1\nnote: The daemon starts anew\n", 2),
        ("studies/a/study.yaml", "a: 1\n# The daemon starts anew.\n", 2),
    ],
)
def test_a_comment_or_text_is_read(name: str, text: str, line: int) -> None:
    """In a script, in a string with a script, and in a study."""
    assert lines_of(name, text) == [line]


def test_commands_and_directives_are_no_text() -> None:
    """Nor is the line with the interpreter."""
    assert lines_of("src/a.sh", "#!/bin/anew\n# shellcheck disable=anew\necho anew\n") == []


def test_an_alias_is_read_once() -> None:
    """It repeats a text that the file has once."""
    assert lines_of("studies/a/study.yaml", "a: &n the daemon starts anew\nb: *n\n") == [1]
