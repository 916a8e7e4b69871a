##### stage 1, s1 #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 1 of 8: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (6)

# 2. refuse to remove storage that script-glusterfs did not create
check_2() {
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
    ) >/dev/null 2>&1 || found='undo: create and start the volume'
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
    ) >/dev/null 2>&1 || found='undo: add every server to the pool'
    (
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# Where another volume needs the daemon, it goes on.
systemctl -q is-active glusterd || exit 0
gluster --mode=script volume list | grep -qv '^No volumes present'
SEATRIAL
    )
    sh -euc "$script" glusterd-unneeded.sh 3>&-
    ) >/dev/null 2>&1 || found='undo: start glusterd'
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
    ) >/dev/null 2>&1 || found='undo: mount every brick'
    [ -z "$found" ]
}
guard_2() { :; }
apply_2() {
    echo "refused: script-glusterfs has made nothing on this node (/var/lib/seatrial/made/script-glusterfs/mark is missing); this would be done:"
    (
    export SEATRIAL_STUDY=script-glusterfs
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
! gluster --mode=script volume list | grep -x "$SEATRIAL_STUDY"
SEATRIAL
    )
    sh -euc "$script" volume-deleted.sh 3>&-
    ) >/dev/null 2>&1 || echo '  undo: create and start the volume'
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
    ) >/dev/null 2>&1 || echo '  undo: add every server to the pool'
    (
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# Where another volume needs the daemon, it goes on.
systemctl -q is-active glusterd || exit 0
gluster --mode=script volume list | grep -qv '^No volumes present'
SEATRIAL
    )
    sh -euc "$script" glusterd-unneeded.sh 3>&-
    ) >/dev/null 2>&1 || echo '  undo: start glusterd'
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
    ) >/dev/null 2>&1 || echo '  undo: mount every brick'
    exit 1
}

# 3. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc
# (3 steps)
##### stage 1, s2 #####
as on s1, but for:
@@ -13,24 +12,0 @@
@@ -64,24 +39,0 @@
##### stage 1, c[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 1 of 8: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (6)

# 2. (steps.sh) refuse an occupied mount point: /mnt/script-glusterfs

