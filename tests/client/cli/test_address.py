"""Addresses as people type them."""

import pytest

from scoville_client.transport.address import Address, parse_address


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("example", ("example", 5757)),
        ("example:80", ("example", 80)),
        (" 192.0.2.7:5758 ", ("192.0.2.7", 5758)),
        ("[::1]:5758", ("::1", 5758)),
        ("[::1]", ("::1", 5757)),
        ("::1", ("::1", 5757)),
        ("fe80::1%eth0", ("fe80::1%eth0", 5757)),
    ],
)
def test_an_address_is_read(typed: str, address: tuple[str, int]) -> None:
    assert parse_address(typed) == (*address, "")


@pytest.mark.parametrize("typed", ["", ":5757", "[::1", "[::1]5757", "example:x", "example:-1", "a:²"])
def test_what_is_no_address_is_answered_by_a_sentence(typed: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        parse_address(typed)


@pytest.mark.parametrize("address", [Address("example"), Address("::1"), Address("192.0.2.7", 80)])
def test_what_is_shown_can_be_typed(address: Address) -> None:
    assert parse_address(str(address)) == address
    assert parse_address(address.short) == address
