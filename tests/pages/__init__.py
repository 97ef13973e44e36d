"""Pages and files that are generated from the code, each by a module beside the tests of what it shows.

`scripts/pages` writes them all; a test, like `scripts/pages --check`, names those that are not current.
"""

from pathlib import Path
from types import ModuleType
from typing import Final

from tests.client.authoring import reference_doc
from tests.packaging import man
from tests.server import events_page
from tests.server.doctor import faq_doc
from tests.server.settings import settings_doc
from tests.server.tables import actions_page
from tests.server.tables.model import records_page
from tests.shared.bots import thresholds_page
from tests.shared.protocol import examples, page, schema, shape

GENERATORS: Final[tuple[ModuleType, ...]] = (
    shape,
    schema,
    page,
    actions_page,
    records_page,
    examples,
    events_page,
    settings_doc,
    faq_doc,
    reference_doc,
    thresholds_page,
    man,
)
"""Each has a function `write_pages`. None reads what another one writes, so the order does not matter."""


def list_outdated() -> dict[Path, str]:
    """Return the text of each page whose file has another one, or does not exist."""
    written = {path: text for generator in GENERATORS for path, text in generator.write_pages().items()}
    return {path: text for path, text in written.items() if not path.exists() or path.read_text("utf-8") != text}
