# shellcheck shell=sh
# What storage servers and clients do for NFS beside a Ceph file system. Arguments are paths.

# NOTE is there from before the study makes the directory until it is gone: one that was there already is somebody's.

# nfs_directory_there DIRECTORY NOTE
nfs_directory_there() {
    [ -e "$2" ] && [ -d "$1" ] && [ "$(stat -c %a "$1")" = 1777 ]
}

# nfs_directory DIRECTORY NOTE
nfs_directory() {
    if [ ! -e "$2" ] && { [ -e "$1" ] || [ -L "$1" ]; }; then
        echo "refused: $1 is there already, and this study has not made it; move it away, or say another directory"
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

# nfs_serve_nothing EXPORTS CONFIGURATION NOTE: the service goes on where others export; files stay, and their folders.
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
