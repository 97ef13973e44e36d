"""Chilli Chase in sentences: facts, moves, refusals, and the table as a player or a spectator sees it."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import singledispatch
from itertools import groupby
from typing import ClassVar

from scoville_shared.engine.contract import Gain, Refusal, Remark, Text
from scoville_shared.engine.phrases import Filling, Phrase, Who, write_signed
from scoville_shared.games.chilli_chase.arithmetic import Reach, list_reaches, total_made, write_call
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
from scoville_shared.games.chilli_chase.formula import LONGEST, read_formula, read_score
from scoville_shared.games.chilli_chase.remarks import list_remarks
from scoville_shared.games.chilli_chase.state import (
    DIE,
    Board,
    Keep,
    Left,
    Move,
    NewScore,
    Op,
    Play,
    Reason,
    View,
)
from scoville_shared.ids import Seat

_OWN_POINT = Phrase(
    "{who} hits their own Chilli Score and has {points} point.",
    many="{who} hits their own Chilli Score and has {points} points.",
)
_OTHERS_POINT = Phrase(
    "{by} hits {who}'s Chilli Score; {who} has {points} point.",
    many="{by} hits {who}'s Chilli Score; {who} has {points} points.",
)

_SHUFFLED = Phrase(
    "The deck is used up; the Hot Pile of {count} card is shuffled.",
    many="The deck is used up; the Hot Pile of {count} cards is shuffled.",
)
_TURNED_OVER = Phrase(
    "The deck is used up; the Hot Pile of {count} card is turned over.",
    many="The deck is used up; the Hot Pile of {count} cards is turned over.",
)

_PLAYED = Phrase("{who} plays the {card}: {formula}.")
_CALLED = Phrase("{who}: {formula}")

_REFUSALS = {
    Reason.GAME_OVER: Phrase("The game is over."),
    Reason.NOT_YOUR_TURN: Phrase("It is not your turn; {mover} plays."),
    Reason.CARD_NOT_HELD: Phrase("You do not hold a {card}; play a card from your hand."),
    Reason.SCORE_OWED: Phrase("Choose a new Chilli Score or keep yours first."),
    Reason.NO_SCORE_OFFERED: Phrase("You can change your Chilli Score only after hitting an opponent's; play a card."),
    Reason.OP_NOT_PLAYED: Phrase("{formula}: this table does not allow roots and remainders; use + - * / or ^."),
    Reason.DIVISION_BY_ZERO: Phrase("{formula}: division by zero is not allowed."),
    Reason.LEAVES_REST: Phrase("{formula} leaves a remainder of {rest}; only exact divisions are allowed."),
    Reason.NOT_WHOLE: Phrase("{formula} is not a whole number."),
    Reason.NO_ROOT: Phrase(
        "{formula}: this root does not exist; the degree must be at least 1, and an even root needs a positive number."
    ),
    Reason.NO_REMAINDER: Phrase("{formula}: the second number of a remainder must be positive."),
    Reason.ZERO_RESULT: Phrase("{formula} makes zero, which this table does not allow."),
    Reason.TOO_BIG: Phrase("{formula} is too far from zero; the limit is {cap}."),
    Reason.SCORE_ZERO: Phrase("Zero cannot be a Chilli Score."),
    Reason.SCORE_TOO_BIG: Phrase("A Chilli Score must be at most {cap} away from zero."),
    Reason.SCORE_NOT_ON_DIE: Phrase("At this table a Chilli Score must be a number from 1 to {most}."),
    Reason.SCORE_TAKEN: Phrase("{score} is already the Chilli Score of {holder}; choose another number."),
    Reason.SCORE_UNREADABLE: Phrase("{piece} is not a whole number; write a Chilli Score such as 12 or -7."),
    Reason.UNREADABLE: Phrase("{piece} is not a formula; write whole numbers and one operation, such as 14-3 or 3^2."),
    Reason.TWO_OPERATIONS: Phrase("Use one operation only, with the total and one card."),
    Reason.INCOMPLETE: Phrase("Write the total {total}, one operation and a card, such as {total}+3."),
    Reason.TOTAL_MISSING: Phrase("One of the two numbers must be the total, {total}."),
    Reason.WRONG_SUM: Phrase("{formula}, not {said}."),
}
_NO_FORMULA = (Reason.UNREADABLE, Reason.SCORE_UNREADABLE, Reason.INCOMPLETE)
_SEATS_IN_REFUSALS = ("mover", "holder")

_MOVES = {
    (Op.PLUS, Left.TOTAL): Phrase("{card}: total + {card}"),
    (Op.PLUS, Left.CARD): Phrase("{card}: {card} + total"),
    (Op.MINUS, Left.TOTAL): Phrase("{card}: total − {card}"),
    (Op.MINUS, Left.CARD): Phrase("{card}: {card} − total"),
    (Op.TIMES, Left.TOTAL): Phrase("{card}: total × {card}"),
    (Op.TIMES, Left.CARD): Phrase("{card}: {card} × total"),
    (Op.DIVIDE, Left.TOTAL): Phrase("{card}: total ÷ {card}"),
    (Op.DIVIDE, Left.CARD): Phrase("{card}: {card} ÷ total"),
    (Op.POWER, Left.TOTAL): Phrase("{card}: total to the power of {card}"),
    (Op.POWER, Left.CARD): Phrase("{card}: {card} to the power of the total"),
    (Op.ROOT, Left.TOTAL): Phrase("{card}: root of degree {card} of the total"),
    (Op.ROOT, Left.CARD): Phrase("{card}: root of {card} with the total as degree"),
    (Op.MOD, Left.TOTAL): Phrase("{card}: remainder of the total divided by {card}"),
    (Op.MOD, Left.CARD): Phrase("{card}: remainder of {card} divided by the total"),
}


@singledispatch
def fact_sentence(fact: Fact) -> Phrase | None:
    """Describe a fact in a sentence of the log. Raises TypeError for a fact of another game."""
    raise TypeError(f"Chilli Chase has no fact like {fact!r}")


@fact_sentence.register
def _(fact: Played) -> Phrase:
    fields: dict[str, Filling] = {"who": Who(fact.seat), "card": fact.card, "formula": _write_call(fact)}
    return _PLAYED.with_fields(fields)


@fact_sentence.register
def _(fact: PointScored) -> Phrase:
    fields: dict[str, Filling] = {"who": Who(fact.seat), "by": Who(fact.by), "points": fact.points}
    return (_OWN_POINT if fact.seat == fact.by else _OTHERS_POINT).with_fields(fields, fact.points)


@fact_sentence.register
def _(fact: ScoreOffered) -> Phrase:
    return Phrase("{who} may choose a new Chilli Score.", {"who": Who(fact.seat)})


@fact_sentence.register
def _(fact: ScoreChanged) -> Phrase:
    fields: dict[str, Filling] = {"who": Who(fact.seat), "old": fact.old, "new": fact.new}
    return Phrase("{who} changes their Chilli Score from {old} to {new}.", fields)


@fact_sentence.register
def _(fact: ScoreKept) -> Phrase:
    return Phrase("{who} keeps their Chilli Score {score}.", {"who": Who(fact.seat), "score": fact.score})


@fact_sentence.register
def _(fact: Recycled) -> Phrase:
    return (_SHUFFLED if fact.shuffled else _TURNED_OVER).with_fields({"count": fact.count}, fact.count)


@fact_sentence.register
def _(fact: Drew) -> None:  # noqa: ARG001 - everybody always draws one card: nothing to tell
    return None


@fact_sentence.register
def _(fact: DrewCard) -> Phrase:
    return Phrase("You draw the {card}.", {"card": fact.card})


class ChilliChaseText(Text[Move, View, Fact]):
    """The log, the line mode and the transcript of Chilli Chase."""

    tagline = Phrase("Combine a card with the total to hit your own Chilli Score.")
    option_names: ClassVar = {
        "points": Phrase("Points to win"),
        "extended": Phrase("Roots, remainder"),
        "zero": Phrase("Zero allowed"),
        "cap": Phrase("Largest total"),
        "die_scores": Phrase("Scores 1 to 12"),
        "shuffle": Phrase("Shuffle Hot Pile"),
        "turn_limit": Phrase("Turn limit"),
    }
    option_help: ClassVar = {
        "points": Phrase("The first player whose Chilli Score is hit this often wins."),
        "extended": Phrase("Two more operations: roots and remainders that come out."),
        "zero": Phrase("A total may be zero."),
        "cap": Phrase("No total may be further away from zero."),
        "die_scores": Phrase("A new Chilli Score is a number of the die, 1 to 12."),
        "shuffle": Phrase("The Hot Pile is shuffled before it becomes the new deck."),
        "turn_limit": Phrase("After so many turns the most points win."),
    }

    def describe_fact(self, fact: Fact) -> Phrase | None:
        """Describe a fact in a sentence; None for a draw, which happens in every turn."""
        return fact_sentence(fact)

    def describe_fact_of(self, seat: Seat, fact: Fact) -> Phrase | None:
        if isinstance(fact, DrewCard):
            return Phrase("{who} draws the {card}.", {"who": Who(seat), "card": fact.card})
        return fact_sentence(fact)

    def describe_move(self, move: Move) -> Phrase:
        """Name a move: the card and what it does to the total, or the change of the Chilli Score."""
        match move:
            case NewScore(score):
                return Phrase("new Chilli Score {score}", {"score": score})
            case Keep():
                return Phrase("keep the Chilli Score")
            case _:
                return _MOVES[move.op, move.left].with_fields({"card": move.card})

    def describe_move_at(self, view: View, move: Move) -> Phrase:
        """Call a play as at the table, `4 × 2 = 8` (C25)."""
        board = view.board
        made = total_made(move, board.total, board.options) if isinstance(move, Play) else None
        if not isinstance(move, Play) or not isinstance(made, int):
            return self.describe_move(move)
        return Phrase("{formula}", {"formula": write_call(move, board.total, made)})

    def read_move(self, typed: str, view: View) -> Move | Refusal | None:
        """Read a formula, or a new Chilli Score; other text may be the name of a move."""
        if view.board.over or view.seat != view.board.mover:
            return None
        if not view.board.choosing and typed.isdecimal():
            return _refuse_lone_card(typed, view)
        # A text that is no formula may still name a move, such as "keep": that is for the line mode to find out.
        read = read_score(typed, view) if view.board.choosing else read_formula(typed, view)
        return None if isinstance(read, Refusal) and read.reason in _NO_FORMULA else read

    def describe_refusal(self, refusal: Refusal) -> Phrase:
        """Explain why a move or a typed formula was refused."""
        fields = {name: _filling_of(name, value) for name, value in refusal.data.items()}
        return _REFUSALS[Reason(refusal.reason)].with_fields(fields)

    def describe_table(self, view: View) -> Iterable[Phrase]:
        """Describe the total, all players' Chilli Score and points, and the totals that each card in hand can reach."""
        yield from self._describe_public(view)
        yield from _describe_own_cards(view)

    def describe_table_of(self, seat: Seat, view: View) -> Iterable[Phrase]:
        yield from self._describe_public(view)
        yield from _describe_cards_of(seat, view)

    def _describe_public(self, view: View) -> Iterator[Phrase]:
        yield from _describe_middle(view.board)
        yield from self.describe_scores(view)

    def describe_scores(self, view: View) -> Iterable[Phrase]:
        """Describe all players' Chilli Score and points."""
        return (_describe_player(view.board, seat) for seat in map(Seat, range(len(view.board.scores))))

    def describe_hand(self, view: View) -> Iterable[Phrase]:
        """Describe the total, the totals that each card makes of it, and how they are typed; spectators have none."""
        board = view.board
        if view.seat is not None and not board.over:
            yield _describe_piles(board)
        yield from _describe_own_cards(view)
        if view.seat == board.mover and not board.over:
            yield _explain_typing(view)

    def describe_hand_of(self, seat: Seat, view: View) -> Iterable[Phrase]:
        if not view.board.over:
            yield _describe_piles(view.board)
        yield from _describe_cards_of(seat, view)

    def describe_turn(self, view: View) -> Iterable[Phrase]:
        """Describe the total, the hand, one's own Chilli Score, and the plays that hit somebody's."""
        board = view.board
        if view.seat is None or board.over:
            return
        if view.seat != board.mover:
            yield from self.describe_hand(view)
            return
        if board.choosing:
            # The log has just said who was hit, and that a new one may be chosen.
            yield _explain_typing(view)
            return
        fields: dict[str, Filling] = {
            "total": board.total,
            "hand": view.hand,
            "score": board.scores[view.seat],
        }
        yield Phrase("Total {total}, your cards {hand}, your Chilli Score {score}.", fields)
        hits = _list_hits(view)
        yield Phrase("Hits: {hits}.", {"hits": hits}) if hits else Phrase("No card hits a Chilli Score.")

    def condense_log(self, log: Iterable[Phrase]) -> Iterable[Phrase]:
        """Join those who play one after the other without a hit."""
        for plays, phrases in groupby(log, key=lambda phrase: phrase.text == _PLAYED.text):
            same = list(phrases)
            if plays and len(same) > 1:
                yield Phrase("Played: {plays}.", {"plays": [_CALLED.with_fields(phrase.fields) for phrase in same]})
            else:
                yield from same

    def count_points(self, turns: Sequence[Sequence[Fact]]) -> Iterator[Gain]:
        """Count the hits, each by the card that made it."""
        for facts in turns:
            formula = ""
            for fact in facts:
                if isinstance(fact, Played):
                    formula = _write_call(fact)
                elif isinstance(fact, PointScored):
                    kind = _OWN_HITS if fact.seat == fact.by else _GIFTS
                    yield Gain(fact.seat, 1, Phrase("{formula}", {"formula": formula}), kind)

    def list_remarks(self, turns: Sequence[Sequence[Fact]], player: Seat, bots: Collection[Seat]) -> Iterator[Remark]:
        """Yield a player's costliest choice, a bot's best one, and the decision of the game."""
        return list_remarks(turns, player, bots)


