"""The waiting room in wide windows: seats, options in words, the ways to invite, and the chat."""

from collections.abc import AsyncIterator
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from scoville_client.i18n.language import LANGUAGES, set_language
from scoville_client.session.joining.invitation import Invitation
from scoville_client.session.start_options import Start
from scoville_client.tui.drawing.canvas import Canvas
from scoville_client.tui.screens.table.waiting_room import WaitingRoom, _halve_rows, put_flowing
from scoville_client.tui.screens.table.waiting_text import awaited_text, career_text, invitation_rows
from scoville_shared.protocol.messages import ProfileReply, Rating
from tests.client.tui.boards.gallery import empty_share
from tests.support.screens import Player, at_the_screen, port_of, start_as

MOST_EMPTY = 0.34
"""Of a room that only this computer can join, which has the least to say; what large letters enclose is empty here."""
LONG = "192.0.2.200:55757#NKVBFH6PU6WROBY72BPV"


@pytest.fixture
async def host() -> AsyncIterator[Player]:
    start = Start(kind="host", host="127.0.0.1", port=0, name="Anna", options={"cycles": 1})
    async with at_the_screen(start, size=(100, 30)) as player:
        await player.sees("Press Enter to start")
        yield player


async def test_seats_options_invitation_and_chat_are_side_by_side(host: Player) -> None:
    rows = host.text.splitlines()
    assert any("╔═ Anna ═" in row and "┌┄ free seat ┄" in row for row in rows)
    assert any("Cycles: 1" in row for row in rows)
    assert any("Won peppers open: no" in row for row in rows)
    assert next(row for row in rows if "How others join" in row).index("How") > len(rows[0]) // 3
    await host.sees("There are no messages yet.")
    async with at_the_screen(start_as(await port_of(host), "Ben")) as ben:
        await ben.sees("take a seat")
        await ben.press("enter")
        await ben.until(lambda: ben.where == "waiting")
        await ben.press("g", *"hello", "enter")
        await host.until(lambda: "Ben: hello" in host.text)
    await host.pilot.resize_terminal(120, 40)
    await host.until(lambda: host.text.count("Chat (g)") == 1)
    await host.sees("Ben: hello")
    await host.pilot.resize_terminal(80, 24)
    await host.until(lambda: "Chat (g)" not in host.text)
    await host.sees("Table code:")


@pytest.mark.parametrize("size", [(60, 20), (80, 40), (100, 40), (140, 40), (200, 40)], ids=str)
async def test_a_typed_line_is_never_broken(size: tuple[int, int]) -> None:
    async with at_the_screen(Start(kind="host", name="Anna", port=0), size=size) as player:
        await player.sees("How others join")
        typed = [row for row in player.text.splitlines() if "scoville join " in row]
        ways = player.app.client.make_invitation().ways
        assert [way.typed for way in ways] == [
            way.typed for way, row in zip(ways, typed, strict=True) if way.typed in row
        ]


def test_sentences_without_room_are_left_out_whole() -> None:
    rows = [("one two", "text"), ("three", "text"), ("four five six seven", "text")]
    assert _halve_rows(rows, 10, 9) == (rows[:2], rows[2:])
    assert _halve_rows(rows, 10, 2) == (rows[:2], rows[2:])
    assert _halve_rows(rows, 10, 1) == (rows[:1], rows[1:2])
    assert _halve_rows(rows, 10, 0) == ([], [])


def test_settings_stand_beside_each_other_while_they_fit() -> None:
    canvas = Canvas(20, 6)
    rows = [(text, "text") for text in ("one", "two", "three, four", "a sentence that is longer", "end")]
    assert put_flowing(canvas, (0, 0), 20, rows) == 5
    assert str(canvas).splitlines()[:5] == ["one   two", "three, four", "a sentence that is", "longer", "end"]


@pytest.mark.parametrize("language", LANGUAGES)
async def test_little_of_a_room_is_empty(host: Player, language: str) -> None:
    set_language(language)
    for size in ((100, 30), (120, 40), (132, 43), (160, 45), (200, 50)):
        await host.pilot.resize_terminal(*size)
        room = host.app.screen.query_one(WaitingRoom)
        await host.until(lambda room=room, size=size: host.app.size == size and room.size.height == size[1] - 1)
        assert empty_share(canvas := room.draw(*room.size)) <= MOST_EMPTY, f"{size}:\n{canvas}"


def test_without_a_way_to_join_there_is_no_heading() -> None:
    assert not list(invitation_rows(Invitation(())))


