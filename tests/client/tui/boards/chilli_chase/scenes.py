"""Scenes of Chilli Chase: a prepared table, seen from Anna's seat."""

from typing import Any

from msgspec.structs import replace

from scoville_client.i18n.language import render
from scoville_client.tui.boards.chilli_chase import words
from scoville_client.tui.boards.chilli_chase.picker import Picker, pick_from
from scoville_client.tui.boards.chilli_chase.scene import Called, Scene
from scoville_shared.games.chilli_chase import GAME
from scoville_shared.games.chilli_chase.state import View
from tests.shared.games.chilli_chase.tables import A, B, lay_out

NAMES = ("Anna", "Ben", "Cleo", "Dora", "Emil", "Fritz")
SIX = ((1, 2, 3), (4, 5, 6), (1, 2, 3), (4, 5, 6), (1, 2, 3), (4, 5, 6))
SCORES = (8, 11, 4, 18, 7, 81)
WIDE, NARROW = (80, 23), (46, 18)


def seen(total: int, hand: tuple[int, ...] = SIX[0], **more: Any) -> View:
    """What Anna sees at a table of six with this running total."""
    table = {"scores": SCORES, "hot": (1,) * 4, "deck": (), **more}
    view = GAME.view(lay_out(total, hand, *SIX[1:], **table), A)
    assert isinstance(view, View)
    return view


def asked(view: View) -> View:
    """The same table after Anna has hit an opponent's score."""
    return replace(view, board=replace(view.board, choosing=True))


def scene(view: View, picker: Picker | None = None, *, wanted: int | None = None) -> Scene:
    """Return the scene of a View with a selection."""
    picker = picker or pick_from(view.board, view.hand)
    prompt = render(words.write_prompt(view, picker.chosen, wanted, short=False), NAMES)
    called = Called(B, "4 × 2 = 8")
    return Scene(
        view=view,
        names=NAMES,
        log=("Ben plays the 2: 4 × 2 = 8.",),
        called=called,
        picker=picker,
        wanted=wanted,
        prompt=prompt,
    )
