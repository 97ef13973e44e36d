"""Searching bots: what they ask, how a question is answered, and that they are stronger than what they search from."""

import pickle
from collections import Counter
from collections.abc import MutableSequence, Sequence
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoville_shared.bots.machine import INTERPRETED, Machine
from scoville_shared.bots.registry import find_bot, list_levels
from scoville_shared.bots.search import PORTIONS, SearchBot, answer_question
from scoville_shared.bots.utility import COLUMNS
from scoville_shared.engine.play import play_move
from scoville_shared.games.registry import list_slugs, load_game
from scoville_thinking.machines import fastest_machine
from tests.shared.bots.bot_games import Decision, play_decisions

MOST_LEGAL = 150
"""More moves than that are choices among many numbers, of which a question has the useful ones."""

SEARCHING = [slug for slug in list_slugs() if "strong" in list_levels(slug)]


class Coins(NamedTuple):
    """A question with known answers: the worths of its two moves in alternating playouts."""

    worths: Sequence[tuple[float, float]]
    moves: Sequence[Any] = ("first", "second")
    ways: int = 1
    needed_errors: float = 2.0

    def compare_moves(
        self, machine: Machine, playouts: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        for number in range(playouts):
            one, two = self.worths[number % len(self.worths)]
            for place, worth in enumerate((one, 0.0, 0.0, 1.0, two, two - one, (two - one) ** 2, 1.0)):
                sums[place] += worth


FAST = INTERPRETED._replace(divisor=1)


def test_only_significantly_better_moves_are_played() -> None:
    assert answer_question(Coins([(0.0, 1.0)]), 800, 1, FAST).move == "second"
    assert answer_question(Coins([(1.0, 0.0)]), 800, 1, FAST).move == "first"
    doubtful = Coins([(0.0, 1.0), (1.0, 0.0), (0.0, 0.1), (0.0, 0.0)])
    assert answer_question(doubtful, 800, 1, FAST).move == "first"


def test_some_questions_are_content_with_less_certainty() -> None:
    doubtful = Coins([(0.0, 1.0), (1.0, 0.0), (0.0, 0.1), (0.0, 0.0)], needed_errors=0.5)
    assert answer_question(doubtful, 800, 1, FAST).move == "second"


class Ways(NamedTuple):
    """A question with two moves in each of two ways to go on; `worths` are the same in every playout."""

    worths: Sequence[float]
    moves: Sequence[Any] = ("take", "pass", "pass", "take")
    ways: int = 2
    needed_errors: float = 2.0

    def compare_moves(
        self, machine: Machine, playouts: int, rng: MutableSequence[int], sums: MutableSequence[float]
    ) -> None:
        for place, worth in enumerate(self.worths):
            better = worth - self.worths[place // 2 * 2]
            for number, figure in enumerate((worth, better, better * better, 1.0)):
                sums[COLUMNS * place + number] += figure * playouts


@pytest.mark.parametrize(
    ("worths", "move"), [((0.1, 0.2, 0.4, 0.3), "pass"), ((0.1, 0.2, 0.3, 0.4), "take"), ((0.3, 0.4, 0.2, 0.1), "pass")]
)
def test_a_move_is_compared_within_its_best_plan(worths: Sequence[float], move: str) -> None:
    assert answer_question(Ways(worths), 800, 1, FAST).move == move


def test_figures_of_a_search() -> None:
    thought = answer_question(Coins([(0.0, 1.0), (0.5, 0.5)]), 800, 1, FAST)
    assert (thought.playouts, thought.cut) == (400, False)
    first, second = thought.findings
    assert (first.value, first.better, first.error) == (0.25, 0.0, 0.0)
    assert (second.value, second.better) == (0.75, 0.5)
    assert second.error == pytest.approx(0.5 / 20)


def test_a_search_that_is_cut_answers_with_what_it_has() -> None:
    thought = answer_question(Coins([(0.0, 1.0)]), 800, 1, FAST, stop=lambda: True)
    assert (thought.move, thought.cut, thought.playouts) == ("second", True, 400 // PORTIONS)


def asked(slug: str, data: st.DataObject, level: str = "strong") -> list[tuple[SearchBot, Decision, Any]]:
    """Play a random game and return some of its decisions, each with the question of a bot."""
    game = load_game(slug)
    seats = data.draw(st.integers(*game.info.seats))
    found = []
    for decision in list(play_decisions(slug, ["random"] * seats, data.draw(st.integers(0, 2**32))))[:-1:11]:
        bot = find_bot(slug, level)(game)
        assert isinstance(bot, SearchBot)
        for fact in decision.facts:
            bot.observe_fact(fact)
        found.append((bot, decision, bot.make_question(game.view(decision.state, decision.seat))))
    return found


@pytest.mark.parametrize("slug", SEARCHING)
@settings(max_examples=8)
@given(data=st.data())
def test_a_question_has_every_result_of_a_legal_move_once(slug: str, data: st.DataObject) -> None:
    for bot, decision, question in asked(slug, data):
        game, state, seat = bot.game, decision.state, decision.seat
        moves = [game.codec.decode_move(plain) for plain in question.moves]
        assert all(game.check(state, seat, move) is None for move in moves)
        legal = game.moves(game.view(state, seat))
        ends = {game.codec.pack_state(play_move(game, state, seat, move).state) for move in moves}  # type: ignore[union-attr]
        times = Counter(map(str, question.moves))
        assert len(set(times.values())) == 1, "a move is there once for every way to go on"
        assert len(ends) == len(times)
        if len(legal) < MOST_LEGAL:
            assert ends == {game.codec.pack_state(play_move(game, state, seat, move).state) for move in legal}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("slug", "level"), [*((slug, "strong") for slug in SEARCHING), ("no_thanks", "master"), ("dicht_dran", "master")]
)
@settings(max_examples=4)
@given(data=st.data())
def test_machine_code_finds_out_the_same_as_plain_python(slug: str, level: str, data: st.DataObject) -> None:
    for _, decision, question in asked(slug, data, level)[:3]:
        if len(question.moves) > 1:
            sent = pickle.loads(pickle.dumps(question))
            playouts = 20 * len(question.moves)
            fast = answer_question(sent, playouts, decision.number, fastest_machine()._replace(divisor=1))
            assert fast == answer_question(question, playouts, decision.number, FAST)


def test_chips_are_counted_as_a_user_could() -> None:
    for decision in list(play_decisions("no_thanks", ["sensible"] * 4, 7, rounds=2))[:-1]:
        bot = find_bot("no_thanks", "strong")(decision.game)
        assert isinstance(bot, SearchBot)
        for fact in decision.facts:
            bot.observe_fact(fact)
        question: Any = bot.make_question(decision.game.view(decision.state, decision.seat))
        assert question.round.chips == list(decision.state.chips)
        assert {*decision.state.secret.deck} <= {*question.round.unseen}


def test_cards_that_everybody_saw_are_remembered() -> None:
    for decision in list(play_decisions("dicht_dran", ["sensible"] * 3, 7, cycles=2))[:-1:3]:
        bot = find_bot("dicht_dran", "strong")(decision.game)
        assert isinstance(bot, SearchBot)
        for fact in decision.facts:
            bot.observe_fact(fact)
        secret = decision.state.secret
        question: Any = bot.make_question(decision.game.view(decision.state, decision.seat))
        others = {card for seat, hand in enumerate(secret.hands) if seat != decision.seat for card in hand}
        assert {*question.unseen} == {*others, *secret.pile}
        assert sorted(question.cycle.discard) == sorted(secret.discard)
        assert question.cycle.won == [sum(question.cycle.peppers[card] for card in won) for won in secret.won]


@pytest.mark.parametrize("options", [{}, {"shuffle": True}])
def test_cards_that_others_drew_from_the_turned_pile_are_remembered(options: dict[str, Any]) -> None:
    known = 0
    for decision in list(play_decisions("chilli_chase", ["random"] * 3, 7, turn_limit=90, **options))[:-1]:
        bot = find_bot("chilli_chase", "master")(decision.game)
        assert isinstance(bot, SearchBot)
        for fact in decision.facts:
            bot.observe_fact(fact)
        secret = decision.state.secret
        question: Any = bot.make_question(decision.game.view(decision.state, decision.seat))
        assert question.table.deck in ([], list(secret.deck))
        hands = [[card for card in question.table.hands[3 * seat : 3 * seat + 3] if card] for seat in range(3)]
        for seat, cards in enumerate(hands):
            rest = list(secret.hands[seat])
            for card in cards:
                rest.remove(card)
            known += len(cards) * (seat != decision.seat)
        others = sum(len(hand) for seat, hand in enumerate(secret.hands) if seat != decision.seat)
        deck = 0 if question.table.deck else len(secret.deck)
        found = sum(len(cards) for seat, cards in enumerate(hands) if seat != decision.seat)
        assert len(question.unseen) == others - found + deck
    assert (known > 0) is not bool(options)
