##### stage 1, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 1 of 13: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. refuse symbolic links
check_1() {
    set +e
    no_planted gpfs-nsd-apart
}
apply_1() { refuse; }

# 2. refuse another cluster
check_2() {
    set +e
    no_other_cluster gpfs-nsd-apart gpfs-nsd-apart
}
apply_2() { refuse; }

# 3. refuse disks that are in use: create osd.0 on /dev/ubdb
check_3() {
    set +e
    (
    [ -s /var/lib/ceph/osd/ceph-0/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = eef2a0ca-5e11-5bcd-b343-000000000000 ]
    ) >/dev/null 2>&1 && is_deployed gpfs-nsd-apart /dev/ubdb && exit 0
    look_disks gpfs-nsd-apart '' '' /dev/ubdb
}
apply_3() { refuse; }

# 4. refuse another Ceph cluster
check_4() {
    owner=none
    [ ! -e /var/lib/ceph/seatrial ] || read -r owner </var/lib/ceph/seatrial
    for file in /etc/ceph/ceph.conf /var/lib/ceph/mon/* /var/lib/ceph/osd/* /var/lib/ceph/mds/* /var/lib/ceph/mgr/*; do
        [ ! -e "$file" ] || [ "$owner" = "gpfs-nsd-apart eef2a0ca-5e11-5bcd-b343-08069a300e19" ] || exit 1
    done
    case $owner in none | "gpfs-nsd-apart eef2a0ca-5e11-5bcd-b343-08069a300e19") ;; *) exit 1 ;; esac
}
apply_4() {
    owner=none
    [ ! -e /var/lib/ceph/seatrial ] || read -r owner </var/lib/ceph/seatrial
    echo "refused: this node has /etc/ceph/ceph.conf or parts of a Ceph cluster in /var/lib/ceph that this study did not create"
    echo "(owner in the mark: $owner); nothing was changed; take the node out of that cluster first"
    exit 1
}
# (4 steps)
##### stage 1, s2 #####
as on s1, but for:
@@ -21 +21 @@
+# 3. refuse disks that are in use: create osd.1 on /dev/ubdb
@@ -25 +25 @@
+    [ -s /var/lib/ceph/osd/ceph-1/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = eef2a0ca-5e11-5bcd-b343-000000000001 ]
##### stage 1, s3 #####
as on s1, but for:
@@ -21 +21 @@
+# 3. refuse disks that are in use: create osd.2 on /dev/ubdb
@@ -25 +25 @@
+    [ -s /var/lib/ceph/osd/ceph-2/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = eef2a0ca-5e11-5bcd-b343-000000000002 ]
##### stage 1, d[1-2],m[1-3] #####
as on s1, but for:
@@ -21 +21 @@
+# 3. refuse another Ceph cluster
@@ -23,10 +22,0 @@
@@ -40 +30 @@
+apply_3() {
@@ -47 +37 @@
+# (3 steps)
##### stage 1, c[1-4] #####
as on s1, but for:
@@ -14 +14 @@
+# 2. refuse an occupied mount point: /mnt/gpfs-nsd-apart
@@ -15,0 +16,7 @@
+    set +e
+    no_other_mount gpfs-nsd-apart /mnt/gpfs-nsd-apart
+}
+apply_2() { refuse; }
+
+# 3. refuse another cluster
+check_3() {
@@ -19,10 +25,0 @@
@@ -30,18 +27 @@
+# (3 steps)
##### stage 2, s[1-3] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 2 of 13: mark
# (the preamble)

# (sh/: installed_packages)
# (backups.sh)
# 1. mark this node for gpfs-nsd-apart
check_1() { [ -e /var/lib/seatrial/made/gpfs-nsd-apart/mark ]; }
apply_1() {
    umask 077
    mkdir -p /var/lib/seatrial/made/gpfs-nsd-apart
    chmod 700 /var/lib/seatrial/made /var/lib/seatrial/made/gpfs-nsd-apart
    : >/var/lib/seatrial/made/gpfs-nsd-apart/left
    : >/var/lib/seatrial/made/gpfs-nsd-apart/mark
}

# 2. store the state of ceph-osd.target, ceph.target
check_2() {
    units_are_kept /var/lib/seatrial/made/gpfs-nsd-apart/before/units ceph-osd.target ceph.target
}
apply_2() {
    keep_units /var/lib/seatrial/made/gpfs-nsd-apart/before/units ceph-osd.target ceph.target
}
# (2 steps)
##### stage 2, m[1-2] #####
as on s[1-3], but for:
@@ -18 +18 @@
+# 2. store the state of ceph-mon.target, ceph.target, ceph-mgr.target
@@ -20 +20 @@
+    units_are_kept /var/lib/seatrial/made/gpfs-nsd-apart/before/units ceph-mon.target ceph.target ceph-mgr.target
@@ -23 +23 @@
+    keep_units /var/lib/seatrial/made/gpfs-nsd-apart/before/units ceph-mon.target ceph.target ceph-mgr.target
##### stage 2, m3 #####
as on s[1-3], but for:
@@ -18 +18 @@
+# 2. store the state of ceph-mon.target, ceph.target
@@ -20 +20 @@
+    units_are_kept /var/lib/seatrial/made/gpfs-nsd-apart/before/units ceph-mon.target ceph.target
@@ -23 +23 @@
+    keep_units /var/lib/seatrial/made/gpfs-nsd-apart/before/units ceph-mon.target ceph.target
##### stage 2, d[1-2] #####
as on s[1-3], but for:
@@ -18 +18 @@
+# 2. store the state of ceph-mds.target, ceph.target
@@ -20 +20 @@
+    units_are_kept /var/lib/seatrial/made/gpfs-nsd-apart/before/units ceph-mds.target ceph.target
@@ -23 +23 @@
+    keep_units /var/lib/seatrial/made/gpfs-nsd-apart/before/units ceph-mds.target ceph.target
##### stage 2, c[1-4] #####
as on s[1-3], but for:
@@ -6,2 +5,0 @@
@@ -17,9 +15 @@
+# (1 steps)
##### stage 3, d[1-2],m[1-3],s[1-3] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 3 of 13: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. install ceph-mon, ceph-mgr, ceph-mds, ceph-osd, ceph
check_1() { have_commands ceph-mon ceph-mgr ceph-mds ceph-osd ceph; }
apply_1() {
    note_installed /var/lib/seatrial/made/gpfs-nsd-apart/packages
    install_packages 'ceph-common ceph-mds ceph-mgr ceph-mon ceph-osd' 'ceph-common ceph-mds ceph-mgr ceph-mon ceph-osd'
}
# (1 steps)
##### stage 3, c[1-4] #####
as on d[1-2],m[1-3],s[1-3], but for:
@@ -7,2 +7,2 @@
+# 1. install mount.ceph
+check_1() { have_commands mount.ceph; }
@@ -11 +11 @@
+    install_packages ceph-common ceph-common
##### stage 4, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 4 of 13: network
# (the preamble)

# (sh/: link_to mtu_is set_mtu set_mtu_of)
# 1. set MTU 9000 on the link to c1
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_1() { mtu_is 9000 ahostsv4 c1; }
apply_1() { set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-apart/before ahostsv4 c1; }

# 2. set MTU 9000 on the link to s3-replication
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_2() { mtu_is 9000 ahostsv4 s3-replication; }
apply_2() { set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-apart/before ahostsv4 s3-replication; }
# (2 steps)
##### stage 4, s[2-3] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 4 of 13: network
# (the preamble)

# (sh/: link_to mtu_is set_mtu set_mtu_of)
# 1. set MTU 9000 on the link to s1
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_1() { mtu_is 9000 ahostsv4 s1; }
apply_1() { set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-apart/before ahostsv4 s1; }

# 2. set MTU 9000 on the link to s1-replication
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_2() { mtu_is 9000 ahostsv4 s1-replication; }
apply_2() { set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-apart/before ahostsv4 s1-replication; }
# (2 steps)
##### stage 4, c[1-4],d[1-2],m[1-3] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 4 of 13: network
# (the preamble)

# (sh/: link_to mtu_is set_mtu set_mtu_of)
# 1. set MTU 9000 on the link to s1
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_1() { mtu_is 9000 ahostsv4 s1; }
apply_1() { set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-apart/before ahostsv4 s1; }
# (1 steps)
##### stage 5, d[1-2],m[1-3],s[1-3] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 5 of 13: secrets
# (the preamble)

# 1. store the lab's secret in /etc/seatrial/gpfs-nsd-apart.ceph.servers
check_1() {
    [ -s /etc/seatrial/gpfs-nsd-apart.ceph.servers ] && [ "$(stat -c %a:%u /etc/seatrial/gpfs-nsd-apart.ceph.servers)" = 600:0 ] && read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers && [ ${#secret} -ge 32 ]
}
apply_1() {
    umask 077
    mkdir -p /etc/seatrial
    echo seatrial-lab-servers-seatrial-lab-servers >/etc/seatrial/gpfs-nsd-apart.ceph.servers
    chown root:root /etc/seatrial/gpfs-nsd-apart.ceph.servers
    chmod 600 /etc/seatrial/gpfs-nsd-apart.ceph.servers
}

# 2. store the lab's secret in /etc/seatrial/gpfs-nsd-apart.ceph.clients
check_2() {
    [ -s /etc/seatrial/gpfs-nsd-apart.ceph.clients ] && [ "$(stat -c %a:%u /etc/seatrial/gpfs-nsd-apart.ceph.clients)" = 600:0 ] && read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.clients && [ ${#secret} -ge 32 ]
}
apply_2() {
    umask 077
    mkdir -p /etc/seatrial
    echo seatrial-lab-clients-seatrial-lab-clients >/etc/seatrial/gpfs-nsd-apart.ceph.clients
    chown root:root /etc/seatrial/gpfs-nsd-apart.ceph.clients
    chmod 600 /etc/seatrial/gpfs-nsd-apart.ceph.clients
}
# (2 steps)
##### stage 5, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 5 of 13: secrets
# (the preamble)

# (ceph_nfs.sh)
# 1. unmount NFS at /mnt/gpfs-nsd-apart
check_1() { nfs_not_mounted /mnt/gpfs-nsd-apart; }
apply_1() { nfs_unmount /mnt/gpfs-nsd-apart; }

# 2. store the lab's secret in /etc/seatrial/gpfs-nsd-apart.ceph.clients
check_2() {
    [ -s /etc/seatrial/gpfs-nsd-apart.ceph.clients ] && [ "$(stat -c %a:%u /etc/seatrial/gpfs-nsd-apart.ceph.clients)" = 600:0 ] && read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.clients && [ ${#secret} -ge 32 ]
}
apply_2() {
    umask 077
    mkdir -p /etc/seatrial
    echo seatrial-lab-clients-seatrial-lab-clients >/etc/seatrial/gpfs-nsd-apart.ceph.clients
    chown root:root /etc/seatrial/gpfs-nsd-apart.ceph.clients
    chmod 600 /etc/seatrial/gpfs-nsd-apart.ceph.clients
}

# 3. store the client key, readable by root only
check_3() {
    [ -s /etc/seatrial/gpfs-nsd-apart.ceph.key ] && [ "$(stat -c %a:%U /etc/seatrial/gpfs-nsd-apart.ceph.key)" = 600:root ]
}
apply_3() {
    umask 077
    mkdir -p /etc/seatrial
    { read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.clients; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.gpfs-nsd-apart | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0 >/etc/seatrial/gpfs-nsd-apart.ceph.key.new
    mv /etc/seatrial/gpfs-nsd-apart.ceph.key.new /etc/seatrial/gpfs-nsd-apart.ceph.key
}
# (3 steps)
##### stage 6, d[1-2],m[1-3],s[1-3] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 6 of 13: configuration
# (the preamble)

# (sh/: file_is write_file store_version)
# 1. mark the Ceph files of this node
check_1() {
    [ -s /var/lib/ceph/seatrial ] && read -r owner </var/lib/ceph/seatrial && [ "$owner" = "gpfs-nsd-apart eef2a0ca-5e11-5bcd-b343-08069a300e19" ]
}
apply_1() {
    mkdir -p /var/lib/ceph
    echo "gpfs-nsd-apart eef2a0ca-5e11-5bcd-b343-08069a300e19" >/var/lib/ceph/seatrial
}

# 2. configure the cluster: members, cephx, timers, memory
content_2() { cat <<'SEATRIAL'
[global]
fsid = eef2a0ca-5e11-5bcd-b343-08069a300e19
mon_initial_members = m1, m2, m3
mon_host = m1, m2, m3
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
bluestore_cache_size = 25165824
osd_op_num_shards = 2
osd_op_num_threads_per_shard = 1
osd_min_pg_log_entries = 100
osd_max_pg_log_entries = 200
bluestore_rocksdb_options = compression=kNoCompression,max_write_buffer_number=4,min_write_buffer_number_to_merge=1,recycle_log_file_num=4,write_buffer_size=8388608,writable_file_max_buffer_size=0,compaction_readahead_size=2097152,max_background_compactions=1

[mds]
mds_cache_memory_limit = 50331648

[mon]
rocksdb_cache_size = 16777216
mon_data_avail_warn = 1
mon_data_avail_crit = 0
mon_osd_crush_smoke_test = false
SEATRIAL
}
check_2() { content | file_is /etc/ceph/ceph.conf; }
apply_2() { content | write_file /etc/ceph/ceph.conf; }

# 3. (steps.sh) install the monitor query helper

# 4. configure pools and file system
content_4() { cat <<'SEATRIAL'
{
 "fs": "gpfs-nsd-apart",
 "rule": "gpfs-nsd-apart-by-host",
 "osds": [
  "eef2a0ca-5e11-5bcd-b343-000000000000",
  "eef2a0ca-5e11-5bcd-b343-000000000001",
  "eef2a0ca-5e11-5bcd-b343-000000000002"
 ],
 "pools": [
  {
   "name": "gpfs-nsd-apart-metadata",
   "size": 3,
   "min_size": 2,
   "pg_num": 16,
   "profile": []
  },
  {
   "name": "gpfs-nsd-apart-data",
   "size": 3,
   "min_size": 2,
   "pg_num": 128,
   "profile": []
  }
 ],
 "layout": {
  "stripe_unit": "1048576",
  "stripe_count": "1",
  "object_size": "1048576",
  "pool": "gpfs-nsd-apart-data"
 },
 "standby_replay": true
}
SEATRIAL
}
check_4() { content | file_is /etc/ceph/seatrial-gpfs-nsd-apart.json; }
apply_4() { content | write_file /etc/ceph/seatrial-gpfs-nsd-apart.json; }

# 5. store the administrator key, readable by root only
check_5() {
    [ -s /etc/ceph/ceph.client.admin.keyring ] && [ "$(stat -c %a:%U /etc/ceph/ceph.client.admin.keyring)" = 600:root ]
}
apply_5() {
    umask 077
    mkdir -p /etc/ceph
    {
        printf '[%s]\nkey = %s\n' client.admin "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.admin | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/etc/ceph/ceph.client.admin.keyring.new
    chown root:root /etc/ceph/ceph.client.admin.keyring.new
    mv /etc/ceph/ceph.client.admin.keyring.new /etc/ceph/ceph.client.admin.keyring
}
# (5 steps)
##### stage 7, m1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 7 of 13: monitors
# (the preamble)

# 1. create the store of monitor mon.m1
check_1() { [ -e /var/lib/ceph/mon/ceph-m1/done ]; }
apply_1() {
    umask 077
    work=$(mktemp -d)
    {
        printf '[%s]\nkey = %s\n' mon. "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mon. | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow *"'
        printf '[%s]\nkey = %s\n' client.admin "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.admin | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow *"'
        echo 'caps mgr = "allow *"'
        echo 'caps mds = "allow *"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' client.gpfs-nsd-apart "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.clients; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.gpfs-nsd-apart | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow r"'
        echo 'caps mds = "allow rw"'
        echo 'caps osd = "allow rw tag cephfs data=gpfs-nsd-apart"'
        printf '[%s]\nkey = %s\n' mgr.m1 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mgr.m1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mgr"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' mgr.m2 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mgr.m2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mgr"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' mds.d1 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.d1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mds"'
        echo 'caps mgr = "allow profile mds"'
        echo 'caps osd = "allow rwx"'
        echo 'caps mds = "allow"'
        printf '[%s]\nkey = %s\n' mds.d2 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.d2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mds"'
        echo 'caps mgr = "allow profile mds"'
        echo 'caps osd = "allow rwx"'
        echo 'caps mds = "allow"'
        printf '[%s]\nkey = %s\n' osd.0 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.0 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.1 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' osd.2 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile osd"'
        echo 'caps mgr = "allow profile osd"'
        echo 'caps osd = "allow *"'
    } >$work/keyring
    address_0=$(getent ahostsv4 m1 | { read -r first rest; echo "$first"; })
    address_1=$(getent ahostsv4 m2 | { read -r first rest; echo "$first"; })
    address_2=$(getent ahostsv4 m3 | { read -r first rest; echo "$first"; })
    monmaptool --create --fsid eef2a0ca-5e11-5bcd-b343-08069a300e19 --addv m1 "[v2:$address_0:3300,v1:$address_0:6789]" --addv m2 "[v2:$address_1:3300,v1:$address_1:6789]" --addv m3 "[v2:$address_2:3300,v1:$address_2:6789]" $work/map
    chown -R ceph:ceph $work
    rm -rf /var/lib/ceph/mon/ceph-m1
    install -d -o ceph -g ceph /var/lib/ceph/mon/ceph-m1
    ceph-mon --mkfs -i m1 --monmap $work/map --keyring $work/keyring --setuser ceph --setgroup ceph
    rm -rf $work
    touch /var/lib/ceph/mon/ceph-m1/done
}

# 2. start monitor mon.m1
check_2() {
    systemctl -q is-active ceph-mon@m1 && systemctl -q is-enabled ceph-mon@m1 && [ /var/lib/ceph/seatrial-started-mon-m1 -nt /etc/ceph/ceph.conf ]
}
apply_2() {
    systemctl -q --no-reload enable ceph-mon@m1 ceph-mon.target ceph.target
    ! systemctl -q is-active ceph-mon@m1 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:mon.m1 /etc/ceph/seatrial-gpfs-nsd-apart.json
    systemctl reset-failed ceph-mon@m1 2>/dev/null || true
    systemctl restart ceph-mon@m1
    touch /var/lib/ceph/seatrial-started-mon-m1
}
interrupts_2() { systemctl -q is-active ceph-mon@m1; }
# (2 steps)
##### stage 7, m2 #####
as on m1, but for:
@@ -6,2 +6,2 @@
+# 1. create the store of monitor mon.m2
+check_1() { [ -e /var/lib/ceph/mon/ceph-m2/done ]; }
@@ -57,3 +57,3 @@
+    rm -rf /var/lib/ceph/mon/ceph-m2
+    install -d -o ceph -g ceph /var/lib/ceph/mon/ceph-m2
+    ceph-mon --mkfs -i m2 --monmap $work/map --keyring $work/keyring --setuser ceph --setgroup ceph
@@ -61 +61 @@
+    touch /var/lib/ceph/mon/ceph-m2/done
@@ -64 +64 @@
+# 2. start monitor mon.m2
@@ -66 +66 @@
+    systemctl -q is-active ceph-mon@m2 && systemctl -q is-enabled ceph-mon@m2 && [ /var/lib/ceph/seatrial-started-mon-m2 -nt /etc/ceph/ceph.conf ]
@@ -69,5 +69,5 @@
+    systemctl -q --no-reload enable ceph-mon@m2 ceph-mon.target ceph.target
+    ! systemctl -q is-active ceph-mon@m2 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:mon.m2 /etc/ceph/seatrial-gpfs-nsd-apart.json
+    systemctl reset-failed ceph-mon@m2 2>/dev/null || true
+    systemctl restart ceph-mon@m2
+    touch /var/lib/ceph/seatrial-started-mon-m2
@@ -75 +75 @@
+interrupts_2() { systemctl -q is-active ceph-mon@m2; }
##### stage 7, m3 #####
as on m1, but for:
@@ -6,2 +6,2 @@
+# 1. create the store of monitor mon.m3
+check_1() { [ -e /var/lib/ceph/mon/ceph-m3/done ]; }
@@ -57,3 +57,3 @@
+    rm -rf /var/lib/ceph/mon/ceph-m3
+    install -d -o ceph -g ceph /var/lib/ceph/mon/ceph-m3
+    ceph-mon --mkfs -i m3 --monmap $work/map --keyring $work/keyring --setuser ceph --setgroup ceph
@@ -61 +61 @@
+    touch /var/lib/ceph/mon/ceph-m3/done
@@ -64 +64 @@
+# 2. start monitor mon.m3
@@ -66 +66 @@
+    systemctl -q is-active ceph-mon@m3 && systemctl -q is-enabled ceph-mon@m3 && [ /var/lib/ceph/seatrial-started-mon-m3 -nt /etc/ceph/ceph.conf ]
@@ -69,5 +69,5 @@
+    systemctl -q --no-reload enable ceph-mon@m3 ceph-mon.target ceph.target
+    ! systemctl -q is-active ceph-mon@m3 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:mon.m3 /etc/ceph/seatrial-gpfs-nsd-apart.json
+    systemctl reset-failed ceph-mon@m3 2>/dev/null || true
+    systemctl restart ceph-mon@m3
+    touch /var/lib/ceph/seatrial-started-mon-m3
@@ -75 +75 @@
+interrupts_2() { systemctl -q is-active ceph-mon@m3; }
##### stage 8, m1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 8 of 13: OSD registration
# (the preamble)

# 1. register every OSD
check_1() {
    python3 /usr/local/lib/seatrial/ceph-cluster osds-check /etc/ceph/seatrial-gpfs-nsd-apart.json
}
apply_1() {
    python3 /usr/local/lib/seatrial/ceph-cluster osds /etc/ceph/seatrial-gpfs-nsd-apart.json
}
# (1 steps)
##### stage 9, m1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 9 of 13: managers and metadata servers
# (the preamble)

# 1. store the key of mgr.m1
check_1() {
    [ -s /var/lib/ceph/mgr/ceph-m1/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/mgr/ceph-m1/keyring)" = 600:ceph ]
}
apply_1() {
    umask 077
    mkdir -p /var/lib/ceph/mgr/ceph-m1
    {
        printf '[%s]\nkey = %s\n' mgr.m1 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mgr.m1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/mgr/ceph-m1/keyring.new
    chown ceph:ceph /var/lib/ceph/mgr/ceph-m1/keyring.new
    mv /var/lib/ceph/mgr/ceph-m1/keyring.new /var/lib/ceph/mgr/ceph-m1/keyring
    chown ceph:ceph /var/lib/ceph/mgr/ceph-m1
}

# 2. start mgr.m1
check_2() {
    systemctl -q is-active ceph-mgr@m1 && systemctl -q is-enabled ceph-mgr@m1 && [ /var/lib/ceph/seatrial-started-mgr-m1 -nt /etc/ceph/ceph.conf ]
}
apply_2() {
    systemctl -q --no-reload enable ceph-mgr@m1 ceph-mgr.target ceph.target
    systemctl reset-failed ceph-mgr@m1 2>/dev/null || true
    systemctl restart ceph-mgr@m1
    touch /var/lib/ceph/seatrial-started-mgr-m1
}
interrupts_2() { systemctl -q is-active ceph-mgr@m1; }
# (2 steps)
##### stage 9, m2 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 9 of 13: managers and metadata servers
# (the preamble)

# 1. store the key of mgr.m2
check_1() {
    [ -s /var/lib/ceph/mgr/ceph-m2/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/mgr/ceph-m2/keyring)" = 600:ceph ]
}
apply_1() {
    umask 077
    mkdir -p /var/lib/ceph/mgr/ceph-m2
    {
        printf '[%s]\nkey = %s\n' mgr.m2 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mgr.m2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/mgr/ceph-m2/keyring.new
    chown ceph:ceph /var/lib/ceph/mgr/ceph-m2/keyring.new
    mv /var/lib/ceph/mgr/ceph-m2/keyring.new /var/lib/ceph/mgr/ceph-m2/keyring
    chown ceph:ceph /var/lib/ceph/mgr/ceph-m2
}

# 2. start mgr.m2
check_2() {
    systemctl -q is-active ceph-mgr@m2 && systemctl -q is-enabled ceph-mgr@m2 && [ /var/lib/ceph/seatrial-started-mgr-m2 -nt /etc/ceph/ceph.conf ]
}
apply_2() {
    systemctl -q --no-reload enable ceph-mgr@m2 ceph-mgr.target ceph.target
    systemctl reset-failed ceph-mgr@m2 2>/dev/null || true
    systemctl restart ceph-mgr@m2
    touch /var/lib/ceph/seatrial-started-mgr-m2
}
interrupts_2() { systemctl -q is-active ceph-mgr@m2; }
# (2 steps)
##### stage 9, d1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 9 of 13: managers and metadata servers
# (the preamble)

# 1. store the key of mds.d1
check_1() {
    [ -s /var/lib/ceph/mds/ceph-d1/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/mds/ceph-d1/keyring)" = 600:ceph ]
}
apply_1() {
    umask 077
    mkdir -p /var/lib/ceph/mds/ceph-d1
    {
        printf '[%s]\nkey = %s\n' mds.d1 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.d1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/mds/ceph-d1/keyring.new
    chown ceph:ceph /var/lib/ceph/mds/ceph-d1/keyring.new
    mv /var/lib/ceph/mds/ceph-d1/keyring.new /var/lib/ceph/mds/ceph-d1/keyring
    chown ceph:ceph /var/lib/ceph/mds/ceph-d1
}

# 2. start mds.d1
check_2() {
    systemctl -q is-active ceph-mds@d1 && systemctl -q is-enabled ceph-mds@d1 && [ /var/lib/ceph/seatrial-started-mds-d1 -nt /etc/ceph/ceph.conf ]
}
apply_2() {
    systemctl -q --no-reload enable ceph-mds@d1 ceph-mds.target ceph.target
    ! systemctl -q is-active ceph-mds@d1 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:mds.d1 /etc/ceph/seatrial-gpfs-nsd-apart.json
    systemctl reset-failed ceph-mds@d1 2>/dev/null || true
    systemctl restart ceph-mds@d1
    touch /var/lib/ceph/seatrial-started-mds-d1
}
interrupts_2() { systemctl -q is-active ceph-mds@d1; }
# (2 steps)
##### stage 9, d2 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 9 of 13: managers and metadata servers
# (the preamble)

# 1. store the key of mds.d2
check_1() {
    [ -s /var/lib/ceph/mds/ceph-d2/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/mds/ceph-d2/keyring)" = 600:ceph ]
}
apply_1() {
    umask 077
    mkdir -p /var/lib/ceph/mds/ceph-d2
    {
        printf '[%s]\nkey = %s\n' mds.d2 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.d2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/mds/ceph-d2/keyring.new
    chown ceph:ceph /var/lib/ceph/mds/ceph-d2/keyring.new
    mv /var/lib/ceph/mds/ceph-d2/keyring.new /var/lib/ceph/mds/ceph-d2/keyring
    chown ceph:ceph /var/lib/ceph/mds/ceph-d2
}

# 2. start mds.d2
check_2() {
    systemctl -q is-active ceph-mds@d2 && systemctl -q is-enabled ceph-mds@d2 && [ /var/lib/ceph/seatrial-started-mds-d2 -nt /etc/ceph/ceph.conf ]
}
apply_2() {
    systemctl -q --no-reload enable ceph-mds@d2 ceph-mds.target ceph.target
    ! systemctl -q is-active ceph-mds@d2 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:mds.d2 /etc/ceph/seatrial-gpfs-nsd-apart.json
    systemctl reset-failed ceph-mds@d2 2>/dev/null || true
    systemctl restart ceph-mds@d2
    touch /var/lib/ceph/seatrial-started-mds-d2
}
interrupts_2() { systemctl -q is-active ceph-mds@d2; }
# (2 steps)
##### stage 10, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 10 of 13: OSDs
# (the preamble)

# (sh/: file_is write_file store_version)
# (volumes.sh)
# 1. (steps.sh) give OSDs access to their disks at boot

# 2. set the OSD network to s1-replication
#    why: copies, parity parts and recovery do not compete with clients for bandwidth
check_2() {
    address=$(getent ahostsv4 s1-replication | { read -r first rest; echo "$first"; }) && [ -n "$address" ] &&
    line="Environment=CEPH_ARGS=--cluster-addr=$address" &&
    [ "$(cat /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf 2>/dev/null)" = "$(printf '[Service]\n%s' "$line")" ]
}
apply_2() {
    address=$(getent ahostsv4 s1-replication | { read -r first rest; echo "$first"; }) && [ -n "$address" ] &&
    line="Environment=CEPH_ARGS=--cluster-addr=$address"
    mkdir -p /etc/systemd/system/ceph-osd@.service.d
    printf '[Service]\n%s\n' "$line" >/etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf
    systemctl daemon-reload
    rm -f /var/lib/ceph/seatrial-started-osd-*
}
interrupts_2() { systemctl -q is-active 'ceph-osd@*'; }

# 3. create osd.0 on /dev/ubdb
check_3() {
    [ -s /var/lib/ceph/osd/ceph-0/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = eef2a0ca-5e11-5bcd-b343-000000000000 ]
}
guard_3() {
    all_must_be_blank /dev/ubdb
    expect_volumes /var/lib/seatrial/made/gpfs-nsd-apart/volumes /dev/ubdb
}
apply_3() {
    rm -rf /var/lib/ceph/osd/ceph-0
    install -d -o ceph -g ceph /var/lib/ceph/osd/ceph-0
    ln -s /dev/ubdb /var/lib/ceph/osd/ceph-0/block
    chown ceph:ceph /dev/ubdb
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-0
    {
        printf '[%s]\nkey = %s\n' osd.0 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.0 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-0/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-0/keyring.new
    mv /var/lib/ceph/osd/ceph-0/keyring.new /var/lib/ceph/osd/ceph-0/keyring
    echo bluestore >/var/lib/ceph/osd/ceph-0/type
    chown ceph:ceph /var/lib/ceph/osd/ceph-0/type
    ceph-osd -i 0 --mkfs --osd-uuid eef2a0ca-5e11-5bcd-b343-000000000000 --no-mon-config --setuser ceph --setgroup ceph
}

# 4. refuse volumes of another owner on /dev/ubdb
check_4() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd-apart/volumes '' /dev/ubdb
}
apply_4() { refuse; }

# 5. store the key of osd.0
check_5() {
    [ -s /var/lib/ceph/osd/ceph-0/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-0/keyring)" = 600:ceph ]
}
apply_5() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-0
    {
        printf '[%s]\nkey = %s\n' osd.0 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.0 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-0/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-0/keyring.new
    mv /var/lib/ceph/osd/ceph-0/keyring.new /var/lib/ceph/osd/ceph-0/keyring
}

# 6. start osd.0
check_6() {
    systemctl -q is-active ceph-osd@0 && systemctl -q is-enabled ceph-osd@0 && [ /var/lib/ceph/seatrial-started-osd-0 -nt /etc/ceph/ceph.conf ]
}
apply_6() {
    systemctl -q --no-reload enable ceph-osd@0 ceph-osd.target ceph.target
    ! systemctl -q is-active ceph-osd@0 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:osd.0 /etc/ceph/seatrial-gpfs-nsd-apart.json
    systemctl reset-failed ceph-osd@0 2>/dev/null || true
    systemctl restart ceph-osd@0
    touch /var/lib/ceph/seatrial-started-osd-0
}
interrupts_6() { systemctl -q is-active ceph-osd@0; }
# (6 steps)
##### stage 10, s2 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 10 of 13: OSDs
# (the preamble)

# (sh/: file_is write_file store_version)
# (volumes.sh)
# 1. (steps.sh) give OSDs access to their disks at boot

# 2. set the OSD network to s2-replication
#    why: copies, parity parts and recovery do not compete with clients for bandwidth
check_2() {
    address=$(getent ahostsv4 s2-replication | { read -r first rest; echo "$first"; }) && [ -n "$address" ] &&
    line="Environment=CEPH_ARGS=--cluster-addr=$address" &&
    [ "$(cat /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf 2>/dev/null)" = "$(printf '[Service]\n%s' "$line")" ]
}
apply_2() {
    address=$(getent ahostsv4 s2-replication | { read -r first rest; echo "$first"; }) && [ -n "$address" ] &&
    line="Environment=CEPH_ARGS=--cluster-addr=$address"
    mkdir -p /etc/systemd/system/ceph-osd@.service.d
    printf '[Service]\n%s\n' "$line" >/etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf
    systemctl daemon-reload
    rm -f /var/lib/ceph/seatrial-started-osd-*
}
interrupts_2() { systemctl -q is-active 'ceph-osd@*'; }

# 3. create osd.1 on /dev/ubdb
check_3() {
    [ -s /var/lib/ceph/osd/ceph-1/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = eef2a0ca-5e11-5bcd-b343-000000000001 ]
}
guard_3() {
    all_must_be_blank /dev/ubdb
    expect_volumes /var/lib/seatrial/made/gpfs-nsd-apart/volumes /dev/ubdb
}
apply_3() {
    rm -rf /var/lib/ceph/osd/ceph-1
    install -d -o ceph -g ceph /var/lib/ceph/osd/ceph-1
    ln -s /dev/ubdb /var/lib/ceph/osd/ceph-1/block
    chown ceph:ceph /dev/ubdb
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-1
    {
        printf '[%s]\nkey = %s\n' osd.1 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-1/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-1/keyring.new
    mv /var/lib/ceph/osd/ceph-1/keyring.new /var/lib/ceph/osd/ceph-1/keyring
    echo bluestore >/var/lib/ceph/osd/ceph-1/type
    chown ceph:ceph /var/lib/ceph/osd/ceph-1/type
    ceph-osd -i 1 --mkfs --osd-uuid eef2a0ca-5e11-5bcd-b343-000000000001 --no-mon-config --setuser ceph --setgroup ceph
}

# 4. refuse volumes of another owner on /dev/ubdb
check_4() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd-apart/volumes '' /dev/ubdb
}
apply_4() { refuse; }

# 5. store the key of osd.1
check_5() {
    [ -s /var/lib/ceph/osd/ceph-1/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-1/keyring)" = 600:ceph ]
}
apply_5() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-1
    {
        printf '[%s]\nkey = %s\n' osd.1 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-1/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-1/keyring.new
    mv /var/lib/ceph/osd/ceph-1/keyring.new /var/lib/ceph/osd/ceph-1/keyring
}

# 6. start osd.1
check_6() {
    systemctl -q is-active ceph-osd@1 && systemctl -q is-enabled ceph-osd@1 && [ /var/lib/ceph/seatrial-started-osd-1 -nt /etc/ceph/ceph.conf ]
}
apply_6() {
    systemctl -q --no-reload enable ceph-osd@1 ceph-osd.target ceph.target
    ! systemctl -q is-active ceph-osd@1 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:osd.1 /etc/ceph/seatrial-gpfs-nsd-apart.json
    systemctl reset-failed ceph-osd@1 2>/dev/null || true
    systemctl restart ceph-osd@1
    touch /var/lib/ceph/seatrial-started-osd-1
}
interrupts_6() { systemctl -q is-active ceph-osd@1; }
# (6 steps)
##### stage 10, s3 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 10 of 13: OSDs
# (the preamble)

# (sh/: file_is write_file store_version)
# (volumes.sh)
# 1. (steps.sh) give OSDs access to their disks at boot

# 2. set the OSD network to s3-replication
#    why: copies, parity parts and recovery do not compete with clients for bandwidth
check_2() {
    address=$(getent ahostsv4 s3-replication | { read -r first rest; echo "$first"; }) && [ -n "$address" ] &&
    line="Environment=CEPH_ARGS=--cluster-addr=$address" &&
    [ "$(cat /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf 2>/dev/null)" = "$(printf '[Service]\n%s' "$line")" ]
}
apply_2() {
    address=$(getent ahostsv4 s3-replication | { read -r first rest; echo "$first"; }) && [ -n "$address" ] &&
    line="Environment=CEPH_ARGS=--cluster-addr=$address"
    mkdir -p /etc/systemd/system/ceph-osd@.service.d
    printf '[Service]\n%s\n' "$line" >/etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf
    systemctl daemon-reload
    rm -f /var/lib/ceph/seatrial-started-osd-*
}
interrupts_2() { systemctl -q is-active 'ceph-osd@*'; }

# 3. create osd.2 on /dev/ubdb
check_3() {
    [ -s /var/lib/ceph/osd/ceph-2/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = eef2a0ca-5e11-5bcd-b343-000000000002 ]
}
guard_3() {
    all_must_be_blank /dev/ubdb
    expect_volumes /var/lib/seatrial/made/gpfs-nsd-apart/volumes /dev/ubdb
}
apply_3() {
    rm -rf /var/lib/ceph/osd/ceph-2
    install -d -o ceph -g ceph /var/lib/ceph/osd/ceph-2
    ln -s /dev/ubdb /var/lib/ceph/osd/ceph-2/block
    chown ceph:ceph /dev/ubdb
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-2
    {
        printf '[%s]\nkey = %s\n' osd.2 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-2/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-2/keyring.new
    mv /var/lib/ceph/osd/ceph-2/keyring.new /var/lib/ceph/osd/ceph-2/keyring
    echo bluestore >/var/lib/ceph/osd/ceph-2/type
    chown ceph:ceph /var/lib/ceph/osd/ceph-2/type
    ceph-osd -i 2 --mkfs --osd-uuid eef2a0ca-5e11-5bcd-b343-000000000002 --no-mon-config --setuser ceph --setgroup ceph
}

# 4. refuse volumes of another owner on /dev/ubdb
check_4() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd-apart/volumes '' /dev/ubdb
}
apply_4() { refuse; }

# 5. store the key of osd.2
check_5() {
    [ -s /var/lib/ceph/osd/ceph-2/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-2/keyring)" = 600:ceph ]
}
apply_5() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-2
    {
        printf '[%s]\nkey = %s\n' osd.2 "$({ read -r secret </etc/seatrial/gpfs-nsd-apart.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-2/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-2/keyring.new
    mv /var/lib/ceph/osd/ceph-2/keyring.new /var/lib/ceph/osd/ceph-2/keyring
}

# 6. start osd.2
check_6() {
    systemctl -q is-active ceph-osd@2 && systemctl -q is-enabled ceph-osd@2 && [ /var/lib/ceph/seatrial-started-osd-2 -nt /etc/ceph/ceph.conf ]
}
apply_6() {
    systemctl -q --no-reload enable ceph-osd@2 ceph-osd.target ceph.target
    ! systemctl -q is-active ceph-osd@2 || python3 /usr/local/lib/seatrial/ceph-cluster may-stop:osd.2 /etc/ceph/seatrial-gpfs-nsd-apart.json
    systemctl reset-failed ceph-osd@2 2>/dev/null || true
    systemctl restart ceph-osd@2
    touch /var/lib/ceph/seatrial-started-osd-2
}
interrupts_6() { systemctl -q is-active ceph-osd@2; }
# (6 steps)
##### stage 11, m1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 11 of 13: file system
# (the preamble)

# 1. create the file system with 3 copies and 128 active placement groups
#    why: this object size and number of placement groups spread data evenly
check_1() {
    python3 /usr/local/lib/seatrial/ceph-cluster files-check /etc/ceph/seatrial-gpfs-nsd-apart.json
}
apply_1() {
    python3 /usr/local/lib/seatrial/ceph-cluster files /etc/ceph/seatrial-gpfs-nsd-apart.json
}
# (1 steps)
##### stage 12, s[1-3] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 12 of 13: mount
# (the preamble)

# (ceph_nfs.sh)
# 1. unmount the Ceph client at /mnt/gpfs-nsd-apart
check_1() {
    ! grep -q ' /mnt/gpfs-nsd-apart fuse.ceph' /proc/mounts && ! grep -q ' /mnt/gpfs-nsd-apart fuse.ceph ' /etc/fstab && for file in /etc/seatrial/gpfs-nsd-apart.ceph.keyring /run/seatrial-gpfs-nsd-apart.mount; do [ ! -e $file ] || exit 1; done
}
apply_1() {
    while grep -q ' /mnt/gpfs-nsd-apart fuse.ceph' /proc/mounts; do umount /mnt/gpfs-nsd-apart; done
    sed -i '\# /mnt/gpfs-nsd-apart fuse.ceph #d' /etc/fstab
    rm -f /etc/seatrial/gpfs-nsd-apart.ceph.keyring /run/seatrial-gpfs-nsd-apart.mount
    [ ! -d /mnt/gpfs-nsd-apart ] || rmdir /mnt/gpfs-nsd-apart
}

# 2. stop the NFS export
check_2() {
    nfs_serves_nothing /etc/exports.d/seatrial-gpfs-nsd-apart.exports /etc/nfs.conf.d/seatrial-gpfs-nsd-apart.conf
}
apply_2() {
    nfs_serve_nothing /etc/exports.d/seatrial-gpfs-nsd-apart.exports /etc/nfs.conf.d/seatrial-gpfs-nsd-apart.conf /var/lib/seatrial/made/gpfs-nsd-apart/nfs-directory
}

# 3. restore the setting for NFS delegations
check_3() { [ ! -e /var/lib/seatrial/made/gpfs-nsd-apart/before/leases-enable ]; }
apply_3() {
    read -r was </var/lib/seatrial/made/gpfs-nsd-apart/before/leases-enable
    rm /var/lib/seatrial/made/gpfs-nsd-apart/before/leases-enable
    [ "$(cat /proc/sys/fs/leases-enable)" != 0 ] || ls /var/lib/seatrial/made/*/before/leases-enable >/dev/null 2>&1 || echo $was >/proc/sys/fs/leases-enable
}
# (3 steps)
##### stage 12, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 12 of 13: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is put_mount)
# 1. enable the mount of /mnt/gpfs-nsd-apart at boot
check_1() {
    fstab_has m1:3300,m2:3300,m3:3300:/ /mnt/gpfs-nsd-apart ceph name=gpfs-nsd-apart,secretfile=/etc/seatrial/gpfs-nsd-apart.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576,_netdev
}
apply_1() {
    put_fstab_line m1:3300,m2:3300,m3:3300:/ /mnt/gpfs-nsd-apart ceph name=gpfs-nsd-apart,secretfile=/etc/seatrial/gpfs-nsd-apart.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576,_netdev
}

