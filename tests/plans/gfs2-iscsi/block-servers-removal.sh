##### stage 1, c1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (look.sh)
# (iscsi_initiator.sh)
# 1. (steps.sh) refuse symbolic links (2)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block

# 3. (steps.sh) refuse other multipath devices: gpfs-nsd-block

# 4. (steps.sh) refuse another cluster: gpfs-nsd-block

# 5. (steps.sh) refuse an occupied mount point: /mnt/gpfs-nsd-block

# 6. refuse to remove storage that gpfs-nsd-block did not create
check_6() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/mark ] || exit 0
    found=
    (
    ! systemctl -q is-enabled seatrial-gfs2-gpfs-nsd-block.service && ! systemctl -q is-active seatrial-gfs2-gpfs-nsd-block.service &&
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts && [ ! -d /mnt/gpfs-nsd-block ]
    ) >/dev/null 2>&1 || found='unmount /mnt/gpfs-nsd-block'
    (
    [ ! -e /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service'
    (
    [ ! -e /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block ]
    ) >/dev/null 2>&1 || found='remove /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block'
    (
    [ ! -e /run/seatrial-gpfs-nsd-block.readahead ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-gpfs-nsd-block.readahead'
    (
    ! systemctl -q is-active corosync dlm lvmlockd && ! systemctl -q is-enabled corosync dlm lvmlockd
    ) >/dev/null 2>&1 || found='leave the cluster'
    (
    [ ! -e /etc/dlm/dlm.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/dlm/dlm.conf'
    (
    [ ! -e /etc/systemd/system/dlm.service.d/seatrial.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/dlm.service.d/seatrial.conf'
    (
    [ ! -e /etc/dlm/seatrial-password-c1 ]
    ) >/dev/null 2>&1 || found='remove /etc/dlm/seatrial-password-c1'
    (
    [ ! -e /etc/dlm/seatrial-password-c2 ]
    ) >/dev/null 2>&1 || found='remove /etc/dlm/seatrial-password-c2'
    (
    [ ! -e /etc/dlm/seatrial-password-c3 ]
    ) >/dev/null 2>&1 || found='remove /etc/dlm/seatrial-password-c3'
    (
    [ ! -e /etc/dlm/seatrial-password-c4 ]
    ) >/dev/null 2>&1 || found='remove /etc/dlm/seatrial-password-c4'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.absent ]
    ) >/dev/null 2>&1 || found='restore /etc/lvm/lvm.conf'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.absent ]
    ) >/dev/null 2>&1 || found='restore /etc/corosync/corosync.conf'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.absent ]
    ) >/dev/null 2>&1 || found='restore /etc/corosync/authkey'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/corosync-key ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial/made/gpfs-nsd-block/corosync-key'
    (
    ! systemctl -q is-active seatrial-stuck-sessions && ! systemctl -q is-enabled seatrial-stuck-sessions
    ) >/dev/null 2>&1 || found='stop the monitor for stuck iSCSI sessions'
    (
    [ ! -e /etc/systemd/system/seatrial-stuck-sessions.service ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/seatrial-stuck-sessions.service'
    (
    [ ! -e /usr/local/sbin/seatrial-stuck-sessions ]
    ) >/dev/null 2>&1 || found='remove /usr/local/sbin/seatrial-stuck-sessions'
    (
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:gpfs-nsd-block)" ]
    ) >/dev/null 2>&1 || found='remove the iSCSI targets'
    (
    [ ! -e /etc/iscsi/seatrial-gpfs-nsd-block ]
    ) >/dev/null 2>&1 || found='remove /etc/iscsi/seatrial-gpfs-nsd-block'
    (
    ! systemctl -q is-enabled open-iscsi && ! systemctl -q is-enabled iscsid && ! systemctl -q is-enabled multipathd
    ) >/dev/null 2>&1 || found='disable iSCSI logins at boot'
    (
    [ ! -e /etc/iscsi/ifaces/seatrial-gpfs-nsd-block ]
    ) >/dev/null 2>&1 || found='remove /etc/iscsi/ifaces/seatrial-gpfs-nsd-block'
    (
    [ ! -e /etc/modules-load.d/seatrial-storage.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/modules-load.d/seatrial-storage.conf'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.absent ]
    ) >/dev/null 2>&1 || found='restore /etc/iscsi/initiatorname.iscsi'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.absent ]
    ) >/dev/null 2>&1 || found='restore /etc/multipath.conf'
    [ -z "$found" ]
}
guard_6() { :; }
apply_6() {
    echo "refused: gpfs-nsd-block has made nothing on this node (/var/lib/seatrial/made/gpfs-nsd-block/mark is missing); this would be done:"
    (
    ! systemctl -q is-enabled seatrial-gfs2-gpfs-nsd-block.service && ! systemctl -q is-active seatrial-gfs2-gpfs-nsd-block.service &&
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts && [ ! -d /mnt/gpfs-nsd-block ]
    ) >/dev/null 2>&1 || echo '  unmount /mnt/gpfs-nsd-block'
    (
    [ ! -e /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service'
    (
    [ ! -e /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block ]
    ) >/dev/null 2>&1 || echo '  remove /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block'
    (
    [ ! -e /run/seatrial-gpfs-nsd-block.readahead ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-gpfs-nsd-block.readahead'
    (
    ! systemctl -q is-active corosync dlm lvmlockd && ! systemctl -q is-enabled corosync dlm lvmlockd
    ) >/dev/null 2>&1 || echo '  leave the cluster'
    (
    [ ! -e /etc/dlm/dlm.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/dlm/dlm.conf'
    (
    [ ! -e /etc/systemd/system/dlm.service.d/seatrial.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/dlm.service.d/seatrial.conf'
    (
    [ ! -e /etc/dlm/seatrial-password-c1 ]
    ) >/dev/null 2>&1 || echo '  remove /etc/dlm/seatrial-password-c1'
    (
    [ ! -e /etc/dlm/seatrial-password-c2 ]
    ) >/dev/null 2>&1 || echo '  remove /etc/dlm/seatrial-password-c2'
    (
    [ ! -e /etc/dlm/seatrial-password-c3 ]
    ) >/dev/null 2>&1 || echo '  remove /etc/dlm/seatrial-password-c3'
    (
    [ ! -e /etc/dlm/seatrial-password-c4 ]
    ) >/dev/null 2>&1 || echo '  remove /etc/dlm/seatrial-password-c4'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.absent ]
    ) >/dev/null 2>&1 || echo '  restore /etc/lvm/lvm.conf'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.absent ]
    ) >/dev/null 2>&1 || echo '  restore /etc/corosync/corosync.conf'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.absent ]
    ) >/dev/null 2>&1 || echo '  restore /etc/corosync/authkey'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/corosync-key ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial/made/gpfs-nsd-block/corosync-key'
    (
    ! systemctl -q is-active seatrial-stuck-sessions && ! systemctl -q is-enabled seatrial-stuck-sessions
    ) >/dev/null 2>&1 || echo '  stop the monitor for stuck iSCSI sessions'
    (
    [ ! -e /etc/systemd/system/seatrial-stuck-sessions.service ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/seatrial-stuck-sessions.service'
    (
    [ ! -e /usr/local/sbin/seatrial-stuck-sessions ]
    ) >/dev/null 2>&1 || echo '  remove /usr/local/sbin/seatrial-stuck-sessions'
    (
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:gpfs-nsd-block)" ]
    ) >/dev/null 2>&1 || echo '  remove the iSCSI targets'
    (
    [ ! -e /etc/iscsi/seatrial-gpfs-nsd-block ]
    ) >/dev/null 2>&1 || echo '  remove /etc/iscsi/seatrial-gpfs-nsd-block'
    (
    ! systemctl -q is-enabled open-iscsi && ! systemctl -q is-enabled iscsid && ! systemctl -q is-enabled multipathd
    ) >/dev/null 2>&1 || echo '  disable iSCSI logins at boot'
    (
    [ ! -e /etc/iscsi/ifaces/seatrial-gpfs-nsd-block ]
    ) >/dev/null 2>&1 || echo '  remove /etc/iscsi/ifaces/seatrial-gpfs-nsd-block'
    (
    [ ! -e /etc/modules-load.d/seatrial-storage.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/modules-load.d/seatrial-storage.conf'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.absent ]
    ) >/dev/null 2>&1 || echo '  restore /etc/iscsi/initiatorname.iscsi'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.absent ]
    ) >/dev/null 2>&1 || echo '  restore /etc/multipath.conf'
    exit 1
}

# 7. refuse volumes of another owner on /dev/mapper/gpfs-nsd-block-a1-shared1, /dev/mapper/gpfs-nsd-block-a1-shared2, /dev/mapper/gpfs-nsd-block-a2-shared1, /dev/mapper/gpfs-nsd-block-a2-shared2
check_7() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd-block/volumes '' /dev/mapper/gpfs-nsd-block-a1-shared1 /dev/mapper/gpfs-nsd-block-a1-shared2 /dev/mapper/gpfs-nsd-block-a2-shared1 /dev/mapper/gpfs-nsd-block-a2-shared2
}
guard_7() { :; }
apply_7() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd-block/volumes '' /dev/mapper/gpfs-nsd-block-a1-shared1 /dev/mapper/gpfs-nsd-block-a1-shared2 /dev/mapper/gpfs-nsd-block-a2-shared1 /dev/mapper/gpfs-nsd-block-a2-shared2
    exit 1
}
# (7 steps)
##### stage 1, c[2-4] #####
as on c1, but for:
@@ -187,13 +187 @@
+# (6 steps)
##### stage 1, bs[1-2] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (look.sh)
# (iscsi_initiator.sh)
# 1. (steps.sh) refuse symbolic links (2)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block

# 3. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block

# 4. refuse to remove storage that gpfs-nsd-block did not create
check_4() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || found='stop the iSCSI target'
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/seatrial-gpfs-nsd-block.targets ]
    ) >/dev/null 2>&1 || found='remove /etc/tgt/seatrial-gpfs-nsd-block.targets'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf'
    (
    [ ! -e /usr/local/sbin/seatrial-targets ]
    ) >/dev/null 2>&1 || found='remove /usr/local/sbin/seatrial-targets'
    (
    [ ! -e /run/seatrial-targets ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-targets'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap'
    (
    ! systemctl -q is-active seatrial-lost-array && ! systemctl -q is-enabled seatrial-lost-array
    ) >/dev/null 2>&1 || found='stop the monitor for lost arrays'
    (
    [ ! -e /etc/systemd/system/seatrial-lost-array.service ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/seatrial-lost-array.service'
    (
    [ ! -e /usr/local/sbin/seatrial-lost-array ]
    ) >/dev/null 2>&1 || found='remove /usr/local/sbin/seatrial-lost-array'
    (
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:gpfs-nsd-block)" ]
    ) >/dev/null 2>&1 || found='remove the iSCSI targets'
    (
    [ ! -e /etc/iscsi/seatrial-gpfs-nsd-block ]
    ) >/dev/null 2>&1 || found='remove /etc/iscsi/seatrial-gpfs-nsd-block'
    (
    ! systemctl -q is-enabled open-iscsi && ! systemctl -q is-enabled iscsid
    ) >/dev/null 2>&1 || found='disable iSCSI logins at boot'
    (
    [ ! -e /etc/iscsi/ifaces/seatrial-gpfs-nsd-block ]
    ) >/dev/null 2>&1 || found='remove /etc/iscsi/ifaces/seatrial-gpfs-nsd-block'
    (
    [ ! -e /etc/modules-load.d/seatrial-storage.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/modules-load.d/seatrial-storage.conf'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.absent ]
    ) >/dev/null 2>&1 || found='restore /etc/iscsi/initiatorname.iscsi'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap'
    [ -z "$found" ]
}
guard_4() { :; }
apply_4() {
    echo "refused: gpfs-nsd-block has made nothing on this node (/var/lib/seatrial/made/gpfs-nsd-block/mark is missing); this would be done:"
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || echo '  stop the iSCSI target'
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/seatrial-gpfs-nsd-block.targets ]
    ) >/dev/null 2>&1 || echo '  remove /etc/tgt/seatrial-gpfs-nsd-block.targets'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf'
    (
    [ ! -e /usr/local/sbin/seatrial-targets ]
    ) >/dev/null 2>&1 || echo '  remove /usr/local/sbin/seatrial-targets'
    (
    [ ! -e /run/seatrial-targets ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-targets'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap'
    (
    ! systemctl -q is-active seatrial-lost-array && ! systemctl -q is-enabled seatrial-lost-array
    ) >/dev/null 2>&1 || echo '  stop the monitor for lost arrays'
    (
    [ ! -e /etc/systemd/system/seatrial-lost-array.service ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/seatrial-lost-array.service'
    (
    [ ! -e /usr/local/sbin/seatrial-lost-array ]
    ) >/dev/null 2>&1 || echo '  remove /usr/local/sbin/seatrial-lost-array'
    (
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:gpfs-nsd-block)" ]
    ) >/dev/null 2>&1 || echo '  remove the iSCSI targets'
    (
    [ ! -e /etc/iscsi/seatrial-gpfs-nsd-block ]
    ) >/dev/null 2>&1 || echo '  remove /etc/iscsi/seatrial-gpfs-nsd-block'
    (
    ! systemctl -q is-enabled open-iscsi && ! systemctl -q is-enabled iscsid
    ) >/dev/null 2>&1 || echo '  disable iSCSI logins at boot'
    (
    [ ! -e /etc/iscsi/ifaces/seatrial-gpfs-nsd-block ]
    ) >/dev/null 2>&1 || echo '  remove /etc/iscsi/ifaces/seatrial-gpfs-nsd-block'
    (
    [ ! -e /etc/modules-load.d/seatrial-storage.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/modules-load.d/seatrial-storage.conf'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.absent ]
    ) >/dev/null 2>&1 || echo '  restore /etc/iscsi/initiatorname.iscsi'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap'
    exit 1
}
# (4 steps)
##### stage 1, a1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (2)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block

# 3. refuse to remove storage that gpfs-nsd-block did not create
check_3() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || found='stop the iSCSI target'
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/seatrial-gpfs-nsd-block.targets ]
    ) >/dev/null 2>&1 || found='remove /etc/tgt/seatrial-gpfs-nsd-block.targets'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf'
    (
    [ ! -e /usr/local/sbin/seatrial-targets ]
    ) >/dev/null 2>&1 || found='remove /usr/local/sbin/seatrial-targets'
    (
    [ ! -e /run/seatrial-targets ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-targets'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap'
    (
    ! ls /dev/seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 || found='deactivate the volumes'
    (
    ! vgs seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 || found='remove the volumes, as --wipe allows'
    (
    [ ! -e /dev/md/gpfs-nsd-block ]
    ) >/dev/null 2>&1 || found='stop array gpfs-nsd-block'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf'
    [ -z "$found" ]
}
guard_3() { :; }
apply_3() {
    echo "refused: gpfs-nsd-block has made nothing on this node (/var/lib/seatrial/made/gpfs-nsd-block/mark is missing); this would be done:"
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || echo '  stop the iSCSI target'
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/seatrial-gpfs-nsd-block.targets ]
    ) >/dev/null 2>&1 || echo '  remove /etc/tgt/seatrial-gpfs-nsd-block.targets'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf'
    (
    [ ! -e /usr/local/sbin/seatrial-targets ]
    ) >/dev/null 2>&1 || echo '  remove /usr/local/sbin/seatrial-targets'
    (
    [ ! -e /run/seatrial-targets ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-targets'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap'
    (
    ! ls /dev/seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 || echo '  deactivate the volumes'
    (
    ! vgs seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 || echo '  remove the volumes, as --wipe allows'
    (
    [ ! -e /dev/md/gpfs-nsd-block ]
    ) >/dev/null 2>&1 || echo '  stop array gpfs-nsd-block'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf'
    exit 1
}

# 4. refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf
check_4() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd-block/volumes '/dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
}
guard_4() { :; }
apply_4() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gpfs-nsd-block/volumes '/dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
    exit 1
}
# (4 steps)
##### stage 1, a2 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (2)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gpfs-nsd-block

# 3. refuse to remove storage that gpfs-nsd-block did not create
check_3() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || found='stop the iSCSI target'
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/seatrial-gpfs-nsd-block.targets ]
    ) >/dev/null 2>&1 || found='remove /etc/tgt/seatrial-gpfs-nsd-block.targets'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf'
    (
    [ ! -e /usr/local/sbin/seatrial-targets ]
    ) >/dev/null 2>&1 || found='remove /usr/local/sbin/seatrial-targets'
    (
    [ ! -e /run/seatrial-targets ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-targets'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap'
    (
    ! ls /dev/seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 || found='deactivate the volumes'
    (
    [ ! -e /dev/md/gpfs-nsd-block ]
    ) >/dev/null 2>&1 || found='stop array gpfs-nsd-block'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf'
    [ -z "$found" ]
}
guard_3() { :; }
apply_3() {
    echo "refused: gpfs-nsd-block has made nothing on this node (/var/lib/seatrial/made/gpfs-nsd-block/mark is missing); this would be done:"
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || echo '  stop the iSCSI target'
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/seatrial-gpfs-nsd-block.targets ]
    ) >/dev/null 2>&1 || echo '  remove /etc/tgt/seatrial-gpfs-nsd-block.targets'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf'
    (
    [ ! -e /usr/local/sbin/seatrial-targets ]
    ) >/dev/null 2>&1 || echo '  remove /usr/local/sbin/seatrial-targets'
    (
    [ ! -e /run/seatrial-targets ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-targets'
    (
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap'
    (
    ! ls /dev/seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 || echo '  deactivate the volumes'
    (
    [ ! -e /dev/md/gpfs-nsd-block ]
    ) >/dev/null 2>&1 || echo '  stop array gpfs-nsd-block'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf'
    exit 1
}

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf
# (4 steps)
##### stage 2, a[1-2],bs[1-2],c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 2 of 11: remove boot-time settings
# (the preamble)

# 1. remove the boot-time settings of network and mounts
check_1() {
    [ ! -e /etc/systemd/system/seatrial-gpfs-nsd-block-network.service ] && [ ! -e /usr/local/sbin/seatrial-gpfs-nsd-block-network ] && [ ! -e /etc/systemd/system/seatrial-gpfs-nsd-block-mounts.service ] && [ ! -e /usr/local/sbin/seatrial-gpfs-nsd-block-mounts ]
}
guard_1() { :; }
apply_1() {
    [ ! -e /etc/systemd/system/seatrial-gpfs-nsd-block-network.service ] || {
        systemctl -q --no-reload disable seatrial-gpfs-nsd-block-network
        systemctl stop seatrial-gpfs-nsd-block-network
        rm /etc/systemd/system/seatrial-gpfs-nsd-block-network.service
        [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gpfs-nsd-block-network.service)" = no ] || systemctl daemon-reload
    }
    rm -f /usr/local/sbin/seatrial-gpfs-nsd-block-network
    [ ! -e /etc/systemd/system/seatrial-gpfs-nsd-block-mounts.service ] || {
        systemctl -q --no-reload disable seatrial-gpfs-nsd-block-mounts
        systemctl stop seatrial-gpfs-nsd-block-mounts
        rm /etc/systemd/system/seatrial-gpfs-nsd-block-mounts.service
        [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gpfs-nsd-block-mounts.service)" = no ] || systemctl daemon-reload
    }
    rm -f /usr/local/sbin/seatrial-gpfs-nsd-block-mounts
}
# (1 steps)
##### stage 3, c1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 3 of 11: unmount on c1
# (the preamble)

# 1. unmount /mnt/gpfs-nsd-block
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gpfs-nsd-block.service && ! systemctl -q is-active seatrial-gfs2-gpfs-nsd-block.service &&
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts && [ ! -d /mnt/gpfs-nsd-block ]
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gpfs-nsd-block.service
    systemctl stop seatrial-gfs2-gpfs-nsd-block.service
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block stop
    [ ! -d /mnt/gpfs-nsd-block ] || rmdir /mnt/gpfs-nsd-block
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gfs2-gpfs-nsd-block.service)" = no ] || systemctl daemon-reload
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block
check_3() {
    [ ! -e /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block ]
}
guard_3() { :; }
apply_3() {
    rm -f /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block
}

# 4. remove /run/seatrial-gpfs-nsd-block.readahead
check_4() {
    [ ! -e /run/seatrial-gpfs-nsd-block.readahead ]
}
guard_4() { :; }
apply_4() {
    rm -f /run/seatrial-gpfs-nsd-block.readahead
}
# (4 steps)
##### stage 4, c2 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 4 of 11: unmount on c2
# (the preamble)

# 1. unmount /mnt/gpfs-nsd-block
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gpfs-nsd-block.service && ! systemctl -q is-active seatrial-gfs2-gpfs-nsd-block.service &&
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts && [ ! -d /mnt/gpfs-nsd-block ]
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gpfs-nsd-block.service
    systemctl stop seatrial-gfs2-gpfs-nsd-block.service
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block stop
    [ ! -d /mnt/gpfs-nsd-block ] || rmdir /mnt/gpfs-nsd-block
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gfs2-gpfs-nsd-block.service)" = no ] || systemctl daemon-reload
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block
check_3() {
    [ ! -e /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block ]
}
guard_3() { :; }
apply_3() {
    rm -f /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block
}

# 4. remove /run/seatrial-gpfs-nsd-block.readahead
check_4() {
    [ ! -e /run/seatrial-gpfs-nsd-block.readahead ]
}
guard_4() { :; }
apply_4() {
    rm -f /run/seatrial-gpfs-nsd-block.readahead
}
# (4 steps)
##### stage 5, c3 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 5 of 11: unmount on c3
# (the preamble)

# 1. unmount /mnt/gpfs-nsd-block
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gpfs-nsd-block.service && ! systemctl -q is-active seatrial-gfs2-gpfs-nsd-block.service &&
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts && [ ! -d /mnt/gpfs-nsd-block ]
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gpfs-nsd-block.service
    systemctl stop seatrial-gfs2-gpfs-nsd-block.service
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block stop
    [ ! -d /mnt/gpfs-nsd-block ] || rmdir /mnt/gpfs-nsd-block
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gfs2-gpfs-nsd-block.service)" = no ] || systemctl daemon-reload
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block
check_3() {
    [ ! -e /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block ]
}
guard_3() { :; }
apply_3() {
    rm -f /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block
}

# 4. remove /run/seatrial-gpfs-nsd-block.readahead
check_4() {
    [ ! -e /run/seatrial-gpfs-nsd-block.readahead ]
}
guard_4() { :; }
apply_4() {
    rm -f /run/seatrial-gpfs-nsd-block.readahead
}
# (4 steps)
##### stage 6, c4 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 6 of 11: unmount on c4
# (the preamble)

# 1. unmount /mnt/gpfs-nsd-block
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gpfs-nsd-block.service && ! systemctl -q is-active seatrial-gfs2-gpfs-nsd-block.service &&
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts && [ ! -d /mnt/gpfs-nsd-block ]
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gpfs-nsd-block.service
    systemctl stop seatrial-gfs2-gpfs-nsd-block.service
    ! grep -q ' /mnt/gpfs-nsd-block ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block stop
    [ ! -d /mnt/gpfs-nsd-block ] || rmdir /mnt/gpfs-nsd-block
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gpfs-nsd-block.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gfs2-gpfs-nsd-block.service)" = no ] || systemctl daemon-reload
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block
check_3() {
    [ ! -e /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block ]
}
guard_3() { :; }
apply_3() {
    rm -f /usr/local/sbin/seatrial-gfs2-gpfs-nsd-block
}

# 4. remove /run/seatrial-gpfs-nsd-block.readahead
check_4() {
    [ ! -e /run/seatrial-gpfs-nsd-block.readahead ]
}
guard_4() { :; }
apply_4() {
    rm -f /run/seatrial-gpfs-nsd-block.readahead
}
# (4 steps)
##### stage 7, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 7 of 11: leave the cluster
# (the preamble)

# 1. (steps.sh) leave the cluster

# 2. (steps.sh) remove /etc/dlm/dlm.conf

# 3. (steps.sh) remove /etc/systemd/system/dlm.service.d/seatrial.conf

# 4. (steps.sh) remove /etc/dlm/seatrial-password-c1

# 5. (steps.sh) remove /etc/dlm/seatrial-password-c2

# 6. (steps.sh) remove /etc/dlm/seatrial-password-c3

# 7. (steps.sh) remove /etc/dlm/seatrial-password-c4

# 8. restore /etc/lvm/lvm.conf
check_8() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.absent ]
}
guard_8() { :; }
apply_8() {
    if ! [ -e /etc/lvm/lvm.conf ] || cmp -s /etc/lvm/lvm.conf /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.ours; then
        if [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf ]; then cp -p /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf /etc/lvm/lvm.conf.new && mv /etc/lvm/lvm.conf.new /etc/lvm/lvm.conf; else rm -f /etc/lvm/lvm.conf; fi
    else
        sed -e '/^[[:space:]]*use_lvmlockd *=/{' -e 'r /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.line' -e 'd' -e '}' /etc/lvm/lvm.conf >/etc/lvm/lvm.conf.new
        chmod --reference=/etc/lvm/lvm.conf /etc/lvm/lvm.conf.new
        mv /etc/lvm/lvm.conf.new /etc/lvm/lvm.conf
    fi
    rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.ours /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.line /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf.absent /var/lib/seatrial/made/gpfs-nsd-block/before/etc-lvm-lvm.conf
}

# 9. restore /etc/corosync/corosync.conf
check_9() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.absent ]
}
guard_9() { :; }
apply_9() {
    if ! [ -e /etc/corosync/corosync.conf ] || cmp -s /etc/corosync/corosync.conf /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.ours; then
        if [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf ]; then cp -p /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf /etc/corosync/corosync.conf.new && mv /etc/corosync/corosync.conf.new /etc/corosync/corosync.conf; else rm -f /etc/corosync/corosync.conf; fi
    else
        echo '/etc/corosync/corosync.conf was edited since it was written; it stays as it is'
    fi
    rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.ours /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.line /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf.absent /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-corosync.conf
}

