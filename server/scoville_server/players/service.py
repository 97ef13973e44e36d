"""The player service: careers and ratings, updated exactly once when a game starts and when it ends, and shown."""

from collections import defaultdict
from collections.abc import Callable, Container, Mapping
from functools import partial
from typing import Any

from scoville_server.accounts.connection import ConnectedClient, Handlers
from scoville_server.accounts.orphans import IsKnown, drop_rows
from scoville_server.accounts.sessions import Sessions, User
from scoville_server.accounts.users import GHOST, UserObserver, Users
from scoville_server.background.keyed_locks import KeyedLocks
from scoville_server.background.tasks import BackgroundTasks
from scoville_server.journal.base import Journal
from scoville_server.journal.books import PackedBook
from scoville_server.limits.live import Live
from scoville_server.players.model.career import (
    FEWEST_OPPONENTS,
    Career,
    Origin,
    count_distinct,
    drop_game,
    erase_name,
    finish_careers,
    finish_game,
    origin_of,
    players_of,
    start_careers,
)
from scoville_server.players.model.rating import Leaderboard
from scoville_server.tables.actor import Done, TableActor
from scoville_server.tables.catalog import GameCatalog
from scoville_server.tables.model.table import Table, has_known_result
from scoville_server.tables.observers import Change, TableObserver
from scoville_shared.ids import TableId, UserId
from scoville_shared.networks import networks_of
from scoville_shared.protocol import messages as m
from scoville_shared.protocol.messages import LeaderboardEntry, PastGame, ProfileReply, Rating


