"""The user's own decisions: kept beside the games, added up over games, and made again."""

from functools import cache
from pathlib import Path

import pytest

from scoville_client.replays.reel import Reel
from scoville_client.reviews import decisions
from scoville_client.reviews.decisions import (
    OwnMistakes,
    decisions_of,
    habit_sentence,
    keep_decisions,
    summarize_games,
    summary_sentences,
)
from scoville_client.reviews.plan import plan_review
from scoville_client.reviews.review import Review, assemble_review
from scoville_client.session.my_games import Decisions, GameFolder, Mistake
from scoville_shared.coach.study import ERRORS
from scoville_shared.engine.phrases import Phrase
from scoville_shared.ids import Seat
from tests.support.exports import lines_of, play_exported_game
from tests.support.machines import MACHINES


@cache
def reviewed() -> Review:
    reel, machine = Reel(play_exported_game("no_thanks")), MACHINES["compiled"]()
    planned = plan_review(reel, 4)
    return assemble_review(reel, planned, [work.run(machine) for work in planned.work])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GameFolder:
    """A folder with one game, which the user played on seat 1; the clock goes on by a day with each game."""
    days = iter(range(100))
    made = GameFolder(tmp_path / "games", lambda: next(days) * 86_400_000)
    monkeypatch.setattr(decisions, "users_games", lambda: made)
    game = play_exported_game("no_thanks")
    made.keep_game(lines_of(game), "no_thanks", game.header.table, Seat(1))
    return made


def kept(folder: GameFolder) -> Decisions:
    [game] = folder.list_games()
    found = folder.read_decisions(game.path)
    assert found is not None
    return found


def test_a_review_keeps_the_decisions_of_the_users_seat(folder: GameFolder) -> None:
    keep_decisions(reviewed())
    own = [move for move in reviewed().moves if move.seat == 1]
    errors = [move for move in own if move.verdict in ERRORS]
    assert errors, "a game without errors would show nothing"
    assert kept(folder).made == len(own)
    assert [mistake.position for mistake in kept(folder).mistakes] == [move.position for move in errors]
    assert kept(folder).loss == pytest.approx(sum(max(move.loss.mean, 0.0) for move in own))


def test_a_game_of_somebody_else_keeps_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = GameFolder(tmp_path / "games")
    monkeypatch.setattr(decisions, "users_games", lambda: other)
    keep_decisions(reviewed())
    game = play_exported_game("dicht_dran")
    # As a hostile server could name its table.
    other.keep_game(lines_of(game), "no_thanks", reviewed().reel.header.table, Seat(1))
    keep_decisions(reviewed())
    assert [path.suffix for path in tmp_path.rglob("*.*")] == [".jsonl"]


def test_mistakes_come_the_costliest_first_until_all_are_done(folder: GameFolder) -> None:
    keep_decisions(reviewed())
    mistakes = OwnMistakes(folder)
    order = sorted(kept(folder).mistakes, key=lambda mistake: -mistake.loss)
    assert mistakes.count == len(order)
    for number, mistake in enumerate(order, 1):
        playback = mistakes.open_game()
        assert playback is not None
        assert (playback.seat, playback.position, mistakes.number) == (1, mistake.position - 1, number)
        assert mistakes.position == mistake.position - 1
        mistakes.note_answer(right=True)
    assert mistakes.open_game() is None
    assert mistakes.position is None
    assert all(mistake.solved for mistake in kept(folder).mistakes)
    assert OwnMistakes(folder).count == 0


def test_only_a_wrong_answer_comes_again_another_day(folder: GameFolder) -> None:
    keep_decisions(reviewed())
    mistakes = OwnMistakes(folder)
    mistakes.open_game()
    mistakes.note_answer(right=True)
    if mistakes.count > 1:
        mistakes.open_game()
        mistakes.note_answer(right=False)
    keep_decisions(reviewed())
    assert OwnMistakes(folder).count == mistakes.count - 1


def test_a_game_that_was_removed_meanwhile_is_passed_over(folder: GameFolder) -> None:
    keep_decisions(reviewed())
    mistakes = OwnMistakes(folder)
    [game] = folder.list_games()
    folder.remove_game(game.path)
    assert mistakes.open_game() is None
    assert not any(path.is_file() for path in game.path.parent.rglob("*"))


def test_damaged_decisions_are_none(folder: GameFolder) -> None:
    keep_decisions(reviewed())
    [path] = folder.list_games()[0].path.parent.glob("*.decisions.json")
    for content in (
        b"{",
        b'{"made": -1, "loss": 0, "mistakes": []}',
        b'{"made":1,"loss":0.0,"mistakes":[{"position":0}]}',
    ):
        path.write_bytes(content)
        assert folder.read_decisions(folder.list_games()[0].path) is None
        assert OwnMistakes(folder).count == 0


def test_decisions_of_many_games_add_up(folder: GameFolder) -> None:
    game = play_exported_game("no_thanks")
    for number in range(11):
        folder.keep_game(lines_of(game), "no_thanks", f"table-{number}", Seat(1))
    for number, played in enumerate(reversed(folder.list_games())):
        early = [Mistake(5, "takes a card too early", 0.05)] * (2 if number < 2 else 1)
        folder.write_decisions(played.path, Decisions(made=10, loss=0.05 * len(early), mistakes=early))
    [summary] = summarize_games(folder, folder.list_games())
    rank = summary.places[0][0]
    assert [*summary_sentences(summary)] == [
        f"No Thanks!: you won {12 * (rank == 1)} of 12.",
        f"Your latest ranks: {', '.join([str(rank)] * 5)}.",
        "Your decisions: better than before.",
        "On average a decision costs 0.5 % of the chance to win.",
        "Your costliest habit: takes a card too early (14 ×).",
    ]


def test_a_user_without_reviews_learns_how_to_get_one(folder: GameFolder) -> None:
    [summary] = summarize_games(folder, folder.list_games())
    assert summary.trend is None
    assert [*summary_sentences(summary)] == [f"No Thanks!: you won {summary.won} of 1."]
    assert habit_sentence(summary) == "Review a game to learn how well you decide: h in its replay."


@pytest.mark.parametrize(("losses", "word"), [((0.1, 0.1), "as good"), ((0.1, 0.2), "worse"), ((0.2, 0.1), "better")])
def test_two_reviewed_games_are_compared(folder: GameFolder, losses: tuple[float, float], word: str) -> None:
    folder.keep_game(lines_of(play_exported_game("no_thanks")), "no_thanks", "table-1", Seat(1))
    for played, loss in zip(reversed(folder.list_games()), losses, strict=True):
        folder.write_decisions(played.path, Decisions(made=10, loss=loss, mistakes=[]))
    [summary] = summarize_games(folder, folder.list_games())
    assert summary.trend == Phrase(f"{word} {'as' if word == 'as good' else 'than'} before")
    assert habit_sentence(summary) == "The reviews of your games have found no clear error."


def test_a_seat_without_errors_has_none() -> None:
    review = reviewed()._replace(moves=())
    assert decisions_of(review, Seat(0)) == Decisions(made=0, loss=0.0, mistakes=[])
