"""Browser door: listens, and hosts a client for each open page; one page per visitor.

`open_door` makes it of its arguments, with everything that it consists of.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from aiohttp import web

from scoville_client.doors.hosting.events import DoorRefusal
from scoville_client.doors.hosting.garbage import GarbageCollector
from scoville_client.doors.hosting.input_budget import InputBudgets
from scoville_client.doors.hosting.lines import HostedLines
from scoville_client.doors.hosting.metering import Meters
from scoville_client.doors.hosting.reporting import DoorFigures
from scoville_client.doors.hosting.session import HostedSession, Shared
from scoville_client.doors.hosting.session_limits import BACKLOG
from scoville_client.doors.hosting.start_gate import StartGate
from scoville_client.doors.hosting.terminal import Terminal, clamp_size
from scoville_client.doors.hosting.visitor import Visitor
from scoville_client.doors.upstream import Upstream
from scoville_client.doors.web.arguments import WebArguments
from scoville_client.doors.web.calendar import CalendarReader
from scoville_client.doors.web.certificate import DoorCertificate
from scoville_client.doors.web.connection import Connection, Listening
from scoville_client.doors.web.options import HEAD_BYTES, WebDoorOptions
from scoville_client.doors.web.origins import Origins
from scoville_client.doors.web.page import (
    End,
    File,
    Hello,
    Key,
    KeyRow,
    Page,
    PageChannel,
    PageSession,
    Secret,
    Theme,
    encode_message,
)
from scoville_client.doors.web.site.html_pages import COMMON, closed_policy, use_language
from scoville_client.doors.web.site.site import Site, WebVisit
from scoville_client.doors.web.visitors import TokenLink, Tokens, cookie_secret
from scoville_client.i18n.language import tr
from scoville_client.session.identity.hosted import HostedIdentity, Origin
from scoville_client.session.start_options import Start
from scoville_client.transport.base import Link
from scoville_client.tui.actions import Action
from scoville_runtime.clock import SYSTEM, Clock
from scoville_runtime.events import Events
from scoville_runtime.places import Places
from scoville_runtime.token_bucket import BucketsByKey
from scoville_shared.networks import Proxies, network_of_host, parse_network, write_peer


class _QuietHandler(web.RequestHandler):
    """Answers bytes that are no HTTP, and requests that fail, with the status alone."""

    def handle_error(
        self, request: web.BaseRequest, status: int = 500, exc: BaseException | None = None, message: str | None = None
    ) -> web.StreamResponse:
        """Return the response to a malformed request, without versions and details."""
        response = super().handle_error(request, status, exc, message)
        response.headers.update({**COMMON, "Content-Security-Policy": closed_policy(), "Server": "scoville"})
        if isinstance(response, web.Response):
            response.text = f"{status} {HTTPStatus(status).phrase}\n"
        return response


class QuietServer(web.Server):
    """Makes the protocol of each connection."""

    def __call__(self) -> web.RequestHandler:
        """Return the protocol of a connection."""
        return _QuietHandler(self, loop=self._loop, **self._kwargs)


_STOP_SECONDS: Final = 5.0
_STARTS_SECONDS: Final = 60.0
"""Seconds for which `WebLimits.starts_each` counts."""
_SILENT: Final = logging.getLogger("scoville.door.http")
"""In the place of aiohttp's own log: anybody can make it write lines, and the door logs the important events."""
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False

OpenSession = Callable[[WebVisit, Hello, PageChannel], PageSession]
"""Begins the session of a visitor; the visit has an identifier."""


