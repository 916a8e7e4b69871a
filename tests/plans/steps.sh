##### install the monitor query helper
# 0. install the monitor query helper
content_0() { cat <<'SEATRIAL'
#!/usr/bin/python3
"""Runs many commands of a Ceph cluster in one process; each `ceph` would start a Python.

usage: ceph-cluster ACTION FILE; FILE is JSON and has the requested configuration.
  osds, osds-check    every OSD has its number
  files, files-check  pools, file system and the layout of its root
  status              prints what `ceph status` does, as JSON
  may-stop:KIND.NAME  waits until the other daemons serve without that daemon
  caches              OSDs drop their caches of read data
  fail                the active metadata server gives up its rank
"""

import errno
import json
import sys
import time

import rados

WAIT_S = 240
NO_OSD = 2**31 - 1  # CRUSH_ITEM_NONE, where a place of a group is empty


class Refused(Exception):
    """A command that a daemon refused."""


def ask(cluster, prefix, **arguments):
    """The answer of the monitors to a command."""
    command = json.dumps({"prefix": prefix, "format": "json", **arguments})
    code, out, words = cluster.mon_command(command, b"", timeout=30)
    if code:
        raise Refused(f"{prefix}: {errno.errorcode.get(abs(code), code)}: {words}")
    return json.loads(out) if out.strip() else {}


def osds_missing(cluster, wanted):
    there = {item["osd"]: item["uuid"] for item in ask(cluster, "osd dump")["osds"]}
    for number, uuid in enumerate(wanted["osds"]):
        if there.get(number, uuid) != uuid:
            raise Refused(f"osd.{number} has another UUID here: {there[number]}")
    return [(number, uuid) for number, uuid in enumerate(wanted["osds"]) if number not in there]


def osds(cluster, wanted):
    # Before a manager starts: it would create a further pool for the health of the disks.
    ask(
        cluster,
        "config set",
        who="mgr",
        name="mgr/devicehealth/enable_monitoring",
        value="false",
        force=True,
    )
    for number, uuid in osds_missing(cluster, wanted):
        ask(cluster, "osd new", uuid=uuid, id=number)


def pool_differs(there, pool):
    """The settings of a pool that differ from the request; None without the pool."""
    found = there.get(pool["name"])
    if found is None:
        return None
    size = {} if pool["profile"] else {"size": pool["size"]}
    asked = {**size, "min_size": pool["min_size"], "pg_num": pool["pg_num"]}
    return {key: value for key, value in asked.items() if found[key] != value}


def differences(cluster, wanted):
    """Every difference from the request, in words."""
    there = {item["pool_name"]: item for item in ask(cluster, "osd dump")["pools"]}
    found = [f"pool {item['name']}" for item in wanted["pools"] if pool_differs(there, item) != {}]
    systems = {
        item["mdsmap"]["fs_name"]: item["mdsmap"] for item in ask(cluster, "fs dump")["filesystems"]
    }
    if wanted["fs"] not in systems:
        return [*found, f"file system {wanted['fs']}"]
    mdsmap = systems[wanted["fs"]]
    if bool(mdsmap["flags"] & 32) != wanted["standby_replay"]:
        found.append("standby-replay")
    numbers = {
        item["pool"]
        for name, item in there.items()
        if name in [pool["name"] for pool in wanted["pools"][1:]]
    }
    if not numbers <= set(mdsmap["data_pools"]):
        found.append("data pools")
    return found or layout_differs(wanted)


def layout_differs(wanted):
    root = Root(wanted["fs"])
    try:
        return [
            f"layout: {key}" for key, value in wanted["layout"].items() if root.get(key) != value
        ]
    finally:
        root.close()


class Root:
    """The root of the file system."""

    def __init__(self, name):
        import cephfs

        self.no_data = cephfs.NoData
        self.files = cephfs.LibCephFS(conffile="/etc/ceph/ceph.conf", auth_id="admin")
        self.files.mount(filesystem_name=name.encode())

    def get(self, key):
        try:
            return self.files.getxattr("/", f"ceph.dir.layout.{key}").decode()
        except self.no_data:
            return ""

    def set(self, layout):
        """Set the layout.

        All sizes are one request: between two requests, the size of an object would be no multiple
        of its unit. The pool is a separate request: in a list, MDS 16.2 accepts no name with a
        dash.
        """
        words = " ".join(f"{key}={value}" for key, value in layout.items() if key != "pool")
        self.files.setxattr("/", "ceph.dir.layout", words.encode(), 0)
        self.files.setxattr("/", "ceph.dir.layout.pool", layout["pool"].encode(), 0)

    def close(self):
        self.files.shutdown()


def files(cluster, wanted):
    rule = wanted["rule"]
    if rule not in ask(cluster, "osd crush rule ls"):
        ask(cluster, "osd crush rule create-replicated", name=rule, root="default", type="host")
    there = {item["pool_name"]: item for item in ask(cluster, "osd dump")["pools"]}
    for pool in wanted["pools"]:
        make_pool(cluster, rule, pool, there)
    names = [item["mdsmap"]["fs_name"] for item in ask(cluster, "fs dump")["filesystems"]]
    metadata, default, *further = [item["name"] for item in wanted["pools"]]
    if wanted["fs"] not in names:
        ask(cluster, "fs new", fs_name=wanted["fs"], metadata=metadata, data=default)
    ask(
        cluster,
        "fs set",
        fs_name=wanted["fs"],
        var="allow_standby_replay",
        val=str(wanted["standby_replay"]).lower(),
    )
    for name in further:
        ask(cluster, "fs add_data_pool", fs_name=wanted["fs"], pool=name)
    wait_for(cluster, wanted)
    if layout_differs(wanted):
        root = Root(wanted["fs"])
        try:
            root.set(wanted["layout"])
        finally:
            root.close()


def make_pool(cluster, rule, pool, there):
    name, differs = pool["name"], pool_differs(there, pool)
    if differs is None:
        create = {
            "pool": name,
            "pg_num": pool["pg_num"],
            "pgp_num": pool["pg_num"],
            "autoscale_mode": "off",
        }
        if pool["profile"]:
            ask(cluster, "osd erasure-code-profile set", name=name, profile=pool["profile"])
            ask(
                cluster, "osd pool create", pool_type="erasure", erasure_code_profile=name, **create
            )
            ask(cluster, "osd pool set", pool=name, var="allow_ec_overwrites", val="true")
            ask(cluster, "osd pool application enable", pool=name, app="cephfs")
        else:
            ask(cluster, "osd pool create", pool_type="replicated", rule=rule, **create)
    for key in ([] if pool["profile"] else ["size"]) + ["min_size"]:
        sure = {"yes_i_really_mean_it": True} if key == "size" and pool["size"] == 1 else {}
        ask(cluster, "osd pool set", pool=name, var=key, val=str(pool[key]), **sure)
    if differs and "pg_num" in differs:
        ask(cluster, "osd pool set", pool=name, var="pg_num", val=str(pool["pg_num"]))


def wait_for(cluster, wanted):
    """Wait until a metadata server is active and every placement group serves."""
    limit = time.monotonic() + WAIT_S
    while True:
        status = ask(cluster, "status")
        ranks = [item["status"] for item in status["fsmap"]["by_rank"]]
        groups = status["pgmap"].get("pgs_by_state", [])
        serving = sum(item["count"] for item in groups if "active" in item["state_name"].split("+"))
        all_groups = sum(item["pg_num"] for item in wanted["pools"])
        if "up:active" in ranks and serving >= all_groups:
            return
        if time.monotonic() >= limit:
            raise Refused(
                f"metadata servers: {ranks}; {serving} of {all_groups} placement groups serve:"
                f" {groups}"
            )
        time.sleep(1)


def may_stop(cluster, daemon):
    """Wait until the cluster can serve without this daemon: the previous one must be back."""
    kind, _, name = daemon.partition(".")
    limit = time.monotonic() + WAIT_S
    while True:
        try:
            if kind == "osd":
                check_group_reports(cluster)
            return ask(cluster, f"{kind} ok-to-stop", ids=[name])
        except Refused as reason:
            if time.monotonic() >= limit:
                raise Refused(
                    f"{daemon} is not stopped: the other daemons do not serve without it: {reason}"
                ) from None
        time.sleep(1)


def check_group_reports(cluster):
    """Refuse a report of a placement group that is older than its OSDs.

    Managers count by the reports of primaries. A report may be from before an OSD went away or
    returned.
    """
    began = {
        item["osd"]: item["up_from"] for item in ask(cluster, "osd dump")["osds"] if item["up"]
    }
    found = ask(cluster, "pg dump", dumpcontents=["pgs"])
    for group in found.get("pg_map", found)["pg_stats"]:
        acting = [osd for osd in group["acting"] if osd != NO_OSD]
        away = [osd for osd in acting if osd not in began]
        if away:
            raise Refused(
                f"placement group {group['pgid']} has sent no report since osd.{away[0]} is away"
            )
        since = max((began[osd] for osd in acting), default=0)
        if int(group["reported_epoch"]) < since:
            raise Refused(f"placement group {group['pgid']} has sent no report since epoch {since}")


def caches(cluster, wanted):
    for number in range(len(wanted["osds"])):
        code, _, words = cluster.osd_command(
            number, json.dumps({"prefix": "cache drop"}), b"", timeout=30
        )
        if code:
            raise Refused(f"osd.{number}: cache drop: {words}")


def main():
    action, path = sys.argv[1:]
    with open(path, encoding="ascii") as file:
        wanted = json.load(file)
    cluster = rados.Rados(
        conffile="/etc/ceph/ceph.conf", name="client.admin", conf={"rados_mon_op_timeout": "30"}
    )
    cluster.connect(timeout=30)
    try:
        if action == "status":
            print(json.dumps(ask(cluster, "status")))
        elif action == "fail":
            ask(cluster, "mds fail", role_or_gid=f"{wanted['fs']}:0")
        elif action.startswith("may-stop:"):
            may_stop(cluster, action.partition(":")[2])
        elif action.endswith("-check"):
            found = (
                osds_missing(cluster, wanted)
                if action == "osds-check"
                else differences(cluster, wanted)
            )
            for item in found:
                print(f"there: not as requested: {item}")
            return 1 if found else 0
        else:
            {"osds": osds, "files": files, "caches": caches}[action](cluster, wanted)
    finally:
        cluster.shutdown()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Refused, rados.Error) as error:
        sys.exit(str(error))
