##### stage 1, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (sh/: no_file is_restored would_change)
# (look.sh)
# (iscsi_initiator.sh)
# 1. (steps.sh) refuse symbolic links (3)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic

# 3. (steps.sh) refuse another cluster: gfs-equallogic

# 4. (steps.sh) refuse an occupied mount point: /mnt/gfs-equallogic

# 5. refuse to remove storage that gfs-equallogic did not create
check_5() {
    set +e
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/mark ] || exit 0
    found=
    (
    ! systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && ! systemctl -q is-active seatrial-gfs2-gfs-equallogic.service &&
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts && [ ! -d /mnt/gfs-equallogic ]
    ) >/dev/null 2>&1 ||
        would_change 'unmount /mnt/gfs-equallogic' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /usr/local/sbin/seatrial-gfs2-gfs-equallogic
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/sbin/seatrial-gfs2-gfs-equallogic' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /run/seatrial-gfs-equallogic.readahead
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-gfs-equallogic.readahead' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    ! systemctl -q is-active corosync dlm lvmlockd && ! systemctl -q is-enabled corosync dlm lvmlockd
    ) >/dev/null 2>&1 ||
        would_change 'leave the cluster' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/dlm/dlm.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/dlm/dlm.conf' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/systemd/system/dlm.service.d/seatrial.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/dlm.service.d/seatrial.conf' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/dlm/seatrial-password-c1
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/dlm/seatrial-password-c1' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/dlm/seatrial-password-c2
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/dlm/seatrial-password-c2' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/dlm/seatrial-password-c3
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/dlm/seatrial-password-c3' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/dlm/seatrial-password-c4
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/dlm/seatrial-password-c4' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/dlm/seatrial-password-c5
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/dlm/seatrial-password-c5' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/dlm/seatrial-password-c6
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/dlm/seatrial-password-c6' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    is_restored /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf
    ) >/dev/null 2>&1 ||
        would_change 'restore /etc/lvm/lvm.conf' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    is_restored /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf
    ) >/dev/null 2>&1 ||
        would_change 'restore /etc/corosync/corosync.conf' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    is_restored /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey
    ) >/dev/null 2>&1 ||
        would_change 'restore /etc/corosync/authkey' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /var/lib/seatrial/made/gfs-equallogic/corosync-key
    ) >/dev/null 2>&1 ||
        would_change 'remove /var/lib/seatrial/made/gfs-equallogic/corosync-key' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    [ ! -e /var/lib/seatrial/gfs-equallogic/volumes ]
    ) >/dev/null 2>&1 ||
        would_change 'detach the local volume' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    [ -z "$(iscsi_of iqn.2026-01.org.seatrial:gfs-equallogic)" ]
    ) >/dev/null 2>&1 ||
        would_change 'remove the iSCSI targets' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/iscsi/seatrial-gfs-equallogic
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/iscsi/seatrial-gfs-equallogic' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    ! systemctl -q is-enabled open-iscsi && ! systemctl -q is-enabled iscsid
    ) >/dev/null 2>&1 ||
        would_change 'disable iSCSI logins at boot' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/iscsi/ifaces/seatrial-gfs-equallogic
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/iscsi/ifaces/seatrial-gfs-equallogic' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/modules-load.d/seatrial-storage.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/modules-load.d/seatrial-storage.conf' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    is_restored /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
    ) >/dev/null 2>&1 ||
        would_change 'restore /etc/iscsi/initiatorname.iscsi' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
    ) >/dev/null 2>&1 ||
        would_change 'remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    [ -z "$found" ]
}
apply_5() { refuse; }

# 6. refuse volumes of another owner on /dev/disk/by-id/scsi-36000000000000000641a46068894cecf
check_6() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000641a46068894cecf
}
apply_6() { refuse; }

# 7. refuse volumes of another owner on /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d
check_7() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000a86f955117c0370d
}
apply_7() { refuse; }

