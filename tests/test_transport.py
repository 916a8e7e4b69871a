"""Running commands on all nodes at once."""

import signal
import subprocess
from pathlib import Path
from types import FrameType

import pytest

from seatrial import transport
from seatrial.basics.errors import RunError
from seatrial.transport import Local, OpenSsh, on_every


class InterruptError(Exception):
    """The exception for a user's signal."""


def test_answers_come_by_node_and_the_first_error_is_raised() -> None:
    """After all have ended."""
    assert on_every(["a", "b"], str.upper) == {"a": "A", "b": "B"}
    assert on_every([], str.upper) == {}

    def fail(node: str) -> None:
        raise RunError(f"{node} failed")

    with pytest.raises(RunError, match="a failed"):
        on_every(["a", "b"], fail)


def test_an_interrupted_wait_ends_its_command() -> None:
    """A command on a node may hang for its whole time limit: an interrupted run does not wait
    for it.
    """

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise InterruptError

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    reported = []

    def hang(node: str) -> None:
        reported.append(Local().run(node, "sleep 600", timeout_s=900).exit_code)

    try:
        with pytest.raises(InterruptError):
            on_every(["a", "b"], hang)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert reported == [-signal.SIGTERM, -signal.SIGTERM]


def test_a_command_that_takes_too_long_leaves_nothing_open() -> None:
    """Neither its process nor its pipes; unread input is no error."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    with pytest.raises(RunError, match="no end after 0 s") as error:
        Local().run("a", "sleep 600", stdin=b"x" * 1_000_000, timeout_s=0.2)
    assert len(list(Path("/proc/self/fd").iterdir())) == before, (
        "while the error still knows the process"
    )
    assert error.value.__traceback__ is not None


def test_a_command_is_over_when_it_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its children may hold its pipes forever; all output until its end is read, in any pieces."""
    monkeypatch.setattr(transport, "LINGER_S", 0.5)
    printed = Local().run(
        "a",
        "cat; (exec sleep 40 3>&1 4>&2) & echo end; echo bad >&2",
        stdin=b"x" * 100_000,
        timeout_s=20,
    )
    assert (printed.exit_code, printed.stderr) == (0, "bad\n")
    assert printed.stdout == "x" * 100_000 + "end\n"


def test_much_that_is_read_slowly_arrives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several looks later, too."""
    monkeypatch.setattr(transport, "GLANCE_S", 0.1)
    slow = Local().run(
        "a",
        "sleep 0.5; head -c 200000 | wc -c; sleep 0.5; wc -c",
        stdin=b"y" * 3_000_000,
        timeout_s=20,
    )
    assert slow.stdout.split() == ["200000", "2800000"]


@pytest.mark.parametrize(
    ("printed", "expected"),
    [("", 20), ("Host *\n  ConnectTimeout 64\n", 64), ("connecttimeout=7", 7)],
)
def test_the_configuration_s_own_time_to_connect_is_kept(
    tmp_path: Path, printed: str, expected: int
) -> None:
    """As ssh itself reads its configuration."""
    config = tmp_path / "ssh_config"
    config.write_text(printed)
    argv = OpenSsh(config)._argv("n1", "true")
    reported = subprocess.run(
        [argv[0], "-G", *argv[1:-1]], capture_output=True, text=True, check=True
    ).stdout
    assert f"connecttimeout {expected}\n" in reported


@pytest.mark.parametrize(
    ("printed", "tries"),
    [
        ("kex_exchange_identification: Connection closed by remote host", 3),
        ("Connection timed out during banner exchange", 3),
        ("client_loop: send disconnect: Broken pipe", 1),
        ("", 1),
    ],
)
def test_a_command_that_cannot_have_begun_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, tries: int
) -> None:
    """A busy sshd drops connections; a command that may have begun is never run twice."""
    log = tmp_path / "log"
    ssh = tmp_path / "ssh"
    ssh.write_text(
        f"#!/bin/sh\ncat >>{log}; echo '{printed}' >&2\n[ $(wc -l <{log}) -lt 3 ] && exit 255\necho"
        " done\n"
    )
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(transport, "RETRY_AFTER_S", (0.0, 0.0))
    if tries == 1:
        with pytest.raises(RunError, match=f"a: ssh: {printed or 'connection failed'}"):
            OpenSsh(None).run("a", "x", stdin=b"once\n")
    else:
        assert OpenSsh(None).run("a", "x", stdin=b"once\n").stdout == "done\n"
    assert log.read_text() == "once\n" * tries


def test_a_separate_connection_shares_none_and_a_refused_one_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its option precedes the configuration: ssh uses the first value of each."""
    (tmp_path / "ssh").write_text(
        f'#!/bin/sh\necho "$@" >{tmp_path}/said\ncase " $* " in *" n1 "*) ;; *) exit 255 ;; esac\n'
    )
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    OpenSsh(None).connect_anew("n1", 5.0)
    assert (tmp_path / "said").read_text().startswith("-o ControlPath=none -o BatchMode=yes ")
    assert (tmp_path / "said").read_text().endswith(" -- n1 true\n")
    for node, words in (
        ("n2", "n2: no separate connection"),
        ("localhost", "reached without a connection"),
    ):
        with pytest.raises(RunError, match=words):
            OpenSsh(None).connect_anew(node, 5.0)


def test_localhost_is_the_machine_at_hand(tmp_path: Path) -> None:
    """Without ssh; a configuration of the study's own may mean another machine by it."""
    assert OpenSsh(None).run("localhost", "echo here; exit 255").stdout == "here\n"
    assert OpenSsh(tmp_path / "config")._argv("localhost", "true")[0] == "ssh"


@pytest.mark.parametrize("node", ["-oProxyCommand=touch ran", "-F/dev/null"])
def test_no_name_is_an_option_of_ssh(tmp_path: Path, node: str) -> None:
    """As ssh itself reads it: an option would be obeyed; a name like this is no host's."""
    argv = OpenSsh(None)._argv(node, "true")
    done = subprocess.run(
        [argv[0], "-G", *argv[1:]], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert "invalid characters" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("printed", "words"),
    [
        (
            "No ED25519 host key is known for n1 and you have requested strict checking.",
            "run ssh n1 once and compare",
        ),
        (
            "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @",
            "find out why; .* ssh-keygen -R n1",
        ),
    ],
)
def test_an_untrusted_key_is_reported_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, words: str
) -> None:
    """In the reason itself, which is printed for every node; a changed key is no new key."""
    (tmp_path / "ssh").write_text(
        f"#!/bin/sh\necho '{printed}' >&2\necho 'Host key verification failed.' >&2\nexit 255\n"
    )
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(RunError, match=f"n1: ssh: Host key verification failed. .*{words}"):
        OpenSsh(None).run("n1", "true")
