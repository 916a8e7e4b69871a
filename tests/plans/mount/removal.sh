##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan small: leave /gpfs/scratch
# stage 1 of 3: preflight check
# (the preamble)

# 1. check that /gpfs/scratch is the storage
check_1() {
    [ -d /gpfs/scratch ] && [ "$(findmnt -n -o FSTYPE -T /gpfs/scratch | tail -n 1)" = gpfs ] && case ",$(findmnt -n -o OPTIONS -T /gpfs/scratch | tail -n 1)," in *,ro,*) false ;; esac
}
apply_1() {
    [ -d /gpfs/scratch ] || { echo '/gpfs/scratch: no such directory on this node' >&2; exit 1; }
    case ",$(findmnt -n -o OPTIONS -T /gpfs/scratch | tail -n 1)," in *,ro,*) false ;; esac || { echo '/gpfs/scratch is mounted read-only on this node' >&2; exit 1; }
    echo '/gpfs/scratch is not on a file system of type gpfs' >&2
    findmnt -T /gpfs/scratch >&2 || true
    exit 1
}
# (1 steps)
##### stage 2, c1 #####
#!/bin/sh
# Seatrial plan small: leave /gpfs/scratch
# stage 2 of 3: unmark
# (the preamble)

# 1. remove /gpfs/scratch/seatrial-alice/.seen-by-c1
check_1() { [ ! -e /gpfs/scratch/seatrial-alice/.seen-by-c1 ]; }
apply_1() { rm /gpfs/scratch/seatrial-alice/.seen-by-c1; }
# (1 steps)
##### stage 2, c2 #####
as on c1, but for:
@@ -6,3 +6,3 @@
+# 1. remove /gpfs/scratch/seatrial-alice/.seen-by-c2
+check_1() { [ ! -e /gpfs/scratch/seatrial-alice/.seen-by-c2 ]; }
+apply_1() { rm /gpfs/scratch/seatrial-alice/.seen-by-c2; }
##### stage 2, c3 #####
as on c1, but for:
@@ -6,3 +6,3 @@
+# 1. remove /gpfs/scratch/seatrial-alice/.seen-by-c3
+check_1() { [ ! -e /gpfs/scratch/seatrial-alice/.seen-by-c3 ]; }
+apply_1() { rm /gpfs/scratch/seatrial-alice/.seen-by-c3; }
##### stage 2, c4 #####
as on c1, but for:
@@ -6,3 +6,3 @@
+# 1. remove /gpfs/scratch/seatrial-alice/.seen-by-c4
+check_1() { [ ! -e /gpfs/scratch/seatrial-alice/.seen-by-c4 ]; }
+apply_1() { rm /gpfs/scratch/seatrial-alice/.seen-by-c4; }
##### stage 3, c1 #####
#!/bin/sh
# Seatrial plan small: leave /gpfs/scratch
# stage 3 of 3: folder
# (the preamble)

# (existing_storage.sh)
# 1. remove what an interrupted run left in /gpfs/scratch/seatrial-alice
check_1() { [ -z "$(left_by_runs /gpfs/scratch/seatrial-alice)" ]; }
apply_1() {
    left_by_runs /gpfs/scratch/seatrial-alice | while read -r path; do rm -rf "$path"; done
}

# 2. remove the folder /gpfs/scratch/seatrial-alice
check_2() {
    [ ! -d /gpfs/scratch/seatrial-alice ] || [ -n "$(ls -A /gpfs/scratch/seatrial-alice)" ]
}
apply_2() { rmdir /gpfs/scratch/seatrial-alice; }
# (2 steps)
