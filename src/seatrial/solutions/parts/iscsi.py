"""Common data of both ends of iSCSI sessions: names, the port, and a study's CHAP account."""

import hashlib
from collections.abc import Sequence

from seatrial.plan.plan import Generated, Step, remove_file, write_file
from seatrial.solutions.parts.backups import MADE

PORT = 3260
SECRET_BYTES = 16
"""RFC 7143, 9.2.1: CHAP secrets need 96 random bits or more without IPsec; kept in hexadecimal"""


def iscsi_name(study_id: str) -> str:
    """The prefix of all names of a study (RFC 3721, iqn names)."""
    return f"iqn.2026-01.org.seatrial:{study_id}"


def initiator_name(study_id: str, node: str) -> str:
    """The iSCSI name of a node that uses targets."""
    return f"{iscsi_name(study_id)}.{node}"


def serial_of(*names: str) -> str:
    """The serial number of a unit with these names: unique, and hexadecimal for udev's rules."""
    return hashlib.sha256("/".join(names).encode()).hexdigest()[:16]


def wwid_of(*names: str) -> str:
    """The WWID of such a unit for multipath: the registered NAA id that tgt makes of scsi_id."""
    return f"36{'0' * 15}{serial_of(*names)}"


def account(study_id: str, nodes: Sequence[str]) -> Generated:
    """The secret of the study's one CHAP account; `nodes`: all targets and initiators."""
    return Generated("iscsi-chap", f"{MADE}/{study_id}/iscsi-chap", tuple(nodes), SECRET_BYTES)


def secret_step(study_id: str) -> Step:
    """Store the account's secret on a node for root alone."""
    chap = account(study_id, ())
    return write_file(
        chap.path,
        chap.placeholder,
        title="store the iSCSI secret, readable by root only",
        mode="600",
        reason="otherwise any host on the storage network could read and write the volumes",
    )


def secret_removal(study_id: str) -> Step:
    """Remove the secret."""
    return remove_file(account(study_id, ()).path)
