"""Sessions of pages: the client of each visitor, as its page shows it."""

from collections.abc import Sequence

from scoville_client.doors.hosting.lines import HostedLines
from scoville_client.doors.hosting.session import HostedSession, Shared
from scoville_client.doors.hosting.terminal import Terminal, clamped
from scoville_client.doors.hosting.visitor import Visitor
from scoville_client.doors.upstream import Upstream
from scoville_client.doors.web.pages.key_row import key_row
from scoville_client.doors.web.pages.messages import File, Hello, KeyRow, Secret, Theme
from scoville_client.doors.web.pages.page_channel import PageChannel
from scoville_client.doors.web.site.site import Visit
from scoville_client.doors.web.token_link import TokenLink
from scoville_client.doors.web.visitors import Tokens
from scoville_client.session.identity.hosted import HostedIdentity
from scoville_client.session.start_options import Start
from scoville_client.transport.base import Link
from scoville_client.tui.actions import Action


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
            token, keep = self._tokens.get(who), lambda new: self._tokens.put(who, new)
            return TokenLink(self._upstream.link(clock), token, keep, secure=visit.secure)

        def show_keys(actions: Sequence[Action]) -> None:
            channel.send(KeyRow(key_row(actions)))

        address = str(visit.address)
        visitor = Visitor(
            Start(kind="join", host="localhost", code=hello.table),
            link,
            HostedIdentity(self._upstream.credential, "web", address, secure=visit.secure, clock=clock),
            address,
            address,
            on_keys=show_keys if hello.touch else None,
            on_theme=lambda light: channel.send(Theme(light)),
            offer_file=lambda name, text: channel.send(File(name, text)),
        )
        size = clamped((hello.columns, hello.rows))
        terminal = Terminal("xterm-256color", size, colours="true", language=visit.language, emoji=True, mouse=True)
        if hello.lines:
            return HostedLines(
                visitor,
                channel,
                terminal,
                self._shared,
                typed_on_terminal=False,
                hide=lambda wanted: channel.send(Secret(wanted)),
            )
        return HostedSession(visitor, channel, terminal, self._shared)
