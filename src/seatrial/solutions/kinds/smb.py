"""Solution `smb`: one Samba server on md RAID, mounted by the cifs client of every client's kernel.

Safe by default: data that a client flushes (fsync, close with `cache: strict`) are on the disks
before the server answers. A study can switch this off with `sync: never`; the plan then warns.

SMB without extensions knows one account per mount. Every file belongs to one unprivileged user of
the server, and a client shows the owner and mode of its mount options. The server's locks are
mandatory and hold across clients.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from seatrial.basics.schema import validate
from seatrial.basics.text import shortened
from seatrial.plan.plan import Plan, Stage, Step, command_step, remove_file, write_file
from seatrial.plan.site import Site
from seatrial.solutions.base import DaemonLogs, Wipe, options_data
from seatrial.solutions.parts.checks import check_mount_options, check_no_ipv6
from seatrial.solutions.parts.single_server import SingleServer, placed
from seatrial.solutions.parts.smb_options import (
    RESERVED_OPTIONS,
    Options,
    check_access,
)
from seatrial.solutions.parts.steps import is_mounted, mount_steps, need_commands, reread, unmount
from seatrial.solutions.starter import Starter
from seatrial.study.study import Study

# Only nodes of the same lab can reach a lab's servers: this is no secret.
LAB_PASSWORD = "seatrial-lab"
RESERVED_NAMES = ("global", "homes", "printers")
_SYNC = {
    "strict": "flushed data are on the disks before the server answers",
    "always": "every write is on the disks before the server answers",
    "never": "the server answers flushes of clients at once",
}
_ENCRYPTION = {"auto": "if_required", "off": "off", "desired": "desired", "required": "required"}

STARTER = Starter("One SMB server", "smb.yaml.j2")


def load(study: Study, site: Site) -> "Smb":
    """Read and check the options against the nodes."""
    options = validate(Options, options_data(study), study.source, ("solution",))
    server, clients = placed(study, site, options)
    check_no_ipv6(study, site, "smb")
    if study.id in RESERVED_NAMES:
        problem = f"Samba reserves the share name {study.id!r}; choose another id"
        raise study.mistake(("id",), problem)
    check_mount_options(
        study, ("solution", "mount", "options"), options.mount.options, RESERVED_OPTIONS
    )
    check_access(study, site, options)
    return Smb(study.id, options, site, clients, server)


@dataclass(frozen=True)
class Smb(SingleServer):
    """The solution at a site; see `solutions.base.Solution`."""

    WHAT = "SMB server"
    options: Options

    def plan(self, wipe: Wipe) -> Plan:
        """Create the array, the file system and the share; mount on every client."""
        server = _server_packages({"smbd": "samba", **self.storage_packages()})
        nodes = (self.server, *self.clients)
        plan = self.plan_with(
            wipe,
            (server, need_commands({"mount.cifs": "cifs-utils"})),
            Stage("credentials", dict.fromkeys(nodes, tuple(self._credentials_steps()))),
            Stage("unmount other shares", self.each_client(self._let_go_step())),
            Stage("share", {self.server: (*self._account_steps(), *self._share_steps())}),
            Stage("mount", self.each_client(*self._mount_steps())),
            warnings=self._warnings(),
        )
        return replace(plan, secrets=(self._password,) if self._password else ())

    def removal(self, wipe: Wipe) -> Plan:
        """The deployment in reverse order; data stay on the disks except on wiped devices."""
        forgotten = (remove_file(self.mount_record), remove_file(self._own_credentials))
        return self.removal_with(wipe, forgotten, "stop the share", self._unshare_steps())

    def empty_caches(self, clients: Sequence[str]) -> Plan:
        """Unmount, stop the server, remount the storage.

        All clients unmount. One that stayed mounted would lose its connection and notice this only
        in a later phase.
        """
        path = self.shared_path
        clients_first = dict.fromkeys((*clients, *self.clients))
        restart = command_step(
            "stop the server, remount the storage, start the server",
            None,
            f"systemctl stop {self._unit}\numount {path}\nsync\necho 3"
            f" >/proc/sys/vm/drop_caches\nmount {path}\nsystemctl start {self._unit}",
        )
        stage = Stage("restart the server", {self.server: (restart,)})
        return self.caches_emptied(clients_first, stage, self._mount_steps()[1:])

    def daemon_logs(self, node: str) -> DaemonLogs:
        """The unit of smbd and its separate log file."""
        if node != self.server:
            return DaemonLogs()
        return DaemonLogs((self._unit,), (f"{self._state}/log.smbd",))

    def parts(self) -> list[tuple[str, str]]:
        """The components for the report."""
        share = self.options.share
        mount = self.options.mount
        access = (
            "guest, without a password" if self.options.guest else "one account with a password"
        )
        return self.parts_with(
            ("share", f"Samba, sync {share.sync}: {_SYNC[share.sync]}"),
            (
                "access",
                f"{access}; encryption {share.encryption}, signing {share.signing}; one owner",
            ),
            (
                "mount",
                (
                    f"SMB {mount.version}, cache {mount.cache},"
                    f" {', '.join(mount.options) or 'no further options'}"
                ),
            ),
        )

    def _warnings(self) -> list[str]:
        warnings = []
        if self.options.share.sync == "never":
            warnings.append(
                "The share ignores flushes: the server answers fsync while data are only in its"
                " memory. If it fails, acknowledged and flushed data are lost."
            )
        if self.options.guest:
            warnings.append(
                "The share has no password: any host in reach can read and change all data."
            )
        return warnings

    # ---- names

    @property
    def _user(self) -> str:
        return f"seatrial-{shortened(self.study_id, 20)}"

    @property
    def _unit(self) -> str:
        return f"seatrial-smbd-{self.study_id}.service"

    @property
    def _conf_file(self) -> str:
        return f"/etc/samba/seatrial-{self.study_id}.conf"

    @property
    def _state(self) -> str:
        return f"/var/lib/seatrial-smb-{self.study_id}"

    @property
    def _runtime(self) -> str:
        return f"/run/seatrial-smb-{self.study_id}"

    @property
    def _own_credentials(self) -> str:
        return f"/etc/seatrial-{self.study_id}.credentials"

    @property
    def _password(self) -> str | None:
        """The password that the plan writes; None with a credentials file or without a password."""
        if self.options.guest or self.options.credentials:
            return None
        return self.options.password or LAB_PASSWORD

    @property
    def _credentials(self) -> str:
        return self.options.credentials or self._own_credentials

    # ---- steps

    def _credentials_steps(self) -> list[Step]:
        if self._password is None:
            return []
        return [
            write_file(
                self._own_credentials,
                f"password={self._password}",
                title="store the password, readable by root only",
                mode="600",
            )
        ]

    def _account_steps(self) -> list[Step]:
        """Create the user who owns every file.

        The file system keeps the user's number, so that a later deployment uses the same one.
        """
        user = self._user
        path = self.shared_path
        private = f"{self._state}/private"
        share = self.options.share
        steps = [
            command_step(
                f"give {path} to the user {user}",
                f'[ "$(stat -c %U {path})" = {user} ]',
                f"if ! getent passwd {user} >/dev/null; then\n    owner=$(stat -c %u {path})\n    ["
                ' "$owner" != 0 ] || owner=\n    useradd --system ${owner:+--uid $owner}'
                " --no-create-home --home-dir /nonexistent \\\n        --shell /usr/sbin/nologin"
                f" {user}\nfi\nchown {user} {path}",
            ),
            # Unprivileged servers that cannot list the lock directory break each other's locks.
            command_step(
                "create the folders of Samba",
                f"[ -d {private} ]",
                f"mkdir -p -m 755 {self._state}\nmkdir -m 700 {private}",
            ),
            write_file(
                self._conf_file,
                self._conf(),
                title=(
                    f"configure a dedicated Samba server: sync {share.sync}, "
                    f"encryption {share.encryption}, signing {share.signing}"
                ),
                shown=True,
            ),
        ]
        if not self.options.guest:
            read_password = f"sed -n 's/^password=//p' {self._credentials}"
            steps.append(
                command_step(
                    f"set the Samba password of {user}",
                    f"cmp -s {self._credentials} {private}/credentials &&\n"
                    f"pdbedit -s {self._conf_file} -L -u {user} >/dev/null",
                    f"password=$({read_password})\n"
                    f'[ -n "$password" ] || {{ echo \'{self._credentials} has no line'
                    " password=...'; exit 1; }\n"
                    'printf \'%s\\n%s\\n\' "$password" "$password" | smbpasswd -c'
                    f" {self._conf_file} -s -a {user}\n"
                    f"cp {self._credentials} {private}/credentials",
                )
            )
        return steps

    def _conf(self) -> str:
        share = self.options.share
        options = self.options
        network = (
            f"interfaces = {self.address(self.server)}\nbind interfaces only = yes\n"
            if options.network
            else ""
        )
        who = "guest ok = yes\nguest only = yes" if options.guest else f"valid users = {self._user}"
        return f"""\
