"""Sessions of the user's account, as text."""

from collections.abc import Mapping
from typing import Final

from scoville_client.i18n.language import render
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import SessionInfo

_ORIGINS: Final[Mapping[str, Phrase]] = {
    "guest": Phrase("begun as a guest"),
    "password": Phrase("by password"),
    "ssh_key": Phrase("by SSH key"),
    "web_code": Phrase("by web code"),
    "recovery": Phrase("by recovery code"),
}


def origin_text(session: SessionInfo) -> str:
    """Return how a session began; a value of a newer server is shown as it is."""
    phrase = _ORIGINS.get(session.origin)
    return session.origin if phrase is None else render(phrase)
