# shellcheck shell=sh disable=SC2154
# Whether disks are free: unused, with one place each, and empty. The functions belong to look.sh,
# and only read.
EDGE=262144 SAMPLE=4096 SAMPLES=8

# block DEVICE: its name in the kernel; a name below /dev/mapper may be a link or a device node.
block() {
    name=$(readlink -f "$1")
    name=${name##*/}
    if [ ! -e "$root/sys/class/block/$name" ] && numbers=$(stat -Lc '0x%t 0x%T' "$1" 2>/dev/null); then
        name=$(readlink -f "$root/sys/dev/block/$((${numbers% *})):$((${numbers#* }))")
        name=${name##*/}
    fi
    echo "$name"
}

# of BLOCK FILE...: the first of these files of a block device that has a line.
of() {
    here=$root/sys/class/block/$1
    shift
    for file; do
        line=
        if [ -r "$here/$file" ]; then read -r line 2>/dev/null <"$here/$file" || :; fi
        [ -z "$line" ] || { echo "$line"; return; }
    done
}

# Its WWN or serial number; empty without one, such as for a partition. Drivers without one print
# zeros or (null).
identity() {
    [ ! -e "$root/sys/class/block/$1/partition" ] || return 0
    said=$(of "$1" wwid device/wwid serial device/serial)
    case $said in '(null)' | [Nn]one | N/A | [Uu]nknown) ;; *[!0\ ._-]*) echo "$said" ;; esac
}

# facts_of BLOCK: model, serial number and size, in words.
facts_of() {
    size=$(of "$1" size)
    echo "$(of "$1" device/model | sed 's/ *$//') $(identity "$1") $((${size:-0} / 2048)) MiB" | sed 's/^ *//; s/  */ /g'
}

# users BLOCK: the present users of it or of a part of it, one line each.
users() {
    for part in "$root/sys/class/block/$1" "$root/sys/class/block/$1"/*/partition; do
        part=${part%/partition}
        [ -r "$part/dev" ] || continue
        for holder in "$part"/holders/*; do
            [ -e "$holder" ] || continue
            uuid='' name=''
            [ ! -r "$holder/dm/uuid" ] || { read -r uuid <"$holder/dm/uuid"; read -r name <"$holder/dm/name"; } || :
            case ${uuid:-${holder##*/}} in
            md*) echo "it is a member of the array ${holder##*/}" ;;
            LVM-*) echo "it carries the LVM volume $name" ;;
            CRYPT-*) echo "it carries the encrypted device $name" ;;
            mpath-*) echo "it is a path of the multipath device $name" ;;
            *) echo "it carries the device ${name:-${holder##*/}}" ;;
            esac
        done
        read -r number <"$part/dev" || continue
        while read -r _ _ device _ point rest; do
            source=${rest##* - } source=${source#* }
            [ "$device" != "$number" ] && [ "${source%% *}" != "/dev/${part##*/}" ] || echo "it is mounted at $point"
        done <"$root/proc/self/mountinfo"
        while read -r swap _; do
            case $swap in /*) ;; *) continue ;; esac
            [ "$(readlink -f "$swap")" != "/dev/${part##*/}" ] || echo "it is swap space"
        done <"$root/proc/swaps"
    done
    # Through any layers: LVM, md and dm-crypt are followed down from the root file system.
    lsblk -nrso NAME "$(findmnt -no SOURCE / 2>/dev/null)" 2>/dev/null | while read -r below; do
        [ "$below" != "$1" ] || echo "it carries the root file system"
    done
}

