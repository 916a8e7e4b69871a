##### stage 1, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 1 of 7: look, and change nothing
# (the preamble)

# (look.sh)
# 1. leave the sessions of other iSCSI targets alone: iqn.2026-01.org.seatrial:nss-ha
check_1() {
    no_other_sessions nss-ha iqn.2026-01.org.seatrial:nss-ha
}
guard_1() { :; }
apply_1() {
    set +e
    no_other_sessions nss-ha iqn.2026-01.org.seatrial:nss-ha
    exit 1
}

# 2. leave other multipath devices alone: nss-ha
check_2() {
    no_other_maps nss-ha nss-ha
}
guard_2() { :; }
apply_2() {
    set +e
    no_other_maps nss-ha nss-ha
    exit 1
}

# 3. leave other NFS exports alone: /srv/nss-ha
check_3() {
    no_other_exports nss-ha /srv/nss-ha
}
guard_3() { :; }
apply_3() {
    set +e
    no_other_exports nss-ha /srv/nss-ha
    exit 1
}

# 4. leave other clusters alone: nss-ha
check_4() {
    no_other_cluster nss-ha nss-ha
}
guard_4() { :; }
apply_4() {
    set +e
    no_other_cluster nss-ha nss-ha
    exit 1
}

# 5. take away only what nss-ha has made
check_5() {
    [ ! -e /var/lib/seatrial/made/nss-ha/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active corosync && ! systemctl -q is-enabled corosync
    ) >/dev/null 2>&1 || found='leave the cluster'
    (
    ! grep -qx nss-ha /etc/corosync/seatrial 2>/dev/null
    ) >/dev/null 2>&1 || found='give back corosync'"'"'s configuration'
    (
    ! systemctl -q is-active seatrial-self-fencing && ! systemctl -q is-enabled seatrial-self-fencing
    ) >/dev/null 2>&1 || found='stop the self-fencing watchdog'
    (
    [ ! -e /etc/systemd/system/seatrial-self-fencing.service ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/seatrial-self-fencing.service'
    (
    [ ! -e /usr/local/sbin/seatrial-self-fencing ]
    ) >/dev/null 2>&1 || found='remove /usr/local/sbin/seatrial-self-fencing'
    (
    ! [ -e /etc/systemd/system/multi-user.target.wants/proc-fs-nfsd.mount ]
    ) >/dev/null 2>&1 || found='load nfsd no longer at boot'
    (
    [ ! -e /etc/nfs.conf.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/nfs.conf.d/seatrial-nss-ha.conf'
    (
    [ ! -e /etc/modprobe.d/seatrial-lockd.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/modprobe.d/seatrial-lockd.conf'
    (
    [ ! -e /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf'
    (
    [ ! -e /etc/lvm/lvm.conf.before-seatrial ]
    ) >/dev/null 2>&1 || found='have LVM as it was'
    (
    ! systemctl -q is-active seatrial-stuck-sessions && ! systemctl -q is-enabled seatrial-stuck-sessions
    ) >/dev/null 2>&1 || found='look for stuck iSCSI sessions no more'
    (
    [ ! -e /etc/systemd/system/seatrial-stuck-sessions.service ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/seatrial-stuck-sessions.service'
    (
    [ ! -e /usr/local/sbin/seatrial-stuck-sessions ]
    ) >/dev/null 2>&1 || found='remove /usr/local/sbin/seatrial-stuck-sessions'
    (
    ! iscsiadm -m node -T iqn.2026-01.org.seatrial:nss-ha >/dev/null 2>&1
    ) >/dev/null 2>&1 || found='forget the paths'
    (
    [ ! -e /etc/iscsi/seatrial-nss-ha ]
    ) >/dev/null 2>&1 || found='remove /etc/iscsi/seatrial-nss-ha'
    (
    [ ! -e /etc/multipath.conf.before-seatrial ] && ! grep -qs '^# seatrial$' /etc/multipath.conf
    ) >/dev/null 2>&1 || found='have multipath as it was'
    (
    [ ! -e /etc/modules-load.d/seatrial-storage.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/modules-load.d/seatrial-storage.conf'
    [ -z "$found" ]
}
guard_5() { :; }
apply_5() {
    echo "refused: nss-ha has made nothing on this node (/var/lib/seatrial/made/nss-ha/mark is missing); this would be done:"
    (
    ! systemctl -q is-active corosync && ! systemctl -q is-enabled corosync
    ) >/dev/null 2>&1 || echo '  leave the cluster'
    (
    ! grep -qx nss-ha /etc/corosync/seatrial 2>/dev/null
    ) >/dev/null 2>&1 || echo '  give back corosync'"'"'s configuration'
    (
    ! systemctl -q is-active seatrial-self-fencing && ! systemctl -q is-enabled seatrial-self-fencing
    ) >/dev/null 2>&1 || echo '  stop the self-fencing watchdog'
    (
    [ ! -e /etc/systemd/system/seatrial-self-fencing.service ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/seatrial-self-fencing.service'
    (
    [ ! -e /usr/local/sbin/seatrial-self-fencing ]
    ) >/dev/null 2>&1 || echo '  remove /usr/local/sbin/seatrial-self-fencing'
    (
    ! [ -e /etc/systemd/system/multi-user.target.wants/proc-fs-nfsd.mount ]
    ) >/dev/null 2>&1 || echo '  load nfsd no longer at boot'
    (
    [ ! -e /etc/nfs.conf.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/nfs.conf.d/seatrial-nss-ha.conf'
    (
    [ ! -e /etc/modprobe.d/seatrial-lockd.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/modprobe.d/seatrial-lockd.conf'
    (
    [ ! -e /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf'
    (
    [ ! -e /etc/lvm/lvm.conf.before-seatrial ]
    ) >/dev/null 2>&1 || echo '  have LVM as it was'
    (
    ! systemctl -q is-active seatrial-stuck-sessions && ! systemctl -q is-enabled seatrial-stuck-sessions
    ) >/dev/null 2>&1 || echo '  look for stuck iSCSI sessions no more'
    (
    [ ! -e /etc/systemd/system/seatrial-stuck-sessions.service ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/seatrial-stuck-sessions.service'
    (
    [ ! -e /usr/local/sbin/seatrial-stuck-sessions ]
    ) >/dev/null 2>&1 || echo '  remove /usr/local/sbin/seatrial-stuck-sessions'
    (
    ! iscsiadm -m node -T iqn.2026-01.org.seatrial:nss-ha >/dev/null 2>&1
    ) >/dev/null 2>&1 || echo '  forget the paths'
    (
    [ ! -e /etc/iscsi/seatrial-nss-ha ]
    ) >/dev/null 2>&1 || echo '  remove /etc/iscsi/seatrial-nss-ha'
    (
    [ ! -e /etc/multipath.conf.before-seatrial ] && ! grep -qs '^# seatrial$' /etc/multipath.conf
    ) >/dev/null 2>&1 || echo '  have multipath as it was'
    (
    [ ! -e /etc/modules-load.d/seatrial-storage.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/modules-load.d/seatrial-storage.conf'
    exit 1
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 1 of 7: look, and change nothing
# (the preamble)

# (look.sh)
# 1. mount over nothing: /mnt/nss-ha/data-v3
check_1() {
    no_other_mount nss-ha /mnt/nss-ha/data-v3
}
guard_1() { :; }
apply_1() {
    set +e
    no_other_mount nss-ha /mnt/nss-ha/data-v3
    exit 1
}

# 2. mount over nothing: /mnt/nss-ha/data-v4.2
check_2() {
    no_other_mount nss-ha /mnt/nss-ha/data-v4.2
}
guard_2() { :; }
apply_2() {
    set +e
    no_other_mount nss-ha /mnt/nss-ha/data-v4.2
    exit 1
}

# 3. take away only what nss-ha has made
check_3() {
    [ ! -e /var/lib/seatrial/made/nss-ha/mark ] || exit 0
    found=
    (
    ! grep -q ' /mnt/nss-ha/data-v3 ' /etc/fstab
    ) >/dev/null 2>&1 || found='no mount of /mnt/nss-ha/data-v3 at boot'
    (
    ! grep -q ' /mnt/nss-ha/data-v3 ' /proc/mounts && [ ! -d /mnt/nss-ha/data-v3 ]
    ) >/dev/null 2>&1 || found='unmount /mnt/nss-ha/data-v3'
    (
    [ ! -e /run/seatrial-mnt-nss-ha-data-v3.mount ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-mnt-nss-ha-data-v3.mount'
    (
    ! grep -q ' /mnt/nss-ha/data-v4.2 ' /etc/fstab
    ) >/dev/null 2>&1 || found='no mount of /mnt/nss-ha/data-v4.2 at boot'
    (
    ! grep -q ' /mnt/nss-ha/data-v4.2 ' /proc/mounts && [ ! -d /mnt/nss-ha/data-v4.2 ]
    ) >/dev/null 2>&1 || found='unmount /mnt/nss-ha/data-v4.2'
    (
    [ ! -e /run/seatrial-mnt-nss-ha-data-v4.2.mount ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-mnt-nss-ha-data-v4.2.mount'
    [ -z "$found" ]
}
guard_3() { :; }
apply_3() {
    echo "refused: nss-ha has made nothing on this node (/var/lib/seatrial/made/nss-ha/mark is missing); this would be done:"
    (
    ! grep -q ' /mnt/nss-ha/data-v3 ' /etc/fstab
    ) >/dev/null 2>&1 || echo '  no mount of /mnt/nss-ha/data-v3 at boot'
    (
    ! grep -q ' /mnt/nss-ha/data-v3 ' /proc/mounts && [ ! -d /mnt/nss-ha/data-v3 ]
    ) >/dev/null 2>&1 || echo '  unmount /mnt/nss-ha/data-v3'
    (
    [ ! -e /run/seatrial-mnt-nss-ha-data-v3.mount ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-mnt-nss-ha-data-v3.mount'
    (
    ! grep -q ' /mnt/nss-ha/data-v4.2 ' /etc/fstab
    ) >/dev/null 2>&1 || echo '  no mount of /mnt/nss-ha/data-v4.2 at boot'
    (
    ! grep -q ' /mnt/nss-ha/data-v4.2 ' /proc/mounts && [ ! -d /mnt/nss-ha/data-v4.2 ]
    ) >/dev/null 2>&1 || echo '  unmount /mnt/nss-ha/data-v4.2'
    (
    [ ! -e /run/seatrial-mnt-nss-ha-data-v4.2.mount ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-mnt-nss-ha-data-v4.2.mount'
    exit 1
}

main() {
    step 1
    step 2
    step 3
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 1, array #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 1 of 7: look, and change nothing
# (the preamble)

# (look.sh)
# 1. leave other iSCSI targets alone: iqn.2026-01.org.seatrial:nss-ha
check_1() {
    no_other_targets nss-ha iqn.2026-01.org.seatrial:nss-ha
}
guard_1() { :; }
apply_1() {
    set +e
    no_other_targets nss-ha iqn.2026-01.org.seatrial:nss-ha
    exit 1
}

# 2. take away only what nss-ha has made
check_2() {
    [ ! -e /var/lib/seatrial/made/nss-ha/mark ] || exit 0
    found=
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/conf.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/tgt/conf.d/seatrial-nss-ha.conf'
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || found='stop the iSCSI target'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf'
    (
    [ ! -e /dev/md/nss-ha ]
    ) >/dev/null 2>&1 || found='stop array nss-ha'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf'
    [ -z "$found" ]
}
guard_2() { :; }
apply_2() {
    echo "refused: nss-ha has made nothing on this node (/var/lib/seatrial/made/nss-ha/mark is missing); this would be done:"
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/conf.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/tgt/conf.d/seatrial-nss-ha.conf'
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || echo '  stop the iSCSI target'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf'
    (
    [ ! -e /dev/md/nss-ha ]
    ) >/dev/null 2>&1 || echo '  stop array nss-ha'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf'
    exit 1
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 2, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 2 of 7: unmount
# (the preamble)

# 1. no mount of /mnt/nss-ha/data-v3 at boot
check_1() {
    ! grep -q ' /mnt/nss-ha/data-v3 ' /etc/fstab
}
guard_1() { :; }
apply_1() {
    sed -i '\# /mnt/nss-ha/data-v3 #d' /etc/fstab
}

# 2. unmount /mnt/nss-ha/data-v3
check_2() {
    ! grep -q ' /mnt/nss-ha/data-v3 ' /proc/mounts && [ ! -d /mnt/nss-ha/data-v3 ]
}
guard_2() { :; }
apply_2() {
    while grep -q ' /mnt/nss-ha/data-v3 ' /proc/mounts; do umount /mnt/nss-ha/data-v3; done
    [ ! -d /mnt/nss-ha/data-v3 ] || rmdir /mnt/nss-ha/data-v3
}

# 3. remove /run/seatrial-mnt-nss-ha-data-v3.mount
check_3() {
    [ ! -e /run/seatrial-mnt-nss-ha-data-v3.mount ]
}
guard_3() { :; }
apply_3() {
    rm -f /run/seatrial-mnt-nss-ha-data-v3.mount
}

# 4. no mount of /mnt/nss-ha/data-v4.2 at boot
check_4() {
    ! grep -q ' /mnt/nss-ha/data-v4.2 ' /etc/fstab
}
guard_4() { :; }
apply_4() {
    sed -i '\# /mnt/nss-ha/data-v4.2 #d' /etc/fstab
}

# 5. unmount /mnt/nss-ha/data-v4.2
check_5() {
    ! grep -q ' /mnt/nss-ha/data-v4.2 ' /proc/mounts && [ ! -d /mnt/nss-ha/data-v4.2 ]
}
guard_5() { :; }
apply_5() {
    while grep -q ' /mnt/nss-ha/data-v4.2 ' /proc/mounts; do umount /mnt/nss-ha/data-v4.2; done
    [ ! -d /mnt/nss-ha/data-v4.2 ] || rmdir /mnt/nss-ha/data-v4.2
}

# 6. remove /run/seatrial-mnt-nss-ha-data-v4.2.mount
check_6() {
    [ ! -e /run/seatrial-mnt-nss-ha-data-v4.2.mount ]
}
guard_6() { :; }
apply_6() {
    rm -f /run/seatrial-mnt-nss-ha-data-v4.2.mount
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    step 6
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 3, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 3 of 7: leave the cluster
# (the preamble)

# 1. leave the cluster
check_1() {
    ! systemctl -q is-active corosync && ! systemctl -q is-enabled corosync
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload disable pacemaker corosync
    systemctl stop pacemaker
    systemctl stop corosync
    rm -rf /var/lib/pacemaker/cib/* /etc/seatrial/nss-ha
}

# 2. give back corosync's configuration
check_2() {
    ! grep -qx nss-ha /etc/corosync/seatrial 2>/dev/null
}
guard_2() { :; }
apply_2() {
    if [ -e /etc/corosync/corosync.conf.seatrial-before ]; then mv /etc/corosync/corosync.conf.seatrial-before /etc/corosync/corosync.conf; else rm -f /etc/corosync/corosync.conf; fi
    rm -f /etc/corosync/seatrial
}

main() {
    step 1
    step 2
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 4, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 4 of 7: servers
# (the preamble)

# 1. stop the self-fencing watchdog
check_1() {
    ! systemctl -q is-active seatrial-self-fencing && ! systemctl -q is-enabled seatrial-self-fencing
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload disable seatrial-self-fencing
    systemctl stop seatrial-self-fencing
}

# 2. remove /etc/systemd/system/seatrial-self-fencing.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-self-fencing.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-self-fencing.service
}

# 3. remove /usr/local/sbin/seatrial-self-fencing
check_3() {
    [ ! -e /usr/local/sbin/seatrial-self-fencing ]
}
guard_3() { :; }
apply_3() {
    rm -f /usr/local/sbin/seatrial-self-fencing
}

# 4. load nfsd no longer at boot
check_4() {
    ! [ -e /etc/systemd/system/multi-user.target.wants/proc-fs-nfsd.mount ]
}
guard_4() { :; }
apply_4() {
    rm /etc/systemd/system/multi-user.target.wants/proc-fs-nfsd.mount
}

# 5. remove /etc/nfs.conf.d/seatrial-nss-ha.conf
check_5() {
    [ ! -e /etc/nfs.conf.d/seatrial-nss-ha.conf ]
}
guard_5() { :; }
apply_5() {
    rm -f /etc/nfs.conf.d/seatrial-nss-ha.conf
}

# 6. remove /etc/modprobe.d/seatrial-lockd.conf
check_6() {
    [ ! -e /etc/modprobe.d/seatrial-lockd.conf ]
}
guard_6() { :; }
apply_6() {
    rm -f /etc/modprobe.d/seatrial-lockd.conf
}

# 7. remove /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf
check_7() {
    [ ! -e /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf ]
}
guard_7() { :; }
apply_7() {
    rm -f /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf
    [ "$(systemctl show --property=NeedDaemonReload --value nfsdcld.service)" = no ] || systemctl daemon-reload
}

# 8. have LVM as it was
check_8() {
    [ ! -e /etc/lvm/lvm.conf.before-seatrial ]
}
guard_8() { :; }
apply_8() {
    mv /etc/lvm/lvm.conf.before-seatrial /etc/lvm/lvm.conf
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    step 6
    step 7
    step 8
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 5, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 5 of 7: storage paths
# (the preamble)

# 1. look for stuck iSCSI sessions no more
check_1() {
    ! systemctl -q is-active seatrial-stuck-sessions && ! systemctl -q is-enabled seatrial-stuck-sessions
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload disable seatrial-stuck-sessions
    systemctl stop seatrial-stuck-sessions
}

# 2. remove /etc/systemd/system/seatrial-stuck-sessions.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-stuck-sessions.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-stuck-sessions.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-stuck-sessions.service)" = no ] || systemctl daemon-reload
}

# 3. remove /usr/local/sbin/seatrial-stuck-sessions
check_3() {
    [ ! -e /usr/local/sbin/seatrial-stuck-sessions ]
}
guard_3() { :; }
apply_3() {
    rm -f /usr/local/sbin/seatrial-stuck-sessions
}

# 4. forget the paths
check_4() {
    ! iscsiadm -m node -T iqn.2026-01.org.seatrial:nss-ha >/dev/null 2>&1
}
guard_4() { :; }
apply_4() {
    ! systemctl -q is-active multipathd || multipath -F || true
    iscsiadm -m node -T iqn.2026-01.org.seatrial:nss-ha --logout || true
    iscsiadm -m node -T iqn.2026-01.org.seatrial:nss-ha -o delete
    systemctl -q --no-reload disable open-iscsi multipathd iscsid
    systemctl stop multipathd iscsid
}

# 5. remove /etc/iscsi/seatrial-nss-ha
check_5() {
    [ ! -e /etc/iscsi/seatrial-nss-ha ]
}
guard_5() { :; }
apply_5() {
    rm -f /etc/iscsi/seatrial-nss-ha
}

# 6. have multipath as it was
check_6() {
    [ ! -e /etc/multipath.conf.before-seatrial ] && ! grep -qs '^# seatrial$' /etc/multipath.conf
}
guard_6() { :; }
apply_6() {
    if [ -e /etc/multipath.conf.before-seatrial ]; then mv /etc/multipath.conf.before-seatrial /etc/multipath.conf; else rm /etc/multipath.conf; fi
}

# 7. remove /etc/modules-load.d/seatrial-storage.conf
check_7() {
    [ ! -e /etc/modules-load.d/seatrial-storage.conf ]
}
guard_7() { :; }
apply_7() {
    rm -f /etc/modules-load.d/seatrial-storage.conf
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    step 6
    step 7
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 6, array #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 6 of 7: array
# (the preamble)

# 1. remove /etc/sysctl.d/60-seatrial-tgt.conf
check_1() {
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
}
guard_1() { :; }
apply_1() {
    rm -f /etc/sysctl.d/60-seatrial-tgt.conf
}

# 2. remove /etc/tgt/conf.d/seatrial-nss-ha.conf
check_2() {
    [ ! -e /etc/tgt/conf.d/seatrial-nss-ha.conf ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/tgt/conf.d/seatrial-nss-ha.conf
}

# 3. stop the iSCSI target
check_3() {
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
}
guard_3() { :; }
apply_3() {
    systemctl -q --no-reload disable tgt
    systemctl stop tgt
}

# 4. remove /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf
check_4() {
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf ]
}
guard_4() { :; }
apply_4() {
    rm -f /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf
    [ "$(systemctl show --property=NeedDaemonReload --value tgt.service)" = no ] || systemctl daemon-reload
}

# 5. stop array nss-ha
check_5() {
    [ ! -e /dev/md/nss-ha ]
}
guard_5() { :; }
apply_5() {
    mdadm --stop /dev/md/nss-ha
    udevadm settle --timeout=120
    rm -f /dev/md/nss-ha
}

# 6. remove /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf
check_6() {
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf ]
}
guard_6() { :; }
apply_6() {
    rm -f /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf
}

main() {
    step 1
    step 2
    step 3
    step 4
    step 5
    step 6
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
##### stage 7, array,c[1-4],srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 7 of 7: forget the mark
# (the preamble)

# 1. note that nss-ha is gone from this node
check_1() {
    [ ! -e /var/lib/seatrial/made/nss-ha/mark ]
}
guard_1() { :; }
apply_1() {
    rm /var/lib/seatrial/made/nss-ha/mark
}

main() {
    step 1
    rm -f "$log"
    settle
    echo done >&3
}
main </dev/null
