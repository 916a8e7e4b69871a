##### stage 1, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (6)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha-xl

# 3. (steps.sh) refuse other multipath devices: nss-ha-xl

# 4. (steps.sh) refuse other NFS exports: /srv/nss-ha-xl

# 5. (steps.sh) refuse another cluster: nss-ha-xl
# (5 steps)
##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (6)

# 2. (steps.sh) refuse an occupied mount point: /mnt/nss-ha-xl/data-v3

# 3. (steps.sh) refuse an occupied mount point: /mnt/nss-ha-xl/data-v4.2

# 4. (steps.sh) refuse an occupied mount point: /mnt/nss-ha-xl/scratch-v3

# 5. (steps.sh) refuse an occupied mount point: /mnt/nss-ha-xl/scratch-v4.2

# 6. (steps.sh) refuse another cluster (5)
# (6 steps)
##### stage 1, array #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (sh/: md_is)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (6)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha-xl

# 3. (steps.sh) refuse another cluster (5)

# 4. (steps.sh) refuse a disk that is used twice (5)

# 5. refuse disks that are in use: create array nss-ha-xl: RAID 6
check_5() {
    set +e
    (
    md_is nss-ha-xl 6 12 65536
    ) >/dev/null 2>&1 && is_deployed nss-ha-xl /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm && exit 0
    look_disks nss-ha-xl any:nss-ha-xl '' /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
}
apply_5() { refuse; }
# (5 steps)
##### stage 2, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 2 of 11: mark
# (the preamble)

# (sh/: installed_packages)
# (backups.sh)
# 1. (steps.sh) mark this node for nss-ha-xl

# 2. (steps.sh) store the state of open-iscsi, iscsid, multipathd, nfs-server, proc-fs-nfsd.mount, corosync, pacemaker (2)
# (2 steps)
##### stage 2, c[1-4] #####
as on srv[1-2], but for:
@@ -6,2 +5,0 @@
@@ -9,3 +7 @@
+# (1 steps)
##### stage 2, array #####
as on srv[1-2], but for:
@@ -10 +10 @@
+# 2. (steps.sh) store the state of tgt (3)
##### stage 3, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 3 of 11: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install corosync, crm_mon, pacemakerd, vgchange, mkfs.xfs, exportfs, fence_ipmilan, flock (2)
# (1 steps)
##### stage 3, c[1-4] #####
as on srv[1-2], but for:
@@ -7 +7 @@
+# 1. (steps.sh) install mount.nfs (3)
##### stage 4, array #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 4 of 11: array
# (the preamble)

# (sh/: md_is md_is_idle assemble_md settle_md file_is write_file store_version have_commands install_packages note_installed installed_packages keep_packages note_packages reread_unit)
# (volumes.sh)
# 1. assemble the existing array nss-ha-xl
check_1() { ! { md_is_idle nss-ha-xl /dev/ubdb; }; }
apply_1() {
    assemble_md nss-ha-xl /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
    settle_md nss-ha-xl
}

# 2. create array nss-ha-xl: RAID 6
#    why: the new devices hold zeros, so parity is consistent without an initial resync
check_2() { md_is nss-ha-xl 6 12 65536; }
guard_2() {
    all_must_be_blank /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
    expect_volumes /var/lib/seatrial/made/nss-ha-xl/volumes /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm
}
apply_2() {
    modprobe raid456 || true
    pids=
    mdadm --create /dev/md/nss-ha-xl --run --metadata=1.2 --homehost=any --name=nss-ha-xl --level=6 \
        --raid-devices=12 --chunk=64 --assume-clean /dev/ubdb /dev/ubdc /dev/ubdd /dev/ubde /dev/ubdf /dev/ubdg /dev/ubdh /dev/ubdi /dev/ubdj /dev/ubdk /dev/ubdl /dev/ubdm & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    settle_md nss-ha-xl
}

# 3. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi, /dev/ubdj, /dev/ubdk, /dev/ubdl, /dev/ubdm (2)

# 4. enable the assembly of the array at boot
content_4() { cat <<'SEATRIAL'
ARRAY /dev/md/nss-ha-xl metadata=1.2 name=any:nss-ha-xl
SYSFS name=/dev/md/nss-ha-xl sync_speed_min=952 sync_speed_max=952
SEATRIAL
}
check_4() { content | file_is /etc/mdadm/mdadm.conf.d/seatrial-nss-ha-xl.conf; }
apply_4() { content | write_file /etc/mdadm/mdadm.conf.d/seatrial-nss-ha-xl.conf; }

