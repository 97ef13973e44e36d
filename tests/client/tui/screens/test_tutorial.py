"""Guided rounds: callouts on the live board, one key to the next, one key out."""

from pathlib import Path

import pytest

from scoville_client.i18n.language import LANGUAGES, render, set_language
from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.boards.board import Board
from scoville_client.tui.drawing.callout import draw_callout
from scoville_client.tui.drawing.canvas import Area, Canvas
from scoville_client.tui.platform import Platform
from scoville_client.tui.screens.tutorial import TutorialScreen
from scoville_client.tutorial.guided_game import ROUNDS, GuidedGame
from scoville_client.tutorial.lesson import MOST_CALLOUTS, find_lesson, games_with_lessons
from scoville_runtime.clock import SYSTEM
from scoville_shared.games import registry
from tests.support.idle import eventually
from tests.support.screens import NARROW, WIDE, Player, at_the_screen

OWN = ["chilli_chase", "dicht_dran", "no_thanks"]


def test_every_game_of_ours_has_guided_rounds() -> None:
    assert [slug for slug in registry.list_slugs() if slug in OWN] == OWN
    assert set(OWN) <= set(games_with_lessons())


@pytest.mark.parametrize("slug", OWN)
def test_a_lesson_lasts_two_rounds_whatever_the_user_plays(slug: str) -> None:
    for last in (False, True):
        game = GuidedGame(slug, "Mia")
        seen = 0
        while not game.is_over:
            assert game.at.my_turn
            callouts = find_lesson(slug).callouts(game.at.view, game.rounds)
            assert 1 <= len(callouts) <= MOST_CALLOUTS
            moves = list(game.at.legal_moves())[:40]
            for change in game.play_move(moves[-1 if last else 0]):
                assert change.event.seq == game.at.seq
                seen += 1
        assert game.rounds == ROUNDS
        assert seen >= ROUNDS
        assert find_lesson(slug).callouts(game.at.view, game.rounds)


def test_an_illegal_move_changes_nothing() -> None:
    game = GuidedGame("dicht_dran")
    before = game.at.view
    wrong = game.game.codec.decode_move({"card": next(card for card in range(2, 99) if card not in before.hand)})
    with pytest.raises(ValueError, match="illegal"):
        list(game.play_move(wrong))
    assert game.at.view == before


def inside(canvas: Canvas, area: Area) -> list[str]:
    x, y, width, height = area
    return [canvas.line(row)[x : x + width] for row in range(y, y + height)]


@pytest.mark.parametrize("size", [(46, 18), (80, 23), (120, 39)])
def test_a_callout_covers_neither_mark_nor_choices(size: tuple[int, int]) -> None:
    canvas = Canvas(*size)
    for y in range(size[1]):
        canvas.put(0, y, "".join(chr(ord("a") + (x + y) % 26) for x in range(size[0])), "text")
    choices, mark = (0, size[1] - 6, size[0], 6), (3, 4, 8, 1)
    kept = inside(canvas, choices), inside(canvas, mark)
    draw_callout(canvas, "What matters is here, and nowhere else.", "Enter next", mark, [choices])
    assert (inside(canvas, choices), inside(canvas, mark)) == kept
    assert "What matters" in str(canvas)
    assert any(sign in str(canvas) for sign in "▲▼◀▶")


@pytest.mark.parametrize("mark", [(20, 12, 1, 1), (2, 12, 30, 1)])
@pytest.mark.parametrize("size", [(46, 18), (80, 23), (120, 39)])
def test_an_arrow_crosses_no_word(size: tuple[int, int], mark: Area) -> None:
    canvas = Canvas(*size)
    for y in (3, 5, 7, 9, 11):
        canvas.put(0, y, "74 is 1 from 75: outside the gap it draws one.", "text")
    before = [canvas.line(y) for y in range(size[1])]
    draw_callout(canvas, "What matters is here, and nowhere else.", "Enter next", mark, [(0, 13, size[0], size[1])])
    box = canvas.links[0]
    for y, row in enumerate(before):
        for x, sign in enumerate(row):
            inside_box = box.x <= x < box.x + box.width and box.y <= y < box.y + box.height
            assert sign == " " or inside_box or canvas.char(x, y) == sign
    assert any(sign in str(canvas) for sign in "▲▼◀▶")


def test_where_everything_must_be_seen_there_is_no_callout() -> None:
    canvas = Canvas(46, 18)
    draw_callout(canvas, "What matters", "Enter next", None, [(0, 0, 46, 18)])
    assert not str(canvas).strip()


SIZES = [NARROW, (46, 44), WIDE, (120, 40), (200, 50)]


