##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 1 of 9: look, and change nothing
# (the preamble)

# (look.sh)
# 1. (steps.sh) follow no link (4)

# 2. (steps.sh) mount over nothing: /srv/small

# 3. (steps.sh) leave other NFS exports alone: /srv/small

# 4. (steps.sh) leave other clusters alone (3)

# 5. (steps.sh) use no disk twice (4)

# 6. overwrite nothing that is somebody's: create small: RAID 6
check_6() {
    set +e
    (
    [ -b /dev/md/small ] && set_=$(readlink -f /dev/md/small) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid6 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 6 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
    ) >/dev/null 2>&1 && is_deployed small /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg && exit 0
    look_disks small any:small '/dev/ubdb /dev/ubdc' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg
}
guard_6() { :; }
apply_6() {
    set +e
    (
    [ -b /dev/md/small ] && set_=$(readlink -f /dev/md/small) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid6 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 6 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
    ) >/dev/null 2>&1 && is_deployed small /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg && exit 0
    look_disks small any:small '/dev/ubdb /dev/ubdc' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg
    exit 1
}

# 7. (steps.sh) leave alone what somebody else has made on /dev/md/small
# (7 steps)
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -9 +9 @@
+# 2. (steps.sh) mount over nothing: /mnt/small
@@ -11,32 +11,2 @@
+# 3. (steps.sh) leave other clusters alone (3)
+# (3 steps)
##### stage 2, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 2 of 9: mark
# (the preamble)

# (kept.sh)
# 1. (steps.sh) note that small builds on this node

# 2. (steps.sh) keep how nfs-server is
# (2 steps)
##### stage 2, c[1-4] #####
as on nas, but for:
@@ -6 +5,0 @@
@@ -8,3 +7 @@
+# (1 steps)
##### stage 3, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 3 of 9: packages
# (the preamble)

# (kept.sh)
# 1. (steps.sh) have exportfs, wipefs, mdadm, mkfs.ext4
# (1 steps)
##### stage 3, c[1-4] #####
as on nas, but for:
@@ -7 +7 @@
+# 1. (steps.sh) have mount.nfs
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 4 of 9: network
# (the preamble)

# 1. (steps.sh) MTU 9000 on the link towards c1 (2)
# (1 steps)
##### stage 4, c[1-4] #####
as on nas, but for:
@@ -6 +6 @@
+# 1. (steps.sh) MTU 9000 on the link towards nas
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 5 of 9: array
# (the preamble)

# (volumes.sh)
# 1. erase the signatures on /dev/ubdb, /dev/ubdc, as --wipe allows
check_1() {
    [ -b /dev/md/small ] || all_must_be_blank /dev/ubdb /dev/ubdc
}
guard_1() { :; }
apply_1() {
    for device in /dev/ubdb /dev/ubdc; do
        wipefs --no-act --all $device >/dev/null || { echo "$device is in use; nothing was erased" >&2; exit 1; }
    done
    pids=
    for device in /dev/ubdb /dev/ubdc; do
        { wipefs --all $device && blkdiscard $device; } & pids="$pids $!"
    done
    for pid in $pids; do wait $pid; done
}

# 2. assemble small where it exists already
check_2() {
    ! { { [ ! -b /dev/md/small ] && mdadm --examine --export /dev/ubdb 2>/dev/null | grep -q '^MD_NAME=any:small$'; }; }
}
guard_2() { :; }
apply_2() {
    [ -b /dev/md/small ] || mdadm --assemble /dev/md/small /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/small
}

# 3. create small: RAID 6
#    why: the new devices hold zeros, so parity is consistent without an initial resync
check_3() {
    [ -b /dev/md/small ] && set_=$(readlink -f /dev/md/small) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid6 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 6 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
}
guard_3() { all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg; }
apply_3() {
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg
    modprobe raid456 || true
    pids=
    mdadm --create /dev/md/small --run --metadata=1.2 --homehost=any --name=small --level=6 \
        --raid-devices=6 --chunk=64 --assume-clean /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/small
}

# 4. (steps.sh) leave alone what somebody else has made on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg

# 5. (steps.sh) assemble the array at every boot (2)
# (5 steps)
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 6 of 9: file system
# (the preamble)

# (volumes.sh)
# 1. (steps.sh) make the ext4 file system on /dev/md/small

# 2. (steps.sh) leave alone what somebody else has made on /dev/md/small

# 3. (steps.sh) mount /srv/small at every boot

# 4. (steps.sh) mount it at /srv/small with noatime

# 5. (steps.sh) /dev/md/small reads ahead as it did before
# (5 steps)
##### stage 7, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 7 of 9: export
# (the preamble)

# 1. (steps.sh) export /srv/small to the clients

# 2. (steps.sh) at every boot 16 nfsd threads, a lease and a grace of 90 s

# 3. (steps.sh) give out no delegations

# 4. (steps.sh) have the NFS service run 16 threads

# 5. (steps.sh) have NFSv4 leases and a grace of 90 s

# 6. (steps.sh) have /srv/small exported rw, sync, root_squash
# (6 steps)
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 8 of 9: mount
# (the preamble)

# 1. (steps.sh) mount /mnt/small at every boot

# 2. (steps.sh) mount nas:/srv/small at /mnt/small with vers=4.2,proto=tcp,hard,noatime

# 3. (steps.sh) /mnt/small reads ahead as it did before
# (3 steps)
##### stage 9, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 9 of 9: note what was made, and what every boot sets
# (the preamble)

# (volumes.sh)
# 1. note what was made, by UUID
check_1() {
    volumes_are_noted /var/lib/seatrial/made/small/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/md/small
}
guard_1() { :; }
apply_1() {
    note_volumes /var/lib/seatrial/made/small/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/md/small
}

# 2. (steps.sh) write /usr/local/sbin/seatrial-small-network

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) have the settings of network outlive a boot (3)

# 5. (steps.sh) set nothing of mounts after a boot (3)
# (5 steps)
##### stage 9, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 9 of 9: note what was made, and what every boot sets
# (the preamble)

# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (3)

# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 3. (steps.sh) have the settings of network outlive a boot (3)

# 4. (steps.sh) set nothing of mounts after a boot (3)
# (4 steps)
