##### stage 1, c[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 1 of 5: unmount
# (the preamble)

# 1. no mount of /mnt/script-glusterfs at boot
check_1() {
    ! grep -q ' /mnt/script-glusterfs ' /etc/fstab
}
guard_1() { :; }
apply_1() {
    sed -i '\# /mnt/script-glusterfs #d' /etc/fstab
}

# 2. unmount /mnt/script-glusterfs
check_2() {
    ! grep -q ' /mnt/script-glusterfs ' /proc/mounts && [ ! -d /mnt/script-glusterfs ]
}
guard_2() { :; }
apply_2() {
    while grep -q ' /mnt/script-glusterfs ' /proc/mounts; do umount /mnt/script-glusterfs; done
    [ ! -d /mnt/script-glusterfs ] || rmdir /mnt/script-glusterfs
}

# 3. remove /run/seatrial-script-glusterfs.mount
check_3() {
    [ ! -e /run/seatrial-script-glusterfs.mount ]
}
guard_3() { :; }
apply_3() {
    rm -f /run/seatrial-script-glusterfs.mount
}

main() {
    step 1
    step 2
    step 3
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 2, s1 #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 2 of 5: undo: volume
# (the preamble)

# 1. undo: have the volume, started
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

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 3, s1 #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 3 of 5: undo: pool
# (the preamble)

# 1. undo: have every server in the pool
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

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 4, s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 4 of 5: undo: management daemon
# (the preamble)

# 1. undo: have glusterd run
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

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 5, s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: take out of service: GlusterFS volume
# stage 5 of 5: undo: bricks
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

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
