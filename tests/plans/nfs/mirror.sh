##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 1 of 9: preflight check (read-only)
# (the preamble)

# (sh/: md_is)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /srv/small

# 3. (steps.sh) refuse other NFS exports: /srv/small

# 4. (steps.sh) refuse another cluster (3)

# 5. (steps.sh) refuse a disk that is used twice (3)

# 6. refuse disks that are in use: create array small: RAID 1
check_6() {
    set +e
    (
    md_is small 1 2
    ) >/dev/null 2>&1 && is_deployed small /dev/ubdb /dev/ubdc && exit 0
    look_disks small any:small '' /dev/ubdb /dev/ubdc
}
apply_6() { refuse; }

# 7. (steps.sh) refuse volumes of another owner on /dev/md/small
# (7 steps)
##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 1 of 9: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /mnt/small

# 3. (steps.sh) refuse another cluster (3)
# (3 steps)
##### stage 2, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 2 of 9: mark
# (the preamble)

# (sh/: installed_packages)
# (backups.sh)
# 1. (steps.sh) mark this node for small

# 2. (steps.sh) store the state of nfs-server
# (2 steps)
##### stage 2, c[1-4] #####
as on nas, but for:
@@ -6,2 +5,0 @@
@@ -9,3 +7 @@
+# (1 steps)
##### stage 3, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 3 of 9: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install exportfs, wipefs, mdadm, mkfs.ext4
# (1 steps)
##### stage 3, c[1-4] #####
as on nas, but for:
@@ -7 +7 @@
+# 1. (steps.sh) install mount.nfs
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 4 of 9: network
# (the preamble)

# (sh/: link_to mtu_is set_mtu set_mtu_of)
# 1. (steps.sh) set MTU 9000 on the link to c1 (2)
# (1 steps)
##### stage 4, c[1-4] #####
as on nas, but for:
@@ -7 +7 @@
+# 1. (steps.sh) set MTU 9000 on the link to nas
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 5 of 9: array
# (the preamble)

# (sh/: md_is md_is_idle assemble_md settle_md file_is write_file store_version)
# (volumes.sh)
# 1. assemble the existing array small
check_1() { ! { md_is_idle small /dev/ubdb; }; }
apply_1() {
    assemble_md small /dev/ubdb /dev/ubdc
    settle_md small
}

# 2. create array small: RAID 1
#    why: the new devices hold zeros, so parity is consistent without an initial resync
check_2() { md_is small 1 2; }
guard_2() {
    all_must_be_blank /dev/ubdb /dev/ubdc
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/ubdb /dev/ubdc
}
apply_2() {
    modprobe raid1 || true
    pids=
    mdadm --create /dev/md/small --run --metadata=1.2 --homehost=any --name=small --level=1 \
        --raid-devices=2 --assume-clean /dev/ubdb /dev/ubdc & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    settle_md small
}

# 3. refuse volumes of another owner on /dev/ubdb, /dev/ubdc
check_3() {
    set +e
    only_own_volumes /var/lib/seatrial/made/small/volumes '' /dev/ubdb /dev/ubdc
}
apply_3() { refuse; }

# 4. (steps.sh) enable the assembly of the array at boot (2)
# (4 steps)
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 6 of 9: file system
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is)
# (volumes.sh)
# 1. create the ext4 file system on /dev/md/small
#    why: the file system aligns allocation to the stripe (64KiB); all tables are written now, not during load
check_1() {
    [ "$(blkid -p -o value -s LABEL /dev/md/small)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/md/small)" = ext4 ]
}
guard_1() {
    all_must_be_blank /dev/md/small
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/md/small
}
apply_1() {
    mkfs.ext4 -q -b 4096 -L st-small -E lazy_itable_init=0,lazy_journal_init=0,stride=16,stripe_width=16 /dev/md/small
}

# 2. (steps.sh) refuse volumes of another owner on /dev/md/small

# 3. (steps.sh) enable the mount of /srv/small at boot

# 4. (steps.sh) mount the file system at /srv/small with noatime

# 5. (steps.sh) restore the read-ahead of /dev/md/small
# (5 steps)
##### stage 7, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 7 of 9: export
# (the preamble)

# (sh/: file_is write_file store_version)
# 1. configure the export of /srv/small
content_1() { cat <<'SEATRIAL'
/srv/small c1(rw,sync,no_root_squash,no_subtree_check) c2(rw,sync,no_root_squash,no_subtree_check) c3(rw,sync,no_root_squash,no_subtree_check) c4(rw,sync,no_root_squash,no_subtree_check)
SEATRIAL
}
check_1() { content | file_is /etc/exports.d/seatrial-small.exports; }
apply_1() { content | write_file /etc/exports.d/seatrial-small.exports; }

# 2. (steps.sh) configure 16 nfsd threads, and 90 s of lease and grace period

# 3. (steps.sh) disable NFS delegations

# 4. (steps.sh) set 16 nfsd threads

# 5. (steps.sh) set the NFSv4 lease and grace period to 90 s

# 6. export /srv/small with rw, sync, no_root_squash
#    why: acknowledged data are on the disks; each write waits for them
check_6() {
    [ ! /etc/exports.d/seatrial-small.exports -nt /var/lib/nfs/etab ] &&
    [ "$(grep '^/srv/small[[:space:]]' /var/lib/nfs/etab | grep '[(,]rw[,)]' | grep -c '[(,]sync[,)]')" = 4 ] &&
    ! grep '^/srv/small[[:space:]]' /var/lib/nfs/etab | grep -vq '[(,]no_root_squash[,)]'
}
apply_6() {
    touch /etc/exports.d/seatrial-small.exports
    exportfs -ra
}
# (6 steps)
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 8 of 9: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is put_mount)
# 1. (steps.sh) enable the mount of /mnt/small at boot

# 2. (steps.sh) mount nas:/srv/small at /mnt/small with vers=4.2,proto=tcp,hard,noatime

# 3. (steps.sh) restore the read-ahead of /mnt/small
# (3 steps)
##### stage 9, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 9 of 9: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# (volumes.sh)
# 1. store the UUIDs of created volumes
check_1() {
    volumes_are_noted /var/lib/seatrial/made/small/volumes /dev/ubdb /dev/ubdc /dev/md/small
}
apply_1() { note_volumes /var/lib/seatrial/made/small/volumes /dev/ubdb /dev/ubdc /dev/md/small; }

# 2. (steps.sh) write /usr/local/sbin/seatrial-small-network

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) install the boot-time settings of network (3)

# 5. (steps.sh) remove the boot-time settings of mounts (3)
# (5 steps)
##### stage 9, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 9 of 9: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (3)

# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 3. (steps.sh) install the boot-time settings of network (3)

# 4. (steps.sh) remove the boot-time settings of mounts (3)
# (4 steps)
