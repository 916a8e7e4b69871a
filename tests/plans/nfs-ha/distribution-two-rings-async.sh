##### stage 1, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (5)

# 2. (steps.sh) refuse sessions to other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha

# 3. (steps.sh) refuse other multipath devices: nss-ha

# 4. (steps.sh) refuse other NFS exports: /srv/nss-ha

# 5. (steps.sh) refuse another cluster: nss-ha
# (5 steps)
##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 1 of 11: preflight check (read-only)
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
# stage 1 of 11: preflight check (read-only)
# (the preamble)

# (sh/: md_is)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (5)

# 2. (steps.sh) refuse other iSCSI targets: iqn.2026-01.org.seatrial:nss-ha

# 3. (steps.sh) refuse another cluster (4)

# 4. (steps.sh) refuse a disk that is used twice (5)

# 5. (steps.sh) refuse disks that are in use: create array nss-ha: RAID 6
# (5 steps)
##### stage 2, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 2 of 11: mark
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
# stage 3 of 11: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install corosync, crm_mon, pacemakerd, vgchange, mkfs.xfs, exportfs, fence_ipmilan, flock
# (1 steps)
##### stage 3, c[1-4] #####
as on srv[1-2], but for:
@@ -7 +7 @@
+# 1. (steps.sh) install mount.nfs (2)
##### stage 4, array #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 4 of 11: array
# (the preamble)

# (sh/: md_is md_is_idle assemble_md settle_md file_is write_file store_version have_commands install_packages note_installed installed_packages keep_packages note_packages reread_unit)
# (volumes.sh)
# 1. (steps.sh) assemble the existing array nss-ha

# 2. (steps.sh) create array nss-ha: RAID 6

# 3. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg, /dev/ubdh, /dev/ubdi, /dev/ubdj, /dev/ubdk, /dev/ubdl, /dev/ubdm

# 4. (steps.sh) enable the assembly of the array at boot (4)

# 5. (steps.sh) set the rebuild rate of nss-ha to 952 KiB/s per disk

# 6. (steps.sh) install tgtd, mdadm

# 7. (steps.sh) set the socket buffers of the iSCSI target

# 8. (steps.sh) store the iSCSI secret, readable by root only (2)

# 9. (steps.sh) install the script that configures the targets

# 10. (steps.sh) configure 1 target and the permitted initiators

# 11. (steps.sh) start the iSCSI target after the array at boot (2)

# 12. (steps.sh) start the iSCSI target (2)
# (12 steps)
##### stage 5, srv1 #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 5 of 11: storage paths
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
    fast_io_fail_tmo 120
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
node.session.timeo.replacement_timeout = 120
node.conn[0].timeo.noop_out_interval = 5
node.conn[0].timeo.noop_out_timeout = 5
node.session.initial_login_retry_max = 4
SEATRIAL
}
check_6() { content | file_is /etc/iscsi/seatrial-nss-ha; }
apply_6() { content | write_file /etc/iscsi/seatrial-nss-ha 600; }

# 7. (steps.sh) discover 1 iSCSI target at array-storage-a array-storage-b

# 8. (steps.sh) log in to 2 iSCSI sessions and enable them at boot

# 9. (steps.sh) install the monitor for stuck iSCSI sessions

# 10. (steps.sh) write /etc/systemd/system/seatrial-stuck-sessions.service

# 11. (steps.sh) start the monitor for stuck iSCSI sessions
# (11 steps)
##### stage 5, srv2 #####
as on srv1, but for:
@@ -10 +10 @@
+# 2. (steps.sh) write /etc/iscsi/initiatorname.iscsi (8)
##### stage 6, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 6 of 11: servers
# (the preamble)

# (sh/: file_is write_file back_up_file store_version set_line units_are reread_unit restart_if_active unit_runs start_unit)
# 1. (steps.sh) set the LVM system ID to the server name

# 2. (steps.sh) add the LUNs to LVM's device list

# 3. (steps.sh) add the host name nss-ha-data for 10.10.200.1

