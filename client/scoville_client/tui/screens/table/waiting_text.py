"""Texts of the waiting room: what the table waits for, its options, and who watches."""

from collections.abc import Iterator, Mapping
from typing import Any

from scoville_client.i18n.clock_text import waiting_terms
from scoville_client.i18n.game_text import option_name
from scoville_client.i18n.language import render, tr
from scoville_client.i18n.name_text import with_mark
from scoville_client.i18n.option_text import STARTS, option_value, unusual_options, unusual_settings
from scoville_client.session.table.table import AtTable
from scoville_client.tui.screens.table.waiting_columns import Row


def table_rows(at: AtTable, usual: Mapping[str, Any]) -> Iterator[Row]:
    """Write the options of the game and of the table, those that are not the usual ones bright."""
    yield tr("This table"), "title"
    for key, value in at.info.options.items():
        if isinstance(value, bool | int):
            changed = key in usual and value != usual[key]
            yield (
                tr("{option}: {value}", option=option_name(at.info.game, key), value=option_value(value)),
                "text" if changed else "muted",
            )
    private = [tr("private")] * at.info.settings.private + [tr("with a password")] * at.info.locked
    own = [*private, *unusual_settings(at.info.settings)]
    if own:
        yield ", ".join(own), "text"
    yield from ((sentence, "muted") for sentence in waiting_terms(at.info.clock))


def terms(at: AtTable, usual: Mapping[str, Any]) -> Iterator[str]:
    """Write what is not as usual, in one sentence."""
    private = [tr("private")] * at.info.settings.private + [tr("with a password")] * at.info.locked
    own = [
        *private,
        *unusual_options(at.info.game, at.info.options, usual),
        *unusual_settings(at.info.settings),
    ]
    if own:
        yield tr("This table: {terms}.", terms=", ".join(own))


def spectators(at: AtTable) -> Iterator[str]:
    """Name those who watch."""
    if at.spectators:
        yield tr("Spectators: {names}.", names=_marked(at, at.spectators))
    if at.commentators:
        yield tr("Commentators, who see all hands: {names}.", names=_marked(at, at.commentators))


def _marked(at: AtTable, names: list[str]) -> str:
    return ", ".join(with_mark(name, claimed=name in at.claimed_audience) for name in names)


def awaited(at: AtTable) -> str:
    """Write what the table waits for, and what the user can do about it."""
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
    if at.seat is None:
        return tr("You are watching. {host} is the host and starts the game.", host=host)
    if start == "ready" and at.seat not in at.info.ready_seats:
        return tr("The game starts when everybody is ready. Press Enter when you are. {host} is the host.", host=host)
    if start != "host":
        return tr("The game starts {when}. {host} is the host.", when=render(STARTS[start]), host=host)
    if free:
        return tr("{host} is the host and starts the game; bots take the free seats.", host=host)
    return tr("{host} is the host and starts the game. Press Enter when you are ready.", host=host)
