"""Checks of the cluster: whether its engine is reached and keeps what it acknowledges, and who could take over."""

import asyncio
from collections.abc import Iterator

from scoville_server.doctor.findings import Finding
from scoville_server.doctor.patient import Patient
from scoville_server.journal.base import JournalError
from scoville_server.journal.jetstream.engine import Engine, Place


def check_cluster(patient: Patient) -> Iterator[Finding]:
    """Ask the running node, or else the engine itself."""
    cluster = patient.settings.cluster
    if not cluster.servers:
        return
    status = None if patient.status is None else patient.status.get("cluster")
    if status is None:
        place = Place(servers=cluster.servers, name=cluster.name, system=cluster.system, ca_file=cluster.ca_file)
        try:
            doubts = asyncio.run(_find_doubts(place))
        except JournalError as error:
            yield Finding(code="engine_unreachable", text=error.message)
            return
    else:
        doubts = status["doubts"]
        if not status["connected"]:
            yield Finding(code="engine_unreachable", text="This node does not reach the servers of NATS.")
        if len(status["nodes"]) < 2:
            yield Finding(code="node_alone", text="No other node of the cluster was heard.")
    for doubt in doubts:
        yield Finding(code="engine_not_durable", text=doubt)


async def _find_doubts(place: Place) -> list[str]:
    engine = Engine(place)
    try:
        await engine.connect(makes_stream=False)
        return await engine.find_doubts()
    finally:
        await engine.close()
