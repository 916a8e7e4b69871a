"""`synced-names`: a file that was synced, in a directory that was synced, exists after any crash.

The promised semantics are as follows. fsync(2): to sync a file "does not necessarily ensure that
the entry in the directory containing the file has also reached disk. For that an explicit fsync()
on a file descriptor for the directory is also needed". With both, the name and its file have to
survive the crash of the server and of the client. The other way, a file that is made under another
name, synced, renamed, and its directory synced, has to leave the new name alone. NFS changes names
on stable storage before it answers (RFC 1813, section 4.8); CephFS's fsync of a directory waits for
the MDS's journal; GFS2's flushes its own. That a file is replaced as a whole is rename(2).
"""

from collections.abc import Sequence
from enum import StrEnum

from seatrial.analysis.histories import Circumstances, Event, Findings, History
from seatrial.analysis.looks import evidence, own_name_exists, unknown_names
from seatrial.analysis.reasons import Unknown as Open

NEEDED = ("published", "renamed")
FILES = ()


class Reason(StrEnum):
    """The violations."""

    LOST = "lost"
    """a name that was synced is missing"""
    WRONG_SIZE = "wrong-size"
    BOTH_NAMES = "both-names"
    NO_CAUSE = "no-cause"
    """EEXIST of a name that only this client makes"""
    STRANGER = "stranger"
    """a name that no client created"""


def judge(histories: Sequence[History], circumstances: Circumstances) -> Findings:
    """Every name that was synced, and the directory in the end."""
    findings = evidence(histories, circumstances)
    created: set[str] = set()
    for item in histories:
        for event in item.of("publish"):
            created |= {f"s{event['item']}", f"t{event['item']}"}
            _judge_name(item, event, circumstances, findings)
        if item.events and not item.of("publish"):
            findings.doubt(Open.FEW_ANSWERS, f"{item.client} made no file")
    unknown_names(findings, Reason.STRANGER, histories, circumstances, created)
    return findings


def _judge_name(
    item: History, event: Event, circumstances: Circumstances, findings: Findings
) -> None:
    """One file; only an acknowledged file must exist."""
    text = f"{item.client}: s{event['item']}"
    own_name_exists(findings, Reason.NO_CAUSE, text, item, event, circumstances=circumstances)
    if event["outcome"] != "ok":
        return
    findings.count("published")
    findings.count("renamed", int(event["renamed"]))
    if circumstances.final is None:
        return
    inode = circumstances.final.inodes.get(f"s{event['item']}")
    if inode is None:
        findings.violate(
            Reason.LOST, f"{text} was synced with its directory, and is not there in the end"
        )
    elif inode.size_bytes != event["size_bytes"]:
        sizes = f"{inode.size_bytes} bytes in the end; {event['size_bytes']} had been synced"
        findings.violate(Reason.WRONG_SIZE, f"{text} has {sizes}")
    if event["renamed"] and f"t{event['item']}" in circumstances.final.names:
        findings.violate(
            Reason.BOTH_NAMES,
            f"{text} was renamed and its directory synced; its old name exists too",
        )
