##### stage 1, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 1 of 10: look, and change nothing
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
##### stage 1, ps[1-2] #####
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
+    look_twice /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
@@ -51 +51,25 @@
+    look_twice /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
+    exit 1
+}
+
+# 5. overwrite nothing that is somebody's: create gfs-equallogic: RAID 10
+check_5() {
+    set +e
+    (
+    [ -b /dev/md/gfs-equallogic ] && set_=$(readlink -f /dev/md/gfs-equallogic) && set_=/sys/block/${set_##*/}/md &&
+        read -r level <$set_/level && [ "$level" = raid10 ] &&
+        read -r disks <$set_/raid_disks && [ "$disks" = 6 ] &&
+        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
+    ) >/dev/null 2>&1 && exit 0
+    look_disks gfs-equallogic any:gfs-equallogic '' /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
+}
+guard_5() { :; }
+apply_5() {
+    set +e
+    (
+    [ -b /dev/md/gfs-equallogic ] && set_=$(readlink -f /dev/md/gfs-equallogic) && set_=/sys/block/${set_##*/}/md &&
+        read -r level <$set_/level && [ "$level" = raid10 ] &&
+        read -r disks <$set_/raid_disks && [ "$disks" = 6 ] &&
+        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
+    ) >/dev/null 2>&1 && exit 0
+    look_disks gfs-equallogic any:gfs-equallogic '' /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
@@ -59,0 +84 @@
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
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 2 of 10: mark
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
##### stage 2, ps[1-2] #####
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
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 3 of 10: packages
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
##### stage 4, ps1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 4 of 10: members
# (the preamble)

# 1. assemble gfs-equallogic where it exists already
check_1() {
    ! { { [ ! -b /dev/md/gfs-equallogic ] && mdadm --examine --export /dev/sdb 2>/dev/null | grep -q '^MD_NAME=any:gfs-equallogic$'; }; }
}
guard_1() { :; }
apply_1() {
    [ -b /dev/md/gfs-equallogic ] || mdadm --assemble /dev/md/gfs-equallogic /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/gfs-equallogic
}

# 2. create gfs-equallogic: RAID 10
check_2() {
    [ -b /dev/md/gfs-equallogic ] && set_=$(readlink -f /dev/md/gfs-equallogic) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid10 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 6 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
}
guard_2() { all_must_be_blank /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi; }
apply_2() {
    modprobe raid10 || true
    pids=
    mdadm --create /dev/md/gfs-equallogic --run --metadata=1.2 --homehost=any --name=gfs-equallogic --level=10 \
        --raid-devices=6 --spare-devices=2 --chunk=64 /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/gfs-equallogic
}

# 3. assemble the array at every boot
check_3() {
    cmp -s /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf - <<'SEATRIAL'
ARRAY /dev/md/gfs-equallogic metadata=1.2 name=any:gfs-equallogic
SEATRIAL
}
guard_3() { :; }
apply_3() {
    mkdir -p /etc/mdadm/mdadm.conf.d
    cat >/etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf.new <<'SEATRIAL' || { rm -f /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf.new; exit 1; }
ARRAY /dev/md/gfs-equallogic metadata=1.2 name=any:gfs-equallogic
SEATRIAL
    mv /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf.new /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf
}

# 4. have tgtd, mdadm, vgcreate
check_4() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v tgtd >/dev/null &&
    command -v mdadm >/dev/null &&
    command -v vgcreate >/dev/null
}
guard_4() { :; }
apply_4() {
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends lvm2 mdadm tgt
    else
        dnf install -y lvm2 mdadm tgt
    fi
}

# 5. divide /dev/md/gfs-equallogic into 4 volumes
check_5() {
    vgs --noheadings -o tags seatrial-group 2>/dev/null | grep -q seatrial-made && [ "$(readlink -f /dev/md/gfs-equallogic)" = "$(readlink -f $(pvs --noheadings -o pv_name -S vg_name=seatrial-group))" ]
}
guard_5() { :; }
apply_5() {
    must_be_blank /dev/md/gfs-equallogic
    vgcreate -q -y seatrial-group /dev/md/gfs-equallogic
    lvcreate -q -y -W n -n raw1 -L 25165824b seatrial-group
    lvcreate -q -y -W n -n raw2 -L 25165824b seatrial-group
    lvcreate -q -y -W n -n raw3 -L 25165824b seatrial-group
    lvcreate -q -y -W n -n shared -l 100%FREE seatrial-group
    vgchange -q --addtag seatrial-made seatrial-group
}

# 6. give the target's sockets room for whole answers
#    why: tgtd tries again at once when a socket is full, and keeps a processor busy with it for as long as the link is slower than the disks
check_6() {
    cmp -s /etc/sysctl.d/60-seatrial-tgt.conf - <<'SEATRIAL'
net.ipv4.tcp_wmem = 4096 4194304 16777216
SEATRIAL
}
guard_6() { :; }
apply_6() {
    mkdir -p /etc/sysctl.d
    cat >/etc/sysctl.d/60-seatrial-tgt.conf.new <<'SEATRIAL' || { rm -f /etc/sysctl.d/60-seatrial-tgt.conf.new; exit 1; }
net.ipv4.tcp_wmem = 4096 4194304 16777216
SEATRIAL
    mv /etc/sysctl.d/60-seatrial-tgt.conf.new /etc/sysctl.d/60-seatrial-tgt.conf
    sysctl -q -p /etc/sysctl.d/60-seatrial-tgt.conf
}

# 7. keep the secret of the iSCSI account for root alone
#    why: whoever is on the storage network could read and write the volumes
check_7() {
    cmp -s /var/lib/seatrial/made/gfs-equallogic/iscsi-chap - <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
guard_7() { :; }
apply_7() {
    mkdir -p /var/lib/seatrial/made/gfs-equallogic
    (umask 077; cat >/var/lib/seatrial/made/gfs-equallogic/iscsi-chap.new) <<'SEATRIAL' || { rm -f /var/lib/seatrial/made/gfs-equallogic/iscsi-chap.new; exit 1; }
@generated:iscsi-chap@
SEATRIAL
    chmod 600 /var/lib/seatrial/made/gfs-equallogic/iscsi-chap.new
    mv /var/lib/seatrial/made/gfs-equallogic/iscsi-chap.new /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
}

# 8. say how targets are offered
check_8() {
    cmp -s /usr/local/sbin/seatrial-targets - <<'SEATRIAL'
# (iscsi_targets.sh)
SEATRIAL
}
guard_8() { :; }
apply_8() {
    mkdir -p /usr/local/sbin
    cat >/usr/local/sbin/seatrial-targets.new <<'SEATRIAL' || { rm -f /usr/local/sbin/seatrial-targets.new; exit 1; }
# (iscsi_targets.sh)
SEATRIAL
    chmod 755 /usr/local/sbin/seatrial-targets.new
    mv /usr/local/sbin/seatrial-targets.new /usr/local/sbin/seatrial-targets
}

# 9. offer 8 targets to its initiators
check_9() {
    cmp -s /etc/tgt/seatrial-gfs-equallogic.targets - <<'SEATRIAL'
address 10.10.200.1/16 ps1-storage
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
target 2 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw1
lun 2 1 /dev/seatrial-group/raw1 641a46068894cecf VOLUME
asks 2 gfs-equallogic
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 3 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw2
lun 3 1 /dev/seatrial-group/raw2 1abf735dabc7c8c7 VOLUME
asks 3 gfs-equallogic
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 4 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw3
lun 4 1 /dev/seatrial-group/raw3 df1b9c8e9c4bc04e VOLUME
asks 4 gfs-equallogic
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 5 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared
redirect 5 ps2-storage 3260
asks 5 gfs-equallogic
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 6 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw1
redirect 6 ps2-storage 3260
asks 6 gfs-equallogic
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 7 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw2
redirect 7 ps2-storage 3260
asks 7 gfs-equallogic
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 8 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw3
redirect 8 ps2-storage 3260
asks 8 gfs-equallogic
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c6
portal 10.10.200.1 3260
portal ps1-storage 3260
SEATRIAL
}
guard_9() { :; }
apply_9() {
    mkdir -p /etc/tgt
    cat >/etc/tgt/seatrial-gfs-equallogic.targets.new <<'SEATRIAL' || { rm -f /etc/tgt/seatrial-gfs-equallogic.targets.new; exit 1; }
address 10.10.200.1/16 ps1-storage
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
target 2 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw1
lun 2 1 /dev/seatrial-group/raw1 641a46068894cecf VOLUME
asks 2 gfs-equallogic
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 2 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 3 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw2
lun 3 1 /dev/seatrial-group/raw2 1abf735dabc7c8c7 VOLUME
asks 3 gfs-equallogic
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 3 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 4 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw3
lun 4 1 /dev/seatrial-group/raw3 df1b9c8e9c4bc04e VOLUME
asks 4 gfs-equallogic
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 4 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 5 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared
redirect 5 ps2-storage 3260
asks 5 gfs-equallogic
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 5 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 6 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw1
redirect 6 ps2-storage 3260
asks 6 gfs-equallogic
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 6 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 7 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw2
redirect 7 ps2-storage 3260
asks 7 gfs-equallogic
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 7 iqn.2026-01.org.seatrial:gfs-equallogic.c6
target 8 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw3
redirect 8 ps2-storage 3260
asks 8 gfs-equallogic
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c1
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c2
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c3
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c4
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c5
initiator 8 iqn.2026-01.org.seatrial:gfs-equallogic.c6
portal 10.10.200.1 3260
portal ps1-storage 3260
SEATRIAL
    mv /etc/tgt/seatrial-gfs-equallogic.targets.new /etc/tgt/seatrial-gfs-equallogic.targets
}

# 10. have the iSCSI target wait at boot until the array is assembled
#    why: a target that starts before its array offers nothing; and one that is reached before it is complete closes logins half way, which iscsid may never recover from (open-iscsi, issue 387)
check_10() {
    cmp -s /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf - <<'SEATRIAL'
[Unit]
Wants=dev-seatrial\x2dgroup-shared.device dev-seatrial\x2dgroup-raw1.device dev-seatrial\x2dgroup-raw2.device dev-seatrial\x2dgroup-raw3.device
After=dev-seatrial\x2dgroup-shared.device dev-seatrial\x2dgroup-raw1.device dev-seatrial\x2dgroup-raw2.device dev-seatrial\x2dgroup-raw3.device
[Service]
ExecStart=
ExecStart=/usr/sbin/tgtd -f --iscsi portal=127.0.0.1:3260
ExecStartPost=/usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gfs-equallogic.targets start
TimeoutStartSec=180
SEATRIAL
}
guard_10() { :; }
apply_10() {
    mkdir -p /etc/systemd/system/tgt.service.d
    cat >/etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf.new <<'SEATRIAL' || { rm -f /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf.new; exit 1; }
[Unit]
Wants=dev-seatrial\x2dgroup-shared.device dev-seatrial\x2dgroup-raw1.device dev-seatrial\x2dgroup-raw2.device dev-seatrial\x2dgroup-raw3.device
After=dev-seatrial\x2dgroup-shared.device dev-seatrial\x2dgroup-raw1.device dev-seatrial\x2dgroup-raw2.device dev-seatrial\x2dgroup-raw3.device
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

# 11. have the iSCSI target run, and offer them
check_11() {
    systemctl -q is-active tgt && systemctl -q is-enabled tgt && /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gfs-equallogic.targets check
}
guard_11() { :; }
apply_11() {
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
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 4, ps2 #####
as on ps1, but for:
@@ -129 +129 @@
+# 9. offer 4 targets to its initiators
@@ -132 +131,0 @@
@@ -134,2 +133,2 @@
+target 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared
+lun 1 1 /dev/seatrial-group/shared a486a503d42c9f82 VOLUME
@@ -143,2 +142,2 @@
+target 2 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw1
+lun 2 1 /dev/seatrial-group/raw1 aa38f241937cefd6 VOLUME
@@ -152,2 +151,2 @@
+target 3 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw2
+lun 3 1 /dev/seatrial-group/raw2 06f49440db3708de VOLUME
@@ -161,2 +160,2 @@
+target 4 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw3
+lun 4 1 /dev/seatrial-group/raw3 c14ea31f3e63cae9 VOLUME
@@ -170,38 +169 @@
+portal ps2-storage 3260
@@ -214 +175,0 @@
@@ -216,2 +177,2 @@
+target 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared
+lun 1 1 /dev/seatrial-group/shared a486a503d42c9f82 VOLUME
@@ -225,2 +186,2 @@
+target 2 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw1
+lun 2 1 /dev/seatrial-group/raw1 aa38f241937cefd6 VOLUME
@@ -234,2 +195,2 @@
+target 3 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw2
+lun 3 1 /dev/seatrial-group/raw2 06f49440db3708de VOLUME
@@ -243,2 +204,2 @@
+target 4 iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw3
+lun 4 1 /dev/seatrial-group/raw3 c14ea31f3e63cae9 VOLUME
@@ -252,38 +213 @@
+portal ps2-storage 3260
##### stage 5, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 5 of 10: sessions
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

# 4. bind sessions to ens1f1
#    why: data must not take another of the node's networks, whatever its routes say
check_4() {
    grep -qx 'iface.net_ifacename = ens1f1' /etc/iscsi/ifaces/seatrial-gfs-equallogic
}
guard_4() { :; }
apply_4() {
    systemctl start iscsid
    iscsiadm -m iface -I seatrial-gfs-equallogic -o new
    iscsiadm -m iface -I seatrial-gfs-equallogic -o update -n iface.net_ifacename -v ens1f1
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

# 7. know 3 targets at 10.10.200.1
check_7() {
    iscsi_known /etc/iscsi/seatrial-gfs-equallogic 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw1
}
guard_7() { :; }
apply_7() {
    systemctl start iscsid
    for portal in 10.10.200.1; do
        iscsiadm -m discovery -t sendtargets -p $portal:3260 -I seatrial-gfs-equallogic
    done
    iscsi_set /etc/iscsi/seatrial-gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw1
}

# 8. have 3 sessions, now and after every boot
check_8() {
    systemctl -q is-active iscsid && systemctl -q is-enabled open-iscsi &&
    iscsi_sessions 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw1 &&
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf ]
}
guard_8() { :; }
apply_8() {
    systemctl -q --no-reload enable open-iscsi iscsid
    systemctl start iscsid
    iscsi_login 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw1
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf ]; do again 30 'the disks of the sessions'; done
}

# 9. divide its own volume into 5 parts
check_9() {
    [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part5 ]
}
guard_9() { all_must_be_blank /dev/disk/by-id/scsi-36000000000000000641a46068894cecf; }
apply_9() {
    parted -s -a none /dev/disk/by-id/scsi-36000000000000000641a46068894cecf mklabel gpt mkpart task1 1MiB 20% mkpart task2 20% 40% mkpart task3 40% 60% mkpart task4 60% 80% mkpart task5 80% 100%
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part5 ]; do again 20 'the parts of the volume'; done
}

# 10. name each part as a task's file
check_10() {
    [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0000.000)" = /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part1 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0000.001)" = /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part2 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0000.002)" = /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part3 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0000.003)" = /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part4 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0000.004)" = /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part5 ]
}
guard_10() { :; }
apply_10() {
    mkdir -p /var/lib/seatrial/gfs-equallogic/volumes
    ln -sfn /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part1 /var/lib/seatrial/gfs-equallogic/volumes/f0000.000
    ln -sfn /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part2 /var/lib/seatrial/gfs-equallogic/volumes/f0000.001
    ln -sfn /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part3 /var/lib/seatrial/gfs-equallogic/volumes/f0000.002
    ln -sfn /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part4 /var/lib/seatrial/gfs-equallogic/volumes/f0000.003
    ln -sfn /dev/disk/by-id/scsi-36000000000000000641a46068894cecf-part5 /var/lib/seatrial/gfs-equallogic/volumes/f0000.004
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
##### stage 5, c2 #####
as on c1, but for:
@@ -24 +24 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c2
@@ -38 +38 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c2
@@ -124 +124 @@
+    iscsi_known /etc/iscsi/seatrial-gfs-equallogic 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw1
@@ -132 +132 @@
+    iscsi_set /etc/iscsi/seatrial-gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw1
@@ -138,2 +138,2 @@
+    iscsi_sessions 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw1 &&
+    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6 ]
@@ -145 +145 @@
+    iscsi_login 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw1
@@ -148 +148 @@
+    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6 ]; do again 30 'the disks of the sessions'; done
@@ -153 +153 @@
+    [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part5 ]
@@ -155 +155 @@
+guard_9() { all_must_be_blank /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6; }
@@ -157 +157 @@
+    parted -s -a none /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6 mklabel gpt mkpart task1 1MiB 20% mkpart task2 20% 40% mkpart task3 40% 60% mkpart task4 60% 80% mkpart task5 80% 100%
@@ -160 +160 @@
+    until [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part5 ]; do again 20 'the parts of the volume'; done
@@ -165 +165 @@
+    [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0001.000)" = /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part1 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0001.001)" = /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part2 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0001.002)" = /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part3 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0001.003)" = /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part4 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0001.004)" = /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part5 ]
@@ -170,5 +170,5 @@
+    ln -sfn /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part1 /var/lib/seatrial/gfs-equallogic/volumes/f0001.000
+    ln -sfn /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part2 /var/lib/seatrial/gfs-equallogic/volumes/f0001.001
+    ln -sfn /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part3 /var/lib/seatrial/gfs-equallogic/volumes/f0001.002
+    ln -sfn /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part4 /var/lib/seatrial/gfs-equallogic/volumes/f0001.003
+    ln -sfn /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6-part5 /var/lib/seatrial/gfs-equallogic/volumes/f0001.004
##### stage 5, c3 #####
as on c1, but for:
@@ -24 +24 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c3
@@ -38 +38 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c3
@@ -124 +124 @@
+    iscsi_known /etc/iscsi/seatrial-gfs-equallogic 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw2
@@ -132 +132 @@
+    iscsi_set /etc/iscsi/seatrial-gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw2
@@ -138,2 +138,2 @@
+    iscsi_sessions 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw2 &&
+    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7 ]
@@ -145 +145 @@
+    iscsi_login 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw2
@@ -148 +148 @@
+    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7 ]; do again 30 'the disks of the sessions'; done
@@ -153 +153 @@
+    [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part1 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part2 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part3 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part4 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part5 ]
@@ -155 +155 @@
+guard_9() { all_must_be_blank /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7; }
@@ -157 +157 @@
+    parted -s -a none /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7 mklabel gpt mkpart task1 1MiB 20% mkpart task2 20% 40% mkpart task3 40% 60% mkpart task4 60% 80% mkpart task5 80% 100%
@@ -160 +160 @@
+    until [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part1 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part2 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part3 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part4 ] && [ -b /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part5 ]; do again 20 'the parts of the volume'; done
@@ -165 +165 @@
+    [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0002.000)" = /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part1 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0002.001)" = /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part2 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0002.002)" = /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part3 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0002.003)" = /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part4 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0002.004)" = /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part5 ]
@@ -170,5 +170,5 @@
+    ln -sfn /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part1 /var/lib/seatrial/gfs-equallogic/volumes/f0002.000
+    ln -sfn /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part2 /var/lib/seatrial/gfs-equallogic/volumes/f0002.001
+    ln -sfn /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part3 /var/lib/seatrial/gfs-equallogic/volumes/f0002.002
+    ln -sfn /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part4 /var/lib/seatrial/gfs-equallogic/volumes/f0002.003
+    ln -sfn /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7-part5 /var/lib/seatrial/gfs-equallogic/volumes/f0002.004
##### stage 5, c4 #####
as on c1, but for:
@@ -24 +24 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c4
@@ -38 +38 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c4
@@ -124 +124 @@
+    iscsi_known /etc/iscsi/seatrial-gfs-equallogic 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw2
@@ -132 +132 @@
+    iscsi_set /etc/iscsi/seatrial-gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw2
@@ -138,2 +138,2 @@
+    iscsi_sessions 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw2 &&
+    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de ]
@@ -145 +145 @@
+    iscsi_login 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw2
@@ -148 +148 @@
+    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de ]; do again 30 'the disks of the sessions'; done
@@ -153 +153 @@
+    [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part1 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part2 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part3 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part4 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part5 ]
@@ -155 +155 @@
+guard_9() { all_must_be_blank /dev/disk/by-id/scsi-3600000000000000006f49440db3708de; }
@@ -157 +157 @@
+    parted -s -a none /dev/disk/by-id/scsi-3600000000000000006f49440db3708de mklabel gpt mkpart task1 1MiB 20% mkpart task2 20% 40% mkpart task3 40% 60% mkpart task4 60% 80% mkpart task5 80% 100%
@@ -160 +160 @@
+    until [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part1 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part2 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part3 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part4 ] && [ -b /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part5 ]; do again 20 'the parts of the volume'; done
@@ -165 +165 @@
+    [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0003.000)" = /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part1 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0003.001)" = /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part2 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0003.002)" = /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part3 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0003.003)" = /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part4 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0003.004)" = /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part5 ]
@@ -170,5 +170,5 @@
+    ln -sfn /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part1 /var/lib/seatrial/gfs-equallogic/volumes/f0003.000
+    ln -sfn /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part2 /var/lib/seatrial/gfs-equallogic/volumes/f0003.001
+    ln -sfn /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part3 /var/lib/seatrial/gfs-equallogic/volumes/f0003.002
+    ln -sfn /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part4 /var/lib/seatrial/gfs-equallogic/volumes/f0003.003
+    ln -sfn /dev/disk/by-id/scsi-3600000000000000006f49440db3708de-part5 /var/lib/seatrial/gfs-equallogic/volumes/f0003.004
##### stage 5, c5 #####
as on c1, but for:
@@ -24 +24 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c5
@@ -38 +38 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c5
@@ -124 +124 @@
+    iscsi_known /etc/iscsi/seatrial-gfs-equallogic 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw3
@@ -132 +132 @@
+    iscsi_set /etc/iscsi/seatrial-gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw3
@@ -138,2 +138,2 @@
+    iscsi_sessions 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw3 &&
+    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e ]
@@ -145 +145 @@
+    iscsi_login 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps1:raw3
@@ -148 +148 @@
+    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e ]; do again 30 'the disks of the sessions'; done
@@ -153 +153 @@
+    [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part5 ]
@@ -155 +155 @@
+guard_9() { all_must_be_blank /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e; }
@@ -157 +157 @@
+    parted -s -a none /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e mklabel gpt mkpart task1 1MiB 20% mkpart task2 20% 40% mkpart task3 40% 60% mkpart task4 60% 80% mkpart task5 80% 100%
@@ -160 +160 @@
+    until [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part5 ]; do again 20 'the parts of the volume'; done
@@ -165 +165 @@
+    [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0004.000)" = /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part1 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0004.001)" = /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part2 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0004.002)" = /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part3 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0004.003)" = /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part4 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0004.004)" = /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part5 ]
@@ -170,5 +170,5 @@
+    ln -sfn /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part1 /var/lib/seatrial/gfs-equallogic/volumes/f0004.000
+    ln -sfn /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part2 /var/lib/seatrial/gfs-equallogic/volumes/f0004.001
+    ln -sfn /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part3 /var/lib/seatrial/gfs-equallogic/volumes/f0004.002
+    ln -sfn /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part4 /var/lib/seatrial/gfs-equallogic/volumes/f0004.003
+    ln -sfn /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e-part5 /var/lib/seatrial/gfs-equallogic/volumes/f0004.004
##### stage 5, c6 #####
as on c1, but for:
@@ -24 +24 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c6
@@ -38 +38 @@
+InitiatorName=iqn.2026-01.org.seatrial:gfs-equallogic.c6
@@ -124 +124 @@
+    iscsi_known /etc/iscsi/seatrial-gfs-equallogic 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw3
@@ -132 +132 @@
+    iscsi_set /etc/iscsi/seatrial-gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw3
@@ -138,2 +138,2 @@
+    iscsi_sessions 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw3 &&
+    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9 ]
@@ -145 +145 @@
+    iscsi_login 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:shared iqn.2026-01.org.seatrial:gfs-equallogic:ps2:raw3
@@ -148 +148 @@
+    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9 ]; do again 30 'the disks of the sessions'; done
@@ -153 +153 @@
+    [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part5 ]
@@ -155 +155 @@
+guard_9() { all_must_be_blank /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9; }
@@ -157 +157 @@
+    parted -s -a none /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9 mklabel gpt mkpart task1 1MiB 20% mkpart task2 20% 40% mkpart task3 40% 60% mkpart task4 60% 80% mkpart task5 80% 100%
@@ -160 +160 @@
+    until [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part2 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part3 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part4 ] && [ -b /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part5 ]; do again 20 'the parts of the volume'; done
@@ -165 +165 @@
+    [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0005.000)" = /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part1 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0005.001)" = /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part2 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0005.002)" = /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part3 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0005.003)" = /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part4 ] && [ "$(readlink /var/lib/seatrial/gfs-equallogic/volumes/f0005.004)" = /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part5 ]
@@ -170,5 +170,5 @@
+    ln -sfn /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part1 /var/lib/seatrial/gfs-equallogic/volumes/f0005.000
+    ln -sfn /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part2 /var/lib/seatrial/gfs-equallogic/volumes/f0005.001
+    ln -sfn /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part3 /var/lib/seatrial/gfs-equallogic/volumes/f0005.002
+    ln -sfn /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part4 /var/lib/seatrial/gfs-equallogic/volumes/f0005.003
+    ln -sfn /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9-part5 /var/lib/seatrial/gfs-equallogic/volumes/f0005.004
##### stage 6, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 6 of 10: cluster
# (the preamble)

