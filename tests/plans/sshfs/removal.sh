##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: take ssh server nas out of service
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
    ! getent passwd seatrial >/dev/null
    ) >/dev/null 2>&1 || found='remove the user seatrial'
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
guard_3() { :; }
apply_3() {
    echo "refused: small has made nothing on this node (/var/lib/seatrial/made/small/mark is missing); this would be done:"
    (
    ! getent passwd seatrial >/dev/null
    ) >/dev/null 2>&1 || echo '  remove the user seatrial'
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

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg

# 5. (steps.sh) refuse volumes of another owner on /dev/md/small-s0, /dev/md/small-s1

# 6. (steps.sh) refuse volumes of another owner on /dev/md/small
# (6 steps)
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -9 +9 @@
+# 2. (steps.sh) refuse an occupied mount point: /mnt/small
@@ -11,72 +11,2 @@
+# 3. (steps.sh) refuse to remove storage that small did not create
+# (3 steps)
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: take ssh server nas out of service
# stage 2 of 6: remove boot-time settings
# (the preamble)

# 1. (steps.sh) remove the boot-time settings of network and mounts (3)
# (1 steps)
##### stage 3, c[1-4] #####
#!/bin/sh
# Seatrial plan small: take ssh server nas out of service
# stage 3 of 6: unmount
# (the preamble)

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

# 1. remove the user seatrial
check_1() {
    ! getent passwd seatrial >/dev/null
}
guard_1() { :; }
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

# 1. (steps.sh) restore the MTU of links (2)

# 2. (steps.sh) remove the mark of small
# (2 steps)
##### stage 6, c[1-4] #####
as on nas, but for:
@@ -8 +8 @@
+# 2. (steps.sh) remove the mark of small (2)
