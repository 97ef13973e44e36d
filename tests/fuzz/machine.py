"""Users who act in any order, sensibly or not, as a state machine of hypothesis."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from scoville_shared.games.registry import list_slugs
from scoville_shared.protocol.messages import METHODS
from tests.fuzz.client import FuzzClient
from tests.fuzz.random_requests import PASSWORDS, SCALARS, Pools, options, params_of
from tests.fuzz.world import ADMIN, Way, World

WAYS: st.SearchStrategy[Way] = st.sampled_from(("memory", "tcp"))
NAMES = ("Anna", "Paul", ADMIN, "", "Zoë\u202e", "a" * 24)
MOST = 6
"""Lines at a time."""


class Crowd(RuleBasedStateMachine):
    """Several clients at one server."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.tables: list[str] = []
        self.codes: list[str] = [""]
        self.moves: list[Any] = [{}]

    # --- lines --------------------------------------------------------------------------------------------

    @initialize(way=WAYS)
    def two_come_in(self, way: Way) -> None:
        self.world.come(way, ADMIN)
        self.world.come("memory", "Anna")
        self._one(0, "account.claim_name", password="a long password")
        self._one(0, "account.become_admin", code=self.world.admin_code)

    @precondition(lambda self: len(self.world.mouths) < MOST)
    @rule(way=WAYS, name=st.sampled_from(NAMES))
    def somebody_comes(self, way: Way, name: str) -> None:
        self.world.come(way, name)

    @rule(way=WAYS, who=st.integers(0, 9))
    def somebody_comes_back(self, way: Way, who: int) -> None:
        away = [*self.world.gone, *self.world.mouths]
        if away:
            self.world.come_back(away[who % len(away)], way)

    @precondition(lambda self: self.world.mouths)
    @rule(who=st.integers(0, 9))
    def a_line_is_cut(self, who: int) -> None:
        self.world.drop(self._mouth(who))

    @rule(way=WAYS, data=st.binary(max_size=200))
    def a_stranger_sends_bytes(self, way: Way, data: bytes) -> None:
        self.world.shout(way, data)

    # --- anything -----------------------------------------------------------------------------------------

    @precondition(lambda self: self.world.mouths)
    @rule(who=st.integers(0, 9), method=st.sampled_from(sorted(METHODS)), data=st.data())
    def somebody_asks(self, who: int, method: str, data: st.DataObject) -> None:
        params = data.draw(params_of(method, self._pools()))
        if isinstance(params, dict) and isinstance(params.get("wait_ms"), int) and 0 < params["wait_ms"] <= 25_000:
            params["wait_ms"] = 1
        self._note(self._mouth(who), self.world.run(self._mouth(who).ask(method, params)))

    @precondition(lambda self: self.world.mouths)
    @rule(who=st.integers(0, 9), method=st.text(max_size=30), params=SCALARS)
    def somebody_asks_what_there_is_not(self, who: int, method: str, params: Any) -> None:
        self.world.run(self._mouth(who).ask(method, params))

    # --- a proper course ----------------------------------------------------------------------------------

    @precondition(lambda self: self.world.mouths)
    @rule(who=st.integers(0, 9), game=options(), private=st.booleans(), looks=st.sampled_from(("anybody", "rounds")))
    def somebody_opens_a_table(self, who: int, game: tuple[str, dict[str, Any]], private: bool, looks: str) -> None:
        slug, chosen = game
        settings = {"private": private, "spectating": looks, "countdown_ms": 0, "start": "full" if private else "host"}
        opened = self._one(who, "table.create", game=slug, seat_count=3, options=chosen, settings=settings)
        if opened is not None:
            self._one(who, "table.join", table=opened["info"]["table"])

    @precondition(lambda self: self.tables and self.world.mouths)
    @rule(who=st.integers(0, 9), which=st.integers(0, 9))
    def somebody_sits_down(self, who: int, which: int) -> None:
        table = self.tables[which % len(self.tables)]
        self._one(who, "table.join", table=table, nonce_hash="00ff" * 16)

    @precondition(lambda self: self.world.mouths)
    @rule(who=st.integers(0, 9), method=st.sampled_from(("table.start", "table.watch", "table.rematch", "table.leave")))
    def somebody_goes_on(self, who: int, method: str) -> None:
        self._one(who, method, table=self._mouth(who).table)

    @precondition(lambda self: self.world.mouths)
    @rule(who=st.integers(0, 9), which=st.integers(0, 99), times=st.integers(1, 12))
    def somebody_plays(self, who: int, which: int, times: int) -> None:
        client = self._mouth(who)
        for _ in range(times):
            legal = self._one(who, "table.moves", table=client.table)
            if not legal or not legal["moves"]:
                return
            self.moves = legal["moves"][:5]
            self._one(who, "table.play", table=client.table, move=legal["moves"][which % len(legal["moves"])])

    # --- always -------------------------------------------------------------------------------------------

    @invariant()
    def nothing_is_wrong(self) -> None:
        self.world.check()

    def teardown(self) -> None:
        self.world.close()
        assert self.world.faults == []

    # --- what is known ------------------------------------------------------------------------------------

    def _one(self, who: int, method: str, **params: Any) -> Any:
        client = self._mouth(who)
        result = self.world.run(client.ask(method, params))
        self._note(client, result)
        return result

    def _mouth(self, who: int) -> FuzzClient:
        return self.world.mouths[who % len(self.world.mouths)]

    def _note(self, client: FuzzClient, result: Any) -> None:
        info = result.get("info") if isinstance(result, dict) else None
        if info:
            client.table = info["table"]
            self.tables = [*dict.fromkeys([*self.tables, info["table"]])][-6:]
            self.codes = [*dict.fromkeys([*self.codes, info["code"]])][-6:]

    def _pools(self) -> Pools:
        users = [*self.world.mouths, *self.world.gone]
        names = [client.name for client in users] or [""]
        small = [None, 0, 1, 2]
        return {
            "table": self.tables or [""],
            "code": self.codes,
            "name": names,
            "to": ["", *names],
            "target": names,
            "token": ["", *(client.token for client in users)],
            "game": list_slugs(),
            "seat_count": [2, 3, 4],
            "seat": small,
            "point_of_view": small,
            "nth": small,
            "move": self.moves,
            "options": [{}],
            "password": PASSWORDS,
            "old": PASSWORDS,
            "new": PASSWORDS,
            "since": [0, 1, 3],
            "wait_ms": [0, 1],
            "protocol": [1],
            "id": [0, 1, ""],
            "bots": ["greedy", "random"],
        }
