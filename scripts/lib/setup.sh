# Set-up that scripts/play, test and check share: .venv holds what the lock files say. Sourced, with $root set.

venv=$root/.venv

# A stop before anything was begun: what is wrong, and what to do about it.
refuse() {
    printf '%s\n' "$@" >&2
    exit 1
}

# What .venv must have been made from: the folder, pyproject.toml, both locks and the version, in one line each.
# A checksum in a shell: a second start costs milliseconds, and no half environment passes for a whole one.
made_of() {
    cksum "$root/pyproject.toml" "$root/requirements/play.txt" "$root/requirements/dev.txt" \
        "$root/shared/scoville_shared/__init__.py"
}

# True when .venv was finished for the part $1 (play, dev) from the files as they are, with the Python asked for.
is_ready() {
    [ -x "$venv/bin/python" ] && [ -f "$venv/made-of.$1" ] && [ ! -e "$venv/unfinished" ] || return 1
    [ "$(cat "$venv/made-of.$1")" = "$stamp" ] || return 1
    [ -z "${SCOVILLE_PYTHON-}" ] || [ "$(cat "$venv/made-with")" = "$SCOVILLE_PYTHON" ]
}

# Sets $python to the first fitting interpreter: 3.11 to 3.13, or a newer one where there is none of these.
find_python() {
    if [ -n "${SCOVILLE_PYTHON-}" ]; then set -- "$SCOVILLE_PYTHON"; else set -- python3 python3.13 python3.12 python3.11; fi
    python='' newer='' seen=''
    for name in "$@"; do
        version=$("$name" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) || continue
        case $version in
            3.1[123].*) python=$name; return ;;
            3.1[4-9].* | 3.[2-9][0-9].*) newer=${newer:-$name} ;;
        esac
        seen="$seen${seen:+, }$name is $version"
    done
    python=$newer
    [ -n "$python" ] || refuse \
        "Scoville needs Python 3.11, 3.12 or 3.13 and does not find it: ${seen:-no working Python as $*}." \
        "Install one (Debian, Ubuntu: apt install python3 python3-venv), or name the one to use:" \
        "    SCOVILLE_PYTHON=/path/to/python3.12 $0"
}

# Makes .venv ready for the part $1: nothing to do in a few milliseconds, or a set-up that shows its progress.
prepare() {
    [ -f "$root/pyproject.toml" ] || refuse "$root is not a whole copy of Scoville: pyproject.toml is missing."
    stamp=$(made_of)
    is_ready "$1" && return
    find_python
    "$python" -I -B "$root/scripts/lib/setup.py" "$1" "$stamp" </dev/null
}
