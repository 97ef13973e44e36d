"""Some tests of tables once more, with every user at another node (see tests/cluster/elsewhere.py for all of them)."""

from tests.cluster.elsewhere import UNFIT, everybody_elsewhere
from tests.server.tables import test_access, test_plans, test_playing, test_rematch, test_voting

__all__ = ["everybody_elsewhere"]

for module in (test_access, test_plans, test_playing, test_rematch, test_voting):
    globals().update({name: each for name, each in vars(module).items() if name[:5] == "test_" and name not in UNFIT})


def test_there_are_many() -> None:
    assert sum(name.startswith("test_") for name in globals()) > 50
