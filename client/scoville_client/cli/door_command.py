"""The command `door`: ways to play for users without an installation."""

import os
from argparse import SUPPRESS, ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from scoville_client.cli import argument_types as types
from scoville_client.cli.common_options import add_port, as_sentence, language_options
from scoville_client.cli.exit_status import FAILED, MISUSED
from scoville_client.i18n.language import tr
from scoville_client.output import complain
from scoville_client.transport.address import parse_port

if TYPE_CHECKING:
    from scoville_client.doors.hosting.process import LogOptions
    from scoville_client.doors.upstream import ServerAddresses

SSH_PORT: Final = 2222
WEB_PORT: Final = 8080
_IDLE_MINUTES: Final = 60


def add_doors(parser: ArgumentParser) -> None:
    """Add the kinds of doors to the command."""
    language = language_options()
    kinds = parser.add_subparsers(dest="door", metavar="KIND", required=True)
    ssh, web = (
        kinds.add_parser(name, parents=[language], help=text, description=as_sentence(text))
        for name, text in (
            ("ssh", tr("let users play by ssh, without an installation")),
            ("web", tr("let users play in a browser, without an installation")),
        )
    )
    _add_ssh(ssh)
    _add_web(web)


def _add_upstream(door: ArgumentParser) -> None:
    """Add the server and the credential."""
    door.add_argument(
        "server",
        metavar="SERVER",
        type=types.check_argument(_parse_server),
        help=tr("the server: the path of its socket for doors, or HOST[:PORT]#PIN, with further nodes behind commas"),
    )
    door.add_argument(
        "--credential",
        type=Path,
        metavar="FILE",
        help=tr("the file by which the server believes the door; beside the socket if not given"),
    )


def _add_idle(door: ArgumentParser) -> None:
    """Add the limit of idle sessions, and options that only a supervising process sets."""
    door.add_argument(
        "--idle",
        type=types.whole_number(1, 10_080),
        default=_IDLE_MINUTES,
        metavar="MINUTES",
        help=tr("minutes without a key after which a session ends, {n} if not given", n=_IDLE_MINUTES),
    )
    door.add_argument("--supervised", action="store_true", help=SUPPRESS)


def _add_log(door: ArgumentParser) -> None:
    """Add the options of the log, which are those of the server."""
    door.add_argument(
        "--log-level",
        choices=("warning", "notice", "info", "debug"),
        default="info",
        help=tr("the lowest level of the log; info if not given"),
    )
    door.add_argument(
        "--log-format",
        choices=("text", "json"),
        default="text",
        help=tr("the format of the log; json has one object per line, also for what is printed"),
    )
    door.add_argument(
        "--log-file",
        type=Path,
        metavar="FILE",
        help=tr("the file for the log, by default standard error; SIGUSR1 opens it again"),
    )


def _add_ssh(ssh: ArgumentParser) -> None:
    _add_upstream(ssh)
    ssh.add_argument("--listen", default="", metavar="ADDRESS", help=tr("the address to listen on; all if not given"))
    add_port(ssh, SSH_PORT)
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
    _add_idle(ssh)
    _add_log(ssh)


def _add_web(web: ArgumentParser) -> None:
    _add_upstream(web)
    web.add_argument(
        "--listen",
        action="append",
        metavar="ADDRESS",
        help=tr('the address to listen on, "" for all; only this computer if not given; can be repeated'),
    )
    add_port(web, WEB_PORT)
    web.add_argument(
        "--origin",
        action="append",
        type=types.check_argument(_parse_origin),
        metavar="URL",
        help=tr("an address of the page, such as https://cards.example; needed for names that the internet knows"),
    )
    web.add_argument(
        "--behind",
        action="append",
        type=types.check_argument(_parse_network),
        metavar="NETWORK",
        help=tr("address or network of a reverse proxy, which says where users come from; can be repeated"),
    )
    web.add_argument("--cert", type=Path, metavar="FILE", help=tr("the door's own certificate, for HTTPS"))
    web.add_argument("--key", type=Path, metavar="FILE", help=tr("the certificate's key, if it has a file of its own"))
    web.add_argument(
        "--ssh",
        type=types.check_argument(parse_port),
        metavar="PORT",
        help=tr("the port of an SSH door on the same host, which the page names for screen readers"),
    )
    web.add_argument(
        "--state", type=Path, metavar="DIR", help=tr("the folder that keeps who a browser is on the server")
    )
    _add_idle(web)
    _add_log(web)


