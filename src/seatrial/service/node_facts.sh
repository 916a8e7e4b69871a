# shellcheck shell=sh
# The facts of a node for the result, one line each: KIND VALUE, separated by a tab. The functions
# only read, and need no root.
# usage: node_facts PACKAGE...
LC_ALL=C
export LC_ALL

node_facts() {
    printf 'kernel\t%s\n' "$(uname -r)"
    # shellcheck source=/dev/null
    (. /etc/os-release && printf 'system\t%s\n' "$PRETTY_NAME")
    if command -v dpkg-query >/dev/null; then
        dpkg-query -W -f '${db:Status-Status}\t${Package} ${Version}\n' "$@"
    else
        rpm -q --qf 'installed\t%{NAME} %{VERSION}-%{RELEASE}\n' "$@"
    fi 2>/dev/null | grep '^installed'
    # Type and options as the kernel has negotiated them.
    awk '$3 ~ /^(nfs|nfs4|cifs|smb3|ceph|gfs2|lustre|gpfs|beegfs|fuse\..*)$/ {
        print "mount\t" $2, $3, $4
    }' /proc/mounts
    for link in /sys/class/net/*; do
        [ ! -e "$link/device" ] || link_facts "${link##*/}"
    done
    for bond in /sys/class/net/*/bonding; do
        [ ! -e "$bond/mode" ] || bond_facts "${bond%/bonding}"
    done
    # The kernel clears this flag when a time service (NTP, PTP) disciplines the clock.
    synchronised=$(timedatectl show -p NTPSynchronized --value 2>/dev/null) || synchronised=
    [ -z "$synchronised" ] || printf 'clock\tsynchronised: %s\n' "$synchronised"
    systemctl list-units --state=active --plain --no-legend 'chrony*.service' 'ntp*.service' \
        openntpd.service systemd-timesyncd.service ptp4l.service phc2sys.service \
        timemaster.service 'seatrial-*-clock.service' 2>/dev/null |
        while read -r unit _; do printf 'clock\tservice: %s\n' "$unit"; done
    printf 'end\t\n'
}

# bond_facts FOLDER: mode, hash and links of a bond.
bond_facts() {
    read -r mode _ <"$1/bonding/mode"
    read -r policy _ <"$1/bonding/xmit_hash_policy"
    read -r members <"$1/bonding/slaves" || members=
    printf 'link\t%s bond %s, hash %s, of %s\n' "${1##*/}" "$mode" "$policy" "${members:-no links}"
}

# link_facts NAME: MTU and speed of a network card, and with ethtool its flow control and offloads.
link_facts() {
    facts="mtu $(cat "/sys/class/net/$1/mtu")"
    speed=$(cat "/sys/class/net/$1/speed" 2>/dev/null) || speed=
    case $speed in
    '' | -*) ;;
    *) facts="$facts, $speed Mbit/s" ;;
    esac
    if command -v ethtool >/dev/null; then
        pause=$(ethtool -a "$1" 2>/dev/null | awk '
            $1 == "RX:" { rx = $2 }
            $1 == "TX:" { tx = $2 }
            END { if (rx) print "flow control rx " rx " tx " tx }')
        offloads=$(ethtool -k "$1" 2>/dev/null | awk '
            $1 ~ /^((tcp|generic)-segmentation|(generic|large)-receive)-offload:$/ {
                split($1, word, "-")
                printf "%s%s%so %s", gap, substr(word[1], 1, 1), substr(word[2], 1, 1), $2
                gap = " "
            }')
        facts="$facts${pause:+, $pause}${offloads:+, $offloads}"
    fi
    printf 'link\t%s %s\n' "$1" "$facts"
}
