"""Rules that refuse a name to every user."""

from typing import Literal

from scoville_server.accounts.model.naming.reserved import is_reserved
from scoville_server.accounts.model.naming.script_mix import is_restricted, mixes_digits, mixes_scripts

Refusal = Literal["reserved", "characters", "scripts"]


def check_permitted(name: str) -> Refusal | None:
    """Return why nobody may have a name (cleaned), or None.

    `reserved` belongs to the server, a role or a bot, or looks like it; `characters` has some that are out of place in
    names; `scripts` mixes letters or digits of several scripts.
    """
    if any(map(is_restricted, name)):
        return "characters"
    if mixes_scripts(name) or mixes_digits(name):
        return "scripts"
    return "reserved" if is_reserved(name) else None
