"""What happens in Chilli Chase, a sentence a fact."""

from functools import singledispatch

from scoville_shared.engine.phrases import Filling, Phrase, Who
from scoville_shared.games.chilli_chase.arithmetic import called, signed
from scoville_shared.games.chilli_chase.facts import (
    Drew,
    DrewCard,
    Fact,
    Played,
    PointScored,
    Recycled,
    ScoreChanged,
    ScoreKept,
    ScoreOffered,
)
from scoville_shared.games.chilli_chase.state import Play

_OWN_POINT = Phrase(
    "{who} hits their own Chilli Score and has {points} point.",
    many="{who} hits their own Chilli Score and has {points} points.",
)
_OTHERS_POINT = Phrase(
    "{by} hits {who}'s Chilli Score; {who} has {points} point.",
    many="{by} hits {who}'s Chilli Score; {who} has {points} points.",
)


@singledispatch
def tell(fact: Fact) -> Phrase | None:
    """Tell a fact as a sentence of the log."""
    raise TypeError(f"Chilli Chase has no fact like {fact!r}")


@tell.register
def _(fact: Played) -> Phrase:
    formula = called(Play(fact.card, fact.op, fact.left), fact.before, fact.total)
    fields: dict[str, Filling] = {"who": Who(fact.seat), "card": fact.card, "formula": formula}
    return Phrase("{who} plays the {card}: {formula}.", fields)


@tell.register
def _(fact: PointScored) -> Phrase:
    fields: dict[str, Filling] = {"who": Who(fact.seat), "by": Who(fact.by), "points": fact.points}
    return (_OWN_POINT if fact.seat == fact.by else _OTHERS_POINT).of(fields, fact.points)


@tell.register
def _(fact: ScoreOffered) -> Phrase:
    return Phrase("{who} may take a new Chilli Score.", {"who": Who(fact.seat)})


@tell.register
def _(fact: ScoreChanged) -> Phrase:
    fields: dict[str, Filling] = {"who": Who(fact.seat), "old": signed(fact.old), "new": signed(fact.new)}
    return Phrase("{who} changes their Chilli Score from {old} to {new}.", fields)


@tell.register
def _(fact: ScoreKept) -> Phrase:
    return Phrase("{who} keeps their Chilli Score {score}.", {"who": Who(fact.seat), "score": signed(fact.score)})


@tell.register
def _(fact: Recycled) -> Phrase:
    if fact.shuffled:
        return Phrase("The deck is used up; the Hot Pile of {count} cards is shuffled.", {"count": fact.count})
    return Phrase("The deck is used up; the Hot Pile of {count} cards is turned over.", {"count": fact.count})


@tell.register
def _(fact: Drew) -> None:  # noqa: ARG001 - everybody always draws one card: nothing to tell
    return None


@tell.register
def _(fact: DrewCard) -> Phrase:
    return Phrase("You draw the {card}.", {"card": fact.card})
