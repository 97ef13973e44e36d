"""Site: pages and files, their headers, and requests that are refused."""

import re
from hashlib import sha256

import pytest

from scoville_client.doors.web.door import text_commands
from scoville_client.doors.web.options import WebDoorOptions
from scoville_client.doors.web.origins import Origins
from scoville_client.doors.web.site.html_pages import (
    STATIC,
    VENDORED,
    Assets,
    main_page,
    preferred_language,
    text_page,
    use_language,
)
from scoville_client.transport.base import LinkError
from scoville_shared.errors import Code, ScovilleError
from scoville_shared.networks import Proxies, parse_network
from tests.client.doors.web.browser import SECRET, Browser, Sessions, door

PROXIED = WebDoorOptions(
    SECRET, proxies=Proxies([parse_network("127.0.0.1")]), origins=Origins(["https://cards.example"])
)


def test_the_vendored_files_are_those_of_the_packages() -> None:
    found = {file.name: sha256(file.read_bytes()).hexdigest() for file in (STATIC / "vendor").iterdir()}
    assert found == VENDORED


def test_no_file_of_the_page_names_another_host() -> None:
    for name, asset in Assets().files.items():
        if not name.startswith("vendor/"):
            assert set(re.findall(rb"https?://[^\s\"']+", asset.content)) <= {b"http://www.w3.org/2000/svg"}
    for page in (main_page("/static/x", "de", "n"), text_page("/static/x", "fr", ["`ssh plain@host`"])):
        assert "http" not in page


async def test_every_response_restricts_the_browser() -> None:
    async with door(Sessions()) as served, Browser(served.port) as browser:
        base = Assets().base
        for path in ("/", "/text", f"{base}/page.mjs", "/nothing", "/favicon.ico"):
            _, headers, _ = await browser.get(path)
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"
            assert headers["x-frame-options"] == "DENY"
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert headers["server"] == "scoville"


async def test_the_page_loads_from_this_host_alone() -> None:
    async with door(Sessions()) as served, Browser(served.port) as browser:
        _, headers, html = await browser.get()
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert f"connect-src 'self' ws://127.0.0.1:{served.port}" in policy
        nonce = re.findall(r"style-src 'self' 'nonce-([\w-]{22})'", policy)
        assert nonce == re.findall(r'<body data-nonce="([\w-]+)"', html)
        assert headers["cache-control"] == "no-store"
        again = await browser.get()
        assert nonce[0] not in again[2]


async def test_the_page_needs_no_inline_script_or_style() -> None:
    for page in (main_page("/static/x", "en", "n"), text_page("/static/x", "en", [])):
        assert not re.search(r"<style|\son\w+=|style=|javascript:", page)
        assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", page))


async def test_content_addressed_files_are_cached_for_ever() -> None:
    async with door(Sessions()) as served, Browser(served.port) as browser:
        _, _, html = await browser.get()
        names = re.findall(r'(?:href|src)="(static/[^"]+)"', html)
        assert len(names) == 4
        names = [f"/{name}" for name in names]
        for name in names:
            status, headers, _ = await browser.get(name)
            assert status == 200
            assert "immutable" in headers["cache-control"]
            assert headers.get("content-encoding") == "gzip"
        plain = await browser.get(names[-1], Accept_Encoding="identity")
        assert "content-encoding" not in plain[1]
        assert plain[2] == (STATIC / "page.mjs").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", ["/", "/text"])
async def test_a_page_names_everything_relative_to_itself(page: str) -> None:
    async with door(Sessions()) as served, Browser(served.port) as browser:
        _, headers, html = await browser.get(page)
    assert "scoville=" in headers["set-cookie"]
    assert re.findall(r'(?:href|src)="/', html) == []
    for script in STATIC.glob("*.mjs"):
        text = script.read_text(encoding="utf-8")
        assert re.findall(r'from "(?!\./)|location\.host', text) == [], script.name


