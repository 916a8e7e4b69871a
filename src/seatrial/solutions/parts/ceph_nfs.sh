# shellcheck shell=sh
# What storage servers and clients do for NFS beside a Ceph file system. Arguments are paths.

nfs_directory_there() {
    [ -d "$1" ] && [ "$(stat -c %a "$1")" = 1777 ]
}

nfs_directory() {
    mkdir -p "$1"
    chmod 1777 "$1"
}

# Its files are the line of exports, and the configuration of nfsd.
nfs_serves_nothing() {
    [ ! -e "$1" ] && [ ! -e "$2" ]
}

# The service goes on where others export; files stay, and the folders that they are in.
nfs_serve_nothing() {
    path=
    [ ! -e "$1" ] || read -r path _ <"$1"
    rm -f "$1"
    exportfs -ra
    if [ ! -s /var/lib/nfs/etab ]; then
        systemctl stop nfs-server
        systemctl -q --no-reload disable nfs-server
    fi
    [ ! -d "$path" ] || find "$path" -depth -type d -exec rmdir --ignore-fail-on-non-empty {} +
    rm -f "$2"
}

nfs_not_mounted() {
    ! grep -q " $1 nfs" /proc/mounts
}

nfs_unmount() {
    while grep -q " $1 nfs" /proc/mounts; do umount "$1"; done
}
