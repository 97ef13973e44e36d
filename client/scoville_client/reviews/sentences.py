"""Sentences of a review, the same for text, screen and line mode."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from scoville_client.i18n.language import format_number, render, tr, with_sign
from scoville_client.reviews.review import Leak, Moment, MoveReview, PlayerReview, Review
from scoville_shared.coach.base import POLICY_NAMES, Policy
from scoville_shared.coach.sample import Estimate, Figures
from scoville_shared.coach.study import ERRORS, VERDICT_NAMES, Verdict, is_right
from scoville_shared.engine.phrases import Phrase

SMALL_PART = 0.2
"""An error that explains less of a change is not what decided."""


def names_of(review: Review) -> list[str]:
    """Return the players' names by seat."""
    return [sitter.name for sitter in review.reel.header.seats]


def percent_text(share: float, digits: int = 0) -> str:
    """Write a share as a percentage."""
    return tr("{number} %", number=format_number(100 * share, digits))


def percent_with_error(estimate: Estimate) -> str:
    """Write a share with its standard error, an exact one without."""
    if not estimate.error:
        return percent_text(estimate.mean, 1)
    return tr(
        "{number} ± {error} %", number=format_number(100 * estimate.mean), error=format_number(100 * estimate.error)
    )


def verdict_name(verdict: Verdict) -> str:
    return render(VERDICT_NAMES[verdict])


def name_move_made(move: str, about: Phrase | None, names: Sequence[str]) -> str:
    """Name a move with what it decided on, for readers who do not see the board."""
    return move if about is None else tr("{about}: {move}", about=render(about, names), move=move)


def move_sentence(review: Review, move: MoveReview) -> str:
    """Return a decision in one line: the move, its verdict, and for an error the better move with what it saves."""
    names = names_of(review)
    head = tr(
        "{position}. {name} – {move}: {verdict}",
        position=move.position,
        name=names[move.seat],
        move=name_move_made(render(move.move, names), move.about, names),
        verdict=verdict_name(move.verdict),
    )
    if move.verdict not in ERRORS:
        return head
    return tr("{head}, {behind}", head=head, behind=_behind_text(review, move, render(move.best, names)))


def _behind_text(review: Review, move: MoveReview, best: str) -> str:
    """Say how far a move is behind the best one in chance to win and points; it can be ahead in points."""
    # The best move is chosen by the chance to win: in points alone another one can be ahead, or nothing be lost at all.
    points, loss = move.score_loss.mean, percent_with_error(move.loss)
    if round(move.loss.mean, 3) <= 0:
        return tr("{points} {unit} behind {best}", points=format_number(points), unit=review.unit, best=best)
    if not round(points, 1):
        return tr("{loss} behind {best}", loss=loss, best=best)
    if points < 0:
        return tr(
            "{loss} behind {best}, though {points} {unit} ahead",
            loss=loss, best=best, points=format_number(-points), unit=review.unit,
        )  # fmt: skip
    return tr(
        "{loss} ({points} {unit}) behind {best}", loss=loss, best=best, points=format_number(points), unit=review.unit
    )


def reason_sentences(review: Review, move: MoveReview) -> list[str]:
    """Give the reason for the best move, and the effect of the played one."""
    names = names_of(review)
    best = tr("{move} – {why}.", move=_capitalize_first(render(move.best, names)), why=render(move.why, names))
    if move.verdict is Verdict.BEST:
        return [best]
    return [
        best,
        tr("{move} – {why}.", move=_capitalize_first(render(move.move, names)), why=render(move.instead, names)),
    ]


def answer_text(chosen: Figures, best: Figures, label: str) -> str:
    """Say how good a move is that was chosen again, beside the best one."""
    move = _capitalize_first(label)
    if is_right(chosen):
        return tr("{move}: right, no move is clearly better.", move=move)
    # What a move is behind counts the lead, too: of that nothing may be lost in chance.
    cost = best.win.mean - chosen.win.mean
    if round(cost, 3) <= 0:
        return tr("{move}: the chance to win is the same, but the score compares worse with the others'.", move=move)
    return tr("{move} costs {cost} of the chance to win.", move=move, cost=percent_text(cost, 1))


def moment_sentence(review: Review, moment: Moment) -> str:
    """Return one sentence about a moment: the move, whose chance changed, and whether it was an error.

    Of the costliest decision it is the error alone where the chances did not follow it.
    """
    names = names_of(review)
    if moment.costliest:
        return tr(
            "{event} No other decision cost more: {error}.",
            event=" ".join(render(event, names) for event in moment.events),
            error=_error_text(review, moment.costliest, names),
        ).strip()
    return tr(
        "{event} {name}'s chance to win goes from {before} to {after}: {cause}.",
        event=" ".join(render(event, names) for event in moment.events),
        name=names[moment.seat],
        before=percent_text(moment.before),
        after=percent_text(moment.after),
        cause=_cause_text(review, moment, names),
    ).strip()


def _cause_text(review: Review, moment: Moment, names: Sequence[str]) -> str:
    if moment.errors:
        error = _error_text(review, moment.errors[0], names)
        if moment.part < SMALL_PART:
            return tr("it was mostly luck; {error}", error=error)
        return tr("{error}, about {part} of the change", error=error, part=percent_text(moment.part))
    if moment.forgiven:
        return tr("it was luck, in spite of an error: {error}", error=_error_text(review, moment.forgiven[0], names))
    return tr("nobody erred, it was luck")


def _error_text(review: Review, error: MoveReview, names: Sequence[str]) -> str:
    better = render(error.best, names)
    return tr(
        "{verdict} of {name}, {behind}",
        verdict=verdict_name(error.verdict),
        name=names[error.seat],
        behind=_behind_text(review, error, better),
    )


