"""Site: what each HTTP request is answered with."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Final, NamedTuple

from aiohttp import web

from scoville_client.doors.hosting.events import DoorRefusal
from scoville_client.doors.hosting.metering import Meter, run_charged
from scoville_client.doors.web.connection import Connection
from scoville_client.doors.web.options import INPUT_FRAME, WebDoorOptions
from scoville_client.doors.web.origins import names_this_computer
from scoville_client.doors.web.site.html_pages import (
    COMMON,
    Asset,
    Assets,
    closed_policy,
    content_policy,
    main_page,
    preferred_language,
    text_page,
)
from scoville_client.doors.web.visitors import COOKIE_SECONDS, Cookies, cookie_name
from scoville_client.i18n.language import written_here
from scoville_client.transport.base import LinkError
from scoville_runtime.events import Events
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.networks import Address, network_of_host, write_peer
from scoville_shared.protocol.messages import CALENDAR_PATH

LOG: Final = logging.getLogger("scoville.door")
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_UNKNOWN_HOST: Final = (
    "This door does not know the address {host}. Start it with --origin and the address that users type.\n"
)


_CALENDAR_END: Final = ".ics"
_LONGEST_SECRET: Final = 64


_OF_PROXIES: Final = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Real-IP")
"""Headers by which a proxy makes itself known."""


class WebVisit(NamedTuple):
    """Who opens a WebSocket.

    Attributes:
        visitor: The identifier in the cookie; None without a cookie of this door.
        address: The user's address, as the socket or a configured proxy says.
        secure: Whether nobody between the user and the door reads along: HTTPS, or this computer.
        language: The language of the browser.
        meter: The allowance of the connection.
    """

    visitor: bytes | None
    address: Address
    secure: bool
    language: str
    meter: Meter


Serve = Callable[[web.WebSocketResponse, WebVisit], Awaitable[None]]
"""Serves an open WebSocket until its end."""


class Site:
    """Answers requests.

    Args:
        options: How the door is reached, and which proxies it trusts.
        serve: Serves WebSockets.
        events: Takes the door's events.
    """

    def __init__(self, options: WebDoorOptions, serve: Serve, events: Events) -> None:
        self._origins = options.origins
        self._proxies = options.proxies
        self._cookies = Cookies(options.secret)
        self._serve = serve
        self._limits = options.limits
        self._text_commands = options.text_commands
        self._read_calendar = options.read_calendar
        self._assets = Assets()
        self._events = events

    async def answer_request(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer a request; a failure is one line in the log."""
        transport = request.transport
        connection = None if transport is None else transport.get_protocol()
        assert isinstance(connection, Connection), "requests come on connections of the door"
        connection.forget_limit()
        try:
            work = self._answer_path(request, connection)
            is_socket = request.path == "/socket"  # its messages are charged one by one
            response = await (work if is_socket else run_charged(work, connection.meter, connection.cpu))
        except (asyncio.CancelledError, ConnectionError):
            raise
        # A fault of one request must not end the door for all others.
        except Exception:
            LOG.exception("A request for %r failed", request.path[:80])
            response = _text_response(HTTPStatus.INTERNAL_SERVER_ERROR)
        finally:
            connection.expect_request()
        return response

    async def _answer_path(self, request: web.BaseRequest, connection: Connection) -> web.StreamResponse:
        if request.method not in {"GET", "HEAD"}:
            return _text_response(HTTPStatus.METHOD_NOT_ALLOWED, headers={"Allow": "GET, HEAD"})
        # Nothing here takes a body, and to read one would have to be bounded.
        if request.body_exists:
            return _text_response(HTTPStatus.BAD_REQUEST)
        is_secure = self._is_secure(request, connection)
        origin = self._origins.find_own_origin(request.headers.get("Host", ""), secure=is_secure)
        if origin is None:
            host = ascii(request.headers.get("Host", ""))[:80]
            return _text_response(HTTPStatus.MISDIRECTED_REQUEST, _UNKNOWN_HOST.format(host=host))
        if request.path == "/socket":
            return await self._open_socket(request, connection, secure=is_secure)
        if request.path.startswith(CALENDAR_PATH) and request.path.endswith(_CALENDAR_END):
            return await self._answer_calendar(request, connection)
        return self._answer_file(request, origin, secure=is_secure)

    async def _answer_calendar(self, request: web.BaseRequest, connection: Connection) -> web.Response:
        secret = request.path.removeprefix(CALENDAR_PATH).removesuffix(_CALENDAR_END)[:_LONGEST_SECRET]
        address = self._find_user(request, connection)
        try:
            text = await self._read_calendar(secret, "" if address is None else network_of_host(str(address)))
        except ScovilleError as error:
            known = error.code in (Code.NO_CALENDAR, Code.UNKNOWN_METHOD)
            return _text_response(HTTPStatus.NOT_FOUND if known else HTTPStatus.SERVICE_UNAVAILABLE)
        except LinkError:
            return _text_response(HTTPStatus.SERVICE_UNAVAILABLE, headers={"Retry-After": "60"})
        return web.Response(text=text, content_type="text/calendar", headers=_make_headers(closed_policy()))

    # --- pages and files ------------------------------------------------------------------------------------

    def _answer_file(self, request: web.BaseRequest, origin: str, *, secure: bool) -> web.Response:
        language = preferred_language(request.headers.get("Accept-Language", ""))
        if request.path == "/":
            return self._main_page(request, origin, language, secure=secure)
        if request.path == "/text":
            host = origin.partition("://")[2]
            html = text_page(self._assets.relative_base, language, self._text_commands(host))
            return self._answer_page(request, html, content_policy(origin, ""), language, secure=secure)
        if request.path == "/favicon.ico":
            return _asset_response(self._assets.files["icon.svg"], request)
        name = request.path.removeprefix(f"{self._assets.base}/")
        asset = None if name == request.path else self._assets.files.get(name)
        return _text_response(HTTPStatus.NOT_FOUND) if asset is None else _asset_response(asset, request)

    def _main_page(self, request: web.BaseRequest, origin: str, language: str, *, secure: bool) -> web.Response:
        nonce = secrets.token_urlsafe(16)
        html = main_page(self._assets.relative_base, language, nonce)
        return self._answer_page(request, html, content_policy(origin, nonce), language, secure=secure)

    def _answer_page(
        self, request: web.BaseRequest, html: str, policy: str, language: str, *, secure: bool
    ) -> web.Response:
        """Return a page that opens a WebSocket, with the cookie of its visitor."""
        response = _html_response(html, policy, written_here(language))
        name = cookie_name(secure=secure)
        cookie = request.cookies.get(name, "")
        if self._cookies.read_visitor(cookie) is None:
            cookie = self._cookies.make_cookie()
        # Set again at each visit, so that it lasts from the latest one on.
        response.set_cookie(
            name, cookie, max_age=COOKIE_SECONDS, path="/", secure=secure, httponly=True, samesite="Strict"
        )
        return response

    # --- the WebSocket --------------------------------------------------------------------------------------

    async def _open_socket(
        self, request: web.BaseRequest, connection: Connection, *, secure: bool
    ) -> web.StreamResponse:
        host, origin = request.headers.get("Host", ""), request.headers.get("Origin")
        address = self._find_user(request, connection)
        if address is None or not self._origins.is_allowed(origin, host, secure=secure):
            peer = "" if address is None else write_peer(str(address), 0)
            self._events.report_event(DoorRefusal(code="origin", address=peer, detail=origin or ""))
            return _text_response(HTTPStatus.FORBIDDEN)

        socket = web.WebSocketResponse(
            timeout=self._limits.close_seconds,
            heartbeat=self._limits.pulse_seconds,
            max_msg_size=INPUT_FRAME,
            autoping=False,  # its answers would cost without being charged
            compress=False,  # strangers' texts and the user's own cards would share one dictionary
            writer_limit=65_536,
        )
        if not socket.can_prepare(request):
            return _text_response(HTTPStatus.UPGRADE_REQUIRED, headers={"Upgrade": "websocket"})
        socket.headers["Server"] = "scoville"
        await socket.prepare(request)
        cookie = request.cookies.get(cookie_name(secure=secure), "")
        language = preferred_language(request.headers.get("Accept-Language", ""))
        connection.charge_to(str(address))
        is_secure = secure or _from_here(request, address)
        await self._serve(
            socket, WebVisit(self._cookies.read_visitor(cookie), address, is_secure, language, connection.meter)
        )
        return socket

    # --- who asks -------------------------------------------------------------------------------------------

    def _find_user(self, request: web.BaseRequest, connection: Connection) -> Address | None:
        """Return the user's address; None for a connection that has none, such as a Unix socket's."""
        if connection.user is None:
            return None
        forwarded = request.headers.getall("X-Forwarded-For", [])
        return self._proxies.user_of(connection.user, forwarded)

    def _is_secure(self, request: web.BaseRequest, connection: Connection) -> bool:
        """Whether the user came by HTTPS: to this door, or to a proxy that says so."""
        if connection.is_secure:
            return True
        said = request.headers.getall("X-Forwarded-Proto", [])
        return connection.peer in self._proxies and [word.strip().lower() for word in said] == ["https"]


