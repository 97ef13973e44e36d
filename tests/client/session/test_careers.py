"""Careers of players at a table: one request for each player, and another one after a game."""

from scoville_client.session.identity.careers import Careers
from scoville_client.transport.base import LinkError
from scoville_shared.errors import ScovilleError
from scoville_shared.protocol.messages import ProfileReply


def profile_of(name: str) -> ProfileReply:
    return ProfileReply(
        name=name, claimed=True, since_ms=0, begun=3, finished=2, won=1, median_pick_ms=None, ratings=[], recent=[]
    )


class Server:
    """Sends profiles and records for whom; refuses what is in `refused` and is away while `is_away`."""

    def __init__(self, *refused: str) -> None:
        self.asked: list[str] = []
        self.is_away = False
        self._refused = refused

    async def read(self, name: str) -> ProfileReply:
        self.asked.append(name)
        if self.is_away:
            raise LinkError("away")
        if name in self._refused:
            raise ScovilleError("unknown_user", "no such user")
        return profile_of(name)


async def test_each_player_is_asked_for_once() -> None:
    server = Server("Nobody")
    careers = Careers(server.read)
    for _ in range(3):
        await careers.read_missing(["Anna", "Ben", "Nobody"])
    assert server.asked == ["Anna", "Ben", "Nobody"]
    assert careers.find_profile("Ben") == profile_of("Ben")
    assert careers.find_profile("Nobody") is None


async def test_a_career_is_read_again_after_a_game() -> None:
    server = Server()
    careers = Careers(server.read)
    await careers.read_missing(["Anna", "Ben"])
    careers.forget_players(["Ben", "Carl"])
    assert careers.list_missing(["Anna", "Ben"]) == ["Ben"]
    await careers.read_missing(["Anna", "Ben"])
    assert server.asked == ["Anna", "Ben", "Ben"]


async def test_without_a_connection_it_is_asked_for_next_time() -> None:
    server = Server()
    careers = Careers(server.read)
    server.is_away = True
    await careers.read_missing(["Anna", "Ben"])
    assert server.asked == ["Anna"]
    server.is_away = False
    await careers.read_missing(["Anna", "Ben"])
    assert careers.find_profile("Anna") is not None


async def test_a_long_evening_keeps_a_bounded_number() -> None:
    careers = Careers(Server().read)
    await careers.read_missing([f"Guest {number}" for number in range(1_000)])
    assert len([number for number in range(1_000) if careers.find_profile(f"Guest {number}")]) <= 200
