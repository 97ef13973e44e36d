"""The log of a process: its file, slow readers and the journal."""

import logging
import os
from pathlib import Path

import pytest

from scoville_runtime.log_setup import LogWriter, is_journal


def write(writer: LogWriter, text: str) -> None:
    writer.handle(logging.makeLogRecord({"msg": text}))
    writer.flush()


def test_a_log_file_is_opened_again_after_its_move(tmp_path: Path) -> None:
    writer = LogWriter(tmp_path / "server.log")
    write(writer, "before")
    (tmp_path / "server.log").rename(tmp_path / "server.log.1")
    write(writer, "between")
    writer.reopen_file()
    write(writer, "after")
    writer.close()
    assert (tmp_path / "server.log.1").read_text() == "before\nbetween\n"
    assert (tmp_path / "server.log").read_text() == "after\n"


def test_a_file_that_cannot_be_opened_again_leaves_the_former(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    writer = LogWriter(folder / "server.log")
    folder.rename(tmp_path / "moved")
    with pytest.raises(OSError, match="No such file"):
        writer.reopen_file()
    write(writer, "still here")
    writer.close()
    assert (tmp_path / "moved" / "server.log").read_text() == "still here\n"


def test_a_full_disk_harms_nobody() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no full device")
    writer = LogWriter(Path("/dev/full"))
    for _ in range(100):
        write(writer, "lost")
    writer.close()


def test_the_journal_is_known_by_device_and_inode(tmp_path: Path) -> None:
    with (tmp_path / "stream").open("w") as file:
        status = os.fstat(file.fileno())
        named = {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}
        assert is_journal(file.fileno(), named)
        assert not is_journal(file.fileno(), {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino + 1}"})
        assert not is_journal(file.fileno(), {})
