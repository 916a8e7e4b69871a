# shellcheck shell=sh
# The MTU of network links. The original value is in a file of the study: FOLDER/mtu-LINK has the
# original and the study's value.

# link_to DATABASE PEER: the link to a host. DATABASE is that of getent(1) with its address.
link_to() {
    peer=$(getent "$1" "$2" | { read -r address _ && echo "$address"; }) && [ -n "$peer" ] &&
        ip -o route get "$peer" | sed 's/.* dev \([^ ]*\) .*/\1/'
}

# mtu_is MTU DATABASE PEER
mtu_is() {
    link=$(link_to "$2" "$3") && read -r mtu <"/sys/class/net/$link/mtu" && [ "$mtu" = "$1" ]
}

# set_mtu MTU FOLDER DATABASE PEER: records the original value first, completely or not at all.
set_mtu() {
    link=$(link_to "$3" "$4") || return
    set_mtu_of "$1" "$2" "$link"
}

set_mtu_of() {
    (
        umask 077
        mkdir -p "$2" || exit
        if [ -e "$2/mtu-$3" ]; then
            read -r was _ <"$2/mtu-$3" || exit
        else
            read -r was <"/sys/class/net/$3/mtu" || exit
        fi
        if ! { echo "$was $1" >"$2/new-mtu-$3" && mv "$2/new-mtu-$3" "$2/mtu-$3"; }; then
            rm -f "$2/new-mtu-$3"
            exit 1
        fi
    ) || return
    ip link set dev "$3" mtu "$1"
}

# show_mtu DATABASE PEER
show_mtu() {
    link=$(link_to "$1" "$2") && read -r mtu <"/sys/class/net/$link/mtu" &&
        echo "now: MTU $mtu of $link"
}

# mtus_are_restored FOLDER
mtus_are_restored() {
    for kept in "$1"/mtu-*; do [ ! -e "$kept" ] || return 1; done
}

# restore_mtus FOLDER: except of links that were changed since.
restore_mtus() {
    for kept in "$1"/mtu-*; do
        read -r was ours <"$kept" || return
        link=${kept##*/mtu-}
        read -r now <"/sys/class/net/$link/mtu" || now=
        [ "$now" != "$ours" ] || ip link set dev "$link" mtu "$was" || return
        rm "$kept" || return
    done
}
