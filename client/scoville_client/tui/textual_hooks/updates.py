"""Updates of Textual's compositor: what has changed on a screen, as rows of strips."""

from collections.abc import Callable, Iterable, Iterator

from rich.console import Console
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.strip import Strip

__all__ = ["CompositorUpdate", "RewrittenUpdate", "strips_of"]


class RewrittenUpdate(CompositorUpdate):
    """An update that is written by `write`; Textual would send each changed widget whole."""

    def __init__(self, update: CompositorUpdate, write: Callable[[CompositorUpdate], str]) -> None:
        self._update = update
        self._write = write

    def render_segments(self, console: Console) -> str:  # noqa: ARG002 - Textual's colours do not count
        return self._write(self._update)


def strips_of(update: CompositorUpdate) -> Iterator[tuple[int, int, Iterable[Strip]]]:
    """Yield the changed parts of rows: row, first column, strips. Raises TypeError for updates of another kind."""
    if isinstance(update, LayoutUpdate):
        for y, line in enumerate(update.strips, update.region.y):
            yield y, update.region.x, line
    elif isinstance(update, ChopsUpdate):
        for y, x1, x2 in update.spans:
            for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=True):
                if strip is not None and x < x2 and end > x1:
                    yield y, x, (strip.crop(0, min(end, x2) - x),)
    else:
        raise TypeError(f"an update of the kind {type(update).__name__}")
