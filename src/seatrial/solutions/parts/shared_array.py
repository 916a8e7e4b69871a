"""A shared array: one node's RAID set as a LUN, which servers reach by iSCSI over several storage networks.

The target is tgt, in user space over md: it survived what the kernel's target did not (decision 0009), and it knows
SCSI-3 persistent reservations. Each storage network is a path; the servers join them with dm-multipath.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from seatrial.plan.plan import Step, remove_file, write_file
from seatrial.solutions.parts import initiator, stuck_sessions, tgt
from seatrial.solutions.parts.kept import give_back, write_kept
from seatrial.solutions.parts.raid import Array
from seatrial.solutions.parts.steps import need_commands, reread, units_are

PORT = 3260
SHARES = "seatrial-array"
"""the array's own volume group, where it offers several LUNs"""
_MULTIPATH = "/etc/multipath.conf"
PERSIST = "/usr/local/sbin/seatrial-mpathpersist"
_PERSIST_TEXT = """\
#!/bin/bash
# mpathpersist for fence_mpath and an array that knows PREEMPT, but not PREEMPT AND ABORT.
exec /usr/sbin/mpathpersist "${@/#--preempt-abort/--preempt}"
"""


@dataclass(frozen=True)
class PathTimers:
    """How long a path, and then all of them, may be silent."""

    probe_s: int
    """between two looks at an idle session, and for its answer (iSCSI NOP-Out)"""
    replace_s: int
    """a session that was lost may come back so long before its commands go to another path"""


