#!/bin/sh -eu
systemctl -q --no-reload enable glusterd
systemctl start glusterd
