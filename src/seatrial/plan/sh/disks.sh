# shellcheck shell=sh
# Disks, and md arrays of them.

# md_is NAME LEVEL DISKS [CHUNK]: the array is active with this geometry; CHUNK in bytes.
md_is() {
    [ -b "/dev/md/$1" ] && md=$(readlink -f "/dev/md/$1") && md=/sys/block/${md##*/}/md &&
        read -r level <"$md/level" && [ "$level" = "raid$2" ] &&
        read -r disks <"$md/raid_disks" && [ "$disks" = "$3" ] || return
    [ -z "${4:-}" ] || { read -r chunk <"$md/chunk_size" && [ "$chunk" = "$4" ]; }
}

# md_is_idle NAME MEMBER: the array is on its disks, but not active.
md_is_idle() {
    [ ! -b "/dev/md/$1" ] &&
        mdadm --examine --export "$2" 2>/dev/null | grep -q "^MD_NAME=any:$1\$"
}

# assemble_md NAME DEVICE...: unless it is active.
assemble_md() {
    name=$1
    shift
    [ -b "/dev/md/$name" ] || mdadm --assemble "/dev/md/$name" "$@"
}

# settle_md NAME...: waits for the names of arrays.
settle_md() {
    for name; do
        udevadm settle --timeout=120 "--exit-if-exists=/dev/md/$name" || return
    done
}

# erase_devices discard|zero DEVICE...: erases signatures and discards blocks in parallel; with a
# busy device no device is touched. With `zero`, parity relies on zeros on the disks: the discard
# must succeed.
erase_devices() {
    how=$1
    shift
    for device; do
        wipefs --no-act --all "$device" >/dev/null || {
            echo "$device is in use; nothing was erased" >&2
            return 1
        }
    done
    pids=
    for device; do
        { wipefs --all "$device" && discard "$how" "$device"; } &
        pids="$pids $!"
    done
    for pid in $pids; do wait "$pid" || return; done
}

discard() {
    case $1 in
    zero) blkdiscard "$2" ;;
    *) blkdiscard "$2" 2>/dev/null || true ;;
    esac
}
