#!/bin/sh -eu
gluster --mode=script volume get "$SEATRIAL_STUDY" network.ping-timeout |
    grep -q "^network.ping-timeout  *$PING_TIMEOUT\( \|\$\)"