# contents DEVICE BLOCK: its content, one line each: partitions, signatures, or non-zero bytes.
contents() {
    for part in "$root/sys/class/block/$2"/*/partition; do
        [ ! -e "$part" ] || { part=${part%/partition}; echo "the partition ${part##*/}"; }
    done
    wipefs --noheadings --output TYPE,LABEL "$1" || echo "content that wipefs cannot read"
    found=$(blkid -p -o value -s TYPE "$1" 2>&1)
    case $? in 2) ;; *) echo "content that blkid calls ${found:-ambivalent}" ;; esac
    size=$(of "$2" size)
    size=$((${size:-0} * 512))
    [ "$size" != 0 ] || echo "unreadable content: its size is unknown"
    at=$((size > EDGE ? size - EDGE : 0))
    cmp -s -n "$EDGE" "$1" /dev/zero || echo "non-zero bytes in its first $((EDGE / 1024)) KiB"
    cmp -s -n "$EDGE" -i "$at:0" "$1" /dev/zero || echo "non-zero bytes in its last $((EDGE / 1024)) KiB"
    index=1
    while [ "$index" -le "$SAMPLES" ]; do
        # shellcheck disable=SC2017 # whole samples are meant
        at=$((size / SAMPLE / (SAMPLES + 1) * index * SAMPLE))
        cmp -s -n "$SAMPLE" -i "$at:0" "$1" /dev/zero || { echo "non-zero bytes at $at"; break; }
        index=$((index + 1))
    done
}

# look_disk DEVICE: with $study, $labels (of the study's file systems and arrays) and $named (by
# --wipe).
look_disk() {
    [ -b "$1" ] || { refused "$1 is not a block device"; return 1; }
    name=$(block "$1")
    # The label of the study's own content; blkid has that of an array as HOST:NAME.
    label=$(blkid -p -o value -s LABEL "$1" 2>/dev/null)
    case " $labels " in *" ${label:-/} "*) like=$label ;; *) like= ;; esac
    if [ -n "$like" ] && was_here "$study"; then
        only_own_volumes "$kept/$study/volumes" "$named" "$1"
        return
    fi
    # --no-act writes nothing; wipefs opens the device for writing, which finds any other user of it
    # (ZFS, bcache).
    used=$(users "$name" | sort -u)
    [ -n "$used" ] || wipefs --no-act --all "$1" >/dev/null 2>&1 || used="it is busy with an unknown user"
    [ -z "$used" ] || { refused "$1 ($(facts_of "$name")) is in use: $(echo "$used" | tr '\n' ';')"; return 1; }
    case " $named " in *" $1 "*) return 0 ;; esac
    found=$(contents "$1" "$name")
    [ -n "$found" ] || return 0
    refused "$1 ($(facts_of "$name")) is not empty: $(echo "$found" | tr -s ' \t\n' '  ;')"
    echo "to erase it, name it: --wipe ${node:-NODE}:$1"
    [ -z "$like" ] || echo "if $like are data of $study: install -d -m 700 $kept/$study && touch $kept/$study/left"
    return 1
}

# is_deployed STUDY DEVICE...: an earlier step created them; the study's mark and the UUIDs prove
# it.
is_deployed() {
    was_here "$1" || return 1
    file=$kept/$1/volumes
    shift
    volumes_are_known "$file" "$@"
}

# look_disks STUDY LABELS NAMED DEVICE...: each belongs to this study, or is named and unused, or is
# free and empty.
look_disks() {
    study=$1 labels=$2 named=$3
    shift 3
    pids='' bad=0 number=0
    answers=$(mktemp -d) || return 1
    for device; do
        number=$((number + 1))
        look_disk "$device" >"$answers/$number" 2>&1 &
        pids="$pids $!"
    done
    # In parallel, printed in the order of the arguments.
    number=0
    for pid in $pids; do
        number=$((number + 1))
        wait "$pid" || bad=1
        cat "$answers/$number"
    done
    rm -rf "$answers"
    return "$bad"
}

# look_twice DEVICE...: no two names lead to one disk, by one path or by two.
look_twice() {
    bad=0 seen=
    for device; do
        real=$(block "$device")
        [ -b "$device" ] || { refused "$device is not a block device" || bad=1; continue; }
        number=$(identity "$real")
        while read -r other before serial; do
            [ -n "$other" ] || continue
            [ "$before" != "$real" ] || refused "$device and $other are the same device, $real" || bad=1
            [ "$before" = "$real" ] || [ -z "$number" ] || [ "$serial" != "$number" ] ||
                refused "$device and $other are two paths to one disk, $number" || bad=1
        done <<END
$seen
END
        seen="$seen
$device $real $number"
    done
    return "$bad"
}
