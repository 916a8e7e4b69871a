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

# 5. (steps.sh) refuse a disk that is used twice (2)

# 6. refuse disks that are in use: create array small: RAID 5
check_6() {
    set +e
    (
    md_is small 5 5 65536
    ) >/dev/null 2>&1 && is_deployed small /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf && exit 0
    look_disks small any:small '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
}
apply_6() { refuse; }

# 7. (steps.sh) refuse volumes of another owner on /dev/md/small
# (7 steps)
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
# 1. install exportfs, wipefs, mdadm, mkfs.xfs
check_1() { have_commands exportfs wipefs mdadm mkfs.xfs; }
apply_1() {
    note_installed /var/lib/seatrial/made/small/packages
    install_packages 'mdadm nfs-kernel-server util-linux xfsprogs' 'mdadm nfs-utils util-linux xfsprogs'
}
# (1 steps)
##### stage 3, c[1-4] #####
as on nas, but for:
@@ -7,6 +7 @@
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
# 1. assemble the existing array small
check_1() { ! { md_is_idle small /dev/ubdb; }; }
apply_1() {
    assemble_md small /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
    settle_md small
}

# 2. create array small: RAID 5
#    why: the new devices hold zeros, so parity is consistent without an initial resync
check_2() { md_is small 5 5 65536; }
guard_2() {
    all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
}
apply_2() {
    modprobe raid456 || true
    pids=
    mdadm --create /dev/md/small --run --metadata=1.2 --homehost=any --name=small --level=5 \
        --raid-devices=5 --chunk=64 --assume-clean /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    settle_md small
}

# 3. refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf
check_3() {
    set +e
    only_own_volumes /var/lib/seatrial/made/small/volumes '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
}
apply_3() { refuse; }

# 4. (steps.sh) enable the assembly of the array at boot (2)
# (4 steps)
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 6 of 9: file system
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is)
# (volumes.sh)
# 1. create the xfs file system on /dev/md/small
#    why: the file system aligns allocation to the stripe (256KiB)
check_1() {
    [ "$(blkid -p -o value -s LABEL /dev/md/small)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/md/small)" = xfs ]
}
guard_1() {
    all_must_be_blank /dev/md/small
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/md/small
}
apply_1() {
    modprobe xfs || true
    mkfs.xfs -q -L st-small -d su=65536,sw=4 /dev/md/small
}

# 2. (steps.sh) refuse volumes of another owner on /dev/md/small

# 3. enable the mount of /srv/small at boot
check_3() { fstab_has /dev/md/small /srv/small xfs noatime,nofail; }
apply_3() { put_fstab_line /dev/md/small /srv/small xfs noatime,nofail; }

# 4. mount the file system at /srv/small with noatime
check_4() {
    grep -q ' /srv/small xfs ' /proc/mounts &&
    mount_is /srv/small noatime /run/seatrial-small.filesystem
}
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
    note_mount /srv/small noatime /run/seatrial-small.filesystem
}

# 5. set the read-ahead of /dev/md/small to 4MiB
#    why: large sequential reads then use all disks at once
check_5() {
    read -r ahead </sys/class/bdi/$(mountpoint -d /srv/small)/read_ahead_kb && [ "$ahead" = 4096 ]
}
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

# (sh/: file_is write_file store_version)
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

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is put_mount)
# 1. enable the mount of /mnt/small at boot
check_1() { fstab_has nas:/srv/small /mnt/small nfs vers=4.1,proto=tcp,hard,noatime,_netdev; }
apply_1() { put_fstab_line nas:/srv/small /mnt/small nfs vers=4.1,proto=tcp,hard,noatime,_netdev; }

