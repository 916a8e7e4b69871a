#!/bin/sh
# The standard set on this machine's own file systems: what the agent itself can do.
set -eu
cd "$(dirname "$0")/.."
for base in "${TMPDIR:-/var/tmp}" /dev/shm; do
    folder=$(mktemp -d "$base/seatrial-bench.XXXXXX")
    echo "== $(stat -f -c %T "$folder")"
    .venv/bin/seatrial bench "$folder" || status=$?
    rmdir "$folder"
done
exit "${status:-0}"
