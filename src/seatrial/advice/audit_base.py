"""What an audit is told by a node, what it finds, and the list of rules (one file beside this one for each kind)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, cast

from seatrial.basics.plugins import Plugins

Level = Literal["unsafe", "fragile", "slow"]
LEVELS: dict[Level, str] = {
    "unsafe": "data may be lost, or read by others",
    "fragile": "it stops, or gives errors, where it need not",
    "slow": "it costs speed",
}


@dataclass(frozen=True)
class Mounted:
    """A line of /proc/mounts."""

    source: str
    path: str
    kind: str
    options: tuple[str, ...]

    def option(self, name: str) -> str | None:
        """The value of `name=value`, `""` of a bare `name`, None where it is not there."""
        for item in self.options:
            key, _, value = item.partition("=")
            if key == name:
                return value
        return None


@dataclass(frozen=True)
class Facts:
    """What a node says of itself; nothing of it is guessed."""

    node: str
    mounts: tuple[Mounted, ...] = ()
    exports: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    """(path, client, options) of every line of etab"""
    shares: dict[str, dict[str, str]] = field(default_factory=dict)
    """section of the running Samba server's configuration -> key -> value"""
    sshfs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """mount point -> every word and option of the process behind it"""
    values: dict[str, str] = field(default_factory=dict)
    """nfsd_threads, mtu (towards its peer), md (a line for each array that is not whole), and of a Ceph monitor's node,
    as JSON and empty where it gets no answer: ceph (health detail), and if that is answered ceph_status, ceph_versions,
    ceph_osd_dump; where daemons are of more than one version ceph_mon, ceph_mgr, ceph_mds, ceph_osd (their metadata)"""


@dataclass(frozen=True)
class Finding:
    """Something that should be otherwise."""

    node: str
    level: Level
    what: str
    better: str
    why: str
    option: str = ""
    """by which a measured or a published cost is found: noac, rsize, udp, async"""


SMALL_BYTES = 65536


def mounts_of(facts: Sequence[Facts], *kinds: str) -> Iterator[tuple[str, Mounted, str]]:
    """(node, mount, its path and source) of all mounts of these kinds."""
    for node in facts:
        for mount in node.mounts:
            if mount.kind in kinds:
                yield node.node, mount, f"{mount.path} ({mount.source})"


def small_requests(node: str, mount: Mounted, where: str, option: str = "") -> Iterator[Finding]:
    """Requests that somebody has made smaller than they need to be."""
    for key in ("rsize", "wsize"):
        size = mount.option(key) or ""
        if size.isdigit() and int(size) < SMALL_BYTES:
            why = "each request carries so many bytes at most, and costs the same as a large one"
            yield Finding(node, "slow", f"{where} has {key}={size}", "leave it to the negotiation", why, option)


class Rule(Protocol):
    """The module of a kind of rules."""

    def findings(self, facts: Sequence[Facts]) -> Iterator[Finding]:
        """What is wrong in what all nodes say."""


def every_finding(facts: Sequence[Facts]) -> list[Finding]:
    """Of every rule, the gravest first."""
    rules = [cast(Rule, _RULES.load(name)) for name in _RULES.names()]
    return sorted((it for rule in rules for it in rule.findings(facts)), key=lambda it: list(LEVELS).index(it.level))


_RULES = Plugins("seatrial.advice.audits", "seatrial.audits", ("findings",))


PROBE = r"""
while read -r source path kind options rest; do
    case $kind in nfs | nfs4 | cifs | fuse.sshfs | ext3 | ext4 | xfs) echo "mount $source $path $kind $options" ;; esac
done </proc/mounts
[ ! -r /proc/fs/nfsd/threads ] || { read -r threads </proc/fs/nfsd/threads; echo "value nfsd_threads $threads"; }
[ ! -r /var/lib/nfs/etab ] || while read -r line; do echo "export $line"; done </var/lib/nfs/etab
[ ! -r /proc/mdstat ] || while read -r line; do
    case $line in md*) name=${line%% *} ;; *\[*_*\]*) echo "value md $name ${line##* }" ;; esac
done </proc/mdstat
samba=
[ ! -e /run/samba/smbd.pid ] || samba=/etc/samba/smb.conf
for conf in /run/seatrial-smb-*/smb.conf $samba; do
    [ ! -r "$conf" ] || while read -r line; do
        case $line in \[*) section=${line#?} section=${section%%]*} ;; [\;#]*) ;; *=*) echo "smb $section]$line" ;; esac
    done <"$conf"
done
for process in /proc/[0-9]*; do
    [ -r $process/comm ] && read -r name <$process/comm || continue
    [ "$name" != sshfs ] || echo "sshfs $(tr '\0' ' ' <$process/cmdline)"
done
ceph_says() { timeout 30 ceph "$@" --format json 2>/dev/null </dev/null | tr -d '\n'; }
for store in /var/lib/ceph/mon/*; do
    [ -e "$store" ] || break
    health=$(ceph_says health detail)
    printf 'value ceph %s\n' "$health"
    [ -n "$health" ] || break
    versions=$(ceph_says versions)
    printf 'value ceph_status %s\nvalue ceph_versions %s\n' "$(ceph_says status)" "$versions"
    printf 'value ceph_osd_dump %s\n' "$(ceph_says osd dump)"
    case ${versions#*overall} in *'"ceph version '*'"ceph version '*)
        for kind in mon mgr mds osd; do printf 'value ceph_%s %s\n' $kind "$(ceph_says $kind metadata)"; done ;;
    esac
    break
done
peer=$(getent ahostsv4 "$1" | { read -r address rest; echo "$address"; })
if [ -n "$peer" ]; then
    link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
    read -r mtu </sys/class/net/$link/mtu && echo "value mtu $mtu"
fi
"""
"""sh; `$1` is the name or address of a peer; it reads, and changes nothing"""
PROBE_TIMEOUT_S = 300.0
"""a monitor that answers slowly is asked up to eight times, 30 s each; one that does not answer, once"""


def facts_of(node: str, text: str) -> Facts:
    """What the probe said on a node; lines that cannot be read are left out."""
    mounts, exports, processes = [], [], []
    shares: dict[str, dict[str, str]] = {}
    values = {}
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        words = rest.split()
        if kind == "mount" and len(words) == 4:
            mounts.append(Mounted(words[0], words[1], words[2], tuple(words[3].split(","))))
        elif kind == "export" and len(words) >= 2:
            # etab: the path, then client(options) for each client.
            for word in words[1:]:
                client, _, options = word.partition("(")
                exports.append((words[0], client, tuple(options.rstrip(")").split(","))))
        elif kind == "smb" and "=" in rest:
            section, _, setting = rest.partition("]")
            key, _, value = setting.partition("=")
            shares.setdefault(section, {})[" ".join(key.lower().split())] = value.strip().lower()
        elif kind == "sshfs":
            processes.append(tuple(rest.replace(",", " ").split()))
        elif kind == "value" and (len(words) >= 2 or rest.startswith("ceph")):
            values[words[0]] = " ".join(words[1:])
    behind = {item.path: words for item in mounts for words in processes if item.path in words}
    return Facts(node, tuple(mounts), tuple(exports), shares, behind, values)
