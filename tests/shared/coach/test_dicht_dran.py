"""The coach of Dicht dran against enumeration over the information set, by the rules."""

from collections import Counter
from random import Random
from statistics import fmean

import pytest
from msgspec.structs import replace

from scoville_shared.bots.dicht_dran.kernel import CLOSEST, MIXED, SIMPLE, TRAINED, draw_mood
from scoville_shared.bots.random_numbers import shuffle_front
from scoville_shared.bots.registry import find_bot
from scoville_shared.coach.base import DRAWN, Policy, Sums
from scoville_shared.coach.dicht_dran.coach import RoundCoach, RoundQuestion, chance_of_being_held, next_gaps_that_fit
from scoville_shared.coach.dicht_dran.keeping import (
    GREAT_KEEPER,
    KEEPER,
    NO_KEEPER,
    Keeping,
    odds_of_cards,
    prefer_kept_cards,
)
from scoville_shared.coach.sample import SURE
from scoville_shared.coach.study import study_moves
from scoville_shared.coach.tally import COLUMNS, COMPARED, SCORE, SECOND, WIN
from scoville_shared.engine.contract import Refusal
from scoville_shared.engine.dice import Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.dicht_dran import GAME
from scoville_shared.games.dicht_dran.state import Board, Options, Secret, State
from scoville_shared.ids import Seat
from tests.shared.coach.oracles import Reshuffling, Worth, pepper_worth, round_worth
from tests.support.machines import MACHINES


def last_rounds(luck: Random, seats: int, each: int, pile: int) -> State:
    """Draw a position at the end of the last cycle: few cards in hands, few in the pile, nothing discarded."""
    state = GAME.setup(Options(cycles=1), seats, Dice(luck.randbytes(32)))
    deck = luck.sample([card for card in range(2, 100) if card not in state.board.circle], seats * each + pile)
    hands = tuple(tuple(sorted(deck[seat * each : (seat + 1) * each])) for seat in range(seats))
    board = {name: getattr(state.board, name) for name in Board.__struct_fields__}
    board |= {"hands": (each,) * seats, "pile": pile}
    return State(
        Board(**board),
        Secret(Dice(bytes(32)), hands, ((),) * seats, tuple(deck[seats * each :]), ()),
        state.chosen, state.picks, state.taken_back,
    )  # fmt: skip


class KnowingCoach(RoundCoach):
    """Knows that the cards which are nowhere are out of the game."""

    cards: frozenset[int] = frozenset()

    def _list_unseen(self, view: object) -> list[int]:
        return sorted(self.cards)


def exact(state: State, seat: int) -> list[Worth] | None:
    try:
        return [pepper_worth(state, seat, card) for card in state.secret.hands[seat]]
    except Reshuffling:
        return None


def asked(state: State, seat: int) -> RoundQuestion:
    coach = KnowingCoach(GAME)
    others = [hand for other, hand in enumerate(state.secret.hands) if other != seat]
    coach.cards = frozenset(card for hand in (*others, state.secret.pile) for card in hand)
    question = coach.make_question(GAME.view(state, seat), Policy.TRAINED)
    assert question is not None
    return question


def test_sampled_figures_are_within_two_standard_errors_in_95_percent() -> None:
    luck, machine = Random(11), MACHINES["compiled"]()
    held_figures = figures = cases = 0
    while cases < 10:
        state = last_rounds(luck, 2, 2, 3) if cases % 3 else two_cards(last_rounds(luck, 3, 1, 4), 0)
        worths = exact(state, 0)
        if worths is None:
            continue
        sample = study_moves(asked(state, 0), 2_000, cases + 1, machine).sample
        for place, worth in enumerate(worths):
            for column, right in ((SCORE, worth.scores), (WIN, worth.wins)):
                estimate = sample.estimate_column(place, column)
                held_figures += abs(estimate.mean - float(right[0])) <= SURE * estimate.error + 1e-9
                figures += 1
        cases += 1
    assert held_figures / figures >= 0.95


def test_a_round_is_estimated_within_hundredths() -> None:
    luck, machine = Random(3), MACHINES["compiled"]()
    for number in range(4):
        state = last_rounds(luck, 3, 2, 2)
        try:
            right = [round_worth(state, 0, card) for card in state.secret.hands[0]]
        except Reshuffling:
            continue
        sample = study_moves(asked(state, 0), RoundCoach.playouts, number + 1, machine).sample
        for place, worth in enumerate(right):
            assert abs(sample.mean_of(place, SECOND) - float(worth)) < 0.02


def two_cards(state: State, seat: int) -> State:
    """Give a seat a second card, from the pile."""
    card, *pile = state.secret.pile
    hands = tuple(
        tuple(sorted((*hand, card))) if other == seat else hand for other, hand in enumerate(state.secret.hands)
    )
    board = {name: getattr(state.board, name) for name in Board.__struct_fields__}
    board |= {"hands": tuple(map(len, hands)), "pile": len(pile)}
    secret = Secret(state.secret.dice, hands, state.secret.won, tuple(pile), ())
    return State(Board(**board), secret, state.chosen, state.picks, state.taken_back)


def test_how_likely_somebody_holds_one_of_some_cards() -> None:
    assert chance_of_being_held(0, 5, 20) == 0
    assert chance_of_being_held(1, 5, 20) == pytest.approx(5 / 20)
    assert chance_of_being_held(2, 5, 20) == pytest.approx(1 - 15 / 20 * 14 / 19)
    assert chance_of_being_held(3, 5, 7) == 1


