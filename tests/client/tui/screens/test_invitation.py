"""One key shows how others join, before and during the game; a QR code fits the smallest terminal."""

from pathlib import Path

import pytest
from textual.style import Style

from scoville_client.session.joining.invitation import Invitation, WayToJoin
from scoville_client.session.start_options import Start
from scoville_client.tui.screens.lobby.actions import InvitationDialog, draw_modules, qr_modules, size_of
from tests.client.transport.lan.network import PIN
from tests.support.screens import NARROW, at_the_screen, port_of, start_as, start_practice

HALVES = {" ": (False, False), "▀": (True, False), "▄": (False, True), "█": (True, True)}
COMMAND = f"scoville join 192.168.178.123#{PIN}"


def hosted(folder: Path, **more: object) -> Start:
    return Start(kind="host", host="127.0.0.1", port=0, data=folder, name="Anna", game="no_thanks", **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("colour", [True, False])
def test_half_blocks_draw_every_module(colour: bool) -> None:
    square = qr_modules(COMMAND)
    rows: list[list[bool]] = []
    for [(text, style)] in draw_modules(square, half_blocks=True, colour=colour):
        assert style == ("#000000 on #ffffff" if colour else "")
        rows += [[HALVES[char][half] == colour for char in text] for half in (0, 1)]
    assert rows[: len(square)] == square


@pytest.mark.parametrize("colour", [True, False])
def test_terminals_without_half_blocks_draw_two_blanks_a_module(colour: bool) -> None:
    square = qr_modules(COMMAND)
    rows = draw_modules(square, half_blocks=False, colour=colour)
    assert size_of(rows) == (2 * len(square), len(square))
    dark = [[style.endswith("000000") for _, style in row] for row in rows] if colour else None
    assert dark is None or dark == square


def test_the_code_of_a_usual_address_fits_the_smallest_terminal() -> None:
    columns, height = size_of(draw_modules(qr_modules(COMMAND), half_blocks=True, colour=True))
    assert columns <= NARROW[0]
    assert height < NARROW[1]


async def test_a_host_shows_the_code_to_latecomers(tmp_path: Path) -> None:
    async with at_the_screen(hosted(tmp_path, settings={"private": True}), size=NARROW) as anna:
        await port_of(anna)
        at = anna.app.session.table
        assert at is not None
        for _ in range(2):
            await anna.press("I")
            await anna.sees("How others join")
            await anna.sees(f"Table code: {at.info.code}")
            await anna.press("escape", "enter")
            await anna.until(lambda: anna.where == "play")


async def test_a_guest_passes_on_the_address_as_a_qr_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scoville_client.session.hosting.is_local", lambda _: False)
    async with at_the_screen(hosted(tmp_path)) as anna:
        port = await port_of(anna)
        async with at_the_screen(start_as(port, "Ben"), size=NARROW) as ben:
            await ben.sees("you are Ben")
            await ben.press("I")
            await ben.sees(f"127.0.0.1:{port}#")
            await ben.press("enter")
            await ben.sees("█▀▀▀▀▀█")
            await ben.press("escape", "escape")
            await ben.sees("you are Ben")


def test_addresses_of_one_kind_have_one_heading() -> None:
    ways = (
        WayToJoin("By its address:", "scoville join 192.0.2.2"),
        WayToJoin("By its address:", "scoville join [fd00::2]"),
    )
    text = InvitationDialog(Invitation(ways))._ways_text().plain
    assert text == "By its address:\nscoville join 192.0.2.2\nscoville join [fd00::2]"


def test_the_address_of_a_page_opens_it() -> None:
    page = "http://192.0.2.7:8080/#brave-otter"
    ways = (WayToJoin("In a browser:", page, page), WayToJoin("By its address:", "scoville join 192.0.2.7"))
    text = InvitationDialog(Invitation(ways))._ways_text()
    links = [
        (text.plain[span.start : span.end], span.style.link) for span in text.spans if isinstance(span.style, Style)
    ]
    assert links == [(page, page), ("scoville join 192.0.2.7", None)]


async def test_nobody_can_join_practice() -> None:
    async with at_the_screen(start_practice()) as anna:
        await anna.until(lambda: anna.where == "play")
        await anna.press("I")
        await anna.sees("Nobody else can join.")
