"""Versions of the protocol: what a server answers a client that speaks another one."""

from scoville_shared import __version__
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages.base import PROTOCOL


def version_error(spoken: int) -> ScovilleError | None:
    """Return the error for a client that speaks the version `spoken`, or None for the present one.

    It comes before everything else that may be wrong with a `hello`: a later version may have other params.
    """
    data = {"client": spoken, "server": PROTOCOL, "server_version": __version__}
    if spoken < PROTOCOL:
        sentence = f"Your client is too old for this server; install scoville {__version__} or newer."
        return ScovilleError(Code.UPGRADE_CLIENT, sentence, data)
    if spoken > PROTOCOL:
        sentence = f"This server is too old for your client: it is scoville {__version__} and must be updated."
        return ScovilleError(Code.UPGRADE_SERVER, sentence, data)
    return None
