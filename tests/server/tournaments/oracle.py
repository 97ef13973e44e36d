"""Compares the pairing of Swiss rounds with py4swiss, which follows the Dutch rules of the FIDE for two players.

    python -m tests.server.tournaments.oracle [--tournaments 40] [--record]

The library is no requirement of the tests, since with its own it is 13 MB: install py4swiss 0.3.1 to run this. What it
answered is recorded in `oracle.json`, with which `test_oracle` compares the pairing of today. It knows colours, which
are seats here, so it may accept costlier pairs than ours; ours must never cost more than its own.
"""

import argparse
import json
import random
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scoville_server.tournaments.model.pairing import pair_entrants
from scoville_server.tournaments.model.standings import rank_entrants
from scoville_server.tournaments.model.tournament import Tournament, add_round, count_seats, note_result, score_table
from scoville_shared.ids import TableId
from tests.server.tournaments.test_model import new_tournament

RECORDED = Path(__file__).with_name("oracle.json")
ROUNDS = 5

Pair = tuple[int, int]


def pair_again(tournament: Tournament) -> list[Pair]:
    """Return our pairs for the next round of all entrants."""
    users = [entrant.user for entrant in tournament.entrants]
    return [(one, other) for one, other in pair_entrants(tournament, tournament.list_free(users))]


def play_round(tournament: Tournament, pairs: Iterable[Pair], results: Iterable[int]) -> Tournament:
    """Play a round of given pairs; a result is 1 where the first of a pair wins, -1 where the second does, else 0."""
    drawn = [(TableId(f"{tournament.round}.{n}"), b"", pair) for n, pair in enumerate(pairs)]
    tournament = add_round(tournament, drawn, (), 0)
    for pairing, result in zip(tournament.running, results, strict=True):
        places = {1: (1, 2), -1: (2, 1), 0: (1, 1)}[result]
        tournament = note_result(tournament, pairing.table, places, score_table(places, (0, 1)), 0)
    return tournament


def rate_pairs(tournament: Tournament, pairs: Iterable[Pair]) -> tuple[int, int, int]:
    """Return how many pairs have met before, how many need one seat alike, and the squares of the gaps of half points.

    Two need a seat alike who both have sat in the other one two times more: for one of them it will be three times.
    """
    points = {standing.entrant.number: standing.points for standing in rank_entrants(tournament)}
    met = [{*pairing.players} for pairing in tournament.pairings]
    listed = [*pairs]
    sat = count_seats(tournament)
    leanings = {number: of_seats[0] - of_seats[1] for number, of_seats in sat.items()}
    alike = sum(abs(leanings[one] + leanings[other]) >= 4 for one, other in listed)
    squares = sum((points[one] - points[other]) ** 2 for one, other in listed)
    return sum({*pair} in met for pair in listed), alike, squares


def ask_library(tournament: Tournament) -> list[Pair]:
    """Return the pairs of the library for the next round."""
    # Late, since it is no requirement.
    from py4swiss.engines import DutchEngine  # type: ignore[import-not-found]
    from py4swiss.trf import TrfParser  # type: ignore[import-not-found]

    points = {standing.entrant.number: standing.points for standing in rank_entrants(tournament)}
    lines = [f"XXR {ROUNDS}", "XXC white1"]
    for entrant in tournament.entrants:
        results = ""
        for pairing in tournament.pairings:
            if entrant.number in pairing.seats:
                seat = pairing.seats.index(entrant.number)
                token = {2: "1", 1: "=", 0: "0"}[pairing.points[seat]]
                results += f"  {pairing.seats[1 - seat]:4d} {'wb'[seat]} {token}"
        number, rating = entrant.number, 3000 - 10 * entrant.number
        total = points[number] / 2
        lines.append(f"001 {number:4d}      {entrant.name:<33} {rating:4d}{' ' * 28}{total:4.1f} {number:4d}{results}")
    with TemporaryDirectory() as folder:
        path = Path(folder, "tournament.trf")
        path.write_text("".join(f"{line}\n" for line in lines))
        parsed = TrfParser.parse(path)
    # White sits in the first seat.
    return [(pair.white, pair.black) for pair in DutchEngine.generate_pairings(parsed)]


def record_tournaments(count: int) -> list[dict[str, Any]]:
    """Play tournaments by the pairs of the library; returns them with the results."""
    recorded = []
    for seed in range(count):
        chance = random.Random(seed)
        entrants = 2 * chance.randrange(4, 13)
        tournament, rounds = new_tournament("swiss", 2, entrants, ROUNDS), []
        for _ in range(ROUNDS):
            pairs = ask_library(tournament)
            # The stronger one wins more often, as in a real field.
            results = [chance.choices((1, 0, -1), (5, 2, 3))[0] for _ in pairs]
            rounds.append({"pairs": pairs, "results": results})
            tournament = play_round(tournament, pairs, results)
        recorded.append({"entrants": entrants, "rounds": rounds})
    return recorded


def compare_all(recorded: Iterable[dict[str, Any]]) -> list[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    """Return for each round after the first how our pairs and those of the library rate."""
    rated = []
    for each in recorded:
        tournament = new_tournament("swiss", 2, each["entrants"], ROUNDS)
        for number, played in enumerate(each["rounds"]):
            pairs = [(one, other) for one, other in played["pairs"]]
            if number:
                rated.append((rate_pairs(tournament, pair_again(tournament)), rate_pairs(tournament, pairs)))
            tournament = play_round(tournament, pairs, played["results"])
    return rated


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the pairing of Swiss rounds with py4swiss.")
    parser.add_argument("--tournaments", type=int, default=40)
    parser.add_argument("--record", action="store_true", help="write oracle.json again")
    arguments = parser.parse_args()
    recorded = record_tournaments(arguments.tournaments)
    rated = compare_all(recorded)
    better, worse = sum(ours < theirs for ours, theirs in rated), sum(ours > theirs for ours, theirs in rated)
    print(
        f"{len(rated)} rounds: ours costs less in {better}, as much in {len(rated) - better - worse}, more in {worse}"
    )
    print(
        f"pairs that had met: ours {sum(ours[0] for ours, _ in rated)}, theirs {sum(theirs[0] for _, theirs in rated)}"
    )
    if arguments.record:
        lines = ",\n".join(json.dumps(each, separators=(",", ":")) for each in recorded)
        RECORDED.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
