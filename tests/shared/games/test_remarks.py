"""What bots say after a game: each claim is checked against the facts by other means than those that made it."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest

from scoville_laws.tables import draw_finished
from scoville_shared.engine.contract import AnyGame, Remark
from scoville_shared.games import chilli_chase, dicht_dran, no_thanks
from scoville_shared.games.chilli_chase import facts as chilli
from scoville_shared.games.dicht_dran import facts as dicht
from scoville_shared.games.dicht_dran.round import nearest_card
from scoville_shared.games.no_thanks import facts as thanks
from scoville_shared.games.no_thanks.state import chips_each
from scoville_shared.ids import Seat

PLAYER = Seat(0)
GAMES = 40


class Played:
    """A random game: its states before and after each move, and the facts that the player was sent."""

    def __init__(self, game: AnyGame, seed: int) -> None:
        seats = game.info.seats[0] + seed % (game.info.seats[1] - game.info.seats[0] + 1)
        played = draw_finished(game, seats, Random(seed))
        self.seats, self.options, self.end = seats, played.deal.options, played.state
        self.turns = [[each.fact for each in step.facts if each.to in (None, PLAYER)] for step in played.steps]
        self.facts = [fact for turn in self.turns for fact in turn]
        self.remarks: list[Remark] = list(game.text.list_remarks(self.turns, PLAYER, range(1, seats)))

    def of(self, kind: type) -> list[Any]:
        return [fact for fact in self.facts if isinstance(fact, kind)]


def count_points(cards: Sequence[int]) -> int:
    return sum(card for card in cards if card - 1 not in cards)


def check_no_thanks(played: Played, remark: Remark) -> bool:  # noqa: C901 - a case for each sentence
    f: Any = remark.sentence.fields
    board, me = played.end.board, remark.seat
    lead = min(board.totals[1:]) - board.totals[0]
    start = chips_each(played.options, played.seats)
    chips, cards = [start] * played.seats, [set[int]() for _ in range(played.seats)]
    rounds = []
    passed: dict[int, int] = {}
    moments = []
    for fact in played.facts:
        match fact:
            case thanks.Passed():
                chips[fact.seat] -= 1
                if fact.seat == PLAYER:
                    passed[fact.card] = count_points([*cards[0]]) - count_points([*cards[0], fact.card]) + fact.pot - 1
            case thanks.Took():
                moments.append((fact, chips[fact.seat], len(rounds), passed.pop(fact.card, 0)))
                chips[fact.seat] += fact.chips
                cards[fact.seat].add(fact.card)
            case thanks.RoundScored():
                assert tuple(chips) == fact.chips
                rounds.append((chips, cards))
                chips, cards = [start] * played.seats, [set[int]() for _ in range(played.seats)]

    def cost(took: thanks.Took, number: int) -> int:
        mine = rounds[number][1][took.seat]
        return count_points([*mine]) - count_points([*(mine - {took.card})]) - took.chips

    match remark.sentence.text:
        case text if text.startswith("You had no chips"):
            return any(t.seat == 0 and t.card == f["card"] and not c and cost(t, n) > 10 for t, c, n, _ in moments)
        case text if text.startswith("You took the"):
            wanted = (f["card"], f["chips"], f["left"], f["n"])
            return any(t.seat == 0 and (t.card, t.chips, c, cost(t, n)) == wanted and c for t, c, n, _ in moments)
        case text if text.startswith("Taking the"):
            return any(t.seat == me and (t.card, gain) == (f["card"], f["n"]) for t, _, _, gain in moments)
        case text if "run {run}" in text:
            low, high = map(int, f["run"].split("-"))
            run = set(range(low, high + 1))
            seat = PLAYER if text.startswith("You won") else me
            held = any(run <= cards[seat] and not {low - 1, high + 1} & cards[seat] for _, cards in rounds)
            decided = seat == me or sum(run) - low > lead >= 0
            return held and decided and (f["low"], f["n"]) == (low, sum(run))
        case text if text.startswith("Your {chips} chips decided"):
            return f["chips"] == sum(chips[0] for chips, _ in rounds) > lead >= 0
        case text if text.startswith("Each chip"):
            kept = sum(chips[me] for chips, _ in rounds)
            points = sum(count_points([*cards[me]]) for _, cards in rounds)
            return (points, kept, points - kept) == (f["points"], f["chips"], f["score"])
        case text if text.startswith("I ended without a chip"):
            return not any(chips[me] for chips, _ in rounds)
    return False


def check_dicht_dran(played: Played, remark: Remark) -> bool:  # noqa: C901 - a case for each sentence
    f: Any = remark.sentence.fields
    me, scored = remark.seat, played.of(dicht.CycleScored)
    plus = [sum(each.plus[seat] for each in scored) for seat in range(played.seats)]
    minus = [sum(each.minus[seat] for each in scored) for seat in range(played.seats)]
    drawn = [sum(drew.count for drew in played.of(dicht.Drew) if drew.seat == seat) for seat in range(played.seats)]
    lead = plus[0] - minus[0] - plus[me] + minus[me]
    text = remark.sentence.text
    if text.startswith("Your hand cost"):
        return (f["minus"], f["plus"]) == (minus[0], plus[0]) and minus[0] > plus[0]
    if text.startswith("You drew"):
        return f["m"] == drawn[0] > drawn[me] == f["k"] and ("none" in text) == (drawn[me] == 0)
    if "decided it" in text or text.startswith("Peppers from targets:"):
        wanted = {"p": plus[0], "q": plus[me], "m": minus[0], "k": minus[me]}
        by_targets, by_hands = (plus[0] - plus[me]) * lead, (minus[me] - minus[0]) * lead
        if "decided it" in text:
            part, other = (by_targets, by_hands) if "targets" in text else (by_hands, by_targets)
            return f == wanted and part > 0 >= other
        return f == wanted
    for turn in played.turns:
        cards = next((fact.cards for fact in turn if isinstance(fact, dicht.Revealed)), None)
        won = next((fact for fact in turn if isinstance(fact, dicht.TargetWon)), None)
        if cards is None or won is None or won.card != cards[me] or won.card not in (f.get("mine"), f.get("card")):
            continue
        assert nearest_card(won.target, cards) == won.card
        mine, yours = abs(cards[me] - won.target), abs(cards[0] - won.target)
        if text.startswith("My {mine} beat") and cards[0] == f["yours"]:
            if "equally close" in text and mine == yours and cards[me] > cards[0]:
                return True
            if (
                "only 1 closer" in text
                and mine + 1 == yours
                and (won.peppers, won.target) == (f["peppers"], f["target"])
            ):
                return True
        if text.startswith("I held") and won.peppers == f["peppers"] and _held_since_deal(played, turn, me, f["round"]):
            return True
    return False


def _held_since_deal(played: Played, until: Sequence[Any], seat: Seat, number: int) -> bool:
    """Whether a seat drew nothing in the cycle before a turn, and that turn is its round `number`."""
    rounds, drew = 1, False
    for turn in played.turns:
        if turn is until:
            return rounds == number and not drew
        for fact in turn:
            if isinstance(fact, dicht.TargetWon):
                rounds += 1
            drew = drew or (isinstance(fact, dicht.Drew) and fact.seat == seat)
            if isinstance(fact, dicht.CycleScored):
                rounds, drew = 1, False
    return False


def check_chilli_chase(played: Played, remark: Remark) -> bool:
    f: Any = remark.sentence.fields
    me, points = remark.seat, played.end.board.points
    hits = played.of(chilli.PointScored)
    text = remark.sentence.text
    if "brought me" in text:
        gifts = sum((hit.seat, hit.by) == (me, PLAYER) for hit in hits)
        return f == {"g": gifts, "p": points[me]} and (gifts == 1) == ("one of my" in text)
    if text.startswith("Own cards"):
        own = [sum(hit.seat == hit.by == seat for hit in hits) for seat in (me, PLAYER)]
        assert ("you have none" in text) == (not points[0])
        assert ("I have none" in text) == (not points[me])
        return f == {"o": own[0], "p": points[me], "m": own[1], "n": points[0]}
    seat = me if text.startswith("I changed") else PLAYER
    score = str(f.get("new", f.get("score"))).replace("−", "-")
    for start, fact in enumerate(played.facts):
        kept = text.startswith("You kept")
        changed = isinstance(fact, chilli.ScoreKept if kept else chilli.ScoreChanged) and fact.seat == seat
        if not changed or str(fact.score if kept else fact.new) != score:
            continue
        rest = played.facts[start + 1 :]
        end = next(
            (n for n, each in enumerate(rest) if isinstance(each, chilli.ScoreChanged) and each.seat == seat), len(rest)
        )
        scored = sum(isinstance(each, chilli.PointScored) and each.seat == seat for each in rest[:end])
        if kept and not scored:
            return True
        if not kept and scored == f["n"] and f.get("p", points[0]) == points[0]:
            return str(fact.old) == str(f.get("old", fact.old)).replace("−", "-")
    return False


CHECKS = [
    pytest.param(no_thanks.GAME, check_no_thanks, id="no_thanks"),
    pytest.param(dicht_dran.GAME, check_dicht_dran, id="dicht_dran"),
    pytest.param(chilli_chase.GAME, check_chilli_chase, id="chilli_chase"),
]


@pytest.mark.parametrize(("game", "is_true"), CHECKS)
def test_every_remark_is_true(game: AnyGame, is_true: Callable[[Played, Remark], bool]) -> None:
    first: set[str] = set()
    said: set[str] = set()
    for seed in range(GAMES):
        played = Played(game, seed)
        for remark in played.remarks:
            assert is_true(played, remark), (seed, remark)
        first |= {remark.sentence.text for remark in played.remarks[:1]}
        said |= {remark.sentence.text for remark in played.remarks}
        again = list(game.text.list_remarks(played.turns, PLAYER, range(1, played.seats)))
        assert again == played.remarks, "what is said depends on nothing but the game"
    assert len(first) >= 3, "different games are told the same"
    assert len(said) >= 5


@pytest.mark.parametrize(("game", "is_true"), CHECKS)
def test_a_false_remark_is_found(game: AnyGame, is_true: Callable[[Played, Remark], bool]) -> None:
    played = next(each for each in (Played(game, seed) for seed in range(GAMES)) if each.remarks)
    (*_, last) = played.remarks
    wrong = {name: value + 1 if isinstance(value, int) else value for name, value in last.sentence.fields.items()}
    assert not is_true(played, Remark(last.seat, last.sentence.with_fields(wrong)))
