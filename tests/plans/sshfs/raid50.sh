##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 1 of 9: preflight check (read-only)
# (the preamble)

# (sh/: md_is)
# (look.sh)
# 1. (steps.sh) refuse symbolic links (4)

# 2. (steps.sh) refuse an occupied mount point: /srv/small

# 3. (steps.sh) refuse another cluster (3)

# 4. (steps.sh) refuse a disk that is used twice (4)

# 5. (steps.sh) refuse disks that are in use: create array small-s0, small-s1: RAID 5

# 6. (steps.sh) refuse volumes of another owner on /dev/md/small-s0, /dev/md/small-s1

# 7. (steps.sh) refuse volumes of another owner on /dev/md/small
# (7 steps)
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -6 +5,0 @@
@@ -10 +9 @@
+# 2. (steps.sh) refuse an occupied mount point: /mnt/small
@@ -13,9 +12 @@
+# (3 steps)
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 2 of 9: mark
# (the preamble)

# 1. (steps.sh) mark this node for small
# (1 steps)
##### stage 3, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 3 of 9: packages
# (the preamble)

# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
# 1. install sshd, wipefs, mdadm, mkfs.ext4
check_1() { have_commands sshd wipefs mdadm mkfs.ext4; }
apply_1() {
    note_installed /var/lib/seatrial/made/small/packages
    install_packages 'e2fsprogs mdadm openssh-server util-linux' 'e2fsprogs mdadm openssh-server util-linux'
}
# (1 steps)
##### stage 3, c[1-4] #####
as on nas, but for:
@@ -7,6 +7 @@
+# 1. (steps.sh) install sshfs
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 4 of 9: network
# (the preamble)

# (sh/: link_to mtu_is set_mtu set_mtu_of)
# 1. (steps.sh) set MTU 9000 on the link to c1 (2)
# (1 steps)
##### stage 4, c[1-4] #####
as on nas, but for:
@@ -7 +7 @@
+# 1. (steps.sh) set MTU 9000 on the link to nas
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 5 of 9: array
# (the preamble)

# (sh/: md_is md_is_idle assemble_md settle_md file_is write_file store_version)
# (volumes.sh)
# 1. (steps.sh) assemble the existing array small-s0, small-s1

# 2. (steps.sh) create array small-s0, small-s1: RAID 5

# 3. (steps.sh) refuse volumes of another owner on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg

# 4. (steps.sh) assemble the existing array small

# 5. (steps.sh) create array small: RAID 0

# 6. (steps.sh) refuse volumes of another owner on /dev/md/small-s0, /dev/md/small-s1

# 7. (steps.sh) enable the assembly of the array at boot (3)
# (7 steps)
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 6 of 9: file system
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is)
# (volumes.sh)
# 1. (steps.sh) create the ext4 file system on /dev/md/small

# 2. (steps.sh) refuse volumes of another owner on /dev/md/small

# 3. (steps.sh) enable the mount of /srv/small at boot

# 4. (steps.sh) mount the file system at /srv/small with noatime

# 5. (steps.sh) restore the read-ahead of /dev/md/small
# (5 steps)
##### stage 7, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 7 of 9: login
# (the preamble)

# (sh/: file_is write_file store_version)
# 1. (steps.sh) create the user seatrial

# 2. (steps.sh) permit the clients, for SFTP only

# 3. (steps.sh) give /srv/small to seatrial
# (3 steps)
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 8 of 9: mount
# (the preamble)

# (sh/: file_is write_file store_version fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all put_mount)
# 1. (steps.sh) install the lab's key for the mount

# 2. (steps.sh) install the host keys of nas

# 3. enable the mount of /mnt/small at boot
check_3() {
    fstab_has seatrial@nas:/srv/small /mnt/small fuse.sshfs IdentityFile=/etc/seatrial-small.key,UserKnownHostsFile=/etc/seatrial-small.known-hosts,StrictHostKeyChecking=yes,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions,_netdev
}
apply_3() {
    put_fstab_line seatrial@nas:/srv/small /mnt/small fuse.sshfs IdentityFile=/etc/seatrial-small.key,UserKnownHostsFile=/etc/seatrial-small.known-hosts,StrictHostKeyChecking=yes,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions,_netdev
}

# 4. mount seatrial@nas:/srv/small at /mnt/small with sshfs
check_4() {
    [ "$(grep -c " /mnt/small " /proc/mounts)" = 1 ] &&
    grep -q "^seatrial@nas:/srv/small /mnt/small fuse.sshfs " /proc/mounts &&
    for process in /proc/[0-9]*; do
        read -r name <$process/comm && [ "$name" = sshfs ] && tr "\0" " " <$process/cmdline && echo
    done 2>/dev/null | grep -qxF 'sshfs -o IdentityFile=/etc/seatrial-small.key,UserKnownHostsFile=/etc/seatrial-small.known-hosts,StrictHostKeyChecking=yes,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions seatrial@nas:/srv/small /mnt/small '
}
apply_4() {
    [ -e /dev/fuse ] || modprobe fuse
    put_mount /mnt/small sshfs -o IdentityFile=/etc/seatrial-small.key,UserKnownHostsFile=/etc/seatrial-small.known-hosts,StrictHostKeyChecking=yes,BatchMode=yes,ServerAliveInterval=15,ServerAliveCountMax=3,Compression=no,reconnect,allow_other,default_permissions seatrial@nas:/srv/small /mnt/small
}
# (4 steps)
##### stage 9, nas #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 9 of 9: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# (volumes.sh)
# 1. (steps.sh) store the UUIDs of created volumes (3)

# 2. (steps.sh) write /usr/local/sbin/seatrial-small-network (4)

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) install the boot-time settings of network (3)

# 5. (steps.sh) remove the boot-time settings of mounts (3)
# (5 steps)
##### stage 9, c[1-4] #####
#!/bin/sh
# Seatrial plan small: ssh server nas for 4 clients
# stage 9 of 9: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (3)

# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 3. (steps.sh) install the boot-time settings of network (3)

# 4. (steps.sh) remove the boot-time settings of mounts (3)
# (4 steps)
