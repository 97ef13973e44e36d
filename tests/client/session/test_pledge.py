"""Pledges: stored before they are sent, in a private file, the oldest dropped first."""

from pathlib import Path

import pytest

from scoville_client.session.table.pledge import MOST, MemoryPledges, Pledge, file_pledges
from scoville_shared.engine.dice import DealTerms


def pledge(table: str, nonce: str | None = "11" * 32) -> Pledge:
    terms = DealTerms(table=table, game="heap", rules_version=1, options={}, seats=2, dealer=None)
    return Pledge(commitment="00" * 32, terms=terms, nonce=nonce)


def test_pledges_are_kept_in_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "nonces.json"
    pledges = file_pledges(path)
    pledges.keep(pledge("t1"))
    pledges.keep(pledge("t2", None))
    assert path.stat().st_mode & 0o777 == 0o600
    again = file_pledges(path)
    assert again.find("t1") == pledge("t1")
    assert again.find("t2") == pledge("t2", None)
    again.drop("t1")
    assert file_pledges(path).find("t1") is None


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"t": {"nonce": 1}}', b"\xff\xfe"])
def test_a_damaged_file_counts_as_empty_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "nonces.json"
    path.write_bytes(content)
    pledges = file_pledges(path)
    assert pledges.find("t") is None
    pledges.keep(pledge("t"))
    assert file_pledges(path).find("t") == pledge("t")


def test_where_no_file_can_be_written_pledges_last_as_long_as_the_process(tmp_path: Path) -> None:
    pledges = file_pledges(tmp_path / "no" / "folder" / "nonces.json")
    pledges.keep(pledge("t"))
    assert pledges.find("t") == pledge("t")


def test_the_oldest_pledges_make_room() -> None:
    pledges = MemoryPledges()
    for number in range(MOST + 2):
        pledges.keep(pledge(f"t{number}"))
    assert pledges.find("t0") is pledges.find("t1") is None
    assert pledges.find(f"t{MOST + 1}") is not None
