"""Word breaks of Textual's own texts: never at a no-break space, as before a French colon, nor before a unit.

Rich splits words at every Unicode blank, and Textual uses its function. A hook: see `test_word_breaks.py`.
"""

import re

from rich import _wrap

from scoville_client.i18n.wrapping import UNIT

_WORD = re.compile(rf"[^\S\u00a0\u202f]*(?:[\S\u00a0\u202f]|{UNIT})+[^\S\u00a0\u202f]*")
"""A word with the blanks around it, at which a row may end."""


def keep_no_break_spaces() -> None:
    """Let no text of this process be broken at a no-break space, nor before a unit."""
    _wrap.re_word = _WORD
