"""Reserved names: those of the server, of roles, of seats and of anybody, in the languages of the client; bots."""

import re
import unicodedata
from functools import cache
from typing import Final

from scoville_server.accounts.model.naming.skeleton import looks_of, skeleton

BOTS: Final = ("Ada", "Emmy", "Alan", "Grace", "Kurt", "Sofia", "Blaise", "Hedy", "Niels", "Lise")
"""The bots are called "Bot Ada", and so on."""

_AUTHORITIES: Final = (
    "admin", "administrator", "administration", "moderator", "moderation", "server", "system", "scoville-server",
    "staff", "referee", "umpire", "gamemaster",
    "Administratorin", "Moderatorin", "Serveradmin", "Spielleiter", "Spielleiterin", "Spielleitung",
    "Schiedsrichter", "Schiedsrichterin",
    "administrateur", "administratrice", "modérateur", "modératrice", "modération", "serveur", "système", "arbitre",
)  # fmt: skip
"""Words of authority that no name may contain: a user called so could ask others for passwords."""

_ROLES: Final = (
    "Scoville", "host", "spectator", "commentator", "dealer", "bot", "bots", "root", "mod", "mods", "operator", "sysop",
    "support", "owner", "official", "team", "help", "helpdesk", "game master", "console", "daemon",
    "Gastgeber", "Gastgeberin", "Zuschauer", "Zuschauerin", "Kommentator", "Kommentatorin", "Geber", "Geberin",
    "Betreiber", "Betreiberin", "Verwaltung", "Aufsicht", "Hilfe", "offiziell",
    "hôte", "hôtesse", "spectateur", "spectatrice", "commentateur", "commentatrice", "opérateur", "opératrice",
    "donneur", "donneuse", "propriétaire", "équipe", "aide", "officiel", "robot", "maître du jeu", "meneur de jeu",
)  # fmt: skip
"""No whole name is one of these."""

_ANYBODY: Final = (
    "you", "me", "nobody", "no one", "somebody", "someone", "anybody", "anyone", "everybody", "everyone", "all",
    "du", "ihr", "ich", "niemand", "jemand", "alle", "wir",
    "tu", "toi", "vous", "moi", "nous", "personne", "quelqu'un", "tous", "tout le monde",
)  # fmt: skip
"""What the clients and people call a player who is not named: "You take the card"."""

_PLACES: Final = (
    "seat", "chair", "player", "Platz", "Sitz", "Spieler", "Spielerin", "place", "siège", "joueur", "joueuse",
)  # fmt: skip
"""What the clients call a seat without a name, with a number or without: no name is one of these, as in "Seat 1"."""

_WORDS: Final = re.compile(r"[\W_]+")
_NUMBER: Final = re.compile(r"(?:\d+|(?<=[\W_])[liIoO|]+)[\W_]*$|^[\W_]*\d+")
"""The number of a seat, behind its word or before it; a stroke or a circle of its own is read as one."""


def is_reserved(name: str) -> bool:
    """Return whether a name, or one that looks like it, belongs to the server, a role or a bot."""
    plain = unicodedata.normalize("NFKC", name)
    words = [word for word in _WORDS.split(plain) if word]
    drawn = [{*looks_of(word), *looks_of(_NUMBER.sub("", word) or word)} for word in words]
    whole = {*looks_of(plain), *looks_of(_NUMBER.sub("", plain) or plain)}
    return (
        not whole.isdisjoint(_authorities())
        or not _roles().isdisjoint(looks_of(plain))
        or not whole.isdisjoint(_places())
        or any(not look.isdisjoint(_authorities()) for look in drawn)
        or any(skeleton("bot") in look for look in drawn[:1])
        or any(look.startswith(_bots()) for look in whole)
    )


@cache
def _authorities() -> frozenset[str]:
    return frozenset(map(skeleton, _AUTHORITIES))


@cache
def _roles() -> frozenset[str]:
    return frozenset(map(skeleton, (*_ROLES, *_ANYBODY)))


@cache
def _places() -> frozenset[str]:
    return frozenset(map(skeleton, _PLACES))


@cache
def _bots() -> tuple[str, ...]:
    return tuple(skeleton(f"bot {name}") for name in BOTS)
