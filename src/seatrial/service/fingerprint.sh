#!/bin/sh
# The state of this node that a deploy can change, one line each: KIND NAME VALUE, separated by tabs. Only reads.
LC_ALL=C
export LC_ALL

all() {
    # Every file of the configuration with its time and owner, without the private state of tools.
    find /etc /usr/lib/ocf/resource.d /var/lib/iscsi -xdev \
        \( -path /etc/lvm/archive -o -path /etc/lvm/backup -o -path /etc/lvm/cache -o -path /etc/adjtime -o -path /etc/mtab \) \
        -prune -o \( -type f -o -type l \) -printf 'file\t%p\t%y %m %u %g %s %T@ %l\n' 2>/dev/null
    awk '$2 !~ /^\/run\/user\// { print "mount\t" $2 "\t" $1, $3, $4 }' /proc/mounts
    # Running services by their oldest process and its start (proc(5), field 22). A restarted service has
    # another process. On a busy node, systemd takes seconds to answer, or fails. An enabled unit is a
    # link in /etc.
    slices=/sys/fs/cgroup/system.slice
    [ -d "$slices" ] || slices=/sys/fs/cgroup/systemd/system.slice
    # shellcheck disable=SC2016 # awk's own fields
    find "$slices" -path '*.service/cgroup.procs' -print0 2>/dev/null | xargs -0 -r awk '{
        stat = "/proc/" $1 "/stat"
        if ((getline line < stat) > 0) {
            sub(/^.*\) /, "", line)
            split(line, field, " ")
            unit = FILENAME
            sub(/\/cgroup.procs$/, "", unit)
            sub(/.*\//, "", unit)
            if (!(unit in since) || field[20] + 0 < since[unit]) { since[unit] = field[20] + 0; pid[unit] = $1 }
        }
        close(stat)
    }
    END { for (unit in since) if (unit !~ /^(systemd-|user@|session|apt-|dpkg-|logrotate|man-db|fstrim|e2scrub)/) print "service\t" unit "\t" pid[unit], since[unit] }'
    # Counters, random numbers and values that follow the load are no settings.
    grep -s '' /proc/sys/fs/nfs/* /proc/sys/vm/* /proc/sys/net/core/* /proc/sys/net/ipv4/* /proc/sys/sunrpc/* /proc/sys/kernel/* /proc/sys/dev/raid/* |
        grep -Ev '^/proc/sys/(kernel/(ns_last_pid|random|sched_|tainted|printk)|sunrpc/transports|vm/stat)' | sed 's/^\([^:]*\):/setting\t\1\t/'
    [ -r /var/lib/nfs/etab ] && awk '{ path = $1; $1 = ""; print "export\t" path "\t" $0 }' /var/lib/nfs/etab
    for link in /sys/class/net/*/mtu; do
        read -r bytes <"$link" && printf 'mtu\t%s\t%s\n' "$link" "$bytes"
    done
    printf 'end\t\t\n'
}

# In large blocks: each small one would be a packet.
all | dd bs=65536 iflag=fullblock status=none
