"""Dicht dran in sentences: facts, moves, refusals, and the table as a player or a spectator sees it."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import singledispatch
from itertools import groupby, takewhile
from typing import ClassVar, NamedTuple

from scoville_shared.engine.contract import Gain, Refusal, Remark, Text
from scoville_shared.engine.phrases import Fields, Phrase, Who
from scoville_shared.games.dicht_dran.cards import peppers_by_card
from scoville_shared.games.dicht_dran.facts import (
    Chosen,
    CycleEnd,
    CycleScored,
    Discarded,
    Drew,
    DrewCards,
    Fact,
    FellInGap,
    Reshuffled,
    Revealed,
    RoundBegan,
    TargetWon,
    TookBack,
)
from scoville_shared.games.dicht_dran.remarks import list_remarks
from scoville_shared.games.dicht_dran.round import weigh_hand
from scoville_shared.games.dicht_dran.state import Board, Move, Play, Reason, View
from scoville_shared.ids import Seat

_CYCLE_OVER = {
    CycleEnd.HAND_EMPTY: Phrase("Cycle {cycle} is over, a hand is empty. {scores}."),
    CycleEnd.PILE_EMPTY: Phrase("Cycle {cycle} is over, the draw pile is used up. {scores}."),
}

_CYCLE_ENDS = {
    _CYCLE_OVER[CycleEnd.HAND_EMPTY].text: Phrase("Cycle {cycle} is over, a hand is empty."),
    _CYCLE_OVER[CycleEnd.PILE_EMPTY].text: Phrase("Cycle {cycle} is over, the draw pile is used up."),
}
"""The same for those who hear it: the sums are sentences of their own."""

_CHOSEN = Phrase("{who} has chosen.", many="{who} have chosen.")

_TARGET_WON = Phrase(
    "{who} comes closest to {target} with {card} ({distance} away) and wins {peppers} pepper.",
    many="{who} comes closest to {target} with {card} ({distance} away) and wins {peppers} peppers.",
)

_ROUND_BEGAN = Phrase("Round {round}: the target is {target}, the gap runs from {low} to {high}.")

_TARGET_WON_BY_THE_HIGHER = Phrase(
    "{lower} and {card} are both {distance} away from {target}; {who} has the higher card and wins {peppers} pepper.",
    many="{lower} and {card} are both {distance} away from {target}; {who} has the higher card "
    "and wins {peppers} peppers.",
)

_HEARD = {
    _TARGET_WON.text: Phrase(
        "{who}'s {card} is closest, {distance} away, and wins {peppers} pepper.",
        many="{who}'s {card} is closest, {distance} away, and wins {peppers} peppers.",
    ),
    _ROUND_BEGAN.text: Phrase("Round {round}: target {target}, gap {low} to {high}."),
}
"""Sentences of the log in fewer words for those who hear them one after the other; both have the same fields."""

_REFUSALS = {
    Reason.GAME_OVER: Phrase("The game is over."),
    Reason.ALREADY_CHOSEN: Phrase("You have already chosen the {card}; wait for the others."),
    Reason.NOT_IN_HAND: Phrase("You do not hold the {card}; choose a card from your hand."),
    Reason.TAKE_BACK_OFF: Phrase("At this table a choice is final."),
    Reason.NOTHING_TO_TAKE_BACK: Phrase("You have not chosen a card yet; there is nothing to take back."),
    Reason.NO_TAKE_BACKS_LEFT: Phrase("You have changed your choice {limit} times in this round; this one stays."),
}


_REVEALED = Phrase("The cards are turned over: {cards}.")
_FELL = Phrase("{who}'s {card} fits the gap and is discarded.")
_OWNED = Phrase("{who}'s {card}")
_COSTS = Phrase("{who}'s {card} (costs {peppers})")
_LEFT_OVER = Phrase(
    "{who}'s {card} is left over: it costs {peppers} card.",
    many="{who}'s {card} is left over: it costs {peppers} cards.",
)
_DREW_CARDS = Phrase("You draw {cards}.")
_SEAT_DREW_CARDS = Phrase("{who} draws {cards}.")
_RESHUFFLED = Phrase(
    "The draw pile is used up; the discard pile of {count} card is shuffled.",
    many="The draw pile is used up; the discard pile of {count} cards is shuffled.",
)
_DREW = Phrase("{who} draws {count} card.", many="{who} draws {count} cards.")

_PLAYERS = (
    Phrase("{who}: {hand} in hand, {won} won, {total}."),
    Phrase("{who}: {hand} in hand, {won} won, {total}; has chosen."),
)
_PLAYERS_WITH_PEPPERS = (
    Phrase("{who}: {hand} in hand, {won} won with {peppers}, {total}."),
    Phrase("{who}: {hand} in hand, {won} won with {peppers}, {total}; has chosen."),
)
"""A player who has not chosen yet, and one who has."""
_POINTS = Phrase("{n} point", many="{n} points")
_PEPPERS = Phrase("{n} pepper", many="{n} peppers")


@singledispatch
def fact_sentence(fact: Fact) -> Phrase | None:
    """Describe a fact in a sentence of the log. Raises TypeError for a fact of another game."""
    raise TypeError(f"Dicht dran has no fact like {fact!r}")


@fact_sentence.register
def _(fact: Chosen) -> Phrase:
    return _CHOSEN.with_fields({"who": Who(fact.seat)}, 1)


@fact_sentence.register
def _(fact: TookBack) -> Phrase:
    return Phrase("{who} takes back their choice.", {"who": Who(fact.seat)})


@fact_sentence.register
def _(fact: Revealed) -> Phrase:
    cards = [Phrase("{who} {card}", {"who": Who(Seat(seat)), "card": card}) for seat, card in enumerate(fact.cards)]
    return _REVEALED.with_fields({"cards": cards})


@fact_sentence.register
def _(fact: TargetWon) -> Phrase:
    fields: Fields = {
        "who": Who(fact.seat),
        "card": fact.card,
        "target": fact.target,
        "peppers": fact.peppers,
        "distance": fact.distance,
        "lower": 2 * fact.target - fact.card,  # as far away on the other side, where there was a tie
    }
    return (_TARGET_WON_BY_THE_HIGHER if fact.tie else _TARGET_WON).with_fields(fields, fact.peppers)


@fact_sentence.register
def _(fact: FellInGap) -> Phrase:
    return _FELL.with_fields({"who": Who(fact.seat), "card": fact.card})


@fact_sentence.register
def _(fact: Discarded) -> Phrase:
    fields: Fields = {"who": Who(fact.seat), "card": fact.card, "peppers": fact.peppers}
    return _LEFT_OVER.with_fields(fields, fact.peppers)


@fact_sentence.register
def _(fact: Reshuffled) -> Phrase:
    return _RESHUFFLED.with_fields({"count": fact.count}, fact.count)


@fact_sentence.register
def _(fact: Drew) -> Phrase:
    return _DREW.with_fields({"who": Who(fact.seat), "count": fact.count}, fact.count)


@fact_sentence.register
def _(fact: DrewCards) -> Phrase:
    return _DREW_CARDS.with_fields({"cards": list(fact.cards)})


@fact_sentence.register
def _(fact: RoundBegan) -> Phrase:
    fields: Fields = {"round": fact.round, "target": fact.target, "low": fact.low, "high": fact.high}
    if fact.high - fact.low == 1:
        return Phrase("Round {round}: the target is {target}; nothing fits between {low} and {high}.", fields)
    return _ROUND_BEGAN.with_fields(fields)


@fact_sentence.register
def _(fact: CycleScored) -> Phrase:
    return _CYCLE_OVER[fact.reason].with_fields({"cycle": fact.cycle, "scores": list(_score_phrases(fact))})


def _join_pairs(same: Sequence[Phrase], both: Phrase, card: Phrase) -> Iterator[Phrase]:
    """Join two sentences at a time, each as the name of its card: with more names one has forgotten the first."""
    for start in range(0, len(same), 2):
        pair = same[start : start + 2]
        joined = both.with_fields({"cards": [card.with_fields(each.fields) for each in pair]})
        yield joined if len(pair) > 1 else pair[0]


def _split_ends(ends: Iterable[Phrase]) -> Iterator[Phrase]:
    """Yield the ends of cycles in short sentences, one for each player."""
    for end in ends:
        yield _CYCLE_ENDS[end.text].with_fields({"cycle": end.fields["cycle"]})
        scores = end.fields["scores"]
        yield from (Phrase("{score}.", {"score": score}) for score in (scores if isinstance(scores, list) else ()))


def _score_phrases(fact: CycleScored) -> Iterator[Phrase]:
    for seat, (plus, minus, score, total) in enumerate(
        zip(fact.plus, fact.minus, fact.scores, fact.totals, strict=True)
    ):
        fields: Fields = {"who": Who(Seat(seat)), "plus": plus, "minus": minus, "score": score, "total": total}
        if fact.cycle == 1:
            yield Phrase("{who} {plus} − {minus} = {score}", fields)
        else:
            yield Phrase("{who} {plus} − {minus} = {score} (total {total})", fields)


class DichtDranText(Text[Move, View, Fact]):
    """The log, the line mode and the transcript of Dicht dran."""

    tagline = Phrase("The closest card wins the target; a card that fits the gap is discarded for free.")
    option_names: ClassVar = {
        "cycles": Phrase("Cycles"),
        "open_won": Phrase("Won peppers open"),
        "take_back": Phrase("May take back"),
    }
    option_help: ClassVar = {
        "cycles": Phrase("Each cycle deals all cards again; the points add up."),
        "open_won": Phrase("Everybody sees which peppers the others have won."),
        "take_back": Phrase("A choice may be taken back until the last one is in."),
    }

    def describe_fact(self, fact: Fact) -> Phrase | None:
        return fact_sentence(fact)

    def describe_fact_of(self, seat: Seat, fact: Fact) -> Phrase | None:
        if isinstance(fact, DrewCards):
            return _SEAT_DREW_CARDS.with_fields({"who": Who(seat), "cards": list(fact.cards)})
        return fact_sentence(fact)

    def describe_move(self, move: Move) -> Phrase:
        """Name a move: the card's number, or that the choice is taken back."""
        if isinstance(move, Play):
            return Phrase("{card}", {"card": move.card})
        return Phrase("take it back")

    def describe_decision(self, view: View) -> Phrase | None:
        return Phrase("target {target}", {"target": view.board.target_card})

    def describe_refusal(self, refusal: Refusal) -> Phrase:
        return _REFUSALS[Reason(refusal.reason)].with_fields(refusal.data)

    def describe_table(self, view: View) -> Iterable[Phrase]:
        """Describe the circle, the target and its gap, the piles, every player, and one's own cards."""
        yield from self._describe_public(view)
        yield from self.describe_hand(view)

    def describe_table_of(self, seat: Seat, view: View) -> Iterable[Phrase]:
        yield from self._describe_public(view)
        yield from self.describe_hand_of(seat, view)

    def _describe_public(self, view: View) -> Iterator[Phrase]:
        yield from _describe_open_table(view.board)
        yield from self.describe_scores(view)

    def describe_hand(self, view: View) -> Iterable[Phrase]:
        """Describe one's own cards: won, in the hand, and the one that is chosen; a spectator has none."""
        return _describe_cards(view, _OWN_CARDS, None)

    def describe_hand_of(self, seat: Seat, view: View) -> Iterable[Phrase]:
        return _describe_cards(view, _CARDS_OF, seat)

    def describe_turn(self, view: View) -> Iterable[Phrase]:
        """Describe the target, and the hand by the cost of each card if it does not win, the closest first.

        In the first round of a later cycle the circle and the peppers of the hand come before it: all of it is new.
        """
        if view.hand and not view.board.over:
            if view.board.cycle > 1 and view.board.round == 1:
                yield _name_circle(view.board)
                yield from _name_hand(view, _OWN_CARDS, None)
            yield from _describe_hand(view)

    def condense_log(self, log: Iterable[Phrase]) -> Iterable[Phrase]:
        """Join those who have chosen, and those whose cards fit the gap; leave out what another sentence implies.

        That all cards are turned over is one of these: what becomes of each card names it. The sums of a cycle become
        a sentence for each player.
        """
        phrases = list(log)
        for kind, alike in groupby(enumerate(phrases), key=lambda numbered: numbered[1].text):
            numbers, same = zip(*alike, strict=True)
            following = phrases[numbers[-1] + 1].text if numbers[-1] + 1 < len(phrases) else ""
            if kind == _CHOSEN.text and following != _REVEALED.text:  # the cards show who has chosen
                seats = [phrase.fields["who"] for phrase in same]
                yield _CHOSEN.with_fields({"who": seats}, len(seats))
            elif kind == _FELL.text:
                yield from _join_pairs(same, Phrase("{cards} fit the gap and are discarded."), _OWNED)
            elif kind == _LEFT_OVER.text:
                yield from _join_pairs(same, Phrase("{cards} are left over."), _COSTS)
            elif kind in _CYCLE_ENDS:
                yield from _split_ends(same)
            elif kind == _DREW.text:
                yield from _without_implied(same, phrases[: numbers[0]])
            elif kind in _HEARD:
                yield from (_HEARD[kind].with_fields(phrase.fields, phrase.number) for phrase in same)
            elif kind not in (_CHOSEN.text, _REVEALED.text):
                yield from same

    def describe_scores(self, view: View) -> Iterable[Phrase]:
        """Describe every player: cards in hand, cards won, points of the cycles that are over."""
        for seat, has_chosen in enumerate(view.chosen):
            yield _describe_player(view.board, Seat(seat), has_chosen)

    def count_points(self, turns: Sequence[Sequence[Fact]]) -> Iterator[Gain]:
        """Count the peppers of each target that was won, and those in the hand at the end of each cycle."""
        for fact in (fact for facts in turns for fact in facts):
            if isinstance(fact, TargetWon) and fact.peppers:
                yield Gain(fact.seat, fact.peppers, Phrase("{card}", {"card": fact.target}), _WON)
            elif isinstance(fact, CycleScored):
                for seat, minus in enumerate(fact.minus):
                    if minus:
                        yield Gain(Seat(seat), -minus, _HAND, _IN_HAND)

    def list_remarks(self, turns: Sequence[Sequence[Fact]], player: Seat, bots: Collection[Seat]) -> Iterator[Remark]:
        """Yield a player's costliest choice, a bot's best one, and the decision of the game."""
        return list_remarks(turns, player, bots)


