#!/bin/sh -eu
gluster --mode=script volume set "$SEATRIAL_STUDY" network.ping-timeout "$PING_TIMEOUT"
