##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan small: /gpfs/scratch, as it is mounted on 4 clients
# stage 1 of 4: preflight check
# (the preamble)

# 1. check that /gpfs/scratch is the storage
check_1() {
    [ -d /gpfs/scratch ] && [ "$(stat -c %d /gpfs/scratch)" != "$(stat -c %d /)" ] && case ",$(findmnt -n -o OPTIONS -T /gpfs/scratch | tail -n 1)," in *,ro,*) false ;; esac
}
apply_1() {
    [ -d /gpfs/scratch ] || { echo '/gpfs/scratch: no such directory on this node' >&2; exit 1; }
    case ",$(findmnt -n -o OPTIONS -T /gpfs/scratch | tail -n 1)," in *,ro,*) false ;; esac || { echo '/gpfs/scratch is mounted read-only on this node' >&2; exit 1; }
    echo '/gpfs/scratch is on the root file system of this node: is the storage mounted? If it is meant, set solution.filesystem in the study' >&2
    findmnt -T /gpfs/scratch >&2 || true
    exit 1
}
# (1 steps)
##### stage 2, c1 #####
#!/bin/sh
# Seatrial plan small: /gpfs/scratch, as it is mounted on 4 clients
# stage 2 of 4: folder
# (the preamble)

# (existing_storage.sh)
# 1. create /gpfs/scratch/seatrial-alice
check_1() {
    [ -d /gpfs/scratch/seatrial-alice ] && [ ! -L /gpfs/scratch/seatrial-alice ] && owned_well /gpfs/scratch/seatrial-alice /gpfs/scratch
}
apply_1() {
    if [ -e /gpfs/scratch/seatrial-alice ] || [ -L /gpfs/scratch/seatrial-alice ]; then
        [ -d /gpfs/scratch/seatrial-alice ] && [ ! -L /gpfs/scratch/seatrial-alice ] || { echo '/gpfs/scratch/seatrial-alice exists and is not a folder' >&2; exit 1; }
        foreign_owner /gpfs/scratch/seatrial-alice /gpfs/scratch
        exit 1
    fi
    make_work_folder /gpfs/scratch/seatrial-alice /gpfs/scratch
}
# (1 steps)
##### stage 3, c1 #####
#!/bin/sh
# Seatrial plan small: /gpfs/scratch, as it is mounted on 4 clients
# stage 3 of 4: write
# (the preamble)

# (existing_storage.sh)
# 1. write /gpfs/scratch/seatrial-alice/.seen-by-c1
check_1() {
    [ -f /gpfs/scratch/seatrial-alice/.seen-by-c1 ] && [ ! -L /gpfs/scratch/seatrial-alice/.seen-by-c1 ]
}
apply_1() {
    tries=60
    until [ -d /gpfs/scratch/seatrial-alice ] || [ $tries -le 0 ]; do ls /gpfs/scratch /gpfs/scratch/seatrial-alice >/dev/null 2>&1 || true; sleep 1; tries=$((tries - 1)); done
    [ -d /gpfs/scratch/seatrial-alice ] || { echo "/gpfs/scratch is not the same storage here: the folder that c1 made is not seen" >&2; exit 1; }
    write_marker /gpfs/scratch/seatrial-alice/.seen-by-c1 /gpfs/scratch/seatrial-alice
}
# (1 steps)
##### stage 3, c2 #####
as on c1, but for:
@@ -7 +7 @@
+# 1. write /gpfs/scratch/seatrial-alice/.seen-by-c2
@@ -9 +9 @@
+    [ -f /gpfs/scratch/seatrial-alice/.seen-by-c2 ] && [ ! -L /gpfs/scratch/seatrial-alice/.seen-by-c2 ]
@@ -15 +15 @@
+    write_marker /gpfs/scratch/seatrial-alice/.seen-by-c2 /gpfs/scratch/seatrial-alice
##### stage 3, c3 #####
as on c1, but for:
@@ -7 +7 @@
+# 1. write /gpfs/scratch/seatrial-alice/.seen-by-c3
@@ -9 +9 @@
+    [ -f /gpfs/scratch/seatrial-alice/.seen-by-c3 ] && [ ! -L /gpfs/scratch/seatrial-alice/.seen-by-c3 ]
@@ -15 +15 @@
+    write_marker /gpfs/scratch/seatrial-alice/.seen-by-c3 /gpfs/scratch/seatrial-alice
##### stage 3, c4 #####
as on c1, but for:
@@ -7 +7 @@
+# 1. write /gpfs/scratch/seatrial-alice/.seen-by-c4
@@ -9 +9 @@
+    [ -f /gpfs/scratch/seatrial-alice/.seen-by-c4 ] && [ ! -L /gpfs/scratch/seatrial-alice/.seen-by-c4 ]
@@ -15 +15 @@
+    write_marker /gpfs/scratch/seatrial-alice/.seen-by-c4 /gpfs/scratch/seatrial-alice
##### stage 4, c[1-4] #####
#!/bin/sh
# Seatrial plan small: /gpfs/scratch, as it is mounted on 4 clients
# stage 4 of 4: check
# (the preamble)

# 1. check the marker file of every other client
check_1() {
    missing=; for name in c1 c2 c3 c4; do [ -f /gpfs/scratch/seatrial-alice/.seen-by-$name ] || missing="$missing $name"; done; [ -z "$missing" ]
}
apply_1() {
    tries=60
    until { missing=; for name in c1 c2 c3 c4; do [ -f /gpfs/scratch/seatrial-alice/.seen-by-$name ] || missing="$missing $name"; done; [ -z "$missing" ]; } || [ $tries -le 0 ]; do ls /gpfs/scratch /gpfs/scratch/seatrial-alice >/dev/null 2>&1 || true; sleep 1; tries=$((tries - 1)); done
    { missing=; for name in c1 c2 c3 c4; do [ -f /gpfs/scratch/seatrial-alice/.seen-by-$name ] || missing="$missing $name"; done; [ -z "$missing" ]; } || { echo "/gpfs/scratch is not the same storage here: nothing of$missing is seen" >&2; exit 1; }
}
# (1 steps)
