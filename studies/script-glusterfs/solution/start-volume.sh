#!/bin/sh -eu
# Bricks that follow each other hold the same files, so the servers take turns.
if ! gluster --mode=script volume info "$SEATRIAL_STUDY" >/dev/null 2>&1; then
    number=0
    bricks=
    for _ in $SEATRIAL_DEVICES; do
        number=$((number + 1))
        for address in $SEATRIAL_SERVER_ADDRESSES; do
            bricks="$bricks $address:/srv/$SEATRIAL_STUDY/$number/data"
        done
    done
    copies=
    [ "$REPLICA" = 1 ] || copies="replica $REPLICA"
    # shellcheck disable=SC2086 # words on purpose
    gluster --mode=script volume create "$SEATRIAL_STUDY" $copies $bricks
fi
gluster --mode=script volume start "$SEATRIAL_STUDY" force
