"""No Thanks! in sentences: facts, moves, refusals, and the table as a player or a spectator sees it."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import singledispatch
from itertools import groupby
from typing import ClassVar

from scoville_shared.engine.contract import Gain, Refusal, Remark, Text
from scoville_shared.engine.phrases import Filling, Phrase, Who, write_signed
from scoville_shared.games.no_thanks.facts import Fact, Passed, RoundBegan, RoundScored, Took, TurnedUp
from scoville_shared.games.no_thanks.remarks import list_remarks
from scoville_shared.games.no_thanks.runs import Taking, list_runs, written_run
from scoville_shared.games.no_thanks.state import Action, Board, Move, Reason, View
from scoville_shared.ids import Seat

_OFFER = Phrase(
    "Card {card} with {pot} chip; taking it makes you {change}.",
    many="Card {card} with {pot} chips; taking it makes you {change}.",
)
_OFFER_FOR_A_RUN = Phrase(
    "Card {card} with {pot} chip; taking it makes the run {run} and you {change}.",
    many="Card {card} with {pot} chips; taking it makes the run {run} and you {change}.",
)
_PASSED = Phrase(
    "{who} declines the {card}; {pot} chip is beside it.", many="{who} declines the {card}; {pot} chips are beside it."
)
_TOOK = Phrase(
    "{who} takes the {card} and {chips} chip; the cards now count {points}.",
    many="{who} takes the {card} and {chips} chips; the cards now count {points}.",
)
_TOOK_FOR_A_RUN = Phrase(
    "{who} takes the {card} and {chips} chip, which makes the run {run}; the cards now count {points}.",
    many="{who} takes the {card} and {chips} chips, which makes the run {run}; the cards now count {points}.",
)
_TURNED = Phrase(
    "{who} turns up the {card}; {left} card is left.", many="{who} turns up the {card}; {left} cards are left."
)
_TOOK_AND_TURNED = {
    _TOOK.text: Phrase(
        "{who} takes the {card} and {chips} chip, and turns up the {next}.",
        many="{who} takes the {card} and {chips} chips, and turns up the {next}.",
    ),
    _TOOK_FOR_A_RUN.text: Phrase(
        "{who} takes the {card} and {chips} chip for the run {run}, and turns up the {next}.",
        many="{who} takes the {card} and {chips} chips for the run {run}, and turns up the {next}.",
    ),
}
"""By the sentence about the card that is taken: the one about both cards."""
_TAKING = Phrase(
    "If you take it: your cards from {before} to {after}, {chips} chip gained; your score {change}.",
    many=("If you take it: your cards from {before} to {after}, {chips} chips gained; your score {change}."),
)
_TAKING_FOR_A_RUN = Phrase(
    "If you take it: run {run}, your cards from {before} to {after}, {chips} chip gained; your score {change}.",
    many=("If you take it: run {run}, your cards from {before} to {after}, {chips} chips gained; your score {change}."),
)


_ROUND_OVER = Phrase("Round {round} is over, points minus chips: {scores}.")
_ROUND_OVER_REMOVED = Phrase("Round {round} is over, points minus chips: {scores}. Removed cards: {removed}.")

MUST_TAKE = Phrase("You have no chips to pay with.")


@singledispatch
def fact_sentence(fact: Fact) -> Phrase:
    """Describe a fact in a sentence of the log. Raises TypeError for a fact of another game."""
    raise TypeError(f"No Thanks! has no fact like {fact!r}")


@fact_sentence.register
def _(fact: Passed) -> Phrase:
    return _PASSED.with_fields({"who": Who(fact.seat), "card": fact.card, "pot": fact.pot}, fact.pot)


@fact_sentence.register
def _(fact: Took) -> Phrase:
    fields: dict[str, Filling] = {
        "who": Who(fact.seat),
        "card": fact.card,
        "chips": fact.chips,
        "run": written_run(fact.run),
        "points": fact.points,
    }
    return (_TOOK if len(fact.run) == 1 else _TOOK_FOR_A_RUN).with_fields(fields, fact.chips)


@fact_sentence.register
def _(fact: TurnedUp) -> Phrase:
    return _TURNED.with_fields({"who": Who(fact.seat), "card": fact.card, "left": fact.left}, fact.left)


@fact_sentence.register
def _(fact: RoundScored) -> Phrase:
    fields: dict[str, Filling] = {"round": fact.round, "scores": list(_score_phrases(fact)), "removed": fact.removed}
    return (_ROUND_OVER_REMOVED if fact.removed else _ROUND_OVER).with_fields(fields)


@fact_sentence.register
def _(fact: RoundBegan) -> Phrase:
    return Phrase("Round {round}: {who} begins.", {"round": fact.round, "who": Who(fact.starter)})


def _score_phrases(fact: RoundScored) -> Iterator[Phrase]:
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
            yield Phrase("{who} {points} − {chips} = {score}", fields)
        else:
            yield Phrase("{who} {points} − {chips} = {score}, total {total}", fields)


class NoThanksText(Text[Move, View, Fact]):
    """The log, the line mode and the transcript of No Thanks!."""

    tagline = Phrase("Take the card and its chips, or pay a chip to pass.")
    option_names: ClassVar = {
        "rounds": Phrase("Rounds"),
        "open_chips": Phrase("Chips open"),
        "show_removed": Phrase("Show removed"),
        "tactical": Phrase("Tactical"),
    }
    option_help: ClassVar = {
        "rounds": Phrase("Each round deals all cards and chips again; points add up."),
        "open_chips": Phrase("Everybody sees all chips; usually they are hidden."),
        "show_removed": Phrase("The nine removed cards are shown after each round."),
        "tactical": Phrase("Ten chips each; the 10, 20 and 30 are never in the deck."),
    }

    def describe_fact(self, fact: Fact) -> Phrase:
        return fact_sentence(fact)

    def describe_move(self, move: Move) -> Phrase:
        """Name a move: take the card, or pay a chip."""
        return Phrase("take the card") if move.action is Action.TAKE else Phrase("no thanks (pay a chip)")

    def describe_decision(self, view: View) -> Phrase | None:
        return Phrase("the {card}", {"card": view.board.card_up})

    def describe_refusal(self, refusal: Refusal) -> Phrase:
        match Reason(refusal.reason):
            case Reason.GAME_OVER:
                return Phrase("The game is over.")
            case Reason.NOT_YOUR_TURN:
                return Phrase("It is not your turn; {who} decides.", {"who": Who(Seat(int(refusal.data["mover"])))})
            case Reason.NO_CHIPS:
                return Phrase("You have no chips, so you must take the {card}.", refusal.data)

    def describe_table(self, view: View) -> Iterable[Phrase]:
        """Describe the card and its chips, all players' cards, and one's own chips and choice."""
        yield from self._describe_public(view)
        yield from _describe_own_choice(view)

    def describe_table_of(self, seat: Seat, view: View) -> Iterable[Phrase]:
        yield from self._describe_public(view)
        yield from _describe_choice_of(seat, view)

    def _describe_public(self, view: View) -> Iterator[Phrase]:
        yield from _describe_end(view.board) if view.board.over else _describe_middle(view.board)
        yield from self.describe_scores(view)

    def describe_hand(self, view: View) -> Iterable[Phrase]:
        """Describe the card and its chips, one's own cards, chips and choice; a spectator has none."""
        yield from self._describe_cards(view)
        yield from _describe_own_choice(view)

    def describe_hand_of(self, seat: Seat, view: View) -> Iterable[Phrase]:
        yield from self._describe_cards(view)
        yield from _describe_choice_of(seat, view)

    def _describe_cards(self, view: View) -> Iterator[Phrase]:
        """Describe the card and its chips, and the cards of the View's seat."""
        if not view.board.over:
            yield from _describe_middle(view.board)
        if view.seat is not None:
            yield _describe_player(view.board, view.seat)

    def describe_scores(self, view: View) -> Iterable[Phrase]:
        """Describe all players' cards and points."""
        return (_describe_player(view.board, seat) for seat in map(Seat, range(len(view.board.cards))))

    def describe_turn(self, view: View) -> Iterable[Phrase]:
        """Describe the card with its chips, the score after taking it, and the chips to pay with."""
        weighed = None if view.seat is None else view.board.weigh_taking(view.seat)
        if weighed is None or view.chips is None:
            return
        yield _describe_offer(view.board, weighed, view.chips)
        yield MUST_TAKE if not view.chips else _describe_own_chips(view.chips)

    def condense_log(self, log: Iterable[Phrase]) -> Iterable[Phrase]:
        """Join those who decline a card one after the other, and a card that is taken with the one turned up then.

        The sums of a round become a sentence for each player.
        """
        for passes, phrases in groupby(log, key=lambda phrase: phrase.text == _PASSED.text):
            if passes:
                yield _condense_passes(list(phrases))
            else:
                yield from _condense_takings(list(phrases))

    def count_points(self, turns: Sequence[Sequence[Fact]]) -> Iterator[Gain]:
        """Count the runs of each round, then the chips."""
        cards: dict[Seat, list[int]] = {}
        for fact in (fact for facts in turns for fact in facts):
            if isinstance(fact, Took):
                cards.setdefault(fact.seat, []).append(fact.card)
            elif isinstance(fact, RoundScored):
                for seat, chips in zip(map(Seat, range(len(fact.chips))), fact.chips, strict=True):
                    # From the facts, as a watcher has them: the cards of a round that is over are in no View.
                    for run in list_runs(sorted(cards.get(seat, ()))):
                        yield Gain(seat, run[0], Phrase("{card}", {"card": written_run(run)}), _CARDS)
                    if chips:
                        yield Gain(seat, -chips, _CHIPS, _CHIPS)
                cards = {}

    def list_remarks(self, turns: Sequence[Sequence[Fact]], player: Seat, bots: Collection[Seat]) -> Iterator[Remark]:
        """Yield a player's costliest choice, a bot's best one, and the decision of the game."""
        return list_remarks(turns, player, bots)