# 10. restore /etc/corosync/authkey
check_10() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.absent ]
}
guard_10() { :; }
apply_10() {
    if ! [ -e /etc/corosync/authkey ] || cmp -s /etc/corosync/authkey /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.ours; then
        if [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey ]; then cp -p /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey /etc/corosync/authkey.new && mv /etc/corosync/authkey.new /etc/corosync/authkey; else rm -f /etc/corosync/authkey; fi
    else
        echo '/etc/corosync/authkey was edited since it was written; it stays as it is'
    fi
    rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.ours /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.line /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey.absent /var/lib/seatrial/made/gpfs-nsd-block/before/etc-corosync-authkey
}

# 11. remove /var/lib/seatrial/made/gpfs-nsd-block/corosync-key
check_11() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/corosync-key ]
}
guard_11() { :; }
apply_11() {
    rm -f /var/lib/seatrial/made/gpfs-nsd-block/corosync-key
}
# (11 steps)
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 8 of 11: sessions
# (the preamble)

# (iscsi_initiator.sh)
# 1. (steps.sh) stop the monitor for stuck iSCSI sessions

# 2. (steps.sh) remove /etc/systemd/system/seatrial-stuck-sessions.service

# 3. (steps.sh) remove /usr/local/sbin/seatrial-stuck-sessions

