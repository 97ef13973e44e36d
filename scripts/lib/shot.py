"""Draws a screen after some keys; the same seed every time, so that two pictures can be compared."""

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path

from screenshots import with_placed_signs

from scoville_client.session.start_options import Start
from scoville_client.tui.app import ScovilleApp

SETTLED = 0.6


async def draw_screen(size: tuple[int, int], kind: str, keys: list[str]) -> str:
    """Open the client, press the keys, and return the screen as SVG. Stories stand still until a key goes on."""
    app = ScovilleApp(Start(kind=kind, seed=bytes(32), name="Anna", port=0), pace=3600)  # type: ignore[arg-type]
    async with app.run_test(size=size) as pilot:
        await pilot.pause(2 * SETTLED)
        for key in keys:
            await pilot.press(key)
            await pilot.pause(SETTLED)
        return app.export_screenshot()


def main(out: str, size: str = "80x24", kind: str = "practice", *keys: str) -> None:
    """Write OUT.png, or OUT.svg where nothing can convert it."""
    width, height = map(int, size.split("x"))
    svg = Path(out).with_suffix(".svg")
    svg.write_text(asyncio.run(draw_screen((width, height), kind, list(keys))), encoding="utf-8")
    if shutil.which("rsvg-convert"):
        placed = with_placed_signs(svg.read_text(encoding="utf-8")).encode("utf-8")
        subprocess.run(["rsvg-convert", "-o", svg.with_suffix(".png")], input=placed, check=True)
        svg.unlink()


if __name__ == "__main__":
    main(*sys.argv[1:])
