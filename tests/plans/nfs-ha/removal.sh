##### stage 1, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 1 of 8: preflight check (read-only)
# (the preamble)

# (sh/: no_file is_restored would_change unit_is_off)
# (look.sh)
# (iscsi_initiator.sh)
# 1. (steps.sh) refuse symbolic links (5)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha

# 3. (steps.sh) refuse other multipath devices: nss-ha

# 4. (steps.sh) refuse other NFS exports: /srv/nss-ha

# 5. (steps.sh) refuse another cluster: nss-ha

# 6. refuse to remove storage that nss-ha did not create
check_6() {
    set +e
    [ ! -e /var/lib/seatrial/made/nss-ha/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active corosync && ! systemctl -q is-enabled corosync
    ) >/dev/null 2>&1 ||
        would_change 'leave the cluster' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    is_restored /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf
    ) >/dev/null 2>&1 ||
        would_change 'restore /etc/corosync/corosync.conf' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    is_restored /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey
    ) >/dev/null 2>&1 ||
        would_change 'restore /etc/corosync/authkey' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /var/lib/seatrial/made/nss-ha/corosync-key
    ) >/dev/null 2>&1 ||
        would_change 'remove /var/lib/seatrial/made/nss-ha/corosync-key' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    unit_is_off seatrial-self-fencing
    ) >/dev/null 2>&1 ||
        would_change 'stop the self-fencing watchdog' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /etc/systemd/system/seatrial-self-fencing.service
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/seatrial-self-fencing.service' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /usr/local/sbin/seatrial-self-fencing
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/sbin/seatrial-self-fencing' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    ! grep -qE ' (nss-ha-data)$' /etc/hosts
    ) >/dev/null 2>&1 ||
        would_change 'remove the host names of the services' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    ! [ -e /etc/systemd/system/multi-user.target.wants/proc-fs-nfsd.mount ]
    ) >/dev/null 2>&1 ||
        would_change 'stop loading nfsd at boot' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /etc/nfs.conf.d/seatrial-nss-ha.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/nfs.conf.d/seatrial-nss-ha.conf' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /etc/modprobe.d/seatrial-lockd.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/modprobe.d/seatrial-lockd.conf' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/before/leases-enable ]
    ) >/dev/null 2>&1 ||
        would_change 'restore the setting for NFS delegations' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /etc/systemd/system/rpc-statd-notify.service.d/seatrial-nss-ha.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/rpc-statd-notify.service.d/seatrial-nss-ha.conf' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /usr/lib/ocf/resource.d/seatrial/nfs-service
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/lib/ocf/resource.d/seatrial/nfs-service' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    is_restored /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf
    ) >/dev/null 2>&1 ||
        would_change 'restore /etc/lvm/lvm.conf' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    unit_is_off seatrial-stuck-sessions
    ) >/dev/null 2>&1 ||
        would_change 'stop the monitor for stuck iSCSI sessions' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /etc/systemd/system/seatrial-stuck-sessions.service
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/seatrial-stuck-sessions.service' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /usr/local/sbin/seatrial-stuck-sessions
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/sbin/seatrial-stuck-sessions' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:nss-ha)" ]
    ) >/dev/null 2>&1 ||
        would_change 'remove the iSCSI targets' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /etc/iscsi/seatrial-nss-ha
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/iscsi/seatrial-nss-ha' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    ! systemctl -q is-enabled open-iscsi && ! systemctl -q is-enabled iscsid && ! systemctl -q is-enabled multipathd
    ) >/dev/null 2>&1 ||
        would_change 'disable iSCSI logins at boot' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /etc/modules-load.d/seatrial-storage.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/modules-load.d/seatrial-storage.conf' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    is_restored /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi
    ) >/dev/null 2>&1 ||
        would_change 'restore /etc/iscsi/initiatorname.iscsi' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /var/lib/seatrial/made/nss-ha/iscsi-chap
    ) >/dev/null 2>&1 ||
        would_change 'remove /var/lib/seatrial/made/nss-ha/iscsi-chap' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    is_restored /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf
    ) >/dev/null 2>&1 ||
        would_change 'restore /etc/multipath.conf' nss-ha /var/lib/seatrial/made/nss-ha/mark
    [ -z "$found" ]
}
apply_6() { refuse; }
# (6 steps)
##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 1 of 8: preflight check (read-only)
# (the preamble)

# (sh/: no_file no_fstab_line mounted_at is_unmounted would_change)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (5)

# 2. (steps.sh) refuse an occupied mount point: /mnt/nss-ha/data-v3

# 3. (steps.sh) refuse an occupied mount point: /mnt/nss-ha/data-v4.2

