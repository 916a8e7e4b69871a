#!/bin/sh
# What a machine needs. usage: setup.sh [--hosts] [PACKAGE...]
# A fresh Debian 12 machine: packages, Python environment, agent, lab image. With --hosts no lab, and any distribution:
# environment and agent, for real hosts and directories. Each part is left alone when it is as it should be. Nothing is
# installed outside this folder but Debian packages.
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "setup: $*" >&2; }
stop() { say "$*"; exit 2; }

# Debian or a derivative such as Ubuntu: both install packages with apt-get.
is_debian() { command -v dpkg-query >/dev/null; }

# The value of a key of os-release(5).
of_release() { sed -n "s/^$1=\"*\([^\"]*\)\"*\$/\1/p" /etc/os-release 2>/dev/null || :; }

# Debian itself: derivatives have other packages.
is_debian_itself() { is_debian && [ "$(of_release ID)" = debian ]; }

of_lab() {
    if ! is_debian_itself; then
        system=$(of_release PRETTY_NAME)
        stop "the lab needs Debian 12, and this is ${system:-another system}; without the lab: make setup HOSTS=1"
    fi
    # shellcheck disable=SC2046 # one word each
    packages $(sed '/^#/d; s/ .*//' src/seatrial/labs/emulation/host_packages.txt)
}

packages() {
    missing=
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
    done
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" = 0 ]; then as=
    elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then as=sudo
    else stop "missing Debian packages:$missing; as root: apt-get install$missing"
    fi
    say "installing$missing"
    $as apt-get update -qq
    # shellcheck disable=SC2086 # the list is split on purpose
    $as env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
}

compiler() {
    links_statically && return
    is_debian || stop "the agent needs a C compiler and the static libc (gcc, glibc-static)"
    packages gcc libc6-dev
}

# The agent is linked statically. On RHEL, `cc` alone has no static C library.
links_statically() {
    command -v cc >/dev/null || return 1
    program=$(mktemp)
    links=0
    echo 'int main(void) { return 0; }' | cc -static -x c -o "$program" - 2>/dev/null || links=1
    rm -f "$program"
    return "$links"
}

# Debian 12's own Rust is 1.63. The packages cargo-web and rustc-web are newer, because Debian builds browsers with
# them. They conflict with the packages cargo and rustup, so set-up replaces no Rust that exists.
rust() {
    is_recent && return
    if [ -x "${HOME-}/.cargo/bin/cargo" ]; then
        PATH="$HOME/.cargo/bin:$PATH"
        is_recent && return
    fi
    if command -v cargo >/dev/null; then
        found=$(rustc --version 2>/dev/null) || found="no working rustc"
        stop "Rust 1.88 or later is missing: $(command -v cargo) has $found; install Rust with rustup" \
            "(rustup.rs), or on Debian 12 as root: apt-get install cargo-web rustc-web (this removes the package cargo)"
    fi
    ! is_debian_itself || (packages cargo-web rustc-web) || say "Debian's Rust could not be installed"
    is_recent || stop "Rust 1.88 or later is missing; install it with rustup (rustup.rs)"
}

is_recent() {
    command -v cargo >/dev/null || return 1
    version=$(rustc --version 2>/dev/null | sed 's/^rustc \([0-9]*\)\.\([0-9]*\).*/\1 \2/')
    # shellcheck disable=SC2086 # two numbers
    set -- $version
    [ "${1:-0}" -gt 1 ] || [ "${2:-0}" -ge 88 ]
}

python() {
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        command -v "$candidate" >/dev/null || continue
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' && { echo "$candidate"; return; }
    done
    is_debian || stop "Python 3.11 or later is missing; install it, for example python3.11"
    stop "Python 3.11 or later is missing; as root: apt-get install python3 python3-venv"
}

environment() {
    interpreter=$(python)
    "$interpreter" -c 'import ensurepip' 2>/dev/null || ! is_debian || packages python3-venv
    wanted=$(cat requirements.lock pyproject.toml research/pyproject.toml | sha256sum)
    [ -x .venv/bin/seatrial ] && [ "$(cat .venv/installed 2>/dev/null)" = "$wanted" ] && return 0
    say "making the Python environment"
    [ -x .venv/bin/python ] || "$interpreter" -m venv .venv
    .venv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
    .venv/bin/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps \
        -e . -e ./research
    echo "$wanted" >.venv/installed
}

agent() {
    cargo build --release --locked --quiet
    built=target/x86_64-unknown-linux-gnu/release/seatrial-agent
    cmp -s "$built" .venv/bin/seatrial-agent || install -m 755 "$built" .venv/bin/seatrial-agent
}

lab=yes
if [ "${1-}" = --hosts ]; then lab=; shift; fi
[ -x .venv/bin/seatrial ] ||
    say "once, 2 to 6 minutes: a Python environment in .venv, the agent (Rust)${lab:+, Debian packages, an image for the lab}"
[ -z "$lab" ] || of_lab
[ $# = 0 ] || packages "$@"
compiler
rust
environment
[ -e .venv/bin/seatrial-agent ] || say "building the agent, about a minute on an idle core"
agent
[ -z "$lab" ] || .venv/bin/seatrial lab image
