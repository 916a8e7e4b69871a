##### stage 1, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 1 of 6: preflight check (read-only)
# (the preamble)

# (look.sh)
# (ceph_nfs.sh)
# 1. (steps.sh) refuse symbolic links

# 2. (steps.sh) refuse an occupied mount point: /mnt/gpfs-nsd

# 3. (steps.sh) refuse another Ceph cluster

# 4. (steps.sh) refuse to remove storage that gpfs-nsd did not create

# 5. (steps.sh) refuse volumes of another owner on /dev/ubdb
# (5 steps)
##### stage 1, s2 #####
as on s1, but for:
@@ -14 +14 @@
+# 4. (steps.sh) refuse to remove storage that gpfs-nsd did not create (2)
##### stage 1, s3 #####
as on s1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) refuse another Ceph cluster
@@ -12 +12 @@
+# 3. (steps.sh) refuse to remove storage that gpfs-nsd did not create (3)
@@ -14,4 +14,2 @@
+# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb
+# (4 steps)
##### stage 1, s4 #####
as on s1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) refuse another Ceph cluster
@@ -12 +12 @@
+# 3. (steps.sh) refuse to remove storage that gpfs-nsd did not create (4)
@@ -14,4 +14,2 @@
+# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb
+# (4 steps)
##### stage 1, c[1-28] #####
as on s1, but for:
@@ -7 +6,0 @@
@@ -12,6 +11,2 @@
+# 3. (steps.sh) refuse to remove storage that gpfs-nsd did not create (5)
+# (3 steps)
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

# 8. (steps.sh) remove /etc/seatrial/gpfs-nsd.ceph.servers

# 9. (steps.sh) remove /etc/seatrial/gpfs-nsd.ceph.clients
# (9 steps)
##### stage 5, s2 #####
as on s1, but for:
@@ -18 +18 @@
+# 7. (steps.sh) remove the keys of daemons (2)
##### stage 5, s3 #####
as on s1, but for:
@@ -18 +18 @@
+# 7. (steps.sh) remove the keys of daemons (3)
##### stage 5, s4 #####
as on s1, but for:
@@ -18 +18 @@
+# 7. (steps.sh) remove the keys of daemons (4)
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
