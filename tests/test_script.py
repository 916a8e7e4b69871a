"""Solution `script`: the environment of scripts, their execution, and the plan."""

import copy
import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.errors import InputError, RunError
from seatrial.check import prepare
from seatrial.load.resume import before
from seatrial.plan.plan import Plan, Stage, command_step, describe
from seatrial.result.result import SCHEMA
from seatrial.result.writer import Writer
from seatrial.service.deploy import apply_plan
from seatrial.service.session import files_of, packages_of
from seatrial.solutions.base import timers_of
from seatrial.solutions.kinds.script import Scripts
from seatrial.solutions.parts.script_folder import Script
from seatrial.study.study import Study, load_study
from seatrial.study.timers import Timer
from seatrial.transport import Local
from tests.builders.places import STUDIES
from tests.builders.script_solutions import FILES, written
from tests.builders.strategies import MINIMAL, text_of

SHIPPED = sorted(STUDIES.glob("*/solution/*.sh"))


def solution_of(study: Study) -> Scripts:
    """The deployment of the study."""
    solution = prepare(study)[1]
    assert isinstance(solution, Scripts)
    return solution


def ran(check: str, apply: str, **variables: str) -> list[str]:
    """How a step with these scripts ended, run for real by this machine's sh."""
    first, second = (
        Script(f"{index}.sh", "sh", text).call(variables)
        for index, text in enumerate((check, apply))
    )
    plan = Plan("t", "t", (Stage("s", {"here": (command_step("x", first, second),)}),))
    return [item.result for item in apply_plan(plan, Local()).results]


# ---- how they run


@given(st.text(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126)))
def test_a_value_arrives_unchanged(value: str) -> None:
    """Quotes, blanks and shell expansions."""
    path = Path(f"/tmp/seatrial-test-{os.getpid()}")
    try:
        ran(f"[ -e {path} ]", f'printf %s "$GIVEN" >{path}', GIVEN=value)
        assert path.read_text() == value
    finally:
        path.unlink(missing_ok=True)


def test_a_script_runs_unchanged(tmp_path: Path) -> None:
    """Here-documents, quotes and early exits belong to the script; it gets its own name."""
    made = tmp_path / "made"
    text = (
        f"# it's (not ` a \"problem ) ${{\ncat >{made} <<EOF\n  $(echo two)\n\tthree"
        f" 'quoted'\nEOF\necho \"$0\" >>{made}\nexit 0\nfalse\n"
    )
    assert ran(f"[ -e {tmp_path}/made ]", text) == ["changed"]
    assert (tmp_path / "made").read_text() == "  two\n\tthree 'quoted'\n1.sh\n"
    assert ran(f"[ -e {tmp_path}/made ]", text) == ["ok"]


def test_a_check_holds_only_where_every_command_of_it_succeeds(tmp_path: Path) -> None:
    """Also inside the condition in which it runs, where a function's own `set -e` would end
    nothing.
    """
    assert ran(f"[ -e {tmp_path}/made ]\ntrue", f"touch {tmp_path}/made") == ["changed"]
    with pytest.raises(RunError, match="NOBODY: parameter not set"):
        ran("false", "echo $NOBODY\ntrue")


def test_children_of_a_script_do_not_delay_the_plan(tmp_path: Path) -> None:
    """A daemon that keeps all descriptors that it was given."""
    made = tmp_path / "made"
    assert ran(f"[ -e {made} ]", f"(sleep 20; rm {made}) & echo $! >{made}") == ["changed"]
    Local().run("here", f"read -r pid <{made} && kill $pid")


# ---- what becomes of them


def test_a_script_gets_only_the_variables_that_it_names(tmp_path: Path) -> None:
    """So nodes with the same needs get the same script."""
    text = describe(solution_of(written(tmp_path)).plan({}))
    made = text[text.index("# 1. make them") : text.index("# 1. tune")]
    assert "export SEATRIAL_DEVICES='/dev/ubdb /dev/ubdc /dev/ubdd" in made
    assert "export COPIES=2\n" in made
    assert "MODE" not in text
    assert "export SEATRIAL_NODE=c4\n" in text
    assert "export TUNED=true\n" in text
    assert FILES["make.sh"] in text
    assert 'bash -euc "$script" make.sh 3>&-' in text


def test_addresses_are_those_of_the_network_that_the_study_names(tmp_path: Path) -> None:
    """For every role, in order; also for roles of the study."""
    study = written(
        tmp_path,
        files={"tune.sh": "echo $SEATRIAL_META_NODES $SEATRIAL_META_ADDRESSES $SEATRIAL_ADDRESS"},
        networks={"other": {}, "data": {}},
        solution={"network": "other", "roles": {"meta": "c[3-4]"}},
    )
    solution = solution_of(study)
    assert (solution.clients, solution.servers) == (("c1", "c2"), ("nas",))
    assert solution.storage_nodes == ("nas", "c3", "c4")
    text = describe(solution.plan({}))
    assert "export SEATRIAL_META_NODES='c3 c4'\n" in text
    assert "export SEATRIAL_META_ADDRESSES='c3-other c4-other'\n" in text
    assert "export SEATRIAL_ADDRESS=c1-other\n" in text
    assert "nas-other:/small" in text


def test_the_manifests_warnings_are_the_plans(tmp_path: Path) -> None:
    """And so the report's."""
    assert solution_of(written(tmp_path)).plan({}).warnings == ("It loses what was not synced.",)


def test_the_first_node_of_a_role_can_act_for_all(tmp_path: Path) -> None:
    """As where a volume is made once."""
    plan = solution_of(
        written(tmp_path, manifest=lambda data: data["stages"][1].update(nodes="first"))
    ).plan({})
    assert [list(item.steps) for item in plan.stages if item.title == "clients"] == [["c1"]]


