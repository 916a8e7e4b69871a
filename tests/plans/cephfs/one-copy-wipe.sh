##### stage 1, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 1 of 13: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links

# 2. (steps.sh) refuse another cluster

# 3. refuse disks that are in use: create osd.0 on /dev/ubdb
check_3() {
    set +e
    (
    [ -s /var/lib/ceph/osd/ceph-0/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = 72cb21a0-e679-5f08-83c1-000000000000 ]
    ) >/dev/null 2>&1 && is_deployed gpfs-nsd /dev/ubdb && exit 0
    look_disks gpfs-nsd '' /dev/ubdb /dev/ubdb
}
apply_3() { refuse; }

# 4. (steps.sh) refuse another Ceph cluster
# (4 steps)
##### stage 1, s2 #####
as on s1, but for:
@@ -11,9 +11 @@
+# 3. (steps.sh) refuse disks that are in use: create osd.1 on /dev/ubdb
##### stage 1, s3 #####
as on s1, but for:
@@ -11,9 +11 @@
+# 3. (steps.sh) refuse disks that are in use: create osd.2 on /dev/ubdb
##### stage 1, s4 #####
as on s1, but for:
@@ -11,9 +11 @@
+# 3. (steps.sh) refuse disks that are in use: create osd.3 on /dev/ubdb
##### stage 1, c[1-28] #####
as on s1, but for:
@@ -9 +9 @@
+# 2. (steps.sh) refuse an occupied mount point: /mnt/gpfs-nsd
@@ -11,12 +11,2 @@
+# 3. (steps.sh) refuse another cluster
+# (3 steps)
##### stage 2, s[1-2] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 2 of 13: mark
# (the preamble)

# (sh/: installed_packages)
# (backups.sh)
# 1. (steps.sh) mark this node for gpfs-nsd

# 2. (steps.sh) store the state of ceph-mon.target, ceph.target, ceph-mgr.target, ceph-osd.target
# (2 steps)
##### stage 2, s3 #####
as on s[1-2], but for:
@@ -10 +10 @@
+# 2. (steps.sh) store the state of ceph-mon.target, ceph.target, ceph-mds.target, ceph-osd.target
##### stage 2, s4 #####
as on s[1-2], but for:
@@ -10 +10,5 @@
+# 2. store the state of ceph-osd.target, ceph.target
+check_2() {
+    units_are_kept /var/lib/seatrial/made/gpfs-nsd/before/units ceph-osd.target ceph.target
+}
+apply_2() { keep_units /var/lib/seatrial/made/gpfs-nsd/before/units ceph-osd.target ceph.target; }
##### stage 2, c[1-28] #####
as on s[1-2], but for:
@@ -6,2 +5,0 @@
@@ -9,3 +7 @@
+# (1 steps)
##### stage 3, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 3 of 13: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install ceph-mon, ceph-mgr, ceph-mds, ceph-osd, ceph
# (1 steps)
##### stage 3, c[1-28] #####
as on s[1-4], but for:
@@ -7 +7 @@
+# 1. (steps.sh) install mount.ceph
##### stage 4, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 4 of 13: network
# (the preamble)

# (sh/: link_to mtu_is set_mtu set_mtu_of)
# 1. (steps.sh) set MTU 9000 on the link to c1
# (1 steps)
##### stage 4, c[1-28],s[2-4] #####
as on s1, but for:
@@ -7 +7 @@
+# 1. (steps.sh) set MTU 9000 on the link to s1
##### stage 5, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 5 of 13: secrets
# (the preamble)

# 1. (steps.sh) store the lab's secret in /etc/seatrial/gpfs-nsd.ceph.servers

# 2. (steps.sh) store the lab's secret in /etc/seatrial/gpfs-nsd.ceph.clients
# (2 steps)
##### stage 5, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 5 of 13: secrets
# (the preamble)

# (ceph_nfs.sh)
# 1. (steps.sh) unmount NFS at /mnt/gpfs-nsd

# 2. (steps.sh) store the lab's secret in /etc/seatrial/gpfs-nsd.ceph.clients

# 3. (steps.sh) store the client key, readable by root only
# (3 steps)
##### stage 6, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 6 of 13: configuration
# (the preamble)

# (sh/: file_is write_file store_version)
# 1. (steps.sh) mark the Ceph files of this node

# 2. configure the cluster: members, cephx, timers, memory
content_2() { cat <<'SEATRIAL'
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
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
osd_heartbeat_interval = 2
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
check_2() { content | file_is /etc/ceph/ceph.conf; }
apply_2() { content | write_file /etc/ceph/ceph.conf; }

# 3. (steps.sh) install the monitor query helper

# 4. configure pools and file system
content_4() { cat <<'SEATRIAL'
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
   "size": 1,
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
 "standby_replay": false
}
SEATRIAL
}
check_4() { content | file_is /etc/ceph/seatrial-gpfs-nsd.json; }
apply_4() { content | write_file /etc/ceph/seatrial-gpfs-nsd.json; }

