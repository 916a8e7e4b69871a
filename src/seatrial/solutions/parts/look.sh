# shellcheck shell=sh
# Stage 0 asks these questions on every node, before the plan changes any. The functions only read.
#
# Each `no_other_*` and `look_*` exits with 0, or prints one line for each finding. SEATRIAL_ROOT
# precedes every path of the system, so that a test can provide the files of a node.
root=${SEATRIAL_ROOT-}
kept=$root/var/lib/seatrial/made

# The study has begun to build on this node; only root can have set the mark.
mine() { [ -e "$kept/$1/mark" ]; }

# The study was deployed here: its data may be on disks although it was removed.
was_here() { mine "$1" || [ -e "$kept/$1/left" ]; }

refused() {
    echo "refused: $1"
    return 1
}

# no_planted STUDY: the study's files here are in folders that only root can write to, and none of
# them is a link, because a removal restores files from there.
no_planted() {
    bad=0
    for place in "$root/var/lib/seatrial" "$kept" "$kept/$1"; do
        if [ -L "$place" ] || { [ -e "$place" ] && [ ! -d "$place" ]; }; then
            refused "$place is not a folder of root; inspect it, then remove it"
            return 1
        fi
    done
    planted=$(
        find "$root/var/lib/seatrial" "$kept" -maxdepth 0 \( ! -uid "$(id -u)" -o -perm /022 \) 2>/dev/null
        find "$kept/$1" \( -type l -o ! -uid "$(id -u)" -o -perm /022 \) 2>/dev/null
    )
    [ -z "$planted" ] || while read -r place; do
        refused "$place is a link, or another user may write to it; inspect it, then remove it" || bad=1
    done <<END
$planted
END
    return "$bad"
}

# no_other_cluster STUDY NAME: corosync is not configured here, or by this study. It makes no
# difference whether a cluster runs; a name proves nothing. The configuration of a distribution's
# package belongs to no cluster: one node without resources that communicates with itself.
no_other_cluster() {
    conf=$root/etc/corosync/corosync.conf
    cib=$root/var/lib/pacemaker/cib/cib.xml
    if systemctl -q is-active pacemaker_remote 2>/dev/null; then
        refused "this node is a remote node of a pacemaker cluster (pacemaker_remote runs)"
        return 1
    fi
    if [ -s "$conf" ]; then
        configured=$(sed -n 's/^[[:space:]]*cluster_name: *//p' "$conf")
        if mine "$1" && [ "$configured" = "$2" ]; then
            no_other_resources "$1"
            return
        fi
        rings=$(sed -n 's/^[[:space:]]*ring[0-9]*_addr: *//p' "$conf")
        if [ "$configured" != debian ] || [ "$rings" != 127.0.0.1 ]; then
            other_cluster "$1" "$configured"
            return 1
        fi
    elif mine "$1"; then
        return 0
    fi
    if [ -n "$(resources)" ]; then
        refused "pacemaker has resources on this node ($cib), which $1 did not create; remove them first"
    fi
}

# resources: the resources of pacemaker's configuration, including bundles of containers.
resources() { grep -Eo '<(primitive|bundle) [^>]*' "$cib" 2>/dev/null | sed -n "s/.* id=[\"']\([^\"']*\).*/\1/p"; }

# no_other_resources STUDY: pacemaker runs only the resources in the property that a deploy writes.
no_other_resources() {
    [ -s "$cib" ] || return 0
    bad=0 own=$(sed -n 's/.*<nvpair [^>]*name="seatrial-resources" value="\([^"]*\)".*/\1/p' "$cib")
    for found in $(resources); do
        case " $own " in *" $found "*) continue ;; esac
        refused "$found is a resource of the study's cluster that $1 did not create ($cib); remove it first" || bad=1
    done
    return "$bad"
}

other_cluster() {
    refused "this node belongs to the cluster '$2' ($conf), which $1 did not create; remove it from that cluster first"
}

# ours STUDY PREFIX NAME: an iSCSI name of this study.
ours() { mine "$1" && case $3 in "$2" | "$2":* | "$2".*) ;; *) false ;; esac; }

# no_other_targets STUDY PREFIX: only the study's iSCSI targets are offered or configured here.
no_other_targets() {
    found=$(
        tgtadm --lld iscsi --mode target --op show 2>/dev/null | sed -n 's/^Target [0-9]*: /tgt offers /p'
        sed -n 's/^[[:space:]]*<target[[:space:]]*\([^>[:space:]]*\).*/tgt is to offer \1/p' \
            "$root/etc/tgt/targets.conf" "$root"/etc/tgt/conf.d/*.conf 2>/dev/null
        sed -n 's/^target [0-9]* /tgt is to offer /p' "$root"/etc/tgt/seatrial-*.targets 2>/dev/null
        for place in "$root"/sys/kernel/config/target/iscsi/iqn.* "$root"/sys/kernel/config/target/iscsi/eui.*; do
            [ ! -d "$place" ] || echo "the kernel offers ${place##*/}"
        done
        grep -o '"wwn": *"\(iqn\|eui\|naa\)[^"]*"' "$root/etc/rtslib-fb-target/saveconfig.json" \
            "$root/etc/target/saveconfig.json" 2>/dev/null | sed 's/.*"wwn": *"\(.*\)"/the kernel is to offer \1/'
    )
    refuse_foreign "$1" "$2" "$found" "stop and remove it first, or use another node"
}