_OWN_HITS = Phrase("hits by own cards")
_GIFTS = Phrase("by cards of others")


def _write_call(fact: Played) -> str:
    return write_call(Play(fact.card, fact.op, fact.left), fact.before, fact.total)


def _describe_own_cards(view: View) -> Iterator[Phrase]:
    if view.hand:
        yield Phrase("Your hand: {hand}.", {"hand": view.hand})
    if view.seat == view.board.mover and not view.board.over:
        yield from _describe_choice(view)


def _describe_cards_of(seat: Seat, view: View) -> Iterator[Phrase]:
    """Describe the cards of a seat to a reader who sits elsewhere."""
    if view.hand:
        yield Phrase("{who} holds {hand}.", {"who": Who(seat), "hand": view.hand})
    if view.seat == view.board.mover and not view.board.over:
        if view.board.choosing:
            yield Phrase("{who} hits a Chilli Score and chooses a new one, or keeps the old one.", {"who": Who(seat)})
        else:
            yield from _describe_ways(view, Phrase("With the {card}: {ways}."), None)


def _explain_typing(view: View) -> Phrase:
    if view.board.choosing:
        if view.board.options.die_scores:
            return Phrase("Type a new Chilli Score from 1 to {most} that nobody has, or keep.", {"most": DIE})
        return Phrase("Type a new Chilli Score: any whole number but 0 that nobody has, or keep.")
    card, total = view.hand[0], view.board.total
    # Towards zero, but not to zero itself, so that the example is legal at every table.
    sign = "+" if total <= card and total != -card else "-"
    return Phrase("Type a formula, such as {example}.", {"example": f"{total}{sign}{card}"})


