"""A node that uses iSCSI targets: its name, its known targets and its sessions."""

from dataclasses import dataclass
from pathlib import Path

from seatrial.basics.units import counted
from seatrial.plan.plan import Step, command_step, remove_file, write_file
from seatrial.solutions.parts.backups import backup_of, restore
from seatrial.solutions.parts.iscsi import (
    PORT,
    account,
    initiator_name,
    iscsi_name,
    secret_removal,
    secret_step,
)
from seatrial.solutions.parts.steps import units_are, wait_until

UNITS = ("iscsid.service", "open-iscsi.service", "multipathd.service")
"""the daemons of sessions and paths; a node with one path has no multipathd"""

FUNCTIONS = (Path(__file__).parent / "iscsi_initiator.sh").read_text(encoding="ascii")
_NAME = "/etc/iscsi/initiatorname.iscsi"
_MODULES = "/etc/modules-load.d/seatrial-storage.conf"


@dataclass(frozen=True)
class PathTimers:
    """The time limits of a session."""

    probe_s: int
    """seconds between two probes of an idle session, and for the answer (iSCSI NOP-Out)"""
    replace_s: int
    """seconds until the commands of a lost session fail or use another path"""


@dataclass(frozen=True)
class Initiator:
    """One node and its sessions."""

    study_id: str
    node: str
    targets: tuple[str, ...]
    portals: tuple[str, ...]
    devices: tuple[str, ...]
    """the block devices of the sessions"""
    timers: PathTimers
    modules: tuple[str, ...] = ("iscsi_tcp", "sd_mod")
    asks: bool = False
    """discover targets at the portals, with `paths` sessions each; else one at every portal"""
    paths: int = 1
    """number of portals that offer the same target, with discovery"""
    interface: str | None = None
    """the card that sessions are bound to; None: any with a route"""
    daemons: tuple[str, ...] = ("iscsid",)
    """the units that must run"""
    write_cache: bool | None = None
    """whether the sessions' disks have a write cache to be flushed; None: as they report"""

    def steps(self, *before_login: Step) -> list[Step]:
        """Log in to every target, now and after every boot; `before_login` runs first."""
        text = f"InitiatorName={initiator_name(self.study_id, self.node)}"
        return [
            write_file(
                _NAME,
                text,
                backup=backup_of(self.study_id, _NAME),
                takes=(("sessions", iscsi_name(self.study_id)),),
            ),
            write_file(
                _MODULES,
                "\n".join(self.modules),
                after=f"for module in {' '.join(self.modules)}; do modprobe $module || true; done",
            ),
            *before_login,
            *([self._bound_step()] if self.interface else []),
            secret_step(self.study_id),
            write_file(
                self._settings_file,
                self._settings(),
                mode="600",
                title="configure iSCSI sessions and their account",
            ),
            self._known_step(),
            self._session_step(),
            *([] if self.write_cache is None else [self._cache_step(flushed=self.write_cache)]),
        ]

    @property
    def _paths_per_target(self) -> int:
        return self.paths if self.asks else len(self.portals)

    @property
    def _card(self) -> str:
        return f"seatrial-{self.study_id}" if self.interface else "default"

    def _bound_step(self) -> Step:
        return command_step(
            f"bind iSCSI sessions to {self.interface}",
            f"grep -qx 'iface.net_ifacename = {self.interface}' /etc/iscsi/ifaces/{self._card}",
            f"systemctl start iscsid\niscsiadm -m iface -I {self._card} -o new\niscsiadm -m iface"
            f" -I {self._card} -o update -n iface.net_ifacename -v {self.interface}",
            reason="data must not use another network of the node, whatever its routes are",
        )

    def _settings(self) -> str:
        settings = {
            "node.startup": "automatic",
            "node.session.auth.authmethod": "CHAP",
            "node.session.auth.username": self.study_id,
            "node.session.auth.password": account(self.study_id, ()).placeholder,
            "node.session.timeo.replacement_timeout": self.timers.replace_s,
            "node.conn[0].timeo.noop_out_interval": self.timers.probe_s,
            "node.conn[0].timeo.noop_out_timeout": self.timers.probe_s,
            "node.session.initial_login_retry_max": 8 if self.asks else 4,
        }
        return "\n".join(f"{key} = {value}" for key, value in settings.items())

    def _known_step(self) -> Step:
        targets = " ".join(self.targets)
        portals = " ".join(self.portals)
        if self.asks:
            learn = (
                f"for portal in {portals}; do\n"
                f"    iscsiadm -m discovery -t sendtargets -p $portal:{PORT} -I {self._card}\ndone"
            )
        else:
            # The list is complete: discovery would query an array that may be partly unreachable.
            learn = (
                f"for target in {targets}; do\n    rm -rf /etc/iscsi/nodes/$target"
                f" /var/lib/iscsi/nodes/$target\n    for portal in {portals}; do iscsiadm -m node"
                f" -T $target -p $portal:{PORT} -o new; done\ndone"
            )
        return command_step(
            f"discover {counted(len(self.targets), 'iSCSI target')} at {portals}",
            f"iscsi_known {self._settings_file} {self._paths_per_target} {targets}",
            f"systemctl start iscsid\n{learn}\niscsi_set {self._settings_file} {targets}",
            functions=FUNCTIONS,
        )

    def _session_step(self) -> Step:
        targets = " ".join(self.targets)
        daemons = " ".join(self.daemons)
        disks_exist = " && ".join(f"[ -b {device} ]" for device in self.devices)
        total = self._paths_per_target * len(self.targets)
        return command_step(
            f"log in to {counted(total, 'iSCSI session')} and enable them at boot",
            f"{units_are('active', *self.daemons)} && {units_are('enabled', 'open-iscsi')} &&\n"
            f"iscsi_sessions {self._paths_per_target} {targets} &&\n{disks_exist}",
            # A unit with only its alias left reports enabled, and does not start at boot.
            f"systemctl -q --no-reload enable open-iscsi {daemons}\nsystemctl start"
            f" {daemons}\niscsi_login {self._paths_per_target} {targets}\nudevadm settle"
            f" --timeout=30\n{wait_until(disks_exist, 30, 'the disks of the sessions')}",
            functions=FUNCTIONS,
            units=("open-iscsi", *self.daemons),
        )

    @property
    def _settings_file(self) -> str:
        return f"/etc/iscsi/seatrial-{self.study_id}"

    def _cache_step(self, *, flushed: bool) -> Step:
        """Linux asks a disk once about its write cache, and never flushes an unknown one."""
        mode = "write back" if flushed else "write through"
        for_each_disk = (
            f"for device in {' '.join(self.devices)}; do\n"
            "    disk=/sys/class/block/$(basename $(readlink -f $device))/device\n"
        )
        return command_step(
            f"set the write cache mode of the disks to {mode}",
            f"{for_each_disk}    grep -qx '{mode}' $disk/scsi_disk/*/cache_type || exit 1\ndone",
            f"{for_each_disk}    echo 1 >$disk/rescan\ndone",
            reason=(
                "what a member has acknowledged from memory is on its disks after a flush"
                if flushed
                else "what a member has acknowledged is on its disks: no flush is needed"
            ),
        )

    def forget_steps(self, before: str = "") -> list[Step]:
        """Log out of the study's targets and delete their records (iscsiadm); `before`: sh that
        releases them first.
        """
        name = iscsi_name(self.study_id)
        return [
            command_step(
                "remove the iSCSI targets",
                f'[ -z "$(iscsi_of {name})" ]',
                f"{before}iscsi_forget {name}",
                functions=FUNCTIONS,
            ),
            remove_file(self._settings_file),
        ]

    def removal(self, before: str = "") -> list[Step]:
        """Log out, delete the targets' records, and log in to nothing after a boot."""
        units = ("open-iscsi", *self.daemons)
        off = " && ".join(f"! systemctl -q is-enabled {unit}" for unit in units)
        return [
            *self.forget_steps(before),
            command_step(
                "disable iSCSI logins at boot",
                off,
                f"systemctl -q --no-reload disable {' '.join(units)}\nsystemctl stop"
                f" {' '.join(self.daemons)}",
            ),
            *([remove_file(f"/etc/iscsi/ifaces/{self._card}")] if self.interface else []),
            remove_file(_MODULES),
            restore(self.study_id, _NAME),
            secret_removal(self.study_id),
        ]
