##### stage 1, s1 #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 1 of 8: preflight check (read-only)
# (the preamble)

# (sh/: would_change)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (7)

# 2. refuse to remove storage that script-glusterfs did not create
check_2() {
    set +e
    [ ! -e /var/lib/seatrial/made/script-glusterfs/mark ] || exit 0
    found=
    (
    export SEATRIAL_STUDY=script-glusterfs
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
! gluster --mode=script volume list | grep -x "$SEATRIAL_STUDY"
SEATRIAL
    )
    sh -euc "$script" volume-deleted.sh 3>&-
    ) >/dev/null 2>&1 ||
        would_change 'undo: create and start the volume' script-glusterfs /var/lib/seatrial/made/script-glusterfs/mark
    (
    export SEATRIAL_ADDRESS=s1
    export SEATRIAL_SERVER_ADDRESSES='s1 s2'
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# No other server of the study is a peer any more.
pool=$(gluster --mode=script pool list || true)
for address in $SEATRIAL_SERVER_ADDRESSES; do
    [ "$address" = "$SEATRIAL_ADDRESS" ] && continue
    if echo "$pool" | grep -q "[[:space:]]${address}[[:space:]]"; then exit 1; fi
done
SEATRIAL
    )
    sh -euc "$script" pool-left.sh 3>&-
    ) >/dev/null 2>&1 ||
        would_change 'undo: add every server to the pool' script-glusterfs /var/lib/seatrial/made/script-glusterfs/mark
    (
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# The daemon keeps running if another volume needs it.
systemctl -q is-active glusterd || exit 0
gluster --mode=script volume list | grep -qv '^No volumes present'
SEATRIAL
    )
    sh -euc "$script" glusterd-unneeded.sh 3>&-
    ) >/dev/null 2>&1 ||
        would_change 'undo: start glusterd' script-glusterfs /var/lib/seatrial/made/script-glusterfs/mark
    (
    export SEATRIAL_STUDY=script-glusterfs
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# No brick is mounted, now or at the next boot.
[ ! -d "/srv/$SEATRIAL_STUDY" ]
! grep " /srv/$SEATRIAL_STUDY/" /proc/mounts /etc/fstab
SEATRIAL
    )
    sh -euc "$script" bricks-unmounted.sh 3>&-
    ) >/dev/null 2>&1 ||
        would_change 'undo: mount every brick' script-glusterfs /var/lib/seatrial/made/script-glusterfs/mark
    [ -z "$found" ]
}
apply_2() { refuse; }

# 3. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc
# (3 steps)
##### stage 1, s2 #####
as on s1, but for:
@@ -15,26 +14,0 @@
##### stage 1, c[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 1 of 8: preflight check (read-only)
# (the preamble)

# (sh/: no_file no_fstab_line mounted_at is_unmounted would_change)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (7)

# 2. (steps.sh) refuse an occupied mount point: /mnt/script-glusterfs

# 3. refuse to remove storage that script-glusterfs did not create
check_3() {
    set +e
    [ ! -e /var/lib/seatrial/made/script-glusterfs/mark ] || exit 0
    found=
    (
    is_unmounted /mnt/script-glusterfs
    ) >/dev/null 2>&1 ||
        would_change 'unmount /mnt/script-glusterfs' script-glusterfs /var/lib/seatrial/made/script-glusterfs/mark
    (
    no_fstab_line /mnt/script-glusterfs
    ) >/dev/null 2>&1 ||
        would_change 'disable the mount of /mnt/script-glusterfs at boot' script-glusterfs /var/lib/seatrial/made/script-glusterfs/mark
    (
    no_file /run/seatrial-script-glusterfs.mount
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-script-glusterfs.mount' script-glusterfs /var/lib/seatrial/made/script-glusterfs/mark
    [ -z "$found" ]
}
apply_3() { refuse; }
# (3 steps)
##### stage 2, c[1-2],s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 2 of 8: remove boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# 1. remove the boot-time settings of network and mounts
check_1() {
    no_file /etc/systemd/system/seatrial-script-glusterfs-network.service /usr/local/sbin/seatrial-script-glusterfs-network /etc/systemd/system/seatrial-script-glusterfs-mounts.service /usr/local/sbin/seatrial-script-glusterfs-mounts
}
apply_1() {
    remove_unit seatrial-script-glusterfs-network /etc/systemd/system/seatrial-script-glusterfs-network.service
    rm -f /usr/local/sbin/seatrial-script-glusterfs-network
    remove_unit seatrial-script-glusterfs-mounts /etc/systemd/system/seatrial-script-glusterfs-mounts.service
    rm -f /usr/local/sbin/seatrial-script-glusterfs-mounts
}
# (1 steps)
##### stage 3, c[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 3 of 8: unmount
# (the preamble)

# (sh/: no_file no_fstab_line remove_fstab_line lines_of_others replace_fstab mounted_at unmount_all is_unmounted remove_mount)
# 1. unmount /mnt/script-glusterfs
check_1() { is_unmounted /mnt/script-glusterfs; }
apply_1() { remove_mount /mnt/script-glusterfs; }

# 2. disable the mount of /mnt/script-glusterfs at boot
check_2() { no_fstab_line /mnt/script-glusterfs; }
apply_2() { remove_fstab_line /mnt/script-glusterfs; }

# 3. remove /run/seatrial-script-glusterfs.mount
check_3() { no_file /run/seatrial-script-glusterfs.mount; }
apply_3() { rm -f /run/seatrial-script-glusterfs.mount; }
# (3 steps)
##### stage 4, s1 #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 4 of 8: undo: volume
# (the preamble)

# 1. undo: create and start the volume
check_1() {
    export SEATRIAL_STUDY=script-glusterfs
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
! gluster --mode=script volume list | grep -x "$SEATRIAL_STUDY"
SEATRIAL
    )
    sh -euc "$script" volume-deleted.sh 3>&-
}
apply_1() {
    export SEATRIAL_STUDY=script-glusterfs
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# The files stay on the bricks.
gluster --mode=script volume stop "$SEATRIAL_STUDY" force || true
gluster --mode=script volume delete "$SEATRIAL_STUDY"
SEATRIAL
    )
    sh -euc "$script" delete-volume.sh 3>&-
}
# (1 steps)
##### stage 5, s1 #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 5 of 8: undo: pool
# (the preamble)

