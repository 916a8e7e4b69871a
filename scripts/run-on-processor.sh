#!/bin/sh
# Run a study on processor number $PROCESSOR alone, at the same time as others. Its whole output follows after its end.
# usage: PROCESSOR=0 [UNDECIDED_PASSES=yes] run-on-processor.sh STUDY [OPTION...]
set -u
number=${PROCESSOR:?the number of the processor, from 0 on}
output=$(mktemp)
trap 'rm -f "$output"' EXIT
own=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
    awk -F- -v wanted="$number" '{ for (p = $1; p <= ($2 == "" ? $1 : $2); p++) if (n++ == wanted) print p }')
taskset -c "$own" .venv/bin/seatrial run "$@" >"$output" 2>&1
code=$?
cat "$output"
echo "trials: $* on processor $own: exit $code"
[ "$code${UNDECIDED_PASSES:-}" = 3yes ] || exit "$code"
