"""My games: every finished game that this user has played from this computer, kept in the user's data folder."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from scoville_client.session.new_table.adaptive_bots import BotGame
from scoville_client.session.start_options import games_folder
from scoville_runtime.atomic_files import replace_file
from scoville_runtime.clock import SYSTEM
from scoville_shared.ids import Seat
from scoville_shared.replay import Header, RecordedOutcome, read_game
from scoville_shared.replay.file import MAX_LINE_CHARS, BrokenFile

MOST_GAMES: Final = 1_000
MOST_BYTES: Final = 64 * 2**20
"""Games that are kept: a game has 7 to 25 KB. The oldest go first."""
MOST_REVIEWED: Final = 50
"""Reviewed games of which the decisions are read at once, the newest ones."""
LONGEST_BYTES: Final = 2**20
"""A game larger than this is not kept: a server made it up."""
_ENDS: Final = 8_192
"""Bytes at the end of a file in which its outcome stands: a signature with sixteen former keys has four thousand."""
_NAME: Final = re.compile(r"\d{8}T\d{6}Z-[a-z0-9_-]{1,81}-s(?P<seat>\d{1,2})\.jsonl")
"""When it was kept, the game and its table, and the user's seat."""


class Mistake(Struct, frozen=True):
    """A decision of the user that was an error: the `position` after its move, the kind of error, and what it cost.

    `loss` is of the chance to win. It is `solved` when the user has chosen again, and right.
    """

    position: Annotated[int, Meta(ge=1)]
    kind: str
    loss: float
    solved: bool = False


class Decisions(Struct, frozen=True, kw_only=True):
    """A review of the user's decisions in a game: how many there were, and what they lost all together."""

    scoville_decisions: Literal[1] = 1
    made: Annotated[int, Meta(ge=0)]
    loss: float
    mistakes: list[Mistake]

    def solve_mistake(self, position: int) -> "Decisions":
        """Return the same with one mistake solved."""
        return replace(
            self,
            mistakes=[replace(each, solved=each.solved or each.position == position) for each in self.mistakes],
        )


class PlayedGame(NamedTuple):
    """A game that was played: its file, its first line, the user's seat, and its outcome."""

    path: Path
    header: Header
    seat: Seat
    outcome: RecordedOutcome | None

    @property
    def place(self) -> int | None:
        """The user's place; None of a file whose end cannot be read."""
        return self.outcome.places[self.seat] if self.outcome and self.seat < len(self.outcome.places) else None


