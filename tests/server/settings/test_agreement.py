"""Damaged settings files: `check-config` and the start of a server agree, whatever is wrong."""

import asyncio
import errno
import json
import os
from pathlib import Path
from random import Random

import pytest

from scoville_server.cli import commands as cli
from scoville_server.cli import serving
from scoville_server.server import Server
from scoville_server.settings.model import Settings

SEEDS = 500 if os.environ.get("HYPOTHESIS_PROFILE") == "wide" else 200

WHOLE = """# A server of a club
host = "127.0.0.1"
port = 0
data = ""
admins = ["Anna",
  "Ben",  # both
]
default_tables = ["no_thanks", 'dicht_dran']
proxies = ["10.0.0.0/8", "2001:db8::/32"]
webhook = "https://hooks.example/scoville"
idle_seconds = 1800.0
plain_text = false
log = {level = "info", format = "text"}

[limits]
memory_mib = 512
per_user = 1.5

[connections]
total = 2048

[accounts.hashing]
workers = 2
"""

PIECES = [
    '"',
    "'",
    "[",
    "]",
    "=",
    ",",
    "\n",
    "#",
    ".",
    "1e9",
    "-",
    "nan",
    "true",
    "yes",
    "{",
    "}",
    "\\",
    "é",
    "\t",
    '""',
]
VALUES = [*PIECES, "7", "[]", '"7"', "{}"]
NAMES = ["port", "totl", "total", "hosts", "chat", "level", "workers", "poker", "data", "announce"]


def damage(text: str, chance: Random) -> bytes:
    """Return a file with one to three mistakes, of people or of disks."""
    for _ in range(chance.randint(1, 3)):
        rows = text.split("\n")
        at, row = chance.randrange(len(text)), chance.randrange(len(rows))
        match chance.randrange(8):
            case 0:
                text = text[:at] + chance.choice(PIECES) + text[at:]
            case 1:
                text = text[:at] + text[at + chance.randint(1, 4) :]
            case 2:
                text = text[:at] + chance.choice(PIECES) + text[at + 1 :]
            case 3:
                rows.insert(row, rows[chance.randrange(len(rows))])
                text = "\n".join(rows)
            case 4:
                rows.insert(row, f"{chance.choice(NAMES)} = {chance.choice(VALUES)}")
                text = "\n".join(rows)
            case 5:
                name, sign, value = rows[row].partition(" = ")
                other = chance.choice([r.partition(" = ")[2] for r in rows if " = " in r])
                rows[row] = f"{name}{sign}{other if sign else value}"
                text = "\n".join(rows)
            case 6:
                del rows[row]
                text = "\n".join(rows) or "#"
            case _:
                text = text.replace(chance.choice("aeiost0125_"), chance.choice("aeiost0125-"), 1)
    data = text.encode()
    return data.replace(b"e", bytes([chance.randrange(128, 256)]), 1) if chance.random() < 0.05 else data


async def start_and_close(settings: Settings) -> None:
    server = Server(settings)
    try:
        await server.start()
    except OSError as error:
        if error.errno != errno.EADDRINUSE:  # which nobody can know from the settings alone
            raise
    finally:
        await server.close()


def start_server(file: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Start a server with a file as the command does; returns the status of the process."""

    def run_briefly(settings: Settings, *_: object) -> None:
        asyncio.run(start_and_close(settings))

    monkeypatch.setattr(serving, "run_until_stopped", run_briefly)
    try:
        cli.app(["--config", str(file)], result_action="return_value", exit_on_error=False)
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


def check_file(file: Path) -> int:
    try:
        cli.app(["check-config", str(file), "--json"], result_action="return_value", exit_on_error=False)
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


@pytest.mark.parametrize("first", range(0, SEEDS, 100))
def test_start_refuses_exactly_what_the_check_refuses(
    first: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)  # a mistake may make a relative path of the data folder
    file, statuses = tmp_path / "server.toml", []
    for seed in range(first, first + 100):
        file.write_bytes(damage(WHOLE, Random(seed)))
        checked = check_file(file)
        found = json.loads(capsys.readouterr().out)
        started = start_server(file, monkeypatch)
        errors = capsys.readouterr().err
        assert started == checked, (seed, errors)
        assert found["ok"] == (checked == 0)
        assert errors.splitlines() == [fault["text"] for fault in found["faults"]], seed
        assert all(fault["place"].startswith(str(file)) for fault in found["faults"]), seed
        statuses.append(checked)
    assert {*statuses} == {0, 2}
    assert statuses.count(0) > 5


def test_the_undamaged_file_is_correct(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "server.toml"
    file.write_text("\ufeff" + WHOLE.replace("\n", "\r\n"), encoding="utf-8")
    assert (check_file(file), start_server(file, monkeypatch)) == (0, 0)
