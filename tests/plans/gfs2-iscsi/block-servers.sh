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
apply_4() { refuse; }
# (4 steps)
##### stage 1, a[1-2] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 1 of 13: preflight check (read-only)
# (the preamble)

# (sh/: md_is)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (2)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block

# 3. refuse another cluster
check_3() {
    set +e
    no_other_cluster gpfs-nsd-block gpfs-nsd-block
}
apply_3() { refuse; }

# 4. (steps.sh) refuse a disk that is used twice (2)

# 5. refuse disks that are in use: create array gpfs-nsd-block: RAID 5
check_5() {
    set +e
    (
    md_is gpfs-nsd-block 5 5 65536
    ) >/dev/null 2>&1 && is_deployed gpfs-nsd-block /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf && exit 0
    look_disks gpfs-nsd-block any:gpfs-nsd-block '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
}
apply_5() { refuse; }
# (5 steps)
##### stage 2, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 2 of 13: mark
# (the preamble)

# (sh/: installed_packages)
# (backups.sh)
# 1. mark this node for gpfs-nsd-block
check_1() { [ -e /var/lib/seatrial/made/gpfs-nsd-block/mark ]; }
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
apply_2() {
    keep_units /var/lib/seatrial/made/gpfs-nsd-block/before/units open-iscsi.service iscsid.service multipathd.service corosync.service dlm.service lvmlockd.service
}
# (2 steps)
##### stage 2, bs[1-2] #####
as on c[1-4], but for:
@@ -18 +18 @@
+# 2. store the state of open-iscsi, iscsid, tgt
@@ -20 +20 @@
+    units_are_kept /var/lib/seatrial/made/gpfs-nsd-block/before/units open-iscsi.service iscsid.service tgt.service
@@ -23 +23 @@
+    keep_units /var/lib/seatrial/made/gpfs-nsd-block/before/units open-iscsi.service iscsid.service tgt.service
##### stage 2, a[1-2] #####
as on c[1-4], but for:
@@ -18,7 +18,3 @@
+# 2. store the state of tgt
+check_2() { units_are_kept /var/lib/seatrial/made/gpfs-nsd-block/before/units tgt.service; }
+apply_2() { keep_units /var/lib/seatrial/made/gpfs-nsd-block/before/units tgt.service; }
##### stage 3, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 3 of 13: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. install corosync, dlm_controld, lvmlockd, mkfs.gfs2, iscsiadm, parted, fence_ipmilan
check_1() { have_commands corosync dlm_controld lvmlockd mkfs.gfs2 iscsiadm parted fence_ipmilan; }
apply_1() {
    note_installed /var/lib/seatrial/made/gpfs-nsd-block/packages
    install_packages 'corosync dlm-controld fence-agents gfs2-utils lvm2-lockd open-iscsi parted' 'corosync dlm-controld fence-agents gfs2-utils lvm2-lockd open-iscsi parted'
}
# (1 steps)
##### stage 4, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 4 of 13: network
# (the preamble)

# (sh/: link_to mtu_is set_mtu set_mtu_of)
# 1. set MTU 9000 on the link to bs1-storage
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_1() { mtu_is 9000 ahostsv4 bs1-storage; }
apply_1() { set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-block/before ahostsv4 bs1-storage; }
# (1 steps)
##### stage 4, bs[1-2] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 4 of 13: network
# (the preamble)

# (sh/: link_to mtu_is set_mtu set_mtu_of)
# 1. set MTU 9000 on the link to c1-storage
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_1() { mtu_is 9000 ahostsv4 c1-storage; }
apply_1() { set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-block/before ahostsv4 c1-storage; }

# 2. set MTU 9000 on the link to a1-arrays
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_2() { mtu_is 9000 ahostsv4 a1-arrays; }
apply_2() { set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-block/before ahostsv4 a1-arrays; }
# (2 steps)
##### stage 4, a[1-2] #####
as on c[1-4], but for:
@@ -7 +7 @@
+# 1. set MTU 9000 on the link to bs1-arrays
@@ -9,2 +9,2 @@
+check_1() { mtu_is 9000 ahostsv4 bs1-arrays; }
+apply_1() { set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-block/before ahostsv4 bs1-arrays; }
##### stage 5, a1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 5 of 13: members
# (the preamble)

