"""Neutralise markup: text that users have chosen, for programs that turn signs into mentions, links and formatting.

Every such program has its own rules (`@everyone` in Discord, `<!channel>` in Slack, `@room` and HTML in
Matrix, Markdown in most), and the escapes of one are rubbish in another. So nothing is escaped: signs of ASCII are
replaced by their fullwidth twins, which look the same and which no program reads as markup.
"""

_HARMLESS = frozenset(" ',-")
_FULLWIDTH = 0xFEE0
"""Distance from a sign of ASCII to its fullwidth twin in Unicode."""


def without_markup(text: str) -> str:
    """Return a text that is shown as it is everywhere: one line, no mentions, links or formatting."""
    line = " ".join(text.split())
    return "".join(_shown(char, line[index + 1 : index + 2]) for index, char in enumerate(line))


def _shown(char: str, following: str) -> str:
    if not char.isascii() or char.isalnum() or char in _HARMLESS:
        return char
    if char == ".":  # the end of a sentence or an abbreviation, but no part of a domain
        return ". " if following.isalnum() else char
    return chr(ord(char) + _FULLWIDTH)
