#!/bin/sh -eu
# Inodes of 512 bytes have room for the attributes that GlusterFS keeps of each file.
label=$(printf %.12s "$SEATRIAL_STUDY")
for device in $SEATRIAL_DEVICES; do
    mkfs.xfs -q -i size=512 -L "$label" "$device"
done
