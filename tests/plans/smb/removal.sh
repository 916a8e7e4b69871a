##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 1 of 3: unmount
# (the preamble)

# 1. no mount of /mnt/small at boot
check_1() {
    ! grep -q ' /mnt/small ' /etc/fstab
}
guard_1() { :; }
apply_1() {
    sed -i '\# /mnt/small #d' /etc/fstab
}

# 2. unmount /mnt/small
check_2() {
    ! grep -q ' /mnt/small ' /proc/mounts && [ ! -d /mnt/small ]
}
guard_2() { :; }
apply_2() {
    while grep -q ' /mnt/small ' /proc/mounts; do umount /mnt/small; done
    [ ! -d /mnt/small ] || rmdir /mnt/small
}

# 3. remove /run/seatrial-small.mount
check_3() {
    [ ! -e /run/seatrial-small.mount ]
}
guard_3() { :; }
apply_3() {
    rm -f /run/seatrial-small.mount
}

# 4. remove /etc/seatrial-small.credentials
check_4() {
    [ ! -e /etc/seatrial-small.credentials ]
}
guard_4() { :; }
apply_4() {
    rm -f /etc/seatrial-small.credentials
}

main() {
    step 1
    step 2
    step 3
    step 4
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 2, nas #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 2 of 3: stop the share
# (the preamble)

# 1. stop the Samba server of its own
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

# 6. no mount of /srv/small at boot
check_6() {
    ! grep -q ' /srv/small ' /etc/fstab
}
guard_6() { :; }
apply_6() {
    sed -i '\# /srv/small #d' /etc/fstab
}

# 7. unmount /srv/small
check_7() {
    ! grep -q ' /srv/small ' /proc/mounts && [ ! -d /srv/small ]
}
guard_7() { :; }
apply_7() {
    while grep -q ' /srv/small ' /proc/mounts; do umount /srv/small; done
    [ ! -d /srv/small ] || rmdir /srv/small
}

# 8. remove /run/seatrial-small.filesystem
check_8() {
    [ ! -e /run/seatrial-small.filesystem ]
}
guard_8() { :; }
apply_8() {
    rm -f /run/seatrial-small.filesystem
}

# 9. remove /run/seatrial-small.filesystem-readahead
check_9() {
    [ ! -e /run/seatrial-small.filesystem-readahead ]
}
guard_9() { :; }
apply_9() {
    rm -f /run/seatrial-small.filesystem-readahead
}

# 10. remove the user seatrial-small
check_10() {
    ! getent passwd seatrial-small >/dev/null
}
guard_10() { :; }
apply_10() {
    userdel seatrial-small
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    step 6
    step 7
    step 8
    step 9
    step 10
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 3, nas #####
#!/bin/sh
# Seatrial plan small: take SMB server nas out of service
# stage 3 of 3: stop the array
# (the preamble)

# 1. stop array small
check_1() {
    [ ! -e /dev/md/small ]
}
guard_1() { :; }
apply_1() {
    mdadm --stop /dev/md/small
    udevadm settle --timeout=120
    rm -f /dev/md/small
}

# 2. stop array small-s1
check_2() {
    [ ! -e /dev/md/small-s1 ]
}
guard_2() { :; }
apply_2() {
    mdadm --stop /dev/md/small-s1
    udevadm settle --timeout=120
    rm -f /dev/md/small-s1
}

# 3. stop array small-s0
check_3() {
    [ ! -e /dev/md/small-s0 ]
}
guard_3() { :; }
apply_3() {
    mdadm --stop /dev/md/small-s0
    udevadm settle --timeout=120
    rm -f /dev/md/small-s0
}

# 4. remove /etc/mdadm/mdadm.conf.d/seatrial-small.conf
check_4() {
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-small.conf ]
}
guard_4() { :; }
apply_4() {
    rm -f /etc/mdadm/mdadm.conf.d/seatrial-small.conf
}

main() {
    step 1
    step 2
    step 3
    step 4
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
