##### stage 1, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 1 of 13: look, and change nothing
# (the preamble)

# (look.sh)
# 1. (steps.sh) follow no link

# 2. (steps.sh) leave other clusters alone

# 3. (steps.sh) overwrite nothing that is somebody's: make osd.0 on /dev/ubdb

# 4. (steps.sh) leave other Ceph clusters alone
# (4 steps)
##### stage 1, s2 #####
as on s1, but for:
@@ -11 +11 @@
+# 3. (steps.sh) overwrite nothing that is somebody's: make osd.1 on /dev/ubdb
##### stage 1, s3 #####
as on s1, but for:
@@ -11 +11 @@
+# 3. (steps.sh) overwrite nothing that is somebody's: make osd.2 on /dev/ubdb
##### stage 1, s4 #####
as on s1, but for:
@@ -11 +11 @@
+# 3. (steps.sh) overwrite nothing that is somebody's: make osd.3 on /dev/ubdb
##### stage 1, c[1-28] #####
as on s1, but for:
@@ -9 +9 @@
+# 2. (steps.sh) mount over nothing: /mnt/gpfs-nsd
@@ -11,4 +11,2 @@
+# 3. (steps.sh) leave other clusters alone
+# (3 steps)
##### stage 2, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 2 of 13: mark
# (the preamble)

# (kept.sh)
# 1. (steps.sh) note that gpfs-nsd builds on this node

# 2. (steps.sh) keep how ceph-mon.target, ceph.target, ceph-mgr.target, ceph-osd.target are
# (2 steps)
##### stage 2, s2 #####
as on s1, but for:
@@ -9 +9 @@
+# 2. (steps.sh) keep how ceph-mon.target, ceph.target, ceph-osd.target are
##### stage 2, s3 #####
as on s1, but for:
@@ -9 +9 @@
+# 2. (steps.sh) keep how ceph-mon.target, ceph.target, ceph-mds.target, ceph-osd.target are
##### stage 2, s4 #####
as on s1, but for:
@@ -9 +9 @@
+# 2. (steps.sh) keep how ceph-mds.target, ceph.target, ceph-osd.target are
##### stage 2, c[1-28] #####
as on s1, but for:
@@ -6 +5,0 @@
@@ -8,3 +7 @@
+# (1 steps)
##### stage 3, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 3 of 13: packages
# (the preamble)

# (kept.sh)
# 1. (steps.sh) have ceph-mon, ceph-mgr, ceph-mds, ceph-osd, ceph
# (1 steps)
##### stage 3, c[1-28] #####
as on s[1-4], but for:
@@ -7 +7 @@
+# 1. (steps.sh) have mount.ceph
##### stage 4, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 4 of 13: network
# (the preamble)

# 1. (steps.sh) MTU 9000 on the link towards c1
# (1 steps)
##### stage 4, c[1-28],s[2-4] #####
as on s1, but for:
@@ -6 +6 @@
+# 1. (steps.sh) MTU 9000 on the link towards s1
##### stage 5, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 5 of 13: secrets
# (the preamble)

# 1. (steps.sh) keep the lab's secret in /etc/seatrial/gpfs-nsd.ceph.servers

# 2. (steps.sh) keep the lab's secret in /etc/seatrial/gpfs-nsd.ceph.clients
# (2 steps)
##### stage 5, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 5 of 13: secrets
# (the preamble)

# (ceph_nfs.sh)
# 1. (steps.sh) have no NFS at /mnt/gpfs-nsd

# 2. (steps.sh) keep the lab's secret in /etc/seatrial/gpfs-nsd.ceph.clients

# 3. (steps.sh) keep the client's key for root alone
# (3 steps)
##### stage 6, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 6 of 13: configuration
# (the preamble)

# 1. (steps.sh) note that what Ceph has on this node is the study's

# 2. (steps.sh) configure the cluster: members, cephx, timers, memory

# 3. (steps.sh) have a helper that asks the monitors

# 4. (steps.sh) say which pools and which file system there are

# 5. (steps.sh) keep the administrator's key for root alone
# (5 steps)
##### stage 7, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 7 of 13: monitors
# (the preamble)

# 1. (steps.sh) make the monitor's store, mon.s1

