##### stage 1, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (3)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic

# 3. check that only root can read the secret: /etc/seatrial/bmc
check_3() {
    set +e
    secret_file gfs-equallogic /etc/seatrial/bmc
}
guard_3() { :; }
apply_3() {
    set +e
    secret_file gfs-equallogic /etc/seatrial/bmc
    exit 1
}

# 4. (steps.sh) refuse another cluster: gfs-equallogic

# 5. (steps.sh) refuse an occupied mount point: /mnt/gfs-equallogic
# (5 steps)
##### stage 1, ps[1-2] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (3)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic

# 3. (steps.sh) refuse another cluster (2)

# 4. refuse a disk that is used twice
check_4() {
    set +e
    look_twice /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
}
guard_4() { :; }
apply_4() {
    set +e
    look_twice /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
    exit 1
}

# 5. refuse disks that are in use: create array gfs-equallogic: RAID 10
check_5() {
    set +e
    (
    [ -b /dev/md/gfs-equallogic ] && set_=$(readlink -f /dev/md/gfs-equallogic) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid10 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 6 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
    ) >/dev/null 2>&1 && is_deployed gfs-equallogic /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi && exit 0
    look_disks gfs-equallogic any:gfs-equallogic '' /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
}
guard_5() { :; }
apply_5() {
    set +e
    (
    [ -b /dev/md/gfs-equallogic ] && set_=$(readlink -f /dev/md/gfs-equallogic) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid10 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 6 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
    ) >/dev/null 2>&1 && is_deployed gfs-equallogic /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi && exit 0
    look_disks gfs-equallogic any:gfs-equallogic '' /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
    exit 1
}
# (5 steps)
##### stage 1, ps3 #####
as on c[1-6], but for:
@@ -9,18 +9,2 @@
+# 2. (steps.sh) refuse another cluster (2)
+# (2 steps)
##### stage 2, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 2 of 11: mark
# (the preamble)

# (backups.sh)
# 1. (steps.sh) mark this node for gfs-equallogic

# 2. (steps.sh) store the state of open-iscsi, iscsid, corosync, dlm, lvmlockd
# (2 steps)
##### stage 2, ps[1-2] #####
as on c[1-6], but for:
@@ -9 +9 @@
+# 2. (steps.sh) store the state of tgt
##### stage 2, ps3 #####
as on c[1-6], but for:
@@ -6 +5,0 @@
@@ -8,3 +7 @@
+# (1 steps)
##### stage 3, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 3 of 11: packages
# (the preamble)

# (backups.sh)
# 1. (steps.sh) install corosync, dlm_controld, lvmlockd, mkfs.gfs2, iscsiadm, parted, fence_ipmilan
# (1 steps)
##### stage 4, ps1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 4 of 11: members
# (the preamble)

# (volumes.sh)
# (backups.sh)
# 1. assemble the existing array gfs-equallogic
check_1() {
    ! { { [ ! -b /dev/md/gfs-equallogic ] && mdadm --examine --export /dev/sdb 2>/dev/null | grep -q '^MD_NAME=any:gfs-equallogic$'; }; }
}
guard_1() { :; }
apply_1() {
    [ -b /dev/md/gfs-equallogic ] || mdadm --assemble /dev/md/gfs-equallogic /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/gfs-equallogic
}

# 2. create array gfs-equallogic: RAID 10
check_2() {
    [ -b /dev/md/gfs-equallogic ] && set_=$(readlink -f /dev/md/gfs-equallogic) && set_=/sys/block/${set_##*/}/md &&
        read -r level <$set_/level && [ "$level" = raid10 ] &&
        read -r disks <$set_/raid_disks && [ "$disks" = 6 ] &&
        read -r chunk <$set_/chunk_size && [ "$chunk" = 65536 ]
}
guard_2() { all_must_be_blank /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi; }
apply_2() {
    expect_volumes /var/lib/seatrial/made/gfs-equallogic/volumes /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
    modprobe raid10 || true
    pids=
    mdadm --create /dev/md/gfs-equallogic --run --metadata=1.2 --homehost=any --name=gfs-equallogic --level=10 \
        --raid-devices=6 --spare-devices=2 --chunk=64 /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    udevadm settle --timeout=120 --exit-if-exists=/dev/md/gfs-equallogic
}

# 3. refuse volumes of another owner on /dev/sdb, /dev/sdc, /dev/sdd, /dev/sde, /dev/sdf, /dev/sdg, /dev/sdh, /dev/sdi
check_3() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
}
guard_3() { :; }
apply_3() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
    exit 1
}

