"""Random lines for the line mode: commands with odd arguments, moves, 10 kB, control characters, broken UTF-8, EOF."""

import asyncio
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from scoville_client.i18n.language import ENGLISH, LANGUAGES, set_language
from scoville_client.plain.command_table import COMMANDS
from scoville_client.plain.main import obey_lines
from scoville_client.session.start_options import Start
from tests.fuzz.keys.scenes import GAMES, sit_down
from tests.support.live_server import open_live_server
from tests.support.screens import start_as

_AFTER_THEM = ("quit", "host", "join")
"""Commands that end a course, listen to the network, or look up whatever is typed as the name of a computer."""
_WORDS = (
    "1", "2", "0", "-1", "99", "9" * 30, "9" * 5_000, "Marie", "Anna", "nobody", "no_thanks", "dicht_dran", "de", "fr",
    "en", "on", "off", "4+3", "((((", "2^2^2^2", "3 / 0", "take", "pass", "keep", "\x00", "\x1b]0;x\x07", "ä", "漢字",
    "kick", "ban", "mute", "audit", "users", "seconds=5", "clock=1,2", "127.0.0.1:1", "x" * 10_000, "(" * 10_000,
)  # fmt: skip
_TIMES = 60


def try_lines(seed: int, lines: int) -> str:
    """Type a number of lines; returns a fault, or an empty text."""
    with TemporaryDirectory(prefix="scoville-lines-") as folder, _working_in(Path(folder)):
        try:
            status = asyncio.run(asyncio.wait_for(_course(Random(seed), lines), _TIMES))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
            import traceback

            return f"--lines --seed {seed}\n" + "".join(traceback.format_exception(error))[-4_000:]
        return "" if status in (0, 1) else f"--lines --seed {seed}: status {status}"


async def _course(chance: Random, lines: int) -> int:
    typed = b"".join(line(chance) for _ in range(lines))
    if chance.random() < 0.3:
        typed = typed[: chance.randrange(len(typed) + 1)]  # the end of input comes anywhere, also in a line
    source = io.TextIOWrapper(io.BytesIO(typed), encoding="utf-8", errors="replace")
    set_language(chance.choice([*LANGUAGES]))
    try:
        async with open_live_server() as live_server:
            game = chance.choice([*GAMES])
            await sit_down(live_server.marie, game, start=chance.random() < 0.3)
            practice = Start(kind="practice", name="Anna", game=game, players=3, options=GAMES[game])
            start = chance.choice((practice, start_as(live_server.port, "Paul")))
            return await obey_lines(start, source, lambda said: said.encode("utf-8") and None)
    finally:
        set_language(ENGLISH)


def line(chance: Random) -> bytes:
    """Make a random line of input."""
    roll = chance.random()
    if roll < 0.6:
        names = [name for command in COMMANDS for name in command.names if name not in _AFTER_THEM]
        words = [chance.choice(names), *chance.choices(_WORDS, k=chance.choice((0, 0, 1, 1, 2, 3)))]
    elif roll < 0.9:
        words = chance.choices(_WORDS, k=chance.choice((1, 1, 2)))
    else:
        return bytes(chance.randrange(256) for _ in range(chance.choice((1, 8, 40)))) + b"\n"
    return " ".join(words).encode("utf-8") + chance.choice((b"\n", b"\n", b"\r\n"))


@contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    """Save files in a temporary folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
