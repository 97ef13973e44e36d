"""Rules of Dicht dran: come closest to the target card, or let your card fall through the gap.

`round.py` resolves a round by the rulebook's four actions. The numbers in brackets are those of the rulings in
docs/rules. Imagined worlds are states that a View could come from, for bots that search: the unseen cards are dealt to
wherever unseen cards may be, others' hands and won cards, the draw pile, the discard.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice, product
from typing import ClassVar, NamedTuple, TypeGuard

from scoville_shared.engine.codec import Codec
from scoville_shared.engine.contract import Addressed, DailyPlan, Game, Info, Outcome, Refusal, Step, rank_places
from scoville_shared.engine.dice import Dice, Stream
from scoville_shared.engine.play import NOBODY
from scoville_shared.engine.tuples import with_item
from scoville_shared.games.dicht_dran.cards import DECK, HIGHEST, LOWEST, peppers_by_card, read_peppers
from scoville_shared.games.dicht_dran.facts import AnyFact, Chosen, Fact, TookBack
from scoville_shared.games.dicht_dran.round import deal_first_cycle, resolve_round
from scoville_shared.games.dicht_dran.state import (
    CIRCLE_SLOTS,
    FEWEST_SEATS,
    MOST_CYCLES,
    MOST_SEATS,
    PLAYS,
    TAKE_BACK,
    TAKE_BACKS,
    Ending,
    Move,
    Options,
    Play,
    Reason,
    Secret,
    State,
    TakeBack,
    View,
)
from scoville_shared.games.dicht_dran.text import DichtDranText
from scoville_shared.ids import Seat

MOST_CHOICES = MOST_CYCLES * (HIGHEST - CIRCLE_SLOTS)
"""A card that was played does not come back in its cycle, and the first six of the circle are never played."""

# Made once: all moves but the last of a round have no other fact.
_CHOSEN = tuple((Addressed[Fact](None, Chosen(Seat(seat))),) for seat in range(MOST_SEATS))
_TOOK_BACK = tuple((Addressed[Fact](None, TookBack(Seat(seat))),) for seat in range(MOST_SEATS))


class DichtDran(Game[Options, State, Move, View, Fact]):
    """Dicht dran as an object of the game contract."""

    info = Info(
        slug="dicht_dran",
        title="Dicht dran",
        seats=(FEWEST_SEATS, MOST_SEATS),
        official=(3, 5),
        rules_version=1,
        # Each taking back is a move, and so is the choice that follows it.
        max_moves=MOST_CHOICES * (1 + 2 * TAKE_BACKS),
    )
    codec: Codec[Options, State, Move, View, Fact] = Codec(
        options=Options, state=State, moves=(Play, TakeBack), view=View, fact=AnyFact
    )
    text = DichtDranText()
    daily_plans = (
        DailyPlan(levels=("easy",) * 2),
        DailyPlan(levels=("casual",) * 2),
        DailyPlan(levels=("casual", "casual", "sensible"), options={"open_won": True}),
        DailyPlan(levels=("sensible",) * 3),
        DailyPlan(levels=("sensible",) * 4),
        DailyPlan(levels=("sensible", "sensible", "sensible", "strong")),
        DailyPlan(levels=("strong", "sensible", "strong", "sensible"), options={"open_won": True}),
    )
    option_files: ClassVar = {"peppers": read_peppers}

    def setup(self, options: Options, seats: int, dice: Dice) -> State:
        return deal_first_cycle(options, seats, dice)

    def pending(self, state: State) -> frozenset[Seat]:
        """Return the seats that have not chosen yet: a round is one simultaneous phase (1st action)."""
        return NOBODY if state.board.over else _list_undecided(state.chosen)

    def check(self, state: State, seat: Seat, move: Move) -> Refusal | None:
        """Check that a seat that has not chosen holds the card, or that a choice may be taken back (A25)."""
        if state.board.over:
            return Refusal(Reason.GAME_OVER)
        if isinstance(move, Play):
            return _check_play(state, seat, move.card)
        return _check_take_back(state, seat)

    def apply(self, state: State, seat: Seat, move: Move) -> Step[State, Fact]:
        """Keep a choice, and resolve the round with the last one; or give a choice back (A25)."""
        if not isinstance(move, Play):
            return _take_back(state, seat)
        picks = with_item(state.picks, seat, move.card)
        if _have_all_chosen(picks):
            return resolve_round(state, picks)
        chosen = with_item(state.chosen, seat, True)
        return Step(State(state.board, state.secret, chosen, picks, state.taken_back), _CHOSEN[seat])

    def outcome(self, state: State) -> Outcome | None:
        """Rank the totals of all cycles; ties share the win (A22)."""
        if not state.board.over:
            return None
        totals = state.board.totals
        return Outcome(scores=totals, places=rank_places(totals), reason=Ending.CYCLES_PLAYED)

    def round(self, state: State) -> tuple[int, ...]:
        return (state.board.cycle, state.board.round)

    def view(self, state: State, seat: Seat | None) -> View:
        """Show the open board, who has chosen, and the seat's own cards; to a spectator no cards."""
        if seat is None:
            return View(board=state.board, chosen=state.chosen, seat=None, hand=(), pick=None, won=(), take_backs=0)
        return View(
            board=state.board,
            chosen=state.chosen,
            seat=seat,
            hand=state.secret.hands[seat],
            pick=state.picks[seat],
            won=state.secret.won[seat],
            take_backs=take_backs_left(state.board.options, state.taken_back[seat]),
        )

    def moves(self, view: View) -> Sequence[Move]:
        """List the cards to choose from; after the choice at most its taking back (A25)."""
        if view.board.over:
            return ()
        if view.pick is None:
            return [PLAYS[card] for card in view.hand]
        return (TAKE_BACK,) if view.take_backs else ()

    def fallback(self, view: View) -> Play:
        """Choose the card closest to the target; of two the one with more peppers, then the higher."""
        target = view.board.target_card
        peppers = peppers_by_card(view.board.options.peppers)
        return PLAYS[min(view.hand, key=lambda card: (abs(card - target), -peppers[card], -card))]

    def imagine(self, view: View, dice: Dice) -> State:
        """Deal the unseen cards by chance: others' won cards, hands and picks, the pile and the discard."""
        return imagine_state(view, dice)


