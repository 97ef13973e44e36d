"""The command that others type to join a hosted server."""

import pytest

from scoville_client.session.joining.invitation import how_to_join, how_to_join_too
from scoville_client.transport.address import Address


@pytest.mark.parametrize(
    ("host", "port", "addresses", "expected"),
    [
        ("", 5757, ["192.168.1.5"], ["Others join with:  scoville join 192.168.1.5"]),
        (
            "",
            5758,
            ["192.168.1.5", "fd12::7"],
            ["Others join with:  scoville join 192.168.1.5:5758", "or with:  scoville join [fd12::7]:5758"],
        ),
        ("", 5757, [], ["No network found. On this computer, join with:  scoville join localhost"]),
        ("127.0.0.1", 5757, ["192.168.1.5"], ["Only this computer can join:  scoville join 127.0.0.1"]),
        ("localhost", 1234, [], ["Only this computer can join:  scoville join localhost:1234"]),
        ("::1", 5757, [], ["Only this computer can join:  scoville join [::1]"]),
        ("192.168.1.5", 5757, ["10.0.0.9"], ["Others join with:  scoville join 192.168.1.5"]),
    ],
)
def test_invitation_names_the_exact_command(host: str, port: int, addresses: list[str], expected: list[str]) -> None:
    assert how_to_join(host, port, addresses) == expected


def test_at_most_three_addresses_are_named() -> None:
    assert len(how_to_join("", 5757, [f"10.0.0.{number}" for number in range(1, 9)])) == 3


def test_guests_share_the_typed_address_with_its_pin() -> None:
    pin = "A" * 20
    assert how_to_join_too(Address("example", 5758, pin)) == [f"Others join with:  scoville join example:5758#{pin}"]
    assert how_to_join_too(Address("example")) == ["Others join with:  scoville join example"]
    assert how_to_join_too(Address("localhost", 5757, pin)) == [
        f"On this computer, others join with:  scoville join localhost#{pin}"
    ]