SEATRIAL
}
check_0() { content | file_is /usr/local/lib/seatrial/ceph-cluster; }
apply_0() { content | write_file /usr/local/lib/seatrial/ceph-cluster 755; }
##### give OSDs access to their disks at boot
# 0. give OSDs access to their disks at boot
content_0() { cat <<'SEATRIAL'
[Unit]
# A daemon that died often in a trial is still to be started again.
StartLimitIntervalSec=0
[Service]
ExecStartPre=/bin/chown ceph:ceph /var/lib/ceph/osd/ceph-%i/block
SEATRIAL
}
check_0() { content | file_is /etc/systemd/system/ceph-osd@.service.d/seatrial.conf; }
apply_0() {
    content | write_file /etc/systemd/system/ceph-osd@.service.d/seatrial.conf
    systemctl daemon-reload
}
##### refuse symbolic links
# 0. refuse symbolic links
check_0() {
    set +e
    no_planted gpfs-nsd
}
apply_0() { refuse; }
##### refuse another cluster
# 0. refuse another cluster
check_0() {
    set +e
    no_other_cluster gpfs-nsd gpfs-nsd
}
apply_0() { refuse; }
##### refuse a disk that is used twice
# 0. refuse a disk that is used twice
check_0() {
    set +e
    look_twice /dev/sdb /dev/sdc
}
apply_0() { refuse; }
##### refuse an occupied mount point: /mnt/gpfs-nsd
# 0. refuse an occupied mount point: /mnt/gpfs-nsd
check_0() {
    set +e
    no_other_mount gpfs-nsd /mnt/gpfs-nsd
}
apply_0() { refuse; }
##### mark this node for gpfs-nsd
# 0. mark this node for gpfs-nsd
check_0() { [ -e /var/lib/seatrial/made/gpfs-nsd/mark ]; }
apply_0() {
    umask 077
    mkdir -p /var/lib/seatrial/made/gpfs-nsd
    chmod 700 /var/lib/seatrial/made /var/lib/seatrial/made/gpfs-nsd
    : >/var/lib/seatrial/made/gpfs-nsd/left
    : >/var/lib/seatrial/made/gpfs-nsd/mark
}
##### store the state of ceph-mon.target, ceph.target, ceph-mgr.target, ceph-osd.target
# 0. store the state of ceph-mon.target, ceph.target, ceph-mgr.target, ceph-osd.target
check_0() {
    units_are_kept /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-mgr.target ceph-osd.target
}
apply_0() {
    keep_units /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-mgr.target ceph-osd.target
}
##### store the state of ceph-mon.target, ceph.target, ceph-osd.target
# 0. store the state of ceph-mon.target, ceph.target, ceph-osd.target
check_0() {
    units_are_kept /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-osd.target
}
apply_0() {
    keep_units /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-osd.target
}
##### store the state of ceph-mon.target, ceph.target, ceph-mds.target, ceph-osd.target
# 0. store the state of ceph-mon.target, ceph.target, ceph-mds.target, ceph-osd.target
check_0() {
    units_are_kept /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-mds.target ceph-osd.target
}
apply_0() {
    keep_units /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-mds.target ceph-osd.target
}
##### store the state of ceph-mds.target, ceph.target, ceph-osd.target
# 0. store the state of ceph-mds.target, ceph.target, ceph-osd.target
check_0() {
    units_are_kept /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mds.target ceph.target ceph-osd.target
}
apply_0() {
    keep_units /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mds.target ceph.target ceph-osd.target
}
##### install ceph-mon, ceph-mgr, ceph-mds, ceph-osd, ceph
# 0. install ceph-mon, ceph-mgr, ceph-mds, ceph-osd, ceph
check_0() { have_commands ceph-mon ceph-mgr ceph-mds ceph-osd ceph; }
apply_0() {
    note_installed /var/lib/seatrial/made/gpfs-nsd/packages
    install_packages 'ceph-common ceph-mds ceph-mgr ceph-mon ceph-osd' 'ceph-common ceph-mds ceph-mgr ceph-mon ceph-osd'
}
##### install mount.ceph
# 0. install mount.ceph
check_0() { have_commands mount.ceph; }
apply_0() {
    note_installed /var/lib/seatrial/made/gpfs-nsd/packages
    install_packages ceph-common ceph-common
}
##### unmount NFS at /mnt/gpfs-nsd
# 0. unmount NFS at /mnt/gpfs-nsd
check_0() { nfs_not_mounted /mnt/gpfs-nsd; }
apply_0() { nfs_unmount /mnt/gpfs-nsd; }
##### start monitor mon.s1
# 0. start monitor mon.s1
check_0() {
    systemctl -q is-active ceph-mon@s1 && systemctl -q is-enabled ceph-mon@s1 && [ /var/lib/ceph/seatrial-started-mon-s1 -nt /etc/ceph/ceph.conf ]
}
apply_0() {
    systemctl -q --no-reload enable ceph-mon@s1 ceph-mon.target ceph.target
    ! systemctl -q is-active ceph-mon@s1 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:mon.s1 /etc/ceph/seatrial-gpfs-nsd.json
    systemctl reset-failed ceph-mon@s1 2>/dev/null || true
    systemctl restart ceph-mon@s1
    touch /var/lib/ceph/seatrial-started-mon-s1
}
interrupts_0() { systemctl -q is-active ceph-mon@s1; }
##### start monitor mon.s2
# 0. start monitor mon.s2
check_0() {
    systemctl -q is-active ceph-mon@s2 && systemctl -q is-enabled ceph-mon@s2 && [ /var/lib/ceph/seatrial-started-mon-s2 -nt /etc/ceph/ceph.conf ]
}
apply_0() {
    systemctl -q --no-reload enable ceph-mon@s2 ceph-mon.target ceph.target
    ! systemctl -q is-active ceph-mon@s2 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:mon.s2 /etc/ceph/seatrial-gpfs-nsd.json
    systemctl reset-failed ceph-mon@s2 2>/dev/null || true
    systemctl restart ceph-mon@s2
    touch /var/lib/ceph/seatrial-started-mon-s2
}
interrupts_0() { systemctl -q is-active ceph-mon@s2; }
##### start monitor mon.s3
# 0. start monitor mon.s3
check_0() {
    systemctl -q is-active ceph-mon@s3 && systemctl -q is-enabled ceph-mon@s3 && [ /var/lib/ceph/seatrial-started-mon-s3 -nt /etc/ceph/ceph.conf ]
}
apply_0() {
    systemctl -q --no-reload enable ceph-mon@s3 ceph-mon.target ceph.target
    ! systemctl -q is-active ceph-mon@s3 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:mon.s3 /etc/ceph/seatrial-gpfs-nsd.json
    systemctl reset-failed ceph-mon@s3 2>/dev/null || true
    systemctl restart ceph-mon@s3
    touch /var/lib/ceph/seatrial-started-mon-s3
}
interrupts_0() { systemctl -q is-active ceph-mon@s3; }
##### register every OSD
# 0. register every OSD
check_0() {
    python3 /usr/local/lib/seatrial/ceph-cluster osds-check /etc/ceph/seatrial-gpfs-nsd.json
}
apply_0() { python3 /usr/local/lib/seatrial/ceph-cluster osds /etc/ceph/seatrial-gpfs-nsd.json; }
##### start mgr.s1
# 0. start mgr.s1
check_0() {
    systemctl -q is-active ceph-mgr@s1 && systemctl -q is-enabled ceph-mgr@s1 && [ /var/lib/ceph/seatrial-started-mgr-s1 -nt /etc/ceph/ceph.conf ]
}
apply_0() {
    systemctl -q --no-reload enable ceph-mgr@s1 ceph-mgr.target ceph.target
    systemctl reset-failed ceph-mgr@s1 2>/dev/null || true
    systemctl restart ceph-mgr@s1
    touch /var/lib/ceph/seatrial-started-mgr-s1
}
interrupts_0() { systemctl -q is-active ceph-mgr@s1; }
##### start mds.s3
# 0. start mds.s3
check_0() {
    systemctl -q is-active ceph-mds@s3 && systemctl -q is-enabled ceph-mds@s3 && [ /var/lib/ceph/seatrial-started-mds-s3 -nt /etc/ceph/ceph.conf ]
}
apply_0() {
    systemctl -q --no-reload enable ceph-mds@s3 ceph-mds.target ceph.target
    ! systemctl -q is-active ceph-mds@s3 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:mds.s3 /etc/ceph/seatrial-gpfs-nsd.json
    systemctl reset-failed ceph-mds@s3 2>/dev/null || true
    systemctl restart ceph-mds@s3
    touch /var/lib/ceph/seatrial-started-mds-s3
}
interrupts_0() { systemctl -q is-active ceph-mds@s3; }
##### start mds.s4
# 0. start mds.s4
check_0() {
    systemctl -q is-active ceph-mds@s4 && systemctl -q is-enabled ceph-mds@s4 && [ /var/lib/ceph/seatrial-started-mds-s4 -nt /etc/ceph/ceph.conf ]
}
apply_0() {
    systemctl -q --no-reload enable ceph-mds@s4 ceph-mds.target ceph.target
    ! systemctl -q is-active ceph-mds@s4 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:mds.s4 /etc/ceph/seatrial-gpfs-nsd.json
    systemctl reset-failed ceph-mds@s4 2>/dev/null || true
    systemctl restart ceph-mds@s4
    touch /var/lib/ceph/seatrial-started-mds-s4
}
interrupts_0() { systemctl -q is-active ceph-mds@s4; }
##### remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf
# 0. remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf
check_0() { no_file /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf; }
apply_0() {
    rm -f /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf
    systemctl daemon-reload
    rm -f /var/lib/ceph/seatrial-started-osd-*
}
interrupts_0() { systemctl -q is-active 'ceph-osd@*'; }
##### start osd.0
# 0. start osd.0
check_0() {
    systemctl -q is-active ceph-osd@0 && systemctl -q is-enabled ceph-osd@0 && [ /var/lib/ceph/seatrial-started-osd-0 -nt /etc/ceph/ceph.conf ]
}
apply_0() {
    systemctl -q --no-reload enable ceph-osd@0 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@0 2>/dev/null || true
    systemctl restart ceph-osd@0
    touch /var/lib/ceph/seatrial-started-osd-0
}
interrupts_0() { systemctl -q is-active ceph-osd@0; }
##### start osd.1
# 0. start osd.1
check_0() {
    systemctl -q is-active ceph-osd@1 && systemctl -q is-enabled ceph-osd@1 && [ /var/lib/ceph/seatrial-started-osd-1 -nt /etc/ceph/ceph.conf ]
}
apply_0() {
    systemctl -q --no-reload enable ceph-osd@1 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@1 2>/dev/null || true
    systemctl restart ceph-osd@1
    touch /var/lib/ceph/seatrial-started-osd-1
}
interrupts_0() { systemctl -q is-active ceph-osd@1; }
##### start osd.2
# 0. start osd.2
check_0() {
    systemctl -q is-active ceph-osd@2 && systemctl -q is-enabled ceph-osd@2 && [ /var/lib/ceph/seatrial-started-osd-2 -nt /etc/ceph/ceph.conf ]
}
apply_0() {
    systemctl -q --no-reload enable ceph-osd@2 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@2 2>/dev/null || true
    systemctl restart ceph-osd@2
    touch /var/lib/ceph/seatrial-started-osd-2
}
interrupts_0() { systemctl -q is-active ceph-osd@2; }
##### start osd.3
# 0. start osd.3
check_0() {
    systemctl -q is-active ceph-osd@3 && systemctl -q is-enabled ceph-osd@3 && [ /var/lib/ceph/seatrial-started-osd-3 -nt /etc/ceph/ceph.conf ]
}
apply_0() {
    systemctl -q --no-reload enable ceph-osd@3 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@3 2>/dev/null || true
    systemctl restart ceph-osd@3
    touch /var/lib/ceph/seatrial-started-osd-3
}
interrupts_0() { systemctl -q is-active ceph-osd@3; }
##### unmount the Ceph client at /mnt/gpfs-nsd
# 0. unmount the Ceph client at /mnt/gpfs-nsd
check_0() {
    ! grep -q ' /mnt/gpfs-nsd fuse.ceph' /proc/mounts && ! grep -q ' /mnt/gpfs-nsd fuse.ceph ' /etc/fstab && for file in /etc/seatrial/gpfs-nsd.ceph.keyring /run/seatrial-gpfs-nsd.mount; do [ ! -e $file ] || exit 1; done
}
apply_0() {
    while grep -q ' /mnt/gpfs-nsd fuse.ceph' /proc/mounts; do umount /mnt/gpfs-nsd; done
    sed -i '\# /mnt/gpfs-nsd fuse.ceph #d' /etc/fstab
    rm -f /etc/seatrial/gpfs-nsd.ceph.keyring /run/seatrial-gpfs-nsd.mount
    [ ! -d /mnt/gpfs-nsd ] || rmdir /mnt/gpfs-nsd
}
##### stop the NFS export
# 0. stop the NFS export
check_0() {
    nfs_serves_nothing /etc/exports.d/seatrial-gpfs-nsd.exports /etc/nfs.conf.d/seatrial-gpfs-nsd.conf
}
apply_0() {
    nfs_serve_nothing /etc/exports.d/seatrial-gpfs-nsd.exports /etc/nfs.conf.d/seatrial-gpfs-nsd.conf /var/lib/seatrial/made/gpfs-nsd/nfs-directory
}
##### restore the setting for NFS delegations
# 0. restore the setting for NFS delegations
check_0() { [ ! -e /var/lib/seatrial/made/gpfs-nsd/before/leases-enable ]; }
apply_0() {
    read -r was </var/lib/seatrial/made/gpfs-nsd/before/leases-enable
    rm /var/lib/seatrial/made/gpfs-nsd/before/leases-enable
    [ "$(cat /proc/sys/fs/leases-enable)" != 0 ] || ls /var/lib/seatrial/made/*/before/leases-enable >/dev/null 2>&1 || echo $was >/proc/sys/fs/leases-enable
}
##### remove the boot-time settings of network and mounts
# 0. remove the boot-time settings of network and mounts
check_0() {
    no_file /etc/systemd/system/seatrial-gpfs-nsd-network.service /usr/local/sbin/seatrial-gpfs-nsd-network /etc/systemd/system/seatrial-gpfs-nsd-mounts.service /usr/local/sbin/seatrial-gpfs-nsd-mounts
}
apply_0() {
    remove_unit seatrial-gpfs-nsd-network /etc/systemd/system/seatrial-gpfs-nsd-network.service
    rm -f /usr/local/sbin/seatrial-gpfs-nsd-network
    remove_unit seatrial-gpfs-nsd-mounts /etc/systemd/system/seatrial-gpfs-nsd-mounts.service
    rm -f /usr/local/sbin/seatrial-gpfs-nsd-mounts
}
##### refuse disks that are in use: create osd.0 on /dev/ubdb
# 0. refuse disks that are in use: create osd.0 on /dev/ubdb
check_0() {
    set +e
    (
    [ -s /var/lib/ceph/osd/ceph-0/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = 72cb21a0-e679-5f08-83c1-000000000000 ]
    ) >/dev/null 2>&1 && is_deployed gpfs-nsd /dev/ubdb && exit 0
    look_disks gpfs-nsd '' '' /dev/ubdb
}
apply_0() { refuse; }
##### refuse another Ceph cluster
# 0. refuse another Ceph cluster
check_0() {
    owner=none
    [ ! -e /var/lib/ceph/seatrial ] || read -r owner </var/lib/ceph/seatrial
    for file in /etc/ceph/ceph.conf /var/lib/ceph/mon/* /var/lib/ceph/osd/* /var/lib/ceph/mds/* /var/lib/ceph/mgr/*; do
        [ ! -e "$file" ] || [ "$owner" = "gpfs-nsd 72cb21a0-e679-5f08-83c1-449b218fcb5d" ] || exit 1
    done
    case $owner in none | "gpfs-nsd 72cb21a0-e679-5f08-83c1-449b218fcb5d") ;; *) exit 1 ;; esac
}
apply_0() {
    owner=none
    [ ! -e /var/lib/ceph/seatrial ] || read -r owner </var/lib/ceph/seatrial
    echo "refused: this node has /etc/ceph/ceph.conf or parts of a Ceph cluster in /var/lib/ceph that this study did not create"
    echo "(owner in the mark: $owner); nothing was changed; take the node out of that cluster first"
    exit 1
}
##### refuse disks that are in use: create osd.1 on /dev/ubdb
# 0. refuse disks that are in use: create osd.1 on /dev/ubdb
check_0() {
    set +e
    (
    [ -s /var/lib/ceph/osd/ceph-1/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = 72cb21a0-e679-5f08-83c1-000000000001 ]
    ) >/dev/null 2>&1 && is_deployed gpfs-nsd /dev/ubdb && exit 0
    look_disks gpfs-nsd '' '' /dev/ubdb
}
apply_0() { refuse; }
##### refuse disks that are in use: create osd.2 on /dev/ubdb
# 0. refuse disks that are in use: create osd.2 on /dev/ubdb
check_0() {
    set +e
    (
    [ -s /var/lib/ceph/osd/ceph-2/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = 72cb21a0-e679-5f08-83c1-000000000002 ]
    ) >/dev/null 2>&1 && is_deployed gpfs-nsd /dev/ubdb && exit 0
    look_disks gpfs-nsd '' '' /dev/ubdb
}
apply_0() { refuse; }
##### refuse disks that are in use: create osd.3 on /dev/ubdb
# 0. refuse disks that are in use: create osd.3 on /dev/ubdb
check_0() {
    set +e
    (
    [ -s /var/lib/ceph/osd/ceph-3/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = 72cb21a0-e679-5f08-83c1-000000000003 ]
    ) >/dev/null 2>&1 && is_deployed gpfs-nsd /dev/ubdb && exit 0
    look_disks gpfs-nsd '' '' /dev/ubdb
}
apply_0() { refuse; }
##### set MTU 9000 on the link to c1
# 0. set MTU 9000 on the link to c1
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_0() { mtu_is 9000 ahostsv4 c1; }
apply_0() { set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd/before ahostsv4 c1; }
##### set MTU 9000 on the link to s1
# 0. set MTU 9000 on the link to s1
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_0() { mtu_is 9000 ahostsv4 s1; }
apply_0() { set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd/before ahostsv4 s1; }
##### store the lab's secret in /etc/seatrial/gpfs-nsd.ceph.servers
# 0. store the lab's secret in /etc/seatrial/gpfs-nsd.ceph.servers
check_0() {
    [ -s /etc/seatrial/gpfs-nsd.ceph.servers ] && [ "$(stat -c %a:%u /etc/seatrial/gpfs-nsd.ceph.servers)" = 600:0 ] && read -r secret </etc/seatrial/gpfs-nsd.ceph.servers && [ ${#secret} -ge 32 ]
}
apply_0() {
    umask 077
    mkdir -p /etc/seatrial
    echo seatrial-lab-servers-seatrial-lab-servers >/etc/seatrial/gpfs-nsd.ceph.servers
    chown root:root /etc/seatrial/gpfs-nsd.ceph.servers
    chmod 600 /etc/seatrial/gpfs-nsd.ceph.servers
}
##### store the lab's secret in /etc/seatrial/gpfs-nsd.ceph.clients
# 0. store the lab's secret in /etc/seatrial/gpfs-nsd.ceph.clients
check_0() {
    [ -s /etc/seatrial/gpfs-nsd.ceph.clients ] && [ "$(stat -c %a:%u /etc/seatrial/gpfs-nsd.ceph.clients)" = 600:0 ] && read -r secret </etc/seatrial/gpfs-nsd.ceph.clients && [ ${#secret} -ge 32 ]
}
apply_0() {
    umask 077
    mkdir -p /etc/seatrial
    echo seatrial-lab-clients-seatrial-lab-clients >/etc/seatrial/gpfs-nsd.ceph.clients
    chown root:root /etc/seatrial/gpfs-nsd.ceph.clients
    chmod 600 /etc/seatrial/gpfs-nsd.ceph.clients
}
##### store the client key, readable by root only
# 0. store the client key, readable by root only
check_0() {
    [ -s /etc/seatrial/gpfs-nsd.ceph.key ] && [ "$(stat -c %a:%U /etc/seatrial/gpfs-nsd.ceph.key)" = 600:root ]
}
apply_0() {
    umask 077
    mkdir -p /etc/seatrial
    { read -r secret </etc/seatrial/gpfs-nsd.ceph.clients; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.gpfs-nsd | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0 >/etc/seatrial/gpfs-nsd.ceph.key.new
    mv /etc/seatrial/gpfs-nsd.ceph.key.new /etc/seatrial/gpfs-nsd.ceph.key
}
##### mark the Ceph files of this node
# 0. mark the Ceph files of this node
check_0() {
    [ -s /var/lib/ceph/seatrial ] && read -r owner </var/lib/ceph/seatrial && [ "$owner" = "gpfs-nsd 72cb21a0-e679-5f08-83c1-449b218fcb5d" ]
}
apply_0() {
    mkdir -p /var/lib/ceph
    echo "gpfs-nsd 72cb21a0-e679-5f08-83c1-449b218fcb5d" >/var/lib/ceph/seatrial
}
##### configure the cluster: members, cephx, timers, memory
# 0. configure the cluster: members, cephx, timers, memory
content_0() { cat <<'SEATRIAL'
[global]
fsid = 72cb21a0-e679-5f08-83c1-449b218fcb5d
mon_initial_members = s1, s2, s3
mon_host = s1, s2, s3
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
auth_allow_insecure_global_id_reclaim = false
ms_cluster_mode = crc secure
ms_service_mode = crc secure
ms_client_mode = crc secure
ms_mon_cluster_mode = crc secure
ms_mon_service_mode = crc secure
ms_mon_client_mode = crc secure
ms_bind_ipv6 = false
osd_crush_chooseleaf_type = 1
osd_pool_default_pg_autoscale_mode = off
mon_allow_pool_size_one = false
mon_max_pg_per_osd = 1000
osd_heartbeat_interval = 1
osd_heartbeat_grace = 7
mon_osd_adjust_heartbeat_grace = false
mon_osd_adjust_down_out_interval = false
mon_osd_min_down_reporters = 2
mon_osd_reporter_subtree_level = host
mon_osd_down_out_interval = 600
osd_max_markdown_count = 100
mds_beacon_interval = 1
mds_beacon_grace = 6
mds_reconnect_timeout = 45
mon_lease = 2
mon_election_timeout = 2
paxos_propose_interval = 0.25
mds_beacon_mon_down_grace = 10
mon_client_ping_interval = 2
mon_client_ping_timeout = 6
mon_tick_interval = 2

[mgr]
mgr_initial_modules = 
mgr_disabled_modules = alerts cephadm dashboard diskprediction_local influx insights iostat k8sevents localpool mds_autoscaler mirroring nfs osd_perf_query osd_support prometheus restful rook selftest snap_schedule stats telegraf test_orchestrator zabbix

[osd]
osd_recovery_max_active = 1
osd_memory_target = 939524096
bluestore_cache_autotune = false
bluestore_cache_size = 46137344
osd_op_num_shards = 2
osd_op_num_threads_per_shard = 1
osd_min_pg_log_entries = 100
osd_max_pg_log_entries = 200
bluestore_rocksdb_options = compression=kNoCompression,max_write_buffer_number=4,min_write_buffer_number_to_merge=1,recycle_log_file_num=4,write_buffer_size=8388608,writable_file_max_buffer_size=0,compaction_readahead_size=2097152,max_background_compactions=1

[mds]
mds_cache_memory_limit = 92274688

[mon]
rocksdb_cache_size = 16777216
mon_data_avail_warn = 1
mon_data_avail_crit = 0
mon_osd_crush_smoke_test = false
SEATRIAL
}
check_0() { content | file_is /etc/ceph/ceph.conf; }
apply_0() { content | write_file /etc/ceph/ceph.conf; }
##### configure pools and file system
# 0. configure pools and file system
content_0() { cat <<'SEATRIAL'
{
 "fs": "gpfs-nsd",
 "rule": "gpfs-nsd-by-host",
 "osds": [
  "72cb21a0-e679-5f08-83c1-000000000000",
  "72cb21a0-e679-5f08-83c1-000000000001",
  "72cb21a0-e679-5f08-83c1-000000000002",
  "72cb21a0-e679-5f08-83c1-000000000003"
 ],
 "pools": [
  {
   "name": "gpfs-nsd-metadata",
   "size": 3,
   "min_size": 2,
   "pg_num": 16,
   "profile": []
  },
  {
   "name": "gpfs-nsd-data",
   "size": 2,
   "min_size": 1,
   "pg_num": 128,
   "profile": []
  }
 ],
 "layout": {
  "stripe_unit": "1048576",
  "stripe_count": "1",
  "object_size": "1048576",
  "pool": "gpfs-nsd-data"
 },
 "standby_replay": true
}
SEATRIAL
}
check_0() { content | file_is /etc/ceph/seatrial-gpfs-nsd.json; }
apply_0() { content | write_file /etc/ceph/seatrial-gpfs-nsd.json; }
##### store the administrator key, readable by root only
# 0. store the administrator key, readable by root only
check_0() {
    [ -s /etc/ceph/ceph.client.admin.keyring ] && [ "$(stat -c %a:%U /etc/ceph/ceph.client.admin.keyring)" = 600:root ]
}
apply_0() {
    umask 077
    mkdir -p /etc/ceph
    {
        printf '[%s]\nkey = %s\n' client.admin "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.admin | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/etc/ceph/ceph.client.admin.keyring.new
    chown root:root /etc/ceph/ceph.client.admin.keyring.new
    mv /etc/ceph/ceph.client.admin.keyring.new /etc/ceph/ceph.client.admin.keyring
}
##### create the store of monitor mon.s1
# 0. create the store of monitor mon.s1
check_0() { [ -e /var/lib/ceph/mon/ceph-s1/done ]; }
apply_0() {
    umask 077
    work=$(mktemp -d)
    {
        printf '[%s]\nkey = %s\n' mon. "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mon. | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow *"'
        printf '[%s]\nkey = %s\n' client.admin "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.admin | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow *"'
        echo 'caps mgr = "allow *"'
        echo 'caps mds = "allow *"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' client.gpfs-nsd "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.clients; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.gpfs-nsd | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow r"'
        echo 'caps mds = "allow rw"'
        echo 'caps osd = "allow rw tag cephfs data=gpfs-nsd"'
        printf '[%s]\nkey = %s\n' mgr.s1 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mgr.s1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mgr"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' mds.s3 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.s3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mds"'
        echo 'caps mgr = "allow profile mds"'
        echo 'caps osd = "allow rwx"'
        echo 'caps mds = "allow"'
        printf '[%s]\nkey = %s\n' mds.s4 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.s4 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mds"'
        echo 'caps mgr = "allow profile mds"'
        echo 'caps osd = "allow rwx"'
        echo 'caps mds = "allow"'
        printf '[%s]\nkey = %s\n' osd.0 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.0 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.1 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.2 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.3 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
    } >$work/keyring
    address_0=$(getent ahostsv4 s1 | { read -r first rest; echo "$first"; })
    address_1=$(getent ahostsv4 s2 | { read -r first rest; echo "$first"; })
    address_2=$(getent ahostsv4 s3 | { read -r first rest; echo "$first"; })
    monmaptool --create --fsid 72cb21a0-e679-5f08-83c1-449b218fcb5d --addv s1 "[v2:$address_0:3300,v1:$address_0:6789]" --addv s2 "[v2:$address_1:3300,v1:$address_1:6789]" --addv s3 "[v2:$address_2:3300,v1:$address_2:6789]" $work/map
    chown -R ceph:ceph $work
    rm -rf /var/lib/ceph/mon/ceph-s1
    install -d -o ceph -g ceph /var/lib/ceph/mon/ceph-s1
    ceph-mon --mkfs -i s1 --monmap $work/map --keyring $work/keyring --setuser ceph --setgroup ceph
    rm -rf $work
    touch /var/lib/ceph/mon/ceph-s1/done
}
##### create the store of monitor mon.s2
# 0. create the store of monitor mon.s2
check_0() { [ -e /var/lib/ceph/mon/ceph-s2/done ]; }
apply_0() {
    umask 077
    work=$(mktemp -d)
    {
        printf '[%s]\nkey = %s\n' mon. "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mon. | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow *"'
        printf '[%s]\nkey = %s\n' client.admin "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.admin | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow *"'
        echo 'caps mgr = "allow *"'
        echo 'caps mds = "allow *"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' client.gpfs-nsd "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.clients; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.gpfs-nsd | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow r"'
        echo 'caps mds = "allow rw"'
        echo 'caps osd = "allow rw tag cephfs data=gpfs-nsd"'
        printf '[%s]\nkey = %s\n' mgr.s1 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mgr.s1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mgr"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' mds.s3 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.s3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mds"'
        echo 'caps mgr = "allow profile mds"'
        echo 'caps osd = "allow rwx"'
        echo 'caps mds = "allow"'
        printf '[%s]\nkey = %s\n' mds.s4 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.s4 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mds"'
        echo 'caps mgr = "allow profile mds"'
        echo 'caps osd = "allow rwx"'
        echo 'caps mds = "allow"'
        printf '[%s]\nkey = %s\n' osd.0 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.0 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.1 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.2 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.3 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
    } >$work/keyring
    address_0=$(getent ahostsv4 s1 | { read -r first rest; echo "$first"; })
    address_1=$(getent ahostsv4 s2 | { read -r first rest; echo "$first"; })
    address_2=$(getent ahostsv4 s3 | { read -r first rest; echo "$first"; })
    monmaptool --create --fsid 72cb21a0-e679-5f08-83c1-449b218fcb5d --addv s1 "[v2:$address_0:3300,v1:$address_0:6789]" --addv s2 "[v2:$address_1:3300,v1:$address_1:6789]" --addv s3 "[v2:$address_2:3300,v1:$address_2:6789]" $work/map
    chown -R ceph:ceph $work
    rm -rf /var/lib/ceph/mon/ceph-s2
    install -d -o ceph -g ceph /var/lib/ceph/mon/ceph-s2
    ceph-mon --mkfs -i s2 --monmap $work/map --keyring $work/keyring --setuser ceph --setgroup ceph
    rm -rf $work
    touch /var/lib/ceph/mon/ceph-s2/done
}
##### create the store of monitor mon.s3
# 0. create the store of monitor mon.s3
check_0() { [ -e /var/lib/ceph/mon/ceph-s3/done ]; }
apply_0() {
    umask 077
    work=$(mktemp -d)
    {
        printf '[%s]\nkey = %s\n' mon. "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mon. | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow *"'
        printf '[%s]\nkey = %s\n' client.admin "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.admin | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow *"'
        echo 'caps mgr = "allow *"'
        echo 'caps mds = "allow *"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' client.gpfs-nsd "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.clients; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.gpfs-nsd | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow r"'
        echo 'caps mds = "allow rw"'
        echo 'caps osd = "allow rw tag cephfs data=gpfs-nsd"'
        printf '[%s]\nkey = %s\n' mgr.s1 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mgr.s1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mgr"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' mds.s3 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.s3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mds"'
        echo 'caps mgr = "allow profile mds"'
        echo 'caps osd = "allow rwx"'
        echo 'caps mds = "allow"'
        printf '[%s]\nkey = %s\n' mds.s4 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.s4 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mds"'
        echo 'caps mgr = "allow profile mds"'
        echo 'caps osd = "allow rwx"'
        echo 'caps mds = "allow"'
        printf '[%s]\nkey = %s\n' osd.0 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.0 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.1 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.2 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.3 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
    } >$work/keyring
    address_0=$(getent ahostsv4 s1 | { read -r first rest; echo "$first"; })
    address_1=$(getent ahostsv4 s2 | { read -r first rest; echo "$first"; })
    address_2=$(getent ahostsv4 s3 | { read -r first rest; echo "$first"; })
    monmaptool --create --fsid 72cb21a0-e679-5f08-83c1-449b218fcb5d --addv s1 "[v2:$address_0:3300,v1:$address_0:6789]" --addv s2 "[v2:$address_1:3300,v1:$address_1:6789]" --addv s3 "[v2:$address_2:3300,v1:$address_2:6789]" $work/map
    chown -R ceph:ceph $work
    rm -rf /var/lib/ceph/mon/ceph-s3
    install -d -o ceph -g ceph /var/lib/ceph/mon/ceph-s3
    ceph-mon --mkfs -i s3 --monmap $work/map --keyring $work/keyring --setuser ceph --setgroup ceph
    rm -rf $work
    touch /var/lib/ceph/mon/ceph-s3/done
}
##### store the key of mgr.s1
# 0. store the key of mgr.s1
check_0() {
    [ -s /var/lib/ceph/mgr/ceph-s1/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/mgr/ceph-s1/keyring)" = 600:ceph ]
}
apply_0() {
    umask 077
    mkdir -p /var/lib/ceph/mgr/ceph-s1
    {
        printf '[%s]\nkey = %s\n' mgr.s1 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mgr.s1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/mgr/ceph-s1/keyring.new
    chown ceph:ceph /var/lib/ceph/mgr/ceph-s1/keyring.new
    mv /var/lib/ceph/mgr/ceph-s1/keyring.new /var/lib/ceph/mgr/ceph-s1/keyring
    chown ceph:ceph /var/lib/ceph/mgr/ceph-s1
}
##### store the key of mds.s3
# 0. store the key of mds.s3
check_0() {
    [ -s /var/lib/ceph/mds/ceph-s3/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/mds/ceph-s3/keyring)" = 600:ceph ]
}
apply_0() {
    umask 077
    mkdir -p /var/lib/ceph/mds/ceph-s3
    {
        printf '[%s]\nkey = %s\n' mds.s3 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.s3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/mds/ceph-s3/keyring.new
    chown ceph:ceph /var/lib/ceph/mds/ceph-s3/keyring.new
    mv /var/lib/ceph/mds/ceph-s3/keyring.new /var/lib/ceph/mds/ceph-s3/keyring
    chown ceph:ceph /var/lib/ceph/mds/ceph-s3
}
##### store the key of mds.s4
# 0. store the key of mds.s4
check_0() {
    [ -s /var/lib/ceph/mds/ceph-s4/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/mds/ceph-s4/keyring)" = 600:ceph ]
}
apply_0() {
    umask 077
    mkdir -p /var/lib/ceph/mds/ceph-s4
    {
        printf '[%s]\nkey = %s\n' mds.s4 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.s4 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/mds/ceph-s4/keyring.new
    chown ceph:ceph /var/lib/ceph/mds/ceph-s4/keyring.new
    mv /var/lib/ceph/mds/ceph-s4/keyring.new /var/lib/ceph/mds/ceph-s4/keyring
    chown ceph:ceph /var/lib/ceph/mds/ceph-s4
}
##### create osd.0 on /dev/ubdb
# 0. create osd.0 on /dev/ubdb
check_0() {
    [ -s /var/lib/ceph/osd/ceph-0/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = 72cb21a0-e679-5f08-83c1-000000000000 ]
}
guard_0() {
    all_must_be_blank /dev/ubdb
    expect_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/ubdb
}
apply_0() {
    rm -rf /var/lib/ceph/osd/ceph-0
    install -d -o ceph -g ceph /var/lib/ceph/osd/ceph-0
    ln -s /dev/ubdb /var/lib/ceph/osd/ceph-0/block
    chown ceph:ceph /dev/ubdb
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-0
    {
        printf '[%s]\nkey = %s\n' osd.0 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.0 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-0/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-0/keyring.new
    mv /var/lib/ceph/osd/ceph-0/keyring.new /var/lib/ceph/osd/ceph-0/keyring
    echo bluestore >/var/lib/ceph/osd/ceph-0/type
    chown ceph:ceph /var/lib/ceph/osd/ceph-0/type
    ceph-osd -i 0 --mkfs --osd-uuid 72cb21a0-e679-5f08-83c1-000000000000 --no-mon-config --setuser ceph --setgroup ceph
}
##### refuse volumes of another owner on /dev/ubdb
# 0. refuse volumes of another owner on /dev/ubdb
check_0() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd/volumes '' /dev/ubdb
}
apply_0() { refuse; }
##### store the key of osd.0
# 0. store the key of osd.0
check_0() {
    [ -s /var/lib/ceph/osd/ceph-0/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-0/keyring)" = 600:ceph ]
}
apply_0() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-0
    {
        printf '[%s]\nkey = %s\n' osd.0 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.0 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-0/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-0/keyring.new
    mv /var/lib/ceph/osd/ceph-0/keyring.new /var/lib/ceph/osd/ceph-0/keyring
}
##### start osd.0 (2)
# 0. start osd.0
check_0() {
    systemctl -q is-active ceph-osd@0 && systemctl -q is-enabled ceph-osd@0 && [ /var/lib/ceph/seatrial-started-osd-0 -nt /etc/ceph/ceph.conf ]
}
apply_0() {
    systemctl -q --no-reload enable ceph-osd@0 ceph-osd.target ceph.target
    ! systemctl -q is-active ceph-osd@0 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:osd.0 /etc/ceph/seatrial-gpfs-nsd.json
    systemctl reset-failed ceph-osd@0 2>/dev/null || true
    systemctl restart ceph-osd@0
    touch /var/lib/ceph/seatrial-started-osd-0
}
interrupts_0() { systemctl -q is-active ceph-osd@0; }
##### create osd.1 on /dev/ubdb
# 0. create osd.1 on /dev/ubdb
check_0() {
    [ -s /var/lib/ceph/osd/ceph-1/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = 72cb21a0-e679-5f08-83c1-000000000001 ]
}
guard_0() {
    all_must_be_blank /dev/ubdb
    expect_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/ubdb
}
apply_0() {
    rm -rf /var/lib/ceph/osd/ceph-1
    install -d -o ceph -g ceph /var/lib/ceph/osd/ceph-1
    ln -s /dev/ubdb /var/lib/ceph/osd/ceph-1/block
    chown ceph:ceph /dev/ubdb
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-1
    {
        printf '[%s]\nkey = %s\n' osd.1 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-1/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-1/keyring.new
    mv /var/lib/ceph/osd/ceph-1/keyring.new /var/lib/ceph/osd/ceph-1/keyring
    echo bluestore >/var/lib/ceph/osd/ceph-1/type
    chown ceph:ceph /var/lib/ceph/osd/ceph-1/type
    ceph-osd -i 1 --mkfs --osd-uuid 72cb21a0-e679-5f08-83c1-000000000001 --no-mon-config --setuser ceph --setgroup ceph
}
##### store the key of osd.1
# 0. store the key of osd.1
check_0() {
    [ -s /var/lib/ceph/osd/ceph-1/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-1/keyring)" = 600:ceph ]
}
apply_0() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-1
    {
        printf '[%s]\nkey = %s\n' osd.1 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-1/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-1/keyring.new
    mv /var/lib/ceph/osd/ceph-1/keyring.new /var/lib/ceph/osd/ceph-1/keyring
}
##### start osd.1 (2)
# 0. start osd.1
check_0() {
    systemctl -q is-active ceph-osd@1 && systemctl -q is-enabled ceph-osd@1 && [ /var/lib/ceph/seatrial-started-osd-1 -nt /etc/ceph/ceph.conf ]
}
apply_0() {
    systemctl -q --no-reload enable ceph-osd@1 ceph-osd.target ceph.target
    ! systemctl -q is-active ceph-osd@1 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:osd.1 /etc/ceph/seatrial-gpfs-nsd.json
    systemctl reset-failed ceph-osd@1 2>/dev/null || true
    systemctl restart ceph-osd@1
    touch /var/lib/ceph/seatrial-started-osd-1
}
interrupts_0() { systemctl -q is-active ceph-osd@1; }
##### create osd.2 on /dev/ubdb
# 0. create osd.2 on /dev/ubdb
check_0() {
    [ -s /var/lib/ceph/osd/ceph-2/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = 72cb21a0-e679-5f08-83c1-000000000002 ]
}
guard_0() {
    all_must_be_blank /dev/ubdb
    expect_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/ubdb
}
apply_0() {
    rm -rf /var/lib/ceph/osd/ceph-2
    install -d -o ceph -g ceph /var/lib/ceph/osd/ceph-2
    ln -s /dev/ubdb /var/lib/ceph/osd/ceph-2/block
    chown ceph:ceph /dev/ubdb
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-2
    {
        printf '[%s]\nkey = %s\n' osd.2 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-2/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-2/keyring.new
    mv /var/lib/ceph/osd/ceph-2/keyring.new /var/lib/ceph/osd/ceph-2/keyring
    echo bluestore >/var/lib/ceph/osd/ceph-2/type
    chown ceph:ceph /var/lib/ceph/osd/ceph-2/type
    ceph-osd -i 2 --mkfs --osd-uuid 72cb21a0-e679-5f08-83c1-000000000002 --no-mon-config --setuser ceph --setgroup ceph
}
##### store the key of osd.2
# 0. store the key of osd.2
check_0() {
    [ -s /var/lib/ceph/osd/ceph-2/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-2/keyring)" = 600:ceph ]
}
apply_0() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-2
    {
        printf '[%s]\nkey = %s\n' osd.2 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-2/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-2/keyring.new
    mv /var/lib/ceph/osd/ceph-2/keyring.new /var/lib/ceph/osd/ceph-2/keyring
}
##### start osd.2 (2)
# 0. start osd.2
check_0() {
    systemctl -q is-active ceph-osd@2 && systemctl -q is-enabled ceph-osd@2 && [ /var/lib/ceph/seatrial-started-osd-2 -nt /etc/ceph/ceph.conf ]
}
apply_0() {
    systemctl -q --no-reload enable ceph-osd@2 ceph-osd.target ceph.target
    ! systemctl -q is-active ceph-osd@2 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:osd.2 /etc/ceph/seatrial-gpfs-nsd.json
    systemctl reset-failed ceph-osd@2 2>/dev/null || true
    systemctl restart ceph-osd@2
    touch /var/lib/ceph/seatrial-started-osd-2
}
interrupts_0() { systemctl -q is-active ceph-osd@2; }
##### create osd.3 on /dev/ubdb
# 0. create osd.3 on /dev/ubdb
check_0() {
    [ -s /var/lib/ceph/osd/ceph-3/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = 72cb21a0-e679-5f08-83c1-000000000003 ]
}
guard_0() {
    all_must_be_blank /dev/ubdb
    expect_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/ubdb
}
apply_0() {
    rm -rf /var/lib/ceph/osd/ceph-3
    install -d -o ceph -g ceph /var/lib/ceph/osd/ceph-3
    ln -s /dev/ubdb /var/lib/ceph/osd/ceph-3/block
    chown ceph:ceph /dev/ubdb
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-3
    {
        printf '[%s]\nkey = %s\n' osd.3 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-3/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-3/keyring.new
    mv /var/lib/ceph/osd/ceph-3/keyring.new /var/lib/ceph/osd/ceph-3/keyring
    echo bluestore >/var/lib/ceph/osd/ceph-3/type
    chown ceph:ceph /var/lib/ceph/osd/ceph-3/type
    ceph-osd -i 3 --mkfs --osd-uuid 72cb21a0-e679-5f08-83c1-000000000003 --no-mon-config --setuser ceph --setgroup ceph
}
##### store the key of osd.3
# 0. store the key of osd.3
check_0() {
    [ -s /var/lib/ceph/osd/ceph-3/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-3/keyring)" = 600:ceph ]
}
apply_0() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-3
    {
        printf '[%s]\nkey = %s\n' osd.3 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-3/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-3/keyring.new
    mv /var/lib/ceph/osd/ceph-3/keyring.new /var/lib/ceph/osd/ceph-3/keyring
}
##### start osd.3 (2)
# 0. start osd.3
check_0() {
    systemctl -q is-active ceph-osd@3 && systemctl -q is-enabled ceph-osd@3 && [ /var/lib/ceph/seatrial-started-osd-3 -nt /etc/ceph/ceph.conf ]
}
apply_0() {
    systemctl -q --no-reload enable ceph-osd@3 ceph-osd.target ceph.target
    ! systemctl -q is-active ceph-osd@3 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:osd.3 /etc/ceph/seatrial-gpfs-nsd.json
    systemctl reset-failed ceph-osd@3 2>/dev/null || true
    systemctl restart ceph-osd@3
    touch /var/lib/ceph/seatrial-started-osd-3
}
interrupts_0() { systemctl -q is-active ceph-osd@3; }
##### create the file system with 2 copies and 128 active placement groups
# 0. create the file system with 2 copies and 128 active placement groups
#    why: this object size and number of placement groups spread data evenly
check_0() {
    python3 /usr/local/lib/seatrial/ceph-cluster files-check /etc/ceph/seatrial-gpfs-nsd.json
}
apply_0() { python3 /usr/local/lib/seatrial/ceph-cluster files /etc/ceph/seatrial-gpfs-nsd.json; }
##### enable the mount of /mnt/gpfs-nsd at boot
# 0. enable the mount of /mnt/gpfs-nsd at boot
check_0() {
    fstab_has s1:3300,s2:3300,s3:3300:/ /mnt/gpfs-nsd ceph name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576,_netdev
}
apply_0() {
    put_fstab_line s1:3300,s2:3300,s3:3300:/ /mnt/gpfs-nsd ceph name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576,_netdev
}
##### mount s1:3300,s2:3300,s3:3300:/ at /mnt/gpfs-nsd with name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576
# 0. mount s1:3300,s2:3300,s3:3300:/ at /mnt/gpfs-nsd with name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576
check_0() {
    mount_is /mnt/gpfs-nsd 's1:3300,s2:3300,s3:3300:/ ceph name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576' /run/seatrial-gpfs-nsd.mount
}
apply_0() {
    modprobe ceph
    put_mount /mnt/gpfs-nsd mount -t ceph -o name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576 s1:3300,s2:3300,s3:3300:/ /mnt/gpfs-nsd
    note_mount /mnt/gpfs-nsd 's1:3300,s2:3300,s3:3300:/ ceph name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576' /run/seatrial-gpfs-nsd.mount
}
##### store the UUIDs of created volumes
# 0. store the UUIDs of created volumes
check_0() { volumes_are_noted /var/lib/seatrial/made/gpfs-nsd/volumes /dev/ubdb; }
apply_0() { note_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/ubdb; }
##### write /usr/local/sbin/seatrial-gpfs-nsd-network
# 0. write /usr/local/sbin/seatrial-gpfs-nsd-network
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# What gpfs-nsd has set on this node, after a boot.
# (sh/: link_to)
# (sh/: mtu_is)
# (sh/: set_mtu)
# (sh/: set_mtu_of)
bad=0
# set MTU 9000 on the link to c1
if ! (
mtu_is 9000 ahostsv4 c1
) >/dev/null 2>&1; then
(
set -e
set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd/before ahostsv4 c1
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-gpfs-nsd-network; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-gpfs-nsd-network 755
    restart_if_active seatrial-gpfs-nsd-network
}
##### write /etc/systemd/system/seatrial-gpfs-nsd-network.service
# 0. write /etc/systemd/system/seatrial-gpfs-nsd-network.service
content_0() { cat <<'SEATRIAL'
[Unit]
Description=what gpfs-nsd has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-gpfs-nsd-network
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
}
check_0() {
    without_systemd || content | file_is /etc/systemd/system/seatrial-gpfs-nsd-network.service
}
apply_0() {
    content | write_file /etc/systemd/system/seatrial-gpfs-nsd-network.service
    reread_unit seatrial-gpfs-nsd-network.service
    restart_if_active seatrial-gpfs-nsd-network
}
##### install the boot-time settings of network
# 0. install the boot-time settings of network
#    why: a fenced node must come back with the same settings
check_0() { without_systemd || unit_runs seatrial-gpfs-nsd-network; }
apply_0() { start_unit seatrial-gpfs-nsd-network; }
##### remove the boot-time settings of mounts
# 0. remove the boot-time settings of mounts
check_0() {
    no_file /etc/systemd/system/seatrial-gpfs-nsd-mounts.service /usr/local/sbin/seatrial-gpfs-nsd-mounts
}
apply_0() {
    remove_unit seatrial-gpfs-nsd-mounts /etc/systemd/system/seatrial-gpfs-nsd-mounts.service
    rm -f /usr/local/sbin/seatrial-gpfs-nsd-mounts
}
##### write /usr/local/sbin/seatrial-gpfs-nsd-network (2)
# 0. write /usr/local/sbin/seatrial-gpfs-nsd-network
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# What gpfs-nsd has set on this node, after a boot.
# (sh/: link_to)
# (sh/: mtu_is)
# (sh/: set_mtu)
# (sh/: set_mtu_of)
bad=0
# set MTU 9000 on the link to s1
if ! (
mtu_is 9000 ahostsv4 s1
) >/dev/null 2>&1; then
(
set -e
set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd/before ahostsv4 s1
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-gpfs-nsd-network; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-gpfs-nsd-network 755
    restart_if_active seatrial-gpfs-nsd-network
}
##### refuse other NFS exports: /srv/gpfs-nsd
# 0. refuse other NFS exports: /srv/gpfs-nsd
check_0() {
    set +e
    no_other_exports gpfs-nsd /srv/gpfs-nsd
}
apply_0() { refuse; }
##### refuse to remove storage that gpfs-nsd did not create
# 0. refuse to remove storage that gpfs-nsd did not create
check_0() {
    set +e
    [ ! -e /var/lib/seatrial/made/gpfs-nsd/mark ] || exit 0
    found=
    (
    ! grep -q ' /mnt/gpfs-nsd fuse.ceph' /proc/mounts && ! grep -q ' /mnt/gpfs-nsd fuse.ceph ' /etc/fstab && for file in /etc/seatrial/gpfs-nsd.ceph.keyring /run/seatrial-gpfs-nsd.mount; do [ ! -e $file ] || exit 1; done
    ) >/dev/null 2>&1 ||
        would_change 'unmount the Ceph client at /mnt/gpfs-nsd' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    nfs_serves_nothing /etc/exports.d/seatrial-gpfs-nsd.exports /etc/nfs.conf.d/seatrial-gpfs-nsd.conf
    ) >/dev/null 2>&1 ||
        would_change 'stop the NFS export' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd/before/leases-enable ]
    ) >/dev/null 2>&1 ||
        would_change 'restore the setting for NFS delegations' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    unit_is_off ceph-mgr@s1 ceph-osd@0 ceph-mon@s1
    ) >/dev/null 2>&1 ||
        would_change 'stop ceph-mgr@s1 ceph-osd@0 ceph-mon@s1' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/systemd/system/ceph-osd@.service.d/seatrial.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/ceph-osd@.service.d/seatrial.conf' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/ceph/ceph.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/ceph/ceph.conf' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/ceph/ceph.client.admin.keyring
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/ceph/ceph.client.admin.keyring' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /usr/local/lib/seatrial/ceph-cluster
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/lib/seatrial/ceph-cluster' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/ceph/seatrial-gpfs-nsd.json
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/ceph/seatrial-gpfs-nsd.json' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /var/lib/ceph/mgr/ceph-s1/keyring /var/lib/ceph/mds/ceph-s1/keyring /var/lib/ceph/osd/ceph-0/keyring
    ) >/dev/null 2>&1 ||
        would_change 'remove the keys of daemons' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/seatrial/gpfs-nsd.ceph.servers
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/seatrial/gpfs-nsd.ceph.servers' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/seatrial/gpfs-nsd.ceph.clients
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/seatrial/gpfs-nsd.ceph.clients' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    [ -z "$found" ]
}
apply_0() { refuse; }
##### refuse to remove storage that gpfs-nsd did not create (2)
# 0. refuse to remove storage that gpfs-nsd did not create
check_0() {
    set +e
    [ ! -e /var/lib/seatrial/made/gpfs-nsd/mark ] || exit 0
    found=
    (
    ! grep -q ' /mnt/gpfs-nsd fuse.ceph' /proc/mounts && ! grep -q ' /mnt/gpfs-nsd fuse.ceph ' /etc/fstab && for file in /etc/seatrial/gpfs-nsd.ceph.keyring /run/seatrial-gpfs-nsd.mount; do [ ! -e $file ] || exit 1; done
    ) >/dev/null 2>&1 ||
        would_change 'unmount the Ceph client at /mnt/gpfs-nsd' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    nfs_serves_nothing /etc/exports.d/seatrial-gpfs-nsd.exports /etc/nfs.conf.d/seatrial-gpfs-nsd.conf
    ) >/dev/null 2>&1 ||
        would_change 'stop the NFS export' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd/before/leases-enable ]
    ) >/dev/null 2>&1 ||
        would_change 'restore the setting for NFS delegations' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    unit_is_off ceph-osd@1 ceph-mon@s2
    ) >/dev/null 2>&1 ||
        would_change 'stop ceph-osd@1 ceph-mon@s2' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/systemd/system/ceph-osd@.service.d/seatrial.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/ceph-osd@.service.d/seatrial.conf' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/ceph/ceph.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/ceph/ceph.conf' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/ceph/ceph.client.admin.keyring
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/ceph/ceph.client.admin.keyring' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /usr/local/lib/seatrial/ceph-cluster
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/lib/seatrial/ceph-cluster' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/ceph/seatrial-gpfs-nsd.json
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/ceph/seatrial-gpfs-nsd.json' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /var/lib/ceph/mgr/ceph-s2/keyring /var/lib/ceph/mds/ceph-s2/keyring /var/lib/ceph/osd/ceph-1/keyring
    ) >/dev/null 2>&1 ||
        would_change 'remove the keys of daemons' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/seatrial/gpfs-nsd.ceph.servers
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/seatrial/gpfs-nsd.ceph.servers' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/seatrial/gpfs-nsd.ceph.clients
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/seatrial/gpfs-nsd.ceph.clients' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    [ -z "$found" ]
}
apply_0() { refuse; }
##### refuse to remove storage that gpfs-nsd did not create (3)
# 0. refuse to remove storage that gpfs-nsd did not create
check_0() {
    set +e
    [ ! -e /var/lib/seatrial/made/gpfs-nsd/mark ] || exit 0
    found=
    (
    ! grep -q ' /mnt/gpfs-nsd fuse.ceph' /proc/mounts && ! grep -q ' /mnt/gpfs-nsd fuse.ceph ' /etc/fstab && for file in /etc/seatrial/gpfs-nsd.ceph.keyring /run/seatrial-gpfs-nsd.mount; do [ ! -e $file ] || exit 1; done
    ) >/dev/null 2>&1 ||
        would_change 'unmount the Ceph client at /mnt/gpfs-nsd' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    nfs_serves_nothing /etc/exports.d/seatrial-gpfs-nsd.exports /etc/nfs.conf.d/seatrial-gpfs-nsd.conf
    ) >/dev/null 2>&1 ||
        would_change 'stop the NFS export' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd/before/leases-enable ]
    ) >/dev/null 2>&1 ||
        would_change 'restore the setting for NFS delegations' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    unit_is_off ceph-mds@s3 ceph-osd@2 ceph-mon@s3
    ) >/dev/null 2>&1 ||
        would_change 'stop ceph-mds@s3 ceph-osd@2 ceph-mon@s3' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/systemd/system/ceph-osd@.service.d/seatrial.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/ceph-osd@.service.d/seatrial.conf' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/ceph/ceph.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/ceph/ceph.conf' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/ceph/ceph.client.admin.keyring
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/ceph/ceph.client.admin.keyring' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /usr/local/lib/seatrial/ceph-cluster
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/lib/seatrial/ceph-cluster' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/ceph/seatrial-gpfs-nsd.json
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/ceph/seatrial-gpfs-nsd.json' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /var/lib/ceph/mgr/ceph-s3/keyring /var/lib/ceph/mds/ceph-s3/keyring /var/lib/ceph/osd/ceph-2/keyring
    ) >/dev/null 2>&1 ||
        would_change 'remove the keys of daemons' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/seatrial/gpfs-nsd.ceph.servers
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/seatrial/gpfs-nsd.ceph.servers' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/seatrial/gpfs-nsd.ceph.clients
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/seatrial/gpfs-nsd.ceph.clients' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    [ -z "$found" ]
}
apply_0() { refuse; }
##### refuse to remove storage that gpfs-nsd did not create (4)
# 0. refuse to remove storage that gpfs-nsd did not create
check_0() {
    set +e
    [ ! -e /var/lib/seatrial/made/gpfs-nsd/mark ] || exit 0
    found=
    (
    ! grep -q ' /mnt/gpfs-nsd fuse.ceph' /proc/mounts && ! grep -q ' /mnt/gpfs-nsd fuse.ceph ' /etc/fstab && for file in /etc/seatrial/gpfs-nsd.ceph.keyring /run/seatrial-gpfs-nsd.mount; do [ ! -e $file ] || exit 1; done
    ) >/dev/null 2>&1 ||
        would_change 'unmount the Ceph client at /mnt/gpfs-nsd' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    nfs_serves_nothing /etc/exports.d/seatrial-gpfs-nsd.exports /etc/nfs.conf.d/seatrial-gpfs-nsd.conf
    ) >/dev/null 2>&1 ||
        would_change 'stop the NFS export' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd/before/leases-enable ]
    ) >/dev/null 2>&1 ||
        would_change 'restore the setting for NFS delegations' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    unit_is_off ceph-osd@3 ceph-mds@s4
    ) >/dev/null 2>&1 ||
        would_change 'stop ceph-osd@3 ceph-mds@s4' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/systemd/system/ceph-osd@.service.d/seatrial.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/ceph-osd@.service.d/seatrial.conf' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/ceph/ceph.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/ceph/ceph.conf' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/ceph/ceph.client.admin.keyring
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/ceph/ceph.client.admin.keyring' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /usr/local/lib/seatrial/ceph-cluster
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/lib/seatrial/ceph-cluster' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/ceph/seatrial-gpfs-nsd.json
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/ceph/seatrial-gpfs-nsd.json' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /var/lib/ceph/mgr/ceph-s4/keyring /var/lib/ceph/mds/ceph-s4/keyring /var/lib/ceph/osd/ceph-3/keyring
    ) >/dev/null 2>&1 ||
        would_change 'remove the keys of daemons' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/seatrial/gpfs-nsd.ceph.servers
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/seatrial/gpfs-nsd.ceph.servers' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/seatrial/gpfs-nsd.ceph.clients
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/seatrial/gpfs-nsd.ceph.clients' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    [ -z "$found" ]
}
apply_0() { refuse; }
##### refuse to remove storage that gpfs-nsd did not create (5)
# 0. refuse to remove storage that gpfs-nsd did not create
check_0() {
    set +e
    [ ! -e /var/lib/seatrial/made/gpfs-nsd/mark ] || exit 0
    found=
    (
    is_unmounted /mnt/gpfs-nsd
    ) >/dev/null 2>&1 ||
        would_change 'unmount /mnt/gpfs-nsd' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_fstab_line /mnt/gpfs-nsd
    ) >/dev/null 2>&1 ||
        would_change 'disable the mount of /mnt/gpfs-nsd at boot' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /run/seatrial-gpfs-nsd.mount
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-gpfs-nsd.mount' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/seatrial/gpfs-nsd.ceph.key
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/seatrial/gpfs-nsd.ceph.key' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    (
    no_file /etc/seatrial/gpfs-nsd.ceph.clients
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/seatrial/gpfs-nsd.ceph.clients' gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/mark
    [ -z "$found" ]
}
apply_0() { refuse; }
##### unmount /mnt/gpfs-nsd
# 0. unmount /mnt/gpfs-nsd
check_0() { is_unmounted /mnt/gpfs-nsd; }
apply_0() { remove_mount /mnt/gpfs-nsd; }
##### disable the mount of /mnt/gpfs-nsd at boot
# 0. disable the mount of /mnt/gpfs-nsd at boot
check_0() { no_fstab_line /mnt/gpfs-nsd; }
apply_0() { remove_fstab_line /mnt/gpfs-nsd; }
##### remove /run/seatrial-gpfs-nsd.mount
# 0. remove /run/seatrial-gpfs-nsd.mount
check_0() { no_file /run/seatrial-gpfs-nsd.mount; }
apply_0() { rm -f /run/seatrial-gpfs-nsd.mount; }
##### remove /etc/seatrial/gpfs-nsd.ceph.key
# 0. remove /etc/seatrial/gpfs-nsd.ceph.key
check_0() { no_file /etc/seatrial/gpfs-nsd.ceph.key; }
apply_0() { rm -f /etc/seatrial/gpfs-nsd.ceph.key; }
##### remove /etc/seatrial/gpfs-nsd.ceph.clients
# 0. remove /etc/seatrial/gpfs-nsd.ceph.clients
check_0() { no_file /etc/seatrial/gpfs-nsd.ceph.clients; }
apply_0() { rm -f /etc/seatrial/gpfs-nsd.ceph.clients; }
##### stop ceph-mgr@s1 ceph-osd@0 ceph-mon@s1
# 0. stop ceph-mgr@s1 ceph-osd@0 ceph-mon@s1
check_0() { unit_is_off ceph-mgr@s1 ceph-osd@0 ceph-mon@s1; }
apply_0() { stop_unit ceph-mgr@s1 ceph-osd@0 ceph-mon@s1; }
##### stop ceph-osd@1 ceph-mon@s2
# 0. stop ceph-osd@1 ceph-mon@s2
check_0() { unit_is_off ceph-osd@1 ceph-mon@s2; }
apply_0() { stop_unit ceph-osd@1 ceph-mon@s2; }
##### stop ceph-mds@s3 ceph-osd@2 ceph-mon@s3
# 0. stop ceph-mds@s3 ceph-osd@2 ceph-mon@s3
check_0() { unit_is_off ceph-mds@s3 ceph-osd@2 ceph-mon@s3; }
apply_0() { stop_unit ceph-mds@s3 ceph-osd@2 ceph-mon@s3; }
##### stop ceph-osd@3 ceph-mds@s4
# 0. stop ceph-osd@3 ceph-mds@s4
check_0() { unit_is_off ceph-osd@3 ceph-mds@s4; }
apply_0() { stop_unit ceph-osd@3 ceph-mds@s4; }
##### remove /etc/systemd/system/ceph-osd@.service.d/seatrial.conf
# 0. remove /etc/systemd/system/ceph-osd@.service.d/seatrial.conf
check_0() { no_file /etc/systemd/system/ceph-osd@.service.d/seatrial.conf; }
apply_0() {
    rm -f /etc/systemd/system/ceph-osd@.service.d/seatrial.conf
    systemctl daemon-reload
}
##### remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf (2)
# 0. remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf
check_0() { no_file /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf; }
apply_0() {
    rm -f /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf
    systemctl daemon-reload
}
##### remove /etc/ceph/ceph.conf
# 0. remove /etc/ceph/ceph.conf
check_0() { no_file /etc/ceph/ceph.conf; }
apply_0() { rm -f /etc/ceph/ceph.conf; }
##### remove /etc/ceph/ceph.client.admin.keyring
# 0. remove /etc/ceph/ceph.client.admin.keyring
check_0() { no_file /etc/ceph/ceph.client.admin.keyring; }
apply_0() { rm -f /etc/ceph/ceph.client.admin.keyring; }
##### remove /usr/local/lib/seatrial/ceph-cluster
# 0. remove /usr/local/lib/seatrial/ceph-cluster
check_0() { no_file /usr/local/lib/seatrial/ceph-cluster; }
apply_0() { rm -f /usr/local/lib/seatrial/ceph-cluster; }
##### remove /etc/ceph/seatrial-gpfs-nsd.json
# 0. remove /etc/ceph/seatrial-gpfs-nsd.json
check_0() { no_file /etc/ceph/seatrial-gpfs-nsd.json; }
apply_0() { rm -f /etc/ceph/seatrial-gpfs-nsd.json; }
##### remove the keys of daemons
# 0. remove the keys of daemons
check_0() {
    no_file /var/lib/ceph/mgr/ceph-s1/keyring /var/lib/ceph/mds/ceph-s1/keyring /var/lib/ceph/osd/ceph-0/keyring
}
apply_0() {
    rm -f /var/lib/ceph/mgr/ceph-s1/keyring /var/lib/ceph/mds/ceph-s1/keyring /var/lib/ceph/osd/ceph-0/keyring
}
##### remove /etc/seatrial/gpfs-nsd.ceph.servers
# 0. remove /etc/seatrial/gpfs-nsd.ceph.servers
check_0() { no_file /etc/seatrial/gpfs-nsd.ceph.servers; }
apply_0() { rm -f /etc/seatrial/gpfs-nsd.ceph.servers; }
##### remove the keys of daemons (2)
# 0. remove the keys of daemons
check_0() {
    no_file /var/lib/ceph/mgr/ceph-s2/keyring /var/lib/ceph/mds/ceph-s2/keyring /var/lib/ceph/osd/ceph-1/keyring
}
apply_0() {
    rm -f /var/lib/ceph/mgr/ceph-s2/keyring /var/lib/ceph/mds/ceph-s2/keyring /var/lib/ceph/osd/ceph-1/keyring
}
##### remove the keys of daemons (3)
# 0. remove the keys of daemons
check_0() {
    no_file /var/lib/ceph/mgr/ceph-s3/keyring /var/lib/ceph/mds/ceph-s3/keyring /var/lib/ceph/osd/ceph-2/keyring
}
apply_0() {
    rm -f /var/lib/ceph/mgr/ceph-s3/keyring /var/lib/ceph/mds/ceph-s3/keyring /var/lib/ceph/osd/ceph-2/keyring
}
##### remove the keys of daemons (4)
# 0. remove the keys of daemons
check_0() {
    no_file /var/lib/ceph/mgr/ceph-s4/keyring /var/lib/ceph/mds/ceph-s4/keyring /var/lib/ceph/osd/ceph-3/keyring
}
apply_0() {
    rm -f /var/lib/ceph/mgr/ceph-s4/keyring /var/lib/ceph/mds/ceph-s4/keyring /var/lib/ceph/osd/ceph-3/keyring
}
##### restore the MTU of links
# 0. restore the MTU of links
check_0() { mtus_are_restored /var/lib/seatrial/made/gpfs-nsd/before; }
apply_0() { restore_mtus /var/lib/seatrial/made/gpfs-nsd/before; }
##### restore the state of units
# 0. restore the state of units
check_0() { [ ! -e /var/lib/seatrial/made/gpfs-nsd/before/units ]; }
apply_0() {
    give_back_units /var/lib/seatrial/made/gpfs-nsd/before/units
    rm /var/lib/seatrial/made/gpfs-nsd/before/units
}
##### remove the mark of gpfs-nsd
# 0. remove the mark of gpfs-nsd
check_0() { [ ! -e /var/lib/seatrial/made/gpfs-nsd/mark ]; }
apply_0() { rm /var/lib/seatrial/made/gpfs-nsd/mark; }
##### remove the mark of gpfs-nsd (2)
# 0. remove the mark of gpfs-nsd
check_0() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd/mark ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd/left ]
}
apply_0() {
    rm -f /var/lib/seatrial/made/gpfs-nsd/mark /var/lib/seatrial/made/gpfs-nsd/left
    rmdir /var/lib/seatrial/made/gpfs-nsd 2>/dev/null || true
}
##### refuse symbolic links (2)
# 0. refuse symbolic links
check_0() {
    set +e
    no_planted gpfs-nsd-block
}
apply_0() { refuse; }
##### refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block
# 0. refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block
check_0() {
    set +e
    no_other_sessions gpfs-nsd-block iqn.2026-01.org.seatrial:gpfs-nsd-block
}
apply_0() { refuse; }
##### refuse other multipath devices: gpfs-nsd-block
# 0. refuse other multipath devices: gpfs-nsd-block
check_0() {
    set +e
    no_other_maps gpfs-nsd-block gpfs-nsd-block
}
apply_0() { refuse; }
##### refuse another cluster: gpfs-nsd-block
# 0. refuse another cluster: gpfs-nsd-block
check_0() {
    set +e
    no_other_cluster gpfs-nsd-block gpfs-nsd-block
}
apply_0() { refuse; }
##### refuse an occupied mount point: /mnt/gpfs-nsd-block
# 0. refuse an occupied mount point: /mnt/gpfs-nsd-block
check_0() {
    set +e
    no_other_mount gpfs-nsd-block /mnt/gpfs-nsd-block
}
apply_0() { refuse; }
##### refuse other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block
# 0. refuse other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block
check_0() {
    set +e
    no_other_targets gpfs-nsd-block iqn.2026-01.org.seatrial:gpfs-nsd-block
}
apply_0() { refuse; }
##### refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf
# 0. refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf
check_0() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd-block/volumes '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
}
apply_0() { refuse; }
##### leave the cluster
# 0. leave the cluster
check_0() {
    ! systemctl -q is-active corosync dlm lvmlockd && ! systemctl -q is-enabled corosync dlm lvmlockd
}
apply_0() {
    systemctl -q --no-reload disable corosync dlm lvmlockd
    for daemon in lvmlockd dlm corosync; do systemctl stop $daemon; done
}
##### remove /etc/dlm/dlm.conf
# 0. remove /etc/dlm/dlm.conf
check_0() { no_file /etc/dlm/dlm.conf; }
apply_0() { rm -f /etc/dlm/dlm.conf; }
##### remove /etc/systemd/system/dlm.service.d/seatrial.conf
# 0. remove /etc/systemd/system/dlm.service.d/seatrial.conf
check_0() { no_file /etc/systemd/system/dlm.service.d/seatrial.conf; }
apply_0() {
    rm -f /etc/systemd/system/dlm.service.d/seatrial.conf
    reread_unit dlm.service
}
##### remove /etc/dlm/seatrial-password-c1
# 0. remove /etc/dlm/seatrial-password-c1
check_0() { no_file /etc/dlm/seatrial-password-c1; }
apply_0() { rm -f /etc/dlm/seatrial-password-c1; }
##### remove /etc/dlm/seatrial-password-c2
# 0. remove /etc/dlm/seatrial-password-c2
check_0() { no_file /etc/dlm/seatrial-password-c2; }
apply_0() { rm -f /etc/dlm/seatrial-password-c2; }
##### remove /etc/dlm/seatrial-password-c3
# 0. remove /etc/dlm/seatrial-password-c3
check_0() { no_file /etc/dlm/seatrial-password-c3; }
apply_0() { rm -f /etc/dlm/seatrial-password-c3; }
##### remove /etc/dlm/seatrial-password-c4
# 0. remove /etc/dlm/seatrial-password-c4
check_0() { no_file /etc/dlm/seatrial-password-c4; }
apply_0() { rm -f /etc/dlm/seatrial-password-c4; }
##### stop the monitor for stuck iSCSI sessions
# 0. stop the monitor for stuck iSCSI sessions
check_0() { unit_is_off seatrial-stuck-sessions; }
apply_0() { stop_unit seatrial-stuck-sessions; }
##### remove /etc/systemd/system/seatrial-stuck-sessions.service
# 0. remove /etc/systemd/system/seatrial-stuck-sessions.service
check_0() { no_file /etc/systemd/system/seatrial-stuck-sessions.service; }
apply_0() {
    rm -f /etc/systemd/system/seatrial-stuck-sessions.service
    reread_unit seatrial-stuck-sessions.service
}
##### remove /usr/local/sbin/seatrial-stuck-sessions
# 0. remove /usr/local/sbin/seatrial-stuck-sessions
check_0() { no_file /usr/local/sbin/seatrial-stuck-sessions; }
apply_0() { rm -f /usr/local/sbin/seatrial-stuck-sessions; }
##### disable iSCSI logins at boot
# 0. disable iSCSI logins at boot
check_0() {
    ! systemctl -q is-enabled open-iscsi && ! systemctl -q is-enabled iscsid && ! systemctl -q is-enabled multipathd
}
apply_0() {
    systemctl -q --no-reload disable open-iscsi iscsid multipathd
    systemctl stop iscsid multipathd
}
##### remove /etc/modules-load.d/seatrial-storage.conf
# 0. remove /etc/modules-load.d/seatrial-storage.conf
check_0() { no_file /etc/modules-load.d/seatrial-storage.conf; }
apply_0() { rm -f /etc/modules-load.d/seatrial-storage.conf; }
##### stop the iSCSI target
# 0. stop the iSCSI target
check_0() { ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt; }
apply_0() {
    systemctl -q --no-reload disable tgt
    systemctl stop tgt
}
##### remove /etc/sysctl.d/60-seatrial-tgt.conf
# 0. remove /etc/sysctl.d/60-seatrial-tgt.conf
check_0() { no_file /etc/sysctl.d/60-seatrial-tgt.conf; }
apply_0() { rm -f /etc/sysctl.d/60-seatrial-tgt.conf; }
##### remove /usr/local/sbin/seatrial-targets
# 0. remove /usr/local/sbin/seatrial-targets
check_0() { no_file /usr/local/sbin/seatrial-targets; }
apply_0() { rm -f /usr/local/sbin/seatrial-targets; }
##### remove /run/seatrial-targets
# 0. remove /run/seatrial-targets
check_0() { no_file /run/seatrial-targets; }
apply_0() { rm -f /run/seatrial-targets; }
##### disable iSCSI logins at boot (2)
# 0. disable iSCSI logins at boot
check_0() { ! systemctl -q is-enabled open-iscsi && ! systemctl -q is-enabled iscsid; }
apply_0() {
    systemctl -q --no-reload disable open-iscsi iscsid
    systemctl stop iscsid
}
##### deactivate the volumes
# 0. deactivate the volumes
check_0() { ! ls /dev/seatrial-group >/dev/null 2>&1; }
apply_0() { vgchange -q -an seatrial-group; }
##### refuse a disk that is used twice (2)
# 0. refuse a disk that is used twice
check_0() {
    set +e
    look_twice /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
}
apply_0() { refuse; }
##### set the socket buffers of the iSCSI target
# 0. set the socket buffers of the iSCSI target
#    why: tgtd retries at once when a socket is full; it occupies a processor while the link is slower than the disks
content_0() { cat <<'SEATRIAL'
net.ipv4.tcp_wmem = 4096 4194304 16777216
SEATRIAL
}
check_0() { content | file_is /etc/sysctl.d/60-seatrial-tgt.conf; }
apply_0() {
    content | write_file /etc/sysctl.d/60-seatrial-tgt.conf
    sysctl -q -p /etc/sysctl.d/60-seatrial-tgt.conf
}
##### install the script that configures the targets
# 0. install the script that configures the targets
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# Offers a study's iSCSI targets through tgtd. usage: seatrial-targets FILE [start | check]
#
# FILE has one complete row for each object. The script records the rows in effect. A longer FILE
# only adds rows. After any other change the script restarts tgtd. `start`: tgtd has just started,
# and no row is in effect. `check` changes nothing. Until all rows are in effect, tgtd listens on
# the loopback address only. So no initiator finds an incomplete target, or one that does not ask
# for the account yet.
set -eu
file=$1 mode=${2-add}
effect=/run/seatrial-targets
loopback=127.0.0.1:3260

tgt() { tgtadm --lld iscsi "$@"; }

# wait_for SECONDS WHAT COMMAND...: until the command succeeds.
wait_for() {
    left=$(($1 * 2)) what=$2
    shift 2
    until "$@"; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || { echo "seatrial-targets: timed out: $what" >&2; exit 1; }
        sleep 0.5
    done
}

address_of() {
    getent ahostsv4 "$1" | {
        read -r address _
        echo "$address"
    }
}
is_here() { [ -n "$(address_of "$1")" ] && ip -o -4 address show to "$(address_of "$1")" | grep -q .; }

# hold ADDRESS/PREFIX HOST: adds the group's address to the card that has the address of HOST.
hold() {
    wait_for 60 "the address of $2" is_here "$2"
    link=$(ip -o -4 address show to "$(address_of "$2")")
    link=${link#*: }
    ip address replace "$1" dev "${link%%[ @]*}"
}

# account USER SECRET: creates the account through the socket of tgtd. tgtadm takes the password as
# an argument, which every user of the node can read. The socket takes a struct tgtadm_req, followed
# by the words (tgt, usr/tgtadm.h): mode 7 (account), operation 0 (new).
account() {
    perl -MIO::Socket::UNIX -e '
        my ($user) = @ARGV;
        chomp(my $secret = <STDIN>);
        my $words = "user=$user,password=$secret\0";
        my $request = pack("l2 a64 L l Q2 L6", 7, 0, "iscsi", 120 + length $words, (0) x 9) . $words;
        my $tgtd = IO::Socket::UNIX->new("/var/run/tgtd/socket.0") or die "seatrial-targets: tgtd: $!\n";
        syswrite($tgtd, $request) == length $request or die "seatrial-targets: tgtd takes no request\n";
        my $answer = "";
        while (length $answer < 8) { sysread($tgtd, $answer, 8, length $answer) or last }
        my ($error) = unpack("L", $answer);
        die "seatrial-targets: tgtd refuses the account (error $error)\n" if !defined $error || $error;
    ' "$1" <"$2"
}

# in_effect ROW...: makes tgtd apply the row.
in_effect() {
    case $1 in
    address) hold "$2" "$3" ;;
    account) account "$2" "$3" ;;
    target) tgt --mode target --op new --tid "$2" --targetname "$3" ;;
    asks) tgt --mode account --op bind --tid "$2" --user "$3" ;;
    lun)
        wait_for 60 "$4" test -b "$4"
        # shellcheck disable=SC2086 # a word or none
        tgt --mode logicalunit --op new --tid "$2" --lun "$3" --backing-store "$4" --bstype rdwr ${8:+--bsoflags "$8"}
        tgt --mode logicalunit --op update --tid "$2" --lun "$3" \
            --params "vendor_id=SEATRIAL,product_id=$6,scsi_id=$5,scsi_sn=${7-$5}"
        ;;
    write-through)
        # The caching mode page (SBC-4, 6.5.6) without WCE: tgt syncs every write before it
        # acknowledges it (usr/bs_rdwr.c).
        tgt --mode logicalunit --op update --tid "$2" --lun "$3" \
            --params mode_page=8:0:18:0x10:0:0xff:0xff:0:0:0xff:0xff:0xff:0xff:0x80:0x14:0:0:0:0:0:0
        ;;
    redirect)
        tgt --mode target --op update --tid "$2" --name RedirectAddress --value "$(address_of "$3")"
        tgt --mode target --op update --tid "$2" --name RedirectPort --value "$4"
        tgt --mode target --op update --tid "$2" --name RedirectReason --value Temporary
        ;;
    initiator) tgt --mode target --op bind --tid "$2" --initiator-name "$3" ;;
    portal)
        wait_for 60 "the address of $2" is_here "$2"
        tgt --mode portal --op new --param "portal=$(address_of "$2"):$3"
        ;;
    *) echo "seatrial-targets: $1 is not known" >&2 && exit 1 ;;
    esac
}

# The row of an account ends with a hash of its secret, so a new secret changes the row.
rows() {
    while read -r row; do
        # shellcheck disable=SC2086 # a row consists of words
        set -- $row
        [ "$1" != account ] || row="$row $(sha256sum <"$3")"
        echo "$row"
    done <"$file"
}

# The order is ignored: a later target is before the portals in FILE, and after them in $effect.
all_in_effect() { [ "$(echo "$wanted" | sort)" = "$(sort "$effect")" ]; }

umask 077
wanted=$(rows)
if [ "$mode" = check ]; then
    all_in_effect && tgt --mode target --op show >/dev/null
    exit
fi
[ "$mode" != start ] || : >"$effect"
if [ ! -e "$effect" ] || echo "$wanted" | grep -qvxFf - "$effect"; then
    exec systemctl restart tgt
fi
echo "$wanted" | grep -vxFf "$effect" | while read -r row; do
    # shellcheck disable=SC2086
    in_effect $row
    echo "$row" >>"$effect"
done
# An existing portal was added earlier: a FILE that grows keeps its portals.
! tgt --mode portal --op show | grep -q "$loopback" || tgt --mode portal --op delete --param "portal=$loopback"
[ "$mode" = start ] || all_in_effect
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-targets; }
apply_0() { content | write_file /usr/local/sbin/seatrial-targets 755; }
##### write /etc/modules-load.d/seatrial-storage.conf
# 0. write /etc/modules-load.d/seatrial-storage.conf
content_0() { cat <<'SEATRIAL'
iscsi_tcp
sd_mod
SEATRIAL
}
check_0() { content | file_is /etc/modules-load.d/seatrial-storage.conf; }
apply_0() {
    content | write_file /etc/modules-load.d/seatrial-storage.conf
    for module in iscsi_tcp sd_mod; do modprobe $module || true; done
}
##### write /etc/systemd/system/seatrial-stuck-sessions.service
# 0. write /etc/systemd/system/seatrial-stuck-sessions.service
content_0() { cat <<'SEATRIAL'
[Unit]
Description=restart iscsid where a session is stuck
After=iscsid.service
[Service]
ExecStart=/usr/local/sbin/seatrial-stuck-sessions
Restart=always
[Install]
WantedBy=multi-user.target
SEATRIAL
}
check_0() { content | file_is /etc/systemd/system/seatrial-stuck-sessions.service; }
apply_0() {
    content | write_file /etc/systemd/system/seatrial-stuck-sessions.service
    reread_unit seatrial-stuck-sessions.service
    restart_if_active seatrial-stuck-sessions
}
##### start the monitor for stuck iSCSI sessions
# 0. start the monitor for stuck iSCSI sessions
check_0() { unit_runs seatrial-stuck-sessions; }
apply_0() { start_unit seatrial-stuck-sessions; }
##### start the lock manager after quorum
# 0. start the lock manager after quorum
#    why: corosync reports ready while it is still alone. A lock space joined then sees the others join later, while they see one member: each side waits for the other, and the file system hangs. The wait has no limit: nothing would start a node again that gives up before the others are present
content_0() { cat <<'SEATRIAL'
[Service]
ExecStartPre=/bin/sh -c 'until corosync-quorumtool -s 2>/dev/null | grep -q "^Quorate: *Yes"; do sleep 0.5; done'
TimeoutStartSec=infinity
SEATRIAL
}
check_0() { content | file_is /etc/systemd/system/dlm.service.d/seatrial.conf; }
apply_0() {
    content | write_file /etc/systemd/system/dlm.service.d/seatrial.conf
    reread_unit dlm.service
}
##### join the cluster and enable it at boot
# 0. join the cluster and enable it at boot
check_0() { units_are active corosync && units_are enabled corosync dlm lvmlockd; }
apply_0() {
    systemctl -q --no-reload add-wants multi-user.target corosync.service dlm.service lvmlockd.service
    systemctl start corosync
}
##### start the lock manager
# 0. start the lock manager
check_0() {
    units_are active dlm lvmlockd &&
    dlm_tool status >/dev/null 2>&1
}
apply_0() {
    systemctl start dlm lvmlockd
    tries=0
    until dlm_tool status >/dev/null 2>&1; do again 60 'the lock spaces'; done
}
##### refuse symbolic links (3)
# 0. refuse symbolic links
check_0() {
    set +e
    no_planted gfs-equallogic
}
apply_0() { refuse; }
##### refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic
# 0. refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic
check_0() {
    set +e
    no_other_sessions gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic
}
apply_0() { refuse; }
##### refuse another cluster: gfs-equallogic
# 0. refuse another cluster: gfs-equallogic
check_0() {
    set +e
    no_other_cluster gfs-equallogic gfs-equallogic
}
apply_0() { refuse; }
##### refuse an occupied mount point: /mnt/gfs-equallogic
# 0. refuse an occupied mount point: /mnt/gfs-equallogic
check_0() {
    set +e
    no_other_mount gfs-equallogic /mnt/gfs-equallogic
}
apply_0() { refuse; }
##### refuse other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic
# 0. refuse other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic
check_0() {
    set +e
    no_other_targets gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic
}
apply_0() { refuse; }
##### refuse another cluster (2)
# 0. refuse another cluster
check_0() {
    set +e
    no_other_cluster gfs-equallogic gfs-equallogic
}
apply_0() { refuse; }
##### mark this node for gfs-equallogic
# 0. mark this node for gfs-equallogic
check_0() { [ -e /var/lib/seatrial/made/gfs-equallogic/mark ]; }
apply_0() {
    umask 077
    mkdir -p /var/lib/seatrial/made/gfs-equallogic
    chmod 700 /var/lib/seatrial/made /var/lib/seatrial/made/gfs-equallogic
    : >/var/lib/seatrial/made/gfs-equallogic/left
    : >/var/lib/seatrial/made/gfs-equallogic/mark
}
##### store the state of open-iscsi, iscsid, corosync, dlm, lvmlockd
# 0. store the state of open-iscsi, iscsid, corosync, dlm, lvmlockd
check_0() {
    units_are_kept /var/lib/seatrial/made/gfs-equallogic/before/units open-iscsi.service iscsid.service corosync.service dlm.service lvmlockd.service
}
apply_0() {
    keep_units /var/lib/seatrial/made/gfs-equallogic/before/units open-iscsi.service iscsid.service corosync.service dlm.service lvmlockd.service
}
##### store the state of tgt
# 0. store the state of tgt
check_0() { units_are_kept /var/lib/seatrial/made/gfs-equallogic/before/units tgt.service; }
apply_0() { keep_units /var/lib/seatrial/made/gfs-equallogic/before/units tgt.service; }
##### install corosync, dlm_controld, lvmlockd, mkfs.gfs2, iscsiadm, parted, fence_ipmilan
# 0. install corosync, dlm_controld, lvmlockd, mkfs.gfs2, iscsiadm, parted, fence_ipmilan
check_0() { have_commands corosync dlm_controld lvmlockd mkfs.gfs2 iscsiadm parted fence_ipmilan; }
apply_0() {
    note_installed /var/lib/seatrial/made/gfs-equallogic/packages
    install_packages 'corosync dlm-controld fence-agents gfs2-utils lvm2-lockd open-iscsi parted' 'corosync dlm-controld fence-agents gfs2-utils lvm2-lockd open-iscsi parted'
}
##### enable the assembly of the array at boot
# 0. enable the assembly of the array at boot
content_0() { cat <<'SEATRIAL'
ARRAY /dev/md/gfs-equallogic metadata=1.2 name=any:gfs-equallogic
SEATRIAL
}
check_0() { content | file_is /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf; }
apply_0() { content | write_file /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf; }
##### install tgtd, mdadm, vgcreate
# 0. install tgtd, mdadm, vgcreate
check_0() { have_commands tgtd mdadm vgcreate; }
apply_0() {
    note_installed /var/lib/seatrial/made/gfs-equallogic/packages
    install_packages 'lvm2 mdadm tgt' 'lvm2 mdadm tgt'
}
##### split /dev/md/gfs-equallogic into 4 volumes
# 0. split /dev/md/gfs-equallogic into 4 volumes
check_0() {
    vgs --noheadings -o tags seatrial-group 2>/dev/null | grep -q seatrial-made && [ "$(readlink -f /dev/md/gfs-equallogic)" = "$(readlink -f $(pvs --noheadings -o pv_name -S vg_name=seatrial-group))" ]
}
apply_0() {
    must_be_blank /dev/md/gfs-equallogic
    vgcreate -q -y seatrial-group /dev/md/gfs-equallogic
    lvcreate -q -y -W n -n raw1 -L 25165824b seatrial-group
    lvcreate -q -y -W n -n raw2 -L 25165824b seatrial-group
    lvcreate -q -y -W n -n raw3 -L 25165824b seatrial-group
    lvcreate -q -y -W n -n shared -l 100%FREE seatrial-group
    vgchange -q --addtag seatrial-made seatrial-group
}
##### store the iSCSI secret, readable by root only
# 0. store the iSCSI secret, readable by root only
#    why: otherwise any host on the storage network could read and write the volumes
content_0() { cat <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
check_0() { content | file_is /var/lib/seatrial/made/gfs-equallogic/iscsi-chap; }
apply_0() { content | write_file /var/lib/seatrial/made/gfs-equallogic/iscsi-chap 600; }
##### configure 8 targets and the permitted initiators
# 0. configure 8 targets and the permitted initiators
content_0() { cat <<'SEATRIAL'
address 10.10.200.1/16 ps1-storage
account gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
target 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared
lun 1 1 /dev/seatrial-group/shared a86f955117c0370d VOLUME
asks 1 gfs-equallogic
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 2 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw1
lun 2 1 /dev/seatrial-group/raw1 641a46068894cecf VOLUME
asks 2 gfs-equallogic
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 3 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw2
lun 3 1 /dev/seatrial-group/raw2 1abf735dabc7c8c7 VOLUME
asks 3 gfs-equallogic
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 4 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw3
lun 4 1 /dev/seatrial-group/raw3 df1b9c8e9c4bc04e VOLUME
asks 4 gfs-equallogic
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 5 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared
redirect 5 ps2-storage 3260
asks 5 gfs-equallogic
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 6 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw1
redirect 6 ps2-storage 3260
asks 6 gfs-equallogic
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 7 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw2
redirect 7 ps2-storage 3260
asks 7 gfs-equallogic
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 8 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw3
redirect 8 ps2-storage 3260
asks 8 gfs-equallogic
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c6
portal 10.10.200.1 3260
portal ps1-storage 3260
SEATRIAL
}
check_0() { content | file_is /etc/tgt/seatrial-gfs-equallogic.targets; }
apply_0() { content | write_file /etc/tgt/seatrial-gfs-equallogic.targets; }
##### start the iSCSI target after the array at boot
# 0. start the iSCSI target after the array at boot
#    why: a target that starts before its array offers nothing; a login cut off by an incomplete target may never be recovered by iscsid (open-iscsi, issue 387)
content_0() { cat <<'SEATRIAL'
[Unit]
Wants=dev-seatrial\x2dgroup-shared.device dev-seatrial\x2dgroup-raw1.device dev-seatrial\x2dgroup-raw2.device dev-seatrial\x2dgroup-raw3.device
After=dev-seatrial\x2dgroup-shared.device dev-seatrial\x2dgroup-raw1.device dev-seatrial\x2dgroup-raw2.device dev-seatrial\x2dgroup-raw3.device
[Service]
ExecStart=
ExecStart=/usr/sbin/tgtd -f --iscsi portal=127.0.0.1:3260
ExecStartPost=/usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gfs-equallogic.targets start
TimeoutStartSec=180
SEATRIAL
}
check_0() { content | file_is /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf; }
apply_0() {
    content | write_file /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf
    reread_unit tgt.service
    ! systemctl -q is-active tgt || [ -n "$(tgtadm --lld iscsi --mode target --op show)" ] || systemctl stop tgt
}
##### start the iSCSI target
# 0. start the iSCSI target
check_0() {
    systemctl -q is-active tgt && systemctl -q is-enabled tgt && /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gfs-equallogic.targets check
}
apply_0() {
    systemctl -q is-enabled tgt || systemctl -q --no-reload enable tgt
    systemctl start tgt
    /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gfs-equallogic.targets
}
##### configure 4 targets and the permitted initiators
# 0. configure 4 targets and the permitted initiators
content_0() { cat <<'SEATRIAL'
account gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
target 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared
lun 1 1 /dev/seatrial-group/shared a486a503d42c9f82 VOLUME
asks 1 gfs-equallogic
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 2 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw1
lun 2 1 /dev/seatrial-group/raw1 aa38f241937cefd6 VOLUME
asks 2 gfs-equallogic
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 3 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw2
lun 3 1 /dev/seatrial-group/raw2 06f49440db3708de VOLUME
asks 3 gfs-equallogic
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 4 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw3
lun 4 1 /dev/seatrial-group/raw3 c14ea31f3e63cae9 VOLUME
asks 4 gfs-equallogic
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c6
portal ps2-storage 3260
SEATRIAL
}
check_0() { content | file_is /etc/tgt/seatrial-gfs-equallogic.targets; }
apply_0() { content | write_file /etc/tgt/seatrial-gfs-equallogic.targets; }
##### install iscsiadm
# 0. install iscsiadm
check_0() { have_commands iscsiadm; }
apply_0() {
    note_installed /var/lib/seatrial/made/gfs-equallogic/packages
    install_packages open-iscsi open-iscsi
}
##### write /etc/iscsi/initiatorname.iscsi
# 0. write /etc/iscsi/initiatorname.iscsi
content_0() { cat <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c1
SEATRIAL
}
check_0() { content | file_is /etc/iscsi/initiatorname.iscsi; }
apply_0() {
    back_up_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
    content | write_file /etc/iscsi/initiatorname.iscsi '' /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
}
##### configure iSCSI sessions and their account
# 0. configure iSCSI sessions and their account
content_0() { cat <<'SEATRIAL'
node.startup = automatic
node.session.auth.authmethod = CHAP
node.session.auth.username = gfs-equallogic
node.session.auth.password = @generated:iscsi-chap@
node.session.timeo.replacement_timeout = 600
node.conn[0].timeo.noop_out_interval = 5
node.conn[0].timeo.noop_out_timeout = 5
node.session.initial_login_retry_max = 8
SEATRIAL
}
check_0() { content | file_is /etc/iscsi/seatrial-gfs-equallogic; }
apply_0() { content | write_file /etc/iscsi/seatrial-gfs-equallogic 600; }
##### discover 3 iSCSI targets at 10.10.200.1
# 0. discover 3 iSCSI targets at 10.10.200.1
check_0() {
    iscsi_known /etc/iscsi/seatrial-gfs-equallogic 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw1
}
apply_0() {
    systemctl start iscsid
    for portal in 10.10.200.1; do
        iscsiadm -m discovery -t sendtargets -p $portal:3260 -I seatrial-gfs-equallogic
    done
    iscsi_set /etc/iscsi/seatrial-gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw1
}
##### log in to 3 iSCSI sessions and enable them at boot
# 0. log in to 3 iSCSI sessions and enable them at boot
check_0() {
    units_are active iscsid && units_are enabled open-iscsi &&
    iscsi_sessions 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw1 &&
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf ]
}
apply_0() {
    systemctl -q --no-reload enable open-iscsi iscsid
    systemctl start iscsid
    iscsi_login 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw1
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf ]; do again 30 'the disks of the sessions'; done
}
##### set the write cache mode of the disks to write back
# 0. set the write cache mode of the disks to write back
#    why: what a member has acknowledged from memory is on its disks after a flush
check_0() {
    for device in /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 /dev/disk/by-id/scsi-36000000000000000641a46068894cecf; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        grep -qx 'write back' $disk/scsi_disk/*/cache_type || exit 1
    done
}
apply_0() {
    for device in /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 /dev/disk/by-id/scsi-36000000000000000641a46068894cecf; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        echo 1 >$disk/rescan
    done
}
##### split the local volume into 5 parts
# 0. split the local volume into 5 parts
check_0() {
    [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part5 ]
}
guard_0() { all_must_be_blank /dev/disk/by-id/scsi-36000000000000000641a46068894cecf; }
apply_0() {
    parted -s -a none /dev/disk/by-id/scsi-36000000000000000641a46068894cecf mklabel gpt mkpart task1 1MiB 20% mkpart task2 20% 40% mkpart task3 40% 60% mkpart task4 60% 80% mkpart task5 80% 100%
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part5 ]; do again 20 'the parts of the volume'; done
}
##### link each part as the file of a task
# 0. link each part as the file of a task
check_0() {
    [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0000.000)" = /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part1 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0000.001)" = /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part2 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0000.002)" = /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part3 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0000.003)" = /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part4 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0000.004)" = /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part5 ]
}
apply_0() {
    mkdir -p /var/lib/seatrial/gfs-equallogic/volumes
    ln -sfn /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part1 /var/lib/seatrial/gfs-equallogic/volumes/f0000.000
    ln -sfn /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part2 /var/lib/seatrial/gfs-equallogic/volumes/f0000.001
    ln -sfn /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part3 /var/lib/seatrial/gfs-equallogic/volumes/f0000.002
    ln -sfn /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part4 /var/lib/seatrial/gfs-equallogic/volumes/f0000.003
    ln -sfn /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part5 /var/lib/seatrial/gfs-equallogic/volumes/f0000.004
}
##### write /etc/iscsi/initiatorname.iscsi (2)
# 0. write /etc/iscsi/initiatorname.iscsi
content_0() { cat <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c2
SEATRIAL
}
check_0() { content | file_is /etc/iscsi/initiatorname.iscsi; }
apply_0() {
    back_up_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
    content | write_file /etc/iscsi/initiatorname.iscsi '' /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
}
##### discover 3 iSCSI targets at 10.10.200.1 (2)
# 0. discover 3 iSCSI targets at 10.10.200.1
check_0() {
    iscsi_known /etc/iscsi/seatrial-gfs-equallogic 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw1
}
apply_0() {
    systemctl start iscsid
    for portal in 10.10.200.1; do
        iscsiadm -m discovery -t sendtargets -p $portal:3260 -I seatrial-gfs-equallogic
    done
    iscsi_set /etc/iscsi/seatrial-gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw1
}
##### log in to 3 iSCSI sessions and enable them at boot (2)
# 0. log in to 3 iSCSI sessions and enable them at boot
check_0() {
    units_are active iscsid && units_are enabled open-iscsi &&
    iscsi_sessions 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw1 &&
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6 ]
}
apply_0() {
    systemctl -q --no-reload enable open-iscsi iscsid
    systemctl start iscsid
    iscsi_login 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw1
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6 ]; do again 30 'the disks of the sessions'; done
}
##### set the write cache mode of the disks to write back (2)
# 0. set the write cache mode of the disks to write back
#    why: what a member has acknowledged from memory is on its disks after a flush
check_0() {
    for device in /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        grep -qx 'write back' $disk/scsi_disk/*/cache_type || exit 1
    done
}
apply_0() {
    for device in /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        echo 1 >$disk/rescan
    done
}
##### split the local volume into 5 parts (2)
# 0. split the local volume into 5 parts
check_0() {
    [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part5 ]
}
guard_0() { all_must_be_blank /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6; }
apply_0() {
    parted -s -a none /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6 mklabel gpt mkpart task1 1MiB 20% mkpart task2 20% 40% mkpart task3 40% 60% mkpart task4 60% 80% mkpart task5 80% 100%
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part5 ]; do again 20 'the parts of the volume'; done
}
##### link each part as the file of a task (2)
# 0. link each part as the file of a task
check_0() {
    [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0001.000)" = /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part1 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0001.001)" = /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part2 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0001.002)" = /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part3 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0001.003)" = /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part4 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0001.004)" = /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part5 ]
}
apply_0() {
    mkdir -p /var/lib/seatrial/gfs-equallogic/volumes
    ln -sfn /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part1 /var/lib/seatrial/gfs-equallogic/volumes/f0001.000
    ln -sfn /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part2 /var/lib/seatrial/gfs-equallogic/volumes/f0001.001
    ln -sfn /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part3 /var/lib/seatrial/gfs-equallogic/volumes/f0001.002
    ln -sfn /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part4 /var/lib/seatrial/gfs-equallogic/volumes/f0001.003
    ln -sfn /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part5 /var/lib/seatrial/gfs-equallogic/volumes/f0001.004
}
##### write /etc/iscsi/initiatorname.iscsi (3)
# 0. write /etc/iscsi/initiatorname.iscsi
content_0() { cat <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c3
SEATRIAL
}
check_0() { content | file_is /etc/iscsi/initiatorname.iscsi; }
apply_0() {
    back_up_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
    content | write_file /etc/iscsi/initiatorname.iscsi '' /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
}
##### discover 3 iSCSI targets at 10.10.200.1 (3)
# 0. discover 3 iSCSI targets at 10.10.200.1
check_0() {
    iscsi_known /etc/iscsi/seatrial-gfs-equallogic 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw2
}
apply_0() {
    systemctl start iscsid
    for portal in 10.10.200.1; do
        iscsiadm -m discovery -t sendtargets -p $portal:3260 -I seatrial-gfs-equallogic
    done
    iscsi_set /etc/iscsi/seatrial-gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw2
}
##### log in to 3 iSCSI sessions and enable them at boot (3)
# 0. log in to 3 iSCSI sessions and enable them at boot
check_0() {
    units_are active iscsid && units_are enabled open-iscsi &&
    iscsi_sessions 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw2 &&
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7 ]
}
apply_0() {
    systemctl -q --no-reload enable open-iscsi iscsid
    systemctl start iscsid
    iscsi_login 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw2
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7 ]; do again 30 'the disks of the sessions'; done
}
##### set the write cache mode of the disks to write back (3)
# 0. set the write cache mode of the disks to write back
#    why: what a member has acknowledged from memory is on its disks after a flush
check_0() {
    for device in /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        grep -qx 'write back' $disk/scsi_disk/*/cache_type || exit 1
    done
}
apply_0() {
    for device in /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        echo 1 >$disk/rescan
    done
}
##### split the local volume into 5 parts (3)
# 0. split the local volume into 5 parts
check_0() {
    [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part1 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part2 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part3 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part4 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part5 ]
}
guard_0() { all_must_be_blank /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7; }
apply_0() {
    parted -s -a none /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7 mklabel gpt mkpart task1 1MiB 20% mkpart task2 20% 40% mkpart task3 40% 60% mkpart task4 60% 80% mkpart task5 80% 100%
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part1 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part2 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part3 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part4 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part5 ]; do again 20 'the parts of the volume'; done
}
##### link each part as the file of a task (3)
# 0. link each part as the file of a task
check_0() {
    [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0002.000)" = /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part1 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0002.001)" = /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part2 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0002.002)" = /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part3 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0002.003)" = /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part4 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0002.004)" = /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part5 ]
}
apply_0() {
    mkdir -p /var/lib/seatrial/gfs-equallogic/volumes
    ln -sfn /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part1 /var/lib/seatrial/gfs-equallogic/volumes/f0002.000
    ln -sfn /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part2 /var/lib/seatrial/gfs-equallogic/volumes/f0002.001
    ln -sfn /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part3 /var/lib/seatrial/gfs-equallogic/volumes/f0002.002
    ln -sfn /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part4 /var/lib/seatrial/gfs-equallogic/volumes/f0002.003
    ln -sfn /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part5 /var/lib/seatrial/gfs-equallogic/volumes/f0002.004
}
##### write /etc/iscsi/initiatorname.iscsi (4)
# 0. write /etc/iscsi/initiatorname.iscsi
content_0() { cat <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c4
SEATRIAL
}
check_0() { content | file_is /etc/iscsi/initiatorname.iscsi; }
apply_0() {
    back_up_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
    content | write_file /etc/iscsi/initiatorname.iscsi '' /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
}
##### discover 3 iSCSI targets at 10.10.200.1 (4)
# 0. discover 3 iSCSI targets at 10.10.200.1
check_0() {
    iscsi_known /etc/iscsi/seatrial-gfs-equallogic 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw2
}
apply_0() {
    systemctl start iscsid
    for portal in 10.10.200.1; do
        iscsiadm -m discovery -t sendtargets -p $portal:3260 -I seatrial-gfs-equallogic
    done
    iscsi_set /etc/iscsi/seatrial-gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw2
}
##### log in to 3 iSCSI sessions and enable them at boot (4)
# 0. log in to 3 iSCSI sessions and enable them at boot
check_0() {
    units_are active iscsid && units_are enabled open-iscsi &&
    iscsi_sessions 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw2 &&
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de ]
}
apply_0() {
    systemctl -q --no-reload enable open-iscsi iscsid
    systemctl start iscsid
    iscsi_login 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw2
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de ]; do again 30 'the disks of the sessions'; done
}
##### set the write cache mode of the disks to write back (4)
# 0. set the write cache mode of the disks to write back
#    why: what a member has acknowledged from memory is on its disks after a flush
check_0() {
    for device in /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 /dev/disk/by-id/scsi-3600000000000000006f49440db3708de; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        grep -qx 'write back' $disk/scsi_disk/*/cache_type || exit 1
    done
}
apply_0() {
    for device in /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 /dev/disk/by-id/scsi-3600000000000000006f49440db3708de; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        echo 1 >$disk/rescan
    done
}
##### split the local volume into 5 parts (4)
# 0. split the local volume into 5 parts
check_0() {
    [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part1 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part2 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part3 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part4 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part5 ]
}
guard_0() { all_must_be_blank /dev/disk/by-id/scsi-3600000000000000006f49440db3708de; }
apply_0() {
    parted -s -a none /dev/disk/by-id/scsi-3600000000000000006f49440db3708de mklabel gpt mkpart task1 1MiB 20% mkpart task2 20% 40% mkpart task3 40% 60% mkpart task4 60% 80% mkpart task5 80% 100%
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part1 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part2 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part3 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part4 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part5 ]; do again 20 'the parts of the volume'; done
}
##### link each part as the file of a task (4)
# 0. link each part as the file of a task
check_0() {
    [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0003.000)" = /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part1 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0003.001)" = /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part2 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0003.002)" = /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part3 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0003.003)" = /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part4 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0003.004)" = /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part5 ]
}
apply_0() {
    mkdir -p /var/lib/seatrial/gfs-equallogic/volumes
    ln -sfn /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part1 /var/lib/seatrial/gfs-equallogic/volumes/f0003.000
    ln -sfn /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part2 /var/lib/seatrial/gfs-equallogic/volumes/f0003.001
    ln -sfn /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part3 /var/lib/seatrial/gfs-equallogic/volumes/f0003.002
    ln -sfn /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part4 /var/lib/seatrial/gfs-equallogic/volumes/f0003.003
    ln -sfn /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part5 /var/lib/seatrial/gfs-equallogic/volumes/f0003.004
}
##### write /etc/iscsi/initiatorname.iscsi (5)
# 0. write /etc/iscsi/initiatorname.iscsi
content_0() { cat <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c5
SEATRIAL
}
check_0() { content | file_is /etc/iscsi/initiatorname.iscsi; }
apply_0() {
    back_up_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
    content | write_file /etc/iscsi/initiatorname.iscsi '' /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
}
##### discover 3 iSCSI targets at 10.10.200.1 (5)
# 0. discover 3 iSCSI targets at 10.10.200.1
check_0() {
    iscsi_known /etc/iscsi/seatrial-gfs-equallogic 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw3
}
apply_0() {
    systemctl start iscsid
    for portal in 10.10.200.1; do
        iscsiadm -m discovery -t sendtargets -p $portal:3260 -I seatrial-gfs-equallogic
    done
    iscsi_set /etc/iscsi/seatrial-gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw3
}
##### log in to 3 iSCSI sessions and enable them at boot (5)
# 0. log in to 3 iSCSI sessions and enable them at boot
check_0() {
    units_are active iscsid && units_are enabled open-iscsi &&
    iscsi_sessions 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw3 &&
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e ]
}
apply_0() {
    systemctl -q --no-reload enable open-iscsi iscsid
    systemctl start iscsid
    iscsi_login 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw3
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e ]; do again 30 'the disks of the sessions'; done
}
##### set the write cache mode of the disks to write back (5)
# 0. set the write cache mode of the disks to write back
#    why: what a member has acknowledged from memory is on its disks after a flush
check_0() {
    for device in /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        grep -qx 'write back' $disk/scsi_disk/*/cache_type || exit 1
    done
}
apply_0() {
    for device in /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        echo 1 >$disk/rescan
    done
}
##### split the local volume into 5 parts (5)
# 0. split the local volume into 5 parts
check_0() {
    [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part5 ]
}
guard_0() { all_must_be_blank /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e; }
apply_0() {
    parted -s -a none /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e mklabel gpt mkpart task1 1MiB 20% mkpart task2 20% 40% mkpart task3 40% 60% mkpart task4 60% 80% mkpart task5 80% 100%
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part5 ]; do again 20 'the parts of the volume'; done
}
##### link each part as the file of a task (5)
# 0. link each part as the file of a task
check_0() {
    [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0004.000)" = /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part1 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0004.001)" = /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part2 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0004.002)" = /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part3 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0004.003)" = /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part4 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0004.004)" = /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part5 ]
}
apply_0() {
    mkdir -p /var/lib/seatrial/gfs-equallogic/volumes
    ln -sfn /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part1 /var/lib/seatrial/gfs-equallogic/volumes/f0004.000
    ln -sfn /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part2 /var/lib/seatrial/gfs-equallogic/volumes/f0004.001
    ln -sfn /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part3 /var/lib/seatrial/gfs-equallogic/volumes/f0004.002
    ln -sfn /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part4 /var/lib/seatrial/gfs-equallogic/volumes/f0004.003
    ln -sfn /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part5 /var/lib/seatrial/gfs-equallogic/volumes/f0004.004
}
##### write /etc/iscsi/initiatorname.iscsi (6)
# 0. write /etc/iscsi/initiatorname.iscsi
content_0() { cat <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c6
SEATRIAL
}
check_0() { content | file_is /etc/iscsi/initiatorname.iscsi; }
apply_0() {
    back_up_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
    content | write_file /etc/iscsi/initiatorname.iscsi '' /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
}
##### discover 3 iSCSI targets at 10.10.200.1 (6)
# 0. discover 3 iSCSI targets at 10.10.200.1
check_0() {
    iscsi_known /etc/iscsi/seatrial-gfs-equallogic 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw3
}
apply_0() {
    systemctl start iscsid
    for portal in 10.10.200.1; do
        iscsiadm -m discovery -t sendtargets -p $portal:3260 -I seatrial-gfs-equallogic
    done
    iscsi_set /etc/iscsi/seatrial-gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw3
}
##### log in to 3 iSCSI sessions and enable them at boot (6)
# 0. log in to 3 iSCSI sessions and enable them at boot
check_0() {
    units_are active iscsid && units_are enabled open-iscsi &&
    iscsi_sessions 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw3 &&
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9 ]
}
apply_0() {
    systemctl -q --no-reload enable open-iscsi iscsid
    systemctl start iscsid
    iscsi_login 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw3
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9 ]; do again 30 'the disks of the sessions'; done
}
##### set the write cache mode of the disks to write back (6)
# 0. set the write cache mode of the disks to write back
#    why: what a member has acknowledged from memory is on its disks after a flush
check_0() {
    for device in /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        grep -qx 'write back' $disk/scsi_disk/*/cache_type || exit 1
    done
}
apply_0() {
    for device in /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        echo 1 >$disk/rescan
    done
}
##### split the local volume into 5 parts (6)
# 0. split the local volume into 5 parts
check_0() {
    [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part5 ]
}
guard_0() { all_must_be_blank /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9; }
apply_0() {
    parted -s -a none /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9 mklabel gpt mkpart task1 1MiB 20% mkpart task2 20% 40% mkpart task3 40% 60% mkpart task4 60% 80% mkpart task5 80% 100%
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part5 ]; do again 20 'the parts of the volume'; done
}
##### link each part as the file of a task (6)
# 0. link each part as the file of a task
check_0() {
    [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0005.000)" = /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part1 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0005.001)" = /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part2 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0005.002)" = /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part3 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0005.003)" = /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part4 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0005.004)" = /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part5 ]
}
apply_0() {
    mkdir -p /var/lib/seatrial/gfs-equallogic/volumes
    ln -sfn /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part1 /var/lib/seatrial/gfs-equallogic/volumes/f0005.000
    ln -sfn /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part2 /var/lib/seatrial/gfs-equallogic/volumes/f0005.001
    ln -sfn /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part3 /var/lib/seatrial/gfs-equallogic/volumes/f0005.002
    ln -sfn /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part4 /var/lib/seatrial/gfs-equallogic/volumes/f0005.003
    ln -sfn /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part5 /var/lib/seatrial/gfs-equallogic/volumes/f0005.004
}
##### enable lvmlockd in LVM
# 0. enable lvmlockd in LVM
#    why: the volume group is shared: two nodes must not change it at the same time
check_0() { lvmconfig --type full global/use_lvmlockd | grep -q '1'; }
apply_0() {
    set_line /etc/lvm/lvm.conf /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf use_lvmlockd 1
}
##### store the corosync key, readable by root only
# 0. store the corosync key, readable by root only
content_0() { cat <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
check_0() { content | file_is /var/lib/seatrial/made/gfs-equallogic/corosync-key; }
apply_0() { content | write_file /var/lib/seatrial/made/gfs-equallogic/corosync-key 600; }
##### enable encryption of corosync
# 0. enable encryption of corosync
#    why: otherwise any host on the network could join the cluster and have members fenced
content_0() { cat <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
check_0() { content | file_is /etc/corosync/authkey; }
apply_0() {
    back_up_file /etc/corosync/authkey /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey
    content | write_file /etc/corosync/authkey 400 /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey
}
##### wait for all members
# 0. wait for all members
check_0() { [ "$(corosync-quorumtool -s 2>/dev/null | sed -n "s/^Total votes: *//p")" = 6 ]; }
apply_0() {
    tries=0
    until [ "$(corosync-quorumtool -s 2>/dev/null | sed -n "s/^Total votes: *//p")" = 6 ]; do again 120 'all members'; done
}
##### create a GPT label and one partition on the volume of ps1
# 0. create a GPT label and one partition on the volume of ps1
check_0() { [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ]; }
guard_0() { all_must_be_blank /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d; }
apply_0() {
    parted -s /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d mklabel gpt mkpart primary 1MiB 100%
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ]; do again 20 /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1; done
}
##### create a GPT label and one partition on the volume of ps2
# 0. create a GPT label and one partition on the volume of ps2
check_0() { [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1 ]; }
guard_0() { all_must_be_blank /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82; }
apply_0() {
    parted -s /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 mklabel gpt mkpart primary 1MiB 100%
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1 ]; do again 20 /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1; done
}
##### create GFS2 with 8 journals, striped over 2 members
# 0. create GFS2 with 8 journals, striped over 2 members
#    why: each node that mounts needs a journal, and spare ones allow more nodes later; with 4 resource groups per journal, nodes that allocate do not wait
check_0() { vgs --noheadings -o tags st-gfs-equallogic 2>/dev/null | grep -q seatrial-made; }
apply_0() {
    found=$(wipefs --noheadings --output TYPE /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1)
    [ -z "$found" ] || { echo "refused: /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 holds $found"; exit 1; }
    found=$(wipefs --noheadings --output TYPE /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1)
    [ -z "$found" ] || { echo "refused: /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1 holds $found"; exit 1; }
    vgcreate -q -y --shared st-gfs-equallogic /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1
    lvcreate -q -y -W y -Z y -a sy -n data -i 2 -I 64k -l 100%FREE st-gfs-equallogic
    group_mib=$(($(blockdev --getsize64 /dev/st-gfs-equallogic/data) / 33554432))
    [ "$group_mib" -ge 32 ] || group_mib=32
    [ "$group_mib" -lt 256 ] || group_mib=
    mkfs.gfs2 -O -q -p lock_dlm -t gfs-equallogic:data -j 8 -J 8 ${group_mib:+-r "$group_mib"} /dev/st-gfs-equallogic/data
    vgchange -q --addtag seatrial-made st-gfs-equallogic
}
##### wait for the partitions
# 0. wait for the partitions
check_0() {
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1 ]
}
apply_0() {
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ] || partprobe /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d
    [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1 ] || partprobe /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1 ]; do again 20 'the partitions'; done
}
##### install the unit that mounts the file system
# 0. install the unit that mounts the file system
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# Activates the lock space, the volume and the file system, or stops them in the opposite order.
case $1 in
start)
    modprobe gfs2
    vgchange -q --lock-start st-gfs-equallogic || exit 1
    lvchange -q -a sy st-gfs-equallogic/data || exit 1
    mkdir -p /mnt/gfs-equallogic
    mountpoint -q /mnt/gfs-equallogic ||
        mount -t gfs2 -o noatime /dev/st-gfs-equallogic/data /mnt/gfs-equallogic || exit 1
    echo 'noatime' >/run/seatrial-gfs-equallogic.mounted ;;
