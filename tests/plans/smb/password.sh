##### stage 1, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 1 of 11: look, and change nothing
# (the preamble)

# (look.sh)
# 1. (steps.sh) follow no link (4)

# 2. (steps.sh) mount over nothing: /srv/small

# 3. (steps.sh) leave other clusters alone (3)

# 4. (steps.sh) use no disk twice (4)

# 5. (steps.sh) overwrite nothing that is somebody's: create small-s0, small-s1: RAID 5

# 6. (steps.sh) leave alone what somebody else has made on /dev/md/small-s0, /dev/md/small-s1

# 7. (steps.sh) leave alone what somebody else has made on /dev/md/small
# (7 steps)
##### stage 1, c[1-4] #####
as on nas, but for:
@@ -9 +9 @@
+# 2. (steps.sh) mount over nothing: /mnt/small
@@ -12,9 +12 @@
+# (3 steps)
##### stage 2, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 2 of 11: mark
# (the preamble)

# 1. (steps.sh) note that small builds on this node
# (1 steps)
##### stage 3, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 3 of 11: packages
# (the preamble)

# (kept.sh)
# 1. (steps.sh) have smbd, wipefs, mdadm, mkfs.ext4
# (1 steps)
##### stage 3, c[1-4] #####
as on nas, but for:
@@ -7 +7 @@
+# 1. (steps.sh) have mount.cifs
##### stage 4, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 4 of 11: network
# (the preamble)

# 1. (steps.sh) MTU 9000 on the link towards c1 (2)
# (1 steps)
##### stage 4, c[1-4] #####
as on nas, but for:
@@ -6 +6 @@
+# 1. (steps.sh) MTU 9000 on the link towards nas
##### stage 5, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 5 of 11: array
# (the preamble)

# (volumes.sh)
# 1. (steps.sh) assemble small-s0, small-s1 where it exists already

# 2. (steps.sh) create small-s0, small-s1: RAID 5

# 3. (steps.sh) leave alone what somebody else has made on /dev/ubdb, /dev/ubdc, /dev/ubdd, /dev/ubde, /dev/ubdf, /dev/ubdg

# 4. (steps.sh) assemble small where it exists already

# 5. (steps.sh) create small: RAID 0

# 6. (steps.sh) leave alone what somebody else has made on /dev/md/small-s0, /dev/md/small-s1

# 7. (steps.sh) assemble the array at every boot (3)
# (7 steps)
##### stage 6, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 6 of 11: file system
# (the preamble)

# (volumes.sh)
# 1. (steps.sh) make the ext4 file system on /dev/md/small

# 2. (steps.sh) leave alone what somebody else has made on /dev/md/small

# 3. (steps.sh) mount /srv/small at every boot

# 4. (steps.sh) mount it at /srv/small with noatime

# 5. (steps.sh) /dev/md/small reads ahead as it did before
# (5 steps)
##### stage 7, c[1-4],nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 7 of 11: credentials
# (the preamble)

# 1. keep the password for root alone
check_1() {
    cmp -s /etc/seatrial-small.credentials - <<'SEATRIAL'
password=not-so-secret
SEATRIAL
}
guard_1() { :; }
apply_1() {
    umask 077
    mkdir -p /etc
    cat >/etc/seatrial-small.credentials.new <<'SEATRIAL' || { rm -f /etc/seatrial-small.credentials.new; exit 1; }
password=not-so-secret
SEATRIAL
    mv /etc/seatrial-small.credentials.new /etc/seatrial-small.credentials
}
# (1 steps)
##### stage 8, c[1-4] #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 8 of 11: let go
# (the preamble)

# 1. (steps.sh) have nothing else mounted at /mnt/small
# (1 steps)
##### stage 9, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 9 of 11: share
# (the preamble)

# 1. (steps.sh) have the user seatrial-small own /srv/small

# 2. (steps.sh) have folders

# 3. (steps.sh) configure a Samba server of its own: sync strict, encryption auto, signing auto

# 4. (steps.sh) let seatrial-small log in with the password

# 5. (steps.sh) write /etc/systemd/system/seatrial-smbd-small.service

# 6. (steps.sh) find port 445 free

# 7. (steps.sh) serve the share as configured
# (7 steps)
##### stage 10, c[1-4] #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 10 of 11: mount
# (the preamble)

# 1. (steps.sh) mount /mnt/small at every boot (2)

# 2. (steps.sh) mount //nas/small at /mnt/small with vers=3.1.1,cache=strict,username=seatrial-small,credentials=/etc/seatrial-small.credentials,hard
# (2 steps)
##### stage 11, nas #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 11 of 11: note what was made, and what every boot sets
# (the preamble)

# (volumes.sh)
# 1. (steps.sh) note what was made, by UUID (3)

# 2. (steps.sh) write /usr/local/sbin/seatrial-small-network (4)

# 3. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 4. (steps.sh) have the settings of network outlive a boot (3)

# 5. (steps.sh) set nothing of mounts after a boot (3)
# (5 steps)
##### stage 11, c[1-4] #####
#!/bin/sh
# Seatrial plan small: SMB server nas for 4 clients
# stage 11 of 11: note what was made, and what every boot sets
# (the preamble)

# 1. (steps.sh) write /usr/local/sbin/seatrial-small-network (3)

# 2. (steps.sh) write /etc/systemd/system/seatrial-small-network.service

# 3. (steps.sh) have the settings of network outlive a boot (3)

# 4. (steps.sh) set nothing of mounts after a boot (3)
# (4 steps)
