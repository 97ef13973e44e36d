"""Key registry: every key of the pages. Bindings, key bar and help are made from it."""

from collections.abc import Container, Iterable, Iterator
from typing import NamedTuple

from rich.cells import cell_len
from textual.binding import Binding

from scoville_client.i18n.language import tr


class Action(NamedTuple):
    """An action: its id (of the `action_` method), its keys as Textual names them and as users read them, and texts.

    `word` is its text in the key bar, `help` a sentence. `contexts` offer it, none for the keys of one game, which its
    board declares; `shown` says whether the key bar may show it, `priority` whether it works while text is typed.
    `keys` is empty for what users type, such as numbers: the board reads it itself.
    """

    id: str
    keys: str
    written: str
    word: str
    help: str
    contexts: tuple[str, ...] = ()
    shown: bool = True
    priority: bool = False


_LISTS = ("start", "lobby", "create")
_PAGES = ("start", "lobby", "waiting", "play", "result", "replay")
_TABLE = ("waiting", "play", "paused", "guest", "watching", "result")
_PAUSED = ("waiting", "play")
_PLAYED = ("play", "paused")
_AT_TABLE = ("waiting", "guest", "play", "paused", "watching", "result")
_ANYWHERE = ("lobby", *_AT_TABLE)
_SETTINGS = (*_PAGES, "paused", "guest", "watching")
_BACK = ("play", "paused", "replay", "log")
_LEAVING = ("waiting", "guest", "watching", "result")

_EVERY = (*_PAGES, "paused", "story", "guest", "watching", "log", "big")
_RULES = ("start", *_TABLE, "story", "replay")

