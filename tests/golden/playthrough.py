"""Golden files: a header and numbered moves are the input; indented sentences and the scores follow from them.

A file that holds a header only is played out at random when it is written again: that is how a new one begins.

    game: dicht_dran
    seats: 3
    options: {"cycles": 1}
    key: 00
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from scoville_shared.engine.contract import Addressed, Outcome, Refusal
from scoville_shared.engine.dice import SEED_BYTES, Dice
from scoville_shared.engine.play import play_move
from scoville_shared.games.registry import load_game
from scoville_shared.ids import Seat
from tests.support.games import NAMES, Deal, walk

ROOT = Path(__file__).parent
FOLDERS = (ROOT, *map(Path, filter(None, os.environ.get("SCOVILLE_GOLDEN", "").split(os.pathsep))))
"""Where golden files lie, in a folder for each game: here, and where a game from outside keeps its own."""

INDENT = "    "


class Playthrough(NamedTuple):
    """The contents of a golden file; `moves` are empty in a new one."""

    deal: Deal
    moves: list[tuple[Seat, Any]]


def golden_files(slug: str) -> list[Path]:
    """List a game's golden files."""
    return sorted(path for folder in FOLDERS for path in (folder / slug).glob("*.txt"))


def name_of(path: Path) -> str:
    """Name a golden file by its game and its own name."""
    return f"{path.parent.name}/{path.name}"


def read(text: str) -> Playthrough:
    """Read the input of a golden file, without its indented lines and scores."""
    header, _, body = text.partition("\n\n")
    values = dict(line.split(": ", 1) for line in header.splitlines())
    game = load_game(values["game"])
    key = bytes.fromhex(values["key"]).ljust(SEED_BYTES, b"\0")
    deal = Deal(game, game.codec.decode_options(json.loads(values["options"])), int(values["seats"]), Dice(key))
    moves = [line.split(" ", 1) for line in body.splitlines() if line[:1].isdigit()]
    return Playthrough(deal, [(Seat(int(seat)), game.codec.decode_move(json.loads(move))) for seat, move in moves])


def write(text: str) -> str:
    """Play a golden file's moves, or a random game where it has none, and write the whole file anew."""
    header = text.partition("\n\n")[0].strip()
    return "\n".join([header, "", *_lines(read(text))]) + "\n"


def _lines(playthrough: Playthrough) -> Iterator[str]:
    deal, moves = playthrough
    game, state = deal.game, deal.setup()
    for line in game.text.describe_table(game.view(state, Seat(0))):
        yield INDENT + line.render(NAMES)
    for seat, move in moves or _random_game(deal):
        step = play_move(game, state, seat, move)
        assert not isinstance(step, Refusal), f"seat {seat}, {move}: {step}"
        yield f"{seat} {json.dumps(game.codec.encode_plain(move))}"
        yield from _told(deal, step.facts)
        state = step.state
    outcome = game.outcome(state)
    assert outcome is not None, "a golden file holds a whole game"
    yield from _scores(outcome)


def _random_game(deal: Deal) -> list[tuple[Seat, Any]]:
    return [(moment.seat, moment.move) for moment in walk(deal, deal.setup(), Random(deal.dice.key))]


def _told(deal: Deal, facts: list[Addressed[Any]]) -> Iterator[str]:
    for addressed in facts:
        phrase = deal.game.text.describe_fact(addressed.fact)
        if phrase is not None:
            privately = "" if addressed.to is None else f"({NAMES[addressed.to]}) "
            yield INDENT + privately + phrase.render(NAMES)


def _scores(outcome: Outcome) -> Iterator[str]:
    yield ""
    yield f"over: {outcome.reason}"
    for name, score, place in zip(NAMES, outcome.scores, outcome.places, strict=False):
        yield f"{name}: {score} points, place {place}"
