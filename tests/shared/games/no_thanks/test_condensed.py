"""The log: passes on one card are one sentence."""

from scoville_shared.games.no_thanks import GAME
from scoville_shared.games.no_thanks.facts import AnyFact, Passed, RoundScored, Took, TurnedUp
from scoville_shared.ids import Seat

PETER, SABRINA, LISA = map(Seat, range(3))
NAMES = ("Peter", "Sabrina", "Lisa")
TOOK = Took(LISA, 11, 2, (11,), 11)
SCORED = RoundScored(
    round=1, points=(0, 0, 11), chips=(10, 10, 13), scores=(-10, -10, -2), totals=(-10, -10, -2), removed=()
)


def log_lines(*facts: AnyFact) -> list[str]:
    return [phrase.render(NAMES) for phrase in GAME.text.condense_log(map(GAME.text.describe_fact, facts))]


def test_the_rulebooks_example_reads_as_a_story() -> None:
    facts = (TurnedUp(PETER, 11, 23), Passed(PETER, 11, 1), Passed(SABRINA, 11, 2), TOOK, TurnedUp(LISA, 16, 22))
    assert log_lines(*facts) == [
        "Peter turns up the 11; 23 cards are left.",
        "Peter, Sabrina decline the 11; 2 chips are beside it.",
        "Lisa takes the 11 and 2 chips, and turns up the 16.",
    ]


def test_card_of_a_run_and_last_card_stay_whole() -> None:
    run = Took(LISA, 12, 1, (11, 12), 11)
    assert log_lines(run, TurnedUp(LISA, 16, 22)) == [
        "Lisa takes the 12 and 1 chip for the run 11-12, and turns up the 16."
    ]
    whole, result, *sums = log_lines(TOOK, SCORED)
    assert whole == "Lisa takes the 11 and 2 chips; the cards now count 11."
    assert result == "Round 1 is over. Points minus chips:"
    assert [line.split(" ")[0] for line in sums] == ["Peter", "Sabrina", "Lisa"]


def test_a_single_pass_stays_as_it_is() -> None:
    assert log_lines(Passed(PETER, 11, 1)) == ["Peter declines the 11; 1 chip is beside it."]


def test_player_who_passes_twice_is_named_once() -> None:
    passes = [Passed(seat, 30, pot) for pot, seat in enumerate((PETER, SABRINA, LISA, PETER), 1)]
    assert log_lines(*passes) == ["Peter, Sabrina, Lisa decline the 30; 4 chips are beside it."]
