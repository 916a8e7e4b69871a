# shellcheck shell=sh
# The state of a node before a study: its units, in a file of lines UNIT ENABLED ACTIVE with the
# words of systemd, and its packages.

# units_are_kept FILE UNIT...: the file has every unit.
units_are_kept() {
    kept=$1
    shift
    for unit; do grep -q "^$unit " "$kept" 2>/dev/null || return 1; done
}

# keep_units FILE UNIT...: adds the missing units to the file atomically.
keep_units() {
    kept=$1
    shift
    umask 077
    mkdir -p "${kept%/*}"
    [ ! -e "$kept" ] || cp "$kept" "$kept.new"
    [ -e "$kept.new" ] || : >"$kept.new"
    for unit; do
        ! grep -q "^$unit " "$kept.new" || continue
        enabled=$(systemctl is-enabled "$unit" 2>/dev/null) || true
        active=$(systemctl is-active "$unit" 2>/dev/null) || true
        echo "$unit ${enabled:-absent} ${active:-inactive}" >>"$kept.new"
    done
    mv "$kept.new" "$kept"
}

# give_back_units FILE: enables, disables and starts each unit as it was. A target or a mount
# remains active after the last unit that wanted it has stopped; it is stopped here if it did not
# run before.
give_back_units() {
    while read -r unit enabled active; do
        case $enabled in
        enabled) systemctl -q --no-reload enable "$unit" ;;
        disabled) ! systemctl -q is-enabled "$unit" || systemctl -q --no-reload disable "$unit" ;;
        esac
        case $unit:$active in
        *:active) systemctl start "$unit" ;;
        *.target:* | *.mount:*) ! systemctl -q is-active "$unit" || systemctl stop "$unit" ;;
        esac
    done <"$1"
}

# noted_packages FILE: the recorded packages that are still installed.
noted_packages() {
    [ -e "$1" ] || return 0
    there=$(installed_packages) || return
    echo "$there" | grep -xFf "$1" || :
}

# take_packages FILE: removes the recorded packages, except those that another study or a later
# package needs. A package that remains stays recorded, and is reported.
take_packages() {
    own=${1%/*}
    for mark in "${own%/*}"/*/mark; do
        [ ! -e "$mark" ] || [ "$mark" = "$own/mark" ] || {
            echo "another study is deployed on this node and may need them: $mark"
            return 1
        }
    done
    names=$(noted_packages "$1") || return
    # shellcheck disable=SC2086 # names of packages are words
    set -- "$1" $names
    [ $# = 1 ] || if command -v apt-get >/dev/null; then take_debian "$@"; else take_red_hat "$@"; fi || return
    rm -f "$1"
    rmdir "$own" 2>/dev/null || :
}

# dpkg names the obstacles one after the other; nothing is removed before all other packages can be
# removed.
take_debian() {
    file=$1
    shift
    wanted=" $* " refused=
    # shellcheck disable=SC2086
    while [ -n "${wanted# }" ] && ! said=$(LC_ALL=C dpkg --no-act --remove $wanted 2>&1); do
        kept=$(echo "$said" | sed -n 's/^dpkg: dependency problems prevent removal of \(.*\):$/\1/p')
        [ -n "$kept" ] || { echo "$said" && return 1; }
        refused="$refused$said
"
        before=$wanted
        for name in $kept; do wanted=$(echo "$wanted" | sed "s/ $name / /; s/ ${name%:*} / /"); done
        [ "$wanted" != "$before" ] || { echo "$said" && return 1; }
    done
    # Edited configuration belongs to its editor.
    purged=
    for name in $wanted; do ! is_unedited "$name" || purged="$purged $name"; done
    # shellcheck disable=SC2086
    [ -z "${wanted# }" ] || DEBIAN_FRONTEND=noninteractive dpkg --remove $wanted >&2 || return
    # shellcheck disable=SC2086
    [ -z "$purged" ] || DEBIAN_FRONTEND=noninteractive dpkg --purge $purged >&2 || return
    [ -n "$refused" ] || return 0
    left=$(noted_packages "$file") || return
    echo "$left" >"$file"
    echo "$refused" | sed -n 's/^ \(.* depends on .*\)\.$/\1/p'
    return 1
}

# is_unedited NAME: every configuration file is that of the package.
is_unedited() {
    dpkg-query -W -f '${Conffiles}\n' "$1" | while read -r path sum obsolete; do
        [ -z "$path" ] || [ -n "$obsolete" ] || [ "$(md5sum <"${DPKG_ROOT-}$path" 2>/dev/null)" = "$sum  -" ] || return 1
    done
}

# rpm keeps edited files as *.rpmsave, and removes either all packages or none.
take_red_hat() {
    shift
    rpm -e "$@"
}
