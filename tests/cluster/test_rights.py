"""What users may do does not depend on the node at which their table, club or tournament is."""

from scoville_shared.protocol.messages import METHOD_OF
from tests.cluster.rights import find_differences, some_scenes
from tests.cluster.rights_requests import About, every_request


def test_every_request_of_everybody_is_answered_as_by_a_server_alone() -> None:
    assert [difference for scene in some_scenes() for difference in find_differences(scene)] == []


def test_every_request_is_among_the_compared_ones() -> None:
    assert {type(params) for ending in range(3) for params in every_request(About(ending=ending))} == {*METHOD_OF}
