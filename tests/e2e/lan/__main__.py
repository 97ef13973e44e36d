"""Hosts in one namespace and joins from the other, over IPv4 and over IPv6; `scripts/lan` runs it."""

import sys

from tests.e2e.lan.network import SKIPPED, NotPermitted, make_network
from tests.e2e.lan.trial import FAMILIES, Failed, try_network


def main() -> int:
    try:
        for family in FAMILIES:
            with make_network(family) as cable:
                for passed in try_network(cable):
                    print(f"{family}: {passed}", flush=True)
    except NotPermitted as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    except Failed as fault:
        print(f"failed: {fault}")
        return 1
    return 0


sys.exit(main())