class PlayerService(TableObserver, UserObserver):
    """Observes every table. The start and the end of a game are written for all its players in one piece each."""

    observed = frozenset({Change.STATUS, Change.OWNER, Change.SEAL})

    def __init__(
        self,
        journal: Journal,
        users: Users,
        background: BackgroundTasks,
        now: Callable[[], int],
        *,
        by_network: Live[bool],
    ) -> None:
        self._by_network = by_network
        self._sessions = users.sessions
        self._connections = users.connections
        self._find_owner = users.claims.find_owner
        self._deleting: set[UserId] = set()
        """Deleted accounts whose names are being erased from others' careers."""
        self._background = background
        self._now = now
        self._boards: defaultdict[str, Leaderboard] = defaultdict(Leaderboard)
        self._changing = KeyedLocks()
        self._unnoted: dict[TableId, Mapping[UserId, Origin | None]] = {}
        """Started games that are not written yet, with where each player came from; None for guests."""
        self._is_restored = False
        self._book = PackedBook("careers", Career, journal, self._follow_career)

    def _follow_career(self, key: str, _before: Career | None, after: Career | None) -> None:
        # Not before the users are known, of whom only owners of names are ranked.
        if self._is_restored and after is not None:
            self._rank_user(UserId(key), after)

    def restore_careers(self) -> None:
        """Rank the users by their careers; the accounts must be restored before."""
        self._is_restored = True
        for number in self._book.keys:
            user = self._sessions.find_user(UserId(number))
            if user is not None and user.claimed:
                self.name_changed(user.id)

    # --- games ------------------------------------------------------------------------------------------

    def table_opened(self, actor: TableActor) -> None:
        """Catch up on writes that were missing when the server stopped."""
        self._follow_game(actor, actor.table)

    def table_changed(self, actor: TableActor, done: Done) -> None:
        self._follow_game(actor, done.after)

    def _follow_game(self, actor: TableActor, table: Table) -> None:
        if table.status == "waiting" or not table.counts_for_careers:
            return
        if table.status == "playing":
            # Its former owner may have finished and counted this game since it was read; its adoption shows that.
            if actor.watched.awaits_adoption:
                return
            self._unnoted.setdefault(table.id, {user: self._origin_of_user(user) for user in players_of(table)})
        self._background.insist_on_write(lambda: self._note_game(table))

    async def is_settled(self, table: Table) -> bool:
        """Wait for pending writes; returns whether nothing of a finished game is missing."""
        async with self._changing.hold_keys(players_of(table)):
            running = any(table.id in self._career_of(user).running for user in players_of(table))
            running = running or table.id in self._unnoted
            return table.status != "finished" or not table.counts_for_careers or not running

    async def _note_game(self, table: Table) -> None:
        """Write the start of a game, and then its end, unless they are written already.

        A start that the disk refused until the end is written together with that. A game whose table was closed has no
        result. Careers of forgotten users stay so.
        """
        async with self._changing.hold_keys(players_of(table)):
            # The running game is a part of each career: a restart makes up for a missing end, and never counts one
            # twice.
            before = {user: self._career_of(user) for user in players_of(table)}
            origins = self._unnoted.get(table.id)
            after = before
            if origins is not None:
                after = start_careers(table, before, origins)
            running = {user for user, career in after.items() if table.id in career.running}
            # A profile shows the scores of the latest games.
            if has_known_result(table) and running:
                ends = finish_careers(table, after, self._now())
                after = {
                    user: finish_game(career, ends[user]) if user in running else career
                    for user, career in after.items()
                }
            elif table.closed is not None and table.status != "finished":
                after = {
                    user: drop_game(career, table.id) if user in running else career for user, career in after.items()
                }
            await self._write_careers({user: career for user, career in after.items() if career is not before[user]})
            self._unnoted.pop(table.id, None)

    async def _write_careers(self, careers: Mapping[UserId, Career]) -> None:
        # A restored table, which was noted before.
        if not careers:
            return
        await self._book.replace_rows({str(user): career for user, career in careers.items()})

    def _career_of(self, user: UserId) -> Career:
        return self._book.get(user) or Career(since_ms=self._now())

    def _origin_of_user(self, number: UserId) -> Origin | None:
        """Return where the owner of a name comes from; None for guests, and for owners who are disconnected.

        A connection inside this process has no network: its user counts for themselves.
        """
        user = self._sessions.find_user(number)
        if user is None or not user.claimed or not self._connections.has_line(number):
            return None
        networks = networks_of(self._connections.address_of(number)) if self._by_network.value else ()
        return origin_of(networks[-1] if networks else user.id)

    # Ranked when games end: reading a leaderboard then costs nothing, however many users have played.
    def _rank_user(self, number: UserId, career: Career) -> None:
        """Rank the owner of a name who has had enough different opponents."""
        user = self._sessions.find_user(number)
        for game, skill in career.skills.items():
            met = count_distinct(career.opponents.get(game, ()))
            if user is not None and user.claimed and met >= FEWEST_OPPONENTS:
                self._boards[game].rank_user(number, skill)
            else:
                self._boards[game].drop_user(number)

    # --- users ------------------------------------------------------------------------------------------

    def name_changed(self, user: UserId) -> None:
        """Update the ranks of a user who has claimed or released a name, or is forgotten."""
        career = self._book.get(user)
        if career is not None:
            self._rank_user(user, career)

    def account_deleted(self, user: User) -> None:
        """Remove the name of a deleted account from the recent games of other players."""
        if user.id in self._book:
            self._deleting.add(user.id)
            self._background.insist_on_write(partial(self._drop_deleted, user.id))

    async def _drop_deleted(self, user: UserId) -> None:
        """Erase the name of a deleted account from others' latest games, and then its career. Raises JournalError."""
        # The career last: it says where the name is, and so a server that was killed meanwhile goes on at its start.
        for past in self._career_of(user).recent:
            await self._erase_name(past)
        if user in self._book:
            await self._book.drop_row(user)
        self._deleting.discard(user)

    async def _erase_name(self, past: PastGame) -> None:
        """Erase the name of the player of a past game from the careers of the others. Raises JournalError."""
        for name in past.names:
            other = self._sessions.find_by_name(name)
            if other is None or name == past.names[past.your_seat]:
                continue
            async with self._changing.hold_keys([other.id]):
                career = self._book.get(other.id)
                if career is not None:
                    after = erase_name(career, TableId(past.table), past.names[past.your_seat], GHOST)
                    await self._write_careers({other.id: after} if after != career else {})

    def users_restored(self, is_known: IsKnown) -> None:
        self._background.plan_tidying(partial(self._drop_orphans, is_known))

    async def _drop_orphans(self, is_known: IsKnown) -> None:
        """Drop the careers of users who do not exist any more. Raises JournalError."""
        orphans = [key for key in self._book.keys if not is_known(UserId(key))]
        for user in map(UserId, orphans):
            recent = self._career_of(user).recent
            # The name is retired only where the account is deleted: a guest's stays in the games of others.
            if any(self._find_owner(past.names[past.your_seat]) == user for past in recent):
                await self._drop_deleted(user)
        await drop_rows(self._book, [key for key in orphans if key in self._book])

    def user_forgotten(self, user: UserId) -> None:
        if user in self._book:
            self.name_changed(user)
            if user not in self._deleting:
                self._background.insist_on_write(lambda: self._book.drop_row(user))

    def export_user(self, user: User) -> Mapping[str, Any]:
        shown = self.describe_user(user)
        return {
            "since_ms": shown.since_ms,
            "begun": shown.begun,
            "finished": shown.finished,
            "won": shown.won,
            "median_pick_ms": shown.median_pick_ms,
            "ratings": shown.ratings,
            "recent": shown.recent,
        }

    def describe_user(self, user: User, *, admin: bool = False, moderator: bool = False) -> ProfileReply:
        career = self._career_of(user.id)
        return ProfileReply(
            name=user.name,
            claimed=user.claimed,
            admin=admin,
            moderator=moderator,
            since_ms=career.since_ms,
            begun=career.begun,
            finished=career.finished,
            won=career.won,
            median_pick_ms=career.median_pick_ms,
            ratings=[self._describe_rating(user.id, game, career) for game in sorted(career.skills)],
            recent=[*career.recent],
        )

    def find_rating(self, user: UserId, game: str) -> float:
        """Return the rating of a user at a game."""
        return self._career_of(user).skill_at(game).mu

    def have_met(self, user: UserId, other: UserId) -> bool:
        """Whether a user has played a game against another one lately, as far as that is kept."""
        career = self._book.get(user)
        met = () if career is None else career.opponents.values()
        return any(opponent.user == other for opponents in met for opponent in opponents)

    def list_leaders(self, game: str) -> list[LeaderboardEntry]:
        return [
            LeaderboardEntry(
                place=placed.place,
                name=user.name,
                rating=placed.skill.cautious_rating,
                sigma=placed.skill.sigma,
                game_count=placed.skill.games,
            )
            for placed in self._boards[game].list_best()
            if (user := self._sessions.find_user(placed.user)) is not None
        ]

    def _describe_rating(self, user: UserId, game: str, career: Career) -> Rating:
        skill = career.skill_at(game)
        return Rating(
            game=game,
            rating=skill.cautious_rating,
            mu=skill.mu,
            sigma=skill.sigma,
            game_count=skill.games,
            rank=self._boards[game].find_place(user),
        )


class PlayerHandlers:
    """Handlers of profiles, which say who is an admin or a moderator, and of leaderboards."""

    def __init__(
        self,
        careers: PlayerService,
        catalog: GameCatalog,
        sessions: Sessions,
        admins: Container[User],
        moderators: Container[User],
    ) -> None:
        self._careers = careers
        self._catalog = catalog
        self._sessions = sessions
        self._admins, self._moderators = admins, moderators
        self.by_request: Handlers = {
            m.ProfileRequest: self._show_profile,
            m.LeaderboardRequest: self._list_leaders,
        }

    def _show_profile(self, connection: ConnectedClient, p: m.ProfileRequest) -> m.ProfileReply:
        user = self._sessions.known_user(p.name) if p.name else connection.user
        return self._careers.describe_user(user, admin=user in self._admins, moderator=user in self._moderators)

    def _list_leaders(self, _: ConnectedClient, p: m.LeaderboardRequest) -> m.LeaderboardReply:
        self._catalog.find_game(p.game)
        return m.LeaderboardReply(leaders=self._careers.list_leaders(p.game))
