"""Results of finished games for careers and ratings."""

from collections.abc import Mapping, Sequence

from scoville_server.players.model.career import Career, Finish
from scoville_server.players.model.picks import picks
from scoville_server.players.model.rating import rated
from scoville_server.tables.model.table import Table
from scoville_shared.ids import Seat, UserId
from scoville_shared.protocol.messages import PastGame


def people_of(table: Table) -> list[UserId]:
    """List the users of a game that counts, by seat; also those whose seat a bot has taken over."""
    return [chair.user for chair in table.chairs if chair.user is not None]


def finishes(table: Table, careers: Mapping[UserId, Career], ended_ms: int) -> dict[UserId, Finish]:
    """Return how a finished game ended for each user, with the new ratings.

    Players who were absent at the end are placed behind all others, whatever the bot in their seat has won.
    """
    people, outcome = people_of(table), table.game.outcome(table.state)
    assert outcome is not None, "a finished game has an outcome"
    stayed = [chair.human for chair in table.chairs]
    is_rated = table.rated and any(stayed)
    before = [careers[user].skill(table.opened.game) for user in people]
    learned = rated(before, _places(outcome.places, stayed)) if is_rated else [None] * len(people)
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
                rated=is_rated,
            ),
            stayed=stayed[seat],
            picks_ms=tuple(pick.ms for pick in thought if pick.seat == seat),
            skill=learned[seat],
        )
        for seat, user in enumerate(people)
    }


def _places(places: Sequence[int], stayed: Sequence[bool]) -> list[int]:
    last = max(places) + 1
    return [place if there else last for place, there in zip(places, stayed, strict=True)]