# 4. refuse to remove storage that nss-ha did not create
check_4() {
    set +e
    [ ! -e /var/lib/seatrial/made/nss-ha/mark ] || exit 0
    found=
    (
    is_unmounted /mnt/nss-ha/data-v3
    ) >/dev/null 2>&1 ||
        would_change 'unmount /mnt/nss-ha/data-v3' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_fstab_line /mnt/nss-ha/data-v3
    ) >/dev/null 2>&1 ||
        would_change 'disable the mount of /mnt/nss-ha/data-v3 at boot' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /run/seatrial-mnt-nss-ha-data-v3.mount
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-mnt-nss-ha-data-v3.mount' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    is_unmounted /mnt/nss-ha/data-v4.2
    ) >/dev/null 2>&1 ||
        would_change 'unmount /mnt/nss-ha/data-v4.2' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_fstab_line /mnt/nss-ha/data-v4.2
    ) >/dev/null 2>&1 ||
        would_change 'disable the mount of /mnt/nss-ha/data-v4.2 at boot' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /run/seatrial-mnt-nss-ha-data-v4.2.mount
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-mnt-nss-ha-data-v4.2.mount' nss-ha /var/lib/seatrial/made/nss-ha/mark
    [ -z "$found" ]
}
apply_4() { refuse; }
# (4 steps)
##### stage 1, array #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 1 of 8: preflight check (read-only)
# (the preamble)

# (sh/: no_file would_change)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (5)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha

# 3. refuse to remove storage that nss-ha did not create
check_3() {
    set +e
    [ ! -e /var/lib/seatrial/made/nss-ha/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 ||
        would_change 'stop the iSCSI target' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /etc/sysctl.d/60-seatrial-tgt.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/sysctl.d/60-seatrial-tgt.conf' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /etc/tgt/seatrial-nss-ha.targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/tgt/seatrial-nss-ha.targets' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /usr/local/sbin/seatrial-targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/sbin/seatrial-targets' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /run/seatrial-targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-targets' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /var/lib/seatrial/made/nss-ha/iscsi-chap
    ) >/dev/null 2>&1 ||
        would_change 'remove /var/lib/seatrial/made/nss-ha/iscsi-chap' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    [ ! -e /dev/md/nss-ha ]
    ) >/dev/null 2>&1 ||
        would_change 'stop array nss-ha' nss-ha /var/lib/seatrial/made/nss-ha/mark
    (
    no_file /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf' nss-ha /var/lib/seatrial/made/nss-ha/mark
    [ -z "$found" ]
}
apply_3() { refuse; }

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi, /dev/ubdj, /dev/ubdk, /dev/ubdl, /dev/ubdm
# (4 steps)
##### stage 2, array,c[1-4],srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 2 of 8: remove boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# 1. (steps.sh) remove the boot-time settings of network and mounts (4)
# (1 steps)
##### stage 3, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 3 of 8: unmount
# (the preamble)

# (sh/: no_file no_fstab_line remove_fstab_line lines_of_others replace_fstab mounted_at unmount_all is_unmounted remove_mount)
# 1. unmount /mnt/nss-ha/data-v3
check_1() { is_unmounted /mnt/nss-ha/data-v3; }
apply_1() { remove_mount /mnt/nss-ha/data-v3; }

# 2. disable the mount of /mnt/nss-ha/data-v3 at boot
check_2() { no_fstab_line /mnt/nss-ha/data-v3; }
apply_2() { remove_fstab_line /mnt/nss-ha/data-v3; }

# 3. remove /run/seatrial-mnt-nss-ha-data-v3.mount
check_3() { no_file /run/seatrial-mnt-nss-ha-data-v3.mount; }
apply_3() { rm -f /run/seatrial-mnt-nss-ha-data-v3.mount; }

# 4. unmount /mnt/nss-ha/data-v4.2
check_4() { is_unmounted /mnt/nss-ha/data-v4.2; }
apply_4() { remove_mount /mnt/nss-ha/data-v4.2; }

# 5. disable the mount of /mnt/nss-ha/data-v4.2 at boot
check_5() { no_fstab_line /mnt/nss-ha/data-v4.2; }
apply_5() { remove_fstab_line /mnt/nss-ha/data-v4.2; }

# 6. remove /run/seatrial-mnt-nss-ha-data-v4.2.mount
check_6() { no_file /run/seatrial-mnt-nss-ha-data-v4.2.mount; }
apply_6() { rm -f /run/seatrial-mnt-nss-ha-data-v4.2.mount; }
# (6 steps)
##### stage 4, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 4 of 8: leave the cluster
# (the preamble)