MOST_LEAKS = 3
"""Kinds of errors that are named: a player who reads of seven changes none."""


def leak_sentence(name: str, leaks: Sequence[Leak]) -> str:
    """Say which kinds of errors cost a player most; empty without errors."""
    if not leaks:
        return ""
    # A move that cost points alone is worth a word only where nothing cost more.
    named = [leak for leak in leaks if round(leak.loss, 3) > 0] or leaks
    return tr("{name}, what costs most: {kinds}.", name=name, kinds=", ".join(map(leak_text, named[:MOST_LEAKS])))


def leak_text(leak: Leak) -> str:
    """Name a kind of error, how often it was made, and what it cost of the chance to win on average.

    All together can be more than there is to lose: the others' errors give back what was lost.
    """
    if leak.errors > 1:
        loss = percent_text(leak.loss / leak.errors, 1)
        return tr("{kind} ({count} ×, {loss} on average)", kind=leak.kind, count=leak.errors, loss=loss)
    return tr("{kind} ({count} ×, {loss})", kind=leak.kind, count=leak.errors, loss=percent_text(leak.loss, 1))


def player_cells(player: PlayerReview) -> list[str]:
    """Return a player's result, taken apart, for a table with `player_headings`."""
    return [
        player.name,
        format_number(player.score, 0),
        str(player.place),
        signed_percent(player.skill.mean) + f" ± {format_number(100 * player.skill.error, 0)}",
        signed_percent(player.luck),
        format_number(100 * player.each_loss),
        *(str(player.verdicts[error]) for error in ERRORS),
    ]


def player_headings() -> list[str]:
    """Return the headings of the table of players."""
    return [
        tr("player"), tr("score"), tr("place"), tr("skill %"), tr("luck %"), tr("loss %"), tr("inacc."), tr("mistakes"),
        tr("blunders"),
    ]  # fmt: skip


def verdict_counts(player: PlayerReview) -> str:
    """Write how many errors of each kind a player made; "no errors" for none."""
    counted = [
        f"{player.verdicts[error]} × {render(VERDICT_NAMES[error])}" for error in ERRORS if player.verdicts[error]
    ]
    return ", ".join(counted) or tr("no errors")


_ASSUMED = Phrase(
    "For {count} move the figures assume this: {policy}.", many="For {count} moves the figures assume this: {policy}."
)


def method_sentences(review: Review) -> Iterator[str]:
    """Say which policy the figures assume, and how luck and skill are separated."""
    made = Counter(move.policy for move in review.moves)  # in the order in which they occur
    for policy, count in made.items():
        if len(made) == 1:
            yield tr("Figures assume: {policy}.", policy=policy_name(policy))
        else:
            # Each of several is true of its own moves only; unnumbered they would contradict each other.
            yield render(_ASSUMED.with_fields({"count": count, "policy": policy_name(policy)}, count))
    yield tr(
        "Skill is what the player's errors cost of the even share, on what the player could know: each keeps a part of "
        "the chance that the best move had, and the parts are multiplied. Luck is the rest: share of the win = even "
        "share + skill + luck. Loss is what a decision gave away on average."
    )
    yield tr("A move is called an error only beyond two standard errors; the better move was chosen on other samples.")
    yield tr(
        "The course of chances is hindsight: all hands are open, cards face down are shuffled again, and {policy}.",
        policy=POLICY_NAMES[review.course_policy],
    )
    if not review.fast:
        yield tr("Without the extra bots (numba) samples are a fortieth of their size: only large errors are found.")


def policy_name(policy: Policy) -> Phrase:
    """Describe how all players are assumed to go on."""
    return POLICY_NAMES[policy]


def signed_percent(share: float) -> str:
    """Write a share as a percentage with its sign."""
    return with_sign(100 * share)


MOST_WORDS = 20
"""Words of a sentence that is easily understood when it is read aloud."""
_ENDS = re.compile(r"(?<=\D[.!?]) (?=\S)")
"""Between sentences; behind the number of a move is no end."""
_LEAST_WORDS = 3
_BREAKS = ("; ", ": ", " – ", ", ")
"""Where a long sentence may end, the best places first."""


def split_sentences(text: str) -> list[str]:
    """Split a text into sentences that are easily understood when they are read aloud."""
    return [short for sentence in _ENDS.split(text) for short in split_sentence(sentence)]


def split_sentence(sentence: str, most: int = MOST_WORDS) -> list[str]:
    """Split a sentence into sentences of at most `most` words, as near to its middle as its clauses allow.

    >>> split_sentence("It takes the card early, and then it has no chips left for the last ones.", 10)
    ['It takes the card early.', 'And then it has no chips left for the last ones.']
    """
    if len(sentence.split()) <= most:
        return [sentence]
    for mark in _BREAKS:
        parts = sentence.split(mark)
        # "Figures assume." says nothing by itself.
        places = [
            at
            for at in range(1, len(parts))
            if min(len(mark.join(side).split()) for side in (parts[:at], parts[at:])) >= _LEAST_WORDS
        ]
        if places:
            words = len(sentence.split()) / 2
            at = min(places, key=lambda place: abs(len(mark.join(parts[:place]).split()) - words))
            first, second = mark.join(parts[:at]), mark.join(parts[at:])
            return [*split_sentence(f"{first}.", most), *split_sentence(_capitalize_first(second), most)]
    return [sentence]


def _capitalize_first(text: str) -> str:
    return text[:1].upper() + text[1:]
