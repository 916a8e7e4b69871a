##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 1 of 8: look, and change nothing
# (the preamble)

# (look.sh)
# 1. (steps.sh) follow no link (4)

# 2. (steps.sh) mount over nothing: /srv/small

# 3. (steps.sh) leave other NFS exports alone: /srv/small

# 4. (steps.sh) leave other clusters alone (3)

# 5. overwrite nothing that is somebody's: make the ext3 file system on /dev/ubdb
check_5() {
    set +e
    (
    [ "$(blkid -p -o value -s LABEL /dev/ubdb)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/ubdb)" = ext3 ]
    ) >/dev/null 2>&1 && is_deployed small /dev/ubdb && exit 0
    look_disks small st-small '' /dev/ubdb
}
guard_5() { :; }
apply_5() {
    set +e
    (
    [ "$(blkid -p -o value -s LABEL /dev/ubdb)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/ubdb)" = ext3 ]
    ) >/dev/null 2>&1 && is_deployed small /dev/ubdb && exit 0
    look_disks small st-small '' /dev/ubdb
    exit 1
}
# (5 steps)
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -9 +9 @@
+# 2. (steps.sh) mount over nothing: /mnt/small
@@ -11,24 +11,2 @@
+# 3. (steps.sh) leave other clusters alone (3)
+# (3 steps)
##### stage 2, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 2 of 8: mark
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
# stage 3 of 8: packages
# (the preamble)

# (kept.sh)
# 1. have exportfs, wipefs, mkfs.ext3
check_1() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v exportfs >/dev/null &&
    command -v wipefs >/dev/null &&
    command -v mkfs.ext3 >/dev/null
}
guard_1() { :; }
apply_1() {
    keep_packages /var/lib/seatrial/made/small/packages
    trap 'note_packages /var/lib/seatrial/made/small/packages' EXIT
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends e2fsprogs nfs-kernel-server util-linux
    else
        dnf install -y e2fsprogs nfs-utils util-linux
    fi
}
# (1 steps)
##### stage 3, c[1-4] #####
as on nas, but for:
@@ -7,17 +7 @@
+# 1. (steps.sh) have mount.nfs
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 4 of 8: network
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
# stage 5 of 8: file system
# (the preamble)

# (volumes.sh)
# 1. make the ext3 file system on /dev/ubdb
check_1() {
    [ "$(blkid -p -o value -s LABEL /dev/ubdb)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/ubdb)" = ext3 ]
}
guard_1() { all_must_be_blank /dev/ubdb; }
apply_1() {
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/ubdb
    mkfs.ext3 -q -b 4096 -L st-small -E lazy_itable_init=0,lazy_journal_init=0 /dev/ubdb
}

# 2. (steps.sh) leave alone what somebody else has made on /dev/ubdb (2)

# 3. mount /srv/small at every boot
check_3() {
    grep -qxF '/dev/ubdb /srv/small ext3 noatime,nofail 0 0' /etc/fstab
}
guard_3() { :; }
apply_3() {
    if awk '$1 ~ /^#/ || $2 != "/srv/small" || $1 == "/dev/ubdb" { next } { found = 1 } END { exit !found }' /etc/fstab; then
        while grep -q ' /srv/small ' /proc/mounts; do umount /srv/small; done
    fi
    { awk '$1 ~ /^#/ || $2 != "/srv/small"' /etc/fstab && echo '/dev/ubdb /srv/small ext3 noatime,nofail 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 4. mount it at /srv/small with noatime
check_4() {
    grep -q ' /srv/small ext3 ' /proc/mounts &&
    { read -r asked && read -r line; } </run/seatrial-small.filesystem &&
    [ "$asked" = noatime ] && [ "$(grep " /srv/small " /proc/mounts)" = "$line" ]
}
guard_4() { :; }
apply_4() {
    modprobe ext3 2>/dev/null || true
    mkdir -p /srv/small
    if grep -q ' /srv/small ' /proc/mounts; then
        mount -o remount,noatime /srv/small
        if { read -r asked && read -r line; } </run/seatrial-small.filesystem && [ "$asked" = noatime ]; then
            echo 'mounted otherwise since it was deployed; unmount /srv/small, and deploy again'
            chmod 1777 /srv/small
            exit 0
        fi
    else
        mount /srv/small
    fi
    chmod 1777 /srv/small
    { echo noatime; grep ' /srv/small ' /proc/mounts; } >/run/seatrial-small.filesystem
}

# 5. (steps.sh) /dev/ubdb reads ahead as it did before
# (5 steps)
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 6 of 8: export
# (the preamble)

# 1. (steps.sh) export /srv/small to the clients

# 2. (steps.sh) at every boot 16 nfsd threads, a lease and a grace of 90 s

# 3. (steps.sh) give out no delegations

# 4. (steps.sh) have the NFS service run 16 threads

# 5. (steps.sh) have NFSv4 leases and a grace of 90 s

# 6. (steps.sh) have /srv/small exported rw, sync, root_squash
# (6 steps)
##### stage 7, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 7 of 8: mount
# (the preamble)

# 1. (steps.sh) mount /mnt/small at every boot

# 2. (steps.sh) mount nas:/srv/small at /mnt/small with vers=4.2,proto=tcp,hard,noatime

# 3. (steps.sh) /mnt/small reads ahead as it did before
# (3 steps)
##### stage 8, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 8 of 8: note what was made, and what every boot sets
# (the preamble)

# (volumes.sh)
# 1. (steps.sh) note what was made, by UUID (2)

# 2. (steps.sh) write /usr/local/sbin/seatrial-small-network

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) have the settings of network outlive a boot (3)

# 5. (steps.sh) set nothing of mounts after a boot (3)
# (5 steps)
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 8 of 8: note what was made, and what every boot sets
# (the preamble)

# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (3)

# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 3. (steps.sh) have the settings of network outlive a boot (3)

# 4. (steps.sh) set nothing of mounts after a boot (3)
# (4 steps)
