"""The finale: points are counted gain by gain, the winners' last, in few bytes, and a key ends it."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import NamedTuple

import pytest

from scoville_client.i18n.language import LANGUAGES, render, set_language
from scoville_client.session.table.points import count_gains
from scoville_client.session.table.table import AtTable
from scoville_client.tui.boards.board import Board
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.screens.table.course import course_of, find_decision
from scoville_client.tui.screens.table.result import Result
from scoville_client.tui.screens.table.scores import Finale, Reasons, Sums
from scoville_client.tui.terminal.output import Frame
from scoville_shared.engine.contract import Gain
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import Played
from tests.client.tui.boards.test_motion import MOST_BYTES, update
from tests.support.recording_session import GAMES, play_game
from tests.support.screens import Player, at_the_screen, start_practice

SIZES = [(46, 18), (46, 43), (80, 23), (120, 39), (200, 49), (300, 79)]
KIND = Phrase("cards")


def gain(seat: int, points: int) -> Gain:
    return Gain(Seat(seat), points, Phrase("{card}", {"card": points}), KIND)


FINALE = Finale((1, 0), (3, 12), ([gain(0, 1), gain(0, 2)], [gain(1, 2)] * 6))


def test_the_last_place_is_counted_first_and_gain_by_gain() -> None:
    steps = [FINALE.count(0, beat) for beat in range(5)]
    assert [count.points for count in steps] == [0, 0, 1, 1, 3]
    assert [FINALE.count(1, beat).points for beat in (4, 5, 7, 10)] == [0, 2, 6, 12]
    assert [FINALE.is_counting(1, beat) for beat in (4, 5, 9, 10)] == [False, True, True, False]


def test_winners_are_named_when_all_is_counted() -> None:
    last = FINALE.beats
    assert FINALE.revealed(0) == FINALE.revealed(10) == 0
    assert 0 < FINALE.revealed(last - 1) < 1
    assert FINALE.revealed(last) == 1


def test_scores_without_reasons_are_counted_too() -> None:
    finale = Finale((0, 1), (-9, -20), ())
    assert finale.count(1, 0).points == 0
    assert finale.count(1, 4).points == -20
    assert finale.count(0, finale.beats) == (-9, 0)


class Drawn(NamedTuple):
    """A result at each step of its finale."""

    result: Result
    texts: list[str]
    sent: list[int]


def draw_steps(at: AtTable, size: tuple[int, int]) -> Drawn:
    """Draw a finale step by step, and count what a terminal is sent for each."""
    result, terminal = Result(at, counts=True), Frame("true")
    texts, sent = [], []
    for step in range(result.finale.beats + 1):
        result._motion._done = step
        canvas = result.draw(*size)
        texts.append(str(canvas))
        sent.append(len(terminal.draw(update(canvas)).encode()))
    return Drawn(result, texts, sent[1:])


@pytest.fixture(params=GAMES)
async def finished(request: pytest.FixtureRequest) -> AsyncIterator[AtTable]:
    async with AsyncExitStack() as stack:
        yield (await play_game(stack, request.param))[0]


async def test_each_step_of_the_finale_sends_few_bytes(finished: AtTable) -> None:
    for size in SIZES:
        drawn = draw_steps(finished, size)
        assert max(drawn.sent) <= MOST_BYTES, size
        assert "The game is over" not in drawn.texts[0]
        assert "The game is over" in drawn.texts[-1]
        assert drawn.texts[-1] == str(Result(finished).draw(*size)), "the end is what one sees without a finale"


async def test_a_row_says_why_a_seat_has_its_points(finished: AtTable) -> None:
    text = str(Result(finished).draw(80, 43))
    reasons = {"no_thanks": "cards ", "dicht_dran": "in the hand ", "chilli_chase": "hits by own cards "}
    assert reasons[finished.info.game] in text


@pytest.mark.parametrize("language", LANGUAGES)
async def test_reasons_come_before_blank_rows(finished: AtTable, language: str) -> None:
    set_language(language)
    result = Result(finished)
    text = str(result.draw(80, 23))
    reasons = result._scores._reasons(result.finale.beats)
    assert all(reasons.write_reason(seat, 71) in text for seat in result.finale.order), text


def test_gains_without_room_for_their_sums_are_listed_alone() -> None:
    cards = [(18, 18), (21, 21), (27, 27), (30, 30)]
    gains = [Gain(Seat(0), points, Phrase("{card}", {"card": card}), Phrase("cards")) for card, points in cards]
    reasons = Reasons(("Anna",), Finale((0,), (96,), [gains]), 99, ())
    assert reasons.write_reason(0, 60) == "cards 96: 18 +18  21 +21  27 +27  30 +30"
    assert reasons.write_reason(0, 32) == "18 +18  21 +21  27 +27  30 +30"
    assert reasons.write_reason(0, 20) == "cards 96"


@pytest.mark.parametrize("size", [(200, 49), (300, 79)], ids=str)
async def test_large_windows_show_points_as_cards(finished: AtTable, size: tuple[int, int]) -> None:
    rows = str(Result(finished).draw(*size)).splitlines()
    gains = [gain for seat in count_gains(finished) for gain in seat]
    assert gains or finished.info.game == "chilli_chase", "it counts its hits"
    cards = [row for row in rows if row.count("╭") > 1 or "╭" in row.split("█")[0]]
    for gain in gains[:4]:
        assert any(f"─{gain.what.render(finished.names)}─" in row for row in cards), gain


async def play_out(player: Player) -> Result:
    """Take every card, and skip every story, until the result is shown."""
    await player.until(lambda: player.where == "play" and player.app.screen.query(Board))
    board = player.app.screen.query_one(Board)
    while player.where != "result":
        if board.animating:
            await player.press("escape")
        elif board.at.my_turn:
            await player.press("t")
        else:
            player.clock.advance(1)
            await player.until(lambda: player.where == "result" or board.at.my_turn or board.animating)
    return player.app.screen.query_one(Result)


async def test_a_key_shows_the_result_and_another_one_plays_again() -> None:
    async with at_the_screen(start_practice(game="no_thanks", players=3), pace=0.5) as player:
        result = await play_out(player)
        await player.until(lambda: result.is_counting)
        await player.sees("The points are counted")
        await player.press("enter")
        assert not result.is_counting
        assert player.where == "result", "the key has ended the count only"
        await player.sees("The game is over")
        player.clock.advance(5)
        await player.press("enter")
        await player.until(lambda: player.where == "play")


@pytest.mark.parametrize("width", range(24, 60, 2))
def test_the_points_of_a_seat_have_one_size(width: int) -> None:
    gains = [gain(0, points) for points in (3, 23, 9, -31)]
    reasons = Reasons((), Finale((0,), (4,), (gains,)), 99.0, ())
    canvas = Canvas(width, 5)
    reasons.draw_cards(canvas, (0, 0, width, 5), 0)
    texts = {"+3", "+23", "+9", "−31"}
    plain = {word for row in str(canvas).splitlines()[1:] for word in row.replace("│", " ").split()} & texts
    assert plain in (set(), texts)


async def test_the_worst_moment_is_shown_where_the_user_decided(finished: AtTable) -> None:
    moves = [seen.event for seen in finished.deal.events if isinstance(seen.event, Played)]
    for move in range(1, len(moves) + 1):
        own = [number for number, each in enumerate(moves[:move]) if each.seat == finished.seat]
        assert find_decision(finished, move) == (own[-1] if own else move)
    costliest = course_of(finished).costliest
    assert costliest is None or find_decision(finished, costliest.move) < costliest.move


def test_bar_shows_gains_and_losses() -> None:
    gains = [gain(0, 5), gain(0, -8)]
    finale = Finale([1, 0], [-3, 0], [gains, []])
    assert finale.sums == [Sums(5, 8), Sums(0, 0)]
    assert finale.sum_up(0, 0) == Sums(0, 0), "nothing is counted yet"
    without_reasons = Finale([0, 1], [4, -2], [])
    assert without_reasons.sums == [Sums(4, 0), Sums(0, 2)]


@pytest.mark.parametrize("size", [(100, 29), (90, 59), (136, 49), (207, 79)])
async def test_gains_are_cards_beside_a_bar_and_the_course(finished: AtTable, size: tuple[int, int]) -> None:
    result = Result(finished)
    rows = str(result.draw(*size)).splitlines()
    edges = [row for row in rows if row.lstrip().startswith("╭")]
    if not result.finale.gains or result._scores._choose_tiling(size[0] - 4, size[1]) is None:
        assert not edges
        return
    for edge, seat in zip(edges, [seat for seat in result.finale.order if result.finale.gains_of(seat)], strict=True):
        whats = [render(each.what, finished.names) for each in result.finale.gains_of(seat)]
        assert edge.count("╭") == len(whats)
        assert all(what in edge for what in whats)
    [over] = [number for number, row in enumerate(rows) if "The game is over" in row]
    costly = [number for number, row in enumerate(rows) if "worst moment" in row]
    assert len(costly) == (result.course.costliest is not None)
    assert all(abs(number - over) <= 4 for number in costly), "what the user can learn stands beside the sentences"
