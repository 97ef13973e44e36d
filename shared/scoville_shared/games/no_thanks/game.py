"""No Thanks! as one object of the game contract."""

from scoville_shared.engine.codec import Codec
from scoville_shared.engine.contract import Game, Info
from scoville_shared.games.no_thanks import rules, seen
from scoville_shared.games.no_thanks.cards import DECK_SIZE, FEWEST_SEATS, MOST_SEATS, TACTICAL_CHIPS
from scoville_shared.games.no_thanks.facts import AnyFact, Fact
from scoville_shared.games.no_thanks.imagine import imagine
from scoville_shared.games.no_thanks.options import MOST_ROUNDS, Options
from scoville_shared.games.no_thanks.round import first_round
from scoville_shared.games.no_thanks.state import Move, State
from scoville_shared.games.no_thanks.text import NoThanksText
from scoville_shared.games.no_thanks.view import View

MOST_DECISIONS = MOST_ROUNDS * DECK_SIZE * (MOST_SEATS * TACTICAL_CHIPS + 1)
"""Every chip can be paid for a card once; then somebody has to take it."""


class NoThanks(Game[Options, State, Move, View, Fact]):
    """Take the card, or pay a chip to leave it to your neighbour; fewest points win."""

    info = Info(
        slug="no_thanks",
        title="No Thanks!",
        seats=(FEWEST_SEATS, MOST_SEATS),
        official=(FEWEST_SEATS, MOST_SEATS),
        rules_version=1,
        max_moves=MOST_DECISIONS,
    )
    codec: Codec[Options, State, Move, View, Fact] = Codec(
        options=Options, state=State, moves=(Move,), view=View, fact=AnyFact
    )
    text = NoThanksText()

    setup = staticmethod(first_round)
    pending = staticmethod(rules.pending)
    check = staticmethod(rules.check)
    apply = staticmethod(rules.apply)
    outcome = staticmethod(rules.outcome)
    round = staticmethod(rules.round_of)
    view = staticmethod(seen.seen_by)
    moves = staticmethod(seen.moves)
    fallback = staticmethod(seen.fallback)
    imagine = staticmethod(imagine)


GAME = NoThanks()
