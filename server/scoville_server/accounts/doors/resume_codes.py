"""Resume codes: words by which a guest without a key returns through a door, such as `quiet-amber-fox`."""

import hashlib
import hmac
from typing import Final

from scoville_server.accounts.model import word_codes

_WORDS, _MORE_WORDS = 3, 4
_FEW: Final = 256
"""Codes at a time until new ones have four words. One of three words is one of 29 million, and all addresses together
guess some thousand times a day."""
_PURPOSE: Final = b"scoville/resume/1\0"


class ResumeCodes:
    """Draws codes and digests them. Only digests are kept: without the secret nobody finds the codes behind them."""

    def __init__(self) -> None:
        self._secret = b""

    def use_secret(self, secret: str) -> None:
        """Digest with a secret that is the same after a restart."""
        self._secret = secret.encode()

    def digest_code(self, written: str) -> bytes:
        """Return the digest of a code as users type it."""
        return hmac.digest(self._secret, _PURPOSE + word_codes.read_code(written).encode(), hashlib.sha256)[:16]

    def draw_code(self, taken: int) -> str:
        """Draw a code, beside so many that are in use."""
        return word_codes.draw_code(_WORDS if taken < _FEW else _MORE_WORDS)