ACTIONS = (
    Action("up", "up", "↑", "up", "Move up one row.", _LISTS, shown=False),
    Action("down", "down", "↓", "down", "Move down one row.", _LISTS, shown=False),
    Action("take", "enter,space", "Enter", "choose", "Select the marked row.", ("start",)),
    Action("take", "enter,space", "Enter", "go", "Join the marked table, or watch it.", ("lobby",), shown=False),
    Action("practise", "p", "p", "practise", "Play against bots right now.", ("start",), shown=False),
    Action("join", "j", "j", "join", "Connect to a server.", ("start",), shown=False),
    Action("host", "h", "h", "host a table", "Open a table that others can join.", ("start",), shown=False),
    Action("create_table", "c", "c", "new table", "Open a new table.", ("lobby",)),
    Action(
        "quick_match",
        "s",
        "s",
        "quick match",
        "Take a seat at a waiting table; bots soon fill the rest.",
        ("lobby",),
    ),
    Action("join_by_code", "j", "j", "code", "Join a table by its code.", ("lobby",)),
    Action(
        "waiting_table",
        "w",
        "w",
        "my table",
        "Go to a table where it is your turn or where you have a seat.",
        _ANYWHERE,
        False,
    ),
    Action("accept_invitation", "a", "a", "accept", "Accept the invitation.", ("lobby",), shown=False),
    Action("decline_invitation", "d", "d", "decline", "Decline the invitation.", ("lobby",), shown=False),
    Action("users", "p", "p", "users", "List the users, and invite one to your table.", ("lobby",)),
    Action("start_game", "enter", "Enter", "start", "Start the game; bots take the free seats.", ("waiting",)),
    Action("start_game", "enter", "Enter", "ready", "Switch between ready and not ready.", ("guest",)),
    Action("ready", "space", "Space", "ready", "Switch between ready and not ready.", ("waiting",)),
    Action("invite", "i", "i", "invite", "Invite a user to this table.", ("waiting", "guest")),
    Action(
        "invitation",
        "I",
        "I",
        "how to join",
        "Show how others join: command, address, table code, QR code.",
        ("lobby", "waiting", "guest"),
    ),
    Action(
        "invitation",
        "I",
        "I",
        "how to join",
        "Show how others join: command, address, table code, QR code.",
        ("play", "paused", "watching", "result"),
        shown=False,
    ),
    Action("kick", "x", "x", "kick", "Kick somebody from this table for good.", ("waiting",), shown=False),
    Action("transfer_host", "h", "h", "make host", "Make another player the host.", ("waiting",), shown=False),
    Action(
        "table_users",
        "o",
        "o",
        "players",
        "List players and spectators; a host can kick and invite.",
        _AT_TABLE,
    ),
    Action("chat", "g,f5", "g", "chat", "Chat in the lobby, at this table, or in private.", _ANYWHERE),
    Action("react", "e", "e", "react", "Send a reaction; press its digit next.", _AT_TABLE),
    Action("account", "m", "m", "account", "Show your account; claim a name, log in or log out.", ("lobby",)),
    Action("leaderboards", "b", "b", "leaderboards", "Show the leaderboards of all games.", ("lobby", "result")),
    Action("back", "escape", "Esc", "close", "Close the chat; what you have typed is kept.", ("chat",)),
    Action(
        "next_conversation", "tab", "Tab", "channel", "Switch to the next channel: lobby, table, private.", ("chat",)
    ),
    Action(
        "previous_conversation",
        "shift+tab",
        "Shift+Tab",
        "previous",
        "Switch to the previous channel.",
        ("chat",),
        shown=False,
    ),
    Action("up", "up", "↑ ↓", "scroll", "Scroll up row by row.", ("chat",)),
    Action("down", "down", "↓", "down", "Scroll down.", ("chat",), shown=False),
    Action("page_up", "pageup", "PgUp", "page", "Scroll up page by page.", ("chat",), shown=False),
    Action("page_down", "pagedown", "PgDn", "page", "Scroll down page by page.", ("chat",), shown=False),
    Action("help", "f1", "F1", "keys", "Show this help; /help lists the chat commands.", ("chat",)),
    Action("backward", "left", "← →", "step", "Go one step back or forward.", ("replay",)),
    Action("forward", "right", "→", "step", "Go one step forward.", ("replay",), shown=False),
    Action("part_before", "pageup", "PgUp PgDn", "round", "Go to the previous or next round.", ("replay",)),
    Action("next_part", "pagedown", "PgDn", "round", "Go to the next round.", ("replay",), shown=False),
    Action("to_start", "home", "Home", "deal", "Go to the deal.", ("replay",), shown=False),
    Action("to_end", "end", "End", "result", "Go to the result.", ("replay",), shown=False),
    Action("run", "space", "Space", "play/pause", "Play the replay, or pause it.", ("replay",)),
    Action("faster", "plus", "+", "faster", "Play twice as fast.", ("replay",), shown=False),
    Action("slower", "minus", "-", "slower", "Play half as fast.", ("replay",), shown=False),
    Action("point_of_view", "tab", "Tab", "view", "Switch to the next player's view, or a spectator's.", ("replay",)),
    Action("go_to_part", "enter", "Enter", "go", "Go to the round with the typed number.", ("replay",), shown=False),
    Action("go_to_move", "m", "m", "go to move", "Go to the move with the typed number.", ("replay",), shown=False),
    Action(
        "point_of_view",
        "tab",
        "Tab",
        "seat",
        "Watch from the next seat; with a key, see its hand.",
        ("watching",),
    ),
    Action("commentate", "K", "K", "hands", "See all hands with the commentators' key.", ("watching",), False),
    Action("rematch", "enter,a", "Enter", "rematch", "Start a rematch with the same players.", ("result",)),
    Action("review", "v", "v", "replay", "Replay the game step by step.", ("result",)),
    Action("save", "s", "s", "save", "Save the game as a file.", ("result",)),
    Action("pause", "P,f4", "P", "resume", "Resume the game after a pause.", ("paused",)),
    Action("pause", "P,f4", "P", "pause", "Ask for a pause or agree to one; resume a paused game.", _PAUSED),
    Action("back", "escape", "Esc", "back", "Go back; skip the reveal; clear typed digits.", _BACK),
    Action("back", "escape", "Esc", "leave", "Leave this table and go to the lobby.", _LEAVING),
    Action("back", "escape", "Esc", "leave", "Disconnect from this server; asks before it stops your own.", ("lobby",)),
    Action("vote", "V", "V", "vote", "Start a vote to kick a player, or vote in the one that runs.", _PLAYED, False),
    Action("log", "l", "l", "log", "Show the log of this table.", (*_TABLE, "story")),
    Action(
        "theme",
        "T",
        "T",
        "light/dark",
        "Switch between dark and light colours.",
        (*_PAGES, "big"),
        shown=False,
    ),
    Action(
        "settings",
        "N",
        "N",
        "settings",
        "Change notifications (bell, title, chat) and the look.",
        _SETTINGS,
    ),
    Action("rules", "r,f3", "r", "rules", "Show the rules page for this moment.", _RULES),
    Action("rules", "r,f3", "r", "rules", "Show the rules of all games.", ("lobby",)),
    Action("language", "L,f2", "L", "language", "Switch to the next language.", _EVERY, shown=False),
    Action("help", "question_mark,f1", "?", "help", "Show this help.", _EVERY),
    Action("quit", "q", "q", "quit", "Quit.", _EVERY),
    Action(
        "suspend_process",
        "ctrl+z",
        "Ctrl+z",
        "suspend",
        "Suspend Scoville; type fg in the shell to continue.",
        ("everywhere",),
        priority=True,
    ),
    Action(
        "quit", "ctrl+q,ctrl+c", "Ctrl+q", "quit", "Quit, even while you type text.", ("everywhere",), priority=True
    ),
)


