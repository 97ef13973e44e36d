"""Chat messages of the lobby, of tables and of whispers, as far as this client has received them."""

from scoville_client.session.changes import ChatReceived, Publish, Reacted, Request
from scoville_client.session.link import TEMPORARY
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import (
    Channel,
    Empty,
    IgnoredReply,
    IgnoredRequest,
    IgnoreRequest,
    MessageInfo,
    MuteRequest,
    ReactedNotice,
    Reaction,
    ReactRequest,
    ReadChatReply,
    ReadChatRequest,
    SaidNotice,
    SayReply,
    SayRequest,
)

MOST_LINES = 300
"""Messages kept per channel, the latest: some more than the server keeps."""

MOST_CHANNELS = 100
"""Channels kept; a server that invents tables has no more room."""

LOBBY, WHISPERS = "lobby", "whisper"


CLUB = "club/"
"""Beginning of the channels of clubs; the id follows."""


def channel_of_club(club: str) -> str:
    """Return the channel of a club."""
    return f"{CLUB}{club}"


def channel_of(line: MessageInfo) -> str:
    """Return the channel of a message: the lobby, whispers, that of a club, or the table's id."""
    if line.club is not None:
        return channel_of_club(line.club)
    return line.table if line.table is not None else line.channel


def _ask_for(channel: str, since: int) -> ReadChatRequest:
    if channel.startswith(CLUB):
        return ReadChatRequest(channel="club", club=channel.removeprefix(CLUB), since=since)
    kind: Channel = "lobby" if channel == LOBBY else "whisper" if channel == WHISPERS else "table"
    return ReadChatRequest(channel=kind, table=channel if kind == "table" else None, since=since)


class Chat:
    """The chat of one server. `unread` counts, by channel, the messages that came while the channel was not open."""

    def __init__(self, request: Request, publish: Publish) -> None:
        self.unread: dict[str, int] = {}
        self.ignored: list[str] = []
        self._lines: dict[str, dict[int, MessageInfo]] = {}
        self._open: set[str] = set()
        self._request = request
        self._publish = publish

    def lines_of(self, channel: str) -> list[MessageInfo]:
        """Return the messages of a channel, oldest first."""
        return [line for _, line in sorted(self._lines.get(channel, {}).items())]

    def known_names(self) -> set[str]:
        """Return the names of all who have written or received one of these messages."""
        lines = [line for kept in self._lines.values() for line in kept.values()]
        return {name for line in lines for name in (line.name, line.to) if name}

    def open_channel(self, channel: str) -> None:
        """Open a channel, and count everything in it as read."""
        self._open.add(channel)
        self.unread.pop(channel, None)

    def close_channel(self, channel: str) -> None:
        """Close a channel: new messages count as unread."""
        self._open.discard(channel)

    async def send_message(self, text: str, *, table: str = "", club: str = "", to: str = "") -> MessageInfo:
        """Send a message to a table, a club, a user or the lobby, and return it as the others receive it."""
        asked = SayRequest(text=text, table=table or None, club=club or None, to=to or None)
        line = (await self._request(asked, SayReply)).message
        self._keep_message(line)
        self._publish(ChatReceived(line))
        return line

    async def send_reaction(self, table: str, reaction: Reaction) -> None:
        """Show a reaction at a table."""
        await self._request(ReactRequest(table=table, reaction=reaction), Empty)

    async def read_channel(self, channel: str) -> list[MessageInfo]:
        """Fetch the messages of a channel since the last known one, and return all of them."""
        await self._fetch_new(channel)
        return self.lines_of(channel)

    async def catch_up(self) -> None:
        """Fetch and publish the messages that were missed, in the channels that have been read."""
        for channel in tuple(self._lines):
            try:
                missed = await self._fetch_new(channel)
            except ScovilleError as error:
                if error.code in TEMPORARY:
                    raise
                self.forget_channel(channel)  # the table is gone, or the user may no longer enter it
            else:
                for line in missed:
                    self._publish_new(line)

    def start_over(self) -> None:
        """Forget all messages: another user is logged in."""
        self.ignored = []
        for channel in tuple(self._lines):
            self.forget_channel(channel)

    async def _fetch_new(self, channel: str) -> list[MessageInfo]:
        """Fetch the messages after the last known one, and return the new ones, oldest first.

        The last known one is fetched again: if it differs, the server counts from 1 again.
        """
        kept = self._lines.setdefault(channel, {})
        last = max(kept, default=0)
        latest = kept.get(last)
        lines = await self._request_history(channel, max(0, last - 1))
        if any(
            line.number < last or (latest is not None and line.number == last and line.at_ms != latest.at_ms)
            for line in lines
        ):
            kept.clear()
            lines = await self._request_history(channel, 0)
        return [line for line in lines if self._keep_message(line)]

    async def _request_history(self, channel: str, since: int) -> list[MessageInfo]:
        return (await self._request(_ask_for(channel, since), ReadChatReply)).messages

    async def ignore_user(self, name: str, *, ignored: bool = True) -> None:
        """Ignore a user, or stop ignoring them."""
        await self._request(IgnoreRequest(name=name, ignored=ignored), Empty)
        if ignored:
            for lines in self._lines.values():
                # The server leaves out what they write from now on; these came before.
                for n in [n for n, line in lines.items() if line.name == name]:
                    del lines[n]
        await self.read_ignored()

    async def read_ignored(self) -> list[str]:
        """Request the list of ignored users."""
        self.ignored = (await self._request(IgnoredRequest(), IgnoredReply)).names
        return self.ignored

    async def mute_user(self, table: str, name: str, *, muted: bool = True) -> None:
        """Mute a user at this user's table, or unmute them."""
        await self._request(MuteRequest(table=table, name=name, muted=muted), Empty)

    def on_notice(self, notice: SaidNotice | ReactedNotice) -> None:
        if isinstance(notice, ReactedNotice):
            self._publish(Reacted(notice.table, notice.name, notice.reaction))
        elif self._keep_message(notice.message):
            self._publish_new(notice.message)

    def _publish_new(self, line: MessageInfo) -> None:
        channel = channel_of(line)
        if channel not in self._open:
            self.unread[channel] = self.unread.get(channel, 0) + 1
        self._publish(ChatReceived(line))

    def forget_channel(self, channel: str) -> None:
        """Forget the channel of a table that is closed or left."""
        self._lines.pop(channel, None)
        self.unread.pop(channel, None)
        self._open.discard(channel)

    def _keep_message(self, line: MessageInfo) -> bool:
        """Store a message once, and return whether it is new."""
        channel = channel_of(line)
        if channel not in self._lines and len(self._lines) >= MOST_CHANNELS:
            self.forget_channel(next(iter(self._lines)))
        kept = self._lines.setdefault(channel, {})
        new = line.number not in kept
        kept[line.number] = line
        # By the number: a history that was requested may come after newer messages.
        while len(kept) > MOST_LINES:
            del kept[min(kept)]
        return new
