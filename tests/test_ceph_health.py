"""The audit's findings in a Ceph cluster without a lab: the answers of its monitors, and the
requests to them.
"""

import copy
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from seatrial.advice.audit_base import PROBE, Finding, every_finding, facts_of
from seatrial.advice.audits import ceph_health

OLD = "ceph version 16.2.15 (618f440892089921c3e944a991122ddc44e60516) pacific (stable)"
NEW = "ceph version 17.2.7 (b12291d110049b2f35e32e0de30d70e9a4c060d2) quincy (stable)"
WELL: dict[str, Any] = {
    "ceph": {"status": "HEALTH_OK", "checks": {}, "mutes": []},
    "ceph_status": {
        "pgmap": {
            "pgs_by_state": [
                {"state_name": "active+clean", "count": 38},
                {"state_name": "active+clean+scrubbing+deep", "count": 2},
            ],
            "num_pgs": 40,
        }
    },
    "ceph_versions": {
        "mon": {OLD: 3},
        "mgr": {OLD: 1},
        "osd": {OLD: 3},
        "mds": {OLD: 2},
        "overall": {OLD: 9},
    },
    "ceph_osd_dump": {
        "flags": "sortbitwise,recovery_deletes,purged_snapdirs,pglog_hardlimit",
        "full_ratio": 0.94999998807907104,
        "backfillfull_ratio": 0.89999997615814209,
        "nearfull_ratio": 0.85000002384185791,
    },
}
"""the answers of a monitor of a healthy cluster"""


def check(severity: str, message: str, *details: str, **more: Any) -> dict[str, Any]:
    """One of `ceph health detail`."""
    return {
        "severity": severity,
        "summary": {"message": message},
        "detail": [{"message": it} for it in details],
        **more,
    }


def reported(**changes: Any) -> str:
    """The probe's lines on a monitor's node; a change is put into the answer, or takes its place
    where it is text.
    """
    answers = copy.deepcopy(WELL)
    for key, change in changes.items():
        if isinstance(change, dict) and isinstance(answers.get(key), dict):
            answers[key] |= change
        else:
            answers[key] = change
    lines = (
        f"value {key} {it if isinstance(it, str) else json.dumps(it)}"
        for key, it in answers.items()
    )
    return "".join(f"{line}\n" for line in lines)


def found_in(**changes: Any) -> list[Finding]:
    """The findings in a cluster that is healthy except for these changes."""
    return every_finding([facts_of("s1", reported(**changes))])


def states(*found: tuple[str, int]) -> dict[str, Any]:
    """The part of `ceph status` about placement groups."""
    return {
        "pgmap": {"pgs_by_state": [{"state_name": name, "count": count} for name, count in found]}
    }


def versions(**kinds: dict[str, int]) -> dict[str, Any]:
    """The answer to `ceph versions` for these kinds of daemons."""
    return {**kinds, "overall": {text: 1 for found in kinds.values() for text in found}}


def test_of_a_whole_cluster_nothing_is_found() -> None:
    """Ratios are floats of 32 bits there, and a scrub is no trouble."""
    assert found_in() == []


HEALTH = [
    ("PG_AVAILABILITY", "HEALTH_WARN", "fragile"),
    ("PG_BACKFILL_FULL", "HEALTH_WARN", "unsafe"),
    ("PG_DAMAGED", "HEALTH_ERR", "unsafe"),
    ("PG_DEGRADED", "HEALTH_WARN", "unsafe"),
    ("PG_RECOVERY_FULL", "HEALTH_WARN", "unsafe"),
    ("OBJECT_UNFOUND", "HEALTH_WARN", "unsafe"),
    ("OSD_FULL", "HEALTH_ERR", "unsafe"),
    ("OSD_NEARFULL", "HEALTH_WARN", "fragile"),
    ("MON_DOWN", "HEALTH_WARN", "fragile"),
]


