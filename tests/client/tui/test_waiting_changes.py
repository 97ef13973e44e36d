"""Changes of a session wait in portions: a flood holds up no key, and nothing waits without end."""

from textual.events import Key

from scoville_client.session.changes import (
    Announced,
    ChatReceived,
    Connected,
    ConnectionDown,
    ConnectionLost,
    TableChanged,
    TablesChanged,
    UsersChanged,
)
from scoville_client.tui.connection import MOST_WAITING, PORTION, UNNOTICED_SECONDS, WaitingChanges
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import MessageInfo
from tests.support.screens import at_the_screen, start_practice

LINE = MessageInfo(number=1, channel="lobby", name="Ben", text="hi", at_ms=0)


def test_changes_come_in_their_order() -> None:
    waiting = WaitingChanges()
    changes = [Announced(str(number)) for number in range(3 * PORTION)]
    for change in changes:
        waiting.add(change)
    taken = []
    while waiting:
        portion = waiting.take_portion()
        assert len(portion) <= PORTION
        taken += portion
    assert taken == changes


def test_a_screen_reads_the_session_again_only_once() -> None:
    waiting = WaitingChanges()
    for _ in range(100):
        waiting.add(TablesChanged())
        waiting.add(TableChanged(presence=True))
        waiting.add(UsersChanged())
        waiting.add(TableChanged())
    assert waiting.take_portion() == [
        TablesChanged(),
        TableChanged(presence=True),
        UsersChanged(),
        TableChanged(),
    ]
    waiting.add(TablesChanged())
    assert waiting.take_portion() == [TablesChanged()], "what was shown before a change does not show it"


def test_a_flood_of_notices_hides_no_lost_connection() -> None:
    waiting = WaitingChanges()
    for _ in range(2 * MOST_WAITING):
        waiting.add(ChatReceived(LINE))
    waiting.add(ConnectionLost("gone"))
    taken = []
    while waiting:
        taken += waiting.take_portion()
    assert len(taken) == MOST_WAITING + 1
    assert taken[-1] == ConnectionLost("gone")


async def test_a_key_goes_before_the_changes_that_wait() -> None:
    async with at_the_screen(start_practice()) as player:
        await player.until(lambda: player.where == "play" and player.app.up_to_date)
        waiting: list[bool] = []
        note_key = player.app._note_key

        def press_and_note() -> None:
            waiting.append(bool(player.app.connection._changes._waiting))
            note_key()

        player.app._note_key = press_and_note  # type: ignore[method-assign]
        for number in range(1_000):
            player.app.connection._changes.show_later(Announced(str(number)))
        player.app.post_message(Key("r", "r"))
        await player.until(lambda: waiting)
        assert waiting == [True]


async def test_quitting_shows_nothing_that_still_waits() -> None:
    async with at_the_screen(start_practice()) as player:
        await player.until(lambda: player.where == "play" and player.app.up_to_date)
        for number in range(1_000):
            player.app.connection._changes.show_later(Announced(str(number)))
        player.app.exit(0)
        await player.until(lambda: player.app.return_code == 0)


async def test_a_short_restart_is_not_shown() -> None:
    async with at_the_screen(start_practice()) as player:
        await player.until(lambda: player.where == "play" and player.app.up_to_date)
        changes = player.app.connection._changes
        changes.show_later(ConnectionDown(Phrase("It restarts."), 1, restarting=True))
        player.clock.advance(UNNOTICED_SECONDS / 2)
        changes.show_later(Connected(again=True))
        player.clock.advance(UNNOTICED_SECONDS)
        changes.show_later(Announced("It is back."))
        await player.sees("It is back.")
        assert "It restarts." not in player.text


async def test_a_restart_that_takes_its_time_is_shown() -> None:
    async with at_the_screen(start_practice()) as player:
        await player.until(lambda: player.where == "play" and player.app.up_to_date)
        changes = player.app.connection._changes
        changes.show_later(ConnectionDown(Phrase("It restarts."), 1, restarting=True))
        changes.show_later(ConnectionDown(Phrase("It restarts."), 2, restarting=True))
        player.clock.advance(UNNOTICED_SECONDS)
        await player.sees("It restarts.")
        changes.show_later(Connected(again=True))
        await player.until(lambda: "It restarts." not in player.text)
