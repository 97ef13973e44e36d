"""Every fact, move and refusal has a sentence."""

from scoville_laws.law import Luck, demand, law
from scoville_laws.tables import NAMES, draw_finished, draw_move, draw_position, pick_some
from scoville_shared.engine.contract import AnyGame, Refusal
from scoville_shared.engine.phrases import Phrase
from scoville_shared.engine.play import play_move


def _demand_sentence(phrase: Phrase, seats: int, about: object) -> None:
    sentence = phrase.render(NAMES[:seats])
    demand(bool(sentence.strip()), f"the sentence about {about} is empty")
    demand("{" not in sentence, f"a field has no value: {sentence!r}, about {about}")


@law
def every_fact_is_a_sentence_or_silent(game: AnyGame, seats: int, luck: Luck) -> None:
    for step in draw_finished(game, seats, luck).steps:
        for addressed in step.facts:
            phrase = game.text.describe_fact(addressed.fact)
            if phrase is not None:
                _demand_sentence(phrase, seats, addressed.fact)


@law
def every_legal_move_has_a_name_of_its_own(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    for seat in position.deal.seated:
        moves = pick_some(game.moves(game.view(position.state, seat)))
        names = [game.text.describe_move(move).render(NAMES[:seats]) for move in moves]
        demand(all(names), f"a move of seat {seat} has no name")
        twice = sorted({name for name in names if names.count(name) > 1})
        demand(not twice, f"several moves of seat {seat} have the name {', '.join(twice)}")


@law
def every_refusal_is_explained(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    move = draw_move(game, luck)
    for seat in position.deal.seated:
        answer = play_move(game, position.state, seat, move)
        if isinstance(answer, Refusal):
            _demand_sentence(game.text.describe_refusal(answer), seats, answer)


@law
def the_table_is_described_to_every_watcher(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    for watcher in position.deal.watchers:
        view = game.view(position.state, watcher)
        lines = list(game.text.describe_table(view))
        demand(bool(lines), f"the table is not described to watcher {watcher}")
        for line in lines:
            _demand_sentence(line, seats, view)
        for line in (*game.text.describe_hand(view), *game.text.describe_turn(view), *game.text.describe_scores(view)):
            _demand_sentence(line, seats, view)


@law
def counted_points_are_the_scores(game: AnyGame, seats: int, luck: Luck) -> None:
    played = draw_finished(game, seats, luck)
    outcome = game.outcome(played.state)
    gains = list(game.text.count_points([[addressed.fact for addressed in step.facts] for step in played.steps]))
    if outcome is None or not gains:
        return
    sums = [sum(gain.points for gain in gains if gain.seat == seat) for seat in range(seats)]
    demand(tuple(sums) == tuple(outcome.scores), f"the points add up to {sums}, the scores are {outcome.scores}")
    for gain in gains:
        _demand_sentence(gain.what, seats, gain)
        _demand_sentence(gain.kind, seats, gain)
