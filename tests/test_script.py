"""Solution `script`: the environment of scripts, their execution, mistakes, and the plan."""

import copy
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.errors import InputError, RunError
from seatrial.check import prepare
from seatrial.load.resume import before
from seatrial.plan.plan import Plan, Stage, Step, describe
from seatrial.result.result import SCHEMA, Writer
from seatrial.service.deploy import apply_plan
from seatrial.service.session import files_of, packages_of
from seatrial.solutions.base import timers_of
from seatrial.solutions.kinds.script import Scripts
from seatrial.solutions.parts.script_folder import Script
from seatrial.study.study import Study, load_study
from seatrial.study.timers import Timer
from seatrial.transport import Local
from tests.strategies import MINIMAL, text_of

SHIPPED = sorted((Path(__file__).parent.parent / "studies").glob("*/solution/*.sh"))
MANIFEST: dict[str, Any] = {
    "title": "test file system",
    "packages": {"server": {"tfsd": "tfs-server"}, "client": {"mount.tfs": "tfs-client"}},
    "values": {"COPIES": 2, "MODE": "fast", "TUNED": True},
    "layout": ["COPIES"],
    "warnings": ["It loses what was not synced."],
    "stages": [
        {
            "title": "targets",
            "role": "server",
            "steps": [
                {
                    "title": "make them",
                    "check": "made.sh",
                    "apply": "make.sh",
                    "remove": "unmake.sh",
                    "removed": "unmade.sh",
                    "destroys": True,
                }
            ],
        },
        {
            "title": "clients",
            "role": "client",
            "steps": [
                {"title": "tune", "check": "tuned.sh", "apply": "tune.sh", "remove": "untune.sh", "reason": "it"}
            ],
        },
    ],
    "mount": {"type": "tfs", "device": "{server}:/{study}"},
    "timers": {"takeover": {"seconds": "COPIES", "source": "tfsd.conf"}},
    "data_path": {
        "client links": {"write": "COPIES"},
        "server links": {"write": "COPIES"},
        "server disks": {"write": 2},
    },
}
FILES = {
    "made.sh": "#!/bin/sh -eu\n[ -e /tmp/made ]\n",
    "make.sh": "#!/bin/bash\nfor device in $SEATRIAL_DEVICES; do mktfs -c $COPIES $device; done\n",
    "unmake.sh": "rm /tmp/made",
    "unmade.sh": "[ ! -e /tmp/made ]",
    "tuned.sh": "#!/usr/bin/env bash\ntfs get $SEATRIAL_NODE\n",
    "tune.sh": "tfs set $SEATRIAL_NODE $TUNED\n",
    "untune.sh": "tfs unset\n",
}


def written(
    folder: Path,
    *,
    manifest: Callable[[dict[str, Any]], object] = lambda _data: None,
    files: dict[str, str | None] | None = None,
    **changes: Any,
) -> Study:
    """The small study with a folder of scripts, each of them changed like this; a file of
    None is missing.
    """
    data, reported = copy.deepcopy(MINIMAL), copy.deepcopy(MANIFEST)
    data["solution"] = {"kind": "script", **changes.pop("solution", {})}
    data.update(changes)
    manifest(reported)
    (folder / "solution").mkdir(exist_ok=True)
    for name, text in {**FILES, "solution.yaml": text_of(reported), **(files or {})}.items():
        if text is not None:
            (folder / "solution" / name).write_text(text)
    (folder / "study.yaml").write_text(text_of(data))
    return load_study(folder / "study.yaml")


def solution_of(study: Study) -> Scripts:
    """The deployment of the study."""
    solution = prepare(study)[1]
    assert isinstance(solution, Scripts)
    return solution


