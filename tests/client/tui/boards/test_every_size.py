"""Every board in every size: at most 30 % of it is empty, and its parts hang together, in each phase of a game."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from scoville_client.i18n.language import render
from scoville_client.tui.boards.chilli_chase import layout as chilli_chase
from scoville_client.tui.boards.chilli_chase.picker import pick_from
from scoville_client.tui.boards.chilli_chase.scene import Called
from scoville_client.tui.boards.chilli_chase.scene import Frame as ChilliFrame
from scoville_client.tui.boards.dicht_dran import layout as dicht_dran
from scoville_client.tui.boards.dicht_dran.board import animate_event as animate_round
from scoville_client.tui.boards.no_thanks import layout as no_thanks
from scoville_client.tui.boards.no_thanks.board import animate_event as animate_decision
from scoville_client.tui.boards.no_thanks.scene import Choice
from scoville_client.tui.boards.sentences import SentencesBoard
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.frames import Edge, draw_frame
from scoville_shared.games.chilli_chase import GAME as CHILLI_CHASE
from scoville_shared.games.dicht_dran.facts import CycleEnd, CycleScored
from scoville_shared.games.no_thanks import GAME as NO_THANKS
from scoville_shared.ids import Seat
from tests.client.tui.boards.chilli_chase import scenes as chilli
from tests.client.tui.boards.dicht_dran import scenes as dicht
from tests.client.tui.boards.gallery import Hall, count_islands, empty_share, find_open_boxes
from tests.client.tui.boards.no_thanks import scenes as thanks
from tests.client.tui.boards.seen import GAMES, SINCE, dealt
from tests.shared.games.chilli_chase.tables import A, lay_out

MOST_EMPTY = 0.30
SIZES = [
    (46, 18),
    (63, 21),
    (46, 43),
    (60, 32),
    (80, 23),
    (80, 47),
    (84, 39),
    (100, 29),
    (100, 59),
    (119, 39),
    (150, 39),
    (164, 49),
]
"""Boards of windows between the smallest and a wall's: the window without its row of keys and its side column."""
WIDEST = [(210, 79), (264, 79)]
LOG = ("Round 1 begins.", "Peter declines the 14: 8 chips lie on it.", "Lisa takes the 14 and 8 chips.")


def no_thanks_scenes() -> dict[str, Any]:
    played = list(thanks.decisions(4, seed=3))
    mine, theirs = (
        next(each.before for each in played if each.before.board.left < 13 and each.seat == seat) for seat in (0, 1)
    )
    waiting = NO_THANKS.view(theirs, Seat(0))
    last = played[-1]
    before, after = (NO_THANKS.view(state, Seat(0)) for state in (last.before, last.after))
    frames = list(animate_decision(before, last.facts, after))
    return {
        "beginning": thanks.scene(NO_THANKS.view(played[0].before, Seat(0)), log=LOG),
        "my move": thanks.scene(NO_THANKS.view(mine, Seat(0)), log=LOG),
        "waiting": replace(thanks.scene(waiting, log=LOG), choice=Choice.ahead_of_turn(waiting, None)),
        "last card": thanks.scene(before, frame=frames[0], log=LOG),
        "end": thanks.scene(before, frame=frames[-1], log=LOG),
        "spectator": thanks.scene(NO_THANKS.view(mine, None), log=LOG),
    }


def dicht_dran_scenes() -> dict[str, Any]:
    frames = animate_round(dicht.VIEW, dicht.EXAMPLE)
    scored = CycleScored(1, CycleEnd.HAND_EMPTY, (14, 3, 0, 5), (6, 0, 2, 1), (8, 3, -2, 4), (8, 3, -2, 4))
    asked = "66 is 1 from 67. Outside the gap: unless it wins, you draw 3 cards."
    chosen = replace(dicht.VIEW, pick=66, chosen=(True, False, True, False))
    scenes = {
        "my move": dicht.scene(prompt=asked),
        "waiting": dicht.scene(chosen, selected=None, prompt="You have chosen 66. Waiting for Paul and Linus."),
        "two cards": dicht.scene(replace(dicht.VIEW, hand=(33, 66)), prompt=asked),
        "reveal": dicht.scene(frame=frames[0]),
        "gap": dicht.scene(frame=frames[2]),
        "end": dicht.scene(frame=frames[0]._replace(action=0, fronts=(), scored=scored)),
        "spectator": dicht.scene(replace(dicht.VIEW, seat=None, hand=()), selected=None, prompt="You are watching."),
    }
    return {name: replace(scene, log=LOG) for name, scene in scenes.items()}


