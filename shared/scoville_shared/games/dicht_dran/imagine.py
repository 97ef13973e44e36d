"""Worlds that a View could come from: the unseen cards dealt to wherever unseen cards may lie."""

from itertools import islice

from scoville_shared.engine.dice import Dice, Stream
from scoville_shared.games.dicht_dran.cards import DECK, HIGHEST, LOWEST
from scoville_shared.games.dicht_dran.imagine_won import imagine_won
from scoville_shared.games.dicht_dran.state import TAKE_BACKS, Secret, State
from scoville_shared.games.dicht_dran.view import View


def imagine(view: View, dice: Dice) -> State:
    """Deal the unseen cards by chance: others' won cards, hands and picks, the pile and the discard."""
    chance = dice.stream("dicht_dran/imagine")
    board = view.board
    seen = {*board.circle, *view.hand, *view.won}
    unseen = chance.shuffled(card for card in DECK if card not in seen)
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
        picks=_picks(view, hands, chance),
        taken_back=tuple(_taken_back(view) if seat == view.seat else 0 for seat in range(len(hands))),
    )


def _picks(view: View, hands: tuple[tuple[int, ...], ...], chance: Stream) -> tuple[int | None, ...]:
    def pick(seat: int, has_chosen: bool) -> int | None:
        if seat == view.seat:
            return view.pick
        return hands[seat][chance.below(len(hands[seat]))] if has_chosen else None

    return tuple(pick(seat, has_chosen) for seat, has_chosen in enumerate(view.chosen))


def _taken_back(view: View) -> int:
    return TAKE_BACKS - view.take_backs if view.board.options.take_back else 0
