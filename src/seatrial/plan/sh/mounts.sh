# shellcheck shell=sh
# Mounts, now and at every boot. /etc/fstab is replaced at once: with a part of it the node might
# not boot. A mount point is no pattern: `/mnt/a.b` is not `/mnt/a-b`.

# fstab_has SOURCE PATH TYPE OPTIONS
fstab_has() { grep -qxF "$1 $2 $3 $4 0 0" /etc/fstab; }

# put_fstab_line SOURCE PATH TYPE OPTIONS: replaces any line of the mount point. The mount of
# another source is unmounted first: its line identifies it as the study's (look.sh).
put_fstab_line() {
    if awk -v path="$2" -v device="$1" \
        '$1 ~ /^#/ || $2 != path || $1 == device { next } { found = 1 } END { exit !found }' \
        /etc/fstab; then
        unmount_all "$2" || return
    fi
    {
        lines_of_others "$2" && echo "$1 $2 $3 $4 0 0"
    } >/etc/fstab.new || {
        rm -f /etc/fstab.new
        return 1
    }
    replace_fstab
}

# no_fstab_line PATH
no_fstab_line() {
    awk -v path="$1" '$1 !~ /^#/ && $2 == path { found = 1 } END { exit found }' /etc/fstab
}

# remove_fstab_line PATH
remove_fstab_line() {
    lines_of_others "$1" >/etc/fstab.new || {
        rm -f /etc/fstab.new
        return 1
    }
    replace_fstab
}

# lines_of_others PATH: the lines of other mount points, and comments.
lines_of_others() { awk -v path="$1" '$1 ~ /^#/ || $2 != path' /etc/fstab; }

replace_fstab() {
    chmod --reference=/etc/fstab /etc/fstab.new || return
    mv /etc/fstab.new /etc/fstab
}

# mounted_at PATH: the kernel's lines of its mounts.
mounted_at() { grep -F " $1 " /proc/mounts; }

# unmount_all PATH: unmounts everything, as mounts may be stacked.
unmount_all() {
    while mounted_at "$1" >/dev/null; do umount "$1" || return; done
}

# is_unmounted PATH: and the directory does not exist.
is_unmounted() { ! mounted_at "$1" >/dev/null && [ ! -d "$1" ]; }

# remove_mount PATH: unmounts, and removes the directory.
remove_mount() {
    unmount_all "$1" || return
    [ ! -d "$1" ] || rmdir "$1"
}

# note_mount PATH REQUESTED FILE: records the requested options and the kernel's line of the mount.
note_mount() {
    {
        echo "$2" && mounted_at "$1"
    } >"$3"
}

# mount_is PATH REQUESTED FILE: mounted as requested, and unchanged since the plan mounted it.
mount_is() {
    { read -r asked && read -r line; } <"$3" &&
        [ "$asked" = "$2" ] && [ "$(mounted_at "$1")" = "$line" ]
}

# put_mount PATH COMMAND...: mounts by the command in the place of other mounts. A process of the
# mount must not hold the descriptor of the results: the script would never end.
put_mount() {
    path=$1
    shift
    unmount_all "$path" || return
    mkdir -p "$path" || return
    "$@" 3>&-
}

# show_mount PATH FILE: the words of the kernel's line that differ from those when the plan mounted
# it.
show_mount() {
    now=$(mounted_at "$1" | tr ' \n' ,,)
    { read -r asked && read -r line; } <"$2" || {
        echo "now: ${now:-nothing}"
        return
    }
    show_words "$now" "$(echo "$line" | tr ' ' ,)" || return
    case $now in *,0,0,*,0,0,) echo "now: two mounts at this path" ;; esac
}

# show_words NOW DEPLOYED: the words of each that the other lacks; commas separate them.
show_words() (
    [ "$1" ] || {
        echo "now: nothing"
        exit
    }
    set -f
    IFS=,
    for word in $1; do case ",$2,," in *",$word,"*) ;; *) echo "now: $word" ;; esac; done
    for word in $2; do case ",$1,," in *",$word,"*) ;; *) echo "deployed: $word" ;; esac; done
)
