##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
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
    ! systemctl -q is-active seatrial-smbd-small.service && [ ! -L /etc/systemd/system/multi-user.target.wants/seatrial-smbd-small.service ]
    ) >/dev/null 2>&1 ||
        would_change 'stop the Samba server' small /var/lib/seatrial/made/small/mark
    (
    no_file /etc/systemd/system/seatrial-smbd-small.service
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/seatrial-smbd-small.service' small /var/lib/seatrial/made/small/mark
    (
    no_file /etc/samba/seatrial-small.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/samba/seatrial-small.conf' small /var/lib/seatrial/made/small/mark
    (
    no_file /etc/seatrial-small.credentials
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/seatrial-small.credentials' small /var/lib/seatrial/made/small/mark
    (
    [ ! -e /var/lib/seatrial-smb-small ]
    ) >/dev/null 2>&1 ||
        would_change 'remove /var/lib/seatrial-smb-small' small /var/lib/seatrial/made/small/mark
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
    ! getent passwd seatrial-small >/dev/null
    ) >/dev/null 2>&1 ||
        would_change 'remove the user seatrial-small' small /var/lib/seatrial/made/small/mark
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
@@ -18 +18 @@
+    is_unmounted /mnt/small
@@ -20 +20 @@
+        would_change 'unmount /mnt/small' small /var/lib/seatrial/made/small/mark
@@ -22 +22 @@
+    no_fstab_line /mnt/small
@@ -24 +24 @@
+        would_change 'disable the mount of /mnt/small at boot' small /var/lib/seatrial/made/small/mark
@@ -26 +26 @@
+    no_file /run/seatrial-small.mount
@@ -28 +28 @@
+        would_change 'remove /run/seatrial-small.mount' small /var/lib/seatrial/made/small/mark
@@ -33,40 +32,0 @@
@@ -76,7 +36 @@
+# (3 steps)
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 2 of 6: remove boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# 1. (steps.sh) remove the boot-time settings of network and mounts (3)
# (1 steps)
##### stage 3, c[1-4] #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 3 of 6: unmount
# (the preamble)

# (sh/: no_file no_fstab_line remove_fstab_line lines_of_others replace_fstab mounted_at unmount_all is_unmounted remove_mount)
# 1. (steps.sh) unmount /mnt/small

# 2. (steps.sh) disable the mount of /mnt/small at boot

# 3. (steps.sh) remove /run/seatrial-small.mount

# 4. remove /etc/seatrial-small.credentials
check_4() { no_file /etc/seatrial-small.credentials; }
apply_4() { rm -f /etc/seatrial-small.credentials; }
# (4 steps)
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 4 of 6: stop the share
# (the preamble)

# (sh/: no_file no_fstab_line remove_fstab_line lines_of_others replace_fstab mounted_at unmount_all is_unmounted remove_mount reread_unit)
# 1. stop the Samba server
check_1() {
    ! systemctl -q is-active seatrial-smbd-small.service && [ ! -L /etc/systemd/system/multi-user.target.wants/seatrial-smbd-small.service ]
}
apply_1() {
    systemctl stop seatrial-smbd-small.service
    systemctl -q --no-reload disable seatrial-smbd-small.service
}

# 2. remove /etc/systemd/system/seatrial-smbd-small.service
check_2() { no_file /etc/systemd/system/seatrial-smbd-small.service; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-smbd-small.service
    reread_unit seatrial-smbd-small.service
}

# 3. remove /etc/samba/seatrial-small.conf
check_3() { no_file /etc/samba/seatrial-small.conf; }
apply_3() { rm -f /etc/samba/seatrial-small.conf; }

# 4. remove /etc/seatrial-small.credentials
check_4() { no_file /etc/seatrial-small.credentials; }
apply_4() { rm -f /etc/seatrial-small.credentials; }

# 5. remove /var/lib/seatrial-smb-small
check_5() { [ ! -e /var/lib/seatrial-smb-small ]; }
apply_5() { rm -r /var/lib/seatrial-smb-small; }

# 6. (steps.sh) unmount /srv/small

# 7. (steps.sh) disable the mount of /srv/small at boot

# 8. (steps.sh) remove /run/seatrial-small.filesystem

# 9. (steps.sh) remove /run/seatrial-small.filesystem-readahead

# 10. remove the user seatrial-small
check_10() { ! getent passwd seatrial-small >/dev/null; }
apply_10() { userdel seatrial-small; }
# (10 steps)
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
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
# Seatrial plan small: take SMB server nas out of service
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
