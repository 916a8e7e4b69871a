"""Nodes with an ordinary login: every command is root's by one command of sudo, and nothing
else changes.
"""

import itertools
import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from seatrial import cli, transport
from seatrial.basics.errors import InputError, RunError
from seatrial.check import prepare
from seatrial.labs.base import Lab
from seatrial.labs.kinds import hosts
from seatrial.service import holding
from seatrial.service.session import running, session
from seatrial.service.terminal import Terminal
from seatrial.streams import SUDO
from seatrial.study.study import parse_study
from seatrial.transport import OpenSsh
from tests.builders.commands import sudoers_of
from tests.builders.places import ROOT
from tests.builders.strategies import study, text_of

ONE_COMMAND = ["-n", "/bin/sh", "-c"]


SAYS_ITS_ARGUMENTS = 'printf "%s\\0" "$@" >>{log}; printf "\\1\\0" >>{log}\nshift; exec "$@"\n'


LIKE_SSHD = (
    'while [ "$1" != -- ]; do shift; done\nprintf "%s\\n" "$3" >>{log}\ncase $3 in "sudo -n /bin/sh'
    ' -c "*) ;; *) echo "not by sudo: $3" >&2; exit 99 ;; esac\nexec sh -c "$3"\n'
)


def put(folder: Path, name: str, script: str) -> Path:
    """A command, and the log that it writes."""
    log = folder / f"{name}.log"
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("#!/bin/sh\n" + script.replace("{log}", str(log)))
    (folder / name).chmod(0o755)
    return log


@pytest.fixture
def sudo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sudo that logs its arguments and runs them as the present user; and an ssh that
    passes its input on.
    """
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:/usr/bin:/bin")
    monkeypatch.setattr(holding, "LOCK", f"{tmp_path}/lock")
    put(tmp_path / "bin", "ssh", LIKE_SSHD)
    put(tmp_path / "bin", "id", "echo 0\n")
    return put(tmp_path / "bin", "sudo", SAYS_ITS_ARGUMENTS)


def given(log: Path) -> list[list[str]]:
    """The arguments of every call of sudo."""
    calls = log.read_text().removesuffix("\1\0").split("\1\0")
    return [call.removesuffix("\0").split("\0") for call in calls]


def by_sudo(**more: Any) -> dict[str, Any]:
    """A study of this machine that is deployed to by sudo."""
    return {
        "schema": "study/1",
        "id": "scratch",
        "environment": {"kind": "hosts", "sudo": True},
        "nodes": {"localhost": {}},
        "solution": {"kind": "mount", "directory": "/dev/shm", **more},
        "experiments": {"streams": {"workload": {"transfer_size": "1MiB", "file_size": "1MiB"}}},
        "criteria": [{"id": "intact", "check": "integrity"}],
    }


@pytest.mark.parametrize("node", ["localhost", "n1"])
def test_one_command_of_sudo_runs_everything(sudo: Path, node: str) -> None:
    """Input of any bytes, output, errors and exit codes pass; sudo gets three words and the
    command only.
    """
    command = "wc -c; printf '%s ' \"it's $((1 + 1))\" '\\n' \"!\"\necho bad >&2; exit 7"
    done = OpenSsh(None, sudo=True).run(node, command, stdin=bytes(range(256)) * 999)
    assert (done.exit_code, done.stderr) == (7, "bad\n")
    assert done.stdout == f"{256 * 999}\nit's 2 \\n ! "
    (call,) = given(sudo)
    assert call[:3] == ONE_COMMAND
    assert call[3].endswith(command)
    assert len(call) == 4


@pytest.mark.parametrize("node", ["localhost", "n1"])
def test_input_arrives_unchanged(sudo: Path, tmp_path: Path, node: str) -> None:
    """A file for a node, which no terminal may have changed."""
    data = os.urandom(100_000) + b"\r\n\x03\x04\x1a\x00"
    transport.put(OpenSsh(None, sudo=True), node, data, f"{tmp_path}/deep/file", mode="600")
    assert (tmp_path / "deep/file").read_bytes() == data
    assert len(given(sudo)) == 1


@pytest.mark.parametrize("node", ["localhost", "n1"])
def test_a_stream_goes_in_and_out(sudo: Path, node: str) -> None:
    """Line by line, as an agent's; it ends where its input does."""
    stream = OpenSsh(None, sudo=True).stream(
        node, "while read -r line; do echo got $line; done; exit 3"
    )
    stream.send("one")
    assert stream.read_line() == "got one"
    stream.send("two")
    assert stream.read_line() == "got two"
    assert stream.finish(timeout_s=20)[0] == 3
    assert [call[:3] for call in given(sudo)] == [ONE_COMMAND]


