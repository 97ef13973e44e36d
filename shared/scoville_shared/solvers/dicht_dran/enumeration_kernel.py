"""The equilibrium of one round between two players over all hands: counterfactual regret minimization (CFR+).

The functions use only the part of Python that numba compiles (see `bots.machine`). Cards are numbered by closeness to
the target: card 0 beats all others. A hand is a row of cards in rising order, and a set of bits.
"""

from collections.abc import MutableSequence, Sequence

Floats = MutableSequence[float]


def solve_game(
    sizes: Sequence[int], first: Sequence[int], second: Sequence[int], first_sets: Sequence[int], second_sets:
    Sequence[int], peppers: Sequence[int], owed: Sequence[int], target: int, rounds: int, first_shares: Floats,
    second_shares: Floats, first_regrets: Floats, second_regrets: Floats, first_sums: Floats, second_sums: Floats,
    work: Floats,
) -> None:  # fmt: skip
    """Sum up how often each hand plays each of its cards, in `first_sums` and `second_sums`.

    Args:
        sizes: Cards in the hand of each side.
        first, second: The cards of all hands of each side, hand by hand.
        first_sets, second_sets: The same hands as sets of bits.
        peppers: The peppers of each card.
        owed: How many cards are drawn for each card if it loses: its peppers, or 0 if it fits the gap.
        target: The peppers of the target.
        work: Working space, three numbers a card.
    """
    for place in range(len(first)):
        first_shares[place] = 1.0 / sizes[0]
    for place in range(len(second)):
        second_shares[place] = 1.0 / sizes[1]
    for number in range(rounds):
        # In turn, not at once: the second side answers what the first has just become, as CFR+ does. Later passes weigh
        # more, since the first ones are still far from an equilibrium.
        improve_play(
            sizes[0], first, first_sets, sizes[1], second, second_sets, second_shares, peppers, owed, target,
            number + 1.0, first_shares, first_regrets, first_sums, work,
        )  # fmt: skip
        improve_play(
            sizes[1], second, second_sets, sizes[0], first, first_sets, first_shares, peppers, owed, target,
            number + 1.0, second_shares, second_regrets, second_sums, work,
        )  # fmt: skip


def improve_play(
    size: int, hands: Sequence[int], sets: Sequence[int], other_size: int, others: Sequence[int], other_sets:
    Sequence[int], other_shares: Sequence[float], peppers: Sequence[int], owed: Sequence[int], target: int, weight:
    float, shares: Floats, regrets: Floats, sums: Floats, work: Floats,
) -> None:  # fmt: skip
    """Move the shares of every hand of a side towards its better cards, and add them to the sums with a weight."""
    cards = len(peppers)
    for hand in range(len(sets)):
        at = hand * size
        for place in range(3 * cards):
            work[place] = 0.0
        for other in range(len(other_sets)):
            # No card is in both hands, and all pairs that are left are equally likely.
            if sets[hand] & other_sets[other] == 0:
                meet_hands(other * other_size, other_size, others, other_shares, peppers, cards, work)
        weigh_outcome(at, size, hands, other_size, peppers, owed, target, work)
        mean, total = 0.0, 0.0
        for place in range(at, at + size):
            mean += shares[place] * work[hands[place]]
        for place in range(at, at + size):
            # Never below zero (the + of CFR+): a card that turns out to be good is played at once.
            regrets[place] = max(0.0, regrets[place] + work[hands[place]] - mean)
            total += regrets[place]
        for place in range(at, at + size):
            # Regret matching. The sums are what converges; the shares of a single pass may go round in a circle.
            shares[place] = regrets[place] / total if total > 0.0 else 1.0 / size
            sums[place] += weight * shares[place]


def meet_hands(
    at: int, size: int, hands: Sequence[int], shares: Sequence[float], peppers: Sequence[int], cards: int, work: Floats
) -> None:
    """Add the plays of a hand: the shares to the second part of `work`, and multiplied by its peppers to the third."""
    held = 0
    for place in range(at, at + size):
        held += peppers[hands[place]]
    for place in range(at, at + size):
        work[cards + hands[place]] += shares[place]
        work[2 * cards + hands[place]] += shares[place] * held


def weigh_outcome(
    at: int, size: int, hands: Sequence[int], other_size: int, peppers: Sequence[int], owed: Sequence[int], target: int,
    work: Floats,
) -> None:  # fmt: skip
    """Put into the first part of `work` the worth of each card of a hand, by the other parts.

    That are its peppers, those of the target and what the opponent must draw if it wins, less the same if it loses. A
    drawn card counts as much as the cards that nobody holds do on average.
    """
    cards = len(peppers)
    rest, pile, total = 0.0, max(1, cards - size - other_size), 0.0
    for card in range(cards):
        rest += peppers[card]
        total += work[cards + card]
    for place in range(at, at + size):
        rest -= peppers[hands[place]]
        work[hands[place]] = 1.0
    # In order of closeness the cards before a card beat it and those after it lose, so running sums stand for all
    # pairs.
    behind, ahead, ahead_held = 0.0, 0.0, 0.0
    for card in range(cards):
        draws = rest * work[cards + card] - work[2 * cards + card]
        behind += target * work[cards + card] + owed[card] * draws / pile
    for card in range(cards):
        share, held = work[cards + card], work[2 * cards + card]
        behind -= target * share + owed[card] * (rest * share - held) / pile
        if work[card] > 0.0:
            loses = target * ahead + owed[card] * (rest * ahead - ahead_held) / pile
            work[card] = peppers[card] * total + behind - loses
        ahead += share
        ahead_held += held
