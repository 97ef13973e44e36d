"""Tools for authors of games: a package to begin with, and the checks of a package that is installed."""