# 1. write /etc/dlm/seatrial-password-c1
check_1() {
    cmp -s /etc/dlm/seatrial-password-c1 - <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
guard_1() { :; }
apply_1() {
    mkdir -p /etc/dlm
    (umask 077; cat >/etc/dlm/seatrial-password-c1.new) <<'SEATRIAL' || { rm -f /etc/dlm/seatrial-password-c1.new; exit 1; }
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
    chmod 700 /etc/dlm/seatrial-password-c1.new
    mv /etc/dlm/seatrial-password-c1.new /etc/dlm/seatrial-password-c1
}

# 2. write /etc/dlm/seatrial-password-c2
check_2() {
    cmp -s /etc/dlm/seatrial-password-c2 - <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
guard_2() { :; }
apply_2() {
    mkdir -p /etc/dlm
    (umask 077; cat >/etc/dlm/seatrial-password-c2.new) <<'SEATRIAL' || { rm -f /etc/dlm/seatrial-password-c2.new; exit 1; }
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
    chmod 700 /etc/dlm/seatrial-password-c2.new
    mv /etc/dlm/seatrial-password-c2.new /etc/dlm/seatrial-password-c2
}

# 3. write /etc/dlm/seatrial-password-c3
check_3() {
    cmp -s /etc/dlm/seatrial-password-c3 - <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
guard_3() { :; }
apply_3() {
    mkdir -p /etc/dlm
    (umask 077; cat >/etc/dlm/seatrial-password-c3.new) <<'SEATRIAL' || { rm -f /etc/dlm/seatrial-password-c3.new; exit 1; }
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
    chmod 700 /etc/dlm/seatrial-password-c3.new
    mv /etc/dlm/seatrial-password-c3.new /etc/dlm/seatrial-password-c3
}

# 4. write /etc/dlm/seatrial-password-c4
check_4() {
    cmp -s /etc/dlm/seatrial-password-c4 - <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
guard_4() { :; }
apply_4() {
    mkdir -p /etc/dlm
    (umask 077; cat >/etc/dlm/seatrial-password-c4.new) <<'SEATRIAL' || { rm -f /etc/dlm/seatrial-password-c4.new; exit 1; }
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
    chmod 700 /etc/dlm/seatrial-password-c4.new
    mv /etc/dlm/seatrial-password-c4.new /etc/dlm/seatrial-password-c4
}

# 5. write /etc/dlm/seatrial-password-c5
check_5() {
    cmp -s /etc/dlm/seatrial-password-c5 - <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
guard_5() { :; }
apply_5() {
    mkdir -p /etc/dlm
    (umask 077; cat >/etc/dlm/seatrial-password-c5.new) <<'SEATRIAL' || { rm -f /etc/dlm/seatrial-password-c5.new; exit 1; }
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
    chmod 700 /etc/dlm/seatrial-password-c5.new
    mv /etc/dlm/seatrial-password-c5.new /etc/dlm/seatrial-password-c5
}

# 6. write /etc/dlm/seatrial-password-c6
check_6() {
    cmp -s /etc/dlm/seatrial-password-c6 - <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
guard_6() { :; }
apply_6() {
    mkdir -p /etc/dlm
    (umask 077; cat >/etc/dlm/seatrial-password-c6.new) <<'SEATRIAL' || { rm -f /etc/dlm/seatrial-password-c6.new; exit 1; }
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
    chmod 700 /etc/dlm/seatrial-password-c6.new
    mv /etc/dlm/seatrial-password-c6.new /etc/dlm/seatrial-password-c6
}

# 7. say how each node is fenced
#    why: a node that is lost may still write: until its power is known to be off, its locks are nobody's, and whoever needs one waits
check_7() {
    cmp -s /etc/dlm/dlm.conf - <<'SEATRIAL'
enable_fencing=1
enable_concurrent_fencing=1
repeat_failed_fencing=1

device fence-c1 fence_ipmilan ip=c1-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c1 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c1 node=1

device fence-c2 fence_ipmilan ip=c2-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c2 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c2 node=2

device fence-c3 fence_ipmilan ip=c3-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c3 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c3 node=3

device fence-c4 fence_ipmilan ip=c4-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c4 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c4 node=4

device fence-c5 fence_ipmilan ip=c5-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c5 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c5 node=5

device fence-c6 fence_ipmilan ip=c6-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c6 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c6 node=6
SEATRIAL
}
guard_7() { :; }
apply_7() {
    mkdir -p /etc/dlm
    (umask 077; cat >/etc/dlm/dlm.conf.new) <<'SEATRIAL' || { rm -f /etc/dlm/dlm.conf.new; exit 1; }
enable_fencing=1
enable_concurrent_fencing=1
repeat_failed_fencing=1

device fence-c1 fence_ipmilan ip=c1-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c1 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c1 node=1

device fence-c2 fence_ipmilan ip=c2-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c2 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c2 node=2

device fence-c3 fence_ipmilan ip=c3-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c3 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c3 node=3

device fence-c4 fence_ipmilan ip=c4-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c4 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c4 node=4

device fence-c5 fence_ipmilan ip=c5-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c5 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c5 node=5

device fence-c6 fence_ipmilan ip=c6-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c6 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c6 node=6
SEATRIAL
    chmod 600 /etc/dlm/dlm.conf.new
    mv /etc/dlm/dlm.conf.new /etc/dlm/dlm.conf
    ! systemctl -q is-active dlm || dlm_tool reload_config
}

# 8. have the lock manager wait until the node is among the others
#    why: corosync says that it is ready while it is still alone. A lock space that is joined then sees all others join when they meet, while they see one: each waits for messages of the other for ever, and the file system with them
check_8() {
    cmp -s /etc/systemd/system/dlm.service.d/seatrial.conf - <<'SEATRIAL'
[Service]
ExecStartPre=/bin/sh -c 'until corosync-quorumtool -s 2>/dev/null | grep -q "^Quorate: *Yes"; do sleep 0.5; done'
TimeoutStartSec=infinity
SEATRIAL
}
guard_8() { :; }
apply_8() {
    mkdir -p /etc/systemd/system/dlm.service.d
    cat >/etc/systemd/system/dlm.service.d/seatrial.conf.new <<'SEATRIAL' || { rm -f /etc/systemd/system/dlm.service.d/seatrial.conf.new; exit 1; }
[Service]
ExecStartPre=/bin/sh -c 'until corosync-quorumtool -s 2>/dev/null | grep -q "^Quorate: *Yes"; do sleep 0.5; done'
TimeoutStartSec=infinity
SEATRIAL
    mv /etc/systemd/system/dlm.service.d/seatrial.conf.new /etc/systemd/system/dlm.service.d/seatrial.conf
    [ "$(systemctl show --property=NeedDaemonReload --value dlm.service)" = no ] || systemctl daemon-reload
}

# 9. have LVM ask for locks
#    why: the group of volumes is shared: two nodes must not change it at once
check_9() {
    lvmconfig --type full global/use_lvmlockd | grep -q '1'
}
guard_9() { :; }
apply_9() {
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

# 10. keep the members' key for root alone
check_10() {
    cmp -s /var/lib/seatrial/made/gfs-equallogic/corosync-key - <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
guard_10() { :; }
apply_10() {
    mkdir -p /var/lib/seatrial/made/gfs-equallogic
    (umask 077; cat >/var/lib/seatrial/made/gfs-equallogic/corosync-key.new) <<'SEATRIAL' || { rm -f /var/lib/seatrial/made/gfs-equallogic/corosync-key.new; exit 1; }
@generated:corosync-key@
SEATRIAL
    chmod 600 /var/lib/seatrial/made/gfs-equallogic/corosync-key.new
    mv /var/lib/seatrial/made/gfs-equallogic/corosync-key.new /var/lib/seatrial/made/gfs-equallogic/corosync-key
}

# 11. have what the members say to each other encrypted
#    why: whoever is on the network could become a member, and have others fenced
check_11() {
    cmp -s /etc/corosync/authkey - <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
guard_11() { :; }
apply_11() {
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

# 12. say who the members are, and how they hear each other
check_12() {
    cmp -s /etc/corosync/corosync.conf - <<'SEATRIAL'
totem {
    version: 2
    cluster_name: gfs-equallogic
    transport: knet
    crypto_cipher: aes256
    crypto_hash: sha256
    token: 3000
    token_coefficient: 0
    interface {
        linknumber: 0
        knet_ping_interval: 500
        knet_ping_timeout: 1500
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
        ring0_addr: c1
    }
    node {
        name: c2
        nodeid: 2
        ring0_addr: c2
    }
    node {
        name: c3
        nodeid: 3
        ring0_addr: c3
    }
    node {
        name: c4
        nodeid: 4
        ring0_addr: c4
    }
    node {
        name: c5
        nodeid: 5
        ring0_addr: c5
    }
    node {
        name: c6
        nodeid: 6
        ring0_addr: c6
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
guard_12() { :; }
apply_12() {
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
    token: 3000
    token_coefficient: 0
    interface {
        linknumber: 0
        knet_ping_interval: 500
        knet_ping_timeout: 1500
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
        ring0_addr: c1
    }
    node {
        name: c2
        nodeid: 2
        ring0_addr: c2
    }
    node {
        name: c3
        nodeid: 3
        ring0_addr: c3
    }
    node {
        name: c4
        nodeid: 4
        ring0_addr: c4
    }
    node {
        name: c5
        nodeid: 5
        ring0_addr: c5
    }
    node {
        name: c6
        nodeid: 6
        ring0_addr: c6
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
    step 7
    step 8
    step 9
    step 10
    step 11
    step 12
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 7, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 7 of 10: fencing
# (the preamble)

# 1. reach 6 management controllers
#    why: one that cannot be asked is found out when the first node is lost, and then holds up all the others
check_1() {
    grep -qx 5b48d7bb3741e0ed /run/seatrial-gfs-equallogic.fencing
}
guard_1() { :; }
apply_1() {
    asked=
    said=$(mktemp -d)
    trap 'rm -rf $said' EXIT
    fence_ipmilan >$said/c1 2>&1 <<'SEATRIAL' & asked="$asked c1:$!"
action=status
ip=c1-bmc.example
username=fence
password_script=/etc/dlm/seatrial-password-c1
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c2 2>&1 <<'SEATRIAL' & asked="$asked c2:$!"
action=status
ip=c2-bmc.example
username=fence
password_script=/etc/dlm/seatrial-password-c2
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c3 2>&1 <<'SEATRIAL' & asked="$asked c3:$!"
action=status
ip=c3-bmc.example
username=fence
password_script=/etc/dlm/seatrial-password-c3
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c4 2>&1 <<'SEATRIAL' & asked="$asked c4:$!"
action=status
ip=c4-bmc.example
username=fence
password_script=/etc/dlm/seatrial-password-c4
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c5 2>&1 <<'SEATRIAL' & asked="$asked c5:$!"
action=status
ip=c5-bmc.example
username=fence
password_script=/etc/dlm/seatrial-password-c5
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c6 2>&1 <<'SEATRIAL' & asked="$asked c6:$!"
action=status
ip=c6-bmc.example
username=fence
password_script=/etc/dlm/seatrial-password-c6
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
    echo 5b48d7bb3741e0ed >/run/seatrial-gfs-equallogic.fencing
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 8, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 8 of 10: locks
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
##### stage 9, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 9 of 10: file system
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

# 2. give ps2's volume a GPT label and one partition
check_2() {
    [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1 ]
}
guard_2() { all_must_be_blank /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82; }
apply_2() {
    parted -s /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82 mklabel gpt mkpart primary 1MiB 100%
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1 ]; do again 20 /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1; done
}

# 3. make GFS2 with 8 journals, striped over 2 members
#    why: each node that mounts needs a journal of its own, and some to spare for nodes that come later
check_3() {
    vgs --noheadings -o tags st-gfs-equallogic 2>/dev/null | grep -q seatrial-made
}
guard_3() { :; }
apply_3() {
    found=$(wipefs --noheadings --output TYPE /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1)
    [ -z "$found" ] || { echo "refused: /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 holds $found"; exit 1; }
    found=$(wipefs --noheadings --output TYPE /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1)
    [ -z "$found" ] || { echo "refused: /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1 holds $found"; exit 1; }
    vgcreate -q -y --shared st-gfs-equallogic /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1
    lvcreate -q -y -W y -Z y -a sy -n data -i 2 -I 64k -l 100%FREE st-gfs-equallogic
    mkfs.gfs2 -O -q -p lock_dlm -t gfs-equallogic:data -j 8 -J 8 /dev/st-gfs-equallogic/data
    vgchange -q --addtag seatrial-made st-gfs-equallogic
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
##### stage 10, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 10 of 10: mount
# (the preamble)

# 1. see the partitions
check_1() {
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1 ]
}
guard_1() { :; }
apply_1() {
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ] || partprobe /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d
    [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1 ] || partprobe /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ] && [ -b /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82-part1 ]; do again 20 'the partitions'; done
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

# 5. the volume reads ahead as it did before
check_5() {
    [ ! -e /run/seatrial-gfs-equallogic.readahead ]
}
guard_5() { :; }
apply_5() {
    if read -r ahead </run/seatrial-gfs-equallogic.readahead; then echo $ahead >/sys/dev/block/$(mountpoint -x /dev/st-gfs-equallogic/data)/queue/read_ahead_kb; fi
    rm /run/seatrial-gfs-equallogic.readahead
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
