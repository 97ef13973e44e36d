"""The quick reactions in words."""

from typing import get_args

from scoville_client.i18n.reactions import REACTIONS
from scoville_shared.protocol.messages import Reaction


def test_every_reaction_of_the_wire_has_words_in_its_order() -> None:
    assert tuple(REACTIONS) == get_args(Reaction)
