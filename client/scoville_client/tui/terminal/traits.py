"""Traits of a terminal: what it can show, measured before or known by its environment, at the start."""

import os
from typing import NamedTuple

from scoville_client.i18n.language import environment_language
from scoville_client.settings.preferences import Preferences
from scoville_client.settings.terminals import CHILLI, EMOJI, Measured, find_ssh_address
from scoville_client.tui.notifications import DesktopNotices, find_notices, has_clipboard, has_titles, is_in_tmux
from scoville_client.tui.reports import answers_questions
from scoville_client.tui.terminal import glyphs
from scoville_client.tui.terminal.colours import Colours, local_colours
from scoville_client.tui.terminal.pictures import may_show_pictures
from scoville_client.tui.terminal.progress import knows_progress


class TerminalTraits(NamedTuple):
    """Abilities of a terminal.

    Attributes:
        colours: The colours that it has.
        table: Replacements for characters that it lacks.
        half_blocks: Whether it has half blocks.
        titles: Whether it has a window title.
        notices: How it shows notices on the desktop.
        tmux: Whether tmux stands before it.
        clipboard: Whether texts can be sent to its clipboard; it may still refuse them.
        emoji: Whether it draws an emoji in two cells.
        chilli: Whether it draws a chilli in the cells that the screens reckon with.
        mouse: Whether users click who have not chosen otherwise.
        light: Whether its background is light.
        language: The language of a user who has chosen none.
        start_reports: How often its size is reported at the start.
        asks: Whether it is asked for its background at the start, and reports changes; terminals without windows might
            print such questions.
        asks_again: Whether it is asked again when its window comes to the front. Not over a network: an answer that is
            late would be typed to the shell.
        unmeasured: Whether it is asked how wide emoji are.
        asks_pictures: Whether it is asked for pictures: it may be kitty or Ghostty, and has all colours.
        shows_progress: Whether its tab or its place in the task bar shows progress.
        links: Whether a click on an address opens it, in terminals that know links.
    """

    colours: Colours
    table: glyphs.Table | None
    half_blocks: bool
    titles: bool
    notices: DesktopNotices
    tmux: bool
    emoji: bool
    chilli: bool
    mouse: bool
    light: bool
    language: str
    start_reports: int
    asks: bool = False
    asks_again: bool = False
    unmeasured: bool = False
    asks_pictures: bool = False
    shows_progress: bool = False
    clipboard: bool = True
    links: bool = False


def local_traits(
    preferences: Preferences, measured: Measured | None = None, table: glyphs.Table | None = None
) -> TerminalTraits:
    """Return the traits of the terminal of this process; `measured` is what `scoville doctor` has found out of it."""
    is_used = measured is not None  # by a user; tests and pictures have none
    asks = is_used and os.name == "posix" and answers_questions(os.environ)
    is_here = not find_ssh_address(os.environ)
    unmeasured = measured == Measured()
    measured = measured or Measured()
    chosen = preferences.colours if preferences.colours != "auto" else measured.colours
    colours = local_colours(is_windows=os.name == "nt", environment=os.environ) if chosen == "auto" else chosen
    return TerminalTraits(
        colours=colours,
        table=table,
        half_blocks=table is None,  # both tables replace them
        titles=has_titles(),
        notices=find_notices(),
        tmux=is_in_tmux(),
        emoji=measured.is_as_reckoned(EMOJI),
        chilli=measured.is_as_reckoned(CHILLI),
        # Not over ssh: a connection that breaks would leave the terminal with reports of clicks switched on.
        mouse=not find_ssh_address(os.environ) and measured.mouse is not False,
        light=bool(measured.light),
        language=environment_language(),
        start_reports=2,  # Textual's own, and its driver's
        asks=asks,
        asks_again=asks and is_here,
        unmeasured=asks and is_here and unmeasured and table is None,
        # A picture's number is a colour of 24 bits.
        asks_pictures=asks and colours == "true" and table is None and may_show_pictures(os.environ),
        shows_progress=is_used and knows_progress(os.environ),
        clipboard=has_clipboard(),
        links=is_used and has_clipboard(),  # a terminal without the one prints the sequence of the other
    )
