##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan small: take ssh server nas out of service
# stage 1 of 2: unmount
mode=${1:-apply}
node=${2:-$(uname -n)}
applied=0
log=$(mktemp)
exec 3>&1 1>&2

# One result line per step on descriptor 3: RESULT NUMBER SECONDS-SINCE-BOOT.
result() { read -r uptime rest </proc/uptime; echo "$1 $2 $uptime" >&3; }
failed() { cat "$log" >&2; rm -f "$log"; result failed "$1"; exit 1; }

step() {
    if (set -e; "check_$1") >"$log" 2>&1; then result ok "$1"; return; fi
    if [ "$mode" = check ]; then result pending "$1"; return; fi
    (set -e; "guard_$1"; "apply_$1") >"$log" 2>&1
    [ $? -eq 0 ] || failed "$1"
    applied=$1
    (set -e; "check_$1") >>"$log" 2>&1
    [ $? -eq 0 ] || { echo "the step ran, but its check still fails" >>"$log"; failed "$1"; }
    result changed "$1"
}

# What was changed is to outlive a power cut right after it.
settle() { [ "$applied" = 0 ] || sync -f / /etc /usr /var; }

# Nothing is overwritten unless blkid and wipefs both see a blank device.
must_be_blank() {
    [ -b "$1" ] || { echo "$1 is no block device"; return 1; }
    found=$(wipefs --noheadings --output TYPE,LABEL "$1") || return 1
    probe=0
    blkid -p "$1" || probe=$?
    [ "$probe" = 2 ] || found=${found:-something that blkid finds}
    [ -z "$found" ] && return 0
    echo "refused: $1 holds: $found"
    echo "if it may be erased, name it: --wipe $node:$1"
    return 1
}
all_must_be_blank() {
    pids=
    for device; do must_be_blank "$device" & pids="$pids $!"; done
    all=0
    for pid in $pids; do wait "$pid" || all=1; done
    return "$all"  # `set -e` ends nothing inside a condition
}

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
mode=${1:-apply}
node=${2:-$(uname -n)}
applied=0
log=$(mktemp)
exec 3>&1 1>&2

# One result line per step on descriptor 3: RESULT NUMBER SECONDS-SINCE-BOOT.
result() { read -r uptime rest </proc/uptime; echo "$1 $2 $uptime" >&3; }
failed() { cat "$log" >&2; rm -f "$log"; result failed "$1"; exit 1; }

step() {
    if (set -e; "check_$1") >"$log" 2>&1; then result ok "$1"; return; fi
    if [ "$mode" = check ]; then result pending "$1"; return; fi
    (set -e; "guard_$1"; "apply_$1") >"$log" 2>&1
    [ $? -eq 0 ] || failed "$1"
    applied=$1
    (set -e; "check_$1") >>"$log" 2>&1
    [ $? -eq 0 ] || { echo "the step ran, but its check still fails" >>"$log"; failed "$1"; }
    result changed "$1"
}

# What was changed is to outlive a power cut right after it.
settle() { [ "$applied" = 0 ] || sync -f / /etc /usr /var; }

# Nothing is overwritten unless blkid and wipefs both see a blank device.
must_be_blank() {
    [ -b "$1" ] || { echo "$1 is no block device"; return 1; }
    found=$(wipefs --noheadings --output TYPE,LABEL "$1") || return 1
    probe=0
    blkid -p "$1" || probe=$?
    [ "$probe" = 2 ] || found=${found:-something that blkid finds}
    [ -z "$found" ] && return 0
    echo "refused: $1 holds: $found"
    echo "if it may be erased, name it: --wipe $node:$1"
    return 1
}
all_must_be_blank() {
    pids=
    for device; do must_be_blank "$device" & pids="$pids $!"; done
    all=0
    for pid in $pids; do wait "$pid" || all=1; done
    return "$all"  # `set -e` ends nothing inside a condition
}

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
