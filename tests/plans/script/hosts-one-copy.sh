##### stage 1, s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (7)

# 2. (steps.sh) refuse another cluster (6)

# 3. (steps.sh) refuse a disk that is used twice

# 4. refuse disks that are in use: create XFS on every disk
check_4() {
    set +e
    (
    export SEATRIAL_STUDY=script-glusterfs
    export SEATRIAL_DEVICES='/dev/sdb /dev/sdc'
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# Every disk has the XFS of a brick of this study, known by its label of at most 12 characters.
label=$(printf %.12s "$SEATRIAL_STUDY")
for device in $SEATRIAL_DEVICES; do
    [ "$(blkid -p -o value -s LABEL "$device")" = "$label" ]
done
SEATRIAL
    )
    sh -euc "$script" bricks-made.sh 3>&-
    ) >/dev/null 2>&1 && is_deployed script-glusterfs /dev/sdb /dev/sdc && exit 0
    look_disks script-glusterfs '' '' /dev/sdb /dev/sdc
}
apply_4() { refuse; }
# (4 steps)
##### stage 1, c[1-2] #####
as on s[1-2], but for:
@@ -9 +9 @@
+# 2. (steps.sh) refuse an occupied mount point: /mnt/script-glusterfs
@@ -11,23 +11,2 @@
+# 3. (steps.sh) refuse another cluster (6)
+# (3 steps)
##### stage 2, c[1-2],s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 2 of 11: mark
# (the preamble)

# 1. (steps.sh) mark this node for script-glusterfs
# (1 steps)
##### stage 3, s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 3 of 11: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install glusterd, mkfs.xfs, setfattr
# (1 steps)
##### stage 3, c[1-2] #####
as on s[1-2], but for:
@@ -7 +7 @@
+# 1. (steps.sh) install mount.glusterfs
##### stage 4, s1 #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 4 of 11: network
# (the preamble)

# (sh/: link_to mtu_is set_mtu set_mtu_of)
# 1. (steps.sh) set MTU 9000 on the link to c1 (3)
# (1 steps)
##### stage 4, c[1-2],s2 #####
as on s1, but for:
@@ -7 +7 @@
+# 1. (steps.sh) set MTU 9000 on the link to s1 (2)
##### stage 5, s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 5 of 11: bricks
# (the preamble)

# (volumes.sh)
# 1. create XFS on every disk
check_1() {
    export SEATRIAL_STUDY=script-glusterfs
    export SEATRIAL_DEVICES='/dev/sdb /dev/sdc'
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# Every disk has the XFS of a brick of this study, known by its label of at most 12 characters.
label=$(printf %.12s "$SEATRIAL_STUDY")
for device in $SEATRIAL_DEVICES; do
    [ "$(blkid -p -o value -s LABEL "$device")" = "$label" ]
done
SEATRIAL
    )
    sh -euc "$script" bricks-made.sh 3>&-
}
guard_1() {
    all_must_be_blank /dev/sdb /dev/sdc
    expect_volumes /var/lib/seatrial/made/script-glusterfs/volumes /dev/sdb /dev/sdc
}
apply_1() {
    export SEATRIAL_STUDY=script-glusterfs
    export SEATRIAL_DEVICES='/dev/sdb /dev/sdc'
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# Inodes of 512 bytes have room for the attributes that GlusterFS keeps of each file.
label=$(printf %.12s "$SEATRIAL_STUDY")
for device in $SEATRIAL_DEVICES; do
    mkfs.xfs -q -i size=512 -L "$label" "$device"
done
SEATRIAL
    )
    sh -euc "$script" make-bricks.sh 3>&-
}

# 2. refuse volumes of another owner on /dev/sdb, /dev/sdc
check_2() {
    set +e
    only_own_volumes /var/lib/seatrial/made/script-glusterfs/volumes '' /dev/sdb /dev/sdc
}
apply_2() { refuse; }

# 3. mount every brick
check_3() {
    export SEATRIAL_STUDY=script-glusterfs
    export SEATRIAL_DEVICES='/dev/sdb /dev/sdc'
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# Every brick is mounted, now and at the next boot, and holds its directory.
number=0
for device in $SEATRIAL_DEVICES; do
    number=$((number + 1))
    brick=/srv/$SEATRIAL_STUDY/$number
    grep -q "^$device $brick xfs " /proc/mounts
    grep -qxF "$device $brick xfs noatime,nofail 0 0" /etc/fstab
    [ -d "$brick/data" ]
done
SEATRIAL
    )
    sh -euc "$script" bricks-mounted.sh 3>&-
}
apply_3() {
    export SEATRIAL_STUDY=script-glusterfs
    export SEATRIAL_DEVICES='/dev/sdb /dev/sdc'
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# The brick is a directory below the mount point: where the disk is not mounted there is no such directory, and
# GlusterFS does not write to the system's own disk.
number=0
for device in $SEATRIAL_DEVICES; do
    number=$((number + 1))
    brick=/srv/$SEATRIAL_STUDY/$number
    mkdir -p "$brick"
    sed -i "\\# $brick #d" /etc/fstab
    echo "$device $brick xfs noatime,nofail 0 0" >>/etc/fstab
    mountpoint -q "$brick" || mount "$brick"
    mkdir -p "$brick/data"
done
SEATRIAL
    )
    sh -euc "$script" mount-bricks.sh 3>&-
}
# (3 steps)
##### stage 6, s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 6 of 11: management daemon
# (the preamble)