@pytest.mark.parametrize(("name", "severity", "level"), HEALTH, ids=[name for name, *_ in HEALTH])
def test_findings_of_health_have_their_severity(name: str, severity: str, level: str) -> None:
    """With the first details; a loss of data is unsafe although Ceph only warns."""
    checks = {name: check(severity, "it is so", "pg 2.1 is it", "b", "c", "d")}
    (found,) = found_in(ceph={"checks": checks})
    assert (found.node, found.level, found.what, found.why) == (
        "s1",
        level,
        f"{name}: it is so",
        "pg 2.1 is it; b; c",
    )


def test_clock_differences_are_reported_with_their_size() -> None:
    """Also after a mute, which is reported."""
    skew = "mon.s2 clock skew 0.6s > max 0.05s (latency 0.001s)"
    checks = {
        "MON_CLOCK_SKEW": check("HEALTH_WARN", "clock skew detected on mon.s2", skew, muted=True)
    }
    (found,) = found_in(ceph={"checks": checks})
    assert found.what == "MON_CLOCK_SKEW: clock skew detected on mon.s2 (muted)"
    assert (found.level, found.why) == ("fragile", skew)
    assert "chrony" in found.better


@pytest.mark.parametrize("flag", ceph_health._FLAGS)
def test_each_flag_of_the_osd_map_is_named(flag: str) -> None:
    """With its purpose, once: health repeats it in fewer words."""
    flags = f"{flag},{WELL['ceph_osd_dump']['flags']}"
    checks = {"OSDMAP_FLAGS": check("HEALTH_WARN", f"{flag} flag(s) set")}
    (found,) = found_in(ceph={"checks": checks}, ceph_osd_dump={"flags": flags})
    assert found.what == f"the OSD map has the flag {flag}"
    assert found.better.startswith(
        "ceph osd unset pause," if flag in ("pauserd", "pausewr") else f"ceph osd unset {flag},"
    )


def test_flags_of_health_remain_without_the_map() -> None:
    """And the missing map is a finding."""
    found = found_in(
        ceph={"checks": {"OSDMAP_FLAGS": check("HEALTH_WARN", "noout flag(s) set")}},
        ceph_osd_dump="",
    )
    assert [item.what for item in found] == [
        "`ceph osd dump` is not answered",
        "OSDMAP_FLAGS: noout flag(s) set",
    ]


RATIOS = [
    (
        {"nearfull": 0.92},
        "unsafe",
        "full ratios are out of order: nearfull 0.92 is above backfillfull 0.9",
    ),
    ({"full": 0.88}, "unsafe", "full ratios are out of order: backfillfull 0.9 is above full 0.88"),
    (
        {"full": 0.98},
        "unsafe",
        "full ratios are out of order: full 0.98 is above failsafe full 0.97",
    ),
    ({"full": 0.97}, "unsafe", "the full ratio is 0.97, Ceph's own is 0.95"),
    ({"backfillfull": 0.91}, "fragile", "the backfillfull ratio is 0.91, Ceph's own is 0.9"),
    ({"nearfull": 0.87}, "fragile", "the nearfull ratio is 0.87, Ceph's own is 0.85"),
]


@pytest.mark.parametrize(("ratios", "level", "what"), RATIOS)
def test_ratios_out_of_order_or_less_safe_are_reported(
    ratios: dict[str, float], level: str, what: str
) -> None:
    """Health reports the first kind as well; the finding appears once."""
    checks = (
        {"OSD_OUT_OF_ORDER_FULL": check("HEALTH_ERR", "full ratio(s) out of order")}
        if "order" in what
        else {}
    )
    changed = {f"{name}_ratio": value for name, value in ratios.items()}
    found = found_in(ceph={"checks": checks}, ceph_osd_dump=changed)
    assert (level, what) in [(item.level, item.what) for item in found]
    assert not [item.what for item in found if item.what.startswith("OSD_OUT_OF_ORDER_FULL")]
    assert [item.what for item in found if "order" in item.what] == ([what] if checks else [])


def test_lower_ratios_are_safer_and_no_finding() -> None:
    """As a site sets them that wants to be warned sooner."""
    assert (
        found_in(
            ceph_osd_dump={"nearfull_ratio": 0.7, "backfillfull_ratio": 0.8, "full_ratio": 0.9}
        )
        == []
    )


