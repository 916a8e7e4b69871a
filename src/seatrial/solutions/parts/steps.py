"""Steps that several solutions share: packages, fstab, directories."""

import shlex

from seatrial.basics.text import is_ipv6
from seatrial.basics.units import format_size
from seatrial.plan.plan import Step, remove_file, write_file
from seatrial.solutions.parts.backups import mtu_set

_RED_HAT = {"nfs-kernel-server": "nfs-utils", "nfs-common": "nfs-utils", "sshfs": "fuse-sshfs"}


def need_commands(packages: dict[str, str]) -> Step:
    """Install missing packages; `packages` maps a command to its Debian or Red Hat package."""
    test = " &&\n".join(f"command -v {command} >/dev/null" for command in packages)
    names = " ".join(sorted(set(packages.values())))
    red_hat = " ".join(sorted({_RED_HAT.get(name, name) for name in packages.values()}))
    return Step(
        title=f"install {', '.join(packages)}",
        check=f"PATH=$PATH:/usr/sbin:/sbin\n{test}",
        apply=(
            "if command -v apt-get >/dev/null; then\n"
            f"    DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends {names}\n"
            f"else\n    dnf install -y {red_hat}\n"
            "fi"
        ),
        packages=tuple(packages.items()),
    )


def units_are(state: str, *units: str) -> str:
    """sh: every unit is in this state, `active` or `enabled`.

    One call with several units would succeed when any of them is (systemctl(1)).
    """
    return " && ".join(f"systemctl -q is-{state} {unit}" for unit in units)


def reread(unit: str) -> str:
    """sh: let systemd reread the files of `unit`, if it has read them before.

    A reload reads the files of all units and runs every generator, which takes seconds on a busy
    node. A unit that systemd has not read yet is read on demand.
    """
    return f'[ "$(systemctl show --property=NeedDaemonReload --value {unit})" = no ] || systemctl daemon-reload'


def wait_until(condition: str, limit_s: int, what: str) -> str:
    """sh: wait at most `limit_s` seconds for a condition; on failure name `what`."""
    return f"tries=0\nuntil {condition}; do again {limit_s} {shlex.quote(what)}; done"


def service(name: str, text: str, title: str, *, reason: str | None = None) -> list[Step]:
    """A dedicated systemd unit that runs now and after every boot."""
    return [
        write_file(unit_file(name), text, after=f"{reread(f'{name}.service')}\n{restart_if_active(name)}"),
        Step(
            title,
            f"systemctl -q is-active {name} && systemctl -q is-enabled {name}",
            f"systemctl -q --no-reload enable {name}\nsystemctl start {name}",
            reason=reason,
        ),
    ]


def restart_if_active(unit: str) -> str:
    """sh: apply a change by a restart when the unit is active."""
    return f"! systemctl -q is-active {unit} || systemctl restart {unit}"


def no_service(name: str, title: str) -> list[Step]:
    """Remove a dedicated systemd unit."""
    return [
        Step(
            title,
            f"! systemctl -q is-active {name} && ! systemctl -q is-enabled {name}",
            f"systemctl -q --no-reload disable {name}\nsystemctl stop {name}",
        ),
        remove_file(unit_file(name), after=reread(f"{name}.service")),
    ]


def unit_file(name: str) -> str:
    """The file of a dedicated systemd unit."""
    return f"/etc/systemd/system/{name}.service"


def drop_in(unit: str, study_id: str) -> str:
    """The study's drop-in file for an existing unit."""
    return f"/etc/systemd/system/{unit}.d/seatrial-{study_id}.conf"


def fstab_line(source: str, path: str, kind: str, options: str) -> Step:
    """One line of /etc/fstab for the mount point `path`, which replaces any other.

    The other line's mount is unmounted first: the line identifies it as the study's (look.sh).
    """
    line = f"{source} {path} {kind} {options} 0 0"
    return Step(
        title=f"enable the mount of {path} at boot",
        check=f"grep -qxF {shlex.quote(line)} /etc/fstab",
        # Atomically: with a partial file the node might not boot.
        apply=f"if awk '{_of_others(path)} || $1 == \"{source}\" {{ next }} {{ found = 1 }} END {{ exit !found }}' "
        f"/etc/fstab; then\n    {unmount(path)}\nfi\n"
        f"{{ awk '{_of_others(path)}' /etc/fstab && echo {shlex.quote(line)}; }} >/etc/fstab.new ||\n"
        "    { rm -f /etc/fstab.new; exit 1; }\n"
        f"{_PUT}",
        takes=(("mount", path),),
    )


def mount_note(study_id: str) -> str:
    """The file on a client with the requested options and the kernel's line."""
    return f"/run/seatrial-{study_id}.mount"


def mount_steps(
    source: str, path: str, kind: str, options: str, noted: str, *, asked: str = "", command: str = ""
) -> list[Step]:
    """Mount with these options, now and at every boot.

    `asked`: text to record instead of source and options; `command`: sh instead of mount(8).
    """
    asked = asked or f"{source} {options}"
    command = command or f"mount -t {kind} -o {options} {source} {path}"
    return [
        fstab_line(source, path, kind, f"{options},_netdev"),
        Step(
            f"mount {source} at {path} with {options}",
            is_mounted(path, asked, noted),
            f"{unmount(path)}\nmkdir -p {path}\n{command}\n{note_mount(path, asked, noted)}",
            shows=show_mount(path, noted),
        ),
    ]


