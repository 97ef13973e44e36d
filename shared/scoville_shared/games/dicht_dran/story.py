"""What happens in Dicht dran, a sentence a fact."""

from collections.abc import Iterator
from functools import singledispatch

from scoville_shared.engine.phrases import Fields, Phrase, Who
from scoville_shared.games.dicht_dran.facts import (
    Chosen,
    CycleEnd,
    CycleScored,
    Drew,
    DrewCards,
    Fact,
    FellInGap,
    LaidAway,
    Reshuffled,
    Revealed,
    RoundBegan,
    TargetWon,
    TookBack,
)
from scoville_shared.ids import Seat

_CYCLE_OVER = {
    CycleEnd.HAND_EMPTY: Phrase("Cycle {cycle} is over, a hand is empty. {scores}."),
    CycleEnd.PILE_EMPTY: Phrase("Cycle {cycle} is over, the draw pile is used up. {scores}."),
}

_TARGET_WON = Phrase(
    "{who} comes closest to {target} with {card} ({distance} away) and wins {peppers} pepper.",
    many="{who} comes closest to {target} with {card} ({distance} away) and wins {peppers} peppers.",
)

_TARGET_WON_BY_THE_HIGHER = Phrase(
    "{lower} and {card} are both {distance} away from {target}; {who} has the higher card and wins {peppers} pepper.",
    many="{lower} and {card} are both {distance} away from {target}; {who} has the higher card "
    "and wins {peppers} peppers.",
)


@singledispatch
def tell(fact: Fact) -> Phrase | None:
    """Tell a fact as a sentence of the log."""
    raise TypeError(f"Dicht dran has no fact like {fact!r}")


@tell.register
def _(fact: Chosen) -> Phrase:
    return Phrase("{who} has chosen.", {"who": Who(fact.seat)})


@tell.register
def _(fact: TookBack) -> Phrase:
    return Phrase("{who} takes the choice back.", {"who": Who(fact.seat)})


@tell.register
def _(fact: Revealed) -> Phrase:
    cards = [Phrase("{who} {card}", {"who": Who(Seat(seat)), "card": card}) for seat, card in enumerate(fact.cards)]
    return Phrase("The cards are turned over: {cards}.", {"cards": cards})


@tell.register
def _(fact: TargetWon) -> Phrase:
    fields: Fields = {
        "who": Who(fact.seat),
        "card": fact.card,
        "target": fact.target,
        "peppers": fact.peppers,
        "distance": fact.distance,
        "lower": 2 * fact.target - fact.card,
    }
    return (_TARGET_WON_BY_THE_HIGHER if fact.tie else _TARGET_WON).of(fields, fact.peppers)


@tell.register
def _(fact: FellInGap) -> Phrase:
    return Phrase("{who}'s {card} falls through the gap.", {"who": Who(fact.seat), "card": fact.card})


@tell.register
def _(fact: LaidAway) -> Phrase:
    return Phrase(
        "{who}'s {card} is left over: it costs {peppers} card.",
        {"who": Who(fact.seat), "card": fact.card, "peppers": fact.peppers},
        many="{who}'s {card} is left over: it costs {peppers} cards.",
        number=fact.peppers,
    )


@tell.register
def _(fact: Reshuffled) -> Phrase:
    return Phrase("The draw pile is used up; the discard of {count} cards is shuffled.", {"count": fact.count})


@tell.register
def _(fact: Drew) -> Phrase:
    return Phrase(
        "{who} draws {count} card.",
        {"who": Who(fact.seat), "count": fact.count},
        many="{who} draws {count} cards.",
        number=fact.count,
    )


@tell.register
def _(fact: DrewCards) -> Phrase:
    return Phrase("You draw {cards}.", {"cards": list(fact.cards)})


@tell.register
def _(fact: RoundBegan) -> Phrase:
    fields: Fields = {"round": fact.round, "target": fact.target, "low": fact.low, "high": fact.high}
    if fact.high - fact.low == 1:
        return Phrase("Round {round}: the target is {target}; nothing fits between {low} and {high}.", fields)
    return Phrase("Round {round}: the target is {target}, the gap runs from {low} to {high}.", fields)


@tell.register
def _(fact: CycleScored) -> Phrase:
    return _CYCLE_OVER[fact.reason].of({"cycle": fact.cycle, "scores": list(_scores(fact))})


def _scores(fact: CycleScored) -> Iterator[Phrase]:
    for seat, (plus, minus, score, total) in enumerate(
        zip(fact.plus, fact.minus, fact.scores, fact.totals, strict=True)
    ):
        fields: Fields = {"who": Who(Seat(seat)), "plus": plus, "minus": minus, "score": score, "total": total}
        if fact.cycle == 1:
            yield Phrase("{who} {plus} - {minus} = {score}", fields)
        else:
            yield Phrase("{who} {plus} - {minus} = {score} (in all {total})", fields)