_CARDS = Phrase("cards")
_CHIPS = Phrase("chips")


def written_change(now: int, then: int) -> str:
    """Write a score before and after an answer, with the minus of arithmetic."""
    return f"{write_signed(now)} → {write_signed(then)}"


def _describe_offer(board: Board, weighed: Taking, chips: int) -> Phrase:
    now = weighed.before - chips
    fields: dict[str, Filling] = {
        "card": board.card_up,
        "pot": weighed.chips,
        "run": written_run(weighed.run),
        "change": written_change(now, now + weighed.change),
    }
    return (_OFFER if len(weighed.run) == 1 else _OFFER_FOR_A_RUN).with_fields(fields, weighed.chips)


def _condense_passes(passes: list[Phrase]) -> Phrase:
    """Join passes to one sentence: each seat once, with the last count of the pot."""
    last = passes[-1]
    seats = dict.fromkeys(who.seat for each in passes if isinstance(who := each.fields["who"], Who))
    if len(seats) == 1:
        return last
    fields: dict[str, Filling] = {**last.fields, "who": [Who(seat) for seat in seats]}
    return Phrase("{who} decline the {card}; {pot} chips are beside it.", fields)


def _condense_takings(phrases: list[Phrase]) -> Iterator[Phrase]:
    """Join each taking with the next card, which the same player turns up; the other sentences stay."""
    rest = iter(zip(phrases, [*phrases[1:], None], strict=True))
    for phrase, following in rest:
        joined = _TOOK_AND_TURNED.get(phrase.text)
        if joined is None or following is None or following.text != _TURNED.text:
            yield from _split_sentence(phrase)
            continue
        next(rest)
        yield joined.with_fields({**phrase.fields, "next": following.fields["card"]}, phrase.number)


