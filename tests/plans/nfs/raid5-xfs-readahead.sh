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

# 5. (steps.sh) refuse a disk that is used twice (2)

# 6. refuse disks that are in use: create array small: RAID 5
check_6() {
    set +e
    (
    [ -b /dev/md/small ] && set_=$(readlink -f /dev/md/small) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid5 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 5 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
    ) >/dev/null 2>&1 && is_deployed small /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf && exit 0
    look_disks small any:small '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
}
guard_6() { :; }
apply_6() {
    set +e
    (
    [ -b /dev/md/small ] && set_=$(readlink -f /dev/md/small) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid5 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 5 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
    ) >/dev/null 2>&1 && is_deployed small /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf && exit 0
    look_disks small any:small '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
    exit 1
}

# 7. (steps.sh) refuse volumes of another owner on /dev/md/small
# (7 steps)
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -9 +9 @@
+# 2. (steps.sh) refuse an occupied mount point: /mnt/small
@@ -11,32 +11,2 @@
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
# 1. install exportfs, wipefs, mdadm, mkfs.xfs
check_1() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v exportfs >/dev/null &&
    command -v wipefs >/dev/null &&
    command -v mdadm >/dev/null &&
    command -v mkfs.xfs >/dev/null
}
guard_1() { :; }
apply_1() {
    keep_packages /var/lib/seatrial/made/small/packages
    trap 'note_packages /var/lib/seatrial/made/small/packages' EXIT
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends mdadm nfs-kernel-server util-linux xfsprogs
    else
        dnf install -y mdadm nfs-utils util-linux xfsprogs
    fi
}
# (1 steps)
##### stage 3, c[1-4] #####
as on nas, but for:
@@ -7,18 +7 @@
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
# 1. assemble the existing array small
check_1() {
    ! { { [ ! -b /dev/md/small ] && mdadm --examine --export /dev/ubdb 2>/dev/null | grep -q '^MD_NAME=any:small$'; }; }
}
guard_1() { :; }
apply_1() {
    [ -b /dev/md/small ] || mdadm --assemble /dev/md/small /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/small
}

# 2. create array small: RAID 5
#    why: the new devices hold zeros, so parity is consistent without an initial resync
check_2() {
    [ -b /dev/md/small ] && set_=$(readlink -f /dev/md/small) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid5 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 5 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
}
guard_2() { all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf; }
apply_2() {
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
    modprobe raid456 || true
    pids=
    mdadm --create /dev/md/small --run --metadata=1.2 --homehost=any --name=small --level=5 \
        --raid-devices=5 --chunk=64 --assume-clean /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/small
}