@pytest.mark.parametrize(
    "path",
    [
        "/static",
        "/static/../door.py",
        "{base}/../../door.py",
        "{base}/%2e%2e/door.py",
        "{base}/page.html",
        "{base}/",
        "/static/0000000000000000/page.mjs",
        "/socket/",
        "/index.html",
    ],
)
async def test_nothing_else_is_served(path: str) -> None:
    async with door(Sessions()) as served, Browser(served.port) as browser:
        status, headers, _ = await browser.get(path.format(base=Assets().base))
        assert status == 404
        assert headers["content-security-policy"].startswith("default-src 'none'")


async def test_a_websocket_without_an_upgrade_is_refused() -> None:
    async with door(Sessions()) as served, Browser(served.port) as browser:
        status, _, _ = await browser.get("/socket", Origin=browser.base)
        assert status == 426


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
async def test_only_reading_is_allowed(method: str) -> None:
    async with door(Sessions()) as served, Browser(served.port) as browser:
        async with browser.http.request(method, browser.base) as response:
            assert response.status == 405
        async with browser.http.get(browser.base, data=b"body") as response:
            assert response.status == 400


async def test_an_unknown_name_says_how_to_make_it_known() -> None:
    async with door(Sessions()) as served, Browser(served.port, host="evil.example") as browser:
        status, headers, text = await browser.get()
        assert status == 421
        assert "--origin" in text
        assert "set-cookie" not in headers


async def test_the_cookie_is_for_this_door_alone() -> None:
    async with door(Sessions()) as served, Browser(served.port) as browser:
        _, headers, _ = await browser.get()
        cookie = headers["set-cookie"].lower()
        assert cookie.startswith("scoville=")
        for part in ("httponly", "samesite=strict", "path=/", "max-age=2592000"):
            assert part in cookie
        assert "secure" not in cookie
        again = (await browser.get())[1]["set-cookie"]
        assert again.partition(";")[0] == headers["set-cookie"].partition(";")[0]


async def test_the_cookie_behind_https_is_secure() -> None:
    async with (
        door(Sessions(), PROXIED) as served,
        Browser(served.port, host="cards.example", X_Forwarded_Proto="https") as browser,
    ):
        _, headers, _ = await browser.get()
        assert headers["set-cookie"].startswith("__Host-scoville=")
        assert "secure" in headers["set-cookie"].lower()
        assert "wss://cards.example" in headers["content-security-policy"]


# --- who asks -----------------------------------------------------------------------------------------------


async def visit(options: WebDoorOptions, **headers: str) -> tuple[str, bool]:
    """Return which address the door sees, and whether it takes the visit for secure."""
    sessions = Sessions()
    async with door(sessions, options) as served:
        scheme = "https" if headers.get("X_Forwarded_Proto") == "https" and options is PROXIED else "http"
        host = "cards.example" if scheme == "https" else "127.0.0.1"
        async with Browser(served.port, host=host, **headers) as browser:
            await (await browser.open(origin=f"{scheme}://{host}")).hello()
            return str(sessions.last.visit.address), sessions.last.visit.secure


async def test_a_configured_proxy_says_who_asks_and_how() -> None:
    said = {"X_Forwarded_For": "203.0.113.9, 198.51.100.1", "X_Forwarded_Proto": "https"}
    assert await visit(PROXIED, **said) == ("198.51.100.1", True)


async def test_plain_http_through_a_proxy_is_not_secure() -> None:
    assert await visit(PROXIED, X_Forwarded_For="198.51.100.1") == ("198.51.100.1", False)


async def test_nobody_else_s_word_is_taken() -> None:
    said = {"X_Forwarded_For": "198.51.100.1", "X_Forwarded_Proto": "https"}
    assert await visit(WebDoorOptions(SECRET), **said) == ("127.0.0.1", False)


async def test_a_local_browser_is_secure_unless_proxied() -> None:
    assert await visit(WebDoorOptions(SECRET)) == ("127.0.0.1", True)
    assert await visit(WebDoorOptions(SECRET), Via="1.1 proxy") == ("127.0.0.1", False)
    assert await visit(WebDoorOptions(SECRET), X_Real_IP="198.51.100.1") == ("127.0.0.1", False)


