"""A player who is kicked while the client closes a gap: the reason is said, and the connection stays."""

from typing import Any

from msgspec.structs import replace

from scoville_client.i18n.language import render
from scoville_client.session.changes import Change, RemovedFromTable
from scoville_client.session.table.sync import TableSync
from scoville_client.session.table.table import AtTable
from scoville_outside.guard import GameFailed
from scoville_shared.engine.contract import AnyGame
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.games.registry import load_game
from scoville_shared.protocol.messages import EventNotice, HostTransferred, Kicked, TableSnapshot, VoteInfo
from tests.support.client import MINE, make_snapshot

KICKED = ScovilleError(Code.KICKED, "You were kicked from this table.", {"reason": None})
GAP = 9
"""The number of an event that comes after some that were lost."""


class Refusing:
    """A session whose table refuses every request, after the notices that overtake the refusal."""

    def __init__(self, seen: TableSnapshot, error: ScovilleError, *early: EventNotice) -> None:
        self.published: list[Change] = []
        self.gave_up: list[str] = []
        self._error, self._early = error, early
        name = seen.info.seats[MINE].name or ""
        self.sync = TableSync(
            self._request,
            self.published.append,
            self.gave_up.append,
            lambda: name,
            self,
            lambda: 0.0,
        )
        self.sync.at = AtTable(load_game(seen.info.game), seen)

    @staticmethod
    def load_game(slug: str) -> AnyGame:
        return load_game(slug)

    def note_failure(self, failed: GameFailed) -> None:
        self.gave_up.append(failed.message)

    async def _request(self, *_: Any) -> Any:
        for notice in self._early:
            self.sync.on_notice(notice)
        raise self._error

    async def miss_something(self) -> str:
        """Receive an event after a gap; return why the user was removed."""
        assert self.sync.at is not None
        event = HostTransferred(seq=GAP, host=1, reason="given")
        self.sync.on_notice(EventNotice(table=self.sync.at.id, event=event, view=None))
        assert self.sync._resync is not None
        await self.sync._resync
        [removed] = self.published
        assert isinstance(removed, RemovedFromTable)
        assert self.sync.at is None
        assert self.gave_up == []
        return render(removed.sentence)


def voted_on(seat: int) -> TableSnapshot:
    vote = VoteInfo(against=seat, agreed=[1], refused=[], needed=2, ends_in_ms=60_000)
    return replace(make_snapshot(), vote=vote)


async def test_an_open_vote_against_this_player_explains_the_kick() -> None:
    assert (
        await Refusing(voted_on(MINE), KICKED).miss_something() == "The players have voted to kick you from the table."
    )


async def test_without_a_vote_against_this_player_the_refusal_is_shown() -> None:
    for seen in (make_snapshot(), voted_on(1)):
        assert await Refusing(seen, KICKED).miss_something() == "You were kicked from this table."


async def test_the_event_explains_the_kick_when_it_overtakes_the_refusal() -> None:
    seen = make_snapshot()
    name = seen.info.seats[MINE].name or ""
    event = Kicked(seq=GAP + 1, seat=MINE, name=name, reason="too loud", host=1)
    kicked = EventNotice(table=seen.info.table, event=event, view=None)
    assert await Refusing(seen, KICKED, kicked).miss_something() == "The host has kicked you from the table: too loud"


async def test_a_table_that_is_gone_is_left() -> None:
    error = ScovilleError(Code.UNKNOWN_TABLE, "There is no table 't1' here.", {"table": "t1"})
    assert await Refusing(make_snapshot(), error).miss_something() == "There is no table 't1' here."


async def test_a_server_that_answers_with_nonsense_is_given_up() -> None:
    refusing = Refusing(
        make_snapshot(), ScovilleError(Code.BAD_FRAME, "The server sent the snapshot of another table.")
    )
    assert refusing.sync.at is not None
    event = HostTransferred(seq=GAP, host=1, reason="given")
    refusing.sync.on_notice(EventNotice(table=refusing.sync.at.id, event=event, view=None))
    assert refusing.sync._resync is not None
    await refusing.sync._resync
    assert refusing.gave_up == ["The server sent the snapshot of another table."]
    assert refusing.published == []