class GameFolder:
    """The folder with a user's games. The clock is the computer's own: a server's dates order nothing here."""

    def __init__(self, path: Path, now_ms: Callable[[], int] = SYSTEM.date_ms) -> None:
        self._path = path
        self._now_ms = now_ms

    def keep_game(self, lines: Sequence[str], game: str, table: str, seat: Seat) -> None:
        """Keep a finished game, and remove the oldest beyond the bounds. Raises OSError."""
        content = "".join(f"{line}\n" for line in lines).encode()
        if len(content) > LONGEST_BYTES:
            return
        at = datetime.fromtimestamp(self._now_ms() / 1000, UTC)
        name = f"{at:%Y%m%dT%H%M%SZ}-{_safe_word(game)}-{_safe_word(table)}-s{seat}.jsonl"
        self._path.mkdir(parents=True, exist_ok=True)
        # Another client of the user may have kept the same game at another second, and so below another name.
        if not any(self._path.glob(f"*-{_safe_word(game)}-{_safe_word(table)}-s{seat}.jsonl")):
            replace_file(self._path / name, content)
            self._trim_to_bounds()

    def list_games(self) -> list[PlayedGame]:
        """List the games, the newest first; what is no game is passed over."""
        return [game for path in self._list_paths() if (game := _read_ends(path)) is not None]

    def list_bot_games(self, game: str, most: int) -> list[BotGame]:
        """List the latest games of a kind against bots whose levels are known, the oldest first."""
        found: list[BotGame] = []
        for path in self._list_paths():
            played = _read_ends(path) if f"-{_safe_word(game)}-" in path.name else None
            if played is not None and played.header.game == game and played.place is not None:
                levels = tuple(seat.level for seat in played.header.seats if isinstance(seat.level, str))
                found += [BotGame(played.header.table, levels, played.place == 1)] if levels else []
            if len(found) == most:
                break
        return found[::-1]

    def remove_game(self, path: Path) -> None:
        """Remove a game with the figures of its review. Raises OSError."""
        _path_of_decisions(path).unlink(missing_ok=True)
        path.unlink(missing_ok=True)

    def keep_decisions(self, header: Header, judge: Callable[[Seat], Decisions]) -> None:
        """Keep a review's figures of the user's decisions, if the game is one of theirs. Raises OSError.

        Mistakes that the user has solved stay solved: reviews of the same game find the same ones.
        """
        for path in self._list_paths():
            if f"-{_safe_word(header.game)}-{_safe_word(header.table)}-s" not in path.name:
                continue
            game = _read_ends(path)
            if game is not None and game.header == header:
                decisions, before = judge(game.seat), self.read_decisions(path)
                for mistake in before.mistakes if before else ():
                    decisions = decisions.solve_mistake(mistake.position) if mistake.solved else decisions
                self.write_decisions(path, decisions)

    def write_decisions(self, path: Path, decisions: Decisions) -> None:
        """Write the figures of the decisions of the game at this path. Raises OSError."""
        replace_file(_path_of_decisions(path), msgspec.json.encode(decisions))

    def read_decisions(self, path: Path) -> Decisions | None:
        """Return a review's figures of the user's decisions in the game at this path; None without one."""
        try:
            with _path_of_decisions(path).open("rb") as file:
                return msgspec.json.decode(file.read(LONGEST_BYTES), type=Decisions)
        # They are made again from the game, which takes no more than a while.
        except (OSError, msgspec.MsgspecError):
            return None

    def list_decisions(self) -> list[tuple[str, Decisions]]:
        """List the reviews' figures of the latest reviewed games, each with its game's slug, the newest first.

        No game is opened for it.
        """
        try:
            kept = {path.name for path in self._path.glob(f"*{_DECISIONS}")}
        except OSError:
            return []
        paths = [path for path in self._list_paths() if _path_of_decisions(path).name in kept][:MOST_REVIEWED]
        return [
            (path.name.split("-")[1], decisions)
            for path in paths
            if (decisions := self.read_decisions(path)) is not None
        ]

    @property
    def changed_ns(self) -> int:
        """When a file was added, replaced or removed last; 0 without a folder."""
        try:
            return self._path.stat().st_mtime_ns
        except OSError:
            return 0

    def _list_paths(self) -> list[Path]:
        try:
            return sorted((path for path in self._path.iterdir() if _NAME.fullmatch(path.name)), reverse=True)
        except OSError:
            return []

    def _trim_to_bounds(self) -> None:
        size = 0
        for number, path in enumerate(self._list_paths(), 1):
            size += path.stat().st_size
            if number > MOST_GAMES or size > MOST_BYTES:
                self.remove_game(path)


def group_by_game(games: Sequence[PlayedGame]) -> dict[str, list[PlayedGame]]:
    """Group games, the newest first, by their slug: the most played first, each group in the order of time.

    Games whose place is unknown are left out.
    """
    groups: dict[str, list[PlayedGame]] = {}
    for game in reversed(games):
        if game.place is not None:
            groups.setdefault(game.header.game, []).append(game)
    return dict(sorted(groups.items(), key=lambda group: -len(group[1])))


_DECISIONS: Final = ".decisions.json"


def _path_of_decisions(path: Path) -> Path:
    return path.with_suffix(_DECISIONS)


def _read_ends(path: Path) -> PlayedGame | None:
    """Read the first line and the outcome of a file; None where it is no exported game."""
    named = _NAME.fullmatch(path.name)
    assert named is not None, "only games are listed"
    try:
        with path.open("rb") as file:
            first = file.readline(MAX_LINE_CHARS + 1)
            # Never back into the first line: it is the server's, and could hold a line that looks like an outcome.
            file.seek(max(file.tell(), path.stat().st_size - _ENDS))
            lines = file.read(_ENDS).splitlines()
        header = read_game([first]).header
        ends = [line for line in lines if line.startswith(b'{"outcome"')]
        outcome = read_game([first, ends[-1]]).outcome if ends else None
    except (OSError, BrokenFile):
        return None
    seat = Seat(int(named["seat"]))
    # A hostile server may have exported fewer seats than the table had, which no replay could show.
    return PlayedGame(path, header, seat, outcome) if seat < len(header.seats) else None


def _safe_word(word: str) -> str:
    """Remove characters that could lead to another folder: the server chose the word."""
    return "".join(sign if sign.isascii() and (sign.isalnum() or sign in "_-") else "-" for sign in word[:40].lower())


def users_games() -> GameFolder:
    """Return the folder of the user who runs this process. Raises OSError for one without a home folder."""
    return GameFolder(games_folder())