def test_root_finds_its_commands_and_its_files_have_usual_rights(
    sudo: Path, tmp_path: Path
) -> None:
    """A sudoers without `secure_path` keeps the login's PATH, and sudo never removes bits of
    the login's umask.
    """
    before = os.umask(0o077)
    try:
        done = OpenSsh(None, sudo=True).run(
            "localhost", f"echo $PATH; env | grep ^PATH=; umask; : >{tmp_path}/made"
        )
    finally:
        os.umask(before)
    path, exported, umask = done.stdout.split()
    assert path == f"{tmp_path}/bin:/usr/bin:/bin:/usr/sbin:/sbin"
    assert exported == f"PATH={path}"
    assert umask == "0022"
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o644


def test_without_the_option_there_is_no_sudo(sudo: Path) -> None:
    """As before."""
    assert OpenSsh(None)._argv("localhost", "true") == ["sh", "-c", "true"]
    assert OpenSsh(None)._argv("n1", "true")[-3:] == ["--", "n1", "true"]
    assert not sudo.exists()


# ---- every transport uses it


def test_only_labs_make_a_way_to_nodes() -> None:
    """A transport of another place would not know whether the study has `sudo`: others get
    the lab's own.
    """
    sources = ROOT / "src/seatrial"
    makers = {
        path.relative_to(sources).as_posix()
        for path in sources.rglob("*.py")
        if re.search(r'\bOpenSsh\(|\["ssh"|execvp\("', path.read_text())
    }
    assert makers == {
        "transport.py",
        "launchers/kinds/ssh.py",
        "labs/kinds/hosts.py",
        "labs/kinds/emulated.py",
    }, "only these modules make connections by ssh"


def found(data: dict[str, Any]) -> Lab:
    """The hosts of a study."""
    return hosts.find(parse_study(text_of(data), Path("study.yaml")), "x")


def test_the_lab_has_the_way_and_sessions_take_it(sudo: Path) -> None:
    """That of a verb that finds nodes, and that of one that boots them; the locks use it, too."""
    data = study(by_sudo())
    site, solution = prepare(data)
    assert running(data, site, solution).transport.run("localhost", "echo a").stdout == "a\n"
    console = Path("unused")
    with session(
        data, site, solution, name="x", console=console, detached=False, observer=Terminal()
    ) as current:
        assert current.transport is current.lab.transport
    printed = [call[3] for call in given(sudo)]
    assert sum("boot_id" in command for command in printed) == 2
    assert sum("flock" in command for command in printed) == 1


