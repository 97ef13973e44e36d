"""The whole table in both sizes: everything needed is visible, also in ASCII; nothing hidden is."""

import re
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from scoville_client.i18n.language import ENGLISH, LANGUAGES, set_language
from scoville_client.tui.boards.no_thanks import layout, words
from scoville_client.tui.boards.no_thanks.board import animate_event
from scoville_client.tui.boards.no_thanks.scene import Frame
from scoville_client.tui.boards.no_thanks.seats import mark_of_seat
from scoville_client.tui.terminal import glyphs
from scoville_client.tui.themes import LOOKS
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import Passed, Took
from scoville_shared.games.no_thanks.state import Options, View
from scoville_shared.ids import Seat
from tests.client.tui.boards.no_thanks.scenes import (
    LISA,
    NAMES,
    SABRINA,
    SCORED,
    VIEW,
    decisions,
    scene,
    with_board,
    without_chips,
)

SIZES = [(46, 18), (60, 18), (80, 22), (80, 23), (80, 40), (140, 50)]
sizes = pytest.mark.parametrize(("width", "height"), SIZES)
in_rows = pytest.mark.parametrize(("width", "height"), [(46, 18), (54, 20)])
"""Windows that are so small that every seat is a row."""
TAKEN = Took(Seat(0), 14, 7, (13, 14, 15, 16), 13)
STORY = [
    *animate_event(VIEW, [Passed(Seat(0), 14, 8)], with_board(pot=8, mover=SABRINA)),
    *animate_event(VIEW, [TAKEN, SCORED], with_board(card=None, over=True)),
]


def drawn(view: View, width: int, height: int, frame: Frame | None = None) -> str:
    return str(layout.draw_table(scene(view, frame=frame), width, height))


def row_of(text: str, name: str) -> str:
    return next(row for row in reversed(text.splitlines()) if row.lstrip(" ▸").startswith(name))


@sizes
def test_card_pot_cards_and_points_are_in_sight(width: int, height: int) -> None:
    text = drawn(VIEW, width, height)
    for expected in (" 14 ", "7 chips", "●●●●● ●●", "9 ", "Round 1 begins."):
        assert expected in text, expected
    if width > 54:
        pieces = ("13", "15│16", "4", "6", "10", "21")
        return assert_all_in_tiles(text, pieces)
    cards = ("│13│ │15│16│", "│4│ │6│ │10│ │21│") if "╭──┬──╮" in text else ("[13] [15│16]", "[4] [6] [10] [21]")
    assert all(row in text for row in cards)
    assert row_of(text, "Sabrina").split()[-2:] == ["41", "?"]
    assert row_of(text, "Peter").split()[-2:] == ["28", "5"]
    return None


def assert_all_in_tiles(text: str, pieces: tuple[str, ...]) -> None:
    """Every piece is drawn as a card, with its edges or in brackets."""
    for piece in pieces:
        assert f"│{piece}│" in text or f"[{piece}]" in text, piece


@pytest.mark.parametrize(("width", "height"), SIZES[2:])
@pytest.mark.parametrize("seats", [3, 4, 7])
def test_every_card_stays_in_sight_beside_its_player(width: int, height: int, seats: int) -> None:
    for decision in decisions(seats, seed=4):
        view = GAME.view(decision.before, Seat(0))
        canvas = layout.draw_table(scene(view), width, height)
        x, y, wide, high = canvas.marks["seats"]
        shown = {int(each) for row in range(y, y + high) for each in re.findall(r"\d+", canvas.line(row)[x : x + wide])}
        assert {card for cards in view.board.cards for card in cards} <= shown
        assert all(name[:8] in str(canvas) for name in NAMES[:seats])


@in_rows
def test_others_chips_are_shown_only_on_an_open_table(width: int, height: int) -> None:
    opened = with_board(options=Options(open_chips=True), chips=(5, 17, 4))
    assert row_of(drawn(opened, width, height), "Sabrina").split()[-1] == "17"


def test_the_question_mark_is_explained_where_shown() -> None:
    opened = with_board(options=Options(open_chips=True), chips=(5, 17, 4))
    assert "?: hidden chips" in drawn(VIEW, 80, 23)
    assert "hidden" not in drawn(opened, 80, 23)


