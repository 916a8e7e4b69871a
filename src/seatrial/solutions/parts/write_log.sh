# shellcheck shell=bash
# follow_writes TARGET PERIOD SECONDS: prints tgt's counters of a target, with the time before and
# after each reading, until the input ends. Every PERIOD readings it prints the sessions. Bash waits
# for the input without a process.
follow_writes() {
    local target=$1 period=$2 seconds=$3 number=0 tid now
    tid=$(tgtadm --lld iscsi --mode target --op show |
        while read -r word id name; do
            [ "$word $name" != "Target $target" ] || echo "${id%:}"
        done)
    while read_counters "$tid"; do
        [ $((number % period)) -ne 0 ] || tgtadm --lld iscsi --mode conn --op show --tid "$tid"
        number=$((number + 1))
        read -r -t "$seconds" _ || [ $? -gt 128 ] || exit 0
    done
}

# read_counters TID
read_counters() {
    read -r now _ </proc/uptime && echo "before $now"
    tgtadm --lld iscsi --mode target --op stat --tid "$1"
    read -r now _ </proc/uptime && echo "after $now"
}
