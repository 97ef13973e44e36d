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
"""Whoever is called so could ask for passwords: no word of a name is one of these."""

_ROLES: Final = (
    "Scoville", "host", "spectator", "commentator", "dealer", "bot", "bots", "root", "mod", "operator", "sysop",
    "Gastgeber", "Gastgeberin", "Zuschauer", "Zuschauerin", "Kommentator", "Kommentatorin",
    "hôte", "hôtesse", "spectateur", "spectatrice", "commentateur", "commentatrice", "opérateur", "robot", "support",
)  # fmt: skip
"""No name consists of these alone."""

_WORDS: Final = re.compile(r"[\W_]+")
_NUMBER: Final = re.compile(r"\d+$")


def is_reserved(name: str) -> bool:
    """Return whether a name, or one that looks like it, belongs to the server, a role or a bot."""
    plain = unicodedata.normalize("NFKC", name)
    words = [word for word in (_NUMBER.sub("", part) for part in _WORDS.split(plain)) if word]
    drawn = [{*looks(word)} for word in words]
    whole = {look for form in (plain, "".join(words)) for look in looks(form)}
    authorities, roles, bot = _authorities(), _roles(), skeleton("bot")
    return (
        not whole.isdisjoint(authorities | roles)
        or any(not look.isdisjoint(authorities) for look in drawn)
        or (bool(drawn) and all(not look.isdisjoint(roles) for look in drawn))
        or (bool(drawn) and bot in drawn[0])
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
