#!/bin/sh
# Every test; with FAST, those that boot no lab and are not slow. The tests of the agent's programs
# run at the same time as those in Python, which often wait for labs. Both run to their ends. The
# output of the agent's tests comes last.
set -eu
cd "$(dirname "$0")/.."
# With this variable, each worker and each tested command would compile every module again.
unset PYTHONDONTWRITEBYTECODE
# Workers that start at the same time would each compile every module of a new working tree.
[ -d tests/__pycache__ ] || .venv/bin/pytest --collect-only -q >/dev/null 2>&1 &
cargo test --locked --quiet --no-run
wait "$!" || : # it is told below what could not be collected
cargo test --locked --quiet --lib --bins
if [ -n "${FAST:-}" ]; then
    exec .venv/bin/pytest -q -n "$(nproc)" --dist loadfile -m "not lab and not slow"
fi
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
