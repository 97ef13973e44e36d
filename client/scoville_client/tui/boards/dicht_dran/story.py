"""The story of a round: the rulebook's four actions one after the other, and the scoring when a cycle ends.

Pure: the View before and the facts go in, the frames that the board plays come out.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from msgspec.structs import replace

from scoville_client.tui.boards.course import (
    Costly,
    Course,
    Turns,
    find_costliest,
    logged_phrase,
    number_facts,
    with_points,
)
from scoville_client.tui.boards.dicht_dran.scene import Fate, Frame, Front
from scoville_shared.engine.phrases import Filling, Phrase, Who
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.facts import (
    AnyFact,
    CycleEnd,
    CycleScored,
    Discarded,
    Drew,
    FellInGap,
    Reshuffled,
    Revealed,
    TargetWon,
)
from scoville_shared.games.dicht_dran.state import Board, View
from scoville_shared.ids import Seat

F = TypeVar("F")

_SUMMARY_STAYS = 3
_SCORES_STAY = 5

_ENDS = {
    CycleEnd.HAND_EMPTY: Phrase("A hand is empty: the cycle ends and is scored."),
    CycleEnd.PILE_EMPTY: Phrase("The draw pile is used up: the cycle ends and is scored."),
}

_CLOSEST = Phrase("{who}'s {card} is {distance} from {target}: closest.")
_HIGHER = Phrase("{who}'s {card} is {distance} from {target}: as close as another card, but higher.")


def animate_event(before: View, facts: Sequence[AnyFact]) -> list[Frame]:
    """Return the frames of a round; none while choices are still coming in."""
    revealed = next(_facts_of(facts, Revealed), None)
    if revealed is None:
        return []
    return [*_action_frames(before, revealed, facts), *_what_comes_next(before, facts)]


def summarize_event(before: View, facts: Sequence[AnyFact]) -> list[Frame]:
    """Return a summary: every card with its fate; then the scoring when a cycle ends."""
    frames = animate_event(before, facts)
    if not frames:
        return []
    # Without the first action: the cards have no fate yet.
    won, fell, paid = frames[1:4]
    # Each seat's card as it was seen last, before it went to its place.
    fronts = tuple(
        laid if laid.card is not None else fallen if fallen.card is not None else winner
        for winner, fallen, laid in zip(won.fronts, fell.fronts, paid.fronts, strict=True)
    )
    return [paid._replace(action=0, captions=won.captions, fronts=fronts, steps=_SUMMARY_STAYS), *frames[4:]]


def _action_frames(before: View, revealed: Revealed, facts: Sequence[AnyFact]) -> Iterator[Frame]:
    """Yield the four actions; each changes the table for the next one."""
    won = next(_facts_of(facts, TargetWon))
    fallen, laid, drew = (
        list(_facts_of(facts, FellInGap)),
        list(_facts_of(facts, Discarded)),
        list(_facts_of(facts, Drew)),
    )
    # From the View before: the one after it holds the drawn cards already.
    hand = tuple(card for card in before.hand if before.seat is None or card != revealed.cards[before.seat])
    board = replace(before.board, hands=tuple(size - 1 for size in before.board.hands))
    won_cards = before.won
    fronts = [Front(card) for card in revealed.cards]
    yield Frame(1, (Phrase("All cards are turned over."),), board, hand, won_cards, tuple(fronts))

    fronts[won.seat] = Front(won.card, Fate.WINS, Phrase("wins {target}", {"target": won.target}))
    yield Frame(2, _target_won(won), board, hand, won_cards, tuple(fronts))

    board = _with_winner(board, won)
    won_cards += (won.target,) if won.seat == before.seat else ()
    fronts[won.seat] = Front(None, Fate.WINS, Phrase("has {target}", {"target": won.target}))
    for fell in fallen:
        fronts[fell.seat] = Front(fell.card, Fate.FREE, Phrase("free"))
    yield Frame(3, _gap_phrases(fallen, board.gap), board, hand, won_cards, tuple(fronts))

    board = _with_drawn(replace(board, discard=board.discard + len(fallen) + len(laid)), drew)
    for fell in fallen:
        fronts[fell.seat] = Front(None, Fate.FREE, Phrase("free"))
    for away in laid:
        fronts[away.seat] = Front(away.card, Fate.PAYS, Phrase("draws {n}", {"n": away.peppers}))
    yield Frame(4, (_discard_phrase(laid),), board, hand, won_cards, tuple(fronts))


def _what_comes_next(before: View, facts: Sequence[AnyFact]) -> Iterator[Frame]:
    for shuffled in _facts_of(facts, Reshuffled):
        yield Frame(0, (_reshuffle_phrase(shuffled, facts),), before.board, before.hand, before.won)
    for scored in _facts_of(facts, CycleScored):
        yield Frame(0, (_ENDS[scored.reason],), before.board, (), before.won, scored=scored, steps=_SCORES_STAY)


def _with_winner(board: Board, won: TargetWon) -> Board:
    """Replace the target by the winner's card, and count the target as won."""
    circle = list(board.circle)
    circle[board.target] = won.card
    counts = [count + (seat == won.seat) for seat, count in enumerate(board.won)]
    return replace(board, circle=tuple(circle), won=tuple(counts))


