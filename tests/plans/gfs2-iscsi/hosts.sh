##### stage 1, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (3)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic

# 3. check that only root can read the secret: /etc/seatrial/bmc
check_3() {
    set +e
    secret_file gfs-equallogic /etc/seatrial/bmc
}
apply_3() { refuse; }

# 4. (steps.sh) refuse another cluster: gfs-equallogic

# 5. (steps.sh) refuse an occupied mount point: /mnt/gfs-equallogic
# (5 steps)
##### stage 1, ps[1-2] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (sh/: md_is)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (3)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:gfs-equallogic

# 3. (steps.sh) refuse another cluster (2)

# 4. refuse a disk that is used twice
check_4() {
    set +e
    look_twice /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
}
apply_4() { refuse; }

# 5. refuse disks that are in use: create array gfs-equallogic: RAID 10
check_5() {
    set +e
    (
    md_is gfs-equallogic 10 6 65536
    ) >/dev/null 2>&1 && is_deployed gfs-equallogic /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi && exit 0
    look_disks gfs-equallogic any:gfs-equallogic '' /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
}
apply_5() { refuse; }
# (5 steps)
##### stage 1, ps3 #####
as on c[1-6], but for:
@@ -9,13 +9,2 @@
+# 2. (steps.sh) refuse another cluster (2)
+# (2 steps)
##### stage 2, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 2 of 12: mark
# (the preamble)

# (sh/: installed_packages)
# (backups.sh)
# 1. (steps.sh) mark this node for gfs-equallogic

# 2. (steps.sh) store the state of open-iscsi, iscsid, corosync, dlm, lvmlockd
# (2 steps)
##### stage 2, ps[1-2] #####
as on c[1-6], but for:
@@ -10 +10 @@
+# 2. (steps.sh) store the state of tgt
##### stage 2, ps3 #####
as on c[1-6], but for:
@@ -6,2 +5,0 @@
@@ -9,3 +7 @@
+# (1 steps)
##### stage 3, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 3 of 12: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install corosync, dlm_controld, lvmlockd, mkfs.gfs2, iscsiadm, parted, fence_ipmilan
# (1 steps)
##### stage 4, ps1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 4 of 12: clocks
# (the preamble)

# (sh/: file_is write_file store_version have_commands install_packages install_disabled note_installed installed_packages keep_packages note_packages units_are reread_unit restart_if_active unit_runs start_unit)
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
# 1. install chrony, unless another time service runs
check_1() {
    clock_kept seatrial-gfs-equallogic-clock || {
    have_commands chronyd chronyc
    }
}
apply_1() {
    note_installed /var/lib/seatrial/made/gfs-equallogic/packages
    install_disabled chronyd 'chrony chronyd' chrony chrony
}

# 2. configure chrony, unless another time service runs
content_2() { cat <<'SEATRIAL'
makestep 0.1 3
rtcsync
cmdport 0
pidfile /run/seatrial-gfs-equallogic-clock.pid
bindcmdaddress /run/seatrial-gfs-equallogic-clock/chronyd.sock
local stratum 10
allow ps2-storage
allow ps3-storage
allow c1-storage
allow c2-storage
allow c3-storage
allow c4-storage
allow c5-storage
allow c6-storage
SEATRIAL
}
check_2() {
    clock_kept seatrial-gfs-equallogic-clock || {
    content | file_is /etc/seatrial/gfs-equallogic/chrony.conf
    }
}
apply_2() {
    content | write_file /etc/seatrial/gfs-equallogic/chrony.conf
    restart_if_active seatrial-gfs-equallogic-clock
}

# 3. write /etc/systemd/system/seatrial-gfs-equallogic-clock.service, unless another time service runs
content_3() { cat <<'SEATRIAL'
[Unit]
Description=one time on all nodes
After=network-online.target
[Service]
ExecStart=/usr/sbin/chronyd -n -u root -f /etc/seatrial/gfs-equallogic/chrony.conf
Restart=always
[Install]
WantedBy=multi-user.target
SEATRIAL
}
check_3() {
    clock_kept seatrial-gfs-equallogic-clock || {
    content | file_is /etc/systemd/system/seatrial-gfs-equallogic-clock.service
    }
}
apply_3() {
    content | write_file /etc/systemd/system/seatrial-gfs-equallogic-clock.service
    reread_unit seatrial-gfs-equallogic-clock.service
    restart_if_active seatrial-gfs-equallogic-clock
}

# 4. start chrony, unless another time service runs
#    why: no time service runs, and the nodes of a cluster need one time
check_4() {
    clock_kept seatrial-gfs-equallogic-clock || {
    unit_runs seatrial-gfs-equallogic-clock
    }
}
apply_4() { start_unit seatrial-gfs-equallogic-clock; }

