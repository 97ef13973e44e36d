"""Rules of No Thanks!: which of their pages fits a View."""

from scoville_shared.games.no_thanks.state import View


def find_page(view: View) -> str:
    """Return the page: the end of the game, taking without a chip, or the two answers."""
    if view.board.over:
        return "end"
    return "no-chips" if view.chips == 0 and view.seat == view.board.mover else "turn"