[global]
server role = standalone server
smb ports = 445
disable netbios = yes
{network}load printers = no
printcap name = /dev/null
disable spoolss = yes
rpc start on demand helpers = no
usershare max shares = 0
server smb encrypt = {_ENCRYPTION[share.encryption]}
server signing = {"mandatory" if share.signing == "required" else "auto"}
map to guest = {"bad user" if options.guest else "never"}
{f"guest account = {self._user}" if options.guest else "restrict anonymous = 2"}
pid directory = {self._runtime}
ncalrpc dir = {self._runtime}/ncalrpc
lock directory = {self._state}/lock
state directory = {self._state}/state
cache directory = {self._state}/cache
private dir = {self._state}/private
log file = {self._state}/log.smbd

[{self.study_id}]
path = {self.shared_path}
read only = no
{who}
case sensitive = yes
strict sync = {"no" if share.sync == "never" else "yes"}
sync always = {"yes" if share.sync == "always" else "no"}
"""

    def _share_steps(self) -> list[Step]:
        unit = self._unit
        conf = self._conf_file
        running = f"{self._runtime}/smb.conf"
        return [
            write_file(f"/etc/systemd/system/{unit}", self._unit_file(), after=reread(unit)),
            command_step(
                "check that port 445 is free",
                f"systemctl -q is-active {unit} ||\n! grep -q ':01BD 0*:0000 0A ' /proc/net/tcp"
                " /proc/net/tcp6",
                "echo 'port 445 is taken; stop what listens there, or take another server:'\n"
                "ss -Hltnp sport = :445\nexit 1",
            ),
            command_step(
                "start the Samba server",
                f"systemctl -q is-active {unit} && cmp -s {conf} {running} &&\n"
                f"[ -e /etc/systemd/system/multi-user.target.wants/{unit} ]",
                f"mkdir -p -m 755 {self._state}\nsystemctl -q --no-reload enable {unit}\nsystemctl"
                f" restart {unit}",
                shows=(
                    f"systemctl -q is-active {unit} || echo 'now: not active'\n"
                    f"show_file {running} <{conf}"
                ),
                reason=f"sync {self.options.share.sync}: {_SYNC[self.options.share.sync]}",
            ),
        ]

    def _unit_file(self) -> str:
        """The unit of a server next to the distribution's own.

        It reads a copy of the configuration, so that a check can compare what the server runs with.
        """
        return f"""\
