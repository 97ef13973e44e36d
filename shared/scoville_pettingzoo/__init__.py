"""PettingZoo environments of the games, for authors who train players. Needs the extra `pettingzoo`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scoville_pettingzoo.environment import TableEnvironment

__all__ = ["env"]


def env(game: str, seats: int = 4, render_mode: str | None = None, **options: Any) -> "TableEnvironment":
    """Return an environment of a game, as PettingZoo's AEC API has it.

    Args:
        game: The slug of the game.
        seats: How many agents play.
        render_mode: `ansi` to have the table described in sentences by `render`; None for nothing.
        options: The options of the game that differ from its defaults.

    Raises ModuleNotFoundError, which says what to install, without PettingZoo; ValueError for games that cannot be
    played.

    Example:
        `env("last_stick", seats=3, sticks=20)`
    """
    try:
        import pettingzoo  # noqa: F401 - whether it is installed
    except ModuleNotFoundError as error:
        sentence = "PettingZoo is not installed; install it with: pip install gymnasium pettingzoo"
        raise ModuleNotFoundError(sentence, name=error.name) from error
    from scoville_pettingzoo.environment import TableEnvironment

    return TableEnvironment(game, seats, render_mode, options)
