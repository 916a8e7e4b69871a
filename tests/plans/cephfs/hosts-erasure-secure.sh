##### stage 1, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 1 of 11: look, and change nothing
# (the preamble)

# (look.sh)
# 1. follow no link
check_1() {
    set +e
    no_planted gpfs-nsd
}
guard_1() { :; }
apply_1() {
    set +e
    no_planted gpfs-nsd
    exit 1
}

# 2. leave other clusters alone
check_2() {
    set +e
    no_other_cluster gpfs-nsd gpfs-nsd
}
guard_2() { :; }
apply_2() {
    set +e
    no_other_cluster gpfs-nsd gpfs-nsd
    exit 1
}

# 3. use no disk twice
check_3() {
    set +e
    look_twice /dev/sdb /dev/sdc
}
guard_3() { :; }
apply_3() {
    set +e
    look_twice /dev/sdb /dev/sdc
    exit 1
}

# 4. overwrite nothing that is somebody's: make osd.0 on /dev/sdb
check_4() {
    set +e
    (
    [ -s /var/lib/ceph/osd/ceph-0/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000000 ]
    ) >/dev/null 2>&1 && exit 0
    look_disks gpfs-nsd '' '' /dev/sdb
}
guard_4() { :; }
apply_4() {
    set +e
    (
    [ -s /var/lib/ceph/osd/ceph-0/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000000 ]
    ) >/dev/null 2>&1 && exit 0
    look_disks gpfs-nsd '' '' /dev/sdb
    exit 1
}

# 5. overwrite nothing that is somebody's: make osd.1 on /dev/sdc
check_5() {
    set +e
    (
    [ -s /var/lib/ceph/osd/ceph-1/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000001 ]
    ) >/dev/null 2>&1 && exit 0
    look_disks gpfs-nsd '' '' /dev/sdc
}
guard_5() { :; }
apply_5() {
    set +e
    (
    [ -s /var/lib/ceph/osd/ceph-1/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000001 ]
    ) >/dev/null 2>&1 && exit 0
    look_disks gpfs-nsd '' '' /dev/sdc
    exit 1
}

