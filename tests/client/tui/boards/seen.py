"""Tables as a client sees them, of any game: with or without clocks, from a seat or as a spectator."""

from collections.abc import Sequence

from msgspec.structs import replace

from scoville_client.session.table.remaining_time import Face
from scoville_client.session.table.table import AtTable, Clocks
from scoville_shared.engine.dice import Dice
from scoville_shared.games import registry
from scoville_shared.ids import Seat
from scoville_shared.protocol.messages import SeatInfo, TableInfo, TableSnapshot

NAMES = ("Anna", "Paul", "Max")
SINCE = 100.0
GAMES = ("chilli_chase", "dicht_dran", "no_thanks")


def snapshot_of(slug: str, seat: int | None, point_of_view: int | None, names: Sequence[str] = NAMES) -> TableSnapshot:
    """Return what a server sends of a table right after the deal, to `seat` or a spectator, with a seat's View."""
    game = registry.load_game(slug)
    state = game.setup(game.codec.decode_options({}), len(names), Dice(bytes(32)))
    info = TableInfo(
        table="table", game=slug, rules_version=1, options={}, host=0, status="playing", commitment="00" * 32,
        seats=[SeatInfo(name=name, kind="human", connected=True) for name in names],
    )  # fmt: skip
    return TableSnapshot(
        info=info,
        seq=1,
        seat=seat,
        view=game.codec.encode_plain(game.view(state, None if point_of_view is None else Seat(point_of_view))),
        pending=sorted(game.pending(state)),
        move_counts=[0] * len(names),
        events=[],
    )


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
    snapshot = snapshot_of(slug, seat, seat if view is None else view, names)
    at = AtTable(registry.load_game(slug), replace(snapshot, info=replace(snapshot.info, paused=paused)))
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
