"""Key registry: every key of the pages. Bindings, key bar and help are made from it."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rich.cells import cell_len
from textual.binding import Binding

from scoville_client.i18n.language import words


class Action(NamedTuple):
    """An action: its id (of the `action_` method), its keys as Textual names them and as users read them, and texts.

    `word` is its text in the key bar, `help` a sentence. `contexts` offer it, none for the keys of one game, which its
    board declares; `shown` says whether the key bar may show it, `priority` whether it works while text is typed.
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
_AT_TABLE = ("waiting", "guest", "play", "paused", "watching", "result")
_ANYWHERE = ("lobby", *_AT_TABLE)
_TALKING, _PLAYING = ("lobby", "waiting", "guest", "watching", "paused"), ("play", "result")
"""Contexts with a chat: those whose key bar shows it, and those where users choose cards."""
_SETTINGS = (*_PAGES, "paused", "guest", "watching")
_BACK = ("play", "paused", "replay", "log")
_LEAVING = ("waiting", "guest", "watching", "result")

_EVERY = (*_PAGES, "paused", "story", "guest", "watching", "log")
_RULES = ("start", *_TABLE, "story", "replay")

ACTIONS = (
    Action("up", "up", "↑", "up", "Go one line up.", _LISTS, shown=False),
    Action("down", "down", "↓", "down", "Go one line down.", _LISTS, shown=False),
    Action("take", "enter,space", "Enter", "choose", "Choose the marked line.", ("start",)),
    Action("take", "enter,space", "Enter", "go", "Sit down at the marked table, or watch it.", ("lobby",), shown=False),
    Action("practise", "p", "p", "practise", "Play at once against bots.", ("start",), shown=False),
    Action("join", "j", "j", "join", "Join a server at an address.", ("start",), shown=False),
    Action("host", "h", "h", "host", "Open a table that others can reach.", ("start",), shown=False),
    Action("create_table", "c", "c", "new table", "Open a new table.", ("lobby",)),
    Action(
        "quick_match", "s", "s", "seat me", "Be seated at once where somebody waits; bots fill in soon.", ("lobby",)
    ),
    Action("join_by_code", "j", "j", "code", "Go to a table by its code.", ("lobby",)),
    Action(
        "waiting_table",
        "w",
        "w",
        "wanted",
        "Go to a table that waits for you: your turn, else your seat.",
        _ANYWHERE,
        False,
    ),
    Action("accept_invitation", "a", "a", "accept", "Come to the table you are invited to.", ("lobby",), shown=False),
    Action("decline_invitation", "d", "d", "decline", "Put the invitation away.", ("lobby",), shown=False),
    Action("users", "p", "p", "people", "See who is here, and invite somebody to your table.", ("lobby",)),
    Action("start_game", "enter", "Enter", "start", "Start; bots take the empty seats.", ("waiting",)),
    Action("start_game", "enter", "Enter", "ready", "Say that you are ready, or not any more.", ("guest",)),
    Action("ready", "space", "Space", "ready", "Say that you are ready, or not any more.", ("waiting",)),
    Action("invite", "i", "i", "invite", "Invite somebody who is here to this table.", ("waiting", "guest")),
    Action("kick", "x", "x", "send away", "Choose somebody and send them away, for good.", ("waiting",), shown=False),
    Action("transfer_host", "h", "h", "host", "Make somebody else the host.", ("waiting",), shown=False),
    Action(
        "table_people",
        "o",
        "o",
        "people",
        "See who sits and who looks on here; a host may act on it.",
        _AT_TABLE,
        False,
    ),
    Action("chat", "g,f5", "g", "talk", "Talk: in the lobby, at this table, or to somebody alone.", _TALKING),
    Action(
        "chat", "g,f5", "g", "talk", "Talk: in the lobby, at this table, or to somebody alone.", _PLAYING, shown=False
    ),
    Action("react", "e", "e", "react", "Show a quick reaction: its digit comes next.", _AT_TABLE, shown=False),
    Action("account", "m", "m", "me", "See who you are here; claim your name, log in, log out.", ("lobby",), False),
    Action("leaderboards", "b", "b", "the best", "See who is best at each game.", ("lobby", "result"), shown=False),
    Action("back", "escape", "Esc", "close", "Close it; what you have typed is kept.", ("chat",)),
    Action(
        "next_conversation", "tab", "Tab", "room", "Talk in the next room: lobby, table, somebody alone.", ("chat",)
    ),
    Action(
        "previous_conversation", "shift+tab", "Shift+Tab", "before", "Go to the room before.", ("chat",), shown=False
    ),
    Action("up", "up", "↑ ↓", "read", "Read back, row by row.", ("chat",)),
    Action("down", "down", "↓", "down", "Read on.", ("chat",), shown=False),
    Action("page_up", "pageup", "PgUp", "page", "Read back, page by page.", ("chat",), shown=False),
    Action("page_down", "pagedown", "PgDn", "page", "Read on, page by page.", ("chat",), shown=False),
    Action("help", "f1", "F1", "keys", "Show this help; /help shows what can be typed.", ("chat",)),
    Action("backward", "left", "← →", "step", "Go one step back or on.", ("replay",)),
    Action("forward", "right", "→", "step", "Go one step on.", ("replay",), shown=False),
    Action("part_before", "pageup", "PgUp PgDn", "round", "Go to the round before or the next.", ("replay",)),
    Action("next_part", "pagedown", "PgDn", "round", "Go to the next round.", ("replay",), shown=False),
    Action("to_start", "home", "Home", "deal", "Go to the deal.", ("replay",), shown=False),
    Action("to_end", "end", "End", "result", "Go to the result.", ("replay",), shown=False),
    Action("run", "space", "Space", "play", "Let the game play by itself, or stop it.", ("replay",)),
    Action("faster", "plus", "+", "faster", "Play twice as fast.", ("replay",), shown=False),
    Action("slower", "minus", "-", "slower", "Play half as fast.", ("replay",), shown=False),
    Action("point_of_view", "tab", "Tab", "eyes", "Look through the next seat's eyes, or a spectator's.", ("replay",)),
    Action("go_to_part", "enter", "Enter", "go", "Go to the round whose number is typed.", ("replay",), shown=False),
    Action("go_to_move", "m", "m", "go to move", "Go to the move whose number is typed.", ("replay",), shown=False),
    Action(
        "point_of_view",
        "tab",
        "Tab",
        "place",
        "Look from the next player's place; with a key, through their eyes.",
        ("watching",),
    ),
    Action(
        "commentate", "K", "K", "hands", "See hands, with the commentators' key of this table.", ("watching",), False
    ),
    Action("rematch", "enter,a", "Enter", "again", "Play again with the same people.", ("result",)),
    Action("review", "v", "v", "replay", "See the game again, step by step.", ("result",)),
    Action("save", "s", "s", "save", "Save the game as a file.", ("result",)),
    Action("pause", "P,f4", "P", "continue", "Continue the game after a pause.", ("paused",)),
    Action("pause", "P,f4", "P", "pause", "Ask for a pause or agree to one; in a pause, go on.", _PAUSED, shown=False),
    Action("back", "escape", "Esc", "back", "Go back; skip the reveal; forget typed digits.", _BACK),
    Action("back", "escape", "Esc", "leave", "Leave this table for the lobby.", _LEAVING),
    Action("back", "escape", "Esc", "leave", "Leave this server; your own one stops, after a question.", ("lobby",)),
    Action("log", "l", "l", "log", "Read the whole story of this table.", (*_TABLE, "story")),
    Action(
        "theme",
        "T",
        "T",
        "light/dark",
        "Change between the dark and the light look.",
        _PAGES,
        shown=False,
    ),
    Action(
        "settings",
        "N",
        "N",
        "calls",
        "Choose what may call you (bell, title, talk) and how it looks.",
        _SETTINGS,
        False,
    ),
    Action("rules", "r,f3", "r", "rules", "Show the rules, at the page that fits the moment.", _RULES),
    Action("rules", "r,f3", "r", "rules", "Show the rules of the games.", ("lobby",), shown=False),
    Action("language", "L,f2", "L", "language", "Go over to the next language.", _EVERY, shown=False),
    Action("help", "question_mark,f1", "?", "help", "Show this help.", _EVERY),
    Action("quit", "q", "q", "quit", "Quit.", _EVERY),
    Action(
        "suspend_process",
        "ctrl+z",
        "Ctrl+z",
        "suspend",
        "Suspend Scoville; fg in the shell continues it.",
        ("everywhere",),
        priority=True,
    ),
    Action("quit", "ctrl+q,ctrl+c", "Ctrl+q", "quit", "Quit, also while typing text.", ("everywhere",), priority=True),
)


_DISPENSABLE = (
    "log",
    "rules",
    "back",
    "left",
    "users",
    "join_by_code",
    "quick_match",
    "invite",
    "ready",
    "part_before",
    "chat",
)
"""Actions that the key bar leaves out first, in this order; then come the others."""
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
    ]


def line_of_keys(context: str, width: int, own: Iterable[Action] = ()) -> list[tuple[str, str]]:
    """Choose the (key, word) pairs that fit into `width` cells; help and quit stay, without words if need be."""
    shown = [action for action in at(context, own) if action.shown]
    dispensable = [action.id for action in shown if action.id not in _LASTING]
    for least in (*_DISPENSABLE, *dispensable):
        if width_of_keys(map(_pair, shown)) > width:
            shown = [action for action in shown if action.id != least]
    pairs = list(map(_pair, shown))
    return pairs if width_of_keys(pairs) <= width else [(key, "") for key, _ in pairs]


def width_of_keys(pairs: Iterable[tuple[str, str]]) -> int:
    """Count the cells of (key, word) pairs in the key bar."""
    return sum(cell_len(key) + cell_len(word) + 3 for key, word in pairs) - 2


def _pair(action: Action) -> tuple[str, str]:
    return words(action.written), words(action.word)
