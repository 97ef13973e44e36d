"""Reviews of whole games: verdicts, luck and skill, moments, and the reports in every form and language."""

from collections.abc import Iterator
from functools import cache
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest
from msgspec import UNSET

from scoville_client.i18n.language import render, set_language
from scoville_client.replays.reel import Reel
from scoville_client.reviews.plan import Plan, plan_review
from scoville_client.reviews.report_lines import list_costly, review_lines
from scoville_client.reviews.reports import COLUMNS, json_report, svg_report, text_report
from scoville_client.reviews.review import (
    FELT,
    MOMENTS,
    Leak,
    Moment,
    MoveReview,
    Review,
    add_up_leaks,
    assemble_review,
    estimate_kept_part,
    find_moments,
)
from scoville_client.reviews.sentences import (
    MOST_WORDS,
    leak_sentence,
    method_sentences,
    moment_sentence,
    move_sentence,
    split_sentences,
)
from scoville_shared.bots.dicht_dran.kernel import CLOSEST
from scoville_shared.coach.base import DRAWN
from scoville_shared.coach.sample import SURE, Estimate
from scoville_shared.coach.study import ERRORS, Verdict
from scoville_shared.engine.phrases import Phrase
from scoville_shared.errors import ScovilleError
from scoville_shared.ids import Seat
from tests.support.exports import SHORT, play_exported_game
from tests.support.machines import MACHINES

every_game = pytest.mark.parametrize("slug", SHORT)


@cache
def review_of(slug: str) -> Review:
    reel, machine = Reel(play_exported_game(slug)), MACHINES["compiled"]()
    planned = plan_review(reel, 4)
    return assemble_review(reel, planned, [work.run(machine) for work in planned.work])


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    yield
    set_language("en")


@every_game
def test_every_decision_is_judged_and_errors_are_beyond_doubt(slug: str) -> None:
    review = review_of(slug)
    reel, positions = review.reel, [move.position for move in review.moves]
    for position in range(1, reel.moves + 1):
        line = reel.moments[position].line
        assert line is not None
        moves = reel.game.moves(reel.game.view(reel.moments[position - 1].state, line.seat))
        assert (position in positions) == (len(moves) > 1)
    for move in review.moves:
        if move.verdict is Verdict.BEST:
            assert move.played == move.better
            assert move.loss == (0, 0)
        if move.verdict in ERRORS:
            assert move.played.move != move.better.move
    assert any(move.verdict in ERRORS for move in review.moves)
    assert SURE == 2


@every_game
def test_a_result_is_even_share_and_skill_and_luck(slug: str) -> None:
    review = review_of(slug)
    for player in review.players:
        assert player.share == pytest.approx(1 / len(review.players) + player.skill.mean + player.luck)
        assert player.skill.mean >= -1 / len(review.players), "nobody loses more than the even share"
        losses = [move.loss.mean for move in review.moves if move.seat == player.seat]
        assert player.each_loss == pytest.approx(max(0.0, sum(losses) / len(losses)))
    assert sum(player.share for player in review.players) == pytest.approx(1)
    assert review.course[0].position == 0
    last = review.course[-1]
    assert last.wins == tuple(player.share for player in review.players)
    assert [round(score) for score in last.scores] == [player.score for player in review.players]
    assert len(review.moments) == MOMENTS
    assert all(abs(moment.after - moment.before) > 0 for moment in review.moments)


@every_game
@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_reports_in_every_form_and_language(slug: str, language: str) -> None:
    set_language(language)
    review = review_of(slug)
    lines = list(text_report(review))
    assert max(map(len, lines)) <= COLUMNS
    assert not any("{" in line for line in lines)
    drawn = ElementTree.fromstring(svg_report(review))
    assert len(drawn.findall("{http://www.w3.org/2000/svg}polyline")) == len(review.players)
    value = msgspec.json.decode(json_report(review))
    assert len(value["decisions"]) == len(review.moves)
    assert value["policies"]
    assert all(each["policy"] in value["policies"] for each in value["decisions"])


