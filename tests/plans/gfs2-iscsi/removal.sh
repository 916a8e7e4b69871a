##### stage 1, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (look.sh)
# (iscsi_initiator.sh)
# 1. (steps.sh) refuse symbolic links (3)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic

# 3. (steps.sh) refuse another cluster: gfs-equallogic

# 4. (steps.sh) refuse an occupied mount point: /mnt/gfs-equallogic

# 5. refuse to remove storage that gfs-equallogic did not create
check_5() {
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/mark ] || exit 0
    found=
    (
    ! systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && ! systemctl -q is-active seatrial-gfs2-gfs-equallogic.service &&
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts && [ ! -d /mnt/gfs-equallogic ]
    ) >/dev/null 2>&1 || found='unmount /mnt/gfs-equallogic'
    (
    [ ! -e /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service'
    (
    [ ! -e /usr/local/sbin/seatrial-gfs2-gfs-equallogic ]
    ) >/dev/null 2>&1 || found='remove /usr/local/sbin/seatrial-gfs2-gfs-equallogic'
    (
    [ ! -e /run/seatrial-gfs-equallogic.readahead ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-gfs-equallogic.readahead'
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
    [ ! -e /etc/dlm/seatrial-password-c5 ]
    ) >/dev/null 2>&1 || found='remove /etc/dlm/seatrial-password-c5'
    (
    [ ! -e /etc/dlm/seatrial-password-c6 ]
    ) >/dev/null 2>&1 || found='remove /etc/dlm/seatrial-password-c6'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf ] && [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.absent ]
    ) >/dev/null 2>&1 || found='restore /etc/lvm/lvm.conf'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf ] && [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.absent ]
    ) >/dev/null 2>&1 || found='restore /etc/corosync/corosync.conf'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey ] && [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.absent ]
    ) >/dev/null 2>&1 || found='restore /etc/corosync/authkey'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/corosync-key ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial/made/gfs-equallogic/corosync-key'
    (
    [ ! -e /var/lib/seatrial/gfs-equallogic/volumes ]
    ) >/dev/null 2>&1 || found='detach the local volume'
    (
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:gfs-equallogic)" ]
    ) >/dev/null 2>&1 || found='remove the iSCSI targets'
    (
    [ ! -e /etc/iscsi/seatrial-gfs-equallogic ]
    ) >/dev/null 2>&1 || found='remove /etc/iscsi/seatrial-gfs-equallogic'
    (
    ! systemctl -q is-enabled open-iscsi && ! systemctl -q is-enabled iscsid
    ) >/dev/null 2>&1 || found='disable iSCSI logins at boot'
    (
    [ ! -e /etc/iscsi/ifaces/seatrial-gfs-equallogic ]
    ) >/dev/null 2>&1 || found='remove /etc/iscsi/ifaces/seatrial-gfs-equallogic'
    (
    [ ! -e /etc/modules-load.d/seatrial-storage.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/modules-load.d/seatrial-storage.conf'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi ] && [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.absent ]
    ) >/dev/null 2>&1 || found='restore /etc/iscsi/initiatorname.iscsi'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/iscsi-chap ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap'
    [ -z "$found" ]
}
guard_5() { :; }
apply_5() {
    echo "refused: gfs-equallogic has made nothing on this node (/var/lib/seatrial/made/gfs-equallogic/mark is missing); this would be done:"
    (
    ! systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && ! systemctl -q is-active seatrial-gfs2-gfs-equallogic.service &&
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts && [ ! -d /mnt/gfs-equallogic ]
    ) >/dev/null 2>&1 || echo '  unmount /mnt/gfs-equallogic'
    (
    [ ! -e /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service'
    (
    [ ! -e /usr/local/sbin/seatrial-gfs2-gfs-equallogic ]
    ) >/dev/null 2>&1 || echo '  remove /usr/local/sbin/seatrial-gfs2-gfs-equallogic'
    (
    [ ! -e /run/seatrial-gfs-equallogic.readahead ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-gfs-equallogic.readahead'
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
    [ ! -e /etc/dlm/seatrial-password-c5 ]
    ) >/dev/null 2>&1 || echo '  remove /etc/dlm/seatrial-password-c5'
    (
    [ ! -e /etc/dlm/seatrial-password-c6 ]
    ) >/dev/null 2>&1 || echo '  remove /etc/dlm/seatrial-password-c6'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf ] && [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.absent ]
    ) >/dev/null 2>&1 || echo '  restore /etc/lvm/lvm.conf'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf ] && [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.absent ]
    ) >/dev/null 2>&1 || echo '  restore /etc/corosync/corosync.conf'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey ] && [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.absent ]
    ) >/dev/null 2>&1 || echo '  restore /etc/corosync/authkey'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/corosync-key ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial/made/gfs-equallogic/corosync-key'
    (
    [ ! -e /var/lib/seatrial/gfs-equallogic/volumes ]
    ) >/dev/null 2>&1 || echo '  detach the local volume'
    (
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:gfs-equallogic)" ]
    ) >/dev/null 2>&1 || echo '  remove the iSCSI targets'
    (
    [ ! -e /etc/iscsi/seatrial-gfs-equallogic ]
    ) >/dev/null 2>&1 || echo '  remove /etc/iscsi/seatrial-gfs-equallogic'
    (
    ! systemctl -q is-enabled open-iscsi && ! systemctl -q is-enabled iscsid
    ) >/dev/null 2>&1 || echo '  disable iSCSI logins at boot'
    (
    [ ! -e /etc/iscsi/ifaces/seatrial-gfs-equallogic ]
    ) >/dev/null 2>&1 || echo '  remove /etc/iscsi/ifaces/seatrial-gfs-equallogic'
    (
    [ ! -e /etc/modules-load.d/seatrial-storage.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/modules-load.d/seatrial-storage.conf'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi ] && [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.absent ]
    ) >/dev/null 2>&1 || echo '  restore /etc/iscsi/initiatorname.iscsi'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/iscsi-chap ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap'
    exit 1
}

