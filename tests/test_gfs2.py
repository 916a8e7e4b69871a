"""GFS2 on a group of arrays without a lab: its plan, the refusals, and its faults."""

import copy
import subprocess
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.errors import InputError, RunError
from seatrial.faults.actions import services
from seatrial.faults.base import Extend, NotHere, Power, Roles, Scene, fault_kind
from seatrial.faults.injection import Injector
from seatrial.labs.kinds import emulated
from seatrial.labs.kinds.hosts import HostsLab
from seatrial.plan.plan import Plan
from seatrial.result.evidence import Sign
from seatrial.service import deploy
from seatrial.service.session import Session
from seatrial.solutions.base import (
    Clustered,
    Extensible,
    Fences,
    RawVolumes,
    RemadeAlone,
    RenamesAgain,
    load_solution,
)
from seatrial.solutions.kinds.gfs2_iscsi import Gfs2Iscsi, load
from seatrial.solutions.look import TITLE, extension
from seatrial.solutions.parts import corosync
from seatrial.solutions.parts.array_group import in_turns
from seatrial.solutions.parts.gfs2_options import warnings_of
from seatrial.solutions.parts.raid import Array, Raid, create_steps, mistake_in
from seatrial.study.study import Study, load_study
from seatrial.transport import Completed
from tests.builders.nodes import Recording
from tests.builders.places import STUDIES
from tests.builders.strategies import study
from tests.builders.yaml_texts import loaded

SHIPPED = STUDIES / "gfs-equallogic" / "study.yaml"
NODES = tuple(f"c{number}" for number in range(1, 7))


def shipped(**solution: Any) -> Study:
    """The shipped study with some keys of its solution changed, or removed by None."""
    data = loaded(SHIPPED.read_text())
    data = {
        key: data[key] for key in ("schema", "id", "environment", "networks", "nodes", "solution")
    }
    data["solution"] = {
        key: value for key, value in {**data["solution"], **solution}.items() if value is not None
    }
    return study(copy.deepcopy(data))


def group(**solution: Any) -> Gfs2Iscsi:
    """Its solution."""
    found = shipped(**solution)
    return load(found, emulated.site(found))


def test_it_has_the_interface_for_the_orchestrator() -> None:
    """Protocols, never the kind."""
    for protocol in (Clustered, Fences, Extensible, RawVolumes, RemadeAlone, RenamesAgain):
        assert isinstance(group(), protocol)


@pytest.mark.parametrize(
    ("solution", "words"),
    [
        ({"nodes": "c1"}, "there are 1 compute nodes; a shared file system needs 2"),
        ({"members": "ps9"}, "'ps9' is not a node of this study"),
        ({"cluster": ["public"]}, "not attached to the network 'public'"),
        ({"raid": {"level": 10, "spares": 3}}, "RAID 10 needs an even number of disks, ps1 has 5"),
        (
            {"raid": {"level": 50, "spans": 2, "spares": 1}},
            "1 spares cannot be divided into 2 equal spans",
        ),
        ({"raid": {"level": 0, "spares": 1}}, "RAID 0 cannot replace a failed disk"),
        ({"mount": ["lockproto=lock_nolock"]}, "'lockproto=lock_nolock' is set by the study's id"),
        ({"mount": ["LockTable=x:y"]}, "'LockTable=x:y' is set by the study's id"),
        ({"group": "10.10.200.1/0"}, "the prefix is 8 at least"),
        ({"group": "0.0.0.0/16"}, "is the address of no service"),
        ({"group": "10.10.200.1/0.0.255.255"}, "is not an IPv4 address"),
        ({"group": "{1..9}/16"}, "is not an IPv4 address"),
        ({"group": "10.10.200.1/999"}, "is not an IPv4 address"),
        ({"journals": 5}, "5 journals are too few: each of 6 nodes needs one"),
        (
            {"journals": 13, "journal_size": "32MiB"},
            "13 journals of 32MiB take more than half of 432 MiB, which mkfs.gfs2",
        ),
        ({"journal_size": "4MiB"}, "greater than or equal to 8388608"),
        ({"access": "raw", "raw_volumes": 2}, "2 raw volumes per member are too few for 6 nodes"),
    ],
)
def test_a_mismatch_is_refused(solution: dict[str, Any], words: str) -> None:
    """Before any node exists."""
    with pytest.raises(InputError) as caught:
        group(**solution)
    assert words in str(caught.value)


