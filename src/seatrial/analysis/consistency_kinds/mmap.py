"""`mmap`: data that was written into a shared mapping, synced and closed is seen by a client that
opens and maps the file afterwards.

The promised semantics are as follows. msync(2) with MS_SYNC (POSIX.1-2017, msync()) returns when
all modified pages are on the storage. With a close after it, close-to-open cache consistency holds
for mapped pages as for written ones (nfs(5)). NFS promises nothing to two clients that map one file
at the same time; CephFS and GFS2 keep mapped pages coherent, by capabilities and by glocks. Only
looks that met no writer are judged, because all three promise them. A page that the storage cannot
give is noted as an error (EFAULT).
"""

from seatrial.analysis import generations

NEEDED = ("writes", "reads")
FILES = None
judge = generations.judge_pages
