##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan small: take ssh server nas out of service
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

# 3. remove /etc/seatrial-small.key
check_3() {
    [ ! -e /etc/seatrial-small.key ]
}
guard_3() { :; }
apply_3() {
    rm -f /etc/seatrial-small.key
}

# 4. remove /etc/seatrial-small.known-hosts
check_4() {
    [ ! -e /etc/seatrial-small.known-hosts ]
}
guard_4() { :; }
apply_4() {
    rm -f /etc/seatrial-small.known-hosts
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
# Seatrial plan small: take ssh server nas out of service
# stage 2 of 3: close the login
# (the preamble)

# 1. remove the user seatrial
check_1() {
    ! getent passwd seatrial >/dev/null
}
guard_1() { :; }
apply_1() {
    tries=0
    while pgrep -u seatrial >/dev/null && [ $tries -lt 50 ]; do
        tries=$((tries + 1))
        sleep 0.2
    done
    userdel --remove seatrial
}

# 2. no mount of /srv/small at boot
check_2() {
    ! grep -q ' /srv/small ' /etc/fstab
}
guard_2() { :; }
apply_2() {
    sed -i '\# /srv/small #d' /etc/fstab
}

# 3. unmount /srv/small
check_3() {
    ! grep -q ' /srv/small ' /proc/mounts && [ ! -d /srv/small ]
}
guard_3() { :; }
apply_3() {
    while grep -q ' /srv/small ' /proc/mounts; do umount /srv/small; done
    [ ! -d /srv/small ] || rmdir /srv/small
}

# 4. remove /run/seatrial-small.filesystem
check_4() {
    [ ! -e /run/seatrial-small.filesystem ]
}
guard_4() { :; }
apply_4() {
    rm -f /run/seatrial-small.filesystem
}

# 5. remove /run/seatrial-small.filesystem-readahead
check_5() {
    [ ! -e /run/seatrial-small.filesystem-readahead ]
}
guard_5() { :; }
apply_5() {
    rm -f /run/seatrial-small.filesystem-readahead
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 3, nas #####
#!/bin/sh
# Seatrial plan small: take ssh server nas out of service
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