stop)
    ! mountpoint -q /mnt/gfs-equallogic || umount /mnt/gfs-equallogic || exit 1
    lvchange -q -a n st-gfs-equallogic/data
    vgchange -q --lock-stop st-gfs-equallogic ;;
esac
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-gfs2-gfs-equallogic; }
apply_0() { content | write_file /usr/local/sbin/seatrial-gfs2-gfs-equallogic 755; }
##### write /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
# 0. write /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
content_0() { cat <<'SEATRIAL'
[Unit]
Description=GFS2 at /mnt/gfs-equallogic
Requires=corosync.service dlm.service lvmlockd.service
After=corosync.service dlm.service lvmlockd.service open-iscsi.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-gfs2-gfs-equallogic start
ExecStop=/usr/local/sbin/seatrial-gfs2-gfs-equallogic stop
TimeoutStartSec=300
[Install]
WantedBy=multi-user.target
SEATRIAL
}
check_0() { content | file_is /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service; }
apply_0() {
    content | write_file /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
    reread_unit seatrial-gfs2-gfs-equallogic.service
}
##### mount the file system at /mnt/gfs-equallogic and enable it at boot
# 0. mount the file system at /mnt/gfs-equallogic and enable it at boot
check_0() {
    systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && grep -q ' /mnt/gfs-equallogic gfs2 ' /proc/mounts &&
    grep -qx 'noatime' /run/seatrial-gfs-equallogic.mounted
}
apply_0() {
    systemctl -q --no-reload enable seatrial-gfs2-gfs-equallogic.service
    systemctl restart seatrial-gfs2-gfs-equallogic.service
}
##### restore the read-ahead of the volume
# 0. restore the read-ahead of the volume
check_0() { [ ! -e /run/seatrial-gfs-equallogic.readahead ]; }
apply_0() {
    if read -r ahead </run/seatrial-gfs-equallogic.readahead; then echo $ahead >/sys/dev/block/$(mountpoint -x /dev/st-gfs-equallogic/data)/queue/read_ahead_kb; fi
    rm /run/seatrial-gfs-equallogic.readahead
}
##### remove the boot-time settings of network and mounts (2)
# 0. remove the boot-time settings of network and mounts
check_0() {
    no_file /etc/systemd/system/seatrial-gfs-equallogic-network.service /usr/local/sbin/seatrial-gfs-equallogic-network /etc/systemd/system/seatrial-gfs-equallogic-mounts.service /usr/local/sbin/seatrial-gfs-equallogic-mounts
}
apply_0() {
    remove_unit seatrial-gfs-equallogic-network /etc/systemd/system/seatrial-gfs-equallogic-network.service
    rm -f /usr/local/sbin/seatrial-gfs-equallogic-network
    remove_unit seatrial-gfs-equallogic-mounts /etc/systemd/system/seatrial-gfs-equallogic-mounts.service
    rm -f /usr/local/sbin/seatrial-gfs-equallogic-mounts
}
##### set MTU 9000 on the link to ps1-storage
# 0. set MTU 9000 on the link to ps1-storage
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_0() { mtu_is 9000 ahostsv4 ps1-storage; }
apply_0() { set_mtu 9000 /var/lib/seatrial/made/gfs-equallogic/before ahostsv4 ps1-storage; }
##### set MTU 9000 on the link to c1-storage
# 0. set MTU 9000 on the link to c1-storage
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_0() { mtu_is 9000 ahostsv4 c1-storage; }
apply_0() { set_mtu 9000 /var/lib/seatrial/made/gfs-equallogic/before ahostsv4 c1-storage; }
##### refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi
# 0. refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi
check_0() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
}
apply_0() { refuse; }
##### bind iSCSI sessions to storage
# 0. bind iSCSI sessions to storage
#    why: data must not use another network of the node, whatever its routes are
check_0() { grep -qx 'iface.net_ifacename = storage' /etc/iscsi/ifaces/seatrial-gfs-equallogic; }
apply_0() {
    systemctl start iscsid
    iscsiadm -m iface -I seatrial-gfs-equallogic -o new
    iscsiadm -m iface -I seatrial-gfs-equallogic -o update -n iface.net_ifacename -v storage
}
##### configure the fencing of each node
# 0. configure the fencing of each node
#    why: a lost node may still write: its locks stay held, and other nodes wait, until its power is known to be off
content_0() { cat <<'SEATRIAL'
enable_fencing=1
enable_concurrent_fencing=1
repeat_failed_fencing=1

device fence-c1 fence_ipmilan ip=c1-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c1 node=1

device fence-c2 fence_ipmilan ip=c2-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c2 node=2

device fence-c3 fence_ipmilan ip=c3-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c3 node=3

device fence-c4 fence_ipmilan ip=c4-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c4 node=4

device fence-c5 fence_ipmilan ip=c5-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c5 node=5

device fence-c6 fence_ipmilan ip=c6-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c6 node=6
SEATRIAL
}
check_0() { content | file_is /etc/dlm/dlm.conf; }
apply_0() {
    content | write_file /etc/dlm/dlm.conf 600
    ! systemctl -q is-active dlm || dlm_tool reload_config
}
##### configure the members and links of corosync
# 0. configure the members and links of corosync
content_0() { cat <<'SEATRIAL'
totem {
    version: 2
    cluster_name: gfs-equallogic
    transport: knet
    crypto_cipher: aes256
    crypto_hash: sha256
    token: 2000
    token_coefficient: 0
    interface {
        linknumber: 0
        knet_ping_interval: 333
        knet_ping_timeout: 1000
    }
}
quorum {
    provider: corosync_votequorum
    wait_for_all: 0
}
nodelist {
    node {
        name: c1
        nodeid: 1
        ring0_addr: c1-private
    }
    node {
        name: c2
        nodeid: 2
        ring0_addr: c2-private
    }
    node {
        name: c3
        nodeid: 3
        ring0_addr: c3-private
    }
    node {
        name: c4
        nodeid: 4
        ring0_addr: c4-private
    }
    node {
        name: c5
        nodeid: 5
        ring0_addr: c5-private
    }
    node {
        name: c6
        nodeid: 6
        ring0_addr: c6-private
    }
}
logging {
    to_syslog: yes
    to_stderr: no
    to_logfile: no
    timestamp: hires
}
SEATRIAL
}
check_0() { content | file_is /etc/corosync/corosync.conf; }
apply_0() {
    back_up_file /etc/corosync/corosync.conf /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf
    content | write_file /etc/corosync/corosync.conf '' /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf
    if systemctl -q is-active corosync; then
        if dlm_tool ls 2>/dev/null | grep -q '^name'; then corosync-cfgtool -R
        else for daemon in lvmlockd dlm corosync; do systemctl stop $daemon; done; fi
    fi
}
##### test 6 management controllers
# 0. test 6 management controllers
#    why: without this a broken controller shows only when it blocks all nodes
check_0() { grep -qx fc8b6d213e8f6b19 /run/seatrial-gfs-equallogic.fencing; }
apply_0() {
    asked=
    said=$(mktemp -d)
    trap 'rm -rf $said' EXIT
    fence_ipmilan >$said/c1 2>&1 <<'SEATRIAL' & asked="$asked c1:$!"
action=status
ip=c1-bmc
username=admin
password=seatrial-lab
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c2 2>&1 <<'SEATRIAL' & asked="$asked c2:$!"
action=status
ip=c2-bmc
username=admin
password=seatrial-lab
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c3 2>&1 <<'SEATRIAL' & asked="$asked c3:$!"
action=status
ip=c3-bmc
username=admin
password=seatrial-lab
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c4 2>&1 <<'SEATRIAL' & asked="$asked c4:$!"
action=status
ip=c4-bmc
username=admin
password=seatrial-lab
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c5 2>&1 <<'SEATRIAL' & asked="$asked c5:$!"
action=status
ip=c5-bmc
username=admin
password=seatrial-lab
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c6 2>&1 <<'SEATRIAL' & asked="$asked c6:$!"
action=status
ip=c6-bmc
username=admin
password=seatrial-lab
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    bad=0
    for one in $asked; do
        wait "${one#*:}" && continue
        bad=1
        echo "the controller of ${one%%:*} does not answer:"
        cat "$said/${one%%:*}"
    done
    [ "$bad" = 0 ]
    echo fc8b6d213e8f6b19 >/run/seatrial-gfs-equallogic.fencing
}
##### write /usr/local/sbin/seatrial-gfs-equallogic-network
# 0. write /usr/local/sbin/seatrial-gfs-equallogic-network
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# What gfs-equallogic has set on this node, after a boot.
# (sh/: link_to)
# (sh/: mtu_is)
# (sh/: set_mtu)
# (sh/: set_mtu_of)
bad=0
# set MTU 9000 on the link to ps1-storage
if ! (
mtu_is 9000 ahostsv4 ps1-storage
) >/dev/null 2>&1; then
(
set -e
set_mtu 9000 /var/lib/seatrial/made/gfs-equallogic/before ahostsv4 ps1-storage
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-gfs-equallogic-network; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-gfs-equallogic-network 755
    restart_if_active seatrial-gfs-equallogic-network
}
##### write /etc/systemd/system/seatrial-gfs-equallogic-network.service
# 0. write /etc/systemd/system/seatrial-gfs-equallogic-network.service
content_0() { cat <<'SEATRIAL'
[Unit]
Description=what gfs-equallogic has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-gfs-equallogic-network
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
}
check_0() {
    without_systemd || content | file_is /etc/systemd/system/seatrial-gfs-equallogic-network.service
}
apply_0() {
    content | write_file /etc/systemd/system/seatrial-gfs-equallogic-network.service
    reread_unit seatrial-gfs-equallogic-network.service
    restart_if_active seatrial-gfs-equallogic-network
}
##### install the boot-time settings of network (2)
# 0. install the boot-time settings of network
#    why: a fenced node must come back with the same settings
check_0() { without_systemd || unit_runs seatrial-gfs-equallogic-network; }
apply_0() { start_unit seatrial-gfs-equallogic-network; }
##### remove the boot-time settings of mounts (2)
# 0. remove the boot-time settings of mounts
check_0() {
    no_file /etc/systemd/system/seatrial-gfs-equallogic-mounts.service /usr/local/sbin/seatrial-gfs-equallogic-mounts
}
apply_0() {
    remove_unit seatrial-gfs-equallogic-mounts /etc/systemd/system/seatrial-gfs-equallogic-mounts.service
    rm -f /usr/local/sbin/seatrial-gfs-equallogic-mounts
}
##### write /usr/local/sbin/seatrial-gfs-equallogic-network (2)
# 0. write /usr/local/sbin/seatrial-gfs-equallogic-network
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# What gfs-equallogic has set on this node, after a boot.
# (sh/: link_to)
# (sh/: mtu_is)
# (sh/: set_mtu)
# (sh/: set_mtu_of)
bad=0
# set MTU 9000 on the link to c1-storage
if ! (
mtu_is 9000 ahostsv4 c1-storage
) >/dev/null 2>&1; then
(
set -e
set_mtu 9000 /var/lib/seatrial/made/gfs-equallogic/before ahostsv4 c1-storage
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-gfs-equallogic-network; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-gfs-equallogic-network 755
    restart_if_active seatrial-gfs-equallogic-network
}
##### refuse symbolic links (4)
# 0. refuse symbolic links
check_0() {
    set +e
    no_planted small
}
apply_0() { refuse; }
##### refuse an occupied mount point: /srv/small
# 0. refuse an occupied mount point: /srv/small
check_0() {
    set +e
    no_other_mount small /srv/small
}
apply_0() { refuse; }
##### refuse other NFS exports: /srv/small
# 0. refuse other NFS exports: /srv/small
check_0() {
    set +e
    no_other_exports small /srv/small
}
apply_0() { refuse; }
##### refuse another cluster (3)
# 0. refuse another cluster
check_0() {
    set +e
    no_other_cluster small small
}
apply_0() { refuse; }
##### refuse volumes of another owner on /dev/md/small
# 0. refuse volumes of another owner on /dev/md/small
check_0() {
    set +e
    only_own_volumes /var/lib/seatrial/made/small/volumes '' /dev/md/small
}
apply_0() { refuse; }
##### refuse an occupied mount point: /mnt/small
# 0. refuse an occupied mount point: /mnt/small
check_0() {
    set +e
    no_other_mount small /mnt/small
}
apply_0() { refuse; }
##### mark this node for small
# 0. mark this node for small
check_0() { [ -e /var/lib/seatrial/made/small/mark ]; }
apply_0() {
    umask 077
    mkdir -p /var/lib/seatrial/made/small
    chmod 700 /var/lib/seatrial/made /var/lib/seatrial/made/small
    : >/var/lib/seatrial/made/small/left
    : >/var/lib/seatrial/made/small/mark
}
##### store the state of nfs-server
# 0. store the state of nfs-server
check_0() { units_are_kept /var/lib/seatrial/made/small/before/units nfs-server.service; }
apply_0() { keep_units /var/lib/seatrial/made/small/before/units nfs-server.service; }
##### install exportfs, wipefs, mdadm, mkfs.ext4
# 0. install exportfs, wipefs, mdadm, mkfs.ext4
check_0() { have_commands exportfs wipefs mdadm mkfs.ext4; }
apply_0() {
    note_installed /var/lib/seatrial/made/small/packages
    install_packages 'e2fsprogs mdadm nfs-kernel-server util-linux' 'e2fsprogs mdadm nfs-utils util-linux'
}
##### install mount.nfs
# 0. install mount.nfs
check_0() { have_commands mount.nfs; }
apply_0() {
    note_installed /var/lib/seatrial/made/small/packages
    install_packages nfs-common nfs-utils
}
##### set MTU 9000 on the link to c1 (2)
# 0. set MTU 9000 on the link to c1
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_0() { mtu_is 9000 ahostsv4 c1; }
apply_0() { set_mtu 9000 /var/lib/seatrial/made/small/before ahostsv4 c1; }
##### set MTU 9000 on the link to 10.0.0.9
# 0. set MTU 9000 on the link to 10.0.0.9
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_0() { mtu_is 9000 ahostsv4 10.0.0.9; }
apply_0() { set_mtu 9000 /var/lib/seatrial/made/small/before ahostsv4 10.0.0.9; }
##### enable the assembly of the array at boot (2)
# 0. enable the assembly of the array at boot
content_0() { cat <<'SEATRIAL'
ARRAY /dev/md/small metadata=1.2 name=any:small
SEATRIAL
}
check_0() { content | file_is /etc/mdadm/mdadm.conf.d/seatrial-small.conf; }
apply_0() { content | write_file /etc/mdadm/mdadm.conf.d/seatrial-small.conf; }
##### enable the mount of /srv/small at boot
# 0. enable the mount of /srv/small at boot
check_0() { fstab_has /dev/md/small /srv/small ext4 noatime,nofail; }
apply_0() { put_fstab_line /dev/md/small /srv/small ext4 noatime,nofail; }
##### mount the file system at /srv/small with noatime
# 0. mount the file system at /srv/small with noatime
check_0() {
    grep -q ' /srv/small ext4 ' /proc/mounts &&
    mount_is /srv/small noatime /run/seatrial-small.filesystem
}
apply_0() {
    modprobe ext4 2>/dev/null || true
    mkdir -p /srv/small
    if grep -q ' /srv/small ' /proc/mounts; then
        mount -o remount,noatime /srv/small
        if { read -r asked && read -r line; } </run/seatrial-small.filesystem && [ "$asked" = noatime ]; then
            echo 'mounted otherwise since it was deployed; unmount /srv/small, and deploy again'
            chmod 1777 /srv/small
            exit 0
        fi
    else
        mount /srv/small
    fi
    chmod 1777 /srv/small
    note_mount /srv/small noatime /run/seatrial-small.filesystem
}
##### restore the read-ahead of /dev/md/small
# 0. restore the read-ahead of /dev/md/small
check_0() { [ ! -e /run/seatrial-small.filesystem-readahead ]; }
apply_0() {
    if read -r ahead </run/seatrial-small.filesystem-readahead; then echo $ahead >/sys/class/bdi/$(mountpoint -d /srv/small)/read_ahead_kb; fi
    rm /run/seatrial-small.filesystem-readahead
}
##### configure the export of /srv/small
# 0. configure the export of /srv/small
content_0() { cat <<'SEATRIAL'
/srv/small c1(rw,sync,root_squash,no_subtree_check) c2(rw,sync,root_squash,no_subtree_check) c3(rw,sync,root_squash,no_subtree_check) c4(rw,sync,root_squash,no_subtree_check)
SEATRIAL
}
check_0() { content | file_is /etc/exports.d/seatrial-small.exports; }
apply_0() { content | write_file /etc/exports.d/seatrial-small.exports; }
##### configure 16 nfsd threads, and 90 s of lease and grace period
# 0. configure 16 nfsd threads, and 90 s of lease and grace period
content_0() { cat <<'SEATRIAL'
[nfsd]
threads=16
lease-time=90
grace-time=90
SEATRIAL
}
check_0() { content | file_is /etc/nfs.conf.d/seatrial-small.conf; }
apply_0() { content | write_file /etc/nfs.conf.d/seatrial-small.conf; }
##### disable NFS delegations
# 0. disable NFS delegations
#    why: a restarted server of Linux 7.2 grants one to the first client that reclaims a file; other clients cannot reclaim it in the grace period, and lose their locks
check_0() {
    [ -s /var/lib/seatrial/made/small/before/leases-enable ] && [ "$(cat /proc/sys/fs/leases-enable)" = 0 ]
}
apply_0() {
    (
        umask 077
        mkdir -p /var/lib/seatrial/made/small/before
        [ -s /var/lib/seatrial/made/small/before/leases-enable ] || { cat /var/lib/seatrial/made/*/before/leases-enable /proc/sys/fs/leases-enable 2>/dev/null | head -n 1 >/var/lib/seatrial/made/small/before/leases-enable.new && mv /var/lib/seatrial/made/small/before/leases-enable.new /var/lib/seatrial/made/small/before/leases-enable; }
    )
    echo 0 >/proc/sys/fs/leases-enable
}
##### set 16 nfsd threads
# 0. set 16 nfsd threads
#    why: one thread serves one request at a time: with too few, clients wait
check_0() {
    [ -e /proc/fs/nfsd/threads ] && read -r threads </proc/fs/nfsd/threads &&
    [ "$threads" = 16 ]
}
apply_0() {
    if systemctl -q is-active nfs-server; then rpc.nfsd 16; else systemctl -q --no-reload enable nfs-server; systemctl start nfs-server; fi
}
##### set the NFSv4 lease and grace period to 90 s
# 0. set the NFSv4 lease and grace period to 90 s
#    why: after a restart the server opens nothing during this time, unless all clients have signalled that they have reclaimed their state
check_0() {
    for file in /proc/fs/nfsd/nfsv4leasetime /proc/fs/nfsd/nfsv4gracetime; do read -r time <$file && [ $time = 90 ] || exit 1; done
}
apply_0() {
    rpc.nfsd 0
    for file in /proc/fs/nfsd/nfsv4leasetime /proc/fs/nfsd/nfsv4gracetime; do echo 90 >$file; done
    rpc.nfsd 16
}
##### export /srv/small with rw, sync, root_squash
# 0. export /srv/small with rw, sync, root_squash
#    why: acknowledged data are on the disks; each write waits for them
check_0() {
    [ ! /etc/exports.d/seatrial-small.exports -nt /var/lib/nfs/etab ] &&
    [ "$(grep '^/srv/small[[:space:]]' /var/lib/nfs/etab | grep '[(,]rw[,)]' | grep -c '[(,]sync[,)]')" = 4 ] &&
    ! grep '^/srv/small[[:space:]]' /var/lib/nfs/etab | grep -vq '[(,]root_squash[,)]'
}
apply_0() {
    touch /etc/exports.d/seatrial-small.exports
    exportfs -ra
}
##### restore the read-ahead of /mnt/small
# 0. restore the read-ahead of /mnt/small
check_0() { [ ! -e /run/seatrial-small.mount-readahead ]; }
apply_0() {
    if read -r ahead </run/seatrial-small.mount-readahead; then echo $ahead >/sys/class/bdi/$(mountpoint -d /mnt/small)/read_ahead_kb; fi
    rm /run/seatrial-small.mount-readahead
}
##### write /usr/local/sbin/seatrial-small-network
# 0. write /usr/local/sbin/seatrial-small-network
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# What small has set on this node, after a boot.
# (sh/: link_to)
# (sh/: mtu_is)
# (sh/: set_mtu)
# (sh/: set_mtu_of)
bad=0
# set MTU 9000 on the link to c1
if ! (
mtu_is 9000 ahostsv4 c1
) >/dev/null 2>&1; then
(
set -e
set_mtu 9000 /var/lib/seatrial/made/small/before ahostsv4 c1
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
# disable NFS delegations
if ! (
[ -s /var/lib/seatrial/made/small/before/leases-enable ] && [ "$(cat /proc/sys/fs/leases-enable)" = 0 ]
) >/dev/null 2>&1; then
(
set -e
(
    umask 077
    mkdir -p /var/lib/seatrial/made/small/before
    [ -s /var/lib/seatrial/made/small/before/leases-enable ] || { cat /var/lib/seatrial/made/*/before/leases-enable /proc/sys/fs/leases-enable 2>/dev/null | head -n 1 >/var/lib/seatrial/made/small/before/leases-enable.new && mv /var/lib/seatrial/made/small/before/leases-enable.new /var/lib/seatrial/made/small/before/leases-enable; }
)
echo 0 >/proc/sys/fs/leases-enable
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-small-network; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-small-network 755
    restart_if_active seatrial-small-network
}
##### write /etc/systemd/system/seatrial-small-network.service
# 0. write /etc/systemd/system/seatrial-small-network.service
content_0() { cat <<'SEATRIAL'
[Unit]
Description=what small has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-small-network
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
}
check_0() {
    without_systemd || content | file_is /etc/systemd/system/seatrial-small-network.service
}
apply_0() {
    content | write_file /etc/systemd/system/seatrial-small-network.service
    reread_unit seatrial-small-network.service
    restart_if_active seatrial-small-network
}
##### install the boot-time settings of network (3)
# 0. install the boot-time settings of network
#    why: a fenced node must come back with the same settings
check_0() { without_systemd || unit_runs seatrial-small-network; }
apply_0() { start_unit seatrial-small-network; }
##### remove the boot-time settings of mounts (3)
# 0. remove the boot-time settings of mounts
check_0() {
    no_file /etc/systemd/system/seatrial-small-mounts.service /usr/local/sbin/seatrial-small-mounts
}
apply_0() {
    remove_unit seatrial-small-mounts /etc/systemd/system/seatrial-small-mounts.service
    rm -f /usr/local/sbin/seatrial-small-mounts
}
##### write /usr/local/sbin/seatrial-small-network (2)
# 0. write /usr/local/sbin/seatrial-small-network
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# What small has set on this node, after a boot.
# (sh/: link_to)
# (sh/: mtu_is)
# (sh/: set_mtu)
# (sh/: set_mtu_of)
bad=0
# set MTU 9000 on the link to 10.0.0.9
if ! (
mtu_is 9000 ahostsv4 10.0.0.9
) >/dev/null 2>&1; then
(
set -e
set_mtu 9000 /var/lib/seatrial/made/small/before ahostsv4 10.0.0.9
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-small-network; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-small-network 755
    restart_if_active seatrial-small-network
}
##### refuse a disk that is used twice (3)
# 0. refuse a disk that is used twice
check_0() {
    set +e
    look_twice /dev/ubdb /dev/ubdc
}
apply_0() { refuse; }
##### set MTU 9000 on the link to nas
# 0. set MTU 9000 on the link to nas
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_0() { mtu_is 9000 ahostsv4 nas; }
apply_0() { set_mtu 9000 /var/lib/seatrial/made/small/before ahostsv4 nas; }
##### enable the mount of /mnt/small at boot
# 0. enable the mount of /mnt/small at boot
check_0() { fstab_has nas:/srv/small /mnt/small nfs vers=4.2,proto=tcp,hard,noatime,_netdev; }
apply_0() { put_fstab_line nas:/srv/small /mnt/small nfs vers=4.2,proto=tcp,hard,noatime,_netdev; }
##### mount nas:/srv/small at /mnt/small with vers=4.2,proto=tcp,hard,noatime
# 0. mount nas:/srv/small at /mnt/small with vers=4.2,proto=tcp,hard,noatime
check_0() {
    mount_is /mnt/small 'nas:/srv/small vers=4.2,proto=tcp,hard,noatime' /run/seatrial-small.mount
}
apply_0() {
    put_mount /mnt/small mount -t nfs -o vers=4.2,proto=tcp,hard,noatime nas:/srv/small /mnt/small
    note_mount /mnt/small 'nas:/srv/small vers=4.2,proto=tcp,hard,noatime' /run/seatrial-small.mount
}
##### write /usr/local/sbin/seatrial-small-network (3)
# 0. write /usr/local/sbin/seatrial-small-network
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# What small has set on this node, after a boot.
# (sh/: link_to)
# (sh/: mtu_is)
# (sh/: set_mtu)
# (sh/: set_mtu_of)
bad=0
# set MTU 9000 on the link to nas
if ! (
mtu_is 9000 ahostsv4 nas
) >/dev/null 2>&1; then
(
set -e
set_mtu 9000 /var/lib/seatrial/made/small/before ahostsv4 nas
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-small-network; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-small-network 755
    restart_if_active seatrial-small-network
}
##### refuse volumes of another owner on /dev/ubdb (2)
# 0. refuse volumes of another owner on /dev/ubdb
check_0() {
    set +e
    only_own_volumes /var/lib/seatrial/made/small/volumes '' /dev/ubdb
}
apply_0() { refuse; }
##### restore the read-ahead of /dev/ubdb
# 0. restore the read-ahead of /dev/ubdb
check_0() { [ ! -e /run/seatrial-small.filesystem-readahead ]; }
apply_0() {
    if read -r ahead </run/seatrial-small.filesystem-readahead; then echo $ahead >/sys/class/bdi/$(mountpoint -d /srv/small)/read_ahead_kb; fi
    rm /run/seatrial-small.filesystem-readahead
}
##### store the UUIDs of created volumes (2)
# 0. store the UUIDs of created volumes
check_0() { volumes_are_noted /var/lib/seatrial/made/small/volumes /dev/ubdb; }
apply_0() { note_volumes /var/lib/seatrial/made/small/volumes /dev/ubdb; }
##### refuse a disk that is used twice (4)
# 0. refuse a disk that is used twice
check_0() {
    set +e
    look_twice /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg
}
apply_0() { refuse; }
##### refuse disks that are in use: create array small-s0, small-s1: RAID 5
# 0. refuse disks that are in use: create array small-s0, small-s1: RAID 5
check_0() {
    set +e
    (
    md_is small-s0 5 3 65536 &&
    md_is small-s1 5 3 65536
    ) >/dev/null 2>&1 && is_deployed small /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg && exit 0
    look_disks small 'any:small-s0 any:small-s1' '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg
}
apply_0() { refuse; }
##### refuse volumes of another owner on /dev/md/small-s0, /dev/md/small-s1
# 0. refuse volumes of another owner on /dev/md/small-s0, /dev/md/small-s1
check_0() {
    set +e
    only_own_volumes /var/lib/seatrial/made/small/volumes '' /dev/md/small-s0 /dev/md/small-s1
}
apply_0() { refuse; }
##### assemble the existing array small-s0, small-s1
# 0. assemble the existing array small-s0, small-s1
check_0() {
    ! { md_is_idle small-s0 /dev/ubdb ||
    md_is_idle small-s1 /dev/ubde; }
}
apply_0() {
    assemble_md small-s0 /dev/ubdb /dev/ubdc /dev/ubdd
    assemble_md small-s1 /dev/ubde /dev/ubdf /dev/ubdg
    settle_md small-s0 small-s1
}
##### create array small-s0, small-s1: RAID 5
# 0. create array small-s0, small-s1: RAID 5
#    why: the new devices hold zeros, so parity is consistent without an initial resync
check_0() {
    md_is small-s0 5 3 65536 &&
    md_is small-s1 5 3 65536
}
guard_0() {
    all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg
}
apply_0() {
    modprobe raid456 || true
    pids=
    mdadm --create /dev/md/small-s0 --run --metadata=1.2 --homehost=any --name=small-s0 --level=5 \
        --raid-devices=3 --chunk=64 --assume-clean /dev/ubdb /dev/ubdc /dev/ubdd & pids="$pids $!"
    mdadm --create /dev/md/small-s1 --run --metadata=1.2 --homehost=any --name=small-s1 --level=5 \
        --raid-devices=3 --chunk=64 --assume-clean /dev/ubde /dev/ubdf /dev/ubdg & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    settle_md small-s0 small-s1
}
##### refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg
# 0. refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg
check_0() {
    set +e
    only_own_volumes /var/lib/seatrial/made/small/volumes '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg
}
apply_0() { refuse; }
##### assemble the existing array small
# 0. assemble the existing array small
check_0() { ! { md_is_idle small /dev/md/small-s0; }; }
apply_0() {
    assemble_md small /dev/md/small-s0 /dev/md/small-s1
    settle_md small
}
##### create array small: RAID 0
# 0. create array small: RAID 0
#    why: an upper chunk is a full stripe of a span: large writes need no read-modify-write
check_0() { md_is small 0 2 131072; }
guard_0() {
    all_must_be_blank /dev/md/small-s0 /dev/md/small-s1
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/md/small-s0 /dev/md/small-s1
}
apply_0() {
    modprobe raid0 || true
    pids=
    mdadm --create /dev/md/small --run --metadata=1.2 --homehost=any --name=small --level=0 \
        --raid-devices=2 --chunk=128 /dev/md/small-s0 /dev/md/small-s1 & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    settle_md small
}
##### enable the assembly of the array at boot (3)
# 0. enable the assembly of the array at boot
content_0() { cat <<'SEATRIAL'
ARRAY /dev/md/small-s0 metadata=1.2 name=any:small-s0
ARRAY /dev/md/small-s1 metadata=1.2 name=any:small-s1
ARRAY /dev/md/small metadata=1.2 name=any:small
SEATRIAL
}
check_0() { content | file_is /etc/mdadm/mdadm.conf.d/seatrial-small.conf; }
apply_0() { content | write_file /etc/mdadm/mdadm.conf.d/seatrial-small.conf; }
##### create the ext4 file system on /dev/md/small
# 0. create the ext4 file system on /dev/md/small
#    why: the file system aligns allocation to the stripe (256KiB); all tables are written now, not during load
check_0() {
    [ "$(blkid -p -o value -s LABEL /dev/md/small)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/md/small)" = ext4 ]
}
guard_0() {
    all_must_be_blank /dev/md/small
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/md/small
}
apply_0() {
    mkfs.ext4 -q -b 4096 -L st-small -E lazy_itable_init=0,lazy_journal_init=0,stride=16,stripe_width=64 /dev/md/small
}
##### store the UUIDs of created volumes (3)
# 0. store the UUIDs of created volumes
check_0() {
    volumes_are_noted /var/lib/seatrial/made/small/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/md/small-s0 /dev/md/small-s1 /dev/md/small
}
apply_0() {
    note_volumes /var/lib/seatrial/made/small/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/md/small-s0 /dev/md/small-s1 /dev/md/small
}
##### remove the boot-time settings of network and mounts (3)
# 0. remove the boot-time settings of network and mounts
check_0() {
    no_file /etc/systemd/system/seatrial-small-network.service /usr/local/sbin/seatrial-small-network /etc/systemd/system/seatrial-small-mounts.service /usr/local/sbin/seatrial-small-mounts
}
apply_0() {
    remove_unit seatrial-small-network /etc/systemd/system/seatrial-small-network.service
    rm -f /usr/local/sbin/seatrial-small-network
    remove_unit seatrial-small-mounts /etc/systemd/system/seatrial-small-mounts.service
    rm -f /usr/local/sbin/seatrial-small-mounts
}
##### unmount /mnt/small
# 0. unmount /mnt/small
check_0() { is_unmounted /mnt/small; }
apply_0() { remove_mount /mnt/small; }
##### disable the mount of /mnt/small at boot
# 0. disable the mount of /mnt/small at boot
check_0() { no_fstab_line /mnt/small; }
apply_0() { remove_fstab_line /mnt/small; }
##### remove /run/seatrial-small.mount
# 0. remove /run/seatrial-small.mount
check_0() { no_file /run/seatrial-small.mount; }
apply_0() { rm -f /run/seatrial-small.mount; }
##### unmount /srv/small
# 0. unmount /srv/small
check_0() { is_unmounted /srv/small; }
apply_0() { remove_mount /srv/small; }
##### disable the mount of /srv/small at boot
# 0. disable the mount of /srv/small at boot
check_0() { no_fstab_line /srv/small; }
apply_0() { remove_fstab_line /srv/small; }
##### remove /run/seatrial-small.filesystem
# 0. remove /run/seatrial-small.filesystem
check_0() { no_file /run/seatrial-small.filesystem; }
apply_0() { rm -f /run/seatrial-small.filesystem; }
##### remove /run/seatrial-small.filesystem-readahead
# 0. remove /run/seatrial-small.filesystem-readahead
check_0() { no_file /run/seatrial-small.filesystem-readahead; }
apply_0() { rm -f /run/seatrial-small.filesystem-readahead; }
##### stop array small
# 0. stop array small
check_0() { [ ! -e /dev/md/small ]; }
apply_0() {
    mdadm --stop /dev/md/small
    udevadm settle --timeout=120
    rm -f /dev/md/small
}
##### stop array small-s1
# 0. stop array small-s1
check_0() { [ ! -e /dev/md/small-s1 ]; }
apply_0() {
    mdadm --stop /dev/md/small-s1
    udevadm settle --timeout=120
    rm -f /dev/md/small-s1
}
##### stop array small-s0
# 0. stop array small-s0
check_0() { [ ! -e /dev/md/small-s0 ]; }
apply_0() {
    mdadm --stop /dev/md/small-s0
    udevadm settle --timeout=120
    rm -f /dev/md/small-s0
}
##### remove /etc/mdadm/mdadm.conf.d/seatrial-small.conf
# 0. remove /etc/mdadm/mdadm.conf.d/seatrial-small.conf
check_0() { no_file /etc/mdadm/mdadm.conf.d/seatrial-small.conf; }
apply_0() { rm -f /etc/mdadm/mdadm.conf.d/seatrial-small.conf; }
##### restore the MTU of links (2)
# 0. restore the MTU of links
check_0() { mtus_are_restored /var/lib/seatrial/made/small/before; }
apply_0() { restore_mtus /var/lib/seatrial/made/small/before; }
##### remove the mark of small
# 0. remove the mark of small
check_0() { [ ! -e /var/lib/seatrial/made/small/mark ]; }
apply_0() { rm /var/lib/seatrial/made/small/mark; }
##### remove the mark of small (2)
# 0. remove the mark of small
check_0() {
    [ ! -e /var/lib/seatrial/made/small/mark ] && [ ! -e /var/lib/seatrial/made/small/left ]
}
apply_0() {
    rm -f /var/lib/seatrial/made/small/mark /var/lib/seatrial/made/small/left
    rmdir /var/lib/seatrial/made/small 2>/dev/null || true
}
##### refuse symbolic links (5)
# 0. refuse symbolic links
check_0() {
    set +e
    no_planted nss-ha
}
apply_0() { refuse; }
##### refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha
# 0. refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha
check_0() {
    set +e
    no_other_sessions nss-ha iqn.2026-01.org.seatrial:nss-ha
}
apply_0() { refuse; }
##### refuse other multipath devices: nss-ha
# 0. refuse other multipath devices: nss-ha
check_0() {
    set +e
    no_other_maps nss-ha nss-ha
}
apply_0() { refuse; }
##### refuse other NFS exports: /srv/nss-ha
# 0. refuse other NFS exports: /srv/nss-ha
check_0() {
    set +e
    no_other_exports nss-ha /srv/nss-ha
}
apply_0() { refuse; }
##### refuse another cluster: nss-ha
# 0. refuse another cluster: nss-ha
check_0() {
    set +e
    no_other_cluster nss-ha nss-ha
}
apply_0() { refuse; }
##### refuse an occupied mount point: /mnt/nss-ha/data-v3
# 0. refuse an occupied mount point: /mnt/nss-ha/data-v3
check_0() {
    set +e
    no_other_mount nss-ha /mnt/nss-ha/data-v3
}
apply_0() { refuse; }
##### refuse an occupied mount point: /mnt/nss-ha/data-v4.2
# 0. refuse an occupied mount point: /mnt/nss-ha/data-v4.2
check_0() {
    set +e
    no_other_mount nss-ha /mnt/nss-ha/data-v4.2
}
apply_0() { refuse; }
##### refuse another cluster (4)
# 0. refuse another cluster
check_0() {
    set +e
    no_other_cluster nss-ha nss-ha
}
apply_0() { refuse; }
##### refuse other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha
# 0. refuse other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha
check_0() {
    set +e
    no_other_targets nss-ha iqn.2026-01.org.seatrial:nss-ha
}
apply_0() { refuse; }
##### refuse a disk that is used twice (5)
# 0. refuse a disk that is used twice
check_0() {
    set +e
    look_twice /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
}
apply_0() { refuse; }
##### refuse disks that are in use: create array nss-ha: RAID 6
# 0. refuse disks that are in use: create array nss-ha: RAID 6
check_0() {
    set +e
    (
    md_is nss-ha 6 12 65536
    ) >/dev/null 2>&1 && is_deployed nss-ha /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm && exit 0
    look_disks nss-ha any:nss-ha '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
}
apply_0() { refuse; }
##### mark this node for nss-ha
# 0. mark this node for nss-ha
check_0() { [ -e /var/lib/seatrial/made/nss-ha/mark ]; }
apply_0() {
    umask 077
    mkdir -p /var/lib/seatrial/made/nss-ha
    chmod 700 /var/lib/seatrial/made /var/lib/seatrial/made/nss-ha
    : >/var/lib/seatrial/made/nss-ha/left
    : >/var/lib/seatrial/made/nss-ha/mark
}
##### store the state of open-iscsi, iscsid, multipathd, nfs-server, proc-fs-nfsd.mount, corosync, pacemaker
# 0. store the state of open-iscsi, iscsid, multipathd, nfs-server, proc-fs-nfsd.mount, corosync, pacemaker
check_0() {
    units_are_kept /var/lib/seatrial/made/nss-ha/before/units open-iscsi.service iscsid.service multipathd.service nfs-server.service proc-fs-nfsd.mount corosync.service pacemaker.service
}
apply_0() {
    keep_units /var/lib/seatrial/made/nss-ha/before/units open-iscsi.service iscsid.service multipathd.service nfs-server.service proc-fs-nfsd.mount corosync.service pacemaker.service
}
##### store the state of tgt (2)
# 0. store the state of tgt
check_0() { units_are_kept /var/lib/seatrial/made/nss-ha/before/units tgt.service; }
apply_0() { keep_units /var/lib/seatrial/made/nss-ha/before/units tgt.service; }
##### install corosync, crm_mon, pacemakerd, vgchange, mkfs.xfs, exportfs, fence_ipmilan, flock
# 0. install corosync, crm_mon, pacemakerd, vgchange, mkfs.xfs, exportfs, fence_ipmilan, flock
check_0() {
    have_commands corosync crm_mon pacemakerd vgchange mkfs.xfs exportfs fence_ipmilan flock
}
apply_0() {
    note_installed /var/lib/seatrial/made/nss-ha/packages
    install_packages 'corosync fence-agents lvm2 nfs-kernel-server pacemaker pacemaker-cli-utils util-linux xfsprogs' 'corosync fence-agents lvm2 nfs-utils pacemaker pacemaker-cli-utils util-linux xfsprogs'
}
##### install mount.nfs (2)
# 0. install mount.nfs
check_0() { have_commands mount.nfs; }
apply_0() {
    note_installed /var/lib/seatrial/made/nss-ha/packages
    install_packages nfs-common nfs-utils
}
##### assemble the existing array nss-ha
# 0. assemble the existing array nss-ha
check_0() { ! { md_is_idle nss-ha /dev/ubdb; }; }
apply_0() {
    assemble_md nss-ha /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
    settle_md nss-ha
}
##### create array nss-ha: RAID 6
# 0. create array nss-ha: RAID 6
#    why: the new devices hold zeros, so parity is consistent without an initial resync
check_0() { md_is nss-ha 6 12 65536; }
guard_0() {
    all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
    expect_volumes /var/lib/seatrial/made/nss-ha/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
}
apply_0() {
    modprobe raid456 || true
    pids=
    mdadm --create /dev/md/nss-ha --run --metadata=1.2 --homehost=any --name=nss-ha --level=6 \
        --raid-devices=12 --chunk=64 --assume-clean /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    settle_md nss-ha
}
##### refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi, /dev/ubdj, /dev/ubdk, /dev/ubdl, /dev/ubdm
# 0. refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi, /dev/ubdj, /dev/ubdk, /dev/ubdl, /dev/ubdm
check_0() {
    set +e
    only_own_volumes /var/lib/seatrial/made/nss-ha/volumes '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
}
apply_0() { refuse; }
##### enable the assembly of the array at boot (4)
# 0. enable the assembly of the array at boot
content_0() { cat <<'SEATRIAL'
ARRAY /dev/md/nss-ha metadata=1.2 name=any:nss-ha
SYSFS name=/dev/md/nss-ha sync_speed_min=952 sync_speed_max=952
SEATRIAL
}
check_0() { content | file_is /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf; }
apply_0() { content | write_file /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf; }
##### set the rebuild rate of nss-ha to 952 KiB/s per disk
# 0. set the rebuild rate of nss-ha to 952 KiB/s per disk
#    why: md uses seemingly idle disks, and a disk with queued requests seems idle: clients would wait for the rebuild
check_0() {
    set_=$(readlink -f /dev/md/nss-ha); set_=/sys/block/${set_##*/}/md/sync_speed_
    [ -e "${set_}max" ] && read -r speed _ <"${set_}min" && [ "$speed" = 952 ] && read -r speed _ <"${set_}max" && [ "$speed" = 952 ]
}
apply_0() {
    set_=$(readlink -f /dev/md/nss-ha); set_=/sys/block/${set_##*/}/md/sync_speed_
    echo 952 >"${set_}max"
    echo 952 >"${set_}min"
}
##### install tgtd, mdadm
# 0. install tgtd, mdadm
check_0() { have_commands tgtd mdadm; }
apply_0() {
    note_installed /var/lib/seatrial/made/nss-ha/packages
    install_packages 'mdadm tgt' 'mdadm tgt'
}
##### store the iSCSI secret, readable by root only (2)
# 0. store the iSCSI secret, readable by root only
#    why: otherwise any host on the storage network could read and write the volumes
content_0() { cat <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
check_0() { content | file_is /var/lib/seatrial/made/nss-ha/iscsi-chap; }
apply_0() { content | write_file /var/lib/seatrial/made/nss-ha/iscsi-chap 600; }
##### configure 1 target and the permitted initiators
# 0. configure 1 target and the permitted initiators
content_0() { cat <<'SEATRIAL'
account nss-ha /var/lib/seatrial/made/nss-ha/iscsi-chap
target 1 iqn.2026-01.org.seatrial:nss-ha
lun 1 1 /dev/md/nss-ha b71beb55410ab018 ARRAY
asks 1 nss-ha
initiator 1 iqn.2026-01.org.seatrial:nss-ha.srv1
initiator 1 iqn.2026-01.org.seatrial:nss-ha.srv2
portal array-storage-a 3260
portal array-storage-b 3260
SEATRIAL
}
check_0() { content | file_is /etc/tgt/seatrial-nss-ha.targets; }
apply_0() { content | write_file /etc/tgt/seatrial-nss-ha.targets; }
##### start the iSCSI target after the array at boot (2)
# 0. start the iSCSI target after the array at boot
#    why: a target that starts before its array offers nothing; a login cut off by an incomplete target may never be recovered by iscsid (open-iscsi, issue 387)
content_0() { cat <<'SEATRIAL'
[Unit]
Wants=dev-md-nss\x2dha.device
After=dev-md-nss\x2dha.device
[Service]
ExecStart=
ExecStart=/usr/sbin/tgtd -f --iscsi portal=127.0.0.1:3260
ExecStartPost=/usr/local/sbin/seatrial-targets /etc/tgt/seatrial-nss-ha.targets start
TimeoutStartSec=180
SEATRIAL
}
check_0() { content | file_is /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf; }
apply_0() {
    content | write_file /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf
    reread_unit tgt.service
    ! systemctl -q is-active tgt || [ -n "$(tgtadm --lld iscsi --mode target --op show)" ] || systemctl stop tgt
}
##### start the iSCSI target (2)
# 0. start the iSCSI target
check_0() {
    systemctl -q is-active tgt && systemctl -q is-enabled tgt && /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-nss-ha.targets check
}
apply_0() {
    systemctl -q is-enabled tgt || systemctl -q --no-reload enable tgt
    systemctl start tgt
    /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-nss-ha.targets
}
##### install iscsiadm, multipath
# 0. install iscsiadm, multipath
check_0() { have_commands iscsiadm multipath; }
apply_0() {
    note_installed /var/lib/seatrial/made/nss-ha/packages
    install_packages 'multipath-tools open-iscsi' 'multipath-tools open-iscsi'
}
##### write /etc/iscsi/initiatorname.iscsi (7)
# 0. write /etc/iscsi/initiatorname.iscsi
content_0() { cat <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:nss-ha.srv1
SEATRIAL
}
check_0() { content | file_is /etc/iscsi/initiatorname.iscsi; }
apply_0() {
    back_up_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi
    content | write_file /etc/iscsi/initiatorname.iscsi '' /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi
}
##### write /etc/modules-load.d/seatrial-storage.conf (2)
# 0. write /etc/modules-load.d/seatrial-storage.conf
content_0() { cat <<'SEATRIAL'
iscsi_tcp
sd_mod
dm_multipath
dm_round_robin
scsi_dh_alua
SEATRIAL
}
check_0() { content | file_is /etc/modules-load.d/seatrial-storage.conf; }
apply_0() {
    content | write_file /etc/modules-load.d/seatrial-storage.conf
    for module in iscsi_tcp sd_mod dm_multipath dm_round_robin scsi_dh_alua; do modprobe $module || true; done
}
##### discover 1 iSCSI target at array-storage-a array-storage-b
# 0. discover 1 iSCSI target at array-storage-a array-storage-b
check_0() { iscsi_known /etc/iscsi/seatrial-nss-ha 2 iqn.2026-01.org.seatrial:nss-ha; }
apply_0() {
    systemctl start iscsid
    for target in iqn.2026-01.org.seatrial:nss-ha; do
        rm -rf /etc/iscsi/nodes/$target /var/lib/iscsi/nodes/$target
        for portal in array-storage-a array-storage-b; do iscsiadm -m node -T $target -p $portal:3260 -o new; done
    done
    iscsi_set /etc/iscsi/seatrial-nss-ha iqn.2026-01.org.seatrial:nss-ha
}
##### log in to 2 iSCSI sessions and enable them at boot
# 0. log in to 2 iSCSI sessions and enable them at boot
check_0() {
    units_are active iscsid multipathd && units_are enabled open-iscsi &&
    iscsi_sessions 2 iqn.2026-01.org.seatrial:nss-ha &&
    [ -b /dev/mapper/nss-ha-data ]
}
apply_0() {
    systemctl -q --no-reload enable open-iscsi iscsid multipathd
    systemctl start iscsid multipathd
    iscsi_login 2 iqn.2026-01.org.seatrial:nss-ha
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/mapper/nss-ha-data ]; do again 30 'the disks of the sessions'; done
}
##### install the monitor for stuck iSCSI sessions
# 0. install the monitor for stuck iSCSI sessions
#    why: iscsid up to 2.1.11 never recovers from a login that was cut off (issue 387)
content_0() { cat <<'SEATRIAL'
#!/bin/bash
# Restarts iscsid if a session of this array has been down for 10 s although its portal
# accepts connections.
exec {never}<> <(:)
declare -A down
while true; do
    read -r -t 2 -u "$never"
    for connection in /sys/class/iscsi_connection/connection*; do
        session=session${connection##*/connection}
        session=${session%%:*}
        {
            read -r target <"/sys/class/iscsi_session/$session/targetname" && [[ $target = iqn.2026-01.org.seatrial:nss-ha ]] &&
                read -r state <"/sys/class/iscsi_session/$session/state"
        } 2>/dev/null || continue
        if [ "$state" = LOGGED_IN ]; then
            down[$session]=0
            continue
        fi
        {
            read -r address <"$connection/persistent_address"
            read -r port <"$connection/persistent_port"
            # A session to an unreachable portal is not stuck.
            true <>"/dev/tcp/$address/$port" || down[$session]=-2
        } 2>/dev/null
        down[$session]=$((${down[$session]:-0} + 2))
        if [ "${down[$session]}" -ge 10 ]; then
            echo "seatrial-stuck-sessions: iscsid no longer logs in at $address; it is restarted"
            systemctl restart iscsid
            down=()
            read -r -t 10 -u "$never"
            break
        fi
    done
done
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-stuck-sessions; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-stuck-sessions 755
    restart_if_active seatrial-stuck-sessions
}
##### write /etc/iscsi/initiatorname.iscsi (8)
# 0. write /etc/iscsi/initiatorname.iscsi
content_0() { cat <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:nss-ha.srv2
SEATRIAL
}
check_0() { content | file_is /etc/iscsi/initiatorname.iscsi; }
apply_0() {
    back_up_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi
    content | write_file /etc/iscsi/initiatorname.iscsi '' /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi
}
##### set the LVM system ID to the server name
# 0. set the LVM system ID to the server name
#    why: a group has the name of one server (system id): the other refuses it until the cluster, after a stop or fencing, renames it
check_0() { lvmconfig --type full global/system_id_source | grep -q '"uname"'; }
apply_0() {
    set_line /etc/lvm/lvm.conf /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf system_id_source '"uname"'
}
##### add the LUNs to LVM's device list
# 0. add the LUNs to LVM's device list
check_0() {
    [ ! -e /etc/lvm/devices/system.devices ] || { grep -q '/dev/mapper/nss-ha-data' /etc/lvm/devices/system.devices; }
}
apply_0() {
    lvmdevices --devices /dev/mapper/nss-ha-data >/dev/null 2>&1 || lvmdevices -y --adddev /dev/mapper/nss-ha-data
}
##### add the host name nss-ha-data for 10.10.200.1
# 0. add the host name nss-ha-data for 10.10.200.1
#    why: NFSv3 clients get notifications by the name of the address, which must resolve
check_0() { grep -qxF '10.10.200.1 nss-ha-data' /etc/hosts; }
apply_0() {
    sed -i '/ nss-ha-data$/d' /etc/hosts
    echo '10.10.200.1 nss-ha-data' >>/etc/hosts
}
##### disable NFS delegations (2)
# 0. disable NFS delegations
#    why: a restarted server of Linux 7.2 grants one to the first client that reclaims a file; other clients cannot reclaim it in the grace period, and lose their locks
check_0() {
    [ -s /var/lib/seatrial/made/nss-ha/before/leases-enable ] && [ "$(cat /proc/sys/fs/leases-enable)" = 0 ]
}
apply_0() {
    (
        umask 077
        mkdir -p /var/lib/seatrial/made/nss-ha/before
        [ -s /var/lib/seatrial/made/nss-ha/before/leases-enable ] || { cat /var/lib/seatrial/made/*/before/leases-enable /proc/sys/fs/leases-enable 2>/dev/null | head -n 1 >/var/lib/seatrial/made/nss-ha/before/leases-enable.new && mv /var/lib/seatrial/made/nss-ha/before/leases-enable.new /var/lib/seatrial/made/nss-ha/before/leases-enable; }
    )
    echo 0 >/proc/sys/fs/leases-enable
}
##### disable the NFS service outside the cluster
# 0. disable the NFS service outside the cluster
check_0() { ! systemctl -q is-enabled nfs-server; }
apply_0() {
    systemctl -q --no-reload disable nfs-server
    systemctl stop nfs-server
}
##### load nfsd at boot
# 0. load nfsd at boot
#    why: loading it during a takeover would take too long
check_0() {
    [ -e /etc/systemd/system/multi-user.target.wants/proc-fs-nfsd.mount ] && systemctl -q is-active proc-fs-nfsd.mount
}
apply_0() {
    systemctl -q --no-reload add-wants multi-user.target proc-fs-nfsd.mount
    systemctl start proc-fs-nfsd.mount
}
##### stop the NFSv4 client tracker with the server
# 0. stop the NFSv4 client tracker with the server
#    why: with an init script, as in Debian, the agent nfsserver leaves it running: /var/lib/nfs stays busy, the stop fails, and a planned move ends in fencing
content_0() { cat <<'SEATRIAL'
[Unit]
PartOf=nfs-server.service
SEATRIAL
}
check_0() { content | file_is /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf; }
apply_0() {
    content | write_file /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf
    reread_unit nfsdcld.service
}
##### leave NFSv3 restart notifications to the cluster
# 0. leave NFSv3 restart notifications to the cluster
#    why: nfs-server starts it after each boot, before the service has its address
content_0() { cat <<'SEATRIAL'
[Service]
ExecCondition=/bin/false
SEATRIAL
}
check_0() {
    content | file_is /etc/systemd/system/rpc-statd-notify.service.d/seatrial-nss-ha.conf
}
apply_0() {
    content | write_file /etc/systemd/system/rpc-statd-notify.service.d/seatrial-nss-ha.conf
    reread_unit rpc-statd-notify.service
}
##### create the directory /srv/nss-ha/data
# 0. create the directory /srv/nss-ha/data
check_0() { [ -d /srv/nss-ha/data ]; }
apply_0() { mkdir -p /srv/nss-ha/data; }
##### install the self-fencing watchdog
# 0. install the self-fencing watchdog
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# Reboots this server at once, without writing anything back, if a service could not be stopped for
# 300 s. During maintenance of the cluster, a server or a resource, the administrator may stop
# daemons while services run, and an unmount may take long.
maintained() {
    grep -Eq 'name="maintenance(-mode)?"[^>]*value="(true|yes|on|1)"' /var/lib/pacemaker/cib/cib.xml 2>/dev/null
}
# Seconds since the mount was first seen without pacemaker. One check takes a while, and can see
# only a part of a service that is just being stopped.
alone=-5
while sleep 5; do
    alone=$((alone + 5))
    { grep -q ' /srv/nss-ha/data ' /proc/mounts; } && ! pidof pacemakerd >/dev/null && ! maintained || alone=-5
    [ $alone -ge 300 ] || pgrep --euid 0 --older 300 --full '^((/bin/)?umount (-[a-z]+ )*(/srv/nss-ha/data)|(/usr/sbin/)?rpc.nfsd 0|(/[a-z/]*sbin/)?(lvm )?vgchange .*-an .*(st-data)|([^ ]+ )?/usr/lib/ocf/resource[.]d/[^ ]+ stop)$' >/dev/null || continue
    if ! maintained; then
        echo "seatrial-self-fencing: a service could not be stopped for 300 s" >/dev/kmsg
        echo b >/proc/sysrq-trigger
    fi
done
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-self-fencing; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-self-fencing 755
    restart_if_active seatrial-self-fencing
}
##### write /etc/systemd/system/seatrial-self-fencing.service
# 0. write /etc/systemd/system/seatrial-self-fencing.service
content_0() { cat <<'SEATRIAL'
[Unit]
Description=reboot when a service cannot be stopped
[Service]
ExecStart=/usr/local/sbin/seatrial-self-fencing
Restart=always
OOMScoreAdjust=-1000
[Install]
WantedBy=multi-user.target
SEATRIAL
}
check_0() { content | file_is /etc/systemd/system/seatrial-self-fencing.service; }
apply_0() {
    content | write_file /etc/systemd/system/seatrial-self-fencing.service
    reread_unit seatrial-self-fencing.service
    restart_if_active seatrial-self-fencing
}
##### start the self-fencing watchdog with a limit of 300 s
# 0. start the self-fencing watchdog with a limit of 300 s
#    why: a server that hangs in a stop and that its peer cannot fence hangs for ever
check_0() { unit_runs seatrial-self-fencing; }
apply_0() { start_unit seatrial-self-fencing; }
##### store the corosync key, readable by root only (2)
# 0. store the corosync key, readable by root only
content_0() { cat <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
check_0() { content | file_is /var/lib/seatrial/made/nss-ha/corosync-key; }
apply_0() { content | write_file /var/lib/seatrial/made/nss-ha/corosync-key 600; }
##### enable encryption of corosync (2)
# 0. enable encryption of corosync
#    why: otherwise any host on the network could join the cluster and have members fenced
content_0() { cat <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
check_0() { content | file_is /etc/corosync/authkey; }
apply_0() {
    back_up_file /etc/corosync/authkey /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey
    content | write_file /etc/corosync/authkey 400 /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey
}
##### create the volume group st-data and an XFS file system on /dev/mapper/nss-ha-data
# 0. create the volume group st-data and an XFS file system on /dev/mapper/nss-ha-data
#    why: created on one server and released: from now on only the cluster activates it
check_0() { vgs --foreign --noheadings -o tags st-data 2>/dev/null | grep -q seatrial-made; }
apply_0() {
    must_be_blank /dev/mapper/nss-ha-data
    vgcreate -q -y --setautoactivation n st-data /dev/mapper/nss-ha-data
    lvcreate -q -y -W n -n data -l 100%FREE st-data
    mkfs.xfs -q -L st-data /dev/st-data/data
    mkdir -p /run/seatrial-st-data
    mount -t xfs /dev/st-data/data /run/seatrial-st-data
    mkdir /run/seatrial-st-data/export && chmod 1777 /run/seatrial-st-data/export
    cp -a /var/lib/nfs /run/seatrial-st-data/nfs-state
    mkdir -p /run/seatrial-st-data/nfs-state/nfsdcld
    [ -e /run/seatrial-st-data/nfs-state/statd ] || ln -s . /run/seatrial-st-data/nfs-state/statd
    umount /run/seatrial-st-data
    rmdir /run/seatrial-st-data
    vgchange -q -an st-data
    vgchange -q --addtag seatrial-made st-data
}
##### join the cluster and enable it at boot (2)
# 0. join the cluster and enable it at boot
check_0() {
    units_are active corosync pacemaker && units_are enabled corosync pacemaker &&
    crm_node -q >/dev/null
}
apply_0() {
    systemctl -q --no-reload enable corosync pacemaker
    systemctl start corosync pacemaker
    tries=0
    until crm_node -q >/dev/null 2>&1; do again 60 'the cluster manager'; done
}
##### wait for all members (2)
# 0. wait for all members
check_0() { crm_node -l | grep -q ' srv1 member' && crm_node -l | grep -q ' srv2 member'; }
apply_0() {
    tries=0
    until crm_node -l | grep -q ' srv1 member' && crm_node -l | grep -q ' srv2 member'; do again 60 'all members'; done
}
##### start data
# 0. start data
check_0() { crm_resource --resource data --locate 2>/dev/null | grep -q ' on: '; }
apply_0() {
    tries=0
    until crm_resource --resource data --locate 2>/dev/null | grep -q ' on: '; do again 120 'data to be started'; done
}
##### enable the mount of /mnt/nss-ha/data-v3 at boot
# 0. enable the mount of /mnt/nss-ha/data-v3 at boot
check_0() {
    fstab_has 10.10.200.1:/srv/nss-ha/data/export /mnt/nss-ha/data-v3 nfs vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail
}
apply_0() {
    put_fstab_line 10.10.200.1:/srv/nss-ha/data/export /mnt/nss-ha/data-v3 nfs vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail
}
##### enable the mount of /mnt/nss-ha/data-v4.2 at boot
# 0. enable the mount of /mnt/nss-ha/data-v4.2 at boot
check_0() {
    fstab_has 10.10.200.1:/srv/nss-ha/data/export /mnt/nss-ha/data-v4.2 nfs vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail
}
apply_0() {
    put_fstab_line 10.10.200.1:/srv/nss-ha/data/export /mnt/nss-ha/data-v4.2 nfs vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail
}
##### mount 10.10.200.1:/srv/nss-ha/data/export at /mnt/nss-ha/data-v3 with vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5
# 0. mount 10.10.200.1:/srv/nss-ha/data/export at /mnt/nss-ha/data-v3 with vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5
check_0() {
    grep -q '^10.10.200.1:/srv/nss-ha/data/export /mnt/nss-ha/data-v3 nfs' /proc/mounts && read -r mounted </run/seatrial-mnt-nss-ha-data-v3.mount && [ "$mounted" = vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5 ]
}
apply_0() {
    ! grep -q ' /mnt/nss-ha/data-v3 ' /proc/mounts || umount /mnt/nss-ha/data-v3
    mkdir -p /mnt/nss-ha/data-v3
    mount -t nfs -o vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5 10.10.200.1:/srv/nss-ha/data/export /mnt/nss-ha/data-v3
    echo vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5 >/run/seatrial-mnt-nss-ha-data-v3.mount
}
##### mount 10.10.200.1:/srv/nss-ha/data/export at /mnt/nss-ha/data-v4.2 with vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5
# 0. mount 10.10.200.1:/srv/nss-ha/data/export at /mnt/nss-ha/data-v4.2 with vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5
check_0() {
    grep -q '^10.10.200.1:/srv/nss-ha/data/export /mnt/nss-ha/data-v4.2 nfs' /proc/mounts && read -r mounted </run/seatrial-mnt-nss-ha-data-v4.2.mount && [ "$mounted" = vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5 ]
}
apply_0() {
    ! grep -q ' /mnt/nss-ha/data-v4.2 ' /proc/mounts || umount /mnt/nss-ha/data-v4.2
    mkdir -p /mnt/nss-ha/data-v4.2
    mount -t nfs -o vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5 10.10.200.1:/srv/nss-ha/data/export /mnt/nss-ha/data-v4.2
    echo vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5 >/run/seatrial-mnt-nss-ha-data-v4.2.mount
}
##### write /usr/local/sbin/seatrial-nss-ha-network
# 0. write /usr/local/sbin/seatrial-nss-ha-network
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# What nss-ha has set on this node, after a boot.
bad=0
# disable NFS delegations
if ! (
[ -s /var/lib/seatrial/made/nss-ha/before/leases-enable ] && [ "$(cat /proc/sys/fs/leases-enable)" = 0 ]
) >/dev/null 2>&1; then
(
set -e
(
    umask 077
    mkdir -p /var/lib/seatrial/made/nss-ha/before
    [ -s /var/lib/seatrial/made/nss-ha/before/leases-enable ] || { cat /var/lib/seatrial/made/*/before/leases-enable /proc/sys/fs/leases-enable 2>/dev/null | head -n 1 >/var/lib/seatrial/made/nss-ha/before/leases-enable.new && mv /var/lib/seatrial/made/nss-ha/before/leases-enable.new /var/lib/seatrial/made/nss-ha/before/leases-enable; }
)
echo 0 >/proc/sys/fs/leases-enable
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-nss-ha-network; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-nss-ha-network 755
    restart_if_active seatrial-nss-ha-network
}
##### write /etc/systemd/system/seatrial-nss-ha-network.service
# 0. write /etc/systemd/system/seatrial-nss-ha-network.service
content_0() { cat <<'SEATRIAL'
[Unit]
Description=what nss-ha has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-nss-ha-network
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
}
check_0() {
    without_systemd || content | file_is /etc/systemd/system/seatrial-nss-ha-network.service
}
apply_0() {
    content | write_file /etc/systemd/system/seatrial-nss-ha-network.service
    reread_unit seatrial-nss-ha-network.service
    restart_if_active seatrial-nss-ha-network
}
##### install the boot-time settings of network (4)
# 0. install the boot-time settings of network
#    why: a fenced node must come back with the same settings
check_0() { without_systemd || unit_runs seatrial-nss-ha-network; }
apply_0() { start_unit seatrial-nss-ha-network; }
##### remove the boot-time settings of mounts (4)
# 0. remove the boot-time settings of mounts
check_0() {
    no_file /etc/systemd/system/seatrial-nss-ha-mounts.service /usr/local/sbin/seatrial-nss-ha-mounts
}
apply_0() {
    remove_unit seatrial-nss-ha-mounts /etc/systemd/system/seatrial-nss-ha-mounts.service
    rm -f /usr/local/sbin/seatrial-nss-ha-mounts
}
##### remove the boot-time settings of network and mounts (4)
# 0. remove the boot-time settings of network and mounts
check_0() {
    no_file /etc/systemd/system/seatrial-nss-ha-network.service /usr/local/sbin/seatrial-nss-ha-network /etc/systemd/system/seatrial-nss-ha-mounts.service /usr/local/sbin/seatrial-nss-ha-mounts
}
apply_0() {
    remove_unit seatrial-nss-ha-network /etc/systemd/system/seatrial-nss-ha-network.service
    rm -f /usr/local/sbin/seatrial-nss-ha-network
    remove_unit seatrial-nss-ha-mounts /etc/systemd/system/seatrial-nss-ha-mounts.service
    rm -f /usr/local/sbin/seatrial-nss-ha-mounts
}
##### store the UUIDs of created volumes (4)
# 0. store the UUIDs of created volumes
check_0() {
    volumes_are_noted /var/lib/seatrial/made/nss-ha/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
}
apply_0() {
    note_volumes /var/lib/seatrial/made/nss-ha/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
}
##### configure iSCSI sessions and their account (2)
# 0. configure iSCSI sessions and their account
content_0() { cat <<'SEATRIAL'
node.startup = automatic
node.session.auth.authmethod = CHAP
node.session.auth.username = nss-ha
node.session.auth.password = @generated:iscsi-chap@
node.session.timeo.replacement_timeout = 1
node.conn[0].timeo.noop_out_interval = 1
node.conn[0].timeo.noop_out_timeout = 1
node.session.initial_login_retry_max = 4
SEATRIAL
}
check_0() { content | file_is /etc/iscsi/seatrial-nss-ha; }
apply_0() { content | write_file /etc/iscsi/seatrial-nss-ha 600; }
##### set 10 s of NFSv4 lease and grace period, and fixed ports
# 0. set 10 s of NFSv4 lease and grace period, and fixed ports
#    why: after a takeover, clients may reclaim their locks for one grace period, and no new lock is granted. The cluster notifies NFSv3 clients, from the service's address. A notification by statd would have the server's own address, which they do not know
content_0() { cat <<'SEATRIAL'
[nfsd]
threads=16
lease-time=10
grace-time=10
vers3=y
vers4=y
[mountd]
port=20048
[statd]
no-notify=y
port=4001
[lockd]
port=4002
udp-port=4002
SEATRIAL
}
check_0() { content | file_is /etc/nfs.conf.d/seatrial-nss-ha.conf; }
apply_0() { content | write_file /etc/nfs.conf.d/seatrial-nss-ha.conf; }
##### set 10 s of grace period for the NFSv3 lock manager
# 0. set 10 s of grace period for the NFSv3 lock manager
#    why: its default of 50 s would also delay NFSv4's locks, as both must end
content_0() { cat <<'SEATRIAL'
options lockd nlm_grace_period=10 nlm_tcpport=4002 nlm_udpport=4002
SEATRIAL
}
check_0() { content | file_is /etc/modprobe.d/seatrial-lockd.conf; }
apply_0() {
    content | write_file /etc/modprobe.d/seatrial-lockd.conf
    modprobe lockd
    echo 10 >/proc/sys/fs/nfs/nlm_grace_period
}
##### install the lightweight resource agent
# 0. install the lightweight resource agent
#    why: one agent with few processes takes over sooner than the distribution's many
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# OCF resource agent ocf:seatrial:nfs-service: a whole NFS service (volume group, file system,
# state, exports, nfsd, address) as one resource. It starts few processes; the agents of the
# distribution start several hundred.
#
# Guarantees:
# - `stop` succeeds only when the file system is unmounted, and the volume group is inactive here.
# - `start` takes over the volume group of a peer. pacemaker calls it only when the peer has stopped
#   or was fenced.
# - A deep `monitor` (OCF_CHECK_LEVEL 10) reads the storage without any cache.
# Parameters come from pacemaker, lists of words are split on purpose, and dash has -ef:
# shellcheck disable=SC1091,SC2154,SC2086,SC3013
. "${OCF_ROOT:=/usr/lib/ocf}/lib/heartbeat/ocf-returncodes"
PATH=/usr/sbin:/usr/bin:/sbin:/bin
keys="volume device directory export clients options fsid address interface threads lease patience
pathless scope servers references namespace"
for key in $keys; do
    eval "$key=\$OCF_RESKEY_$key"
done
host=${address%/*}
# With `namespace`, nfsd, its daemons and the address are in a dedicated network namespace. Two
# services, each with its own clients, locks and grace period, can then run on one server. The
# network card of a namespace is called `service`.
namespaces=/run/nfs-service
own=$namespaces/$namespace
card=$interface
announcer=/run/nfs-service-announces.pid
# Outside a namespace, the system has its own rpcbind.
daemons="nfsdcld rpc.statd rpc.mountd${namespace:+ rpcbind}"
[ -z "$namespace" ] || card=service
state=$directory/nfs-state
# In /var/lib/nfs, the folder of the state.
holders=/var/lib/nfs/holders
for tickle in /usr/libexec/heartbeat/tickle_tcp /usr/lib/heartbeat/tickle_tcp; do
    [ ! -x $tickle ] || break
done

say() { echo "nfs-service: $*" >&2; }

# Clients wait while a service starts, and a process costs up to 0.1 s. These functions start none.
mounted() {
    while read -r _ where _; do [ "$where" != "$1" ] || return 0; done </proc/mounts
    return 1
}
# The state of the service is mounted at /var/lib/nfs. A server may have another file system there,
# which stays.
has_state() {
    while read -r from where _; do
        [ "$where" != /var/lib/nfs ] || [ ! "$from" -ef "$device" ] || return 0
    done </proc/mounts
    return 1
}
# find_processes NAME...: sets `found` to the processes with these names in this network namespace,
# and `names` to the names of the running ones. The kernel stores 15 characters of a name. All names
# are looked up in one pass, because a pass takes time.
find_processes() {
    found='' names=' '
    for process in /proc/[0-9]*; do
        { read -r comm <"$process/comm"; } 2>/dev/null || continue
        case " $* " in
        *" $comm "*)
            if [ "$process/ns/net" -ef /proc/self/ns/net ]; then
                found="$found ${process#/proc/}"
                names="$names$comm "
            fi
            ;;
        esac
    done
    [ -n "$found" ]
}
runs() { case $names in *" $1 "*) ;; *) return 1 ;; esac }
serving() {
    [ -e /proc/fs/nfsd/threads ] && read -r running </proc/fs/nfsd/threads && [ "$running" -gt 0 ]
}
has_address() { [ -n "$(ip -4 -o addr show dev "$card" to "$host/32")" ]; }
# daemon COMMAND...: starts a daemon that `find_processes` did not find; it detaches itself.
daemon() { runs "$1" || "$@"; }

# The volume group has the system ID of its last owner. For the takeover, LVM accepts the IDs of all
# servers. If a server has another name than in the cluster, one more process reads the owner.
activate() {
    owners=
    for server in $servers; do owners="$owners${owners:+,}\"$server\""; done
    take_over "$owners"
    [ -e "$device" ] && return
    owner=$(vgs --foreign --noheadings -o systemid "$volume" | tr -d ' ')
    take_over "\"$owner\""
    [ -e "$device" ]
}
take_over() {
    lvm >&2 <<EOF
vgchange -q -y --config 'local{extra_system_ids=[$1]}' --systemid $(uname -n) $volume
vgchange -q -ay $volume
EOF
}

# inside COMMAND: runs it in the namespace of the service, if it has one.
inside() {
    [ -n "$namespace" ] || { "$@"; return; }
    nsenter --net="/run/netns/$namespace" --mount="$own/mounts" "$0" "$@"
}
has_namespace() { [ -z "$namespace" ] || { [ -e "$own/mounts" ] && mounted "$own/mounts"; }; }

# A mount of the server also appears in the namespace; a mount of the namespace stays in it.
create_namespace() {
    has_namespace && return
    delete_namespace
    mkdir -p "$own"
    # Two services may start at the same time.
    flock $namespaces "$0" share_namespaces || return
    : >"$own/mounts"
    ip netns add "$namespace" || return
    ip link add link "$interface" name service netns "$namespace" type macvlan mode bridge || return
    nsenter --net="/run/netns/$namespace" unshare --mount="$own/mounts" --propagation slave \
        "$0" prepare_namespace
}
share_namespaces() {
    mounted $namespaces && return
    mount --bind $namespaces $namespaces && mount --make-private $namespaces
}
prepare_namespace() {
    ip link set lo up
    ip link set service up
    mount -t tmpfs tmpfs /run
    umount /proc/fs/nfsd 2>/dev/null
    mount -t nfsd nfsd /proc/fs/nfsd
}
delete_namespace() {
    [ ! -e "$own/mounts" ] || ! mounted "$own/mounts" || umount "$own/mounts"
    [ ! -e "/run/netns/$namespace" ] || ip netns del "$namespace"
}

start() {
    has_namespace && inside is_up && return "$OCF_SUCCESS"
    [ -e "$device" ] || activate || return "$OCF_ERR_GENERIC"
    mounted "$directory" || mount -t xfs -o "$options" "$device" "$directory" ||
        return "$OCF_ERR_GENERIC"
    [ -e /proc/fs/nfsd/threads ] || { modprobe nfsd; mount -t nfsd nfsd /proc/fs/nfsd; }
    create_namespace && inside serve || return "$OCF_ERR_GENERIC"
}
is_up() { serving && mounted "$directory" && has_address; }

serve() {
    if ! has_state; then
        [ -d "$state" ] || cp -a /var/lib/nfs "$state"
        mount --bind "$state" /var/lib/nfs || return "$OCF_ERR_GENERIC"
    fi
    known=$(connections_of_before)
    mounted /run/rpc_pipefs || {
        mkdir -p /run/rpc_pipefs
        mount -t rpc_pipefs rpc_pipefs /run/rpc_pipefs
    }
    [ -d /var/lib/nfs/nfsdcld ] || mkdir /var/lib/nfs/nfsdcld
    find_processes $daemons
    runs rpc.statd || { note_holders && rm -f /var/lib/nfs/sm/* /var/lib/nfs/sm.bak/*; }
    [ -z "$namespace" ] || daemon rpcbind -w
    daemon nfsdcld
    echo "$lease" >/proc/fs/nfsd/nfsv4leasetime
    echo "$lease" >/proc/fs/nfsd/nfsv4gracetime
    # Before nfsd: lockd refuses a lock for good if no statd can monitor the client.
    daemon rpc.statd --no-notify
    daemon rpc.mountd
    exportfs -o "$export,fsid=$fsid" "$clients:$directory/export" || return "$OCF_ERR_GENERIC"
    # Clients reclaim only from a server with the same scope (RFC 8881, section 2.10.4), so both
    # servers use one name.
    # shellcheck disable=SC2016 # for the inner shell
    unshare --uts sh -c 'echo "$1" >/proc/sys/kernel/hostname && exec rpc.nfsd "$2"' - \
        "$scope" "$threads" || return "$OCF_ERR_GENERIC"
    ip addr replace "$address" dev "$card" || return "$OCF_ERR_GENERIC"
    announce >/dev/null 2>&1 </dev/null &
    echo $! >"$announcer"
    return "$OCF_SUCCESS"
}

# Store the clients that hold NFSv3 locks, for the next server. statd's own list is not sufficient:
# the end of lockd empties it. sm-notify processes all entries that it finds, and would make statd
# drop clients that have reclaimed since.
note_holders() {
    [ -d $holders ] || mkdir $holders || return
    cp -a /var/lib/nfs/sm /var/lib/nfs/sm.bak $holders/
}

# Announce the new place of the address to the network, and the end of the old connections to the
# clients. A client retries its old connection only after its backoff. If the old server had
# received all data, it does not retry at all. An unsolicited acknowledgement makes the client
# answer. This kernel has no such connection, and resets it. A client that has returned since takes
# it for an old acknowledgement.
announce() {
    send_announcements &
    # Clients with NFSv3 locks are notified at once, because they must reclaim in the grace period
    # that has begun. sm-notify repeats the notification itself.
    sleep 0.2
    rm -f /run/sm-notify.pid
    sm-notify -f -v "$host" -P $holders
    # A client that received no announcement would retry after 30 or 60 s, because TCP doubles its
    # pauses.
    for pause in 0 0 2 4 8; do
        sleep $pause
        send_announcements
    done
    rm -f "$announcer"
}
send_announcements() {
    arping -q -U -c 1 -w 1 -I "$card" "$host" &
    [ -z "$known" ] || echo "$known" | "$tickle" -n 1
    wait
}

stop() {
    ! has_namespace || inside end_service || return "$OCF_ERR_GENERIC"
    [ -z "$namespace" ] || delete_namespace
    release "$directory" || return "$OCF_ERR_GENERIC"
    [ ! -e "$device" ] || vgchange -q -an "$volume" || return "$OCF_ERR_GENERIC"
    return "$OCF_SUCCESS"
}

end_service() {
    ip addr del "$address" dev "$card" 2>/dev/null || ! has_address || return 1
    ! serving || note_holders
    # The end of the last thread empties the kernel's table of exports.
    serving && rpc.nfsd 0
    # sm-notify tries to reach clients for 15 minutes, and uses /var/lib/nfs. First ends the process
    # that may still start it.
    [ ! -e "$announcer" ] || {
        read -r pid <"$announcer" && kill "$pid" 2>/dev/null
        rm -f "$announcer"
    }
    find_processes $daemons sm-notify && kill $found
    ! has_state || release /var/lib/nfs
}

# release DIRECTORY: unmounts it as soon as no process uses it; the daemons need some time to end.
release() {
    tries=0
    while mounted "$1" && ! umount "$1"; do
        tries=$((tries + 1))
        [ $tries -lt 20 ] || { say "$1 is still in use"; return 1; }
        sleep 0.2
    done
}

# The connections to nfsd and lockd in the form of tickle_tcp: address and port of both sides.
connections() {
    ss -t -n -H state established src "$host" '( sport = :2049 or sport = :4002 )' |
        while read -r _ _ ours theirs; do
            echo "$ours $theirs"
        done
}
connections_of_before() {
    [ ! -s "$state/connections" ] || while read -r line; do echo "$line"; done <"$state/connections"
}
# Store the connections next to the data, for the server that takes over. The file is synced,
# because write-back does not reach a file that is replaced every few seconds. The lock admits one
# process: on a busy storage it may still run at the next check, and a second one would write into
# the file that the first one is about to rename.
keep_connections() {
    exec 9>/run/nfs-service-connections && flock -n 9 || return 0
    now=$(connections)
    [ "$now" != "$(connections_of_before)" ] || return 0
    echo "$now" >"$state/connections.new" && sync -d "$state/connections.new" &&
        mv "$state/connections.new" "$state/connections" && sync "$state"
}

# The block devices below a device of device mapper: for an LVM volume on multipath, its paths.
paths_below() {
    for below in "/sys/class/block/$1/slaves"/*; do
        [ -e "$below" ] || { echo "$1"; return; }
        paths_below "${below##*/}"
    done
}

# The kernel marks a path of a lost iSCSI session as `blocked`, and after the replacement time as
# `transport-offline`. A device without such a state counts as a path that works.
has_path() {
    for path in $paths; do
        path_state=running
        state_file=/sys/class/block/$path/device/state
        [ ! -r "$state_file" ] || read -r path_state <"$state_file"
        [ "$path_state" != running ] || return 0
    done
    return 1
}

# The name of the device in /sys/class/block, without a further process.
kernel_name() {
    for node in /dev/dm-*; do
        [ ! "$node" -ef "$device" ] || { echo "${node##*/}"; return; }
    done
    echo "${device##*/}"
}

# The storage answers one uncached read in time; otherwise pacemaker has this server fenced. A
# server without any path has `pathless` seconds. If a path works, a busy storage has the longer
# time `patience`. A read that never returns cannot be ended, and is abandoned. Only the read is
# timed: the time that this agent needs on a busy server is not a property of the storage.
storage_answers() {
    answer=/run/nfs-service-$$.answer
    {
        dd if="$device" of=/dev/null bs=4096 count=1 iflag=direct
        echo $? >"$answer"
    } </dev/null >/dev/null 2>&1 &
    paths=$(paths_below "$(kernel_name)")
    lost=
    read -r begun _ </proc/uptime
    until [ -s "$answer" ]; do
        read -r now _ </proc/uptime
        if has_path; then
            lost=
        else
            lost=${lost:-$now}
            [ $((${now%.*} - ${lost%.*})) -le "$pathless" ] || {
                say "no path to $device for $pathless s"
                return 1
            }
        fi
        [ $((${now%.*} - ${begun%.*})) -le "$patience" ] || {
            say "no answer of $device within $patience s"
            return 1
        }
        sleep 0.1
    done
    read -r status <"$answer"
    rm -f "$answer"
    [ "$status" = 0 ] || { say "$device cannot be read"; return 1; }
}

monitor() {
    if ! has_namespace; then
        # A service that runs partly is not "not running": pacemaker must stop it first.
        mounted "$directory" && return "$OCF_ERR_GENERIC"
        return "$OCF_NOT_RUNNING"
    fi
    inside check_service
}

check_service() {
    if ! serving || ! mounted "$directory"; then
        { serving && has_address; } || mounted "$directory" && return "$OCF_ERR_GENERIC"
        return "$OCF_NOT_RUNNING"
    fi
    has_address || return "$OCF_ERR_GENERIC"
    find_processes $daemons
    for name in rpc.mountd ${namespace:+rpcbind}; do
        runs $name || { say "$name is gone"; return "$OCF_ERR_GENERIC"; }
    done
    [ "${OCF_RESKEY_CRM_meta_interval:-0}" = 0 ] && return "$OCF_SUCCESS"
    if [ "${OCF_CHECK_LEVEL:-0}" -ge 10 ]; then
        storage_answers || return "$OCF_ERR_GENERIC"
        # In the background: its sync waits for earlier writes of clients, also on a storage that
        # works.
        keep_connections </dev/null >/dev/null 2>&1 &
        return "$OCF_SUCCESS"
    fi
    for reference in $references; do
        ping -q -c 1 -W 1 -I "$card" "$reference" >/dev/null 2>&1 && return "$OCF_SUCCESS"
    done
    [ -z "$references" ] && return "$OCF_SUCCESS"
    say "none of $references answers"
    return "$OCF_ERR_GENERIC"
}

describe() {
    cat <<EOF
<?xml version="1.0"?>
<resource-agent name="nfs-service" version="1.0">
<version>1.0</version>
<longdesc lang="en">A whole NFS service on a shared volume group as one resource.</longdesc>
<shortdesc lang="en">NFS service</shortdesc>
<parameters>
$(for key in $keys; do
    echo "<parameter name=\"$key\"><content type=\"string\"/></parameter>"
done)
</parameters>
<actions>
<action name="start" timeout="60s"/><action name="stop" timeout="60s"/>
<action name="monitor" timeout="20s" interval="5s"/><action name="meta-data" timeout="5s"/>
<action name="validate-all" timeout="5s"/>
</actions>
</resource-agent>
EOF
}

case $1 in
start | stop | monitor) "$1" ;;
# Parts of these, in the namespace of the service.
is_up | share_namespaces | prepare_namespace | serve | end_service | check_service) "$1" ;;
status) monitor ;;
meta-data) describe ;;
validate-all) exit "$OCF_SUCCESS" ;;
*) exit "$OCF_ERR_UNIMPLEMENTED" ;;
esac
SEATRIAL
}
check_0() { content | file_is /usr/lib/ocf/resource.d/seatrial/nfs-service; }
apply_0() { content | write_file /usr/lib/ocf/resource.d/seatrial/nfs-service 755; }
##### install the self-fencing watchdog (2)
# 0. install the self-fencing watchdog
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# Reboots this server at once, without writing anything back, if a service could not be stopped for
# 60 s. During maintenance of the cluster, a server or a resource, the administrator may stop
# daemons while services run, and an unmount may take long.
maintained() {
    grep -Eq 'name="maintenance(-mode)?"[^>]*value="(true|yes|on|1)"' /var/lib/pacemaker/cib/cib.xml 2>/dev/null
}
# Seconds since the mount was first seen without pacemaker. One check takes a while, and can see
# only a part of a service that is just being stopped.
alone=-5
while sleep 5; do
    alone=$((alone + 5))
    { grep -q ' /srv/nss-ha/data ' /proc/mounts; } && ! pidof pacemakerd >/dev/null && ! maintained || alone=-5
    [ $alone -ge 60 ] || pgrep --euid 0 --older 60 --full '^((/bin/)?umount (-[a-z]+ )*(/srv/nss-ha/data)|(/usr/sbin/)?rpc.nfsd 0|(/[a-z/]*sbin/)?(lvm )?vgchange .*-an .*(st-data)|([^ ]+ )?/usr/lib/ocf/resource[.]d/[^ ]+ stop)$' >/dev/null || continue
    if ! maintained; then
        echo "seatrial-self-fencing: a service could not be stopped for 60 s" >/dev/kmsg
        echo b >/proc/sysrq-trigger
    fi
