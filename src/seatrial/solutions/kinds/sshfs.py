"""Solution `sshfs`: one ssh server on md RAID, mounted with sshfs (FUSE, SFTP) by every client.

Safe by default: fsync reaches the server's disks (OpenSSH's fsync@openssh.com), and a client
refreshes attributes at least once per second. The limits of SFTP apply:

- There are no locks across clients.
- Clients do not notify each other; close-to-open holds only after the cache times of a client.
- Rename over an existing file is an extension of OpenSSH.
- O_DIRECT has no effect on the server.
- Every file belongs to the one user who logs in.
"""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from seatrial.basics.schema import Duration, Model, validate
from seatrial.basics.text import Cipher, FilePath, MountOptions, User
from seatrial.plan.plan import Learned, Plan, Stage, Step, command_step, remove_file, write_file
from seatrial.plan.site import Site
from seatrial.solutions.base import DaemonLogs, Wipe, options_data
from seatrial.solutions.parts.checks import check_mount_options, check_no_ipv6
from seatrial.solutions.parts.single_server import ServerOptions, SingleServer, placed
from seatrial.solutions.parts.steps import (
    fstab_line,
    need_commands,
    wait_until,
)
from seatrial.solutions.starter import Starter
from seatrial.study.study import Study

# Only nodes of the same lab can reach a lab's servers: this key is no secret.
LAB_USER = "seatrial"
LAB_KEY = """\
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACDyFO/urMQvlLH5MIwV2JwbrY6m/K72wQmJ3M/OUw9RoAAAAJCxu6wysbus
MgAAAAtzc2gtZWQyNTUxOQAAACDyFO/urMQvlLH5MIwV2JwbrY6m/K72wQmJ3M/OUw9RoA
AAAED2NBgpJFORnk+gOevVi9/isH+X0Ds5TrU2z9/jGr//OfIU7+6sxC+UsfkwjBXYnBut
jqb8rvbBCYncz85TD1GgAAAADHNlYXRyaWFsLWxhYgE=
-----END OPENSSH PRIVATE KEY-----
"""
LAB_PUBLIC_KEY = (
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPIU7+6sxC+UsfkwjBXYnButjqb8rvbBCYncz85TD1Gg seatrial-lab"
)
RESERVED_OPTIONS = {
    "IdentityFile": "key_file",
    "Ciphers": "mount.cipher",
    "Compression": "mount.compression",
    "StrictHostKeyChecking": "known_hosts",
    "UserKnownHostsFile": "known_hosts",
    "BatchMode": "the plan: no user is present to answer questions",
    "ServerAliveInterval": "mount.alive_interval",
    "ServerAliveCountMax": "mount.alive_count",
    "direct_io": "mount.direct_io",
    "kernel_cache": "mount.cache",
    "auto_cache": "mount.cache",
    "dir_cache": "mount.cache",
    "cache": "mount.cache",
}
ALLOWED_OPTIONS = (
    *(
        "reconnect",
        "delay_connect",
        "sshfs_sync",
        "no_readahead",
        "sync_readdir",
        "max_conns",
        "idmap",
    ),
    *(
        "disable_hardlink",
        "transform_symlinks",
        "follow_symlinks",
        "dcache_timeout",
        "dcache_max_size",
        "allow_other",
    ),
    *(
        "dcache_stat_timeout",
        "dcache_link_timeout",
        "dcache_dir_timeout",
        "dcache_clean_interval",
        "allow_root",
    ),
    *(
        "dcache_min_clean_interval",
        "default_permissions",
        "ro",
        "rw",
        "nodev",
        "nosuid",
        "noexec",
        "noatime",
        "uid",
    ),
    *(
        "gid",
        "umask",
        "max_read",
        "max_write",
        "max_readahead",
        "entry_timeout",
        "attr_timeout",
        "ac_attr_timeout",
    ),
    *(
        "negative_timeout",
        "large_read",
        "hard_remove",
        "auto_unmount",
        "ConnectTimeout",
        "ConnectionAttempts",
    ),
    *(
        "TCPKeepAlive",
        "IPQoS",
        "MACs",
        "KexAlgorithms",
        "HostKeyAlgorithms",
        "RekeyLimit",
        "Port",
        "no_check_root",
    ),
)
"""sshfs(1), and those of ssh_config(5) that name no command, no file and no other host"""

