"""Servers on the local network as text, and what to type where none is found."""

from scoville_client.i18n.language import choose_texts, tr
from scoville_outside import guard
from scoville_shared.announcement import Announcement
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import PROTOCOL

HOST = "scoville host"
"""The command that opens a table for others."""


def host_text(announcement: Announcement) -> str:
    """Name a server by the host of its table, else by its tables."""
    if announcement.name:
        return announcement.name
    return tr("Public table") if announcement.game else tr("Private tables")


def offer_text(announcement: Announcement) -> str:
    """Describe the table that a server announces: game, seats, whether it is locked."""
    if announcement.protocol != PROTOCOL:
        return tr("another version of Scoville")
    if not announcement.game:
        return tr("join with a table code")
    seats = tr("{taken} of {seats} seats", taken=announcement.taken, seats=announcement.seats)
    state = choose_texts({tr("playing"): announcement.playing, tr("password"): announcement.locked})
    return ", ".join([_game_title(announcement.game), seats, *state])


def in_a_row(announcement: Announcement) -> str:
    """Describe the same in few cells."""
    if announcement.protocol != PROTOCOL or not announcement.game:
        return offer_text(announcement)
    state = choose_texts({tr("playing"): announcement.playing, tr("password"): announcement.locked})
    return ", ".join([f"{_game_title(announcement.game)} {announcement.taken}/{announcement.seats}", *state])


def nothing_found() -> str:
    """Say what to type on which machine, in one line."""
    return f"{_nothing_found()}  {HOST}"


def nothing_found_rows() -> str:
    """Say the same with the command in a row of its own."""
    return f"{_nothing_found()}\n  {HOST}"


def _nothing_found() -> str:
    return tr("No server found on this network. On the computer of the host, type:")


def _game_title(slug: str) -> str:
    try:
        return guard.load_game(slug).info.title
    except ScovilleError:  # a game that is not installed here
        return slug