def chilli_chase_scenes() -> dict[str, Any]:
    hands = ((2, 3, 4), (4, 5, 6), (1, 2, 3), (4, 5, 6))
    table = lay_out(5, *hands, scores=(10, 5, 4, 6), hot=(5,), deck=(1,) * 23)
    view = CHILLI_CHASE.view(table, A)
    picker = pick_from(view.board, view.hand).moved_along(1).moved_along(1)
    hit = ChilliFrame((), view.board, view.hand, Called(Seat(1), "5 × 2 = 10"), hit=Seat(0), before=2)
    rolled = ChilliFrame((), view.board, view.hand, rolled=(Seat(0), Seat(1)))
    scenes = {
        "beginning": chilli.scene(view),
        "my move": chilli.scene(view, picker),
        "new score": chilli.scene(chilli.asked(chilli.seen(8)), wanted=12),
        "waiting": chilli.scene(replace(view, board=replace(view.board, mover=Seat(1)))),
        "hit": replace(chilli.scene(view), frame=hit),
        "dice": replace(chilli.scene(view), frame=rolled),
        "spectator": chilli.scene(CHILLI_CHASE.view(table, None)),
    }
    return {name: replace(scene, log=LOG) for name, scene in scenes.items()}


Draw = Callable[[Any, int, int], Canvas]
SCENES: dict[str, tuple[Draw, Any]] = {
    **{f"No Thanks!, {name}": (no_thanks.draw_table, scene) for name, scene in no_thanks_scenes().items()},
    **{f"Dicht dran, {name}": (dicht_dran.draw_table, scene) for name, scene in dicht_dran_scenes().items()},
    **{f"Chilli Chase, {name}": (chilli_chase.draw_table, scene) for name, scene in chilli_chase_scenes().items()},
}
BESIDE_COLUMN = 140
"""Columns of a board from which on the log is in the side column."""


@pytest.mark.parametrize("size", SIZES + WIDEST, ids=str)
@pytest.mark.parametrize("name", SCENES)
def test_little_of_a_board_is_empty_and_nothing_stands_apart(name: str, size: tuple[int, int]) -> None:
    draw, scene = SCENES[name]
    canvas = draw(replace(scene, log=()) if size[0] >= BESIDE_COLUMN else scene, *size)
    share = empty_share(canvas)
    assert share <= MOST_EMPTY, f"{share:.0%} is empty:\n{canvas}"
    assert count_islands(canvas) == 1


ODD_SIZES = [
    *((46, 18), (53, 24), (60, 30), (74, 36), (81, 21), (95, 42), (102, 24), (116, 30), (130, 27), (142, 46)),
    *((179, 63), (249, 69)),
]
"""Sizes between those above: what has room in one of them may have none in the next."""


@pytest.mark.parametrize("name", SCENES)
def test_every_box_has_its_lower_edge(name: str) -> None:
    draw, scene = SCENES[name]
    for size in ODD_SIZES:
        canvas = draw(replace(scene, log=()) if size[0] >= BESIDE_COLUMN else scene, *size)
        assert find_open_boxes(canvas) == [], f"{size}:\n{canvas}"


def test_the_measure_sees_a_box_without_a_lower_edge() -> None:
    canvas = Canvas(10, 5)
    draw_frame(canvas, (0, 0, 10, 5), Edge.PLAIN, "text")
    assert find_open_boxes(canvas) == []
    canvas.put(0, 4, " " * 10)
    assert find_open_boxes(canvas) == [(0, 0)]


def test_the_measure_sees_holes_and_islands() -> None:
    canvas = Canvas(40, 20)
    canvas.put(0, 0, "x")
    canvas.put(39, 19, "x")
    assert empty_share(canvas) == pytest.approx(0.98)
    assert count_islands(canvas) == 2


@pytest.mark.parametrize("slug", GAMES)
async def test_a_game_in_sentences_fills_every_size_too(slug: str) -> None:
    at = dealt(slug)
    async with Hall(SentencesBoard, at, SINCE).run_test(size=(80, 24)) as pilot:
        board = pilot.app.query_one(SentencesBoard)
        for size in SIZES + WIDEST:
            canvas = board.draw_table(*size)
            assert empty_share(canvas) <= MOST_EMPTY, f"{size}:\n{canvas}"
            assert count_islands(canvas) == 1


@pytest.mark.parametrize("seats", range(3, 8))
@pytest.mark.parametrize("own_rows", [0, 2])
async def test_every_player_sees_what_can_be_played(own_rows: int, seats: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SentencesBoard, "OWN_ROWS", own_rows)
    at = dealt("no_thanks", names=[f"Player {number}" for number in range(seats)])
    async with Hall(SentencesBoard, at, SINCE).run_test(size=(80, 24)) as pilot:
        board = pilot.app.query_one(SentencesBoard)
        moves = [render(at.game.text.describe_move(move), at.names) for move in at.game.moves(at.view)]
        for size in SIZES:
            written = str(board.draw_table(*size))
            assert all(move in written for move in moves), f"{size}:\n{written}"
            assert all(name in written for name in at.names), f"{size}:\n{written}"