def _from_here(request: web.BaseRequest, address: Address) -> bool:
    """Whether the browser runs on this computer, with no proxy between, configured or not.

    A proxy on this computer may say nothing of itself: then its visitors' browsers still name another host in Origin,
    which it cannot change, or in Host.
    """
    named = [request.headers.get("Host", ""), request.headers.get("Origin", "").partition("://")[2]]
    return (
        address.is_loopback
        and all(map(names_this_computer, named))
        and not any(name in request.headers for name in _OF_PROXIES)
    )


def _make_headers(policy: str, more: Mapping[str, str] = {}) -> dict[str, str]:
    return {**COMMON, "Content-Security-Policy": policy, "Server": "scoville", "Cache-Control": "no-store", **more}


def _html_response(text: str, policy: str, language: str) -> web.Response:
    headers = _make_headers(policy, {"Content-Language": language, "Vary": "Accept-Language, Cookie"})
    return web.Response(text=text, content_type="text/html", headers=headers)


def _text_response(status: HTTPStatus, text: str = "", headers: Mapping[str, str] = {}) -> web.Response:
    text = text or f"{status.value} {status.phrase}\n"
    return web.Response(status=status, text=text, headers=_make_headers(closed_policy(), headers))


def _asset_response(asset: Asset, request: web.BaseRequest) -> web.Response:
    accepts = "gzip" in request.headers.get("Accept-Encoding", "")
    more = {"Cache-Control": _FOR_EVER, "Content-Type": asset.kind, "Vary": "Accept-Encoding"}
    if accepts:
        more["Content-Encoding"] = "gzip"
    body = asset.compressed if accepts else asset.content
    return web.Response(body=body, headers=_make_headers(closed_policy(), more))
