"""Whether the user looks at the client: by the window in front, and by keys."""

from scoville_client.tui.attention import AWAY_SECONDS, Attention
from tests.support.clock import FakeClock


def test_used_window_in_front_has_attention() -> None:
    clock, returns = FakeClock(), list[str]()
    attention = Attention(clock.clock.seconds, lambda: returns.append("back"))
    assert attention.is_given, "a terminal that says nothing is in front"
    attention.note_focus(focused=False)
    assert not attention.is_given
    attention.note_focus(focused=True)
    assert attention.is_given
    clock.advance(AWAY_SECONDS)
    assert not attention.is_given
    assert returns == ["back"]
    attention.note_use()
    attention.note_use()
    assert attention.is_given
    assert returns == ["back", "back"], "once for each time"