def test_a_review_without_compiled_kernels_says_so() -> None:
    reel = Reel(play_exported_game("no_thanks"))
    planned = plan_review(reel)
    few = Plan(planned.decisions[:1], planned.course[:1])
    works = [work._replace(playouts=work.playouts // 20) for work in few.work]
    review = assemble_review(reel, few, [work.run(MACHINES["compiled"]()) for work in works])
    assert not review.fast
    assert any("numba" in sentence for sentence in method_sentences(review))
    assert review_of("no_thanks").fast


def test_unfinished_games_are_not_reviewed() -> None:
    game = play_exported_game("no_thanks")
    with pytest.raises(ScovilleError, match="finished"):
        plan_review(Reel(msgspec.structs.replace(game, moves=game.moves[:-1], outcome=None)))


def test_parts_of_chances_are_multiplied_and_tiny_chances_hardly_count() -> None:
    move = review_of("no_thanks").moves[0]

    def lost(chance: float, loss: float) -> MoveReview:
        better = move.better._replace(win=Estimate(chance, 0.0))
        return move._replace(better=better, loss=Estimate(loss, 0.01), verdict=Verdict.MISTAKE)

    halves = estimate_kept_part([lost(0.4, 0.2), lost(0.2, 0.1)])
    assert halves.mean == pytest.approx(0.25)
    assert halves.error == pytest.approx(0.25 * ((0.01 / 0.4 / 0.5) ** 2 + (0.01 / 0.2 / 0.5) ** 2) ** 0.5)
    assert estimate_kept_part([lost(0.001, 0.001)]).mean == pytest.approx(0.98)
    assert estimate_kept_part([]) == (1, 0)


@pytest.mark.parametrize("loss", [-0.03, 0.003])
def test_decisions_that_are_no_errors_cost_nothing_and_win_nothing(loss: float) -> None:
    move = review_of("no_thanks").moves[0]._replace(verdict=Verdict.AS_GOOD, loss=Estimate(loss, 0.01))
    assert estimate_kept_part([move] * 20) == (1, 0)


@every_game
def test_review_never_exceeds_the_best_decisions(slug: str) -> None:
    assert all(player.skill.mean <= 0 for player in review_of(slug).players)


@every_game
def test_the_costliest_decision_is_one_of_the_moments(slug: str) -> None:
    review = review_of(slug)
    costliest = max((move for move in review.moves if move.verdict in ERRORS), key=lambda move: move.loss.mean)
    named = [error.position for moment in review.moments for error in (*moment.errors, *moment.forgiven)]
    assert costliest.position in named


def test_nothing_is_a_moment_where_no_chance_changed_hands() -> None:
    """Somebody may win for certain from the deal on: "goes from 100 % to 100 %" was told of it."""
    review = review_of("chilli_chase")
    certain = [point._replace(wins=(1.0, *[0.0] * (len(point.wins) - 1))) for point in review.course]
    found = find_moments(review.reel, review.moves, certain, ())
    costliest = max((move for move in review.moves if move.verdict in ERRORS), key=lambda move: move.loss.mean)
    assert [moment.costliest for moment in found] == [costliest]
    assert find_moments(review.reel, (), certain, ()) == ()


def test_plays_of_a_reviewed_game_are_called_with_their_numbers() -> None:
    review = review_of("chilli_chase")
    for move in review.moves:
        assert "total" not in render(move.move)
        assert "total" not in render(move.best)
    assert any(" = " in render(move.move) for move in review.moves)


@pytest.mark.parametrize(("slug", "about"), [("no_thanks", "the "), ("dicht_dran", "target ")])
def test_a_reviewed_move_says_what_it_was_about(slug: str, about: str) -> None:
    review = review_of(slug)
    assert all(f"– {about}" in move_sentence(review, move) for move in review.moves)


def test_moment_separates_error_from_chance() -> None:
    review = review_of("no_thanks")
    move = review.moves[0]._replace(verdict=Verdict.MISTAKE, loss=Estimate(0.04, 0.01))
    moment = Moment(move.position, move.seat, 0.5, 0.1, (), (move,), (), part=0.1)
    assert "it was mostly luck; mistake of " in moment_sentence(review, moment)
    assert "about 60 % of the change" in moment_sentence(review, moment._replace(part=0.6))


def test_costly_decision_is_told_without_lucky_chances() -> None:
    review = review_of("no_thanks")
    move = review.moves[0]._replace(verdict=Verdict.BLUNDER, loss=Estimate(0.36, 0.01))
    moment = Moment(move.position, move.seat, 0.36, 0.36, (), (), (move,), part=0.0, costliest=move)
    said = moment_sentence(review, moment)
    assert said.startswith("No other decision cost more: blunder of ")
    assert "chance to win goes" not in said
    assert "mostly luck" not in said


@every_game
def test_moments_with_the_largest_changes_are_told(slug: str) -> None:
    review = review_of(slug)
    steps = list(zip(review.course, review.course[1:], strict=False))
    changes = {
        after.position: sum(abs(now - then) for then, now in zip(before.wins, after.wins, strict=True))
        for before, after in steps
    }
    least = sorted(changes.values())[-MOMENTS]
    for moment in review.moments:
        change = changes[moment.position]
        unfelt = moment.costliest is not None and change / 2 < FELT * moment.costliest.loss.mean
        assert (moment.costliest is None) == (change >= least and not unfelt)
    assert sum(moment.costliest is not None for moment in review.moments) <= 1


def test_costly_decision_without_a_change_is_no_luck() -> None:
    review = review_of("no_thanks")
    course = tuple(point._replace(wins=(0.25, 0.25, 0.5)) for point in review.course[:3])
    move = review.moves[0]._replace(position=1, verdict=Verdict.BLUNDER, loss=Estimate(0.25, 0.01))
    told, *_ = find_moments(review.reel, [move], course, ())
    assert told.costliest == move
    felt = (course[0], course[1]._replace(wins=(0.05, 0.25, 0.7)), *course[2:])
    assert find_moments(review.reel, [move], felt, ())[0].costliest is None


def test_points_that_are_the_same_are_not_told() -> None:
    review = review_of("no_thanks")
    lost = review.moves[0]._replace(verdict=Verdict.MISTAKE, loss=Estimate(0.04, 0.01), score_loss=Estimate(0.04, 0.1))
    assert "mistake, 4.0 ± 1.0 % behind " in move_sentence(review, lost)
    assert "points" not in move_sentence(review, lost)


def test_an_error_that_costs_points_alone_names_points_alone() -> None:
    review = review_of("no_thanks")
    lost = review.moves[0]._replace(verdict=Verdict.MISTAKE, loss=Estimate(0.0, 0.0), score_loss=Estimate(7.9, 0.1))
    assert "mistake, 7.9 points behind " in move_sentence(review, lost)
    assert "%" not in move_sentence(review, lost)


def test_reviews_expect_bots_to_play_as_their_level() -> None:
    game = play_exported_game("dicht_dran")
    seats = [msgspec.structs.replace(seat, level="easy" if seat.kind == "bot" else UNSET) for seat in game.header.seats]
    levels = Reel(msgspec.structs.replace(game, header=msgspec.structs.replace(game.header, seats=seats)))
    question: Any = plan_review(levels).decisions[0].work.question
    assert question.known == [DRAWN, *[CLOSEST] * (len(seats) - 1)]
    question = plan_review(Reel(game)).decisions[0].work.question
    assert question.known == [DRAWN] * len(seats)


def test_long_sentences_are_split_at_their_clauses() -> None:
    assert split_sentences("64. Take it – fine. Then go.") == ["64. Take it – fine.", "Then go."]
    text = "Take the card – it stands alone: score +16 (points +27, chips +11), later −12 on average; after a pass "
    parts = split_sentences(text + "Paul must take it for lack of chips, and nobody has a run for it in this game.")
    assert len(parts) > 1
    assert all(len(part.split()) <= MOST_WORDS for part in parts)
    assert "".join(parts).replace(".", "").casefold().count("paul must take it") == 1


def test_what_some_moves_assume_is_a_sentence_by_itself() -> None:
    text = "For 21 moves the figures assume this: " + "bots go on as their level plays, " * 3 + "others as before."
    assert split_sentences(text)[0] == "For 21 moves the figures assume this."


@every_game
def test_the_review_in_lines_says_what_cost_most_first(slug: str) -> None:
    review = review_of(slug)
    said = [sentence for line in review_lines(review, Seat(0)) for sentence in split_sentences(line.text)]
    assert max(len(sentence.split()) for sentence in said) <= MOST_WORDS
    costly = list_costly(review, Seat(0))
    assert [move.loss.mean for move in costly] == sorted((move.loss.mean for move in costly), reverse=True)
    first = said[0]
    assert first == ("Your costliest decisions:" if costly else "You made no error beyond doubt.")


@every_game
def test_errors_of_a_kind_add_up(slug: str) -> None:
    review = review_of(slug)
    for player in review.players:
        own = [move for move in review.moves if move.seat == player.seat]
        errors, leaks = [move for move in own if move.verdict in ERRORS], review.list_leaks(player.seat)
        assert all((move.kind is None) == (move.verdict not in ERRORS) for move in own)
        assert sum(leak.errors for leak in leaks) == len(errors)
        assert sum(leak.loss for leak in leaks) == pytest.approx(sum(max(move.loss.mean, 0.0) for move in errors))
        assert [leak.loss for leak in leaks] == sorted((leak.loss for leak in leaks), reverse=True)
        said = leak_sentence(player.name, leaks)
        assert bool(said) == bool(errors)
        assert said in [line.text for line in review_lines(review)] or not errors


def test_the_costliest_kind_of_error_comes_first() -> None:
    early, late = Phrase("takes a card too early"), Phrase("gives away a card of their own run")
    leaks = add_up_leaks([Leak(early, 1, 0.02), Leak(late, 1, 0.03), Leak(early, 1, 0.04)])
    assert leak_sentence("Anna", leaks) == (
        "Anna, what costs most: takes a card too early (2 ×, 3.0 % on average), "
        "gives away a card of their own run (1 ×, 3.0 %)."
    )


def test_point_errors_are_named_without_worse_ones() -> None:
    early, late = Phrase("takes a card too early"), Phrase("gives away a card of their own run")
    dear, free = Leak(early, 1, 0.02), Leak(late, 1, 0.0004)
    assert leak_sentence("Anna", [dear, free]) == "Anna, what costs most: takes a card too early (1 ×, 2.0 %)."
    assert "gives away a card" in leak_sentence("Anna", [free])
