##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 1 of 8: preflight check (read-only)
# (the preamble)

# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /srv/small

# 3. (steps.sh) refuse another cluster (3)

# 4. (steps.sh) refuse disks that are in use: create the ext4 file system on /dev/sdb
# (4 steps)
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -9 +9 @@
+# 2. (steps.sh) refuse an occupied mount point: /mnt/small
@@ -12,3 +12 @@
+# (3 steps)
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 2 of 8: mark
# (the preamble)

# 1. (steps.sh) mark this node for small
# (1 steps)
##### stage 3, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 3 of 8: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install sshd, wipefs, mkfs.ext4
# (1 steps)
##### stage 3, c[1-4] #####
as on nas, but for:
@@ -7 +7 @@
+# 1. (steps.sh) install sshfs
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 4 of 8: network
# (the preamble)

# (sh/: link_to mtu_is set_mtu set_mtu_of)
# 1. (steps.sh) set MTU 9000 on the link to c1 (2)
# (1 steps)
##### stage 4, c[1-4] #####
as on nas, but for:
@@ -7 +7 @@
+# 1. (steps.sh) set MTU 9000 on the link to 10.0.0.9
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 5 of 8: file system
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is)
# (volumes.sh)
# 1. (steps.sh) create the ext4 file system on /dev/sdb

# 2. (steps.sh) refuse volumes of another owner on /dev/sdb

# 3. (steps.sh) enable the mount of /srv/small at boot (3)

# 4. (steps.sh) mount the file system at /srv/small with noatime

# 5. (steps.sh) restore the read-ahead of /dev/sdb
# (5 steps)
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 6 of 8: login
# (the preamble)

# 1. give /srv/small to scratch
check_1() { [ "$(stat -c %U /srv/small)" = scratch ]; }
apply_1() { chown scratch /srv/small; }
# (1 steps)
##### stage 7, c[1-4] #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 7 of 8: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all put_mount)
# 1. enable the mount of /mnt/small at boot
check_1() {
    fstab_has scratch@10.0.0.9:/srv/small /mnt/small fuse.sshfs IdentityFile=/root/.ssh/scratch,UserKnownHostsFile=/root/.ssh/known_hosts,StrictHostKeyChecking=yes,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions,_netdev
}
apply_1() {
    put_fstab_line scratch@10.0.0.9:/srv/small /mnt/small fuse.sshfs IdentityFile=/root/.ssh/scratch,UserKnownHostsFile=/root/.ssh/known_hosts,StrictHostKeyChecking=yes,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions,_netdev
}

# 2. mount scratch@10.0.0.9:/srv/small at /mnt/small with sshfs
check_2() {
    [ "$(grep -c " /mnt/small " /proc/mounts)" = 1 ] &&
    grep -q "^scratch@10.0.0.9:/srv/small /mnt/small fuse.sshfs " /proc/mounts &&
    for process in /proc/[0-9]*; do
        read -r name <$process/comm && [ "$name" = sshfs ] && tr "\0" " " <$process/cmdline && echo
    done 2>/dev/null | grep -qxF 'sshfs -o IdentityFile=/root/.ssh/scratch,UserKnownHostsFile=/root/.ssh/known_hosts,StrictHostKeyChecking=yes,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions scratch@10.0.0.9:/srv/small /mnt/small '
}
apply_2() {
    [ -e /dev/fuse ] || modprobe fuse
    put_mount /mnt/small sshfs -o IdentityFile=/root/.ssh/scratch,UserKnownHostsFile=/root/.ssh/known_hosts,StrictHostKeyChecking=yes,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions scratch@10.0.0.9:/srv/small /mnt/small
}
# (2 steps)
##### stage 8, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 8 of 8: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# (volumes.sh)
# 1. (steps.sh) store the UUIDs of created volumes (6)

# 2. (steps.sh) write /usr/local/sbin/seatrial-small-network (4)

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) install the boot-time settings of network (3)

# 5. (steps.sh) remove the boot-time settings of mounts (3)
# (5 steps)
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 8 of 8: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (2)

# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 3. (steps.sh) install the boot-time settings of network (3)

# 4. (steps.sh) remove the boot-time settings of mounts (3)
# (4 steps)
