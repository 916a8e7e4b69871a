#!/bin/sh
# Run a study several times on half of the processors, under a second load that varies during the run (scripts/overload.py).
# This models a slower and busier machine. No claim may fail because of it.
# usage: [PROCESSORS=2] [LOAD=] [SEED=0] handicap.sh TIMES STUDY [OPTION...]
# PROCESSORS: how many to use; half of them by default. LOAD empty: no second load. SEED: seed of the load of the first run.
# The script prints the exit code and the time of each run. It exits with 1 if a run ended with neither 0 nor 3 (undecided).
set -u
times=$1 study=$2
shift 2
seed=${SEED:-0} load=${LOAD-yes} wanted=${PROCESSORS:-$(($(nproc) / 2))}
[ "$wanted" -gt 0 ] || { echo "handicap: one processor cannot be halved" >&2; exit 2; }
processors=$(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
    awk -F- -v wanted="$wanted" '{ for (p = $1; p <= ($2 == "" ? $1 : $2) && n < wanted; p++) { printf "%s%s", s, p; s = ","; n++ } }')
overload=
unload() {
    [ -z "$overload" ] || { kill "$overload" && wait "$overload"; } 2>/dev/null
    overload=
}
trap unload EXIT
trap 'unload; exit 130' INT TERM HUP
passed=0 undecided=0 wrong=0
run=1
while [ "$run" -le "$times" ]; do
    begun=$(date +%s)
    if [ -n "$load" ]; then
        taskset -c "$processors" python3 scripts/overload.py "$((seed + run - 1))" &
        overload=$!
    fi
    taskset -c "$processors" .venv/bin/seatrial run "$study" "$@"
    code=$?
    unload
    case $code in
    0) passed=$((passed + 1)) ;;
    3) undecided=$((undecided + 1)) ;;
    *) wrong=$((wrong + 1)) ;;
    esac
    echo "handicap: $study $* on processors $processors${load:+, load $((seed + run - 1))}, run $run of $times: exit $code after $(($(date +%s) - begun)) s"
    run=$((run + 1))
done
echo "handicap: $passed passed, $undecided undecided, $wrong neither"
[ "$wrong" = 0 ]