done
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-self-fencing; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-self-fencing 755
    restart_if_active seatrial-self-fencing
}
##### start the self-fencing watchdog with a limit of 60 s
# 0. start the self-fencing watchdog with a limit of 60 s
#    why: a server that hangs in a stop and that its peer cannot fence hangs for ever
check_0() { unit_runs seatrial-self-fencing; }
apply_0() { start_unit seatrial-self-fencing; }
##### configure the members and links of corosync (2)
# 0. configure the members and links of corosync
content_0() { cat <<'SEATRIAL'
totem {
    version: 2
    cluster_name: nss-ha
    transport: knet
    crypto_cipher: aes256
    crypto_hash: sha256
    token: 2000
    interface {
        linknumber: 0
        knet_ping_interval: 333
        knet_ping_timeout: 1000
    }
}
quorum {
    provider: corosync_votequorum
    two_node: 1
    wait_for_all: 1
}
nodelist {
    node {
        name: srv1
        nodeid: 1
        ring0_addr: srv1-private
    }
    node {
        name: srv2
        nodeid: 2
        ring0_addr: srv2-private
    }
}
logging {
    to_syslog: yes
    to_stderr: no
    to_logfile: no
    timestamp: hires
}
SEATRIAL
}
check_0() { content | file_is /etc/corosync/corosync.conf; }
apply_0() {
    back_up_file /etc/corosync/corosync.conf /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf
    content | write_file /etc/corosync/corosync.conf '' /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf
    if systemctl -q is-active corosync; then
        if crm_mon --one-shot --inactive 2>/dev/null | grep -q '(ocf:\|(stonith:'; then
            corosync-cfgtool -R
        else
            systemctl stop pacemaker corosync
            rm -f /var/lib/pacemaker/cib/cib*
        fi
    fi
}
##### refuse symbolic links (6)
# 0. refuse symbolic links
check_0() {
    set +e
    no_planted nss-ha-xl
}
apply_0() { refuse; }
##### refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha-xl
# 0. refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha-xl
check_0() {
    set +e
    no_other_sessions nss-ha-xl iqn.2026-01.org.seatrial:nss-ha-xl
}
apply_0() { refuse; }
##### refuse other multipath devices: nss-ha-xl
# 0. refuse other multipath devices: nss-ha-xl
check_0() {
    set +e
    no_other_maps nss-ha-xl nss-ha-xl
}
apply_0() { refuse; }
##### refuse other NFS exports: /srv/nss-ha-xl
# 0. refuse other NFS exports: /srv/nss-ha-xl
check_0() {
    set +e
    no_other_exports nss-ha-xl /srv/nss-ha-xl
}
apply_0() { refuse; }
##### refuse another cluster: nss-ha-xl
# 0. refuse another cluster: nss-ha-xl
check_0() {
    set +e
    no_other_cluster nss-ha-xl nss-ha-xl
}
apply_0() { refuse; }
##### refuse an occupied mount point: /mnt/nss-ha-xl/data-v3
# 0. refuse an occupied mount point: /mnt/nss-ha-xl/data-v3
check_0() {
    set +e
    no_other_mount nss-ha-xl /mnt/nss-ha-xl/data-v3
}
apply_0() { refuse; }
##### refuse an occupied mount point: /mnt/nss-ha-xl/data-v4.2
# 0. refuse an occupied mount point: /mnt/nss-ha-xl/data-v4.2
check_0() {
    set +e
    no_other_mount nss-ha-xl /mnt/nss-ha-xl/data-v4.2
}
apply_0() { refuse; }
##### refuse an occupied mount point: /mnt/nss-ha-xl/scratch-v3
# 0. refuse an occupied mount point: /mnt/nss-ha-xl/scratch-v3
check_0() {
    set +e
    no_other_mount nss-ha-xl /mnt/nss-ha-xl/scratch-v3
}
apply_0() { refuse; }
##### refuse an occupied mount point: /mnt/nss-ha-xl/scratch-v4.2
# 0. refuse an occupied mount point: /mnt/nss-ha-xl/scratch-v4.2
check_0() {
    set +e
    no_other_mount nss-ha-xl /mnt/nss-ha-xl/scratch-v4.2
}
apply_0() { refuse; }
##### refuse another cluster (5)
# 0. refuse another cluster
check_0() {
    set +e
    no_other_cluster nss-ha-xl nss-ha-xl
}
apply_0() { refuse; }
##### refuse other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha-xl
# 0. refuse other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha-xl
check_0() {
    set +e
    no_other_targets nss-ha-xl iqn.2026-01.org.seatrial:nss-ha-xl
}
apply_0() { refuse; }
##### mark this node for nss-ha-xl
# 0. mark this node for nss-ha-xl
check_0() { [ -e /var/lib/seatrial/made/nss-ha-xl/mark ]; }
apply_0() {
    umask 077
    mkdir -p /var/lib/seatrial/made/nss-ha-xl
    chmod 700 /var/lib/seatrial/made /var/lib/seatrial/made/nss-ha-xl
    : >/var/lib/seatrial/made/nss-ha-xl/left
    : >/var/lib/seatrial/made/nss-ha-xl/mark
}
##### store the state of open-iscsi, iscsid, multipathd, nfs-server, proc-fs-nfsd.mount, corosync, pacemaker (2)
# 0. store the state of open-iscsi, iscsid, multipathd, nfs-server, proc-fs-nfsd.mount, corosync, pacemaker
check_0() {
    units_are_kept /var/lib/seatrial/made/nss-ha-xl/before/units open-iscsi.service iscsid.service multipathd.service nfs-server.service proc-fs-nfsd.mount corosync.service pacemaker.service
}
apply_0() {
    keep_units /var/lib/seatrial/made/nss-ha-xl/before/units open-iscsi.service iscsid.service multipathd.service nfs-server.service proc-fs-nfsd.mount corosync.service pacemaker.service
}
##### store the state of tgt (3)
# 0. store the state of tgt
check_0() { units_are_kept /var/lib/seatrial/made/nss-ha-xl/before/units tgt.service; }
apply_0() { keep_units /var/lib/seatrial/made/nss-ha-xl/before/units tgt.service; }
##### install corosync, crm_mon, pacemakerd, vgchange, mkfs.xfs, exportfs, fence_ipmilan, flock (2)
# 0. install corosync, crm_mon, pacemakerd, vgchange, mkfs.xfs, exportfs, fence_ipmilan, flock
check_0() {
    have_commands corosync crm_mon pacemakerd vgchange mkfs.xfs exportfs fence_ipmilan flock
}
apply_0() {
    note_installed /var/lib/seatrial/made/nss-ha-xl/packages
    install_packages 'corosync fence-agents lvm2 nfs-kernel-server pacemaker pacemaker-cli-utils util-linux xfsprogs' 'corosync fence-agents lvm2 nfs-utils pacemaker pacemaker-cli-utils util-linux xfsprogs'
}
##### install mount.nfs (3)
# 0. install mount.nfs
check_0() { have_commands mount.nfs; }
apply_0() {
    note_installed /var/lib/seatrial/made/nss-ha-xl/packages
    install_packages nfs-common nfs-utils
}
##### refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi, /dev/ubdj, /dev/ubdk, /dev/ubdl, /dev/ubdm (2)
# 0. refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi, /dev/ubdj, /dev/ubdk, /dev/ubdl, /dev/ubdm
check_0() {
    set +e
    only_own_volumes /var/lib/seatrial/made/nss-ha-xl/volumes '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
}
apply_0() { refuse; }
##### store the iSCSI secret, readable by root only (3)
# 0. store the iSCSI secret, readable by root only
#    why: otherwise any host on the storage network could read and write the volumes
content_0() { cat <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
check_0() { content | file_is /var/lib/seatrial/made/nss-ha-xl/iscsi-chap; }
apply_0() { content | write_file /var/lib/seatrial/made/nss-ha-xl/iscsi-chap 600; }
##### start the iSCSI target (3)
# 0. start the iSCSI target
check_0() {
    systemctl -q is-active tgt && systemctl -q is-enabled tgt && /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-nss-ha-xl.targets check
}
apply_0() {
    systemctl -q is-enabled tgt || systemctl -q --no-reload enable tgt
    systemctl start tgt
    /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-nss-ha-xl.targets
}
##### install iscsiadm, multipath (2)
# 0. install iscsiadm, multipath
check_0() { have_commands iscsiadm multipath; }
apply_0() {
    note_installed /var/lib/seatrial/made/nss-ha-xl/packages
    install_packages 'multipath-tools open-iscsi' 'multipath-tools open-iscsi'
}
##### write /etc/iscsi/initiatorname.iscsi (9)
# 0. write /etc/iscsi/initiatorname.iscsi
content_0() { cat <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:nss-ha-xl.srv1
SEATRIAL
}
check_0() { content | file_is /etc/iscsi/initiatorname.iscsi; }
apply_0() {
    back_up_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/nss-ha-xl/before/etc-iscsi-initiatorname.iscsi
    content | write_file /etc/iscsi/initiatorname.iscsi '' /var/lib/seatrial/made/nss-ha-xl/before/etc-iscsi-initiatorname.iscsi
}
##### configure multipath for the LUNs
# 0. configure multipath for the LUNs
#    why: without a path commands wait: with an error, the NFS server would pass it to programs before the cluster could fence the server
content_0() { cat <<'SEATRIAL'
# seatrial
defaults {
    user_friendly_names yes
    find_multipaths no
    polling_interval 1
    max_polling_interval 2
    path_grouping_policy multibus
    path_selector "round-robin 0"
    path_checker tur
    checker_timeout 5
    no_path_retry queue
    fast_io_fail_tmo 1
    dev_loss_tmo 600
}
blacklist {
    wwid ".*"
}
blacklist_exceptions {
    wwid "360000000000000009236bc5e89bfa100"
    wwid "36000000000000000ff405b822bbafede"
}
multipaths {
    multipath {
        wwid 360000000000000009236bc5e89bfa100
        alias nss-ha-xl-data
    }
    multipath {
        wwid 36000000000000000ff405b822bbafede
        alias nss-ha-xl-scratch
    }
}
SEATRIAL
}
check_0() { content | file_is /etc/multipath.conf; }
apply_0() {
    back_up_file /etc/multipath.conf /var/lib/seatrial/made/nss-ha-xl/before/etc-multipath.conf
    content | write_file /etc/multipath.conf '' /var/lib/seatrial/made/nss-ha-xl/before/etc-multipath.conf
    ! systemctl -q is-active multipathd || multipathd reconfigure
}
##### configure iSCSI sessions and their account (3)
# 0. configure iSCSI sessions and their account
content_0() { cat <<'SEATRIAL'
node.startup = automatic
node.session.auth.authmethod = CHAP
node.session.auth.username = nss-ha-xl
node.session.auth.password = @generated:iscsi-chap@
node.session.timeo.replacement_timeout = 1
node.conn[0].timeo.noop_out_interval = 1
node.conn[0].timeo.noop_out_timeout = 1
node.session.initial_login_retry_max = 4
SEATRIAL
}
check_0() { content | file_is /etc/iscsi/seatrial-nss-ha-xl; }
apply_0() { content | write_file /etc/iscsi/seatrial-nss-ha-xl 600; }
##### discover 1 iSCSI target at array-storage-a array-storage-b (2)
# 0. discover 1 iSCSI target at array-storage-a array-storage-b
check_0() { iscsi_known /etc/iscsi/seatrial-nss-ha-xl 2 iqn.2026-01.org.seatrial:nss-ha-xl; }
apply_0() {
    systemctl start iscsid
    for target in iqn.2026-01.org.seatrial:nss-ha-xl; do
        rm -rf /etc/iscsi/nodes/$target /var/lib/iscsi/nodes/$target
        for portal in array-storage-a array-storage-b; do iscsiadm -m node -T $target -p $portal:3260 -o new; done
    done
    iscsi_set /etc/iscsi/seatrial-nss-ha-xl iqn.2026-01.org.seatrial:nss-ha-xl
}
##### log in to 2 iSCSI sessions and enable them at boot (2)
# 0. log in to 2 iSCSI sessions and enable them at boot
check_0() {
    units_are active iscsid multipathd && units_are enabled open-iscsi &&
    iscsi_sessions 2 iqn.2026-01.org.seatrial:nss-ha-xl &&
    [ -b /dev/mapper/nss-ha-xl-data ] && [ -b /dev/mapper/nss-ha-xl-scratch ]
}
apply_0() {
    systemctl -q --no-reload enable open-iscsi iscsid multipathd
    systemctl start iscsid multipathd
    iscsi_login 2 iqn.2026-01.org.seatrial:nss-ha-xl
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/mapper/nss-ha-xl-data ] && [ -b /dev/mapper/nss-ha-xl-scratch ]; do again 30 'the disks of the sessions'; done
}
##### install the monitor for stuck iSCSI sessions (2)
# 0. install the monitor for stuck iSCSI sessions
#    why: iscsid up to 2.1.11 never recovers from a login that was cut off (issue 387)
content_0() { cat <<'SEATRIAL'
#!/bin/bash
# Restarts iscsid if a session of this array has been down for 10 s although its portal
# accepts connections.
exec {never}<> <(:)
declare -A down
while true; do
    read -r -t 2 -u "$never"
    for connection in /sys/class/iscsi_connection/connection*; do
        session=session${connection##*/connection}
        session=${session%%:*}
        {
            read -r target <"/sys/class/iscsi_session/$session/targetname" && [[ $target = iqn.2026-01.org.seatrial:nss-ha-xl ]] &&
                read -r state <"/sys/class/iscsi_session/$session/state"
        } 2>/dev/null || continue
        if [ "$state" = LOGGED_IN ]; then
            down[$session]=0
            continue
        fi
        {
            read -r address <"$connection/persistent_address"
            read -r port <"$connection/persistent_port"
            # A session to an unreachable portal is not stuck.
            true <>"/dev/tcp/$address/$port" || down[$session]=-2
        } 2>/dev/null
        down[$session]=$((${down[$session]:-0} + 2))
        if [ "${down[$session]}" -ge 10 ]; then
            echo "seatrial-stuck-sessions: iscsid no longer logs in at $address; it is restarted"
            systemctl restart iscsid
            down=()
            read -r -t 10 -u "$never"
            break
        fi
    done
done
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-stuck-sessions; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-stuck-sessions 755
    restart_if_active seatrial-stuck-sessions
}
##### write /etc/iscsi/initiatorname.iscsi (10)
# 0. write /etc/iscsi/initiatorname.iscsi
content_0() { cat <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:nss-ha-xl.srv2
SEATRIAL
}
check_0() { content | file_is /etc/iscsi/initiatorname.iscsi; }
apply_0() {
    back_up_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/nss-ha-xl/before/etc-iscsi-initiatorname.iscsi
    content | write_file /etc/iscsi/initiatorname.iscsi '' /var/lib/seatrial/made/nss-ha-xl/before/etc-iscsi-initiatorname.iscsi
}
##### set the LVM system ID to the server name (2)
# 0. set the LVM system ID to the server name
#    why: a group has the name of one server (system id): the other refuses it until the cluster, after a stop or fencing, renames it
check_0() { lvmconfig --type full global/system_id_source | grep -q '"uname"'; }
apply_0() {
    set_line /etc/lvm/lvm.conf /var/lib/seatrial/made/nss-ha-xl/before/etc-lvm-lvm.conf system_id_source '"uname"'
}
##### add the LUNs to LVM's device list (2)
# 0. add the LUNs to LVM's device list
check_0() {
    [ ! -e /etc/lvm/devices/system.devices ] || { grep -q '/dev/mapper/nss-ha-xl-data' /etc/lvm/devices/system.devices && grep -q '/dev/mapper/nss-ha-xl-scratch' /etc/lvm/devices/system.devices; }
}
apply_0() {
    lvmdevices --devices /dev/mapper/nss-ha-xl-data >/dev/null 2>&1 || lvmdevices -y --adddev /dev/mapper/nss-ha-xl-data
    lvmdevices --devices /dev/mapper/nss-ha-xl-scratch >/dev/null 2>&1 || lvmdevices -y --adddev /dev/mapper/nss-ha-xl-scratch
}
##### add the host name nss-ha-xl-data for 10.10.200.1
# 0. add the host name nss-ha-xl-data for 10.10.200.1
#    why: NFSv3 clients get notifications by the name of the address, which must resolve
check_0() { grep -qxF '10.10.200.1 nss-ha-xl-data' /etc/hosts; }
apply_0() {
    sed -i '/ nss-ha-xl-data$/d' /etc/hosts
    echo '10.10.200.1 nss-ha-xl-data' >>/etc/hosts
}
##### add the host name nss-ha-xl-scratch for 10.10.200.2
# 0. add the host name nss-ha-xl-scratch for 10.10.200.2
#    why: NFSv3 clients get notifications by the name of the address, which must resolve
check_0() { grep -qxF '10.10.200.2 nss-ha-xl-scratch' /etc/hosts; }
apply_0() {
    sed -i '/ nss-ha-xl-scratch$/d' /etc/hosts
    echo '10.10.200.2 nss-ha-xl-scratch' >>/etc/hosts
}
##### set 10 s of NFSv4 lease and grace period, and fixed ports (2)
# 0. set 10 s of NFSv4 lease and grace period, and fixed ports
#    why: after a takeover, clients may reclaim their locks for one grace period, and no new lock is granted. The cluster notifies NFSv3 clients, from the service's address. A notification by statd would have the server's own address, which they do not know
content_0() { cat <<'SEATRIAL'
[nfsd]
threads=16
lease-time=10
grace-time=10
vers3=y
vers4=y
[mountd]
port=20048
[statd]
no-notify=y
port=4001
[lockd]
port=4002
udp-port=4002
SEATRIAL
}
check_0() { content | file_is /etc/nfs.conf.d/seatrial-nss-ha-xl.conf; }
apply_0() { content | write_file /etc/nfs.conf.d/seatrial-nss-ha-xl.conf; }
##### disable NFS delegations (3)
# 0. disable NFS delegations
#    why: a restarted server of Linux 7.2 grants one to the first client that reclaims a file; other clients cannot reclaim it in the grace period, and lose their locks
check_0() {
    [ -s /var/lib/seatrial/made/nss-ha-xl/before/leases-enable ] && [ "$(cat /proc/sys/fs/leases-enable)" = 0 ]
}
apply_0() {
    (
        umask 077
        mkdir -p /var/lib/seatrial/made/nss-ha-xl/before
        [ -s /var/lib/seatrial/made/nss-ha-xl/before/leases-enable ] || { cat /var/lib/seatrial/made/*/before/leases-enable /proc/sys/fs/leases-enable 2>/dev/null | head -n 1 >/var/lib/seatrial/made/nss-ha-xl/before/leases-enable.new && mv /var/lib/seatrial/made/nss-ha-xl/before/leases-enable.new /var/lib/seatrial/made/nss-ha-xl/before/leases-enable; }
    )
    echo 0 >/proc/sys/fs/leases-enable
}
##### create the directory /srv/nss-ha-xl/data
# 0. create the directory /srv/nss-ha-xl/data
check_0() { [ -d /srv/nss-ha-xl/data ]; }
apply_0() { mkdir -p /srv/nss-ha-xl/data; }
##### create the directory /srv/nss-ha-xl/scratch
# 0. create the directory /srv/nss-ha-xl/scratch
check_0() { [ -d /srv/nss-ha-xl/scratch ]; }
apply_0() { mkdir -p /srv/nss-ha-xl/scratch; }
##### install the self-fencing watchdog (3)
# 0. install the self-fencing watchdog
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# Reboots this server at once, without writing anything back, if a service could not be stopped for
# 60 s. During maintenance of the cluster, a server or a resource, the administrator may stop
# daemons while services run, and an unmount may take long.
maintained() {
    grep -Eq 'name="maintenance(-mode)?"[^>]*value="(true|yes|on|1)"' /var/lib/pacemaker/cib/cib.xml 2>/dev/null
}
# Seconds since the mount was first seen without pacemaker. One check takes a while, and can see
# only a part of a service that is just being stopped.
alone=-5
while sleep 5; do
    alone=$((alone + 5))
    { grep -q ' /srv/nss-ha-xl/data ' /proc/mounts || grep -q ' /srv/nss-ha-xl/scratch ' /proc/mounts; } && ! pidof pacemakerd >/dev/null && ! maintained || alone=-5
    [ $alone -ge 60 ] || pgrep --euid 0 --older 60 --full '^((/bin/)?umount (-[a-z]+ )*(/srv/nss-ha-xl/data|/srv/nss-ha-xl/scratch)|(/usr/sbin/)?rpc.nfsd 0|(/[a-z/]*sbin/)?(lvm )?vgchange .*-an .*(st-data|st-scratch)|([^ ]+ )?/usr/lib/ocf/resource[.]d/[^ ]+ stop)$' >/dev/null || continue
    if ! maintained; then
        echo "seatrial-self-fencing: a service could not be stopped for 60 s" >/dev/kmsg
        echo b >/proc/sysrq-trigger
    fi
done
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-self-fencing; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-self-fencing 755
    restart_if_active seatrial-self-fencing
}
##### store the corosync key, readable by root only (3)
# 0. store the corosync key, readable by root only
content_0() { cat <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
check_0() { content | file_is /var/lib/seatrial/made/nss-ha-xl/corosync-key; }
apply_0() { content | write_file /var/lib/seatrial/made/nss-ha-xl/corosync-key 600; }
##### enable encryption of corosync (3)
# 0. enable encryption of corosync
#    why: otherwise any host on the network could join the cluster and have members fenced
content_0() { cat <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
check_0() { content | file_is /etc/corosync/authkey; }
apply_0() {
    back_up_file /etc/corosync/authkey /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-authkey
    content | write_file /etc/corosync/authkey 400 /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-authkey
}
##### configure the members and links of corosync (3)
# 0. configure the members and links of corosync
content_0() { cat <<'SEATRIAL'
totem {
    version: 2
    cluster_name: nss-ha-xl
    transport: knet
    crypto_cipher: aes256
    crypto_hash: sha256
    token: 2000
    interface {
        linknumber: 0
        knet_ping_interval: 333
        knet_ping_timeout: 1000
    }
}
quorum {
    provider: corosync_votequorum
    two_node: 1
    wait_for_all: 1
}
nodelist {
    node {
        name: srv1
        nodeid: 1
        ring0_addr: srv1-private
    }
    node {
        name: srv2
        nodeid: 2
        ring0_addr: srv2-private
    }
}
logging {
    to_syslog: yes
    to_stderr: no
    to_logfile: no
    timestamp: hires
}
SEATRIAL
}
check_0() { content | file_is /etc/corosync/corosync.conf; }
apply_0() {
    back_up_file /etc/corosync/corosync.conf /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-corosync.conf
    content | write_file /etc/corosync/corosync.conf '' /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-corosync.conf
    if systemctl -q is-active corosync; then
        if crm_mon --one-shot --inactive 2>/dev/null | grep -q '(ocf:\|(stonith:'; then
            corosync-cfgtool -R
        else
            systemctl stop pacemaker corosync
            rm -f /var/lib/pacemaker/cib/cib*
        fi
    fi
}
##### create the volume group st-data and an XFS file system on /dev/mapper/nss-ha-xl-data
# 0. create the volume group st-data and an XFS file system on /dev/mapper/nss-ha-xl-data
#    why: created on one server and released: from now on only the cluster activates it
check_0() { vgs --foreign --noheadings -o tags st-data 2>/dev/null | grep -q seatrial-made; }
apply_0() {
    must_be_blank /dev/mapper/nss-ha-xl-data
    vgcreate -q -y --setautoactivation n st-data /dev/mapper/nss-ha-xl-data
    lvcreate -q -y -W n -n data -l 100%FREE st-data
    mkfs.xfs -q -L st-data /dev/st-data/data
    mkdir -p /run/seatrial-st-data
    mount -t xfs /dev/st-data/data /run/seatrial-st-data
    mkdir /run/seatrial-st-data/export && chmod 1777 /run/seatrial-st-data/export
    cp -a /var/lib/nfs /run/seatrial-st-data/nfs-state
    mkdir -p /run/seatrial-st-data/nfs-state/nfsdcld
    [ -e /run/seatrial-st-data/nfs-state/statd ] || ln -s . /run/seatrial-st-data/nfs-state/statd
    umount /run/seatrial-st-data
    rmdir /run/seatrial-st-data
    vgchange -q -an st-data
    vgchange -q --addtag seatrial-made st-data
}
##### create the volume group st-scratch and an XFS file system on /dev/mapper/nss-ha-xl-scratch
# 0. create the volume group st-scratch and an XFS file system on /dev/mapper/nss-ha-xl-scratch
#    why: created on one server and released: from now on only the cluster activates it
check_0() { vgs --foreign --noheadings -o tags st-scratch 2>/dev/null | grep -q seatrial-made; }
apply_0() {
    must_be_blank /dev/mapper/nss-ha-xl-scratch
    vgcreate -q -y --setautoactivation n st-scratch /dev/mapper/nss-ha-xl-scratch
    lvcreate -q -y -W n -n scratch -l 100%FREE st-scratch
    mkfs.xfs -q -L st-scratch /dev/st-scratch/scratch
    mkdir -p /run/seatrial-st-scratch
    mount -t xfs /dev/st-scratch/scratch /run/seatrial-st-scratch
    mkdir /run/seatrial-st-scratch/export && chmod 1777 /run/seatrial-st-scratch/export
    cp -a /var/lib/nfs /run/seatrial-st-scratch/nfs-state
    mkdir -p /run/seatrial-st-scratch/nfs-state/nfsdcld
    [ -e /run/seatrial-st-scratch/nfs-state/statd ] || ln -s . /run/seatrial-st-scratch/nfs-state/statd
    umount /run/seatrial-st-scratch
    rmdir /run/seatrial-st-scratch
    vgchange -q -an st-scratch
    vgchange -q --addtag seatrial-made st-scratch
}
##### install the initial cluster configuration
# 0. install the initial cluster configuration
check_0() { [ -e /var/lib/pacemaker/cib/cib.xml ] || systemctl -q is-active pacemaker; }
apply_0() {
    umask 027
    cat >/var/lib/pacemaker/cib/cib.xml.new <<'SEATRIAL'
<cib crm_feature_set="3.0.14" validate-with="pacemaker-3.0" admin_epoch="0" epoch="1" num_updates="0">
<configuration>
  <crm_config>
    <cluster_property_set id="cib-bootstrap-options">
      <nvpair id="cib-bootstrap-options-stonith-enabled" name="stonith-enabled" value="true"/>
      <nvpair id="cib-bootstrap-options-no-quorum-policy" name="no-quorum-policy" value="stop"/>
      <nvpair id="cib-bootstrap-options-stonith-action" name="stonith-action" value="reboot"/>
      <nvpair id="cib-bootstrap-options-stonith-timeout" name="stonith-timeout" value="60s"/>
      <nvpair id="cib-bootstrap-options-cluster-recheck-interval" name="cluster-recheck-interval" value="60s"/>
      <nvpair id="cib-bootstrap-options-dc-deadtime" name="dc-deadtime" value="5s"/>
      <nvpair id="cib-bootstrap-options-load-threshold" name="load-threshold" value="1000%"/>
      <nvpair id="cib-bootstrap-options-priority-fencing-delay" name="priority-fencing-delay" value="0s"/>
      <nvpair id="cib-bootstrap-options-seatrial-plan" name="seatrial-plan" value="c431a81d592caf5a"/>
      <nvpair id="cib-bootstrap-options-seatrial-resources" name="seatrial-resources" value="fence-srv1 fence-pdu-a fence-pdu-b fence-srv2 data-service scratch-service"/>
    </cluster_property_set>
  </crm_config>
  <nodes>
    <node id="1" uname="srv1"/>
    <node id="2" uname="srv2"/>
  </nodes>
  <resources>
    <primitive id="fence-srv1" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv1-parameters">
        <nvpair id="fence-srv1-parameters-ip" name="ip" value="srv1-bmc"/>
        <nvpair id="fence-srv1-parameters-username" name="username" value="admin"/>
        <nvpair id="fence-srv1-parameters-password" name="password" value="seatrial-lab"/>
        <nvpair id="fence-srv1-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv1-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv1-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv1-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1"/>
        <nvpair id="fence-srv1-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv1-parameters-disable_timeout" name="disable_timeout" value="false"/>
        <nvpair id="fence-srv1-parameters-power_timeout" name="power_timeout" value="8"/>
        <nvpair id="fence-srv1-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv1-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-srv1-meta">
        <nvpair id="fence-srv1-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-srv1-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-srv1-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-srv1-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-pdu-a" class="stonith" type="fence_apc_snmp">
      <instance_attributes id="fence-pdu-a-parameters">
        <nvpair id="fence-pdu-a-parameters-ip" name="ip" value="pdu-a"/>
        <nvpair id="fence-pdu-a-parameters-community" name="community" value="private"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-a-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-pdu-a-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-pdu-a-meta">
        <nvpair id="fence-pdu-a-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-pdu-a-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-pdu-a-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-pdu-a-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-pdu-b" class="stonith" type="fence_apc_snmp">
      <instance_attributes id="fence-pdu-b-parameters">
        <nvpair id="fence-pdu-b-parameters-ip" name="ip" value="pdu-b"/>
        <nvpair id="fence-pdu-b-parameters-community" name="community" value="private"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-b-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-pdu-b-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-pdu-b-meta">
        <nvpair id="fence-pdu-b-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-pdu-b-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-pdu-b-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-pdu-b-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-srv2" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv2-parameters">
        <nvpair id="fence-srv2-parameters-ip" name="ip" value="srv2-bmc"/>
        <nvpair id="fence-srv2-parameters-username" name="username" value="admin"/>
        <nvpair id="fence-srv2-parameters-password" name="password" value="seatrial-lab"/>
        <nvpair id="fence-srv2-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv2-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv2-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv2-parameters-pcmk_host_list" name="pcmk_host_list" value="srv2"/>
        <nvpair id="fence-srv2-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv2-parameters-disable_timeout" name="disable_timeout" value="false"/>
        <nvpair id="fence-srv2-parameters-power_timeout" name="power_timeout" value="8"/>
        <nvpair id="fence-srv2-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv2-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-srv2-meta">
        <nvpair id="fence-srv2-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-srv2-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-srv2-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-srv2-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <group id="data">
      <primitive id="data-service" class="ocf" type="nfs-service" provider="seatrial">
        <instance_attributes id="data-service-parameters">
          <nvpair id="data-service-parameters-volume" name="volume" value="st-data"/>
          <nvpair id="data-service-parameters-device" name="device" value="/dev/st-data/data"/>
          <nvpair id="data-service-parameters-directory" name="directory" value="/srv/nss-ha-xl/data"/>
          <nvpair id="data-service-parameters-export" name="export" value="rw,sync,root_squash,no_subtree_check"/>
          <nvpair id="data-service-parameters-clients" name="clients" value="10.10.0.0/16"/>
          <nvpair id="data-service-parameters-options" name="options" value="noatime"/>
          <nvpair id="data-service-parameters-fsid" name="fsid" value="1"/>
          <nvpair id="data-service-parameters-address" name="address" value="10.10.200.1/16"/>
          <nvpair id="data-service-parameters-interface" name="interface" value="public"/>
          <nvpair id="data-service-parameters-threads" name="threads" value="16"/>
          <nvpair id="data-service-parameters-lease" name="lease" value="10"/>
          <nvpair id="data-service-parameters-patience" name="patience" value="8"/>
          <nvpair id="data-service-parameters-pathless" name="pathless" value="4"/>
          <nvpair id="data-service-parameters-scope" name="scope" value="nss-ha-xl"/>
          <nvpair id="data-service-parameters-servers" name="servers" value="srv1 srv2"/>
          <nvpair id="data-service-parameters-references" name="references" value="c1-public c2-public"/>
          <nvpair id="data-service-parameters-namespace" name="namespace" value="data"/>
        </instance_attributes>
        <operations>
          <op id="data-service-start-0" name="start" interval="0s" timeout="60s"/>
          <op id="data-service-stop-0" name="stop" interval="0s" timeout="60s" on-fail="fence"/>
          <op id="data-service-monitor-3" name="monitor" interval="3s" timeout="60s"/>
          <op id="data-service-monitor-4" name="monitor" interval="4s" timeout="68s" on-fail="fence">
          <instance_attributes id="data-service-monitor-4-depth">
            <nvpair id="data-service-monitor-4-depth-OCF_CHECK_LEVEL" name="OCF_CHECK_LEVEL" value="10"/>
          </instance_attributes>
          </op>
        </operations>
      </primitive>
    </group>
    <group id="scratch">
      <primitive id="scratch-service" class="ocf" type="nfs-service" provider="seatrial">
        <instance_attributes id="scratch-service-parameters">
          <nvpair id="scratch-service-parameters-volume" name="volume" value="st-scratch"/>
          <nvpair id="scratch-service-parameters-device" name="device" value="/dev/st-scratch/scratch"/>
          <nvpair id="scratch-service-parameters-directory" name="directory" value="/srv/nss-ha-xl/scratch"/>
          <nvpair id="scratch-service-parameters-export" name="export" value="rw,sync,root_squash,no_subtree_check"/>
          <nvpair id="scratch-service-parameters-clients" name="clients" value="10.10.0.0/16"/>
          <nvpair id="scratch-service-parameters-options" name="options" value="noatime"/>
          <nvpair id="scratch-service-parameters-fsid" name="fsid" value="2"/>
          <nvpair id="scratch-service-parameters-address" name="address" value="10.10.200.2/16"/>
          <nvpair id="scratch-service-parameters-interface" name="interface" value="public"/>
          <nvpair id="scratch-service-parameters-threads" name="threads" value="16"/>
          <nvpair id="scratch-service-parameters-lease" name="lease" value="10"/>
          <nvpair id="scratch-service-parameters-patience" name="patience" value="8"/>
          <nvpair id="scratch-service-parameters-pathless" name="pathless" value="4"/>
          <nvpair id="scratch-service-parameters-scope" name="scope" value="nss-ha-xl"/>
          <nvpair id="scratch-service-parameters-servers" name="servers" value="srv1 srv2"/>
          <nvpair id="scratch-service-parameters-references" name="references" value="c1-public c2-public"/>
          <nvpair id="scratch-service-parameters-namespace" name="namespace" value="scratch"/>
        </instance_attributes>
        <operations>
          <op id="scratch-service-start-0" name="start" interval="0s" timeout="60s"/>
          <op id="scratch-service-stop-0" name="stop" interval="0s" timeout="60s" on-fail="fence"/>
          <op id="scratch-service-monitor-3" name="monitor" interval="3s" timeout="60s"/>
          <op id="scratch-service-monitor-4" name="monitor" interval="4s" timeout="68s" on-fail="fence">
          <instance_attributes id="scratch-service-monitor-4-depth">
            <nvpair id="scratch-service-monitor-4-depth-OCF_CHECK_LEVEL" name="OCF_CHECK_LEVEL" value="10"/>
          </instance_attributes>
          </op>
        </operations>
      </primitive>
    </group>
  </resources>
  <constraints>
    <rsc_location id="fence-srv1-elsewhere" rsc="fence-srv1" score="-INFINITY" node="srv1"/>
    <rsc_location id="fence-srv2-elsewhere" rsc="fence-srv2" score="-INFINITY" node="srv2"/>
    <rsc_order id="fence-srv1-after-data" first="data" then="fence-srv1" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-srv1-after-scratch" first="scratch" then="fence-srv1" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-a-after-data" first="data" then="fence-pdu-a" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-a-after-scratch" first="scratch" then="fence-pdu-a" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-b-after-data" first="data" then="fence-pdu-b" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-b-after-scratch" first="scratch" then="fence-pdu-b" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-srv2-after-data" first="data" then="fence-srv2" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-srv2-after-scratch" first="scratch" then="fence-srv2" kind="Optional" symmetrical="false"/>
    <rsc_location id="data-prefers" rsc="data" score="10" node="srv1"/>
    <rsc_location id="scratch-prefers" rsc="scratch" score="10" node="srv2"/>
  </constraints>
  <fencing-topology>
    <fencing-level id="fence-srv1-1" target="srv1" index="1" devices="fence-srv1"/>
    <fencing-level id="fence-srv1-2" target="srv1" index="2" devices="fence-pdu-a,fence-pdu-b"/>
    <fencing-level id="fence-srv2-1" target="srv2" index="1" devices="fence-srv2"/>
    <fencing-level id="fence-srv2-2" target="srv2" index="2" devices="fence-pdu-a,fence-pdu-b"/>
  </fencing-topology>
  <rsc_defaults>
    <meta_attributes id="rsc-options">
      <nvpair id="rsc-options-resource-stickiness" name="resource-stickiness" value="100"/>
      <nvpair id="rsc-options-migration-threshold" name="migration-threshold" value="1"/>
      <nvpair id="rsc-options-failure-timeout" name="failure-timeout" value="120s"/>
      <nvpair id="rsc-options-priority" name="priority" value="1"/>
    </meta_attributes>
  </rsc_defaults>
</configuration>
<status/>
</cib>
SEATRIAL
    chown hacluster:haclient /var/lib/pacemaker/cib/cib.xml.new
    chmod 600 /var/lib/pacemaker/cib/cib.xml.new
    mv /var/lib/pacemaker/cib/cib.xml.new /var/lib/pacemaker/cib/cib.xml
}
##### configure services and fence devices
# 0. configure services and fence devices
#    why: as a whole: no partial configuration is ever active
check_0() {
    hash=$(crm_attribute --type crm_config --name seatrial-plan --query --quiet 2>/dev/null) &&
    [ "$hash" = c431a81d592caf5a ]
}
apply_0() {
    mkdir -p /etc/seatrial/nss-ha-xl
    umask 077
    cat >/etc/seatrial/nss-ha-xl/cib.xml <<'SEATRIAL'
<configuration>
  <crm_config>
    <cluster_property_set id="cib-bootstrap-options">
      <nvpair id="cib-bootstrap-options-stonith-enabled" name="stonith-enabled" value="true"/>
      <nvpair id="cib-bootstrap-options-no-quorum-policy" name="no-quorum-policy" value="stop"/>
      <nvpair id="cib-bootstrap-options-stonith-action" name="stonith-action" value="reboot"/>
      <nvpair id="cib-bootstrap-options-stonith-timeout" name="stonith-timeout" value="60s"/>
      <nvpair id="cib-bootstrap-options-cluster-recheck-interval" name="cluster-recheck-interval" value="60s"/>
      <nvpair id="cib-bootstrap-options-dc-deadtime" name="dc-deadtime" value="5s"/>
      <nvpair id="cib-bootstrap-options-load-threshold" name="load-threshold" value="1000%"/>
      <nvpair id="cib-bootstrap-options-priority-fencing-delay" name="priority-fencing-delay" value="0s"/>
      <nvpair id="cib-bootstrap-options-seatrial-plan" name="seatrial-plan" value="c431a81d592caf5a"/>
      <nvpair id="cib-bootstrap-options-seatrial-resources" name="seatrial-resources" value="fence-srv1 fence-pdu-a fence-pdu-b fence-srv2 data-service scratch-service"/>
    </cluster_property_set>
  </crm_config>
  <nodes>
    <node id="1" uname="srv1"/>
    <node id="2" uname="srv2"/>
  </nodes>
  <resources>
    <primitive id="fence-srv1" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv1-parameters">
        <nvpair id="fence-srv1-parameters-ip" name="ip" value="srv1-bmc"/>
        <nvpair id="fence-srv1-parameters-username" name="username" value="admin"/>
        <nvpair id="fence-srv1-parameters-password" name="password" value="seatrial-lab"/>
        <nvpair id="fence-srv1-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv1-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv1-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv1-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1"/>
        <nvpair id="fence-srv1-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv1-parameters-disable_timeout" name="disable_timeout" value="false"/>
        <nvpair id="fence-srv1-parameters-power_timeout" name="power_timeout" value="8"/>
        <nvpair id="fence-srv1-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv1-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-srv1-meta">
        <nvpair id="fence-srv1-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-srv1-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-srv1-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-srv1-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-pdu-a" class="stonith" type="fence_apc_snmp">
      <instance_attributes id="fence-pdu-a-parameters">
        <nvpair id="fence-pdu-a-parameters-ip" name="ip" value="pdu-a"/>
        <nvpair id="fence-pdu-a-parameters-community" name="community" value="private"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-a-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-pdu-a-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-pdu-a-meta">
        <nvpair id="fence-pdu-a-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-pdu-a-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-pdu-a-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-pdu-a-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-pdu-b" class="stonith" type="fence_apc_snmp">
      <instance_attributes id="fence-pdu-b-parameters">
        <nvpair id="fence-pdu-b-parameters-ip" name="ip" value="pdu-b"/>
        <nvpair id="fence-pdu-b-parameters-community" name="community" value="private"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-b-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-pdu-b-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-pdu-b-meta">
        <nvpair id="fence-pdu-b-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-pdu-b-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-pdu-b-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-pdu-b-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-srv2" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv2-parameters">
        <nvpair id="fence-srv2-parameters-ip" name="ip" value="srv2-bmc"/>
        <nvpair id="fence-srv2-parameters-username" name="username" value="admin"/>
        <nvpair id="fence-srv2-parameters-password" name="password" value="seatrial-lab"/>
        <nvpair id="fence-srv2-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv2-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv2-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv2-parameters-pcmk_host_list" name="pcmk_host_list" value="srv2"/>
        <nvpair id="fence-srv2-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv2-parameters-disable_timeout" name="disable_timeout" value="false"/>
        <nvpair id="fence-srv2-parameters-power_timeout" name="power_timeout" value="8"/>
        <nvpair id="fence-srv2-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv2-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-srv2-meta">
        <nvpair id="fence-srv2-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-srv2-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-srv2-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-srv2-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <group id="data">
      <primitive id="data-service" class="ocf" type="nfs-service" provider="seatrial">
        <instance_attributes id="data-service-parameters">
          <nvpair id="data-service-parameters-volume" name="volume" value="st-data"/>
          <nvpair id="data-service-parameters-device" name="device" value="/dev/st-data/data"/>
          <nvpair id="data-service-parameters-directory" name="directory" value="/srv/nss-ha-xl/data"/>
          <nvpair id="data-service-parameters-export" name="export" value="rw,sync,root_squash,no_subtree_check"/>
          <nvpair id="data-service-parameters-clients" name="clients" value="10.10.0.0/16"/>
          <nvpair id="data-service-parameters-options" name="options" value="noatime"/>
          <nvpair id="data-service-parameters-fsid" name="fsid" value="1"/>
          <nvpair id="data-service-parameters-address" name="address" value="10.10.200.1/16"/>
          <nvpair id="data-service-parameters-interface" name="interface" value="public"/>
          <nvpair id="data-service-parameters-threads" name="threads" value="16"/>
          <nvpair id="data-service-parameters-lease" name="lease" value="10"/>
          <nvpair id="data-service-parameters-patience" name="patience" value="8"/>
          <nvpair id="data-service-parameters-pathless" name="pathless" value="4"/>
          <nvpair id="data-service-parameters-scope" name="scope" value="nss-ha-xl"/>
          <nvpair id="data-service-parameters-servers" name="servers" value="srv1 srv2"/>
          <nvpair id="data-service-parameters-references" name="references" value="c1-public c2-public"/>
          <nvpair id="data-service-parameters-namespace" name="namespace" value="data"/>
        </instance_attributes>
        <operations>
          <op id="data-service-start-0" name="start" interval="0s" timeout="60s"/>
          <op id="data-service-stop-0" name="stop" interval="0s" timeout="60s" on-fail="fence"/>
          <op id="data-service-monitor-3" name="monitor" interval="3s" timeout="60s"/>
          <op id="data-service-monitor-4" name="monitor" interval="4s" timeout="68s" on-fail="fence">
          <instance_attributes id="data-service-monitor-4-depth">
            <nvpair id="data-service-monitor-4-depth-OCF_CHECK_LEVEL" name="OCF_CHECK_LEVEL" value="10"/>
          </instance_attributes>
          </op>
        </operations>
      </primitive>
    </group>
    <group id="scratch">
      <primitive id="scratch-service" class="ocf" type="nfs-service" provider="seatrial">
        <instance_attributes id="scratch-service-parameters">
          <nvpair id="scratch-service-parameters-volume" name="volume" value="st-scratch"/>
          <nvpair id="scratch-service-parameters-device" name="device" value="/dev/st-scratch/scratch"/>
          <nvpair id="scratch-service-parameters-directory" name="directory" value="/srv/nss-ha-xl/scratch"/>
          <nvpair id="scratch-service-parameters-export" name="export" value="rw,sync,root_squash,no_subtree_check"/>
          <nvpair id="scratch-service-parameters-clients" name="clients" value="10.10.0.0/16"/>
          <nvpair id="scratch-service-parameters-options" name="options" value="noatime"/>
          <nvpair id="scratch-service-parameters-fsid" name="fsid" value="2"/>
          <nvpair id="scratch-service-parameters-address" name="address" value="10.10.200.2/16"/>
          <nvpair id="scratch-service-parameters-interface" name="interface" value="public"/>
          <nvpair id="scratch-service-parameters-threads" name="threads" value="16"/>
          <nvpair id="scratch-service-parameters-lease" name="lease" value="10"/>
          <nvpair id="scratch-service-parameters-patience" name="patience" value="8"/>
          <nvpair id="scratch-service-parameters-pathless" name="pathless" value="4"/>
          <nvpair id="scratch-service-parameters-scope" name="scope" value="nss-ha-xl"/>
          <nvpair id="scratch-service-parameters-servers" name="servers" value="srv1 srv2"/>
          <nvpair id="scratch-service-parameters-references" name="references" value="c1-public c2-public"/>
          <nvpair id="scratch-service-parameters-namespace" name="namespace" value="scratch"/>
        </instance_attributes>
        <operations>
          <op id="scratch-service-start-0" name="start" interval="0s" timeout="60s"/>
          <op id="scratch-service-stop-0" name="stop" interval="0s" timeout="60s" on-fail="fence"/>
          <op id="scratch-service-monitor-3" name="monitor" interval="3s" timeout="60s"/>
          <op id="scratch-service-monitor-4" name="monitor" interval="4s" timeout="68s" on-fail="fence">
          <instance_attributes id="scratch-service-monitor-4-depth">
            <nvpair id="scratch-service-monitor-4-depth-OCF_CHECK_LEVEL" name="OCF_CHECK_LEVEL" value="10"/>
          </instance_attributes>
          </op>
        </operations>
      </primitive>
    </group>
  </resources>
  <constraints>
    <rsc_location id="fence-srv1-elsewhere" rsc="fence-srv1" score="-INFINITY" node="srv1"/>
    <rsc_location id="fence-srv2-elsewhere" rsc="fence-srv2" score="-INFINITY" node="srv2"/>
    <rsc_order id="fence-srv1-after-data" first="data" then="fence-srv1" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-srv1-after-scratch" first="scratch" then="fence-srv1" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-a-after-data" first="data" then="fence-pdu-a" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-a-after-scratch" first="scratch" then="fence-pdu-a" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-b-after-data" first="data" then="fence-pdu-b" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-b-after-scratch" first="scratch" then="fence-pdu-b" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-srv2-after-data" first="data" then="fence-srv2" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-srv2-after-scratch" first="scratch" then="fence-srv2" kind="Optional" symmetrical="false"/>
    <rsc_location id="data-prefers" rsc="data" score="10" node="srv1"/>
    <rsc_location id="scratch-prefers" rsc="scratch" score="10" node="srv2"/>
  </constraints>
  <fencing-topology>
    <fencing-level id="fence-srv1-1" target="srv1" index="1" devices="fence-srv1"/>
    <fencing-level id="fence-srv1-2" target="srv1" index="2" devices="fence-pdu-a,fence-pdu-b"/>
    <fencing-level id="fence-srv2-1" target="srv2" index="1" devices="fence-srv2"/>
    <fencing-level id="fence-srv2-2" target="srv2" index="2" devices="fence-pdu-a,fence-pdu-b"/>
  </fencing-topology>
  <rsc_defaults>
    <meta_attributes id="rsc-options">
      <nvpair id="rsc-options-resource-stickiness" name="resource-stickiness" value="100"/>
      <nvpair id="rsc-options-migration-threshold" name="migration-threshold" value="1"/>
      <nvpair id="rsc-options-failure-timeout" name="failure-timeout" value="120s"/>
      <nvpair id="rsc-options-priority" name="priority" value="1"/>
    </meta_attributes>
  </rsc_defaults>
</configuration>
SEATRIAL
    tries=0
    until cibadmin --replace --scope configuration --xml-file /etc/seatrial/nss-ha-xl/cib.xml; do again 30 'the cluster to take its configuration'; done
}
##### start data, scratch
# 0. start data, scratch
check_0() {
    crm_resource --resource data --locate 2>/dev/null | grep -q ' on: ' &&
    crm_resource --resource scratch --locate 2>/dev/null | grep -q ' on: '
}
apply_0() {
    tries=0
    until crm_resource --resource data --locate 2>/dev/null | grep -q ' on: ' &&
    crm_resource --resource scratch --locate 2>/dev/null | grep -q ' on: '; do again 120 'data, scratch to be started'; done
}
##### enable the mount of /mnt/nss-ha-xl/data-v3 at boot
# 0. enable the mount of /mnt/nss-ha-xl/data-v3 at boot
check_0() {
    fstab_has 10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v3 nfs vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail
}
apply_0() {
    put_fstab_line 10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v3 nfs vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail
}
##### enable the mount of /mnt/nss-ha-xl/data-v4.2 at boot
# 0. enable the mount of /mnt/nss-ha-xl/data-v4.2 at boot
check_0() {
    fstab_has 10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v4.2 nfs vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail
}
apply_0() {
    put_fstab_line 10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v4.2 nfs vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail
}
##### enable the mount of /mnt/nss-ha-xl/scratch-v3 at boot
# 0. enable the mount of /mnt/nss-ha-xl/scratch-v3 at boot
check_0() {
    fstab_has 10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v3 nfs vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail
}
apply_0() {
    put_fstab_line 10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v3 nfs vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail
}
##### enable the mount of /mnt/nss-ha-xl/scratch-v4.2 at boot
# 0. enable the mount of /mnt/nss-ha-xl/scratch-v4.2 at boot
check_0() {
    fstab_has 10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v4.2 nfs vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail
}
apply_0() {
    put_fstab_line 10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v4.2 nfs vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail
}
##### mount 10.10.200.1:/srv/nss-ha-xl/data/export at /mnt/nss-ha-xl/data-v3 with vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5
# 0. mount 10.10.200.1:/srv/nss-ha-xl/data/export at /mnt/nss-ha-xl/data-v3 with vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5
check_0() {
    grep -q '^10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v3 nfs' /proc/mounts && read -r mounted </run/seatrial-mnt-nss-ha-xl-data-v3.mount && [ "$mounted" = vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5 ]
}
apply_0() {
    ! grep -q ' /mnt/nss-ha-xl/data-v3 ' /proc/mounts || umount /mnt/nss-ha-xl/data-v3
    mkdir -p /mnt/nss-ha-xl/data-v3
    mount -t nfs -o vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5 10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v3
    echo vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5 >/run/seatrial-mnt-nss-ha-xl-data-v3.mount
}
##### mount 10.10.200.1:/srv/nss-ha-xl/data/export at /mnt/nss-ha-xl/data-v4.2 with vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5
# 0. mount 10.10.200.1:/srv/nss-ha-xl/data/export at /mnt/nss-ha-xl/data-v4.2 with vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5
check_0() {
    grep -q '^10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v4.2 nfs' /proc/mounts && read -r mounted </run/seatrial-mnt-nss-ha-xl-data-v4.2.mount && [ "$mounted" = vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5 ]
}
apply_0() {
    ! grep -q ' /mnt/nss-ha-xl/data-v4.2 ' /proc/mounts || umount /mnt/nss-ha-xl/data-v4.2
    mkdir -p /mnt/nss-ha-xl/data-v4.2
    mount -t nfs -o vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5 10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v4.2
    echo vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5 >/run/seatrial-mnt-nss-ha-xl-data-v4.2.mount
}
##### mount 10.10.200.2:/srv/nss-ha-xl/scratch/export at /mnt/nss-ha-xl/scratch-v3 with vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5
# 0. mount 10.10.200.2:/srv/nss-ha-xl/scratch/export at /mnt/nss-ha-xl/scratch-v3 with vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5
check_0() {
    grep -q '^10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v3 nfs' /proc/mounts && read -r mounted </run/seatrial-mnt-nss-ha-xl-scratch-v3.mount && [ "$mounted" = vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5 ]
}
apply_0() {
    ! grep -q ' /mnt/nss-ha-xl/scratch-v3 ' /proc/mounts || umount /mnt/nss-ha-xl/scratch-v3
    mkdir -p /mnt/nss-ha-xl/scratch-v3
    mount -t nfs -o vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5 10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v3
    echo vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5 >/run/seatrial-mnt-nss-ha-xl-scratch-v3.mount
}
##### mount 10.10.200.2:/srv/nss-ha-xl/scratch/export at /mnt/nss-ha-xl/scratch-v4.2 with vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5
# 0. mount 10.10.200.2:/srv/nss-ha-xl/scratch/export at /mnt/nss-ha-xl/scratch-v4.2 with vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5
check_0() {
    grep -q '^10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v4.2 nfs' /proc/mounts && read -r mounted </run/seatrial-mnt-nss-ha-xl-scratch-v4.2.mount && [ "$mounted" = vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5 ]
}
apply_0() {
    ! grep -q ' /mnt/nss-ha-xl/scratch-v4.2 ' /proc/mounts || umount /mnt/nss-ha-xl/scratch-v4.2
    mkdir -p /mnt/nss-ha-xl/scratch-v4.2
    mount -t nfs -o vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5 10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v4.2
    echo vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5 >/run/seatrial-mnt-nss-ha-xl-scratch-v4.2.mount
}
##### write /usr/local/sbin/seatrial-nss-ha-xl-network
# 0. write /usr/local/sbin/seatrial-nss-ha-xl-network
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# What nss-ha-xl has set on this node, after a boot.
bad=0
# disable NFS delegations
if ! (
[ -s /var/lib/seatrial/made/nss-ha-xl/before/leases-enable ] && [ "$(cat /proc/sys/fs/leases-enable)" = 0 ]
) >/dev/null 2>&1; then
(
set -e
(
    umask 077
    mkdir -p /var/lib/seatrial/made/nss-ha-xl/before
    [ -s /var/lib/seatrial/made/nss-ha-xl/before/leases-enable ] || { cat /var/lib/seatrial/made/*/before/leases-enable /proc/sys/fs/leases-enable 2>/dev/null | head -n 1 >/var/lib/seatrial/made/nss-ha-xl/before/leases-enable.new && mv /var/lib/seatrial/made/nss-ha-xl/before/leases-enable.new /var/lib/seatrial/made/nss-ha-xl/before/leases-enable; }
)
echo 0 >/proc/sys/fs/leases-enable
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-nss-ha-xl-network; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-nss-ha-xl-network 755
    restart_if_active seatrial-nss-ha-xl-network
}
##### write /etc/systemd/system/seatrial-nss-ha-xl-network.service
# 0. write /etc/systemd/system/seatrial-nss-ha-xl-network.service
content_0() { cat <<'SEATRIAL'
[Unit]
Description=what nss-ha-xl has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-nss-ha-xl-network
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
}
check_0() {
    without_systemd || content | file_is /etc/systemd/system/seatrial-nss-ha-xl-network.service
}
apply_0() {
    content | write_file /etc/systemd/system/seatrial-nss-ha-xl-network.service
    reread_unit seatrial-nss-ha-xl-network.service
    restart_if_active seatrial-nss-ha-xl-network
}
##### install the boot-time settings of network (5)
# 0. install the boot-time settings of network
#    why: a fenced node must come back with the same settings
check_0() { without_systemd || unit_runs seatrial-nss-ha-xl-network; }
apply_0() { start_unit seatrial-nss-ha-xl-network; }
##### remove the boot-time settings of mounts (5)
# 0. remove the boot-time settings of mounts
check_0() {
    no_file /etc/systemd/system/seatrial-nss-ha-xl-mounts.service /usr/local/sbin/seatrial-nss-ha-xl-mounts
}
apply_0() {
    remove_unit seatrial-nss-ha-xl-mounts /etc/systemd/system/seatrial-nss-ha-xl-mounts.service
    rm -f /usr/local/sbin/seatrial-nss-ha-xl-mounts
}
##### remove the boot-time settings of network and mounts (5)
# 0. remove the boot-time settings of network and mounts
check_0() {
    no_file /etc/systemd/system/seatrial-nss-ha-xl-network.service /usr/local/sbin/seatrial-nss-ha-xl-network /etc/systemd/system/seatrial-nss-ha-xl-mounts.service /usr/local/sbin/seatrial-nss-ha-xl-mounts
}
apply_0() {
    remove_unit seatrial-nss-ha-xl-network /etc/systemd/system/seatrial-nss-ha-xl-network.service
    rm -f /usr/local/sbin/seatrial-nss-ha-xl-network
    remove_unit seatrial-nss-ha-xl-mounts /etc/systemd/system/seatrial-nss-ha-xl-mounts.service
    rm -f /usr/local/sbin/seatrial-nss-ha-xl-mounts
}
##### store the UUIDs of created volumes (5)
# 0. store the UUIDs of created volumes
check_0() {
    volumes_are_noted /var/lib/seatrial/made/nss-ha-xl/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
}
apply_0() {
    note_volumes /var/lib/seatrial/made/nss-ha-xl/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
}
##### refuse symbolic links (7)
# 0. refuse symbolic links
check_0() {
    set +e
    no_planted script-glusterfs
}
apply_0() { refuse; }
##### refuse volumes of another owner on /dev/ubdb, /dev/ubdc
# 0. refuse volumes of another owner on /dev/ubdb, /dev/ubdc
check_0() {
    set +e
    only_own_volumes /var/lib/seatrial/made/script-glusterfs/volumes '' /dev/ubdb /dev/ubdc
}
apply_0() { refuse; }
##### refuse an occupied mount point: /mnt/script-glusterfs
# 0. refuse an occupied mount point: /mnt/script-glusterfs
check_0() {
    set +e
    no_other_mount script-glusterfs /mnt/script-glusterfs
}
apply_0() { refuse; }
##### refuse another cluster (6)
# 0. refuse another cluster
check_0() {
    set +e
    no_other_cluster script-glusterfs script-glusterfs
}
apply_0() { refuse; }
##### mark this node for script-glusterfs
# 0. mark this node for script-glusterfs
check_0() { [ -e /var/lib/seatrial/made/script-glusterfs/mark ]; }
apply_0() {
    umask 077
    mkdir -p /var/lib/seatrial/made/script-glusterfs
    chmod 700 /var/lib/seatrial/made /var/lib/seatrial/made/script-glusterfs
    : >/var/lib/seatrial/made/script-glusterfs/left
    : >/var/lib/seatrial/made/script-glusterfs/mark
}
##### install glusterd, mkfs.xfs, setfattr
# 0. install glusterd, mkfs.xfs, setfattr
check_0() { have_commands glusterd mkfs.xfs setfattr; }
apply_0() {
    note_installed /var/lib/seatrial/made/script-glusterfs/packages
    install_packages 'attr glusterfs-server xfsprogs' 'attr glusterfs-server xfsprogs'
}
##### install mount.glusterfs
# 0. install mount.glusterfs
check_0() { have_commands mount.glusterfs; }
apply_0() {
    note_installed /var/lib/seatrial/made/script-glusterfs/packages
    install_packages glusterfs-client glusterfs-client
}
##### set MTU 9000 on the link to c1 (3)
# 0. set MTU 9000 on the link to c1
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_0() { mtu_is 9000 ahostsv4 c1; }
apply_0() { set_mtu 9000 /var/lib/seatrial/made/script-glusterfs/before ahostsv4 c1; }
##### set MTU 9000 on the link to s1 (2)
# 0. set MTU 9000 on the link to s1
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_0() { mtu_is 9000 ahostsv4 s1; }
apply_0() { set_mtu 9000 /var/lib/seatrial/made/script-glusterfs/before ahostsv4 s1; }
##### start glusterd
# 0. start glusterd
check_0() {
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
systemctl -q is-active glusterd
systemctl -q is-enabled glusterd
SEATRIAL
    )
    sh -euc "$script" glusterd-runs.sh 3>&-
}
apply_0() {
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
systemctl -q --no-reload enable glusterd
systemctl start glusterd
SEATRIAL
    )
    sh -euc "$script" start-glusterd.sh 3>&-
}
##### add every server to the pool
# 0. add every server to the pool
check_0() {
    export SEATRIAL_ADDRESS=s1
    export SEATRIAL_SERVER_ADDRESSES='s1 s2'
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# Every server is a connected peer.
pool=$(gluster --mode=script pool list)
for address in $SEATRIAL_SERVER_ADDRESSES; do
    [ "$address" = "$SEATRIAL_ADDRESS" ] || echo "$pool" | grep -q "[[:space:]]${address}[[:space:]]*Connected"
done
SEATRIAL
    )
    sh -euc "$script" pool-whole.sh 3>&-
}
apply_0() {
    export SEATRIAL_ADDRESS=s1
    export SEATRIAL_SERVER_ADDRESSES='s1 s2'
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# Peers exchange their state before they can be used. This takes some seconds.
for address in $SEATRIAL_SERVER_ADDRESSES; do
    [ "$address" = "$SEATRIAL_ADDRESS" ] && continue
    gluster --mode=script peer probe "$address"
    tries=0
    until gluster --mode=script peer status | grep -A2 "^Hostname: $address\$" |
        grep -q 'State: Peer in Cluster (Connected)'; do
        tries=$((tries + 1))
        [ "$tries" -lt 60 ]
        sleep 0.5
    done
done
SEATRIAL
    )
    sh -euc "$script" join-pool.sh 3>&-
}
##### set the ping timeout to PING_TIMEOUT seconds
# 0. set the ping timeout to PING_TIMEOUT seconds
#    why: every client of the server waits until then; a new connection is expensive
check_0() {
    export SEATRIAL_STUDY=script-glusterfs
    export PING_TIMEOUT=10
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
gluster --mode=script volume get "$SEATRIAL_STUDY" network.ping-timeout |
    grep -q "^network.ping-timeout  *$PING_TIMEOUT\( \|\$\)"
SEATRIAL
    )
    sh -euc "$script" ping-timeout-set.sh 3>&-
}
apply_0() {
    export SEATRIAL_STUDY=script-glusterfs
    export PING_TIMEOUT=10
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
gluster --mode=script volume set "$SEATRIAL_STUDY" network.ping-timeout "$PING_TIMEOUT"
SEATRIAL
    )
    sh -euc "$script" set-ping-timeout.sh 3>&-
}
##### load the FUSE module
# 0. load the FUSE module
check_0() {
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
[ -e /dev/fuse ]
SEATRIAL
    )
    sh -euc "$script" fuse-loaded.sh 3>&-
}
apply_0() {
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
modprobe fuse
SEATRIAL
    )
    sh -euc "$script" load-fuse.sh 3>&-
}
##### enable the mount of /mnt/script-glusterfs at boot
# 0. enable the mount of /mnt/script-glusterfs at boot
check_0() { fstab_has s1,s2:/script-glusterfs /mnt/script-glusterfs glusterfs noatime,_netdev; }
apply_0() {
    put_fstab_line s1,s2:/script-glusterfs /mnt/script-glusterfs glusterfs noatime,_netdev
}
##### mount s1,s2:/script-glusterfs at /mnt/script-glusterfs with noatime
# 0. mount s1,s2:/script-glusterfs at /mnt/script-glusterfs with noatime
check_0() {
    mount_is /mnt/script-glusterfs 's1,s2:/script-glusterfs glusterfs noatime' /run/seatrial-script-glusterfs.mount
}
apply_0() {
    put_mount /mnt/script-glusterfs mount -t glusterfs -o noatime s1,s2:/script-glusterfs /mnt/script-glusterfs
    note_mount /mnt/script-glusterfs 's1,s2:/script-glusterfs glusterfs noatime' /run/seatrial-script-glusterfs.mount
}
##### write /usr/local/sbin/seatrial-script-glusterfs-network
# 0. write /usr/local/sbin/seatrial-script-glusterfs-network
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# What script-glusterfs has set on this node, after a boot.
# (sh/: link_to)
# (sh/: mtu_is)
# (sh/: set_mtu)
# (sh/: set_mtu_of)
bad=0
# set MTU 9000 on the link to c1
if ! (
mtu_is 9000 ahostsv4 c1
) >/dev/null 2>&1; then
(
set -e
set_mtu 9000 /var/lib/seatrial/made/script-glusterfs/before ahostsv4 c1
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-script-glusterfs-network; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-script-glusterfs-network 755
    restart_if_active seatrial-script-glusterfs-network
}
##### write /etc/systemd/system/seatrial-script-glusterfs-network.service
# 0. write /etc/systemd/system/seatrial-script-glusterfs-network.service
content_0() { cat <<'SEATRIAL'
[Unit]
Description=what script-glusterfs has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-script-glusterfs-network
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
}
check_0() {
    without_systemd || content | file_is /etc/systemd/system/seatrial-script-glusterfs-network.service
}
apply_0() {
    content | write_file /etc/systemd/system/seatrial-script-glusterfs-network.service
    reread_unit seatrial-script-glusterfs-network.service
    restart_if_active seatrial-script-glusterfs-network
}
##### install the boot-time settings of network (6)
# 0. install the boot-time settings of network
#    why: a fenced node must come back with the same settings
check_0() { without_systemd || unit_runs seatrial-script-glusterfs-network; }
apply_0() { start_unit seatrial-script-glusterfs-network; }
##### remove the boot-time settings of mounts (6)
# 0. remove the boot-time settings of mounts
check_0() {
    no_file /etc/systemd/system/seatrial-script-glusterfs-mounts.service /usr/local/sbin/seatrial-script-glusterfs-mounts
}
apply_0() {
    remove_unit seatrial-script-glusterfs-mounts /etc/systemd/system/seatrial-script-glusterfs-mounts.service
    rm -f /usr/local/sbin/seatrial-script-glusterfs-mounts
}
##### write /usr/local/sbin/seatrial-script-glusterfs-network (2)
# 0. write /usr/local/sbin/seatrial-script-glusterfs-network
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# What script-glusterfs has set on this node, after a boot.
# (sh/: link_to)
# (sh/: mtu_is)
# (sh/: set_mtu)
# (sh/: set_mtu_of)
bad=0
# set MTU 9000 on the link to s1
if ! (
mtu_is 9000 ahostsv4 s1
) >/dev/null 2>&1; then
(
set -e
set_mtu 9000 /var/lib/seatrial/made/script-glusterfs/before ahostsv4 s1
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-script-glusterfs-network; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-script-glusterfs-network 755
    restart_if_active seatrial-script-glusterfs-network
}
##### refuse disks that are in use: create the ext4 file system on /dev/ubdb
# 0. refuse disks that are in use: create the ext4 file system on /dev/ubdb
check_0() {
    set +e
    (
    [ "$(blkid -p -o value -s LABEL /dev/ubdb)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/ubdb)" = ext4 ]
    ) >/dev/null 2>&1 && is_deployed small /dev/ubdb && exit 0
    look_disks small st-small '' /dev/ubdb
}
apply_0() { refuse; }
##### install smbd, wipefs, mkfs.ext4
# 0. install smbd, wipefs, mkfs.ext4
check_0() { have_commands smbd wipefs mkfs.ext4; }
apply_0() {
    note_installed /var/lib/seatrial/made/small/packages
    install_disabled /usr/sbin/smbd 'smbd.service nmbd.service samba-ad-dc.service' 'e2fsprogs samba util-linux' 'e2fsprogs samba util-linux'
}
##### install mount.cifs
# 0. install mount.cifs
check_0() { have_commands mount.cifs; }
apply_0() {
    note_installed /var/lib/seatrial/made/small/packages
    install_packages cifs-utils cifs-utils
}
##### create the ext4 file system on /dev/ubdb
# 0. create the ext4 file system on /dev/ubdb
check_0() {
    [ "$(blkid -p -o value -s LABEL /dev/ubdb)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/ubdb)" = ext4 ]
}
guard_0() {
    all_must_be_blank /dev/ubdb
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/ubdb
}
apply_0() { mkfs.ext4 -q -b 4096 -L st-small -E lazy_itable_init=0,lazy_journal_init=0 /dev/ubdb; }
##### enable the mount of /srv/small at boot (2)
# 0. enable the mount of /srv/small at boot
check_0() { fstab_has /dev/ubdb /srv/small ext4 noatime,nofail; }
apply_0() { put_fstab_line /dev/ubdb /srv/small ext4 noatime,nofail; }
##### store the password, readable by root only
# 0. store the password, readable by root only
content_0() { cat <<'SEATRIAL'
password=seatrial-lab
SEATRIAL
}
check_0() { content | file_is /etc/seatrial-small.credentials; }
apply_0() { content | write_file /etc/seatrial-small.credentials 600; }
##### give /srv/small to the user seatrial-small
# 0. give /srv/small to the user seatrial-small
check_0() { [ "$(stat -c %U /srv/small)" = seatrial-small ]; }
apply_0() {
    if ! getent passwd seatrial-small >/dev/null; then
        owner=$(stat -c %u /srv/small)
        [ "$owner" != 0 ] || owner=
        useradd --system ${owner:+--uid $owner} --no-create-home --home-dir /nonexistent \
            --shell /usr/sbin/nologin seatrial-small
    fi
    chown seatrial-small /srv/small
}
##### create the folders of Samba
# 0. create the folders of Samba
check_0() { [ -d /var/lib/seatrial-smb-small/private ]; }
apply_0() {
    mkdir -p -m 755 /var/lib/seatrial-smb-small
    mkdir -m 700 /var/lib/seatrial-smb-small/private
}
##### set the Samba password of seatrial-small
# 0. set the Samba password of seatrial-small
check_0() {
    cmp -s /etc/seatrial-small.credentials /var/lib/seatrial-smb-small/private/credentials &&
    pdbedit -s /etc/samba/seatrial-small.conf -L -u seatrial-small >/dev/null
}
apply_0() {
    password=$(sed -n 's/^password=//p' /etc/seatrial-small.credentials)
    [ -n "$password" ] || { echo '/etc/seatrial-small.credentials has no line password=...'; exit 1; }
    printf '%s\n%s\n' "$password" "$password" | smbpasswd -c /etc/samba/seatrial-small.conf -s -a seatrial-small
    cp /etc/seatrial-small.credentials /var/lib/seatrial-smb-small/private/credentials
}
##### write /etc/systemd/system/seatrial-smbd-small.service
# 0. write /etc/systemd/system/seatrial-smbd-small.service
content_0() { cat <<'SEATRIAL'
[Unit]
Description=Samba share small of Seatrial
Wants=network-online.target
After=network-online.target
RequiresMountsFor=/srv/small
StartLimitIntervalSec=0

[Service]
Type=notify
RuntimeDirectory=seatrial-smb-small
ExecStartPre=/bin/cp /etc/samba/seatrial-small.conf /run/seatrial-smb-small/smb.conf
ExecStart=/usr/sbin/smbd --foreground --no-process-group --configfile=/run/seatrial-smb-small/smb.conf --log-basename=/var/lib/seatrial-smb-small
LimitNOFILE=16384

[Install]
WantedBy=multi-user.target
SEATRIAL
}
check_0() { content | file_is /etc/systemd/system/seatrial-smbd-small.service; }
apply_0() {
    content | write_file /etc/systemd/system/seatrial-smbd-small.service
    reread_unit seatrial-smbd-small.service
}
##### check that port 445 is free
# 0. check that port 445 is free
check_0() {
    systemctl -q is-active seatrial-smbd-small.service ||
    ! grep -q ':01BD 0*:0000 0A ' /proc/net/tcp /proc/net/tcp6
}
apply_0() {
    echo 'port 445 is taken; stop what listens there, or take another server:'
    ss -Hltnp sport = :445
    exit 1
}
##### write /usr/local/sbin/seatrial-small-network (4)
# 0. write /usr/local/sbin/seatrial-small-network
content_0() { cat <<'SEATRIAL'
#!/bin/sh
# What small has set on this node, after a boot.
# (sh/: link_to)
# (sh/: mtu_is)
# (sh/: set_mtu)
# (sh/: set_mtu_of)
bad=0
# set MTU 9000 on the link to c1
if ! (
mtu_is 9000 ahostsv4 c1
) >/dev/null 2>&1; then
(
set -e
set_mtu 9000 /var/lib/seatrial/made/small/before ahostsv4 c1
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_0() { content | file_is /usr/local/sbin/seatrial-small-network; }
apply_0() {
    content | write_file /usr/local/sbin/seatrial-small-network 755
    restart_if_active seatrial-small-network
}
##### refuse disks that are in use: create the ext4 file system on /dev/sdb
# 0. refuse disks that are in use: create the ext4 file system on /dev/sdb
check_0() {
    set +e
    (
    [ "$(blkid -p -o value -s LABEL /dev/sdb)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/sdb)" = ext4 ]
    ) >/dev/null 2>&1 && is_deployed small /dev/sdb && exit 0
    look_disks small st-small '' /dev/sdb
}
apply_0() { refuse; }
##### create the ext4 file system on /dev/sdb
# 0. create the ext4 file system on /dev/sdb
check_0() {
    [ "$(blkid -p -o value -s LABEL /dev/sdb)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/sdb)" = ext4 ]
}
guard_0() {
    all_must_be_blank /dev/sdb
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/sdb
}
apply_0() { mkfs.ext4 -q -b 4096 -L st-small -E lazy_itable_init=0,lazy_journal_init=0 /dev/sdb; }
##### refuse volumes of another owner on /dev/sdb
# 0. refuse volumes of another owner on /dev/sdb
check_0() {
    set +e
    only_own_volumes /var/lib/seatrial/made/small/volumes '' /dev/sdb
}
apply_0() { refuse; }
##### enable the mount of /srv/small at boot (3)
# 0. enable the mount of /srv/small at boot
check_0() { fstab_has /dev/sdb /srv/small ext4 noatime,nofail; }
apply_0() { put_fstab_line /dev/sdb /srv/small ext4 noatime,nofail; }
##### restore the read-ahead of /dev/sdb
# 0. restore the read-ahead of /dev/sdb
check_0() { [ ! -e /run/seatrial-small.filesystem-readahead ]; }
apply_0() {
    if read -r ahead </run/seatrial-small.filesystem-readahead; then echo $ahead >/sys/class/bdi/$(mountpoint -d /srv/small)/read_ahead_kb; fi
    rm /run/seatrial-small.filesystem-readahead
}
##### configure a dedicated Samba server: sync strict, encryption auto, signing auto
# 0. configure a dedicated Samba server: sync strict, encryption auto, signing auto
content_0() { cat <<'SEATRIAL'
[global]
server role = standalone server
smb ports = 445
disable netbios = yes
load printers = no
printcap name = /dev/null
disable spoolss = yes
rpc start on demand helpers = no
usershare max shares = 0
server smb encrypt = if_required
server signing = auto
map to guest = never
restrict anonymous = 2
pid directory = /run/seatrial-smb-small
ncalrpc dir = /run/seatrial-smb-small/ncalrpc
lock directory = /var/lib/seatrial-smb-small/lock
state directory = /var/lib/seatrial-smb-small/state
cache directory = /var/lib/seatrial-smb-small/cache
private dir = /var/lib/seatrial-smb-small/private
log file = /var/lib/seatrial-smb-small/log.smbd

[small]
path = /srv/small
read only = no
valid users = seatrial-small
case sensitive = yes
strict sync = yes
sync always = no
SEATRIAL
}
check_0() { content | file_is /etc/samba/seatrial-small.conf; }
apply_0() { content | write_file /etc/samba/seatrial-small.conf; }
##### start the Samba server
# 0. start the Samba server
#    why: sync strict: flushed data are on the disks before the server answers
check_0() {
    systemctl -q is-active seatrial-smbd-small.service && cmp -s /etc/samba/seatrial-small.conf /run/seatrial-smb-small/smb.conf &&
    [ -e /etc/systemd/system/multi-user.target.wants/seatrial-smbd-small.service ]
}
apply_0() {
    mkdir -p -m 755 /var/lib/seatrial-smb-small
    systemctl -q --no-reload enable seatrial-smbd-small.service
    systemctl restart seatrial-smbd-small.service
}
##### store the UUIDs of created volumes (6)
# 0. store the UUIDs of created volumes
check_0() { volumes_are_noted /var/lib/seatrial/made/small/volumes /dev/sdb; }
apply_0() { note_volumes /var/lib/seatrial/made/small/volumes /dev/sdb; }
##### install smbd, wipefs, mdadm, mkfs.ext4
# 0. install smbd, wipefs, mdadm, mkfs.ext4
check_0() { have_commands smbd wipefs mdadm mkfs.ext4; }
apply_0() {
    note_installed /var/lib/seatrial/made/small/packages
    install_disabled /usr/sbin/smbd 'smbd.service nmbd.service samba-ad-dc.service' 'e2fsprogs mdadm samba util-linux' 'e2fsprogs mdadm samba util-linux'
}
##### unmount another file system at /mnt/small
# 0. unmount another file system at /mnt/small
check_0() {
    ! grep -q ' /mnt/small ' /proc/mounts || {
    mount_is /mnt/small '//nas/small vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard' /run/seatrial-small.mount
    }
}
apply_0() { unmount_all /mnt/small; }
##### enable the mount of /mnt/small at boot (2)
# 0. enable the mount of /mnt/small at boot
check_0() {
    fstab_has //nas/small /mnt/small cifs vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard,_netdev
}
apply_0() {
    put_fstab_line //nas/small /mnt/small cifs vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard,_netdev
}
##### mount //nas/small at /mnt/small with vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard
# 0. mount //nas/small at /mnt/small with vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard
check_0() {
    mount_is /mnt/small '//nas/small vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard' /run/seatrial-small.mount
}
apply_0() {
    put_mount /mnt/small mount -t cifs -o vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard //nas/small /mnt/small
    note_mount /mnt/small '//nas/small vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard' /run/seatrial-small.mount
}
##### refuse to remove storage that small did not create
# 0. refuse to remove storage that small did not create
check_0() {
    set +e
    [ ! -e /var/lib/seatrial/made/small/mark ] || exit 0
    found=
    (
    is_unmounted /mnt/small
    ) >/dev/null 2>&1 ||
        would_change 'unmount /mnt/small' small /var/lib/seatrial/made/small/mark
    (
    no_fstab_line /mnt/small
    ) >/dev/null 2>&1 ||
        would_change 'disable the mount of /mnt/small at boot' small /var/lib/seatrial/made/small/mark
    (
    no_file /etc/seatrial-small.key
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/seatrial-small.key' small /var/lib/seatrial/made/small/mark
    (
    no_file /etc/seatrial-small.known-hosts
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/seatrial-small.known-hosts' small /var/lib/seatrial/made/small/mark
    [ -z "$found" ]
}
apply_0() { refuse; }
##### remove /etc/seatrial-small.key
# 0. remove /etc/seatrial-small.key
check_0() { no_file /etc/seatrial-small.key; }
apply_0() { rm -f /etc/seatrial-small.key; }
##### remove /etc/seatrial-small.known-hosts
# 0. remove /etc/seatrial-small.known-hosts
check_0() { no_file /etc/seatrial-small.known-hosts; }
apply_0() { rm -f /etc/seatrial-small.known-hosts; }
##### install sshd, wipefs, mkfs.ext4
# 0. install sshd, wipefs, mkfs.ext4
check_0() { have_commands sshd wipefs mkfs.ext4; }
apply_0() {
    note_installed /var/lib/seatrial/made/small/packages
    install_packages 'e2fsprogs openssh-server util-linux' 'e2fsprogs openssh-server util-linux'
}
##### install sshfs
# 0. install sshfs
check_0() { have_commands sshfs; }
apply_0() {
    note_installed /var/lib/seatrial/made/small/packages
    install_packages sshfs fuse-sshfs
}
##### create the user seatrial
# 0. create the user seatrial
check_0() { getent passwd seatrial >/dev/null; }
apply_0() {
    useradd --create-home --home-dir /home/seatrial --shell /bin/sh seatrial
    usermod --password '*' seatrial
}
##### permit the clients, for SFTP only
# 0. permit the clients, for SFTP only
content_0() { cat <<'SEATRIAL'
restrict,command="internal-sftp" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPIU7+6sxC+UsfkwjBXYnButjqb8rvbBCYncz85TD1Gg seatrial-lab
SEATRIAL
}
check_0() { content | file_is /home/seatrial/.ssh/authorized_keys; }
apply_0() { content | write_file /home/seatrial/.ssh/authorized_keys; }
##### give /srv/small to seatrial
# 0. give /srv/small to seatrial
check_0() { [ "$(stat -c %U /srv/small)" = seatrial ]; }
apply_0() { chown seatrial /srv/small; }
##### install the lab's key for the mount
# 0. install the lab's key for the mount
content_0() { cat <<'SEATRIAL'
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACDyFO/urMQvlLH5MIwV2JwbrY6m/K72wQmJ3M/OUw9RoAAAAJCxu6wysbus
MgAAAAtzc2gtZWQyNTUxOQAAACDyFO/urMQvlLH5MIwV2JwbrY6m/K72wQmJ3M/OUw9RoA
AAAED2NBgpJFORnk+gOevVi9/isH+X0Ds5TrU2z9/jGr//OfIU7+6sxC+UsfkwjBXYnBut
jqb8rvbBCYncz85TD1GgAAAADHNlYXRyaWFsLWxhYgE=
-----END OPENSSH PRIVATE KEY-----
SEATRIAL
}
check_0() { content | file_is /etc/seatrial-small.key; }
apply_0() { content | write_file /etc/seatrial-small.key 600; }
##### install the host keys of nas
# 0. install the host keys of nas
content_0() { cat <<'SEATRIAL'
@learned:ssh host keys@
SEATRIAL
}
check_0() { content | file_is /etc/seatrial-small.known-hosts; }
apply_0() { content | write_file /etc/seatrial-small.known-hosts; }
