##### stage 1, c1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (sh/: no_file is_restored would_change unit_is_off)
# (look.sh)
# (iscsi_initiator.sh)
# 1. (steps.sh) refuse symbolic links (2)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block

# 3. (steps.sh) refuse other multipath devices: gpfs-nsd-block

# 4. (steps.sh) refuse another cluster: gpfs-nsd-block

# 5. (steps.sh) refuse an occupied mount point: /mnt/gpfs-nsd-block

# 6. refuse to remove storage that gpfs-nsd-block did not create
check_6() {
    set +e
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/mark ] || exit 0
    found=
    (
    ! systemctl -q is-enabled seatrial-gfs2-gpfs-nsd-block.service && ! systemctl -q is-active seatrial-gfs2-gpfs-nsd-block.service &&
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts && [ ! -d /mnt/gpfs-nsd-block ]
    ) >/dev/null 2>&1 ||
        would_change 'unmount /mnt/gpfs-nsd-block' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /run/seatrial-gpfs-nsd-block.readahead
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-gpfs-nsd-block.readahead' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    ! systemctl -q is-active corosync dlm lvmlockd && ! systemctl -q is-enabled corosync dlm lvmlockd
    ) >/dev/null 2>&1 ||
        would_change 'leave the cluster' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/dlm/dlm.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/dlm/dlm.conf' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/systemd/system/dlm.service.d/seatrial.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/dlm.service.d/seatrial.conf' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/dlm/seatrial-password-c1
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/dlm/seatrial-password-c1' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/dlm/seatrial-password-c2
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/dlm/seatrial-password-c2' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/dlm/seatrial-password-c3
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/dlm/seatrial-password-c3' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/dlm/seatrial-password-c4
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/dlm/seatrial-password-c4' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    is_restored /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf
    ) >/dev/null 2>&1 ||
        would_change 'restore /etc/lvm/lvm.conf' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    is_restored /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf
    ) >/dev/null 2>&1 ||
        would_change 'restore /etc/corosync/corosync.conf' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    is_restored /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey
    ) >/dev/null 2>&1 ||
        would_change 'restore /etc/corosync/authkey' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /var/lib/seatrial/made/gpfs-nsd-block/corosync-key
    ) >/dev/null 2>&1 ||
        would_change 'remove /var/lib/seatrial/made/gpfs-nsd-block/corosync-key' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    unit_is_off seatrial-stuck-sessions
    ) >/dev/null 2>&1 ||
        would_change 'stop the monitor for stuck iSCSI sessions' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/systemd/system/seatrial-stuck-sessions.service
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/seatrial-stuck-sessions.service' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /usr/local/sbin/seatrial-stuck-sessions
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/sbin/seatrial-stuck-sessions' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:gpfs-nsd-block)" ]
    ) >/dev/null 2>&1 ||
        would_change 'remove the iSCSI targets' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/iscsi/seatrial-gpfs-nsd-block
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/iscsi/seatrial-gpfs-nsd-block' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    ! systemctl -q is-enabled open-iscsi && ! systemctl -q is-enabled iscsid && ! systemctl -q is-enabled multipathd
    ) >/dev/null 2>&1 ||
        would_change 'disable iSCSI logins at boot' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/iscsi/ifaces/seatrial-gpfs-nsd-block
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/iscsi/ifaces/seatrial-gpfs-nsd-block' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/modules-load.d/seatrial-storage.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/modules-load.d/seatrial-storage.conf' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    is_restored /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi
    ) >/dev/null 2>&1 ||
        would_change 'restore /etc/iscsi/initiatorname.iscsi' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
    ) >/dev/null 2>&1 ||
        would_change 'remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    is_restored /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf
    ) >/dev/null 2>&1 ||
        would_change 'restore /etc/multipath.conf' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    [ -z "$found" ]
}
apply_6() { refuse; }

