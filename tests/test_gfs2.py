"""GFS2 on a group of arrays without a lab: the refusals, the nodes' reports, and the rules of
a journal's replay.
"""

import copy
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.errors import InputError, RunError
from seatrial.faults.base import Extend, NotHere, Power, Roles, Scene, fault_kind
from seatrial.faults.injection import Injector
from seatrial.judge.checks import recovery
from seatrial.judge.controls import judge_control
from seatrial.labs.kinds import emulated
from seatrial.labs.kinds.hosts import HostsLab
from seatrial.service.session import Session
from seatrial.solutions.base import Clustered, Extensible, Fences, RawVolumes, RemadeAlone, RenamesAgain, load_solution
from seatrial.solutions.kinds.gfs2_iscsi import Gfs2Iscsi, load
from seatrial.solutions.look import TITLE, extension
from seatrial.solutions.parts import corosync, gfs2_status
from seatrial.solutions.parts.array_group import in_turns
from seatrial.solutions.parts.raid import Array, Raid, create_steps, mistake_in
from seatrial.study.study import Study, load_study
from seatrial.transport import Completed
from tests.strategies import study
from tests.test_fault_checkers import fault
from tests.test_look import Recording

CLUSTERS = Path(__file__).parent / "clusters"
SHIPPED = Path(__file__).parent.parent / "studies" / "gfs-equallogic" / "study.yaml"
NODES = tuple(f"c{number}" for number in range(1, 7))


def shipped(**solution: Any) -> Study:
    """The shipped study with some keys of its solution changed, or removed by None."""
    data = yaml.safe_load(SHIPPED.read_text())
    data = {key: data[key] for key in ("schema", "id", "environment", "networks", "nodes", "solution")}
    data["solution"] = {key: value for key, value in {**data["solution"], **solution}.items() if value is not None}
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
        ({"raid": {"level": 50, "spans": 2, "spares": 1}}, "1 spares cannot be divided into 2 equal spans"),
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
    data = yaml.safe_load(SHIPPED.read_text())
    parts = {key: data[key] for key in ("schema", "environment", "networks", "nodes", "solution")}
    found = study({"id": "g" * length, **parts})
    if length <= 32:
        load_solution(found, emulated.site(found))
        return
    with pytest.raises(InputError, match="has at most 32 characters"):
        load_solution(found, emulated.site(found))


def test_a_node_without_a_controller_is_refused() -> None:
    """Its journal would be replayed while it may still write."""
    data = yaml.safe_load(SHIPPED.read_text())
    del data["nodes"]["c[1-4]"]["bmc"]
    found = study({key: data[key] for key in ("schema", "id", "environment", "networks", "nodes", "solution")})
    with pytest.raises(InputError, match="without fencing is refused, and c1 has no bmc"):
        load_solution(found, emulated.site(found))


@pytest.mark.parametrize(
    ("nodes", "memory", "words"),
    [
        ("c[1-4]", "224MiB", r"c1 has 224MiB and needs at least 312MiB: corosync locks 184MiB in a cluster of 6 nodes"),
        ("c[1-4]", "311MiB", "needs at least 312MiB"),
        ("c[5-6]", "224MiB", "c5 has 224MiB"),
        ("c[1-4]", "312MiB", None),
        ("ps[1-3]", "64MiB", "ps1 has 64MiB and needs at least 128MiB: its kernel holds the stripes"),
    ],
)
def test_a_node_on_which_corosync_would_be_killed_is_refused(nodes: str, memory: str, words: str | None) -> None:
    """Nodes of 224 MiB lost theirs: it locks all its memory."""
    data = yaml.safe_load(SHIPPED.read_text())
    data["nodes"][nodes]["memory"] = memory
    found = study({key: data[key] for key in ("schema", "id", "environment", "networks", "nodes", "solution")})
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
    leader, other = it.offer("ps1"), it.offer("ps2")
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
    raw, shared = group(access="raw"), group()
    ports = {count: raw.data_path(count).resources[1] for count in (1, 2, 3)}
    assert {count: port.name for count, port in ports.items()} == dict.fromkeys(ports, "front-end ports")
    assert ports[1].read_bytes_per_s * 2 == ports[2].read_bytes_per_s == ports[3].read_bytes_per_s
    assert [raw.data_path(count).fullest for count in (1, 2, 3, 6)] == pytest.approx([1, 1, 4 / 3, 1])
    assert shared.data_path(1).resources[1] == ports[2]
    assert shared.data_path(3).fullest == 1


