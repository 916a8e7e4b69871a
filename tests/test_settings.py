"""The user's defaults, and their precedence: option, variable, file, default."""

from pathlib import Path

import pytest

from seatrial.basics.errors import InputError
from seatrial.basics.settings import Settings, settings
from seatrial.cli.studies import results_folder
from seatrial.labs.emulation import kernel
from tests.builders.commands import in_process
from tests.builders.strategies import MINIMAL, text_of


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the settings are read from; it does not exist yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "config" / "seatrial").mkdir(parents=True)
    return tmp_path / "config" / "seatrial" / "config.yaml"


def test_each_source_takes_precedence_over_the_next(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Option, variable, file, default."""
    monkeypatch.delenv("SEATRIAL_LAB_KERNEL", raising=False)
    assert settings() == Settings(results=Path("/"), lab_kernel="newest").replaced(
        results=Path("results")
    )
    file.write_text("results: /from/file\nlab_kernel: installed\nquiet: true\n")
    assert settings() == Settings(results=Path("/from/file"), lab_kernel="installed", quiet=True)
    monkeypatch.setenv("SEATRIAL_RESULTS", "from-variable")
    monkeypatch.setenv("SEATRIAL_QUIET", "0")
    assert settings() == Settings(results=Path("/"), lab_kernel="installed").replaced(
        results=Path("from-variable")
    )
    assert results_folder(None) == Path("from-variable")
    assert results_folder(Path("from-option")) == Path("from-option")
    monkeypatch.setenv("SEATRIAL_RESULTS", "")
    assert results_folder(None) == Path("/from/file")


def test_the_file_is_in_the_home_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`~/.config`, and `~` in its paths."""
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    folder = tmp_path / ".config" / "seatrial"
    folder.mkdir(parents=True)
    (folder / "config.yaml").write_text("results: ~/mine\n")
    assert settings().results == tmp_path / "mine"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("result: /x\n", r"config\.yaml:1:1: result: unknown key 'result'; did you mean 'results'"),
        ("quiet: false\nresults: here\n", r"config\.yaml:2:10: results: .*'here' is not absolute"),
        ("lab_kernel: old\n", r"config\.yaml:1:13: lab_kernel: "),
    ],
)
def test_a_mistake_in_the_file_has_its_place(file: Path, text: str, words: str) -> None:
    """As one in a study."""
    file.write_text(text)
    with pytest.raises(InputError, match=words):
        settings()


@pytest.mark.parametrize(
    ("name", "value"), [("SEATRIAL_QUIET", "perhaps"), ("SEATRIAL_LAB_KERNEL", "old")]
)
def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """With its permitted values."""
    monkeypatch.setenv(name, value)
    with pytest.raises(InputError, match=f"{name}: '{value}' is neither"):
        settings()


def test_the_settings_have_their_effects(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of results, the amount of output, the kernel of the lab."""
    monkeypatch.delenv("SEATRIAL_LAB_KERNEL", raising=False)
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    file.write_text(f"results: {tmp_path}/nowhere\n")
    assert (
        f"{tmp_path}/nowhere: there is no such folder"
        in in_process("history", "study.yaml", cwd=tmp_path).stderr
    )
    assert "an estimate" in in_process("list", "study.yaml", cwd=tmp_path).stderr
    assert not kernel._asks_for_installed()
    file.write_text("quiet: true\nlab_kernel: installed\n")
    assert in_process("list", "study.yaml", cwd=tmp_path).stderr == ""
    assert "an estimate" in in_process("list", "-v", "study.yaml", cwd=tmp_path).stderr
    assert kernel._asks_for_installed()
    assert kernel.kernel() == kernel.INSTALLED