# 4. remove the iSCSI targets
check_4() {
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:gpfs-nsd-block)" ]
}
guard_4() { :; }
apply_4() {
    for map in gpfs-nsd-block-a1-shared1 gpfs-nsd-block-a1-shared2 gpfs-nsd-block-a2-shared1 gpfs-nsd-block-a2-shared2; do
        [ ! -e /dev/mapper/$map ] || multipath -f $map || true
    done
    iscsi_forget iqn.2026-01.org.seatrial:gpfs-nsd-block
}

# 5. remove /etc/iscsi/seatrial-gpfs-nsd-block
check_5() {
    [ ! -e /etc/iscsi/seatrial-gpfs-nsd-block ]
}
guard_5() { :; }
apply_5() {
    rm -f /etc/iscsi/seatrial-gpfs-nsd-block
}

# 6. (steps.sh) disable iSCSI logins at boot

# 7. remove /etc/iscsi/ifaces/seatrial-gpfs-nsd-block
check_7() {
    [ ! -e /etc/iscsi/ifaces/seatrial-gpfs-nsd-block ]
}
guard_7() { :; }
apply_7() {
    rm -f /etc/iscsi/ifaces/seatrial-gpfs-nsd-block
}

# 8. (steps.sh) remove /etc/modules-load.d/seatrial-storage.conf

