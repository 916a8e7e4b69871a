##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 1 of 8: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /srv/small

# 3. (steps.sh) refuse other NFS exports: /srv/small

# 4. (steps.sh) refuse another cluster (3)

# 5. refuse disks that are in use: create the ext3 file system on /dev/ubdb
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
+# 2. (steps.sh) refuse an occupied mount point: /mnt/small
@@ -11,24 +11,2 @@
+# 3. (steps.sh) refuse another cluster (3)
+# (3 steps)
##### stage 2, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 2 of 8: mark
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
# stage 3 of 8: packages
# (the preamble)

# (backups.sh)
# 1. install exportfs, wipefs, mkfs.ext3
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
+# 1. (steps.sh) install mount.nfs
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 4 of 8: network
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
# stage 5 of 8: file system
# (the preamble)

# (volumes.sh)
# 1. create the ext3 file system on /dev/ubdb
check_1() {
    [ "$(blkid -p -o value -s LABEL /dev/ubdb)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/ubdb)" = ext3 ]
}
guard_1() { all_must_be_blank /dev/ubdb; }
apply_1() {
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/ubdb
    mkfs.ext3 -q -b 4096 -L st-small -E lazy_itable_init=0,lazy_journal_init=0 /dev/ubdb
}

# 2. (steps.sh) refuse volumes of another owner on /dev/ubdb (2)

# 3. enable the mount of /srv/small at boot
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

# 4. mount the file system at /srv/small with noatime
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

# 5. (steps.sh) restore the read-ahead of /dev/ubdb
# (5 steps)
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 6 of 8: export
# (the preamble)

# 1. (steps.sh) configure the export of /srv/small

# 2. (steps.sh) configure 16 nfsd threads, and 90 s of lease and grace period

# 3. (steps.sh) disable NFS delegations

# 4. (steps.sh) set 16 nfsd threads

# 5. (steps.sh) set the NFSv4 lease and grace period to 90 s

# 6. (steps.sh) export /srv/small with rw, sync, root_squash
# (6 steps)
##### stage 7, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 7 of 8: mount
# (the preamble)

# 1. (steps.sh) enable the mount of /mnt/small at boot

# 2. (steps.sh) mount nas:/srv/small at /mnt/small with vers=4.2,proto=tcp,hard,noatime

# 3. (steps.sh) restore the read-ahead of /mnt/small
# (3 steps)
##### stage 8, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 8 of 8: store volume UUIDs; install boot-time settings
# (the preamble)

# (volumes.sh)
# 1. (steps.sh) store the UUIDs of created volumes (2)

# 2. (steps.sh) write /usr/local/sbin/seatrial-small-network

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) install the boot-time settings of network (3)

# 5. (steps.sh) remove the boot-time settings of mounts (3)
# (5 steps)
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 8 of 8: store volume UUIDs; install boot-time settings
# (the preamble)

# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (3)

# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 3. (steps.sh) install the boot-time settings of network (3)

# 4. (steps.sh) remove the boot-time settings of mounts (3)
# (4 steps)
