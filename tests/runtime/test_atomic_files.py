"""Files that are written at once: whole or not at all, with the permissions that were asked for."""

import errno
import os
import stat
from pathlib import Path

import pytest

from scoville_runtime.atomic_files import FOR_ALL, create_file, replace_file, replacement_of, sync_folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "pin"


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def refuse(*_: object) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("locked", [False, True])
def test_a_file_gets_its_new_content(file: Path, locked: bool) -> None:
    for content in (b"first", b"", b"second"):
        replace_file(file, content, locked=locked)
        assert file.read_bytes() == content
        assert names_in(file.parent) == ["pin"]


def test_a_reader_of_the_former_file_keeps_it(file: Path) -> None:
    replace_file(file, b"former")
    with file.open("rb") as reader:
        replace_file(file, b"new")
        assert reader.read() == b"former"


def test_the_content_is_synced_before_it_gets_its_name(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = list[tuple[bool, str]]()

    def note_sync(handle: int) -> None:
        is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        seen.append((is_folder, file.read_text() if file.exists() else "none"))

    monkeypatch.setattr(os, "fsync", note_sync)
    replace_file(file, b"new")
    assert seen == [(False, "none"), (True, "new")]


def test_bytes_that_one_call_leaves_are_written_by_the_next(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, content: write(handle, bytes(content)[:3]))
    replace_file(file, b"ten bytes.")
    assert file.read_bytes() == b"ten bytes."


@pytest.mark.parametrize("call", ["write", "fsync"])
@pytest.mark.parametrize("locked", [False, True])
def test_an_error_leaves_the_former_content_alone(
    file: Path, monkeypatch: pytest.MonkeyPatch, call: str, locked: bool
) -> None:
    replace_file(file, b"former")
    monkeypatch.setattr(os, call, refuse)
    with pytest.raises(OSError, match="No space left"):
        replace_file(file, b"new", locked=locked)
    assert file.read_bytes() == b"former"
    assert names_in(file.parent) == ["pin"]


def test_an_error_of_the_body_removes_the_new_file(file: Path) -> None:
    def fail_after_writing() -> None:
        with replacement_of(file) as part:
            assert part.path.exists()
            raise LookupError

    with pytest.raises(LookupError):
        fail_after_writing()
    assert names_in(file.parent) == []


@pytest.mark.parametrize(("mode", "seen"), [(0o600, 0o600), (FOR_ALL, 0o644)])
def test_a_new_file_has_the_permissions_asked_for(file: Path, mode: int, seen: int) -> None:
    file.touch(mode=0o666)
    umask = os.umask(0o022)
    try:
        replace_file(file, b"new", mode=mode)
    finally:
        os.umask(umask)
    assert mode_of(file) == seen


@pytest.mark.parametrize("locked", [False, True])
def test_part_of_a_killed_writer_is_never_reused(file: Path, locked: bool) -> None:
    left = file.with_name("pin.part" if locked else f"pin.{os.getpid()}.part")
    left.write_bytes(b"half of a long content")
    left.chmod(0o666)
    with left.open("rb") as reader:
        replace_file(file, b"new", locked=locked)
        assert reader.read() == b"half of a long content"
    assert (file.read_bytes(), mode_of(file)) == (b"new", 0o600)
    assert names_in(file.parent) == ["pin"]


def test_a_link_at_the_new_file_is_not_followed(file: Path) -> None:
    other = file.with_name("other")
    other.write_bytes(b"other")
    file.with_name("pin.part").symlink_to(other)
    replace_file(file, b"new", locked=True)
    assert (other.read_bytes(), file.is_symlink()) == (b"other", False)


def test_only_the_first_of_two_makes_a_file(file: Path) -> None:
    create_file(file, b"first")
    with pytest.raises(FileExistsError):
        create_file(file, b"second")
    assert (file.read_bytes(), mode_of(file)) == (b"first", 0o600)
    assert names_in(file.parent) == ["pin"]


def test_a_made_file_is_complete_from_its_first_moment(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write

    def write_before_it_exists(handle: int, content: bytes) -> int:
        assert not file.exists()
        return write(handle, content)

    monkeypatch.setattr(os, "write", write_before_it_exists)
    create_file(file, b"key")
    assert file.read_bytes() == b"key"


def test_a_system_that_syncs_no_folders_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse_folder(_: int) -> None:
        raise OSError(errno.EINVAL, "Invalid argument")

    monkeypatch.setattr(os, "fsync", refuse_folder)
    sync_folder(tmp_path)
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="No space left"):
        sync_folder(tmp_path)
