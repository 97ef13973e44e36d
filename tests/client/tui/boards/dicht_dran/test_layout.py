"""The whole table in both sizes: everything needed to play is visible, also in ASCII."""

import re

import pytest
from msgspec.structs import replace

from scoville_client.i18n.language import ENGLISH, set_language
from scoville_client.tui.boards.dicht_dran import layout
from scoville_client.tui.boards.dicht_dran.board import DichtDranBoard, animate_event, describe_prospect
from scoville_client.tui.boards.dicht_dran.seats import draw_tiles
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.terminal import glyphs
from scoville_client.tui.themes import DARK, LIGHT, LOOKS, find_style
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.facts import CycleEnd, CycleScored
from scoville_shared.games.dicht_dran.round import weigh_hand
from tests.client.tui.boards.dicht_dran.scenes import BOARD, EXAMPLE, HAND, NAMES, VIEW, scene
from tests.client.tui.boards.gallery import Hall
from tests.client.tui.boards.seen import SINCE, dealt

SIZES = [(46, 18), (60, 18), (80, 23), (80, 40), (140, 50)]
sizes = pytest.mark.parametrize(("width", "height"), SIZES)
in_rows = pytest.mark.parametrize(("width", "height"), SIZES[:2])
"""Windows that are so small that the parts do not grow."""
in_tiles = pytest.mark.parametrize(("width", "height"), SIZES[2:])


@sizes
def test_hand_circle_players_and_piles_are_in_sight(width: int, height: int) -> None:
    text = str(layout.draw_table(scene(prompt="What now?"), width, height))
    for expected in (*map(str, HAND), *map(str, BOARD.circle), *NAMES, "62", "What now?", "round 1", "Round 1 begins."):
        assert expected in text, expected


@sizes
def test_a_drawing_weighs_the_hand_once(width: int, height: int, monkeypatch: pytest.MonkeyPatch) -> None:
    weighed = []
    monkeypatch.setattr(layout, "weigh_hand", lambda *args: weighed.append(args) or weigh_hand(*args))
    layout.draw_table(scene(selected=40), width, height)
    assert len(weighed) == 1


@in_rows
def test_fitting_cards_are_bracketed_and_the_closest_marked(width: int, height: int) -> None:
    canvas = layout.draw_table(scene(selected=None), width, height)
    y = next(y for y in range(height) if "fits" in canvas.line(y))
    row = canvas.line(y)
    above = next(line for line in map(canvas.line, range(y, 0, -1)) if "33" in line)
    inside = above[row.index("╰") : row.index("╯")]
    assert all(str(card) in inside for card in (4, 12, 33))
    assert "40" not in inside
    assert "66" in above[row.index("▲") - 3 : row.index("▲") + 3]


@in_rows
def test_the_selected_card_is_raised_above_the_others(width: int, height: int) -> None:
    canvas = layout.draw_table(scene(selected=40), width, height)
    tops = [y for y in range(height) if re.search(r"╔════╗|╔═ 40 ════╗", canvas.line(y))]
    others = next(y for y in range(tops[-1], height) if "╭" in canvas.line(y))
    assert others == tops[-1] + 1


@pytest.mark.parametrize(("width", "height"), SIZES[3:])
def test_each_large_card_says_what_it_costs(width: int, height: int) -> None:
    rows = str(layout.draw_table(scene(selected=None), width, height)).splitlines()
    verdicts = next(row for row in rows if "▲" in row)
    assert verdicts.count("free") == 3
    assert verdicts.count("draws") >= 4


@in_tiles
def test_score_of_a_cycle_has_a_tile_a_seat(width: int, height: int) -> None:
    scored = CycleScored(1, CycleEnd.HAND_EMPTY, (14, 3, 0, 5), (6, 0, 2, 1), (8, 3, -2, 4), (8, 3, -2, 4))
    frame = animate_event(VIEW, EXAMPLE)[0]._replace(action=0, fronts=(), scored=scored)
    text = str(layout.draw_table(scene(frame=frame), width, height))
    assert "▸ Anna" in text
    for number in ("+14", "−6", "+8", "+3", "−2", "+5", "−1", "+4"):
        assert number in text, number


@in_rows
def test_who_has_chosen_shows_without_colour(width: int, height: int) -> None:
    canvas = layout.draw_table(scene(replace(VIEW, chosen=(False, True, False, True))), width, height)
    rows = [next(canvas.line(y) for y in range(height) if name in canvas.line(y)) for name in NAMES]
    assert ["■" in row for row in rows] == [False, True, False, True]


@sizes
@pytest.mark.parametrize("index", range(4))
def test_each_step_of_the_story_names_players_and_what_happens(width: int, height: int, index: int) -> None:
    frame = animate_event(VIEW, EXAMPLE)[index]
    text = " ".join(str(layout.draw_table(scene(frame=frame), width, height)).split())
    assert all(name in text for name in NAMES)
    assert f"{('1st', '2nd', '3rd', '4th')[index]} action" in text
    assert frame.captions[0].render(NAMES).split()[-1] in text