# (sh/: no_file is_restored restore_file restore_line)
# 1. leave the cluster
check_1() { ! systemctl -q is-active corosync && ! systemctl -q is-enabled corosync; }
apply_1() {
    systemctl -q --no-reload disable pacemaker corosync
    systemctl stop pacemaker
    systemctl stop corosync
    rm -rf /var/lib/pacemaker/cib/* /etc/seatrial/nss-ha
}

# 2. restore /etc/corosync/corosync.conf
check_2() { is_restored /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf; }
apply_2() {
    restore_file /etc/corosync/corosync.conf /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf
}

# 3. restore /etc/corosync/authkey
check_3() { is_restored /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey; }
apply_3() {
    restore_file /etc/corosync/authkey /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey
}

# 4. remove /var/lib/seatrial/made/nss-ha/corosync-key
check_4() { no_file /var/lib/seatrial/made/nss-ha/corosync-key; }
apply_4() { rm -f /var/lib/seatrial/made/nss-ha/corosync-key; }
# (4 steps)
##### stage 5, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 5 of 8: servers
# (the preamble)

# (sh/: no_file is_restored restore_file restore_line reread_unit unit_is_off stop_unit)
# 1. stop the self-fencing watchdog
check_1() { unit_is_off seatrial-self-fencing; }
apply_1() { stop_unit seatrial-self-fencing; }

# 2. remove /etc/systemd/system/seatrial-self-fencing.service
check_2() { no_file /etc/systemd/system/seatrial-self-fencing.service; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-self-fencing.service
    reread_unit seatrial-self-fencing.service
}

# 3. remove /usr/local/sbin/seatrial-self-fencing
check_3() { no_file /usr/local/sbin/seatrial-self-fencing; }
apply_3() { rm -f /usr/local/sbin/seatrial-self-fencing; }

# 4. remove the host names of the services
check_4() { ! grep -qE ' (nss-ha-data)$' /etc/hosts; }
apply_4() { sed -E -i '/ (nss-ha-data)$/d' /etc/hosts; }

# 5. stop loading nfsd at boot
check_5() { ! [ -e /etc/systemd/system/multi-user.target.wants/proc-fs-nfsd.mount ]; }
apply_5() { rm /etc/systemd/system/multi-user.target.wants/proc-fs-nfsd.mount; }

# 6. remove /etc/nfs.conf.d/seatrial-nss-ha.conf
check_6() { no_file /etc/nfs.conf.d/seatrial-nss-ha.conf; }
apply_6() { rm -f /etc/nfs.conf.d/seatrial-nss-ha.conf; }

# 7. remove /etc/modprobe.d/seatrial-lockd.conf
check_7() { no_file /etc/modprobe.d/seatrial-lockd.conf; }
apply_7() { rm -f /etc/modprobe.d/seatrial-lockd.conf; }

# 8. restore the setting for NFS delegations
check_8() { [ ! -e /var/lib/seatrial/made/nss-ha/before/leases-enable ]; }
apply_8() {
    read -r was </var/lib/seatrial/made/nss-ha/before/leases-enable
    rm /var/lib/seatrial/made/nss-ha/before/leases-enable
    [ "$(cat /proc/sys/fs/leases-enable)" != 0 ] || ls /var/lib/seatrial/made/*/before/leases-enable >/dev/null 2>&1 || echo $was >/proc/sys/fs/leases-enable
}

# 9. remove /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf
check_9() { no_file /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf; }
apply_9() {
    rm -f /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf
    reread_unit nfsdcld.service
}

# 10. remove /etc/systemd/system/rpc-statd-notify.service.d/seatrial-nss-ha.conf
check_10() { no_file /etc/systemd/system/rpc-statd-notify.service.d/seatrial-nss-ha.conf; }
apply_10() {
    rm -f /etc/systemd/system/rpc-statd-notify.service.d/seatrial-nss-ha.conf
    reread_unit rpc-statd-notify.service
}

# 11. remove /usr/lib/ocf/resource.d/seatrial/nfs-service
check_11() { no_file /usr/lib/ocf/resource.d/seatrial/nfs-service; }
apply_11() { rm -f /usr/lib/ocf/resource.d/seatrial/nfs-service; }

# 12. restore /etc/lvm/lvm.conf
check_12() { is_restored /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf; }
apply_12() {
    restore_file /etc/lvm/lvm.conf /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf system_id_source
}
# (12 steps)
##### stage 6, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 6 of 8: storage paths
# (the preamble)

# (sh/: no_file is_restored restore_file restore_line reread_unit unit_is_off stop_unit)
# (iscsi_initiator.sh)
# 1. (steps.sh) stop the monitor for stuck iSCSI sessions

