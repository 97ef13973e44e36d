"""Line mode with several users: passwords and codes, chat, notices of the lobby, and lists of users."""

import re
from contextlib import AsyncExitStack

import pytest

from scoville_client.plain.announcer import MOST_IN_A_ROW
from scoville_server.server import Server
from scoville_server.tables.actions import start
from tests.support.listener import Listener, listen_as, serve_cheaply

RESULT = "Type rematch to play again, leave to go back to the lobby, or quit."
"""The last line of the result of a game."""


async def users(stack: AsyncExitStack, *names: str, **settings: object) -> tuple[Server, list[Listener]]:
    """Users in the lobby of a server."""
    server = await stack.enter_async_context(serve_cheaply(**settings))
    here = [await stack.enter_async_context(listen_as(server, name)) for name in names]
    for user in here:
        await user.ask("tables", "^There are no tables yet|^1")
    return server, here


async def private_table(host: Listener, command: str = "create dicht_dran 2 cycles=1 private") -> str:
    host.type(command)
    return (await host.hear("^Others can join with: enter (.+)$")).group(1)


async def test_a_private_table_is_entered_by_its_code_alone() -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        code = await private_table(anna)
        await ben.ask("tables", "^There are no tables yet")
        await ben.ask("enter brave-nobody", "No table has the code")
        await ben.ask(f"enter {code}", "^Ben takes seat 2")
        await ben.ask("about", rf"Private.* Code {code}\.")
        await anna.hear("^Ben takes seat 2")


async def test_a_password_is_asked_for_and_never_said() -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        await anna.ask("create dicht_dran 2 password", "^Type a password for the table")
        await anna.ask("seven habaneros", "^Anna takes seat 1")
        await ben.hear("^New table: .*With a password")
        await ben.ask("join 1", "^This table has a password. Type it")
        await ben.ask("eight habaneros", "^Wrong password for this table")
        await ben.ask("join 1", "^This table has a password. Type it")
        await ben.ask("", "^Nothing entered; nothing was changed")
        await ben.ask("join 1", "^This table has a password. Type it")
        await ben.ask("seven habaneros", "^Ben takes seat 2")
        assert not any("habaneros" in line for user in (anna, ben) for line in user.said)


async def test_an_invited_user_gets_one_line_and_can_join() -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        code = await private_table(anna)
        await anna.ask("invite Ben", r"^Ben has been invited\.")
        await ben.hear(f"^Anna invites you; type join {code} to accept: Dicht dran, waiting: Anna, 1 seat free")
        await ben.ask("invitations", "^Anna invites you")
        await ben.ask(f"join {code}", "^Ben takes seat 2")


async def test_talk_reaches_whom_it_is_for() -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben, caro) = await users(stack, "Anna", "Ben", "Caro")
        await anna.ask("say Good evening, all", "^Anna says: Good evening, all")
        await ben.hear("^Anna says: Good evening, all")
        await ben.ask("whisper anna Hot, isn't it", "^You whisper to Anna: Hot")
        await anna.hear("^Ben whispers: Hot, isn't it")
        code = await private_table(anna)
        await ben.ask(f"enter {code}", "^Ben takes seat 2")
        await ben.ask("say at the table", "^Ben says: at the table")
        await anna.hear("^Ben says: at the table")
        await ben.ask("react well", "^Ben reacts: well played")
        await anna.hear("^Ben reacts: well played")
        await caro.ask("chat", r"^\d\d:\d\d Anna says: Good evening, all")
        await ben.ask("chat", r"^\d\d:\d\d Ben says: at the table")
        await ben.ask("chat whispers", r"^\d\d:\d\d You whisper to Anna")
        assert not any("whisper" in line or "at the table" in line for line in caro.said)


