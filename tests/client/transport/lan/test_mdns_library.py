"""What we rely on in python-zeroconf: hostile packets of the local network fill its cache up to a bound."""

from collections.abc import Callable

import pytest
from zeroconf import current_time_millis
from zeroconf._cache import DNSCache
from zeroconf._dns import DNSPointer, DNSRecord, DNSText

from scoville_shared.announcement import SERVICE

BOUND = 10_000
"""Records, each of at most one packet of 9 KB."""
_PTR, _TXT, _IN = 12, 16, 1


def pointer(number: int) -> DNSRecord:
    return DNSPointer(SERVICE, _PTR, _IN, 4_500, f"scoville-{number}.{SERVICE}", current_time_millis())


def text(number: int) -> DNSRecord:
    return DNSText(f"scoville-{number}.{SERVICE}", _TXT, _IN, 4_500, b"x" * 200, current_time_millis())


@pytest.mark.parametrize("record", [pointer, text], ids=["one name", "many names"])
def test_the_cache_is_bounded(record: Callable[[int], DNSRecord]) -> None:
    cache = DNSCache()
    for number in range(BOUND + 500):
        cache.async_add_records([record(number)])
    assert sum(len(records) for records in cache.cache.values()) <= BOUND
