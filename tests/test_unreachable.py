"""Nodes that cannot be reached are named in one line for each reason."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import RunError
from seatrial.labs.kinds import hosts
from seatrial.study.study import parse_study
from seatrial.transport import Completed, OpenSsh
from tests.builders.strategies import MINIMAL, text_of

NODES = {
    "nas": {"disks": {"count": 6, "devices": [f"/dev/sd{letter}" for letter in "abcdef"]}},
    "node[01-17]": {},
}


def refused(monkeypatch: pytest.MonkeyPatch, printed: Callable[[int], str]) -> list[str]:
    """The lines of the error where every client prints this, with its number, and the server
    answers.
    """
    data: dict[str, Any] = {**MINIMAL, "environment": {"kind": "hosts"}, "nodes": NODES}
    experiment = MINIMAL["experiments"]["one"]
    data["experiments"] = {"one": {**experiment, "sweep": {}}}

    def run(_self: OpenSsh, node: str, *_: object, **__: object) -> Completed:
        if node == "nas":
            return Completed(node, 0, "0\nboot\n", "")
        raise RunError(f"{node}: ssh: {printed(int(node.removeprefix('node')))}")

    monkeypatch.setattr(OpenSsh, "run", run)
    study = parse_study(text_of(data), Path("study.yaml"))
    with pytest.raises(RunError) as error:
        hosts.find(study, "any")
    return str(error.value).splitlines()


def test_many_nodes_are_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """With any of their names or addresses in the words of ssh."""
    for words in (
        lambda number: f"Could not resolve hostname node{number:02}: Name or service not known",
        lambda number: f"connect to host 10.0.0.{number} port 22: No route to host",
        lambda number: f"connect to host node{number:02} port 22: No route to host",
    ):
        (line,) = refused(monkeypatch, words)
        assert line.startswith("node[01-17]: ssh: ")
        assert "NODE" in line
        assert "10.0.0." not in line


def test_other_reasons_are_other_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a node that is alone with its reason keeps its own words."""
    lines = refused(
        monkeypatch,
        lambda number: (
            f"connect to host node{number:02} port 22:"
            f" {'Connection refused' if number == 4 else 'timed out'}"
        ),
    )
    assert lines == [
        "node[01-03,05-17]: ssh: connect to host NODE port 22: timed out",
        "node04: ssh: connect to host node04 port 22: Connection refused",
    ]


def test_a_name_within_another_stays() -> None:
    """`node1` is no part of `node10`, `node1-mgmt` or `login.node1`."""
    words = "ask node10, node1-mgmt or login.node1"
    reasons = {"node1": words, "node2": words}
    assert hosts.folded_reasons(reasons) == [f"node[1-2]: {words}"]
