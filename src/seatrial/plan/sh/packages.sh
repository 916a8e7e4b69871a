# shellcheck shell=sh
# Packages of a node, by apt or dnf, and the list of those that deployments installed.

# have_commands COMMAND...: also those for administrators.
have_commands() (
    PATH=$PATH:/usr/sbin:/sbin
    for command; do command -v "$command" >/dev/null || exit 1; done
)

# install_packages DEBIAN RED-HAT: names of packages, separated by blanks.
install_packages() {
    # shellcheck disable=SC2086 # names of packages are words
    if command -v apt-get >/dev/null; then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $1
    else
        dnf install -y $2
    fi
}

# install_disabled PROGRAM UNITS DEBIAN RED-HAT: if PROGRAM is new, its units do not start with the
# installation, and stay disabled.
install_disabled() {
    [ ! -x "$1" ] || {
        install_packages "$3" "$4"
        return
    }
    # shellcheck disable=SC2086 # names of units are words
    {
        systemctl -q --runtime mask $2 || return
        install_packages "$3" "$4" || return
        systemctl -q --runtime unmask $2 || return
        systemctl -q --no-reload disable $2 || true
    }
}

# note_installed FILE: adds the packages that the rest of this step installs to the list, also when
# an installation fails halfway.
note_installed() {
    keep_packages "$1" || return
    installed_list=$1
    trap 'note_packages "$installed_list"' EXIT
}

# installed_packages: the names of installed packages, without those that have only configuration
# left. Fails without a list, because an empty list would make every package look new.
installed_packages() {
    if command -v apt-get >/dev/null; then
        there=$(dpkg-query -W -f '${db:Status-Status} ${binary:Package}\n' |
            sed -n 's/^installed //p')
    else
        there=$(rpm -qa --qf '%{NAME}\n')
    fi
    [ -n "$there" ] || { echo "the list of installed packages is not available" >&2 && return 1; }
    echo "$there"
}

# keep_packages FILE: stores the list before an installation.
keep_packages() { (umask 077 && installed_packages >"$1.before"); }

# note_packages FILE: records the packages installed since, with their dependencies.
note_packages() {
    [ ! -s "$1.before" ] || (umask 077 && installed_packages | grep -vxFf "$1.before" >>"$1") || :
    rm -f "$1.before"
}
