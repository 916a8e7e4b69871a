"""A node's sessions to volumes with several paths, and the dm-multipath devices that join them.

A study's devices coexist with other multipath devices of the node.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from seatrial.plan.plan import Step, write_file
from seatrial.solutions.parts import stuck_sessions
from seatrial.solutions.parts.backups import backup_of, restore
from seatrial.solutions.parts.iscsi_initiator import Initiator
from seatrial.solutions.parts.steps import need_commands

CONFIG = "/etc/multipath.conf"


@dataclass(frozen=True)
class Joined:
    """The sessions of one node and the multipath devices of their disks."""

    sessions: Initiator
    targets: str
    """pattern of the targets' iSCSI names"""
    maps: Mapping[str, str]
    """WWID of each device, in order -> further lines for its section"""
    choice: str
    """lines with the choice of the path"""
    title: str
    reason: str
    key: str = ""
    """line with the node's key for persistent reservations"""

    def steps(self, *before_login: Step) -> list[Step]:
        """Log in at every portal, join the paths, watch the sessions; see `Initiator`."""
        study_id = self.sessions.study_id
        joined = write_file(
            CONFIG,
            self._text(),
            title=self.title,
            after="! systemctl -q is-active multipathd || multipathd reconfigure",
            takes=(("maps", study_id),),
            backup=backup_of(study_id, CONFIG),
            reason=self.reason,
        )
        return [
            need_commands({"iscsiadm": "open-iscsi", "multipath": "multipath-tools"}),
            *self.sessions.steps(joined, *before_login),
            *stuck_sessions.steps(self.targets),
        ]

    def clearing(self) -> list[Step]:
        """Log out temporarily."""
        return self.sessions.forget_steps(before=self._flushed())

    def removal(self) -> list[Step]:
        """Log out and delete the targets' records."""
        return [
            *stuck_sessions.removal(),
            *self.sessions.removal(before=self._flushed()),
            restore(self.sessions.study_id, CONFIG),
        ]

    def _names(self) -> list[str]:
        return [device.rpartition("/")[2] for device in self.sessions.devices]

    def _flushed(self) -> str:
        """Sh that flushes only these devices: `-F` would flush all unused devices of the node."""
        return (
            f"for map in {' '.join(self._names())}; do\n"
            "    [ ! -e /dev/mapper/$map ] || multipath -f $map || true\ndone\n"
        )

    def _text(self) -> str:
        exceptions = "".join(f'    wwid "{wwid}"\n' for wwid in self.maps)
        maps = "".join(
            f"    multipath {{\n        wwid {wwid}\n        alias {name}\n{more}    }}\n"
            for name, (wwid, more) in zip(self._names(), self.maps.items(), strict=True)
        )
        return f"""\
# seatrial
defaults {{
    user_friendly_names yes
    find_multipaths no
    polling_interval 1
    max_polling_interval 2
{self.choice}    path_checker tur
    checker_timeout 5
    no_path_retry queue
    fast_io_fail_tmo {self.sessions.timers.replace_s}
    dev_loss_tmo 600
{self.key}}}
blacklist {{
    wwid ".*"
}}
blacklist_exceptions {{
{exceptions}}}
multipaths {{
{maps}}}
"""
