# The checks that scripts/check and scripts/test run: all of them, whatever fails, and a clear result. Sourced after setup.sh.

failed='' passed=''

# step NAME TOOL ARG...: runs a tool of .venv under a headline that shows the command.
step() {
    name=$1 tool=$2
    shift 2
    printf '\n== %s: %s\n' "$name" "$tool $*"
    if "$venv/bin/$tool" "$@"; then passed="$passed${passed:+, }$name"; else failed="$failed${failed:+, }$name"; fi
}

static_checks() {
    step style ruff check .
    step formatting ruff format --check .
    step types mypy
    step "scripts' types" mypy scripts/lib/setup.py
    step imports lint-imports --no-logo
}

# Says what came out, and ends with it.
finish() {
    [ -z "$passed" ] || printf '\npassed: %s\n' "$passed"
    [ -z "$failed" ] || { printf 'FAILED: %s\n' "$failed"; exit 1; }
}