@pytest.mark.parametrize("length", [32, 33])
def test_a_name_that_the_cluster_could_not_have_is_refused(length: int) -> None:
    """Cut off, it would be another than corosync's, and no node could mount."""
    data = loaded(SHIPPED.read_text())
    parts = {key: data[key] for key in ("schema", "environment", "networks", "nodes", "solution")}
    found = study({"id": "g" * length, **parts})
    if length <= 32:
        load_solution(found, emulated.site(found))
        return
    with pytest.raises(InputError, match="has at most 32 characters"):
        load_solution(found, emulated.site(found))


def test_a_node_without_a_controller_is_refused() -> None:
    """Its journal would be replayed while it may still write."""
    data = loaded(SHIPPED.read_text())
    del data["nodes"]["c[1-4]"]["bmc"]
    found = study(
        {key: data[key] for key in ("schema", "id", "environment", "networks", "nodes", "solution")}
    )
    with pytest.raises(InputError, match="without fencing is refused, and c1 has no bmc"):
        load_solution(found, emulated.site(found))


@pytest.mark.parametrize(
    ("nodes", "memory", "words"),
    [
        (
            "c[1-4]",
            "224MiB",
            (
                r"c1 has 224MiB and needs at least 312MiB: corosync locks 184MiB in a cluster of 6"
                r" nodes"
            ),
        ),
        ("c[1-4]", "311MiB", "needs at least 312MiB"),
        ("c[5-6]", "224MiB", "c5 has 224MiB"),
        ("c[1-4]", "312MiB", None),
        (
            "ps[1-3]",
            "64MiB",
            "ps1 has 64MiB and needs at least 128MiB: its kernel holds the stripes",
        ),
    ],
)
def test_a_node_on_which_corosync_would_be_killed_is_refused(
    nodes: str, memory: str, words: str | None
) -> None:
    """Nodes of 224 MiB lost theirs: it locks all its memory."""
    data = loaded(SHIPPED.read_text())
    data["nodes"][nodes]["memory"] = memory
    found = study(
        {key: data[key] for key in ("schema", "id", "environment", "networks", "nodes", "solution")}
    )
    if words is None:
        load_solution(found, emulated.site(found))
        return
    with pytest.raises(InputError, match=words):
        load_solution(found, emulated.site(found))


@pytest.mark.parametrize(("members", "least_mib"), [(2, 176), (3, 178), (32, 237)])
def test_the_memory_that_corosync_locks(members: int, least_mib: int) -> None:
    """As measured, in whole MiB above it."""
    assert corosync.locked_bytes(members) == least_mib * 2**20


def test_the_first_member_answers_for_all() -> None:
    """It has the address and forwards logins for the others' volumes; without an address each
    is asked separately.
    """
    it = group().group
    leader = it.offer("ps1")
    other = it.offer("ps2")
    assert (leader.group_address, other.group_address) == ("10.10.200.1/16", None)
    assert {target.name: target.sent_on_to for target in leader.targets if target.sent_on_to} == {
        volume.target: "ps2-storage" for volume in it.member("ps2").volumes
    }
    assert not any(target.sent_on_to for target in other.targets)
    assert it.portals == ("10.10.200.1",)
    alone = group(group=None).group
    assert alone.portals == ("ps1-storage", "ps2-storage")
    assert not any(target.sent_on_to for target in alone.offer("ps1").targets)


