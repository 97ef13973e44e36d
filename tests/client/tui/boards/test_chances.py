"""The coach's bars at the cards: every board shows them at its moves, until the decision is made."""

import pytest

from scoville_client.tui.boards import find_board
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.sentences import SentencesBoard
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.chances import Chance, draw_chance
from tests.client.tui.boards.gallery import Hall
from tests.client.tui.boards.seen import GAMES, SINCE, dealt, mover

SIZES = [(46, 18), (46, 43), (80, 23), (119, 39), (164, 49)]
GOOD, WORSE = Chance("61 %", 0.61, 0.05, 0.66, is_good=True), Chance("17 %", 0.17, 0.05, 0.66, is_good=False)


def board_of(slug: str) -> type[Board]:
    return find_board(slug) if slug in GAMES else SentencesBoard


@pytest.mark.parametrize("slug", [*GAMES, "sentences"])
async def test_bars_stand_at_the_cards_until_the_move(slug: str) -> None:
    game = slug if slug in GAMES else "no_thanks"
    at = dealt(game, mover(dealt(game)))
    moves = at.legal_moves()
    async with Hall(board_of(slug), at, SINCE).run_test(size=(80, 23)) as pilot:
        board = pilot.app.query_one(Board)
        before = [str(board.draw_table(*size)) for size in SIZES]
        board.show_chances({move: GOOD if number == 0 else WORSE for number, move in enumerate(moves)})
        for size in SIZES:
            text = str(board.draw_table(*size))
            assert GOOD.figure in text, size
            assert WORSE.figure in text, size
        at.pending = frozenset()
        assert not board.chances, "they are those of a decision that is made"
        at.pending = frozenset({at.seat})  # type: ignore[arg-type]
        board.show_chances({})
        assert [str(board.draw_table(*size)) for size in SIZES] == before


def test_a_bar_says_what_is_sure_open_and_worse() -> None:
    canvas = Canvas(20, 3)
    draw_chance(canvas, 0, 0, 20, GOOD)
    draw_chance(canvas, 0, 1, 20, WORSE)
    draw_chance(canvas, 0, 2, 6, GOOD)
    assert str(canvas).splitlines() == ["██████████████░ 61 %", "▒▒▒▒░           17 %", "█61 %"]
