#!/bin/sh -eu
# Every server is a connected peer.
pool=$(gluster --mode=script pool list)
for address in $SEATRIAL_SERVER_ADDRESSES; do
    [ "$address" = "$SEATRIAL_ADDRESS" ] || echo "$pool" | grep -q "[[:space:]]${address}[[:space:]]*Connected"
done
