"""The state of a table as events change it."""

import pytest
from msgspec.structs import replace

from scoville_client.session.table.table import AtTable
from scoville_shared.games.registry import load_game
from scoville_shared.protocol.messages import (
    AnyTableEvent,
    CountdownCancelled,
    CountdownStarted,
    NoncesRequested,
    SpectatorsNotice,
    StartVoided,
)
from tests.support.client import make_info, make_snapshot, make_start

NOW = 1000.0
REQUESTED = NoncesRequested(seq=1, nonce_hashes=[None, None, None], starts_in_ms=5000)
COUNTDOWN = CountdownStarted(seq=1, reason="full", starts_in_ms=5000)


@pytest.mark.parametrize("begun", [REQUESTED, COUNTDOWN], ids=["nonces", "countdown"])
@pytest.mark.parametrize(
    "ended",
    [replace(make_start(), seq=2), CountdownCancelled(seq=2), StartVoided(seq=2, missing=[1], reason="missing")],
    ids=lambda e: type(e).__name__,
)
def test_the_coming_start_is_known_until_it_happens(begun: AnyTableEvent, ended: AnyTableEvent) -> None:
    waiting = replace(make_snapshot(), info=make_info("waiting"), seq=0, view=None, events=[])
    at = AtTable(load_game(waiting.info.game), waiting, lambda: NOW)
    at.apply_event(begun, None)
    assert at.starts_at == NOW + 5
    at.apply_event(ended, None)
    assert at.starts_at is None
    assert at.info.starts_in_ms is None


def test_claimed_names_of_spectators_are_known() -> None:
    seen = replace(make_snapshot(), spectators=["Zoe", "Gus"], claimed_spectators=[0, 7], commentators=["Yves"])
    at = AtTable(load_game(seen.info.game), seen)
    assert at.audience.claimed == {"Zoe"}
    notice = SpectatorsNotice(
        table=at.id, spectators=["Zoe"], commentators=["Zoe", "Yves"], claimed_spectators=[0], claimed_commentators=[1]
    )
    at.on_notice(notice)
    assert at.audience.claimed == {"Yves"}