# (sh/: md_is md_is_idle assemble_md settle_md file_is write_file store_version have_commands install_packages note_installed installed_packages keep_packages note_packages reread_unit)
# (volumes.sh)
# 1. assemble the existing array gpfs-nsd-block
check_1() { ! { md_is_idle gpfs-nsd-block /dev/ubdb; }; }
apply_1() {
    assemble_md gpfs-nsd-block /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
    settle_md gpfs-nsd-block
}

# 2. create array gpfs-nsd-block: RAID 5
#    why: the new devices hold zeros, so parity is consistent without an initial resync
check_2() { md_is gpfs-nsd-block 5 5 65536; }
guard_2() {
    all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
    expect_volumes /var/lib/seatrial/made/gpfs-nsd-block/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
}
apply_2() {
    modprobe raid456 || true
    pids=
    mdadm --create /dev/md/gpfs-nsd-block --run --metadata=1.2 --homehost=any --name=gpfs-nsd-block --level=5 \
        --raid-devices=5 --chunk=64 --assume-clean /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    settle_md gpfs-nsd-block
}

# 3. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf

# 4. enable the assembly of the array at boot
content_4() { cat <<'SEATRIAL'
ARRAY /dev/md/gpfs-nsd-block metadata=1.2 name=any:gpfs-nsd-block
SEATRIAL
}
check_4() { content | file_is /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf; }
apply_4() { content | write_file /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf; }

# 5. install tgtd, mdadm, vgcreate
check_5() { have_commands tgtd mdadm vgcreate; }
apply_5() {
    note_installed /var/lib/seatrial/made/gpfs-nsd-block/packages
    install_packages 'lvm2 mdadm tgt' 'lvm2 mdadm tgt'
}

