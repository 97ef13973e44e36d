"""Names as text: why the server refused one."""

from typing import Final

from scoville_client.i18n.language import tr
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import NameRefusal

_REFUSALS: Final[dict[NameRefusal, Phrase]] = {
    "taken": Phrase("The name {wanted} is taken. You are {name}."),
    "lookalike": Phrase("The name {wanted} looks like one that is taken. You are {name}."),
    "reserved": Phrase("The name {wanted} is reserved. You are {name}."),
    "characters": Phrase("The name {wanted} has characters that are not allowed in names. You are {name}."),
    "scripts": Phrase("The name {wanted} mixes letters of different scripts. You are {name}."),
}


OWNED: Final = "✓"
"""Behind a claimed name, where there is no room for words."""


def with_mark(name: str, *, claimed: bool, moderator: bool = False) -> str:
    """Return a name followed by its marks: of a claimed name, and of a moderator of the server."""
    marked = f"{name} {OWNED}" if claimed else name
    return tr("{name} [mod]", name=marked) if moderator else marked


def in_words(name: str, *, claimed: bool, moderator: bool = False) -> str | Phrase:
    """Return a name with words behind it that say what `with_mark` shows: for lines that are read aloud."""
    if moderator:
        return Phrase("{name} (moderator of this server)", {"name": name})
    return Phrase("{name} (claimed name)", {"name": name}) if claimed else name


def name_refused(why: NameRefusal, wanted: str, name: str) -> Phrase:
    """Return why the requested name was refused, and the name that the user has instead."""
    return _REFUSALS[why].with_fields({"wanted": wanted, "name": name})