# 6. refuse volumes of another owner on /dev/disk/by-id/scsi-36000000000000000641a46068894cecf
check_6() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000641a46068894cecf
}
guard_6() { :; }
apply_6() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000641a46068894cecf
    exit 1
}

# 7. refuse volumes of another owner on /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d
check_7() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d
}
guard_7() { :; }
apply_7() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d
    exit 1
}

# 8. refuse volumes of another owner on /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82
check_8() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82
}
guard_8() { :; }
apply_8() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82
    exit 1
}
# (8 steps)
##### stage 1, c2 #####
as on c1, but for:
@@ -180 +180 @@
+# 6. refuse volumes of another owner on /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6
@@ -183 +183 @@
+    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6
@@ -188 +188 @@
+    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6
@@ -191,25 +191 @@
+# (6 steps)
##### stage 1, c3 #####
as on c1, but for:
@@ -180 +180 @@
+# 6. refuse volumes of another owner on /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7
@@ -183 +183 @@
+    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7
@@ -188 +188 @@
+    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7
@@ -191,25 +191 @@
+# (6 steps)
##### stage 1, c4 #####
as on c1, but for:
@@ -180 +180 @@
+# 6. refuse volumes of another owner on /dev/disk/by-id/scsi-3600000000000000006f49440db3708de
@@ -183 +183 @@
+    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-3600000000000000006f49440db3708de
@@ -188 +188 @@
+    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-3600000000000000006f49440db3708de
@@ -191,25 +191 @@
+# (6 steps)
##### stage 1, c5 #####
as on c1, but for:
@@ -180 +180 @@
+# 6. refuse volumes of another owner on /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e
@@ -183 +183 @@
+    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e
@@ -188 +188 @@
+    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e
@@ -191,25 +191 @@
+# (6 steps)
##### stage 1, c6 #####
as on c1, but for:
@@ -180 +180 @@
+# 6. refuse volumes of another owner on /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9
@@ -183 +183 @@
+    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9
@@ -188 +188 @@
+    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9
@@ -191,25 +191 @@
+# (6 steps)
##### stage 1, ps1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (3)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic

