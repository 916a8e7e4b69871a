##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 1 of 6: look, and change nothing
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

# 3. take away only what small has made
check_3() {
    [ ! -e /var/lib/seatrial/made/small/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active seatrial-smbd-small.service && [ ! -L /etc/systemd/system/multi-user.target.wants/seatrial-smbd-small.service ]
    ) >/dev/null 2>&1 || found='stop the Samba server of its own'
    (
    [ ! -e /etc/systemd/system/seatrial-smbd-small.service ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/seatrial-smbd-small.service'
    (
    [ ! -e /etc/samba/seatrial-small.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/samba/seatrial-small.conf'
    (
    [ ! -e /etc/seatrial-small.credentials ]
    ) >/dev/null 2>&1 || found='remove /etc/seatrial-small.credentials'
    (
    [ ! -e /var/lib/seatrial-smb-small ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial-smb-small'
    (
    ! grep -q ' /srv/small ' /etc/fstab
    ) >/dev/null 2>&1 || found='no mount of /srv/small at boot'
    (
    ! grep -q ' /srv/small ' /proc/mounts && [ ! -d /srv/small ]
    ) >/dev/null 2>&1 || found='unmount /srv/small'
    (
    [ ! -e /run/seatrial-small.filesystem ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-small.filesystem'
    (
    [ ! -e /run/seatrial-small.filesystem-readahead ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-small.filesystem-readahead'
    (
    ! getent passwd seatrial-small >/dev/null
    ) >/dev/null 2>&1 || found='remove the user seatrial-small'
    (
    [ ! -e /dev/md/small ]
    ) >/dev/null 2>&1 || found='stop array small'
    (
    [ ! -e /dev/md/small-s1 ]
    ) >/dev/null 2>&1 || found='stop array small-s1'
    (
    [ ! -e /dev/md/small-s0 ]
    ) >/dev/null 2>&1 || found='stop array small-s0'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-small.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/mdadm/mdadm.conf.d/seatrial-small.conf'
    [ -z "$found" ]
}
guard_3() { :; }
apply_3() {
    echo "refused: small has made nothing on this node (/var/lib/seatrial/made/small/mark is missing); this would be done:"
    (
    ! systemctl -q is-active seatrial-smbd-small.service && [ ! -L /etc/systemd/system/multi-user.target.wants/seatrial-smbd-small.service ]
    ) >/dev/null 2>&1 || echo '  stop the Samba server of its own'
    (
    [ ! -e /etc/systemd/system/seatrial-smbd-small.service ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/seatrial-smbd-small.service'
    (
    [ ! -e /etc/samba/seatrial-small.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/samba/seatrial-small.conf'
    (
    [ ! -e /etc/seatrial-small.credentials ]
    ) >/dev/null 2>&1 || echo '  remove /etc/seatrial-small.credentials'
    (
    [ ! -e /var/lib/seatrial-smb-small ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial-smb-small'
    (
    ! grep -q ' /srv/small ' /etc/fstab
    ) >/dev/null 2>&1 || echo '  no mount of /srv/small at boot'
    (
    ! grep -q ' /srv/small ' /proc/mounts && [ ! -d /srv/small ]
    ) >/dev/null 2>&1 || echo '  unmount /srv/small'
    (
    [ ! -e /run/seatrial-small.filesystem ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-small.filesystem'
    (
    [ ! -e /run/seatrial-small.filesystem-readahead ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-small.filesystem-readahead'
    (
    ! getent passwd seatrial-small >/dev/null
    ) >/dev/null 2>&1 || echo '  remove the user seatrial-small'
    (
    [ ! -e /dev/md/small ]
    ) >/dev/null 2>&1 || echo '  stop array small'
    (
    [ ! -e /dev/md/small-s1 ]
    ) >/dev/null 2>&1 || echo '  stop array small-s1'
    (
    [ ! -e /dev/md/small-s0 ]
    ) >/dev/null 2>&1 || echo '  stop array small-s0'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-small.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/mdadm/mdadm.conf.d/seatrial-small.conf'
    exit 1
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
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -19 +19 @@
+# 2. mount over nothing: /mnt/small
@@ -22 +22 @@
+    no_other_mount small /mnt/small
@@ -27 +27 @@
+    no_other_mount small /mnt/small
@@ -36,2 +36,2 @@
+    ! grep -q ' /mnt/small ' /etc/fstab
+    ) >/dev/null 2>&1 || found='no mount of /mnt/small at boot'
@@ -39,2 +39,2 @@
+    ! grep -q ' /mnt/small ' /proc/mounts && [ ! -d /mnt/small ]
+    ) >/dev/null 2>&1 || found='unmount /mnt/small'
@@ -42,2 +42,2 @@
+    [ ! -e /run/seatrial-small.mount ]
+    ) >/dev/null 2>&1 || found='remove /run/seatrial-small.mount'
@@ -47,30 +46,0 @@
@@ -83,2 +53,2 @@
+    ! grep -q ' /mnt/small ' /etc/fstab
+    ) >/dev/null 2>&1 || echo '  no mount of /mnt/small at boot'
@@ -86,2 +56,2 @@
+    ! grep -q ' /mnt/small ' /proc/mounts && [ ! -d /mnt/small ]
+    ) >/dev/null 2>&1 || echo '  unmount /mnt/small'
@@ -89,2 +59,2 @@
+    [ ! -e /run/seatrial-small.mount ]
+    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-small.mount'
@@ -94,30 +63,0 @@
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 2 of 6: set nothing after a boot
# (the preamble)

# 1. set nothing of network after a boot
check_1() {
    ! systemctl -q is-active seatrial-small-network && ! systemctl -q is-enabled seatrial-small-network
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload disable seatrial-small-network
    systemctl stop seatrial-small-network
}

# 2. remove /etc/systemd/system/seatrial-small-network.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-small-network.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-small-network.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-small-network.service)" = no ] || systemctl daemon-reload
}

# 3. remove /usr/local/sbin/seatrial-small-network
check_3() {
    [ ! -e /usr/local/sbin/seatrial-small-network ]
}
guard_3() { :; }
apply_3() {
    rm -f /usr/local/sbin/seatrial-small-network
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
##### stage 3, c[1-4] #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 3 of 6: unmount
# (the preamble)

# 1. no mount of /mnt/small at boot
check_1() {
    ! grep -q ' /mnt/small ' /etc/fstab
}
guard_1() { :; }
apply_1() {
    sed -i '\# /mnt/small #d' /etc/fstab
}

# 2. unmount /mnt/small
check_2() {
    ! grep -q ' /mnt/small ' /proc/mounts && [ ! -d /mnt/small ]
}
guard_2() { :; }
apply_2() {
    while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
    [ ! -d /mnt/small ] || rmdir /mnt/small
}

# 3. remove /run/seatrial-small.mount
check_3() {
    [ ! -e /run/seatrial-small.mount ]
}
guard_3() { :; }
apply_3() {
    rm -f /run/seatrial-small.mount
}

# 4. remove /etc/seatrial-small.credentials
check_4() {
    [ ! -e /etc/seatrial-small.credentials ]
}
guard_4() { :; }
apply_4() {
    rm -f /etc/seatrial-small.credentials
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
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 4 of 6: stop the share
# (the preamble)

# 1. stop the Samba server of its own
check_1() {
    ! systemctl -q is-active seatrial-smbd-small.service && [ ! -L /etc/systemd/system/multi-user.target.wants/seatrial-smbd-small.service ]
}
guard_1() { :; }
apply_1() {
    systemctl stop seatrial-smbd-small.service
    systemctl -q --no-reload disable seatrial-smbd-small.service
}

# 2. remove /etc/systemd/system/seatrial-smbd-small.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-smbd-small.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-smbd-small.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-smbd-small.service)" = no ] || systemctl daemon-reload
}

# 3. remove /etc/samba/seatrial-small.conf
check_3() {
    [ ! -e /etc/samba/seatrial-small.conf ]
}
guard_3() { :; }
apply_3() {
    rm -f /etc/samba/seatrial-small.conf
}

# 4. remove /etc/seatrial-small.credentials
check_4() {
    [ ! -e /etc/seatrial-small.credentials ]
}
guard_4() { :; }
apply_4() {
    rm -f /etc/seatrial-small.credentials
}

# 5. remove /var/lib/seatrial-smb-small
check_5() {
    [ ! -e /var/lib/seatrial-smb-small ]
}
guard_5() { :; }
apply_5() {
    rm -r /var/lib/seatrial-smb-small
}

# 6. no mount of /srv/small at boot
check_6() {
    ! grep -q ' /srv/small ' /etc/fstab
}
guard_6() { :; }
apply_6() {
    sed -i '\# /srv/small #d' /etc/fstab
}

# 7. unmount /srv/small
check_7() {
    ! grep -q ' /srv/small ' /proc/mounts && [ ! -d /srv/small ]
}
guard_7() { :; }
apply_7() {
    while grep -q ' /srv/small ' /proc/mounts; do umount /srv/small; done
    [ ! -d /srv/small ] || rmdir /srv/small
}

# 8. remove /run/seatrial-small.filesystem
check_8() {
    [ ! -e /run/seatrial-small.filesystem ]
}
guard_8() { :; }
apply_8() {
    rm -f /run/seatrial-small.filesystem
}

# 9. remove /run/seatrial-small.filesystem-readahead
check_9() {
    [ ! -e /run/seatrial-small.filesystem-readahead ]
}
guard_9() { :; }
apply_9() {
    rm -f /run/seatrial-small.filesystem-readahead
}

# 10. remove the user seatrial-small
check_10() {
    ! getent passwd seatrial-small >/dev/null
}
guard_10() { :; }
apply_10() {
    userdel seatrial-small
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    step 6
    step 7
    step 8
    step 9
    step 10
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 5 of 6: stop the array
# (the preamble)

# 1. stop array small
check_1() {
    [ ! -e /dev/md/small ]
}
guard_1() { :; }
apply_1() {
    mdadm --stop /dev/md/small
    udevadm settle --timeout=120
    rm -f /dev/md/small
}

# 2. stop array small-s1
check_2() {
    [ ! -e /dev/md/small-s1 ]
}
guard_2() { :; }
apply_2() {
    mdadm --stop /dev/md/small-s1
    udevadm settle --timeout=120
    rm -f /dev/md/small-s1
}

# 3. stop array small-s0
check_3() {
    [ ! -e /dev/md/small-s0 ]
}
guard_3() { :; }
apply_3() {
    mdadm --stop /dev/md/small-s0
    udevadm settle --timeout=120
    rm -f /dev/md/small-s0
}

# 4. remove /etc/mdadm/mdadm.conf.d/seatrial-small.conf
check_4() {
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-small.conf ]
}
guard_4() { :; }
apply_4() {
    rm -f /etc/mdadm/mdadm.conf.d/seatrial-small.conf
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
# Seatrial plan small: take SMB server nas out of service
# stage 6 of 6: forget the mark
# (the preamble)

# 1. give back the MTU of links
check_1() {
    for kept in /var/lib/seatrial/made/small/before/mtu-*; do [ ! -e $kept ] || exit 1; done
}
guard_1() { :; }
apply_1() {
    for kept in /var/lib/seatrial/made/small/before/mtu-*; do
        read -r was ours <$kept
        link=${kept##*/mtu-}
        read -r now </sys/class/net/$link/mtu || now=
        [ "$now" != "$ours" ] || ip link set dev "$link" mtu "$was"
        rm $kept
    done
}

# 2. note that small is gone from this node
check_2() {
    [ ! -e /var/lib/seatrial/made/small/mark ]
}
guard_2() { :; }
apply_2() {
    rm /var/lib/seatrial/made/small/mark
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 6, c[1-4] #####
as on nas, but for:
@@ -23 +23 @@
+    [ ! -e /var/lib/seatrial/made/small/mark ] && [ ! -e /var/lib/seatrial/made/small/left ]
@@ -27 +27,2 @@
+    rm -f /var/lib/seatrial/made/small/mark /var/lib/seatrial/made/small/left
+    rmdir /var/lib/seatrial/made/small 2>/dev/null || true
