"""Imagined worlds of Dicht dran: states that a View could come from, for bots that search.

The unseen cards are dealt to wherever unseen cards may be: others' hands and won cards, the draw pile, the discard.
"""

from collections.abc import Iterator, Sequence
from itertools import islice, product
from typing import NamedTuple

from scoville_shared.engine.dice import Dice, Stream
from scoville_shared.games.dicht_dran.cards import DECK, HIGHEST, LOWEST, peppers_by_card
from scoville_shared.games.dicht_dran.state import TAKE_BACKS, Secret, State, View

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
    if view.board.won_peppers is None:
        pile = iter(unseen)
        return {seat: cards + tuple(islice(pile, missing[seat])) for seat, cards in held.items()}
    peppers = peppers_by_card(view.board.options.peppers)
    needs = [
        Need(missing[seat], view.board.won_peppers[seat] - sum(peppers[card] for card in cards))
        for seat, cards in held.items()
    ]
    piles = [iter([card for card in unseen if peppers[card] == count]) for count in (1, 2, 3)]
    mixes = _list_mixes(needs, _count_stock(unseen, peppers))
    if mixes is None:
        return None
    return {
        seat: cards + tuple(card for pile, count in zip(piles, mix, strict=True) for card in islice(pile, count))
        for (seat, cards), mix in zip(held.items(), mixes, strict=True)
    }


def _count_stock(unseen: Sequence[int], peppers: Sequence[int]) -> Mix:
    counts = [peppers[card] for card in unseen]
    return counts.count(1), counts.count(2), counts.count(3)


def _list_mixes(needs: Sequence[Need], stock: Mix) -> list[Mix] | None:
    """Find a mix for every need that the stock can serve all together."""
    if not needs:
        return []
    for mix in _fitting_mixes(needs[0], stock):
        ones, twos, threes = (left - taken for left, taken in zip(stock, mix, strict=True))
        rest = _list_mixes(needs[1:], (ones, twos, threes))
        if rest is not None:
            return [mix, *rest]
    return None


def _fitting_mixes(need: Need, stock: Mix) -> Iterator[Mix]:
    # Every card has one pepper; two have one more, three have two more.
    extra = need.peppers - need.cards
    for threes in range(extra // 2 + 1):
        twos = extra - 2 * threes
        mix = (need.cards - twos - threes, twos, threes)
        if all(0 <= taken <= left for taken, left in zip(mix, stock, strict=True)):
            yield mix