# 5. wait until the clock is set, unless another time service runs
check_5() {
    clock_kept seatrial-gfs-equallogic-clock || {
    clock_set seatrial-gfs-equallogic-clock
    }
}
apply_5() {
    tries=0
    until clock_set seatrial-gfs-equallogic-clock; do again 60 'the clock is not set'; done
}
# (5 steps)
##### stage 4, c[1-6],ps[2-3] #####
as on ps1, but for:
@@ -43,9 +43 @@
+server ps1-storage iburst
##### stage 5, ps1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 5 of 12: members
# (the preamble)

# (sh/: md_is md_is_idle assemble_md settle_md file_is write_file store_version have_commands install_packages note_installed installed_packages keep_packages note_packages reread_unit)
# (volumes.sh)
# 1. assemble the existing array gfs-equallogic
check_1() { ! { md_is_idle gfs-equallogic /dev/sdb; }; }
apply_1() {
    assemble_md gfs-equallogic /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
    settle_md gfs-equallogic
}

# 2. create array gfs-equallogic: RAID 10
check_2() { md_is gfs-equallogic 10 6 65536; }
guard_2() {
    all_must_be_blank /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
    expect_volumes /var/lib/seatrial/made/gfs-equallogic/volumes /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
}
apply_2() {
    modprobe raid10 || true
    pids=
    mdadm --create /dev/md/gfs-equallogic --run --metadata=1.2 --homehost=any --name=gfs-equallogic --level=10 \
        --raid-devices=6 --spare-devices=2 --chunk=64 /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    settle_md gfs-equallogic
}

# 3. refuse volumes of another owner on /dev/sdb, /dev/sdc, /dev/sdd, /dev/sde, /dev/sdf, /dev/sdg, /dev/sdh, /dev/sdi
check_3() {
    set +e
    only_own_volumes /var/lib/seatrial/made/gfs-equallogic/volumes '' /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
}
apply_3() { refuse; }

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
##### stage 5, ps2 #####
as on ps1, but for:
@@ -49 +49 @@
+# 10. (steps.sh) configure 4 targets and the permitted initiators
##### stage 6, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 6 of 12: sessions
# (the preamble)

# (sh/: file_is write_file back_up_file store_version have_commands install_packages note_installed installed_packages keep_packages note_packages units_are)
# (iscsi_initiator.sh)
# 1. (steps.sh) install iscsiadm

# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi

# 3. (steps.sh) write /etc/modules-load.d/seatrial-storage.conf

# 4. bind iSCSI sessions to ens1f1
#    why: data must not use another network of the node, whatever its routes are
check_4() { grep -qx 'iface.net_ifacename = ens1f1' /etc/iscsi/ifaces/seatrial-gfs-equallogic; }
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
##### stage 6, c2 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (2)
@@ -27 +27 @@
+# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1 (2)
@@ -29 +29 @@
+# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot (2)
@@ -31 +31 @@
+# 9. (steps.sh) set the write cache mode of the disks to write back (2)
@@ -33 +33 @@
+# 10. (steps.sh) split the local volume into 5 parts (2)
@@ -35 +35 @@
+# 11. (steps.sh) link each part as the file of a task (2)
##### stage 6, c3 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (3)
@@ -27 +27 @@
+# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1 (3)
@@ -29 +29 @@
+# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot (3)
@@ -31 +31 @@
+# 9. (steps.sh) set the write cache mode of the disks to write back (3)
@@ -33 +33 @@
+# 10. (steps.sh) split the local volume into 5 parts (3)
@@ -35 +35 @@
+# 11. (steps.sh) link each part as the file of a task (3)
##### stage 6, c4 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (4)
@@ -27 +27 @@
+# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1 (4)
@@ -29 +29 @@
+# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot (4)
@@ -31 +31 @@
+# 9. (steps.sh) set the write cache mode of the disks to write back (4)
@@ -33 +33 @@
+# 10. (steps.sh) split the local volume into 5 parts (4)
@@ -35 +35 @@
+# 11. (steps.sh) link each part as the file of a task (4)
##### stage 6, c5 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (5)
@@ -27 +27 @@
+# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1 (5)
@@ -29 +29 @@
+# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot (5)
@@ -31 +31 @@
+# 9. (steps.sh) set the write cache mode of the disks to write back (5)
@@ -33 +33 @@
+# 10. (steps.sh) split the local volume into 5 parts (5)
@@ -35 +35 @@
+# 11. (steps.sh) link each part as the file of a task (5)
##### stage 6, c6 #####
as on c1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (6)
@@ -27 +27 @@
+# 7. (steps.sh) discover 3 iSCSI targets at 10.10.200.1 (6)
@@ -29 +29 @@
+# 8. (steps.sh) log in to 3 iSCSI sessions and enable them at boot (6)
@@ -31 +31 @@
+# 9. (steps.sh) set the write cache mode of the disks to write back (6)
@@ -33 +33 @@
+# 10. (steps.sh) split the local volume into 5 parts (6)
@@ -35 +35 @@
+# 11. (steps.sh) link each part as the file of a task (6)
##### stage 7, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 7 of 12: cluster
# (the preamble)

