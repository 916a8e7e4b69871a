##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 1 of 13: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (2)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block

# 3. (steps.sh) refuse other multipath devices: gpfs-nsd-block

# 4. (steps.sh) refuse another cluster: gpfs-nsd-block

# 5. (steps.sh) refuse an occupied mount point: /mnt/gpfs-nsd-block
# (5 steps)
##### stage 1, bs[1-2] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 1 of 13: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (2)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block

# 3. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block

# 4. refuse another cluster
check_4() {
    set +e
    no_other_cluster gpfs-nsd-block gpfs-nsd-block
}
guard_4() { :; }
apply_4() {
    set +e
    no_other_cluster gpfs-nsd-block gpfs-nsd-block
    exit 1
}
# (4 steps)
##### stage 1, a[1-2] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 1 of 13: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (2)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block

# 3. refuse another cluster
check_3() {
    set +e
    no_other_cluster gpfs-nsd-block gpfs-nsd-block
}
guard_3() { :; }
apply_3() {
    set +e
    no_other_cluster gpfs-nsd-block gpfs-nsd-block
    exit 1
}

# 4. (steps.sh) refuse a disk that is used twice (2)

# 5. refuse disks that are in use: create array gpfs-nsd-block: RAID 5
check_5() {
    set +e
    (
    [ -b /dev/md/gpfs-nsd-block ] && set_=$(readlink -f /dev/md/gpfs-nsd-block) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid5 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 5 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
    ) >/dev/null 2>&1 && is_deployed gpfs-nsd-block /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf && exit 0
    look_disks gpfs-nsd-block any:gpfs-nsd-block '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
}
guard_5() { :; }
apply_5() {
    set +e
    (
    [ -b /dev/md/gpfs-nsd-block ] && set_=$(readlink -f /dev/md/gpfs-nsd-block) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid5 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 5 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
    ) >/dev/null 2>&1 && is_deployed gpfs-nsd-block /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf && exit 0
    look_disks gpfs-nsd-block any:gpfs-nsd-block '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
    exit 1
}
# (5 steps)
##### stage 2, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 2 of 13: mark
# (the preamble)

# (backups.sh)
# 1. mark this node for gpfs-nsd-block
check_1() {
    [ -e /var/lib/seatrial/made/gpfs-nsd-block/mark ]
}
guard_1() { :; }
apply_1() {
    umask 077
    mkdir -p /var/lib/seatrial/made/gpfs-nsd-block
    chmod 700 /var/lib/seatrial/made /var/lib/seatrial/made/gpfs-nsd-block
    : >/var/lib/seatrial/made/gpfs-nsd-block/left
    : >/var/lib/seatrial/made/gpfs-nsd-block/mark
}

# 2. store the state of open-iscsi, iscsid, multipathd, corosync, dlm, lvmlockd
check_2() {
    units_are_kept /var/lib/seatrial/made/gpfs-nsd-block/before/units open-iscsi.service iscsid.service multipathd.service corosync.service dlm.service lvmlockd.service
}
guard_2() { :; }
apply_2() {
    keep_units /var/lib/seatrial/made/gpfs-nsd-block/before/units open-iscsi.service iscsid.service multipathd.service corosync.service dlm.service lvmlockd.service
}
# (2 steps)
##### stage 2, bs[1-2] #####
as on c[1-4], but for:
@@ -20 +20 @@
+# 2. store the state of open-iscsi, iscsid, tgt
@@ -22 +22 @@
+    units_are_kept /var/lib/seatrial/made/gpfs-nsd-block/before/units open-iscsi.service iscsid.service tgt.service
@@ -26 +26 @@
+    keep_units /var/lib/seatrial/made/gpfs-nsd-block/before/units open-iscsi.service iscsid.service tgt.service
##### stage 2, a[1-2] #####
as on c[1-4], but for:
@@ -20 +20 @@
+# 2. store the state of tgt
@@ -22 +22 @@
+    units_are_kept /var/lib/seatrial/made/gpfs-nsd-block/before/units tgt.service
@@ -26 +26 @@
+    keep_units /var/lib/seatrial/made/gpfs-nsd-block/before/units tgt.service
##### stage 3, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 3 of 13: packages
# (the preamble)

# (backups.sh)
# 1. install corosync, dlm_controld, lvmlockd, mkfs.gfs2, iscsiadm, parted, fence_ipmilan
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
    keep_packages /var/lib/seatrial/made/gpfs-nsd-block/packages
    trap 'note_packages /var/lib/seatrial/made/gpfs-nsd-block/packages' EXIT
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends corosync dlm-controld fence-agents gfs2-utils lvm2-lockd open-iscsi parted
    else
        dnf install -y corosync dlm-controld fence-agents gfs2-utils lvm2-lockd open-iscsi parted
    fi
}
# (1 steps)
##### stage 4, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 4 of 13: network
# (the preamble)