# 2. (steps.sh) remove /etc/systemd/system/seatrial-stuck-sessions.service

# 3. (steps.sh) remove /usr/local/sbin/seatrial-stuck-sessions

# 4. remove the iSCSI targets
check_4() { [ -z "$(iscsi_of iqn.2026-01.org.seatrial:nss-ha)" ]; }
apply_4() {
    for map in nss-ha-data; do
        [ ! -e /dev/mapper/$map ] || multipath -f $map || true
    done
    iscsi_forget iqn.2026-01.org.seatrial:nss-ha
}

# 5. remove /etc/iscsi/seatrial-nss-ha
check_5() { no_file /etc/iscsi/seatrial-nss-ha; }
apply_5() { rm -f /etc/iscsi/seatrial-nss-ha; }

# 6. (steps.sh) disable iSCSI logins at boot

# 7. (steps.sh) remove /etc/modules-load.d/seatrial-storage.conf

# 8. restore /etc/iscsi/initiatorname.iscsi
check_8() { is_restored /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi; }
apply_8() {
    restore_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi
}

# 9. remove /var/lib/seatrial/made/nss-ha/iscsi-chap
check_9() { no_file /var/lib/seatrial/made/nss-ha/iscsi-chap; }
apply_9() { rm -f /var/lib/seatrial/made/nss-ha/iscsi-chap; }

# 10. restore /etc/multipath.conf
check_10() { is_restored /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf; }
apply_10() {
    restore_file /etc/multipath.conf /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf
}
# (10 steps)
##### stage 7, array #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 7 of 8: array
# (the preamble)

# (sh/: no_file reread_unit)
# 1. (steps.sh) stop the iSCSI target

# 2. (steps.sh) remove /etc/sysctl.d/60-seatrial-tgt.conf

# 3. remove /etc/tgt/seatrial-nss-ha.targets
check_3() { no_file /etc/tgt/seatrial-nss-ha.targets; }
apply_3() { rm -f /etc/tgt/seatrial-nss-ha.targets; }

# 4. remove /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf
check_4() { no_file /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf; }
apply_4() {
    rm -f /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf
    reread_unit tgt.service
}

# 5. (steps.sh) remove /usr/local/sbin/seatrial-targets

# 6. (steps.sh) remove /run/seatrial-targets

# 7. remove /var/lib/seatrial/made/nss-ha/iscsi-chap
check_7() { no_file /var/lib/seatrial/made/nss-ha/iscsi-chap; }
apply_7() { rm -f /var/lib/seatrial/made/nss-ha/iscsi-chap; }

# 8. stop array nss-ha
check_8() { [ ! -e /dev/md/nss-ha ]; }
apply_8() {
    mdadm --stop /dev/md/nss-ha
    udevadm settle --timeout=120
    rm -f /dev/md/nss-ha
}

# 9. remove /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf
check_9() { no_file /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf; }
apply_9() { rm -f /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf; }
# (9 steps)
##### stage 8, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 8 of 8: remove the mark
# (the preamble)

# (sh/: mtus_are_restored restore_mtus installed_packages)
# (backups.sh)
# 1. restore the MTU of links
check_1() { mtus_are_restored /var/lib/seatrial/made/nss-ha/before; }
apply_1() { restore_mtus /var/lib/seatrial/made/nss-ha/before; }

# 2. restore the state of units
check_2() { [ ! -e /var/lib/seatrial/made/nss-ha/before/units ]; }
apply_2() {
    give_back_units /var/lib/seatrial/made/nss-ha/before/units
    rm /var/lib/seatrial/made/nss-ha/before/units
}

# 3. remove the mark of nss-ha
check_3() {
    [ ! -e /var/lib/seatrial/made/nss-ha/mark ] && [ ! -e /var/lib/seatrial/made/nss-ha/left ]
}
apply_3() {
    rm -f /var/lib/seatrial/made/nss-ha/mark /var/lib/seatrial/made/nss-ha/left
    rmdir /var/lib/seatrial/made/nss-ha 2>/dev/null || true
}
# (3 steps)
##### stage 8, c[1-4] #####
as on srv[1-2], but for:
@@ -6,2 +6 @@
+# (sh/: mtus_are_restored restore_mtus)
@@ -12,9 +11,2 @@
+# 2. remove the mark of nss-ha
+check_2() {
@@ -23 +15 @@
+apply_2() {
@@ -27 +19 @@
+# (2 steps)
##### stage 8, array #####
as on srv[1-2], but for:
@@ -20,7 +20,2 @@
+check_3() { [ ! -e /var/lib/seatrial/made/nss-ha/mark ]; }
+apply_3() { rm /var/lib/seatrial/made/nss-ha/mark; }