# 5. (steps.sh) store the administrator key, readable by root only
# (5 steps)
##### stage 7, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 7 of 13: monitors
# (the preamble)

# 1. create the store of monitor mon.s1
check_1() { [ -e /var/lib/ceph/mon/ceph-s1/done ]; }
apply_1() {
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
        printf '[%s]\nkey = %s\n' mgr.s2 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mgr.s2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
        echo 'caps mon = "allow profile mgr"'
        echo 'caps osd = "allow *"'
        printf '[%s]\nkey = %s\n' mds.s3 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mds.s3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
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

# 2. (steps.sh) start monitor mon.s1
# (2 steps)
##### stage 7, s2 #####
as on s1, but for:
@@ -6,2 +6,2 @@
+# 1. create the store of monitor mon.s2
+check_1() { [ -e /var/lib/ceph/mon/ceph-s2/done ]; }
@@ -56,3 +56,3 @@
+    rm -rf /var/lib/ceph/mon/ceph-s2
+    install -d -o ceph -g ceph /var/lib/ceph/mon/ceph-s2
+    ceph-mon --mkfs -i s2 --monmap $work/map --keyring $work/keyring --setuser ceph --setgroup ceph
@@ -60 +60 @@
+    touch /var/lib/ceph/mon/ceph-s2/done
@@ -63 +63 @@
+# 2. (steps.sh) start monitor mon.s2
##### stage 7, s3 #####
as on s1, but for:
@@ -6,2 +6,2 @@
+# 1. create the store of monitor mon.s3
+check_1() { [ -e /var/lib/ceph/mon/ceph-s3/done ]; }
@@ -56,3 +56,3 @@
+    rm -rf /var/lib/ceph/mon/ceph-s3
+    install -d -o ceph -g ceph /var/lib/ceph/mon/ceph-s3
+    ceph-mon --mkfs -i s3 --monmap $work/map --keyring $work/keyring --setuser ceph --setgroup ceph
@@ -60 +60 @@
+    touch /var/lib/ceph/mon/ceph-s3/done
@@ -63 +63 @@
+# 2. (steps.sh) start monitor mon.s3
##### stage 8, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 8 of 13: OSD registration
# (the preamble)

# 1. (steps.sh) register every OSD
# (1 steps)
##### stage 9, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 9 of 13: managers and metadata servers
# (the preamble)

# 1. (steps.sh) store the key of mgr.s1

# 2. (steps.sh) start mgr.s1
# (2 steps)
##### stage 9, s2 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 9 of 13: managers and metadata servers
# (the preamble)

# 1. store the key of mgr.s2
check_1() {
    [ -s /var/lib/ceph/mgr/ceph-s2/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/mgr/ceph-s2/keyring)" = 600:ceph ]
}
apply_1() {
    umask 077
    mkdir -p /var/lib/ceph/mgr/ceph-s2
    {
        printf '[%s]\nkey = %s\n' mgr.s2 "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.servers; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" mgr.s2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/mgr/ceph-s2/keyring.new
    chown ceph:ceph /var/lib/ceph/mgr/ceph-s2/keyring.new
    mv /var/lib/ceph/mgr/ceph-s2/keyring.new /var/lib/ceph/mgr/ceph-s2/keyring
    chown ceph:ceph /var/lib/ceph/mgr/ceph-s2
}

# 2. start mgr.s2
check_2() {
    systemctl -q is-active ceph-mgr@s2 && systemctl -q is-enabled ceph-mgr@s2 && [ /var/lib/ceph/seatrial-started-mgr-s2 -nt /etc/ceph/ceph.conf ]
}
apply_2() {
    systemctl -q --no-reload enable ceph-mgr@s2 ceph-mgr.target ceph.target
    systemctl reset-failed ceph-mgr@s2 2>/dev/null || true
    systemctl restart ceph-mgr@s2
    touch /var/lib/ceph/seatrial-started-mgr-s2
}
interrupts_2() { systemctl -q is-active ceph-mgr@s2; }
# (2 steps)
##### stage 9, s3 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 9 of 13: managers and metadata servers
# (the preamble)

# 1. (steps.sh) store the key of mds.s3

# 2. start mds.s3
check_2() {
    systemctl -q is-active ceph-mds@s3 && systemctl -q is-enabled ceph-mds@s3 && [ /var/lib/ceph/seatrial-started-mds-s3 -nt /etc/ceph/ceph.conf ]
}
apply_2() {
    systemctl -q --no-reload enable ceph-mds@s3 ceph-mds.target ceph.target
    systemctl reset-failed ceph-mds@s3 2>/dev/null || true
    systemctl restart ceph-mds@s3
    touch /var/lib/ceph/seatrial-started-mds-s3
}
interrupts_2() { systemctl -q is-active ceph-mds@s3; }
# (2 steps)
##### stage 10, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 10 of 13: OSDs
# (the preamble)

# (sh/: erase_devices discard file_is write_file no_file store_version)
# (volumes.sh)
# 1. (steps.sh) give OSDs access to their disks at boot

# 2. (steps.sh) remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf

# 3. erase /dev/ubdb, as --wipe allows
check_3() {
    (
    [ -s /var/lib/ceph/osd/ceph-0/ready ] && [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = 72cb21a0-e679-5f08-83c1-000000000000 ]
    ) || all_must_be_blank /dev/ubdb
}
apply_3() {
    rm -rf /var/lib/ceph/osd/ceph-0
    erase_devices discard /dev/ubdb
}

# 4. (steps.sh) create osd.0 on /dev/ubdb

# 5. (steps.sh) refuse volumes of another owner on /dev/ubdb

# 6. (steps.sh) store the key of osd.0

# 7. (steps.sh) start osd.0
# (7 steps)
##### stage 10, s2 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 10 of 13: OSDs
# (the preamble)

# (sh/: file_is write_file no_file store_version)
# (volumes.sh)
# 1. (steps.sh) give OSDs access to their disks at boot

# 2. (steps.sh) remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf

# 3. (steps.sh) create osd.1 on /dev/ubdb

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb

# 5. (steps.sh) store the key of osd.1

# 6. (steps.sh) start osd.1
# (6 steps)
##### stage 10, s3 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 10 of 13: OSDs
# (the preamble)

# (sh/: file_is write_file no_file store_version)
# (volumes.sh)
# 1. (steps.sh) give OSDs access to their disks at boot

# 2. (steps.sh) remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf

# 3. (steps.sh) create osd.2 on /dev/ubdb

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb

# 5. (steps.sh) store the key of osd.2

# 6. (steps.sh) start osd.2
# (6 steps)
##### stage 10, s4 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 10 of 13: OSDs
# (the preamble)

# (sh/: file_is write_file no_file store_version)
# (volumes.sh)
# 1. (steps.sh) give OSDs access to their disks at boot

# 2. (steps.sh) remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf

# 3. (steps.sh) create osd.3 on /dev/ubdb

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb

# 5. (steps.sh) store the key of osd.3

# 6. (steps.sh) start osd.3
# (6 steps)
##### stage 11, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 11 of 13: file system
# (the preamble)

# 1. create the file system with 1 copies and 128 active placement groups
#    why: this object size and number of placement groups spread data evenly
check_1() {
    python3 /usr/local/lib/seatrial/ceph-cluster files-check /etc/ceph/seatrial-gpfs-nsd.json
}
apply_1() { python3 /usr/local/lib/seatrial/ceph-cluster files /etc/ceph/seatrial-gpfs-nsd.json; }
# (1 steps)
##### stage 12, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 12 of 13: mount
# (the preamble)

# (ceph_nfs.sh)
# 1. (steps.sh) unmount the Ceph client at /mnt/gpfs-nsd

# 2. (steps.sh) stop the NFS export

# 3. (steps.sh) restore the setting for NFS delegations
# (3 steps)
##### stage 12, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 12 of 13: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is put_mount)
# 1. (steps.sh) enable the mount of /mnt/gpfs-nsd at boot

# 2. (steps.sh) mount s1:3300,s2:3300,s3:3300:/ at /mnt/gpfs-nsd with name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576
# (2 steps)
##### stage 13, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 13 of 13: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# (volumes.sh)
# 1. (steps.sh) store the UUIDs of created volumes

# 2. (steps.sh) write /usr/local/sbin/seatrial-gpfs-nsd-network

# 3. (steps.sh) write /etc/systemd/system/seatrial-gpfs-nsd-network.service

# 4. (steps.sh) install the boot-time settings of network

# 5. (steps.sh) remove the boot-time settings of mounts
# (5 steps)
##### stage 13, s[2-4] #####
as on s1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /usr/local/sbin/seatrial-gpfs-nsd-network (2)
##### stage 13, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 13 of 13: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-gpfs-nsd-network (2)

# 2. (steps.sh) write /etc/systemd/system/seatrial-gpfs-nsd-network.service

# 3. (steps.sh) install the boot-time settings of network

# 4. (steps.sh) remove the boot-time settings of mounts
# (4 steps)