# 6. split /dev/md/gpfs-nsd-block into 2 volumes
check_6() {
    vgs --noheadings -o tags seatrial-group 2>/dev/null | grep -q seatrial-made && [ "$(readlink -f /dev/md/gpfs-nsd-block)" = "$(readlink -f $(pvs --noheadings -o pv_name -S vg_name=seatrial-group))" ]
}
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
content_8() { cat <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
check_8() { content | file_is /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap; }
apply_8() { content | write_file /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap 600; }

# 9. (steps.sh) install the script that configures the targets

# 10. configure 2 targets and the permitted initiators
content_10() { cat <<'SEATRIAL'
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
check_10() { content | file_is /etc/tgt/seatrial-gpfs-nsd-block.targets; }
apply_10() { content | write_file /etc/tgt/seatrial-gpfs-nsd-block.targets; }

# 11. start the iSCSI target after the array at boot
#    why: a target that starts before its array offers nothing; a login cut off by an incomplete target may never be recovered by iscsid (open-iscsi, issue 387)
content_11() { cat <<'SEATRIAL'
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
check_11() { content | file_is /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf; }
apply_11() {
    content | write_file /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf
    reread_unit tgt.service
    ! systemctl -q is-active tgt || [ -n "$(tgtadm --lld iscsi --mode target --op show)" ] || systemctl stop tgt
}

# 12. start the iSCSI target
check_12() {
    systemctl -q is-active tgt && systemctl -q is-enabled tgt && /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gpfs-nsd-block.targets check
}
apply_12() {
    systemctl -q is-enabled tgt || systemctl -q --no-reload enable tgt
    systemctl start tgt
    /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gpfs-nsd-block.targets
}
# (12 steps)
##### stage 5, a2 #####
as on a1, but for:
@@ -76,2 +76,2 @@
+target 1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1
+lun 1 1 /dev/seatrial-group/shared1 60950c44edb58f12 VOLUME
@@ -81,2 +81,2 @@
+target 2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2
+lun 2 1 /dev/seatrial-group/shared2 3ac8979a2c836660 VOLUME
@@ -86 +86 @@
+portal a2-arrays 3260
##### stage 6, bs1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 6 of 13: block servers
# (the preamble)

# (sh/: file_is write_file back_up_file store_version have_commands install_packages note_installed installed_packages keep_packages note_packages units_are reread_unit restart_if_active unit_runs start_unit)
# (iscsi_initiator.sh)
# 1. install iscsiadm, tgtd
check_1() { have_commands iscsiadm tgtd; }
apply_1() {
    note_installed /var/lib/seatrial/made/gpfs-nsd-block/packages
    install_packages 'open-iscsi tgt' 'open-iscsi tgt'
}

# 2. write /etc/iscsi/initiatorname.iscsi
content_2() { cat <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.bs1
SEATRIAL
}
check_2() { content | file_is /etc/iscsi/initiatorname.iscsi; }
apply_2() {
    back_up_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi
    content | write_file /etc/iscsi/initiatorname.iscsi '' /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi
}

# 3. (steps.sh) write /etc/modules-load.d/seatrial-storage.conf

# 4. bind iSCSI sessions to arrays
#    why: data must not use another network of the node, whatever its routes are
check_4() { grep -qx 'iface.net_ifacename = arrays' /etc/iscsi/ifaces/seatrial-gpfs-nsd-block; }
apply_4() {
    systemctl start iscsid
    iscsiadm -m iface -I seatrial-gpfs-nsd-block -o new
    iscsiadm -m iface -I seatrial-gpfs-nsd-block -o update -n iface.net_ifacename -v arrays
}

# 5. store the iSCSI secret, readable by root only
#    why: otherwise any host on the storage network could read and write the volumes
content_5() { cat <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
check_5() { content | file_is /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap; }
apply_5() { content | write_file /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap 600; }

# 6. configure iSCSI sessions and their account
content_6() { cat <<'SEATRIAL'
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
check_6() { content | file_is /etc/iscsi/seatrial-gpfs-nsd-block; }
apply_6() { content | write_file /etc/iscsi/seatrial-gpfs-nsd-block 600; }

# 7. discover 4 iSCSI targets at a1-arrays a2-arrays
check_7() {
    iscsi_known /etc/iscsi/seatrial-gpfs-nsd-block 1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2
}
apply_7() {
    systemctl start iscsid
    for portal in a1-arrays a2-arrays; do
        iscsiadm -m discovery -t sendtargets -p $portal:3260 -I seatrial-gpfs-nsd-block
    done
    iscsi_set /etc/iscsi/seatrial-gpfs-nsd-block iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2
}

# 8. log in to 4 iSCSI sessions and enable them at boot
check_8() {
    units_are active iscsid && units_are enabled open-iscsi &&
    iscsi_sessions 1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2 &&
    [ -b /dev/disk/by-id/scsi-36000000000000000322ee30896f7c17f ] && [ -b /dev/disk/by-id/scsi-360000000000000003b3def4f072fb5fe ] && [ -b /dev/disk/by-id/scsi-3600000000000000060950c44edb58f12 ] && [ -b /dev/disk/by-id/scsi-360000000000000003ac8979a2c836660 ]
}
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
apply_9() {
    for device in /dev/disk/by-id/scsi-36000000000000000322ee30896f7c17f /dev/disk/by-id/scsi-360000000000000003b3def4f072fb5fe /dev/disk/by-id/scsi-3600000000000000060950c44edb58f12 /dev/disk/by-id/scsi-360000000000000003ac8979a2c836660; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        echo 1 >$disk/rescan
    done
}

# 10. install the monitor for lost arrays
#    why: a write that waits here could overwrite newer data written by the other server
content_10() { cat <<'SEATRIAL'
#!/bin/bash
# Resets this server at once, without writing anything back, if a session to one of these arrays has
# been down for 5 s.
exec {never}<> <(:)
declare -A down
while true; do
    read -r -t 1 -u "$never"
    for session in /sys/class/iscsi_session/session*; do
        {
            read -r target <"$session/targetname" && [[ $target = iqn.2026-01.org.seatrial:gpfs-nsd-block:* ]] && read -r state <"$session/state"
        } 2>/dev/null || continue
        # A session that is logged out on purpose is FREE.
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
check_10() { content | file_is /usr/local/sbin/seatrial-lost-array; }
apply_10() {
    content | write_file /usr/local/sbin/seatrial-lost-array 755
    restart_if_active seatrial-lost-array
}

# 11. write /etc/systemd/system/seatrial-lost-array.service
content_11() { cat <<'SEATRIAL'
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
check_11() { content | file_is /etc/systemd/system/seatrial-lost-array.service; }
apply_11() {
    content | write_file /etc/systemd/system/seatrial-lost-array.service
    reread_unit seatrial-lost-array.service
    restart_if_active seatrial-lost-array
}

# 12. start the monitor for lost arrays
check_12() { unit_runs seatrial-lost-array; }
apply_12() { start_unit seatrial-lost-array; }

# 13. (steps.sh) set the socket buffers of the iSCSI target

# 14. store the iSCSI secret, readable by root only
#    why: otherwise any host on the storage network could read and write the volumes
content_14() { cat <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
check_14() { content | file_is /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap; }
apply_14() { content | write_file /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap 600; }

# 15. (steps.sh) install the script that configures the targets

# 16. configure 4 targets and the permitted initiators
content_16() { cat <<'SEATRIAL'
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
check_16() { content | file_is /etc/tgt/seatrial-gpfs-nsd-block.targets; }
apply_16() { content | write_file /etc/tgt/seatrial-gpfs-nsd-block.targets; }

# 17. start the iSCSI target after the array at boot
#    why: a target that starts before its array offers nothing; a login cut off by an incomplete target may never be recovered by iscsid (open-iscsi, issue 387)
content_17() { cat <<'SEATRIAL'
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
check_17() { content | file_is /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf; }
apply_17() {
    content | write_file /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf
    reread_unit tgt.service
    ! systemctl -q is-active tgt || [ -n "$(tgtadm --lld iscsi --mode target --op show)" ] || systemctl stop tgt
}

# 18. start the iSCSI target
check_18() {
    systemctl -q is-active tgt && systemctl -q is-enabled tgt && /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gpfs-nsd-block.targets check
}
apply_18() {
    systemctl -q is-enabled tgt || systemctl -q --no-reload enable tgt
    systemctl start tgt
    /usr/local/sbin/seatrial-targets /etc/tgt/seatrial-gpfs-nsd-block.targets
}
# (18 steps)
##### stage 6, bs2 #####
as on bs1, but for:
@@ -17 +17 @@
+InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.bs2
@@ -175 +175 @@
+lun 1 1 /dev/disk/by-id/scsi-36000000000000000322ee30896f7c17f 322ee30896f7c17f VOLUME 322ee30896f7c17fb direct
@@ -182 +182 @@
+lun 2 1 /dev/disk/by-id/scsi-360000000000000003b3def4f072fb5fe 3b3def4f072fb5fe VOLUME 3b3def4f072fb5fea direct
@@ -189 +189 @@
+lun 3 1 /dev/disk/by-id/scsi-3600000000000000060950c44edb58f12 60950c44edb58f12 VOLUME 60950c44edb58f12b direct
@@ -196 +196 @@
+lun 4 1 /dev/disk/by-id/scsi-360000000000000003ac8979a2c836660 3ac8979a2c836660 VOLUME 3ac8979a2c836660a direct
@@ -202 +202 @@
+portal bs2-storage 3260
##### stage 7, c1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 7 of 13: sessions
# (the preamble)

# (sh/: file_is write_file back_up_file store_version have_commands install_packages note_installed installed_packages keep_packages note_packages units_are reread_unit restart_if_active unit_runs start_unit)
# (iscsi_initiator.sh)
# 1. install iscsiadm, multipath
check_1() { have_commands iscsiadm multipath; }
apply_1() {
    note_installed /var/lib/seatrial/made/gpfs-nsd-block/packages
    install_packages 'multipath-tools open-iscsi' 'multipath-tools open-iscsi'
}

# 2. write /etc/iscsi/initiatorname.iscsi
content_2() { cat <<'SEATRIAL'
InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.c1
SEATRIAL
}
check_2() { content | file_is /etc/iscsi/initiatorname.iscsi; }
apply_2() {
    back_up_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi
    content | write_file /etc/iscsi/initiatorname.iscsi '' /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi
}

# 3. write /etc/modules-load.d/seatrial-storage.conf
content_3() { cat <<'SEATRIAL'
iscsi_tcp
sd_mod
dm_multipath
dm_round_robin
SEATRIAL
}
check_3() { content | file_is /etc/modules-load.d/seatrial-storage.conf; }
apply_3() {
    content | write_file /etc/modules-load.d/seatrial-storage.conf
    for module in iscsi_tcp sd_mod dm_multipath dm_round_robin; do modprobe $module || true; done
}

# 4. configure multipath, with the primary server first
#    why: without a path commands wait: an error would make the file system withdraw
content_4() { cat <<'SEATRIAL'
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
check_4() { content | file_is /etc/multipath.conf; }
apply_4() {
    back_up_file /etc/multipath.conf /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf
    content | write_file /etc/multipath.conf '' /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf
    ! systemctl -q is-active multipathd || multipathd reconfigure
}

# 5. bind iSCSI sessions to storage
#    why: data must not use another network of the node, whatever its routes are
check_5() { grep -qx 'iface.net_ifacename = storage' /etc/iscsi/ifaces/seatrial-gpfs-nsd-block; }
apply_5() {
    systemctl start iscsid
    iscsiadm -m iface -I seatrial-gpfs-nsd-block -o new
    iscsiadm -m iface -I seatrial-gpfs-nsd-block -o update -n iface.net_ifacename -v storage
}

# 6. store the iSCSI secret, readable by root only
#    why: otherwise any host on the storage network could read and write the volumes
content_6() { cat <<'SEATRIAL'
@generated:iscsi-chap@
SEATRIAL
}
check_6() { content | file_is /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap; }
apply_6() { content | write_file /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap 600; }

# 7. configure iSCSI sessions and their account
content_7() { cat <<'SEATRIAL'
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
check_7() { content | file_is /etc/iscsi/seatrial-gpfs-nsd-block; }
apply_7() { content | write_file /etc/iscsi/seatrial-gpfs-nsd-block 600; }

# 8. discover 4 iSCSI targets at bs1-storage bs2-storage
check_8() {
    iscsi_known /etc/iscsi/seatrial-gpfs-nsd-block 2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2
}
apply_8() {
    systemctl start iscsid
    for portal in bs1-storage bs2-storage; do
        iscsiadm -m discovery -t sendtargets -p $portal:3260 -I seatrial-gpfs-nsd-block
    done
    iscsi_set /etc/iscsi/seatrial-gpfs-nsd-block iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2
}

# 9. log in to 8 iSCSI sessions and enable them at boot
check_9() {
    units_are active iscsid multipathd && units_are enabled open-iscsi &&
    iscsi_sessions 2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a1:shared2 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared1 iqn.2026-01.org.seatrial:gpfs-nsd-block:a2:shared2 &&
    [ -b /dev/mapper/gpfs-nsd-block-a1-shared1 ] && [ -b /dev/mapper/gpfs-nsd-block-a1-shared2 ] && [ -b /dev/mapper/gpfs-nsd-block-a2-shared1 ] && [ -b /dev/mapper/gpfs-nsd-block-a2-shared2 ]
}
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
content_10() { cat <<'SEATRIAL'
#!/bin/bash
# Restarts iscsid if a session of this array has been down for 10 s although its portal
# accepts connections.
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
            # A session to an unreachable portal is not stuck.
            true <>"/dev/tcp/$address/$port" || down[$session]=-2
        } 2>/dev/null
        down[$session]=$((${down[$session]:-0} + 2))
        if [ "${down[$session]}" -ge 10 ]; then
            echo "seatrial-stuck-sessions: iscsid no longer logs in at $address; it is restarted"
            systemctl restart iscsid
            down=()
            read -r -t 10 -u "$never"
            break
        fi
    done
done
SEATRIAL
}
check_10() { content | file_is /usr/local/sbin/seatrial-stuck-sessions; }
apply_10() {
    content | write_file /usr/local/sbin/seatrial-stuck-sessions 755
    restart_if_active seatrial-stuck-sessions
}

# 11. (steps.sh) write /etc/systemd/system/seatrial-stuck-sessions.service

# 12. (steps.sh) start the monitor for stuck iSCSI sessions
# (12 steps)
##### stage 7, c2 #####
as on c1, but for:
@@ -17 +17 @@
+InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.c2
##### stage 7, c3 #####
as on c1, but for:
@@ -17 +17 @@
+InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.c3
##### stage 7, c4 #####
as on c1, but for:
@@ -17 +17 @@
+InitiatorName=iqn.2026-01.org.seatrial:gpfs-nsd-block.c4
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: GFS2 on 2 iSCSI array members served by 2 block servers, shared by 4 nodes
# stage 8 of 13: cluster
# (the preamble)

# (sh/: file_is write_file back_up_file store_version set_line reread_unit)
# 1. configure the fencing of each node
#    why: a lost node may still write: its locks stay held, and other nodes wait, until its power is known to be off
content_1() { cat <<'SEATRIAL'
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
check_1() { content | file_is /etc/dlm/dlm.conf; }
apply_1() {
    content | write_file /etc/dlm/dlm.conf 600
    ! systemctl -q is-active dlm || dlm_tool reload_config
}

# 2. (steps.sh) start the lock manager after quorum

# 3. enable lvmlockd in LVM
#    why: the volume group is shared: two nodes must not change it at the same time
check_3() { lvmconfig --type full global/use_lvmlockd | grep -q '1'; }
apply_3() {
    set_line /etc/lvm/lvm.conf /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf use_lvmlockd 1
}

# 4. store the corosync key, readable by root only
content_4() { cat <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
check_4() { content | file_is /var/lib/seatrial/made/gpfs-nsd-block/corosync-key; }
apply_4() { content | write_file /var/lib/seatrial/made/gpfs-nsd-block/corosync-key 600; }

# 5. enable encryption of corosync
#    why: otherwise any host on the network could join the cluster and have members fenced
content_5() { cat <<'SEATRIAL'
@generated:corosync-key@
SEATRIAL
}
check_5() { content | file_is /etc/corosync/authkey; }
apply_5() {
    back_up_file /etc/corosync/authkey /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey
    content | write_file /etc/corosync/authkey 400 /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey
}

# 6. configure the members and links of corosync
content_6() { cat <<'SEATRIAL'
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
check_6() { content | file_is /etc/corosync/corosync.conf; }
apply_6() {
    back_up_file /etc/corosync/corosync.conf /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf
    content | write_file /etc/corosync/corosync.conf '' /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf
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
check_1() { grep -qx 65ddd925722f89e8 /run/seatrial-gpfs-nsd-block.fencing; }
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

# (sh/: units_are)
# 1. (steps.sh) join the cluster and enable it at boot

# 2. wait for all members
check_2() { [ "$(corosync-quorumtool -s 2>/dev/null | sed -n "s/^Total votes: *//p")" = 4 ]; }
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
check_1() { vgs --noheadings -o tags st-gpfs-nsd-block 2>/dev/null | grep -q seatrial-made; }
guard_1() {
    all_must_be_blank /dev/mapper/gpfs-nsd-block-a1-shared1 /dev/mapper/gpfs-nsd-block-a1-shared2 /dev/mapper/gpfs-nsd-block-a2-shared1 /dev/mapper/gpfs-nsd-block-a2-shared2
}
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

# (sh/: file_is write_file store_version reread_unit)
# 1. install the unit that mounts the file system
content_1() { cat <<'SEATRIAL'
#!/bin/sh
# Activates the lock space, the volume and the file system, or stops them in the opposite order.
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
check_1() { content | file_is /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block; }
apply_1() { content | write_file /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block 755; }

# 2. write /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
content_2() { cat <<'SEATRIAL'
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
check_2() { content | file_is /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service; }
apply_2() {
    content | write_file /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
    reread_unit seatrial-gfs2-gpfs-nsd-block.service
}

# 3. mount the file system at /mnt/gpfs-nsd-block and enable it at boot
check_3() {
    systemctl -q is-enabled seatrial-gfs2-gpfs-nsd-block.service && grep -q ' /mnt/gpfs-nsd-block gfs2 ' /proc/mounts &&
    grep -qx 'noatime' /run/seatrial-gpfs-nsd-block.mounted
}
apply_3() {
    systemctl -q --no-reload enable seatrial-gfs2-gpfs-nsd-block.service
    systemctl restart seatrial-gfs2-gpfs-nsd-block.service
}

# 4. restore the read-ahead of the volume
check_4() { [ ! -e /run/seatrial-gpfs-nsd-block.readahead ]; }
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

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. write /usr/local/sbin/seatrial-gpfs-nsd-block-network
content_1() { cat <<'SEATRIAL'
#!/bin/sh
# What gpfs-nsd-block has set on this node, after a boot.
# (sh/: link_to)
# (sh/: mtu_is)
# (sh/: set_mtu)
# (sh/: set_mtu_of)
bad=0
# set MTU 9000 on the link to bs1-storage
if ! (
mtu_is 9000 ahostsv4 bs1-storage
) >/dev/null 2>&1; then
(
set -e
set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-block/before ahostsv4 bs1-storage
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_1() { content | file_is /usr/local/sbin/seatrial-gpfs-nsd-block-network; }
apply_1() {
    content | write_file /usr/local/sbin/seatrial-gpfs-nsd-block-network 755
    restart_if_active seatrial-gpfs-nsd-block-network
}

# 2. write /etc/systemd/system/seatrial-gpfs-nsd-block-network.service
content_2() { cat <<'SEATRIAL'
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
check_2() {
    without_systemd || content | file_is /etc/systemd/system/seatrial-gpfs-nsd-block-network.service
}
apply_2() {
    content | write_file /etc/systemd/system/seatrial-gpfs-nsd-block-network.service
    reread_unit seatrial-gpfs-nsd-block-network.service
    restart_if_active seatrial-gpfs-nsd-block-network
}

# 3. install the boot-time settings of network
#    why: a fenced node must come back with the same settings
check_3() { without_systemd || unit_runs seatrial-gpfs-nsd-block-network; }
apply_3() { start_unit seatrial-gpfs-nsd-block-network; }

# 4. remove the boot-time settings of mounts
check_4() {
    no_file /etc/systemd/system/seatrial-gpfs-nsd-block-mounts.service /usr/local/sbin/seatrial-gpfs-nsd-block-mounts
}
apply_4() {
    remove_unit seatrial-gpfs-nsd-block-mounts /etc/systemd/system/seatrial-gpfs-nsd-block-mounts.service
    rm -f /usr/local/sbin/seatrial-gpfs-nsd-block-mounts
}
# (4 steps)
##### stage 13, bs[1-2] #####
as on c[1-4], but for:
@@ -16 +16 @@
+# set MTU 9000 on the link to c1-storage
@@ -18 +18 @@
+mtu_is 9000 ahostsv4 c1-storage
@@ -22 +22,11 @@
+set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-block/before ahostsv4 c1-storage
+)
+[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
+fi
+# set MTU 9000 on the link to a1-arrays
+if ! (
+mtu_is 9000 ahostsv4 a1-arrays
+) >/dev/null 2>&1; then
+(
+set -e
+set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-block/before ahostsv4 a1-arrays
##### stage 13, a[1-2] #####
as on c[1-4], but for:
@@ -7,2 +7,11 @@
+# (volumes.sh)
+# 1. store the UUIDs of created volumes
+check_1() {
+    volumes_are_noted /var/lib/seatrial/made/gpfs-nsd-block/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
+}
+apply_1() {
+    note_volumes /var/lib/seatrial/made/gpfs-nsd-block/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
+}
+
+# 2. write /usr/local/sbin/seatrial-gpfs-nsd-block-network
+content_2() { cat <<'SEATRIAL'
@@ -16 +25 @@
+# set MTU 9000 on the link to bs1-arrays
@@ -18 +27 @@
+mtu_is 9000 ahostsv4 bs1-arrays
@@ -22 +31 @@
+set_mtu 9000 /var/lib/seatrial/made/gpfs-nsd-block/before ahostsv4 bs1-arrays
@@ -29,2 +38,2 @@
+check_2() { content | file_is /usr/local/sbin/seatrial-gpfs-nsd-block-network; }
+apply_2() {
@@ -35,2 +44,2 @@
+# 3. write /etc/systemd/system/seatrial-gpfs-nsd-block-network.service
+content_3() { cat <<'SEATRIAL'
@@ -52 +61 @@
+check_3() {
@@ -55 +64 @@
+apply_3() {
@@ -61 +70 @@
+# 4. install the boot-time settings of network
@@ -63,2 +72,2 @@
+check_4() { without_systemd || unit_runs seatrial-gpfs-nsd-block-network; }
+apply_4() { start_unit seatrial-gpfs-nsd-block-network; }
@@ -66,2 +75,2 @@
+# 5. remove the boot-time settings of mounts
+check_5() {
@@ -70 +79 @@
+apply_5() {
@@ -74 +83 @@
+# (5 steps)
