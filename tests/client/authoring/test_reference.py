"""The reference for authors of games is what the code says."""

from tests.client.authoring.reference_doc import PAGE, page


def test_the_reference_is_that_of_the_code() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.client.authoring.reference_doc"
