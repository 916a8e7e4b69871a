##### stage 1, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 1 of 4: look
# (the preamble)

# 1. leave other clusters and their disks alone
check_1() {
    told=nobody
    [ ! -e /var/lib/ceph/seatrial ] || read -r told </var/lib/ceph/seatrial
    for found in /etc/ceph/ceph.conf /var/lib/ceph/mon/* /var/lib/ceph/osd/* /var/lib/ceph/mds/* /var/lib/ceph/mgr/*; do
        [ ! -e "$found" ] || [ "$told" = "gpfs-nsd 72cb21a0-e679-5f08-83c1-449b218fcb5d" ] || exit 1
    done
    case $told in nobody | "gpfs-nsd 72cb21a0-e679-5f08-83c1-449b218fcb5d") ;; *) exit 1 ;; esac
    {
        { [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = 72cb21a0-e679-5f08-83c1-000000000000 ] || all_must_be_blank /dev/ubdb; } &&
        :
    }
}
guard_1() { :; }
apply_1() {
    told=nobody
    [ ! -e /var/lib/ceph/seatrial ] || read -r told </var/lib/ceph/seatrial
    [ "$told" = "gpfs-nsd 72cb21a0-e679-5f08-83c1-449b218fcb5d" ] || [ "$told$(ls -d /etc/ceph/ceph.conf /var/lib/ceph/mon/* /var/lib/ceph/osd/* /var/lib/ceph/mds/* /var/lib/ceph/mgr/* 2>/dev/null)" = nobody ] || {
        echo "refused: this node has /etc/ceph/ceph.conf or parts of a Ceph cluster in /var/lib/ceph that this study has not made"
        echo "(the mark says: $told); nothing was changed; take the node out of that cluster first"
    }
    exit 1
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 1, s2 #####
as on s1, but for:
@@ -15 +15 @@
+        { [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = 72cb21a0-e679-5f08-83c1-000000000001 ] || all_must_be_blank /dev/ubdb; } &&
##### stage 1, s3 #####
as on s1, but for:
@@ -15 +15 @@
+        { [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = 72cb21a0-e679-5f08-83c1-000000000002 ] || all_must_be_blank /dev/ubdb; } &&
##### stage 1, s4 #####
as on s1, but for:
@@ -15 +15 @@
+        { [ "$(head -c 60 /dev/ubdb | sed -n 2p)" = 72cb21a0-e679-5f08-83c1-000000000003 ] || all_must_be_blank /dev/ubdb; } &&
##### stage 2, c[1-28] #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 2 of 4: unmount
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
##### stage 3, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 3 of 4: stop
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
##### stage 3, s2 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. stop ceph-osd@1 ceph-mon@s2
@@ -8 +8 @@
+    ! systemctl -q is-active ceph-osd@1 ceph-mon@s2 && ! systemctl -q is-enabled ceph-osd@1 ceph-mon@s2 2>/dev/null
@@ -12 +12 @@
+    systemctl -q disable --now ceph-osd@1 ceph-mon@s2
##### stage 3, s3 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. stop ceph-mds@s3 ceph-osd@2 ceph-mon@s3
@@ -8 +8 @@
+    ! systemctl -q is-active ceph-mds@s3 ceph-osd@2 ceph-mon@s3 && ! systemctl -q is-enabled ceph-mds@s3 ceph-osd@2 ceph-mon@s3 2>/dev/null
@@ -12 +12 @@
+    systemctl -q disable --now ceph-mds@s3 ceph-osd@2 ceph-mon@s3
##### stage 3, s4 #####
as on s1, but for:
@@ -6 +6 @@
+# 1. stop ceph-osd@3 ceph-mds@s4
@@ -8 +8 @@
+    ! systemctl -q is-active ceph-osd@3 ceph-mds@s4 && ! systemctl -q is-enabled ceph-osd@3 ceph-mds@s4 2>/dev/null
@@ -12 +12 @@
+    systemctl -q disable --now ceph-osd@3 ceph-mds@s4
##### stage 4, s1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd: take CephFS on 4 servers out of service
# stage 4 of 4: forget
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
##### stage 4, s2 #####
as on s1, but for:
@@ -54 +54 @@
+    for path in /var/lib/ceph/mgr/ceph-s2/keyring /var/lib/ceph/mds/ceph-s2/keyring /var/lib/ceph/osd/ceph-1/keyring; do [ ! -e $path ] || exit 1; done
@@ -58 +58 @@
+    rm -f /var/lib/ceph/mgr/ceph-s2/keyring /var/lib/ceph/mds/ceph-s2/keyring /var/lib/ceph/osd/ceph-1/keyring
##### stage 4, s3 #####
as on s1, but for:
@@ -54 +54 @@
+    for path in /var/lib/ceph/mgr/ceph-s3/keyring /var/lib/ceph/mds/ceph-s3/keyring /var/lib/ceph/osd/ceph-2/keyring; do [ ! -e $path ] || exit 1; done
@@ -58 +58 @@
+    rm -f /var/lib/ceph/mgr/ceph-s3/keyring /var/lib/ceph/mds/ceph-s3/keyring /var/lib/ceph/osd/ceph-2/keyring
##### stage 4, s4 #####
as on s1, but for:
@@ -54 +54 @@
+    for path in /var/lib/ceph/mgr/ceph-s4/keyring /var/lib/ceph/mds/ceph-s4/keyring /var/lib/ceph/osd/ceph-3/keyring; do [ ! -e $path ] || exit 1; done
@@ -58 +58 @@
+    rm -f /var/lib/ceph/mgr/ceph-s4/keyring /var/lib/ceph/mds/ceph-s4/keyring /var/lib/ceph/osd/ceph-3/keyring
