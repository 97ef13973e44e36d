"""Cookies: a browser is recognized by an identifier that only this door can have issued.

The cookie is 16 random bytes and a MAC over them. So the door stores nothing for a browser that only looked at the
page, and a value that somebody made up is not taken for a visitor.
"""

import hmac
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256
from typing import Final

SECONDS: Final = 30 * 24 * 3600
"""How long a browser keeps the cookie after it has last opened the page."""
_RANDOM, _MAC = 16, 16
_FORM: Final = re.compile(r"[A-Za-z0-9_-]{43}")


def cookie_name(*, secure: bool) -> str:
    """Return the cookie's name; with HTTPS one that browsers accept from this host alone."""
    return "__Host-scoville" if secure else "scoville"


class Cookies:
    """Issues and recognizes cookies. `secret` are at least 16 bytes that only this door knows."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def make_cookie(self) -> str:
        """Return the cookie of a new visitor."""
        return self._seal_name(secrets.token_bytes(_RANDOM))

    def read_visitor(self, cookie: str) -> bytes | None:
        """Return the identifier in a cookie that this door has issued, or None."""
        if not _FORM.fullmatch(cookie):
            return None
        identifier = urlsafe_b64decode(f"{cookie}=")[:_RANDOM]
        return identifier if hmac.compare_digest(cookie, self._seal_name(identifier)) else None

    def _seal_name(self, identifier: bytes) -> str:
        mac = hmac.digest(self._secret, b"scoville/visitor/1\0" + identifier, sha256)[:_MAC]
        return urlsafe_b64encode(identifier + mac).decode().rstrip("=")
