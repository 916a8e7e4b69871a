"""Fencing: the secret of the cluster, and the log of writers of the array."""

import hashlib
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.errors import InputError
from seatrial.faults.writers import fields
from seatrial.load.clock_offsets import ClockOffset
from seatrial.plan.site import Site, SiteNode, SiteOutlet
from seatrial.solutions.base import WriteLog, WritesLogged, Written
from seatrial.solutions.parts import fencing as secrets
from seatrial.solutions.parts import write_log
from tests.builders.pairs import pair

# ---- what pacemaker keeps in files


def reported(site: Path, kept: Path) -> tuple[bool, str]:
    """Whether the step of these two counts as done, and the output of its execution."""
    words = f"{site} {kept}"
    tell = f"(set -e; lay_secret {words}; mv {kept}.new {kept})"
    script = f"{secrets.FUNCTIONS}\nif secret_is_set {words}; then echo is told; else {tell}; fi"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=False)
    return done.stdout == "is told\n", done.stdout


def test_pacemaker_gets_a_secret_once_and_again_when_it_changes(tmp_path: Path) -> None:
    """As cibsecret(8) stores it: without a newline, with its MD5 next to it, and for root alone."""
    site = tmp_path / "pdu"
    kept = tmp_path / "secrets" / "fence-pdu-a" / "community"
    assert reported(site, kept) == (False, f"{site} is missing or empty\n")
    site.touch()
    assert reported(site, kept) == (False, f"{site} is missing or empty\n")
    assert not kept.parent.exists()
    for secret in ("rack-7", "a $HOME 'quoted' \\ %s \"one\""):
        site.write_text(f"{secret}\n")
        assert reported(site, kept) == (False, "")
        assert reported(site, kept)[0]
        assert kept.read_text() == secret
        assert Path(f"{kept}.sign").read_text() == f"{hashlib.md5(secret.encode()).hexdigest()}\n"
        assert [path.stat().st_mode & 0o77 for path in (kept, kept.parent)] == [0, 0]
    for path, text in ((kept, "other"), (Path(f"{kept}.sign"), "0\n")):
        path.write_text(text)
        assert reported(site, kept) == (False, "")
        assert reported(site, kept)[0]


# ---- the log of tgt

HEAD = (
    "tgt lun sid rd_subm(bytes,cmds) rd_done(bytes,cmds) wr_subm(bytes,cmds) wr_done(bytes,cmds)"
    " errs"
)


def look(before_s: float, *rows: tuple[int, int, int, int, int], lun: int = 1) -> list[str]:
    """The follower's report of one poll: (session, bytes written, requests, errors, reads)."""
    reported = [
        f"  1   {lun}   {sid} {reads} 9 {reads} 9 {size} {many} {size} {many} {bad}"
        for sid, size, many, bad, reads in rows
    ]
    return [f"before {before_s:.2f}", HEAD, *reported, f"after {before_s + 0.01:.2f}"]


OWNERS = [
    "Session: 4", "    Connection: 0", "        Initiator: iqn.x:a", "        IP Address: 10.0.0.1",
    "Session: 5", "    Connection: 0", "        Initiator: iqn.x:b",
]  # fmt: skip
SERVERS = {"iqn.x:a": "a", "iqn.x:b": "b"}


def read(*parts: list[str]) -> WriteLog:
    """With two servers and one volume."""
    return write_log.read([line for part in parts for line in part], SERVERS, {"1": "data"})


def test_writes_of_each_server_between_two_polls() -> None:
    """Less than a block is no data; counters of the first poll are the start."""
    log = read(
        look(10.0, (4, 4096, 1, 5, 0), (5, 24, 1, 5, 0)),
        OWNERS,
        look(10.5, (4, 8192, 2, 5, 7), (5, 48, 2, 5, 9)),
        look(11.0, (4, 8192, 2, 6, 8), (5, 4144, 3, 5, 9)),
    )
    assert log.written == (
        Written(10.0, 10.52, "a", "data", 4096),
        Written(10.5, 11.02, "b", "data", 4096),
    )
    assert len(log.readings_s) == 3


def test_refused_writes_are_no_writes() -> None:
    """The target counts them as written, and as errors."""
    log = read(look(1.0, (4, 0, 0, 5, 0)), OWNERS, look(2.0, (4, 8192, 2, 8, 0)))
    (written,) = log.written
    assert (written.server, written.size_bytes, written.refused) == ("a", 0, 2)


