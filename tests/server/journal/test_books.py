"""Books: stored alike by both journals, and valid only once they are on disk."""

from pathlib import Path

import pytest
from msgspec import Struct

from scoville_server.journal.base import Journal, JournalError
from scoville_server.journal.books import Book, PackedBook
from scoville_server.journal.memory import MemoryJournal
from scoville_server.journal.sqlite import SqliteJournal


class Recipe(Struct, frozen=True):
    chilis: int
    name: str = ""


class FullJournal(MemoryJournal):
    async def note(self, entries: object) -> None:
        raise JournalError("The disk is full.")


@pytest.fixture(params=["memory", "sqlite"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Journal:
    return MemoryJournal() if request.param == "memory" else SqliteJournal(tmp_path, most=100)


async def again(journal: Journal) -> Journal:
    """Return the book of the server's next run."""
    await journal.close()
    return journal


@pytest.fixture(params=[Book, PackedBook], autouse=True)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test runs with both kinds of books."""
    monkeypatch.setattr(f"{__name__}.Kind", request.param)


Kind: type[Book[Recipe]] = Book


async def recipes(journal: Journal) -> Book[Recipe]:
    book = Kind("recipes", Recipe, journal)
    book.restore((await journal.open()).books)
    return book


async def test_what_was_put_is_there_in_the_next_run_in_the_order_of_its_keys(journal: Journal) -> None:
    book = await recipes(journal)
    await book.put("salsa", Recipe(2))
    await book.put("curry", Recipe(3))
    await book.put("salsa", Recipe(5, "hot"))
    later = await recipes(await again(journal))
    assert [*later.items()] == [("salsa", Recipe(5, "hot")), ("curry", Recipe(3))]
    await again(journal)


async def test_what_was_dropped_is_gone(journal: Journal) -> None:
    book = await recipes(journal)
    await book.write({"salsa": Recipe(2), "curry": Recipe(3)})
    await book.drop("salsa")
    assert "salsa" not in book
    later = await recipes(await again(journal))
    assert (later.get("salsa"), later.get("curry"), len(later)) == (None, Recipe(3), 1)
    await again(journal)


async def test_books_do_not_mix(journal: Journal) -> None:
    book = await recipes(journal)
    other = Book("menus", Recipe, journal)
    await book.put("salsa", Recipe(2))
    await other.put("salsa", Recipe(9))
    assert (await recipes(await again(journal))).get("salsa") == Recipe(2)
    await again(journal)


async def test_what_the_disk_refuses_is_not_believed() -> None:
    book = Book("recipes", Recipe, FullJournal())
    with pytest.raises(JournalError):
        await book.put("salsa", Recipe(2))
    assert "salsa" not in book
