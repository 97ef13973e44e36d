"""Key registry: every key of the pages. Bindings, key bar and help are made from it."""

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from textual.binding import Binding

from scoville_client.tui.drawing.key_names import key_list, written_key


class Action(NamedTuple):
    """An action: its id (of the `action_` method), its keys as Textual names them and as users read them, and texts.

    `word` is its text in the key bar, `help` a sentence, empty where that of the first of its `commands` says it.
    `contexts` offer it, none for the keys of one game, which its board declares; `shown` says whether the key bar may
    show it, `priority` whether it works while text is typed.
    `aside` are further contexts, whose key bars leave it out. `keys` is empty for what users type, such as numbers: the
    board reads it itself. `commands` of the registry are what the key does, or what the dialog that it opens does. With
    `types_command` the key does what typing the first of them does, and needs no function of its own. The key bar of a
    practice game leaves out what `needs_others`: it is for a server with other users.
    """

    id: str
    keys: str
    written: str
    word: str
    help: str
    contexts: tuple[str, ...] = ()
    shown: bool = True
    priority: bool = False
    aside: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    types_command: bool = False
    needs_others: bool = False

    def explain(self) -> str:
        """Return its effect as a sentence, untranslated."""
        if self.help:
            return self.help
        # Only for those who read it: the registry loads the whole session, which the first screen does without.
        from scoville_client.session.commands.registry import help_of

        return help_of(self.commands[0])


_LISTS = ("start", "lobby", "create")
_PAGES = ("start", "tutorial", "puzzle", "lobby", "waiting", "play", "result", "replay")
_TABLE = ("waiting", "play", "paused", "guest", "watching", "result")
_PLAYED = ("play", "paused")
_AT_TABLE = ("waiting", "guest", "play", "paused", "watching", "result")
_ANYWHERE = ("lobby", *_AT_TABLE)
_SETTINGS = (*_PAGES, "paused", "guest", "watching")
_BACK = ("play", "paused", "replay", "log")
_LEAVING = ("waiting", "guest", "watching", "result")

_TAPES = ("replay", "look_back")
_EVERY = (*_PAGES, "paused", "story", "guest", "watching", "log", "big", "look_back")
_RULES = ("start", "tutorial", "puzzle", *_TABLE, "story", *_TAPES)

