#!/bin/sh
# Offers a study's iSCSI targets through tgtd. usage: seatrial-targets FILE [start | check]
#
# FILE has one complete row for each object. The script records the rows in effect. A longer FILE
# only adds rows. After any other change the script restarts tgtd. `start`: tgtd has just started,
# and no row is in effect. `check` changes nothing. Until all rows are in effect, tgtd listens on
# the loopback address only. So no initiator finds an incomplete target, or one that does not ask
# for the account yet.
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
        [ "$left" -gt 0 ] || { echo "seatrial-targets: timed out: $what" >&2; exit 1; }
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

# hold ADDRESS/PREFIX HOST: adds the group's address to the card that has the address of HOST.
hold() {
    wait_for 60 "the address of $2" is_here "$2"
    link=$(ip -o -4 address show to "$(address_of "$2")")
    link=${link#*: }
    ip address replace "$1" dev "${link%%[ @]*}"
}

# account USER SECRET: creates the account through the socket of tgtd. tgtadm takes the password as
# an argument, which every user of the node can read. The socket takes a struct tgtadm_req, followed
# by the words (tgt, usr/tgtadm.h): mode 7 (account), operation 0 (new).
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

# in_effect ROW...: makes tgtd apply the row.
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
        # The caching mode page (SBC-4, 6.5.6) without WCE: tgt syncs every write before it
        # acknowledges it (usr/bs_rdwr.c).
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

# The row of an account ends with a hash of its secret, so a new secret changes the row.
rows() {
    while read -r row; do
        # shellcheck disable=SC2086 # a row consists of words
        set -- $row
        [ "$1" != account ] || row="$row $(sha256sum <"$3")"
        echo "$row"
    done <"$file"
}

# The order is ignored: a later target is before the portals in FILE, and after them in $effect.
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
# An existing portal was added earlier: a FILE that grows keeps its portals.
! tgt --mode portal --op show | grep -q "$loopback" || tgt --mode portal --op delete --param "portal=$loopback"
[ "$mode" = start ] || all_in_effect
