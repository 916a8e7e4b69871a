"""Nodes are locked during a change, and released at every end."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from seatrial.basics.errors import RunError
from seatrial.service import holding
from seatrial.service.holding import held
from seatrial.transport import Local


def test_a_second_one_is_refused_with_the_owner_of_the_nodes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On each node; afterwards they can be locked again."""
    monkeypatch.setattr(holding, "LOCK", str(tmp_path / "lock"))
    words = "^n1 is in use by the study first .process .* on .*$"
    with (
        held(Local(), ["n1"], "first"),
        pytest.raises(RunError, match=words),
        held(Local(), ["n1"], "second"),
    ):
        pass
    with held(Local(), ["n1"], "second"):
        pass


def test_nodes_are_released_by_a_killed_controller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command on the node ends with its connection."""
    monkeypatch.setattr(holding, "LOCK", str(tmp_path / "lock"))
    text = (
        "import time; from seatrial.service import holding; from seatrial.transport import"
        f" Local\nholding.LOCK = {str(tmp_path / 'lock')!r}\nwith holding.held(Local(), ['n1'],"
        " 'first'):\n    print('held', flush=True)\n    time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "held\n"
        with (
            pytest.raises(RunError, match="in use by the study first"),
            held(Local(), ["n1"], "second"),
        ):
            pass
        os.kill(first.pid, signal.SIGKILL)
    refused = ["at first"]
    for _ in range(100):
        with contextlib.suppress(RunError), held(Local(), ["n1"], "second"):
            refused.clear()
            break
        time.sleep(0.05)
    assert refused == []


def test_a_node_that_cannot_be_locked_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the output of the shell."""
    monkeypatch.setattr(holding, "LOCK", "/nowhere/lock")
    with (
        pytest.raises(RunError, match="^n1 could not be locked: .*/nowhere/lock"),
        held(
            Local(),
            ["n1"],
            "it",
        ),
    ):
        pass


def test_a_node_that_never_answers_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was reached just before, and hangs now."""
    monkeypatch.setattr(holding, "ANSWER_S", 0.2)
    monkeypatch.setattr(Local, "_argv", lambda *_: ["sleep", "600"])
    with pytest.raises(RunError, match="^n1 could not be locked: "), held(Local(), ["n1"], "it"):
        pass
