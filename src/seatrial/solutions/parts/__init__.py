"""What solutions are built from: arrays, file systems, iSCSI, corosync, pacemaker, and the services that move."""
