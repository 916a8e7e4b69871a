#!/bin/sh -eu
# The brick is a directory below the mount point: where the disk is not mounted there is no such directory, and
# GlusterFS does not write to the system's own disk.
number=0
for device in $SEATRIAL_DEVICES; do
    number=$((number + 1))
    brick=/srv/$SEATRIAL_STUDY/$number
    mkdir -p "$brick"
    sed -i "\\# $brick #d" /etc/fstab
    echo "$device $brick xfs noatime,nofail 0 0" >>/etc/fstab
    mountpoint -q "$brick" || mount "$brick"
    mkdir -p "$brick/data"
done