# 7. refuse volumes of another owner on /dev/mapper/gpfs-nsd-block-a1-shared1, /dev/mapper/gpfs-nsd-block-a1-shared2, /dev/mapper/gpfs-nsd-block-a2-shared1, /dev/mapper/gpfs-nsd-block-a2-shared2
check_7() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd-block/volumes '' /dev/mapper/gpfs-nsd-block-a1-shared1 /dev/mapper/gpfs-nsd-block-a1-shared2 /dev/mapper/gpfs-nsd-block-a2-shared1 /dev/mapper/gpfs-nsd-block-a2-shared2
}
apply_7() { refuse; }
# (7 steps)
##### stage 1, c[2-4] #####
as on c1, but for:
@@ -132,8 +132 @@
+# (6 steps)
##### stage 1, bs[1-2] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (sh/: no_file is_restored would_change unit_is_off)
# (look.sh)
# (iscsi_initiator.sh)
# 1. (steps.sh) refuse symbolic links (2)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block

# 3. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block

# 4. refuse to remove storage that gpfs-nsd-block did not create
check_4() {
    set +e
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 ||
        would_change 'stop the iSCSI target' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/sysctl.d/60-seatrial-tgt.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/sysctl.d/60-seatrial-tgt.conf' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/tgt/seatrial-gpfs-nsd-block.targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/tgt/seatrial-gpfs-nsd-block.targets' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /usr/local/sbin/seatrial-targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/sbin/seatrial-targets' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /run/seatrial-targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-targets' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
    ) >/dev/null 2>&1 ||
        would_change 'remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    unit_is_off seatrial-lost-array
    ) >/dev/null 2>&1 ||
        would_change 'stop the monitor for lost arrays' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/systemd/system/seatrial-lost-array.service
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/seatrial-lost-array.service' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /usr/local/sbin/seatrial-lost-array
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/sbin/seatrial-lost-array' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:gpfs-nsd-block)" ]
    ) >/dev/null 2>&1 ||
        would_change 'remove the iSCSI targets' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/iscsi/seatrial-gpfs-nsd-block
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/iscsi/seatrial-gpfs-nsd-block' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    ! systemctl -q is-enabled open-iscsi && ! systemctl -q is-enabled iscsid
    ) >/dev/null 2>&1 ||
        would_change 'disable iSCSI logins at boot' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/iscsi/ifaces/seatrial-gpfs-nsd-block
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/iscsi/ifaces/seatrial-gpfs-nsd-block' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/modules-load.d/seatrial-storage.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/modules-load.d/seatrial-storage.conf' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    is_restored /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi
    ) >/dev/null 2>&1 ||
        would_change 'restore /etc/iscsi/initiatorname.iscsi' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
    ) >/dev/null 2>&1 ||
        would_change 'remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    [ -z "$found" ]
}
apply_4() { refuse; }
# (4 steps)
##### stage 1, a1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (sh/: no_file would_change)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (2)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block

# 3. refuse to remove storage that gpfs-nsd-block did not create
check_3() {
    set +e
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 ||
        would_change 'stop the iSCSI target' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/sysctl.d/60-seatrial-tgt.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/sysctl.d/60-seatrial-tgt.conf' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/tgt/seatrial-gpfs-nsd-block.targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/tgt/seatrial-gpfs-nsd-block.targets' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /usr/local/sbin/seatrial-targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/sbin/seatrial-targets' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /run/seatrial-targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-targets' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
    ) >/dev/null 2>&1 ||
        would_change 'remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    ! ls /dev/seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 ||
        would_change 'deactivate the volumes' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    ! vgs seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 ||
        would_change 'remove the volumes, as --wipe allows' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    [ ! -e /dev/md/gpfs-nsd-block ]
    ) >/dev/null 2>&1 ||
        would_change 'stop array gpfs-nsd-block' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    [ -z "$found" ]
}
apply_3() { refuse; }

# 4. refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf
check_4() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd-block/volumes '/dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
}
apply_4() { refuse; }
# (4 steps)
##### stage 1, a2 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (sh/: no_file would_change)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (2)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block

