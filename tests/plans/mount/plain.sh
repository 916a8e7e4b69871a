##### stage 1, c[1-4] #####
#!/bin/sh
# Seatrial plan small: /gpfs/scratch, as it is mounted on 4 clients
# stage 1 of 4: preflight check
# (the preamble)

# 1. check that /gpfs/scratch is the storage
check_1() {
    [ -d /gpfs/scratch ] && [ "$(stat -c %d /gpfs/scratch)" != "$(stat -c %d /)" ] && case ",$(findmnt -n -o OPTIONS -T /gpfs/scratch | tail -n 1)," in *,ro,*) false ;; esac
}
guard_1() { :; }
apply_1() {
    [ -d /gpfs/scratch ] || { echo '/gpfs/scratch: no such directory on this node' >&2; exit 1; }
    case ",$(findmnt -n -o OPTIONS -T /gpfs/scratch | tail -n 1)," in *,ro,*) false ;; esac || { echo '/gpfs/scratch is mounted read-only on this node' >&2; exit 1; }
    echo '/gpfs/scratch is on the root file system of this node: is the storage mounted? If it is meant, say solution.filesystem in the study' >&2
    findmnt -T /gpfs/scratch >&2 || true
    exit 1
}
# (1 steps)
##### stage 2, c1 #####
#!/bin/sh
# Seatrial plan small: /gpfs/scratch, as it is mounted on 4 clients
# stage 2 of 4: folder
# (the preamble)

# 1. create /gpfs/scratch/seatrial
check_1() {
    [ -d /gpfs/scratch/seatrial ] && [ ! -L /gpfs/scratch/seatrial ] && { case $(stat -c %u /gpfs/scratch/seatrial) in 0 | 65534 | "$(stat -c %u /gpfs/scratch)") ;; *) false ;; esac; }
}
guard_1() { :; }
apply_1() {
    if [ -e /gpfs/scratch/seatrial ] || [ -L /gpfs/scratch/seatrial ]; then
        [ -d /gpfs/scratch/seatrial ] && [ ! -L /gpfs/scratch/seatrial ] || { echo '/gpfs/scratch/seatrial is there and no folder' >&2; exit 1; }
        echo "/gpfs/scratch/seatrial belongs to the user $(stat -c %u /gpfs/scratch/seatrial), who could put links there that root" \
            "would follow: only root or the owner of /gpfs/scratch may have made it" >&2
        exit 1
    fi
    mkdir -m 1777 /gpfs/scratch/seatrial || {
        echo 'root may not write here (root_squash?): make /gpfs/scratch/seatrial yourself, with mode 1777' >&2
        exit 1
    }
    case $(stat -c %u /gpfs/scratch/seatrial) in 0 | 65534 | "$(stat -c %u /gpfs/scratch)") ;; *) false ;; esac || {
        echo 'the server knows root as another user here: make /gpfs/scratch/seatrial yourself, with mode' \
            '1777, as root or the owner of /gpfs/scratch' >&2
        rmdir /gpfs/scratch/seatrial
        exit 1
    }
}
# (1 steps)
##### stage 3, c1 #####
#!/bin/sh
# Seatrial plan small: /gpfs/scratch, as it is mounted on 4 clients
# stage 3 of 4: write
# (the preamble)

# 1. write /gpfs/scratch/seatrial/.seen-by-c1
check_1() {
    [ -f /gpfs/scratch/seatrial/.seen-by-c1 ] && [ ! -L /gpfs/scratch/seatrial/.seen-by-c1 ]
}
guard_1() { :; }
apply_1() {
    tries=60
    until [ -d /gpfs/scratch/seatrial ] || [ $tries -le 0 ]; do ls /gpfs/scratch /gpfs/scratch/seatrial >/dev/null 2>&1 || true; sleep 1; tries=$((tries - 1)); done
    [ -d /gpfs/scratch/seatrial ] || { echo "/gpfs/scratch is not the same storage here: the folder that c1 made is not seen" >&2; exit 1; }
    set -C
    : >/gpfs/scratch/seatrial/.seen-by-c1
    set +C
    sync /gpfs/scratch/seatrial/.seen-by-c1
}
# (1 steps)
##### stage 3, c2 #####
as on c1, but for:
@@ -6 +6 @@
+# 1. write /gpfs/scratch/seatrial/.seen-by-c2
@@ -8 +8 @@
+    [ -f /gpfs/scratch/seatrial/.seen-by-c2 ] && [ ! -L /gpfs/scratch/seatrial/.seen-by-c2 ]
@@ -16 +16 @@
+    : >/gpfs/scratch/seatrial/.seen-by-c2
@@ -18 +18 @@
+    sync /gpfs/scratch/seatrial/.seen-by-c2
##### stage 3, c3 #####
as on c1, but for:
@@ -6 +6 @@
+# 1. write /gpfs/scratch/seatrial/.seen-by-c3
@@ -8 +8 @@
+    [ -f /gpfs/scratch/seatrial/.seen-by-c3 ] && [ ! -L /gpfs/scratch/seatrial/.seen-by-c3 ]
@@ -16 +16 @@
+    : >/gpfs/scratch/seatrial/.seen-by-c3
@@ -18 +18 @@
+    sync /gpfs/scratch/seatrial/.seen-by-c3
##### stage 3, c4 #####
as on c1, but for:
@@ -6 +6 @@
+# 1. write /gpfs/scratch/seatrial/.seen-by-c4
@@ -8 +8 @@
+    [ -f /gpfs/scratch/seatrial/.seen-by-c4 ] && [ ! -L /gpfs/scratch/seatrial/.seen-by-c4 ]
@@ -16 +16 @@
+    : >/gpfs/scratch/seatrial/.seen-by-c4
@@ -18 +18 @@
+    sync /gpfs/scratch/seatrial/.seen-by-c4
##### stage 4, c[1-4] #####
#!/bin/sh
# Seatrial plan small: /gpfs/scratch, as it is mounted on 4 clients
# stage 4 of 4: check
# (the preamble)

# 1. check the marker file of every other client
check_1() {
    missing=; for name in c1 c2 c3 c4; do [ -f /gpfs/scratch/seatrial/.seen-by-$name ] || missing="$missing $name"; done; [ -z "$missing" ]
}
guard_1() { :; }
apply_1() {
    tries=60
    until { missing=; for name in c1 c2 c3 c4; do [ -f /gpfs/scratch/seatrial/.seen-by-$name ] || missing="$missing $name"; done; [ -z "$missing" ]; } || [ $tries -le 0 ]; do ls /gpfs/scratch /gpfs/scratch/seatrial >/dev/null 2>&1 || true; sleep 1; tries=$((tries - 1)); done
    { missing=; for name in c1 c2 c3 c4; do [ -f /gpfs/scratch/seatrial/.seen-by-$name ] || missing="$missing $name"; done; [ -z "$missing" ]; } || { echo "/gpfs/scratch is not the same storage here: nothing of$missing is seen" >&2; exit 1; }
}
# (1 steps)
