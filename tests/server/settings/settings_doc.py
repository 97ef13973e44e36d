"""The page of settings, docs/settings.md; `python -m tests.server.settings.settings_doc` writes it."""

from pathlib import Path

from scoville_server.settings.model import DEFAULT_PORT, Settings
from scoville_server.settings.pages import settings_table
from scoville_shared.games.registry import list_slugs

PAGE = Path(__file__).parents[3] / "docs" / "settings.md"

HEAD = """# Settings

Every setting of `scoville-server`, generated from the types that the server checks it with. `scoville-server settings`
prints them as a TOML file; a name with dots is in a table there: `accounts.hashing.workers` is `workers` under
`[accounts.hashing]`. Unknown settings and values outside of the bounds are refused, with the name of the file, the
setting and the bound. What bounds single users and addresses has no setting of its own: `limits.per_user` and
`limits.per_address` change all of it at once, and [limits.md](limits.md) lists it.
"""


def page() -> str:
    """The whole page."""
    defaults = Settings(port=DEFAULT_PORT, default_tables=tuple(list_slugs()))
    return HEAD + "\n" + "\n".join(settings_table(defaults)) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