def _refuse_lone_card(typed: str, view: View) -> Refusal:
    """Explain a number without an operation: a card that is not held, or a formula that is not finished."""
    # Cut first: Python refuses to read numbers of thousands of digits.
    card = int(typed[:LONGEST])
    if card in view.hand:
        return Refusal(Reason.INCOMPLETE, {"total": view.board.total})
    return Refusal(Reason.CARD_NOT_HELD, {"card": card})


def _filling_of(name: str, value: int | str) -> Filling:
    if name in _SEATS_IN_REFUSALS:
        return Who(Seat(int(value)))
    return write_signed(value) if isinstance(value, int) else value


def _describe_middle(board: Board) -> Iterator[Phrase]:
    if board.over:
        yield Phrase("The game is over.")
    else:
        fields: dict[str, Filling] = {"turn": board.turn, "limit": board.options.turn_limit, "who": Who(board.mover)}
        yield Phrase("Turn {turn} of {limit}: {who} plays.", fields)
    yield _describe_piles(board)


def _describe_piles(board: Board) -> Phrase:
    return Phrase(
        "The total of the Hot Pile is {total}; the deck has {deck} card.",
        {"total": board.total, "deck": board.deck},
        many="The total of the Hot Pile is {total}; the deck has {deck} cards.",
        number=board.deck,
    )