def no_fstab_line(path: str) -> Step:
    """No line of /etc/fstab for the mount point `path`."""
    return Step(
        f"disable the mount of {path} at boot",
        f"awk '!({_of_others(path)}) {{ found = 1 }} END {{ exit found }}' /etc/fstab",
        f"awk '{_of_others(path)}' /etc/fstab >/etc/fstab.new ||\n    {{ rm -f /etc/fstab.new; exit 1; }}\n{_PUT}",
    )


_PUT = "chmod --reference=/etc/fstab /etc/fstab.new\nmv /etc/fstab.new /etc/fstab"


def _of_others(path: str) -> str:
    """awk: lines of other mount points; `path` is no pattern: `/mnt/a.b` is not `/mnt/a-b`."""
    return f'$1 ~ /^#/ || $2 != "{path}"'


def no_mount(path: str) -> tuple[Step, Step]:
    """Unmount `path`, now and at boot; its line in fstab identifies the mount, so it goes last."""
    return unmounted(path), no_fstab_line(path)


def unmounted(path: str) -> Step:
    """Unmount `path` and remove the directory."""
    return Step(
        f"unmount {path}",
        f"! grep -q ' {path} ' /proc/mounts && [ ! -d {path} ]",
        f"{unmount(path)}\n[ ! -d {path} ] || rmdir {path}",
    )


def unmount(path: str) -> str:
    """sh: unmount everything at `path`, as mounts may be stacked."""
    return f"while grep -q ' {path} ' /proc/mounts; do umount {path}; done"


def note_mount(path: str, asked: str, noted: str) -> str:
    """sh: record in `noted` the requested options and the kernel's line of the mount."""
    return f"{{ echo {shlex.quote(asked)}; grep ' {path} ' /proc/mounts; }} >{noted}"


def is_mounted(path: str, asked: str, noted: str) -> str:
    """sh: `path` is mounted as requested now, and unchanged since the plan mounted it."""
    return (
        f"{{ read -r asked && read -r line; }} <{noted} &&\n"
        f'[ "$asked" = {shlex.quote(asked)} ] && [ "$(grep " {path} " /proc/mounts)" = "$line" ]'
    )


def show_mount(path: str, noted: str) -> str:
    """sh: print the words of the kernel's line that differ from those when the plan mounted it."""
    return (
        f"now=$(grep ' {path} ' /proc/mounts | tr ' \\n' ,,)\n"
        f'{{ read -r asked && read -r line; }} <{noted} || {{ echo "there: ${{now:-nothing}}"; exit; }}\n'
        f'asked=$(echo "$line" | tr " " ,)\n{show_arguments()}\n'
        'case $now in *,0,0,*,0,0,) echo "there: one thing is mounted over another" ;; esac'
    )


def show_arguments() -> str:
    """sh: print the words of $now that $asked lacks, and the reverse; commas separate them."""
    return (
        '[ "$now" ] || { echo "there: nothing"; exit; }\n'
        "set -f\nIFS=,\n"
        'for word in $now; do case ",$asked,," in *",$word,"*) ;; *) echo "there: $word" ;; esac; done\n'
        'for word in $asked; do case ",$now," in *",$word,"*) ;; *) echo "deployed: $word" ;; esac; done'
    )


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


def read_ahead(target: str, file: str, size_bytes: int | None, noted: str, reason: str) -> Step:
    """Set the read-ahead of `target`; `file` is its read_ahead_kb in /sys (shell text).

    The original value is recorded in `noted`; a size of None restores it.
    """
    if size_bytes is None:
        return Step(
            f"restore the read-ahead of {target}",
            f"[ ! -e {noted} ]",
            f"if read -r ahead <{noted}; then echo $ahead >{file}; fi\nrm {noted}",
        )
    size_kib = size_bytes // 1024
    return Step(
        f"set the read-ahead of {target} to {format_size(size_bytes)}",
        f'read -r ahead <{file} && [ "$ahead" = {size_kib} ]',
        # Nothing to record while nothing is mounted: an empty record would stay.
        f"[ -s {noted} ] || {{ read -r ahead <{file} && echo $ahead >{noted}; }}\necho {size_kib} >{file}",
        reason=reason,
        after_boot="mounts",
    )


def mtu_towards(study_id: str, peer: str, mtu: int) -> Step:
    """Set the MTU of the link to `peer`: a name (for its IPv4 address) or any IP address."""
    database = "ahosts" if is_ipv6(peer) else "ahostsv4"
    link = (
        f'peer=$(getent {database} {peer} | {{ read -r address rest; echo "$address"; }}) && [ -n "$peer" ] &&\n'
        "link=$(ip -o route get \"$peer\" | sed 's/.* dev \\([^ ]*\\) .*/\\1/')"
    )
    return Step(
        title=f"set MTU {mtu} on the link to {peer}",
        check=f'{link} &&\nread -r mtu </sys/class/net/$link/mtu && [ "$mtu" = {mtu} ]',
        apply=f"{link}\n{mtu_set(study_id, mtu)}",
        reason="fewer and larger packets cost less per byte; all nodes and the switch must agree",
        shows=f'{link} &&\nread -r mtu </sys/class/net/$link/mtu && echo "there: MTU $mtu of $link"',
        option="jumbo",
        after_boot="network",
    )
