#!/bin/sh
# Run every test; with FAST, only the tests that boot no lab and are not slow. The tests of the
# agent run at the same time as the tests in Python, which often wait for labs. A failure of one
# does not end the other. The output of the agent's tests comes last.
set -eu
cd "$(dirname "$0")/.."
# With this variable, each worker and each tested command would compile every module again.
unset PYTHONDONTWRITEBYTECODE
# Workers that start at the same time would each compile every module of a new working tree.
[ -d tests/__pycache__ ] || .venv/bin/pytest --collect-only -q >/dev/null 2>&1 &
cargo test --locked --quiet --no-run
wait "$!" || : # the run below reports what could not be collected
cargo test --locked --quiet --lib --bins
if [ -n "${FAST:-}" ]; then
    exec .venv/bin/pytest -q -n "$(nproc)" --dist loadfile -m "not lab and not slow"
fi
crates_output=$(mktemp)
trap 'rm -f "$crates_output"' EXIT
# The process group is separate, so that an interrupt here can end all of it.
setsid cargo test --locked --quiet --no-fail-fast --test "*" >"$crates_output" 2>&1 &
crates=$!
trap 'kill -- "-$crates"; exit 130' INT TERM HUP
status=0
.venv/bin/pytest -q -n 6 --dist loadfile --no-loadscope-reorder || status=$?
wait "$crates" || status=$?
cat "$crates_output"
exit "$status"
