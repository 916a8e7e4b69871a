"""`tmpfile`: a file without a name gets one by a link, as a whole, or leaves nothing.

The promised semantics are as follows. open(2) with O_TMPFILE (Linux) makes a file that has no name.
linkat(2) gives it one, in one step, and never replaces another file. A file that is closed without
a name is gone. With a sync of the file before, and of its directory after, it exists after any
crash (fsync(2)).

Not every file system has such files: Linux's NFS, CephFS and GFS2 have none (no `tmpfile` among
their operations of directories), and answer EOPNOTSUPP; then nothing is tested, and the answer is
`unsupported`. Local file systems and those by FUSE have them, which a study of kind `mount` may
test.
"""

from collections.abc import Sequence
from enum import StrEnum

from seatrial.analysis.histories import Circumstances, Event, Findings, History
from seatrial.analysis.looks import evidence, own_name_exists, unknown_names
from seatrial.analysis.reasons import Unknown as Open

NEEDED = ("published", "dropped")
FILES = ()


class Reason(StrEnum):
    """The violations."""

    LOST = "lost"
    WRONG_SIZE = "wrong-size"
    WRONG_COUNT = "wrong-count"
    NO_CAUSE = "no-cause"
    """EEXIST of a name that only this client makes"""
    STRANGER = "stranger"
    """a file that was never linked has a name"""


def judge(histories: Sequence[History], circumstances: Circumstances) -> Findings:
    """Every file that was linked, and the directory in the end."""
    findings = evidence(histories, circumstances)
    created: set[str] = set()
    for item in histories:
        for event in item.of("publish"):
            created.add(f"u{event['item']}")
            _judge_file(item, event, circumstances, findings)
        findings.count("dropped", sum(event["outcome"] == "ok" for event in item.of("drop")))
        if any(event["outcome"] == "unsupported" for event in item.of("publish", "drop")):
            findings.doubt(
                Open.UNSUPPORTED, f"{item.client}: the file system has no files without a name"
            )
    unknown_names(findings, Reason.STRANGER, histories, circumstances, created)
    return findings


def _judge_file(
    item: History, event: Event, circumstances: Circumstances, findings: Findings
) -> None:
    text = f"{item.client}: u{event['item']}"
    own_name_exists(findings, Reason.NO_CAUSE, text, item, event, circumstances=circumstances)
    if event["outcome"] != "ok":
        return
    findings.count("published")
    if circumstances.final is None:
        return
    inode = circumstances.final.inodes.get(f"u{event['item']}")
    if inode is None:
        findings.violate(Reason.LOST, f"{text} was linked and synced, and is not there in the end")
    elif inode.size_bytes != event["size_bytes"]:
        sizes = f"{inode.size_bytes} bytes in the end; {event['size_bytes']} had been synced"
        findings.violate(Reason.WRONG_SIZE, f"{text} has {sizes}")
    elif inode.links != 1:
        findings.violate(
            Reason.WRONG_COUNT, f"{text} has one name, and the link count {inode.links} in the end"
        )
