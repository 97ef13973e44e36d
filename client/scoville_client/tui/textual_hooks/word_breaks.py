"""Word breaks of Textual's own texts: never at a no-break space, as before a French colon.

Rich splits words at every Unicode blank, and Textual uses its function. A hook: see `test_word_breaks.py`.
"""

import re

from rich import _wrap

_WORD = re.compile(r"[^\S\u00a0\u202f]*[\S\u00a0\u202f]+[^\S\u00a0\u202f]*")
"""A word with the blanks around it, at which a row may end."""


def keep_no_break_spaces() -> None:
    """Let no text of this process be broken at a no-break space."""
    _wrap.re_word = _WORD
