"""An independent implementation, written from the rulebook and docs/fairness.md: both must agree.

It shares no code with the game: its own HMAC blocks, its own shuffle, its own mutable table.
"""

import hashlib
import hmac
from random import Random

import pytest

from scoville_shared.engine.dice import Dice
from scoville_shared.games.dicht_dran import GAME
from tests.support.games import Deal, walk_table


def words(key, label):
    index = 0
    while True:
        block = hmac.new(key, label.encode() + b"\0" + index.to_bytes(8, "big"), hashlib.sha256).digest()
        yield from (int.from_bytes(block[start : start + 4], "big") for start in range(0, 32, 4))
        index += 1


def shuffled(key, label, cards):
    cards, stream = list(cards), words(key, label)
    for i in range(len(cards) - 1, 0, -1):
        while (word := next(stream)) >= (i + 1) * (2**32 // (i + 1)):
            pass
        j = word % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def peppers(card):
    return 1 + (card + 1) % 3


class Table:
    def __init__(self, key, seats):
        self.key, self.seats, self.cycle, self.totals = key, seats, 0, [0] * seats
        self.deal()

    def deal(self):
        self.cycle += 1
        deck = shuffled(self.key, f"dicht_dran/cycle/{self.cycle}/deck", range(2, 100))
        a, b, c, d = deck[:4]
        self.circle, self.slot = [1, a, b, 100, c, d], 1
        del deck[:4]
        self.hands = [[deck.pop(0) for _ in range(8)] for _ in range(self.seats)]
        self.pile, self.discard, self.won = deck, [], [[] for _ in range(self.seats)]

    def round(self, cards):
        target = self.circle[self.slot]
        rims = sorted((self.circle[(self.slot - 1) % 6], self.circle[(self.slot + 1) % 6]))
        for seat, card in enumerate(cards):
            self.hands[seat].remove(card)
        least = min(abs(card - target) for card in cards)
        best = max(card for card in cards if abs(card - target) == least)
        winner = cards.index(best)
        self.won[winner].append(target)
        self.circle[self.slot] = best
        clockwise = [(winner + 1 + i) % self.seats for i in range(self.seats - 1)]
        fits = [seat for seat in clockwise if rims[0] < cards[seat] < rims[1]]
        left = [seat for seat in clockwise if seat not in fits]
        self.discard += [cards[seat] for seat in fits] + [cards[seat] for seat in left]
        ended = False
        for seat in left:
            for _ in range(peppers(cards[seat])):
                if not self.pile:
                    ended = True
                    self.pile = shuffled(self.key, f"dicht_dran/cycle/{self.cycle}/reshuffle", self.discard)
                    self.discard = []
                self.hands[seat].append(self.pile.pop(0))
        self.slot = (self.slot + 1) % 6
        if ended or not self.pile or [] in self.hands:
            self.score()
            return True
        return False

    def score(self):
        for seat in range(self.seats):
            self.totals[seat] += sum(map(peppers, self.won[seat])) - sum(map(peppers, self.hands[seat]))


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
@pytest.mark.parametrize("number", range(15))
def test_two_writings_of_the_rules_agree_on_every_card(seats, number):
    key = hashlib.sha256(bytes([seats, number])).digest()
    deal = Deal(GAME, GAME.codec.decode_options({"cycles": 2}), seats, Dice(key))
    table, state = Table(key, seats), deal.setup()
    picks = {}
    for moment in walk_table(deal, state, Random(number)):
        state = moment.state
        picks[moment.seat] = moment.move.card
        if len(picks) == seats:
            if table.round([picks[seat] for seat in range(seats)]) and table.cycle < 2:
                table.deal()
            picks = {}
            assert_agree(state, table)
    assert list(GAME.outcome(state).scores) == table.totals


def assert_agree(state, table):
    assert list(state.board.circle) == table.circle
    assert [list(hand) for hand in state.secret.hands] == [sorted(hand) for hand in table.hands]
    assert [list(won) for won in state.secret.won] == table.won
    assert list(state.board.totals) == table.totals
    if not state.board.over:
        assert list(state.secret.pile) == table.pile
        assert list(state.secret.discard) == table.discard