@in_rows
def test_whose_turn_it_is_shows_without_colour(width: int, height: int) -> None:
    text = drawn(with_board(mover=LISA), width, height)
    assert "▸" in row_of(text, "Lisa")
    assert "▸" not in row_of(text, "Sabrina")
    assert "Lisa decides." in text


@in_rows
def test_rounds_are_shown_when_there_are_several(width: int, height: int) -> None:
    several = with_board(options=Options(rounds=3), round=2, rounds=((50, 33, 60),), totals=(50, 33, 60))
    text = drawn(several, width, height)
    assert "round 2 of 3" in text
    assert row_of(text, "Sabrina").split()[-1] == "33"


@in_rows
def test_seven_players_cards_stay_visible(width: int, height: int) -> None:
    for decision in decisions(7, seed=4, rounds=2):
        view = GAME.view(decision.before, Seat(0))
        assert _cards_in(view, width, height) == sorted(card for cards in view.board.cards for card in cards)


@in_rows
def test_seven_hands_of_single_cards_have_room(width: int, height: int) -> None:
    cards = tuple(tuple(range(3 + 2 * (seat % 2), 36, 4))[: 4 if seat else 8] for seat in range(7))
    board = with_board(cards=cards, totals=(0,) * 7, options=Options(rounds=4), rounds=((0,) * 7,)).board
    view = replace(VIEW, board=board)
    assert _cards_in(view, width, height) == sorted(card for each in cards for card in each)
    assert "Annabel" in drawn(view, width, height)


@in_rows
def test_one_player_with_everything_has_room(width: int, height: int) -> None:
    cards = (tuple(range(3, 26)), (), (), (), (), (), ())
    board = with_board(card=26, cards=cards, totals=(0,) * 7).board
    assert _cards_in(replace(VIEW, board=board), width, height) == list(range(3, 26))


@sizes
def test_a_pot_of_every_chip_is_counted(width: int, height: int) -> None:
    assert "70 chips" in drawn(with_board(pot=70), width, height)


@sizes
def test_what_is_hidden_changes_nothing_on_the_screen(width: int, height: int) -> None:
    state = next(each.before for each in decisions(4, seed=6) if each.before.board.left == 5)
    chips = state.chips
    secret = replace(state.secret, deck=tuple(reversed(state.secret.deck)))
    other = replace(state, chips=(chips[0], chips[1] + chips[2], 0, chips[3]), secret=secret)
    assert drawn(GAME.view(state, Seat(0)), width, height) == drawn(GAME.view(other, Seat(0)), width, height)


def test_the_frame_of_an_answer_without_a_key_has_no_hole() -> None:
    assert "─── No thanks ─" in drawn(without_chips(), 80, 23)


@in_rows
def test_a_pass_shows_in_row_and_sentence(width: int, height: int) -> None:
    text = drawn(VIEW, width, height, STORY[0])
    assert "▸" in row_of(text, "Peter")
    assert ("no thanks!" in row_of(text, "Peter")) == (width > 46)
    assert "8 chips" in text
    assert "Peter declines the 14" in text


