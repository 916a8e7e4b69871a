"""An NFS server that gives out no delegations, so that all clients get their locks back after a restart."""

from seatrial.plan.plan import Step
from seatrial.solutions.parts import kept

LIVE = "/proc/sys/fs/leases-enable"
"""of the whole node: knfsd's delegations are leases (proc_sys_fs(5))"""


def _note(study_id: str) -> str:
    return f"{kept.before(study_id)}/leases-enable"


def none_given(study_id: str) -> Step:
    """Now and after every boot; see docs/decisions/0041-nfs-delegations-disabled.md."""
    folder, note = kept.before(study_id), _note(study_id)
    # What another study of the node has noted is what was there before both.
    noted = f"cat {_note('*')} {LIVE} 2>/dev/null | head -n 1 >{note}.new && mv {note}.new {note}"
    return Step(
        "disable NFS delegations",
        f'[ -s {note} ] && [ "$(cat {LIVE})" = 0 ]',
        f"(\n    umask 077\n    mkdir -p {folder}\n    [ -s {note} ] || {{ {noted}; }}\n)\necho 0 >{LIVE}",
        reason="a server of Linux 7.2 gives one to the first client that reclaims a file after a restart; the others "
        "cannot reclaim it within the grace, and lose their locks",
        shows=f'echo "there: $(cat {LIVE})"',
        after_boot="network",
    )


def given_again(study_id: str) -> Step:
    """As before, but where another study of the node wants none, or somebody has set it since."""
    note = _note(study_id)
    return Step(
        "restore the setting for NFS delegations",
        f"[ ! -e {note} ]",
        f"read -r was <{note}\nrm {note}\n"
        f'[ "$(cat {LIVE})" != 0 ] || ls {_note("*")} >/dev/null 2>&1 || echo $was >{LIVE}',
    )