def _parse_origin(text: str) -> str:
    """Parse the address of a page. Raises ValueError with a sentence."""
    from scoville_client.doors.web.origins import parse_origin

    try:
        return parse_origin(text)
    except ValueError:
        raise ValueError(tr("An address of a page looks like https://cards.example (got {text}).", text=text)) from None


def _parse_network(text: str) -> str:
    """Check the address of a proxy. Raises ValueError with a sentence."""
    from scoville_shared.networks import parse_network

    try:
        parse_network(text)
    except ValueError:
        raise ValueError(tr("A proxy is an address or a network such as 10.0.0.0/8 (got {text}).", text=text)) from None
    return text


def _parse_server(text: str) -> "Path | ServerAddresses":
    """Parse the server of a door; imported here, because every command builds this parser."""
    from scoville_client.doors.upstream import parse_upstream

    return parse_upstream(text)


def run_door(asked: Namespace) -> int:
    if fault := _check_upstream(asked):
        complain(fault)
        return FAILED
    return _run_web(asked) if asked.door == "web" else _run_ssh(asked)


def _run_web(asked: Namespace) -> int:
    from scoville_client.doors.web.arguments import WebArguments
    from scoville_client.doors.web.main import run_web_door as run_web

    if asked.key is not None and asked.cert is None:
        complain(tr("--key belongs to a certificate: name it with --cert."))
        return MISUSED
    if asked.cert is not None and asked.behind:
        complain(tr("A door behind a proxy leaves HTTPS to the proxy: use --cert or --behind, not both."))
        return MISUSED
    return run_web(
        WebArguments(
            asked.server,
            _find_credential(asked),
            tuple(asked.listen or ("127.0.0.1", "::1")),
            asked.port,
            tuple(asked.origin or ()),
            tuple(asked.behind or ()),
            asked.cert,
            asked.key,
            asked.state or _usual_folder() / "web",
            60.0 * asked.idle,
            asked.supervised,
            asked.ssh,
            _log_options(asked),
        )
    )


def _run_ssh(asked: Namespace) -> int:
    from scoville_client.doors.ssh.main import DoorArguments
    from scoville_client.doors.ssh.main import run_ssh_door as run_ssh

    return run_ssh(
        DoorArguments(
            asked.server,
            _find_credential(asked),
            asked.listen,
            asked.port,
            asked.host_key or _usual_folder() / "ssh_host_key",
            asked.workers,
            60.0 * asked.idle,
            asked.supervised,
            _log_options(asked),
        )
    )


def _log_options(asked: Namespace) -> "LogOptions":
    from scoville_client.doors.hosting.process import LogOptions

    return LogOptions(asked.log_level, asked.log_format, asked.log_file)


def _find_credential(asked: Namespace) -> Path:
    """Return the file of the credential, which a server writes beside its socket."""
    beside = asked.server.parent if isinstance(asked.server, Path) else Path()
    file: Path = asked.credential or beside / "door.credential"
    return file


def _check_upstream(asked: Namespace) -> str:
    """Return a sentence about a credential or a socket that this user may not use; empty if they may be used.

    One that is not there yet may come: a door may start before its server.
    """
    file = _find_credential(asked)
    try:
        file.open("rb").close()
    except FileNotFoundError:
        complain(
            tr("There is no credential {file} yet: until a server writes it, nobody can play here.", file=str(file))
        )
    except OSError as error:
        return tr(
            "The credential {file} cannot be read: {reason}.", file=str(file), reason=error.strerror or str(error)
        )
    if isinstance(asked.server, Path) and asked.server.exists() and not os.access(asked.server, os.W_OK):
        return tr(
            "The socket {path} may not be opened by this user: run the door as the server's user, or name a group for "
            "doors in the server's settings.",
            path=str(asked.server),
        )
    return ""


def _usual_folder() -> Path:
    """Return the user's data folder of this system."""
    from platformdirs import user_data_path

    return user_data_path("scoville", appauthor=False)
