"""CephFS without a lab: its plan, the refusals, and the sums of limits."""

import base64
import hashlib
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seatrial.basics.errors import InputError
from seatrial.labs.base import lab_kind
from seatrial.labs.kinds import emulated
from seatrial.plan.plan import describe
from seatrial.service.deploy import apply_plan
from seatrial.solutions.base import (
    Clustered,
    Fences,
    KindsOfClients,
    MovesServices,
    NeedsPackages,
    Timed,
)
from seatrial.solutions.kinds.cephfs import CephFs, load
from seatrial.solutions.parts import ceph_cluster, ceph_daemons, ceph_nfs
from seatrial.transport import Local
from tests.builders.ceph import SHIPPED, built
from tests.builders.places import STUDIES
from tests.builders.steps import plan_of
from tests.builders.strategies import study
from tests.builders.yaml_texts import loaded


def test_it_has_the_interface_for_the_orchestrator() -> None:
    """Protocols, never the kind."""
    for protocol in (Clustered, KindsOfClients, MovesServices, NeedsPackages, Timed):
        assert isinstance(built(), protocol)
    assert not isinstance(built(), Fences)


def test_a_client_too_small_to_mount_is_refused() -> None:
    """The library of mount.ceph could not be mapped there."""
    data = loaded(SHIPPED.read_text())
    data["nodes"]["c[5-12]"]["memory"] = "128MiB"
    found = study(data)
    with pytest.raises(
        InputError, match="'c5' is a CephFS client and needs 160MiB of memory to mount"
    ):
        load(found, emulated.site(found))


