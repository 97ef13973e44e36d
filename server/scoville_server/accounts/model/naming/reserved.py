"""Reserved names: those of the server and of roles, in the languages of the client, and those of bots."""

import re
import unicodedata
from functools import cache
from typing import Final

from scoville_server.accounts.model.naming.skeleton import looks, skeleton

BOTS: Final = ("Ada", "Emmy", "Alan", "Grace", "Kurt", "Sofia", "Blaise", "Hedy", "Niels", "Lise")
"""The bots are called "Bot Ada", and so on."""

_AUTHORITIES: Final = (
    "admin", "administrator", "moderator", "server", "system", "scoville-server",
    "Administratorin", "Moderatorin", "Serveradmin",
    "administrateur", "administratrice", "modérateur", "modératrice", "serveur", "système",
)  # fmt: skip
"""Words of authority that no name may contain: a user called so could ask others for passwords."""

_ROLES: Final = (
    "Scoville", "host", "spectator", "commentator", "dealer", "bot", "bots", "root", "mod", "operator", "sysop",
    "Gastgeber", "Gastgeberin", "Zuschauer", "Zuschauerin", "Kommentator", "Kommentatorin",
    "hôte", "hôtesse", "spectateur", "spectatrice", "commentateur", "commentatrice", "opérateur", "robot", "support",
)  # fmt: skip
"""No whole name is one of these."""

_WORDS: Final = re.compile(r"[\W_]+")
_NUMBER: Final = re.compile(r"\d+$")


def is_reserved(name: str) -> bool:
    """Return whether a name, or one that looks like it, belongs to the server, a role or a bot."""
    plain = unicodedata.normalize("NFKC", name)
    words = [word for word in _WORDS.split(plain) if word]
    drawn = [{*looks(word), *looks(_NUMBER.sub("", word) or word)} for word in words]
    whole = {*looks(plain), *looks(_NUMBER.sub("", plain) or plain)}
    return (
        not whole.isdisjoint(_authorities())
        or not _roles().isdisjoint(looks(plain))
        or any(not look.isdisjoint(_authorities()) for look in drawn)
        or any(skeleton("bot") in look for look in drawn[:1])
        or any(look.startswith(_bots()) for look in whole)
    )


@cache
def _authorities() -> frozenset[str]:
    return frozenset(map(skeleton, _AUTHORITIES))


@cache
def _roles() -> frozenset[str]:
    return frozenset(map(skeleton, _ROLES))


@cache
def _bots() -> tuple[str, ...]:
    return tuple(skeleton(f"bot {name}") for name in BOTS)