def test_fitting_gaps_follow_the_present_circle() -> None:
    view = GAME.view(last_rounds(Random(2), 2, 2, 4), 0)
    board = {name: getattr(view.board, name) for name in Board.__struct_fields__}
    circle = (1, 40, 60, 100, 30, 20)  # the gaps after the first: 40-100, 30-60, 20-100, 1-30, 20-40
    view = replace(view, board=Board(**board | {"circle": circle, "target": 1}))
    assert [next_gaps_that_fit(view, card) for card in (10, 25, 35, 50, 70)] == [1, 3, 3, 3, 2]


@pytest.mark.parametrize("levels", [["sensible"] * 4, ["easy"] * 4, [None] * 4])
def test_equal_players_are_promised_their_even_share_at_the_start(levels: list[str | None]) -> None:
    coach, bot = RoundCoach(GAME), find_bot("dicht_dran", levels[0] or "sensible")(GAME)
    coach.expect_players(levels)
    fast, said = MACHINES["compiled"](), []
    for number in range(20):
        dice = Dice(number.to_bytes(32))
        state = GAME.setup(Options(), 4, dice)
        for seat in range(4):
            view = GAME.view(state, seat)
            card = bot.choose_move(view, dice.open_stream(f"bot/{seat}")).card
            question = coach.make_question(view)
            assert question is not None
            played = question.with_moves([question.moves.index({"card": card})])
            said.append(study_moves(played, 300, number + 1, fast).sample.mean_of(0, WIN))
    # The standard error of the mean is 1.5 points; with opponents that were drawn from weak bots, too, it was 31.
    assert 0.22 < fmean(said) < 0.28


def test_bots_are_expected_to_play_as_their_level() -> None:
    coach, view = RoundCoach(GAME), GAME.view(GAME.setup(Options(), 4, Dice(bytes(32))), 1)
    coach.expect_players(["easy", None, "casual", "master"])
    question = coach.make_question(view)
    assert question is not None
    assert question.known == [CLOSEST, DRAWN, MIXED, TRAINED]
    assert question.policy is Policy.DRAWN


def play_first_round(seats: int = 4) -> State:
    """Return a game after the first round, in which everybody played the lowest card."""
    dice = Dice(bytes(32))
    state = GAME.setup(Options(), seats, dice)
    for seat in range(seats):
        step = play_move(GAME, state, Seat(seat), GAME.codec.decode_move({"card": state.secret.hands[seat][0]}))
        assert not isinstance(step, Refusal)
        state = step.state
    return state


def test_only_strong_bots_keep_cards_and_no_hand_tells_before_the_first_round() -> None:
    coach = RoundCoach(GAME)
    coach.expect_players(["sensible", None, "strong", "master"])
    state = play_first_round()
    before, after = (
        coach.make_question(GAME.view(each, Seat(0))) for each in (GAME.setup(Options(), 4, Dice(bytes(32))), state)
    )
    trained = coach.make_question(GAME.view(state, Seat(0)), Policy.TRAINED)
    assert before is not None
    assert after is not None
    assert trained is not None
    assert (before.keepers, after.keepers, trained.keepers) == ((), (NO_KEEPER, NO_KEEPER, KEEPER, GREAT_KEEPER), ())


def test_masters_hold_cards_at_the_target_more_often_than_chance_has_it() -> None:
    circle, held = [1, 50, 75, 100, 25, 10], 8
    unseen = [card for card in range(2, 98, 3) if card not in circle]
    peppers = [0, *(3 for _ in range(100))]
    close, rng = Counter[int](), [77]
    for kind in (NO_KEEPER, KEEPER, GREAT_KEEPER):
        places = [kind] * held + [NO_KEEPER] * (len(unseen) - held)
        keeping = Keeping(places, odds_of_cards(circle, 1, peppers))
        for _ in range(500):
            cards = unseen.copy()
            shuffle_front(cards, len(cards), len(cards), rng)
            prefer_kept_cards(cards, keeping, held, rng)
            assert sorted(cards) == unseen
            close[kind] += sum(abs(card - 50) <= 4 for card in cards[:held])
    # Two of the 31 cards are that close: by chance 258 in 500 hands.
    assert 200 < close[NO_KEEPER] < 320
    assert 1.3 * close[NO_KEEPER] < close[KEEPER] < 0.9 * close[GREAT_KEEPER]


def test_casual_players_are_half_easy() -> None:
    drawn = Counter(draw_mood(MIXED, [Random(number).getrandbits(32) | 1]) for number in range(400))
    assert set(drawn) == {SIMPLE, CLOSEST}
    assert 160 < drawn[CLOSEST] < 240
    assert draw_mood(TRAINED, []) == TRAINED


def test_machine_code_deals_kept_cards_as_plain_python_does() -> None:
    coach, found = RoundCoach(GAME), []
    coach.expect_players(["sensible", None, "strong", "master"])
    question = coach.make_question(GAME.view(play_first_round(), Seat(0)))
    assert question is not None
    for machine in MACHINES.values():
        made, moves = machine(), len(question.moves)
        to = Sums(made.floats([0.0] * (COLUMNS * moves)), made.floats([0.0] * (COMPARED * moves) ** 2))
        question.add_worlds(made, range(10), made.numbers([5]), to)
        found.append([float(total) for total in to.sums])
    assert found[0] == pytest.approx(found[1])


@pytest.mark.parametrize("level", ["casual", "master"])
def test_machine_code_plays_a_level_out_as_plain_python_does(level: str) -> None:
    coach, found = RoundCoach(GAME), []
    coach.expect_players([level] * 4)
    asked = coach.make_course_question(GAME.setup(Options(), 4, Dice(bytes(32))))
    for machine in MACHINES.values():
        made = machine()
        sums = made.floats([0.0] * 8)
        asked.add_worlds(made, 20, made.numbers([5]), sums)
        found.append([float(total) for total in sums])
    assert found[0] == pytest.approx(found[1])
