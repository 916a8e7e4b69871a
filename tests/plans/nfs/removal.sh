##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: take NFS server nas out of service
# stage 1 of 6: preflight check (read-only)
# (the preamble)

# (sh/: no_file no_fstab_line mounted_at is_unmounted would_change)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /srv/small

# 3. (steps.sh) refuse other NFS exports: /srv/small

# 4. refuse to remove storage that small did not create
check_4() {
    set +e
    [ ! -e /var/lib/seatrial/made/small/mark ] || exit 0
    found=
    (
    no_file /etc/exports.d/seatrial-small.exports
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/exports.d/seatrial-small.exports' small /var/lib/seatrial/made/small/mark
    (
    ! grep -q '^/srv/small[[:space:]]' /var/lib/nfs/etab
    ) >/dev/null 2>&1 ||
        would_change 'unexport /srv/small' small /var/lib/seatrial/made/small/mark
    (
    no_file /etc/nfs.conf.d/seatrial-small.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/nfs.conf.d/seatrial-small.conf' small /var/lib/seatrial/made/small/mark
    (
    [ ! -e /var/lib/seatrial/made/small/before/leases-enable ]
    ) >/dev/null 2>&1 ||
        would_change 'restore the setting for NFS delegations' small /var/lib/seatrial/made/small/mark
    (
    ! systemctl -q is-active nfs-server || [ -s /var/lib/nfs/etab ]
    ) >/dev/null 2>&1 ||
        would_change 'stop the NFS service if it has no other export' small /var/lib/seatrial/made/small/mark
    (
    is_unmounted /srv/small
    ) >/dev/null 2>&1 ||
        would_change 'unmount /srv/small' small /var/lib/seatrial/made/small/mark
    (
    no_fstab_line /srv/small
    ) >/dev/null 2>&1 ||
        would_change 'disable the mount of /srv/small at boot' small /var/lib/seatrial/made/small/mark
    (
    no_file /run/seatrial-small.filesystem
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-small.filesystem' small /var/lib/seatrial/made/small/mark
    (
    no_file /run/seatrial-small.filesystem-readahead
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-small.filesystem-readahead' small /var/lib/seatrial/made/small/mark
    (
    [ ! -e /dev/md/small ]
    ) >/dev/null 2>&1 ||
        would_change 'stop array small' small /var/lib/seatrial/made/small/mark
    (
    [ ! -e /dev/md/small-s1 ]
    ) >/dev/null 2>&1 ||
        would_change 'stop array small-s1' small /var/lib/seatrial/made/small/mark
    (
    [ ! -e /dev/md/small-s0 ]
    ) >/dev/null 2>&1 ||
        would_change 'stop array small-s0' small /var/lib/seatrial/made/small/mark
    (
    no_file /etc/mdadm/mdadm.conf.d/seatrial-small.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/mdadm/mdadm.conf.d/seatrial-small.conf' small /var/lib/seatrial/made/small/mark
    [ -z "$found" ]
}
apply_4() { refuse; }

# 5. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg

# 6. (steps.sh) refuse volumes of another owner on /dev/md/small-s0, /dev/md/small-s1

# 7. (steps.sh) refuse volumes of another owner on /dev/md/small
# (7 steps)
##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan small: take NFS server nas out of service
# stage 1 of 6: preflight check (read-only)
# (the preamble)

# (sh/: no_file no_fstab_line mounted_at is_unmounted would_change)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /mnt/small

# 3. refuse to remove storage that small did not create
check_3() {
    set +e
    [ ! -e /var/lib/seatrial/made/small/mark ] || exit 0
    found=
    (
    is_unmounted /mnt/small
    ) >/dev/null 2>&1 ||
        would_change 'unmount /mnt/small' small /var/lib/seatrial/made/small/mark
    (
    no_fstab_line /mnt/small
    ) >/dev/null 2>&1 ||
        would_change 'disable the mount of /mnt/small at boot' small /var/lib/seatrial/made/small/mark
    (
    no_file /run/seatrial-small.mount
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-small.mount' small /var/lib/seatrial/made/small/mark
    (
    no_file /run/seatrial-small.mount-readahead
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-small.mount-readahead' small /var/lib/seatrial/made/small/mark
    [ -z "$found" ]
}
apply_3() { refuse; }
# (3 steps)
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: take NFS server nas out of service
# stage 2 of 6: remove boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# 1. (steps.sh) remove the boot-time settings of network and mounts (3)
# (1 steps)
##### stage 3, c[1-4] #####
#!/bin/sh
# Seatrial plan small: take NFS server nas out of service
# stage 3 of 6: unmount
# (the preamble)

# (sh/: no_file no_fstab_line remove_fstab_line lines_of_others replace_fstab mounted_at unmount_all is_unmounted remove_mount)
# 1. (steps.sh) unmount /mnt/small

# 2. (steps.sh) disable the mount of /mnt/small at boot

# 3. (steps.sh) remove /run/seatrial-small.mount

# 4. remove /run/seatrial-small.mount-readahead
check_4() { no_file /run/seatrial-small.mount-readahead; }
apply_4() { rm -f /run/seatrial-small.mount-readahead; }
# (4 steps)
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: take NFS server nas out of service
# stage 4 of 6: unexport
# (the preamble)

# (sh/: no_file no_fstab_line remove_fstab_line lines_of_others replace_fstab mounted_at unmount_all is_unmounted remove_mount)
# 1. remove /etc/exports.d/seatrial-small.exports
check_1() { no_file /etc/exports.d/seatrial-small.exports; }
apply_1() { rm -f /etc/exports.d/seatrial-small.exports; }

# 2. unexport /srv/small
check_2() { ! grep -q '^/srv/small[[:space:]]' /var/lib/nfs/etab; }
apply_2() { exportfs -ra; }

# 3. remove /etc/nfs.conf.d/seatrial-small.conf
check_3() { no_file /etc/nfs.conf.d/seatrial-small.conf; }
apply_3() { rm -f /etc/nfs.conf.d/seatrial-small.conf; }

# 4. restore the setting for NFS delegations
check_4() { [ ! -e /var/lib/seatrial/made/small/before/leases-enable ]; }
apply_4() {
    read -r was </var/lib/seatrial/made/small/before/leases-enable
    rm /var/lib/seatrial/made/small/before/leases-enable
    [ "$(cat /proc/sys/fs/leases-enable)" != 0 ] || ls /var/lib/seatrial/made/*/before/leases-enable >/dev/null 2>&1 || echo $was >/proc/sys/fs/leases-enable
}

# 5. stop the NFS service if it has no other export
check_5() { ! systemctl -q is-active nfs-server || [ -s /var/lib/nfs/etab ]; }
apply_5() {
    systemctl stop nfs-server
    systemctl -q --no-reload disable nfs-server
}

# 6. (steps.sh) unmount /srv/small

# 7. (steps.sh) disable the mount of /srv/small at boot

# 8. (steps.sh) remove /run/seatrial-small.filesystem

# 9. (steps.sh) remove /run/seatrial-small.filesystem-readahead
# (9 steps)
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: take NFS server nas out of service
# stage 5 of 6: stop the array
# (the preamble)

# (sh/: no_file)
# 1. (steps.sh) stop array small

# 2. (steps.sh) stop array small-s1

# 3. (steps.sh) stop array small-s0

# 4. (steps.sh) remove /etc/mdadm/mdadm.conf.d/seatrial-small.conf
# (4 steps)
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: take NFS server nas out of service
# stage 6 of 6: remove the mark
# (the preamble)

# (sh/: mtus_are_restored restore_mtus installed_packages)
# (backups.sh)
# 1. (steps.sh) restore the MTU of links (2)

# 2. restore the state of units
check_2() { [ ! -e /var/lib/seatrial/made/small/before/units ]; }
apply_2() {
    give_back_units /var/lib/seatrial/made/small/before/units
    rm /var/lib/seatrial/made/small/before/units
}

# 3. (steps.sh) remove the mark of small
# (3 steps)
##### stage 6, c[1-4] #####
#!/bin/sh
# Seatrial plan small: take NFS server nas out of service
# stage 6 of 6: remove the mark
# (the preamble)

# (sh/: mtus_are_restored restore_mtus)
# 1. (steps.sh) restore the MTU of links (2)

# 2. (steps.sh) remove the mark of small (2)
# (2 steps)
