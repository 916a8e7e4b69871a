"""The distributed lock manager, the fencing that it waits for, and LVM's locks on top of it."""

import hashlib
from collections.abc import Mapping, Sequence

from seatrial.plan.plan import Step, command_step, remove_file, write_file
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
"""what a changed corosync.conf requires; the packages' cluster of one cannot become this one"""


def configuration(controllers: Mapping[str, SiteBmc], fence_s: int) -> str:
    """The text of dlm.conf (dlm.conf(5)): one device per node, with corosync's node numbers.

    ValueError for a controller without a password or password file.
    """
    devices = "".join(
        f"\ndevice fence-{node} fence_ipmilan {' '.join(_arguments(node, bmc, fence_s))}\nconnect"
        f" fence-{node} node={number}\n"
        for number, (node, bmc) in enumerate(controllers.items(), start=1)
    )
    return f"enable_fencing=1\nenable_concurrent_fencing=1\nrepeat_failed_fencing=1\n{devices}"


def _arguments(node: str, bmc: SiteBmc, fence_s: int) -> list[str]:
    """`onoff`, because a reset alone proves nothing; no delay beyond the device's own answer."""
    if bmc.password:
        secret = f"password={bmc.password}"
    elif bmc.password_file:
        secret = f"password_script={_script(node)}"
    else:
        raise ValueError(f"{node}: the management controller has no password")
    return [
        f"ip={bmc.address}",
        f"username={bmc.user}",
        secret,
        "lanplus=1",
        "privlvl=administrator",
        "method=onoff",
        "power_wait=0",
        f"power_timeout={fence_s}",
        "login_timeout=5",
    ]


def _script(node: str) -> str:
    return f"/etc/dlm/seatrial-password-{node}"


def steps(study_id: str, controllers: Mapping[str, SiteBmc], fence_s: int) -> list[Step]:
    """Configure the fencing of lost nodes, and LVM's use of locks."""
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
            reason=(
                "a lost node may still write: its locks stay held, and other nodes wait, until "
                "its power is known to be off"
            ),
        ),
        write_file(
            _WAITS,
            "[Service]\nExecStartPre=/bin/sh -c 'until corosync-quorumtool -s 2>/dev/null | grep -q"
            ' "^Quorate: *Yes"; do sleep 0.5; done\'\nTimeoutStartSec=infinity',
            title="start the lock manager after quorum",
            after=reread("dlm.service"),
            reason=(
                "corosync reports ready while it is still alone. A lock space joined then sees the"
                " others join later, while they see one member: each side waits for the other, and"
                " the file system hangs. The wait has no limit: nothing would start a node again"
                " that gives up before the others are present"
            ),
        ),
        lvm.setting(
            study_id,
            "use_lvmlockd",
            "1",
            "enable lvmlockd in LVM",
            reason="the volume group is shared: two nodes must not change it at the same time",
        ),
    ]


def trial_step(study_id: str, controllers: Mapping[str, SiteBmc], fence_s: int) -> Step:
    """Ask every controller for its node's power state, once per configuration and boot.

    Nothing else uses them before a node is lost, and a broken one then blocks all nodes.
    """
    lines = {node: "\n".join(_arguments(node, bmc, fence_s)) for node, bmc in controllers.items()}
    queries = [
        f"fence_ipmilan >$said/{node} 2>&1 <<'SEATRIAL' & asked=\"$asked {node}:$!\"\n"
        f"action=status\n{lines[node]}\nSEATRIAL"
        for node in controllers
    ]
    digest = hashlib.sha256("".join(queries).encode()).hexdigest()[:16]
    note = f"/run/seatrial-{study_id}.fencing"
    return command_step(
        f"test {len(controllers)} management controllers",
        f"grep -qx {digest} {note}",
        "asked=\nsaid=$(mktemp -d)\ntrap 'rm -rf $said' EXIT\n" + "\n".join(queries) + "\n"
        "bad=0\nfor one in $asked; do\n"
        '    wait "${one#*:}" && continue\n'
        '    bad=1\n    echo "the controller of ${one%%:*} does not answer:"\n    cat'
        ' "$said/${one%%:*}"\n'
        f'done\n[ "$bad" = 0 ]\necho {digest} >{note}',
        reason="without this a broken controller shows only when it blocks all nodes",
    )


def start_steps(nodes: Sequence[str]) -> list[Step]:
    """Join the cluster, wait for all members, and start the locks; now and at every boot."""
    seen = (
        '[ "$(corosync-quorumtool -s 2>/dev/null | sed -n "s/^Total votes: *//p")" ='
        f" {len(nodes)} ]"
    )
    return [
        command_step(
            "join the cluster and enable it at boot",
            f"{units_are('active', 'corosync')} && {units_are('enabled', *_DAEMONS.split())}",
            # Not `enable`: it calls update-rc.d for each unit, and systemd then rereads all files.
            f"systemctl -q --no-reload add-wants multi-user.target {' '.join(UNITS)}\nsystemctl"
            " start corosync",
            units=tuple(_DAEMONS.split()),
        ),
        command_step(
            "wait for all members",
            seen,
            wait_until(seen, 120, "all members"),
        ),
        command_step(
            "start the lock manager",
            f"{units_are('active', 'dlm', 'lvmlockd')} &&\n{JOINED}",
            f"systemctl start dlm lvmlockd\n{wait_until(JOINED, 60, 'the lock spaces')}",
        ),
    ]


def removal(study_id: str, nodes: Sequence[str]) -> list[Step]:
    """Leave the cluster and release all locks."""
    return [
        command_step(
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
