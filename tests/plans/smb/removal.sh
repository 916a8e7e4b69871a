##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 1 of 6: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /srv/small

# 3. refuse to remove storage that small did not create
check_3() {
    [ ! -e /var/lib/seatrial/made/small/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active seatrial-smbd-small.service && [ ! -L /etc/systemd/system/multi-user.target.wants/seatrial-smbd-small.service ]
    ) >/dev/null 2>&1 || found='stop the Samba server'
    (
    [ ! -e /etc/systemd/system/seatrial-smbd-small.service ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/seatrial-smbd-small.service'
    (
    [ ! -e /etc/samba/seatrial-small.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/samba/seatrial-small.conf'
    (
    [ ! -e /etc/seatrial-small.credentials ]
    ) >/dev/null 2>&1 || found='remove /etc/seatrial-small.credentials'
    (
    [ ! -e /var/lib/seatrial-smb-small ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial-smb-small'
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
    ! getent passwd seatrial-small >/dev/null
    ) >/dev/null 2>&1 || found='remove the user seatrial-small'
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
guard_3() { :; }
apply_3() {
    echo "refused: small has made nothing on this node (/var/lib/seatrial/made/small/mark is missing); this would be done:"
    (
    ! systemctl -q is-active seatrial-smbd-small.service && [ ! -L /etc/systemd/system/multi-user.target.wants/seatrial-smbd-small.service ]
    ) >/dev/null 2>&1 || echo '  stop the Samba server'
    (
    [ ! -e /etc/systemd/system/seatrial-smbd-small.service ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/seatrial-smbd-small.service'
    (
    [ ! -e /etc/samba/seatrial-small.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/samba/seatrial-small.conf'
    (
    [ ! -e /etc/seatrial-small.credentials ]
    ) >/dev/null 2>&1 || echo '  remove /etc/seatrial-small.credentials'
    (
    [ ! -e /var/lib/seatrial-smb-small ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial-smb-small'
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
    ! getent passwd seatrial-small >/dev/null
    ) >/dev/null 2>&1 || echo '  remove the user seatrial-small'
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

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg

# 5. (steps.sh) refuse volumes of another owner on /dev/md/small-s0, /dev/md/small-s1

# 6. (steps.sh) refuse volumes of another owner on /dev/md/small
# (6 steps)
##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
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
    [ ! -e /etc/seatrial-small.credentials ]
    ) >/dev/null 2>&1 || found='remove /etc/seatrial-small.credentials'
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
    [ ! -e /etc/seatrial-small.credentials ]
    ) >/dev/null 2>&1 || echo '  remove /etc/seatrial-small.credentials'
    exit 1
}
# (3 steps)
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 2 of 6: remove boot-time settings
# (the preamble)

# 1. (steps.sh) remove the boot-time settings of network and mounts (3)
# (1 steps)
##### stage 3, c[1-4] #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 3 of 6: unmount
# (the preamble)

# 1. (steps.sh) unmount /mnt/small

# 2. (steps.sh) disable the mount of /mnt/small at boot

# 3. (steps.sh) remove /run/seatrial-small.mount

# 4. remove /etc/seatrial-small.credentials
check_4() {
    [ ! -e /etc/seatrial-small.credentials ]
}
guard_4() { :; }
apply_4() {
    rm -f /etc/seatrial-small.credentials
}
# (4 steps)
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 4 of 6: stop the share
# (the preamble)

# 1. stop the Samba server
check_1() {
    ! systemctl -q is-active seatrial-smbd-small.service && [ ! -L /etc/systemd/system/multi-user.target.wants/seatrial-smbd-small.service ]
}
guard_1() { :; }
apply_1() {
    systemctl stop seatrial-smbd-small.service
    systemctl -q --no-reload disable seatrial-smbd-small.service
}

# 2. remove /etc/systemd/system/seatrial-smbd-small.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-smbd-small.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-smbd-small.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-smbd-small.service)" = no ] || systemctl daemon-reload
}

# 3. remove /etc/samba/seatrial-small.conf
check_3() {
    [ ! -e /etc/samba/seatrial-small.conf ]
}
guard_3() { :; }
apply_3() {
    rm -f /etc/samba/seatrial-small.conf
}

# 4. remove /etc/seatrial-small.credentials
check_4() {
    [ ! -e /etc/seatrial-small.credentials ]
}
guard_4() { :; }
apply_4() {
    rm -f /etc/seatrial-small.credentials
}

# 5. remove /var/lib/seatrial-smb-small
check_5() {
    [ ! -e /var/lib/seatrial-smb-small ]
}
guard_5() { :; }
apply_5() {
    rm -r /var/lib/seatrial-smb-small
}

# 6. (steps.sh) unmount /srv/small

# 7. (steps.sh) disable the mount of /srv/small at boot

# 8. (steps.sh) remove /run/seatrial-small.filesystem

# 9. (steps.sh) remove /run/seatrial-small.filesystem-readahead

# 10. remove the user seatrial-small
check_10() {
    ! getent passwd seatrial-small >/dev/null
}
guard_10() { :; }
apply_10() {
    userdel seatrial-small
}
# (10 steps)
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 5 of 6: stop the array
# (the preamble)

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

# 1. (steps.sh) restore the MTU of links (2)

# 2. (steps.sh) remove the mark of small
# (2 steps)
##### stage 6, c[1-4] #####
as on nas, but for:
@@ -8 +8 @@
+# 2. (steps.sh) remove the mark of small (2)