def test_daemons_of_two_versions_are_counted_by_kind() -> None:
    """With the number of each, also for one kind alone."""
    (found,) = found_in(ceph_versions=versions(mon={OLD: 3}, osd={OLD: 2, NEW: 1}))
    assert (
        found.what
        == "daemons of 2 versions: 16.2.15 has 3 mon, 1 mgr, 2 osd, 2 mds; 17.2.7 has 1 osd"
    )
    assert found.level == "fragile"
    assert found_in(ceph_versions=versions(mds={OLD: 2, "unknown": 1})) == []


def test_daemons_of_two_versions_are_named_where_known() -> None:
    """By their metadata; the list has a limit."""
    osds = [{"id": number, "ceph_version": NEW if number == 11 else OLD} for number in range(12)]
    monitors = [{"name": name, "ceph_version": OLD} for name in ("s1", "s2")]
    two = {"mon": {OLD: 2}, "osd": {OLD: 11, NEW: 1}, "mgr": {}, "mds": {}}
    (found,) = found_in(ceph_versions=versions(**two), ceph_osd=osds, ceph_mon=monitors)
    first = "mon.s1, mon.s2, osd.0, osd.1, osd.2, osd.3, osd.4, osd.5 and 5 more"
    assert found.what == f"daemons of 2 versions: 16.2.15 has {first}; 17.2.7 has osd.11"


def test_builds_of_one_version_are_two_versions() -> None:
    """The difference between the builds distinguishes them."""
    other = OLD.replace("618f", "0000")
    (found,) = found_in(ceph_versions=versions(osd={OLD: 2, other: 1}))
    assert "16.2.15 (0000" in found.what
    assert "16.2.15 (618f" in found.what


GROUPS = [
    (
        [("active+undersized+degraded", 8), ("active+clean", 32)],
        "unsafe",
        "8 of 40",
        "8 active+undersized+degraded",
    ),
    (
        [("active+clean+inconsistent", 1), ("active+clean", 39)],
        "unsafe",
        "1 of 40",
        "1 active+clean+inconsistent",
    ),
    ([("down", 1), ("peering", 3)], "unsafe", "4 of 4", "3 peering, 1 down"),
    (
        [("active+remapped+backfill_toofull", 2)],
        "unsafe",
        "2 of 2",
        "2 active+remapped+backfill_toofull",
    ),
    ([("stale+active+clean", 2)], "unsafe", "2 of 2", "2 stale+active+clean"),
    ([("peering", 3), ("active+clean", 1)], "fragile", "3 of 4", "3 peering"),
    ([("active+remapped+backfilling", 2)], "fragile", "2 of 2", "2 active+remapped+backfilling"),
    ([("unknown", 40)], "fragile", "40 of 40", "40 unknown"),
]


@pytest.mark.parametrize(
    ("groups", "level", "many", "which"), GROUPS, ids=[case[3] for case in GROUPS]
)
def test_placement_groups_that_are_not_clean_are_counted_by_state(
    groups: list[tuple[str, int]], level: str, many: str, which: str
) -> None:
    """Also states that health does not report yet: peering for less than a minute, or moving
    to another OSD.
    """
    (found,) = found_in(ceph_status=states(*groups))
    assert (found.level, found.what) == (
        level,
        f"{many} placement groups are not active+clean: {which}",
    )


def test_the_first_monitor_that_answers_decides() -> None:
    """Once; a monitor without an answer is reported as well."""
    checks = {
        "OSD_NEARFULL": check("HEALTH_WARN", "1 nearfull osd(s)"),
        "PG_DEGRADED": check("HEALTH_WARN", "Degraded data redundancy"),
    }
    one = reported(ceph={"checks": checks})
    nodes = [
        facts_of("s1", "value ceph "),
        facts_of("s2", one),
        facts_of("s3", one),
        facts_of("c1", ""),
    ]
    assert [(item.node, item.level, item.what) for item in every_finding(nodes)] == [
        ("s2", "unsafe", "PG_DEGRADED: Degraded data redundancy"),
        ("s1", "fragile", "the Ceph cluster does not answer"),
        ("s2", "fragile", "OSD_NEARFULL: 1 nearfull osd(s)"),
    ]


