"""No test's verdict depends on which words a code happens to have."""

import ast
from collections.abc import Iterator
from pathlib import Path

from scoville_server.accounts.model.word_codes import FIRST, SECOND

TESTS = Path(__file__).parents[1]

NO_CODE_IN_IT = {
    "client/tui/boards/no_thanks/test_layout.py: 'hidden'": "a drawn board",
    "client/tui/boards/test_ahead.py: 'play'": "ids of keys",
    "client/tui/boards/test_watching.py: 'you'": "a drawn board, at a table of a fixed code",
    "server/lobby/test_announcer.py: 'otter'": "the code is the test's own",
}
"""Texts in which no random code can stand, by file and word."""


def absent_words_of_codes(source: str) -> Iterator[str]:
    """List the texts that a test wants to be absent although a random code may contain them."""
    for node in ast.walk(ast.parse(source if " not in " in source else "")):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn) and isinstance(node.left, ast.Constant):
            wanted = node.left.value
            text = wanted.decode("latin-1") if isinstance(wanted, bytes) else wanted
            if isinstance(text, str) and len(text) > 2 and any(text in word for word in (*FIRST, *SECOND)):
                yield ast.unparse(node.left)


def test_the_check_finds_what_once_failed() -> None:
    assert list(absent_words_of_codes('assert "wombat" not in shown')) == ["'wombat'"]
    assert not list(absent_words_of_codes('assert "sesame" not in shown'))


def test_no_test_expects_that_a_word_of_codes_is_absent() -> None:
    found = {
        f"{path.relative_to(TESTS)}: {each}"
        for path in sorted(TESTS.rglob("*.py"))
        if path != Path(__file__)
        for each in absent_words_of_codes(path.read_text(encoding="utf-8"))
    }
    assert found == set(NO_CODE_IN_IT), "a random code may contain it: look for a text that no code has"
