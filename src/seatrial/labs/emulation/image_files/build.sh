#!/bin/sh
# Unpack a Debian tree, make it a lab node's root, and pack it into an ext4 image.
# Runs as root, or as the first user of a user namespace in which all owners of the tree are mapped.
# usage: build.sh TREE.tar.zst FILES MODULES KEYS IMAGE [PACKAGE...]
#   PACKAGE: a package of the tree that not every image has
set -eu
archive=$1 files=$2 modules=$3 keys=$4 image=$5
shift 5
tree=$(mktemp -d "$keys/tree.XXXXXX")
trap 'rm -rf "$tree"' EXIT
trap 'exit 130' INT TERM HUP
tar -x --numeric-owner -p --exclude='./dev/*' -f "$archive" -C "$tree"
chmod 755 "$tree"
sh "$files/customize.sh" "$tree" "$files" "$modules" "$keys" "$@"
rm -f "$image"
truncate -s 2560M "$image"
# The journal matters: without one, a synced file came back as a directory after a power cut.
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 -J size=16 -m 0 -L lab-root -d "$tree" "$image"