def _check_play(state: State, seat: Seat, card: int) -> Refusal | None:
    pick = state.picks[seat]
    if pick is not None:
        return Refusal(Reason.ALREADY_CHOSEN, {"card": pick})
    if card not in state.secret.hands[seat]:
        return Refusal(Reason.NOT_IN_HAND, {"card": card})
    return None


def _check_take_back(state: State, seat: Seat) -> Refusal | None:
    options = state.board.options
    if not options.take_back:
        return Refusal(Reason.TAKE_BACK_OFF)
    if state.picks[seat] is None:
        return Refusal(Reason.NOTHING_TO_TAKE_BACK)
    if not take_backs_left(options, state.taken_back[seat]):
        return Refusal(Reason.NO_TAKE_BACKS_LEFT, {"limit": TAKE_BACKS})
    return None


def _take_back(state: State, seat: Seat) -> Step[State, Fact]:
    chosen = with_item(state.chosen, seat, False)
    picks = with_item(state.picks, seat, None)
    taken_back = with_item(state.taken_back, seat, state.taken_back[seat] + 1)
    return Step(State(state.board, state.secret, chosen, picks, taken_back), _TOOK_BACK[seat])


# Asked for at each step; there are at most two to the power of the seats.
@cache
def _list_undecided(chosen: tuple[bool, ...]) -> frozenset[Seat]:
    return frozenset(Seat(seat) for seat, has in enumerate(chosen) if not has)


def _have_all_chosen(picks: tuple[int | None, ...]) -> TypeGuard[tuple[int, ...]]:
    return None not in picks


def take_backs_left(options: Options, taken_back: int) -> int:
    """Count how often a seat may still take back its choice in this round (A25)."""
    return TAKE_BACKS - taken_back if options.take_back else 0


GAME = DichtDran()


Piles = tuple[tuple[int, ...], ...]
Mix = tuple[int, int, int]
"""How many cards with one, two and three peppers."""


class Need(NamedTuple):
    """How many won cards a seat needs, and how many peppers on them."""

    cards: int
    peppers: int