# Decision 047: the page draws a terminal, so that every screen, board and translation exists once.
class WebDoor:
    """An HTTP server for pages. `port` is the one it listens on, once it is started."""

    def __init__(
        self, options: WebDoorOptions, open_session: OpenSession, clock: Clock = SYSTEM, events: Events | None = None
    ) -> None:
        self._options = options
        self._events = events or Events()
        self._open_session = open_session
        self._clock = clock
        limits = options.limits
        self._connections = Places(limits.connections, limits.connections_each)
        self._pages = Places(limits.pages, limits.pages_each)
        self._starts = BucketsByKey(limits.starts_each, limits.starts_each / _STARTS_SECONDS)
        self._open: dict[bytes, Page] = {}
        self._servers: list[asyncio.Server] = []
        self._http: web.Server | None = None
        self.port = options.port

    @property
    def sessions(self) -> int:
        """The number of users inside: pages with a session."""
        return len(self._open)

    # --- start and stop -------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Listen. Raises OSError."""
        options = self._options
        site = Site(options, self.serve_page, self._events)
        http = self._http = QuietServer(
            site.answer_request,
            access_log=None,
            logger=_SILENT,
            keepalive_timeout=options.limits.head_seconds,
            max_line_size=HEAD_BYTES,
            max_field_size=HEAD_BYTES,
            max_headers=64,
            lingering_time=1.0,
        )
        meters = Meters(self._clock)
        listening = Listening(
            http, options.proxies, self._connections, options.limits, meters, options.tls, self._clock
        )
        loop = asyncio.get_running_loop()
        for host in options.hosts:
            try:
                server = await loop.create_server(
                    lambda: Connection(listening), host or None, self.port, backlog=BACKLOG, reuse_address=True
                )
            except OSError:
                if not self._servers or ":" not in host:  # a machine without IPv6 listens on IPv4
                    await self.close()
                    raise
                continue
            self._servers.append(server)
            # With port 0 the first address has chosen a free one, and the others listen on the same.
            self.port = server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Stop listening, and end all sessions; their seats wait."""
        for server in self._servers:
            server.close()
        pages = list(self._open.values())
        for page in pages:
            page.end_session(End(tr("The door is being restarted."), retry=True))
        # A browser that does not close its page must not keep the door from ending.
        with suppress(TimeoutError):
            async with self._clock.limit(_STOP_SECONDS):
                await asyncio.gather(*(page.closed.wait() for page in pages))
        if self._http is not None:
            await self._http.shutdown(_STOP_SECONDS)
        self._servers.clear()

    # --- pages ----------------------------------------------------------------------------------------------

    async def serve_page(self, socket: web.WebSocketResponse, visit: WebVisit) -> None:
        """Serve the WebSocket of a page until its end."""
        use_language(visit.language)
        network, now = network_of_host(str(visit.address)), self._clock.seconds()
        if visit.visitor is None:
            self._report_refusal("no_cookie", visit)
            await _refuse_page(socket, End(tr("This page needs cookies: one keeps your seat."), tr("Try again")))
        elif not self._starts.find_bucket(network, now).take_if_enough(1, now):
            self._report_refusal("slow_down", visit)
            await _refuse_page(socket, End(tr("Too many sessions from your address. Wait a minute."), retry=True))
        elif not self._pages.take_place(network):
            self._report_refusal("too_many", visit)
            await _refuse_page(socket, End(tr("This door is full. The page tries again."), retry=True))
        else:
            try:
                await self._serve_visitor(socket, visit, visit.visitor)
            finally:
                self._pages.give_back(network)

    def _report_refusal(self, code: str, visit: WebVisit) -> None:
        self._events.report_event(DoorRefusal(code=code, address=write_peer(str(visit.address), 0)))

    async def _serve_visitor(self, socket: web.WebSocketResponse, visit: WebVisit, visitor: bytes) -> None:
        def open_session(hello: Hello, channel: PageChannel) -> PageSession:
            return self._open_session(visit, hello, channel)

        # Again after each wait: another window may have been opened in the meantime.
        while (older := self._open.get(visitor)) is not None:
            older.end_session(End(tr("Your seat is open in another window."), tr("Play here")))
            await older.closed.wait()
        page = Page(
            socket, open_session, self._options.limits, self._clock, visit.meter, lambda: self._open.pop(visitor)
        )
        self._open[visitor] = page
        await page.run_session()


async def _refuse_page(socket: web.WebSocketResponse, end: End) -> None:
    """Close a WebSocket with a reason."""
    try:
        await socket.send_str(encode_message(end))
    finally:
        await socket.close()


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
"""Bytes of a terminal for keys by Textual's names, but for those that the page's row always has."""


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

    def __call__(self, visit: WebVisit, hello: Hello, channel: PageChannel) -> HostedSession | HostedLines:
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