# 4. (steps.sh) enable the assembly of the array at boot

# 5. (steps.sh) install tgtd, mdadm, vgcreate

# 6. (steps.sh) split /dev/md/gfs-equallogic into 4 volumes

# 7. (steps.sh) set the socket buffers of the iSCSI target

# 8. (steps.sh) store the iSCSI secret, readable by root only

# 9. (steps.sh) install the script that configures the targets

# 10. (steps.sh) configure 8 targets and the permitted initiators

# 11. (steps.sh) start the iSCSI target after the array at boot

# 12. (steps.sh) start the iSCSI target
# (12 steps)
##### stage 4, ps2 #####
as on ps1, but for:
@@ -60 +60 @@
+# 10. (steps.sh) configure 4 targets and the permitted initiators
##### stage 5, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 5 of 11: sessions
# (the preamble)

# (backups.sh)
# (iscsi_initiator.sh)
# 1. (steps.sh) install iscsiadm

# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi

# 3. (steps.sh) write /etc/modules-load.d/seatrial-storage.conf

# 4. bind iSCSI sessions to ens1f1
#    why: data must not use another network of the node, whatever its routes are
check_4() {
    grep -qx 'iface.net_ifacename = ens1f1' /etc/iscsi/ifaces/seatrial-gfs-equallogic
}
guard_4() { :; }
apply_4() {
    systemctl start iscsid
    iscsiadm -m iface -I seatrial-gfs-equallogic -o new
    iscsiadm -m iface -I seatrial-gfs-equallogic -o update -n iface.net_ifacename -v ens1f1
}

# 5. (steps.sh) store the iSCSI secret, readable by root only

# 6. (steps.sh) configure iSCSI sessions and their account

# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1

# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot

# 9. (steps.sh) set the write cache mode of the disks to write back

# 10. (steps.sh) split the local volume into 5 parts

# 11. (steps.sh) link each part as the file of a task
# (11 steps)
##### stage 5, c2 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (2)
@@ -30 +30 @@
+# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1 (2)
@@ -32 +32 @@
+# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot (2)
@@ -34 +34 @@
+# 9. (steps.sh) set the write cache mode of the disks to write back (2)
@@ -36 +36 @@
+# 10. (steps.sh) split the local volume into 5 parts (2)
@@ -38 +38 @@
+# 11. (steps.sh) link each part as the file of a task (2)
##### stage 5, c3 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (3)
@@ -30 +30 @@
+# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1 (3)
@@ -32 +32 @@
+# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot (3)
@@ -34 +34 @@
+# 9. (steps.sh) set the write cache mode of the disks to write back (3)
@@ -36 +36 @@
+# 10. (steps.sh) split the local volume into 5 parts (3)
@@ -38 +38 @@
+# 11. (steps.sh) link each part as the file of a task (3)
##### stage 5, c4 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (4)
@@ -30 +30 @@
+# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1 (4)
@@ -32 +32 @@
+# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot (4)
@@ -34 +34 @@
+# 9. (steps.sh) set the write cache mode of the disks to write back (4)
@@ -36 +36 @@
+# 10. (steps.sh) split the local volume into 5 parts (4)
@@ -38 +38 @@
+# 11. (steps.sh) link each part as the file of a task (4)
##### stage 5, c5 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (5)
@@ -30 +30 @@
+# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1 (5)
@@ -32 +32 @@
+# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot (5)
@@ -34 +34 @@
+# 9. (steps.sh) set the write cache mode of the disks to write back (5)
@@ -36 +36 @@
+# 10. (steps.sh) split the local volume into 5 parts (5)
@@ -38 +38 @@
+# 11. (steps.sh) link each part as the file of a task (5)
##### stage 5, c6 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (6)
@@ -30 +30 @@
+# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1 (6)
@@ -32 +32 @@
+# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot (6)
@@ -34 +34 @@
+# 9. (steps.sh) set the write cache mode of the disks to write back (6)
@@ -36 +36 @@
+# 10. (steps.sh) split the local volume into 5 parts (6)
@@ -38 +38 @@
+# 11. (steps.sh) link each part as the file of a task (6)
##### stage 6, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 6 of 11: cluster
# (the preamble)

