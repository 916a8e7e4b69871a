"""LVM on servers that share LUNs: each group has the system id of the server that may use it."""

from collections.abc import Sequence

from seatrial.plan.plan import Step, command_step
from seatrial.plan.resources import call
from seatrial.solutions.parts.backups import backup_of, restore

_CONF = "/etc/lvm/lvm.conf"


def steps(study_id: str, devices: Sequence[str]) -> list[Step]:
    """Set the server's name as its system id; the rest of the site's configuration is unchanged.

    Groups have no auto-activation. LVM itself ignores paths below multipath.
    """
    listed = "\n".join(
        f"lvmdevices --devices {device} >/dev/null 2>&1 || lvmdevices -y --adddev {device}"
        for device in devices
    )
    return [
        setting(
            study_id,
            "system_id_source",
            '"uname"',
            "set the LVM system ID to the server name",
            reason=(
                "a group has the name of one server (system id): the other refuses it until the "
                "cluster, after a stop or fencing, renames it"
            ),
        ),
        command_step(
            "add the LUNs to LVM's device list",
            "[ ! -e /etc/lvm/devices/system.devices ] || { "
            + " && ".join(
                f"grep -q '{device}' /etc/lvm/devices/system.devices" for device in devices
            )
            + "; }",
            listed,
        ),
    ]


def setting(study_id: str, key: str, value: str, title: str, reason: str) -> Step:
    """Set one value of the section `global`; the rest of the configuration is unchanged."""
    return command_step(
        title,
        f"lvmconfig --type full global/{key} | grep -q '{value}'",
        call("set_line", _CONF, backup_of(study_id, _CONF), key, value),
        reason=reason,
    )


def removal(study_id: str, key: str = "system_id_source") -> list[Step]:
    """Restore the site's configuration; when it was edited since, only this line."""
    return [restore(study_id, _CONF, setting=key)]
