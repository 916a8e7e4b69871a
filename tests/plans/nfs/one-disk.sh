##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 1 of 8: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /srv/small

# 3. (steps.sh) refuse other NFS exports: /srv/small

# 4. (steps.sh) refuse another cluster (3)

# 5. refuse disks that are in use: create the ext3 file system on /dev/ubdb
check_5() {
    set +e
    (
    [ "$(blkid -p -o value -s LABEL /dev/ubdb)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/ubdb)" = ext3 ]
    ) >/dev/null 2>&1 && is_deployed small /dev/ubdb && exit 0
    look_disks small st-small '' /dev/ubdb
}
apply_5() { refuse; }
# (5 steps)
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -9 +9 @@
+# 2. (steps.sh) refuse an occupied mount point: /mnt/small
@@ -11,15 +11,2 @@
+# 3. (steps.sh) refuse another cluster (3)
+# (3 steps)
##### stage 2, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 2 of 8: mark
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
# stage 3 of 8: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. install exportfs, wipefs, mkfs.ext3
check_1() { have_commands exportfs wipefs mkfs.ext3; }
apply_1() {
    note_installed /var/lib/seatrial/made/small/packages
    install_packages 'e2fsprogs nfs-kernel-server util-linux' 'e2fsprogs nfs-utils util-linux'
}
# (1 steps)
##### stage 3, c[1-4] #####
as on nas, but for:
@@ -7,6 +7 @@
+# 1. (steps.sh) install mount.nfs
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 4 of 8: network
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
# stage 5 of 8: file system
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is)
# (volumes.sh)
# 1. create the ext3 file system on /dev/ubdb
check_1() {
    [ "$(blkid -p -o value -s LABEL /dev/ubdb)" = st-small ] &&
    [ "$(blkid -p -o value -s TYPE /dev/ubdb)" = ext3 ]
}
guard_1() {
    all_must_be_blank /dev/ubdb
    expect_volumes /var/lib/seatrial/made/small/volumes /dev/ubdb
}
apply_1() { mkfs.ext3 -q -b 4096 -L st-small -E lazy_itable_init=0,lazy_journal_init=0 /dev/ubdb; }

# 2. (steps.sh) refuse volumes of another owner on /dev/ubdb (2)

# 3. enable the mount of /srv/small at boot
check_3() { fstab_has /dev/ubdb /srv/small ext3 noatime,nofail; }
apply_3() { put_fstab_line /dev/ubdb /srv/small ext3 noatime,nofail; }

# 4. mount the file system at /srv/small with noatime
check_4() {
    grep -q ' /srv/small ext3 ' /proc/mounts &&
    mount_is /srv/small noatime /run/seatrial-small.filesystem
}
apply_4() {
    modprobe ext3 2>/dev/null || true
    mkdir -p /srv/small
    if grep -q ' /srv/small ' /proc/mounts; then
        mount -o remount,noatime /srv/small
        if { read -r asked && read -r line; } </run/seatrial-small.filesystem && [ "$asked" = noatime ]; then
            echo 'mounted otherwise since it was deployed; unmount /srv/small, and deploy again'
            chmod 1777 /srv/small
            exit 0
        fi
    else
        mount /srv/small
    fi
    chmod 1777 /srv/small
    note_mount /srv/small noatime /run/seatrial-small.filesystem
}

# 5. (steps.sh) restore the read-ahead of /dev/ubdb
# (5 steps)
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 6 of 8: export
# (the preamble)

# (sh/: file_is write_file store_version)
# 1. (steps.sh) configure the export of /srv/small

# 2. (steps.sh) configure 16 nfsd threads, and 90 s of lease and grace period

# 3. (steps.sh) disable NFS delegations

# 4. (steps.sh) set 16 nfsd threads

# 5. (steps.sh) set the NFSv4 lease and grace period to 90 s

# 6. (steps.sh) export /srv/small with rw, sync, root_squash
# (6 steps)
##### stage 7, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 7 of 8: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is put_mount)
# 1. (steps.sh) enable the mount of /mnt/small at boot

# 2. (steps.sh) mount nas:/srv/small at /mnt/small with vers=4.2,proto=tcp,hard,noatime

# 3. (steps.sh) restore the read-ahead of /mnt/small
# (3 steps)
##### stage 8, nas #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 8 of 8: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# (volumes.sh)
# 1. (steps.sh) store the UUIDs of created volumes (2)

# 2. (steps.sh) write /usr/local/sbin/seatrial-small-network

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) install the boot-time settings of network (3)

# 5. (steps.sh) remove the boot-time settings of mounts (3)
# (5 steps)
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan small: NFS server nas for 4 clients
# stage 8 of 8: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (3)

# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 3. (steps.sh) install the boot-time settings of network (3)

# 4. (steps.sh) remove the boot-time settings of mounts (3)
# (4 steps)
