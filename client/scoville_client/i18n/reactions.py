"""Quick reactions as text."""

from typing import Final, NamedTuple

from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import Reaction


class InWords(NamedTuple):
    """A reaction as shown on a screen, and its name in sentences and commands."""

    call: Phrase
    name: Phrase


REACTIONS: Final[dict[Reaction, InWords]] = {
    "hello": InWords(Phrase("Hello!"), Phrase("hello")),
    "thanks": InWords(Phrase("Thanks!"), Phrase("thanks")),
    "well played": InWords(Phrase("Well played!"), Phrase("well played")),
    "oops": InWords(Phrase("Oops!"), Phrase("oops")),
    "hot!": InWords(Phrase("Hot!"), Phrase("hot!")),
    "hurry": InWords(Phrase("Hurry up!"), Phrase("hurry")),
}
"""Reactions in the order in which they are offered."""
