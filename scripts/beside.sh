#!/bin/sh
# Run a study beside another one: on processor number $PROCESSOR alone; what it printed follows as a whole when it has ended.
# usage: PROCESSOR=0 beside.sh STUDY [OPTION...]
set -u
said=$(mktemp)
trap 'rm -f "$said"' EXIT
processor=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
    awk -F- -v wanted="$PROCESSOR" '{ for (p = $1; p <= ($2 == "" ? $1 : $2); p++) if (n++ == wanted) print p }')
taskset -c "$processor" .venv/bin/seatrial run "$@" >"$said" 2>&1
code=$?
cat "$said"
echo "trials: $* on processor $processor: exit $code"
exit "$code"