# 1. write /etc/dlm/seatrial-password-c1
check_1() {
    cmp -s /etc/dlm/seatrial-password-c1 - <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
guard_1() { :; }
apply_1() {
    mkdir -p /etc/dlm
    (umask 077; cat >/etc/dlm/seatrial-password-c1.new) <<'SEATRIAL' || { rm -f /etc/dlm/seatrial-password-c1.new; exit 1; }
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
    chmod 700 /etc/dlm/seatrial-password-c1.new
    mv /etc/dlm/seatrial-password-c1.new /etc/dlm/seatrial-password-c1
}

# 2. write /etc/dlm/seatrial-password-c2
check_2() {
    cmp -s /etc/dlm/seatrial-password-c2 - <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
guard_2() { :; }
apply_2() {
    mkdir -p /etc/dlm
    (umask 077; cat >/etc/dlm/seatrial-password-c2.new) <<'SEATRIAL' || { rm -f /etc/dlm/seatrial-password-c2.new; exit 1; }
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
    chmod 700 /etc/dlm/seatrial-password-c2.new
    mv /etc/dlm/seatrial-password-c2.new /etc/dlm/seatrial-password-c2
}

# 3. write /etc/dlm/seatrial-password-c3
check_3() {
    cmp -s /etc/dlm/seatrial-password-c3 - <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
guard_3() { :; }
apply_3() {
    mkdir -p /etc/dlm
    (umask 077; cat >/etc/dlm/seatrial-password-c3.new) <<'SEATRIAL' || { rm -f /etc/dlm/seatrial-password-c3.new; exit 1; }
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
    chmod 700 /etc/dlm/seatrial-password-c3.new
    mv /etc/dlm/seatrial-password-c3.new /etc/dlm/seatrial-password-c3
}

# 4. write /etc/dlm/seatrial-password-c4
check_4() {
    cmp -s /etc/dlm/seatrial-password-c4 - <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
guard_4() { :; }
apply_4() {
    mkdir -p /etc/dlm
    (umask 077; cat >/etc/dlm/seatrial-password-c4.new) <<'SEATRIAL' || { rm -f /etc/dlm/seatrial-password-c4.new; exit 1; }
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
    chmod 700 /etc/dlm/seatrial-password-c4.new
    mv /etc/dlm/seatrial-password-c4.new /etc/dlm/seatrial-password-c4
}

# 5. write /etc/dlm/seatrial-password-c5
check_5() {
    cmp -s /etc/dlm/seatrial-password-c5 - <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
guard_5() { :; }
apply_5() {
    mkdir -p /etc/dlm
    (umask 077; cat >/etc/dlm/seatrial-password-c5.new) <<'SEATRIAL' || { rm -f /etc/dlm/seatrial-password-c5.new; exit 1; }
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
    chmod 700 /etc/dlm/seatrial-password-c5.new
    mv /etc/dlm/seatrial-password-c5.new /etc/dlm/seatrial-password-c5
}

# 6. write /etc/dlm/seatrial-password-c6
check_6() {
    cmp -s /etc/dlm/seatrial-password-c6 - <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
guard_6() { :; }
apply_6() {
    mkdir -p /etc/dlm
    (umask 077; cat >/etc/dlm/seatrial-password-c6.new) <<'SEATRIAL' || { rm -f /etc/dlm/seatrial-password-c6.new; exit 1; }
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
    chmod 700 /etc/dlm/seatrial-password-c6.new
    mv /etc/dlm/seatrial-password-c6.new /etc/dlm/seatrial-password-c6
}

# 7. configure the fencing of each node
#    why: a lost node may still write: its locks stay held, and other nodes wait, until its power is known to be off
check_7() {
    cmp -s /etc/dlm/dlm.conf - <<'SEATRIAL'
enable_fencing=1
enable_concurrent_fencing=1
repeat_failed_fencing=1

device fence-c1 fence_ipmilan ip=c1-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c1 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c1 node=1

device fence-c2 fence_ipmilan ip=c2-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c2 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c2 node=2

device fence-c3 fence_ipmilan ip=c3-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c3 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c3 node=3

device fence-c4 fence_ipmilan ip=c4-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c4 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c4 node=4

device fence-c5 fence_ipmilan ip=c5-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c5 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c5 node=5

device fence-c6 fence_ipmilan ip=c6-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c6 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c6 node=6
SEATRIAL
}
guard_7() { :; }
apply_7() {
    mkdir -p /etc/dlm
    (umask 077; cat >/etc/dlm/dlm.conf.new) <<'SEATRIAL' || { rm -f /etc/dlm/dlm.conf.new; exit 1; }
enable_fencing=1
enable_concurrent_fencing=1
repeat_failed_fencing=1

device fence-c1 fence_ipmilan ip=c1-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c1 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c1 node=1

device fence-c2 fence_ipmilan ip=c2-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c2 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c2 node=2

device fence-c3 fence_ipmilan ip=c3-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c3 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c3 node=3

device fence-c4 fence_ipmilan ip=c4-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c4 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c4 node=4

device fence-c5 fence_ipmilan ip=c5-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c5 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c5 node=5

device fence-c6 fence_ipmilan ip=c6-bmc.example username=fence password_script=/etc/dlm/seatrial-password-c6 lanplus=1 privlvl=administrator method=onoff power_wait=0 power_timeout=15 login_timeout=5
connect fence-c6 node=6
SEATRIAL
    chmod 600 /etc/dlm/dlm.conf.new
    mv /etc/dlm/dlm.conf.new /etc/dlm/dlm.conf
    ! systemctl -q is-active dlm || dlm_tool reload_config
}

# 8. (steps.sh) start the lock manager after quorum

# 9. (steps.sh) enable lvmlockd in LVM

# 10. (steps.sh) store the corosync key, readable by root only

# 11. (steps.sh) enable encryption of corosync

# 12. configure the members and links of corosync
check_12() {
    cmp -s /etc/corosync/corosync.conf - <<'SEATRIAL'
totem {
    version: 2
    cluster_name: gfs-equallogic
    transport: knet
    crypto_cipher: aes256
    crypto_hash: sha256
    token: 3000
    token_coefficient: 0
    interface {
        linknumber: 0
        knet_ping_interval: 500
        knet_ping_timeout: 1500
    }
}
quorum {
    provider: corosync_votequorum
    wait_for_all: 0
}
nodelist {
    node {
        name: c1
        nodeid: 1
        ring0_addr: c1
    }
    node {
        name: c2
        nodeid: 2
        ring0_addr: c2
    }
    node {
        name: c3
        nodeid: 3
        ring0_addr: c3
    }
    node {
        name: c4
        nodeid: 4
        ring0_addr: c4
    }
    node {
        name: c5
        nodeid: 5
        ring0_addr: c5
    }
    node {
        name: c6
        nodeid: 6
        ring0_addr: c6
    }
}
logging {
    to_syslog: yes
    to_stderr: no
    to_logfile: no
    timestamp: hires
}
SEATRIAL
}
guard_12() { :; }
apply_12() {
    [ -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf ] || [ -e /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.absent ] || (
        umask 077
        mkdir -p /var/lib/seatrial/made/gfs-equallogic/before
        [ -s /etc/corosync/corosync.conf ] || exec touch /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.absent
        cp -p /etc/corosync/corosync.conf /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.new && mv /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.new /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf ||
            { rm -f /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.new; exit 1; }
    )
    mkdir -p /etc/corosync
    cat >/etc/corosync/corosync.conf.new <<'SEATRIAL' || { rm -f /etc/corosync/corosync.conf.new; exit 1; }
totem {
    version: 2
    cluster_name: gfs-equallogic
    transport: knet
    crypto_cipher: aes256
    crypto_hash: sha256
    token: 3000
    token_coefficient: 0
    interface {
        linknumber: 0
        knet_ping_interval: 500
        knet_ping_timeout: 1500
    }
}
quorum {
    provider: corosync_votequorum
    wait_for_all: 0
}
nodelist {
    node {
        name: c1
        nodeid: 1
        ring0_addr: c1
    }
    node {
        name: c2
        nodeid: 2
        ring0_addr: c2
    }
    node {
        name: c3
        nodeid: 3
        ring0_addr: c3
    }
    node {
        name: c4
        nodeid: 4
        ring0_addr: c4
    }
    node {
        name: c5
        nodeid: 5
        ring0_addr: c5
    }
    node {
        name: c6
        nodeid: 6
        ring0_addr: c6
    }
}
logging {
    to_syslog: yes
    to_stderr: no
    to_logfile: no
    timestamp: hires
}
SEATRIAL
    (umask 077 && cp /etc/corosync/corosync.conf.new /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.ours.new && mv /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.ours.new /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.ours ||
        { rm -f /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf.ours.new; exit 1; })
    mv /etc/corosync/corosync.conf.new /etc/corosync/corosync.conf
    if systemctl -q is-active corosync; then
        if dlm_tool ls 2>/dev/null | grep -q '^name'; then corosync-cfgtool -R
        else for daemon in lvmlockd dlm corosync; do systemctl stop $daemon; done; fi
    fi
}
# (12 steps)
##### stage 7, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 7 of 11: fencing
# (the preamble)

# 1. test 6 management controllers
#    why: without this a broken controller shows only when it blocks all nodes
check_1() {
    grep -qx 5b48d7bb3741e0ed /run/seatrial-gfs-equallogic.fencing
}
guard_1() { :; }
apply_1() {
    asked=
    said=$(mktemp -d)
    trap 'rm -rf $said' EXIT
    fence_ipmilan >$said/c1 2>&1 <<'SEATRIAL' & asked="$asked c1:$!"
action=status
ip=c1-bmc.example
username=fence
password_script=/etc/dlm/seatrial-password-c1
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c2 2>&1 <<'SEATRIAL' & asked="$asked c2:$!"
action=status
ip=c2-bmc.example
username=fence
password_script=/etc/dlm/seatrial-password-c2
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c3 2>&1 <<'SEATRIAL' & asked="$asked c3:$!"
action=status
ip=c3-bmc.example
username=fence
password_script=/etc/dlm/seatrial-password-c3
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c4 2>&1 <<'SEATRIAL' & asked="$asked c4:$!"
action=status
ip=c4-bmc.example
username=fence
password_script=/etc/dlm/seatrial-password-c4
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c5 2>&1 <<'SEATRIAL' & asked="$asked c5:$!"
action=status
ip=c5-bmc.example
username=fence
password_script=/etc/dlm/seatrial-password-c5
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    fence_ipmilan >$said/c6 2>&1 <<'SEATRIAL' & asked="$asked c6:$!"
action=status
ip=c6-bmc.example
username=fence
password_script=/etc/dlm/seatrial-password-c6
lanplus=1
privlvl=administrator
method=onoff
power_wait=0
power_timeout=15
login_timeout=5
SEATRIAL
    bad=0
    for one in $asked; do
        wait "${one#*:}" && continue
        bad=1
        echo "the controller of ${one%%:*} does not answer:"
        cat "$said/${one%%:*}"
    done
    [ "$bad" = 0 ]
    echo 5b48d7bb3741e0ed >/run/seatrial-gfs-equallogic.fencing
}
# (1 steps)
##### stage 8, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 8 of 11: locks
# (the preamble)

# 1. (steps.sh) join the cluster and enable it at boot

# 2. (steps.sh) wait for all members

# 3. (steps.sh) start the lock manager
# (3 steps)
##### stage 9, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 9 of 11: file system
# (the preamble)

# 1. (steps.sh) create a GPT label and one partition on the volume of ps1

# 2. (steps.sh) create a GPT label and one partition on the volume of ps2

# 3. (steps.sh) create GFS2 with 8 journals, striped over 2 members
# (3 steps)
##### stage 10, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 10 of 11: mount
# (the preamble)

# 1. (steps.sh) wait for the partitions

# 2. (steps.sh) install the unit that mounts the file system

# 3. (steps.sh) write /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service

# 4. (steps.sh) mount the file system at /mnt/gfs-equallogic and enable it at boot

# 5. (steps.sh) restore the read-ahead of the volume
# (5 steps)
##### stage 11, c[1-6],ps3 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 11 of 11: store volume UUIDs; install boot-time settings
# (the preamble)

# 1. (steps.sh) remove the boot-time settings of network and mounts (2)
# (1 steps)
##### stage 11, ps[1-2] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 11 of 11: store volume UUIDs; install boot-time settings
# (the preamble)

# (volumes.sh)
# 1. store the UUIDs of created volumes
check_1() {
    volumes_are_noted /var/lib/seatrial/made/gfs-equallogic/volumes /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
}
guard_1() { :; }
apply_1() {
    note_volumes /var/lib/seatrial/made/gfs-equallogic/volumes /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
}

# 2. (steps.sh) remove the boot-time settings of network and mounts (2)
# (2 steps)
