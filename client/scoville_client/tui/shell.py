"""Shell: the protocol by which screens use the client around them. Screens know this file and never the app."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from textual.screen import ModalScreen, Screen

from scoville_client.tui.actions import Action
from scoville_client.tui.attention import Attention
from scoville_client.tui.terminal.progress import TerminalProgress
from scoville_client.tui.terminal.traits import TerminalTraits
from scoville_client.tui.user_settings import UserSettings
from scoville_runtime.clock import Clock

if TYPE_CHECKING:
    from scoville_client.puzzles.source import PuzzleSource
    from scoville_client.replays.playback import Playback
    from scoville_client.reviews.decisions import OwnMistakes
    from scoville_client.reviews.review import MarkedMoment
    from scoville_client.session.client import Client
    from scoville_client.session.conversations import Conversation, Conversations
    from scoville_client.session.planned_end import PlannedEnd
    from scoville_client.session.session import Session
    from scoville_client.session.table.table import AtTable
    from scoville_client.settings.preferences import Preferences
    from scoville_shared.engine.phrases import Phrase

T = TypeVar("T")
PACE: Final = 1.3
"""How many seconds a step of an animation stays."""


class Navigation(Protocol):
    """Opens screens that the screen in front does not know. Dialogs open over it; what is awaited replaces pages."""

    def open_help(self, context: str, own: Sequence[Action] | None = None) -> None:
        """Open the help, with the keys of `context` first; `own` are those of a game, by default the usual ones."""

    def open_rules(self) -> None:
        """Open the rules at the page that fits what the page in front shows; those of a game first at their start."""

    def open_palette(self) -> None:
        """Open the list of everything that is possible on the screen in front."""

    def open_settings(self) -> None:
        """Open the settings."""

    def open_chat(self, conversation: "Conversation | None" = None, draft: str = "") -> None:
        """Open the chat in one conversation, else where something is unread; `draft` is put into its empty input."""

    def show_unread(self) -> None:
        """Show the number of unread messages in the key bars."""

    def open_profile(self, name: str = "") -> None:
        """Open the profile of a player; without a name the user's own."""

    def open_leaderboards(self) -> None:
        """Open the leaderboards at the game of the current table."""

    def open_clubs(self, club: str = "") -> None:
        """Open the user's clubs, or one of them by its id, or say that there are none here."""

    def open_server_texts(self) -> None:
        """Open the host's texts about the server: the message of the day and the rules."""

    def open_account(self) -> None:
        """Open the user's account."""

    def open_admin(self) -> None:
        """Open the page of admins: users, reports, bans and the audit log."""

    def open_replay(
        self, move: int = 0, playback: "Playback | None" = None, *, moments: "Sequence[MarkedMoment]" = ()
    ) -> None:
        """Open a replay, by default of the game that just finished, after one of its moves.

        `moments` are those that a review has marked.
        """

    def open_my_games(self) -> None:
        """Open the games of this computer, for a user who is connected: to watch, to review, to make mistakes again."""

    def open_next_mistake(self, mistakes: "OwnMistakes") -> None:
        """Open the game of the user's mistake that is next, in place of the one before."""

    def open_next_puzzle(self, source: "PuzzleSource", game: str = "") -> None:
        """Open the next puzzle of a source, in place of the one before."""

    def open_look_back(self, at: "AtTable", seq: int | None = None, *, plays: bool = False) -> None:
        """Open past events of a table, after an event; by default before the latest move."""

    def open_daily(self, day: int | None = None) -> None:
        """Open the daily deals, or the results of one."""

    def open_daily_game(self, at: "AtTable", seq: int, player: str, day: int) -> None:
        """Open the finished game of a player of a daily deal, after an event."""

    def open_tournaments(self, number: str = "") -> None:
        """Open the list of tournaments, or one of them."""

    def open_tournament_table(self, number: str) -> None:
        """Take the user's seat at the table of a tournament that waits for them, and open it."""

    def watch_tournament_table(self, table: str) -> None:
        """Watch a running table of a tournament."""

    def open_tutorial(self, game: str) -> None:
        """Open the guided rounds of a game."""

    def start_practice(self, game: str) -> None:
        """Leave every page but the first, and begin to practise a game."""

    def close_page(self, page: Screen[Any]) -> None:
        """Close a page soon, if it is still in front, and show the one below."""

    async def open_table(self) -> None:
        """Show the table of the session instead of another one; does nothing if the session has left it."""

    async def open_lobby(self, reason: str = "") -> None:
        """Go back to the lobby, or to the start where there is none, and announce why."""

    async def leave_server(self) -> None:
        """Close the connection and go back to the start."""


