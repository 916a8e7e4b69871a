##### stage 1, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 1 of 12: look, and change nothing
# (the preamble)

# (look.sh)
# 1. (steps.sh) follow no link (3)

# 2. (steps.sh) leave the sessions of other iSCSI targets alone: iqn.2026-01.org.seatrial:gfs-equallogic

# 3. (steps.sh) leave other clusters alone: gfs-equallogic

# 4. (steps.sh) mount over nothing: /mnt/gfs-equallogic
# (4 steps)
##### stage 1, ps[1-2] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 1 of 12: look, and change nothing
# (the preamble)

# (look.sh)
# 1. (steps.sh) follow no link (3)

# 2. (steps.sh) leave other iSCSI targets alone: iqn.2026-01.org.seatrial:gfs-equallogic

# 3. (steps.sh) leave other clusters alone (2)

# 4. use no disk twice
check_4() {
    set +e
    look_twice /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
}
guard_4() { :; }
apply_4() {
    set +e
    look_twice /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
    exit 1
}

# 5. overwrite nothing that is somebody's: create gfs-equallogic: RAID 10
check_5() {
    set +e
    (
    [ -b /dev/md/gfs-equallogic ] && set_=$(readlink -f /dev/md/gfs-equallogic) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid10 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 6 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
    ) >/dev/null 2>&1 && is_deployed gfs-equallogic /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi && exit 0
    look_disks gfs-equallogic any:gfs-equallogic '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
}
guard_5() { :; }
apply_5() {
    set +e
    (
    [ -b /dev/md/gfs-equallogic ] && set_=$(readlink -f /dev/md/gfs-equallogic) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid10 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 6 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
    ) >/dev/null 2>&1 && is_deployed gfs-equallogic /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi && exit 0
    look_disks gfs-equallogic any:gfs-equallogic '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
    exit 1
}
# (5 steps)
##### stage 1, ps3 #####
as on c[1-6], but for:
@@ -9,6 +9,2 @@
+# 2. (steps.sh) leave other clusters alone (2)
+# (2 steps)
##### stage 2, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 2 of 12: mark
# (the preamble)

# (kept.sh)
# 1. (steps.sh) note that gfs-equallogic builds on this node

# 2. (steps.sh) keep how open-iscsi, iscsid, corosync, dlm, lvmlockd are
# (2 steps)
##### stage 2, ps[1-2] #####
as on c[1-6], but for:
@@ -9 +9 @@
+# 2. (steps.sh) keep how tgt is
##### stage 2, ps3 #####
as on c[1-6], but for:
@@ -6 +5,0 @@
@@ -8,3 +7 @@
+# (1 steps)
##### stage 3, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 3 of 12: packages
# (the preamble)

# (kept.sh)
# 1. (steps.sh) have corosync, dlm_controld, lvmlockd, mkfs.gfs2, iscsiadm, parted, fence_ipmilan
# (1 steps)
##### stage 4, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 4 of 12: network
# (the preamble)

# 1. (steps.sh) MTU 9000 on the link towards ps1-storage
# (1 steps)
##### stage 4, ps[1-2] #####
as on c[1-6], but for:
@@ -6 +6 @@
+# 1. (steps.sh) MTU 9000 on the link towards c1-storage
##### stage 5, ps1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 5 of 12: members
# (the preamble)

# (volumes.sh)
# (kept.sh)
# 1. assemble gfs-equallogic where it exists already
check_1() {
    ! { { [ ! -b /dev/md/gfs-equallogic ] && mdadm --examine --export /dev/ubdb 2>/dev/null | grep -q '^MD_NAME=any:gfs-equallogic$'; }; }
}
guard_1() { :; }
apply_1() {
    [ -b /dev/md/gfs-equallogic ] || mdadm --assemble /dev/md/gfs-equallogic /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/gfs-equallogic
}

