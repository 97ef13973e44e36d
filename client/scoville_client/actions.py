"""Every key of the interface, once: bindings, the line of keys and the help screen are made from it."""

from collections.abc import Iterator
from typing import NamedTuple

from textual.binding import Binding


class Action(NamedTuple):
    """What can be done: an id (the `action_` method), its keys, how they are written, a word, a sentence.

    `where` names the places that offer it; `shown` whether the line of keys has room for it.
    """

    id: str
    keys: str
    written: str
    word: str
    help: str
    where: tuple[str, ...]
    shown: bool = True
    priority: bool = False


_LISTS = ("start", "lobby", "create")
_PAGES = ("start", "lobby", "waiting", "play", "result")

ACTIONS = (
    Action("up", "up", "↑", "up", "Go one line up.", (*_LISTS, "play"), shown=False),
    Action("down", "down", "↓", "down", "Go one line down.", (*_LISTS, "play"), shown=False),
    Action("take", "enter,space", "Enter", "choose", "Choose the marked line.", ("start", "lobby")),
    Action("practise", "p", "p", "practise", "Play at once against bots.", ("start",), shown=False),
    Action("join", "j", "j", "join", "Join a server at an address.", ("start",), shown=False),
    Action("host", "h", "h", "host", "Open a table that others can reach.", ("start",), shown=False),
    Action("create", "c", "c", "new table", "Open a new table.", ("lobby",)),
    Action("refresh", "r", "r", "refresh", "Look again which tables there are.", ("lobby",)),
    Action("start_game", "enter,s", "Enter", "start", "Start; bots take the empty seats.", ("waiting",)),
    Action("left", "left", "← →", "card", "Select the card to the left or right.", ("play",)),
    Action("right", "right", "→", "right", "Select the card to the right.", ("play",), shown=False),
    Action("first", "home", "Home", "first", "Select the lowest card.", ("play",), shown=False),
    Action("last", "end", "End", "last", "Select the highest card.", ("play",), shown=False),
    Action("play", "enter", "Enter", "play", "Play the selected card, or see the next step.", ("play",)),
    Action("next", "space", "Space", "next step", "Show the next step of the reveal.", ("play",), shown=False),
    Action("erase", "backspace", "Backspace", "erase", "Erase the last digit.", ("play",), shown=False),
    Action("take_back", "u", "u", "take back", "Take your choice back, if the table lets you.", ("play",), shown=False),
    Action("keep", "k", "k", "keep", "Keep what you may change.", ("play",), shown=False),
    Action("calm", "m", "m", "motion", "Show the reveal step by step, or only its end.", ("play",), shown=False),
    Action("again", "enter,a", "Enter", "again", "Play again.", ("result",)),
    Action("back", "escape", "Esc", "back", "Go back; skip the reveal; forget typed digits.", (*_PAGES[1:], "guest")),
    Action("theme", "t", "t", "light/dark", "Change between the dark and the light look.", _PAGES, shown=False),
    Action("help", "question_mark,f1", "?", "help", "Show this help.", (*_PAGES, "story", "guest")),
    Action("quit", "q", "q", "quit", "Quit.", (*_PAGES, "story", "guest")),
    Action("quit", "ctrl+q,ctrl+c", "Ctrl+q", "quit", "Quit, also while typing text.", ("everywhere",), priority=True),
)


def at(where: str) -> Iterator[Action]:
    """List what a place offers."""
    return (action for action in ACTIONS if where in action.where)


def bindings(where: str) -> list[Binding]:
    """Make the bindings of a place."""
    return [
        Binding(action.keys, action.id, action.word, show=False, tooltip=action.help, priority=action.priority)
        for action in at(where)
    ]


def line_of_keys(where: str, width: int) -> list[tuple[str, str]]:
    """Choose the (key, word) pairs that fit into `width` cells, in order; quitting always does."""
    pairs = [(action.written, action.word) for action in at(where) if action.shown]
    for least in ("back", "help", "refresh", "card"):
        if sum(len(key) + len(word) + 3 for key, word in pairs) - 2 > width:
            pairs = [(key, word) for key, word in pairs if word != least]
    return pairs
