"""A server as the screen of `top` asks it: replies to its commands, and a record of the acts."""

import copy
from collections.abc import Mapping
from typing import Any, Final

from scoville_runtime.control_client import NotRunning
from scoville_shared.errors import ScovilleError

STATUS: Final[dict[str, Any]] = {
    "version": "0.1.0", "now_ms": 1_760_000_000_000, "uptime_seconds": 273_900.0, "ready": True, "reasons": [],
    "people": {"total": 212, "claimed": 61, "by_entrance": {"direct": 119, "ssh": 38, "web": 55, "inside": 0}},
    "connections": {"total": 215, "limit": 2048}, "tables": {"total": 74, "limit": 1000},
    "moves": {"total": 58_000, "per_second": 58.0, "p99_seconds": 0.021},
    "games": {"kept": 8_412, "kept_limit": 20_000},
    "commits": {"p50_seconds": 0.003, "p99_seconds": 0.021}, "loop_lag": {"p50_seconds": 0.001, "p99_seconds": 0.002},
    "process": {"cpu_ratio": 0.23, "resident_bytes": 123_731_968, "memory_bytes_limit": 536_870_912},
    "disk": {"free_bytes": 33_285_996_544, "log_bytes": 4_194_304, "last_backup_ms": 1_759_927_000_000},
    "refusals_per_minute": {"slow_down": 12, "wrong_login": 7},
    "queues": {"bots": 2, "passwords": 0, "writes": 3, "polls": 5, "readers": 1},
    "host": "cards.example", "port": 5757, "pin": "HKI6AAAABBBBCCCCDN3C", "open_reports": 2,
    "shutdown": None, "maintenance": None, "alerts": [],
}  # fmt: skip
HOSTILE: Final = "\x1b[31mBe\u202en\u0007 \U0001f480"


def table(number: int, **fields: Any) -> dict[str, Any]:
    """Return a row of the tables."""
    row = {
        "id": f"{number:012x}", "game": "no_thanks", "status": "playing", "paused": False, "humans": 3, "bots": 1,
        "seats": 5, "spectators": 12, "moves": number, "age_seconds": 60 * number, "idle_seconds": 2,
        "players": ["Anna", "Ben"], "waits_for": ["Ben"], "left_seconds": 41,
    }  # fmt: skip
    return row | fields


def user(name: str) -> dict[str, Any]:
    """Return a row of the users."""
    return {
        "name": name, "claimed": False, "address": "192.0.2.7", "client": "scoville 0.1.0", "table_ids": [],
        "muted": False,
    }  # fmt: skip


class FakeServer:
    """Answers like a server. `refusal` is raised by acts, `gone` says that no server runs."""

    def __init__(self) -> None:
        self.status = copy.deepcopy(STATUS)
        self.lists: dict[str, dict[str, Any]] = {
            "tables": {"tables": [table(number) for number in range(40)], "total": 74},
            "users": {"users": [user("Anna"), user(HOSTILE)]},
            "networks": {
                "networks": [
                    {"network": "203.0.113.9", "users": 9, "connections": 11, "share": 0.19,
                     "refusals_per_minute": 380, "banned": False},
                ],
                "total": 1,
            },
            "slow": {
                "kinds": [
                    {"what": "move", "count": 9, "p50_seconds": 0.001, "p99_seconds": 0.02, "longest_seconds": 0.4}
                ]
            },
            "log": {
                "events": [
                    {"number": 1, "at_ms": 1_760_000_000_000, "kind": "hello", "priority": 6,
                     "fields": {"user": HOSTILE}},
                ]
            },
            "reports": {
                "reports": [
                    {"id": 3, "at_ms": 1_760_000_000_000, "by": "Anna", "name": "Ben", "table": None,
                     "text": "He swears.", "context": ["Ben: Zounds!"]},
                ]
            },
            "audit": {
                "entries": [
                    {"number": 1, "at_ms": 1_760_000_000_000, "by": "root (uid 0, control socket)", "action": "kick",
                     "target": "Ben", "reason": "Too loud."},
                ]
            },
        }  # fmt: skip
        self.acts: list[tuple[str, dict[str, Any], str]] = []
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.refusal = ""
        self.gone = False
        self.closed = False

    def send_command(self, name: str, arguments: Mapping[str, Any] | None = None, reason: str = "") -> Any:
        if self.gone:
            raise NotRunning("No server is running.")
        given = dict(arguments or {})
        if name == "status":
            return self.status
        if name in self.lists:
            self.asked.append((name, given))
            return copy.deepcopy(self.lists[name])  # a reply is never changed afterwards
        if self.refusal:
            raise ScovilleError("bad_params", self.refusal)
        self.acts.append((name, given, reason))
        return {}

    def close(self) -> None:
        self.closed = True
