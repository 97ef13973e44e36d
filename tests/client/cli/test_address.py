"""Parsing of addresses that users type."""

import pytest

from scoville_client.transport.address import Address, Destination, parse_address, parse_destination


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
def test_invalid_address_is_explained(typed: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        parse_address(typed)


@pytest.mark.parametrize("address", [Address("example"), Address("::1"), Address("192.0.2.7", 80)])
def test_shown_address_can_be_typed(address: Address) -> None:
    assert parse_address(str(address)) == address
    assert parse_address(address.short) == address


@pytest.mark.parametrize(
    ("typed", "destination"),
    [
        ("brave-otter", Destination(None, "brave-otter")),
        (" Brave-Otter ", Destination(None, "brave-otter")),
        ("very-brave-otter", Destination(None, "very-brave-otter")),
        ("brave-otter@192.0.2.7", Destination(Address("192.0.2.7"), "brave-otter")),
        ("brave-otter@[::1]:80", Destination(Address("::1", 80), "brave-otter")),
        ("brave-otter:5757", Destination(Address("brave-otter"))),
        ("brave-otter.local", Destination(Address("brave-otter.local"))),
        ("otter", Destination(Address("otter"))),
        ("host-7", Destination(Address("host-7"))),
    ],
)
def test_a_destination_is_an_address_a_table_code_or_both(typed: str, destination: Destination) -> None:
    assert parse_destination(typed) == destination


@pytest.mark.parametrize("typed", ["", "@", "brave-otter@", "otter@192.0.2.7", "a@b@c", "brave-otter@x:y"])
def test_invalid_destination_is_explained(typed: str) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        parse_destination(typed)
