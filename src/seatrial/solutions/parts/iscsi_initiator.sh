# shellcheck shell=sh
# The node database of an initiator. These functions write its files, because `iscsiadm -o update`
# takes a secret as an argument, which every user of the node can read.

# iscsi_records TARGET: the files of a target's records, one for each portal and card.
iscsi_records() { find "/etc/iscsi/nodes/$1" "/var/lib/iscsi/nodes/$1" -type f 2>/dev/null; }

# iscsi_known SETTINGS COUNT TARGET...: each target has COUNT records, and each record has every
# line of the file SETTINGS.
iscsi_known() {
    settings=$1 count=$2
    shift 2
    lines=$(grep -c . "$settings") || return 1
    for target; do
        found=0
        for record in $(iscsi_records "$target"); do
            [ "$(grep -cxFf "$settings" "$record")" = "$lines" ] || return 1
            found=$((found + 1))
        done
        [ "$found" = "$count" ] || return 1
    done
}

# iscsi_set SETTINGS TARGET...: write the lines of the file into every record.
iscsi_set() {
    settings=$1
    shift
    for target; do
        for record in $(iscsi_records "$target"); do
            (
                umask 077
                awk -F ' = ' '
                    NR == FNR { said[$1] = 1; line[++lines] = $0; next }
                    /^# END RECORD/ { for (i = 1; i <= lines; i++) print line[i] }
                    !($1 in said)' "$settings" "$record" >/etc/iscsi/seatrial.new
            ) && mv /etc/iscsi/seatrial.new "$record" || return 1
        done
    done
}

# iscsi_sessions COUNT TARGET...: each target has COUNT sessions.
iscsi_sessions() {
    count=$1
    shift
    iscsiadm -m session 2>/dev/null | awk -v count="$count" -v targets="$*" '
        { sessions[$4]++ }
        END { last = split(targets, name, " "); for (i = 1; i <= last; i++) if (sessions[name[i]] != count) exit 1 }'
}

# iscsi_login COUNT TARGET...: log in where sessions are missing.
iscsi_login() {
    count=$1
    shift
    for target; do
        iscsi_sessions "$count" "$target" || iscsiadm -m node -T "$target" --login ||
            iscsi_sessions "$count" "$target" || return 1
    done
}

# iscsi_of NAME: the targets on record that are NAME, or begin with NAME and a colon.
iscsi_of() {
    for place in "/etc/iscsi/nodes/$1" "/etc/iscsi/nodes/$1:"* "/var/lib/iscsi/nodes/$1" "/var/lib/iscsi/nodes/$1:"*; do
        [ -z "$(find "$place" -type f 2>/dev/null | head -n 1)" ] || echo "${place##*/}"
    done
}

# iscsi_forget NAME: log out of these, and delete their records.
iscsi_forget() {
    for target in $(iscsi_of "$1"); do
        iscsiadm -m node -T "$target" --logout || true
        iscsiadm -m node -T "$target" -o delete || return 1
    done
}