@dataclass(frozen=True)
class SharedArray:
    """One array node and the servers that use its LUNs."""

    study_id: str
    node: str
    array: Array
    luns: tuple[str, ...]
    """a name for each volume; the array is divided evenly"""
    portals: tuple[str, ...]
    """the array's address on each storage network, in order"""
    timers: PathTimers
    keys: Mapping[str, str] = field(default_factory=dict)
    """server -> its key for persistent reservations, in hexadecimal; without keys none are used"""

    @property
    def target(self) -> str:
        """The iSCSI name of the array."""
        return f"iqn.2026-01.org.seatrial:{self.study_id}"

    def initiator(self, server: str) -> str:
        """The iSCSI name of a server."""
        return f"iqn.2026-01.org.seatrial:{self.study_id}.{server}"

    def serial(self, lun: str) -> str:
        """Distinct and hexadecimal, as udev's rules want it."""
        return hashlib.sha256(f"{self.study_id}/{lun}".encode()).hexdigest()[:16]

    def wwid(self, lun: str) -> str:
        """What multipath knows a LUN by: the registered NAA identifier that tgt makes of its scsi_id."""
        return f"36{'0' * 15}{self.serial(lun)}"

    def device(self, lun: str) -> str:
        """Where the servers see a LUN, over all paths."""
        return f"/dev/mapper/{self.study_id}-{lun}"

    def backing(self, lun: str) -> str:
        """The array's own device behind a LUN."""
        if len(self.luns) == 1:
            return self.array.device
        return f"/dev/{SHARES}/{lun}"

    # ---- on the array

    def array_steps(self) -> list[Step]:
        """Export the RAID set, now and after every boot."""
        units = " ".join(dict.fromkeys(_device_unit(self.backing(lun)) for lun in self.luns))
        offered = f"tgtadm --lld iscsi --mode target --op show | grep -q '{self.target}'"
        return [
            need_commands({"tgtd": "tgt", "mdadm": "mdadm", **({"vgcreate": "lvm2"} if len(self.luns) > 1 else {})}),
            tgt.send_buffers(),
            *self._shares(),
            write_file(
                self._order_file(),
                f"[Unit]\nWants={units}\nAfter={units}",
                title="have the iSCSI target wait at boot until the array is assembled",
                after=reread("tgt.service"),
                reason="a target that starts before its array offers nothing, and never looks again",
            ),
            write_file(
                self._target_file(),
                self._target_text(),
                title=f"offer {', '.join(self.luns)} on every storage network",
                after="! systemctl -q is-active tgt || tgt-admin --update ALL --force",
            ),
            Step(
                "have the iSCSI target run, and offer them",
                f"systemctl -q is-active tgt && systemctl -q is-enabled tgt &&\n{offered}",
                # After a boot it may be about to start by itself: started anew, it would lose its initiators again.
                f"systemctl -q --no-reload enable tgt\nsystemctl start tgt\n{offered} || systemctl restart tgt",
                takes=(("targets", self.target),),
            ),
        ]

    def _shares(self) -> list[Step]:
        """With several LUNs, each is an equal share of the set: a logical volume of the array's own."""
        if len(self.luns) == 1:
            return []
        # Another study's group may stand on other disks of this node: its name alone proves nothing.
        device = self.array.device
        made = (
            f'vgs --noheadings -o tags {SHARES} 2>/dev/null | grep -q seatrial-made && [ "$(readlink -f {device})" = '
            f'"$(readlink -f $(pvs --noheadings -o pv_name -S vg_name={SHARES}))" ]'
        )
        volumes = "\n".join(
            f"lvcreate -q -y -W n -n {lun} -l {100 // left}%FREE {SHARES}"
            for lun, left in zip(self.luns, range(len(self.luns), 0, -1), strict=True)
        )
        return [
            Step(
                f"share {self.array.device} out to {', '.join(self.luns)}",
                made,
                f"must_be_blank {self.array.device}\nvgcreate -q -y {SHARES} {self.array.device}\n{volumes}\n"
                f"vgchange -q --addtag seatrial-made {SHARES}",
            )
        ]

    def array_removal(self) -> list[Step]:
        """Offer nothing any more."""
        return [
            tgt.removal(),
            remove_file(self._target_file()),
            Step(
                "stop the iSCSI target",
                "! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt",
                "systemctl -q --no-reload disable tgt\nsystemctl stop tgt",
            ),
            *(
                [
                    Step(
                        "let go of the LUNs",
                        f"! ls /dev/{SHARES} >/dev/null 2>&1",
                        f"vgchange -q -an {SHARES}",
                    )
                ]
                if len(self.luns) > 1
                else []
            ),
            remove_file(self._order_file(), after=reread("tgt.service")),
        ]

    def _order_file(self) -> str:
        return f"/etc/systemd/system/tgt.service.d/seatrial-{self.study_id}.conf"

    def _target_file(self) -> str:
        return f"/etc/tgt/conf.d/seatrial-{self.study_id}.conf"

    def _target_text(self) -> str:
        luns = "".join(
            f"    <backing-store {self.backing(lun)}>\n"
            f"        lun {number}\n        bs-type rdwr\n        write-cache on\n"
            f"        scsi_id {self.serial(lun)}\n        scsi_sn {self.serial(lun)}\n"
            "        vendor_id SEATRIAL\n        product_id ARRAY\n    </backing-store>\n"
            for number, lun in enumerate(self.luns, start=1)
        )
        return f"default-driver iscsi\n<target {self.target}>\n{luns}</target>"

    # ---- on the servers

    def server_steps(self, server: str) -> list[Step]:
        """Log in over every storage network, and join the paths."""
        return [
            need_commands({"iscsiadm": "open-iscsi", "multipath": "multipath-tools"}),
            initiator.name_step(self.study_id, self.initiator(server), self.target),
            write_file(
                "/etc/modules-load.d/seatrial-storage.conf",
                "iscsi_tcp\nsd_mod\ndm_multipath\ndm_round_robin\nscsi_dh_alua",
                after="for module in iscsi_tcp sd_mod dm_multipath dm_round_robin; do modprobe $module || true; done",
            ),
            write_kept(self.study_id, self._multipath_step(server), _MULTIPATH),
            *self._persist_steps(),
            self._records(),
            Step(
                "have every path logged in, now and after every boot",
                f"{units_are('active', 'iscsid', 'multipathd')} && {units_are('enabled', 'open-iscsi')} &&\n"
                f"{self._sessions()} &&\n" + " && ".join(f"[ -b {self.device(lun)} ]" for lun in self.luns),
                "systemctl -q --no-reload enable iscsid open-iscsi multipathd\nsystemctl start iscsid multipathd\n"
                f"{self._sessions()} || iscsiadm -m node -T {self.target} --login || {self._sessions()}\n"
                "udevadm settle --timeout=30\n"
                f"tries=0\nuntil {' && '.join(f'[ -b {self.device(lun)} ]' for lun in self.luns)}; do\n"
                "    tries=$((tries + 1)); [ $tries -lt 60 ]; sleep 0.5\ndone",
            ),
            *stuck_sessions.steps(self.target),
        ]

    def _multipath_step(self, server: str) -> Step:
        return write_file(
            _MULTIPATH,
            self._multipath_text(server),
            title="join the paths to each LUN",
            after="! systemctl -q is-active multipathd || multipathd reconfigure",
            takes=(("maps", self.study_id),),
            reason="with no path left, commands wait: if they failed, the NFS server would pass the error on to "
            "programs, before the cluster could have it fenced",
        )

    def server_removal(self) -> list[Step]:
        """Log out and forget the array."""
        return [
            *stuck_sessions.removal(),
            Step(
                "forget the paths",
                f"! iscsiadm -m node -T {self.target} >/dev/null 2>&1",
                f"! systemctl -q is-active multipathd || multipath -F || true\n"
                f"iscsiadm -m node -T {self.target} --logout || true\niscsiadm -m node -T {self.target} -o delete\n"
                "systemctl -q --no-reload disable open-iscsi multipathd iscsid\nsystemctl stop multipathd iscsid",
            ),
            remove_file(f"/etc/iscsi/seatrial-{self.study_id}"),
            give_back(self.study_id, _MULTIPATH),
            initiator.name_removal(self.study_id),
            remove_file("/etc/modules-load.d/seatrial-storage.conf"),
            *([remove_file(PERSIST)] if self.keys else []),
        ]

    def _persist_steps(self) -> list[Step]:
        if not self.keys:
            return []
        return [
            write_file(
                PERSIST,
                _PERSIST_TEXT,
                mode="755",
                title="take keys from the array with a command that it knows",
                reason="tgt refuses PREEMPT AND ABORT; what it had begun to write it ends within milliseconds",
            )
        ]

    def key_step(self, server: str) -> Step | None:
        """What gives a member back a key that was taken from it while it ran on; None without reservations."""
        if server not in self.keys:
            return None
        devices = ",".join(self.device(lun) for lun in self.luns)
        registered = " && ".join(
            f"mpathpersist --in --read-keys {self.device(lun)} | grep -qi '0x0*{self.keys[server]}$'"
            for lun in self.luns
        )
        idle = " || ".join(f"[ -e /dev/st-{lun}/{lun} ]" for lun in self.luns)
        return Step(
            "have its key at the array",
            registered,
            # With its volumes still active here, it would write again to what another server uses.
            f"tries=0\nwhile {idle}; do tries=$((tries + 1)); [ $tries -lt 60 ]; sleep 1; done\n"
            f"fence_mpath -o on --plug={self.keys[server]} --devices={devices} --mpathpersist-path={PERSIST}",
            reason="a server that was fenced by a device that lied was never started anew, and never unfenced",
        )

    def _sessions(self) -> str:
        return f'[ "$(iscsiadm -m session 2>/dev/null | grep -c {self.target})" = {len(self.portals)} ]'

    def _settings(self) -> Mapping[str, str]:
        timers = self.timers
        return {
            "node.startup": "automatic",
            "node.session.timeo.replacement_timeout": str(timers.replace_s),
            "node.conn[0].timeo.noop_out_interval": str(timers.probe_s),
            "node.conn[0].timeo.noop_out_timeout": str(timers.probe_s),
            "node.session.initial_login_retry_max": "4",
        }

    def _records(self) -> Step:
        """One record a portal, written as a whole: discovery would ask an array that may be half out of reach."""
        settings = " ".join(f"-n '{key}' -v {value}" for key, value in self._settings().items())
        wanted = f"{self.target} {' '.join(self.portals)} {settings}"
        noted = hashlib.sha256(wanted.encode()).hexdigest()[:16]
        update = "\n".join(
            f"iscsiadm -m node -T {self.target} -p {portal}:{PORT} -o new >/dev/null\n"
            + "\n".join(
                f"iscsiadm -m node -T {self.target} -p {portal}:{PORT} -o update -n '{key}' -v {value}"
                for key, value in self._settings().items()
            )
            for portal in self.portals
        )
        return Step(
            f"know the array by {len(self.portals)} portals",
            f"grep -qx {noted} /etc/iscsi/seatrial-{self.study_id} && iscsiadm -m node -T {self.target} >/dev/null",
            f"systemctl start iscsid\n{update}\necho {noted} >/etc/iscsi/seatrial-{self.study_id}",
        )

    def _multipath_text(self, server: str) -> str:
        key = f"    reservation_key 0x{self.keys[server]}\n" if server in self.keys else ""
        ours = "".join(f'    wwid "{self.wwid(lun)}"\n' for lun in self.luns)
        aliases = "".join(
            f"    multipath {{\n        wwid {self.wwid(lun)}\n        alias {self.study_id}-{lun}\n    }}\n"
            for lun in self.luns
        )
        return f"""\
# seatrial
defaults {{
    user_friendly_names yes
    find_multipaths no
    polling_interval 1
    max_polling_interval 2
    path_grouping_policy multibus
    path_selector "round-robin 0"
    path_checker tur
    checker_timeout 5
    no_path_retry queue
    fast_io_fail_tmo {self.timers.replace_s}
    dev_loss_tmo 600
{key}}}
blacklist {{
    wwid ".*"
}}
blacklist_exceptions {{
{ours}}}
multipaths {{
{aliases}}}
"""


def _device_unit(device: str) -> str:
    """A device as systemd calls it (systemd.unit(5), string escaping for inclusion in unit names)."""
    escaped = device.strip("/").replace("-", chr(92) + "x2d")
    return f"{escaped.replace('/', '-')}.device"
