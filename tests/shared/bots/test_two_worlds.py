"""A bot knows what its seat may know: in two worlds that differ only in hidden information it makes the same move."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoville_shared.bots.registry import find_bot, list_levels
from scoville_shared.bots.search import SearchBot
from scoville_shared.engine.dice import Dice
from scoville_shared.games.registry import list_slugs, load_game
from tests.shared.bots.bot_games import Decision, play_decisions

FEW = 400
"""Playouts of a searching bot, which has a twentieth of them in plain Python: knowledge does not depend on them."""

CASES = [(slug, level) for slug in list_slugs() for level in list_levels(slug)]


def choice(decision: Decision, level: str, state: object) -> object:
    """Let a new bot observe the facts of its seat and choose in the world `state`."""
    game = decision.game
    bot = find_bot(game.info.slug, level)(game)
    if isinstance(bot, SearchBot):
        bot.playouts = FEW
    for fact in decision.facts:
        bot.observe_fact(fact)
    move = bot.choose_move(game.view(state, decision.seat), Dice(bytes(32)).open_stream(f"choice/{decision.number}"))
    assert game.check(state, decision.seat, move) is None
    return move


@pytest.mark.parametrize(("slug", "level"), CASES)
@settings(max_examples=5)
@given(data=st.data())
def test_the_same_move_in_two_worlds(slug: str, level: str, data: st.DataObject) -> None:
    game = load_game(slug)
    seats = data.draw(st.integers(*game.info.seats))
    step = 25 if issubclass(find_bot(slug, level), SearchBot) else 7
    for decision in list(play_decisions(slug, ["random"] * seats, data.draw(st.integers(0, 2**32)), **SHORT[slug]))[
        :-1:step
    ]:
        view = game.view(decision.state, decision.seat)
        other = game.imagine(view, Dice(decision.number.to_bytes(32)))
        assert choice(decision, level, decision.state) == choice(decision, level, other)


SHORT = {"no_thanks": {}, "dicht_dran": {"cycles": 1}, "chilli_chase": {"turn_limit": 50}}