# 9. restore /etc/iscsi/initiatorname.iscsi
check_9() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.absent ]
}
guard_9() { :; }
apply_9() {
    if ! [ -e /etc/iscsi/initiatorname.iscsi ] || cmp -s /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.ours; then
        if [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi ]; then cp -p /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi /etc/iscsi/initiatorname.iscsi.new && mv /etc/iscsi/initiatorname.iscsi.new /etc/iscsi/initiatorname.iscsi; else rm -f /etc/iscsi/initiatorname.iscsi; fi
    else
        echo '/etc/iscsi/initiatorname.iscsi was edited since it was written; it stays as it is'
    fi
    rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.ours /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.line /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.absent /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi
}

# 10. remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
check_10() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap ]
}
guard_10() { :; }
apply_10() {
    rm -f /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
}

# 11. restore /etc/multipath.conf
check_11() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.absent ]
}
guard_11() { :; }
apply_11() {
    if ! [ -e /etc/multipath.conf ] || cmp -s /etc/multipath.conf /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.ours; then
        if [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf ]; then cp -p /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf /etc/multipath.conf.new && mv /etc/multipath.conf.new /etc/multipath.conf; else rm -f /etc/multipath.conf; fi
    else
        echo '/etc/multipath.conf was edited since it was written; it stays as it is'
    fi
    rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.ours /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.line /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf.absent /var/lib/seatrial/made/gpfs-nsd-block/before/etc-multipath.conf
}
# (11 steps)
##### stage 9, bs[1-2] #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 9 of 11: block servers
# (the preamble)

