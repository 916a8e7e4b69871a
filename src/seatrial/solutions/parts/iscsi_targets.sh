#!/bin/sh
# Offers a study's iSCSI targets through tgtd. usage: seatrial-targets FILE [start | check]
#
# FILE has a row for each thing, complete in itself. What is in effect is noted, so that a longer FILE only adds to it; where
# something else has changed, tgtd is started anew. `start`: tgtd has just been started, and nothing is in effect; `check`
# changes nothing. Until all is there tgtd listens on the loopback address alone: nobody finds a target that is half made, or that
# does not ask for the account yet.
set -eu
file=$1 mode=${2-add}
effect=/run/seatrial-targets
loopback=127.0.0.1:3260

tgt() { tgtadm --lld iscsi "$@"; }

# wait_for SECONDS WHAT COMMAND...: until the command succeeds.
wait_for() {
    left=$(($1 * 2)) what=$2
    shift 2
    until "$@"; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || { echo "seatrial-targets: waited for $what in vain" >&2; exit 1; }
        sleep 0.5
    done
}

address_of() {
    getent ahostsv4 "$1" | {
        read -r address _
        echo "$address"
    }
}
is_here() { [ -n "$(address_of "$1")" ] && ip -o -4 address show to "$(address_of "$1")" | grep -q .; }

# hold ADDRESS/PREFIX HOST: the group's address, on the card that has HOST's.
hold() {
    wait_for 60 "the address of $2" is_here "$2"
    link=$(ip -o -4 address show to "$(address_of "$2")")
    link=${link#*: }
    ip address replace "$1" dev "${link%%[ @]*}"
}

# account USER SECRET: not by tgtadm, which takes the password as an argument, that everybody on the node can read. tgtd's own
# socket takes a struct tgtadm_req and the words after it (tgt, usr/tgtadm.h): mode 7 (account), operation 0 (new).
account() {
    perl -MIO::Socket::UNIX -e '
        my ($user) = @ARGV;
        chomp(my $secret = <STDIN>);
        my $words = "user=$user,password=$secret\0";
        my $request = pack("l2 a64 L l Q2 L6", 7, 0, "iscsi", 120 + length $words, (0) x 9) . $words;
        my $tgtd = IO::Socket::UNIX->new("/var/run/tgtd/socket.0") or die "seatrial-targets: tgtd: $!\n";
        syswrite($tgtd, $request) == length $request or die "seatrial-targets: tgtd takes no request\n";
        my $answer = "";
        while (length $answer < 8) { sysread($tgtd, $answer, 8, length $answer) or last }
        my ($error) = unpack("L", $answer);
        die "seatrial-targets: tgtd refuses the account (error $error)\n" if !defined $error || $error;
    ' "$1" <"$2"
}

# in_effect ROW...: have tgtd do what the row says.
in_effect() {
    case $1 in
    address) hold "$2" "$3" ;;
    account) account "$2" "$3" ;;
    target) tgt --mode target --op new --tid "$2" --targetname "$3" ;;
    asks) tgt --mode account --op bind --tid "$2" --user "$3" ;;
    lun)
        wait_for 60 "$4" test -b "$4"
        # shellcheck disable=SC2086 # a word or none
        tgt --mode logicalunit --op new --tid "$2" --lun "$3" --backing-store "$4" --bstype rdwr ${8:+--bsoflags "$8"}
        tgt --mode logicalunit --op update --tid "$2" --lun "$3" \
            --params "vendor_id=SEATRIAL,product_id=$6,scsi_id=$5,scsi_sn=${7-$5}"
        ;;
    write-through)
        # The caching mode page (SBC-4, 6.5.6) without WCE: tgt syncs every write before it acknowledges it (usr/bs_rdwr.c).
        tgt --mode logicalunit --op update --tid "$2" --lun "$3" \
            --params mode_page=8:0:18:0x10:0:0xff:0xff:0:0:0xff:0xff:0xff:0xff:0x80:0x14:0:0:0:0:0:0
        ;;
    redirect)
        tgt --mode target --op update --tid "$2" --name RedirectAddress --value "$(address_of "$3")"
        tgt --mode target --op update --tid "$2" --name RedirectPort --value "$4"
        tgt --mode target --op update --tid "$2" --name RedirectReason --value Temporary
        ;;
    initiator) tgt --mode target --op bind --tid "$2" --initiator-name "$3" ;;
    portal)
        wait_for 60 "the address of $2" is_here "$2"
        tgt --mode portal --op new --param "portal=$(address_of "$2"):$3"
        ;;
    *) echo "seatrial-targets: $1 is not known" >&2 && exit 1 ;;
    esac
}

# The account's row has a sum of its secret beside it: with another one the row has changed.
rows() {
    while read -r row; do
        # shellcheck disable=SC2086 # the words of a row are what it consists of
        set -- $row
        [ "$1" != account ] || row="$row $(sha256sum <"$3")"
        echo "$row"
    done <"$file"
}

# In whatever order: a target that came later stands before the portals in FILE, and behind them in what is noted.
all_in_effect() { [ "$(echo "$wanted" | sort)" = "$(sort "$effect")" ]; }

umask 077
wanted=$(rows)
if [ "$mode" = check ]; then
    all_in_effect && tgt --mode target --op show >/dev/null
    exit
fi
[ "$mode" != start ] || : >"$effect"
if [ ! -e "$effect" ] || echo "$wanted" | grep -qvxFf - "$effect"; then
    exec systemctl restart tgt
fi
echo "$wanted" | grep -vxFf "$effect" | while read -r row; do
    # shellcheck disable=SC2086
    in_effect $row
    echo "$row" >>"$effect"
done
# One that is there already was added before: a FILE that grows has the same portals.
! tgt --mode portal --op show | grep -q "$loopback" || tgt --mode portal --op delete --param "portal=$loopback"
[ "$mode" = start ] || all_in_effect
