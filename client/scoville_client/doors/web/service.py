"""Service: the browser door with everything that it consists of, from its arguments."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from msgspec.structs import replace

from scoville_client.doors.hosting.garbage import GarbageCollector
from scoville_client.doors.hosting.input_budget import InputBudgets
from scoville_client.doors.hosting.lines import HostedLines
from scoville_client.doors.hosting.reporting import DoorFigures
from scoville_client.doors.hosting.session import HostedSession, Shared
from scoville_client.doors.hosting.start_gate import StartGate
from scoville_client.doors.hosting.terminal import Terminal, clamp_size
from scoville_client.doors.hosting.visitor import Visitor
from scoville_client.doors.upstream import Upstream
from scoville_client.doors.web.arguments import WebArguments
from scoville_client.doors.web.calendar import CalendarReader
from scoville_client.doors.web.certificate import DoorCertificate
from scoville_client.doors.web.door import WebDoor
from scoville_client.doors.web.options import WebDoorOptions
from scoville_client.doors.web.origins import Origins
from scoville_client.doors.web.page import File, Hello, Key, KeyRow, PageChannel, Secret, Theme
from scoville_client.doors.web.site.site import Visit
from scoville_client.doors.web.visitors import Tokens, cookie_secret
from scoville_client.i18n.language import tr
from scoville_client.session.identity.hosted import HostedIdentity, Origin
from scoville_client.session.start_options import Start
from scoville_client.transport.base import Link, Listener
from scoville_client.tui.actions import Action
from scoville_runtime.events import Events
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.networks import Proxies, parse_network, write_peer
from scoville_shared.protocol.messages import HelloReply, HelloRequest, LoginReply, Params, Reply

_SENT: Final = {
    "space": " ",
    "question_mark": "?",
    "colon": ":",
    "slash": "/",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "plus": "+",
    "minus": "-",
    "shift+tab": "\x1b[Z",
    "backspace": "\x7f",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
}
"""What a terminal sends for keys by Textual's names, but for those that the page's row always has."""


def key_row(actions: Iterable[Action]) -> list[Key]:
    """Return a button for each action that has a key beyond those that every row has: arrows, Enter, Esc and Tab."""
    row: dict[str, Key] = {}
    for action in actions:
        first = action.keys.partition(",")[0]
        send = first if len(first) == 1 else _SENT.get(first, "")
        if send and send not in row:
            # Of a pair such as ← →, which share a row of the help, the button is the first.
            row[send] = Key(tr(action.written).partition(" ")[0], tr(action.word), send)
    return list(row.values())


class TokenLink:
    """A link that completes `hello` with the token of an earlier page, and passes on each later one.

    Args:
        link: The connection to the server.
        token: The token; empty for a new visitor.
        keep: Stores a token before it is used.
        secure: Whether nobody reads along between the visitor and the door.
    """

    def __init__(self, link: Link, token: str, keep: Callable[[str], object], *, secure: bool) -> None:
        self._link = link
        self._token = token
        self._keep = keep
        self._secure = secure

    @property
    def server_name(self) -> str:
        """The server's name in a sentence."""
        return self._link.server_name

    @property
    def server_keys(self) -> tuple[str, ...]:
        """The server's keys, as the door's connection proves them; none for a visitor whom others overhear."""
        return self._link.server_keys if self._secure else ()

    @property
    def local(self) -> bool:
        """Whether nothing that is sent can be overheard."""
        return self._link.local and self._secure

    @property
    def has_other_nodes(self) -> bool:
        """Whether the server has other nodes, of which one may take over."""
        return self._link.has_other_nodes

    def leave_node(self) -> None:
        """Try another node first when the link is opened next."""
        self._link.leave_node()

    async def open(self, listener: Listener) -> None:
        """Connect to the server. Raises LinkError."""
        await self._link.open(listener)

    async def call(self, params: Params) -> Reply:
        """Send a request and wait for its reply. Raises ScovilleError for a refusal, LinkError without an answer."""
        if isinstance(params, HelloRequest):
            return await self._say_hello(params)
        reply = await self._link.call(params)
        if isinstance(reply, LoginReply):
            self._keep(reply.token)
        return reply

    async def _say_hello(self, hello: HelloRequest) -> Reply:
        """Show the token; without it where the server refuses it on a connection that others overhear."""
        token = hello.token or self._token or None
        try:
            reply = await self._link.call(replace(hello, token=token))
        except ScovilleError as error:
            if error.code != Code.INSECURE or token is None:
                raise
            reply = await self._link.call(replace(hello, token=None))
        assert isinstance(reply, HelloReply), "a link answers hello with its reply"
        self._token = ""  # not before: a node that only waits for its turn has refused it, and has not used it up
        self._keep(reply.token)
        return reply

    async def close(self) -> None:
        """Close the connection; the listener is not called any more."""
        await self._link.close()


