"""One key copies how others join, or the result: past the screens, to the clipboard of the terminal."""

from base64 import b64decode

import pytest

from scoville_client.i18n.event_text import shared_result
from scoville_client.session.start_options import Start
from scoville_client.tui.notifications import clipboard_of, has_clipboard
from scoville_shared.protocol.messages import Finished
from tests.support.screens import at_the_screen


def test_a_result_is_copied_in_lines() -> None:
    result = Finished(seq=9, scores=[12, 5, 5], places=[3, 1, 1], reason="rounds_played", server_seed="00" * 32)
    assert shared_result("No Thanks!", result, ["Anna", "Paul", "Zoë"]).splitlines() == [
        "Scoville · No Thanks!",
        "1. Paul: 5",
        "1. Zoë: 5",
        "3. Anna: 12",
    ]


def test_the_clipboard_gets_exactly_the_text() -> None:
    written = clipboard_of("Zoë · 5\n\x1b]52;c;evil\x07")
    kind, _, text = written.removeprefix("\x1b]").removesuffix("\x1b\\").partition(";c;")
    assert kind == "52"
    assert b64decode(text).decode() == "Zoë · 5\n\x1b]52;c;evil\x07"
    assert clipboard_of("a", tmux=True).endswith("\x1b\\\x1bPtmux;\x1b\x1b]52;c;YQ==\x1b\x1b\\\x1b\\")


async def test_a_host_copies_what_others_type(monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_the_screen(Start(kind="host", game="no_thanks", host="127.0.0.1", port=0, name="Anna")) as anna:
        await anna.sees("Press Enter to start")
        written: list[str] = []
        monkeypatch.setattr(anna.app.output, "write_sequence", written.append)
        monkeypatch.setattr(anna.app, "terminal", anna.app.terminal._replace(clipboard=True))
        await anna.press("y")
        await anna.sees("Copied: ")
        [sequence] = [each for each in written if each.startswith("\x1b]52")]
        text = b64decode(sequence.removeprefix("\x1b]52;c;").removesuffix("\x1b\\")).decode()
        found = anna.app.client.make_invitation()
        assert text == next((way.typed for way in found.ways), found.code)


@pytest.mark.parametrize(
    ("environment", "takes"),
    [
        ({"TERM": "xterm-kitty"}, True),
        ({"TERM": "screen-256color", "TMUX": "default,1,0"}, True),
        ({"TERM": "screen-256color", "STY": "1.pts-0"}, False),
        ({"TERM": "linux"}, False),
        ({"TERM": "vt100"}, False),
    ],
)
def test_only_a_terminal_that_takes_it_is_sent_a_text(environment: dict[str, str], takes: bool) -> None:
    assert has_clipboard(environment) == takes


async def test_a_console_shows_what_there_is_to_select(monkeypatch: pytest.MonkeyPatch) -> None:
    async with at_the_screen(Start(kind="host", game="no_thanks", host="127.0.0.1", port=0, name="Anna")) as anna:
        await anna.sees("Press Enter to start")
        written: list[str] = []
        monkeypatch.setattr(anna.app.output, "write_sequence", written.append)
        monkeypatch.setattr(anna.app, "terminal", anna.app.terminal._replace(clipboard=False))
        await anna.press("y")
        await anna.sees("This terminal cannot copy; select it: ")
        assert not [each for each in written if "]52" in each]
