"""Pictures of every screen: each is reached by its keys, on a server of its own, and drawn at every size."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from html import escape, unescape
from io import StringIO
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from msgspec.structs import replace
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text
from textual.pilot import Pilot
from textual.widgets import Input

from scoville_client.cli.program_games import Spectator
from scoville_client.i18n.language import set_language
from scoville_client.session.session import Session
from scoville_client.session.start_options import Start
from scoville_client.session.table.fair_deal import no_nonce
from scoville_client.settings.file import SettingsFile
from scoville_client.transport.in_process import LocalLink, serve_in_process
from scoville_client.tui.app import ScovilleApp
from scoville_client.tui.platform import Platform
from scoville_client.tui.screens.page import Page
from scoville_client.tui.widgets.key_bar import KeyBar

SIZES: Final = ((46, 19), (80, 24), (120, 40), (200, 50))
EVERY_SIZE: Final = (
    *((46, 19), (46, 44), (60, 20), (63, 22), (80, 24), (90, 60), (100, 30), (120, 40), (132, 43), (160, 45)),
    *((200, 50), (240, 60), (270, 70), (300, 80)),
)
"""Sizes at which `--measure` tells how empty the screens are."""
Place = Literal["menu", "lobby", "host", "watch", "practice", "finished"]


class Scene(NamedTuple):
    """A picture: its name, the class of the screen that it shows, where it begins, the keys there, and the game."""

    name: str
    shows: str
    place: Place
    keys: tuple[str, ...] = ()
    game: str = "dicht_dran"


SCENES: Final = (
    Scene("start", "StartScreen", "menu"),
    Scene("game-picker", "GamePickerDialog", "menu", ("p",)),
    Scene("join", "JoinDialog", "menu", ("j",)),
    Scene("log-in", "JoinDialog", "menu", ("i",)),
    Scene("replay-file", "PromptDialog", "menu", ("w",)),
    Scene("create", "CreateDialog", "menu", ("p", "o")),
    Scene("tutorial", "TutorialScreen", "menu", ("g", "enter")),
    Scene("puzzle", "PuzzleScreen", "menu", ("z",)),
    Scene("settings", "SettingsDialog", "menu", ("N",)),
    Scene("palette", "PaletteDialog", "menu", ("colon",)),
    Scene("help", "HelpDialog", "menu", ("question_mark",)),
    Scene("rules", "RulesDialog", "menu", ("r",)),
    Scene("lobby", "LobbyScreen", "lobby"),
    Scene("chat", "ChatPanel", "lobby", ("g",)),
    Scene("users", "UserListDialog", "lobby", ("p",)),
    Scene("leaderboards", "LeaderboardDialog", "lobby", ("b",)),
    Scene("server-texts", "ServerTextsDialog", "lobby", ("i",)),
    Scene("account", "AccountDialog", "lobby", ("m",)),
    Scene("claim", "FormDialog", "lobby", ("m", "down", "enter")),
    Scene("profile", "ProfileDialog", "lobby", ("m", "enter")),
    Scene("waiting-room", "TableScreen", "host"),
    Scene("invitation", "InvitationDialog", "host", ("I",)),
    Scene("react", "ReactDialog", "host", ("e",)),
    Scene("dicht-dran", "TableScreen", "practice"),
    Scene("phone", "TableScreen", "practice"),
    Scene("no-thanks", "TableScreen", "practice", game="no_thanks"),
    Scene("chilli-chase", "TableScreen", "practice", game="chilli_chase"),
    Scene("log", "LogDialog", "practice", ("enter", "l")),
    Scene("look-back", "LookBackScreen", "practice", ("enter", "left_square_bracket")),
    Scene("coach", "AdviceDialog", "practice", ("h",), "no_thanks"),
    Scene("explanation", "ExplanationDialog", "practice", ("n", "x"), "no_thanks"),
    Scene("leave", "LeaveDialog", "practice", ("q",)),
    Scene("result", "TableScreen", "finished"),
    Scene("replay", "ReplayScreen", "finished", ("v", "pagedown", "pagedown")),
    Scene("review", "ReviewDialog", "finished", ("h",), "no_thanks"),
    Scene("players", "TableUsersDialog", "lobby", ("enter", "o")),
    Scene("television", "BigScreen", "watch"),
)
"""Every screen; `line-mode` is drawn beside them."""
LEFT_OUT: Final = {
    "AdminDialog": "only admins of a server see it",
    "NewsDialog": "shows what has happened on a server meanwhile; looks like the list of users",
    "CallTournamentDialog": "looks like the new table",
    "CalendarDialog": "shows an address with a secret that is another one each time",
    "ClubBoardDialog": "shows the club's tables and season, which only a server with users has",
    "ClubDialog": "looks like the account",
    "ClubInvitationDialog": "looks like the account",
    "ClubsDialog": "looks like the account",
    "ConfirmDialog": "looks like the question before leaving",
    "DailyDialog": "shows another deal every day",
    "DailyGameScreen": "looks like the replay",
    "DigestDialog": "looks like the account",
    "MemberDialog": "looks like the account",
    "MyGamesDialog": "shows the games of this computer",
    "PickDialog": "looks like the list of users",
    "QrDialog": "shows an address of this computer",
    "SshKeyDialog": "shows the keys of this computer",
    "StopDialog": "looks like the question before leaving",
    "TournamentDialog": "shows who plays in a tournament, which only a server with users has",
    "TournamentsDialog": "lists tournaments with their times of day",
    "TravellerDialog": "compares results that only a server with users has",
    "VacationDialog": "shows a date that is another one each day",
    "WebCodeDialog": "needs a server with HTTPS",
    "WelcomeDialog": "says to new users what the game picker says",
    "WelcomeScreen": "is the start screen of users of doors",
}
"""Classes of screens without a picture, and why."""
IN_DOCS: Final = (
    *("start", "tutorial", "lobby", "waiting-room", "dicht-dran", "phone", "no-thanks", "chilli-chase", "television"),
    *("result", "replay", "coach", "settings", "palette"),
)
"""The pictures of README.md and docs/screens.md."""
FILM: Final = "round"
"""The moving picture of README.md."""
DOCS_SIZES: Final = {"phone": (46, 44), "television": (120, 34)}
"""Columns and rows of those that are not as large as the others, which have 100 by 30."""
CHECKED: Final = (
    *("dicht-dran", "phone", "television", "no-thanks", "chilli-chase", "result", "tutorial", "palette"),
    *("start", "replay", "coach", "settings"),
    FILM,
)
"""Pictures of the documents that are the same wherever they are drawn: no clock, address or folder is on them."""
MOVES: Final = 9
"""Moves that the host of the running game has made: so much that there is something to see."""
_THINKING: Final = ("AdviceDialog", "ExplanationDialog", "ReviewDialog")
"""Screens that first show how far thinking is."""
_LINE_MODE: Final = "line-mode"
_TURN, _LONGEST = 0.02, 120.0
"""Seconds between two looks at a screen, and until it counts as never reached."""
_FONTS: Final = "font-family: Fira Code, DejaVu Sans Mono, Menlo, Consolas, monospace"


# --- what is there to see -------------------------------------------------------------------------------


@asynccontextmanager
async def busy_server() -> AsyncIterator[int]:
    """Open a server with users, tables, chat and a game that runs; yields its port."""
    server = await serve_in_process(host="127.0.0.1", port=0, seed=bytes(32))
    users = []
    for name in ("Marie", "Paul", "Nora"):
        user = Session(no_nonce)  # so that the seed alone deals the first table's cards
        await user.connect(LocalLink(server), name)
        await user.lobby.watch_lobby()
        users.append(user)
    marie, paul, nora = users
    await marie.account.claim_name("seven habaneros")
    await marie.join_table((await marie.lobby.create_table("no_thanks", 4, options={"rounds": 2})).table)
    await paul.join_table(
        (await paul.lobby.create_table("dicht_dran", 4, options={"cycles": 3}, clock={"move_ms": 30_000})).table
    )
    await nora.join_table((await nora.lobby.create_table("chilli_chase", 3, options={"points": 3})).table)
    await marie.table_actions.start_game()
    table = Spectator(marie)
    for _ in range(MOVES):
        at = await table.wait_until(lambda at: at.my_turn)
        await marie.play_move([*at.game.moves(at.view)][-1])
    await table.wait_until(lambda at: at.my_turn)
    await nora.chat.send_message("Who joins Chilli Chase?", table="", to="")
    await paul.chat.send_message("After this one. Cards first!", table="", to="")
    yield server.port
    for user in users:
        await user.close()
    await server.close()


def start_of(scene: Scene, port: int, folder: Path) -> Start:
    """Return how the client of a scene begins."""
    usual = Start(name="Anna", game=scene.game, seed=bytes(32))
    if scene.place == "menu":
        return Start(game=scene.game)
    if scene.place == "host":
        return replace(usual, kind="host", port=0, data=folder, announce=False)
    if scene.place in ("lobby", "watch"):
        return replace(usual, kind="join", host="127.0.0.1", port=port, watching=scene.place == "watch",
                       big=scene.place == "watch")  # fmt: skip
    return replace(usual, kind="practice", options={"cycles": 1} if scene.game == "dicht_dran" else {})


class Photographer:
    """Leads a client to a scene and draws it."""

    def __init__(self, app: ScovilleApp, pilot: Pilot[int], scene: Scene) -> None:
        self._app = app
        self._pilot = pilot
        self._scene = scene

    async def reach_scene(self) -> None:
        """Press the keys of the scene, each once the screen shows what the one before has brought."""
        await self._wait_until_settled()
        if self._scene.place in ("lobby", "watch", "practice", "finished"):
            await self._wait_until(lambda: self._where not in ("start", ""))
        if self._scene.place == "host":  # through the lobby, where the same keys do something else
            await self._wait_until(lambda: self._where == "waiting")
        if self._scene.place in ("practice", "finished"):
            await self._wait_until(lambda: self._where == "play" and self._board.at.my_turn)
        while self._scene.place == "finished" and self._where != "result":
            await self._wait_until(lambda: self._where == "result" or self._board.at.my_turn)
            if self._where == "play":
                await self._press_key("enter")
        await asyncio.sleep(0.1)  # until keys count after the end of a game
        for key in self._scene.keys:
            await self._press_key(key)
        await self._wait_until(lambda: type(self._app.screen).__name__ == self._scene.shows)
        if self._scene.shows in _THINKING:
            await self._wait_until(lambda: not any(worker.is_running for worker in self._app.workers))

    async def draw_screen(self, size: tuple[int, int]) -> str:
        """Draw the screen in a terminal of a size, as SVG."""
        await self._pilot.resize_terminal(*size)
        await self._wait_until_settled()
        await asyncio.sleep(0.2)
        return without_web_fonts(self._app.export_screenshot(title="Scoville"))

    async def _press_key(self, key: str) -> None:
        front = self._app.screen
        await self._pilot.press(key)
        await self._wait_until_settled()
        for _ in range(25):  # requests that open a dialog
            if self._app.screen is not front:
                break
            await asyncio.sleep(_TURN)
        await self._wait_until_settled()

    async def _wait_until_settled(self) -> None:
        await self._wait_until(lambda: self._app.up_to_date)

    async def _wait_until(self, met: Any) -> None:
        for _ in range(round(_LONGEST / _TURN)):
            if met():
                return
            await asyncio.sleep(_TURN)
        raise SystemExit(f"{self._scene.name}: {type(self._app.screen).__name__} is shown, and nothing more happens")

    @property
    def _where(self) -> str:
        screen = self._app.screen
        return screen.KEY_CONTEXT if isinstance(screen, Page) else ""

    @property
    def _board(self) -> Any:
        from scoville_client.tui.boards.board import Board

        return self._app.screen.query_one(Board)


def without_web_fonts(svg: str) -> str:
    """Return a picture that loads nothing from the web."""
    return (
        re.sub(r"@font-face \{.*?\}\n*", "", svg, flags=re.DOTALL)
        .replace("font-family: Fira Code", _FONTS)
        .replace(f"{_FONTS}, monospace", _FONTS)
    )


def with_placed_signs(svg: str) -> str:
    """Return a picture whose signs have a place each: rsvg-convert does not know how long a text is to be."""

    def place(match: re.Match[str]) -> str:
        attributes, text = match[1], unescape(match[2]).replace("\u00a0", " ")
        found = {name: float(re.search(rf' {name}="([\d.]+)"', attributes)[1]) for name in ("x", "textLength")}  # type: ignore[index]
        cell = found["textLength"] / max(1, cell_len(text))
        others, signs, column = re.sub(r' (x|textLength)="[\d.]+"', "", attributes), [], 0
        for sign in text:
            if sign != " " and cell_len(sign):
                signs.append(f'<text{others} x="{found["x"] + column * cell:.2f}">{escape(sign)}</text>')
            column += cell_len(sign)
        return "".join(signs)

    return re.sub(r"<text([^>]*textLength[^>]*)>(.*?)</text>", place, svg)


_BLOCK: Final = (4, 2)
"""Columns and rows of a block: what is smaller than it is the space between words."""


_SOLID: Final = frozenset("█▀▄▌▐")
_LARGEST_LETTER: Final = (30, 25)
"""Columns and rows of a large letter or digit at most; a curve is wider, and what is above it is empty."""


def empty_share(screen: Any) -> float:
    """Return the part of a screen's blocks that have no sign and no other ground than most of it.

    What a large letter encloses belongs to it, as the paper inside of a small one does, and so does what is between
    two letters of a word, or two words of a line: else the same sentence would be the emptier the larger it is.
    """
    strips = screen._compositor.render_strips()  # noqa: SLF001 - a picture
    rows = ["".join(segment.text for segment in strip) for strip in strips]
    cells = [
        [(sign != " ", segment.style and segment.style.bgcolor) for segment in strip for sign in segment.text]
        for strip in strips
    ]
    usual = Counter(ground for row in cells for _, ground in row).most_common(1)[0][0]
    inked = [[sign or ground != usual for sign, ground in row] for row in cells]
    for left, top, right, bottom in join_letters(boxes_of_letters(rows)):
        for y in range(top, bottom + 1):
            inked[y][left : right + 1] = [True] * (right + 1 - left)
    wide, high = _BLOCK
    blocks = [
        any(any(row[x : x + wide]) for row in inked[y : y + high])
        for y in range(0, len(inked) - high + 1, high)
        for x in range(0, len(inked[0]) - wide + 1, wide)
    ]
    return 1 - sum(blocks) / len(blocks)


def boxes_of_letters(rows: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """Return the first and last column and row of what is drawn in solid blocks that touch, up to a letter's size."""
    left = {(x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign in _SOLID}
    boxes = []
    while left:
        touching, shape = [left.pop()], []
        while touching:
            x, y = touching.pop()
            shape.append((x, y))
            near = {(x + across, y + down) for across in (-1, 0, 1) for down in (-1, 0, 1)} & left
            left -= near
            touching += near
        columns, lines = [x for x, _ in shape], [y for _, y in shape]
        box = (min(columns), min(lines), max(columns), max(lines))
        if box[2] - box[0] < _LARGEST_LETTER[0] and box[3] - box[1] < _LARGEST_LETTER[1]:
            boxes.append(box)
    return boxes


_APART: Final = 2
"""The space between two letters or words of a line, in heights of a letter, at most: cells are twice as high as wide.

A blank between small words is a cell of a line that is one high, and so are the blocks of four by two that are counted.
"""


def join_letters(boxes: Sequence[tuple[int, int, int, int]]) -> list[tuple[int, int, int, int]]:
    """Join the boxes of letters that stand beside each other to those of lines."""
    lines: list[tuple[int, int, int, int]] = []
    for left, top, right, bottom in sorted(boxes):
        for number, (first, upper, last, lower) in enumerate(lines):
            high = min(bottom - top, lower - upper) + 1
            shared = min(bottom, lower) - max(top, upper) + 1
            if 2 * shared > high and left - last <= _APART * high:
                lines[number] = (first, min(top, upper), max(right, last), max(bottom, lower))
                break
        else:
            lines.append((left, top, right, bottom))
    return lines


def line_mode(language: str, size: tuple[int, int]) -> str:
    """Draw the beginning of a game in line mode."""
    program = [sys.executable, "-c", "from scoville_client.cli.main import main; import sys; sys.exit(main())"]
    typed = [*program, "practice", "no_thanks", "--plain", "--name", "Anna", "--seed", "00", "--language", language]
    said = subprocess.run(typed, input="no\nno\ntake\nquit\n", capture_output=True, text=True, check=False).stdout
    console = Console(record=True, width=size[0], file=StringIO(), force_terminal=True)
    lines = Text(said).wrap(console, size[0])
    for line in lines[-size[1] :]:
        console.print(line, overflow="ignore", no_wrap=True)
    return without_web_fonts(console.export_svg(title="Scoville"))


def text_of(svg: str) -> list[str]:
    """Return the text of a picture, which fonts do not change."""
    return [unescape(each).replace("\u00a0", " ") for each in re.findall(r"<text[^>]*>(.*?)</text>", svg)]


def check_documents(drawn: Path) -> int:
    """Compare pictures with those of the documents by their texts; returns the exit status."""
    old = [name for name in CHECKED if text_of((drawn / f"{name}.svg").read_text(encoding="utf-8"))
           != text_of(Path(f"docs/pictures/{name}.svg").read_text(encoding="utf-8"))]  # fmt: skip
    for name in old:
        print(f"docs/pictures/{name}.svg shows another screen than today's: run scripts/screenshots --docs")
    return 1 if old else 0


# --- the pictures ---------------------------------------------------------------------------------------


def hold_still() -> None:
    """Let no picture depend on the time that it takes: a cursor blinks, and a busy machine's server answers late."""
    Input._toggle_cursor = lambda _: None  # type: ignore[method-assign]  # noqa: SLF001
    KeyBar.show_delay = lambda *_: None  # type: ignore[method-assign]


async def draw_all(asked: Namespace, scenes: Sequence[Scene]) -> None:
    """Draw each scene at each size."""
    settings = SettingsFile(None)
    settings.preferences = replace(settings.preferences, theme=asked.theme, language=asked.language, motion="less")
    with tempfile.TemporaryDirectory(prefix="scoville-") as folder:
        os.environ["XDG_DATA_HOME"] = folder  # else the start screen offers to continue a game of this user
        async with busy_server() as port:
            for scene in scenes:
                start = start_of(scene, port, Path(folder) / scene.name)
                app = ScovilleApp(start, Platform(settings), pace=0)
                async with app.run_test(size=(100, 40)) as pilot:
                    photographer = Photographer(app, pilot, scene)
                    await photographer.reach_scene()
                    sizes = [DOCS_SIZES.get(scene.name, size) for size in asked.sizes] if asked.docs else asked.sizes
                    shares = []
                    for size in sizes:
                        svg = await photographer.draw_screen(size)
                        if asked.measure:
                            shares.append(f"{size[0]}x{size[1]} {empty_share(app.screen):.0%}")
                        else:
                            write_picture(asked, scene.name, size, svg)
                    if asked.measure:
                        print(f"{scene.name}: {', '.join(shares)}", flush=True)


def write_picture(asked: Namespace, name: str, size: tuple[int, int], svg: str) -> None:
    """Write a picture, and as PNG where that is possible."""
    path = asked.out / (f"{name}.svg" if asked.docs else f"{name}-{size[0]}x{size[1]}.svg")
    path.write_text(svg, encoding="utf-8")
    if shutil.which("rsvg-convert") and not asked.docs:
        placed = with_placed_signs(svg).encode("utf-8")
        subprocess.run(["rsvg-convert", "-o", path.with_suffix(".png")], input=placed, check=True)
    print(path)


def _parse_sizes(text: str) -> list[tuple[int, int]]:
    return [(int(width), int(height)) for width, height in (each.split("x") for each in text.split(","))]


def main() -> None:
    """Draw what the command line asks for."""
    parser = ArgumentParser()
    parser.add_argument("out", nargs="?", type=Path, default=None)
    parser.add_argument("--only", type=lambda text: text.split(","), default=None)
    parser.add_argument("--size", dest="sizes", type=_parse_sizes, default=SIZES)
    parser.add_argument("--theme", default="dark")
    parser.add_argument("--language", default="en")
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--measure", action="store_true")
    asked = parser.parse_args()
    asked.out = Path("docs/pictures") if asked.docs else asked.out or Path("build/screenshots")
    asked.docs = asked.docs or asked.check
    asked.sizes = [(100, 30)] if asked.docs else EVERY_SIZE if asked.measure and asked.sizes == SIZES else asked.sizes
    wanted = CHECKED if asked.check else IN_DOCS if asked.docs else asked.only
    asked.out.mkdir(parents=True, exist_ok=True)
    set_language(asked.language)
    hold_still()
    asyncio.run(draw_all(asked, [scene for scene in SCENES if wanted is None or scene.name in wanted]))
    if asked.measure:
        return
    if wanted is None or _LINE_MODE in wanted:
        for size in asked.sizes:
            write_picture(asked, _LINE_MODE, size, line_mode(asked.language, size))
    if (asked.docs and not asked.check) or wanted is None or FILM in wanted:
        from film import draw_film  # beside this file: tests load it from elsewhere

        (asked.out / f"{FILM}.svg").write_text(draw_film("Dicht dran"), encoding="utf-8")
    if asked.check:
        sys.exit(check_documents(asked.out))


if __name__ == "__main__":
    main()
