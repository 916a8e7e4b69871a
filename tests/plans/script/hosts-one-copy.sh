##### stage 1, s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 1 of 11: look, and change nothing
# (the preamble)

# (look.sh)
# 1. follow no link
check_1() {
    set +e
    no_planted script-glusterfs
}
guard_1() { :; }
apply_1() {
    set +e
    no_planted script-glusterfs
    exit 1
}

# 2. leave other clusters alone
check_2() {
    set +e
    no_other_cluster script-glusterfs script-glusterfs
}
guard_2() { :; }
apply_2() {
    set +e
    no_other_cluster script-glusterfs script-glusterfs
    exit 1
}

# 3. use no disk twice
check_3() {
    set +e
    look_twice /dev/sdb /dev/sdc
}
guard_3() { :; }
apply_3() {
    set +e
    look_twice /dev/sdb /dev/sdc
    exit 1
}

# 4. overwrite nothing that is somebody's: make an XFS on every disk
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
    ) >/dev/null 2>&1 && exit 0
    look_disks script-glusterfs '' '' /dev/sdb /dev/sdc
}
guard_4() { :; }
apply_4() {
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
    ) >/dev/null 2>&1 && exit 0
    look_disks script-glusterfs '' '' /dev/sdb /dev/sdc
    exit 1
}

