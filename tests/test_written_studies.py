"""Studies as people write them (tests/data/studies): the accepted ones, and the messages of
the others.
"""

from pathlib import Path
from typing import Any

import pytest

from seatrial.basics.errors import InputError
from seatrial.basics.node_sets import expand
from seatrial.basics.schema import Model, validate
from seatrial.basics.text import Directory
from seatrial.basics.yamlfile import parse_yaml
from seatrial.check import prepare
from seatrial.load.baselines import probes
from seatrial.plan.plan import Plan, describe
from seatrial.solutions.base import Solution
from seatrial.study.study import load_study
from tests.builders.places import DATA
from tests.builders.strategies import changed, study

WRITTEN = DATA / "studies"


def solution_of(name: str) -> Solution:
    """The plan of a study of the fixtures."""
    return prepare(load_study(WRITTEN / f"{name}.yaml"))[1]


def plan_of(name: str) -> Plan:
    """Its plan."""
    return solution_of(name).plan({})


TAKEN = [
    *("address-ipv6", "clients-order", "devices-84"),
    *("mtu-ipoib-4092", "mtu-ipoib-65520", "mtu-omnipath-10236"),
    *("mount-rdma", "mount-nconnect", "mount-krb5", "mount-local-lock", "mount-soft", "mount-rw"),
    *("mount-fs-beegfs", "mount-fs-fuse", "mount-fs-fuse-jfs"),
    *(
        "nodes-aws-rbn",
        "nodes-serial",
        "nodes-fqdn",
        "nodes-fqdn-long",
        "nodes-ipv4",
        "nodes-uppercase",
    ),
]


@pytest.mark.parametrize("name", TAKEN)
def test_common_studies_are_accepted(name: str) -> None:
    """It holds together and has a plan."""
    assert plan_of(name).stages


REFUSED: dict[str, str] = {
    "address-ipv6-bracket": (
        r"'\[2001:db8:a::10\]' has brackets; write an IPv6 address without them"
    ),
    "address-ipv6-scope": r"'fe80::1%eth0' has a zone",
    "address-url": r"'nas1\.example\.org:2049' has a port; write .* alone, like nas1\.example\.org",
    "mount-alias-addr": r"'addr=192\.0\.2\.7' is set by the server's address",
    "mount-alias-minorversion": r"'minorversion=1' is set by mount\.version",
    "mount-alias-nfsvers": r"'nfsvers=3' is set by mount\.version",
    "mount-alias-proto": r"'proto=tcp' is set by mount\.transport",
    "mount-alias-rdma": r"'rdma=1' is set by mount\.transport",
    "mount-alias-tcp": r"'tcp' is set by mount\.transport",
    "mount-alias-udp": r"'udp' is set by mount\.transport",
    "mount-alias-v3": r"'v3' is set by mount\.version",
    "mount-alias-vers": r"'vers=3' is set by mount\.version",
    "mount-rdma-bare": r"'rdma' is set by mount\.transport",
    "mount-rdma-option": r"'proto=rdma' is set by mount\.transport",
    "mount-vers-in-options": r"'nfsvers=4\.2' is set by mount\.version",
    "mount-as-one-string": r"write a list: \[rw, hard, intr, rsize=8192\]",
    "mount-xsystemd": r"'_netdev': the plan writes it",
    "mount-xsystemd2": r"'x-systemd\.automount': the plan mounts it at every boot",
    "mount-selinux": r"is not a valid mount option",
    "mount-dir-rel": (
        r"'scratch' is not a valid absolute path of a directory: it does not begin with '/'"
    ),
    "mount-dir-root": (
        r"'/' is not a valid absolute path of a directory: it is the root of the file system"
    ),
    "mount-dir-space": r"it has a blank",
    "mount-dir-tilde": r"'~' is not expanded",
    "mount-dir-var": r"variables are not expanded",
    "nodes-case-twice": (
        r"'node01'.*'NODE01'.*host names have no case|'NODE01' twice.*host names have no case"
    ),
    "nodes-underscore": r"'compute_\[01-04\]' is not a valid node set: host names have no '_'",
    "nodes-space": r"it has a blank; part names by a comma alone",
    "nodes-exclude": r"'!' takes names away",
    "nodes-group": r"groups are not understood",
    "nodes-ipv6": r"an IPv6 address is not a name",
    "nodes-bad-bracket": r"a bracket is missing in 'node\[01-'",
    "nodes-not-padded": r"padding length mismatch",
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_impossible_study_is_refused_with_its_reason(name: str) -> None:
    """The sentence names the mistake, so that the user can correct it."""
    with pytest.raises(InputError, match=REFUSED[name]):
        solution_of(name)


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ("node04,node01,node16,node02", ("node04", "node01", "node16", "node02")),
        ("c[08-10,3],a", ("c08", "c09", "c10", "c3", "a")),
        ("r[2,1]n[01-02]", ("r2n01", "r2n02", "r1n01", "r1n02")),
        ("c[1-3],c2,c5", ("c1", "c2", "c3", "c5")),
        ("n[1-9/4]", ("n1", "n5", "n9")),
        ("cn-[20230914001-20230914002]", ("cn-20230914001", "cn-20230914002")),
    ],
)
def test_a_node_set_keeps_the_order_in_which_it_is_written(
    written: str, names: tuple[str, ...]
) -> None:
    """The last of several ranges runs fastest."""
    assert expand(written) == names


