"""What a client has missed is counted, and requested when the user wants to see it."""

import pytest

from scoville_client.session.session import Session
from scoville_client.session.table.table import Missed
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import LookBackReply, LookBackRequest, Params, PastView, Reply, WatchRequest
from tests.support.client import ScriptedLink, connect_and_sit, first_view, make_choice, make_snapshot
from tests.support.server import until


async def returned(link: ScriptedLink) -> Session:
    """A player whose connection was cut after event 2, while events 3 and 4 happened."""
    session = await connect_and_sit(link)
    assert session.table is not None
    assert session.table.missed is None
    link.emit(make_choice(2, seat=1))
    later = make_snapshot(make_choice(2, 1), make_choice(3, 2), make_choice(4, 0), since=2)
    link.answers[WatchRequest] = later
    link.fail()
    await until(lambda: session.connection.online)
    return session


def page(*numbers: int, latest: int | None = None) -> LookBackReply:
    return LookBackReply(views=[PastView(seq=number, view=first_view()) for number in numbers], latest=latest)


async def test_missed_moves_count_until_they_are_requested() -> None:
    link = ScriptedLink()
    session = await returned(link)
    at = session.table
    assert at is not None
    assert at.missed == Missed(since=2, moves=2)
    pages = {2: page(3, latest=4), 3: page(4)}

    def answer(params: Params) -> Reply:
        assert isinstance(params, LookBackRequest)
        return pages[params.since]

    link.answers[LookBackRequest] = answer
    await session.look_back()
    assert at.missed is None
    assert [past.seq for past in at.deal.past] == [1, 2, 3, 4]
    assert {3, 4} <= {seen.seq for seen in at.deal.views}, "they are checked with the finished game"


async def test_a_repeating_server_is_not_asked_for_ever() -> None:
    for answer in (page(3, latest=9), ScovilleError(Code.SLOW_DOWN, "slowly")):
        link = ScriptedLink()
        session = await returned(link)
        answers = iter([page(3, latest=9), answer])
        link.answers[LookBackRequest] = lambda _, answers=answers: _next(answers)
        await session.look_back()
        assert session.table is not None
        assert session.table.missed is None


def _next(answers: object) -> Reply:
    answer = next(answers)  # type: ignore[call-overload]
    if isinstance(answer, Exception):
        raise answer
    assert isinstance(answer, Reply)
    return answer


async def test_an_impossible_view_is_refused_and_dropped() -> None:
    link = ScriptedLink()
    session = await returned(link)
    link.answers[LookBackRequest] = LookBackReply(views=[PastView(seq=3, view={"board": "upside down"})])
    with pytest.raises(ScovilleError, match="invalid View"):
        await session.look_back()
    assert session.table is not None
    assert 3 not in [past.seq for past in session.table.deal.past]
    assert session.table.missed is not None