# no_other_sessions STUDY PREFIX: this initiator has only the study's targets, now and configured.
no_other_sessions() {
    found=$(
        for place in "$root"/sys/class/iscsi_session/*/targetname; do
            [ ! -r "$place" ] || { read -r name <"$place" && echo "a session uses $name"; }
        done
        for place in "$root"/etc/iscsi/nodes/* "$root"/var/lib/iscsi/nodes/*; do
            [ ! -e "$place" ] || echo "the node database has the target ${place##*/}"
        done
    )
    refuse_foreign "$1" "$2" "$found" \
        "the node's initiator name and its logins at boot would change; log out and delete it first"
}

# refuse_foreign STUDY PREFIX LINES ADVICE: refuses each line that ends in a foreign iSCSI name.
refuse_foreign() {
    bad=0
    while read -r line; do
        [ -z "$line" ] || ours "$1" "$2" "${line##* }" || { refused "$line, which $1 did not create; $4" || bad=1; }
    done <<END
$3
END
    return "$bad"
}

# no_other_maps STUDY PREFIX: multipath, which gets a new configuration, joins only the study's paths.
no_other_maps() {
    bad=0
    for place in "$root"/sys/block/dm-*/dm; do
        { read -r uuid <"$place/uuid" && read -r name <"$place/name"; } 2>/dev/null || continue
        case $uuid in mpath-*) ;; *) continue ;; esac
        case $name in "$2"-*) ! mine "$1" || continue ;; esac
        refused "multipath joins the paths to $name ($uuid), which $1 did not create; its configuration would change" ||
            bad=1
    done
    return "$bad"
}

# no_other_exports STUDY PATH: the exports of the NFS server, now and configured, are below PATH.
no_other_exports() {
    bad=0
    for file in "$root/var/lib/nfs/etab" "$root/etc/exports" "$root"/etc/exports.d/*.exports; do
        [ -r "$file" ] || continue
        while read -r path rest || [ -n "$path" ]; do
            case $path in '' | '#'*) continue ;; esac
            case $file in
            "$root/var/lib/nfs/etab" | */"seatrial-$1.exports") # foreign files may name the path as well
                case $path in "$2" | "$2"/*) ! mine "$1" || continue ;; esac ;;
            esac
            refused "$file exports $path, which $1 did not create; the NFS server's threads and times would change" ||
                bad=1
        done <"$file"
    done
    return "$bad"
}

# no_other_mount STUDY PATH: only the study mounts a file system there, now or at boot.
no_other_mount() {
    bad=0 own='' own_kind=''
    if mine "$1"; then
        line=$(awk -v path="$2" '$1 !~ /^#/ && $2 == path { print $1, $3; exit }' "$root/etc/fstab")
        own=${line%% *} own_kind=${line#* }
    fi
    for file in "$root/proc/mounts" "$root/etc/fstab"; do
        while read -r source path kind rest || [ -n "$source" ]; do
            case $source in '#'*) continue ;; esac
            [ "$path" = "$2" ] || continue
            if mine "$1" && own_mount "$source" "$kind"; then continue; fi
            refused "$file has $source at $2 ($kind), which $1 did not create; remove it first" || bad=1
        done <"$file"
    done
    return "$bad"
}

# own_mount SOURCE KIND: the study's line of fstab mounts this source. A device may have several
# names; file systems other than NFS and sshfs may name their source freely. GFS2 has a unit and no
# line: only the study mounts one in its cluster.
own_mount() {
    if [ "$1" = "$own" ] || [ "$2" = gfs2 ]; then return 0; fi
    case $1:$2 in
    /*) [ -e "$own" ] && [ "$(readlink -f "$1")" = "$(readlink -f "$own")" ] ;;
    *:nfs | *:nfs4 | *:fuse.sshfs) return 1 ;;
    *:"$own_kind"* | *:fuse."$own_kind"*) [ -n "$own" ] ;;
    *) return 1 ;;
    esac
}

# secret_file STUDY PATH: the file of a secret exists, and only root can read it.
secret_file() {
    [ -s "$root$2" ] || { refused "$2 is missing or empty: $1 needs the secret in it"; return 1; }
    [ -z "$(find -L "$root$2" -maxdepth 0 \( ! -uid "$(id -u)" -o -perm /077 \))" ] ||
        refused "other users than root can read $2; chown and chmod 600 it"
}
