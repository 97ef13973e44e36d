"""Tables as a client sees them, of any game: with or without clocks, from a seat or as a spectator."""

from collections.abc import Sequence

from scoville_client.session.table.remaining_time import Face
from scoville_client.session.table.table import AtTable, Clocks
from scoville_shared.engine.dice import Dice
from scoville_shared.games import registry
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import SeatInfo, TableInfo, TableSnapshot

NAMES = ("Anna", "Paul", "Max")
SINCE = 100.0
GAMES = ("chilli_chase", "dicht_dran", "no_thanks")


def dealt(
    slug: str,
    seat: int | None = 0,
    *,
    left_ms: Sequence[int] = (),
    paused: bool = False,
    view: int | None = None,
    names: Sequence[str] = NAMES,
) -> AtTable:
    """A table of three, or of others, right after the deal, seen from `seat`, or by a spectator as seat `view`.

    `left_ms` is everybody's time as it was known at SINCE.
    """
    game = registry.load_game(slug)
    state = game.setup(game.codec.decode_options({}), len(names), Dice(bytes(32)))
    point_of_view = seat if view is None else view
    info = TableInfo(
        table="table", game=slug, rules_version=1, options={}, host=0, status="playing", commitment="00" * 32,
        paused=paused,
        seats=[SeatInfo(name=name, kind="human", connected=True) for name in names],
    )  # fmt: skip
    seen = game.codec.encode_plain(game.view(state, None if point_of_view is None else Seat(point_of_view)))
    snapshot = TableSnapshot(
        info=info,
        seq=1,
        seat=seat,
        view=seen,
        pending=sorted(game.pending(state)),
        move_counts=[0] * len(names),
        events=[],
    )
    at = AtTable(game, snapshot)
    at.clocks = Clocks(tuple(left_ms), SINCE)
    at.point_of_view = None if view is None else Seat(view)
    return at


def times(*written: str) -> tuple[Face, ...]:
    """Clock faces: `!0:07` is nearly over, `+0:23` runs, `1:25` stands still; a bot has none."""
    styles = {"!": "bad", "+": "strong"}
    return tuple(Face(each.lstrip("!+"), styles.get(each[:1], "muted"), each.startswith("!")) for each in written)


def stopped(running: tuple[Face, ...]) -> tuple[Face, ...]:
    """The same faces in a pause."""
    return tuple(face._replace(style="muted") for face in running)


def mover(at: AtTable) -> Seat:
    """The first pending seat."""
    return min(at.pending)
