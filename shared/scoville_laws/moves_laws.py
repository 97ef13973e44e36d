"""Legal moves of every game, and that each game ends."""

from itertools import islice, permutations
from typing import Final

import msgspec

from scoville_laws.law import Luck, demand, law
from scoville_laws.tables import draw_finished, draw_move, draw_position, pick_some
from scoville_shared.engine.contract import MOST_FACT_BYTES, AnyGame, Outcome, Refusal
from scoville_shared.engine.play import play_move

_WRITTEN: Final = 5
"""Moves that are written at random, and compared with the legal ones."""
_ORDERS: Final = 24
"""Orders of simultaneous choices that are tried: all of up to four seats."""


@law
def somebody_is_pending_until_there_is_an_outcome(game: AnyGame, seats: int, luck: Luck) -> None:
    for number, moment in enumerate(draw_finished(game, seats, luck).moments):
        outcome, pending = game.outcome(moment.state), game.pending(moment.state)
        demand((outcome is None) == bool(pending), f"after {number} moves {sorted(pending)} are pending: {outcome}")
        demand(pending <= {*range(seats)}, f"pending are {sorted(pending)} of {seats} seats")


@law
def an_outcome_ranks_every_seat(game: AnyGame, seats: int, luck: Luck) -> None:
    outcome = game.outcome(draw_finished(game, seats, luck).state)
    demand(isinstance(outcome, Outcome), f"the outcome is {outcome!r}")
    if outcome is not None:
        demand(len(outcome.scores) == len(outcome.places) == seats, f"{outcome} is not for {seats} seats")
        demand(min(outcome.places) == 1, f"nobody is first in {outcome}")


@law
def a_game_ends_within_its_bound(game: AnyGame, seats: int, luck: Luck) -> None:
    moves = len(draw_finished(game, seats, luck).moments) - 1
    demand(moves <= game.info.max_moves, f"{moves} moves; info.max_moves is {game.info.max_moves}")


@law
def pending_seats_have_moves_and_legal_fallbacks(game: AnyGame, seats: int, luck: Luck) -> None:
    state = draw_position(game, seats, luck, luck.longest).state
    for seat in game.pending(state):
        view = game.view(state, seat)
        demand(bool(list(game.moves(view)[:1])), f"seat {seat} is pending and has no move")
        refusal = game.check(state, seat, game.fallback(view))
        demand(refusal is None, f"the fallback {game.fallback(view)} of seat {seat} is refused: {refusal}")


@law
def the_moves_of_a_view_are_exactly_the_legal_ones(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    written = [draw_move(game, luck) for _ in range(luck.randint(0, _WRITTEN))]
    for seat in position.deal.seated:
        legal = game.moves(game.view(position.state, seat))
        offered = pick_some(legal)
        demand(len({*offered}) == len(offered), f"a move of seat {seat} is offered twice")
        for move in offered:
            refusal = game.check(position.state, seat, move)
            demand(refusal is None, f"{move} is offered to seat {seat}, but refused: {refusal}")
        for move in written if len(offered) == len(legal) else ():
            allowed = game.check(position.state, seat, move) is None
            said = "allowed, but not offered" if allowed else "offered, but not allowed"
            demand(allowed == (move in legal), f"{move} of seat {seat} is {said}")


@law
def who_is_not_pending_may_at_most_withdraw(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    pending = game.pending(position.state)
    for seat in position.deal.seated:
        if seat not in pending:
            for move in pick_some(game.moves(game.view(position.state, seat))):
                after = game.pending(game.apply(position.state, seat, move).state)
                demand(seat in after, f"seat {seat} owes no move, plays {move}, and owes none afterwards")


@law
def the_number_of_the_round_never_falls(game: AnyGame, seats: int, luck: Luck) -> None:
    rounds = [game.round(moment.state) for moment in draw_position(game, seats, luck, luck.longest).moments]
    demand(rounds == sorted(rounds), f"the rounds are {rounds}")


@law
def a_spectator_has_no_moves(game: AnyGame, seats: int, luck: Luck) -> None:
    state = draw_position(game, seats, luck, luck.longest).state
    moves = list(game.moves(game.view(state, None)))
    demand(not moves, f"a spectator may play {moves}")


@law
def playing_leaves_the_state_as_it_was(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    before = game.codec.pack_state(position.state)
    for seat in position.deal.seated:
        for move in [*pick_some(game.moves(game.view(position.state, seat))), draw_move(game, luck)]:
            play_move(game, position.state, seat, move)
    demand(game.codec.pack_state(position.state) == before, "playing has changed the state that it began with")


@law
def the_order_of_simultaneous_choices_does_not_matter(game: AnyGame, seats: int, luck: Luck) -> None:
    state = draw_position(game, seats, luck, luck.longest).state
    choices = {seat: luck.choice(pick_some(game.moves(game.view(state, seat)))) for seat in game.pending(state)}
    ends = set()
    for order in islice(permutations(sorted(choices)), _ORDERS):
        after = state
        for seat in order:
            step = play_move(game, after, seat, choices[seat])
            if isinstance(step, Refusal):
                demand(False, f"{choices[seat]} of seat {seat} is refused after the choice of another: {step}")
                break
            after = step.state
        ends.add(game.codec.pack_state(after))
    demand(len(ends) == 1, f"the order of {choices} makes a difference")


@law
def a_refusal_changes_nothing_and_names_a_reason(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    move = draw_move(game, luck)
    for seat in position.deal.seated:
        answer = play_move(game, position.state, seat, move)
        if isinstance(answer, Refusal):
            demand(bool(answer.reason.value), f"{move} is refused without a reason")


@law
def the_facts_of_a_move_are_few(game: AnyGame, seats: int, luck: Luck) -> None:
    for step in draw_position(game, seats, luck, luck.longest).steps:
        size = len(msgspec.msgpack.encode([each.fact for each in step.facts]))
        demand(size <= MOST_FACT_BYTES, f"the facts of a move have {size:,} bytes; {MOST_FACT_BYTES:,} are allowed")