# 3. refuse to remove storage that gfs-equallogic did not create
check_3() {
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || found='stop the iSCSI target'
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/seatrial-gfs-equallogic.targets ]
    ) >/dev/null 2>&1 || found='remove /etc/tgt/seatrial-gfs-equallogic.targets'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf'
    (
    [ ! -e /usr/local/sbin/seatrial-targets ]
    ) >/dev/null 2>&1 || found='remove /usr/local/sbin/seatrial-targets'
    (
    [ ! -e /run/seatrial-targets ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-targets'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/iscsi-chap ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap'
    (
    ! ip -o -4 address show to 10.10.200.1 | grep -q .
    ) >/dev/null 2>&1 || found='remove the group address 10.10.200.1/16'
    (
    ! ls /dev/seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 || found='deactivate the volumes'
    (
    [ ! -e /dev/md/gfs-equallogic ]
    ) >/dev/null 2>&1 || found='stop array gfs-equallogic'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf'
    [ -z "$found" ]
}
guard_3() { :; }
apply_3() {
    echo "refused: gfs-equallogic has made nothing on this node (/var/lib/seatrial/made/gfs-equallogic/mark is missing); this would be done:"
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || echo '  stop the iSCSI target'
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/seatrial-gfs-equallogic.targets ]
    ) >/dev/null 2>&1 || echo '  remove /etc/tgt/seatrial-gfs-equallogic.targets'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf'
    (
    [ ! -e /usr/local/sbin/seatrial-targets ]
    ) >/dev/null 2>&1 || echo '  remove /usr/local/sbin/seatrial-targets'
    (
    [ ! -e /run/seatrial-targets ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-targets'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/iscsi-chap ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap'
    (
    ! ip -o -4 address show to 10.10.200.1 | grep -q .
    ) >/dev/null 2>&1 || echo '  remove the group address 10.10.200.1/16'
    (
    ! ls /dev/seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 || echo '  deactivate the volumes'
    (
    [ ! -e /dev/md/gfs-equallogic ]
    ) >/dev/null 2>&1 || echo '  stop array gfs-equallogic'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf'
    exit 1
}

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi
# (4 steps)
##### stage 1, ps2 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (3)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic

# 3. refuse to remove storage that gfs-equallogic did not create
check_3() {
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || found='stop the iSCSI target'
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/seatrial-gfs-equallogic.targets ]
    ) >/dev/null 2>&1 || found='remove /etc/tgt/seatrial-gfs-equallogic.targets'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf'
    (
    [ ! -e /usr/local/sbin/seatrial-targets ]
    ) >/dev/null 2>&1 || found='remove /usr/local/sbin/seatrial-targets'
    (
    [ ! -e /run/seatrial-targets ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-targets'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/iscsi-chap ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap'
    (
    ! ls /dev/seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 || found='deactivate the volumes'
    (
    [ ! -e /dev/md/gfs-equallogic ]
    ) >/dev/null 2>&1 || found='stop array gfs-equallogic'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf'
    [ -z "$found" ]
}
guard_3() { :; }
apply_3() {
    echo "refused: gfs-equallogic has made nothing on this node (/var/lib/seatrial/made/gfs-equallogic/mark is missing); this would be done:"
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || echo '  stop the iSCSI target'
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/seatrial-gfs-equallogic.targets ]
    ) >/dev/null 2>&1 || echo '  remove /etc/tgt/seatrial-gfs-equallogic.targets'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf'
    (
    [ ! -e /usr/local/sbin/seatrial-targets ]
    ) >/dev/null 2>&1 || echo '  remove /usr/local/sbin/seatrial-targets'
    (
    [ ! -e /run/seatrial-targets ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-targets'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/iscsi-chap ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap'
    (
    ! ls /dev/seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 || echo '  deactivate the volumes'
    (
    [ ! -e /dev/md/gfs-equallogic ]
    ) >/dev/null 2>&1 || echo '  stop array gfs-equallogic'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf'
    exit 1
}

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi
# (4 steps)
##### stage 1, ps3 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (3)

# 2. refuse to remove storage that gfs-equallogic did not create
check_2() {
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || found='stop the iSCSI target'
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/seatrial-gfs-equallogic.targets ]
    ) >/dev/null 2>&1 || found='remove /etc/tgt/seatrial-gfs-equallogic.targets'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf'
    (
    [ ! -e /usr/local/sbin/seatrial-targets ]
    ) >/dev/null 2>&1 || found='remove /usr/local/sbin/seatrial-targets'
    (
    [ ! -e /run/seatrial-targets ]
    ) >/dev/null 2>&1 || found='remove /run/seatrial-targets'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/iscsi-chap ]
    ) >/dev/null 2>&1 || found='remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap'
    (
    ! ls /dev/seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 || found='deactivate the volumes'
    (
    [ ! -e /dev/md/gfs-equallogic ]
    ) >/dev/null 2>&1 || found='stop array gfs-equallogic'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf ]
    ) >/dev/null 2>&1 || found='remove /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf'
    [ -z "$found" ]
}
guard_2() { :; }
apply_2() {
    echo "refused: gfs-equallogic has made nothing on this node (/var/lib/seatrial/made/gfs-equallogic/mark is missing); this would be done:"
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 || echo '  stop the iSCSI target'
    (
    [ ! -e /etc/sysctl.d/60-seatrial-tgt.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/sysctl.d/60-seatrial-tgt.conf'
    (
    [ ! -e /etc/tgt/seatrial-gfs-equallogic.targets ]
    ) >/dev/null 2>&1 || echo '  remove /etc/tgt/seatrial-gfs-equallogic.targets'
    (
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf'
    (
    [ ! -e /usr/local/sbin/seatrial-targets ]
    ) >/dev/null 2>&1 || echo '  remove /usr/local/sbin/seatrial-targets'
    (
    [ ! -e /run/seatrial-targets ]
    ) >/dev/null 2>&1 || echo '  remove /run/seatrial-targets'
    (
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/iscsi-chap ]
    ) >/dev/null 2>&1 || echo '  remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap'
    (
    ! ls /dev/seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 || echo '  deactivate the volumes'
    (
    [ ! -e /dev/md/gfs-equallogic ]
    ) >/dev/null 2>&1 || echo '  stop array gfs-equallogic'
    (
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf ]
    ) >/dev/null 2>&1 || echo '  remove /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf'
    exit 1
}
# (2 steps)
##### stage 2, c[1-6],ps[1-3] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 2 of 12: remove boot-time settings
# (the preamble)

# 1. (steps.sh) remove the boot-time settings of network and mounts (2)
# (1 steps)
##### stage 3, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 3 of 12: unmount on c1
# (the preamble)

# 1. unmount /mnt/gfs-equallogic
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && ! systemctl -q is-active seatrial-gfs2-gfs-equallogic.service &&
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts && [ ! -d /mnt/gfs-equallogic ]
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gfs-equallogic.service
    systemctl stop seatrial-gfs2-gfs-equallogic.service
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gfs-equallogic stop
    [ ! -d /mnt/gfs-equallogic ] || rmdir /mnt/gfs-equallogic
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gfs2-gfs-equallogic.service)" = no ] || systemctl daemon-reload
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gfs-equallogic
check_3() {
    [ ! -e /usr/local/sbin/seatrial-gfs2-gfs-equallogic ]
}
guard_3() { :; }
apply_3() {
    rm -f /usr/local/sbin/seatrial-gfs2-gfs-equallogic
}

# 4. remove /run/seatrial-gfs-equallogic.readahead
check_4() {
    [ ! -e /run/seatrial-gfs-equallogic.readahead ]
}
guard_4() { :; }
apply_4() {
    rm -f /run/seatrial-gfs-equallogic.readahead
}
# (4 steps)
##### stage 4, c2 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 4 of 12: unmount on c2
# (the preamble)

# 1. unmount /mnt/gfs-equallogic
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && ! systemctl -q is-active seatrial-gfs2-gfs-equallogic.service &&
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts && [ ! -d /mnt/gfs-equallogic ]
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gfs-equallogic.service
    systemctl stop seatrial-gfs2-gfs-equallogic.service
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gfs-equallogic stop
    [ ! -d /mnt/gfs-equallogic ] || rmdir /mnt/gfs-equallogic
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gfs2-gfs-equallogic.service)" = no ] || systemctl daemon-reload
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gfs-equallogic
check_3() {
    [ ! -e /usr/local/sbin/seatrial-gfs2-gfs-equallogic ]
}
guard_3() { :; }
apply_3() {
    rm -f /usr/local/sbin/seatrial-gfs2-gfs-equallogic
}

