"""The daily deal in words: what there is to do, how one did, and a text to share that gives nothing away."""

from collections.abc import Iterator, Sequence

from scoville_client.i18n.language import render, tr
from scoville_client.i18n.name_text import with_mark
from scoville_client.i18n.option_text import level_name
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    CompareDailyReply,
    DailyDeal,
    DailyResult,
    GameInfo,
    ShowDailyReply,
    ShowPuzzlesReply,
)

_WEEKDAYS = (
    Phrase("Monday"),
    Phrase("Tuesday"),
    Phrase("Wednesday"),
    Phrase("Thursday"),
    Phrase("Friday"),
    Phrase("Saturday"),
    Phrase("Sunday"),
)
_EPOCH_WEEKDAY = 3
"""1970-01-01 was a Thursday."""
_HOUR_MS = 3_600_000
_BAR = 10
_STREAK = Phrase("{n} day in a row", many="{n} days in a row")
_FREE = Phrase("{n} free day left this month", many="{n} free days left this month")
_POINTS = Phrase("{n} point", many="{n} points")
_PLAYERS = Phrase("{n} player", many="{n} players")


def weekday_text(day: int) -> str:
    """Return the weekday of a day, counted from 1970-01-01."""
    return render(_WEEKDAYS[(day + _EPOCH_WEEKDAY) % 7])


def game_title(slug: str, games: Sequence[GameInfo]) -> str:
    """Return the title of a game of the server."""
    return next((game.title for game in games if game.slug == slug), slug)


def hours_left(deal: DailyDeal) -> str:
    """Return how long a deal can be played; empty when its time is over."""
    if deal.closes_in_ms is None:
        return ""
    return tr("{n} h left", n=max(1, round(deal.closes_in_ms / _HOUR_MS)))


def bots_text(deal: DailyDeal) -> str:
    """Return the levels of a deal's bots, such as: 2 casual, 1 sensible."""
    levels = [level for level in deal.levels if level is not None]
    return ", ".join(f"{levels.count(level)} {level_name(level)}" for level in dict.fromkeys(levels))


def rank_text(result: DailyResult) -> str:
    """Return a result, such as: rank 2 of 5, 34 points."""
    rank = tr("rank {n} of {players}", n=result.place, players=len(result.places))
    return f"{rank}, {points_text(result.score)}"


def points_text(score: int) -> str:
    """Return points, with a minus sign as wide as a digit."""
    return render(_POINTS.with_fields({"n": str(score).replace("-", "−")}, score))


def short_rank_text(result: DailyResult) -> str:
    """Return a result where there is little room, such as: 2/5 34."""
    return f"{result.place}/{len(result.places)} {result.score}".replace("-", "−")


def state_text(deal: DailyDeal) -> str:
    """Describe how far the user is with a deal, and the next step."""
    if deal.state == "finished" and deal.your_result is not None:
        behind = "" if deal.percentile is None else f" · {percentile_text(deal.percentile)}"
        return f"{rank_text(deal.your_result)}{behind}"
    if deal.state == "unfinished":
        return tr("not finished in time")
    if deal.closes_in_ms is None:
        return tr("not played")
    begun = tr("continue") if deal.state == "playing" else tr("play")
    return f"{begun} · {hours_left(deal)}"


def list_short_states(deal: DailyDeal, title: str) -> list[str]:
    """Return the user's result at a deal of a game in ever fewer words; of the last one the end may be cut."""
    if deal.state == "finished" and deal.your_result is not None:
        states = [rank_text(deal.your_result), short_rank_text(deal.your_result)]
    else:
        states = [hours_left(deal) or state_text(deal)]
    return [*(f"{title} · {state}" for state in states), f"{states[-1]} · {title}"]


def percentile_text(percentile: int) -> str:
    """Return how many of the others were worse."""
    return tr("better than {n} %", n=percentile)


def describe_daily(shown: ShowDailyReply, deal: DailyDeal, games: Sequence[GameInfo]) -> list[str]:
    """Describe the state of the daily deal for the lobby, from the longest text to the shortest."""
    title = game_title(deal.game, games)
    if deal.state in ("open", "playing") and deal.closes_in_ms is not None:
        begun = [tr("begun")] if deal.state == "playing" else []
        return [" · ".join([title, *begun, hours_left(deal)]), " · ".join([title, hours_left(deal)]), hours_left(deal)]
    result = [] if deal.your_result is None else [rank_text(deal.your_result)]
    texts = [[title, *result, streak_text(shown)], [title, *(result or [streak_text(shown)])], [title]]
    return [" · ".join(parts) for parts in texts]


