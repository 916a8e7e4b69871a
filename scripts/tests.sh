#!/bin/sh
# Every test: those of the crates, alone, since some let a task run for a twentieth of a second; then those in Python.
set -eu
cd "$(dirname "$0")/.."
# Where Python must keep nothing that it has compiled, each worker, and each command that it tries, compiles all anew.
unset PYTHONDONTWRITEBYTECODE
.venv/bin/pytest --collect-only -q >/dev/null 2>&1 &
cargo test --locked --quiet --no-run
wait "$!" || : # it is told below what could not be collected
cargo test --locked --quiet
exec .venv/bin/pytest -q -n 6 --dist loadfile --no-loadscope-reorder