def test_the_first_clients_are_those_that_are_written_first() -> None:
    """An experiment with one client takes node04."""
    assert solution_of("clients-order").clients == ("node04", "node01", "node16", "node02")


@pytest.mark.parametrize("length", [63, 64])
def test_a_label_has_at_most_63_letters(length: int) -> None:
    """RFC 1035."""
    name = f"{'a' * length}.example.org"
    if length <= 63:
        assert expand(name) == (name,)
    else:
        with pytest.raises(ValueError, match="between two dots it has 64"):
            expand(name)


def test_an_ipv6_address_has_brackets_where_a_colon_follows() -> None:
    """In the mount and in fstab."""
    text = describe(plan_of("address-ipv6"))
    options = "vers=4.2,proto=tcp6,hard,noatime"
    source = "'[2001:db8:a::10]:/srv/t'"
    assert f"mount -t nfs -o {options} {source} /mnt/t" in text
    assert f"put_fstab_line {source} /mnt/t nfs {options},_netdev" in text
    assert "2001:db8:a::10:/srv" not in text.replace("[2001:db8:a::10]:/srv", "")


def test_the_largest_packet_has_room_for_the_header_of_ipv6(tmp_path: Path) -> None:
    """40 bytes and 8 of ICMP, of 1500; to a name, which stands for an IPv4 address, 20 and 8."""
    text = (WRITTEN / "address-ipv6.yaml").read_text()
    both = 'node01: {address: "2001:db8:a::11"}\n  node02: {}'
    path = tmp_path / "study.yaml"
    path.write_text(text.replace('"node[01-02]": {link: 10Gbit/s}', both))
    written = load_study(path)
    echoes = [probe.command for probe in probes(("mtu",), written, *prepare(written))]
    assert "for peer in 2001:db8:a::11 node02; do case $peer in" in echoes[0]
    assert "*:*) ping -q -M do -c 2 -i 0.2 -W 1 -s 1452 $peer ;; *) ping" in echoes[0]
    assert "-s 1472 $peer ;; esac" in echoes[0]


@pytest.mark.parametrize("kind", ["smb", "sshfs"])
def test_other_kinds_refuse_an_ipv6_address(kind: str, tmp_path: Path) -> None:
    """Half of one would work: mount.cifs and the patterns of sshfs's steps know no brackets."""
    text = (WRITTEN / "address-ipv6.yaml").read_text()
    before, _, after = text.partition("solution:")
    experiments = after[after.index("experiments:") :]
    options = "guest: true" if kind == "smb" else "user: u, key_file: /root/key"
    wanted = f"solution: {{kind: {kind}, raid: {{level: 6}}, {options}}}\n"
    path = tmp_path / "study.yaml"
    path.write_text(f"{before}{wanted}{experiments}")
    with pytest.raises(
        InputError, match=rf"nodes\.nas1\.address: '2001:db8:a::10': {kind} does not support IPv6"
    ):
        prepare(load_study(path))


def test_nfs_over_rdma_is_planned_at_both_ends() -> None:
    """The client asks the registered port; the server listens there now and after every start."""
    text = describe(plan_of("mount-rdma"))
    assert "proto=rdma,port=20049" in text
    assert "rdma=y\nrdma-port=20049" in text
    assert "echo 'rdma 20049' >/proc/fs/nfsd/portlist" in text
    assert "this node has no RDMA device" in text


LAB_ONLY: list[tuple[str, Any, str]] = [
    (
        "solution.mount",
        {"transport": "rdma"},
        r"mount\.transport: a lab's kernels cannot have an RDMA device",
    ),
    (
        "networks.data.mtu",
        65520,
        r"networks\.data\.mtu: is 65520; the links of a lab carry at most 9216",
    ),
    ("nodes.nas.disks.count", 84, r"a lab node has at most 15 disks"),
    (
        "nodes",
        {**changed("id", "x")["nodes"], f"{'a' * 40}.{'b' * 40}": {}},
        r"in a lab a name has at most 63",
    ),
]


@pytest.mark.parametrize(("path", "value", "printed"), LAB_ONLY)
def test_settings_of_hosts_alone_are_refused_in_a_lab(path: str, value: Any, printed: str) -> None:
    """With the reason that it has there."""
    with pytest.raises(InputError, match=printed):
        prepare(study(changed(path, value)))


@pytest.mark.parametrize("option", ["noauto", "x-systemd.automount", "_netdev", "remount"])
def test_the_plans_own_options_are_refused(option: str) -> None:
    """The mount would differ from the plan."""
    with pytest.raises(InputError, match=rf"'{option}': the plan"):
        prepare(study(changed("solution.filesystem", {"mount": [option]})))


class _Place(Model):
    directory: Directory


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("/scratch/my dir", "a blank"),
        ("/scratch/a,b", "a comma"),
        ("/scratch/ümlaut", "'ü'"),
        ("/scratch/../etc", "a part '..'"),
        ("/scratch/$USER", "variables are not expanded"),
    ],
)
def test_a_directory_is_refused_by_its_letter(text: str, reason: str) -> None:
    """And the example is a directory."""
    source = parse_yaml(f'directory: "{text}"\n', Path("x.yaml"))
    with pytest.raises(InputError, match="/mnt/scratch") as refused:
        validate(_Place, source.data, source)
    assert reason in str(refused.value)
