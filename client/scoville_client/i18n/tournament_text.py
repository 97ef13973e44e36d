"""Tournaments in words: their terms, progress and standings."""

from collections.abc import Sequence
from math import sqrt
from typing import Final

from scoville_client.i18n.clock_text import clock_terms, day_and_time, day_text, time_of_day
from scoville_client.i18n.language import render, render_count, tr
from scoville_client.i18n.own_words import quote_name
from scoville_client.i18n.table_text import game_title
from scoville_runtime.clock import SYSTEM
from scoville_shared.engine.phrases import Filling, Phrase
from scoville_shared.protocol.messages import (
    GameInfo,
    ShowTournamentReply,
    TournamentInfo,
    TournamentStanding,
    TournamentTable,
    TournamentTeam,
)

FORMATS: Final = {
    "arena": Phrase("arena"),
    "swiss": Phrase("Swiss rounds"),
    "knockout": Phrase("knock-out"),
    "duplicate": Phrase("duplicate evening"),
}
_EXPLAINED: Final = {
    "arena": Phrase("Free players are seated at once; the most points win when the time is over."),
    "swiss": Phrase("Everybody plays each round, against those with like points."),
    "knockout": Phrase("The better half of each table goes on, until one player has won."),
    "duplicate": Phrase("All tables play the same deals, and your result is compared with those in your seat."),
}
_ENTRANTS: Final = Phrase("{n} player", many="{n} players")
_POINTS: Final = Phrase("{points} point", many="{points} points")
_GAMES: Final = Phrase("{n} game", many="{n} games")
_MINUTES: Final = Phrase("{n} minute", many="{n} minutes")
_ROUNDS: Final = Phrase("{n} round", many="{n} rounds")
_DEALS: Final = Phrase("{n} deal", many="{n} deals")
_TEAMS: Final = Phrase("teams of {n}")
_SEATS: Final = Phrase("tables of {n}")
_ENTRIES: Final = {
    "out": Phrase("out"),
    "withdrawn": Phrase("withdrawn"),
    "removed": Phrase("excluded"),
}
_FAULTS: Final = {
    "too_few": Phrase("Fewer than two players were there at its start."),
    "rules_changed": Phrase("The rules of its game have changed since it was called."),
    "game_gone": Phrase("Its game can no longer be played on this server."),
    "club_closed": Phrase("Its club was closed."),
}
_DAY_MS: Final = 86_400_000


def name_of_format(played: str) -> str:
    """Return the name of a format; one of a newer server keeps its own."""
    return render(FORMATS[played]) if played in FORMATS else played


def format_name(info: TournamentInfo) -> str:
    """Return the format with its length, such as: Swiss rounds, 4 rounds."""
    length = write_length(info.format, info.round_count, info.lasts_ms)
    return ", ".join(filter(None, (name_of_format(info.format), length)))