# 1. (steps.sh) start glusterd
# (1 steps)
##### stage 7, s1 #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 7 of 11: pool
# (the preamble)

# 1. (steps.sh) add every server to the pool
# (1 steps)
##### stage 8, s1 #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 8 of 11: volume
# (the preamble)

# 1. create and start the volume
check_1() {
    export SEATRIAL_STUDY=script-glusterfs
    export REPLICA=1
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# The volume is started, has the required number of copies, and each of its bricks is up.
info=$(gluster --mode=script volume info "$SEATRIAL_STUDY")
echo "$info" | grep -q '^Status: Started$'
if [ "$REPLICA" -gt 1 ]; then
    echo "$info" | grep -q "^Number of Bricks: .*$REPLICA = [0-9]*\$"
else
    echo "$info" | grep -q '^Type: Distribute$'
fi
! gluster --mode=script volume status "$SEATRIAL_STUDY" detail | grep '^Online .*: N'
SEATRIAL
    )
    sh -euc "$script" volume-started.sh 3>&-
}
apply_1() {
    export SEATRIAL_STUDY=script-glusterfs
    export SEATRIAL_DEVICES='/dev/sdb /dev/sdc'
    export SEATRIAL_SERVER_ADDRESSES='s1 s2'
    export REPLICA=1
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# Bricks that follow each other hold the same files, so the servers take turns.
if ! gluster --mode=script volume info "$SEATRIAL_STUDY" >/dev/null 2>&1; then
    number=0
    bricks=
    for _ in $SEATRIAL_DEVICES; do
        number=$((number + 1))
        for address in $SEATRIAL_SERVER_ADDRESSES; do
            bricks="$bricks $address:/srv/$SEATRIAL_STUDY/$number/data"
        done
    done
    copies=
    [ "$REPLICA" = 1 ] || copies="replica $REPLICA"
    # shellcheck disable=SC2086 # words on purpose
    gluster --mode=script volume create "$SEATRIAL_STUDY" $copies $bricks
fi
gluster --mode=script volume start "$SEATRIAL_STUDY" force
SEATRIAL
    )
    sh -euc "$script" start-volume.sh 3>&-
}

# 2. (steps.sh) set the ping timeout to PING_TIMEOUT seconds
# (2 steps)
##### stage 9, c[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 9 of 11: FUSE
# (the preamble)

# 1. (steps.sh) load the FUSE module
# (1 steps)
##### stage 10, c[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 10 of 11: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is put_mount)
# 1. (steps.sh) enable the mount of /mnt/script-glusterfs at boot

# 2. (steps.sh) mount s1,s2:/script-glusterfs at /mnt/script-glusterfs with noatime
# (2 steps)
##### stage 11, s1 #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 11 of 11: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# (volumes.sh)
# 1. store the UUIDs of created volumes
check_1() { volumes_are_noted /var/lib/seatrial/made/script-glusterfs/volumes /dev/sdb /dev/sdc; }
apply_1() { note_volumes /var/lib/seatrial/made/script-glusterfs/volumes /dev/sdb /dev/sdc; }

# 2. (steps.sh) write /usr/local/sbin/seatrial-script-glusterfs-network

# 3. (steps.sh) write /etc/systemd/system/seatrial-script-glusterfs-network.service

# 4. (steps.sh) install the boot-time settings of network (6)

# 5. (steps.sh) remove the boot-time settings of mounts (6)
# (5 steps)
##### stage 11, s2 #####
as on s1, but for:
@@ -12 +12 @@
+# 2. (steps.sh) write /usr/local/sbin/seatrial-script-glusterfs-network (2)
##### stage 11, c[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 11 of 11: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-script-glusterfs-network (2)

# 2. (steps.sh) write /etc/systemd/system/seatrial-script-glusterfs-network.service

# 3. (steps.sh) install the boot-time settings of network (6)

# 4. (steps.sh) remove the boot-time settings of mounts (6)
# (4 steps)
