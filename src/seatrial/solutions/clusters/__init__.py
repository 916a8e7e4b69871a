"""What clusters of servers are built from: a shared array, corosync, pacemaker, and the services that move."""
