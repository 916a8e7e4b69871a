##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 1 of 10: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /srv/small

# 3. (steps.sh) refuse another cluster (3)

# 4. (steps.sh) refuse disks that are in use: create the ext4 file system on /dev/ubdb
# (4 steps)
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -9 +9 @@
+# 2. (steps.sh) refuse an occupied mount point: /mnt/small
@@ -12,3 +12 @@
+# (3 steps)
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 2 of 10: mark
# (the preamble)

# 1. (steps.sh) mark this node for small
# (1 steps)
##### stage 3, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 3 of 10: packages
# (the preamble)

# (sh/: have_commands install_packages install_disabled note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install smbd, wipefs, mkfs.ext4
# (1 steps)
##### stage 3, c[1-4] #####
as on nas, but for:
@@ -6,2 +6,2 @@
+# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
+# 1. (steps.sh) install mount.cifs
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 4 of 10: network
# (the preamble)

# (sh/: link_to mtu_is set_mtu set_mtu_of)
# 1. set MTU 9000 on the link to c1-data
#    why: fewer and larger packets cost less per byte; all nodes and the switch must agree
check_1() { mtu_is 9000 ahostsv4 c1-data; }
apply_1() { set_mtu 9000 /var/lib/seatrial/made/small/before ahostsv4 c1-data; }
# (1 steps)
##### stage 4, c[1-4] #####
as on nas, but for:
@@ -7 +7 @@
+# 1. set MTU 9000 on the link to nas-data
@@ -9,2 +9,2 @@
+check_1() { mtu_is 9000 ahostsv4 nas-data; }
+apply_1() { set_mtu 9000 /var/lib/seatrial/made/small/before ahostsv4 nas-data; }
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 5 of 10: file system
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is)
# (volumes.sh)
# 1. (steps.sh) create the ext4 file system on /dev/ubdb

# 2. (steps.sh) refuse volumes of another owner on /dev/ubdb (2)

# 3. (steps.sh) enable the mount of /srv/small at boot (2)

# 4. (steps.sh) mount the file system at /srv/small with noatime

# 5. (steps.sh) restore the read-ahead of /dev/ubdb
# (5 steps)
##### stage 6, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 6 of 10: credentials
# (the preamble)

# (sh/: file_is write_file store_version)
# 1. (steps.sh) store the password, readable by root only
# (1 steps)
##### stage 7, c[1-4] #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 7 of 10: unmount other shares
# (the preamble)

# (sh/: mounted_at unmount_all mount_is)
# 1. unmount another file system at /mnt/small
check_1() {
    ! grep -q ' /mnt/small ' /proc/mounts || {
    mount_is /mnt/small '//nas-data/small vers=3.0,cache=none,username=seatrial-small,credentials=/etc/seatrial-small.credentials,rsize=1048576,wsize=65536,hard,nobrl' /run/seatrial-small.mount
    }
}
apply_1() { unmount_all /mnt/small; }
# (1 steps)
##### stage 8, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 8 of 10: share
# (the preamble)

# (sh/: file_is write_file store_version reread_unit)
# 1. (steps.sh) give /srv/small to the user seatrial-small

# 2. (steps.sh) create the folders of Samba

# 3. configure a dedicated Samba server: sync always, encryption required, signing required
content_3() { cat <<'SEATRIAL'
[global]
server role = standalone server
smb ports = 445
disable netbios = yes
interfaces = nas-data
bind interfaces only = yes
load printers = no
printcap name = /dev/null
disable spoolss = yes
rpc start on demand helpers = no
usershare max shares = 0
server smb encrypt = required
server signing = mandatory
map to guest = never
restrict anonymous = 2
pid directory = /run/seatrial-smb-small
ncalrpc dir = /run/seatrial-smb-small/ncalrpc
lock directory = /var/lib/seatrial-smb-small/lock
state directory = /var/lib/seatrial-smb-small/state
cache directory = /var/lib/seatrial-smb-small/cache
private dir = /var/lib/seatrial-smb-small/private
log file = /var/lib/seatrial-smb-small/log.smbd

[small]
path = /srv/small
read only = no
valid users = seatrial-small
case sensitive = yes
strict sync = yes
sync always = yes
SEATRIAL
}
check_3() { content | file_is /etc/samba/seatrial-small.conf; }
apply_3() { content | write_file /etc/samba/seatrial-small.conf; }

# 4. (steps.sh) set the Samba password of seatrial-small