# 2. mount m1:3300,m2:3300,m3:3300:/ at /mnt/gpfs-nsd-apart with name=gpfs-nsd-apart,secretfile=/etc/seatrial/gpfs-nsd-apart.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576
check_2() {
    mount_is /mnt/gpfs-nsd-apart 'm1:3300,m2:3300,m3:3300:/ ceph name=gpfs-nsd-apart,secretfile=/etc/seatrial/gpfs-nsd-apart.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576' /run/seatrial-gpfs-nsd-apart.mount
}
apply_2() {
    modprobe ceph
    put_mount /mnt/gpfs-nsd-apart mount -t ceph -o name=gpfs-nsd-apart,secretfile=/etc/seatrial/gpfs-nsd-apart.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576 m1:3300,m2:3300,m3:3300:/ /mnt/gpfs-nsd-apart
    note_mount /mnt/gpfs-nsd-apart 'm1:3300,m2:3300,m3:3300:/ ceph name=gpfs-nsd-apart,secretfile=/etc/seatrial/gpfs-nsd-apart.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576' /run/seatrial-gpfs-nsd-apart.mount
}
# (2 steps)
##### stage 13, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-apart: CephFS on 3 storage servers for 4 clients
# stage 13 of 13: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# (volumes.sh)
# 1. store the UUIDs of created volumes
check_1() { volumes_are_noted /var/lib/seatrial/made/gpfs-nsd-apart/volumes /dev/ubdb; }
apply_1() { note_volumes /var/lib/seatrial/made/gpfs-nsd-apart/volumes /dev/ubdb; }

