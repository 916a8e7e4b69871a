#!/bin/sh -eu
modprobe fuse
