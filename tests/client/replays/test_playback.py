"""Stepping through exported games: the same table whichever way it is reached, and no secrets of other seats."""

from typing import Any

import pytest
from msgspec.structs import replace

from scoville_client.i18n.name_text import OWNED
from scoville_client.replays.playback import Playback
from scoville_client.replays.reel import NotPlayable, Reel
from scoville_client.session.table.table import AtTable
from scoville_shared.engine.phrases import Who
from scoville_shared.ids import Seat
from tests.support.exports import SHORT, play_exported_game

every_game = pytest.mark.parametrize("slug", SHORT)
every_watcher = pytest.mark.parametrize("seat", [None, Seat(0), Seat(2)], ids=["spectator", "first", "last"])


def known(at: AtTable) -> dict[str, Any]:
    """Everything that a board, a log or a transcript can show of a table."""
    return {
        "view": at.view,
        "seq": at.seq,
        "seat": at.seat,
        "point_of_view": at.point_of_view,
        "log": list(at.log),
        "pending": at.pending,
        "played": at.played,
        "info": at.info,
        "result": at.result,
    }


def at_the_end(slug: str, seat: Seat | None) -> Playback:
    reel = Reel(play_exported_game(slug))
    return Playback(reel, seat, reel.last)


@every_game
@every_watcher
def test_steps_backwards_show_the_same_pictures(slug: str, seat: Seat | None) -> None:
    playback = Playback(Reel(play_exported_game(slug)), seat)
    forwards = [known(playback.at)]
    while playback.step_forward() is not None:
        forwards.append(known(playback.at))
    backwards = [known(playback.at)]
    while playback.position:
        playback.step_back()
        backwards.append(known(playback.at))
    assert len(forwards) == len(play_exported_game(slug).moves) + 2
    assert backwards[::-1] == forwards


@every_game
def test_a_step_has_the_views_before_and_after_it(slug: str) -> None:
    playback = Playback(Reel(play_exported_game(slug)), Seat(0))
    before = playback.at.view
    change = playback.step_forward()
    assert change is not None
    assert (change.before, change.after) == (before, playback.at.view)
    assert change.facts
    assert change.event.seq == playback.at.seq == 2


@every_game
def test_the_replay_ends_with_the_result_of_the_file(slug: str) -> None:
    at, outcome = at_the_end(slug, None).at, play_exported_game(slug).outcome
    assert outcome is not None
    assert at.result is not None
    assert at.info.status == "finished"
    assert (at.result.scores, at.result.places) == (outcome.scores, outcome.places)


@every_game
@every_watcher
def test_eyes_see_their_own_view_and_facts_and_no_others(slug: str, seat: Seat | None) -> None:
    reel = Reel(play_exported_game(slug))
    game, playback = reel.game, Playback(reel, seat)
    for position in range(reel.last):
        assert playback.at.view == game.view(reel.moment_at(position).state, seat)
        change = playback.step_forward()
        assert change is not None
        addressed = reel.moment_at(position + 1).facts if position < reel.moves else ()
        assert list(change.facts) == [fact.fact for fact in addressed if fact.to in (None, seat)]


def test_spectators_of_dicht_dran_see_no_hand() -> None:
    reel = Reel(play_exported_game("dicht_dran"))
    for position in range(reel.moves):
        assert Playback(reel, None, position).at.view.hand == ()


@every_game
def test_parts_are_gone_through_in_both_directions(slug: str) -> None:
    playback = Playback(Reel(play_exported_game(slug)))
    there = [playback.position]
    while playback.position < playback.reel.last:
        playback.go_to_next_part()
        there.append(playback.position)
    assert tuple(there) == (*playback.reel.parts, playback.reel.last)
    back = [playback.position]
    while playback.position:
        playback.go_to_part_before()
        back.append(playback.position)
    assert back[::-1] == there


def test_a_dicht_dran_replay_jumps_to_rounds() -> None:
    playback = Playback(Reel(play_exported_game("dicht_dran")))
    playback.go_to_part(4)
    assert (playback.at.view.board.round, playback.part_number) == (4, 4)
    playback.step_forward()
    assert playback.part_number == 4
    playback.go_to_part(1000)
    assert playback.position == playback.reel.last
    playback.go_to_part(0)
    assert playback.position == 0


def test_the_eyes_go_round_the_table_and_past_a_spectator() -> None:
    playback = Playback(Reel(play_exported_game("no_thanks")), None, 7)
    seen = []
    for _ in range(5):
        playback.look_from_next_seat()
        seen.append(playback.at.point_of_view)
        assert playback.position == 7
    assert seen == [0, 1, 2, None, 0]


def test_game_is_shown_up_to_its_illegal_move() -> None:
    game = play_exported_game("dicht_dran")
    wrong = replace(game.moves[5], move=game.moves[2].move)
    reel = Reel(replace(game, moves=[*game.moves[:5], wrong, *game.moves[6:]]))
    assert (reel.moves, reel.last, reel.ending) == (5, 5, None)
    assert not reel.verdict.verified
    playback = Playback(reel, None, 99)
    assert playback.at.result is None
    assert playback.step_forward() is None


def test_an_aborted_game_ends_with_its_last_move() -> None:
    game = play_exported_game("chilli_chase")
    reel = Reel(replace(game, moves=game.moves[:4], outcome=None))
    assert (reel.last, reel.verdict.unfinished) == (4, True)


def test_replays_show_the_computed_result() -> None:
    game = play_exported_game("no_thanks")
    assert game.outcome is not None
    claimed = replace(game.outcome, scores=[0, 0, 0])
    reel = Reel(replace(game, outcome=claimed))
    at = Playback(reel, None, reel.last).at
    assert at.result is not None
    assert at.result.scores == game.outcome.scores
    assert not reel.verdict.verified


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"game": "chess"}, "chess"),
        ({"rules_version": 99}, "version 99"),
        ({"options": {"cycles": 99}}, "options"),
    ],
)
def test_a_game_that_cannot_be_dealt_here_is_one_sentence(change: dict[str, Any], sentence: str) -> None:
    game = play_exported_game("dicht_dran")
    with pytest.raises(NotPlayable, match=sentence):
        Reel(replace(game, header=replace(game.header, **change)))


def test_claimed_names_of_an_exported_game_keep_their_mark() -> None:
    game = play_exported_game("no_thanks")
    first, *others = game.header.seats
    header = replace(game.header, seats=[replace(first, claimed=True), *others])
    at = Playback(Reel(replace(game, header=header)), None, 0).at
    assert at.marks[0] == OWNED
    assert OWNED not in at.marks[1:]


@every_game
def test_no_sentence_of_a_replay_calls_a_player_you(slug: str) -> None:
    for position in (99, 0):
        playback = Playback(Reel(play_exported_game(slug)), Seat(2), position)
        while playback.step_forward() is not None:
            pass
        said = [entry.phrase for entry in playback.at.log]
        assert said
        assert not [phrase.text for phrase in said if phrase.text.startswith("You")]
        drawn = {
            phrase.fields["who"]
            for phrase in said
            if phrase.text in ("{who} draws the {card}.", "{who} draws {cards}.")
        }
        assert drawn == (set() if slug == "no_thanks" else {Who(Seat(2))})
