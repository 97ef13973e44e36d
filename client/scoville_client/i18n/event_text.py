"""Events of a table as phrases; each game has the text of its own facts."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from math import ceil
from typing import Any, Final, get_type_hints

from scoville_client.i18n.clock_text import day_and_time
from scoville_client.i18n.language import render, tr
from scoville_shared.engine.codec import CodecError
from scoville_shared.engine.contract import AnyGame
from scoville_shared.engine.phrases import Fields, Phrase, Who
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import (
    MOST_PAUSED_MS,
    AnyTableEvent,
    Closed,
    CountdownCancelled,
    CountdownStarted,
    Finished,
    HostTransferred,
    Joined,
    Kicked,
    Left,
    Paused,
    Played,
    ReadyChanged,
    RematchOpened,
    Resumed,
    SeatInfo,
    Started,
    StartVoided,
    TableEvent,
    VacationBegun,
    VacationEnded,
    Voted,
    VoteEnded,
    Warned,
)

NOTICED: Final = (Paused, Resumed, VoteEnded, Warned)
"""Events that the screen of a table shows as notices: they are no part of the game, and must be noticed."""

_PAUSE_ASKED = Phrase("{who} asks for a pause. It starts when every player has asked.")
_PAUSED = Phrase("{who} also asks for a pause: the game is paused.")
_PAUSE_OVER = Phrase("The pause is over: a rated game is paused for {n} minutes at most.")
_GOES_ON = Phrase("{who} resumes the game.")
_BOT_GOES_ON = Phrase("A bot resumes the game for {who}.")
_READY = Phrase("{who} is ready.")
_NOT_READY = Phrase("{who} is no longer ready.")
_STARTS = {
    "full": Phrase(
        "All seats are taken: the game starts in {n} second.",
        many="All seats are taken: the game starts in {n} seconds.",
    ),
    "ready": Phrase(
        "Everybody is ready: the game starts in {n} second.",
        many="Everybody is ready: the game starts in {n} seconds.",
    ),
    "fill": Phrase(
        "In {n} second bots take the free seats and the game starts.",
        many="In {n} seconds bots take the free seats and the game starts.",
    ),
}
_MISSING = Phrase("No random number came from {players}; the cards were dealt without it.")
_VOID = Phrase("The start is void: no random number came from {players}. New ones are drawn for the next start.")
_VOID_LEFT = Phrase("The start is void: {players} left. New random numbers are drawn for the next start.")
_VOTES = {
    True: Phrase("{who} votes to kick {player} ({agreed} of {needed})."),
    False: Phrase("{who} votes against kicking {player}."),
}
_VOTE_OPENED = Phrase("{who} starts a vote to kick {player} ({agreed} of {needed}).")
_VOTES_ENDED = {
    "rejected": Phrase("The vote to kick {player} has failed."),
    "expired": Phrase("The vote to kick {player} has failed: its time is over."),
    "left": Phrase("The vote is over: {player} has left."),
}
_WARNINGS = {
    "clock": Phrase("{who} has {n} second left.", many="{who} has {n} seconds left."),
    "absence": Phrase(
        "{who} is disconnected: a bot takes over in {n} second.",
        many="{who} is disconnected: a bot takes over in {n} seconds.",
    ),
}
_RESTS = Phrase("{who} is on vacation until {day}; that clock rests.")
_BACK = Phrase("{who} is back from vacation.")
_HOURS_LEFT = Phrase("{who} has {n} hour left.", many="{who} has {n} hours left.")
_HOUR_MS = 3_600_000


def fact_phrases(game: AnyGame, facts: Iterable[Any], seen_from: Seat | None) -> Iterator[Phrase | None]:
    """Yield the sentence of each fact; `seen_from` is the seat that was sent them, None for the public ones alone.

    A log has the names of all: "you" for a card that was drawn would be somebody else than the player of that card.
    """
    text = game.text
    return map(text.describe_fact if seen_from is None else partial(text.describe_fact_of, seen_from), facts)


def event_phrases(
    game: AnyGame,
    event: AnyTableEvent,
    seats: list[SeatInfo],
    facts: Iterable[Any] = (),
    *,
    seen_from: Seat | None = None,
    playing: bool = False,
    paused: bool = False,
) -> Iterator[Phrase]:
    """Yield the phrases of an event.

    Args:
        game: The game of the table.
        event: The event.
        seats: The seats after the event.
        facts: Its typed facts, as `known_facts` yields them.
        seen_from: The seat that was sent the facts, None if only what all see.
        playing: Whether it came during a game.
        paused: Whether that game is paused after it.
    """
    match event:
        case Joined() | Left():
            yield _seat_changed(event, playing=playing, paused=paused)
        case CountdownStarted() | CountdownCancelled() | Kicked() | HostTransferred() | ReadyChanged():
            yield from _table_phrases(event, seats)
        case Started():
            yield from _start_phrases(event, seats)
        case Played():
            yield from filter(None, fact_phrases(game, facts, seen_from))
        case Paused() | Resumed():
            yield _paused_or_resumed(event, seats)
        case _ if (write_phrase := _BY_THEMSELVES.get(type(event))) is not None:
            yield write_phrase(event)


def _paused_or_resumed(event: Paused | Resumed, seats: Sequence[SeatInfo]) -> Phrase:
    who: Fields = {"who": Who(Seat(event.seat))}
    if isinstance(event, Paused):
        return (_PAUSED if event.granted else _PAUSE_ASKED).with_fields(who)
    if event.reason == "over":
        return _PAUSE_OVER.with_fields({"n": MOST_PAUSED_MS // 60_000})
    return (_GOES_ON if seats[event.seat].kind == "human" else _BOT_GOES_ON).with_fields(who)


def _warning_phrase(event: Warned) -> Phrase:
    if event.reason == "clock" and event.acts_in_ms >= _HOUR_MS:
        n, phrase = round(event.acts_in_ms / _HOUR_MS), _HOURS_LEFT
    else:
        n, phrase = ceil(event.acts_in_ms / 1000), _WARNINGS[event.reason]
    return phrase.with_fields({"who": Who(Seat(event.seat)), "n": n}, n)


def _vacation_phrase(event: VacationBegun) -> Phrase:
    return _RESTS.with_fields({"who": Who(Seat(event.seat)), "day": day_and_time(event.until_ms)})


def _return_phrase(event: VacationEnded) -> Phrase:
    return _BACK.with_fields({"who": Who(Seat(event.seat))})


def _start_phrases(event: Started, seats: Sequence[SeatInfo]) -> Iterator[Phrase]:
    yield Phrase("The game starts: {players}.", {"players": [seat.name for seat in seats]})
    if event.missing:
        yield _MISSING.with_fields({"players": _players_at(event.missing)})


def _void_phrase(event: StartVoided) -> Phrase:
    return (_VOID if event.reason == "missing" else _VOID_LEFT).with_fields({"players": _players_at(event.missing)})


def _end_of_vote_phrase(event: VoteEnded) -> Phrase:
    return _VOTES_ENDED[event.reason].with_fields({"player": Who(Seat(event.against))})


def _vote_phrase(event: Voted) -> Phrase:
    vote = event.vote
    # The first vote is that of the user who starts it.
    opened = len(vote.agreed) + len(vote.refused) == 1
    fields: Fields = {
        "who": Who(Seat(event.seat)),
        "player": Who(Seat(vote.against)),
        "agreed": len(vote.agreed),
        "needed": vote.needed,
    }
    return (_VOTE_OPENED if opened else _VOTES[event.agree]).with_fields(fields)


def _players_at(seats: Sequence[int]) -> list[Who]:
    return [Who(Seat(seat)) for seat in seats]


def pause_text(pausing: Sequence[Seat], names: Sequence[str], *, seated: bool) -> str:
    """Return the notice of a paused game: the seats that asked for the pause, and for a player how to continue."""
    sentences = [tr("The game is paused.")]
    if pausing:
        players = Phrase("{players} asked for a pause.", {"players": [Who(seat) for seat in pausing]})
        sentences.append(render(players, names))
    if seated:
        sentences.append(tr("Press P to resume."))
    return " ".join(sentences)


def finish_phrase(result: Finished) -> Phrase:
    """Return who won; a tie shares a place."""
    winners = [Who(Seat(seat)) for seat, place in enumerate(result.places) if place == 1]
    fields: Fields = {"winners": winners, "score": max(result.scores[seat] for (seat,) in winners)}
    return Phrase(
        "The game is over. {winners} wins with {score}.",
        fields,
        many="The game is over. {winners} share the win with {score}.",
        number=len(winners),
    )


def standing_phrases(result: Finished, reasons: Sequence[Phrase | None] = ()) -> list[Phrase]:
    """Return the place and score of each seat, the winners first; `reasons` say by seat why they have their points."""
    ranked = sorted(range(len(result.places)), key=lambda seat: (result.places[seat], seat))
    return [_standing_phrase(result, seat, reasons[seat] if reasons else None) for seat in ranked]


def _standing_phrase(result: Finished, seat: int, reason: Phrase | None) -> Phrase:
    fields: Fields = {
        "place": result.places[seat],
        "who": Who(Seat(seat)),
        "score": result.scores[seat],
        "reason": reason,
    }
    return Phrase("{place}. {who}: {score}" if reason is None else "{place}. {who}: {score} ({reason})", fields)


def shared_result(title: str, result: Finished, names: Sequence[str], reasons: Sequence[Phrase | None] = ()) -> str:
    """Write a result for friends elsewhere: the game, then a line for each player."""
    return "\n".join([f"Scoville · {title}", *(render(phrase, names) for phrase in standing_phrases(result, reasons))])


def _table_phrases(
    event: Kicked | HostTransferred | ReadyChanged | CountdownStarted | CountdownCancelled, seats: list[SeatInfo]
) -> Iterator[Phrase]:
    """Yield the phrases of events around the game. Names are fixed, since another user may take the seat later."""
    match event:
        case Kicked(name=name, voted=True):
            yield Phrase("The players kick {name}: a bot takes over.", {"name": name})
        case Kicked(name=name, reason=None):
            yield Phrase("The host kicks {name}.", {"name": name})
        case Kicked(name=name, reason=reason):
            yield Phrase("The host kicks {name}: {reason}", {"name": name, "reason": reason})
        case HostTransferred(host=int(host)):
            yield Phrase("{who} is now the host.", {"who": _name_at(seats, host)})
        case ReadyChanged(seat=seat, ready=ready):
            yield (_READY if ready else _NOT_READY).with_fields({"who": _name_at(seats, seat)})
        case CountdownStarted() | CountdownCancelled():
            yield _countdown_phrase(event)


def _closing_phrase(event: Closed) -> Phrase:
    return Phrase("The table is closed. {reason}", {"reason": _CLOSED.get(event.cause or "", event.reason)})


def _rematch_phrase(event: RematchOpened) -> Phrase:
    return Phrase("{name} wants a rematch: all players have a seat.", {"name": event.by})


_CLOSED: Final = {
    "admin": Phrase("An admin closed it."),
    "moved": Phrase("The players have moved to another table."),
    "idle": Phrase("Nobody here has done anything for a long time."),
    "deserted": Phrase("Nobody has been here for a long time."),
    "unused": Phrase("Nobody came to this table of a tournament."),
    "time_over": Phrase("The time of this daily deal is over."),
    "game_failed": Phrase("The server cannot continue its game."),
    "not_member": Phrase("You are no longer a member of its club."),
}
"""Sentences for the causes that a server names: its `reason` is English."""


def _name_at(seats: list[SeatInfo], seat: int) -> str | Who:
    """Return the name at a seat; an open seat is named when the phrase is rendered."""
    return seats[seat].name or Who(Seat(seat))


def _countdown_phrase(event: CountdownStarted | CountdownCancelled) -> Phrase:
    if isinstance(event, CountdownCancelled):
        return Phrase("The countdown is cancelled.")
    seconds = ceil(event.starts_in_ms / 1000)
    return _STARTS[event.reason].with_fields({"n": seconds}, seconds)


def _seat_changed(event: Joined | Left, *, playing: bool, paused: bool) -> Phrase:
    if isinstance(event, Joined):
        return _join_text(event, playing=playing)
    return _leave_text(event, playing=playing, paused=paused)


def _leave_text(event: Left, *, playing: bool, paused: bool) -> Phrase:
    name: Fields = {"name": event.name}
    if not playing:
        return Phrase("{name} leaves the table.", name)
    if paused and not event.excused:
        return Phrase("{name} leaves: the game is paused.", name)
    if event.excused:
        return Phrase("{name} leaves, and the result counts as if they had stayed: a bot takes over.", name)
    if event.reason == "left":
        return Phrase("{name} leaves: a bot takes over.", name)
    if event.reason == "stalled":
        return Phrase("{name} has let the time run out again: a bot takes over.", name)
    return Phrase("{name} is away: a bot takes over.", name)


def _join_text(event: Joined, *, playing: bool) -> Phrase:
    place: Fields = {"name": event.name, "place": event.seat + 1}
    if playing:
        return Phrase("{name} is back.", {"name": event.name})
    return Phrase("{name} takes seat {place}.", place)


def known_facts(game: AnyGame, event: Played) -> Iterator[Any]:
    """Yield the typed facts of a move; facts of a later version of the game, or of no seat here, are skipped."""
    for fact in event.facts:
        try:
            known = game.codec.decode_fact(fact)
        # A fact that this version does not know names no seat that could be shown.
        except CodecError:
            continue
        seats = (getattr(known, field) for field in _seat_fields(type(known)))  # type: ignore[arg-type]
        if all(0 <= seat < len(event.move_counts) for seat in seats):
            yield known


@cache
def _seat_fields(kind: Any) -> tuple[str, ...]:
    """Name the fields of a fact that hold a seat."""
    return tuple(name for name, hint in get_type_hints(kind).items() if hint is Seat)


_BY_THEMSELVES: Final[Mapping[type[TableEvent], Callable[[Any], Phrase]]] = {
    Closed: _closing_phrase,
    Finished: finish_phrase,
    RematchOpened: _rematch_phrase,
    StartVoided: _void_phrase,
    VacationBegun: _vacation_phrase,
    VacationEnded: _return_phrase,
    Voted: _vote_phrase,
    VoteEnded: _end_of_vote_phrase,
    Warned: _warning_phrase,
}
"""The sentence of each event that says all that its sentence needs."""
