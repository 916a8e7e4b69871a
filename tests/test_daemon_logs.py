"""The stored part of daemons' logs, with real files; and the active daemons before a fault."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.check import prepare
from seatrial.faults import daemon_logs
from seatrial.faults.daemon_logs import LIMIT_BYTES, LogEnd, read
from seatrial.solutions.base import DaemonLogs
from seatrial.study.study import parse_study
from seatrial.transport import Local
from tests.builders.places import STUDIES
from tests.builders.strategies import MINIMAL, study

NODE = "here"
STUDY = STUDIES / "gpfs-nsd/study.yaml"


def end_of(path: Path) -> LogEnd:
    """Where the log ends now."""
    answer = Local().run(NODE, daemon_logs._end_command(DaemonLogs(files=(str(path),)))).stdout
    return daemon_logs._end_of(answer)


def kept(path: Path, since: LogEnd) -> list[daemon_logs.LogText]:
    """The stored part of the log."""
    texts = read(Local(), NODE, DaemonLogs(files=(str(path),)), since)
    assert texts is not None
    return texts


def test_new_lines_of_a_log_are_kept_with_earlier_ones(tmp_path: Path) -> None:
    """Its name may have a blank; a log without a new line has its last ones."""
    path = tmp_path / "my mds.log"
    path.write_text("".join(f"old {number}\n" for number in range(9000)))
    before = end_of(path)
    with path.open("a") as file:
        file.write("takeover\n")
    (item,) = kept(path, before)
    assert item.source == str(path)
    assert item.text.endswith("old 8999\ntakeover\n")
    assert "old 0\n" not in item.text
    assert not item.is_cut


def test_a_rotated_log_is_kept_completely(tmp_path: Path) -> None:
    """Another inode, or a shorter file."""
    path = tmp_path / "mon.log"
    path.write_text("old\n" * 9000)
    before = end_of(path)
    path.rename(tmp_path / "mon.log.1")
    path.write_text("new\n")
    assert kept(path, before)[0].text == "new\n"


def test_the_end_of_a_long_log_is_kept_in_whole_lines(tmp_path: Path) -> None:
    """And it states that it was cut."""
    path = tmp_path / "osd.log"
    path.write_text("")
    before = end_of(path)
    path.write_text("".join(f"line {number:06}\n" for number in range(LIMIT_BYTES // 8)))
    (item,) = kept(path, before)
    assert item.is_cut
    assert len(item.text) <= LIMIT_BYTES
    assert item.text.startswith("line ")
    assert item.text.endswith(f"line {LIMIT_BYTES // 8 - 1:06}\n")


def test_a_log_that_does_not_exist_is_left_out(tmp_path: Path) -> None:
    """As of a daemon that never ran."""
    assert kept(tmp_path / "none.log", LogEnd()) == []


def with_active(active: Any) -> str:
    """The explanation of a fault of gpfs-nsd that asks for this."""
    text = STUDY.read_text()
    line = "    active: s3\n"
    assert text.count(line) == 1
    try:
        prepare(parse_study(text.replace(line, f"    active: {json.dumps(active)}\n"), STUDY))
    except InputError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("active", "reason"),
    [
        ("s3", ""),
        ({"metadata": "s4"}, ""),
        ("s1", "'s1' cannot run the service metadata; one of s3, s4"),
        ("s9", "'s9' cannot run the service metadata; one of s3, s4"),
        ({"nfs": "s3"}, "'nfs' is not a service of this storage; one of metadata"),
    ],
)
def test_the_active_server_is_one_that_can_be(active: Any, reason: str) -> None:
    """A wrong one is refused before anything runs."""
    assert reason in with_active(active)
    assert bool(reason) == bool(with_active(active))


def test_where_no_service_moves_none_is_active() -> None:
    """One NFS server has no other."""
    data = copy.deepcopy(MINIMAL)
    data["background_load"] = {
        "s": {"workload": {"transfer_size": "4KiB", "file_size": "1MiB", "phases": ["write"]}}
    }
    data["faults"] = {"f": {"kind": "panic", "node": "nas", "active": "nas"}}
    with pytest.raises(InputError, match="no service of nfs can be moved to a server"):
        prepare(study(data))