# 3. refuse to remove storage that gpfs-nsd-block did not create
check_3() {
    set +e
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 ||
        would_change 'stop the iSCSI target' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/sysctl.d/60-seatrial-tgt.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/sysctl.d/60-seatrial-tgt.conf' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/tgt/seatrial-gpfs-nsd-block.targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/tgt/seatrial-gpfs-nsd-block.targets' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /usr/local/sbin/seatrial-targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/sbin/seatrial-targets' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /run/seatrial-targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-targets' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
    ) >/dev/null 2>&1 ||
        would_change 'remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    ! ls /dev/seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 ||
        would_change 'deactivate the volumes' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    [ ! -e /dev/md/gpfs-nsd-block ]
    ) >/dev/null 2>&1 ||
        would_change 'stop array gpfs-nsd-block' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    (
    no_file /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf' gpfs-nsd-block /var/lib/seatrial/made/gpfs-nsd-block/mark
    [ -z "$found" ]
}
apply_3() { refuse; }

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf
# (4 steps)
##### stage 2, a[1-2],bs[1-2],c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 2 of 11: remove boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# 1. remove the boot-time settings of network and mounts
check_1() {
    no_file /etc/systemd/system/seatrial-gpfs-nsd-block-network.service /usr/local/sbin/seatrial-gpfs-nsd-block-network /etc/systemd/system/seatrial-gpfs-nsd-block-mounts.service /usr/local/sbin/seatrial-gpfs-nsd-block-mounts
}
apply_1() {
    remove_unit seatrial-gpfs-nsd-block-network /etc/systemd/system/seatrial-gpfs-nsd-block-network.service
    rm -f /usr/local/sbin/seatrial-gpfs-nsd-block-network
    remove_unit seatrial-gpfs-nsd-block-mounts /etc/systemd/system/seatrial-gpfs-nsd-block-mounts.service
    rm -f /usr/local/sbin/seatrial-gpfs-nsd-block-mounts
}
# (1 steps)
##### stage 3, c1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 3 of 11: unmount on c1
# (the preamble)