class HostedPages:
    """Opens the session of a page: called with the visit, the first message and the channel.

    Args:
        upstream: The server.
        tokens: The visitors' tokens.
        shared: State that all sessions share.
    """

    def __init__(self, upstream: Upstream, tokens: Tokens, shared: Shared) -> None:
        self._upstream = upstream
        self._tokens = tokens
        self._shared = shared

    def __call__(self, visit: Visit, hello: Hello, channel: PageChannel) -> HostedSession | HostedLines:
        """Begin a session."""
        clock, who = self._shared.clock, visit.visitor
        assert who is not None, "a page has a session once it has a cookie"

        def link() -> Link:
            token, keep = self._tokens.read_token(who), lambda new: self._tokens.keep_token(who, new)
            return TokenLink(self._upstream.make_link(clock), token, keep, secure=visit.secure)

        def show_keys(actions: Sequence[Action]) -> None:
            channel.send_message(KeyRow(key_row(actions)))

        address = str(visit.address)
        visitor = Visitor(
            Start(kind="join", host="localhost", code=hello.table),
            link,
            HostedIdentity(self._upstream.read_credential, Origin("web", address, secure=visit.secure), clock=clock),
            write_peer(address, 0),
            address,
            on_keys=show_keys if hello.touch else None,
            on_theme=lambda light: channel.send_message(Theme(light)),
            offer_file=lambda name, text: channel.send_message(File(name, text)),
        )
        size = clamp_size((hello.columns, hello.rows))
        terminal = Terminal("xterm-256color", size, colours="true", language=visit.language, emoji=True, mouse=True)
        if hello.lines:
            return HostedLines(
                visitor,
                channel,
                terminal,
                self._shared,
                typed_on_terminal=False,
                hide=lambda wanted: channel.send_message(Secret(wanted)),
            )
        return HostedSession(visitor, channel, terminal, self._shared)


async def open_door(
    arguments: WebArguments,
    upstream: Upstream,
    garbage: GarbageCollector,
    events: Events,
    certificate: DoorCertificate | None = None,
    figures: DoorFigures | None = None,
) -> WebDoor:
    """Open the door, with a certificate for HTTPS. Raises OSError, and ValueError with a sentence."""
    options = WebDoorOptions(
        cookie_secret(arguments.state),
        arguments.hosts,
        arguments.port,
        Origins(arguments.origins),
        Proxies([parse_network(each) for each in arguments.proxies]),
        certificate,
        text_commands=partial(text_commands, arguments.ssh_port),
        read_calendar=CalendarReader(upstream).read_file,
    )
    shared = Shared(
        StartGate(quiet_seconds=garbage.quiet_seconds),
        InputBudgets(),
        garbage,
        idle_seconds=arguments.idle_seconds,
        events=events,
        figures=figures or DoorFigures(),
    )
    door = WebDoor(options, HostedPages(upstream, Tokens(arguments.state / "visitors"), shared), events=events)
    await door.start()
    return door


def text_commands(ssh_port: int | None, host: str) -> list[str]:
    """Return the paragraph about the SSH door beside the page; `host` is the page's, perhaps with its port."""
    if ssh_port is None:
        return []
    name = urlsplit(f"//{host}").hostname or host
    return [tr("By ssh, without an installation: `{command}`", command=f"ssh -p {ssh_port} plain@{name}")]
