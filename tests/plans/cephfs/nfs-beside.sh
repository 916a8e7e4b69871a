##### stage 1, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 1 of 14: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links

# 2. (steps.sh) refuse other NFS exports: /srv/gpfs-nsd

# 3. (steps.sh) refuse another cluster

# 4. (steps.sh) refuse disks that are in use: create osd.0 on /dev/ubdb

# 5. (steps.sh) refuse another Ceph cluster
# (5 steps)
##### stage 1, s2 #####
as on s1, but for:
@@ -13 +13 @@
+# 4. (steps.sh) refuse disks that are in use: create osd.1 on /dev/ubdb
##### stage 1, s3 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 1 of 14: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links

# 2. (steps.sh) refuse another cluster

# 3. (steps.sh) refuse disks that are in use: create osd.2 on /dev/ubdb

# 4. (steps.sh) refuse another Ceph cluster
# (4 steps)
##### stage 1, s4 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 1 of 14: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links

# 2. (steps.sh) refuse another cluster

# 3. (steps.sh) refuse disks that are in use: create osd.3 on /dev/ubdb

# 4. (steps.sh) refuse another Ceph cluster
# (4 steps)
##### stage 1, c[1-28] #####
as on s1, but for:
@@ -9 +9 @@
+# 2. (steps.sh) refuse an occupied mount point: /mnt/gpfs-nsd
@@ -12,5 +12 @@
+# (3 steps)
##### stage 2, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 2 of 14: mark
# (the preamble)

# (sh/: installed_packages)
# (backups.sh)
# 1. (steps.sh) mark this node for gpfs-nsd

# 2. store the state of ceph-mon.target, ceph.target, ceph-mgr.target, ceph-osd.target, nfs-server
check_2() {
    units_are_kept /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-mgr.target ceph-osd.target nfs-server.service
}
apply_2() {
    keep_units /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-mgr.target ceph-osd.target nfs-server.service
}
# (2 steps)
##### stage 2, s2 #####
as on s1, but for:
@@ -10 +10 @@
+# 2. store the state of ceph-mon.target, ceph.target, ceph-osd.target, nfs-server
@@ -12 +12 @@
+    units_are_kept /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-osd.target nfs-server.service
@@ -15 +15 @@
+    keep_units /var/lib/seatrial/made/gpfs-nsd/before/units ceph-mon.target ceph.target ceph-osd.target nfs-server.service
##### stage 2, s3 #####
as on s1, but for:
@@ -10,7 +10 @@
+# 2. (steps.sh) store the state of ceph-mon.target, ceph.target, ceph-mds.target, ceph-osd.target
##### stage 2, s4 #####
as on s1, but for:
@@ -10,7 +10 @@
+# 2. (steps.sh) store the state of ceph-mds.target, ceph.target, ceph-osd.target
##### stage 2, c[1-28] #####
as on s1, but for:
@@ -6,2 +5,0 @@
@@ -9,9 +7 @@
+# (1 steps)
##### stage 3, s[1-2] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 3 of 14: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install ceph-mon, ceph-mgr, ceph-mds, ceph-osd, ceph

# 2. install exportfs
check_2() { have_commands exportfs; }
apply_2() {
    note_installed /var/lib/seatrial/made/gpfs-nsd/packages
    install_packages nfs-kernel-server nfs-utils
}
# (2 steps)
##### stage 3, s[3-4] #####
as on s[1-2], but for:
@@ -8,8 +8 @@
+# (1 steps)
##### stage 3, c[2-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 3 of 14: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. install mount.nfs
check_1() { have_commands mount.nfs; }
apply_1() {
    note_installed /var/lib/seatrial/made/gpfs-nsd/packages
    install_packages nfs-common nfs-utils
}
# (1 steps)
##### stage 3, c[1,5-28] #####
as on s[1-2], but for:
@@ -7,9 +7,2 @@
+# 1. (steps.sh) install mount.ceph
+# (1 steps)
##### stage 4, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 4 of 14: network
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
# stage 5 of 14: secrets
# (the preamble)

