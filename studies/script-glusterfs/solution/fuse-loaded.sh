#!/bin/sh -eu
[ -e /dev/fuse ]
