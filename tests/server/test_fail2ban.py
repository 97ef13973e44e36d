"""The shipped fail2ban filter, on lines as the server writes them."""

import configparser
import logging
import re
import shutil
import subprocess
from collections.abc import Callable
from ipaddress import ip_address
from pathlib import Path

import pytest

from scoville_runtime.events import Event, write_event
from scoville_runtime.log_setup import Format, LineFormatter
from scoville_server.events import (
    AdminAct,
    BannedRefused,
    Disconnect,
    DoorRefused,
    FloodEnded,
    Hello,
    Refusal,
    TokenReused,
    WrongLogin,
)
from tests.support.hostile import PAYLOADS
from tests.support.tree import ROOT

FILTER = ROOT / "packaging" / "fail2ban" / "filter.d" / "scoville.conf"
PEERS = {"192.0.2.7:50412": "192.0.2.7", "[2001:db8::7]:50412": "2001:db8::7"}
VICTIM = "198.51.100.99"
STOLEN = f"wrong_login code=wrong_login method=account.login address={VICTIM}:1 connection=1"
"""What a name looks like that wants to ban another address."""
STOLEN_JSON = (
    '{"time": 1795570317.606, "level": "warning", "program": "server", "process": 1, "event": "wrong_login", "code": '
    f'"wrong_login", "method": "account.login", "address": "{VICTIM}:1", "connection": 1}}'
)
ENDS = ("", " ", '"', "'", "\\", "\n", "\r\n", "\x1b[31m", "\u202e", "\u2028", "\x00", "}", '", ')
STARTS = (
    STOLEN,
    f" address={VICTIM}:1 ",
    f"server[1]: {STOLEN} ",
    f"2026-11-25T00:00:00.000Z warning server[1]: {STOLEN} ",
    STOLEN_JSON,
    f'", "event": "wrong_login", "code": "wrong_login", "method": "x", "address": "{VICTIM}:1", "connection": 1, "',
    f'"event": "flood_ended", "address": "{VICTIM}:1", "connection": 1',
)
HOSTILE = [*(f"{end}{start}{end}" for start in STARTS for end in ENDS), *PAYLOADS]


def bad_events(address: str, name: str) -> list[Event]:
    """Return events for which an address is banned."""
    refusals = [
        kind(code=code, method=method, address=address, connection=7, user=name)
        for kind, code, method in (
            (WrongLogin, "wrong_login", "account.login"),
            (BannedRefused, "banned", "hello"),
            (DoorRefused, "door_refused", "hello"),
        )
    ]
    return [*refusals, FloodEnded(address=address, connection=7, detail="Too much.", user=name)]


def harmless_events(name: str) -> list[Event]:
    """Return events for which nobody is banned."""
    address = f"{VICTIM}:80"
    return [
        Hello(address=address, connection=1, user=name, claimed=False, client=name),
        Refusal(code="slow_down", method="table.create", address=address, connection=1, user=name),
        Disconnect(address=address, connection=1, reason="left", seconds=1.0, detail=name, user=name),
        TokenReused(address=address, connection=1, user=name, client=name),
        AdminAct(number=1, action="ban name from server", by=name, target=name, reason=name),
    ]


LinesOf = Callable[..., list[str]]


@pytest.fixture
def lines_of(caplog: pytest.LogCaptureFixture) -> LinesOf:
    """Format events as lines of a server."""
    caplog.set_level(logging.DEBUG, "scoville.events")

    def format_events(form: Format, *events: Event, journal: bool = False) -> list[str]:
        caplog.clear()
        for event in events:
            write_event(event)
        formatter = LineFormatter(form, "server", journal=journal)
        return [formatter.format(record) for record in caplog.records]

    return format_events


def expressions() -> list[re.Pattern[str]]:
    parser = configparser.ConfigParser()
    parser.read(FILTER)
    address = r"(?P<addr>(?:\d{1,3}\.){3}\d{1,3}|[0-9a-fA-F:]*:[0-9a-fA-F:.]+)"
    return [re.compile(line.replace("<ADDR>", address)) for line in parser["Definition"]["failregex"].split("\n")]


def banned_by(line: str) -> set[str]:
    """Return the addresses that the filter finds in a line.

    fail2ban cuts out the time, from a JSON line perhaps with what stands before; a journal has it elsewhere.
    """
    dateless = [
        re.sub(r"^\d{4}-\S+Z", "", line),
        re.sub(r'^\{"time": \d+\.\d{3}', "", line),
        re.sub(r'^(\{"time": )\d+\.\d{3}', r"\1", line),
    ]
    if not line[0].isdigit():
        dateless += [line, f"host scoville-server[4]: {line}"]
    matches = [match["addr"] for each in dateless for found in expressions() if (match := found.search(each))]
    assert all(ip_address(each) for each in matches)
    assert len(matches) in (0, len(dateless)) or line[0].isdigit(), "all forms of a line match or none"
    return set(matches)


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("peer", PEERS)
def test_each_bad_event_bans_its_address(form: Format, peer: str, lines_of: LinesOf) -> None:
    for line in lines_of(form, *bad_events(peer, "Anna"), *bad_events(peer, "")):
        assert banned_by(line) == {PEERS[peer]}, line


def test_the_journal_has_the_same_lines(lines_of: LinesOf) -> None:
    for line in lines_of("text", *bad_events("192.0.2.7:1", "A B"), journal=True):
        assert banned_by(re.sub("^<[0-9]>", "", line)) == {"192.0.2.7"}


@pytest.mark.parametrize("form", ["text", "json"])
def test_no_hostile_name_bans_another(form: Format, lines_of: LinesOf) -> None:
    assert len(HOSTILE) > 100
    for name in HOSTILE:
        for line in lines_of(form, *bad_events("192.0.2.7:1", name)):
            assert banned_by(line) == {"192.0.2.7"}, line
        for line in lines_of(form, *harmless_events(name)):
            assert "\n" not in line
            assert banned_by(line) == set(), line


@pytest.mark.parametrize("form", ["text", "json"])
def test_fail2ban_itself_agrees(form: Format, tmp_path: Path, lines_of: LinesOf) -> None:
    program = shutil.which("fail2ban-regex")
    if program is None:
        pytest.skip("fail2ban is not installed; apt install fail2ban has it")
    bad = [event for peer in PEERS for name in ("Anna", *HOSTILE[:50]) for event in bad_events(peer, name)]
    harmless = [event for name in HOSTILE for event in harmless_events(name)]
    log = tmp_path / "server.log"
    log.write_text("\n".join(lines_of(form, *bad, *harmless)) + "\n", encoding="ascii")
    done = subprocess.run(
        [program, "--out", "<ip>", str(log), str(FILTER)], check=False, capture_output=True, text=True
    )
    found = done.stdout.split()
    assert sorted(set(found)) == sorted(PEERS.values()), done.stdout[-2000:] + done.stderr[-2000:]
    assert len(found) == len(bad)
