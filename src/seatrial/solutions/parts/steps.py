"""Steps that several solutions share: packages, fstab, directories."""

import shlex
from collections.abc import Mapping

from seatrial.basics.text import is_ipv6
from seatrial.basics.units import format_size
from seatrial.plan.plan import Step, command_step, remove_file
from seatrial.plan.resources import (
    File,
    FstabLine,
    Mount,
    Mtu,
    NoFstabLine,
    NoMount,
    NoUnit,
    Packages,
    Unit,
    call,
)
from seatrial.solutions.parts import backups

_RED_HAT = {"nfs-kernel-server": "nfs-utils", "nfs-common": "nfs-utils", "sshfs": "fuse-sshfs"}


def empty_page_cache(title: str = "empty the page cache") -> Step:
    """Write back and drop all clean pages of a node."""
    return command_step(title, None, "sync\necho 3 >/proc/sys/vm/drop_caches")


def need_commands(
    packages: Mapping[str, str],
    *,
    disabled: tuple[str, ...] = (),
    red_hat: Mapping[str, str] | None = None,
) -> Step:
    """Install missing packages; `packages` maps a command to its Debian package.

    `disabled`: a program and its units, which must not start when the program is installed.
    `red_hat`: the Red Hat package of a Debian package, where the names differ.
    """
    red_hat_names = {**_RED_HAT, **(red_hat or {})}
    return Step(
        f"install {', '.join(packages)}", Packages(packages, red_hat_names, disabled=disabled)
    )


def units_are(state: str, *units: str) -> str:
    """sh: every unit is in this state, `active` or `enabled`."""
    return call("units_are", state, *units)


def reread(unit: str) -> str:
    """sh: let systemd reread the files of `unit`, if it has read them before."""
    return call("reread_unit", unit)


def wait_until(condition: str, limit_s: int, what: str) -> str:
    """sh: wait at most `limit_s` seconds for a condition; on failure name `what`."""
    return f"tries=0\nuntil {condition}; do again {limit_s} {shlex.quote(what)}; done"


def service(
    name: str, text: str, title: str, *, reason: str | None = None, needs_systemd: bool = False
) -> list[Step]:
    """A dedicated systemd unit that runs now and after every boot.

    With `needs_systemd` a node without systemd does not get it.
    """
    path = unit_file(name)
    after = f"{reread(f'{name}.service')}\n{restart_if_active(name)}"
    file = File(path, text, after=after, needs_systemd=needs_systemd)
    return [
        Step(f"write {path}", file),
        Step(title, Unit(name, needs_systemd=needs_systemd), reason),
    ]


def restart_if_active(unit: str) -> str:
    """sh: apply a change by a restart when the unit is active."""
    return call("restart_if_active", unit)


def no_service(name: str, title: str) -> list[Step]:
    """Remove a dedicated systemd unit."""
    return [
        Step(title, NoUnit((name,))),
        remove_file(unit_file(name), after=reread(f"{name}.service")),
    ]


def unit_file(name: str) -> str:
    """The file of a dedicated systemd unit."""
    return f"/etc/systemd/system/{name}.service"


def drop_in(unit: str, study_id: str) -> str:
    """The study's drop-in file for an existing unit."""
    return f"/etc/systemd/system/{unit}.d/seatrial-{study_id}.conf"


def fstab_line(source: str, path: str, kind: str, options: str) -> Step:
    """One line of /etc/fstab for the mount point `path`, which replaces any other."""
    return Step(
        f"enable the mount of {path} at boot",
        FstabLine(source, path, kind, options),
        takes=(("mount", path),),
    )


def mount_note(study_id: str) -> str:
    """The file on a client with the requested options and the kernel's line."""
    return f"/run/seatrial-{study_id}.mount"