# 4. remove /run/seatrial-gfs-equallogic.readahead
check_4() {
    [ ! -e /run/seatrial-gfs-equallogic.readahead ]
}
guard_4() { :; }
apply_4() {
    rm -f /run/seatrial-gfs-equallogic.readahead
}
# (4 steps)
##### stage 5, c3 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 5 of 12: unmount on c3
# (the preamble)

# 1. unmount /mnt/gfs-equallogic
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && ! systemctl -q is-active seatrial-gfs2-gfs-equallogic.service &&
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts && [ ! -d /mnt/gfs-equallogic ]
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gfs-equallogic.service
    systemctl stop seatrial-gfs2-gfs-equallogic.service
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gfs-equallogic stop
    [ ! -d /mnt/gfs-equallogic ] || rmdir /mnt/gfs-equallogic
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gfs2-gfs-equallogic.service)" = no ] || systemctl daemon-reload
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gfs-equallogic
check_3() {
    [ ! -e /usr/local/sbin/seatrial-gfs2-gfs-equallogic ]
}
guard_3() { :; }
apply_3() {
    rm -f /usr/local/sbin/seatrial-gfs2-gfs-equallogic
}

# 4. remove /run/seatrial-gfs-equallogic.readahead
check_4() {
    [ ! -e /run/seatrial-gfs-equallogic.readahead ]
}
guard_4() { :; }
apply_4() {
    rm -f /run/seatrial-gfs-equallogic.readahead
}
# (4 steps)
##### stage 6, c4 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 6 of 12: unmount on c4
# (the preamble)

