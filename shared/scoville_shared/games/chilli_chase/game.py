"""Chilli Chase as one object of the game contract."""

from scoville_shared.engine.codec import Codec
from scoville_shared.engine.contract import Game, Info
from scoville_shared.games.chilli_chase import rules, seen
from scoville_shared.games.chilli_chase.cards import FEWEST_SEATS, MOST_SEATS
from scoville_shared.games.chilli_chase.deal import dealer_after, lay_out
from scoville_shared.games.chilli_chase.facts import AnyFact, Fact
from scoville_shared.games.chilli_chase.imagine import imagine
from scoville_shared.games.chilli_chase.options import MOST_TURNS, Options
from scoville_shared.games.chilli_chase.state import Keep, Move, NewScore, Play, State
from scoville_shared.games.chilli_chase.text import ChilliChaseText
from scoville_shared.games.chilli_chase.view import View

MOST_CHOICES = 2 * MOST_TURNS
"""A turn is a card, and sometimes a Chilli Score."""


class ChilliChase(Game[Options, State, Move, View, Fact]):
    """Combine a card with the running total, and be the first to hit your Chilli Score often enough."""

    info = Info(
        slug="chilli_chase",
        title="Chilli Chase",
        seats=(FEWEST_SEATS, MOST_SEATS),
        official=(FEWEST_SEATS, MOST_SEATS),
        rules_version=1,
        max_moves=MOST_CHOICES,
    )
    codec: Codec[Options, State, Move, View, Fact] = Codec(
        options=Options, state=State, moves=(Play, NewScore, Keep), view=View, fact=AnyFact
    )
    text = ChilliChaseText()

    setup = staticmethod(lay_out)
    deal = staticmethod(lay_out)
    next_dealer = staticmethod(dealer_after)
    pending = staticmethod(rules.pending)
    check = staticmethod(rules.check)
    apply = staticmethod(rules.apply)
    outcome = staticmethod(rules.outcome)
    round = staticmethod(rules.round_of)
    view = staticmethod(seen.seen_by)
    moves = staticmethod(seen.moves)
    fallback = staticmethod(seen.fallback)
    imagine = staticmethod(imagine)


GAME = ChilliChase()
