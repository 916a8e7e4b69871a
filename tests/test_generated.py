"""Secrets that a deploy makes: one for all nodes, kept by them alone, and in nothing that is
printed or recorded.
"""

import re
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from seatrial.basics.errors import RunError
from seatrial.plan.plan import Generated, Learned, Plan, Stage, command_step, describe, write_file
from seatrial.service.deploy import apply_plan
from seatrial.transport import Completed, Local
from tests.builders.plan_fixtures import PLANS, both_plans


class Nodes(Local):
    """Each node is a folder of this machine; the input of its commands is kept."""

    def __init__(self, folder: Path, silent: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.silent = silent
        self.commands: list[str] = []
        self.piped: list[str] = []
        self._lock = threading.Lock()

    def run(
        self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
    ) -> Completed:
        """In the node's own folder."""
        if node in self.silent:
            raise RunError(f"{node}: no answer")
        place = self.folder / node
        place.mkdir(exist_ok=True)
        with self._lock:
            self.commands.append(command)
            self.piped.append(stdin.decode())
        script = stdin.decode().replace("/keys/", f"{place}/")
        return super().run(
            node, command.replace("/keys/", f"{place}/"), stdin=script.encode(), timeout_s=timeout_s
        )


ITEM = Generated("key", "/keys/key", ("a", "b"), 32)
STEP = write_file("/keys/key", ITEM.placeholder, mode="600")
PLAN = Plan("p", "p", (Stage("keys", {"a": (STEP,), "b": (STEP,)}),), generated=(ITEM,))


def kept(folder: Path) -> list[str]:
    """The files of each node."""
    return [(folder / node / "key").read_text().strip() for node in ("a", "b")]


def test_all_nodes_have_the_same_and_a_second_deploy_changes_nothing(tmp_path: Path) -> None:
    """Also where one node has lost it; a check makes none."""
    nodes = Nodes(tmp_path)
    assert apply_plan(PLAN, nodes, mode="check").count("pending") == 2
    assert apply_plan(PLAN, nodes).count("changed") == 2
    first, second = kept(tmp_path)
    assert first == second
    assert re.fullmatch(r"[0-9a-f]{64}", first)
    assert {(tmp_path / node / "key").stat().st_mode & 0o777 for node in ("a", "b")} == {0o600}
    assert apply_plan(PLAN, nodes).count("ok") == 2
    assert apply_plan(PLAN, nodes, mode="check").count("ok") == 2
    (tmp_path / "b" / "key").unlink()
    apply_plan(PLAN, nodes)
    assert kept(tmp_path) == [first, first]
    assert not any(first in command for command in nodes.commands)


TOLD = Learned("word", "a", "cat /keys/public", r"key-[a-z]+")
TELLS = Plan(
    "p",
    "p",
    (
        Stage("make", {"a": (write_file("/keys/public", "key-a"),)}),
        Stage("tell", {"b": (write_file("/keys/known", f"a {TOLD.placeholder}"),)}),
    ),
    learned=(TOLD,),
)


def test_a_value_of_one_node_reaches_the_others(tmp_path: Path) -> None:
    """In its state at the start of the stage that names it; a check does not need it."""
    nodes = Nodes(tmp_path)
    assert apply_plan(TELLS, nodes, mode="check").count("pending") == 2
    assert apply_plan(TELLS, nodes).count("changed") == 2
    assert (tmp_path / "b" / "known").read_text() == "a key-a\n"
    assert apply_plan(TELLS, nodes).count("ok") == 2


@pytest.mark.parametrize("printed", ["", "key-a; reboot", "key-a\nSEATRIAL\nreboot", "key-"])
def test_a_value_that_is_no_word_enters_no_script(printed: str, tmp_path: Path) -> None:
    """And no file is written without it."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "public").write_text(printed)
    nodes = Nodes(tmp_path)
    with pytest.raises(RunError, match="a does not report its word"):
        apply_plan(replace(TELLS, stages=TELLS.stages[1:]), nodes)
    assert not (tmp_path / "b").exists()


def test_a_value_is_in_no_text_for_people(tmp_path: Path) -> None:
    """Neither in a printed plan nor in the output of a step that fails."""
    assert ITEM.placeholder in describe(PLAN)
    fails = command_step("fails", "false", f"echo {ITEM.placeholder}\nfalse")
    with pytest.raises(RunError) as caught:
        apply_plan(
            Plan("p", "p", (Stage("s", {"a": (STEP, fails)}),), generated=(ITEM,)), Nodes(tmp_path)
        )
    value = (tmp_path / "a" / "key").read_text().strip()
    assert value not in str(caught.value)
    assert "********" in str(caught.value)


@pytest.mark.parametrize(
    ("a", "b", "silent", "words"),
    [
        ("00", "11", (), "a, b keep different secrets"),
        ("$(reboot)", None, (), "does not hold a secret of a deployment"),
        ("00\n11", None, (), "does not hold a secret of a deployment"),
        (None, None, ("b",), "cannot read the secret .* on b"),
    ],
)
def test_a_mismatch_is_refused(
    tmp_path: Path, a: str | None, b: str | None, silent: tuple[str, ...], words: str
) -> None:
    """Before any script is piped: a node's answer becomes part of the scripts of all others."""
    for name, text in (("a", a), ("b", b)):
        if text is not None:
            (tmp_path / name).mkdir()
            (tmp_path / name / "key").write_text(text)
    nodes = Nodes(tmp_path, silent)
    with pytest.raises(RunError, match=words):
        apply_plan(PLAN, nodes)
    assert not any(nodes.piped)


def test_a_node_that_has_the_value_asks_no_other(tmp_path: Path) -> None:
    """A member is put back in service while its peer is off."""
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "key").write_text("00\n")
    plan = Plan("p", "p", (Stage("keys", {"a": (STEP,)}),), generated=(ITEM,))
    assert apply_plan(plan, Nodes(tmp_path, ("b",))).count("ok") == 1


@pytest.mark.parametrize(
    "name", [name for name in PLANS if name.startswith(("nfs-ha/", "gfs2-iscsi/"))]
)
def test_a_cluster_is_encrypted_with_its_own_key(name: str) -> None:
    """Each of its members has the same placeholder, and the plan has no value."""
    plan, _ = both_plans(name)
    item = next(item for item in plan.generated if item.name == "corosync-key")
    having = {
        node
        for stage in plan.stages
        for node, steps in stage.steps.items()
        for step in steps
        if item.placeholder in f"{step.shell.content}{step.apply}"
    }
    assert (
        having
        == set(item.nodes)
        == {
            node
            for stage in plan.stages
            for node, steps in stage.steps.items()
            for step in steps
            if "crypto_cipher: aes256" in (step.shell.content or "")
        }
    )


def test_a_node_that_does_not_end_in_time_keeps_its_error(tmp_path: Path) -> None:
    """The kernels are asked as well, and a node that does not answer them adds nothing."""
    nodes = Nodes(tmp_path, silent=("a",))
    plan = Plan("p", "p", (Stage("s", {"a": (command_step("s", None, "true"),)}),))
    with pytest.raises(RunError, match="^a: no answer$"):
        apply_plan(plan, nodes)