def test_health_that_cannot_be_read_is_no_answer() -> None:
    """A cluster with unknown health has not passed."""
    one = reported(ceph={"checks": {}})
    for garbled in ("value ceph garbled", 'value ceph {"status": "HEALTH_OK"}'):
        nodes = [facts_of("s1", garbled), facts_of("s2", one)]
        assert [(item.node, item.what) for item in every_finding(nodes)] == [
            ("s1", "the Ceph cluster does not answer")
        ]


@pytest.mark.parametrize("key", ceph_health._COMMANDS)
def test_an_unanswered_request_is_reported(key: str) -> None:
    """Missing or unreadable information is no pass."""
    for answer in ("", "garbled"):
        assert [item.what for item in found_in(**{key: answer})] == [
            f"`{ceph_health._COMMANDS[key]}` is not answered"
        ]


# ---- the probe


def probed(tmp_path: Path, **answers: str) -> tuple[list[str], dict[str, str]]:
    """The requests of a monitor's node to `ceph`, with these answers, and its output."""
    (tmp_path / "mon" / "ceph-s1").mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    for name, answer in answers.items():
        (tmp_path / name).write_text(answer)
    program = tmp_path / "bin" / "ceph"
    program.write_text(
        f'#!/bin/sh\necho "$*" >>{tmp_path}/asked\nname=$1\n[ "$1" != osd ] || name=osd_$2\ncat'
        f" {tmp_path}/$name\n"
    )
    program.chmod(0o755)
    script = f"PATH={tmp_path}/bin:$PATH\n" + PROBE.replace("/var/lib/ceph/mon", f"{tmp_path}/mon")
    done = subprocess.run(
        ["sh", "-s", "x"], input=script, capture_output=True, text=True, timeout=20, check=False
    )
    values = facts_of("s1", done.stdout).values
    return (tmp_path / "asked").read_text().splitlines(), {
        key: it for key, it in values.items() if key[:4] == "ceph"
    }


def test_a_monitors_node_is_asked_for_health_status_versions_and_the_osd_map(
    tmp_path: Path,
) -> None:
    """The output is unchanged, also with several lines and with characters that a shell would
    expand.
    """
    texts = {
        key: json.dumps(WELL[f"ceph_{key}"], indent=1) for key in ("status", "versions", "osd_dump")
    }
    health = json.dumps({"checks": {"A": check("HEALTH_WARN", "line\nline\\n")}})
    asked, values = probed(tmp_path, health=health, **texts)
    ways = ("health detail", "versions", "status", "osd dump")
    assert sorted(asked) == sorted(f"{words} --format json" for words in ways)
    assert json.loads(values["ceph"]) == json.loads(health)
    assert {key: json.loads(values[key]) for key in ceph_health._COMMANDS} == {
        key: WELL[key] for key in ceph_health._COMMANDS
    }
    assert every_finding(
        [facts_of("s1", "".join(f"value {key} {it}\n" for key, it in values.items()))]
    )


def test_daemons_are_asked_for_their_names_where_versions_differ(tmp_path: Path) -> None:
    """In a large cluster this is a long text."""
    mixed = json.dumps({"osd": {OLD: 2, NEW: 1}, "overall": {OLD: 2, NEW: 1}})
    asked, values = probed(tmp_path, health="{}", versions=mixed, osd_metadata='[{"id": 2}]')
    assert {f"{kind} metadata --format json" for kind in ("mon", "mgr", "mds", "osd")} < set(asked)
    assert json.loads(values["ceph_osd"]) == [{"id": 2}]


def test_a_monitor_that_does_not_answer_is_asked_once(tmp_path: Path) -> None:
    """Each question waits for half a minute."""
    asked, values = probed(tmp_path)
    assert asked == ["health detail --format json"]
    assert values == {"ceph": ""}