@sizes
def test_chips_fly_between_player_and_card(width: int, height: int) -> None:
    for frame, ends in ((STORY[0], ("seat 0", "card")), (STORY[1], ("card", "seat 0"))):
        moving = replace(scene(VIEW, frame=frame), progress=0.0)
        canvases = [layout.draw_table(replace(moving, progress=at), width, height) for at in (0, 0.99)]
        resting = layout.draw_table(scene(VIEW, frame=frame), width, height)
        for canvas, end in zip(canvases, ends, strict=True):
            x, y, columns, rows = canvas.marks[end]
            assert canvas.char(x + columns // 2, y + max(0, rows - 2)) == "●", end
        assert str(canvases[0]) != str(resting)


@sizes
def test_a_taken_card_joins_its_run(width: int, height: int) -> None:
    text = drawn(VIEW, width, height, STORY[1])
    assert re.search(r"[\[│]13│14│15│16[\]│]", text)
    assert "●" not in text


@in_rows
def test_the_scoring_becomes_a_table_step_by_step(width: int, height: int) -> None:
    counted, less_chips, summed = (drawn(VIEW, width, height, frame) for frame in STORY[2:])
    assert row_of(counted, "Lisa").split()[-1] == "59"
    assert row_of(less_chips, "Lisa").split()[-3:] == ["59", "-8", "51"]
    assert "▸" in row_of(summed, "Peter")
    assert "Removed in this round: 5, 9, 33." in re.sub(r"[┊\s]+", " ", summed)


@in_rows
def test_a_last_round_of_seven_is_counted_within_the_screen(width: int, height: int) -> None:
    *_, last = decisions(7, seed=4, rounds=2, show_removed=True)
    before, after = (GAME.view(state, Seat(0)) for state in (last.before, last.after))
    for frame in animate_event(before, last.facts, after):
        text = drawn(before, width, height, frame)
        assert all(row_of(text, name[:8]).split()[-1].lstrip("-").isdigit() for name in NAMES) or frame.tally is None
    assert all(str(total) in text for total in after.board.totals)


def test_a_double_edge_marks_the_fresh_card() -> None:
    turned = Frame((), VIEW, 1, actor=LISA, fresh=14)
    assert "╔═ 14 ═" in drawn(VIEW, 80, 23, turned)
    assert "╔═ 14 ═" not in drawn(VIEW, 80, 23)


def test_ascii_needs_no_other_sign() -> None:
    table = glyphs.table_of_level("ascii")
    assert table is not None
    for width, height in SIZES:
        for frame in (None, *STORY):
            text = drawn(VIEW, width, height, frame).translate(table)
            assert text.isascii()
            assert "??" not in text


def test_every_style_that_is_drawn_has_a_look() -> None:
    canvases = [layout.draw_table(scene(frame=frame), *size) for frame in (None, *STORY) for size in SIZES]
    used = {style for canvas in canvases for y in range(canvas.height) for style, _ in canvas.runs(y)}
    assert used <= set(LOOKS)


def _cards_in(view: View, width: int, height: int) -> list[int]:
    """Read the numbers in the seats' rows, left of the columns."""
    canvas = layout.draw_table(scene(view), width, height)
    _, y, _, high = canvas.marks["seats"]
    heading, *rows = (canvas.line(row) for row in range(y, y + high))
    right = heading.index("points")
    return sorted(int(card) for row in rows for card in re.findall(r"\d+", row[:right]))


@pytest.mark.parametrize(("width", "height"), [(80, 39), (140, 49)])
def test_tall_windows_are_filled_to_the_last_row(width: int, height: int) -> None:
    rows = str(layout.draw_table(replace(scene(VIEW), log=()), width, height)).splitlines()
    assert rows[0].lstrip().startswith("No Thanks!")
    assert "╭─ 14 ──────────────────" in "".join(rows)
    assert all(row.strip() for row in rows)


@pytest.fixture(params=list(LANGUAGES))
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    set_language(request.param)
    yield request.param
    set_language(ENGLISH)


@pytest.mark.usefixtures("language")
@sizes
def test_the_answers_have_room_in_every_language(width: int, height: int) -> None:
    shown = scene(with_board(card=30, pot=17))
    text = str(layout.draw_table(shown, width, height))
    for phrase in (words.TAKE, words.PASS, words.name_turn(shown.view), words.count_chips(17)):
        assert shown.say(phrase) in text, phrase
    for name in (words.TAKE, words.PASS):
        assert f" {shown.say(name)} " in text, "a blank parts an answer from the change beside it"


def test_numbers_of_narrow_tiles_and_answers_have_their_words() -> None:
    view = with_board(cards=((17, 19, 26, 27, 29), (), (), ()), totals=(0,) * 4)
    text = str(layout.draw_table(scene(replace(view, chips=11)), 46, 43))
    assert "║ 91 points " in text
    assert "║ 11 chips " in text
    assert "score 80 → 87" in text


@pytest.mark.parametrize("rows", range(40, 50))
def test_tiles_of_two_lines_are_as_high(rows: int) -> None:
    canvas = layout.draw_table(
        scene(log=[f"Lisa declines the {card}; 1 chip is beside it." for card in range(9)]), 46, rows
    )
    heights = {canvas.marks[mark_of_seat(seat)][3] for seat in map(Seat, range(len(VIEW.board.cards)))}
    assert len(heights) == 1
