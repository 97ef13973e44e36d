"""The lines above the lobby's list, or beside it: what there is to do, each with its key, and each to be clicked."""

from pathlib import Path

import pytest

from scoville_client.session.my_games import Decisions, GameFolder
from scoville_client.tui.drawing.canvas import Canvas, Press
from scoville_client.tui.platform import Platform
from scoville_client.tui.screens.daily.daily import DailyDialog
from scoville_client.tui.screens.lobby.lines import Above, LinesAbove, Offer, draw_offers
from scoville_client.tui.screens.puzzles.puzzle import PuzzleScreen
from scoville_client.tui.screens.tournaments.tournaments import TournamentsDialog
from tests.client.tui.screens.test_lobby_dates import PASSWORD, SIZES
from tests.client.tui.screens.test_start import keep_mistakes
from tests.support.live_server import LiveServer, open_live_server
from tests.support.screens import NARROW, Player, at_the_screen

DAILY = Offer([("t", "daily deal")], ["No Thanks! · rank 2 of 5, 34 points · 3 days in a row", "rank 2 of 5", "2/5"])
INVITED = Offer([("a", "accept"), ("d", "decline")], ["Marie invites you to No Thanks!"])


def lines_of(offer: Offer, room: int, most_rows: int = 2) -> list[str]:
    canvas = Canvas(room, 9)
    rows = draw_offers(canvas, (0, 0), room, [offer], most_rows)
    return [canvas.line(y).rstrip() for y in range(rows)]


def test_the_longest_text_that_fits_is_written() -> None:
    assert lines_of(DAILY, 70) == ["t daily deal  No Thanks! · rank 2 of 5, 34 points · 3 days in a row"]
    assert lines_of(DAILY, 50) == [
        "t daily deal  No Thanks! · rank 2 of 5, 34 points",
        "              · 3 days in a row",
    ]
    assert lines_of(DAILY, 50, 1) == lines_of(DAILY, 28) == ["t daily deal  rank 2 of 5"]
    assert lines_of(DAILY, 20, 1) == ["t daily deal  2/5"]


def test_a_question_is_whole_with_both_keys() -> None:
    assert lines_of(INVITED, 60) == ["a accept  d decline  Marie invites you to No Thanks!"]
    narrow = ["Marie invites you to No Thanks!", "a accept  d decline"]
    assert lines_of(INVITED, 40) == lines_of(INVITED, 40, 1) == narrow


def test_each_key_of_a_line_is_pressed_by_its_word() -> None:
    canvas = Canvas(60, 2)
    draw_offers(canvas, (0, 0), 60, [INVITED])
    pressed = {
        column: link.target for link in canvas.links for column in range(link.x, link.x + link.width) if link.y == 0
    }
    assert pressed[0] == Press("a")
    assert pressed[11] == Press("d")
    assert pressed[50] == Press("a")


async def wait_for_offers(player: Player) -> None:
    """Wait until the lobby shows what the server has for today."""
    await player.sees_of_others("t daily deal  ")
    await player.sees_of_others("z puzzles  ")
    await player.until(lambda: player.app.up_to_date)


@pytest.mark.parametrize("size", SIZES)
async def test_an_empty_lobby_offers_what_there_is(
    tmp_path_factory: pytest.TempPathFactory, size: tuple[int, int]
) -> None:
    async with (
        open_live_server(tmp_path_factory.mktemp("server")) as place,
        at_the_screen(place.start, size=size) as player,
    ):
        await wait_for_offers(player)
        assert "There are no tables yet." in player.text
        assert all(words in player.text for words in ("c new table", "s quick match"))
        await player.click("t daily deal  ")
        await player.until(lambda: isinstance(player.app.screen, DailyDialog))
        await player.press("escape")
        await player.click("z puzzles  ")
        await player.until(lambda: isinstance(player.app.screen, PuzzleScreen))


async def call_tournament(place: LiveServer) -> None:
    await place.marie.account.claim_name(PASSWORD)
    called = {"name": "Friday cup", "game": "no_thanks", "seat_count": 3, "starts_in_ms": 3_000_000}
    await place.marie.tournaments.call_tournament({**called, "format": "swiss", "round_count": 2})


