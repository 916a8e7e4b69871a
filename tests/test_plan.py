"""Plans: the real effects of the rendered scripts, executed by sh on this machine, and their
texts, as fixtures.
"""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.errors import RunError
from seatrial.check import prepare
from seatrial.plan.plan import Plan, Stage, Step, command_step, describe, remove_file, write_file
from seatrial.service.deploy import apply_plan
from seatrial.solutions.look import deployment, removal
from seatrial.solutions.parts.filesystem import mistake_in_volume
from seatrial.solutions.parts.raid import Array, Raid, create_steps, mistake_in
from seatrial.streams import Stream
from seatrial.study.nodes import Disks
from seatrial.transport import Completed, Local
from tests.builders.plan_fixtures import (
    PLANS,
    PREAMBLE,
    STEPS,
    both_plans,
    elided,
    shared_by,
    study_of,
)
from tests.builders.steps import edited, plan_of, results
from tests.builders.strategies import written_in


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    """Changed once, ok afterwards; the content is exact, also with characters that a shell would
    expand.
    """
    content = "a $HOME `date` 'quoted' \\ \"double\"\n\nend"
    step = write_file(str(tmp_path / "new" / "file"), content)
    assert results(step) == ["changed"]
    assert results(step) == ["ok"]
    assert (tmp_path / "new" / "file").read_text() == content + "\n"
    assert results(remove_file(str(tmp_path / "new" / "file"))) == ["changed"]
    assert results(remove_file(str(tmp_path / "new" / "file"))) == ["ok"]


@given(
    st.text(st.characters(codec="ascii", exclude_characters="\0\r"), max_size=60).filter(
        lambda text: "SEATRIAL" not in text
    )
)
def test_any_content_arrives_unchanged(content: str) -> None:
    """Here-documents must not be indented, expanded or cut."""
    path = Path(f"/tmp/seatrial-test-{os.getpid()}")
    try:
        results(write_file(str(path), content))
        assert path.read_text() == (content if content.endswith("\n") else content + "\n")
    finally:
        path.unlink(missing_ok=True)


def test_text_with_shell_syntax_is_refused() -> None:
    """Dash loses a byte of this one."""
    with pytest.raises(ValueError, match="only write ASCII"):
        write_file("/x", "S\x80")


def test_check_mode_changes_nothing(tmp_path: Path) -> None:
    """`sh -s check` prints the pending changes."""
    path = tmp_path / "file"
    assert results(write_file(str(path), "x"), mode="check") == ["pending"]
    assert not path.exists()


def test_a_step_has_failed_if_its_check_still_fails() -> None:
    """A deploy that reports success was checked."""
    with pytest.raises(RunError, match="step 'never' failed:\n.*its check still fails"):
        results(command_step("never", "false", "true"))


def test_a_failing_command_stops_the_script(tmp_path: Path) -> None:
    """`set -e` holds inside apply; later steps and later stages do not run; the output is shown."""
    later = write_file(str(tmp_path / "later"), "x")
    with pytest.raises(
        RunError, match="here: stage 'only': step 'breaks' failed:\n    what went wrong"
    ):
        results(command_step("breaks", "false", "echo what went wrong\nfalse\ntrue"), later)
    assert not (tmp_path / "later").exists()


def test_a_command_that_reads_stdin_does_not_eat_the_script() -> None:
    """The whole script is read before anything runs."""
    assert (
        results(
            command_step("reads", "false || cat >/dev/null", "cat >/dev/null"),
            command_step("next", "true", "true"),
        )
        == ["ok"] * 2
    )


def test_an_action_is_done_every_time(tmp_path: Path) -> None:
    """A step without a check."""
    step = command_step("again", None, f"echo x >>{tmp_path}/log")
    assert results(step) == ["changed"]
    assert results(step) == ["changed"]
    assert (tmp_path / "log").read_text() == "x\nx\n"


def test_a_script_that_is_cut_off_is_noticed() -> None:
    """An answer without its last line is a failure with any exit code."""

    class Cut(Local):
        def run(
            self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
        ) -> Completed:
            return Completed(node, 0, "ok 1 1.0\n", "")

        def stream(self, node: str, command: str) -> Stream:
            raise NotImplementedError

    with pytest.raises(RunError, match="the script ended at step 'second'"):
        apply_plan(
            plan_of(command_step("first", "true", ":"), command_step("second", "true", ":")), Cut()
        )


