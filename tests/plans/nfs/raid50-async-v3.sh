##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 1 of 9: preflight check (read-only)
# (the preamble)

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
as on nas, but for:
@@ -9 +9 @@
+# 2. (steps.sh) refuse an occupied mount point: /mnt/small
@@ -11,12 +11,2 @@
+# 3. (steps.sh) refuse another cluster (3)
+# (3 steps)
##### stage 2, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 2 of 9: mark
# (the preamble)

# (backups.sh)
# 1. (steps.sh) mark this node for small

# 2. (steps.sh) store the state of nfs-server
# (2 steps)
##### stage 2, c[1-4] #####
as on nas, but for:
@@ -6 +5,0 @@
@@ -8,3 +7 @@
+# (1 steps)
##### stage 3, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 3 of 9: packages
# (the preamble)

# (backups.sh)
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

# 1. (steps.sh) set MTU 9000 on the link to c1 (2)
# (1 steps)
##### stage 4, c[1-4] #####
as on nas, but for:
@@ -6 +6 @@
+# 1. (steps.sh) set MTU 9000 on the link to nas
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 5 of 9: array
# (the preamble)

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

# 1. configure the export of /srv/small
check_1() {
    cmp -s /etc/exports.d/seatrial-small.exports - <<'SEATRIAL'
/srv/small c1(rw,async,root_squash,no_subtree_check) c2(rw,async,root_squash,no_subtree_check) c3(rw,async,root_squash,no_subtree_check) c4(rw,async,root_squash,no_subtree_check)
SEATRIAL
}
guard_1() { :; }
apply_1() {
    mkdir -p /etc/exports.d
    cat >/etc/exports.d/seatrial-small.exports.new <<'SEATRIAL' || { rm -f /etc/exports.d/seatrial-small.exports.new; exit 1; }
/srv/small c1(rw,async,root_squash,no_subtree_check) c2(rw,async,root_squash,no_subtree_check) c3(rw,async,root_squash,no_subtree_check) c4(rw,async,root_squash,no_subtree_check)
SEATRIAL
    mv /etc/exports.d/seatrial-small.exports.new /etc/exports.d/seatrial-small.exports
}

# 2. configure 128 nfsd threads, and 90 s of lease and grace period
check_2() {
    cmp -s /etc/nfs.conf.d/seatrial-small.conf - <<'SEATRIAL'
[nfsd]
threads=128
lease-time=90
grace-time=90
SEATRIAL
}
guard_2() { :; }
apply_2() {
    mkdir -p /etc/nfs.conf.d
    cat >/etc/nfs.conf.d/seatrial-small.conf.new <<'SEATRIAL' || { rm -f /etc/nfs.conf.d/seatrial-small.conf.new; exit 1; }
[nfsd]
threads=128
lease-time=90
grace-time=90
SEATRIAL
    mv /etc/nfs.conf.d/seatrial-small.conf.new /etc/nfs.conf.d/seatrial-small.conf
}

# 3. (steps.sh) disable NFS delegations

# 4. set 128 nfsd threads
#    why: one thread serves one request at a time: with too few, clients wait
check_4() {
    [ -e /proc/fs/nfsd/threads ] && read -r threads </proc/fs/nfsd/threads &&
    [ "$threads" = 128 ]
}
guard_4() { :; }
apply_4() {
    if systemctl -q is-active nfs-server; then rpc.nfsd 128; else systemctl -q --no-reload enable nfs-server; systemctl start nfs-server; fi
}

# 5. set the NFSv4 lease and grace period to 90 s
#    why: after a restart the server opens nothing during this time, unless all clients have signalled that they have reclaimed their state
check_5() {
    for file in /proc/fs/nfsd/nfsv4leasetime /proc/fs/nfsd/nfsv4gracetime; do read -r time <$file && [ $time = 90 ] || exit 1; done
}
guard_5() { :; }
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
guard_6() { :; }
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

# 1. enable the mount of /mnt/small at boot
check_1() {
    grep -qxF 'nas:/srv/small /mnt/small nfs vers=3,proto=tcp,hard,noatime,_netdev 0 0' /etc/fstab
}
guard_1() { :; }
apply_1() {
    if awk '$1 ~ /^#/ || $2 != "/mnt/small" || $1 == "nas:/srv/small" { next } { found = 1 } END { exit !found }' /etc/fstab; then
        while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
    fi
    { awk '$1 ~ /^#/ || $2 != "/mnt/small"' /etc/fstab && echo 'nas:/srv/small /mnt/small nfs vers=3,proto=tcp,hard,noatime,_netdev 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 2. mount nas:/srv/small at /mnt/small with vers=3,proto=tcp,hard,noatime
check_2() {
    { read -r asked && read -r line; } </run/seatrial-small.mount &&
    [ "$asked" = 'nas:/srv/small vers=3,proto=tcp,hard,noatime' ] && [ "$(grep " /mnt/small " /proc/mounts)" = "$line" ]
}
guard_2() { :; }
apply_2() {
    while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
    mkdir -p /mnt/small
    mount -t nfs -o vers=3,proto=tcp,hard,noatime nas:/srv/small /mnt/small
    { echo 'nas:/srv/small vers=3,proto=tcp,hard,noatime'; grep ' /mnt/small ' /proc/mounts; } >/run/seatrial-small.mount
}

# 3. (steps.sh) restore the read-ahead of /mnt/small
# (3 steps)
##### stage 9, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 9 of 9: store volume UUIDs; install boot-time settings
# (the preamble)

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

# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (3)

# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 3. (steps.sh) install the boot-time settings of network (3)

# 4. (steps.sh) remove the boot-time settings of mounts (3)
# (4 steps)
