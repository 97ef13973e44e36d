# The checks that scripts/check and scripts/test run: all of them, whatever fails, and a clear result. Sourced after setup.sh.

failed='' passed=''

# step NAME TOOL ARG...: runs a tool of .venv under a headline that shows the command.
step() {
    name=$1 tool=$2
    shift 2
    printf '\n== %s: %s\n' "$name" "$tool $*"
    note "$name" "$venv/bin/$tool" "$@"
}

# note NAME COMMAND...: runs a command, and notes under its name how it has ended.
note() {
    name=$1
    shift
    if "$@"; then passed="$passed${passed:+, }$name"; else failed="$failed${failed:+, }$name"; fi
}

# Types and imports take the longest, on one processor each: they run beside each other, and are shown one after the other.
static_checks() {
    said=$(mktemp)
    "$venv/bin/lint-imports" --no-logo >"$said" 2>&1 &
    imports=$!
    trap 'kill "$imports" 2>/dev/null; rm -f "$said"' EXIT
    step style ruff check .
    step formatting ruff format --check .
    step types mypy
    step "scripts' types" mypy scripts/lib/setup.py
    # Their folder holds modules of their own that import each other.
    MYPYPATH=scripts/benchmarks step "benchmarks' types" mypy scripts/benchmarks
    step "tests' names" mypy --explicit-package-bases tests
    printf '\n== imports: lint-imports --no-logo\n'
    note imports wait "$imports"
    cat "$said"
    rm -f "$said"
    trap - EXIT
}

# Says what came out, and ends with it.
finish() {
    [ -z "$passed" ] || printf '\npassed: %s\n' "$passed"
    [ -z "$failed" ] || { printf 'FAILED: %s\n' "$failed"; exit 1; }
}
