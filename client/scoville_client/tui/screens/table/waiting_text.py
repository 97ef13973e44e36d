"""Text of the waiting room: how others join, the settings of the table, who watches, and what is awaited."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from scoville_client.i18n.clock_text import waiting_terms
from scoville_client.i18n.game_text import game_tagline, option_name
from scoville_client.i18n.language import choose_texts, format_number, render, tr
from scoville_client.i18n.name_text import with_mark
from scoville_client.i18n.option_text import STARTS, option_value, unusual_options, unusual_settings
from scoville_client.session.joining.invitation import Invitation
from scoville_client.session.table.table import AtTable
from scoville_client.tui.screens.account.profile import record_text
from scoville_shared.protocol.messages import ProfileReply

INDENT: Final = "  "
"""Indent of a line that others type."""
Row = tuple[str, str]
"""Text, and the name of its style."""


def invitation_rows(invitation: Invitation) -> Iterator[Row]:
    """Write every way to join, what others type bright, the table code and the key of the QR code."""
    if not invitation.ways and not invitation.code:
        return
    yield tr("How others join"), "title"
    before = ""
    for way in invitation.ways:
        if way.title != before:
            yield way.title, "muted"
        yield f"{INDENT}{way.typed}", "strong"
        before = way.title
    if invitation.code:
        yield tr("Table code: {code}", code=invitation.code), "target"
    if invitation.qr_text:
        yield tr("I: QR code"), "muted"
    if invitation.note:
        yield invitation.note, "muted"


def table_rows(at: AtTable, usual: Mapping[str, Any]) -> Iterator[Row]:
    """Write the options of the game and of the table, those that are not the usual ones bright."""
    yield tr("This table"), "title"
    yield from ((line, "muted") for line in _option_lines(at))
    for key, value in () if at.by_sentences is not None else at.info.options.items():
        if isinstance(value, bool | int | str):
            changed = key in usual and value != usual[key]
            yield (
                tr(
                    "{option}: {value}",
                    option=option_name(at.info.game, key),
                    value=option_value(value, at.info.game, key),
                ),
                "text" if changed else "muted",
            )
    private = choose_texts({tr("private"): at.info.settings.private, tr("with a password"): at.info.locked})
    own = [*private, *unusual_settings(at.info.settings, at.info.clock, rated=at.info.rated)]
    if own:
        yield ", ".join(own), "text"
    yield from ((sentence, "muted") for sentence in waiting_terms(at.info.clock))


def unusual_terms(at: AtTable, usual: Mapping[str, Any]) -> Iterator[str]:
    """Write the unusual settings, in one sentence."""
    private = choose_texts({tr("private"): at.info.settings.private, tr("with a password"): at.info.locked})
    own = [
        *private,
        *(_option_lines(at) if at.by_sentences is not None else unusual_options(at.info.game, at.info.options, usual)),
        *unusual_settings(at.info.settings, at.info.clock, rated=at.info.rated),
    ]
    if own:
        yield tr("This table: {terms}.", terms=", ".join(own))


def _option_lines(at: AtTable) -> list[str]:
    """List the options as the server describes them, of a game that this client does not have."""
    terms = None if at.by_sentences is None else at.by_sentences.terms
    return [] if terms is None else terms.option_lines


def tagline_of(at: AtTable) -> str:
    """Return the game in one sentence, in the server's words if this client does not have it."""
    terms = None if at.by_sentences is None else at.by_sentences.terms
    return game_tagline(at.info.game) if terms is None else terms.tagline or ""


def spectator_sentences(at: AtTable) -> Iterator[str]:
    """Name those who watch."""
    if at.audience.spectators:
        yield tr("Spectators: {names}.", names=_mark_claimed(at, at.audience.spectators))
    if at.audience.commentators:
        yield tr("Commentators, who see all hands: {names}.", names=_mark_claimed(at, at.audience.commentators))


def _mark_claimed(at: AtTable, names: list[str]) -> str:
    return ", ".join(with_mark(name, claimed=name in at.audience.claimed) for name in names)


def awaited_text(at: AtTable) -> str:
    """Write the awaited players, and the user's next act."""
    free = any(seat.kind == "open" for seat in at.info.seats)
    if at.hosting:
        start = at.info.settings.start
        if start != "host":
            when = render(STARTS[start])
            return tr("The game starts {when}, or when you press Enter; bots take the free seats.", when=when)
        if free:
            return tr("Press Enter to start. Bots take the free seats.")
        return tr("All seats are taken. Press Enter to start.")
    return _awaited_by_guests(at, free=free)


def _awaited_without_host(at: AtTable) -> str:
    start, seated = at.info.settings.start, at.seat is not None
    if start == "full":
        when = tr(
            "This table has no host: the game starts {when}, or when everybody is ready.", when=render(STARTS[start])
        )
    else:
        when = tr("This table has no host: the game starts when everybody is ready.")
    return f"{when} {tr('Press Enter when you are ready.')}" if seated else when


def _awaited_by_guests(at: AtTable, *, free: bool) -> str:
    if at.info.settings.hostless:
        return _awaited_without_host(at)
    if at.info.host is None:
        return tr("All seats are free. The first player to take a seat starts the game.")
    host, start = at.names[at.info.host], at.info.settings.start
    if at.seat is None and start == "host":
        return tr("You are watching. {host} is the host and starts the game.", host=host)
    if at.seat is None:
        return tr(
            "You are watching. The game starts {when}. {host} is the host.", when=render(STARTS[start]), host=host
        )
    if start == "ready" and at.seat not in at.info.ready_seats:
        return tr("The game starts when everybody is ready. Press Enter when you are. {host} is the host.", host=host)
    if start != "host":
        return tr("The game starts {when}. {host} is the host.", when=render(STARTS[start]), host=host)
    if free:
        return tr("{host} is the host and starts the game; bots take the free seats.", host=host)
    return tr("{host} is the host and starts the game. Press Enter when you are ready.", host=host)


def career_text(profile: ProfileReply, game: str) -> str:
    """Write a player's record on this server: games won and finished, and the rating of the game."""
    won = record_text(profile)
    rating = next((each for each in profile.ratings if each.game == game), None)
    if rating is None:
        return won
    rank = "" if rating.rank is None else f", {tr('rank {n}', n=rating.rank)}"
    return f"{won} · {tr('rating {rating}', rating=format_number(rating.rating))}{rank}"
