#!/bin/sh -eu
# Every disk has the XFS of a brick of this study, known by its label of at most 12 characters.
label=$(printf %.12s "$SEATRIAL_STUDY")
for device in $SEATRIAL_DEVICES; do
    [ "$(blkid -p -o value -s LABEL "$device")" = "$label" ]
done
