"""Votes on kicking a player from the running game: the open one, and the words that users type."""

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from scoville_client.i18n.language import render, tr
from scoville_shared.engine.phrases import Fields, Phrase, Who
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import VoteInfo

YES, NO = "yes", "no"
"""Words to agree with the open vote, or to refuse."""


class Vote(NamedTuple):
    """The open vote, and the monotonic second at which it ends."""

    info: VoteInfo
    ends: float

    @property
    def against(self) -> Seat:
        """The seat of the player who may be kicked."""
        return Seat(self.info.against)

    def seconds_left(self, now: float) -> int:
        """Return the whole seconds that are left, rounded up."""
        return max(0, ceil(self.ends - now))

    def waits_for(self, seat: int | None) -> bool:
        """Whether the player at a seat may still vote; a spectator (None) may not."""
        return seat not in (None, self.info.against, *self.info.agreed, *self.info.refused)


def vote_since(info: VoteInfo | None, now: float) -> Vote | None:
    """Return the vote that a server has described at the monotonic second `now`."""
    return None if info is None else Vote(info, now + info.ends_in_ms / 1000)


def vote_text(vote: Vote, names: Sequence[str], *, asked: bool) -> str:
    """Return the notice of an open vote; with the key for a player who is `asked` to vote."""
    fields: Fields = {"player": Who(vote.against), "agreed": len(vote.info.agreed), "needed": vote.info.needed}
    sentence = render(Phrase("Vote to kick {player}: {agreed} of {needed} votes.", fields), names)
    return f"{sentence} {tr('Press V to vote.')}" if asked else sentence


def read_vote(vote: Vote | None, typed: str, seats: Sequence[str], mark: str = "") -> tuple[int, bool]:
    """Return the seat and the vote that a user means: yes, no, or the name of a player.

    Raises ValueError with a sentence, in which the command stands behind `mark`.
    """
    answer = typed.strip().casefold()
    if answer in (YES, NO):
        if vote is None:
            raise ValueError(
                tr("There is no vote now. To start one, type {command}.", command=f"{mark}vote {tr('NAME')}")
            )
        return vote.info.against, answer == YES
    for seat, name in enumerate(seats):
        if answer and answer in (name.casefold(), str(seat + 1)):
            return seat, True
    raise ValueError(tr("Type {command} and the name of a player, yes or no.", command=f"{mark}vote"))
