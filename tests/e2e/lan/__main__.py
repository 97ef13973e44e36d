"""Hosts in one namespace and joins from the other, over IPv4 and over IPv6; `scripts/lan` runs it."""

import sys

from tests.e2e.lan.network import SKIPPED, NotPermitted, network
from tests.e2e.lan.trial import FAMILIES, Failed, trial


def main() -> int:
    try:
        for family in FAMILIES:
            with network(family) as cable:
                for passed in trial(cable):
                    print(f"{family}: {passed}", flush=True)
    except NotPermitted as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    except Failed as fault:
        print(f"failed: {fault}")
        return 1
    return 0


sys.exit(main())
