"""Replies to `hello` for scripted servers."""

from scoville_server.daily.model.calendar import DailySettings
from scoville_server.hello import describe_limits, list_features
from scoville_server.settings.model import Settings
from scoville_shared.protocol.messages import PROTOCOL, GameInfo, HelloReply

SETTINGS = Settings(
    daily=DailySettings(enabled=False),
)


def welcome(name: str = "Anna", token: str = "t", games: list[GameInfo] | None = None, **more: bool) -> HelloReply:
    """The reply of a server with default settings."""
    return HelloReply(
        protocol=PROTOCOL,
        server="s",
        server_key="ab" * 32,
        name=name,
        token=token,
        games=games or [],
        features=list_features(SETTINGS),
        limits=describe_limits(SETTINGS),
        **more,
    )
