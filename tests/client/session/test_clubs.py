"""Clubs typed in the chat: created, joined, talked in, led and left, with what others are told."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from scoville_client.i18n.language import InputError, render
from scoville_client.i18n.tournament_text import news_sentence
from scoville_client.session.changes import Change, ClubChanged, TournamentNews
from scoville_client.session.commands.command import Misuse
from scoville_client.session.commands.registry import SlashCommands
from scoville_client.session.conversations import Conversation, Conversations
from scoville_client.session.joining.invitation import Invitation
from scoville_client.session.session import Session
from scoville_client.session.tournaments import OF_CLUBS, is_call_of_club
from scoville_shared.errors import ScovilleError
from tests.support.live_server import LiveServer, open_live_server
from tests.support.server import until

PASSWORD = "seven habaneros"


class Typist:
    """A user who types, and hears of clubs."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.conversations = Conversations(session)
        self._commands = SlashCommands(self.conversations, lambda: Invitation(()))
        self.told: list[str] = []
        session.subscribe(self._hear)

    def _hear(self, change: Change) -> None:
        if isinstance(change, ClubChanged) and change.sentence is not None:
            self.told.append(render(change.sentence))
        elif isinstance(change, TournamentNews) and is_call_of_club(change):
            self.told.append(render(news_sentence(change.info, change.kind)))

    async def type(self, text: str) -> Sequence[str]:
        return await self._commands.run_command(f"/{text}")


@asynccontextmanager
async def club_house(*names: str) -> AsyncIterator[tuple[LiveServer, list[Typist]]]:
    """Open a server for users who own their names; the first one is Marie."""
    async with open_live_server() as place:
        sessions = [place.marie, *[await place.connect_user(name) for name in names[1:]]]
        for session in sessions:
            await session.account.claim_name(PASSWORD)
        yield place, [Typist(session) for session in sessions]
        for session in sessions[1:]:
            await session.close()


async def test_a_club_is_led_by_typing() -> None:
    async with club_house("Marie", "Paul") as (_, [marie, paul]):
        assert (await marie.type("clubs"))[0] == "You are in no club."
        assert (await marie.type("club create Hot Peppers"))[0] == "Hot Peppers: 1 member, you lead it"
        assert await marie.type("club invite Paul") == ["Paul is invited to the club Hot Peppers."]
        await until(lambda: paul.told == ["Marie invites you to the club Hot Peppers."])
        assert await paul.type("clubs") == ["Hot Peppers: Marie invites you"]
        assert (await paul.type("club accept"))[0] == "Hot Peppers: 2 members"
        await until(lambda: marie.told == ["Paul has joined the club Hot Peppers."])
        await paul.type("club say Tonight at eight?")
        room = Conversation(f"club/{paul.session.clubs.own_clubs[0].club}")
        await until(lambda: marie.conversations.count_unread(room) == 1)
        assert marie.conversations.name_of(room) == "Hot Peppers"
        assert room in marie.conversations.rooms
        [said] = await marie.type("club chat")
        assert said.endswith(" Paul (claimed name) says: Tonight at eight?"), said
        assert await paul.type("club calls off") == ["The club Hot Peppers does not call you any more."]
        lines = await marie.type("club promote Paul")
        assert lines[2].startswith("Paul: leader, online, since ")
        await paul.type("club demote Marie")
        assert marie.told[-2:] != []
        with pytest.raises(ScovilleError, match="Only leaders"):
            await marie.type("club close Hot Peppers")
        assert await marie.type("club leave") == ["You have left the club Hot Peppers."]
        with pytest.raises(InputError, match="You are in no club"):
            await marie.type("club say Still here?")
        with pytest.raises(InputError, match="Type /club close Hot Peppers"):
            await paul.type("club close Hot")
        assert (await paul.type("club close hot peppers"))[0].startswith("The club Hot Peppers is closed")
        assert await paul.type("clubs") == ["Hot Peppers: closed by Paul, 1 member, you lead it"]


async def test_commands_ask_which_club_is_meant() -> None:
    async with club_house("Marie") as (_, [marie]):
        await marie.type("club create Peppers")
        await marie.type("club create Peppermint")
        marie.session.clubs.meant = ""
        with pytest.raises(InputError, match="Which club do you mean\\? Peppermint, Peppers"):
            await marie.type("club say Hello")
        assert (await marie.type("club peppers"))[0].startswith("Peppers: ")
        await marie.type("club say Hello")
        assert [line.text for line in marie.session.chat.lines_of(f"club/{marie.session.clubs.meant}")] == ["Hello"]
        with pytest.raises(ScovilleError, match="looks like"):
            await marie.type("club create PEPPERS")


async def test_a_call_brings_members_to_a_private_table() -> None:
    async with club_house("Marie", "Paul") as (place, [marie, paul]):
        await marie.type("club create Peppers")
        await marie.type("club invite Paul")
        await paul.type("club accept")
        table = await place.open_with_marie(settings={"private": True})
        assert await marie.type("club call") == ["The club Peppers is called to this table."]
        await until(lambda: [each.info.table for each in paul.session.lobby.invitations] == [table])
        await paul.session.join_table(table)
        assert paul.session.current_table.seat is not None


async def test_a_weekly_date_stays_at_its_hour_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    async with club_house("Marie") as (_, [marie]):
        await marie.type("club create Hot Peppers")
        await marie.type("club date 20:00 weekly Tuesday")
        await marie.type("club date 20:00 Once")
        [club] = await marie.session.clubs.list_clubs()
        dates = (await marie.session.clubs.show_club(club.club)).club_dates
        assert {date.name: date.zone for date in dates} == {"Tuesday": "Europe/Berlin", "Once": "UTC"}


async def test_a_tournament_of_a_club_is_called_by_typing() -> None:
    async with club_house("Marie", "Paul", "Otto") as (_, [marie, paul, otto]):
        await marie.type("club create Hot Peppers")
        await marie.type("club invite Paul")
        await paul.type("club accept")
        called = await marie.type("club tournament swiss no thanks 3 in=30 rounds=2 name=Friday cup")
        assert called[0] == "Friday cup: starts in 30 minutes, club Hot Peppers, No Thanks!, Swiss rounds, 2 rounds"
        await until(lambda: len(paul.told) == 2)
        assert paul.told[-1] == "Marie calls the club Hot Peppers to a tournament: Friday cup starts in 30 minutes."
        assert (await paul.type("club"))[-1].startswith("Tournament 1: Friday cup: starts in 30 minutes")
        assert await paul.type("tournament enter") == ["You take part in Friday cup; starts in 30 minutes."]
        assert (await otto.type("tournaments"))[0].startswith("There are no tournaments.")
        assert "Only members of the club Hot Peppers take part; its leaders direct it." in await paul.type(
            "tournament show"
        )


async def test_nothing_is_called_on_a_server_without_tournaments_of_clubs() -> None:
    async with club_house("Marie") as (_, [marie]):
        await marie.type("club create Hot Peppers")
        marie.session.connection.features -= {OF_CLUBS}
        with pytest.raises(Misuse, match="clubs have no tournaments"):
            await marie.type("club tournament swiss no thanks 3")
        assert await marie.session.tournaments.list_tournaments() == []