def imagine_state(view: View, dice: Dice) -> State:
    """Deal the unseen cards by chance: others' won cards, hands and picks, the pile and the discard."""
    chance = dice.open_stream("dicht_dran/imagine")
    board = view.board
    seen = {*board.circle, *view.hand, *view.won}
    unseen = chance.shuffle_cards(card for card in DECK if card not in seen)
    # 1 and 100 come into no hand, so another seat has won those that have left the circle (A5).
    rims = [card for card in (LOWEST, HIGHEST) if card not in seen]
    won = imagine_won(view, unseen, rims, chance)
    hidden = iter([card for card in unseen if not any(card in pile for pile in won)])
    hands = tuple(
        view.hand if seat == view.seat else tuple(sorted(islice(hidden, size))) for seat, size in enumerate(board.hands)
    )
    pile = tuple(islice(hidden, board.pile))
    discard = tuple(hidden)
    assert len(discard) == board.discard, "a View accounts for all hundred cards"
    return State(
        board=board,
        secret=Secret(dice=dice, hands=hands, won=won, pile=pile, discard=discard),
        chosen=view.chosen,
        picks=_draw_picks(view, hands, chance),
        taken_back=tuple(_taken_back(view) if seat == view.seat else 0 for seat in range(len(hands))),
    )


def _draw_picks(view: View, hands: tuple[tuple[int, ...], ...], chance: Stream) -> tuple[int | None, ...]:
    def pick(seat: int, has_chosen: bool) -> int | None:
        if seat == view.seat:
            return view.pick
        return hands[seat][chance.draw_below(len(hands[seat]))] if has_chosen else None

    return tuple(pick(seat, has_chosen) for seat, has_chosen in enumerate(view.chosen))


def _taken_back(view: View) -> int:
    return TAKE_BACKS - view.take_backs if view.board.options.take_back else 0


def imagine_won(view: View, unseen: Sequence[int], rims: Sequence[int], chance: Stream) -> Piles:
    """Give every other seat won cards from `unseen` (shuffled); the cards in `rims` must be among them (A5)."""
    others = [seat for seat, count in enumerate(view.board.won) if count and seat != view.seat]
    # In random order, of which the first that works is taken: else the first seat would always have won both of them.
    owners = chance.shuffle_cards(product(others, repeat=len(rims)))
    for owner in owners:
        held = {seat: tuple(rim for rim, who in zip(rims, owner, strict=True) if who == seat) for seat in others}
        piles = _deal_hands(view, held, unseen)
        if piles is not None:
            return tuple(view.won if seat == view.seat else piles.get(seat, ()) for seat in range(len(view.board.won)))
    raise AssertionError("a View of a real game has a world it could come from")


def _deal_hands(
    view: View, held: dict[int, tuple[int, ...]], unseen: Sequence[int]
) -> dict[int, tuple[int, ...]] | None:
    """Add the missing cards to those that the seats already hold; None if the board's counts cannot be met."""
    missing = {seat: view.board.won[seat] - len(cards) for seat, cards in held.items()}
    if min(missing.values(), default=0) < 0:
        return None
    # Where won peppers are hidden (A24) the counts alone must fit, and any cards do.
    if view.board.won_peppers is None:
        pile = iter(unseen)
        return {seat: cards + tuple(islice(pile, missing[seat])) for seat, cards in held.items()}
    peppers = peppers_by_card(view.board.options.peppers)
    needs = [
        Need(missing[seat], view.board.won_peppers[seat] - sum(peppers[card] for card in cards))
        for seat, cards in held.items()
    ]
    piles = [iter([card for card in unseen if peppers[card] == count]) for count in (1, 2, 3)]
    mixes = _find_mixes(needs, _count_stock(unseen, peppers))
    if mixes is None:
        return None
    return {
        seat: cards + tuple(card for pile, count in zip(piles, mix, strict=True) for card in islice(pile, count))
        for (seat, cards), mix in zip(held.items(), mixes, strict=True)
    }


def _count_stock(unseen: Sequence[int], peppers: Sequence[int]) -> Mix:
    counts = [peppers[card] for card in unseen]
    return counts.count(1), counts.count(2), counts.count(3)


def _find_mixes(needs: Sequence[Need], stock: Mix) -> list[Mix] | None:
    """Find a mix for every need that the stock can serve all together."""
    if not needs:
        return []
    # The next seat's need may fail on what this one takes, so that all mixes are tried; four other seats have few.
    for mix in _list_fitting_mixes(needs[0], stock):
        ones, twos, threes = (left - taken for left, taken in zip(stock, mix, strict=True))
        rest = _find_mixes(needs[1:], (ones, twos, threes))
        if rest is not None:
            return [mix, *rest]
    return None


def _list_fitting_mixes(need: Need, stock: Mix) -> Iterator[Mix]:
    # Every card has one pepper; two have one more, three have two more.
    extra = need.peppers - need.cards
    for threes in range(extra // 2 + 1):
        twos = extra - 2 * threes
        mix = (need.cards - twos - threes, twos, threes)
        if all(0 <= taken <= left for taken, left in zip(mix, stock, strict=True)):
            yield mix