# 8. refuse volumes of another owner on /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82
check_8() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000a486a503d42c9f82
}
apply_8() { refuse; }
# (8 steps)
##### stage 1, c2 #####
as on c1, but for:
@@ -127 +127 @@
+# 6. refuse volumes of another owner on /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6
@@ -130 +130 @@
+    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000aa38f241937cefd6
@@ -133,15 +133 @@
+# (6 steps)
##### stage 1, c3 #####
as on c1, but for:
@@ -127 +127 @@
+# 6. refuse volumes of another owner on /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7
@@ -130 +130 @@
+    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-360000000000000001abf735dabc7c8c7
@@ -133,15 +133 @@
+# (6 steps)
##### stage 1, c4 #####
as on c1, but for:
@@ -127 +127 @@
+# 6. refuse volumes of another owner on /dev/disk/by-id/scsi-3600000000000000006f49440db3708de
@@ -130 +130 @@
+    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-3600000000000000006f49440db3708de
@@ -133,15 +133 @@
+# (6 steps)
##### stage 1, c5 #####
as on c1, but for:
@@ -127 +127 @@
+# 6. refuse volumes of another owner on /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e
@@ -130 +130 @@
+    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000df1b9c8e9c4bc04e
@@ -133,15 +133 @@
+# (6 steps)
##### stage 1, c6 #####
as on c1, but for:
@@ -127 +127 @@
+# 6. refuse volumes of another owner on /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9
@@ -130 +130 @@
+    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/disk/by-id/scsi-36000000000000000c14ea31f3e63cae9
@@ -133,15 +133 @@
+# (6 steps)
##### stage 1, ps1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (sh/: no_file would_change)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (3)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic

# 3. refuse to remove storage that gfs-equallogic did not create
check_3() {
    set +e
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 ||
        would_change 'stop the iSCSI target' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/sysctl.d/60-seatrial-tgt.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/sysctl.d/60-seatrial-tgt.conf' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/tgt/seatrial-gfs-equallogic.targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/tgt/seatrial-gfs-equallogic.targets' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /usr/local/sbin/seatrial-targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/sbin/seatrial-targets' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /run/seatrial-targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-targets' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
    ) >/dev/null 2>&1 ||
        would_change 'remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    ! ip -o -4 address show to 10.10.200.1 | grep -q .
    ) >/dev/null 2>&1 ||
        would_change 'remove the group address 10.10.200.1/16' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    ! ls /dev/seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 ||
        would_change 'deactivate the volumes' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    [ ! -e /dev/md/gfs-equallogic ]
    ) >/dev/null 2>&1 ||
        would_change 'stop array gfs-equallogic' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    [ -z "$found" ]
}
apply_3() { refuse; }

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi
# (4 steps)
##### stage 1, ps2 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (sh/: no_file would_change)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (3)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic

# 3. refuse to remove storage that gfs-equallogic did not create
check_3() {
    set +e
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 ||
        would_change 'stop the iSCSI target' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/sysctl.d/60-seatrial-tgt.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/sysctl.d/60-seatrial-tgt.conf' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/tgt/seatrial-gfs-equallogic.targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/tgt/seatrial-gfs-equallogic.targets' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /usr/local/sbin/seatrial-targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/sbin/seatrial-targets' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /run/seatrial-targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-targets' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
    ) >/dev/null 2>&1 ||
        would_change 'remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    ! ls /dev/seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 ||
        would_change 'deactivate the volumes' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    [ ! -e /dev/md/gfs-equallogic ]
    ) >/dev/null 2>&1 ||
        would_change 'stop array gfs-equallogic' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    [ -z "$found" ]
}
apply_3() { refuse; }

# 4. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi
# (4 steps)
##### stage 1, ps3 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (sh/: no_file would_change)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (3)

