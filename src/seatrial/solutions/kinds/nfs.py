"""Solution `nfs`: one Linux kernel NFS server on md RAID, exported to every client.

Safe by default: the export is `sync` and squashes root; `async` only when the study says so, with a warning.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from seatrial.basics.schema import Duration, Model, Size, validate
from seatrial.basics.text import MountOption
from seatrial.plan.plan import Plan, Stage, Step, remove_file, write_file
from seatrial.plan.site import Site
from seatrial.solutions.base import Moment, Wipe, options_data
from seatrial.solutions.parts import journal
from seatrial.solutions.parts.single_server import ServerOptions, SingleServer, placed
from seatrial.solutions.parts.steps import (
    fstab_line,
    is_mounted,
    need_commands,
    note_mount,
    read_ahead,
    show_mount,
    unmount,
)
from seatrial.study.study import Study
from seatrial.study.timers import Timer, retransmission

_GRACE = re.compile(r"NFSD: starting (\d+)-second grace period")
_GRACE_ENDED = "NFSD: all clients done reclaiming"
RESERVED_OPTIONS = ("vers", "nfsvers", "proto")


class Export(Model):
    """`export: {mode: sync, threads: 128}`."""

    mode: Literal["sync", "async"] = "sync"
    root_squash: bool = True
    threads: Annotated[int, Field(ge=1, le=4096)] = 64
    lease: Duration = Field(
        90.0, ge=10, le=3600, multiple_of=1, description="NFSv4 lease and grace; Linux takes no less than 10 s"
    )


class Mount(Model):
    """`mount: {version: 4.2, options: [hard, noatime]}`."""

    version: Annotated[Literal["3", "4", "4.0", "4.1", "4.2"], BeforeValidator(str)] = "4.2"
    transport: Literal["tcp", "udp"] = Field("tcp", description="udp: many kernels have no NFS over UDP any more")
    options: tuple[MountOption, ...] = ("hard", "noatime")
    readahead: Size | None = Field(None, description="how far a client reads ahead; the kernel's own when absent")


class Options(ServerOptions):
    """The keys of `solution` when its kind is nfs."""

    kind: Literal["nfs"]
    export: Export = Export()
    mount: Mount = Mount()


def load(study: Study, site: Site) -> "Nfs":
    """Read and check the options against the nodes."""
    options = validate(Options, options_data(study), study.source, ("solution",))
    server, clients = placed(study, site, options)
    for option in options.mount.options:
        if option.split("=")[0] in RESERVED_OPTIONS:
            raise study.mistake(("solution", "mount", "options"), _said_by(option))
    return Nfs(study.id, options, site, server, clients)


def _said_by(option: str) -> str:
    return f"{option!r} is said by mount.{'transport' if option.startswith('proto') else 'version'}; leave it out"


@dataclass(frozen=True)
class Nfs(SingleServer):
    """The solution at a site; see `solutions.base.Solution`."""

    options: Options

    @property
    def timers(self) -> dict[str, Timer]:
        """What an outage of its clients is made of, by name."""
        lease_s = self.options.export.lease
        return {
            "grace": Timer(
                lease_s,
                f"nfsd's grace of {lease_s:.0f} s: nothing is opened until all have reclaimed, and a client of NFSv4.0 "
                "cannot say that it has (RFC 7530, section 9.6.3)",
            ),
            "retransmission": retransmission(self.options.mount.options),
        }

    def moments_command(self, since_boot_s: float) -> str:
        """What its kernel says of the grace."""
        return journal.command(since_boot_s, ("grace period",), kernel_only=True)

    def moments(self, node: str, answer: str) -> list[Moment]:
        """The boot, and the beginning and the end of each grace; the kernel says nothing of one that has run out."""
        found = [Moment(0.0, node, "booted", "the kernel was started")]
        for begun_s, text in journal.lines(answer):
            if match := _GRACE.match(text):
                lasts_s = float(match[1])
                found.append(Moment(begun_s, node, "grace", f"nfsd runs; nothing is opened for {lasts_s:.0f} s"))
                found.append(Moment(begun_s + lasts_s, node, "grace-ended", "the grace has run out"))
            elif text.startswith(_GRACE_ENDED):
                found = [item for item in found if item.what != "grace-ended" or item.boottime_s < begun_s]
                found.append(Moment(begun_s, node, "grace-ended", "all clients have reclaimed"))
        return sorted(found, key=lambda item: item.boottime_s)

    def plan(self, wipe: Wipe) -> Plan:
        """Array, file system, export, mounts."""
        packages = need_commands({"exportfs": "nfs-kernel-server", **self.storage_packages()})
        stages = [
            Stage("packages", {self.server: (packages,)} | self.each_client((_client_packages(),))),
            self.network_stage(),
            *self.storage_stages(wipe),
            Stage("export", {self.server: tuple(self._export_steps())}),
            Stage("mount", self.each_client(tuple(self._mount_steps()))),
        ]
        warnings = []
        if self.options.export.mode == "async":
            warnings.append(
                "The export is async: the server acknowledges writes that are only in its memory. "
                "If it fails, acknowledged data are lost."
            )
        title = f"NFS server {self.server} for {len(self.clients)} clients"
        return Plan(
            self.study_id, title, tuple(stage for stage in stages if any(stage.steps.values())), tuple(warnings)
        )

    def removal(self, wipe: Wipe) -> Plan:
        """The plan backwards; data stay on the disks unless their devices are named."""
        stages = [
            self.unmount_stage(remove_file(self._mounted_with()), remove_file(f"{self._mounted_with()}-readahead")),
            Stage("unexport", {self.server: tuple(self._unexport_steps())}),
            *self.array_removal(wipe),
        ]
        return Plan(self.study_id, f"take NFS server {self.server} out of service", tuple(stages))

    def empty_caches(self, clients: Sequence[str]) -> Plan:
        """Unmount, stop the service, remount the storage: the way of the 2010 paper (lines 303-315).

        NFSv4 keeps state of every client: one that stayed mounted would make all others wait for it to reclaim, up
        to the grace period. So all of them unmount; of v3 those that are about to read. A client of v4.0 is remembered
        all the same, and cannot say that it has reclaimed: the grace is ended by hand, as nobody has anything to
        reclaim.
        """
        everyone = self.options.mount.version != "3"
        # The kernel refuses (EIO) to end a grace that is over, and says so when it is read.
        forced = "/proc/fs/nfsd/v4_end_grace"
        end_grace = f"\ngrep -q Y {forced} || echo Y >{forced} || grep -q Y {forced}" if everyone else ""
        threads, path = self.options.export.threads, self.shared_path
        restart = Step(
            "stop the service, remount the storage, start the service",
            None,
            f"{self._refused_by_others()}"
            f"exportfs -ua\nrpc.nfsd 0\numount {path}\nsync\necho 3 >/proc/sys/vm/drop_caches\nmount {path}\n"
            f"exportfs -r\nrpc.nfsd {threads}{end_grace}",
        )
        unmount = Step(
            "unmount",
            f"! grep -q ' {self.directory} ' /proc/mounts",
            f"umount {self.directory}\necho 3 >/proc/sys/vm/drop_caches",
        )
        names = [name for name in self.clients if everyone or name in set(clients)]
        return Plan(
            self.study_id,
            "empty all caches",
            (
                Stage("unmount", dict.fromkeys(names, (unmount,))),
                Stage("restart the service", {self.server: (restart,)}),
                Stage("mount", dict.fromkeys(names, tuple(self._mount_steps()[1:]))),
            ),
        )

    def parts(self) -> list[tuple[str, str]]:
        """What was built."""
        options = self.options
        squash = "root_squash" if options.export.root_squash else "no_root_squash"
        return [
            *self.storage_parts(),
            ("export", f"{options.export.mode}, {squash}, {options.export.threads} nfsd threads"),
            ("mount", f"NFS v{options.mount.version}, {options.mount.transport}, {', '.join(options.mount.options)}"),
            ("MTU", str(self.mtu)),
        ]

    # ---- steps

    def _export_steps(self) -> list[Step]:
        export, path = self.options.export, self.shared_path
        flags = f"rw,{export.mode},{'root_squash' if export.root_squash else 'no_root_squash'},no_subtree_check"
        line = f"{path} " + " ".join(f"{self.address(name)}({flags})" for name in self.clients)
        service = (
            f"if systemctl -q is-active nfs-server; then rpc.nfsd {export.threads}; "
            "else systemctl -q --no-reload enable nfs-server; systemctl start nfs-server; fi"
        )
        etab = f"grep '^{path}[[:space:]]' /var/lib/nfs/etab"
        listed = f"{etab} | grep '[(,]rw[,)]' | grep -c '[(,]{export.mode}[,)]'"
        # Nobody has said it since the file was written: etab has other names for the clients than the file may have.
        said = f"[ ! {self._exports_file()} -nt /var/lib/nfs/etab ]"
        exported = f'{said} &&\n[ "$({listed})" = {len(self.clients)} ]'
        squash = "root_squash" if export.root_squash else "no_root_squash"
        own = (("exports", path),)
        return [
            write_file(self._exports_file(), line, title=f"export {path} to the clients", shown=True, takes=own),
            write_file(
                self._conf_file(),
                f"[nfsd]\nthreads={export.threads}\nlease-time={export.lease:.0f}\ngrace-time={export.lease:.0f}"
                + ("\nudp=y" if self.options.mount.transport == "udp" else ""),
                title=f"at every boot {export.threads} nfsd threads, a lease and a grace of {export.lease:.0f} s",
                shown=True,
            ),
            Step(
                f"have the NFS service run {export.threads} threads",
                "[ -e /proc/fs/nfsd/threads ] && read -r threads </proc/fs/nfsd/threads &&\n"
                f'[ "$threads" = {export.threads} ]',
                service,
                reason="one thread serves one request at a time: with too few, clients wait for each other",
                shows='read -r threads </proc/fs/nfsd/threads && echo "there: $threads threads"',
                units=("nfs-server",),
            ),
            self._lease_step(),
            Step(
                f"have {path} exported rw, {export.mode}, {squash}",
                f"{exported} &&\n! {etab} | grep -vq '[(,]{squash}[,)]'",
                f"touch {self._exports_file()}\nexportfs -ra",
                reason="async trades the safety of acknowledged writes for speed, as the study asks"
                if export.mode == "async"
                else "what the server has acknowledged is on its disks; each write waits for them",
                shows=f"{etab} | sed 's/^/there: /'",
                option="async",
            ),
        ]

    def _lease_step(self) -> Step:
        """The kernel takes a lease only while no thread runs; that nobody else exports, stage 0 has seen."""
        export = self.options.export
        times = "/proc/fs/nfsd/nfsv4leasetime /proc/fs/nfsd/nfsv4gracetime"
        return Step(
            f"have NFSv4 leases and a grace of {export.lease:.0f} s",
            f"for file in {times}; do read -r time <$file && [ $time = {export.lease:.0f} ] || exit 1; done",
            f"rpc.nfsd 0\nfor file in {times}; do echo {export.lease:.0f} >$file; done\nrpc.nfsd {export.threads}",
            reason="a server that was restarted opens nothing for so long, unless all clients have said that they "
            "have reclaimed what they had",
            shows=f'for file in {times}; do read -r time <$file && echo "there: $time s in $file"; done',
        )

    def _refused_by_others(self) -> str:
        return (
            f"if grep -v '^{self.shared_path}[[:space:]]' /var/lib/nfs/etab; then\n"
            "    echo 'refused: these other exports would be interrupted'\n    exit 1\nfi\n"
        )

    def _exports_file(self) -> str:
        return f"/etc/exports.d/seatrial-{self.study_id}.exports"

    def _conf_file(self) -> str:
        return f"/etc/nfs.conf.d/seatrial-{self.study_id}.conf"

    def _mount_options(self) -> str:
        return ",".join(
            [f"vers={self.options.mount.version}", f"proto={self.options.mount.transport}", *self.options.mount.options]
        )

    def _mounted_with(self) -> str:
        return f"/run/seatrial-{self.study_id}.mount"

    def _mount_steps(self) -> list[Step]:
        options, path = self._mount_options(), self.directory
        source = f"{self.address(self.server)}:{self.shared_path}"
        noted, asked = self._mounted_with(), f"{source} {options}"
        steps = [
            fstab_line(source, path, "nfs", f"{options},_netdev"),
            Step(
                f"mount {source} at {path} with {options}",
                is_mounted(path, asked, noted),
                f"{unmount(path)}\nmkdir -p {path}\n"
                f"mount -t nfs -o {options} {source} {path}\n{note_mount(path, asked, noted)}",
                shows=show_mount(path, noted),
            ),
        ]
        steps.append(
            read_ahead(
                path,
                f"/sys/class/bdi/$(mountpoint -d {path})/read_ahead_kb",
                self.options.mount.readahead,
                f"{self._mounted_with()}-readahead",
                "the window that a client reads ahead must cover its link's rate times the round trip",
            )
        )
        return steps

    def _unexport_steps(self) -> list[Step]:
        path = self.shared_path
        return [
            remove_file(self._exports_file()),
            Step(f"unexport {path}", f"! grep -q '^{path}[[:space:]]' /var/lib/nfs/etab", "exportfs -ra"),
            remove_file(self._conf_file()),
            Step(
                "stop the NFS service where nothing else is exported",
                "! systemctl -q is-active nfs-server || [ -s /var/lib/nfs/etab ]",
                "systemctl stop nfs-server\nsystemctl -q --no-reload disable nfs-server",
            ),
            *self.release_steps(),
        ]


def _client_packages() -> Step:
    return need_commands({"mount.nfs": "nfs-common"})
