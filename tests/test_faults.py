"""Faults: their keys in a study, the actions of each kind, their undo at every end, and the
outages.
"""

import json
import os
import shlex
import signal
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.analysis.histogram import Histogram
from seatrial.basics.clock import unix_s
from seatrial.basics.errors import InputError, Interrupted, RunError
from seatrial.check import check_overwritten, prepare
from seatrial.faults import aftermath as fault_aftermath
from seatrial.faults import cluster_status
from seatrial.faults import streams as fault_streams
from seatrial.faults import trial as fault_run
from seatrial.faults.aftermath import AFTERMATH_S, aftermath_s
from seatrial.faults.base import (
    Action,
    Actions,
    Bus,
    Disk,
    Emulator,
    Link,
    Mtu,
    Network,
    NotHere,
    Power,
    Rebuild,
    Revive,
    Roles,
    Scene,
    Shell,
    Switchover,
    Wait,
    action_text,
    fault_kind,
    fault_kinds,
    load_fault,
)
from seatrial.faults.done import Done
from seatrial.faults.figures import first_completion_s, is_answered, loads_in, outages_of, stream_result
from seatrial.faults.injection import Injector, Undo
from seatrial.faults.inputs import FaultInputs
from seatrial.faults.kernel_messages import messages_since
from seatrial.faults.probe import Probe
from seatrial.faults.trial import run_fault
from seatrial.judge.checks.faults import judge_course
from seatrial.labs.base import lab_kind
from seatrial.load.agent import push
from seatrial.load.agent_lines import NS, AgentLines
from seatrial.load.clock_offsets import WallClocks, measure_clocks
from seatrial.plan.data_path import DataPath
from seatrial.plan.plan import Plan, Stage, Step
from seatrial.predict.outages import outages
from seatrial.report.faults import events
from seatrial.result.evidence import Sign
from seatrial.result.faults import FaultResult, StreamResult
from seatrial.result.result import SCHEMA, Result, Writer, read_result
from seatrial.service.session import Session
from seatrial.solutions.base import ClusterStatus, Moment, MovesServices, Solution, Wipe, load_solution
from seatrial.study.study import Study, load_study
from seatrial.study.timers import Timer
from seatrial.transport import Completed, Local, OpenSsh, Transport
from tests.strategies import MINIMAL, changed, study
from tests.test_deployed import Silent
from tests.test_nfs_ha import pair

STREAM = {"phases": ["write"], "transfer_size": "4KiB", "file_size": "64MiB", "pattern": "random", "arrivals_per_s": 20}


