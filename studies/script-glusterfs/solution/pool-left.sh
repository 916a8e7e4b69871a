#!/bin/sh -eu
# No other server of the study is a peer any more.
pool=$(gluster --mode=script pool list || true)
for address in $SEATRIAL_SERVER_ADDRESSES; do
    [ "$address" = "$SEATRIAL_ADDRESS" ] && continue
    if echo "$pool" | grep -q "[[:space:]]${address}[[:space:]]"; then exit 1; fi
done
