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
    fast_io_fail_tmo 1
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

# 6. (steps.sh) configure iSCSI sessions and their account (2)

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

# 4. (steps.sh) set 10 s of NFSv4 lease and grace period, and fixed ports

# 5. (steps.sh) set 10 s of grace period for the NFSv3 lock manager

# 6. (steps.sh) disable NFS delegations (2)

# 7. (steps.sh) disable the NFS service outside the cluster

# 8. (steps.sh) load nfsd at boot

# 9. (steps.sh) install the lightweight resource agent

# 10. (steps.sh) create the directory /srv/nss-ha/data

# 11. (steps.sh) install the self-fencing watchdog (2)

# 12. (steps.sh) write /etc/systemd/system/seatrial-self-fencing.service

# 13. (steps.sh) start the self-fencing watchdog with a limit of 60 s

# 14. (steps.sh) store the corosync key, readable by root only (2)

# 15. (steps.sh) enable encryption of corosync (2)

# 16. (steps.sh) configure the members and links of corosync (2)
# (16 steps)
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
      <nvpair id="cib-bootstrap-options-seatrial-plan" name="seatrial-plan" value="04ee18ac782f914b"/>
      <nvpair id="cib-bootstrap-options-seatrial-resources" name="seatrial-resources" value="fence-srv1 fence-pdu-a fence-pdu-b fence-srv2 data-service"/>
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
        <nvpair id="fence-srv1-parameters-power_timeout" name="power_timeout" value="8"/>
        <nvpair id="fence-srv1-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv1-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
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
        <nvpair id="fence-pdu-a-parameters-ip" name="ip" value="pdu-a"/>
        <nvpair id="fence-pdu-a-parameters-community" name="community" value="private"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-a-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-pdu-a-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
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
        <nvpair id="fence-pdu-b-parameters-ip" name="ip" value="pdu-b"/>
        <nvpair id="fence-pdu-b-parameters-community" name="community" value="private"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-b-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-pdu-b-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
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
        <nvpair id="fence-srv2-parameters-ip" name="ip" value="srv2-bmc"/>
        <nvpair id="fence-srv2-parameters-username" name="username" value="admin"/>
        <nvpair id="fence-srv2-parameters-password" name="password" value="seatrial-lab"/>
        <nvpair id="fence-srv2-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv2-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv2-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv2-parameters-pcmk_host_list" name="pcmk_host_list" value="srv2"/>
        <nvpair id="fence-srv2-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv2-parameters-disable_timeout" name="disable_timeout" value="false"/>
        <nvpair id="fence-srv2-parameters-power_timeout" name="power_timeout" value="8"/>
        <nvpair id="fence-srv2-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv2-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
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
    <group id="data">
      <primitive id="data-service" class="ocf" type="nfs-service" provider="seatrial">
        <instance_attributes id="data-service-parameters">
          <nvpair id="data-service-parameters-volume" name="volume" value="st-data"/>
          <nvpair id="data-service-parameters-device" name="device" value="/dev/st-data/data"/>
          <nvpair id="data-service-parameters-directory" name="directory" value="/srv/nss-ha/data"/>
          <nvpair id="data-service-parameters-export" name="export" value="rw,sync,root_squash,no_subtree_check"/>
          <nvpair id="data-service-parameters-clients" name="clients" value="10.10.0.0/16"/>
          <nvpair id="data-service-parameters-options" name="options" value="noatime"/>
          <nvpair id="data-service-parameters-fsid" name="fsid" value="1"/>
          <nvpair id="data-service-parameters-address" name="address" value="10.10.200.1/16"/>
          <nvpair id="data-service-parameters-interface" name="interface" value="public"/>
          <nvpair id="data-service-parameters-threads" name="threads" value="16"/>
          <nvpair id="data-service-parameters-lease" name="lease" value="10"/>
          <nvpair id="data-service-parameters-patience" name="patience" value="8"/>
          <nvpair id="data-service-parameters-pathless" name="pathless" value="4"/>
          <nvpair id="data-service-parameters-scope" name="scope" value="nss-ha"/>
          <nvpair id="data-service-parameters-servers" name="servers" value="srv1 srv2"/>
          <nvpair id="data-service-parameters-references" name="references" value="c1-public c2-public"/>
        </instance_attributes>
        <operations>
          <op id="data-service-start-0" name="start" interval="0s" timeout="60s"/>
          <op id="data-service-stop-0" name="stop" interval="0s" timeout="60s" on-fail="fence"/>
          <op id="data-service-monitor-3" name="monitor" interval="3s" timeout="60s"/>
          <op id="data-service-monitor-4" name="monitor" interval="4s" timeout="68s" on-fail="fence">
          <instance_attributes id="data-service-monitor-4-depth">
            <nvpair id="data-service-monitor-4-depth-OCF_CHECK_LEVEL" name="OCF_CHECK_LEVEL" value="10"/>
          </instance_attributes>
          </op>
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
##### stage 9, srv1 #####
#!/bin/sh
# Seatrial plan nss-ha: highly available NFS on srv1 and srv2 for 4 clients
# stage 9 of 11: services
# (the preamble)

