##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 1 of 10: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /srv/small

# 3. (steps.sh) refuse another cluster (3)

# 4. (steps.sh) refuse disks that are in use: create the ext4 file system on /dev/ubdb
# (4 steps)
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -9 +9 @@
+# 2. (steps.sh) refuse an occupied mount point: /mnt/small
@@ -12,3 +12 @@
+# (3 steps)
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 2 of 10: mark
# (the preamble)

# 1. (steps.sh) mark this node for small
# (1 steps)
##### stage 3, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 3 of 10: packages
# (the preamble)

# (backups.sh)
# 1. (steps.sh) install smbd, wipefs, mkfs.ext4
# (1 steps)
##### stage 3, c[1-4] #####
as on nas, but for:
@@ -7 +7 @@
+# 1. (steps.sh) install mount.cifs
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 4 of 10: network
# (the preamble)

# 1. set MTU 9000 on the link to c1-data
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_1() {
    peer=$(getent ahostsv4 c1-data | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
    link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
    read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
}
guard_1() { :; }
apply_1() {
    peer=$(getent ahostsv4 c1-data | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
    link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
    (
        umask 077
        mkdir -p /var/lib/seatrial/made/small/before
        if [ -e "/var/lib/seatrial/made/small/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/small/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
        echo "$was 9000" >"/var/lib/seatrial/made/small/before/new-mtu-$link" && mv "/var/lib/seatrial/made/small/before/new-mtu-$link" "/var/lib/seatrial/made/small/before/mtu-$link" || { rm -f "/var/lib/seatrial/made/small/before/new-mtu-$link"; exit 1; }
    )
    ip link set dev "$link" mtu 9000
}
# (1 steps)
##### stage 4, c[1-4] #####
as on nas, but for:
@@ -6 +6 @@
+# 1. set MTU 9000 on the link to nas-data
@@ -9 +9 @@
+    peer=$(getent ahostsv4 nas-data | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -15 +15 @@
+    peer=$(getent ahostsv4 nas-data | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 5 of 10: file system
# (the preamble)

# (volumes.sh)
# 1. (steps.sh) create the ext4 file system on /dev/ubdb

# 2. (steps.sh) refuse volumes of another owner on /dev/ubdb (2)

# 3. (steps.sh) enable the mount of /srv/small at boot (2)

# 4. (steps.sh) mount the file system at /srv/small with noatime

# 5. (steps.sh) restore the read-ahead of /dev/ubdb
# (5 steps)
##### stage 6, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 6 of 10: credentials
# (the preamble)

# 1. (steps.sh) store the password, readable by root only
# (1 steps)
##### stage 7, c[1-4] #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 7 of 10: unmount other shares
# (the preamble)

# 1. unmount another file system at /mnt/small
check_1() {
    ! grep -q ' /mnt/small ' /proc/mounts || {
    { read -r asked && read -r line; } </run/seatrial-small.mount &&
    [ "$asked" = '//nas-data/small vers=3.0,cache=none,username=seatrial-small,credentials=/etc/seatrial-small.credentials,rsize=1048576,wsize=65536,hard,nobrl' ] && [ "$(grep " /mnt/small " /proc/mounts)" = "$line" ]
    }
}
guard_1() { :; }
apply_1() {
    while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
}
# (1 steps)
##### stage 8, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 8 of 10: share
# (the preamble)

# 1. (steps.sh) give /srv/small to the user seatrial-small

# 2. (steps.sh) create the folders of Samba

# 3. configure a dedicated Samba server: sync always, encryption required, signing required
check_3() {
    cmp -s /etc/samba/seatrial-small.conf - <<'SEATRIAL'
[global]
server role = standalone server
smb ports = 445
disable netbios = yes
interfaces = nas-data
bind interfaces only = yes
load printers = no
printcap name = /dev/null
disable spoolss = yes
rpc start on demand helpers = no
usershare max shares = 0
server smb encrypt = required
server signing = mandatory
map to guest = never
restrict anonymous = 2
pid directory = /run/seatrial-smb-small
ncalrpc dir = /run/seatrial-smb-small/ncalrpc
lock directory = /var/lib/seatrial-smb-small/lock
state directory = /var/lib/seatrial-smb-small/state
cache directory = /var/lib/seatrial-smb-small/cache
private dir = /var/lib/seatrial-smb-small/private
log file = /var/lib/seatrial-smb-small/log.smbd

[small]
path = /srv/small
read only = no
valid users = seatrial-small
case sensitive = yes
strict sync = yes
sync always = yes
SEATRIAL
}
guard_3() { :; }
apply_3() {
    mkdir -p /etc/samba
    cat >/etc/samba/seatrial-small.conf.new <<'SEATRIAL' || { rm -f /etc/samba/seatrial-small.conf.new; exit 1; }
[global]
server role = standalone server
smb ports = 445
disable netbios = yes
interfaces = nas-data
bind interfaces only = yes
load printers = no
printcap name = /dev/null
disable spoolss = yes
rpc start on demand helpers = no
usershare max shares = 0
server smb encrypt = required
server signing = mandatory
map to guest = never
restrict anonymous = 2
pid directory = /run/seatrial-smb-small
ncalrpc dir = /run/seatrial-smb-small/ncalrpc
lock directory = /var/lib/seatrial-smb-small/lock
state directory = /var/lib/seatrial-smb-small/state
cache directory = /var/lib/seatrial-smb-small/cache
private dir = /var/lib/seatrial-smb-small/private
log file = /var/lib/seatrial-smb-small/log.smbd

[small]
path = /srv/small
read only = no
valid users = seatrial-small
case sensitive = yes
strict sync = yes
sync always = yes
SEATRIAL
    mv /etc/samba/seatrial-small.conf.new /etc/samba/seatrial-small.conf
}

# 4. (steps.sh) set the Samba password of seatrial-small

# 5. (steps.sh) write /etc/systemd/system/seatrial-smbd-small.service

# 6. (steps.sh) check that port 445 is free

# 7. start the Samba server
#    why: sync always: every write is on the disks before the server answers
check_7() {
    systemctl -q is-active seatrial-smbd-small.service && cmp -s /etc/samba/seatrial-small.conf /run/seatrial-smb-small/smb.conf &&
    [ -e /etc/systemd/system/multi-user.target.wants/seatrial-smbd-small.service ]
}
guard_7() { :; }
apply_7() {
    mkdir -p -m 755 /var/lib/seatrial-smb-small
    systemctl -q --no-reload enable seatrial-smbd-small.service
    systemctl restart seatrial-smbd-small.service
}
# (7 steps)
##### stage 9, c[1-4] #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 9 of 10: mount
# (the preamble)

# 1. enable the mount of /mnt/small at boot
check_1() {
    grep -qxF '//nas-data/small /mnt/small cifs vers=3.0,cache=none,username=seatrial-small,credentials=/etc/seatrial-small.credentials,rsize=1048576,wsize=65536,hard,nobrl,_netdev 0 0' /etc/fstab
}
guard_1() { :; }
apply_1() {
    if awk '$1 ~ /^#/ || $2 != "/mnt/small" || $1 == "//nas-data/small" { next } { found = 1 } END { exit !found }' /etc/fstab; then
        while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
    fi
    { awk '$1 ~ /^#/ || $2 != "/mnt/small"' /etc/fstab && echo '//nas-data/small /mnt/small cifs vers=3.0,cache=none,username=seatrial-small,credentials=/etc/seatrial-small.credentials,rsize=1048576,wsize=65536,hard,nobrl,_netdev 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 2. mount //nas-data/small at /mnt/small with vers=3.0,cache=none,username=seatrial-small,credentials=/etc/seatrial-small.credentials,rsize=1048576,wsize=65536,hard,nobrl
check_2() {
    { read -r asked && read -r line; } </run/seatrial-small.mount &&
    [ "$asked" = '//nas-data/small vers=3.0,cache=none,username=seatrial-small,credentials=/etc/seatrial-small.credentials,rsize=1048576,wsize=65536,hard,nobrl' ] && [ "$(grep " /mnt/small " /proc/mounts)" = "$line" ]
}
guard_2() { :; }
apply_2() {
    while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
    mkdir -p /mnt/small
    mount -t cifs -o vers=3.0,cache=none,username=seatrial-small,credentials=/etc/seatrial-small.credentials,rsize=1048576,wsize=65536,hard,nobrl //nas-data/small /mnt/small
    { echo '//nas-data/small vers=3.0,cache=none,username=seatrial-small,credentials=/etc/seatrial-small.credentials,rsize=1048576,wsize=65536,hard,nobrl'; grep ' /mnt/small ' /proc/mounts; } >/run/seatrial-small.mount
}
# (2 steps)
##### stage 10, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 10 of 10: store volume UUIDs; install boot-time settings
# (the preamble)

# (volumes.sh)
# 1. (steps.sh) store the UUIDs of created volumes (2)

# 2. write /usr/local/sbin/seatrial-small-network
check_2() {
    cmp -s /usr/local/sbin/seatrial-small-network - <<'SEATRIAL'
#!/bin/sh
# What small has set on this node, after a boot.
bad=0
# set MTU 9000 on the link to c1-data
if ! (
peer=$(getent ahostsv4 c1-data | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
) >/dev/null 2>&1; then
(
set -e
peer=$(getent ahostsv4 c1-data | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
(
    umask 077
    mkdir -p /var/lib/seatrial/made/small/before
    if [ -e "/var/lib/seatrial/made/small/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/small/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
    echo "$was 9000" >"/var/lib/seatrial/made/small/before/new-mtu-$link" && mv "/var/lib/seatrial/made/small/before/new-mtu-$link" "/var/lib/seatrial/made/small/before/mtu-$link" || { rm -f "/var/lib/seatrial/made/small/before/new-mtu-$link"; exit 1; }
)
ip link set dev "$link" mtu 9000
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
guard_2() { :; }
apply_2() {
    mkdir -p /usr/local/sbin
    cat >/usr/local/sbin/seatrial-small-network.new <<'SEATRIAL' || { rm -f /usr/local/sbin/seatrial-small-network.new; exit 1; }
#!/bin/sh
# What small has set on this node, after a boot.
bad=0
# set MTU 9000 on the link to c1-data
if ! (
peer=$(getent ahostsv4 c1-data | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
) >/dev/null 2>&1; then
(
set -e
peer=$(getent ahostsv4 c1-data | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
(
    umask 077
    mkdir -p /var/lib/seatrial/made/small/before
    if [ -e "/var/lib/seatrial/made/small/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/small/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
    echo "$was 9000" >"/var/lib/seatrial/made/small/before/new-mtu-$link" && mv "/var/lib/seatrial/made/small/before/new-mtu-$link" "/var/lib/seatrial/made/small/before/mtu-$link" || { rm -f "/var/lib/seatrial/made/small/before/new-mtu-$link"; exit 1; }
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

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) install the boot-time settings of network (3)

# 5. (steps.sh) remove the boot-time settings of mounts (3)
# (5 steps)
##### stage 10, c[1-4] #####
as on nas, but for:
@@ -6,5 +6,2 @@
+# 1. write /usr/local/sbin/seatrial-small-network
+check_1() {
@@ -15 +12 @@
+# set MTU 9000 on the link to nas-data
@@ -17 +14 @@
+peer=$(getent ahostsv4 nas-data | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -23 +20 @@
+peer=$(getent ahostsv4 nas-data | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -38,2 +35,2 @@
+guard_1() { :; }
+apply_1() {
@@ -45 +42 @@
+# set MTU 9000 on the link to nas-data
@@ -47 +44 @@
+peer=$(getent ahostsv4 nas-data | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -53 +50 @@
+peer=$(getent ahostsv4 nas-data | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -72 +69 @@
+# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service
@@ -74 +71 @@
+# 3. (steps.sh) install the boot-time settings of network (3)
@@ -76,2 +73,2 @@
+# 4. (steps.sh) remove the boot-time settings of mounts (3)
+# (4 steps)
