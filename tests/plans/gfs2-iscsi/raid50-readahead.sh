##### stage 1, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (3)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic

# 3. (steps.sh) refuse another cluster: gfs-equallogic

# 4. (steps.sh) refuse an occupied mount point: /mnt/gfs-equallogic
# (4 steps)
##### stage 1, ps1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (sh/: md_is)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (3)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic

# 3. (steps.sh) refuse another cluster (2)

# 4. refuse a disk that is used twice
check_4() {
    set +e
    look_twice /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi
}
apply_4() { refuse; }

# 5. refuse disks that are in use: create array gfs-equallogic-s0, gfs-equallogic-s1: RAID 5
check_5() {
    set +e
    (
    md_is gfs-equallogic-s0 5 3 65536 &&
    md_is gfs-equallogic-s1 5 3 65536
    ) >/dev/null 2>&1 && is_deployed gfs-equallogic /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi && exit 0
    look_disks gfs-equallogic 'any:gfs-equallogic-s0 any:gfs-equallogic-s1' '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi
}
apply_5() { refuse; }

# 6. refuse volumes of another owner on /dev/md/gfs-equallogic-s0, /dev/md/gfs-equallogic-s1
check_6() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/md/gfs-equallogic-s0 /dev/md/gfs-equallogic-s1
}
apply_6() { refuse; }
# (6 steps)
##### stage 1, ps3 #####
as on c[1-6], but for:
@@ -9,6 +9,2 @@
+# 2. (steps.sh) refuse another cluster (2)
+# (2 steps)
##### stage 2, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 2 of 12: mark
# (the preamble)

# (sh/: installed_packages)
# (backups.sh)
# 1. (steps.sh) mark this node for gfs-equallogic

# 2. (steps.sh) store the state of open-iscsi, iscsid, corosync, dlm, lvmlockd
# (2 steps)
##### stage 2, ps1 #####
as on c[1-6], but for:
@@ -10 +10 @@
+# 2. (steps.sh) store the state of tgt
##### stage 2, ps3 #####
as on c[1-6], but for:
@@ -6,2 +5,0 @@
@@ -9,3 +7 @@
+# (1 steps)
##### stage 3, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 3 of 12: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install corosync, dlm_controld, lvmlockd, mkfs.gfs2, iscsiadm, parted, fence_ipmilan
# (1 steps)
##### stage 4, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 4 of 12: network
# (the preamble)

# (sh/: link_to mtu_is set_mtu set_mtu_of)
# 1. (steps.sh) set MTU 9000 on the link to ps1-storage
# (1 steps)
##### stage 4, ps1 #####
as on c[1-6], but for:
@@ -7 +7 @@
+# 1. (steps.sh) set MTU 9000 on the link to c1-storage
##### stage 5, ps1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 5 of 12: members
# (the preamble)

# (sh/: md_is md_is_idle assemble_md settle_md file_is write_file store_version have_commands install_packages note_installed installed_packages keep_packages note_packages reread_unit)
# (volumes.sh)
# 1. assemble the existing array gfs-equallogic-s0, gfs-equallogic-s1
check_1() {
    ! { md_is_idle gfs-equallogic-s0 /dev/ubdb ||
    md_is_idle gfs-equallogic-s1 /dev/ubde; }
}
apply_1() {
    assemble_md gfs-equallogic-s0 /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh
    assemble_md gfs-equallogic-s1 /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi
    settle_md gfs-equallogic-s0 gfs-equallogic-s1
}

# 2. create array gfs-equallogic-s0, gfs-equallogic-s1: RAID 5
#    why: the new devices hold zeros, so parity is consistent without an initial resync
check_2() {
    md_is gfs-equallogic-s0 5 3 65536 &&
    md_is gfs-equallogic-s1 5 3 65536
}
guard_2() {
    all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi
    expect_volumes /var/lib/seatrial/made/gfs-equallogic/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi
}
apply_2() {
    modprobe raid456 || true
    pids=
    mdadm --create /dev/md/gfs-equallogic-s0 --run --metadata=1.2 --homehost=any --name=gfs-equallogic-s0 --level=5 \
        --raid-devices=3 --spare-devices=1 --chunk=64 --assume-clean /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh & pids="$pids $!"
    mdadm --create /dev/md/gfs-equallogic-s1 --run --metadata=1.2 --homehost=any --name=gfs-equallogic-s1 --level=5 \
        --raid-devices=3 --spare-devices=1 --chunk=64 --assume-clean /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    settle_md gfs-equallogic-s0 gfs-equallogic-s1
}

