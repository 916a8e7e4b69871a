"""A node that offers volumes as iSCSI targets, by tgt in user space (decision 0009): the same for every solution.

Each target asks for the study's CHAP account, is known to the study's initiators alone, and is offered at the portals
of the storage networks and nowhere else. What a node offers is a file of rows that `iscsi_targets.sh` carries out.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from seatrial.basics.units import counted
from seatrial.plan.plan import Step, remove_file, write_file
from seatrial.solutions.parts.iscsi import PORT, account, iscsi_name, secret_removal, secret_step
from seatrial.solutions.parts.steps import drop_in, reread

UNITS = ("tgt.service",)
"""the daemon of the targets"""

SCRIPT = "/usr/local/sbin/seatrial-targets"
SCRIPT_TEXT = (Path(__file__).parent / "iscsi_targets.sh").read_text(encoding="ascii")
_SYSCTL = "/etc/sysctl.d/60-seatrial-tgt.conf"
_SEND = "4096 4194304 16777216"
"""net.ipv4.tcp_wmem: least, default and largest send buffer of a socket, in bytes; see tcp(7)"""


@dataclass(frozen=True)
class Lun:
    """A block device behind a target."""

    number: int
    device: str
    serial: str
    product: str
    unit_serial: str = ""
    """what the unit itself says, where it is one of several paths that are to be told apart; such a one goes past the
    page cache of the node: what was acknowledged lies behind it"""
    write_cache: bool = True
    """what is written is acknowledged when the node's memory has it, and is on its disks when it was flushed"""

    def rows(self, target: int) -> list[str]:
        """For `iscsi_targets.sh`."""
        more = f" {self.unit_serial} direct" if self.unit_serial else ""
        row = f"lun {target} {self.number} {self.device} {self.serial} {self.product}{more}"
        return [row] if self.write_cache else [row, f"write-through {target} {self.number}"]


@dataclass(frozen=True)
class Target:
    """One iSCSI target: its LUNs, or the host that a login is sent on to."""

    name: str
    luns: tuple[Lun, ...] = ()
    sent_on_to: str = ""