# (sh/: file_is write_file back_up_file store_version set_line reread_unit)
# 1. write /etc/dlm/seatrial-password-c1
content_1() { cat <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
check_1() { content | file_is /etc/dlm/seatrial-password-c1; }
apply_1() { content | write_file /etc/dlm/seatrial-password-c1 700; }

# 2. write /etc/dlm/seatrial-password-c2
content_2() { cat <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
check_2() { content | file_is /etc/dlm/seatrial-password-c2; }
apply_2() { content | write_file /etc/dlm/seatrial-password-c2 700; }

# 3. write /etc/dlm/seatrial-password-c3
content_3() { cat <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
check_3() { content | file_is /etc/dlm/seatrial-password-c3; }
apply_3() { content | write_file /etc/dlm/seatrial-password-c3 700; }

# 4. write /etc/dlm/seatrial-password-c4
content_4() { cat <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
check_4() { content | file_is /etc/dlm/seatrial-password-c4; }
apply_4() { content | write_file /etc/dlm/seatrial-password-c4 700; }

# 5. write /etc/dlm/seatrial-password-c5
content_5() { cat <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
check_5() { content | file_is /etc/dlm/seatrial-password-c5; }
apply_5() { content | write_file /etc/dlm/seatrial-password-c5 700; }

# 6. write /etc/dlm/seatrial-password-c6
content_6() { cat <<'SEATRIAL'
#!/bin/sh
exec cat /etc/seatrial/bmc
SEATRIAL
}
check_6() { content | file_is /etc/dlm/seatrial-password-c6; }
apply_6() { content | write_file /etc/dlm/seatrial-password-c6 700; }

# 7. configure the fencing of each node
#    why: a lost node may still write: its locks stay held, and other nodes wait, until its power is known to be off
content_7() { cat <<'SEATRIAL'
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
check_7() { content | file_is /etc/dlm/dlm.conf; }
apply_7() {
    content | write_file /etc/dlm/dlm.conf 600
    ! systemctl -q is-active dlm || dlm_tool reload_config
}

# 8. (steps.sh) start the lock manager after quorum

# 9. (steps.sh) enable lvmlockd in LVM

# 10. (steps.sh) store the corosync key, readable by root only

# 11. (steps.sh) enable encryption of corosync

# 12. configure the members and links of corosync
content_12() { cat <<'SEATRIAL'
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
check_12() { content | file_is /etc/corosync/corosync.conf; }
apply_12() {
    back_up_file /etc/corosync/corosync.conf /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf
    content | write_file /etc/corosync/corosync.conf '' /var/lib/seatrial/made/gfs-equallogic/before/etc-corosync-corosync.conf
    if systemctl -q is-active corosync; then
        if dlm_tool ls 2>/dev/null | grep -q '^name'; then corosync-cfgtool -R
        else for daemon in lvmlockd dlm corosync; do systemctl stop $daemon; done; fi
    fi
}
# (12 steps)
##### stage 8, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 8 of 12: fencing
# (the preamble)

# 1. test 6 management controllers
#    why: without this a broken controller shows only when it blocks all nodes
check_1() { grep -qx 5b48d7bb3741e0ed /run/seatrial-gfs-equallogic.fencing; }
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
##### stage 9, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 9 of 12: locks
# (the preamble)

# (sh/: units_are)
# 1. (steps.sh) join the cluster and enable it at boot

# 2. (steps.sh) wait for all members

# 3. (steps.sh) start the lock manager
# (3 steps)
##### stage 10, c1 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 10 of 12: file system
# (the preamble)

# 1. (steps.sh) create a GPT label and one partition on the volume of ps1

# 2. (steps.sh) create a GPT label and one partition on the volume of ps2

# 3. (steps.sh) create GFS2 with 8 journals, striped over 2 members
# (3 steps)
##### stage 11, c[1-6] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 11 of 12: mount
# (the preamble)

# (sh/: file_is write_file store_version reread_unit)
# 1. (steps.sh) wait for the partitions

# 2. (steps.sh) install the unit that mounts the file system

# 3. (steps.sh) write /etc/systemd/system/seatrial-gfs2-gfs-equallogic.service

# 4. (steps.sh) mount the file system at /mnt/gfs-equallogic and enable it at boot

# 5. (steps.sh) restore the read-ahead of the volume
# (5 steps)
##### stage 12, c[1-6],ps3 #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 12 of 12: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# 1. (steps.sh) remove the boot-time settings of network and mounts (2)
# (1 steps)
##### stage 12, ps[1-2] #####
#!/bin/sh
# Seatrial plan gfs-equallogic: GFS2 on 2 iSCSI array members, shared by 6 nodes
# stage 12 of 12: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# (volumes.sh)
# 1. store the UUIDs of created volumes
check_1() {
    volumes_are_noted /var/lib/seatrial/made/gfs-equallogic/volumes /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
}
apply_1() {
    note_volumes /var/lib/seatrial/made/gfs-equallogic/volumes /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi
}

# 2. (steps.sh) remove the boot-time settings of network and mounts (2)
# (2 steps)
