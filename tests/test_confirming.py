"""Nothing on real hosts is changed or interrupted without a yes, and a dry run changes nothing."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.basics.login import login_name
from seatrial.check import prepare
from seatrial.cli.confirming import NotConfirmed, confirm
from seatrial.cli.dry_run import dry_run
from seatrial.labs.kinds import hosts
from seatrial.plan.site import Site
from seatrial.plan.traits import Traits
from seatrial.solutions.look import deployment
from seatrial.study.study import parse_study
from seatrial.transport import Completed, OpenSsh
from tests.builders.commands import Tty, in_process
from tests.builders.strategies import MINIMAL, text_of

DISK = "/dev/disk/by-id/wwn-0x5000c500a1b2c3d1"


def on_hosts() -> dict[str, Any]:
    """The small study, on existing machines."""
    nas = {"disks": {"count": 6, "devices": [f"{DISK}{number}" for number in range(6)]}}
    return {**MINIMAL, "environment": {"kind": "hosts"}, "nodes": {"nas": nas, "c[1-4]": {}}}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the study; its nodes must not be asked."""
    (tmp_path / "study.yaml").write_text(text_of(on_hosts()))
    monkeypatch.setattr(OpenSsh, "run", lambda *_, **__: pytest.fail("a node was asked"))
    return tmp_path


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["deploy"],
            (
                "deploy configures small on c[1-4],nas, restarts services there, and erases no disk"
                " that is not"
            ),
        ),
        (["deploy", "--wipe", f"nas:{DISK}0"], f"and may erase nas:{DISK}0; without"),
        (
            ["undeploy"],
            "undeploy takes small on c[1-4],nas out of service, and leaves the data on the disks;",
        ),
        (
            ["run"],
            (
                "run deploys to nas, interrupts all its users, runs 1 experiment of small on"
                " c[1-4],nas, and erases no"
            ),
        ),
    ],
    ids=lambda value: " ".join(value)[:20] if isinstance(value, list) else "",
)
def test_without_a_terminal_a_yes_is_needed(folder: Path, words: list[str], sentence: str) -> None:
    """Exit 2, before any node is asked and without a result; the sentence names the prevented
    action.
    """
    done = in_process(*words, "study.yaml", cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert sentence in done.stderr
    assert "without a terminal this needs --yes" in done.stderr
    preview = "seatrial plan STUDY --undeploy" if words[0] == "undeploy" else "--dry-run"
    assert f"check it with {preview}, then add --yes" in done.stderr
    assert [path.name for path in folder.iterdir()] == ["study.yaml"]


def test_existing_storage_stays_in_service(tmp_path: Path) -> None:
    """The questions name the only folder that changes, and neither disks nor an interruption."""
    experiment = {"workload": {"transfer_size": "1MiB", "file_size": "1MiB"}}
    data = {
        **{key: MINIMAL[key] for key in ("schema", "id", "criteria")},
        "environment": {"kind": "hosts"},
        "nodes": {"c[1-2]": {}},
        "solution": {"kind": "mount", "directory": "/gpfs/scratch"},
        "experiments": {"one": experiment},
    }
    (tmp_path / "study.yaml").write_text(text_of(data))
    folder = f"/gpfs/scratch/seatrial-{login_name()}"
    runs = f"run works in {folder}, and runs 1 experiment of small on c[1-2];"
    deploys = f"deploy creates {folder}, and checks it on c[1-2];"
    undeploys = f"undeploy removes {folder} on c[1-2], and changes no other file of the storage;"
    for verb, sentence in (("run", runs), ("deploy", deploys), ("undeploy", undeploys)):
        assert sentence in in_process(verb, "study.yaml", cwd=tmp_path).stderr


@pytest.mark.parametrize("verb", ["deploy", "undeploy", "run"])
@pytest.mark.parametrize("option", ["-y", "--yes"])
def test_a_yes_continues_with_the_nodes(
    folder: Path, verb: str, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which refuse here."""
    asked = []

    def refuse(_self: OpenSsh, node: str, *_: object, **__: object) -> Completed:
        asked.append(node)
        return Completed(node, 0, "1000\n", "")

    monkeypatch.setattr(OpenSsh, "run", refuse)
    done = in_process(verb, option, "study.yaml", cwd=folder)
    assert done.returncode == 4
    assert "not as root" in done.stderr
    assert set(asked) == {"nas", "c1", "c2", "c3", "c4"}


def answered(monkeypatch: pytest.MonkeyPatch, answer: str, site: Site, *, yes: bool = False) -> str:
    """The output on a terminal until the answer."""
    shown = Tty()
    monkeypatch.setattr("sys.stdin", Tty(answer))
    monkeypatch.setattr("sys.stderr", shown)
    confirm(site, "deploy changes nas", yes=yes, describe=lambda: print("described", file=shown))
    return shown.getvalue()


HOSTS = Site("hosts", 1.0, {}, "data", {}, ())


LAB = Site("emulated", 1.0, {}, "data", {}, (), Traits(is_temporary=True))


@pytest.mark.parametrize("answer", ["y\n", "yes\n", "Y\n"])
def test_a_terminal_is_asked(monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    """With the content of the disks first, then the sentence."""
    assert (
        answered(monkeypatch, answer, HOSTS) == "described\ndeploy changes nas.\nContinue? [y/N] "
    )


@pytest.mark.parametrize("answer", ["\n", "n\n", "", "yes please\n"])
def test_anything_but_yes_is_no(monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    """Also the end of the input."""
    with pytest.raises(NotConfirmed, match="nothing was changed"):
        answered(monkeypatch, answer, HOSTS)


def test_the_lab_and_a_yes_are_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is shown, and the answer is not read."""
    assert answered(monkeypatch, "n\n", LAB) == ""
    assert answered(monkeypatch, "n\n", HOSTS, yes=True) == ""
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    confirm(LAB, "deploy changes nas", yes=False, describe=lambda: None)
    with pytest.raises(InputError, match="needs --yes"):
        confirm(HOSTS, "deploy changes nas", yes=False, describe=lambda: None)


@pytest.mark.parametrize("verb", ["deploy", "run"])
def test_a_dry_run_of_the_lab_boots_nothing(
    tmp_path: Path, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It prints the steps; no lab is made and no result begun."""
    monkeypatch.setattr(
        "seatrial.labs.kinds.emulated.up", lambda *_, **__: pytest.fail("a lab was booted")
    )
    (tmp_path / "study.yaml").write_text(text_of(MINIMAL))
    for option in ("-n", "--dry-run"):
        done = in_process(verb, option, "study.yaml", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "the lab would be booted\nwould change:\nsmall: " in done.stdout
    reported = json.loads(in_process(verb, "-n", "--json", "study.yaml", cwd=tmp_path).stdout)
    assert reported["preflight"] is None
    assert len(reported["pending"]["stages"]) == 9
    assert [path.name for path in tmp_path.iterdir()] == ["study.yaml"]


def test_a_dry_run_on_hosts_asks_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every script is piped in the checking mode; steps that find nothing to do are left out."""
    study = parse_study(text_of(on_hosts()), Path("study.yaml"))
    site, solution = prepare(study)
    commands: list[str] = []

    def answer(
        self: OpenSsh, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
    ) -> Completed:
        commands.append(command)
        done = b"main() {" in stdin and not command.startswith("sh -s check")
        if command.startswith("sh -s check"):
            steps = stdin.decode().count("\ncheck_")
            lines = [
                f"{'ok' if number > 1 else 'pending'} {number} 1.0"
                for number in range(1, steps + 1)
            ]
            return Completed(node, 0, "\n".join([*lines, "done"]), "")
        if command.startswith("mountpoint"):
            return Completed(node, 1, "", "")
        return Completed(node, 0, "\nend\n" if done else "0\n", "")

    monkeypatch.setattr(OpenSsh, "run", answer)
    monkeypatch.setattr(hosts, "_require_different", lambda _: None)
    found = dry_run(study, site, solution, {})
    assert found.exit_code == 0
    assert "0 of 5 nodes refuse; nothing was changed\nwould change:\n" in found.text()
    assert not [command for command in commands if "apply" in command]
    whole = deployment(solution, site, {})
    first = [
        (stage.title, found[0].title)
        for stage in whole.stages[1:]
        for found in list(stage.steps.values())[:1]
    ]
    pending = [(stage.title, stage.on_nodes[0].steps[0]) for stage in found.pending.stages]
    assert pending == first