# 1. set MTU 9000 on the link to bs1-storage
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_1() {
    peer=$(getent ahostsv4 bs1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
    link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
    read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
}
guard_1() { :; }
apply_1() {
    peer=$(getent ahostsv4 bs1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
    link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
    (
        umask 077
        mkdir -p /var/lib/seatrial/made/gpfs-nsd-block/before
        if [ -e "/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
        echo "$was 9000" >"/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link" && mv "/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link" "/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link" || { rm -f "/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link"; exit 1; }
    )
    ip link set dev "$link" mtu 9000
}
# (1 steps)
##### stage 4, bs[1-2] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 4 of 13: network
# (the preamble)

# 1. set MTU 9000 on the link to c1-storage
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_1() {
    peer=$(getent ahostsv4 c1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
    link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
    read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
}
guard_1() { :; }
apply_1() {
    peer=$(getent ahostsv4 c1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
    link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
    (
        umask 077
        mkdir -p /var/lib/seatrial/made/gpfs-nsd-block/before
        if [ -e "/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
        echo "$was 9000" >"/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link" && mv "/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link" "/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link" || { rm -f "/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link"; exit 1; }
    )
    ip link set dev "$link" mtu 9000
}

# 2. set MTU 9000 on the link to a1-arrays
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_2() {
    peer=$(getent ahostsv4 a1-arrays | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
    link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
    read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
}
guard_2() { :; }
apply_2() {
    peer=$(getent ahostsv4 a1-arrays | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
    link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
    (
        umask 077
        mkdir -p /var/lib/seatrial/made/gpfs-nsd-block/before
        if [ -e "/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
        echo "$was 9000" >"/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link" && mv "/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link" "/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link" || { rm -f "/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link"; exit 1; }
    )
    ip link set dev "$link" mtu 9000
}
# (2 steps)
##### stage 4, a[1-2] #####
as on c[1-4], but for:
@@ -6 +6 @@
+# 1. set MTU 9000 on the link to bs1-arrays
@@ -9 +9 @@
+    peer=$(getent ahostsv4 bs1-arrays | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -15 +15 @@
+    peer=$(getent ahostsv4 bs1-arrays | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
##### stage 5, a1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 5 of 13: members
# (the preamble)

# (volumes.sh)
# (backups.sh)
# 1. assemble the existing array gpfs-nsd-block
check_1() {
    ! { { [ ! -b /dev/md/gpfs-nsd-block ] && mdadm --examine --export /dev/ubdb 2>/dev/null | grep -q '^MD_NAME=any:gpfs-nsd-block$'; }; }
}
guard_1() { :; }
apply_1() {
    [ -b /dev/md/gpfs-nsd-block ] || mdadm --assemble /dev/md/gpfs-nsd-block /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/gpfs-nsd-block
}

# 2. create array gpfs-nsd-block: RAID 5
#    why: the new devices hold zeros, so parity is consistent without an initial resync
check_2() {
    [ -b /dev/md/gpfs-nsd-block ] && set_=$(readlink -f /dev/md/gpfs-nsd-block) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid5 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 5 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
}
guard_2() { all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf; }
apply_2() {
    expect_volumes /var/lib/seatrial/made/gpfs-nsd-block/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
    modprobe raid456 || true
    pids=
    mdadm --create /dev/md/gpfs-nsd-block --run --metadata=1.2 --homehost=any --name=gpfs-nsd-block --level=5 \
        --raid-devices=5 --chunk=64 --assume-clean /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/gpfs-nsd-block
}

# 3. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf

# 4. enable the assembly of the array at boot
check_4() {
    cmp -s /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf - <<'SEATRIAL'
ARRAY /dev/md/gpfs-nsd-block metadata=1.2 name=any:gpfs-nsd-block
SEATRIAL
}
guard_4() { :; }
apply_4() {
    mkdir -p /etc/mdadm/mdadm.conf.d
    cat >/etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf.new <<'SEATRIAL' || { rm -f /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf.new; exit 1; }
ARRAY /dev/md/gpfs-nsd-block metadata=1.2 name=any:gpfs-nsd-block
SEATRIAL
    mv /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf.new /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf
}

# 5. install tgtd, mdadm, vgcreate
check_5() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v tgtd >/dev/null &&
    command -v mdadm >/dev/null &&
    command -v vgcreate >/dev/null
}
guard_5() { :; }
apply_5() {
    keep_packages /var/lib/seatrial/made/gpfs-nsd-block/packages
    trap 'note_packages /var/lib/seatrial/made/gpfs-nsd-block/packages' EXIT
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends lvm2 mdadm tgt
    else
        dnf install -y lvm2 mdadm tgt
    fi
}

# 6. split /dev/md/gpfs-nsd-block into 2 volumes
check_6() {
    vgs --noheadings -o tags seatrial-group 2>/dev/null | grep -q seatrial-made && [ "$(readlink -f /dev/md/gpfs-nsd-block)" = "$(readlink -f $(pvs --noheadings -o pv_name -S vg_name=seatrial-group))" ]
}
guard_6() { :; }
apply_6() {
    must_be_blank /dev/md/gpfs-nsd-block
    vgcreate -q -y seatrial-group /dev/md/gpfs-nsd-block
    lvcreate -q -y -W n -n shared1 -l 50%FREE seatrial-group
    lvcreate -q -y -W n -n shared2 -l 100%FREE seatrial-group
    vgchange -q --addtag seatrial-made seatrial-group
}

# 7. (steps.sh) set the socket buffers of the iSCSI target

# 8. store the iSCSI secret, readable by root only
#    why: otherwise any host on the storage network could read and write the volumes
check_8() {
    cmp -s /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap - <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
guard_8() { :; }
apply_8() {
    mkdir -p /var/lib/seatrial/made/gpfs-nsd-block
    (umask 077; cat >/var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new) <<'SEATRIAL' || { rm -f /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new; exit 1; }
@generated:iscsi-chap@
SEATRIAL
    chmod 600 /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new
    mv /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
}

# 9. (steps.sh) install the script that configures the targets

# 10. configure 2 targets and the permitted initiators
check_10() {
    cmp -s /etc/tgt/seatrial-gpfs-nsd-block.targets - <<'SEATRIAL'
account gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
target 1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1
lun 1 1 /dev/seatrial-group/shared1 322ee30896f7c17f VOLUME
asks 1 gpfs-nsd-block
initiator 1 iqn.2026-01.org.seatrial:gpfs-nsd-block.bs1
initiator 1 iqn.2026-01.org.seatrial:gpfs-nsd-block.bs2
target 2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2
lun 2 1 /dev/seatrial-group/shared2 3b3def4f072fb5fe VOLUME
asks 2 gpfs-nsd-block
initiator 2 iqn.2026-01.org.seatrial:gpfs-nsd-block.bs1
initiator 2 iqn.2026-01.org.seatrial:gpfs-nsd-block.bs2
portal a1-arrays 3260
SEATRIAL
}
guard_10() { :; }
apply_10() {
    mkdir -p /etc/tgt
    cat >/etc/tgt/seatrial-gpfs-nsd-block.targets.new <<'SEATRIAL' || { rm -f /etc/tgt/seatrial-gpfs-nsd-block.targets.new; exit 1; }
account gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
target 1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1
lun 1 1 /dev/seatrial-group/shared1 322ee30896f7c17f VOLUME
asks 1 gpfs-nsd-block
initiator 1 iqn.2026-01.org.seatrial:gpfs-nsd-block.bs1
initiator 1 iqn.2026-01.org.seatrial:gpfs-nsd-block.bs2
target 2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2
lun 2 1 /dev/seatrial-group/shared2 3b3def4f072fb5fe VOLUME
asks 2 gpfs-nsd-block
initiator 2 iqn.2026-01.org.seatrial:gpfs-nsd-block.bs1
initiator 2 iqn.2026-01.org.seatrial:gpfs-nsd-block.bs2
portal a1-arrays 3260
SEATRIAL
    mv /etc/tgt/seatrial-gpfs-nsd-block.targets.new /etc/tgt/seatrial-gpfs-nsd-block.targets
}

# 11. start the iSCSI target after the array at boot
#    why: a target that starts before its array offers nothing; a login cut off by an incomplete target may never be recovered by iscsid (open-iscsi, issue 387)
check_11() {
    cmp -s /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf - <<'SEATRIAL'
[Unit]
Wants=dev-seatrial\x2dgroup-shared1.device dev-seatrial\x2dgroup-shared2.device
After=dev-seatrial\x2dgroup-shared1.device dev-seatrial\x2dgroup-shared2.device
[Service]
ExecStart=
ExecStart=/usr/sbin/tgtd -f --iscsi portal=127.0.0.1:3260
ExecStartPost=/usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gpfs-nsd-block.targets start
TimeoutStartSec=180
SEATRIAL
}
guard_11() { :; }
apply_11() {
    mkdir -p /etc/systemd/system/tgt.service.d
    cat >/etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf.new <<'SEATRIAL' || { rm -f /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf.new; exit 1; }
[Unit]
Wants=dev-seatrial\x2dgroup-shared1.device dev-seatrial\x2dgroup-shared2.device
After=dev-seatrial\x2dgroup-shared1.device dev-seatrial\x2dgroup-shared2.device
[Service]
ExecStart=
ExecStart=/usr/sbin/tgtd -f --iscsi portal=127.0.0.1:3260
ExecStartPost=/usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gpfs-nsd-block.targets start
TimeoutStartSec=180
SEATRIAL
    mv /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf.new /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf
    [ "$(systemctl show --property=NeedDaemonReload --value tgt.service)" = no ] || systemctl daemon-reload
    ! systemctl -q is-active tgt || [ -n "$(tgtadm --lld iscsi --mode target --op show)" ] || systemctl stop tgt
}

# 12. start the iSCSI target
check_12() {
    systemctl -q is-active tgt && systemctl -q is-enabled tgt && /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gpfs-nsd-block.targets check
}
guard_12() { :; }
apply_12() {
    systemctl -q is-enabled tgt || systemctl -q --no-reload enable tgt
    systemctl start tgt
    /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gpfs-nsd-block.targets
}
# (12 steps)
##### stage 5, a2 #####
as on a1, but for:
@@ -110,2 +110,2 @@
+target 1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1
+lun 1 1 /dev/seatrial-group/shared1 60950c44edb58f12 VOLUME
@@ -115,2 +115,2 @@
+target 2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2
+lun 2 1 /dev/seatrial-group/shared2 3ac8979a2c836660 VOLUME
@@ -120 +120 @@
+portal a2-arrays 3260
@@ -128,2 +128,2 @@
+target 1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1
+lun 1 1 /dev/seatrial-group/shared1 60950c44edb58f12 VOLUME
@@ -133,2 +133,2 @@
+target 2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2
+lun 2 1 /dev/seatrial-group/shared2 3ac8979a2c836660 VOLUME
@@ -138 +138 @@
+portal a2-arrays 3260
##### stage 6, bs1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 6 of 13: block servers
# (the preamble)

# (backups.sh)
# (iscsi_initiator.sh)
# 1. install iscsiadm, tgtd
check_1() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v iscsiadm >/dev/null &&
    command -v tgtd >/dev/null
}
guard_1() { :; }
apply_1() {
    keep_packages /var/lib/seatrial/made/gpfs-nsd-block/packages
    trap 'note_packages /var/lib/seatrial/made/gpfs-nsd-block/packages' EXIT
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends open-iscsi tgt
    else
        dnf install -y open-iscsi tgt
    fi
}

# 2. write /etc/iscsi/initiatorname.iscsi
check_2() {
    cmp -s /etc/iscsi/initiatorname.iscsi - <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.bs1
SEATRIAL
}
guard_2() { :; }
apply_2() {
    [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi ] || [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/gpfs-nsd-block/before
        [ -s /etc/iscsi/initiatorname.iscsi ] || exec touch /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.absent
        cp -p /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.new && mv /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi ||
            { rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.new; exit 1; }
    )
    mkdir -p /etc/iscsi
    cat >/etc/iscsi/initiatorname.iscsi.new <<'SEATRIAL' || { rm -f /etc/iscsi/initiatorname.iscsi.new; exit 1; }
InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.bs1
SEATRIAL
    (umask 077 && cp /etc/iscsi/initiatorname.iscsi.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.ours.new && mv /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.ours.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.ours ||
        { rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.ours.new; exit 1; })
    mv /etc/iscsi/initiatorname.iscsi.new /etc/iscsi/initiatorname.iscsi
}

# 3. (steps.sh) write /etc/modules-load.d/seatrial-storage.conf

# 4. bind iSCSI sessions to arrays
#    why: data must not use another network of the node, whatever its routes are
check_4() {
    grep -qx 'iface.net_ifacename = arrays' /etc/iscsi/ifaces/seatrial-gpfs-nsd-block
}
guard_4() { :; }
apply_4() {
    systemctl start iscsid
    iscsiadm -m iface -I seatrial-gpfs-nsd-block -o new
    iscsiadm -m iface -I seatrial-gpfs-nsd-block -o update -n iface.net_ifacename -v arrays
}

# 5. store the iSCSI secret, readable by root only
#    why: otherwise any host on the storage network could read and write the volumes
check_5() {
    cmp -s /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap - <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
guard_5() { :; }
apply_5() {
    mkdir -p /var/lib/seatrial/made/gpfs-nsd-block
    (umask 077; cat >/var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new) <<'SEATRIAL' || { rm -f /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new; exit 1; }
@generated:iscsi-chap@
SEATRIAL
    chmod 600 /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new
    mv /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
}

# 6. configure iSCSI sessions and their account
check_6() {
    cmp -s /etc/iscsi/seatrial-gpfs-nsd-block - <<'SEATRIAL'
node.startup = automatic
node.session.auth.authmethod = CHAP
node.session.auth.username = gpfs-nsd-block
node.session.auth.password = @generated:iscsi-chap@
node.session.timeo.replacement_timeout = 600
node.conn[0].timeo.noop_out_interval = 4
node.conn[0].timeo.noop_out_timeout = 4
node.session.initial_login_retry_max = 8
SEATRIAL
}
guard_6() { :; }
apply_6() {
    mkdir -p /etc/iscsi
    (umask 077; cat >/etc/iscsi/seatrial-gpfs-nsd-block.new) <<'SEATRIAL' || { rm -f /etc/iscsi/seatrial-gpfs-nsd-block.new; exit 1; }
node.startup = automatic
node.session.auth.authmethod = CHAP
node.session.auth.username = gpfs-nsd-block
node.session.auth.password = @generated:iscsi-chap@
node.session.timeo.replacement_timeout = 600
node.conn[0].timeo.noop_out_interval = 4
node.conn[0].timeo.noop_out_timeout = 4
node.session.initial_login_retry_max = 8
SEATRIAL
    chmod 600 /etc/iscsi/seatrial-gpfs-nsd-block.new
    mv /etc/iscsi/seatrial-gpfs-nsd-block.new /etc/iscsi/seatrial-gpfs-nsd-block
}

# 7. discover 4 iSCSI targets at a1-arrays a2-arrays
check_7() {
    iscsi_known /etc/iscsi/seatrial-gpfs-nsd-block 1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2
}
guard_7() { :; }
apply_7() {
    systemctl start iscsid
    for portal in a1-arrays a2-arrays; do
        iscsiadm -m discovery -t sendtargets -p $portal:3260 -I seatrial-gpfs-nsd-block
    done
    iscsi_set /etc/iscsi/seatrial-gpfs-nsd-block iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2
}

# 8. log in to 4 iSCSI sessions and enable them at boot
check_8() {
    systemctl -q is-active iscsid && systemctl -q is-enabled open-iscsi &&
    iscsi_sessions 1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2 &&
    [ -b /dev/disk/by-id/scsi-36000000000000000322ee30896f7c17f ] && [ -b /dev/disk/by-id/scsi-360000000000000003b3def4f072fb5fe ] && [ -b /dev/disk/by-id/scsi-3600000000000000060950c44edb58f12 ] && [ -b /dev/disk/by-id/scsi-360000000000000003ac8979a2c836660 ]
}
guard_8() { :; }
apply_8() {
    systemctl -q --no-reload enable open-iscsi iscsid
    systemctl start iscsid
    iscsi_login 1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000322ee30896f7c17f ] && [ -b /dev/disk/by-id/scsi-360000000000000003b3def4f072fb5fe ] && [ -b /dev/disk/by-id/scsi-3600000000000000060950c44edb58f12 ] && [ -b /dev/disk/by-id/scsi-360000000000000003ac8979a2c836660 ]; do again 30 'the disks of the sessions'; done
}

# 9. set the write cache mode of the disks to write back
#    why: what a member has acknowledged from memory is on its disks after a flush
check_9() {
    for device in /dev/disk/by-id/scsi-36000000000000000322ee30896f7c17f /dev/disk/by-id/scsi-360000000000000003b3def4f072fb5fe /dev/disk/by-id/scsi-3600000000000000060950c44edb58f12 /dev/disk/by-id/scsi-360000000000000003ac8979a2c836660; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        grep -qx 'write back' $disk/scsi_disk/*/cache_type || exit 1
    done
}
guard_9() { :; }
apply_9() {
    for device in /dev/disk/by-id/scsi-36000000000000000322ee30896f7c17f /dev/disk/by-id/scsi-360000000000000003b3def4f072fb5fe /dev/disk/by-id/scsi-3600000000000000060950c44edb58f12 /dev/disk/by-id/scsi-360000000000000003ac8979a2c836660; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        echo 1 >$disk/rescan
    done
}

# 10. install the monitor for lost arrays
#    why: a write that waits here could overwrite newer data written by the other server
check_10() {
    cmp -s /usr/local/sbin/seatrial-lost-array - <<'SEATRIAL'
#!/bin/bash
# Resets this server at once, writing nothing back, where a session to one of these arrays has been down for 5 s.
exec {never}<> <(:)
declare -A down
while true; do
    read -r -t 1 -u "$never"
    for session in /sys/class/iscsi_session/session*; do
        {
            read -r target <"$session/targetname" && [[ $target = iqn.2026-01.org.seatrial:gpfs-nsd-block:* ]] && read -r state <"$session/state"
        } 2>/dev/null || continue
        # One that is being ended on purpose is FREE.
        if [ "$state" != FAILED ]; then
            down[$session]=$SECONDS
        elif [ $((SECONDS - ${down[$session]:-$SECONDS})) -ge 5 ]; then
            echo "seatrial-lost-array: no session to $target for 5 s" >/dev/kmsg
            echo b >/proc/sysrq-trigger
        fi
    done
done
SEATRIAL
}
guard_10() { :; }
apply_10() {
    mkdir -p /usr/local/sbin
    cat >/usr/local/sbin/seatrial-lost-array.new <<'SEATRIAL' || { rm -f /usr/local/sbin/seatrial-lost-array.new; exit 1; }
#!/bin/bash
# Resets this server at once, writing nothing back, where a session to one of these arrays has been down for 5 s.
exec {never}<> <(:)
declare -A down
while true; do
    read -r -t 1 -u "$never"
    for session in /sys/class/iscsi_session/session*; do
        {
            read -r target <"$session/targetname" && [[ $target = iqn.2026-01.org.seatrial:gpfs-nsd-block:* ]] && read -r state <"$session/state"
        } 2>/dev/null || continue
        # One that is being ended on purpose is FREE.
        if [ "$state" != FAILED ]; then
            down[$session]=$SECONDS
        elif [ $((SECONDS - ${down[$session]:-$SECONDS})) -ge 5 ]; then
            echo "seatrial-lost-array: no session to $target for 5 s" >/dev/kmsg
            echo b >/proc/sysrq-trigger
        fi
    done
done
SEATRIAL
    chmod 755 /usr/local/sbin/seatrial-lost-array.new
    mv /usr/local/sbin/seatrial-lost-array.new /usr/local/sbin/seatrial-lost-array
    ! systemctl -q is-active seatrial-lost-array || systemctl restart seatrial-lost-array
}

# 11. write /etc/systemd/system/seatrial-lost-array.service
check_11() {
    cmp -s /etc/systemd/system/seatrial-lost-array.service - <<'SEATRIAL'
[Unit]
Description=reset a block server that has lost its array
After=iscsid.service
[Service]
ExecStart=/usr/local/sbin/seatrial-lost-array
Restart=always
OOMScoreAdjust=-1000
[Install]
WantedBy=multi-user.target
SEATRIAL
}
guard_11() { :; }
apply_11() {
    mkdir -p /etc/systemd/system
    cat >/etc/systemd/system/seatrial-lost-array.service.new <<'SEATRIAL' || { rm -f /etc/systemd/system/seatrial-lost-array.service.new; exit 1; }
[Unit]
Description=reset a block server that has lost its array
After=iscsid.service
[Service]
ExecStart=/usr/local/sbin/seatrial-lost-array
Restart=always
OOMScoreAdjust=-1000
[Install]
WantedBy=multi-user.target
SEATRIAL
    mv /etc/systemd/system/seatrial-lost-array.service.new /etc/systemd/system/seatrial-lost-array.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-lost-array.service)" = no ] || systemctl daemon-reload
    ! systemctl -q is-active seatrial-lost-array || systemctl restart seatrial-lost-array
}

# 12. start the monitor for lost arrays
check_12() {
    systemctl -q is-active seatrial-lost-array && systemctl -q is-enabled seatrial-lost-array
}
guard_12() { :; }
apply_12() {
    systemctl -q --no-reload enable seatrial-lost-array
    systemctl start seatrial-lost-array
}

# 13. (steps.sh) set the socket buffers of the iSCSI target

# 14. store the iSCSI secret, readable by root only
#    why: otherwise any host on the storage network could read and write the volumes
check_14() {
    cmp -s /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap - <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
guard_14() { :; }
apply_14() {
    mkdir -p /var/lib/seatrial/made/gpfs-nsd-block
    (umask 077; cat >/var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new) <<'SEATRIAL' || { rm -f /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new; exit 1; }
@generated:iscsi-chap@
SEATRIAL
    chmod 600 /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new
    mv /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
}

# 15. (steps.sh) install the script that configures the targets

# 16. configure 4 targets and the permitted initiators
check_16() {
    cmp -s /etc/tgt/seatrial-gpfs-nsd-block.targets - <<'SEATRIAL'
account gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
target 1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1
lun 1 1 /dev/disk/by-id/scsi-36000000000000000322ee30896f7c17f 322ee30896f7c17f VOLUME 322ee30896f7c17fa direct
asks 1 gpfs-nsd-block
initiator 1 iqn.2026-01.org.seatrial:gpfs-nsd-block.c1
initiator 1 iqn.2026-01.org.seatrial:gpfs-nsd-block.c2
initiator 1 iqn.2026-01.org.seatrial:gpfs-nsd-block.c3
initiator 1 iqn.2026-01.org.seatrial:gpfs-nsd-block.c4
target 2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2
lun 2 1 /dev/disk/by-id/scsi-360000000000000003b3def4f072fb5fe 3b3def4f072fb5fe VOLUME 3b3def4f072fb5feb direct
asks 2 gpfs-nsd-block
initiator 2 iqn.2026-01.org.seatrial:gpfs-nsd-block.c1
initiator 2 iqn.2026-01.org.seatrial:gpfs-nsd-block.c2
initiator 2 iqn.2026-01.org.seatrial:gpfs-nsd-block.c3
initiator 2 iqn.2026-01.org.seatrial:gpfs-nsd-block.c4
target 3 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1
lun 3 1 /dev/disk/by-id/scsi-3600000000000000060950c44edb58f12 60950c44edb58f12 VOLUME 60950c44edb58f12a direct
asks 3 gpfs-nsd-block
initiator 3 iqn.2026-01.org.seatrial:gpfs-nsd-block.c1
initiator 3 iqn.2026-01.org.seatrial:gpfs-nsd-block.c2
initiator 3 iqn.2026-01.org.seatrial:gpfs-nsd-block.c3
initiator 3 iqn.2026-01.org.seatrial:gpfs-nsd-block.c4
target 4 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2
lun 4 1 /dev/disk/by-id/scsi-360000000000000003ac8979a2c836660 3ac8979a2c836660 VOLUME 3ac8979a2c836660b direct
asks 4 gpfs-nsd-block
initiator 4 iqn.2026-01.org.seatrial:gpfs-nsd-block.c1
initiator 4 iqn.2026-01.org.seatrial:gpfs-nsd-block.c2
initiator 4 iqn.2026-01.org.seatrial:gpfs-nsd-block.c3
initiator 4 iqn.2026-01.org.seatrial:gpfs-nsd-block.c4
portal bs1-storage 3260
SEATRIAL
}
guard_16() { :; }
apply_16() {
    mkdir -p /etc/tgt
    cat >/etc/tgt/seatrial-gpfs-nsd-block.targets.new <<'SEATRIAL' || { rm -f /etc/tgt/seatrial-gpfs-nsd-block.targets.new; exit 1; }
account gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
target 1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1
lun 1 1 /dev/disk/by-id/scsi-36000000000000000322ee30896f7c17f 322ee30896f7c17f VOLUME 322ee30896f7c17fa direct
asks 1 gpfs-nsd-block
initiator 1 iqn.2026-01.org.seatrial:gpfs-nsd-block.c1
initiator 1 iqn.2026-01.org.seatrial:gpfs-nsd-block.c2
initiator 1 iqn.2026-01.org.seatrial:gpfs-nsd-block.c3
initiator 1 iqn.2026-01.org.seatrial:gpfs-nsd-block.c4
target 2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2
lun 2 1 /dev/disk/by-id/scsi-360000000000000003b3def4f072fb5fe 3b3def4f072fb5fe VOLUME 3b3def4f072fb5feb direct
asks 2 gpfs-nsd-block
initiator 2 iqn.2026-01.org.seatrial:gpfs-nsd-block.c1
initiator 2 iqn.2026-01.org.seatrial:gpfs-nsd-block.c2
initiator 2 iqn.2026-01.org.seatrial:gpfs-nsd-block.c3
initiator 2 iqn.2026-01.org.seatrial:gpfs-nsd-block.c4
target 3 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1
lun 3 1 /dev/disk/by-id/scsi-3600000000000000060950c44edb58f12 60950c44edb58f12 VOLUME 60950c44edb58f12a direct
asks 3 gpfs-nsd-block
initiator 3 iqn.2026-01.org.seatrial:gpfs-nsd-block.c1
initiator 3 iqn.2026-01.org.seatrial:gpfs-nsd-block.c2
initiator 3 iqn.2026-01.org.seatrial:gpfs-nsd-block.c3
initiator 3 iqn.2026-01.org.seatrial:gpfs-nsd-block.c4
target 4 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2
lun 4 1 /dev/disk/by-id/scsi-360000000000000003ac8979a2c836660 3ac8979a2c836660 VOLUME 3ac8979a2c836660b direct
asks 4 gpfs-nsd-block
initiator 4 iqn.2026-01.org.seatrial:gpfs-nsd-block.c1
initiator 4 iqn.2026-01.org.seatrial:gpfs-nsd-block.c2
initiator 4 iqn.2026-01.org.seatrial:gpfs-nsd-block.c3
initiator 4 iqn.2026-01.org.seatrial:gpfs-nsd-block.c4
portal bs1-storage 3260
SEATRIAL
    mv /etc/tgt/seatrial-gpfs-nsd-block.targets.new /etc/tgt/seatrial-gpfs-nsd-block.targets
}

# 17. start the iSCSI target after the array at boot
#    why: a target that starts before its array offers nothing; a login cut off by an incomplete target may never be recovered by iscsid (open-iscsi, issue 387)
check_17() {
    cmp -s /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf - <<'SEATRIAL'
[Unit]
Wants=dev-disk-by\x2did-scsi\x2d36000000000000000322ee30896f7c17f.device dev-disk-by\x2did-scsi\x2d360000000000000003b3def4f072fb5fe.device dev-disk-by\x2did-scsi\x2d3600000000000000060950c44edb58f12.device dev-disk-by\x2did-scsi\x2d360000000000000003ac8979a2c836660.device
After=dev-disk-by\x2did-scsi\x2d36000000000000000322ee30896f7c17f.device dev-disk-by\x2did-scsi\x2d360000000000000003b3def4f072fb5fe.device dev-disk-by\x2did-scsi\x2d3600000000000000060950c44edb58f12.device dev-disk-by\x2did-scsi\x2d360000000000000003ac8979a2c836660.device
[Service]
ExecStart=
ExecStart=/usr/sbin/tgtd -f --iscsi portal=127.0.0.1:3260
ExecStartPost=/usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gpfs-nsd-block.targets start
TimeoutStartSec=180
SEATRIAL
}
guard_17() { :; }
apply_17() {
    mkdir -p /etc/systemd/system/tgt.service.d
    cat >/etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf.new <<'SEATRIAL' || { rm -f /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf.new; exit 1; }
[Unit]
Wants=dev-disk-by\x2did-scsi\x2d36000000000000000322ee30896f7c17f.device dev-disk-by\x2did-scsi\x2d360000000000000003b3def4f072fb5fe.device dev-disk-by\x2did-scsi\x2d3600000000000000060950c44edb58f12.device dev-disk-by\x2did-scsi\x2d360000000000000003ac8979a2c836660.device
After=dev-disk-by\x2did-scsi\x2d36000000000000000322ee30896f7c17f.device dev-disk-by\x2did-scsi\x2d360000000000000003b3def4f072fb5fe.device dev-disk-by\x2did-scsi\x2d3600000000000000060950c44edb58f12.device dev-disk-by\x2did-scsi\x2d360000000000000003ac8979a2c836660.device
[Service]
ExecStart=
ExecStart=/usr/sbin/tgtd -f --iscsi portal=127.0.0.1:3260
ExecStartPost=/usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gpfs-nsd-block.targets start
TimeoutStartSec=180
SEATRIAL
    mv /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf.new /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf
    [ "$(systemctl show --property=NeedDaemonReload --value tgt.service)" = no ] || systemctl daemon-reload
    ! systemctl -q is-active tgt || [ -n "$(tgtadm --lld iscsi --mode target --op show)" ] || systemctl stop tgt
}

# 18. start the iSCSI target
check_18() {
    systemctl -q is-active tgt && systemctl -q is-enabled tgt && /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gpfs-nsd-block.targets check
}
guard_18() { :; }
apply_18() {
    systemctl -q is-enabled tgt || systemctl -q --no-reload enable tgt
    systemctl start tgt
    /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gpfs-nsd-block.targets
}
# (18 steps)
##### stage 6, bs2 #####
as on bs1, but for:
@@ -28 +28 @@
+InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.bs2
@@ -42 +42 @@
+InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.bs2
@@ -278 +278 @@
+lun 1 1 /dev/disk/by-id/scsi-36000000000000000322ee30896f7c17f 322ee30896f7c17f VOLUME 322ee30896f7c17fb direct
@@ -285 +285 @@
+lun 2 1 /dev/disk/by-id/scsi-360000000000000003b3def4f072fb5fe 3b3def4f072fb5fe VOLUME 3b3def4f072fb5fea direct
@@ -292 +292 @@
+lun 3 1 /dev/disk/by-id/scsi-3600000000000000060950c44edb58f12 60950c44edb58f12 VOLUME 60950c44edb58f12b direct
@@ -299 +299 @@
+lun 4 1 /dev/disk/by-id/scsi-360000000000000003ac8979a2c836660 3ac8979a2c836660 VOLUME 3ac8979a2c836660a direct
@@ -305 +305 @@
+portal bs2-storage 3260
@@ -314 +314 @@
+lun 1 1 /dev/disk/by-id/scsi-36000000000000000322ee30896f7c17f 322ee30896f7c17f VOLUME 322ee30896f7c17fb direct
@@ -321 +321 @@
+lun 2 1 /dev/disk/by-id/scsi-360000000000000003b3def4f072fb5fe 3b3def4f072fb5fe VOLUME 3b3def4f072fb5fea direct
@@ -328 +328 @@
+lun 3 1 /dev/disk/by-id/scsi-3600000000000000060950c44edb58f12 60950c44edb58f12 VOLUME 60950c44edb58f12b direct
@@ -335 +335 @@
+lun 4 1 /dev/disk/by-id/scsi-360000000000000003ac8979a2c836660 3ac8979a2c836660 VOLUME 3ac8979a2c836660a direct
@@ -341 +341 @@
+portal bs2-storage 3260
##### stage 7, c1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 7 of 13: sessions
# (the preamble)

# (backups.sh)
# (iscsi_initiator.sh)
# 1. install iscsiadm, multipath
check_1() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v iscsiadm >/dev/null &&
    command -v multipath >/dev/null
}
guard_1() { :; }
apply_1() {
    keep_packages /var/lib/seatrial/made/gpfs-nsd-block/packages
    trap 'note_packages /var/lib/seatrial/made/gpfs-nsd-block/packages' EXIT
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends multipath-tools open-iscsi
    else
        dnf install -y multipath-tools open-iscsi
    fi
}

# 2. write /etc/iscsi/initiatorname.iscsi
check_2() {
    cmp -s /etc/iscsi/initiatorname.iscsi - <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.c1
SEATRIAL
}
guard_2() { :; }
apply_2() {
    [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi ] || [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/gpfs-nsd-block/before
        [ -s /etc/iscsi/initiatorname.iscsi ] || exec touch /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.absent
        cp -p /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.new && mv /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi ||
            { rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.new; exit 1; }
    )
    mkdir -p /etc/iscsi
    cat >/etc/iscsi/initiatorname.iscsi.new <<'SEATRIAL' || { rm -f /etc/iscsi/initiatorname.iscsi.new; exit 1; }
InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.c1
SEATRIAL
    (umask 077 && cp /etc/iscsi/initiatorname.iscsi.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.ours.new && mv /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.ours.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.ours ||
        { rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.ours.new; exit 1; })
    mv /etc/iscsi/initiatorname.iscsi.new /etc/iscsi/initiatorname.iscsi
}

# 3. write /etc/modules-load.d/seatrial-storage.conf
check_3() {
    cmp -s /etc/modules-load.d/seatrial-storage.conf - <<'SEATRIAL'
iscsi_tcp
sd_mod
dm_multipath
dm_round_robin
SEATRIAL
}
guard_3() { :; }
apply_3() {
    mkdir -p /etc/modules-load.d
    cat >/etc/modules-load.d/seatrial-storage.conf.new <<'SEATRIAL' || { rm -f /etc/modules-load.d/seatrial-storage.conf.new; exit 1; }
iscsi_tcp
sd_mod
dm_multipath
dm_round_robin
SEATRIAL
    mv /etc/modules-load.d/seatrial-storage.conf.new /etc/modules-load.d/seatrial-storage.conf
    for module in iscsi_tcp sd_mod dm_multipath dm_round_robin; do modprobe $module || true; done
}

# 4. configure multipath, with the primary server first
#    why: without a path commands wait: an error would make the file system withdraw
check_4() {
    cmp -s /etc/multipath.conf - <<'SEATRIAL'
# seatrial
defaults {
    user_friendly_names yes
    find_multipaths no
    polling_interval 1
    max_polling_interval 2
    path_grouping_policy group_by_prio
    failback immediate
    path_checker tur
    checker_timeout 5
    no_path_retry queue
    fast_io_fail_tmo 4
    dev_loss_tmo 600
}
blacklist {
    wwid ".*"
}
blacklist_exceptions {
    wwid "36000000000000000322ee30896f7c17f"
    wwid "360000000000000003b3def4f072fb5fe"
    wwid "3600000000000000060950c44edb58f12"
    wwid "360000000000000003ac8979a2c836660"
}
multipaths {
    multipath {
        wwid 36000000000000000322ee30896f7c17f
        alias gpfs-nsd-block-a1-shared1
        prio weightedpath
        prio_args "serial 322ee30896f7c17fa 50 322ee30896f7c17fb 10"
    }
    multipath {
        wwid 360000000000000003b3def4f072fb5fe
        alias gpfs-nsd-block-a1-shared2
        prio weightedpath
        prio_args "serial 3b3def4f072fb5fea 50 3b3def4f072fb5feb 10"
    }
    multipath {
        wwid 3600000000000000060950c44edb58f12
        alias gpfs-nsd-block-a2-shared1
        prio weightedpath
        prio_args "serial 60950c44edb58f12a 50 60950c44edb58f12b 10"
    }
    multipath {
        wwid 360000000000000003ac8979a2c836660
        alias gpfs-nsd-block-a2-shared2
        prio weightedpath
        prio_args "serial 3ac8979a2c836660a 50 3ac8979a2c836660b 10"
    }
}
SEATRIAL
}
guard_4() { :; }
apply_4() {
    [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf ] || [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/gpfs-nsd-block/before
        [ -s /etc/multipath.conf ] || exec touch /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.absent
        cp -p /etc/multipath.conf /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.new && mv /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf ||
            { rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.new; exit 1; }
    )
    mkdir -p /etc
    cat >/etc/multipath.conf.new <<'SEATRIAL' || { rm -f /etc/multipath.conf.new; exit 1; }
# seatrial
defaults {
    user_friendly_names yes
    find_multipaths no
    polling_interval 1
    max_polling_interval 2
    path_grouping_policy group_by_prio
    failback immediate
    path_checker tur
    checker_timeout 5
    no_path_retry queue
    fast_io_fail_tmo 4
    dev_loss_tmo 600
}
blacklist {
    wwid ".*"
}
blacklist_exceptions {
    wwid "36000000000000000322ee30896f7c17f"
    wwid "360000000000000003b3def4f072fb5fe"
    wwid "3600000000000000060950c44edb58f12"
    wwid "360000000000000003ac8979a2c836660"
}
multipaths {
    multipath {
        wwid 36000000000000000322ee30896f7c17f
        alias gpfs-nsd-block-a1-shared1
        prio weightedpath
        prio_args "serial 322ee30896f7c17fa 50 322ee30896f7c17fb 10"
    }
    multipath {
        wwid 360000000000000003b3def4f072fb5fe
        alias gpfs-nsd-block-a1-shared2
        prio weightedpath
        prio_args "serial 3b3def4f072fb5fea 50 3b3def4f072fb5feb 10"
    }
    multipath {
        wwid 3600000000000000060950c44edb58f12
        alias gpfs-nsd-block-a2-shared1
        prio weightedpath
        prio_args "serial 60950c44edb58f12a 50 60950c44edb58f12b 10"
    }
    multipath {
        wwid 360000000000000003ac8979a2c836660
        alias gpfs-nsd-block-a2-shared2
        prio weightedpath
        prio_args "serial 3ac8979a2c836660a 50 3ac8979a2c836660b 10"
    }
}
SEATRIAL
    (umask 077 && cp /etc/multipath.conf.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.ours.new && mv /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.ours.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.ours ||
        { rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.ours.new; exit 1; })
    mv /etc/multipath.conf.new /etc/multipath.conf
    ! systemctl -q is-active multipathd || multipathd reconfigure
}

# 5. bind iSCSI sessions to storage
#    why: data must not use another network of the node, whatever its routes are
check_5() {
    grep -qx 'iface.net_ifacename = storage' /etc/iscsi/ifaces/seatrial-gpfs-nsd-block
}
guard_5() { :; }
apply_5() {
    systemctl start iscsid
    iscsiadm -m iface -I seatrial-gpfs-nsd-block -o new
    iscsiadm -m iface -I seatrial-gpfs-nsd-block -o update -n iface.net_ifacename -v storage
}

# 6. store the iSCSI secret, readable by root only
#    why: otherwise any host on the storage network could read and write the volumes
check_6() {
    cmp -s /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap - <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
guard_6() { :; }
apply_6() {
    mkdir -p /var/lib/seatrial/made/gpfs-nsd-block
    (umask 077; cat >/var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new) <<'SEATRIAL' || { rm -f /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new; exit 1; }
@generated:iscsi-chap@
SEATRIAL
    chmod 600 /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new
    mv /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap.new /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
}

# 7. configure iSCSI sessions and their account
check_7() {
    cmp -s /etc/iscsi/seatrial-gpfs-nsd-block - <<'SEATRIAL'
node.startup = automatic
node.session.auth.authmethod = CHAP
node.session.auth.username = gpfs-nsd-block
node.session.auth.password = @generated:iscsi-chap@
node.session.timeo.replacement_timeout = 4
node.conn[0].timeo.noop_out_interval = 4
node.conn[0].timeo.noop_out_timeout = 4
node.session.initial_login_retry_max = 8
SEATRIAL
}
guard_7() { :; }
apply_7() {
    mkdir -p /etc/iscsi
    (umask 077; cat >/etc/iscsi/seatrial-gpfs-nsd-block.new) <<'SEATRIAL' || { rm -f /etc/iscsi/seatrial-gpfs-nsd-block.new; exit 1; }
node.startup = automatic
node.session.auth.authmethod = CHAP
node.session.auth.username = gpfs-nsd-block
node.session.auth.password = @generated:iscsi-chap@
node.session.timeo.replacement_timeout = 4
node.conn[0].timeo.noop_out_interval = 4
node.conn[0].timeo.noop_out_timeout = 4
node.session.initial_login_retry_max = 8
SEATRIAL
    chmod 600 /etc/iscsi/seatrial-gpfs-nsd-block.new
    mv /etc/iscsi/seatrial-gpfs-nsd-block.new /etc/iscsi/seatrial-gpfs-nsd-block
}

# 8. discover 4 iSCSI targets at bs1-storage bs2-storage
check_8() {
    iscsi_known /etc/iscsi/seatrial-gpfs-nsd-block 2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2
}
guard_8() { :; }
apply_8() {
    systemctl start iscsid
    for portal in bs1-storage bs2-storage; do
        iscsiadm -m discovery -t sendtargets -p $portal:3260 -I seatrial-gpfs-nsd-block
    done
    iscsi_set /etc/iscsi/seatrial-gpfs-nsd-block iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2
}

# 9. log in to 8 iSCSI sessions and enable them at boot
check_9() {
    systemctl -q is-active iscsid && systemctl -q is-active multipathd && systemctl -q is-enabled open-iscsi &&
    iscsi_sessions 2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2 &&
    [ -b /dev/mapper/gpfs-nsd-block-a1-shared1 ] && [ -b /dev/mapper/gpfs-nsd-block-a1-shared2 ] && [ -b /dev/mapper/gpfs-nsd-block-a2-shared1 ] && [ -b /dev/mapper/gpfs-nsd-block-a2-shared2 ]
}
guard_9() { :; }
apply_9() {
    systemctl -q --no-reload enable open-iscsi iscsid multipathd
    systemctl start iscsid multipathd
    iscsi_login 2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/mapper/gpfs-nsd-block-a1-shared1 ] && [ -b /dev/mapper/gpfs-nsd-block-a1-shared2 ] && [ -b /dev/mapper/gpfs-nsd-block-a2-shared1 ] && [ -b /dev/mapper/gpfs-nsd-block-a2-shared2 ]; do again 30 'the disks of the sessions'; done
}

# 10. install the monitor for stuck iSCSI sessions
#    why: iscsid up to 2.1.11 never recovers from a login that was cut off (issue 387)
check_10() {
    cmp -s /usr/local/sbin/seatrial-stuck-sessions - <<'SEATRIAL'
#!/bin/bash
# Starts iscsid anew where a session of this array has been down for 10 s although its portal takes connections.
exec {never}<> <(:)
declare -A down
while true; do
    read -r -t 2 -u "$never"
    for connection in /sys/class/iscsi_connection/connection*; do
        session=session${connection##*/connection}
        session=${session%%:*}
        {
            read -r target <"/sys/class/iscsi_session/$session/targetname" && [[ $target = iqn.2026-01.org.seatrial:gpfs-nsd-block:* ]] &&
                read -r state <"/sys/class/iscsi_session/$session/state"
        } 2>/dev/null || continue
        if [ "$state" = LOGGED_IN ]; then
            down[$session]=0
            continue
        fi
        {
            read -r address <"$connection/persistent_address"
            read -r port <"$connection/persistent_port"
            # What cannot be reached is not stuck.
            true <>"/dev/tcp/$address/$port" || down[$session]=-2
        } 2>/dev/null
        down[$session]=$((${down[$session]:-0} + 2))
        if [ "${down[$session]}" -ge 10 ]; then
            echo "seatrial-stuck-sessions: iscsid cannot log in at $address any more: starting it anew"
            systemctl restart iscsid
            down=()
            read -r -t 10 -u "$never"
            break
        fi
    done
done
SEATRIAL
}
guard_10() { :; }
apply_10() {
    mkdir -p /usr/local/sbin
    cat >/usr/local/sbin/seatrial-stuck-sessions.new <<'SEATRIAL' || { rm -f /usr/local/sbin/seatrial-stuck-sessions.new; exit 1; }
#!/bin/bash
# Starts iscsid anew where a session of this array has been down for 10 s although its portal takes connections.
exec {never}<> <(:)
declare -A down
while true; do
    read -r -t 2 -u "$never"
    for connection in /sys/class/iscsi_connection/connection*; do
        session=session${connection##*/connection}
        session=${session%%:*}
        {
            read -r target <"/sys/class/iscsi_session/$session/targetname" && [[ $target = iqn.2026-01.org.seatrial:gpfs-nsd-block:* ]] &&
                read -r state <"/sys/class/iscsi_session/$session/state"
        } 2>/dev/null || continue
        if [ "$state" = LOGGED_IN ]; then
            down[$session]=0
            continue
        fi
        {
            read -r address <"$connection/persistent_address"
            read -r port <"$connection/persistent_port"
            # What cannot be reached is not stuck.
            true <>"/dev/tcp/$address/$port" || down[$session]=-2
        } 2>/dev/null
        down[$session]=$((${down[$session]:-0} + 2))
        if [ "${down[$session]}" -ge 10 ]; then
            echo "seatrial-stuck-sessions: iscsid cannot log in at $address any more: starting it anew"
            systemctl restart iscsid
            down=()
            read -r -t 10 -u "$never"
            break
        fi
    done
done
SEATRIAL
    chmod 755 /usr/local/sbin/seatrial-stuck-sessions.new
    mv /usr/local/sbin/seatrial-stuck-sessions.new /usr/local/sbin/seatrial-stuck-sessions
    ! systemctl -q is-active seatrial-stuck-sessions || systemctl restart seatrial-stuck-sessions
}

# 11. (steps.sh) write /etc/systemd/system/seatrial-stuck-sessions.service

# 12. (steps.sh) start the monitor for stuck iSCSI sessions
# (12 steps)
##### stage 7, c2 #####
as on c1, but for:
@@ -28 +28 @@
+InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.c2
@@ -42 +42 @@
+InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.c2
##### stage 7, c3 #####
as on c1, but for:
@@ -28 +28 @@
+InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.c3
@@ -42 +42 @@
+InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.c3
##### stage 7, c4 #####
as on c1, but for:
@@ -28 +28 @@
+InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.c4
@@ -42 +42 @@
+InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.c4
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 8 of 13: cluster
# (the preamble)

# 1. configure the fencing of each node
#    why: a lost node may still write: its locks stay held, and other nodes wait, until its power is known to be off
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
SEATRIAL
    chmod 600 /etc/dlm/dlm.conf.new
    mv /etc/dlm/dlm.conf.new /etc/dlm/dlm.conf
    ! systemctl -q is-active dlm || dlm_tool reload_config
}

# 2. (steps.sh) start the lock manager after quorum

# 3. enable lvmlockd in LVM
#    why: the volume group is shared: two nodes must not change it at the same time
check_3() {
    lvmconfig --type full global/use_lvmlockd | grep -q '1'
}
guard_3() { :; }
apply_3() {
    [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf ] || [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/gpfs-nsd-block/before
        [ -s /etc/lvm/lvm.conf ] || exec touch /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.absent
        cp -p /etc/lvm/lvm.conf /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.new && mv /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf ||
            { rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.new; exit 1; }
    )
    [ -s /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.line ] || (umask 077 && grep -m 1 '^[[:space:]]*#*[[:space:]]*use_lvmlockd *=' /etc/lvm/lvm.conf >/var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.line)
    sed 's/^[[:space:]]*#*[[:space:]]*use_lvmlockd *=.*/\tuse_lvmlockd = 1/' /etc/lvm/lvm.conf >/etc/lvm/lvm.conf.new
    chmod --reference=/etc/lvm/lvm.conf /etc/lvm/lvm.conf.new
    (umask 077 && cp /etc/lvm/lvm.conf.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.ours.new && mv /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.ours.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.ours ||
        { rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.ours.new; exit 1; })
    mv /etc/lvm/lvm.conf.new /etc/lvm/lvm.conf
}

# 4. store the corosync key, readable by root only
check_4() {
    cmp -s /var/lib/seatrial/made/gpfs-nsd-block/corosync-key - <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
guard_4() { :; }
apply_4() {
    mkdir -p /var/lib/seatrial/made/gpfs-nsd-block
    (umask 077; cat >/var/lib/seatrial/made/gpfs-nsd-block/corosync-key.new) <<'SEATRIAL' || { rm -f /var/lib/seatrial/made/gpfs-nsd-block/corosync-key.new; exit 1; }
@generated:corosync-key@
SEATRIAL
    chmod 600 /var/lib/seatrial/made/gpfs-nsd-block/corosync-key.new
    mv /var/lib/seatrial/made/gpfs-nsd-block/corosync-key.new /var/lib/seatrial/made/gpfs-nsd-block/corosync-key
}

# 5. enable encryption of corosync
#    why: otherwise any host on the network could join the cluster and have members fenced
check_5() {
    cmp -s /etc/corosync/authkey - <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
guard_5() { :; }
apply_5() {
    [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey ] || [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/gpfs-nsd-block/before
        [ -s /etc/corosync/authkey ] || exec touch /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.absent
        cp -p /etc/corosync/authkey /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.new && mv /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey ||
            { rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.new; exit 1; }
    )
    mkdir -p /etc/corosync
    (umask 077; cat >/etc/corosync/authkey.new) <<'SEATRIAL' || { rm -f /etc/corosync/authkey.new; exit 1; }
@generated:corosync-key@
SEATRIAL
    chmod 400 /etc/corosync/authkey.new
    (umask 077 && cp /etc/corosync/authkey.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.ours.new && mv /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.ours.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.ours ||
        { rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.ours.new; exit 1; })
    mv /etc/corosync/authkey.new /etc/corosync/authkey
}

# 6. configure the members and links of corosync
check_6() {
    cmp -s /etc/corosync/corosync.conf - <<'SEATRIAL'
totem {
    version: 2
    cluster_name: gpfs-nsd-block
    transport: knet
    crypto_cipher: aes256
    crypto_hash: sha256
    token: 6000
    token_coefficient: 0
    interface {
        linknumber: 0
        knet_ping_interval: 1000
        knet_ping_timeout: 3000
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
    [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf ] || [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/gpfs-nsd-block/before
        [ -s /etc/corosync/corosync.conf ] || exec touch /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.absent
        cp -p /etc/corosync/corosync.conf /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.new && mv /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf ||
            { rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.new; exit 1; }
    )
    mkdir -p /etc/corosync
    cat >/etc/corosync/corosync.conf.new <<'SEATRIAL' || { rm -f /etc/corosync/corosync.conf.new; exit 1; }
totem {
    version: 2
    cluster_name: gpfs-nsd-block
    transport: knet
    crypto_cipher: aes256
    crypto_hash: sha256
    token: 6000
    token_coefficient: 0
    interface {
        linknumber: 0
        knet_ping_interval: 1000
        knet_ping_timeout: 3000
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
}
logging {
    to_syslog: yes
    to_stderr: no
    to_logfile: no
    timestamp: hires
}
SEATRIAL
    (umask 077 && cp /etc/corosync/corosync.conf.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.ours.new && mv /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.ours.new /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.ours ||
        { rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.ours.new; exit 1; })
    mv /etc/corosync/corosync.conf.new /etc/corosync/corosync.conf
    if systemctl -q is-active corosync; then
        if dlm_tool ls 2>/dev/null | grep -q '^name'; then corosync-cfgtool -R
        else for daemon in lvmlockd dlm corosync; do systemctl stop $daemon; done; fi
    fi
}
# (6 steps)
##### stage 9, c1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 9 of 13: fencing
# (the preamble)

# 1. test 4 management controllers
#    why: without this a broken controller shows only when it blocks all nodes
check_1() {
    grep -qx 65ddd925722f89e8 /run/seatrial-gpfs-nsd-block.fencing
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
    bad=0
    for one in $asked; do
        wait "${one#*:}" && continue
        bad=1
        echo "the controller of ${one%%:*} does not answer:"
        cat "$said/${one%%:*}"
    done
    [ "$bad" = 0 ]
    echo 65ddd925722f89e8 >/run/seatrial-gpfs-nsd-block.fencing
}
# (1 steps)
##### stage 10, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 10 of 13: locks
# (the preamble)

# 1. (steps.sh) join the cluster and enable it at boot

# 2. wait for all members
check_2() {
    [ "$(corosync-quorumtool -s 2>/dev/null | sed -n "s/^Total votes: *//p")" = 4 ]
}
guard_2() { :; }
apply_2() {
    tries=0
    until [ "$(corosync-quorumtool -s 2>/dev/null | sed -n "s/^Total votes: *//p")" = 4 ]; do again 120 'all members'; done
}

# 3. (steps.sh) start the lock manager
# (3 steps)
##### stage 11, c1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 11 of 13: file system
# (the preamble)

# 1. create GFS2 with 6 journals, striped over 4 members
#    why: each node that mounts needs a journal, and spare ones allow more nodes later; with 4 resource groups per journal, nodes that allocate do not wait
check_1() {
    vgs --noheadings -o tags st-gpfs-nsd-block 2>/dev/null | grep -q seatrial-made
}
guard_1() { all_must_be_blank /dev/mapper/gpfs-nsd-block-a1-shared1 /dev/mapper/gpfs-nsd-block-a1-shared2 /dev/mapper/gpfs-nsd-block-a2-shared1 /dev/mapper/gpfs-nsd-block-a2-shared2; }
apply_1() {
    found=$(wipefs --noheadings --output TYPE /dev/mapper/gpfs-nsd-block-a1-shared1)
    [ -z "$found" ] || { echo "refused: /dev/mapper/gpfs-nsd-block-a1-shared1 holds $found"; exit 1; }
    found=$(wipefs --noheadings --output TYPE /dev/mapper/gpfs-nsd-block-a1-shared2)
    [ -z "$found" ] || { echo "refused: /dev/mapper/gpfs-nsd-block-a1-shared2 holds $found"; exit 1; }
    found=$(wipefs --noheadings --output TYPE /dev/mapper/gpfs-nsd-block-a2-shared1)
    [ -z "$found" ] || { echo "refused: /dev/mapper/gpfs-nsd-block-a2-shared1 holds $found"; exit 1; }
    found=$(wipefs --noheadings --output TYPE /dev/mapper/gpfs-nsd-block-a2-shared2)
    [ -z "$found" ] || { echo "refused: /dev/mapper/gpfs-nsd-block-a2-shared2 holds $found"; exit 1; }
    vgcreate -q -y --shared st-gpfs-nsd-block /dev/mapper/gpfs-nsd-block-a1-shared1 /dev/mapper/gpfs-nsd-block-a1-shared2 /dev/mapper/gpfs-nsd-block-a2-shared1 /dev/mapper/gpfs-nsd-block-a2-shared2
    lvcreate -q -y -W y -Z y -a sy -n data -i 4 -I 64k -l 100%FREE st-gpfs-nsd-block
    group_mib=$(($(blockdev --getsize64 /dev/st-gpfs-nsd-block/data) / 25165824))
    [ "$group_mib" -ge 32 ] || group_mib=32
    [ "$group_mib" -lt 256 ] || group_mib=
    mkfs.gfs2 -O -q -p lock_dlm -t gpfs-nsd-block:data -j 6 -J 8 ${group_mib:+-r "$group_mib"} /dev/st-gpfs-nsd-block/data
    vgchange -q --addtag seatrial-made st-gpfs-nsd-block
}
# (1 steps)
##### stage 12, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 12 of 13: mount
# (the preamble)

# 1. install the unit that mounts the file system
check_1() {
    cmp -s /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block - <<'SEATRIAL'
#!/bin/sh
# Takes the lock space, the volume and the file system; or lets go of them, in the opposite order.
case $1 in
start)
    modprobe gfs2
    for map in /dev/mapper/gpfs-nsd-block-a1-shared1 /dev/mapper/gpfs-nsd-block-a1-shared2 /dev/mapper/gpfs-nsd-block-a2-shared1 /dev/mapper/gpfs-nsd-block-a2-shared2; do
        tries=0
        until [ -b $map ] || [ $tries = 120 ]; do sleep 0.5; tries=$((tries + 1)); done
        [ -b $map ] || { echo "after 60 s there is no $map: look at multipath -ll" >&2; exit 1; }
    done
    vgchange -q --lock-start st-gpfs-nsd-block || exit 1
    lvchange -q -a sy st-gpfs-nsd-block/data || exit 1
    mkdir -p /mnt/gpfs-nsd-block
    mountpoint -q /mnt/gpfs-nsd-block ||
        mount -t gfs2 -o noatime /dev/st-gpfs-nsd-block/data /mnt/gpfs-nsd-block || exit 1
    echo 'noatime' >/run/seatrial-gpfs-nsd-block.mounted ;;
stop)
    ! mountpoint -q /mnt/gpfs-nsd-block || umount /mnt/gpfs-nsd-block || exit 1
    lvchange -q -a n st-gpfs-nsd-block/data
    vgchange -q --lock-stop st-gpfs-nsd-block ;;
esac
SEATRIAL
}
guard_1() { :; }
apply_1() {
    mkdir -p /usr/local/sbin
    cat >/usr/local/sbin/seatrial-gfs2-gpfs-nsd-block.new <<'SEATRIAL' || { rm -f /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block.new; exit 1; }
#!/bin/sh
# Takes the lock space, the volume and the file system; or lets go of them, in the opposite order.
case $1 in
start)
    modprobe gfs2
    for map in /dev/mapper/gpfs-nsd-block-a1-shared1 /dev/mapper/gpfs-nsd-block-a1-shared2 /dev/mapper/gpfs-nsd-block-a2-shared1 /dev/mapper/gpfs-nsd-block-a2-shared2; do
        tries=0
        until [ -b $map ] || [ $tries = 120 ]; do sleep 0.5; tries=$((tries + 1)); done
        [ -b $map ] || { echo "after 60 s there is no $map: look at multipath -ll" >&2; exit 1; }
    done
    vgchange -q --lock-start st-gpfs-nsd-block || exit 1
    lvchange -q -a sy st-gpfs-nsd-block/data || exit 1
    mkdir -p /mnt/gpfs-nsd-block
    mountpoint -q /mnt/gpfs-nsd-block ||
        mount -t gfs2 -o noatime /dev/st-gpfs-nsd-block/data /mnt/gpfs-nsd-block || exit 1
    echo 'noatime' >/run/seatrial-gpfs-nsd-block.mounted ;;
stop)
    ! mountpoint -q /mnt/gpfs-nsd-block || umount /mnt/gpfs-nsd-block || exit 1
    lvchange -q -a n st-gpfs-nsd-block/data
    vgchange -q --lock-stop st-gpfs-nsd-block ;;
esac
SEATRIAL
    chmod 755 /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block.new
    mv /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block.new /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block
}

# 2. write /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
check_2() {
    cmp -s /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service - <<'SEATRIAL'
[Unit]
Description=GFS2 at /mnt/gpfs-nsd-block
Requires=corosync.service dlm.service lvmlockd.service
After=corosync.service dlm.service lvmlockd.service open-iscsi.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-gfs2-gpfs-nsd-block start
ExecStop=/usr/local/sbin/seatrial-gfs2-gpfs-nsd-block stop
TimeoutStartSec=300
[Install]
WantedBy=multi-user.target
SEATRIAL
}
guard_2() { :; }
apply_2() {
    mkdir -p /etc/systemd/system
    cat >/etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service.new <<'SEATRIAL' || { rm -f /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service.new; exit 1; }
[Unit]
Description=GFS2 at /mnt/gpfs-nsd-block
Requires=corosync.service dlm.service lvmlockd.service
After=corosync.service dlm.service lvmlockd.service open-iscsi.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-gfs2-gpfs-nsd-block start
ExecStop=/usr/local/sbin/seatrial-gfs2-gpfs-nsd-block stop
TimeoutStartSec=300
[Install]
WantedBy=multi-user.target
SEATRIAL
    mv /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service.new /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gfs2-gpfs-nsd-block.service)" = no ] || systemctl daemon-reload
}

# 3. mount the file system at /mnt/gpfs-nsd-block and enable it at boot
check_3() {
    systemctl -q is-enabled seatrial-gfs2-gpfs-nsd-block.service && grep -q ' /mnt/gpfs-nsd-block gfs2 ' /proc/mounts &&
    grep -qx 'noatime' /run/seatrial-gpfs-nsd-block.mounted
}
guard_3() { :; }
apply_3() {
    systemctl -q --no-reload enable seatrial-gfs2-gpfs-nsd-block.service
    systemctl restart seatrial-gfs2-gpfs-nsd-block.service
}

# 4. restore the read-ahead of the volume
check_4() {
    [ ! -e /run/seatrial-gpfs-nsd-block.readahead ]
}
guard_4() { :; }
apply_4() {
    if read -r ahead </run/seatrial-gpfs-nsd-block.readahead; then echo $ahead >/sys/dev/block/$(mountpoint -x /dev/st-gpfs-nsd-block/data)/queue/read_ahead_kb; fi
    rm /run/seatrial-gpfs-nsd-block.readahead
}
# (4 steps)
##### stage 13, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 13 of 13: store volume UUIDs; install boot-time settings
# (the preamble)

# 1. write /usr/local/sbin/seatrial-gpfs-nsd-block-network
check_1() {
    cmp -s /usr/local/sbin/seatrial-gpfs-nsd-block-network - <<'SEATRIAL'
#!/bin/sh
# What gpfs-nsd-block has set on this node, after a boot.
bad=0
# set MTU 9000 on the link to bs1-storage
if ! (
peer=$(getent ahostsv4 bs1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
) >/dev/null 2>&1; then
(
set -e
peer=$(getent ahostsv4 bs1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
(
    umask 077
    mkdir -p /var/lib/seatrial/made/gpfs-nsd-block/before
    if [ -e "/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
    echo "$was 9000" >"/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link" && mv "/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link" "/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link" || { rm -f "/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link"; exit 1; }
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
    cat >/usr/local/sbin/seatrial-gpfs-nsd-block-network.new <<'SEATRIAL' || { rm -f /usr/local/sbin/seatrial-gpfs-nsd-block-network.new; exit 1; }
#!/bin/sh
# What gpfs-nsd-block has set on this node, after a boot.
bad=0
# set MTU 9000 on the link to bs1-storage
if ! (
peer=$(getent ahostsv4 bs1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
) >/dev/null 2>&1; then
(
set -e
peer=$(getent ahostsv4 bs1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
(
    umask 077
    mkdir -p /var/lib/seatrial/made/gpfs-nsd-block/before
    if [ -e "/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
    echo "$was 9000" >"/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link" && mv "/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link" "/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link" || { rm -f "/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link"; exit 1; }
)
ip link set dev "$link" mtu 9000
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
    chmod 755 /usr/local/sbin/seatrial-gpfs-nsd-block-network.new
    mv /usr/local/sbin/seatrial-gpfs-nsd-block-network.new /usr/local/sbin/seatrial-gpfs-nsd-block-network
    ! systemctl -q is-active seatrial-gpfs-nsd-block-network || systemctl restart seatrial-gpfs-nsd-block-network
}

# 2. write /etc/systemd/system/seatrial-gpfs-nsd-block-network.service
check_2() {
    [ ! -d /run/systemd/system ] || {
    cmp -s /etc/systemd/system/seatrial-gpfs-nsd-block-network.service - <<'SEATRIAL'
[Unit]
Description=what gpfs-nsd-block has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-gpfs-nsd-block-network
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
    cat >/etc/systemd/system/seatrial-gpfs-nsd-block-network.service.new <<'SEATRIAL' || { rm -f /etc/systemd/system/seatrial-gpfs-nsd-block-network.service.new; exit 1; }
[Unit]
Description=what gpfs-nsd-block has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-gpfs-nsd-block-network
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
    mv /etc/systemd/system/seatrial-gpfs-nsd-block-network.service.new /etc/systemd/system/seatrial-gpfs-nsd-block-network.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gpfs-nsd-block-network.service)" = no ] || systemctl daemon-reload
    ! systemctl -q is-active seatrial-gpfs-nsd-block-network || systemctl restart seatrial-gpfs-nsd-block-network
}

# 3. install the boot-time settings of network
#    why: a fenced node must come back with the same settings
check_3() {
    [ ! -d /run/systemd/system ] || {
    systemctl -q is-active seatrial-gpfs-nsd-block-network && systemctl -q is-enabled seatrial-gpfs-nsd-block-network
    }
}
guard_3() { :; }
apply_3() {
    systemctl -q --no-reload enable seatrial-gpfs-nsd-block-network
    systemctl start seatrial-gpfs-nsd-block-network
}

# 4. remove the boot-time settings of mounts
check_4() {
    [ ! -e /etc/systemd/system/seatrial-gpfs-nsd-block-mounts.service ] && [ ! -e /usr/local/sbin/seatrial-gpfs-nsd-block-mounts ]
}
guard_4() { :; }
apply_4() {
    [ ! -e /etc/systemd/system/seatrial-gpfs-nsd-block-mounts.service ] || {
        systemctl -q --no-reload disable seatrial-gpfs-nsd-block-mounts
        systemctl stop seatrial-gpfs-nsd-block-mounts
        rm /etc/systemd/system/seatrial-gpfs-nsd-block-mounts.service
        [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gpfs-nsd-block-mounts.service)" = no ] || systemctl daemon-reload
    }
    rm -f /usr/local/sbin/seatrial-gpfs-nsd-block-mounts
}
# (4 steps)
##### stage 13, bs[1-2] #####
as on c[1-4], but for:
@@ -12 +12 @@
+# set MTU 9000 on the link to c1-storage
@@ -14 +14 @@
+peer=$(getent ahostsv4 c1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -20 +20,21 @@
+peer=$(getent ahostsv4 c1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
+link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
+(
+    umask 077
+    mkdir -p /var/lib/seatrial/made/gpfs-nsd-block/before
+    if [ -e "/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
+    echo "$was 9000" >"/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link" && mv "/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link" "/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link" || { rm -f "/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link"; exit 1; }
+)
+ip link set dev "$link" mtu 9000
+)
+[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
+fi
+# set MTU 9000 on the link to a1-arrays
+if ! (
+peer=$(getent ahostsv4 a1-arrays | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
+link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
+read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
+) >/dev/null 2>&1; then
+(
+set -e
+peer=$(getent ahostsv4 a1-arrays | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -42 +62 @@
+# set MTU 9000 on the link to c1-storage
@@ -44 +64 @@
+peer=$(getent ahostsv4 c1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -50 +70,21 @@
+peer=$(getent ahostsv4 c1-storage | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
+link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/')
+(
+    umask 077
+    mkdir -p /var/lib/seatrial/made/gpfs-nsd-block/before
+    if [ -e "/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link" ]; then read -r was _ <"/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link"; else read -r was <"/sys/class/net/$link/mtu"; fi
+    echo "$was 9000" >"/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link" && mv "/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link" "/var/lib/seatrial/made/gpfs-nsd-block/before/mtu-$link" || { rm -f "/var/lib/seatrial/made/gpfs-nsd-block/before/new-mtu-$link"; exit 1; }
+)
+ip link set dev "$link" mtu 9000
+)
+[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
+fi
+# set MTU 9000 on the link to a1-arrays
+if ! (
+peer=$(getent ahostsv4 a1-arrays | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
+link=$(ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/') &&
+read -r mtu </sys/class/net/$link/mtu && [ "$mtu" = 9000 ]
+) >/dev/null 2>&1; then
+(
+set -e
+peer=$(getent ahostsv4 a1-arrays | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
##### stage 13, a[1-2] #####
as on c[1-4], but for:
@@ -6 +6,2 @@
+# (volumes.sh)
+# 1. store the UUIDs of created volumes
@@ -7,0 +9,9 @@
+    volumes_are_noted /var/lib/seatrial/made/gpfs-nsd-block/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
+}
+guard_1() { :; }
+apply_1() {
+    note_volumes /var/lib/seatrial/made/gpfs-nsd-block/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
+}
+
+# 2. write /usr/local/sbin/seatrial-gpfs-nsd-block-network
+check_2() {
@@ -12 +22 @@
+# set MTU 9000 on the link to bs1-arrays
@@ -14 +24 @@
+peer=$(getent ahostsv4 bs1-arrays | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -20 +30 @@
+peer=$(getent ahostsv4 bs1-arrays | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -35,2 +45,2 @@
+guard_2() { :; }
+apply_2() {
@@ -42 +52 @@
+# set MTU 9000 on the link to bs1-arrays
@@ -44 +54 @@
+peer=$(getent ahostsv4 bs1-arrays | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -50 +60 @@
+peer=$(getent ahostsv4 bs1-arrays | { read -r address rest; echo "$address"; }) && [ -n "$peer" ] &&
@@ -69,2 +79,2 @@
+# 3. write /etc/systemd/system/seatrial-gpfs-nsd-block-network.service
+check_3() {
@@ -89,2 +99,2 @@
+guard_3() { :; }
+apply_3() {
@@ -112 +122 @@
+# 4. install the boot-time settings of network
@@ -114 +124 @@
+check_4() {
@@ -119,2 +129,2 @@
+guard_4() { :; }
+apply_4() {
@@ -125,2 +135,2 @@
+# 5. remove the boot-time settings of mounts
+check_5() {
@@ -129,2 +139,2 @@
+guard_5() { :; }
+apply_5() {
@@ -139 +149 @@
+# (5 steps)