# 3. refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf
check_3() {
    set +e
    only_own_volumes /var/lib/seatrial/made/small/volumes '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
}
guard_3() { :; }
apply_3() {
    set +e
    only_own_volumes /var/lib/seatrial/made/small/volumes '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
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
# 1. create the xfs file system on /dev/md/small
#    why: the file system aligns allocation to the stripe (256KiB)
check_1() {
    [ "$(blkid -p -o value -s LABEL /dev/md/small)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/md/small)" = xfs ]
}
guard_1() { all_must_be_blank /dev/md/small; }
apply_1() {
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/md/small
    modprobe xfs || true
    mkfs.xfs -q -L st-small -d su=65536,sw=4 /dev/md/small
}

# 2. (steps.sh) refuse volumes of another owner on /dev/md/small

# 3. enable the mount of /srv/small at boot
check_3() {
    grep -qxF '/dev/md/small /srv/small xfs noatime,nofail 0 0' /etc/fstab
}
guard_3() { :; }
apply_3() {
    if awk '$1 ~ /^#/ || $2 != "/srv/small" || $1 == "/dev/md/small" { next } { found = 1 } END { exit !found }' /etc/fstab; then
        while grep -q ' /srv/small ' /proc/mounts; do umount /srv/small; done
    fi
    { awk '$1 ~ /^#/ || $2 != "/srv/small"' /etc/fstab && echo '/dev/md/small /srv/small xfs noatime,nofail 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 4. mount the file system at /srv/small with noatime
check_4() {
    grep -q ' /srv/small xfs ' /proc/mounts &&
    { read -r asked && read -r line; } </run/seatrial-small.filesystem &&
    [ "$asked" = noatime ] && [ "$(grep " /srv/small " /proc/mounts)" = "$line" ]
}
guard_4() { :; }
apply_4() {
    modprobe xfs 2>/dev/null || true
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

# 5. set the read-ahead of /dev/md/small to 4MiB
#    why: large sequential reads then use all disks at once
check_5() {
    read -r ahead </sys/class/bdi/$(mountpoint -d /srv/small)/read_ahead_kb && [ "$ahead" = 4096 ]
}
guard_5() { :; }
apply_5() {
    [ -s /run/seatrial-small.filesystem-readahead ] || { read -r ahead </sys/class/bdi/$(mountpoint -d /srv/small)/read_ahead_kb && echo $ahead >/run/seatrial-small.filesystem-readahead; }
    echo 4096 >/sys/class/bdi/$(mountpoint -d /srv/small)/read_ahead_kb
}
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
    grep -qxF 'nas:/srv/small /mnt/small nfs vers=4.1,proto=tcp,hard,noatime,_netdev 0 0' /etc/fstab
}
guard_1() { :; }
apply_1() {
    if awk '$1 ~ /^#/ || $2 != "/mnt/small" || $1 == "nas:/srv/small" { next } { found = 1 } END { exit !found }' /etc/fstab; then
        while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
    fi
    { awk '$1 ~ /^#/ || $2 != "/mnt/small"' /etc/fstab && echo 'nas:/srv/small /mnt/small nfs vers=4.1,proto=tcp,hard,noatime,_netdev 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 2. mount nas:/srv/small at /mnt/small with vers=4.1,proto=tcp,hard,noatime
check_2() {
    { read -r asked && read -r line; } </run/seatrial-small.mount &&
    [ "$asked" = 'nas:/srv/small vers=4.1,proto=tcp,hard,noatime' ] && [ "$(grep " /mnt/small " /proc/mounts)" = "$line" ]
}
guard_2() { :; }
apply_2() {
    while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
    mkdir -p /mnt/small
    mount -t nfs -o vers=4.1,proto=tcp,hard,noatime nas:/srv/small /mnt/small
    { echo 'nas:/srv/small vers=4.1,proto=tcp,hard,noatime'; grep ' /mnt/small ' /proc/mounts; } >/run/seatrial-small.mount
}

# 3. set the read-ahead of /mnt/small to 1MiB
#    why: the read-ahead of a client must cover its link's rate times the round trip
check_3() {
    read -r ahead </sys/class/bdi/$(mountpoint -d /mnt/small)/read_ahead_kb && [ "$ahead" = 1024 ]
}
guard_3() { :; }
apply_3() {
    [ -s /run/seatrial-small.mount-readahead ] || { read -r ahead </sys/class/bdi/$(mountpoint -d /mnt/small)/read_ahead_kb && echo $ahead >/run/seatrial-small.mount-readahead; }
    echo 1024 >/sys/class/bdi/$(mountpoint -d /mnt/small)/read_ahead_kb
}
# (3 steps)
##### stage 9, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 9 of 9: store volume UUIDs; install boot-time settings
# (the preamble)

# (volumes.sh)
# 1. store the UUIDs of created volumes
check_1() {
    volumes_are_noted /var/lib/seatrial/made/small/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/md/small
}
guard_1() { :; }
apply_1() {
    note_volumes /var/lib/seatrial/made/small/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/md/small
}

# 2. (steps.sh) write /usr/local/sbin/seatrial-small-network

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) install the boot-time settings of network (3)

# 5. write /usr/local/sbin/seatrial-small-mounts
check_5() {
    cmp -s /usr/local/sbin/seatrial-small-mounts - <<'SEATRIAL'
#!/bin/sh
# What small has set on this node, after a boot.
bad=0
# set the read-ahead of /dev/md/small to 4MiB
if ! (
read -r ahead </sys/class/bdi/$(mountpoint -d /srv/small)/read_ahead_kb && [ "$ahead" = 4096 ]
) >/dev/null 2>&1; then
(
set -e
[ -s /run/seatrial-small.filesystem-readahead ] || { read -r ahead </sys/class/bdi/$(mountpoint -d /srv/small)/read_ahead_kb && echo $ahead >/run/seatrial-small.filesystem-readahead; }
echo 4096 >/sys/class/bdi/$(mountpoint -d /srv/small)/read_ahead_kb
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
guard_5() { :; }
apply_5() {
    mkdir -p /usr/local/sbin
    cat >/usr/local/sbin/seatrial-small-mounts.new <<'SEATRIAL' || { rm -f /usr/local/sbin/seatrial-small-mounts.new; exit 1; }
#!/bin/sh
# What small has set on this node, after a boot.
bad=0
# set the read-ahead of /dev/md/small to 4MiB
if ! (
read -r ahead </sys/class/bdi/$(mountpoint -d /srv/small)/read_ahead_kb && [ "$ahead" = 4096 ]
) >/dev/null 2>&1; then
(
set -e
[ -s /run/seatrial-small.filesystem-readahead ] || { read -r ahead </sys/class/bdi/$(mountpoint -d /srv/small)/read_ahead_kb && echo $ahead >/run/seatrial-small.filesystem-readahead; }
echo 4096 >/sys/class/bdi/$(mountpoint -d /srv/small)/read_ahead_kb
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
    chmod 755 /usr/local/sbin/seatrial-small-mounts.new
    mv /usr/local/sbin/seatrial-small-mounts.new /usr/local/sbin/seatrial-small-mounts
    ! systemctl -q is-active seatrial-small-mounts || systemctl restart seatrial-small-mounts
}

# 6. write /etc/systemd/system/seatrial-small-mounts.service
check_6() {
    [ ! -d /run/systemd/system ] || {
    cmp -s /etc/systemd/system/seatrial-small-mounts.service - <<'SEATRIAL'
[Unit]
Description=what small has set (mounts)
After=local-fs.target remote-fs.target
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-small-mounts
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
    }
}
guard_6() { :; }
apply_6() {
    mkdir -p /etc/systemd/system
    cat >/etc/systemd/system/seatrial-small-mounts.service.new <<'SEATRIAL' || { rm -f /etc/systemd/system/seatrial-small-mounts.service.new; exit 1; }
[Unit]
Description=what small has set (mounts)
After=local-fs.target remote-fs.target
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-small-mounts
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
    mv /etc/systemd/system/seatrial-small-mounts.service.new /etc/systemd/system/seatrial-small-mounts.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-small-mounts.service)" = no ] || systemctl daemon-reload
    ! systemctl -q is-active seatrial-small-mounts || systemctl restart seatrial-small-mounts
}

# 7. install the boot-time settings of mounts
#    why: a fenced node must come back with the same settings
check_7() {
    [ ! -d /run/systemd/system ] || {
    systemctl -q is-active seatrial-small-mounts && systemctl -q is-enabled seatrial-small-mounts
    }
}
guard_7() { :; }
apply_7() {
    systemctl -q --no-reload enable seatrial-small-mounts
    systemctl start seatrial-small-mounts
}
# (7 steps)
##### stage 9, c[1-4] #####
as on nas, but for:
@@ -6,9 +6 @@
+# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (3)
@@ -16 +8 @@
+# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service
@@ -18 +10 @@
+# 3. (steps.sh) install the boot-time settings of network (3)
@@ -20,4 +12,2 @@
+# 4. write /usr/local/sbin/seatrial-small-mounts
+check_4() {
@@ -28 +18 @@
+# set the read-ahead of /mnt/small to 1MiB
@@ -30 +20 @@
+read -r ahead </sys/class/bdi/$(mountpoint -d /mnt/small)/read_ahead_kb && [ "$ahead" = 1024 ]
@@ -34,2 +24,2 @@
+[ -s /run/seatrial-small.mount-readahead ] || { read -r ahead </sys/class/bdi/$(mountpoint -d /mnt/small)/read_ahead_kb && echo $ahead >/run/seatrial-small.mount-readahead; }
+echo 1024 >/sys/class/bdi/$(mountpoint -d /mnt/small)/read_ahead_kb
@@ -42,2 +32,2 @@
+guard_4() { :; }
+apply_4() {
@@ -49 +39 @@
+# set the read-ahead of /mnt/small to 1MiB
@@ -51 +41 @@
+read -r ahead </sys/class/bdi/$(mountpoint -d /mnt/small)/read_ahead_kb && [ "$ahead" = 1024 ]
@@ -55,2 +45,2 @@
+[ -s /run/seatrial-small.mount-readahead ] || { read -r ahead </sys/class/bdi/$(mountpoint -d /mnt/small)/read_ahead_kb && echo $ahead >/run/seatrial-small.mount-readahead; }
+echo 1024 >/sys/class/bdi/$(mountpoint -d /mnt/small)/read_ahead_kb
@@ -67,2 +57,2 @@
+# 5. write /etc/systemd/system/seatrial-small-mounts.service
+check_5() {
@@ -86,2 +76,2 @@
+guard_5() { :; }
+apply_5() {
@@ -108 +98 @@
+# 6. install the boot-time settings of mounts
@@ -110 +100 @@
+check_6() {
@@ -115,2 +105,2 @@
+guard_6() { :; }
+apply_6() {
@@ -120 +110 @@
+# (6 steps)
