"""Players and spectators of a table: the host, points of view, kicks, and reasons for a closed table."""

from collections.abc import AsyncIterator

import pytest

from scoville_client.session.session import Session
from scoville_client.tui.boards.board import Board
from scoville_client.tui.screens.dialogs.question import ConfirmDialog
from scoville_client.tui.screens.table.result import Result
from scoville_runtime.clock import SYSTEM
from tests.support.live_server import LiveServer, open_live_server
from tests.support.screens import NARROW, WIDE, Player, at_the_screen

sizes = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["80x24", "46x19"])


@pytest.fixture
async def marie() -> AsyncIterator[LiveServer]:
    async with open_live_server() as place:
        yield place


async def seated(player: Player) -> None:
    await player.sees("Enter take a seat")
    await player.press("enter")
    await player.until(lambda: player.where == "waiting")


def over(player: Player) -> bool:
    """Whether the client knows that the table's game is over; that event clears earlier notices."""
    at = player.app.session.table
    return at is not None and at.info.status == "finished"


def at_the_board(player: Player) -> bool:
    return player.where == "play" and bool(player.app.screen.query(Board))


@sizes
async def test_a_countdown_counts_every_second(
    marie: LiveServer, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = SYSTEM.seconds()
    monkeypatch.setattr(SYSTEM, "seconds", lambda: now)  # the server's time stands still
    await marie.open_with_marie(seats=3, settings={"start": "full", "countdown_ms": 600_000, "fill_ms": 3_000_000})
    async with at_the_screen(marie.start, size=size) as paul:
        await seated(paul)
        at = paul.app.session.table
        assert at is not None
        for left in (3000, 2999, 2998):
            await paul.sees(f"The game starts in {left} seconds.")
            await paul.clock.elapse(1.1)


async def test_the_host_makes_somebody_else_the_host(marie: LiveServer) -> None:
    await marie.open_with_marie()
    async with at_the_screen(marie.start) as paul:
        await seated(paul)
        assert marie.marie.table is not None
        await paul.press("x", "h")
        assert paul.where == "waiting"
        await marie.marie.table_actions.transfer_host(marie.marie.table.id, 1)
        await paul.sees("Paul is now the host.")
        await paul.sees("Press Enter to start.")
        await paul.press("h")
        await paul.sees("Who becomes the host?")
        await paul.press("enter")
        await paul.sees("Make Marie the host?")
        await paul.press("enter")
        await paul.sees("Press Enter to start.")
        await paul.press("h", "enter", "y")
        await paul.sees("Marie is the host and starts the game")


@sizes
async def test_enter_and_escape_spare_the_host_in_the_users(marie: LiveServer, size: tuple[int, int]) -> None:
    await marie.open_with_marie()
    async with at_the_screen(marie.start, size=size) as paul:
        await seated(paul)
        assert marie.marie.table is not None
        await marie.marie.table_actions.transfer_host(marie.marie.table.id, 1)
        await paul.sees("Press Enter to start.")
        for refusal in ("enter", "escape", "n"):
            await paul.press("o")
            await paul.sees("At this table")
            await paul.press("home", "h")
            await paul.sees("Make Marie the host?")
            await paul.press(refusal)
            await paul.until(lambda: not isinstance(paul.app.screen, ConfirmDialog))
            assert paul.app.session.table is not None
            assert paul.app.session.table.hosting


@sizes
async def test_a_tables_users_are_listed_and_spectators_removable(marie: LiveServer, size: tuple[int, int]) -> None:
    async with at_the_screen(marie.start, size=size) as paul:
        await paul.until(lambda: paul.where == "lobby")
        await paul.press("c", "enter")
        await paul.sees("Table code:")
        assert paul.app.session.table is not None
        table = paul.app.session.table.id
        await marie.marie.watch_table(table)
        await paul.sees("Spectators: Marie.")
        await paul.press("o")
        await paul.sees("At this table")
        await paul.sees("spectator")
        await paul.press("up", "x")
        await paul.sees("Kick Marie?")
        await paul.press("enter")
        await paul.sees("This cannot be undone.")
        await paul.press("y")
        await paul.until(lambda: "Spectators" not in paul.text)
        assert marie.marie.table is None


async def test_a_kick_in_the_middle_of_a_game_is_reported(marie: LiveServer) -> None:
    await marie.open_with_marie()
    linus = await marie.connect_user("Linus")
    assert marie.marie.table is not None
    await linus.join_table(marie.marie.table.id)
    async with at_the_screen(marie.start) as paul:
        await seated(paul)
        await marie.marie.table_actions.start_game()
        await paul.until(lambda: at_the_board(paul))
        zoe = await marie.connect_user("Zoe")
        await zoe.watch_table(marie.marie.table.id)
        await marie.marie.table_actions.kick_user(marie.marie.table.id, "Zoe", "too loud")
        await paul.sees("The host kicks Zoe: too loud")
        assert paul.where == "play"
        await marie.marie.table_actions.vote_on_kick(marie.marie.table.id, 2)
        await linus.table_actions.vote_on_kick(marie.marie.table.id, 2)
        await paul.until(lambda: paul.where == "lobby")
        await paul.sees("The players have voted to kick you from the table.")
        await zoe.close()
    await linus.close()


async def three_at_the_board(live_server: LiveServer, player: Player) -> Session:
    """Let Marie, Linus and Paul play; returns Linus."""
    linus = await live_server.connect_user("Linus")
    assert live_server.marie.table is not None
    await linus.join_table(live_server.marie.table.id)
    await seated(player)
    await live_server.marie.table_actions.start_game()
    await player.until(lambda: at_the_board(player))
    return linus


@sizes
@pytest.mark.parametrize("game", ["dicht_dran", "no_thanks", "chilli_chase"])
async def test_a_vote_is_seen_and_answered_by_keys(marie: LiveServer, game: str, size: tuple[int, int]) -> None:
    table = await marie.open_with_marie(game)
    async with at_the_screen(marie.start, size=size) as paul:
        linus = await three_at_the_board(marie, paul)
        await marie.marie.table_actions.vote_on_kick(table, 1)
        await paul.sees("Vote to kick Linus: 1 of 2 votes.")
        await paul.press("V")
        await paul.sees("no: Linus stays")
        await paul.press("down", "enter")
        await paul.until(lambda: marie.marie.table is not None and marie.marie.table.info.seats[1].kind == "bot")
        assert paul.app.session.table is not None
        assert paul.app.session.table.vote is None
        await paul.until(lambda: linus.table is None)
        await linus.close()


async def test_a_vote_starts_by_key_and_enter_means_no(marie: LiveServer) -> None:
    await marie.open_with_marie()
    async with at_the_screen(marie.start) as paul:
        linus = await three_at_the_board(marie, paul)
        await paul.press("V")
        await paul.sees("Kick which player?")
        await paul.press("enter")
        await paul.sees("Start a vote to kick Marie?")
        await paul.press("y")
        await paul.until(lambda: marie.marie.table is not None and marie.marie.table.vote is not None)
        await paul.until(lambda: "Vote to kick Marie" in paul.text)
        assert "Press V to vote" not in paul.text
        assert linus.table is not None
        await linus.table_actions.vote_on_kick(linus.table.id, 0, agree=False)
        await paul.sees("The vote to kick Marie has failed.")
        await marie.marie.table_actions.vote_on_kick(linus.table.id, 1)
        await paul.sees("Vote to kick Linus")
        await paul.press("V", "enter")
        await paul.sees("The vote to kick Linus has failed.")
        await linus.close()


async def test_with_one_other_player_there_is_no_vote(marie: LiveServer) -> None:
    await marie.open_with_marie()
    async with at_the_screen(marie.start) as paul:
        await seated(paul)
        await marie.marie.table_actions.start_game()
        await paul.until(lambda: at_the_board(paul))
        await paul.press("V")
        await paul.sees("A kick needs the votes of two other players.")


@sizes
@pytest.mark.parametrize("game", ["dicht_dran", "no_thanks", "chilli_chase"])
async def test_a_spectator_looks_from_every_place(marie: LiveServer, game: str, size: tuple[int, int]) -> None:
    await marie.open_with_marie(game)
    await marie.marie.table_actions.start_game()
    async with at_the_screen(marie.start, size=size) as paul:
        await paul.sees("Enter watch")
        await paul.press("enter")
        await paul.until(lambda: at_the_board(paul))
        await paul.press("tab")
        await paul.sees("At Marie's seat.")
        await paul.press("tab")
        await paul.until(lambda: "At Marie's seat." not in paul.text and "'s seat." in paul.text)
        await paul.press("tab", "tab")
        await paul.until(lambda: "'s seat." not in paul.text)


async def test_a_commentator_sees_one_hand_after_the_other(marie: LiveServer) -> None:
    table = await marie.open_with_marie(settings={"commentary": True})
    await marie.marie.table_actions.start_game()
    async with at_the_screen(marie.start) as paul:
        await paul.sees("Enter watch")
        await paul.press("enter")
        await paul.until(lambda: at_the_board(paul))
        await paul.sees("K hands")
        await paul.press("K")
        await paul.sees("The commentators' key")
        await paul.press(*"guess", "enter")
        await paul.sees("Wrong commentators")
        await paul.press("K", *marie.marie.lobby.commentary_keys[table], "enter")
        await paul.sees("Marie's view.")
        at = paul.app.session.table
        assert at is not None
        assert (at.seat, at.point_of_view) == (None, 0)
        assert len(at.view.hand) > 0
        await paul.press("tab")
        await paul.until(lambda: paul.app.session.table is not None and paul.app.session.table.point_of_view == 1)


async def test_tables_without_commentators_offer_no_key(marie: LiveServer) -> None:
    await marie.open_with_marie()
    await marie.marie.table_actions.start_game()
    async with at_the_screen(marie.start) as paul:
        await paul.sees("Enter watch")
        await paul.press("enter")
        await paul.until(lambda: at_the_board(paul))
        assert "K hands" not in paul.text
        await paul.press("K")
        await paul.sees("This table has no commentators.")


async def test_a_spectator_learns_of_the_next_game_and_spectates_there(marie: LiveServer) -> None:
    await marie.open_with_marie("dicht_dran", options={"cycles": 1})
    at = marie.marie.table
    assert at is not None
    await marie.marie.table_actions.start_game()
    async with at_the_screen(marie.start) as paul:
        await paul.sees("Enter watch")
        await paul.press("enter")
        await paul.until(lambda: at_the_board(paul))
        while at.result is None:
            await paul.until(lambda: at.legal_moves() if at.my_turn else at.result)
            if at.my_turn:
                await marie.marie.play_move(at.game.fallback(at.view))
        await paul.until(lambda: paul.app.screen.query(Result) and over(paul))
        await paul.press("enter")
        await paul.sees("Only the players can start a rematch")
        following = await marie.marie.table_actions.open_rematch()
        await paul.sees("Marie wants a rematch: press Enter to join.")
        await paul.press("enter")
        await paul.sees("You are watching. Marie is the host")
        assert paul.app.session.table is not None
        assert (paul.app.session.table.id, paul.app.session.table.seat) == (following.table, None)
