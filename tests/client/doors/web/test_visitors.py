"""Visitors: cookies that only the door issues, and tokens that nobody reads from its files."""

import stat
from pathlib import Path

import pytest

from scoville_client.doors.web.visitors import Cookies, Tokens, cookie_name, cookie_secret

SECRET = b"s" * 32
ANNA, BEN = b"a" * 16, b"b" * 16


def test_a_cookie_is_recognized_by_its_own_door_alone() -> None:
    cookies = Cookies(SECRET)
    cookie = cookies.make_cookie()
    visitor = cookies.read_visitor(cookie)
    assert visitor is not None
    assert Cookies(SECRET).read_visitor(cookie) == visitor
    assert Cookies(b"t" * 32).read_visitor(cookie) is None
    assert cookies.make_cookie() != cookie


@pytest.mark.parametrize("index", range(43))
def test_a_changed_cookie_is_nobody_s(index: int) -> None:
    cookies = Cookies(SECRET)
    cookie = cookies.make_cookie()
    other = "A" if cookie[index] != "A" else "B"
    assert cookies.read_visitor(f"{cookie[:index]}{other}{cookie[index + 1 :]}") is None


@pytest.mark.parametrize("cookie", ["", "A" * 42, "A" * 44, "A" * 43 + "\n", "=" * 43, "é" * 43])
def test_other_texts_are_no_cookies(cookie: str) -> None:
    assert Cookies(SECRET).read_visitor(cookie) is None


def test_only_this_host_can_set_the_cookie_of_https() -> None:
    assert cookie_name(secure=True).startswith("__Host-")
    assert cookie_name(secure=True) != cookie_name(secure=False)


def test_tokens_survive_a_restart_of_the_door(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    assert tokens.read_token(ANNA) == ""
    assert tokens.keep_token(ANNA, "one")
    assert tokens.keep_token(ANNA, "two")
    assert tokens.keep_token(BEN, "three")
    again = Tokens(tmp_path)
    assert (again.read_token(ANNA), again.read_token(BEN)) == ("two", "three")
    again.keep_token(ANNA, "")
    assert (Tokens(tmp_path).read_token(ANNA), Tokens(tmp_path).read_token(BEN)) == ("", "three")


def test_the_files_are_private_and_hold_no_token(tmp_path: Path) -> None:
    Tokens(tmp_path / "visitors").keep_token(ANNA, "the-token")
    (file,) = (tmp_path / "visitors").iterdir()
    assert b"the-token" not in file.read_bytes()
    assert ANNA.hex() not in file.name
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_a_file_of_another_visitor_is_not_theirs(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path)
    tokens.keep_token(ANNA, "one")
    (annas,) = tmp_path.iterdir()
    tokens.keep_token(BEN, "two")
    (bens,) = (file for file in tmp_path.iterdir() if file != annas)
    bens.write_bytes(annas.read_bytes())
    assert Tokens(tmp_path).read_token(BEN) == ""
    bens.write_bytes(b"short")
    assert Tokens(tmp_path).read_token(BEN) == ""


def test_the_oldest_visitors_are_forgotten(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path, most=3)
    for number in range(5):
        tokens.keep_token(bytes([number]) * 16, f"token-{number}")
    assert [tokens.read_token(bytes([number]) * 16) for number in range(5)] == ["", "", "token-2", "token-3", "token-4"]
    assert len([*tmp_path.iterdir()]) == 3
    assert len([*tmp_path.iterdir()]) == len([*Tokens(tmp_path, most=2)._tokens]) + 1


def test_a_kill_between_two_steps_leaves_no_rubbish(tmp_path: Path) -> None:
    Tokens(tmp_path).keep_token(ANNA, "one")
    (tmp_path / "abc.12345678").write_bytes(b"half")
    assert Tokens(tmp_path).read_token(ANNA) == "one"
    assert len([*tmp_path.iterdir()]) == 1


def test_a_token_that_cannot_be_stored_is_still_known(tmp_path: Path) -> None:
    tokens = Tokens(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert not tokens.keep_token(ANNA, "one")
    assert tokens.read_token(ANNA) == "one"


def test_without_a_folder_tokens_are_in_memory() -> None:
    tokens = Tokens(None, most=1)
    assert tokens.keep_token(ANNA, "one")
    assert tokens.read_token(ANNA) == "one"
    tokens.keep_token(BEN, "two")
    assert tokens.read_token(ANNA) == ""


def test_the_secret_is_made_once_and_private(tmp_path: Path) -> None:
    secret = cookie_secret(tmp_path / "door")
    assert len(secret) == 32
    assert cookie_secret(tmp_path / "door") == secret
    assert stat.S_IMODE((tmp_path / "door" / "cookie.key").stat().st_mode) == 0o600
    (tmp_path / "door" / "cookie.key").write_bytes(b"short")
    with pytest.raises(OSError, match="damaged"):
        cookie_secret(tmp_path / "door")
