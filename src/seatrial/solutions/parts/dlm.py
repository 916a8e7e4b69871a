"""The distributed lock manager of a cluster's nodes, the fencing that it waits for, and LVM's locks on top of it."""

import hashlib
from collections.abc import Mapping, Sequence

from seatrial.plan.plan import Step, remove_file, write_file
from seatrial.plan.site import SiteBmc
from seatrial.solutions.parts import lvm
from seatrial.solutions.parts.steps import reread, units_are, wait_until

CONF = "/etc/dlm/dlm.conf"
_DAEMONS = "corosync dlm lvmlockd"
UNITS = ("corosync.service", "dlm.service", "lvmlockd.service")
_WAITS = "/etc/systemd/system/dlm.service.d/seatrial.conf"
JOINED = "dlm_tool status >/dev/null 2>&1"
AFTER_MEMBERSHIP = """\
if systemctl -q is-active corosync; then
    if dlm_tool ls 2>/dev/null | grep -q '^name'; then corosync-cfgtool -R
    else for daemon in lvmlockd dlm corosync; do systemctl stop $daemon; done; fi
fi"""
"""what a changed corosync.conf needs; a cluster of one, as the packages start it, cannot become this one"""


def configuration(controllers: Mapping[str, SiteBmc], fence_s: int) -> str:
    """The text of dlm.conf (dlm.conf(5)): one device a node, numbered as corosync numbers them.

    ValueError where a controller has neither a password nor a file with one.
    """
    devices = "".join(
        f"\ndevice fence-{node} fence_ipmilan {_arguments(node, bmc, fence_s)}\nconnect fence-{node} node={number}\n"
        for number, (node, bmc) in enumerate(controllers.items(), start=1)
    )
    return f"enable_fencing=1\nenable_concurrent_fencing=1\nrepeat_failed_fencing=1\n{devices}"


def _arguments(node: str, bmc: SiteBmc, fence_s: int) -> str:
    """`onoff`, because a reset by itself proves nothing; no wait beyond the device's own answer."""
    if bmc.password:
        secret = f"password={bmc.password}"
    elif bmc.password_file:
        secret = f"password_script={_script(node)}"
    else:
        raise ValueError(f"{node}: the management controller has no password")
    return (
        f"ip={bmc.address} username={bmc.user} {secret} lanplus=1 privlvl=administrator method=onoff "
        f"power_wait=0 power_timeout={fence_s} login_timeout=5"
    )


def _script(node: str) -> str:
    return f"/etc/dlm/seatrial-password-{node}"


def steps(study_id: str, controllers: Mapping[str, SiteBmc], fence_s: int) -> list[Step]:
    """How a node that is lost is fenced, and that LVM asks for locks."""
    return [
        *(
            write_file(
                _script(node),
                f"#!/bin/sh\nexec cat {bmc.password_file}",
                mode="700",
                takes=(("secret", bmc.password_file),),
            )
            for node, bmc in controllers.items()
            if bmc.password_file and not bmc.password
        ),
        write_file(
            CONF,
            configuration(controllers, fence_s),
            title="configure the fencing of each node",
            mode="600",
            after="! systemctl -q is-active dlm || dlm_tool reload_config",
            reason="a node that is lost may still write: until its power is known to be off, its locks are nobody's, "
            "and whoever needs one waits",
        ),
        write_file(
            _WAITS,
            '[Service]\nExecStartPre=/bin/sh -c \'until corosync-quorumtool -s 2>/dev/null | grep -q "^Quorate: *Yes"; '
            "do sleep 0.5; done'\nTimeoutStartSec=infinity",
            title="start the lock manager after quorum",
            after=reread("dlm.service"),
            reason="corosync says that it is ready while it is still alone. A lock space that is joined then sees all "
            "others join when they meet, while they see one: each waits for messages of the other for ever, and the "
            "file system with them. It has no end: a node that is alone must not give up before the others are there, "
            "as nothing would start it again",
        ),
        lvm.setting(
            study_id,
            "use_lvmlockd",
            "1",
            "enable lvmlockd in LVM",
            reason="the group of volumes is shared: two nodes must not change it at once",
        ),
    ]


def trial_step(study_id: str, controllers: Mapping[str, SiteBmc], fence_s: int) -> Step:
    """Ask every controller whether its node is on, once for each configuration and boot.

    Nothing else looks at them before a node is lost, and one that cannot be asked then holds up all others for ever.
    """
    asked = [
        f"fence_ipmilan >$said/{node} 2>&1 <<'SEATRIAL' & asked=\"$asked {node}:$!\"\n"
        f"action=status\n{_arguments(node, bmc, fence_s).replace(' ', chr(10))}\nSEATRIAL"
        for node, bmc in controllers.items()
    ]
    noted = hashlib.sha256("".join(asked).encode()).hexdigest()[:16]
    note = f"/run/seatrial-{study_id}.fencing"
    return Step(
        f"test {len(controllers)} management controllers",
        f"grep -qx {noted} {note}",
        "asked=\nsaid=$(mktemp -d)\ntrap 'rm -rf $said' EXIT\n" + "\n".join(asked) + "\n"
        "bad=0\nfor one in $asked; do\n"
        '    wait "${one#*:}" && continue\n'
        '    bad=1\n    echo "the controller of ${one%%:*} does not answer:"\n    cat "$said/${one%%:*}"\n'
        f'done\n[ "$bad" = 0 ]\necho {noted} >{note}',
        reason="one that cannot be asked is found out when the first node is lost, and then holds up all the others",
    )


def start_steps(nodes: Sequence[str]) -> list[Step]:
    """Be a member, see all others, and have locks; now and at every boot."""
    seen = f'[ "$(corosync-quorumtool -s 2>/dev/null | sed -n "s/^Total votes: *//p")" = {len(nodes)} ]'
    return [
        Step(
            "join the cluster and enable it at boot",
            f"{units_are('active', 'corosync')} && {units_are('enabled', *_DAEMONS.split())}",
            # Not `enable`, which calls update-rc.d for each, and that has systemd read all its files again.
            f"systemctl -q --no-reload add-wants multi-user.target {' '.join(UNITS)}\nsystemctl start corosync",
            units=tuple(_DAEMONS.split()),
        ),
        Step(
            "wait for all members",
            seen,
            wait_until(seen, 120, "all members"),
        ),
        Step(
            "start the lock manager",
            f"{units_are('active', 'dlm', 'lvmlockd')} &&\n{JOINED}",
            f"systemctl start dlm lvmlockd\n{wait_until(JOINED, 60, 'the lock spaces')}",
        ),
    ]


def removal(study_id: str, nodes: Sequence[str]) -> list[Step]:
    """Leave the cluster; no lock is held any more."""
    return [
        Step(
            "leave the cluster",
            f"! systemctl -q is-active {_DAEMONS} && ! systemctl -q is-enabled {_DAEMONS}",
            f"systemctl -q --no-reload disable {_DAEMONS}\n"
            "for daemon in lvmlockd dlm corosync; do systemctl stop $daemon; done",
        ),
        remove_file(CONF),
        remove_file(_WAITS, after=reread("dlm.service")),
        *(remove_file(_script(node)) for node in nodes),
        *lvm.removal(study_id, "use_lvmlockd"),
    ]
