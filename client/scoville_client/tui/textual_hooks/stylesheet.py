"""Stylesheet that parses each source once for the same variables, whatever asks for it again.

Textual parses all sources twice when an app starts, and once more for each first screen with styles of its own.
"""

from functools import lru_cache

from textual.cache import LRUCache
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

Cache = LRUCache[tuple[object, ...], list[RuleSet]]
_SOURCES = 256
"""More than there are widgets and screens."""
_THEMES = 16
"""Of every number of colours; a door has terminals of all kinds."""


class ParsedOnce(Stylesheet):
    """Shares parsed styles with all stylesheets of the same variables. `test_stylesheet.py` checks these hooks."""

    def __init__(self, *, variables: dict[str, str]) -> None:
        super().__init__(variables=variables)
        self._parse_cache = _cache_for(frozenset(variables.items()))

    def set_variables(self, variables: dict[str, str]) -> None:
        """Change the variables. Textual empties the cache of the old ones here, which others may still use."""
        self._parse_cache = LRUCache(_SOURCES)
        super().set_variables(variables)
        self._parse_cache = _cache_for(frozenset(variables.items()))

    def reparse(self) -> None:
        """Apply the current variables. Textual makes a fresh stylesheet here, which knows nothing of what is parsed."""
        self.parse()


@lru_cache(maxsize=_THEMES)
def _cache_for(variables: frozenset[tuple[str, str]]) -> Cache:  # noqa: ARG001 - one for each
    return LRUCache(_SOURCES)