# 6. leave other Ceph clusters alone
check_6() {
    told=nobody
    [ ! -e /var/lib/ceph/seatrial ] || read -r told </var/lib/ceph/seatrial
    for found in /etc/ceph/ceph.conf /var/lib/ceph/mon/* /var/lib/ceph/osd/* /var/lib/ceph/mds/* /var/lib/ceph/mgr/*; do
        [ ! -e "$found" ] || [ "$told" = "gpfs-nsd 5a3a7e86-9b10-4c3f-8f7a-0c6f1e2d3b4a" ] || exit 1
    done
    case $told in nobody | "gpfs-nsd 5a3a7e86-9b10-4c3f-8f7a-0c6f1e2d3b4a") ;; *) exit 1 ;; esac
}
guard_6() { :; }
apply_6() {
    told=nobody
    [ ! -e /var/lib/ceph/seatrial ] || read -r told </var/lib/ceph/seatrial
    echo "refused: this node has /etc/ceph/ceph.conf or parts of a Ceph cluster in /var/lib/ceph that this study has not made"
    echo "(the mark says: $told); nothing was changed; take the node out of that cluster first"
    exit 1
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    step 6
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 1, s2 #####
as on s1, but for:
@@ -43 +43 @@
+# 4. overwrite nothing that is somebody's: make osd.2 on /dev/sdb
@@ -47 +47 @@
+    [ -s /var/lib/ceph/osd/ceph-2/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000002 ]
@@ -55 +55 @@
+    [ -s /var/lib/ceph/osd/ceph-2/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000002 ]
@@ -61 +61 @@
+# 5. overwrite nothing that is somebody's: make osd.3 on /dev/sdc
@@ -65 +65 @@
+    [ -s /var/lib/ceph/osd/ceph-3/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000003 ]
@@ -73 +73 @@
+    [ -s /var/lib/ceph/osd/ceph-3/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000003 ]
##### stage 1, s3 #####
as on s1, but for:
@@ -43 +43 @@
+# 4. overwrite nothing that is somebody's: make osd.4 on /dev/sdb
@@ -47 +47 @@
+    [ -s /var/lib/ceph/osd/ceph-4/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000004 ]
@@ -55 +55 @@
+    [ -s /var/lib/ceph/osd/ceph-4/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000004 ]
@@ -61 +61 @@
+# 5. overwrite nothing that is somebody's: make osd.5 on /dev/sdc
@@ -65 +65 @@
+    [ -s /var/lib/ceph/osd/ceph-5/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000005 ]
@@ -73 +73 @@
+    [ -s /var/lib/ceph/osd/ceph-5/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000005 ]
##### stage 1, s4 #####
as on s1, but for:
@@ -43 +43 @@
+# 4. overwrite nothing that is somebody's: make osd.6 on /dev/sdb
@@ -47 +47 @@
+    [ -s /var/lib/ceph/osd/ceph-6/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000006 ]
@@ -55 +55 @@
+    [ -s /var/lib/ceph/osd/ceph-6/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000006 ]
@@ -61 +61 @@
+# 5. overwrite nothing that is somebody's: make osd.7 on /dev/sdc
@@ -65 +65 @@
+    [ -s /var/lib/ceph/osd/ceph-7/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000007 ]
@@ -73 +73 @@
+    [ -s /var/lib/ceph/osd/ceph-7/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000007 ]
##### stage 1, c[1-28] #####
as on s1, but for:
@@ -19 +19 @@
+# 2. mount over nothing: /mnt/gpfs-nsd
@@ -22 +22 @@
+    no_other_mount gpfs-nsd /mnt/gpfs-nsd
@@ -27 +27 @@
+    no_other_mount gpfs-nsd /mnt/gpfs-nsd
@@ -31 +31 @@
+# 3. leave other clusters alone
@@ -34 +34 @@
+    no_other_cluster gpfs-nsd gpfs-nsd
@@ -39,55 +39 @@
+    no_other_cluster gpfs-nsd gpfs-nsd
@@ -101,3 +46,0 @@
##### stage 2, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 2 of 11: mark
# (the preamble)

# (kept.sh)
# 1. note that gpfs-nsd builds on this node
check_1() {
    [ -e /var/lib/seatrial/made/gpfs-nsd/mark ]
}
guard_1() { :; }
apply_1() {
    umask 077
    mkdir -p /var/lib/seatrial/made/gpfs-nsd
    chmod 700 /var/lib/seatrial/made /var/lib/seatrial/made/gpfs-nsd
    : >/var/lib/seatrial/made/gpfs-nsd/left
    : >/var/lib/seatrial/made/gpfs-nsd/mark
}

# 2. keep how ceph-mon.target, ceph.target, ceph-mgr.target, ceph-osd.target are
check_2() {
    units_are_kept /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-mgr.target ceph-osd.target
}
guard_2() { :; }
apply_2() {
    keep_units /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-mgr.target ceph-osd.target
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 2, s2 #####
as on s1, but for:
@@ -20 +20 @@
+# 2. keep how ceph-mon.target, ceph.target, ceph-osd.target are
@@ -22 +22 @@
+    units_are_kept /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-osd.target
@@ -26 +26 @@
+    keep_units /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-osd.target
##### stage 2, s3 #####
as on s1, but for:
@@ -20 +20 @@
+# 2. keep how ceph-mon.target, ceph.target, ceph-mds.target, ceph-osd.target are
@@ -22 +22 @@
+    units_are_kept /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-mds.target ceph-osd.target
@@ -26 +26 @@
+    keep_units /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-mds.target ceph-osd.target
##### stage 2, s4 #####
as on s1, but for:
@@ -20 +20 @@
+# 2. keep how ceph-mds.target, ceph.target, ceph-osd.target are
@@ -22 +22 @@
+    units_are_kept /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mds.target ceph.target ceph-osd.target
@@ -26 +26 @@
+    keep_units /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mds.target ceph.target ceph-osd.target
##### stage 2, c[1-28] #####
as on s1, but for:
@@ -6 +5,0 @@
@@ -20,9 +18,0 @@
@@ -31 +20,0 @@
##### stage 3, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 3 of 11: packages
# (the preamble)

# 1. have ceph-mon, ceph-mgr, ceph-mds, ceph-osd, ceph
check_1() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v ceph-mon >/dev/null &&
    command -v ceph-mgr >/dev/null &&
    command -v ceph-mds >/dev/null &&
    command -v ceph-osd >/dev/null &&
    command -v ceph >/dev/null
}
guard_1() { :; }
apply_1() {
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ceph-common ceph-mds ceph-mgr ceph-mon ceph-osd
    else
        dnf install -y ceph-common ceph-mds ceph-mgr ceph-mon ceph-osd
    fi
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 3, c[1-28] #####
as on s[1-4], but for:
@@ -6 +6 @@
+# 1. have mount.ceph
@@ -9,5 +9 @@
+    command -v mount.ceph >/dev/null
@@ -18 +14 @@
+        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends ceph-common
@@ -20 +16 @@
+        dnf install -y ceph-common
##### stage 4, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 4 of 11: secrets
# (the preamble)

# 1. have a secret in /etc/seatrial/ceph, for root alone
check_1() {
    [ -s /etc/seatrial/ceph ] && [ "$(stat -c %a:%u /etc/seatrial/ceph)" = 600:0 ] && read -r secret </etc/seatrial/ceph && [ ${#secret} -ge 32 ]
}
guard_1() { :; }
apply_1() {
    echo "/etc/seatrial/ceph has to be there, owned by root, of mode 600, with one line of 32 characters "
    echo "or more, the same on every node that the study says; make it with: openssl rand -hex 32"
    exit 1
}

# 2. have a secret in /etc/seatrial/ceph-client, for root alone
check_2() {
    [ -s /etc/seatrial/ceph-client ] && [ "$(stat -c %a:%u /etc/seatrial/ceph-client)" = 600:0 ] && read -r secret </etc/seatrial/ceph-client && [ ${#secret} -ge 32 ]
}
guard_2() { :; }
apply_2() {
    echo "/etc/seatrial/ceph-client has to be there, owned by root, of mode 600, with one line of 32 characters "
    echo "or more, the same on every node that the study says; make it with: openssl rand -hex 32"
    exit 1
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 4, c[1-28] #####
as on s[1-4], but for:
@@ -6 +6 @@
+# 1. have a secret in /etc/seatrial/ceph-client, for root alone
@@ -8 +8 @@
+    [ -s /etc/seatrial/ceph-client ] && [ "$(stat -c %a:%u /etc/seatrial/ceph-client)" = 600:0 ] && read -r secret </etc/seatrial/ceph-client && [ ${#secret} -ge 32 ]
@@ -12 +12 @@
+    echo "/etc/seatrial/ceph-client has to be there, owned by root, of mode 600, with one line of 32 characters "
@@ -17 +17 @@
+# 2. keep the client's key for root alone
@@ -19 +19 @@
+    [ -s /etc/seatrial/gpfs-nsd.ceph.key ] && [ "$(stat -c %a:%U /etc/seatrial/gpfs-nsd.ceph.key)" = 600:root ]
@@ -23,3 +23,4 @@
+    umask 077
+    mkdir -p /etc/seatrial
+    { read -r secret </etc/seatrial/ceph-client; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.gpfs-nsd | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0 >/etc/seatrial/gpfs-nsd.ceph.key.new
+    mv /etc/seatrial/gpfs-nsd.ceph.key.new /etc/seatrial/gpfs-nsd.ceph.key
##### stage 5, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 5 of 11: configuration
# (the preamble)

# 1. note that what Ceph has on this node is the study's
check_1() {
    [ -s /var/lib/ceph/seatrial ] && read -r told </var/lib/ceph/seatrial && [ "$told" = "gpfs-nsd 5a3a7e86-9b10-4c3f-8f7a-0c6f1e2d3b4a" ]
}
guard_1() { :; }
apply_1() {
    mkdir -p /var/lib/ceph
    echo "gpfs-nsd 5a3a7e86-9b10-4c3f-8f7a-0c6f1e2d3b4a" >/var/lib/ceph/seatrial
}

# 2. configure the cluster: members, cephx, timers, memory
check_2() {
    cmp -s /etc/ceph/ceph.conf - <<'SEATRIAL'
[global]
fsid = 5a3a7e86-9b10-4c3f-8f7a-0c6f1e2d3b4a
mon_initial_members = s1, s2, s3
mon_host = s1, s2, s3
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
auth_allow_insecure_global_id_reclaim = false
ms_cluster_mode = secure
ms_service_mode = secure
ms_client_mode = secure
ms_mon_cluster_mode = secure
ms_mon_service_mode = secure
ms_mon_client_mode = secure
ms_bind_ipv6 = false
osd_crush_chooseleaf_type = 1
osd_pool_default_pg_autoscale_mode = off
mon_allow_pool_size_one = false
mon_max_pg_per_osd = 1000
osd_heartbeat_interval = 6
osd_heartbeat_grace = 20
mon_osd_adjust_heartbeat_grace = false
mon_osd_adjust_down_out_interval = false
mon_osd_min_down_reporters = 2
mon_osd_reporter_subtree_level = host
mon_osd_down_out_interval = 600
osd_max_markdown_count = 100
mds_beacon_interval = 4
mds_beacon_grace = 15
mds_reconnect_timeout = 45
mon_lease = 5
mon_election_timeout = 5
mds_beacon_mon_down_grace = 60
mon_client_ping_interval = 10
mon_client_ping_timeout = 30
mon_tick_interval = 5

[mgr]
mgr_initial_modules = 
mgr_disabled_modules = alerts cephadm dashboard diskprediction_local influx insights iostat k8sevents localpool mds_autoscaler mirroring nfs osd_perf_query osd_support prometheus restful rook selftest snap_schedule stats telegraf test_orchestrator zabbix

[osd]
osd_memory_target = 4294967296

[mds]
mds_cache_memory_limit = 2147483648
SEATRIAL
}
guard_2() { :; }
apply_2() {
    mkdir -p /etc/ceph
    cat >/etc/ceph/ceph.conf.new <<'SEATRIAL' || { rm -f /etc/ceph/ceph.conf.new; exit 1; }
[global]
fsid = 5a3a7e86-9b10-4c3f-8f7a-0c6f1e2d3b4a
mon_initial_members = s1, s2, s3
mon_host = s1, s2, s3
auth_cluster_required = cephx
auth_service_required = cephx
auth_client_required = cephx
auth_allow_insecure_global_id_reclaim = false
ms_cluster_mode = secure
ms_service_mode = secure
ms_client_mode = secure
ms_mon_cluster_mode = secure
ms_mon_service_mode = secure
ms_mon_client_mode = secure
ms_bind_ipv6 = false
osd_crush_chooseleaf_type = 1
osd_pool_default_pg_autoscale_mode = off
mon_allow_pool_size_one = false
mon_max_pg_per_osd = 1000
osd_heartbeat_interval = 6
osd_heartbeat_grace = 20
mon_osd_adjust_heartbeat_grace = false
mon_osd_adjust_down_out_interval = false
mon_osd_min_down_reporters = 2
mon_osd_reporter_subtree_level = host
mon_osd_down_out_interval = 600
osd_max_markdown_count = 100
mds_beacon_interval = 4
mds_beacon_grace = 15
mds_reconnect_timeout = 45
mon_lease = 5
mon_election_timeout = 5
mds_beacon_mon_down_grace = 60
mon_client_ping_interval = 10
mon_client_ping_timeout = 30
mon_tick_interval = 5

[mgr]
mgr_initial_modules = 
mgr_disabled_modules = alerts cephadm dashboard diskprediction_local influx insights iostat k8sevents localpool mds_autoscaler mirroring nfs osd_perf_query osd_support prometheus restful rook selftest snap_schedule stats telegraf test_orchestrator zabbix

[osd]
osd_memory_target = 4294967296

[mds]
mds_cache_memory_limit = 2147483648
SEATRIAL
    mv /etc/ceph/ceph.conf.new /etc/ceph/ceph.conf
}

# 3. have a helper that asks the monitors
check_3() {
    cmp -s /usr/local/lib/seatrial/ceph-cluster - <<'SEATRIAL'
#!/usr/bin/python3
"""Asks the monitors of a Ceph cluster, and tells them: one process for many commands, as each `ceph` starts a Python.

usage: ceph-cluster WHAT FILE; FILE is JSON and says what is wanted.
  osds, osds-check    every OSD has its number
  files, files-check  pools, file system and the layout of its root
  standing            prints what `ceph status` does, as JSON
  caches              OSDs forget what they have read
  fail                the active metadata server gives up its rank
"""
import errno
import json
import sys
import time

import rados

WAIT_S = 240


class Refused(Exception):
    """A command that a daemon refused."""


def ask(cluster, prefix, **arguments):
    """What the monitors answer to a command."""
    command = json.dumps({"prefix": prefix, "format": "json", **arguments})
    code, out, words = cluster.mon_command(command, b"", timeout=30)
    if code:
        raise Refused(f"{prefix}: {errno.errorcode.get(abs(code), code)}: {words}")
    return json.loads(out) if out.strip() else {}


def osds_missing(cluster, wanted):
    there = {item["osd"]: item["uuid"] for item in ask(cluster, "osd dump")["osds"]}
    for number, uuid in enumerate(wanted["osds"]):
        if there.get(number, uuid) != uuid:
            raise Refused(f"osd.{number} is another one here: {there[number]}")
    return [(number, uuid) for number, uuid in enumerate(wanted["osds"]) if number not in there]


def osds(cluster, wanted):
    # Before a manager starts: it would make a pool of its own for the disks' health.
    ask(cluster, "config set", who="mgr", name="mgr/devicehealth/enable_monitoring", value="false", force=True)
    for number, uuid in osds_missing(cluster, wanted):
        ask(cluster, "osd new", uuid=uuid, id=number)


def pool_differs(there, pool):
    """What of a pool is not as wanted; None where it is not there."""
    found = there.get(pool["name"])
    if found is None:
        return None
    size = {} if pool["profile"] else {"size": pool["size"]}
    asked = {**size, "min_size": pool["min_size"], "pg_num": pool["pg_num"]}
    return {key: value for key, value in asked.items() if found[key] != value}


def differences(cluster, wanted):
    """All that is not as wanted, as words."""
    there = {item["pool_name"]: item for item in ask(cluster, "osd dump")["pools"]}
    found = [f"pool {item['name']}" for item in wanted["pools"] if pool_differs(there, item) != {}]
    systems = {item["mdsmap"]["fs_name"]: item["mdsmap"] for item in ask(cluster, "fs dump")["filesystems"]}
    if wanted["fs"] not in systems:
        return [*found, f"file system {wanted['fs']}"]
    mdsmap = systems[wanted["fs"]]
    if bool(mdsmap["flags"] & 32) != wanted["standby_replay"]:
        found.append("standby-replay")
    numbers = {item["pool"] for name, item in there.items() if name in [pool["name"] for pool in wanted["pools"][1:]]}
    if not numbers <= set(mdsmap["data_pools"]):
        found.append("data pools")
    return found or layout_differs(wanted)


def layout_differs(wanted):
    root = Root(wanted["fs"])
    try:
        return [f"layout: {key}" for key, value in wanted["layout"].items() if root.get(key) != value]
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
        """Sizes at once: one after the other, an object is no multiple of its unit for a while.

        The pool by itself: in a list, MDS 16.2 takes no name with a dash.
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
    ask(cluster, "fs set", fs_name=wanted["fs"], var="allow_standby_replay", val=str(wanted["standby_replay"]).lower())
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
        create = {"pool": name, "pg_num": pool["pg_num"], "pgp_num": pool["pg_num"], "autoscale_mode": "off"}
        if pool["profile"]:
            ask(cluster, "osd erasure-code-profile set", name=name, profile=pool["profile"])
            ask(cluster, "osd pool create", pool_type="erasure", erasure_code_profile=name, **create)
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
    """Until a metadata server is active and every placement group serves."""
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
            raise Refused(f"metadata servers: {ranks}; {serving} of {all_groups} placement groups serve: {groups}")
        time.sleep(1)


def caches(cluster, wanted):
    for number in range(len(wanted["osds"])):
        code, _, words = cluster.osd_command(number, json.dumps({"prefix": "cache drop"}), b"", timeout=30)
        if code:
            raise Refused(f"osd.{number}: cache drop: {words}")


def main():
    what, path = sys.argv[1:]
    with open(path, encoding="ascii") as file:
        wanted = json.load(file)
    cluster = rados.Rados(conffile="/etc/ceph/ceph.conf", name="client.admin", conf={"rados_mon_op_timeout": "30"})
    cluster.connect(timeout=30)
    try:
        if what == "standing":
            print(json.dumps(ask(cluster, "status")))
        elif what == "fail":
            ask(cluster, "mds fail", role_or_gid=f"{wanted['fs']}:0")
        elif what.endswith("-check"):
            found = osds_missing(cluster, wanted) if what == "osds-check" else differences(cluster, wanted)
            for item in found:
                print(f"there: not as asked: {item}")
            return 1 if found else 0
        else:
            {"osds": osds, "files": files, "caches": caches}[what](cluster, wanted)
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
guard_3() { :; }
apply_3() {
    mkdir -p /usr/local/lib/seatrial
    cat >/usr/local/lib/seatrial/ceph-cluster.new <<'SEATRIAL' || { rm -f /usr/local/lib/seatrial/ceph-cluster.new; exit 1; }
#!/usr/bin/python3
"""Asks the monitors of a Ceph cluster, and tells them: one process for many commands, as each `ceph` starts a Python.

usage: ceph-cluster WHAT FILE; FILE is JSON and says what is wanted.
  osds, osds-check    every OSD has its number
  files, files-check  pools, file system and the layout of its root
  standing            prints what `ceph status` does, as JSON
  caches              OSDs forget what they have read
  fail                the active metadata server gives up its rank
"""
import errno
import json
import sys
import time

import rados

WAIT_S = 240


class Refused(Exception):
    """A command that a daemon refused."""


def ask(cluster, prefix, **arguments):
    """What the monitors answer to a command."""
    command = json.dumps({"prefix": prefix, "format": "json", **arguments})
    code, out, words = cluster.mon_command(command, b"", timeout=30)
    if code:
        raise Refused(f"{prefix}: {errno.errorcode.get(abs(code), code)}: {words}")
    return json.loads(out) if out.strip() else {}


def osds_missing(cluster, wanted):
    there = {item["osd"]: item["uuid"] for item in ask(cluster, "osd dump")["osds"]}
    for number, uuid in enumerate(wanted["osds"]):
        if there.get(number, uuid) != uuid:
            raise Refused(f"osd.{number} is another one here: {there[number]}")
    return [(number, uuid) for number, uuid in enumerate(wanted["osds"]) if number not in there]


def osds(cluster, wanted):
    # Before a manager starts: it would make a pool of its own for the disks' health.
    ask(cluster, "config set", who="mgr", name="mgr/devicehealth/enable_monitoring", value="false", force=True)
    for number, uuid in osds_missing(cluster, wanted):
        ask(cluster, "osd new", uuid=uuid, id=number)


def pool_differs(there, pool):
    """What of a pool is not as wanted; None where it is not there."""
    found = there.get(pool["name"])
    if found is None:
        return None
    size = {} if pool["profile"] else {"size": pool["size"]}
    asked = {**size, "min_size": pool["min_size"], "pg_num": pool["pg_num"]}
    return {key: value for key, value in asked.items() if found[key] != value}


def differences(cluster, wanted):
    """All that is not as wanted, as words."""
    there = {item["pool_name"]: item for item in ask(cluster, "osd dump")["pools"]}
    found = [f"pool {item['name']}" for item in wanted["pools"] if pool_differs(there, item) != {}]
    systems = {item["mdsmap"]["fs_name"]: item["mdsmap"] for item in ask(cluster, "fs dump")["filesystems"]}
    if wanted["fs"] not in systems:
        return [*found, f"file system {wanted['fs']}"]
    mdsmap = systems[wanted["fs"]]
    if bool(mdsmap["flags"] & 32) != wanted["standby_replay"]:
        found.append("standby-replay")
    numbers = {item["pool"] for name, item in there.items() if name in [pool["name"] for pool in wanted["pools"][1:]]}
    if not numbers <= set(mdsmap["data_pools"]):
        found.append("data pools")
    return found or layout_differs(wanted)


def layout_differs(wanted):
    root = Root(wanted["fs"])
    try:
        return [f"layout: {key}" for key, value in wanted["layout"].items() if root.get(key) != value]
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
        """Sizes at once: one after the other, an object is no multiple of its unit for a while.

        The pool by itself: in a list, MDS 16.2 takes no name with a dash.
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
    ask(cluster, "fs set", fs_name=wanted["fs"], var="allow_standby_replay", val=str(wanted["standby_replay"]).lower())
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
        create = {"pool": name, "pg_num": pool["pg_num"], "pgp_num": pool["pg_num"], "autoscale_mode": "off"}
        if pool["profile"]:
            ask(cluster, "osd erasure-code-profile set", name=name, profile=pool["profile"])
            ask(cluster, "osd pool create", pool_type="erasure", erasure_code_profile=name, **create)
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
    """Until a metadata server is active and every placement group serves."""
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
            raise Refused(f"metadata servers: {ranks}; {serving} of {all_groups} placement groups serve: {groups}")
        time.sleep(1)


def caches(cluster, wanted):
    for number in range(len(wanted["osds"])):
        code, _, words = cluster.osd_command(number, json.dumps({"prefix": "cache drop"}), b"", timeout=30)
        if code:
            raise Refused(f"osd.{number}: cache drop: {words}")


def main():
    what, path = sys.argv[1:]
    with open(path, encoding="ascii") as file:
        wanted = json.load(file)
    cluster = rados.Rados(conffile="/etc/ceph/ceph.conf", name="client.admin", conf={"rados_mon_op_timeout": "30"})
    cluster.connect(timeout=30)
    try:
        if what == "standing":
            print(json.dumps(ask(cluster, "status")))
        elif what == "fail":
            ask(cluster, "mds fail", role_or_gid=f"{wanted['fs']}:0")
        elif what.endswith("-check"):
            found = osds_missing(cluster, wanted) if what == "osds-check" else differences(cluster, wanted)
            for item in found:
                print(f"there: not as asked: {item}")
            return 1 if found else 0
        else:
            {"osds": osds, "files": files, "caches": caches}[what](cluster, wanted)
    finally:
        cluster.shutdown()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Refused, rados.Error) as error:
        sys.exit(str(error))
SEATRIAL
    chmod 755 /usr/local/lib/seatrial/ceph-cluster.new
    mv /usr/local/lib/seatrial/ceph-cluster.new /usr/local/lib/seatrial/ceph-cluster
}

# 4. say which pools and which file system there are
check_4() {
    cmp -s /etc/ceph/seatrial-gpfs-nsd.json - <<'SEATRIAL'
{
 "fs": "gpfs-nsd",
 "rule": "gpfs-nsd-by-host",
 "osds": [
  "5a3a7e86-9b10-4c3f-8f7a-000000000000",
  "5a3a7e86-9b10-4c3f-8f7a-000000000001",
  "5a3a7e86-9b10-4c3f-8f7a-000000000002",
  "5a3a7e86-9b10-4c3f-8f7a-000000000003",
  "5a3a7e86-9b10-4c3f-8f7a-000000000004",
  "5a3a7e86-9b10-4c3f-8f7a-000000000005",
  "5a3a7e86-9b10-4c3f-8f7a-000000000006",
  "5a3a7e86-9b10-4c3f-8f7a-000000000007"
 ],
 "pools": [
  {
   "name": "gpfs-nsd-metadata",
   "size": 3,
   "min_size": 2,
   "pg_num": 8,
   "profile": []
  },
  {
   "name": "gpfs-nsd-default",
   "size": 3,
   "min_size": 2,
   "pg_num": 8,
   "profile": []
  },
  {
   "name": "gpfs-nsd-data",
   "size": 3,
   "min_size": 3,
   "pg_num": 64,
   "profile": [
    "k=2",
    "m=1",
    "crush-failure-domain=host"
   ]
  }
 ],
 "layout": {
  "stripe_unit": "4194304",
  "stripe_count": "1",
  "object_size": "4194304",
  "pool": "gpfs-nsd-data"
 },
 "standby_replay": true
}
SEATRIAL
}
guard_4() { :; }
apply_4() {
    mkdir -p /etc/ceph
    cat >/etc/ceph/seatrial-gpfs-nsd.json.new <<'SEATRIAL' || { rm -f /etc/ceph/seatrial-gpfs-nsd.json.new; exit 1; }
{
 "fs": "gpfs-nsd",
 "rule": "gpfs-nsd-by-host",
 "osds": [
  "5a3a7e86-9b10-4c3f-8f7a-000000000000",
  "5a3a7e86-9b10-4c3f-8f7a-000000000001",
  "5a3a7e86-9b10-4c3f-8f7a-000000000002",
  "5a3a7e86-9b10-4c3f-8f7a-000000000003",
  "5a3a7e86-9b10-4c3f-8f7a-000000000004",
  "5a3a7e86-9b10-4c3f-8f7a-000000000005",
  "5a3a7e86-9b10-4c3f-8f7a-000000000006",
  "5a3a7e86-9b10-4c3f-8f7a-000000000007"
 ],
 "pools": [
  {
   "name": "gpfs-nsd-metadata",
   "size": 3,
   "min_size": 2,
   "pg_num": 8,
   "profile": []
  },
  {
   "name": "gpfs-nsd-default",
   "size": 3,
   "min_size": 2,
   "pg_num": 8,
   "profile": []
  },
  {
   "name": "gpfs-nsd-data",
   "size": 3,
   "min_size": 3,
   "pg_num": 64,
   "profile": [
    "k=2",
    "m=1",
    "crush-failure-domain=host"
   ]
  }
 ],
 "layout": {
  "stripe_unit": "4194304",
  "stripe_count": "1",
  "object_size": "4194304",
  "pool": "gpfs-nsd-data"
 },
 "standby_replay": true
}
SEATRIAL
    mv /etc/ceph/seatrial-gpfs-nsd.json.new /etc/ceph/seatrial-gpfs-nsd.json
}

# 5. keep the administrator's key for root alone
check_5() {
    [ -s /etc/ceph/ceph.client.admin.keyring ] && [ "$(stat -c %a:%U /etc/ceph/ceph.client.admin.keyring)" = 600:root ]
}
guard_5() { :; }
apply_5() {
    umask 077
    mkdir -p /etc/ceph
    {
        printf '[%s]\nkey = %s\n' client.admin "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.admin | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/etc/ceph/ceph.client.admin.keyring.new
    chown root:root /etc/ceph/ceph.client.admin.keyring.new
    mv /etc/ceph/ceph.client.admin.keyring.new /etc/ceph/ceph.client.admin.keyring
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 6, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 6 of 11: monitors
# (the preamble)

# 1. make the monitor's store, mon.s1
check_1() {
    [ -e /var/lib/ceph/mon/ceph-s1/done ]
}
guard_1() { :; }
apply_1() {
    umask 077
    work=$(mktemp -d)
    {
        printf '[%s]\nkey = %s\n' mon. "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mon. | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow *"'
        printf '[%s]\nkey = %s\n' client.admin "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.admin | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow *"'
        echo 'caps mgr = "allow *"'
        echo 'caps mds = "allow *"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' client.gpfs-nsd "$({ read -r secret </etc/seatrial/ceph-client; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.gpfs-nsd | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow r"'
        echo 'caps mds = "allow rw"'
        echo 'caps osd = "allow rw tag cephfs data=gpfs-nsd"'
        printf '[%s]\nkey = %s\n' mgr.s1 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mgr.s1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mgr"'
        echo 'caps mds = "allow *"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' mds.s3 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.s3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mds"'
        echo 'caps mgr = "allow profile mds"'
        echo 'caps osd = "allow rwx"'
        echo 'caps mds = "allow"'
        printf '[%s]\nkey = %s\n' mds.s4 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.s4 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mds"'
        echo 'caps mgr = "allow profile mds"'
        echo 'caps osd = "allow rwx"'
        echo 'caps mds = "allow"'
        printf '[%s]\nkey = %s\n' osd.0 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.0 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.1 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.2 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.3 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.4 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.4 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.5 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.5 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.6 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.6 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.7 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.7 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
    } >$work/keyring
    address_0=$(getent ahostsv4 s1 | { read -r first rest; echo "$first"; })
    address_1=$(getent ahostsv4 s2 | { read -r first rest; echo "$first"; })
    address_2=$(getent ahostsv4 s3 | { read -r first rest; echo "$first"; })
    monmaptool --create --fsid 5a3a7e86-9b10-4c3f-8f7a-0c6f1e2d3b4a --addv s1 "[v2:$address_0:3300,v1:$address_0:6789]" --addv s2 "[v2:$address_1:3300,v1:$address_1:6789]" --addv s3 "[v2:$address_2:3300,v1:$address_2:6789]" $work/map
    chown -R ceph:ceph $work
    rm -rf /var/lib/ceph/mon/ceph-s1
    install -d -o ceph -g ceph /var/lib/ceph/mon/ceph-s1
    ceph-mon --mkfs -i s1 --monmap $work/map --keyring $work/keyring --setuser ceph --setgroup ceph
    rm -rf $work
    touch /var/lib/ceph/mon/ceph-s1/done
}

# 2. start the monitor mon.s1
check_2() {
    systemctl -q is-active ceph-mon@s1 && systemctl -q is-enabled ceph-mon@s1 && [ /var/lib/ceph/seatrial-started-mon-s1 -nt /etc/ceph/ceph.conf ]
}
guard_2() { :; }
apply_2() {
    systemctl -q enable ceph-mon@s1 ceph-mon.target ceph.target
    systemctl reset-failed ceph-mon@s1 2>/dev/null || true
    systemctl restart ceph-mon@s1
    touch /var/lib/ceph/seatrial-started-mon-s1
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 6, s2 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. make the monitor's store, mon.s2
@@ -8 +8 @@
+    [ -e /var/lib/ceph/mon/ceph-s2/done ]
@@ -78,3 +78,3 @@
+    rm -rf /var/lib/ceph/mon/ceph-s2
+    install -d -o ceph -g ceph /var/lib/ceph/mon/ceph-s2
+    ceph-mon --mkfs -i s2 --monmap $work/map --keyring $work/keyring --setuser ceph --setgroup ceph
@@ -82 +82 @@
+    touch /var/lib/ceph/mon/ceph-s2/done
@@ -85 +85 @@
+# 2. start the monitor mon.s2
@@ -87 +87 @@
+    systemctl -q is-active ceph-mon@s2 && systemctl -q is-enabled ceph-mon@s2 && [ /var/lib/ceph/seatrial-started-mon-s2 -nt /etc/ceph/ceph.conf ]
@@ -91,4 +91,4 @@
+    systemctl -q enable ceph-mon@s2 ceph-mon.target ceph.target
+    systemctl reset-failed ceph-mon@s2 2>/dev/null || true
+    systemctl restart ceph-mon@s2
+    touch /var/lib/ceph/seatrial-started-mon-s2
##### stage 6, s3 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. make the monitor's store, mon.s3
@@ -8 +8 @@
+    [ -e /var/lib/ceph/mon/ceph-s3/done ]
@@ -78,3 +78,3 @@
+    rm -rf /var/lib/ceph/mon/ceph-s3
+    install -d -o ceph -g ceph /var/lib/ceph/mon/ceph-s3
+    ceph-mon --mkfs -i s3 --monmap $work/map --keyring $work/keyring --setuser ceph --setgroup ceph
@@ -82 +82 @@
+    touch /var/lib/ceph/mon/ceph-s3/done
@@ -85 +85 @@
+# 2. start the monitor mon.s3
@@ -87 +87 @@
+    systemctl -q is-active ceph-mon@s3 && systemctl -q is-enabled ceph-mon@s3 && [ /var/lib/ceph/seatrial-started-mon-s3 -nt /etc/ceph/ceph.conf ]
@@ -91,4 +91,4 @@
+    systemctl -q enable ceph-mon@s3 ceph-mon.target ceph.target
+    systemctl reset-failed ceph-mon@s3 2>/dev/null || true
+    systemctl restart ceph-mon@s3
+    touch /var/lib/ceph/seatrial-started-mon-s3
##### stage 7, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 7 of 11: numbers
# (the preamble)

# 1. give every OSD its number
check_1() {
    python3 /usr/local/lib/seatrial/ceph-cluster osds-check /etc/ceph/seatrial-gpfs-nsd.json
}
guard_1() { :; }
apply_1() {
    python3 /usr/local/lib/seatrial/ceph-cluster osds /etc/ceph/seatrial-gpfs-nsd.json
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 8, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 8 of 11: managers and metadata servers
# (the preamble)

# 1. keep the key of mgr.s1
check_1() {
    [ -s /var/lib/ceph/mgr/ceph-s1/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/mgr/ceph-s1/keyring)" = 600:ceph ]
}
guard_1() { :; }
apply_1() {
    umask 077
    mkdir -p /var/lib/ceph/mgr/ceph-s1
    {
        printf '[%s]\nkey = %s\n' mgr.s1 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mgr.s1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/mgr/ceph-s1/keyring.new
    chown ceph:ceph /var/lib/ceph/mgr/ceph-s1/keyring.new
    mv /var/lib/ceph/mgr/ceph-s1/keyring.new /var/lib/ceph/mgr/ceph-s1/keyring
    chown ceph:ceph /var/lib/ceph/mgr/ceph-s1
}

# 2. start mgr.s1
check_2() {
    systemctl -q is-active ceph-mgr@s1 && systemctl -q is-enabled ceph-mgr@s1 && [ /var/lib/ceph/seatrial-started-mgr-s1 -nt /etc/ceph/ceph.conf ]
}
guard_2() { :; }
apply_2() {
    systemctl -q enable ceph-mgr@s1 ceph-mgr.target ceph.target
    systemctl reset-failed ceph-mgr@s1 2>/dev/null || true
    systemctl restart ceph-mgr@s1
    touch /var/lib/ceph/seatrial-started-mgr-s1
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 8, s3 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 8 of 11: managers and metadata servers
# (the preamble)

# 1. keep the key of mds.s3
check_1() {
    [ -s /var/lib/ceph/mds/ceph-s3/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/mds/ceph-s3/keyring)" = 600:ceph ]
}
guard_1() { :; }
apply_1() {
    umask 077
    mkdir -p /var/lib/ceph/mds/ceph-s3
    {
        printf '[%s]\nkey = %s\n' mds.s3 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.s3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/mds/ceph-s3/keyring.new
    chown ceph:ceph /var/lib/ceph/mds/ceph-s3/keyring.new
    mv /var/lib/ceph/mds/ceph-s3/keyring.new /var/lib/ceph/mds/ceph-s3/keyring
    chown ceph:ceph /var/lib/ceph/mds/ceph-s3
}

# 2. start mds.s3
check_2() {
    systemctl -q is-active ceph-mds@s3 && systemctl -q is-enabled ceph-mds@s3 && [ /var/lib/ceph/seatrial-started-mds-s3 -nt /etc/ceph/ceph.conf ]
}
guard_2() { :; }
apply_2() {
    systemctl -q enable ceph-mds@s3 ceph-mds.target ceph.target
    systemctl reset-failed ceph-mds@s3 2>/dev/null || true
    systemctl restart ceph-mds@s3
    touch /var/lib/ceph/seatrial-started-mds-s3
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 8, s4 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 8 of 11: managers and metadata servers
# (the preamble)

# 1. keep the key of mds.s4
check_1() {
    [ -s /var/lib/ceph/mds/ceph-s4/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/mds/ceph-s4/keyring)" = 600:ceph ]
}
guard_1() { :; }
apply_1() {
    umask 077
    mkdir -p /var/lib/ceph/mds/ceph-s4
    {
        printf '[%s]\nkey = %s\n' mds.s4 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.s4 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/mds/ceph-s4/keyring.new
    chown ceph:ceph /var/lib/ceph/mds/ceph-s4/keyring.new
    mv /var/lib/ceph/mds/ceph-s4/keyring.new /var/lib/ceph/mds/ceph-s4/keyring
    chown ceph:ceph /var/lib/ceph/mds/ceph-s4
}

# 2. start mds.s4
check_2() {
    systemctl -q is-active ceph-mds@s4 && systemctl -q is-enabled ceph-mds@s4 && [ /var/lib/ceph/seatrial-started-mds-s4 -nt /etc/ceph/ceph.conf ]
}
guard_2() { :; }
apply_2() {
    systemctl -q enable ceph-mds@s4 ceph-mds.target ceph.target
    systemctl reset-failed ceph-mds@s4 2>/dev/null || true
    systemctl restart ceph-mds@s4
    touch /var/lib/ceph/seatrial-started-mds-s4
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 9, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 9 of 11: OSDs
# (the preamble)

# 1. let OSDs open their disks after every boot
check_1() {
    cmp -s /etc/systemd/system/ceph-osd@.service.d/seatrial.conf - <<'SEATRIAL'
[Unit]
# A daemon that died often in a trial is still to be started again.
StartLimitIntervalSec=0
[Service]
ExecStartPre=/bin/chown ceph:ceph /var/lib/ceph/osd/ceph-%i/block
SEATRIAL
}
guard_1() { :; }
apply_1() {
    mkdir -p /etc/systemd/system/ceph-osd@.service.d
    cat >/etc/systemd/system/ceph-osd@.service.d/seatrial.conf.new <<'SEATRIAL' || { rm -f /etc/systemd/system/ceph-osd@.service.d/seatrial.conf.new; exit 1; }
[Unit]
# A daemon that died often in a trial is still to be started again.
StartLimitIntervalSec=0
[Service]
ExecStartPre=/bin/chown ceph:ceph /var/lib/ceph/osd/ceph-%i/block
SEATRIAL
    mv /etc/systemd/system/ceph-osd@.service.d/seatrial.conf.new /etc/systemd/system/ceph-osd@.service.d/seatrial.conf
    systemctl daemon-reload
}

# 2. make osd.0 on /dev/sdb
check_2() {
    [ -s /var/lib/ceph/osd/ceph-0/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000000 ]
}
guard_2() { all_must_be_blank /dev/sdb; }
apply_2() {
    rm -rf /var/lib/ceph/osd/ceph-0
    install -d -o ceph -g ceph /var/lib/ceph/osd/ceph-0
    ln -s /dev/sdb /var/lib/ceph/osd/ceph-0/block
    chown ceph:ceph /dev/sdb
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-0
    {
        printf '[%s]\nkey = %s\n' osd.0 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.0 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-0/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-0/keyring.new
    mv /var/lib/ceph/osd/ceph-0/keyring.new /var/lib/ceph/osd/ceph-0/keyring
    echo bluestore >/var/lib/ceph/osd/ceph-0/type
    chown ceph:ceph /var/lib/ceph/osd/ceph-0/type
    ceph-osd -i 0 --mkfs --osd-uuid 5a3a7e86-9b10-4c3f-8f7a-000000000000 --no-mon-config --setuser ceph --setgroup ceph
}

# 3. keep the key of osd.0
check_3() {
    [ -s /var/lib/ceph/osd/ceph-0/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-0/keyring)" = 600:ceph ]
}
guard_3() { :; }
apply_3() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-0
    {
        printf '[%s]\nkey = %s\n' osd.0 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.0 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-0/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-0/keyring.new
    mv /var/lib/ceph/osd/ceph-0/keyring.new /var/lib/ceph/osd/ceph-0/keyring
}

# 4. start osd.0
check_4() {
    systemctl -q is-active ceph-osd@0 && systemctl -q is-enabled ceph-osd@0 && [ /var/lib/ceph/seatrial-started-osd-0 -nt /etc/ceph/ceph.conf ]
}
guard_4() { :; }
apply_4() {
    systemctl -q enable ceph-osd@0 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@0 2>/dev/null || true
    systemctl restart ceph-osd@0
    touch /var/lib/ceph/seatrial-started-osd-0
}

# 5. make osd.1 on /dev/sdc
check_5() {
    [ -s /var/lib/ceph/osd/ceph-1/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000001 ]
}
guard_5() { all_must_be_blank /dev/sdc; }
apply_5() {
    rm -rf /var/lib/ceph/osd/ceph-1
    install -d -o ceph -g ceph /var/lib/ceph/osd/ceph-1
    ln -s /dev/sdc /var/lib/ceph/osd/ceph-1/block
    chown ceph:ceph /dev/sdc
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-1
    {
        printf '[%s]\nkey = %s\n' osd.1 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-1/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-1/keyring.new
    mv /var/lib/ceph/osd/ceph-1/keyring.new /var/lib/ceph/osd/ceph-1/keyring
    echo bluestore >/var/lib/ceph/osd/ceph-1/type
    chown ceph:ceph /var/lib/ceph/osd/ceph-1/type
    ceph-osd -i 1 --mkfs --osd-uuid 5a3a7e86-9b10-4c3f-8f7a-000000000001 --no-mon-config --setuser ceph --setgroup ceph
}

# 6. keep the key of osd.1
check_6() {
    [ -s /var/lib/ceph/osd/ceph-1/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-1/keyring)" = 600:ceph ]
}
guard_6() { :; }
apply_6() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-1
    {
        printf '[%s]\nkey = %s\n' osd.1 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-1/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-1/keyring.new
    mv /var/lib/ceph/osd/ceph-1/keyring.new /var/lib/ceph/osd/ceph-1/keyring
}

# 7. start osd.1
check_7() {
    systemctl -q is-active ceph-osd@1 && systemctl -q is-enabled ceph-osd@1 && [ /var/lib/ceph/seatrial-started-osd-1 -nt /etc/ceph/ceph.conf ]
}
guard_7() { :; }
apply_7() {
    systemctl -q enable ceph-osd@1 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@1 2>/dev/null || true
    systemctl restart ceph-osd@1
    touch /var/lib/ceph/seatrial-started-osd-1
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    step 6
    step 7
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 9, s2 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 9 of 11: OSDs
# (the preamble)

# 1. let OSDs open their disks after every boot
check_1() {
    cmp -s /etc/systemd/system/ceph-osd@.service.d/seatrial.conf - <<'SEATRIAL'
[Unit]
# A daemon that died often in a trial is still to be started again.
StartLimitIntervalSec=0
[Service]
ExecStartPre=/bin/chown ceph:ceph /var/lib/ceph/osd/ceph-%i/block
SEATRIAL
}
guard_1() { :; }
apply_1() {
    mkdir -p /etc/systemd/system/ceph-osd@.service.d
    cat >/etc/systemd/system/ceph-osd@.service.d/seatrial.conf.new <<'SEATRIAL' || { rm -f /etc/systemd/system/ceph-osd@.service.d/seatrial.conf.new; exit 1; }
[Unit]
# A daemon that died often in a trial is still to be started again.
StartLimitIntervalSec=0
[Service]
ExecStartPre=/bin/chown ceph:ceph /var/lib/ceph/osd/ceph-%i/block
SEATRIAL
    mv /etc/systemd/system/ceph-osd@.service.d/seatrial.conf.new /etc/systemd/system/ceph-osd@.service.d/seatrial.conf
    systemctl daemon-reload
}

# 2. make osd.2 on /dev/sdb
check_2() {
    [ -s /var/lib/ceph/osd/ceph-2/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000002 ]
}
guard_2() { all_must_be_blank /dev/sdb; }
apply_2() {
    rm -rf /var/lib/ceph/osd/ceph-2
    install -d -o ceph -g ceph /var/lib/ceph/osd/ceph-2
    ln -s /dev/sdb /var/lib/ceph/osd/ceph-2/block
    chown ceph:ceph /dev/sdb
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-2
    {
        printf '[%s]\nkey = %s\n' osd.2 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-2/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-2/keyring.new
    mv /var/lib/ceph/osd/ceph-2/keyring.new /var/lib/ceph/osd/ceph-2/keyring
    echo bluestore >/var/lib/ceph/osd/ceph-2/type
    chown ceph:ceph /var/lib/ceph/osd/ceph-2/type
    ceph-osd -i 2 --mkfs --osd-uuid 5a3a7e86-9b10-4c3f-8f7a-000000000002 --no-mon-config --setuser ceph --setgroup ceph
}

# 3. keep the key of osd.2
check_3() {
    [ -s /var/lib/ceph/osd/ceph-2/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-2/keyring)" = 600:ceph ]
}
guard_3() { :; }
apply_3() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-2
    {
        printf '[%s]\nkey = %s\n' osd.2 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-2/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-2/keyring.new
    mv /var/lib/ceph/osd/ceph-2/keyring.new /var/lib/ceph/osd/ceph-2/keyring
}

# 4. start osd.2
check_4() {
    systemctl -q is-active ceph-osd@2 && systemctl -q is-enabled ceph-osd@2 && [ /var/lib/ceph/seatrial-started-osd-2 -nt /etc/ceph/ceph.conf ]
}
guard_4() { :; }
apply_4() {
    systemctl -q enable ceph-osd@2 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@2 2>/dev/null || true
    systemctl restart ceph-osd@2
    touch /var/lib/ceph/seatrial-started-osd-2
}

# 5. make osd.3 on /dev/sdc
check_5() {
    [ -s /var/lib/ceph/osd/ceph-3/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000003 ]
}
guard_5() { all_must_be_blank /dev/sdc; }
apply_5() {
    rm -rf /var/lib/ceph/osd/ceph-3
    install -d -o ceph -g ceph /var/lib/ceph/osd/ceph-3
    ln -s /dev/sdc /var/lib/ceph/osd/ceph-3/block
    chown ceph:ceph /dev/sdc
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-3
    {
        printf '[%s]\nkey = %s\n' osd.3 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-3/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-3/keyring.new
    mv /var/lib/ceph/osd/ceph-3/keyring.new /var/lib/ceph/osd/ceph-3/keyring
    echo bluestore >/var/lib/ceph/osd/ceph-3/type
    chown ceph:ceph /var/lib/ceph/osd/ceph-3/type
    ceph-osd -i 3 --mkfs --osd-uuid 5a3a7e86-9b10-4c3f-8f7a-000000000003 --no-mon-config --setuser ceph --setgroup ceph
}

# 6. keep the key of osd.3
check_6() {
    [ -s /var/lib/ceph/osd/ceph-3/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-3/keyring)" = 600:ceph ]
}
guard_6() { :; }
apply_6() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-3
    {
        printf '[%s]\nkey = %s\n' osd.3 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-3/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-3/keyring.new
    mv /var/lib/ceph/osd/ceph-3/keyring.new /var/lib/ceph/osd/ceph-3/keyring
}

# 7. start osd.3
check_7() {
    systemctl -q is-active ceph-osd@3 && systemctl -q is-enabled ceph-osd@3 && [ /var/lib/ceph/seatrial-started-osd-3 -nt /etc/ceph/ceph.conf ]
}
guard_7() { :; }
apply_7() {
    systemctl -q enable ceph-osd@3 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@3 2>/dev/null || true
    systemctl restart ceph-osd@3
    touch /var/lib/ceph/seatrial-started-osd-3
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    step 6
    step 7
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 9, s3 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 9 of 11: OSDs
# (the preamble)

# 1. let OSDs open their disks after every boot
check_1() {
    cmp -s /etc/systemd/system/ceph-osd@.service.d/seatrial.conf - <<'SEATRIAL'
[Unit]
# A daemon that died often in a trial is still to be started again.
StartLimitIntervalSec=0
[Service]
ExecStartPre=/bin/chown ceph:ceph /var/lib/ceph/osd/ceph-%i/block
SEATRIAL
}
guard_1() { :; }
apply_1() {
    mkdir -p /etc/systemd/system/ceph-osd@.service.d
    cat >/etc/systemd/system/ceph-osd@.service.d/seatrial.conf.new <<'SEATRIAL' || { rm -f /etc/systemd/system/ceph-osd@.service.d/seatrial.conf.new; exit 1; }
[Unit]
# A daemon that died often in a trial is still to be started again.
StartLimitIntervalSec=0
[Service]
ExecStartPre=/bin/chown ceph:ceph /var/lib/ceph/osd/ceph-%i/block
SEATRIAL
    mv /etc/systemd/system/ceph-osd@.service.d/seatrial.conf.new /etc/systemd/system/ceph-osd@.service.d/seatrial.conf
    systemctl daemon-reload
}

# 2. make osd.4 on /dev/sdb
check_2() {
    [ -s /var/lib/ceph/osd/ceph-4/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000004 ]
}
guard_2() { all_must_be_blank /dev/sdb; }
apply_2() {
    rm -rf /var/lib/ceph/osd/ceph-4
    install -d -o ceph -g ceph /var/lib/ceph/osd/ceph-4
    ln -s /dev/sdb /var/lib/ceph/osd/ceph-4/block
    chown ceph:ceph /dev/sdb
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-4
    {
        printf '[%s]\nkey = %s\n' osd.4 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.4 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-4/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-4/keyring.new
    mv /var/lib/ceph/osd/ceph-4/keyring.new /var/lib/ceph/osd/ceph-4/keyring
    echo bluestore >/var/lib/ceph/osd/ceph-4/type
    chown ceph:ceph /var/lib/ceph/osd/ceph-4/type
    ceph-osd -i 4 --mkfs --osd-uuid 5a3a7e86-9b10-4c3f-8f7a-000000000004 --no-mon-config --setuser ceph --setgroup ceph
}

# 3. keep the key of osd.4
check_3() {
    [ -s /var/lib/ceph/osd/ceph-4/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-4/keyring)" = 600:ceph ]
}
guard_3() { :; }
apply_3() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-4
    {
        printf '[%s]\nkey = %s\n' osd.4 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.4 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-4/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-4/keyring.new
    mv /var/lib/ceph/osd/ceph-4/keyring.new /var/lib/ceph/osd/ceph-4/keyring
}

# 4. start osd.4
check_4() {
    systemctl -q is-active ceph-osd@4 && systemctl -q is-enabled ceph-osd@4 && [ /var/lib/ceph/seatrial-started-osd-4 -nt /etc/ceph/ceph.conf ]
}
guard_4() { :; }
apply_4() {
    systemctl -q enable ceph-osd@4 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@4 2>/dev/null || true
    systemctl restart ceph-osd@4
    touch /var/lib/ceph/seatrial-started-osd-4
}

# 5. make osd.5 on /dev/sdc
check_5() {
    [ -s /var/lib/ceph/osd/ceph-5/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000005 ]
}
guard_5() { all_must_be_blank /dev/sdc; }
apply_5() {
    rm -rf /var/lib/ceph/osd/ceph-5
    install -d -o ceph -g ceph /var/lib/ceph/osd/ceph-5
    ln -s /dev/sdc /var/lib/ceph/osd/ceph-5/block
    chown ceph:ceph /dev/sdc
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-5
    {
        printf '[%s]\nkey = %s\n' osd.5 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.5 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-5/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-5/keyring.new
    mv /var/lib/ceph/osd/ceph-5/keyring.new /var/lib/ceph/osd/ceph-5/keyring
    echo bluestore >/var/lib/ceph/osd/ceph-5/type
    chown ceph:ceph /var/lib/ceph/osd/ceph-5/type
    ceph-osd -i 5 --mkfs --osd-uuid 5a3a7e86-9b10-4c3f-8f7a-000000000005 --no-mon-config --setuser ceph --setgroup ceph
}

# 6. keep the key of osd.5
check_6() {
    [ -s /var/lib/ceph/osd/ceph-5/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-5/keyring)" = 600:ceph ]
}
guard_6() { :; }
apply_6() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-5
    {
        printf '[%s]\nkey = %s\n' osd.5 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.5 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-5/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-5/keyring.new
    mv /var/lib/ceph/osd/ceph-5/keyring.new /var/lib/ceph/osd/ceph-5/keyring
}

# 7. start osd.5
check_7() {
    systemctl -q is-active ceph-osd@5 && systemctl -q is-enabled ceph-osd@5 && [ /var/lib/ceph/seatrial-started-osd-5 -nt /etc/ceph/ceph.conf ]
}
guard_7() { :; }
apply_7() {
    systemctl -q enable ceph-osd@5 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@5 2>/dev/null || true
    systemctl restart ceph-osd@5
    touch /var/lib/ceph/seatrial-started-osd-5
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    step 6
    step 7
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 9, s4 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 9 of 11: OSDs
# (the preamble)

# 1. let OSDs open their disks after every boot
check_1() {
    cmp -s /etc/systemd/system/ceph-osd@.service.d/seatrial.conf - <<'SEATRIAL'
[Unit]
# A daemon that died often in a trial is still to be started again.
StartLimitIntervalSec=0
[Service]
ExecStartPre=/bin/chown ceph:ceph /var/lib/ceph/osd/ceph-%i/block
SEATRIAL
}
guard_1() { :; }
apply_1() {
    mkdir -p /etc/systemd/system/ceph-osd@.service.d
    cat >/etc/systemd/system/ceph-osd@.service.d/seatrial.conf.new <<'SEATRIAL' || { rm -f /etc/systemd/system/ceph-osd@.service.d/seatrial.conf.new; exit 1; }
[Unit]
# A daemon that died often in a trial is still to be started again.
StartLimitIntervalSec=0
[Service]
ExecStartPre=/bin/chown ceph:ceph /var/lib/ceph/osd/ceph-%i/block
SEATRIAL
    mv /etc/systemd/system/ceph-osd@.service.d/seatrial.conf.new /etc/systemd/system/ceph-osd@.service.d/seatrial.conf
    systemctl daemon-reload
}

# 2. make osd.6 on /dev/sdb
check_2() {
    [ -s /var/lib/ceph/osd/ceph-6/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000006 ]
}
guard_2() { all_must_be_blank /dev/sdb; }
apply_2() {
    rm -rf /var/lib/ceph/osd/ceph-6
    install -d -o ceph -g ceph /var/lib/ceph/osd/ceph-6
    ln -s /dev/sdb /var/lib/ceph/osd/ceph-6/block
    chown ceph:ceph /dev/sdb
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-6
    {
        printf '[%s]\nkey = %s\n' osd.6 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.6 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-6/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-6/keyring.new
    mv /var/lib/ceph/osd/ceph-6/keyring.new /var/lib/ceph/osd/ceph-6/keyring
    echo bluestore >/var/lib/ceph/osd/ceph-6/type
    chown ceph:ceph /var/lib/ceph/osd/ceph-6/type
    ceph-osd -i 6 --mkfs --osd-uuid 5a3a7e86-9b10-4c3f-8f7a-000000000006 --no-mon-config --setuser ceph --setgroup ceph
}

# 3. keep the key of osd.6
check_3() {
    [ -s /var/lib/ceph/osd/ceph-6/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-6/keyring)" = 600:ceph ]
}
guard_3() { :; }
apply_3() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-6
    {
        printf '[%s]\nkey = %s\n' osd.6 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.6 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-6/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-6/keyring.new
    mv /var/lib/ceph/osd/ceph-6/keyring.new /var/lib/ceph/osd/ceph-6/keyring
}

# 4. start osd.6
check_4() {
    systemctl -q is-active ceph-osd@6 && systemctl -q is-enabled ceph-osd@6 && [ /var/lib/ceph/seatrial-started-osd-6 -nt /etc/ceph/ceph.conf ]
}
guard_4() { :; }
apply_4() {
    systemctl -q enable ceph-osd@6 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@6 2>/dev/null || true
    systemctl restart ceph-osd@6
    touch /var/lib/ceph/seatrial-started-osd-6
}

# 5. make osd.7 on /dev/sdc
check_5() {
    [ -s /var/lib/ceph/osd/ceph-7/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000007 ]
}
guard_5() { all_must_be_blank /dev/sdc; }
apply_5() {
    rm -rf /var/lib/ceph/osd/ceph-7
    install -d -o ceph -g ceph /var/lib/ceph/osd/ceph-7
    ln -s /dev/sdc /var/lib/ceph/osd/ceph-7/block
    chown ceph:ceph /dev/sdc
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-7
    {
        printf '[%s]\nkey = %s\n' osd.7 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.7 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-7/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-7/keyring.new
    mv /var/lib/ceph/osd/ceph-7/keyring.new /var/lib/ceph/osd/ceph-7/keyring
    echo bluestore >/var/lib/ceph/osd/ceph-7/type
    chown ceph:ceph /var/lib/ceph/osd/ceph-7/type
    ceph-osd -i 7 --mkfs --osd-uuid 5a3a7e86-9b10-4c3f-8f7a-000000000007 --no-mon-config --setuser ceph --setgroup ceph
}

# 6. keep the key of osd.7
check_6() {
    [ -s /var/lib/ceph/osd/ceph-7/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-7/keyring)" = 600:ceph ]
}
guard_6() { :; }
apply_6() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-7
    {
        printf '[%s]\nkey = %s\n' osd.7 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.7 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-7/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-7/keyring.new
    mv /var/lib/ceph/osd/ceph-7/keyring.new /var/lib/ceph/osd/ceph-7/keyring
}

# 7. start osd.7
check_7() {
    systemctl -q is-active ceph-osd@7 && systemctl -q is-enabled ceph-osd@7 && [ /var/lib/ceph/seatrial-started-osd-7 -nt /etc/ceph/ceph.conf ]
}
guard_7() { :; }
apply_7() {
    systemctl -q enable ceph-osd@7 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@7 2>/dev/null || true
    systemctl restart ceph-osd@7
    touch /var/lib/ceph/seatrial-started-osd-7
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    step 6
    step 7
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 10, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 10 of 11: file system
# (the preamble)

# 1. have a file system with 2+1 and 64 placement groups, all in service
#    why: objects of this size on so many placement groups spread evenly over the servers
check_1() {
    python3 /usr/local/lib/seatrial/ceph-cluster files-check /etc/ceph/seatrial-gpfs-nsd.json
}
guard_1() { :; }
apply_1() {
    python3 /usr/local/lib/seatrial/ceph-cluster files /etc/ceph/seatrial-gpfs-nsd.json
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 11, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 11 of 11: mount
# (the preamble)

# 1. have no client at /mnt/gpfs-nsd
check_1() {
    ! grep -q ' /mnt/gpfs-nsd fuse.ceph' /proc/mounts && ! grep -q ' /mnt/gpfs-nsd fuse.ceph ' /etc/fstab && for file in /etc/seatrial/gpfs-nsd.ceph.keyring /run/seatrial-gpfs-nsd.mount; do [ ! -e $file ] || exit 1; done
}
guard_1() { :; }
apply_1() {
    while grep -q ' /mnt/gpfs-nsd fuse.ceph' /proc/mounts; do umount /mnt/gpfs-nsd; done
    sed -i '\# /mnt/gpfs-nsd fuse.ceph #d' /etc/fstab
    rm -f /etc/seatrial/gpfs-nsd.ceph.keyring /run/seatrial-gpfs-nsd.mount
    [ ! -d /mnt/gpfs-nsd ] || rmdir /mnt/gpfs-nsd
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 11, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 11 of 11: mount
# (the preamble)

# 1. mount /mnt/gpfs-nsd at every boot
check_1() {
    grep -qxF 's1:3300,s2:3300,s3:3300:/ /mnt/gpfs-nsd ceph name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=secure,noatime,rasize=1048576,_netdev 0 0' /etc/fstab
}
guard_1() { :; }
apply_1() {
    { grep -v ' /mnt/gpfs-nsd ' /etc/fstab || true; echo 's1:3300,s2:3300,s3:3300:/ /mnt/gpfs-nsd ceph name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=secure,noatime,rasize=1048576,_netdev 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 2. mount s1:3300,s2:3300,s3:3300:/ at /mnt/gpfs-nsd with name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=secure,noatime,rasize=1048576
check_2() {
    { read -r asked && read -r line; } </run/seatrial-gpfs-nsd.mount &&
    [ "$asked" = 's1:3300,s2:3300,s3:3300:/ ceph name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=secure,noatime,rasize=1048576' ] && [ "$(grep " /mnt/gpfs-nsd " /proc/mounts)" = "$line" ]
}
guard_2() { :; }
apply_2() {
    while grep -q ' /mnt/gpfs-nsd ' /proc/mounts; do umount /mnt/gpfs-nsd; done
    mkdir -p /mnt/gpfs-nsd
    modprobe ceph
    mount -t ceph -o name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=secure,noatime,rasize=1048576 s1:3300,s2:3300,s3:3300:/ /mnt/gpfs-nsd
    { echo 's1:3300,s2:3300,s3:3300:/ ceph name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=secure,noatime,rasize=1048576'; grep ' /mnt/gpfs-nsd ' /proc/mounts; } >/run/seatrial-gpfs-nsd.mount
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
