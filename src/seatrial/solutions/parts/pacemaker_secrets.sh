# shellcheck shell=sh
# A parameter of pacemaker's that stands in a file, as cibsecret(8) keeps it: the value, and beside it the MD5 by which
# pacemaker knows that it is whole. `printf` and `echo` are the shell's own: the value is no program's argument.

# hash_of FILE: of what pacemaker reads of it, which is without the last newline.
hash_of() {
    sum=$(printf %s "$(cat "$1")" | md5sum) && echo "${sum%% *}"
}

# secret_is_told FILE KEPT: pacemaker has what the site's file holds.
secret_is_told() {
    [ -s "$1" ] && [ "$(cat "$2" 2>/dev/null)" = "$(cat "$1")" ] && [ "$(hash_of "$2")" = "$(cat "$2.sign")" ]
}

# lay_secret FILE KEPT: beside it, as KEPT.new; the MD5 is in its place already.
lay_secret() {
    [ -s "$1" ] || { echo "$1 is not there, or empty"; return 1; }
    umask 077
    mkdir -p "${2%/*}"
    printf %s "$(cat "$1")" >"$2.new"
    hash_of "$1" >"$2.sign"
}