_WON = Phrase("peppers won")
_HAND = Phrase("hand")
_IN_HAND = Phrase("in the hand")


def _describe_open_table(board: Board) -> Iterator[Phrase]:
    if board.over:
        yield Phrase("The game is over.")
        return
    low, high = board.gap
    yield Phrase(
        "Cycle {cycle} of {cycles}, round {round}.",
        {"cycle": board.cycle, "cycles": board.options.cycles, "round": board.round},
    )
    yield _name_circle(board)
    yield _describe_target(board)
    yield _describe_gap(high - low - 1).with_fields({"low": low, "high": high, "first": low + 1, "last": high - 1})
    yield Phrase("Draw pile {pile}, discard pile {discard}.", {"pile": board.pile, "discard": board.discard})


def _name_circle(board: Board) -> Phrase:
    return Phrase("The circle, clockwise: {cards}.", {"cards": list(_describe_circle(board))})


def _describe_target(board: Board) -> Phrase:
    peppers = peppers_by_card(board.options.peppers)[board.target_card]
    return Phrase(
        "The target {target} has {peppers} pepper.",
        {"target": board.target_card, "peppers": peppers},
        many="The target {target} has {peppers} peppers.",
        number=peppers,
    )


def _describe_hand(view: View) -> Iterator[Phrase]:
    """Describe the hand by distance from the target, the higher one of two first (A10), in groups of one cost.

    A card costs as many drawn cards as it has peppers. Free ones are in the order of theirs, which count against a
    hand, where that makes a difference of more than one: each word is one more to listen to.
    """
    peppers = peppers_by_card(view.board.options.peppers)
    weighed = weigh_hand(view.board, view.hand, peppers)
    ordered = sorted(weighed, key=lambda each: (each.distance, -each.card))
    prize = peppers[view.board.target_card]
    yield Phrase(
        "For {peppers} pepper, {card} is closest.",
        {"peppers": prize, "card": ordered[0].card},
        "For {peppers} peppers, {card} is closest.",
        prize,
    )
    free = [each for each in ordered if each.fits]
    if free:
        counts = {each.peppers for each in free}
        if max(counts) - min(counts) > 1:
            free = sorted(free, key=lambda each: -each.peppers)
            yield Phrase("Free, by peppers: {cards}.", {"cards": [each.card for each in free]})
        else:
            yield Phrase("Free: {cards}.", {"cards": [each.card for each in free]})
    for cost in sorted({each.peppers for each in ordered if not each.fits}):
        cards = [each.card for each in ordered if not each.fits and each.peppers == cost]
        yield Phrase("Costs {n}: {cards}.", {"n": cost, "cards": cards})


