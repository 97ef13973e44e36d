"""Request of an SSH user, parsed from the user name and the command of their `ssh`."""

import re
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from scoville_client.i18n.language import tr

Kind = Literal["screens", "lines", "rules", "help"]

_CODE: Final = re.compile(r"[a-z]{2,20}(-[a-z0-9]{1,20}){1,3}")
_RESUME: Final = "resume-"
_LONGEST_WORD: Final = 64
_MOST_WORDS: Final = 8


class SshRequest(NamedTuple):
    """A request for a screen, for lines or for a text.

    Attributes:
        kind: The screens, the line mode, the rules as text, or the help.
        table: Code of a table; empty for the lobby.
        resume: Resume code of an earlier session.
        name: Requested name.
        game: Game of the rules; empty for all.
        fault: The error in the command; empty for none.
    """

    kind: Kind = "screens"
    table: str = ""
    resume: str = ""
    name: str = ""
    game: str = ""
    fault: str = ""


def parse_request(user: str, command: str = "") -> SshRequest:
    """Return the request of a user name and a command. Other names mean nothing: ssh sends the computer's."""
    # Cut first: a stranger chooses the name, and it may be as long as a packet.
    user = user[: 2 * _LONGEST_WORD].lower()
    if user.startswith(_RESUME):
        request = SshRequest(resume=user.removeprefix(_RESUME))
    elif user == "plain":
        request = SshRequest(kind="lines")
    elif _CODE.fullmatch(user):
        request = SshRequest(table=user)
    else:
        request = SshRequest()
    return _parse_command(request, command.split()[:_MOST_WORDS])


def _parse_command(request: SshRequest, words: Sequence[str]) -> SshRequest:
    match [word[:_LONGEST_WORD] for word in words]:
        case []:
            return request
        case ["help" | "--help" | "-h" | "?", *_]:
            return request._replace(kind="help")
        case ["rules"]:
            return request._replace(kind="rules")
        case ["rules", game]:
            return request._replace(kind="rules", game=game)
        case ["plain", *rest]:
            return _parse_command(request._replace(kind="lines"), rest)
        case ["join", code, *rest]:
            return _parse_command(request._replace(table=code.lower()), rest)
        case ["resume", code, *rest]:
            return _parse_command(request._replace(resume=code.lower()), rest)
        case ["name", name, *rest]:
            return _parse_command(request._replace(name=name), rest)
        case [word, *_]:
            return request._replace(kind="help", fault=tr("There is no command {typed} here.", typed=repr(word)))
    raise AssertionError("every list of words is one of these")


def help_lines(port: int) -> list[str]:
    option = "" if port == 22 else f" -p {port}"
    ways = [
        (f"ssh{option} HOST", tr("open the lobby")),
        (f"ssh{option} brave-otter@HOST", tr("go to the table with this code")),
        (f"ssh{option} plain@HOST", tr("play in lines of text, for screen readers and pipes")),
        (f"ssh{option} -t HOST name Anna", tr("ask for a name")),
        (f"ssh{option} -t HOST join brave-otter", tr("the same as the user name brave-otter")),
        (f"ssh{option} resume-quiet-fox@HOST", tr("come back without a key")),
        (f"ssh{option} HOST rules", tr("read the rules; with the name of a game, only its rules")),
    ]
    width = max(len(typed) for typed, _ in ways)
    return [
        tr("Scoville, a card table. Your SSH key is your identity; without one you get a code to come back."),
        "",
        *(f"  {typed:<{width}}  {text}" for typed, text in ways),
    ]