def mount_steps(
    source: str,
    path: str,
    kind: str,
    options: str,
    record: str,
    *,
    recorded_text: str = "",
    before: str = "",
) -> list[Step]:
    """Mount with these options, now and at every boot.

    `recorded_text`: text to record instead of source and options; `before`: sh, run before the
    mount.
    """
    command = ("mount", "-t", kind, "-o", options, source, path)
    return [
        fstab_line(source, path, kind, f"{options},_netdev"),
        Step(
            f"mount {source} at {path} with {options}",
            Mount(path, recorded_text or f"{source} {options}", record, command, before),
        ),
    ]


def no_fstab_line(path: str) -> Step:
    """No line of /etc/fstab for the mount point `path`."""
    return Step(f"disable the mount of {path} at boot", NoFstabLine(path))


def no_mount(path: str) -> tuple[Step, Step]:
    """Unmount `path`, now and at boot; its line in fstab identifies the mount, so it goes last."""
    return unmounted(path), no_fstab_line(path)


def unmounted(path: str) -> Step:
    """Unmount `path` and remove the directory."""
    return Step(f"unmount {path}", NoMount(path))


def unmount(path: str) -> str:
    """sh: unmount everything at `path`, as mounts may be stacked."""
    return call("unmount_all", path)


def note_mount(path: str, requested: str, record: str) -> str:
    """sh: write the requested options and the kernel's line of the mount into `record`."""
    return call("note_mount", path, requested, record)


def is_mounted(path: str, requested: str, record: str) -> str:
    """sh: `path` is mounted as requested now, and unchanged since the plan mounted it."""
    return call("mount_is", path, requested, record)


def show_mount(path: str, record: str) -> str:
    """sh: print the words of the kernel's line that differ from those when the plan mounted it."""
    return call("show_mount", path, record)


SEEN_WITHIN_S = 60
"""seconds for which NFS clients may cache a directory (nfs(5), acdirmax)"""


def seen_in_time(condition: str, *listed: str) -> str:
    """sh: wait until `condition` holds, as a client's cached directories may have to expire.

    Listing the directories `listed` (shell text) makes NFS ask the server sooner.
    """
    ask = f"ls {' '.join(listed)} >/dev/null 2>&1 || true"
    return (
        f"tries={SEEN_WITHIN_S}\nuntil {condition} || [ $tries -le 0 ]; do {ask}; sleep 1; "
        f"tries=$((tries - 1)); done\n{condition}"
    )


def seen_by(folder: str, node: str) -> str:
    """The marker file of `node` in the work folder of existing storage.

    Any node that sees it has the same storage.
    """
    return f"{folder}/.seen-by-{node}"


def read_ahead(target: str, file: str, size_bytes: int | None, record: str, reason: str) -> Step:
    """Set the read-ahead of `target`; `file` is its read_ahead_kb in /sys (shell text).

    The original value is written into `record`; a size of None restores it.
    """
    if size_bytes is None:
        return command_step(
            f"restore the read-ahead of {target}",
            f"[ ! -e {record} ]",
            f"if read -r ahead <{record}; then echo $ahead >{file}; fi\nrm {record}",
        )
    size_kib = size_bytes // 1024
    return command_step(
        f"set the read-ahead of {target} to {format_size(size_bytes)}",
        f'read -r ahead <{file} && [ "$ahead" = {size_kib} ]',
        # Nothing to record while nothing is mounted: an empty record would stay.
        f"[ -s {record} ] || {{ read -r ahead <{file} && echo $ahead >{record}; }}\necho {size_kib}"
        f" >{file}",
        reason=reason,
        after_boot="mounts",
    )


def mtu_towards(study_id: str, peer: str, mtu: int) -> Step:
    """Set the MTU of the link to `peer`: a name (for its IPv4 address) or any IP address."""
    database = "ahosts" if is_ipv6(peer) else "ahostsv4"
    return Step(
        f"set MTU {mtu} on the link to {peer}",
        Mtu(mtu, backups.before(study_id), database, peer),
        "fewer and larger packets cost less per byte; all nodes and the switch must agree",
        option="jumbo",
        after_boot="network",
    )
