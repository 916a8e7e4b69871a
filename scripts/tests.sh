#!/bin/sh
# Every test: those of the agent's programs run beside those in Python, which wait for labs for a part of their time. Both
# are run to their ends, and what the former have said comes last.
set -eu
cd "$(dirname "$0")/.."
# Where Python must keep nothing that it has compiled, each worker, and each command that it tries, compiles all anew.
unset PYTHONDONTWRITEBYTECODE
.venv/bin/pytest --collect-only -q >/dev/null 2>&1 &
cargo test --locked --quiet --no-run
wait "$!" || : # it is told below what could not be collected
cargo test --locked --quiet --lib --bins
said=$(mktemp)
trap 'rm -f "$said"' EXIT
setsid cargo test --locked --quiet --no-fail-fast --test "*" >"$said" 2>&1 & # a group of its own, which ends with us
crates=$!
trap 'kill -- "-$crates"; exit 130' INT TERM HUP
status=0
.venv/bin/pytest -q -n 6 --dist loadfile --no-loadscope-reorder || status=$?
wait "$crates" || status=$?
cat "$said"
exit "$status"
