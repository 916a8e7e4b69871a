# shellcheck shell=sh
# The volumes of a study on a node's own disks, by UUID: its folder has a file of lines, DEVICE
# UUID. While a step creates a volume, its UUID is unknown, and the file has a line `making DEVICE`.

# volume_uuid DEVICE: the UUID of its file system, array, LVM volume, partition table or OSD; empty
# without one.
volume_uuid() {
    uuid=$(blkid -p -o value -s UUID "$1" 2>/dev/null) || uuid=
    [ -n "$uuid" ] || uuid=$(blkid -p -o value -s PTUUID "$1" 2>/dev/null) || uuid=
    [ -n "$uuid" ] || uuid=$(head -c 60 "$1" 2>/dev/null | sed -n '1{/^bluestore block device$/!q;};2p') || uuid=
    echo "$uuid"
}

nl='
'

# noted_lines FILE: its text, with a line end before and after each line.
noted_lines() { printf '%s' "$nl" && cat "$1" 2>/dev/null && printf '%s' "$nl"; }

# volumes_are_known FILE DEVICE...: whether these devices of one volume hold the study's volume. One
# of them is sufficient, because the other devices may have been replaced. A device without a line
# is unknown, and is not read: a read of a multipath map without paths never ends.
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

# only_own_volumes FILE NAMED DEVICE...: reports foreign volumes, except on devices that --wipe
# names: the user inspected those.
only_own_volumes() {
    file=$1 named=$2
    shift 2
    for device; do
        shift
        case " $named " in *" $device "*) ;; *) [ ! -b "$device" ] || set -- "$@" "$device" ;; esac
    done
    ! volumes_are_known "$file" "$@" || return 0
    for device in $others; do
        echo "refused: $device holds $(volume_uuid "$device"), which the study did not create"
    done
    echo "$file lists the volumes of the study; remove the foreign volume, or, if it belongs to the study, that file"
    return 1
}

# expect_volumes FILE DEVICE...: the next step creates a volume on them.
expect_volumes() {
    file=$1
    shift
    (umask 077 && printf 'making %s\n' "$@" >>"$file")
}

# volumes_are_noted FILE DEVICE...: each device with content has a line, and no creation is in
# progress.
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

# note_volumes FILE DEVICE...: records the created volumes atomically, and drops the former ones of
# recreated devices.
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
