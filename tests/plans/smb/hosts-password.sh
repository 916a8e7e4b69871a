##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 1 of 10: look, and change nothing
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

# 4. overwrite nothing that is somebody's: make the ext4 file system on /dev/sdb
check_4() {
    set +e
    (
    [ "$(blkid -p -o value -s LABEL /dev/sdb)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/sdb)" = ext4 ]
    ) >/dev/null 2>&1 && exit 0
    look_disks small st-small '' /dev/sdb
}
guard_4() { :; }
apply_4() {
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
    step 3
    step 4
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
@@ -43,20 +42,0 @@
@@ -67 +46,0 @@
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 2 of 10: mark
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
# Seatrial plan small: SMB server nas for 4 clients
# stage 3 of 10: packages
# (the preamble)

# 1. have smbd, wipefs, mkfs.ext4
check_1() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v smbd >/dev/null &&
    command -v wipefs >/dev/null &&
    command -v mkfs.ext4 >/dev/null
}
guard_1() { :; }
apply_1() {
    [ -x /usr/sbin/smbd ] || fresh=yes
    [ -z "$fresh" ] || systemctl -q --runtime mask smbd.service nmbd.service samba-ad-dc.service
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends e2fsprogs samba util-linux
    else
        dnf install -y e2fsprogs samba util-linux
    fi
    [ -z "$fresh" ] || systemctl -q --runtime unmask smbd.service nmbd.service samba-ad-dc.service
    [ -z "$fresh" ] || systemctl -q disable smbd.service nmbd.service samba-ad-dc.service || true
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
+# 1. have mount.cifs
@@ -9,3 +9 @@
+    command -v mount.cifs >/dev/null
@@ -15,2 +12,0 @@
@@ -18 +14 @@
+        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends cifs-utils
@@ -20 +16 @@
+        dnf install -y cifs-utils
@@ -22,2 +17,0 @@
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 4 of 10: network
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
+# 1. MTU 9000 on the link towards 10.0.0.9
@@ -9 +9 @@
+    peer=$(getent ahostsv4 10.0.0.9 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -15 +15 @@
+    peer=$(getent ahostsv4 10.0.0.9 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 5 of 10: file system
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
    { grep -v ' /srv/small ' /etc/fstab || true; echo '/dev/sdb /srv/small ext4 noatime,nofail 0 0'; } >/etc/fstab.new ||
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

# 4. /dev/sdb reads ahead as it did before
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
##### stage 6, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 6 of 10: credentials
# (the preamble)

# 1. keep the password for root alone
check_1() {
    cmp -s /etc/seatrial-small.credentials - <<'SEATRIAL'
password=not-so-secret
SEATRIAL
}
guard_1() { :; }
apply_1() {
    umask 077
    mkdir -p /etc
    cat >/etc/seatrial-small.credentials.new <<'SEATRIAL' || { rm -f /etc/seatrial-small.credentials.new; exit 1; }
password=not-so-secret
SEATRIAL
    mv /etc/seatrial-small.credentials.new /etc/seatrial-small.credentials
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
# Seatrial plan small: SMB server nas for 4 clients
# stage 7 of 10: let go
# (the preamble)

# 1. have nothing else mounted at /mnt/small
check_1() {
    ! grep -q ' /mnt/small ' /proc/mounts || {
    { read -r asked && read -r line; } </run/seatrial-small.mount &&
    [ "$asked" = '//10.0.0.9/small vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard' ] && [ "$(grep " /mnt/small " /proc/mounts)" = "$line" ]
    }
}
guard_1() { :; }
apply_1() {
    while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 8, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 8 of 10: share
# (the preamble)

# 1. have the user seatrial-small own /srv/small
check_1() {
    [ "$(stat -c %U /srv/small)" = seatrial-small ]
}
guard_1() { :; }
apply_1() {
    if ! getent passwd seatrial-small >/dev/null; then
        owner=$(stat -c %u /srv/small)
        [ "$owner" != 0 ] || owner=
        useradd --system ${owner:+--uid $owner} --no-create-home --home-dir /nonexistent \
            --shell /usr/sbin/nologin seatrial-small
    fi
    chown seatrial-small /srv/small
}

# 2. have folders
check_2() {
    [ -d /var/lib/seatrial-smb-small/private ]
}
guard_2() { :; }
apply_2() {
    mkdir -p -m 755 /var/lib/seatrial-smb-small
    mkdir -m 700 /var/lib/seatrial-smb-small/private
}

# 3. configure a Samba server of its own: sync strict, encryption auto, signing auto
check_3() {
    cmp -s /etc/samba/seatrial-small.conf - <<'SEATRIAL'
[global]
server role = standalone server
smb ports = 445
disable netbios = yes
load printers = no
printcap name = /dev/null
disable spoolss = yes
rpc start on demand helpers = no
usershare max shares = 0
server smb encrypt = if_required
server signing = auto
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
sync always = no
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
load printers = no
printcap name = /dev/null
disable spoolss = yes
rpc start on demand helpers = no
usershare max shares = 0
server smb encrypt = if_required
server signing = auto
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
sync always = no
SEATRIAL
    mv /etc/samba/seatrial-small.conf.new /etc/samba/seatrial-small.conf
}

# 4. let seatrial-small log in with the password
check_4() {
    cmp -s /etc/seatrial-small.credentials /var/lib/seatrial-smb-small/private/credentials &&
    pdbedit -s /etc/samba/seatrial-small.conf -L -u seatrial-small >/dev/null
}
guard_4() { :; }
apply_4() {
    password=$(sed -n 's/^password=//p' /etc/seatrial-small.credentials)
    [ -n "$password" ] || { echo '/etc/seatrial-small.credentials has no line password=...'; exit 1; }
    printf '%s\n%s\n' "$password" "$password" | smbpasswd -c /etc/samba/seatrial-small.conf -s -a seatrial-small
    cp /etc/seatrial-small.credentials /var/lib/seatrial-smb-small/private/credentials
}

# 5. write /etc/systemd/system/seatrial-smbd-small.service
check_5() {
    cmp -s /etc/systemd/system/seatrial-smbd-small.service - <<'SEATRIAL'
[Unit]
Description=Samba share small of Seatrial
Wants=network-online.target
After=network-online.target
RequiresMountsFor=/srv/small
StartLimitIntervalSec=0

[Service]
Type=notify
RuntimeDirectory=seatrial-smb-small
ExecStartPre=/bin/cp /etc/samba/seatrial-small.conf /run/seatrial-smb-small/smb.conf
ExecStart=/usr/sbin/smbd --foreground --no-process-group --configfile=/run/seatrial-smb-small/smb.conf --log-basename=/var/lib/seatrial-smb-small
LimitNOFILE=16384

[Install]
WantedBy=multi-user.target
SEATRIAL
}
guard_5() { :; }
apply_5() {
    mkdir -p /etc/systemd/system
    cat >/etc/systemd/system/seatrial-smbd-small.service.new <<'SEATRIAL' || { rm -f /etc/systemd/system/seatrial-smbd-small.service.new; exit 1; }
[Unit]
Description=Samba share small of Seatrial
Wants=network-online.target
After=network-online.target
RequiresMountsFor=/srv/small
StartLimitIntervalSec=0

[Service]
Type=notify
RuntimeDirectory=seatrial-smb-small
ExecStartPre=/bin/cp /etc/samba/seatrial-small.conf /run/seatrial-smb-small/smb.conf
ExecStart=/usr/sbin/smbd --foreground --no-process-group --configfile=/run/seatrial-smb-small/smb.conf --log-basename=/var/lib/seatrial-smb-small
LimitNOFILE=16384

[Install]
WantedBy=multi-user.target
SEATRIAL
    mv /etc/systemd/system/seatrial-smbd-small.service.new /etc/systemd/system/seatrial-smbd-small.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-smbd-small.service)" = no ] || systemctl daemon-reload
}

# 6. find port 445 free
check_6() {
    systemctl -q is-active seatrial-smbd-small.service ||
    ! grep -q ':01BD 0*:0000 0A ' /proc/net/tcp /proc/net/tcp6
}
guard_6() { :; }
apply_6() {
    echo 'port 445 is taken; stop what listens there, or take another server:'
    ss -Hltnp sport = :445
    exit 1
}

# 7. serve the share as configured
#    why: sync strict: what a client flushes is on the disks when the server answers
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

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    step 6
    step 7
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 9, c[1-4] #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 9 of 10: mount
# (the preamble)

# 1. mount /mnt/small at every boot
check_1() {
    grep -qxF '//10.0.0.9/small /mnt/small cifs vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard,_netdev 0 0' /etc/fstab
}
guard_1() { :; }
apply_1() {
    { grep -v ' /mnt/small ' /etc/fstab || true; echo '//10.0.0.9/small /mnt/small cifs vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard,_netdev 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 2. mount //10.0.0.9/small at /mnt/small with vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard
check_2() {
    { read -r asked && read -r line; } </run/seatrial-small.mount &&
    [ "$asked" = '//10.0.0.9/small vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard' ] && [ "$(grep " /mnt/small " /proc/mounts)" = "$line" ]
}
guard_2() { :; }
apply_2() {
    while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
    mkdir -p /mnt/small
    mount -t cifs -o vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard //10.0.0.9/small /mnt/small
    { echo '//10.0.0.9/small vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard'; grep ' /mnt/small ' /proc/mounts; } >/run/seatrial-small.mount
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 10, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 10 of 10: after every boot
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
##### stage 10, c[1-4] #####
as on nas, but for:
@@ -12 +12 @@
+# MTU 9000 on the link towards 10.0.0.9
@@ -14 +14 @@
+peer=$(getent ahostsv4 10.0.0.9 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -20 +20 @@
+peer=$(getent ahostsv4 10.0.0.9 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -42 +42 @@
+# MTU 9000 on the link towards 10.0.0.9
@@ -44 +44 @@
+peer=$(getent ahostsv4 10.0.0.9 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -50 +50 @@
+peer=$(getent ahostsv4 10.0.0.9 | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
