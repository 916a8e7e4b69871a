##### stage 1, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 1 of 6: preflight check (read-only)
# (the preamble)

# (sh/: no_file would_change unit_is_off)
# (look.sh)
# (ceph_nfs.sh)
# 1. (steps.sh) refuse symbolic links

# 2. (steps.sh) refuse another Ceph cluster

# 3. (steps.sh) refuse to remove storage that gpfs-nsd did not create

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb
# (4 steps)
##### stage 1, s2 #####
as on s1, but for:
@@ -13 +13 @@
+# 3. (steps.sh) refuse to remove storage that gpfs-nsd did not create (2)
##### stage 1, s3 #####
as on s1, but for:
@@ -13 +13 @@
+# 3. (steps.sh) refuse to remove storage that gpfs-nsd did not create (3)
##### stage 1, s4 #####
as on s1, but for:
@@ -13 +13 @@
+# 3. (steps.sh) refuse to remove storage that gpfs-nsd did not create (4)
##### stage 1, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 1 of 6: preflight check (read-only)
# (the preamble)

# (sh/: no_file no_fstab_line mounted_at is_unmounted would_change)
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

# (sh/: no_file reread_unit stop_unit remove_unit)
# 1. (steps.sh) remove the boot-time settings of network and mounts
# (1 steps)
##### stage 3, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 3 of 6: unmount
# (the preamble)

# (sh/: no_file no_fstab_line remove_fstab_line lines_of_others replace_fstab mounted_at unmount_all is_unmounted remove_mount)
# 1. (steps.sh) unmount /mnt/gpfs-nsd

# 2. (steps.sh) disable the mount of /mnt/gpfs-nsd at boot

# 3. (steps.sh) remove /run/seatrial-gpfs-nsd.mount

# 4. (steps.sh) remove /etc/seatrial/gpfs-nsd.ceph.key

# 5. (steps.sh) remove /etc/seatrial/gpfs-nsd.ceph.clients
# (5 steps)
##### stage 3, s[1-4] #####
as on c[1-28], but for:
@@ -6,11 +6,2 @@
+# 1. (steps.sh) unmount the Ceph client at /mnt/gpfs-nsd
+# (1 steps)
##### stage 4, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 4 of 6: stop
# (the preamble)

# (sh/: unit_is_off stop_unit)
# (ceph_nfs.sh)
# 1. (steps.sh) stop the NFS export

# 2. (steps.sh) restore the setting for NFS delegations

# 3. (steps.sh) stop ceph-mgr@s1 ceph-osd@0 ceph-mon@s1
# (3 steps)
##### stage 4, s2 #####
as on s1, but for:
@@ -12 +12 @@
+# 3. (steps.sh) stop ceph-osd@1 ceph-mon@s2
##### stage 4, s3 #####
as on s1, but for:
@@ -12 +12 @@
+# 3. (steps.sh) stop ceph-mds@s3 ceph-osd@2 ceph-mon@s3
##### stage 4, s4 #####
as on s1, but for:
@@ -12 +12 @@
+# 3. (steps.sh) stop ceph-osd@3 ceph-mds@s4
##### stage 5, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 5 of 6: remove the configuration
# (the preamble)

# (sh/: no_file)
# 1. (steps.sh) remove /etc/systemd/system/ceph-osd@.service.d/seatrial.conf

# 2. (steps.sh) remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf (2)

# 3. (steps.sh) remove /etc/ceph/ceph.conf

# 4. (steps.sh) remove /etc/ceph/ceph.client.admin.keyring

# 5. (steps.sh) remove /usr/local/lib/seatrial/ceph-cluster

# 6. (steps.sh) remove /etc/ceph/seatrial-gpfs-nsd.json

# 7. (steps.sh) remove the keys of daemons

# 8. (steps.sh) remove /etc/seatrial/gpfs-nsd.ceph.servers

# 9. (steps.sh) remove /etc/seatrial/gpfs-nsd.ceph.clients
# (9 steps)
##### stage 5, s2 #####
as on s1, but for:
@@ -19 +19 @@
+# 7. (steps.sh) remove the keys of daemons (2)
##### stage 5, s3 #####
as on s1, but for:
@@ -19 +19 @@
+# 7. (steps.sh) remove the keys of daemons (3)
##### stage 5, s4 #####
as on s1, but for:
@@ -19 +19 @@
+# 7. (steps.sh) remove the keys of daemons (4)
##### stage 6, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 6 of 6: remove the mark
# (the preamble)

# (sh/: mtus_are_restored restore_mtus installed_packages)
# (backups.sh)
# 1. (steps.sh) restore the MTU of links

# 2. (steps.sh) restore the state of units

# 3. (steps.sh) remove the mark of gpfs-nsd
# (3 steps)
##### stage 6, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 6 of 6: remove the mark
# (the preamble)

# (sh/: mtus_are_restored restore_mtus)
# 1. (steps.sh) restore the MTU of links

# 2. (steps.sh) remove the mark of gpfs-nsd (2)
# (2 steps)