def test_nodes_take_turns_among_the_members_for_raw_volumes() -> None:
    """Each has a separate one with one part per task; only where the study states so."""
    it = group()
    owned = [it._own_volume(node) for node in NODES]
    assert [own.volume.member for own in owned if own] == ["ps1", "ps2"] * 3
    assert len({own.volume.target for own in owned if own}) == 6
    assert it.raw_directory() is None
    assert group(access="raw").raw_directory() == "/var/lib/seatrial/gfs-equallogic/volumes"
    assert group(raw_volumes=0)._own_volume("c1") is None


@given(st.integers(1, 32), st.integers(1, 400))
def test_the_fullest_member_has_one_volume_per_turn(members: int, nodes: int) -> None:
    """Counted node by node."""
    names = [f"ps{number}" for number in range(members)]
    counts = Counter(names[node % members] for node in range(nodes))
    used, fullest = in_turns(names, nodes)
    assert list(used) == list(counts)
    assert fullest == pytest.approx(max(counts.values()) / (nodes / len(counts)))


def test_nodes_meet_at_the_members_that_have_their_raw_volumes() -> None:
    """One member serves one node, and two of three nodes share one. A file system uses every
    member.
    """
    raw = group(access="raw")
    shared = group()
    ports = {count: raw.data_path(count).resources[1] for count in (1, 2, 3)}
    assert {count: port.name for count, port in ports.items()} == dict.fromkeys(
        ports, "front-end ports"
    )
    assert ports[1].read_bytes_per_s * 2 == ports[2].read_bytes_per_s == ports[3].read_bytes_per_s
    assert [raw.data_path(count).fullest for count in (1, 2, 3, 6)] == pytest.approx(
        [1, 1, 4 / 3, 1]
    )
    assert shared.data_path(1).resources[1] == ports[2]
    assert shared.data_path(3).fullest == 1


def test_another_layout_leaves_the_cluster_alone() -> None:
    """Clearing removes the storage; removal removes everything."""
    it = group()
    assert it.layout != group(raid={"level": 5, "spares": 1}).layout != group(members="ps1").layout
    assert it.layout == group(readahead="8MiB").layout == group(access="raw").layout
    titles = [stage.title for stage in it.clearing({}).stages]
    assert "leave the cluster" not in titles
    assert not any(
        "systemctl -q --no-reload disable" in script for *_, script in it.clearing({}).scripts()
    )
    assert titles[:6] == [f"unmount on {node}" for node in NODES]
    assert [*titles[:6], "leave the cluster", *titles[6:]] == [
        stage.title for stage in it.removal({}).stages
    ]


@pytest.mark.parametrize(
    ("size_mib", "groups"),
    [(432, ["-r", "32"]), (2048, ["-r", "64"]), (8191, ["-r", "255"]), (8192, []), (2**24, [])],
)
def test_every_node_has_resource_groups_to_allocate_in(size_mib: int, groups: list[str]) -> None:
    """Four for each of the eight journals, of 32 MiB at least; a file system that is large enough
    is made as ever.
    """
    steps = [step for stage in group().plan({}).stages for step in stage.steps.get("c1", ())]
    step = next(step for step in steps if step.title.startswith("create GFS2"))
    lines = step.apply.splitlines()
    made = lines[
        next(number for number, line in enumerate(lines) if line.startswith("group_mib=")) : -1
    ]
    fakes = (f"blockdev() {{ echo {size_mib * 2**20}; }}", "mkfs() { printf '%s\\n' \"$@\"; }")
    script = "\n".join((*fakes, *made)).replace("mkfs.gfs2", "mkfs")  # a function's name has no dot
    done = subprocess.run(["sh", "-euc", script], capture_output=True, text=True, check=True)
    words = done.stdout.splitlines()
    assert words[words.index("-J") + 2 :] == [*groups, "/dev/st-gfs-equallogic/data"]


