"""Names as text: why the server refused one."""

from typing import Final

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


def with_mark(name: str, *, claimed: bool) -> str:
    """Return a name with the mark of claimed names behind it, if it is one."""
    return f"{name} {OWNED}" if claimed else name


def in_words(name: str, *, claimed: bool) -> str | Phrase:
    """Return a name with words behind it that say it is claimed, if it is: for lines that are read aloud."""
    return Phrase("{name} (claimed name)", {"name": name}) if claimed else name


def name_refused(why: NameRefusal, wanted: str, name: str) -> Phrase:
    """Return why the requested name was refused, and the name that the user has instead."""
    return _REFUSALS[why].with_fields({"wanted": wanted, "name": name})