def test_a_verb_reaches_its_nodes_by_sudo_alone(
    sudo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here `preflight`; the ssh of this test refuses commands without sudo."""
    monkeypatch.setenv("SUDO_USER", "st")
    data = by_sudo() | {"nodes": {"n1": {}}}
    (tmp_path / "study.yaml").write_text(text_of(data))
    done = CliRunner().invoke(cli.app, ["preflight", str(tmp_path / "study.yaml")])
    assert done.exit_code == 0, done.output
    assert "n1: nothing refuses" in done.output
    assert "login       st, root by sudo" in done.output
    commands = (tmp_path / "bin/ssh.log").read_text()
    assert commands.count("sudo -n /bin/sh -c ") == len(given(sudo)) >= 4


def test_a_shell_on_a_node_is_roots_too(tmp_path: Path) -> None:
    """With a terminal, by the same word in sudoers; the machine at hand needs no ssh."""
    config = tmp_path / "ssh_config"
    way = OpenSsh(config, sudo=True)
    plain = OpenSsh(config)
    assert plain.terminal("n1", ()) == ["ssh", "-F", str(config), "--", "n1"]
    assert plain.terminal("n1", ("ls", "-l")) == ["ssh", "-F", str(config), "--", "n1", "ls -l"]
    assert way.terminal("n1", ()) == ["ssh", "-F", str(config), "-t", "--", "n1", "sudo -n /bin/sh"]
    command = way.terminal("n1", ("ls", "-l"))
    assert command[:-1] == ["ssh", "-F", str(config), "--", "n1"]
    assert shlex.split(command[-1])[:4] == ["sudo", *ONE_COMMAND]
    assert shlex.split(command[-1])[4].endswith("ls -l")
    assert OpenSsh(None).terminal("localhost", ("ls", "-l")) == ["sh", "-c", "ls -l"]
    assert OpenSsh(None).terminal("localhost", ()) == ["sh"]
    assert OpenSsh(None, sudo=True).terminal("localhost", ()) == [
        "sh",
        "-c",
        "exec sudo -n /bin/sh",
    ]


# ---- obstacles are reported


@pytest.mark.parametrize(
    ("says", "code", "reported"),
    [
        ("Unmatched '.", 1, "localhost: the login's shell does not accept sh syntax"),
        ("sudo: a password is required", 1, "localhost: sudo requires a password"),
        ("sudo: interactive authentication is required", 1, "localhost: sudo requires a password"),
        (
            "sudo: sorry, you must have a tty to run sudo",
            1,
            r"localhost: sudo requires a terminal \(requiretty\)",
        ),
        (
            "st is not in the sudoers file.",
            1,
            "localhost: sudo does not let this login become root",
        ),
        (
            "Sorry, user st is not allowed to execute '/bin/sh -c x' as root on n1.",
            1,
            "localhost: sudo does not let this login become root",
        ),
        (
            'sudo: The "no new privileges" flag is set',
            1,
            "localhost: sudo cannot make any login root",
        ),
        ("sudo: Es ist etwas anderes", 1, "localhost: no root by sudo: Es ist etwas anderes"),
        ("", 5, r"localhost: no root by sudo: exit code 5"),
    ],
)
def test_a_refusal_of_sudo_is_reported_in_plain_words(
    sudo: Path, says: str, code: int, reported: str
) -> None:
    """With the node, the line for its sudoers, and exit code 3."""
    put(sudo.parent, "sudo", f"echo {shlex.quote(says)} >&2; exit {code}\n")
    with pytest.raises(RunError, match=f"^{reported}") as error:
        found(by_sudo())
    assert "LOGIN ALL=(root) NOPASSWD: /bin/sh" in str(error.value.hint)
    assert error.value.exit_code == 4


@pytest.mark.parametrize("node", ["localhost", "n1"])
def test_a_node_without_sudo_is_reported(
    sudo: Path, monkeypatch: pytest.MonkeyPatch, node: str
) -> None:
    """Also where it is this machine; no traceback."""
    (sudo.parent / "sudo").unlink()
    (sudo.parent / "id").unlink()
    for name in ("sh", "cat", "id"):
        (sudo.parent / name).symlink_to(shutil.which(name) or "")
    monkeypatch.setenv("PATH", str(sudo.parent))
    with pytest.raises(RunError, match=f"^{node}: sudo is not installed$"):
        found(by_sudo() | {"nodes": {node: {}}})


def test_another_user_than_root_is_refused(sudo: Path) -> None:
    """`runas_default`, for example."""
    put(sudo.parent, "id", "echo 1000\n")
    with pytest.raises(RunError, match="^localhost: by sudo this is user 1000, not root"):
        found(by_sudo())


def test_an_ordinary_user_is_referred_to_sudo(sudo: Path) -> None:
    """The message without the option is unchanged, and the other way follows it."""
    put(sudo.parent, "id", "echo 1000\n")
    with pytest.raises(RunError, match="^localhost: this is not root but user 1000$") as error:
        found(
            by_sudo()
            | {
                "environment": {"kind": "hosts"},
                "solution": {"kind": "script", "folder": "x"},
            }
        )
    assert "environment: {kind: hosts, sudo: true}" in str(error.value.hint)


@pytest.mark.parametrize("value", ["ls", "-n", 7])
def test_it_is_yes_or_no(value: Any) -> None:
    """No text becomes part of a command; the lab has no such option."""
    with pytest.raises(InputError, match=r"environment.sudo"):
        hosts.site(study(by_sudo() | {"environment": {"kind": "hosts", "sudo": value}}))
    with pytest.raises(InputError, match=r"sudo"):
        prepare(study({**by_sudo(), "environment": {"kind": "emulated", "sudo": True}}))


# ---- the end


def like_a_user(monkeypatch: pytest.MonkeyPatch, *, over: bool) -> None:
    """In a group with all other members root's by sudo, a user reaches sudo alone; in the
    end, nothing.
    """

    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "killpg", refuse if over else os.kill)


def is_over(marker: Path, limit_s: float = 20) -> bool:
    """The process with the stored id, soon: a signal is sent before it arrives."""
    limit = time.monotonic() + limit_s
    status = Path(f"/proc/{marker.read_text().strip()}/stat")
    while time.monotonic() < limit:
        try:
            if status.read_text().rpartition(") ")[2].startswith("Z"):
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("over", [False, True])
def test_sudo_ends_a_command_that_takes_too_long(
    sudo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, over: bool
) -> None:
    """With all children: an ordinary user may not signal root's processes."""
    like_a_user(monkeypatch, over=over)
    command = f"sleep 600 & echo $! >{tmp_path}/pid; wait; true"
    with pytest.raises(RunError, match="no end after 3 s"):
        OpenSsh(None, sudo=True).run("localhost", command, timeout_s=3)
    assert is_over(tmp_path / "pid")
    assert len(given(sudo)) == 2


@pytest.mark.parametrize("by_force", [False, True])
def test_a_stream_is_ended_by_sudo(sudo: Path, tmp_path: Path, by_force: bool) -> None:
    """On request, or by force; with all its children."""
    trap = "trap '' TERM; " if by_force else ""
    way = OpenSsh(None, sudo=True)
    stream = way.stream(
        "localhost", f"{trap}sleep 600 & echo $! >{tmp_path}/pid; echo up; wait; wait; true"
    )
    assert stream.read_line() == "up"
    stream.stop()
    assert stream.finish(timeout_s=0.5 if by_force else 20)[0] == -(
        signal.SIGKILL if by_force else signal.SIGTERM
    )
    assert is_over(tmp_path / "pid")
    assert [call[:3] for call in given(sudo)] == [ONE_COMMAND] * (3 if by_force else 2)


def test_the_page_has_the_command() -> None:
    """The sudoers of the page let the login run the transport's command with any arguments,
    and nothing else.
    """
    (text,) = sudoers_of(ROOT / "docs/real-hosts.md")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert lines == ["Defaults:deployer !requiretty", "deployer ALL=(root) NOPASSWD: /bin/sh"]
    assert SUDO.split() == ["sudo", "-n", "/bin/sh"]
    assert lines[1].removeprefix("deployer") in hosts.SUDOERS


@pytest.mark.skipif(
    shutil.which("visudo", path="/usr/sbin:/usr/bin") is None, reason="there is no sudo here"
)
def test_visudo_accepts_the_text_of_the_page(tmp_path: Path) -> None:
    """A mistake in a sudoers file locks everybody out."""
    visudo = shutil.which("visudo", path="/usr/sbin:/usr/bin")
    for number, text in zip(itertools.count(), sudoers_of(ROOT / "docs/real-hosts.md")):
        path = tmp_path / str(number)
        path.write_text(text)
        path.chmod(0o440)
        done = subprocess.run(
            [str(visudo), "-cf", path], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(
    shutil.which("sudo") is None or os.geteuid() != 0, reason="needs a sudo that lets root be root"
)
def test_the_real_sudo_runs_the_commands() -> None:
    """Root may become root by sudo everywhere."""
    real = OpenSsh(None, sudo=True)
    done = real.run("localhost", "id -u; wc -c; exit 6", stdin=bytes(range(256)) * 4)
    assert (done.stdout, done.stderr, done.exit_code) == ("0\n1024\n", "", 6)
    stream = real.stream("localhost", "cat")
    stream.send("there and back")
    assert stream.read_line() == "there and back"
    began_s = time.monotonic()
    assert stream.finish(timeout_s=20)[0] == 0
    assert time.monotonic() - began_s < 10