_DISPENSABLE = (
    "chat",
    "ready",
    "part_before",
    "invite",
    "quick_match",
    "join_by_code",
    "users",
    "left",
    "back",
    "rules",
    "log",
    "react",
    "pause",
    "table_users",
    "invitation",
    "account",
    "leaderboards",
    "settings",
)
"""Actions that the key bar shows if there is room, the most important first; all others come before them."""
_LASTING = ("help", "quit")


def at(context: str, own: Iterable[Action] = ()) -> Iterator[Action]:
    """The actions of a context, after the `own` actions of the game that is played there."""
    yield from own
    yield from (action for action in ACTIONS if context in action.contexts)


def bindings(context: str, own: Iterable[Action] = ()) -> list[Binding]:
    """Make the bindings of a context, after the `own` actions of a game."""
    return [
        Binding(action.keys, action.id, action.word, show=False, tooltip=action.help, priority=action.priority)
        for action in at(context, own)
        if action.keys
    ]


def line_of_keys(
    context: str, width: int, own: Iterable[Action] = (), disabled: Container[str] = ()
) -> list[tuple[str, str]]:
    """Choose the (key, word) pairs that fit into `width` cells; help and quit stay, without words if need be.

    Actions whose ids are in `disabled` are left out.
    """
    offered = [action for action in at(context, own) if action.shown and action.id not in disabled]
    shown: list[Action] = []
    for action in sorted(offered, key=_priority):
        if action.id in _LASTING or width_of_keys(map(_pair, [*shown, action])) <= width:
            shown.append(action)
    pairs = [_pair(action) for action in offered if action in shown]
    return pairs if width_of_keys(pairs) <= width else [(key, "") for key, _ in pairs]


def _priority(action: Action) -> int:
    if action.id in _LASTING:
        return 0
    return 2 + _DISPENSABLE.index(action.id) if action.id in _DISPENSABLE else 1


def width_of_keys(pairs: Iterable[tuple[str, str]]) -> int:
    """Count the cells of (key, word) pairs in the key bar."""
    return sum(cell_len(key) + cell_len(word) + 3 for key, word in pairs) - 2


def _pair(action: Action) -> tuple[str, str]:
    return tr(action.written), tr(action.word)
