##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: take NFS server nas out of service
# stage 1 of 6: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /srv/small

# 3. (steps.sh) refuse other NFS exports: /srv/small

# 4. refuse to remove storage that small did not create
check_4() {
    [ ! -e /var/lib/seatrial/made/small/mark ] || exit 0
    found=
    (
    [ ! -e /etc/exports.d/seatrial-small.exports ]
    ) >/dev/null 2>&1 || found='remove /etc/exports.d/seatrial-small.exports'
    (
    ! grep -q '^/srv/small[[:space:]]' /var/lib/nfs/etab
    ) >/dev/null 2>&1 || found='unexport /srv/small'
    (
    [ ! -e /etc/nfs.conf.d/seatrial-small.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/nfs.conf.d/seatrial-small.conf'
    (
    [ ! -e /var/lib/seatrial/made/small/before/leases-enable ]
    ) >/dev/null 2>&1 || found='restore the setting for NFS delegations'
    (
    ! systemctl -q is-active nfs-server || [ -s /var/lib/nfs/etab ]
    ) >/dev/null 2>&1 || found='stop the NFS service if it has no other export'
    (
    ! grep -q ' /srv/small ' /proc/mounts && [ ! -d /srv/small ]
    ) >/dev/null 2>&1 || found='unmount /srv/small'
    (
    awk '!($1 ~ /^#/ || $2 != "/srv/small") { found = 1 } END { exit found }' /etc/fstab
    ) >/dev/null 2>&1 || found='disable the mount of /srv/small at boot'
    (
    [ ! -e /run/seatrial-small.filesystem ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-small.filesystem'
    (
    [ ! -e /run/seatrial-small.filesystem-readahead ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-small.filesystem-readahead'
    (
    [ ! -e /dev/md/small ]
    ) >/dev/null 2>&1 || found='stop array small'
    (
    [ ! -e /dev/md/small-s1 ]
    ) >/dev/null 2>&1 || found='stop array small-s1'
    (
    [ ! -e /dev/md/small-s0 ]
    ) >/dev/null 2>&1 || found='stop array small-s0'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-small.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/mdadm/mdadm.conf.d/seatrial-small.conf'
    [ -z "$found" ]
}
guard_4() { :; }
apply_4() {
    echo "refused: small has made nothing on this node (/var/lib/seatrial/made/small/mark is missing); this would be done:"
    (
    [ ! -e /etc/exports.d/seatrial-small.exports ]
    ) >/dev/null 2>&1 || echo '  remove /etc/exports.d/seatrial-small.exports'
    (
    ! grep -q '^/srv/small[[:space:]]' /var/lib/nfs/etab
    ) >/dev/null 2>&1 || echo '  unexport /srv/small'
    (
    [ ! -e /etc/nfs.conf.d/seatrial-small.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/nfs.conf.d/seatrial-small.conf'
    (
    [ ! -e /var/lib/seatrial/made/small/before/leases-enable ]
    ) >/dev/null 2>&1 || echo '  restore the setting for NFS delegations'
    (
    ! systemctl -q is-active nfs-server || [ -s /var/lib/nfs/etab ]
    ) >/dev/null 2>&1 || echo '  stop the NFS service if it has no other export'
    (
    ! grep -q ' /srv/small ' /proc/mounts && [ ! -d /srv/small ]
    ) >/dev/null 2>&1 || echo '  unmount /srv/small'
    (
    awk '!($1 ~ /^#/ || $2 != "/srv/small") { found = 1 } END { exit found }' /etc/fstab
    ) >/dev/null 2>&1 || echo '  disable the mount of /srv/small at boot'
    (
    [ ! -e /run/seatrial-small.filesystem ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-small.filesystem'
    (
    [ ! -e /run/seatrial-small.filesystem-readahead ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-small.filesystem-readahead'
    (
    [ ! -e /dev/md/small ]
    ) >/dev/null 2>&1 || echo '  stop array small'
    (
    [ ! -e /dev/md/small-s1 ]
    ) >/dev/null 2>&1 || echo '  stop array small-s1'
    (
    [ ! -e /dev/md/small-s0 ]
    ) >/dev/null 2>&1 || echo '  stop array small-s0'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-small.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/mdadm/mdadm.conf.d/seatrial-small.conf'
    exit 1
}

# 5. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg

# 6. (steps.sh) refuse volumes of another owner on /dev/md/small-s0, /dev/md/small-s1

# 7. (steps.sh) refuse volumes of another owner on /dev/md/small
# (7 steps)
##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan small: take NFS server nas out of service
# stage 1 of 6: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /mnt/small

# 3. refuse to remove storage that small did not create
check_3() {
    [ ! -e /var/lib/seatrial/made/small/mark ] || exit 0
    found=
    (
    ! grep -q ' /mnt/small ' /proc/mounts && [ ! -d /mnt/small ]
    ) >/dev/null 2>&1 || found='unmount /mnt/small'
    (
    awk '!($1 ~ /^#/ || $2 != "/mnt/small") { found = 1 } END { exit found }' /etc/fstab
    ) >/dev/null 2>&1 || found='disable the mount of /mnt/small at boot'
    (
    [ ! -e /run/seatrial-small.mount ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-small.mount'
    (
    [ ! -e /run/seatrial-small.mount-readahead ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-small.mount-readahead'
    [ -z "$found" ]
}
guard_3() { :; }
apply_3() {
    echo "refused: small has made nothing on this node (/var/lib/seatrial/made/small/mark is missing); this would be done:"
    (
    ! grep -q ' /mnt/small ' /proc/mounts && [ ! -d /mnt/small ]
    ) >/dev/null 2>&1 || echo '  unmount /mnt/small'
    (
    awk '!($1 ~ /^#/ || $2 != "/mnt/small") { found = 1 } END { exit found }' /etc/fstab
    ) >/dev/null 2>&1 || echo '  disable the mount of /mnt/small at boot'
    (
    [ ! -e /run/seatrial-small.mount ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-small.mount'
    (
    [ ! -e /run/seatrial-small.mount-readahead ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-small.mount-readahead'
    exit 1
}
# (3 steps)
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: take NFS server nas out of service
# stage 2 of 6: remove boot-time settings
# (the preamble)

# 1. (steps.sh) remove the boot-time settings of network and mounts (3)
# (1 steps)
##### stage 3, c[1-4] #####
#!/bin/sh
# Seatrial plan small: take NFS server nas out of service
# stage 3 of 6: unmount
# (the preamble)

# 1. (steps.sh) unmount /mnt/small

# 2. (steps.sh) disable the mount of /mnt/small at boot

# 3. (steps.sh) remove /run/seatrial-small.mount

# 4. remove /run/seatrial-small.mount-readahead
check_4() {
    [ ! -e /run/seatrial-small.mount-readahead ]
}
guard_4() { :; }
apply_4() {
    rm -f /run/seatrial-small.mount-readahead
}
# (4 steps)
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: take NFS server nas out of service
# stage 4 of 6: unexport
# (the preamble)

# 1. remove /etc/exports.d/seatrial-small.exports
check_1() {
    [ ! -e /etc/exports.d/seatrial-small.exports ]
}
guard_1() { :; }
apply_1() {
    rm -f /etc/exports.d/seatrial-small.exports
}

# 2. unexport /srv/small
check_2() {
    ! grep -q '^/srv/small[[:space:]]' /var/lib/nfs/etab
}
guard_2() { :; }
apply_2() {
    exportfs -ra
}

# 3. remove /etc/nfs.conf.d/seatrial-small.conf
check_3() {
    [ ! -e /etc/nfs.conf.d/seatrial-small.conf ]
}
guard_3() { :; }
apply_3() {
    rm -f /etc/nfs.conf.d/seatrial-small.conf
}

# 4. restore the setting for NFS delegations
check_4() {
    [ ! -e /var/lib/seatrial/made/small/before/leases-enable ]
}
guard_4() { :; }
apply_4() {
    read -r was </var/lib/seatrial/made/small/before/leases-enable
    rm /var/lib/seatrial/made/small/before/leases-enable
    [ "$(cat /proc/sys/fs/leases-enable)" != 0 ] || ls /var/lib/seatrial/made/*/before/leases-enable >/dev/null 2>&1 || echo $was >/proc/sys/fs/leases-enable
}

# 5. stop the NFS service if it has no other export
check_5() {
    ! systemctl -q is-active nfs-server || [ -s /var/lib/nfs/etab ]
}
guard_5() { :; }
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

# (backups.sh)
# 1. (steps.sh) restore the MTU of links (2)

# 2. restore the state of units
check_2() {
    [ ! -e /var/lib/seatrial/made/small/before/units ]
}
guard_2() { :; }
apply_2() {
    give_back_units /var/lib/seatrial/made/small/before/units
    rm /var/lib/seatrial/made/small/before/units
}

# 3. (steps.sh) remove the mark of small
# (3 steps)
##### stage 6, c[1-4] #####
as on nas, but for:
@@ -6 +5,0 @@
@@ -9,12 +8,2 @@
+# 2. (steps.sh) remove the mark of small (2)
+# (2 steps)
