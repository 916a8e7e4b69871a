# shellcheck shell=sh
# The time service of a node.

# clock_kept UNIT: a time service sets the clock, and it is not the study's own, UNIT.
clock_kept() {
    [ ! -e "/etc/systemd/system/$1.service" ] || return 1
    others=$(systemctl list-units --state=active --plain --no-legend \
        chrony.service chronyd.service ntp.service ntpd.service ntpsec.service openntpd.service \
        systemd-timesyncd.service ptp4l.service phc2sys.service timemaster.service) || others=
    [ -z "$others" ] || return 0
    # In a container, and in some virtual machines, the host has the service.
    [ "$(timedatectl show -p NTPSynchronized --value 2>/dev/null)" = yes ]
}

# clock_set UNIT: chronyd of the study has set the clock.
clock_set() {
    chronyc -n -h "/run/$1/chronyd.sock" tracking 2>/dev/null | grep -q '^Leap status *: Normal'
}