@dataclass(frozen=True)
class TargetNode:
    """What one node offers."""

    study_id: str
    targets: tuple[Target, ...]
    initiators: tuple[str, ...]
    """the iSCSI names of those that may log in"""
    portals: tuple[str, ...]
    """names or addresses of the node on the storage networks"""
    group_address: str | None = None
    """an address that the node holds beside its first portal, with the length of its prefix"""

    def steps(self) -> list[Step]:
        """Offer all of it, now and after every boot; the devices are there."""
        return [
            # Sockets that take a whole answer; before the target starts, as sockets keep what they began with.
            write_file(
                _SYSCTL,
                f"net.ipv4.tcp_wmem = {_SEND}",
                title="set the socket buffers of the iSCSI target",
                after=f"sysctl -q -p {_SYSCTL}",
                reason="tgtd tries again at once when a socket is full, and keeps a processor busy with it for as "
                "long as the link is slower than the disks",
            ),
            secret_step(self.study_id),
            write_file(
                SCRIPT,
                SCRIPT_TEXT,
                mode="755",
                title="install the script that configures the targets",
            ),
            write_file(
                self._file,
                self._rows(),
                title=f"configure {counted(len(self.targets), 'target')} and the permitted initiators",
            ),
            self._order_step(),
            Step(
                "start the iSCSI target",
                f"systemctl -q is-active tgt && systemctl -q is-enabled tgt && {SCRIPT} {self._file} check",
                # After a boot it may be about to start by itself: started anew, it would lose its initiators again.
                f"systemctl -q is-enabled tgt || systemctl -q --no-reload enable tgt\n"
                f"systemctl start tgt\n{SCRIPT} {self._file}",
                takes=(("targets", iscsi_name(self.study_id)),),
                units=("tgt",),
            ),
        ]

    def _order_step(self) -> Step:
        units = " ".join(dict.fromkeys(_device_unit(lun.device) for target in self.targets for lun in target.luns))
        return write_file(
            drop_in("tgt.service", self.study_id),
            f"[Unit]\nWants={units}\nAfter={units}\n"
            f"[Service]\nExecStart=\nExecStart=/usr/sbin/tgtd -f --iscsi portal=127.0.0.1:{PORT}\n"
            f"ExecStartPost={SCRIPT} {self._file} start\nTimeoutStartSec=180",
            title="start the iSCSI target after the array at boot",
            # What the package has started listens everywhere, and is without any volume.
            after=f"{reread('tgt.service')}\n! systemctl -q is-active tgt || "
            '[ -n "$(tgtadm --lld iscsi --mode target --op show)" ] || systemctl stop tgt',
            reason="a target that starts before its array offers nothing; and one that is reached before it is "
            "complete closes logins half way, which iscsid may never recover from (open-iscsi, issue 387)",
        )

    def _rows(self) -> str:
        group = [f"address {self.group_address} {self.portals[0]}"] if self.group_address else []
        portals = [*([self.group_address.partition("/")[0]] if self.group_address else []), *self.portals]
        rows = [*group, f"account {self.study_id} {account(self.study_id, ()).path}"]
        for number, target in enumerate(self.targets, start=1):
            rows.append(f"target {number} {target.name}")
            rows += [row for lun in target.luns for row in lun.rows(number)]
            rows += [f"redirect {number} {target.sent_on_to} {PORT}"] if target.sent_on_to else []
            rows.append(f"asks {number} {self.study_id}")
            rows += [f"initiator {number} {name}" for name in self.initiators]
        return "\n".join([*rows, *(f"portal {host} {PORT}" for host in portals)])

    def stop_step(self) -> Step:
        """Offer nothing for now."""
        return Step("stop the iSCSI target", "! systemctl -q is-active tgt", "systemctl stop tgt")

    def removal(self) -> list[Step]:
        """Offer nothing any more."""
        steps = [
            Step(
                "stop the iSCSI target",
                "! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt",
                "systemctl -q --no-reload disable tgt\nsystemctl stop tgt",
            ),
            remove_file(_SYSCTL),
            remove_file(self._file),
            remove_file(drop_in("tgt.service", self.study_id), after=reread("tgt.service")),
            remove_file(SCRIPT),
            remove_file("/run/seatrial-targets"),
            secret_removal(self.study_id),
        ]
        return [*steps, _let_go_of(self.group_address)] if self.group_address else steps

    @property
    def _file(self) -> str:
        return f"/etc/tgt/seatrial-{self.study_id}.targets"


def _let_go_of(address: str) -> Step:
    host = address.partition("/")[0]
    return Step(
        f"remove the group address {address}",
        f"! ip -o -4 address show to {host} | grep -q .",
        f'link=$(ip -o -4 address show to {host})\nlink=${{link#*: }}\nip address del {address} dev "${{link%%[ @]*}}"',
    )


def volume_group(group: str, device: str, shares: Sequence[str], sizes_bytes: Mapping[str, int] | None = None) -> Step:
    """Divide a device into volumes of the node's own group: some of a given size, and even shares of what is left.

    Another study's group may stand on other disks of this node: its name alone proves nothing.
    """
    made = (
        f'vgs --noheadings -o tags {group} 2>/dev/null | grep -q seatrial-made && [ "$(readlink -f {device})" = '
        f'"$(readlink -f $(pvs --noheadings -o pv_name -S vg_name={group}))" ]'
    )
    sizes = {name: f"-L {size_bytes}b" for name, size_bytes in (sizes_bytes or {}).items()}
    sizes |= {name: f"-l {100 // (len(shares) - done)}%FREE" for done, name in enumerate(shares)}
    created = "".join(f"lvcreate -q -y -W n -n {name} {size} {group}\n" for name, size in sizes.items())
    return Step(
        f"split {device} into {counted(len(sizes), 'volume')}",
        made,
        f"must_be_blank {device}\nvgcreate -q -y {group} {device}\n{created}vgchange -q --addtag seatrial-made {group}",
    )


def volume_group_released(group: str) -> Step:
    """Its volumes stay on the disks, and nothing of them is active."""
    return Step("deactivate the volumes", f"! ls /dev/{group} >/dev/null 2>&1", f"vgchange -q -an {group}")


def _device_unit(device: str) -> str:
    """A device as systemd calls it (systemd.unit(5), string escaping for inclusion in unit names)."""
    escaped = device.strip("/").replace("-", chr(92) + "x2d")
    return f"{escaped.replace('/', '-')}.device"
