"""Books: stored alike by both journals, and valid only once they are on disk."""

from pathlib import Path

import pytest
from msgspec import Struct

from scoville_server.journal.base import Change, Conflict, Journal, JournalError
from scoville_server.journal.books import Book, PackedBook
from scoville_server.journal.memory import MemoryJournal
from scoville_server.journal.sqlite import SqliteJournal


class Recipe(Struct, frozen=True):
    chilis: int
    name: str = ""


class FullJournal(MemoryJournal):
    async def write(self, changes: object) -> None:
        raise JournalError("The disk is full.")


class DeafJournal(MemoryJournal):
    """A journal that notifies no followers."""

    def follow(self, book: str, heard: object) -> None:
        pass


@pytest.fixture(params=["memory", "sqlite"])
def journal(request: pytest.FixtureRequest, tmp_path: Path) -> Journal:
    return MemoryJournal() if request.param == "memory" else SqliteJournal(tmp_path, most=100)


async def again(journal: Journal) -> Journal:
    """Return the journal of the server's next run."""
    await journal.close()
    return SqliteJournal(journal._folder, most=100) if isinstance(journal, SqliteJournal) else journal


@pytest.fixture(params=[Book, PackedBook], autouse=True)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test runs with both kinds of books."""
    monkeypatch.setattr(f"{__name__}.Kind", request.param)


Kind: type[Book[Recipe]] = Book


async def recipes(journal: Journal) -> Book[Recipe]:
    book = Kind("recipes", Recipe, journal)
    await journal.open()
    return book


async def test_rows_return_in_key_order_next_run(journal: Journal) -> None:
    book = await recipes(journal)
    await book.put_row("salsa", Recipe(2))
    await book.put_row("curry", Recipe(3))
    await book.put_row("salsa", Recipe(5, "hot"))
    journal = await again(journal)
    later = await recipes(journal)
    assert [*later.items()] == [("salsa", Recipe(5, "hot")), ("curry", Recipe(3))]
    await again(journal)


async def test_dropped_row_is_gone(journal: Journal) -> None:
    book = await recipes(journal)
    await book.write_rows({"salsa": Recipe(2), "curry": Recipe(3)})
    await book.drop_row("salsa")
    assert "salsa" not in book
    journal = await again(journal)
    later = await recipes(journal)
    assert (later.get("salsa"), later.get("curry"), len(later)) == (None, Recipe(3), 1)
    await again(journal)


async def test_books_do_not_mix(journal: Journal) -> None:
    book = await recipes(journal)
    other = Book("menus", Recipe, journal)
    await book.put_row("salsa", Recipe(2))
    await other.put_row("salsa", Recipe(9))
    journal = await again(journal)
    assert (await recipes(journal)).get("salsa") == Recipe(2)
    await again(journal)


async def test_write_refused_by_the_disk_changes_nothing() -> None:
    book = Book("recipes", Recipe, FullJournal())
    with pytest.raises(JournalError):
        await book.put_row("salsa", Recipe(2))
    assert "salsa" not in book


async def test_a_book_follows_what_others_write(journal: Journal, caplog: pytest.LogCaptureFixture) -> None:
    book, other = await recipes(journal), Book("recipes", Recipe, journal)
    await other.write_rows({"salsa": Recipe(2), "curry": Recipe(3)})
    await other.drop_row("curry")
    assert [*book.items()] == [("salsa", Recipe(2))]
    await journal.write([Change("recipes", "curry", b"\xff")])
    assert "The row curry of the book recipes cannot be read by this version" in caplog.text
    assert [*book.items()] == [*other.items()] == [("salsa", Recipe(2))]
    await again(journal)


async def test_a_new_key_is_created_once(journal: Journal) -> None:
    book = await recipes(journal)
    await book.create_row("salsa", Recipe(2))
    with pytest.raises(Conflict):
        await book.write_rows({"salsa": Recipe(3), "curry": Recipe(4)}, new=["salsa"])
    assert [*book.items()] == [("salsa", Recipe(2))]
    await again(journal)


async def test_values_are_replaced_only_as_the_book_knows_them(journal: Journal) -> None:
    await journal.open()
    book = PackedBook("recipes", Recipe, journal)
    await book.replace_rows({"salsa": Recipe(1)})
    await book.replace_rows({"salsa": Recipe(2), "curry": Recipe(9)})
    journal = await again(journal)
    later = PackedBook("recipes", Recipe, journal)
    await journal.open()
    await later.replace_rows({"salsa": Recipe(4)})
    assert [*later.items()] == [("salsa", Recipe(4)), ("curry", Recipe(9))]
    await again(journal)


async def test_an_unnoticed_change_is_not_overwritten() -> None:
    journal = DeafJournal()
    book = PackedBook("recipes", Recipe, journal)
    await book.replace_rows({"salsa": Recipe(1)})
    with pytest.raises(Conflict):
        await book.replace_rows({"salsa": Recipe(2), "curry": Recipe(9)})
    assert await journal.get("recipes", "curry") is None


async def test_a_row_of_another_version_is_replaced_too(journal: Journal) -> None:
    await journal.open()
    await journal.write([Change("careers", "anna", b"\xff")])
    journal = await again(journal)
    book = PackedBook("careers", Recipe, journal)
    await journal.open()
    assert (book.get("anna"), len(book)) == (None, 0)
    await book.replace_rows({"anna": Recipe(1)})
    assert book.get("anna") == Recipe(1)
    await again(journal)
