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

# 5. refuse a disk that is used twice
check_5() {
    set +e
    look_twice /dev/sdb /dev/sdc /dev/sdd /dev/sde
}
guard_5() { :; }
apply_5() {
    set +e
    look_twice /dev/sdb /dev/sdc /dev/sdd /dev/sde
    exit 1
}

# 6. refuse disks that are in use: create array small: RAID 10
check_6() {
    set +e
    (
    [ -b /dev/md/small ] && set_=$(readlink -f /dev/md/small) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid10 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 4 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
    ) >/dev/null 2>&1 && is_deployed small /dev/sdb /dev/sdc /dev/sdd /dev/sde && exit 0
    look_disks small any:small '' /dev/sdb /dev/sdc /dev/sdd /dev/sde
}
guard_6() { :; }
apply_6() {
    set +e
    (
    [ -b /dev/md/small ] && set_=$(readlink -f /dev/md/small) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid10 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 4 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
    ) >/dev/null 2>&1 && is_deployed small /dev/sdb /dev/sdc /dev/sdd /dev/sde && exit 0
    look_disks small any:small '' /dev/sdb /dev/sdc /dev/sdd /dev/sde
    exit 1
}

# 7. (steps.sh) refuse volumes of another owner on /dev/md/small
# (7 steps)
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -9 +9 @@
+# 2. (steps.sh) refuse an occupied mount point: /mnt/small
@@ -11,42 +11,2 @@
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
+# 1. (steps.sh) set MTU 9000 on the link to 10.0.0.9
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 5 of 9: array
# (the preamble)

# (volumes.sh)
# 1. assemble the existing array small
check_1() {
    ! { { [ ! -b /dev/md/small ] && mdadm --examine --export /dev/sdb 2>/dev/null | grep -q '^MD_NAME=any:small$'; }; }
}
guard_1() { :; }
apply_1() {
    [ -b /dev/md/small ] || mdadm --assemble /dev/md/small /dev/sdb /dev/sdc /dev/sdd /dev/sde
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/small
}

# 2. create array small: RAID 10
check_2() {
    [ -b /dev/md/small ] && set_=$(readlink -f /dev/md/small) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid10 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 4 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
}
guard_2() { all_must_be_blank /dev/sdb /dev/sdc /dev/sdd /dev/sde; }
apply_2() {
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/sdb /dev/sdc /dev/sdd /dev/sde
    modprobe raid10 || true
    pids=
    mdadm --create /dev/md/small --run --metadata=1.2 --homehost=any --name=small --level=10 \
        --raid-devices=4 --chunk=64 /dev/sdb /dev/sdc /dev/sdd /dev/sde & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/small
}

# 3. refuse volumes of another owner on /dev/sdb, /dev/sdc, /dev/sdd, /dev/sde
check_3() {
    set +e
    only_own_volumes /var/lib/seatrial/made/small/volumes '' /dev/sdb /dev/sdc /dev/sdd /dev/sde
}
guard_3() { :; }
apply_3() {
    set +e
    only_own_volumes /var/lib/seatrial/made/small/volumes '' /dev/sdb /dev/sdc /dev/sdd /dev/sde
    exit 1
}

# 4. (steps.sh) enable the assembly of the array at boot (2)
# (4 steps)
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 6 of 9: file system
# (the preamble)

# (volumes.sh)
# 1. create the ext4 file system on /dev/md/small
#    why: the file system aligns allocation to the stripe (128KiB); all tables are written now, not during load
check_1() {
    [ "$(blkid -p -o value -s LABEL /dev/md/small)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/md/small)" = ext4 ]
}
guard_1() { all_must_be_blank /dev/md/small; }
apply_1() {
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/md/small
    mkfs.ext4 -q -b 4096 -L st-small -E lazy_itable_init=0,lazy_journal_init=0,stride=16,stripe_width=32 /dev/md/small
}

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

# 1. (steps.sh) configure the export of /srv/small

# 2. (steps.sh) configure 16 nfsd threads, and 90 s of lease and grace period

# 3. (steps.sh) disable NFS delegations

# 4. (steps.sh) set 16 nfsd threads

# 5. (steps.sh) set the NFSv4 lease and grace period to 90 s

# 6. (steps.sh) export /srv/small with rw, sync, root_squash
# (6 steps)
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 8 of 9: mount
# (the preamble)

# 1. enable the mount of /mnt/small at boot
check_1() {
    grep -qxF '10.0.0.9:/srv/small /mnt/small nfs vers=4.2,proto=tcp,hard,noatime,_netdev 0 0' /etc/fstab
}
guard_1() { :; }
apply_1() {
    if awk '$1 ~ /^#/ || $2 != "/mnt/small" || $1 == "10.0.0.9:/srv/small" { next } { found = 1 } END { exit !found }' /etc/fstab; then
        while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
    fi
    { awk '$1 ~ /^#/ || $2 != "/mnt/small"' /etc/fstab && echo '10.0.0.9:/srv/small /mnt/small nfs vers=4.2,proto=tcp,hard,noatime,_netdev 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 2. mount 10.0.0.9:/srv/small at /mnt/small with vers=4.2,proto=tcp,hard,noatime
check_2() {
    { read -r asked && read -r line; } </run/seatrial-small.mount &&
    [ "$asked" = '10.0.0.9:/srv/small vers=4.2,proto=tcp,hard,noatime' ] && [ "$(grep " /mnt/small " /proc/mounts)" = "$line" ]
}
guard_2() { :; }
apply_2() {
    while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
    mkdir -p /mnt/small
    mount -t nfs -o vers=4.2,proto=tcp,hard,noatime 10.0.0.9:/srv/small /mnt/small
    { echo '10.0.0.9:/srv/small vers=4.2,proto=tcp,hard,noatime'; grep ' /mnt/small ' /proc/mounts; } >/run/seatrial-small.mount
}

# 3. (steps.sh) restore the read-ahead of /mnt/small
# (3 steps)
##### stage 9, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 9 of 9: store volume UUIDs; install boot-time settings
# (the preamble)

# (volumes.sh)
# 1. store the UUIDs of created volumes
check_1() {
    volumes_are_noted /var/lib/seatrial/made/small/volumes /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/md/small
}
guard_1() { :; }
apply_1() {
    note_volumes /var/lib/seatrial/made/small/volumes /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/md/small
}

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

# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (2)

# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 3. (steps.sh) install the boot-time settings of network (3)

# 4. (steps.sh) remove the boot-time settings of mounts (3)
# (4 steps)
