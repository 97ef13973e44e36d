"""The signs that say whose a Chilli Score is, apart without any colour: mine, another's, nobody's."""

from scoville_client.tui.boards.chilli_chase.scene import Scene
from scoville_shared.ids import Seat

MINE, OTHERS, NOBODYS = "◆", "●", " "


def mark(scene: Scene, seat: Seat | None) -> tuple[str, str]:
    """Give the sign of a seat's Chilli Score, and its style."""
    if seat is None:
        return NOBODYS, "text"
    return (MINE, "target") if seat == scene.place else (OTHERS, "rim")
