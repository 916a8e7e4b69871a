##### stage 1, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 1 of 13: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links

# 2. (steps.sh) refuse an occupied mount point: /mnt/gpfs-nsd

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
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 1 of 13: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links

# 2. (steps.sh) refuse another cluster

# 3. (steps.sh) refuse disks that are in use: create osd.2 on /dev/ubdb

# 4. (steps.sh) refuse another Ceph cluster
# (4 steps)
##### stage 1, s4 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 1 of 13: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links

# 2. (steps.sh) refuse another cluster

# 3. (steps.sh) refuse disks that are in use: create osd.3 on /dev/ubdb

# 4. (steps.sh) refuse another Ceph cluster
# (4 steps)
##### stage 1, c[1-28] #####
as on s1, but for:
@@ -12,5 +12 @@
+# (3 steps)
##### stage 2, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
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
##### stage 3, s[1-2] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 3 of 13: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install ceph-mon, ceph-mgr, ceph-mds, ceph-osd, ceph

# 2. install ceph-fuse
check_2() { have_commands ceph-fuse; }
apply_2() {
    note_installed /var/lib/seatrial/made/gpfs-nsd/packages
    install_packages ceph-fuse ceph-fuse
}
# (2 steps)
##### stage 3, s[3-4] #####
as on s[1-2], but for:
@@ -8,8 +8 @@
+# (1 steps)
##### stage 3, c[1-28] #####
as on s[1-2], but for:
@@ -7,9 +7,2 @@
+# 1. (steps.sh) install mount.ceph
+# (1 steps)
##### stage 4, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
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
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 5 of 13: secrets
# (the preamble)

# 1. (steps.sh) store the lab's secret in /etc/seatrial/gpfs-nsd.ceph.servers

# 2. (steps.sh) store the lab's secret in /etc/seatrial/gpfs-nsd.ceph.clients
# (2 steps)
##### stage 5, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 5 of 13: secrets
# (the preamble)

# (ceph_nfs.sh)
# 1. (steps.sh) unmount NFS at /mnt/gpfs-nsd

# 2. (steps.sh) store the lab's secret in /etc/seatrial/gpfs-nsd.ceph.clients

# 3. (steps.sh) store the client key, readable by root only
# (3 steps)
##### stage 6, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 6 of 13: configuration
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
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 7 of 13: monitors
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
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 8 of 13: OSD registration
# (the preamble)

# 1. (steps.sh) register every OSD
# (1 steps)
##### stage 9, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 9 of 13: managers and metadata servers
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
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 10 of 13: OSDs
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
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 11 of 13: file system
# (the preamble)

# 1. (steps.sh) create the file system with 2 copies and 128 active placement groups
# (1 steps)
##### stage 12, s[1-2] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 12 of 13: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is)
# (ceph_nfs.sh)
# 1. store the client keyring, readable by root only
check_1() {
    [ -s /etc/seatrial/gpfs-nsd.ceph.keyring ] && [ "$(stat -c %a:%U /etc/seatrial/gpfs-nsd.ceph.keyring)" = 600:root ]
}
apply_1() {
    umask 077
    mkdir -p /etc/seatrial
    {
        printf '[%s]\nkey = %s\n' client.gpfs-nsd "$({ read -r secret </etc/seatrial/gpfs-nsd.ceph.clients; printf '\1\0\0\0\0\0\0\0\0\0\20\0'; printf '%s %s' "$secret" client.gpfs-nsd | sha256sum | cut -c1-32 | tr a-f A-F | basenc --base16 -d; } | base64 -w0)"
    } >/etc/seatrial/gpfs-nsd.ceph.keyring.new
    chown root:root /etc/seatrial/gpfs-nsd.ceph.keyring.new
    mv /etc/seatrial/gpfs-nsd.ceph.keyring.new /etc/seatrial/gpfs-nsd.ceph.keyring
}

# 2. enable the mount of /mnt/gpfs-nsd at boot
check_2() {
    fstab_has none /mnt/gpfs-nsd fuse.ceph ceph.name=client.gpfs-nsd,ceph.keyring=/etc/seatrial/gpfs-nsd.ceph.keyring,ceph.client_oc_size=46137344,noatime,ceph.client_readahead_max_bytes=1048576,_netdev,nofail
}
apply_2() {
    put_fstab_line none /mnt/gpfs-nsd fuse.ceph ceph.name=client.gpfs-nsd,ceph.keyring=/etc/seatrial/gpfs-nsd.ceph.keyring,ceph.client_oc_size=46137344,noatime,ceph.client_readahead_max_bytes=1048576,_netdev,nofail
}

# 3. mount the file system at /mnt/gpfs-nsd by ceph-fuse with ceph.name=client.gpfs-nsd,ceph.keyring=/etc/seatrial/gpfs-nsd.ceph.keyring,ceph.client_oc_size=46137344,noatime,ceph.client_readahead_max_bytes=1048576
#    why: a kernel client next to an OSD can hang when memory is short
check_3() {
    mount_is /mnt/gpfs-nsd 'none fuse.ceph ceph.name=client.gpfs-nsd,ceph.keyring=/etc/seatrial/gpfs-nsd.ceph.keyring,ceph.client_oc_size=46137344,noatime,ceph.client_readahead_max_bytes=1048576' /run/seatrial-gpfs-nsd.mount
}
apply_3() {
    unmount_all /mnt/gpfs-nsd
    mkdir -p /mnt/gpfs-nsd
    modprobe fuse
    mount -t fuse.ceph -o ceph.name=client.gpfs-nsd,ceph.keyring=/etc/seatrial/gpfs-nsd.ceph.keyring,ceph.client_oc_size=46137344,noatime,ceph.client_readahead_max_bytes=1048576 none /mnt/gpfs-nsd
    note_mount /mnt/gpfs-nsd 'none fuse.ceph ceph.name=client.gpfs-nsd,ceph.keyring=/etc/seatrial/gpfs-nsd.ceph.keyring,ceph.client_oc_size=46137344,noatime,ceph.client_readahead_max_bytes=1048576' /run/seatrial-gpfs-nsd.mount
}

# 4. (steps.sh) stop the NFS export

# 5. (steps.sh) restore the setting for NFS delegations
# (5 steps)
##### stage 12, s[3-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 12 of 13: mount
# (the preamble)

# (ceph_nfs.sh)
# 1. (steps.sh) unmount the Ceph client at /mnt/gpfs-nsd

# 2. (steps.sh) stop the NFS export

# 3. (steps.sh) restore the setting for NFS delegations
# (3 steps)
##### stage 12, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 12 of 13: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is put_mount)
# 1. (steps.sh) enable the mount of /mnt/gpfs-nsd at boot

# 2. (steps.sh) mount s1:3300,s2:3300,s3:3300:/ at /mnt/gpfs-nsd with name=gpfs-nsd,secretfile=/etc/seatrial/gpfs-nsd.ceph.key,ms_mode=prefer-crc,noatime,rasize=1048576
# (2 steps)
##### stage 13, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
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
# Seatrial plan gpfs-nsd: CephFS on 4 storage servers for 30 clients
# stage 13 of 13: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-gpfs-nsd-network (2)

# 2. (steps.sh) write /etc/systemd/system/seatrial-gpfs-nsd-network.service

# 3. (steps.sh) install the boot-time settings of network

# 4. (steps.sh) remove the boot-time settings of mounts
# (4 steps)
