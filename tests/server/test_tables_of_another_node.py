"""Some tests of tables once more, with every user at another node (see tests/cluster/elsewhere.py for all of them)."""

from scoville_server.server import Server
from tests.cluster.elsewhere import UNFIT, everybody_elsewhere
from tests.server.tables import test_access, test_plans, test_playing, test_rematch, test_voting
from tests.support.core import seat_users
from tests.support.server import core_of

__all__ = ["everybody_elsewhere"]

for module in (test_access, test_plans, test_playing, test_rematch, test_voting):
    globals().update({name: each for name, each in vars(module).items() if name[:5] == "test_" and name not in UNFIT})


async def test_all_users_are_at_another_node(server: Server) -> None:
    table, users = await seat_users(server, "Anna", "Ben")
    core = core_of(server)
    assert table in core.tables
    assert core.sessions.connected_users() == []
    assert [core.connections.is_here(user.id) for user in core.sessions._by_id.values()] == [True] * len(users)
    assert sum(name.startswith("test_") for name in globals()) > 50
