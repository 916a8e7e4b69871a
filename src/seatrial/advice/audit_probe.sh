# shellcheck shell=sh
# Facts of a node for an audit; read-only. $1 is the name or address of a peer.
# Each line of output is a kind and its unchanged text: printf, because echo of dash interprets
# backslashes. A line `gap WHAT: WHY` reports an unreadable fact. The exit code is always 0.

say() { printf '%s %s\n' "$1" "$2"; }
gap() { say gap "$1: $2"; }

# each_line KIND FILE: every line of a file, or a gap where it exists and is unreadable
each_line() {
    [ -e "$2" ] || return 0
    [ -r "$2" ] || { gap "$2" "not readable"; return 0; }
    while IFS= read -r line || [ -n "$line" ]; do say "$1" "$line"; done <"$2"
}

if [ -r /proc/mounts ]; then
    while read -r source path kind options rest; do
        case $kind in
        nfs | nfs4 | cifs | smb3 | fuse.sshfs | ext3 | ext4 | xfs) say mount "$source $path $kind $options" ;;
        esac
    done </proc/mounts
else
    gap "mounts" "/proc/mounts is not readable"
fi
[ ! -r /proc/fs/nfsd/threads ] || { read -r threads </proc/fs/nfsd/threads; say value "nfsd_threads $threads"; }
each_line export /var/lib/nfs/etab
each_line mdstat /proc/mdstat

samba=
[ ! -e /run/samba/smbd.pid ] || samba=/etc/samba/smb.conf
[ ! -e /run/smbd.pid ] || samba=/etc/samba/smb.conf
for process in /proc/[0-9]*; do
    { [ -r "$process/comm" ] && read -r name <"$process/comm"; } 2>/dev/null || continue
    case $name in
    sshfs) say sshfs "$(tr '\n\0' ' \t' 2>/dev/null <"$process/cmdline")" ;;
    smbd) samba=/etc/samba/smb.conf ;;
    esac
done
[ -z "$samba" ] || [ -e "$samba" ] || gap "Samba's shares" "smbd runs, and $samba does not exist"
for conf in /run/seatrial-smb-*/smb.conf $samba; do
    [ ! -e "$conf" ] || say smbconf "$conf"
    each_line smb "$conf"
done

# By the host's own client, or by the client of a container, which takes longer to start.
ceph_client=ceph
# shellcheck disable=SC2086 # its words
ceph_says() { timeout 30 $ceph_client "$@" --format json 2>/dev/null </dev/null | tr -d '\n'; }
ask_ceph() {
    health=$(ceph_says health detail)
    printf 'value ceph %s\n' "$health"
    [ -n "$health" ] || return 0
    versions=$(ceph_says versions)
    printf 'value ceph_status %s\nvalue ceph_versions %s\n' "$(ceph_says status)" "$versions"
    printf 'value ceph_osd_dump %s\n' "$(ceph_says osd dump)"
    case ${versions#*overall} in *'"ceph version '*'"ceph version '*)
        for kind in mon mgr mds osd; do printf 'value ceph_%s %s\n' $kind "$(ceph_says $kind metadata)"; done ;;
    esac
}
# /var/lib/ceph/mon/ceph-X of packages, /var/lib/ceph/FSID/mon.X of cephadm
for store in /var/lib/ceph/mon/* /var/lib/ceph/*/mon.*; do
    [ -e "$store" ] || continue
    if ! command -v ceph >/dev/null; then
        if ! command -v cephadm >/dev/null; then
            gap "the Ceph cluster" "there is neither ceph nor cephadm on this node to ask $store"
            break
        fi
        ceph_client="cephadm shell -- ceph"
    fi
    ask_ceph
    break
done
[ ! -d /var/lib/rook ] || gap "the Ceph cluster" "Rook runs it in pods: ask from its toolbox (ceph health detail)"

# The MTU towards the peer. The audit must also complete on a node without a route or without ip.
look_at_mtu() {
    peer=$(getent ahosts "$1" 2>/dev/null | { read -r address rest; echo "$address"; })
    [ -n "$peer" ] || { gap "the MTU" "$1 has no address here"; return 0; }
    route=$(ip -o route get "$peer" 2>&1) || { gap "the MTU" "ip route get $peer: ${route:-failed}"; return 0; }
    link=$(printf '%s\n' "$route" | sed -n 's/.* dev \([^ ]*\).*/\1/p')
    if [ -n "$link" ] && [ -r "/sys/class/net/$link/mtu" ] && read -r mtu <"/sys/class/net/$link/mtu"; then
        say value "mtu $mtu"
    else
        gap "the MTU" "the interface towards $peer is not known"
    fi
}
[ -z "${1-}" ] || look_at_mtu "$1"
exit 0