# (iscsi_initiator.sh)
# 1. (steps.sh) stop the iSCSI target

# 2. (steps.sh) remove /etc/sysctl.d/60-seatrial-tgt.conf

# 3. remove /etc/tgt/seatrial-gpfs-nsd-block.targets
check_3() {
    [ ! -e /etc/tgt/seatrial-gpfs-nsd-block.targets ]
}
guard_3() { :; }
apply_3() {
    rm -f /etc/tgt/seatrial-gpfs-nsd-block.targets
}

# 4. remove /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf
check_4() {
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf ]
}
guard_4() { :; }
apply_4() {
    rm -f /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf
    [ "$(systemctl show --property=NeedDaemonReload --value tgt.service)" = no ] || systemctl daemon-reload
}

# 5. (steps.sh) remove /usr/local/sbin/seatrial-targets

# 6. (steps.sh) remove /run/seatrial-targets

# 7. remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
check_7() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap ]
}
guard_7() { :; }
apply_7() {
    rm -f /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
}

# 8. stop the monitor for lost arrays
check_8() {
    ! systemctl -q is-active seatrial-lost-array && ! systemctl -q is-enabled seatrial-lost-array
}
guard_8() { :; }
apply_8() {
    systemctl -q --no-reload disable seatrial-lost-array
    systemctl stop seatrial-lost-array
}

