"""A user's career: their public games against other users, started, finished, won and rated. Bounded in size.

Ratings could be won from throw-away accounts: their owner lets them lose. So only claimed names count, accounts behind
one network count as one opponent, those behind the user's own network not at all, and each further game of a day
against the same opponent weighs half of the one before. A day against one opponent weighs less than two games.

A player who is losing has every reason to change what a game counts. So that is settled at the start, and at the end:

- A player who is absent then is placed behind all others, unless they were excused (`find_stayed_seats`).
- A player who voted for a kick is placed last, behind those who are absent: never better than by playing on.
- The kicked player is placed where the bot in their seat finishes, and gains nothing: a losing player could ask for it.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from scoville_server.players.model.rating import Skill, learn_partly, rate_players
from scoville_server.tables.model.table import Table
from scoville_shared.ids import Seat, TableId, UserId
from scoville_shared.protocol.messages import PastGame, Played, Started

Origin = int
"""A network in 16 bits: enough to tell a user's opponents apart, too few to find an address by."""

FEWEST_OPPONENTS: Final = 3
"""Least different opponents of a ranked user: friends who play each other all evening are three or four."""

MOST_OPPONENTS: Final = 64
"""Opponents that are kept per game, the latest ones."""

_DAY_MS: Final = 24 * 3_600_000


class Player(NamedTuple):
    """A user at the start of a rated game; no `origin` for a guest."""

    user: UserId
    origin: Origin | None


class Opponent(Struct, frozen=True, array_like=True):
    """An opponent of rated games: where they first connected from, and the games of their latest day."""

    user: UserId
    origin: Origin
    day: int
    games: int


def origin_of(network: str) -> Origin:
    """Return a number that stands for the network, or the key, from which a user comes: it names nobody."""
    return int.from_bytes(hashlib.sha256(b"scoville/origin\0" + network.encode()).digest()[:2])


def count_distinct(known: Iterable[Opponent]) -> int:
    """Count the different opponents: several users of one network are one."""
    return len({opponent.origin for opponent in known})


