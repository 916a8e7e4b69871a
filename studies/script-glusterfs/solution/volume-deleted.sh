#!/bin/sh -eu
! gluster --mode=script volume list | grep -x "$SEATRIAL_STUDY"