# (sh/: no_file reread_unit)
# 1. unmount /mnt/gpfs-nsd-block
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gpfs-nsd-block.service && ! systemctl -q is-active seatrial-gfs2-gpfs-nsd-block.service &&
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts && [ ! -d /mnt/gpfs-nsd-block ]
}
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gpfs-nsd-block.service
    systemctl stop seatrial-gfs2-gpfs-nsd-block.service
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block stop
    [ ! -d /mnt/gpfs-nsd-block ] || rmdir /mnt/gpfs-nsd-block
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
check_2() { no_file /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
    reread_unit seatrial-gfs2-gpfs-nsd-block.service
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block
check_3() { no_file /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block; }
apply_3() { rm -f /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block; }

# 4. remove /run/seatrial-gpfs-nsd-block.readahead
check_4() { no_file /run/seatrial-gpfs-nsd-block.readahead; }
apply_4() { rm -f /run/seatrial-gpfs-nsd-block.readahead; }
# (4 steps)
##### stage 4, c2 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 4 of 11: unmount on c2
# (the preamble)

# (sh/: no_file reread_unit)
# 1. unmount /mnt/gpfs-nsd-block
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gpfs-nsd-block.service && ! systemctl -q is-active seatrial-gfs2-gpfs-nsd-block.service &&
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts && [ ! -d /mnt/gpfs-nsd-block ]
}
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gpfs-nsd-block.service
    systemctl stop seatrial-gfs2-gpfs-nsd-block.service
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block stop
    [ ! -d /mnt/gpfs-nsd-block ] || rmdir /mnt/gpfs-nsd-block
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
check_2() { no_file /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
    reread_unit seatrial-gfs2-gpfs-nsd-block.service
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block
check_3() { no_file /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block; }
apply_3() { rm -f /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block; }

# 4. remove /run/seatrial-gpfs-nsd-block.readahead
check_4() { no_file /run/seatrial-gpfs-nsd-block.readahead; }
apply_4() { rm -f /run/seatrial-gpfs-nsd-block.readahead; }
# (4 steps)
##### stage 5, c3 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 5 of 11: unmount on c3
# (the preamble)

# (sh/: no_file reread_unit)
# 1. unmount /mnt/gpfs-nsd-block
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gpfs-nsd-block.service && ! systemctl -q is-active seatrial-gfs2-gpfs-nsd-block.service &&
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts && [ ! -d /mnt/gpfs-nsd-block ]
}
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gpfs-nsd-block.service
    systemctl stop seatrial-gfs2-gpfs-nsd-block.service
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block stop
    [ ! -d /mnt/gpfs-nsd-block ] || rmdir /mnt/gpfs-nsd-block
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
check_2() { no_file /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
    reread_unit seatrial-gfs2-gpfs-nsd-block.service
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block
check_3() { no_file /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block; }
apply_3() { rm -f /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block; }

# 4. remove /run/seatrial-gpfs-nsd-block.readahead
check_4() { no_file /run/seatrial-gpfs-nsd-block.readahead; }
apply_4() { rm -f /run/seatrial-gpfs-nsd-block.readahead; }
# (4 steps)
##### stage 6, c4 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 6 of 11: unmount on c4
# (the preamble)

# (sh/: no_file reread_unit)
# 1. unmount /mnt/gpfs-nsd-block
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gpfs-nsd-block.service && ! systemctl -q is-active seatrial-gfs2-gpfs-nsd-block.service &&
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts && [ ! -d /mnt/gpfs-nsd-block ]
}
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gpfs-nsd-block.service
    systemctl stop seatrial-gfs2-gpfs-nsd-block.service
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block stop
    [ ! -d /mnt/gpfs-nsd-block ] || rmdir /mnt/gpfs-nsd-block
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
check_2() { no_file /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
    reread_unit seatrial-gfs2-gpfs-nsd-block.service
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block
check_3() { no_file /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block; }
apply_3() { rm -f /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block; }

# 4. remove /run/seatrial-gpfs-nsd-block.readahead
check_4() { no_file /run/seatrial-gpfs-nsd-block.readahead; }
apply_4() { rm -f /run/seatrial-gpfs-nsd-block.readahead; }
# (4 steps)
##### stage 7, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 7 of 11: leave the cluster
# (the preamble)

# (sh/: no_file is_restored restore_file restore_line reread_unit)
# 1. (steps.sh) leave the cluster

# 2. (steps.sh) remove /etc/dlm/dlm.conf

# 3. (steps.sh) remove /etc/systemd/system/dlm.service.d/seatrial.conf

# 4. (steps.sh) remove /etc/dlm/seatrial-password-c1

# 5. (steps.sh) remove /etc/dlm/seatrial-password-c2

# 6. (steps.sh) remove /etc/dlm/seatrial-password-c3

# 7. (steps.sh) remove /etc/dlm/seatrial-password-c4

# 8. restore /etc/lvm/lvm.conf
check_8() { is_restored /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf; }
apply_8() {
    restore_file /etc/lvm/lvm.conf /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf use_lvmlockd
}

# 9. restore /etc/corosync/corosync.conf
check_9() { is_restored /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf; }
apply_9() {
    restore_file /etc/corosync/corosync.conf /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf
}

# 10. restore /etc/corosync/authkey
check_10() { is_restored /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey; }
apply_10() {
    restore_file /etc/corosync/authkey /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey
}

# 11. remove /var/lib/seatrial/made/gpfs-nsd-block/corosync-key
check_11() { no_file /var/lib/seatrial/made/gpfs-nsd-block/corosync-key; }
apply_11() { rm -f /var/lib/seatrial/made/gpfs-nsd-block/corosync-key; }
# (11 steps)
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 8 of 11: sessions
# (the preamble)

# (sh/: no_file is_restored restore_file restore_line reread_unit unit_is_off stop_unit)
# (iscsi_initiator.sh)
# 1. (steps.sh) stop the monitor for stuck iSCSI sessions

# 2. (steps.sh) remove /etc/systemd/system/seatrial-stuck-sessions.service

# 3. (steps.sh) remove /usr/local/sbin/seatrial-stuck-sessions

# 4. remove the iSCSI targets
check_4() { [ -z "$(iscsi_of iqn.2026-01.org.seatrial:gpfs-nsd-block)" ]; }
apply_4() {
    for map in gpfs-nsd-block-a1-shared1 gpfs-nsd-block-a1-shared2 gpfs-nsd-block-a2-shared1 gpfs-nsd-block-a2-shared2; do
        [ ! -e /dev/mapper/$map ] || multipath -f $map || true
    done
    iscsi_forget iqn.2026-01.org.seatrial:gpfs-nsd-block
}

# 5. remove /etc/iscsi/seatrial-gpfs-nsd-block
check_5() { no_file /etc/iscsi/seatrial-gpfs-nsd-block; }
apply_5() { rm -f /etc/iscsi/seatrial-gpfs-nsd-block; }

# 6. (steps.sh) disable iSCSI logins at boot

# 7. remove /etc/iscsi/ifaces/seatrial-gpfs-nsd-block
check_7() { no_file /etc/iscsi/ifaces/seatrial-gpfs-nsd-block; }
apply_7() { rm -f /etc/iscsi/ifaces/seatrial-gpfs-nsd-block; }

# 8. (steps.sh) remove /etc/modules-load.d/seatrial-storage.conf

# 9. restore /etc/iscsi/initiatorname.iscsi
check_9() {
    is_restored /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi
}
apply_9() {
    restore_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi
}

# 10. remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
check_10() { no_file /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap; }
apply_10() { rm -f /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap; }

# 11. restore /etc/multipath.conf
check_11() { is_restored /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf; }
apply_11() {
    restore_file /etc/multipath.conf /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf
}
# (11 steps)
##### stage 9, bs[1-2] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 9 of 11: block servers
# (the preamble)

# (sh/: no_file is_restored restore_file restore_line reread_unit unit_is_off stop_unit)
# (iscsi_initiator.sh)
# 1. (steps.sh) stop the iSCSI target

# 2. (steps.sh) remove /etc/sysctl.d/60-seatrial-tgt.conf

# 3. remove /etc/tgt/seatrial-gpfs-nsd-block.targets
check_3() { no_file /etc/tgt/seatrial-gpfs-nsd-block.targets; }
apply_3() { rm -f /etc/tgt/seatrial-gpfs-nsd-block.targets; }

# 4. remove /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf
check_4() { no_file /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf; }
apply_4() {
    rm -f /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf
    reread_unit tgt.service
}

# 5. (steps.sh) remove /usr/local/sbin/seatrial-targets

# 6. (steps.sh) remove /run/seatrial-targets

# 7. remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
check_7() { no_file /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap; }
apply_7() { rm -f /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap; }

# 8. stop the monitor for lost arrays
check_8() { unit_is_off seatrial-lost-array; }
apply_8() { stop_unit seatrial-lost-array; }

# 9. remove /etc/systemd/system/seatrial-lost-array.service
check_9() { no_file /etc/systemd/system/seatrial-lost-array.service; }
apply_9() {
    rm -f /etc/systemd/system/seatrial-lost-array.service
    reread_unit seatrial-lost-array.service
}

# 10. remove /usr/local/sbin/seatrial-lost-array
check_10() { no_file /usr/local/sbin/seatrial-lost-array; }
apply_10() { rm -f /usr/local/sbin/seatrial-lost-array; }

# 11. remove the iSCSI targets
check_11() { [ -z "$(iscsi_of iqn.2026-01.org.seatrial:gpfs-nsd-block)" ]; }
apply_11() { iscsi_forget iqn.2026-01.org.seatrial:gpfs-nsd-block; }

# 12. remove /etc/iscsi/seatrial-gpfs-nsd-block
check_12() { no_file /etc/iscsi/seatrial-gpfs-nsd-block; }
apply_12() { rm -f /etc/iscsi/seatrial-gpfs-nsd-block; }

# 13. (steps.sh) disable iSCSI logins at boot (2)

# 14. remove /etc/iscsi/ifaces/seatrial-gpfs-nsd-block
check_14() { no_file /etc/iscsi/ifaces/seatrial-gpfs-nsd-block; }
apply_14() { rm -f /etc/iscsi/ifaces/seatrial-gpfs-nsd-block; }

# 15. (steps.sh) remove /etc/modules-load.d/seatrial-storage.conf

# 16. restore /etc/iscsi/initiatorname.iscsi
check_16() {
    is_restored /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi
}
apply_16() {
    restore_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi
}

# 17. remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
check_17() { no_file /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap; }
apply_17() { rm -f /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap; }
# (17 steps)
##### stage 10, a1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 10 of 11: members
# (the preamble)

# (sh/: erase_devices discard no_file reread_unit)
# 1. (steps.sh) stop the iSCSI target

# 2. (steps.sh) remove /etc/sysctl.d/60-seatrial-tgt.conf

# 3. remove /etc/tgt/seatrial-gpfs-nsd-block.targets
check_3() { no_file /etc/tgt/seatrial-gpfs-nsd-block.targets; }
apply_3() { rm -f /etc/tgt/seatrial-gpfs-nsd-block.targets; }

# 4. remove /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf
check_4() { no_file /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf; }
apply_4() {
    rm -f /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf
    reread_unit tgt.service
}

# 5. (steps.sh) remove /usr/local/sbin/seatrial-targets

# 6. (steps.sh) remove /run/seatrial-targets

# 7. remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
check_7() { no_file /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap; }
apply_7() { rm -f /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap; }

# 8. (steps.sh) deactivate the volumes

# 9. remove the volumes, as --wipe allows
check_9() { ! vgs seatrial-group >/dev/null 2>&1; }
apply_9() {
    vgremove -q -y -f seatrial-group
    pvremove -q -y -ff /dev/md/gpfs-nsd-block
}

# 10. stop array gpfs-nsd-block
check_10() { [ ! -e /dev/md/gpfs-nsd-block ]; }
apply_10() {
    mdadm --stop /dev/md/gpfs-nsd-block
    udevadm settle --timeout=120
    rm -f /dev/md/gpfs-nsd-block
}

# 11. remove /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf
check_11() { no_file /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf; }
apply_11() { rm -f /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf; }

# 12. erase /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, as --wipe allows
check_12() { all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf; }
apply_12() { erase_devices zero /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf; }
# (12 steps)
##### stage 10, a2 #####
as on a1, but for:
@@ -6 +6 @@
+# (sh/: no_file reread_unit)
@@ -32,2 +32,2 @@
+# 9. stop array gpfs-nsd-block
+check_9() { [ ! -e /dev/md/gpfs-nsd-block ]; }
@@ -35,7 +34,0 @@
@@ -47,8 +40,4 @@
+# 10. remove /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf
+check_10() { no_file /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf; }
+apply_10() { rm -f /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf; }
+# (10 steps)
##### stage 11, a[1-2],c1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 11 of 11: remove the mark
# (the preamble)

# (sh/: mtus_are_restored restore_mtus installed_packages)
# (backups.sh)
# 1. restore the MTU of links
check_1() { mtus_are_restored /var/lib/seatrial/made/gpfs-nsd-block/before; }
apply_1() { restore_mtus /var/lib/seatrial/made/gpfs-nsd-block/before; }

# 2. restore the state of units
check_2() { [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/units ]; }
apply_2() {
    give_back_units /var/lib/seatrial/made/gpfs-nsd-block/before/units
    rm /var/lib/seatrial/made/gpfs-nsd-block/before/units
}

# 3. remove the mark of gpfs-nsd-block
check_3() { [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/mark ]; }
apply_3() { rm /var/lib/seatrial/made/gpfs-nsd-block/mark; }
# (3 steps)
##### stage 11, bs[1-2],c[2-4] #####
as on a[1-2],c1, but for:
@@ -20,2 +20,7 @@
+check_3() {
+    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/mark ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/left ]
+}
+apply_3() {
+    rm -f /var/lib/seatrial/made/gpfs-nsd-block/mark /var/lib/seatrial/made/gpfs-nsd-block/left
+    rmdir /var/lib/seatrial/made/gpfs-nsd-block 2>/dev/null || true
+}