[Unit]
Description=Samba share {self.study_id} of Seatrial
Wants=network-online.target
After=network-online.target
RequiresMountsFor={self.shared_path}
StartLimitIntervalSec=0

[Service]
Type=notify
RuntimeDirectory={self._runtime.removeprefix("/run/")}
ExecStartPre=/bin/cp {self._conf_file} {self._runtime}/smb.conf
ExecStart=/usr/sbin/smbd --foreground --no-process-group --configfile={self._runtime}/smb.conf \
--log-basename={self._state}
LimitNOFILE=16384

[Install]
WantedBy=multi-user.target
"""

    def _mount_options(self) -> str:
        mount = self.options.mount
        sizes = [f"{key}={size}" for key in ("rsize", "wsize") if (size := getattr(mount, key))]
        login = (
            ["guest"]
            if self.options.guest
            else [f"username={self._user}", f"credentials={self._credentials}"]
        )
        return ",".join(
            [f"vers={mount.version}", f"cache={mount.cache}", *login, *sizes, *mount.options]
        )

    @property
    def _source(self) -> str:
        return f"//{self.address(self.server)}/{self.study_id}"

    def _let_go_step(self) -> Step:
        """Unmount before the server may be restarted.

        A client of kernel 6.1 that unmounts while it reconnects completes neither.
        """
        path = self.directory
        mounted = is_mounted(path, f"{self._source} {self._mount_options()}", self.mount_record)
        return command_step(
            f"unmount another file system at {path}",
            f"! grep -q ' {path} ' /proc/mounts || {{\n{mounted}\n}}",
            unmount(path),
        )

    def _mount_steps(self) -> list[Step]:
        return mount_steps(
            self._source, self.directory, "cifs", self._mount_options(), self.mount_record
        )

    def _unshare_steps(self) -> list[Step]:
        unit = self._unit
        user = self._user
        state = self._state
        enabled = f"/etc/systemd/system/multi-user.target.wants/{unit}"
        return [
            command_step(
                "stop the Samba server",
                f"! systemctl -q is-active {unit} && [ ! -L {enabled} ]",
                f"systemctl stop {unit}\nsystemctl -q --no-reload disable {unit}",
            ),
            remove_file(f"/etc/systemd/system/{unit}", after=reread(unit)),
            remove_file(self._conf_file),
            remove_file(self._own_credentials),
            command_step(f"remove {state}", f"[ ! -e {state} ]", f"rm -r {state}"),
            *self.release_steps(),
            command_step(
                f"remove the user {user}", f"! getent passwd {user} >/dev/null", f"userdel {user}"
            ),
        ]


def _server_packages(packages: dict[str, str]) -> Step:
    """Install the packages; a server that Debian starts on installation stays disabled.

    Its shares are not wanted, and it would occupy the port.
    """
    units = ("smbd.service", "nmbd.service", "samba-ad-dc.service")
    return need_commands(packages, disabled=("/usr/sbin/smbd", *units))
