"""A node that exports volumes as iSCSI targets, by tgt in user space (decision 0009).

Each target requires the study's CHAP account, accepts the study's initiators only, and listens only
on the portals of the storage networks. `iscsi_targets.sh` configures it from a file of rows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from seatrial.basics.units import counted
from seatrial.plan.plan import Step, command_step, remove_file, write_file
from seatrial.solutions.parts.iscsi import PORT, account, iscsi_name, secret_removal, secret_step
from seatrial.solutions.parts.steps import drop_in, reread

UNITS = ("tgt.service",)
"""the daemon of the targets"""

SCRIPT = "/usr/local/sbin/seatrial-targets"
SCRIPT_TEXT = (Path(__file__).parent / "iscsi_targets.sh").read_text(encoding="ascii")
_SYSCTL = "/etc/sysctl.d/60-seatrial-tgt.conf"
_SEND = "4096 4194304 16777216"
"""net.ipv4.tcp_wmem: minimum, default and maximum bytes of a socket's send buffer; see tcp(7)"""


@dataclass(frozen=True)
class Lun:
    """A block device of a target."""

    number: int
    device: str
    serial: str
    product: str
    unit_serial: str = ""
    """Serial number of the unit, when it is one of several paths to the same volume.

    Such a LUN bypasses the node's page cache: acknowledged data are beyond this node.
    """
    write_cache: bool = True
    """writes are acknowledged from the node's memory, and a flush writes them to its disks"""

    def rows(self, target: int) -> list[str]:
        """The rows of the LUN for `iscsi_targets.sh`."""
        more = f" {self.unit_serial} direct" if self.unit_serial else ""
        row = f"lun {target} {self.number} {self.device} {self.serial} {self.product}{more}"
        return [row] if self.write_cache else [row, f"write-through {target} {self.number}"]


@dataclass(frozen=True)
class Target:
    """One iSCSI target: its LUNs, or the host to which logins are redirected."""

    name: str
    luns: tuple[Lun, ...] = ()
    sent_on_to: str = ""