ACTIONS = (
    Action("up", "up", "↑", "up", "Move up one row.", _LISTS, shown=False),
    Action("down", "down", "↓", "down", "Move down one row.", _LISTS, shown=False),
    Action("take", "enter,space", "Enter", "choose", "Select the marked row.", ("start",)),
    Action(
        "take",
        "enter,space",
        "Enter",
        "go",
        "Join the marked table, or watch it.",
        ("lobby",),
        shown=False,
        commands=("join", "watch", "enter"),
    ),
    Action("practise", "p", "p", "practise", "Play against bots right now.", ("start",), shown=False),
    Action("continue_practice", "c", "c", "continue", "Continue your last game against bots.", ("start",), shown=False),
    Action("tutorial", "g", "g", "guided rounds", "Play two guided rounds of a game.", ("start",), shown=False),
    # Before the board, which has the focus and an Enter of its own; without a callout the screen leaves it the key.
    Action("go_on", "enter", "Enter", "next", "Go to the next hint.", ("tutorial",), priority=True, shown=False),
    Action("end_tutorial", "escape", "Esc", "end", "End the guided rounds.", ("tutorial",), priority=True),
    Action("puzzles", "z", "z", "puzzles", "Find the best move in positions of real games.", ("start",), shown=False),
    Action(
        "puzzles",
        "z",
        "z",
        "puzzles",
        "Solve the puzzle of the day, then others of this server.",
        ("lobby",),
        shown=False,
        commands=("puzzles", "puzzle"),
    ),
    Action("next_puzzle", "enter", "Enter", "next", "Go to the next puzzle.", ("puzzle",), priority=True, shown=False),
    Action("back", "escape", "Esc", "end", "End the puzzles.", ("puzzle",)),
    Action("join", "j", "j", "join", "Connect to a server.", ("start",), shown=False),
    Action("host", "h", "h", "host a table", "Open a table that others can join.", ("start",), shown=False),
    Action("watch_replay", "w", "w", "replay", "Watch a game that was saved.", ("start",), shown=False),
    Action("log_in", "i", "i", "log in", "Log in to a server with your claimed name.", ("start",), shown=False),
    Action("create_table", "c", "c", "new table", "", ("lobby",), commands=("create",)),
    Action("quick_match", "s", "s", "quick match", "", ("lobby",), commands=("quick",)),
    Action("join_by_code", "j", "j", "code", "", ("lobby",), commands=("enter",)),
    Action("filter", "slash", "/", "find", "Show only the rows that have what you type.", ("lobby",), aside=("start",)),
    Action("waiting_table", "w", "w", "my table", "", _ANYWHERE, False, commands=("next",)),
    Action(
        "accept_invitation", "a", "a", "accept", "Accept the invitation.", ("lobby",), shown=False, commands=("join",)
    ),
    Action("decline_invitation", "d", "d", "decline", "Decline the invitation.", ("lobby",), shown=False),
    Action(
        "users",
        "p",
        "p",
        "users",
        "List the users, and invite one to your table.",
        ("lobby",),
        commands=("users", "invite", "profile"),
    ),
    Action("start_game", "enter", "Enter", "start", "", ("waiting",), commands=("start",)),
    Action(
        "start_game",
        "enter",
        "Enter",
        "ready",
        "Switch between ready and not ready.",
        ("guest",),
        commands=("ready", "unready"),
    ),
    Action(
        "ready",
        "space",
        "Space",
        "ready",
        "Switch between ready and not ready.",
        ("waiting",),
        commands=("ready", "unready"),
    ),
    Action(
        "invite",
        "i",
        "i",
        "invite",
        "Invite a user to this table.",
        ("waiting", "guest"),
        commands=("invite", "users"),
        needs_others=True,
    ),
    Action(
        "invitation",
        "I",
        "I",
        "how to join",
        "Show how others join: command, address, table code, QR code.",
        ("lobby", "waiting", "guest"),
        aside=("play", "paused", "watching", "result"),
        commands=("invite",),
        needs_others=True,
    ),
    Action("kick", "x", "x", "kick", "", ("waiting",), shown=False, commands=("kick",)),
    Action("transfer_host", "h", "h", "make host", "", ("waiting",), shown=False, commands=("host",)),
    Action(
        "table_users",
        "o",
        "o",
        "players",
        "List players and spectators; a host can kick and invite.",
        _AT_TABLE,
        commands=("who", "watchers", "kick", "vote", "host", "invite"),
        needs_others=True,
    ),
    Action(
        "chat",
        "g,f5",
        "g",
        "chat",
        "Chat in the lobby, at this table, or in private.",
        _ANYWHERE,
        commands=("say", "whisper", "chat"),
        needs_others=True,
    ),
    Action(
        "react",
        "e",
        "e",
        "react",
        "Send a reaction; press its digit next.",
        _AT_TABLE,
        commands=("react",),
        needs_others=True,
    ),
    Action(
        "account",
        "m",
        "m",
        "account",
        "Show your account; claim a name, log in or log out.",
        ("lobby",),
        commands=(
            "account",
            "profile",
            "account export",
            "claim",
            "login",
            "logout",
            "webcode",
            "password",
            "addkey",
            "removekey",
            "release",
            "recover",
            "delete",
            "end",
            "code",
            "admin",
        ),
    ),
    Action(
        "server_texts",
        "i",
        "i",
        "server",
        "Show the message of the day and the rules of this server.",
        ("lobby",),
        shown=False,
        commands=("motd", "rules server"),
    ),
    Action(
        "daily",
        "t",
        "t",
        "daily deal",
        "Play the daily deal, compare it with others, see your streak.",
        ("lobby",),
        commands=("daily", "daily play", "daily results", "daily game", "daily share", "daily proof", "daily export"),
    ),
    Action(
        "daily_results",
        "t",
        "t",
        "compare",
        "Compare your game of the daily deal with those of others.",
        ("result",),
        shown=False,
        commands=("daily results",),
    ),
    Action(
        "my_games",
        "M",
        "M",
        "my games",
        "Watch and review the games on this computer; retry your mistakes.",
        ("lobby",),
        shown=False,
    ),
    Action("next_date", "", "1-5", "next dates", "", ("lobby",), shown=False, commands=("dates",)),
    Action(
        "tournaments",
        "E",
        "E",
        "tournaments",
        "List the tournaments, take part, call one.",
        ("lobby", "result"),
        shown=False,
        commands=(
            "tournaments",
            "tournament show",
            "tournament enter",
            "tournament withdraw",
            "tournament play",
            "tournament call",
            "tournament begin",
            "tournament cancel",
            "tournament remove",
            "tournament export",
        ),
    ),
    Action(
        "leaderboards",
        "b",
        "b",
        "leaderboards",
        "Show the leaderboards of all games.",
        ("lobby", "result"),
        commands=("leaders",),
        needs_others=True,
    ),
    Action(
        "clubs",
        "C",
        "C",
        "clubs",
        "Show your clubs: members, chat, calls to a table.",
        ("lobby", "waiting", "guest"),
        shown=False,
        commands=(
            "clubs",
            "club",
            "club create",
            "club invite",
            "club accept",
            "club decline",
            "club leave",
            "club say",
            "club chat",
            "club call",
            "club calls",
            "club promote",
            "club demote",
            "club ban",
            "club unban",
            "club close",
            "club board",
            "club date",
            "club undate",
            "club report",
        ),
    ),
    Action("back", "escape", "Esc", "close", "Close the chat; what you have typed is kept.", ("chat",)),
    Action(
        "next_conversation",
        "tab",
        "Tab",
        "channel",
        "Switch to the next channel; after a command such as /w, complete a name.",
        ("chat",),
    ),
    Action(
        "previous_conversation", "shift+tab", "Shift+Tab", "back", "Switch to the previous channel.", ("chat",), False
    ),
    Action("up", "up", "↑ ↓", "scroll", "Scroll up row by row.", ("chat",)),
    Action("down", "down", "↓", "down", "Scroll down.", ("chat",), shown=False),
    Action("page_up", "pageup", "PgUp", "page", "Scroll up page by page.", ("chat",), shown=False),
    Action("page_down", "pagedown", "PgDn", "page", "Scroll down page by page.", ("chat",), shown=False),
    Action("help", "f1", "F1", "keys", "Show this help; /help lists the chat commands.", ("chat",)),
    Action("backward", "left,left_square_bracket,comma", "← →", "step", "Go one step back or forward.", _TAPES),
    Action("forward", "right,right_square_bracket,full_stop", "→", "step", "Go one step forward.", _TAPES, shown=False),
    Action("part_before", "pageup", "PgUp PgDn", "round", "Go to the previous or next round.", _TAPES),
    Action("next_part", "pagedown", "PgDn", "round", "Go to the next round.", _TAPES, shown=False),
    Action("run", "space", "Space", "play/pause", "Play from here, or pause.", _TAPES),
    Action("faster", "plus", "+ -", "speed", "Play twice as fast.", _TAPES),
    Action("slower", "minus", "-", "slower", "Play half as fast.", _TAPES, shown=False),
    Action("to_start", "home", "Home", "beginning", "Go to the beginning.", _TAPES),
    Action("to_end", "end", "End", "latest", "Go to the end.", _TAPES),
    Action(
        "moment_before",
        "b",
        "b n",
        "moment",
        "Go to the moment before, or the next, that the review marks.",
        ("replay",),
    ),
    Action("next_moment", "n", "n", "moment", "Go to the next moment that the review marks.", ("replay",), shown=False),
    Action("point_of_view", "tab", "Tab", "view", "Switch to the next player's view, or a spectator's.", ("replay",)),
    Action("back", "escape,enter", "Esc", "to the game", "Go back to the game as it is now.", ("look_back",)),
    # Before the rest, for which narrow key bars have no room: users who are at a loss need the coach most.
    Action(
        "coach",
        "h",
        "h",
        "coach",
        "Ask the coach what every move is worth.",
        ("play",),
        aside=("paused",),
        commands=("coach",),
    ),
    Action(
        "look_back",
        "left_square_bracket,comma",
        "[",
        "past",
        "Look at earlier rounds of this game (also by a comma); Esc goes back to the present.",
        ("play", "paused", "watching"),
        aside=("story",),
    ),
    Action("go_to_part", "enter", "Enter", "go", "Go to the round with the typed number.", ("replay",), shown=False),
    Action("go_to_move", "m", "m", "go to move", "Go to the move with the typed number.", ("replay",), shown=False),
    Action(
        "point_of_view",
        "tab",
        "Tab",
        "seat",
        "Watch from the next seat; with a key, see its hand.",
        ("watching",),
        commands=("look",),
    ),
    Action("commentate", "K", "K", "hands", "", ("watching",), False, commands=("commentate",)),
    Action("rematch", "enter,a", "Enter", "rematch", "", ("result",), commands=("rematch", "follow")),
    # Why it was won or lost comes first: narrow key bars have no room for all of them.
    Action(
        "coach_review",
        "h",
        "h",
        "review",
        "Review the game: errors, luck, skill.",
        ("result", "replay"),
        commands=("coach",),
    ),
    Action("costliest", "c", "c", "worst moment", "Show your worst moment in the replay.", ("result",)),
    Action("review", "v", "v", "replay", "Replay the game step by step.", ("result",)),
    Action("explain", "x", "x", "explain", "Explain the bots' latest moves.", ("play",), aside=("paused",)),
    Action("explain", "x", "x", "explain", "Explain the move: the best ones with figures.", ("replay",)),
    Action(
        "choose_again", "c", "c", "choose again", "Make the next decision yourself; the coach answers.", ("replay",)
    ),
    Action("same_deal", "M", "M", "master", "Let master play the same deal in your seat.", ("replay",), shown=False),
    Action("copy", "y", "y", "copy", "Copy what others type to join.", ("waiting", "guest"), shown=False),
    Action("copy", "y", "y", "copy", "Copy the result as text.", ("result",), shown=False),
    Action("save", "s", "s", "save", "Save the game as a file.", ("result",), commands=("save",)),
    Action(
        "pause",
        "P,f4",
        "P",
        "resume",
        "Resume the game after a pause.",
        ("paused",),
        commands=("resume",),
        types_command=True,
        needs_others=True,
    ),
    Action(
        "pause",
        "P,f4",
        "P",
        "pause",
        "Ask for a pause or agree to one; resume a paused game.",
        ("play",),
        commands=("pause",),
        types_command=True,
        needs_others=True,
    ),
    Action("plan", "A", "A", "plan", "", ("play",), False, aside=("paused",), commands=("plan", "plan clear")),
    Action("back", "escape", "Esc", "back", "Go back; skip the reveal; clear typed digits.", _BACK),
    Action(
        "back", "escape", "Esc", "leave", "Leave this table and go to the lobby.", _LEAVING, commands=("leave", "lobby")
    ),
    Action("back", "escape", "Esc", "leave", "Disconnect from this server; asks before it stops your own.", ("lobby",)),
    Action("vote", "V", "V", "vote", "", _PLAYED, False, commands=("vote",)),
    Action("log", "l", "l", "log", "Show the log of this table.", (*_TABLE, "story")),
    Action(
        "theme",
        "T",
        "T",
        "theme",
        "Switch to the next theme: dark, light, high contrast, for colour-blind eyes.",
        (*_PAGES, "big"),
        shown=False,
    ),
    Action(
        "settings",
        "N",
        "N",
        "settings",
        "Change language, theme, animations, notifications, name and more.",
        _SETTINGS,
    ),
    Action("rules", "r,f3", "r", "rules", "Show the rules page for this moment.", _RULES),
    Action("rules", "r,f3", "r", "rules", "Show the rules of all games.", ("lobby",)),
    Action("language", "L,f2", "L", "language", "Switch to the next language.", _EVERY, shown=False),
    Action("help", "question_mark,f1", "?", "help", "Show this help.", _EVERY),
    Action("palette", "colon,ctrl+p", ":", "commands", "Find any command by its name.", _EVERY),
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
    Action("redraw", "ctrl+l", "Ctrl+l", "redraw", "Draw the whole screen again.", ("everywhere",), priority=True),
    Action(
        "quit", "ctrl+q,ctrl+c", "Ctrl+q", "quit", "Quit, even while you type text.", ("everywhere",), priority=True
    ),
)


