"""What a door says of its user is believed with the credential alone."""

import pytest
from msgspec.structs import replace

from scoville_server.limits.throttle import Rate
from scoville_server.net.doors.introductions import Introductions, address_of
from scoville_server.net.doors.settings import DoorSettings
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import HostedUser
from tests.support.core import Clock

RIGHT = "right-credential"
ANNA = HostedUser(credential=RIGHT, transport="ssh", address="192.0.2.7")
PEER = "198.51.100.1:4000"


def introductions(clock: Clock | None = None, **settings: Rate) -> Introductions:
    return Introductions(DoorSettings(enabled=True, **settings), RIGHT, clock or Clock())


def refusal(checks: Introductions, user: HostedUser, *, protected: bool = True, peer: str = PEER) -> str:
    with pytest.raises(ScovilleError) as refused:
        checks.check_introduction(user, peer, protected=protected, local=False)
    return refused.value.code


def test_a_user_is_introduced_without_the_credential() -> None:
    introduced = introductions().check_introduction(replace(ANNA, port=50412), PEER, protected=True, local=False)
    assert introduced.credential == ""
    assert address_of(introduced) == "192.0.2.7:50412"


@pytest.mark.parametrize(
    ("said", "usual"),
    [
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:DB8::0007", "2001:db8::7"),
        ("fe80::1%eth0", "fe80::1"),
    ],
)
def test_an_address_is_taken_in_its_usual_form(said: str, usual: str) -> None:
    assert (
        introductions().check_introduction(replace(ANNA, address=said), PEER, protected=True, local=False).address
        == usual
    )


@pytest.mark.parametrize("said", ["", "somewhere", "192.0.2.7:4000", "[::1]", "0.0.0.0", "::", "224.0.0.1", "ff02::1"])
def test_an_address_that_is_no_users_is_refused(said: str) -> None:
    assert refusal(introductions(), replace(ANNA, address=said)) == Code.BAD_PARAMS


@pytest.mark.parametrize("said", ["255.255.255.255", "240.0.0.1", "0.1.2.3", "::ffff:240.0.0.1", "::ffff:0.0.0.0"])
@pytest.mark.parametrize("local", [False, True])
def test_an_address_that_names_no_machine_is_refused(said: str, local: bool) -> None:
    with pytest.raises(ScovilleError, match="is not a user's IP address"):
        introductions().check_introduction(replace(ANNA, address=said), PEER, protected=True, local=local)


@pytest.mark.parametrize("said", ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"])
def test_only_local_doors_host_local_users(said: str) -> None:
    assert refusal(introductions(), replace(ANNA, address=said)) == Code.BAD_PARAMS
    found = introductions().check_introduction(replace(ANNA, address=said), "unix:1", protected=True, local=True)
    assert found.address == said.rpartition("::ffff:")[2]


def test_a_server_without_doors_refuses_even_an_empty_credential() -> None:
    checks = Introductions(DoorSettings(), "", Clock())
    assert refusal(checks, replace(ANNA, credential="")) == Code.DOOR_REFUSED


def test_plain_text_is_no_way_for_a_credential() -> None:
    assert refusal(introductions(), ANNA, protected=False) == Code.INSECURE


def test_wrong_credentials_wait_and_the_right_one_never_does() -> None:
    checks, wrong = introductions(), replace(ANNA, credential="wrong")
    answers = [refusal(checks, wrong) for _ in range(8)]
    assert answers[:5] == [Code.DOOR_REFUSED] * 5
    assert answers[-1] == Code.SLOW_DOWN
    assert checks.check_introduction(ANNA, PEER, protected=True, local=False)
    assert refusal(checks, wrong, peer="203.0.113.9:4000") == Code.DOOR_REFUSED


def test_repeated_arrivals_delay_only_themselves() -> None:
    clock = Clock()
    checks = introductions(clock, hellos_per_address=Rate(10, 60.0))
    for _ in range(10):
        checks.check_introduction(ANNA, PEER, protected=True, local=False)
    assert refusal(checks, ANNA) == Code.SLOW_DOWN
    assert checks.check_introduction(replace(ANNA, address="192.0.2.8"), PEER, protected=True, local=False)
    clock.seconds = 60.0
    assert checks.check_introduction(ANNA, PEER, protected=True, local=False)
