"""Every request of the protocol can be made in every front end: on the screens, in the chat and in the line mode."""

from collections.abc import Iterable

import pytest

from scoville_client.plain import command_table
from scoville_client.session.commands import registry
from scoville_client.session.commands.command import Command
from scoville_client.tui.actions import ACTIONS
from scoville_shared.protocol.messages import METHODS

AUTOMATIC = {
    "hello": "every connection begins with it",
    "ping": "the heartbeat sends it",
    "table.read_move": "sent with a typed move of a game that is not installed here",
    "game.describe": "sent when a server has games that are not installed here",
    "table.reveal": "the fair deal sends it when the server asks rightly",
    "lobby.unwatch": "no front end leaves the lobby without leaving the server",
    "account.save_settings": "sent when a hosted user changes a setting",
    "account.show_settings": "a door reads them in the reply to hello",
    "door.report": "processes of doors send it by themselves",
    "door.read_calendar": "the browser door sends it for calendar programs",
    "table.poll": "for programs that cannot receive notices",
    "table.moves": "for programs that have no rules; clients ask their View",
}
"""Requests that no front end offers, each with its reason."""

_PASSWORD = "asks for a password or an SSH key, which a line of the chat cannot hide; the account screen does"
NOT_IN_CHAT = {
    "account.claim_name": _PASSWORD,
    "account.login": _PASSWORD,
    "account.login_by_key": _PASSWORD,
    "account.challenge": _PASSWORD,
    "account.confirm": _PASSWORD,
    "account.recover": _PASSWORD,
    "account.change_password": _PASSWORD,
    "account.add_key": _PASSWORD,
    "account.remove_key": _PASSWORD,
    "account.add_door_key": _PASSWORD,
    "account.release_name": _PASSWORD,
    "account.delete": _PASSWORD,
    "table.play": "moves are made on the board",
    "table.export": "files are saved by a key of the result",
    "table.look_back": "the board shows the past",
    **dict.fromkeys(("puzzle.show", "puzzle.pose", "puzzle.answer"), "puzzles are solved on the board"),
}
NOT_IN_LINES = {
    "table.look_back": "the line mode writes what has happened while the user was away, with the snapshot's events",
}
IN_LINES = {"table.play": "a line that is no command is a move"}
ON_SCREENS = {
    "table.play": "the keys of the boards",
    "table.look_back": "the board asks for it when the user looks at what they have missed",
}


def sent_by(commands: Iterable[Command]) -> set[str]:
    """Return the methods that commands declare."""
    names = {method.params: name for name, method in METHODS.items()}
    return {names[params] for command in commands for params in command.sends}


@pytest.mark.parametrize("method", sorted(METHODS.keys() - AUTOMATIC))
def test_the_line_mode_sends_every_request(method: str) -> None:
    assert method in sent_by(command_table.COMMANDS) | IN_LINES.keys() | NOT_IN_LINES.keys()


@pytest.mark.parametrize("method", sorted(METHODS.keys() - AUTOMATIC))
def test_the_chat_sends_every_request(method: str) -> None:
    assert method in sent_by(registry.COMMANDS) | NOT_IN_CHAT.keys()


@pytest.mark.parametrize("method", sorted(METHODS.keys() - AUTOMATIC))
def test_the_screens_send_every_request(method: str) -> None:
    by_keys = {name for action in ACTIONS for name in action.commands}
    commands = [command for command in command_table.COMMANDS if command.names[0] in by_keys]
    # The palette lists the commands of the registry that no key does.
    assert method in sent_by([*commands, *registry.COMMANDS]) | ON_SCREENS.keys()


def test_no_exception_is_out_of_date() -> None:
    assert not AUTOMATIC.keys() & sent_by(command_table.COMMANDS)
    assert not NOT_IN_CHAT.keys() & sent_by(registry.COMMANDS)
    assert not (NOT_IN_LINES.keys() | IN_LINES.keys()) & sent_by(command_table.COMMANDS)
    assert {*AUTOMATIC, *NOT_IN_CHAT, *NOT_IN_LINES, *IN_LINES, *ON_SCREENS} <= METHODS.keys()


def test_keys_name_commands_that_exist() -> None:
    known = {command.names[0] for command in command_table.COMMANDS}
    assert {name for action in ACTIONS for name in action.commands} <= known