# 9. remove /etc/systemd/system/seatrial-lost-array.service
check_9() {
    [ ! -e /etc/systemd/system/seatrial-lost-array.service ]
}
guard_9() { :; }
apply_9() {
    rm -f /etc/systemd/system/seatrial-lost-array.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-lost-array.service)" = no ] || systemctl daemon-reload
}

# 10. remove /usr/local/sbin/seatrial-lost-array
check_10() {
    [ ! -e /usr/local/sbin/seatrial-lost-array ]
}
guard_10() { :; }
apply_10() {
    rm -f /usr/local/sbin/seatrial-lost-array
}

# 11. remove the iSCSI targets
check_11() {
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:gpfs-nsd-block)" ]
}
guard_11() { :; }
apply_11() {
    iscsi_forget iqn.2026-01.org.seatrial:gpfs-nsd-block
}

# 12. remove /etc/iscsi/seatrial-gpfs-nsd-block
check_12() {
    [ ! -e /etc/iscsi/seatrial-gpfs-nsd-block ]
}
guard_12() { :; }
apply_12() {
    rm -f /etc/iscsi/seatrial-gpfs-nsd-block
}

# 13. (steps.sh) disable iSCSI logins at boot (2)

# 14. remove /etc/iscsi/ifaces/seatrial-gpfs-nsd-block
check_14() {
    [ ! -e /etc/iscsi/ifaces/seatrial-gpfs-nsd-block ]
}
guard_14() { :; }
apply_14() {
    rm -f /etc/iscsi/ifaces/seatrial-gpfs-nsd-block
}

