"""Golden games: a header and numbered moves are the input; indented sentences and the scores follow from them.

A file that holds a header only is played out at random when it is written again: that is how a new one begins.

    game: my_game
    seats: 3
    options: {"rounds": 2}
    key: 00
"""

import json
from collections.abc import Iterable, Iterator
from random import Random
from typing import Any, NamedTuple

import msgspec

from scoville_laws.law import demand
from scoville_laws.tables import NAMES, Deal, walk_table
from scoville_shared.engine.contract import Addressed, AnyGame, Outcome, Refusal
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat

_INDENT = "    "


class GoldenGame(NamedTuple):
    """The contents of a golden file; `moves` are empty in a new one."""

    deal: Deal
    moves: list[tuple[Seat, Any]]


def read_golden(text: str, game: AnyGame | None = None) -> GoldenGame:
    """Read the input of a golden file, without its indented lines and scores.

    Args:
        text: The file.
        game: The game, where it is not installed.

    Raises ValueError and LookupError.
    """
    header, _, body = text.partition("\n\n")
    values = dict(line.split(": ", 1) for line in header.splitlines())
    game = game or load_game(values["game"])
    # Filled up, so that an author can write `key: 07` by hand.
    key = bytes.fromhex(values["key"]).ljust(SEED_BYTES, b"\0")
    deal = Deal(game, game.codec.decode_options(json.loads(values["options"])), int(values["seats"]), Dice(key))
    moves = [line.split(" ", 1) for line in body.splitlines() if line[:1].isdigit()]
    return GoldenGame(deal, [(Seat(int(seat)), game.codec.decode_move(json.loads(move))) for seat, move in moves])


def write_golden(text: str, game: AnyGame | None = None) -> str:
    """Play a golden file's moves, or a random game where it has none, and write the whole file again.

    Raises LawBroken for a move that is refused and for a game that does not end.
    """
    header = text.partition("\n\n")[0].strip()
    return "\n".join([header, "", *_write_lines(read_golden(text, game))]) + "\n"


def missing_sizes(game: AnyGame, texts: Iterable[str]) -> list[int]:
    """List the sizes of table without a golden game."""
    played = {read_golden(text).deal.seats for text in texts}
    return [seats for seats in range(game.info.seats[0], game.info.seats[1] + 1) if seats not in played]


def missing_options(game: AnyGame, texts: Iterable[str]) -> list[str]:
    """List the options that no golden game changes."""
    usual = msgspec.to_builtins(game.codec.decode_options({}))
    used = set()
    for text in texts:
        options = msgspec.to_builtins(read_golden(text).deal.options)
        used |= {name for name in usual if options[name] != usual[name]}
    return [name for name in usual if name not in used]


def _write_lines(golden: GoldenGame) -> Iterator[str]:
    deal, moves = golden
    game, state = deal.game, deal.setup()
    for line in game.text.describe_table(game.view(state, Seat(0))):
        yield _INDENT + line.render(NAMES)
    # A header alone is a new game: its moves are drawn from its key, so that it is the same on every machine.
    for seat, move in moves or _play_random_game(deal):
        step = play_move(game, state, seat, move)
        if isinstance(step, Refusal):
            demand(False, f"{move} of seat {seat} is refused: {step}")
            return
        yield f"{seat} {json.dumps(game.codec.encode_plain(move))}"
        yield from _describe_facts(deal, step.facts)
        state = step.state
    outcome = game.outcome(state)
    demand(outcome is not None, "the moves of a golden game lead to its end")
    if outcome is not None:
        yield from _write_scores(outcome)


def _play_random_game(deal: Deal) -> list[tuple[Seat, Any]]:
    moments = walk_table(deal, deal.setup(), Random(deal.dice.key))
    return [(moment.seat, moment.move) for moment in moments if moment.seat is not None]


def _describe_facts(deal: Deal, facts: Iterable[Addressed[Any]]) -> Iterator[str]:
    for addressed in facts:
        phrase = deal.game.text.describe_fact(addressed.fact)
        if phrase is not None:
            privately = "" if addressed.to is None else f"({NAMES[addressed.to]}) "
            yield _INDENT + privately + phrase.render(NAMES)


def _write_scores(outcome: Outcome) -> Iterator[str]:
    yield ""
    yield f"over: {outcome.reason}"
    for name, score, place in zip(NAMES, outcome.scores, outcome.places, strict=False):
        yield f"{name}: {score} points, place {place}"
