#!/bin/sh -eu
for address in $SEATRIAL_SERVER_ADDRESSES; do
    [ "$address" = "$SEATRIAL_ADDRESS" ] || gluster --mode=script peer detach "$address"
done
