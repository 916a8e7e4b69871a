##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 1 of 9: look, and change nothing
# (the preamble)

# (look.sh)
# 1. (steps.sh) follow no link (4)

# 2. (steps.sh) mount over nothing: /srv/small

# 3. (steps.sh) leave other NFS exports alone: /srv/small

# 4. (steps.sh) leave other clusters alone (3)

# 5. (steps.sh) use no disk twice (4)

# 6. (steps.sh) overwrite nothing that is somebody's: create small-s0, small-s1: RAID 5

# 7. (steps.sh) leave alone what somebody else has made on /dev/md/small-s0, /dev/md/small-s1

# 8. (steps.sh) leave alone what somebody else has made on /dev/md/small
# (8 steps)
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -9 +9 @@
+# 2. (steps.sh) mount over nothing: /mnt/small
@@ -11,12 +11,2 @@
+# 3. (steps.sh) leave other clusters alone (3)
+# (3 steps)
##### stage 2, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 2 of 9: mark
# (the preamble)

# (kept.sh)
# 1. (steps.sh) note that small builds on this node

# 2. (steps.sh) keep how nfs-server is
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

# (kept.sh)
# 1. (steps.sh) have exportfs, wipefs, mdadm, mkfs.ext4
# (1 steps)
##### stage 3, c[1-4] #####
as on nas, but for:
@@ -7 +7 @@
+# 1. (steps.sh) have mount.nfs
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 4 of 9: network
# (the preamble)

# 1. (steps.sh) MTU 9000 on the link towards c1 (2)
# (1 steps)
##### stage 4, c[1-4] #####
as on nas, but for:
@@ -6 +6 @@
+# 1. (steps.sh) MTU 9000 on the link towards nas
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 5 of 9: array
# (the preamble)

# (volumes.sh)
# 1. (steps.sh) assemble small-s0, small-s1 where it exists already

# 2. (steps.sh) create small-s0, small-s1: RAID 5

# 3. (steps.sh) leave alone what somebody else has made on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg

# 4. (steps.sh) assemble small where it exists already

# 5. (steps.sh) create small: RAID 0

# 6. (steps.sh) leave alone what somebody else has made on /dev/md/small-s0, /dev/md/small-s1

# 7. (steps.sh) assemble the array at every boot (3)
# (7 steps)
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 6 of 9: file system
# (the preamble)

# (volumes.sh)
# 1. (steps.sh) make the ext4 file system on /dev/md/small

# 2. (steps.sh) leave alone what somebody else has made on /dev/md/small

# 3. (steps.sh) mount /srv/small at every boot

# 4. (steps.sh) mount it at /srv/small with noatime

# 5. (steps.sh) /dev/md/small reads ahead as it did before
# (5 steps)
##### stage 7, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 7 of 9: export
# (the preamble)

# 1. export /srv/small to the clients
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

# 2. at every boot 128 nfsd threads, a lease and a grace of 90 s
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

# 3. (steps.sh) give out no delegations

# 4. have the NFS service run 128 threads
#    why: one thread serves one request at a time: with too few, clients wait
check_4() {
    [ -e /proc/fs/nfsd/threads ] && read -r threads </proc/fs/nfsd/threads &&
    [ "$threads" = 128 ]
}
guard_4() { :; }
apply_4() {
    if systemctl -q is-active nfs-server; then rpc.nfsd 128; else systemctl -q --no-reload enable nfs-server; systemctl start nfs-server; fi
}

# 5. have NFSv4 leases and a grace of 90 s
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

# 6. have /srv/small exported rw, async, root_squash
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

# 1. mount /mnt/small at every boot
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

# 3. (steps.sh) /mnt/small reads ahead as it did before
# (3 steps)
##### stage 9, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 9 of 9: note what was made, and what every boot sets
# (the preamble)

# (volumes.sh)
# 1. (steps.sh) note what was made, by UUID (3)

# 2. (steps.sh) write /usr/local/sbin/seatrial-small-network

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) have the settings of network outlive a boot (3)

# 5. (steps.sh) set nothing of mounts after a boot (3)
# (5 steps)
##### stage 9, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 9 of 9: note what was made, and what every boot sets
# (the preamble)

# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (3)

# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 3. (steps.sh) have the settings of network outlive a boot (3)

# 4. (steps.sh) set nothing of mounts after a boot (3)
# (4 steps)