# 5. set the rebuild rate of nss-ha-xl to 952 KiB/s per disk
#    why: md uses seemingly idle disks, and a disk with queued requests seems idle: clients would wait for the rebuild
check_5() {
    set_=$(readlink -f /dev/md/nss-ha-xl); set_=/sys/block/${set_##*/}/md/sync_speed_
    [ -e "${set_}max" ] && read -r speed _ <"${set_}min" && [ "$speed" = 952 ] && read -r speed _ <"${set_}max" && [ "$speed" = 952 ]
}
apply_5() {
    set_=$(readlink -f /dev/md/nss-ha-xl); set_=/sys/block/${set_##*/}/md/sync_speed_
    echo 952 >"${set_}max"
    echo 952 >"${set_}min"
}

# 6. install tgtd, mdadm, vgcreate
check_6() { have_commands tgtd mdadm vgcreate; }
apply_6() {
    note_installed /var/lib/seatrial/made/nss-ha-xl/packages
    install_packages 'lvm2 mdadm tgt' 'lvm2 mdadm tgt'
}

# 7. split /dev/md/nss-ha-xl into 2 volumes
check_7() {
    vgs --noheadings -o tags seatrial-array 2>/dev/null | grep -q seatrial-made && [ "$(readlink -f /dev/md/nss-ha-xl)" = "$(readlink -f $(pvs --noheadings -o pv_name -S vg_name=seatrial-array))" ]
}
apply_7() {
    must_be_blank /dev/md/nss-ha-xl
    vgcreate -q -y seatrial-array /dev/md/nss-ha-xl
    lvcreate -q -y -W n -n data -l 50%FREE seatrial-array
    lvcreate -q -y -W n -n scratch -l 100%FREE seatrial-array
    vgchange -q --addtag seatrial-made seatrial-array
}

# 8. (steps.sh) set the socket buffers of the iSCSI target

# 9. (steps.sh) store the iSCSI secret, readable by root only (3)

# 10. (steps.sh) install the script that configures the targets

# 11. configure 1 target and the permitted initiators
content_11() { cat <<'SEATRIAL'
account nss-ha-xl /var/lib/seatrial/made/nss-ha-xl/iscsi-chap
target 1 iqn.2026-01.org.seatrial:nss-ha-xl
lun 1 1 /dev/seatrial-array/data 9236bc5e89bfa100 ARRAY
lun 1 2 /dev/seatrial-array/scratch ff405b822bbafede ARRAY
asks 1 nss-ha-xl
initiator 1 iqn.2026-01.org.seatrial:nss-ha-xl.srv1
initiator 1 iqn.2026-01.org.seatrial:nss-ha-xl.srv2
portal array-storage-a 3260
portal array-storage-b 3260
SEATRIAL
}
check_11() { content | file_is /etc/tgt/seatrial-nss-ha-xl.targets; }
apply_11() { content | write_file /etc/tgt/seatrial-nss-ha-xl.targets; }

# 12. start the iSCSI target after the array at boot
#    why: a target that starts before its array offers nothing; a login cut off by an incomplete target may never be recovered by iscsid (open-iscsi, issue 387)
content_12() { cat <<'SEATRIAL'
[Unit]
Wants=dev-seatrial\x2darray-data.device dev-seatrial\x2darray-scratch.device
After=dev-seatrial\x2darray-data.device dev-seatrial\x2darray-scratch.device
[Service]
ExecStart=
ExecStart=/usr/sbin/tgtd -f --iscsi portal=127.0.0.1:3260
ExecStartPost=/usr/local/sbin/seatrial-targets /etc/tgt/seatrial-nss-ha-xl.targets start
TimeoutStartSec=180
SEATRIAL
}
check_12() { content | file_is /etc/systemd/system/tgt.service.d/seatrial-nss-ha-xl.conf; }
apply_12() {
    content | write_file /etc/systemd/system/tgt.service.d/seatrial-nss-ha-xl.conf
    reread_unit tgt.service
    ! systemctl -q is-active tgt || [ -n "$(tgtadm --lld iscsi --mode target --op show)" ] || systemctl stop tgt
}

# 13. (steps.sh) start the iSCSI target (3)
# (13 steps)
##### stage 5, srv1 #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 5 of 11: storage paths
# (the preamble)

# (sh/: file_is write_file back_up_file store_version have_commands install_packages note_installed installed_packages keep_packages note_packages units_are reread_unit restart_if_active unit_runs start_unit)
# (iscsi_initiator.sh)
# 1. (steps.sh) install iscsiadm, multipath (2)

# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (9)

# 3. (steps.sh) write /etc/modules-load.d/seatrial-storage.conf (2)

# 4. (steps.sh) configure multipath for the LUNs

# 5. (steps.sh) store the iSCSI secret, readable by root only (3)

# 6. (steps.sh) configure iSCSI sessions and their account (3)

# 7. (steps.sh) discover 1 iSCSI target at array-storage-a array-storage-b (2)

# 8. (steps.sh) log in to 2 iSCSI sessions and enable them at boot (2)

# 9. (steps.sh) install the monitor for stuck iSCSI sessions (2)

# 10. (steps.sh) write /etc/systemd/system/seatrial-stuck-sessions.service

# 11. (steps.sh) start the monitor for stuck iSCSI sessions
# (11 steps)
##### stage 5, srv2 #####
as on srv1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (10)
##### stage 6, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 6 of 11: servers
# (the preamble)

# (sh/: file_is write_file back_up_file store_version set_line units_are reread_unit restart_if_active unit_runs start_unit)
# 1. (steps.sh) set the LVM system ID to the server name (2)

# 2. (steps.sh) add the LUNs to LVM's device list (2)

# 3. (steps.sh) add the host name nss-ha-xl-data for 10.10.200.1

# 4. (steps.sh) add the host name nss-ha-xl-scratch for 10.10.200.2

# 5. (steps.sh) set 10 s of NFSv4 lease and grace period, and fixed ports (2)

# 6. (steps.sh) set 10 s of grace period for the NFSv3 lock manager

# 7. (steps.sh) disable NFS delegations (3)

# 8. (steps.sh) disable the NFS service outside the cluster

# 9. (steps.sh) load nfsd at boot

# 10. (steps.sh) install the lightweight resource agent

# 11. (steps.sh) create the directory /srv/nss-ha-xl/data

# 12. (steps.sh) create the directory /srv/nss-ha-xl/scratch

# 13. (steps.sh) install the self-fencing watchdog (3)

# 14. (steps.sh) write /etc/systemd/system/seatrial-self-fencing.service

# 15. (steps.sh) start the self-fencing watchdog with a limit of 60 s

# 16. (steps.sh) store the corosync key, readable by root only (3)

# 17. (steps.sh) enable encryption of corosync (3)

# 18. (steps.sh) configure the members and links of corosync (3)
# (18 steps)
##### stage 7, srv1 #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 7 of 11: volumes
# (the preamble)

# 1. (steps.sh) create the volume group st-data and an XFS file system on /dev/mapper/nss-ha-xl-data

# 2. (steps.sh) create the volume group st-scratch and an XFS file system on /dev/mapper/nss-ha-xl-scratch
# (2 steps)
##### stage 8, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 8 of 11: members
# (the preamble)

# (sh/: units_are)
# 1. (steps.sh) install the initial cluster configuration

# 2. (steps.sh) join the cluster and enable it at boot (2)

# 3. (steps.sh) wait for all members (2)
# (3 steps)
##### stage 9, srv1 #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 9 of 11: services
# (the preamble)

# 1. (steps.sh) configure services and fence devices

# 2. (steps.sh) start data, scratch
# (2 steps)
##### stage 10, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 10 of 11: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all)
# 1. (steps.sh) enable the mount of /mnt/nss-ha-xl/data-v3 at boot

# 2. (steps.sh) enable the mount of /mnt/nss-ha-xl/data-v4.2 at boot

# 3. (steps.sh) enable the mount of /mnt/nss-ha-xl/scratch-v3 at boot

# 4. (steps.sh) enable the mount of /mnt/nss-ha-xl/scratch-v4.2 at boot

# 5. (steps.sh) mount 10.10.200.1:/srv/nss-ha-xl/data/export at /mnt/nss-ha-xl/data-v3 with vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5

# 6. (steps.sh) mount 10.10.200.1:/srv/nss-ha-xl/data/export at /mnt/nss-ha-xl/data-v4.2 with vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5

# 7. (steps.sh) mount 10.10.200.2:/srv/nss-ha-xl/scratch/export at /mnt/nss-ha-xl/scratch-v3 with vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5

# 8. (steps.sh) mount 10.10.200.2:/srv/nss-ha-xl/scratch/export at /mnt/nss-ha-xl/scratch-v4.2 with vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5
# (8 steps)
##### stage 11, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 11 of 11: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-nss-ha-xl-network

# 2. (steps.sh) write /etc/systemd/system/seatrial-nss-ha-xl-network.service

# 3. (steps.sh) install the boot-time settings of network (5)

# 4. (steps.sh) remove the boot-time settings of mounts (5)
# (4 steps)
##### stage 11, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 11 of 11: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# 1. (steps.sh) remove the boot-time settings of network and mounts (5)
# (1 steps)
##### stage 11, array #####
#!/bin/sh
# Seatrial plan nss-ha-xl: highly available NFS on srv1 and srv2 for 4 clients
# stage 11 of 11: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# (volumes.sh)
# 1. (steps.sh) store the UUIDs of created volumes (5)

# 2. (steps.sh) remove the boot-time settings of network and mounts (5)
# (2 steps)
