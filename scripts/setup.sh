#!/bin/sh
# Everything that a fresh Debian 12 machine needs: packages, Python environment, agent, lab image. usage: setup.sh [PACKAGE...]
# Each part is left alone when it is as it should be. Nothing is installed outside this folder but Debian packages.
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "setup: $*" >&2; }
stop() { say "$*"; exit 2; }

packages() {
    command -v dpkg-query >/dev/null || stop "this is no Debian machine; Seatrial's lab needs Debian 12"
    missing=
    for package in $(sed '/^#/d; s/ .*//' src/seatrial/labs/emulation/host_packages.txt) "$@"; do
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

rust() {
    command -v cargo >/dev/null || stop "Rust is missing; install 1.88 or later, e.g. with rustup (rustup.rs)"
    version=$(rustc --version | sed 's/^rustc \([0-9]*\)\.\([0-9]*\).*/\1 \2/')
    # shellcheck disable=SC2086 # two numbers
    set -- $version
    [ "$1" -gt 1 ] || [ "$2" -ge 88 ] ||
        stop "Rust $1.$2 is too old; 1.88 or later is needed: rustup update stable"
}

python() {
    for candidate in python3 python3.14 python3.13 python3.12 python3.11; do
        command -v "$candidate" >/dev/null || continue
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' && { echo "$candidate"; return; }
    done
    stop "Python 3.11 or later is missing; as root: apt-get install python3 python3-venv"
}

environment() {
    interpreter=$(python)
    "$interpreter" -c 'import ensurepip' 2>/dev/null || packages python3-venv
    wanted=$(cat requirements.lock pyproject.toml | sha256sum)
    [ -x .venv/bin/seatrial ] && [ "$(cat .venv/installed 2>/dev/null)" = "$wanted" ] && return 0
    say "making the Python environment"
    [ -x .venv/bin/python ] || "$interpreter" -m venv .venv
    .venv/bin/pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
    .venv/bin/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
    echo "$wanted" >.venv/installed
}

agent() {
    cargo build --release --locked --quiet
    built=target/x86_64-unknown-linux-gnu/release/seatrial-agent
    cmp -s "$built" .venv/bin/seatrial-agent || install -m 755 "$built" .venv/bin/seatrial-agent
}

[ -x .venv/bin/seatrial ] ||
    say "once, 2 to 6 minutes: Debian packages, a Python environment in .venv, the agent (Rust), an image of the lab's nodes"
packages "$@"
rust
environment
[ -e .venv/bin/seatrial-agent ] || say "building the agent, about a minute"
agent
.venv/bin/seatrial lab image
