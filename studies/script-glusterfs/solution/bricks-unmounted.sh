#!/bin/sh -eu
# No brick is mounted, now or at the next boot.
[ ! -d "/srv/$SEATRIAL_STUDY" ]
! grep " /srv/$SEATRIAL_STUDY/" /proc/mounts /etc/fstab