# 1. unmount /mnt/gfs-equallogic
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && ! systemctl -q is-active seatrial-gfs2-gfs-equallogic.service &&
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts && [ ! -d /mnt/gfs-equallogic ]
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gfs-equallogic.service
    systemctl stop seatrial-gfs2-gfs-equallogic.service
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gfs-equallogic stop
    [ ! -d /mnt/gfs-equallogic ] || rmdir /mnt/gfs-equallogic
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gfs2-gfs-equallogic.service)" = no ] || systemctl daemon-reload
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gfs-equallogic
check_3() {
    [ ! -e /usr/local/sbin/seatrial-gfs2-gfs-equallogic ]
}
guard_3() { :; }
apply_3() {
    rm -f /usr/local/sbin/seatrial-gfs2-gfs-equallogic
}

# 4. remove /run/seatrial-gfs-equallogic.readahead
check_4() {
    [ ! -e /run/seatrial-gfs-equallogic.readahead ]
}
guard_4() { :; }
apply_4() {
    rm -f /run/seatrial-gfs-equallogic.readahead
}
# (4 steps)
##### stage 7, c5 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 7 of 12: unmount on c5
# (the preamble)

# 1. unmount /mnt/gfs-equallogic
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && ! systemctl -q is-active seatrial-gfs2-gfs-equallogic.service &&
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts && [ ! -d /mnt/gfs-equallogic ]
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gfs-equallogic.service
    systemctl stop seatrial-gfs2-gfs-equallogic.service
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gfs-equallogic stop
    [ ! -d /mnt/gfs-equallogic ] || rmdir /mnt/gfs-equallogic
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gfs2-gfs-equallogic.service)" = no ] || systemctl daemon-reload
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gfs-equallogic
check_3() {
    [ ! -e /usr/local/sbin/seatrial-gfs2-gfs-equallogic ]
}
guard_3() { :; }
apply_3() {
    rm -f /usr/local/sbin/seatrial-gfs2-gfs-equallogic
}