# 1. (steps.sh) store the lab's secret in /etc/seatrial/gpfs-nsd.ceph.servers

# 2. (steps.sh) store the lab's secret in /etc/seatrial/gpfs-nsd.ceph.clients
# (2 steps)
##### stage 5, c[1,5-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 5 of 14: secrets
# (the preamble)

# (ceph_nfs.sh)
# 1. (steps.sh) unmount NFS at /mnt/gpfs-nsd

# 2. (steps.sh) store the lab's secret in /etc/seatrial/gpfs-nsd.ceph.clients

# 3. (steps.sh) store the client key, readable by root only
# (3 steps)
##### stage 6, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 6 of 14: configuration
# (the preamble)

# (sh/: file_is write_file store_version)
# 1. (steps.sh) mark the Ceph files of this node

# 2. (steps.sh) configure the cluster: members, cephx, timers, memory

# 3. (steps.sh) install the monitor query helper

# 4. (steps.sh) configure pools and file system

# 5. (steps.sh) store the administrator key, readable by root only
# (5 steps)
##### stage 7, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 7 of 14: monitors
# (the preamble)

# 1. (steps.sh) create the store of monitor mon.s1

# 2. (steps.sh) start monitor mon.s1
# (2 steps)
##### stage 7, s2 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. (steps.sh) create the store of monitor mon.s2
@@ -8 +8 @@
+# 2. (steps.sh) start monitor mon.s2
##### stage 7, s3 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. (steps.sh) create the store of monitor mon.s3
@@ -8 +8 @@
+# 2. (steps.sh) start monitor mon.s3
##### stage 8, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 8 of 14: OSD registration
# (the preamble)

# 1. (steps.sh) register every OSD
# (1 steps)
##### stage 9, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 9 of 14: managers and metadata servers
# (the preamble)

# 1. (steps.sh) store the key of mgr.s1

# 2. (steps.sh) start mgr.s1
# (2 steps)
##### stage 9, s3 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. (steps.sh) store the key of mds.s3
@@ -8 +8 @@
+# 2. (steps.sh) start mds.s3
##### stage 9, s4 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. (steps.sh) store the key of mds.s4
@@ -8 +8 @@
+# 2. (steps.sh) start mds.s4
##### stage 10, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 10 of 14: OSDs
# (the preamble)

# (sh/: file_is write_file no_file store_version)
# (volumes.sh)
# 1. (steps.sh) give OSDs access to their disks at boot

# 2. (steps.sh) remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf

# 3. (steps.sh) create osd.0 on /dev/ubdb

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb

# 5. (steps.sh) store the key of osd.0

# 6. (steps.sh) start osd.0 (2)
# (6 steps)
##### stage 10, s2 #####
as on s1, but for:
@@ -12 +12 @@
+# 3. (steps.sh) create osd.1 on /dev/ubdb
@@ -16 +16 @@
+# 5. (steps.sh) store the key of osd.1
@@ -18 +18 @@
+# 6. (steps.sh) start osd.1 (2)
##### stage 10, s3 #####
as on s1, but for:
@@ -12 +12 @@
+# 3. (steps.sh) create osd.2 on /dev/ubdb
@@ -16 +16 @@
+# 5. (steps.sh) store the key of osd.2
@@ -18 +18 @@
+# 6. (steps.sh) start osd.2 (2)
##### stage 10, s4 #####
as on s1, but for:
@@ -12 +12 @@
+# 3. (steps.sh) create osd.3 on /dev/ubdb
@@ -16 +16 @@
+# 5. (steps.sh) store the key of osd.3
@@ -18 +18 @@
+# 6. (steps.sh) start osd.3 (2)
##### stage 11, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 11 of 14: file system
# (the preamble)

