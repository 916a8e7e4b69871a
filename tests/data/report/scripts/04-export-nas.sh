#!/bin/sh
# Seatrial plan md1200-nfs: NFS server nas for 8 clients
# stage 4 of 5: export; node nas
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

# 1. export /srv/md1200-nfs to the clients
check_1() {
    cmp -s /etc/exports.d/seatrial-md1200-nfs.exports - <<'SEATRIAL'
/srv/md1200-nfs c1(rw,async,root_squash,no_subtree_check) c2(rw,async,root_squash,no_subtree_check) c3(rw,async,root_squash,no_subtree_check) c4(rw,async,root_squash,no_subtree_check) c5(rw,async,root_squash,no_subtree_check) c6(rw,async,root_squash,no_subtree_check) c7(rw,async,root_squash,no_subtree_check) c8(rw,async,root_squash,no_subtree_check)
SEATRIAL
}
guard_1() { :; }
apply_1() {
    mkdir -p /etc/exports.d
    cat >/etc/exports.d/seatrial-md1200-nfs.exports.new <<'SEATRIAL'
/srv/md1200-nfs c1(rw,async,root_squash,no_subtree_check) c2(rw,async,root_squash,no_subtree_check) c3(rw,async,root_squash,no_subtree_check) c4(rw,async,root_squash,no_subtree_check) c5(rw,async,root_squash,no_subtree_check) c6(rw,async,root_squash,no_subtree_check) c7(rw,async,root_squash,no_subtree_check) c8(rw,async,root_squash,no_subtree_check)
SEATRIAL
    mv /etc/exports.d/seatrial-md1200-nfs.exports.new /etc/exports.d/seatrial-md1200-nfs.exports
}

# 2. run 128 nfsd threads
#    why: one thread serves one request at a time: with too few, clients wait for each other
check_2() {
    cmp -s /etc/nfs.conf.d/seatrial-md1200-nfs.conf - <<'SEATRIAL'
[nfsd]
threads=128
SEATRIAL
}
guard_2() { :; }
apply_2() {
    mkdir -p /etc/nfs.conf.d
    cat >/etc/nfs.conf.d/seatrial-md1200-nfs.conf.new <<'SEATRIAL'
[nfsd]
threads=128
SEATRIAL
    mv /etc/nfs.conf.d/seatrial-md1200-nfs.conf.new /etc/nfs.conf.d/seatrial-md1200-nfs.conf
}

# 3. have the NFS service run 128 threads
check_3() {
    [ -e /proc/fs/nfsd/threads ] && read -r threads </proc/fs/nfsd/threads &&
    [ "$threads" = 128 ]
}
guard_3() { :; }
apply_3() {
    if systemctl -q is-active nfs-server; then rpc.nfsd 128; else systemctl -q --no-reload enable nfs-server; systemctl start nfs-server; fi
}

# 4. have /srv/md1200-nfs exported async, root_squash
#    why: async trades the safety of acknowledged writes for speed, as the study asks
check_4() {
    [ "$(grep -c '^/srv/md1200-nfs[[:space:]].*[(,]async[,)]' /var/lib/nfs/etab)" = 8 ] &&
    ! grep '^/srv/md1200-nfs[[:space:]]' /var/lib/nfs/etab | grep -vq '[(,]root_squash[,)]'
}
guard_4() { :; }
apply_4() {
    exportfs -ra
}

main() {
    step 1
    step 2
    step 3
    step 4
    rm -f "$log"
    echo done >&3
}
main </dev/null
