"""Membership: corosync's configuration for the nodes of a cluster."""

from collections.abc import Mapping, Sequence

from seatrial.plan.plan import Generated, Step, remove_file, write_file
from seatrial.solutions.parts.backups import MADE, backup_of, restore

PATH = "/etc/corosync/corosync.conf"
AUTHKEY = "/etc/corosync/authkey"
KEY_BYTES = 256
LOCKED_BYTES = 171 * 2**20
LOCKED_OF_MEMBER_BYTES = 2100 * 2**10
"""bytes of locked memory per member beyond two (mlockall keeps the whole process resident).

Measured with corosync 3.1.7 and knet: 181 632 KiB on each of three members in a lab. From two to
32 members its address space grows by 2 097 KiB per member. A node with it, dlm, lvmlockd and GFS2
used 245 MiB at rest.
"""
# The package may start a cluster of one node at its installation, which cannot become this one.
_AFTER = """\
if systemctl -q is-active corosync; then
    if crm_mon --one-shot --inactive 2>/dev/null | grep -q '(ocf:\\|(stonith:'; then
        corosync-cfgtool -R
    else
        systemctl stop pacemaker corosync
        rm -f /var/lib/pacemaker/cib/cib*
    fi
fi"""


def configuration(
    name: str,
    servers: Sequence[str],
    rings: Sequence[Mapping[str, str]],
    token_ms: int,
    wait_for_all: bool,
) -> str:
    """The text of corosync.conf.

    `rings` maps each server to its address on a heartbeat network, in order. Of more than two nodes
    a majority must be present; of two each continues alone once it has fenced the other.
    """
    nodes = "".join(
        f"    node {{\n        name: {server}\n        nodeid: {number}\n"
        + "".join(f"        ring{index}_addr: {ring[server]}\n" for index, ring in enumerate(rings))
        + "    }\n"
        for number, server in enumerate(servers, start=1)
    )
    links = "".join(
        f"    interface {{\n        linknumber: {index}\n        knet_ping_interval:"
        f" {max(token_ms // 6, 100)}\n        knet_ping_timeout: {max(token_ms // 2, 300)}\n   "
        " }\n"
        for index in range(len(rings))
    )
    # By default the token timeout grows by 650 ms for each node beyond two.
    steady = "    token_coefficient: 0\n" if len(servers) > 2 else ""
    pair = "    two_node: 1\n" if len(servers) == 2 else ""
    return f"""\
totem {{
    version: 2
    cluster_name: {name}
    transport: knet
    crypto_cipher: aes256
    crypto_hash: sha256
    token: {token_ms}
{steady}{links}}}
quorum {{
    provider: corosync_votequorum
{pair}    wait_for_all: {int(wait_for_all)}
}}
nodelist {{
{nodes}}}
logging {{
    to_syslog: yes
    to_stderr: no
    to_logfile: no
    timestamp: hires
}}
"""


def locked_bytes(members: int) -> int:
    """Bytes of memory that corosync locks on each node of a cluster of `members` nodes."""
    whole_mib = -(-(LOCKED_BYTES + members * LOCKED_OF_MEMBER_BYTES) // 2**20)
    return whole_mib * 2**20


def key(study_id: str, nodes: Sequence[str]) -> Generated:
    """The members' key; any holder can join the cluster (corosync-keygen(8): 2048 bits)."""
    return Generated("corosync-key", f"{MADE}/{study_id}/corosync-key", tuple(nodes), KEY_BYTES)


def steps(text: str, after: str = _AFTER) -> list[Step]:
    """Write the configuration and have a running cluster reload it (`after`).

    The former configuration is backed up.
    """
    name = text.partition("cluster_name: ")[2].partition("\n")[0]
    step = write_file(
        PATH,
        text,
        title="configure the members and links of corosync",
        after=after,
        backup=backup_of(name, PATH),
        takes=(("cluster", name),),
    )
    secret = key(name, ())
    shared = write_file(
        AUTHKEY,
        secret.placeholder,
        title="enable encryption of corosync",
        mode="400",
        backup=backup_of(name, AUTHKEY),
        reason="otherwise any host on the network could join the cluster and have members fenced",
    )
    return [
        write_file(
            secret.path,
            secret.placeholder,
            title="store the corosync key, readable by root only",
            mode="600",
        ),
        shared,
        step,
    ]


def removal(name: str) -> list[Step]:
    """Restore the former configuration."""
    return [restore(name, PATH), restore(name, AUTHKEY), remove_file(key(name, ()).path)]
