"""Results from unknown sources: no file outside them is read or changed, and no traceback is
shown.
"""

import json
import os
import random
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from seatrial import cli
from seatrial.basics.errors import InputError
from seatrial.judge.base import Judgement
from seatrial.judge.judge import exit_code
from seatrial.result.result import read_result
from seatrial.result.sealed import LINES, seal
from tests.builders.stored import KEPT

SECRET = "what is nobody else's"
VERBS = ("judge", "report", "export", "redact", "compare")


def asked(verb: str, result: Path) -> int:
    """The exit code of the command on this result."""
    more = {"redact": [f"{result}-copy"], "compare": [str(KEPT)]}.get(verb, [])
    return cli.invoke([verb, str(result), *more])


def fingerprint(folder: Path) -> dict[str, str]:
    """Every file and link with its content."""
    return {
        str(path): str(path.readlink()) if path.is_symlink() else path.read_text(errors="replace")
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


@pytest.fixture
def result(tmp_path: Path) -> Path:
    """A complete result, next to an unrelated file."""
    (tmp_path / "secret").write_text(SECRET)
    shutil.copytree(KEPT, tmp_path / "record")
    return tmp_path / "record"


def link(name: str, target: str) -> Callable[[Path], None]:
    """A link in a result's place of that name."""

    def plant(result: Path) -> None:
        path = result / name
        path.unlink(missing_ok=True)
        path.parent.mkdir(exist_ok=True)
        path.symlink_to(target)

    return plant


def pipe(result: Path) -> None:
    """A read of it ends when the test writes."""
    (result / "study.yaml").unlink()
    os.mkfifo(result / "study.yaml")


PLANTED: dict[str, Callable[[Path], None]] = {
    "a page that is a link": link("report.html", "../secret"),
    "a paper that is a link": link("report-management.pdf", "../secret"),
    "verdicts that are a link": link("verdicts.json", "../secret"),
    "verdicts that are a link to nothing": link("verdicts.json", "../made"),
    "a study that is a link": link("study.yaml", "../secret"),
    "published facts that are a link": link("published.yaml", "../secret"),
    "lines that are a link": link(LINES, str(KEPT / LINES)),
    "a script that is a link": link("scripts/01-look-srv1.sh", "../../secret"),
    "a folder that is a link": link("scripts", ".."),
    "a console that is a link": link("console/srv1.log", "../../secret"),
    "a pipe for a study": pipe,
}


def test_a_folder_for_lines_is_no_result(result: Path) -> None:
    """Reported like any other folder without a result."""
    (result / LINES).unlink()
    (result / LINES).mkdir()
    with pytest.raises(InputError, match="no result here"):
        read_result(result)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("planted", PLANTED)
def test_nothing_outside_is_read_or_changed(
    result: Path, planted: str, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A link or a pipe is refused with its name, before anything is written; its target is
    unchanged.
    """
    PLANTED[planted](result)
    before = fingerprint(result.parent)
    assert asked(verb, result) == 2
    reported = capsys.readouterr()
    assert "a result has none" in reported.err
    assert SECRET not in reported.out + reported.err
    assert fingerprint(result.parent) == before


DEEP = "[" * 100_000
BAD: tuple[Any, ...] = (
    None,
    True,
    -1,
    1e308,
    float("nan"),
    float("inf"),
    "x",
    "",
    [],
    {},
    [[1]],
    "../../x",
    10**30,
)


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a line."""
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(data, dict):
        items = data.items()
    elif isinstance(data, list):
        items = enumerate(data[:3])
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def spoilt(lines: list[str], seed: int) -> list[str]:
    """A line in which one value is another, or missing."""
    dealer = random.Random(seed)
    number = dealer.randrange(1, len(lines))
    line = json.loads(lines[number])
    *above, last = dealer.choice([place for place in places(line) if place != ("type",)])
    target = line
    for key in above:
        target = target[key]
    if dealer.random() < 0.25:
        del target[last]
    else:
        target[last] = dealer.choice(BAD)
    return [*lines[:number], json.dumps(line), *lines[number + 1 :]]


@pytest.mark.parametrize("seed", range(12))
def test_a_line_with_other_content_shows_no_traceback(
    result: Path, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is judged and reported without the line, or refused in one sentence."""
    lines = (KEPT / LINES).read_text().splitlines()
    for more in range(4):
        (result / LINES).write_text("\n".join(spoilt(lines, 4 * seed + more)) + "\n")
        assert asked(("judge", "report")[more % 2], result) in (0, 1, 2, 3, 4)
        assert "Traceback" not in capsys.readouterr().err, (seed, more)


@pytest.mark.parametrize(
    "line", [DEEP, DEEP + "]" * 100_000, '{"type": ' * 10_000, "9" * 5000, "\0", '"type"', "[]"]
)
def test_a_line_that_is_none_is_named(result: Path, line: str) -> None:
    """Also one with deeper nesting than any program can follow; a criterion may depend on its
    content.
    """
    with (result / LINES).open("a") as file:
        file.write(f"{line}\n")
    found = read_result(result)
    assert found.damage[-1].endswith(": not readable")
    assert exit_code(found, [Judgement("x", "acceptance", "x", "pass", "")]) == 4


@pytest.mark.parametrize(("edited", "code"), [(False, 4), (True, 2)])
def test_the_source_of_a_mistake_is_named(
    result: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    edited: bool,
    code: int,
) -> None:
    """An unexpected error over an unedited result is a defect of Seatrial, reported with its
    place.
    """

    def broken(_record: object) -> list[Judgement]:
        raise KeyError("defect")

    seal(result)
    if edited:
        with (result / LINES).open("a") as file:
            file.write('{"type":"more","unix_s":0}\n')
    monkeypatch.setattr("seatrial.judge.judge.judge", broken)
    assert asked("judge", result) == code
    assert ("Traceback" in capsys.readouterr().err) != edited
