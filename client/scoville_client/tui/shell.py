"""Shell: the protocol by which screens use the client around them. Screens know this file and never the app."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from textual.screen import ModalScreen, Screen

from scoville_client.tui.actions import Action
from scoville_runtime.clock import Clock

if TYPE_CHECKING:
    from scoville_client.replays.playback import Playback
    from scoville_client.session.client import Client
    from scoville_client.session.conversations import Conversation, Conversations
    from scoville_client.session.session import Session
    from scoville_client.session.table.table import AtTable
    from scoville_client.settings.preferences import Preferences
    from scoville_shared.engine.phrases import Phrase

T = TypeVar("T")


class Navigation(Protocol):
    """Opens screens that the screen in front does not know. Dialogs open over it; what is awaited replaces pages."""

    def open_help(self, context: str, own: Sequence[Action] | None = None) -> None:
        """Open the help, with the keys of `context` first; `own` are those of a game, by default the usual ones."""

    def open_rules(self) -> None:
        """Open the rules at the page that fits what the page in front shows."""

    def open_palette(self) -> None:
        """Open the list of everything that is possible on the screen in front."""

    def open_settings(self) -> None:
        """Open the settings."""

    def open_chat(self, conversation: "Conversation | None" = None, draft: str = "") -> None:
        """Open the chat in one conversation, else where something is unread; `draft` is put into its empty input."""

    def open_profile(self, name: str = "") -> None:
        """Open the profile of a player; without a name the user's own."""

    def open_leaderboards(self) -> None:
        """Open the leaderboards at the game of the current table."""

    def open_account(self) -> None:
        """Open the user's account."""

    def open_admin(self) -> None:
        """Open what admins read: users, reports, bans and the audit log."""

    def open_replay(self, move: int = 0, playback: "Playback | None" = None) -> None:
        """Open a replay, by default of the game that just finished, after one of its moves."""

    def open_look_back(self, at: "AtTable", seq: int | None = None, *, plays: bool = False) -> None:
        """Open what has happened at a table, after an event; by default before the latest move."""

    def close_page(self, page: Screen[Any]) -> None:
        """Close a page soon, if it is still in front, and show what lies beneath."""

    async def open_table(self) -> None:
        """Show the table of the session instead of another one; does nothing if the session has left it meanwhile."""

    async def open_lobby(self, reason: str = "") -> None:
        """Go back to the lobby, or to the start where there is none, and announce why."""

    def open_tutorial(self, game: str) -> None:
        """Open the guided rounds of a game."""

    def practise(self, game: str) -> None:
        """Leave every page but the first, and begin to practise a game."""

    async def disconnect(self) -> None:
        """Close the connection and go back to the start."""


class Dialogs(Protocol):
    """Asks the user by modal dialogs, each typed by what it returns; None is the answer of one that was not shown."""

    def open_dialog(self, dialog: ModalScreen[T], on_close: Callable[[T | None], object] | None = None) -> None:
        """Open a dialog and pass its result to `on_close`."""

    async def ask(self, dialog: ModalScreen[T]) -> T | None:
        """Open a dialog and wait for its result; only in a worker, such as that of `request`."""


class Notices(Protocol):
    """Shows sentences on the page in front."""

    def show_notice(self, sentence: "str | Phrase", *, error: bool = False, sticky: bool = False) -> None:
        """Show a sentence until the next key, or until it is replaced if it is `sticky`; an empty one hides it."""

    def announce(self, sentence: str) -> None:
        """Show a sentence until a key is pressed, whatever else is shown or happens meanwhile."""


class Shell(Navigation, Dialogs, Notices, Protocol):
    """The client around a screen: session, navigation, dialogs, notices and preferences."""

    clock: Clock
    is_hosted: bool
    """Whether the client runs on the server's computer for a user elsewhere: no files, no programs, no SSH keys."""
    offer_file: Callable[[str, str], None] | None
    """Offers a hosted user a file to save, by its name and text; None where that is impossible."""

    def check_keys(self) -> None:
        """Paint the screen in front if its keys mean something new, and nothing on it is drawn again for that."""

    @property
    def session(self) -> "Session":
        """The session of the current connection."""

    @property
    def client(self) -> "Client":
        """The current connection, or the last one after it was closed."""

    @property
    def conversations(self) -> "Conversations":
        """The chat of the current connection."""

    @property
    def preferences(self) -> "Preferences":
        """The user's settings."""

    @property
    def chilli(self) -> str:
        """A chilli and a blank where the terminal draws one in the cells that the screens reckon with; else nothing."""

    @property
    def draws_half_blocks(self) -> bool:
        """Whether the terminal has half blocks, of which two cells make a square pair."""

    def show_unread(self) -> None:
        """Show the number of unread messages in the key bars."""

    @property
    def is_first_start(self) -> bool:
        """Whether this user has not been offered the guided rounds; never where nothing can be kept."""

    def note_first_start(self) -> None:
        """Remember that the guided rounds were offered; where that cannot be saved, they are offered again."""

    def set_preferences(self, preferences: "Preferences") -> None:
        """Apply and save preferences."""

    def next_theme(self) -> None:
        """Change to the next theme."""

    def next_language(self) -> None:
        """Change all screens to the next language."""

    def request(self, awaited: Awaitable[object]) -> None:
        """Await a request of the server in the background; show on the page why it was refused."""

    @property
    def screen(self) -> Screen[Any]:
        """The screen in front, a page or a dialog."""

    def call_later(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
        """Call something once the messages that wait now are handled."""

    async def action_quit(self) -> None:
        """Quit, after a question where that ends a game or disconnects other users."""

    def action_suspend_process(self) -> None:
        """Give the terminal back to the shell of the operating system."""

    def exit(self, result: int | None = None) -> None:
        """End the client with an exit status, without a question."""
