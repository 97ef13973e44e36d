"""One user of the soak test: connection, identity and seat."""

from random import Random
from typing import Any

from tests.e2e.soak.ledger import Ledger
from tests.e2e.soak.lines import Line
from tests.support.rpc import Refusal

PASSWORD = "correct horse battery"


class SharedNotes:
    """Information that users exchange outside of the server: table codes and names."""

    def __init__(self, port: int, seed: int, ledger: Ledger) -> None:
        self.port = port
        self.seed = seed
        self.ledger = ledger
        self.access: list[dict[str, str]] = []
        self.names: dict[int, str] = {}


class SoakUser:
    """A user of the soak. `table` is their current table, `seat` their seat there, None for a spectator."""

    def __init__(self, number: int, notes: SharedNotes) -> None:
        self.number = number
        self.notes = notes
        self.luck = Random(f"{notes.seed}/{number}")
        self.token = ""
        self.claimed = False
        self.table = ""
        self.seat: int | None = None
        self.since = 0
        self.line: Line

    @property
    def name(self) -> str:
        """The user's name."""
        return self.notes.names.get(self.number, "")

    async def come(self) -> None:
        """Connect, or reconnect as the same user."""
        self.line = Line(self.notes.port, self.number, self.notes.ledger)
        await self.line.__aenter__()
        wanted = self.name or f"Soaker {self.number}"
        welcome = await self.line.ask("hello", protocol=1, client="soak", name=wanted, token=self.token)
        if self.token and not welcome["resumed"]:
            self.notes.ledger.faults.append(f"{wanted} came back and was not known any more")
            self.away()
        self.be(welcome)

    def be(self, somebody: dict[str, Any]) -> None:
        """Note the present identity."""
        self.token = somebody["token"]
        self.notes.names[self.number] = somebody["name"]

    async def ask(self, method: str, **params: Any) -> Any:
        """Send a request. Raises Refusal, LineBroken, TimeoutError."""
        return await self.line.ask(method, **params)

    async def try_to(self, method: str, **params: Any) -> Any:
        """Send a request; returns None for a refusal."""
        try:
            return await self.ask(method, **params)
        except Refusal as no:
            if no.code in ("unknown_table", "not_seated", "kicked") and params.get("table") == self.table:
                self.away()
            return None

    # --- at a table ---------------------------------------------------------------------------------------

    async def sit(self, table: str, **more: Any) -> None:
        """Join a table."""
        seated = await self.try_to("table.join", table=table, **more)
        if seated is not None:
            self.sits(seated)

    def sits(self, seated: dict[str, Any]) -> None:
        """Note the seat."""
        self.table, self.seat, self.since = seated["info"]["table"], seated["seat"], 0

    def away(self) -> None:
        """Note that the user has left the table."""
        self.table, self.seat = "", None

    async def look(self, wait_ms: int = 0) -> dict[str, Any] | None:
        """Read the table's state."""
        shot: dict[str, Any] | None
        shot = await self.try_to("table.poll", table=self.table, since=self.since, wait_ms=wait_ms)
        if shot is not None:
            self.since, self.seat = shot["seq"], shot["seat"]
        return shot

    async def move(self, shot: dict[str, Any]) -> None:
        """Play any move, if one is due."""
        if self.seat is None or self.seat not in shot["pending"]:
            return
        legal = await self.try_to("table.moves", table=self.table)
        if legal is not None and legal["moves"]:
            nth = shot["move_counts"][self.seat]
            await self.try_to("table.play", table=self.table, move=self.luck.choice(legal["moves"]), nth=nth)
