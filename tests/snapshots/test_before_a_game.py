"""Snapshots of the list of tables, the waiting room, and the dialog of a new table."""

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from scoville_client.i18n.table_text import Listed
from scoville_client.session.new_table.options import list_offered_games
from scoville_client.session.start_options import Start
from scoville_client.session.table.table import AtTable
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.screens.dialogs.create_table import CreateDialog
from scoville_client.tui.screens.lobby.table_list import TableList
from scoville_client.tui.screens.table.waiting_room import JoinFacts, WaitingRoom
from scoville_client.tui.themes import DARK, LIGHT
from scoville_shared.games import registry
from scoville_shared.protocol.messages import SeatInfo, TableClock, TableInfo, TableSettings, TableSnapshot
from tests.client.tui.boards.gallery import SIZES, Gallery
from tests.client.tui.boards.seen import SINCE
from tests.support.idle import eventually
from tests.support.screens import NARROW, WIDE

Compare = Callable[..., bool]
sizes = pytest.mark.parametrize("size", SIZES, ids=["wide", "narrow"])
screens = pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
looks = pytest.mark.parametrize("look", [DARK.name, LIGHT.name])

TABLES = [
    Listed("1", "No Thanks!", "3/3", "your turn", "Anna, Paul, Max", ["your seat", "0:30 a move"], urgent=True),
    Listed("2", "Dicht dran", "1/4", "waiting", "Marie", ["Marie invites you", "private"], urgent=False),
    Listed(
        "3", "Chilli Chase", "2/3", "waiting", "Linus, Lena",
        ["starts in 12 s", "with a password", "Roots, remainder", "Turn limit: no limit", "not rated"], urgent=False,
    ),
    Listed("4", "Dicht dran", "0/4", "waiting", "nobody yet", ["default table"], urgent=False),
    Listed("5", "No Thanks!", "5/5", "playing", "Ida, Jo, Kim, Lu, Mo", [], urgent=False),
]  # fmt: skip


class Lobby(TableList):
    """The list, with its third table marked, as a picture of it draws it."""

    def __init__(self) -> None:
        super().__init__()
        self.show_tables(TABLES)
        self.index = 2


def waiting() -> AtTable:
    """A table that starts in twelve seconds: Anna is ready, Paul is not, Max is disconnected."""
    seats = [SeatInfo(name=name, kind="human", connected=name != "Max") for name in ("Anna", "Paul", "Max")]
    info = TableInfo(
        table="table", game="dicht_dran", rules_version=1, options={"cycles": 1}, seats=[*seats, SeatInfo()],
        host=0, status="waiting", commitment="00" * 32, clock=TableClock(move_ms=30_000), code="brave-otter",
        ready_seats=[0], creator="Anna",
        settings=TableSettings(private=True, start="ready", countdown_ms=20_000),
    )  # fmt: skip
    snapshot = TableSnapshot(
        info=info, seq=3, seat=1, view=None, pending=[], move_counts=[], events=[], spectators=["Linus", "Marie"]
    )
    at = AtTable(registry.load_game("dicht_dran"), snapshot)
    at.starts_at = SINCE + 12
    return at


class Room(WaitingRoom):
    """The waiting room, at a time that stands still."""

    @staticmethod
    def now() -> float:
        """Return the time at which the table was received."""
        return SINCE


@looks
@sizes
def test_my_tables_come_first_and_the_marked_is_described(
    snap_compare: Compare, size: tuple[int, int], look: str
) -> None:
    text = str(Lobby().draw(*size))
    states = [text.index(state) for state in ("your turn", "invites you", "starts in 12 s", "playing")]
    if "╭─" in text:  # tiles stand two by two, and an invitation is in the middle of its tile
        assert max(states[:2]) < min(states[2:])
        assert states[0] % (size[0] + 1) < size[0] // 2 < states[1] % (size[0] + 1)
    else:
        assert states == sorted(states)
    assert "not rated" in text
    assert snap_compare(Gallery(Lobby().draw, look), terminal_size=size)


@looks
@sizes
def test_the_waiting_room_shows_code_readiness_and_start(
    snap_compare: Compare, size: tuple[int, int], look: str
) -> None:
    room = Room(waiting, JoinFacts({"cycles": 2}, lambda: ["Others join with:  scoville join 192.0.2.7"]))
    text = " ".join(str(room.draw(*size)).split())
    assert "The game starts in 12 seconds." in text
    assert "Table code: brave-otter" in text
    assert all(tile in text for tile in ("╭─ Anna ─", "╔═ Paul ═", "╭─ Max ─", "host ready", "away"))
    assert "Spectators: Linus, Marie." in text
    assert snap_compare(Gallery(room.draw, look), terminal_size=size)


@screens
def test_a_new_table_asks_for_little_until_more_is_wanted(snap_compare: Compare, size: tuple[int, int]) -> None:
    async def more(pilot: Pilot[int]) -> None:
        app = pilot.app
        assert isinstance(app, ScovilleApp)
        await eventually(lambda: app.page_stack.pages)
        await pilot.app.push_screen(CreateDialog(list_offered_games(), "dicht_dran", shared=True))
        await pilot.press(*["down"] * 7)
        rows = [strip.text for strip in pilot.app.screen._compositor.render_strips()]
        assert any("More settings …" in row and "public" in row for row in rows)
        assert not any("Spectators" in row for row in rows)
        await pilot.press("enter", "down", "right", "down", *"hot", "down", "left")
        rows = [strip.text for strip in pilot.app.screen._compositor.render_strips()]
        assert any("▸ Spectators" in row and "delayed ▸" in row for row in rows)

    assert snap_compare(ScovilleApp(Start()), terminal_size=size, run_before=more)
