"""Votes on a kick in the client, and the changed code of a private table after a kick."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest

from scoville_client.session.commands.command import Misuse
from scoville_client.session.commands.registry import SlashCommands
from scoville_client.session.conversations import Conversations
from scoville_client.session.joining.invitation import Invitation
from scoville_client.session.table.vote import Vote, read_vote, vote_text
from scoville_shared.protocol.messages import VoteInfo

from .test_joining_and_leaving import at_one_table, connect_user, served, why

NAMES = ["Anna", "Ben 2", "Cleo"]
OPEN = Vote(VoteInfo(against=1, agreed=[0], refused=[], needed=2, ends_in_ms=60_000), ends=100.0)


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as entered:
        yield entered


@pytest.mark.parametrize(
    ("typed", "vote", "meant"),
    [
        ("ben 2", None, (1, True)),
        ("3", None, (2, True)),
        (" Yes ", OPEN, (1, True)),
        ("no", OPEN, (1, False)),
    ],
)
def test_typed_vote_is_a_seat_and_a_choice(typed: str, vote: Vote | None, meant: tuple[int, bool]) -> None:
    assert read_vote(vote, typed, NAMES) == meant


@pytest.mark.parametrize("typed", ["", "yes", "no", "Zoe", "0"])
def test_meaningless_vote_is_explained(typed: str) -> None:
    with pytest.raises(ValueError, match=r"type vote|Type vote"):
        read_vote(None, typed, NAMES)


def test_a_vote_waits_for_the_other_voters() -> None:
    assert [OPEN.waits_for(seat) for seat in (0, 1, 2, None)] == [False, False, True, False]
    assert (OPEN.seconds_left(40.0), OPEN.seconds_left(99.5), OPEN.seconds_left(200.0)) == (60, 1, 0)
    assert vote_text(OPEN, NAMES, asked=True) == "Vote to kick Ben 2: 1 of 2 votes. Press V to vote."


async def test_players_vote_by_slash_commands(stack: AsyncExitStack) -> None:
    server = await served(stack)
    anna, ben, cleo = [await connect_user(stack, server, name) for name in ("Anna", "Ben", "Cleo")]
    table = (await anna.lobby.create_table("no_thanks", 3)).table
    for user in (anna, ben, cleo):
        await user.join_table(table)
    await anna.table_actions.start_game()
    for user in (anna, ben, cleo):
        await user.until(lambda user=user: user.at.view is not None)
    with pytest.raises(Misuse, match="There is no vote now"):
        await SlashCommands(Conversations(anna), lambda: Invitation(())).run_command("/vote yes")
    await SlashCommands(Conversations(anna), lambda: Invitation(())).run_command("/vote Ben")
    for user in (anna, ben, cleo):
        await user.until(lambda user=user: user.at.vote is not None)
    assert cleo.at.vote is not None
    assert cleo.at.vote.info.agreed == [0]
    await cleo.watch_table(table)
    assert cleo.at.vote is not None, "a snapshot says it as well"
    await SlashCommands(Conversations(cleo), lambda: Invitation(())).run_command("/vote yes")
    await ben.until(lambda: ben.table is None)
    assert why(ben) == ["The players have voted to kick you from the table."]
    await anna.until(lambda: anna.at.info.seats[1].kind == "bot")
    assert anna.at.vote is None


async def test_remaining_players_learn_the_new_code(stack: AsyncExitStack) -> None:
    server = await served(stack)
    anna, ben, zoe = [await connect_user(stack, server, name) for name in ("Anna", "Ben", "Zoe")]
    await at_one_table(anna, ben, private=True)
    old = anna.at.info.code
    await zoe.lobby.enter_table(code=old or "")
    await zoe.watch_table(anna.at.id)
    await anna.table_actions.kick_user(anna.at.id, "Ben")
    await anna.until(lambda: anna.at.info.code != old)
    await zoe.until(lambda: zoe.at.info.code == anna.at.info.code)
    await ben.until(lambda: ben.table is None)


async def test_everybody_at_a_table_learns_who_has_seen_a_hand(stack: AsyncExitStack) -> None:
    server = await served(stack)
    anna, ben, zoe = [await connect_user(stack, server, name) for name in ("Anna", "Ben", "Zoe")]
    table = await at_one_table(anna, ben, commentary=True)
    assert not anna.at.info.settings.rated
    await zoe.watch_table(table, anna.lobby.commentary_keys[table], 0)
    await ben.until(lambda: ben.at.audience.commentators == ["Zoe"])
    await zoe.return_to_lobby()
    await ben.until(lambda: ben.at.audience.spectators == [])
    assert ben.at.audience.commentators == ["Zoe"]