def write_length(played: str, round_count: int | None, lasts_ms: int | None) -> str:
    """Return how long a tournament is: its rounds or deals, or its minutes; empty for one that has neither."""
    if round_count is not None:
        return render_count(_DEALS if played == "duplicate" else _ROUNDS, round_count)
    return "" if lasts_ms is None else write_minutes(lasts_ms // 60_000)


def write_minutes(minutes: int) -> str:
    """Return a number of minutes."""
    return render_count(_MINUTES, minutes)


def explain_format(played: str) -> str:
    """Return how a tournament of a format goes, in a sentence."""
    explained = _EXPLAINED.get(played)
    return "" if explained is None else render(explained)


def stage_text(info: TournamentInfo) -> str:
    """Return how far a tournament is, such as: starts at 20:30."""
    match info.stage:
        case "announced" | "running" if info.grace_left_ms is not None:
            left = max(1, round(info.grace_left_ms / 60_000))
            return tr("waits for players, {time} at most", time=render_count(_MINUTES, left))
        case "announced":
            return start_text(info)
        case "running" if info.ends_in_ms is not None:
            left = max(1, round(info.ends_in_ms / 60_000))
            return tr("runs, {time} left", time=render_count(_MINUTES, left))
        case "running" if info.format == "duplicate":
            return tr("deal {n} of {deals}", n=info.round_number, deals=info.round_count)
        case "running" if info.round_count is not None:
            return tr("round {n} of {rounds}", n=info.round_number, rounds=info.round_count)
        case "running":
            return tr("round {n}", n=info.round_number)
        case "cancelled":
            return tr("cancelled")
        case _:
            return tr("finished")


def start_text(info: TournamentInfo) -> str:
    """Return when a tournament starts: in minutes, at a time of today, or on a day."""
    left = info.starts_in_ms or 0
    minutes = max(0, round(left / 60_000))
    if minutes == 0:
        return tr("starts now")
    if minutes < 60:
        return tr("starts in {time}", time=render_count(_MINUTES, minutes))
    now = SYSTEM.date_ms()
    today = day_text(info.starts_ms) == day_text(now)
    when = time_of_day(info.starts_ms) if today else day_and_time(info.starts_ms)
    return tr("starts at {time}", time=when)


def describe_tournament(info: TournamentInfo, games: Sequence[GameInfo]) -> str:
    """Return a tournament in a line: its name, game, format, how far it is, and whether the user takes part."""
    # First what changes: in a narrow list the rest is cut.
    parts = [
        stage_text(info),
        game_title(info.game, games),
        format_name(info),
        # Nobody at first: "0 players" would say that the tournament is of no interest.
        *([render_count(_ENTRANTS, info.entrant_count)] if info.entrant_count else []),
    ]
    if info.club_name is not None:
        parts.insert(1, tr("club {club}", club=info.club_name))
    if info.entered:
        parts.insert(1, tr("you take part"))
    return f"{info.name}: {', '.join(parts)}"


def about_lines(info: TournamentInfo, games: Sequence[GameInfo]) -> list[str]:
    """Describe a tournament for users before they enter it."""
    seats = render(_SEATS.with_fields({"n": info.seat_count}))
    teams = "" if info.team_size is None else f" · {render(_TEAMS.with_fields({'n': info.team_size}))}"
    first = f"{game_title(info.game, games)} · {format_name(info)} · {seats}{teams} · {stage_text(info)}"
    lines = [first, explain_format(info.format)]
    if info.club_name is not None:
        lines.append(tr("Only members of the club {club} take part; its leaders direct it.", club=info.club_name))
    if info.stage == "announced":
        lines.append(tr("Thinking time: {time}.", time=clock_terms(info.clock)))
    if info.fault in _FAULTS:
        lines.append(render(_FAULTS[info.fault]))
    elif info.reason:
        has_reason = ":" in info.reason
        lines.append(
            tr("Cancelled by {reason}", reason=info.reason)
            if has_reason
            else tr("Cancelled by {name}.", name=info.reason)
        )
    return [line for line in lines if line]


def points_text(half_points: int) -> str:
    """Return half points as points, such as: 5½."""
    whole, half = divmod(half_points, 2)
    return f"{whole or ''}½" if half else str(whole)


def _count_points(half_points: int) -> str:
    return render(_POINTS.with_fields({"points": points_text(half_points)}, half_points / 2))


def percent_text(half_points: int, info: TournamentInfo) -> str:
    """Return points of a duplicate evening as the percentage of all that there was to win, such as: 62 %."""
    best = (info.half_points_per_deal or 0) * info.scored_count
    return f"{round(100 * half_points / best)} %" if best else "–"


def margin_of(standing: TournamentStanding, info: TournamentInfo) -> int | None:
    """Return by how many percent the mean may be off by chance, in 19 of 20 cases; None for fewer than three deals."""
    best = info.half_points_per_deal or 1
    shares = [100 * points / best for points in standing.half_points_by_deal if points is not None]
    if len(shares) < 3:
        return None
    # Of a sample, hence one less; 1.96 standard errors hold 19 of 20 means of a normal distribution.
    mean = sum(shares) / len(shares)
    variance = sum((share - mean) ** 2 for share in shares) / (len(shares) - 1)
    return round(1.96 * sqrt(variance / len(shares)))


def standing_name(standing: TournamentStanding) -> str:
    """Return the name at a standing, marked as the user's own, or of a deleted account."""
    name = standing.name or tr("deleted account")
    return tr("{name} (you)", name=name) if standing.you else name


def standing_text(standing: TournamentStanding, info: TournamentInfo, *, short: bool = False) -> str:
    """Return a standing without the name, such as: 5½ points, 3 games; only the points where there is little room."""
    points = points_text(standing.half_points)
    text = points if short else f"{_count_points(standing.half_points)}, {render_count(_GAMES, standing.game_count)}"
    if info.half_points_per_deal is not None and info.scored_count:
        text = _duplicate_text(standing, info, short=short)
    if not standing.game_count and not standing.half_points:
        text = tr("is here") if standing.here else tr("is not here")
    entry = _ENTRIES.get(standing.entry)
    return text if entry is None else f"{text} · {render(entry)}"


def _duplicate_text(standing: TournamentStanding, info: TournamentInfo, *, short: bool) -> str:
    percent, margin = percent_text(standing.half_points, info), margin_of(standing, info)
    if short:
        return percent
    deals = render_count(_DEALS, standing.game_count)
    if margin is None:
        return f"{percent}, {deals}"
    return tr("{percent} (± {margin} by chance), {deals}", percent=percent, margin=margin, deals=deals)


def team_text(team: TournamentTeam, info: TournamentInfo) -> str:
    """Return how a team stands, such as: Anna & Ben: 58 %; its members alone before any deal."""
    names = " & ".join(name or tr("deleted account") for name in team.member_names)
    if not info.scored_count or not team.member_names:
        return names
    return f"{team.place}. {names}: {percent_text(round(team.half_points / len(team.member_names)), info)}"


def barometer_lines(shown: ShowTournamentReply, most: int = 5) -> list[str]:
    """Return how all stand after a deal of a duplicate evening: the best, the user, and the best teams."""
    info = shown.tournament_info
    name = quote_name(info.name)
    scored = tr("{name}: deal {n} of {deals} is over.", name=name, n=info.scored_count, deals=info.round_count)
    if info.stage == "finished":
        scored = tr("{name} is over.", name=name)
    listed = [each for n, each in enumerate(shown.standings) if n < most or each.you]
    rows = [
        f"{each.place}. {standing_name(each)}: {percent_text(each.half_points, info)}"
        for each in listed
        if each.game_count or each.half_points
    ]
    return [scored, *rows, *(team_text(team, info) for team in shown.teams[:most])]


def barometer_sentence(shown: ShowTournamentReply) -> str:
    """Return the barometer in a line, for a place with little room."""
    scored, *rows = barometer_lines(shown, 2)
    return f"{scored} {', '.join(rows)}"


def _deal_table_text(table: TournamentTable, names: Sequence[str], info: TournamentInfo) -> str:
    """Return a table of a duplicate evening: its players, or what each seat has got of the deal."""
    if not table.half_points_by_seat:
        return tr("deal {n}: {names}, the results follow", n=table.round_number, names=", ".join(names))
    best = info.half_points_per_deal or 1
    shares = [f"{round(100 * points / best)} %" for points in table.half_points_by_seat]
    scores = [f" ({score})" for score in table.scores_by_seat] or [""] * len(names)
    listed = ", ".join(f"{name} {share}{score}" for name, share, score in zip(names, shares, scores, strict=True))
    return tr("deal {n}: {results}", n=table.round_number, results=listed)


def table_text(table: TournamentTable, info: TournamentInfo) -> str:
    """Return a table of a round: its players, or how it ended."""
    names = [name or tr("a bot") for name in table.players]
    if info.format == "duplicate":
        return _deal_table_text(table, names, info)
    if not table.half_points_by_seat:
        return tr("round {n}: {names}, still playing", n=table.round_number, names=", ".join(names))
    if not table.places:
        return tr("round {n}: {names}, ended early", n=table.round_number, names=", ".join(names))
    ranked = sorted(range(len(names)), key=lambda seat: (table.places[seat], seat))
    listed = ", ".join(f"{table.places[seat]}. {names[seat]}" for seat in ranked)
    return tr("round {n}: {results}", n=table.round_number, results=listed)


def _cancelled_sentence(name: str, reason: str) -> Phrase:
    """Name the user who cancelled a tournament, and the reason if `reason` has a place for it."""
    if ":" in reason:
        return Phrase("{name} was cancelled by {reason}", {"name": name, "reason": reason})
    return Phrase("{name} was cancelled by {by}.", {"name": name, "by": reason})


def _call_sentence(info: TournamentInfo, kind: str) -> Phrase:
    """Say that a club is called to its tournament, or reminded of it."""
    fields = {"name": info.name, "club": info.club_name, "start": start_text(info)}
    if kind == "due":
        return Phrase("{name} of the club {club} {start}.", fields)
    by = info.director or "–"
    return Phrase("{by} calls the club {club} to a tournament: {name} {start}.", {**fields, "by": by})


def news_sentence(info: TournamentInfo, kind: str) -> Phrase:
    """Describe the news of a tournament that the user has entered, or that is of a club of theirs."""
    fields = {"name": info.name}
    if info.club_name is not None and not info.entered and info.stage == "announced":
        return _call_sentence(info, kind)
    if kind == "seated":
        return Phrase("{name}: your table is ready.", fields)
    if kind == "due":
        return Phrase("{name} {start}.", {**fields, "start": start_text(info)})
    if info.fault in _FAULTS:
        # As a sentence of its own, in the reader's language: `reason` is English.
        return Phrase("{name} is over: {why}", {**fields, "why": _FAULTS[info.fault]})
    if info.stage == "cancelled":
        return _cancelled_sentence(info.name, info.reason or "")
    if info.stage == "finished":
        return Phrase("{name} is over.", fields)
    if info.grace_left_ms is not None:
        return Phrase("{name} waits two minutes for players who are not here.", fields)
    return _round_sentence(info)


def _round_sentence(info: TournamentInfo) -> Phrase:
    """Say which round or deal begins, or which deal all have played."""
    fields: dict[str, Filling] = {"name": info.name, "n": info.round_number}
    if not info.round_number:
        return Phrase("{name} begins.", {"name": info.name})
    if info.format == "duplicate" and info.scored_count == info.round_number:
        return Phrase("{name}: deal {n} is over.", fields)
    if info.format == "duplicate":
        return Phrase("{name}: deal {n} begins.", fields)
    return Phrase("{name}: round {n} begins.", fields)


def summary_text(shown: ShowTournamentReply) -> str:
    """Return three lines to share: the tournament, its best, and the user's own place."""
    info = shown.tournament_info
    best = ", ".join(
        f"{each.place}. {each.name or '–'} "
        + (percent_text(each.half_points, info) if info.format == "duplicate" else points_text(each.half_points))
        for each in shown.standings[:3]
    )
    mine = next((each for each in shown.standings if each.you), None)
    lines = [f"Scoville · {info.name}", best]
    if mine is not None:
        lines.append(tr("My place: {n} of {players}", n=mine.place, players=len(shown.standings)))
    return "\n".join(lines)
