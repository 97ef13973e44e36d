"""Process of a door: what Textual and Python share between all sessions of one process."""

import asyncio
import contextlib
import logging
import os
import sys
from collections.abc import Callable, Coroutine, MutableMapping
from importlib.util import find_spec
from typing import Any, Final

from scoville_client.output import complain

FAILED: Final = 1
"""Exit status of a door that cannot open."""

_READ_BY_TEXTUAL: Final = ("NO_COLOR", "COLORTERM", "ESCDELAY", "TERM", "COLUMNS", "LINES", "FORCE_COLOR")


# Decision 046: many apps in one process, 3 MB each instead of 26, and never in the server's: a layout takes too long.
def run_door(module: str, missing: str, serve: Callable[[], Coroutine[Any, Any, int]]) -> int:
    """Run a door until a signal ends it, with its log on standard error.

    Args:
        module: The module of an extra that the door needs.
        missing: Says what to install if there is none.
        serve: Opens the door and serves; returns the exit status.

    Returns:
        The exit status.
    """
    if find_spec(module) is None:
        complain(missing)
        return FAILED
    forget_environment()
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s door %(process)d %(message)s")
    try:
        return asyncio.run(serve())
    except KeyboardInterrupt:
        return 0


def forget_environment(environment: MutableMapping[str, str] = os.environ) -> None:
    """Remove what Textual and rich would read about the terminal of the server; before they are imported."""
    for name in [*environment]:
        if name in _READ_BY_TEXTUAL or name.startswith("TEXTUAL"):
            del environment[name]


def share_process() -> None:
    """Keep Textual from replacing stdout and stderr: the App that ends last would leave those of a dead one."""
    import textual.app

    for name in ("redirect_stdout", "redirect_stderr"):
        assert hasattr(textual.app, name), f"Textual has no {name} any more"
        setattr(textual.app, name, contextlib.nullcontext)


def restore_task_factory() -> None:
    """Give the loop its plain task factory back, which Textual replaces on Python 3.12 and later."""
    asyncio.get_running_loop().set_task_factory(None)