def ran(check: str, apply: str, **variables: str) -> list[str]:
    """How a step with these scripts ended, run for real by this machine's sh."""
    first, second = (Script(f"{index}.sh", "sh", text).call(variables) for index, text in enumerate((check, apply)))
    plan = Plan("t", "t", (Stage("s", {"here": (Step("x", first, second),)}),))
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
        f"# it's (not ` a \"problem ) ${{\n"
        f"cat >{made} <<EOF\n  $(echo two)\n\tthree 'quoted'\nEOF\necho \"$0\" >>{made}\nexit 0\nfalse\n"
    )
    assert ran(f"[ -e {tmp_path}/made ]", text) == ["changed"]
    assert (tmp_path / "made").read_text() == "  two\n\tthree 'quoted'\n1.sh\n"
    assert ran(f"[ -e {tmp_path}/made ]", text) == ["ok"]


def test_a_check_holds_only_where_every_command_of_it_succeeds(tmp_path: Path) -> None:
    """Also inside the condition in which it runs, where a function's own `set -e` would end nothing."""
    assert ran(f"[ -e {tmp_path}/made ]\ntrue", f"touch {tmp_path}/made") == ["changed"]
    with pytest.raises(RunError, match="NOBODY: parameter not set"):
        ran("false", "echo $NOBODY\ntrue")


def test_children_of_a_script_do_not_delay_the_plan(tmp_path: Path) -> None:
    """A daemon that keeps all descriptors that it was given."""
    made = tmp_path / "made"
    assert ran(f"[ -e {made} ]", f"(sleep 20; rm {made}) & echo $! >{made}") == ["changed"]
    Local().run("here", f"read -r pid <{made} && kill $pid")


# ---- mistakes


def stage(**changes: Any) -> Callable[[dict[str, Any]], object]:
    """The manifest with its first stage changed."""
    return lambda data: data["stages"][0].update(changes)


