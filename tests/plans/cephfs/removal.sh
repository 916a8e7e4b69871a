##### stage 1, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 1 of 6: look, and change nothing
# (the preamble)

# (look.sh)
# 1. follow no link
check_1() {
    set +e
    no_planted gpfs-nsd
}
guard_1() { :; }
apply_1() {
    set +e
    no_planted gpfs-nsd
    exit 1
}

# 2. leave other Ceph clusters alone
check_2() {
    told=nobody
    [ ! -e /var/lib/ceph/seatrial ] || read -r told </var/lib/ceph/seatrial
    for found in /etc/ceph/ceph.conf /var/lib/ceph/mon/* /var/lib/ceph/osd/* /var/lib/ceph/mds/* /var/lib/ceph/mgr/*; do
        [ ! -e "$found" ] || [ "$told" = "gpfs-nsd 72cb21a0-e679-5f08-83c1-449b218fcb5d" ] || exit 1
    done
    case $told in nobody | "gpfs-nsd 72cb21a0-e679-5f08-83c1-449b218fcb5d") ;; *) exit 1 ;; esac
}
guard_2() { :; }
apply_2() {
    told=nobody
    [ ! -e /var/lib/ceph/seatrial ] || read -r told </var/lib/ceph/seatrial
    echo "refused: this node has /etc/ceph/ceph.conf or parts of a Ceph cluster in /var/lib/ceph that this study has not made"
    echo "(the mark says: $told); nothing was changed; take the node out of that cluster first"
    exit 1
}

# 3. take away only what gpfs-nsd has made
check_3() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd/mark ] || exit 0
    found=
    (
    ! grep -q ' /mnt/gpfs-nsd fuse.ceph' /proc/mounts && ! grep -q ' /mnt/gpfs-nsd fuse.ceph ' /etc/fstab && for file in /etc/seatrial/gpfs-nsd.ceph.keyring /run/seatrial-gpfs-nsd.mount; do [ ! -e $file ] || exit 1; done
    ) >/dev/null 2>&1 || found='have no client at /mnt/gpfs-nsd'
    (
    ! systemctl -q is-active ceph-mgr@s1 ceph-osd@0 ceph-mon@s1 && ! systemctl -q is-enabled ceph-mgr@s1 ceph-osd@0 ceph-mon@s1 2>/dev/null
    ) >/dev/null 2>&1 || found='stop ceph-mgr@s1 ceph-osd@0 ceph-mon@s1'
    (
    [ ! -e /etc/systemd/system/ceph-osd@.service.d/seatrial.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/ceph-osd@.service.d/seatrial.conf'
    (
    [ ! -e /etc/ceph/ceph.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/ceph/ceph.conf'
    (
    [ ! -e /etc/ceph/ceph.client.admin.keyring ]
    ) >/dev/null 2>&1 || found='remove /etc/ceph/ceph.client.admin.keyring'
    (
    [ ! -e /usr/local/lib/seatrial/ceph-cluster ]
    ) >/dev/null 2>&1 || found='remove /usr/local/lib/seatrial/ceph-cluster'
    (
    [ ! -e /etc/ceph/seatrial-gpfs-nsd.json ]
    ) >/dev/null 2>&1 || found='remove /etc/ceph/seatrial-gpfs-nsd.json'
    (
    for path in /var/lib/ceph/mgr/ceph-s1/keyring /var/lib/ceph/mds/ceph-s1/keyring /var/lib/ceph/osd/ceph-0/keyring; do [ ! -e $path ] || exit 1; done
    ) >/dev/null 2>&1 || found='forget the keys of daemons'
    (
    [ ! -e /etc/seatrial/gpfs-nsd.ceph.servers ]
    ) >/dev/null 2>&1 || found='remove /etc/seatrial/gpfs-nsd.ceph.servers'
    (
    [ ! -e /etc/seatrial/gpfs-nsd.ceph.clients ]
    ) >/dev/null 2>&1 || found='remove /etc/seatrial/gpfs-nsd.ceph.clients'
    [ -z "$found" ]
}
guard_3() { :; }
apply_3() {
    echo "refused: gpfs-nsd has made nothing on this node (/var/lib/seatrial/made/gpfs-nsd/mark is missing); this would be done:"
    (
    ! grep -q ' /mnt/gpfs-nsd fuse.ceph' /proc/mounts && ! grep -q ' /mnt/gpfs-nsd fuse.ceph ' /etc/fstab && for file in /etc/seatrial/gpfs-nsd.ceph.keyring /run/seatrial-gpfs-nsd.mount; do [ ! -e $file ] || exit 1; done
    ) >/dev/null 2>&1 || echo '  have no client at /mnt/gpfs-nsd'
    (
    ! systemctl -q is-active ceph-mgr@s1 ceph-osd@0 ceph-mon@s1 && ! systemctl -q is-enabled ceph-mgr@s1 ceph-osd@0 ceph-mon@s1 2>/dev/null
    ) >/dev/null 2>&1 || echo '  stop ceph-mgr@s1 ceph-osd@0 ceph-mon@s1'
    (
    [ ! -e /etc/systemd/system/ceph-osd@.service.d/seatrial.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/ceph-osd@.service.d/seatrial.conf'
    (
    [ ! -e /etc/ceph/ceph.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/ceph/ceph.conf'
    (
    [ ! -e /etc/ceph/ceph.client.admin.keyring ]
    ) >/dev/null 2>&1 || echo '  remove /etc/ceph/ceph.client.admin.keyring'
    (
    [ ! -e /usr/local/lib/seatrial/ceph-cluster ]
    ) >/dev/null 2>&1 || echo '  remove /usr/local/lib/seatrial/ceph-cluster'
    (
    [ ! -e /etc/ceph/seatrial-gpfs-nsd.json ]
    ) >/dev/null 2>&1 || echo '  remove /etc/ceph/seatrial-gpfs-nsd.json'
    (
    for path in /var/lib/ceph/mgr/ceph-s1/keyring /var/lib/ceph/mds/ceph-s1/keyring /var/lib/ceph/osd/ceph-0/keyring; do [ ! -e $path ] || exit 1; done
    ) >/dev/null 2>&1 || echo '  forget the keys of daemons'
    (
    [ ! -e /etc/seatrial/gpfs-nsd.ceph.servers ]
    ) >/dev/null 2>&1 || echo '  remove /etc/seatrial/gpfs-nsd.ceph.servers'
    (
    [ ! -e /etc/seatrial/gpfs-nsd.ceph.clients ]
    ) >/dev/null 2>&1 || echo '  remove /etc/seatrial/gpfs-nsd.ceph.clients'
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
##### stage 1, s2 #####
as on s1, but for:
@@ -45,2 +45,2 @@
+    ! systemctl -q is-active ceph-osd@1 ceph-mon@s2 && ! systemctl -q is-enabled ceph-osd@1 ceph-mon@s2 2>/dev/null
+    ) >/dev/null 2>&1 || found='stop ceph-osd@1 ceph-mon@s2'
@@ -63 +63 @@
+    for path in /var/lib/ceph/mgr/ceph-s2/keyring /var/lib/ceph/mds/ceph-s2/keyring /var/lib/ceph/osd/ceph-1/keyring; do [ ! -e $path ] || exit 1; done
@@ -80,2 +80,2 @@
+    ! systemctl -q is-active ceph-osd@1 ceph-mon@s2 && ! systemctl -q is-enabled ceph-osd@1 ceph-mon@s2 2>/dev/null
+    ) >/dev/null 2>&1 || echo '  stop ceph-osd@1 ceph-mon@s2'
@@ -98 +98 @@
+    for path in /var/lib/ceph/mgr/ceph-s2/keyring /var/lib/ceph/mds/ceph-s2/keyring /var/lib/ceph/osd/ceph-1/keyring; do [ ! -e $path ] || exit 1; done
##### stage 1, s3 #####
as on s1, but for:
@@ -45,2 +45,2 @@
+    ! systemctl -q is-active ceph-mds@s3 ceph-osd@2 ceph-mon@s3 && ! systemctl -q is-enabled ceph-mds@s3 ceph-osd@2 ceph-mon@s3 2>/dev/null
+    ) >/dev/null 2>&1 || found='stop ceph-mds@s3 ceph-osd@2 ceph-mon@s3'
@@ -63 +63 @@
+    for path in /var/lib/ceph/mgr/ceph-s3/keyring /var/lib/ceph/mds/ceph-s3/keyring /var/lib/ceph/osd/ceph-2/keyring; do [ ! -e $path ] || exit 1; done
@@ -80,2 +80,2 @@
+    ! systemctl -q is-active ceph-mds@s3 ceph-osd@2 ceph-mon@s3 && ! systemctl -q is-enabled ceph-mds@s3 ceph-osd@2 ceph-mon@s3 2>/dev/null
+    ) >/dev/null 2>&1 || echo '  stop ceph-mds@s3 ceph-osd@2 ceph-mon@s3'
@@ -98 +98 @@
+    for path in /var/lib/ceph/mgr/ceph-s3/keyring /var/lib/ceph/mds/ceph-s3/keyring /var/lib/ceph/osd/ceph-2/keyring; do [ ! -e $path ] || exit 1; done
##### stage 1, s4 #####
as on s1, but for:
@@ -45,2 +45,2 @@
+    ! systemctl -q is-active ceph-osd@3 ceph-mds@s4 && ! systemctl -q is-enabled ceph-osd@3 ceph-mds@s4 2>/dev/null
+    ) >/dev/null 2>&1 || found='stop ceph-osd@3 ceph-mds@s4'
@@ -63 +63 @@
+    for path in /var/lib/ceph/mgr/ceph-s4/keyring /var/lib/ceph/mds/ceph-s4/keyring /var/lib/ceph/osd/ceph-3/keyring; do [ ! -e $path ] || exit 1; done
@@ -80,2 +80,2 @@
+    ! systemctl -q is-active ceph-osd@3 ceph-mds@s4 && ! systemctl -q is-enabled ceph-osd@3 ceph-mds@s4 2>/dev/null
+    ) >/dev/null 2>&1 || echo '  stop ceph-osd@3 ceph-mds@s4'
@@ -98 +98 @@
+    for path in /var/lib/ceph/mgr/ceph-s4/keyring /var/lib/ceph/mds/ceph-s4/keyring /var/lib/ceph/osd/ceph-3/keyring; do [ ! -e $path ] || exit 1; done
##### stage 1, c[1-28] #####
as on s1, but for:
@@ -19 +19 @@
+# 2. mount over nothing: /mnt/gpfs-nsd
@@ -21,6 +21,2 @@
+    set +e
+    no_other_mount gpfs-nsd /mnt/gpfs-nsd
@@ -30,4 +26,2 @@
+    set +e
+    no_other_mount gpfs-nsd /mnt/gpfs-nsd
@@ -42,2 +36,2 @@
+    ! grep -q ' /mnt/gpfs-nsd ' /etc/fstab
+    ) >/dev/null 2>&1 || found='no mount of /mnt/gpfs-nsd at boot'
@@ -45,2 +39,2 @@
+    ! grep -q ' /mnt/gpfs-nsd ' /proc/mounts && [ ! -d /mnt/gpfs-nsd ]
+    ) >/dev/null 2>&1 || found='unmount /mnt/gpfs-nsd'
@@ -48,2 +42,2 @@
+    [ ! -e /run/seatrial-gpfs-nsd.mount ]
+    ) >/dev/null 2>&1 || found='remove /run/seatrial-gpfs-nsd.mount'
@@ -51,17 +45,2 @@
+    [ ! -e /etc/seatrial/gpfs-nsd.ceph.key ]
+    ) >/dev/null 2>&1 || found='remove /etc/seatrial/gpfs-nsd.ceph.key'
@@ -77,2 +56,2 @@
+    ! grep -q ' /mnt/gpfs-nsd ' /etc/fstab
+    ) >/dev/null 2>&1 || echo '  no mount of /mnt/gpfs-nsd at boot'
@@ -80,2 +59,2 @@
+    ! grep -q ' /mnt/gpfs-nsd ' /proc/mounts && [ ! -d /mnt/gpfs-nsd ]
+    ) >/dev/null 2>&1 || echo '  unmount /mnt/gpfs-nsd'
@@ -83,2 +62,2 @@
+    [ ! -e /run/seatrial-gpfs-nsd.mount ]
+    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-gpfs-nsd.mount'
@@ -86,17 +65,2 @@
+    [ ! -e /etc/seatrial/gpfs-nsd.ceph.key ]
+    ) >/dev/null 2>&1 || echo '  remove /etc/seatrial/gpfs-nsd.ceph.key'
##### stage 2, c[1-28],s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 2 of 6: set nothing after a boot
# (the preamble)

# 1. set nothing of network after a boot
check_1() {
    ! systemctl -q is-active seatrial-gpfs-nsd-network && ! systemctl -q is-enabled seatrial-gpfs-nsd-network
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload disable seatrial-gpfs-nsd-network
    systemctl stop seatrial-gpfs-nsd-network
}

# 2. remove /etc/systemd/system/seatrial-gpfs-nsd-network.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-gpfs-nsd-network.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gpfs-nsd-network.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gpfs-nsd-network.service)" = no ] || systemctl daemon-reload
}

# 3. remove /usr/local/sbin/seatrial-gpfs-nsd-network
check_3() {
    [ ! -e /usr/local/sbin/seatrial-gpfs-nsd-network ]
}
guard_3() { :; }
apply_3() {
    rm -f /usr/local/sbin/seatrial-gpfs-nsd-network
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
##### stage 3, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 3 of 6: unmount
# (the preamble)

# 1. no mount of /mnt/gpfs-nsd at boot
check_1() {
    ! grep -q ' /mnt/gpfs-nsd ' /etc/fstab
}
guard_1() { :; }
apply_1() {
    sed -i '\# /mnt/gpfs-nsd #d' /etc/fstab
}

# 2. unmount /mnt/gpfs-nsd
check_2() {
    ! grep -q ' /mnt/gpfs-nsd ' /proc/mounts && [ ! -d /mnt/gpfs-nsd ]
}
guard_2() { :; }
apply_2() {
    while grep -q ' /mnt/gpfs-nsd ' /proc/mounts; do umount /mnt/gpfs-nsd; done
    [ ! -d /mnt/gpfs-nsd ] || rmdir /mnt/gpfs-nsd
}

# 3. remove /run/seatrial-gpfs-nsd.mount
check_3() {
    [ ! -e /run/seatrial-gpfs-nsd.mount ]
}
guard_3() { :; }
apply_3() {
    rm -f /run/seatrial-gpfs-nsd.mount
}

# 4. remove /etc/seatrial/gpfs-nsd.ceph.key
check_4() {
    [ ! -e /etc/seatrial/gpfs-nsd.ceph.key ]
}
guard_4() { :; }
apply_4() {
    rm -f /etc/seatrial/gpfs-nsd.ceph.key
}

# 5. remove /etc/seatrial/gpfs-nsd.ceph.clients
check_5() {
    [ ! -e /etc/seatrial/gpfs-nsd.ceph.clients ]
}
guard_5() { :; }
apply_5() {
    rm -f /etc/seatrial/gpfs-nsd.ceph.clients
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
##### stage 3, s[1-4] #####
as on c[1-28], but for:
@@ -6 +6 @@
+# 1. have no client at /mnt/gpfs-nsd
@@ -8 +8 @@
+    ! grep -q ' /mnt/gpfs-nsd fuse.ceph' /proc/mounts && ! grep -q ' /mnt/gpfs-nsd fuse.ceph ' /etc/fstab && for file in /etc/seatrial/gpfs-nsd.ceph.keyring /run/seatrial-gpfs-nsd.mount; do [ ! -e $file ] || exit 1; done
@@ -12,10 +12,3 @@
+    while grep -q ' /mnt/gpfs-nsd fuse.ceph' /proc/mounts; do umount /mnt/gpfs-nsd; done
+    sed -i '\# /mnt/gpfs-nsd fuse.ceph #d' /etc/fstab
+    rm -f /etc/seatrial/gpfs-nsd.ceph.keyring /run/seatrial-gpfs-nsd.mount
@@ -23,27 +15,0 @@
@@ -54,4 +19,0 @@
##### stage 4, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 4 of 6: stop
# (the preamble)

# 1. stop ceph-mgr@s1 ceph-osd@0 ceph-mon@s1
check_1() {
    ! systemctl -q is-active ceph-mgr@s1 ceph-osd@0 ceph-mon@s1 && ! systemctl -q is-enabled ceph-mgr@s1 ceph-osd@0 ceph-mon@s1 2>/dev/null
}
guard_1() { :; }
apply_1() {
    systemctl -q disable --now ceph-mgr@s1 ceph-osd@0 ceph-mon@s1
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 4, s2 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. stop ceph-osd@1 ceph-mon@s2
@@ -8 +8 @@
+    ! systemctl -q is-active ceph-osd@1 ceph-mon@s2 && ! systemctl -q is-enabled ceph-osd@1 ceph-mon@s2 2>/dev/null
@@ -12 +12 @@
+    systemctl -q disable --now ceph-osd@1 ceph-mon@s2
##### stage 4, s3 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. stop ceph-mds@s3 ceph-osd@2 ceph-mon@s3
@@ -8 +8 @@
+    ! systemctl -q is-active ceph-mds@s3 ceph-osd@2 ceph-mon@s3 && ! systemctl -q is-enabled ceph-mds@s3 ceph-osd@2 ceph-mon@s3 2>/dev/null
@@ -12 +12 @@
+    systemctl -q disable --now ceph-mds@s3 ceph-osd@2 ceph-mon@s3
##### stage 4, s4 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. stop ceph-osd@3 ceph-mds@s4
@@ -8 +8 @@
+    ! systemctl -q is-active ceph-osd@3 ceph-mds@s4 && ! systemctl -q is-enabled ceph-osd@3 ceph-mds@s4 2>/dev/null
@@ -12 +12 @@
+    systemctl -q disable --now ceph-osd@3 ceph-mds@s4
##### stage 5, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 5 of 6: forget
# (the preamble)

# 1. remove /etc/systemd/system/ceph-osd@.service.d/seatrial.conf
check_1() {
    [ ! -e /etc/systemd/system/ceph-osd@.service.d/seatrial.conf ]
}
guard_1() { :; }
apply_1() {
    rm -f /etc/systemd/system/ceph-osd@.service.d/seatrial.conf
    systemctl daemon-reload
}

# 2. remove /etc/ceph/ceph.conf
check_2() {
    [ ! -e /etc/ceph/ceph.conf ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/ceph/ceph.conf
}

# 3. remove /etc/ceph/ceph.client.admin.keyring
check_3() {
    [ ! -e /etc/ceph/ceph.client.admin.keyring ]
}
guard_3() { :; }
apply_3() {
    rm -f /etc/ceph/ceph.client.admin.keyring
}

# 4. remove /usr/local/lib/seatrial/ceph-cluster
check_4() {
    [ ! -e /usr/local/lib/seatrial/ceph-cluster ]
}
guard_4() { :; }
apply_4() {
    rm -f /usr/local/lib/seatrial/ceph-cluster
}

# 5. remove /etc/ceph/seatrial-gpfs-nsd.json
check_5() {
    [ ! -e /etc/ceph/seatrial-gpfs-nsd.json ]
}
guard_5() { :; }
apply_5() {
    rm -f /etc/ceph/seatrial-gpfs-nsd.json
}

# 6. forget the keys of daemons
check_6() {
    for path in /var/lib/ceph/mgr/ceph-s1/keyring /var/lib/ceph/mds/ceph-s1/keyring /var/lib/ceph/osd/ceph-0/keyring; do [ ! -e $path ] || exit 1; done
}
guard_6() { :; }
apply_6() {
    rm -f /var/lib/ceph/mgr/ceph-s1/keyring /var/lib/ceph/mds/ceph-s1/keyring /var/lib/ceph/osd/ceph-0/keyring
}

# 7. remove /etc/seatrial/gpfs-nsd.ceph.servers
check_7() {
    [ ! -e /etc/seatrial/gpfs-nsd.ceph.servers ]
}
guard_7() { :; }
apply_7() {
    rm -f /etc/seatrial/gpfs-nsd.ceph.servers
}

# 8. remove /etc/seatrial/gpfs-nsd.ceph.clients
check_8() {
    [ ! -e /etc/seatrial/gpfs-nsd.ceph.clients ]
}
guard_8() { :; }
apply_8() {
    rm -f /etc/seatrial/gpfs-nsd.ceph.clients
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
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 5, s2 #####
as on s1, but for:
@@ -54 +54 @@
+    for path in /var/lib/ceph/mgr/ceph-s2/keyring /var/lib/ceph/mds/ceph-s2/keyring /var/lib/ceph/osd/ceph-1/keyring; do [ ! -e $path ] || exit 1; done
@@ -58 +58 @@
+    rm -f /var/lib/ceph/mgr/ceph-s2/keyring /var/lib/ceph/mds/ceph-s2/keyring /var/lib/ceph/osd/ceph-1/keyring
##### stage 5, s3 #####
as on s1, but for:
@@ -54 +54 @@
+    for path in /var/lib/ceph/mgr/ceph-s3/keyring /var/lib/ceph/mds/ceph-s3/keyring /var/lib/ceph/osd/ceph-2/keyring; do [ ! -e $path ] || exit 1; done
@@ -58 +58 @@
+    rm -f /var/lib/ceph/mgr/ceph-s3/keyring /var/lib/ceph/mds/ceph-s3/keyring /var/lib/ceph/osd/ceph-2/keyring
##### stage 5, s4 #####
as on s1, but for:
@@ -54 +54 @@
+    for path in /var/lib/ceph/mgr/ceph-s4/keyring /var/lib/ceph/mds/ceph-s4/keyring /var/lib/ceph/osd/ceph-3/keyring; do [ ! -e $path ] || exit 1; done
@@ -58 +58 @@
+    rm -f /var/lib/ceph/mgr/ceph-s4/keyring /var/lib/ceph/mds/ceph-s4/keyring /var/lib/ceph/osd/ceph-3/keyring
##### stage 6, s[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 6 of 6: forget the mark
# (the preamble)

# (kept.sh)
# 1. give back the MTU of links
check_1() {
    for kept in /var/lib/seatrial/made/gpfs-nsd/before/mtu-*; do [ ! -e $kept ] || exit 1; done
}
guard_1() { :; }
apply_1() {
    for kept in /var/lib/seatrial/made/gpfs-nsd/before/mtu-*; do
        read -r was ours <$kept
        link=${kept##*/mtu-}
        read -r now </sys/class/net/$link/mtu || now=
        [ "$now" != "$ours" ] || ip link set dev "$link" mtu "$was"
        rm $kept
    done
}

# 2. give back the units that were enabled or active
check_2() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd/before/units ]
}
guard_2() { :; }
apply_2() {
    give_back_units /var/lib/seatrial/made/gpfs-nsd/before/units
    rm /var/lib/seatrial/made/gpfs-nsd/before/units
}

# 3. note that gpfs-nsd is gone from this node
check_3() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd/mark ]
}
guard_3() { :; }
apply_3() {
    rm /var/lib/seatrial/made/gpfs-nsd/mark
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
##### stage 6, c[1-28] #####
as on s[1-4], but for:
@@ -6 +5,0 @@
@@ -22 +21 @@
+# 2. note that gpfs-nsd is gone from this node
@@ -24 +23 @@
+    [ ! -e /var/lib/seatrial/made/gpfs-nsd/mark ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd/left ]
@@ -28,11 +27,2 @@
+    rm -f /var/lib/seatrial/made/gpfs-nsd/mark /var/lib/seatrial/made/gpfs-nsd/left
+    rmdir /var/lib/seatrial/made/gpfs-nsd 2>/dev/null || true
@@ -44 +33,0 @@