def test_every_byte_crosses_the_manifests_resources(tmp_path: Path) -> None:
    """Two copies: half of the links' rate; and as many as an experiment sets."""
    study = written(tmp_path)
    path = solution_of(study).data_path(2)
    assert [item.name for item in path.resources] == [
        "client links",
        "server links",
        "server disks",
    ]
    clients, server, disks = path.resources
    assert clients.read_bytes_per_s == pytest.approx(2 * clients.write_bytes_per_s)
    assert server.write_bytes_per_s == pytest.approx(31.25e6 * (9000 - 52) / (9000 + 14) / 2)
    assert disks.write_bytes_per_s == pytest.approx(6 * 3.25e6 / 2)
    assert not disks.hard
    assert [item.name for item in solution_of(study).data_path(1, local=True).resources] == [
        "server disks"
    ]
    single = solution_of(study.with_values({"solution.values.COPIES": 1}))
    assert single.data_path(2).resources[1].write_bytes_per_s == pytest.approx(
        2 * server.write_bytes_per_s
    )


def test_limits_of_faults_are_sums_of_the_manifests_timers(tmp_path: Path) -> None:
    """With the values of the study."""
    study = written(tmp_path, solution={"values": {"COPIES": 3}})
    assert timers_of(prepare(study)[1]) == {"takeover": Timer(3.0, "tfsd.conf")}


def test_a_resource_without_a_rate_is_left_out(tmp_path: Path) -> None:
    """A bound is not guessed."""
    nodes = {**MINIMAL["nodes"], "c[1-4]": {"memory": "128MiB"}}
    path = solution_of(written(tmp_path, nodes=nodes)).data_path(2)
    assert [item.name for item in path.resources] == ["server links", "server disks"]


def test_only_values_of_the_layout_rebuild_the_storage(tmp_path: Path) -> None:
    """And other servers."""
    study = written(tmp_path)
    base = solution_of(study).layout
    assert solution_of(study.with_values({"solution.values.MODE": "safe"})).layout == base
    assert solution_of(study.with_values({"solution.values.COPIES": 3})).layout != base


def test_devices_are_erased_only_where_they_are_not_in_use_as_asked(tmp_path: Path) -> None:
    """The step's own check decides; a removal erases the named devices at its end."""
    solution = solution_of(written(tmp_path))
    named = {"nas": frozenset({"/dev/ubdc"})}
    erase, make = next(
        item.steps["nas"] for item in solution.plan(named).stages if item.title == "targets"
    )
    assert erase.title == "erase /dev/ubdc, as --wipe allows"
    assert erase.check == f"(\n{make.check}\n) || all_must_be_blank /dev/ubdc"
    assert make.guard.destroys == tuple(f"/dev/ubd{letter}" for letter in "bcdefg")
    assert [item.title for item in solution.removal(named).stages][-1] == "erase the disks"


def test_a_removal_goes_backwards(tmp_path: Path) -> None:
    """Without a script for the check of the removal, the step's own check must fail."""
    plan = solution_of(written(tmp_path)).removal({})
    assert [item.title for item in plan.stages] == ["unmount", "undo: clients", "undo: targets"]
    assert str(plan.stages[1].steps["c1"][0].check).startswith("! (\nexport SEATRIAL_NODE=c1\n")
    assert "unmade.sh" in str(plan.stages[2].steps["nas"][0].check)


def test_caches_are_emptied_by_unmounting(tmp_path: Path) -> None:
    """Everywhere, and the storage nodes' page cache between."""
    plan = solution_of(written(tmp_path)).empty_caches(["c2"])
    assert [(item.title, list(item.steps)) for item in plan.stages] == [
        ("unmount", ["c2", "c1", "c3", "c4"]),
        ("empty the page cache", ["nas"]),
        ("mount", ["c2", "c1", "c3", "c4"]),
    ]


def test_the_lab_gets_the_packages_of_its_nodes(tmp_path: Path) -> None:
    """Also where only an experiment uses the scripts."""
    study = written(tmp_path)
    assert packages_of(study, prepare(study)[0]) == {"tfs-server", "tfs-client"}
    data = copy.deepcopy(MINIMAL)
    data["experiments"]["one"]["overrides"] = {"solution": {"kind": "script"}}
    (tmp_path / "study.yaml").write_text(text_of(data))
    study = load_study(tmp_path / "study.yaml")
    assert packages_of(study, prepare(study)[0]) == {"tfs-server", "tfs-client"}


def test_a_result_keeps_the_scripts(tmp_path: Path) -> None:
    """The stored study builds the same there; with other scripts no run resumes from it."""
    study = written(tmp_path)
    writer = Writer(tmp_path / "record")
    writer.keep("study.yaml", study.source.text)
    writer.line("run", schema=SCHEMA, profile="quick")
    for path, text in files_of(study, prepare(study)[0]).items():
        writer.keep(path, text)
    writer.close()
    again = solution_of(load_study(tmp_path / "record/study.yaml"))
    assert describe(again.plan({})) == describe(solution_of(study).plan({}))
    assert before(tmp_path / "record", study).profile == "quick"
    with pytest.raises(InputError, match="its study differs from "):
        before(tmp_path / "record", written(tmp_path, files={"tune.sh": "true"}))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.parent.name}/{path.name}")
def test_shipped_scripts_are_in_order(path: Path) -> None:
    """For the shell (and, by `make lint`, for ShellCheck); they say themselves how they are run."""
    assert path.read_text().startswith("#!/bin/sh -eu\n")
    done = subprocess.run(["sh", "-n", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
