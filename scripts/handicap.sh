#!/bin/sh
# Run a study as often as asked on half of this machine's processors: what passes here passes on a slower machine.
# usage: handicap.sh TIMES STUDY [OPTION...]
# Every run is told with its exit code and time; exit 1 when any of them did not end with 0.
set -u
times=$1 study=$2
shift 2
half=$(($(nproc) / 2))
[ "$half" -gt 0 ] || { echo "handicap: one processor cannot be halved" >&2; exit 2; }
processors=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
    awk -F- -v half="$half" '{ for (p = $1; p <= ($2 == "" ? $1 : $2) && n < half; p++) { printf "%s%s", s, p; s = ","; n++ } }')
failed=0
run=1
while [ "$run" -le "$times" ]; do
    begun=$(date +%s)
    taskset -c "$processors" .venv/bin/seatrial run "$study" "$@"
    code=$?
    [ "$code" = 0 ] || failed=$((failed + 1))
    echo "handicap: $study $* on processor $processors, run $run of $times: exit $code after $(($(date +%s) - begun)) s"
    run=$((run + 1))
done
echo "handicap: $((times - failed)) passed, $failed failed"
[ "$failed" = 0 ]
