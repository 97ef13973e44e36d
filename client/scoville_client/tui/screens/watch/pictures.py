"""Pictures for a television beside those of the games: no table yet, a waiting table, a finished game."""

from collections.abc import Sequence
from math import ceil

from scoville_client.i18n.event_text import finish
from scoville_client.i18n.language import render, tr
from scoville_client.session.table.table import AtTable
from scoville_client.tui.boards.television import BigSeat, Picture
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import Finished, SeatInfo

_FREE = Phrase("{n} seat is free.", many="{n} seats are free.")
_COUNTDOWN = Phrase("The game starts in {n} second.", many="The game starts in {n} seconds.")


def no_table(code: str, why: str) -> Picture:
    """Show that there is nothing to watch, and `why` if that is known."""
    sentence = why or (tr("Waiting for the table …") if code else tr("Waiting for a public table …"))
    return Picture("Scoville", (), sentence, headline=code)


def waiting(at: AtTable, code: str, ways: Sequence[str], now: float) -> Picture:
    """Show who has come, and how others join, at the time `now` (seconds, monotonic)."""
    free = sum(seat.kind == "open" for seat in at.info.seats)
    if at.starts_at is not None:
        left = max(0, ceil(at.starts_at - now))
        sentence = render(_COUNTDOWN.of({"n": left}, left))
    else:
        sentence = render(_FREE.of({"n": free}, free)) if free else tr("All seats are taken.")
    seats = [
        BigSeat(seat.name or tr("free seat"), note=_note(at, number, seat), leads=number in at.info.ready_seats)
        for number, seat in enumerate(at.info.seats)
    ]
    return Picture(at.game.info.title, seats, sentence, headline=at.info.code or code, asides=ways)


def finished(at: AtTable, result: Finished, rematch_by: str) -> Picture:
    """Show the places, the winners first, and whether a rematch is open."""
    order = sorted(range(len(result.scores)), key=lambda seat: (result.places[seat], seat))
    winners = [at.names[seat] for seat in order if result.places[seat] == 1]
    seats = [
        BigSeat(
            at.names[seat],
            str(result.scores[seat]),
            f"{result.places[seat]}.",
            "muted",
            leads=result.places[seat] == 1,
        )
        for seat in order
    ]
    asides = [tr("{name} wants a rematch.", name=rematch_by)] if at.next is not None and rematch_by else []
    heads = (tr("place"), tr("points"))
    sentence = render(finish(result), at.names)
    return Picture(at.game.info.title, seats, sentence, headline=", ".join(winners), asides=asides, heads=heads)


def _note(at: AtTable, number: int, seat: SeatInfo) -> str:
    away = seat.kind == "human" and not seat.connected
    notes = (
        [tr("host")] * (number == at.info.host) + [tr("away")] * away + [tr("ready")] * (number in at.info.ready_seats)
    )
    return "   ".join(notes)
