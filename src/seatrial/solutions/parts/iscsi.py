"""What both ends of an iSCSI session agree on: names, the port, and the CHAP account of a study."""

import hashlib
from collections.abc import Sequence

from seatrial.plan.plan import Generated, Step, remove_file, write_file
from seatrial.solutions.parts.kept import MADE

PORT = 3260
SECRET_BYTES = 16
"""RFC 7143, 9.2.1: a CHAP secret of less than 96 random bits must not be used without IPsec; written as hexadecimal"""


def iscsi_name(study_id: str) -> str:
    """What all names of a study begin with (RFC 3721, iqn names)."""
    return f"iqn.2026-01.org.seatrial:{study_id}"


def initiator_name(study_id: str, node: str) -> str:
    """The iSCSI name of a node that uses targets."""
    return f"{iscsi_name(study_id)}.{node}"


def serial_of(*names: str) -> str:
    """Of a unit with these names, distinct and hexadecimal, as udev's rules want it."""
    return hashlib.sha256("/".join(names).encode()).hexdigest()[:16]


def wwid_of(*names: str) -> str:
    """What multipath knows such a unit by: the registered NAA identifier that tgt makes of its scsi_id."""
    return f"36{'0' * 15}{serial_of(*names)}"


def account(study_id: str, nodes: Sequence[str]) -> Generated:
    """The secret of the study's one CHAP account, whose user is the study; `nodes`: targets and initiators."""
    return Generated("iscsi-chap", f"{MADE}/{study_id}/iscsi-chap", tuple(nodes), SECRET_BYTES)


def secret_step(study_id: str) -> Step:
    """The account's secret on a node, for root alone."""
    chap = account(study_id, ())
    return write_file(
        chap.path,
        chap.placeholder,
        title="store the iSCSI secret, readable by root only",
        mode="600",
        reason="whoever is on the storage network could read and write the volumes",
    )


def secret_removal(study_id: str) -> Step:
    """It is forgotten."""
    return remove_file(account(study_id, ()).path)