def _split_sentence(phrase: Phrase) -> Iterator[Phrase]:
    """Yield a sentence as it is; the end of a round, for those who hear it, in a sentence for each player."""
    if phrase.text not in (_ROUND_OVER.text, _ROUND_OVER_REMOVED.text):
        yield phrase
        return
    yield Phrase("Round {round} is over. Points minus chips:", {"round": phrase.fields["round"]})
    scores, removed = phrase.fields["scores"], phrase.fields["removed"]
    yield from (Phrase("{score}.", {"score": score}) for score in (scores if isinstance(scores, list) else ()))
    if removed:
        yield Phrase("Removed cards: {removed}.", {"removed": removed})


def _describe_end(board: Board) -> Iterator[Phrase]:
    yield Phrase("The game is over.")
    if board.removed:
        yield Phrase("Removed in the last round: {removed}.", {"removed": board.removed})


def _describe_middle(board: Board) -> Iterator[Phrase]:
    if board.options.rounds > 1:
        yield Phrase("Round {round} of {rounds}.", {"round": board.round, "rounds": board.options.rounds})
    yield Phrase(
        "The {card} is in the middle with {pot} chip; {who} decides.",
        {"card": board.card_up, "pot": board.pot, "who": Who(board.mover)},
        many="The {card} is in the middle with {pot} chips; {who} decides.",
        number=board.pot,
    )
    yield Phrase(
        "The deck has {left} card left.",
        {"left": board.left},
        many="The deck has {left} cards left.",
        number=board.left,
    )