@in_rows
def test_the_score_of_a_cycle_is_a_table(width: int, height: int) -> None:
    scored = CycleScored(
        cycle=1,
        reason=CycleEnd.HAND_EMPTY,
        plus=(14, 3, 0, 5),
        minus=(6, 0, 2, 1),
        scores=(8, 3, -2, 4),
        totals=(8, 3, -2, 4),
    )
    frame = animate_event(VIEW, EXAMPLE)[0]._replace(action=0, fronts=(), scored=scored)
    rows = [row.split() for row in str(layout.draw_table(scene(frame=frame), width, height)).splitlines()]
    assert ["▸", "Anna", "14", "−6", "+8", "+8"] in rows
    assert ["Max", "0", "−2", "−2", "−2"] in rows


@pytest.mark.parametrize("count", [0, 1, 5, 13, 20, 45])
@sizes
def test_any_hand_is_visible_around_the_selection(width: int, height: int, count: int) -> None:
    hand = tuple(range(2, 2 + 2 * count, 2))
    for card in hand[:: max(1, count // 4)]:
        text = str(layout.draw_table(scene(replace(VIEW, hand=hand), selected=card), width, height))
        assert re.search(rf"║ *{card} *║|╔═ {card} ═", text)


@pytest.mark.parametrize(("width", "height"), [(80, 39), (112, 44), (140, 49)])
def test_tall_windows_fill_all_rows_with_larger_cards(width: int, height: int) -> None:
    rows = str(layout.draw_table(scene(prompt="What now?"), width, height)).splitlines()
    assert rows[0].lstrip().startswith("Dicht dran")
    assert "What now?" in "".join(rows)
    assert any(re.search("│ +33 +│|╭─ 33 ─", row) for row in rows)
    assert "free" in rows[-1]


def test_cards_won_and_peppers_are_told_apart_in_words() -> None:
    text = str(layout.draw_table(scene(), 119, 39))
    assert "cards won 0  ●0" in text
    assert "outside: draw a card" in text


@pytest.mark.parametrize("seats", [2, 3, 5])
@sizes
def test_every_number_of_players_has_room(width: int, height: int, seats: int) -> None:
    board = replace(BOARD, hands=(8,) * seats, won=(0,) * seats, totals=(0,) * seats)
    names = ("Anna", "Paul", "Max", "Linus", "A name of 24 characters.")
    drawn = layout.draw_table(
        replace(scene(replace(VIEW, board=board, chosen=(False,) * seats)), names=names), width, height
    )
    assert all(name[:7] in str(drawn) for name in names[:seats])


def test_ascii_needs_no_other_sign() -> None:
    table = glyphs.table_of_level("ascii")
    assert table is not None
    for width, height in SIZES:
        assert str(layout.draw_table(scene(), width, height)).translate(table).isascii()


def test_every_drawn_style_exists_in_both_themes() -> None:
    frames = [None, *animate_event(VIEW, EXAMPLE)]
    canvases = [layout.draw_table(scene(frame=frame), width, height) for frame in frames for width, height in SIZES]
    used = {style for canvas in canvases for y in range(canvas.height) for style, _ in canvas.runs(y)}
    assert used <= set(LOOKS)
    for theme in (DARK, LIGHT):
        colours = theme.to_color_system().generate() | theme.variables
        assert all(find_style(style, colours) for style in LOOKS)


def test_what_a_card_would_do_is_said_in_words() -> None:
    said = {
        each.card: describe_prospect(each, BOARD.target_card).render(NAMES)
        for each in weigh_hand(BOARD, HAND, peppers_by_card(None))
    }
    assert said[63] == "63 is 4 from 67. Outside the gap: unless it wins, you draw 2 cards."
    assert said[33] == "33 is 34 from 67. It fits the gap: discarded for free if it does not win."


def test_of_two_equally_close_cards_the_higher_is_the_closest() -> None:
    weighed = weigh_hand(BOARD, (64, 70), peppers_by_card(None))
    assert [each.closest for each in weighed] == [False, True]


@pytest.mark.parametrize("language", ["en", "de", "fr"])
@pytest.mark.parametrize("width", [24, 28, 40])
def test_tiles_of_seats_keep_their_edges_in_every_language(width: int, language: str) -> None:
    set_language(language)
    try:
        canvas = Canvas(width, 16)
        draw_tiles(canvas, (0, 0, width, 16), scene())
    finally:
        set_language(ENGLISH)
    assert {canvas.char(width - 1, y) for y in range(16)} <= set("╮│╯")


@pytest.mark.parametrize(("size", "is_whole"), [((80, 24), True), ((46, 44), True), ((46, 19), False)])
async def test_narrow_boards_say_the_whole_prospect_where_they_have_rows(size: tuple[int, int], is_whole: bool) -> None:
    async with (hall := Hall(DichtDranBoard, dealt("dicht_dran"), SINCE)).run_test(size=size):
        said = " ".join(hall.text.split())
    assert ("Outside the gap: unless" in said or "It fits the gap:" in said) == is_whole, said