def step(**changes: Any) -> Callable[[dict[str, Any]], object]:
    """The manifest with the step of its first stage changed."""
    return lambda data: data["stages"][0]["steps"][0].update(changes)


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"solution": {"folder": "nowhere"}}, r"study\.yaml:\d+:\d+: solution\.folder: .*nowhere/solution\.yaml: no such"),
    ({"solution": {"folder": "../up"}}, r"study\.yaml:\d+:\d+: solution\.folder: string should match"),
    *(
        (
            {"solution": {"folder": name}},
            rf"study\.yaml:\d+:\d+: solution\.folder: every result has its own folder '{name}'",
        )
        for name in ("agent", "console", "histories", "kernel", "scripts")
    ),
    ({"solution": {"role": {}}}, r"study\.yaml:\d+:\d+: solution\.role: unknown key 'role'; did you mean 'roles'"),
    ({"solution": {"roles": {"server": "ns"}}}, r"study\.yaml:\d+:\d+: solution\.roles\.server: 'ns' is not a node"),
    ({"solution": {"roles": {"meta": "nas"}}}, r"study\.yaml:\d+:\d+: solution\.roles\.server: no node is a server"),
    (
        {"solution": {"roles": {"server": "nas,c[1-4]"}}},
        r"solution\.roles\.client: no node is a client; add roles",
    ),
    ({"solution": {"network": "fast"}}, r"study\.yaml:\d+:\d+: solution\.network: 'nas' is not on a network called"),
    (
        {"solution": {"values": {"COPY": 1}}},
        r"study\.yaml:\d+:\d+: solution\.values\.COPY: .*no value 'COPY'; one of C",
    ),
    ({"solution": {"values": {"MODE": "a\nb"}}}, r"study\.yaml:\d+:\d+: solution\.values\.MODE"),
    (
        {"manifest": lambda data: data["values"].update(MODE=None)},
        r"solution\.values: MODE has no default; add values",
    ),
    (
        {"manifest": lambda data: data["values"].update(SEATRIAL_X=1)},
        r"values\.SEATRIAL_X.*names that begin with SEATR",
    ),
    (
        {"manifest": lambda data: data.update(mounts={})},
        r"solution\.yaml:\d+:1: mounts: unknown key .*did you mean 'mount'",
    ),
    ({"manifest": lambda data: data.pop("data_path")}, r"solution\.yaml:1:1: data_path: this key is missing"),
    ({"manifest": lambda data: data.update(stages=[])}, r"solution\.yaml:\d+:\d+: stages: "),
    (
        {"manifest": lambda data: data["layout"].append("X")},
        r"solution\.yaml:\d+:\d+: layout\[1\]: no value is called 'X'",
    ),
    (
        {"manifest": lambda data: data["packages"].update(meta={"a": "b"})},
        r"packages\.meta: no role is called 'meta'; on",
    ),
    ({"manifest": lambda data: data["packages"].update(server={"a;b": "b"})}, r"packages\.server\.a;b"),
    (
        {"manifest": lambda data: data["mount"].update(device="a b")},
        r"solution\.yaml:\d+:\d+: mount\.device: string should",
    ),
    ({"manifest": lambda data: data["data_path"].update({"wire": {}})}, r"solution\.yaml:\d+:\d+: data_path\.wire"),
    (
        {"manifest": lambda data: data["data_path"].update({"oss links": {}})},
        r"data_path\.oss links: no role is called",
    ),
    (
        {"manifest": lambda data: data["data_path"].update({"client links": {"read": "MODE"}})},
        r"read: 'MODE' is not a value",
    ),
    ({"manifest": lambda data: data["data_path"].update({"client links": {"read": 0}})}, r"client links\.read"),
    (
        {"manifest": lambda data: data["timers"]["takeover"].update(seconds="MODE")},
        r"solution\.yaml:\d+:\d+: timers\.takeover\.seconds: 'MODE' is not a value with a number above 0",
    ),
    (
        {"manifest": stage(role="meta")},
        r"solution\.yaml:\d+:\d+: stages\[0\]\.role: no role is called 'meta'; one of server",
    ),
    (
        {"manifest": stage(role="client")},
        r"solution\.yaml:\d+:\d+: stages\[0\]\.steps\[0\]\.destroys: 'c1' has no disks",
    ),
    ({"manifest": stage(nodes="last")}, r"stages\[0\]\.nodes: 'last' is not known; one of 'all' or 'first'"),
    (
        {"manifest": step(apply="mk.sh")},
        r"solution\.yaml:\d+:\d+: stages\[0\]\.steps\[0\]\.apply: .*mk\.sh: no such file",
    ),
    (
        {"manifest": step(apply="../mk.sh")},
        r"solution\.yaml:\d+:\d+: stages\[0\]\.steps\[0\]\.apply: string should match",
    ),
    ({"manifest": step(title="two\nlines")}, r"stages\[0\]\.steps\[0\]\.title: string should match"),
    (
        {"manifest": step(remove=None)},
        r"stages\[0\]\.steps\[0\]\.removed: nothing undoes this step; name a script in remove",
    ),
    (
        {"files": {"make.sh": "true\necho \xe9\n"}},
        r"solution/make\.sh:2:6: '\xe9' in a script, which must be plain ASCII",
    ),
    ({"files": {"make.sh": "cat <<SEATRIAL\nSEATRIAL\n"}}, r"solution/make\.sh:2:1: a line that is only SEATRIAL ends"),
    (
        {"files": {"make.sh": "#!/usr/bin/perl\n"}},
        r"solution/make\.sh:1:1: '#!/usr/bin/perl': a script begins with #!/bin/sh",
    ),
    (
        {"files": {"make.sh": "echo\n echo $SEATRIAL_NDOE\n"}},
        r"make\.sh:2:8: no variable is called SEATRIAL_NDOE; one of",
    ),
    ({"files": {"make.sh": "#" * 100_001}}, r"solution/make\.sh:1:100001: a script has at most 100000 bytes"),
    ({"files": {"solution.yaml": "title: [\n"}}, r"solution\.yaml:2:1: not YAML"),
]