# 2. create gfs-equallogic: RAID 10
#    why: the new devices hold zeros, so parity is consistent without an initial resync
check_2() {
    [ -b /dev/md/gfs-equallogic ] && set_=$(readlink -f /dev/md/gfs-equallogic) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid10 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 6 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
}
guard_2() { all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi; }
apply_2() {
    expect_volumes /var/lib/seatrial/made/gfs-equallogic/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
    modprobe raid10 || true
    pids=
    mdadm --create /dev/md/gfs-equallogic --run --metadata=1.2 --homehost=any --name=gfs-equallogic --level=10 \
        --raid-devices=6 --spare-devices=2 --chunk=64 --assume-clean /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/gfs-equallogic
}

# 3. (steps.sh) leave alone what somebody else has made on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi

# 4. (steps.sh) assemble the array at every boot

# 5. (steps.sh) have tgtd, mdadm, vgcreate

# 6. (steps.sh) divide /dev/md/gfs-equallogic into 4 volumes

# 7. (steps.sh) give the target's sockets room for whole answers

# 8. (steps.sh) keep the secret of the iSCSI account for root alone

# 9. (steps.sh) say how targets are offered

# 10. (steps.sh) offer 8 targets to its initiators

# 11. (steps.sh) have the iSCSI target wait at boot until the array is assembled

# 12. (steps.sh) have the iSCSI target run, and offer them
# (12 steps)
##### stage 5, ps2 #####
as on ps1, but for:
@@ -51 +51 @@
+# 10. (steps.sh) offer 4 targets to its initiators
##### stage 6, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 6 of 12: sessions
# (the preamble)

# (kept.sh)
# (iscsi_initiator.sh)
# 1. (steps.sh) have iscsiadm

# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi

# 3. (steps.sh) write /etc/modules-load.d/seatrial-storage.conf

# 4. (steps.sh) bind sessions to storage

# 5. (steps.sh) keep the secret of the iSCSI account for root alone

# 6. (steps.sh) say how sessions are made, and by which account

# 7. (steps.sh) know 3 targets at 10.10.200.1

# 8. (steps.sh) have 3 sessions, now and after every boot

# 9. (steps.sh) have disks known as write back

# 10. (steps.sh) divide its own volume into 5 parts

# 11. (steps.sh) name each part as a task's file
# (11 steps)
##### stage 6, c2 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (2)
@@ -20 +20 @@
+# 7. (steps.sh) know 3 targets at 10.10.200.1 (2)
@@ -22 +22 @@
+# 8. (steps.sh) have 3 sessions, now and after every boot (2)
@@ -24 +24 @@
+# 9. (steps.sh) have disks known as write back (2)
@@ -26 +26 @@
+# 10. (steps.sh) divide its own volume into 5 parts (2)
@@ -28 +28 @@
+# 11. (steps.sh) name each part as a task's file (2)
##### stage 6, c3 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (3)
@@ -20 +20 @@
+# 7. (steps.sh) know 3 targets at 10.10.200.1 (3)
@@ -22 +22 @@
+# 8. (steps.sh) have 3 sessions, now and after every boot (3)
@@ -24 +24 @@
+# 9. (steps.sh) have disks known as write back (3)
@@ -26 +26 @@
+# 10. (steps.sh) divide its own volume into 5 parts (3)
@@ -28 +28 @@
+# 11. (steps.sh) name each part as a task's file (3)
##### stage 6, c4 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (4)
@@ -20 +20 @@
+# 7. (steps.sh) know 3 targets at 10.10.200.1 (4)
@@ -22 +22 @@
+# 8. (steps.sh) have 3 sessions, now and after every boot (4)
@@ -24 +24 @@
+# 9. (steps.sh) have disks known as write back (4)
@@ -26 +26 @@
+# 10. (steps.sh) divide its own volume into 5 parts (4)
@@ -28 +28 @@
+# 11. (steps.sh) name each part as a task's file (4)
##### stage 6, c5 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (5)
@@ -20 +20 @@
+# 7. (steps.sh) know 3 targets at 10.10.200.1 (5)
@@ -22 +22 @@
+# 8. (steps.sh) have 3 sessions, now and after every boot (5)
@@ -24 +24 @@
+# 9. (steps.sh) have disks known as write back (5)
@@ -26 +26 @@
+# 10. (steps.sh) divide its own volume into 5 parts (5)
@@ -28 +28 @@
+# 11. (steps.sh) name each part as a task's file (5)
##### stage 6, c6 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (6)
@@ -20 +20 @@
+# 7. (steps.sh) know 3 targets at 10.10.200.1 (6)
@@ -22 +22 @@
+# 8. (steps.sh) have 3 sessions, now and after every boot (6)
@@ -24 +24 @@
+# 9. (steps.sh) have disks known as write back (6)
@@ -26 +26 @@
+# 10. (steps.sh) divide its own volume into 5 parts (6)
@@ -28 +28 @@
+# 11. (steps.sh) name each part as a task's file (6)
##### stage 7, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 7 of 12: cluster
# (the preamble)