def describe_daily_puzzle(shown: ShowPuzzlesReply, games: Sequence[GameInfo]) -> list[str]:
    """Describe the puzzle to solve for the lobby, from the longest text to the shortest."""
    title = game_title(shown.daily_game, games)
    if shown.daily_state == "open":
        return [
            tr("puzzle of the day: {game}, not tried yet", game=title),
            tr("{game}, not tried yet", game=title),
            title,
        ]
    rating = tr("your rating: {rating}", rating=f"{shown.your_rating}{'?' if shown.provisional else ''}")
    if shown.daily_state == "solved":
        return [
            tr("puzzle of the day solved · {rating}", rating=rating),
            tr("solved · {rating}", rating=rating),
            rating,
        ]
    return [tr("puzzle of the day missed · {rating}", rating=rating), tr("missed · {rating}", rating=rating), rating]


def streak_text(shown: ShowDailyReply) -> str:
    """Return the user's streak."""
    return render(_STREAK.with_fields({"n": shown.streak}, shown.streak))


def describe_streak(shown: ShowDailyReply) -> str:
    """Return the user's streak, the longest one, and the free days that are left."""
    free = render(_FREE.with_fields({"n": shown.free_days_left}, shown.free_days_left))
    best = tr("best: {n}", n=shown.best_streak)
    return f"{streak_text(shown)} ({best}), {free}"


def describe_deal(deal: DailyDeal, games: Sequence[GameInfo]) -> str:
    """Return day, game and bots of a deal."""
    title = game_title(deal.game, games)
    return tr("{day}: {game}, against {bots}", day=weekday_text(deal.day), game=title, bots=bots_text(deal))


def result_name(result: DailyResult) -> str:
    """Return the name at a result: marked as the user's own, a friend's, or of a deleted account."""
    if result.name is None:
        return tr("(deleted account)")
    name = with_mark(result.name, claimed=result.claimed)
    if result.you:
        return f"{name} {tr('(you)')}"
    return f"{name} {tr('(friend)')}" if result.friend else name


def parting_text(result: DailyResult) -> str:
    """Return where a game parted from the user's own."""
    if result.you:
        return ""
    if result.same_move_count is None:
        return tr("the same game")
    return tr("parts at move {n}", n=result.same_move_count + 1)


def par_text(reply: CompareDailyReply) -> str:
    """Return the par of a deal; empty until it is known."""
    par = reply.par
    if par is None:
        return ""
    level = tr("{level} bot", level=level_name(par.level))
    players = len(reply.daily_deal.levels)
    rank = tr("rank {n} of {players}", n=par.place, players=players)
    points = points_text(par.score)
    return tr("Par ({level} in your seat): {rank}, {points}", level=level, rank=rank, points=points)


def summary_lines(reply: CompareDailyReply, games: Sequence[GameInfo]) -> Iterator[str]:
    """Yield the lines above the results: the deal, the user's own result, the percentile and par."""
    deal = reply.daily_deal
    yield describe_deal(deal, games)
    # Only results of owned names count: a guest who is alone with a result is not told that nobody has one.
    counted = deal.finished_count
    count = f" · {render(_PLAYERS.with_fields({'n': counted}, counted))}" if counted else ""
    yield f"{state_text(deal)}{count}"
    par = par_text(reply)
    if par:
        yield par


def share_text(
    reply: CompareDailyReply, shown: ShowDailyReply | None, games: Sequence[GameInfo], *, ascii_only: bool
) -> str:
    """Return three lines to share: no card and no score of the deal, only how well one did."""
    deal, result = reply.daily_deal, reply.daily_deal.your_result
    dot, full, empty = ("|", "#", "-") if ascii_only else ("·", "■", "□")
    title = game_title(deal.game, games)
    lines = [f"Scoville {dot} {tr('daily deal')} {deal.date} {dot} {title}"]
    if result is None:
        return lines[0]
    players = len(result.places)
    seats = full * (players - result.place + 1) + empty * (result.place - 1)
    par = "" if reply.par is None else f" {dot} {_against_par(result, reply)}"
    lines.append(f"{seats} {tr('rank {n} of {players}', n=result.place, players=players)}{par}")
    parts = [] if shown is None else [streak_text(shown)]
    if deal.percentile is not None:
        filled = round(deal.percentile * _BAR / 100)
        parts.insert(0, f"{full * filled}{empty * (_BAR - filled)} {percentile_text(deal.percentile)}")
    lines.append(f" {dot} ".join(parts))
    return "\n".join(filter(None, lines))


def _against_par(result: DailyResult, reply: CompareDailyReply) -> str:
    assert reply.par is not None, "asked with a par only"
    if result.place == reply.par.place:
        return tr("level with par")
    return tr("better than par") if result.place < reply.par.place else tr("behind par")
