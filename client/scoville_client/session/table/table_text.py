"""Tables and seats as sentences."""

from collections.abc import Iterable, Iterator
from typing import Final

from scoville_client.i18n.language import choose_texts, render, tr
from scoville_client.i18n.option_text import bot_of_level
from scoville_client.i18n.table_text import list_table, seconds_of
from scoville_client.session.lobby import sits_at
from scoville_client.session.table.remaining_time import clock_face
from scoville_client.session.table.table import AtTable
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import GameInfo, SeatInfo, TableInfo

_MOST_WORDS: Final = 12
"""Words of a sentence about the settings of a table, unless a single fact has more."""


def describe_seen_table(at: AtTable) -> Iterable[Phrase]:
    """Describe the table as this user sees it; a commentator is not called "you"."""
    text, seat = at.game.text, at.point_of_view
    if at.seat is None and seat is not None:
        return text.describe_table_of(seat, at.view)
    return text.describe_table(at.view)


def describe_seen_hand(at: AtTable) -> Iterable[Phrase]:
    """Describe the hand that this user sees: their own, or that of the seat from which they watch."""
    text, seat = at.game.text, at.point_of_view
    if at.seat is None and seat is not None:
        return text.describe_hand_of(seat, at.view)
    return text.describe_hand(at.view)


def describe_table(table: TableInfo, games: Iterable[GameInfo]) -> str:
    """Return everything about a listed table: game, players, settings, this user's seat and the code."""
    row = list_table(table, {game.slug: game for game in games}, seconds_of(table.starts_in_ms))
    facts = [*_given_up(table), *row.terms]
    return tr(
        "{game}, {status}: {seats}. {facts}{place}",
        game=row.game,
        status=row.state,
        seats=", ".join(_seated_names(table)),
        facts="".join(f"{sentence} " for sentence in _as_sentences(facts)),
        place=tr("Code {code}.", code=table.code) if table.code else tr("Table {table}.", table=table.table),
    )


def describe_seat(at: AtTable, seat: int) -> str:
    """Return who sits at a seat, and their state."""
    info = at.info.seats[seat]
    notes = {
        tr("claimed name"): info.claimed,
        tr("you"): seat == at.seat,
        tr("host"): seat == at.info.host,
        tr("ready"): seat in at.info.ready_seats and at.info.status == "waiting",
    }
    name = [info.name] if info.name else []
    return ", ".join([*name, *choose_texts(notes), *_seat_state(info), *_time_left(at, seat)])


def _seated_names(table: TableInfo) -> list[str]:
    taken = [seat.name or "" for seat in table.seats if seat.kind != "open"]
    still_open = len(table.seats) - len(taken)
    return [*taken, render(_FREE.with_fields({"n": still_open}, number=still_open))] if still_open else taken


_FREE: Final = Phrase("{n} seat free", many="{n} seats free")


def _given_up(table: TableInfo) -> Iterator[str]:
    if table.your_seat is not None and not sits_at(table) and table.status == "playing":
        yield tr("a bot has your seat until you join")


def _as_sentences(facts: list[str]) -> Iterator[str]:
    """Write facts in sentences that are short enough to be heard."""
    said: list[str] = []
    for fact in facts:
        if said and _count_words([*said, fact]) > _MOST_WORDS:
            yield _as_sentence(said)
            said = []
        said.append(fact)
    if said:
        yield _as_sentence(said)


def _as_sentence(facts: list[str]) -> str:
    line = ", ".join(facts)
    return f"{line[0].upper()}{line[1:]}."


def _count_words(facts: list[str]) -> int:
    return sum(len(fact.split()) for fact in facts)


def _time_left(at: AtTable, seat: int) -> list[str]:
    left = clock_face(at, seat, at.now()) if at.info.status == "playing" else ""
    return [tr("{time} left", time=left)] if left else []


def _seat_state(seat: SeatInfo) -> list[str]:
    match seat:
        case SeatInfo(kind="open"):
            return [tr("free seat")]
        case SeatInfo(kind="bot"):
            return [bot_of_level(seat.level)]
        case SeatInfo(connected=False):
            return [tr("away")]
        case _:
            return []