# 2. write /usr/local/sbin/seatrial-gpfs-nsd-apart-network
content_2() { cat <<'SEATRIAL'
#!/bin/sh
# What gpfs-nsd-apart has set on this node, after a boot.
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
set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-apart/before ahostsv4 c1
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
# set MTU 9000 on the link to s3-replication
if ! (
mtu_is 9000 ahostsv4 s3-replication
) >/dev/null 2>&1; then
(
set -e
set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-apart/before ahostsv4 s3-replication
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_2() { content | file_is /usr/local/sbin/seatrial-gpfs-nsd-apart-network; }
apply_2() {
    content | write_file /usr/local/sbin/seatrial-gpfs-nsd-apart-network 755
    restart_if_active seatrial-gpfs-nsd-apart-network
}

# 3. write /etc/systemd/system/seatrial-gpfs-nsd-apart-network.service
content_3() { cat <<'SEATRIAL'
[Unit]
Description=what gpfs-nsd-apart has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-gpfs-nsd-apart-network
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
}
check_3() {
    without_systemd || content | file_is /etc/systemd/system/seatrial-gpfs-nsd-apart-network.service
}
apply_3() {
    content | write_file /etc/systemd/system/seatrial-gpfs-nsd-apart-network.service
    reread_unit seatrial-gpfs-nsd-apart-network.service
    restart_if_active seatrial-gpfs-nsd-apart-network
}

# 4. install the boot-time settings of network
#    why: a fenced node must come back with the same settings
check_4() { without_systemd || unit_runs seatrial-gpfs-nsd-apart-network; }
apply_4() { start_unit seatrial-gpfs-nsd-apart-network; }

# 5. remove the boot-time settings of mounts
check_5() {
    no_file /etc/systemd/system/seatrial-gpfs-nsd-apart-mounts.service /usr/local/sbin/seatrial-gpfs-nsd-apart-mounts
}
apply_5() {
    remove_unit seatrial-gpfs-nsd-apart-mounts /etc/systemd/system/seatrial-gpfs-nsd-apart-mounts.service
    rm -f /usr/local/sbin/seatrial-gpfs-nsd-apart-mounts
}
# (5 steps)
##### stage 13, s[2-3] #####
as on s1, but for:
@@ -21 +21 @@
+# set MTU 9000 on the link to s1
@@ -23 +23 @@
+mtu_is 9000 ahostsv4 s1
@@ -27 +27 @@
+set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-apart/before ahostsv4 s1
@@ -31 +31 @@
+# set MTU 9000 on the link to s1-replication
@@ -33 +33 @@
+mtu_is 9000 ahostsv4 s1-replication
@@ -37 +37 @@
+set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-apart/before ahostsv4 s1-replication
##### stage 13, c[1-4],d[1-2],m[1-3] #####
as on s1, but for:
@@ -7,7 +7,2 @@
+# 1. write /usr/local/sbin/seatrial-gpfs-nsd-apart-network
+content_1() { cat <<'SEATRIAL'
@@ -21 +16 @@
+# set MTU 9000 on the link to s1
@@ -23 +18 @@
+mtu_is 9000 ahostsv4 s1
@@ -27,11 +22 @@
+set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-apart/before ahostsv4 s1
@@ -44,2 +29,2 @@
+check_1() { content | file_is /usr/local/sbin/seatrial-gpfs-nsd-apart-network; }
+apply_1() {
@@ -50,2 +35,2 @@
+# 2. write /etc/systemd/system/seatrial-gpfs-nsd-apart-network.service
+content_2() { cat <<'SEATRIAL'
@@ -67 +52 @@
+check_2() {
@@ -70 +55 @@
+apply_2() {
@@ -76 +61 @@
+# 3. install the boot-time settings of network
@@ -78,2 +63,2 @@
+check_3() { without_systemd || unit_runs seatrial-gpfs-nsd-apart-network; }
+apply_3() { start_unit seatrial-gpfs-nsd-apart-network; }
@@ -81,2 +66,2 @@
+# 4. remove the boot-time settings of mounts
+check_4() {
@@ -85 +70 @@
+apply_4() {
@@ -89 +74 @@
+# (4 steps)
