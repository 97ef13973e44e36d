"""Security warnings about the user's account, as text."""

from collections.abc import Mapping
from typing import Final

from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import AccountWarning

OWN_TOKEN_REUSED: Final = Phrase(
    "Another program has used your log-in on this computer, so the server ended that session and you are a guest. If "
    "you did not copy Scoville's files, somebody else did."
)
"""For a client whose token another client has used up."""

IDENTITY_DAMAGED: Final = Phrase(
    "The file with your identity on this server was damaged, so you are a new guest. Log in if you had claimed your "
    "name; the file is kept as {path}."
)
"""For a client whose stored token cannot be read."""

IDENTITY_UNKNOWN: Final = Phrase(
    "The server does not know you any more, so you are a new guest. Log in if you had claimed your name."
)
"""For a client whose stored token the server has forgotten."""

_TEXTS: Final[Mapping[str, Phrase]] = {
    "token_reused": Phrase(
        "An old token of your session “{client}” was used, so the session was ended: somebody has copied it, or old "
        "files were restored. If that was not you, change your password."
    ),
    "recovery_code": Phrase(
        "An admin has made a recovery code for your account. If you did not ask for it, ask the admins; changing your "
        "password makes it invalid."
    ),
    "moderator": Phrase("A moderator of this server warns you: {reason}"),
}

_UNKNOWN: Final = Phrase("The server warns you about your account: {kind}")
"""For a warning of a newer server."""


def warning_text(warning: AccountWarning) -> Phrase:
    """Return a warning as a sentence."""
    text = _TEXTS.get(warning.kind, _UNKNOWN)
    return text.with_fields(
        {"client": warning.client or warning.session or "", "kind": warning.kind, "reason": warning.reason or ""}
    )
