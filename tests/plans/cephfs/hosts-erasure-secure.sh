##### stage 1, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 1 of 13: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links

# 2. (steps.sh) refuse another cluster

# 3. (steps.sh) refuse a disk that is used twice

# 4. refuse disks that are in use: create osd.0 on /dev/sdb
check_4() {
    set +e
    (
    [ -s /var/lib/ceph/osd/ceph-0/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000000 ]
    ) >/dev/null 2>&1 && is_deployed gpfs-nsd /dev/sdb && exit 0
    look_disks gpfs-nsd '' '' /dev/sdb
}
apply_4() { refuse; }

# 5. refuse disks that are in use: create osd.1 on /dev/sdc
check_5() {
    set +e
    (
    [ -s /var/lib/ceph/osd/ceph-1/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000001 ]
    ) >/dev/null 2>&1 && is_deployed gpfs-nsd /dev/sdc && exit 0
    look_disks gpfs-nsd '' '' /dev/sdc
}
apply_5() { refuse; }

# 6. refuse another Ceph cluster
check_6() {
    owner=none
    [ ! -e /var/lib/ceph/seatrial ] || read -r owner </var/lib/ceph/seatrial
    for file in /etc/ceph/ceph.conf /var/lib/ceph/mon/* /var/lib/ceph/osd/* /var/lib/ceph/mds/* /var/lib/ceph/mgr/*; do
        [ ! -e "$file" ] || [ "$owner" = "gpfs-nsd 5a3a7e86-9b10-4c3f-8f7a-0c6f1e2d3b4a" ] || exit 1
    done
    case $owner in none | "gpfs-nsd 5a3a7e86-9b10-4c3f-8f7a-0c6f1e2d3b4a") ;; *) exit 1 ;; esac
}
apply_6() {
    owner=none
    [ ! -e /var/lib/ceph/seatrial ] || read -r owner </var/lib/ceph/seatrial
    echo "refused: this node has /etc/ceph/ceph.conf or parts of a Ceph cluster in /var/lib/ceph that this study did not create"
    echo "(owner in the mark: $owner); nothing was changed; take the node out of that cluster first"
    exit 1
}
# (6 steps)
##### stage 1, s2 #####
as on s1, but for:
@@ -13 +13 @@
+# 4. refuse disks that are in use: create osd.2 on /dev/sdb
@@ -17 +17 @@
+    [ -s /var/lib/ceph/osd/ceph-2/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000002 ]
@@ -23 +23 @@
+# 5. refuse disks that are in use: create osd.3 on /dev/sdc
@@ -27 +27 @@
+    [ -s /var/lib/ceph/osd/ceph-3/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000003 ]
##### stage 1, s3 #####
as on s1, but for:
@@ -13 +13 @@
+# 4. refuse disks that are in use: create osd.4 on /dev/sdb
@@ -17 +17 @@
+    [ -s /var/lib/ceph/osd/ceph-4/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000004 ]
@@ -23 +23 @@
+# 5. refuse disks that are in use: create osd.5 on /dev/sdc
@@ -27 +27 @@
+    [ -s /var/lib/ceph/osd/ceph-5/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000005 ]
##### stage 1, s4 #####
as on s1, but for:
@@ -13 +13 @@
+# 4. refuse disks that are in use: create osd.6 on /dev/sdb
@@ -17 +17 @@
+    [ -s /var/lib/ceph/osd/ceph-6/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000006 ]
@@ -23 +23 @@
+# 5. refuse disks that are in use: create osd.7 on /dev/sdc
@@ -27 +27 @@
+    [ -s /var/lib/ceph/osd/ceph-7/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000007 ]
##### stage 1, c[1-28] #####
as on s1, but for:
@@ -9 +9 @@
+# 2. (steps.sh) refuse an occupied mount point: /mnt/gpfs-nsd
@@ -11,39 +11,2 @@
+# 3. (steps.sh) refuse another cluster
+# (3 steps)
##### stage 2, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 2 of 13: mark
# (the preamble)

# (sh/: installed_packages)
# (backups.sh)
# 1. (steps.sh) mark this node for gpfs-nsd

# 2. (steps.sh) store the state of ceph-mon.target, ceph.target, ceph-mgr.target, ceph-osd.target
# (2 steps)
##### stage 2, s2 #####
as on s1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) store the state of ceph-mon.target, ceph.target, ceph-osd.target
##### stage 2, s3 #####
as on s1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) store the state of ceph-mon.target, ceph.target, ceph-mds.target, ceph-osd.target
##### stage 2, s4 #####
as on s1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) store the state of ceph-mds.target, ceph.target, ceph-osd.target
##### stage 2, c[1-28] #####
as on s1, but for:
@@ -6,2 +5,0 @@
@@ -9,3 +7 @@
+# (1 steps)
##### stage 3, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 3 of 13: clocks
# (the preamble)

# (sh/: file_is write_file store_version have_commands install_packages install_disabled note_installed installed_packages keep_packages note_packages units_are reread_unit restart_if_active unit_runs start_unit)
# shellcheck shell=sh
# The time service of a node.

# clock_kept UNIT: a time service sets the clock, and it is not the study's own, UNIT.
clock_kept() {
    [ ! -e "/etc/systemd/system/$1.service" ] || return 1
    others=$(systemctl list-units --state=active --plain --no-legend \
        chrony.service chronyd.service ntp.service ntpd.service ntpsec.service openntpd.service \
        systemd-timesyncd.service ptp4l.service phc2sys.service timemaster.service) || others=
    [ -z "$others" ] || return 0
    # In a container, and in some virtual machines, the host has the service.
    [ "$(timedatectl show -p NTPSynchronized --value 2>/dev/null)" = yes ]
}

# clock_set UNIT: chronyd of the study has set the clock.
clock_set() {
    chronyc -n -h "/run/$1/chronyd.sock" tracking 2>/dev/null | grep -q '^Leap status *: Normal'
}
# 1. install chrony, unless another time service runs
check_1() {
    clock_kept seatrial-gpfs-nsd-clock || {
    have_commands chronyd chronyc
    }
}
apply_1() {
    note_installed /var/lib/seatrial/made/gpfs-nsd/packages
    install_disabled chronyd 'chrony chronyd' chrony chrony
}

# 2. configure chrony, unless another time service runs
content_2() { cat <<'SEATRIAL'
makestep 0.1 3
rtcsync
cmdport 0
pidfile /run/seatrial-gpfs-nsd-clock.pid
bindcmdaddress /run/seatrial-gpfs-nsd-clock/chronyd.sock
local stratum 10
allow s2
allow s3
allow s4
allow c1
allow c2
allow c3
allow c4
allow c5
allow c6
allow c7
allow c8
allow c9
allow c10
allow c11
allow c12
allow c13
allow c14
allow c15
allow c16
allow c17
allow c18
allow c19
allow c20
allow c21
allow c22
allow c23
allow c24
allow c25
allow c26
allow c27
allow c28
SEATRIAL
}
check_2() {
    clock_kept seatrial-gpfs-nsd-clock || {
    content | file_is /etc/seatrial/gpfs-nsd/chrony.conf
    }
}
apply_2() {
    content | write_file /etc/seatrial/gpfs-nsd/chrony.conf
    restart_if_active seatrial-gpfs-nsd-clock
}

# 3. write /etc/systemd/system/seatrial-gpfs-nsd-clock.service, unless another time service runs
content_3() { cat <<'SEATRIAL'
[Unit]
Description=one time on all nodes
After=network-online.target
[Service]
ExecStart=/usr/sbin/chronyd -n -u root -f /etc/seatrial/gpfs-nsd/chrony.conf
Restart=always
[Install]
WantedBy=multi-user.target
SEATRIAL
}
check_3() {
    clock_kept seatrial-gpfs-nsd-clock || {
    content | file_is /etc/systemd/system/seatrial-gpfs-nsd-clock.service
    }
}
apply_3() {
    content | write_file /etc/systemd/system/seatrial-gpfs-nsd-clock.service
    reread_unit seatrial-gpfs-nsd-clock.service
    restart_if_active seatrial-gpfs-nsd-clock
}

# 4. start chrony, unless another time service runs
#    why: no time service runs, and the nodes of a cluster need one time
check_4() {
    clock_kept seatrial-gpfs-nsd-clock || {
    unit_runs seatrial-gpfs-nsd-clock
    }
}
apply_4() { start_unit seatrial-gpfs-nsd-clock; }

# 5. wait until the clock is set, unless another time service runs
check_5() {
    clock_kept seatrial-gpfs-nsd-clock || {
    clock_set seatrial-gpfs-nsd-clock
    }
}
apply_5() {
    tries=0
    until clock_set seatrial-gpfs-nsd-clock; do again 60 'the clock is not set'; done
}
# (5 steps)
##### stage 3, c[1-28],s[2-4] #####
as on s1, but for:
@@ -43,32 +43 @@
+server s1 iburst
##### stage 4, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 4 of 13: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install ceph-mon, ceph-mgr, ceph-mds, ceph-osd, ceph
# (1 steps)
##### stage 4, c[1-28] #####
as on s[1-4], but for:
@@ -7 +7 @@
+# 1. (steps.sh) install mount.ceph
##### stage 5, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 5 of 13: secrets
# (the preamble)

# 1. check the secret in /etc/seatrial/ceph, readable by root only
check_1() {
    [ -s /etc/seatrial/ceph ] && [ "$(stat -c %a:%u /etc/seatrial/ceph)" = 600:0 ] && read -r secret </etc/seatrial/ceph && [ ${#secret} -ge 32 ]
}
apply_1() {
    echo "/etc/seatrial/ceph has to be there, owned by root, of mode 600, with one line of 32 characters "
    echo "or more, the same on every node that the study says; make it with: openssl rand -hex 32"
    exit 1
}

# 2. check the secret in /etc/seatrial/ceph-client, readable by root only
check_2() {
    [ -s /etc/seatrial/ceph-client ] && [ "$(stat -c %a:%u /etc/seatrial/ceph-client)" = 600:0 ] && read -r secret </etc/seatrial/ceph-client && [ ${#secret} -ge 32 ]
}
apply_2() {
    echo "/etc/seatrial/ceph-client has to be there, owned by root, of mode 600, with one line of 32 characters "
    echo "or more, the same on every node that the study says; make it with: openssl rand -hex 32"
    exit 1
}
# (2 steps)
##### stage 5, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 5 of 13: secrets
# (the preamble)

# (ceph_nfs.sh)
# 1. (steps.sh) unmount NFS at /mnt/gpfs-nsd

# 2. check the secret in /etc/seatrial/ceph-client, readable by root only
check_2() {
    [ -s /etc/seatrial/ceph-client ] && [ "$(stat -c %a:%u /etc/seatrial/ceph-client)" = 600:0 ] && read -r secret </etc/seatrial/ceph-client && [ ${#secret} -ge 32 ]
}
apply_2() {
    echo "/etc/seatrial/ceph-client has to be there, owned by root, of mode 600, with one line of 32 characters "
    echo "or more, the same on every node that the study says; make it with: openssl rand -hex 32"
    exit 1
}

# 3. store the client key, readable by root only
check_3() {
    [ -s /etc/seatrial/gpfs-nsd.ceph.key ] && [ "$(stat -c %a:%U /etc/seatrial/gpfs-nsd.ceph.key)" = 600:root ]
}
apply_3() {
    umask 077
    mkdir -p /etc/seatrial
    { read -r secret </etc/seatrial/ceph-client; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.gpfs-nsd | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0 >/etc/seatrial/gpfs-nsd.ceph.key.new
    mv /etc/seatrial/gpfs-nsd.ceph.key.new /etc/seatrial/gpfs-nsd.ceph.key
}
# (3 steps)
##### stage 6, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 6 of 13: configuration
# (the preamble)

# (sh/: file_is write_file store_version)
# 1. mark the Ceph files of this node
check_1() {
    [ -s /var/lib/ceph/seatrial ] && read -r owner </var/lib/ceph/seatrial && [ "$owner" = "gpfs-nsd 5a3a7e86-9b10-4c3f-8f7a-0c6f1e2d3b4a" ]
}
apply_1() {
    mkdir -p /var/lib/ceph
    echo "gpfs-nsd 5a3a7e86-9b10-4c3f-8f7a-0c6f1e2d3b4a" >/var/lib/ceph/seatrial
}

# 2. configure the cluster: members, cephx, timers, memory
content_2() { cat <<'SEATRIAL'
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
paxos_propose_interval = 1
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
check_2() { content | file_is /etc/ceph/ceph.conf; }
apply_2() { content | write_file /etc/ceph/ceph.conf; }

# 3. (steps.sh) install the monitor query helper

# 4. configure pools and file system
content_4() { cat <<'SEATRIAL'
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
check_4() { content | file_is /etc/ceph/seatrial-gpfs-nsd.json; }
apply_4() { content | write_file /etc/ceph/seatrial-gpfs-nsd.json; }

# 5. store the administrator key, readable by root only
check_5() {
    [ -s /etc/ceph/ceph.client.admin.keyring ] && [ "$(stat -c %a:%U /etc/ceph/ceph.client.admin.keyring)" = 600:root ]
}
apply_5() {
    umask 077
    mkdir -p /etc/ceph
    {
        printf '[%s]\nkey = %s\n' client.admin "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.admin | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/etc/ceph/ceph.client.admin.keyring.new
    chown root:root /etc/ceph/ceph.client.admin.keyring.new
    mv /etc/ceph/ceph.client.admin.keyring.new /etc/ceph/ceph.client.admin.keyring
}
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

# 2. (steps.sh) start monitor mon.s1
# (2 steps)
##### stage 7, s2 #####
as on s1, but for:
@@ -6,2 +6,2 @@
+# 1. create the store of monitor mon.s2
+check_1() { [ -e /var/lib/ceph/mon/ceph-s2/done ]; }
@@ -74,3 +74,3 @@
+    rm -rf /var/lib/ceph/mon/ceph-s2
+    install -d -o ceph -g ceph /var/lib/ceph/mon/ceph-s2
+    ceph-mon --mkfs -i s2 --monmap $work/map --keyring $work/keyring --setuser ceph --setgroup ceph
@@ -78 +78 @@
+    touch /var/lib/ceph/mon/ceph-s2/done
@@ -81 +81 @@
+# 2. (steps.sh) start monitor mon.s2
##### stage 7, s3 #####
as on s1, but for:
@@ -6,2 +6,2 @@
+# 1. create the store of monitor mon.s3
+check_1() { [ -e /var/lib/ceph/mon/ceph-s3/done ]; }
@@ -74,3 +74,3 @@
+    rm -rf /var/lib/ceph/mon/ceph-s3
+    install -d -o ceph -g ceph /var/lib/ceph/mon/ceph-s3
+    ceph-mon --mkfs -i s3 --monmap $work/map --keyring $work/keyring --setuser ceph --setgroup ceph
@@ -78 +78 @@
+    touch /var/lib/ceph/mon/ceph-s3/done
@@ -81 +81 @@
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

# 1. store the key of mgr.s1
check_1() {
    [ -s /var/lib/ceph/mgr/ceph-s1/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/mgr/ceph-s1/keyring)" = 600:ceph ]
}
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

# 2. (steps.sh) start mgr.s1
# (2 steps)
##### stage 9, s3 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 9 of 13: managers and metadata servers
# (the preamble)

# 1. store the key of mds.s3
check_1() {
    [ -s /var/lib/ceph/mds/ceph-s3/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/mds/ceph-s3/keyring)" = 600:ceph ]
}
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

# 2. (steps.sh) start mds.s3
# (2 steps)
##### stage 9, s4 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 9 of 13: managers and metadata servers
# (the preamble)

# 1. store the key of mds.s4
check_1() {
    [ -s /var/lib/ceph/mds/ceph-s4/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/mds/ceph-s4/keyring)" = 600:ceph ]
}
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

# 2. (steps.sh) start mds.s4
# (2 steps)
##### stage 10, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 10 of 13: OSDs
# (the preamble)

# (sh/: file_is write_file no_file store_version)
# (volumes.sh)
# 1. (steps.sh) give OSDs access to their disks at boot

# 2. (steps.sh) remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf

# 3. create osd.0 on /dev/sdb
check_3() {
    [ -s /var/lib/ceph/osd/ceph-0/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000000 ]
}
guard_3() {
    all_must_be_blank /dev/sdb
    expect_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/sdb
}
apply_3() {
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

# 4. refuse volumes of another owner on /dev/sdb
check_4() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd/volumes '' /dev/sdb
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
        printf '[%s]\nkey = %s\n' osd.0 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.0 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-0/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-0/keyring.new
    mv /var/lib/ceph/osd/ceph-0/keyring.new /var/lib/ceph/osd/ceph-0/keyring
}

# 6. (steps.sh) start osd.0

# 7. create osd.1 on /dev/sdc
check_7() {
    [ -s /var/lib/ceph/osd/ceph-1/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000001 ]
}
guard_7() {
    all_must_be_blank /dev/sdc
    expect_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/sdc
}
apply_7() {
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

# 8. refuse volumes of another owner on /dev/sdc
check_8() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd/volumes '' /dev/sdc
}
apply_8() { refuse; }

# 9. store the key of osd.1
check_9() {
    [ -s /var/lib/ceph/osd/ceph-1/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-1/keyring)" = 600:ceph ]
}
apply_9() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-1
    {
        printf '[%s]\nkey = %s\n' osd.1 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.1 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-1/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-1/keyring.new
    mv /var/lib/ceph/osd/ceph-1/keyring.new /var/lib/ceph/osd/ceph-1/keyring
}

# 10. (steps.sh) start osd.1
# (10 steps)
##### stage 10, s2 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 10 of 13: OSDs
# (the preamble)

# (sh/: file_is write_file no_file store_version)
# (volumes.sh)
# 1. (steps.sh) give OSDs access to their disks at boot

# 2. (steps.sh) remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf

# 3. create osd.2 on /dev/sdb
check_3() {
    [ -s /var/lib/ceph/osd/ceph-2/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000002 ]
}
guard_3() {
    all_must_be_blank /dev/sdb
    expect_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/sdb
}
apply_3() {
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

# 4. refuse volumes of another owner on /dev/sdb
check_4() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd/volumes '' /dev/sdb
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
        printf '[%s]\nkey = %s\n' osd.2 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.2 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-2/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-2/keyring.new
    mv /var/lib/ceph/osd/ceph-2/keyring.new /var/lib/ceph/osd/ceph-2/keyring
}

# 6. (steps.sh) start osd.2

# 7. create osd.3 on /dev/sdc
check_7() {
    [ -s /var/lib/ceph/osd/ceph-3/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000003 ]
}
guard_7() {
    all_must_be_blank /dev/sdc
    expect_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/sdc
}
apply_7() {
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

# 8. refuse volumes of another owner on /dev/sdc
check_8() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd/volumes '' /dev/sdc
}
apply_8() { refuse; }

# 9. store the key of osd.3
check_9() {
    [ -s /var/lib/ceph/osd/ceph-3/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-3/keyring)" = 600:ceph ]
}
apply_9() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-3
    {
        printf '[%s]\nkey = %s\n' osd.3 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.3 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-3/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-3/keyring.new
    mv /var/lib/ceph/osd/ceph-3/keyring.new /var/lib/ceph/osd/ceph-3/keyring
}

# 10. (steps.sh) start osd.3
# (10 steps)
##### stage 10, s3 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 10 of 13: OSDs
# (the preamble)

# (sh/: file_is write_file no_file store_version)
# (volumes.sh)
# 1. (steps.sh) give OSDs access to their disks at boot

# 2. (steps.sh) remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf

# 3. create osd.4 on /dev/sdb
check_3() {
    [ -s /var/lib/ceph/osd/ceph-4/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000004 ]
}
guard_3() {
    all_must_be_blank /dev/sdb
    expect_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/sdb
}
apply_3() {
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

# 4. refuse volumes of another owner on /dev/sdb
check_4() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd/volumes '' /dev/sdb
}
apply_4() { refuse; }

# 5. store the key of osd.4
check_5() {
    [ -s /var/lib/ceph/osd/ceph-4/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-4/keyring)" = 600:ceph ]
}
apply_5() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-4
    {
        printf '[%s]\nkey = %s\n' osd.4 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.4 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-4/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-4/keyring.new
    mv /var/lib/ceph/osd/ceph-4/keyring.new /var/lib/ceph/osd/ceph-4/keyring
}

# 6. start osd.4
check_6() {
    systemctl -q is-active ceph-osd@4 && systemctl -q is-enabled ceph-osd@4 && [ /var/lib/ceph/seatrial-started-osd-4 -nt /etc/ceph/ceph.conf ]
}
apply_6() {
    systemctl -q --no-reload enable ceph-osd@4 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@4 2>/dev/null || true
    systemctl restart ceph-osd@4
    touch /var/lib/ceph/seatrial-started-osd-4
}
interrupts_6() { systemctl -q is-active ceph-osd@4; }

# 7. create osd.5 on /dev/sdc
check_7() {
    [ -s /var/lib/ceph/osd/ceph-5/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000005 ]
}
guard_7() {
    all_must_be_blank /dev/sdc
    expect_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/sdc
}
apply_7() {
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

# 8. refuse volumes of another owner on /dev/sdc
check_8() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd/volumes '' /dev/sdc
}
apply_8() { refuse; }

# 9. store the key of osd.5
check_9() {
    [ -s /var/lib/ceph/osd/ceph-5/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-5/keyring)" = 600:ceph ]
}
apply_9() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-5
    {
        printf '[%s]\nkey = %s\n' osd.5 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.5 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-5/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-5/keyring.new
    mv /var/lib/ceph/osd/ceph-5/keyring.new /var/lib/ceph/osd/ceph-5/keyring
}

# 10. start osd.5
check_10() {
    systemctl -q is-active ceph-osd@5 && systemctl -q is-enabled ceph-osd@5 && [ /var/lib/ceph/seatrial-started-osd-5 -nt /etc/ceph/ceph.conf ]
}
apply_10() {
    systemctl -q --no-reload enable ceph-osd@5 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@5 2>/dev/null || true
    systemctl restart ceph-osd@5
    touch /var/lib/ceph/seatrial-started-osd-5
}
interrupts_10() { systemctl -q is-active ceph-osd@5; }
# (10 steps)
##### stage 10, s4 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 10 of 13: OSDs
# (the preamble)

# (sh/: file_is write_file no_file store_version)
# (volumes.sh)
# 1. (steps.sh) give OSDs access to their disks at boot

# 2. (steps.sh) remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf

# 3. create osd.6 on /dev/sdb
check_3() {
    [ -s /var/lib/ceph/osd/ceph-6/ready ] && [ "$(head -c 60 /dev/sdb | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000006 ]
}
guard_3() {
    all_must_be_blank /dev/sdb
    expect_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/sdb
}
apply_3() {
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

# 4. refuse volumes of another owner on /dev/sdb
check_4() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd/volumes '' /dev/sdb
}
apply_4() { refuse; }

# 5. store the key of osd.6
check_5() {
    [ -s /var/lib/ceph/osd/ceph-6/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-6/keyring)" = 600:ceph ]
}
apply_5() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-6
    {
        printf '[%s]\nkey = %s\n' osd.6 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.6 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-6/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-6/keyring.new
    mv /var/lib/ceph/osd/ceph-6/keyring.new /var/lib/ceph/osd/ceph-6/keyring
}

# 6. start osd.6
check_6() {
    systemctl -q is-active ceph-osd@6 && systemctl -q is-enabled ceph-osd@6 && [ /var/lib/ceph/seatrial-started-osd-6 -nt /etc/ceph/ceph.conf ]
}
apply_6() {
    systemctl -q --no-reload enable ceph-osd@6 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@6 2>/dev/null || true
    systemctl restart ceph-osd@6
    touch /var/lib/ceph/seatrial-started-osd-6
}
interrupts_6() { systemctl -q is-active ceph-osd@6; }

# 7. create osd.7 on /dev/sdc
check_7() {
    [ -s /var/lib/ceph/osd/ceph-7/ready ] && [ "$(head -c 60 /dev/sdc | sed -n 2p)" = 5a3a7e86-9b10-4c3f-8f7a-000000000007 ]
}
guard_7() {
    all_must_be_blank /dev/sdc
    expect_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/sdc
}
apply_7() {
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

# 8. refuse volumes of another owner on /dev/sdc
check_8() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd/volumes '' /dev/sdc
}
apply_8() { refuse; }

# 9. store the key of osd.7
check_9() {
    [ -s /var/lib/ceph/osd/ceph-7/keyring ] && [ "$(stat -c %a:%U /var/lib/ceph/osd/ceph-7/keyring)" = 600:ceph ]
}
apply_9() {
    umask 077
    mkdir -p /var/lib/ceph/osd/ceph-7
    {
        printf '[%s]\nkey = %s\n' osd.7 "$({ read -r secret </etc/seatrial/ceph; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" osd.7 | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/var/lib/ceph/osd/ceph-7/keyring.new
    chown ceph:ceph /var/lib/ceph/osd/ceph-7/keyring.new
    mv /var/lib/ceph/osd/ceph-7/keyring.new /var/lib/ceph/osd/ceph-7/keyring
}

# 10. start osd.7
check_10() {
    systemctl -q is-active ceph-osd@7 && systemctl -q is-enabled ceph-osd@7 && [ /var/lib/ceph/seatrial-started-osd-7 -nt /etc/ceph/ceph.conf ]
}
apply_10() {
    systemctl -q --no-reload enable ceph-osd@7 ceph-osd.target ceph.target
    systemctl reset-failed ceph-osd@7 2>/dev/null || true
    systemctl restart ceph-osd@7
    touch /var/lib/ceph/seatrial-started-osd-7
}
interrupts_10() { systemctl -q is-active ceph-osd@7; }
# (10 steps)
##### stage 11, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 11 of 13: file system
# (the preamble)

# 1. create the file system with 2+1 and 64 active placement groups
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
# 1. enable the mount of /mnt/gpfs-nsd at boot
check_1() {
    fstab_has s1:3300,s2:3300,s3:3300:/ /mnt/gpfs-nsd ceph name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=secure,noatime,rasize=1048576,_netdev
}
apply_1() {
    put_fstab_line s1:3300,s2:3300,s3:3300:/ /mnt/gpfs-nsd ceph name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=secure,noatime,rasize=1048576,_netdev
}

# 2. mount s1:3300,s2:3300,s3:3300:/ at /mnt/gpfs-nsd with name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=secure,noatime,rasize=1048576
check_2() {
    mount_is /mnt/gpfs-nsd 's1:3300,s2:3300,s3:3300:/ ceph name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=secure,noatime,rasize=1048576' /run/seatrial-gpfs-nsd.mount
}
apply_2() {
    modprobe ceph
    put_mount /mnt/gpfs-nsd mount -t ceph -o name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=secure,noatime,rasize=1048576 s1:3300,s2:3300,s3:3300:/ /mnt/gpfs-nsd
    note_mount /mnt/gpfs-nsd 's1:3300,s2:3300,s3:3300:/ ceph name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=secure,noatime,rasize=1048576' /run/seatrial-gpfs-nsd.mount
}
# (2 steps)
##### stage 13, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 13 of 13: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# (volumes.sh)
# 1. store the UUIDs of created volumes
check_1() { volumes_are_noted /var/lib/seatrial/made/gpfs-nsd/volumes /dev/sdb /dev/sdc; }
apply_1() { note_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/sdb /dev/sdc; }

# 2. (steps.sh) remove the boot-time settings of network and mounts
# (2 steps)
##### stage 13, c[1-28] #####
as on s[1-4], but for:
@@ -7,7 +7,2 @@
+# 1. (steps.sh) remove the boot-time settings of network and mounts
+# (1 steps)
