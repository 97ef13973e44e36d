"""Animations continue while other events happen at the table."""

from scoville_client.i18n.language import set_language
from scoville_client.session.changes import TablesChanged
from scoville_client.tui.boards.chilli_chase.board import ChilliChaseBoard
from scoville_client.tui.boards.storyboard import RenderedLog
from scoville_shared.engine.phrases import Phrase, Who
from scoville_shared.protocol.messages import PresenceNotice
from tests.support.idle import wait_until_idle
from tests.support.screens import at_the_screen, start_practice


async def test_a_reconnect_does_not_end_a_running_story() -> None:
    async with at_the_screen(start_practice(game="chilli_chase", players=3), pace=3600) as player:
        await player.sees("Each player rolls the die")
        table = player.app.screen.query_one(ChilliChaseBoard).at.info.table
        player.app.session.on_notice(PresenceNotice(table=table, seat=0, connected=False))
        await player.sees("away")
        assert "Each player rolls the die" in player.text


async def test_keys_work_once_an_event_has_joined_the_running_story() -> None:
    async with at_the_screen(start_practice(game="chilli_chase", players=3), pace=3600) as player:
        await player.sees("Each player rolls the die")
        board = player.app.screen.query_one(ChilliChaseBoard)
        board.at.played = [number + 1 for number in board.at.played]
        assert not player.app.up_to_date
        assert board.frame is not None
        board.begin_story([board.frame], board.at.seq)
        player.app.connection._changes.show_later(TablesChanged())
        await player.until(lambda: player.app.up_to_date)


async def test_a_late_timer_does_not_advance_a_skipped_story() -> None:
    async with at_the_screen(start_practice(game="chilli_chase", players=3), pace=3600) as player:
        await player.sees("Each player rolls the die")
        board = player.app.screen.query_one(ChilliChaseBoard)
        player.clock.advance(3600 * board.frame.steps)  # its call waits among the messages of the board now
        board.skip_story()
        await wait_until_idle()
        await player.until(lambda: player.app.up_to_date)
        assert not board.animating


def test_a_line_of_the_log_is_rendered_once() -> None:
    log, line = RenderedLog(), Phrase("{player} takes seat {seat}.", {"player": Who(0), "seat": 1})
    (first,) = log.render_phrases([line], ["Anna"])
    assert first == "Anna takes seat 1."
    again = log.render_phrases([line, Phrase("The game is over.")], ["Anna"])
    assert again[0] is first
    assert log.render_phrases([line], ["Bot Ada"]) == ["Bot Ada takes seat 1."]


def test_another_language_renders_the_log_again() -> None:
    log, line = RenderedLog(), Phrase("Quit.")
    assert log.render_phrases([line], []) == ["Quit."]
    set_language("de")
    try:
        assert log.render_phrases([line], []) == ["Beenden."]
    finally:
        set_language("en")
