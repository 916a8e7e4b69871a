##### stage 1, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (5)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha

# 3. (steps.sh) refuse other multipath devices: nss-ha

# 4. (steps.sh) refuse other NFS exports: /srv/nss-ha

# 5. (steps.sh) refuse another cluster: nss-ha

# 6. check that only root can read the secret: /etc/seatrial/bmc
check_6() {
    set +e
    secret_file nss-ha /etc/seatrial/bmc
}
apply_6() { refuse; }

# 7. check that only root can read the secret: /etc/seatrial/pdu
check_7() {
    set +e
    secret_file nss-ha /etc/seatrial/pdu
}
apply_7() { refuse; }
# (7 steps)
##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (5)

# 2. (steps.sh) refuse an occupied mount point: /mnt/nss-ha/data-v3

# 3. (steps.sh) refuse an occupied mount point: /mnt/nss-ha/data-v4.2

# 4. (steps.sh) refuse another cluster (4)
# (4 steps)
##### stage 1, array #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 1 of 12: preflight check (read-only)
# (the preamble)

# (sh/: md_is)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (5)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha

# 3. (steps.sh) refuse another cluster (4)

# 4. refuse a disk that is used twice
check_4() {
    set +e
    look_twice /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi /dev/sdj /dev/sdk /dev/sdl /dev/sdm
}
apply_4() { refuse; }

# 5. refuse disks that are in use: create array nss-ha: RAID 6
check_5() {
    set +e
    (
    md_is nss-ha 6 12 65536
    ) >/dev/null 2>&1 && is_deployed nss-ha /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi /dev/sdj /dev/sdk /dev/sdl /dev/sdm && exit 0
    look_disks nss-ha any:nss-ha '' /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi /dev/sdj /dev/sdk /dev/sdl /dev/sdm
}
apply_5() { refuse; }
# (5 steps)
##### stage 2, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 2 of 12: mark
# (the preamble)

# (sh/: installed_packages)
# (backups.sh)
# 1. (steps.sh) mark this node for nss-ha

# 2. (steps.sh) store the state of open-iscsi, iscsid, multipathd, nfs-server, proc-fs-nfsd.mount, corosync, pacemaker
# (2 steps)
##### stage 2, c[1-4] #####
as on srv[1-2], but for:
@@ -6,2 +5,0 @@
@@ -9,3 +7 @@
+# (1 steps)
##### stage 2, array #####
as on srv[1-2], but for:
@@ -10 +10 @@
+# 2. (steps.sh) store the state of tgt (2)
##### stage 3, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 3 of 12: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install corosync, crm_mon, pacemakerd, vgchange, mkfs.xfs, exportfs, fence_ipmilan, flock
# (1 steps)
##### stage 3, c[1-4] #####
as on srv[1-2], but for:
@@ -7 +7 @@
+# 1. (steps.sh) install mount.nfs (2)
##### stage 4, srv1 #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
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
    clock_kept seatrial-nss-ha-clock || {
    have_commands chronyd chronyc
    }
}
apply_1() {
    note_installed /var/lib/seatrial/made/nss-ha/packages
    install_disabled chronyd 'chrony chronyd' chrony chrony
}

# 2. configure chrony, unless another time service runs
content_2() { cat <<'SEATRIAL'
makestep 0.1 3
rtcsync
cmdport 0
pidfile /run/seatrial-nss-ha-clock.pid
bindcmdaddress /run/seatrial-nss-ha-clock/chronyd.sock
local stratum 10
allow srv2
allow array-a
allow c1
allow c2
allow c3
allow c4
SEATRIAL
}
check_2() {
    clock_kept seatrial-nss-ha-clock || {
    content | file_is /etc/seatrial/nss-ha/chrony.conf
    }
}
apply_2() {
    content | write_file /etc/seatrial/nss-ha/chrony.conf
    restart_if_active seatrial-nss-ha-clock
}

# 3. write /etc/systemd/system/seatrial-nss-ha-clock.service, unless another time service runs
content_3() { cat <<'SEATRIAL'
[Unit]
Description=one time on all nodes
After=network-online.target
[Service]
ExecStart=/usr/sbin/chronyd -n -u root -f /etc/seatrial/nss-ha/chrony.conf
Restart=always
[Install]
WantedBy=multi-user.target
SEATRIAL
}
check_3() {
    clock_kept seatrial-nss-ha-clock || {
    content | file_is /etc/systemd/system/seatrial-nss-ha-clock.service
    }
}
apply_3() {
    content | write_file /etc/systemd/system/seatrial-nss-ha-clock.service
    reread_unit seatrial-nss-ha-clock.service
    restart_if_active seatrial-nss-ha-clock
}

# 4. start chrony, unless another time service runs
#    why: no time service runs, and the nodes of a cluster need one time
check_4() {
    clock_kept seatrial-nss-ha-clock || {
    unit_runs seatrial-nss-ha-clock
    }
}
apply_4() { start_unit seatrial-nss-ha-clock; }

# 5. wait until the clock is set, unless another time service runs
check_5() {
    clock_kept seatrial-nss-ha-clock || {
    clock_set seatrial-nss-ha-clock
    }
}
apply_5() {
    tries=0
    until clock_set seatrial-nss-ha-clock; do again 60 'the clock is not set'; done
}
# (5 steps)
##### stage 4, c[1-4],srv2 #####
as on srv1, but for:
@@ -43,7 +43 @@
+server srv1 iburst
##### stage 4, array #####
as on srv1, but for:
@@ -43,7 +43 @@
+server srv1-a iburst
##### stage 5, array #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 5 of 12: array
# (the preamble)

