##### stage 1, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (3)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic

# 3. (steps.sh) refuse another cluster: gfs-equallogic

# 4. (steps.sh) refuse an occupied mount point: /mnt/gfs-equallogic
# (4 steps)
##### stage 1, ps[1-2] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
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
    look_twice /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
}
apply_4() { refuse; }

# 5. refuse disks that are in use: create array gfs-equallogic: RAID 10
check_5() {
    set +e
    (
    md_is gfs-equallogic 10 6 65536
    ) >/dev/null 2>&1 && is_deployed gfs-equallogic /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi && exit 0
    look_disks gfs-equallogic any:gfs-equallogic '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
}
apply_5() { refuse; }
# (5 steps)
##### stage 1, ps3 #####
as on c[1-6], but for:
@@ -9,6 +9,2 @@
+# 2. (steps.sh) refuse another cluster (2)
+# (2 steps)
##### stage 2, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 2 of 12: mark
# (the preamble)

# (sh/: installed_packages)
# (backups.sh)
# 1. (steps.sh) mark this node for gfs-equallogic

# 2. (steps.sh) store the state of open-iscsi, iscsid, corosync, dlm, lvmlockd
# (2 steps)
##### stage 2, ps[1-2] #####
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
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 3 of 12: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install corosync, dlm_controld, lvmlockd, mkfs.gfs2, iscsiadm, parted, fence_ipmilan
# (1 steps)
##### stage 4, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 4 of 12: network
# (the preamble)

# (sh/: link_to mtu_is set_mtu set_mtu_of)
# 1. (steps.sh) set MTU 9000 on the link to ps1-storage
# (1 steps)
##### stage 4, ps[1-2] #####
as on c[1-6], but for:
@@ -7 +7 @@
+# 1. (steps.sh) set MTU 9000 on the link to c1-storage
##### stage 5, ps1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 5 of 12: members
# (the preamble)

# (sh/: md_is md_is_idle assemble_md settle_md file_is write_file store_version have_commands install_packages note_installed installed_packages keep_packages note_packages reread_unit)
# (volumes.sh)
# 1. assemble the existing array gfs-equallogic
check_1() { ! { md_is_idle gfs-equallogic /dev/ubdb; }; }
apply_1() {
    assemble_md gfs-equallogic /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
    settle_md gfs-equallogic
}

# 2. create array gfs-equallogic: RAID 10
#    why: the new devices hold zeros, so parity is consistent without an initial resync
check_2() { md_is gfs-equallogic 10 6 65536; }
guard_2() {
    all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
    expect_volumes /var/lib/seatrial/made/gfs-equallogic/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
}
apply_2() {
    modprobe raid10 || true
    pids=
    mdadm --create /dev/md/gfs-equallogic --run --metadata=1.2 --homehost=any --name=gfs-equallogic --level=10 \
        --raid-devices=6 --spare-devices=2 --chunk=64 --assume-clean /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    settle_md gfs-equallogic
}

# 3. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi

# 4. (steps.sh) enable the assembly of the array at boot

# 5. (steps.sh) install tgtd, mdadm, vgcreate

# 6. (steps.sh) split /dev/md/gfs-equallogic into 4 volumes

# 7. (steps.sh) set the socket buffers of the iSCSI target

# 8. (steps.sh) store the iSCSI secret, readable by root only

# 9. (steps.sh) install the script that configures the targets

# 10. (steps.sh) configure 8 targets and the permitted initiators

# 11. (steps.sh) start the iSCSI target after the array at boot

# 12. (steps.sh) start the iSCSI target
# (12 steps)
##### stage 5, ps2 #####
as on ps1, but for:
@@ -45 +45 @@
+# 10. (steps.sh) configure 4 targets and the permitted initiators
##### stage 6, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
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

# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1

# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot

# 9. (steps.sh) set the write cache mode of the disks to write back

# 10. (steps.sh) split the local volume into 5 parts