# 2. (steps.sh) start the monitor mon.s1
# (2 steps)
##### stage 7, s2 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. (steps.sh) make the monitor's store, mon.s2
@@ -8 +8 @@
+# 2. (steps.sh) start the monitor mon.s2
##### stage 7, s3 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. (steps.sh) make the monitor's store, mon.s3
@@ -8 +8 @@
+# 2. (steps.sh) start the monitor mon.s3
##### stage 8, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 8 of 13: numbers
# (the preamble)

# 1. (steps.sh) give every OSD its number
# (1 steps)
##### stage 9, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 9 of 13: managers and metadata servers
# (the preamble)

# 1. (steps.sh) keep the key of mgr.s1

# 2. (steps.sh) start mgr.s1
# (2 steps)
##### stage 9, s3 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. (steps.sh) keep the key of mds.s3
@@ -8 +8 @@
+# 2. (steps.sh) start mds.s3
##### stage 9, s4 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. (steps.sh) keep the key of mds.s4
@@ -8 +8 @@
+# 2. (steps.sh) start mds.s4
##### stage 10, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 10 of 13: OSDs
# (the preamble)

# (volumes.sh)
# 1. (steps.sh) let OSDs open their disks after every boot

# 2. (steps.sh) remove /etc/systemd/system/ceph-osd@.service.d/seatrial-cluster-network.conf

# 3. (steps.sh) make osd.0 on /dev/ubdb

# 4. (steps.sh) leave alone what somebody else has made on /dev/ubdb

# 5. (steps.sh) keep the key of osd.0

# 6. (steps.sh) start osd.0 (2)
# (6 steps)
##### stage 10, s2 #####
as on s1, but for:
@@ -11 +11 @@
+# 3. (steps.sh) make osd.1 on /dev/ubdb
@@ -15 +15 @@
+# 5. (steps.sh) keep the key of osd.1
@@ -17 +17 @@
+# 6. (steps.sh) start osd.1 (2)
##### stage 10, s3 #####
as on s1, but for:
@@ -11 +11 @@
+# 3. (steps.sh) make osd.2 on /dev/ubdb
@@ -15 +15 @@
+# 5. (steps.sh) keep the key of osd.2
@@ -17 +17 @@
+# 6. (steps.sh) start osd.2 (2)
##### stage 10, s4 #####
as on s1, but for:
@@ -11 +11 @@
+# 3. (steps.sh) make osd.3 on /dev/ubdb
@@ -15 +15 @@
+# 5. (steps.sh) keep the key of osd.3
@@ -17 +17 @@
+# 6. (steps.sh) start osd.3 (2)
##### stage 11, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 11 of 13: file system
# (the preamble)

# 1. (steps.sh) have a file system with 2 copies and 128 placement groups, all in service
# (1 steps)
##### stage 12, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 12 of 13: mount
# (the preamble)

# (ceph_nfs.sh)
# 1. (steps.sh) have no client at /mnt/gpfs-nsd

# 2. (steps.sh) serve no NFS

# 3. (steps.sh) the server gives out delegations as it did before
# (3 steps)
##### stage 12, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 12 of 13: mount
# (the preamble)

# 1. (steps.sh) mount /mnt/gpfs-nsd at every boot

# 2. (steps.sh) mount s1:3300,s2:3300,s3:3300:/ at /mnt/gpfs-nsd with name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576
# (2 steps)
##### stage 13, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 13 of 13: note what was made, and what every boot sets
# (the preamble)

# (volumes.sh)
# 1. (steps.sh) note what was made, by UUID

# 2. (steps.sh) write /usr/local/sbin/seatrial-gpfs-nsd-network

# 3. (steps.sh) write /etc/systemd/system/seatrial-gpfs-nsd-network.service

# 4. (steps.sh) have the settings of network outlive a boot

# 5. (steps.sh) set nothing of mounts after a boot
# (5 steps)
##### stage 13, s[2-4] #####
as on s1, but for:
@@ -9 +9 @@
+# 2. (steps.sh) write /usr/local/sbin/seatrial-gpfs-nsd-network (2)
##### stage 13, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 28 clients
# stage 13 of 13: note what was made, and what every boot sets
# (the preamble)

# 1. (steps.sh) write /usr/local/sbin/seatrial-gpfs-nsd-network (2)

# 2. (steps.sh) write /etc/systemd/system/seatrial-gpfs-nsd-network.service

# 3. (steps.sh) have the settings of network outlive a boot

# 4. (steps.sh) set nothing of mounts after a boot
# (4 steps)
