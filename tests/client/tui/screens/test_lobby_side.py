"""Beside the lobby's list: the marked table, who is here, and the chat; drawn without a screen."""

import pytest
from msgspec.structs import replace

from scoville_client.i18n.table_text import list_table
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.rules import rules_pages
from scoville_client.tui.boards.picture import BigCard, BigSeat, Picture
from scoville_client.tui.drawing.canvas import Canvas, Press
from scoville_client.tui.drawing.reading import draw_games, pages_beside_games
from scoville_client.tui.screens.chat.chat_log import ChatEntry
from scoville_client.tui.screens.lobby import table_list
from scoville_client.tui.screens.lobby.running_games import RunningGame
from scoville_client.tui.screens.lobby.side import SideContents, draw_side, names_in
from scoville_client.tui.screens.lobby.table_list import TableList
from scoville_shared.protocol.messages import MessageInfo, SeatInfo, TableInfo, TableSettings

TABLE = TableInfo(
    table="1",
    game="dicht_dran",
    rules_version=1,
    options={},
    seats=[SeatInfo(name="Ben", kind="human"), SeatInfo(name="Bot Ada", kind="bot"), SeatInfo()],
    host=0,
    status="waiting",
    commitment="00" * 32,
    code="brave-otter",
    ready_seats=[0],
    creator="Ben",
    settings=TableSettings(private=True),
)
SAID = ChatEntry(
    MessageInfo(number=1, at_ms=0, channel="lobby", name="Ben", text="Who plays?"), mine=False, aside=False
)


def beside(**more: object) -> SideContents:
    shown = SideContents(TABLE, list_table(TABLE, {}, None), ["Anna", "Ben"], here=2, chat=[SAID])
    return shown._replace(**more)  # type: ignore[arg-type]


def test_the_marked_table_is_described_in_full() -> None:
    text = str(draw_side(beside(), 48, 20))
    for words in (
        "closest card wins",
        "1  Ben  host, ready",
        "2  Bot Ada  bot",
        "3  free seat",
        "private",
        "brave-otter",
    ):
        assert words in text
    assert text.index("brave-otter") < text.index("Anna, Ben") < text.index("Ben: Who plays?")


def test_in_few_rows_the_chat_gives_way() -> None:
    text = str(draw_side(beside(), 48, 10))
    assert "brave-otter" in text
    assert "Who plays?" not in text


def test_without_a_table_users_and_chat_move_up() -> None:
    assert str(draw_side(beside(table=None, listed=None, chat=[]), 48, 8)).splitlines()[0].startswith("│ Here: 2 (p)")


def test_the_next_dates_stand_first_with_their_keys() -> None:
    dates = [("1", "20:30   ", "Friday cup (No Thanks!)"), ("2", "tomorrow", "Chili night of our club, Hot Peppers")]
    canvas = draw_side(beside(dates=dates), 40, 20)
    rows = str(canvas).splitlines()
    assert [(link.y, link.height, link.target) for link in canvas.links] == [(1, 1, Press("1")), (2, 2, Press("2"))]
    assert [row.strip("│ ") for row in rows[:4]] == [
        "My next dates",
        "1 20:30     Friday cup (No Thanks!)",
        "2 tomorrow  Chili night of our club,",
        "Hot Peppers",
    ]
    assert "Dicht dran" in rows[5] or "dicht_dran" in rows[5]


def test_names_that_have_no_room_are_counted() -> None:
    assert names_in(["Anna", "Ben"], 2, 40) == ["Anna, Ben"]
    names = [f"user {n}" for n in range(40)]
    assert names_in(names, 50, 24, most=2) == [
        "user 0, user 1, user 2,",
        "user 3, 46 others",
    ]
    assert names_in(["Anna"], 2, 40) == ["Anna, 1 other"]


def test_beside_details_the_list_has_headings() -> None:
    tables = TableList(lambda: True)
    tables.show_tables([list_table(TABLE, {}, None)._replace(table=str(n)) for n in range(3)])
    rows = str(tables.draw(70, 6)).splitlines()
    assert rows[0].split() == ["Game", "Seats", "State", "Players"]
    assert len([row for row in rows if "Ben, Bot Ada" in row]) == 3
    assert "private" not in "\n".join(rows)