STARTER = Starter("One file server over sshfs", "sshfs.yaml.j2")


class Mount(Model):
    """`mount: {cache: true, options: [reconnect]}`."""

    cipher: Cipher | None = Field(
        None,
        description=(
            "Cipher of the connection, such as `aes128-gcm@openssh.com`. By default that of ssh."
        ),
    )
    compression: bool = Field(False, description="Compress the connection.")
    cache: bool = Field(
        True,
        description="Keep names and attributes for a while, and data while a file is open.",
    )
    direct_io: bool = Field(False, description="Bypass the page cache of the client.")
    alive_interval: Duration = Field(
        15.0,
        description="Time without an answer after which the client asks the server for one.",
    )
    alive_count: Annotated[int, Field(ge=1, le=1000)] = Field(
        3,
        description=(
            "Unanswered questions after which the connection is closed, and operations get EIO."
        ),
    )
    options: MountOptions = Field(
        ("reconnect", "allow_other", "default_permissions"),
        description="Additional options of sshfs.",
    )

    @model_validator(mode="after")
    def _others_have_their_own_rights(self) -> Self:
        """Without the kernel's check every local user has the rights of the login on the server."""
        if "allow_other" in self.options and "default_permissions" not in self.options:
            raise ValueError(
                "allow_other lets every local user act as the owner of every file; add"
                " default_permissions"
            )
        return self


class Options(ServerOptions):
    """The keys of `solution` when its kind is sshfs."""

    kind: Literal["sshfs"]
    user: User | None = Field(
        None,
        description=(
            "User that logs in on the server and owns every file. Required on hosts, refused in a"
            " lab."
        ),
    )
    key_file: FilePath | None = Field(
        None,
        description=(
            "On every client: private key without passphrase that the server accepts. "
            "Required on hosts, refused in a lab."
        ),
    )
    known_hosts: FilePath | None = Field(
        None,
        description=(
            "On every client: file with the host key of the server. By default created at"
            " deployment."
        ),
    )
    mount: Mount = Field(Mount(), description="How clients mount it.")


def load(study: Study, site: Site) -> "Sshfs":
    """Read and check the options against the nodes."""
    options = validate(Options, options_data(study), study.source, ("solution",))
    server, clients = placed(study, site, options)
    check_no_ipv6(study, site, "sshfs")
    check_mount_options(
        study, ("solution", "mount", "options"), options.mount.options, RESERVED_OPTIONS
    )
    for option in options.mount.options:
        if option.partition("=")[0] not in ALLOWED_OPTIONS:
            allowed = ", ".join(sorted(ALLOWED_OPTIONS))
            raise study.mistake(
                ("solution", "mount", "options"),
                f"{option!r}: sshfs passes options that it does not know to ssh, and those may be "
                f"commands; one of {allowed}",
            )
    if not site.traits.holds_secrets and (options.user is None or options.key_file is None):
        raise study.mistake(
            ("solution",),
            "on real hosts name the user who logs in on the server, and key_file, a private key on"
            " every client",
        )
    if site.traits.holds_secrets and (options.user is not None or options.key_file is not None):
        problem = "a lab has its own user and key; leave user and key_file out"
        raise study.mistake(("solution",), problem)
    return Sshfs(study.id, options, site, clients, server)


