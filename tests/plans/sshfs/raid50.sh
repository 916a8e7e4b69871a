##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
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

# 3. leave other clusters alone
check_3() {
    set +e
    no_other_cluster small small
}
guard_3() { :; }
apply_3() {
    set +e
    no_other_cluster small small
    exit 1
}

# 4. use no disk twice
check_4() {
    set +e
    look_twice /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg
}
guard_4() { :; }
apply_4() {
    set +e
    look_twice /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg
    exit 1
}

# 5. overwrite nothing that is somebody's: create small-s0, small-s1: RAID 5
check_5() {
    set +e
    (
    [ -b /dev/md/small-s0 ] && set_=$(readlink -f /dev/md/small-s0) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid5 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 3 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ] &&
    [ -b /dev/md/small-s1 ] && set_=$(readlink -f /dev/md/small-s1) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid5 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 3 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
    ) >/dev/null 2>&1 && exit 0
    look_disks small 'any:small-s0 any:small-s1' '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg
}
guard_5() { :; }
apply_5() {
    set +e
    (
    [ -b /dev/md/small-s0 ] && set_=$(readlink -f /dev/md/small-s0) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid5 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 3 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ] &&
    [ -b /dev/md/small-s1 ] && set_=$(readlink -f /dev/md/small-s1) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid5 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 3 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
    ) >/dev/null 2>&1 && exit 0
    look_disks small 'any:small-s0 any:small-s1' '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg
    exit 1
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
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -19 +19 @@
+# 2. mount over nothing: /mnt/small
@@ -22 +22 @@
+    no_other_mount small /mnt/small
@@ -27 +27 @@
+    no_other_mount small /mnt/small
@@ -43,44 +42,0 @@
@@ -91,2 +46,0 @@
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 2 of 9: mark
# (the preamble)

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

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 3, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 3 of 9: packages
# (the preamble)

# 1. have sshd, wipefs, mdadm, mkfs.ext4
check_1() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v sshd >/dev/null &&
    command -v wipefs >/dev/null &&
    command -v mdadm >/dev/null &&
    command -v mkfs.ext4 >/dev/null
}
guard_1() { :; }
apply_1() {
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends e2fsprogs mdadm openssh-server util-linux
    else
        dnf install -y e2fsprogs mdadm openssh-server util-linux
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
+# 1. have sshfs
@@ -9,4 +9 @@
+    command -v sshfs >/dev/null
@@ -17 +14 @@
+        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends sshfs
@@ -19 +16 @@
+        dnf install -y fuse-sshfs
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
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
# Seatrial plan small: ssh server nas for 4 clients
# stage 5 of 9: array
# (the preamble)

# 1. assemble small-s0, small-s1 where it exists already
check_1() {
    ! { { [ ! -b /dev/md/small-s0 ] && mdadm --examine --export /dev/ubdb 2>/dev/null | grep -q '^MD_NAME=any:small-s0$'; } ||
    { [ ! -b /dev/md/small-s1 ] && mdadm --examine --export /dev/ubde 2>/dev/null | grep -q '^MD_NAME=any:small-s1$'; }; }
}
guard_1() { :; }
apply_1() {
    [ -b /dev/md/small-s0 ] || mdadm --assemble /dev/md/small-s0 /dev/ubdb /dev/ubdc /dev/ubdd
    [ -b /dev/md/small-s1 ] || mdadm --assemble /dev/md/small-s1 /dev/ubde /dev/ubdf /dev/ubdg
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/small-s0
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/small-s1
}

# 2. create small-s0, small-s1: RAID 5
#    why: the devices are new and hold zeros, so parity is consistent and no initial synchronisation runs
check_2() {
    [ -b /dev/md/small-s0 ] && set_=$(readlink -f /dev/md/small-s0) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid5 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 3 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ] &&
    [ -b /dev/md/small-s1 ] && set_=$(readlink -f /dev/md/small-s1) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid5 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 3 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
}
guard_2() { all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg; }
apply_2() {
    modprobe raid456 || true
    pids=
    mdadm --create /dev/md/small-s0 --run --metadata=1.2 --homehost=any --name=small-s0 --level=5 \
        --raid-devices=3 --chunk=64 --assume-clean /dev/ubdb /dev/ubdc /dev/ubdd & pids="$pids $!"
    mdadm --create /dev/md/small-s1 --run --metadata=1.2 --homehost=any --name=small-s1 --level=5 \
        --raid-devices=3 --chunk=64 --assume-clean /dev/ubde /dev/ubdf /dev/ubdg & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/small-s0
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/small-s1
}

