#!/bin/sh
# A wheel, an sdist and their checksums in dist/; then the wheel is tried in an empty environment that does not see the source.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)

rm -rf dist target/man
.venv/bin/python scripts/man.py target/man
.venv/bin/hatchling build -t sdist -t wheel >/dev/null 2>&1
(cd research && ../.venv/bin/hatchling build -t wheel -d ../dist >/dev/null 2>&1)
(cd dist && sha256sum -- *.tar.gz *.whl >SHA256SUMS)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cp dist/seatrial-*.whl "$work"
.venv/bin/python -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check "$work"/*.whl
cp scripts/try-installed.sh "$work/try.sh"
mkdir "$work/again"
"$work/venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$work/again" dist/*.tar.gz
files() { .venv/bin/python -m zipfile -l "$1" | cut -d' ' -f1 | sort; }
[ "$(files "$work"/again/*.whl)" = "$(files dist/seatrial-*.whl)" ] ||
    { echo "release: the wheel that the sdist builds has other files" >&2; exit 1; }
# In a separate mount namespace, the source tree is an empty folder. So the test cannot use it.
# shellcheck disable=SC2016 # for the inner shell
unshare --user --map-root-user --mount sh -euc '
    mount -t tmpfs tmpfs "$1"
    cd "$2"
    sh try.sh venv/bin/seatrial
' sh "$root" "$work"
# The research is a separate package. It needs the product; the product does not need it.
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --no-deps \
    dist/seatrial_research-*.whl
(cd "$work" && venv/bin/seatrial predict --validate >/dev/null) ||
    { echo "release: the package of the research does not work" >&2; exit 1; }
printf 'release: %s\n' dist/* >&2
