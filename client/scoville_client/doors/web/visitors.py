"""Visitors of the door: a cookie recognizes a browser, and a token tells who it was on the server.

The cookie is 16 random bytes and a MAC over them, which only this door can have issued. So the door stores nothing for
a browser that only looked at the page, and a value that somebody made up is not taken for a visitor.

The tokens are kept over reloads and restarts. Each visitor has a small file, which only the door's user can read. Its
name is a hash of the identifier in the cookie, and the token inside is encrypted with a key that is derived from that
identifier: the files alone, in a backup for example, are nobody's seat.

A link of the visitor shows the newest token, and keeps each that replaces it before it is used.
"""

import hmac
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from msgspec.structs import replace

from scoville_client.transport.base import Link, Listener
from scoville_runtime.atomic_files import create_file, replace_file
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.protocol.messages import HelloReply, HelloRequest, LoginReply, Params, Reply

COOKIE_SECONDS: Final = 30 * 24 * 3600
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


_SECRET: Final = "cookie.key"  # noqa: S105 - a file's name
_SECRET_BYTES: Final = 32
_NONCE: Final = 12
_LONGEST_TOKEN: Final = 1024
_SUFFIX: Final = ".token"


def cookie_secret(folder: Path) -> bytes:
    """Return the secret of the door's cookies, made at the first start. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    file = folder / _SECRET
    # Made at an earlier start, or a moment ago by another door in the same folder.
    with suppress(FileExistsError):
        create_file(file, secrets.token_bytes(_SECRET_BYTES))
    secret = file.read_bytes()
    if len(secret) != _SECRET_BYTES:
        raise OSError(f"{file} is damaged: it has {len(secret)} bytes, not {_SECRET_BYTES}. Remove it.")
    return secret


# Decision 047: not in the cookie alone, because tokens rotate and a WebSocket cannot set a cookie.
class Tokens:
    """The newest token of each visitor, by the identifier in the cookie.

    Args:
        folder: Where the files are; None keeps tokens in memory alone.
        most: Visitors that are kept; those who came longest ago are forgotten first.

    Raises OSError when there is no such folder and it cannot be made.
    """

    def __init__(self, folder: Path | None, *, most: int = 5_000) -> None:
        self._folder = folder
        self._most = most
        self._tokens: dict[str, str | None] = {}
        """Tokens by the names of their files, the oldest first; None if only the file has it."""
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._tokens = dict.fromkeys(_read_stored(folder))
            self._forget_oldest()

    def read_token(self, visitor: bytes) -> str:
        """Return the visitor's newest token; empty if there is none."""
        name = _file_name(visitor)
        token = self._tokens.get(name)
        if token is None and name in self._tokens and self._folder is not None:
            # A damaged file, or one that has just been deleted: the visitor comes as a new user.
            with suppress(OSError, InvalidTag, ValueError):
                sealed = (self._folder / f"{name}{_SUFFIX}").read_bytes()[: 2 * _LONGEST_TOKEN]
                token = _make_cipher(visitor).decrypt(sealed[:_NONCE], sealed[_NONCE:], None).decode("ascii")
        return token or ""

    def keep_token(self, visitor: bytes, token: str) -> bool:
        """Keep a token, before it is used; an empty one forgets the visitor. Returns whether it could be stored."""
        name = _file_name(visitor)
        # Removed, to come last: the visitor who came longest ago is the first.
        self._tokens.pop(name, None)
        if not token or len(token) > _LONGEST_TOKEN:
            self._remove_token(name)
            return True
        # In memory also where the disk is full: the seat then lasts as long as this process.
        self._tokens[name] = token
        self._forget_oldest()
        return self._store_token(visitor, name, token)

    def _store_token(self, visitor: bytes, name: str, token: str) -> bool:
        if self._folder is None:
            return True
        nonce = secrets.token_bytes(_NONCE)
        sealed = nonce + _make_cipher(visitor).encrypt(nonce, token.encode("ascii"), None)
        try:
            replace_file(self._folder / f"{name}{_SUFFIX}", sealed)
        except OSError:
            return False
        return True

    def _forget_oldest(self) -> None:
        while len(self._tokens) > self._most:
            oldest = next(iter(self._tokens))
            del self._tokens[oldest]
            self._remove_token(oldest)

    def _remove_token(self, name: str) -> None:
        if self._folder is not None:
            # The stored token is sealed with the visitor's cookie: without that it cannot be read.
            with suppress(OSError):
                (self._folder / f"{name}{_SUFFIX}").unlink(missing_ok=True)


def _read_stored(folder: Path) -> list[str]:
    """Return the names of the files in a folder, the oldest first; what a kill left half-written is removed."""
    ages: list[tuple[float, str]] = []
    for file in folder.iterdir():
        # Another door may delete it at the same moment.
        with suppress(OSError):
            if file.suffix == _SUFFIX:
                ages.append((file.stat().st_mtime, file.stem))
            else:
                file.unlink()
    return [name for _, name in sorted(ages)]


def _file_name(visitor: bytes) -> str:
    return sha256(b"scoville/visitor/name/1\0" + visitor).hexdigest()[:32]


def _make_cipher(visitor: bytes) -> AESGCM:
    return AESGCM(HKDF(SHA256(), 32, None, b"scoville/visitor/token/1").derive(visitor))


class TokenLink:
    """A link that completes `hello` with the token of an earlier page, and passes on each later one.

    Args:
        link: The connection to the server.
        token: The token; empty for a new visitor.
        keep: Stores a token before it is used.
        secure: Whether nobody reads along between the visitor and the door.
    """

    def __init__(self, link: Link, token: str, keep: Callable[[str], object], *, secure: bool) -> None:
        self._link = link
        self._token = token
        self._keep = keep
        self._secure = secure

    @property
    def server_name(self) -> str:
        """The server's name in a sentence."""
        return self._link.server_name

    @property
    def server_keys(self) -> tuple[str, ...]:
        """The server's keys, as the door's connection proves them; none for a visitor whom others overhear."""
        return self._link.server_keys if self._secure else ()

    @property
    def local(self) -> bool:
        """Whether nothing that is sent can be overheard."""
        return self._link.local and self._secure

    @property
    def has_other_nodes(self) -> bool:
        """Whether the server has other nodes, of which one may take over."""
        return self._link.has_other_nodes

    def leave_node(self) -> None:
        """Try another node first when the link is opened next."""
        self._link.leave_node()

    async def open(self, listener: Listener) -> None:
        """Connect to the server. Raises LinkError."""
        await self._link.open(listener)

    async def call(self, params: Params) -> Reply:
        """Send a request and wait for its reply. Raises ScovilleError for a refusal, LinkError without an answer."""
        if isinstance(params, HelloRequest):
            return await self._say_hello(params)
        reply = await self._link.call(params)
        if isinstance(reply, LoginReply):
            self._keep(reply.token)
        return reply

    async def _say_hello(self, hello: HelloRequest) -> Reply:
        """Show the token; without it where the server refuses it on a connection that others overhear."""
        token = hello.token or self._token or None
        try:
            reply = await self._link.call(replace(hello, token=token))
        except ScovilleError as error:
            if error.code != Code.INSECURE or token is None:
                raise
            reply = await self._link.call(replace(hello, token=None))
        assert isinstance(reply, HelloReply), "a link answers hello with its reply"
        self._token = ""  # not before: a node that only waits for its turn has refused it, and has not used it up
        self._keep(reply.token)
        return reply

    async def close(self) -> None:
        """Close the connection; the listener is not called any more."""
        await self._link.close()
