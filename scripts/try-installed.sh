#!/bin/sh
# What an installed seatrial must do where no source is: try-installed.sh PROGRAM. Writes into the current folder.
set -eu
seatrial=$1

try() {
    "$seatrial" "$@" >said 2>&1 || { cat said >&2; echo "try-installed: failed: seatrial $*" >&2; exit 1; }
}

try --help
try --version
_SEATRIAL_COMPLETE=source_bash "$seatrial" | grep -q "complete -o default"
try schema
try list
grep -q md1200-nfs said
try list md1200-nfs
try validate md1200-nfs
try plan md1200-nfs --scripts
grep -q mdadm said
try predict md1200-nfs
# The research is another package.
if "$seatrial" predict --validate >said 2>&1; then
    echo "try-installed: predict --validate succeeds without its package" >&2
    exit 1
fi
grep -q "pip install seatrial-research" said
for kind in nfs smb sshfs nfs-ha gfs2-iscsi cephfs script; do
    try new "$kind" "new/$kind"
    try plan "new/$kind"
done
try new mount new/mount --hosts
try plan new/mount
mkdir empty
try bench empty --size 1MiB   # the agent that came with it
mkdir storage
try new mount here --directory "$PWD/storage"   # from a folder of one's own to its report
try preflight here
try run here --quick --yes
result=$(ls -d results/here-*)
try judge "$result"
try report "$result"
test -s "$result/report.html"
try undeploy here --yes
try doctor --hosts
"$seatrial" doctor || [ $? = 1 ]