# 1. configure services and fence devices
#    why: as a whole: no partial configuration is ever active
check_1() {
    hash=$(crm_attribute --type crm_config --name seatrial-plan --query --quiet 2>/dev/null) &&
    [ "$hash" = 04ee18ac782f914b ]
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
      <nvpair id="cib-bootstrap-options-seatrial-plan" name="seatrial-plan" value="04ee18ac782f914b"/>
      <nvpair id="cib-bootstrap-options-seatrial-resources" name="seatrial-resources" value="fence-srv1 fence-pdu-a fence-pdu-b fence-srv2 data-service"/>
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
        <nvpair id="fence-srv1-parameters-power_timeout" name="power_timeout" value="8"/>
        <nvpair id="fence-srv1-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv1-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-srv1-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv1-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
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
        <nvpair id="fence-pdu-a-parameters-ip" name="ip" value="pdu-a"/>
        <nvpair id="fence-pdu-a-parameters-community" name="community" value="private"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-a-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-pdu-a-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-a-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
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
        <nvpair id="fence-pdu-b-parameters-ip" name="ip" value="pdu-b"/>
        <nvpair id="fence-pdu-b-parameters-community" name="community" value="private"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_map" name="pcmk_host_map" value="srv1:1;srv2:2"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_host_list" name="pcmk_host_list" value="srv1 srv2"/>
        <nvpair id="fence-pdu-b-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-pdu-b-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-pdu-b-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
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
        <nvpair id="fence-srv2-parameters-ip" name="ip" value="srv2-bmc"/>
        <nvpair id="fence-srv2-parameters-username" name="username" value="admin"/>
        <nvpair id="fence-srv2-parameters-password" name="password" value="seatrial-lab"/>
        <nvpair id="fence-srv2-parameters-lanplus" name="lanplus" value="1"/>
        <nvpair id="fence-srv2-parameters-privlvl" name="privlvl" value="administrator"/>
        <nvpair id="fence-srv2-parameters-method" name="method" value="onoff"/>
        <nvpair id="fence-srv2-parameters-pcmk_host_list" name="pcmk_host_list" value="srv2"/>
        <nvpair id="fence-srv2-parameters-power_wait" name="power_wait" value="0"/>
        <nvpair id="fence-srv2-parameters-disable_timeout" name="disable_timeout" value="false"/>
        <nvpair id="fence-srv2-parameters-power_timeout" name="power_timeout" value="8"/>
        <nvpair id="fence-srv2-parameters-login_timeout" name="login_timeout" value="5"/>
        <nvpair id="fence-srv2-parameters-retry_on" name="retry_on" value="2"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_timeout" name="pcmk_reboot_timeout" value="15s"/>
        <nvpair id="fence-srv2-parameters-pcmk_reboot_retries" name="pcmk_reboot_retries" value="1"/>
        <nvpair id="fence-srv2-parameters-pcmk_off_timeout" name="pcmk_off_timeout" value="15s"/>
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
    <group id="data">
      <primitive id="data-service" class="ocf" type="nfs-service" provider="seatrial">
        <instance_attributes id="data-service-parameters">
          <nvpair id="data-service-parameters-volume" name="volume" value="st-data"/>
          <nvpair id="data-service-parameters-device" name="device" value="/dev/st-data/data"/>
          <nvpair id="data-service-parameters-directory" name="directory" value="/srv/nss-ha/data"/>
          <nvpair id="data-service-parameters-export" name="export" value="rw,sync,root_squash,no_subtree_check"/>
          <nvpair id="data-service-parameters-clients" name="clients" value="10.10.0.0/16"/>
          <nvpair id="data-service-parameters-options" name="options" value="noatime"/>
          <nvpair id="data-service-parameters-fsid" name="fsid" value="1"/>
          <nvpair id="data-service-parameters-address" name="address" value="10.10.200.1/16"/>
          <nvpair id="data-service-parameters-interface" name="interface" value="public"/>
          <nvpair id="data-service-parameters-threads" name="threads" value="16"/>
          <nvpair id="data-service-parameters-lease" name="lease" value="10"/>
          <nvpair id="data-service-parameters-patience" name="patience" value="8"/>
          <nvpair id="data-service-parameters-pathless" name="pathless" value="4"/>
          <nvpair id="data-service-parameters-scope" name="scope" value="nss-ha"/>
          <nvpair id="data-service-parameters-servers" name="servers" value="srv1 srv2"/>
          <nvpair id="data-service-parameters-references" name="references" value="c1-public c2-public"/>
        </instance_attributes>
        <operations>
          <op id="data-service-start-0" name="start" interval="0s" timeout="60s"/>
          <op id="data-service-stop-0" name="stop" interval="0s" timeout="60s" on-fail="fence"/>
          <op id="data-service-monitor-3" name="monitor" interval="3s" timeout="60s"/>
          <op id="data-service-monitor-4" name="monitor" interval="4s" timeout="68s" on-fail="fence">
          <instance_attributes id="data-service-monitor-4-depth">
            <nvpair id="data-service-monitor-4-depth-OCF_CHECK_LEVEL" name="OCF_CHECK_LEVEL" value="10"/>
          </instance_attributes>
          </op>
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