# 3. refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubdh, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdi
check_3() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi
}
apply_3() { refuse; }

# 4. assemble the existing array gfs-equallogic
check_4() { ! { md_is_idle gfs-equallogic /dev/md/gfs-equallogic-s0; }; }
apply_4() {
    assemble_md gfs-equallogic /dev/md/gfs-equallogic-s0 /dev/md/gfs-equallogic-s1
    settle_md gfs-equallogic
}

# 5. create array gfs-equallogic: RAID 0
#    why: an upper chunk is a full stripe of a span: large writes need no read-modify-write
check_5() { md_is gfs-equallogic 0 2 131072; }
guard_5() {
    all_must_be_blank /dev/md/gfs-equallogic-s0 /dev/md/gfs-equallogic-s1
    expect_volumes /var/lib/seatrial/made/gfs-equallogic/volumes /dev/md/gfs-equallogic-s0 /dev/md/gfs-equallogic-s1
}
apply_5() {
    modprobe raid0 || true
    pids=
    mdadm --create /dev/md/gfs-equallogic --run --metadata=1.2 --homehost=any --name=gfs-equallogic --level=0 \
        --raid-devices=2 --chunk=128 /dev/md/gfs-equallogic-s0 /dev/md/gfs-equallogic-s1 & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    settle_md gfs-equallogic
}

# 6. refuse volumes of another owner on /dev/md/gfs-equallogic-s0, /dev/md/gfs-equallogic-s1
check_6() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/md/gfs-equallogic-s0 /dev/md/gfs-equallogic-s1
}
apply_6() { refuse; }

# 7. enable the assembly of the array at boot
content_7() { cat <<'SEATRIAL'
ARRAY /dev/md/gfs-equallogic-s0 metadata=1.2 name=any:gfs-equallogic-s0
ARRAY /dev/md/gfs-equallogic-s1 metadata=1.2 name=any:gfs-equallogic-s1
ARRAY /dev/md/gfs-equallogic metadata=1.2 name=any:gfs-equallogic
SEATRIAL
}
check_7() { content | file_is /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf; }
apply_7() { content | write_file /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf; }

# 8. (steps.sh) install tgtd, mdadm, vgcreate

# 9. split /dev/md/gfs-equallogic into 1 volume
check_9() {
    vgs --noheadings -o tags seatrial-group 2>/dev/null | grep -q seatrial-made && [ "$(readlink -f /dev/md/gfs-equallogic)" = "$(readlink -f $(pvs --noheadings -o pv_name -S vg_name=seatrial-group))" ]
}
apply_9() {
    must_be_blank /dev/md/gfs-equallogic
    vgcreate -q -y seatrial-group /dev/md/gfs-equallogic
    lvcreate -q -y -W n -n shared -l 100%FREE seatrial-group
    vgchange -q --addtag seatrial-made seatrial-group
}

# 10. (steps.sh) set the socket buffers of the iSCSI target

# 11. (steps.sh) store the iSCSI secret, readable by root only

# 12. (steps.sh) install the script that configures the targets

