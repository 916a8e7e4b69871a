##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 1 of 7: look, and change nothing
# (the preamble)

# (look.sh)
# 1. mount over nothing: /srv/small
check_1() {
    set +e
    no_other_mount small /srv/small
}
guard_1() { :; }
apply_1() {
    set +e
    no_other_mount small /srv/small
    exit 1
}

# 2. overwrite nothing that is somebody's: make the ext4 file system on /dev/sdb
check_2() {
    set +e
    (
    [ "$(blkid -p -o value -s LABEL /dev/sdb)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/sdb)" = ext4 ]
    ) >/dev/null 2>&1 && exit 0
    look_disks small st-small '' /dev/sdb
}
guard_2() { :; }
apply_2() {
    set +e
    (
    [ "$(blkid -p -o value -s LABEL /dev/sdb)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/sdb)" = ext4 ]
    ) >/dev/null 2>&1 && exit 0
    look_disks small st-small '' /dev/sdb
    exit 1
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -7 +7 @@
+# 1. mount over nothing: /mnt/small
@@ -10 +10 @@
+    no_other_mount small /mnt/small
@@ -15,21 +15 @@
+    no_other_mount small /mnt/small
@@ -41 +20,0 @@
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 2 of 7: mark
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
# stage 3 of 7: packages
# (the preamble)

# 1. have sshd, wipefs, mkfs.ext4
check_1() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v sshd >/dev/null &&
    command -v wipefs >/dev/null &&
    command -v mkfs.ext4 >/dev/null
}
guard_1() { :; }
apply_1() {
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends e2fsprogs openssh-server util-linux
    else
        dnf install -y e2fsprogs openssh-server util-linux
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
@@ -9,3 +9 @@
+    command -v sshfs >/dev/null
@@ -16 +14 @@
+        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends sshfs
@@ -18 +16 @@
+        dnf install -y fuse-sshfs
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 4 of 7: network
# (the preamble)

# 1. MTU 9000 on the link towards c1, until the next boot
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
+# 1. MTU 9000 on the link towards 10.0.0.9, until the next boot
@@ -9 +9 @@
+    peer=$(getent ahostsv4 10.0.0.9 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -15 +15 @@
+    peer=$(getent ahostsv4 10.0.0.9 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 5 of 7: file system
# (the preamble)

# 1. make the ext4 file system on /dev/sdb
check_1() {
    [ "$(blkid -p -o value -s LABEL /dev/sdb)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/sdb)" = ext4 ]
}
guard_1() { all_must_be_blank /dev/sdb; }
apply_1() {
    mkfs.ext4 -q -b 4096 -L st-small -E lazy_itable_init=0,lazy_journal_init=0 /dev/sdb
}

# 2. mount /srv/small at every boot
check_2() {
    grep -qxF '/dev/sdb /srv/small ext4 noatime,nofail 0 0' /etc/fstab
}
guard_2() { :; }
apply_2() {
    sed -i '\# /srv/small #d' /etc/fstab
    echo '/dev/sdb /srv/small ext4 noatime,nofail 0 0' >>/etc/fstab
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

# 4. /dev/sdb reads ahead as it did before
check_4() {
    [ ! -e /run/seatrial-small.filesystem-readahead ]
}
guard_4() { :; }
apply_4() {
    read -r ahead </run/seatrial-small.filesystem-readahead
    echo $ahead >/sys/class/bdi/$(mountpoint -d /srv/small)/read_ahead_kb
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
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 6 of 7: login
# (the preamble)

# 1. have /srv/small belong to scratch
check_1() {
    [ "$(stat -c %U /srv/small)" = scratch ]
}
guard_1() { :; }
apply_1() {
    chown scratch /srv/small
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 7, c[1-4] #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 7 of 7: mount
# (the preamble)

# 1. mount /mnt/small at every boot
check_1() {
    grep -qxF 'scratch@10.0.0.9:/srv/small /mnt/small fuse.sshfs IdentityFile=/root/.ssh/scratch,UserKnownHostsFile=/root/.ssh/known_hosts,StrictHostKeyChecking=yes,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions,_netdev 0 0' /etc/fstab
}
guard_1() { :; }
apply_1() {
    sed -i '\# /mnt/small #d' /etc/fstab
    echo 'scratch@10.0.0.9:/srv/small /mnt/small fuse.sshfs IdentityFile=/root/.ssh/scratch,UserKnownHostsFile=/root/.ssh/known_hosts,StrictHostKeyChecking=yes,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions,_netdev 0 0' >>/etc/fstab
}

# 2. mount scratch@10.0.0.9:/srv/small at /mnt/small with sshfs
check_2() {
    [ "$(grep -c " /mnt/small " /proc/mounts)" = 1 ] &&
    grep -q "^scratch@10.0.0.9:/srv/small /mnt/small fuse.sshfs " /proc/mounts &&
    for process in /proc/[0-9]*; do
        read -r name <$process/comm && [ "$name" = sshfs ] && tr "\0" " " <$process/cmdline && echo
    done 2>/dev/null | grep -qxF 'sshfs -o IdentityFile=/root/.ssh/scratch,UserKnownHostsFile=/root/.ssh/known_hosts,StrictHostKeyChecking=yes,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions scratch@10.0.0.9:/srv/small /mnt/small '
}
guard_2() { :; }
apply_2() {
    [ -e /dev/fuse ] || modprobe fuse
    while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
    mkdir -p /mnt/small
    sshfs -o IdentityFile=/root/.ssh/scratch,UserKnownHostsFile=/root/.ssh/known_hosts,StrictHostKeyChecking=yes,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions scratch@10.0.0.9:/srv/small /mnt/small 3>&-
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
