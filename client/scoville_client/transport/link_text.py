"""Sentences about a connection that failed. `recognized` says that a Scoville server has answered on it before."""

from scoville_client.i18n.language import tr


def lost(server_name: str, *, recognized: bool) -> str:
    """Say that the other end has closed the connection."""
    if recognized:
        return tr("The server at {place} has disconnected.", place=server_name)
    return tr("{place} closed the connection without an answer. Is it a Scoville server?", place=server_name)


def invalid(server_name: str, *, recognized: bool) -> str:
    """Say that what arrived is no message."""
    if recognized:
        return tr("The server at {place} sent invalid data; the connection is closed.", place=server_name)
    return tr("{place} is not a Scoville server.", place=server_name)


def silent(server_name: str, seconds: float, *, recognized: bool) -> str:
    """Say that no answer has come for some seconds."""
    if recognized:
        return tr("The server at {place} has not answered for {seconds} seconds.", place=server_name, seconds=seconds)
    return tr("{place} accepts the connection but does not answer. Is it a Scoville server?", place=server_name)
