"""LVM on servers that share LUNs: each group bears the name of the server that may use it."""

from collections.abc import Sequence

from seatrial.plan import Step

_CONF = "/etc/lvm/lvm.conf"


def _wanted(devices: Sequence[str]) -> dict[str, str]:
    accepted = ", ".join(f'"a|^{device}$|"' for device in devices)
    return {
        "global/system_id_source": '"uname"',
        "devices/use_devicesfile": "0",
        "devices/global_filter": f'[ {accepted}, "r|.*|" ]',
        "activation/auto_activation_volume_list": "[]",
    }


def steps(devices: Sequence[str]) -> list[Step]:
    """Only the LUNs are looked at, and no group is activated but by the cluster."""
    text = "\n".join(f"{key} = {value}" for key, value in _wanted(devices).items())
    return [
        Step(
            "have LVM activate the shared groups for the cluster alone, on one server at a time",
            f"cmp -s /etc/lvm/seatrial.conf - <<'SEATRIAL'\n{text}\nSEATRIAL\ngrep -q '^# seatrial:' {_CONF}",
            f"[ -e {_CONF}.before-seatrial ] || cp -p {_CONF} {_CONF}.before-seatrial\n"
            f"cat >/etc/lvm/seatrial.conf <<'SEATRIAL'\n{text}\nSEATRIAL\n"
            f"{{ echo '# seatrial: the site'\"'\"'s own is {_CONF}.before-seatrial'\n"
            f"    cat /etc/lvm/seatrial.conf\n}} >{_CONF}.new\nmv {_CONF}.new {_CONF}",
            reason="a group bears the name of one server (system id): the other refuses it, until pacemaker, which has "
            "seen it stopped or fenced there, gives it the new name",
        )
    ]


def removal() -> list[Step]:
    """The site's own configuration again."""
    return [
        Step(
            "have LVM as it was",
            f"[ ! -e {_CONF}.before-seatrial ]",
            f"mv {_CONF}.before-seatrial {_CONF}\nrm -f /etc/lvm/seatrial.conf",
        )
    ]
