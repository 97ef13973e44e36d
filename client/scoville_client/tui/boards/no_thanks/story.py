"""The story of a decision: a chip goes to the pot, or the card to its taker; then the next card, or the scoring.

Pure: the View before and the facts go in, the frames that the board plays come out.
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from scoville_client.tui.boards.course import Costly, Course, Turns, find_costliest, number_facts, with_points
from scoville_client.tui.boards.no_thanks import words
from scoville_client.tui.boards.no_thanks.scene import Frame, Tally
from scoville_shared.engine.phrases import Phrase
from scoville_shared.engine.tuples import with_item
from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import AnyFact, Passed, RoundScored, Took, TurnedUp
from scoville_shared.games.no_thanks.state import View
from scoville_shared.ids import Seat

PASS_STAYS = 0.4
TAKE_STAYS = 1.2
TURN_STAYS = 0.6
COUNT_STAYS = 2.0
SUM_STAYS = 4.0


def animate_event(before: View, facts: Sequence[AnyFact], after: View) -> Iterator[Frame]:
    """Return the frames of a decision."""
    table = before
    for fact in facts:
        match fact:
            case Passed():
                yield Frame(_caption_of(fact), after, PASS_STAYS, actor=fact.seat, word=words.PASSED)
            case Took():
                table = _without_card(before, fact)
                word = words.name_taken_chips(fact.chips)
                yield Frame(_caption_of(fact), table, TAKE_STAYS, actor=fact.seat, word=word, fresh=fact.card)
            case RoundScored():
                yield from _count_frames(table, fact)
            case TurnedUp():
                yield Frame(_caption_of(fact), after, TURN_STAYS, actor=fact.seat, fresh=fact.card)


def summarize_event(before: View, facts: Sequence[AnyFact]) -> Iterator[Frame]:
    """Return only the frame with a round's result."""
    table = before
    for fact in facts:
        match fact:
            case Took():
                table = _without_card(before, fact)
            case RoundScored():
                yield _total_frame(table, fact)


def _caption_of(fact: AnyFact) -> tuple[Phrase, ...]:
    return (GAME.text.describe_fact(fact),)


def _without_card(before: View, fact: Took) -> View:
    """Move the card and its chips to the taker, before the next card is turned up."""
    board = before.board
    mine = tuple(sorted((*board.cards[fact.seat], fact.card)))
    chips = board.chips and with_item(board.chips, fact.seat, board.chips[fact.seat] + fact.chips)
    own = before.chips if before.chips is None or before.seat != fact.seat else before.chips + fact.chips
    laid = replace(board, card=None, pot=0, cards=with_item(board.cards, fact.seat, mine), chips=chips)
    return replace(before, board=laid, chips=own)


def _count_frames(table: View, scored: RoundScored) -> Iterator[Frame]:
    """Count the cards, then the chips, then name the leader; the removed cards where the table shows them (B9)."""
    yield Frame((words.COUNTED,), table, COUNT_STAYS, tally=Tally(scored))
    yield Frame((words.LESS_CHIPS,), table, COUNT_STAYS, tally=Tally(scored, chips=True))
    yield _total_frame(table, scored)


def _total_frame(table: View, scored: RoundScored) -> Frame:
    out = (words.list_removed(scored),) if scored.removed else ()
    return Frame((words.name_leader(scored), *out), table, SUM_STAYS, tally=Tally(scored, chips=True, totals=True))


def make_course(turns: Turns, seats: int, seat: Seat | None) -> Course:
    """Return the points after each card that was taken, and the user's card that added the most, its chips deducted."""
    return Course(list(_points_by_step(turns, seats)), find_costliest(_cards_taken(turns, seat)))


def _points_by_step(turns: Turns, seats: int) -> Iterator[tuple[int, ...]]:
    before: tuple[int, ...] = (0,) * seats
    points = before
    yield points
    for _, fact in number_facts(turns):
        if isinstance(fact, Took):
            # On top of the rounds before: the fact counts the cards of its round alone.
            points = with_points(points, fact.seat, before[fact.seat] + fact.points)
            yield points
        elif isinstance(fact, RoundScored):
            points = before = fact.totals
            yield points


def _cards_taken(turns: Turns, seat: Seat | None) -> Iterator[Costly]:
    points = 0
    for number, fact in number_facts(turns):
        if isinstance(fact, Took) and fact.seat == seat:
            yield Costly(number, fact.points - points - fact.chips, GAME.text.describe_fact(fact))
            points = fact.points
        elif isinstance(fact, RoundScored):
            points = 0
