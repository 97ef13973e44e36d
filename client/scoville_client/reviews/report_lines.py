"""A review as lines that lead into the game, for the screen and the line mode."""

from collections.abc import Iterator
from typing import NamedTuple

from scoville_client.i18n.language import format_number, tr
from scoville_client.reviews.review import MoveReview, PlayerReview, Review
from scoville_client.reviews.sentences import (
    leak_sentence,
    method_sentences,
    moment_sentence,
    move_sentence,
    percent_text,
    reason_sentences,
    signed_percent,
    verdict_counts,
)
from scoville_shared.coach.study import ERRORS
from scoville_shared.ids import Seat


class ReviewLine(NamedTuple):
    """A line, and the position in the replay that it is about, for a decision the one before; None for others."""

    text: str
    position: int | None = None


def review_lines(review: Review, seat: Seat | None = None) -> Iterator[ReviewLine]:
    """Return the review: the moments that decided, then the players, all errors, every decision, the method.

    The costliest decision of the player at `seat` comes first.
    """
    if seat is not None:
        costly = list_costly(review, seat)
        yield ReviewLine(tr("Your costliest decisions:") if costly else tr("You made no error beyond doubt."))
        for move in costly:
            yield _error_line(review, move)

    yield ReviewLine(tr("The moments that decided:"))
    for moment in review.moments:
        text = tr("{position}. {what}", position=moment.position, what=moment_sentence(review, moment))
        yield ReviewLine(text, moment.position)

    yield ReviewLine(tr("Luck and skill:"))
    for player in sorted(review.players, key=lambda each: each.place):
        yield ReviewLine(player_sentence(player))
        if leaks := leak_sentence(player.name, review.list_leaks(player.seat)):
            yield ReviewLine(leaks)

    yield ReviewLine(tr("Errors:"))
    errors = [move for move in review.moves if move.verdict in ERRORS]
    for move in errors:
        yield _error_line(review, move)
    if not errors:
        yield ReviewLine(tr("Nobody made an error beyond doubt."))

    yield ReviewLine(tr("Every decision:"))
    for move in review.moves:
        yield ReviewLine(_with_chance(review, move.position, move_sentence(review, move)), move.position - 1)
    for sentence in method_sentences(review):
        yield ReviewLine(sentence)


def _error_line(review: Review, move: MoveReview) -> ReviewLine:
    text = " ".join([f"{move_sentence(review, move)}.", *reason_sentences(review, move)])
    # The position before the move: the choice can be seen there, and made again.
    return ReviewLine(text, move.position - 1)


MOST_COSTLY = 3
"""Decisions that are named first."""


def list_costly(review: Review, seat: Seat) -> list[MoveReview]:
    """Return the decisions of a player that cost the most, the costliest first."""
    errors = [move for move in review.moves if move.seat == seat and move.verdict in ERRORS]
    return sorted(errors, key=lambda move: -move.loss.mean)[:MOST_COSTLY]


def player_sentence(player: PlayerReview) -> str:
    """Take a player's result apart in one sentence."""
    return tr(
        "{name}: place {place}, score {score}; skill {skill} ± {error} %, luck {luck} %, "
        "loss a move {loss} %; {errors}.",
        name=player.name,
        place=player.place,
        score=player.score,
        skill=signed_percent(player.skill.mean),
        error=format_number(100 * player.skill.error, 0),
        luck=signed_percent(player.luck),
        loss=format_number(100 * player.each_loss),
        errors=verdict_counts(player),
    )


def _with_chance(review: Review, position: int, sentence: str) -> str:
    """Add the mover's chance to win after the move, where the course has that point."""
    point = next((each for each in review.course if each.position == position), None)
    line = review.reel.moments[position].line
    if point is None or line is None:
        return sentence
    return tr("{sentence}; chance to win {chance}", sentence=sentence, chance=percent_text(point.wins[line.seat]))
