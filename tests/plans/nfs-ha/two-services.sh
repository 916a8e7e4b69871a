##### stage 1, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. refuse symbolic links
check_1() {
    set +e
    no_planted nss-ha-xl
}
guard_1() { :; }
apply_1() {
    set +e
    no_planted nss-ha-xl
    exit 1
}

# 2. refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha-xl
check_2() {
    set +e
    no_other_sessions nss-ha-xl iqn.2026-01.org.seatrial:nss-ha-xl
}
guard_2() { :; }
apply_2() {
    set +e
    no_other_sessions nss-ha-xl iqn.2026-01.org.seatrial:nss-ha-xl
    exit 1
}

# 3. refuse other multipath devices: nss-ha-xl
check_3() {
    set +e
    no_other_maps nss-ha-xl nss-ha-xl
}
guard_3() { :; }
apply_3() {
    set +e
    no_other_maps nss-ha-xl nss-ha-xl
    exit 1
}

# 4. refuse other NFS exports: /srv/nss-ha-xl
check_4() {
    set +e
    no_other_exports nss-ha-xl /srv/nss-ha-xl
}
guard_4() { :; }
apply_4() {
    set +e
    no_other_exports nss-ha-xl /srv/nss-ha-xl
    exit 1
}

# 5. refuse another cluster: nss-ha-xl
check_5() {
    set +e
    no_other_cluster nss-ha-xl nss-ha-xl
}
guard_5() { :; }
apply_5() {
    set +e
    no_other_cluster nss-ha-xl nss-ha-xl
    exit 1
}
# (5 steps)
##### stage 1, c[1-4] #####
as on srv[1-2], but for:
@@ -19 +19 @@
+# 2. refuse an occupied mount point: /mnt/nss-ha-xl/data-v3
@@ -22 +22 @@
+    no_other_mount nss-ha-xl /mnt/nss-ha-xl/data-v3
@@ -27 +27 @@
+    no_other_mount nss-ha-xl /mnt/nss-ha-xl/data-v3
@@ -31 +31 @@
+# 3. refuse an occupied mount point: /mnt/nss-ha-xl/data-v4.2
@@ -34 +34 @@
+    no_other_mount nss-ha-xl /mnt/nss-ha-xl/data-v4.2
@@ -39 +39 @@
+    no_other_mount nss-ha-xl /mnt/nss-ha-xl/data-v4.2
@@ -43 +43 @@
+# 4. refuse an occupied mount point: /mnt/nss-ha-xl/scratch-v3
@@ -46 +46 @@
+    no_other_mount nss-ha-xl /mnt/nss-ha-xl/scratch-v3
@@ -51 +51 @@
+    no_other_mount nss-ha-xl /mnt/nss-ha-xl/scratch-v3
@@ -55 +55 @@
+# 5. refuse an occupied mount point: /mnt/nss-ha-xl/scratch-v4.2
@@ -58 +58 @@
+    no_other_mount nss-ha-xl /mnt/nss-ha-xl/scratch-v4.2
@@ -62,0 +63,12 @@
+    no_other_mount nss-ha-xl /mnt/nss-ha-xl/scratch-v4.2
+    exit 1
+}
+
+# 6. refuse another cluster
+check_6() {
+    set +e
+    no_other_cluster nss-ha-xl nss-ha-xl
+}
+guard_6() { :; }
+apply_6() {
+    set +e
@@ -66 +78 @@
+# (6 steps)
##### stage 1, array #####
as on srv[1-2], but for:
@@ -19 +19 @@
+# 2. refuse other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha-xl
@@ -22 +22 @@
+    no_other_targets nss-ha-xl iqn.2026-01.org.seatrial:nss-ha-xl
@@ -27 +27 @@
+    no_other_targets nss-ha-xl iqn.2026-01.org.seatrial:nss-ha-xl
@@ -31 +31 @@
+# 3. refuse another cluster
@@ -34 +34 @@
+    no_other_cluster nss-ha-xl nss-ha-xl
@@ -39 +39 @@
+    no_other_cluster nss-ha-xl nss-ha-xl
@@ -43,11 +43 @@
+# 4. (steps.sh) refuse a disk that is used twice (5)
@@ -55 +45 @@
+# 5. refuse disks that are in use: create array nss-ha-xl: RAID 6
@@ -58 +48,7 @@
+    (
+    [ -b /dev/md/nss-ha-xl ] && set_=$(readlink -f /dev/md/nss-ha-xl) && set_=/sys/block/${set_##*/}/md &&
+        read -r level <$set_/level && [ "$level" = raid6 ] &&
+        read -r disks <$set_/raid_disks && [ "$disks" = 12 ] &&
+        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
+    ) >/dev/null 2>&1 && is_deployed nss-ha-xl /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm && exit 0
+    look_disks nss-ha-xl any:nss-ha-xl '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
@@ -63 +59,7 @@
+    (
+    [ -b /dev/md/nss-ha-xl ] && set_=$(readlink -f /dev/md/nss-ha-xl) && set_=/sys/block/${set_##*/}/md &&
+        read -r level <$set_/level && [ "$level" = raid6 ] &&
+        read -r disks <$set_/raid_disks && [ "$disks" = 12 ] &&
+        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
+    ) >/dev/null 2>&1 && is_deployed nss-ha-xl /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm && exit 0
+    look_disks nss-ha-xl any:nss-ha-xl '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
##### stage 2, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 2 of 11: mark
# (the preamble)

# (backups.sh)
# 1. mark this node for nss-ha-xl
check_1() {
    [ -e /var/lib/seatrial/made/nss-ha-xl/mark ]
}
guard_1() { :; }
apply_1() {
    umask 077
    mkdir -p /var/lib/seatrial/made/nss-ha-xl
    chmod 700 /var/lib/seatrial/made /var/lib/seatrial/made/nss-ha-xl
    : >/var/lib/seatrial/made/nss-ha-xl/left
    : >/var/lib/seatrial/made/nss-ha-xl/mark
}

# 2. store the state of open-iscsi, iscsid, multipathd, nfs-server, proc-fs-nfsd.mount, corosync, pacemaker
check_2() {
    units_are_kept /var/lib/seatrial/made/nss-ha-xl/before/units open-iscsi.service iscsid.service multipathd.service nfs-server.service proc-fs-nfsd.mount corosync.service pacemaker.service
}
guard_2() { :; }
apply_2() {
    keep_units /var/lib/seatrial/made/nss-ha-xl/before/units open-iscsi.service iscsid.service multipathd.service nfs-server.service proc-fs-nfsd.mount corosync.service pacemaker.service
}
# (2 steps)
##### stage 2, c[1-4] #####
as on srv[1-2], but for:
@@ -6 +5,0 @@
@@ -19,10 +18 @@
+# (1 steps)
##### stage 2, array #####
as on srv[1-2], but for:
@@ -20 +20 @@
+# 2. store the state of tgt
@@ -22 +22 @@
+    units_are_kept /var/lib/seatrial/made/nss-ha-xl/before/units tgt.service
@@ -26 +26 @@
+    keep_units /var/lib/seatrial/made/nss-ha-xl/before/units tgt.service
##### stage 3, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 3 of 11: packages
# (the preamble)

# (backups.sh)
# 1. install corosync, crm_mon, pacemakerd, vgchange, mkfs.xfs, exportfs, fence_ipmilan, flock
check_1() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v corosync >/dev/null &&
    command -v crm_mon >/dev/null &&
    command -v pacemakerd >/dev/null &&
    command -v vgchange >/dev/null &&
    command -v mkfs.xfs >/dev/null &&
    command -v exportfs >/dev/null &&
    command -v fence_ipmilan >/dev/null &&
    command -v flock >/dev/null
}
guard_1() { :; }
apply_1() {
    keep_packages /var/lib/seatrial/made/nss-ha-xl/packages
    trap 'note_packages /var/lib/seatrial/made/nss-ha-xl/packages' EXIT
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends corosync fence-agents lvm2 nfs-kernel-server pacemaker pacemaker-cli-utils util-linux xfsprogs
    else
        dnf install -y corosync fence-agents lvm2 nfs-utils pacemaker pacemaker-cli-utils util-linux xfsprogs
    fi
}
# (1 steps)
##### stage 3, c[1-4] #####
as on srv[1-2], but for:
@@ -7 +7 @@
+# 1. install mount.nfs
@@ -10,8 +10 @@
+    command -v mount.nfs >/dev/null
@@ -24 +17 @@
+        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends nfs-common
@@ -26 +19 @@
+        dnf install -y nfs-utils
##### stage 4, array #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 4 of 11: array
# (the preamble)

# (volumes.sh)
# (backups.sh)
# 1. assemble the existing array nss-ha-xl
check_1() {
    ! { { [ ! -b /dev/md/nss-ha-xl ] && mdadm --examine --export /dev/ubdb 2>/dev/null | grep -q '^MD_NAME=any:nss-ha-xl$'; }; }
}
guard_1() { :; }
apply_1() {
    [ -b /dev/md/nss-ha-xl ] || mdadm --assemble /dev/md/nss-ha-xl /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/nss-ha-xl
}

# 2. create array nss-ha-xl: RAID 6
#    why: the new devices hold zeros, so parity is consistent without an initial resync
check_2() {
    [ -b /dev/md/nss-ha-xl ] && set_=$(readlink -f /dev/md/nss-ha-xl) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid6 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 12 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
}
guard_2() { all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm; }
apply_2() {
    expect_volumes /var/lib/seatrial/made/nss-ha-xl/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
    modprobe raid456 || true
    pids=
    mdadm --create /dev/md/nss-ha-xl --run --metadata=1.2 --homehost=any --name=nss-ha-xl --level=6 \
        --raid-devices=12 --chunk=64 --assume-clean /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/nss-ha-xl
}

# 3. refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi, /dev/ubdj, /dev/ubdk, /dev/ubdl, /dev/ubdm
check_3() {
    set +e
    only_own_volumes /var/lib/seatrial/made/nss-ha-xl/volumes '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
}
guard_3() { :; }
apply_3() {
    set +e
    only_own_volumes /var/lib/seatrial/made/nss-ha-xl/volumes '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
    exit 1
}

# 4. enable the assembly of the array at boot
check_4() {
    cmp -s /etc/mdadm/mdadm.conf.d/seatrial-nss-ha-xl.conf - <<'SEATRIAL'
ARRAY /dev/md/nss-ha-xl metadata=1.2 name=any:nss-ha-xl
SYSFS name=/dev/md/nss-ha-xl sync_speed_min=952 sync_speed_max=952
SEATRIAL
}
guard_4() { :; }
apply_4() {
    mkdir -p /etc/mdadm/mdadm.conf.d
    cat >/etc/mdadm/mdadm.conf.d/seatrial-nss-ha-xl.conf.new <<'SEATRIAL' || { rm -f /etc/mdadm/mdadm.conf.d/seatrial-nss-ha-xl.conf.new; exit 1; }
ARRAY /dev/md/nss-ha-xl metadata=1.2 name=any:nss-ha-xl
SYSFS name=/dev/md/nss-ha-xl sync_speed_min=952 sync_speed_max=952
SEATRIAL
    mv /etc/mdadm/mdadm.conf.d/seatrial-nss-ha-xl.conf.new /etc/mdadm/mdadm.conf.d/seatrial-nss-ha-xl.conf
}

# 5. set the rebuild rate of nss-ha-xl to 952 KiB/s per disk
#    why: md uses seemingly idle disks, and a disk with queued requests seems idle: clients would wait for the rebuild
check_5() {
    set_=$(readlink -f /dev/md/nss-ha-xl); set_=/sys/block/${set_##*/}/md/sync_speed_
    [ -e "${set_}max" ] && read -r speed _ <"${set_}min" && [ "$speed" = 952 ] && read -r speed _ <"${set_}max" && [ "$speed" = 952 ]
}
guard_5() { :; }
apply_5() {
    set_=$(readlink -f /dev/md/nss-ha-xl); set_=/sys/block/${set_##*/}/md/sync_speed_
    echo 952 >"${set_}max"
    echo 952 >"${set_}min"
}

# 6. install tgtd, mdadm, vgcreate
check_6() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v tgtd >/dev/null &&
    command -v mdadm >/dev/null &&
    command -v vgcreate >/dev/null
}
guard_6() { :; }
apply_6() {
    keep_packages /var/lib/seatrial/made/nss-ha-xl/packages
    trap 'note_packages /var/lib/seatrial/made/nss-ha-xl/packages' EXIT
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends lvm2 mdadm tgt
    else
        dnf install -y lvm2 mdadm tgt
    fi
}

# 7. split /dev/md/nss-ha-xl into 2 volumes
check_7() {
    vgs --noheadings -o tags seatrial-array 2>/dev/null | grep -q seatrial-made && [ "$(readlink -f /dev/md/nss-ha-xl)" = "$(readlink -f $(pvs --noheadings -o pv_name -S vg_name=seatrial-array))" ]
}
guard_7() { :; }
apply_7() {
    must_be_blank /dev/md/nss-ha-xl
    vgcreate -q -y seatrial-array /dev/md/nss-ha-xl
    lvcreate -q -y -W n -n data -l 50%FREE seatrial-array
    lvcreate -q -y -W n -n scratch -l 100%FREE seatrial-array
    vgchange -q --addtag seatrial-made seatrial-array
}

# 8. (steps.sh) set the socket buffers of the iSCSI target

# 9. store the iSCSI secret, readable by root only
#    why: otherwise any host on the storage network could read and write the volumes
check_9() {
    cmp -s /var/lib/seatrial/made/nss-ha-xl/iscsi-chap - <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
guard_9() { :; }
apply_9() {
    mkdir -p /var/lib/seatrial/made/nss-ha-xl
    (umask 077; cat >/var/lib/seatrial/made/nss-ha-xl/iscsi-chap.new) <<'SEATRIAL' || { rm -f /var/lib/seatrial/made/nss-ha-xl/iscsi-chap.new; exit 1; }
@generated:iscsi-chap@
SEATRIAL
    chmod 600 /var/lib/seatrial/made/nss-ha-xl/iscsi-chap.new
    mv /var/lib/seatrial/made/nss-ha-xl/iscsi-chap.new /var/lib/seatrial/made/nss-ha-xl/iscsi-chap
}

# 10. (steps.sh) install the script that configures the targets

# 11. configure 1 target and the permitted initiators
check_11() {
    cmp -s /etc/tgt/seatrial-nss-ha-xl.targets - <<'SEATRIAL'
account nss-ha-xl /var/lib/seatrial/made/nss-ha-xl/iscsi-chap
target 1 iqn.2026-01.org.seatrial:nss-ha-xl
lun 1 1 /dev/seatrial-array/data 9236bc5e89bfa100 ARRAY
lun 1 2 /dev/seatrial-array/scratch ff405b822bbafede ARRAY
asks 1 nss-ha-xl
initiator 1 iqn.2026-01.org.seatrial:nss-ha-xl.srv1
initiator 1 iqn.2026-01.org.seatrial:nss-ha-xl.srv2
portal array-storage-a 3260
portal array-storage-b 3260
SEATRIAL
}
guard_11() { :; }
apply_11() {
    mkdir -p /etc/tgt
    cat >/etc/tgt/seatrial-nss-ha-xl.targets.new <<'SEATRIAL' || { rm -f /etc/tgt/seatrial-nss-ha-xl.targets.new; exit 1; }
account nss-ha-xl /var/lib/seatrial/made/nss-ha-xl/iscsi-chap
target 1 iqn.2026-01.org.seatrial:nss-ha-xl
lun 1 1 /dev/seatrial-array/data 9236bc5e89bfa100 ARRAY
lun 1 2 /dev/seatrial-array/scratch ff405b822bbafede ARRAY
asks 1 nss-ha-xl
initiator 1 iqn.2026-01.org.seatrial:nss-ha-xl.srv1
initiator 1 iqn.2026-01.org.seatrial:nss-ha-xl.srv2
portal array-storage-a 3260
portal array-storage-b 3260
SEATRIAL
    mv /etc/tgt/seatrial-nss-ha-xl.targets.new /etc/tgt/seatrial-nss-ha-xl.targets
}

# 12. start the iSCSI target after the array at boot
#    why: a target that starts before its array offers nothing; a login cut off by an incomplete target may never be recovered by iscsid (open-iscsi, issue 387)
check_12() {
    cmp -s /etc/systemd/system/tgt.service.d/seatrial-nss-ha-xl.conf - <<'SEATRIAL'
[Unit]
Wants=dev-seatrial\x2darray-data.device dev-seatrial\x2darray-scratch.device
After=dev-seatrial\x2darray-data.device dev-seatrial\x2darray-scratch.device
[Service]
ExecStart=
ExecStart=/usr/sbin/tgtd -f --iscsi portal=127.0.0.1:3260
ExecStartPost=/usr/local/sbin/seatrial-targets /etc/tgt/seatrial-nss-ha-xl.targets start
TimeoutStartSec=180
SEATRIAL
}
guard_12() { :; }
apply_12() {
    mkdir -p /etc/systemd/system/tgt.service.d
    cat >/etc/systemd/system/tgt.service.d/seatrial-nss-ha-xl.conf.new <<'SEATRIAL' || { rm -f /etc/systemd/system/tgt.service.d/seatrial-nss-ha-xl.conf.new; exit 1; }
[Unit]
Wants=dev-seatrial\x2darray-data.device dev-seatrial\x2darray-scratch.device
After=dev-seatrial\x2darray-data.device dev-seatrial\x2darray-scratch.device
[Service]
ExecStart=
ExecStart=/usr/sbin/tgtd -f --iscsi portal=127.0.0.1:3260
ExecStartPost=/usr/local/sbin/seatrial-targets /etc/tgt/seatrial-nss-ha-xl.targets start
TimeoutStartSec=180
SEATRIAL
    mv /etc/systemd/system/tgt.service.d/seatrial-nss-ha-xl.conf.new /etc/systemd/system/tgt.service.d/seatrial-nss-ha-xl.conf
    [ "$(systemctl show --property=NeedDaemonReload --value tgt.service)" = no ] || systemctl daemon-reload
    ! systemctl -q is-active tgt || [ -n "$(tgtadm --lld iscsi --mode target --op show)" ] || systemctl stop tgt
}

# 13. start the iSCSI target
check_13() {
    systemctl -q is-active tgt && systemctl -q is-enabled tgt && /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-nss-ha-xl.targets check
}
guard_13() { :; }
apply_13() {
    systemctl -q is-enabled tgt || systemctl -q --no-reload enable tgt
    systemctl start tgt
    /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-nss-ha-xl.targets
}
# (13 steps)
##### stage 5, srv1 #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 5 of 11: storage paths
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
    keep_packages /var/lib/seatrial/made/nss-ha-xl/packages
    trap 'note_packages /var/lib/seatrial/made/nss-ha-xl/packages' EXIT
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends multipath-tools open-iscsi
    else
        dnf install -y multipath-tools open-iscsi
    fi
}

# 2. write /etc/iscsi/initiatorname.iscsi
check_2() {
    cmp -s /etc/iscsi/initiatorname.iscsi - <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:nss-ha-xl.srv1
SEATRIAL
}
guard_2() { :; }
apply_2() {
    [ -e /var/lib/seatrial/made/nss-ha-xl/before/etc-iscsi-initiatorname.iscsi ] || [ -e /var/lib/seatrial/made/nss-ha-xl/before/etc-iscsi-initiatorname.iscsi.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/nss-ha-xl/before
        [ -s /etc/iscsi/initiatorname.iscsi ] || exec touch /var/lib/seatrial/made/nss-ha-xl/before/etc-iscsi-initiatorname.iscsi.absent
        cp -p /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/nss-ha-xl/before/etc-iscsi-initiatorname.iscsi.new && mv /var/lib/seatrial/made/nss-ha-xl/before/etc-iscsi-initiatorname.iscsi.new /var/lib/seatrial/made/nss-ha-xl/before/etc-iscsi-initiatorname.iscsi ||
            { rm -f /var/lib/seatrial/made/nss-ha-xl/before/etc-iscsi-initiatorname.iscsi.new; exit 1; }
    )
    mkdir -p /etc/iscsi
    cat >/etc/iscsi/initiatorname.iscsi.new <<'SEATRIAL' || { rm -f /etc/iscsi/initiatorname.iscsi.new; exit 1; }
InitiatorName=iqn.2026-01.org.seatrial:nss-ha-xl.srv1
SEATRIAL
    (umask 077 && cp /etc/iscsi/initiatorname.iscsi.new /var/lib/seatrial/made/nss-ha-xl/before/etc-iscsi-initiatorname.iscsi.ours.new && mv /var/lib/seatrial/made/nss-ha-xl/before/etc-iscsi-initiatorname.iscsi.ours.new /var/lib/seatrial/made/nss-ha-xl/before/etc-iscsi-initiatorname.iscsi.ours ||
        { rm -f /var/lib/seatrial/made/nss-ha-xl/before/etc-iscsi-initiatorname.iscsi.ours.new; exit 1; })
    mv /etc/iscsi/initiatorname.iscsi.new /etc/iscsi/initiatorname.iscsi
}

# 3. (steps.sh) write /etc/modules-load.d/seatrial-storage.conf (2)

# 4. configure multipath for the LUNs
#    why: without a path commands wait: with an error, the NFS server would pass it to programs before the cluster could fence the server
check_4() {
    cmp -s /etc/multipath.conf - <<'SEATRIAL'
# seatrial
defaults {
    user_friendly_names yes
    find_multipaths no
    polling_interval 1
    max_polling_interval 2
    path_grouping_policy multibus
    path_selector "round-robin 0"
    path_checker tur
    checker_timeout 5
    no_path_retry queue
    fast_io_fail_tmo 1
    dev_loss_tmo 600
}
blacklist {
    wwid ".*"
}
blacklist_exceptions {
    wwid "360000000000000009236bc5e89bfa100"
    wwid "36000000000000000ff405b822bbafede"
}
multipaths {
    multipath {
        wwid 360000000000000009236bc5e89bfa100
        alias nss-ha-xl-data
    }
    multipath {
        wwid 36000000000000000ff405b822bbafede
        alias nss-ha-xl-scratch
    }
}
SEATRIAL
}
guard_4() { :; }
apply_4() {
    [ -e /var/lib/seatrial/made/nss-ha-xl/before/etc-multipath.conf ] || [ -e /var/lib/seatrial/made/nss-ha-xl/before/etc-multipath.conf.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/nss-ha-xl/before
        [ -s /etc/multipath.conf ] || exec touch /var/lib/seatrial/made/nss-ha-xl/before/etc-multipath.conf.absent
        cp -p /etc/multipath.conf /var/lib/seatrial/made/nss-ha-xl/before/etc-multipath.conf.new && mv /var/lib/seatrial/made/nss-ha-xl/before/etc-multipath.conf.new /var/lib/seatrial/made/nss-ha-xl/before/etc-multipath.conf ||
            { rm -f /var/lib/seatrial/made/nss-ha-xl/before/etc-multipath.conf.new; exit 1; }
    )
    mkdir -p /etc
    cat >/etc/multipath.conf.new <<'SEATRIAL' || { rm -f /etc/multipath.conf.new; exit 1; }
# seatrial
defaults {
    user_friendly_names yes
    find_multipaths no
    polling_interval 1
    max_polling_interval 2
    path_grouping_policy multibus
    path_selector "round-robin 0"
    path_checker tur
    checker_timeout 5
    no_path_retry queue
    fast_io_fail_tmo 1
    dev_loss_tmo 600
}
blacklist {
    wwid ".*"
}
blacklist_exceptions {
    wwid "360000000000000009236bc5e89bfa100"
    wwid "36000000000000000ff405b822bbafede"
}
multipaths {
    multipath {
        wwid 360000000000000009236bc5e89bfa100
        alias nss-ha-xl-data
    }
    multipath {
        wwid 36000000000000000ff405b822bbafede
        alias nss-ha-xl-scratch
    }
}
SEATRIAL
    (umask 077 && cp /etc/multipath.conf.new /var/lib/seatrial/made/nss-ha-xl/before/etc-multipath.conf.ours.new && mv /var/lib/seatrial/made/nss-ha-xl/before/etc-multipath.conf.ours.new /var/lib/seatrial/made/nss-ha-xl/before/etc-multipath.conf.ours ||
        { rm -f /var/lib/seatrial/made/nss-ha-xl/before/etc-multipath.conf.ours.new; exit 1; })
    mv /etc/multipath.conf.new /etc/multipath.conf
    ! systemctl -q is-active multipathd || multipathd reconfigure
}

# 5. store the iSCSI secret, readable by root only
#    why: otherwise any host on the storage network could read and write the volumes
check_5() {
    cmp -s /var/lib/seatrial/made/nss-ha-xl/iscsi-chap - <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
guard_5() { :; }
apply_5() {
    mkdir -p /var/lib/seatrial/made/nss-ha-xl
    (umask 077; cat >/var/lib/seatrial/made/nss-ha-xl/iscsi-chap.new) <<'SEATRIAL' || { rm -f /var/lib/seatrial/made/nss-ha-xl/iscsi-chap.new; exit 1; }
@generated:iscsi-chap@
SEATRIAL
    chmod 600 /var/lib/seatrial/made/nss-ha-xl/iscsi-chap.new
    mv /var/lib/seatrial/made/nss-ha-xl/iscsi-chap.new /var/lib/seatrial/made/nss-ha-xl/iscsi-chap
}

# 6. configure iSCSI sessions and their account
check_6() {
    cmp -s /etc/iscsi/seatrial-nss-ha-xl - <<'SEATRIAL'
node.startup = automatic
node.session.auth.authmethod = CHAP
node.session.auth.username = nss-ha-xl
node.session.auth.password = @generated:iscsi-chap@
node.session.timeo.replacement_timeout = 1
node.conn[0].timeo.noop_out_interval = 1
node.conn[0].timeo.noop_out_timeout = 1
node.session.initial_login_retry_max = 4
SEATRIAL
}
guard_6() { :; }
apply_6() {
    mkdir -p /etc/iscsi
    (umask 077; cat >/etc/iscsi/seatrial-nss-ha-xl.new) <<'SEATRIAL' || { rm -f /etc/iscsi/seatrial-nss-ha-xl.new; exit 1; }
node.startup = automatic
node.session.auth.authmethod = CHAP
node.session.auth.username = nss-ha-xl
node.session.auth.password = @generated:iscsi-chap@
node.session.timeo.replacement_timeout = 1
node.conn[0].timeo.noop_out_interval = 1
node.conn[0].timeo.noop_out_timeout = 1
node.session.initial_login_retry_max = 4
SEATRIAL
    chmod 600 /etc/iscsi/seatrial-nss-ha-xl.new
    mv /etc/iscsi/seatrial-nss-ha-xl.new /etc/iscsi/seatrial-nss-ha-xl
}

# 7. discover 1 iSCSI target at array-storage-a array-storage-b
check_7() {
    iscsi_known /etc/iscsi/seatrial-nss-ha-xl 2 iqn.2026-01.org.seatrial:nss-ha-xl
}
guard_7() { :; }
apply_7() {
    systemctl start iscsid
    for target in iqn.2026-01.org.seatrial:nss-ha-xl; do
        rm -rf /etc/iscsi/nodes/$target /var/lib/iscsi/nodes/$target
        for portal in array-storage-a array-storage-b; do iscsiadm -m node -T $target -p $portal:3260 -o new; done
    done
    iscsi_set /etc/iscsi/seatrial-nss-ha-xl iqn.2026-01.org.seatrial:nss-ha-xl
}

# 8. log in to 2 iSCSI sessions and enable them at boot
check_8() {
    systemctl -q is-active iscsid && systemctl -q is-active multipathd && systemctl -q is-enabled open-iscsi &&
    iscsi_sessions 2 iqn.2026-01.org.seatrial:nss-ha-xl &&
    [ -b /dev/mapper/nss-ha-xl-data ] && [ -b /dev/mapper/nss-ha-xl-scratch ]
}
guard_8() { :; }
apply_8() {
    systemctl -q --no-reload enable open-iscsi iscsid multipathd
    systemctl start iscsid multipathd
    iscsi_login 2 iqn.2026-01.org.seatrial:nss-ha-xl
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/mapper/nss-ha-xl-data ] && [ -b /dev/mapper/nss-ha-xl-scratch ]; do again 30 'the disks of the sessions'; done
}

# 9. install the monitor for stuck iSCSI sessions
#    why: iscsid up to 2.1.11 never recovers from a login that was cut off (issue 387)
check_9() {
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
            read -r target <"/sys/class/iscsi_session/$session/targetname" && [[ $target = iqn.2026-01.org.seatrial:nss-ha-xl ]] &&
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
guard_9() { :; }
apply_9() {
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
            read -r target <"/sys/class/iscsi_session/$session/targetname" && [[ $target = iqn.2026-01.org.seatrial:nss-ha-xl ]] &&
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

# 10. (steps.sh) write /etc/systemd/system/seatrial-stuck-sessions.service

# 11. (steps.sh) start the monitor for stuck iSCSI sessions
# (11 steps)
##### stage 5, srv2 #####
as on srv1, but for:
@@ -28 +28 @@
+InitiatorName=iqn.2026-01.org.seatrial:nss-ha-xl.srv2
@@ -42 +42 @@
+InitiatorName=iqn.2026-01.org.seatrial:nss-ha-xl.srv2
##### stage 6, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 6 of 11: servers
# (the preamble)

# 1. set the LVM system ID to the server name
#    why: a group has the name of one server (system id): the other refuses it until the cluster, after a stop or fencing, renames it
check_1() {
    lvmconfig --type full global/system_id_source | grep -q '"uname"'
}
guard_1() { :; }
apply_1() {
    [ -e /var/lib/seatrial/made/nss-ha-xl/before/etc-lvm-lvm.conf ] || [ -e /var/lib/seatrial/made/nss-ha-xl/before/etc-lvm-lvm.conf.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/nss-ha-xl/before
        [ -s /etc/lvm/lvm.conf ] || exec touch /var/lib/seatrial/made/nss-ha-xl/before/etc-lvm-lvm.conf.absent
        cp -p /etc/lvm/lvm.conf /var/lib/seatrial/made/nss-ha-xl/before/etc-lvm-lvm.conf.new && mv /var/lib/seatrial/made/nss-ha-xl/before/etc-lvm-lvm.conf.new /var/lib/seatrial/made/nss-ha-xl/before/etc-lvm-lvm.conf ||
            { rm -f /var/lib/seatrial/made/nss-ha-xl/before/etc-lvm-lvm.conf.new; exit 1; }
    )
    [ -s /var/lib/seatrial/made/nss-ha-xl/before/etc-lvm-lvm.conf.line ] || (umask 077 && grep -m 1 '^[[:space:]]*#*[[:space:]]*system_id_source *=' /etc/lvm/lvm.conf >/var/lib/seatrial/made/nss-ha-xl/before/etc-lvm-lvm.conf.line)
    sed 's/^[[:space:]]*#*[[:space:]]*system_id_source *=.*/\tsystem_id_source = "uname"/' /etc/lvm/lvm.conf >/etc/lvm/lvm.conf.new
    chmod --reference=/etc/lvm/lvm.conf /etc/lvm/lvm.conf.new
    (umask 077 && cp /etc/lvm/lvm.conf.new /var/lib/seatrial/made/nss-ha-xl/before/etc-lvm-lvm.conf.ours.new && mv /var/lib/seatrial/made/nss-ha-xl/before/etc-lvm-lvm.conf.ours.new /var/lib/seatrial/made/nss-ha-xl/before/etc-lvm-lvm.conf.ours ||
        { rm -f /var/lib/seatrial/made/nss-ha-xl/before/etc-lvm-lvm.conf.ours.new; exit 1; })
    mv /etc/lvm/lvm.conf.new /etc/lvm/lvm.conf
}

# 2. add the LUNs to LVM's device list
check_2() {
    [ ! -e /etc/lvm/devices/system.devices ] || { grep -q '/dev/mapper/nss-ha-xl-data' /etc/lvm/devices/system.devices && grep -q '/dev/mapper/nss-ha-xl-scratch' /etc/lvm/devices/system.devices; }
}
guard_2() { :; }
apply_2() {
    lvmdevices --devices /dev/mapper/nss-ha-xl-data >/dev/null 2>&1 || lvmdevices -y --adddev /dev/mapper/nss-ha-xl-data
    lvmdevices --devices /dev/mapper/nss-ha-xl-scratch >/dev/null 2>&1 || lvmdevices -y --adddev /dev/mapper/nss-ha-xl-scratch
}

# 3. add the host name nss-ha-xl-data for 10.10.200.1
#    why: NFSv3 clients get notifications by the name of the address, which must resolve
check_3() {
    grep -qxF '10.10.200.1 nss-ha-xl-data' /etc/hosts
}
guard_3() { :; }
apply_3() {
    sed -i '/ nss-ha-xl-data$/d' /etc/hosts
    echo '10.10.200.1 nss-ha-xl-data' >>/etc/hosts
}

# 4. add the host name nss-ha-xl-scratch for 10.10.200.2
#    why: NFSv3 clients get notifications by the name of the address, which must resolve
check_4() {
    grep -qxF '10.10.200.2 nss-ha-xl-scratch' /etc/hosts
}
guard_4() { :; }
apply_4() {
    sed -i '/ nss-ha-xl-scratch$/d' /etc/hosts
    echo '10.10.200.2 nss-ha-xl-scratch' >>/etc/hosts
}

# 5. set 10 s of NFSv4 lease and grace period, and fixed ports
#    why: after a takeover, clients may reclaim their locks for one grace period, and no new lock is granted. The cluster notifies NFSv3 clients, from the service's address. A notification by statd would have the server's own address, which they do not know
check_5() {
    cmp -s /etc/nfs.conf.d/seatrial-nss-ha-xl.conf - <<'SEATRIAL'
[nfsd]
threads=16
lease-time=10
grace-time=10
vers3=y
vers4=y
[mountd]
port=20048
[statd]
no-notify=y
port=4001
[lockd]
port=4002
udp-port=4002
SEATRIAL
}
guard_5() { :; }
apply_5() {
    mkdir -p /etc/nfs.conf.d
    cat >/etc/nfs.conf.d/seatrial-nss-ha-xl.conf.new <<'SEATRIAL' || { rm -f /etc/nfs.conf.d/seatrial-nss-ha-xl.conf.new; exit 1; }
[nfsd]
threads=16
lease-time=10
grace-time=10
vers3=y
vers4=y
[mountd]
port=20048
[statd]
no-notify=y
port=4001
[lockd]
port=4002
udp-port=4002
SEATRIAL
    mv /etc/nfs.conf.d/seatrial-nss-ha-xl.conf.new /etc/nfs.conf.d/seatrial-nss-ha-xl.conf
}

# 6. (steps.sh) set 10 s of grace period for the NFSv3 lock manager

# 7. disable NFS delegations
#    why: a restarted server of Linux 7.2 grants one to the first client that reclaims a file; other clients cannot reclaim it in the grace period, and lose their locks
check_7() {
    [ -s /var/lib/seatrial/made/nss-ha-xl/before/leases-enable ] && [ "$(cat /proc/sys/fs/leases-enable)" = 0 ]
}
guard_7() { :; }
apply_7() {
    (
        umask 077
        mkdir -p /var/lib/seatrial/made/nss-ha-xl/before
        [ -s /var/lib/seatrial/made/nss-ha-xl/before/leases-enable ] || { cat /var/lib/seatrial/made/*/before/leases-enable /proc/sys/fs/leases-enable 2>/dev/null | head -n 1 >/var/lib/seatrial/made/nss-ha-xl/before/leases-enable.new && mv /var/lib/seatrial/made/nss-ha-xl/before/leases-enable.new /var/lib/seatrial/made/nss-ha-xl/before/leases-enable; }
    )
    echo 0 >/proc/sys/fs/leases-enable
}

# 8. (steps.sh) disable the NFS service outside the cluster

# 9. (steps.sh) load nfsd at boot

# 10. (steps.sh) install the lightweight resource agent

# 11. create the directory /srv/nss-ha-xl/data
check_11() {
    [ -d /srv/nss-ha-xl/data ]
}
guard_11() { :; }
apply_11() {
    mkdir -p /srv/nss-ha-xl/data
}

# 12. create the directory /srv/nss-ha-xl/scratch
check_12() {
    [ -d /srv/nss-ha-xl/scratch ]
}
guard_12() { :; }
apply_12() {
    mkdir -p /srv/nss-ha-xl/scratch
}

# 13. install the self-fencing watchdog
check_13() {
    cmp -s /usr/local/sbin/seatrial-self-fencing - <<'SEATRIAL'
#!/bin/sh
# Reboots this server at once, writing nothing back, when a service could not be stopped for 60 s.
# Where an administrator has put the cluster, a server or a resource into maintenance, its daemons may be stopped while
# services run on, and an unmount that takes its time is his.
maintained() {
    grep -Eq 'name="maintenance(-mode)?"[^>]*value="(true|yes|on|1)"' /var/lib/pacemaker/cib/cib.xml 2>/dev/null
}
# Since it was first seen alone: one look takes a while, and sees a service that is just being put away as half of each.
alone=-5
while sleep 5; do
    alone=$((alone + 5))
    { grep -q ' /srv/nss-ha-xl/data ' /proc/mounts || grep -q ' /srv/nss-ha-xl/scratch ' /proc/mounts; } && ! pidof pacemakerd >/dev/null && ! maintained || alone=-5
    [ $alone -ge 60 ] || pgrep --euid 0 --older 60 --full '^((/bin/)?umount (-[a-z]+ )*(/srv/nss-ha-xl/data|/srv/nss-ha-xl/scratch)|(/usr/sbin/)?rpc.nfsd 0|(/[a-z/]*sbin/)?(lvm )?vgchange .*-an .*(st-data|st-scratch)|([^ ]+ )?/usr/lib/ocf/resource[.]d/[^ ]+ stop)$' >/dev/null || continue
    if ! maintained; then
        echo "seatrial-self-fencing: a service could not be stopped for 60 s" >/dev/kmsg
        echo b >/proc/sysrq-trigger
    fi
done
SEATRIAL
}
guard_13() { :; }
apply_13() {
    mkdir -p /usr/local/sbin
    cat >/usr/local/sbin/seatrial-self-fencing.new <<'SEATRIAL' || { rm -f /usr/local/sbin/seatrial-self-fencing.new; exit 1; }
#!/bin/sh
# Reboots this server at once, writing nothing back, when a service could not be stopped for 60 s.
# Where an administrator has put the cluster, a server or a resource into maintenance, its daemons may be stopped while
# services run on, and an unmount that takes its time is his.
maintained() {
    grep -Eq 'name="maintenance(-mode)?"[^>]*value="(true|yes|on|1)"' /var/lib/pacemaker/cib/cib.xml 2>/dev/null
}
# Since it was first seen alone: one look takes a while, and sees a service that is just being put away as half of each.
alone=-5
while sleep 5; do
    alone=$((alone + 5))
    { grep -q ' /srv/nss-ha-xl/data ' /proc/mounts || grep -q ' /srv/nss-ha-xl/scratch ' /proc/mounts; } && ! pidof pacemakerd >/dev/null && ! maintained || alone=-5
    [ $alone -ge 60 ] || pgrep --euid 0 --older 60 --full '^((/bin/)?umount (-[a-z]+ )*(/srv/nss-ha-xl/data|/srv/nss-ha-xl/scratch)|(/usr/sbin/)?rpc.nfsd 0|(/[a-z/]*sbin/)?(lvm )?vgchange .*-an .*(st-data|st-scratch)|([^ ]+ )?/usr/lib/ocf/resource[.]d/[^ ]+ stop)$' >/dev/null || continue
    if ! maintained; then
        echo "seatrial-self-fencing: a service could not be stopped for 60 s" >/dev/kmsg
        echo b >/proc/sysrq-trigger
    fi
done
SEATRIAL
    chmod 755 /usr/local/sbin/seatrial-self-fencing.new
    mv /usr/local/sbin/seatrial-self-fencing.new /usr/local/sbin/seatrial-self-fencing
    ! systemctl -q is-active seatrial-self-fencing || systemctl restart seatrial-self-fencing
}

# 14. (steps.sh) write /etc/systemd/system/seatrial-self-fencing.service

# 15. (steps.sh) start the self-fencing watchdog with a limit of 60 s

# 16. store the corosync key, readable by root only
check_16() {
    cmp -s /var/lib/seatrial/made/nss-ha-xl/corosync-key - <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
guard_16() { :; }
apply_16() {
    mkdir -p /var/lib/seatrial/made/nss-ha-xl
    (umask 077; cat >/var/lib/seatrial/made/nss-ha-xl/corosync-key.new) <<'SEATRIAL' || { rm -f /var/lib/seatrial/made/nss-ha-xl/corosync-key.new; exit 1; }
@generated:corosync-key@
SEATRIAL
    chmod 600 /var/lib/seatrial/made/nss-ha-xl/corosync-key.new
    mv /var/lib/seatrial/made/nss-ha-xl/corosync-key.new /var/lib/seatrial/made/nss-ha-xl/corosync-key
}

# 17. enable encryption of corosync
#    why: otherwise any host on the network could join the cluster and have members fenced
check_17() {
    cmp -s /etc/corosync/authkey - <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
guard_17() { :; }
apply_17() {
    [ -e /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-authkey ] || [ -e /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-authkey.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/nss-ha-xl/before
        [ -s /etc/corosync/authkey ] || exec touch /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-authkey.absent
        cp -p /etc/corosync/authkey /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-authkey.new && mv /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-authkey.new /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-authkey ||
            { rm -f /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-authkey.new; exit 1; }
    )
    mkdir -p /etc/corosync
    (umask 077; cat >/etc/corosync/authkey.new) <<'SEATRIAL' || { rm -f /etc/corosync/authkey.new; exit 1; }
@generated:corosync-key@
SEATRIAL
    chmod 400 /etc/corosync/authkey.new
    (umask 077 && cp /etc/corosync/authkey.new /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-authkey.ours.new && mv /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-authkey.ours.new /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-authkey.ours ||
        { rm -f /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-authkey.ours.new; exit 1; })
    mv /etc/corosync/authkey.new /etc/corosync/authkey
}

# 18. configure the members and links of corosync
check_18() {
    cmp -s /etc/corosync/corosync.conf - <<'SEATRIAL'
totem {
    version: 2
    cluster_name: nss-ha-xl
    transport: knet
    crypto_cipher: aes256
    crypto_hash: sha256
    token: 2000
    interface {
        linknumber: 0
        knet_ping_interval: 333
        knet_ping_timeout: 1000
    }
}
quorum {
    provider: corosync_votequorum
    two_node: 1
    wait_for_all: 1
}
nodelist {
    node {
        name: srv1
        nodeid: 1
        ring0_addr: srv1-private
    }
    node {
        name: srv2
        nodeid: 2
        ring0_addr: srv2-private
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
guard_18() { :; }
apply_18() {
    [ -e /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-corosync.conf ] || [ -e /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-corosync.conf.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/nss-ha-xl/before
        [ -s /etc/corosync/corosync.conf ] || exec touch /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-corosync.conf.absent
        cp -p /etc/corosync/corosync.conf /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-corosync.conf.new && mv /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-corosync.conf.new /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-corosync.conf ||
            { rm -f /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-corosync.conf.new; exit 1; }
    )
    mkdir -p /etc/corosync
    cat >/etc/corosync/corosync.conf.new <<'SEATRIAL' || { rm -f /etc/corosync/corosync.conf.new; exit 1; }
totem {
    version: 2
    cluster_name: nss-ha-xl
    transport: knet
    crypto_cipher: aes256
    crypto_hash: sha256
    token: 2000
    interface {
        linknumber: 0
        knet_ping_interval: 333
        knet_ping_timeout: 1000
    }
}
quorum {
    provider: corosync_votequorum
    two_node: 1
    wait_for_all: 1
}
nodelist {
    node {
        name: srv1
        nodeid: 1
        ring0_addr: srv1-private
    }
    node {
        name: srv2
        nodeid: 2
        ring0_addr: srv2-private
    }
}
logging {
    to_syslog: yes
    to_stderr: no
    to_logfile: no
    timestamp: hires
}
SEATRIAL
    (umask 077 && cp /etc/corosync/corosync.conf.new /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-corosync.conf.ours.new && mv /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-corosync.conf.ours.new /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-corosync.conf.ours ||
        { rm -f /var/lib/seatrial/made/nss-ha-xl/before/etc-corosync-corosync.conf.ours.new; exit 1; })
    mv /etc/corosync/corosync.conf.new /etc/corosync/corosync.conf
    if systemctl -q is-active corosync; then
        if crm_mon --one-shot --inactive 2>/dev/null | grep -q '(ocf:\|(stonith:'; then
            corosync-cfgtool -R
        else
            systemctl stop pacemaker corosync
            rm -f /var/lib/pacemaker/cib/cib*
        fi
    fi
}
# (18 steps)
##### stage 7, srv1 #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 7 of 11: volumes
# (the preamble)

# 1. create the volume group st-data and an XFS file system on /dev/mapper/nss-ha-xl-data
#    why: created on one server and released: from now on only the cluster activates it
check_1() {
    vgs --foreign --noheadings -o tags st-data 2>/dev/null | grep -q seatrial-made
}
guard_1() { :; }
apply_1() {
    must_be_blank /dev/mapper/nss-ha-xl-data
    vgcreate -q -y --setautoactivation n st-data /dev/mapper/nss-ha-xl-data
    lvcreate -q -y -W n -n data -l 100%FREE st-data
    mkfs.xfs -q -L st-data /dev/st-data/data
    mkdir -p /run/seatrial-st-data
    mount -t xfs /dev/st-data/data /run/seatrial-st-data
    mkdir /run/seatrial-st-data/export && chmod 1777 /run/seatrial-st-data/export
    cp -a /var/lib/nfs /run/seatrial-st-data/nfs-state
    mkdir -p /run/seatrial-st-data/nfs-state/nfsdcld
    [ -e /run/seatrial-st-data/nfs-state/statd ] || ln -s . /run/seatrial-st-data/nfs-state/statd
    umount /run/seatrial-st-data
    rmdir /run/seatrial-st-data
    vgchange -q -an st-data
    vgchange -q --addtag seatrial-made st-data
}

# 2. create the volume group st-scratch and an XFS file system on /dev/mapper/nss-ha-xl-scratch
#    why: created on one server and released: from now on only the cluster activates it
check_2() {
    vgs --foreign --noheadings -o tags st-scratch 2>/dev/null | grep -q seatrial-made
}
guard_2() { :; }
apply_2() {
    must_be_blank /dev/mapper/nss-ha-xl-scratch
    vgcreate -q -y --setautoactivation n st-scratch /dev/mapper/nss-ha-xl-scratch
    lvcreate -q -y -W n -n scratch -l 100%FREE st-scratch
    mkfs.xfs -q -L st-scratch /dev/st-scratch/scratch
    mkdir -p /run/seatrial-st-scratch
    mount -t xfs /dev/st-scratch/scratch /run/seatrial-st-scratch
    mkdir /run/seatrial-st-scratch/export && chmod 1777 /run/seatrial-st-scratch/export
    cp -a /var/lib/nfs /run/seatrial-st-scratch/nfs-state
    mkdir -p /run/seatrial-st-scratch/nfs-state/nfsdcld
    [ -e /run/seatrial-st-scratch/nfs-state/statd ] || ln -s . /run/seatrial-st-scratch/nfs-state/statd
    umount /run/seatrial-st-scratch
    rmdir /run/seatrial-st-scratch
    vgchange -q -an st-scratch
    vgchange -q --addtag seatrial-made st-scratch
}
# (2 steps)
##### stage 8, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 8 of 11: members
# (the preamble)

# 1. install the initial cluster configuration
check_1() {
    [ -e /var/lib/pacemaker/cib/cib.xml ] || systemctl -q is-active pacemaker
}
guard_1() { :; }
apply_1() {
    umask 027
    cat >/var/lib/pacemaker/cib/cib.xml.new <<'SEATRIAL'
<cib crm_feature_set="3.0.14" validate-with="pacemaker-3.0" admin_epoch="0" epoch="1" num_updates="0">
<configuration>
  <crm_config>
    <cluster_property_set id="cib-bootstrap-options">
      <nvpair id="cib-bootstrap-options-stonith-enabled" name="stonith-enabled" value="true"/>
      <nvpair id="cib-bootstrap-options-no-quorum-policy" name="no-quorum-policy" value="stop"/>
      <nvpair id="cib-bootstrap-options-stonith-action" name="stonith-action" value="reboot"/>
      <nvpair id="cib-bootstrap-options-stonith-timeout" name="stonith-timeout" value="60s"/>
      <nvpair id="cib-bootstrap-options-cluster-recheck-interval" name="cluster-recheck-interval" value="60s"/>
      <nvpair id="cib-bootstrap-options-dc-deadtime" name="dc-deadtime" value="5s"/>
      <nvpair id="cib-bootstrap-options-load-threshold" name="load-threshold" value="1000%"/>
      <nvpair id="cib-bootstrap-options-priority-fencing-delay" name="priority-fencing-delay" value="0s"/>
      <nvpair id="cib-bootstrap-options-seatrial-plan" name="seatrial-plan" value="6ba1d853e5055198"/>
      <nvpair id="cib-bootstrap-options-seatrial-resources" name="seatrial-resources" value="fence-srv1 fence-pdu-a fence-pdu-b fence-srv2 data-service scratch-service"/>
    </cluster_property_set>
  </crm_config>
  <nodes>
    <node id="1" uname="srv1"/>
    <node id="2" uname="srv2"/>
  </nodes>
  <resources>
    <primitive id="fence-srv1" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv1-parameters">
        <nvpair id="fence-srv1-parameters-ip" name="ip" value="srv1-bmc"/>
        <nvpair id="fence-srv1-parameters-username" name="username" value="admin"/>
        <nvpair id="fence-srv1-parameters-password" name="password" value="seatrial-lab"/>
        <nvpair id="fence-srv1-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv1-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv1-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv1-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1"/>
        <nvpair id="fence-srv1-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv1-parameters-power_timeout" name="power_timeout" value="10"/>
        <nvpair id="fence-srv1-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv1-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-srv1-meta">
        <nvpair id="fence-srv1-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-srv1-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-srv1-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-srv1-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-pdu-a" class="stonith" type="fence_apc_snmp">
      <instance_attributes id="fence-pdu-a-parameters">
        <nvpair id="fence-pdu-a-parameters-ip" name="ip" value="pdu-a"/>
        <nvpair id="fence-pdu-a-parameters-community" name="community" value="private"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-a-parameters-power_wait" name="power_wait" value="1"/>
        <nvpair id="fence-pdu-a-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-pdu-a-meta">
        <nvpair id="fence-pdu-a-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-pdu-a-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-pdu-a-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-pdu-a-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-pdu-b" class="stonith" type="fence_apc_snmp">
      <instance_attributes id="fence-pdu-b-parameters">
        <nvpair id="fence-pdu-b-parameters-ip" name="ip" value="pdu-b"/>
        <nvpair id="fence-pdu-b-parameters-community" name="community" value="private"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-b-parameters-power_wait" name="power_wait" value="1"/>
        <nvpair id="fence-pdu-b-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-pdu-b-meta">
        <nvpair id="fence-pdu-b-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-pdu-b-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-pdu-b-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-pdu-b-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-srv2" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv2-parameters">
        <nvpair id="fence-srv2-parameters-ip" name="ip" value="srv2-bmc"/>
        <nvpair id="fence-srv2-parameters-username" name="username" value="admin"/>
        <nvpair id="fence-srv2-parameters-password" name="password" value="seatrial-lab"/>
        <nvpair id="fence-srv2-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv2-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv2-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv2-parameters-pcmk_host_list" name="pcmk_host_list" value="srv2"/>
        <nvpair id="fence-srv2-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv2-parameters-power_timeout" name="power_timeout" value="10"/>
        <nvpair id="fence-srv2-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv2-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-srv2-meta">
        <nvpair id="fence-srv2-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-srv2-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-srv2-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-srv2-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <group id="data">
      <primitive id="data-service" class="ocf" type="nfs-service" provider="seatrial">
        <instance_attributes id="data-service-parameters">
          <nvpair id="data-service-parameters-volume" name="volume" value="st-data"/>
          <nvpair id="data-service-parameters-device" name="device" value="/dev/st-data/data"/>
          <nvpair id="data-service-parameters-directory" name="directory" value="/srv/nss-ha-xl/data"/>
          <nvpair id="data-service-parameters-export" name="export" value="rw,sync,root_squash,no_subtree_check"/>
          <nvpair id="data-service-parameters-clients" name="clients" value="10.10.0.0/16"/>
          <nvpair id="data-service-parameters-options" name="options" value="noatime"/>
          <nvpair id="data-service-parameters-fsid" name="fsid" value="1"/>
          <nvpair id="data-service-parameters-address" name="address" value="10.10.200.1/16"/>
          <nvpair id="data-service-parameters-interface" name="interface" value="public"/>
          <nvpair id="data-service-parameters-threads" name="threads" value="16"/>
          <nvpair id="data-service-parameters-lease" name="lease" value="10"/>
          <nvpair id="data-service-parameters-patience" name="patience" value="8"/>
          <nvpair id="data-service-parameters-scope" name="scope" value="nss-ha-xl"/>
          <nvpair id="data-service-parameters-servers" name="servers" value="srv1 srv2"/>
          <nvpair id="data-service-parameters-references" name="references" value="c1-public c2-public"/>
          <nvpair id="data-service-parameters-namespace" name="namespace" value="data"/>
        </instance_attributes>
        <operations>
          <op id="data-service-start-0" name="start" interval="0s" timeout="60s"/>
          <op id="data-service-stop-0" name="stop" interval="0s" timeout="60s" on-fail="fence"/>
          <op id="data-service-monitor-3" name="monitor" interval="3s" timeout="60s"/>
          <op id="data-service-monitor-4" name="monitor" interval="4s" timeout="68s" on-fail="fence">
          <instance_attributes id="data-service-monitor-4-depth">
            <nvpair id="data-service-monitor-4-depth-OCF_CHECK_LEVEL" name="OCF_CHECK_LEVEL" value="10"/>
          </instance_attributes>
          </op>
        </operations>
      </primitive>
    </group>
    <group id="scratch">
      <primitive id="scratch-service" class="ocf" type="nfs-service" provider="seatrial">
        <instance_attributes id="scratch-service-parameters">
          <nvpair id="scratch-service-parameters-volume" name="volume" value="st-scratch"/>
          <nvpair id="scratch-service-parameters-device" name="device" value="/dev/st-scratch/scratch"/>
          <nvpair id="scratch-service-parameters-directory" name="directory" value="/srv/nss-ha-xl/scratch"/>
          <nvpair id="scratch-service-parameters-export" name="export" value="rw,sync,root_squash,no_subtree_check"/>
          <nvpair id="scratch-service-parameters-clients" name="clients" value="10.10.0.0/16"/>
          <nvpair id="scratch-service-parameters-options" name="options" value="noatime"/>
          <nvpair id="scratch-service-parameters-fsid" name="fsid" value="2"/>
          <nvpair id="scratch-service-parameters-address" name="address" value="10.10.200.2/16"/>
          <nvpair id="scratch-service-parameters-interface" name="interface" value="public"/>
          <nvpair id="scratch-service-parameters-threads" name="threads" value="16"/>
          <nvpair id="scratch-service-parameters-lease" name="lease" value="10"/>
          <nvpair id="scratch-service-parameters-patience" name="patience" value="8"/>
          <nvpair id="scratch-service-parameters-scope" name="scope" value="nss-ha-xl"/>
          <nvpair id="scratch-service-parameters-servers" name="servers" value="srv1 srv2"/>
          <nvpair id="scratch-service-parameters-references" name="references" value="c1-public c2-public"/>
          <nvpair id="scratch-service-parameters-namespace" name="namespace" value="scratch"/>
        </instance_attributes>
        <operations>
          <op id="scratch-service-start-0" name="start" interval="0s" timeout="60s"/>
          <op id="scratch-service-stop-0" name="stop" interval="0s" timeout="60s" on-fail="fence"/>
          <op id="scratch-service-monitor-3" name="monitor" interval="3s" timeout="60s"/>
          <op id="scratch-service-monitor-4" name="monitor" interval="4s" timeout="68s" on-fail="fence">
          <instance_attributes id="scratch-service-monitor-4-depth">
            <nvpair id="scratch-service-monitor-4-depth-OCF_CHECK_LEVEL" name="OCF_CHECK_LEVEL" value="10"/>
          </instance_attributes>
          </op>
        </operations>
      </primitive>
    </group>
  </resources>
  <constraints>
    <rsc_location id="fence-srv1-elsewhere" rsc="fence-srv1" score="-INFINITY" node="srv1"/>
    <rsc_location id="fence-srv2-elsewhere" rsc="fence-srv2" score="-INFINITY" node="srv2"/>
    <rsc_order id="fence-srv1-after-data" first="data" then="fence-srv1" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-srv1-after-scratch" first="scratch" then="fence-srv1" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-a-after-data" first="data" then="fence-pdu-a" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-a-after-scratch" first="scratch" then="fence-pdu-a" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-b-after-data" first="data" then="fence-pdu-b" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-b-after-scratch" first="scratch" then="fence-pdu-b" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-srv2-after-data" first="data" then="fence-srv2" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-srv2-after-scratch" first="scratch" then="fence-srv2" kind="Optional" symmetrical="false"/>
    <rsc_location id="data-prefers" rsc="data" score="10" node="srv1"/>
    <rsc_location id="scratch-prefers" rsc="scratch" score="10" node="srv2"/>
  </constraints>
  <fencing-topology>
    <fencing-level id="fence-srv1-1" target="srv1" index="1" devices="fence-srv1"/>
    <fencing-level id="fence-srv1-2" target="srv1" index="2" devices="fence-pdu-a,fence-pdu-b"/>
    <fencing-level id="fence-srv2-1" target="srv2" index="1" devices="fence-srv2"/>
    <fencing-level id="fence-srv2-2" target="srv2" index="2" devices="fence-pdu-a,fence-pdu-b"/>
  </fencing-topology>
  <rsc_defaults>
    <meta_attributes id="rsc-options">
      <nvpair id="rsc-options-resource-stickiness" name="resource-stickiness" value="100"/>
      <nvpair id="rsc-options-migration-threshold" name="migration-threshold" value="1"/>
      <nvpair id="rsc-options-failure-timeout" name="failure-timeout" value="120s"/>
      <nvpair id="rsc-options-priority" name="priority" value="1"/>
    </meta_attributes>
  </rsc_defaults>
</configuration>
<status/>
</cib>
SEATRIAL
    chown hacluster:haclient /var/lib/pacemaker/cib/cib.xml.new
    chmod 600 /var/lib/pacemaker/cib/cib.xml.new
    mv /var/lib/pacemaker/cib/cib.xml.new /var/lib/pacemaker/cib/cib.xml
}

# 2. (steps.sh) join the cluster and enable it at boot (2)

# 3. (steps.sh) wait for all members (2)
# (3 steps)
##### stage 9, srv1 #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 9 of 11: services
# (the preamble)

# 1. configure services and fence devices
#    why: as a whole: no partial configuration is ever active
check_1() {
    hash=$(crm_attribute --type crm_config --name seatrial-plan --query --quiet 2>/dev/null) &&
    [ "$hash" = 6ba1d853e5055198 ]
}
guard_1() { :; }
apply_1() {
    mkdir -p /etc/seatrial/nss-ha-xl
    umask 077
    cat >/etc/seatrial/nss-ha-xl/cib.xml <<'SEATRIAL'
<configuration>
  <crm_config>
    <cluster_property_set id="cib-bootstrap-options">
      <nvpair id="cib-bootstrap-options-stonith-enabled" name="stonith-enabled" value="true"/>
      <nvpair id="cib-bootstrap-options-no-quorum-policy" name="no-quorum-policy" value="stop"/>
      <nvpair id="cib-bootstrap-options-stonith-action" name="stonith-action" value="reboot"/>
      <nvpair id="cib-bootstrap-options-stonith-timeout" name="stonith-timeout" value="60s"/>
      <nvpair id="cib-bootstrap-options-cluster-recheck-interval" name="cluster-recheck-interval" value="60s"/>
      <nvpair id="cib-bootstrap-options-dc-deadtime" name="dc-deadtime" value="5s"/>
      <nvpair id="cib-bootstrap-options-load-threshold" name="load-threshold" value="1000%"/>
      <nvpair id="cib-bootstrap-options-priority-fencing-delay" name="priority-fencing-delay" value="0s"/>
      <nvpair id="cib-bootstrap-options-seatrial-plan" name="seatrial-plan" value="6ba1d853e5055198"/>
      <nvpair id="cib-bootstrap-options-seatrial-resources" name="seatrial-resources" value="fence-srv1 fence-pdu-a fence-pdu-b fence-srv2 data-service scratch-service"/>
    </cluster_property_set>
  </crm_config>
  <nodes>
    <node id="1" uname="srv1"/>
    <node id="2" uname="srv2"/>
  </nodes>
  <resources>
    <primitive id="fence-srv1" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv1-parameters">
        <nvpair id="fence-srv1-parameters-ip" name="ip" value="srv1-bmc"/>
        <nvpair id="fence-srv1-parameters-username" name="username" value="admin"/>
        <nvpair id="fence-srv1-parameters-password" name="password" value="seatrial-lab"/>
        <nvpair id="fence-srv1-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv1-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv1-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv1-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1"/>
        <nvpair id="fence-srv1-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv1-parameters-power_timeout" name="power_timeout" value="10"/>
        <nvpair id="fence-srv1-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv1-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-srv1-meta">
        <nvpair id="fence-srv1-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-srv1-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-srv1-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-srv1-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-pdu-a" class="stonith" type="fence_apc_snmp">
      <instance_attributes id="fence-pdu-a-parameters">
        <nvpair id="fence-pdu-a-parameters-ip" name="ip" value="pdu-a"/>
        <nvpair id="fence-pdu-a-parameters-community" name="community" value="private"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-a-parameters-power_wait" name="power_wait" value="1"/>
        <nvpair id="fence-pdu-a-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-pdu-a-meta">
        <nvpair id="fence-pdu-a-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-pdu-a-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-pdu-a-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-pdu-a-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-pdu-b" class="stonith" type="fence_apc_snmp">
      <instance_attributes id="fence-pdu-b-parameters">
        <nvpair id="fence-pdu-b-parameters-ip" name="ip" value="pdu-b"/>
        <nvpair id="fence-pdu-b-parameters-community" name="community" value="private"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-b-parameters-power_wait" name="power_wait" value="1"/>
        <nvpair id="fence-pdu-b-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-pdu-b-meta">
        <nvpair id="fence-pdu-b-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-pdu-b-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-pdu-b-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-pdu-b-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-srv2" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv2-parameters">
        <nvpair id="fence-srv2-parameters-ip" name="ip" value="srv2-bmc"/>
        <nvpair id="fence-srv2-parameters-username" name="username" value="admin"/>
        <nvpair id="fence-srv2-parameters-password" name="password" value="seatrial-lab"/>
        <nvpair id="fence-srv2-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv2-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv2-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv2-parameters-pcmk_host_list" name="pcmk_host_list" value="srv2"/>
        <nvpair id="fence-srv2-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv2-parameters-power_timeout" name="power_timeout" value="10"/>
        <nvpair id="fence-srv2-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv2-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-srv2-meta">
        <nvpair id="fence-srv2-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-srv2-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-srv2-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-srv2-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <group id="data">
      <primitive id="data-service" class="ocf" type="nfs-service" provider="seatrial">
        <instance_attributes id="data-service-parameters">
          <nvpair id="data-service-parameters-volume" name="volume" value="st-data"/>
          <nvpair id="data-service-parameters-device" name="device" value="/dev/st-data/data"/>
          <nvpair id="data-service-parameters-directory" name="directory" value="/srv/nss-ha-xl/data"/>
          <nvpair id="data-service-parameters-export" name="export" value="rw,sync,root_squash,no_subtree_check"/>
          <nvpair id="data-service-parameters-clients" name="clients" value="10.10.0.0/16"/>
          <nvpair id="data-service-parameters-options" name="options" value="noatime"/>
          <nvpair id="data-service-parameters-fsid" name="fsid" value="1"/>
          <nvpair id="data-service-parameters-address" name="address" value="10.10.200.1/16"/>
          <nvpair id="data-service-parameters-interface" name="interface" value="public"/>
          <nvpair id="data-service-parameters-threads" name="threads" value="16"/>
          <nvpair id="data-service-parameters-lease" name="lease" value="10"/>
          <nvpair id="data-service-parameters-patience" name="patience" value="8"/>
          <nvpair id="data-service-parameters-scope" name="scope" value="nss-ha-xl"/>
          <nvpair id="data-service-parameters-servers" name="servers" value="srv1 srv2"/>
          <nvpair id="data-service-parameters-references" name="references" value="c1-public c2-public"/>
          <nvpair id="data-service-parameters-namespace" name="namespace" value="data"/>
        </instance_attributes>
        <operations>
          <op id="data-service-start-0" name="start" interval="0s" timeout="60s"/>
          <op id="data-service-stop-0" name="stop" interval="0s" timeout="60s" on-fail="fence"/>
          <op id="data-service-monitor-3" name="monitor" interval="3s" timeout="60s"/>
          <op id="data-service-monitor-4" name="monitor" interval="4s" timeout="68s" on-fail="fence">
          <instance_attributes id="data-service-monitor-4-depth">
            <nvpair id="data-service-monitor-4-depth-OCF_CHECK_LEVEL" name="OCF_CHECK_LEVEL" value="10"/>
          </instance_attributes>
          </op>
        </operations>
      </primitive>
    </group>
    <group id="scratch">
      <primitive id="scratch-service" class="ocf" type="nfs-service" provider="seatrial">
        <instance_attributes id="scratch-service-parameters">
          <nvpair id="scratch-service-parameters-volume" name="volume" value="st-scratch"/>
          <nvpair id="scratch-service-parameters-device" name="device" value="/dev/st-scratch/scratch"/>
          <nvpair id="scratch-service-parameters-directory" name="directory" value="/srv/nss-ha-xl/scratch"/>
          <nvpair id="scratch-service-parameters-export" name="export" value="rw,sync,root_squash,no_subtree_check"/>
          <nvpair id="scratch-service-parameters-clients" name="clients" value="10.10.0.0/16"/>
          <nvpair id="scratch-service-parameters-options" name="options" value="noatime"/>
          <nvpair id="scratch-service-parameters-fsid" name="fsid" value="2"/>
          <nvpair id="scratch-service-parameters-address" name="address" value="10.10.200.2/16"/>
          <nvpair id="scratch-service-parameters-interface" name="interface" value="public"/>
          <nvpair id="scratch-service-parameters-threads" name="threads" value="16"/>
          <nvpair id="scratch-service-parameters-lease" name="lease" value="10"/>
          <nvpair id="scratch-service-parameters-patience" name="patience" value="8"/>
          <nvpair id="scratch-service-parameters-scope" name="scope" value="nss-ha-xl"/>
          <nvpair id="scratch-service-parameters-servers" name="servers" value="srv1 srv2"/>
          <nvpair id="scratch-service-parameters-references" name="references" value="c1-public c2-public"/>
          <nvpair id="scratch-service-parameters-namespace" name="namespace" value="scratch"/>
        </instance_attributes>
        <operations>
          <op id="scratch-service-start-0" name="start" interval="0s" timeout="60s"/>
          <op id="scratch-service-stop-0" name="stop" interval="0s" timeout="60s" on-fail="fence"/>
          <op id="scratch-service-monitor-3" name="monitor" interval="3s" timeout="60s"/>
          <op id="scratch-service-monitor-4" name="monitor" interval="4s" timeout="68s" on-fail="fence">
          <instance_attributes id="scratch-service-monitor-4-depth">
            <nvpair id="scratch-service-monitor-4-depth-OCF_CHECK_LEVEL" name="OCF_CHECK_LEVEL" value="10"/>
          </instance_attributes>
          </op>
        </operations>
      </primitive>
    </group>
  </resources>
  <constraints>
    <rsc_location id="fence-srv1-elsewhere" rsc="fence-srv1" score="-INFINITY" node="srv1"/>
    <rsc_location id="fence-srv2-elsewhere" rsc="fence-srv2" score="-INFINITY" node="srv2"/>
    <rsc_order id="fence-srv1-after-data" first="data" then="fence-srv1" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-srv1-after-scratch" first="scratch" then="fence-srv1" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-a-after-data" first="data" then="fence-pdu-a" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-a-after-scratch" first="scratch" then="fence-pdu-a" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-b-after-data" first="data" then="fence-pdu-b" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-b-after-scratch" first="scratch" then="fence-pdu-b" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-srv2-after-data" first="data" then="fence-srv2" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-srv2-after-scratch" first="scratch" then="fence-srv2" kind="Optional" symmetrical="false"/>
    <rsc_location id="data-prefers" rsc="data" score="10" node="srv1"/>
    <rsc_location id="scratch-prefers" rsc="scratch" score="10" node="srv2"/>
  </constraints>
  <fencing-topology>
    <fencing-level id="fence-srv1-1" target="srv1" index="1" devices="fence-srv1"/>
    <fencing-level id="fence-srv1-2" target="srv1" index="2" devices="fence-pdu-a,fence-pdu-b"/>
    <fencing-level id="fence-srv2-1" target="srv2" index="1" devices="fence-srv2"/>
    <fencing-level id="fence-srv2-2" target="srv2" index="2" devices="fence-pdu-a,fence-pdu-b"/>
  </fencing-topology>
  <rsc_defaults>
    <meta_attributes id="rsc-options">
      <nvpair id="rsc-options-resource-stickiness" name="resource-stickiness" value="100"/>
      <nvpair id="rsc-options-migration-threshold" name="migration-threshold" value="1"/>
      <nvpair id="rsc-options-failure-timeout" name="failure-timeout" value="120s"/>
      <nvpair id="rsc-options-priority" name="priority" value="1"/>
    </meta_attributes>
  </rsc_defaults>
</configuration>
SEATRIAL
    tries=0
    until cibadmin --replace --scope configuration --xml-file /etc/seatrial/nss-ha-xl/cib.xml; do again 30 'the cluster to take its configuration'; done
}

# 2. start data, scratch
check_2() {
    crm_resource --resource data --locate 2>/dev/null | grep -q ' on: ' &&
    crm_resource --resource scratch --locate 2>/dev/null | grep -q ' on: '
}
guard_2() { :; }
apply_2() {
    tries=0
    until crm_resource --resource data --locate 2>/dev/null | grep -q ' on: ' &&
    crm_resource --resource scratch --locate 2>/dev/null | grep -q ' on: '; do again 120 'data, scratch to be started'; done
}
# (2 steps)
##### stage 10, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 10 of 11: mount
# (the preamble)

# 1. enable the mount of /mnt/nss-ha-xl/data-v3 at boot
check_1() {
    grep -qxF '10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v3 nfs vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail 0 0' /etc/fstab
}
guard_1() { :; }
apply_1() {
    if awk '$1 ~ /^#/ || $2 != "/mnt/nss-ha-xl/data-v3" || $1 == "10.10.200.1:/srv/nss-ha-xl/data/export" { next } { found = 1 } END { exit !found }' /etc/fstab; then
        while grep -q ' /mnt/nss-ha-xl/data-v3 ' /proc/mounts; do umount /mnt/nss-ha-xl/data-v3; done
    fi
    { awk '$1 ~ /^#/ || $2 != "/mnt/nss-ha-xl/data-v3"' /etc/fstab && echo '10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v3 nfs vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 2. enable the mount of /mnt/nss-ha-xl/data-v4.2 at boot
check_2() {
    grep -qxF '10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v4.2 nfs vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail 0 0' /etc/fstab
}
guard_2() { :; }
apply_2() {
    if awk '$1 ~ /^#/ || $2 != "/mnt/nss-ha-xl/data-v4.2" || $1 == "10.10.200.1:/srv/nss-ha-xl/data/export" { next } { found = 1 } END { exit !found }' /etc/fstab; then
        while grep -q ' /mnt/nss-ha-xl/data-v4.2 ' /proc/mounts; do umount /mnt/nss-ha-xl/data-v4.2; done
    fi
    { awk '$1 ~ /^#/ || $2 != "/mnt/nss-ha-xl/data-v4.2"' /etc/fstab && echo '10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v4.2 nfs vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 3. enable the mount of /mnt/nss-ha-xl/scratch-v3 at boot
check_3() {
    grep -qxF '10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v3 nfs vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail 0 0' /etc/fstab
}
guard_3() { :; }
apply_3() {
    if awk '$1 ~ /^#/ || $2 != "/mnt/nss-ha-xl/scratch-v3" || $1 == "10.10.200.2:/srv/nss-ha-xl/scratch/export" { next } { found = 1 } END { exit !found }' /etc/fstab; then
        while grep -q ' /mnt/nss-ha-xl/scratch-v3 ' /proc/mounts; do umount /mnt/nss-ha-xl/scratch-v3; done
    fi
    { awk '$1 ~ /^#/ || $2 != "/mnt/nss-ha-xl/scratch-v3"' /etc/fstab && echo '10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v3 nfs vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 4. enable the mount of /mnt/nss-ha-xl/scratch-v4.2 at boot
check_4() {
    grep -qxF '10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v4.2 nfs vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail 0 0' /etc/fstab
}
guard_4() { :; }
apply_4() {
    if awk '$1 ~ /^#/ || $2 != "/mnt/nss-ha-xl/scratch-v4.2" || $1 == "10.10.200.2:/srv/nss-ha-xl/scratch/export" { next } { found = 1 } END { exit !found }' /etc/fstab; then
        while grep -q ' /mnt/nss-ha-xl/scratch-v4.2 ' /proc/mounts; do umount /mnt/nss-ha-xl/scratch-v4.2; done
    fi
    { awk '$1 ~ /^#/ || $2 != "/mnt/nss-ha-xl/scratch-v4.2"' /etc/fstab && echo '10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v4.2 nfs vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5,_netdev,nofail 0 0'; } >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 5. mount 10.10.200.1:/srv/nss-ha-xl/data/export at /mnt/nss-ha-xl/data-v3 with vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5
check_5() {
    grep -q '^10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v3 nfs' /proc/mounts && read -r mounted </run/seatrial-mnt-nss-ha-xl-data-v3.mount && [ "$mounted" = vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5 ]
}
guard_5() { :; }
apply_5() {
    ! grep -q ' /mnt/nss-ha-xl/data-v3 ' /proc/mounts || umount /mnt/nss-ha-xl/data-v3
    mkdir -p /mnt/nss-ha-xl/data-v3
    mount -t nfs -o vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5 10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v3
    echo vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5 >/run/seatrial-mnt-nss-ha-xl-data-v3.mount
}

# 6. mount 10.10.200.1:/srv/nss-ha-xl/data/export at /mnt/nss-ha-xl/data-v4.2 with vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5
check_6() {
    grep -q '^10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v4.2 nfs' /proc/mounts && read -r mounted </run/seatrial-mnt-nss-ha-xl-data-v4.2.mount && [ "$mounted" = vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5 ]
}
guard_6() { :; }
apply_6() {
    ! grep -q ' /mnt/nss-ha-xl/data-v4.2 ' /proc/mounts || umount /mnt/nss-ha-xl/data-v4.2
    mkdir -p /mnt/nss-ha-xl/data-v4.2
    mount -t nfs -o vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5 10.10.200.1:/srv/nss-ha-xl/data/export /mnt/nss-ha-xl/data-v4.2
    echo vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5 >/run/seatrial-mnt-nss-ha-xl-data-v4.2.mount
}

# 7. mount 10.10.200.2:/srv/nss-ha-xl/scratch/export at /mnt/nss-ha-xl/scratch-v3 with vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5
check_7() {
    grep -q '^10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v3 nfs' /proc/mounts && read -r mounted </run/seatrial-mnt-nss-ha-xl-scratch-v3.mount && [ "$mounted" = vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5 ]
}
guard_7() { :; }
apply_7() {
    ! grep -q ' /mnt/nss-ha-xl/scratch-v3 ' /proc/mounts || umount /mnt/nss-ha-xl/scratch-v3
    mkdir -p /mnt/nss-ha-xl/scratch-v3
    mount -t nfs -o vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5 10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v3
    echo vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5 >/run/seatrial-mnt-nss-ha-xl-scratch-v3.mount
}

# 8. mount 10.10.200.2:/srv/nss-ha-xl/scratch/export at /mnt/nss-ha-xl/scratch-v4.2 with vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5
check_8() {
    grep -q '^10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v4.2 nfs' /proc/mounts && read -r mounted </run/seatrial-mnt-nss-ha-xl-scratch-v4.2.mount && [ "$mounted" = vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5 ]
}
guard_8() { :; }
apply_8() {
    ! grep -q ' /mnt/nss-ha-xl/scratch-v4.2 ' /proc/mounts || umount /mnt/nss-ha-xl/scratch-v4.2
    mkdir -p /mnt/nss-ha-xl/scratch-v4.2
    mount -t nfs -o vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5 10.10.200.2:/srv/nss-ha-xl/scratch/export /mnt/nss-ha-xl/scratch-v4.2
    echo vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5 >/run/seatrial-mnt-nss-ha-xl-scratch-v4.2.mount
}
# (8 steps)
##### stage 11, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 11 of 11: store volume UUIDs; install boot-time settings
# (the preamble)

# 1. write /usr/local/sbin/seatrial-nss-ha-xl-network
check_1() {
    cmp -s /usr/local/sbin/seatrial-nss-ha-xl-network - <<'SEATRIAL'
#!/bin/sh
# What nss-ha-xl has set on this node, after a boot.
bad=0
# disable NFS delegations
if ! (
[ -s /var/lib/seatrial/made/nss-ha-xl/before/leases-enable ] && [ "$(cat /proc/sys/fs/leases-enable)" = 0 ]
) >/dev/null 2>&1; then
(
set -e
(
    umask 077
    mkdir -p /var/lib/seatrial/made/nss-ha-xl/before
    [ -s /var/lib/seatrial/made/nss-ha-xl/before/leases-enable ] || { cat /var/lib/seatrial/made/*/before/leases-enable /proc/sys/fs/leases-enable 2>/dev/null | head -n 1 >/var/lib/seatrial/made/nss-ha-xl/before/leases-enable.new && mv /var/lib/seatrial/made/nss-ha-xl/before/leases-enable.new /var/lib/seatrial/made/nss-ha-xl/before/leases-enable; }
)
echo 0 >/proc/sys/fs/leases-enable
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
guard_1() { :; }
apply_1() {
    mkdir -p /usr/local/sbin
    cat >/usr/local/sbin/seatrial-nss-ha-xl-network.new <<'SEATRIAL' || { rm -f /usr/local/sbin/seatrial-nss-ha-xl-network.new; exit 1; }
#!/bin/sh
# What nss-ha-xl has set on this node, after a boot.
bad=0
# disable NFS delegations
if ! (
[ -s /var/lib/seatrial/made/nss-ha-xl/before/leases-enable ] && [ "$(cat /proc/sys/fs/leases-enable)" = 0 ]
) >/dev/null 2>&1; then
(
set -e
(
    umask 077
    mkdir -p /var/lib/seatrial/made/nss-ha-xl/before
    [ -s /var/lib/seatrial/made/nss-ha-xl/before/leases-enable ] || { cat /var/lib/seatrial/made/*/before/leases-enable /proc/sys/fs/leases-enable 2>/dev/null | head -n 1 >/var/lib/seatrial/made/nss-ha-xl/before/leases-enable.new && mv /var/lib/seatrial/made/nss-ha-xl/before/leases-enable.new /var/lib/seatrial/made/nss-ha-xl/before/leases-enable; }
)
echo 0 >/proc/sys/fs/leases-enable
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
    chmod 755 /usr/local/sbin/seatrial-nss-ha-xl-network.new
    mv /usr/local/sbin/seatrial-nss-ha-xl-network.new /usr/local/sbin/seatrial-nss-ha-xl-network
    ! systemctl -q is-active seatrial-nss-ha-xl-network || systemctl restart seatrial-nss-ha-xl-network
}

# 2. write /etc/systemd/system/seatrial-nss-ha-xl-network.service
check_2() {
    [ ! -d /run/systemd/system ] || {
    cmp -s /etc/systemd/system/seatrial-nss-ha-xl-network.service - <<'SEATRIAL'
[Unit]
Description=what nss-ha-xl has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-nss-ha-xl-network
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
    cat >/etc/systemd/system/seatrial-nss-ha-xl-network.service.new <<'SEATRIAL' || { rm -f /etc/systemd/system/seatrial-nss-ha-xl-network.service.new; exit 1; }
[Unit]
Description=what nss-ha-xl has set (network)
After=network.target network-online.target
Before=remote-fs-pre.target open-iscsi.service tgt.service nfs-server.service corosync.service
StartLimitIntervalSec=0
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/local/sbin/seatrial-nss-ha-xl-network
Restart=on-failure
RestartSec=5
[Install]
WantedBy=multi-user.target
SEATRIAL
    mv /etc/systemd/system/seatrial-nss-ha-xl-network.service.new /etc/systemd/system/seatrial-nss-ha-xl-network.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-nss-ha-xl-network.service)" = no ] || systemctl daemon-reload
    ! systemctl -q is-active seatrial-nss-ha-xl-network || systemctl restart seatrial-nss-ha-xl-network
}

# 3. install the boot-time settings of network
#    why: a fenced node must come back with the same settings
check_3() {
    [ ! -d /run/systemd/system ] || {
    systemctl -q is-active seatrial-nss-ha-xl-network && systemctl -q is-enabled seatrial-nss-ha-xl-network
    }
}
guard_3() { :; }
apply_3() {
    systemctl -q --no-reload enable seatrial-nss-ha-xl-network
    systemctl start seatrial-nss-ha-xl-network
}

# 4. remove the boot-time settings of mounts
check_4() {
    [ ! -e /etc/systemd/system/seatrial-nss-ha-xl-mounts.service ] && [ ! -e /usr/local/sbin/seatrial-nss-ha-xl-mounts ]
}
guard_4() { :; }
apply_4() {
    [ ! -e /etc/systemd/system/seatrial-nss-ha-xl-mounts.service ] || {
        systemctl -q --no-reload disable seatrial-nss-ha-xl-mounts
        systemctl stop seatrial-nss-ha-xl-mounts
        rm /etc/systemd/system/seatrial-nss-ha-xl-mounts.service
        [ "$(systemctl show --property=NeedDaemonReload --value seatrial-nss-ha-xl-mounts.service)" = no ] || systemctl daemon-reload
    }
    rm -f /usr/local/sbin/seatrial-nss-ha-xl-mounts
}
# (4 steps)
##### stage 11, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 11 of 11: store volume UUIDs; install boot-time settings
# (the preamble)

# 1. remove the boot-time settings of network and mounts
check_1() {
    [ ! -e /etc/systemd/system/seatrial-nss-ha-xl-network.service ] && [ ! -e /usr/local/sbin/seatrial-nss-ha-xl-network ] && [ ! -e /etc/systemd/system/seatrial-nss-ha-xl-mounts.service ] && [ ! -e /usr/local/sbin/seatrial-nss-ha-xl-mounts ]
}
guard_1() { :; }
apply_1() {
    [ ! -e /etc/systemd/system/seatrial-nss-ha-xl-network.service ] || {
        systemctl -q --no-reload disable seatrial-nss-ha-xl-network
        systemctl stop seatrial-nss-ha-xl-network
        rm /etc/systemd/system/seatrial-nss-ha-xl-network.service
        [ "$(systemctl show --property=NeedDaemonReload --value seatrial-nss-ha-xl-network.service)" = no ] || systemctl daemon-reload
    }
    rm -f /usr/local/sbin/seatrial-nss-ha-xl-network
    [ ! -e /etc/systemd/system/seatrial-nss-ha-xl-mounts.service ] || {
        systemctl -q --no-reload disable seatrial-nss-ha-xl-mounts
        systemctl stop seatrial-nss-ha-xl-mounts
        rm /etc/systemd/system/seatrial-nss-ha-xl-mounts.service
        [ "$(systemctl show --property=NeedDaemonReload --value seatrial-nss-ha-xl-mounts.service)" = no ] || systemctl daemon-reload
    }
    rm -f /usr/local/sbin/seatrial-nss-ha-xl-mounts
}
# (1 steps)
##### stage 11, array #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 11 of 11: store volume UUIDs; install boot-time settings
# (the preamble)

# (volumes.sh)
# 1. store the UUIDs of created volumes
check_1() {
    volumes_are_noted /var/lib/seatrial/made/nss-ha-xl/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
}
guard_1() { :; }
apply_1() {
    note_volumes /var/lib/seatrial/made/nss-ha-xl/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
}

# 2. remove the boot-time settings of network and mounts
check_2() {
    [ ! -e /etc/systemd/system/seatrial-nss-ha-xl-network.service ] && [ ! -e /usr/local/sbin/seatrial-nss-ha-xl-network ] && [ ! -e /etc/systemd/system/seatrial-nss-ha-xl-mounts.service ] && [ ! -e /usr/local/sbin/seatrial-nss-ha-xl-mounts ]
}
guard_2() { :; }
apply_2() {
    [ ! -e /etc/systemd/system/seatrial-nss-ha-xl-network.service ] || {
        systemctl -q --no-reload disable seatrial-nss-ha-xl-network
        systemctl stop seatrial-nss-ha-xl-network
        rm /etc/systemd/system/seatrial-nss-ha-xl-network.service
        [ "$(systemctl show --property=NeedDaemonReload --value seatrial-nss-ha-xl-network.service)" = no ] || systemctl daemon-reload
    }
    rm -f /usr/local/sbin/seatrial-nss-ha-xl-network
    [ ! -e /etc/systemd/system/seatrial-nss-ha-xl-mounts.service ] || {
        systemctl -q --no-reload disable seatrial-nss-ha-xl-mounts
        systemctl stop seatrial-nss-ha-xl-mounts
        rm /etc/systemd/system/seatrial-nss-ha-xl-mounts.service
        [ "$(systemctl show --property=NeedDaemonReload --value seatrial-nss-ha-xl-mounts.service)" = no ] || systemctl daemon-reload
    }
    rm -f /usr/local/sbin/seatrial-nss-ha-xl-mounts
}
# (2 steps)
