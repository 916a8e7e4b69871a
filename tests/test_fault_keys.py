"""Faults: their keys in a study."""

from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.check import check_overwritten, prepare
from seatrial.faults.base import NotHere, Roles, Scene, Shell, fault_kind, fault_kinds, load_fault
from seatrial.labs.base import lab_kind
from seatrial.matrix.resolve import resolve
from seatrial.predict.outages import outages
from seatrial.result.faults import StreamResult
from seatrial.solutions.base import load_solution
from seatrial.study.study import load_study
from tests.builders.fault_studies import STREAM, broken, planned, scene
from tests.builders.strategies import MINIMAL, study

WRONG: list[tuple[dict[str, Any], str]] = [
    (
        broken({"a": {"kind": "earthquake"}}),
        "faults.a.kind: 'earthquake' is not known; one of array-controller",
    ),
    (
        broken({"a": {"kind": "panic", "nod": "nas"}}),
        "faults.a.nod: unknown key 'nod'; did you mean 'node'?",
    ),
    (broken({"a": {"kind": "panic", "node": "nass"}}), "faults.a: no node is called 'nass'"),
    (
        broken({"a": {"kind": "heartbeat"}}),
        "faults.a: 'private' is not a network of this study; one of data",
    ),
    (broken({"a": {"kind": "panic"}}, {}), "faults: nothing runs during the faults"),
    (
        broken({"a": {"kind": "panic"}}, {"dd": {"copy": {"size": "1MiB"}}}),
        "faults: nothing but copies",
    ),
    (broken({"a": {"kind": "panic", "duration": "5"}}), "faults.a.duration: '5' has no unit"),
    (broken({"a": {"kind": "net-emulation", "effect": "loss"}}), "faults.a: loss needs percent"),
    (broken({"a": {"kind": "client-crash", "clients": "c[1-4]"}}), "no client would remain"),
    (
        broken({"a": {"kind": "pair", "first": {"kind": "freeze"}, "second": {"kind": "luck"}}}),
        "'luck' is not known",
    ),
    (broken({"a": {"kind": "panic", "quick": {"duration": "x"}}}), "faults.a.duration: 'x'"),
    (
        broken({}, {"s": {"workload": {**STREAM, "phases": ["write", "read"]}}}),
        "a stream has one phase",
    ),
    (broken({}, {"s": {"workload": {**STREAM, "phases": ["read"]}}}), "read needs existing files"),
    (
        broken({}, {"s": {"workload": STREAM, "clients": "x1"}}),
        "background_load.s.clients: no node is called 'x1'",
    ),
    (
        broken({"a": {"kind": "panic"}}, {"s": {"workload": {**STREAM, "file_size": "4MiB"}}}),
        "background_load.s.workload: has work for 51 s, but the fault a can take 320 s",
    ),
    (
        broken({"a": {"kind": "panic"}}, {"s": {"workload": STREAM, "mount": 3}}),
        "no mount is called that; one of ''",
    ),
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


@pytest.mark.parametrize(
    ("data", "message"), WRONG, ids=lambda item: item[:30] if isinstance(item, str) else ""
)
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
    assert (quick["other"].clients, found.background_load_in("full")["other"].clients) == (
        "c2",
        "c1",
    )
    with pytest.raises(InputError, match="nothing runs during the faults of the quick profile"):
        study(broken({"a": {"kind": "panic"}}, {"small": {**small, "profiles": ["trial", "full"]}}))


def test_profiles_leave_faults_out_or_change_them() -> None:
    """As they do experiments; a kind's own options too."""
    whole = study(
        broken(
            {
                "a": {
                    "kind": "panic",
                    "duration": "20s",
                    "quick": {"duration": "2s", "node": "c1"},
                },
                "b": {"kind": "freeze", "profiles": ["trial", "full"]},
            }
        )
    )
    assert list(whole.faults_in("trial")) == ["a", "b"]
    quick = whole.faults_in("quick")
    assert [(name, item.duration, item.options()) for name, item in quick.items()] == [
        ("a", 2.0, {"node": "c1"})
    ]


def test_a_fault_has_the_timers_of_its_settings() -> None:
    """Its limit includes them, and other faults keep the study's."""
    fault = {"kind": "panic", "expect": {"outage": {"timers": {"retransmission": 1}}}}
    shorter = {**fault, "overrides": {"solution.mount.options": ["timeo=100", "retrans=2"]}}
    found = {
        item.fault: item.total_s
        for item in outages(
            resolve(study(broken({"own": fault, "set": shorter})), "full").planned_faults
        )
    }
    assert found == {"own": 60.0, "set": 10.0}


def test_no_study_names_the_devices_that_a_fault_overwrites() -> None:
    """A disk belongs to the solution, by its number: a foreign study could otherwise erase it."""
    assert [kind for kind in fault_kinds() if hasattr(fault_kind(kind), "Device")] == []


def test_a_missing_osd_is_refused() -> None:
    """Only the study's own disk is overwritten, and the message states it."""
    found = load_study(Path("gpfs-nsd"))
    site, solution = prepare(found)
    module = fault_kind("osd-disk-failure")
    here = Scene(found, site, solution, Roles.before(solution))
    actions = module.actions(module.Options.model_validate({"osd": 3}), here)
    assert actions.overwritten() == {("s4", "/dev/ubdb")}
    for action in (*actions.inject, *actions.repair):
        assert isinstance(action, Shell)
        assert action.command.startswith(
            "[ /var/lib/ceph/osd/ceph-3/block -ef /dev/ubdb ] || { echo "
        )
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
    monkeypatch.setattr(
        fault_kind("osd-disk-failure"), "actions", lambda _options, _scene: int("many")
    )
    with pytest.raises(ValueError, match="invalid literal for int"):
        load_fault(found, site, solution, "osd-disk", fault)


def test_a_defect_while_values_are_tried_is_no_mistake_of_the_study(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With any sweep of the study."""
    monkeypatch.setattr("seatrial.matrix.checks.points", lambda *_args, **_more: int("many"))
    with pytest.raises(ValueError, match="invalid literal for int"):
        prepare(study(MINIMAL))


def test_a_fault_overwrites_only_named_devices() -> None:
    """On hosts; a lab's disks are made for the run."""
    nodes = {
        "nas": {"disks": {"count": 6, "devices": [f"/dev/sd{letter}" for letter in "bcdefg"]}},
        "c[1-4]": {},
    }
    found = study(
        broken({"gone": {"kind": "disk-failure"}}, environment={"kind": "hosts"}, nodes=nodes)
    )
    hosts = resolve(found, "full")
    with pytest.raises(InputError, match="^gone overwrites nas:/dev/sdb$"):
        check_overwritten(hosts.site, hosts.planned_faults, {})
    check_overwritten(hosts.site, hosts.planned_faults, {"nas": frozenset({"/dev/sdb"})})
    lab = resolve(study(broken({"gone": {"kind": "disk-failure"}})), "full")
    check_overwritten(lab.site, lab.planned_faults, {})


def test_a_fault_knows_how_long_it_lasts() -> None:
    """From the study, or from its kind."""
    whole = planned()
    site = lab_kind(whole).site(whole)
    solution = load_solution(whole, site)
    fault = whole.faults["it"]
    assert (
        load_fault(whole, site, solution, "it", fault).duration_s == fault_kind("panic").DURATION_S
    )
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