# 4. remove /run/seatrial-gfs-equallogic.readahead
check_4() {
    [ ! -e /run/seatrial-gfs-equallogic.readahead ]
}
guard_4() { :; }
apply_4() {
    rm -f /run/seatrial-gfs-equallogic.readahead
}
# (4 steps)
##### stage 8, c6 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 8 of 12: unmount on c6
# (the preamble)

# 1. unmount /mnt/gfs-equallogic
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && ! systemctl -q is-active seatrial-gfs2-gfs-equallogic.service &&
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts && [ ! -d /mnt/gfs-equallogic ]
}
guard_1() { :; }
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gfs-equallogic.service
    systemctl stop seatrial-gfs2-gfs-equallogic.service
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gfs-equallogic stop
    [ ! -d /mnt/gfs-equallogic ] || rmdir /mnt/gfs-equallogic
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
check_2() {
    [ ! -e /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service ]
}
guard_2() { :; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
    [ "$(systemctl show --property=NeedDaemonReload --value seatrial-gfs2-gfs-equallogic.service)" = no ] || systemctl daemon-reload
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gfs-equallogic
check_3() {
    [ ! -e /usr/local/sbin/seatrial-gfs2-gfs-equallogic ]
}
guard_3() { :; }
apply_3() {
    rm -f /usr/local/sbin/seatrial-gfs2-gfs-equallogic
}

# 4. remove /run/seatrial-gfs-equallogic.readahead
check_4() {
    [ ! -e /run/seatrial-gfs-equallogic.readahead ]
}
guard_4() { :; }
apply_4() {
    rm -f /run/seatrial-gfs-equallogic.readahead
}
# (4 steps)
##### stage 9, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 9 of 12: leave the cluster
# (the preamble)

# 1. (steps.sh) leave the cluster

# 2. (steps.sh) remove /etc/dlm/dlm.conf

# 3. (steps.sh) remove /etc/systemd/system/dlm.service.d/seatrial.conf

# 4. (steps.sh) remove /etc/dlm/seatrial-password-c1

# 5. (steps.sh) remove /etc/dlm/seatrial-password-c2

# 6. (steps.sh) remove /etc/dlm/seatrial-password-c3

# 7. (steps.sh) remove /etc/dlm/seatrial-password-c4

# 8. remove /etc/dlm/seatrial-password-c5
check_8() {
    [ ! -e /etc/dlm/seatrial-password-c5 ]
}
guard_8() { :; }
apply_8() {
    rm -f /etc/dlm/seatrial-password-c5
}

# 9. remove /etc/dlm/seatrial-password-c6
check_9() {
    [ ! -e /etc/dlm/seatrial-password-c6 ]
}
guard_9() { :; }
apply_9() {
    rm -f /etc/dlm/seatrial-password-c6
}

# 10. restore /etc/lvm/lvm.conf
check_10() {
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf ] && [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.absent ]
}
guard_10() { :; }
apply_10() {
    if ! [ -e /etc/lvm/lvm.conf ] || cmp -s /etc/lvm/lvm.conf /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.ours; then
        if [ -e /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf ]; then cp -p /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf /etc/lvm/lvm.conf.new && mv /etc/lvm/lvm.conf.new /etc/lvm/lvm.conf; else rm -f /etc/lvm/lvm.conf; fi
    else
        sed -e '/^[[:space:]]*use_lvmlockd *=/{' -e 'r /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.line' -e 'd' -e '}' /etc/lvm/lvm.conf >/etc/lvm/lvm.conf.new
        chmod --reference=/etc/lvm/lvm.conf /etc/lvm/lvm.conf.new
        mv /etc/lvm/lvm.conf.new /etc/lvm/lvm.conf
    fi
    rm -f /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.ours /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.line /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf.absent /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf
}

