"""Two network namespaces with a cable between them."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

ADDRESSES = {"IPv4": ("10.77.0.1/24", "10.77.0.2/24"), "IPv6": ("fd77::1/64", "fd77::2/64")}
"""Addresses of both ends, by family; the other family has link-local addresses at most."""


class NotPermitted(Exception):
    """This machine or user cannot make namespaces; the text says why."""


SKIPPED: Final = 77
"""Exit status of a script that was not permitted."""


class Cable(NamedTuple):
    """The names of the two namespaces, and the family of addresses between them."""

    host: str
    guest: str
    family: str


@contextmanager
def make_network(family: str) -> Iterator[Cable]:
    """Make the namespaces, and remove them in the end. Raises NotPermitted."""
    if shutil.which("ip") is None:
        raise NotPermitted("the command ip (iproute2) is not installed")
    cable = Cable(f"scoville-h{os.getpid()}", f"scoville-g{os.getpid()}", family)
    try:
        for name in cable[:2]:
            run_ip("netns", "add", name)
        ends = ("eth-h", "eth-g")
        run_ip(
            "link", "add", ends[0], "netns", cable.host, "type", "veth", "peer", "name", ends[1], "netns", cable.guest
        )
        for name, end, address in zip(cable[:2], ends, ADDRESSES[family], strict=True):
            if family == "IPv4":
                run_ip("netns", "exec", name, "sysctl", "-qw", f"net.ipv6.conf.{end}.disable_ipv6=1")
            run_ip("-n", name, "addr", "add", address, "dev", end, *(["nodad"] if family == "IPv6" else []))
            run_ip("-n", name, "link", "set", "lo", "up")
            run_ip("-n", name, "link", "set", end, "up")
        yield cable
    finally:
        for name in cable[:2]:
            subprocess.run(["ip", "netns", "delete", name], stderr=subprocess.DEVNULL, check=False)


def run_ip(*arguments: str) -> None:
    """Run the command ip. Raises NotPermitted with what it says."""
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotPermitted(f"ip {' '.join(arguments)}: {done.stderr.strip() or done.returncode}")
