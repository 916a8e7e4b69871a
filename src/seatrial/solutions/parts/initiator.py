"""What every node needs that uses iSCSI targets: its own name, kept and given back."""

from seatrial.plan.plan import Step, write_file
from seatrial.solutions.parts.kept import give_back, write_kept

PATH = "/etc/iscsi/initiatorname.iscsi"


def name_step(study_id: str, name: str, target: str) -> Step:
    """The node's iSCSI name; `target`: what the names of the study's targets begin with."""
    return write_kept(study_id, write_file(PATH, f"InitiatorName={name}", takes=(("sessions", target),)), PATH)


def name_removal(study_id: str) -> Step:
    """The name that it had before."""
    return give_back(study_id, PATH)
