"""Rate limits of chat, in simulated time."""

import pytest

from scoville_server.chat.model.chat_limits import ChatLimits, Paces
from scoville_server.limits.throttle import Rate, Source
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import UserId

ANNA, BEN = UserId("anna"), UserId("ben")


def wait(paces: Paces, text: str, now: float, *, user: UserId = ANNA, address: str = "") -> float:
    """Send a message; returns the seconds to wait, 0 if it was allowed."""
    try:
        paces.count_message(Source(user, [address] * bool(address)), "lobby", text, now)
    except ScovilleError as error:
        seconds: float = error.data["retry_after_ms"] / 1000
        return seconds
    return 0


def test_a_breath_and_then_a_line_a_second() -> None:
    paces = Paces(ChatLimits())
    assert [wait(paces, f"{n}", 0) for n in range(6)] == [0, 0, 0, 0, 0, 1]
    assert wait(paces, "too early", 0.75) == 0.25
    assert wait(paces, "later", 1) == 0


def test_in_the_long_run_it_is_less() -> None:
    paces = Paces(ChatLimits())
    said = [second for second in range(600) if not wait(paces, f"{second}", second)]
    assert 115 <= len(said) <= 60 + 600 * 60 / 300


def test_refused_message_does_not_count() -> None:
    paces = Paces(ChatLimits(messages=(Rate(1, 10),)))
    assert [wait(paces, f"{n}", 0) for n in range(100)] == [0] + [10] * 99
    assert wait(paces, "at last", 10) == 0


def test_the_address_must_agree_as_well() -> None:
    paces = Paces(ChatLimits(messages_per_address=(Rate(1, 10),)))
    assert wait(paces, "a", 0, address="192.0.2.1") == 0
    assert wait(paces, "b", 0, user=BEN, address="192.0.2.1") == 10
    assert wait(paces, "c", 0, user=BEN, address="192.0.2.2") == 0
    assert wait(paces, "d", 0) == wait(paces, "e", 0, user=BEN) == 0


def test_the_same_line_is_the_same_in_capitals() -> None:
    paces = Paces(ChatLimits())
    assert [wait(paces, text, 0) for text in ("no", "No", "NO")] == [0, 0, 15]
    assert wait(paces, "NO", 0, user=BEN) == 0


def test_reactions_have_a_pace_of_their_own() -> None:
    paces = Paces(ChatLimits())
    for _ in range(3):
        paces.count_reaction(Source(ANNA), "table/1", 0)
    with pytest.raises(ScovilleError, match="sending reactions too fast; wait 3 seconds"):
        paces.count_reaction(Source(ANNA), "table/1", 0)
    assert wait(paces, "words", 0) == 0
