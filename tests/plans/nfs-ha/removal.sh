##### stage 1, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 1 of 8: preflight check (read-only)
# (the preamble)

# (look.sh)
# (iscsi_initiator.sh)
# 1. (steps.sh) refuse symbolic links (5)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha

# 3. (steps.sh) refuse other multipath devices: nss-ha

# 4. (steps.sh) refuse other NFS exports: /srv/nss-ha

# 5. (steps.sh) refuse another cluster: nss-ha

# 6. refuse to remove storage that nss-ha did not create
check_6() {
    [ ! -e /var/lib/seatrial/made/nss-ha/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active corosync && ! systemctl -q is-enabled corosync
    ) >/dev/null 2>&1 || found='leave the cluster'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf ] && [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf.absent ]
    ) >/dev/null 2>&1 || found='restore /etc/corosync/corosync.conf'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey ] && [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey.absent ]
    ) >/dev/null 2>&1 || found='restore /etc/corosync/authkey'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/corosync-key ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial/made/nss-ha/corosync-key'
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
    ! grep -qE ' (nss-ha-data)$' /etc/hosts
    ) >/dev/null 2>&1 || found='remove the host names of the services'
    (
    ! [ -e /etc/systemd/system/multi-user.target.wants/proc-fs-nfsd.mount ]
    ) >/dev/null 2>&1 || found='stop loading nfsd at boot'
    (
    [ ! -e /etc/nfs.conf.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/nfs.conf.d/seatrial-nss-ha.conf'
    (
    [ ! -e /etc/modprobe.d/seatrial-lockd.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/modprobe.d/seatrial-lockd.conf'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/before/leases-enable ]
    ) >/dev/null 2>&1 || found='restore the setting for NFS delegations'
    (
    [ ! -e /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf'
    (
    [ ! -e /etc/systemd/system/rpc-statd-notify.service.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/rpc-statd-notify.service.d/seatrial-nss-ha.conf'
    (
    [ ! -e /usr/lib/ocf/resource.d/seatrial/nfs-service ]
    ) >/dev/null 2>&1 || found='remove /usr/lib/ocf/resource.d/seatrial/nfs-service'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf ] && [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf.absent ]
    ) >/dev/null 2>&1 || found='restore /etc/lvm/lvm.conf'
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
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:nss-ha)" ]
    ) >/dev/null 2>&1 || found='remove the iSCSI targets'
    (
    [ ! -e /etc/iscsi/seatrial-nss-ha ]
    ) >/dev/null 2>&1 || found='remove /etc/iscsi/seatrial-nss-ha'
    (
    ! systemctl -q is-enabled open-iscsi && ! systemctl -q is-enabled iscsid && ! systemctl -q is-enabled multipathd
    ) >/dev/null 2>&1 || found='disable iSCSI logins at boot'
    (
    [ ! -e /etc/modules-load.d/seatrial-storage.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/modules-load.d/seatrial-storage.conf'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi ] && [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi.absent ]
    ) >/dev/null 2>&1 || found='restore /etc/iscsi/initiatorname.iscsi'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/iscsi-chap ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial/made/nss-ha/iscsi-chap'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf ] && [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf.absent ]
    ) >/dev/null 2>&1 || found='restore /etc/multipath.conf'
    [ -z "$found" ]
}
guard_6() { :; }
apply_6() {
    echo "refused: nss-ha has made nothing on this node (/var/lib/seatrial/made/nss-ha/mark is missing); this would be done:"
    (
    ! systemctl -q is-active corosync && ! systemctl -q is-enabled corosync
    ) >/dev/null 2>&1 || echo '  leave the cluster'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf ] && [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf.absent ]
    ) >/dev/null 2>&1 || echo '  restore /etc/corosync/corosync.conf'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey ] && [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey.absent ]
    ) >/dev/null 2>&1 || echo '  restore /etc/corosync/authkey'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/corosync-key ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial/made/nss-ha/corosync-key'
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
    ! grep -qE ' (nss-ha-data)$' /etc/hosts
    ) >/dev/null 2>&1 || echo '  remove the host names of the services'
    (
    ! [ -e /etc/systemd/system/multi-user.target.wants/proc-fs-nfsd.mount ]
    ) >/dev/null 2>&1 || echo '  stop loading nfsd at boot'
    (
    [ ! -e /etc/nfs.conf.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/nfs.conf.d/seatrial-nss-ha.conf'
    (
    [ ! -e /etc/modprobe.d/seatrial-lockd.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/modprobe.d/seatrial-lockd.conf'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/before/leases-enable ]
    ) >/dev/null 2>&1 || echo '  restore the setting for NFS delegations'
    (
    [ ! -e /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf'
    (
    [ ! -e /etc/systemd/system/rpc-statd-notify.service.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/rpc-statd-notify.service.d/seatrial-nss-ha.conf'
    (
    [ ! -e /usr/lib/ocf/resource.d/seatrial/nfs-service ]
    ) >/dev/null 2>&1 || echo '  remove /usr/lib/ocf/resource.d/seatrial/nfs-service'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf ] && [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf.absent ]
    ) >/dev/null 2>&1 || echo '  restore /etc/lvm/lvm.conf'
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
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:nss-ha)" ]
    ) >/dev/null 2>&1 || echo '  remove the iSCSI targets'
    (
    [ ! -e /etc/iscsi/seatrial-nss-ha ]
    ) >/dev/null 2>&1 || echo '  remove /etc/iscsi/seatrial-nss-ha'
    (
    ! systemctl -q is-enabled open-iscsi && ! systemctl -q is-enabled iscsid && ! systemctl -q is-enabled multipathd
    ) >/dev/null 2>&1 || echo '  disable iSCSI logins at boot'
    (
    [ ! -e /etc/modules-load.d/seatrial-storage.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/modules-load.d/seatrial-storage.conf'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi ] && [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi.absent ]
    ) >/dev/null 2>&1 || echo '  restore /etc/iscsi/initiatorname.iscsi'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/iscsi-chap ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial/made/nss-ha/iscsi-chap'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf ] && [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf.absent ]
    ) >/dev/null 2>&1 || echo '  restore /etc/multipath.conf'
    exit 1
}
# (6 steps)
##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 1 of 8: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (5)

# 2. (steps.sh) refuse an occupied mount point: /mnt/nss-ha/data-v3

# 3. (steps.sh) refuse an occupied mount point: /mnt/nss-ha/data-v4.2

# 4. refuse to remove storage that nss-ha did not create
check_4() {
    [ ! -e /var/lib/seatrial/made/nss-ha/mark ] || exit 0
    found=
    (
    ! grep -q ' /mnt/nss-ha/data-v3 ' /proc/mounts && [ ! -d /mnt/nss-ha/data-v3 ]
    ) >/dev/null 2>&1 || found='unmount /mnt/nss-ha/data-v3'
    (
    awk '!($1 ~ /^#/ || $2 != "/mnt/nss-ha/data-v3") { found = 1 } END { exit found }' /etc/fstab
    ) >/dev/null 2>&1 || found='disable the mount of /mnt/nss-ha/data-v3 at boot'
    (
    [ ! -e /run/seatrial-mnt-nss-ha-data-v3.mount ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-mnt-nss-ha-data-v3.mount'
    (
    ! grep -q ' /mnt/nss-ha/data-v4.2 ' /proc/mounts && [ ! -d /mnt/nss-ha/data-v4.2 ]
    ) >/dev/null 2>&1 || found='unmount /mnt/nss-ha/data-v4.2'
    (
    awk '!($1 ~ /^#/ || $2 != "/mnt/nss-ha/data-v4.2") { found = 1 } END { exit found }' /etc/fstab
    ) >/dev/null 2>&1 || found='disable the mount of /mnt/nss-ha/data-v4.2 at boot'
    (
    [ ! -e /run/seatrial-mnt-nss-ha-data-v4.2.mount ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-mnt-nss-ha-data-v4.2.mount'
    [ -z "$found" ]
}
guard_4() { :; }
apply_4() {
    echo "refused: nss-ha has made nothing on this node (/var/lib/seatrial/made/nss-ha/mark is missing); this would be done:"
    (
    ! grep -q ' /mnt/nss-ha/data-v3 ' /proc/mounts && [ ! -d /mnt/nss-ha/data-v3 ]
    ) >/dev/null 2>&1 || echo '  unmount /mnt/nss-ha/data-v3'
    (
    awk '!($1 ~ /^#/ || $2 != "/mnt/nss-ha/data-v3") { found = 1 } END { exit found }' /etc/fstab
    ) >/dev/null 2>&1 || echo '  disable the mount of /mnt/nss-ha/data-v3 at boot'
    (
    [ ! -e /run/seatrial-mnt-nss-ha-data-v3.mount ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-mnt-nss-ha-data-v3.mount'
    (
    ! grep -q ' /mnt/nss-ha/data-v4.2 ' /proc/mounts && [ ! -d /mnt/nss-ha/data-v4.2 ]
    ) >/dev/null 2>&1 || echo '  unmount /mnt/nss-ha/data-v4.2'
    (
    awk '!($1 ~ /^#/ || $2 != "/mnt/nss-ha/data-v4.2") { found = 1 } END { exit found }' /etc/fstab
    ) >/dev/null 2>&1 || echo '  disable the mount of /mnt/nss-ha/data-v4.2 at boot'
    (
    [ ! -e /run/seatrial-mnt-nss-ha-data-v4.2.mount ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-mnt-nss-ha-data-v4.2.mount'
    exit 1
}
# (4 steps)
##### stage 1, array #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 1 of 8: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (5)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha

# 3. refuse to remove storage that nss-ha did not create
check_3() {
    [ ! -e /var/lib/seatrial/made/nss-ha/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || found='stop the iSCSI target'
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/seatrial-nss-ha.targets ]
    ) >/dev/null 2>&1 || found='remove /etc/tgt/seatrial-nss-ha.targets'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf'
    (
    [ ! -e /usr/local/sbin/seatrial-targets ]
    ) >/dev/null 2>&1 || found='remove /usr/local/sbin/seatrial-targets'
    (
    [ ! -e /run/seatrial-targets ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-targets'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/iscsi-chap ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial/made/nss-ha/iscsi-chap'
    (
    [ ! -e /dev/md/nss-ha ]
    ) >/dev/null 2>&1 || found='stop array nss-ha'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf'
    [ -z "$found" ]
}
guard_3() { :; }
apply_3() {
    echo "refused: nss-ha has made nothing on this node (/var/lib/seatrial/made/nss-ha/mark is missing); this would be done:"
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || echo '  stop the iSCSI target'
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/seatrial-nss-ha.targets ]
    ) >/dev/null 2>&1 || echo '  remove /etc/tgt/seatrial-nss-ha.targets'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/tgt.service.d/seatrial-nss-ha.conf'
    (
    [ ! -e /usr/local/sbin/seatrial-targets ]
    ) >/dev/null 2>&1 || echo '  remove /usr/local/sbin/seatrial-targets'
    (
    [ ! -e /run/seatrial-targets ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-targets'
    (
    [ ! -e /var/lib/seatrial/made/nss-ha/iscsi-chap ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial/made/nss-ha/iscsi-chap'
    (
    [ ! -e /dev/md/nss-ha ]
    ) >/dev/null 2>&1 || echo '  stop array nss-ha'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf'
    exit 1
}

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi, /dev/ubdj, /dev/ubdk, /dev/ubdl, /dev/ubdm
# (4 steps)
##### stage 2, array,c[1-4],srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 2 of 8: remove boot-time settings
# (the preamble)

# 1. (steps.sh) remove the boot-time settings of network and mounts (4)
# (1 steps)
##### stage 3, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 3 of 8: unmount
# (the preamble)

# 1. unmount /mnt/nss-ha/data-v3
check_1() {
    ! grep -q ' /mnt/nss-ha/data-v3 ' /proc/mounts && [ ! -d /mnt/nss-ha/data-v3 ]
}
guard_1() { :; }
apply_1() {
    while grep -q ' /mnt/nss-ha/data-v3 ' /proc/mounts; do umount /mnt/nss-ha/data-v3; done
    [ ! -d /mnt/nss-ha/data-v3 ] || rmdir /mnt/nss-ha/data-v3
}

# 2. disable the mount of /mnt/nss-ha/data-v3 at boot
check_2() {
    awk '!($1 ~ /^#/ || $2 != "/mnt/nss-ha/data-v3") { found = 1 } END { exit found }' /etc/fstab
}
guard_2() { :; }
apply_2() {
    awk '$1 ~ /^#/ || $2 != "/mnt/nss-ha/data-v3"' /etc/fstab >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 3. remove /run/seatrial-mnt-nss-ha-data-v3.mount
check_3() {
    [ ! -e /run/seatrial-mnt-nss-ha-data-v3.mount ]
}
guard_3() { :; }
apply_3() {
    rm -f /run/seatrial-mnt-nss-ha-data-v3.mount
}

# 4. unmount /mnt/nss-ha/data-v4.2
check_4() {
    ! grep -q ' /mnt/nss-ha/data-v4.2 ' /proc/mounts && [ ! -d /mnt/nss-ha/data-v4.2 ]
}
guard_4() { :; }
apply_4() {
    while grep -q ' /mnt/nss-ha/data-v4.2 ' /proc/mounts; do umount /mnt/nss-ha/data-v4.2; done
    [ ! -d /mnt/nss-ha/data-v4.2 ] || rmdir /mnt/nss-ha/data-v4.2
}

# 5. disable the mount of /mnt/nss-ha/data-v4.2 at boot
check_5() {
    awk '!($1 ~ /^#/ || $2 != "/mnt/nss-ha/data-v4.2") { found = 1 } END { exit found }' /etc/fstab
}
guard_5() { :; }
apply_5() {
    awk '$1 ~ /^#/ || $2 != "/mnt/nss-ha/data-v4.2"' /etc/fstab >/etc/fstab.new ||
        { rm -f /etc/fstab.new; exit 1; }
    chmod --reference=/etc/fstab /etc/fstab.new
    mv /etc/fstab.new /etc/fstab
}

# 6. remove /run/seatrial-mnt-nss-ha-data-v4.2.mount
check_6() {
    [ ! -e /run/seatrial-mnt-nss-ha-data-v4.2.mount ]
}
guard_6() { :; }
apply_6() {
    rm -f /run/seatrial-mnt-nss-ha-data-v4.2.mount
}
# (6 steps)
##### stage 4, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 4 of 8: leave the cluster
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

# 2. restore /etc/corosync/corosync.conf
check_2() {
    [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf ] && [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf.absent ]
}
guard_2() { :; }
apply_2() {
    if ! [ -e /etc/corosync/corosync.conf ] || cmp -s /etc/corosync/corosync.conf /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf.ours; then
        if [ -e /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf ]; then cp -p /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf /etc/corosync/corosync.conf.new && mv /etc/corosync/corosync.conf.new /etc/corosync/corosync.conf; else rm -f /etc/corosync/corosync.conf; fi
    else
        echo '/etc/corosync/corosync.conf was edited since it was written; it stays as it is'
    fi
    rm -f /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf.ours /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf.line /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf.absent /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf
}

# 3. restore /etc/corosync/authkey
check_3() {
    [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey ] && [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey.absent ]
}
guard_3() { :; }
apply_3() {
    if ! [ -e /etc/corosync/authkey ] || cmp -s /etc/corosync/authkey /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey.ours; then
        if [ -e /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey ]; then cp -p /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey /etc/corosync/authkey.new && mv /etc/corosync/authkey.new /etc/corosync/authkey; else rm -f /etc/corosync/authkey; fi
    else
        echo '/etc/corosync/authkey was edited since it was written; it stays as it is'
    fi
    rm -f /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey.ours /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey.line /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey.absent /var/lib/seatrial/made/nss-ha/before/etc-corosync-authkey
}

# 4. remove /var/lib/seatrial/made/nss-ha/corosync-key
check_4() {
    [ ! -e /var/lib/seatrial/made/nss-ha/corosync-key ]
}
guard_4() { :; }
apply_4() {
    rm -f /var/lib/seatrial/made/nss-ha/corosync-key
}
# (4 steps)
##### stage 5, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 5 of 8: servers
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
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-self-fencing.service)" = no ] || systemctl daemon-reload
}

# 3. remove /usr/local/sbin/seatrial-self-fencing
check_3() {
    [ ! -e /usr/local/sbin/seatrial-self-fencing ]
}
guard_3() { :; }
apply_3() {
    rm -f /usr/local/sbin/seatrial-self-fencing
}

# 4. remove the host names of the services
check_4() {
    ! grep -qE ' (nss-ha-data)$' /etc/hosts
}
guard_4() { :; }
apply_4() {
    sed -E -i '/ (nss-ha-data)$/d' /etc/hosts
}

# 5. stop loading nfsd at boot
check_5() {
    ! [ -e /etc/systemd/system/multi-user.target.wants/proc-fs-nfsd.mount ]
}
guard_5() { :; }
apply_5() {
    rm /etc/systemd/system/multi-user.target.wants/proc-fs-nfsd.mount
}

# 6. remove /etc/nfs.conf.d/seatrial-nss-ha.conf
check_6() {
    [ ! -e /etc/nfs.conf.d/seatrial-nss-ha.conf ]
}
guard_6() { :; }
apply_6() {
    rm -f /etc/nfs.conf.d/seatrial-nss-ha.conf
}

# 7. remove /etc/modprobe.d/seatrial-lockd.conf
check_7() {
    [ ! -e /etc/modprobe.d/seatrial-lockd.conf ]
}
guard_7() { :; }
apply_7() {
    rm -f /etc/modprobe.d/seatrial-lockd.conf
}

# 8. restore the setting for NFS delegations
check_8() {
    [ ! -e /var/lib/seatrial/made/nss-ha/before/leases-enable ]
}
guard_8() { :; }
apply_8() {
    read -r was </var/lib/seatrial/made/nss-ha/before/leases-enable
    rm /var/lib/seatrial/made/nss-ha/before/leases-enable
    [ "$(cat /proc/sys/fs/leases-enable)" != 0 ] || ls /var/lib/seatrial/made/*/before/leases-enable >/dev/null 2>&1 || echo $was >/proc/sys/fs/leases-enable
}

# 9. remove /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf
check_9() {
    [ ! -e /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf ]
}
guard_9() { :; }
apply_9() {
    rm -f /etc/systemd/system/nfsdcld.service.d/seatrial-nss-ha.conf
    [ "$(systemctl show --property=NeedDaemonReload --value nfsdcld.service)" = no ] || systemctl daemon-reload
}

# 10. remove /etc/systemd/system/rpc-statd-notify.service.d/seatrial-nss-ha.conf
check_10() {
    [ ! -e /etc/systemd/system/rpc-statd-notify.service.d/seatrial-nss-ha.conf ]
}
guard_10() { :; }
apply_10() {
    rm -f /etc/systemd/system/rpc-statd-notify.service.d/seatrial-nss-ha.conf
    [ "$(systemctl show --property=NeedDaemonReload --value rpc-statd-notify.service)" = no ] || systemctl daemon-reload
}

# 11. remove /usr/lib/ocf/resource.d/seatrial/nfs-service
check_11() {
    [ ! -e /usr/lib/ocf/resource.d/seatrial/nfs-service ]
}
guard_11() { :; }
apply_11() {
    rm -f /usr/lib/ocf/resource.d/seatrial/nfs-service
}

# 12. restore /etc/lvm/lvm.conf
check_12() {
    [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf ] && [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf.absent ]
}
guard_12() { :; }
apply_12() {
    if ! [ -e /etc/lvm/lvm.conf ] || cmp -s /etc/lvm/lvm.conf /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf.ours; then
        if [ -e /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf ]; then cp -p /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf /etc/lvm/lvm.conf.new && mv /etc/lvm/lvm.conf.new /etc/lvm/lvm.conf; else rm -f /etc/lvm/lvm.conf; fi
    else
        sed -e '/^[[:space:]]*system_id_source *=/{' -e 'r /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf.line' -e 'd' -e '}' /etc/lvm/lvm.conf >/etc/lvm/lvm.conf.new
        chmod --reference=/etc/lvm/lvm.conf /etc/lvm/lvm.conf.new
        mv /etc/lvm/lvm.conf.new /etc/lvm/lvm.conf
    fi
    rm -f /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf.ours /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf.line /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf.absent /var/lib/seatrial/made/nss-ha/before/etc-lvm-lvm.conf
}
# (12 steps)
##### stage 6, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 6 of 8: storage paths
# (the preamble)

# (iscsi_initiator.sh)
# 1. (steps.sh) stop the monitor for stuck iSCSI sessions

# 2. (steps.sh) remove /etc/systemd/system/seatrial-stuck-sessions.service

# 3. (steps.sh) remove /usr/local/sbin/seatrial-stuck-sessions

# 4. remove the iSCSI targets
check_4() {
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:nss-ha)" ]
}
guard_4() { :; }
apply_4() {
    for map in nss-ha-data; do
        [ ! -e /dev/mapper/$map ] || multipath -f $map || true
    done
    iscsi_forget iqn.2026-01.org.seatrial:nss-ha
}

# 5. remove /etc/iscsi/seatrial-nss-ha
check_5() {
    [ ! -e /etc/iscsi/seatrial-nss-ha ]
}
guard_5() { :; }
apply_5() {
    rm -f /etc/iscsi/seatrial-nss-ha
}

# 6. (steps.sh) disable iSCSI logins at boot

# 7. (steps.sh) remove /etc/modules-load.d/seatrial-storage.conf

# 8. restore /etc/iscsi/initiatorname.iscsi
check_8() {
    [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi ] && [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi.absent ]
}
guard_8() { :; }
apply_8() {
    if ! [ -e /etc/iscsi/initiatorname.iscsi ] || cmp -s /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi.ours; then
        if [ -e /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi ]; then cp -p /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi /etc/iscsi/initiatorname.iscsi.new && mv /etc/iscsi/initiatorname.iscsi.new /etc/iscsi/initiatorname.iscsi; else rm -f /etc/iscsi/initiatorname.iscsi; fi
    else
        echo '/etc/iscsi/initiatorname.iscsi was edited since it was written; it stays as it is'
    fi
    rm -f /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi.ours /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi.line /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi.absent /var/lib/seatrial/made/nss-ha/before/etc-iscsi-initiatorname.iscsi
}

# 9. remove /var/lib/seatrial/made/nss-ha/iscsi-chap
check_9() {
    [ ! -e /var/lib/seatrial/made/nss-ha/iscsi-chap ]
}
guard_9() { :; }
apply_9() {
    rm -f /var/lib/seatrial/made/nss-ha/iscsi-chap
}

# 10. restore /etc/multipath.conf
check_10() {
    [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf ] && [ ! -e /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf.absent ]
}
guard_10() { :; }
apply_10() {
    if ! [ -e /etc/multipath.conf ] || cmp -s /etc/multipath.conf /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf.ours; then
        if [ -e /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf ]; then cp -p /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf /etc/multipath.conf.new && mv /etc/multipath.conf.new /etc/multipath.conf; else rm -f /etc/multipath.conf; fi
    else
        echo '/etc/multipath.conf was edited since it was written; it stays as it is'
    fi
    rm -f /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf.ours /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf.line /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf.absent /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf
}
# (10 steps)
##### stage 7, array #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 7 of 8: array
# (the preamble)

# 1. (steps.sh) stop the iSCSI target

# 2. (steps.sh) remove /etc/sysctl.d/60-seatrial-tgt.conf

# 3. remove /etc/tgt/seatrial-nss-ha.targets
check_3() {
    [ ! -e /etc/tgt/seatrial-nss-ha.targets ]
}
guard_3() { :; }
apply_3() {
    rm -f /etc/tgt/seatrial-nss-ha.targets
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

# 5. (steps.sh) remove /usr/local/sbin/seatrial-targets

# 6. (steps.sh) remove /run/seatrial-targets

# 7. remove /var/lib/seatrial/made/nss-ha/iscsi-chap
check_7() {
    [ ! -e /var/lib/seatrial/made/nss-ha/iscsi-chap ]
}
guard_7() { :; }
apply_7() {
    rm -f /var/lib/seatrial/made/nss-ha/iscsi-chap
}

# 8. stop array nss-ha
check_8() {
    [ ! -e /dev/md/nss-ha ]
}
guard_8() { :; }
apply_8() {
    mdadm --stop /dev/md/nss-ha
    udevadm settle --timeout=120
    rm -f /dev/md/nss-ha
}

# 9. remove /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf
check_9() {
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf ]
}
guard_9() { :; }
apply_9() {
    rm -f /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf
}
# (9 steps)
##### stage 8, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: take srv1 and srv2 out of service
# stage 8 of 8: remove the mark
# (the preamble)

# (backups.sh)
# 1. restore the MTU of links
check_1() {
    for kept in /var/lib/seatrial/made/nss-ha/before/mtu-*; do [ ! -e $kept ] || exit 1; done
}
guard_1() { :; }
apply_1() {
    for kept in /var/lib/seatrial/made/nss-ha/before/mtu-*; do
        read -r was ours <$kept
        link=${kept##*/mtu-}
        read -r now </sys/class/net/$link/mtu || now=
        [ "$now" != "$ours" ] || ip link set dev "$link" mtu "$was"
        rm $kept
    done
}

# 2. restore the state of units
check_2() {
    [ ! -e /var/lib/seatrial/made/nss-ha/before/units ]
}
guard_2() { :; }
apply_2() {
    give_back_units /var/lib/seatrial/made/nss-ha/before/units
    rm /var/lib/seatrial/made/nss-ha/before/units
}

# 3. remove the mark of nss-ha
check_3() {
    [ ! -e /var/lib/seatrial/made/nss-ha/mark ] && [ ! -e /var/lib/seatrial/made/nss-ha/left ]
}
guard_3() { :; }
apply_3() {
    rm -f /var/lib/seatrial/made/nss-ha/mark /var/lib/seatrial/made/nss-ha/left
    rmdir /var/lib/seatrial/made/nss-ha 2>/dev/null || true
}
# (3 steps)
##### stage 8, c[1-4] #####
as on srv[1-2], but for:
@@ -6 +5,0 @@
@@ -22 +21 @@
+# 2. remove the mark of nss-ha
@@ -24 +23 @@
+    [ ! -e /var/lib/seatrial/made/nss-ha/mark ] && [ ! -e /var/lib/seatrial/made/nss-ha/left ]
@@ -28,10 +26,0 @@
@@ -41 +30 @@
+# (2 steps)
##### stage 8, array #####
as on srv[1-2], but for:
@@ -34 +34 @@
+    [ ! -e /var/lib/seatrial/made/nss-ha/mark ]
@@ -38,2 +38 @@
+    rm /var/lib/seatrial/made/nss-ha/mark
