##### stage 1, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 1 of 6: preflight check (read-only)
# (the preamble)

# (look.sh)
# (ceph_nfs.sh)
# 1. (steps.sh) refuse symbolic links

# 2. (steps.sh) refuse another Ceph cluster

# 3. (steps.sh) refuse to remove storage that gpfs-nsd did not create

# 4. refuse volumes of another owner on /dev/ubdb
check_4() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/ubdb /dev/ubdb
}
guard_4() { :; }
apply_4() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd/volumes /dev/ubdb /dev/ubdb
    exit 1
}
# (4 steps)
##### stage 1, s2 #####
as on s1, but for:
@@ -12 +12 @@
+# 3. (steps.sh) refuse to remove storage that gpfs-nsd did not create (2)
##### stage 1, s3 #####
as on s1, but for:
@@ -12 +12 @@
+# 3. (steps.sh) refuse to remove storage that gpfs-nsd did not create (3)
##### stage 1, s4 #####
as on s1, but for:
@@ -12 +12 @@
+# 3. (steps.sh) refuse to remove storage that gpfs-nsd did not create (4)
##### stage 1, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 1 of 6: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links

# 2. (steps.sh) refuse an occupied mount point: /mnt/gpfs-nsd

# 3. (steps.sh) refuse to remove storage that gpfs-nsd did not create (5)
# (3 steps)
##### stage 2, c[1-28],s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 2 of 6: remove boot-time settings
# (the preamble)

# 1. (steps.sh) remove the boot-time settings of network and mounts
# (1 steps)
##### stage 3, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 3 of 6: unmount
# (the preamble)

# 1. (steps.sh) unmount /mnt/gpfs-nsd

# 2. (steps.sh) disable the mount of /mnt/gpfs-nsd at boot

# 3. (steps.sh) remove /run/seatrial-gpfs-nsd.mount

# 4. (steps.sh) remove /etc/seatrial/gpfs-nsd.ceph.key

# 5. (steps.sh) remove /etc/seatrial/gpfs-nsd.ceph.clients
# (5 steps)
##### stage 3, s[1-4] #####
as on c[1-28], but for:
@@ -6,10 +6,2 @@
+# 1. (steps.sh) unmount the Ceph client at /mnt/gpfs-nsd
+# (1 steps)
##### stage 4, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 4 of 6: stop
# (the preamble)

# (ceph_nfs.sh)
# 1. (steps.sh) stop the NFS export

# 2. (steps.sh) restore the setting for NFS delegations

# 3. (steps.sh) stop ceph-mgr@s1 ceph-osd@0 ceph-mon@s1
# (3 steps)
##### stage 4, s2 #####
as on s1, but for:
@@ -11 +11 @@
+# 3. (steps.sh) stop ceph-osd@1 ceph-mon@s2
##### stage 4, s3 #####
as on s1, but for:
@@ -11 +11 @@
+# 3. (steps.sh) stop ceph-mds@s3 ceph-osd@2 ceph-mon@s3
##### stage 4, s4 #####
as on s1, but for:
@@ -11 +11 @@
+# 3. (steps.sh) stop ceph-osd@3 ceph-mds@s4
##### stage 5, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 5 of 6: remove the configuration
# (the preamble)

# 1. (steps.sh) remove /etc/systemd/system/ceph-osd@.service.d/seatrial.conf

# 2. (steps.sh) remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf (2)

# 3. (steps.sh) remove /etc/ceph/ceph.conf

# 4. (steps.sh) remove /etc/ceph/ceph.client.admin.keyring

# 5. (steps.sh) remove /usr/local/lib/seatrial/ceph-cluster

# 6. (steps.sh) remove /etc/ceph/seatrial-gpfs-nsd.json

# 7. (steps.sh) remove the keys of daemons

# 8. erase /dev/ubdb, as --wipe allows
check_8() {
    for path in /var/lib/ceph/osd/ceph-0; do [ ! -e $path ] || exit 1; done
    all_must_be_blank /dev/ubdb
}
guard_8() { :; }
apply_8() {
    rm -rf /var/lib/ceph/osd/ceph-0
    for device in /dev/ubdb; do
        wipefs --no-act --all $device >/dev/null || { echo "$device is in use; nothing was erased" >&2; exit 1; }
    done
    pids=
    for device in /dev/ubdb; do
        { wipefs --all $device && { blkdiscard $device 2>/dev/null || true; }; } & pids="$pids $!"
    done
    for pid in $pids; do wait $pid; done
}