async def test_the_first_picture_has_all_lines(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Above] = []
    show_lines = LinesAbove.show_lines
    monkeypatch.setattr(LinesAbove, "show_lines", lambda self, above: shown.append(above) or show_lines(self, above))
    async with open_live_server(tmp_path_factory.mktemp("server")) as place:
        await call_tournament(place)
        async with at_the_screen(place.start) as player:
            await wait_for_offers(player)
            assert "E tournaments  " in player.text
    keys = {tuple(offer.hints[0][0] for offer in above.offers) for above in shown}
    assert keys == {("c", "s", "t", "z", "E")}, "a line that comes later moves the list"


@pytest.mark.parametrize("size", SIZES)
async def test_a_tournament_is_one_click_away(size: tuple[int, int]) -> None:
    async with open_live_server() as place:
        await call_tournament(place)
        async with at_the_screen(place.start, size=size) as player:
            await player.sees_of_others("E tournaments  ")
            await player.until(lambda: player.app.up_to_date)
            await player.click("Friday cup")
            await player.until(lambda: isinstance(player.app.screen, TournamentsDialog))


async def test_a_tournaments_line_follows_its_entrants() -> None:
    async with open_live_server() as place:
        await call_tournament(place)
        async with at_the_screen(place.start, size=(120, 40)) as player:
            await player.sees_of_others("E tournaments  ")
            assert "1 player" not in player.text
            (cup,) = await place.marie.tournaments.list_tournaments()
            await place.marie.tournaments.enter_tournament(cup.id)
            await player.sees_of_others("1 player")


async def test_the_puzzle_of_the_day_is_noted_when_tried(tmp_path_factory: pytest.TempPathFactory) -> None:
    async with (
        open_live_server(tmp_path_factory.mktemp("server")) as place,
        at_the_screen(place.start) as player,
    ):
        await wait_for_offers(player)
        await player.sees("not tried yet")
        await player.press("z")
        await player.until(lambda: isinstance(player.app.screen, PuzzleScreen))
        screen = player.app.screen
        assert isinstance(screen, PuzzleScreen)
        await player.press("enter")
        await player.until(lambda: screen.answer is not None)
        await player.press("escape")
        await player.sees_of_others("puzzle of the day ")
        await player.sees_of_others("your rating: ")
        assert "not tried yet" not in player.text


@pytest.mark.parametrize("size", [NARROW, (160, 45)])
async def test_own_mistakes_are_made_again_from_the_lobby(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    [path] = keep_mistakes(tmp_path, "no_thanks")
    async with open_live_server() as place, at_the_screen(place.start, size=size) as player:
        await player.sees("M my games")
        assert "2 mistakes" in player.text
        assert size == NARROW or "habit: takes a card too early" in player.text
        assert size == NARROW or "How well you decide" in player.text
        await player.click("M my games")
        await player.sees("m my mistakes")
        await player.press("m")
        await player.sees("mistake 1 of 2")
        GameFolder(path.parent).write_decisions(path, Decisions(made=9, loss=0.2, mistakes=[]))
        await player.press("escape")
        await player.until(lambda: player.where == "lobby")
        await player.until(lambda: "M my games" not in player.text)


async def test_a_door_keeps_no_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Platform, "is_hosted", True)
    async with open_live_server() as place, at_the_screen(place.start) as player:
        await player.until(lambda: player.where == "lobby")
        await player.press("M")
        await player.sees("Your games are kept by a client on your own computer")


async def test_an_invitation_is_declined_by_its_word() -> None:
    async with open_live_server() as place:
        table = await place.open_with_marie()
        async with at_the_screen(place.start, size=NARROW) as player:
            await player.until(lambda: player.where == "lobby")
            await place.marie.table_actions.invite_user(table, "Paul")
            await player.sees("Marie invites you to Dicht dran")
            # The notice may come before the row with its keys.
            await player.until(lambda: player.app.up_to_date and "d decline" in player.text)
            await player.click("d decline")
            await player.until(lambda: "invites you" not in player.text)
            assert player.where == "lobby"