_FIXED: Final = {"everywhere", "chat"}
"""Contexts whose keys cannot be changed: they work while text is typed."""
Keys = Mapping[str, str]
"""Keys that the user has given to actions: by the action's id, as Textual names them, separated by commas."""
USUAL_KEYS: Final[Keys] = {}


def list_actions(context: str, own: Iterable[Action] = (), keys: Keys = USUAL_KEYS) -> Iterator[Action]:
    """The actions of a context with the user's keys, after the `own` actions of the game that is played there."""
    yield from (_apply_user_keys(action, keys) for action in own)
    for action in ACTIONS:
        if context in action.contexts:
            yield _apply_user_keys(action, keys)
        elif context in action.aside:
            yield _apply_user_keys(action, keys)._replace(shown=False)


def is_fixed(action: Action) -> bool:
    """Whether the keys of an action cannot be changed."""
    return not action.keys or not _FIXED.isdisjoint(action.contexts)


def _apply_user_keys(action: Action, keys: Keys) -> Action:
    wanted = key_list(keys[action.id]) if action.id in keys and not is_fixed(action) else []
    return action._replace(keys=",".join(wanted), written=written_key(wanted[0])) if wanted else action


LIST_KEYS: Final = frozenset({"up", "down", "take", "filter"})
"""Actions of a menu, which binds their keys itself."""


def bindings(context: str, own: Iterable[Action] = ()) -> list[Binding]:
    """Make the bindings of a widget: `action_` methods of its own, for a context after the `own` actions of a game."""
    return [_make_binding(action, action.id) for action in list_actions(context, own) if action.keys]


def screen_bindings(context: str, without: Container[str] = ()) -> list[Binding]:
    """Make the bindings of a screen, to its `key_actions`: those of a context `without` what its widgets bind."""
    return [
        _make_binding(action, f"do({action.id!r})")
        for action in list_actions(context)
        if action.keys and action.id not in without
    ]


def _make_binding(action: Action, call: str) -> Binding:
    return Binding(
        action.keys,
        call,
        action.word,
        show=False,
        priority=action.priority,
        id=None if is_fixed(action) else action.id,
    )