@pytest.mark.parametrize("slug", OWN)
async def test_every_callout_points_at_its_mark(slug: str) -> None:
    async with at_the_screen(Start(kind="tutorial", game=slug)) as player:
        game, board = await guided_game(player)
        for size in SIZES:
            marks = board.draw(*size).marks
            for rounds in range(ROUNDS + 1):
                for callout in game.lesson.callouts(game.at.view, rounds):
                    assert callout.mark in marks or (rounds == ROUNDS and not callout.mark)


@pytest.mark.parametrize("slug", ["chilli_chase", "dicht_dran"])
async def test_what_concerns_the_user_points_at_their_seat(slug: str) -> None:
    async with at_the_screen(Start(kind="tutorial", game=slug)) as player:
        game, board = await guided_game(player)
        shown = [*game.lesson.callouts(game.at.view, 0), *game.lesson.callouts(game.at.view, 1)]
        [text] = [render(callout.text) for callout in shown if callout.mark == "own seat"]
        assert "you" in text
        for size in SIZES:
            canvas = board.draw(*size)
            own = "\n".join(inside(canvas, canvas.marks["own seat"]))
            assert game.at.names[0] in own
            assert not any(name in own for name in game.lesson.bots)


async def guided_game(player: Player) -> tuple[GuidedGame, Board]:
    await player.until(lambda: player.where == "tutorial")
    screen = player.app.screen
    assert isinstance(screen, TutorialScreen)
    screen.board.overlay = lambda _: None  # what is below the callout
    return screen._game, screen.board


@pytest.mark.parametrize("size", [NARROW, WIDE])
async def test_a_newcomer_plays_two_rounds_and_practises(size: tuple[int, int]) -> None:
    async with at_the_screen(Start(kind="tutorial", game="dicht_dran"), size=size) as player:
        await player.until(lambda: player.where == "tutorial")
        await player.sees("The target is 75")
        await player.press("enter")
        await player.sees("The gap:")
        await player.press("right", "left")  # the choices work meanwhile
        await player.sees("The gap:")
        await player.press("enter")
        await player.sees("closest card")
        await player.press("enter")
        await player.until(lambda: "closest card" not in player.text)
        await player.press("enter")
        await player.sees("Round 2 is yours")
        await player.press("enter", "enter")
        await player.sees("That was it")
        await player.press("enter")
        await player.until(lambda: player.where == "play")
        assert player.app.client.start.kind == "practice"


async def test_one_key_ends_the_guided_rounds() -> None:
    async with at_the_screen(Start(kind="tutorial", game="no_thanks")) as player:
        await player.sees("Nobody wants this card")
        await player.press("escape")
        await player.until(lambda: player.where == "start")
        await player.press("g")
        await player.sees("Two guided rounds")
        await player.press("c")
        await player.sees("The total is")
        await player.press("L")
        await player.sees("Die Summe ist")


async def start_screen(path: Path) -> str:
    """Start the client with a settings file, and return what it shows first."""
    app = ScovilleApp(Start(), Platform(SettingsFile(path)), pace=0, clock=SYSTEM)
    async with app.run_test(size=WIDE) as pilot:
        player = Player(app, pilot)
        await eventually(lambda: app.up_to_date)
        shown = player.text
        await player.until(lambda: path.exists() and not app.settings.is_first_start)
    return shown


async def test_the_first_start_offers_them_once(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    assert "Press g" in await start_screen(path)
    assert "Press g" not in await start_screen(path)


@pytest.mark.parametrize("slug", OWN)
def test_every_callout_is_translated(slug: str) -> None:
    game = GuidedGame(slug, "Mia")
    said: dict[str, list[str]] = {}
    for language in LANGUAGES:
        set_language(language)
        said[language] = [
            render(each.text, game.at.names) for n in range(3) for each in game.lesson.callouts(game.at.view, n)
        ]
    assert all(len(set(texts)) == len(LANGUAGES) for texts in zip(*said.values(), strict=True))


@pytest.mark.parametrize("slug", OWN)
async def test_callouts_have_room_in_every_language(slug: str) -> None:
    async with at_the_screen(Start(kind="tutorial", game=slug)) as player:
        await player.until(lambda: player.where == "tutorial")
        page = player.app.page_stack.page
        assert isinstance(page, TutorialScreen)
        board, lesson = page.board, find_lesson(slug)
        for _ in lesson.callouts(board.at.view, 0):
            for language in LANGUAGES:
                set_language(language)
                for size in ((46, 18), (60, 20), (80, 23), (120, 39), (200, 49)):
                    bare, shown = board.draw_table(*size), board.draw(*size)
                    choices = bare.marks[lesson.choices]
                    assert inside(shown, choices) == inside(bare, choices), (language, size)
                    assert "╰─" in str(shown)
                    assert str(shown) != str(bare), (language, size)
            set_language("en")
            await player.press("enter")
        assert page.callout is None
