"""Clubs in words: dates, seasons with their forecast, and the best ratings."""

from collections.abc import Sequence
from typing import Final

from scoville_client.i18n.clock_text import day_and_time
from scoville_client.i18n.language import render_count, tr
from scoville_client.i18n.table_text import game_title
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import (
    AdminClubInfo,
    ClubBoardReply,
    ClubDate,
    ClubSeason,
    ClubSeasonNotice,
    ClubStanding,
    GameInfo,
    TableInfo,
)

_POINTS: Final = Phrase("{n} point", many="{n} points")
_GAMES: Final = Phrase("{n} game", many="{n} games")
_MEMBERS: Final = Phrase("{n} member", many="{n} members")
_DAYS: Final = Phrase("{n} day", many="{n} days")
_HOURS: Final = Phrase("{n} hour", many="{n} hours")
_ROSE: Final = {
    1: Phrase("The season of the club {club} is over: you go up to division {division}."),
    0: Phrase("The season of the club {club} is over: you stay in division {division}."),
    -1: Phrase("The season of the club {club} is over: you go down to division {division}."),
}


def date_text(date: ClubDate) -> str:
    """Return when a date is, and whether it is each week."""
    when = day_and_time(date.starts_ms)
    return tr("{time}, each week", time=when) if date.weekly else when


def due_sentence(date: ClubDate) -> Phrase:
    """Return that a date of a club starts soon."""
    return Phrase("{name} of the club {club} starts within ten minutes.", {"name": date.name, "club": date.club_name})


def season_sentence(notice: ClubSeasonNotice) -> Phrase | None:
    """Return where the user is after the end of a season."""
    sentence = _ROSE.get(notice.rose)
    return None if sentence is None else sentence.with_fields({"club": notice.club_name, "division": notice.division})


def season_text(season: ClubSeason) -> str:
    """Return how long a season still lasts."""
    hours = max(1, round(season.ends_in_ms / 3_600_000))
    left = render_count(_HOURS, hours) if hours < 48 else render_count(_DAYS, hours // 24)
    return tr("The season ends in {time}. Games between members count.", time=left)


def standing_name(standing: ClubStanding) -> str:
    """Return the name at a standing, marked as the user's own, with an arrow for who would rise or fall now."""
    name = tr("{name} (you)", name=standing.name) if standing.you else standing.name
    return {1: f"{name} ↑", -1: f"{name} ↓"}.get(standing.forecast, name)


def standing_text(standing: ClubStanding) -> str:
    """Return a standing without the name, with the promotion or demotion if the season ended now."""
    division = tr("division {n}", n=standing.division)
    if not standing.game_count:
        return f"{division}, {tr('has not played')}"
    # First what matters most: in a narrow list the rest is cut.
    forecast = {1: tr("would go up"), -1: tr("would go down")}.get(standing.forecast)
    points, games = render_count(_POINTS, standing.season_points), render_count(_GAMES, standing.game_count)
    return ", ".join([division, points, *filter(None, [forecast]), games])


def table_line(table: TableInfo, games: Sequence[GameInfo]) -> str:
    """Return a table at which members sit: the game, its players, and how many seats are free."""
    names = ", ".join(seat.name for seat in table.seats if seat.name)
    free = sum(seat.kind == "open" for seat in table.seats)
    room = tr("{n} free", n=free) if table.status == "waiting" and free else tr("playing")
    if table.status == "finished":
        room = tr("over")
    return f"{game_title(table.game, games)}: {names} · {room}"


def board_lines(board: ClubBoardReply, games: Sequence[GameInfo]) -> list[str]:
    """Return the board of a club as lines: tables, the season, and the best of each game."""
    lines = [f"{table_line(table, games)} ({table.code})" for table in board.tables]
    lines = lines or [tr("No member sits at a table.")]
    lines.append(season_text(board.club_season))
    lines += [f"{standing_name(each)}: {standing_text(each)}" for each in board.club_season.club_standings]
    lines += leader_lines(board, games)
    return lines


def leader_lines(board: ClubBoardReply, games: Sequence[GameInfo]) -> list[str]:
    """Return the best of each game by rating, a line for a game."""
    return [
        tr(
            "Best at {game}: {names}",
            game=game_title(each.game, games),
            names=", ".join(f"{entry.place}. {entry.name} {entry.rating:.0f}" for entry in each.leaders),
        )
        for each in board.club_leaders
    ]


def admin_line(club: AdminClubInfo) -> str:
    """Return a club as an admin of the server sees it."""
    facts = [tr("closed by {name}", name=club.closed_by)] if club.closed_by is not None else []
    facts += [render_count(_MEMBERS, club.member_count), tr("led by {names}", names=club.leader_names)]
    return f"{club.club_name}: {', '.join(facts)}"