# 3. refuse to remove storage that script-glusterfs did not create
check_3() {
    [ ! -e /var/lib/seatrial/made/script-glusterfs/mark ] || exit 0
    found=
    (
    ! grep -q ' /mnt/script-glusterfs ' /proc/mounts && [ ! -d /mnt/script-glusterfs ]
    ) >/dev/null 2>&1 || found='unmount /mnt/script-glusterfs'
    (
    awk '!($1 ~ /^#/ || $2 != "/mnt/script-glusterfs") { found = 1 } END { exit found }' /etc/fstab
    ) >/dev/null 2>&1 || found='disable the mount of /mnt/script-glusterfs at boot'
    (
    [ ! -e /run/seatrial-script-glusterfs.mount ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-script-glusterfs.mount'
    [ -z "$found" ]
}
guard_3() { :; }
apply_3() {
    echo "refused: script-glusterfs has made nothing on this node (/var/lib/seatrial/made/script-glusterfs/mark is missing); this would be done:"
    (
    ! grep -q ' /mnt/script-glusterfs ' /proc/mounts && [ ! -d /mnt/script-glusterfs ]
    ) >/dev/null 2>&1 || echo '  unmount /mnt/script-glusterfs'
    (
    awk '!($1 ~ /^#/ || $2 != "/mnt/script-glusterfs") { found = 1 } END { exit found }' /etc/fstab
    ) >/dev/null 2>&1 || echo '  disable the mount of /mnt/script-glusterfs at boot'
    (
    [ ! -e /run/seatrial-script-glusterfs.mount ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-script-glusterfs.mount'
    exit 1
}
# (3 steps)
##### stage 2, c[1-2],s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 2 of 8: remove boot-time settings
# (the preamble)

# 1. remove the boot-time settings of network and mounts
check_1() {
    [ ! -e /etc/systemd/system/seatrial-script-glusterfs-network.service ] && [ ! -e /usr/local/sbin/seatrial-script-glusterfs-network ] && [ ! -e /etc/systemd/system/seatrial-script-glusterfs-mounts.service ] && [ ! -e /usr/local/sbin/seatrial-script-glusterfs-mounts ]
}
guard_1() { :; }
apply_1() {
    [ ! -e /etc/systemd/system/seatrial-script-glusterfs-network.service ] || {
        systemctl -q --no-reload disable seatrial-script-glusterfs-network
        systemctl stop seatrial-script-glusterfs-network
        rm /etc/systemd/system/seatrial-script-glusterfs-network.service
        [ "$(systemctl show --property=NeedDaemonReload --value seatrial-script-glusterfs-network.service)" = no ] || systemctl daemon-reload
    }
    rm -f /usr/local/sbin/seatrial-script-glusterfs-network
    [ ! -e /etc/systemd/system/seatrial-script-glusterfs-mounts.service ] || {
        systemctl -q --no-reload disable seatrial-script-glusterfs-mounts
        systemctl stop seatrial-script-glusterfs-mounts
        rm /etc/systemd/system/seatrial-script-glusterfs-mounts.service
        [ "$(systemctl show --property=NeedDaemonReload --value seatrial-script-glusterfs-mounts.service)" = no ] || systemctl daemon-reload
    }
    rm -f /usr/local/sbin/seatrial-script-glusterfs-mounts
}
# (1 steps)
##### stage 3, c[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 3 of 8: unmount
# (the preamble)

# 1. unmount /mnt/script-glusterfs
check_1() {
    ! grep -q ' /mnt/script-glusterfs ' /proc/mounts && [ ! -d /mnt/script-glusterfs ]
}
guard_1() { :; }
apply_1() {
    while grep -q ' /mnt/script-glusterfs ' /proc/mounts; do umount /mnt/script-glusterfs; done
    [ ! -d /mnt/script-glusterfs ] || rmdir /mnt/script-glusterfs
}

# 2. disable the mount of /mnt/script-glusterfs at boot
check_2() {
    awk '!($1 ~ /^#/ || $2 != "/mnt/script-glusterfs") { found = 1 } END { exit found }' /etc/fstab
}
guard_2() { :; }
apply_2() {
    awk '$1 ~ /^#/ || $2 != "/mnt/script-glusterfs"' /etc/fstab >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 3. remove /run/seatrial-script-glusterfs.mount
check_3() {
    [ ! -e /run/seatrial-script-glusterfs.mount ]
}
guard_3() { :; }
apply_3() {
    rm -f /run/seatrial-script-glusterfs.mount
}
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
guard_1() { :; }
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
guard_1() { :; }
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
# Where another volume needs the daemon, it goes on.
systemctl -q is-active glusterd || exit 0
gluster --mode=script volume list | grep -qv '^No volumes present'
SEATRIAL
    )
    sh -euc "$script" glusterd-unneeded.sh 3>&-
}
guard_1() { :; }
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
guard_1() { :; }
apply_1() {
    export SEATRIAL_STUDY=script-glusterfs
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# The data stay. A directory that says that it is part of a volume would be refused by the next one.
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

# 1. restore the MTU of links
check_1() {
    for kept in /var/lib/seatrial/made/script-glusterfs/before/mtu-*; do [ ! -e $kept ] || exit 1; done
}
guard_1() { :; }
apply_1() {
    for kept in /var/lib/seatrial/made/script-glusterfs/before/mtu-*; do
        read -r was ours <$kept
        link=${kept##*/mtu-}
        read -r now </sys/class/net/$link/mtu || now=
        [ "$now" != "$ours" ] || ip link set dev "$link" mtu "$was"
        rm $kept
    done
}

# 2. remove the mark of script-glusterfs
check_2() {
    [ ! -e /var/lib/seatrial/made/script-glusterfs/mark ]
}
guard_2() { :; }
apply_2() {
    rm /var/lib/seatrial/made/script-glusterfs/mark
}
# (2 steps)
##### stage 8, c[1-2] #####
as on s[1-2], but for:
@@ -23 +23 @@
+    [ ! -e /var/lib/seatrial/made/script-glusterfs/mark ] && [ ! -e /var/lib/seatrial/made/script-glusterfs/left ]
@@ -27 +27,2 @@
+    rm -f /var/lib/seatrial/made/script-glusterfs/mark /var/lib/seatrial/made/script-glusterfs/left
+    rmdir /var/lib/seatrial/made/script-glusterfs 2>/dev/null || true
