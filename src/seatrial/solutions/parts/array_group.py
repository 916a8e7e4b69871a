"""A group of array members: each a node with disks, whose volumes all initiators find at one address.

Each member divides its RAID set into volumes, and each volume is an iSCSI target of its own, as EqualLogic groups have
it. The group's address belongs to the first member. It names the targets of all members to who asks (SendTargets), and
sends a login for another member's volume on to that member (RFC 7143, 11.13.5, status class 1: redirection), so that
only discovery and logins pass through it. tgt in user space offers this; the kernel's target does not.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from seatrial.plan.plan import Step, remove_file, write_file
from seatrial.solutions.parts import initiator, tgt
from seatrial.solutions.parts.raid import Array
from seatrial.solutions.parts.steps import need_commands, reread

PORT = 3260
GROUP = "seatrial-group"
"""each member's own volume group, which its volumes are taken from"""
SHARED = "shared"
"""the volume that holds the member's part of the file system"""
_UNIT = "/etc/systemd/system/tgt.service.d"


@dataclass(frozen=True)
class Volume:
    """A volume of one member: an iSCSI target with one LUN."""

    study_id: str
    member: str
    name: str

    @property
    def target(self) -> str:
        """Its iSCSI name."""
        return f"iqn.2026-01.org.seatrial:{self.study_id}:{self.member}:{self.name}"

    @property
    def serial(self) -> str:
        """Distinct and hexadecimal, as udev's rules want it."""
        return hashlib.sha256(f"{self.study_id}/{self.member}/{self.name}".encode()).hexdigest()[:16]

    @property
    def device(self) -> str:
        """Where an initiator sees it: by the registered NAA identifier that tgt makes of its scsi_id."""
        return f"/dev/disk/by-id/scsi-36{'0' * 15}{self.serial}"

    @property
    def backing(self) -> str:
        """Where its member has it."""
        return f"/dev/{GROUP}/{self.name}"


@dataclass(frozen=True)
class Member:
    """One node of the group."""

    study_id: str
    node: str
    portal: str
    """its own name or address on the storage network"""
    array: Array
    raw_volumes: int = 0
    """beside its part of the file system"""
    raw_bytes: int = 0
    """of each"""

    @property
    def volumes(self) -> tuple[Volume, ...]:
        """Its part of the file system first."""
        names = (SHARED, *(f"raw{number}" for number in range(1, self.raw_volumes + 1)))
        return tuple(Volume(self.study_id, self.node, name) for name in names)