def test_only_what_has_room_is_written_of_many_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    wrapped: list[str] = []

    def wrap_noted(text: str, width: int) -> list[str]:
        wrapped.append(text)
        return [*wrap_lines(text, width)]

    monkeypatch.setattr(table_list, "wrap_lines", wrap_noted)
    tables = TableList()
    tables.show_tables([list_table(TABLE, {}, None)._replace(table=str(n)) for n in range(200)])
    assert "Ben, Bot Ada" in str(tables.draw(80, 20))
    assert len(wrapped) <= 20


PLAYED = [
    RunningGame(table, Picture("No Thanks!", [BigSeat("Marie", "12")], "Marie decides.", cards=[BigCard(card)]))
    for table, card in (("a", 31), ("b", 7), ("c", 22))
]


def test_running_games_are_pictures_as_far_as_they_have_room() -> None:
    canvas = draw_side(beside(running=PLAYED, untold=()), 48, 34)
    text = str(canvas)
    assert "Being played now" in text
    assert ("│ 31 │" in text, "│ 7 │" in text, "│ 22 │" in text) == (True, True, False)
    assert [link.target for link in canvas.links if link.height > 1] == ["a", "b"]
    assert text.index("Marie decides.") < text.index("Ben: Who plays?")


def test_rules_go_on_where_the_list_ends() -> None:
    games = [("chilli_chase", "Chilli Chase"), ("dicht_dran", "Dicht dran"), ("no_thanks", "No Thanks!")]
    for size in ((96, 20), (120, 30), (120, 44), (240, 60)):
        canvas = Canvas(*size)
        draw_games(canvas, (0, 0, *size), games)
        each = (size[0] - 8) // 3
        told = "\n".join(canvas.line(y)[each + 4 : 2 * each + 4] for y in range(size[1]))
        untold = pages_beside_games(size, games, "dicht_dran")
        first = untold[0].blocks[0].text.splitlines()[0]
        assert " ".join(first.split()[:3]) not in " ".join(told.split()), size
        assert sum(len(page.blocks) for page in untold) < sum(
            len(page.blocks) for page in rules_pages("dicht_dran", "en")
        )
        assert f"{untold[0].title}" in str(draw_side(beside(untold=untold), 60, 60))
    assert "How it is played" in str(draw_side(beside(), 48, 50))
    assert "How it is played" not in str(draw_side(beside(untold=()), 48, 50))


def test_tile_is_as_high_as_its_table_needs() -> None:
    users = [SeatInfo(name=name, kind="bot") for name in ("Bot Ada", "Bot Emmy", "Bot Alan", "Bot Grace")]
    full = replace(TABLE, seats=[SeatInfo(name="Marie", kind="human"), *users])
    tables = TableList(games=lambda: [("dicht_dran", "Dicht dran")])
    tables.show_tables([list_table(full, {}, None)._replace(table=str(n)) for n in range(3)])
    low, high = str(tables.draw(74, 17)), str(tables.draw(74, 40))
    assert "…" in low
    assert "…" not in high
    assert "Bot Grace" in high


def test_terms_below_the_tiles_name_their_table() -> None:
    terms = ["default table", "1:00 a move", "the game starts when all seats are taken", "spectators see each round"]
    listed = list_table(TABLE, {}, None)._replace(terms=terms)
    tables = TableList()
    tables.show_tables(
        [listed._replace(table=str(n), game=game) for n, game in enumerate(("Chilli Chase", "Dicht dran"))]
    )
    tables.mark_item("0")
    drawn = str(tables.draw(46, 17)).splitlines()
    below = drawn[max(number for number, row in enumerate(drawn) if "╯" in row or "╝" in row) + 1 :]
    assert "Chilli Chase" in below[0]
    assert any("spectators see each round" in row for row in below[1:])
