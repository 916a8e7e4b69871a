##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: take ssh server nas out of service
# stage 1 of 5: look, and change nothing
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
    [ -z "$found" ]
}
guard_3() { :; }
apply_3() {
    echo "refused: small has made nothing on this node (/var/lib/seatrial/made/small/mark is missing); this would be done:"
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
+    [ ! -e /etc/seatrial-small.key ]
+    ) >/dev/null 2>&1 || found='remove /etc/seatrial-small.key'
@@ -45,2 +45,2 @@
+    [ ! -e /etc/seatrial-small.known-hosts ]
+    ) >/dev/null 2>&1 || found='remove /etc/seatrial-small.known-hosts'
@@ -53,2 +53,2 @@
+    ! grep -q ' /mnt/small ' /etc/fstab
+    ) >/dev/null 2>&1 || echo '  no mount of /mnt/small at boot'
@@ -56,2 +56,2 @@
+    ! grep -q ' /mnt/small ' /proc/mounts && [ ! -d /mnt/small ]
+    ) >/dev/null 2>&1 || echo '  unmount /mnt/small'
@@ -59,2 +59,2 @@
+    [ ! -e /etc/seatrial-small.key ]
+    ) >/dev/null 2>&1 || echo '  remove /etc/seatrial-small.key'
@@ -62,2 +62,2 @@
+    [ ! -e /etc/seatrial-small.known-hosts ]
+    ) >/dev/null 2>&1 || echo '  remove /etc/seatrial-small.known-hosts'
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: take ssh server nas out of service
# stage 2 of 5: set nothing after a boot
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
# Seatrial plan small: take ssh server nas out of service
# stage 3 of 5: unmount
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

# 3. remove /etc/seatrial-small.key
check_3() {
    [ ! -e /etc/seatrial-small.key ]
}
guard_3() { :; }
apply_3() {
    rm -f /etc/seatrial-small.key
}

# 4. remove /etc/seatrial-small.known-hosts
check_4() {
    [ ! -e /etc/seatrial-small.known-hosts ]
}
guard_4() { :; }
apply_4() {
    rm -f /etc/seatrial-small.known-hosts
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
# Seatrial plan small: take ssh server nas out of service
# stage 4 of 5: close the login
# (the preamble)

# 1. no mount of /srv/small at boot
check_1() {
    ! grep -q ' /srv/small ' /etc/fstab
}
guard_1() { :; }
apply_1() {
    sed -i '\# /srv/small #d' /etc/fstab
}

# 2. unmount /srv/small
check_2() {
    ! grep -q ' /srv/small ' /proc/mounts && [ ! -d /srv/small ]
}
guard_2() { :; }
apply_2() {
    while grep -q ' /srv/small ' /proc/mounts; do umount /srv/small; done
    [ ! -d /srv/small ] || rmdir /srv/small
}

# 3. remove /run/seatrial-small.filesystem
check_3() {
    [ ! -e /run/seatrial-small.filesystem ]
}
guard_3() { :; }
apply_3() {
    rm -f /run/seatrial-small.filesystem
}

# 4. remove /run/seatrial-small.filesystem-readahead
check_4() {
    [ ! -e /run/seatrial-small.filesystem-readahead ]
}
guard_4() { :; }
apply_4() {
    rm -f /run/seatrial-small.filesystem-readahead
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
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: take ssh server nas out of service
# stage 5 of 5: forget the mark
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
##### stage 5, c[1-4] #####
as on nas, but for:
@@ -23 +23 @@
+    [ ! -e /var/lib/seatrial/made/small/mark ] && [ ! -e /var/lib/seatrial/made/small/left ]
@@ -27 +27,2 @@
+    rm -f /var/lib/seatrial/made/small/mark /var/lib/seatrial/made/small/left
+    rmdir /var/lib/seatrial/made/small 2>/dev/null || true
