"""A round of a game as a moving picture: an SVG whose frames are shown one after the other, without a script."""

import asyncio
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from rich.segment import Segment

from scoville_client.cli.program_games import Demo, perform_demo
from scoville_client.replays.playback import Playback
from scoville_client.replays.reel import Reel
from scoville_client.replays.source import open_game
from scoville_client.session.start_options import Start
from scoville_client.settings.file import SettingsFile
from scoville_client.tui.app import ReplayPlatform, ScovilleApp
from scoville_client.tui.boards.storyboard import StoryBoard
from scoville_client.tui.screens.replay.replay import ReplayScreen
from scoville_shared.ids import Seat

SIZE: Final = (80, 24)
_MOVES: Final = 8
"""Two rounds of four players: what comes first, and what that has changed."""
_STEP_SECONDS, _LOOK_SECONDS = 0.9, 2.5
_NEVER: Final = 1e6
"""Seconds longer than the film, so that the board moves only on command."""
_CELL_WIDTH, _CELL_HEIGHT, _FONT = 8.4, 18, 14
_PAPER: Final = "#0f1115"
_FONTS: Final = "'Fira Code', 'DejaVu Sans Mono', Menlo, Consolas, monospace"

Run = tuple[str, str, str, bool]
"""Text, ink, paper, and whether it is bold."""
Row = tuple[Run, ...]


class Frame(NamedTuple):
    """A picture, and how many seconds it stays."""

    rows: tuple[Row, ...]
    seconds: float


async def film_round(seed: bytes) -> list[Frame]:
    """Play two rounds of Dicht dran on its board; the first player's cards are seen."""
    with TemporaryDirectory(prefix="scoville-") as folder:
        file = Path(folder) / "game.jsonl"
        await perform_demo(Demo(seed=seed, options={"cycles": 1}, export=file), lambda _: None)
        exported = open_game(str(file))
    playback = Playback(Reel(exported), Seat(0))
    app = ScovilleApp(Start(), ReplayPlatform(playback, _NEVER, SettingsFile(None)), pace=_NEVER)
    frames: list[Frame] = []
    async with app.run_test(size=SIZE) as pilot:

        async def shoot(seconds: float) -> None:
            for _ in range(20):
                await pilot.pause(0)
            rows = tuple(_row_of(strip) for strip in app.screen._compositor.render_strips())  # noqa: SLF001 - a picture
            if frames and frames[-1].rows == rows:
                frames[-1] = frames[-1]._replace(seconds=frames[-1].seconds + seconds)
            else:
                frames.append(Frame(rows, seconds))

        await shoot(_LOOK_SECONDS)
        screen = app.screen
        assert isinstance(screen, ReplayScreen), "a replay opens on its screen"
        while playback.position < _MOVES or screen.board.animating:
            screen.player.show_next()
            await pilot.pause(0)
            # Its end: how much of a motion is over when the picture is taken would differ from film to film.
            if isinstance(screen.board, StoryBoard) and screen.board.story.end_motion():
                screen.board.repaint()
            frame = screen.board.frame if isinstance(screen.board, StoryBoard) else None
            await shoot(_STEP_SECONDS * (0.5 if frame is None else float(frame.steps)))
        frames[-1] = frames[-1]._replace(seconds=frames[-1].seconds + _LOOK_SECONDS)
    return frames


def _row_of(segments: Iterable[Segment]) -> Row:
    runs: list[Run] = []
    for text, style, _ in segments:
        ink = style.color.get_truecolor().hex if style and style.color else "#d0d0d0"
        paper = style.bgcolor.get_truecolor().hex if style and style.bgcolor else _PAPER
        if style and style.reverse:
            ink, paper = paper, ink
        bold = bool(style and style.bold)
        if runs and runs[-1][1:] == (ink, paper, bold):
            runs[-1] = (runs[-1][0] + text, ink, paper, bold)
        else:
            runs.append((text, ink, paper, bold))
    return tuple(runs)


def write_film(frames: Sequence[Frame], title: str) -> str:
    """Write the frames beside each other; the picture moves over them. Equal rows are written once."""
    width, height = round(SIZE[0] * _CELL_WIDTH), SIZE[1] * _CELL_HEIGHT
    numbers: dict[Row, int] = {}
    for frame in frames:
        for row in frame.rows:
            numbers.setdefault(row, len(numbers))
    whole = sum(frame.seconds for frame in frames)
    at, stops = 0.0, []
    for number, frame in enumerate(frames):
        stops.append(f"{100 * at / whole:.2f}%{{transform:translateX(-{number * width}px)}}")
        at += frame.seconds
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}">',
            f"<title>{escape(title)}</title>",
            "<style>",
            f"text{{font:{_FONT}px {_FONTS};white-space:pre}} .b{{font-weight:bold}}",
            f"@keyframes film{{{''.join(stops)}}}",
            f".film{{animation:film {whole:.1f}s steps(1,end) infinite}}",
            "@media (prefers-reduced-motion:reduce){.film{animation:none}}",
            "</style>",
            "<defs>",
            *(f'<g id="r{number}">{_draw_row(row)}</g>' for row, number in numbers.items()),
            "</defs>",
            f'<rect width="{width}" height="{height}" fill="{_PAPER}"/>',
            '<g class="film">',
            *(_draw_frame(frame, number * width, numbers) for number, frame in enumerate(frames)),
            "</g>",
            "</svg>\n",
        ]
    )


def _draw_frame(frame: Frame, x: int, numbers: dict[Row, int]) -> str:
    rows = (f'<use href="#r{numbers[row]}" y="{y * _CELL_HEIGHT}"/>' for y, row in enumerate(frame.rows))
    return f'<g transform="translate({x} 0)">{"".join(rows)}</g>'


def _draw_row(row: Row) -> str:
    parts, column = [], 0
    for text, ink, paper, bold in row:
        x, wide = column * _CELL_WIDTH, len(text) * _CELL_WIDTH
        column += len(text)
        if paper != _PAPER:
            parts.append(f'<rect x="{x:.1f}" width="{wide + 0.3:.1f}" height="{_CELL_HEIGHT}" fill="{paper}"/>')
        if text.strip():
            skipped = len(text) - len(text.lstrip())
            shown, start = text.strip(), x + skipped * _CELL_WIDTH
            weight = ' class="b"' if bold else ""
            parts.append(
                f'<text x="{start:.1f}" y="{_CELL_HEIGHT - 5}" fill="{ink}"{weight} '
                f'textLength="{len(shown) * _CELL_WIDTH:.1f}">{escape(shown)}</text>'
            )
    return "".join(parts)


def draw_film(title: str) -> str:
    """Return the moving picture of the first rounds of the game of the documents."""
    return write_film(asyncio.run(film_round(bytes(32))), title)
