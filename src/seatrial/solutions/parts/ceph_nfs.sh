# shellcheck shell=sh
# Steps of storage servers and clients for NFS in addition to a Ceph file system. Arguments are
# paths.

# NOTE exists from before the study creates the directory until its removal: a directory without it
# is foreign.

# nfs_directory_there DIRECTORY NOTE
nfs_directory_there() {
    [ -e "$2" ] && [ -d "$1" ] && [ "$(stat -c %a "$1")" = 1777 ]
}

# nfs_directory DIRECTORY NOTE
nfs_directory() {
    if [ ! -e "$2" ] && { [ -e "$1" ] || [ -L "$1" ]; }; then
        echo "refused: $1 exists, and this study did not create it; move it, or name another directory"
        return 1
    fi
    : >"$2"
    mkdir -p "$1"
    chmod 1777 "$1"
}

# nfs_serves_nothing EXPORTS CONFIGURATION
nfs_serves_nothing() {
    [ ! -e "$1" ] && [ ! -e "$2" ]
}

# nfs_serve_nothing EXPORTS CONFIGURATION NOTE: the service keeps running for foreign exports; files
# stay, and their folders.
nfs_serve_nothing() {
    path=
    [ ! -e "$1" ] || read -r path _ <"$1"
    rm -f "$1"
    exportfs -ra
    if [ ! -s /var/lib/nfs/etab ]; then
        systemctl stop nfs-server
        systemctl -q --no-reload disable nfs-server
    fi
    if [ -e "$3" ] && [ -d "$path" ]; then
        find "$path" -xdev -depth -type d -exec rmdir --ignore-fail-on-non-empty {} +
    fi
    [ -d "$path" ] || rm -f "$3"
    rm -f "$2"
}

nfs_not_mounted() {
    ! grep -q " $1 nfs" /proc/mounts
}

nfs_unmount() {
    while grep -q " $1 nfs" /proc/mounts; do umount "$1"; done
}