@dataclass(frozen=True)
class TargetNode:
    """The targets of one node."""

    study_id: str
    targets: tuple[Target, ...]
    initiators: tuple[str, ...]
    """iSCSI names that may log in"""
    portals: tuple[str, ...]
    """names or addresses of the node on the storage networks"""
    group_address: str | None = None
    """an additional address of the node, with its prefix length"""

    def steps(self) -> list[Step]:
        """Offer all targets, now and after every boot; the devices must exist."""
        return [
            # Sockets keep the sizes of their creation, so set them before the target starts.
            write_file(
                _SYSCTL,
                f"net.ipv4.tcp_wmem = {_SEND}",
                title="set the socket buffers of the iSCSI target",
                after=f"sysctl -q -p {_SYSCTL}",
                reason=(
                    "tgtd retries at once when a socket is full; it occupies a processor while "
                    "the link is slower than the disks"
                ),
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
                title=(
                    f"configure {counted(len(self.targets), 'target')} and the permitted initiators"
                ),
            ),
            self._order_step(),
            command_step(
                "start the iSCSI target",
                f"systemctl -q is-active tgt && systemctl -q is-enabled tgt && {SCRIPT}"
                f" {self._file} check",
                # At boot it may be about to start: a restart would drop its initiators again.
                "systemctl -q is-enabled tgt || systemctl -q --no-reload enable tgt\n"
                f"systemctl start tgt\n{SCRIPT} {self._file}",
                takes=(("targets", iscsi_name(self.study_id)),),
                units=("tgt",),
            ),
        ]

    def _order_step(self) -> Step:
        units = " ".join(
            dict.fromkeys(
                _device_unit(lun.device) for target in self.targets for lun in target.luns
            )
        )
        return write_file(
            drop_in("tgt.service", self.study_id),
            f"[Unit]\nWants={units}\nAfter={units}\n"
            f"[Service]\nExecStart=\nExecStart=/usr/sbin/tgtd -f --iscsi portal=127.0.0.1:{PORT}\n"
            f"ExecStartPost={SCRIPT} {self._file} start\nTimeoutStartSec=180",
            title="start the iSCSI target after the array at boot",
            # The package's own instance listens everywhere and has no volume.
            after=(
                f"{reread('tgt.service')}\n! systemctl -q is-active tgt || "
                '[ -n "$(tgtadm --lld iscsi --mode target --op show)" ] || systemctl stop tgt'
            ),
            reason=(
                "a target that starts before its array offers nothing; a login cut off by an "
                "incomplete target may never be recovered by iscsid (open-iscsi, issue 387)"
            ),
        )

    def _rows(self) -> str:
        group = [f"address {self.group_address} {self.portals[0]}"] if self.group_address else []
        portals = [
            *([self.group_address.partition("/")[0]] if self.group_address else []),
            *self.portals,
        ]
        rows = [*group, f"account {self.study_id} {account(self.study_id, ()).path}"]
        for number, target in enumerate(self.targets, start=1):
            rows.append(f"target {number} {target.name}")
            rows += [row for lun in target.luns for row in lun.rows(number)]
            rows += [f"redirect {number} {target.sent_on_to} {PORT}"] if target.sent_on_to else []
            rows.append(f"asks {number} {self.study_id}")
            rows += [f"initiator {number} {name}" for name in self.initiators]
        return "\n".join([*rows, *(f"portal {host} {PORT}" for host in portals)])

    def stop_step(self) -> Step:
        """Stop the targets temporarily."""
        return command_step(
            "stop the iSCSI target", "! systemctl -q is-active tgt", "systemctl stop tgt"
        )

    def removal(self) -> list[Step]:
        """Remove the targets."""
        steps = [
            command_step(
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
    return command_step(
        f"remove the group address {address}",
        f"! ip -o -4 address show to {host} | grep -q .",
        f"link=$(ip -o -4 address show to {host})\nlink=${{link#*: }}\nip address del {address} dev"
        ' "${link%%[ @]*}"',
    )


def volume_group(
    group: str, device: str, shares: Sequence[str], sizes_bytes: Mapping[str, int] | None = None
) -> Step:
    """Divide a device into volumes of a dedicated volume group.

    `sizes_bytes` sets fixed sizes; `shares` divide the rest evenly. Another study may have a group
    of this name on other disks of the node, so the name alone proves nothing.
    """
    made = (
        f'vgs --noheadings -o tags {group} 2>/dev/null | grep -q seatrial-made && [ "$(readlink -f'
        f' {device})" = "$(readlink -f $(pvs --noheadings -o pv_name -S vg_name={group}))" ]'
    )
    sizes = {name: f"-L {size_bytes}b" for name, size_bytes in (sizes_bytes or {}).items()}
    sizes |= {name: f"-l {100 // (len(shares) - done)}%FREE" for done, name in enumerate(shares)}
    created = "".join(
        f"lvcreate -q -y -W n -n {name} {size} {group}\n" for name, size in sizes.items()
    )
    return command_step(
        f"split {device} into {counted(len(sizes), 'volume')}",
        made,
        f"must_be_blank {device}\nvgcreate -q -y {group} {device}\n{created}vgchange -q --addtag"
        f" seatrial-made {group}",
    )


def volume_group_released(group: str) -> Step:
    """Deactivate the volumes; they stay on the disks."""
    return command_step(
        "deactivate the volumes", f"! ls /dev/{group} >/dev/null 2>&1", f"vgchange -q -an {group}"
    )


def _device_unit(device: str) -> str:
    """The device's unit name (systemd.unit(5), string escaping for inclusion in unit names)."""
    escaped = device.strip("/").replace("-", chr(92) + "x2d")
    return f"{escaped.replace('/', '-')}.device"