# 4. set 90 s of NFSv4 lease and grace period, and fixed ports
#    why: after a takeover, clients may reclaim their locks for one grace period, and no new lock is granted. The cluster notifies NFSv3 clients, from the service's address. A notification by statd would have the server's own address, which they do not know
content_4() { cat <<'SEATRIAL'
[nfsd]
threads=16
lease-time=90
grace-time=90
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

# 5. set 90 s of grace period for the NFSv3 lock manager
#    why: its default of 50 s would also delay NFSv4's locks, as both must end
content_5() { cat <<'SEATRIAL'
options lockd nlm_grace_period=90 nlm_tcpport=4002 nlm_udpport=4002
SEATRIAL
}
check_5() { content | file_is /etc/modprobe.d/seatrial-lockd.conf; }
apply_5() {
    content | write_file /etc/modprobe.d/seatrial-lockd.conf
    modprobe lockd
    echo 90 >/proc/sys/fs/nfs/nlm_grace_period
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
    token: 10000
    interface {
        linknumber: 0
        knet_ping_interval: 1666
        knet_ping_timeout: 5000
    }
    interface {
        linknumber: 1
        knet_ping_interval: 1666
        knet_ping_timeout: 5000
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
        ring0_addr: srv1-private
        ring1_addr: srv1-public
    }
    node {
        name: srv2
        nodeid: 2
        ring0_addr: srv2-private
        ring1_addr: srv2-public
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
# (17 steps)
##### stage 7, srv1 #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 7 of 11: volumes
# (the preamble)

# 1. (steps.sh) create the volume group st-data and an XFS file system on /dev/mapper/nss-ha-data
# (1 steps)
##### stage 8, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 8 of 11: members
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
      <nvpair id="cib-bootstrap-options-priority-fencing-delay" name="priority-fencing-delay" value="0s"/>
      <nvpair id="cib-bootstrap-options-seatrial-plan" name="seatrial-plan" value="15d2066cb355b686"/>
      <nvpair id="cib-bootstrap-options-seatrial-resources" name="seatrial-resources" value="fence-srv1 fence-srv2 public-link data-volume data-filesystem data-server data-export data-address data-notify"/>
    </cluster_property_set>
  </crm_config>
  <nodes>
    <node id="1" uname="srv1"/>
    <node id="2" uname="srv2"/>
  </nodes>
  <resources>
    <primitive id="fence-srv1" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv1-parameters">
        <nvpair id="fence-srv1-parameters-ip" name="ip" value="srv1-bmc"/>
        <nvpair id="fence-srv1-parameters-username" name="username" value="admin"/>
        <nvpair id="fence-srv1-parameters-password" name="password" value="seatrial-lab"/>
        <nvpair id="fence-srv1-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv1-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv1-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv1-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1"/>
        <nvpair id="fence-srv1-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv1-parameters-disable_timeout" name="disable_timeout" value="false"/>
        <nvpair id="fence-srv1-parameters-power_timeout" name="power_timeout" value="20"/>
        <nvpair id="fence-srv1-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv1-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="60s"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="60s"/>
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
    <primitive id="fence-srv2" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv2-parameters">
        <nvpair id="fence-srv2-parameters-ip" name="ip" value="srv2-bmc"/>
        <nvpair id="fence-srv2-parameters-username" name="username" value="admin"/>
        <nvpair id="fence-srv2-parameters-password" name="password" value="seatrial-lab"/>
        <nvpair id="fence-srv2-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv2-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv2-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv2-parameters-pcmk_host_list" name="pcmk_host_list" value="srv2"/>
        <nvpair id="fence-srv2-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv2-parameters-disable_timeout" name="disable_timeout" value="false"/>
        <nvpair id="fence-srv2-parameters-power_timeout" name="power_timeout" value="20"/>
        <nvpair id="fence-srv2-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv2-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="60s"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="60s"/>
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
          <nvpair id="public-link-parameters-host_list" name="host_list" value="c1-public c2-public"/>
          <nvpair id="public-link-parameters-multiplier" name="multiplier" value="100"/>
          <nvpair id="public-link-parameters-attempts" name="attempts" value="2"/>
          <nvpair id="public-link-parameters-timeout" name="timeout" value="1"/>
          <nvpair id="public-link-parameters-dampen" name="dampen" value="2s"/>
          <nvpair id="public-link-parameters-name" name="name" value="public-link"/>
        </instance_attributes>
        <operations>
          <op id="public-link-start-0" name="start" interval="0s" timeout="60s"/>
          <op id="public-link-stop-0" name="stop" interval="0s" timeout="20s"/>
          <op id="public-link-monitor-30" name="monitor" interval="30s" timeout="60s"/>
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
          <op id="data-volume-monitor-30" name="monitor" interval="30s" timeout="60s"/>
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
          <op id="data-filesystem-monitor-30" name="monitor" interval="30s" timeout="60s"/>
          <op id="data-filesystem-monitor-31" name="monitor" interval="31s" timeout="160s" on-fail="fence">
          <instance_attributes id="data-filesystem-monitor-31-depth">
            <nvpair id="data-filesystem-monitor-31-depth-OCF_CHECK_LEVEL" name="OCF_CHECK_LEVEL" value="10"/>
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
          <op id="data-server-monitor-30" name="monitor" interval="30s" timeout="60s"/>
        </operations>
      </primitive>
      <primitive id="data-export" class="ocf" type="exportfs" provider="heartbeat">
        <instance_attributes id="data-export-parameters">
          <nvpair id="data-export-parameters-clientspec" name="clientspec" value="10.10.0.0/16"/>
          <nvpair id="data-export-parameters-directory" name="directory" value="/srv/nss-ha/data/export"/>
          <nvpair id="data-export-parameters-options" name="options" value="rw,async,root_squash,no_subtree_check"/>
          <nvpair id="data-export-parameters-fsid" name="fsid" value="1"/>
          <nvpair id="data-export-parameters-unlock_on_stop" name="unlock_on_stop" value="0"/>
          <nvpair id="data-export-parameters-wait_for_leasetime_on_stop" name="wait_for_leasetime_on_stop" value="false"/>
        </instance_attributes>
        <operations>
          <op id="data-export-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-export-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-export-monitor-30" name="monitor" interval="30s" timeout="60s"/>
        </operations>
      </primitive>
      <primitive id="data-address" class="ocf" type="IPaddr2" provider="heartbeat">
        <instance_attributes id="data-address-parameters">
          <nvpair id="data-address-parameters-ip" name="ip" value="10.10.200.1"/>
          <nvpair id="data-address-parameters-cidr_netmask" name="cidr_netmask" value="16"/>
          <nvpair id="data-address-parameters-nic" name="nic" value="public"/>
          <nvpair id="data-address-parameters-arp_count" name="arp_count" value="3"/>
          <nvpair id="data-address-parameters-arp_interval" name="arp_interval" value="100"/>
        </instance_attributes>
        <operations>
          <op id="data-address-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-address-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-address-monitor-30" name="monitor" interval="30s" timeout="30s"/>
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
    <rsc_order id="fence-srv2-after-data" first="data" then="fence-srv2" kind="Optional" symmetrical="false"/>
    <rsc_location id="data-prefers" rsc="data" score="10" node="srv1"/>
    <rsc_location id="data-needs-public-link" rsc="data"><rule id="data-needs-public-link-rule" score="-INFINITY" boolean-op="or"><expression id="data-needs-public-link-defined" attribute="public-link" operation="not_defined"/><expression id="data-needs-public-link-reached" attribute="public-link" operation="lte" value="0" type="number"/></rule></rsc_location>
  </constraints>
  <fencing-topology>
    <fencing-level id="fence-srv1-1" target="srv1" index="1" devices="fence-srv1"/>
    <fencing-level id="fence-srv2-1" target="srv2" index="1" devices="fence-srv2"/>
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
##### stage 9, srv1 #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 9 of 11: services
# (the preamble)

# 1. configure services and fence devices
#    why: as a whole: no partial configuration is ever active
check_1() {
    hash=$(crm_attribute --type crm_config --name seatrial-plan --query --quiet 2>/dev/null) &&
    [ "$hash" = 15d2066cb355b686 ]
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
      <nvpair id="cib-bootstrap-options-priority-fencing-delay" name="priority-fencing-delay" value="0s"/>
      <nvpair id="cib-bootstrap-options-seatrial-plan" name="seatrial-plan" value="15d2066cb355b686"/>
      <nvpair id="cib-bootstrap-options-seatrial-resources" name="seatrial-resources" value="fence-srv1 fence-srv2 public-link data-volume data-filesystem data-server data-export data-address data-notify"/>
    </cluster_property_set>
  </crm_config>
  <nodes>
    <node id="1" uname="srv1"/>
    <node id="2" uname="srv2"/>
  </nodes>
  <resources>
    <primitive id="fence-srv1" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv1-parameters">
        <nvpair id="fence-srv1-parameters-ip" name="ip" value="srv1-bmc"/>
        <nvpair id="fence-srv1-parameters-username" name="username" value="admin"/>
        <nvpair id="fence-srv1-parameters-password" name="password" value="seatrial-lab"/>
        <nvpair id="fence-srv1-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv1-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv1-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv1-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1"/>
        <nvpair id="fence-srv1-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv1-parameters-disable_timeout" name="disable_timeout" value="false"/>
        <nvpair id="fence-srv1-parameters-power_timeout" name="power_timeout" value="20"/>
        <nvpair id="fence-srv1-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv1-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="60s"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="60s"/>
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
    <primitive id="fence-srv2" class="stonith" type="fence_ipmilan">
      <instance_attributes id="fence-srv2-parameters">
        <nvpair id="fence-srv2-parameters-ip" name="ip" value="srv2-bmc"/>
        <nvpair id="fence-srv2-parameters-username" name="username" value="admin"/>
        <nvpair id="fence-srv2-parameters-password" name="password" value="seatrial-lab"/>
        <nvpair id="fence-srv2-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv2-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv2-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv2-parameters-pcmk_host_list" name="pcmk_host_list" value="srv2"/>
        <nvpair id="fence-srv2-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv2-parameters-disable_timeout" name="disable_timeout" value="false"/>
        <nvpair id="fence-srv2-parameters-power_timeout" name="power_timeout" value="20"/>
        <nvpair id="fence-srv2-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv2-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="60s"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="60s"/>
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
          <nvpair id="public-link-parameters-host_list" name="host_list" value="c1-public c2-public"/>
          <nvpair id="public-link-parameters-multiplier" name="multiplier" value="100"/>
          <nvpair id="public-link-parameters-attempts" name="attempts" value="2"/>
          <nvpair id="public-link-parameters-timeout" name="timeout" value="1"/>
          <nvpair id="public-link-parameters-dampen" name="dampen" value="2s"/>
          <nvpair id="public-link-parameters-name" name="name" value="public-link"/>
        </instance_attributes>
        <operations>
          <op id="public-link-start-0" name="start" interval="0s" timeout="60s"/>
          <op id="public-link-stop-0" name="stop" interval="0s" timeout="20s"/>
          <op id="public-link-monitor-30" name="monitor" interval="30s" timeout="60s"/>
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
          <op id="data-volume-monitor-30" name="monitor" interval="30s" timeout="60s"/>
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
          <op id="data-filesystem-monitor-30" name="monitor" interval="30s" timeout="60s"/>
          <op id="data-filesystem-monitor-31" name="monitor" interval="31s" timeout="160s" on-fail="fence">
          <instance_attributes id="data-filesystem-monitor-31-depth">
            <nvpair id="data-filesystem-monitor-31-depth-OCF_CHECK_LEVEL" name="OCF_CHECK_LEVEL" value="10"/>
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
          <op id="data-server-monitor-30" name="monitor" interval="30s" timeout="60s"/>
        </operations>
      </primitive>
      <primitive id="data-export" class="ocf" type="exportfs" provider="heartbeat">
        <instance_attributes id="data-export-parameters">
          <nvpair id="data-export-parameters-clientspec" name="clientspec" value="10.10.0.0/16"/>
          <nvpair id="data-export-parameters-directory" name="directory" value="/srv/nss-ha/data/export"/>
          <nvpair id="data-export-parameters-options" name="options" value="rw,async,root_squash,no_subtree_check"/>
          <nvpair id="data-export-parameters-fsid" name="fsid" value="1"/>
          <nvpair id="data-export-parameters-unlock_on_stop" name="unlock_on_stop" value="0"/>
          <nvpair id="data-export-parameters-wait_for_leasetime_on_stop" name="wait_for_leasetime_on_stop" value="false"/>
        </instance_attributes>
        <operations>
          <op id="data-export-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-export-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-export-monitor-30" name="monitor" interval="30s" timeout="60s"/>
        </operations>
      </primitive>
      <primitive id="data-address" class="ocf" type="IPaddr2" provider="heartbeat">
        <instance_attributes id="data-address-parameters">
          <nvpair id="data-address-parameters-ip" name="ip" value="10.10.200.1"/>
          <nvpair id="data-address-parameters-cidr_netmask" name="cidr_netmask" value="16"/>
          <nvpair id="data-address-parameters-nic" name="nic" value="public"/>
          <nvpair id="data-address-parameters-arp_count" name="arp_count" value="3"/>
          <nvpair id="data-address-parameters-arp_interval" name="arp_interval" value="100"/>
        </instance_attributes>
        <operations>
          <op id="data-address-start-0" name="start" interval="0s" timeout="90s"/>
          <op id="data-address-stop-0" name="stop" interval="0s" timeout="90s" on-fail="fence"/>
          <op id="data-address-monitor-30" name="monitor" interval="30s" timeout="30s"/>
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
    <rsc_order id="fence-srv2-after-data" first="data" then="fence-srv2" kind="Optional" symmetrical="false"/>
    <rsc_location id="data-prefers" rsc="data" score="10" node="srv1"/>
    <rsc_location id="data-needs-public-link" rsc="data"><rule id="data-needs-public-link-rule" score="-INFINITY" boolean-op="or"><expression id="data-needs-public-link-defined" attribute="public-link" operation="not_defined"/><expression id="data-needs-public-link-reached" attribute="public-link" operation="lte" value="0" type="number"/></rule></rsc_location>
  </constraints>
  <fencing-topology>
    <fencing-level id="fence-srv1-1" target="srv1" index="1" devices="fence-srv1"/>
    <fencing-level id="fence-srv2-1" target="srv2" index="1" devices="fence-srv2"/>
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
##### stage 10, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 10 of 11: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all)
# 1. (steps.sh) enable the mount of /mnt/nss-ha/data-v3 at boot

# 2. (steps.sh) enable the mount of /mnt/nss-ha/data-v4.2 at boot

# 3. (steps.sh) mount 10.10.200.1:/srv/nss-ha/data/export at /mnt/nss-ha/data-v3 with vers=3,proto=tcp,hard,noatime,timeo=50,retrans=5

# 4. (steps.sh) mount 10.10.200.1:/srv/nss-ha/data/export at /mnt/nss-ha/data-v4.2 with vers=4.2,proto=tcp,hard,noatime,timeo=50,retrans=5
# (4 steps)
##### stage 11, srv[1-2] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 11 of 11: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-nss-ha-network

# 2. (steps.sh) write /etc/systemd/system/seatrial-nss-ha-network.service

# 3. (steps.sh) install the boot-time settings of network (4)

# 4. (steps.sh) remove the boot-time settings of mounts (4)
# (4 steps)
##### stage 11, c[1-4] #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 11 of 11: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# 1. (steps.sh) remove the boot-time settings of network and mounts (4)
# (1 steps)
##### stage 11, array #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 11 of 11: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: no_file reread_unit stop_unit remove_unit)
# (volumes.sh)
# 1. (steps.sh) store the UUIDs of created volumes (4)

# 2. (steps.sh) remove the boot-time settings of network and mounts (4)
# (2 steps)
