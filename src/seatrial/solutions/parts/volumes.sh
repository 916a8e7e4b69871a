# shellcheck shell=sh
# What a study has made on a node's own disks, by UUID: in its folder a file of lines, DEVICE UUID. While something is being made on a
# device, whose UUID nobody knows yet, there is a line `making DEVICE`.

# volume_uuid DEVICE: that of the file system, array, LVM volume, table of partitions or OSD there; nothing where it has none.
volume_uuid() {
    uuid=$(blkid -p -o value -s UUID "$1" 2>/dev/null) || uuid=
    [ -n "$uuid" ] || uuid=$(blkid -p -o value -s PTUUID "$1" 2>/dev/null) || uuid=
    [ -n "$uuid" ] || uuid=$(head -c 60 "$1" 2>/dev/null | sed -n '1{/^bluestore block device$/!q;};2p') || uuid=
    echo "$uuid"
}

nl='
'

# noted_lines FILE: what it says, with a line's end before and behind each line.
noted_lines() { printf '%s' "$nl" && cat "$1" 2>/dev/null && printf '%s' "$nl"; }

# volumes_are_known FILE DEVICE...: whether these devices, on which one thing was made, hold what the study has made. One that holds it is
# enough: another may have been replaced. Of a device without a line nothing is known, and it is not read: a map of multipath that has
# lost its paths lets nobody go.
volumes_are_known() {
    noted=$(noted_lines "$1")$nl
    shift
    others=
    for device; do
        case $noted in
        *"${nl}making $device$nl"*) return 0 ;;
        *"$nl$device "*) ;;
        *) continue ;;
        esac
        uuid=$(volume_uuid "$device")
        case $noted in *" ${uuid:-/}$nl"*) return 0 ;; esac
        [ -z "$uuid" ] || others="$others $device"
    done
    [ -z "$others" ]
}

# only_own_volumes FILE NAMED DEVICE...: what is there and not the study's is told, but for what --wipe names: the user has looked at it.
only_own_volumes() {
    file=$1 named=$2
    shift 2
    for device; do
        shift
        case " $named " in *" $device "*) ;; *) [ ! -b "$device" ] || set -- "$@" "$device" ;; esac
    done
    ! volumes_are_known "$file" "$@" || return 0
    for device in $others; do
        echo "refused: $device holds $(volume_uuid "$device"), which the study has not made"
    done
    echo "what it has made is in $file; take away what is there, or, if it is the study's all the same, that file"
    return 1
}

# expect_volumes FILE DEVICE...: something is about to be made on them.
expect_volumes() {
    file=$1
    shift
    (umask 077 && printf 'making %s\n' "$@" >>"$file")
}

# volumes_are_noted FILE DEVICE...: each that holds anything has a line, and nothing is being made.
volumes_are_noted() {
    noted=$(noted_lines "$1")$nl
    shift
    for device; do
        case $noted in
        *"${nl}making $device$nl"*) return 1 ;;
        *"$nl$device "*) ;;
        *) [ -z "$(volume_uuid "$device")" ] || return 1 ;;
        esac
    done
}

# note_volumes FILE DEVICE...: what has been made, whole or not at all. What a device held before is forgotten where it was made anew.
note_volumes() {
    file=$1 noted=$(noted_lines "$1")$nl lines=
    shift
    while read -r device uuid; do
        case $device in '' | making) continue ;; esac
        case $noted in *"${nl}making $device$nl"*) ;; *) lines=$lines$device\ $uuid$nl ;; esac
    done <<END
$noted
END
    for device; do
        case $nl$lines in *"$nl$device "*) continue ;; esac
        uuid=$(volume_uuid "$device")
        [ -z "$uuid" ] || lines=$lines$device\ $uuid$nl
    done
    (umask 077 && printf '%s' "$lines" >"$file.new") || {
        rm -f "$file.new"
        return 1
    }
    mv "$file.new" "$file"
}
