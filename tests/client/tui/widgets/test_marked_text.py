"""A long log is read once for each picture: a thousand lines, written again for each line, stopped the client."""

from scoville_client.tui.screens.table.table import LogDialog
from scoville_client.tui.widgets.text_view import MarkedText
from tests.support.screens import at_the_screen


async def test_each_key_reads_a_long_log_once() -> None:
    reads = 0

    def lines() -> list[str]:
        nonlocal reads
        reads += 1
        return [f"line {number}" for number in range(1, 1_001)]

    async with at_the_screen() as player:
        player.app.open_dialog(LogDialog(lines, leads=True))
        await player.until(lambda: player.sees_dialog("LogDialog"))
        text = player.app.screen.query_one(MarkedText)
        for key, marked in (("up", 999), ("home", 1), ("down", 2), ("end", 1_000)):
            reads = 0
            await player.press(key)
            assert text.marked == marked - 1
            assert f"▸ line {marked} " in player.text
            assert reads == 1