@pytest.mark.parametrize(
    ("hosts", "solution", "words"),
    [
        (2, {}, "2 storage servers are too few, 3 are needed"),
        (
            3,
            {"data": {"k": 4, "m": 1}},
            "4+1 parts need 5 storage servers, there are 3: the failure domain is the host",
        ),
        (3, {"data": {"k": 2}}, "give both k and m, or neither"),
        (3, {"data": {"replicas": 2, "k": 2, "m": 1}}, "leave out replicas, or k and m"),
        (3, {"data": {"replicas": 2, "min_size": 3}}, "3 is not from 1 to 2"),
        (3, {"data": {"k": 2, "m": 1, "min_size": 1}}, "1 is not from 2 to 3"),
        (3, {"data": {"placement_groups": 100}}, "100 is not a power of 2"),
        (3, {"data": {"object_size": "96KiB"}}, "write a multiple of 64KiB"),
        (3, {"monitors": "s[1-2]"}, "2 monitors: use 1, 3 or 5"),
        (3, {"monitors": "s9"}, "'s9' is not a node of this study"),
        (3, {"servers": "s[1-3],c1"}, "'c1' has no disks in this study"),
        (
            3,
            {"clients": "c1,s1"},
            "'s1' is a server: a kernel client that waits for its own OSD can deadlock",
        ),
        (3, {"clients": "c1,s1"}, "name it in server_clients instead, which uses ceph-fuse"),
        (3, {"server_clients": "s1,c2"}, "'c2' is not a storage server; name it among the clients"),
        (3, {"server_clients": "s9"}, "'s9' is not a node of this study"),
        (3, {"nfs": {"servers": "s1"}}, "solution.nfs.clients: this key is missing"),
        (3, {"nfs": {"servers": "s1", "clients": "c9"}}, "'c9' is not a node of this study"),
        (3, {"nfs": {"servers": "c1", "clients": "c2"}}, "'c1' is not a storage server"),
        (3, {"nfs": {"servers": "s1", "clients": "s2"}}, "'s2' is a server or a Ceph client"),
        (
            3,
            {"clients": "c[1-2]", "nfs": {"servers": "s1", "clients": "c2"}},
            "'c2' is a server or a Ceph client",
        ),
        (3, {"nfs": {"servers": "s[1-2]", "clients": "c2"}}, "2 servers for 1 NFS clients"),
        (3, {"nfs": {"servers": "s1", "clients": "c[1-2]"}}, "no node is left to be a client"),
        (
            3,
            {"nfs": {"servers": "s1", "clients": "c2", "directory": "srv"}},
            "'srv' is not a valid absolute path",
        ),
        (
            3,
            {"nfs": {"servers": "s1", "clients": "c2", "mount": {"options": ["vers=3"]}}},
            "set by mount.version",
        ),
        (3, {"mount": ["name=admin"]}, "'name=admin' is set by secrets; leave it out"),
        (3, {"mount": ["ms_mode=legacy"]}, "'ms_mode=legacy' is set by messenger; leave it out"),
        (3, {"fsid": "mine"}, "'mine' is not a valid UUID"),
        (3, {"network": "storage"}, "'s1' is not on a network called 'storage'"),
        (3, {"cluster_network": "storage"}, "'s1' is not on a network called 'storage'"),
        (3, {"cluster_network": "data"}, "'data' is the clients' network"),
    ],
)
def test_a_mismatch_is_reported_with_its_place(
    hosts: int, solution: dict[str, Any], words: str
) -> None:
    """Before any node exists, with file, line and column."""
    with pytest.raises(InputError, match=r"study\.yaml:\d+:\d+: ") as caught:
        built(hosts, **solution)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("data", "public", "between"),
    [
        ({"replicas": 3}, (3.0, 1.0), (2.0, 0.0)),
        ({"replicas": 2}, (2.0, 1.0), (1.0, 0.0)),
        ({"replicas": 1}, (1.0, 1.0), None),
        ({"k": 2, "m": 1}, (2.0, 1.5), (1.0, 0.5)),
    ],
)
def test_a_cluster_network_carries_traffic_between_servers(
    data: dict[str, Any], public: tuple[float, float], between: tuple[float, float] | None
) -> None:
    """How often written and read data cross the servers' links: with one network, and with two."""
    three = 3 * 1e9 / 8 / 100 * (9000 - 52) / 9014

    def crossings(found: CephFs) -> dict[str, tuple[float, float]]:
        return {
            it.name: (round(three / it.write_bytes_per_s, 6), round(three / it.read_bytes_per_s, 6))
            for it in found.data_path(2).resources
            if it.name != "client links"
        }

    def with_two(**solution: Any) -> CephFs:
        study_data = loaded((STUDIES / "gpfs-nsd-apart" / "study.yaml").read_text())
        kept = {
            key: study_data[key] for key in ("schema", "id", "environment", "networks", "nodes")
        }
        found = study(
            {**kept, "solution": {"kind": "cephfs", "monitors": "m[1-3]", "data": data, **solution}}
        )
        return load(found, emulated.site(found))

    assert crossings(with_two()) == {"server links": public}
    apart = {"server links": (1.0, 1.0)} | ({"cluster links": between} if between else {})
    assert crossings(with_two(cluster_network="replication")) == apart


def test_servers_that_are_clients_come_first_in_the_same_image() -> None:
    """The points with as many clients as servers run on servers alone; every image has their
    packages.
    """
    found = built(server_clients="s[2-3]")
    assert found.clients == ("s2", "s3", "c1", "c2")
    assert found.packages == built().packages
    assert "ceph-fuse" in found.packages
    assert built().layout == found.layout
    assert found.client_kinds == {"s2": "server", "s3": "server", "c1": "client", "c2": "client"}
    assert "ceph-fuse on the storage servers s[2-3]" in dict(found.parts())["mount"]


def test_additional_nfs_needs_no_package_and_moves_no_data() -> None:
    """Its clients come first; the file system of Ceph is unchanged."""
    found = built(nfs={"servers": "s2", "clients": "c2", "export": {"mode": "async"}})
    assert found.clients == ("c2", "c1")
    assert found.client_kinds == {"c2": "nfs", "c1": "client"}
    assert found.packages == built().packages
    assert found.layout == built().layout
    assert "s2 export /srv/gpfs-nsd to c2, async" in dict(found.parts())["NFS"]
    assert any("The NFS export is async" in warning for warning in found.plan({}).warnings)