# 11. restore /etc/corosync/corosync.conf
check_11() {
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf ] && [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.absent ]
}
guard_11() { :; }
apply_11() {
    if ! [ -e /etc/corosync/corosync.conf ] || cmp -s /etc/corosync/corosync.conf /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.ours; then
        if [ -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf ]; then cp -p /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf /etc/corosync/corosync.conf.new && mv /etc/corosync/corosync.conf.new /etc/corosync/corosync.conf; else rm -f /etc/corosync/corosync.conf; fi
    else
        echo '/etc/corosync/corosync.conf was edited since it was written; it stays as it is'
    fi
    rm -f /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.ours /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.line /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.absent /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf
}

# 12. restore /etc/corosync/authkey
check_12() {
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey ] && [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.absent ]
}
guard_12() { :; }
apply_12() {
    if ! [ -e /etc/corosync/authkey ] || cmp -s /etc/corosync/authkey /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.ours; then
        if [ -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey ]; then cp -p /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey /etc/corosync/authkey.new && mv /etc/corosync/authkey.new /etc/corosync/authkey; else rm -f /etc/corosync/authkey; fi
    else
        echo '/etc/corosync/authkey was edited since it was written; it stays as it is'
    fi
    rm -f /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.ours /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.line /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey.absent /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey
}

# 13. remove /var/lib/seatrial/made/gfs-equallogic/corosync-key
check_13() {
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/corosync-key ]
}
guard_13() { :; }
apply_13() {
    rm -f /var/lib/seatrial/made/gfs-equallogic/corosync-key
}
# (13 steps)
##### stage 10, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 10 of 12: sessions
# (the preamble)

# (iscsi_initiator.sh)
# 1. detach the local volume
check_1() {
    [ ! -e /var/lib/seatrial/gfs-equallogic/volumes ]
}
guard_1() { :; }
apply_1() {
    rm -r /var/lib/seatrial/gfs-equallogic/volumes
}

# 2. remove the iSCSI targets
check_2() {
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:gfs-equallogic)" ]
}
guard_2() { :; }
apply_2() {
    iscsi_forget iqn.2026-01.org.seatrial:gfs-equallogic
}

# 3. remove /etc/iscsi/seatrial-gfs-equallogic
check_3() {
    [ ! -e /etc/iscsi/seatrial-gfs-equallogic ]
}
guard_3() { :; }
apply_3() {
    rm -f /etc/iscsi/seatrial-gfs-equallogic
}

# 4. (steps.sh) disable iSCSI logins at boot (2)

# 5. remove /etc/iscsi/ifaces/seatrial-gfs-equallogic
check_5() {
    [ ! -e /etc/iscsi/ifaces/seatrial-gfs-equallogic ]
}
guard_5() { :; }
apply_5() {
    rm -f /etc/iscsi/ifaces/seatrial-gfs-equallogic
}

# 6. (steps.sh) remove /etc/modules-load.d/seatrial-storage.conf

# 7. restore /etc/iscsi/initiatorname.iscsi
check_7() {
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi ] && [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.absent ]
}
guard_7() { :; }
apply_7() {
    if ! [ -e /etc/iscsi/initiatorname.iscsi ] || cmp -s /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.ours; then
        if [ -e /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi ]; then cp -p /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi /etc/iscsi/initiatorname.iscsi.new && mv /etc/iscsi/initiatorname.iscsi.new /etc/iscsi/initiatorname.iscsi; else rm -f /etc/iscsi/initiatorname.iscsi; fi
    else
        echo '/etc/iscsi/initiatorname.iscsi was edited since it was written; it stays as it is'
    fi
    rm -f /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.ours /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.line /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi.absent /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
}

# 8. remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
check_8() {
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/iscsi-chap ]
}
guard_8() { :; }
apply_8() {
    rm -f /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
}
# (8 steps)
##### stage 11, ps1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 11 of 12: members
# (the preamble)

# 1. (steps.sh) stop the iSCSI target

# 2. (steps.sh) remove /etc/sysctl.d/60-seatrial-tgt.conf

# 3. remove /etc/tgt/seatrial-gfs-equallogic.targets
check_3() {
    [ ! -e /etc/tgt/seatrial-gfs-equallogic.targets ]
}
guard_3() { :; }
apply_3() {
    rm -f /etc/tgt/seatrial-gfs-equallogic.targets
}