# 2. refuse to remove storage that gfs-equallogic did not create
check_2() {
    set +e
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/mark ] || exit 0
    found=
    (
    ! systemctl -q is-active tgt && ! systemctl -q is-enabled tgt
    ) >/dev/null 2>&1 ||
        would_change 'stop the iSCSI target' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/sysctl.d/60-seatrial-tgt.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/sysctl.d/60-seatrial-tgt.conf' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/tgt/seatrial-gfs-equallogic.targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/tgt/seatrial-gfs-equallogic.targets' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /usr/local/sbin/seatrial-targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /usr/local/sbin/seatrial-targets' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /run/seatrial-targets
    ) >/dev/null 2>&1 ||
        would_change 'remove /run/seatrial-targets' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
    ) >/dev/null 2>&1 ||
        would_change 'remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    ! ls /dev/seatrial-group >/dev/null 2>&1
    ) >/dev/null 2>&1 ||
        would_change 'deactivate the volumes' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    [ ! -e /dev/md/gfs-equallogic ]
    ) >/dev/null 2>&1 ||
        would_change 'stop array gfs-equallogic' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    (
    no_file /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf
    ) >/dev/null 2>&1 ||
        would_change 'remove /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf' gfs-equallogic /var/lib/seatrial/made/gfs-equallogic/mark
    [ -z "$found" ]
}
apply_2() { refuse; }
# (2 steps)
##### stage 2, c[1-6],ps[1-3] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 2 of 12: remove boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# 1. (steps.sh) remove the boot-time settings of network and mounts (2)
# (1 steps)
##### stage 3, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 3 of 12: unmount on c1
# (the preamble)

