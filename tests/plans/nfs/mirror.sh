##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 1 of 9: look, and change nothing
# (the preamble)

# (look.sh)
# 1. follow no link
check_1() {
    set +e
    no_planted small
}
guard_1() { :; }
apply_1() {
    set +e
    no_planted small
    exit 1
}

# 2. mount over nothing: /srv/small
check_2() {
    set +e
    no_other_mount small /srv/small
}
guard_2() { :; }
apply_2() {
    set +e
    no_other_mount small /srv/small
    exit 1
}

# 3. leave other NFS exports alone: /srv/small
check_3() {
    set +e
    no_other_exports small /srv/small
}
guard_3() { :; }
apply_3() {
    set +e
    no_other_exports small /srv/small
    exit 1
}

# 4. leave other clusters alone
check_4() {
    set +e
    no_other_cluster small small
}
guard_4() { :; }
apply_4() {
    set +e
    no_other_cluster small small
    exit 1
}

# 5. use no disk twice
check_5() {
    set +e
    look_twice /dev/ubdb /dev/ubdc
}
guard_5() { :; }
apply_5() {
    set +e
    look_twice /dev/ubdb /dev/ubdc
    exit 1
}

# 6. overwrite nothing that is somebody's: create small: RAID 1
check_6() {
    set +e
    (
    [ -b /dev/md/small ] && set_=$(readlink -f /dev/md/small) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid1 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 2 ]
    ) >/dev/null 2>&1 && exit 0
    look_disks small any:small '' /dev/ubdb /dev/ubdc
}
guard_6() { :; }
apply_6() {
    set +e
    (
    [ -b /dev/md/small ] && set_=$(readlink -f /dev/md/small) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid1 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 2 ]
    ) >/dev/null 2>&1 && exit 0
    look_disks small any:small '' /dev/ubdb /dev/ubdc
    exit 1
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    step 6
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -19 +19 @@
+# 2. mount over nothing: /mnt/small
@@ -22 +22 @@
+    no_other_mount small /mnt/small
@@ -27 +27 @@
+    no_other_mount small /mnt/small
@@ -31 +31 @@
+# 3. leave other clusters alone
@@ -34 +34 @@
+    no_other_cluster small small
@@ -39,7 +38,0 @@
@@ -47,39 +39,0 @@
@@ -93,3 +46,0 @@
##### stage 2, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 2 of 9: mark
# (the preamble)

# (kept.sh)
# 1. note that small builds on this node
check_1() {
    [ -e /var/lib/seatrial/made/small/mark ]
}
guard_1() { :; }
apply_1() {
    umask 077
    mkdir -p /var/lib/seatrial/made/small
    chmod 700 /var/lib/seatrial/made /var/lib/seatrial/made/small
    : >/var/lib/seatrial/made/small/left
    : >/var/lib/seatrial/made/small/mark
}

