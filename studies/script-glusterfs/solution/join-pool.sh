#!/bin/sh -eu
# Peers exchange their state before they can be used. This takes some seconds.
for address in $SEATRIAL_SERVER_ADDRESSES; do
    [ "$address" = "$SEATRIAL_ADDRESS" ] && continue
    gluster --mode=script peer probe "$address"
    tries=0
    until gluster --mode=script peer status | grep -A2 "^Hostname: $address\$" |
        grep -q 'State: Peer in Cluster (Connected)'; do
        tries=$((tries + 1))
        [ "$tries" -lt 60 ]
        sleep 0.5
    done
done
