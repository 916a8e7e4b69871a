##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: take ssh server nas out of service
# stage 1 of 6: preflight check (read-only)
# (the preamble)

# (sh/: no_file no_fstab_line mounted_at is_unmounted would_change)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /srv/small

# 3. refuse to remove storage that small did not create
check_3() {
    set +e
    [ ! -e /var/lib/seatrial/made/small/mark ] || exit 0
    found=
    (
    ! getent passwd seatrial >/dev/null
    ) >/dev/null 2>&1 ||
        would_change 'remove the user seatrial' small /var/lib/seatrial/made/small/mark
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
apply_3() { refuse; }

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg

# 5. (steps.sh) refuse volumes of another owner on /dev/md/small-s0, /dev/md/small-s1

# 6. (steps.sh) refuse volumes of another owner on /dev/md/small
# (6 steps)
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -10 +10 @@
+# 2. (steps.sh) refuse an occupied mount point: /mnt/small
@@ -12,51 +12,2 @@
+# 3. (steps.sh) refuse to remove storage that small did not create
+# (3 steps)
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: take ssh server nas out of service
# stage 2 of 6: remove boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# 1. (steps.sh) remove the boot-time settings of network and mounts (3)
# (1 steps)
##### stage 3, c[1-4] #####
#!/bin/sh
# Seatrial plan small: take ssh server nas out of service
# stage 3 of 6: unmount
# (the preamble)

# (sh/: no_file no_fstab_line remove_fstab_line lines_of_others replace_fstab mounted_at unmount_all is_unmounted remove_mount)
# 1. (steps.sh) unmount /mnt/small

# 2. (steps.sh) disable the mount of /mnt/small at boot

# 3. (steps.sh) remove /etc/seatrial-small.key

# 4. (steps.sh) remove /etc/seatrial-small.known-hosts
# (4 steps)
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: take ssh server nas out of service
# stage 4 of 6: close the login
# (the preamble)

# (sh/: no_file no_fstab_line remove_fstab_line lines_of_others replace_fstab mounted_at unmount_all is_unmounted remove_mount)
# 1. remove the user seatrial
check_1() { ! getent passwd seatrial >/dev/null; }
apply_1() {
    tries=0
    until ! pgrep -u seatrial >/dev/null; do again 10 'the last session of seatrial to end'; done
    userdel --remove seatrial
}

# 2. (steps.sh) unmount /srv/small

# 3. (steps.sh) disable the mount of /srv/small at boot

# 4. (steps.sh) remove /run/seatrial-small.filesystem

# 5. (steps.sh) remove /run/seatrial-small.filesystem-readahead
# (5 steps)
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: take ssh server nas out of service
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
# Seatrial plan small: take ssh server nas out of service
# stage 6 of 6: remove the mark
# (the preamble)

# (sh/: mtus_are_restored restore_mtus)
# 1. (steps.sh) restore the MTU of links (2)

# 2. (steps.sh) remove the mark of small
# (2 steps)
##### stage 6, c[1-4] #####
as on nas, but for:
@@ -9 +9 @@
+# 2. (steps.sh) remove the mark of small (2)