# 2. keep how nfs-server is
check_2() {
    units_are_kept /var/lib/seatrial/made/small/before/units nfs-server.service
}
guard_2() { :; }
apply_2() {
    keep_units /var/lib/seatrial/made/small/before/units nfs-server.service
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 2, c[1-4] #####
as on nas, but for:
@@ -6 +5,0 @@
@@ -20,9 +18,0 @@
@@ -31 +20,0 @@
##### stage 3, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 3 of 9: packages
# (the preamble)

# 1. have exportfs, wipefs, mdadm, mkfs.ext4
check_1() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v exportfs >/dev/null &&
    command -v wipefs >/dev/null &&
    command -v mdadm >/dev/null &&
    command -v mkfs.ext4 >/dev/null
}
guard_1() { :; }
apply_1() {
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends e2fsprogs mdadm nfs-kernel-server util-linux
    else
        dnf install -y e2fsprogs mdadm nfs-utils util-linux
    fi
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 3, c[1-4] #####
as on nas, but for:
@@ -6 +6 @@
+# 1. have mount.nfs
@@ -9,4 +9 @@
+    command -v mount.nfs >/dev/null
@@ -17 +14 @@
+        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends nfs-common
@@ -19 +16 @@
+        dnf install -y nfs-utils
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 4 of 9: network
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
        mkdir -p /var/lib/seatrial/made/small/before
        if [ -e "/var/lib/seatrial/made/small/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/small/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
        echo "$was 9000" >"/var/lib/seatrial/made/small/before/mtu-$link"
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
##### stage 4, c[1-4] #####
as on nas, but for:
@@ -6 +6 @@
+# 1. MTU 9000 on the link towards nas
@@ -9 +9 @@
+    peer=$(getent ahostsv4 nas | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -15 +15 @@
+    peer=$(getent ahostsv4 nas | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 5 of 9: array
# (the preamble)

# 1. assemble small where it exists already
check_1() {
    ! { { [ ! -b /dev/md/small ] && mdadm --examine --export /dev/ubdb 2>/dev/null | grep -q '^MD_NAME=any:small$'; }; }
}
guard_1() { :; }
apply_1() {
    [ -b /dev/md/small ] || mdadm --assemble /dev/md/small /dev/ubdb /dev/ubdc
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/small
}

# 2. create small: RAID 1
#    why: the devices are new and hold zeros, so parity is consistent and no initial synchronisation runs
check_2() {
    [ -b /dev/md/small ] && set_=$(readlink -f /dev/md/small) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid1 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 2 ]
}
guard_2() { all_must_be_blank /dev/ubdb /dev/ubdc; }
apply_2() {
    modprobe raid1 || true
    pids=
    mdadm --create /dev/md/small --run --metadata=1.2 --homehost=any --name=small --level=1 \
        --raid-devices=2 --assume-clean /dev/ubdb /dev/ubdc & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/small
}

# 3. assemble the array at every boot
check_3() {
    cmp -s /etc/mdadm/mdadm.conf.d/seatrial-small.conf - <<'SEATRIAL'
ARRAY /dev/md/small metadata=1.2 name=any:small
SEATRIAL
}
guard_3() { :; }
apply_3() {
    mkdir -p /etc/mdadm/mdadm.conf.d
    cat >/etc/mdadm/mdadm.conf.d/seatrial-small.conf.new <<'SEATRIAL' || { rm -f /etc/mdadm/mdadm.conf.d/seatrial-small.conf.new; exit 1; }
ARRAY /dev/md/small metadata=1.2 name=any:small
SEATRIAL
    mv /etc/mdadm/mdadm.conf.d/seatrial-small.conf.new /etc/mdadm/mdadm.conf.d/seatrial-small.conf
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
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 6 of 9: file system
# (the preamble)

# 1. make the ext4 file system on /dev/md/small
#    why: the file system knows the stripe (64KiB), so that allocation is aligned to it; all tables are written now, not behind the first load
check_1() {
    [ "$(blkid -p -o value -s LABEL /dev/md/small)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/md/small)" = ext4 ]
}
guard_1() { all_must_be_blank /dev/md/small; }
apply_1() {
    mkfs.ext4 -q -b 4096 -L st-small -E lazy_itable_init=0,lazy_journal_init=0,stride=16,stripe_width=16 /dev/md/small
}

# 2. mount /srv/small at every boot
check_2() {
    grep -qxF '/dev/md/small /srv/small ext4 noatime,nofail 0 0' /etc/fstab
}
guard_2() { :; }
apply_2() {
    { grep -v ' /srv/small ' /etc/fstab || true; echo '/dev/md/small /srv/small ext4 noatime,nofail 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 3. mount it at /srv/small with noatime
check_3() {
    grep -q ' /srv/small ext4 ' /proc/mounts &&
    { read -r asked && read -r line; } </run/seatrial-small.filesystem &&
    [ "$asked" = noatime ] && [ "$(grep " /srv/small " /proc/mounts)" = "$line" ]
}
guard_3() { :; }
apply_3() {
    modprobe ext4 2>/dev/null || true
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

# 4. /dev/md/small reads ahead as it did before
check_4() {
    [ ! -e /run/seatrial-small.filesystem-readahead ]
}
guard_4() { :; }
apply_4() {
    if read -r ahead </run/seatrial-small.filesystem-readahead; then echo $ahead >/sys/class/bdi/$(mountpoint -d /srv/small)/read_ahead_kb; fi
    rm /run/seatrial-small.filesystem-readahead
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
##### stage 7, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 7 of 9: export
# (the preamble)

# 1. export /srv/small to the clients
check_1() {
    cmp -s /etc/exports.d/seatrial-small.exports - <<'SEATRIAL'
/srv/small c1(rw,sync,no_root_squash,no_subtree_check) c2(rw,sync,no_root_squash,no_subtree_check) c3(rw,sync,no_root_squash,no_subtree_check) c4(rw,sync,no_root_squash,no_subtree_check)
SEATRIAL
}
guard_1() { :; }
apply_1() {
    mkdir -p /etc/exports.d
    cat >/etc/exports.d/seatrial-small.exports.new <<'SEATRIAL' || { rm -f /etc/exports.d/seatrial-small.exports.new; exit 1; }
/srv/small c1(rw,sync,no_root_squash,no_subtree_check) c2(rw,sync,no_root_squash,no_subtree_check) c3(rw,sync,no_root_squash,no_subtree_check) c4(rw,sync,no_root_squash,no_subtree_check)
SEATRIAL
    mv /etc/exports.d/seatrial-small.exports.new /etc/exports.d/seatrial-small.exports
}

# 2. at every boot 16 nfsd threads, a lease and a grace of 90 s
check_2() {
    cmp -s /etc/nfs.conf.d/seatrial-small.conf - <<'SEATRIAL'
[nfsd]
threads=16
lease-time=90
grace-time=90
SEATRIAL
}
guard_2() { :; }
apply_2() {
    mkdir -p /etc/nfs.conf.d
    cat >/etc/nfs.conf.d/seatrial-small.conf.new <<'SEATRIAL' || { rm -f /etc/nfs.conf.d/seatrial-small.conf.new; exit 1; }
[nfsd]
threads=16
lease-time=90
grace-time=90
SEATRIAL
    mv /etc/nfs.conf.d/seatrial-small.conf.new /etc/nfs.conf.d/seatrial-small.conf
}

# 3. have the NFS service run 16 threads
#    why: one thread serves one request at a time: with too few, clients wait for each other
check_3() {
    [ -e /proc/fs/nfsd/threads ] && read -r threads </proc/fs/nfsd/threads &&
    [ "$threads" = 16 ]
}
guard_3() { :; }
apply_3() {
    if systemctl -q is-active nfs-server; then rpc.nfsd 16; else systemctl -q --no-reload enable nfs-server; systemctl start nfs-server; fi
}

# 4. have NFSv4 leases and a grace of 90 s
#    why: a server that was restarted opens nothing for so long, unless all clients have said that they have reclaimed what they had
check_4() {
    for file in /proc/fs/nfsd/nfsv4leasetime /proc/fs/nfsd/nfsv4gracetime; do read -r time <$file && [ $time = 90 ] || exit 1; done
}
guard_4() { :; }
apply_4() {
    rpc.nfsd 0
    for file in /proc/fs/nfsd/nfsv4leasetime /proc/fs/nfsd/nfsv4gracetime; do echo 90 >$file; done
    rpc.nfsd 16
}

# 5. have /srv/small exported rw, sync, no_root_squash
#    why: what the server has acknowledged is on its disks; each write waits for them
check_5() {
    [ "$(grep '^/srv/small[[:space:]]' /var/lib/nfs/etab | grep '[(,]rw[,)]' | grep -c '[(,]sync[,)]')" = 4 ] &&
    ! grep '^/srv/small[[:space:]]' /var/lib/nfs/etab | grep -vq '[(,]no_root_squash[,)]'
}
guard_5() { :; }
apply_5() {
    exportfs -ra
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 8 of 9: mount
# (the preamble)

# 1. mount /mnt/small at every boot
check_1() {
    grep -qxF 'nas:/srv/small /mnt/small nfs vers=4.2,proto=tcp,hard,noatime,_netdev 0 0' /etc/fstab
}
guard_1() { :; }
apply_1() {
    { grep -v ' /mnt/small ' /etc/fstab || true; echo 'nas:/srv/small /mnt/small nfs vers=4.2,proto=tcp,hard,noatime,_netdev 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 2. mount nas:/srv/small at /mnt/small with vers=4.2,proto=tcp,hard,noatime
check_2() {
    { read -r asked && read -r line; } </run/seatrial-small.mount &&
    [ "$asked" = 'nas:/srv/small vers=4.2,proto=tcp,hard,noatime' ] && [ "$(grep " /mnt/small " /proc/mounts)" = "$line" ]
}
guard_2() { :; }
apply_2() {
    while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
    mkdir -p /mnt/small
    mount -t nfs -o vers=4.2,proto=tcp,hard,noatime nas:/srv/small /mnt/small
    { echo 'nas:/srv/small vers=4.2,proto=tcp,hard,noatime'; grep ' /mnt/small ' /proc/mounts; } >/run/seatrial-small.mount
}

# 3. /mnt/small reads ahead as it did before
check_3() {
    [ ! -e /run/seatrial-small.mount-readahead ]
}
guard_3() { :; }
apply_3() {
    if read -r ahead </run/seatrial-small.mount-readahead; then echo $ahead >/sys/class/bdi/$(mountpoint -d /mnt/small)/read_ahead_kb; fi
    rm /run/seatrial-small.mount-readahead
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
##### stage 9, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 9 of 9: after every boot
# (the preamble)

# 1. write /usr/local/sbin/seatrial-small-network
check_1() {
    cmp -s /usr/local/sbin/seatrial-small-network - <<'SEATRIAL'
#!/bin/sh
# What small has set on this node, after a boot.
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
    mkdir -p /var/lib/seatrial/made/small/before
    if [ -e "/var/lib/seatrial/made/small/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/small/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
    echo "$was 9000" >"/var/lib/seatrial/made/small/before/mtu-$link"
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
    cat >/usr/local/sbin/seatrial-small-network.new <<'SEATRIAL' || { rm -f /usr/local/sbin/seatrial-small-network.new; exit 1; }
#!/bin/sh
# What small has set on this node, after a boot.
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
    mkdir -p /var/lib/seatrial/made/small/before
    if [ -e "/var/lib/seatrial/made/small/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/small/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
    echo "$was 9000" >"/var/lib/seatrial/made/small/before/mtu-$link"
)
ip link set dev "$link" mtu 9000
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
    chmod 755 /usr/local/sbin/seatrial-small-network.new
    mv /usr/local/sbin/seatrial-small-network.new /usr/local/sbin/seatrial-small-network
    ! systemctl -q is-active seatrial-small-network || systemctl restart seatrial-small-network
}

# 2. write /etc/systemd/system/seatrial-small-network.service
check_2() {
    [ ! -d /run/systemd/system ] || {
    cmp -s /etc/systemd/system/seatrial-small-network.service - <<'SEATRIAL'
[Unit]
Description=what small has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-small-network
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
    cat >/etc/systemd/system/seatrial-small-network.service.new <<'SEATRIAL' || { rm -f /etc/systemd/system/seatrial-small-network.service.new; exit 1; }
[Unit]
Description=what small has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-small-network
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
    mv /etc/systemd/system/seatrial-small-network.service.new /etc/systemd/system/seatrial-small-network.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-small-network.service)" = no ] || systemctl daemon-reload
    ! systemctl -q is-active seatrial-small-network || systemctl restart seatrial-small-network
}

# 3. have the settings of network outlive a boot
#    why: a node that was fenced has to come back as it was
check_3() {
    [ ! -d /run/systemd/system ] || {
    systemctl -q is-active seatrial-small-network && systemctl -q is-enabled seatrial-small-network
    }
}
guard_3() { :; }
apply_3() {
    systemctl -q --no-reload enable seatrial-small-network
    systemctl start seatrial-small-network
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
##### stage 9, c[1-4] #####
as on nas, but for:
@@ -12 +12 @@
+# MTU 9000 on the link towards nas
@@ -14 +14 @@
+peer=$(getent ahostsv4 nas | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -20 +20 @@
+peer=$(getent ahostsv4 nas | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -42 +42 @@
+# MTU 9000 on the link towards nas
@@ -44 +44 @@
+peer=$(getent ahostsv4 nas | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -50 +50 @@
+peer=$(getent ahostsv4 nas | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
