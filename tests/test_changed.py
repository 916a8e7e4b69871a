"""`--set`: a study with other values, which its result keeps."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

import seatrial.run
from seatrial.basics.errors import InputError, RunError
from seatrial.basics.yamlfile import parse_yaml, yaml_text
from seatrial.judge.judge import study_of
from seatrial.result.result import read_result
from seatrial.study.changed import changed_study
from seatrial.study.study import parse_study
from tests.builders.commands import in_process
from tests.builders.strategies import MINIMAL, text_of

STUDY = parse_study(text_of(MINIMAL), Path("study.yaml"))
PLAIN = some.one_of(some.none(), some.booleans(), some.integers(-(10**17), 10**17))
TEXTS = some.text(some.characters(min_codepoint=32, max_codepoint=126), max_size=12)


@given(
    some.recursive(
        PLAIN | TEXTS,
        lambda inner: some.dictionaries(TEXTS, inner, min_size=1, max_size=3),
        max_leaves=8,
    )
)
def test_written_text_is_read_back(value: Any) -> None:
    """By YAML 1.2, also `on`, `1e5`, `010` and `~` as texts."""
    assert parse_yaml(yaml_text({"key": value}), Path("x")).data == {"key": value}


@pytest.mark.parametrize(
    "text", ["on", "1e5", "010", "0x1F", "~", "1:30", ".inf", "64MiB", "c[1-4]", "no", "3.0"]
)
def test_a_text_stays_one(text: str) -> None:
    """With any content."""
    assert parse_yaml(yaml_text({"key": text}), Path("x")).data == {"key": text}


def test_the_changed_study_keeps_its_values() -> None:
    """In its text, and where a variant changes more."""
    changed = changed_study(STUDY, {"nodes.nas.link": "25Gbit/s", "solution.export.threads": 16})
    for found in (
        changed,
        parse_study(changed.source.text, Path("again")),
        changed.with_values({"title": "x"}),
    ):
        assert found.node("nas").link == 25e9 / 8
        assert found.solution.export["threads"] == 16  # type: ignore[attr-defined]
    assert changed_study(STUDY, {}) is STUDY


def test_a_wrong_value_has_its_place_in_the_file() -> None:
    """Not in the text that Seatrial wrote."""
    with pytest.raises(InputError, match=r"study\.yaml:\d+:\d+: .*512 has no unit"):
        changed_study(STUDY, {"nodes.nas.memory": 512})


def test_a_run_records_its_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result has the changed study, and is judged by it; the command that continues the run has
    --set, too.
    """

    def broken(*_: object, **__: object) -> None:
        raise RunError("no node")

    monkeypatch.setattr(seatrial.run, "session", broken)
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    words = ["run", "study.yaml", "--set", "nodes.nas.link=25Gbit/s", "--set", "title=a b"]
    done = in_process(*words, cwd=tmp_path)
    assert done.returncode == 4
    assert (
        "hint: continue with: seatrial run study.yaml --set nodes.nas.link=25Gbit/s --set 'title=a"
        " b' --resume" in (done.stderr)
    )
    (folder,) = (tmp_path / "results").iterdir()
    result = read_result(folder)
    assert result.first("run")["set"] == {"nodes.nas.link": "25Gbit/s", "title": "a b"}
    assert study_of(result).node("nas").link == 25e9 / 8
    assert not result.problems
    assert in_process("judge", str(folder)).returncode == 4
    resumed = in_process("run", "study.yaml", "--resume", str(folder), cwd=tmp_path)
    assert (resumed.returncode, "its study differs from" in resumed.stderr) == (2, True)


def test_a_secret_that_was_set_is_not_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old name is neither in the study nor in the first line."""

    def broken(*_: object, **__: object) -> None:
        raise RunError("no node")

    monkeypatch.setattr(seatrial.run, "session", broken)
    data = {**MINIMAL, "solution": {"kind": "smb", "raid": {"level": 5}, "password": "first-one"}}
    (tmp_path / "study.yaml").write_text(text_of(data))
    done = in_process("run", "study.yaml", "--set", "solution.password=c4n4ry-9", cwd=tmp_path)
    (folder,) = (tmp_path / "results").iterdir()
    assert read_result(folder).first("run")["set"] == {"solution.password": "withheld"}, done.stderr
    assert not [
        path for path in folder.rglob("*") if path.is_file() and b"c4n4ry-9" in path.read_bytes()
    ]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("title", "write KEY=VALUE"),
        ("nodes.nowhere.link=1Gbit/s", "the study has no 'nowhere' there; one of nas"),
        ("nodes.nas.link=[", "--set"),
    ],
)
def test_a_wrong_change_is_refused_before_the_run(tmp_path: Path, change: str, words: str) -> None:
    """By `run` and by `predict`."""
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    for verb in ("run", "predict"):
        done = in_process(verb, "study.yaml", "--set", change, cwd=tmp_path)
        assert (done.returncode, done.stdout) == (2, "")
        assert words in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["study.yaml"]


def test_a_published_copy_has_no_host_in_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old name works neither as a key of `--set` nor in the study."""

    def broken(*_: object, **__: object) -> None:
        raise RunError("no node")

    monkeypatch.setattr(seatrial.run, "session", broken)
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL).replace("nas", "turing-nas"))
    in_process("run", "study.yaml", "--set", "nodes.turing-nas.link=25Gbit/s", cwd=tmp_path)
    (folder,) = (tmp_path / "results").iterdir()
    assert "turing-nas" in json.dumps(read_result(folder).first("run"))
    done = in_process("redact", str(folder), "copy", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "turing" not in (tmp_path / "copy" / "result.jsonl").read_text()
