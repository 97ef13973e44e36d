"""Motion in stories: few bytes for each step, the picture at the end is the usual one, and any key ends it."""

from collections.abc import Callable, Iterator

import pytest
from msgspec.structs import replace
from rich.segment import Segment
from textual._compositor import LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from scoville_client.session.table.table import Clocks
from scoville_client.tui.boards.chilli_chase import layout as chilli_chase
from scoville_client.tui.boards.chilli_chase.scene import Frame as ChilliFrame
from scoville_client.tui.boards.dicht_dran import layout as dicht_dran
from scoville_client.tui.boards.dicht_dran.board import DichtDranBoard, animate_event, opening_frames
from scoville_client.tui.boards.dicht_dran.stage import list_pins
from scoville_client.tui.boards.motion import SECONDS, STEPS, is_flashing, number_between
from scoville_client.tui.boards.no_thanks import layout as no_thanks
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.terminal.output import Frame
from scoville_client.tui.themes import DARK, find_style
from scoville_shared.games.dicht_dran.facts import CycleEnd, CycleScored
from scoville_shared.ids import Seat
from tests.client.tui.boards.chilli_chase.scenes import scene as chilli_scene
from tests.client.tui.boards.chilli_chase.scenes import seen
from tests.client.tui.boards.dicht_dran.scenes import EXAMPLE, VIEW
from tests.client.tui.boards.dicht_dran.scenes import scene as dicht_scene
from tests.client.tui.boards.no_thanks.scenes import scene as no_thanks_scene
from tests.client.tui.boards.no_thanks.test_layout import STORY
from tests.support.screens import at_the_screen, start_practice

MOST_BYTES = 1_500
SIZES = [(46, 18), (80, 23), (80, 39), (140, 49)]
COLOURS = DARK.to_color_system().generate() | DARK.variables
FRAMES = animate_event(VIEW, EXAMPLE)
SCORED = FRAMES[0]._replace(
    action=0,
    fronts=(),
    scored=CycleScored(1, CycleEnd.HAND_EMPTY, (14, 23, 10, 35), (6, 0, 12, 1), (8, 23, -2, 34), (38, 53, -22, 44)),
)
Draw = Callable[[float, int, int], Canvas]


def dicht(frame: object) -> Draw:
    return lambda progress, *size: dicht_dran.draw_table(replace(dicht_scene(frame=frame), progress=progress), *size)  # type: ignore[arg-type]


def chilli(frame: ChilliFrame) -> Draw:
    return lambda progress, *size: chilli_chase.draw_table(
        replace(chilli_scene(seen(14)), frame=frame, progress=progress), *size
    )


def no_thanks_of(frame: object) -> Draw:
    return lambda progress, *size: no_thanks.draw_table(replace(no_thanks_scene(frame=frame), progress=progress), *size)  # type: ignore[arg-type]


BOARD = seen(14).board
MOVING = {
    "the hand is dealt": dicht(opening_frames(VIEW)[0]),
    "cards slide": dicht(FRAMES[0]),
    "the winner flashes": dicht(FRAMES[1]),
    "points of a cycle are counted": dicht(SCORED),
    "the total slides": chilli(ChilliFrame((), BOARD, (1, 2, 3), before=4)),
    "a point flashes": chilli(ChilliFrame((), BOARD, (1, 2, 3), hit=Seat(1))),
    "a chip flies to the card": no_thanks_of(STORY[0]),
    "a card flashes, and its chips fly to the taker": no_thanks_of(STORY[1]),
    "points of a round are counted": no_thanks_of(STORY[-2]),
}


def strips(canvas: Canvas) -> Iterator[list[Strip]]:
    for y in range(canvas.height):
        yield [Strip([Segment(text, find_style(style, COLOURS)) for style, text in canvas.runs(y)])]


def update(canvas: Canvas) -> LayoutUpdate:
    return LayoutUpdate(list(strips(canvas)), Region(0, 0, canvas.width, canvas.height))


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("what", MOVING)
def test_a_step_of_a_motion_sends_few_bytes(what: str, size: tuple[int, int]) -> None:
    terminal, draw = Frame("true"), MOVING[what]
    terminal.draw(update(draw(0, *size)))
    sent = [len(terminal.draw(update(draw(step / STEPS, *size))).encode()) for step in range(1, STEPS + 1)]
    assert max(sent) <= MOST_BYTES
    assert max(sent) > 0, "something moves"


def test_cards_start_at_the_target_and_end_at_their_places() -> None:
    target = FRAMES[0].board.target_card
    assert {pin.place for pin in list_pins(FRAMES[0], 0.0)} == {target}
    assert [pin.place for pin in list_pins(FRAMES[0], 1.0)] == [pin.card for pin in list_pins(FRAMES[0], 1.0)]


def test_cards_of_a_hand_come_one_after_the_other() -> None:
    (frame,) = opening_frames(VIEW)
    hand = VIEW.hand
    for size in SIZES:
        for step in range(STEPS + 1):
            canvas = dicht(frame)(step / STEPS, *size)
            x, y, width, height = canvas.marks["hand"]
            held = " ".join(canvas.line(row)[x : x + width] for row in range(y, y + height))
            come = [card for card in hand if f" {card} " in held]
            assert len(come) <= round(len(hand) * step / STEPS), size
    assert opening_frames(replace(VIEW, seat=None, hand=())) == [], "a spectator sees no hand"


def test_motion_slows_down_and_flashes_rest() -> None:
    way = [number_between(0, 100, step / STEPS) for step in range(STEPS + 1)]
    assert (way[0], way[-1]) == (0, 100)
    assert way == sorted(way)
    assert way[1] - way[0] > way[-1] - way[-2]
    assert is_flashing(0)
    assert not is_flashing(1)


async def test_motion_ends_by_clock_or_key() -> None:
    async with at_the_screen(start_practice(), pace=5) as player:
        await player.until(lambda: player.where == "play" and player.app.screen.query(DichtDranBoard))
        board = player.app.screen.query_one(DichtDranBoard)
        board.at.clocks = Clocks((), 0.0)
        await player.until(lambda: board.at.my_turn)
        await player.press("escape", "enter")  # skips the deal, and plays
        await player.until(lambda: board.animating)
        assert board.progress == 0
        await player.clock.elapse(2.5 * SECONDS)
        assert board.progress == 2 / STEPS
        await player.press("x")
        assert board.progress == 1
        assert board.frame is not None
        assert board.frame.action == 1, "the frame stays"
        await player.press("enter", "m", "enter")
        assert board.progress == 1