# (sh/: no_file reread_unit)
# 1. unmount /mnt/gfs-equallogic
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && ! systemctl -q is-active seatrial-gfs2-gfs-equallogic.service &&
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts && [ ! -d /mnt/gfs-equallogic ]
}
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gfs-equallogic.service
    systemctl stop seatrial-gfs2-gfs-equallogic.service
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gfs-equallogic stop
    [ ! -d /mnt/gfs-equallogic ] || rmdir /mnt/gfs-equallogic
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
check_2() { no_file /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
    reread_unit seatrial-gfs2-gfs-equallogic.service
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gfs-equallogic
check_3() { no_file /usr/local/sbin/seatrial-gfs2-gfs-equallogic; }
apply_3() { rm -f /usr/local/sbin/seatrial-gfs2-gfs-equallogic; }

# 4. remove /run/seatrial-gfs-equallogic.readahead
check_4() { no_file /run/seatrial-gfs-equallogic.readahead; }
apply_4() { rm -f /run/seatrial-gfs-equallogic.readahead; }
# (4 steps)
##### stage 4, c2 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 4 of 12: unmount on c2
# (the preamble)

# (sh/: no_file reread_unit)
# 1. unmount /mnt/gfs-equallogic
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && ! systemctl -q is-active seatrial-gfs2-gfs-equallogic.service &&
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts && [ ! -d /mnt/gfs-equallogic ]
}
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gfs-equallogic.service
    systemctl stop seatrial-gfs2-gfs-equallogic.service
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gfs-equallogic stop
    [ ! -d /mnt/gfs-equallogic ] || rmdir /mnt/gfs-equallogic
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
check_2() { no_file /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
    reread_unit seatrial-gfs2-gfs-equallogic.service
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gfs-equallogic
check_3() { no_file /usr/local/sbin/seatrial-gfs2-gfs-equallogic; }
apply_3() { rm -f /usr/local/sbin/seatrial-gfs2-gfs-equallogic; }

# 4. remove /run/seatrial-gfs-equallogic.readahead
check_4() { no_file /run/seatrial-gfs-equallogic.readahead; }
apply_4() { rm -f /run/seatrial-gfs-equallogic.readahead; }
# (4 steps)
##### stage 5, c3 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 5 of 12: unmount on c3
# (the preamble)

# (sh/: no_file reread_unit)
# 1. unmount /mnt/gfs-equallogic
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && ! systemctl -q is-active seatrial-gfs2-gfs-equallogic.service &&
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts && [ ! -d /mnt/gfs-equallogic ]
}
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gfs-equallogic.service
    systemctl stop seatrial-gfs2-gfs-equallogic.service
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gfs-equallogic stop
    [ ! -d /mnt/gfs-equallogic ] || rmdir /mnt/gfs-equallogic
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
check_2() { no_file /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
    reread_unit seatrial-gfs2-gfs-equallogic.service
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gfs-equallogic
check_3() { no_file /usr/local/sbin/seatrial-gfs2-gfs-equallogic; }
apply_3() { rm -f /usr/local/sbin/seatrial-gfs2-gfs-equallogic; }

# 4. remove /run/seatrial-gfs-equallogic.readahead
check_4() { no_file /run/seatrial-gfs-equallogic.readahead; }
apply_4() { rm -f /run/seatrial-gfs-equallogic.readahead; }
# (4 steps)
##### stage 6, c4 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 6 of 12: unmount on c4
# (the preamble)

# (sh/: no_file reread_unit)
# 1. unmount /mnt/gfs-equallogic
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && ! systemctl -q is-active seatrial-gfs2-gfs-equallogic.service &&
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts && [ ! -d /mnt/gfs-equallogic ]
}
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gfs-equallogic.service
    systemctl stop seatrial-gfs2-gfs-equallogic.service
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gfs-equallogic stop
    [ ! -d /mnt/gfs-equallogic ] || rmdir /mnt/gfs-equallogic
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
check_2() { no_file /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
    reread_unit seatrial-gfs2-gfs-equallogic.service
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gfs-equallogic
check_3() { no_file /usr/local/sbin/seatrial-gfs2-gfs-equallogic; }
apply_3() { rm -f /usr/local/sbin/seatrial-gfs2-gfs-equallogic; }

# 4. remove /run/seatrial-gfs-equallogic.readahead
check_4() { no_file /run/seatrial-gfs-equallogic.readahead; }
apply_4() { rm -f /run/seatrial-gfs-equallogic.readahead; }
# (4 steps)
##### stage 7, c5 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 7 of 12: unmount on c5
# (the preamble)

# (sh/: no_file reread_unit)
# 1. unmount /mnt/gfs-equallogic
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && ! systemctl -q is-active seatrial-gfs2-gfs-equallogic.service &&
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts && [ ! -d /mnt/gfs-equallogic ]
}
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gfs-equallogic.service
    systemctl stop seatrial-gfs2-gfs-equallogic.service
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gfs-equallogic stop
    [ ! -d /mnt/gfs-equallogic ] || rmdir /mnt/gfs-equallogic
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
check_2() { no_file /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
    reread_unit seatrial-gfs2-gfs-equallogic.service
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gfs-equallogic
check_3() { no_file /usr/local/sbin/seatrial-gfs2-gfs-equallogic; }
apply_3() { rm -f /usr/local/sbin/seatrial-gfs2-gfs-equallogic; }

# 4. remove /run/seatrial-gfs-equallogic.readahead
check_4() { no_file /run/seatrial-gfs-equallogic.readahead; }
apply_4() { rm -f /run/seatrial-gfs-equallogic.readahead; }
# (4 steps)
##### stage 8, c6 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 8 of 12: unmount on c6
# (the preamble)

# (sh/: no_file reread_unit)
# 1. unmount /mnt/gfs-equallogic
check_1() {
    ! systemctl -q is-enabled seatrial-gfs2-gfs-equallogic.service && ! systemctl -q is-active seatrial-gfs2-gfs-equallogic.service &&
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts && [ ! -d /mnt/gfs-equallogic ]
}
apply_1() {
    systemctl -q --no-reload disable seatrial-gfs2-gfs-equallogic.service
    systemctl stop seatrial-gfs2-gfs-equallogic.service
    ! grep -q ' /mnt/gfs-equallogic ' /proc/mounts || /usr/local/sbin/seatrial-gfs2-gfs-equallogic stop
    [ ! -d /mnt/gfs-equallogic ] || rmdir /mnt/gfs-equallogic
}

# 2. remove /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
check_2() { no_file /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service; }
apply_2() {
    rm -f /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service
    reread_unit seatrial-gfs2-gfs-equallogic.service
}

# 3. remove /usr/local/sbin/seatrial-gfs2-gfs-equallogic
check_3() { no_file /usr/local/sbin/seatrial-gfs2-gfs-equallogic; }
apply_3() { rm -f /usr/local/sbin/seatrial-gfs2-gfs-equallogic; }

# 4. remove /run/seatrial-gfs-equallogic.readahead
check_4() { no_file /run/seatrial-gfs-equallogic.readahead; }
apply_4() { rm -f /run/seatrial-gfs-equallogic.readahead; }
# (4 steps)
##### stage 9, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 9 of 12: leave the cluster
# (the preamble)

# (sh/: no_file is_restored restore_file restore_line reread_unit)
# 1. (steps.sh) leave the cluster

# 2. (steps.sh) remove /etc/dlm/dlm.conf

# 3. (steps.sh) remove /etc/systemd/system/dlm.service.d/seatrial.conf

# 4. (steps.sh) remove /etc/dlm/seatrial-password-c1

# 5. (steps.sh) remove /etc/dlm/seatrial-password-c2

# 6. (steps.sh) remove /etc/dlm/seatrial-password-c3

# 7. (steps.sh) remove /etc/dlm/seatrial-password-c4

# 8. remove /etc/dlm/seatrial-password-c5
check_8() { no_file /etc/dlm/seatrial-password-c5; }
apply_8() { rm -f /etc/dlm/seatrial-password-c5; }

# 9. remove /etc/dlm/seatrial-password-c6
check_9() { no_file /etc/dlm/seatrial-password-c6; }
apply_9() { rm -f /etc/dlm/seatrial-password-c6; }

# 10. restore /etc/lvm/lvm.conf
check_10() { is_restored /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf; }
apply_10() {
    restore_file /etc/lvm/lvm.conf /var/lib/seatrial/made/gfs-equallogic/before/etc-lvm-lvm.conf use_lvmlockd
}

# 11. restore /etc/corosync/corosync.conf
check_11() { is_restored /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf; }
apply_11() {
    restore_file /etc/corosync/corosync.conf /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf
}

# 12. restore /etc/corosync/authkey
check_12() { is_restored /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey; }
apply_12() {
    restore_file /etc/corosync/authkey /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-authkey
}

# 13. remove /var/lib/seatrial/made/gfs-equallogic/corosync-key
check_13() { no_file /var/lib/seatrial/made/gfs-equallogic/corosync-key; }
apply_13() { rm -f /var/lib/seatrial/made/gfs-equallogic/corosync-key; }
# (13 steps)
##### stage 10, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 10 of 12: sessions
# (the preamble)

# (sh/: no_file is_restored restore_file restore_line)
# (iscsi_initiator.sh)
# 1. detach the local volume
check_1() { [ ! -e /var/lib/seatrial/gfs-equallogic/volumes ]; }
apply_1() { rm -r /var/lib/seatrial/gfs-equallogic/volumes; }

# 2. remove the iSCSI targets
check_2() { [ -z "$(iscsi_of iqn.2026-01.org.seatrial:gfs-equallogic)" ]; }
apply_2() { iscsi_forget iqn.2026-01.org.seatrial:gfs-equallogic; }

# 3. remove /etc/iscsi/seatrial-gfs-equallogic
check_3() { no_file /etc/iscsi/seatrial-gfs-equallogic; }
apply_3() { rm -f /etc/iscsi/seatrial-gfs-equallogic; }

# 4. (steps.sh) disable iSCSI logins at boot (2)

# 5. remove /etc/iscsi/ifaces/seatrial-gfs-equallogic
check_5() { no_file /etc/iscsi/ifaces/seatrial-gfs-equallogic; }
apply_5() { rm -f /etc/iscsi/ifaces/seatrial-gfs-equallogic; }

# 6. (steps.sh) remove /etc/modules-load.d/seatrial-storage.conf

# 7. restore /etc/iscsi/initiatorname.iscsi
check_7() {
    is_restored /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
}
apply_7() {
    restore_file /etc/iscsi/initiatorname.iscsi /var/lib/seatrial/made/gfs-equallogic/before/etc-iscsi-initiatorname.iscsi
}

# 8. remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
check_8() { no_file /var/lib/seatrial/made/gfs-equallogic/iscsi-chap; }
apply_8() { rm -f /var/lib/seatrial/made/gfs-equallogic/iscsi-chap; }
# (8 steps)
##### stage 11, ps1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 11 of 12: members
# (the preamble)

# (sh/: no_file reread_unit)
# 1. (steps.sh) stop the iSCSI target

# 2. (steps.sh) remove /etc/sysctl.d/60-seatrial-tgt.conf

# 3. remove /etc/tgt/seatrial-gfs-equallogic.targets
check_3() { no_file /etc/tgt/seatrial-gfs-equallogic.targets; }
apply_3() { rm -f /etc/tgt/seatrial-gfs-equallogic.targets; }

# 4. remove /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf
check_4() { no_file /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf; }
apply_4() {
    rm -f /etc/systemd/system/tgt.service.d/seatrial-gfs-equallogic.conf
    reread_unit tgt.service
}

# 5. (steps.sh) remove /usr/local/sbin/seatrial-targets

# 6. (steps.sh) remove /run/seatrial-targets

# 7. remove /var/lib/seatrial/made/gfs-equallogic/iscsi-chap
check_7() { no_file /var/lib/seatrial/made/gfs-equallogic/iscsi-chap; }
apply_7() { rm -f /var/lib/seatrial/made/gfs-equallogic/iscsi-chap; }

# 8. remove the group address 10.10.200.1/16
check_8() { ! ip -o -4 address show to 10.10.200.1 | grep -q .; }
apply_8() {
    link=$(ip -o -4 address show to 10.10.200.1)
    link=${link#*: }
    ip address del 10.10.200.1/16 dev "${link%%[ @]*}"
}

# 9. (steps.sh) deactivate the volumes

# 10. stop array gfs-equallogic
check_10() { [ ! -e /dev/md/gfs-equallogic ]; }
apply_10() {
    mdadm --stop /dev/md/gfs-equallogic
    udevadm settle --timeout=120
    rm -f /dev/md/gfs-equallogic
}

# 11. remove /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf
check_11() { no_file /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf; }
apply_11() { rm -f /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf; }
# (11 steps)
##### stage 11, ps[2-3] #####
as on ps1, but for:
@@ -30,7 +30 @@
+# 8. (steps.sh) deactivate the volumes
@@ -38,5 +32,3 @@
+# 9. stop array gfs-equallogic
+check_9() { [ ! -e /dev/md/gfs-equallogic ]; }
+apply_9() {
@@ -48,4 +40,4 @@
+# 10. remove /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf
+check_10() { no_file /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf; }
+apply_10() { rm -f /etc/mdadm/mdadm.conf.d/seatrial-gfs-equallogic.conf; }
+# (10 steps)
##### stage 12, c[1-6],ps[1-2] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 12 of 12: remove the mark
# (the preamble)

# (sh/: mtus_are_restored restore_mtus installed_packages)
# (backups.sh)
# 1. restore the MTU of links
check_1() { mtus_are_restored /var/lib/seatrial/made/gfs-equallogic/before; }
apply_1() { restore_mtus /var/lib/seatrial/made/gfs-equallogic/before; }

# 2. restore the state of units
check_2() { [ ! -e /var/lib/seatrial/made/gfs-equallogic/before/units ]; }
apply_2() {
    give_back_units /var/lib/seatrial/made/gfs-equallogic/before/units
    rm /var/lib/seatrial/made/gfs-equallogic/before/units
}

# 3. remove the mark of gfs-equallogic
check_3() { [ ! -e /var/lib/seatrial/made/gfs-equallogic/mark ]; }
apply_3() { rm /var/lib/seatrial/made/gfs-equallogic/mark; }
# (3 steps)
##### stage 12, ps3 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: take ps1 and ps2 out of service
# stage 12 of 12: remove the mark
# (the preamble)

# (sh/: mtus_are_restored restore_mtus)
# 1. restore the MTU of links
check_1() { mtus_are_restored /var/lib/seatrial/made/gfs-equallogic/before; }
apply_1() { restore_mtus /var/lib/seatrial/made/gfs-equallogic/before; }

# 2. remove the mark of gfs-equallogic
check_2() {
    [ ! -e /var/lib/seatrial/made/gfs-equallogic/mark ] && [ ! -e /var/lib/seatrial/made/gfs-equallogic/left ]
}
apply_2() {
    rm -f /var/lib/seatrial/made/gfs-equallogic/mark /var/lib/seatrial/made/gfs-equallogic/left
    rmdir /var/lib/seatrial/made/gfs-equallogic 2>/dev/null || true
}
# (2 steps)
