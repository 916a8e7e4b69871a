# shellcheck shell=sh
# Refusals of checks that only read.

# would_change TITLE STUDY MARK: prints a step of a removal without a mark, after a heading.
would_change() {
    [ -n "$found" ] || {
        found=yes
        echo "refused: $2 has made nothing on this node ($3 is missing); this would be done:"
    }
    echo "  $1"
}
