"""Steps that create, start, stop and remove the daemons of a Ceph cluster, with Debian's units."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from seatrial.plan.plan import Step, command_step, remove_file, write_file
from seatrial.plan.resources import NoUnit
from seatrial.solutions.parts.ceph_cluster import ADMIN, CONF, STATE, Cluster, Osd
from seatrial.solutions.parts.raid import erase

LOGS = "/var/log/ceph"
"""each daemon logs here; the journal only has messages of systemd, and crashes"""
MARK = f"{STATE}/seatrial"
"""marker file with the study and the fsid of the cluster on this server; removed with its data"""
TOOL = Path(__file__).parent / "agents" / "ceph-cluster"
TOOL_PATH = "/usr/local/lib/seatrial/ceph-cluster"
DROP_INS = "/etc/systemd/system/ceph-osd@.service.d/seatrial.conf"
CLUSTER_NETWORK = "/etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf"
PACKAGES = {
    "ceph-mon": "ceph-mon",
    "ceph-mgr": "ceph-mgr",
    "ceph-mds": "ceph-mds",
    "ceph-osd": "ceph-osd",
    "ceph": "ceph-common",
}
FUSE = {"ceph-fuse": "ceph-fuse"}
"""package of a server that is also a client"""
KERNEL = {"mount.ceph": "ceph-common"}
"""package of all other clients"""
DEBIAN = (*PACKAGES.values(), *FUSE.values())
_SECRET_LEAST = 32


def look_step(cluster: Cluster) -> Step:
    """Refuse a server of another cluster before any node is changed; read-only."""
    own_mark = f'"{_mark_text(cluster)}"'
    return command_step(
        "refuse another Ceph cluster",
        f"owner=none\n[ ! -e {MARK} ] || read -r owner <{MARK}\n"
        f"for file in {CONF} {STATE}/mon/* {STATE}/osd/* {STATE}/mds/* {STATE}/mgr/*; do\n"
        f'    [ ! -e "$file" ] || [ "$owner" = {own_mark} ] || exit 1\ndone\n'
        f"case $owner in none | {own_mark}) ;; *) exit 1 ;; esac",
        f"owner=none\n[ ! -e {MARK} ] || read -r owner <{MARK}\n"
        f'echo "refused: this node has {CONF} or parts of a Ceph cluster in {STATE} that this study'
        ' did not create"\n'
        'echo "(owner in the mark: $owner); nothing was changed; take the node out of that cluster'
        ' first"\nexit 1',
    )


def _mark_text(cluster: Cluster) -> str:
    return f"{cluster.study_id} {cluster.fsid}"


def common_steps(cluster: Cluster) -> list[Step]:
    """The marker, the configuration, the helper, and a unit that lets OSDs open their disks."""
    return [
        command_step(
            "mark the Ceph files of this node",
            f'[ -s {MARK} ] && read -r owner <{MARK} && [ "$owner" = "{_mark_text(cluster)}" ]',
            f'mkdir -p {STATE}\necho "{_mark_text(cluster)}" >{MARK}',
        ),
        write_file(
            CONF,
            cluster.conf(),
            title="configure the cluster: members, cephx, timers, memory",
            shown=True,
        ),
        write_file(
            TOOL_PATH,
            TOOL.read_text(encoding="ascii"),
            title="install the monitor query helper",
            mode="755",
        ),
        write_file(
            helper_input_path(cluster),
            cluster.helper_input(),
            title="configure pools and file system",
        ),
    ]


def helper_input_path(cluster: Cluster) -> str:
    """The input file of the helper."""
    return f"/etc/ceph/seatrial-{cluster.study_id}.json"


def tool(cluster: Cluster, what: str) -> str:
    """sh: run the helper."""
    return f"python3 {TOOL_PATH} {what} {helper_input_path(cluster)}"


def file_system_step(cluster: Cluster, redundancy: str, placement_groups: int) -> Step:
    """Create the file system in pools with this redundancy, for example `3 copies`."""
    check = tool(cluster, "files-check")
    return command_step(
        f"create the file system with {redundancy} and {placement_groups} active placement groups",
        check,
        tool(cluster, "files"),
        reason="this object size and number of placement groups spread data evenly",
        shows=check,
    )


# ---- keys


def secret_step(path: str, text: str | None) -> Step:
    """Write a lab's secret; on hosts check that a long enough secret exists for root alone."""
    good = (
        f'[ -s {path} ] && [ "$(stat -c %a:%u {path})" = 600:0 ] && read -r secret <{path} && '
        f"[ ${{#secret}} -ge {_SECRET_LEAST} ]"
    )
    if text is None:
        return command_step(
            f"check the secret in {path}, readable by root only",
            good,
            f'echo "{path} has to be there, owned by root, of mode 600, with one line of'
            f' {_SECRET_LEAST} characters "\necho "or more, the same on every node that the study'
            ' says; make it with: openssl rand -hex 32"\nexit 1',
        )
    return command_step(
        f"store the lab's secret in {path}",
        good,
        f"umask 077\nmkdir -p /etc/seatrial\necho {text} >{path}\nchown root:root {path}\nchmod 600"
        f" {path}",
    )


