#!/bin/sh -eu
systemctl -q is-active glusterd
systemctl -q is-enabled glusterd