@dataclass(frozen=True)
class ArrayGroup:
    """The members, and the address under which all of them are found."""

    study_id: str
    members: tuple[Member, ...]
    address: str | None
    """with the length of its prefix; None: every member is asked by itself"""

    @property
    def portals(self) -> tuple[str, ...]:
        """What is asked for targets."""
        if self.address is None:
            return tuple(member.portal for member in self.members)
        return (self.address.partition("/")[0],)

    @property
    def volumes(self) -> tuple[Volume, ...]:
        """Every volume of every member."""
        return tuple(volume for member in self.members for volume in member.volumes)

    def member(self, node: str) -> Member:
        """The member that a node is."""
        return next(member for member in self.members if member.node == node)

    # ---- what makes a member

    def steps(self, node: str) -> list[Step]:
        """Offer its volumes, now and after every boot; its RAID set is there."""
        member = self.member(node)
        units = f"dev-{GROUP.replace('-', chr(92) + 'x2d')}-{SHARED}.device"
        return [
            need_commands({"tgtd": "tgt", "mdadm": "mdadm", "vgcreate": "lvm2"}),
            tgt.send_buffers(),
            self._divide(member),
            self._redirection(member),
            write_file(
                f"{_UNIT}/seatrial-{self.study_id}.conf",
                f"[Unit]\nWants={units}\nAfter={units}\n[Service]\nExecStartPost={self._script}",
                title="have the iSCSI target wait at boot until the array is assembled",
                after=reread("tgt.service"),
                reason="a target that starts before its array offers nothing, and never looks again",
            ),
            write_file(
                self._target_file,
                _target_text(member.volumes),
                title=f"offer {len(member.volumes)} volume{'s' if len(member.volumes) > 1 else ''}",
                after=f"! systemctl -q is-active tgt || {{ tgt-admin --update ALL --force; {self._script}; }}",
            ),
            Step(
                "have the iSCSI target run, and offer them",
                "systemctl -q is-active tgt && systemctl -q is-enabled tgt &&\n"
                "offered=$(tgtadm --lld iscsi --mode target --op show) &&\n"
                + " &&\n".join(f'case $offered in *"{name}"*) ;; *) false ;; esac' for name in self._offers(member)),
                "systemctl -q is-enabled tgt || systemctl -q --no-reload enable tgt\nsystemctl restart tgt",
                takes=(("targets", f"iqn.2026-01.org.seatrial:{self.study_id}"),),
            ),
        ]

    def _offers(self, member: Member) -> list[str]:
        """The targets that a member names to who asks it."""
        return [volume.target for volume in (self.volumes if self._leads(member) else member.volumes)]

    def _leads(self, member: Member) -> bool:
        return self.address is not None and member == self.members[0]

    def _divide(self, member: Member) -> Step:
        """Another study's group may stand on other disks of this node: its name alone proves nothing."""
        device = member.array.device
        made = (
            f'vgs --noheadings -o tags {GROUP} 2>/dev/null | grep -q seatrial-made && [ "$(readlink -f {device})" = '
            f'"$(readlink -f $(pvs --noheadings -o pv_name -S vg_name={GROUP}))" ]'
        )
        volumes = "".join(
            f"lvcreate -q -y -W n -n {volume.name} -L {member.raw_bytes}b {GROUP}\n" for volume in member.volumes[1:]
        )
        return Step(
            f"divide {device} into {len(member.volumes)} volume{'s' if len(member.volumes) > 1 else ''}",
            made,
            f"must_be_blank {device}\nvgcreate -q -y {GROUP} {device}\n{volumes}"
            f"lvcreate -q -y -W n -n {SHARED} -l 100%FREE {GROUP}\nvgchange -q --addtag seatrial-made {GROUP}",
        )

    @property
    def _script(self) -> str:
        return f"/usr/local/sbin/seatrial-group-{self.study_id}"

    def _redirection(self, member: Member) -> Step:
        """What tgt's own configuration files cannot say."""
        others = [volume for volume in self.volumes if volume.member != member.node] if self._leads(member) else []
        lines = "".join(f"send_on {volume.target} {self.member(volume.member).portal}\n" for volume in others)
        number = "100"  # behind every number that tgt-admin gives, which counts from 1
        return write_file(
            self._script,
            f"""\
#!/bin/sh
# The group's address, and the volumes of other members: who logs in to one here is sent on to its member.
{self._hold_address(member)}number={number}
known=$(tgtadm --lld iscsi --mode target --op show)
send_on() {{
    number=$((number + 1))
    address=$(getent ahostsv4 "$2" | {{ read -r address rest; echo "$address"; }})
    case $known in *"$1"*) return ;; esac
    tgtadm --lld iscsi --mode target --op new --tid $number -T "$1"
    tgtadm --lld iscsi --mode target --op update --tid $number --name RedirectAddress --value "$address"
    tgtadm --lld iscsi --mode target --op update --tid $number --name RedirectPort --value {PORT}
    tgtadm --lld iscsi --mode target --op update --tid $number --name RedirectReason --value Temporary
    tgtadm --lld iscsi --mode target --op bind --tid $number -I ALL
}}
{lines}exit 0
""",
            mode="755",
            title="answer for the whole group" if others else "answer for its own volumes",
            after=f"! systemctl -q is-active tgt || {self._script}",
            reason="initiators need to know one address, and data go straight to the member that has them"
            if others
            else None,
        )

    def _hold_address(self, member: Member) -> str:
        if not self._leads(member):
            return ""
        return (
            f'own=$(getent ahostsv4 {member.portal} | {{ read -r address rest; echo "$address"; }})\n'
            'link=$(ip -o -4 address show to "$own")\nlink=${link#*: }\nlink=${link%%[ @]*}\n'
            f'ip address replace {self.address} dev "$link"\n'
        )

    # ---- what ends it

    def clearing(self, node: str, *, erase: bool) -> list[Step]:
        """Offer nothing for now; the volumes stay unless the disks below them are to be erased."""
        stop = Step("stop the iSCSI target", "! systemctl -q is-active tgt", "systemctl stop tgt")
        return [stop, *self._let_go(self.member(node), erase=erase)]

    def removal(self, node: str, *, erase: bool) -> list[Step]:
        """Offer nothing any more; the volumes stay unless the disks below them are to be erased."""
        member = self.member(node)
        steps = [
            Step(
                "stop the iSCSI target",
                "! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt",
                "systemctl -q --no-reload disable tgt\nsystemctl stop tgt",
            ),
            tgt.removal(),
            remove_file(self._target_file),
            remove_file(f"{_UNIT}/seatrial-{self.study_id}.conf", after=reread("tgt.service")),
        ]
        if self._leads(member):
            address = str(self.address)
            steps.append(
                Step(
                    f"let go of the group's address {address}",
                    f"! ip -o -4 address show to {address.partition('/')[0]} | grep -q .",
                    f"link=$(ip -o -4 address show to {address.partition('/')[0]})\nlink=${{link#*: }}\n"
                    f'link=${{link%%[ @]*}}\nip address del {address} dev "$link"',
                )
            )
        return [*steps, remove_file(self._script), *self._let_go(member, erase=erase)]

    @staticmethod
    def _let_go(member: Member, *, erase: bool) -> list[Step]:
        steps = [Step("let go of the volumes", f"! ls /dev/{GROUP} >/dev/null 2>&1", f"vgchange -q -an {GROUP}")]
        if erase:
            steps.append(
                Step(
                    "remove the volumes, as --wipe allows",
                    f"! vgs {GROUP} >/dev/null 2>&1",
                    f"vgremove -q -y -f {GROUP}\npvremove -q -y -ff {member.array.device}",
                )
            )
        return steps

    @property
    def _target_file(self) -> str:
        return f"/etc/tgt/conf.d/seatrial-{self.study_id}.conf"


