#!/bin/sh
# What of this node a deploy can change, a line each: KIND NAME VALUE, parted by tabs. Only reads.
LC_ALL=C
export LC_ALL

all() {
    # Every file of the configuration, when it was written and by whom; what tools keep there for themselves is left out.
    find /etc /usr/lib/ocf/resource.d /var/lib/iscsi -xdev \
        \( -path /etc/lvm/archive -o -path /etc/lvm/backup -o -path /etc/lvm/cache -o -path /etc/adjtime -o -path /etc/mtab \) \
        -prune -o \( -type f -o -type l \) -printf 'file\t%p\t%y %m %u %g %s %T@ %l\n' 2>/dev/null
    awk '$2 !~ /^\/run\/user\// { print "mount\t" $2 "\t" $1, $3, $4 }' /proc/mounts
    if [ -d /run/systemd/system ]; then
        systemctl list-unit-files --no-legend --no-pager --state=enabled 2>/dev/null | awk '{ print "enabled\t" $1 "\t" $2 }'
        # Who was started again has another process, and another time. Sessions, and what timers start, come and go.
        systemctl show --type=service --state=running -p Id -p MainPID -p ActiveEnterTimestampMonotonic '*' 2>/dev/null |
            awk -v RS= '!/Id=(user@|user-runtime|session|ssh@|sshd@|systemd-)/ {
                id = pid = since = ""
                for (i = 1; i <= NF; i++) {
                    split($i, part, "=")
                    if (part[1] == "Id") id = part[2]
                    if (part[1] == "MainPID") pid = part[2]
                    if (part[1] == "ActiveEnterTimestampMonotonic") since = part[2]
                }
                if (id != "") print "service\t" id "\t" pid, since
            }'
    fi
    # Counters, random numbers and what follows the load are no settings.
    grep -s '' /proc/sys/fs/nfs/* /proc/sys/vm/* /proc/sys/net/core/* /proc/sys/net/ipv4/* /proc/sys/sunrpc/* /proc/sys/kernel/* /proc/sys/dev/raid/* |
        grep -Ev '^/proc/sys/(kernel/(ns_last_pid|random|sched_|tainted|printk)|sunrpc/transports|vm/stat)' | sed 's/^\([^:]*\):/setting\t\1\t/'
    [ -r /var/lib/nfs/etab ] && awk '{ path = $1; $1 = ""; print "export\t" path "\t" $0 }' /var/lib/nfs/etab
    for link in /sys/class/net/*/mtu; do
        read -r bytes <"$link" && printf 'mtu\t%s\t%s\n' "$link" "$bytes"
    done
}

# In large pieces: each small one would be a packet.
all | dd bs=65536 iflag=fullblock status=none