def _with_drawn(board: Board, drew: Sequence[Drew]) -> Board:
    """Move drawn cards from the pile to the hands; an exhausted pile has a frame of its own."""
    hands = list(board.hands)
    for draw in drew:
        hands[draw.seat] += draw.count
    pile = max(0, board.pile - sum(draw.count for draw in drew))
    return replace(board, hands=tuple(hands), pile=pile)


def _target_won(won: TargetWon) -> tuple[Phrase, ...]:
    fields: dict[str, Filling] = {
        "who": Who(won.seat),
        "card": won.card,
        "target": won.target,
        "distance": won.distance,
        "peppers": won.peppers,
    }
    close = (_HIGHER if won.tie else _CLOSEST).with_fields(fields)
    prize = Phrase("{who} wins {peppers} pepper.", fields, "{who} wins {peppers} peppers.", won.peppers)
    return close, prize


def _gap_phrases(fallen: Sequence[FellInGap], gap: tuple[int, int]) -> tuple[Phrase, ...]:
    fields: dict[str, Filling] = {"low": gap[0], "high": gap[1], "cards": [fell.card for fell in fallen]}
    if not fallen:
        return (Phrase("None of the played cards fits the gap from {low} to {high}.", fields),)
    return (
        Phrase(
            "{cards} fits the gap from {low} to {high} and is discarded for free.",
            fields,
            "{cards} fit the gap from {low} to {high} and are discarded for free.",
            len(fallen),
        ),
    )


def _discard_phrase(laid: Sequence[Discarded]) -> Phrase:
    if not laid:
        return Phrase("No card is left over, so nobody draws.")
    if len(laid) > 1:
        cards = [away.card for away in laid]
        return Phrase("{cards} are left over; each costs as many cards as it has peppers.", {"cards": cards})
    away = laid[0]
    return Phrase(
        "{who} discards the {card} and draws {n} card.",
        {"who": Who(away.seat), "card": away.card, "n": away.peppers},
        "{who} discards the {card} and draws {n} cards.",
        away.peppers,
    )


def _reshuffle_phrase(shuffled: Reshuffled, facts: Sequence[AnyFact]) -> Phrase:
    owed = sum(drew.count for drew in _facts_of(facts, Drew))
    fields = {"count": shuffled.count, "owed": owed}
    return Phrase(
        "The draw pile is used up: the discard pile of {count} card is shuffled and deals the missing cards.",
        fields,
        "The draw pile is used up: the discard pile of {count} cards is shuffled and deals the missing cards.",
        shuffled.count,
    )


def _facts_of(facts: Iterable[AnyFact], kind: type[F]) -> Iterator[F]:
    return (fact for fact in facts if isinstance(fact, kind))


def make_course(turns: Turns, seats: int, seat: Seat | None) -> Course:
    """Return the points after each round, and the user's card that drew the most cards."""
    return Course(list(_points_by_step(turns, seats)), find_costliest(_cards_paid(turns, seat)))


def _points_by_step(turns: Turns, seats: int) -> Iterator[tuple[int, ...]]:
    points: tuple[int, ...] = (0,) * seats
    yield points
    for _, fact in number_facts(turns):
        if isinstance(fact, TargetWon):
            points = with_points(points, fact.seat, points[fact.seat] + fact.peppers)
            yield points
        elif isinstance(fact, CycleScored):
            # Not added up here: the totals also lack what was still in the hands.
            points = fact.totals
            yield points


def _cards_paid(turns: Turns, seat: Seat | None) -> Iterator[Costly]:
    for number, fact in number_facts(turns):
        if isinstance(fact, Discarded) and fact.seat == seat:
            yield Costly(number, fact.peppers, logged_phrase(GAME.text.describe_fact(fact)))
