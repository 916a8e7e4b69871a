"""The only folder of the load on a node, which belongs to root alone.

In a directory that every user can write (/var/tmp), another user could create the path first: a
program that root then runs, or a link through which root's log overwrites a file.
"""

FOLDER = "/var/lib/seatrial/load"
_ABOVE = FOLDER.rpartition("/")[0]

MAKE = (
    f'for folder in {_ABOVE} {FOLDER}; do (umask 077; mkdir "$folder" 2>/dev/null); '
    '[ -d "$folder" ] && [ ! -L "$folder" ] && [ -O "$folder" ] && chmod 700 "$folder" || '
    '{ echo "$folder is a link, or not this user\'s; look at it, then remove it" >&2; exit 1; }; done'
)
"""creates the folder, or prints the reason and fails; nothing is written then"""
