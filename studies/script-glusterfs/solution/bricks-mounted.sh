#!/bin/sh -eu
# Every brick is mounted, now and at the next boot, and holds its directory.
number=0
for device in $SEATRIAL_DEVICES; do
    number=$((number + 1))
    brick=/srv/$SEATRIAL_STUDY/$number
    grep -q "^$device $brick xfs " /proc/mounts
    grep -qxF "$device $brick xfs noatime,nofail 0 0" /etc/fstab
    [ -d "$brick/data" ]
done
