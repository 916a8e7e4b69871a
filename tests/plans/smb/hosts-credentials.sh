##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 1 of 9: preflight check (read-only)
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
# Seatrial plan small: SMB server nas for 4 clients
# stage 2 of 9: mark
# (the preamble)

# 1. (steps.sh) mark this node for small
# (1 steps)
##### stage 3, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 3 of 9: packages
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
# stage 4 of 9: network
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
# Seatrial plan small: SMB server nas for 4 clients
# stage 5 of 9: file system
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is)
# (volumes.sh)
# 1. (steps.sh) create the ext4 file system on /dev/sdb

# 2. (steps.sh) refuse volumes of another owner on /dev/sdb

# 3. (steps.sh) enable the mount of /srv/small at boot (3)

# 4. (steps.sh) mount the file system at /srv/small with noatime

# 5. (steps.sh) restore the read-ahead of /dev/sdb
# (5 steps)
##### stage 6, c[1-4] #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 6 of 9: unmount other shares
# (the preamble)

# (sh/: mounted_at unmount_all mount_is)
# 1. unmount another file system at /mnt/small
check_1() {
    ! grep -q ' /mnt/small ' /proc/mounts || {
    mount_is /mnt/small '//10.0.0.9/small vers=3.1.1,cache=strict,username=seatrial-small,credentials=/root/smb.credentials,hard' /run/seatrial-small.mount
    }
}
apply_1() { unmount_all /mnt/small; }
# (1 steps)
##### stage 7, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 7 of 9: share
# (the preamble)

# (sh/: file_is write_file store_version reread_unit)
# 1. (steps.sh) give /srv/small to the user seatrial-small

# 2. (steps.sh) create the folders of Samba

# 3. (steps.sh) configure a dedicated Samba server: sync strict, encryption auto, signing auto

# 4. set the Samba password of seatrial-small
check_4() {
    cmp -s /root/smb.credentials /var/lib/seatrial-smb-small/private/credentials &&
    pdbedit -s /etc/samba/seatrial-small.conf -L -u seatrial-small >/dev/null
}
apply_4() {
    password=$(sed -n 's/^password=//p' /root/smb.credentials)
    [ -n "$password" ] || { echo '/root/smb.credentials has no line password=...'; exit 1; }
    printf '%s\n%s\n' "$password" "$password" | smbpasswd -c /etc/samba/seatrial-small.conf -s -a seatrial-small
    cp /root/smb.credentials /var/lib/seatrial-smb-small/private/credentials
}

# 5. (steps.sh) write /etc/systemd/system/seatrial-smbd-small.service

# 6. (steps.sh) check that port 445 is free

# 7. (steps.sh) start the Samba server
# (7 steps)
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 8 of 9: mount
# (the preamble)

# (sh/: fstab_has put_fstab_line lines_of_others replace_fstab mounted_at unmount_all note_mount mount_is put_mount)
# 1. enable the mount of /mnt/small at boot
check_1() {
    fstab_has //10.0.0.9/small /mnt/small cifs vers=3.1.1,cache=strict,username=seatrial-small,credentials=/root/smb.credentials,hard,_netdev
}
apply_1() {
    put_fstab_line //10.0.0.9/small /mnt/small cifs vers=3.1.1,cache=strict,username=seatrial-small,credentials=/root/smb.credentials,hard,_netdev
}

# 2. mount //10.0.0.9/small at /mnt/small with vers=3.1.1,cache=strict,username=seatrial-small,credentials=/root/smb.credentials,hard
check_2() {
    mount_is /mnt/small '//10.0.0.9/small vers=3.1.1,cache=strict,username=seatrial-small,credentials=/root/smb.credentials,hard' /run/seatrial-small.mount
}
apply_2() {
    put_mount /mnt/small mount -t cifs -o vers=3.1.1,cache=strict,username=seatrial-small,credentials=/root/smb.credentials,hard //10.0.0.9/small /mnt/small
    note_mount /mnt/small '//10.0.0.9/small vers=3.1.1,cache=strict,username=seatrial-small,credentials=/root/smb.credentials,hard' /run/seatrial-small.mount
}
# (2 steps)
##### stage 9, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 9 of 9: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# (volumes.sh)
# 1. (steps.sh) store the UUIDs of created volumes (6)

# 2. (steps.sh) write /usr/local/sbin/seatrial-small-network (4)

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) install the boot-time settings of network (3)

# 5. (steps.sh) remove the boot-time settings of mounts (3)
# (5 steps)
##### stage 9, c[1-4] #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 9 of 9: store volume UUIDs; install boot-time settings
# (the preamble)

# (sh/: file_is write_file no_file store_version units_are reread_unit restart_if_active unit_runs start_unit stop_unit remove_unit without_systemd)
# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (2)

# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 3. (steps.sh) install the boot-time settings of network (3)

# 4. (steps.sh) remove the boot-time settings of mounts (3)
# (4 steps)
