"""The quick reactions in words."""

from typing import Final, NamedTuple

from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import Reaction


class InWords(NamedTuple):
    """A reaction as it is called out on a screen, and as it is named in a sentence and typed."""

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
"""In the order in which they are offered."""