# 15. (steps.sh) remove /etc/modules-load.d/seatrial-storage.conf

# 16. restore /etc/iscsi/initiatorname.iscsi
check_16() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.absent ]
}
guard_16() { :; }
apply_16() {
    if ! [ -e /etc/iscsi/initiatorname.iscsi ] || cmp -s /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.ours; then
        if [ -e /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi ]; then cp -p /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi /etc/iscsi/initiatorname.iscsi.new && mv /etc/iscsi/initiatorname.iscsi.new /etc/iscsi/initiatorname.iscsi; else rm -f /etc/iscsi/initiatorname.iscsi; fi
    else
        echo '/etc/iscsi/initiatorname.iscsi was edited since it was written; it stays as it is'
    fi
    rm -f /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.ours /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.line /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi.absent /var/lib/seatrial/made/gpfs-nsd-block/before/etc-iscsi-initiatorname.iscsi
}

# 17. remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
check_17() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap ]
}
guard_17() { :; }
apply_17() {
    rm -f /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
}
# (17 steps)
##### stage 10, a1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 10 of 11: members
# (the preamble)

# 1. (steps.sh) stop the iSCSI target

# 2. (steps.sh) remove /etc/sysctl.d/60-seatrial-tgt.conf

# 3. remove /etc/tgt/seatrial-gpfs-nsd-block.targets
check_3() {
    [ ! -e /etc/tgt/seatrial-gpfs-nsd-block.targets ]
}
guard_3() { :; }
apply_3() {
    rm -f /etc/tgt/seatrial-gpfs-nsd-block.targets
}