# (sh/: md_is md_is_idle assemble_md settle_md file_is write_file store_version have_commands install_packages note_installed installed_packages keep_packages note_packages reread_unit)
# (volumes.sh)
# 1. assemble the existing array nss-ha
check_1() { ! { md_is_idle nss-ha /dev/sdb; }; }
apply_1() {
    assemble_md nss-ha /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi /dev/sdj /dev/sdk /dev/sdl /dev/sdm
    settle_md nss-ha
}

# 2. create array nss-ha: RAID 6
check_2() { md_is nss-ha 6 12 65536; }
guard_2() {
    all_must_be_blank /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi /dev/sdj /dev/sdk /dev/sdl /dev/sdm
    expect_volumes /var/lib/seatrial/made/nss-ha/volumes /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi /dev/sdj /dev/sdk /dev/sdl /dev/sdm
}
apply_2() {
    modprobe raid456 || true
    pids=
    mdadm --create /dev/md/nss-ha --run --metadata=1.2 --homehost=any --name=nss-ha --level=6 \
        --raid-devices=12 --chunk=64 /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi /dev/sdj /dev/sdk /dev/sdl /dev/sdm & pids="$pids $!"
    for pid in $pids; do wait $pid; done
    settle_md nss-ha
}

# 3. refuse volumes of another owner on /dev/sdb, /dev/sdc, /dev/sdd, /dev/sde, /dev/sdf, /dev/sdg, /dev/sdh, /dev/sdi, /dev/sdj, /dev/sdk, /dev/sdl, /dev/sdm
check_3() {
    set +e
    only_own_volumes /var/lib/seatrial/made/nss-ha/volumes '' /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi /dev/sdj /dev/sdk /dev/sdl /dev/sdm
}
apply_3() { refuse; }

# 4. enable the assembly of the array at boot
content_4() { cat <<'SEATRIAL'
ARRAY /dev/md/nss-ha metadata=1.2 name=any:nss-ha
SYSFS name=/dev/md/nss-ha sync_speed_min=38086 sync_speed_max=38086
SEATRIAL
}
check_4() { content | file_is /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf; }
apply_4() { content | write_file /etc/mdadm/mdadm.conf.d/seatrial-nss-ha.conf; }

