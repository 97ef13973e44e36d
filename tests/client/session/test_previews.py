"""Previews of others' games: each is read now and then, and only what is new of it."""

from typing import Any

import pytest
from msgspec.structs import replace

from scoville_client.session.table.previews import MOST_PREVIEW_SECONDS, PREVIEW_SECONDS, Previews
from scoville_client.session.table.sentence_game import SentenceGame
from scoville_client.transport.base import LinkError
from scoville_outside.guard import load_game
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import GameInfo, PollRequest
from tests.client.tui.boards.seen import snapshot_of
from tests.support.clock import FakeClock


class Tables:
    """Sends snapshots of games and records for which; refuses tables of `refused`, and all while `is_away`."""

    def __init__(self, *refused: str) -> None:
        self.asked: list[tuple[str, int]] = []
        self.is_away = False
        self.seq = 5
        self.refused = refused

    async def request(self, params: PollRequest, _: Any) -> Any:
        self.asked.append((params.table, params.since))
        if self.is_away:
            raise LinkError("away")
        if params.table in self.refused:
            raise ScovilleError("no_spectators", "nobody may watch")
        snapshot = snapshot_of(params.table, None, None)
        return replace(snapshot, info=replace(snapshot.info, table=params.table), seq=self.seq)


def previews_of(tables: Tables, clock: FakeClock, load: Any = load_game) -> Previews:
    return Previews(tables.request, load, clock.clock.seconds)


async def test_preview_is_read_on_from_its_last_event() -> None:
    tables, clock = Tables(), FakeClock()
    previews = previews_of(tables, clock)
    assert previews.due_in([]) is None
    assert previews.due_in(["no_thanks"]) == 0
    await previews.read_due(["no_thanks"])
    await previews.read_due(["no_thanks"])
    assert previews.due_in(["no_thanks"]) == PREVIEW_SECONDS
    clock.advance(PREVIEW_SECONDS)
    await previews.read_due(["no_thanks", "dicht_dran"])
    assert tables.asked == [("no_thanks", 0), ("no_thanks", 5), ("dicht_dran", 0)]
    shown = previews.find_table("no_thanks")
    assert shown is not None
    assert (shown.seat, shown.names) == (None, ["Anna", "Paul", "Max"])


async def test_quiet_preview_is_read_more_rarely() -> None:
    tables, clock = Tables(), FakeClock()
    previews = previews_of(tables, clock)
    waits = []
    for _ in range(6):
        await previews.read_due(["no_thanks"])
        waits.append(previews.due_in(["no_thanks"]) or 0)
        clock.advance(waits[-1])
    assert waits == [PREVIEW_SECONDS, *(PREVIEW_SECONDS * 2**n for n in (1, 2, 3)), *[MOST_PREVIEW_SECONDS] * 2]
    tables.seq += 1
    await previews.read_due(["no_thanks"])
    assert previews.due_in(["no_thanks"]) == PREVIEW_SECONDS


async def test_a_game_that_is_not_asked_for_is_forgotten() -> None:
    tables, clock = Tables(), FakeClock()
    previews = previews_of(tables, clock)
    await previews.read_due(["no_thanks", "dicht_dran"])
    await previews.read_due(["dicht_dran"])
    assert previews.find_table("no_thanks") is None
    assert previews.find_table("dicht_dran") is not None
    assert previews.due_in(["no_thanks"]) == 0


async def test_preview_of_a_server_set_back_begins_again() -> None:
    tables, clock = Tables(), FakeClock()
    previews = previews_of(tables, clock)
    await previews.read_due(["no_thanks"])
    tables.seq = 2
    clock.advance(PREVIEW_SECONDS)
    await previews.read_due(["no_thanks"])
    shown = previews.find_table("no_thanks")
    assert shown is not None
    assert shown.seq == 2


@pytest.mark.parametrize("is_away", [False, True])
async def test_a_refusal_and_a_lost_connection_are_silent(is_away: bool) -> None:
    tables, clock = Tables("no_thanks"), FakeClock()
    tables.is_away = is_away
    previews = previews_of(tables, clock)
    await previews.read_due(["no_thanks"])
    assert previews.find_table("no_thanks") is None
    assert previews.due_in(["no_thanks"]) == PREVIEW_SECONDS
    tables.is_away, tables.refused = False, ()
    clock.advance(PREVIEW_SECONDS)
    await previews.read_due(["no_thanks"])
    assert previews.find_table("no_thanks") is not None


async def test_a_game_that_this_client_has_not_is_no_picture() -> None:
    tables, clock = Tables(), FakeClock()
    info = GameInfo(
        slug="no_thanks", title="No Thanks!", seat_range=(3, 7), official_range=(3, 7), rules_version=9, options={}
    )
    previews = previews_of(tables, clock, lambda _: SentenceGame(info, ScovilleError("missing_game", "not here")))
    await previews.read_due(["no_thanks"])
    assert previews.find_table("no_thanks") is None
