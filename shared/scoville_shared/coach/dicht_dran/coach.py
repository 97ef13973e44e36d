"""The coach of Dicht dran: it remembers all cards, plays the game out, and gives reasons for a card."""

from collections.abc import Iterable, Iterator, MutableSequence, Sequence
from math import comb
from typing import Any, ClassVar, NamedTuple

from scoville_shared.bots.dicht_dran.kernel import CLOSEST, MIXED, SIMPLE, SLOTS, STRIDE, TRAINED, closeness_of
from scoville_shared.bots.dicht_dran.policies import POPULATION
from scoville_shared.bots.dicht_dran.search import Remembered
from scoville_shared.bots.dicht_dran.table import KnownCycle, list_seen, list_worth, make_space, read_cycle
from scoville_shared.bots.machine import Machine
from scoville_shared.coach.base import Coach, Policy, PublicDecision, SampledQuestion, Sums
from scoville_shared.coach.dicht_dran import kernel
from scoville_shared.coach.dicht_dran.keeping import GREAT_KEEPER, KEEPER, NO_KEEPER, Keeping, odds_of_cards
from scoville_shared.coach.sample import Aim, Figures, Weighed, add_price
from scoville_shared.coach.tally import COLUMNS
from scoville_shared.engine.phrases import Fields, Phrase
from scoville_shared.games.dicht_dran.cards import DECK, peppers_by_card
from scoville_shared.games.dicht_dran.facts import Fact, Revealed, TargetWon
from scoville_shared.games.dicht_dran.state import Board, State, View
from scoville_shared.ids import Seat
from scoville_shared.solvers.dicht_dran.equilibrium import round_game, shares_of
from scoville_shared.values import Plain

PLAYERS = 2
"""An equilibrium of a round is computed for so many players."""


class RoundQuestion(SampledQuestion, frozen=True, kw_only=True):
    """A choice of a card from the hand; `unseen` are the cards that may be in other hands or the pile.

    Of a `hand` that is known in part only the known cards are moves; the others are among the unseen ones. `keepers`
    is how well each seat keeps cards (see `keeping`); nothing where every hand is equally likely.
    """

    cycle: KnownCycle
    me: int
    hand: list[int]
    unseen: list[int]
    known: list[int]
    keepers: tuple[int, ...] = ()

    def add_worlds(self, machine: Machine, worlds: range, rng: MutableSequence[int] | None, to: Sums) -> None:
        """Play the cards out."""
        numbers, table = machine.numbers, self.cycle
        seats = len(table.sizes)
        machine.load(kernel).compare_cards(
            list_seen(machine, table, self.me, self.hand, self.unseen),
            numbers(int(move["card"]) for move in self.moves),
            list_worth(machine, table.peppers, seats), numbers(self.known), len(POPULATION),
            self._list_keeping(machine), len(worlds), rng, _make_space(machine, seats, len(self.moves)), *to,
        )  # fmt: skip

    def _list_keeping(self, machine: Machine) -> Keeping:
        """Return in a machine's numbers which unseen cards are likely to be held."""
        table = self.cycle
        if not any(self.keepers):
            return Keeping(machine.numbers([]), machine.floats([]))
        hands = [
            keeper
            for seat, (keeper, size) in enumerate(zip(self.keepers, table.sizes, strict=True))
            for _ in range(size - len(self.hand) if seat == self.me else size)
        ]
        places = (hands + [NO_KEEPER] * len(self.unseen))[: len(self.unseen)]
        return Keeping(machine.numbers(places), machine.floats(odds_of_cards(table.circle, table.slot, table.peppers)))

    def equilibrium_shares(self, machine: Machine) -> tuple[float, ...]:
        """Return how often an equilibrium of this round plays each card; that of two players who know their hands."""
        table, hand = self.cycle, self.hand
        # With part of a hand, as in a bot's public decision, there is nothing to mix from.
        if len(table.sizes) != PLAYERS or len(hand) != table.sizes[self.me]:
            return ()
        sizes = (len(hand), table.sizes[1 - self.me])
        game = round_game(table.circle, table.slot, [*hand, *self.unseen], table.peppers, sizes)
        found = shares_of(game, hand, machine)
        return tuple(found[hand.index(int(move["card"]))] for move in self.moves) if found else ()


