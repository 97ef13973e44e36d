"""Messages of digests: what waits for a user by correspondence, sent once a day to an address of theirs."""

from typing import Annotated

from msgspec import Meta

from scoville_shared.protocol.messages.base import VERBATIM, Params, Reply

LONGEST_URL = 300

WebAddress = Annotated[str, Meta(max_length=LONGEST_URL), VERBATIM]
"""An address on the web; the server checks it and shows it to its user alone."""


class ShowDigestRequest(Params, frozen=True, kw_only=True):
    """Requests where the user's digest goes."""


class SetDigestRequest(Params, frozen=True, kw_only=True):
    """Sends the user's digest to an address from now on, with another key. For claimed names."""

    url: WebAddress


class ClearDigestRequest(Params, frozen=True, kw_only=True):
    """Ends the user's digest."""


class TryDigestRequest(Params, frozen=True, kw_only=True):
    """Sends a test to the address of the user's digest; the reply comes when its receiver has answered."""


class DigestReply(Reply, frozen=True, kw_only=True):
    """Where the user's digest goes, and since when (milliseconds since 1970); None without one.

    `signing_key` is in the reply to `digest.set` alone. After seven `failed_days` in a row nothing is sent until a test
    succeeds, or the address is set again.
    """

    url: str | None = None
    since_ms: int | None = None
    signing_key: str | None = None
    failed_days: int = 0
