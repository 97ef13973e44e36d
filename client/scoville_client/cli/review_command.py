"""The command `scoville review`: every decision of a finished game, as text, JSON or SVG."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from msgspec import Struct

from scoville_client.cli.exit_status import FAILED, INTERRUPTED, SUCCESS, UNCHECKED
from scoville_client.output import complain, write_line
from scoville_client.replays.reel import NotPlayable, Reel
from scoville_client.replays.source import open_game
from scoville_client.reviews.coaches import do_all, show_progress, thinking_pool
from scoville_client.reviews.decisions import keep_decisions
from scoville_client.reviews.plan import plan_review
from scoville_client.reviews.reports import json_report, svg_report, text_report
from scoville_client.reviews.review import Review, assemble_review
from scoville_shared.errors import ScovilleError

_FULL: Final = 100
"""Percent of the usual playouts; what fewer of them say of the user's decisions is not kept."""


def _as_lines(write: Callable[[Review], str]) -> Callable[[Review], Iterator[str]]:
    return lambda review: iter(write(review).splitlines())


FORMATS: Final[Mapping[str, Callable[[Review], Iterator[str]]]] = {
    "text": text_report,
    "json": _as_lines(json_report),
    "svg": _as_lines(svg_report),
}


class ReviewArguments(Struct, frozen=True, kw_only=True):
    """Arguments of the command: the game, the form, and how much of the usual playouts, in percent."""

    game: str
    form: str = "text"
    percent: int = 100


def run_review(arguments: ReviewArguments) -> int:
    """Review a game and write the report; return the exit status."""
    try:
        review = review_game(Reel(open_game(arguments.game)), arguments.percent)
    except NotPlayable as error:
        complain(error.message)
        return UNCHECKED if error.unchecked else FAILED
    except ScovilleError as error:
        complain(error.message)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    for line in FORMATS[arguments.form](review):
        write_line(line)
    return SUCCESS


def review_game(reel: Reel, percent: int = 100) -> Review:
    """Review a game in processes of its own. Raises ScovilleError."""
    planned = plan_review(reel, percent)
    with thinking_pool(reel.game) as pool:
        results = do_all(pool, planned.work, show_progress, reel.game)
    review = assemble_review(reel, planned, results)
    if percent >= _FULL:
        keep_decisions(review)
    return review
