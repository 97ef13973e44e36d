"""Finished games as files: `<data>/games/<table>.jsonl`, and `<table>-2.jsonl` for another game of the same seed."""

import asyncio
import logging
import os
from pathlib import Path

from scoville_server.journal.disk import sync_folder
from scoville_server.table.commands import Refused
from scoville_server.table.export import export
from scoville_server.table.model import Table

_log = logging.getLogger(__name__)


async def save(data: Path, table: Table) -> bool:
    """Write a finished game, and tell whether it is safe; a disk that refuses is reported and harms no table."""
    lines = export(table)
    assert not isinstance(lines, Refused), "only finished games are saved"
    path = data / "games" / f"{table.id}.jsonl"
    try:
        await asyncio.to_thread(_keep, path, "".join(f"{line}\n" for line in lines))
    except OSError as error:
        _log.error("The game of table %s could not be saved to %s: %s.", table.id, path, error.strerror)
        return False
    return True


def _keep(path: Path, text: str) -> None:
    """Write beside what is there, unless that is the same game."""
    place, number, data = path, 1, text.encode()
    while place.exists() and place.read_bytes() != data:
        number += 1
        place = path.with_stem(f"{path.stem}-{number}")
    if not place.exists():
        _write(place, text)


def _write(path: Path, text: str) -> None:
    """Write so that a reader finds the whole file or none."""
    path.parent.mkdir(exist_ok=True)  # in the data folder alone: one that has vanished must not come back half empty
    part = path.with_suffix(".part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)
    sync_folder(path.parent)  # the journal forgets the game next
