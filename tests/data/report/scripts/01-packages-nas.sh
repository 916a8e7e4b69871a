#!/bin/sh
# Seatrial plan md1200-nfs: NFS server nas for 8 clients
# stage 1 of 5: packages; node nas
mode=${1:-apply}
applied=0
log=/tmp/seatrial-step.$$
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

# Nothing is overwritten unless blkid and wipefs both see a blank device.
must_be_blank() {
    [ -b "$1" ] || { echo "$1 is no block device"; return 1; }
    found=$(wipefs --noheadings --output TYPE,LABEL "$1") || return 1
    blkid -p "$1" && found="${found:-$(blkid -p -o value -s TYPE "$1")}"
    [ -z "$found" ] && return 0
    echo "refused: $1 holds: $found"
    echo "if it may be erased, name it: --wipe $(uname -n):$1"
    return 1
}
all_must_be_blank() {
    pids=
    for device; do must_be_blank "$device" & pids="$pids $!"; done
    for pid in $pids; do wait "$pid"; done
}

# 1. have exportfs, wipefs, mdadm, mkfs.ext4
check_1() {
    PATH=$PATH:/usr/sbin:/sbin
    command -v exportfs >/dev/null &&
    command -v wipefs >/dev/null &&
    command -v mdadm >/dev/null &&
    command -v mkfs.ext4 >/dev/null
}
guard_1() { :; }
apply_1() {
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends e2fsprogs mdadm nfs-kernel-server util-linux
    else
        dnf install -y e2fsprogs mdadm nfs-utils util-linux
    fi
}

main() {
    step 1
    rm -f "$log"
    echo done >&3
}
main </dev/null
