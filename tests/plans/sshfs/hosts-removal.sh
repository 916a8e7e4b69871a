##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan small: take ssh server nas out of service
# stage 1 of 2: unmount
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
# stage 2 of 2: close the login
# (the preamble)

# 1. no mount of /srv/small at boot
check_1() {
    ! grep -q ' /srv/small ' /etc/fstab
}
guard_1() { :; }
apply_1() {
    sed -i '\# /srv/small #d' /etc/fstab
}

# 2. unmount /srv/small
check_2() {
    ! grep -q ' /srv/small ' /proc/mounts && [ ! -d /srv/small ]
}
guard_2() { :; }
apply_2() {
    while grep -q ' /srv/small ' /proc/mounts; do umount /srv/small; done
    [ ! -d /srv/small ] || rmdir /srv/small
}

# 3. remove /run/seatrial-small.filesystem
check_3() {
    [ ! -e /run/seatrial-small.filesystem ]
}
guard_3() { :; }
apply_3() {
    rm -f /run/seatrial-small.filesystem
}

# 4. remove /run/seatrial-small.filesystem-readahead
check_4() {
    [ ! -e /run/seatrial-small.filesystem-readahead ]
}
guard_4() { :; }
apply_4() {
    rm -f /run/seatrial-small.filesystem-readahead
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