def _target_text(volumes: Sequence[Volume]) -> str:
    targets = "".join(
        f"<target {volume.target}>\n    <backing-store {volume.backing}>\n        lun 1\n        bs-type rdwr\n"
        f"        write-cache on\n        scsi_id {volume.serial}\n        scsi_sn {volume.serial}\n"
        "        vendor_id SEATRIAL\n        product_id VOLUME\n    </backing-store>\n</target>\n"
        for volume in volumes
    )
    return f"default-driver iscsi\n{targets}".rstrip()


# ---- the initiators' side


@dataclass(frozen=True)
class PathTimers:
    """How long a member may be silent."""

    probe_s: int
    """between two looks at an idle session, and for its answer (iSCSI NOP-Out)"""
    replace_s: int
    """so long commands wait for a session that was lost; then they fail, and the file system withdraws"""


@dataclass(frozen=True)
class Initiators:
    """The compute nodes, each with a session to every volume."""

    group: ArrayGroup
    interface: str | None
    """the card that sessions are bound to; None: whichever leads there"""
    timers: PathTimers

    def initiator(self, node: str) -> str:
        """The iSCSI name of a node."""
        return f"iqn.2026-01.org.seatrial:{self.group.study_id}.{node}"

    def steps(self, node: str, volumes: Sequence[Volume]) -> list[Step]:
        """Find the targets, and have a session to each of these volumes, now and after every boot."""
        there = " && ".join(f"[ -b {volume.device} ]" for volume in volumes)
        names = [volume.target for volume in volumes]
        targets = " ".join(names)
        # Each by its name: after the group has grown there are more.
        sessions = "known=$(iscsiadm -m session 2>/dev/null) &&\n" + " &&\n".join(
            f'case $known in *"{name} "*) ;; *) false ;; esac' for name in names
        )
        return [
            need_commands({"iscsiadm": "open-iscsi"}),
            initiator.name_step(
                self.group.study_id, self.initiator(node), f"iqn.2026-01.org.seatrial:{self.group.study_id}"
            ),
            write_file(
                "/etc/modules-load.d/seatrial-storage.conf",
                "iscsi_tcp\nsd_mod",
                after="for module in iscsi_tcp sd_mod; do modprobe $module || true; done",
            ),
            *self._bound(),
            self._found(volumes),
            Step(
                f"have a session to {len(names)} volumes, now and after every boot",
                f"systemctl -q is-active iscsid && systemctl -q is-enabled open-iscsi &&\n{sessions} &&\n{there}",
                "systemctl -q is-enabled open-iscsi || systemctl -q --no-reload enable iscsid open-iscsi\n"
                "systemctl start iscsid\n"
                f"known=$(iscsiadm -m session 2>/dev/null || true)\nfor target in {targets}; do\n"
                '    case $known in *"$target "*) ;; *) iscsiadm -m node -T $target --login ;; esac\ndone\n'
                "udevadm settle --timeout=30\n"
                f"tries=0\nuntil {there}; do\n    tries=$((tries + 1)); [ $tries -lt 60 ]; sleep 0.5\ndone",
            ),
        ]

    @property
    def _iface(self) -> str:
        return f"seatrial-{self.group.study_id}" if self.interface else "default"

    def _bound(self) -> list[Step]:
        if not self.interface:
            return []
        return [
            Step(
                f"bind sessions to {self.interface}",
                f"grep -qx 'iface.net_ifacename = {self.interface}' /etc/iscsi/ifaces/{self._iface}",
                f"systemctl start iscsid\niscsiadm -m iface -I {self._iface} -o new\n"
                f"iscsiadm -m iface -I {self._iface} -o update -n iface.net_ifacename -v {self.interface}",
                reason="data must not take another of the node's networks, whatever its routes say",
            )
        ]

    def _settings(self) -> Mapping[str, str]:
        return {
            "node.startup": "automatic",
            "node.session.timeo.replacement_timeout": str(self.timers.replace_s),
            "node.conn[0].timeo.noop_out_interval": str(self.timers.probe_s),
            "node.conn[0].timeo.noop_out_timeout": str(self.timers.probe_s),
            "node.session.initial_login_retry_max": "8",
        }

    def _found(self, volumes: Sequence[Volume]) -> Step:
        """Ask the group; what it was asked for and told is noted, so that another group is asked again."""
        settings = " ".join(f"-n '{key}' -v {value}" for key, value in self._settings().items())
        targets = " ".join(volume.target for volume in volumes)
        portals = " ".join(self.group.portals)
        wanted = hashlib.sha256(f"{self._iface} {portals} {targets} {settings}".encode()).hexdigest()[:16]
        asked = "\n".join(
            f"iscsiadm -m discovery -t sendtargets -p {portal}:{PORT} -I {self._iface} >>$found"
            for portal in self.group.portals
        )
        told = "\n".join(f"grep -q '{volume.target}$' $found" for volume in volumes)
        update = "".join(
            f"    iscsiadm -m node -T $target -o update -n '{key}' -v {value}\n"
            for key, value in self._settings().items()
        )
        return Step(
            f"find {len(volumes)} volumes at {portals}",
            f"grep -qx {wanted} {self._noted} && iscsiadm -m node >/dev/null",
            f"systemctl start iscsid\nfound=$(mktemp)\ntrap 'rm -f $found' EXIT\n{asked}\n{told}\n"
            f"for target in {targets}; do\n{update}done\necho {wanted} >{self._noted}",
        )

    @property
    def _noted(self) -> str:
        return f"/etc/iscsi/seatrial-{self.group.study_id}"

    def clearing(self) -> list[Step]:
        """Log out and forget the group."""
        ours = _common([volume.target for volume in self.group.volumes])
        return [
            Step(
                "forget the group",
                f'! iscsiadm -m node 2>/dev/null | grep -q "{ours}"',
                f'for target in $(iscsiadm -m node | grep -o "{ours}[^ ]*"); do\n'
                "    iscsiadm -m node -T $target --logout || true\n    iscsiadm -m node -T $target -o delete\ndone",
            ),
            remove_file(self._noted),
        ]

    def removal(self) -> list[Step]:
        """The same, and log in to nothing after a boot."""
        return [
            *self.clearing(),
            Step(
                "log in to nothing after a boot",
                "! systemctl -q is-enabled open-iscsi && ! systemctl -q is-enabled iscsid",
                "systemctl -q --no-reload disable open-iscsi iscsid",
            ),
            *([remove_file(f"/etc/iscsi/ifaces/{self._iface}")] if self.interface else []),
            remove_file("/etc/modules-load.d/seatrial-storage.conf"),
            initiator.name_removal(self.group.study_id),
        ]


def _common(names: Sequence[str]) -> str:
    """What every target of the study begins with."""
    return names[0].rsplit(":", 2)[0] + ":"