@pytest.mark.parametrize(("case", "message"), MISTAKES, ids=[item[1][-40:] for item in MISTAKES])
def test_a_mistake_is_reported_with_its_place(tmp_path: Path, case: dict[str, Any], message: str) -> None:
    """`file:line:column` of the study, the manifest or the script, and never another exception."""
    with pytest.raises(InputError) as caught:
        prepare(written(tmp_path, **case))
    assert re.search(message, str(caught.value)), caught.value
    assert re.match(r"[^:]+:\d+:\d+: ", str(caught.value)), caught.value


def test_a_manifest_that_is_a_folder_is_reported(tmp_path: Path) -> None:
    """It cannot be read."""
    study = written(tmp_path, files={"made.sh": None})
    (tmp_path / "solution/made.sh").mkdir()
    with pytest.raises(InputError, match=r"stages\[0\]\.steps\[0\]\.check: .*made\.sh: cannot be read: "):
        prepare(study)


@pytest.mark.parametrize("name", ["make.sh", "solution.yaml"])
def test_a_link_in_the_folder_is_refused(tmp_path: Path, name: str) -> None:
    """In a received folder it would copy a private file into plans, results and nodes."""
    study = written(tmp_path)
    (tmp_path / "mine").write_text("TOP-SECRET")
    (tmp_path / "solution" / name).unlink()
    (tmp_path / "solution" / name).symlink_to(tmp_path / "mine")
    with pytest.raises(InputError, match="is a link") as caught:
        prepare(study)
    assert "TOP-SECRET" not in str(caught.value)


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
    plan = solution_of(written(tmp_path, manifest=lambda data: data["stages"][1].update(nodes="first"))).plan({})
    assert [list(item.steps) for item in plan.stages if item.title == "clients"] == [["c1"]]


def test_every_byte_crosses_the_manifests_resources(tmp_path: Path) -> None:
    """Two copies: half of the links' rate; and as many as an experiment sets."""
    study = written(tmp_path)
    path = solution_of(study).data_path(2)
    assert [item.name for item in path.resources] == ["client links", "server links", "server disks"]
    clients, server, disks = path.resources
    assert clients.read_bytes_per_s == pytest.approx(2 * clients.write_bytes_per_s)
    assert server.write_bytes_per_s == pytest.approx(31.25e6 * (9000 - 52) / (9000 + 14) / 2)
    assert disks.write_bytes_per_s == pytest.approx(6 * 3.25e6 / 2)
    assert not disks.hard
    assert [item.name for item in solution_of(study).data_path(1, local=True).resources] == ["server disks"]
    single = solution_of(study.with_values({"solution.values.COPIES": 1}))
    assert single.data_path(2).resources[1].write_bytes_per_s == pytest.approx(2 * server.write_bytes_per_s)


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
    solution, named = solution_of(written(tmp_path)), {"nas": frozenset({"/dev/ubdc"})}
    erase, make = next(item.steps["nas"] for item in solution.plan(named).stages if item.title == "targets")
    assert erase.title == "erase /dev/ubdc, as --wipe allows"
    assert erase.check == f"(\n{make.check}\n) || all_must_be_blank /dev/ubdc"
    assert make.destroys == tuple(f"/dev/ubd{letter}" for letter in "bcdefg")
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
    assert before(tmp_path / "record", study)[1] == "quick"
    with pytest.raises(InputError, match="its study differs from "):
        before(tmp_path / "record", written(tmp_path, files={"tune.sh": "true"}))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: f"{path.parent.parent.name}/{path.name}")
def test_shipped_scripts_are_in_order(path: Path) -> None:
    """For the shell (and, by `make lint`, for ShellCheck); they say themselves how they are run."""
    assert path.read_text().startswith("#!/bin/sh -eu\n")
    done = subprocess.run(["sh", "-n", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
