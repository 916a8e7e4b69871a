#!/bin/sh -eu
systemctl stop glusterd
systemctl -q --no-reload disable glusterd
