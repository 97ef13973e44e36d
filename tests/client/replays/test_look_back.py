"""Looking back during a game: every View is one that this client received, and the present is one key away."""

import pytest
from msgspec.structs import replace

from scoville_client.replays.look_back import LookBack
from scoville_client.replays.playback import Playback
from scoville_client.replays.reel import Reel
from scoville_client.session.table.deal_record import MOST_VIEWS, DealRecord
from scoville_client.session.table.table import AtTable
from scoville_client.tui.boards.board import Board
from scoville_client.tui.screens.replay.look_back import LookBackScreen
from scoville_client.tui.screens.table.table import LogDialog
from scoville_client.tui.shell import PACE
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import PastView as RequestedView
from scoville_shared.protocol.messages import Played
from tests.support.exports import SHORT, play_exported_game
from tests.support.screens import at_the_screen, start_practice

SEAT = Seat(1)


def seated(reel: Reel, moves: int) -> AtTable:
    """A player's table after some moves, as a session keeps it."""
    snapshot = replace(Playback(reel)._make_snapshot(), seat=SEAT, view=reel.view_at(0, SEAT))
    at = AtTable(reel.game, snapshot)
    for position in range(1, moves + 1):
        at.apply_event(reel.event_at(position, SEAT), reel.view_at(position, SEAT))
    return at


@pytest.mark.parametrize("slug", SHORT)
def test_every_step_shows_what_the_seat_saw_then(slug: str) -> None:
    reel = Reel(play_exported_game(slug))
    moves = min(12, reel.moves - 1)
    at = seated(reel, moves)
    tape = LookBack(at)
    assert tape.position == tape.last == moves
    assert tape.at.view == at.view
    assert tape.at.seat is None, "nobody plays in the past"
    for position in range(moves - 1, -1, -1):
        tape.step_back()
        assert tape.position == position
        assert reel.game.codec.encode_plain(tape.at.view) == reel.view_at(position, SEAT)
        assert max((line.seq for line in tape.at.log), default=0) <= position + 1
    for position in range(1, moves + 1):
        change = tape.step_forward()
        assert change is not None
        assert isinstance(change.event, Played)
        assert reel.game.codec.encode_plain(change.before) == reel.view_at(position - 1, SEAT)
        assert reel.game.codec.encode_plain(change.after) == reel.view_at(position, SEAT)
    assert tape.step_forward() is None


def test_rounds_are_found_and_what_happens_meanwhile_is_taken_over() -> None:
    reel = Reel(play_exported_game("dicht_dran"))
    at = seated(reel, reel.parts[2])
    tape = LookBack(at)
    tape.go_to_part_before()
    assert tape.position == reel.parts[1]
    tape.go_to_event(reel.parts[1])
    assert tape.position == reel.parts[1] - 1
    position = reel.parts[2] + 1
    at.apply_event(reel.event_at(position, SEAT), reel.view_at(position, SEAT))
    before = tape.at.view
    tape.catch_up()
    assert tape.at.view == before
    assert (tape.position, tape.last) == (reel.parts[1] - 1, position)


def test_views_are_bounded_and_kept_over_visits() -> None:
    reel = Reel(play_exported_game("no_thanks"))
    first, second = seated(reel, 5).deal, DealRecord()
    for _ in range(MOST_VIEWS):
        first.add_event(reel.event_at(3, SEAT), SEAT, reel.view_at(3, SEAT), live=True)
    assert len(first.past) == MOST_VIEWS
    first = seated(reel, 5).deal
    second.add_view(9, SEAT, reel.view_at(8, SEAT))
    second.continue_from(first)
    assert [seen.seq for seen in second.past] == [1, 2, 3, 4, 5, 6, 9]


async def test_a_player_looks_back_by_keys_and_returns_by_one() -> None:
    async with at_the_screen(start_practice()) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        board = player.app.screen.query_one(Board)
        for _ in range(2):
            await player.until(lambda: board.at.my_turn)
            await player.press("enter")
        await player.until(lambda: board.at.my_turn and board.at.view.board.round == 3)
        await player.press("left_square_bracket")
        await player.until(lambda: isinstance(player.app.screen, LookBackScreen))
        screen = player.app.screen
        assert isinstance(screen, LookBackScreen)
        await player.sees("Your turn: Esc")
        await player.press("left_square_bracket", "pageup", "pageup")
        assert screen.tape.at.view.board.round < 3
        await player.sees("Anna's view.")
        await player.sees("Esc to the game")
        await player.pilot.resize_terminal(120, 40)
        await player.until(lambda: player.text.count("The game starts: Anna") == 1)
        await player.pilot.resize_terminal(46, 19)
        await player.until(lambda: "●" in player.text.splitlines()[-1])
        await player.pilot.resize_terminal(80, 24)
        await player.press("enter")
        await player.until(lambda: player.where == "play")
        assert player.app.session.table is not None
        assert player.app.session.table.played[0] == 2, "the key that went back has played nothing"
        await player.press("l")
        await player.until(lambda: isinstance(player.app.screen, LogDialog))
        await player.press("home", "enter")
        await player.until(lambda: isinstance(player.app.screen, LookBackScreen))
        await player.sees("round 1")


async def test_a_look_back_ends_at_the_present() -> None:
    async with at_the_screen(start_practice()) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
        board = player.app.screen.query_one(Board)
        await player.until(lambda: board.at.my_turn)
        await player.press("enter")
        await player.until(lambda: board.at.my_turn and board.at.view.board.round == 2)
        await player.press("left_square_bracket", "space")
        for _ in range(20):
            await player.clock.elapse(PACE)
        assert player.where == "play"
        assert board.at.my_turn
        await player.press("enter")
        await player.until(lambda: board.at.my_turn and board.at.view.board.round == 3)


def test_a_page_of_the_past_is_bounded() -> None:
    reel = Reel(play_exported_game("no_thanks"))
    at = seated(reel, 5)
    kept = [seen.seq for seen in at.deal.past]
    noted = len(at.deal.views)
    page = [RequestedView(seq=seq, view=reel.view_at(3, SEAT)) for seq in (at.seq + 1, 3, *[2] * (2 * MOST_VIEWS))]
    at.add_past(page)
    assert [seen.seq for seen in at.deal.past] == kept, "those that came with their events stay"
    assert len(at.deal.views) == noted + MOST_VIEWS - 1, "one of the page is of the future"
