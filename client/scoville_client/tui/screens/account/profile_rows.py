"""Profile rows: facts, ratings with their uncertainty, and the latest games of a player."""

from collections.abc import Iterator, Mapping
from math import isfinite

from scoville_client.i18n.clock_text import day_text
from scoville_client.i18n.language import format_number, render, tr
from scoville_client.i18n.wrapping import wrap_lines
from scoville_client.tui.drawing.canvas import fitted
from scoville_client.tui.widgets.text_view import Row
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import PastGame, ProfileReply, Rating

MOST = 50.0
"""The end of the scale of ratings; new players begin in its middle."""
_GAME, _FIGURE = 14, 6
_NARROW = 52
_LONGEST = 30
"""Cells of a bar at most: longer ones are no easier to compare."""


def rating_bar(mu: float, sigma: float, width: int) -> str:
    """Draw a rating on a scale of `width` cells: a point at `mu`, a line of two `sigma` to each side."""
    low, at, high = (_cell_of_rating(value, width) for value in (mu - 2 * sigma, mu, mu + 2 * sigma))
    cells = ["·"] * width
    cells[low : high + 1] = ["─"] * (high + 1 - low)
    cells[low], cells[high] = "├", "┤"
    cells[at] = "●"
    return "".join(cells)


def _cell_of_rating(value: float, width: int) -> int:
    share = min(max(value / MOST, 0.0), 1.0) if isfinite(value) else 0.0
    return round(share * (width - 1))


def rows_of(profile: ProfileReply, titles: Mapping[str, str], width: int) -> list[Row]:
    """Write a profile as rows of at most `width` cells; `titles` are the titles of games by slug."""
    return [
        *text_rows(_origin_text(profile), width, "muted"),
        (),
        *text_rows(_games_text(profile), width, "text"),
        *text_rows(_pace_text(profile), width, "text"),
        (),
        *_rating_rows(profile, titles, width),
        (),
        *_game_rows(profile, titles, width),
    ]


def _origin_text(profile: ProfileReply) -> str:
    if profile.claimed:
        return tr("Claimed name, first seen here on {day}.", day=day_text(profile.since_ms))
    return tr("Guest, first seen here on {day}.", day=day_text(profile.since_ms))


def _games_text(profile: ProfileReply) -> str:
    if not profile.begun:
        return tr("No games without bots yet; games with bots do not count.")
    return tr(
        "Finished {finished} of {begun} games, won {won}.",
        finished=profile.finished,
        begun=profile.begun,
        won=profile.won,
    )


def _pace_text(profile: ProfileReply) -> str:
    if profile.median_pick_ms is None:
        return ""
    return tr("Median time per move: {seconds} s.", seconds=max(1, round(profile.median_pick_ms / 1000)))


def _rating_rows(profile: ProfileReply, titles: Mapping[str, str], width: int) -> Iterator[Row]:
    yield ((tr("Ratings"), "title"),)
    if not profile.ratings:
        yield from text_rows(tr("None yet: only finished games without bots are rated."), width, "muted")
    notes = [f"  {games_played(rating.game_count)}, {_rank_text(rating)}" for rating in profile.ratings]
    bar = min([_LONGEST, *(width - _GAME - _FIGURE - len(note) for note in notes)])  # one scale for all
    for rating, note in zip(profile.ratings, notes, strict=True):
        head = (
            (fitted(titles.get(rating.game, rating.game), _GAME), "text"),
            (f"{format_number(rating.rating):>5} ", "strong"),
        )
        if width < _NARROW:
            yield (*head, (f" {games_played(rating.game_count)}", "muted"))
            yield ((f"  {_rank_text(rating)}", "muted"),)
            yield ((rating_bar(rating.mu, rating.sigma, width - 2), "gap"),)
        else:
            yield (*head, (rating_bar(rating.mu, rating.sigma, bar), "gap"), (note, "muted"))


def _rank_text(rating: Rating) -> str:
    return tr("rank {n}", n=rating.rank) if rating.rank is not None else tr("not ranked yet")


def _game_rows(profile: ProfileReply, titles: Mapping[str, str], width: int) -> Iterator[Row]:
    yield ((tr("Latest games"), "title"),)
    if not profile.recent:
        yield ((tr("None yet."), "muted"),)
    for game in profile.recent:
        yield _game_row(game, titles.get(game.game, game.game), width)


def _game_row(game: PastGame, title: str, width: int) -> Row:
    place = f"{game.places[game.your_seat]}/{len(game.names)}"
    others = ", ".join(name for seat, name in enumerate(game.names) if seat != game.your_seat)
    first = game.places[game.your_seat] == 1
    head = f"{day_text(game.ended_ms)} " if width >= _NARROW else ""
    left = width - len(head) - _GAME - 6
    return (
        (head, "faint"),
        (fitted(title, _GAME), "text"),
        (f"{place:<5} ", "good" if first else "muted"),
        (fitted(others, left).rstrip(), "muted"),
    )


def games_played(games: int) -> str:
    """Write a number of games."""
    return render(Phrase("{n} game", {"n": games}, many="{n} games", number=games))


def text_rows(text: str, width: int, style: str) -> Iterator[Row]:
    """Wrap a text into rows of one style; none for an empty one."""
    for row in wrap_lines(text, width):
        yield ((row, style),)
