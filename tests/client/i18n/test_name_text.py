"""Every reason for which a server refuses a name has its sentence."""

from typing import get_args

import pytest

from scoville_client.i18n.name_text import name_refused, with_mark
from scoville_shared.protocol.messages import NameRefusal


@pytest.mark.parametrize("why", get_args(NameRefusal))
def test_a_refused_name_is_explained_with_the_name_given_instead(why: NameRefusal) -> None:
    sentence = name_refused(why, "Admin", "Paprika").render(())
    assert "Admin" in sentence
    assert sentence.endswith("You are Paprika.")


def test_a_claimed_name_has_a_mark() -> None:
    assert (with_mark("Anna", claimed=True), with_mark("Ben", claimed=False)) == ("Anna ✓", "Ben")