def restarts(tmp_path: Path, serving: str, failing: str = "") -> Plan:
    """A daemon on each of four nodes is started again; `log` has when each began and had ended."""

    def step(node: str) -> Step:
        say = f'echo "$(date +%s%N) {{}} {node}" >>{tmp_path}/log'
        ends = "false" if node in failing else f"touch {tmp_path}/{node}"
        return command_step(
            "restart",
            f"[ -e {tmp_path}/{node} ]",
            f"{say.format('begins')}\nsleep 0.1\n{ends}\n{say.format('ended')}",
            interrupts="true" if node in serving else "false",
        )

    return Plan("test", "a test", (Stage("restart", {node: (step(node),) for node in "abcd"}),))


def test_serving_nodes_are_changed_one_after_another(tmp_path: Path) -> None:
    """After the nodes that do not serve; the next one begins after the last one has ended."""
    outcome = apply_plan(restarts(tmp_path, serving="acd"), Local())
    assert outcome.summary() == "4 changed"
    log = [line.split()[1:] for line in (tmp_path / "log").read_text().splitlines()]
    assert log == [[word, node] for node in "bacd" for word in ("begins", "ended")]
    assert apply_plan(restarts(tmp_path, serving="acd"), Local()).summary() == "4 ok"


def test_a_failure_on_one_node_stops_before_the_next(tmp_path: Path) -> None:
    """And to no serving node, after a failure on another one."""
    for serving, begun in (("acd", "bac"), ("cd", "ab")):
        folder = tmp_path / serving
        folder.mkdir()
        with pytest.raises(RunError, match="step 'restart' failed"):
            apply_plan(restarts(folder, serving, failing=begun[-1]), Local())
        log = [line.split()[1:] for line in (folder / "log").read_text().splitlines()]
        assert {node for _, node in log} == set(begun)


def test_nothing_that_holds_something_is_overwritten(tmp_path: Path) -> None:
    """A path without a block device, or with data on it, is refused before apply runs."""
    target = tmp_path / "no-device"
    target.write_text("precious")
    with pytest.raises(RunError, match="is not a block device"):
        results(command_step("destroys", "false", f": >{target}", destroys=(str(target),)))
    assert target.read_text() == "precious"


@pytest.mark.parametrize("bad", [0, 1, 2])
def test_one_device_that_is_not_blank_is_enough(tmp_path: Path, bad: int) -> None:
    """At any place among the others, and also inside a check, where `set -e` ends nothing."""
    stub = "must_be_blank() { [ $1 = blank ]; }\n"
    devices = " ".join("full" if index == bad else "blank" for index in range(3))
    made = tmp_path / "made"
    check = f"{stub}[ ! -e {made} ] || exit 0\nall_must_be_blank {devices}"
    assert results(command_step("erase them", check, f"touch {made}")) == ["changed"]
    assert results(
        command_step("erase them", f"{stub}all_must_be_blank blank blank blank", "false")
    ) == ["ok"]


def test_a_private_file_is_never_readable_by_others(tmp_path: Path) -> None:
    """Not even while it is written."""
    path = tmp_path / "secret"
    before = os.umask(0)
    try:
        step = write_file(
            str(path), "secret", mode="600", after=f"stat -c %a {path} >{tmp_path}/mode"
        )
        look = f'stat -c %a "$1.new" >{tmp_path}/new; chmod'
        results(edited(step, lambda text: text.replace("chmod", look)))
    finally:
        os.umask(before)
    assert [(tmp_path / name).read_text() for name in ("new", "mode")] == ["600\n", "600\n"]


def test_secrets_are_masked() -> None:
    """In the output, not in the input of the commands."""
    plan = Plan(
        "t",
        "t",
        (Stage("s", {"n": (command_step("x", "true", "echo hunter2"),)}),),
        secrets=("hunter2",),
    )
    assert "hunter2" not in describe(plan)
    assert "hunter2" in next(iter(plan.scripts()))[3]


def plan_of_fixture(name: str) -> Plan:
    """The plan that a fixture shows."""
    case = written_in(PLANS[name])
    named = case.get("wipe", [])
    if not named:
        return both_plans(name)[bool(case.get("removal"))]
    wipe = {
        node: frozenset(devices)
        for node, devices in (named if isinstance(named, dict) else {"nas": named}).items()
    }
    site, solution = prepare(study_of(name))
    return removal(solution, wipe) if case.get("removal") else deployment(solution, site, wipe)