def broken(faults: Mapping[str, Any], load: Mapping[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    """The minimal study with faults."""
    data = changed("experiments", {})
    return {
        **data,
        "background_load": load if load is not None else {"small": {"workload": STREAM}},
        "faults": faults,
        **more,
    }


# ---- the keys of a study


WRONG: list[tuple[dict[str, Any], str]] = [
    (broken({"a": {"kind": "earthquake"}}), "faults.a.kind: 'earthquake' is not known; one of array-controller"),
    (broken({"a": {"kind": "panic", "nod": "nas"}}), "faults.a.nod: unknown key 'nod'; did you mean 'node'?"),
    (broken({"a": {"kind": "panic", "node": "nass"}}), "faults.a: no node is called 'nass'"),
    (broken({"a": {"kind": "heartbeat"}}), "faults.a: 'private' is not a network of this study; one of data"),
    (broken({"a": {"kind": "panic"}}, {}), "faults: nothing runs during the faults"),
    (broken({"a": {"kind": "panic"}}, {"dd": {"copy": {"size": "1MiB"}}}), "faults: nothing but copies"),
    (broken({"a": {"kind": "panic", "duration": "5"}}), "faults.a.duration: '5' has no unit"),
    (broken({"a": {"kind": "net-emulation", "effect": "loss"}}), "faults.a: loss needs percent"),
    (broken({"a": {"kind": "client-crash", "clients": "c[1-4]"}}), "no client would remain"),
    (broken({"a": {"kind": "pair", "first": {"kind": "freeze"}, "second": {"kind": "luck"}}}), "'luck' is not known"),
    (broken({"a": {"kind": "panic", "quick": {"duration": "x"}}}), "faults.a.duration: 'x'"),
    (broken({}, {"s": {"workload": {**STREAM, "phases": ["write", "read"]}}}), "a stream has one phase"),
    (broken({}, {"s": {"workload": {**STREAM, "phases": ["read"]}}}), "read needs existing files"),
    (broken({}, {"s": {"workload": STREAM, "clients": "x1"}}), "background_load.s.clients: no node is called 'x1'"),
    (
        broken({"a": {"kind": "panic"}}, {"s": {"workload": {**STREAM, "file_size": "4MiB"}}}),
        "background_load.s.workload: has work for 51 s, but the fault a can take 320 s",
    ),
    (broken({"a": {"kind": "panic"}}, {"s": {"workload": STREAM, "mount": 3}}), "no mount is called that; one of ''"),
    (
        broken({"a": {"kind": "panic", "overrides": {"id": "other"}}}),
        "faults.a.overrides.id: cannot be set; write a path such as",
    ),
    (
        broken({"a": {"kind": "panic", "overrides": {"solution.export.threads": 0}}}),
        "faults.a.overrides: input should be greater than or equal to 1",
    ),
    (broken({"a": {"kind": "panic", "expect": {"target": "3s"}}}), "target needs outage"),
    (
        broken({"a": {"kind": "panic", "expect": {"min_stall": "3s", "detected_by": "integrity"}}}),
        "leave min_stall out",
    ),
    (
        broken({"a": {"kind": "panic", "overrides": {"solution.raid": {"level": 6}}}}),
        "faults.a.overrides: would recreate the storage",
    ),
]


@pytest.mark.parametrize(("data", "message"), WRONG, ids=lambda item: item[:30] if isinstance(item, str) else "")
def test_mistakes_are_reported_with_their_place(data: dict[str, Any], message: str) -> None:
    """Before any node exists."""
    with pytest.raises(InputError) as caught:
        prepare(study(data))
    assert message in str(caught.value)


def test_streams_have_profiles_too() -> None:
    """`quick` replaces keys or omits a stream; a profile with faults and without a stream is
    refused.
    """
    small = {"workload": STREAM}
    load = {
        "small": {**small, "profiles": ["trial", "full"]},
        "other": {**small, "clients": "c1", "quick": {"clients": "c2"}},
    }
    found = study(broken({"a": {"kind": "panic"}}, load))
    quick = found.background_load_in("quick")
    assert set(quick) == {"other"}
    assert (quick["other"].clients, found.background_load_in("full")["other"].clients) == ("c2", "c1")
    with pytest.raises(InputError, match="nothing runs during the faults of the quick profile"):
        study(broken({"a": {"kind": "panic"}}, {"small": {**small, "profiles": ["trial", "full"]}}))


def test_profiles_leave_faults_out_or_change_them() -> None:
    """As they do experiments; a kind's own options too."""
    whole = study(
        broken(
            {
                "a": {"kind": "panic", "duration": "20s", "quick": {"duration": "2s", "node": "c1"}},
                "b": {"kind": "freeze", "profiles": ["trial", "full"]},
            }
        )
    )
    assert list(whole.faults_in("trial")) == ["a", "b"]
    quick = whole.faults_in("quick")
    assert [(name, item.duration, item.options()) for name, item in quick.items()] == [("a", 2.0, {"node": "c1"})]


def test_a_fault_has_the_timers_of_its_settings() -> None:
    """Its limit includes them, and other faults keep the study's."""
    fault = {"kind": "panic", "expect": {"outage": {"timers": {"retransmission": 1}}}}
    shorter = {**fault, "overrides": {"solution.mount.options": ["timeo=100", "retrans=2"]}}
    found = {item.fault: item.total_s for item in outages(study(broken({"own": fault, "set": shorter})))}
    assert found == {"own": 60.0, "set": 10.0}


# ---- the actions of each kind


@dataclass
class Pair:
    """A highly available solution of two servers, with its state in a file."""

    folder: Path = Path()
    servers: tuple[str, ...] = ("nas", "c4")
    storage_nodes: tuple[str, ...] = ("nas", "c4")
    clients: tuple[str, ...] = ("c1", "c2")
    cluster_nodes: tuple[str, ...] = ("nas", "c4")
    fenced_nodes: tuple[str, ...] = ("nas", "c4")
    services: tuple[str, ...] = ("storage",)
    layout: str = ""
    restored: list[str] = field(default_factory=list)
    local_directory: str = "/nowhere"

    def __post_init__(self) -> None:
        self.directory = str(self.folder / "storage")

    def plan(self, wipe: Wipe) -> Plan:
        return Plan("pair", "nothing", ())

    removal = plan

    def empty_caches(self, clients: Sequence[str]) -> Plan:
        return Plan("pair", "nothing", ())

    def data_path(self, clients: int, *, local: bool = False) -> DataPath:
        return DataPath(clients, ())

    def parts(self) -> list[tuple[str, str]]:
        return []

    def status_command(self) -> str:
        return f"cat {self.folder}/status"

    def status(self, node: str, answer: str) -> ClusterStatus:
        reported = json.loads(answer)
        return ClusterStatus(reported["active"], reported["healthy"], answer.strip())

    def moments_command(self, since_boot_s: float) -> str:
        return "cut -d' ' -f1 /proc/uptime"

    def moments(self, node: str, answer: str) -> list[Moment]:
        return [Moment(float(answer), node, "detected", "it is gone"), Moment(1.0, node, "detected", "long ago")]

    def switchover(self, service: str, to: str) -> Plan:
        return Plan("pair", f"{service} to {to}", ())

    def restore(self, node: str) -> Plan:
        self.restored.append(node)
        step = Step(
            "restore", None, f'echo \'{{"active": {{"storage": "c4"}}, "healthy": true}}\' >{self.folder}/status'
        )
        return Plan("pair", "restore", (Stage("restore", {node: (step,)}),))


def scene(solution: Any = None, **active: str) -> Scene:
    """The minimal study with two more networks; the first of two servers is active."""
    networks: dict[str, Any] = {"private": {}, "san1": {}, "san2": {}, "data": {}}
    whole = study({**broken({}), "networks": networks})
    site = lab_kind(whole).site(whole)
    solution = solution or Pair()
    return Scene(whole, site, solution, Roles(solution.servers, active or {"storage": "nas"}))


NO_NFSD = Probe("read -r threads 2>/dev/null </proc/fs/nfsd/threads; [ ${threads:-0} = 0 ]", Sign.PROCESS_GONE)
KINDS: list[tuple[str, dict[str, Any], tuple[Action, ...], tuple[Action, ...]]] = [
    ("panic", {}, (Shell("nas", "echo c >/proc/sysrq-trigger", expect_answer=False),), (Revive("nas", 40.0),)),
    ("power-cut", {"node": "passive"}, (Power("c4", "off"),), (Power("c4", "on"),)),
    ("freeze", {"node": "c1"}, (Power("c1", "frozen"),), (Power("c1", "thawed"),)),
    ("power-bus", {"pdu": "pdu-a"}, (Bus("pdu-a", live=False),), (Bus("pdu-a", live=True),)),
    (
        "fence-device",
        {"network": "private"},
        (Link("nas-bmc", "private", up=False),),
        (Link("nas-bmc", "private", up=True),),
    ),
    (
        "fence-device",
        {"device": "pdu-a", "mode": "slow", "delay": "9s"},
        (Emulator("pdu-a", "slow", 9.0),),
        (Emulator("pdu-a", "ok"),),
    ),
    ("storage-path", {"network": "san1"}, (Link("nas", "san1", up=False),), (Link("nas", "san1", up=True),)),
    (
        "storage-paths",
        {"networks": ["san1", "san2"]},
        (Link("nas", "san1", up=False), Link("nas", "san2", up=False)),
        (Link("nas", "san2", up=True), Link("nas", "san1", up=True)),
    ),
    ("public-link", {"network": "data"}, (Link("nas", "data", up=False),), (Link("nas", "data", up=True),)),
    ("switch", {"network": "private"}, (Network("private", up=False),), (Network("private", up=True),)),
    ("heartbeat", {}, (Link("nas", "private", up=False),), (Link("nas", "private", up=True),)),
    (
        "array-controller",
        {"node": "c3", "network": "san1"},
        (Link("c3", "san1", up=False),),
        (Link("c3", "san1", up=True),),
    ),
    ("local-disk", {"fail": "f", "repair": "m"}, (Shell("nas", "f"),), (Shell("nas", "m"),)),
    ("switchover", {}, (Switchover("storage", "c4"),), ()),
    ("service-dead", {"daemon": "nfsd"}, (Shell("nas", "rpc.nfsd 0", probe=NO_NFSD),), ()),
    (
        "client-crash",
        {"clients": "c2"},
        (Power("c2", "off"),),
        (Power("c2", "on"),),
    ),
    ("shell", {"node": "c3", "command": "f", "repair": "m"}, (Shell("c3", "f"),), (Shell("c3", "m"),)),
    (
        "link-flaps",
        {"network": "san1", "down": "2s", "up": "3s", "times": 2},
        (
            Link("nas", "san1", up=False),
            Wait(2.0),
            Link("nas", "san1", up=True),
            Wait(3.0),
            Link("nas", "san1", up=False),
            Wait(2.0),
            Link("nas", "san1", up=True),
        ),
        (Link("nas", "san1", up=True),),
    ),
    (
        "mtu",
        {"network": "data", "mtu": 1500},
        (Mtu("nas", "data", 1500),),
        (Mtu("nas", "data", None),),
    ),
    (
        "slow-disk",
        {"node": "nas", "disk": 3, "requests_per_s": 4},
        (Disk("nas", 3, None, 4.0),),
        (Disk("nas", 3),),
    ),
    (
        "several",
        {
            "parts": [
                {"kind": "fence-device", "mode": "dead"},
                {"kind": "fence-device", "device": "pdu-a", "mode": "dead"},
                {"kind": "freeze"},
            ],
            "delay": "2s",
            "repaired": "first-first",
        },
        (Emulator("nas-bmc", "dead"), Wait(2.0), Emulator("pdu-a", "dead"), Wait(2.0), Power("nas", "frozen")),
        (Emulator("nas-bmc", "ok"), Emulator("pdu-a", "ok"), Power("nas", "thawed")),
    ),
    (
        "pair",
        {"first": {"kind": "heartbeat"}, "second": {"kind": "freeze", "node": "passive"}, "delay": "3s"},
        (Link("nas", "private", up=False), Wait(3.0), Power("c4", "frozen")),
        (Power("c4", "thawed"), Link("nas", "private", up=True)),
    ),
]


@pytest.mark.parametrize(("kind", "options", "inject", "repair"), KINDS, ids=[item[0] for item in KINDS])
def test_each_kind_has_its_actions_and_their_undo(
    kind: str, options: dict[str, Any], inject: tuple[Action, ...], repair: tuple[Action, ...]
) -> None:
    """On the node that has the role at that moment."""
    module = fault_kind(kind)
    found = module.actions(module.Options.model_validate(options), scene())
    assert (found.inject, found.repair) == (inject, repair)
    assert all(action_text(action) for action in (*inject, *repair))
    assert module.TITLE
    assert module.WORD
    assert module.DURATION_S > 0


def test_every_kind_is_tried_here() -> None:
    """Those that run a longer command are tried on real kernels only."""
    assert set(fault_kinds()) - {item[0] for item in KINDS} == {
        *("disk-full", "disk-failure", "extension", "net-emulation", "osd-disk-failure", "site-command"),
        "wall-clock",
    }


def armed(repair: Shell, after_s: float, *, outlives: bool = True) -> Injector:
    """An injector for this machine as the nodes, which have a timer for the repair."""
    whole = planned()
    site, solution = prepare(whole)
    injector = Injector(Session(whole, site, solution, Lab(), Local(), outlives_run=outlives))
    injector.arm([repair, Wait(1.0)], after_s)
    return injector


def test_a_node_that_outlives_the_run_repairs_itself(tmp_path: Path) -> None:
    """If the controller is gone: with any quotes and expansions in the command. A lab ends
    with its run.
    """
    place = tmp_path / "it's mended"
    repair = Shell("nas", f'here={shlex.quote(str(place))}; echo ${{here##*/}} >"$here"  # done')
    assert armed(repair, 0.0, outlives=False)._armed == {}
    armed(repair, 0.0)
    limit = time.monotonic() + 60
    while not (place.exists() and place.read_text()) and time.monotonic() < limit:
        time.sleep(0.05)
    assert place.read_text() == "it's mended\n"


def test_a_repaired_node_has_no_timer(tmp_path: Path) -> None:
    """Its process and its waiting are gone; where the repair failed, the timer remains."""
    works, failed = Shell("nas", f"[ ! -e {tmp_path}/broken ]"), Shell("nas", "false")
    for repair, left in ((works, 0), (failed, 1)):
        injector = armed(repair, 300.0)
        ((_, process),) = injector._armed.values()
        injector.repair(repair)
        assert len(injector._armed) == left
        limit = time.monotonic() + 60
        while not left and Path(f"/proc/{process}").exists() and time.monotonic() < limit:
            time.sleep(0.05)
        assert Path(f"/proc/{process}").exists() == bool(left)
        if left:
            while os.getpgid(process) != process and time.monotonic() < limit:
                time.sleep(0.05)  # until it leads its process group
            os.killpg(process, signal.SIGKILL)


def test_a_node_that_cannot_repair_itself_is_not_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A node that cannot get a timer before the fault is left alone."""
    monkeypatch.setattr(Local, "run", lambda _self, node, *_, **__: Completed(node, 127, "", "sh: no setsid"))
    with pytest.raises(RunError, match="^nas cannot arm its repair: sh: no setsid$"):
        armed(Shell("nas", "true"), 1.0)


def test_no_study_names_the_devices_that_a_fault_overwrites() -> None:
    """A disk belongs to the solution, by its number: a foreign study could otherwise erase it."""
    assert [kind for kind in fault_kinds() if hasattr(fault_kind(kind), "Device")] == []


def test_a_missing_osd_is_refused() -> None:
    """Only the study's own disk is overwritten, and the message states it."""
    found = load_study(Path("gpfs-nsd"))
    site, solution = prepare(found)
    module, here = fault_kind("osd-disk-failure"), Scene(found, site, solution, Roles.before(solution))
    actions = module.actions(module.Options.model_validate({"osd": 3}), here)
    assert actions.overwritten() == {("s4", "/dev/ubdb")}
    for action in (*actions.inject, *actions.repair):
        assert isinstance(action, Shell)
        assert action.command.startswith("[ /var/lib/ceph/osd/ceph-3/block -ef /dev/ubdb ] || { echo ")
    with pytest.raises(ValueError, match="no OSD has the number 4; they have 0 to 3"):
        module.actions(module.Options.model_validate({"osd": 4}), here)
    with pytest.raises(NotHere, match="has no OSDs"):
        module.actions(module.Options.model_validate({"osd": 0}), scene())


def test_a_defect_of_a_kind_is_no_mistake_of_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its refusal is reported with its place in the study; a ValueError of the code is a
    defect, and stays one.
    """
    found = load_study(Path("gpfs-nsd"))
    site, solution = prepare(found)
    fault = found.faults["osd-disk"].replaced(osd=4)
    with pytest.raises(InputError, match="faults.osd-disk: no OSD has the number 4"):
        load_fault(found, site, solution, "osd-disk", fault)
    monkeypatch.setattr(fault_kind("osd-disk-failure"), "actions", lambda _options, _scene: int("many"))
    with pytest.raises(ValueError, match="invalid literal for int"):
        load_fault(found, site, solution, "osd-disk", fault)


def test_a_defect_while_values_are_tried_is_no_mistake_of_the_study(monkeypatch: pytest.MonkeyPatch) -> None:
    """With any sweep of the study."""
    monkeypatch.setattr("seatrial.check.points", lambda *_args, **_more: int("many"))
    with pytest.raises(ValueError, match="invalid literal for int"):
        prepare(study(MINIMAL))


def test_a_fault_overwrites_only_named_devices() -> None:
    """On hosts; a lab's disks are made for the run."""
    nodes = {"nas": {"disks": {"count": 6, "devices": [f"/dev/sd{letter}" for letter in "bcdefg"]}}, "c[1-4]": {}}
    found = study(broken({"gone": {"kind": "disk-failure"}}, environment={"kind": "hosts"}, nodes=nodes))
    site, _ = prepare(found)
    with pytest.raises(InputError, match="^gone overwrites nas:/dev/sdb$"):
        check_overwritten(found, site, found.faults, {})
    check_overwritten(found, site, found.faults, {"nas": frozenset({"/dev/sdb"})})
    lab = study(broken({"gone": {"kind": "disk-failure"}}))
    check_overwritten(lab, prepare(lab)[0], lab.faults, {})


def test_roles_are_those_of_the_moment() -> None:
    """The active server is where the service is now; where there is no peer, or no service, that is a reason."""
    module = fault_kind("power-cut")
    passive = module.Options.model_validate({"node": "passive"})
    assert module.actions(passive, scene(storage="c4")).inject == (Power("nas", "off"),)
    with pytest.raises(NotHere, match="runs nowhere"):
        module.actions(
            passive, Scene(*vars(scene()).values()).__class__(**{**vars(scene()), "roles": Roles(("a",), {})})
        )
    single = load_solution(study(), lab_kind(study()).site(study()))
    with pytest.raises(NotHere, match="no other server"):
        module.actions(passive, Scene(study(), lab_kind(study()).site(study()), single, Roles(("nas",), {"": "nas"})))


def test_netem_has_the_arguments_of_tc() -> None:
    """Loss, delay with jitter, and reordering, which needs a delay."""
    options = fault_kind("net-emulation").Options

    def netem(**values: Any) -> Any:
        return options.model_validate(values).netem()  # type: ignore[attr-defined]

    assert netem(effect="loss", percent=5) == "loss 5%"
    assert netem(effect="delay", delay="100ms", jitter="20ms") == "delay 0.1s 0.02s"
    assert netem(effect="reorder", percent=25, delay="10ms") == "delay 0.01s reorder 25%"


# ---- carried out and undone


@dataclass
class Lab:
    """A lab that can do everything, records it, and fails on request."""

    kind: str = "fake"
    reported: list[str] = field(default_factory=list)
    fails: set[str] = field(default_factory=set)
    raises: type[BaseException] = RunError
    up: bool = False
    """its observation of every requested link"""
    ssh_config = None
    transport = OpenSsh(None)

    def _do(self, what: str) -> None:
        self.reported.append(what)
        if what in self.fails:
            raise self.raises(what)

    def power(self, node: str, state: str) -> None:
        self._do(f"{node} {state}")

    def link(self, node: str, network: str, *, up: bool) -> None:
        self._do(f"{node} {network} {up}")

    def network(self, name: str, *, up: bool) -> None:
        self._do(f"{name} {up}")

    def link_is_up(self, node: str, network: str) -> bool:
        return self.up

    def network_is_up(self, name: str) -> bool:
        return self.up

    def emulator(self, name: str, mode: str, delay_s: float = 0.0) -> None:
        self._do(f"{name} {mode} {delay_s:g}")

    def bus(self, pdu: str, *, live: bool) -> None:
        self._do(f"{pdu} {live}")

    def mtu(self, node: str, network: str, mtu: int | None) -> None:
        self._do(f"{node} {network} {mtu}")

    def disk(self, node: str, number: int, rate_bytes_per_s: float | None, requests_per_s: float | None) -> None:
        self._do(f"{node} {number} {rate_bytes_per_s} {requests_per_s}")

    def power_log(self) -> list[dict[str, Any]]:
        return [{"unix_s": 1.0, "node": "nas", "what": "on", "by": "operator"}]

    def power_requests(self) -> list[dict[str, Any]]:
        return []

    def down(self) -> None: ...

    def facts(self) -> dict[str, Any]:
        return {}


def injector(lab: Any) -> Injector:
    """On a session with this lab."""
    whole = study()
    site = lab_kind(whole).site(whole)
    return Injector(Session(whole, site, load_solution(whole, site), lab, Local()), pause=lambda _: None)


def test_everything_a_lab_can_do_is_done() -> None:
    """Each through its own capability, with the time before and after it."""
    lab = Lab()
    it = injector(lab)
    actions: tuple[Action, ...] = (Power("nas", "off"), Link("a", "n", up=True), Network("n", up=False))
    actions = (*actions, Emulator("b", "slow", 2.0), Bus("p", live=True), Disk("nas", 1, 2.0))
    it.inject(
        (
            *actions,
            Mtu("nas", "data", None),
            Wait(1.0),
            Shell("nas", "exit 0"),
            Shell("nas", "exit 143", expect_answer=False),
        )
    )
    assert lab.reported == ["nas off", "a n True", "n False", "b slow 2", "p True", "nas 1 2.0 None", "nas data None"]
    assert all(item.ended_unix_s >= item.started_unix_s and item.error is None for item in it.done)
    with pytest.raises(RunError, match="on nas: exit 7: exit 7"):
        it.inject([Shell("nas", "exit 7")])


def test_limits_of_a_lab_are_known_before_the_run() -> None:
    """With the reason that the result keeps."""

    @dataclass
    class Hosts:
        kind: str = "hosts"

    it = injector(Hosts())
    assert it.missing(Actions((Shell("nas", "x"),))) is None
    assert (
        it.missing(Actions((Shell("nas", "x"),), (Revive("nas"),)))
        == "on real hosts Seatrial cannot restart a node that hangs"
    )
    assert it.missing(Actions((Bus("p", live=False),))) == "on real hosts Seatrial cannot cut a power bus"
    with pytest.raises(RunError, match="cannot do this"):
        it.inject([Link("nas", "data", up=False)])


@pytest.mark.parametrize(("what", "cut"), [("on", False), ("off", True)])
def test_a_node_that_was_fenced_and_boots_is_not_cut_again(
    what: str, cut: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any time; a node that stays off is restarted at the end of the wait."""
    lab = Lab()
    it = injector(lab)
    it.done.append(Done("panic", "inject", 100.0, 100.5))
    monkeypatch.setattr(lab, "power_log", lambda: [{"node": "nas", "what": what, "unix_s": 101.0}])
    answers = iter([False, False, True])
    monkeypatch.setattr(it, "answers", lambda _node: next(answers))
    it.repair(Revive("nas", 0.0))
    assert ("nas off" in lab.reported) == cut


def test_the_end_of_a_rebuild_is_waited_for_and_has_a_bound() -> None:
    """The node is asked while streams continue; a rebuild that does not end in time is recorded."""
    it = injector(Lab())
    begun = Shell("nas", "true")
    it.await_end(Rebuild("nas", "/dev/md/x", begun, "exit 1", -1.0))
    it.await_end(Rebuild("nas", "/dev/md/x", begun, "exit 0", 9.0))
    assert [(item.what, item.part, item.error) for item in it.done] == [
        ("rebuild of /dev/md/x on nas", "after", "it has not ended within -1 s"),
        ("rebuild of /dev/md/x on nas", "after", None),
    ]


NAMES = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6, unique=True)


@given(
    NAMES,
    st.sets(st.sampled_from("abcdef")),
    st.sets(st.sampled_from("abcdef")),
    st.sampled_from([RunError, Interrupted]),
)
def test_every_part_is_undone_in_order_at_every_end(
    nodes: list[str], sick: set[str], stuck: set[str], way: type[BaseException]
) -> None:
    """With any failure during the injection or during the undo, every part is undone, in order."""
    lab = Lab(fails={f"{node} off" for node in sick}, raises=way)
    it = injector(lab)
    repair = tuple(Power(node, "on") for node in reversed(nodes))
    try:
        with Undo(it, repair) as undo:
            it.inject(Power(node, "off") for node in nodes)
            lab.fails, lab.raises = {f"{node} on" for node in stuck}, RunError
            undo.repair()
    except (RunError, Interrupted):
        assert sick & set(nodes)
        lab.fails = set()
    undone = [text.removesuffix(" on") for text in lab.reported if text.endswith(" on")]
    assert undone == list(reversed(nodes))


def test_an_interrupted_undo_is_repeated() -> None:
    """A signal in the middle of repair: the action at hand counts as not done."""
    lab = Lab(fails={"b on"}, raises=Interrupted)

    def interrupted() -> None:
        with Undo(injector(lab), (Power("a", "on"), Power("b", "on"), Power("c", "on"))) as undo:
            try:
                undo.repair()
            finally:
                lab.fails = set()

    with pytest.raises(Interrupted):
        interrupted()
    assert lab.reported == ["a on", "b on", "b on", "c on"]


# ---- outages


def second(end_s: float, operations: int, interval_s: float = 1.0) -> dict[str, Any]:
    """A line of an agent."""
    return {
        "event": "second",
        "boottime_ns": int(end_s * NS),
        "interval_ns": int(interval_s * NS),
        "bytes": operations * 10,
        "operations": operations,
    }


def stall(at_s: float, *since_s: float) -> dict[str, Any]:
    """A line that names tasks without an answer."""
    tasks = [
        {"task": task, "file": "f", "since_boottime_ns": int(start * NS), "stalled_ns": int((at_s - start) * NS)}
        for task, start in enumerate(since_s)
    ]
    return {"event": "stall", "boottime_ns": int(at_s * NS), "tasks": tasks}


def received(lines: Iterable[dict[str, Any]], **done: Any) -> AgentLines:
    """The lines of an agent with a clock that is 2 s ahead."""
    return AgentLines("c1", 2.0, lines=list(lines), done=done or None, stream="small")


def outage(start_s: float, end_s: float, **more: Any) -> dict[str, Any]:
    """As an agent reports it at the end."""
    return {
        "start_boottime_ns": int(start_s * NS),
        "end_boottime_ns": int(end_s * NS),
        "open": False,
        "flush": False,
        **more,
    }


def test_work_of_streams_in_a_span_counts_its_whole_seconds() -> None:
    """All clients of a stream together, from their own histograms; a consistency test reports
    no seconds.
    """
    coded = {ms: Histogram(Counter({ms: 4})).encode() for ms in (10, 20)}
    lines = [
        {
            "event": "latencies",
            "second": number,
            "bytes": 0,
            "operations": 4,
            "histograms": {"write": coded[10 if number < 5 else 20], "fsync": coded[20]},
        }
        for number in range(9)
    ]
    everyone = [received(lines), received(lines), replace(received([]), stream="locks")]
    found = loads_in(everyone, 100.0, {"before": (100.0, 104.5), "rebuild": (105.2, 108.9), "never": (200.0, 201.0)})
    assert list(found) == ["small"]
    assert (found["small"]["before"]["seconds"], found["small"]["before"]["operations_per_s"]) == (4, 8.0)
    assert (found["small"]["rebuild"]["seconds"], found["small"]["rebuild"]["operations_per_s"]) == (2, 8.0)
    assert found["small"]["before"]["max_ms"] == pytest.approx(10e-6)
    assert found["small"]["rebuild"]["mean_ms"] == pytest.approx(20e-6)
    assert found["small"]["never"] == {"seconds": 1, "operations_per_s": 0.0}


SPANS = st.lists(st.tuples(st.floats(1, 20), st.floats(1, 20)), max_size=6)


@given(SPANS, st.floats(0, 200))
def test_the_longest_outage_reaches_beyond_the_injection(spans: list[tuple[float, float]], injected_s: float) -> None:
    """Times on the common clock; an outage that ended before the fault does not count."""
    at_s, outages = 100.0, []
    for busy_s, silent_s in spans:
        outages.append(outage(at_s + busy_s + 2.0, at_s + busy_s + silent_s + 2.0))
        at_s += busy_s + silent_s
    item = received(
        [second(at_s + 3.0, 1)], client_outages=outages, operations=7, stopped_by="cancelled", end_boottime_ns=0
    )
    found = stream_result(item, "write", injected_s, at_s + 5.0, lost_power=False)
    ends_s = [(line["start_boottime_ns"] / NS - 2.0, line["end_boottime_ns"] / NS - 2.0) for line in outages]
    wanted = [end - start for start, end in ends_s if end > injected_s]
    assert found.longest_s == pytest.approx(max(wanted, default=0.0), abs=1e-6)
    assert found.operations == 7
    if wanted:
        longest = max((span for span in ends_s if span[1] > injected_s), key=lambda span: span[1] - span[0])
        assert found.longest is not None
        assert found.first_completion_unix_s == pytest.approx(found.longest["end_unix_s"])
        assert longest[1] - longest[0] == pytest.approx(found.longest_s)


@given(st.lists(st.floats(0.5, 30), min_size=1, max_size=4), st.booleans())
def test_stalls_that_a_lost_agent_reported_count(lengths_s: list[float], still: bool) -> None:
    """Each lasted at least until its last report; one without an end continues to the end of
    the fault.
    """
    lines, at_s = [], 100.0
    for index, length_s in enumerate(lengths_s):
        lines += [stall(at_s + length_s / 2, at_s), stall(at_s + length_s, at_s)]
        at_s += length_s + 5.0
        if not (still and index == len(lengths_s) - 1):
            lines.append(second(at_s, 3))
    found = outages_of(received(lines), at_s + 100.0)
    spans = [round(item["end_unix_s"] - item["start_unix_s"], 3) for item in found]
    assert spans[:-1] == pytest.approx(lengths_s[:-1], abs=2e-3)
    assert [item["open"] for item in found] == [False] * (len(found) - 1) + [still]
    assert (spans[-1] > 100) == still


def test_where_the_longest_outage_waited_is_in_its_timeline() -> None:
    """By its agent's samples of the kernel; common parts of all waits are left out, and so
    are equal samples.
    """
    stack = ["__switch_to", "__schedule", "schedule", "gfs2_glock_wait", "gfs2_inplace_reserve", "userspace"]

    def look(at_s: float, functions: list[str]) -> dict[str, Any]:
        threads = [{"name": "task-0", "state": "D", "functions": functions}]
        return {"event": "waiting", "boottime_ns": int(at_s * NS), "threads": threads}

    item = received(
        [look(107.0, stack), look(117.0, stack), look(127.0, [])],
        client_outages=[outage(102.0, 132.0)],
        operations=7,
        stopped_by="cancelled",
        end_boottime_ns=0,
    )
    found = stream_result(item, "write", 101.0, 140.0, lost_power=False)
    assert [wait["unix_s"] for wait in found.waits] == [105.0, 115.0, 125.0]
    fault = FaultResult(
        "path",
        "kind",
        "word",
        "title",
        None,
        {},
        injected_unix_s=101.0,
        streams=(found, replace(found, stream="short", outages=())),
    )
    assert FaultResult.from_json(json.loads(json.dumps(asdict(fault)))) == fault
    nothing = {"rebuild": None, "consistency": None, "copies": None, "healthy": None}
    assert FaultResult.from_json({**json.loads(json.dumps(asdict(fault))), **nothing}) == fault
    reported = events(fault)
    assert [row for row in reported.rows if "waits" in row[3]] == [
        ("4.0", "4.0", "c1", "small: task-0 waits in gfs2_glock_wait < gfs2_inplace_reserve"),
        ("24.0", "20.0", "c1", "small: task-0 waits in its kernel"),
    ]


def test_kernel_messages_are_kept_in_order_of_time() -> None:
    """Each by its own clock; earlier messages are left out, and so is a node that does not
    answer.
    """
    lines = ("100.5", "[   10.0] old", "[   99.0] scsi: lost", "no line", "[   99.5] scsi: back")
    answers = {"c1": Completed("c1", 0, "\n".join(lines), ""), "c2": Completed("c2", 1, "", "dmesg: no")}

    class Nodes:
        def run(self, node: str, command: str, **_: Any) -> Completed:
            if node not in answers:
                raise RunError("gone")
            return answers[node]

    now_s = unix_s()
    reported = messages_since(cast(Transport, Nodes()), ("c1", "c2", "c3"), now_s - 5.0)
    assert [(node, text) for _, node, text in reported] == [("c1", "scsi: lost"), ("c1", "scsi: back")]
    assert [at_s - now_s for at_s, _, _ in reported] == pytest.approx([-1.5, -1.0], abs=0.5)


def test_an_answer_counts_when_it_came_in_a_whole_interval_since_then() -> None:
    """Not an interval that may begin earlier; not while a task waits in vain; an agent that
    has ended needs none.
    """
    assert not is_answered(received([second(102.5, 5)]), 100.0)  # its clock is 2 s ahead: 99.5 to 100.5
    assert is_answered(received([second(103.0, 5)]), 100.0)
    assert not is_answered(received([second(104.0, 0)]), 100.0)
    assert not is_answered(received([second(104.0, 5), stall(104.0, 90.0)]), 100.0)
    assert is_answered(received([stall(104.0, 90.0), second(106.0, 5)]), 100.0)
    assert not is_answered(received([second(106.0, 5), stall(107.0, 102.5)]), 100.0)  # it may be its first request
    assert is_answered(received([second(106.0, 5), stall(107.0, 104.5)]), 100.0)
    assert is_answered(received([], end_boottime_ns=0), 100.0)
    assert first_completion_s(received([second(101.0, 5), second(103.5, 5)]), [], 100.0) == 101.5
    assert first_completion_s(received([]), [{"start_unix_s": 1.0, "end_unix_s": 9.0, "open": True}], 0.0) is None


# ---- one fault, with real agents on this machine


class Here(Local):
    """Every node is this machine; a node that is off does not answer."""


@dataclass
class Failing(Lab):
    """Power off moves the service; it is whole again once the server was restored."""

    folder: Path = Path()

    def power(self, node: str, state: str) -> None:
        super().power(node, state)
        if state == "off":
            (self.folder / "status").write_text(json.dumps({"active": {"storage": "c4"}, "healthy": False}))


def run_one(
    folder: Path, fault: dict[str, Any], lab: Lab, monkeypatch: pytest.MonkeyPatch, solution: Pair | None = None
) -> tuple[Result, Pair]:
    """The result of one fault of a pair of servers with two clients."""
    monkeypatch.setattr(fault_run, "BASELINE_S", 0.2)
    monkeypatch.setattr(fault_aftermath, "AFTERMATH_S", 0.2)
    monkeypatch.setattr(fault_streams, "make_directory", lambda _t, _n, _b, path, _s: Path(path).mkdir(parents=True))
    solution = solution or Pair(folder)
    (folder / "status").write_text(json.dumps({"active": {"storage": "nas"}, "healthy": True}))
    names = {"workload": {"phases": ["create"], "tree": {"items": 9000}, "arrivals_per_s": 30}, "clients": "c2"}
    dd = {"copy": {"size": "256KiB", "part": "64KiB", "block": "16KiB", "pause": "50ms"}, "clients": "c1"}
    small = {"workload": {**STREAM, "fsync": "transfer"}, "clients": "c1"}
    whole = study(broken({"it": fault}, {"small": small, "names": names, "dd": dd}))
    session = Session(whole, lab_kind(whole).site(whole), solution, lab, Here())
    writer = Writer(folder / "record")
    writer.line("run", schema=SCHEMA)
    taken = [1]

    def next_generation(count: int) -> int:
        taken.append(taken[-1] + count)
        return taken[-2]

    agent, observer = push(Here(), ["c1"]), Silent()
    reported = WallClocks(observer.say, writer.line)
    grounds = FaultInputs(session, agent, "00000000000000fa", next_generation, writer, observer, reported)
    assert isinstance(solution, MovesServices)
    run_fault(grounds, whole.background_load, "it", whole.faults["it"])
    writer.close()
    return read_result(folder / "record"), solution


def test_the_system_is_not_healthy_while_a_client_cannot_mount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cluster's own state counts for a server; a client that stays without service is no
    good end.
    """
    restored = cluster_status.restore
    monkeypatch.setattr(cluster_status, "restore", lambda *given: restored(*given) | {"c2": "mount: refused"})
    fault = {"kind": "power-cut", "duration": "1s", "recovery_timeout": "20s", "expect": {"fails_over": True}}
    it = run_one(tmp_path, fault, Failing(folder=tmp_path), monkeypatch)[0].faults[0]
    assert (it.healthy, it.recovered_unix_s, it.notes) == (True, None, ("mount: refused",))
    assert judge_course(it).verdict == "fail"


@dataclass
class SlowToBeWhole(Pair):
    """Its servers are whole some seconds after they have first been asked, as with a grace that has to end."""

    whole_after_s: float = 6.0
    timers: Mapping[str, Timer] = field(default_factory=lambda: {"grace": Timer(30.0, "nfsd")})
    first_s: float = 0.0

    def status(self, node: str, answer: str) -> ClusterStatus:
        self.first_s = self.first_s or time.monotonic()
        return replace(super().status(node, answer), healthy=time.monotonic() > self.first_s + self.whole_after_s)


def test_the_wait_for_health_includes_the_grace_period(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The study allows 1 s for the way back, and the server's own rule 30 s more."""
    fault = {"kind": "freeze", "duration": "0.2s", "recovery_timeout": "1s", "expect": {"fails_over": "may"}}
    it = run_one(tmp_path, fault, Lab(), monkeypatch, SlowToBeWhole(tmp_path))[0].faults[0]
    assert (it.healthy, it.recovered_unix_s is not None) == (True, True)


@dataclass
class ByWallClock(Pair):
    """Its servers note the time of the wall clock alone."""

    def moments(self, node: str, answer: str) -> list[Moment]:
        return [Moment(float(answer) - 65.0, node, "detected", "it is gone", by_wall_clock=True)]


def test_a_moment_of_a_wall_clock_that_was_set_is_corrected(tmp_path: Path) -> None:
    """It was set ahead by a minute 3 s ago: 65 s ago by the present clock means 5 s ago."""
    whole = study(broken({}))
    session = Session(whole, lab_kind(whole).site(whole), ByWallClock(tmp_path), Lab(), Here())
    reported, agent = WallClocks(lambda _: None, lambda _kind, **_: None), push(Here(), ["nas"])
    clock, at_s = measure_clocks(Here(), ["nas"], agent)["nas"], unix_s()
    reported.add_step("nas", {"boottime_ns": (at_s - 3.0 + clock.ahead_s) * 1e9, "set_by_ns": 60e9}, clock)
    found = {item["node"]: item["unix_s"] for item in cluster_status.moments(session, at_s - 100.0, agent, reported)}
    assert found["nas"] - found["c4"] == pytest.approx(60.0, abs=1.0)


def test_a_fault_is_completed_and_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Roles, actions, moments and streams of a server that loses its power, and the later
    comparison of the trees.
    """
    lab = Failing(folder=tmp_path)
    fault = {
        "kind": "power-cut",
        "duration": "1s",
        "recovery_timeout": "20s",
        "published": "X1",
        "expect": {"fails_over": True, "outage": "9s"},
    }
    result, solution = run_one(tmp_path, fault, lab, monkeypatch)
    it = result.faults[0]
    assert (it.skipped, it.failed, it.not_compared, it.notes) == (None, None, None, ())
    assert (it.roles_before, it.roles_after, it.moved, it.healthy) == (
        {"storage": "nas"},
        {"storage": "c4"},
        True,
        True,
    )
    assert lab.reported == ["nas off", "nas on"]
    assert solution.restored == ["nas"]
    assert [(item["what"], item["part"]) for item in it.actions] == [
        ("power of nas: off", "inject"),
        ("power of nas: on", "repair"),
    ]
    assert it.actions[1]["started_unix_s"] - it.actions[0]["ended_unix_s"] >= 0.9
    assert {(item.client, item.stream) for item in it.streams} == {("c1", "small"), ("c2", "names")}
    assert all(item.operations and item.seconds and not item.lost and not item.lost_power for item in it.streams)
    assert [item["what"] for item in it.moments] == ["detected", "detected"]  # one of each server, none from long ago
    assert it.power == ()
    assert {name: (item["lost"], item["wrong"], item["names_wrong"]) for name, item in it.compared.items()} == {
        "small": (0, 0, 0),
        "names": (0, 0, 0),
    }
    assert it.compared["small"]["must"] > 0
    assert it.compared["names"]["names_checked"] > 0
    copied = it.copies["dd"]
    assert (copied["client"], copied["checked_by"], copied["error"], copied["unknown"]) == ("c1", "c2", None, None)
    assert copied["parts"] > 4, "one file was copied, and the next was begun"
    assert copied["extents"]["valid"]["size_bytes"] == copied["size_bytes"] == copied["parts"] * 65536
    assert list(copied["extents"]) == ["valid"]
    assert [line["fault"] for line in result.of("comparison")] == ["it", "it"]
    assert list((tmp_path / "storage" / "seatrial").iterdir()) == []
    assert len(list((tmp_path / "record" / "agent").iterdir())) == 2
    assert FaultResult.from_json(json.loads(json.dumps(asdict(it)))) == it


def test_shorter_outages_are_seen_during_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From 100 ms on, unless the study has another value."""
    monkeypatch.setattr(fault_streams, "make_directory", lambda *_: None)
    slower = {"workload": {**STREAM, "outage_threshold": "2s"}}
    whole = study(broken({"a": {"kind": "panic"}}, {"small": {"workload": STREAM}, "slower": slower}))
    session = Session(whole, lab_kind(whole).site(whole), Pair(tmp_path), Lab(), Here())
    streams = fault_streams.Streams(session, "agent", "00000000000000fa", lambda _: 1, frozenset())
    streams.lay_out("a", whole.background_load, 1.0)
    assert {item.name: item.workload.outage_threshold for item in streams.laid} == {"small": 0.1, "slower": 2.0}


class Small(Here):
    """Every storage has 100 MiB free."""

    def run(self, node: str, command: str, **options: Any) -> Completed:
        if command.startswith("df "):
            return Completed(node, 0, f"Avail\n{100 * 2**20}\n", "")
        return super().run(node, command, **options)


SOME = {"workload": {**STREAM, "file_size": "4MiB"}, "clients": "c1"}


@pytest.mark.parametrize(
    ("load", "longest_s", "needed"),
    [
        ({"small": {"workload": STREAM}, "few": SOME}, 1.0, 2 * 64 + 4),
        ({"few": SOME, "dd": {"copy": {"part": "1MiB", "pause": "1s"}}}, 97.0, 4 + 97),
    ],
)
def test_streams_without_room_make_nothing(tmp_path: Path, load: dict[str, Any], longest_s: float, needed: int) -> None:
    """All streams of a mount need room together; a copy's grows with the time of its fault."""
    whole = study(broken({"a": {"kind": "panic"}}, load))
    solution = Pair(tmp_path)
    session = Session(whole, lab_kind(whole).site(whole), solution, Lab(), Small())
    streams = fault_streams.Streams(session, "agent", "00000000000000fa", lambda _: 1, frozenset())
    words = rf"^a \({', '.join(load)}\) writes {needed} MiB to .*, which has 100 MiB free"
    with pytest.raises(RunError, match=words):
        streams.lay_out("a", whole.background_load, longest_s)
    assert not Path(solution.directory).exists()
    assert streams.laid == []


def test_an_unannounced_disk_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Should a fault come to another disk at the moment of its injection than was named before the run."""
    known = load_fault

    def unsaid(*given: Any) -> Any:
        loaded = known(*given)
        monkeypatch.setattr(
            loaded.kind,
            "actions",
            lambda *_: Actions((Shell("nas", f"touch {tmp_path}/lost", overwrites=("/dev/x",)),)),
        )
        return loaded

    monkeypatch.setattr(fault_run, "load_fault", unsaid)
    result, _ = run_one(tmp_path, {"kind": "freeze", "duration": "1s", "recovery_timeout": "9s"}, Lab(), monkeypatch)
    assert result.faults[0].failed == "it would overwrite nas:/dev/x now, which was not known before the run"
    assert not (tmp_path / "lost").exists()


def test_a_client_that_is_cut_off_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is marked; the others decide, and its unfinished log is no news."""
    result, _ = run_one(
        tmp_path,
        {"kind": "client-crash", "clients": "c2", "duration": "0.2s", "recovery_timeout": "9s"},
        Lab(),
        monkeypatch,
    )
    it = result.faults[0]
    assert [(item.client, item.stream) for item in it.judged] == [("c1", "small")]
    assert [item.lost for item in it.streams if item.lost_power] == ["its power was cut"]
    assert it.compared["names"]["unfinished"] == []
    assert it.moved is False
    assert it.recovered_unix_s is not None


def test_a_fault_that_cannot_be_injected_is_repaired_and_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reason is in the result, with the work of the streams meanwhile."""
    lab = Lab(fails={"nas frozen"})
    result, _ = run_one(tmp_path, {"kind": "freeze", "duration": "1s", "recovery_timeout": "9s"}, lab, monkeypatch)
    it = result.faults[0]
    assert it.failed == "power of nas: frozen: nas frozen"
    assert lab.reported == ["nas frozen", "nas thawed"]
    assert len(it.streams) == 2


def test_a_fault_that_is_not_possible_here_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No stream was started for it."""
    result, _ = run_one(tmp_path, {"kind": "local-disk"}, Lab(), monkeypatch)
    assert "no second disk here" in (result.faults[0].skipped or "")
    assert result.faults[0].streams == ()


def planned(name: str = "it") -> Study:
    """A study with one fault, for tests that need only one."""
    return study(broken({name: {"kind": "panic"}}))


def test_a_fault_knows_how_long_it_lasts() -> None:
    """From the study, or from its kind."""
    whole = planned()
    site = lab_kind(whole).site(whole)
    solution = load_solution(whole, site)
    fault = whole.faults["it"]
    assert load_fault(whole, site, solution, "it", fault).duration_s == fault_kind("panic").DURATION_S
    assert load_fault(whole, site, solution, "it", fault.replaced(duration=3.0)).duration_s == 3.0
    assert MINIMAL["id"] == whole.id
    assert (
        StreamResult.from_json(
            {
                "client": "c",
                "stream": "s",
                "phase": "write",
                "lost_power": False,
                "first_completion_unix_s": None,
                "operations": 0,
            }
        ).longest_s
        == 0.0
    )


@pytest.mark.parametrize(
    ("settings", "token_s", "lease_s"), [("fast", 4.4, 10.0), ("safe", 6.6, 20.0), ("paper", 22.0, 90.0)]
)
def test_streams_continue_until_a_lost_member_would_be_missed(settings: str, token_s: float, lease_s: float) -> None:
    """Corosync's token and consensus; after a takeover also until a lost lease has expired."""
    solution = cast(Solution, pair(settings=settings))
    assert aftermath_s(solution, taken_over=False) == pytest.approx(token_s)
    assert aftermath_s(solution, taken_over=True) == pytest.approx(token_s + lease_s)
    assert aftermath_s(prepare(study())[1], taken_over=True) == AFTERMATH_S
