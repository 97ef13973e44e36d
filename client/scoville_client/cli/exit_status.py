"""Exit statuses of the commands."""

from typing import Final

from scoville_client.i18n.language import tr

SUCCESS: Final = 0
FAILED: Final = 1
MISUSED: Final = 2
"""The command line is wrong; argparse ends with this status too."""
UNCHECKED: Final = 3
"""A game cannot be checked or shown here, since the game or this version of its rules is not installed."""
INTERRUPTED: Final = 130
"""The status that shells report after Ctrl+C."""


def statuses_of_checks() -> str:
    """Return the help on the exit status of a command that checks an exported game."""
    return tr(
        "The exit status is 0 if the game is complete and correct, 1 if not, and 3 if it cannot be checked here "
        "because the game or this version of its rules is not installed."
    )


def statuses_of_reading() -> str:
    """Describe the exit status of a command that reads an exported game, for its help."""
    return tr(
        "The exit status is 1 if the file cannot be used, and 3 if the game or this version of its rules is not "
        "installed."
    )
