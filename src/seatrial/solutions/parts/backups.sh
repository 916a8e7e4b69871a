# shellcheck shell=sh
# What a node had before a study: its units, in a file of lines UNIT ENABLED ACTIVE as systemd says it, and its packages.

# units_are_kept FILE UNIT...: the file has every unit.
units_are_kept() {
    kept=$1
    shift
    for unit; do grep -q "^$unit " "$kept" 2>/dev/null || return 1; done
}

# keep_units FILE UNIT...: what the file does not have yet, whole or not at all.
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

# give_back_units FILE: what was enabled is enabled, what was disabled is disabled, and what ran runs. A target or a mount
# stays when the last unit that wanted it has stopped: it is stopped, too, where it did not run.
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

# packages: the name of each that is installed. One of which only configuration is left is not. Fails where nobody tells:
# a list that is empty would make all others look new.
packages() {
    if command -v apt-get >/dev/null; then
        there=$(dpkg-query -W -f '${db:Status-Status} ${binary:Package}\n' | sed -n 's/^installed //p')
    else
        there=$(rpm -qa --qf '%{NAME}\n')
    fi
    [ -n "$there" ] || { echo "which packages are installed cannot be asked" >&2 && return 1; }
    echo "$there"
}

# keep_packages FILE: before some are installed.
keep_packages() { (umask 077 && packages >"$1.before"); }

# note_packages FILE: those that have been installed since, with what they need.
note_packages() {
    [ ! -s "$1.before" ] || (umask 077 && packages | grep -vxFf "$1.before" >>"$1") || :
    rm -f "$1.before"
}

# noted_packages FILE: those that were noted and are still there.
noted_packages() {
    [ -e "$1" ] || return 0
    there=$(packages) || return
    echo "$there" | grep -xFf "$1" || :
}

# take_packages FILE: take away what was noted, but for what somebody needs by now: another study, or a package that
# has been installed since. What cannot go stays noted, and is told.
take_packages() {
    own=${1%/*}
    for mark in "${own%/*}"/*/mark; do
        [ ! -e "$mark" ] || [ "$mark" = "$own/mark" ] || {
            echo "another study builds on this node, and may need them: $mark"
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

# dpkg names what stands in the way, one after the other; nothing is taken away before all others can go.
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
    # Configuration that somebody has edited is theirs.
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

# is_unedited NAME: all its configuration files are as the package brought them.
is_unedited() {
    dpkg-query -W -f '${Conffiles}\n' "$1" | while read -r path sum obsolete; do
        [ -z "$path" ] || [ -n "$obsolete" ] || [ "$(md5sum <"${DPKG_ROOT-}$path" 2>/dev/null)" = "$sum  -" ] || return 1
    done
}

# rpm keeps what was edited, as *.rpmsave, and takes all away or nothing.
take_red_hat() {
    shift
    rpm -e "$@"
}