def test_another_layout_leaves_the_cluster_alone() -> None:
    """Clearing removes the storage; removal removes everything."""
    it = group()
    assert it.layout != group(raid={"level": 5, "spares": 1}).layout != group(members="ps1").layout
    assert it.layout == group(readahead="8MiB").layout == group(access="raw").layout
    titles = [stage.title for stage in it.clearing({}).stages]
    assert "leave the cluster" not in titles
    assert not any("systemctl -q --no-reload disable" in script for *_, script in it.clearing({}).scripts())
    assert titles[:6] == [f"unmount on {node}" for node in NODES]
    assert [*titles[:6], "leave the cluster", *titles[6:]] == [stage.title for stage in it.removal({}).stages]


@pytest.mark.parametrize(
    ("size_mib", "groups"),
    [(432, ["-r", "32"]), (2048, ["-r", "64"]), (8191, ["-r", "255"]), (8192, []), (2**24, [])],
)
def test_every_node_has_resource_groups_to_allocate_in(size_mib: int, groups: list[str]) -> None:
    """Four for each of the eight journals, of 32 MiB at least; a file system that is large enough is made as ever."""
    steps = [step for stage in group().plan({}).stages for step in stage.steps.get("c1", ())]
    step = next(step for step in steps if step.title.startswith("create GFS2"))
    lines = step.apply.splitlines()
    made = lines[next(number for number, line in enumerate(lines) if line.startswith("group_mib=")) : -1]
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
    (mounts,) = [step for step in steps if step.title == "install the unit that mounts the file system"]
    text = mounts.apply.split("<<'SEATRIAL'")[1].partition("\n")[2].split("\nSEATRIAL")[0]
    script = "sleep() { :; }\nmodprobe() { :; }\nvgchange() { echo locks; }\n" + text
    done = subprocess.run(["sh", "-c", script, "sh", "start"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no /dev/mapper/" in done.stderr


def test_growth_names_every_node() -> None:
    """A member is made, every node logs in to it, one extends the volume, all see it, one grows the file system."""
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
    for function in ("look_twice ", "look_disks ", "no_other_targets ", "no_other_cluster ", "no_planted "):
        assert function in looked, function
    own = it.extension("member").stages
    assert [stage.title for stage in plan.stages[1:-1]] == [stage.title for stage in own]
    assert list(plan.stages[-1].steps) == ["ps3"]  # records its volumes on its disks
    assert extension(it, it.site, "journal") == it.extension("journal")


class Keeping(Recording):
    """Such nodes, which keep the secret of their account."""

    def run(self, node: str, command: str, *, stdin: bytes = b"", timeout_s: float = 60) -> Completed:
        """Asked for it, they say it."""
        if not stdin:
            return Completed(node, 0, "ca9a", "")
        return super().run(node, command, stdin=stdin, timeout_s=timeout_s)


def test_a_joining_disk_with_data_stops_the_fault() -> None:
    """No node gets anything but the look, as in a deploy; a run names nothing that may be erased."""
    it: Any = group()
    nodes = Keeping("ps3")
    with pytest.raises(RunError, match="refused: something"):
        Injector(Session(shipped(), it.site, it, HostsLab(None), nodes)).inject((Extend("member"),))
    assert [(node, stage.split(": ", 1)[1]) for node, stage in nodes.got] == [("ps3", TITLE)]


def scene(solution: Any, whole: Study) -> Scene:
    """Nothing runs on any server: every node has all of it."""
    return Scene(whole, emulated.site(whole), solution, Roles(solution.servers, {}))


def test_faults_of_a_cluster_of_clients() -> None:
    """A node that hangs is fenced by the others, and nothing is asked of it; growth needs a solution that grows."""
    whole = shipped()
    it = load(whole, emulated.site(whole))
    freeze = fault_kind("freeze")
    found = freeze.actions(freeze.Options.model_validate({"node": "c5"}), scene(it, whole))
    assert found.inject == (Power("c5", "frozen"),)
    assert found.lose() == found.stop() == frozenset({"c5"})
    assert freeze.actions(freeze.Options.model_validate({"node": "ps1"}), scene(it, whole)).lose() == frozenset()
    growth = fault_kind("extension")
    found = growth.actions(growth.Options.model_validate({"what": "journal"}), scene(it, whole))
    assert found.inject == (Extend("journal"),)
    plain = study()
    single = load_solution(plain, emulated.site(plain))
    with pytest.raises(NotHere, match="cannot be made larger"):
        growth.actions(growth.Options.model_validate({"what": "journal"}), scene(single, plain))


# ---- what nodes say


STANDING = (CLUSTERS / "gfs2-whole.txt").read_text()


def test_a_whole_cluster() -> None:
    """Quorate, and every node uses the file system."""
    reported = gfs2_status.read(STANDING, NODES, "c1")
    assert (reported.healthy, reported.text) == (True, "6 of 6 nodes use the file system")


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("Quorate:          Yes", "Quorate:          No", "c1 sees no quorum"),
        ("members       1 2 3 4 5 6", "members       1 2 3 4 5", "c6 does not use the file system"),
        ("change        member", "new change    member", "a change of members is under way"),
    ],
)
def test_a_cluster_that_is_not_whole(before: str, after: str, words: str) -> None:
    """Each by its own words."""
    assert before in STANDING
    reported = gfs2_status.read(STANDING.replace(before, after), NODES, "c1")
    assert not reported.healthy
    assert words in reported.text


