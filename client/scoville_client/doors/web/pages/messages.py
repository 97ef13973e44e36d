"""Messages between the page and the door: JSON in text frames. Binary frames are what the terminal sends and gets."""

from typing import Annotated

import msgspec
from msgspec import Meta, Struct

Cells = Annotated[int, Meta(ge=1, le=10_000)]


class Hello(Struct, frozen=True, tag="hello", tag_field="type"):
    """The first message of a page: the size of its terminal, whether it is touched, and the table in its address.

    With `lines` it wants lines of text instead of screens, and sends whole lines.
    """

    columns: Cells
    rows: Cells
    touch: bool = False
    lines: bool = False
    table: Annotated[str, Meta(max_length=64)] = ""


class Resize(Struct, frozen=True, tag="resize", tag_field="type"):
    """The terminal has another size."""

    columns: Cells
    rows: Cells


class Ping(Struct, frozen=True, tag="ping", tag_field="type"):
    """Asks whether the door is still there."""


class Pong(Struct, frozen=True, tag="pong", tag_field="type"):
    """Answers a ping."""


class Key(Struct, frozen=True):
    """A key of the client's key bar: how it is written, its word, and what a terminal sends for it."""

    key: str
    word: str
    send: str


class KeyRow(Struct, frozen=True, tag="keys", tag_field="type"):
    """The keys that work now, for the row of a touch screen."""

    keys: list[Key]


class Theme(Struct, frozen=True, tag="theme", tag_field="type"):
    """The client has another theme: what surrounds the terminal follows it. A page begins dark."""

    light: bool


class File(Struct, frozen=True, tag="file", tag_field="type"):
    """A file for the user to save."""

    name: str
    text: str


class Secret(Struct, frozen=True, tag="secret", tag_field="type"):
    """The next line is a password, so that the page hides what is typed; or no longer."""

    wanted: bool


class End(Struct, frozen=True, tag="end", tag_field="type"):
    """The session ends: why, and what the button to begin again says; with `retry` the page does so by itself."""

    text: str
    button: str = ""
    retry: bool = False


FromPage = Hello | Resize | Ping
ToPage = Pong | KeyRow | Theme | File | Secret | End


class BadMessageError(Exception):
    """The page has sent what it never sends."""


def decode_message(text: str) -> FromPage:
    """Return a message of the page. Raises BadMessageError."""
    try:
        message: FromPage = msgspec.json.decode(text, type=FromPage)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise BadMessageError(str(error)) from None
    return message


def encode_message(message: ToPage) -> str:
    """Return a message to the page."""
    return msgspec.json.encode(message).decode()
