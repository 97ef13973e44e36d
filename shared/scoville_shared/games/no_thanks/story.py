"""What happens in No Thanks!, a sentence a fact."""

from collections.abc import Iterator
from functools import singledispatch

from scoville_shared.engine.phrases import Filling, Phrase, Who
from scoville_shared.games.no_thanks.facts import Fact, Passed, RoundBegan, RoundScored, Took, TurnedUp
from scoville_shared.games.no_thanks.runs import Run
from scoville_shared.ids import Seat

_TOOK = Phrase(
    "{who} takes the {card} and {chips} chip; the cards now count {points}.",
    many="{who} takes the {card} and {chips} chips; the cards now count {points}.",
)
_TOOK_FOR_A_RUN = Phrase(
    "{who} takes the {card} and {chips} chip, which makes the run {run}; the cards now count {points}.",
    many="{who} takes the {card} and {chips} chips, which makes the run {run}; the cards now count {points}.",
)


@singledispatch
def tell(fact: Fact) -> Phrase:
    """Tell a fact as a sentence of the log."""
    raise TypeError(f"No Thanks! has no fact like {fact!r}")


@tell.register
def _(fact: Passed) -> Phrase:
    return Phrase(
        "{who} declines the {card}; {pot} chip lies beside it.",
        {"who": Who(fact.seat), "card": fact.card, "pot": fact.pot},
        many="{who} declines the {card}; {pot} chips lie beside it.",
        number=fact.pot,
    )


@tell.register
def _(fact: Took) -> Phrase:
    fields: dict[str, Filling] = {
        "who": Who(fact.seat),
        "card": fact.card,
        "chips": fact.chips,
        "run": written_run(fact.run),
        "points": fact.points,
    }
    return (_TOOK if len(fact.run) == 1 else _TOOK_FOR_A_RUN).of(fields, fact.chips)


@tell.register
def _(fact: TurnedUp) -> Phrase:
    return Phrase(
        "{who} turns up the {card}; {left} card is left.",
        {"who": Who(fact.seat), "card": fact.card, "left": fact.left},
        many="{who} turns up the {card}; {left} cards are left.",
        number=fact.left,
    )


@tell.register
def _(fact: RoundScored) -> Phrase:
    fields: dict[str, Filling] = {"round": fact.round, "scores": list(_scores(fact)), "removed": fact.removed}
    if fact.removed:
        return Phrase("Round {round} is over, points less chips: {scores}. Out of it were {removed}.", fields)
    return Phrase("Round {round} is over, points less chips: {scores}.", fields)


@tell.register
def _(fact: RoundBegan) -> Phrase:
    return Phrase("Round {round}: {who} begins.", {"round": fact.round, "who": Who(fact.starter)})


def written_run(run: Run) -> str:
    """Write a run by its ends, `17-20`, and a single card by its number."""
    return str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}"


def _scores(fact: RoundScored) -> Iterator[Phrase]:
    for seat, (points, chips, score, total) in enumerate(
        zip(fact.points, fact.chips, fact.scores, fact.totals, strict=True)
    ):
        fields: dict[str, Filling] = {
            "who": Who(Seat(seat)),
            "points": points,
            "chips": chips,
            "score": score,
            "total": total,
        }
        if fact.round == 1:
            yield Phrase("{who} {points} - {chips} = {score}", fields)
        else:
            yield Phrase("{who} {points} - {chips} = {score}, in all {total}", fields)
