"""The page of settings, docs/settings.md; `scripts/pages` writes it."""

from pathlib import Path

from scoville_server.settings.live import NEEDS_RESTART
from scoville_server.settings.model import Settings
from scoville_server.settings.pages import settings_table
from scoville_shared import DEFAULT_PORT
from scoville_shared.games.registry import list_slugs

PAGE = Path(__file__).parents[3] / "docs" / "settings.md"

DEFAULTS = Settings(
    port=DEFAULT_PORT, data=Path("~/.local/share/scoville-server"), default_tables=tuple(sorted(list_slugs()))
)
"""The defaults as the page shows them: on Linux, whoever runs the server."""

HEAD = """# Settings

Every setting of `scoville-server`, generated from the types that the server checks it with. A name with dots is in a
table of the file: `accounts.hashing.workers` is `workers` under `[accounts.hashing]`, and the environment variable
`SCOVILLE_ACCOUNTS__HASHING__WORKERS`. `scoville-server init --full FILE` writes them as a file with comments, and
`scoville-server settings --environment` lists the variables. Unknown settings and values outside of the bounds are
refused, with file, line, setting and bound; a setting of an earlier version refuses no start: the log and
`scoville-server check-config` say that it has no effect any more, and what to do instead. What bounds single users and
addresses has no setting of its own: `limits.per_user` and `limits.per_address` change all of it at once, and
[limits.md](limits.md) lists it.

A running server reads its settings again at SIGHUP;
[Settings](host/configuration.md#change-settings-of-a-running-server) says
more. These need a restart:

"""


def write_pages() -> dict[Path, str]:
    """Write the whole page."""
    reasons = "".join(f"- `{setting}`: {reason}\n" for setting, reason in NEEDS_RESTART.items())
    return {PAGE: HEAD + reasons + "\n" + "\n".join(settings_table(DEFAULTS)) + "\n"}