class ChanceQuestion(NamedTuple):
    """All players' chances with these hands; `over` once the last cycle is scored."""

    cycle: KnownCycle
    hands: list[list[int]]
    pile: list[int]
    known: list[int]
    over: bool

    @property
    def seats(self) -> int:
        return len(self.cycle.sizes)

    def add_worlds(
        self, machine: Machine, worlds: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        """Play the game out."""
        table, seats = self.cycle, self.seats
        places = [card for hand in self.hands for card in (hand + [0] * STRIDE)[:STRIDE]]
        machine.load(kernel).expect_scores(
            list_seen(machine, table, -1, places, self.pile), self.over, list_worth(machine, table.peppers, seats),
            machine.numbers(self.known), len(POPULATION), worlds, rng, _make_space(machine, seats, 0), sums,
        )  # fmt: skip


def _make_space(machine: Machine, seats: int, moves: int) -> kernel.Space:
    return kernel.Space(
        make_space(machine, seats), machine.numbers([0] * seats), machine.floats([0.0] * (COLUMNS * moves))
    )


MEAN_PEPPERS = 2
"""Peppers counted for a won card that the coach has not seen."""


_HINT = Phrase(
    "Which of your cards is closest to the {target}, and who may hold one that is closer? A card that fits the gap "
    "costs nothing if it does not win."
)


class RoundCoach(Coach):
    """Advises on the card to choose."""

    unit = Phrase("peppers")
    headlines = (TargetWon,)
    puzzle_options: ClassVar = {"cycles": 1, "open_won": True}
    like_level: ClassVar = {
        "easy": CLOSEST, "casual": MIXED, "sensible": SIMPLE, "strong": TRAINED, "master": TRAINED,
    }  # fmt: skip
    keeps_like: ClassVar = {"strong": KEEPER, "master": GREAT_KEEPER}
    """How well bots of a level keep cards for targets to come; hands of all others are equally likely."""

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self._remembered = Remembered()

    def observe_fact(self, fact: Any) -> None:
        self._remembered.observe_fact(fact)

    def make_question(self, view: View, policy: Policy | None = None, aim: Aim = Aim.WIN) -> RoundQuestion | None:
        board, seat = view.board, view.seat
        if seat is None or board.over or view.pick is not None or board.hands[seat] < 2:
            return None
        return self._make_round_question(view, seat, policy or self.policy, aim)

    def make_course_question(self, state: State) -> ChanceQuestion:
        secret, board = state.secret, state.board
        peppers = peppers_by_card(board.options.peppers)
        won = [sum(peppers[card] for card in cards) for cards in secret.won]
        cycle = read_cycle(board, list(secret.discard), won)
        return ChanceQuestion(
            cycle,
            [list(hand) for hand in secret.hands],
            list(secret.pile),
            self.list_known_policies(len(board.hands)),
            board.over,
        )

    def write_hint(self, view: View) -> Phrase:
        return _HINT.with_fields({"target": view.board.circle[view.board.target]})

    def explain_move(self, view: View, question: RoundQuestion, weighed: Weighed) -> Phrase:
        return explain_card(view, question, weighed)

    def name_error(self, view: View, question: RoundQuestion, weighed: Weighed) -> Phrase:  # noqa: ARG002
        return name_wrong_card(view, weighed)

    def name_reason(self, view: View, question: RoundQuestion, weighed: Weighed) -> Phrase:
        return name_right_card(view, question, weighed)

    def explain_balance(self, moves: Sequence[Plain], shares: Sequence[float]) -> Phrase:
        """Say how often an equilibrium of this round plays each card."""
        return describe_mixture(moves, shares)

    def public_moves(self, facts: Iterable[Fact]) -> Iterator[tuple[Seat, Plain]]:
        for fact in facts:
            if isinstance(fact, Revealed):
                yield from ((Seat(seat), {"card": card}) for seat, card in enumerate(fact.cards))

    def public_decision(self, board: Board, seat: Seat, move: Plain) -> PublicDecision | None:
        """Return the card with its figures alone: the rest of the hand is hidden."""
        if board.hands[seat] < 2:
            return None
        hand, nobody = (int(move["card"]),), (False,) * len(board.hands)
        view = View(board=board, chosen=nobody, seat=seat, hand=hand, pick=None, won=(), take_backs=0)
        return PublicDecision(view, self._make_round_question(view, seat, self.policy, Aim.WIN), 0)

    def undoes_choice(self, move: Plain) -> bool:
        return "take_back" in move

    def _make_round_question(self, view: View, seat: Seat, policy: Policy, aim: Aim) -> RoundQuestion:
        seats = len(view.board.hands)
        return RoundQuestion(
            moves=[{"card": card} for card in view.hand],
            cycle=self._read_known_cycle(view),
            me=seat,
            hand=list(view.hand),
            unseen=self._list_unseen(view),
            known=[TRAINED] * seats if policy is Policy.TRAINED else self.list_known_policies(seats),
            keepers=() if policy is Policy.TRAINED else self._list_keepers(view.board),
            policy=policy,
            aim=aim,
        )

    def _list_keepers(self, board: Board) -> tuple[int, ...]:
        """Return how well each seat keeps cards; nothing where no hand tells of it."""
        # Before the first card of a cycle is played every hand is equally likely.
        if not any(board.won):
            return ()
        return tuple(self.keeps_like.get(self.level_of(seat), NO_KEEPER) for seat in range(len(board.hands)))

    def _read_known_cycle(self, view: View) -> KnownCycle:
        """Return the cycle; of a seat that has not seen all of it, with what it can conclude."""
        board, known = view.board, self._remembered
        # Every won card was a target, so with fewer of them a part of the cycle was missed.
        complete = len(known.targets) == sum(board.won)
        won = [known.won.get(seat, 0) if complete else MEAN_PEPPERS * count for seat, count in enumerate(board.won)]
        return read_cycle(board, list(known.discard), list(board.won_peppers or won))

    def _list_unseen(self, view: View) -> list[int]:
        known = self._remembered
        seen = {*view.board.circle, *view.hand, *view.won, *known.discard, *known.targets}
        return [card for card in DECK if card not in seen]


UNIT = Phrase("peppers")

_FITS = Phrase("fits the gap; {rivals}; peppers in this round: {peppers}")
_DRAWS = Phrase(
    "does not fit: draws {count} card if it does not win; {rivals}; peppers in this round: {peppers}",
    many="does not fit: draws {count} cards if it does not win; {rivals}; peppers in this round: {peppers}",
)
_UNBEATABLE = Phrase("no card beats it")
_BEATEN = Phrase("only the {cards} beats it; {percent} % that somebody holds it")
_BEATEN_BY_FEW = Phrase("only {cards} beat it; {percent} % that somebody holds one of them")
_BEATEN_BY_MANY = Phrase("{count} unseen cards beat it: wins the target in {wins} %")
_HOPELESS = Phrase("too far from the target to win")

_MORE = Phrase("{why}, {now} more than with the {rival}")
_MORE_AND_MORE = Phrase("{why}, {now} more than with the {rival}, and {later} more later")
_MORE_THEN_FEWER = Phrase("{why}, {now} more than with the {rival}, though {later} fewer later")
_FEWER_THEN_MORE = Phrase("{why}, {now} fewer than with the {rival}, but {later} more later")
_LATER = Phrase("{why}, as with the {rival}, but {later} more later")

_KEEPS = Phrase("{why}: keeps the {rival} for the next target, the {target}")
_KEEPS_LONGER = Phrase("{why}: keeps the {rival} for a later target, the {target}")
_UNFIT = Phrase("{why}: as the circle will lie, the {rival} fits {theirs} of the next 5 gaps, this card {ours}")

_ALWAYS = Phrase("If only this round counted: always the {card}. Nobody can exploit that.")
_IN_TURN = Phrase("If only this round counted: {cards}. Nobody can exploit that.")
_PART = Phrase("the {card} in {percent} % of cases")

_NEEDLESS_DRAW = Phrase("draws cards where another card fits the gap")
_TOO_GOOD = Phrase("spends a card that is too good for this target")
_TOO_WEAK = Phrase("lets a target go that could be won")
_WRONG_LOSER = Phrase("gives up a card that is needed later")

_PUZZLE_FITS = Phrase("It fits the gap: losing costs nothing.")
_PUZZLE_UNBEATABLE = Phrase("No card is closer to the target.")
_PUZZLE_WINS = Phrase("It most likely wins the target.")
_PUZZLE_SAVES = Phrase("It saves the closer card for later.")
_PUZZLE_KEEPS = Phrase("It keeps the cards that fit later.")

FEW = 3
NOTICEABLE = 0.2
"""Peppers that make a difference."""

HOPEFUL = 0.2
"""A card is kept for a target if at least so likely nobody holds a closer one now."""

LIKELY = 0.5
"""A card that wins the target more often is expected to take its place in the circle."""

SELDOM = 0.005
"""A card that wins the target less often is said not to win it."""


def explain_card(view: View, question: RoundQuestion, weighed: Weighed) -> Phrase:
    """Give the reason for or against a card, and compare the best one with its rival."""
    why = _main_reason(view, question, weighed.figures)
    if weighed.is_best and weighed.rival is not weighed.figures:
        why = _compare_with_best(view, question, weighed, why)
    return add_price(why, weighed, UNIT, NOTICEABLE, fewer=False)


def _compare_with_best(view: View, question: RoundQuestion, weighed: Weighed, why: Phrase) -> Phrase:
    """Split the lead of a card over its rival into this round and later ones, where that is a gain."""
    now = weighed.figures.second - weighed.rival.second
    later = weighed.figures.score.mean - weighed.rival.score.mean - now
    fields: Fields = {
        "why": why,
        "rival": int(weighed.rival.move["card"]),
        "now": round(abs(now), 1),
        "later": round(abs(later), 1),
    }
    # Where only both together are noticeable, the greater part is still named.
    least = min(NOTICEABLE, max(now, later)) if now + later >= NOTICEABLE else NOTICEABLE
    if now >= least:
        worse = _MORE_THEN_FEWER if later <= -least else _MORE
        return (
            _add_kept_card(view, question, weighed, _MORE_AND_MORE.with_fields(fields))
            if later >= least
            else worse.with_fields(fields)
        )
    if later < least:
        return why
    return _add_kept_card(view, question, weighed, (_FEWER_THEN_MORE if now <= -least else _LATER).with_fields(fields))


def _add_kept_card(view: View, question: RoundQuestion, weighed: Weighed, why: Phrase) -> Phrase:
    """Say why the rival is worth keeping, where the circle tells."""
    card, rival = int(weighed.figures.move["card"]), int(weighed.rival.move["card"])
    fields: Fields = {"why": why, "rival": rival}
    for step in range(1, SLOTS):
        target = view.board.circle[(view.board.target + step) % SLOTS]
        if min(view.hand, key=lambda held: closeness_of(held, target)) == rival:
            chance = 1.0 - _chance_of_closer_card(view, question, rival, target)
            if chance >= HOPEFUL:
                return (_KEEPS if step == 1 else _KEEPS_LONGER).with_fields({**fields, "target": target})
    # The card that probably wins is in the circle then, and is an edge of the gaps beside it.
    ours = next_gaps_that_fit(view, card, rival if weighed.rival.first > LIKELY else None)
    theirs = next_gaps_that_fit(view, rival, card if weighed.figures.first > LIKELY else None)
    return _UNFIT.with_fields({**fields, "ours": ours, "theirs": theirs}) if theirs > ours else why


def next_gaps_that_fit(view: View, card: int, placed: int | None = None) -> int:
    """Count the gaps of the next five rounds that a card would fit if the circle then stays as it is.

    `placed` is the card that takes the target's place, if one does.
    """
    circle, target = list(view.board.circle), view.board.target
    circle[target] = placed or circle[target]
    around = [(circle[(target + step - 1) % SLOTS], circle[(target + step + 1) % SLOTS]) for step in range(1, SLOTS)]
    return sum(min(pair) < card < max(pair) for pair in around)


def describe_mixture(moves: Sequence[Plain], shares: Sequence[float]) -> Phrase:
    """Say how often an equilibrium of the round plays each card, the most frequent first."""
    # Without cards that are never played: a share of 0 % is no advice.
    order = sorted(zip(shares, moves, strict=True), key=lambda each: -each[0])
    parts = [
        _PART.with_fields({"card": int(move["card"]), "percent": round(100 * share)})
        for share, move in order
        if share > 0
    ]
    return (
        _ALWAYS.with_fields({"card": int(order[0][1]["card"])})
        if len(parts) == 1
        else _IN_TURN.with_fields({"cards": parts})
    )


def name_wrong_card(view: View, weighed: Weighed) -> Phrase:
    """Name the kind of error that a worse card is."""
    played, best = weighed.figures, weighed.rival
    card, better = int(played.move["card"]), int(best.move["card"])
    (low, high), target = view.board.gap, view.board.target_card
    if low < better < high and not low < card < high and played.first <= best.first:
        return _NEEDLESS_DRAW
    if max(played.first, best.first) < HOPEFUL:
        return _WRONG_LOSER
    return _TOO_GOOD if closeness_of(card, target) < closeness_of(better, target) else _TOO_WEAK


def name_right_card(view: View, question: RoundQuestion, weighed: Weighed) -> Phrase:
    """Say in a few words why the best card is better than its rival."""
    best, rival = weighed.figures, weighed.rival
    card, other = int(best.move["card"]), int(rival.move["card"])
    (low, high), target = view.board.gap, view.board.target_card
    if best.first > LIKELY:
        return _PUZZLE_WINS if _cards_closer(question, card, target) else _PUZZLE_UNBEATABLE
    if low < card < high and not low < other < high:
        return _PUZZLE_FITS
    if max(best.first, rival.first) >= HOPEFUL and closeness_of(other, target) < closeness_of(card, target):
        return _PUZZLE_SAVES
    return _PUZZLE_WINS if best.first >= max(HOPEFUL, rival.first) else _PUZZLE_KEEPS


def _main_reason(view: View, question: RoundQuestion, figures: Figures) -> Phrase:
    card = int(figures.move["card"])
    low, high = view.board.gap
    count = question.cycle.peppers[card]
    fields: Fields = {
        "count": count,
        "rivals": _name_rivals(view, question, figures),
        "peppers": round(figures.second, 1),
    }
    return _FITS.with_fields(fields) if low < card < high else _DRAWS.with_fields(fields, count)


def chance_of_being_held(cards: int, hands: int, unseen: int) -> float:
    """Return how likely at least one of some cards is in the other hands, if every deal is equally likely."""
    # Hypergeometric: the deals in which all of them lie outside of the hands.
    return 1.0 - comb(unseen - cards, hands) / comb(unseen, hands)


def _cards_closer(question: RoundQuestion, card: int, target: int) -> list[int]:
    """Return the unseen cards that beat a card."""
    return [other for other in question.unseen if closeness_of(other, target) < closeness_of(card, target)]


def _chance_of_closer_card(view: View, question: RoundQuestion, card: int, target: int) -> float:
    """Return how likely another hand holds a card that beats this one."""
    hands = sum(view.board.hands) - view.board.hands[question.me]
    return chance_of_being_held(len(_cards_closer(question, card, target)), hands, len(question.unseen))


def _name_rivals(view: View, question: RoundQuestion, figures: Figures) -> Phrase:
    """Say which cards beat a card, or how often it wins."""
    card, target = int(figures.move["card"]), view.board.target_card
    closer = _cards_closer(question, card, target)
    if not closer:
        return _UNBEATABLE
    fields: Fields = {"cards": closer, "count": len(closer), "wins": round(100 * figures.first)}
    if len(closer) <= FEW:
        percent = round(100 * _chance_of_closer_card(view, question, card, target))
        return (_BEATEN if len(closer) == 1 else _BEATEN_BY_FEW).with_fields({**fields, "percent": percent})
    return _BEATEN_BY_MANY.with_fields(fields) if figures.first >= SELDOM else _HOPELESS
