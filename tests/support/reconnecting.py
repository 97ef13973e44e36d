"""What a session announces, and what its link was asked."""

from typing import Any

from scoville_client.session.changes import ConnectionDown
from tests.support.client import Recorder, ScriptedLink


def sentences(recorder: Recorder) -> list[str]:
    """List what a session has announced about its lost connection."""
    return [change.sentence.render(()) for change in recorder.of(ConnectionDown)]


def asked(link: ScriptedLink, kind: type[Any]) -> list[Any]:
    """List the requests of a kind that a link was asked."""
    return [params for params in link.asked if isinstance(params, kind)]