# 1. (steps.sh) say how each node is fenced

# 2. (steps.sh) have the lock manager wait until the node is among the others

# 3. (steps.sh) have LVM ask for locks

# 4. (steps.sh) keep the members' key for root alone

# 5. (steps.sh) have what the members say to each other encrypted

# 6. (steps.sh) say who the members are, and how they hear each other
# (6 steps)
##### stage 8, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 8 of 12: fencing
# (the preamble)

# 1. (steps.sh) reach 6 management controllers
# (1 steps)
##### stage 9, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 9 of 12: locks
# (the preamble)

# 1. (steps.sh) be a member of the cluster, now and after every boot

# 2. (steps.sh) see all members

# 3. (steps.sh) have locks
# (3 steps)
##### stage 10, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 10 of 12: file system
# (the preamble)

# 1. (steps.sh) give ps1's volume a GPT label and one partition

# 2. (steps.sh) give ps2's volume a GPT label and one partition

# 3. (steps.sh) make GFS2 with 8 journals, striped over 2 members
# (3 steps)
##### stage 11, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 11 of 12: mount
# (the preamble)

# 1. (steps.sh) see the partitions

# 2. (steps.sh) say what using the file system takes

# 3. (steps.sh) write /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service

# 4. (steps.sh) mount it at /mnt/gfs-equallogic, now and after every boot

# 5. (steps.sh) the volume reads ahead as it did before
# (5 steps)
##### stage 12, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 12 of 12: note what was made, and what every boot sets
# (the preamble)

# 1. (steps.sh) write /usr/local/sbin/seatrial-gfs-equallogic-network

# 2. (steps.sh) write /etc/systemd/system/seatrial-gfs-equallogic-network.service

# 3. (steps.sh) have the settings of network outlive a boot (2)

# 4. (steps.sh) set nothing of mounts after a boot (2)
# (4 steps)
##### stage 12, ps[1-2] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 12 of 12: note what was made, and what every boot sets
# (the preamble)

# (volumes.sh)
# 1. note what was made, by UUID
check_1() {
    volumes_are_noted /var/lib/seatrial/made/gfs-equallogic/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
}
guard_1() { :; }
apply_1() {
    note_volumes /var/lib/seatrial/made/gfs-equallogic/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi
}

# 2. (steps.sh) write /usr/local/sbin/seatrial-gfs-equallogic-network (2)

# 3. (steps.sh) write /etc/systemd/system/seatrial-gfs-equallogic-network.service

# 4. (steps.sh) have the settings of network outlive a boot (2)

# 5. (steps.sh) set nothing of mounts after a boot (2)
# (5 steps)
##### stage 12, ps3 #####
as on c[1-6], but for:
@@ -6,8 +6,2 @@
+# 1. (steps.sh) set nothing of network and mounts after a boot (2)
+# (1 steps)