# 5. set the rebuild rate of nss-ha to 38086 KiB/s per disk
#    why: md uses seemingly idle disks, and a disk with queued requests seems idle: clients would wait for the rebuild
check_5() {
    set_=$(readlink -f /dev/md/nss-ha); set_=/sys/block/${set_##*/}/md/sync_speed_
    [ -e "${set_}max" ] && read -r speed _ <"${set_}min" && [ "$speed" = 38086 ] && read -r speed _ <"${set_}max" && [ "$speed" = 38086 ]
}
apply_5() {
    set_=$(readlink -f /dev/md/nss-ha); set_=/sys/block/${set_##*/}/md/sync_speed_
    echo 38086 >"${set_}max"
    echo 38086 >"${set_}min"
}

# 6. (steps.sh) install tgtd, mdadm

# 7. (steps.sh) set the socket buffers of the iSCSI target

# 8. (steps.sh) store the iSCSI secret, readable by root only (2)

# 9. (steps.sh) install the script that configures the targets

# 10. configure 1 target and the permitted initiators
content_10() { cat <<'SEATRIAL'
account nss-ha /var/lib/seatrial/made/nss-ha/iscsi-chap
target 1 iqn.2026-01.org.seatrial:nss-ha
lun 1 1 /dev/md/nss-ha b71beb55410ab018 ARRAY
asks 1 nss-ha
initiator 1 iqn.2026-01.org.seatrial:nss-ha.srv1
initiator 1 iqn.2026-01.org.seatrial:nss-ha.srv2
portal array-a 3260
portal array-b 3260
SEATRIAL
}
check_10() { content | file_is /etc/tgt/seatrial-nss-ha.targets; }
apply_10() { content | write_file /etc/tgt/seatrial-nss-ha.targets; }

# 11. (steps.sh) start the iSCSI target after the array at boot (2)

# 12. (steps.sh) start the iSCSI target (2)
# (12 steps)
##### stage 6, srv1 #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 6 of 12: storage paths
# (the preamble)

# (sh/: file_is write_file back_up_file store_version have_commands install_packages note_installed installed_packages keep_packages note_packages units_are reread_unit restart_if_active unit_runs start_unit)
# (iscsi_initiator.sh)
# 1. (steps.sh) install iscsiadm, multipath

# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (7)

# 3. (steps.sh) write /etc/modules-load.d/seatrial-storage.conf (2)

# 4. configure multipath for the LUNs
#    why: without a path commands wait: with an error, the NFS server would pass it to programs before the cluster could fence the server
content_4() { cat <<'SEATRIAL'
# seatrial
defaults {
    user_friendly_names yes
    find_multipaths no
    polling_interval 1
    max_polling_interval 2
    path_grouping_policy multibus
    path_selector "round-robin 0"
    path_checker tur
    checker_timeout 5
    no_path_retry queue
    fast_io_fail_tmo 5
    dev_loss_tmo 600
}
blacklist {
    wwid ".*"
}
blacklist_exceptions {
    wwid "36000000000000000b71beb55410ab018"
}
multipaths {
    multipath {
        wwid 36000000000000000b71beb55410ab018
        alias nss-ha-data
    }
}
SEATRIAL
}
check_4() { content | file_is /etc/multipath.conf; }
apply_4() {
    back_up_file /etc/multipath.conf /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf
    content | write_file /etc/multipath.conf '' /var/lib/seatrial/made/nss-ha/before/etc-multipath.conf
    ! systemctl -q is-active multipathd || multipathd reconfigure
}

# 5. (steps.sh) store the iSCSI secret, readable by root only (2)

# 6. configure iSCSI sessions and their account
content_6() { cat <<'SEATRIAL'
node.startup = automatic
node.session.auth.authmethod = CHAP
node.session.auth.username = nss-ha
node.session.auth.password = @generated:iscsi-chap@
node.session.timeo.replacement_timeout = 5
node.conn[0].timeo.noop_out_interval = 5
node.conn[0].timeo.noop_out_timeout = 5
node.session.initial_login_retry_max = 4
SEATRIAL
}
check_6() { content | file_is /etc/iscsi/seatrial-nss-ha; }
apply_6() { content | write_file /etc/iscsi/seatrial-nss-ha 600; }

# 7. discover 1 iSCSI target at array-a array-b
check_7() { iscsi_known /etc/iscsi/seatrial-nss-ha 2 iqn.2026-01.org.seatrial:nss-ha; }
apply_7() {
    systemctl start iscsid
    for target in iqn.2026-01.org.seatrial:nss-ha; do
        rm -rf /etc/iscsi/nodes/$target /var/lib/iscsi/nodes/$target
        for portal in array-a array-b; do iscsiadm -m node -T $target -p $portal:3260 -o new; done
    done
    iscsi_set /etc/iscsi/seatrial-nss-ha iqn.2026-01.org.seatrial:nss-ha
}

# 8. (steps.sh) log in to 2 iSCSI sessions and enable them at boot

# 9. (steps.sh) install the monitor for stuck iSCSI sessions

# 10. (steps.sh) write /etc/systemd/system/seatrial-stuck-sessions.service

# 11. (steps.sh) start the monitor for stuck iSCSI sessions
# (11 steps)
##### stage 6, srv2 #####
as on srv1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (8)
##### stage 7, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 7 of 12: servers
# (the preamble)

# (sh/: file_is write_file back_up_file store_version set_line units_are reread_unit restart_if_active unit_runs start_unit)
# (pacemaker_secrets.sh)
# 1. (steps.sh) set the LVM system ID to the server name

# 2. (steps.sh) add the LUNs to LVM's device list

# 3. (steps.sh) add the host name nss-ha-data for 10.10.200.1

# 4. set 20 s of NFSv4 lease and grace period, and fixed ports
#    why: after a takeover, clients may reclaim their locks for one grace period, and no new lock is granted. The cluster notifies NFSv3 clients, from the service's address. A notification by statd would have the server's own address, which they do not know
content_4() { cat <<'SEATRIAL'
[nfsd]
threads=16
lease-time=20
grace-time=20
vers3=y
vers4=y
[mountd]
port=20048
[statd]
no-notify=y
port=4001
[lockd]
port=4002
udp-port=4002
SEATRIAL
}
check_4() { content | file_is /etc/nfs.conf.d/seatrial-nss-ha.conf; }
apply_4() { content | write_file /etc/nfs.conf.d/seatrial-nss-ha.conf; }

# 5. set 20 s of grace period for the NFSv3 lock manager
#    why: its default of 50 s would also delay NFSv4's locks, as both must end
content_5() { cat <<'SEATRIAL'
options lockd nlm_grace_period=20 nlm_tcpport=4002 nlm_udpport=4002
SEATRIAL
}
check_5() { content | file_is /etc/modprobe.d/seatrial-lockd.conf; }
apply_5() {
    content | write_file /etc/modprobe.d/seatrial-lockd.conf
    modprobe lockd
    echo 20 >/proc/sys/fs/nfs/nlm_grace_period
}

# 6. (steps.sh) disable NFS delegations (2)

# 7. (steps.sh) disable the NFS service outside the cluster

# 8. (steps.sh) load nfsd at boot

# 9. (steps.sh) stop the NFSv4 client tracker with the server

# 10. (steps.sh) leave NFSv3 restart notifications to the cluster

# 11. (steps.sh) create the directory /srv/nss-ha/data

# 12. (steps.sh) install the self-fencing watchdog

# 13. (steps.sh) write /etc/systemd/system/seatrial-self-fencing.service

# 14. (steps.sh) start the self-fencing watchdog with a limit of 300 s

# 15. (steps.sh) store the corosync key, readable by root only (2)

# 16. (steps.sh) enable encryption of corosync (2)

# 17. configure the members and links of corosync
content_17() { cat <<'SEATRIAL'
totem {
    version: 2
    cluster_name: nss-ha
    transport: knet
    crypto_cipher: aes256
    crypto_hash: sha256
    token: 3000
    interface {
        linknumber: 0
        knet_ping_interval: 500
        knet_ping_timeout: 1500
    }
}
quorum {
    provider: corosync_votequorum
    two_node: 1
    wait_for_all: 1
}
nodelist {
    node {
        name: srv1
        nodeid: 1
        ring0_addr: srv1-hb
    }
    node {
        name: srv2
        nodeid: 2
        ring0_addr: srv2-hb
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
check_17() { content | file_is /etc/corosync/corosync.conf; }
apply_17() {
    back_up_file /etc/corosync/corosync.conf /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf
    content | write_file /etc/corosync/corosync.conf '' /var/lib/seatrial/made/nss-ha/before/etc-corosync-corosync.conf
    if systemctl -q is-active corosync; then
        if crm_mon --one-shot --inactive 2>/dev/null | grep -q '(ocf:\|(stonith:'; then
            corosync-cfgtool -R
        else
            systemctl stop pacemaker corosync
            rm -f /var/lib/pacemaker/cib/cib*
        fi
    fi
}

# 18. check the controller password in /etc/seatrial/bmc
check_18() { [ -s /etc/seatrial/bmc ]; }
apply_18() {
    echo '/etc/seatrial/bmc is missing or empty'
    exit 1
}

# 19. set the SNMP community of pdu-a in pacemaker from /etc/seatrial/pdu
check_19() {
    secret_is_set /etc/seatrial/pdu /var/lib/pacemaker/lrm/secrets/fence-pdu-a/community
}
apply_19() {
    lay_secret /etc/seatrial/pdu /var/lib/pacemaker/lrm/secrets/fence-pdu-a/community
    mv /var/lib/pacemaker/lrm/secrets/fence-pdu-a/community.new /var/lib/pacemaker/lrm/secrets/fence-pdu-a/community
}

# 20. set the SNMP community of pdu-b in pacemaker from /etc/seatrial/pdu
check_20() {
    secret_is_set /etc/seatrial/pdu /var/lib/pacemaker/lrm/secrets/fence-pdu-b/community
}
apply_20() {
    lay_secret /etc/seatrial/pdu /var/lib/pacemaker/lrm/secrets/fence-pdu-b/community
    mv /var/lib/pacemaker/lrm/secrets/fence-pdu-b/community.new /var/lib/pacemaker/lrm/secrets/fence-pdu-b/community
}
# (20 steps)
##### stage 8, srv1 #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 8 of 12: volumes
# (the preamble)

# 1. (steps.sh) create the volume group st-data and an XFS file system on /dev/mapper/nss-ha-data
# (1 steps)
##### stage 9, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 9 of 12: members
# (the preamble)

# (sh/: units_are)
# 1. install the initial cluster configuration
check_1() { [ -e /var/lib/pacemaker/cib/cib.xml ] || systemctl -q is-active pacemaker; }
apply_1() {
    umask 027
    cat >/var/lib/pacemaker/cib/cib.xml.new <<'SEATRIAL'
<cib crm_feature_set="3.0.14" validate-with="pacemaker-3.0" admin_epoch="0" epoch="1" num_updates="0">
<configuration>
  <crm_config>
    <cluster_property_set id="cib-bootstrap-options">
      <nvpair id="cib-bootstrap-options-stonith-enabled" name="stonith-enabled" value="true"/>
      <nvpair id="cib-bootstrap-options-no-quorum-policy" name="no-quorum-policy" value="stop"/>
      <nvpair id="cib-bootstrap-options-stonith-action" name="stonith-action" value="reboot"/>
      <nvpair id="cib-bootstrap-options-stonith-timeout" name="stonith-timeout" value="60s"/>
      <nvpair id="cib-bootstrap-options-cluster-recheck-interval" name="cluster-recheck-interval" value="60s"/>
      <nvpair id="cib-bootstrap-options-dc-deadtime" name="dc-deadtime" value="5s"/>
      <nvpair id="cib-bootstrap-options-load-threshold" name="load-threshold" value="1000%"/>
      <nvpair id="cib-bootstrap-options-priority-fencing-delay" name="priority-fencing-delay" value="2s"/>
      <nvpair id="cib-bootstrap-options-seatrial-plan" name="seatrial-plan" value="d3282cf28774bf8b"/>
      <nvpair id="cib-bootstrap-options-seatrial-resources" name="seatrial-resources" value="fence-srv1 fence-pdu-a fence-pdu-b fence-srv2 public-link data-volume data-filesystem data-server data-export data-address data-notify"/>
    </cluster_property_set>
  </crm_config>
  <nodes>
    <node id="1" uname="srv1"/>
    <node id="2" uname="srv2"/>
  </nodes>
  <resources>
    <primitive id="fence-srv1" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv1-parameters">
        <nvpair id="fence-srv1-parameters-ip" name="ip" value="srv1-bmc.example"/>
        <nvpair id="fence-srv1-parameters-username" name="username" value="fence"/>
        <nvpair id="fence-srv1-parameters-password_script" name="password_script" value="cat /etc/seatrial/bmc"/>
        <nvpair id="fence-srv1-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv1-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv1-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv1-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1"/>
        <nvpair id="fence-srv1-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv1-parameters-disable_timeout" name="disable_timeout" value="false"/>
        <nvpair id="fence-srv1-parameters-power_timeout" name="power_timeout" value="10"/>
        <nvpair id="fence-srv1-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv1-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="30s"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="30s"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-srv1-meta">
        <nvpair id="fence-srv1-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-srv1-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-srv1-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-srv1-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-pdu-a" class="stonith" type="fence_apc_snmp">
      <instance_attributes id="fence-pdu-a-parameters">
        <nvpair id="fence-pdu-a-parameters-ip" name="ip" value="pdu-a.example"/>
        <nvpair id="fence-pdu-a-parameters-community" name="community" value="lrm://"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-a-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-pdu-a-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="30s"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="30s"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-pdu-a-meta">
        <nvpair id="fence-pdu-a-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-pdu-a-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-pdu-a-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-pdu-a-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-pdu-b" class="stonith" type="fence_apc_snmp">
      <instance_attributes id="fence-pdu-b-parameters">
        <nvpair id="fence-pdu-b-parameters-ip" name="ip" value="pdu-b.example"/>
        <nvpair id="fence-pdu-b-parameters-community" name="community" value="lrm://"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-b-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-pdu-b-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="30s"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="30s"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-pdu-b-meta">
        <nvpair id="fence-pdu-b-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-pdu-b-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-pdu-b-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-pdu-b-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-srv2" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv2-parameters">
        <nvpair id="fence-srv2-parameters-ip" name="ip" value="srv2-bmc.example"/>
        <nvpair id="fence-srv2-parameters-username" name="username" value="fence"/>
        <nvpair id="fence-srv2-parameters-password_script" name="password_script" value="cat /etc/seatrial/bmc"/>
        <nvpair id="fence-srv2-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv2-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv2-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv2-parameters-pcmk_host_list" name="pcmk_host_list" value="srv2"/>
        <nvpair id="fence-srv2-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv2-parameters-disable_timeout" name="disable_timeout" value="false"/>
        <nvpair id="fence-srv2-parameters-power_timeout" name="power_timeout" value="10"/>
        <nvpair id="fence-srv2-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv2-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="30s"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="30s"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-srv2-meta">
        <nvpair id="fence-srv2-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-srv2-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-srv2-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-srv2-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <clone id="public-link-clone">
      <primitive id="public-link" class="ocf" type="ping" provider="pacemaker">
        <instance_attributes id="public-link-parameters">
          <nvpair id="public-link-parameters-host_list" name="host_list" value="c1 c2"/>
          <nvpair id="public-link-parameters-multiplier" name="multiplier" value="100"/>
          <nvpair id="public-link-parameters-attempts" name="attempts" value="2"/>
          <nvpair id="public-link-parameters-timeout" name="timeout" value="1"/>
          <nvpair id="public-link-parameters-dampen" name="dampen" value="2s"/>
          <nvpair id="public-link-parameters-name" name="name" value="public-link"/>
        </instance_attributes>
        <operations>
          <op id="public-link-start-0" name="start" interval="0s" timeout="60s"/>
          <op id="public-link-stop-0" name="stop" interval="0s" timeout="20s"/>
          <op id="public-link-monitor-10" name="monitor" interval="10s" timeout="60s"/>
        </operations>
      </primitive>
    </clone>
    <group id="data">
      <primitive id="data-volume" class="ocf" type="LVM-activate" provider="heartbeat">
        <instance_attributes id="data-volume-parameters">
          <nvpair id="data-volume-parameters-vgname" name="vgname" value="st-data"/>
          <nvpair id="data-volume-parameters-vg_access_mode" name="vg_access_mode" value="system_id"/>
        </instance_attributes>
        <operations>
          <op id="data-volume-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-volume-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-volume-monitor-10" name="monitor" interval="10s" timeout="60s"/>
        </operations>
      </primitive>
      <primitive id="data-filesystem" class="ocf" type="Filesystem" provider="heartbeat">
        <instance_attributes id="data-filesystem-parameters">
          <nvpair id="data-filesystem-parameters-device" name="device" value="/dev/st-data/data"/>
          <nvpair id="data-filesystem-parameters-directory" name="directory" value="/srv/nss-ha/data"/>
          <nvpair id="data-filesystem-parameters-fstype" name="fstype" value="xfs"/>
          <nvpair id="data-filesystem-parameters-options" name="options" value="noatime"/>
        </instance_attributes>
        <operations>
          <op id="data-filesystem-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-filesystem-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-filesystem-monitor-10" name="monitor" interval="10s" timeout="60s"/>
          <op id="data-filesystem-monitor-11" name="monitor" interval="11s" timeout="40s" on-fail="fence">
          <instance_attributes id="data-filesystem-monitor-11-depth">
            <nvpair id="data-filesystem-monitor-11-depth-OCF_CHECK_LEVEL" name="OCF_CHECK_LEVEL" value="10"/>
          </instance_attributes>
          </op>
        </operations>
      </primitive>
      <primitive id="data-server" class="ocf" type="nfsserver" provider="heartbeat">
        <instance_attributes id="data-server-parameters">
          <nvpair id="data-server-parameters-nfs_shared_infodir" name="nfs_shared_infodir" value="/srv/nss-ha/data/nfs-state"/>
          <nvpair id="data-server-parameters-nfs_no_notify" name="nfs_no_notify" value="true"/>
          <nvpair id="data-server-parameters-nfs_server_scope" name="nfs_server_scope" value="nss-ha"/>
        </instance_attributes>
        <operations>
          <op id="data-server-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-server-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-server-monitor-10" name="monitor" interval="10s" timeout="60s"/>
        </operations>
      </primitive>
      <primitive id="data-export" class="ocf" type="exportfs" provider="heartbeat">
        <instance_attributes id="data-export-parameters">
          <nvpair id="data-export-parameters-clientspec" name="clientspec" value="10.10.0.0/16"/>
          <nvpair id="data-export-parameters-directory" name="directory" value="/srv/nss-ha/data/export"/>
          <nvpair id="data-export-parameters-options" name="options" value="rw,sync,root_squash,no_subtree_check"/>
          <nvpair id="data-export-parameters-fsid" name="fsid" value="1"/>
          <nvpair id="data-export-parameters-unlock_on_stop" name="unlock_on_stop" value="0"/>
          <nvpair id="data-export-parameters-wait_for_leasetime_on_stop" name="wait_for_leasetime_on_stop" value="false"/>
        </instance_attributes>
        <operations>
          <op id="data-export-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-export-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-export-monitor-10" name="monitor" interval="10s" timeout="60s"/>
        </operations>
      </primitive>
      <primitive id="data-address" class="ocf" type="IPaddr2" provider="heartbeat">
        <instance_attributes id="data-address-parameters">
          <nvpair id="data-address-parameters-ip" name="ip" value="10.10.200.1"/>
          <nvpair id="data-address-parameters-cidr_netmask" name="cidr_netmask" value="16"/>
          <nvpair id="data-address-parameters-nic" name="nic" value="ens1f0"/>
          <nvpair id="data-address-parameters-arp_count" name="arp_count" value="3"/>
          <nvpair id="data-address-parameters-arp_interval" name="arp_interval" value="100"/>
        </instance_attributes>
        <operations>
          <op id="data-address-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-address-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-address-monitor-10" name="monitor" interval="10s" timeout="30s"/>
        </operations>
      </primitive>
      <primitive id="data-notify" class="ocf" type="nfsnotify" provider="heartbeat">
        <instance_attributes id="data-notify-parameters">
          <nvpair id="data-notify-parameters-source_host" name="source_host" value="10.10.200.1"/>
        </instance_attributes>
        <operations>
          <op id="data-notify-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-notify-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-notify-monitor-30" name="monitor" interval="30s" timeout="60s"/>
        </operations>
      </primitive>
    </group>
  </resources>
  <constraints>
    <rsc_location id="fence-srv1-elsewhere" rsc="fence-srv1" score="-INFINITY" node="srv1"/>
    <rsc_location id="fence-srv2-elsewhere" rsc="fence-srv2" score="-INFINITY" node="srv2"/>
    <rsc_order id="fence-srv1-after-data" first="data" then="fence-srv1" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-a-after-data" first="data" then="fence-pdu-a" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-b-after-data" first="data" then="fence-pdu-b" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-srv2-after-data" first="data" then="fence-srv2" kind="Optional" symmetrical="false"/>
    <rsc_location id="data-prefers" rsc="data" score="10" node="srv1"/>
    <rsc_location id="data-needs-public-link" rsc="data"><rule id="data-needs-public-link-rule" score="-INFINITY" boolean-op="or"><expression id="data-needs-public-link-defined" attribute="public-link" operation="not_defined"/><expression id="data-needs-public-link-reached" attribute="public-link" operation="lte" value="0" type="number"/></rule></rsc_location>
  </constraints>
  <fencing-topology>
    <fencing-level id="fence-srv1-1" target="srv1" index="1" devices="fence-srv1"/>
    <fencing-level id="fence-srv1-2" target="srv1" index="2" devices="fence-pdu-a,fence-pdu-b"/>
    <fencing-level id="fence-srv2-1" target="srv2" index="1" devices="fence-srv2"/>
    <fencing-level id="fence-srv2-2" target="srv2" index="2" devices="fence-pdu-a,fence-pdu-b"/>
  </fencing-topology>
  <rsc_defaults>
    <meta_attributes id="rsc-options">
      <nvpair id="rsc-options-resource-stickiness" name="resource-stickiness" value="100"/>
      <nvpair id="rsc-options-migration-threshold" name="migration-threshold" value="1"/>
      <nvpair id="rsc-options-failure-timeout" name="failure-timeout" value="120s"/>
      <nvpair id="rsc-options-priority" name="priority" value="1"/>
    </meta_attributes>
  </rsc_defaults>
</configuration>
<status/>
</cib>
SEATRIAL
    chown hacluster:haclient /var/lib/pacemaker/cib/cib.xml.new
    chmod 600 /var/lib/pacemaker/cib/cib.xml.new
    mv /var/lib/pacemaker/cib/cib.xml.new /var/lib/pacemaker/cib/cib.xml
}

# 2. (steps.sh) join the cluster and enable it at boot (2)

# 3. (steps.sh) wait for all members (2)
# (3 steps)
##### stage 10, srv1 #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 10 of 12: services
# (the preamble)

# 1. configure services and fence devices
#    why: as a whole: no partial configuration is ever active
check_1() {
    hash=$(crm_attribute --type crm_config --name seatrial-plan --query --quiet 2>/dev/null) &&
    [ "$hash" = d3282cf28774bf8b ]
}
apply_1() {
    mkdir -p /etc/seatrial/nss-ha
    umask 077
    cat >/etc/seatrial/nss-ha/cib.xml <<'SEATRIAL'
<configuration>
  <crm_config>
    <cluster_property_set id="cib-bootstrap-options">
      <nvpair id="cib-bootstrap-options-stonith-enabled" name="stonith-enabled" value="true"/>
      <nvpair id="cib-bootstrap-options-no-quorum-policy" name="no-quorum-policy" value="stop"/>
      <nvpair id="cib-bootstrap-options-stonith-action" name="stonith-action" value="reboot"/>
      <nvpair id="cib-bootstrap-options-stonith-timeout" name="stonith-timeout" value="60s"/>
      <nvpair id="cib-bootstrap-options-cluster-recheck-interval" name="cluster-recheck-interval" value="60s"/>
      <nvpair id="cib-bootstrap-options-dc-deadtime" name="dc-deadtime" value="5s"/>
      <nvpair id="cib-bootstrap-options-load-threshold" name="load-threshold" value="1000%"/>
      <nvpair id="cib-bootstrap-options-priority-fencing-delay" name="priority-fencing-delay" value="2s"/>
      <nvpair id="cib-bootstrap-options-seatrial-plan" name="seatrial-plan" value="d3282cf28774bf8b"/>
      <nvpair id="cib-bootstrap-options-seatrial-resources" name="seatrial-resources" value="fence-srv1 fence-pdu-a fence-pdu-b fence-srv2 public-link data-volume data-filesystem data-server data-export data-address data-notify"/>
    </cluster_property_set>
  </crm_config>
  <nodes>
    <node id="1" uname="srv1"/>
    <node id="2" uname="srv2"/>
  </nodes>
  <resources>
    <primitive id="fence-srv1" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv1-parameters">
        <nvpair id="fence-srv1-parameters-ip" name="ip" value="srv1-bmc.example"/>
        <nvpair id="fence-srv1-parameters-username" name="username" value="fence"/>
        <nvpair id="fence-srv1-parameters-password_script" name="password_script" value="cat /etc/seatrial/bmc"/>
        <nvpair id="fence-srv1-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv1-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv1-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv1-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1"/>
        <nvpair id="fence-srv1-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv1-parameters-disable_timeout" name="disable_timeout" value="false"/>
        <nvpair id="fence-srv1-parameters-power_timeout" name="power_timeout" value="10"/>
        <nvpair id="fence-srv1-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv1-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="30s"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="30s"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-srv1-meta">
        <nvpair id="fence-srv1-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-srv1-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-srv1-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-srv1-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-pdu-a" class="stonith" type="fence_apc_snmp">
      <instance_attributes id="fence-pdu-a-parameters">
        <nvpair id="fence-pdu-a-parameters-ip" name="ip" value="pdu-a.example"/>
        <nvpair id="fence-pdu-a-parameters-community" name="community" value="lrm://"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-a-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-pdu-a-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="30s"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="30s"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-pdu-a-meta">
        <nvpair id="fence-pdu-a-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-pdu-a-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-pdu-a-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-pdu-a-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-pdu-b" class="stonith" type="fence_apc_snmp">
      <instance_attributes id="fence-pdu-b-parameters">
        <nvpair id="fence-pdu-b-parameters-ip" name="ip" value="pdu-b.example"/>
        <nvpair id="fence-pdu-b-parameters-community" name="community" value="lrm://"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-b-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-pdu-b-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="30s"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="30s"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-pdu-b-meta">
        <nvpair id="fence-pdu-b-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-pdu-b-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-pdu-b-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-pdu-b-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <primitive id="fence-srv2" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv2-parameters">
        <nvpair id="fence-srv2-parameters-ip" name="ip" value="srv2-bmc.example"/>
        <nvpair id="fence-srv2-parameters-username" name="username" value="fence"/>
        <nvpair id="fence-srv2-parameters-password_script" name="password_script" value="cat /etc/seatrial/bmc"/>
        <nvpair id="fence-srv2-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv2-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv2-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv2-parameters-pcmk_host_list" name="pcmk_host_list" value="srv2"/>
        <nvpair id="fence-srv2-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv2-parameters-disable_timeout" name="disable_timeout" value="false"/>
        <nvpair id="fence-srv2-parameters-power_timeout" name="power_timeout" value="10"/>
        <nvpair id="fence-srv2-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv2-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="30s"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="30s"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_retries" name="pcmk_off_retries" value="1"/>
      </instance_attributes>
      <meta_attributes id="fence-srv2-meta">
        <nvpair id="fence-srv2-meta-priority" name="priority" value="0"/>
      </meta_attributes>
      <operations>
        <op id="fence-srv2-start-0" name="start" interval="0s" timeout="40s"/>
        <op id="fence-srv2-stop-0" name="stop" interval="0s" timeout="15s"/>
        <op id="fence-srv2-monitor-120" name="monitor" interval="120s" timeout="60s"/>
      </operations>
    </primitive>
    <clone id="public-link-clone">
      <primitive id="public-link" class="ocf" type="ping" provider="pacemaker">
        <instance_attributes id="public-link-parameters">
          <nvpair id="public-link-parameters-host_list" name="host_list" value="c1 c2"/>
          <nvpair id="public-link-parameters-multiplier" name="multiplier" value="100"/>
          <nvpair id="public-link-parameters-attempts" name="attempts" value="2"/>
          <nvpair id="public-link-parameters-timeout" name="timeout" value="1"/>
          <nvpair id="public-link-parameters-dampen" name="dampen" value="2s"/>
          <nvpair id="public-link-parameters-name" name="name" value="public-link"/>
        </instance_attributes>
        <operations>
          <op id="public-link-start-0" name="start" interval="0s" timeout="60s"/>
          <op id="public-link-stop-0" name="stop" interval="0s" timeout="20s"/>
          <op id="public-link-monitor-10" name="monitor" interval="10s" timeout="60s"/>
        </operations>
      </primitive>
    </clone>
    <group id="data">
      <primitive id="data-volume" class="ocf" type="LVM-activate" provider="heartbeat">
        <instance_attributes id="data-volume-parameters">
          <nvpair id="data-volume-parameters-vgname" name="vgname" value="st-data"/>
          <nvpair id="data-volume-parameters-vg_access_mode" name="vg_access_mode" value="system_id"/>
        </instance_attributes>
        <operations>
          <op id="data-volume-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-volume-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-volume-monitor-10" name="monitor" interval="10s" timeout="60s"/>
        </operations>
      </primitive>
      <primitive id="data-filesystem" class="ocf" type="Filesystem" provider="heartbeat">
        <instance_attributes id="data-filesystem-parameters">
          <nvpair id="data-filesystem-parameters-device" name="device" value="/dev/st-data/data"/>
          <nvpair id="data-filesystem-parameters-directory" name="directory" value="/srv/nss-ha/data"/>
          <nvpair id="data-filesystem-parameters-fstype" name="fstype" value="xfs"/>
          <nvpair id="data-filesystem-parameters-options" name="options" value="noatime"/>
        </instance_attributes>
        <operations>
          <op id="data-filesystem-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-filesystem-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-filesystem-monitor-10" name="monitor" interval="10s" timeout="60s"/>
          <op id="data-filesystem-monitor-11" name="monitor" interval="11s" timeout="40s" on-fail="fence">
          <instance_attributes id="data-filesystem-monitor-11-depth">
            <nvpair id="data-filesystem-monitor-11-depth-OCF_CHECK_LEVEL" name="OCF_CHECK_LEVEL" value="10"/>
          </instance_attributes>
          </op>
        </operations>
      </primitive>
      <primitive id="data-server" class="ocf" type="nfsserver" provider="heartbeat">
        <instance_attributes id="data-server-parameters">
          <nvpair id="data-server-parameters-nfs_shared_infodir" name="nfs_shared_infodir" value="/srv/nss-ha/data/nfs-state"/>
          <nvpair id="data-server-parameters-nfs_no_notify" name="nfs_no_notify" value="true"/>
          <nvpair id="data-server-parameters-nfs_server_scope" name="nfs_server_scope" value="nss-ha"/>
        </instance_attributes>
        <operations>
          <op id="data-server-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-server-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-server-monitor-10" name="monitor" interval="10s" timeout="60s"/>
        </operations>
      </primitive>
      <primitive id="data-export" class="ocf" type="exportfs" provider="heartbeat">
        <instance_attributes id="data-export-parameters">
          <nvpair id="data-export-parameters-clientspec" name="clientspec" value="10.10.0.0/16"/>
          <nvpair id="data-export-parameters-directory" name="directory" value="/srv/nss-ha/data/export"/>
          <nvpair id="data-export-parameters-options" name="options" value="rw,sync,root_squash,no_subtree_check"/>
          <nvpair id="data-export-parameters-fsid" name="fsid" value="1"/>
          <nvpair id="data-export-parameters-unlock_on_stop" name="unlock_on_stop" value="0"/>
          <nvpair id="data-export-parameters-wait_for_leasetime_on_stop" name="wait_for_leasetime_on_stop" value="false"/>
        </instance_attributes>
        <operations>
          <op id="data-export-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-export-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-export-monitor-10" name="monitor" interval="10s" timeout="60s"/>
        </operations>
      </primitive>
      <primitive id="data-address" class="ocf" type="IPaddr2" provider="heartbeat">
        <instance_attributes id="data-address-parameters">
          <nvpair id="data-address-parameters-ip" name="ip" value="10.10.200.1"/>
          <nvpair id="data-address-parameters-cidr_netmask" name="cidr_netmask" value="16"/>
          <nvpair id="data-address-parameters-nic" name="nic" value="ens1f0"/>
          <nvpair id="data-address-parameters-arp_count" name="arp_count" value="3"/>
          <nvpair id="data-address-parameters-arp_interval" name="arp_interval" value="100"/>
        </instance_attributes>
        <operations>
          <op id="data-address-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-address-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-address-monitor-10" name="monitor" interval="10s" timeout="30s"/>
        </operations>
      </primitive>
      <primitive id="data-notify" class="ocf" type="nfsnotify" provider="heartbeat">
        <instance_attributes id="data-notify-parameters">
          <nvpair id="data-notify-parameters-source_host" name="source_host" value="10.10.200.1"/>
        </instance_attributes>
        <operations>
          <op id="data-notify-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-notify-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-notify-monitor-30" name="monitor" interval="30s" timeout="60s"/>
        </operations>
      </primitive>
    </group>
  </resources>
  <constraints>
    <rsc_location id="fence-srv1-elsewhere" rsc="fence-srv1" score="-INFINITY" node="srv1"/>
    <rsc_location id="fence-srv2-elsewhere" rsc="fence-srv2" score="-INFINITY" node="srv2"/>
    <rsc_order id="fence-srv1-after-data" first="data" then="fence-srv1" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-a-after-data" first="data" then="fence-pdu-a" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-pdu-b-after-data" first="data" then="fence-pdu-b" kind="Optional" symmetrical="false"/>
    <rsc_order id="fence-srv2-after-data" first="data" then="fence-srv2" kind="Optional" symmetrical="false"/>
    <rsc_location id="data-prefers" rsc="data" score="10" node="srv1"/>
    <rsc_location id="data-needs-public-link" rsc="data"><rule id="data-needs-public-link-rule" score="-INFINITY" boolean-op="or"><expression id="data-needs-public-link-defined" attribute="public-link" operation="not_defined"/><expression id="data-needs-public-link-reached" attribute="public-link" operation="lte" value="0" type="number"/></rule></rsc_location>
  </constraints>
  <fencing-topology>
    <fencing-level id="fence-srv1-1" target="srv1" index="1" devices="fence-srv1"/>
    <fencing-level id="fence-srv1-2" target="srv1" index="2" devices="fence-pdu-a,fence-pdu-b"/>
    <fencing-level id="fence-srv2-1" target="srv2" index="1" devices="fence-srv2"/>
    <fencing-level id="fence-srv2-2" target="srv2" index="2" devices="fence-pdu-a,fence-pdu-b"/>
  </fencing-topology>
  <rsc_defaults>
    <meta_attributes id="rsc-options">
      <nvpair id="rsc-options-resource-stickiness" name="resource-stickiness" value="100"/>
      <nvpair id="rsc-options-migration-threshold" name="migration-threshold" value="1"/>
      <nvpair id="rsc-options-failure-timeout" name="failure-timeout" value="120s"/>
      <nvpair id="rsc-options-priority" name="priority" value="1"/>
    </meta_attributes>
  </rsc_defaults>
</configuration>
SEATRIAL
    tries=0
    until cibadmin --replace --scope configuration --xml-file /etc/seatrial/nss-ha/cib.xml; do again 30 'the cluster to take its configuration'; done
}

# 2. (steps.sh) start data
# (2 steps)
##### stage 11, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 11 of 12: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all)
# 1. (steps.sh) enable the mount of /mnt/nss-ha/data-v3 at boot

# 2. (steps.sh) enable the mount of /mnt/nss-ha/data-v4.2 at boot

# 3. (steps.sh) mount 10.10.200.1:/srv/nss-ha/data/export at /mnt/nss-ha/data-v3 with vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5

# 4. (steps.sh) mount 10.10.200.1:/srv/nss-ha/data/export at /mnt/nss-ha/data-v4.2 with vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5
# (4 steps)
##### stage 12, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 12 of 12: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-nss-ha-network

# 2. (steps.sh) write /etc/systemd/system/seatrial-nss-ha-network.service

# 3. (steps.sh) install the boot-time settings of network (4)

# 4. (steps.sh) remove the boot-time settings of mounts (4)
# (4 steps)
##### stage 12, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 12 of 12: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# 1. (steps.sh) remove the boot-time settings of network and mounts (4)
# (1 steps)
##### stage 12, array #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 12 of 12: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# (volumes.sh)
# 1. store the UUIDs of created volumes
check_1() {
    volumes_are_noted /var/lib/seatrial/made/nss-ha/volumes /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi /dev/sdj /dev/sdk /dev/sdl /dev/sdm
}
apply_1() {
    note_volumes /var/lib/seatrial/made/nss-ha/volumes /dev/sdb /dev/sdc /dev/sdd /dev/sde /dev/sdf /dev/sdg /dev/sdh /dev/sdi /dev/sdj /dev/sdk /dev/sdl /dev/sdm
}

# 2. (steps.sh) remove the boot-time settings of network and mounts (4)
# (2 steps)
