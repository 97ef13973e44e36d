"""Response headers: what browsers must not do with the page."""

from collections.abc import Mapping
from typing import Final

_POLICY: Final = {
    "default-src": "'none'",
    "script-src": "'self'",
    "img-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
}
COMMON: Final[Mapping[str, str]] = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
"""Headers of every response."""


def content_policy(origin: str, nonce: str) -> str:
    """Return the Content-Security-Policy of the page: everything from this host, and styles that carry the nonce.

    Args:
        origin: The page's own origin. Older browsers do not count a WebSocket as 'self'.
        nonce: Mark of the style elements that the terminal makes; empty for a page without one.
    """
    socket = origin.replace("http", "ws", 1)
    styles = f"'self' 'nonce-{nonce}'" if nonce else "'self'"
    own = {"style-src": styles, "connect-src": f"'self' {socket}"}
    return "; ".join(f"{name} {value}" for name, value in {**_POLICY, **own}.items())


def closed_policy() -> str:
    """Return the Content-Security-Policy of responses that are no page: nothing may be loaded or run."""
    return "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
