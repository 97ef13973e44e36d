"""An evening of a club in line mode: a date, a tournament, its table; each change is said once, and briefly."""

from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import datetime, timedelta

import pytest

from scoville_server.tournaments import service
from tests.client.plain.test_several_users import users
from tests.support.line_mode import has_pictures
from tests.support.listener import Listener

PASSWORD = "seven habaneros"
CALL = "tournament call swiss no thanks 3 in=60 rounds=1 name=Friday cup"
MOST_WORDS = 25


@pytest.fixture
async def members(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Listener, Listener]]:
    """Anna, who leads a club, and Ben, who has joined it."""
    # A server that has just started waits for those who come back; and nobody here waits for seconds to pass.
    monkeypatch.setattr(service, "_SETTLING_SECONDS", 0.0)
    monkeypatch.setattr(service, "_SHORTEST_WAIT_MS", 0)
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        for user in (anna, ben):
            await user.ask("claim", "^Type a password")
            await user.ask(PASSWORD, "^You have claimed the name")
        await anna.ask("club create Hot Peppers", "^Hot Peppers: 1 member")
        await anna.ask("club invite Ben", "^Ben is invited")
        await ben.hear("^Anna invites you to the club Hot Peppers")
        await ben.ask("club accept", "^Hot Peppers: 2 members")
        yield anna, ben


async def test_dates_are_found_by_several_words(members: tuple[Listener, Listener]) -> None:
    anna, ben = members
    await ben.ask("dates", "^You have no dates")
    await anna.ask("club date 2236-12-24T20:30 Chili night", "^2236-12-24T20:30 is more than 60 days from now")
    day = datetime.now() + timedelta(days=20)
    await anna.ask(f"club date {day:%Y-%m-%dT20:30} Chili night", "Chili night")
    listed = rf"^1\. {day:%Y-%m-%d} 20:30: Chili night, club Hot Peppers\. Type club Hot Peppers$"
    for words in ("dates", "my dates", "next dates", "agenda", "appointments", "schedule"):
        await ben.ask(words, listed)
    for words in ("club", "club dates", "club show", "club Hot Peppers"):
        await ben.ask(words, rf"^1\. Chili night: {day:%Y-%m-%d} 20:30$")


async def test_a_tournament_is_told_once(members: tuple[Listener, Listener]) -> None:
    anna, ben = members
    await anna.ask(CALL, "^Type tournament enter 1 to take part yourself")
    await ben.hear("^New tournament: Friday cup: starts ")
    assert len([line for line in anna.said if line.startswith(("New tournament", "Friday cup"))]) == 1
    await ben.ask("events", r"^1\. Friday cup: starts ")
    await ben.ask("enter tournament", "^You take part in Friday cup")
    await ben.ask("dates", r"Friday cup \(No Thanks!\)\. Type tournament show 1$")
    await anna.ask("tournament enter", "^You take part in Friday cup")

    told = {user: len(user.said) for user in members}
    anna.type("tournament begin 1")
    for user in members:
        await user.hear("^Friday cup: round 1 begins")
        await user.hear("^Friday cup: your table is ready")
        await user.hear("^Thinking time")
        news = user.said[told[user] :]
        assert not [line for line, times in Counter(news).items() if times > 1]
        assert not [line for line in news if "begins" in line and "round 1" not in line]
        assert all(len(line.split()) <= MOST_WORDS for line in news)
        assert not [line for line in user.said if has_pictures(line) or "\x1b" in line]


async def test_the_caller_of_a_club_hears_it_once(members: tuple[Listener, Listener]) -> None:
    anna, ben = members
    await anna.ask(f"club {CALL.replace(' call', '')}", "^Type tournament enter 1 to take part yourself")
    await ben.hear("^Anna calls the club Hot Peppers to a tournament: Friday cup starts ")
    assert len([line for line in anna.said if "Friday cup" in line]) == 1
    for words in ("season", "seasons", "club board"):
        await ben.ask(words, "^The season ends in ")