def _describe_player(board: Board, seat: Seat) -> Phrase:
    runs = [written_run(run) for run in board.list_runs(seat)]
    details = [Phrase("{points} points in cards", {"points": board.points[seat]})]
    if board.chips is not None:
        details.append(Phrase("{chips} chip", {"chips": board.chips[seat]}, "{chips} chips", board.chips[seat]))
    if board.rounds:
        details.append(Phrase("{total} total", {"total": board.totals[seat]}))
    fields: dict[str, Filling] = {"who": Who(seat), "cards": runs, "details": details}
    # Two sentences: many cards and their sums in one would be too long to be heard.
    return Phrase("{who}: {cards}. {details}." if runs else "{who}: no cards. {details}.", fields)


def _describe_own_choice(view: View) -> Iterator[Phrase]:
    """Describe one's own chips, and the effect of taking the card."""
    if view.chips is not None:
        yield _describe_own_chips(view.chips)
    if view.seat is not None and (taking := view.board.weigh_taking(view.seat)):
        yield _describe_taking(taking)


def _describe_choice_of(seat: Seat, view: View) -> Iterator[Phrase]:
    """Describe the chips of a seat, and the effect of taking the card, to a reader who sits elsewhere."""
    who = Who(seat)
    if view.chips is not None:
        yield Phrase(
            "{who} has {chips} chip.", {"who": who, "chips": view.chips}, "{who} has {chips} chips.", view.chips
        )
    if view.seat is not None and (taking := view.board.weigh_taking(view.seat)):
        fields: dict[str, Filling] = {"who": who, "before": taking.before, "after": taking.after}
        yield Phrase(
            "If {who} takes it, the cards go from {before} to {after}, and the score changes by {change}.",
            {**fields, "change": f"{taking.change:+d}"},
        )


def _describe_own_chips(chips: int) -> Phrase:
    return Phrase("You have {chips} chip.", {"chips": chips}, many="You have {chips} chips.", number=chips)


def _describe_taking(taking: Taking) -> Phrase:
    fields: dict[str, Filling] = {
        "run": written_run(taking.run),
        "before": taking.before,
        "after": taking.after,
        "chips": taking.chips,
        "change": f"{taking.change:+d}",
    }
    return (_TAKING if len(taking.run) == 1 else _TAKING_FOR_A_RUN).with_fields(fields, taking.chips)
