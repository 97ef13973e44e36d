"""Choosing before one's turn, taking that back, and the guard against costly moves."""

from typing import Any

import pytest
from msgspec.structs import replace

from scoville_client.tui.boards.chilli_chase import layout as chilli_layout
from scoville_client.tui.boards.chilli_chase import words as chilli_words
from scoville_client.tui.boards.chilli_chase.board import ChilliChaseBoard
from scoville_client.tui.boards.chilli_chase.picker import pick_from
from scoville_client.tui.boards.dicht_dran.board import DichtDranBoard, warn_of_cost
from scoville_client.tui.boards.no_thanks import layout, words
from scoville_client.tui.boards.no_thanks.board import NoThanksBoard
from scoville_client.tui.boards.no_thanks.scene import Choice
from scoville_shared.games.chilli_chase.arithmetic import list_reaches
from scoville_shared.games.no_thanks.state import PASS, TAKE
from scoville_shared.ids import Seat
from tests.client.tui.boards.chilli_chase.scenes import NARROW, seen
from tests.client.tui.boards.chilli_chase.scenes import scene as chilli_scene
from tests.client.tui.boards.dicht_dran.scenes import VIEW as DICHT
from tests.client.tui.boards.no_thanks.scenes import SABRINA, scene, with_board, without_chips
from tests.client.tui.boards.seen import dealt, mover
from tests.support.screens import at_the_screen, start_practice


class Recorder(NoThanksBoard):
    """A board that notes what it plays."""

    is_attached = True

    def __init__(self, at: Any) -> None:
        self.played: list[Any] = []
        super().__init__(at, 0)

    def play_move(self, move: Any) -> None:
        self.played.append(move)

    def show_change(self) -> None:
        """Draw nothing."""


def waiting() -> Recorder:
    at = dealt("no_thanks", 0)
    first = mover(at)
    return Recorder(dealt("no_thanks", (first + 1) % 3))


def turn_to(board: Recorder, **changed: Any) -> None:
    """Let it be the user's turn."""
    at = board.at
    assert at.seat is not None
    at.view = replace(at.view, board=replace(at.view.board, mover=at.seat, **changed))
    at.pending = frozenset({at.seat})
    board.adopt_table()


@pytest.mark.parametrize(("key", "move"), [("accept", TAKE), ("decline", PASS)])
def test_an_answer_chosen_ahead_is_played_in_turn(key: str, move: object) -> None:
    board = waiting()
    getattr(board, f"action_{key}")()
    assert board.choice.ahead == move
    assert board.played == []
    turn_to(board, pot=2)
    assert board.played == [move]
    board.adopt_table()
    assert board.played == [move], "once"


def test_key_escape_and_card_take_it_back() -> None:
    board = waiting()
    board.action_accept()
    board.action_accept()
    assert board.choice.ahead is None
    board.action_decline()
    assert ("Esc", "take back") in board.keys
    assert board.forget_input()
    assert not board.forget_input()
    board.action_accept()
    turn_to(board, card=35 if board.at.view.board.card != 35 else 34)
    assert board.played == []
    assert board.choice.moves


def test_choosing_ahead_needs_a_seat_a_chip_and_no_pause() -> None:
    assert Choice.ahead_of_turn(replace(without_chips(), seat=Seat(1)), PASS).ahead is None
    assert Choice.ahead_of_turn(replace(without_chips(), seat=None), TAKE).early == ()
    at = dealt("no_thanks", (mover(dealt("no_thanks", 0)) + 1) % 3, paused=True)
    board = Recorder(at)
    board.action_accept()
    assert board.choice.ahead is None


@pytest.mark.parametrize("size", [(46, 18), (80, 23)], ids=str)
def test_the_board_says_what_will_be_played(size: tuple[int, int]) -> None:
    view = with_board(mover=SABRINA)
    text = str(layout.draw_table(replace(scene(view), choice=Choice.ahead_of_turn(view, TAKE)), *size))
    assert "You will take the 14" in text
    assert "▸ t " in text


def test_a_card_of_chilli_chase_is_selected_before_the_turn() -> None:
    view = seen(14, (1, 2, 3))
    waits = replace(view, board=replace(view.board, mover=Seat(1)))
    picker = pick_from(waits.board, waits.hand, 2)
    shown = replace(chilli_scene(waits, picker), ahead=True)
    assert "━[2]━" in str(chilli_layout.draw_table(shown, *NARROW))
    assert "━[2]━" not in str(chilli_layout.draw_table(replace(shown, ahead=False), *NARROW))
    board = ChilliChaseBoard(dealt("chilli_chase", (mover(dealt("chilli_chase", 0)) + 1) % 3), 0)
    board.repaint = lambda: None  # type: ignore[method-assign]
    before = board.selection.picker.card
    board.action_last()
    assert board.selection.ahead
    assert board.forget_input()
    assert not board.selection.ahead
    assert before in board.view.hand


def test_useless_keys_are_not_offered_while_waiting() -> None:
    for board in (DichtDranBoard, ChilliChaseBoard):
        slug = "dicht_dran" if board is DichtDranBoard else "chilli_chase"
        mine = dealt(slug, mover(dealt(slug, 0)))
        assert "play" in {action.id for action in board(mine, 0).own_actions}
        mine.pending = frozenset()
        assert "play" not in {action.id for action in board(mine, 0).own_actions}


def test_the_guard_knows_costly_moves_from_the_view_alone() -> None:
    found = {card: warn_of_cost(DICHT, card) for card in DICHT.hand}
    assert {card for card, why in found.items() if why is not None} == {40, 63, 70, 96}
    why = found[96]
    assert why is not None
    assert why.render(()) == "96 is not your closest card and costs 2 cards, 4 would be free."
    assert words.warn_of_cost(with_board(card=30, pot=0)) is not None
    assert words.warn_of_cost(with_board(pot=7)) is None
    assert words.warn_of_cost(without_chips()) is None
    view = seen(14, (3, 4, 6))
    plays = {way.total: way.plays[0] for card in (3, 4) for way in list_reaches(card, 14, view.board.options)}
    assert chilli_words.warn_of_cost(view, plays[11]) is not None
    assert chilli_words.warn_of_cost(view, plays[17]) is None


async def test_the_guard_asks_for_costly_moves_twice() -> None:
    async with at_the_screen(start_practice(game="no_thanks")) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(NoThanksBoard))
        board = player.app.screen.query_one(NoThanksBoard)
        await player.until(lambda: board.choice.moves)
        player.app.settings.save_preferences(replace(player.app.preferences, guard=True))
        while words.warn_of_cost(board.at.view) is None:
            await player.press("n")
            await player.until(lambda: board.choice.moves)
        moves = board.at.played[0]
        await player.press("t")
        await player.until(lambda: "points worse. Press the key again" in " ".join(player.notices.split()))
        assert board.at.played[0] == moves
        await player.press("t")
        await player.until(lambda: board.at.played[0] > moves)


def test_one_decision_asks_for_its_meaning_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    class Asked(Recorder):
        play_move = NoThanksBoard.play_move

        @property
        def meaning(self) -> Any:
            asked.append(self)
            return super().meaning

    board = Asked(dealt("no_thanks", 0))
    monkeypatch.setattr(board, "post_message", lambda _: None)
    board.warns = False
    asked.clear()
    board.decide_move(TAKE)
    assert len(asked) == 1
