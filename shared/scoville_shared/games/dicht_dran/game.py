"""Dicht dran as one object of the game contract."""

from typing import ClassVar

from scoville_shared.engine.codec import Codec
from scoville_shared.engine.contract import Game, Info
from scoville_shared.games.dicht_dran import rules, seen
from scoville_shared.games.dicht_dran.cards import HIGHEST, read_peppers
from scoville_shared.games.dicht_dran.cycle import first_cycle
from scoville_shared.games.dicht_dran.facts import AnyFact, Fact
from scoville_shared.games.dicht_dran.imagine import imagine
from scoville_shared.games.dicht_dran.options import MOST_CYCLES, Options
from scoville_shared.games.dicht_dran.state import (
    FEWEST_SEATS,
    MOST_SEATS,
    TAKE_BACKS,
    Move,
    Play,
    State,
    TakeBack,
)
from scoville_shared.games.dicht_dran.text import DichtDranText
from scoville_shared.games.dicht_dran.view import CIRCLE_SLOTS, View

MOST_CHOICES = MOST_CYCLES * (HIGHEST - CIRCLE_SLOTS)
"""A card that was played does not come back in its cycle, and the first six of the circle are never played."""


class DichtDran(Game[Options, State, Move, View, Fact]):
    """Come closest to the target card, or let your card fall through the gap."""

    info = Info(
        slug="dicht_dran",
        title="Dicht dran",
        seats=(FEWEST_SEATS, MOST_SEATS),
        official=(3, 5),
        rules_version=1,
        max_moves=MOST_CHOICES * (1 + 2 * TAKE_BACKS),
    )
    codec: Codec[Options, State, Move, View, Fact] = Codec(
        options=Options, state=State, moves=(Play, TakeBack), view=View, fact=AnyFact
    )
    text = DichtDranText()
    option_files: ClassVar = {"peppers": read_peppers}

    setup = staticmethod(first_cycle)
    pending = staticmethod(rules.pending)
    check = staticmethod(rules.check)
    apply = staticmethod(rules.apply)
    outcome = staticmethod(rules.outcome)
    round = staticmethod(rules.round_of)
    view = staticmethod(seen.seen_by)
    moves = staticmethod(seen.moves)
    fallback = staticmethod(seen.fallback)
    imagine = staticmethod(imagine)


GAME = DichtDran()