# 2. mount nas:/srv/small at /mnt/small with vers=4.1,proto=tcp,hard,noatime
check_2() {
    mount_is /mnt/small 'nas:/srv/small vers=4.1,proto=tcp,hard,noatime' /run/seatrial-small.mount
}
apply_2() {
    put_mount /mnt/small mount -t nfs -o vers=4.1,proto=tcp,hard,noatime nas:/srv/small /mnt/small
    note_mount /mnt/small 'nas:/srv/small vers=4.1,proto=tcp,hard,noatime' /run/seatrial-small.mount
}

# 3. set the read-ahead of /mnt/small to 1MiB
#    why: the read-ahead of a client must cover its link's rate times the round trip
check_3() {
    read -r ahead </sys/class/bdi/$(mountpoint -d /mnt/small)/read_ahead_kb && [ "$ahead" = 1024 ]
}
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

# (sh/: file_is write_file store_version units_are reread_unit restart_if_active unit_runs start_unit without_systemd)
# (volumes.sh)
# 1. store the UUIDs of created volumes
check_1() {
    volumes_are_noted /var/lib/seatrial/made/small/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/md/small
}
apply_1() {
    note_volumes /var/lib/seatrial/made/small/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/md/small
}

# 2. (steps.sh) write /usr/local/sbin/seatrial-small-network

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) install the boot-time settings of network (3)

# 5. write /usr/local/sbin/seatrial-small-mounts
content_5() { cat <<'SEATRIAL'
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
check_5() { content | file_is /usr/local/sbin/seatrial-small-mounts; }
apply_5() {
    content | write_file /usr/local/sbin/seatrial-small-mounts 755
    restart_if_active seatrial-small-mounts
}

# 6. write /etc/systemd/system/seatrial-small-mounts.service
content_6() { cat <<'SEATRIAL'
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
check_6() {
    without_systemd || content | file_is /etc/systemd/system/seatrial-small-mounts.service
}
apply_6() {
    content | write_file /etc/systemd/system/seatrial-small-mounts.service
    reread_unit seatrial-small-mounts.service
    restart_if_active seatrial-small-mounts
}

# 7. install the boot-time settings of mounts
#    why: a fenced node must come back with the same settings
check_7() { without_systemd || unit_runs seatrial-small-mounts; }
apply_7() { start_unit seatrial-small-mounts; }
# (7 steps)
##### stage 9, c[1-4] #####
as on nas, but for:
@@ -7,8 +7 @@
+# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (3)
@@ -16 +9 @@
+# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service
@@ -18 +11 @@
+# 3. (steps.sh) install the boot-time settings of network (3)
@@ -20,4 +13,2 @@
+# 4. write /usr/local/sbin/seatrial-small-mounts
+content_4() { cat <<'SEATRIAL'
@@ -27 +18 @@
+# set the read-ahead of /mnt/small to 1MiB
@@ -29 +20 @@
+read -r ahead </sys/class/bdi/$(mountpoint -d /mnt/small)/read_ahead_kb && [ "$ahead" = 1024 ]
@@ -33,2 +24,2 @@
+[ -s /run/seatrial-small.mount-readahead ] || { read -r ahead </sys/class/bdi/$(mountpoint -d /mnt/small)/read_ahead_kb && echo $ahead >/run/seatrial-small.mount-readahead; }
+echo 1024 >/sys/class/bdi/$(mountpoint -d /mnt/small)/read_ahead_kb
@@ -41,2 +32,2 @@
+check_4() { content | file_is /usr/local/sbin/seatrial-small-mounts; }
+apply_4() {
@@ -47,2 +38,2 @@
+# 5. write /etc/systemd/system/seatrial-small-mounts.service
+content_5() { cat <<'SEATRIAL'
@@ -63 +54 @@
+check_5() {
@@ -66 +57 @@
+apply_5() {
@@ -72 +63 @@
+# 6. install the boot-time settings of mounts
@@ -74,3 +65,3 @@
+check_6() { without_systemd || unit_runs seatrial-small-mounts; }
+apply_6() { start_unit seatrial-small-mounts; }
+# (6 steps)