@dataclass(frozen=True)
class Sshfs(SingleServer):
    """The solution at a site; see `solutions.base.Solution`."""

    WHAT = "ssh server"
    options: Options

    def plan(self, wipe: Wipe) -> Plan:
        """Create the array, the file system and the login; mount on every client."""
        server = need_commands({"sshd": "openssh-server", **self.storage_packages()})
        plan = self.plan_with(
            wipe,
            (server, need_commands({"sshfs": "sshfs"})),
            Stage("login", {self.server: tuple(self._login_steps())}),
            Stage("mount", self.each_client(*self._key_steps(), *self._mount_steps())),
        )
        return replace(plan, learned=(self._host_key,))

    def removal(self, wipe: Wipe) -> Plan:
        """The deployment in reverse order; data stay on the disks except on wiped devices."""
        forgotten = (remove_file(self._lab_key_file), remove_file(self._own_known_hosts))
        return self.removal_with(
            wipe, forgotten, "close the login", [*self._logout_steps(), *self.release_steps()]
        )

    def empty_caches(self, clients: Sequence[str]) -> Plan:
        """Unmount on all clients and remount the storage; the ssh service keeps running.

        All clients unmount, because the server of a remaining mount would keep files open.
        """
        path = self.shared_path
        clients_first = dict.fromkeys((*clients, *self.clients))
        # A client's sftp-server ends a moment after its connection.
        restart = command_step(
            "remount the storage",
            None,
            f"{wait_until(f'umount {path}', 10, 'the last session to end')}\n"
            f"sync\necho 3 >/proc/sys/vm/drop_caches\nmount {path}",
        )
        remount = Stage("remount the storage", {self.server: (restart,)})
        return self.caches_emptied(clients_first, remount, self._mount_steps()[1:])

    def daemon_logs(self, node: str) -> DaemonLogs:
        """The unit of the server's sshd."""
        return DaemonLogs(("ssh.service", "sshd.service")) if node == self.server else DaemonLogs()

    def parts(self) -> list[tuple[str, str]]:
        """The components for the report."""
        mount = self.options.mount
        caches = "caching" if mount.cache else "names not cached"
        if mount.direct_io:
            caches = "page cache bypassed"
        cipher = mount.cipher or "ssh's own choice"
        return self.parts_with(
            (
                "share",
                "SFTP of the server's ssh service; fsync is honoured; no locks across clients",
            ),
            ("access", f"one user, {self._user}, for all files"),
            ("mount", f"sshfs, {caches}, {', '.join(mount.options) or 'no further options'}"),
            (
                "connection",
                f"cipher {cipher}, {'compressed' if mount.compression else 'not compressed'}",
            ),
        )

    # ---- names

    @property
    def _of_hosts(self) -> bool:
        return not self.site.traits.holds_secrets

    @property
    def _user(self) -> str:
        return self.options.user or LAB_USER

    @property
    def _lab_key_file(self) -> str:
        return f"/etc/seatrial-{self.study_id}.key"

    @property
    def _own_known_hosts(self) -> str:
        return f"/etc/seatrial-{self.study_id}.known-hosts"

    @property
    def _host_key(self) -> Learned:
        """The server's host keys, read by the deploy.

        The controller trusts the server already, so clients need not trust keys from the network.
        """
        port = next(
            (word[5:] for word in self.options.mount.options if word.lower().startswith("port=")),
            "22",
        )
        address = self.address(self.server)
        name = address if port == "22" else f"[{address}]:{port}"
        return Learned(
            "ssh host keys",
            self.server,
            "PATH=$PATH:/usr/sbin; sshd -T | sed -n 's/^hostkey //p' | while read -r key; do "
            f'public=$(ssh-keygen -y -f "$key") && set -- $public && echo \'{name}\' "$1 $2"; done',
            rf"({re.escape(name)} (ssh|ecdsa-sha2)-[a-z0-9-]+ [A-Za-z0-9+/]+=*\n?)+",
        )

    # ---- steps

    def _login_steps(self) -> list[Step]:
        """On hosts the site manages the login; a lab's user may only use SFTP."""
        user = self._user
        path = self.shared_path
        give_path = command_step(
            f"give {path} to {user}", f'[ "$(stat -c %U {path})" = {user} ]', f"chown {user} {path}"
        )
        if self._of_hosts:
            return [give_path]
        line = f'restrict,command="internal-sftp" {LAB_PUBLIC_KEY}'
        home = f"/home/{user}"
        return [
            command_step(
                f"create the user {user}",
                f"getent passwd {user} >/dev/null",
                f"useradd --create-home --home-dir {home} --shell /bin/sh {user}\n"
                # A locked account is refused by sshd without PAM; no password fits `*`.
                f"usermod --password '*' {user}",
            ),
            write_file(
                f"{home}/.ssh/authorized_keys", line, title="permit the clients, for SFTP only"
            ),
            give_path,
        ]

    def _logout_steps(self) -> list[Step]:
        if self._of_hosts:
            return []
        user = self._user
        # The last session ends a moment after its client has unmounted.
        ended = wait_until(
            f"! pgrep -u {user} >/dev/null", 10, f"the last session of {user} to end"
        )
        return [
            command_step(
                f"remove the user {user}",
                f"! getent passwd {user} >/dev/null",
                f"{ended}\nuserdel --remove {user}",
            )
        ]

    def _key_steps(self) -> list[Step]:
        steps = []
        if not self._of_hosts:
            title = "install the lab's key for the mount"
            steps.append(write_file(self._lab_key_file, LAB_KEY, title=title, mode="600"))
        if self.options.known_hosts is None:
            # A dedicated file: root's known_hosts stays unchanged, and removal deletes this file.
            title = f"install the host keys of {self.server}"
            steps.append(write_file(self._own_known_hosts, self._host_key.placeholder, title=title))
        return steps

    def _mount_options(self) -> str:
        mount = self.options.mount
        known_hosts = self.options.known_hosts
        options = [
            f"IdentityFile={self.options.key_file or self._lab_key_file}",
            f"UserKnownHostsFile={known_hosts or self._own_known_hosts}",
            "StrictHostKeyChecking=yes",
            "BatchMode=yes",
            f"ServerAliveInterval={mount.alive_interval:.0f}",
            f"ServerAliveCountMax={mount.alive_count}",
            f"Compression={'yes' if mount.compression else 'no'}",
            *([f"Ciphers={mount.cipher}"] if mount.cipher else []),
            *(["direct_io"] if mount.direct_io else []),
            *(
                []
                if mount.cache
                else ["dir_cache=no", "entry_timeout=0", "attr_timeout=0", "negative_timeout=0"]
            ),
        ]
        return ",".join([*options, *mount.options])

    def _mount_steps(self) -> list[Step]:
        options = self._mount_options()
        path = self.directory
        source = f"{self._user}@{self.address(self.server)}:{self.shared_path}"
        command = f"sshfs -o {options} {source} {path}"
        return [
            fstab_line(source, path, "fuse.sshfs", f"{options},_netdev"),
            command_step(
                f"mount {source} at {path} with sshfs",
                # /proc/mounts shows few of the options; the command line of the process has all.
                f'[ "$(grep -c " {path} " /proc/mounts)" = 1 ] &&\n'
                f'grep -q "^{source} {path} fuse.sshfs " /proc/mounts &&\n'
                f"{_processes()} | grep -qxF {shlex.quote(f'{command} ')}",
                f"[ -e /dev/fuse ] || modprobe fuse\nput_mount {path} {command}",
                shows=(
                    f"now=$({_processes()} | grep ' {path} ' | tr ' \\n' ,,)\n"
                    f'show_words "$now" {shlex.quote(command.replace(" ", ","))}'
                ),
            ),
        ]


def _processes() -> str:
    """sh: the command line of every sshfs process, one per line, each word followed by a blank."""
    return (
        'for process in /proc/[0-9]*; do\n    read -r name <$process/comm && [ "$name" = sshfs ] &&'
        ' tr "\\0" " " <$process/cmdline && echo\ndone 2>/dev/null'
    )
