"""Well-typed replies and notices with contradictory parts are refused by the reader."""

from typing import Any

import msgspec
import pytest

from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.connection import Answer, ClientConnection
from scoville_shared.protocol.consistency import Inconsistent, check_consistency, fits_seats
from scoville_shared.protocol.messages import (
    AnyTableEvent,
    Finished,
    HostTransferred,
    JoinReply,
    MessageInfo,
    NoncesRequested,
    PastGame,
    Paused,
    Played,
    ProfileReply,
    ProfileRequest,
    Started,
    StartVoided,
)
from tests.support.client import make_info, make_snapshot

PAST = PastGame(
    table="t", game="g", ended_ms=0, names=["A", "B"], scores=[3, 4], places=[2, 1], your_seat=0, rated=False
)
PROFILE = ProfileReply(
    name="A", claimed=False, since_ms=0, begun=1, finished=1, won=0, median_pick_ms=None, ratings=[], recent=[PAST]
)
END = Finished(seq=9, scores=[1, 2, 3], places=[3, 2, 1], reason="", server_seed="")
MESSAGE = MessageInfo(number=1, at_ms=0, channel="lobby", name="Anna", text="Hello")
replace = msgspec.structs.replace


def past(**changed: Any) -> ProfileReply:
    return replace(PROFILE, recent=[PAST, replace(PAST, **changed)])


@pytest.mark.parametrize(
    "value",
    [PROFILE, make_info(), make_snapshot(), replace(make_snapshot(), events=[END], seq=9), [make_info(), make_info()]],
)
def test_messages_of_our_server_are_consistent(value: Any) -> None:
    check_consistency(value)


@pytest.mark.parametrize(
    "value",
    [
        past(places=[1]),
        past(scores=[]),
        past(names=["A"]),
        past(your_seat=2),
        past(your_seat=-1),
        replace(make_info(), host=3),
        replace(make_info(), host=-1),
        replace(make_info(), ready_seats=[0, 9]),
        replace(make_info(), your_seat=7),
        replace(make_info(), seats=[]),
        replace(make_info(), seats=make_info().seats * 6),
        replace(make_info(), spectator_count=-1),
        replace(make_info(), starts_in_ms=-5),
        replace(make_info(), starts_in_ms=2**60),
        JoinReply(seat=99, info=make_info()),
        JoinReply(seat=-1, info=make_info()),
        replace(make_snapshot(), events=[END, replace(END, seq=8)], seq=9),
        replace(make_snapshot(), events=[END, END], seq=9),
        replace(make_snapshot(), events=[END], seq=8),
        replace(make_snapshot(), events=[replace(END, seq=0)]),
        replace(make_snapshot(), left_ms=[2**62, 0, 0]),
        replace(MESSAGE, at_ms=2**62),
        replace(MESSAGE, number=-1),
        replace(MESSAGE, seat=99),
        past(ended_ms=-(2**60)),
        [float("inf")],
        [float("nan")],
        replace(make_snapshot(), seat=3),
        replace(make_snapshot(), point_of_view=-2),
        replace(make_snapshot(), pending=[5]),
        replace(make_snapshot(), move_counts=[1]),
        replace(make_snapshot(), left_ms=[1, 2]),
        replace(make_snapshot(), info=replace(make_info(), seats=[])),
        replace(make_snapshot(), events=[replace(END, scores=[1])]),
        replace(END, scores=[]),
        replace(END, places=[], scores=[]),
        [make_info(), replace(make_info(), dealer=4)],
    ],
)
def test_contradicting_parts_are_found_anywhere(value: Any) -> None:
    with pytest.raises(Inconsistent):
        check_consistency(value)


BEYOND: list[AnyTableEvent] = [
    HostTransferred(seq=2, host=3),
    Paused(seq=2, seat=-1, granted=False),
    Played(seq=2, seat=0, mover="player", facts=[], pending=[4], move_counts=[0, 0, 0]),
    Played(seq=2, seat=0, mover="player", facts=[], pending=[], move_counts=[0]),
    Started(seq=2, seats=[], nonces=[], pending=[]),
    Started(seq=2, seats=make_info().seats, nonces=[None], pending=[]),
    Started(seq=2, seats=make_info().seats, nonces=[], missing=[9], pending=[]),
    NoncesRequested(seq=2, nonce_hashes=[], starts_in_ms=5_000),
    NoncesRequested(seq=2, nonce_hashes=[None] * 9, starts_in_ms=5_000),
    StartVoided(seq=2, missing=[9], reason="missing"),
    Finished(seq=2, scores=[1], places=[1], reason="", server_seed=""),
]


@pytest.mark.parametrize("event", BEYOND, ids=lambda event: type(event).__name__)
def test_an_event_of_a_missing_seat_is_invalid(event: AnyTableEvent) -> None:
    assert not fits_seats(event, len(make_info().seats))


def test_a_contradicting_answer_fails_its_call_alone() -> None:
    client = ClientConnection()
    for _ in range(2):
        client.call_method(ProfileRequest(name="A"))
    broken, sound = ([1, n, None, msgspec.to_builtins(each)] for n, each in enumerate((past(your_seat=5), PROFILE)))
    client.feed_bytes(msgspec.msgpack.encode(broken) + msgspec.msgpack.encode(sound))
    first, second = client.read_incoming()
    assert isinstance(first, Answer)
    assert isinstance(first.result, ScovilleError)
    assert first.result.code == Code.BAD_FRAME
    assert isinstance(second, Answer)
    assert second.result == PROFILE
