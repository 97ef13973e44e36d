"""An invitation lists every way to join, and chooses what its QR code says."""

from scoville_client.session.joining.invitation import MOST_ADDRESSES, Invitation, WayToJoin, collect_invitation
from scoville_client.transport.address import Address
from tests.client.transport.lan.network import PIN

HOME = [Address("192.0.2.7"), Address("2001:db8::7", 5758)]


def test_the_lines_name_the_commands_the_code_and_the_pin() -> None:
    assert collect_invitation(HOME, "brave-otter", PIN, announced=True).lines == [
        "On this network:  scoville join brave-otter",
        f"By its address:  scoville join 192.0.2.7#{PIN}",
        f"By its address:  scoville join [2001:db8::7]:5758#{PIN}",
        "Table code: brave-otter",
        f"Pin of the server: {PIN}",
    ]


def test_a_failed_announcement_says_what_to_install() -> None:
    assert collect_invitation(HOME)._replace(note="Install it.").lines[-1] == "Install it."


def test_guests_find_the_server_in_the_list() -> None:
    assert collect_invitation([], announced=True).lines == ["On this network:  scoville join"]


def test_the_qr_code_says_the_command_that_needs_no_search() -> None:
    assert collect_invitation(HOME, "brave-otter", PIN, announced=True).qr_text == f"scoville join 192.0.2.7#{PIN}"
    assert collect_invitation([], "brave-otter", PIN, announced=True).qr_text == "scoville join brave-otter"
    assert Invitation(()).qr_text == ""


def test_a_doors_link_is_preferred_by_the_qr_code() -> None:
    def ssh(code: str) -> WayToJoin:
        return WayToJoin("With ssh alone:", f"ssh -p 2222 {code}@192.0.2.7", f"ssh://{code}@192.0.2.7:2222")

    made = collect_invitation(HOME, "brave-otter", PIN, announced=True, doors=[ssh])
    assert made.lines[1] == "With ssh alone:  ssh -p 2222 brave-otter@192.0.2.7"
    assert made.qr_text == "ssh://brave-otter@192.0.2.7:2222"


def test_not_more_addresses_are_shown_than_anybody_tries() -> None:
    many = [Address(f"192.0.2.{n}") for n in range(1, 9)]
    assert len(collect_invitation(many).ways) == MOST_ADDRESSES