async def test_ignored_and_muted_users_are_not_heard() -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        await anna.ask("ignore Ben", "^You are ignoring Ben")
        await anna.ask("ignored", "^You are ignoring: Ben")
        await ben.ask("say Psst", "^Ben says: Psst")
        await anna.ask("unignore Ben", r"^You are no longer ignoring Ben\.")
        await ben.ask("say Hello", "^Ben says: Hello")
        await anna.hear("^Ben says: Hello")
        assert "Ben says: Psst" not in anna.said
        code = await private_table(anna)
        await ben.ask(f"enter {code}", "^Ben takes seat 2")
        await anna.ask("mute Ben", r"^Ben is muted at this table\.")
        await ben.ask("say Nothing", "muted you")


async def test_a_kicked_user_is_in_the_lobby_and_learns_why() -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        code = await private_table(anna)
        await ben.ask(f"enter {code}", "^Ben takes seat 2")
        await anna.hear("^Ben takes seat 2")
        await anna.ask("kick ben too loud for this table", "^The host kicks Ben: too loud for this table")
        await ben.hear("^The host has kicked you from the table: too loud for this table")
        await ben.hear("^You are back in the lobby")
        await ben.ask(f"enter {code}", "No table has the code")
        new = (await anna.ask("about", r"Code (\S+)\.$")).group(1)
        assert new != code
        await ben.ask(f"enter {new}", "You were kicked from this table: too loud for this table")


async def test_players_vote_on_a_kick_in_lines() -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben, cleo) = await users(stack, "Anna", "Ben", "Cleo")
        await anna.ask("create no_thanks 3", "^Anna takes seat 1")
        for user in (ben, cleo):
            await user.ask("join 1", "takes seat")
        await anna.hear("^Cleo takes seat 3")
        await anna.ask("start", "The game starts")
        await anna.ask("vote yes", r"^There is no vote now\. To start one, type vote NAME\.")
        await anna.ask("vote", "^Type vote and the name of a player")
        await anna.ask("kick Ben", "^In a running game the host cannot kick a player")
        await anna.ask("vote ben", r"^Anna starts a vote to kick Ben \(1 of 2\)\.")
        await cleo.hear("^Type vote yes or vote no")
        await ben.hear("^Anna starts a vote to kick Ben")
        assert "Type vote yes or vote no." not in ben.said
        await cleo.ask("vote yes", "^The players kick Ben: a bot takes over")
        await ben.hear(r"^The players have voted to kick you from the table\.$")
        await ben.hear("^You are back in the lobby")
        assert not any(line.startswith("You were kicked") for line in ben.said)


async def test_new_tables_are_reported_within_bounds_and_on_request() -> None:
    async with AsyncExitStack() as stack:
        server, (anna, ben) = await users(stack, "Anna", "Ben")
        await ben.ask("quiet", "^Lobby messages are off")
        for number in range(MOST_IN_A_ROW + 3):
            host = await stack.enter_async_context(listen_as(server, f"Host {number}"))
            host.type("create dicht_dran 2")
            await host.hear("takes seat 1")
        await anna.hear("^There are more new tables; type tables")
        assert len([line for line in anna.said if line.startswith("New table:")]) == MOST_IN_A_ROW
        assert not any(line.startswith("New table:") for line in ben.said)
        await ben.ask("quiet off", "are on again")


async def test_a_table_without_a_host_starts_when_everybody_is_ready() -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        await anna.ask("create dicht_dran 2 hostless countdown=0", "^Anna takes seat 1")
        await ben.ask("join 1", "takes seat 2")
        await anna.hear("^Ben takes seat 2")
        await anna.ask("about", "No host, starts when everybody is ready")
        await anna.ask("start", "^The server says: This table has no host, and nobody can start the game")
        await anna.ask("kick Ben", "(?i)host")
        anna.type("ready")
        await ben.ask("ready", "^Your turn")


