"""The board of a club: the tables of its members, its season with a forecast, and its best by rating."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from scoville_server.accounts.connection import ConnectedClient, Handlers
from scoville_server.accounts.sessions import User
from scoville_server.accounts.users import Users
from scoville_server.clubs.model.club import Club
from scoville_server.clubs.model.season import count_points, find_season, forecast_rises, season_ends_ms
from scoville_server.clubs.service import ClubService
from scoville_server.limits.budgets import Budgets
from scoville_server.lobby.digests import FarTables, TableLine
from scoville_server.lobby.feed import describe_for_list, status_of
from scoville_server.nodes.serving import Serving
from scoville_server.tables.actor import TableActor
from scoville_shared.ids import UserId
from scoville_shared.protocol import messages as m

MOST_TABLES: Final = 50
"""Tables on a board, 700 bytes each: of 100 members more are rarely at different ones."""
MOST_LEADERS: Final = 10
"""Members who are listed for a game, the best."""

RatingsOf = Callable[[User], Sequence[m.Rating]]
"""Returns the ratings of a user, one for each game that they have played for a rating."""


class ClubBoards:
    """The handler of `club.board`.

    Args:
        clubs: The clubs.
        tables: The tables of this node.
        far: Those of other nodes.
        users: The members.
        budgets: Counts requests, since a board is computed.
        ratings_of: Returns the ratings of a member.
    """

    def __init__(
        self,
        clubs: ClubService,
        tables: Serving[TableActor],
        far: FarTables,
        users: Users,
        budgets: Budgets,
        ratings_of: RatingsOf,
    ) -> None:
        self._clubs = clubs
        self._tables, self._far = tables, far
        self._users = users
        self._budgets = budgets
        self._ratings_of = ratings_of
        self.by_request: Handlers = {m.ShowClubBoardRequest: self._show_board}

    def _show_board(self, connection: ConnectedClient, p: m.ShowClubBoardRequest) -> m.ClubBoardReply:
        user = connection.user.id
        club = self._clubs.find_club(p.club, user)
        self._budgets.count_action(connection.source)
        return m.ClubBoardReply(
            tables=self._list_tables(club, user),
            club_season=self._describe_season(club, user),
            club_leaders=self._list_leaders(club),
        )

    def _list_tables(self, club: Club, reader: UserId) -> list[m.TableInfo]:
        """List the tables at which members sit and that a reader may know of, waiting ones first."""
        found: list[TableActor | TableLine] = [
            actor
            for actor in self._tables.all_tables()
            if any(seat.human and seat.user in club.members for seat in actor.table.seats)
            and not actor.table.hidden_from(reader)
        ]
        found += [line for line in self._far.list_shown(reader) if any(user in club.members for user in line.seats)]
        order = {"waiting": 0, "playing": 1}
        found.sort(key=lambda table: order.get(status_of(table), 2))
        return [describe_for_list(table, reader) for table in found[:MOST_TABLES]]

    def _describe_season(self, club: Club, reader: UserId) -> m.ClubSeason:
        now = self._users.time.now_ms()
        rises = forecast_rises(club)
        standings = [
            m.ClubStanding(
                name=self._clubs.name_of(user),
                division=member.division,
                season_points=count_points(member),
                game_count=member.game_count,
                forecast=rises[user],
                rose=member.rose,
                you=user == reader,
            )
            for user, member in club.members.items()
        ]
        ends_ms = season_ends_ms(max(club.season, find_season(now)))
        return m.ClubSeason(
            ends_in_ms=max(0, ends_ms - now),
            club_standings=sorted(standings, key=lambda each: (each.division, -each.season_points, each.name)),
        )

    def _list_leaders(self, club: Club) -> list[m.ClubLeaders]:
        rated: defaultdict[str, list[tuple[str, m.Rating]]] = defaultdict(list)
        for user in club.members:
            known = self._users.sessions.find_user(user)
            for rating in () if known is None else self._ratings_of(known):
                rated[rating.game].append((self._clubs.name_of(user), rating))
        return [m.ClubLeaders(game=game, leaders=_rank_members(rated[game])) for game in sorted(rated)]


def _rank_members(rated: Sequence[tuple[str, m.Rating]]) -> list[m.LeaderboardEntry]:
    """Rank members by their rating; equal ones share their place."""
    ranked = sorted(rated, key=lambda each: (-each[1].rating, each[0]))[:MOST_LEADERS]
    return [
        m.LeaderboardEntry(
            place=1 + sum(other.rating > rating.rating for _, other in rated),
            name=name,
            rating=rating.rating,
            sigma=rating.sigma,
            game_count=rating.game_count,
        )
        for name, rating in ranked
    ]
