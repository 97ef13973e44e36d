"""Games of tournaments in line mode, from the call to the end: each sentence is heard once."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from scoville_client.session.start_options import Start
from scoville_server.tournaments import service
from tests.client.plain.test_conversation import conversation
from tests.client.plain.test_several_users import users
from tests.support.line_mode import has_pictures
from tests.support.listener import Listener

PASSWORD = "seven habaneros"


@pytest.fixture
async def players(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Listener, Listener]]:
    """Anna and Ben with claimed names, on a server that pairs at once."""
    monkeypatch.setattr(service, "_SETTLING_SECONDS", 0.0)
    monkeypatch.setattr(service, "_SHORTEST_WAIT_MS", 0)
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        for user in (anna, ben):
            await user.ask("claim", "^Type a password")
            await user.ask(PASSWORD, "^You have claimed the name")
        yield anna, ben


async def begin_tournament(anna: Listener, ben: Listener, terms: str) -> None:
    await anna.ask(f"tournament call {terms} name=Cup", "^Type tournament enter 1 to take part yourself")
    for user in (anna, ben):
        await user.ask("tournament enter", "^You take part in Cup")
    anna.type("tournament begin 1")


async def play_to_the_end(user: Listener) -> None:
    """Take every card."""
    while (await user.hear(r"^Your turn|^Type tournament show")).group().startswith("Your turn"):
        user.type("1")


async def test_a_duplicate_evening_is_heard_to_its_end(players: tuple[Listener, Listener]) -> None:
    anna, ben = players
    await begin_tournament(anna, ben, "duplicate no thanks 3 in=60 deals=1")
    heard = {user: len(user.said) for user in players}
    for user in players:
        await play_to_the_end(user)
    for user in players:
        await user.hear(r"^Cup is over\.$")
        await user.ask("dates", "^You have no dates")
        said = user.said[heard[user] :]
        assert not [line for line in said if has_pictures(line) or "\x1b" in line]
        ends = Counter(line for line in said if line.startswith("Cup") or "%" in line)
        assert len(ends) >= 3
        assert max(ends.values()) == 1, "how all stand is heard once"


async def test_who_moves_first_hears_the_table_once() -> None:
    start = Start(kind="practice", game="chilli_chase", name="Anna", seed=bytes(32))
    _, said = await conversation(start)
    begun = next(number for number, line in enumerate(said) if line.startswith("Turn 1 of 300: Anna plays"))
    turn = said.index("Your turn.", begun)
    assert [line for line, times in Counter(said[begun:]).items() if times > 1] == []
    assert any(line.startswith("Your hand: ") for line in said[begun:turn])
    assert len(said) - turn < 4, "after the table only how a play is typed"


async def test_hand_and_scores_say_no_more_than_asked() -> None:
    start = Start(kind="practice", game="no_thanks", name="Anna", seed=bytes(32))
    _, before = await conversation(start)
    _, hand = await conversation(start, "hand")
    _, scores = await conversation(start, "scores")
    told = hand[len(before) :]
    assert [line for line in told if line.startswith("Anna: ")]
    assert [line for line in told if line.startswith("You have 11 chips")]
    assert not [line for line in told if line.startswith("Bot ")]
    seats = [line for line in scores[len(before) :] if "points in cards" in line]
    assert len(seats) == len(scores) - len(before) >= 3
