"""Results of finished games for careers and ratings."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from scoville_server.players.model.career import Career, Finish
from scoville_server.players.model.opponents import Opponent, Player, noted, weight
from scoville_server.players.model.picks import picks
from scoville_server.players.model.rating import Skill, partly, rated
from scoville_server.tables.model.table import Table
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import PastGame


def players_of(table: Table) -> list[UserId]:
    """List the users of a game that counts, by seat; also those whose seat a bot has taken over."""
    return [seat_state.user for seat_state in table.seats if seat_state.user is not None]


def finishes(table: Table, careers: Mapping[UserId, Career], ended_ms: int) -> dict[UserId, Finish]:
    """Return how a finished game ended for each user, with the new ratings.

    Players who were absent at the end are placed behind all others, whatever the bot in their seat has won. After a
    kick nobody has won, and nothing is rated.
    """
    users, outcome = players_of(table), table.game.outcome(table.state)
    assert outcome is not None, "a finished game has an outcome"
    stayed = [seat_state.human for seat_state in table.seats]
    learned = _learned(table, careers, _places(outcome.places, stayed), ended_ms) if any(stayed) else {}
    thought = [*picks(table)]
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
                rated=user in learned,
            ),
            stayed=stayed[seat],
            won=stayed[seat] and outcome.places[seat] == 1 and not table.voted_out,
            picks_ms=tuple(pick.ms for pick in thought if pick.seat == seat),
            skill=learned[user].skill if user in learned else None,
            met=learned[user].met if user in learned else (),
        )
        for seat, user in enumerate(users)
    }


class _Lesson(NamedTuple):
    """A user's new rating, and the opponents it was learned from."""

    skill: Skill
    met: tuple[Player, ...]


def _learned(
    table: Table, careers: Mapping[UserId, Career], places: Sequence[int], ended_ms: int
) -> dict[UserId, _Lesson]:
    """Return what each player learns: from opponents of other networks only, and nobody if a guest has played."""
    players = [Player(user, careers[user].origins.get(table.id)) for user in players_of(table)]
    if not table.rated or any(player.origin is None for player in players):
        return {}
    place = dict(zip(players, places, strict=True))
    lessons = {}
    for player in players:
        met = tuple(other for other in players if other.origin != player.origin)
        if met:
            career = careers[player.user]
            skills = [careers[each.user].skill(table.opened.game) for each in (player, *met)]
            after = rated(skills, [place[each] for each in (player, *met)])[0]
            known = career.opponents.get(table.opened.game, ())
            lessons[player.user] = _Lesson(partly(skills[0], after, _weight(known, met, ended_ms)), met)
    return lessons


def _weight(known: Sequence[Opponent], met: Sequence[Player], ended_ms: int) -> float:
    """Return the mean weight of a game against several; of one network, each counts as a game after the other."""
    weights = []
    for other in met:
        weights.append(weight(known, other, ended_ms))
        known = noted(known, other, ended_ms)
    return sum(weights) / len(weights)


def _places(places: Sequence[int], stayed: Sequence[bool]) -> list[int]:
    last = max(places) + 1
    return [place if there else last for place, there in zip(places, stayed, strict=True)]
