"""An NFS server without delegations, so that all clients reclaim their locks after a restart."""

from seatrial.plan.plan import Step, command_step
from seatrial.solutions.parts import backups

LIVE = "/proc/sys/fs/leases-enable"
"""a setting of the whole node: knfsd's delegations are leases (proc_sys_fs(5))"""


def _note(study_id: str) -> str:
    return f"{backups.before(study_id)}/leases-enable"


def none_given(study_id: str) -> Step:
    """Disable delegations, now and after every boot.

    See docs/decisions/0041-nfs-delegations-disabled.md.
    """
    folder = backups.before(study_id)
    note = _note(study_id)
    # When another study has recorded a value, it is the one before both studies.
    record = f"cat {_note('*')} {LIVE} 2>/dev/null | head -n 1 >{note}.new && mv {note}.new {note}"
    return command_step(
        "disable NFS delegations",
        f'[ -s {note} ] && [ "$(cat {LIVE})" = 0 ]',
        f"(\n    umask 077\n    mkdir -p {folder}\n    [ -s {note} ] || {{ {record}; }}\n)\necho 0"
        f" >{LIVE}",
        reason=(
            "a restarted server of Linux 7.2 grants one to the first client that reclaims "
            "a file; other clients cannot reclaim it in the grace period, and lose their locks"
        ),
        shows=f'echo "now: $(cat {LIVE})"',
        after_boot="network",
    )


def given_again(study_id: str) -> Step:
    """Restore the setting, unless another study disables it or it was changed since."""
    note = _note(study_id)
    return command_step(
        "restore the setting for NFS delegations",
        f"[ ! -e {note} ]",
        f"read -r was <{note}\nrm {note}\n"
        f'[ "$(cat {LIVE})" != 0 ] || ls {_note("*")} >/dev/null 2>&1 || echo $was >{LIVE}',
    )
