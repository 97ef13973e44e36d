"""Why the players of a finished game have their points: gains, their sums by kind, and what a bot says about it."""

from collections.abc import Sequence

from scoville_client.session.table.table import AtTable
from scoville_shared.engine.contract import Gain
from scoville_shared.engine.phrases import Fields, Phrase, Who
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import Played

CONTRADICTIONS = (LookupError, ValueError, TypeError, ArithmeticError, AssertionError, RuntimeError)
"""Exceptions of code that trusts facts which contradict each other."""


def count_gains(at: AtTable) -> list[list[Gain]]:
    """Return the gains of each seat, in their order, from all that was received of the game.

    There are none where they do not add up to the scores: of a spectator who came later, or from a hostile server.
    """
    result = at.result
    if result is None:
        return []
    turns = [at.facts_of(seen.event) for seen in at.deal.events if isinstance(seen.event, Played)]
    try:
        counted = list(at.game.text.count_points(turns))
    # A hostile server's facts may contradict each other.
    except CONTRADICTIONS:
        return []
    gains = [[gain for gain in counted if gain.seat == seat] for seat in range(len(result.scores))]
    sums = [sum(gain.points for gain in each) for each in gains]
    return gains if counted and sums == list(result.scores) else []


def explain_points(gains: Sequence[Gain]) -> Phrase | None:
    """Add up the gains of a seat by their kinds, such as "cards 71 − chips 18"; None without gains.

    What is taken off comes last, also where it came first in the game.
    """
    kinds: list[Phrase] = []
    for gain in gains:  # not a set: phrases have fields that cannot be hashed
        if gain.kind not in kinds:
            kinds.append(gain.kind)
    sums = [(kind, sum(gain.points for gain in gains if gain.kind == kind)) for kind in kinds]
    written: Phrase | None = None
    for kind, points in sorted(sums, key=lambda each: each[1] < 0):
        fields: Fields = {"before": written, "kind": kind, "points": abs(points)}
        if written is None:
            written = Phrase("{kind} {points}" if points >= 0 else "− {kind} {points}", fields)
        else:
            written = Phrase("{before} + {kind} {points}" if points >= 0 else "{before} − {kind} {points}", fields)
    return written


def explain_scores(at: AtTable) -> list[Phrase | None]:
    """Return for each seat why it has its points; nothing where nobody knows."""
    return [explain_points(gains) for gains in count_gains(at)]


def find_remark(at: AtTable) -> Phrase | None:
    """Return a bot's remark to the user after a game, with its name; None where no bot has anything to say.

    It speaks of what the user decided: where a bot or the clock moved for the user, it says nothing.
    """
    seat, events = at.seat, [seen.event for seen in at.deal.events]
    moves = [event for event in events if isinstance(event, Played)]
    if seat is None or any(each.seat == seat and each.mover != "player" for each in moves):
        return None
    people = {each.seat for each in moves if each.mover != "bot"}
    bots = [Seat(number) for number, info in enumerate(at.info.seats) if info.kind == "bot" and number not in people]
    if not bots or not any(count_gains(at)):
        return None
    try:
        said = next(iter(at.game.text.list_remarks([at.facts_of(each) for each in moves], seat, bots)), None)
    except CONTRADICTIONS:
        return None
    return None if said is None else _SAID.with_fields({"who": Who(said.seat), "remark": said.sentence})


_SAID = Phrase("{who}: {remark}")


def list_gains(at: AtTable) -> list[Phrase]:
    """Return for each seat a sentence with its gains one by one; nothing where nobody knows."""
    return [
        _GAINS.with_fields({"who": Who(Seat(seat)), "gains": list(map(_write_gain, gains))})
        for seat, gains in enumerate(count_gains(at))
        if gains
    ]


_GAINS = Phrase("{who}, one by one: {gains}.")


def _write_gain(gain: Gain) -> Phrase:
    fields: Fields = {"what": gain.what, "points": abs(gain.points)}
    return Phrase("+{points}: {what}" if gain.points >= 0 else "−{points}: {what}", fields)
