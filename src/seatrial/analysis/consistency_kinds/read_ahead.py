"""`read-ahead`: a page that a client read ahead is not shown once another has changed it and closed
the file.

The promised semantics are as follows. Close-to-open cache consistency (nfs(5)) covers every page
that a client has, also those that no program requested: when a file is opened, and has changed, the
client drops its pages of it. The file keeps its size, so that only its time of change (NFSv3) or
its change attribute (RFC 8881, section 5.8.1.4) shows that it has changed. CephFS drops read-ahead
pages with the capability, and GFS2 with the glock. Looks that met a writer are not judged.
"""

from seatrial.analysis import generations

NEEDED = ("writes", "reads")
FILES = None
judge = generations.judge_pages