def test_moments_of_a_panic() -> None:
    """As c1 noted them: lost, fenced, its journal taken over; a journal that a node looks at to mount is its own."""
    reported = gfs2_status.moments("c1", (CLUSTERS / "gfs2-panic-c1.journal").read_text(), NODES)
    assert [(item.what, item.subject) for item in reported] == [
        ("detected", ""),
        ("membership", ""),
        ("fencing", "c6"),
        ("fencing-failed", "c6"),
        ("fenced", "c6"),
        ("recovering", "journal 3"),
        ("recovered", "journal 3"),
        ("membership", ""),
    ]


@given(st.text(max_size=200))
def test_any_message_can_be_read(text: str) -> None:
    """No message of a node ends a run."""
    gfs2_status.moments("c1", text, NODES)
    assert not gfs2_status.read(text, NODES, "c1").healthy


# ---- the verdict


def moment(unix_s: float, what: str, subject: str = "", node: str = "c1") -> dict[str, Any]:
    """A message of a node."""
    return {"unix_s": unix_s, "node": node, "what": what, "subject": subject, "text": "", "good": True}


def taken(at_s: float = 107.0, fenced_s: float = 106.0, **changes: Any) -> Any:
    """A fault in which c1 fenced c6 and took its journal over."""
    moments = (
        moment(104.6, "fencing", "c6"),
        moment(at_s, "recovering", "journal 3"),
        moment(fenced_s, "fenced", "c6"),
    )
    power = ({"unix_s": 105.3, "node": "c6", "what": "off", "by": "c6-bmc"},)
    return fault(**{"moments": moments, "power": power, **changes})


def crashed(*moments: dict[str, Any]) -> Any:
    """A fault with a crash of c6, and the messages of the others."""
    return taken(moments=moments, power=({"unix_s": 103.0, "node": "c6", "what": "ended by itself", "by": "c6"},))


JOURNAL = moment(107.0, "recovering", "journal 3")


def again(taken_s: float | None, off_s: float | None = 203.0, asked: bool = True) -> Any:
    """After c6, c5 is lost too, in the same fault."""
    first = taken()
    asks = (moment(204.6, "fencing", "c5"), moment(206.0, "fenced", "c5")) if asked else ()
    journals = () if taken_s is None else (moment(taken_s, "recovering", "journal 2"),)
    off = () if off_s is None else ({"unix_s": off_s, "node": "c5", "what": "off", "by": "c5-bmc"},)
    return taken(moments=(*first.moments, *asks, *journals), power=(*first.power, *off))


