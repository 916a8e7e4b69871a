# shellcheck shell=sh
# What a study has made on the devices of a node, by UUID: a file of lines, DEVICE UUID, in the study's folder. While something is being
# made, whose UUID nobody knows yet, it has the line `making`.

# volume_uuid DEVICE: that of the file system, array, LVM volume, table of partitions or OSD there; nothing where it has none.
volume_uuid() {
    uuid=$(blkid -p -o value -s UUID "$1" 2>/dev/null) || uuid=
    [ -n "$uuid" ] || uuid=$(blkid -p -o value -s PTUUID "$1" 2>/dev/null) || uuid=
    [ -n "$uuid" ] || uuid=$(head -c 60 "$1" 2>/dev/null | sed -n '1{/^bluestore block device$/!q;};2p') || uuid=
    echo "$uuid"
}

# volumes_are_known FILE DEVICE...: nothing there is another one's than the study's, as far as UUIDs tell. Without the file, or while
# something is being made, they tell nothing.
volumes_are_known() {
    volumes=$1
    shift
    [ -s "$volumes" ] && ! grep -qx making "$volumes" || return 0
    for device; do
        uuid=$(volume_uuid "$device")
        [ -z "$uuid" ] || grep -q " $uuid\$" "$volumes" || return 1
    done
}

# only_own_volumes FILE NAMED DEVICE...: each that is known to be another one's is told, but for what --wipe names: the user has looked at it.
only_own_volumes() {
    others=0 file=$1 named=$2
    shift 2
    for device; do
        case " $named " in *" $device "*) continue ;; esac
        if [ ! -b "$device" ] || volumes_are_known "$file" "$device"; then continue; fi
        echo "refused: $device holds $(volume_uuid "$device"), which the study has not made"
        others=1
    done
    [ "$others" = 0 ] || echo "what it has made is in $file; if this is the study's all the same, remove that file"
    return "$others"
}

# volumes_are_noted FILE DEVICE...: the file has all of them, and nothing is being made.
volumes_are_noted() { [ -e "$1" ] && ! grep -qx making "$1" && volumes_are_known "$@"; }

# note_volumes FILE DEVICE...: what has been made, whole or not at all.
note_volumes() {
    volumes=$1
    shift
    umask 077
    {
        [ ! -e "$volumes" ] || grep -vx making "$volumes" || :
        for device; do
            uuid=$(volume_uuid "$device")
            [ -z "$uuid" ] || grep -q " $uuid\$" "$volumes" 2>/dev/null || echo "$device $uuid"
        done
    } >"$volumes.new" || { rm -f "$volumes.new"; return 1; }
    mv "$volumes.new" "$volumes"
}
