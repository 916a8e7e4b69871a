##### stage 1, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 1 of 12: look, and change nothing
# (the preamble)

# (look.sh)
# 1. follow no link
check_1() {
    set +e
    no_planted gfs-equallogic
}
guard_1() { :; }
apply_1() {
    set +e
    no_planted gfs-equallogic
    exit 1
}

# 2. leave the sessions of other iSCSI targets alone: iqn.2026-01.org.seatrial:gfs-equallogic
check_2() {
    set +e
    no_other_sessions gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic
}
guard_2() { :; }
apply_2() {
    set +e
    no_other_sessions gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic
    exit 1
}

# 3. leave other clusters alone: gfs-equallogic
check_3() {
    set +e
    no_other_cluster gfs-equallogic gfs-equallogic
}
guard_3() { :; }
apply_3() {
    set +e
    no_other_cluster gfs-equallogic gfs-equallogic
    exit 1
}

# 4. mount over nothing: /mnt/gfs-equallogic
check_4() {
    set +e
    no_other_mount gfs-equallogic /mnt/gfs-equallogic
}
guard_4() { :; }
apply_4() {
    set +e
    no_other_mount gfs-equallogic /mnt/gfs-equallogic
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
##### stage 1, ps1 #####
as on c[1-6], but for:
@@ -19 +19 @@
+# 2. leave other iSCSI targets alone: iqn.2026-01.org.seatrial:gfs-equallogic
@@ -22 +22 @@
+    no_other_targets gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic
@@ -27 +27 @@
+    no_other_targets gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic
@@ -31 +31 @@
+# 3. leave other clusters alone
@@ -43 +43 @@
+# 4. use no disk twice
@@ -46 +46 @@
+    look_twice /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi
@@ -51 +51,33 @@
+    look_twice /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi
+    exit 1
+}
+
+# 5. overwrite nothing that is somebody's: create gfs-equallogic-s0, gfs-equallogic-s1: RAID 5
+check_5() {
+    set +e
+    (
+    [ -b /dev/md/gfs-equallogic-s0 ] && set_=$(readlink -f /dev/md/gfs-equallogic-s0) && set_=/sys/block/${set_##*/}/md &&
+        read -r level <$set_/level && [ "$level" = raid5 ] &&
+        read -r disks <$set_/raid_disks && [ "$disks" = 3 ] &&
+        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ] &&
+    [ -b /dev/md/gfs-equallogic-s1 ] && set_=$(readlink -f /dev/md/gfs-equallogic-s1) && set_=/sys/block/${set_##*/}/md &&
+        read -r level <$set_/level && [ "$level" = raid5 ] &&
+        read -r disks <$set_/raid_disks && [ "$disks" = 3 ] &&
+        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
+    ) >/dev/null 2>&1 && exit 0
+    look_disks gfs-equallogic 'any:gfs-equallogic-s0 any:gfs-equallogic-s1' '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi
+}
+guard_5() { :; }
+apply_5() {
+    set +e
+    (
+    [ -b /dev/md/gfs-equallogic-s0 ] && set_=$(readlink -f /dev/md/gfs-equallogic-s0) && set_=/sys/block/${set_##*/}/md &&
+        read -r level <$set_/level && [ "$level" = raid5 ] &&
+        read -r disks <$set_/raid_disks && [ "$disks" = 3 ] &&
+        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ] &&
+    [ -b /dev/md/gfs-equallogic-s1 ] && set_=$(readlink -f /dev/md/gfs-equallogic-s1) && set_=/sys/block/${set_##*/}/md &&
+        read -r level <$set_/level && [ "$level" = raid5 ] &&
+        read -r disks <$set_/raid_disks && [ "$disks" = 3 ] &&
+        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
+    ) >/dev/null 2>&1 && exit 0
+    look_disks gfs-equallogic 'any:gfs-equallogic-s0 any:gfs-equallogic-s1' '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi
@@ -59,0 +92 @@
+    step 5
##### stage 1, ps3 #####
as on c[1-6], but for:
@@ -19 +19 @@
+# 2. leave other clusters alone
@@ -22 +22 @@
+    no_other_cluster gfs-equallogic gfs-equallogic
@@ -27,7 +26,0 @@
@@ -35,17 +27,0 @@
@@ -58,2 +33,0 @@
##### stage 2, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 2 of 12: mark
# (the preamble)

# (kept.sh)
# 1. note that gfs-equallogic builds on this node
check_1() {
    [ -e /var/lib/seatrial/made/gfs-equallogic/mark ]
}
guard_1() { :; }
apply_1() {
    umask 077
    mkdir -p /var/lib/seatrial/made/gfs-equallogic
    chmod 700 /var/lib/seatrial/made /var/lib/seatrial/made/gfs-equallogic
    : >/var/lib/seatrial/made/gfs-equallogic/left
    : >/var/lib/seatrial/made/gfs-equallogic/mark
}

# 2. keep how open-iscsi, iscsid, corosync, dlm, lvmlockd are
check_2() {
    units_are_kept /var/lib/seatrial/made/gfs-equallogic/before/units open-iscsi.service iscsid.service corosync.service dlm.service lvmlockd.service
}
guard_2() { :; }
apply_2() {
    keep_units /var/lib/seatrial/made/gfs-equallogic/before/units open-iscsi.service iscsid.service corosync.service dlm.service lvmlockd.service
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 2, ps1 #####
as on c[1-6], but for:
@@ -20 +20 @@
+# 2. keep how tgt is
@@ -22 +22 @@
+    units_are_kept /var/lib/seatrial/made/gfs-equallogic/before/units tgt.service
@@ -26 +26 @@
+    keep_units /var/lib/seatrial/made/gfs-equallogic/before/units tgt.service
##### stage 2, ps3 #####
as on c[1-6], but for:
@@ -6 +5,0 @@
@@ -20,9 +18,0 @@
@@ -31 +20,0 @@
##### stage 3, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 3 of 12: packages
# (the preamble)

# 1. have corosync, dlm_controld, lvmlockd, mkfs.gfs2, iscsiadm, parted, fence_ipmilan
check_1() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v corosync >/dev/null &&
    command -v dlm_controld >/dev/null &&
    command -v lvmlockd >/dev/null &&
    command -v mkfs.gfs2 >/dev/null &&
    command -v iscsiadm >/dev/null &&
    command -v parted >/dev/null &&
    command -v fence_ipmilan >/dev/null
}
guard_1() { :; }
apply_1() {
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends corosync dlm-controld fence-agents gfs2-utils lvm2-lockd open-iscsi parted
    else
        dnf install -y corosync dlm-controld fence-agents gfs2-utils lvm2-lockd open-iscsi parted
    fi
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 4, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 4 of 12: network
# (the preamble)

# 1. MTU 9000 on the link towards ps1-storage
#    why: fewer and larger packets cost both ends less per byte; every node, and the switch, must agree
check_1() {
    peer=$(getent ahostsv4 ps1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
    link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
    read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
}
guard_1() { :; }
apply_1() {
    peer=$(getent ahostsv4 ps1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
    link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
    (
        umask 077
        mkdir -p /var/lib/seatrial/made/gfs-equallogic/before
        if [ -e "/var/lib/seatrial/made/gfs-equallogic/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/gfs-equallogic/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
        echo "$was 9000" >"/var/lib/seatrial/made/gfs-equallogic/before/mtu-$link"
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
##### stage 4, ps1 #####
as on c[1-6], but for:
@@ -6 +6 @@
+# 1. MTU 9000 on the link towards c1-storage
@@ -9 +9 @@
+    peer=$(getent ahostsv4 c1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -15 +15 @@
+    peer=$(getent ahostsv4 c1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
##### stage 5, ps1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 5 of 12: members
# (the preamble)

# 1. assemble gfs-equallogic-s0, gfs-equallogic-s1 where it exists already
check_1() {
    ! { { [ ! -b /dev/md/gfs-equallogic-s0 ] && mdadm --examine --export /dev/ubdb 2>/dev/null | grep -q '^MD_NAME=any:gfs-equallogic-s0$'; } ||
    { [ ! -b /dev/md/gfs-equallogic-s1 ] && mdadm --examine --export /dev/ubde 2>/dev/null | grep -q '^MD_NAME=any:gfs-equallogic-s1$'; }; }
}
guard_1() { :; }
apply_1() {
    [ -b /dev/md/gfs-equallogic-s0 ] || mdadm --assemble /dev/md/gfs-equallogic-s0 /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh
    [ -b /dev/md/gfs-equallogic-s1 ] || mdadm --assemble /dev/md/gfs-equallogic-s1 /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/gfs-equallogic-s0
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/gfs-equallogic-s1
}

# 2. create gfs-equallogic-s0, gfs-equallogic-s1: RAID 5
#    why: the devices are new and hold zeros, so parity is consistent and no initial synchronisation runs
check_2() {
    [ -b /dev/md/gfs-equallogic-s0 ] && set_=$(readlink -f /dev/md/gfs-equallogic-s0) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid5 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 3 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ] &&
    [ -b /dev/md/gfs-equallogic-s1 ] && set_=$(readlink -f /dev/md/gfs-equallogic-s1) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid5 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 3 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
}
guard_2() { all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi; }
apply_2() {
    modprobe raid456 || true
    pids=
    mdadm --create /dev/md/gfs-equallogic-s0 --run --metadata=1.2 --homehost=any --name=gfs-equallogic-s0 --level=5 \
        --raid-devices=3 --spare-devices=1 --chunk=64 --assume-clean /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh & pids="$pids $!"
    mdadm --create /dev/md/gfs-equallogic-s1 --run --metadata=1.2 --homehost=any --name=gfs-equallogic-s1 --level=5 \
        --raid-devices=3 --spare-devices=1 --chunk=64 --assume-clean /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/gfs-equallogic-s0
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/gfs-equallogic-s1
}

# 3. assemble gfs-equallogic where it exists already
check_3() {
    ! { { [ ! -b /dev/md/gfs-equallogic ] && mdadm --examine --export /dev/md/gfs-equallogic-s0 2>/dev/null | grep -q '^MD_NAME=any:gfs-equallogic$'; }; }
}
guard_3() { :; }
apply_3() {
    [ -b /dev/md/gfs-equallogic ] || mdadm --assemble /dev/md/gfs-equallogic /dev/md/gfs-equallogic-s0 /dev/md/gfs-equallogic-s1
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/gfs-equallogic
}

# 4. create gfs-equallogic: RAID 0
#    why: the upper chunk is a full stripe of a span, so that large writes need no read-modify-write below
check_4() {
    [ -b /dev/md/gfs-equallogic ] && set_=$(readlink -f /dev/md/gfs-equallogic) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid0 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 2 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 131072 ]
}
guard_4() { all_must_be_blank /dev/md/gfs-equallogic-s0 /dev/md/gfs-equallogic-s1; }
apply_4() {
    modprobe raid0 || true
    pids=
    mdadm --create /dev/md/gfs-equallogic --run --metadata=1.2 --homehost=any --name=gfs-equallogic --level=0 \
        --raid-devices=2 --chunk=128 /dev/md/gfs-equallogic-s0 /dev/md/gfs-equallogic-s1 & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/gfs-equallogic
}

# 5. assemble the array at every boot
check_5() {
    cmp -s /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf - <<'SEATRIAL'
ARRAY /dev/md/gfs-equallogic-s0 metadata=1.2 name=any:gfs-equallogic-s0
ARRAY /dev/md/gfs-equallogic-s1 metadata=1.2 name=any:gfs-equallogic-s1
ARRAY /dev/md/gfs-equallogic metadata=1.2 name=any:gfs-equallogic
SEATRIAL
}
guard_5() { :; }
apply_5() {
    mkdir -p /etc/mdadm/mdadm.conf.d
    cat >/etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf.new <<'SEATRIAL' || { rm -f /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf.new; exit 1; }
ARRAY /dev/md/gfs-equallogic-s0 metadata=1.2 name=any:gfs-equallogic-s0
ARRAY /dev/md/gfs-equallogic-s1 metadata=1.2 name=any:gfs-equallogic-s1
ARRAY /dev/md/gfs-equallogic metadata=1.2 name=any:gfs-equallogic
SEATRIAL
    mv /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf.new /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf
}

# 6. have tgtd, mdadm, vgcreate
check_6() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v tgtd >/dev/null &&
    command -v mdadm >/dev/null &&
    command -v vgcreate >/dev/null
}
guard_6() { :; }
apply_6() {
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends lvm2 mdadm tgt
    else
        dnf install -y lvm2 mdadm tgt
    fi
}

# 7. divide /dev/md/gfs-equallogic into 1 volume
check_7() {
    vgs --noheadings -o tags seatrial-group 2>/dev/null | grep -q seatrial-made && [ "$(readlink -f /dev/md/gfs-equallogic)" = "$(readlink -f $(pvs --noheadings -o pv_name -S vg_name=seatrial-group))" ]
}
guard_7() { :; }
apply_7() {
    must_be_blank /dev/md/gfs-equallogic
    vgcreate -q -y seatrial-group /dev/md/gfs-equallogic
    lvcreate -q -y -W n -n shared -l 100%FREE seatrial-group
    vgchange -q --addtag seatrial-made seatrial-group
}

# 8. give the target's sockets room for whole answers
#    why: tgtd tries again at once when a socket is full, and keeps a processor busy with it for as long as the link is slower than the disks
check_8() {
    cmp -s /etc/sysctl.d/60-seatrial-tgt.conf - <<'SEATRIAL'
net.ipv4.tcp_wmem = 4096 4194304 16777216
SEATRIAL
}
guard_8() { :; }
apply_8() {
    mkdir -p /etc/sysctl.d
    cat >/etc/sysctl.d/60-seatrial-tgt.conf.new <<'SEATRIAL' || { rm -f /etc/sysctl.d/60-seatrial-tgt.conf.new; exit 1; }
net.ipv4.tcp_wmem = 4096 4194304 16777216
SEATRIAL
    mv /etc/sysctl.d/60-seatrial-tgt.conf.new /etc/sysctl.d/60-seatrial-tgt.conf
    sysctl -q -p /etc/sysctl.d/60-seatrial-tgt.conf
}

# 9. keep the secret of the iSCSI account for root alone
#    why: whoever is on the storage network could read and write the volumes
check_9() {
    cmp -s /var/lib/seatrial/made/gfs-equallogic/iscsi-chap - <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
guard_9() { :; }
apply_9() {
    mkdir -p /var/lib/seatrial/made/gfs-equallogic
    (umask 077; cat >/var/lib/seatrial/made/gfs-equallogic/iscsi-chap.new) <<'SEATRIAL' || { rm -f /var/lib/seatrial/made/gfs-equallogic/iscsi-chap.new; exit 1; }
@generated:iscsi-chap@
SEATRIAL
    chmod 600 /var/lib/seatrial/made/gfs-equallogic/iscsi-chap.new
    mv /var/lib/seatrial/made/gfs-equallogic/iscsi-chap.new /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
}

# 10. say how targets are offered
check_10() {
    cmp -s /usr/local/sbin/seatrial-targets - <<'SEATRIAL'
# (iscsi_targets.sh)
SEATRIAL
}
guard_10() { :; }
apply_10() {
    mkdir -p /usr/local/sbin
    cat >/usr/local/sbin/seatrial-targets.new <<'SEATRIAL' || { rm -f /usr/local/sbin/seatrial-targets.new; exit 1; }
# (iscsi_targets.sh)
SEATRIAL
    chmod 755 /usr/local/sbin/seatrial-targets.new
    mv /usr/local/sbin/seatrial-targets.new /usr/local/sbin/seatrial-targets
}

# 11. offer 1 target to its initiators
check_11() {
    cmp -s /etc/tgt/seatrial-gfs-equallogic.targets - <<'SEATRIAL'
account gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
target 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared
lun 1 1 /dev/seatrial-group/shared a86f955117c0370d VOLUME
asks 1 gfs-equallogic
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c6
portal ps1-storage 3260
SEATRIAL
}
guard_11() { :; }
apply_11() {
    mkdir -p /etc/tgt
    cat >/etc/tgt/seatrial-gfs-equallogic.targets.new <<'SEATRIAL' || { rm -f /etc/tgt/seatrial-gfs-equallogic.targets.new; exit 1; }
account gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
target 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared
lun 1 1 /dev/seatrial-group/shared a86f955117c0370d VOLUME
asks 1 gfs-equallogic
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 1 iqn.2026-01.org.seatrial:gfs-equallogic.c6
portal ps1-storage 3260
SEATRIAL
    mv /etc/tgt/seatrial-gfs-equallogic.targets.new /etc/tgt/seatrial-gfs-equallogic.targets
}

# 12. have the iSCSI target wait at boot until the array is assembled
#    why: a target that starts before its array offers nothing; and one that is reached before it is complete closes logins half way, which iscsid may never recover from (open-iscsi, issue 387)
check_12() {
    cmp -s /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf - <<'SEATRIAL'
[Unit]
Wants=dev-seatrial\x2dgroup-shared.device
After=dev-seatrial\x2dgroup-shared.device
[Service]
ExecStart=
ExecStart=/usr/sbin/tgtd -f --iscsi portal=127.0.0.1:3260
ExecStartPost=/usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gfs-equallogic.targets start
TimeoutStartSec=180
SEATRIAL
}
guard_12() { :; }
apply_12() {
    mkdir -p /etc/systemd/system/tgt.service.d
    cat >/etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf.new <<'SEATRIAL' || { rm -f /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf.new; exit 1; }
[Unit]
Wants=dev-seatrial\x2dgroup-shared.device
After=dev-seatrial\x2dgroup-shared.device
[Service]
ExecStart=
ExecStart=/usr/sbin/tgtd -f --iscsi portal=127.0.0.1:3260
ExecStartPost=/usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gfs-equallogic.targets start
TimeoutStartSec=180
SEATRIAL
    mv /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf.new /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf
    [ "$(systemctl show --property=NeedDaemonReload --value tgt.service)" = no ] || systemctl daemon-reload
    ! systemctl -q is-active tgt || [ -n "$(tgtadm --lld iscsi --mode target --op show)" ] || systemctl stop tgt
}

# 13. have the iSCSI target run, and offer them
check_13() {
    systemctl -q is-active tgt && systemctl -q is-enabled tgt && /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gfs-equallogic.targets check
}
guard_13() { :; }
apply_13() {
    systemctl -q is-enabled tgt || systemctl -q --no-reload enable tgt
    systemctl start tgt
    /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gfs-equallogic.targets
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
    step 11
    step 12
    step 13
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 6, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 6 of 12: sessions
# (the preamble)

# (iscsi_initiator.sh)
# 1. have iscsiadm
check_1() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v iscsiadm >/dev/null
}
guard_1() { :; }
apply_1() {
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends open-iscsi
    else
        dnf install -y open-iscsi
    fi
}

# 2. write /etc/iscsi/initiatorname.iscsi
check_2() {
    cmp -s /etc/iscsi/initiatorname.iscsi - <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c1
SEATRIAL
}
guard_2() { :; }
apply_2() {
    [ -e /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi ] || [ -e /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/gfs-equallogic/before
        [ -s /etc/iscsi/initiatorname.iscsi ] || exec touch /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.absent
        cp -p /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.new && mv /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.new /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi ||
            { rm -f /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.new; exit 1; }
    )
    mkdir -p /etc/iscsi
    cat >/etc/iscsi/initiatorname.iscsi.new <<'SEATRIAL' || { rm -f /etc/iscsi/initiatorname.iscsi.new; exit 1; }
InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c1
SEATRIAL
    (umask 077 && cp /etc/iscsi/initiatorname.iscsi.new /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.ours.new && mv /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.ours.new /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.ours ||
        { rm -f /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.ours.new; exit 1; })
    mv /etc/iscsi/initiatorname.iscsi.new /etc/iscsi/initiatorname.iscsi
}

# 3. write /etc/modules-load.d/seatrial-storage.conf
check_3() {
    cmp -s /etc/modules-load.d/seatrial-storage.conf - <<'SEATRIAL'
iscsi_tcp
sd_mod
SEATRIAL
}
guard_3() { :; }
apply_3() {
    mkdir -p /etc/modules-load.d
    cat >/etc/modules-load.d/seatrial-storage.conf.new <<'SEATRIAL' || { rm -f /etc/modules-load.d/seatrial-storage.conf.new; exit 1; }
iscsi_tcp
sd_mod
SEATRIAL
    mv /etc/modules-load.d/seatrial-storage.conf.new /etc/modules-load.d/seatrial-storage.conf
    for module in iscsi_tcp sd_mod; do modprobe $module || true; done
}

# 4. bind sessions to storage
#    why: data must not take another of the node's networks, whatever its routes say
check_4() {
    grep -qx 'iface.net_ifacename = storage' /etc/iscsi/ifaces/seatrial-gfs-equallogic
}
guard_4() { :; }
apply_4() {
    systemctl start iscsid
    iscsiadm -m iface -I seatrial-gfs-equallogic -o new
    iscsiadm -m iface -I seatrial-gfs-equallogic -o update -n iface.net_ifacename -v storage
}

# 5. keep the secret of the iSCSI account for root alone
#    why: whoever is on the storage network could read and write the volumes
check_5() {
    cmp -s /var/lib/seatrial/made/gfs-equallogic/iscsi-chap - <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
guard_5() { :; }
apply_5() {
    mkdir -p /var/lib/seatrial/made/gfs-equallogic
    (umask 077; cat >/var/lib/seatrial/made/gfs-equallogic/iscsi-chap.new) <<'SEATRIAL' || { rm -f /var/lib/seatrial/made/gfs-equallogic/iscsi-chap.new; exit 1; }
@generated:iscsi-chap@
SEATRIAL
    chmod 600 /var/lib/seatrial/made/gfs-equallogic/iscsi-chap.new
    mv /var/lib/seatrial/made/gfs-equallogic/iscsi-chap.new /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
}

# 6. say how sessions are made, and by which account
check_6() {
    cmp -s /etc/iscsi/seatrial-gfs-equallogic - <<'SEATRIAL'
node.startup = automatic
node.session.auth.authmethod = CHAP
node.session.auth.username = gfs-equallogic
node.session.auth.password = @generated:iscsi-chap@
node.session.timeo.replacement_timeout = 600
node.conn[0].timeo.noop_out_interval = 5
node.conn[0].timeo.noop_out_timeout = 5
node.session.initial_login_retry_max = 8
SEATRIAL
}
guard_6() { :; }
apply_6() {
    mkdir -p /etc/iscsi
    (umask 077; cat >/etc/iscsi/seatrial-gfs-equallogic.new) <<'SEATRIAL' || { rm -f /etc/iscsi/seatrial-gfs-equallogic.new; exit 1; }
node.startup = automatic
node.session.auth.authmethod = CHAP
node.session.auth.username = gfs-equallogic
node.session.auth.password = @generated:iscsi-chap@
node.session.timeo.replacement_timeout = 600
node.conn[0].timeo.noop_out_interval = 5
node.conn[0].timeo.noop_out_timeout = 5
node.session.initial_login_retry_max = 8
SEATRIAL
    chmod 600 /etc/iscsi/seatrial-gfs-equallogic.new
    mv /etc/iscsi/seatrial-gfs-equallogic.new /etc/iscsi/seatrial-gfs-equallogic
}

# 7. know 1 targets at ps1-storage
check_7() {
    iscsi_known /etc/iscsi/seatrial-gfs-equallogic 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared
}
guard_7() { :; }
apply_7() {
    systemctl start iscsid
    for portal in ps1-storage; do
        iscsiadm -m discovery -t sendtargets -p $portal:3260 -I seatrial-gfs-equallogic
    done
    iscsi_set /etc/iscsi/seatrial-gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared
}

# 8. have 1 session, now and after every boot
check_8() {
    systemctl -q is-active iscsid && systemctl -q is-enabled open-iscsi &&
    iscsi_sessions 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared &&
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ]
}
guard_8() { :; }
apply_8() {
    systemctl -q --no-reload enable open-iscsi iscsid
    systemctl start iscsid
    iscsi_login 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ]; do again 30 'the disks of the sessions'; done
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
##### stage 6, c2 #####
as on c1, but for:
@@ -24 +24 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c2
@@ -38 +38 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c2
##### stage 6, c3 #####
as on c1, but for:
@@ -24 +24 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c3
@@ -38 +38 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c3
##### stage 6, c4 #####
as on c1, but for:
@@ -24 +24 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c4
@@ -38 +38 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c4
##### stage 6, c5 #####
as on c1, but for:
@@ -24 +24 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c5
@@ -38 +38 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c5
##### stage 6, c6 #####
as on c1, but for:
@@ -24 +24 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c6
@@ -38 +38 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c6
##### stage 7, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 7 of 12: cluster
# (the preamble)

# 1. say how each node is fenced
#    why: a node that is lost may still write: until its power is known to be off, its locks are nobody's, and whoever needs one waits
check_1() {
    cmp -s /etc/dlm/dlm.conf - <<'SEATRIAL'
enable_fencing=1
enable_concurrent_fencing=1
repeat_failed_fencing=1

device fence-c1 fence_ipmilan ip=c1-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c1 node=1

device fence-c2 fence_ipmilan ip=c2-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c2 node=2

device fence-c3 fence_ipmilan ip=c3-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c3 node=3

device fence-c4 fence_ipmilan ip=c4-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c4 node=4

device fence-c5 fence_ipmilan ip=c5-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c5 node=5

device fence-c6 fence_ipmilan ip=c6-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c6 node=6
SEATRIAL
}
guard_1() { :; }
apply_1() {
    mkdir -p /etc/dlm
    (umask 077; cat >/etc/dlm/dlm.conf.new) <<'SEATRIAL' || { rm -f /etc/dlm/dlm.conf.new; exit 1; }
enable_fencing=1
enable_concurrent_fencing=1
repeat_failed_fencing=1

device fence-c1 fence_ipmilan ip=c1-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c1 node=1

device fence-c2 fence_ipmilan ip=c2-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c2 node=2

device fence-c3 fence_ipmilan ip=c3-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c3 node=3

device fence-c4 fence_ipmilan ip=c4-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c4 node=4

device fence-c5 fence_ipmilan ip=c5-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c5 node=5

device fence-c6 fence_ipmilan ip=c6-bmc username=admin password=seatrial-lab lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c6 node=6
SEATRIAL
    chmod 600 /etc/dlm/dlm.conf.new
    mv /etc/dlm/dlm.conf.new /etc/dlm/dlm.conf
    ! systemctl -q is-active dlm || dlm_tool reload_config
}

# 2. have the lock manager wait until the node is among the others
#    why: corosync says that it is ready while it is still alone. A lock space that is joined then sees all others join when they meet, while they see one: each waits for messages of the other for ever, and the file system with them
check_2() {
    cmp -s /etc/systemd/system/dlm.service.d/seatrial.conf - <<'SEATRIAL'
[Service]
ExecStartPre=/bin/sh -c 'until corosync-quorumtool -s 2>/dev/null | grep -q "^Quorate: *Yes"; do sleep 0.5; done'
TimeoutStartSec=infinity
SEATRIAL
}
guard_2() { :; }
apply_2() {
    mkdir -p /etc/systemd/system/dlm.service.d
    cat >/etc/systemd/system/dlm.service.d/seatrial.conf.new <<'SEATRIAL' || { rm -f /etc/systemd/system/dlm.service.d/seatrial.conf.new; exit 1; }
[Service]
ExecStartPre=/bin/sh -c 'until corosync-quorumtool -s 2>/dev/null | grep -q "^Quorate: *Yes"; do sleep 0.5; done'
TimeoutStartSec=infinity
SEATRIAL
    mv /etc/systemd/system/dlm.service.d/seatrial.conf.new /etc/systemd/system/dlm.service.d/seatrial.conf
    [ "$(systemctl show --property=NeedDaemonReload --value dlm.service)" = no ] || systemctl daemon-reload
}

# 3. have LVM ask for locks
#    why: the group of volumes is shared: two nodes must not change it at once
check_3() {
    lvmconfig --type full global/use_lvmlockd | grep -q '1'
}
guard_3() { :; }
apply_3() {
    [ -e /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf ] || [ -e /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/gfs-equallogic/before
        [ -s /etc/lvm/lvm.conf ] || exec touch /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.absent
        cp -p /etc/lvm/lvm.conf /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.new && mv /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.new /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf ||
            { rm -f /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.new; exit 1; }
    )
    [ -s /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.line ] || (umask 077 && grep -m 1 '^[[:space:]]*#*[[:space:]]*use_lvmlockd *=' /etc/lvm/lvm.conf >/var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.line)
    sed 's/^[[:space:]]*#*[[:space:]]*use_lvmlockd *=.*/\tuse_lvmlockd = 1/' /etc/lvm/lvm.conf >/etc/lvm/lvm.conf.new
    chmod --reference=/etc/lvm/lvm.conf /etc/lvm/lvm.conf.new
    (umask 077 && cp /etc/lvm/lvm.conf.new /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.ours.new && mv /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.ours.new /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.ours ||
        { rm -f /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.ours.new; exit 1; })
    mv /etc/lvm/lvm.conf.new /etc/lvm/lvm.conf
}

# 4. keep the members' key for root alone
check_4() {
    cmp -s /var/lib/seatrial/made/gfs-equallogic/corosync-key - <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
guard_4() { :; }
apply_4() {
    mkdir -p /var/lib/seatrial/made/gfs-equallogic
    (umask 077; cat >/var/lib/seatrial/made/gfs-equallogic/corosync-key.new) <<'SEATRIAL' || { rm -f /var/lib/seatrial/made/gfs-equallogic/corosync-key.new; exit 1; }
@generated:corosync-key@
SEATRIAL
    chmod 600 /var/lib/seatrial/made/gfs-equallogic/corosync-key.new
    mv /var/lib/seatrial/made/gfs-equallogic/corosync-key.new /var/lib/seatrial/made/gfs-equallogic/corosync-key
}

# 5. have what the members say to each other encrypted
#    why: whoever is on the network could become a member, and have others fenced
check_5() {
    cmp -s /etc/corosync/authkey - <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
guard_5() { :; }
apply_5() {
    [ -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey ] || [ -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/gfs-equallogic/before
        [ -s /etc/corosync/authkey ] || exec touch /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.absent
        cp -p /etc/corosync/authkey /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.new && mv /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.new /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey ||
            { rm -f /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.new; exit 1; }
    )
    mkdir -p /etc/corosync
    (umask 077; cat >/etc/corosync/authkey.new) <<'SEATRIAL' || { rm -f /etc/corosync/authkey.new; exit 1; }
@generated:corosync-key@
SEATRIAL
    chmod 400 /etc/corosync/authkey.new
    (umask 077 && cp /etc/corosync/authkey.new /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.ours.new && mv /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.ours.new /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.ours ||
        { rm -f /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.ours.new; exit 1; })
    mv /etc/corosync/authkey.new /etc/corosync/authkey
}

# 6. say who the members are, and how they hear each other
check_6() {
    cmp -s /etc/corosync/corosync.conf - <<'SEATRIAL'
totem {
    version: 2
    cluster_name: gfs-equallogic
    transport: knet
    crypto_cipher: aes256
    crypto_hash: sha256
    token: 2000
    token_coefficient: 0
    interface {
        linknumber: 0
        knet_ping_interval: 333
        knet_ping_timeout: 1000
    }
}
quorum {
    provider: corosync_votequorum
    wait_for_all: 0
}
nodelist {
    node {
        name: c1
        nodeid: 1
        ring0_addr: c1-private
    }
    node {
        name: c2
        nodeid: 2
        ring0_addr: c2-private
    }
    node {
        name: c3
        nodeid: 3
        ring0_addr: c3-private
    }
    node {
        name: c4
        nodeid: 4
        ring0_addr: c4-private
    }
    node {
        name: c5
        nodeid: 5
        ring0_addr: c5-private
    }
    node {
        name: c6
        nodeid: 6
        ring0_addr: c6-private
    }
}
logging {
    to_syslog: yes
    to_stderr: no
    to_logfile: no
    timestamp: hires
}
SEATRIAL
}
guard_6() { :; }
apply_6() {
    [ -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf ] || [ -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/gfs-equallogic/before
        [ -s /etc/corosync/corosync.conf ] || exec touch /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.absent
        cp -p /etc/corosync/corosync.conf /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.new && mv /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.new /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf ||
            { rm -f /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.new; exit 1; }
    )
    mkdir -p /etc/corosync
    cat >/etc/corosync/corosync.conf.new <<'SEATRIAL' || { rm -f /etc/corosync/corosync.conf.new; exit 1; }
totem {
    version: 2
    cluster_name: gfs-equallogic
    transport: knet
    crypto_cipher: aes256
    crypto_hash: sha256
    token: 2000
    token_coefficient: 0
    interface {
        linknumber: 0
        knet_ping_interval: 333
        knet_ping_timeout: 1000
    }
}
quorum {
    provider: corosync_votequorum
    wait_for_all: 0
}
nodelist {
    node {
        name: c1
        nodeid: 1
        ring0_addr: c1-private
    }
    node {
        name: c2
        nodeid: 2
        ring0_addr: c2-private
    }
    node {
        name: c3
        nodeid: 3
        ring0_addr: c3-private
    }
    node {
        name: c4
        nodeid: 4
        ring0_addr: c4-private
    }
    node {
        name: c5
        nodeid: 5
        ring0_addr: c5-private
    }
    node {
        name: c6
        nodeid: 6
        ring0_addr: c6-private
    }
}
logging {
    to_syslog: yes
    to_stderr: no
    to_logfile: no
    timestamp: hires
}
SEATRIAL
    (umask 077 && cp /etc/corosync/corosync.conf.new /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.ours.new && mv /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.ours.new /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.ours ||
        { rm -f /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.ours.new; exit 1; })
    mv /etc/corosync/corosync.conf.new /etc/corosync/corosync.conf
    if systemctl -q is-active corosync; then
        if dlm_tool ls 2>/dev/null | grep -q '^name'; then corosync-cfgtool -R
        else for daemon in lvmlockd dlm corosync; do systemctl stop $daemon; done; fi
    fi
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
##### stage 8, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 8 of 12: fencing
# (the preamble)

# 1. reach 6 management controllers
#    why: one that cannot be asked is found out when the first node is lost, and then holds up all the others
check_1() {
    grep -qx fc8b6d213e8f6b19 /run/seatrial-gfs-equallogic.fencing
}
guard_1() { :; }
apply_1() {
    asked=
    said=$(mktemp -d)
    trap 'rm -rf $said' EXIT
    fence_ipmilan >$said/c1 2>&1 <<'SEATRIAL' & asked="$asked c1:$!"
action=status
ip=c1-bmc
username=admin
password=seatrial-lab
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c2 2>&1 <<'SEATRIAL' & asked="$asked c2:$!"
action=status
ip=c2-bmc
username=admin
password=seatrial-lab
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c3 2>&1 <<'SEATRIAL' & asked="$asked c3:$!"
action=status
ip=c3-bmc
username=admin
password=seatrial-lab
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c4 2>&1 <<'SEATRIAL' & asked="$asked c4:$!"
action=status
ip=c4-bmc
username=admin
password=seatrial-lab
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c5 2>&1 <<'SEATRIAL' & asked="$asked c5:$!"
action=status
ip=c5-bmc
username=admin
password=seatrial-lab
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c6 2>&1 <<'SEATRIAL' & asked="$asked c6:$!"
action=status
ip=c6-bmc
username=admin
password=seatrial-lab
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    bad=0
    for one in $asked; do
        wait "${one#*:}" && continue
        bad=1
        echo "the controller of ${one%%:*} does not answer:"
        cat "$said/${one%%:*}"
    done
    [ "$bad" = 0 ]
    echo fc8b6d213e8f6b19 >/run/seatrial-gfs-equallogic.fencing
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 9, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 9 of 12: locks
# (the preamble)

# 1. be a member of the cluster, now and after every boot
check_1() {
    systemctl -q is-active corosync && systemctl -q is-enabled corosync && systemctl -q is-enabled dlm && systemctl -q is-enabled lvmlockd
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload add-wants multi-user.target corosync.service dlm.service lvmlockd.service
    systemctl start corosync
}

# 2. see all members
check_2() {
    [ "$(corosync-quorumtool -s 2>/dev/null | sed -n "s/^Total votes: *//p")" = 6 ]
}
guard_2() { :; }
apply_2() {
    tries=0
    until [ "$(corosync-quorumtool -s 2>/dev/null | sed -n "s/^Total votes: *//p")" = 6 ]; do again 120 'all members'; done
}

# 3. have locks
check_3() {
    systemctl -q is-active dlm && systemctl -q is-active lvmlockd &&
    dlm_tool status >/dev/null 2>&1
}
guard_3() { :; }
apply_3() {
    systemctl start dlm lvmlockd
    tries=0
    until dlm_tool status >/dev/null 2>&1; do again 60 'the lock spaces'; done
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
##### stage 10, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 10 of 12: file system
# (the preamble)

# 1. give ps1's volume a GPT label and one partition
check_1() {
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ]
}
guard_1() { all_must_be_blank /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d; }
apply_1() {
    parted -s /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d mklabel gpt mkpart primary 1MiB 100%
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ]; do again 20 /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1; done
}

# 2. make GFS2 with 8 journals, striped over 1 member
#    why: each node that mounts needs a journal of its own, and some to spare for nodes that come later
check_2() {
    vgs --noheadings -o tags st-gfs-equallogic 2>/dev/null | grep -q seatrial-made
}
guard_2() { :; }
apply_2() {
    found=$(wipefs --noheadings --output TYPE /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1)
    [ -z "$found" ] || { echo "refused: /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 holds $found"; exit 1; }
    vgcreate -q -y --shared st-gfs-equallogic /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1
    lvcreate -q -y -W y -Z y -a sy -n data -l 100%FREE st-gfs-equallogic
    mkfs.gfs2 -O -q -p lock_dlm -t gfs-equallogic:data -j 8 -J 8 /dev/st-gfs-equallogic/data
    vgchange -q --addtag seatrial-made st-gfs-equallogic
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 11, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 11 of 12: mount
# (the preamble)

# 1. see the partitions
check_1() {
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ]
}
guard_1() { :; }
apply_1() {
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ] || partprobe /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ]; do again 20 'the partitions'; done
}

# 2. say what using the file system takes
check_2() {
    cmp -s /usr/local/sbin/seatrial-gfs2-gfs-equallogic - <<'SEATRIAL'
#!/bin/sh
# Takes the lock space, the volume and the file system; or lets go of them, in the opposite order.
case $1 in
start)
    modprobe gfs2
    vgchange -q --lock-start st-gfs-equallogic || exit 1
    lvchange -q -a sy st-gfs-equallogic/data || exit 1
    mkdir -p /mnt/gfs-equallogic
    mountpoint -q /mnt/gfs-equallogic ||
        mount -t gfs2 -o noatime /dev/st-gfs-equallogic/data /mnt/gfs-equallogic || exit 1
    echo 'noatime' >/run/seatrial-gfs-equallogic.mounted ;;
stop)
    ! mountpoint -q /mnt/gfs-equallogic || umount /mnt/gfs-equallogic || exit 1
    lvchange -q -a n st-gfs-equallogic/data
    vgchange -q --lock-stop st-gfs-equallogic ;;
esac
SEATRIAL
}
guard_2() { :; }
apply_2() {
    mkdir -p /usr/local/sbin
    cat >/usr/local/sbin/seatrial-gfs2-gfs-equallogic.new <<'SEATRIAL' || { rm -f /usr/local/sbin/seatrial-gfs2-gfs-equallogic.new; exit 1; }
#!/bin/sh
# Takes the lock space, the volume and the file system; or lets go of them, in the opposite order.
case $1 in
start)
    modprobe gfs2
    vgchange -q --lock-start st-gfs-equallogic || exit 1
    lvchange -q -a sy st-gfs-equallogic/data || exit 1
    mkdir -p /mnt/gfs-equallogic
    mountpoint -q /mnt/gfs-equallogic ||
        mount -t gfs2 -o noatime /dev/st-gfs-equallogic/data /mnt/gfs-equallogic || exit 1
    echo 'noatime' >/run/seatrial-gfs-equallogic.mounted ;;
stop)
    ! mountpoint -q /mnt/gfs-equallogic || umount /mnt/gfs-equallogic || exit 1
    lvchange -q -a n st-gfs-equallogic/data
    vgchange -q --lock-stop st-gfs-equallogic ;;
esac
SEATRIAL
    chmod 755 /usr/local/sbin/seatrial-gfs2-gfs-equallogic.new
    mv /usr/local/sbin/seatrial-gfs2-gfs-equallogic.new /usr/local/sbin/seatrial-gfs2-gfs-equallogic
}

# 3. write /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
check_3() {
    cmp -s /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service - <<'SEATRIAL'
[Unit]
Description=GFS2 at /mnt/gfs-equallogic
Requires=corosync.service dlm.service lvmlockd.service
After=corosync.service dlm.service lvmlockd.service open-iscsi.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-gfs2-gfs-equallogic start
ExecStop=/usr/local/sbin/seatrial-gfs2-gfs-equallogic stop
TimeoutStartSec=300
[Install]
WantedBy=multi-user.target
SEATRIAL
}
guard_3() { :; }
apply_3() {
    mkdir -p /etc/systemd/system
    cat >/etc/systemd/system/seatrial-gfs2-gfs-equallogic.service.new <<'SEATRIAL' || { rm -f /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service.new; exit 1; }
[Unit]
Description=GFS2 at /mnt/gfs-equallogic
Requires=corosync.service dlm.service lvmlockd.service
After=corosync.service dlm.service lvmlockd.service open-iscsi.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-gfs2-gfs-equallogic start
ExecStop=/usr/local/sbin/seatrial-gfs2-gfs-equallogic stop
TimeoutStartSec=300
[Install]
WantedBy=multi-user.target
SEATRIAL
    mv /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service.new /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gfs2-gfs-equallogic.service)" = no ] || systemctl daemon-reload
}

# 4. mount it at /mnt/gfs-equallogic, now and after every boot
check_4() {
    systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && grep -q ' /mnt/gfs-equallogic gfs2 ' /proc/mounts &&
    grep -qx 'noatime' /run/seatrial-gfs-equallogic.mounted
}
guard_4() { :; }
apply_4() {
    systemctl -q --no-reload enable seatrial-gfs2-gfs-equallogic.service
    systemctl restart seatrial-gfs2-gfs-equallogic.service
}

# 5. the volume reads ahead 8MiB
#    why: the members answer while the node is still busy with what it has
check_5() {
    read -r ahead </sys/dev/block/$(mountpoint -x /dev/st-gfs-equallogic/data)/queue/read_ahead_kb && [ "$ahead" = 8192 ]
}
guard_5() { :; }
apply_5() {
    [ -s /run/seatrial-gfs-equallogic.readahead ] || { read -r ahead </sys/dev/block/$(mountpoint -x /dev/st-gfs-equallogic/data)/queue/read_ahead_kb && echo $ahead >/run/seatrial-gfs-equallogic.readahead; }
    echo 8192 >/sys/dev/block/$(mountpoint -x /dev/st-gfs-equallogic/data)/queue/read_ahead_kb
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
##### stage 12, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 12 of 12: after every boot
# (the preamble)

# 1. write /usr/local/sbin/seatrial-gfs-equallogic-network
check_1() {
    cmp -s /usr/local/sbin/seatrial-gfs-equallogic-network - <<'SEATRIAL'
#!/bin/sh
# What gfs-equallogic has set on this node, after a boot.
bad=0
# MTU 9000 on the link towards ps1-storage
if ! (
peer=$(getent ahostsv4 ps1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
) >/dev/null 2>&1; then
(
set -e
peer=$(getent ahostsv4 ps1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
(
    umask 077
    mkdir -p /var/lib/seatrial/made/gfs-equallogic/before
    if [ -e "/var/lib/seatrial/made/gfs-equallogic/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/gfs-equallogic/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
    echo "$was 9000" >"/var/lib/seatrial/made/gfs-equallogic/before/mtu-$link"
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
    cat >/usr/local/sbin/seatrial-gfs-equallogic-network.new <<'SEATRIAL' || { rm -f /usr/local/sbin/seatrial-gfs-equallogic-network.new; exit 1; }
#!/bin/sh
# What gfs-equallogic has set on this node, after a boot.
bad=0
# MTU 9000 on the link towards ps1-storage
if ! (
peer=$(getent ahostsv4 ps1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
) >/dev/null 2>&1; then
(
set -e
peer=$(getent ahostsv4 ps1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
(
    umask 077
    mkdir -p /var/lib/seatrial/made/gfs-equallogic/before
    if [ -e "/var/lib/seatrial/made/gfs-equallogic/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/gfs-equallogic/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
    echo "$was 9000" >"/var/lib/seatrial/made/gfs-equallogic/before/mtu-$link"
)
ip link set dev "$link" mtu 9000
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
    chmod 755 /usr/local/sbin/seatrial-gfs-equallogic-network.new
    mv /usr/local/sbin/seatrial-gfs-equallogic-network.new /usr/local/sbin/seatrial-gfs-equallogic-network
    ! systemctl -q is-active seatrial-gfs-equallogic-network || systemctl restart seatrial-gfs-equallogic-network
}

# 2. write /etc/systemd/system/seatrial-gfs-equallogic-network.service
check_2() {
    [ ! -d /run/systemd/system ] || {
    cmp -s /etc/systemd/system/seatrial-gfs-equallogic-network.service - <<'SEATRIAL'
[Unit]
Description=what gfs-equallogic has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-gfs-equallogic-network
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
    cat >/etc/systemd/system/seatrial-gfs-equallogic-network.service.new <<'SEATRIAL' || { rm -f /etc/systemd/system/seatrial-gfs-equallogic-network.service.new; exit 1; }
[Unit]
Description=what gfs-equallogic has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-gfs-equallogic-network
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
    mv /etc/systemd/system/seatrial-gfs-equallogic-network.service.new /etc/systemd/system/seatrial-gfs-equallogic-network.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gfs-equallogic-network.service)" = no ] || systemctl daemon-reload
    ! systemctl -q is-active seatrial-gfs-equallogic-network || systemctl restart seatrial-gfs-equallogic-network
}

# 3. have the settings of network outlive a boot
#    why: a node that was fenced has to come back as it was
check_3() {
    [ ! -d /run/systemd/system ] || {
    systemctl -q is-active seatrial-gfs-equallogic-network && systemctl -q is-enabled seatrial-gfs-equallogic-network
    }
}
guard_3() { :; }
apply_3() {
    systemctl -q --no-reload enable seatrial-gfs-equallogic-network
    systemctl start seatrial-gfs-equallogic-network
}

# 4. write /usr/local/sbin/seatrial-gfs-equallogic-mounts
check_4() {
    cmp -s /usr/local/sbin/seatrial-gfs-equallogic-mounts - <<'SEATRIAL'
#!/bin/sh
# What gfs-equallogic has set on this node, after a boot.
bad=0
# the volume reads ahead 8MiB
if ! (
read -r ahead </sys/dev/block/$(mountpoint -x /dev/st-gfs-equallogic/data)/queue/read_ahead_kb && [ "$ahead" = 8192 ]
) >/dev/null 2>&1; then
(
set -e
[ -s /run/seatrial-gfs-equallogic.readahead ] || { read -r ahead </sys/dev/block/$(mountpoint -x /dev/st-gfs-equallogic/data)/queue/read_ahead_kb && echo $ahead >/run/seatrial-gfs-equallogic.readahead; }
echo 8192 >/sys/dev/block/$(mountpoint -x /dev/st-gfs-equallogic/data)/queue/read_ahead_kb
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
guard_4() { :; }
apply_4() {
    mkdir -p /usr/local/sbin
    cat >/usr/local/sbin/seatrial-gfs-equallogic-mounts.new <<'SEATRIAL' || { rm -f /usr/local/sbin/seatrial-gfs-equallogic-mounts.new; exit 1; }
#!/bin/sh
# What gfs-equallogic has set on this node, after a boot.
bad=0
# the volume reads ahead 8MiB
if ! (
read -r ahead </sys/dev/block/$(mountpoint -x /dev/st-gfs-equallogic/data)/queue/read_ahead_kb && [ "$ahead" = 8192 ]
) >/dev/null 2>&1; then
(
set -e
[ -s /run/seatrial-gfs-equallogic.readahead ] || { read -r ahead </sys/dev/block/$(mountpoint -x /dev/st-gfs-equallogic/data)/queue/read_ahead_kb && echo $ahead >/run/seatrial-gfs-equallogic.readahead; }
echo 8192 >/sys/dev/block/$(mountpoint -x /dev/st-gfs-equallogic/data)/queue/read_ahead_kb
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
    chmod 755 /usr/local/sbin/seatrial-gfs-equallogic-mounts.new
    mv /usr/local/sbin/seatrial-gfs-equallogic-mounts.new /usr/local/sbin/seatrial-gfs-equallogic-mounts
    ! systemctl -q is-active seatrial-gfs-equallogic-mounts || systemctl restart seatrial-gfs-equallogic-mounts
}

# 5. write /etc/systemd/system/seatrial-gfs-equallogic-mounts.service
check_5() {
    [ ! -d /run/systemd/system ] || {
    cmp -s /etc/systemd/system/seatrial-gfs-equallogic-mounts.service - <<'SEATRIAL'
[Unit]
Description=what gfs-equallogic has set (mounts)
After=local-fs.target remote-fs.target
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-gfs-equallogic-mounts
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
    }
}
guard_5() { :; }
apply_5() {
    mkdir -p /etc/systemd/system
    cat >/etc/systemd/system/seatrial-gfs-equallogic-mounts.service.new <<'SEATRIAL' || { rm -f /etc/systemd/system/seatrial-gfs-equallogic-mounts.service.new; exit 1; }
[Unit]
Description=what gfs-equallogic has set (mounts)
After=local-fs.target remote-fs.target
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-gfs-equallogic-mounts
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
    mv /etc/systemd/system/seatrial-gfs-equallogic-mounts.service.new /etc/systemd/system/seatrial-gfs-equallogic-mounts.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gfs-equallogic-mounts.service)" = no ] || systemctl daemon-reload
    ! systemctl -q is-active seatrial-gfs-equallogic-mounts || systemctl restart seatrial-gfs-equallogic-mounts
}

# 6. have the settings of mounts outlive a boot
#    why: a node that was fenced has to come back as it was
check_6() {
    [ ! -d /run/systemd/system ] || {
    systemctl -q is-active seatrial-gfs-equallogic-mounts && systemctl -q is-enabled seatrial-gfs-equallogic-mounts
    }
}
guard_6() { :; }
apply_6() {
    systemctl -q --no-reload enable seatrial-gfs-equallogic-mounts
    systemctl start seatrial-gfs-equallogic-mounts
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
##### stage 12, ps1 #####
as on c[1-6], but for:
@@ -12 +12 @@
+# MTU 9000 on the link towards c1-storage
@@ -14 +14 @@
+peer=$(getent ahostsv4 c1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -20 +20 @@
+peer=$(getent ahostsv4 c1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -42 +42 @@
+# MTU 9000 on the link towards c1-storage
@@ -44 +44 @@
+peer=$(getent ahostsv4 c1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -50 +50 @@
+peer=$(getent ahostsv4 c1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -125,99 +124,0 @@
@@ -228,3 +128,0 @@
