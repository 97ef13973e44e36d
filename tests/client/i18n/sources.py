"""Texts of this distribution that are translated."""

from functools import cache

from scoville_client.authoring.recorded import Text as Text
from scoville_client.authoring.recorded import list_texts
from tests.support.tree import ROOT

FOLDERS = (
    "client/scoville_client",
    "shared/scoville_outside",
    "shared/scoville_shared/bots",
    "shared/scoville_shared/coach",
    "shared/scoville_shared/games",
)


@cache
def texts() -> tuple[Text, ...]:
    """List all texts, file by file."""
    files = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return tuple(text for path in files for text in list_texts(path, str(path.relative_to(ROOT))))