@pytest.mark.parametrize(
    ("found", "verdict", "words"),
    [
        (again(207.0), "pass", "c5 was off 4.0 s before the replay of its journal"),
        (again(207.0, asked=False), "pass", "c5 was off 4.0 s before the replay of its journal"),
        (again(150.0, asked=False), "fail", "c1 replayed journal 2 53.0 s before c5 was off"),
        (again(150.0, None, asked=False), "fail", "c1 replayed journal 2, but no further node was off"),
        (again(207.0, None), "fail", "although c5 was never off"),
        (again(None), "unknown", "c5 was off too, but no node logged a recovery"),
        (
            taken(moments=tuple(moment(300.0 + n, "recovering", f"journal {n}", "c6") for n in range(3))),
            "pass",
            "c6 was",
        ),
        (taken(), "pass", "c6 was off 1.7 s before the replay of its journal"),
        (taken(at_s=105.0, fenced_s=104.9), "fail", "c1 replayed journal 3 0.3 s before c6 was off"),
        (taken(fenced_s=108.0), "fail", "c1 replayed journal 3 before the fencing of c6 was confirmed"),
        (crashed(moment(104.6, "fencing", "c6"), JOURNAL), "fail", "before the fencing of c6 was confirmed"),
        (crashed(moment(104.0, "quorum-lost"), JOURNAL), "fail", "c1 replayed journal 3 without a quorum"),
        (crashed(moment(104.0, "quorum-lost"), moment(105.0, "fencing", "c6")), "fail", "fenced c6 without a quorum"),
        (crashed(moment(104.0, "quorum-lost"), moment(106.5, "quorum"), JOURNAL), "pass", "c6 was off 4.0 s before"),
        (taken(power=()), "fail", "although c6 was never off"),
        (taken(moments=taken().moments[1:2], power=()), "fail", "but no node was off"),
        (taken(moments=taken().moments[:1]), "unknown", "no node logged a recovery"),
        (taken(moments=(), power=()), "pass", "no journal was replayed"),
        (taken(skipped="it cannot be"), "skipped", "skipped, it cannot be"),
    ],
)
def test_a_journal_is_replayed_after_its_node_is_off(found: Any, verdict: str, words: str) -> None:
    """By the power log, and not by the nodes' own view."""
    answer = recovery.judge(found)
    assert (answer.verdict, words in answer.evidence) == (verdict, True), answer


# ---- spares


@given(st.sampled_from([1, 5, 6, 10, 50]), st.integers(1, 40), st.integers(1, 4), st.integers(0, 8))
def test_spares_are_in_every_set_and_in_no_stripe(level: Any, disks: int, spans: int, spares: int) -> None:
    """Of any array that is accepted: each device once, the spares evenly, none of them holds data."""
    raid = Raid.model_validate({"level": level, "spans": spans, "spares": spares})
    if mistake_in(raid, disks):
        return
    devices = tuple(f"/dev/d{index}" for index in range(disks))
    array = Array(raid, "x", devices, holds_zeros=True)
    bottom = array.sets()[:-1] or array.sets()
    members = [device for *_, found in bottom for device in found]
    waiting = [device for name, *_ in bottom for device in array.spares_of(name)]
    assert (sorted(members), sorted(waiting)) == (sorted(devices[: disks - spares]), sorted(devices[disks - spares :]))
    assert {len(array.spares_of(name)) for name, *_ in bottom} == {spares // spans}
    assert array.data_disks <= disks - spares
    step = next(step for step in create_steps(array) if step.title.startswith("create array x"))
    assert (" --spare-devices=" in "".join(item.apply for item in create_steps(array))) == (spares > 0)
    assert step.destroys


def test_a_detected_control_of_recovery_passes() -> None:
    """A journal that was taken over from a node that lives; one that was not off fails no other check's claim."""
    expect = {"fails_over": False, "outage": 1.0, "detected_by": ("recovery",)}
    lie = taken(power=(), expect=expect)
    assert judge_control(lie).verdict == "pass"
    assert judge_control(taken(expect=expect)).verdict == "fail"
    assert judge_control(taken(moments=taken().moments[:1], expect=expect)).verdict == "unknown"
