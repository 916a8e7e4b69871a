#!/bin/sh
# Run a study beside another one: on processor number $PROCESSOR alone; what it printed follows as a whole when it has ended.
# usage: PROCESSOR=0 [UNDECIDED_PASSES=yes] beside.sh STUDY [OPTION...]
set -u
number=${PROCESSOR:?the number of the processor, from 0 on}
said=$(mktemp)
trap 'rm -f "$said"' EXIT
own=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
    awk -F- -v wanted="$number" '{ for (p = $1; p <= ($2 == "" ? $1 : $2); p++) if (n++ == wanted) print p }')
taskset -c "$own" .venv/bin/seatrial run "$@" >"$said" 2>&1
code=$?
cat "$said"
echo "trials: $* on processor $own: exit $code"
[ "$code${UNDECIDED_PASSES:-}" = 3yes ] || exit "$code"
