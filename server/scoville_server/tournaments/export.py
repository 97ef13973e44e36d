"""The export of a tournament: everything that decides it, as lines of JSON."""

import msgspec

from scoville_server.tournaments.model.duplicate import commit_to_deal, is_revealed, rank_teams
from scoville_server.tournaments.model.standings import rank_entrants
from scoville_server.tournaments.model.tournament import NOBODY, Tournament


def export_lines(tournament: Tournament) -> list[str]:
    """Return everything that decides a tournament as lines of JSON: itself, its entrants, tables, and standings.

    Another program can compute the standings again from the lines before them. Entrants are named by their number.
    """
    duplicate = tournament.format == "duplicate"
    lines: list[dict[str, object]] = [
        {
            "tournament": tournament.id,
            "name": tournament.name,
            "format": tournament.format,
            "game": tournament.game,
            "options": tournament.options,
            "seat_count": tournament.seat_count,
            "level": tournament.bot_level,
            "round_count": tournament.round_count,
            "lasts_ms": tournament.lasts_ms,
            "stage": tournament.stage,
            "starts_ms": tournament.starts_ms,
            "ended_ms": tournament.ended_ms,
            **({"club": tournament.club} if tournament.club else {}),
            **({"table_count": tournament.table_count, "team_size": tournament.team_size} if duplicate else {}),
        }
    ]
    lines += [
        {
            "entrant": entrant.number,
            "name": entrant.name or None,
            "strength": entrant.strength,
            "byes": entrant.byes,
            "entry": entrant.stage,
            **({"team": entrant.team or None} if duplicate else {}),
        }
        for entrant in tournament.entrants
    ]
    lines += [
        {
            "table": pairing.table,
            "round": pairing.round,
            "seats": [None if number == NOBODY else number for number in pairing.seats],
            # The results of a deal stay secret until all tables have played it.
            "places": [*pairing.places] if pairing.points else [],
            "half_points": [*pairing.points],
            **({"scores": [*pairing.scores], "counted": [*pairing.counted]} if duplicate and pairing.points else {}),
        }
        for pairing in tournament.pairings
    ]
    lines += [
        {
            "deal": number,
            "name": deal.name,
            "rules_version": deal.rules_version,
            "commitment": commit_to_deal(tournament, deal),
            "server_seed": deal.seed.hex() if is_revealed(tournament, number) else None,
        }
        for number, deal in enumerate(tournament.deals, 1)
    ]
    standings = rank_entrants(tournament)
    lines += [
        {
            "place": standing.place,
            "standing_of": standing.entrant.number,
            "half_points": standing.points,
            "opposition": standing.opposition,
            "games": standing.game_count,
            "last_round": standing.last_round,
        }
        for standing in standings
    ]
    lines += [
        {
            "place": team.place,
            "team_of": [member.number for member in team.members],
            "half_points": team.points,
        }
        for team in rank_teams(tournament, {each.entrant.number: each.points for each in standings})
    ]
    return [msgspec.json.encode(line).decode() for line in lines]
