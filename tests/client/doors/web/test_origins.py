"""Origins: the names that the door answers to, and the pages that may open a WebSocket."""

import pytest

from scoville_client.doors.web.origins import Origins, parse_origin

PUBLIC = Origins([parse_origin("https://cards.example"), parse_origin("http://cards.example:8080/")])


@pytest.mark.parametrize(
    ("typed", "origin"),
    [
        ("HTTPS://Cards.Example:443/", "https://cards.example"),
        ("http://192.0.2.7:80", "http://192.0.2.7"),
        ("http://[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_origins_are_written_as_browsers_do(typed: str, origin: str) -> None:
    assert parse_origin(typed) == origin


@pytest.mark.parametrize(
    "typed", ["", "cards.example", "ftp://cards.example", "https://", "https://a/b", "https://a?b", "https://a:x"]
)
def test_other_texts_are_no_origins(typed: str) -> None:
    with pytest.raises(ValueError, match="looks like"):
        parse_origin(typed)


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("192.0.2.7", "http://192.0.2.7"),
        ("[2001:db8::7]:8080", "http://[2001:db8::7]:8080"),
        ("localhost:8080", "http://localhost:8080"),
        ("annas-laptop:8080", "http://annas-laptop:8080"),
        ("annas-laptop.local:8080", "http://annas-laptop.local:8080"),
        ("CARDS.example:8080", "http://cards.example:8080"),
        ("cards.example:8080", "http://cards.example:8080"),
        ("cards.example", None),
        ("evil.example", None),
        ("127.0.0.1.evil.example", None),
        ("local", "http://local"),
        ("", None),
        ("a@127.0.0.1", None),
        ("127.0.0.1/x", None),
        ("127.0.0.1:99999", None),
        ("127.0.0.1:x", None),
        ("[::1", None),
        ("x" * 300, None),
    ],
)
def test_names_a_stranger_could_point_here_are_refused(host: str, own: str | None) -> None:
    assert PUBLIC.find_own_origin(host, secure=False) == own


@pytest.mark.parametrize(
    ("origin", "host", "secure", "allowed"),
    [
        ("https://cards.example", "cards.example", True, True),
        ("https://cards.example", "127.0.0.1:8080", False, True),
        ("http://127.0.0.1:8080", "127.0.0.1:8080", False, True),
        ("https://127.0.0.1:8080", "127.0.0.1:8080", False, False),
        ("http://127.0.0.1:8081", "127.0.0.1:8080", False, False),
        ("http://127.0.0.1", "127.0.0.1:8080", False, False),
        ("http://evil.example", "evil.example", False, False),
        ("null", "127.0.0.1:8080", False, False),
        ("", "127.0.0.1:8080", False, False),
        (None, "127.0.0.1:8080", False, False),
        ("https://cards.example.evil.example", "cards.example", True, False),
    ],
)
def test_a_page_opens_a_websocket_to_its_own_door_only(
    origin: str | None, host: str, secure: bool, allowed: bool
) -> None:
    assert PUBLIC.is_allowed(origin, host, secure=secure) is allowed