class Shell(Protocol):
    """The client around a screen.

    Attributes:
        clock: Time of clocks, countdowns, animations and autoplay.
        terminal: The abilities of the terminal.
        settings: The user's settings.
        navigation: The navigation to other screens.
        attention: Whether the user looks at the client.
        progress: The progress in the tab of the terminal.
    """

    clock: Clock
    progress: TerminalProgress
    attention: Attention

    @property
    def planned_end(self) -> "PlannedEnd | None":
        """When the server ends; None while nothing is planned."""

    @property
    def is_hosted(self) -> bool:
        """Whether the client runs in a server's process: the user has neither its files nor its programs."""

    @property
    def offer_file(self) -> "Callable[[str, str], None] | None":
        """Function that hands a file, by name and text, to a hosted user's browser; None where there is none."""

    @property
    def terminal(self) -> TerminalTraits: ...

    @property
    def settings(self) -> UserSettings: ...

    @property
    def navigation(self) -> Navigation: ...

    @property
    def preferences(self) -> "Preferences":
        """The user's choices in the settings."""

    # --- the connection -----------------------------------------------------------------------------------

    @property
    def client(self) -> "Client":
        """The current connection, or the last one after it was closed."""

    @property
    def session(self) -> "Session":
        """The session of the current connection."""

    @property
    def conversations(self) -> "Conversations":
        """The chat of the current connection."""

    def send_request(self, awaited: Awaitable[object]) -> None:
        """Await a request of the server in the background; show on the page why it was refused."""

    # --- dialogs and notices ------------------------------------------------------------------------------

    def open_dialog(self, dialog: ModalScreen[T], on_close: Callable[[T | None], object] | None = None) -> None:
        """Open a dialog and pass its result to `on_close`; nothing if there is no room for it."""

    async def ask_user(self, dialog: ModalScreen[T]) -> T | None:
        """Open a dialog and wait for its result, None if there is no room for it.

        Only in a worker, such as that of `request`.
        """

    def show_notice(self, sentence: "str | Phrase", *, error: bool = False, sticky: bool = False) -> None:
        """Show a sentence until the next key, or until it is replaced if it is `sticky`; an empty one hides it."""

    def announce(self, sentence: str) -> None:
        """Show a sentence until a key is pressed, whatever else is shown or happens."""

    def copy_text(self, text: str) -> str:
        """Copy a text to the clipboard of the user's terminal, and show it: not every terminal allows that.

        Returns its answer.
        """

    # --- the app ------------------------------------------------------------------------------------------

    @property
    def screen(self) -> Screen[Any]:
        """The screen in front, a page or a dialog."""

    def call_later(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """Call something once the messages that wait now are handled."""

    def check_keys(self) -> None:
        """Let keys be taken by their present meaning."""

    async def action_quit(self) -> None:
        """Quit, after a question where that ends a game or disconnects other users."""

    def action_redraw(self) -> None:
        """Send the whole picture again."""

    def action_suspend_process(self) -> None:
        """Give the terminal back to the shell of the operating system."""

    def exit(self, result: int | None = None) -> None:
        """End the client with an exit status, without a question."""
