"""The command `games`: the installed games with their packages, and what is left out."""

from scoville_client.i18n.language import tr
from scoville_client.output import write_line
from scoville_outside import guard
from scoville_shared.games import registry


def list_games() -> int:
    """Print a line for each game, then one for each package that is left out; the status is 1 if there is any."""
    games = guard.list_usable()
    width = max(map(len, games), default=0)
    for slug in games:
        info, package = guard.load_game(slug).info, registry.package_of(slug)
        players = tr("{fewest} to {most} players", fewest=info.seats[0], most=info.seats[1])
        rules = tr("rules {version}", version=info.rules_version)
        write_line(f"{slug:<{width}}  {info.title}: {players}, {rules}, {package}")
    faults = guard.list_faults()
    for fault in faults:
        write_line(fault)
    return 1 if faults else 0
