"""The one place that the load has on a node: root's alone.

What lies where everybody may write (/var/tmp) can be made by somebody else first: a program that root then runs, or a
link by which root's log overwrites a file.
"""

FOLDER = "/var/lib/seatrial/load"
_ABOVE = FOLDER.rpartition("/")[0]

MAKE = (
    f'for folder in {_ABOVE} {FOLDER}; do (umask 077; mkdir "$folder" 2>/dev/null); '
    '[ -d "$folder" ] && [ ! -L "$folder" ] && [ -O "$folder" ] && chmod 700 "$folder" || '
    '{ echo "$folder is a link, or not this user\'s; look at it, then remove it" >&2; exit 1; }; done'
)
"""makes it, or says what is in its place; nothing is written where that fails"""