@pytest.fixture(scope="module")
def plans() -> dict[str, Plan]:
    """Those of all fixtures."""
    return {name: plan_of_fixture(name) for name in PLANS}


def is_kept(path: Path, text: str) -> None:
    """The file has this text. After an intended change: SEATRIAL_WRITE_PLANS=1, then read the
    difference.
    """
    if os.environ.get("SEATRIAL_WRITE_PLANS"):
        path.write_text(text)
    assert path.read_text() == text


def test_shared_parts_of_scripts_are_stored_once(plans: dict[str, Plan]) -> None:
    """The preamble, and the steps that several plans share."""
    (script,) = (script for *_, script in plan_of(command_step("one", "true", "true")).scripts())
    is_kept(PREAMBLE, script[script.index("mode=${1") : script.index("\n# 1. one")])
    is_kept(STEPS, shared_by(plans.values()))


@pytest.mark.parametrize(
    ("kind", "mib", "array", "striped", "refused"),
    [
        ("xfs", 299, False, True, True),
        ("xfs", 300, False, True, False),
        ("xfs", 256, True, True, True),
        ("xfs", 257, True, True, False),
        ("xfs", 150, True, False, True),
        ("xfs", 192, True, False, False),
        ("xfs", None, True, True, False),
        ("ext4", 16, True, True, False),
    ],
)
def test_a_volume_too_small_for_xfs_is_refused(
    kind: str, mib: int | None, *, array: bool, striped: bool, refused: bool
) -> None:
    """As mkfs.xfs of xfsprogs 6.1 does it, which is asked only when the lab has booted."""
    disks = Disks.model_validate({"count": 4, "size": f"{mib}MiB" if mib else None})
    raid = Raid.model_validate({"level": 10, "chunk": "64KiB"})
    mirrors = Array(raid, "x", tuple("abcd"), holds_zeros=True) if array else None
    assert (mistake_in_volume(kind, disks, mirrors, striped=striped) is not None) == refused


@pytest.mark.parametrize("name", PLANS)
def test_plan_fixtures(name: str, plans: dict[str, Plan]) -> None:
    """Facts in, scripts out, byte for byte; each is shell."""
    plan = plans[name]
    is_kept(PLANS[name].with_suffix(".sh"), elided(plan))
    for _number, _stage, node, script in plan.scripts():
        checked = Local().run(node, "sh -n", stdin=script.encode())
        assert checked.exit_code == 0, checked.stderr
    for shows in {
        step.shell.shows
        for stage in plan.stages
        for steps in stage.steps.values()
        for step in steps
    }:
        assert Local().run("here", "sh -n", stdin=shows.encode()).exit_code == 0, shows


@given(st.sampled_from([0, 1, 5, 6, 10, 50]), st.integers(1, 48), st.integers(1, 8))
def test_raid_geometry(level: Any, disks: int, spans: int) -> None:
    """Any accepted array has data disks, uses every device once, and its full stripe is full in
    every span.
    """
    raid = Raid.model_validate({"level": level, "spans": spans, "chunk": "64KiB"})
    if mistake_in(raid, disks):
        return
    devices = tuple(f"/dev/d{index}" for index in range(disks))
    array = Array(raid, "x", devices, holds_zeros=True)
    bottom = array.sets()[:-1] or array.sets()
    assert [device for md_set in bottom for device in md_set.members] == list(devices)
    assert 1 <= array.data_disks <= disks
    if level == 50:
        assert array.sets()[-1].chunk_bytes == 65536 * array.data_disks // raid.spans


def test_parity_is_synchronised_unless_the_disks_are_known_to_hold_zeros() -> None:
    """--assume-clean on disks of unknown content would store parity that protects nothing."""
    raid = Raid.model_validate({"level": 6, "chunk": "64KiB"})
    devices = ("/dev/a", "/dev/b", "/dev/c", "/dev/d")
    for zeros in (True, False):
        script = "".join(
            step.apply for step in create_steps(Array(raid, "x", devices, holds_zeros=zeros))
        )
        assert ("--assume-clean" in script) == zeros