# 5. (steps.sh) write /etc/systemd/system/seatrial-smbd-small.service

# 6. (steps.sh) check that port 445 is free

# 7. start the Samba server
#    why: sync always: every write is on the disks before the server answers
check_7() {
    systemctl -q is-active seatrial-smbd-small.service && cmp -s /etc/samba/seatrial-small.conf /run/seatrial-smb-small/smb.conf &&
    [ -e /etc/systemd/system/multi-user.target.wants/seatrial-smbd-small.service ]
}
apply_7() {
    mkdir -p -m 755 /var/lib/seatrial-smb-small
    systemctl -q --no-reload enable seatrial-smbd-small.service
    systemctl restart seatrial-smbd-small.service
}
# (7 steps)
##### stage 9, c[1-4] #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 9 of 10: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is put_mount)
# 1. enable the mount of /mnt/small at boot
check_1() {
    fstab_has //nas-data/small /mnt/small cifs vers=3.0,cache=none,username=seatrial-small,credentials=/etc/seatrial-small.credentials,rsize=1048576,wsize=65536,hard,nobrl,_netdev
}
apply_1() {
    put_fstab_line //nas-data/small /mnt/small cifs vers=3.0,cache=none,username=seatrial-small,credentials=/etc/seatrial-small.credentials,rsize=1048576,wsize=65536,hard,nobrl,_netdev
}

# 2. mount //nas-data/small at /mnt/small with vers=3.0,cache=none,username=seatrial-small,credentials=/etc/seatrial-small.credentials,rsize=1048576,wsize=65536,hard,nobrl
check_2() {
    mount_is /mnt/small '//nas-data/small vers=3.0,cache=none,username=seatrial-small,credentials=/etc/seatrial-small.credentials,rsize=1048576,wsize=65536,hard,nobrl' /run/seatrial-small.mount
}
apply_2() {
    put_mount /mnt/small mount -t cifs -o vers=3.0,cache=none,username=seatrial-small,credentials=/etc/seatrial-small.credentials,rsize=1048576,wsize=65536,hard,nobrl //nas-data/small /mnt/small
    note_mount /mnt/small '//nas-data/small vers=3.0,cache=none,username=seatrial-small,credentials=/etc/seatrial-small.credentials,rsize=1048576,wsize=65536,hard,nobrl' /run/seatrial-small.mount
}
# (2 steps)
##### stage 10, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 10 of 10: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# (volumes.sh)
# 1. (steps.sh) store the UUIDs of created volumes (2)

# 2. write /usr/local/sbin/seatrial-small-network
content_2() { cat <<'SEATRIAL'
#!/bin/sh
# What small has set on this node, after a boot.
# (sh/: link_to)
# (sh/: mtu_is)
# (sh/: set_mtu)
# (sh/: set_mtu_of)
bad=0
# set MTU 9000 on the link to c1-data
if ! (
mtu_is 9000 ahostsv4 c1-data
) >/dev/null 2>&1; then
(
set -e
set_mtu 9000 /var/lib/seatrial/made/small/before ahostsv4 c1-data
)
[ $? -eq 0 ] || bad=1  # `set -e` ends nothing left of ||
fi
exit $bad
SEATRIAL
}
check_2() { content | file_is /usr/local/sbin/seatrial-small-network; }
apply_2() {
    content | write_file /usr/local/sbin/seatrial-small-network 755
    restart_if_active seatrial-small-network
}

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) install the boot-time settings of network (3)

# 5. (steps.sh) remove the boot-time settings of mounts (3)
# (5 steps)
##### stage 10, c[1-4] #####
as on nas, but for:
@@ -7,5 +7,2 @@
+# 1. write /usr/local/sbin/seatrial-small-network
+content_1() { cat <<'SEATRIAL'
@@ -19 +16 @@
+# set MTU 9000 on the link to nas-data
@@ -21 +18 @@
+mtu_is 9000 ahostsv4 nas-data
@@ -25 +22 @@
+set_mtu 9000 /var/lib/seatrial/made/small/before ahostsv4 nas-data
@@ -32,2 +29,2 @@
+check_1() { content | file_is /usr/local/sbin/seatrial-small-network; }
+apply_1() {
@@ -38 +35 @@
+# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service
@@ -40 +37 @@
+# 3. (steps.sh) install the boot-time settings of network (3)
@@ -42,2 +39,2 @@
+# 4. (steps.sh) remove the boot-time settings of mounts (3)
+# (4 steps)