def test_a_change_between_nfs_and_ceph_unmounts_first() -> None:
    """A client unmounts NFS while its server answers; a server exports before any client mounts."""
    beside = built(nfs={"servers": "s2", "clients": "c2"})
    leaves = "unmount NFS at /mnt/gpfs-nsd"
    exports = "configure the export of /srv/gpfs-nsd"
    serves_none = "stop the NFS export"
    assert who(beside) == {leaves: {"c1"}, exports: {"s2"}, serves_none: {"s1", "s3"}}
    assert list(who(beside)) == [leaves, exports, serves_none]
    assert who(built()) == {leaves: {"c1", "c2"}, serves_none: {"s1", "s2", "s3"}}
    assert [stage.title for stage in beside.plan({}).stages][-2:] == ["NFS", "mount"]


def who(solution: CephFs) -> dict[str, set[str]]:
    """Steps of NFS in their order, and on which nodes they are."""
    found: dict[str, set[str]] = {}
    for stage in solution.plan({}).stages:
        for name, steps in stage.steps.items():
            for step in steps:
                if step.title.startswith(
                    ("unmount NFS", "configure the export", "stop the NFS export")
                ):
                    found.setdefault(step.title, set()).add(name)
    return found


def test_caches_of_a_server_that_is_a_client_are_emptied_by_mounting_again() -> None:
    """Before its page cache: ceph-fuse has a separate cache for reads."""
    first, then = built(server_clients="s[2-3]").empty_caches(("s2", "c1")).stages
    assert list(first.steps) == ["s2"]
    assert set(then.steps) == {"s1", "s2", "s3", "c1"}
    assert len(built().empty_caches(("c1", "c2")).stages) == 1


def test_data_on_the_clients_own_server_cross_no_link() -> None:
    """With three servers a third of its reads; the bound does not depend on luck."""
    alone = built().data_path(2)
    beside = built(server_clients="s[1-2]").data_path(2)
    for plain, faster in zip(alone.resources, beside.resources, strict=True):
        assert faster.read_bytes_per_s == pytest.approx(1.5 * plain.read_bytes_per_s)
    clients, servers = (item.write_bytes_per_s for item in beside.resources)
    assert clients == pytest.approx(1.5 * alone.resources[0].write_bytes_per_s)
    # Each of three copies comes over a link, but for a third of the first ones.
    assert servers == pytest.approx(3 / (3 - 1 / 3) * alone.resources[1].write_bytes_per_s)
    few, many = (
        beside.resources[1].most_bytes_per_s("read", moved) for moved in (8 * 2**20, 2**40)
    )
    assert few > 2 * many
    assert many == pytest.approx(beside.resources[1].read_bytes_per_s, rel=0.01)
    mixed = built(server_clients="s1").data_path(2).resources[1]
    assert mixed.read_bytes_per_s == pytest.approx(
        alone.resources[1].read_bytes_per_s / (1 - 1 / 6)
    )


def test_the_kernels_options_are_translated_for_ceph_fuse() -> None:
    """Its read-ahead is a setting there; values that only the kernel knows are left out."""
    text = describe(
        built(server_clients="s1", mount=["noatime", "rasize=1048576", "wsize=65536"]).plan({})
    )
    asked = "noatime,ceph.client_readahead_max_bytes=1048576,_netdev,nofail"
    assert re.search(rf"put_fstab_line none \S+ fuse\.ceph \S+,{re.escape(asked)}\n", text)


def test_hosts_bring_their_own_secrets() -> None:
    """No site shares it."""
    data = loaded(SHIPPED.read_text())
    data = {key: data[key] for key in ("schema", "id", "networks")}
    data |= {"environment": {"kind": "hosts"}, "solution": {"kind": "cephfs"}}
    data["nodes"] = {"s[1-3]": {"disks": {"devices": ["/dev/sdb"]}}, "c1": {}}
    found = study(data)
    with pytest.raises(InputError, match="on real hosts name the keys' files"):
        load(found, lab_kind(found).site(found))


