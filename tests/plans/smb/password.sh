##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 1 of 11: preflight check (read-only)
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
# Seatrial plan small: SMB server nas for 4 clients
# stage 2 of 11: mark
# (the preamble)

# 1. (steps.sh) mark this node for small
# (1 steps)
##### stage 3, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 3 of 11: packages
# (the preamble)

# (sh/: have_commands install_packages install_disabled note_installed installed_packages keep_packages note_packages)
# 1. (steps.sh) install smbd, wipefs, mdadm, mkfs.ext4
# (1 steps)
##### stage 3, c[1-4] #####
as on nas, but for:
@@ -6,2 +6,2 @@
+# (sh/: have_commands install_packages note_installed installed_packages keep_packages note_packages)
+# 1. (steps.sh) install mount.cifs
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 4 of 11: network
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
# Seatrial plan small: SMB server nas for 4 clients
# stage 5 of 11: array
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
# Seatrial plan small: SMB server nas for 4 clients
# stage 6 of 11: file system
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is)
# (volumes.sh)
# 1. (steps.sh) create the ext4 file system on /dev/md/small

# 2. (steps.sh) refuse volumes of another owner on /dev/md/small

# 3. (steps.sh) enable the mount of /srv/small at boot

# 4. (steps.sh) mount the file system at /srv/small with noatime

# 5. (steps.sh) restore the read-ahead of /dev/md/small
# (5 steps)
##### stage 7, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 7 of 11: credentials
# (the preamble)

# (sh/: file_is write_file store_version)
# 1. store the password, readable by root only
content_1() { cat <<'SEATRIAL'
password=not-so-secret
SEATRIAL
}
check_1() { content | file_is /etc/seatrial-small.credentials; }
apply_1() { content | write_file /etc/seatrial-small.credentials 600; }
# (1 steps)
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 8 of 11: unmount other shares
# (the preamble)

# (sh/: mounted_at unmount_all mount_is)
# 1. (steps.sh) unmount another file system at /mnt/small
# (1 steps)
##### stage 9, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 9 of 11: share
# (the preamble)

# (sh/: file_is write_file store_version reread_unit)
# 1. (steps.sh) give /srv/small to the user seatrial-small

# 2. (steps.sh) create the folders of Samba

# 3. (steps.sh) configure a dedicated Samba server: sync strict, encryption auto, signing auto

# 4. (steps.sh) set the Samba password of seatrial-small

# 5. (steps.sh) write /etc/systemd/system/seatrial-smbd-small.service

# 6. (steps.sh) check that port 445 is free

# 7. (steps.sh) start the Samba server
# (7 steps)
##### stage 10, c[1-4] #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 10 of 11: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is put_mount)
# 1. (steps.sh) enable the mount of /mnt/small at boot (2)

# 2. (steps.sh) mount //nas/small at /mnt/small with vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard
# (2 steps)
##### stage 11, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 11 of 11: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# (volumes.sh)
# 1. (steps.sh) store the UUIDs of created volumes (3)

# 2. (steps.sh) write /usr/local/sbin/seatrial-small-network (4)

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) install the boot-time settings of network (3)

# 5. (steps.sh) remove the boot-time settings of mounts (3)
# (5 steps)
##### stage 11, c[1-4] #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 11 of 11: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (3)

# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 3. (steps.sh) install the boot-time settings of network (3)

# 4. (steps.sh) remove the boot-time settings of mounts (3)
# (4 steps)
