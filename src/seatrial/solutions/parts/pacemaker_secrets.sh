# shellcheck shell=sh
# A parameter of pacemaker in a file, as cibsecret(8) stores it: the value, and next to it the MD5
# by which pacemaker checks it. `printf` and `echo` are builtins of the shell: the value is never an
# argument of a program.

# hash_of FILE: the hash of the value that pacemaker reads, which is without the last newline.
hash_of() {
    sum=$(printf %s "$(cat "$1")" | md5sum) && echo "${sum%% *}"
}

# secret_is_set FILE KEPT: pacemaker has the value of the site's file.
secret_is_set() {
    [ -s "$1" ] && [ "$(cat "$2" 2>/dev/null)" = "$(cat "$1")" ] && [ "$(hash_of "$2")" = "$(cat "$2.sign")" ]
}

# lay_secret FILE KEPT: writes KEPT.new; the MD5 is already in its place.
lay_secret() {
    [ -s "$1" ] || { echo "$1 is missing or empty"; return 1; }
    umask 077
    mkdir -p "${2%/*}"
    printf %s "$(cat "$1")" >"$2.new"
    hash_of "$1" >"$2.sign"
}
