"""Advice from measurements, and the findings of an audit in the reports of nodes."""

import re
from pathlib import Path
from typing import Any

import pytest

from seatrial.advice.advice import Advice, Effect, advice_text, advise, newest_result
from seatrial.advice.audit import cost
from seatrial.advice.audit_base import PROBE, every_finding, facts_of
from seatrial.analysis.statistics import Difference
from seatrial.basics.errors import InputError
from seatrial.judge.published import published_data
from tests.builders.results import phase, result_of
from tests.builders.strategies import changed, study

SYNC = {"solution.export.mode": "sync"}
SMALL = {"solution.mount.options": ["hard", "wsize=8192"]}


def rows() -> dict[str, Any]:
    """A study with async as its first row."""
    data = changed(
        "experiments.one",
        {
            "workload": {"transfer_size": "64KiB", "file_size": "8MiB"},
            "variants": {
                "default": {},
                "sync": {"overrides": SYNC},
                "small": {"overrides": SMALL},
                "large": {"overrides": {"networks.data.mtu": 9216}},
                "busy": {"workload": {"server_load": 0.5}},
            },
        },
    )
    data["solution"]["export"]["mode"] = "async"
    return data


RATES = {"default": 10e6, "sync": 3e6, "small": 8e6, "large": 10.01e6, "busy": 9e6}


def measured(folder: Path, rates: dict[str, float], **changes: Any) -> list[Advice]:
    """The advice for rows with three repeats that agree."""
    phases = [
        phase(
            rate * (1 + step / 1000), point={"variant": row}, repeat=step + 1, phase=name, **changes
        )
        for row, rate in rates.items()
        for name in ("write", "read")
        for step in range(3)
    ]
    return advise(study(rows()), result_of(folder, rows(), *phases))


def test_each_row_is_compared_with_the_first(tmp_path: Path) -> None:
    """Safety has its price, slower values are omitted, and equal ones are named; a load is no
    setting.
    """
    found = {item.name: item for item in measured(tmp_path / "r", RATES)}
    assert {name: item.word for name, item in found.items()} == {
        "sync": "safer",
        "small": "leave",
        "large": "either",
    }
    assert found["sync"].changes == SYNC
    assert "only in its memory" in found["sync"].spared[0]
    assert found["small"].effects[0].change is not None
    assert found["small"].effects[0].change.relative == pytest.approx(-0.2)
    assert "slower: leave it" in advice_text(list(found.values()))


def test_a_faster_unsafe_setting_is_not_advised(tmp_path: Path) -> None:
    """The reverse order: from sync to async."""
    data = rows()
    del data["solution"]["export"]["mode"]
    data["experiments"]["one"]["variants"] = {
        "default": {},
        "async": {"overrides": {"solution.export.mode": "async"}},
    }
    phases = [
        phase(rate + step, point={"variant": row}, repeat=step + 1)
        for row, rate in (("default", 3e6), ("async", 9e6))
        for step in range(3)
    ]
    (item,) = advise(study(data), result_of(tmp_path / "r", data, *phases))
    assert item.word == "unsafe"
    assert item.warnings


def test_points_that_the_lab_limited_advise_nothing(tmp_path: Path) -> None:
    """A row without a measurement gives no advice."""
    assert measured(tmp_path / "a", RATES, lab_limited=True) == []
    assert [item.name for item in measured(tmp_path / "b", {"default": 1e6, "small": 2e6})] == [
        "small"
    ]


def test_only_like_is_held_against_like(tmp_path: Path) -> None:
    """Where a row lacks the points of many clients, the other's are left out; a gain of 10 % at
    each point is 10 %.
    """
    phases = [
        phase(
            rate * clients + step * 1e3, point={"variant": row, "clients": clients}, repeat=step + 1
        )
        for row, rate, counts in (("default", 1e6, (1, 2, 8)), ("small", 1.1e6, (1, 2)))
        for clients in counts
        for step in range(3)
    ]
    (item,) = advise(study(rows()), result_of(tmp_path / "r", rows(), *phases))
    (effect,) = item.effects
    assert effect.before == pytest.approx(1.5, abs=0.01)
    assert effect.change is not None
    assert effect.change.relative == pytest.approx(0.1, abs=0.01)
    assert effect.change.high - effect.change.low < 0.02


