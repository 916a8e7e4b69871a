#!/bin/sh -eu
# The volume is started, has the required number of copies, and each of its bricks is up.
info=$(gluster --mode=script volume info "$SEATRIAL_STUDY")
echo "$info" | grep -q '^Status: Started$'
if [ "$REPLICA" -gt 1 ]; then
    echo "$info" | grep -q "^Number of Bricks: .*$REPLICA = [0-9]*\$"
else
    echo "$info" | grep -q '^Type: Distribute$'
fi
! gluster --mode=script volume status "$SEATRIAL_STUDY" detail | grep '^Online .*: N'
