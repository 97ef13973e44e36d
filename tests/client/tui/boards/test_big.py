"""The view for a television: every game in one layout, at the sizes of televisions, without hidden information."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from scoville_client.tui.boards import find_board
from scoville_client.tui.boards.board import Board
from scoville_client.tui.boards.picture import BigCard, BigLine, BigMark, BigMove, BigSeat, Picture
from scoville_client.tui.boards.table_board import TableBoard
from scoville_client.tui.boards.television import MINIMUM, draw_picture, fits_television
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.drawing.letters import HALF, SQUARE, TALL, Pen, draw_text, is_drawable, width_of
from scoville_client.tui.terminal import glyphs
from scoville_shared.games import registry
from scoville_shared.games.chilli_chase import facts as chilli_chase
from scoville_shared.games.chilli_chase.state import Left, Op
from scoville_shared.games.dicht_dran import facts as dicht_dran
from scoville_shared.games.no_thanks import facts as no_thanks
from scoville_shared.ids import Seat
from tests.client.tui.boards.gallery import Hall
from tests.client.tui.boards.seen import GAMES, NAMES, SINCE, dealt

SIZES = (MINIMUM, (120, 39), (200, 49), (300, 79))
SEAT = Seat(1)
sizes = pytest.mark.parametrize("size", SIZES, ids=str)
every_game = pytest.mark.parametrize("slug", GAMES)


def picture(slug: str, seat: int | None = None) -> Picture:
    board: Board = find_board(slug)(dealt(slug, seat), 0)
    board.now = lambda: SINCE  # type: ignore[method-assign]
    shown = board.make_picture()
    assert shown is not None
    return shown


def drawn(text: str, pen: Pen) -> list[str]:
    canvas = Canvas(width_of(text, pen), pen.height)
    assert draw_text(canvas, 0, 0, text, pen, "text") == canvas.width + pen.columns
    return str(canvas).splitlines()


def ink(canvas: Canvas) -> Iterator[tuple[int, int]]:
    """Yield the cells that show something."""
    for y in range(canvas.height):
        yield from ((x, y) for x in range(canvas.width) if canvas.char(x, y) != " ")


# --- letters --------------------------------------------------------------------------------------------


def test_large_letters_keep_umlauts_and_half_blocks() -> None:
    assert drawn("ü1", TALL) == ["█ █", "     █", "█ █ ██", "█ █  █", "█ █  █", "███ ███"]
    assert drawn("ü1", HALF) == ["▀ ▀  ▄", "█ █ ▀█", "█▄█ ▄█▄"]


@pytest.mark.parametrize("pen", [HALF, TALL, SQUARE], ids=str)
def test_every_character_of_the_games_sentences_has_a_shape(pen: Pen) -> None:
    for slug in GAMES:
        shown = picture(slug)
        for text in (shown.title, shown.sentence, shown.status, *shown.asides):
            assert is_drawable(text), text
            assert not text or len(drawn(text, pen)) <= pen.height


def test_a_name_without_shapes_is_written_plainly() -> None:
    canvas = Canvas(20, 3)
    assert draw_text(canvas, 2, 0, "小明", HALF, "text") == 6
    assert str(canvas).splitlines()[1] == "  小明"


# --- pictures -------------------------------------------------------------------------------------------


@sizes
@every_game
async def test_a_spectators_board_is_large_from_the_smallest_size_on(slug: str, size: tuple[int, int]) -> None:
    async with (hall := Hall(find_board(slug), dealt(slug, None), SINCE)).run_test(size=size) as pilot:
        usual = hall.text
        hall.board.big = True
        hall.board.repaint()
        await pilot.pause()
        title = hall.board.at.game.info.title
        assert title not in hall.text, "words are in large letters"
        assert title in usual
    assert not fits_television(MINIMUM[0] - 1, size[1])
    assert not fits_television(size[0], MINIMUM[1] - 1)


async def test_a_small_window_shows_the_usual_board() -> None:
    async with (hall := Hall(find_board("no_thanks"), dealt("no_thanks", None), SINCE)).run_test(
        size=(80, 23)
    ) as pilot:
        usual = hall.text
        hall.board.big = True
        hall.board.repaint()
        await pilot.pause()
        assert hall.text == usual


@sizes
@every_game
@pytest.mark.parametrize("half_blocks", [True, False])
def test_everything_fits_with_as_many_players_as_there_can_be(
    slug: str, size: tuple[int, int], half_blocks: bool
) -> None:
    most = registry.load_game(slug).info.seats[1]
    shown = picture(slug)
    seats = [shown.seats[0]._replace(name=f"Bartholomäus {number}", score="-188") for number in range(most)]
    canvas = draw_picture(shown._replace(seats=seats), *size, half_blocks=half_blocks)
    assert max(x for x, _ in ink(canvas)) < size[0] - 2
    assert min(x for x, _ in ink(canvas)) >= 3
    assert max(y for _, y in ink(canvas)) < size[1]
    alone = draw_picture(shown._replace(seats=seats[:-1]), *size, half_blocks=half_blocks)
    assert str(alone) != str(canvas), "the last player is not shown"


@sizes
@every_game
def test_names_and_points_are_large_in_every_window(slug: str, size: tuple[int, int]) -> None:
    shown = picture(slug)
    seats = [BigSeat(f"Name {number}", "30") for number in range(4)]
    written = str(draw_picture(shown._replace(seats=seats), *size, half_blocks=True))
    assert not [seat.name for seat in seats if seat.name in written], "in small letters"


@pytest.mark.parametrize("size", SIZES[1:], ids=str)
def test_parts_do_not_overlap(size: tuple[int, int]) -> None:
    seats = [BigSeat(name, "-35", "100", "text", "a note") for name in NAMES]
    cards = [BigCard(100, word="●●●"), BigCard(99, word="target ●"), BigCard(7)]
    whole = Picture("Title", seats, "Anna plays a card.", "round 2 of 2", cards, asides=["aside"], heads=("a", "b"))
    nothing = Picture("", ())
    parts = [
        nothing._replace(title=whole.title, status=whole.status),
        nothing._replace(seats=seats, heads=whole.heads),
        nothing._replace(cards=cards, asides=whole.asides),
        nothing._replace(sentence=whole.sentence),
    ]
    cells = [set(ink(draw_picture(part, *size, half_blocks=True))) for part in parts]
    assert sum(map(len, cells)) == len(set().union(*cells)) > 0


@pytest.mark.parametrize("size", [(160, 45), (200, 50), (300, 80)])
def test_bars_compare_the_points_of_all_players(size: tuple[int, int]) -> None:
    points = {"Anna": "12", "Paul": "-6", "Max": "0"}
    shown = draw_picture(Picture("Title", [BigSeat(*each) for each in points.items()]), *size, half_blocks=True)
    tracks = [shown.line(row) for row in range(shown.height) if shown.line(row).count("░") > 20]
    bars = list(dict.fromkeys(track.strip("│ ") for track in tracks))
    assert len(bars) == 3
    anna, paul, most = (bar.count("█") for bar in bars)
    assert (most, anna > paul > 0) == (0, True)
    assert abs(anna - 2 * paul) <= 2
    # Paul's points end where the others' begin.
    assert abs(bars[1].rindex("█") - bars[0].index("█")) <= 1


def test_a_line_shows_where_the_numbers_lie() -> None:
    line = BigLine([BigMark(1, "rim"), BigMark(43, "rim"), BigMark(82, "target")], (1, 100), (1, 43))
    cards = [BigCard(43), BigCard(82), BigCard(1)]
    shown = draw_picture(Picture("Title", [BigSeat("Anna", "0")], cards=cards, line=line), 160, 44, half_blocks=True)
    [row] = [row for row in range(shown.height) if re.search(r"^ *1 +43 +82 *", shown.line(row)[:80])]
    above = shown.line(row - 1)
    assert above.count("▓") > 20
    assert [shown.style(x, row - 1) for x in range(80) if shown.char(x, row - 1) == "█"] == ["rim", "rim", "target"]


def test_without_rows_there_is_no_line() -> None:
    line = BigLine([BigMark(3, "rim")], (3, 35))
    picture = Picture("Title", [BigSeat("Anna", "")], cards=[BigCard(3)], line=line)
    assert "░" not in str(draw_picture(picture, *MINIMUM, half_blocks=True))


@every_game
def test_a_picture_of_a_seat_is_that_of_a_spectator(slug: str) -> None:
    assert picture(slug, 1)._replace(sentence="") == picture(slug)._replace(sentence="")


@every_game
def test_without_unicode_a_picture_is_plain_ascii(slug: str) -> None:
    table = glyphs.table_of_level("ascii")
    assert table is not None
    assert str(draw_picture(picture(slug), 120, 39, half_blocks=False)).translate(table).isascii()


def test_the_player_to_move_leads() -> None:
    at = dealt("no_thanks", None)
    seats = picture("no_thanks").seats
    assert [Seat(seat) for seat, row in enumerate(seats) if row.leads] == [min(at.pending)]


def test_long_sentences_lose_clauses_for_large_letters() -> None:
    def sentence(text: str) -> str:
        return str(draw_picture(Picture("", (), text), 120, 39, half_blocks=True))

    long = "Max takes the 32 and 0 chips, which makes the run 30-35; the cards now count 163."
    assert sentence(long) == sentence("Max takes the 32 and 0 chips, which makes the run 30-35.") != sentence("")
    endless = " ".join(["word"] * 40)
    assert endless[:60] in sentence(endless)


@pytest.mark.parametrize("size", [(46, 19), (80, 23), MINIMUM], ids=str)
@pytest.mark.parametrize("half_blocks", [True, False])
def test_a_waiting_table_is_readable_in_small_windows(size: tuple[int, int], half_blocks: bool) -> None:
    seats = [BigSeat(name, note="host") for name in NAMES]
    shown = Picture("No Thanks!", seats, "1 seat is free.", headline="silver-bugle", asides=["scoville join 192.0.2.7"])
    text = str(draw_picture(shown, *size, half_blocks=half_blocks))
    assert "scoville join 192.0.2.7" in text
    assert fits_television(*size) or all(word in text for word in ("silver-bugle", *NAMES, "1 seat is free."))
    assert half_blocks or "silver-bugle" in text


@pytest.mark.parametrize("size", [(200, 49), (300, 79)], ids=str)
def test_each_player_has_a_tile_of_one_size(size: tuple[int, int]) -> None:
    shown = picture("no_thanks")
    seats = [BigSeat(name, "30", leads=name == NAMES[0]) for name in NAMES]
    rows = str(draw_picture(shown._replace(seats=seats, cards=()), *size, half_blocks=True)).splitlines()
    tops = [y for y, row in enumerate(rows) if "╭─" in row or "╔═" in row]
    assert len(tops) == len(NAMES)
    assert len({after - before for before, after in pairwise(tops)}) <= 1
    assert sum("╔═" in row for row in rows) == 1, "whose turn it is"


def test_notes_are_large_beside_the_names_where_they_fit() -> None:
    shown = picture("no_thanks")
    seats = [BigSeat(name, "30", note="34-35") for name in NAMES]
    large = str(draw_picture(shown._replace(seats=seats, cards=()), 200, 49, half_blocks=True))
    assert "34-35" not in large, "in small letters"
    long = [seat._replace(note="3-5  8  11  16  19-20  23  26  30-31  34-35") for seat in seats]
    assert "34-35" in str(draw_picture(shown._replace(seats=long, cards=()), 200, 49, half_blocks=True))


@sizes
def test_the_mark_of_a_claimed_name_is_left_out(size: tuple[int, int]) -> None:
    seats = [BigSeat("Marie", "3", note="✓"), BigSeat("Ben", "4", note="✓ 34-35")]
    text = str(draw_picture(Picture("No Thanks!", seats), *size, half_blocks=True))
    assert "✓" not in text


def test_cards_grow_where_the_players_leave_them_room() -> None:
    seats = [BigSeat(name, "34", note="34-35") for name in ("Marie", "Ada", "Emmy", "Alan")]
    shown = Picture("No Thanks!", seats, "Marie decides.", cards=[BigCard(19), BigCard(1, framed=False, word="1 chip")])
    drawn_alone = draw_picture(shown, 270, 69, half_blocks=True)
    long = [seat._replace(name=f"{seat.name} of the long names") for seat in seats]
    drawn_beside = draw_picture(shown._replace(seats=long), 270, 69, half_blocks=True)
    frames = [str(canvas).partition("╔")[2].partition("╗")[0] for canvas in (drawn_alone, drawn_beside)]
    assert len(frames[0]) > len(frames[1]), "wider, as the digits are larger"
    assert all("Marie decides." not in str(canvas) for canvas in (drawn_alone, drawn_beside)), "in large letters"


def test_the_last_moves_are_told_as_cards() -> None:
    told: dict[str, list[tuple[Any, BigMove | None]]] = {
        "no_thanks": [
            (no_thanks.Passed(SEAT, 19, 2), BigMove("Paul", "19", "no thanks", "muted")),
            (no_thanks.Took(SEAT, 3, 2, (3,), 3), BigMove("Paul", "3", "takes it", "heat1")),
            (no_thanks.TurnedUp(SEAT, 19, 18), None),
        ],
        "dicht_dran": [
            (dicht_dran.TargetWon(SEAT, 48, 52, 3, 4, tie=False), BigMove("Paul", "48", "+●●●", "target")),
            (dicht_dran.FellInGap(SEAT, 48), None),
        ],
        "chilli_chase": [
            (
                chilli_chase.Played(SEAT, 6, Op.TIMES, Left.TOTAL, 254, 1524),
                BigMove("Paul", "6", "254 × 6 = 1524", "card"),
            ),
            (chilli_chase.ScoreOffered(SEAT), None),
        ],
    }
    for slug, moves in told.items():
        game, board = registry.load_game(slug), find_board(slug)
        assert issubclass(board, TableBoard)
        for fact, move in moves:
            phrase = game.text.describe_fact(fact)
            assert phrase is not None
            assert board.picture_move(phrase, NAMES) == move
            assert board.picture_move(phrase, NAMES[:1]) is None, "a seat that a server made up"


@pytest.mark.parametrize("size", [(100, 30), (160, 44), (300, 79)], ids=str)
def test_moves_take_no_room_from_the_cards(size: tuple[int, int]) -> None:
    seats = [BigSeat(name, "34", note="34-35") for name in NAMES]
    asides = ["18 cards left", "Max takes the 3.", "Max declines the 19."]
    without = Picture("No Thanks!", seats, "Anna decides.", cards=[BigCard(19)], asides=asides)
    moves = [BigMove(name, "3", f"word {number}") for number, name in enumerate(NAMES)]
    texts = [str(draw_picture(shown, *size, half_blocks=True)) for shown in (without, without._replace(moves=moves))]
    frames = [text.partition("╔")[2].partition("╗")[0] for text in texts]
    assert frames[0] == frames[1], "the card is as large"
    assert "word 2" in texts[1], "the newest is always there"
    assert "Max declines the 19." in texts[0]
    assert "Max declines the 19." not in texts[1]


def test_the_line_of_numbers_comes_before_larger_cards() -> None:
    line = BigLine([BigMark(3, "rim"), BigMark(34, "caption")], (3, 35))
    moves = [BigMove(name, "3", "word") for name in NAMES]
    shown = Picture("Title", [BigSeat(name, "34") for name in NAMES], cards=[BigCard(19)], line=line, moves=moves)
    for size in SIZES[1:]:
        left = [row[: size[0] * 2 // 5] for row in str(draw_picture(shown, *size, half_blocks=True)).splitlines()]
        assert any("░" * 20 in row for row in left), size


def test_a_formula_is_read_from_afar() -> None:
    shown = Picture("Title", [BigSeat("Anna", "1")], cards=[BigCard(4, framed=False, word="1 + 3 = 4")])
    for size in SIZES[1:]:
        assert "1 + 3 = 4" not in str(draw_picture(shown, *size, half_blocks=True)), size


@pytest.mark.parametrize("size", [(100, 29), (240, 59)], ids=str)
def test_bars_stand_beside_notes_that_leave_no_row_for_them(size: tuple[int, int]) -> None:
    seats = [BigSeat(name, points, note="34-35") for name, points in zip(NAMES, ("34", "4", "19"), strict=True)]
    moves = Picture("Title", [*seats, BigSeat("Linus", "0")], cards=[BigCard(19)])
    rows = str(draw_picture(moves, *size, half_blocks=True)).splitlines()
    bars = [found[1] for row in rows if (found := re.search("(█*)░{5,}", row))]
    assert len(set(bars)) == 3, "one of four players has the longest bar"


@pytest.mark.parametrize("size", SIZES[1:], ids=str)
def test_no_name_is_cut_where_the_cards_can_be_smaller(size: tuple[int, int]) -> None:
    seats = [BigSeat(name, "0", "9999") for name in ("Marie", "Bot Ada", "Bot Emmy")]
    shown = Picture("", seats, cards=[BigCard(1524, framed=False)], heads=("Chilli Score", "first to 5"))
    cut = [seat._replace(name="Bot Emm") if seat.name == "Bot Emmy" else seat for seat in seats]
    pictures = [str(draw_picture(each, *size, half_blocks=True)) for each in (shown, shown._replace(seats=cut))]
    assert pictures[0] != pictures[1], "of Bot Emmy the last letter is not shown"


def test_figures_are_large_beside_names_that_have_no_room() -> None:
    seats = [BigSeat(name, "5", "-9999") for name in ("Bartholomäus", "Bot Ada", "Bot Emmy")]
    shown = Picture("", seats, cards=[BigCard(1524, framed=False)], heads=("Chilli Score", "first to 5"))
    text = str(draw_picture(shown, *MINIMUM, half_blocks=True))
    assert "Bartholomäus" in text
    assert "9999" not in text, "in small letters"
