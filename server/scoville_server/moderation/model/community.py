"""How a host introduces the server: its name, the message of the day and the rules, as clean lines."""

import re
from collections.abc import Iterator
from typing import Annotated, Final, NamedTuple

from msgspec import Meta, Struct

from scoville_shared.protocol.messages import (
    LINE_CHARACTERS,
    MOTD_LINES,
    RULES_LINES,
    SERVER_NAME_CHARACTERS,
    CommunityInfo,
    DescribeServerReply,
    TextByLanguage,
)
from scoville_shared.text import clean_text

FROM_FILE: Final = "file:"
"""Begins a text that is in a file of its own."""

_SEQUENCES: Final = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_].*?(?:\x07|\x1b\\|$)|.?)|\x9b[0-?]*[ -/]*[@-~]", re.DOTALL
)
"""Terminal sequences: without the whole of them, their letters would be left in the text."""


class CommunitySettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Texts about the server for its users."""

    name: Annotated[
        str, Meta(description="Name of the server, shown in the lobby and in window titles; up to 40 characters.")
    ] = ""
    motd: Annotated[
        str,
        Meta(
            description="Message of the day, up to 8 lines: each user sees it once after a change. In all languages "
            "that have none of their own below. A text that begins with file: names a file that holds it, such as "
            "file:/etc/scoville/motd.txt; a reload reads it again."
        ),
    ] = ""
    motd_de: Annotated[str, Meta(description="Message of the day for users who read German.")] = ""
    motd_fr: Annotated[str, Meta(description="Message of the day for users who read French.")] = ""
    rules: Annotated[
        str,
        Meta(description="Rules of the server, such as how its users treat each other: up to 100 lines, like motd."),
    ] = ""
    rules_de: Annotated[str, Meta(description="Rules of the server for users who read German.")] = ""
    rules_fr: Annotated[str, Meta(description="Rules of the server for users who read French.")] = ""
    password: Annotated[
        str,
        Meta(
            description="Password that the server asks newcomers for; empty for none. Users whom it knows need it no "
            "more. A text that begins with file: names a file that holds it."
        ),
    ] = ""
    moderators: Annotated[
        tuple[str, ...],
        Meta(
            description="Claimed names of moderators, who may warn, mute and kick users and resolve reports. Name them "
            "once they have claimed their names: the owner of the name is one."
        ),
    ] = ()
    claimed_names_only: Annotated[
        bool,
        Meta(
            description="Whether only users with a claimed name may play and chat. Guests can connect, look, claim "
            "their name and log in."
        ),
    ] = False


ONE_LINE: Final = ("password",)
"""The fields of texts of one line that may be in a file as well."""
TEXTS: Final = ("motd", "motd_de", "motd_fr", "rules", "rules_de", "rules_fr")
"""The fields of texts of several lines."""


def introduce_server(settings: CommunitySettings) -> CommunityInfo:
    """Return the texts that every user gets with the reply to `hello`."""
    described = describe_server(settings)
    return CommunityInfo(name=described.name, motd=described.motd, has_rules=described.rules != TextByLanguage())


def describe_server(settings: CommunitySettings) -> DescribeServerReply:
    """Return everything that the host says about the server."""
    return DescribeServerReply(
        name=clean_text(_SEQUENCES.sub("", settings.name))[:SERVER_NAME_CHARACTERS].rstrip() or None,
        motd=_clean_languages(settings.motd, settings.motd_de, settings.motd_fr, MOTD_LINES),
        rules=_clean_languages(settings.rules, settings.rules_de, settings.rules_fr, RULES_LINES),
    )


def _clean_languages(en: str, de: str, fr: str, most: int) -> TextByLanguage:
    return TextByLanguage(en=clean_lines(en)[:most], de=clean_lines(de)[:most], fr=clean_lines(fr)[:most])


def clean_lines(text: str) -> list[str]:
    """Return the lines of a text without anything that acts on a terminal, and without empty ones around them."""
    lines = [clean_text(line)[:LINE_CHARACTERS] for line in _SEQUENCES.sub("", text).splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines


class TooLong(NamedTuple):
    """A text that would be cut: the setting, what is wrong with it, and what is allowed."""

    field: str
    what: str
    allowed: str


def list_long_texts(settings: CommunitySettings) -> Iterator[TooLong]:
    """Yield the texts that are too long for users to see all of them."""
    if len(settings.name) > SERVER_NAME_CHARACTERS:
        yield TooLong("name", f"it has {len(settings.name)} characters", f"up to {SERVER_NAME_CHARACTERS} characters")
    for field in TEXTS:
        most = MOTD_LINES if field.startswith("motd") else RULES_LINES
        lines = getattr(settings, field).strip().splitlines()
        longest = max(map(len, lines), default=0)
        allowed = f"up to {most} lines of {LINE_CHARACTERS} characters"
        if len(lines) > most:
            yield TooLong(field, f"it has {len(lines)} lines", allowed)
        elif longest > LINE_CHARACTERS:
            yield TooLong(field, f"a line has {longest} characters", allowed)
