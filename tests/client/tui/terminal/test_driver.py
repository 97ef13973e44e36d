"""The driver fits what it writes to the terminal, and leaves the terminal as it was."""

import os
from contextlib import suppress
from threading import Thread
from types import SimpleNamespace
from typing import Any

import pytest
from textual.driver import Driver

from scoville_client.settings.preferences import Preferences
from scoville_client.tui.notifications import POP_TITLE, PUSH_TITLE, title_of
from scoville_client.tui.reports import ASK_BACKGROUND, ASK_SCHEME, SCHEME_OFF, SCHEME_ON
from scoville_client.tui.terminal.driver import MOUSE_ON, RESET, fit_driver, write_patiently
from scoville_client.tui.terminal.glyphs import table_of_level
from scoville_client.tui.terminal.pictures import ASK_PICTURES
from scoville_client.tui.terminal.progress import NO_PROGRESS
from scoville_client.tui.terminal.traits import TerminalTraits, local_traits


class Recorder:
    """A driver that records its output."""

    def __init__(self, *_: object) -> None:
        self.written: list[str] = []
        self._mouse = False

    def write(self, data: str) -> None:
        self.written.append(data)

    def flush(self) -> None: ...

    def start_application_mode(self) -> None:
        self.written.append("<screen>")

    def stop_application_mode(self) -> None:
        self.written.append("</screen>")

    def close(self) -> None: ...

    def _disable_mouse_support(self) -> None:
        self.written.append("<no clicks>")


@pytest.fixture
def traits(monkeypatch: pytest.MonkeyPatch) -> TerminalTraits:
    monkeypatch.setattr(os, "name", "nt")  # Unix needs the file of a terminal
    return local_traits(Preferences())._replace(titles=True)


def driver_for(traits: TerminalTraits, *, emoji: bool = False) -> Any:
    wanted: Any = Recorder
    return fit_driver(wanted, traits, emoji=emoji)()  # type: ignore[call-arg]


async def test_the_title_is_given_back_at_the_end(traits: TerminalTraits) -> None:
    driver = driver_for(traits)
    driver.start_application_mode()
    assert driver.in_use
    driver.stop_application_mode()
    assert not driver.in_use
    titles = [PUSH_TITLE + title_of("Scoville"), title_of("") + POP_TITLE]
    assert driver.written == ["<screen>", *titles, "</screen>"]


async def test_pictures_are_removed_before_the_screen_changes(traits: TerminalTraits) -> None:
    driver = driver_for(traits._replace(titles=False, asks_pictures=True))
    driver._app = SimpleNamespace(pictures=SimpleNamespace(removal_sequence="<pictures away>"))
    driver.start_application_mode()
    driver.stop_application_mode()
    assert driver.written == ["<screen>", ASK_PICTURES, "<pictures away>", "</screen>"]


async def test_a_terminal_is_in_use_until_all_is_written(traits: TerminalTraits) -> None:
    driver = driver_for(traits)
    in_use_at_close: list[bool] = []
    driver.close = lambda: in_use_at_close.append(driver.in_use)
    driver.start_application_mode()
    driver.stop_application_mode()
    assert in_use_at_close == [True]
    assert not driver.in_use


def test_a_terminal_that_reads_slowly_gets_all_that_restores_it() -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    filled = 0
    while True:
        try:
            filled += os.write(write, b"x" * 4096)
        except BlockingIOError:
            break
    got = bytearray()

    def read_all() -> None:
        while len(got) < filled + len(RESET):
            got.extend(os.read(read, 1024))

    reader = Thread(target=read_all)
    reader.start()
    write_patiently(write, RESET.encode(), 60.0)
    reader.join(60.0)
    assert got[filled:] == RESET.encode()
    os.close(read)
    os.close(write)


def test_a_terminal_that_reads_nothing_does_not_keep_the_client() -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    with suppress(BlockingIOError):
        while True:
            os.write(write, b"x" * 4096)
    write_patiently(write, b"bye", 0.01)
    os.close(read)
    os.close(write)


async def test_a_second_signal_restores_a_terminal_that_is_being_restored(
    traits: TerminalTraits, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver, given = driver_for(traits), []

    def interrupted(_number: int, data: bytes, _seconds: float) -> None:
        given.append(data)
        if len(given) == 1:
            driver.restore()  # as the handler of a signal does, in the thread that waits for the terminal

    monkeypatch.setattr(f"{write_patiently.__module__}.write_patiently", interrupted)
    driver.start_application_mode()
    ending = Thread(target=driver.restore, daemon=True)
    ending.start()
    ending.join(60.0)
    assert not ending.is_alive()
    assert len(given) == 2


async def test_terminals_without_titles_get_none(traits: TerminalTraits) -> None:
    driver = driver_for(traits._replace(titles=False))
    driver.start_application_mode()
    driver.stop_application_mode()
    assert driver.written == ["<screen>", "</screen>"]


def test_emoji_are_settled_before_characters_are_replaced(traits: TerminalTraits) -> None:
    driver = driver_for(traits._replace(table=table_of_level("ascii")))
    driver.write("😀 ╭─")
    assert driver.written == [":) +-"]


def test_clicks_are_switched_on_and_off(traits: TerminalTraits) -> None:
    driver = driver_for(traits)
    driver.configure(mouse=True, emoji=False)
    driver.configure(mouse=True, emoji=False)
    assert driver.written == ["<no clicks>", f"{MOUSE_ON}\x1b[?1003h"]
    driver.configure(mouse=False, emoji=False)
    assert driver.written[2:] == ["<no clicks>"]


@pytest.mark.skipif(os.name != "posix", reason="the driver is that of Unix")
async def test_the_hooks_are_textuals() -> None:
    from textual.drivers.linux_driver import LinuxDriver

    for name in ("_disable_mouse_support", "_enable_mouse_pixels", "_enable_mouse_support", "run_input_thread"):
        assert callable(getattr(LinuxDriver, name, None)), f"Textual's driver has no {name} any more"
    for name in ("resume_application_mode", "start_application_mode", "stop_application_mode"):
        assert callable(getattr(Driver, name, None)), f"Textual's driver has no {name} any more"
    app: Any = object()
    driver = LinuxDriver(app, size=(80, 24))
    assert {"_app", "_file", "_mouse", "_writer_thread", "attrs_before", "exit_event", "fileno"} <= {*vars(driver)}


async def test_terminal_is_asked_for_its_background_and_emoji_width(traits: TerminalTraits) -> None:
    driver = driver_for(traits._replace(titles=False, asks=True, unmeasured=True, shows_progress=True))
    driver.start_application_mode()
    driver.stop_application_mode()
    assert driver.written == [
        "<screen>",
        SCHEME_ON + ASK_SCHEME + ASK_BACKGROUND,
        "".join(f"\x1b[H{sample}\x1b[6n\x1b[H\x1b[K" for sample in "😀🌶"),
        SCHEME_OFF + NO_PROGRESS,
        "</screen>",
    ]
    assert SCHEME_OFF in RESET


def test_emoji_are_shown_once_they_were_measured(traits: TerminalTraits) -> None:
    driver = driver_for(traits)
    driver.write("😀")
    driver.configure(mouse=False, emoji=True)
    driver.write("😀")
    assert driver.written == [":)", "😀"]
