#!/bin/sh -eu
# The data stay. The next volume would refuse a directory that is marked as part of a volume.
for brick in "/srv/$SEATRIAL_STUDY"/*; do
    if mountpoint -q "$brick"; then
        for attribute in trusted.glusterfs.volume-id trusted.gfid; do
            setfattr -x "$attribute" "$brick/data" || true
        done
        umount "$brick"
    fi
    rmdir "$brick"
done
rmdir "/srv/$SEATRIAL_STUDY"
sed -i "\\# /srv/$SEATRIAL_STUDY/#d" /etc/fstab