async def test_readiness_starts_a_table_and_the_host_can_be_another() -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        code = await private_table(anna, "create dicht_dran 2 cycles=1 private start=ready countdown=0")
        assert "The game starts when everybody is ready." in anna.said
        assert "Type ready when you are ready." in anna.said
        await ben.ask(f"enter {code}", "^Ben takes seat 2")
        await anna.hear("^Ben takes seat 2")
        await anna.ask("host Ben", "^Ben is now the host")
        await anna.ask("ready", "^Anna is ready")
        await anna.ask("unready", r"^Anna is no longer ready\.")
        await anna.ask("ready", "^Anna is ready")
        await anna.ask("who", "^Seat 1: Anna, you, ready")
        await ben.ask("ready", "^The game starts")
        await anna.hear("^The game starts")


async def test_next_returns_to_a_kept_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start, "REVEAL_MS", 0)  # Ben's client is not at the table, and reveals nothing
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        code = await private_table(anna)
        await ben.ask(f"enter {code}", "^Ben takes seat 2")
        await anna.hear("^Ben takes seat 2")
        await ben.ask("lobby", "^You are in the lobby and keep your seat")
        await anna.ask("start", "^Your turn")
        await ben.hear("^It is your turn at another table, Dicht dran. Type next")
        await ben.ask("next", "^Your turn")
        await ben.ask("next", "^No other table is waiting for you")


async def test_a_spectator_is_announced_and_a_commentator_sees_a_hand() -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        anna.type("create dicht_dran 2 commentary")
        key = (await anna.hear(r"^The commentators' key is (.+)\.$")).group(1)
        await anna.ask("start", "^Your turn")
        await ben.ask("watch 1", "^The circle")
        await ben.ask("look from Anna", "^You are watching from the seat of Anna")
        await ben.ask(f"commentate {key} Anna", "^The circle")
        await ben.ask("hand", "(?i)hand")
        while (await anna.ask("watchers", r"^There are no spectators\.$|^\d spectators?: (.*)\.$")).group(1) is None:
            pass  # arrivals are announced together
        assert anna.said[-1] == "1 spectator: Ben."


async def test_spectators_with_claimed_names_are_marked_in_words() -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        await ben.ask("claim", "^Type a password")
        await ben.ask("seven habaneros", "^You have claimed the name Ben")
        anna.type("create dicht_dran 2 commentary")
        key = (await anna.hear(r"^The commentators' key is (.+)\.$")).group(1)
        await anna.ask("start", "^Your turn")
        await ben.ask("watch 1", "^The circle")
        await ben.ask(f"commentate {key} Anna", "^The circle")
        hands = "These users have seen hands: Ben (claimed name)."
        while hands not in anna.said:  # arrivals are announced together
            await anna.ask("watchers", r"^There are no spectators\.$|^\d spectators?: ")
        assert "1 spectator: Ben (claimed name)." in anna.said


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("create spectators=friends", "spectators=friends is not allowed: spectators is anybody, nobody, or rounds"),
        ("create countdown=later", "countdown=later is not allowed: countdown is seconds, up to 600"),
        (
            "create behind=99",
            "behind=99 is not allowed: behind is how many rounds later spectators see the game, up to 20.",
        ),
        ("join", "The table is missing. Type join TABLE"),
        ("enter", "such as brave-otter. Type enter CODE"),
        ("whisper Ben", "The text is missing. Type whisper NAME TEXT"),
        ("say", "The text is missing. Type say TEXT"),
        ("help dance", "There is no command 'dance'. Type help for a list."),
        ("react", "There is no command 'react' here"),
        ("leaders", "The game is missing. Type leaders GAME"),
        ("leaders whist", "whist"),
        ("admin users", "Only admins of this server"),
        ("follow", "There is no command 'follow' here"),
    ],
)
async def test_impossible_command_is_one_sentence(typed: str, sentence: str) -> None:
    async with AsyncExitStack() as stack:
        _, (anna,) = await users(stack, "Anna")
        await anna.ask(typed, sentence)


