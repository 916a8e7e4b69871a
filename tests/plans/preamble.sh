mode=${1:-apply}
node=${2:-$(uname -n)}
applied=0
log=$(mktemp)
exec 3>&1 1>&2

# If a unit also has an init script, `systemctl enable` makes update-rc.d read every unit again.
# This takes seconds.
export SYSTEMCTL_SKIP_SYSV=1

# One result line per step on descriptor 3: RESULT NUMBER SECONDS-SINCE-BOOT.
result() { read -r uptime rest </proc/uptime; echo "$1 $2 $uptime" >&3; }
failed() {
    cat "$log" >&2
    df -P / /etc /usr/local/sbin /var/lib/seatrial /run 2>/dev/null |
        awk 'NR > 1 && $4 == 0 { print "no room is left on " $6 }' | sort -u >&2
    rm -f "$log"
    result failed "$1"
    exit 1
}

# content: prints the text that the change of the current step writes.
content() { "content_$current"; }

step() {
    current=$1
    if (set -e; "check_$1") >"$log" 2>&1; then result ok "$1"; return; fi
    if [ "$mode" = check ]; then result pending "$1"; interrupting "$1"; return; fi
    (set -e; guard "$1"; "apply_$1") >"$log" 2>&1
    [ $? -eq 0 ] || failed "$1"
    applied=$1
    (set -e; "check_$1") >>"$log" 2>&1
    [ $? -eq 0 ] || { echo "the step ran, but its check still fails" >>"$log"; failed "$1"; }
    result changed "$1"
}

# A step that overwrites devices has a guard.
guard() { if command -v "guard_$1" >/dev/null; then "guard_$1"; fi; }

# refuse: the change of a check that only refuses: it prints its refusal again.
refuse() {
    "check_$current"
    exit 1
}

# The step would interrupt other users of a resource.
interrupting() {
    command -v "interrupts_$1" >"$log" && "interrupts_$1" >"$log" 2>&1 && echo "interrupts $1" >&3
}

# again SECONDS WHAT: waits for a moment in a loop. After SECONDS in all, the step fails and names
# WHAT.
again() {
    tries=$((${tries:-0} + 1))
    [ "$tries" -le $((2 * $1)) ] || { echo "timed out after $1 s: $2"; exit 1; }
    sleep 0.5
}

# The changes must survive a power cut that follows at once.
settle() { [ "$applied" = 0 ] || sync -f / /etc /usr /var; }

# Nothing is overwritten unless blkid and wipefs both see a blank device.
must_be_blank() {
    [ -b "$1" ] || { echo "$1 is not a block device"; return 1; }
    found=$(wipefs --noheadings --output TYPE,LABEL "$1") || return 1
    probe=0
    blkid -p "$1" || probe=$?
    [ "$probe" = 2 ] || found=${found:-something that blkid finds}
    [ -z "$found" ] && return 0
    echo "refused: $1 holds: $found"
    echo "to erase it, name it: --wipe $node:$1"
    return 1
}
all_must_be_blank() {
    pids=
    for device; do must_be_blank "$device" & pids="$pids $!"; done
    all=0
    for pid in $pids; do wait "$pid" || all=1; done
    return "$all"  # `set -e` ends nothing inside a condition
}