def _describe_player(board: Board, seat: Seat) -> Phrase:
    return Phrase(
        "{who}: Chilli Score {score}, {points} point of {target}.",
        {
            "who": Who(seat),
            "score": board.scores[seat],
            "points": board.points[seat],
            "target": board.options.points,
        },
        many="{who}: Chilli Score {score}, {points} points of {target}.",
        number=board.points[seat],
    )


def _describe_choice(view: View) -> Iterator[Phrase]:
    board = view.board
    if board.choosing:
        yield Phrase("You hit an opponent's Chilli Score: choose a new one or keep yours.")
        return
    yield from _describe_ways(view, Phrase("Your {card} makes: {ways}."), view.seat)


_MOST_WEIGHT = 3
"""Formulas in a sentence at most, for users who hear it; one with a point counts twice."""


def _describe_ways(view: View, sentence: Phrase, you: Seat | None) -> Iterator[Phrase]:
    """Describe to the player `you` the totals that each card makes, in a `sentence` and short ones after it."""
    board = view.board
    for card in sorted(set(view.hand)):
        parts: list[list[Phrase]] = [[]]
        weight = 0
        for formula in (
            each for way in list_reaches(card, board.total, board.options) for each in _describe_way(board, way, you)
        ):
            more = 2 if formula.text != _WITHOUT_POINT else 1
            if parts[-1] and weight + more > _MOST_WEIGHT:
                parts.append([])
                weight = 0
            parts[-1].append(formula)
            weight += more
        said = sentence.with_fields({"card": card, "ways": parts[0]})
        for part in parts[1:]:
            said = Phrase("{sentence} {ways}.", {"sentence": said, "ways": part})
        yield said


def _list_hits(view: View) -> list[Phrase]:
    """List one formula for each Chilli Score that the hand can hit."""
    board = view.board
    found: dict[Seat, str] = {}
    for card in sorted(set(view.hand)):
        for way in list_reaches(card, board.total, board.options):
            holder = board.find_holder(way.total)
            if holder is not None:
                found.setdefault(holder, way.write_formulas(board.total)[0])
    return [
        Phrase("{formula} (your own)", {"formula": formula})
        if seat == view.seat
        else Phrase("{formula} ({who})", {"formula": formula, "who": Who(seat)})
        for seat, formula in found.items()
    ]


_WITHOUT_POINT = "{formulas}"


def _describe_way(board: Board, way: Reach, you: Seat | None) -> Iterator[Phrase]:
    """Write the formulas of a result; the first one says who gets a point."""
    scorer = board.find_holder(way.total)
    for number, formula in enumerate(way.write_formulas(board.total)):
        if scorer is None or number:
            yield Phrase(_WITHOUT_POINT, {"formulas": formula})
        elif scorer == you:
            yield Phrase("{formulas} (a point for you)", {"formulas": formula})
        else:
            yield Phrase("{formulas} (a point for {who})", {"formulas": formula, "who": Who(scorer)})
