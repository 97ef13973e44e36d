"""Key hints: a key and its word stay in one row, whatever the width and the language."""

from collections.abc import Iterator
from typing import get_args

import pytest

from scoville_client.i18n.language import LANGUAGES, set_language
from scoville_client.session.start_options import Start
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.screens.dialogs.leave import LeaveCase, LeaveDialog
from scoville_client.tui.widgets.key_hints import KeyHints, rows_of
from scoville_shared.protocol.messages import TableClock
from tests.support.screens import NARROW

HINTS = (("y", "verlassen"), ("l", "zur Lobby"), ("Esc", "bleiben"), ("?", ""))


@pytest.fixture(params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> Iterator[str]:
    set_language(request.param)
    yield request.param
    set_language("en")


@pytest.mark.parametrize(
    ("width", "rows"),
    [
        (80, [["y", "l", "Esc", "?"]]),
        (25, [["y", "l"], ["Esc", "?"]]),
        (24, [["y", "l"], ["Esc", "?"]]),
        (23, [["y"], ["l"], ["Esc", "?"]]),
        (11, [["y"], ["l"], ["Esc"], ["?"]]),
    ],
)
def test_hints_are_broken_between_each_other_only(width: int, rows: list[list[str]]) -> None:
    laid = list(rows_of(HINTS, width))
    assert [[key for key, _ in row] for row in laid] == rows


@pytest.mark.parametrize("case", get_args(LeaveCase))
async def test_a_dialog_shows_every_key_beside_its_word(language: str, case: LeaveCase) -> None:
    app = ScovilleApp(Start())
    async with app.run_test(size=NARROW) as pilot:
        dialog = LeaveDialog(case, TableClock())
        await app.push_screen(dialog)
        await pilot.pause()
        rows = [strip.text for strip in dialog._compositor.render_strips()]
        hints = dialog.list_hints()
        shown = dialog.query_one(KeyHints)
        assert shown.size.height == len(list(rows_of(hints, shown.size.width)))
        for key, word in hints:
            assert any(f"{key} {word}" in row for row in rows), language


async def test_quitting_names_no_bot_where_a_seat_is_kept_without_limit() -> None:
    app = ScovilleApp(Start())
    async with app.run_test(size=NARROW) as pilot:
        for clock, takes_over in ((TableClock(), True), (TableClock(absence_ms=None), False)):
            dialog = LeaveDialog("quit", clock)
            await app.push_screen(dialog)
            await pilot.pause()
            shown = " ".join(strip.text for strip in dialog._compositor.render_strips())
            assert "your seat is" in " ".join(shown.replace("│", " ").split())
            assert ("bot" in shown) is takes_over
