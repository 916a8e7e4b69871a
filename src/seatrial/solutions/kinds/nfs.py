"""Solution `nfs`: one Linux kernel NFS server on md RAID, exported to every client.

Safe by default: the export is `sync` and squashes root. A study can choose `async`, with a warning.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import Field

from seatrial.basics.event_kinds import EventKind
from seatrial.basics.schema import validate
from seatrial.basics.text import bracketed
from seatrial.plan.plan import Plan, Stage, Step, command_step, remove_file
from seatrial.plan.site import Site
from seatrial.solutions.base import DaemonLogs, Moment, Storage, Wipe, options_data
from seatrial.solutions.parts import journal, nfs_export
from seatrial.solutions.parts.checks import check_mount_options
from seatrial.solutions.parts.nfs_export import Export, Exported, Mount
from seatrial.solutions.parts.single_server import ServerOptions, SingleServer, placed
from seatrial.solutions.parts.steps import need_commands
from seatrial.solutions.starter import Starter
from seatrial.study.study import Study
from seatrial.study.timers import Timer, retransmission

_GRACE = re.compile(r"NFSD: starting (\d+)-second grace period")
_GRACE_ENDED = "NFSD: all clients done reclaiming"

STARTER = Starter("One NFS server", "nfs.yaml.j2")


class Options(ServerOptions):
    """The keys of `solution` when its kind is nfs."""

    kind: Literal["nfs"]
    export: Export = Field(Export(), description="How the server exports the file system.")
    mount: Mount = Field(Mount(), description="How clients mount it.")


def load(study: Study, site: Site) -> "Nfs":
    """Read and check the options against the nodes."""
    options = validate(Options, options_data(study), study.source, ("solution",))
    server, clients = placed(study, site, options)
    check_mount_options(
        study, ("solution", "mount", "options"), options.mount.options, nfs_export.RESERVED_OPTIONS
    )
    if options.mount.transport == "rdma" and not site.traits.has_rdma:
        raise study.mistake(("solution", "mount", "transport"), nfs_export.LAB_HAS_NO_RDMA)
    return Nfs(study.id, options, site, clients, server)


@dataclass(frozen=True)
class Nfs(SingleServer):
    """The solution at a site; see `solutions.base.Solution`."""

    WHAT = "NFS server"
    options: Options

    @property
    def timers(self) -> dict[str, Timer]:
        """The timers that determine an outage of its clients, by name."""
        return {
            "grace": self.options.export.grace,
            "retransmission": retransmission(self.options.mount.options),
        }

    @property
    def storage(self) -> Storage:
        """That of the server; an async export acknowledges early."""
        is_async = self.options.export.mode == "async"
        return replace(super().storage, acknowledges_early=is_async)

    def daemon_logs(self, node: str) -> DaemonLogs:
        """The units of the server's daemons; the kernel's own messages are kept separately."""
        return DaemonLogs(nfs_export.SERVER_UNITS) if node == self.server else DaemonLogs()

    def moments_command(self, since_boot_s: float) -> str:
        """The command that prints the kernel's messages about the grace period."""
        return journal.command(since_boot_s, ("grace period",), kernel_only=True)

    def moments(self, node: str, answer: str) -> list[Moment]:
        """The boot, and the begin and end of each grace period.

        The kernel logs the end only when all clients have reclaimed before the period has run out.
        """
        events = [Moment(0.0, node, EventKind.BOOTED, "the kernel was started")]
        for logged_s, text in journal.lines(answer):
            if match := _GRACE.match(text):
                lasts_s = float(match[1])
                grace = f"nfsd runs; nothing is opened for {lasts_s:.0f} s"
                events.append(Moment(logged_s, node, EventKind.GRACE, grace))
                ended_s = logged_s + lasts_s
                events.append(Moment(ended_s, node, EventKind.GRACE_ENDED, "the grace has run out"))
            elif text.startswith(_GRACE_ENDED):
                # This end replaces the later one that was computed from the length of the period.
                events = [
                    event
                    for event in events
                    if event.boottime_s < logged_s or event.what != EventKind.GRACE_ENDED
                ]
                ended = "all clients have reclaimed"
                events.append(Moment(logged_s, node, EventKind.GRACE_ENDED, ended))
        return sorted(events, key=lambda event: event.boottime_s)

    def plan(self, wipe: Wipe) -> Plan:
        """Create array and file system, export it, mount it on every client."""
        server = need_commands({**nfs_export.SERVER_PACKAGES, **self.storage_packages()})
        warnings = []
        if self.options.export.mode == "async":
            warnings.append(
                "The export is async: the server acknowledges writes that are only in its memory. "
                "If it fails, acknowledged data are lost."
            )
        return self.plan_with(
            wipe,
            (server, need_commands(nfs_export.CLIENT_PACKAGES)),
            Stage("export", {self.server: tuple(self._exported.steps())}),
            Stage("mount", self.each_client(*self._mount_steps())),
            warnings=warnings,
        )

    def removal(self, wipe: Wipe) -> Plan:
        """The deployment in reverse order; data stay on the disks except on wiped devices."""
        forgotten = (remove_file(self.mount_record), nfs_export.forget_read_ahead(self.study_id))
        return self.removal_with(
            wipe, forgotten, "unexport", [*self._exported.removal(), *self.release_steps()]
        )

    def empty_caches(self, clients: Sequence[str]) -> Plan:
        """Unmount, stop the service, remount the storage (the 2010 paper, lines 303-315).

        An NFSv4 server keeps state of every client. A client that stayed mounted would delay all
        other clients until it reclaims, up to the grace period. So all NFSv4 clients unmount; of
        NFSv3 only those that read next. The server still remembers NFSv4.0 clients, which cannot
        signal that they have reclaimed. As no client has anything to reclaim, the plan ends the
        grace period itself.
        """
        has_state = self.options.mount.version != "3"
        # The kernel refuses (EIO) to end a grace period that is over; reading the file shows so.
        forced = "/proc/fs/nfsd/v4_end_grace"
        write_and_check = f"echo Y >{forced} || grep -q Y {forced}"
        end_grace = f"\ngrep -q Y {forced} || {write_and_check}" if has_state else ""
        threads = self.options.export.threads
        path = self.shared_path
        restart = command_step(
            "stop the service, remount the storage, start the service",
            None,
            f"{self._exported.refused_by_others()}exportfs -ua\nrpc.nfsd 0\numount"
            f" {path}\nsync\necho 3 >/proc/sys/vm/drop_caches\nmount {path}\nexportfs -r\nrpc.nfsd"
            f" {threads}{end_grace}",
        )
        names = [name for name in self.clients if has_state or name in set(clients)]
        return self.caches_emptied(
            names, Stage("restart the service", {self.server: (restart,)}), self._mount_steps()[1:]
        )

    def parts(self) -> list[tuple[str, str]]:
        """The components for the report."""
        options = self.options
        squash = "root_squash" if options.export.root_squash else "no_root_squash"
        return self.parts_with(
            ("export", f"{options.export.mode}, {squash}, {options.export.threads} nfsd threads"),
            (
                "mount",
                (
                    f"NFS v{options.mount.version}, {options.mount.transport},"
                    f" {', '.join(options.mount.options)}"
                ),
            ),
        )

    # ---- steps

    @property
    def _exported(self) -> Exported:
        clients = tuple(self.address(name) for name in self.clients)
        return Exported(
            self.study_id,
            self.shared_path,
            self.options.export,
            clients,
            transport=self.options.mount.transport,
        )

    def _mount_steps(self) -> list[Step]:
        source = f"{bracketed(self.address(self.server))}:{self.shared_path}"
        return nfs_export.mounted(self.study_id, source, self.directory, self.options.mount)