def _without_implied(drew: Sequence[Phrase], before: Sequence[Phrase]) -> Iterator[Phrase]:
    """Leave out who draws as many cards as the card costs that they have left over, as was said just before."""
    between = (_LEFT_OVER.text, _RESHUFFLED.text, _DREW.text, _DREW_CARDS.text, _SEAT_DREW_CARDS.text)
    discards = takewhile(lambda phrase: phrase.text in between, reversed(before))
    implied = [
        (phrase.fields["who"], phrase.fields["peppers"]) for phrase in discards if phrase.text == _LEFT_OVER.text
    ]
    return (phrase for phrase in drew if (phrase.fields["who"], phrase.fields["count"]) not in implied)


def _describe_gap(width: int) -> Phrase:
    match width:
        case 0:
            return Phrase("Nothing fits between {low} and {high}.")
        case 1:
            return Phrase("The gap runs from {low} to {high}: only the {first} fits.")
        case _:
            return Phrase("The gap runs from {low} to {high}: cards from {first} to {last} fit.")


def _describe_circle(board: Board) -> Iterator[Phrase]:
    for slot, card in enumerate(board.circle):
        yield Phrase("{card} (target)" if slot == board.target else "{card}", {"card": card})


def _describe_player(board: Board, seat: Seat, has_chosen: bool) -> Phrase:
    total, peppers = board.totals[seat], board.won_peppers[seat] if board.won_peppers else 0
    fields: Fields = {
        "who": Who(seat),
        "hand": board.hands[seat],
        "won": board.won[seat],
        "total": _POINTS.with_fields({"n": total}, total),
        "peppers": _PEPPERS.with_fields({"n": peppers}, peppers),
    }
    sentence = _PLAYERS_WITH_PEPPERS if board.won_peppers else _PLAYERS
    return sentence[has_chosen].with_fields(fields)