# 13. configure 1 target and the permitted initiators
content_13() { cat <<'SEATRIAL'
account gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
target 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared
lun 1 1 /dev/seatrial-group/shared a86f955117c0370d VOLUME
write-through 1 1
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
check_13() { content | file_is /etc/tgt/seatrial-gfs-equallogic.targets; }
apply_13() { content | write_file /etc/tgt/seatrial-gfs-equallogic.targets; }

# 14. start the iSCSI target after the array at boot
#    why: a target that starts before its array offers nothing; a login cut off by an incomplete target may never be recovered by iscsid (open-iscsi, issue 387)
content_14() { cat <<'SEATRIAL'
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
check_14() { content | file_is /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf; }
apply_14() {
    content | write_file /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf
    reread_unit tgt.service
    ! systemctl -q is-active tgt || [ -n "$(tgtadm --lld iscsi --mode target --op show)" ] || systemctl stop tgt
}

# 15. (steps.sh) start the iSCSI target
# (15 steps)
##### stage 6, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 6 of 12: sessions
# (the preamble)

# (sh/: file_is write_file back_up_file store_version have_commands install_packages note_installed installed_packages keep_packages note_packages units_are)
# (iscsi_initiator.sh)
# 1. (steps.sh) install iscsiadm

# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi

# 3. (steps.sh) write /etc/modules-load.d/seatrial-storage.conf

# 4. (steps.sh) bind iSCSI sessions to storage

# 5. (steps.sh) store the iSCSI secret, readable by root only

# 6. (steps.sh) configure iSCSI sessions and their account

# 7. discover 1 iSCSI target at ps1-storage
check_7() {
    iscsi_known /etc/iscsi/seatrial-gfs-equallogic 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared
}
apply_7() {
    systemctl start iscsid
    for portal in ps1-storage; do
        iscsiadm -m discovery -t sendtargets -p $portal:3260 -I seatrial-gfs-equallogic
    done
    iscsi_set /etc/iscsi/seatrial-gfs-equallogic iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared
}

# 8. log in to 1 iSCSI session and enable them at boot
check_8() {
    units_are active iscsid && units_are enabled open-iscsi &&
    iscsi_sessions 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared &&
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ]
}
apply_8() {
    systemctl -q --no-reload enable open-iscsi iscsid
    systemctl start iscsid
    iscsi_login 1 iqn.2026-01.org.seatrial:gfs-equallogic:ps1:shared
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d ]; do again 30 'the disks of the sessions'; done
}

