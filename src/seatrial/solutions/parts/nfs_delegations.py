"""An NFS server that gives out no delegations, so that all clients get their locks back after a restart."""

from seatrial.plan.plan import Step, remove_file, write_file

_LIVE = "/proc/sys/fs/leases-enable"


def _file(study_id: str) -> str:
    return f"/etc/sysctl.d/60-seatrial-{study_id}-delegations.conf"


def none_given(study_id: str) -> list[Step]:
    """Now and after every boot; see docs/decisions/0041-no-delegations.md."""
    file = _file(study_id)
    now = f"sysctl -q -p {file}"
    return [
        write_file(file, "fs.leases-enable = 0", title="give out no delegations, from the boot on", after=now),
        Step(
            "give out no delegations",
            f'[ "$(cat {_LIVE})" = 0 ]',
            now,
            reason="a server of Linux 7.2 gives one to the first client that reclaims a file after a restart; the "
            "others cannot reclaim it within the grace, and lose their locks",
            shows=f'echo "there: $(cat {_LIVE})"',
        ),
    ]


def given_again(study_id: str) -> Step:
    """Unless a file that is not ours says otherwise."""
    again = f"grep -qs '^fs.leases-enable' /etc/sysctl.conf /etc/sysctl.d/* || echo 1 >{_LIVE}"
    return remove_file(_file(study_id), after=again)