def test_no_secret_is_printed() -> None:
    """And no key: a plan has only the command that makes it."""
    text = describe(built().plan({}))
    assert "seatrial-lab" not in text
    assert "********" in text


@given(
    st.text(
        st.characters(min_codepoint=33, max_codepoint=126, exclude_characters="\\"),
        min_size=32,
        max_size=80,
    )
)
def test_a_key_is_a_hash_of_the_secret_as_cephx_writes_keys(secret: str) -> None:
    """AES keys of 16 bytes, base64, with a head of type, time and length; other names have other
    keys.
    """
    path = Path("/tmp") / f"seatrial-secret-{hashlib.sha256(secret.encode()).hexdigest()[:8]}"
    path.write_text(f"{secret}\n")
    try:
        script = ceph_daemons._key(str(path), "osd.0")
        done = Local().run("here", script)
    finally:
        path.unlink()
    key = base64.b64decode(done.stdout)
    assert key[:12] == bytes([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0])
    assert key[12:] == hashlib.sha256(f"{secret} osd.0".encode()).digest()[:16]


def test_a_secret_that_others_can_read_or_guess_is_refused(tmp_path: Path) -> None:
    """On hosts it is only inspected."""
    path = tmp_path / "secret"
    for text, mode in (("x" * 40, 0o644), ("short", 0o600)):
        path.write_text(text + "\n")
        path.chmod(mode)
        step = ceph_daemons.secret_step(str(path), None)
        done = apply_plan(plan_of(step), Local(), mode="check")
        assert [item.result for item in done.results] == ["pending"]


def test_every_byte_crosses_the_links_as_often_as_it_has_copies() -> None:
    """Of erasure-coded data each server's link carries the parts that are sent on."""
    rate = 1e9 / 8 / 100 * 3

    def bound(operation: str, **data: Any) -> float:
        found = next(
            item for item in built(data=data).data_path(2).resources if item.name == "server links"
        )
        return found.rate_bytes_per_s(operation) / rate

    assert bound("read", replicas=3) == pytest.approx(0.992, abs=0.01)
    assert bound("write", replicas=3) == pytest.approx(0.992 / 3, abs=0.01)
    assert bound("write", k=2, m=1) == pytest.approx(0.992 / 2, abs=0.01)
    assert bound("read", k=2, m=1) == pytest.approx(0.992 / 1.5, abs=0.01)


def test_only_a_change_that_moves_data_rebuilds_the_storage() -> None:
    """Another min_size or timer does not rebuild it."""
    assert (
        built().layout
        == built(timers={"preset": "ceph"}, data={"replicas": 3, "min_size": 1}).layout
    )
    assert built().layout != built(data={"replicas": 2}).layout


def test_warnings_name_the_risk() -> None:
    """One copy, writes without redundancy, one monitor."""
    texts = " ".join(built(data={"replicas": 1}, monitors="s1").plan({}).warnings)
    assert "There is one copy" in texts
    assert "if s1 fails, the storage stops" in texts
    assert "min_size is 1" in " ".join(built(data={"replicas": 2}).plan({}).warnings)
    assert "min_size" not in " ".join(built(data={"k": 2, "m": 1, "min_size": 3}).plan({}).warnings)


def hosts_of(disks: int, **solution: Any) -> CephFs:
    """Three hosts with this number of disks, and a client; by default the first two have
    metadata servers.
    """
    data = loaded(SHIPPED.read_text())
    data = {key: data[key] for key in ("schema", "id")} | {
        "networks": {"data": {}},
        "environment": {"kind": "hosts"},
    }
    names = [f"/dev/sd{letter}" for letter in "bcdefghijklm"[:disks]]
    data["nodes"] = {"s[1-3]": {"disks": {"count": disks, "devices": names}}, "c1": {}}
    secrets = {"servers": "/etc/a", "clients": "/etc/b"}
    data["solution"] = {"kind": "cephfs", "secrets": secrets, "metadata": "s[1-2]", **solution}
    found = study(data)
    return load(found, lab_kind(found).site(found))


