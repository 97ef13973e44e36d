"""Checks for options that have no effect together: they are refused, so that nothing typed is ignored silently."""

from argparse import Namespace

from scoville_client.i18n.language import tr
from scoville_client.session.start_options import DEFAULT_GAME

_OF_A_DEAL = {"game": "GAME", "players": "--players", "option": "--option", "seed": "--seed", "peppers": "--peppers"}
"""Arguments that an exported game determines."""
_WITHOUT_NAMES = ("demo", "verify", "arena", "replay", "review")
"""Commands in which no user takes a seat."""


def find_conflict(asked: Namespace, command: str) -> str | None:
    """Return which options have no effect, and why; None if all have one."""
    if command in _WITHOUT_NAMES and getattr(asked, "name", None):
        return tr("{option} has no effect with {command}; remove it.", option="--name", command=command)
    if command == "practice":
        return _of_practice(asked)
    if command == "watch" and asked.big and getattr(asked, "plain", False):
        return tr("{one} and {other} cannot be combined; choose one of them.", one="--big", other="--plain")
    if (
        command in ("join", "watch")
        and asked.plain_text
        and (asked.destination is None or asked.destination.address is None)
    ):
        return tr("--plain-text needs the address of a server.")
    if command == "host":
        return _of_ports(asked)
    return _of_replay(asked) if command == "replay" else None


def _of_ports(asked: Namespace) -> str | None:
    options = {"--port": asked.port, "--ssh": asked.ssh, "--web": asked.web}
    taken: dict[int, str] = {}
    for option, port in options.items():
        if port and (other := taken.setdefault(port, option)) is not option:
            return tr(
                "{one} and {other} need ports of their own (both have {port}).", one=other, other=option, port=port
            )
    return None


def _of_practice(asked: Namespace) -> str | None:
    if asked.origin is None:
        if asked.move or asked.seat:
            return tr("--move and --seat need a game to resume; name it with --from FILE.")
        return _of_peppers(asked)
    given = [option for name, option in _OF_A_DEAL.items() if getattr(asked, name) not in (None, [])]
    given += ["--clock"] * bool(asked.clock)
    if not given:
        return None
    return tr("--from FILE brings its own game, players, options and seed; remove {options}.", options=", ".join(given))


def _of_peppers(asked: Namespace) -> str | None:
    if asked.peppers is None or (asked.game or DEFAULT_GAME) in asked.peppers:
        return None
    return tr("{option} has no effect with {command}; remove it.", option="--peppers", command=asked.game)


def _of_replay(asked: Namespace) -> str | None:
    text = "--text" if asked.text else "--plain" if getattr(asked, "plain", False) else ""
    if text and asked.cast is not None:
        return tr("{one} and {other} cannot be combined; choose one of them.", one=text, other="--cast")
    if text and asked.pace is not None:
        return tr("{option} has no effect with {command}; remove it.", option="--pace", command=text)
    if asked.cast is not None and getattr(asked, "ascii", False):
        return tr("{option} has no effect with {command}; remove it.", option="--ascii", command="--cast")
    if asked.cast is not None and getattr(asked, "no_color", False):
        return tr("{option} has no effect with {command}; remove it.", option="--no-color", command="--cast")
    return None