# 1. undo: add every server to the pool
check_1() {
    export SEATRIAL_ADDRESS=s1
    export SEATRIAL_SERVER_ADDRESSES='s1 s2'
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# No other server of the study is a peer any more.
pool=$(gluster --mode=script pool list || true)
for address in $SEATRIAL_SERVER_ADDRESSES; do
    [ "$address" = "$SEATRIAL_ADDRESS" ] && continue
    if echo "$pool" | grep -q "[[:space:]]${address}[[:space:]]"; then exit 1; fi
done
SEATRIAL
    )
    sh -euc "$script" pool-left.sh 3>&-
}
apply_1() {
    export SEATRIAL_ADDRESS=s1
    export SEATRIAL_SERVER_ADDRESSES='s1 s2'
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
for address in $SEATRIAL_SERVER_ADDRESSES; do
    [ "$address" = "$SEATRIAL_ADDRESS" ] || gluster --mode=script peer detach "$address"
done
SEATRIAL
    )
    sh -euc "$script" leave-pool.sh 3>&-
}
# (1 steps)
##### stage 6, s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 6 of 8: undo: management daemon
# (the preamble)

# 1. undo: start glusterd
check_1() {
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# The daemon keeps running if another volume needs it.
systemctl -q is-active glusterd || exit 0
gluster --mode=script volume list | grep -qv '^No volumes present'
SEATRIAL
    )
    sh -euc "$script" glusterd-unneeded.sh 3>&-
}
apply_1() {
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
systemctl stop glusterd
systemctl -q --no-reload disable glusterd
SEATRIAL
    )
    sh -euc "$script" stop-glusterd.sh 3>&-
}
# (1 steps)
##### stage 7, s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 7 of 8: undo: bricks
# (the preamble)

# 1. undo: mount every brick
check_1() {
    export SEATRIAL_STUDY=script-glusterfs
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# No brick is mounted, now or at the next boot.
[ ! -d "/srv/$SEATRIAL_STUDY" ]
! grep " /srv/$SEATRIAL_STUDY/" /proc/mounts /etc/fstab
SEATRIAL
    )
    sh -euc "$script" bricks-unmounted.sh 3>&-
}
apply_1() {
    export SEATRIAL_STUDY=script-glusterfs
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# The data stay. The next volume would refuse a directory that is marked as part of a volume.
for brick in "/srv/$SEATRIAL_STUDY"/*; do
    if mountpoint -q "$brick"; then
        for attribute in trusted.glusterfs.volume-id trusted.gfid; do
            setfattr -x "$attribute" "$brick/data" || true
        done
        umount "$brick"
    fi
    rmdir "$brick"
done
rmdir "/srv/$SEATRIAL_STUDY"
sed -i "\\# /srv/$SEATRIAL_STUDY/#d" /etc/fstab
SEATRIAL
    )
    sh -euc "$script" unmount-bricks.sh 3>&-
}
# (1 steps)
##### stage 8, s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 8 of 8: remove the mark
# (the preamble)

# (sh/: mtus_are_restored restore_mtus)
# 1. restore the MTU of links
check_1() { mtus_are_restored /var/lib/seatrial/made/script-glusterfs/before; }
apply_1() { restore_mtus /var/lib/seatrial/made/script-glusterfs/before; }

# 2. remove the mark of script-glusterfs
check_2() { [ ! -e /var/lib/seatrial/made/script-glusterfs/mark ]; }
apply_2() { rm /var/lib/seatrial/made/script-glusterfs/mark; }
# (2 steps)
##### stage 8, c[1-2] #####
as on s[1-2], but for:
@@ -12,2 +12,7 @@
+check_2() {
+    [ ! -e /var/lib/seatrial/made/script-glusterfs/mark ] && [ ! -e /var/lib/seatrial/made/script-glusterfs/left ]
+}
+apply_2() {
+    rm -f /var/lib/seatrial/made/script-glusterfs/mark /var/lib/seatrial/made/script-glusterfs/left
+    rmdir /var/lib/seatrial/made/script-glusterfs 2>/dev/null || true
+}