main() {
    step 1
    step 2
    step 3
    step 4
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 1, c[1-2] #####
as on s[1-2], but for:
@@ -19 +19 @@
+# 2. mount over nothing: /mnt/script-glusterfs
@@ -22 +22 @@
+    no_other_mount script-glusterfs /mnt/script-glusterfs
@@ -27 +27 @@
+    no_other_mount script-glusterfs /mnt/script-glusterfs
@@ -31 +31 @@
+# 3. leave other clusters alone
@@ -34 +34 @@
+    no_other_cluster script-glusterfs script-glusterfs
@@ -39,41 +39 @@
+    no_other_cluster script-glusterfs script-glusterfs
@@ -87 +46,0 @@
##### stage 2, c[1-2],s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 2 of 11: mark
# (the preamble)

# 1. note that script-glusterfs builds on this node
check_1() {
    [ -e /var/lib/seatrial/made/script-glusterfs/mark ]
}
guard_1() { :; }
apply_1() {
    umask 077
    mkdir -p /var/lib/seatrial/made/script-glusterfs
    chmod 700 /var/lib/seatrial/made /var/lib/seatrial/made/script-glusterfs
    : >/var/lib/seatrial/made/script-glusterfs/left
    : >/var/lib/seatrial/made/script-glusterfs/mark
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 3, s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 3 of 11: packages
# (the preamble)

# 1. have glusterd, mkfs.xfs, setfattr
check_1() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v glusterd >/dev/null &&
    command -v mkfs.xfs >/dev/null &&
    command -v setfattr >/dev/null
}
guard_1() { :; }
apply_1() {
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends attr glusterfs-server xfsprogs
    else
        dnf install -y attr glusterfs-server xfsprogs
    fi
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 3, c[1-2] #####
as on s[1-2], but for:
@@ -6 +6 @@
+# 1. have mount.glusterfs
@@ -9,3 +9 @@
+    command -v mount.glusterfs >/dev/null
@@ -16 +14 @@
+        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends glusterfs-client
@@ -18 +16 @@
+        dnf install -y glusterfs-client
##### stage 4, s1 #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 4 of 11: network
# (the preamble)

# 1. MTU 9000 on the link towards c1
#    why: fewer and larger packets cost both ends less per byte; every node, and the switch, must agree
check_1() {
    peer=$(getent ahostsv4 c1 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
    link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
    read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
}
guard_1() { :; }
apply_1() {
    peer=$(getent ahostsv4 c1 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
    link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
    (
        umask 077
        mkdir -p /var/lib/seatrial/made/script-glusterfs/before
        if [ -e "/var/lib/seatrial/made/script-glusterfs/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/script-glusterfs/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
        echo "$was 9000" >"/var/lib/seatrial/made/script-glusterfs/before/mtu-$link"
    )
    ip link set dev "$link" mtu 9000
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 4, c[1-2],s2 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. MTU 9000 on the link towards s1
@@ -9 +9 @@
+    peer=$(getent ahostsv4 s1 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -15 +15 @@
+    peer=$(getent ahostsv4 s1 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
##### stage 5, s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 5 of 11: bricks
# (the preamble)

# 1. make an XFS on every disk
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
guard_1() { all_must_be_blank /dev/sdb /dev/sdc; }
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

# 2. mount every brick
check_2() {
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
guard_2() { :; }
apply_2() {
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

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 6, s[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 6 of 11: management daemon
# (the preamble)

# 1. have glusterd run
check_1() {
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
systemctl -q is-active glusterd
systemctl -q is-enabled glusterd
SEATRIAL
    )
    sh -euc "$script" glusterd-runs.sh 3>&-
}
guard_1() { :; }
apply_1() {
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
systemctl -q --no-reload enable glusterd
systemctl start glusterd
SEATRIAL
    )
    sh -euc "$script" start-glusterd.sh 3>&-
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 7, s1 #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 7 of 11: pool
# (the preamble)

# 1. have every server in the pool
check_1() {
    export SEATRIAL_ADDRESS=s1
    export SEATRIAL_SERVER_ADDRESSES='s1 s2'
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# Every server is a peer, and is there.
pool=$(gluster --mode=script pool list)
for address in $SEATRIAL_SERVER_ADDRESSES; do
    [ "$address" = "$SEATRIAL_ADDRESS" ] || echo "$pool" | grep -q "[[:space:]]${address}[[:space:]]*Connected"
done
SEATRIAL
    )
    sh -euc "$script" pool-whole.sh 3>&-
}
guard_1() { :; }
apply_1() {
    export SEATRIAL_ADDRESS=s1
    export SEATRIAL_SERVER_ADDRESSES='s1 s2'
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# Peers tell each other what they know before they are of any use: that takes some seconds.
for address in $SEATRIAL_SERVER_ADDRESSES; do
    [ "$address" = "$SEATRIAL_ADDRESS" ] && continue
    gluster --mode=script peer probe "$address"
    tries=0
    until gluster --mode=script peer status | grep -A2 "^Hostname: $address\$" |
        grep -q 'State: Peer in Cluster (Connected)'; do
        tries=$((tries + 1))
        [ "$tries" -lt 60 ]
        sleep 0.5
    done
done
SEATRIAL
    )
    sh -euc "$script" join-pool.sh 3>&-
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 8, s1 #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 8 of 11: volume
# (the preamble)

# 1. have the volume, started
check_1() {
    export SEATRIAL_STUDY=script-glusterfs
    export REPLICA=1
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
# The volume is started, with so many copies, and every brick of it is up.
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
guard_1() { :; }
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

# 2. have clients give up a silent server after PING_TIMEOUT seconds
#    why: until then every client that has to do with the server waits; to connect again costs much, too
check_2() {
    export SEATRIAL_STUDY=script-glusterfs
    export PING_TIMEOUT=10
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
gluster --mode=script volume get "$SEATRIAL_STUDY" network.ping-timeout |
    grep -q "^network.ping-timeout  *$PING_TIMEOUT\( \|\$\)"
SEATRIAL
    )
    sh -euc "$script" ping-timeout-set.sh 3>&-
}
guard_2() { :; }
apply_2() {
    export SEATRIAL_STUDY=script-glusterfs
    export PING_TIMEOUT=10
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
gluster --mode=script volume set "$SEATRIAL_STUDY" network.ping-timeout "$PING_TIMEOUT"
SEATRIAL
    )
    sh -euc "$script" set-ping-timeout.sh 3>&-
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 9, c[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 9 of 11: FUSE
# (the preamble)

# 1. have the kernel offer FUSE
check_1() {
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
[ -e /dev/fuse ]
SEATRIAL
    )
    sh -euc "$script" fuse-loaded.sh 3>&-
}
guard_1() { :; }
apply_1() {
    script=$(cat <<'SEATRIAL'
#!/bin/sh -eu
modprobe fuse
SEATRIAL
    )
    sh -euc "$script" load-fuse.sh 3>&-
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 10, c[1-2] #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 10 of 11: mount
# (the preamble)

# 1. mount /mnt/script-glusterfs at every boot
check_1() {
    grep -qxF 's1,s2:/script-glusterfs /mnt/script-glusterfs glusterfs noatime,_netdev 0 0' /etc/fstab
}
guard_1() { :; }
apply_1() {
    { grep -v ' /mnt/script-glusterfs ' /etc/fstab || true; echo 's1,s2:/script-glusterfs /mnt/script-glusterfs glusterfs noatime,_netdev 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 2. mount s1,s2:/script-glusterfs at /mnt/script-glusterfs with noatime
check_2() {
    { read -r asked && read -r line; } </run/seatrial-script-glusterfs.mount &&
    [ "$asked" = 's1,s2:/script-glusterfs glusterfs noatime' ] && [ "$(grep " /mnt/script-glusterfs " /proc/mounts)" = "$line" ]
}
guard_2() { :; }
apply_2() {
    while grep -q ' /mnt/script-glusterfs ' /proc/mounts; do umount /mnt/script-glusterfs; done
    mkdir -p /mnt/script-glusterfs
    mount -t glusterfs -o noatime s1,s2:/script-glusterfs /mnt/script-glusterfs 3>&-
    { echo 's1,s2:/script-glusterfs glusterfs noatime'; grep ' /mnt/script-glusterfs ' /proc/mounts; } >/run/seatrial-script-glusterfs.mount
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 11, s1 #####
#!/bin/sh
# Seatrial plan script-glusterfs: GlusterFS volume: 2 servers for 2 clients
# stage 11 of 11: after every boot
# (the preamble)

# 1. write /usr/local/sbin/seatrial-script-glusterfs-network
check_1() {
    cmp -s /usr/local/sbin/seatrial-script-glusterfs-network - <<'SEATRIAL'
#!/bin/sh
# What script-glusterfs has set on this node, after a boot.
bad=0
# MTU 9000 on the link towards c1
if ! (
peer=$(getent ahostsv4 c1 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
) >/dev/null 2>&1; then
(
set -e
peer=$(getent ahostsv4 c1 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
(
    umask 077
    mkdir -p /var/lib/seatrial/made/script-glusterfs/before
    if [ -e "/var/lib/seatrial/made/script-glusterfs/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/script-glusterfs/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
    echo "$was 9000" >"/var/lib/seatrial/made/script-glusterfs/before/mtu-$link"
)
ip link set dev "$link" mtu 9000
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
guard_1() { :; }
apply_1() {
    mkdir -p /usr/local/sbin
    cat >/usr/local/sbin/seatrial-script-glusterfs-network.new <<'SEATRIAL' || { rm -f /usr/local/sbin/seatrial-script-glusterfs-network.new; exit 1; }
#!/bin/sh
# What script-glusterfs has set on this node, after a boot.
bad=0
# MTU 9000 on the link towards c1
if ! (
peer=$(getent ahostsv4 c1 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
) >/dev/null 2>&1; then
(
set -e
peer=$(getent ahostsv4 c1 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
(
    umask 077
    mkdir -p /var/lib/seatrial/made/script-glusterfs/before
    if [ -e "/var/lib/seatrial/made/script-glusterfs/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/script-glusterfs/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
    echo "$was 9000" >"/var/lib/seatrial/made/script-glusterfs/before/mtu-$link"
)
ip link set dev "$link" mtu 9000
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
    chmod 755 /usr/local/sbin/seatrial-script-glusterfs-network.new
    mv /usr/local/sbin/seatrial-script-glusterfs-network.new /usr/local/sbin/seatrial-script-glusterfs-network
    ! systemctl -q is-active seatrial-script-glusterfs-network || systemctl restart seatrial-script-glusterfs-network
}

# 2. write /etc/systemd/system/seatrial-script-glusterfs-network.service
check_2() {
    [ ! -d /run/systemd/system ] || {
    cmp -s /etc/systemd/system/seatrial-script-glusterfs-network.service - <<'SEATRIAL'
[Unit]
Description=what script-glusterfs has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-script-glusterfs-network
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
    }
}
guard_2() { :; }
apply_2() {
    mkdir -p /etc/systemd/system
    cat >/etc/systemd/system/seatrial-script-glusterfs-network.service.new <<'SEATRIAL' || { rm -f /etc/systemd/system/seatrial-script-glusterfs-network.service.new; exit 1; }
[Unit]
Description=what script-glusterfs has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-script-glusterfs-network
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
    mv /etc/systemd/system/seatrial-script-glusterfs-network.service.new /etc/systemd/system/seatrial-script-glusterfs-network.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-script-glusterfs-network.service)" = no ] || systemctl daemon-reload
    ! systemctl -q is-active seatrial-script-glusterfs-network || systemctl restart seatrial-script-glusterfs-network
}

# 3. have the settings of network outlive a boot
#    why: a node that was fenced has to come back as it was
check_3() {
    [ ! -d /run/systemd/system ] || {
    systemctl -q is-active seatrial-script-glusterfs-network && systemctl -q is-enabled seatrial-script-glusterfs-network
    }
}
guard_3() { :; }
apply_3() {
    systemctl -q --no-reload enable seatrial-script-glusterfs-network
    systemctl start seatrial-script-glusterfs-network
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
##### stage 11, c[1-2],s2 #####
as on s1, but for:
@@ -12 +12 @@
+# MTU 9000 on the link towards s1
@@ -14 +14 @@
+peer=$(getent ahostsv4 s1 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -20 +20 @@
+peer=$(getent ahostsv4 s1 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -42 +42 @@
+# MTU 9000 on the link towards s1
@@ -44 +44 @@
+peer=$(getent ahostsv4 s1 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -50 +50 @@
+peer=$(getent ahostsv4 s1 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
