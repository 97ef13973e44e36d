"""News from the time while the user was away, as text."""

from collections.abc import Iterable, Sequence
from math import inf, isfinite

from scoville_client.i18n.language import render, tr
from scoville_client.i18n.table_text import game_title
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import GameInfo, PastGame, TableInfo

_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_UNITS = (
    (_DAY, Phrase("{n} day left", many="{n} days left")),
    (_HOUR, Phrase("{n} hour left", many="{n} hours left")),
    (_MINUTE, Phrase("{n} minute left", many="{n} minutes left")),
    (1, Phrase("{n} second left", many="{n} seconds left")),
)


def time_left_text(seconds: float) -> str:
    """Write how much time is left, in the largest unit that fits twice; empty for infinity."""
    if not isfinite(seconds):
        return ""
    whole = max(0, int(seconds))
    size, phrase = next((unit for unit in _UNITS if whole >= 2 * unit[0]), _UNITS[-1])
    number = whole // size
    return render(phrase.with_fields({"n": number}, number=number))


def opponents_text(names: Iterable[str | None], mine: str) -> str:
    """Name the other players."""
    return ", ".join(name for name in names if name and name != mine)


def rank_text(game: PastGame) -> str:
    """Write the user's rank in a finished game."""
    return tr("rank {n} of {players}", n=game.places[game.your_seat], players=len(game.places))


def result_sentence(game: PastGame, games: Sequence[GameInfo], mine: str) -> str:
    """Write a finished game in one sentence."""
    return tr(
        "{game} is over: {rank}, with {names}.",
        game=game_title(game.game, games),
        rank=rank_text(game),
        names=opponents_text(game.names, mine),
    )


def turn_text(table: TableInfo, games: Sequence[GameInfo], mine: str, seconds: float = inf) -> str:
    """Write which table waits for the user, and how long it will."""
    title, names = game_title(table.game, games), opponents_text((seat.name for seat in table.seats), mine)
    return ", ".join(filter(None, [title, time_left_text(seconds), names]))