def test_without_a_device_of_its_paths_a_node_mounts_nothing() -> None:
    """Not with one of several paths; the message names the missing device."""
    found = load_study(SHIPPED.parent.parent / "gpfs-nsd-block" / "study.yaml")
    solution = load(found, emulated.site(found))
    steps = [step for stage in solution.plan({}).stages for step in stage.steps.get("c1", ())]
    (mounts,) = [
        step for step in steps if step.title == "install the unit that mounts the file system"
    ]
    text = str(mounts.shell.content)
    script = "sleep() { :; }\nmodprobe() { :; }\nvgchange() { echo locks; }\n" + text
    done = subprocess.run(
        ["sh", "-c", script, "sh", "start"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no /dev/mapper/" in done.stderr


def test_growth_names_every_node() -> None:
    """A member is made, every node logs in to it, one extends the volume, all see it, one grows the
    file system.
    """
    plan = group().extension("member")
    assert [(stage.title, sorted(stage.steps)) for stage in plan.stages] == [
        ("members", ["ps3"]),
        ("group", ["ps1"]),
        ("sessions", list(NODES)),
        ("volume", ["c1"]),
        ("refresh", list(NODES[1:])),
        ("grow", ["c1"]),
    ]
    assert "gfs2_jadd -j 1" in group().extension("journal").stages[0].steps["c1"][0].apply
    with pytest.raises(ValueError, match="no spare member"):
        group(spare_members=None, members="ps[1-3]").extension("member")


def test_a_joining_member_is_inspected_first() -> None:
    """Its disks as in a deploy, not by their signatures alone; during service there is no
    question about --wipe.
    """
    it = group()
    plan = extension(it, it.site, "member")
    assert (plan.stages[0].title, list(plan.stages[0].steps)) == (TITLE, ["ps3"])
    looked = "".join(str(step.check) for step in plan.stages[0].steps["ps3"])
    assert all(f" {device}" in looked for device in it.site.nodes["ps3"].devices)
    for function in (
        "look_twice ",
        "look_disks ",
        "no_other_targets ",
        "no_other_cluster ",
        "no_planted ",
    ):
        assert function in looked, function
    own = it.extension("member").stages
    assert [stage.title for stage in plan.stages[1:-1]] == [stage.title for stage in own]
    assert list(plan.stages[-1].steps) == ["ps3"]  # records its volumes on its disks
    assert extension(it, it.site, "journal") == it.extension("journal")


def test_a_growth_is_skipped_where_an_earlier_one_ended() -> None:
    """The tag of the volume group has the size of the device."""
    (step,) = group().extension("member").stages[-1].steps["c1"]
    assert "seatrial-grown-$(blockdev --getsize64" in str(step.check)
    assert step.apply.index("gfs2_grow") < step.apply.index("--addtag")


@pytest.mark.parametrize(("result", "shown"), [("changed", True), ("ok", False)])
def test_an_extension_without_a_change_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, result: str, shown: bool
) -> None:
    """As in a repeated fault: an earlier attempt extended the storage."""

    def applied(plan: Plan, *_: object, **__: object) -> deploy.Outcome:
        """Steps without a check always run."""
        checked = plan.checked_steps()
        steps = [step for stage in plan.stages for step in stage.steps.get("c1", ())]
        results = [result if step.title in checked else "changed" for step in steps]
        return deploy.Outcome(
            tuple(
                deploy.StepResult(1, "s", "c1", step.title, how, None)
                for step, how in zip(steps, results, strict=True)
            )
        )

    monkeypatch.setattr(services, "apply_plan", applied)
    it: Any = group()
    session = Session(shipped(), it.site, it, HostsLab(None), Keeping(""))
    injector = Injector(session)
    action = Extend("member")
    outcome = action.carry_out(injector)
    signs = set(action.signs(session, outcome))
    assert signs == ({Sign.COMMAND_SUCCEEDED} if shown else set())


class Keeping(Recording):
    """Such nodes, which keep the secret of their account."""

    def run(
        self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60
    ) -> Completed:
        """Asked for it, they say it."""
        if not stdin:
            return Completed(node, 0, "ca9a", "")
        return super().run(node, command, stdin=stdin, timeout_s=timeout_s)


def test_a_joining_disk_with_data_stops_the_fault() -> None:
    """No node gets anything but the look, as in a deploy; a run names nothing to erase."""
    it: Any = group()
    nodes = Keeping("ps3")
    with pytest.raises(RunError, match="refused: something"):
        Injector(Session(shipped(), it.site, it, HostsLab(None), nodes)).inject((Extend("member"),))
    assert [(node, stage.split(": ", 1)[1]) for node, stage in nodes.got] == [("ps3", TITLE)]


def scene(solution: Any, whole: Study) -> Scene:
    """Nothing runs on any server: every node has all of it."""
    return Scene(whole, emulated.site(whole), solution, Roles(solution.servers, {}))


def test_faults_of_a_cluster_of_clients() -> None:
    """A node that hangs is fenced by the others, and nothing is asked of it; growth needs a
    solution that grows.
    """
    whole = shipped()
    it = load(whole, emulated.site(whole))
    freeze = fault_kind("freeze")
    found = freeze.actions(freeze.Options.model_validate({"node": "c5"}), scene(it, whole))
    assert found.inject == (Power("c5", "frozen"),)
    assert found.nodes_losing_memory() == found.stop() == frozenset({"c5"})
    of_array = freeze.actions(freeze.Options.model_validate({"node": "ps1"}), scene(it, whole))
    assert of_array.nodes_losing_memory() == frozenset()
    growth = fault_kind("extension")
    found = growth.actions(growth.Options.model_validate({"what": "journal"}), scene(it, whole))
    assert found.inject == (Extend("journal"),)
    plain = study()
    single = load_solution(plain, emulated.site(plain))
    with pytest.raises(NotHere, match="cannot be made larger"):
        growth.actions(growth.Options.model_validate({"what": "journal"}), scene(single, plain))


# ---- spares


@given(st.sampled_from([1, 5, 6, 10, 50]), st.integers(1, 40), st.integers(1, 4), st.integers(0, 8))
def test_spares_are_in_every_set_and_in_no_stripe(
    level: Any, disks: int, spans: int, spares: int
) -> None:
    """Of any array that is accepted: each device once, spares evenly, none of them holds data."""
    raid = Raid.model_validate({"level": level, "spans": spans, "spares": spares})
    if mistake_in(raid, disks):
        return
    devices = tuple(f"/dev/d{index}" for index in range(disks))
    array = Array(raid, "x", devices, holds_zeros=True)
    bottom = array.sets()[:-1] or array.sets()
    members = [device for md_set in bottom for device in md_set.members]
    waiting = [device for md_set in bottom for device in array.spares_of(md_set.name)]
    assert (sorted(members), sorted(waiting)) == (
        sorted(devices[: disks - spares]),
        sorted(devices[disks - spares :]),
    )
    assert {len(array.spares_of(md_set.name)) for md_set in bottom} == {spares // spans}
    assert array.data_disks <= disks - spares
    step = next(step for step in create_steps(array) if step.title.startswith("create array x"))
    assert (" --spare-devices=" in "".join(item.apply for item in create_steps(array))) == (
        spares > 0
    )
    assert step.guard.destroys


@pytest.mark.parametrize("write_cache", [True, False])
def test_the_plan_warns_of_the_cache_only_where_a_member_has_one(write_cache: bool) -> None:
    """Without a cache, a member acknowledges only what its disks have."""
    warnings = group(write_cache=write_cache).plan({}).warnings
    assert any("only in its memory" in warning for warning in warnings) == write_cache


@pytest.mark.parametrize(("nodes", "warned"), [(64, False), (65, True)])
def test_the_plan_warns_above_the_advised_number_of_nodes(nodes: int, warned: bool) -> None:
    """64: published/gfs-equallogic.yaml, A12."""
    options = group().options
    assert any(f"has {nodes} nodes" in text for text in warnings_of(options, nodes)) == warned