def test_new_sessions_restarts_foreign_sessions_and_other_luns() -> None:
    """A new session began at zero, and so did every session of a restarted array."""
    log = read(
        look(1.0, (4, 9000, 9, 0, 0)), OWNERS, look(2.0, (4, 4096, 1, 0, 0), (9, 1024, 1, 0, 0))
    )
    assert [(item.server, item.size_bytes) for item in log.written] == [
        ("a", 4096),
        ("session 9", 1024),
    ]
    assert (
        read(look(1.0, (4, 0, 0, 0, 0), lun=2), look(2.0, (4, 9999, 9, 0, 0), lun=2)).written == ()
    )
    assert read(look(1.0, (4, 0, 0, 0, 0)), look(2.0, (4, 9999, 9, 0, 0))[:-1]).written == ()


@given(st.lists(st.text(max_size=60)))
def test_any_lines_can_be_read(lines: list[str]) -> None:
    """No line of the array ends a run."""
    assert write_log.read(lines, SERVERS, {"1": "data"}).written == ()


def test_intervals_on_the_common_clock() -> None:
    """Consecutive polls make one interval; its error is the time between two polls."""
    written = (
        Written(10.0, 10.5, "a", "data", 512),
        Written(10.4, 11.0, "a", "data", 512),
        Written(12.0, 12.5, "a", "data", 0, 3),
        Written(14.0, 14.5, "a", "data", 512),
    )
    reported = fields(
        WriteLog(((10.0, 10.1), (10.4, 10.5), (13.9, 14.0)), written), ClockOffset(2.0, 0.01)
    )
    assert reported["writers"] == {
        "a": [
            {"volume": "data", "start_unix_s": 8.0, "end_unix_s": 9.0, "bytes": 1024},
            {"volume": "data", "start_unix_s": 12.0, "end_unix_s": 12.5, "bytes": 512},
        ]
    }
    assert reported["refused"]["a"][0]["requests"] == 3
    assert reported["writers_watched"] == (8.0, 12.0)
    assert reported["writers_error_s"] == pytest.approx(3.61)
    assert fields(WriteLog((), ()), ClockOffset(0, 0)) == {}


def test_the_pair_offers_its_log() -> None:
    """By the initiators that the plan gives the servers."""
    it = pair()
    assert isinstance(it, WritesLogged)
    assert (it.writes_node, it.storage_fenced) == ("array", False)
    assert pair(fencing=[["bmc", "reservation"], ["pdu"]]).storage_fenced
    levels = pair(fencing=[["bmc", "reservation"], ["pdu"]]).configuration().levels["srv1"]
    assert levels == (
        ("fence-reservation", "fence-srv1"),
        ("fence-reservation", "fence-pdu-a", "fence-pdu-b"),
    )
    assert "nss-ha" in it.writes_command()
    owner = ["Session: 4", f"  Initiator: {it.array.initiator('srv2')}"]
    lines = [*look(1.0, (4, 0, 0, 0, 0)), *owner, *look(2.0, (4, 4096, 1, 0, 0))]
    (written,) = it.writes(lines).written
    assert (written.server, written.volume, written.size_bytes) == ("srv2", "data", 4096)


def test_a_reservation_alone_is_refused() -> None:
    """Its server would keep running with the address of the service."""
    with pytest.raises(InputError, match="with a power method"):
        pair(fencing=[["bmc"], ["reservation"]])


def test_a_removal_leaves_no_folder_of_the_secrets(tmp_path: Path) -> None:
    """Not the one above them either, which pacemaker's package does not bring; one that holds
    something else stays.
    """
    site = Site("hosts", 1.0, {"a": supplied()}, "data", {})
    (step,) = secrets.secret_removal(site, ["a"])
    script = step.apply.replace(secrets.SECRETS, f"{tmp_path}/lrm/secrets").replace(
        "/var/lib/pacemaker", str(tmp_path)
    )
    for others in ([], ["lrm/secrets/theirs"]):
        for name in ("lrm/secrets/fence-pdu-a", *others):
            (tmp_path / name).mkdir(parents=True)
        subprocess.run(["sh", "-e", "-c", script], check=True)
        left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*"))
        assert left == (["lrm", "lrm/secrets", *others] if others else [])


def supplied() -> SiteNode:
    """A server on a PDU with its community in a file."""
    outlet = SiteOutlet("pdu-a", "10.0.0.8", 1, community_file="/etc/pdu")
    return SiteNode("a", "a", (), False, None, None, 2**30, outlets=(outlet,))
