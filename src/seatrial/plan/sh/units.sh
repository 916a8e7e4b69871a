# shellcheck shell=sh
# Units of systemd. One call of systemctl with several units would succeed when any of them is
# active or enabled (systemctl(1)).

# units_are STATE UNIT...: every unit is in this state, `active` or `enabled`.
units_are() {
    state=$1
    shift
    for unit; do systemctl -q "is-$state" "$unit" || return; done
}

# reread_unit UNIT: lets systemd reread the files of the unit, if it has read them before. A reload
# reads the files of all units and runs every generator, which takes seconds on a busy node. A unit
# that systemd has not read yet is read on demand.
reread_unit() {
    [ "$(systemctl show --property=NeedDaemonReload --value "$1")" = no ] ||
        systemctl daemon-reload
}

# restart_if_active UNIT: applies a change by a restart.
restart_if_active() { ! systemctl -q is-active "$1" || systemctl restart "$1"; }

# unit_runs UNIT...: now and after every boot.
unit_runs() { units_are active "$@" && units_are enabled "$@"; }

# start_unit UNIT...: now and after every boot.
start_unit() {
    systemctl -q --no-reload enable "$@" || return
    systemctl start "$@"
}

# unit_is_off UNIT...: no unit is active or enabled.
unit_is_off() { ! systemctl -q is-active "$@" && ! systemctl -q is-enabled "$@" 2>/dev/null; }

# stop_unit UNIT...: now and after every boot.
stop_unit() {
    systemctl -q --no-reload disable "$@" || return
    systemctl stop "$@"
}

# remove_unit UNIT FILE: stops the unit and removes its file, if it has one.
remove_unit() {
    [ -e "$2" ] || return 0
    stop_unit "$1" || return
    rm "$2" || return
    reread_unit "$1.service"
}

# without_systemd: a client of a lab; such a node is recreated, not rebooted.
without_systemd() { [ ! -d /run/systemd/system ]; }
