# shellcheck shell=sh disable=SC2154
# Facts of a node before a deploy; read-only. It follows look.sh and look_disks.sh in a script.
# Each fact is one line that begins with its kind.

# fact_system: the distribution, the kernel, the memory in KiB, and the login that used sudo.
fact_system() {
    [ -z "${SUDO_USER-}" ] || echo "login $SUDO_USER"
    sed -n 's/^MemTotal: *\([0-9]*\) kB$/memory \1/p' "$root/proc/meminfo" 2>/dev/null
    name=$(sed -n 's/^PRETTY_NAME="*\([^"]*\)"*$/\1/p' "$root/etc/os-release")
    echo "system $name, Linux $(uname -r)"
}

# fact_link NETWORK ADDRESS PEER: the link to another node, with its speed in Mbit/s (-1: unknown),
# its MTU, and whether a packet of that size arrives unfragmented (ping(8)): yes, no, or -.
# - is unknown: no card, or no answer to small packets.
fact_link() {
    peer=$(getent ahostsv4 "$2" | { read -r address _ && echo "$address"; })
    link=$(ip -o route get "${peer:-$2}" 2>/dev/null | sed -n 's/.* dev \([^ ]*\) .*/\1/p')
    speed='' mtu=''
    { read -r speed <"$root/sys/class/net/$link/speed"; } 2>/dev/null || speed=-1
    { read -r mtu <"$root/sys/class/net/$link/mtu"; } 2>/dev/null || mtu=0
    # Headers: ICMP 8 bytes and IPv4 20; IPv6 has 20 more. No packet is larger than 65535 bytes.
    through=- headers=28
    case ${peer:-$2} in *:*) headers=48 ;; esac
    payload=$(((mtu < 65535 ? mtu : 65535) - headers))
    if [ "$payload" -gt 0 ] && ping -q -c 1 -W 2 "${peer:-$2}" >/dev/null 2>&1; then
        through=no
        ! ping -q -c 1 -W 2 -M 'do' -s "$payload" "${peer:-$2}" >/dev/null 2>&1 || through=yes
    fi
    echo "link $1 ${link:--} $speed $mtu $through $3"
    [ -z "$link" ] || fact_bond "$1" "$link"
}

# fact_bond NETWORK DEVICE: the bond that a device is, or is on (a VLAN), with its mode, its hash,
# its number of links, and how many of them are up.
fact_bond() {
    for bond in "$root/sys/class/net/$2" "$root/sys/class/net/$2"/lower_*; do
        { read -r mode _ <"$bond/bonding/mode"; } 2>/dev/null || continue
        read -r policy _ <"$bond/bonding/xmit_hash_policy"
        read -r members <"$bond/bonding/slaves" || members=
        number=0 working=0
        for member in $members; do
            number=$((number + 1))
            file=$root/sys/class/net/$member/bonding_slave/mii_status
            { read -r state <"$file"; } 2>/dev/null || state=
            [ "$state" != up ] || working=$((working + 1))
        done
        name=${bond##*/}
        echo "bond $1 ${name#lower_} $mode $policy $number $working"
    done
}

# fact_package COMMAND PACKAGE: its version where it is installed; `install` where the command is missing.
fact_package() {
    version=$(dpkg-query -W -f '${Version}' "$2" 2>/dev/null || rpm -q --qf '%{VERSION}-%{RELEASE}' "$2" 2>/dev/null)
    if PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null; then
        echo "version $2 ${version:-there}"
    else
        echo "install $2"
    fi
}

# fact_device DEVICE: model, serial number, size in bytes, users and content, separated by tabs.
fact_device() {
    name=$(block "$1")
    size=$(of "$name" size)
    found=$([ ! -b "$1" ] || { users "$name" | sort -u; contents "$1" "$name" 2>&1; } | tr -s ' \t\n' '  ;')
    printf 'device %s\t%s\t%s\t%s\t%s\n' "$1" "$(of "$name" device/model)" "$(identity "$name")" \
        "$((${size:-0} * 512))" "$found"
}

# fact_unit UNIT: it runs.
fact_unit() { ! systemctl -q is-active "$1" 2>/dev/null || echo "runs $1"; }