def test_one_repeat_decides_nothing(tmp_path: Path) -> None:
    """The report has it without an interval."""
    phases = [phase(rate, point={"variant": row}) for row, rate in RATES.items()]
    found = advise(study(rows()), result_of(tmp_path / "r", rows(), *phases))
    assert {item.name: item.word for item in found}["small"] == "undecided"
    assert "one repeat only" in advice_text(found)


def test_the_newest_result_of_the_study_is_used(tmp_path: Path) -> None:
    """Of others, and of those without a measurement, none."""
    with pytest.raises(InputError, match="no result of small"):
        newest_result(tmp_path, study())
    result_of(tmp_path / "old", rows(), phase())
    result_of(tmp_path / "new", rows(), phase())
    result_of(tmp_path / "empty", rows())
    assert newest_result(tmp_path, study()).name == "new"


# ---- audit

CLIENT = """\
mount nas:/srv/x /mnt/x nfs rw,vers=3,rsize=8192,wsize=8192,noac,soft,proto=udp
mount //nas/x /mnt/y cifs rw,vers=2.1,cache=loose,nobrl,soft
mount u@nas:/ /mnt/z fuse.sshfs rw
value mtu 1500
"""
SERVER = """\
export /srv/x client(rw,async,no_root_squash,insecure) *(rw)
mount /dev/md0 /srv/x ext4 rw,nobarrier
value nfsd_threads 2
mdstat md127 : active raid5 sdc1[2] sdb1[1] sda1[0]
mdstat       12 blocks level 5, 512k chunk, algorithm 2 [3/2] [UU_]
value mtu 9000
nonsense
"""


def found_in(**texts: str) -> list[str]:
    """The findings, gravest first."""
    return [
        f"{item.level} {item.what}"
        for item in every_finding([facts_of(*item) for item in texts.items()])
    ]


def test_an_audit_names_wrong_settings() -> None:
    """Every rule has something to say of these."""
    found = found_in(c1=CLIENT, nas=SERVER)
    for words in (
        "unsafe /mnt/x (nas:/srv/x) is mounted soft",
        "unsafe /mnt/x (nas:/srv/x) uses UDP",
        "slow /mnt/x (nas:/srv/x) caches no attributes",
        "slow /mnt/x (nas:/srv/x) has rsize=8192",
        "unsafe /mnt/y (//nas/x) sends no locks",
        "unsafe /mnt/y (//nas/x) has cache=loose",
        "fragile /mnt/z is mounted by sshfs",
        "unsafe /srv/x to client is exported async",
        "unsafe /srv/x to client has no_root_squash",
        "unsafe /srv/x is exported to everybody",
        "slow 2 nfsd threads",
        "unsafe array md127 [UU_] is not whole: 1 of 3 members of raid5 are missing",
        "unsafe /srv/x is mounted without barriers",
        "fragile the MTUs differ: c1 1500, nas 9000",
    ):
        assert words in found
    assert [item.split()[0] for item in found] == sorted(
        (item.split()[0] for item in found), key=["unsafe", "fragile", "slow"].index
    )


def test_nothing_is_found_in_a_correct_system() -> None:
    """The settings that this tool deploys by default."""
    client = (
        "mount nas:/srv/x /mnt/x nfs4 rw,vers=4.2,rsize=1048576,wsize=1048576,hard,proto=tcp\nvalue"
        " mtu 9000\n"
    )
    server = "export /srv/x client(rw,sync,root_squash)\nvalue nfsd_threads 64\nvalue mtu 9000\n"
    assert found_in(c1=client, nas=server) == []


def test_the_probe_writes_nothing() -> None:
    """No redirection into a file, no command that changes anything."""
    redirected = re.findall(r">\s*(\S+)", re.sub(r"^\s*#.*$", "", PROBE, flags=re.MULTILINE))
    assert set(redirected) == {"&1)", "/dev/null", "/dev/null;", "/dev/null)"} & set(redirected)


def test_a_cost_is_the_measured_one_else_the_published_one() -> None:
    """Our measurement first; the published table is read from its file."""
    published = published_data("network-storage-clusters")
    assert cost("noac", [], published).endswith("with noac write -31%, read -6%")
    assert cost("async", [], published).endswith("sync against it write -86%, read -1%")
    effect = Effect("write", "MB/s", 10.0, 5.0, Difference(-0.5, -0.6, -0.4))
    ours = Advice(
        "t", "noac", {"solution.mount.options": ["hard", "noac"]}, "leave", (effect,), (), ()
    )
    assert (
        cost("noac", [ours], published)
        == "measured (t, noac compared with the first variant): write -50%"
    )
    assert cost("nothing", [ours], published) == ""
