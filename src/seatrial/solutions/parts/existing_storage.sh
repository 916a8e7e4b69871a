# shellcheck shell=sh
# Functions of the steps on existing storage, for root and for ordinary users.

# owned_well FOLDER DIRECTORY: no other user can put links into the folder.
# A server may map root to the anonymous user (65534). With all_squash it maps every user.
owned_well() {
    owner=$(stat -c %u "$1")
    if [ "$(id -u)" = 0 ]; then
        case $owner in 0 | 65534 | "$(stat -c %u "$2")") return 0 ;; esac
        return 1
    fi
    [ -w "$1" ] && { [ -O "$1" ] || [ "$owner" = 65534 ]; }
}

# foreign_owner FOLDER DIRECTORY: why the folder is not used.
foreign_owner() {
    if [ "$(id -u)" = 0 ]; then
        echo "$1 belongs to the user $(stat -c %u "$1"), who could put links there that root would follow:" \
            "only root or the owner of $2 may have made it" >&2
    else
        echo "$1 belongs to the user $(stat -c %U "$1"), not to you, or you may not write there:" \
            "look at it, then remove or rename it" >&2
    fi
}

# refused DIRECTORY MESSAGE: the reason why nothing can be created there, in words.
refused() {
    user=$(id -un 2>/dev/null || id -u)
    case $2 in
    *'No space left'*) echo "$1 is full: it has no free space or no free inodes" ;;
    *[Qq]uota*) echo "$1: the disk quota of $user is exceeded; remove files, or ask for a larger quota" ;;
    *'Permission denied'* | *'Operation not permitted'*)
        if [ "$user" = root ]; then
            echo "root may not write to $1 (root_squash?): make the folder yourself, with mode 1777," \
                "or run as an ordinary user"
        else
            echo "$1 is not writable for $user: name a directory that belongs to $user"
        fi
        ;;
    *) echo "$2" ;;
    esac >&2
    exit 1
}

# make_work_folder FOLDER DIRECTORY: private for a user. That of root is for every user, because a
# server may map clients to the anonymous user.
make_work_folder() {
    mode=700
    [ "$(id -u)" != 0 ] || mode=1777
    message=$(LC_ALL=C mkdir -m "$mode" "$1" 2>&1) || refused "$2" "$message"
    owned_well "$1" "$2" || {
        echo "the server maps $(id -un) to another user here: make $1 yourself, with mode 1777," \
            "as root or the owner of $2" >&2
        rmdir "$1"
        exit 1
    }
}

# write_marker FILE FOLDER: create the file, and follow no link (noclobber).
write_marker() {
    message=$(LC_ALL=C && export LC_ALL && set -C && { : >"$1"; } 2>&1) || {
        [ -w "$2" ] || message='Permission denied'
        [ ! -e "$1" ] && [ ! -L "$1" ] || message="$1 exists and is not a file of this study"
        refused "$2" "$message"
    }
    sync "$1"
}

# left_by_runs FOLDER: the directories of interrupted runs (NAME-RUN-NUMBER), while no client of
# another study has its marker there.
left_by_runs() {
    [ -d "$1" ] && [ ! -L "$1" ] && [ -z "$(find "$1" -maxdepth 1 -name '.seen-by-*' 2>/dev/null)" ] || return 0
    find "$1" -mindepth 1 -maxdepth 1 -type d -user "$(id -u)" -regextype posix-extended \
        -regex '.*/[^/]+-[0-9a-f]{8}-[0-9]+(-[^/]+)?'
}
