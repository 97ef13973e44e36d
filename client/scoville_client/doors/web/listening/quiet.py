"""Silence: aiohttp's own log. Anybody can make it write lines, and the door says itself what matters."""

import logging
from typing import Final

SILENT: Final = logging.getLogger("scoville.door.http")
SILENT.addHandler(logging.NullHandler())
SILENT.propagate = False
