"""Seasons of a club: two weeks of games between its members, at whose end some go up or down a division.

A game at which at least two members sat from its start counts. For each of these members beaten a player gets two
points, for each one level with them one; the best twenty games of a season count. A player who has not stayed to the
end gets nothing and is behind all others. At the end the better third of those who have played in a division
goes up, and the last third goes down; a member without games stays.
"""

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from scoville_server.clubs.model.club import LOWEST_DIVISION, Club, Member
from scoville_shared.ids import TableId, UserId

SEASON_MS: Final = 14 * 86_400_000
_FIRST_MS: Final = 4 * 86_400_000
"""When the first season began, in milliseconds since 1970: on a Monday."""
MOST_GAMES: Final = 20
"""Games of a member that count in a season, the best: more of them give nobody an advantage."""
MOST_COUNTED: Final = 500
"""Tables that are remembered as counted; they are closed long before so many others have ended."""
_THIRD: Final = 3


def find_season(now_ms: int) -> int:
    """Return the number of the season at a time, in milliseconds since 1970."""
    return (now_ms - _FIRST_MS) // SEASON_MS


def season_ends_ms(season: int) -> int:
    """Return when a season ends, in milliseconds since 1970."""
    return _FIRST_MS + (season + 1) * SEASON_MS


def count_points(member: Member) -> int:
    """Count the points of a member in the season."""
    return sum(member.best_games)


def forecast_rises(club: Club) -> dict[UserId, int]:
    """Return by how many divisions each member would rise if the season ended now: 1, 0 or -1.

    Nothing random decides: of those who are level with the last to rise all do, and of those who are level with the
    first to go down none does.
    """
    rises = dict.fromkeys(club.members, 0)
    for division in range(1, LOWEST_DIVISION + 1):
        played = {
            user: count_points(member)
            for user, member in club.members.items()
            if member.game_count and member.division == division
        }
        most_up, most_down = -(-len(played) // _THIRD), len(played) // _THIRD
        for user, points in played.items():
            better = sum(other > points for other in played.values())
            if division > 1 and points and better < most_up:
                rises[user] = 1
            elif division < LOWEST_DIVISION and len(played) - better <= most_down:
                rises[user] = -1
    return rises


def advance_season(club: Club, now_ms: int) -> Club:
    """End the season if a later one has begun: at most one, since in the others nobody has played.

    Points never belong to an earlier season than those before, whatever the clock says.
    """
    season = find_season(now_ms)
    if not club.is_open or season <= club.season:
        return club
    if not has_played(club):
        return replace(club, season=season)
    rises = forecast_rises(club)
    members = {
        user: replace(member, division=member.division - rises[user], rose=rises[user], best_games=(), game_count=0)
        for user, member in club.members.items()
    }
    return replace(club, members=members, season=season)


def has_played(club: Club) -> bool:
    """Whether a game counts in the season."""
    return any(member.game_count for member in club.members.values())


def count_game(club: Club, table: TableId, started_ms: int, places: Mapping[UserId, int | None], now_ms: int) -> Club:
    """Count a game, unless it is counted already.

    Args:
        club: The club before the game.
        table: The table, of which no game counts twice.
        started_ms: When the game started, in milliseconds since 1970: later members do not count.
        places: The places of all users at the table; None for those who have not played to the end.
        now_ms: When it is counted, which decides the season.
    """
    mine = {
        user: place
        for user, place in places.items()
        if user in club.members and club.members[user].since_ms <= started_ms
    }
    if not club.is_open or table in club.counted or len(mine) < 2 or all(place is None for place in mine.values()):
        return club
    club = advance_season(club, now_ms)
    members = dict(club.members)
    for user, place in mine.items():
        points = 0 if place is None else sum(_compare_places(place, mine[other]) for other in mine if other != user)
        member = members[user]
        best = tuple(sorted((*member.best_games, points), reverse=True))[:MOST_GAMES]
        members[user] = replace(member, best_games=best, game_count=member.game_count + 1)
    return replace(club, members=members, counted=(*club.counted, table)[-MOST_COUNTED:])


def _compare_places(mine: int, other: int | None) -> int:
    if other is None or mine < other:
        return 2
    return 1 if mine == other else 0