async def test_the_deals_verdict_follows_the_result_once() -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        anna.type("create no_thanks 3 commentary")
        key = (await anna.hear(r"^The commentators' key is (.+)\.$")).group(1)
        await ben.ask("watch 1", "^Anna takes seat 1")
        await anna.ask("start", r"^Your turn\.|^The game is over")
        while RESULT not in anna.said:
            await anna.ask("1", rf"^Your turn\.|^{re.escape(RESULT)}$")
        for user in (anna, ben):
            await user.hear("^Verified")
        await ben.ask(f"commentate {key} Anna", f"^{re.escape(RESULT)}$")
        await ben.ask("say Good game", r"^Ben \(spectator\) says: Good game$")
        for user in (anna, ben):
            verdicts = [number for number, line in enumerate(user.said) if "erified" in line]
            assert len(verdicts) == 1
            assert user.said.index(RESULT) < verdicts[0]


async def test_tab_completes_the_beginning_of_a_name() -> None:
    async with AsyncExitStack() as stack:
        _, (anna, _, _) = await users(stack, "Anna", "Ben", "Bea")
        await anna.ask("whisper Ben\thello", "^Anna to Ben: hello|to Ben")
        await anna.ask("whisper B\thello", "^That could be Bea, Ben\\.")
        await anna.ask("ignore Be\t", "^That could be Bea, Ben\\.")


async def test_returning_user_learns_what_happened() -> None:
    async with serve_cheaply() as server:
        async with listen_as(server, "Ben") as ben:
            await ben.ask("tables", "^There are no tables yet")
        async with listen_as(server, "Anna") as anna:
            code = await private_table(anna)
            await anna.ask("invite Ben", "Ben")
            anna.type("leave")
            await anna.hear("back in the lobby")
            await anna.ask("say Ben, are you there?", "^Anna says: Ben")
            async with listen_as(server, "Ben") as again:
                await again.hear("^While you were away, since ")
                await again.hear("^Anna says: Ben, are you there")
        assert code


async def play_first(user: Listener) -> None:
    """Play the first card that is named as a legal one."""
    card = (await user.ask("moves", r"You can play: (\d+)")).group(1)
    await user.ask(card, "has chosen|have chosen| is closest, ")


async def test_game_elsewhere_is_announced_twice() -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        await anna.ask("create dicht_dran 2 cycles=1", "^Anna takes seat 1")
        await ben.ask("join 1", "^Ben takes seat 2")
        await anna.ask("start", "^Your turn")
        await ben.hear("^Your turn")
        await play_first(anna)
        await anna.ask("lobby", "^You are in the lobby and keep your seat")
        await play_first(ben)
        await anna.hear("^It is your turn at another table")
        await anna.ask("next", " is closest, ")
        await anna.hear("^Round 2: ")
        await anna.hear("^Your turn")
        assert not any(" is closest, " in line for line in anna.said[anna._heard :]), "nothing is said twice"
        while not any(line.startswith("The game is over.") for line in ben.said):
            await play_first(anna)
            await anna.ask("lobby", "^You are in the lobby and keep your seat")
            await play_first(ben)
            # What the cards have led to comes after them: else the game may be over before he has heard of it.
            if (await ben.hear(r"^Your turn|^The game is over\.")).group() == "Your turn":
                await anna.ask("next", "^Your turn")
        code = (
            await anna.hear("^Your game of Dicht dran with Ben is over. Type join (.+) to hear the result.$")
        ).group(1)
        await anna.ask(f"join {code}", "^The game is over")


async def test_an_invitation_to_a_table_that_was_announced_is_short() -> None:
    async with AsyncExitStack() as stack:
        _, (anna, ben) = await users(stack, "Anna", "Ben")
        await ben.ask("quiet off", "are on again")
        await anna.ask("create dicht_dran 2", "^Anna takes seat 1")
        await ben.hear("^New table: Dicht dran")
        await anna.ask("invite Ben", r"^Ben has been invited\.")
        await ben.hear(r"^Anna invites you to Dicht dran; type join \S+ to accept\.$")
        await ben.ask("join 1", r"^The game starts when the host starts it\. Anna is the host\.$")