def _key(path: str, entity: str) -> str:
    """sh: the key of an entity, derived from a secret.

    It is 16 bytes of a hash in cephx's format (AES, type 1). `printf` and `read` are builtins of
    the shell, so that no secret is ever an argument of a process.
    """
    hashed = (
        f"printf '%s %s' \"$secret\" {entity} | sha256sum | cut -c1-32 | tr a-f A-F | basenc"
        " --base16 -d"
    )
    head = r"printf '\1\0\0\0\0\0\0\0\0\0\20\0'"
    return f"{{ read -r secret <{path}; {head}; {hashed}; }} | base64 -w0"


def _entry(entity: str, secret: str, caps: Iterable[str] = ()) -> str:
    """sh: the entity's lines of a keyring."""
    lines = f"    printf '[%s]\\nkey = %s\\n' {entity} \"$({_key(secret, entity)})\"\n"
    for cap in caps:
        who, _, what = cap.partition(" ")
        lines += f"    echo 'caps {who} = {what}'\n"
    return lines


def keyring_step(
    title: str, path: str, owner: str, secret: str, entity: str, *, also: str = ""
) -> Step:
    """Store an entity's key for its owner alone; `also`: sh that runs afterwards."""
    return command_step(
        title, _is_private(path, owner), _keyring(path, owner, secret, entity) + also
    )


def _keyring(path: str, owner: str, secret: str, entity: str) -> str:
    return (
        f"umask 077\nmkdir -p {path.rpartition('/')[0]}\n{{\n{_entry(entity, secret)}}}"
        f" >{path}.new\nchown {owner}:{owner} {path}.new\nmv {path}.new {path}"
    )


def _is_private(path: str, owner: str) -> str:
    return f'[ -s {path} ] && [ "$(stat -c %a:%U {path})" = 600:{owner} ]'


def client_key_step(cluster: Cluster, secret: str, path: str) -> Step:
    """The key file for mount.ceph."""
    key = _key(secret, f"client.{cluster.study_id}")
    return command_step(
        "store the client key, readable by root only",
        _is_private(path, "root"),
        f"umask 077\nmkdir -p {path.rpartition('/')[0]}\n{key} >{path}.new\nmv {path}.new {path}",
    )


# ---- daemons


def _start_step(cluster: Cluster, kind: str, name: str, title: str) -> Step:
    """Start the daemon, or restart it for a new configuration when the cluster can spare it."""
    unit = f"ceph-{kind}@{name}"
    marker = f"{STATE}/seatrial-started-{kind}-{name}"
    runs = f"systemctl -q is-active {unit}"
    waits = (
        f"! {runs} || {tool(cluster, f'may-stop:{kind}.{name}')}\n"
        if cluster.can_spare(kind)
        else ""
    )
    return command_step(
        title,
        # Enabled, and started with the current configuration.
        f"{runs} && systemctl -q is-enabled {unit} && [ {marker} -nt {CONF} ]",
        f"systemctl -q --no-reload enable {unit} ceph-{kind}.target ceph.target\n{waits}systemctl"
        f" reset-failed {unit} 2>/dev/null || true\nsystemctl restart {unit}\ntouch {marker}",
        units=(f"ceph-{kind}.target", "ceph.target"),
        interrupts=runs,
    )