# 11. (steps.sh) link each part as the file of a task
# (11 steps)
##### stage 6, c2 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (2)
@@ -20 +20 @@
+# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1 (2)
@@ -22 +22 @@
+# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot (2)
@@ -24 +24 @@
+# 9. (steps.sh) set the write cache mode of the disks to write back (2)
@@ -26 +26 @@
+# 10. (steps.sh) split the local volume into 5 parts (2)
@@ -28 +28 @@
+# 11. (steps.sh) link each part as the file of a task (2)
##### stage 6, c3 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (3)
@@ -20 +20 @@
+# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1 (3)
@@ -22 +22 @@
+# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot (3)
@@ -24 +24 @@
+# 9. (steps.sh) set the write cache mode of the disks to write back (3)
@@ -26 +26 @@
+# 10. (steps.sh) split the local volume into 5 parts (3)
@@ -28 +28 @@
+# 11. (steps.sh) link each part as the file of a task (3)
##### stage 6, c4 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (4)
@@ -20 +20 @@
+# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1 (4)
@@ -22 +22 @@
+# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot (4)
@@ -24 +24 @@
+# 9. (steps.sh) set the write cache mode of the disks to write back (4)
@@ -26 +26 @@
+# 10. (steps.sh) split the local volume into 5 parts (4)
@@ -28 +28 @@
+# 11. (steps.sh) link each part as the file of a task (4)
##### stage 6, c5 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (5)
@@ -20 +20 @@
+# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1 (5)
@@ -22 +22 @@
+# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot (5)
@@ -24 +24 @@
+# 9. (steps.sh) set the write cache mode of the disks to write back (5)
@@ -26 +26 @@
+# 10. (steps.sh) split the local volume into 5 parts (5)
@@ -28 +28 @@
+# 11. (steps.sh) link each part as the file of a task (5)
##### stage 6, c6 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (6)
@@ -20 +20 @@
+# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1 (6)
@@ -22 +22 @@
+# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot (6)
@@ -24 +24 @@
+# 9. (steps.sh) set the write cache mode of the disks to write back (6)
@@ -26 +26 @@
+# 10. (steps.sh) split the local volume into 5 parts (6)
@@ -28 +28 @@
+# 11. (steps.sh) link each part as the file of a task (6)
##### stage 7, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
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
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 8 of 12: fencing
# (the preamble)

# 1. (steps.sh) test 6 management controllers
# (1 steps)
##### stage 9, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 9 of 12: locks
# (the preamble)

# (sh/: units_are)
# 1. (steps.sh) join the cluster and enable it at boot

# 2. (steps.sh) wait for all members

# 3. (steps.sh) start the lock manager
# (3 steps)
##### stage 10, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 10 of 12: file system
# (the preamble)

# 1. (steps.sh) create a GPT label and one partition on the volume of ps1

# 2. (steps.sh) create a GPT label and one partition on the volume of ps2

# 3. (steps.sh) create GFS2 with 8 journals, striped over 2 members
# (3 steps)
##### stage 11, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 11 of 12: mount
# (the preamble)

# (sh/: file_is write_file store_version reread_unit)
# 1. (steps.sh) wait for the partitions

# 2. (steps.sh) install the unit that mounts the file system

# 3. (steps.sh) write /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service

# 4. (steps.sh) mount the file system at /mnt/gfs-equallogic and enable it at boot

# 5. (steps.sh) restore the read-ahead of the volume
# (5 steps)
##### stage 12, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 12 of 12: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-gfs-equallogic-network

# 2. (steps.sh) write /etc/systemd/system/seatrial-gfs-equallogic-network.service

# 3. (steps.sh) install the boot-time settings of network (2)

# 4. (steps.sh) remove the boot-time settings of mounts (2)
# (4 steps)
##### stage 12, ps[1-2] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 12 of 12: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# (volumes.sh)
# 1. store the UUIDs of created volumes
check_1() {
    volumes_are_noted /var/lib/seatrial/made/gfs-equallogic/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
}
apply_1() {
    note_volumes /var/lib/seatrial/made/gfs-equallogic/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
}

# 2. (steps.sh) write /usr/local/sbin/seatrial-gfs-equallogic-network (2)

# 3. (steps.sh) write /etc/systemd/system/seatrial-gfs-equallogic-network.service

# 4. (steps.sh) install the boot-time settings of network (2)

# 5. (steps.sh) remove the boot-time settings of mounts (2)
# (5 steps)
##### stage 12, ps3 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 12 of 12: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# 1. (steps.sh) remove the boot-time settings of network and mounts (2)
# (1 steps)