@pytest.mark.parametrize(
    ("solution", "node", "gibibytes", "words"),
    [
        (
            {},
            "s1",
            (12 * 4 + 4) * 1.2,
            "12 OSDs of 4 GiB, a metadata cache of 4 GiB, and 20% on top",
        ),
        ({}, "s3", 12 * 4 * 1.2, "12 OSDs of 4 GiB, and 20% on top"),
        (
            {"memory": {"osd": "2GiB", "mds": "1GiB"}},
            "s2",
            (12 * 2 + 1) * 1.2,
            "12 OSDs of 2 GiB, a metadata cache of 1 GiB, and 20% on top",
        ),
        ({"memory": {"osd": "512MiB"}}, "s3", 12 * 0.5 * 1.2, "12 OSDs of 512 MiB, and 20% on top"),
        ({}, "c1", None, ""),
    ],
)
def test_a_server_needs_the_memory_targets_of_its_daemons(
    solution: dict[str, Any], node: str, gibibytes: float | None, words: str
) -> None:
    """Ceph's default of 4 GiB each without a key of the study; not the 896 MiB that a small
    OSD cannot meet.
    """
    found = hosts_of(12, **solution).memory_needed(node)
    assert found == (None if gibibytes is None else (round(gibibytes * 2**30), words))


def test_in_a_lab_daemons_fit_their_node() -> None:
    """Their targets are shares of it; the target is above the whole memory, and has no effect."""
    small_one = built()
    needed = small_one.memory_needed("s2")
    assert needed is not None
    assert needed[0] < 704 * 2**20 < ceph_cluster.LEAST_TARGET_BYTES
    conf = small_one.cluster.conf()
    assert (
        f"osd_memory_target = {ceph_cluster.LEAST_TARGET_BYTES}\nbluestore_cache_autotune = false\n"
        in conf
    )
    assert f"bluestore_cache_size = {704 * 2**20 // 2 // 8}\n" in conf


def test_a_foreign_directory_is_neither_exported_nor_removed(tmp_path: Path) -> None:
    """Foreign content is refused unchanged; the study's own directory is removed when empty,
    and kept with files.
    """
    directory = tmp_path / "srv"
    note = tmp_path / "note"
    etab = tmp_path / "etab"
    exports = tmp_path / "exports"
    conf = tmp_path / "conf"
    etab.touch()
    functions = ceph_nfs.FUNCTIONS.replace("/var/lib/nfs/etab", str(etab))

    def sh(command: str) -> int:
        stubs = "exportfs() { :; }\nsystemctl() { :; }\n"
        return subprocess.run(
            ["sh", "-ec", f"{functions}{stubs}{command}"], capture_output=True, check=False
        ).returncode

    def served_no_more() -> None:
        exports.write_text(f"{directory} c1(rw)\n")
        assert sh(f"nfs_serve_nothing {exports} {conf} {note}") == 0

    (directory / "empty").mkdir(parents=True)
    directory.chmod(0o755)
    assert sh(f"nfs_directory {directory} {note}") != 0
    served_no_more()
    assert (directory / "empty").is_dir()
    assert (directory.stat().st_mode & 0o7777, note.exists()) == (0o755, False)
    (directory / "empty").rmdir()
    directory.rmdir()
    assert sh(f"nfs_directory {directory} {note}") == 0
    assert sh(f"nfs_directory_there {directory} {note}") == 0
    (directory / "file").touch()
    served_no_more()
    assert (directory / "file").exists()
    assert sh(f"nfs_directory_there {directory} {note}") == 0  # and may be exported again
    (directory / "file").unlink()
    served_no_more()
    assert (directory.exists(), note.exists()) == (False, False)