# 1. (steps.sh) create the file system with 2 copies and 128 active placement groups
# (1 steps)
##### stage 12, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 12 of 14: NFS
# (the preamble)

# (sh/: file_is write_file store_version)
# (ceph_nfs.sh)
# 1. create the directory /srv/gpfs-nsd, writable for NFS clients
check_1() { nfs_directory_there /srv/gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/nfs-directory; }
apply_1() { nfs_directory /srv/gpfs-nsd /var/lib/seatrial/made/gpfs-nsd/nfs-directory; }

# 2. configure the export of /srv/gpfs-nsd
content_2() { cat <<'SEATRIAL'
/srv/gpfs-nsd c2(rw,sync,root_squash,no_subtree_check) c4(rw,sync,root_squash,no_subtree_check)
SEATRIAL
}
check_2() { content | file_is /etc/exports.d/seatrial-gpfs-nsd.exports; }
apply_2() { content | write_file /etc/exports.d/seatrial-gpfs-nsd.exports; }

# 3. configure 64 nfsd threads, and 90 s of lease and grace period
content_3() { cat <<'SEATRIAL'
[nfsd]
threads=64
lease-time=90
grace-time=90
SEATRIAL
}
check_3() { content | file_is /etc/nfs.conf.d/seatrial-gpfs-nsd.conf; }
apply_3() { content | write_file /etc/nfs.conf.d/seatrial-gpfs-nsd.conf; }

