"""The log names the players who sat there when something happened, not those who sit there now."""

import pytest
from msgspec.structs import replace

from scoville_client.session.table.table import AtTable
from scoville_shared.protocol.messages import AnyTableEvent, HostTransferred, Joined, Left, ReadyChanged, SeatInfo
from tests.support.client import GAME, make_snapshot

ANNA, PAUL, BOT = (
    SeatInfo(name=name, kind=kind, connected=True)  # type: ignore[arg-type]
    for name, kind in (("Anna", "human"), ("Paul", "human"), ("Bot Ada", "bot"))
)
HISTORY: list[AnyTableEvent] = [
    Joined(seq=1, seat=0, name="Anna", host=0),
    Joined(seq=2, seat=1, name="Paul", host=0),
    ReadyChanged(seq=3, seat=1, ready=True),
    HostTransferred(seq=4, host=1, reason="idle"),
    Left(seq=5, seat=1, name="Paul", host=0),
    Joined(seq=6, seat=1, name="Bot Ada", host=0),
]
BEFORE = [SeatInfo(), SeatInfo(), SeatInfo()]


def waiting(seats: list[SeatInfo], *events: AnyTableEvent) -> AtTable:
    shown = make_snapshot()
    info = replace(shown.info, seats=seats, status="waiting", host=0)
    return AtTable(GAME, replace(shown, info=info, seq=len(events), events=[*events], view=None, pending=[]))


@pytest.mark.parametrize("live", [True, False], ids=["as it happens", "in a snapshot"])
def test_a_later_bot_is_no_host_in_the_log(*, live: bool) -> None:
    if live:
        at = waiting(BEFORE)
        for event in HISTORY:
            at.apply_event(event, None)
    else:
        at = waiting([ANNA, BOT, SeatInfo()], *HISTORY)
    texts = [line.phrase.render(at.names) for line in at.log]
    assert "Paul is ready." in texts
    assert "Paul is now the host." in texts
    assert not [line for line in texts if line.startswith("Bot Ada is")]
