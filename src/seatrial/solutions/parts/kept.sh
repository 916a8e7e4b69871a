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

# packages: the name of each that is installed.
packages() { dpkg-query -W -f '${Package}\n' 2>/dev/null || rpm -qa --qf '%{NAME}\n'; }

# keep_packages FILE: before some are installed.
keep_packages() { (umask 077 && packages >"$1.before"); }

# note_packages FILE: those that have been installed since, with what they need.
note_packages() {
    (umask 077 && packages | grep -vxFf "$1.before" >>"$1") || :
    rm -f "$1.before"
}