class _CardWords(NamedTuple):
    """The sentences about the cards of a seat: what it has won, what it holds, and what it has chosen."""

    won: Phrase
    held: Phrase
    chosen: Phrase


_OWN_CARDS = _CardWords(
    Phrase("You have won {cards}: {peppers}."),
    Phrase("Your hand, with peppers: {hand}."),
    Phrase("You have chosen the {card}."),
)
_CARDS_OF = _CardWords(
    Phrase("{who} has won {cards}: {peppers}."),
    Phrase("{who} holds, with peppers: {hand}."),
    Phrase("{who} has chosen the {card}."),
)
"""The same for a reader who sits elsewhere."""


def _describe_cards(view: View, words: _CardWords, seat: Seat | None) -> Iterator[Phrase]:
    peppers = peppers_by_card(view.board.options.peppers)
    owner: Fields = {} if seat is None else {"who": Who(seat)}
    if view.won:
        won = sum(peppers[card] for card in view.won)
        peppers_won = _PEPPERS.with_fields({"n": won}, won)
        yield words.won.with_fields({**owner, "cards": list(view.won), "peppers": peppers_won})
    if view.hand:
        yield from _name_hand(view, words, seat)
    if view.pick is not None:
        yield words.chosen.with_fields({**owner, "card": view.pick})


_MOST_NAMED = 6
"""Cards with their peppers in one sentence; a longer hand has two."""


def _name_hand(view: View, words: _CardWords, seat: Seat | None) -> Iterator[Phrase]:
    peppers = peppers_by_card(view.board.options.peppers)
    hand = [Phrase("{card} ({peppers})", {"card": card, "peppers": peppers[card]}) for card in view.hand]
    first = len(hand) if len(hand) <= _MOST_NAMED else (len(hand) + 1) // 2
    owner: Fields = {} if seat is None else {"who": Who(seat)}
    yield words.held.with_fields({**owner, "hand": hand[:first]})
    if hand[first:]:
        yield Phrase("Also in this hand: {hand}.", {"hand": hand[first:]})