@pytest.mark.parametrize(
    ("host", "origin", "local"),
    [
        ("127.0.0.1:8080", "http://127.0.0.1:8080", True),
        ("[::1]:8080", "http://[::1]:8080", True),
        ("scoville.localhost", "http://scoville.localhost", True),
        ("127.0.0.1:8080", "http://cards.example", False),  # nginx's own Host, and the browser's Origin
        ("cards.example", "http://cards.example", False),
        ("192.168.1.7", "http://192.168.1.7", False),
        ("server.lan", "http://server.lan", False),
        ("localhost.cards.example", "http://localhost.cards.example", False),
    ],
)
async def test_a_silent_proxy_on_this_computer_makes_nobody_local(host: str, origin: str, local: bool) -> None:
    sessions = Sessions()
    public = ("http://cards.example", "http://localhost.cards.example")
    async with (
        door(sessions, WebDoorOptions(SECRET, origins=Origins(public))) as served,
        Browser(served.port, host=host) as browser,
    ):
        await (await browser.open(origin=origin)).hello()
        assert sessions.last.visit.secure is local


# --- languages ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7", "fr"),
        ("it, de-AT;q=0.8, fr;q=0.5", "de"),
        ("de;q=0, fr;q=0.1", "fr"),
        ("de;q=x, *", "en"),
        ("es-MX, es;q=0.9", "es"),
        (";;;,,,;q=", "en"),
        ("nan;q=nan, de", "de"),
    ],
)
def test_the_browser_s_language(accepted: str, language: str) -> None:
    assert preferred_language(accepted) == language


@pytest.mark.parametrize(("accepted", "language"), [("en", "en"), ("de", "de"), ("fr", "fr"), ("es", "en")])
async def test_the_page_is_in_that_language(accepted: str, language: str) -> None:
    async with door(Sessions()) as served, Browser(served.port, Accept_Language=accepted) as browser:
        for path in ("/", "/text"):
            _, headers, html = await browser.get(path)
            assert f'<html lang="{language}">' in html
            assert headers["content-language"] == language


def test_texts_of_the_host_are_escaped() -> None:
    page = text_page("/static/x", "en", ["`<b>` & <script>"])
    assert "<code>&lt;b&gt;</code> &amp; &lt;script&gt;" in page


@pytest.mark.parametrize(
    ("host", "name"), [("cards.example:8080", "cards.example"), ("[2001:db8::7]:8080", "2001:db8::7"), ("h", "h")]
)
def test_the_page_for_screen_readers_names_the_ssh_door(host: str, name: str) -> None:
    use_language("en")
    assert text_commands(None, host) == []
    assert text_commands(2222, host) == [f"By ssh, without an installation: `ssh -p 2222 plain@{name}`"]


async def test_a_calendar_is_a_file_at_a_secret_address() -> None:
    asked: list[str] = []

    async def read(secret: str, network: str) -> str:
        asked.append(secret)
        assert network == "127.0.0.1"
        if secret == "busy":
            raise LinkError("the server is away")
        if secret != "k7f2":
            raise ScovilleError(Code.NO_CALENDAR, "There is no calendar at this address.")
        return "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"

    async with door(Sessions(), WebDoorOptions(SECRET, read_calendar=read)) as served, Browser(served.port) as browser:
        status, headers, text = await browser.get("/calendar/k7f2.ics")
        assert (status, headers["content-type"]) == (200, "text/calendar; charset=utf-8")
        assert headers["cache-control"] == "no-store"
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert text.startswith("BEGIN:VCALENDAR")
        for path, answer in (("x.ics", 404), (f"{'y' * 500}.ics", 404), ("busy.ics", 503), ("k7f2", 404)):
            assert (await browser.get(f"/calendar/{path}"))[0] == answer
    assert max(map(len, asked)) == 64