class SecretFiles(NamedTuple):
    """The files with the servers' secret and with the clients' secret."""

    servers: str
    clients: str


def monitor_steps(cluster: Cluster, name: str, secrets: SecretFiles) -> list[Step]:
    """Create the monitor's store with every key, and start the monitor."""
    folder = f"{STATE}/mon/ceph-{name}"
    keys = "".join(
        _entry(
            entity,
            secrets.clients if entity == f"client.{cluster.study_id}" else secrets.servers,
            caps,
        )
        for entity, caps in cluster.entities().items()
    )
    resolve = ""
    members = ""
    for index, member in enumerate(cluster.monitors):
        resolved = (
            f"$(getent ahostsv4 {cluster.addresses[member]} | {{ read -r first rest; echo"
            ' "$first"; })'
        )
        resolve += f"address_{index}={resolved}\n"
        members += f' --addv {member} "[v2:$address_{index}:3300,v1:$address_{index}:6789]"'
    return [
        command_step(
            f"create the store of monitor mon.{name}",
            f"[ -e {folder}/done ]",
            f"umask 077\nwork=$(mktemp -d)\n{{\n{keys}}} >$work/keyring\n{resolve}monmaptool"
            f" --create --fsid {cluster.fsid}{members} $work/map\nchown -R ceph:ceph $work\nrm -rf"
            f" {folder}\ninstall -d -o ceph -g ceph {folder}\nceph-mon --mkfs -i {name} --monmap"
            " $work/map --keyring $work/keyring --setuser ceph --setgroup ceph\nrm -rf"
            f" $work\ntouch {folder}/done",
        ),
        _start_step(cluster, "mon", name, f"start monitor mon.{name}"),
    ]


def daemon_steps(cluster: Cluster, kind: str, name: str, secret: str) -> list[Step]:
    """The key of a manager (mgr) or metadata server (mds), and its start."""
    entity = f"{kind}.{name}"
    folder = f"{STATE}/{kind}/ceph-{name}"
    owned = f"\nchown ceph:ceph {folder}"
    return [
        keyring_step(
            f"store the key of {entity}", f"{folder}/keyring", "ceph", secret, entity, also=owned
        ),
        _start_step(cluster, kind, name, f"start {entity}"),
    ]


def osd_steps(cluster: Cluster, osd: Osd, secret: str, erasable: frozenset[str]) -> list[Step]:
    """Create the OSD on its disk and start it."""
    folder = osd.folder
    entity = f"osd.{osd.number}"
    # Bluestore writes a disk's label as text: a magic string and then the OSD's UUID.
    made = f'[ -s {folder}/ready ] && [ "$(head -c 60 {osd.device} | sed -n 2p)" = {osd.uuid} ]'
    steps = []
    if osd.device in erasable:
        steps.append(erase(osd.device, unless=made, folders=(folder,)))
    return [
        *steps,
        command_step(
            f"create {entity} on {osd.device}",
            made,
            f"rm -rf {folder}\ninstall -d -o ceph -g ceph {folder}\nln -s {osd.device}"
            f" {folder}/block\nchown ceph:ceph"
            f" {osd.device}\n{_keyring(f'{folder}/keyring', 'ceph', secret, entity)}\necho"
            f" bluestore >{folder}/type\nchown ceph:ceph {folder}/type\nceph-osd -i {osd.number}"
            f" --mkfs --osd-uuid {osd.uuid} --no-mon-config --setuser ceph --setgroup ceph",
            destroys=(osd.device,),
        ),
        keyring_step(f"store the key of {entity}", f"{folder}/keyring", "ceph", secret, entity),
        _start_step(cluster, "osd", str(osd.number), f"start {entity}"),
    ]