# 4. remove /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf
check_4() {
    [ ! -e /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf ]
}
guard_4() { :; }
apply_4() {
    rm -f /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf
    [ "$(systemctl show --property=NeedDaemonReload --value tgt.service)" = no ] || systemctl daemon-reload
}

# 5. (steps.sh) remove /usr/local/sbin/seatrial-targets

# 6. (steps.sh) remove /run/seatrial-targets

# 7. remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
check_7() {
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/iscsi-chap ]
}
guard_7() { :; }
apply_7() {
    rm -f /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
}

# 8. remove the group address 10.10.200.1/16
check_8() {
    ! ip -o -4 address show to 10.10.200.1 | grep -q .
}
guard_8() { :; }
apply_8() {
    link=$(ip -o -4 address show to 10.10.200.1)
    link=${link#*: }
    ip address del 10.10.200.1/16 dev "${link%%[ @]*}"
}

# 9. (steps.sh) deactivate the volumes

# 10. stop array gfs-equallogic
check_10() {
    [ ! -e /dev/md/gfs-equallogic ]
}
guard_10() { :; }
apply_10() {
    mdadm --stop /dev/md/gfs-equallogic
    udevadm settle --timeout=120
    rm -f /dev/md/gfs-equallogic
}

# 11. remove /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf
check_11() {
    [ ! -e /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf ]
}
guard_11() { :; }
apply_11() {
    rm -f /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf
}
# (11 steps)
##### stage 11, ps[2-3] #####
as on ps1, but for:
@@ -42,10 +42 @@
+# 8. (steps.sh) deactivate the volumes
@@ -53,4 +44,2 @@
+# 9. stop array gfs-equallogic
+check_9() {
@@ -59,2 +48,2 @@
+guard_9() { :; }
+apply_9() {
@@ -66,2 +55,2 @@
+# 10. remove /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf
+check_10() {
@@ -70,2 +59,2 @@
+guard_10() { :; }
+apply_10() {
@@ -74 +63 @@
+# (10 steps)
##### stage 12, c[1-6],ps[1-2] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 12 of 12: remove the mark
# (the preamble)

# (backups.sh)
# 1. restore the MTU of links
check_1() {
    for kept in /var/lib/seatrial/made/gfs-equallogic/before/mtu-*; do [ ! -e $kept ] || exit 1; done
}
guard_1() { :; }
apply_1() {
    for kept in /var/lib/seatrial/made/gfs-equallogic/before/mtu-*; do
        read -r was ours <$kept
        link=${kept##*/mtu-}
        read -r now </sys/class/net/$link/mtu || now=
        [ "$now" != "$ours" ] || ip link set dev "$link" mtu "$was"
        rm $kept
    done
}

# 2. restore the state of units
check_2() {
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/units ]
}
guard_2() { :; }
apply_2() {
    give_back_units /var/lib/seatrial/made/gfs-equallogic/before/units
    rm /var/lib/seatrial/made/gfs-equallogic/before/units
}

# 3. remove the mark of gfs-equallogic
check_3() {
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/mark ]
}
guard_3() { :; }
apply_3() {
    rm /var/lib/seatrial/made/gfs-equallogic/mark
}
# (3 steps)
##### stage 12, ps3 #####
as on c[1-6],ps[1-2], but for:
@@ -6 +5,0 @@
@@ -22 +21 @@
+# 2. remove the mark of gfs-equallogic
@@ -24 +23 @@
+    [ ! -e /var/lib/seatrial/made/gfs-equallogic/mark ] && [ ! -e /var/lib/seatrial/made/gfs-equallogic/left ]
@@ -28,2 +27,2 @@
+    rm -f /var/lib/seatrial/made/gfs-equallogic/mark /var/lib/seatrial/made/gfs-equallogic/left
+    rmdir /var/lib/seatrial/made/gfs-equallogic 2>/dev/null || true
@@ -31,10 +30 @@
+# (2 steps)
