"""The laws that every game obeys, in the order in which they are tried: each relies on the ones before."""

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import islice, permutations
from random import Random
from typing import Any, Final

import msgspec
from msgspec import Struct, inspect

from scoville_laws.law import LAWS, Luck, demand, law
from scoville_laws.tables import (
    NAMES,
    draw_deal,
    draw_dice,
    draw_finished,
    draw_move,
    draw_position,
    pick_some,
    walk_table,
)
from scoville_laws.values import list_kinds
from scoville_shared.engine.contract import MOST_FACT_BYTES, AnyGame, Outcome, Refusal, select_facts
from scoville_shared.engine.phrases import Phrase
from scoville_shared.engine.play import play_move
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat

# Types: guarantees for programs in other languages: constant values, and words as identifiers.

_IDENTIFIER = re.compile(r"[a-z]+(_[a-z]+)*")


@law("types", once=True)
def a_game_is_listed_as_what_it_is(game: AnyGame, seats: int, luck: Luck) -> None:  # noqa: ARG001
    info = game.info
    demand(load_game(info.slug) is game, f"{info.slug} is another game than the installed one")
    demand(info.title.strip() == info.title != "", f"the title is {info.title!r}")
    ordered = info.seats[0] <= info.official[0] <= info.official[1] <= info.seats[1]
    demand(ordered, f"official players {info.official} are not among the players {info.seats}")
    demand(info.rules_version >= 1, f"rules_version is {info.rules_version}; it begins with 1")
    demand(info.max_moves >= 1, f"max_moves is {info.max_moves}")


@law("types", once=True)
def daily_deals_are_planned_for_its_seats_and_options(game: AnyGame, seats: int, luck: Luck) -> None:  # noqa: ARG001
    fewest, most = game.info.seats
    for plan in game.daily_plans:
        planned = len(plan.levels) + 1
        demand(fewest <= planned <= most, f"a daily deal is planned for {planned} seats, not for {fewest} to {most}")
        game.codec.decode_options(plan.options)


@law("types", once=True)
def every_value_is_frozen(game: AnyGame, seats: int, luck: Luck) -> None:  # noqa: ARG001
    families = {base for kind in _structs_of(game) for base in kind.cls.__mro__ if issubclass(base, Struct)}
    thawed = [kind.__name__ for kind in families - {Struct} if not kind.__struct_config__.frozen]
    demand(not thawed, f"not frozen: {', '.join(sorted(thawed))}")


@law("types", once=True)
def options_and_moves_with_unknown_keys_are_refused(game: AnyGame, seats: int, luck: Luck) -> None:  # noqa: ARG001
    kinds = (game.codec.options_type, *game.codec.move_types)
    lax = [kind.__name__ for kind in kinds if not kind.__struct_config__.forbid_unknown_fields]
    demand(not lax, f"without forbid_unknown_fields: {', '.join(lax)}")


@law("types", once=True)
def facts_are_tagged_with_their_names(game: AnyGame, seats: int, luck: Luck) -> None:  # noqa: ARG001
    for kind in _structs_of(game, game.codec.fact_type):
        if kind.tag_field is not None:
            demand(kind.tag_field == "fact", f"{kind.cls.__name__} is tagged by {kind.tag_field!r}, not by 'fact'")
            name = _words_of(kind.cls.__name__)
            demand(kind.tag == name, f"{kind.cls.__name__} has the tag {kind.tag!r}, not {name!r}")


@law("types", once=True)
def words_in_values_are_small(game: AnyGame, seats: int, luck: Luck) -> None:  # noqa: ARG001
    codec = game.codec
    for kind in list_kinds(codec.options_type, *codec.move_types, codec.view_type, codec.fact_type):
        if isinstance(kind, inspect.EnumType):
            texts = [str(member.value) for member in kind.cls]
            wrong = [text for text in texts if text[:1].isalpha() and not _IDENTIFIER.fullmatch(text)]
            demand(not wrong, f"{kind.cls.__name__} has values that are no words of small letters: {', '.join(wrong)}")


@law("types")
def codes_of_an_ending_are_its_names(game: AnyGame, seats: int, luck: Luck) -> None:
    outcome = game.outcome(draw_finished(game, seats, luck).state)
    demand(outcome is not None, "a game in which no seat is pending has no outcome")
    _demand_codes(type(outcome.reason) if outcome is not None else StrEnum)


@law("types")
def codes_of_a_refusal_are_its_names(game: AnyGame, seats: int, luck: Luck) -> None:
    over = draw_finished(game, seats, luck).state
    for seat in range(seats):
        move = draw_move(game, luck)
        refusal = game.check(over, Seat(seat), move)
        demand(isinstance(refusal, Refusal), f"seat {seat} may play {move} after the end of the game")
        if refusal is not None:
            _demand_codes(type(refusal.reason))