def disk_owner_step() -> Step:
    """OSDs run as an ordinary user, and a device's owner is lost at every boot."""
    return write_file(
        DROP_INS,
        "[Unit]\n# A daemon that died often in a trial is still to be started"
        " again.\nStartLimitIntervalSec=0\n[Service]\nExecStartPre=/bin/chown ceph:ceph"
        f" {STATE}/osd/ceph-%i/block\n",
        title="give OSDs access to their disks at boot",
        after="systemctl daemon-reload",
    )


def cluster_network_step(name: str | None) -> Step:
    """The servers' own network for OSDs: a name of this server there; None: the clients' network.

    An OSD reads its address at its start, as digits (`cluster_addr`, Ceph's network configuration
    reference).
    """
    after = f"systemctl daemon-reload\nrm -f {STATE}/seatrial-started-osd-*"
    runs = "systemctl -q is-active 'ceph-osd@*'"
    if name is None:
        return remove_file(CLUSTER_NETWORK, after=after, interrupts=runs)
    address_line = (
        f'address=$(getent ahostsv4 {name} | {{ read -r first rest; echo "$first"; }}) && [ -n'
        ' "$address" ] &&\nline="Environment=CEPH_ARGS=--cluster-addr=$address"'
    )
    return command_step(
        f"set the OSD network to {name}",
        f'{address_line} &&\n[ "$(cat {CLUSTER_NETWORK} 2>/dev/null)" = '
        '"$(printf \'[Service]\\n%s\' "$line")" ]',
        f"{address_line}\nmkdir -p {CLUSTER_NETWORK.rpartition('/')[0]}\n"
        f"printf '[Service]\\n%s\\n' \"$line\" >{CLUSTER_NETWORK}\n{after}",
        reason="copies, parity parts and recovery do not compete with clients for bandwidth",
        shows=f"cat {CLUSTER_NETWORK}",
        interrupts=runs,
    )


# ---- removal


def stop_step(units: Sequence[str]) -> Step:
    """Stop the units and disable them."""
    return Step(f"stop {' '.join(units)}", NoUnit(tuple(units)))


def forget_steps(
    cluster: Cluster, server: str, erasable: frozenset[str], *, all_named: bool
) -> list[Step]:
    """Remove configuration and keys; what the data need (stores, folders) stays with the disks."""
    osds = cluster.osds_of(server)
    erased = [osd for osd in osds if osd.device in erasable]
    steps = [
        *(
            remove_file(path, after="systemctl daemon-reload")
            for path in (DROP_INS, CLUSTER_NETWORK)
        ),
        *(remove_file(path) for path in (CONF, ADMIN, TOOL_PATH, helper_input_path(cluster))),
    ]
    # A monitor's own key is in its store, which has all other keys too.
    folders = [
        *(f"{STATE}/{kind}/ceph-{server}" for kind in ("mgr", "mds")),
        *(osd.folder for osd in osds),
    ]
    keyrings = " ".join(f"{folder}/keyring" for folder in folders)
    steps.append(
        command_step("remove the keys of daemons", _no_file(keyrings), f"rm -f {keyrings}")
    )
    if erased:
        osd_folders = tuple(osd.folder for osd in erased)
        steps.append(erase(*(osd.device for osd in erased), folders=osd_folders))
    if all_named:
        rest = (
            f"{STATE}/mon/ceph-{server} {STATE}/mgr/ceph-{server} {STATE}/mds/ceph-{server} {MARK}"
        )
        steps.append(
            command_step(
                "remove the cluster files after all its disks are erased",
                _no_file(rest),
                f"rm -rf {rest} {STATE}/seatrial-started-*",
                # After the preflight check, which refuses the marker of another cluster.
                named=True,
            )
        )
    return steps


def _no_file(paths: str) -> str:
    """sh: none of these files exists."""
    return f"no_file {paths}"