# 4. remove /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf
check_4() {
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf ]
}
guard_4() { :; }
apply_4() {
    rm -f /etc/systemd/system/tgt.service.d/seatrial-gpfs-nsd-block.conf
    [ "$(systemctl show --property=NeedDaemonReload --value tgt.service)" = no ] || systemctl daemon-reload
}

# 5. (steps.sh) remove /usr/local/sbin/seatrial-targets

# 6. (steps.sh) remove /run/seatrial-targets

# 7. remove /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
check_7() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap ]
}
guard_7() { :; }
apply_7() {
    rm -f /var/lib/seatrial/made/gpfs-nsd-block/iscsi-chap
}

# 8. (steps.sh) deactivate the volumes

# 9. remove the volumes, as --wipe allows
check_9() {
    ! vgs seatrial-group >/dev/null 2>&1
}
guard_9() { :; }
apply_9() {
    vgremove -q -y -f seatrial-group
    pvremove -q -y -ff /dev/md/gpfs-nsd-block
}

# 10. stop array gpfs-nsd-block
check_10() {
    [ ! -e /dev/md/gpfs-nsd-block ]
}
guard_10() { :; }
apply_10() {
    mdadm --stop /dev/md/gpfs-nsd-block
    udevadm settle --timeout=120
    rm -f /dev/md/gpfs-nsd-block
}

# 11. remove /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf
check_11() {
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf ]
}
guard_11() { :; }
apply_11() {
    rm -f /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf
}

# 12. erase /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, as --wipe allows
check_12() {
    all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf
}
guard_12() { :; }
apply_12() {
    for device in /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf; do
        wipefs --no-act --all $device >/dev/null || { echo "$device is in use; nothing was erased" >&2; exit 1; }
    done
    pids=
    for device in /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf; do
        { wipefs --all $device && blkdiscard $device; } & pids="$pids $!"
    done
    for pid in $pids; do wait $pid; done
}
# (12 steps)
##### stage 10, a2 #####
as on a1, but for:
@@ -44 +44 @@
+# 9. stop array gpfs-nsd-block
@@ -46 +46 @@
+    [ ! -e /dev/md/gpfs-nsd-block ]
@@ -50,10 +49,0 @@
@@ -65,2 +55,2 @@
+# 10. remove /etc/mdadm/mdadm.conf.d/seatrial-gpfs-nsd-block.conf
+check_10() {
@@ -69,2 +59,2 @@
+guard_10() { :; }
+apply_10() {
@@ -73,17 +63 @@
+# (10 steps)
##### stage 11, a[1-2],c1 #####
#!/bin/sh
# Seatrial plan gpfs-nsd-block: take a1 and a2 out of service
# stage 11 of 11: remove the mark
# (the preamble)

# (backups.sh)
# 1. restore the MTU of links
check_1() {
    for kept in /var/lib/seatrial/made/gpfs-nsd-block/before/mtu-*; do [ ! -e $kept ] || exit 1; done
}
guard_1() { :; }
apply_1() {
    for kept in /var/lib/seatrial/made/gpfs-nsd-block/before/mtu-*; do
        read -r was ours <$kept
        link=${kept##*/mtu-}
        read -r now </sys/class/net/$link/mtu || now=
        [ "$now" != "$ours" ] || ip link set dev "$link" mtu "$was"
        rm $kept
    done
}

# 2. restore the state of units
check_2() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/before/units ]
}
guard_2() { :; }
apply_2() {
    give_back_units /var/lib/seatrial/made/gpfs-nsd-block/before/units
    rm /var/lib/seatrial/made/gpfs-nsd-block/before/units
}

# 3. remove the mark of gpfs-nsd-block
check_3() {
    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/mark ]
}
guard_3() { :; }
apply_3() {
    rm /var/lib/seatrial/made/gpfs-nsd-block/mark
}
# (3 steps)
##### stage 11, bs[1-2],c[2-4] #####
as on a[1-2],c1, but for:
@@ -34 +34 @@
+    [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/mark ] && [ ! -e /var/lib/seatrial/made/gpfs-nsd-block/left ]
@@ -38 +38,2 @@
+    rm -f /var/lib/seatrial/made/gpfs-nsd-block/mark /var/lib/seatrial/made/gpfs-nsd-block/left
+    rmdir /var/lib/seatrial/made/gpfs-nsd-block 2>/dev/null || true
