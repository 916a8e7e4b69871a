#!/bin/sh -eu
# The files stay on the bricks.
gluster --mode=script volume stop "$SEATRIAL_STUDY" force || true
gluster --mode=script volume delete "$SEATRIAL_STUDY"
