# shellcheck shell=sh
# The power of a real host, switched by its management controller. These functions run on the host
# that reaches the controllers (environment.power_control). The password stays in a file there.

# controller_ipmi ADDRESS USER PASSWORD_FILE on|off|status: one request of IPMI 2.0.
controller_ipmi() {
    ipmitool -I lanplus -H "$1" -U "$2" -f "$3" chassis power "$4"
}

# controller_redfish ADDRESS USER PASSWORD_FILE on|off|status: one request to the first system of
# the controller (DSP0266).
controller_redfish() {
    system=$(redfish_get "$1" "$2" "$3" /redfish/v1/Systems |
        sed -n 's|.*"@odata.id": *"\(/redfish/v1/Systems/[^"]*\)".*|\1|p' | head -n 1)
    [ -n "$system" ] || {
        echo "the controller $1 lists no system" >&2
        return 1
    }
    case $4 in
    on) redfish_reset "$1" "$2" "$3" "$system" On ;;
    off) redfish_reset "$1" "$2" "$3" "$system" ForceOff ;;
    status)
        redfish_get "$1" "$2" "$3" "$system" |
            sed -n 's/.*"PowerState": *"\([^"]*\)".*/Chassis Power is \1/p'
        ;;
    esac
}

# redfish_get ADDRESS USER PASSWORD_FILE PATH: one member of an object for each line.
redfish_get() {
    redfish "$2" "$3" "https://$1$4" | tr -s ',{}[]' '[\n*]'
}

# redfish_reset ADDRESS USER PASSWORD_FILE SYSTEM TYPE
redfish_reset() {
    redfish "$2" "$3" "https://$1$4/Actions/ComputerSystem.Reset" \
        -X POST -H 'Content-Type: application/json' -d "{\"ResetType\": \"$5\"}" >/dev/null
}

# redfish USER PASSWORD_FILE URL [OPTION...]: curl reads the password from its input, so that no list
# of processes shows it.
redfish() {
    user=$1 password=$2 url=$3
    shift 3
    { printf 'user = "%s:' "$user" && tr -d '\n' <"$password" && printf '"\n'; } |
        curl --config - --fail --silent --show-error --max-time 20 "$@" "$url"
}

# set_power PROTOCOL ADDRESS USER PASSWORD_FILE on|off WAIT_S: request the state, then wait until the
# controller reports it.
set_power() {
    "controller_$1" "$2" "$3" "$4" "$5" >/dev/null || return
    waited=0
    until "controller_$1" "$2" "$3" "$4" status | grep -iq "power is $5\$"; do
        [ "$waited" -lt "$6" ] || {
            echo "the controller $2 accepted power $5, and does not report it after $6 s" >&2
            return 1
        }
        sleep 1
        waited=$((waited + 1))
    done
}

# restart_unless_up PROTOCOL ADDRESS USER PASSWORD_FILE HOST: switch a host on. A host that is on and
# does not answer to ping is switched off first. Without ping, a host that is on stays on, because it
# may be in use.
restart_unless_up() {
    if "controller_$1" "$2" "$3" "$4" status | grep -iq 'power is on$'; then
        if ! command -v ping >/dev/null || ping -c 3 -W 2 "$5" >/dev/null 2>&1; then
            return 0
        fi
        set_power "$1" "$2" "$3" "$4" off 30 || return
    fi
    set_power "$1" "$2" "$3" "$4" on 30
}
