#!/bin/sh
# Turn a fresh Debian tree into the root of every lab node.
# usage: customize.sh ROOT FILES MODULES KEYS [PACKAGE...]
#   FILES: this folder; MODULES: the UML kernel's module tree; KEYS: the lab's ssh keys;
#   PACKAGE: a package of the tree that not every image has
set -eu
root=$1 files=$2 modules=$3 keys=$4
shift 4

mkdir -p "$root/lib/modules" "$root/srv/lab-blkio" "$root/root/.ssh"
cp -a "$modules"/. "$root/lib/modules/"
for version in "$root"/lib/modules/*; do
    # Sound, wireless and the like can never appear in a node.
    rm -rf "$version/kernel/sound" "$version/kernel/net/bluetooth" "$version/kernel/net/mac80211" \
        "$version/kernel/net/wireless" "$version/kernel/drivers/net/wireless"
    chroot "$root" /sbin/depmod "${version##*/}"
done

install -m 755 "$files/lab-init" "$files/lab-cable" "$files/lab-local-disks" "$root/usr/local/sbin/"
install -m 600 "$keys/client.pub" "$root/root/.ssh/authorized_keys"
chmod 700 "$root/root/.ssh"
rm -f "$root"/etc/ssh/ssh_host_*
install -m 600 "$keys/host" "$root/etc/ssh/ssh_host_ed25519_key"
install -m 644 "$keys/host.pub" "$root/etc/ssh/ssh_host_ed25519_key.pub"
cat >"$root/etc/ssh/sshd_config.d/lab.conf" <<EOF
PermitRootLogin prohibit-password
UseDNS no
UsePAM no
GSSAPIAuthentication no
MaxSessions 200
MaxStartups 200
EOF

grep -v '^#' "$files/masked-units.txt" | while read -r unit; do
    ln -sf /dev/null "$root/etc/systemd/system/$unit"
done
# The plan starts the services of a role, and those of further packages. The image starts none.
further=
for package; do
    for list in "$root/var/lib/dpkg/info/$package.list" "$root/var/lib/dpkg/info/$package":*.list; do
        [ -e "$list" ] || continue
        further="$further $(sed -n 's#.*/systemd/system/\([^/]*\)$#\1#p' "$list")"
    done
done
for unit in $further nfs-server.service nfs-client.target rpc-statd.service rpc-statd-notify.service cron.service \
    corosync.service pacemaker.service tgt.service logd.service blk-availability.service \
    multipathd.service multipathd.socket open-iscsi.service iscsid.socket \
    smbd.service nmbd.service samba-ad-dc.service winbind.service \
    dlm.service lvmlockd.service lvmlocks.service \
    lvm2-monitor.service lvm2-lvmpolld.socket dm-event.socket; do
    find "$root"/etc/systemd/system/*.wants -name "$unit" -delete
    # systemctl reports a unit as enabled as long as it has an alias.
    find "$root/etc/systemd/system" -maxdepth 1 -lname "*/$unit" -delete
done
ln -sf multi-user.target "$root/etc/systemd/system/default.target" 2>/dev/null ||
    ln -sf /lib/systemd/system/multi-user.target "$root/etc/systemd/system/default.target"
mkdir -p "$root/etc/systemd/system/systemd-udev-trigger.service.d" "$root/etc/systemd/journald.conf.d"
cat >"$root/etc/systemd/system/systemd-udev-trigger.service.d/lab.conf" <<EOF
[Service]
ExecStart=
ExecStart=-udevadm trigger --type=devices --action=add --subsystem-match=block --subsystem-match=net
EOF
# For every disk and partition, sg3-utils starts at least three programs. udev's scsi_id needs one.
mkdir -p "$root/etc/udev/rules.d"
for rule in 55-scsi-sg3_id 58-scsi-sg3_symlink; do ln -sf /dev/null "$root/etc/udev/rules.d/$rule.rules"; done
printf '[Journal]\nStorage=volatile\nRuntimeMaxUse=16M\n' >"$root/etc/systemd/journald.conf.d/lab.conf"
# The package of pacemaker writes the first file; a plan writes its own. The watchdog of a UML node
# answers EINVAL.
rm -rf "$root"/etc/corosync/corosync.conf "$root"/etc/systemd/system/*.requires
# The plan assembles the arrays: udev must not start an incomplete set.
printf 'AUTO -all\n' >"$root/etc/mdadm/mdadm.conf"
sed -i 's#^root:\(.*\):[^:]*$#root:\1:/bin/sh#' "$root/etc/passwd"
: >"$root/etc/fstab"
: >"$root/etc/resolv.conf"
echo lab >"$root/etc/hostname"
echo 00000000000000000000000000000001 >"$root/etc/machine-id"
for away in boot var/lib/apt/lists var/cache/apt usr/share/doc usr/share/man usr/share/locale; do
    rm -rf "${root:?}/$away"
done
mkdir -p "$root/boot" "$root/var/lib/apt/lists/partial" "$root/var/cache/apt/archives/partial"
