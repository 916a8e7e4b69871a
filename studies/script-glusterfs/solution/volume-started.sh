#!/bin/sh -eu
# The volume is started, with so many copies, and every brick of it is up.
info=$(gluster --mode=script volume info "$SEATRIAL_STUDY")
echo "$info" | grep -q '^Status: Started$'
if [ "$REPLICA" -gt 1 ]; then
    echo "$info" | grep -q "^Number of Bricks: .*$REPLICA = [0-9]*\$"
else
    echo "$info" | grep -q '^Type: Distribute$'
fi
! gluster --mode=script volume status "$SEATRIAL_STUDY" detail | grep '^Online .*: N'