# 9. set the write cache mode of the disks to write through
#    why: what a member has acknowledged is on its disks: no flush is needed
check_9() {
    for device in /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        grep -qx 'write through' $disk/scsi_disk/*/cache_type || exit 1
    done
}
apply_9() {
    for device in /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d; do
        disk=/sys/class/block/$(basename $(readlink -f $device))/device
        echo 1 >$disk/rescan
    done
}
# (9 steps)
##### stage 6, c2 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (2)
##### stage 6, c3 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (3)
##### stage 6, c4 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (4)
##### stage 6, c5 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (5)
##### stage 6, c6 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (6)
##### stage 7, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 7 of 12: cluster
# (the preamble)

# (sh/: file_is write_file back_up_file store_version set_line reread_unit)
# 1. (steps.sh) configure the fencing of each node

# 2. (steps.sh) start the lock manager after quorum

# 3. (steps.sh) enable lvmlockd in LVM

# 4. (steps.sh) store the corosync key, readable by root only

# 5. (steps.sh) enable encryption of corosync

# 6. (steps.sh) configure the members and links of corosync
# (6 steps)
##### stage 8, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 8 of 12: fencing
# (the preamble)

# 1. (steps.sh) test 6 management controllers
# (1 steps)
##### stage 9, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 9 of 12: locks
# (the preamble)

# (sh/: units_are)
# 1. (steps.sh) join the cluster and enable it at boot

# 2. (steps.sh) wait for all members

# 3. (steps.sh) start the lock manager
# (3 steps)
##### stage 10, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 10 of 12: file system
# (the preamble)

# 1. (steps.sh) create a GPT label and one partition on the volume of ps1

# 2. create GFS2 with 8 journals, striped over 1 member
#    why: each node that mounts needs a journal, and spare ones allow more nodes later; with 4 resource groups per journal, nodes that allocate do not wait
check_2() { vgs --noheadings -o tags st-gfs-equallogic 2>/dev/null | grep -q seatrial-made; }
apply_2() {
    found=$(wipefs --noheadings --output TYPE /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1)
    [ -z "$found" ] || { echo "refused: /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 holds $found"; exit 1; }
    vgcreate -q -y --shared st-gfs-equallogic /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1
    lvcreate -q -y -W y -Z y -a sy -n data -l 100%FREE st-gfs-equallogic
    group_mib=$(($(blockdev --getsize64 /dev/st-gfs-equallogic/data) / 33554432))
    [ "$group_mib" -ge 32 ] || group_mib=32
    [ "$group_mib" -lt 256 ] || group_mib=
    mkfs.gfs2 -O -q -p lock_dlm -t gfs-equallogic:data -j 8 -J 8 ${group_mib:+-r "$group_mib"} /dev/st-gfs-equallogic/data
    vgchange -q --addtag seatrial-made st-gfs-equallogic
}
# (2 steps)
##### stage 11, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 11 of 12: mount
# (the preamble)

# (sh/: file_is write_file store_version reread_unit)
# 1. wait for the partitions
check_1() { [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ]; }
apply_1() {
    [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ] || partprobe /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d
    udevadm settle --timeout=30
    tries=0
    until [ -b /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d-part1 ]; do again 20 'the partitions'; done
}

# 2. (steps.sh) install the unit that mounts the file system

# 3. (steps.sh) write /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service

# 4. (steps.sh) mount the file system at /mnt/gfs-equallogic and enable it at boot

# 5. set the read-ahead of the volume to 8MiB
#    why: the members then answer while the node still processes earlier data
check_5() {
    read -r ahead </sys/dev/block/$(mountpoint -x /dev/st-gfs-equallogic/data)/queue/read_ahead_kb && [ "$ahead" = 8192 ]
}
apply_5() {
    [ -s /run/seatrial-gfs-equallogic.readahead ] || { read -r ahead </sys/dev/block/$(mountpoint -x /dev/st-gfs-equallogic/data)/queue/read_ahead_kb && echo $ahead >/run/seatrial-gfs-equallogic.readahead; }
    echo 8192 >/sys/dev/block/$(mountpoint -x /dev/st-gfs-equallogic/data)/queue/read_ahead_kb
}
# (5 steps)
##### stage 12, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 12 of 12: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file store_version units_are reread_unit restart_if_active unit_runs start_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-gfs-equallogic-network

# 2. (steps.sh) write /etc/systemd/system/seatrial-gfs-equallogic-network.service

# 3. (steps.sh) install the boot-time settings of network (2)

# 4. write /usr/local/sbin/seatrial-gfs-equallogic-mounts
content_4() { cat <<'SEATRIAL'
#!/bin/sh
# What gfs-equallogic has set on this node, after a boot.
bad=0
# set the read-ahead of the volume to 8MiB
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
check_4() { content | file_is /usr/local/sbin/seatrial-gfs-equallogic-mounts; }
apply_4() {
    content | write_file /usr/local/sbin/seatrial-gfs-equallogic-mounts 755
    restart_if_active seatrial-gfs-equallogic-mounts
}

# 5. write /etc/systemd/system/seatrial-gfs-equallogic-mounts.service
content_5() { cat <<'SEATRIAL'
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
check_5() {
    without_systemd || content | file_is /etc/systemd/system/seatrial-gfs-equallogic-mounts.service
}
apply_5() {
    content | write_file /etc/systemd/system/seatrial-gfs-equallogic-mounts.service
    reread_unit seatrial-gfs-equallogic-mounts.service
    restart_if_active seatrial-gfs-equallogic-mounts
}

# 6. install the boot-time settings of mounts
#    why: a fenced node must come back with the same settings
check_6() { without_systemd || unit_runs seatrial-gfs-equallogic-mounts; }
apply_6() { start_unit seatrial-gfs-equallogic-mounts; }
# (6 steps)
##### stage 12, ps1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 12 of 12: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# (volumes.sh)
# 1. store the UUIDs of created volumes
check_1() {
    volumes_are_noted /var/lib/seatrial/made/gfs-equallogic/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi /dev/md/gfs-equallogic-s0 /dev/md/gfs-equallogic-s1
}
apply_1() {
    note_volumes /var/lib/seatrial/made/gfs-equallogic/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubdh /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdi /dev/md/gfs-equallogic-s0 /dev/md/gfs-equallogic-s1
}

# 2. (steps.sh) write /usr/local/sbin/seatrial-gfs-equallogic-network (2)

# 3. (steps.sh) write /etc/systemd/system/seatrial-gfs-equallogic-network.service

# 4. (steps.sh) install the boot-time settings of network (2)

# 5. (steps.sh) remove the boot-time settings of mounts (2)
# (5 steps)
##### stage 12, ps3 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 1 iSCSI array members, shared by 6 nodes
# stage 12 of 12: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# 1. (steps.sh) remove the boot-time settings of network and mounts (2)
# (1 steps)
