#!/bin/sh
# Scoville, packed with all it needs. The end of this file is a zip archive that Python runs.
for python in python3 python3.13 python3.12 python3.11 python3.14; do
    "$python" -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 11), (3, 12), (3, 13), (3, 14)))' 2>/dev/null || continue
    if [ "$(($(wc -c <"$0")))" -ne @SIZE@ ]; then
        echo "$0 is not complete. Copy it again." >&2
        exit 1
    fi
    exec "$python" -I -B "$0" "$@"
done
echo "Scoville needs Python 3.11, 3.12, 3.13 or 3.14 and does not find it. Install it (Debian, Ubuntu: apt install python3)." >&2
exit 1
