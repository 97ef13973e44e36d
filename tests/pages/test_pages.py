"""Generated pages are current."""

from types import ModuleType

import pytest

from tests.pages import GENERATORS


@pytest.mark.parametrize("generator", GENERATORS, ids=lambda module: module.__name__.rpartition(".")[2])
def test_generated_pages_are_current(generator: ModuleType) -> None:
    outdated = [path for path, text in generator.write_pages().items() if path.read_text("utf-8") != text]
    assert outdated == [], "run scripts/pages"