# Decision 043: opponents are distinguished by network: a name costs a password, an address costs more.
def weigh_game(known: Sequence[Opponent], met: Player, started_ms: int) -> float:
    """Return the weight of a game against an opponent, between 0 and 1, from when it started.

    Of several games at once the winner could otherwise end those first that go well.
    """
    today = [opponent for opponent in known if opponent.day == started_ms // _DAY_MS]
    games = sum(opponent.games for opponent in today if opponent.origin == met.origin or opponent.user == met.user)
    return float(0.5**games)


def note_opponent(known: Sequence[Opponent], met: Player, started_ms: int) -> tuple[Opponent, ...]:
    assert met.origin is not None, "only owners of names are opponents"
    day = started_ms // _DAY_MS
    before = next((opponent for opponent in known if opponent.user == met.user), None)
    if before is None:
        now = Opponent(met.user, met.origin, day, 1)
    else:
        now = replace(before, day=day, games=1 + (before.games if before.day == day else 0))
    others = (opponent for opponent in known if opponent.user != met.user)
    return (*others, now)[-MOST_OPPONENTS:]


MOST_PICKS = 200
"""Latest thinking times that count for the median."""

MOST_RECENT = 20
"""Latest games in a profile."""

MOST_OPEN = 64
"""Most games noted as running: more than one user plays. Further ones do not count for this user.

Dropping an older one instead would let a loser escape by starting others.
"""


class Met(Struct, frozen=True, array_like=True):
    """An opponent in a rated game: their seat, and their rating when it started."""

    seat: Seat
    mu: float
    sigma: float


class RatedStart(Struct, frozen=True, array_like=True):
    """Stake of one player in a rated game, settled when it starts: against whom, and with which weight.

    Nothing that players do later changes it: neither deleting an account, nor ending other games first.
    """

    met: tuple[Met, ...]
    weight: float


class Career(Struct, frozen=True, kw_only=True):
    """A user's career.

    `running` are the games that have started and not ended; `since_ms` is milliseconds since 1970. `starts` are those
    of them that are rated for this user, and `opponents` against whom such games were played, by game.
    """

    since_ms: int
    begun: int = 0
    finished: int = 0
    won: int = 0
    running: tuple[TableId, ...] = ()
    skills: Mapping[str, Skill] = {}
    picks_ms: tuple[int, ...] = ()
    recent: tuple[PastGame, ...] = ()
    starts: Mapping[TableId, RatedStart] = {}
    opponents: Mapping[str, tuple[Opponent, ...]] = {}

    @property
    def median_pick_ms(self) -> int | None:
        """The median thinking time per move in milliseconds."""
        # Not by `statistics`, which is slow to load for a start.
        return sorted(self.picks_ms)[(len(self.picks_ms) - 1) // 2] if self.picks_ms else None

    def skill_at(self, game: str) -> Skill:
        """Return the rating at a game."""
        return self.skills.get(game, Skill())


class Finish(Struct, frozen=True, kw_only=True):
    """The end of a game for one player: `stayed` if they played to the end, `won` if that counts as a win.

    `skill` is the new rating, if any.
    """

    seat: Seat
    past: PastGame
    stayed: bool
    won: bool = False
    picks_ms: tuple[int, ...] = ()
    skill: Skill | None = None


class Rated(NamedTuple):
    """The start of a rated game for one player: what it counts, and the opponents to note, of a game on a day."""

    start: RatedStart
    met: Sequence[Player]
    game: str
    started_ms: int


def start_game(career: Career, table: TableId, rated: Rated | None = None) -> Career:
    """Note the start of a game, once, with its stake if it is rated for this user."""
    if table in career.running or len(career.running) >= MOST_OPEN:
        return career
    after = replace(career, begun=career.begun + 1, running=(*career.running, table))
    if rated is None:
        return after
    known = career.opponents.get(rated.game, ())
    for met in rated.met:
        known = note_opponent(known, met, rated.started_ms)
    return replace(
        after, starts={**career.starts, table: rated.start}, opponents={**career.opponents, rated.game: known}
    )


def drop_game(career: Career, table: TableId) -> Career:
    """Forget a running game that has no result: the table was closed."""
    return replace(
        career,
        running=tuple(other for other in career.running if other != table),
        starts={other: start for other, start in career.starts.items() if other != table},
    )


def finish_game(career: Career, finish: Finish) -> Career:
    past = finish.past
    skills = career.skills if finish.skill is None else {**career.skills, past.game: finish.skill}
    return replace(
        drop_game(career, TableId(past.table)),
        finished=career.finished + finish.stayed,
        won=career.won + finish.won,
        skills=skills,
        picks_ms=(*career.picks_ms, *finish.picks_ms)[-MOST_PICKS:],
        recent=(past, *career.recent)[:MOST_RECENT],
    )


def erase_name(career: Career, table: TableId, name: str, ghost: str) -> Career:
    """Replace the name of a deleted account in the game at a table, if that is among the latest."""
    recent = tuple(
        replace(past, names=[ghost if each == name else each for each in past.names]) if past.table == table else past
        for past in career.recent
    )
    return replace(career, recent=recent)


class Pick(NamedTuple):
    """A player's move, and the time it took in milliseconds."""

    seat: int
    ms: int


def list_picks(table: Table) -> Iterator[Pick]:
    """Yield the moves of a table's players; a taken back move counts, and its replacement counts from then."""
    owed: dict[int, int] = {}
    moves = iter(table.moves)
    for recorded in table.recorded_events:
        event = recorded.event
        if isinstance(event, Started):
            owed = dict.fromkeys(event.pending, table.started_ms)
        elif isinstance(event, Played):
            made = next(moves)
            since = owed.pop(event.seat, None)
            if since is not None and event.mover == "player":
                yield Pick(event.seat, max(0, made.at_ms - since))
            for seat in event.pending:
                owed.setdefault(seat, made.at_ms)


def players_of(table: Table) -> list[UserId]:
    """List the users of a game that counts, by seat; also those whose seat a bot has taken over."""
    return [seat_state.user for seat_state in table.seats if seat_state.user is not None]


def start_careers(
    table: Table, careers: Mapping[UserId, Career], origins: Mapping[UserId, Origin | None]
) -> dict[UserId, Career]:
    """Return the careers of all players after the start of a game; guests have no origin."""
    players = [Player(user, origins[user]) for user in players_of(table)]
    counts = table.rated and all(player.origin is not None for player in players)
    return {
        player.user: start_game(
            careers[player.user], table.id, _rate_start(table, careers, players, player) if counts else None
        )
        for player in players
    }


def find_stayed_seats(table: Table) -> frozenset[Seat]:
    """Return the seats whose players count as having played to the end.

    They are here and have made at least half of their moves themselves, or they were excused. When all players have
    left, and the last one by choice, those who had lost the connection before count as well: leaving cannot end the
    game for them. Else those who did not leave by choice are before those who did.
    """
    left = table.departures
    # Not the seats that are taken now: a player who leaves a finished game has played to its end.
    present = {Seat(n) for n, seat in enumerate(table.seats) if seat.user is not None} - left.keys()
    own_moves = [made.seat for made in table.moves if made.mover == "player"]
    stayed = {seat for seat in present if 2 * own_moves.count(seat) >= table.played[seat]}
    stayed |= {seat for seat, departure in left.items() if departure.excused}
    by_choice = {seat for seat, departure in left.items() if departure.reason == "left"}
    disconnected = {seat for seat, departure in left.items() if departure.reason == "absent"}
    if not present and left and [*left.values()][-1].reason == "left":
        stayed |= disconnected
    return frozenset(stayed or (left.keys() - by_choice if by_choice else ()))


def finish_careers(table: Table, careers: Mapping[UserId, Career], ended_ms: int) -> dict[UserId, Finish]:
    """Return how a finished game ended for each user, with the new ratings."""
    users, outcome, stayed = players_of(table), table.game.outcome(table.state), find_stayed_seats(table)
    assert outcome is not None, "a finished game has an outcome"
    learned = {
        seat: skill
        for seat, user in enumerate(users)
        if (skill := _learn_rating(table, careers[user], Seat(seat), outcome.places)) is not None
    }
    thought = [*list_picks(table)]
    return {
        user: Finish(
            seat=Seat(seat),
            past=PastGame(
                table=table.id,
                game=table.opened.game,
                ended_ms=ended_ms,
                names=table.names,
                scores=[*outcome.scores],
                places=[*outcome.places],
                your_seat=seat,
                rated=seat in learned,
            ),
            stayed=seat in stayed,
            won=seat in stayed and outcome.places[seat] == 1 and seat not in table.voters,
            picks_ms=tuple(pick.ms for pick in thought if pick.seat == seat),
            skill=learned.get(seat),
        )
        for seat, user in enumerate(users)
    }


def _rate_start(
    table: Table, careers: Mapping[UserId, Career], players: Sequence[Player], mine: Player
) -> Rated | None:
    """Return the stake of a game for one of its players: against those of other networks, None without any."""
    met = [(Seat(seat), other) for seat, other in enumerate(players) if other.origin != mine.origin]
    if not met:
        return None
    game, at_ms = table.opened.game, table.started_ms
    others = [other for _, other in met]
    skills = [(seat, careers[other.user].skill_at(game)) for seat, other in met]
    start = RatedStart(
        met=tuple(Met(seat, skill.mu, skill.sigma) for seat, skill in skills),
        weight=_mean_weight(careers[mine.user].opponents.get(game, ()), others, at_ms),
    )
    return Rated(start, others, game, at_ms)


def _learn_rating(table: Table, career: Career, seat: Seat, places: Sequence[int]) -> Skill | None:
    """Return a player's new rating; None if the game is not rated for them, or all players lost the connection."""
    start = career.starts.get(table.id)
    if start is None or not find_stayed_seats(table):
        return None
    place = _places_for_rating(table, places)
    # Decision 004: a vote costs as much as giving up, or two friends could kick a third near the end of each lost game.
    if seat in table.voters:
        place[seat] = max(place) + 1
    before = career.skill_at(table.opened.game)
    skills = [before, *(Skill(met.mu, met.sigma) for met in start.met)]
    learned = rate_players(skills, [place[seat], *(place[met.seat] for met in start.met)])[0]
    after = learn_partly(before, learned, start.weight)
    return None if seat in table.voted_out and after.mu > before.mu else after


def _mean_weight(known: Sequence[Opponent], met: Sequence[Player], started_ms: int) -> float:
    """Return the mean weight of a game against several; of one network, each counts as a game after the other."""
    weights = []
    for other in met:
        weights.append(weigh_game(known, other, started_ms))
        known = note_opponent(known, other, started_ms)
    return sum(weights) / len(weights)


def _places_for_rating(table: Table, places: Sequence[int]) -> list[int]:
    """Return the places by seat, with the absent ones behind all others."""
    last, counting = max(places) + 1, find_stayed_seats(table) | table.voted_out
    return [place if seat in counting else last for seat, place in enumerate(places)]
