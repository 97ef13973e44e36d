"""What is said: the lines of the lobby, of a table and of whispers, as far as they are known here."""

from scoville_client.session.changes import ChatReceived, Reacted
from scoville_client.session.reconnect import TEMPORARY
from scoville_client.session.requests import Ask, Tell
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
"""Lines of a channel that are kept, the latest: as many as the server keeps, and some more."""

LOBBY, WHISPERS = "lobby", "whisper"


def channel_of(line: MessageInfo) -> str:
    """Name the channel of a line: the lobby, whispers, or the table's id."""
    return line.table if line.channel == "table" else line.channel


class Chat:
    """The chat of one server. `unread` counts, by channel, the lines that came while nobody looked at it."""

    def __init__(self, ask: Ask, tell: Tell) -> None:
        self.unread: dict[str, int] = {}
        self.ignored: list[str] = []
        self._lines: dict[str, dict[int, MessageInfo]] = {}
        self._open: set[str] = set()
        self._ask = ask
        self._tell = tell

    def lines(self, channel: str) -> list[MessageInfo]:
        """List the lines of a channel, oldest first."""
        return [line for _, line in sorted(self._lines.get(channel, {}).items())]

    def look_at(self, channel: str) -> None:
        """Begin to look at a channel: nothing of it is unread any more."""
        self._open.add(channel)
        self.unread.pop(channel, None)

    def look_away(self, channel: str) -> None:
        """Look at it no longer."""
        self._open.discard(channel)

    async def say(self, text: str, *, table: str = "", to: str = "") -> MessageInfo:
        """Say something at a table, to somebody, or in the lobby; returns it as the others read it."""
        line = (await self._ask(SayRequest(text=text, table=table, to=to), SayReply)).line
        self._keep(line)
        self._tell(ChatReceived(line))
        return line

    async def react(self, table: str, reaction: Reaction) -> None:
        """Show a reaction at a table."""
        await self._ask(ReactRequest(table=table, reaction=reaction), Empty)

    async def read(self, channel: str) -> list[MessageInfo]:
        """Fetch what was said in a channel since the last line that is known, and list all of it."""
        await self._fetch(channel)
        return self.lines(channel)

    async def catch_up(self) -> None:
        """Fetch what was said while the line was down, where somebody has looked before, and tell it."""
        for channel in tuple(self._lines):
            try:
                missed = await self._fetch(channel)
            except ScovilleError as error:
                if error.code in TEMPORARY:
                    raise
                self.forget(channel)  # of a table that is gone, or whose door is shut
            else:
                for line in missed:
                    self._tell_new(line)

    def start_over(self) -> None:
        """Forget what was somebody else's: I am another person from now on."""
        self.ignored = []
        for channel in tuple(self._lines):
            self.forget(channel)

    async def _fetch(self, channel: str) -> list[MessageInfo]:
        """Ask for the lines after the last that is known; returns those that are new, oldest first.

        The last one is asked for again: where it is another line now, the server has begun to count anew.
        """
        kept = self._lines.setdefault(channel, {})
        last = max(kept, default=0)
        lines = await self._history(channel, max(0, last - 1))
        if any(line.n < last or (line.n == last and line.at_ms != kept[last].at_ms) for line in lines):
            kept.clear()
            lines = await self._history(channel, 0)
        return [line for line in lines if self._keep(line)]

    async def _history(self, channel: str, since: int) -> list[MessageInfo]:
        kind: Channel = "lobby" if channel == LOBBY else "whisper" if channel == WHISPERS else "table"
        asked = ReadChatRequest(channel=kind, table=channel if kind == "table" else "", since=since)
        return (await self._ask(asked, ReadChatReply)).lines

    async def ignore(self, name: str, *, ignored: bool = True) -> None:
        """Hear nothing of somebody any more, or hear them again."""
        await self._ask(IgnoreRequest(name=name, ignored=ignored), Empty)
        if ignored:
            for lines in self._lines.values():
                for n in [n for n, line in lines.items() if line.name == name]:
                    del lines[n]
        await self.read_ignored()

    async def read_ignored(self) -> list[str]:
        """Ask whom I ignore."""
        self.ignored = (await self._ask(IgnoredRequest(), IgnoredReply)).names
        return self.ignored

    async def mute(self, table: str, name: str, *, muted: bool = True) -> None:
        """Let somebody say nothing at my table any more, or again."""
        await self._ask(MuteRequest(table=table, name=name, muted=muted), Empty)

    def on_notice(self, notice: SaidNotice | ReactedNotice) -> None:
        """Take what somebody says or shows."""
        if isinstance(notice, ReactedNotice):
            self._tell(Reacted(notice.table, notice.name, notice.reaction))
        elif self._keep(notice.line):
            self._tell_new(notice.line)

    def _tell_new(self, line: MessageInfo) -> None:
        channel = channel_of(line)
        if channel not in self._open:
            self.unread[channel] = self.unread.get(channel, 0) + 1
        self._tell(ChatReceived(line))

    def forget(self, channel: str) -> None:
        """Drop what is known of a channel: the table has gone."""
        self._lines.pop(channel, None)
        self.unread.pop(channel, None)
        self._open.discard(channel)

    def _keep(self, line: MessageInfo) -> bool:
        """Keep a line, once; tells whether it is new."""
        kept = self._lines.setdefault(channel_of(line), {})
        new = line.n not in kept
        kept[line.n] = line
        while len(kept) > MOST_LINES:
            del kept[min(kept)]
        return new