# 9. remove the cluster files after all its disks are erased
check_9() {
    for path in /var/lib/ceph/mon/ceph-s1 /var/lib/ceph/mgr/ceph-s1 /var/lib/ceph/mds/ceph-s1 /var/lib/ceph/seatrial; do [ ! -e $path ] || exit 1; done
}
guard_9() { :; }
apply_9() {
    rm -rf /var/lib/ceph/mon/ceph-s1 /var/lib/ceph/mgr/ceph-s1 /var/lib/ceph/mds/ceph-s1 /var/lib/ceph/seatrial /var/lib/ceph/seatrial-started-*
}

# 10. (steps.sh) remove /etc/seatrial/gpfs-nsd.ceph.servers

# 11. (steps.sh) remove /etc/seatrial/gpfs-nsd.ceph.clients
# (11 steps)
##### stage 5, s2 #####
as on s1, but for:
@@ -18 +18 @@
+# 7. (steps.sh) remove the keys of daemons (2)
@@ -22 +22 @@
+    for path in /var/lib/ceph/osd/ceph-1; do [ ! -e $path ] || exit 1; done
@@ -27 +27 @@
+    rm -rf /var/lib/ceph/osd/ceph-1
@@ -40 +40 @@
+    for path in /var/lib/ceph/mon/ceph-s2 /var/lib/ceph/mgr/ceph-s2 /var/lib/ceph/mds/ceph-s2 /var/lib/ceph/seatrial; do [ ! -e $path ] || exit 1; done
@@ -44 +44 @@
+    rm -rf /var/lib/ceph/mon/ceph-s2 /var/lib/ceph/mgr/ceph-s2 /var/lib/ceph/mds/ceph-s2 /var/lib/ceph/seatrial /var/lib/ceph/seatrial-started-*
##### stage 5, s3 #####
as on s1, but for:
@@ -18 +18 @@
+# 7. (steps.sh) remove the keys of daemons (3)
@@ -22 +22 @@
+    for path in /var/lib/ceph/osd/ceph-2; do [ ! -e $path ] || exit 1; done
@@ -27 +27 @@
+    rm -rf /var/lib/ceph/osd/ceph-2
@@ -40 +40 @@
+    for path in /var/lib/ceph/mon/ceph-s3 /var/lib/ceph/mgr/ceph-s3 /var/lib/ceph/mds/ceph-s3 /var/lib/ceph/seatrial; do [ ! -e $path ] || exit 1; done
@@ -44 +44 @@
+    rm -rf /var/lib/ceph/mon/ceph-s3 /var/lib/ceph/mgr/ceph-s3 /var/lib/ceph/mds/ceph-s3 /var/lib/ceph/seatrial /var/lib/ceph/seatrial-started-*
##### stage 5, s4 #####
as on s1, but for:
@@ -18 +18 @@
+# 7. (steps.sh) remove the keys of daemons (4)
@@ -22 +22 @@
+    for path in /var/lib/ceph/osd/ceph-3; do [ ! -e $path ] || exit 1; done
@@ -27 +27 @@
+    rm -rf /var/lib/ceph/osd/ceph-3
@@ -40 +40 @@
+    for path in /var/lib/ceph/mon/ceph-s4 /var/lib/ceph/mgr/ceph-s4 /var/lib/ceph/mds/ceph-s4 /var/lib/ceph/seatrial; do [ ! -e $path ] || exit 1; done
@@ -44 +44 @@
+    rm -rf /var/lib/ceph/mon/ceph-s4 /var/lib/ceph/mgr/ceph-s4 /var/lib/ceph/mds/ceph-s4 /var/lib/ceph/seatrial /var/lib/ceph/seatrial-started-*
##### stage 6, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 6 of 6: remove the mark
# (the preamble)

# (backups.sh)
# 1. (steps.sh) restore the MTU of links

# 2. (steps.sh) restore the state of units

# 3. (steps.sh) remove the mark of gpfs-nsd
# (3 steps)
##### stage 6, c[1-28] #####
as on s[1-4], but for:
@@ -6 +5,0 @@
@@ -9,4 +8,2 @@
+# 2. (steps.sh) remove the mark of gpfs-nsd (2)
+# (2 steps)
