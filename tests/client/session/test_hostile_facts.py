"""Facts without a name from a hostile server end the connection with a sentence, live and in a snapshot."""

import pytest
from msgspec.structs import replace

from scoville_client.replays.look_back import LookBack
from scoville_client.session.table.table import AtTable
from scoville_shared.errors import ScovilleError
from scoville_shared.games.registry import load_game
from scoville_shared.protocol.messages import Played
from tests.support.client import make_snapshot


@pytest.mark.parametrize("fact", [{}, {"fact": 1}, {"kind": "passed"}])
def test_facts_without_a_name_are_no_part_of_a_table(fact: dict[str, object]) -> None:
    seen = make_snapshot()
    played = Played(seq=seen.seq + 1, seat=0, mover="player", facts=[fact], pending=[], move_counts=[])
    with pytest.raises(ScovilleError, match="invalid fact"):
        AtTable(load_game(seen.info.game), replace(seen, seq=played.seq, events=[*seen.events, played]))
    at = AtTable(load_game(seen.info.game), seen)
    known = len(at.deal.events)
    with pytest.raises(ScovilleError, match="invalid fact"):
        at.apply_event(played, None)
    assert (len(at.deal.events), at.seq) == (known, seen.seq)
    if at.deal.has_past:
        LookBack(at)


def test_looking_back_passes_over_facts_of_a_later_version() -> None:
    seen = make_snapshot()
    at = AtTable(load_game(seen.info.game), seen)
    view = at.game.codec.encode_plain(at.view)
    for seq in (1, 2):
        facts = [{"fact": "later_fact", "x": seq}]
        at.apply_event(
            Played(seq=seen.seq + seq, seat=0, mover="player", facts=facts, pending=[], move_counts=[]), view
        )
    back = LookBack(at)
    assert back.last >= 1
    back.go_to(0)
    assert back.step_forward() is not None
