"""Pledges: stored before they are sent, in a private file, the oldest dropped first."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from scoville_client.session.table.pledge import MOST, MemoryPledges, Pledge, file_pledges
from scoville_client.session.table.start_record import Spent, digest_of
from scoville_shared.engine.dice import DealTerms


def pledge(table: str, nonce: str | None = "11" * 32) -> Pledge:
    terms = DealTerms(table=table, game="heap", rules_version=1, options={}, seats=2, dealer=None)
    return Pledge(commitment="00" * 32, terms=terms, nonce=nonce)


def test_pledges_are_kept_in_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "nonces.json"
    pledges = file_pledges(path)
    pledges.keep_pledge(pledge("t1"))
    pledges.keep_pledge(pledge("t2", None))
    assert path.stat().st_mode & 0o777 == 0o600
    again = file_pledges(path)
    assert again.find_pledge("t1") == pledge("t1")
    assert again.find_pledge("t2") == pledge("t2", None)
    again.drop_pledge("t1")
    assert file_pledges(path).find_pledge("t1") is None


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b'{"t": {"nonce": 1}}', b"\xff\xfe"])
def test_a_damaged_file_counts_as_empty_and_is_replaced(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "nonces.json"
    path.write_bytes(content)
    pledges = file_pledges(path)
    assert pledges.find_pledge("t") is None
    pledges.keep_pledge(pledge("t"))
    assert file_pledges(path).find_pledge("t") == pledge("t")


def test_without_files_pledges_last_as_long_as_the_process(tmp_path: Path) -> None:
    pledges = file_pledges(tmp_path / "no" / "folder" / "nonces.json")
    pledges.keep_pledge(pledge("t"))
    assert pledges.find_pledge("t") == pledge("t")


def test_the_oldest_pledges_make_room() -> None:
    pledges = MemoryPledges()
    for number in range(MOST + 2):
        pledges.keep_pledge(pledge(f"t{number}"))
    assert pledges.find_pledge("t0") is pledges.find_pledge("t1") is None
    assert pledges.find_pledge(f"t{MOST + 1}") is not None


def test_spent_nonces_outlive_the_process(tmp_path: Path) -> None:
    path, hashes = tmp_path / "nonces.json", ("22" * 32, None)
    spent = pledge("t").with_spent(0, hashes)
    assert spent.with_spent(0, hashes) == spent, "the same nonce for the same start is spent once"
    file_pledges(path).keep_pledge(spent.with_last_spent(accepted=True))
    found = file_pledges(path).find_pledge("t")
    assert found is not None
    assert found.revealed_for == hashes
    assert found.spent == (Spent(seat=0, hashes=digest_of(hashes), accepted=True),)
    assert found.with_last_spent(left=True).spent[0].left
    assert pledge("t").with_last_spent(accepted=True) == pledge("t"), "nothing was revealed yet"


def test_the_first_and_the_newest_spent_nonces_are_kept() -> None:
    kept = pledge("t")
    for number in range(40):
        kept = replace(kept, revealed_for=()).with_spent(number, [f"{number:064}"])
    assert [spent.seat for spent in kept.spent] == [0, *range(25, 40)]


def test_the_largest_file_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "nonces.json"
    pledges = file_pledges(path)
    for table in range(MOST):
        kept = pledge(f"{table:064}")
        for number in range(20):
            kept = replace(kept, revealed_for=()).with_spent(15, [f"{number:064}"] * 16)
        pledges.keep_pledge(kept)
    assert len(file_pledges(path).find_pledge(f"{0:064}").spent) == 16  # type: ignore[union-attr]