def _structs_of(game: AnyGame, *kinds: Any) -> Iterator[inspect.StructType]:
    """Yield all structs that values of the game are made of, or of those kinds."""
    codec = game.codec
    chosen = kinds or (codec.options_type, codec.state_type, *codec.move_types, codec.view_type, codec.fact_type)
    return (kind for kind in list_kinds(*chosen) if isinstance(kind, inspect.StructType))


def _words_of(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def _demand_codes(kind: type) -> None:
    """Codes are the names of their reasons, in small letters: programs may rely on either."""
    demand(issubclass(kind, StrEnum), f"the reason is a {kind.__name__}, not a StrEnum")
    if issubclass(kind, StrEnum):
        wrong = [reason.value for reason in kind if reason.value != reason.name.lower()]
        demand(not wrong, f"values of {kind.__name__} are not their names: {', '.join(wrong)}")


# Values: every value of a game survives encoding for the wire and the disk.


def _send_and_receive(plain: Any) -> Any:
    """Return plain data as it arrives at the other end of a connection."""
    return msgspec.msgpack.decode(msgspec.msgpack.encode(plain))


@law("values")
def options_come_back_as_they_were(game: AnyGame, seats: int, luck: Luck) -> None:
    options = draw_deal(game, seats, luck).options
    again = game.codec.decode_options(_send_and_receive(game.codec.encode_plain(options)))
    demand(again == options, f"{options} come back as {again}")


@law("values")
def moves_come_back_as_they_were(game: AnyGame, seats: int, luck: Luck) -> None:  # noqa: ARG001
    move = draw_move(game, luck)
    again = game.codec.decode_move(_send_and_receive(game.codec.encode_plain(move)))
    demand(again == move, f"{move} comes back as {again}")


@law("values")
def views_come_back_as_they_were(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    for watcher in position.deal.watchers:
        view = game.view(position.state, watcher)
        again = game.codec.decode_view(_send_and_receive(game.codec.encode_plain(view)))
        demand(again == view, f"{view} comes back as {again}")


@law("values")
def facts_come_back_as_they_were(game: AnyGame, seats: int, luck: Luck) -> None:
    for step in draw_position(game, seats, luck, luck.longest).steps:
        for addressed in step.facts:
            again = game.codec.decode_fact(_send_and_receive(game.codec.encode_plain(addressed.fact)))
            demand(again == addressed.fact, f"{addressed.fact} comes back as {again}")


@law("values")
def states_come_back_as_they_were(game: AnyGame, seats: int, luck: Luck) -> None:
    state = draw_position(game, seats, luck, luck.longest).state
    packed = game.codec.pack_state(state)
    again = game.codec.unpack_state(packed)
    demand(again == state, f"{state} comes back as {again}")
    demand(game.codec.pack_state(again) == packed, f"{state} has other bytes once it was read")


@law("values")
def the_same_key_and_moves_make_the_same_bytes(game: AnyGame, seats: int, luck: Luck) -> None:
    deal, moments = draw_position(game, seats, luck, luck.longest)
    state = deal.setup()
    for number, moment in enumerate(moments):
        if moment.seat is not None:
            state = game.apply(state, moment.seat, moment.move).state
        same = game.codec.pack_state(state) == game.codec.pack_state(moment.state)
        demand(same, f"after {number} moves the state is another one: chance comes from somewhere else than the dice")


# Moves: legal moves of every game, and that each game ends.

_WRITTEN: Final = 5
"""Moves that are written at random, and compared with the legal ones."""
_ORDERS: Final = 24
"""Orders of simultaneous choices that are tried: all of up to four seats."""


@law("moves")
def somebody_is_pending_until_there_is_an_outcome(game: AnyGame, seats: int, luck: Luck) -> None:
    for number, moment in enumerate(draw_finished(game, seats, luck).moments):
        outcome, pending = game.outcome(moment.state), game.pending(moment.state)
        demand((outcome is None) == bool(pending), f"after {number} moves {sorted(pending)} are pending: {outcome}")
        demand(pending <= {*range(seats)}, f"pending are {sorted(pending)} of {seats} seats")


@law("moves")
def an_outcome_ranks_every_seat(game: AnyGame, seats: int, luck: Luck) -> None:
    outcome = game.outcome(draw_finished(game, seats, luck).state)
    demand(isinstance(outcome, Outcome), f"the outcome is {outcome!r}")
    if outcome is not None:
        demand(len(outcome.scores) == len(outcome.places) == seats, f"{outcome} is not for {seats} seats")
        demand(min(outcome.places) == 1, f"nobody is first in {outcome}")


@law("moves")
def a_game_ends_within_its_bound(game: AnyGame, seats: int, luck: Luck) -> None:
    moves = len(draw_finished(game, seats, luck).moments) - 1
    demand(moves <= game.info.max_moves, f"{moves} moves; info.max_moves is {game.info.max_moves}")


@law("moves")
def pending_seats_have_moves_and_legal_fallbacks(game: AnyGame, seats: int, luck: Luck) -> None:
    state = draw_position(game, seats, luck, luck.longest).state
    for seat in game.pending(state):
        view = game.view(state, seat)
        demand(bool(list(game.moves(view)[:1])), f"seat {seat} is pending and has no move")
        refusal = game.check(state, seat, game.fallback(view))
        demand(refusal is None, f"the fallback {game.fallback(view)} of seat {seat} is refused: {refusal}")


@law("moves")
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
        # Not where moves are computed as they are asked for: to look for one would compute two million.
        for move in written if len(offered) == len(legal) else ():
            allowed = game.check(position.state, seat, move) is None
            said = "allowed, but not offered" if allowed else "offered, but not allowed"
            demand(allowed == (move in legal), f"{move} of seat {seat} is {said}")


@law("moves")
def who_is_not_pending_may_at_most_withdraw(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    pending = game.pending(position.state)
    for seat in position.deal.seated:
        if seat not in pending:
            for move in pick_some(game.moves(game.view(position.state, seat))):
                after = game.pending(game.apply(position.state, seat, move).state)
                demand(seat in after, f"seat {seat} owes no move, plays {move}, and owes none afterwards")


@law("moves")
def the_number_of_the_round_never_falls(game: AnyGame, seats: int, luck: Luck) -> None:
    rounds = [game.round(moment.state) for moment in draw_position(game, seats, luck, luck.longest).moments]
    demand(rounds == sorted(rounds), f"the rounds are {rounds}")


@law("moves")
def a_spectator_has_no_moves(game: AnyGame, seats: int, luck: Luck) -> None:
    state = draw_position(game, seats, luck, luck.longest).state
    moves = list(game.moves(game.view(state, None)))
    demand(not moves, f"a spectator may play {moves}")


@law("moves")
def playing_leaves_the_state_as_it_was(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    before = game.codec.pack_state(position.state)
    for seat in position.deal.seated:
        # Refused ones, too: a check that has side effects is found by them.
        for move in [*pick_some(game.moves(game.view(position.state, seat))), draw_move(game, luck)]:
            play_move(game, position.state, seat, move)
    demand(game.codec.pack_state(position.state) == before, "playing has changed the state that it began with")


@law("moves")
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


@law("moves")
def a_refusal_changes_nothing_and_names_a_reason(game: AnyGame, seats: int, luck: Luck) -> None:
    for move, refusal in _draw_refusals(game, seats, luck):
        demand(bool(refusal.reason.value), f"{move} is refused without a reason")


def _draw_refusals(game: AnyGame, seats: int, luck: Luck) -> Iterator[tuple[Any, Refusal]]:
    """Let every seat of a position try the same move; yields it with each refusal."""
    position, move = draw_position(game, seats, luck, luck.longest), draw_move(game, luck)
    for seat in position.deal.seated:
        answer = play_move(game, position.state, seat, move)
        if isinstance(answer, Refusal):
            yield move, answer


@law("moves")
def the_facts_of_a_move_are_few(game: AnyGame, seats: int, luck: Luck) -> None:
    for step in draw_position(game, seats, luck, luck.longest).steps:
        size = len(msgspec.msgpack.encode([each.fact for each in step.facts]))
        demand(size <= MOST_FACT_BYTES, f"the facts of a move have {size:,} bytes; {MOST_FACT_BYTES:,} are allowed")


# Secrets: views and facts are the same bytes whatever is hidden from their seat.


def _view_bytes(game: AnyGame, state: Any, watcher: Seat | None) -> bytes:
    return msgspec.msgpack.encode(game.codec.encode_plain(game.view(state, watcher)))


@law("secrets")
def a_view_is_equal_in_all_its_worlds(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    chance = draw_dice(luck)
    for watcher in position.deal.watchers:
        view = game.view(position.state, watcher)
        world = game.imagine(view, chance)
        seen = game.view(world, watcher)
        demand(seen == view, f"watcher {watcher} sees {view}, and in the world imagined from it {seen}")
        same = _view_bytes(game, world, watcher) == _view_bytes(game, position.state, watcher)
        demand(same, f"the View of watcher {watcher} has other bytes in the world imagined from it")


@law("secrets")
def everybody_can_see_which_round_it_is(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    chance = draw_dice(luck)
    for watcher in position.deal.watchers:
        imagined = game.round(game.imagine(game.view(position.state, watcher), chance))
        known = game.round(position.state)
        demand(imagined == known, f"it is round {known}; watcher {watcher} imagines round {imagined}")


@law("secrets")
def an_imagined_world_can_be_played_to_its_end(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    watcher = luck.choice(position.deal.watchers)
    world = game.imagine(game.view(position.state, watcher), draw_dice(luck))
    pending, imagined = game.pending(position.state), game.pending(world)
    demand(imagined == pending, f"{sorted(pending)} are pending; watcher {watcher} imagines {sorted(imagined)}")
    for moment in walk_table(position.deal, world, Random(luck.getrandbits(32))):
        world = moment.state
    demand(game.outcome(world) is not None, f"the world that watcher {watcher} imagines has no outcome")


@law("secrets")
def the_same_chance_imagines_the_same_world(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    view = game.view(position.state, luck.choice(position.deal.watchers))
    chance = draw_dice(luck)
    first, again = (game.codec.pack_state(game.imagine(view, chance)) for _ in range(2))
    demand(first == again, "the same dice imagine two worlds: chance comes from somewhere else")


@law("secrets")
def a_simultaneous_choice_shows_only_that_it_was_made(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    pending = game.pending(position.state)
    # The last choice resolves the phase, and is seen by all players.
    for mover in pending if len(pending) > 1 else ():
        others = [watcher for watcher in position.deal.watchers if watcher != mover]
        seen = set()
        for move in pick_some(game.moves(game.view(position.state, mover))):
            step = game.apply(position.state, mover, move)
            addressed = [game.codec.encode_plain(fact.fact) for fact in step.facts if fact.to != mover]
            views = [_view_bytes(game, step.state, watcher) for watcher in others]
            seen.add(msgspec.msgpack.encode([addressed, views]))
        demand(len(seen) == 1, f"others see what seat {mover} has chosen before everybody has")


@law("secrets")
def facts_are_addressed_to_seats_of_the_table(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    for step in position.steps:
        wrong = [addressed for addressed in step.facts if addressed.to not in position.deal.watchers]
        demand(not wrong, f"addressed to nobody at a table of {seats}: {wrong}")


# Sentences: every fact, move and refusal has a sentence.


def _demand_sentence(phrase: Phrase, seats: int, about: object) -> None:
    sentence = phrase.render(NAMES[:seats])
    demand(bool(sentence.strip()), f"the sentence about {about} is empty")
    demand("{" not in sentence, f"a field has no value: {sentence!r}, about {about}")


@law("sentences")
def every_fact_is_a_sentence_or_silent(game: AnyGame, seats: int, luck: Luck) -> None:
    for step in draw_finished(game, seats, luck).steps:
        for addressed in step.facts:
            phrase = game.text.describe_fact(addressed.fact)
            if phrase is not None:
                _demand_sentence(phrase, seats, addressed.fact)


@law("sentences")
def every_legal_move_has_a_name_of_its_own(game: AnyGame, seats: int, luck: Luck) -> None:
    position = draw_position(game, seats, luck, luck.longest)
    for seat in position.deal.seated:
        moves = pick_some(game.moves(game.view(position.state, seat)))
        names = [game.text.describe_move(move).render(NAMES[:seats]) for move in moves]
        demand(all(names), f"a move of seat {seat} has no name")
        twice = sorted({name for name in names if names.count(name) > 1})
        demand(not twice, f"several moves of seat {seat} have the name {', '.join(twice)}")


@law("sentences")
def every_refusal_is_explained(game: AnyGame, seats: int, luck: Luck) -> None:
    for _, refusal in _draw_refusals(game, seats, luck):
        _demand_sentence(game.text.describe_refusal(refusal), seats, refusal)


@law("sentences")
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
        if watcher is not None:
            for line in (*game.text.describe_table_of(watcher, view), *game.text.describe_hand_of(watcher, view)):
                _demand_sentence(line, seats, view)


@law("sentences")
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


@law("sentences")
def remarks_are_short_and_said_by_bots(game: AnyGame, seats: int, luck: Luck) -> None:
    played = draw_finished(game, seats, luck)
    player = Seat(luck.randrange(seats))
    turns = [select_facts(step.facts, player) for step in played.steps]
    bots = [Seat(seat) for seat in range(seats) if seat != player]
    for remark in game.text.list_remarks(turns, player, bots):
        demand(remark.seat in bots, f"seat {remark.seat} says {remark.sentence}, and is no bot")
        _demand_sentence(remark.sentence, seats, remark)
        # Rendered, since a field may be filled with several words.
        words = remark.sentence.render(NAMES[:seats]).split()
        demand(len(words) <= _MOST_WORDS, f"a remark has {len(words)} words; {_MOST_WORDS} are allowed: {remark}")


_MOST_WORDS: Final = 16


EVERY_LAW: Final = tuple(LAWS)