async def test_tall_rooms_have_large_names_and_equal_columns_of_rules(host: Player) -> None:
    await host.pilot.resize_terminal(300, 80)
    await host.until(lambda: "Press Enter to start" not in host.text)
    rows = host.text.splitlines()
    assert any("█" in row.split("║")[1] for row in rows if row.lstrip().startswith("║")), "large letters"
    below = rows[next(number for number, row in enumerate(rows) if "How it is played" in row) : -1]
    ends = [max(y for y, row in enumerate(below) if row[x : x + 54].strip()) for x in (3, 62, 121, 180, 239)]
    assert max(ends) - min(ends) < 8


async def test_wide_rooms_have_the_qr_code_beside_the_rules() -> None:
    async with at_the_screen(Start(kind="host", name="Anna", port=0), size=(120, 40)) as player:
        await player.sees("How it is played (r)")
        assert "Scan to join" not in player.text
        await player.pilot.resize_terminal(200, 50)
        await player.sees("Scan to join (I)")
        rows = player.text.splitlines()
        top = next(number for number, row in enumerate(rows) if "Scan to join" in row)
        code = [row[rows[top].index("Scan") :].rstrip() for row in rows[top + 1 : top + 15]]
        assert all(set(row) <= set("█▀▄ ") for row in code)
        assert code[0][:2] == "██", "its border is light on a dark ground"


async def test_who_waits_can_read_the_rules() -> None:
    async with at_the_screen(Start(kind="host", name="Anna", port=0), size=(120, 40)) as player:
        await player.sees("How it is played (r)")
        assert "Come closest to the target card" in player.text
        await player.pilot.resize_terminal(46, 19)
        await player.until(lambda: "How it is played (r)" not in player.text)
        await player.sees("Press Enter to start")


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ("host", "You are watching. Anna is the host and starts the game."),
        ("full", "You are watching. The game starts when all seats are taken. Anna is the host."),
        ("ready", "You are watching. The game starts when everybody is ready. Anna is the host."),
    ],
)
def test_who_watches_reads_when_the_game_starts(start: str, said: str) -> None:
    settings = SimpleNamespace(start=start, hostless=False)
    info = SimpleNamespace(settings=settings, host=0, seats=[], ready_seats=[])
    assert awaited_text(SimpleNamespace(info=info, names=["Anna"], seat=None, hosting=False)) == said  # type: ignore[arg-type]


async def test_who_waits_sees_what_the_others_have_done(host: Player) -> None:
    await host.pilot.resize_terminal(120, 40)
    await host.sees("no games without bots yet")
    assert host.text.count("i invite") >= 3, "each free seat"
    careers = host.app.session.account.careers
    async with at_the_screen(start_as(await port_of(host), "Ben")) as ben:
        await ben.sees("take a seat")
        await ben.press("enter")
        await ben.until(lambda: ben.where == "waiting")
        await host.until(lambda: host.text.count("no games without bots yet") == 2)
        assert careers.list_missing(["Anna", "Ben"]) == []


async def test_small_rooms_ask_for_no_careers() -> None:
    start = Start(kind="host", host="127.0.0.1", port=0, name="Anna")
    async with at_the_screen(start, size=(80, 24)) as player:
        await player.sees("Press Enter to start")
        await player.until(lambda: player.app.up_to_date)
        assert player.app.session.account.careers.list_missing(["Anna"]) == ["Anna"]


def test_a_career_is_told_in_a_row() -> None:
    rating = Rating(game="no_thanks", rating=27.31, mu=30.0, sigma=2.0, game_count=9, rank=3)
    profile = ProfileReply(
        name="Ben", claimed=True, since_ms=0, begun=12, finished=10, won=1, median_pick_ms=None,
        ratings=[rating], recent=[],
    )  # fmt: skip
    assert career_text(profile, "no_thanks") == "won 1 of 10 games · rating 27.3, rank 3"
    assert career_text(profile, "dicht_dran") == "won 1 of 10 games"
    assert career_text(replace(profile, finished=0, ratings=[]), "no_thanks") == "no games without bots yet"


async def test_the_chat_has_a_frame_where_there_is_room(host: Player) -> None:
    await host.pilot.resize_terminal(300, 80)
    await host.sees("╭─ Chat (g) ─")
    await host.click("Chat (g)")
    await host.until(lambda: host.where != "waiting")


async def test_wide_rooms_show_a_large_code() -> None:
    async with at_the_screen(Start(kind="host", name="Anna", port=0), size=(300, 80)) as player:
        await player.sees("Scan to join (I)")
        rows = player.text.splitlines()
        top = next(number for number, row in enumerate(rows) if "Scan to join" in row)
        code = [row[rows[top].index("Scan") :].rstrip() for row in rows[top + 1 : top + 30]]
        assert all(row and set(row) <= set("█ ") for row in code), "whole modules"
        assert len(code[0]) == len(code[1]) > 2 * len(code), "each is two cells wide"