# 3. assemble small where it exists already
check_3() {
    ! { { [ ! -b /dev/md/small ] && mdadm --examine --export /dev/md/small-s0 2>/dev/null | grep -q '^MD_NAME=any:small$'; }; }
}
guard_3() { :; }
apply_3() {
    [ -b /dev/md/small ] || mdadm --assemble /dev/md/small /dev/md/small-s0 /dev/md/small-s1
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/small
}

# 4. create small: RAID 0
#    why: the upper chunk is a full stripe of a span, so that large writes need no read-modify-write below
check_4() {
    [ -b /dev/md/small ] && set_=$(readlink -f /dev/md/small) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid0 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 2 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 131072 ]
}
guard_4() { all_must_be_blank /dev/md/small-s0 /dev/md/small-s1; }
apply_4() {
    modprobe raid0 || true
    pids=
    mdadm --create /dev/md/small --run --metadata=1.2 --homehost=any --name=small --level=0 \
        --raid-devices=2 --chunk=128 /dev/md/small-s0 /dev/md/small-s1 & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/small
}

# 5. assemble the array at every boot
check_5() {
    cmp -s /etc/mdadm/mdadm.conf.d/seatrial-small.conf - <<'SEATRIAL'
ARRAY /dev/md/small-s0 metadata=1.2 name=any:small-s0
ARRAY /dev/md/small-s1 metadata=1.2 name=any:small-s1
ARRAY /dev/md/small metadata=1.2 name=any:small
SEATRIAL
}
guard_5() { :; }
apply_5() {
    mkdir -p /etc/mdadm/mdadm.conf.d
    cat >/etc/mdadm/mdadm.conf.d/seatrial-small.conf.new <<'SEATRIAL' || { rm -f /etc/mdadm/mdadm.conf.d/seatrial-small.conf.new; exit 1; }
ARRAY /dev/md/small-s0 metadata=1.2 name=any:small-s0
ARRAY /dev/md/small-s1 metadata=1.2 name=any:small-s1
ARRAY /dev/md/small metadata=1.2 name=any:small
SEATRIAL
    mv /etc/mdadm/mdadm.conf.d/seatrial-small.conf.new /etc/mdadm/mdadm.conf.d/seatrial-small.conf
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
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 6 of 9: file system
# (the preamble)

# 1. make the ext4 file system on /dev/md/small
#    why: the file system knows the stripe (256KiB), so that allocation is aligned to it; all tables are written now, not behind the first load
check_1() {
    [ "$(blkid -p -o value -s LABEL /dev/md/small)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/md/small)" = ext4 ]
}
guard_1() { all_must_be_blank /dev/md/small; }
apply_1() {
    mkfs.ext4 -q -b 4096 -L st-small -E lazy_itable_init=0,lazy_journal_init=0,stride=16,stripe_width=64 /dev/md/small
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
# Seatrial plan small: ssh server nas for 4 clients
# stage 7 of 9: login
# (the preamble)

# 1. have the user seatrial
check_1() {
    getent passwd seatrial >/dev/null
}
guard_1() { :; }
apply_1() {
    useradd --create-home --home-dir /home/seatrial --shell /bin/sh seatrial
    usermod --password '*' seatrial
}

# 2. let the clients in, for SFTP alone
check_2() {
    cmp -s /home/seatrial/.ssh/authorized_keys - <<'SEATRIAL'
restrict,command="internal-sftp" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPIU7+6sxC+UsfkwjBXYnButjqb8rvbBCYncz85TD1Gg seatrial-lab
SEATRIAL
}
guard_2() { :; }
apply_2() {
    mkdir -p /home/seatrial/.ssh
    cat >/home/seatrial/.ssh/authorized_keys.new <<'SEATRIAL' || { rm -f /home/seatrial/.ssh/authorized_keys.new; exit 1; }
restrict,command="internal-sftp" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPIU7+6sxC+UsfkwjBXYnButjqb8rvbBCYncz85TD1Gg seatrial-lab
SEATRIAL
    mv /home/seatrial/.ssh/authorized_keys.new /home/seatrial/.ssh/authorized_keys
}

# 3. have /srv/small belong to seatrial
check_3() {
    [ "$(stat -c %U /srv/small)" = seatrial ]
}
guard_3() { :; }
apply_3() {
    chown seatrial /srv/small
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
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 8 of 9: mount
# (the preamble)

# 1. have the lab's key for the mount
check_1() {
    cmp -s /etc/seatrial-small.key - <<'SEATRIAL'
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACDyFO/urMQvlLH5MIwV2JwbrY6m/K72wQmJ3M/OUw9RoAAAAJCxu6wysbus
MgAAAAtzc2gtZWQyNTUxOQAAACDyFO/urMQvlLH5MIwV2JwbrY6m/K72wQmJ3M/OUw9RoA
AAAED2NBgpJFORnk+gOevVi9/isH+X0Ds5TrU2z9/jGr//OfIU7+6sxC+UsfkwjBXYnBut
jqb8rvbBCYncz85TD1GgAAAADHNlYXRyaWFsLWxhYgE=
-----END OPENSSH PRIVATE KEY-----
SEATRIAL
}
guard_1() { :; }
apply_1() {
    umask 077
    mkdir -p /etc
    cat >/etc/seatrial-small.key.new <<'SEATRIAL' || { rm -f /etc/seatrial-small.key.new; exit 1; }
-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACDyFO/urMQvlLH5MIwV2JwbrY6m/K72wQmJ3M/OUw9RoAAAAJCxu6wysbus
MgAAAAtzc2gtZWQyNTUxOQAAACDyFO/urMQvlLH5MIwV2JwbrY6m/K72wQmJ3M/OUw9RoA
AAAED2NBgpJFORnk+gOevVi9/isH+X0Ds5TrU2z9/jGr//OfIU7+6sxC+UsfkwjBXYnBut
jqb8rvbBCYncz85TD1GgAAAADHNlYXRyaWFsLWxhYgE=
-----END OPENSSH PRIVATE KEY-----
SEATRIAL
    mv /etc/seatrial-small.key.new /etc/seatrial-small.key
}

# 2. mount /mnt/small at every boot
check_2() {
    grep -qxF 'seatrial@nas:/srv/small /mnt/small fuse.sshfs IdentityFile=/etc/seatrial-small.key,UserKnownHostsFile=/etc/seatrial-small.known-hosts,StrictHostKeyChecking=accept-new,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions,_netdev 0 0' /etc/fstab
}
guard_2() { :; }
apply_2() {
    { grep -v ' /mnt/small ' /etc/fstab || true; echo 'seatrial@nas:/srv/small /mnt/small fuse.sshfs IdentityFile=/etc/seatrial-small.key,UserKnownHostsFile=/etc/seatrial-small.known-hosts,StrictHostKeyChecking=accept-new,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions,_netdev 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 3. mount seatrial@nas:/srv/small at /mnt/small with sshfs
check_3() {
    [ "$(grep -c " /mnt/small " /proc/mounts)" = 1 ] &&
    grep -q "^seatrial@nas:/srv/small /mnt/small fuse.sshfs " /proc/mounts &&
    for process in /proc/[0-9]*; do
        read -r name <$process/comm && [ "$name" = sshfs ] && tr "\0" " " <$process/cmdline && echo
    done 2>/dev/null | grep -qxF 'sshfs -o IdentityFile=/etc/seatrial-small.key,UserKnownHostsFile=/etc/seatrial-small.known-hosts,StrictHostKeyChecking=accept-new,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions seatrial@nas:/srv/small /mnt/small '
}
guard_3() { :; }
apply_3() {
    [ -e /dev/fuse ] || modprobe fuse
    while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
    mkdir -p /mnt/small
    sshfs -o IdentityFile=/etc/seatrial-small.key,UserKnownHostsFile=/etc/seatrial-small.known-hosts,StrictHostKeyChecking=accept-new,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions seatrial@nas:/srv/small /mnt/small 3>&-
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
# Seatrial plan small: ssh server nas for 4 clients
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
