##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan small: leave /gpfs/scratch
# stage 1 of 3: preflight check
# (the preamble)

# 1. check that /gpfs/scratch is the storage
check_1() {
    [ -d /gpfs/scratch ] && [ "$(findmnt -n -o FSTYPE -T /gpfs/scratch | tail -n 1)" = gpfs ] && case ",$(findmnt -n -o OPTIONS -T /gpfs/scratch | tail -n 1)," in *,ro,*) false ;; esac
}
guard_1() { :; }
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

# 1. remove /gpfs/scratch/seatrial/.seen-by-c1
check_1() {
    [ ! -e /gpfs/scratch/seatrial/.seen-by-c1 ]
}
guard_1() { :; }
apply_1() {
    rm /gpfs/scratch/seatrial/.seen-by-c1
}
# (1 steps)
##### stage 2, c2 #####
as on c1, but for:
@@ -6 +6 @@
+# 1. remove /gpfs/scratch/seatrial/.seen-by-c2
@@ -8 +8 @@
+    [ ! -e /gpfs/scratch/seatrial/.seen-by-c2 ]
@@ -12 +12 @@
+    rm /gpfs/scratch/seatrial/.seen-by-c2
##### stage 2, c3 #####
as on c1, but for:
@@ -6 +6 @@
+# 1. remove /gpfs/scratch/seatrial/.seen-by-c3
@@ -8 +8 @@
+    [ ! -e /gpfs/scratch/seatrial/.seen-by-c3 ]
@@ -12 +12 @@
+    rm /gpfs/scratch/seatrial/.seen-by-c3
##### stage 2, c4 #####
as on c1, but for:
@@ -6 +6 @@
+# 1. remove /gpfs/scratch/seatrial/.seen-by-c4
@@ -8 +8 @@
+    [ ! -e /gpfs/scratch/seatrial/.seen-by-c4 ]
@@ -12 +12 @@
+    rm /gpfs/scratch/seatrial/.seen-by-c4
##### stage 3, c1 #####
#!/bin/sh
# Seatrial plan small: leave /gpfs/scratch
# stage 3 of 3: folder
# (the preamble)

# 1. remove the folder /gpfs/scratch/seatrial
check_1() {
    [ ! -d /gpfs/scratch/seatrial ] || [ -n "$(ls -A /gpfs/scratch/seatrial)" ]
}
guard_1() { :; }
apply_1() {
    rmdir /gpfs/scratch/seatrial
}
# (1 steps)
