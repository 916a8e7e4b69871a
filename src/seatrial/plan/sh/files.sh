# shellcheck shell=sh
# Files of a node. A file gets its name when it is complete: a reader never sees a part of it.

# file_is PATH: the file has the content of the standard input.
file_is() { cmp -s "$1" -; }

# write_file PATH [MODE [COPY]]: gives the file the content of the standard input. MODE is set
# before the file gets its name, as another process may run it at once. A file with restricted
# access is also restricted while it is written. COPY: see back_up_file.
write_file() {
    mkdir -p "${1%/*}/" || return
    case ${2:-} in
    *00) (umask 077 && cat >"$1.new") ;;
    *) cat >"$1.new" ;;
    esac || {
        rm -f "$1.new"
        return 1
    }
    [ -z "${2:-}" ] || chmod "$2" "$1.new" || return
    [ -z "${3:-}" ] || store_version "$1.new" "$3" || return
    mv "$1.new" "$1"
}

# show_file PATH: how the file differs from the standard input.
show_file() {
    diff --old-line-format='now: %L' --new-line-format='study: %L' --unchanged-line-format= \
        "$1" -
}

# no_file PATH...: none of them exists.
no_file() {
    for path; do [ ! -e "$path" ] || return; done
}

# back_up_file PATH COPY: stores the original once, atomically, as a partial copy would be
# restored. COPY.absent notes that there was none.
back_up_file() (
    [ ! -e "$2" ] && [ ! -e "$2.absent" ] || exit 0
    umask 077
    mkdir -p "${2%/*}" || exit
    [ -s "$1" ] || exec touch "$2.absent"
    if ! { cp -p "$1" "$2.new" && mv "$2.new" "$2"; }; then
        rm -f "$2.new"
        exit 1
    fi
)

# store_version NEW COPY: stores the study's version as COPY.ours. This precedes the replacement of
# the file: after a killed deployment a removal would otherwise consider the file edited.
store_version() (
    umask 077
    if ! { cp "$1" "$2.ours.new" && mv "$2.ours.new" "$2.ours"; }; then
        rm -f "$2.ours.new"
        exit 1
    fi
)

# is_restored COPY
is_restored() { [ ! -e "$1" ] && [ ! -e "$1.absent" ]; }

# restore_file PATH COPY [KEY]: restores the original, or its absence. In a file that was edited
# since the study wrote it, only the line of the setting KEY is restored, or nothing.
restore_file() {
    if [ -e "$1" ] && ! cmp -s "$1" "$2.ours"; then
        if [ -n "${3:-}" ]; then
            restore_line "$@" || return
        else
            echo "$1 was edited since it was written; it stays as it is"
        fi
    elif [ -e "$2" ]; then
        cp -p "$2" "$1.new" && mv "$1.new" "$1" || return
    else
        rm -f "$1" || return
    fi
    rm -f "$2.ours" "$2.line" "$2.absent" "$2"
}

# set_line PATH COPY KEY VALUE: sets one setting, `KEY = VALUE`, of a file that belongs to the node.
# The rest of the file stays.
set_line() {
    back_up_file "$1" "$2" || return
    [ -s "$2.line" ] || (
        umask 077
        grep -m 1 "^[[:space:]]*#*[[:space:]]*$3 *=" "$1" >"$2.line"
    ) || return
    sed "s/^[[:space:]]*#*[[:space:]]*$3 *=.*/\\t$3 = $4/" "$1" >"$1.new" || return
    chmod --reference="$1" "$1.new" || return
    store_version "$1.new" "$2" || return
    mv "$1.new" "$1"
}

# restore_line PATH COPY KEY: restores the line that set_line replaced.
restore_line() {
    sed -e "/^[[:space:]]*$3 *=/{" -e "r $2.line" -e d -e '}' "$1" >"$1.new" || return
    chmod --reference="$1" "$1.new" || return
    mv "$1.new" "$1"
}
