##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 1 of 9: preflight check (read-only)
# (the preamble)

# (sh/: md_is)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /srv/small

# 3. (steps.sh) refuse other NFS exports: /srv/small

# 4. (steps.sh) refuse another cluster (3)

# 5. (steps.sh) refuse a disk that is used twice (4)

# 6. (steps.sh) refuse disks that are in use: create array small-s0, small-s1: RAID 5

# 7. (steps.sh) refuse volumes of another owner on /dev/md/small-s0, /dev/md/small-s1

# 8. (steps.sh) refuse volumes of another owner on /dev/md/small
# (8 steps)
##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 1 of 9: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /mnt/small

# 3. (steps.sh) refuse another cluster (3)
# (3 steps)
##### stage 2, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 2 of 9: mark
# (the preamble)

# (sh/: installed_packages)
# (backups.sh)
# 1. (steps.sh) mark this node for small

# 2. (steps.sh) store the state of nfs-server
# (2 steps)
##### stage 2, c[1-4] #####
as on nas, but for:
@@ -6,2 +5,0 @@
@@ -9,3 +7 @@
+# (1 steps)
##### stage 3, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 3 of 9: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install exportfs, wipefs, mdadm, mkfs.ext4
# (1 steps)
##### stage 3, c[1-4] #####
as on nas, but for:
@@ -7 +7 @@
+# 1. (steps.sh) install mount.nfs
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 4 of 9: network
# (the preamble)

# (sh/: link_to mtu_is set_mtu set_mtu_of)
# 1. (steps.sh) set MTU 9000 on the link to c1 (2)
# (1 steps)
##### stage 4, c[1-4] #####
as on nas, but for:
@@ -7 +7 @@
+# 1. (steps.sh) set MTU 9000 on the link to nas
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 5 of 9: array
# (the preamble)

# (sh/: md_is md_is_idle assemble_md settle_md file_is write_file store_version)
# (volumes.sh)
# 1. (steps.sh) assemble the existing array small-s0, small-s1

# 2. (steps.sh) create array small-s0, small-s1: RAID 5

# 3. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg

# 4. (steps.sh) assemble the existing array small

# 5. (steps.sh) create array small: RAID 0

# 6. (steps.sh) refuse volumes of another owner on /dev/md/small-s0, /dev/md/small-s1

# 7. (steps.sh) enable the assembly of the array at boot (3)
# (7 steps)
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 6 of 9: file system
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is)
# (volumes.sh)
# 1. (steps.sh) create the ext4 file system on /dev/md/small

# 2. (steps.sh) refuse volumes of another owner on /dev/md/small

# 3. (steps.sh) enable the mount of /srv/small at boot

# 4. (steps.sh) mount the file system at /srv/small with noatime

# 5. (steps.sh) restore the read-ahead of /dev/md/small
# (5 steps)
##### stage 7, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 7 of 9: export
# (the preamble)

# (sh/: file_is write_file store_version)
# 1. configure the export of /srv/small
content_1() { cat <<'SEATRIAL'
/srv/small c1(rw,async,root_squash,no_subtree_check) c2(rw,async,root_squash,no_subtree_check) c3(rw,async,root_squash,no_subtree_check) c4(rw,async,root_squash,no_subtree_check)
SEATRIAL
}
check_1() { content | file_is /etc/exports.d/seatrial-small.exports; }
apply_1() { content | write_file /etc/exports.d/seatrial-small.exports; }

# 2. configure 128 nfsd threads, and 90 s of lease and grace period
content_2() { cat <<'SEATRIAL'
[nfsd]
threads=128
lease-time=90
grace-time=90
SEATRIAL
}
check_2() { content | file_is /etc/nfs.conf.d/seatrial-small.conf; }
apply_2() { content | write_file /etc/nfs.conf.d/seatrial-small.conf; }

# 3. (steps.sh) disable NFS delegations

# 4. set 128 nfsd threads
#    why: one thread serves one request at a time: with too few, clients wait
check_4() {
    [ -e /proc/fs/nfsd/threads ] && read -r threads </proc/fs/nfsd/threads &&
    [ "$threads" = 128 ]
}
apply_4() {
    if systemctl -q is-active nfs-server; then rpc.nfsd 128; else systemctl -q --no-reload enable nfs-server; systemctl start nfs-server; fi
}

# 5. set the NFSv4 lease and grace period to 90 s
#    why: after a restart the server opens nothing during this time, unless all clients have signalled that they have reclaimed their state
check_5() {
    for file in /proc/fs/nfsd/nfsv4leasetime /proc/fs/nfsd/nfsv4gracetime; do read -r time <$file && [ $time = 90 ] || exit 1; done
}
apply_5() {
    rpc.nfsd 0
    for file in /proc/fs/nfsd/nfsv4leasetime /proc/fs/nfsd/nfsv4gracetime; do echo 90 >$file; done
    rpc.nfsd 128
}

# 6. export /srv/small with rw, async, root_squash
#    why: async is fast and can lose acknowledged writes, as the study requests
check_6() {
    [ ! /etc/exports.d/seatrial-small.exports -nt /var/lib/nfs/etab ] &&
    [ "$(grep '^/srv/small[[:space:]]' /var/lib/nfs/etab | grep '[(,]rw[,)]' | grep -c '[(,]async[,)]')" = 4 ] &&
    ! grep '^/srv/small[[:space:]]' /var/lib/nfs/etab | grep -vq '[(,]root_squash[,)]'
}
apply_6() {
    touch /etc/exports.d/seatrial-small.exports
    exportfs -ra
}
# (6 steps)
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 8 of 9: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is put_mount)
# 1. enable the mount of /mnt/small at boot
check_1() { fstab_has nas:/srv/small /mnt/small nfs vers=3,proto=tcp,hard,noatime,_netdev; }
apply_1() { put_fstab_line nas:/srv/small /mnt/small nfs vers=3,proto=tcp,hard,noatime,_netdev; }

# 2. mount nas:/srv/small at /mnt/small with vers=3,proto=tcp,hard,noatime
check_2() {
    mount_is /mnt/small 'nas:/srv/small vers=3,proto=tcp,hard,noatime' /run/seatrial-small.mount
}
apply_2() {
    put_mount /mnt/small mount -t nfs -o vers=3,proto=tcp,hard,noatime nas:/srv/small /mnt/small
    note_mount /mnt/small 'nas:/srv/small vers=3,proto=tcp,hard,noatime' /run/seatrial-small.mount
}

# 3. (steps.sh) restore the read-ahead of /mnt/small
# (3 steps)
##### stage 9, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 9 of 9: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# (volumes.sh)
# 1. (steps.sh) store the UUIDs of created volumes (3)

# 2. (steps.sh) write /usr/local/sbin/seatrial-small-network

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) install the boot-time settings of network (3)

# 5. (steps.sh) remove the boot-time settings of mounts (3)
# (5 steps)
##### stage 9, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 9 of 9: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (3)

# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 3. (steps.sh) install the boot-time settings of network (3)

# 4. (steps.sh) remove the boot-time settings of mounts (3)
# (4 steps)
