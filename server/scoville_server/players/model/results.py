"""Results of games for careers and ratings: what a game counts when it starts, and what each player learns at its end.

A player who is losing has every reason to change what a game counts. So that is settled at the start, and at the end:

- A player who is absent then is placed behind all others, unless they were excused (`Table.stayed`).
- A player who voted for a kick is placed last, behind those who are absent: never better than by playing on.
- The kicked player is placed where the bot in their seat finishes, and gains nothing: who is losing could ask for it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from scoville_server.players.model.career import (
    Career,
    Finish,
    Met,
    Opponent,
    Origin,
    Player,
    Rated,
    RatedStart,
    note_opponent,
    start_game,
    weigh_game,
)
from scoville_server.players.model.rating import Skill, learn_partly, rate_players
from scoville_server.tables.model.table import Table
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import PastGame, Played, Started


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


def finish_careers(table: Table, careers: Mapping[UserId, Career], ended_ms: int) -> dict[UserId, Finish]:
    """Return how a finished game ended for each user, with the new ratings."""
    users, outcome, stayed = players_of(table), table.game.outcome(table.state), table.stayed_seats
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
    """Return what a game counts for one of its players: against those of other networks, None without any."""
    met = [(Seat(seat), other) for seat, other in enumerate(players) if other.origin != mine.origin]
    if not met:
        return None
    game, at_ms = table.opened.game, table.started_ms
    others = [other for _, other in met]
    skills = [(seat, careers[other.user].skill(game)) for seat, other in met]
    start = RatedStart(
        met=tuple(Met(seat, skill.mu, skill.sigma) for seat, skill in skills),
        weight=_mean_weight(careers[mine.user].opponents.get(game, ()), others, at_ms),
    )
    return Rated(start, others, game, at_ms)


def _learn_rating(table: Table, career: Career, seat: Seat, places: Sequence[int]) -> Skill | None:
    """Return a player's new rating; None if the game is not rated for them, or everybody lost the connection."""
    start = career.starts.get(table.id)
    if start is None or not table.stayed_seats:
        return None
    place = _places_for_rating(table, places)
    # Decision 004: a vote costs as much as giving up, or two friends could kick a third near the end of each lost game.
    if seat in table.voters:
        place[seat] = max(place) + 1
    before = career.skill(table.opened.game)
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
    last, counting = max(places) + 1, table.stayed_seats | table.voted_out
    return [place if seat in counting else last for seat, place in enumerate(places)]
