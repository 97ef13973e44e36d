"""Profiles and leaderboards as text."""

from collections.abc import Iterator

from scoville_client.i18n.dates import day
from scoville_client.i18n.language import number, render, tr
from scoville_shared.engine.phrases import Phrase
from scoville_shared.protocol.messages import LeaderboardEntry, PastGame, ProfileReply, Rating

_GAMES = Phrase("{n} game", many="{n} games")
MOST_RECENT = 5


def facts_of(profile: ProfileReply) -> Iterator[Phrase]:
    """Yield the facts of a profile: reliability, ratings, last games."""
    yield _who(profile)
    if not profile.begun:
        yield Phrase("No games without bots yet.")
    else:
        yield _record(profile)
    for rating in profile.ratings:
        yield _rating(rating)
    for game in profile.recent[:MOST_RECENT]:
        yield _past(game)


def leader_line(leader: LeaderboardEntry) -> Phrase:
    """Return a line of a leaderboard."""
    return Phrase(
        "{place}. {name}: {rating} ± {sigma}, {games}",
        {
            "place": leader.place,
            "name": leader.name,
            "rating": number(leader.rating),
            "sigma": number(leader.sigma),
            "games": _games(leader.game_count),
        },
    )


def _who(profile: ProfileReply) -> Phrase:
    if profile.claimed:
        return Phrase("{name} (claimed name):", {"name": profile.name})
    return Phrase("{name} (guest):", {"name": profile.name})


def _record(profile: ProfileReply) -> Phrase:
    facts = {"finished": profile.finished, "begun": profile.begun, "won": profile.won}
    if profile.median_pick_ms is None:
        return Phrase("finished {finished} of {begun}, won {won}.", facts)
    seconds = round(profile.median_pick_ms / 1000)
    return Phrase(
        "finished {finished} of {begun}, won {won}, median time per move {seconds} s.",
        {**facts, "seconds": seconds},
    )


def _rating(rating: Rating) -> Phrase:
    ranked = tr("rank {place}", place=rating.rank) if rating.rank is not None else tr("not ranked yet")
    return Phrase(
        "{game}: rating {mu} ± {sigma} after {games}; {ranked}.",
        {
            "game": rating.game,
            "mu": number(rating.mu),
            "sigma": number(rating.sigma),
            "games": _games(rating.game_count),
            "ranked": ranked,
        },
    )


def _past(game: PastGame) -> Phrase:
    results = [f"{game.places[seat]}. {game.names[seat]} {game.scores[seat]}" for seat in _ranked(game)]
    fields = {"day": day(game.ended_ms), "game": game.game, "results": results}
    return Phrase("{day}, {game}, rated: {results}" if game.rated else "{day}, {game}: {results}", fields)


def _ranked(game: PastGame) -> list[int]:
    return sorted(range(len(game.places)), key=lambda seat: (game.places[seat], seat))


def _games(n: int) -> str:
    return render(_GAMES.of({"n": n}, n))
