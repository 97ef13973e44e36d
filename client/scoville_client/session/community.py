"""Texts of the host about the server: its name, the message of the day and the rules, in the user's language."""

import zlib
from collections.abc import Sequence

from scoville_client.i18n.language import current_language, tr
from scoville_client.i18n.own_words import quote_server
from scoville_client.session.changes import Request
from scoville_shared.protocol.messages import (
    LINE_CHARACTERS,
    MOTD_LINES,
    RULES_LINES,
    SERVER_NAME_CHARACTERS,
    CommunityInfo,
    DescribeServerReply,
    DescribeServerRequest,
    TextByLanguage,
)


class Community:
    """The server's introduction, cut to what the protocol allows, whatever a server sends. `request` sends requests.

    Attributes:
        info: As the server sent it with the reply to `hello`.
    """

    def __init__(self, request: Request) -> None:
        self._request = request
        self.info = CommunityInfo()

    @property
    def name(self) -> str:
        """The name of the server, empty if its host has given none."""
        return (self.info.name or "")[:SERVER_NAME_CHARACTERS]

    @property
    def motd(self) -> Sequence[str]:
        """The lines of the message of the day."""
        return lines_of(self.info.motd, MOTD_LINES)

    def list_introduction(self) -> Sequence[str]:
        """List the name and the message of the day, as lines that say whose words they are."""
        name = [tr("This server is called {name}.", name=self.name)] if self.name else []
        return [*name, *map(quote_server, self.motd)]

    @property
    def motd_mark(self) -> str:
        """Tells this message of the day from others, in all languages together; empty without one."""
        texts = (self.info.motd.en, self.info.motd.de, self.info.motd.fr)
        return f"{zlib.crc32(repr(texts).encode()):08x}" if any(texts) else ""

    async def read_texts(self) -> DescribeServerReply:
        """Request the name, the message of the day and the rules as they are now. Raises as `Request` does."""
        texts = await self._request(DescribeServerRequest(), DescribeServerReply)
        self.info = CommunityInfo(name=texts.name, motd=texts.motd, has_rules=texts.rules != TextByLanguage())
        return texts


def rules_lines(texts: DescribeServerReply) -> Sequence[str]:
    """Return the lines of the rules in the user's language."""
    return lines_of(texts.rules, RULES_LINES)


def lines_of(text: TextByLanguage, most: int) -> Sequence[str]:
    """Return the lines of a text in the user's language, else in the one that is for all."""
    own = {"de": text.de, "fr": text.fr}.get(current_language(), text.en)
    return [line[:LINE_CHARACTERS] for line in (own or text.en)[:most]]
