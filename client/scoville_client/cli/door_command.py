"""The command `door`: ways to play for users without an installation."""

from argparse import SUPPRESS, ArgumentParser, Namespace
from pathlib import Path
from typing import Final

from scoville_client.cli import argument_types as types
from scoville_client.i18n.language import tr
from scoville_client.transport.address import Address, parse_port

SSH_PORT: Final = 2222
_IDLE_MINUTES: Final = 60


def add_doors(parser: ArgumentParser, language: ArgumentParser) -> None:
    """Add the kinds of doors to the command, each with the options of `language`."""
    kinds = parser.add_subparsers(dest="door", metavar="KIND", required=True)
    text = tr("let users play by ssh, without an installation")
    _add_ssh(kinds.add_parser("ssh", parents=[language], help=text, description=f"{text[0].upper()}{text[1:]}."))


def _add_ssh(ssh: ArgumentParser) -> None:
    ssh.add_argument(
        "server",
        metavar="SERVER",
        type=types.checked(_place),
        help=tr("the server: the path of its socket for doors, or HOST[:PORT]#PIN"),
    )
    ssh.add_argument(
        "--credential",
        type=Path,
        metavar="FILE",
        help=tr("the file by which the server believes the door; beside the socket if not given"),
    )
    ssh.add_argument("--listen", default="", metavar="ADDRESS", help=tr("the address to listen on; all if not given"))
    ssh.add_argument(
        "--port",
        type=types.checked(lambda text: parse_port(text, lowest=0)),
        default=SSH_PORT,
        help=tr("the port to listen on, {port} if not given; 0 picks any free port", port=SSH_PORT),
    )
    ssh.add_argument(
        "--host-key", type=Path, metavar="FILE", help=tr("the door's own key, made at the first start and kept")
    )
    ssh.add_argument(
        "--workers",
        type=types.whole_number(1, 64),
        default=1,
        metavar="N",
        help=tr("number of processes that share the port; each serves 25 to 40 players"),
    )
    ssh.add_argument(
        "--idle",
        type=types.whole_number(1, 10_080),
        default=_IDLE_MINUTES,
        metavar="MINUTES",
        help=tr("minutes without a key after which a session ends, {n} if not given", n=_IDLE_MINUTES),
    )
    ssh.add_argument("--supervised", action="store_true", help=SUPPRESS)


def _place(text: str) -> Path | Address:
    """Parse the server of a door; imported here, because every command builds this parser."""
    from scoville_client.doors.upstream import parse_upstream

    return parse_upstream(text)


def run(asked: Namespace) -> int:
    """Run a door."""
    from scoville_client.doors.ssh.main import DoorArguments
    from scoville_client.doors.ssh.main import run as run_ssh

    place = asked.server
    beside = place.parent if isinstance(place, Path) else Path()
    return run_ssh(
        DoorArguments(
            place,
            asked.credential or beside / "door.credential",
            asked.listen,
            asked.port,
            asked.host_key or _usual_host_key(),
            asked.workers,
            60.0 * asked.idle,
            asked.supervised,
        )
    )


def _usual_host_key() -> Path:
    """Return the default file of the host key, inside the user's data folder of this system."""
    from platformdirs import user_data_path

    return user_data_path("scoville", appauthor=False) / "ssh_host_key"