# 4. disable NFS delegations
#    why: a restarted server of Linux 7.2 grants one to the first client that reclaims a file; other clients cannot reclaim it in the grace period, and lose their locks
check_4() {
    [ -s /var/lib/seatrial/made/gpfs-nsd/before/leases-enable ] && [ "$(cat /proc/sys/fs/leases-enable)" = 0 ]
}
apply_4() {
    (
        umask 077
        mkdir -p /var/lib/seatrial/made/gpfs-nsd/before
        [ -s /var/lib/seatrial/made/gpfs-nsd/before/leases-enable ] || { cat /var/lib/seatrial/made/*/before/leases-enable /proc/sys/fs/leases-enable 2>/dev/null | head -n 1 >/var/lib/seatrial/made/gpfs-nsd/before/leases-enable.new && mv /var/lib/seatrial/made/gpfs-nsd/before/leases-enable.new /var/lib/seatrial/made/gpfs-nsd/before/leases-enable; }
    )
    echo 0 >/proc/sys/fs/leases-enable
}

# 5. set 64 nfsd threads
#    why: one thread serves one request at a time: with too few, clients wait
check_5() {
    [ -e /proc/fs/nfsd/threads ] && read -r threads </proc/fs/nfsd/threads &&
    [ "$threads" = 64 ]
}
apply_5() {
    if systemctl -q is-active nfs-server; then rpc.nfsd 64; else systemctl -q --no-reload enable nfs-server; systemctl start nfs-server; fi
}

# 6. set the NFSv4 lease and grace period to 90 s
#    why: after a restart the server opens nothing during this time, unless all clients have signalled that they have reclaimed their state
check_6() {
    for file in /proc/fs/nfsd/nfsv4leasetime /proc/fs/nfsd/nfsv4gracetime; do read -r time <$file && [ $time = 90 ] || exit 1; done
}
apply_6() {
    rpc.nfsd 0
    for file in /proc/fs/nfsd/nfsv4leasetime /proc/fs/nfsd/nfsv4gracetime; do echo 90 >$file; done
    rpc.nfsd 64
}

# 7. export /srv/gpfs-nsd with rw, sync, root_squash
#    why: acknowledged data are on the disks; each write waits for them
check_7() {
    [ ! /etc/exports.d/seatrial-gpfs-nsd.exports -nt /var/lib/nfs/etab ] &&
    [ "$(grep '^/srv/gpfs-nsd[[:space:]]' /var/lib/nfs/etab | grep '[(,]rw[,)]' | grep -c '[(,]sync[,)]')" = 2 ] &&
    ! grep '^/srv/gpfs-nsd[[:space:]]' /var/lib/nfs/etab | grep -vq '[(,]root_squash[,)]'
}
apply_7() {
    touch /etc/exports.d/seatrial-gpfs-nsd.exports
    exportfs -ra
}
# (7 steps)
##### stage 12, s2 #####
as on s1, but for:
@@ -14 +14 @@
+/srv/gpfs-nsd c3(rw,sync,root_squash,no_subtree_check)
@@ -70 +70 @@
+    [ "$(grep '^/srv/gpfs-nsd[[:space:]]' /var/lib/nfs/etab | grep '[(,]rw[,)]' | grep -c '[(,]sync[,)]')" = 1 ] &&
##### stage 13, s[1-2] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 13 of 14: mount
# (the preamble)

# 1. (steps.sh) unmount the Ceph client at /mnt/gpfs-nsd
# (1 steps)
##### stage 13, s[3-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 13 of 14: mount
# (the preamble)

# (ceph_nfs.sh)
# 1. (steps.sh) unmount the Ceph client at /mnt/gpfs-nsd

# 2. (steps.sh) stop the NFS export

# 3. (steps.sh) restore the setting for NFS delegations
# (3 steps)
##### stage 13, c[2,4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 13 of 14: mount
# (the preamble)

# (sh/: no_file fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is put_mount)
# 1. enable the mount of /mnt/gpfs-nsd at boot
check_1() { fstab_has s1:/srv/gpfs-nsd /mnt/gpfs-nsd nfs vers=3,proto=tcp,hard,noatime,_netdev; }
apply_1() {
    put_fstab_line s1:/srv/gpfs-nsd /mnt/gpfs-nsd nfs vers=3,proto=tcp,hard,noatime,_netdev
}

# 2. mount s1:/srv/gpfs-nsd at /mnt/gpfs-nsd with vers=3,proto=tcp,hard,noatime
check_2() {
    mount_is /mnt/gpfs-nsd 's1:/srv/gpfs-nsd vers=3,proto=tcp,hard,noatime' /run/seatrial-gpfs-nsd.mount
}
apply_2() {
    put_mount /mnt/gpfs-nsd mount -t nfs -o vers=3,proto=tcp,hard,noatime s1:/srv/gpfs-nsd /mnt/gpfs-nsd
    note_mount /mnt/gpfs-nsd 's1:/srv/gpfs-nsd vers=3,proto=tcp,hard,noatime' /run/seatrial-gpfs-nsd.mount
}

# 3. restore the read-ahead of /mnt/gpfs-nsd
check_3() { [ ! -e /run/seatrial-gpfs-nsd.mount-readahead ]; }
apply_3() {
    if read -r ahead </run/seatrial-gpfs-nsd.mount-readahead; then echo $ahead >/sys/class/bdi/$(mountpoint -d /mnt/gpfs-nsd)/read_ahead_kb; fi
    rm /run/seatrial-gpfs-nsd.mount-readahead
}

# 4. (steps.sh) remove /etc/seatrial/gpfs-nsd.ceph.key
# (4 steps)
##### stage 13, c3 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 13 of 14: mount
# (the preamble)

# (sh/: no_file fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is put_mount)
# 1. enable the mount of /mnt/gpfs-nsd at boot
check_1() { fstab_has s2:/srv/gpfs-nsd /mnt/gpfs-nsd nfs vers=3,proto=tcp,hard,noatime,_netdev; }
apply_1() {
    put_fstab_line s2:/srv/gpfs-nsd /mnt/gpfs-nsd nfs vers=3,proto=tcp,hard,noatime,_netdev
}

# 2. mount s2:/srv/gpfs-nsd at /mnt/gpfs-nsd with vers=3,proto=tcp,hard,noatime
check_2() {
    mount_is /mnt/gpfs-nsd 's2:/srv/gpfs-nsd vers=3,proto=tcp,hard,noatime' /run/seatrial-gpfs-nsd.mount
}
apply_2() {
    put_mount /mnt/gpfs-nsd mount -t nfs -o vers=3,proto=tcp,hard,noatime s2:/srv/gpfs-nsd /mnt/gpfs-nsd
    note_mount /mnt/gpfs-nsd 's2:/srv/gpfs-nsd vers=3,proto=tcp,hard,noatime' /run/seatrial-gpfs-nsd.mount
}

# 3. restore the read-ahead of /mnt/gpfs-nsd
check_3() { [ ! -e /run/seatrial-gpfs-nsd.mount-readahead ]; }
apply_3() {
    if read -r ahead </run/seatrial-gpfs-nsd.mount-readahead; then echo $ahead >/sys/class/bdi/$(mountpoint -d /mnt/gpfs-nsd)/read_ahead_kb; fi
    rm /run/seatrial-gpfs-nsd.mount-readahead
}

# 4. (steps.sh) remove /etc/seatrial/gpfs-nsd.ceph.key
# (4 steps)
##### stage 13, c[1,5-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 13 of 14: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is put_mount)
# 1. (steps.sh) enable the mount of /mnt/gpfs-nsd at boot

# 2. (steps.sh) mount s1:3300,s2:3300,s3:3300:/ at /mnt/gpfs-nsd with name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576
# (2 steps)
##### stage 14, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 14 of 14: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# (volumes.sh)
# 1. (steps.sh) store the UUIDs of created volumes

# 2. write /usr/local/sbin/seatrial-gpfs-nsd-network
content_2() { cat <<'SEATRIAL'
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
# disable NFS delegations
if ! (
[ -s /var/lib/seatrial/made/gpfs-nsd/before/leases-enable ] && [ "$(cat /proc/sys/fs/leases-enable)" = 0 ]
) >/dev/null 2>&1; then
(
set -e
(
    umask 077
    mkdir -p /var/lib/seatrial/made/gpfs-nsd/before
    [ -s /var/lib/seatrial/made/gpfs-nsd/before/leases-enable ] || { cat /var/lib/seatrial/made/*/before/leases-enable /proc/sys/fs/leases-enable 2>/dev/null | head -n 1 >/var/lib/seatrial/made/gpfs-nsd/before/leases-enable.new && mv /var/lib/seatrial/made/gpfs-nsd/before/leases-enable.new /var/lib/seatrial/made/gpfs-nsd/before/leases-enable; }
)
echo 0 >/proc/sys/fs/leases-enable
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_2() { content | file_is /usr/local/sbin/seatrial-gpfs-nsd-network; }
apply_2() {
    content | write_file /usr/local/sbin/seatrial-gpfs-nsd-network 755
    restart_if_active seatrial-gpfs-nsd-network
}

# 3. (steps.sh) write /etc/systemd/system/seatrial-gpfs-nsd-network.service

# 4. (steps.sh) install the boot-time settings of network

# 5. (steps.sh) remove the boot-time settings of mounts
# (5 steps)
##### stage 14, s2 #####
as on s1, but for:
@@ -19 +19 @@
+# set MTU 9000 on the link to s1
@@ -21 +21 @@
+mtu_is 9000 ahostsv4 s1
@@ -25 +25 @@
+set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd/before ahostsv4 s1
##### stage 14, s[3-4] #####
as on s1, but for:
@@ -10,42 +10 @@
+# 2. (steps.sh) write /usr/local/sbin/seatrial-gpfs-nsd-network (2)
##### stage 14, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 14 of 14: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-gpfs-nsd-network (2)

# 2. (steps.sh) write /etc/systemd/system/seatrial-gpfs-nsd-network.service

# 3. (steps.sh) install the boot-time settings of network

# 4. (steps.sh) remove the boot-time settings of mounts
# (4 steps)
