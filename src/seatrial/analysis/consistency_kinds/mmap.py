"""`mmap`: what was written into a shared mapping, synced and closed is seen by who opens and maps
the file afterwards.

What is promised. msync(2) with MS_SYNC (POSIX.1-2017, msync()) returns when all modified pages are
on the storage. With the close behind it, close-to-open cache consistency holds of mapped pages as
of written ones (nfs(5)). Two clients that map one file at the same time are promised nothing by
NFS; CephFS and GFS2 keep mapped pages coherent, by capabilities and by glocks. Only looks are
judged that met no writer, which is what all of them promise. A page that the storage cannot give is
noted as an error (EFAULT).
"""

from seatrial.analysis import generations

NEEDED = ("writes", "reads")
FILES = None
judge = generations.judge_pages
