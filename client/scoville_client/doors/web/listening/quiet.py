"""Silence for aiohttp's own log: anybody can make it write lines, and the door logs the important events."""

import logging
from typing import Final

SILENT: Final = logging.getLogger("scoville.door.http")
SILENT.addHandler(logging.NullHandler())
SILENT.propagate = False
